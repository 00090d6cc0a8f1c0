//! Finds where the tokens of a text begin, many bytes at a time: bits for quotes, blanks and structure outside strings.

use crate::lanes::{self, Among, Bytes, Lanes, WIDE};
use crate::quotes::{BlockStrings, Quotes};
use crate::tape::{BlockMarks, Keep};
use crate::{brackets, white};

/// Reads a text block by block.
#[derive(Debug)]
pub(super) struct TokenBlocks<'a, K> {
    bytes: &'a [u8],
    /// The offset of the next block.
    next: usize,
    quotes: Quotes,
    /// One if the last block ended in a number or literal; inside a string it has no meaning.
    word: u64,
    /// Which bytes of the next block belong to an escape that begins in the last one.
    hex: u64,
    /// One if the last byte of the last block is beyond ASCII or a control character.
    beyond: u64,
    tape: K,
}

/// The tokens of a block, one bit per byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenBlock {
    /// The offset of the block.
    pub(super) at: usize,
    pub(super) tokens: u64,
    /// Opening quotes.
    pub(super) strings: u64,
    /// First bytes of numbers, literals and anything else that is not a token.
    pub(super) words: u64,
    /// All bytes of `words`, and bytes after the end of the text.
    pub(super) runs: u64,
    /// Digits among `runs`.
    pub(super) digits: u64,
    /// Colons, commas and brackets.
    pub(super) structural: u64,
    pub(super) colons: u64,
    pub(super) commas: u64,
    pub(super) brackets: u64,
    /// White space between tokens.
    pub(super) blanks: u64,
    /// The first byte that makes a string invalid, if any.
    pub(super) fault: u64,
}

impl<'a, K: Keep> TokenBlocks<'a, K> {
    /// Returns the blocks of `bytes` from `at` on, where a token may begin. Their marks are kept on the tape, if it
    /// keeps any.
    pub(super) const fn new(bytes: &'a [u8], at: usize, tape: K) -> Self {
        Self {
            bytes,
            next: at,
            quotes: Quotes::new(),
            word: 0,
            hex: 0,
            beyond: 0,
            tape,
        }
    }

    /// Whether the bytes read so far end inside a string.
    pub(super) const fn in_string(&self) -> bool {
        self.quotes.in_string()
    }

    /// Returns the next block; the last one is filled up with blanks. Valid blocks that are completely inside a string
    /// are skipped.
    #[inline(always)]
    pub(super) fn next(&mut self, lanes: Lanes) -> Option<TokenBlock> {
        loop {
            let rest = self.bytes.get(self.next..)?;
            let last;
            // The filling of the last block is neither a token nor white space.
            let (bytes, there) = match rest.first_chunk() {
                Some(block) => (block, u64::MAX),
                None if rest.is_empty() => return None,
                None => {
                    last = lanes::filled_up(rest, b' ');
                    (&last, (1 << rest.len()) - 1)
                }
            };
            let at = self.next;
            self.next += WIDE;
            let block = lanes.of(bytes);
            let backslashes = block.is(b'\\').bits();
            let quotes = block.is(b'"').bits();
            let escaped = self.quotes.escapes(backslashes);
            let mut bad = 0;
            if self.quotes.expects_escapes() {
                let letters = block.is_among(&const { Among::new(b"ntr") });
                let others = escaped & !(quotes | backslashes | letters.bits());
                if others | self.hex != 0 {
                    bad = self.bad_escapes(bytes, others);
                }
            }
            let quotes = quotes & !escaped;
            // Control characters and bytes beyond ASCII.
            let outside = block.outside(b' '..0x80).bits();
            if quotes | bad == 0 && outside | self.beyond == 0 && self.quotes.in_string() {
                continue;
            }
            let strings = self.quotes.strings(quotes, lanes);
            if outside & strings.inside | self.beyond != 0 {
                bad |= wrong(self.bytes, at) & (strings.inside | strings.quotes);
            }
            self.beyond = outside >> 63;
            let fault = bad & bad.wrapping_neg();
            let block = self.tokens(at, block, there, strings, fault);
            self.tape.keep(BlockMarks {
                at,
                brackets: block.brackets,
                all: block.structural,
            });
            return Some(block);
        }
    }

