//! What stands without quotes where a value is wanted: numbers, literals, calls and bare text.

use super::change::Change;
use super::reader::{Kind, Next, Reader};
use super::scalar;
use super::string::{Extent, literal_at};
use super::text::{Text, is_quote};

impl Reader<'_> {
    /// Whether text here stands behind a candidate that has lost its closing brackets: a blank line parts it from what is
    /// there, in which all text has quotes.
    pub(super) fn is_prose(&self) -> bool {
        let before = self.text.slice(0, self.at);
        let blank = before.get(before.trim_end().len()..).unwrap_or_default();
        let filled = self.stack.first().is_some_and(|frame| frame.count > 0);
        let letter = self.text.char_at(self.at).is_some_and(char::is_alphabetic);
        filled
            && letter
            && !self.changes.has(Change::Bare)
            && memchr::memchr_iter(b'\n', blank.as_bytes()).count() > 1
            && !literal_at(self.text, self.at)
    }

    /// Reads a number, a literal, a call or bare text.
    pub(super) fn bare(&mut self) -> Next {
        if let Some(next) = self.grouped() {
            return next;
        }
        let token_end = self.token_end(self.at);
        let token = self.text.slice(self.at, token_end);
        if let Some(json) = self.scalar(token, token_end) {
            if json != token {
                let is_number = json.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                self.note(if is_number {
                    Change::Number
                } else {
                    Change::Literal
                });
            }
            self.out.extend_from_slice(json.as_bytes());
            self.at = self.past_stray_quote(token_end);
            self.last_string = None;
            return self.after_value();
        }
        if let Some(arguments) = self.call() {
            self.at = arguments;
            self.push(Kind::Parentheses, false);
            return Next::Value;
        }
        let end = self.bare_end(self.at);
        let content = self.text.slice(self.at, end).trim_end();
        if content.is_empty() {
            self.unbegin();
            self.drop_char();
            return self.after_value();
        }
        self.note(Change::Bare);
        self.last_string = Some(self.out.len());
        let extent = Extent::bare(self.at, self.at + content.len());
        self.strings.write(extent, &mut self.out, &mut self.changes);
        self.at = self.past_stray_quote(end);
        self.after_value()
    }

    /// Reads a number with commas between its thousands. In an object, where a name has to follow a comma, it is one.
    fn grouped(&mut self) -> Option<Next> {
        let text = self.text;
        let digits = |from: usize| {
            let rest = text.slice(from, text.len()).bytes();
            rest.take_while(u8::is_ascii_digit).take(4).count()
        };
        let sign = usize::from(text.at(self.at) == Some(b'-'));
        let mut end = self.at + sign + digits(self.at + sign);
        let first = end;
        while text.starts(end, ",") && digits(end + 1) == 3 {
            end += 4;
        }
        let leads = (1..4).contains(&(first - self.at - sign));
        let member = self.kind() == Some(Kind::Object);
        if !member || !leads || end == first || self.strings.colon_follows(end) {
            return None;
        }
        let end = self.token_end(end);
        let number = scalar::number(&text.slice(self.at, end).replace(',', ""))?;
        self.note(Change::Number);
        self.out.extend_from_slice(number.as_bytes());
        self.at = end;
        self.last_string = None;
        Some(self.after_value())
    }

    /// The end of the token at an offset: up to a blank, a bracket, a quote or a separator.
    fn token_end(&self, offset: usize) -> usize {
        let rest = self.text.slice(offset, self.text.len());
        let stops = |c: char| c.is_whitespace() || ",:;，、：；()[]{}\\\"'`“”‘’".contains(c);
        // The Go way to say nothing.
        if rest.starts_with("<nil>") {
            return offset + 5;
        }
        let token = rest.find(stops).unwrap_or(rest.len());
        let comment = rest.get(..token).and_then(|token| token.find("/*"));
        offset + comment.unwrap_or(token)
    }

    /// The number or literal that a token says, if what follows it lets it be one.
    pub(super) fn scalar(&self, token: &str, end: usize) -> Option<String> {
        let text = self.text;
        if token == "<nil>" {
            return Some("null".to_owned());
        }
        let at = text.look_past_blanks(end);
        let byte = text.at(at);
        let signed_nothing = token == "-" && matches!(byte, None | Some(b','));
        let cut = if end == text.len() {
            scalar::cut_literal(token)
        } else {
            None
        };
        let value = match scalar::literal(token).or(cut) {
            Some(literal) => literal.to_owned(),
            None if signed_nothing => "0".to_owned(),
            None => scalar::number(token)?,
        };
        let line_ends = text.slice(end, at).contains('\n');
        let settled = match byte {
            None | Some(b',' | b'}' | b']' | b')' | b';' | b'{' | b'[') => true,
            _ if line_ends || at > end && text.comment_end(at).is_some() => true,
            _ if text.marks_at(at) || text.quote_at(at).is_some() => true,
            _ if at == end => false,
            _ if self.kind() == Some(Kind::Object) => text.bare_key_at(at),
            _ => {
                let next = text.slice(at, self.token_end(at));
                scalar::number(next).is_some() || literal_at(text, at)
            }
        };
        settled.then_some(value)
    }

    /// The first byte behind the bracket of a call like `ObjectId("…")` or `new Date(0)`.
    pub(super) fn call(&self) -> Option<usize> {
        let text = self.text;
        let mut end = text.word_end(self.at);
        if text.slice(self.at, end) == "new" {
            end = text.word_end(text.skip_blanks(end));
        }
        let open = text.skip_blanks(end);
        if end == self.at || text.at(open) != Some(b'(') {
            return None;
        }
        let mut first = text.look_past_blanks(open + 1);
        // The argument of a call may be another call's result.
        let inner = text.word_end(first);
        if inner > first && text.at(inner) == Some(b'(') {
            first = text.look_past_blanks(inner + 1);
        }
        let value = text
            .at(first)
            .is_none_or(|b| b"{[()-0123456789".contains(&b));
        (value || text.quote_at(first).is_some() || literal_at(text, first)).then_some(open + 1)
    }

    /// The end of bare text: a separator, a closing bracket that nothing in the text opened, the end of the line, a
    /// comment, or the next key.
    fn bare_end(&self, offset: usize) -> usize {
        let text = self.text;
        let member = self.kind() == Some(Kind::Object);
        let mut depth = 0_usize;
        let mut at = offset;
        while let Some(byte) = text.at(at) {
            match byte {
                b'\n' | b'\r' => break,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b'}' | b']' => break,
                b')' if self.is_open(Kind::Parentheses) => break,
                b',' if depth == 0 && !(member && self.is_text(at)) => break,
                b';' if depth == 0 && member && !self.is_text(at) => break,
                b'`' | b'~' if text.marks_at(at) => break,
                b'/' | b'#' | b'<'
                    if after_blank(text, offset, at) && text.comment_end(at).is_some() =>
                {
                    break;
                }
                _ if text.quote_at(at).is_some() => {
                    let stray = self.past_stray_quote(at) > at;
                    if stray || (member && text.quoted_key_at(at)) {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        text.boundary(at)
    }

    /// Whether the comma or semicolon at an offset is a part of the bare value before it: no name and colon follow on its line.
    fn is_text(&self, comma: usize) -> bool {
        let text = self.text;
        let next = text.skip_blanks(text.past(comma));
        let line = text.slice(comma, next).contains('\n');
        if line
            || next >= text.len()
            || text.quote_at(next).is_some()
            || text.comment_end(next).is_some()
        {
            return false;
        }
        let near = text.slice(next, text.boundary(next.saturating_add(128)));
        let stops = |c: char| ":：=,，;{}[]\n".contains(c) || is_quote(c);
        match near.find(stops).map(|at| next + at) {
            Some(at) if at == next => false,
            Some(at) if text.quote_at(at).is_some() => !text.quoted_key_at(at),
            Some(at) => matches!(text.at(at), Some(b',' | b';' | b'}' | b'\n')),
            None => true,
        }
    }

    /// Behind the closing mark of a string that has lost its opening mark.
    pub(super) fn past_stray_quote(&self, offset: usize) -> usize {
        let Some((_, length)) = self.text.quote_at(offset) else {
            return offset;
        };
        let next = self.text.at(self.text.look_past_blanks(offset + length));
        let ends = matches!(next, None | Some(b',' | b'}' | b']' | b':' | b')'));
        if ends { offset + length } else { offset }
    }
}

/// Whether a blank stands before an offset, or the text begins there.
fn after_blank(text: Text<'_>, start: usize, at: usize) -> bool {
    at == start
        || at
            .checked_sub(1)
            .and_then(|at| text.at(at))
            .is_some_and(|b| b.is_ascii_whitespace())
}
