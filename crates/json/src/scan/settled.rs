//! Reading of what is settled: inside a [committed](Scanner::is_committed) bracket, or in an object from its first name
//! on. Only the grammar matters there, and most of a text is read here, a block at a time. Which tokens are allowed
//! where is checked for all tokens of a block at once; only brackets, numbers and literals are read one by one.
//!
//! A block is 64 bytes, and each fact about it is a word of 64 bits, one for each byte: where strings begin, where
//! commas are.
//!
//! Text that is invalid or incomplete is left to the byte by byte reading of the scanner, which finds out what is
//! wrong.

use memchr::memrchr;

use super::expected::{ExpectedToken, Places};
use super::partial::{ends, is_number};
use super::stack::{Nesting, Stack};
use super::structure::{TokenBlock, TokenBlocks};
use super::{ScanState, Scanner, Shape};
use crate::lanes::{self, Lanes};
use crate::string::backslashes_before;
use crate::tape::Keep;

impl Scanner {
    /// Continues reading inside the committed bracket, or inside the object that its first name will commit, as long as
    /// the text is valid: at most to the end of that bracket, or to a bracket that the stack has no room for, or whose
    /// end leaves the stack empty. Returns the position reached and what is expected there. Only called if [blocks are
    /// read](Self::reads_blocks).
    pub(super) fn settled(
        &mut self,
        state: ScanState,
        bytes: &[u8],
        here: usize,
        base: u64,
    ) -> (usize, ScanState) {
        let read = SettledReading {
            bytes,
            here,
            state,
            is_whole: self.outer.is_empty(),
            stack: self.stack,
            tape: (),
        }
        .read();
        self.note(&read, base)
    }

    /// Reads an object like [`settled`](Self::settled), from its opening bracket on, which its first name must follow.
    /// Forgets what the scanner knows about the previous text.
    pub(super) fn object(&mut self, bytes: &[u8], base: u64) -> (usize, ScanState) {
        let read = match self.tape.as_deref_mut() {
            None => Self::read_object(bytes, ()),
            Some(tape) => {
                tape.begin(base);
                Self::read_object(bytes, tape)
            }
        };
        if read.state != ScanState::Done {
            self.clear();
            self.open(true, base);
            let (here, state) = self.note(&read, base);
            self.line_start = bytes.get(here - 1) == Some(&b'\n');
            return (here, state);
        }
        let after = read.here + 1;
        if let Some(tape) = &mut self.tape {
            tape.end(base + after as u64, !read.spaced);
        }
        self.fresh = false;
        self.depth = 0;
        self.committed = Some(1);
        self.last_open = base + read.opened.unwrap_or_default() as u64;
        let nested = Shape::NESTED.when(read.opened.is_some());
        let spaced = Shape::SPACED.when(read.spaced);
        self.shape = Shape::OBJECT.with(Shape::FILLED).with(nested).with(spaced);
        (after, ScanState::Done)
    }

    /// Reads an object from its opening bracket on.
    #[inline(always)]
    fn read_object(bytes: &[u8], tape: impl Keep) -> Read {
        SettledReading {
            bytes,
            here: 1,
            state: ScanState::Member,
            is_whole: true,
            stack: Stack::of(true),
            tape,
        }
        .read()
    }

    /// Stores the result of reading.
    #[inline]
    fn note(&mut self, read: &Read, base: u64) -> (usize, ScanState) {
        if self.committed.is_none() && read.colons {
            self.commit();
            self.shape.add(Shape::FILLED.when(self.depth == 1));
        }
        self.depth = self.depth - self.stack.levels() + read.stack.levels();
        self.stack = read.stack;
        self.shape.add(Shape::SPACED.when(read.spaced));
        if let Some(opened) = read.opened {
            self.shape.add(Shape::NESTED);
            self.shape.remove(Shape::ONE_NUMBER);
            self.first = false;
            self.last_open = base + opened as u64;
        }
        if read.state == ScanState::Done {
            let after = read.here + 1;
            return (after, self.close());
        }
        (read.here, read.state)
    }
}

/// What is to be read, and the state where reading starts.
struct SettledReading<'a, K> {
    bytes: &'a [u8],
    /// The position where reading starts, between tokens.
    here: usize,
    state: ScanState,
    /// Whether no other committed bracket is around the stack, so that reading ends with its outermost one.
    is_whole: bool,
    stack: Stack,
    tape: K,
}

/// How far reading came, and the state there.
struct Read {
    here: usize,
    /// `Done` if the byte at `here` ends reading.
    state: ScanState,
    stack: Stack,
    /// The position of the bracket that was opened last.
    opened: Option<usize>,
    /// Whether colons were read.
    colons: bool,
    spaced: bool,
}

