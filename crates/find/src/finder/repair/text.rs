//! Looks ahead in the text of a candidate: for blanks and comments, quotation marks and words.
//!
//! Each lookahead is either bounded or ends where the next one begins, so that all of them together take linear time.

use crate::finder::almost_json::{COMMENTS, Quote, ellipsis, other_blank, written_blank};
use crate::finder::strings::Strings;
use jsift_json::cost;

/// Limit of a lookahead for the end of a string, a word or a comment, in bytes.
pub(super) const LOOK: usize = 512;

/// The role of a string in the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    /// The name of a member.
    Key,
    /// The value of a member.
    Value,
    /// An element of an array.
    Element,
    /// The whole candidate.
    Root,
}

/// The extent of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StringExtent {
    /// Offset of the first byte after the opening quote.
    pub(super) start: usize,
    /// Offset of the end of the content.
    pub(super) end: usize,
    /// Offset where reading continues.
    pub(super) next: usize,
    /// Whether the input ended inside the string.
    pub(super) cut: bool,
    /// Whether the string had two double quotes around it, or none, which is reported as another change.
    pub(super) plain: bool,
    /// Whether the string is the name of a member.
    pub(super) key: bool,
}

impl StringExtent {
    /// Returns the extent of a string whose quotation marks are not two double quotes, or are misplaced.
    pub(super) const fn ended(start: usize, end: usize, next: usize) -> Self {
        Self {
            start,
            end,
            next,
            cut: false,
            plain: false,
            key: false,
        }
    }

    /// Returns the extent of text that has no quotes.
    pub(super) const fn bare(start: usize, end: usize) -> Self {
        Self {
            plain: true,
            ..Self::ended(start, end, end)
        }
    }
}

/// How much of a line is looked at on each side of a document, in bytes.
pub(super) const NEAR: usize = 512;

/// How much text after an object is searched for a brace that closes it again, in bytes.
const EARLY: usize = 4096;

/// The text of a candidate: valid UTF-8, read by byte offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateText<'a>(pub(super) &'a str);

impl<'a> CandidateText<'a> {
    /// Returns the byte at an offset; `None` past the end. At a [wide](Self::wide_at) sign, returns its ASCII
    /// equivalent.
    pub(super) fn at(self, offset: usize) -> Option<u8> {
        cost::look_at(1);
        let byte = *self.0.as_bytes().get(offset)?;
        if matches!(byte, 0xE3 | 0xEF) {
            return Some(self.wide_at(offset).unwrap_or(byte));
        }
        Some(byte)
    }

    /// Returns the ASCII equivalent of a comma, colon or semicolon as input methods for Chinese and Japanese write
    /// it.
    pub(super) fn wide_at(self, offset: usize) -> Option<u8> {
        match self.char_at(offset)? {
            '：' => Some(b':'),
            '，' | '、' => Some(b','),
            '；' => Some(b';'),
            _ => None,
        }
    }

    /// Whether the sign after a bare name shows that a value follows: a colon, or an equals sign or arrow before what
    /// has marks of its own.
    pub(super) fn separates_at(self, sign: usize) -> bool {
        let after = sign + if self.starts(sign, "=>") { 2 } else { 1 };
        let value = self.skip_blanks(after);
        let marked =
            || matches!(self.at(value), Some(b'{' | b'[')) || self.quote_at(value).is_some();
        self.at(sign) == Some(b':') || marked()
    }

    /// Returns the offset after the character at an offset.
    pub(super) fn past(self, offset: usize) -> usize {
        offset + self.char_at(offset).map_or(1, char::len_utf8)
    }

    /// The length in bytes.
    pub(super) const fn len(self) -> usize {
        self.0.len()
    }

    /// Whether the text starts with `what` at an offset.
    pub(super) fn starts(self, offset: usize, what: &str) -> bool {
        let rest = self.0.as_bytes().get(offset..);
        rest.is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// Returns the text from one offset to another; empty if an offset is not a character boundary.
    pub(super) fn slice(self, from: usize, to: usize) -> &'a str {
        self.0.get(from..to).unwrap_or_default()
    }

