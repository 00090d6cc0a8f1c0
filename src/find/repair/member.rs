//! The names of members, and what is left of a member that has nothing else.

use super::change::Change;
use super::reader::{Kind, Next, Reader};
use super::string::{Extent, Role};
use super::text::is_quote;

impl Reader<'_> {
    /// Reads the name of a member, or finds that there is none.
    pub(super) fn key(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        match byte {
            b',' => {
                self.note(Change::ExtraComma);
                self.take_sign();
                return Next::Key;
            }
            b'}' | b']' | b')' => return self.close(byte),
            b'{' if self.is_open(Kind::Array) => {
                self.note(Change::Closer);
                self.pop();
                return Next::Comma;
            }
            b'[' if self.out.last() == Some(&b']') => return self.reopen_array(),
            b'(' if self.aside() => return Next::Key,
            b'{' | b'[' | b'(' | b':' | b';' | b'\\' => {
                self.drop_char();
                return Next::Key;
            }
            _ => {}
        }
        if self.ellipsis() {
            return Next::Key;
        }
        self.at = self.text.past_prefix(self.at);
        if self.text.quote_at(self.at).is_none() {
            return match self.markup() || self.remark() {
                true => Next::Key,
                false => self.bare_key(),
            };
        }
        self.begin();
        let Some(extent) = self.strings.extent(self.at, self.place(Role::Key)) else {
            return Next::End;
        };
        if extent.cut {
            self.at = extent.next;
            return self.cut_member();
        }
        self.bare_name = false;
        self.write_string(extent);
        Next::Colon
    }

    /// Leaves out what Markdown puts before a name: `- "name"`, `**"name"**`.
    fn markup(&mut self) -> bool {
        let name = self.text.past_markup(self.at);
        let marked = name > self.at && self.text.quoted_key_at(name);
        if marked {
            self.at = name;
            self.note(Change::Dropped);
        }
        marked
    }

    /// Leaves out the marks of bold text.
    fn bold(&mut self) {
        let marks = self.text.skip_blanks(self.at);
        if self.text.starts(marks, "**") {
            self.at = marks + 2;
            self.note(Change::Dropped);
        }
    }

    /// `"name": [1], [2]`: the array that is the last member's value goes on in another.
    fn reopen_array(&mut self) -> Next {
        self.note(Change::Bracket);
        self.at += 1;
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = false;
        }
        self.out.pop();
        let any = self.out.last() != Some(&b'[');
        self.push(Kind::Array, false);
        self.out.pop();
        if let Some(frame) = self.stack.last_mut() {
            (frame.count, frame.comma) = (usize::from(any), any);
        }
        Next::Value
    }

    /// Reads a name without quotes.
    fn bare_key(&mut self) -> Next {
        if self.is_prose() {
            return Next::End;
        }
        let text = self.text;
        let word = text.word_end(self.at);
        let behind = text.look_past_blanks(word);
        // A word before the next name: `COMMENT "name":`.
        if word > self.at && behind > word && text.quoted_key_at(behind) {
            self.at = behind;
            self.note(Change::Dropped);
            return Next::Key;
        }
        let rest = text.slice(self.at, text.len());
        let stops = |c: char| ":：=,{}[]\n".contains(c) || is_quote(c);
        let end = self.at + rest.find(stops).unwrap_or(rest.len());
        let mut name = text.slice(self.at, end).trim_end();
        // `{a 1}`: a word and its value, without the colon.
        if matches!(text.at(end), Some(b',' | b'}'))
            && word > self.at
            && word < self.at + name.len()
        {
            name = text.slice(self.at, word);
        }
        if name.is_empty() {
            self.drop_char();
            return Next::Key;
        }
        self.begin();
        self.note(Change::Bare);
        self.bare_name = true;
        let next = self.at + name.len();
        let extent = Extent::bare(self.at, next);
        self.strings.write(extent, &mut self.out, &mut self.changes);
        self.at = self.past_stray_quote(next);
        Next::Colon
    }

    /// Reads the colon behind a name.
    pub(super) fn colon(&mut self) -> Next {
        self.bold();
        match self.peek() {
            Some(b':') => {
                self.take_sign();
                // `::` and `:=`
                if matches!(self.text.at(self.at), Some(b':' | b'=')) {
                    self.drop_char();
                }
            }
            Some(b'=') => {
                self.strings.equals |= !self.bare_name;
                self.at += if self.text.starts(self.at, "=>") {
                    2
                } else {
                    1
                };
                self.note(Change::Colon);
            }
            None => return self.cut_member(),
            Some(b',' | b'}' | b']' | b')') => return self.name_only(),
            Some(_) => self.note(Change::Colon),
        }
        self.out.push(b':');
        if let Some(extent) = self.strings.block(self.text.skip_blanks(self.at)) {
            self.write_string(extent);
            return Next::Comma;
        }
        if let Some(extent) = self.strings.color(self.text.skip_blanks(self.at)) {
            self.note(Change::Bare);
            self.write_string(extent);
            return Next::Comma;
        }
        self.bold();
        match self.peek() {
            None => self.cut_member(),
            Some(b'{' | b'[') if self.is_left_behind() => self.cut_member(),
            Some(_) => Next::Value,
        }
    }

    /// `['name' => 1]`: the elements of a PHP array have names.
    pub(super) fn name_elements(&mut self) -> Next {
        match self.stack.last_mut() {
            Some(frame) if frame.kind == Kind::Array && frame.count == 1 => {
                frame.named = true;
                self.turn_into(Kind::Object);
                Next::Colon
            }
            _ => self.imply_object(),
        }
    }

    /// The input ended inside a member.
    pub(super) fn cut_member(&mut self) -> Next {
        self.unbegin();
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = false;
        }
        self.note(Change::Cut);
        Next::End
    }

    /// A name without a value: the element of a set, or text that belongs to nothing.
    fn name_only(&mut self) -> Next {
        let comma = self.text.at(self.at) == Some(b',');
        let next = self.text.look_past_blanks(self.text.past(self.at));
        let object_goes_on =
            comma && (self.text.quoted_key_at(next) || self.text.bare_key_at(next));
        let Some(frame) = self.stack.last() else {
            return Next::End;
        };
        if frame.count == 1 && !frame.implied && !object_goes_on && frame.kind == Kind::Object {
            self.turn_into(Kind::Array);
            if !comma && self.text.at(self.at) == Some(b'}') {
                return self.take_bracket();
            }
            return Next::Comma;
        }
        self.unbegin();
        self.note(Change::Dropped);
        Next::Comma
    }
}
