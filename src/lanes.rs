//! Looking at many bytes at once.
//!
//! On x86-64 the comparisons are those of SSE2, which every such processor has, and of AVX2 where it has that; on AArch64
//! those of NEON; elsewhere, and with `--cfg portable_lanes`, they are made in plain registers. All give one bit for each
//! byte, the lowest for the first, and a test holds them to that for every byte at every place.

use memchr::memchr_iter;

/// Bytes that are looked at together in a string.
pub(crate) const NARROW: usize = 16;
/// Bytes that are looked at together in text.
pub(crate) const WIDE: usize = 64;

/// How many bytes before those of a block belong to a character that goes on in it, at most.
pub(crate) const BEFORE: usize = 3;

/// Which bytes are no plain characters of a JSON string: quotes, backslashes, control characters, all beyond ASCII.
#[inline]
pub(crate) fn special(bytes: &[u8; NARROW]) -> u32 {
    imp::special(bytes)
}

/// How many blocks hold nothing [special], and which bytes of the block behind them are.
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

/// What tells strings from what stands between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quoting {
    pub(crate) quotes: u64,
    pub(crate) backslashes: u64,
    /// Control characters and bytes beyond ASCII.
    pub(crate) outside: u64,
}

/// What stands between strings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure {
    /// Brackets, colons and commas. Form feeds and substitutes are told with them: they differ in one bit from a comma
    /// and a colon.
    pub(crate) structural: u64,
    pub(crate) colons: u64,
    pub(crate) commas: u64,
}

impl Structure {
    /// Brackets alone, and what is told with them.
    #[inline(always)]
    pub(crate) const fn brackets(self) -> u64 {
        self.structural & !self.colons & !self.commas
    }
}

/// What is done with the bytes of a block at once.
pub(crate) trait Lanes {
    /// Which bytes are `byte`.
    fn equal(&self, block: &[u8; WIDE], byte: u8) -> u64;

    /// Which bytes are [special].
    fn special(&self, block: &[u8; WIDE]) -> u64;

    /// Which of the first bytes have to be looked at in text: opening brackets, the marks of fences, escape characters.
    /// Brackets may be left out behind which no document can go on, and other bytes may be told with them.
    fn openings(&self, text: &[u8; WIDE + 1]) -> u64;

    /// How many bytes are line feeds.
    fn line_feeds(&self, blocks: &[[u8; WIDE]]) -> usize;

    fn quoting(&self, block: &[u8; WIDE]) -> Quoting;

    fn structure(&self, block: &[u8; WIDE]) -> Structure;

    /// Makes each bit the parity of those up to it.
    fn parity(&self, bits: u64) -> u64;

    /// Which bytes are digits.
    fn digits(&self, block: &[u8; WIDE]) -> u64;

    /// Which bytes are white space.
    fn blanks(&self, block: &[u8; WIDE]) -> u64;

    /// Which bytes make an escape of two bytes with a backslash before them.
    fn escapable(&self, block: &[u8; WIDE]) -> u64;

    /// Those of them of which such an escape is always made.
    fn escaped_always(&self, block: &[u8; WIDE]) -> u64;

    /// Which bytes of a block, with those before it, are of characters beyond ASCII; none if something in it is no UTF-8, or
    /// if that is not told. A character that goes on behind the block is not looked at as a whole.
    fn characters(&self, around: &[u8; BEFORE + WIDE]) -> u64;

    /// Copies the bytes whose bits are set in `keep` to the beginning of `into`, and says how many they are. What stands
    /// behind them then is of no meaning.
    fn compact(&self, block: &[u8; WIDE], keep: u64, into: &mut [u8; WIDE]) -> usize;
}

/// What goes through a text block by block.
pub(crate) trait Blockwise {
    type Output;

    /// Does it. To be inlined always, so that all of it is compiled for the processor at hand.
    fn run(self, lanes: impl Lanes) -> Self::Output;
}

/// Goes through a text block by block.
#[inline]
pub(crate) fn blockwise<W: Blockwise>(work: W) -> W::Output {
    imp::blockwise(work)
}

/// Tells it a quarter at a time.
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

/// Which bytes are quotes or backslashes: all that has to be looked at in a string that is known to be valid.
#[inline]
pub(crate) fn string_marks(bytes: &[u8; NARROW]) -> u32 {
    imp::equal(bytes, b'"') | imp::equal(bytes, b'\\')
}

/// Byte by byte: each is copied, and the next one overwrites it if it is not kept. A branch for each would be
/// mispredicted most of the time.
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

/// Which bytes are no digits.
#[inline]
pub(crate) fn not_digit(bytes: &[u8; NARROW]) -> u32 {
    imp::not_digit(bytes)
}

/// Which bytes are not `byte`.
#[inline]
pub(crate) fn not_equal(bytes: &[u8; NARROW], byte: u8) -> u32 {
    !imp::equal(bytes, byte) & 0xffff
}

/// Which bytes are no white space of JSON.
#[inline]
pub(crate) fn not_blank(bytes: &[u8; NARROW]) -> u32 {
    imp::not_blank(bytes)
}

/// How many of the bytes are line feeds.
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

/// The same as [`string_marks`] for as many bytes.
#[inline(always)]
pub(crate) fn wide_string_marks(bytes: &[u8; WIDE]) -> u64 {
    wide(bytes, string_marks)
}

/// Which bytes are `byte`.
#[inline(always)]
pub(crate) fn wide_equal(bytes: &[u8; WIDE], byte: u8) -> u64 {
    wide(bytes, |quarter| imp::equal(quarter, byte))
}

/// Which bytes are digits.
#[inline(always)]
pub(crate) fn wide_digits(bytes: &[u8; WIDE]) -> u64 {
    !wide(bytes, imp::not_digit)
}

/// A block and the one that begins a byte behind it.
#[inline(always)]
fn around(text: &[u8; WIDE + 1]) -> (&[u8; WIDE], &[u8; WIDE]) {
    let ([block @ .., _], [_, behind @ ..]) = (text, text);
    (block, behind)
}

/// The last few bytes of a text that has as many, with zeros behind them.
#[inline]
pub(crate) fn end_of(text: &[u8], few: usize) -> Option<[u8; NARROW]> {
    let last = u128::from_le_bytes(*text.last_chunk()?);
    let passed = NARROW.checked_sub(few)? as u32;
    Some(last.checked_shr(8 * passed)?.to_le_bytes())
}

/// The last bytes of a text as a block or more, filled up with others.
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
