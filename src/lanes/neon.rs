//! Lanes with NEON, which every AArch64 processor has.

use std::arch::aarch64::{
    uint8x16_t, vaddlvq_u8, vandq_u8, vceqq_u8, vcleq_u8, vcltq_s8, vcombine_u8, vcreate_u8,
    vdupq_n_s8, vdupq_n_u8, veorq_u8, vget_lane_u64, vgetq_lane_u16, vgetq_lane_u64, vmaxvq_u8,
    vmvnq_u8, vorrq_u8, vpaddq_u8, vqsubq_u8, vqtbl1q_u8, vreinterpret_u64_u8, vreinterpretq_s8_u8,
    vreinterpretq_u16_u8, vreinterpretq_u64_u8, vshrq_n_u8, vsubq_u8, vtbl1_u8,
};

use crate::lanes::{BEFORE, Blockwise, Lanes, NARROW, Plainly, Quoting, Structure, WIDE, around};

mod pair;
mod tables;

use tables::{BEHIND, ESCAPABLE, ESCAPED_ALWAYS, KEPT};

/// The operations on blocks.
#[derive(Debug, Clone, Copy)]
struct Neon;

/// Defines functions or methods that call functions of a module by the same names.
macro_rules! lead {
    ($module:ident: $($visibility:vis fn $name:ident($(&$me:ident,)? $($argument:ident: $kind:ty),+) -> $told:ty;)+) => {$(
        #[inline(always)]
        $visibility fn $name($(&$me,)? $($argument: $kind),+) -> $told {
            // SAFETY: the function needs NEON and nothing else, and NEON is part of AArch64.
            unsafe { $module::$name($($argument),+) }
        }
    )+};
}

lead! { narrow:
    pub(super) fn special(bytes: &[u8; NARROW]) -> u32;
    pub(super) fn equal(bytes: &[u8; NARROW], byte: u8) -> u32;
    pub(super) fn not_digit(bytes: &[u8; NARROW]) -> u32;
    pub(super) fn not_blank(bytes: &[u8; NARROW]) -> u32;
    pub(super) fn opening(bytes: &[u8; NARROW]) -> u32;
    pub(super) fn structural(bytes: &[u8; NARROW]) -> u32;
    pub(super) fn outside(bytes: &[u8; NARROW]) -> u32;
}

impl Lanes for Neon {
    lead! { wide:
        fn equal(&self, block: &[u8; WIDE], byte: u8) -> u64;
        fn special(&self, block: &[u8; WIDE]) -> u64;
        fn openings(&self, text: &[u8; WIDE + 1]) -> u64;
        fn line_feeds(&self, blocks: &[[u8; WIDE]]) -> usize;
        fn quoting(&self, block: &[u8; WIDE]) -> Quoting;
        fn structure(&self, block: &[u8; WIDE]) -> Structure;
        fn digits(&self, block: &[u8; WIDE]) -> u64;
        fn blanks(&self, block: &[u8; WIDE]) -> u64;
        fn escapable(&self, block: &[u8; WIDE]) -> u64;
        fn escaped_always(&self, block: &[u8; WIDE]) -> u64;
        fn characters(&self, around: &[u8; BEFORE + WIDE]) -> u64;
        fn compact(&self, block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize;
    }

    #[inline(always)]
    fn parity(&self, bits: u64) -> u64 {
        // NEON has no multiplication without carries.
        Plainly.parity(bits)
    }
}

#[inline]
pub(super) fn blockwise<W: Blockwise>(work: W) -> W::Output {
    work.run(Neon)
}

/// Conditions for each byte of a vector: all bits of the byte are set if it holds, or none.
mod each {
    use super::*;

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn equal(bytes: uint8x16_t, byte: u8) -> uint8x16_t {
        vceqq_u8(bytes, vdupq_n_u8(byte))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn special(bytes: uint8x16_t) -> uint8x16_t {
        let marks = vorrq_u8(equal(bytes, b'"'), equal(bytes, b'\\'));
        vorrq_u8(marks, outside(bytes))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn outside(bytes: uint8x16_t) -> uint8x16_t {
        // The comparison is signed: bytes beyond ASCII are negative.
        vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn digit(bytes: uint8x16_t) -> uint8x16_t {
        vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(b'0')), vdupq_n_u8(9))
    }

    /// Returns the table entry for the low four bits of each byte.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn by_low(bytes: uint8x16_t, table: &[u8; NARROW]) -> uint8x16_t {
        vqtbl1q_u8(load(table), vandq_u8(bytes, vdupq_n_u8(0xf)))
    }

