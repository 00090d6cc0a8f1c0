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
            && self.around() != Some(Kind::Array)
            && self.text.at(self.text.look_past_blanks(self.at + 1)) == Some(b']')
    }

    /// Whether a `}` was written for the `]` of an array that is a member's value: the next member follows it, in a
    /// place where there can be none if it closed the object.
    fn mistaken_for(&self, open: Kind, byte: u8) -> bool {
        if open != Kind::Array || byte != b'}' || self.around() == Some(Kind::Object) {
            return false;
        }
        let comma = self.text.look_past_blanks(self.at + 1);
        self.text.at(comma) == Some(b',')
            && self
                .text
                .quoted_key_at(self.text.look_past_blanks(comma + 1))
    }

    /// What stands around the object that may stand around what is open.
    fn around(&self) -> Option<Kind> {
        let at = self.stack.len().checked_sub(3)?;
        self.stack.get(at).map(|frame| frame.kind)
    }
}
