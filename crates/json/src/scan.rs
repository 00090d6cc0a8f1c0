//! The strict scanner: reads one JSON text byte by byte; it can stop and continue at any byte.
//!
//! The finder tries it at every opening bracket. It never looks back, never recurses and keeps one bit for each open
//! bracket. Besides the grammar of RFC 8259 it tracks what the finder needs to know about a candidate: whether it is
//! *committed*, so that a failure does not need a second reading.
//!
//! Terminal sequences are skipped where they may appear (colours anywhere, line ends between tokens); the text is then
//! *dirty*, and [`clean()`] returns the document without them.

mod clean;
mod expected;
mod partial;
mod settled;
mod shape;
mod stack;
mod structure;
mod tokens;

use crate::BOM;
use crate::cost;
use crate::tape::{MarkLayout, Tape};
use crate::terminal::{ESCAPE, Sequence, sequence_in};
use crate::{after_white, is_white};

pub use clean::{chain, clean};
use partial::{Number, Quoted};
pub use shape::Shape;
use stack::Stack;

/// Returns whether a byte may be the first one of a value.
#[must_use]
#[inline(always)]
pub const fn begins_value(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'
    )
}

/// The result of reading some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The bytes are used up (or end inside a terminal sequence) and the text is not complete.
    More,
    /// The text is complete; the byte after it was not read.
    Complete,
    /// The next byte is not allowed at this place. Contains what the grammar expected instead.
    Broken(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    /// A value.
    Value,
    /// The first element of an array, or its end.
    Element,
    /// The first member name of an object, or its end.
    Member,
    /// A member name after a comma.
    Name,
    Colon,
    /// A comma or a closing bracket.
    After,
    /// The rest of a string, number or literal; the field of the same name says which part of it.
    String,
    Number,
    Word,
    Done,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new(false)
    }
}

/// Reads one JSON text; see the module's documentation.
#[derive(Debug, Clone)]
pub struct Scanner {
    state: ScanState,
    quoted: Quoted,
    number: Number,
    /// The bytes that are missing from a literal.
    word: &'static [u8],
    /// Whether the string being read is a member name.
    name: bool,
    depth: usize,
    /// The kinds of the innermost open brackets, at most from the committed one on: all around that one are arrays.
    stack: Stack,
    /// The kinds of the brackets between the committed one and `stack`, in full stacks.
    outer: Vec<Stack>,
    /// How many brackets were open when the outermost one that is still open and has itself a member name and its
    /// colon, or an element and a comma, was opened.
    committed: Option<usize>,
    last_open: u64,
    /// Whether the innermost open bracket, if it is not committed, has a complete object or array as its first element.
    first: bool,
    shape: Shape,
    /// Whether the last byte read was a line feed, after which a byte order mark is allowed.
    line_start: bool,
    lossy: bool,
    /// Whether nothing was read yet; the other fields then still describe the previous text.
    fresh: bool,
    /// Keeps where the members of an object are, if a caller needs that.
    tape: Option<Box<Tape>>,
}

impl Scanner {
    /// Returns a scanner before the first byte of a text. With `lossy`, invalid UTF-8 in strings is accepted.
    #[must_use]
    pub const fn new(lossy: bool) -> Self {
        Self {
            state: ScanState::Value,
            quoted: Quoted::Plain,
            number: Number::Minus,
            word: b"",
            name: false,
            depth: 0,
            stack: Stack::ARRAY,
            outer: Vec::new(),
            committed: None,
            last_open: 0,
            first: false,
            shape: Shape::new(),
            line_start: false,
            lossy,
            fresh: true,
            tape: None,
        }
    }

    /// Returns this scanner; with `keep` it records where the members of objects are, for [`layout`](Self::layout).
    #[must_use]
    pub fn keeping_layout(self, keep: bool) -> Self {
        Self {
            tape: keep.then(Box::default),
            ..self
        }
    }

