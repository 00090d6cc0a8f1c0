//! NEON, which every AArch64 processor has.

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vdupq_n_u8, veorq_u8, vgetq_lane_u64, vld1q_u8, vmaxq_u8,
    vorrq_u8, vpaddq_u8, vqtbl1q_u8, vreinterpretq_u64_u8, vst1q_u8, vsubq_u8,
};

use super::{Lanes, MIXED};

#[derive(Debug, Clone, Copy)]
pub struct Width;

/// Defines functions of two arrays of bytes.
macro_rules! bytewise {
    ($($name:ident: $instruction:ident;)*) => {$(
        #[inline(always)]
        pub fn $name<const N: usize>(self, mut left: [u8; N], right: [u8; N]) -> [u8; N] {
            let mut at = 0;
            while at + 16 <= N {
                // SAFETY: NEON is part of AArch64, and all 16 bytes exist.
                unsafe {
                    let to = left.as_mut_ptr().add(at);
                    let right = vld1q_u8(right.as_ptr().add(at));
                    vst1q_u8(to, $instruction(vld1q_u8(to), right));
                }
                at += 16;
            }
            left
        }
    )*};
}

impl Width {
    pub const PLAIN: Self = Self;

    bytewise! {
        equal: vceqq_u8;
        larger: vmaxq_u8;
        minus: vsubq_u8;
        or: vorrq_u8;
        and: vandq_u8;
        xor: veorq_u8;
        chosen: vqtbl1q_u8;
    }

    /// Returns the highest bit of each byte, all bits of which are equal.
    #[inline(always)]
    pub fn bits<const N: usize>(self, found: &[u8; N]) -> u64 {
        let (quarters, _) = found.as_chunks();
        // SAFETY: NEON is part of AArch64.
        unsafe { bits(quarters) }
    }

    #[inline(always)]
    pub(crate) fn mixed(self, state: [u8; MIXED], block: &[u8; MIXED]) -> [u8; MIXED] {
        super::mixed(state, block)
    }

    #[inline(always)]
    pub(crate) fn parity(self, bits: u64) -> u64 {
        super::parity(bits)
    }

    /// Returns for each byte the entry of a table at its lowest four bits, or 0 for bytes beyond ASCII. The table has
    /// 16 entries, which are repeated.
    #[inline(always)]
    pub fn looked_up<const N: usize>(self, table: [u8; N], bytes: [u8; N]) -> [u8; N] {
        // What is no place of the table is looked up to 0.
        self.chosen(table, self.and(bytes, [0x8f; N]))
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn bits(quarters: &[[u8; 16]]) -> u64 {
    /// Leaves one bit of each byte, selected by its place among eight.
    const PLACES: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: all 16 bytes exist.
    let load = |bytes: &[u8; 16]| unsafe { vld1q_u8(bytes.as_ptr()) };
    let quarter = |at: usize| -> uint8x16_t {
        match quarters.get(at) {
            Some(bytes) => vandq_u8(load(bytes), load(&PLACES)),
            None => vdupq_n_u8(0),
        }
    };
    // Neighbours are added three times, so that eight of them become one byte.
    let half = |at| vpaddq_u8(quarter(at), quarter(at + 1));
    let sums = vpaddq_u8(half(0), half(2));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

#[inline(always)]
pub(crate) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    work(Lanes::PLAIN)
}
