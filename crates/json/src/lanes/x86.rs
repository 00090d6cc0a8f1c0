//! SSE2, which every x86-64 processor has, and AVX2 where the processor has it.

use std::arch::x86_64::{
    _mm_aesenc_si128, _mm_and_si128, _mm_clmulepi64_si128, _mm_cmpeq_epi8, _mm_cvtsi64_si128,
    _mm_cvtsi128_si64, _mm_loadu_si128, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128,
    _mm_set1_epi8, _mm_shuffle_epi8, _mm_storeu_si128, _mm_sub_epi8, _mm_xor_si128,
    _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_xor_si256,
};
use std::sync::OnceLock;

use super::{Lanes, MIXED};

/// Defines functions of two arrays of bytes. The instruction for 32 bytes is AVX2's, that for 16 SSE2's, but for
/// `chosen`, which is SSSE3's.
macro_rules! bytewise {
    ($($name:ident: $wide:ident, $narrow:ident;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name<const N: usize>(self, mut left: [u8; N], right: [u8; N]) -> [u8; N] {
            let mut at = 0;
            while self.avx2 && at + 32 <= N {
                // SAFETY: the processor has AVX2, and all 32 bytes exist.
                unsafe {
                    let to = left.as_mut_ptr().add(at).cast();
                    let right = _mm256_loadu_si256(right.as_ptr().add(at).cast());
                    _mm256_storeu_si256(to, $wide(_mm256_loadu_si256(to), right));
                }
                at += 32;
            }
            while at + 16 <= N {
                // SAFETY: the processor has the instruction, and all 16 bytes exist.
                unsafe {
                    let to = left.as_mut_ptr().add(at).cast();
                    let right = _mm_loadu_si128(right.as_ptr().add(at).cast());
                    _mm_storeu_si128(to, $narrow(_mm_loadu_si128(to), right));
                }
                at += 16;
            }
            left
        }
    )*};
}

/// Whether the code around is compiled for AVX2. It is true only where the processor has that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Width {
    avx2: bool,
}

impl Width {
    pub(crate) const PLAIN: Self = Self { avx2: false };

    bytewise! {
        equal: _mm256_cmpeq_epi8, _mm_cmpeq_epi8;
        larger: _mm256_max_epu8, _mm_max_epu8;
        minus: _mm256_sub_epi8, _mm_sub_epi8;
        or: _mm256_or_si256, _mm_or_si128;
        and: _mm256_and_si256, _mm_and_si128;
        xor: _mm256_xor_si256, _mm_xor_si128;
        chosen: _mm256_shuffle_epi8, _mm_shuffle_epi8;
    }

    /// Returns the highest bit of each byte.
    #[inline(always)]
    pub(crate) fn bits<const N: usize>(self, found: &[u8; N]) -> u64 {
        let (halves, rest) = match self.avx2 {
            true => found.as_chunks::<32>(),
            false => (&[][..], &found[..]),
        };
        let mut bits = 0;
        for (at, half) in halves.iter().enumerate() {
            // SAFETY: the processor has AVX2, and all 32 bytes exist.
            let mask = unsafe { _mm256_movemask_epi8(_mm256_loadu_si256(half.as_ptr().cast())) };
            bits |= u64::from(mask.cast_unsigned()) << (32 * at);
        }
        let (quarters, _) = rest.as_chunks::<16>();
        for (at, quarter) in quarters.iter().enumerate() {
            // SAFETY: SSE2 is part of x86-64, and all 16 bytes exist.
            let mask = unsafe { _mm_movemask_epi8(_mm_loadu_si128(quarter.as_ptr().cast())) };
            bits |= u64::from(mask.cast_unsigned()) << (32 * halves.len() + 16 * at);
        }
        bits
    }

    #[inline(always)]
    pub(crate) fn parity(self, bits: u64) -> u64 {
        if !self.avx2 {
            return super::parity(bits);
        }
        // Multiplied by ones without carries, each bit becomes the sum of the bits up to and including it.
        // SAFETY: the processor has this instruction, too.
        unsafe {
            let bits = _mm_cvtsi64_si128(bits.cast_signed());
            _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1))).cast_unsigned()
        }
    }

    #[inline(always)]
    pub(crate) fn mixed(self, mut state: [u8; MIXED], block: &[u8; MIXED]) -> [u8; MIXED] {
        if !self.avx2 {
            return super::mixed(state, block);
        }
        for at in [0, MIXED / 2] {
            // SAFETY: the processor has this instruction, too, and all 16 bytes exist.
            unsafe {
                let to = state.as_mut_ptr().add(at).cast();
                let block = _mm_loadu_si128(block.as_ptr().add(at).cast());
                _mm_storeu_si128(to, _mm_aesenc_si128(_mm_loadu_si128(to), block));
            }
        }
        state
    }

    /// Returns for each byte the entry of a table at its lowest four bits, or 0 for bytes beyond ASCII. The table has
    /// 16 entries, which are repeated.
    #[inline(always)]
    pub(crate) fn looked_up<const N: usize>(self, table: [u8; N], bytes: [u8; N]) -> [u8; N] {
        match self.avx2 {
            // A processor with AVX2 has SSSE3, too.
            true => self.chosen(table, bytes),
            false => super::looked_up(table, bytes),
        }
    }
}

#[inline(always)]
pub(crate) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    #[target_feature(enable = "aes,avx2,bmi1,bmi2,lzcnt,pclmulqdq,popcnt")]
    fn with_avx2<T>(work: impl FnOnce(Lanes) -> T) -> T {
        work(Lanes(Width { avx2: true }))
    }
    static AVX2: OnceLock<bool> = OnceLock::new();
    let detect = || {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("popcnt")
    };
    match *AVX2.get_or_init(detect) {
        // SAFETY: the processor has what the function is compiled for.
        true => unsafe { with_avx2(work) },
        false => work(Lanes::PLAIN),
    }
}
