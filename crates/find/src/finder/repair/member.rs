//! Reads the names of members, and handles members that consist of nothing else.
//!
//! A name is in quotes, or is all the text before a colon. Words before the next name are left out. A name without a
//! value is left out, too, unless it is the first element of a set.

use super::change::RepairChange;
use super::reader::{Next, TolerantReader};
use super::text::{StringExtent, StringRole, ends_bare_name, is_quote};
use jsift_json::cost;

impl TolerantReader<'_> {
    /// Reads the name of a member, or handles what is there in its place.
    pub(super) fn key(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        match byte {
            b',' => {
                self.note(RepairChange::ExtraComma);
                self.take_sign();
                return Next::Key;
            }
            b'}' | b']' | b')' => return self.close(byte),
            b'{' if self.is_in_array() => {
                self.note(RepairChange::Closer);
                self.pop();
                return Next::Comma;
            }
            b'(' => {
                self.drop_remark();
                return Next::Key;
            }
            _ => {}
        }
        if self.ellipsis() {
            return Next::Key;
        }
        self.at = self.text.past_prefix(self.at);
        let Some(extent) = self.extent(self.at, StringRole::Key) else {
            return self.bare_key();
        };
        self.begin();
        if extent.cut {
            self.at = extent.next;
            return self.cut_name();
        }
        self.bare_name = false;
        self.write_string(extent);
        Next::Colon
    }

    /// Leaves out a remark that begins with a parenthesis, up to a comma, a closing bracket or a line end.
    fn drop_remark(&mut self) {
        let text = self.text;
        self.drop_char();
        while let Some(byte) = text.at(self.at) {
            if matches!(byte, b',' | b'}' | b']' | b'\n') {
                break;
            }
            self.at += 1;
        }
    }

    /// Reads a name without quotes, or leaves out words before the next name: `← changed`, `COMMENT "name":`.
    fn bare_key(&mut self) -> Next {
        if self.is_prose() {
            return Next::End;
        }
        let text = self.text;
        let rest = text.slice(self.at, text.len());
        let stops = |c: char| ends_bare_name(c) || is_quote(c);
        let end = self.at + rest.find(stops).unwrap_or(rest.len());
        cost::look_at(end - self.at);
        let name = text.slice(self.at, end).trim_end();
        let next = text.look_past_blanks(end);
        let line_ends = text.at(end) == Some(b'\n') && text.bare_key_at(next);
        if line_ends || text.quoted_key_at(next) {
            self.at = next;
            self.note(RepairChange::Dropped);
            return Next::Key;
        }
        if name.is_empty() {
            self.drop_char();
            return Next::Key;
        }
        if matches!(text.at(end), Some(b',' | b'}')) && self.is_element(0, end) {
            self.turn_into_array();
            return Next::Value;
        }
        self.begin();
        self.note(RepairChange::Bare);
        self.bare_name = true;
        let next = self.at + name.len();
        let extent = StringExtent::bare(self.at, next);
        self.write(extent);
        self.at = self.past_stray_quote(next);
        Next::Colon
    }

    /// Reads the colon after a name.
    pub(super) fn colon(&mut self) -> Next {
        match self.peek() {
            Some(byte @ (b':' | b'=')) => {
                self.take_colon(byte);
                while matches!(self.peek(), Some(b':' | b'=')) {
                    self.drop_char();
                }
            }
            None => return self.cut_member(),
            Some(b',' | b'}' | b']' | b')') => return self.name_only(),
            Some(_) => self.note(RepairChange::Colon),
        }
        self.named = true;
        self.out.push(b':');
        if let Some(extent) = self.tripled(self.text.skip_blanks(self.at)) {
            self.write_string(extent);
            return Next::Comma;
        }
        match self.peek() {
            None => self.cut_member(),
            Some(_) => Next::Value,
        }
    }

    /// Moves past a colon, or past an equals sign or arrow in its place. Words before one are a declaration, such as
    /// `const x = 1`.
    fn take_colon(&mut self, sign: u8) {
        if sign == b':' {
            return self.take_sign();
        }
        let member = self.stack.last().map_or(0, |frame| frame.member);
        let name = self.out.get(member..).unwrap_or_default();
        let declares = self.bare_name && name.contains(&b' ');
        let arrow = self.text.starts(self.at, "=>");
        self.at += if arrow { 2 } else { 1 };
        self.note(match declares {
            true => RepairChange::Colon,
            false => RepairChange::Equals,
        });
    }

    /// Removes the member whose name is cut, at the end of input or of its line. Only another name on the next line
    /// shows that the object goes on.
    fn cut_name(&mut self) -> Next {
        if !self.text.quoted_key_at(self.text.skip_blanks(self.at)) {
            return self.cut_member();
        }
        self.unbegin();
        self.note(RepairChange::Cut);
        Next::Key
    }

    /// Removes the member that the end of input has cut.
    pub(super) fn cut_member(&mut self) -> Next {
        self.unbegin();
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = false;
        }
        self.note(RepairChange::Cut);
        Next::End
    }

    /// Handles a name without a value: it is an element of a set, or text that belongs to nothing.
    fn name_only(&mut self) -> Next {
        if !self.is_element(1, self.at) {
            self.unbegin();
            self.note(RepairChange::Dropped);
            return Next::Comma;
        }
        self.turn_into_array();
        Next::Comma
    }

    /// Whether the name that ends at an offset without a colon is the first element of a set, after `begun` members
    /// were begun.
    fn is_element(&self, begun: u8, end: usize) -> bool {
        let text = self.text;
        let next = text.look_past_blanks(text.past(end));
        let is_object = text.at(end) == Some(b',') && text.bare_key_at(next);
        let frame = self.stack.last();
        frame.is_some_and(|frame| frame.count == begun) && !is_object
    }
}
