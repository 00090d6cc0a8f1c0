//! Looking at many bytes at a time.
//!
//! On x86-64 the comparisons use SSE2, which every such processor has, and AVX2 on processors that have it; on AArch64
//! they use NEON; elsewhere, and with `--cfg portable_lanes`, they use plain registers. All return one bit for each
//! byte, the lowest for the first, and a test checks that for every byte at every place.

use memchr::memchr_iter;

/// The number of bytes that are looked at together in a string.
pub(crate) const NARROW: usize = 16;
/// The number of bytes of a block, which are looked at together in text.
pub(crate) const WIDE: usize = 64;

/// The largest number of bytes before a block that belong to a character that continues in it.
pub(crate) const BEFORE: usize = 3;

/// Returns which bytes are not plain characters of a JSON string: quotes, backslashes, control characters and bytes
/// beyond ASCII.
#[inline]
pub(crate) fn special(bytes: &[u8; NARROW]) -> u32 {
    imp::special(bytes)
}

/// Returns how many blocks contain nothing [special], and which bytes of the block after them are special.
#[inline(never)]
pub(crate) fn first_special(blocks: &[[u8; WIDE]]) -> (usize, u64) {
    struct Special<'a>(&'a [[u8; WIDE]]);
    impl Blockwise for Special<'_> {
        type Output = (usize, u64);

        #[inline(always)]
        fn run(self, lanes: impl Lanes) -> (usize, u64) {
            for (passed, block) in self.0.iter().enumerate() {
                let found = lanes.special(block);
                if found != 0 {
                    return (passed, found);
                }
            }
            (self.0.len(), 0)
        }
    }
    blockwise(Special(blocks))
}

/// The bytes that separate strings from the text between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quoting {
    pub(crate) quotes: u64,
    pub(crate) backslashes: u64,
    /// Control characters and bytes beyond ASCII.
    pub(crate) outside: u64,
}

/// The structure between strings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure {
    /// Brackets, colons and commas. Form feeds and substitute characters are included: they differ in one bit from a
    /// comma and a colon.
    pub(crate) structural: u64,
    pub(crate) colons: u64,
    pub(crate) commas: u64,
}

impl Structure {
    /// Returns the brackets alone, with form feeds and substitute characters.
    #[inline(always)]
    pub(crate) const fn brackets(self) -> u64 {
        self.structural & !self.colons & !self.commas
    }
}

/// Operations on all bytes of a block at once.
pub(crate) trait Lanes {
    /// Returns which bytes are `byte`.
    fn equal(&self, block: &[u8; WIDE], byte: u8) -> u64;

    /// Returns which bytes are [special].
    fn special(&self, block: &[u8; WIDE]) -> u64;

    /// Returns which of the first [`WIDE`] bytes have to be looked at in text: opening brackets, the marks of fences,
    /// escape characters. Brackets after which no document can continue may be missing, and other bytes may be
    /// included.
    fn openings(&self, text: &[u8; WIDE + 1]) -> u64;

    /// Returns the number of line feeds.
    fn line_feeds(&self, blocks: &[[u8; WIDE]]) -> usize;

    fn quoting(&self, block: &[u8; WIDE]) -> Quoting;

    fn structure(&self, block: &[u8; WIDE]) -> Structure;

    /// Sets each bit to the parity of the bits up to and including it.
    fn parity(&self, bits: u64) -> u64;

    /// Returns which bytes are digits.
    fn digits(&self, block: &[u8; WIDE]) -> u64;

    /// Returns which bytes are white space.
    fn blanks(&self, block: &[u8; WIDE]) -> u64;

    /// Returns which bytes make an escape of two bytes with a backslash before them.
    fn escapable(&self, block: &[u8; WIDE]) -> u64;

    /// Returns which bytes always have to be escaped in this way: the escapable ones without the slash.
    fn escaped_always(&self, block: &[u8; WIDE]) -> u64;

    /// Returns which bytes of the block after the first [`BEFORE`] bytes belong to characters beyond ASCII; none if the
    /// block contains invalid UTF-8, or if that is not checked. A character that continues after the block is not
    /// checked as a whole.
    fn characters(&self, around: &[u8; BEFORE + WIDE]) -> u64;

    /// Copies the bytes whose bits are set in `keep` to the beginning of `into`, and returns their number. The bytes of
    /// `into` after them are undefined.
    fn compact(&self, block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize;
}

/// Work that goes through a text block by block.
pub(crate) trait Blockwise {
    type Output;

    /// Does the work. Must always be inlined, so that all of it is compiled for the processor at hand.
    fn run(self, lanes: impl Lanes) -> Self::Output;
}

/// Goes through a text block by block, with the best lanes that the processor has.
#[inline]
pub(crate) fn blockwise<W: Blockwise>(work: W) -> W::Output {
    imp::blockwise(work)
}

/// Handles a block as four quarters.
struct Plainly;

impl Lanes for Plainly {
    fn equal(&self, block: &[u8; WIDE], byte: u8) -> u64 {
        wide_equal(block, byte)
    }

    fn special(&self, block: &[u8; WIDE]) -> u64 {
        wide(block, imp::special)
    }

    fn openings(&self, text: &[u8; WIDE + 1]) -> u64 {
        let (block, _) = around(text);
        wide(block, imp::opening)
    }

    fn line_feeds(&self, blocks: &[[u8; WIDE]]) -> usize {
        memchr_iter(b'\n', blocks.as_flattened()).count()
    }

