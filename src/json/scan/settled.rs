//! Reading behind a committed bracket: until that bracket is closed nothing but the grammar matters, and most of a text
//! is read here. What is not plain is left to the byte by byte reading of the scanner, which knows what is wrong with it.

use super::plain::{blanks, number, string};
use super::{Scanner, State};

impl Scanner {
    /// Reads on behind the bracket at depth `floor`, as long as the text is plain. Gives where reading stands then and
    /// what is expected there.
    #[inline]
    pub(super) fn settled(
        &mut self,
        floor: usize,
        mut state: State,
        bytes: &[u8],
        mut here: usize,
        base: u64,
    ) -> (usize, State) {
        loop {
            if matches!(state, State::Name | State::Member) {
                match self.token(bytes, &mut here) {
                    Some(b'"') => {
                        here = string(bytes, here + 1);
                        if bytes.get(here) != Some(&b'"') {
                            return (here, self.open_string(true));
                        }
                        here += 1;
                        if self.token(bytes, &mut here) != Some(b':') {
                            return (here, State::Colon);
                        }
                        here += 1;
                        state = State::Value;
                    }
                    Some(b'}') if state == State::Member && self.depth > floor => {
                        here += 1;
                        self.leave();
                        state = State::Behind;
                    }
                    _ => return (here, state),
                }
            }
            if matches!(state, State::Value | State::Element) {
                match self.token(bytes, &mut here) {
                    Some(b'"') => {
                        here = string(bytes, here + 1);
                        if bytes.get(here) != Some(&b'"') {
                            return (here, self.open_string(false));
                        }
                        here += 1;
                    }
                    Some(byte @ (b'{' | b'[')) => {
                        here += 1;
                        state = self.open(byte == b'{', base + here as u64 - 1);
                        continue;
                    }
                    Some(b'-' | b'0'..=b'9') => match number(bytes, here) {
                        Some(end) => here = end,
                        None => return (here, state),
                    },
                    Some(b']') if state == State::Element && self.depth > floor => {
                        here += 1;
                        self.leave();
                    }
                    Some(_) => {
                        let rest = bytes.get(here..).unwrap_or_default();
                        here += match rest.first_chunk() {
                            Some(b"true" | b"null") => 4,
                            Some(b"fals") if rest.get(4) == Some(&b'e') => 5,
                            _ => return (here, state),
                        };
                    }
                    None => return (here, state),
                }
                state = State::Behind;
            }
            while state == State::Behind {
                match self.token(bytes, &mut here) {
                    Some(b',') if self.in_object => state = State::Name,
                    Some(b',') => state = State::Value,
                    Some(byte) if self.closes(byte) && self.depth > floor => self.leave(),
                    _ => return (here, state),
                }
                here += 1;
            }
            if matches!(state, State::Colon) {
                return (here, state);
            }
        }
    }

    /// The byte that follows the blanks at `here`.
    #[inline(always)]
    fn token(&mut self, bytes: &[u8], here: &mut usize) -> Option<u8> {
        let byte = *bytes.get(*here)?;
        if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Some(byte);
        }
        self.shape.spaced = true;
        *here = blanks(bytes, *here + 1);
        bytes.get(*here).copied()
    }

    const fn closes(&self, byte: u8) -> bool {
        byte == if self.in_object { b'}' } else { b']' }
    }
}