    /// Returns the character at an offset.
    pub(super) fn char_at(self, offset: usize) -> Option<char> {
        cost::look_at(1);
        self.0.get(offset..)?.chars().next()
    }

    /// Returns the family of the quotation mark at an offset, and its length in bytes.
    pub(super) fn quote_at(self, offset: usize) -> Option<(Quote, usize)> {
        let found = self.char_at(offset)?;
        let quote = Quote::of(found).filter(|_| !self.starts(offset, "```"))?;
        Some((quote, found.len_utf8()))
    }

    /// Whether the marks of a fence are at an offset.
    pub(super) fn fence_at(self, offset: usize) -> bool {
        self.starts(offset, "```") || self.starts(offset, "~~~")
    }

    /// Returns the length of the blank at an offset: white space of JSON, of other languages and of word processors,
    /// and what is written for a line end.
    fn blank_at(self, offset: usize) -> Option<usize> {
        let c = self.char_at(offset)?;
        let written = self.0.as_bytes().get(offset..).and_then(written_blank);
        if written.is_some() && !self.joins_at(offset) {
            return written;
        }
        let is_blank = c.is_whitespace() || other_blank(c).is_some();
        is_blank.then(|| c.len_utf8())
    }

    /// Whether a sign that joins two strings is at an offset: `"a" +` and another string on the next line.
    fn joins_at(self, offset: usize) -> bool {
        let quote_before = || {
            let before = self.slice(self.boundary(offset.saturating_sub(NEAR)), offset);
            before.trim_end().ends_with(['"', '\''])
        };
        let quote_after = || {
            let after = self.slice(offset + 1, self.boundary(offset + NEAR));
            after.trim_start().starts_with(['"', '\''])
        };
        self.starts(offset, "+") && quote_before() && quote_after()
    }

    /// Returns the first offset, from this one on, that is not a blank.
    pub(super) fn skip_blanks(self, mut offset: usize) -> usize {
        while let Some(length) = self.blank_at(offset) {
            offset += length;
        }
        offset
    }

    /// Returns the first offset, from this one on, that is neither in a blank nor in a comment.
    pub(super) fn past_comments(self, offset: usize) -> usize {
        let mut at = self.skip_blanks(offset);
        while let Some(end) = self.comment_end(at) {
            at = self.skip_blanks(end);
        }
        at
    }

    /// Returns the end of the comment at an offset: `//`, `/* */`, `#`, `<!-- -->` or an arrow `<--`. A comment that
    /// is not closed reaches to the end of the text.
    pub(super) fn comment_end(self, offset: usize) -> Option<usize> {
        if !matches!(self.at(offset)?, b'#' | b'/' | b'<') || self.colour_at(offset) {
            return None;
        }
        let mut comments = COMMENTS.iter();
        let (open, close) = comments.find(|(open, _)| self.starts(offset, open))?;
        let open = open.len();
        let rest = self.0.as_bytes().get(offset + open..)?;
        let found = memchr::memmem::find(rest, close.as_bytes());
        let end = found.map_or(self.len(), |at| offset + open + at + close.len());
        cost::search(end - offset);
        Some(end)
    }

    /// Whether the value of a member at an offset is a colour, as style sheets write it: `#` and hexadecimal digits.
    fn colour_at(self, offset: usize) -> bool {
        if !self.starts(offset, "#") {
            return false;
        }
        let near = self.slice(offset + 1, self.boundary(offset + 16));
        let (digits, _) = near.split_once([',', '}']).unwrap_or_default();
        matches!(digits.len(), 3 | 4 | 6 | 8)
            && digits.bytes().all(|b| b.is_ascii_hexdigit())
            && matches!(self.before(0, offset), Some((_, b':' | b'=')))
    }

    /// Returns the first offset, from this one on, that is neither in a blank nor in a comment, within [`LOOK`] for
    /// comments.
    pub(super) fn look_past_blanks(self, offset: usize) -> usize {
        let mut at = self.skip_blanks(offset);
        let near = CandidateText(self.slice(0, self.boundary(at.saturating_add(LOOK))));
        while let Some(end) = near.comment_end(at) {
            at = near.skip_blanks(end);
            // A comment longer than the lookahead hides what follows it, so the text counts as ending there.
            if at >= near.len() {
                return self.len();
            }
        }
        at
    }