    fn quoting(&self, block: &[u8; WIDE]) -> Quoting {
        Quoting {
            quotes: wide_equal(block, b'"'),
            backslashes: wide_equal(block, b'\\'),
            outside: wide(block, imp::outside),
        }
    }

    fn structure(&self, block: &[u8; WIDE]) -> Structure {
        Structure {
            structural: wide(block, imp::structural),
            colons: wide_equal(block, b':'),
            commas: wide_equal(block, b','),
        }
    }

    fn parity(&self, mut bits: u64) -> u64 {
        for shift in [1, 2, 4, 8, 16, 32] {
            bits ^= bits << shift;
        }
        bits
    }

    fn digits(&self, block: &[u8; WIDE]) -> u64 {
        wide_digits(block)
    }

    fn blanks(&self, block: &[u8; WIDE]) -> u64 {
        !wide(block, imp::not_blank)
    }

    fn escapable(&self, block: &[u8; WIDE]) -> u64 {
        wide(block, |quarter| {
            let bits = |&byte: &u8| imp::equal(quarter, byte);
            br#""\/bfnrt"#.iter().map(bits).fold(0, |all, bits| all | bits)
        })
    }

    fn escaped_always(&self, block: &[u8; WIDE]) -> u64 {
        self.escapable(block) & !wide_equal(block, b'/')
    }

    fn characters(&self, _: &[u8; BEFORE + WIDE]) -> u64 {
        0
    }

    fn compact(&self, block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize {
        compact_plainly(block, keep, into)
    }
}

/// Returns which bytes are quotes or backslashes: the only ones that matter in a string that is known to be valid.
#[inline]
pub(crate) fn string_marks(bytes: &[u8; NARROW]) -> u32 {
    imp::equal(bytes, b'"') | imp::equal(bytes, b'\\')
}

/// Copies byte by byte: each is copied, and the next one overwrites it if it is not kept. A branch for each byte would
/// be mispredicted most of the time.
#[inline]
fn compact_plainly(bytes: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize {
    let mut kept = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if let Some(place) = into.get_mut(kept) {
            *place = byte;
        }
        kept += (keep >> index & 1) as usize;
    }
    kept
}

/// Returns which bytes are not digits.
#[inline]
pub(crate) fn not_digit(bytes: &[u8; NARROW]) -> u32 {
    imp::not_digit(bytes)
}

/// Returns which bytes are not `byte`.
#[inline]
pub(crate) fn not_equal(bytes: &[u8; NARROW], byte: u8) -> u32 {
    !imp::equal(bytes, byte) & 0xffff
}

/// Returns which bytes are not JSON white space.
#[inline]
pub(crate) fn not_blank(bytes: &[u8; NARROW]) -> u32 {
    imp::not_blank(bytes)
}

/// Returns the number of line feeds.
#[inline(never)]
pub(crate) fn line_feeds(text: &[u8]) -> usize {
    struct Count<'a>(&'a [u8]);
    impl Blockwise for Count<'_> {
        type Output = usize;

        #[inline(always)]
        fn run(self, lanes: impl Lanes) -> usize {
            let (blocks, tail) = self.0.as_chunks();
            lanes.line_feeds(blocks) + tail.iter().filter(|&&byte| byte == b'\n').count()
        }
    }
    blockwise(Count(text))
}

/// Returns which bytes are quotes or backslashes, like [`string_marks`], for a whole block.
#[inline(always)]
pub(crate) fn wide_string_marks(bytes: &[u8; WIDE]) -> u64 {
    wide(bytes, string_marks)
}

/// Returns which bytes are `byte`.
#[inline(always)]
pub(crate) fn wide_equal(bytes: &[u8; WIDE], byte: u8) -> u64 {
    wide(bytes, |quarter| imp::equal(quarter, byte))
}

/// Returns which bytes are digits.
#[inline(always)]
pub(crate) fn wide_digits(bytes: &[u8; WIDE]) -> u64 {
    !wide(bytes, imp::not_digit)
}

/// Returns a block and the block that begins one byte later.
#[inline(always)]
fn around(text: &[u8; WIDE + 1]) -> (&[u8; WIDE], &[u8; WIDE]) {
    let ([block @ .., _], [_, behind @ ..]) = (text, text);
    (block, behind)
}

/// Returns the last `few` bytes of a text, followed by zeros; `None` if the text is shorter than [`NARROW`] or `few`
/// does not fit.
#[inline]
pub(crate) fn end_of(text: &[u8], few: usize) -> Option<[u8; NARROW]> {
    let last = u128::from_le_bytes(*text.last_chunk()?);
    let passed = NARROW.checked_sub(few)? as u32;
    Some(last.checked_shr(8 * passed)?.to_le_bytes())
}

/// Returns the last bytes of a text as an array of `SIZE` bytes, filled up with `other`.
pub(crate) fn filled_up<const SIZE: usize>(bytes: &[u8], other: u8) -> [u8; SIZE] {
    let mut block = [other; SIZE];
    let bytes = bytes.get(..SIZE).unwrap_or(bytes);
    if let Some(place) = block.get_mut(..bytes.len()) {
        place.copy_from_slice(bytes);
    }
    block
}

#[inline(always)]
fn wide(bytes: &[u8; WIDE], found: impl Fn(&[u8; NARROW]) -> u32) -> u64 {
    let (quarters, _) = bytes.as_chunks::<NARROW>();
    let bits = |(index, quarter)| u64::from(found(quarter)) << (index * NARROW);
    quarters
        .iter()
        .enumerate()
        .map(bits)
        .fold(0, |all, bits| all | bits)
}

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