    /// Returns the layout of the last text, if it is known and the text was between these offsets.
    pub fn layout(&self, start: u64, end: u64) -> Option<MarkLayout<'_>> {
        self.tape.as_ref()?.layout(start, end)
    }

    /// Prepares for another text.
    pub const fn reset(&mut self) {
        self.fresh = true;
    }

    /// Forgets the previous text.
    fn clear(&mut self) {
        let tape = self.tape.take();
        *self = Self::new(self.lossy);
        (self.tape, self.fresh) = (tape, false);
    }

    /// How many brackets are open.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the innermost open bracket is that of an object.
    #[must_use]
    pub const fn in_object(&self) -> bool {
        self.stack.in_object()
    }

    /// Returns whether the text is committed: a member name and its colon, or an element and a comma, were read after
    /// an open bracket. All brackets around such a bracket are arrays, of which it is in the first element.
    #[must_use]
    pub const fn is_committed(&self) -> bool {
        self.committed.is_some()
    }

    /// Returns the offset of the bracket that was opened last.
    #[must_use]
    pub const fn last_open(&self) -> u64 {
        self.last_open
    }

    /// Returns how many brackets are open around the complete object or array that is all that was read of the
    /// innermost one.
    #[must_use]
    pub fn first_element(&self) -> Option<usize> {
        let is_all = self.first && self.committed.is_none() && self.state == ScanState::After;
        is_all.then_some(self.depth)
    }

    /// Whether reading stopped inside the first member name of an object, or before its colon.
    #[must_use]
    pub fn in_first_name(&self) -> bool {
        self.in_object()
            && self.committed.is_none()
            && match self.state {
                ScanState::String => self.name,
                ScanState::Colon => true,
                _ => false,
            }
    }

    /// Returns what the text looks like.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the text is complete if the input ends here. Only a number can be complete without an earlier
    /// [`Step::Complete`].
    #[must_use]
    pub const fn complete_at_end(&self) -> bool {
        match self.state {
            ScanState::Number => self.depth == 0 && self.number.complete(),
            _ => false,
        }
    }

    /// Reads `bytes`, which start at the offset `base`, and returns how many of them were read and the result. `last`
    /// says that no more bytes follow, which matters for a terminal sequence at their end.
    pub fn scan(&mut self, bytes: &[u8], base: u64, last: bool) -> (usize, Step) {
        let (read, step) = self.scan_uncounted(bytes, base, last);
        cost::look_at(read);
        (read, step)
    }

    /// Reads like [`scan`](Self::scan), without counting the bytes.
    fn scan_uncounted(&mut self, bytes: &[u8], base: u64, last: bool) -> (usize, Step) {
        let mut at = 0;
        if self.fresh {
            // Most texts are objects, and most objects are completely in `bytes`.
            if begins_object(bytes) {
                (at, self.state) = self.object(bytes, base);
                if self.state == ScanState::Done {
                    return (at, Step::Complete);
                }
            } else {
                self.clear();
            }
        }
        loop {
            if at == bytes.len() {
                return (at, Step::More);
            }
            let step = match self.state {
                ScanState::String => self.read_string(bytes, &mut at),
                ScanState::Number => self.read_number(bytes, &mut at),
                ScanState::Word => self.read_word(bytes, &mut at),
                ScanState::Done => return (at, Step::Complete),
                state => self.tokens(state, bytes, &mut at, base),
            };
            let Some(reason) = step else {
                if self.state == ScanState::Done {
                    return (at, Step::Complete);
                }
                continue;
            };
            match self.aside(bytes, at, last) {
                Aside::Read(length) => at += length,
                Aside::Incomplete => return (at, Step::More),
                Aside::None => return (at, Step::Broken(reason)),
            }
        }
    }

    /// Reads what is allowed besides the grammar, at a byte that breaks it: terminal sequences, and a byte order mark
    /// at the start of a line.
    fn aside(&mut self, bytes: &[u8], at: usize, last: bool) -> Aside {
        let rest = bytes.get(at..).unwrap_or_default();
        let structural = !matches!(self.state, ScanState::String | ScanState::Word);
        if rest.first() == Some(&BOM[0]) && structural && self.line_start {
            if rest.starts_with(BOM) {
                self.shape.add(Shape::DIRTY);
                return Aside::Read(BOM.len());
            }
            if BOM.starts_with(rest) && !last {
                return Aside::Incomplete;
            }
        }
        if rest.first() != Some(&ESCAPE) {
            return Aside::None;
        }
        let found = sequence_in(rest, last);
        match found {
            Sequence::Delete(length) => {
                self.shape.add(Shape::DIRTY);
                Aside::Read(length)
            }
            Sequence::LineEnd(length) => match self.state {
                ScanState::String | ScanState::Word => Aside::None,
                ScanState::Number if !self.number.complete() || self.depth == 0 => Aside::None,
                state => {
                    if matches!(state, ScanState::Number) {
                        self.end_scalar();
                    }
                    self.shape.add(Shape::DIRTY);
                    Aside::Read(length)
                }
            },
            Sequence::Incomplete => Aside::Incomplete,
            Sequence::None => Aside::None,
        }
    }
}

/// Whether `bytes` start with the bracket of an object and the quote of its first name.
fn begins_object(bytes: &[u8]) -> bool {
    match bytes {
        [b'{', b'"', ..] => true,
        [b'{', after, ..] if is_white(*after) => bytes.get(after_white(bytes, 2)) == Some(&b'"'),
        _ => false,
    }
}

/// What a text starts with that is no token.
pub enum Aside {
    /// This many bytes that may stand between tokens.
    Read(usize),
    /// More text is needed to tell.
    Incomplete,
    /// Nothing was read.
    None,
}

#[cfg(test)]
mod tests;
