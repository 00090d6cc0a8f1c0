//! Lanes that use only the registers that every processor has: eight bytes at a time, with the highest bit of each byte
//! set if a condition holds for it.

use crate::lanes::{Blockwise, NARROW, Plainly};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = 0x80 * ONES;

#[inline]
pub(super) fn blockwise<W: Blockwise>(work: W) -> W::Output {
    work.run(Plainly)
}

#[inline]
pub(super) fn special(bytes: &[u8; NARROW]) -> u32 {
    bits(bytes, |eight| {
        is(eight, b'"') | is(eight, b'\\') | is_outside(eight)
    })
}

#[inline]
pub(super) fn equal(bytes: &[u8; NARROW], byte: u8) -> u32 {
    bits(bytes, |eight| is(eight, byte))
}

#[inline]
pub(super) fn not_digit(bytes: &[u8; NARROW]) -> u32 {
    let is_digit = |eight| reaches(eight, b'0') & !reaches(eight, b'9' + 1) & !eight & HIGHEST;
    bits(bytes, |eight| !is_digit(eight) & HIGHEST)
}

#[inline]
pub(super) fn not_blank(bytes: &[u8; NARROW]) -> u32 {
    let is_blank = |eight| is(eight, b' ') | is(eight, b'\t') | is(eight, b'\r') | is(eight, b'\n');
    bits(bytes, |eight| !is_blank(eight) & HIGHEST)
}

#[inline]
pub(super) fn opening(bytes: &[u8; NARROW]) -> u32 {
    bits(bytes, |eight| {
        is(eight | (0x60 * ONES), b'{') | is(eight, b'`') | is(eight, b'~')
    })
}

#[inline]
pub(super) fn structural(bytes: &[u8; NARROW]) -> u32 {
    bits(bytes, |eight| {
        let folded = eight | (0x20 * ONES);
        is(folded, b'{') | is(folded, b'}') | is(folded, b':') | is(folded, b',')
    })
}

#[inline]
pub(super) fn outside(bytes: &[u8; NARROW]) -> u32 {
    bits(bytes, is_outside)
}

/// Returns which bytes are `byte`.
#[inline]
const fn is(eight: u64, byte: u8) -> u64 {
    let differs = eight ^ (byte as u64 * ONES);
    !(reaches(differs, 1) | differs) & HIGHEST
}

#[inline]
const fn is_outside(eight: u64) -> u64 {
    (!reaches(eight, b' ') | eight) & HIGHEST
}

/// Returns which bytes are at least `byte`, ignoring their highest bits. The other bits of the result have no meaning.
#[inline]
const fn reaches(eight: u64, byte: u8) -> u64 {
    (eight & !HIGHEST) + (0x80 - byte as u64) * ONES
}

/// Returns the highest bits of sixteen bytes, as one bit for each byte.
#[inline]
fn bits(bytes: &[u8; NARROW], found: impl Fn(u64) -> u64) -> u32 {
    // The multiplication moves the bit of each byte next to the bit of the byte before it.
    let gather =
        |eight| (found(u64::from_le_bytes(eight)) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (eights, _) = bytes.as_chunks();
    let bit = |all, (at, &eight): (usize, &[u8; 8])| all | gather(eight) << (at * 8);
    eights.iter().enumerate().fold(0, bit) as u32
}
