//! Finds where strings end whose quotation marks cannot be trusted.
//!
//! 1. A closing quote is believed if the grammar allows what follows it (`follow` checks that).
//! 2. It is text nevertheless inside brackets that the string itself has opened, as in code and in JSON that was put
//!    into a string without escapes, unless no better quote follows; as the second of a pair of quotes in the text; and
//!    before a colon in an element that contains other quotes.
//! 3. A quote that is not believed may open the next string, so that this string has lost its closing quote; otherwise
//!    the quote is text.
//! 4. If the input ends first, the string ends at the last quote that was not believed, or at the brackets at the end
//!    of the input; otherwise it was cut.

use super::reader::TolerantReader;
use super::text::{CandidateText, StringExtent, StringRole};
use crate::finder::almost_json::Quote;
use crate::finder::literal_names::json_for;
use jsift_json::cost;

/// How far after a likely end of a string a better one is searched for, in bytes.
const REACH: usize = 1 << 16;

/// A search for the end of one string.
struct StringSearch {
    start: usize,
    open: Quote,
    /// Whether the opening quote is doubled.
    doubled: bool,
    role: StringRole,
    /// How many quotes could have closed the string but were not believed.
    refused: usize,
    /// Offsets of the last such quote and of the byte after it.
    last: (usize, usize),
    /// One bit for each bracket that is open inside the string, the innermost in the lowest bit: whether a quotation
    /// quote follows the bracket. Of more than 64 brackets, the outermost are forgotten.
    brackets: u64,
    /// The first end that would have been believed if no brackets had been open.
    put_off: Option<StringExtent>,
}

impl StringSearch {
    /// Returns the quote that was not believed if there is only one: quotes that belong to the text come in pairs.
    fn single(&self) -> Option<(usize, usize)> {
        (self.refused == 1).then_some(self.last)
    }

    /// Returns the end of the line on which the name begins, if a quote at `at` that does not close it is on another
    /// one: then the name is cut off there.
    fn line_end(&self, text: CandidateText<'_>, at: usize) -> Option<usize> {
        let from = self.start.max(self.last.1);
        cost::look_at(at.saturating_sub(from));
        text.slice(from, at).find('\n').map(|feed| from + feed)
    }

    /// Records a bracket inside the string, if there is one at `at`.
    fn bracket(&mut self, text: CandidateText<'_>, at: usize) {
        match text.at(at) {
            Some(b'{' | b'[') => {
                let next = text.skip_blanks(at + 1);
                let next = next + usize::from(text.at(next) == Some(b'\\'));
                let quote = text.quote_at(next);
                let quoted = quote.is_some_and(|(quote, _)| self.open.closes_with(quote));
                self.brackets = self.brackets << 1 | u64::from(quoted);
            }
            Some(b'}' | b']') => self.brackets >>= 1,
            _ => {}
        }
    }
}

