//! Closing brackets: what they close, and which of them are one too many or of the wrong kind.

use super::change::Change;
use super::reader::{Kind, Next, Reader};

/// How far out the bracket is looked for that one of another kind may close.
const NEAR: usize = 8;

/// How much of what was written is moved to close an array before it, in bytes.
const MOVED: usize = 4096;

/// What a closing bracket of another kind than what is open is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meant {
    /// What is around it, and it has lost its own.
    Around,
    /// It, in spite of its kind.
    This,
    /// It is one too many.
    Nothing,
}

impl Reader<'_> {
    /// A closing bracket, for whatever it closes best.
    pub(super) fn close(&mut self, byte: u8) -> Next {
        let kind = match byte {
            b'}' => Kind::Object,
            b']' => Kind::Array,
            _ => Kind::Parentheses,
        };
        let Some(frame) = self.stack.last() else {
            return Next::End;
        };
        let matches = frame.kind == kind || frame.named && kind == Kind::Array;
        if self.closes_too_early(frame.kind, matches) {
            self.note(Change::Bracket);
            self.at += 1;
            return Next::Comma;
        }
        if matches && frame.implied && self.ends_what_is_around() {
            self.end_array_before_names();
            return self.take_bracket();
        }
        if matches && !(frame.implied && kind == Kind::Object && self.parent_wants_it()) {
            return self.take_bracket();
        }
        let meant = match frame.implied {
            true => Meant::Around,
            false => self.meant_for(kind, byte),
        };
        if meant == Meant::Around {
            self.note(Change::Closer);
            self.pop();
            return self.after_value();
        }
        self.at += 1;
        if meant == Meant::Nothing {
            self.note(Change::Bracket);
            return Next::Comma;
        }
        // Of the flat array in `[5, 10) is open`, nothing says that it goes on.
        if kind == Kind::Parentheses && (self.strong || self.stack.len() > 1) {
            self.note(Change::Dropped);
            return Next::Comma;
        }
        self.note(Change::Bracket);
        self.pop();
        self.after_value()
    }

    /// Takes the bracket here for that of the innermost frame.
    pub(super) fn take_bracket(&mut self) -> Next {
        self.at += 1;
        self.pop();
        self.after_value()
    }

    /// Whether the bracket behind an implied object belongs to the array around it: `["key": 1]`.
    fn parent_wants_it(&self) -> bool {
        let array_ends = self.text.at(self.text.look_past_blanks(self.at + 1)) == Some(b']');
        !array_ends && self.open.first().is_some_and(|objects| *objects > 1)
    }

    /// Whether the bracket behind an implied object belongs to the object around the array, which is not closed:
    /// `{"a": [1, "b": 2}`.
    fn ends_what_is_around(&self) -> bool {
        if self.around(2) != Some(Kind::Object) || self.is_too_long_to_move() {
            return false;
        }
        let behind = self.text.look_past_blanks(self.at + 1);
        match self.text.at(behind) {
            Some(b']') => false,
            Some(b',') => {
                let next = self.text.look_past_blanks(behind + 1);
                self.text.at(next) != Some(b'{') || self.around(3) == Some(Kind::Array)
            }
            _ => true,
        }
    }

    /// Whether it would take long to put one more byte before the object that is open: that is done where it is all that its
    /// array holds, and such arrays may stand in each other.
    fn is_too_long_to_move(&self) -> bool {
        let [.., array, implied] = self.stack.as_slice() else {
            return true;
        };
        array.count == 1 && self.out.len() - implied.open > MOVED
    }

    /// Closes an array before the object implied in it, whose members are those of the object around: `[1,{"b":2` becomes
    /// `[1],"b":2`.
    fn end_array_before_names(&mut self) {
        let (Some(implied), Some(array)) = (self.stack.pop(), self.stack.pop()) else {
            return;
        };
        self.count_closed(implied.kind);
        self.count_closed(array.kind);
        let comma = usize::from(array.count > 1);
        self.out.splice(implied.open - comma..=implied.open, *b"],");
        if let Some(around) = self.stack.last_mut() {
            around.count += implied.count;
            around.comma = implied.comma;
        }
        self.note(Change::Closer);
    }

    /// Whether the outermost value goes on behind this bracket and those that follow it: `{"a": 1}, "b": 2}`,
    /// `[{"a": 1}}, {"b": 2}]`. Behind an array's own bracket alone, one more value may stand.
    fn closes_too_early(&self, open: Kind, matches: bool) -> bool {
        let text = self.text;
        if self.stack.len() > 1 {
            return false;
        }
        let behind = text.skip_blanks(self.at + 1);
        let (_, comma) = text.closers(behind);
        if text.at(comma) != Some(b',') {
            return false;
        }
        let next = text.look_past_blanks(text.past(comma));
        match open {
            Kind::Object => text.look_string(next).is_some_and(|end| {
                let colon = text.look_past_blanks(end);
                text.at(colon) == Some(b':') || text.quote_at(colon).is_some()
            }),
            Kind::Array if matches && text.at(behind) != Some(b'}') => false,
            Kind::Array => text.value_at(next),
            Kind::Parentheses => false,
        }
    }

    /// What a bracket is meant for that is of another kind than what is open: what follows it tells, since only a member
    /// can follow in an object and only an element in an array.
    fn meant_for(&self, kind: Kind, byte: u8) -> Meant {
        let otherwise = match self.is_open(kind) {
            true => Meant::Around,
            false => Meant::This,
        };
        let behind = self.text.look_past_blanks(self.at + 1);
        let next = self.text.look_past_blanks(behind + 1);
        let (follows, element) = match self.text.at(behind) {
            _ if kind == Kind::Parentheses => return otherwise,
            Some(b'}') => (Kind::Object, false),
            Some(b']') => (Kind::Array, false),
            Some(b',') if self.text.quoted_key_at(next) => (Kind::Object, false),
            Some(b',') if self.text.value_at(next) => (Kind::Array, true),
            _ => return otherwise,
        };
        let follows_in = |brackets| self.around(brackets) == Some(follows);
        let closed = (1..NEAR).find(|near| self.around(*near) == Some(kind));
        if closed.is_some_and(|closed| follows_in(closed + 1)) {
            return Meant::Around;
        }
        match (follows_in(1), follows_in(0)) {
            (true, true) => {
                let before = self.text.slice(0, self.at).trim_end();
                match before.as_bytes().last() == Some(&byte) {
                    true => Meant::Nothing,
                    false => Meant::This,
                }
            }
            (true, false) => Meant::This,
            // It may be another document, behind the outermost one.
            (false, true)
                if element && closed.is_some_and(|closed| self.around(closed + 1).is_none()) =>
            {
                otherwise
            }
            (false, true) => Meant::Nothing,
            (false, false) => otherwise,
        }
    }

    /// What stands around what is open, so many brackets further out.
    fn around(&self, brackets: usize) -> Option<Kind> {
        let at = self.stack.len().checked_sub(brackets + 1)?;
        self.stack.get(at).map(|frame| frame.kind)
    }
}
