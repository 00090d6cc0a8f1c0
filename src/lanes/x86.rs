//! SSE2, which every x86-64 processor has, and AVX2 where the processor has it.

use std::arch::x86_64::{
    _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_set1_epi8, _mm_shuffle_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
};
use std::sync::OnceLock;

use super::Lanes;

/// Whether the code around is compiled for AVX2. It is true only where the processor has that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Width {
    avx2: bool,
}

impl Width {
    pub(super) const PLAIN: Self = Self { avx2: false };

    /// Returns the highest bit of each byte.
    #[inline(always)]
    pub(super) fn bits<const N: usize>(self, found: &[u8; N]) -> u64 {
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
    pub(super) fn parity(self, bits: u64) -> u64 {
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
    pub(super) fn moved(self, bytes: [u8; 8], order: [u8; 8]) -> [u8; 8] {
        if !self.avx2 {
            return super::moved(bytes, order);
        }
        // SAFETY: a processor with AVX2 has SSSE3, too.
        unsafe {
            let [bytes, order] =
                [bytes, order].map(|eight| _mm_cvtsi64_si128(i64::from_le_bytes(eight)));
            _mm_cvtsi128_si64(_mm_shuffle_epi8(bytes, order)).to_le_bytes()
        }
    }
}

#[inline(always)]
pub(super) fn blockwise<T>(work: impl FnOnce(Lanes) -> T) -> T {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,pclmulqdq,popcnt")]
    fn with_avx2<T>(work: impl FnOnce(Lanes) -> T) -> T {
        work(Lanes(Width { avx2: true }))
    }
    static AVX2: OnceLock<bool> = OnceLock::new();
    let detect = || {
        is_x86_feature_detected!("avx2")
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
