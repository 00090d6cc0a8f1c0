//! Checks what follows a string, to decide whether the closing quote before it can be believed. The text may end
//! there, or there may be
//!
//! - after a name, a colon, a separator, a bracket, a number, a literal, or a string that is not a name itself;
//! - after a value, a comma and then a name; a closing bracket after which the line ends or JSON goes on; or a name
//!   whose comma is missing, in quotes, or bare and on a line of its own;
//! - after an element, a colon, a comma and then an element, a closing bracket, or an element whose comma is missing.

use super::reader::TolerantReader;
use super::scalar;
use super::text::{StringRole, is_quote};
use crate::finder::literal_names::json_for;

/// How many numbers and literals without commas between them a lookahead skips.
const SCALARS: usize = 8;

/// How much of a line is searched for the end of a string, in bytes.
const LINE: usize = 512;

impl TolerantReader<'_> {
    /// Whether the grammar allows the text at `next` after a string.
    pub(super) fn ends_before(&self, next: usize, role: StringRole) -> bool {
        let text = self.text;
        let at = text.look_past_blanks(next);
        let Some(byte) = text.at(at) else {
            return true;
        };
        let next_line = text.slice(next, at).contains('\n');
        match (byte, role) {
            (
                b':' | b'=' | b',' | b'}' | b']' | b'{' | b'[' | b'0'..=b'9' | b'-',
                StringRole::Key,
            ) => true,
            (b':' | b'{' | b'[', StringRole::Element) => true,
            (b',', _) => self.follows_comma(text.past(at), role),
            // {"a": "f("b"); }"}
            (b';', _) => {
                let next = text.past(at);
                text.closers(text.skip_blanks(next)).0 == 0 && self.follows_comma(next, role)
            }
            (b'}' | b']', StringRole::Value | StringRole::Element) => self.follows_closer(at + 1),
            (b'=', StringRole::Element) => text.starts(at, "=>"),
            (b'+', _) => text.quote_at(text.look_past_blanks(at + 1)).is_some(),
            (b')', _) => self.in_parentheses(),
            _ if text.quote_at(at).is_some() => self.follows_quote(at, next_line, role),
            (_, StringRole::Value) => self.bare_key_follows(next, at),
            (_, StringRole::Key | StringRole::Element) => self.scalars_at(at, next_line),
            (_, StringRole::Root) => false,
        }
    }

    /// Whether the string at `at` may follow directly: it may where a comma or colon may have been forgotten before
    /// it.
    fn follows_quote(&self, at: usize, next_line: bool, role: StringRole) -> bool {
        self.text.look_string(at).is_some_and(|end| match role {
            StringRole::Key => !self.colon_follows(end),
            StringRole::Value => self.colon_follows(end),
            StringRole::Element => {
                self.follows_element(end) || next_line && self.colon_follows(end)
            }
            StringRole::Root => false,
        })
    }

    pub(super) fn colon_follows(&self, after: usize) -> bool {
        self.text.at(self.text.look_past_blanks(after)) == Some(b':')
    }

    /// Whether a name in quotes is at an offset, whose colon or closing quote may be missing: `"name" 1`, `"name: 1`.
    pub(super) fn key_at(&self, offset: usize) -> bool {
        let text = self.text;
        let quoted = text.quote_at(offset).is_some();
        text.named_value_at(offset) || quoted && self.unclosed_key_at(offset + 1).is_some()
    }

    /// Returns the end of the name at an offset and where reading goes on, if no closing quote or another one follows
    /// it, and then a colon and a value, or a bracket that ends its line: `name: [`, `name': 1`, `name {`.
    pub(super) fn unclosed_key_at(&self, offset: usize) -> Option<(usize, usize)> {
        let text = self.text;
        let near = text.slice(offset, text.boundary(offset.saturating_add(LINE)));
        let length = near.find(|c: char| ":{}[],\n".contains(c) || is_quote(c))?;
        let end = offset + near.get(..length)?.trim_end().len();
        let quote = text.quote_at(offset + length);
        let next = offset + length + quote.map_or(0, |(_, length)| length);
        let sign = text.skip_blanks(next);
        let opens = |at| matches!(text.at(at), Some(b'{' | b'['));
        let is_named = match text.at(sign)? {
            b':' => {
                let value = text.skip_blanks(sign + 1);
                opens(value) || text.quote_at(value).is_some() || self.scalars_at(value, false)
            }
            _ => {
                let rest = text.slice(sign + 1, text.skip_blanks(sign + 1));
                opens(sign) && end > offset && rest.contains('\n')
            }
        };
        (is_named && !text.slice(next, sign).contains('\n')).then_some((end, next))
    }

    /// Whether a comma, a closing bracket or the end of the text follows a quote that ends at `after`.
    pub(super) fn closes_at(&self, after: usize) -> bool {
        matches!(
            self.text.at(self.text.look_past_blanks(after)),
            None | Some(b',' | b']' | b'}')
        )
    }

    /// Whether the text at `next` may follow the comma after a string.
    fn follows_comma(&self, next: usize, role: StringRole) -> bool {
        let text = self.text;
        let at = text.past_prefix(text.look_past_blanks(next));
        let Some(byte) = text.at(at) else {
            return true;
        };
        if matches!(byte, b'}' | b']' | b',') {
            return true;
        }
        let quoted = text.quote_at(at).is_some();
        match role {
            StringRole::Value if quoted => match text.look_string(at) {
                Some(end) => {
                    let value = text.look_past_blanks(end);
                    value >= text.len() || self.key_at(at)
                }
                // The text ends, or the string is longer than the usual distance between quotes inside a text.
                None => true,
            },
            StringRole::Value => {
                let word = text.word_end(at);
                text.bare_key_at(at)
                    || text.half_quoted_key_at(at)
                    || (word > at && text.quoted_key_at(text.look_past_blanks(word)))
            }
            StringRole::Element => true,
            StringRole::Root | StringRole::Key => false,
        }
    }

    /// Whether the text at `next` may follow the closing bracket after a string: more words on the same line may not,
    /// unless the candidate ends there.
    fn follows_closer(&self, next: usize) -> bool {
        let text = self.text;
        let (more, at) = text.closers(text.skip_blanks(next));
        let line_ends = text.slice(next, at).contains('\n');
        let goes_on = match text.at(at) {
            None | Some(b',') => true,
            Some(b'"') => {
                let end = text.look_string(at).filter(|_| line_ends);
                text.quoted_key_at(at) || end.is_some_and(|end| self.follows_element(end))
            }
            Some(byte) => line_ends || b"{[;`/#<|".contains(&byte),
        };
        goes_on || (more + 1 >= self.stack.len() && !self.closes_later(at))
    }

    /// Whether an element may end at an offset: a comma, a closing bracket, the end of the text or another element
    /// follows.
    pub(super) fn follows_element(&self, after: usize) -> bool {
        let text = self.text;
        let at = text.look_past_blanks(after);
        let next_line = text.slice(after, at).contains('\n');
        match text.at(at) {
            None | Some(b',' | b']' | b'}' | b'{' | b'[') => true,
            Some(_) => text.quote_at(at).is_some() || self.scalars_at(at, next_line),
        }
    }

    /// Whether another element, a number or literal, is at an offset: on a line of its own, or before a comma, a
    /// closing bracket or the end of the text. More numbers and literals may be in between.
    fn scalars_at(&self, mut at: usize, next_line: bool) -> bool {
        let text = self.text;
        for _ in 0..SCALARS {
            let near = text.slice(at, text.boundary(at.saturating_add(64)));
            let mut tokens = near.split(|c: char| !c.is_alphanumeric() && !"+-._".contains(c));
            let token = tokens.next().unwrap_or_default();
            if scalar::number(token).is_none() && json_for(token.as_bytes()).is_none() {
                return false;
            }
            if next_line || self.closes_at(at + token.len()) {
                return true;
            }
            at = text.look_past_blanks(at + token.len());
        }
        false
    }

    /// Whether the rest of the line contains a better end: a quotation mark and closing brackets, with nothing after
    /// them.
    fn closes_later(&self, offset: usize) -> bool {
        let near = self
            .text
            .slice(offset, self.text.boundary(offset.saturating_add(LINE)));
        let line = near.lines().next().unwrap_or_default();
        line.trim_end_matches(['}', ']']).ends_with('"')
    }

    /// Whether the next member begins with a bare key: on a line of its own, or with a value that cannot be prose.
    fn bare_key_follows(&self, next: usize, at: usize) -> bool {
        // In `"y: "`, the name directly after the quote is inside the quotes that the quote opens.
        let Some(colon) = self.text.bare_key(at).filter(|_| at > next) else {
            return false;
        };
        let value = self.text.at(self.text.skip_blanks(colon + 1));
        let plain = value.is_some_and(|b| b"{[\"-0123456789".contains(&b));
        // A name with `=` may just as well be an HTML attribute in the text of the string.
        plain && self.text.at(colon) == Some(b':') || self.text.slice(next, at).contains('\n')
    }
}