    /// Returns the table entry for the high four bits of each byte.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn by_high(bytes: uint8x16_t, table: &[u8; NARROW]) -> uint8x16_t {
        vqtbl1q_u8(load(table), vshrq_n_u8::<4>(bytes))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn structural(bytes: uint8x16_t) -> uint8x16_t {
        /// The structural byte for each value of the low four bits, with the bit set that distinguishes braces from
        /// brackets.
        const STRUCTURAL: [u8; NARROW] = *b"\0\0\0\0\0\0\0\0\0\0:{,}\0\0";
        let folded = vorrq_u8(bytes, vdupq_n_u8(0x20));
        vceqq_u8(by_low(bytes, &STRUCTURAL), folded)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn blank(bytes: uint8x16_t) -> uint8x16_t {
        /// The white space byte for each value of the low four bits. The filling NUL equals no byte with other low bits
        /// than 0.
        const BLANKS: [u8; NARROW] = *b" \0\0\0\0\0\0\0\0\t\n\0\0\r\0\0";
        vceqq_u8(by_low(bytes, &BLANKS), bytes)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn bracket(bytes: uint8x16_t) -> uint8x16_t {
        equal(vorrq_u8(bytes, vdupq_n_u8(0x20)), b'{')
    }

    /// Returns the openings that are not brackets.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn other_opening(bytes: uint8x16_t) -> uint8x16_t {
        let fences = vorrq_u8(equal(bytes, b'`'), equal(bytes, b'~'));
        vorrq_u8(fences, equal(bytes, b'\x1b'))
    }

    /// Returns which bytes are in a [set](super::tables::set).
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn in_set(bytes: uint8x16_t, set: &[u8; NARROW]) -> uint8x16_t {
        /// The bit of a set for the high four bits of a byte; bytes beyond ASCII have none.
        const BIT: [u8; NARROW] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
        let both = vandq_u8(by_low(bytes, set), by_high(bytes, &BIT));
        vmvnq_u8(equal(both, 0))
    }

    /// Returns a byte that is not zero where UTF-8 is invalid, given the bytes one, two and three before each byte.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn wrong(bytes: uint8x16_t, [three, two, one]: [uint8x16_t; BEFORE]) -> uint8x16_t {
        let first = vandq_u8(
            by_high(one, &pair::FIRST_HIGH),
            by_low(one, &pair::FIRST_LOW),
        );
        let second = by_high(bytes, &pair::SECOND_HIGH);
        // A third byte is due two bytes after 111xxxxx, a fourth three bytes after 1111xxxx; the highest bit says so.
        let third = vqsubq_u8(two, vdupq_n_u8(0xe0 - 0x80));
        let fourth = vqsubq_u8(three, vdupq_n_u8(0xf0 - 0x80));
        let due = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(0x80));
        veorq_u8(due, vandq_u8(first, second))
    }
}

