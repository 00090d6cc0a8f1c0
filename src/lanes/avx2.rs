//! Lanes with AVX2 and the features that came with it.

use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_set1_epi8, _mm_shuffle_epi8, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi16, _mm256_sub_epi8, _mm256_subs_epu8, _mm256_testz_si256, _mm256_xor_si256,
};

use super::tables::{BEHIND, ESCAPABLE, ESCAPED_ALWAYS, KEPT};
use super::{load, pair};
use crate::lanes::{BEFORE, Blockwise, Lanes, NARROW, Quoting, Structure, WIDE, around};

/// The operations on blocks. A value exists only if the processor has the features that the functions of this module
/// need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Self(()))
    }

    #[inline]
    pub(super) fn run<W: Blockwise>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,lzcnt,popcnt")]
        fn run<W: Blockwise>(lanes: Avx2, work: W) -> W::Output {
            work.run(lanes)
        }
        // SAFETY: the function needs features that the processor has, or `self` would not exist.
        unsafe { run(self, work) }
    }
}

impl Lanes for Avx2 {
    lead! {
        equal(block: &[u8; WIDE], byte: u8) -> u64;
        special(block: &[u8; WIDE]) -> u64;
        openings(text: &[u8; WIDE + 1]) -> u64;
        line_feeds(blocks: &[[u8; WIDE]]) -> usize;
        quoting(block: &[u8; WIDE]) -> Quoting;
        structure(block: &[u8; WIDE]) -> Structure;
        parity(bits: u64) -> u64;
        digits(block: &[u8; WIDE]) -> u64;
        blanks(block: &[u8; WIDE]) -> u64;
        escapable(block: &[u8; WIDE]) -> u64;
        escaped_always(block: &[u8; WIDE]) -> u64;
        characters(around: &[u8; BEFORE + WIDE]) -> u64;
        compact(block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize;
    }
}

#[inline]
#[target_feature(enable = "ssse3,popcnt")]
fn compact(bytes: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize {
    let mut kept = 0;
    let (eights, _) = bytes.as_chunks::<8>();
    for (eight, mask) in eights.iter().zip(keep.to_le_bytes()) {
        let mask = usize::from(mask);
        let order = KEPT.get(mask).copied().unwrap_or_default();
        let order = _mm_cvtsi64_si128(i64::from_le_bytes(order));
        let found = _mm_shuffle_epi8(_mm_cvtsi64_si128(i64::from_le_bytes(*eight)), order);
        if let Some(place) = into.get_mut(kept..).and_then(<[u8]>::first_chunk_mut) {
            *place = _mm_cvtsi128_si64(found).to_le_bytes();
        }
        kept += mask.count_ones() as usize;
    }
    kept
}

#[inline]
#[target_feature(enable = "avx2")]
fn special(block: &[u8; WIDE]) -> u64 {
    let (low, high) = halves(block);
    bits(special_half(low), special_half(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn special_half(half: __m256i) -> __m256i {
    let quote = _mm256_cmpeq_epi8(half, _mm256_set1_epi8(b'"' as i8));
    let backslash = _mm256_cmpeq_epi8(half, _mm256_set1_epi8(b'\\' as i8));
    let outside = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), half);
    _mm256_or_si256(_mm256_or_si256(quote, backslash), outside)
}

#[inline]
#[target_feature(enable = "avx2")]
fn openings(text: &[u8; WIDE + 1]) -> u64 {
    let (block, behind) = around(text);
    let (block, behind) = (halves(block), halves(behind));
    let low = opening_half(block.0, behind.0);
    let high = opening_half(block.1, behind.1);
    let any = _mm256_or_si256(low, high);
    if _mm256_testz_si256(any, any) == 1 {
        return 0;
    }
    bits(low, high)
}

/// The opening that is not a bracket, for each value of a byte's low four bits.
const OTHERS: [u8; NARROW] = *b"```````````\x1b``~`";

/// Only the last step depends on whether there is an opening: brackets are frequent in noise and cannot be predicted.
#[inline]
#[target_feature(enable = "avx2")]
fn opening_half(half: __m256i, behind: __m256i) -> __m256i {
    let folded = _mm256_or_si256(half, _mm256_set1_epi8(0x20));
    let brackets = _mm256_cmpeq_epi8(folded, _mm256_set1_epi8(b'{' as i8));
    let likely = _mm256_and_si256(brackets, in_set(behind, &BEHIND));
    let others = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(&OTHERS)), half);
    _mm256_or_si256(likely, _mm256_cmpeq_epi8(half, others))
}

/// The bit of a [set](super::tables::set) for the high four bits of a byte. Bytes beyond ASCII would need all bits, so
/// that they are in no set.
const IN_SET: [u8; NARROW] = [
    1, 2, 4, 8, 16, 32, 64, 128, 255, 255, 255, 255, 255, 255, 255, 255,
];

#[inline]
#[target_feature(enable = "avx2")]
fn in_set(half: __m256i, set: &[u8; NARROW]) -> __m256i {
    let four = _mm256_and_si256(_mm256_srli_epi16::<4>(half), _mm256_set1_epi8(0xf));
    let set = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(set)), half);
    let bit = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load(&IN_SET)), four);
    _mm256_cmpeq_epi8(_mm256_and_si256(set, bit), bit)
}

