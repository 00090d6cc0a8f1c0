//! SIMD operations on blocks of bytes.
//!
//! Each function of [`Bytes`] compiles to one or two instructions for all bytes of a block. Auto-vectorisation is not
//! reliable enough: where it fails, a loop is several times slower. With `--cfg portable_lanes` no instruction is
//! chosen by hand, and the compiler vectorises what it can.

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

use std::ops::{BitAnd, BitOr, BitXor, Range};

/// The number of bytes of a block in short text, such as a name.
pub const NARROW: usize = 16;
/// The number of bytes of a block in long text.
pub const WIDE: usize = 64;
/// The number of bytes that are [mixed](Lanes::mixed) into a state together.
pub const MIXED: usize = 32;

/// The instructions that may be used: those of the processor for which the calling code is compiled.
#[derive(Debug, Clone, Copy)]
pub struct Lanes(imp::Width);

impl Lanes {
    /// The instructions that every processor of this architecture has.
    pub const PLAIN: Self = Self(imp::Width::PLAIN);

    /// Loads a block of [`NARROW`] or [`WIDE`] bytes.
    #[inline(always)]
    pub const fn of<const N: usize>(self, bytes: &[u8; N]) -> Bytes<N> {
        Bytes {
            bytes: *bytes,
            width: self.0,
        }
    }

    /// Sets each bit to the parity of the bits up to and including it.
    #[inline(always)]
    pub fn parity(self, bits: u64) -> u64 {
        self.0.parity(bits)
    }

    /// Returns the state of a hash after one more block. The states of different processors differ, so they must not be
    /// stored.
    #[inline(always)]
    pub fn mixed(self, state: [u8; MIXED], block: &[u8; MIXED]) -> [u8; MIXED] {
        self.0.mixed(state, block)
    }

    /// Returns eight bytes in another order: byte `n` of the result is `bytes[order[n]]`. Each number in `order` must
    /// be below eight.
    #[inline(always)]
    pub fn moved(self, bytes: [u8; 8], order: [u8; 8]) -> [u8; 8] {
        let [bytes, order] = [bytes, order].map(|eight| u64::from_le_bytes(eight).into());
        let moved = self
            .0
            .looked_up(u128::to_le_bytes(bytes), u128::to_le_bytes(order));
        (u128::from_le_bytes(moved) as u64).to_le_bytes()
    }
}

/// A block of bytes. A comparison sets all bits of each byte for which it holds, and clears the others.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<const N: usize> {
    bytes: [u8; N],
    width: imp::Width,
}

impl<const N: usize> Bytes<N> {
    /// Compares: which bytes equal `byte`.
    #[inline(always)]
    pub fn is(self, byte: u8) -> Self {
        self.with(self.width.equal(self.bytes, [byte; N]))
    }

    /// Compares: which bytes are `least` or larger.
    #[inline(always)]
    pub fn at_least(self, least: u8) -> Self {
        let larger = self.width.larger(self.bytes, [least; N]);
        self.with(self.width.equal(larger, self.bytes))
    }

    /// Compares: which bytes are in a set.
    #[inline(always)]
    pub fn is_among(self, Among(table): &Among) -> Self {
        let table = table.first_chunk().copied().unwrap_or(self.bytes);
        let found = self.width.looked_up(table, self.bytes);
        self.with(self.width.equal(found, self.bytes))
    }

    /// Compares: which bytes are outside a range.
    #[inline(always)]
    pub fn outside(self, range: Range<u8>) -> Self {
        let distance = self.width.minus(self.bytes, [range.start; N]);
        self.with(distance).at_least(range.end - range.start)
    }

    /// Returns one bit per byte of a comparison, the lowest for the first byte. Do not branch between the comparison
    /// and this call: LLVM may scalarise the vector to keep it alive across the branch.
    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.width.bits(&self.bytes)
    }

    #[inline(always)]
    const fn with(self, bytes: [u8; N]) -> Self {
        Self { bytes, ..self }
    }
}

