//! Reads values without quotes.
//!
//! Such a value is a number or literal if the text after it allows that; otherwise a call, whose arguments are read
//! like a tuple; otherwise text up to a comma, a closing bracket, a comment, the next name or the end of the line. In
//! an object, a comma that no name follows belongs to the text.

use super::change::RepairChange;
use super::reader::{Next, TolerantReader};
use super::reading::Bracket;
use super::scalar;
use super::string::literal_at;
use super::text::{StringExtent, ends_bare_name, is_quote};
use crate::finder::almost_json::ELLIPSES;
use crate::finder::literal_names::json_for;
use jsift_json::cost;

impl TolerantReader<'_> {
    /// Whether the text here is prose after a candidate that has lost its closing brackets: a blank line separates it
    /// from the candidate, in which all text so far has quotes.
    pub(super) fn is_prose(&self) -> bool {
        let before = self.text.slice(0, self.at);
        let blank = before.get(before.trim_end().len()..).unwrap_or_default();
        let filled = self.stack.first().is_some_and(|frame| frame.count > 0);
        let letter = self.text.char_at(self.at).is_some_and(char::is_alphabetic);
        filled
            && letter
            && !self.changes.has(RepairChange::Bare)
            && memchr::memchr_iter(b'\n', blank.as_bytes()).count() > 1
            && !literal_at(self.text, self.at)
    }

    /// Reads a number, a literal, a call or bare text.
    pub(super) fn bare(&mut self) -> Next {
        let token_end = self.past_thousands(self.token_end(self.at));
        let token = self.text.slice(self.at, token_end);
        if let Some(json) = self.scalar(&token.replace(',', ""), token_end) {
            if json != token {
                self.note(match json.ends_with(char::is_alphabetic) {
                    true => RepairChange::Literal,
                    false => RepairChange::Number,
                });
            }
            self.out.extend_from_slice(json.as_bytes());
            self.at = self.past_stray_quote(token_end);
            self.last_string = None;
            return self.after_value();
        }
        if let Some(arguments) = self.call() {
            self.at = arguments;
            self.push(Bracket::Parentheses);
            return Next::Value;
        }
        if let Some(brace) = self.past_type_name() {
            self.at = brace;
            self.note(RepairChange::Wrapper);
            return self.open_bracket(Bracket::Object);
        }
        let end = self.bare_end(self.at);
        let content = self.text.slice(self.at, end).trim_end();
        if content.is_empty() {
            self.unbegin();
            self.drop_char();
            return self.after_value();
        }
        self.note(RepairChange::Bare);
        self.last_string = Some(self.out.len());
        let extent = StringExtent::bare(self.at, self.at + content.len());
        self.write(extent);
        self.at = self.past_stray_quote(end);
        self.after_value()
    }

    /// Returns the offset after the thousands groups of a number: in an object, a comma before three digits is part
    /// of the number, since a comma between members is followed by a name.
    fn past_thousands(&self, mut end: usize) -> usize {
        let text = self.text;
        while self.kind() == Some(Bracket::Object) && text.starts(end, ",") {
            let next = self.token_end(end + 1);
            let group = text.slice(end + 1, next).split('.').next();
            let digits =
                |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
            if !group.is_some_and(digits) || self.colon_follows(next) {
                break;
            }
            end = next;
        }
        end
    }

    /// Returns the end of the token at an offset: a blank, a bracket, a quotation mark, a separator, a comment or an
    /// ellipsis.
    fn token_end(&self, offset: usize) -> usize {
        let rest = self.text.slice(offset, self.text.len());
        let stops = |c: char| c.is_whitespace() || is_quote(c) || ",:;，、：；()[]{}\\".contains(c);
        let token = rest.find(stops).unwrap_or(rest.len());
        cost::look_at(token);
        let token = rest.get(..token).unwrap_or_default();
        let marks = ["/*"].iter().chain(&ELLIPSES);
        let mark = marks.filter_map(|mark| token.find(mark)).min();
        offset + mark.unwrap_or(token.len())
    }

    /// Returns the number or literal that a token means, if the text after the token allows it.
    pub(super) fn scalar(&self, token: &str, end: usize) -> Option<String> {
        let text = self.text;
        let at = text.look_past_blanks(end);
        let byte = text.at(at);
        let cut = scalar::cut_literal(token).filter(|_| end == text.len());
        let value = match json_for(token.as_bytes()).or(cut) {
            Some(literal) => literal.to_owned(),
            None if token == "-" && matches!(byte, None | Some(b',')) => "0".to_owned(),
            None => scalar::number(token)?,
        };
        let line_ends = text.slice(end, at).contains('\n');
        let settled = match byte {
            None | Some(b',' | b'}' | b']' | b')' | b';' | b'{' | b'[') => true,
            _ if line_ends || text.fence_at(at) || text.quote_at(at).is_some() => true,
            _ if text.ellipsis_at(end).is_some() => true,
            _ if at == end => false,
            _ if self.kind() == Some(Bracket::Object) => text.bare_key_at(at),
            _ => {
                let next = text.slice(at, self.token_end(at));
                scalar::number(next).is_some() || literal_at(text, at)
            }
        };
        settled.then_some(value)
    }

    /// Returns the offset after the opening parenthesis of a call like `ObjectId("…")` or `new Date(0)`.
    pub(super) fn call(&self) -> Option<usize> {
        let text = self.text;
        let mut end = text.word_end(self.at);
        if text.slice(self.at, end) == "new" {
            end = text.word_end(text.skip_blanks(end));
        }
        (end > self.at && text.at(end) == Some(b'(')).then_some(end + 1)
    }

    /// Returns the offset of the brace after the name of a type before the value of a member, as Rust and Go print it:
    /// `Object {"a": 1}`.
    fn past_type_name(&self) -> Option<usize> {
        let text = self.text;
        let is_type = text.char_at(self.at).is_some_and(char::is_uppercase);
        let end = text.word_end(self.at);
        let brace = text.look_past_blanks(end);
        let next = text.look_past_blanks(brace + 1);
        let named = text.quoted_key_at(next) || text.bare_key_at(next);
        let opens = text.at(brace) == Some(b'{') && !text.slice(end, brace).contains('\n');
        let is_value = self.kind() == Some(Bracket::Object) && is_type;
        (is_value && opens && named).then_some(brace)
    }

    /// Returns the end of bare text: a separator, a closing bracket that nothing in the text opened, the end of the
    /// line, a comment, or the next key.
    fn bare_end(&self, offset: usize) -> usize {
        let text = self.text;
        let member = self.kind() == Some(Bracket::Object);
        // Whether a blank is before a place, or the bare text begins there.
        let parted = |at| {
            !text
                .slice(offset, at)
                .ends_with(|c: char| !c.is_whitespace())
        };
        let mut depth = 0_usize;
        let mut at = offset;
        while let Some(byte) = text.at(at) {
            match byte {
                b'\n' | b'\r' => break,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b'}' | b']' => break,
                b')' if self.in_parentheses() => break,
                b',' if depth == 0 && !(member && self.is_text(at)) => break,
                b'/' | b'#' | b'<' if parted(at) && text.comment_end(at).is_some() => break,
                _ if self.past_stray_quote(at) > at || text.quoted_key_at(at) => break,
                _ => {}
            }
            at += 1;
        }
        text.boundary(at)
    }

    /// Whether the comma at an offset is part of the bare value before it: no name and colon follow on its line.
    fn is_text(&self, comma: usize) -> bool {
        let text = self.text;
        let next = text.skip_blanks(text.past(comma));
        let line = text.slice(comma, next).contains('\n');
        if line || text.comment_end(next).is_some() {
            return false;
        }
        let near = text.slice(next, text.boundary(next.saturating_add(128)));
        match near
            .find(|c: char| ends_bare_name(c) || c == '，')
            .map(|at| next + at)
        {
            Some(at) if at == next => false,
            Some(at) => matches!(text.at(at), Some(b',' | b'}' | b'\n')),
            None => true,
        }
    }

    /// Returns the offset after the closing quote of a string that has lost its opening quote; the offset itself if no
    /// such quote is there.
    pub(super) fn past_stray_quote(&self, offset: usize) -> usize {
        let Some((_, length)) = self.text.quote_at(offset) else {
            return offset;
        };
        let next = self.text.at(self.text.look_past_blanks(offset + length));
        let ends = matches!(next, None | Some(b',' | b'}' | b']' | b':' | b')'));
        if ends { offset + length } else { offset }
    }
}