#[inline]
#[target_feature(enable = "avx2")]
fn line_feeds(blocks: &[[u8; WIDE]]) -> usize {
    let feed = _mm256_set1_epi8(b'\n' as i8);
    let zero = _mm256_setzero_si256();
    let mut sums = zero;
    // Each place of half a block has its own count in one byte.
    for blocks in blocks.chunks(usize::from(u8::MAX) / 2) {
        let mut counts = zero;
        for block in blocks {
            let (low, high) = halves(block);
            // The result for an equal byte is -1.
            counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(low, feed));
            counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(high, feed));
        }
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, zero));
    }
    let sums = _mm_add_epi64(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    (_mm_cvtsi128_si64(sums) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums))) as usize
}

#[inline]
#[target_feature(enable = "avx2")]
fn quoting(block: &[u8; WIDE]) -> Quoting {
    let (low, high) = halves(block);
    // The comparison is signed: bytes beyond ASCII are negative.
    let first = _mm256_set1_epi8(b' ' as i8);
    Quoting {
        quotes: equal_halves(low, high, b'"'),
        backslashes: equal_halves(low, high, b'\\'),
        outside: bits(
            _mm256_cmpgt_epi8(first, low),
            _mm256_cmpgt_epi8(first, high),
        ),
    }
}

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn parity(bits: u64) -> u64 {
    // Multiplied by ones without carries, each bit becomes the sum of the bits up to and including it.
    let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(bits as i64), _mm_set1_epi8(-1));
    _mm_cvtsi128_si64(product) as u64
}

/// The structural byte for each value of the low four bits, with the bit set that distinguishes braces from brackets.
const STRUCTURAL: [u8; NARROW] = *b"\0\0\0\0\0\0\0\0\0\0:{,}\0\0";
/// The white space byte for each value of the low four bits; for bytes beyond ASCII the lookup returns zero.
const BLANKS: [u8; NARROW] = *b" \xff\xff\xff\xff\xff\xff\xff\xff\t\n\xff\xff\r\xff\xff";