impl TolerantReader<'_> {
    /// Returns the extent of the string whose opening quote is at `offset`; `None` if there is no quote.
    pub(super) fn extent(&mut self, offset: usize, role: StringRole) -> Option<StringExtent> {
        let (open, length) = self.text.quote_at(offset)?;
        let doubled = self.text.is_doubled(offset) && (self.doubled || role == StringRole::Key);
        if role == StringRole::Key {
            self.doubled = doubled;
        }
        let start = offset + if doubled { 2 * length } else { length };
        let mut extent = self.search(StringSearch {
            start,
            open,
            doubled,
            role,
            refused: 0,
            last: (0, 0),
            brackets: 0,
            put_off: None,
        });
        extent.plain &= open == Quote::Double && !doubled;
        extent.key = role == StringRole::Key;
        Some(extent)
    }

    /// Returns the extent of a value between three quotes and three more: `"""text"""`, as Python writes it, or a
    /// fence, without its info string.
    pub(super) fn tripled(&mut self, offset: usize) -> Option<StringExtent> {
        const QUOTES: [&str; 3] = ["\"\"\"", "'''", "```"];
        let text = self.text;
        let quotes = QUOTES.iter().find(|quotes| text.starts(offset, quotes))?;
        if *self.searches == 0 {
            return None;
        }
        let opened = offset + quotes.len();
        let rest = text.slice(opened, text.len());
        cost::search(rest.len());
        let mut found = memchr::memmem::find_iter(rest.as_bytes(), quotes).map(|at| opened + at);
        let Some(end) = found.find(|at| self.closes_at(at + quotes.len())) else {
            *self.searches -= 1;
            return None;
        };
        let content = text.slice(opened, end);
        let info = content.find('\n').filter(|_| quotes.starts_with('`'));
        let start = opened + info.map_or(0, |at| at + 1);
        let next = end + quotes.len();
        // The line end before the closing marks of a fence belongs to them.
        let written = text.slice(start, end);
        let body = written.strip_suffix('\n').filter(|_| info.is_some());
        let body = body.map_or(written, |body| body.strip_suffix('\r').unwrap_or(body));
        Some(StringExtent::ended(start, start + body.len(), next))
    }

    /// Returns the extent of a string up to the first closing quote that can be believed.
    fn search(&mut self, mut search: StringSearch) -> StringExtent {
        let mut at = search.start;
        while let Some(byte) = self.text.at(at) {
            if matches!(search.put_off, Some(extent) if at > extent.end + REACH) {
                break;
            }
            if byte == b'\\' {
                at += 1 + self.text.char_at(at + 1).map_or(0, char::len_utf8);
                continue;
            }
            // Most bytes are neither a quotation mark nor a bracket.
            if !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'{' | b'}' | b'[' | b']' | 0xC2 | 0xE2 | 0xEF
            ) {
                at += 1;
                continue;
            }
            let quote = self.text.quote_at(at);
            let length = quote.map_or(1, |(_, length)| length);
            let closes = quote.is_some_and(|(quote, _)| search.open.closes_with(quote));
            search.bracket(self.text, at);
            let extent = closes
                .then(|| self.decide(at, length, &mut search))
                .flatten();
            if let Some(extent) = extent {
                return extent;
            }
            at += length;
        }
        match search.put_off {
            Some(extent) => {
                *self.searches -= 1;
                extent
            }
            None => self.unclosed(&search),
        }
    }

    /// Decides what a quote is that may close the string. Returns the extent if the quote ends the string or opens the
    /// next one; `None` if it is text. An end is put off while brackets with quotation marks after them are open in
    /// the text, since code and JSON contain quotes that look like an end.
    fn decide(&self, at: usize, length: usize, search: &mut StringSearch) -> Option<StringExtent> {
        let text = self.text;
        let mut after = at + length;
        if search.doubled && text.quote_at(after).map(|(quote, _)| quote) == Some(search.open) {
            after += length;
        }
        if self.is_believed(after, search) {
            let extent = StringExtent {
                plain: true,
                ..StringExtent::ended(search.start, at, after)
            };
            if search.refused == 0 || search.brackets == 0 || *self.searches == 0 {
                return Some(extent);
            }
            search.put_off.get_or_insert(extent);
        } else if let Some(extent) = self.ended_earlier(at, search) {
            return Some(extent);
        } else if search.role == StringRole::Key
            && let Some(end) = search.line_end(text, at)
        {
            return Some(StringExtent {
                cut: true,
                ..StringExtent::ended(search.start, end, end)
            });
        }
        search.refused += 1;
        search.last = (at, after);
        None
    }

    /// Whether a quote ends the string: the grammar allows what follows it, and no rule makes it text.
    fn is_believed(&self, after: usize, search: &StringSearch) -> bool {
        let follows_others = search.role == StringRole::Element && search.refused > 0;
        // ["the "name": text"]
        let text = follows_others && self.colon_follows(after) || self.closes_pair(after, search);
        !text && (self.ends_line(after, search) || self.ends_before(after, search.role))
    }

    /// Whether the first quote of a value ends the line on which the string began, as in a program, whose objects may
    /// have more than members (`{method: 'POST',\n body, ...more}`).
    fn ends_line(&self, after: usize, search: &StringSearch) -> bool {
        let in_program = self.bare_name || search.open != Quote::Double;
        let is_first = search.refused == 0 && search.role == StringRole::Value && in_program;
        is_first && self.line_ends(after) && search.line_end(self.text, after).is_none()
    }

    /// Whether nothing but blanks and commas is on the rest of the line from `after` on.
    fn line_ends(&self, after: usize) -> bool {
        let rest = self.text.slice(after, self.text.len());
        let rest = rest.trim_start_matches([' ', '\t', '\r', ',']);
        rest.starts_with('\n')
    }

    /// Whether a quote is the second of a pair in the text, although the text after it could also follow a string.
    fn closes_pair(&self, after: usize, search: &StringSearch) -> bool {
        if search.refused.is_multiple_of(2) {
            return false;
        }
        let text = self.text;
        let comma = text.look_past_blanks(after);
        let parted = text.at(comma) == Some(b',');
        let next = match parted {
            true => text.look_past_blanks(text.past(comma)),
            false => comma,
        };
        // {"a": "b["c"] { }"}, {"a": "f("c");"}
        let (closers, end) = text.closers(comma);
        let code = closers > 0 && matches!(text.at(end), Some(b'{' | b';' | b'|'));
        match search.role {
            _ if code => true,
            // ["the "quick", "brown" fox", 1]
            StringRole::Element if parted && text.quote_at(next).is_some() => {
                !matches!(text.look_string(next), Some(end) if self.follows_element(end))
            }
            // {"a": "b "c" d: e"}, if the name `a` is in quotes
            StringRole::Value => {
                let line = parted && text.slice(comma, next).contains('\n');
                !self.bare_name && !line && text.bare_key_at(next)
            }
            _ => false,
        }
    }

    /// Returns the extent of the string if a quote that does not end it opens the next string: then this string has
    /// lost its closing quote. `None` if the quote is text.
    fn ended_earlier(&self, at: usize, search: &StringSearch) -> Option<StringExtent> {
        let text = self.text;
        let StringSearch {
            start,
            role,
            refused,
            ..
        } = *search;
        let (last, byte) = text.before(start, at)?;
        if search.brackets != 0 && byte != b'{' && role != StringRole::Key {
            return None;
        }
        let end = match (byte, role) {
            // {"key:"value"} and {"key: ["value"]}
            (_, StringRole::Key) => {
                let (end, next) = self.unclosed_key_at(start)?;
                return Some(StringExtent::ended(start, end, next));
            }
            // {"a": "first, b: "second"}
            (b':', StringRole::Value) if refused == 0 => {
                start + first_bare_key(text, start, text.slice(start, at))?
            }
            // {"a": "b,"c": "d"} and ["a,"b"]
            (b',', StringRole::Value) if text.quoted_key_at(at) => last,
            (b',', StringRole::Element)
                if text.look_string(at).is_some_and(|end| self.closes_at(end)) =>
            {
                last
            }
            // {"a": ["b" c], "next": 1}
            (b',', StringRole::Element) if refused == 1 && text.quoted_key_at(at) => last,
            // [{"a": "first\n}, {\n"b": "second"}]
            (b'{', StringRole::Value | StringRole::Element)
                if refused == 0 && text.quoted_key_at(at) =>
            {
                before_brackets(text, start, at)?
            }
            // {"a": "first\n"b": 2}
            (_, StringRole::Value)
                if text.quoted_key_at(at) && text.slice(last, at).contains('\n') =>
            {
                last + 1
            }
            _ => return None,
        };
        // A single quote before that end was the closing quote; the text after it belongs to nothing.
        let (end, next) = search
            .single()
            .filter(|(quote, _)| *quote < end)
            .unwrap_or((end, end));
        Some(StringExtent::ended(start, end, next))
    }

    /// Returns the extent of a string if the input ends before any closing quote was believed: the string is cut off,
    /// or its closing quote is missing.
    fn unclosed(&mut self, search: &StringSearch) -> StringExtent {
        let end = self.text.len();
        let cut = StringExtent {
            cut: true,
            ..StringExtent::ended(search.start, end, end)
        };
        let ended = self.before_text(search);
        ended.or_else(|| self.before_closers(search)).unwrap_or(cut)
    }

    /// Returns the extent of a string that is followed by nothing but text, as after the last member of an object
    /// that is cut off. It ends at its last quote, if that quote ends its line and those before it come in pairs.
    fn before_text(&self, search: &StringSearch) -> Option<StringExtent> {
        let (end, after) = search.last;
        let ends = search.refused % 2 == 1 && self.line_ends(after);
        ends.then_some(StringExtent::ended(search.start, end, self.text.len()))
    }

    /// Returns the extent of a string that must have ended, because the input ends with closing brackets. It ends at
    /// its only quote, before what may be the next name or element, or before the brackets.
    fn before_closers(&mut self, search: &StringSearch) -> Option<StringExtent> {
        let StringSearch {
            start,
            role,
            refused,
            ..
        } = *search;
        let content = self.text.slice(start, self.text.len());
        cost::look_at(content.len());
        let closes = |c: char| "}]".contains(c) || (c == ')' && self.in_parentheses());
        let body = content.trim_end_matches(|c: char| c.is_whitespace() || closes(c));
        let tail = content.get(body.len()..)?;
        if *self.searches == 0 || role == StringRole::Root || !tail.contains(closes) {
            return None;
        }
        *self.searches -= 1;
        if let Some((end, next)) = search.single() {
            return Some(StringExtent::ended(start, end, next));
        }
        let end = match role {
            // {"f(x): 1}
            StringRole::Key => content.find(':'),
            // ["a, b, c]
            StringRole::Element if refused == 0 => body.find(','),
            // {"a": "first, b: 2}
            StringRole::Value if refused == 0 => first_bare_key(self.text, start, body),
            _ => None,
        };
        let end = start + end.unwrap_or(body.len());
        Some(StringExtent::ended(start, end, end))
    }
}

/// Returns where a string ends if nothing but blanks, brackets and commas, among them a line end and a `}`, is
/// between its end and `at`.
fn before_brackets(text: CandidateText<'_>, start: usize, at: usize) -> Option<usize> {
    let content = text.slice(start, at);
    let body = content.trim_end_matches(|c: char| c.is_ascii_whitespace() || "{}[],".contains(c));
    cost::look_at(content.len() - body.len());
    let tail = content.get(body.len()..)?;
    (tail.contains('}') && tail.contains('\n')).then_some(start + body.len())
}

/// Whether a literal of JSON or of a related language is at an offset.
pub(super) fn literal_at(text: CandidateText<'_>, offset: usize) -> bool {
    let word = text.slice(offset, text.word_end(offset));
    json_for(word.as_bytes()).is_some()
}

/// Returns the offset in `body`, which begins at `start` in the text, of the comma before the first bare key.
fn first_bare_key(text: CandidateText<'_>, start: usize, body: &str) -> Option<usize> {
    cost::look_at(body.len());
    let mut commas = memchr::memchr_iter(b',', body.as_bytes());
    commas.find(|at| text.bare_key_at(text.skip_blanks(start + at + 1)))
}