    /// Returns how many closing brackets are at an offset, with or without blanks between them, and the offset after
    /// them. It counts up to 64; more make no difference.
    pub(super) fn closers(self, mut offset: usize) -> (usize, usize) {
        let mut count = 0;
        while count < 64 && matches!(self.at(offset), Some(b'}' | b']' | b')')) {
            count += 1;
            offset = self.skip_blanks(offset + 1);
        }
        (count, offset)
    }

    /// Whether members of an object that was closed before an offset are there: a name, and [near](EARLY) it a brace
    /// that nothing after it has opened. Each look for one in vain takes one of the `searches`.
    pub(super) fn goes_on_at(self, offset: usize, searches: &mut u32) -> bool {
        if *searches == 0 || !self.quoted_key_at(offset) {
            return false;
        }
        let near = self.slice(offset, self.boundary(offset.saturating_add(EARLY)));
        let (mut strings, mut depth) = (Strings::new(), 0_usize);
        let mut outside = near.bytes().filter(|byte| strings.is_outside(*byte));
        let closing = outside.find(|byte| match byte {
            b'{' | b'[' => {
                depth += 1;
                false
            }
            b'}' | b']' => {
                let closes = depth == 0;
                depth = depth.saturating_sub(1);
                closes
            }
            _ => false,
        });
        cost::look_at(near.len());
        if closing.is_none() {
            *searches -= 1;
        }
        closing == Some(b'}')
    }

    /// Returns where the line starts that an offset is on, or else an offset [shortly](NEAR) before.
    pub(super) fn line_start(self, offset: usize) -> usize {
        let from = self.boundary(offset.saturating_sub(NEAR));
        let before = self.slice(from, offset).as_bytes();
        memchr::memrchr(b'\n', before).map_or(from, |feed| from + feed + 1)
    }

    /// Returns the last character boundary at or before an offset.
    pub(super) fn boundary(self, offset: usize) -> usize {
        let mut at = offset.min(self.len());
        while !self.0.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Returns the offset after the string that begins at an offset; `None` if no string begins there, or it does not
    /// end within [`LOOK`]. Escapes are skipped.
    pub(super) fn look_string(self, offset: usize) -> Option<usize> {
        let (open, length) = self.quote_at(offset)?;
        let horizon = self.len().min(offset.saturating_add(LOOK));
        let doubled = self.is_doubled(offset);
        let mut at = offset + if doubled { 2 * length } else { length };
        while at < horizon {
            if self.at(at) == Some(b'\\') {
                at += 2;
                continue;
            }
            match self.quote_at(at) {
                Some((quote, length)) if open.closes_with(quote) => {
                    let again = doubled && self.quote_at(at + length).is_some();
                    return Some(at + if again { 2 * length } else { length });
                }
                _ => at += 1,
            }
        }
        None
    }

    /// Whether the quote at an offset is doubled, as spreadsheets and shells do: `""name""`.
    pub(super) fn is_doubled(self, offset: usize) -> bool {
        self.quote_at(offset).is_some_and(|(open, length)| {
            let second = offset + length;
            length == 1
                && self.quote_at(second) == Some((open, length))
                && self
                    .char_at(second + length)
                    .is_some_and(char::is_alphanumeric)
        })
    }

    /// Returns the end of the identifier at an offset (letters, digits, `_ $ . -`); the offset itself if there is
    /// none.
    pub(super) fn word_end(self, offset: usize) -> usize {
        let start = self.at(offset);
        if !start.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80) {
            return offset;
        }
        let mut at = offset;
        let part = |b: u8| b.is_ascii_alphanumeric() || b"_$.-".contains(&b) || b >= 0x80;
        while at < offset.saturating_add(LOOK) && self.at(at).is_some_and(part) {
            let sign = self.quote_at(at).is_some() || self.wide_at(at).is_some();
            if sign || self.blank_at(at).is_some() {
                break;
            }
            at += 1;
        }
        self.boundary(at)
    }

