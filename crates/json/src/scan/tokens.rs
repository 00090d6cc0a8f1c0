//! Reading token by token: structure, and where strings, numbers and literals begin. Inside a committed bracket,
//! [blocks](super::settled) are read instead, as far as they are valid and complete.

use super::partial::{Number, Quoted};
use super::stack::Stack;
use super::{ScanState, Scanner, Shape};
use crate::{after_white, is_white};

const EXPECTED_VALUE: &str = "expected a value";
const EXPECTED_NAME: &str = "expected a member name in double quotes";

impl Scanner {
    /// Reads structure: up to the end of `bytes` or of the text, to the inside of a string, number or literal, or to a
    /// byte that is not allowed there.
    #[inline]
    pub(super) fn tokens(
        &mut self,
        mut state: ScanState,
        bytes: &[u8],
        at: &mut usize,
        base: u64,
    ) -> Option<&'static str> {
        let mut here = *at;
        let reason = loop {
            if self.committed.is_some() && self.reads_blocks() {
                (here, state) = self.settled(state, bytes, here, base);
                if matches!(state, ScanState::String | ScanState::Done) {
                    break None;
                }
            }
            let Some(&byte) = bytes.get(here) else {
                break None;
            };
            let from = here;
            here += 1;
            match self.token(state, byte, bytes, &mut here, base) {
                Some(next) => state = next,
                None => {
                    here = from;
                    break Some(self.expected(state));
                }
            }
            if matches!(
                state,
                ScanState::Done | ScanState::String | ScanState::Number | ScanState::Word
            ) {
                break None;
            }
        };
        if here > *at {
            self.line_start = bytes.get(here - 1) == Some(&b'\n');
        }
        self.state = state;
        *at = here;
        reason
    }

    /// Reads a byte of structure, of white space, or of the beginning of a value. `here` is after it. Returns the state
    /// after it; `None` if it is not allowed here.
    #[inline(always)]
    fn token(
        &mut self,
        state: ScanState,
        byte: u8,
        bytes: &[u8],
        here: &mut usize,
        base: u64,
    ) -> Option<ScanState> {
        Some(match state {
            ScanState::After if byte == b',' => self.comma(),
            ScanState::Member | ScanState::Name if byte == b'"' => self.open_string(true),
            ScanState::Colon if byte == b':' => self.colon(),
            ScanState::Value | ScanState::Element if byte == b'"' => {
                self.scalar(false);
                self.open_string(false)
            }
            ScanState::After | ScanState::Member if byte == b'}' && self.in_object() => {
                self.close()
            }
            ScanState::After | ScanState::Element if byte == b']' && !self.in_object() => {
                self.close()
            }
            ScanState::Value | ScanState::Element if matches!(byte, b'{' | b'[') => {
                self.bracket(byte == b'{', bytes, here, base)
            }
            ScanState::Value | ScanState::Element if matches!(byte, b'-' | b'0'..=b'9') => {
                self.scalar(true);
                self.number = match byte {
                    b'-' => Number::Minus,
                    b'0' => Number::Zero,
                    _ => Number::Integer,
                };
                ScanState::Number
            }
            ScanState::Value | ScanState::Element if matches!(byte, b't' | b'f' | b'n') => {
                self.scalar(false);
                self.word = match byte {
                    b't' => b"rue",
                    b'f' => b"alse",
                    _ => b"ull",
                };
                ScanState::Word
            }
            state if is_white(byte) => {
                self.shape.add(Shape::SPACED);
                *here = after_white(bytes, *here);
                state
            }
            _ => return None,
        })
    }

    /// Continues after a comma.
    #[inline(always)]
    fn comma(&mut self) -> ScanState {
        self.commit();
        self.shape.remove(Shape::ONE_NUMBER.when(self.depth == 1));
        if self.in_object() {
            ScanState::Name
        } else {
            ScanState::Value
        }
    }

    /// Continues after a colon.
    #[inline(always)]
    fn colon(&mut self) -> ScanState {
        self.commit();
        self.shape.add(Shape::FILLED.when(self.depth == 1));
        ScanState::Value
    }

    /// Enters an object or array.
    #[inline(always)]
    fn bracket(&mut self, object: bool, bytes: &[u8], here: &mut usize, base: u64) -> ScanState {
        let state = self.open(object, base + *here as u64 - 1);
        // Only a colon can follow the name, and it commits the bracket.
        let named = state == ScanState::Member && bytes.get(*here) == Some(&b'"');
        if !named || !self.reads_blocks() {
            return state;
        }
        let state;
        (*here, state) = self.settled(ScanState::Member, bytes, *here, base);
        state
    }

    /// Whether reading blocks is worthwhile: with terminal sequences, it would stop after every token.
    const fn reads_blocks(&self) -> bool {
        !self.shape.is(Shape::DIRTY)
    }

    const fn expected(&self, state: ScanState) -> &'static str {
        match state {
            ScanState::Member | ScanState::Name => EXPECTED_NAME,
            ScanState::Colon => "expected a colon after the member name",
            ScanState::After if self.in_object() => "expected a comma or }",
            ScanState::After => "expected a comma or ]",
            _ => EXPECTED_VALUE,
        }
    }

    /// Starts a string, to be read on byte by byte.
    pub(super) const fn open_string(&mut self, name: bool) -> ScanState {
        self.name = name;
        self.quoted = Quoted::Plain;
        self.line_start = false;
        ScanState::String
    }

    const fn scalar(&mut self, number: bool) {
        if self.depth == 1 && !self.in_object() {
            let only = number && !self.shape.is(Shape::FILLED);
            self.shape
                .add(Shape::FILLED.with(Shape::ONE_NUMBER.when(only)));
        }
    }

    /// Marks the innermost open bracket as committed, unless one outside it is.
    #[inline]
    pub(super) fn commit(&mut self) {
        if self.committed.is_none() {
            self.committed = Some(self.depth);
        }
    }

    /// Enters the bracket at an offset, and returns what is expected in it.
    pub(super) fn open(&mut self, object: bool, offset: u64) -> ScanState {
        if self.depth == 0 {
            self.shape.add(match object {
                true => Shape::OBJECT,
                false => Shape::ARRAY,
            });
        } else {
            if self.depth == 1 {
                self.shape.add(Shape::FILLED);
            }
            self.shape.add(Shape::NESTED);
            self.shape.remove(Shape::ONE_NUMBER);
        }
        self.depth += 1;
        let kind = Stack::of(object);
        self.stack = match self.committed {
            None => kind,
            Some(_) => self.stack.with(object).unwrap_or_else(|| {
                self.outer.push(self.stack);
                kind
            }),
        };
        self.last_open = offset;
        self.first = false;
        if object {
            ScanState::Member
        } else {
            ScanState::Element
        }
    }

    /// Leaves the innermost bracket, and returns what is expected after it.
    pub(super) fn close(&mut self) -> ScanState {
        if self.depth == 1 {
            self.depth = 0;
            return ScanState::Done;
        }
        self.committed.take_if(|depth| *depth == self.depth);
        self.depth -= 1;
        let around = self.stack.around().or_else(|| self.outer.pop());
        self.stack = around.unwrap_or(Stack::ARRAY);
        self.first = self.committed.is_none();
        ScanState::After
    }
}