    /// Returns the tokens of the block at `at`, of which only `there` is text.
    #[inline(always)]
    fn tokens(
        &mut self,
        at: usize,
        block: Bytes<WIDE>,
        there: u64,
        BlockStrings { quotes, inside }: BlockStrings,
        fault: u64,
    ) -> TokenBlock {
        let colons = block.is(b':').bits();
        let commas = block.is(b',').bits();
        let brackets = brackets(block).bits();
        let blanks = white(block).bits();
        let structural = colons | commas | brackets;
        let others = !(structural | blanks | quotes);
        let runs = others & !inside;
        let words = runs & !(others << 1 | self.word);
        self.word = others >> 63;
        let structural = structural & !inside;
        let strings = quotes & inside;
        TokenBlock {
            at,
            tokens: strings | words | structural,
            strings,
            words,
            runs: runs | !there,
            digits: match words {
                0 => 0,
                _ => runs & !block.outside(b'0'..b':').bits(),
            },
            structural,
            colons: colons & !inside,
            commas: commas & !inside,
            brackets: brackets & !inside,
            blanks: blanks & !inside & there,
            fault,
        }
    }
}

impl<K: Keep> TokenBlocks<'_, K> {
    /// Returns which bytes are wrong in an escape. `escaped` are the bytes that come after a backslash, but for the
    /// most frequent ones.
    #[inline(never)]
    fn bad_escapes(&mut self, block: &[u8; WIDE], escaped: u64) -> u64 {
        let bytes = Lanes::PLAIN.of(block);
        let units = escaped & bytes.is(b'u').bits();
        let slashes = escaped & bytes.is(b'/').bits();
        let others = escaped & !units & !(bytes.is(b'b') | bytes.is(b'f')).bits();
        let hex = (1..=4).fold(self.hex, |hex, place| hex | units << place);
        self.hex = (1..=4).fold(0, |hex, place| hex | units >> (64 - place));
        let no_hex = bytes.outside(b'0'..b':') & (bytes | 0x20).outside(b'a'..b'g');
        others & !slashes | hex & no_hex.bits()
    }
}

impl TokenBlock {
    /// Returns the byte of the lowest bit in `bits`.
    #[inline(always)]
    pub(super) fn byte(&self, bits: u64, text: &[u8]) -> u8 {
        let at = self.at + bits.trailing_zeros() as usize;
        text.get(at).copied().unwrap_or_default()
    }

    /// Returns the offset of the byte of the highest bit in `bits`.
    #[inline(always)]
    pub(super) fn last_at(&self, bits: u64) -> Option<usize> {
        bits.checked_ilog2().map(|place| self.at + place as usize)
    }
}

/// Returns which bytes of a block cannot stand in a string at their place (RFC 3629, section 4).
#[inline(never)]
pub(super) fn wrong(text: &[u8], block: usize) -> u64 {
    let mut ends = [b' '; 3 + WIDE];
    let around = match block
        .checked_sub(3)
        .and_then(|from| text.get(from..)?.first_chunk())
    {
        Some(around) => around,
        None => {
            let there = text.get(block.saturating_sub(3)..).unwrap_or_default();
            let places = ends.iter_mut().skip(3_usize.saturating_sub(block));
            places.zip(there).for_each(|(place, byte)| *place = *byte);
            &ends
        }
    };
    lanes::blockwise(
        #[inline(always)]
        |lanes| {
            let ([three @ .., _, _, _], [_, two @ .., _, _]) = (around, around);
            let ([_, _, one @ .., _], [_, _, _, bytes @ ..]) = (around, around);
            let (three, two) = (lanes.of(three), lanes.of(two));
            let (one, bytes) = (lanes.of(one), lanes.of(bytes));
            let due = one.at_least(0xc0) | two.at_least(0xe0) | three.at_least(0xf0);
            let wrong = (due ^ bytes.at_least(0x80) ^ bytes.at_least(0xc0))
                | (bytes | 1).is(0xc1)
                | bytes.at_least(0xf5)
                // Of the bytes after these, some would begin a character that has a shorter form or is none.
                | (one.is(0xe0) & bytes.outside(0xa0..0xff))
                | (one.is(0xed) & bytes.at_least(0xa0))
                | (one.is(0xf0) & bytes.outside(0x90..0xff))
                | (one.is(0xf4) & bytes.at_least(0x90));
            wrong.bits() | !bytes.at_least(b' ').bits()
        },
    )
}