macro_rules! operators {
    ($($operator:ident, $name:ident: $function:ident;)*) => {$(
        impl<const N: usize> $operator for Bytes<N> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(self.width.$function(self.bytes, other.bytes))
            }
        }
    )*};
}

operators! {
    BitOr, bitor: or;
    BitAnd, bitand: and;
    BitXor, bitxor: xor;
}

/// Sets the same bits in each byte.
impl<const N: usize> BitOr<u8> for Bytes<N> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, bits: u8) -> Self {
        self.with(self.width.or(self.bytes, [bits; N]))
    }
}

/// A set of ASCII bytes whose lowest four bits differ, as a lookup table: each byte is at the index of these bits.
#[derive(Debug, Clone, Copy)]
pub struct Among([u8; WIDE]);

impl Among {
    /// Returns the set of these bytes.
    pub const fn new(bytes: &[u8]) -> Self {
        // Bytes beyond ASCII are never looked up, so 0xff marks an entry as empty.
        let mut table = [0xff; WIDE];
        let mut at = 0;
        while at < bytes.len() {
            let mut place = (bytes[at] & 0xf) as usize;
            assert!(bytes[at].is_ascii() && table[place] == 0xff);
            while place < WIDE {
                table[place] = bytes[at];
                place += 16;
            }
            at += 1;
        }
        Self(table)
    }
}

/// Returns for each byte the entry of a table at its lowest four bits, or 0 for bytes beyond ASCII; portable form. The
/// table has 16 entries, which are repeated.
#[inline(always)]
fn looked_up<const N: usize>(table: [u8; N], bytes: [u8; N]) -> [u8; N] {
    bytes.map(|byte| match byte {
        ..0x80 => table[usize::from(byte & 0xf)],
        _ => 0,
    })
}

/// Returns the state of a hash after one more block; portable form, with multiplications.
#[inline(always)]
fn mixed(mut state: [u8; MIXED], block: &[u8; MIXED]) -> [u8; MIXED] {
    // Digits of π: the factors need constants without a pattern.
    const KEYS: [u128; 2] = [
        0x2437_86a8_885a_308d_1319_8a2e_0370_7345,
        0xa409_3822_299f_31d1_082e_fa98_ec4e_6c89,
    ];
    let words = |bytes: &[u8; 16]| u128::from_le_bytes(*bytes);
    let (halves, _) = state.as_chunks_mut();
    let (blocks, _) = block.as_chunks();
    for ((half, block), key) in halves.iter_mut().zip(blocks).zip(KEYS) {
        let state = words(half);
        let factors = state ^ words(block) ^ key;
        let product = u128::from(factors as u64) * (factors >> 64);
        let folded = product as u64 ^ (product >> 64) as u64;
        *half = (state.rotate_left(64) ^ u128::from(folded)).to_le_bytes();
    }
    state
}

/// Sets each bit to the parity of the bits up to and including it; portable form.
#[inline(always)]
const fn parity(mut bits: u64) -> u64 {
    let mut shift = 1;
    while shift < u64::BITS {
        bits ^= bits << shift;
        shift *= 2;
    }
    bits
}

/// Runs `work` with the best instructions that this processor has. `work` must be `#[inline(always)]`, so that all of
/// it is compiled for them.
#[inline(always)]
pub fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    imp::blockwise(work)
}

/// Returns the beginning of a text as an array of `SIZE` bytes, padded with `other` if the text is shorter.
pub fn filled_up<const SIZE: usize>(bytes: &[u8], other: u8) -> [u8; SIZE] {
    let mut block = [other; SIZE];
    let bytes = bytes.get(..SIZE).unwrap_or(bytes);
    if let Some(place) = block.get_mut(..bytes.len()) {
        place.copy_from_slice(bytes);
    }
    block
}