#[inline]
#[target_feature(enable = "avx2")]
fn structure(block: &[u8; WIDE]) -> Structure {
    let (low, high) = halves(block);
    let bit = _mm256_set1_epi8(0x20);
    let structural = _mm256_broadcastsi128_si256(load(&STRUCTURAL));
    Structure {
        structural: bits(
            _mm256_cmpeq_epi8(
                _mm256_shuffle_epi8(structural, low),
                _mm256_or_si256(low, bit),
            ),
            _mm256_cmpeq_epi8(
                _mm256_shuffle_epi8(structural, high),
                _mm256_or_si256(high, bit),
            ),
        ),
        colons: equal_halves(low, high, b':'),
        commas: equal_halves(low, high, b','),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn digits(block: &[u8; WIDE]) -> u64 {
    let (low, high) = halves(block);
    bits(digits_half(low), digits_half(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn digits_half(half: __m256i) -> __m256i {
    // See `not_digit_sse2`.
    let above = _mm256_sub_epi8(half, _mm256_set1_epi8(b'0' as i8));
    _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8(9)), above)
}

#[inline]
#[target_feature(enable = "avx2")]
fn blanks(block: &[u8; WIDE]) -> u64 {
    let (low, high) = halves(block);
    let blanks = _mm256_broadcastsi128_si256(load(&BLANKS));
    bits(
        _mm256_cmpeq_epi8(_mm256_shuffle_epi8(blanks, low), low),
        _mm256_cmpeq_epi8(_mm256_shuffle_epi8(blanks, high), high),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn escapable(block: &[u8; WIDE]) -> u64 {
    let (low, high) = halves(block);
    bits(in_set(low, &ESCAPABLE), in_set(high, &ESCAPABLE))
}

#[inline]
#[target_feature(enable = "avx2")]
fn escaped_always(block: &[u8; WIDE]) -> u64 {
    let (low, high) = halves(block);
    bits(in_set(low, &ESCAPED_ALWAYS), in_set(high, &ESCAPED_ALWAYS))
}

#[inline]
#[target_feature(enable = "avx2")]
fn characters(around: &[u8; BEFORE + WIDE]) -> u64 {
    let (low, around_low) = half_around(around, 0);
    let (high, around_high) = half_around(around, WIDE / 2);
    let wrong = _mm256_or_si256(wrong_half(low, around_low), wrong_half(high, around_high));
    match _mm256_testz_si256(wrong, wrong) {
        0 => 0,
        _ => bits(low, high),
    }
}

/// Returns half of a block, and the same number of bytes beginning one, two and three bytes earlier.
#[inline]
#[target_feature(enable = "avx2")]
fn half_around(around: &[u8; BEFORE + WIDE], half: usize) -> (__m256i, [__m256i; BEFORE]) {
    let at = |from: usize| match around.get(from + half..).and_then(<[u8]>::first_chunk) {
        Some(half) => load_half(half),
        None => _mm256_setzero_si256(),
    };
    (at(3), [at(2), at(1), at(0)])
}

/// Returns a vector that is not zero where UTF-8 is invalid.
#[inline]
#[target_feature(enable = "avx2")]
fn wrong_half(half: __m256i, [one, two, three]: [__m256i; BEFORE]) -> __m256i {
    let four = _mm256_set1_epi8(0xf);
    let told = |table: &[u8; NARROW], by: __m256i| {
        _mm256_shuffle_epi8(
            _mm256_broadcastsi128_si256(load(table)),
            _mm256_and_si256(by, four),
        )
    };
    let first = _mm256_and_si256(
        told(&pair::FIRST_HIGH, _mm256_srli_epi16::<4>(one)),
        told(&pair::FIRST_LOW, one),
    );
    let second = told(&pair::SECOND_HIGH, _mm256_srli_epi16::<4>(half));
    // A third byte is due two bytes after 111xxxxx, a fourth three bytes after 1111xxxx; the highest bit says so.
    let third = _mm256_subs_epu8(two, _mm256_set1_epi8(0xe0_u8.wrapping_sub(0x80) as i8));
    let fourth = _mm256_subs_epu8(three, _mm256_set1_epi8(0xf0_u8.wrapping_sub(0x80) as i8));
    let due = _mm256_and_si256(
        _mm256_or_si256(third, fourth),
        _mm256_set1_epi8(0x80_u8 as i8),
    );
    _mm256_xor_si256(due, _mm256_and_si256(first, second))
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal_halves(low: __m256i, high: __m256i, byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte as i8);
    bits(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(block: &[u8; WIDE], byte: u8) -> u64 {
    let (low, high) = halves(block);
    equal_halves(low, high, byte)
}

/// Returns a block as two vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(block: &[u8; WIDE]) -> (__m256i, __m256i) {
    let ([low, high], _) = block.as_chunks::<{ WIDE / 2 }>() else {
        return (_mm256_setzero_si256(), _mm256_setzero_si256());
    };
    (load_half(low), load_half(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_half(half: &[u8; WIDE / 2]) -> __m256i {
    // SAFETY: all 32 bytes that are read exist, and they need no alignment.
    unsafe { _mm256_loadu_si256(half.as_ptr().cast()) }
}

/// Returns one bit for each byte of two vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(low: __m256i, high: __m256i) -> u64 {
    let low = _mm256_movemask_epi8(low) as u32;
    let high = _mm256_movemask_epi8(high) as u32;
    u64::from(low) | u64::from(high) << (WIDE / 2)
}
