//! Closing brackets: what they close, and which of them are one too many or of the wrong kind.

use super::change::Change;
use super::reader::{Kind, Next, Reader};

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
        let matches = frame.kind == kind;
        if self.closes_too_early(frame.kind, matches) || self.is_extra(frame.kind, byte) {
            self.note(Change::Bracket);
            self.at += 1;
            return Next::Comma;
        }
        if matches && frame.implied && self.ends_what_is_around() {
            self.end_array_before_names();
            self.at += 1;
            self.pop();
            return self.after_value();
        }
        if matches && !(frame.implied && kind == Kind::Object && self.parent_wants(byte)) {
            self.at += 1;
            self.pop();
            return self.after_value();
        }
        if frame.implied || (self.is_open(kind) && !self.mistaken_for(frame.kind, byte)) {
            self.note(Change::Closer);
            self.pop();
            return self.after_value();
        }
        self.at += 1;
        // Of the flat array in `[5, 10) is open`, nothing says that it goes on.
        if kind == Kind::Parentheses && (self.strong || self.stack.len() > 1) {
            self.note(Change::Dropped);
            return Next::Comma;
        }
        self.note(Change::Bracket);
        self.pop();
        self.after_value()
    }

    /// Whether the bracket behind an implied object belongs to the array around it: `["key": 1]`.
    fn parent_wants(&self, byte: u8) -> bool {
        let array_ends = self.text.at(self.text.look_past_blanks(self.at + 1)) == Some(b']');
        byte == b'}' && !array_ends && self.open.first().is_some_and(|objects| *objects > 1)
    }

    /// Whether the bracket behind an implied object belongs to the object around the array, which is not closed:
    /// `{"a": [1, "b": 2}`.
    fn ends_what_is_around(&self) -> bool {
        if self.around(2) != Some(Kind::Object) {
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

    /// Closes an array before the object implied in it, whose members are those of the object around: `[1,{"b":2` becomes
    /// `[1],"b":2`.
    fn end_array_before_names(&mut self) {
        let (Some(implied), Some(array)) = (self.stack.pop(), self.stack.pop()) else {
            return;
        };
        for frame in [&implied, &array] {
            if let Some(open) = self.open.get_mut(frame.kind as usize) {
                *open = open.saturating_sub(1);
            }
        }
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
            Kind::Object => text.look_string(next).is_ok_and(|end| {
                let colon = text.look_past_blanks(end);
                text.at(colon) == Some(b':') || text.quote_at(colon).is_some()
            }),
            Kind::Array if matches && text.at(behind) != Some(b'}') => false,
            Kind::Array => text.value_at(next),
            Kind::Parentheses => false,
        }
    }

    /// Whether the `}` in `[{"a": 1}}]` is one too many: none of an object around the array can be meant, since another
    /// array would have to be around that.
    fn is_extra(&self, open: Kind, byte: u8) -> bool {
        open == Kind::Array
            && byte == b'}'
            && self.around(2) != Some(Kind::Array)
            && self.text.at(self.text.look_past_blanks(self.at + 1)) == Some(b']')
    }

    /// Whether a `}` was written for the `]` of an array that is a member's value, or a `]` for the `}` of an object that
    /// is an element: the next member or object follows it, in a place where there can be none if it closed what is
    /// around.
    fn mistaken_for(&self, open: Kind, byte: u8) -> bool {
        let comma = self.text.look_past_blanks(self.at + 1);
        if self.text.at(comma) != Some(b',') {
            return false;
        }
        let next = self.text.look_past_blanks(comma + 1);
        match (open, byte) {
            (Kind::Array, b'}') => {
                self.around(2) != Some(Kind::Object) && self.text.quoted_key_at(next)
            }
            (Kind::Object, b']') => {
                self.around(2) != Some(Kind::Array) && self.text.at(next) == Some(b'{')
            }
            _ => false,
        }
    }

    /// What stands around what is open, so many brackets further out.
    fn around(&self, brackets: usize) -> Option<Kind> {
        let at = self.stack.len().checked_sub(brackets + 1)?;
        self.stack.get(at).map(|frame| frame.kind)
    }
}