impl<K: Keep> SettledReading<'_, K> {
    fn read(self) -> Read {
        lanes::blockwise(
            #[inline(always)]
            |lanes| self.read_with(lanes),
        )
    }

    /// Reads block by block, with these instructions, up to the first byte that is wrong or that ends the outermost
    /// bracket.
    #[inline(always)]
    fn read_with(self, lanes: Lanes) -> Read {
        let (text, mut stack) = (self.bytes, self.stack);
        let mut expected = ExpectedToken::of(self.state);
        let mut blocks = TokenBlocks::new(text, self.here, self.tape);
        let mut passed = Passed::default();
        let mut before = stack;
        loop {
            let Some(block) = blocks.next(lanes) else {
                let (here, state) = match blocks.in_string() {
                    true => beginning(text, text.len(), expected.colon),
                    false => (text.len(), expected.state(stack.in_object())),
                };
                return passed.read(here, state, stack);
            };
            let nesting = if block.brackets == 0 {
                Nesting::within(stack)
            } else {
                before = stack;
                stack.read(block.brackets, &block, text)
            };
            let places = Places::new(&block, &nesting, expected);
            let mut stop = places.misplaced | nesting.stop | block.fault;
            if block.words != 0 {
                stop |= bad_word(&block, below(stop), text);
            }
            if stop == 0 {
                passed.add(&block, &nesting, u64::MAX);
                if block.tokens != 0 {
                    expected = places.after(&block, &nesting);
                }
                continue;
            }
            let sound = below(stop);
            let stop = stop & stop.wrapping_neg();
            if stop != nesting.stop && block.brackets != 0 {
                stack = before;
                stack.read(block.brackets & sound, &block, text);
            }
            passed.add(&block, &nesting, sound);
            let closed =
                self.is_whole && stop & nesting.stop & nesting.closing & !places.misplaced != 0;
            let here = block.at + stop.trailing_zeros() as usize;
            let (here, state) = match () {
                () if closed => (here, ScanState::Done),
                () if stop == block.fault => {
                    let name = match block.strings & sound {
                        0 => expected.colon,
                        begun => places.names & last(begun),
                    };
                    beginning(text, here, name)
                }
                () => {
                    let next = places.expected(&nesting, stop);
                    (here, next.state(stack.in_object()))
                }
            };
            return passed.read(here, state, stack);
        }
    }
}

/// What the blocks so far contain.
#[derive(Default)]
struct Passed {
    /// The position of the bracket that was opened last.
    opened: Option<usize>,
    colons: u64,
    blanks: u64,
}

impl Passed {
    /// Adds the bytes of a block that are `sound`.
    #[inline(always)]
    fn add(&mut self, block: &TokenBlock, nesting: &Nesting, sound: u64) {
        self.colons |= block.colons & sound;
        self.blanks |= block.blanks & sound;
        if nesting.opening & sound != 0 {
            self.opened = block.last_at(nesting.opening & sound);
        }
    }

    #[inline(always)]
    fn read(self, here: usize, state: ScanState, stack: Stack) -> Read {
        Read {
            here,
            state,
            stack,
            opened: self.opened,
            colons: self.colons != 0,
            spaced: self.blanks != 0,
        }
    }
}

/// Returns the highest bit that is set.
const fn last(bits: u64) -> u64 {
    match bits.checked_ilog2() {
        Some(place) => 1 << place,
        None => 0,
    }
}

/// Returns a mask of the bits below the lowest one that is set.
const fn below(bits: u64) -> u64 {
    (bits & bits.wrapping_neg()).wrapping_sub(1)
}

/// Returns the beginning of the string that contains the byte at `at`, and the state there; `name` says whether it is a
/// name.
#[inline(never)]
fn beginning(text: &[u8], mut at: usize, name: u64) -> (usize, ScanState) {
    while let Some(before) = memrchr(b'"', text.get(..at).unwrap_or_default()) {
        at = before;
        if backslashes_before(text, at).is_multiple_of(2) {
            break;
        }
    }
    match name {
        0 => (at, ScanState::Value),
        _ => (at, ScanState::Name),
    }
}

/// Returns the first word of a block among `some` that is neither a complete number nor a complete literal.
#[inline(always)]
fn bad_word(block: &TokenBlock, some: u64, text: &[u8]) -> u64 {
    let mut words = block.words & some;
    while words != 0 {
        let word = words & words.wrapping_neg();
        let at = block.at + word.trailing_zeros() as usize;
        if !is_plain_number(block, word, text) && !literal(text, at) && !is_number(text, at) {
            return word;
        }
        words ^= word;
    }
    0
}

/// Whether a number without an exponent begins at `word` and ends inside the block.
#[inline(always)]
fn is_plain_number(block: &TokenBlock, word: u64, text: &[u8]) -> bool {
    // The addition carries a bit over digits to the byte after them.
    let after = |first: u64| first.wrapping_add(block.digits) & !block.digits;
    // There is no branch for signs: which numbers have one cannot be predicted.
    let first = word << u64::from(block.byte(word, text) == b'-');
    let mut end = after(first);
    if end == first || end != first << 1 && block.byte(first, text) == b'0' {
        return false;
    }
    if end & block.runs != 0 && block.byte(end, text) == b'.' {
        let fraction = end << 1;
        end = after(fraction);
        if end == fraction {
            return false;
        }
    }
    end != 0 && end & block.runs == 0
}

/// Whether a complete literal begins at `at`.
#[inline]
fn literal(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let ends_after = |word: &[u8]| match rest.strip_prefix(word) {
        Some([after, ..]) => ends(*after),
        _ => false,
    };
    ends_after(b"true") || ends_after(b"null") || ends_after(b"false")
}