mod narrow {
    use super::*;

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn special(bytes: &[u8; NARROW]) -> u32 {
        bits_of_one(each::special(load(bytes)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn equal(bytes: &[u8; NARROW], byte: u8) -> u32 {
        bits_of_one(each::equal(load(bytes), byte))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn not_digit(bytes: &[u8; NARROW]) -> u32 {
        bits_of_one(vmvnq_u8(each::digit(load(bytes))))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn not_blank(bytes: &[u8; NARROW]) -> u32 {
        bits_of_one(vmvnq_u8(each::blank(load(bytes))))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn opening(bytes: &[u8; NARROW]) -> u32 {
        let bytes = load(bytes);
        let folded = vorrq_u8(bytes, vdupq_n_u8(0x60));
        let marks = vorrq_u8(each::equal(bytes, b'`'), each::equal(bytes, b'~'));
        bits_of_one(vorrq_u8(each::equal(folded, b'{'), marks))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn structural(bytes: &[u8; NARROW]) -> u32 {
        bits_of_one(each::structural(load(bytes)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn outside(bytes: &[u8; NARROW]) -> u32 {
        bits_of_one(each::outside(load(bytes)))
    }
}

mod wide {
    use super::*;

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn equal(block: &[u8; WIDE], byte: u8) -> u64 {
        bits(quarters(block).map(|quarter| each::equal(quarter, byte)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn special(block: &[u8; WIDE]) -> u64 {
        bits(quarters(block).map(|quarter| each::special(quarter)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn openings(text: &[u8; WIDE + 1]) -> u64 {
        let (block, behind) = around(text);
        let (mut block, behind) = (quarters(block), quarters(behind));
        for (bytes, behind) in block.iter_mut().zip(behind) {
            let brackets = vandq_u8(each::bracket(*bytes), each::in_set(behind, &BEHIND));
            *bytes = vorrq_u8(brackets, each::other_opening(*bytes));
        }
        bits(block)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn line_feeds(blocks: &[[u8; WIDE]]) -> usize {
        let mut sum = 0;
        // Each place of a quarter has its own count in one byte.
        for blocks in blocks.chunks(usize::from(u8::MAX) / 4) {
            let mut counts = vdupq_n_u8(0);
            for quarter in blocks.iter().flat_map(|block| quarters(block)) {
                // The result for an equal byte is -1.
                counts = vsubq_u8(counts, each::equal(quarter, b'\n'));
            }
            sum += usize::from(vaddlvq_u8(counts));
        }
        sum
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn quoting(block: &[u8; WIDE]) -> Quoting {
        Quoting {
            quotes: equal(block, b'"'),
            backslashes: equal(block, b'\\'),
            outside: bits(quarters(block).map(|quarter| each::outside(quarter))),
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn structure(block: &[u8; WIDE]) -> Structure {
        Structure {
            structural: bits(quarters(block).map(|quarter| each::structural(quarter))),
            colons: equal(block, b':'),
            commas: equal(block, b','),
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn digits(block: &[u8; WIDE]) -> u64 {
        bits(quarters(block).map(|quarter| each::digit(quarter)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn blanks(block: &[u8; WIDE]) -> u64 {
        bits(quarters(block).map(|quarter| each::blank(quarter)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn escapable(block: &[u8; WIDE]) -> u64 {
        bits(quarters(block).map(|quarter| each::in_set(quarter, &ESCAPABLE)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn escaped_always(block: &[u8; WIDE]) -> u64 {
        bits(quarters(block).map(|quarter| each::in_set(quarter, &ESCAPED_ALWAYS)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn characters(around: &[u8; BEFORE + WIDE]) -> u64 {
        let from = |at: usize| match around.get(at..).and_then(<[u8]>::first_chunk) {
            Some(block) => quarters(block),
            None => [vdupq_n_u8(0); 4],
        };
        let block = from(BEFORE);
        let [three, two, one] = [from(0), from(1), from(2)];
        let places = three.into_iter().zip(two).zip(one).zip(block);
        let wrong = places.fold(vdupq_n_u8(0), |wrong, (((three, two), one), bytes)| {
            vorrq_u8(wrong, each::wrong(bytes, [three, two, one]))
        });
        match vmaxvq_u8(wrong) {
            0 => bits(block.map(|bytes| vmvnq_u8(vcleq_u8(bytes, vdupq_n_u8(0x7f))))),
            _ => 0,
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn compact(block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize {
        let mut kept = 0;
        let (eights, _) = block.as_chunks::<8>();
        for (eight, mask) in eights.iter().zip(keep.to_le_bytes()) {
            let order = KEPT.get(usize::from(mask)).copied().unwrap_or_default();
            let [eight, order] = [*eight, order].map(|bytes| vcreate_u8(u64::from_le_bytes(bytes)));
            let found = vget_lane_u64::<0>(vreinterpret_u64_u8(vtbl1_u8(eight, order)));
            if let Some(place) = into.get_mut(kept..).and_then(<[u8]>::first_chunk_mut) {
                *place = found.to_le_bytes();
            }
            kept += mask.count_ones() as usize;
        }
        kept
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; NARROW]) -> uint8x16_t {
    let whole = u128::from_le_bytes(*bytes);
    vcombine_u8(vcreate_u8(whole as u64), vcreate_u8((whole >> 64) as u64))
}

/// Returns a block as four vectors.
#[inline]
#[target_feature(enable = "neon")]
fn quarters(block: &[u8; WIDE]) -> [uint8x16_t; 4] {
    match block.as_chunks() {
        ([a, b, c, d], _) => [load(a), load(b), load(c), load(d)],
        _ => [vdupq_n_u8(0); 4],
    }
}

/// Leaves one bit of each byte, selected by its place among eight.
#[inline]
#[target_feature(enable = "neon")]
fn own_bit(found: uint8x16_t) -> uint8x16_t {
    let places = vcreate_u8(u64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
    vandq_u8(found, vcombine_u8(places, places))
}

/// Returns one bit for each byte of four vectors.
#[inline]
#[target_feature(enable = "neon")]
fn bits(found: [uint8x16_t; 4]) -> u64 {
    let [a, b, c, d] = found.map(|found| own_bit(found));
    // Neighbours are added three times, so that eight of them become one byte.
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

#[inline]
#[target_feature(enable = "neon")]
fn bits_of_one(found: uint8x16_t) -> u32 {
    let mut sums = own_bit(found);
    for _ in 0..3 {
        sums = vpaddq_u8(sums, sums);
    }
    u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(sums)))
}
