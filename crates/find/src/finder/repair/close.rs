//! Decides which open bracket a closing bracket closes, and which closing brackets are extra or of the wrong kind.
//!
//! A closing bracket closes the innermost open bracket if that is of the same kind, unless the innermost one goes on:
//! a member follows in the outermost object, or an element in an array that is the value of a member. Otherwise the
//! text after the closing bracket decides, since only a member can follow in an object and only an element in an
//! array. The closing bracket closes
//!
//! 1. the nearest open bracket of its kind, if what follows belongs in the bracket around that one: the brackets
//!    inside it have lost their closing brackets;
//! 2. the innermost bracket although it is of another kind, if what follows belongs in the bracket around that one;
//! 3. nothing, if what follows belongs in the innermost bracket: the closing bracket is extra.

use super::change::RepairChange;
use super::reader::{NEAR, Next, TolerantReader};
use super::reading::Bracket;

impl TolerantReader<'_> {
    /// Reads a closing bracket and lets it close what it fits best.
    pub(super) fn close(&mut self, byte: u8) -> Next {
        let kind = match byte {
            b'}' => Bracket::Object,
            b']' => Bracket::Array,
            _ => Bracket::Parentheses,
        };
        let Some(open) = self.around(0) else {
            return Next::End;
        };
        let follows = self.follows_bracket();
        let goes_on = follows == Some(open)
            && match open {
                Bracket::Object => self.stack.len() == 1,
                Bracket::Array => self.around(1) == Some(Bracket::Object),
                Bracket::Parentheses => false,
            };
        if open == kind && !goes_on {
            return self.take_bracket();
        }
        let fits_in = |depth| follows.is_none_or(|follows| self.around(depth) == Some(follows));
        let is_meant = |depth: usize| self.around(depth) == Some(kind) && fits_in(depth + 1);
        let is_around = (1..NEAR).any(is_meant);
        let is_too_many = goes_on || !fits_in(1) && fits_in(0);
        if is_around {
            self.note(RepairChange::Closer);
            self.pop();
            return self.after_value();
        }
        self.note(RepairChange::Bracket);
        if is_too_many {
            self.at += 1;
            return Next::Comma;
        }
        self.take_bracket()
    }

    /// Lets the bracket at the current offset close the innermost frame.
    pub(super) fn take_bracket(&mut self) -> Next {
        self.at += 1;
        self.pop();
        self.after_value()
    }

    /// Returns the kind of bracket that the text after the bracket here belongs in, if the text shows it. After a
    /// bracket that closes the outermost one, extra closing brackets are skipped.
    fn follows_bracket(&mut self) -> Option<Bracket> {
        let text = self.text;
        let mut after = text.look_past_blanks(self.at + 1);
        if self.stack.len() == 1 {
            after = text.closers(after).1;
        }
        let next = text.look_past_blanks(text.past(after));
        let is_last = self.stack.len() == 1;
        match text.at(after)? {
            // {"a": 1} "b": 2}
            b'"' if is_last && self.early => text
                .goes_on_at(after, self.searches)
                .then_some(Bracket::Object),
            b'}' => Some(Bracket::Object),
            b']' => Some(Bracket::Array),
            b',' if self.key_at(next) => Some(Bracket::Object),
            b',' if text.value_at(next) => Some(Bracket::Array),
            _ => None,
        }
    }

    /// Returns the kind of the open bracket that is `brackets` further out than the innermost one.
    pub(super) fn around(&self, brackets: usize) -> Option<Bracket> {
        let at = self.stack.len().checked_sub(brackets + 1)?;
        self.stack.get(at).map(|frame| frame.kind)
    }
}
