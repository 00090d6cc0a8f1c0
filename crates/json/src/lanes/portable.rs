//! Plain registers, which every processor has.

use std::ops::{BitAnd, BitOr, BitXor};

use crate::lanes::{Lanes, MIXED, looked_up, mixed, parity};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Width;

/// Defines functions of two arrays of bytes.
macro_rules! bytewise {
    ($($name:ident: $of_bytes:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name<const N: usize>(self, left: [u8; N], right: [u8; N]) -> [u8; N] {
            let of_bytes: fn(u8, u8) -> u8 = $of_bytes;
            std::array::from_fn(|at| of_bytes(left[at], right[at]))
        }
    )*};
}

impl Width {
    pub(crate) const PLAIN: Self = Self;

    bytewise! {
        equal: |left, right| u8::from(left == right).wrapping_neg();
        larger: Ord::max;
        minus: u8::wrapping_sub;
        or: BitOr::bitor;
        and: BitAnd::bitand;
        xor: BitXor::bitxor;
    }

    /// Returns the highest bit of each byte.
    #[inline(always)]
    pub(crate) fn bits<const N: usize>(self, found: &[u8; N]) -> u64 {
        let (eights, _) = found.as_chunks();
        let eights = eights.iter().rev().map(|&eight| {
            let highest = u64::from_le_bytes(eight) >> 7 & 0x0101_0101_0101_0101;
            // The multiplication moves the bit of each byte next to the bit of the byte before it.
            highest.wrapping_mul(0x0102_0408_1020_4080) >> 56
        });
        eights.fold(0, |all, eight| all << 8 | eight)
    }

    #[inline(always)]
    pub(crate) fn mixed(self, state: [u8; MIXED], block: &[u8; MIXED]) -> [u8; MIXED] {
        mixed(state, block)
    }

    #[inline(always)]
    pub(crate) fn parity(self, bits: u64) -> u64 {
        parity(bits)
    }

    #[inline(always)]
    pub(crate) fn looked_up<const N: usize>(self, table: [u8; N], bytes: [u8; N]) -> [u8; N] {
        looked_up(table, bytes)
    }
}

#[inline(always)]
pub(crate) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    work(Lanes::PLAIN)
}
