//! Looking at many bytes at a time.
//!
//! What is asked of a byte is written as a condition on one byte. The compiler makes vector instructions of it: for the
//! processors that every build is for, and on x86-64 a second time for those that have AVX2. Only how the results for
//! many bytes become bits of one number is written for each kind of processor, since the compiler finds no good
//! instructions for that. With `--cfg portable_lanes` no instruction is chosen by hand.

#[cfg(all(target_arch = "x86_64", not(portable_lanes)))]
#[path = "lanes/x86.rs"]
#[allow(unsafe_code)]
mod imp;
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(portable_lanes)))]
#[path = "lanes/neon.rs"]
#[allow(unsafe_code)]
mod imp;
#[cfg(any(
    portable_lanes,
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ))
))]
#[path = "lanes/portable.rs"]
mod imp;
#[cfg(test)]
mod tests;

/// The number of bytes that are looked at together in a word.
pub(crate) const NARROW: usize = 16;
/// The number of bytes of a block, which are looked at together in text.
pub(crate) const WIDE: usize = 64;

/// Looks at many bytes at once, with the instructions of the processor for which the code around is compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes(imp::Width);

impl Lanes {
    /// Lanes that every processor has.
    pub(crate) const PLAIN: Self = Self(imp::Width::PLAIN);

    /// Returns for which of `N` places, at most 64, a condition holds: one bit for each, the lowest for the first.
    /// Conditions without branches are the fastest.
    #[inline(always)]
    pub(crate) fn places<const N: usize>(self, holds: impl Fn(usize) -> bool) -> u64 {
        let mut found = [0; N];
        for (place, found) in found.iter_mut().enumerate() {
            *found = u8::from(holds(place)).wrapping_neg();
        }
        self.0.bits(&found)
    }

    /// Returns for which of at most 64 bytes a condition holds.
    #[inline(always)]
    pub(crate) fn which<const N: usize>(self, bytes: &[u8; N], holds: impl Fn(u8) -> bool) -> u64 {
        self.places::<N>(|place| holds(bytes[place]))
    }

    /// Sets each bit to the parity of the bits up to and including it.
    #[inline(always)]
    pub(crate) fn parity(self, bits: u64) -> u64 {
        self.0.parity(bits)
    }

    /// Returns eight bytes in another order: each place below eight in `order` stands for the byte there.
    #[inline(always)]
    pub(crate) fn moved(self, bytes: [u8; 8], order: [u8; 8]) -> [u8; 8] {
        self.0.moved(bytes, order)
    }
}

/// Returns eight bytes in another order, without an instruction for that.
#[inline(always)]
fn moved(bytes: [u8; 8], order: [u8; 8]) -> [u8; 8] {
    order.map(|place| bytes[usize::from(place & 7)])
}

/// Sets each bit to the parity of the bits up to and including it, without an instruction for that.
#[inline(always)]
const fn parity(mut bits: u64) -> u64 {
    let mut shift = 1;
    while shift < u64::BITS {
        bits ^= bits << shift;
        shift *= 2;
    }
    bits
}

/// Goes through a text block by block, with the best lanes that the processor has. `work` must be marked
/// `#[inline(always)]`, so that all of it is compiled for the processor at hand.
#[inline(always)]
pub(crate) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    imp::blockwise(work)
}

/// Returns a text as an array of `SIZE` bytes, filled up with `other`.
pub(crate) fn filled_up<const SIZE: usize>(bytes: &[u8], other: u8) -> [u8; SIZE] {
    let mut block = [other; SIZE];
    let bytes = bytes.get(..SIZE).unwrap_or(bytes);
    if let Some(place) = block.get_mut(..bytes.len()) {
        place.copy_from_slice(bytes);
    }
    block
}
