//! Closing brackets: what they close, and which of them are one too many or of the wrong kind.
//!
//! A bracket closes what is open if that is of its kind, unless what is open goes on: a member follows the outermost
//! object, or an element the value of a member. Else what follows tells what is meant, since only a member can follow in an
//! object and only an element in an array:
//!
//! 1. the nearest bracket of its kind, if what follows belongs around that: those inside have lost theirs;
//! 2. what is open, in spite of its kind, if what follows belongs around that;
//! 3. nothing, if what follows belongs into what is open: it is one too many.

use super::change::RepairChange;
use super::reader::{Bracket, Next, TolerantReader};

/// How far out the bracket is looked for that one of another kind may close.
pub(super) const NEAR: usize = 8;

impl TolerantReader<'_> {
    /// A closing bracket, for whatever it closes best.
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

    /// Takes the bracket here for that of the innermost frame.
    pub(super) fn take_bracket(&mut self) -> Next {
        self.at += 1;
        self.pop();
        self.after_value()
    }

    /// What the text behind the bracket here belongs into, if it tells. Behind the outermost one, more brackets may
    /// stand that are too many.
    fn follows_bracket(&self) -> Option<Bracket> {
        let text = self.text;
        let mut behind = text.look_past_blanks(self.at + 1);
        if self.stack.len() == 1 {
            behind = text.closers(behind).1;
        }
        let next = text.look_past_blanks(text.past(behind));
        match text.at(behind)? {
            b'}' => Some(Bracket::Object),
            b']' => Some(Bracket::Array),
            b',' if text.quoted_key_at(next) => Some(Bracket::Object),
            b',' if text.value_at(next) => Some(Bracket::Array),
            _ => None,
        }
    }

    /// What stands around what is open, so many brackets further out.
    pub(super) fn around(&self, brackets: usize) -> Option<Bracket> {
        let at = self.stack.len().checked_sub(brackets + 1)?;
        self.stack.get(at).map(|frame| frame.kind)
    }
}