    /// Returns the length of the ellipsis at an offset.
    pub(super) fn ellipsis_at(self, offset: usize) -> Option<usize> {
        ellipsis(self.0.as_bytes().get(offset..)?)
    }

    /// Whether an object, an array, a number or a string begins at an offset.
    pub(super) fn value_at(self, offset: usize) -> bool {
        let byte = self.at(offset);
        byte.is_some_and(|b| b"{[-0123456789".contains(&b)) || self.quote_at(offset).is_some()
    }

    /// Returns the offset of the colon after the bare key at an offset: `name:` or `name =`, but not `http://`; `None`
    /// if there is no such key.
    pub(super) fn bare_key(self, offset: usize) -> Option<usize> {
        let mut end = self.word_end(offset);
        if end == offset {
            while end < offset.saturating_add(LOOK)
                && self.at(end).is_some_and(|b| b.is_ascii_digit())
            {
                end += 1;
            }
        }
        let colon = self.skip_blanks(end);
        let named = end > offset
            && matches!(self.at(colon), Some(b':' | b'='))
            && !self.starts(colon, "://")
            && !self.slice(end, colon).contains('\n');
        named.then_some(colon)
    }

    /// Whether a bare key and its colon are at an offset.
    pub(super) fn bare_key_at(self, offset: usize) -> bool {
        self.bare_key(offset).is_some()
    }

    /// Whether a string followed by a colon, or by an equals sign or arrow in its place, is at an offset.
    pub(super) fn quoted_key_at(self, offset: usize) -> bool {
        let Some(end) = self.look_string(offset) else {
            return false;
        };
        matches!(self.at(self.look_past_blanks(end)), Some(b':' | b'='))
    }

    /// Whether a string followed by a colon or by a value, before which the colon is missing, is at an offset.
    pub(super) fn named_value_at(self, offset: usize) -> bool {
        let value = self
            .look_string(offset)
            .map(|end| self.look_past_blanks(end));
        value.is_some_and(|value| {
            matches!(self.at(value), Some(b':' | b'=')) || self.value_at(value)
        })
    }

    /// Whether a name that has lost its opening quote, followed by a colon, is at an offset: `name":`.
    pub(super) fn half_quoted_key_at(self, offset: usize) -> bool {
        let end = self.word_end(offset);
        let after = self.quote_at(end).map(|(_, length)| end + length);
        let colon = after.map(|after| self.at(self.look_past_blanks(after)));
        end > offset && colon == Some(Some(b':'))
    }

    /// Returns the offset after the letters that Python puts before a string: `u'…'`, `rb"…"`; the offset itself if
    /// there are none. In `b":`, the letter is not a prefix but a word that has lost its opening quote.
    pub(super) fn past_prefix(self, offset: usize) -> usize {
        let letters = self.slice(offset, self.len()).bytes().take(2);
        let end = offset + letters.take_while(|b| b"bBfFrRuU".contains(b)).count();
        let opens = matches!(self.at(end), Some(b'"' | b'\''));
        let closes = self.at(end + 1).is_none_or(|b| b":,]} \n".contains(&b));
        if opens && !closes { end } else { offset }
    }

    /// Returns the last byte between `from` and `offset` that is not an ASCII blank, after its offset.
    pub(super) fn before(self, from: usize, offset: usize) -> Option<(usize, u8)> {
        let bytes = self.0.as_bytes().get(from..offset)?;
        let at = bytes.iter().rposition(|b| !b.is_ascii_whitespace())?;
        Some((from + at, *bytes.get(at)?))
    }
}

/// Whether a character ends a name without quotes: a colon, what may be in its place, a comma, a bracket or a line end.
pub(super) fn ends_bare_name(c: char) -> bool {
    ":：=,{}[]\n".contains(c)
}

/// Whether a character is a quotation mark.
pub(super) fn is_quote(c: char) -> bool {
    Quote::of(c).is_some()
}
