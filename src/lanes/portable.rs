//! Plain registers, which every processor has.

use crate::lanes::{Lanes, moved, parity};

#[derive(Debug, Clone, Copy)]
pub(super) struct Width;

impl Width {
    pub(super) const PLAIN: Self = Self;

    /// Returns the highest bit of each byte.
    #[inline(always)]
    pub(super) fn bits<const N: usize>(self, found: &[u8; N]) -> u64 {
        let (eights, _) = found.as_chunks();
        let eights = eights.iter().rev().map(|&eight| {
            let highest = u64::from_le_bytes(eight) >> 7 & 0x0101_0101_0101_0101;
            // The multiplication moves the bit of each byte next to the bit of the byte before it.
            highest.wrapping_mul(0x0102_0408_1020_4080) >> 56
        });
        eights.fold(0, |all, eight| all << 8 | eight)
    }

    #[inline(always)]
    pub(super) fn parity(self, bits: u64) -> u64 {
        parity(bits)
    }

    #[inline(always)]
    pub(super) fn moved(self, bytes: [u8; 8], order: [u8; 8]) -> [u8; 8] {
        moved(bytes, order)
    }
}

#[inline(always)]
pub(super) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    work(Lanes::PLAIN)
}
