//! What may follow a string, so that a closing mark before it can be believed.

use super::string::{Place, Role, Strings, is_name, literal_at};
use super::text::is_quote;

/// Whether a string is a name whose closing mark is missing, its colon and what stands before the next mark: `"b: ["`.
fn holds_colon(string: &str) -> bool {
    let content = string.trim_matches(is_quote);
    let open = |c: char| c.is_whitespace() || "[{".contains(c);
    content
        .split_once(':')
        .is_some_and(|(name, rest)| is_name(name) && rest.chars().all(open))
}

/// How much of a line is looked at for the end of a string, in bytes.
const LINE: usize = 512;

impl Strings<'_> {
    /// Whether the grammar allows what stands at `next` behind a string.
    pub(super) fn ends_before(&self, next: usize, place: Place) -> bool {
        let text = self.text;
        let at = text.look_past_blanks(next);
        let Some(byte) = text.at(at) else {
            return true;
        };
        let next_line = text.slice(next, at).contains('\n');
        match (byte, place.role) {
            (b':' | b'=' | b'}' | b'{' | b'[' | b'0'..=b'9' | b'-', Role::Key) => true,
            (b':', Role::Element) => !text.starts(at, "://"),
            (b',', Role::Key) => {
                !place.members || text.quoted_key_at(text.look_past_blanks(text.past(at)))
            }
            (b',', _) => self.follows_comma(text.past(at), place),
            (b'}' | b']', Role::Value | Role::Element) => self.follows_closer(at + 1, place),
            (b'{' | b'[', Role::Element) => true,
            (b'0'..=b'9' | b'-', Role::Element) => next_line || self.number_and_comma(at),
            (b'+', _) => text.quote_at(text.look_past_blanks(at + 1)).is_some(),
            (b')', _) => place.parentheses,
            (b';', Role::Value) => text.quoted_key_at(text.look_past_blanks(text.past(at))),
            (b'=', Role::Element) => text.starts(at, "=>"),
            (b'*', _) if text.starts(at, "**") => match place.role {
                Role::Key => self.colon_follows(at + 2),
                _ => self.closes_at(at + 2),
            },
            (b';', Role::Root) => text.look_past_blanks(at + 1) >= text.len(),
            (b'`' | b'~', _) if text.marks_at(at) => true,
            _ if text.quote_at(at).is_some() => self.follows_quote(next, at, place),
            (_, Role::Key) => literal_at(text, at),
            (_, Role::Value) => self.bare_key_follows(next, at, place),
            (_, Role::Element) => self.literal_element_at(at, next_line),
            (_, Role::Root) => false,
        }
    }

    /// Another string follows directly: fine where a comma or a colon may have been forgotten between the two.
    fn follows_quote(&self, next: usize, at: usize, place: Place) -> bool {
        let text = self.text;
        let Some(end) = text.look_string(at) else {
            return place.role == Role::Element && at > next && !self.closes_at(at);
        };
        let behind = text.look_past_blanks(end);
        match place.role {
            Role::Key => text.at(behind) != Some(b':'),
            Role::Value => text.at(behind) == Some(b':') && !(at == next && end == at + 2),
            Role::Element => {
                let name = text.slice(next, at).contains('\n') && text.at(behind) == Some(b':');
                name || !(at == next && end == at + 2) && self.follows_element(end)
            }
            Role::Root => false,
        }
    }

    pub(super) fn colon_follows(&self, behind: usize) -> bool {
        self.text.at(self.text.look_past_blanks(behind)) == Some(b':')
    }

    /// Whether the mark at an offset stands before a comma, a closing bracket or the end.
    pub(super) fn closes_at(&self, behind: usize) -> bool {
        matches!(
            self.text.at(self.text.look_past_blanks(behind)),
            None | Some(b',' | b']' | b'}')
        )
    }

    /// What may stand behind the comma behind a value.
    fn follows_comma(&self, next: usize, place: Place) -> bool {
        let text = self.text;
        let at = text.past_prefix(text.look_past_blanks(next));
        let Some(byte) = text.at(at) else {
            return true;
        };
        let closes = byte == b')' && place.parentheses;
        if closes || matches!(byte, b'}' | b']' | b',') || text.starts(at, "...") {
            return true;
        }
        let name = text.past_markup(at);
        match place.role {
            Role::Value if name > at && text.quoted_key_at(name) => true,
            Role::Value if text.quote_at(at).is_some() => match text.look_string(at) {
                Some(end) => match text.at(text.look_past_blanks(end)) {
                    None | Some(b':' | b'{' | b'[' | b'0'..=b'9') => true,
                    Some(b'=') if self.equals => true,
                    Some(_) => {
                        text.quote_at(text.look_past_blanks(end)).is_some()
                            || text.quoted_key_at(at)
                            || holds_colon(text.slice(at, end))
                    }
                },
                // The text ends, or the string is longer than marks inside of a text are apart.
                None => true,
            },
            Role::Value if byte == b'{' => place.in_array,
            Role::Value => {
                let word = text.word_end(at);
                let behind = text.look_past_blanks(word);
                self.bare_name_at(at, place)
                    || text.half_quoted_key_at(at)
                    || (word > at && text.quoted_key_at(behind))
            }
            Role::Element if text.quote_at(at).is_some() => true,
            Role::Element => match byte {
                b'0'..=b'9' | b'-' | b'{' | b'[' | b'(' => true,
                _ => literal_at(text, at) || self.bare_element_at(at),
            },
            Role::Root | Role::Key => false,
        }
    }

    /// Whether a bare word and then a comma or a closing bracket stand at an offset, without a quote between.
    fn bare_element_at(&self, offset: usize) -> bool {
        let end = self.text.boundary(offset.saturating_add(128));
        let near = self.text.slice(offset, end);
        let stop = near
            .find([',', ']', '"', '\n'])
            .and_then(|at| near.as_bytes().get(at));
        matches!(stop, Some(b',' | b']')) || (stop.is_none() && end == self.text.len())
    }

    /// What may stand behind the closing bracket behind a value: not more words on the same line, unless the candidate
    /// ends there.
    fn follows_closer(&self, next: usize, place: Place) -> bool {
        let text = self.text;
        let (more, at) = text.closers(text.skip_blanks(next));
        let line_ends = text.slice(next, at).contains('\n');
        let goes_on = match text.at(at) {
            Some(b',') => self.value_or_key_at(text.look_past_blanks(text.past(at))),
            Some(b'"') => {
                text.quoted_key_at(at)
                    || line_ends
                        && text
                            .look_string(at)
                            .is_some_and(|end| self.follows_element(end))
            }
            Some(byte) if byte.is_ascii_alphanumeric() || byte >= 0x80 => {
                line_ends || (text.quote_at(at).is_none() && text.bare_key_at(at))
            }
            Some(byte) => line_ends || b"{[;`/#<|".contains(&byte),
            None => true,
        };
        goes_on || (more + 1 >= place.depth && !self.closes_later(at))
    }

    /// Whether an element may end at an offset: a comma, a closing bracket, the end or one more element follows.
    pub(super) fn follows_element(&self, behind: usize) -> bool {
        let text = self.text;
        let at = text.look_past_blanks(behind);
        let next_line = text.slice(behind, at).contains('\n');
        match text.at(at) {
            None | Some(b',' | b']' | b'}' | b'{' | b'[') => true,
            Some(b'0'..=b'9' | b'-') => next_line || self.number_and_comma(at),
            Some(_) => text.quote_at(at).is_some() || self.literal_element_at(at, next_line),
        }
    }

    /// Whether one more element is a literal: on a line of its own, or before what an element stands before.
    fn literal_element_at(&self, at: usize, next_line: bool) -> bool {
        let text = self.text;
        literal_at(text, at) && (next_line || self.closes_at(text.word_end(at)))
    }

    fn value_or_key_at(&self, offset: usize) -> bool {
        let text = self.text;
        text.quote_at(offset).is_some()
            || text.bare_key_at(offset)
            || text.half_quoted_key_at(offset)
            || literal_at(text, offset)
            || text
                .at(offset)
                .is_none_or(|b| b"{}[](),.0123456789-".contains(&b))
    }

    /// Whether the line goes on to a better end: a quote and a closing bracket, and nothing behind them.
    fn closes_later(&self, offset: usize) -> bool {
        let near = self
            .text
            .slice(offset, self.text.boundary(offset.saturating_add(LINE)));
        let line = near
            .lines()
            .next()
            .unwrap_or_default()
            .trim_end_matches(|c: char| c == ',' || c.is_whitespace());
        let body = line.trim_end_matches(|c: char| "}]".contains(c) || c.is_whitespace());
        body.len() < line.len() && body.ends_with('"')
    }

    /// Whether a number and then a comma, a closing bracket or the end stand at an offset.
    fn number_and_comma(&self, offset: usize) -> bool {
        let end = self.text.boundary(offset.saturating_add(64));
        let near = self.text.slice(offset, end);
        let length = near.find(|c: char| !c.is_ascii_digit() && !"+-.eE_".contains(c));
        self.closes_at(offset + length.unwrap_or(near.len()))
    }

    /// Whether the next member begins with a bare key: on a line of its own, or with a value that cannot be prose.
    fn bare_key_follows(&self, next: usize, at: usize, place: Place) -> bool {
        // `"y: "`: what is glued to the mark stands in the quotes that it opens.
        if at == next || !self.bare_name_at(at, place) {
            return false;
        }
        let colon = self.text.skip_blanks(self.text.word_end(at));
        let value = self.text.skip_blanks(colon + 1);
        let plain = self
            .text
            .at(value)
            .is_some_and(|b| b"{[\"-0123456789".contains(&b));
        // With `=` it is as well an attribute of HTML in the text of the string.
        let colon = self.text.at(colon) == Some(b':');
        plain && colon || self.text.slice(next, at).contains('\n')
    }

    /// Whether a bare key stands at an offset. Where other names have quotes and colons, `a =` is an assignment in the text
    /// of the string.
    fn bare_name_at(&self, offset: usize, place: Place) -> bool {
        let colon = self.text.skip_blanks(self.text.word_end(offset));
        let equals = self.text.at(colon) == Some(b'=');
        self.text.bare_key_at(offset) && (!equals || place.bare || self.equals)
    }
}
