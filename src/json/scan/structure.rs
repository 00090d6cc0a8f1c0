//! Finds where the tokens of a text begin, many bytes at a time: bits for quotes, blanks and structure outside strings.

use super::plain;
use crate::json::quotes::{BlockStrings, Quotes};
use crate::json::tape::{BlockMarks, Keep};
use crate::lanes::{self, BEFORE, Blockwise, Lanes, WIDE};

/// Reads a text block by block.
#[derive(Debug)]
pub(super) struct TokenBlocks<'a, K> {
    bytes: &'a [u8],
    /// The offset of the next block.
    next: usize,
    quotes: Quotes,
    /// One if the last block ended in a number or literal; inside a string it has no meaning.
    word: u64,
    /// How many bytes of the next block belong to a character or an escape that begins in the last one.
    cut: u32,
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
            cut: 0,
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
    pub(super) fn next(&mut self, with: &impl Lanes) -> Option<TokenBlock> {
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
            let quoting = with.quoting(bytes);
            let escaped = self.quotes.escapes(quoting.backslashes);
            let mut special = quoting.outside;
            if self.quotes.expects_escapes() {
                // Most escapes are two bytes long. The last byte of the block may be a backslash whose escape continues
                // in the next block.
                let simple = match K::KEEPS {
                    true => with.escaped_always(bytes),
                    false => with.escapable(bytes),
                };
                let others = escaped & !simple;
                self.tape.keep_escapes(others);
                special |= others >> 1 | self.quotes.escaped() << 63;
            }
            let quotes = quoting.quotes & !escaped;
            if quotes == 0 && self.quotes.in_string() {
                match find_fault(self.bytes, at, special, &mut self.cut) {
                    0 => continue,
                    fault => return Some(TokenBlock::in_string(at, fault)),
                }
            }
            let BlockStrings { quotes, inside } = self.quotes.strings(quotes, with);
            let fault = find_fault(self.bytes, at, special & inside, &mut self.cut);
            let structure = with.structure(bytes);
            let blanks = with.blanks(bytes);
            let others = !(structure.structural | blanks | quotes);
            let runs = others & !inside;
            let words = runs & !(others << 1 | self.word);
            self.word = others >> 63;
            let structural = structure.structural & !inside;
            let strings = quotes & inside;
            let block = TokenBlock {
                at,
                tokens: strings | words | structural,
                strings,
                words,
                runs: runs | !there,
                digits: match words {
                    0 => 0,
                    _ => with.digits(bytes) & runs,
                },
                structural,
                colons: structure.colons & !inside,
                commas: structure.commas & !inside,
                brackets: structure.brackets() & !inside,
                blanks: blanks & !inside & there,
                fault,
            };
            self.tape.keep(BlockMarks {
                at,
                brackets: block.brackets,
                all: block.structural,
            });
            return Some(block);
        }
    }
}

impl TokenBlock {
    /// Returns a block without tokens that is completely inside an invalid string.
    const fn in_string(at: usize, fault: u64) -> Self {
        Self {
            at,
            tokens: 0,
            strings: 0,
            words: 0,
            runs: 0,
            digits: 0,
            structural: 0,
            colons: 0,
            commas: 0,
            brackets: 0,
            blanks: 0,
            fault,
        }
    }

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

/// Returns the bit of the first special byte that makes a string invalid; 0 if there is none. `cut` is how many bytes
/// of the block belong to a character or escape that begins before it, and is set to how many bytes of the next block
/// do.
#[inline(always)]
fn find_fault(bytes: &[u8], block: usize, special: u64, cut: &mut u32) -> u64 {
    /// Not inlined: most blocks have no special bytes.
    #[inline(never)]
    fn look(bytes: &[u8], block: usize, special: u64) -> (u64, u32) {
        lanes::blockwise(SpecialBytes {
            bytes,
            block,
            special,
        })
    }
    let mut fault = 0;
    if special | u64::from(*cut) != 0 {
        (fault, *cut) = look(bytes, block, special & u64::MAX << *cut);
    }
    fault
}

/// The special bytes of the strings of a block, to be checked.
struct SpecialBytes<'a> {
    bytes: &'a [u8],
    block: usize,
    special: u64,
}

impl Blockwise for SpecialBytes<'_> {
    type Output = (u64, u32);

    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> (u64, u32) {
        let Self { bytes, block, .. } = self;
        let around = block.checked_sub(BEFORE).and_then(|from| bytes.get(from..));
        let Some(around) = around.and_then(<[u8]>::first_chunk) else {
            return one_by_one(bytes, block, self.special);
        };
        let sound = lanes.characters(around);
        let (fault, cut) = one_by_one(bytes, block, self.special & !sound);
        if sound == 0 || fault | u64::from(cut) != 0 {
            return (fault, cut);
        }
        // `characters` does not check a character that the end of the block may cut.
        for (before, &byte) in (1..=BEFORE).zip(around.iter().rev()) {
            if byte >= 0xc0 && self.special >> (WIDE - before) & 1 == 1 {
                return cut_character(bytes, block, before);
            }
        }
        (0, 0)
    }
}

/// Returns the fault or the cut of the character that begins `before` bytes before the end of the block.
fn cut_character(bytes: &[u8], block: usize, before: usize) -> (u64, u32) {
    let place = WIDE - before;
    match plain::character_at(bytes, block + place) {
        0 => (1 << place, 0),
        length => (0, (length as u32).saturating_sub(before as u32)),
    }
}

/// Returns the fault or the cut after checking the special bytes one after the other.
fn one_by_one(bytes: &[u8], block: usize, mut special: u64) -> (u64, u32) {
    while special != 0 {
        let place = special.trailing_zeros();
        let length = plain::special(bytes, block + place as usize) as u32;
        if length == 0 {
            return (1 << place, 0);
        }
        let end = place + length;
        if end >= WIDE as u32 {
            return (0, end - WIDE as u32);
        }
        special &= u64::MAX << end;
    }
    (0, 0)
}
