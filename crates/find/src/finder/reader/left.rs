//! What the text before a document says about it: whether the document may be a part of a larger one.

use super::announced::is_announced;
use super::indent;
use crate::finder::strings::{Strings, outside_strings, outside_strings_after};
use crate::finder::{line, literal_names};
use crate::prefix::is_blank;

/// What stands before a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// A member's name and colon.
    Name,
    /// A value and a comma.
    Comma,
    /// Nothing on its line.
    Nothing,
    Text,
}

/// What the text before a document says about it.
#[derive(Debug)]
pub(super) struct LeftText {
    pub(super) before: Before,
    /// How many bytes before the document its name starts.
    pub(super) name: usize,
    /// The text before the document, or its name, on the line.
    pub(super) line: Vec<u8>,
    /// Whether another member or element and a comma stand before it.
    goes_on: bool,
    /// The innermost open bracket around it.
    pub(super) opened: Option<Open>,
    /// Whether a bracket was closed that nothing has opened.
    closed: bool,
    /// Whether its line has the sign of a changed one, which is a blank in `line`.
    pub(super) changed: bool,
    /// Whether the document is closed deeper than its line is indented: the beginning of that line, or a line, is
    /// missing.
    pub(super) deeper: bool,
}

impl LeftText {
    /// Returns what a text says about the document that starts at its end. `is_part` says whether the end of the
    /// document shows that it is a part if nothing is before it on its line. The last broken document ends after
    /// `broken` bytes of the text, and the last one that counts, or is broken, after `counted`: brackets before these
    /// ends were not opened, or closed, around this one.
    pub(super) fn new(text: &[u8], is_part: bool, (broken, counted): (usize, usize)) -> Self {
        let trimmed = text.trim_ascii_end();
        let (mut before, mut start, mut goes_on) = (Before::Nothing, text.len(), false);
        match trimmed {
            [rest @ .., b':'] if matches!(rest.trim_ascii_end(), [.., b'"' | b'\'']) => {
                let named = rest.trim_ascii_end();
                let line = last_line(named);
                let (quote, inside) = line.split_last().unwrap_or((&b'"', line));
                // The start of the name may be missing, too.
                let opening = memchr::memrchr(*quote, inside);
                start = named.len() - line.len() + opening.unwrap_or_default();
                before = Before::Name;
                let left = text.get(..start).unwrap_or_default();
                goes_on = left.trim_ascii_end().ends_with(b",");
            }
            // What is before the colon or comma is missing, too.
            [rest @ .., b':'] if last_line(rest).trim_ascii().is_empty() => {
                (before, start) = (Before::Name, rest.len());
            }
            [rest @ .., b',']
                if ends_value(rest.trim_ascii_end())
                    || is_cut_literal(last_line(rest).trim_ascii()) =>
            {
                before = Before::Comma;
                goes_on = true;
            }
            _ if !last_line(text).trim_ascii().is_empty() => before = Before::Text,
            _ => {}
        }
        let left = text.get(..start).unwrap_or_default();
        let name = (before == Before::Name).then(|| text.get(start)).flatten();
        let is_part = match before {
            Before::Name | Before::Comma => true,
            Before::Nothing => is_part,
            Before::Text => false,
        };
        let after = |end| brackets(left.get(end..).unwrap_or_default(), is_part, name);
        let (mut opened, closed) = after(counted);
        if broken < counted {
            (opened, _) = after(broken);
        }
        Self {
            before,
            name: text.len() - start,
            line: last_line(left).to_vec(),
            goes_on,
            opened,
            closed,
            changed: false,
            deeper: false,
        }
    }

    /// Returns the blanks before the document, or its name, if nothing else stands there on its line.
    pub(super) fn indent(&self) -> Option<u64> {
        line::is_blank(&self.line).then(|| indent(&self.line))
    }

    /// Whether a member's name is before the document, and an indent shows that both are on a line of a larger
    /// document.
    fn is_indented_member(&self) -> bool {
        let indented = self.deeper || ends_indented(&self.line) || self.indent() > Some(1);
        self.before == Before::Name && indented
    }

    /// Whether the document may be a part, if `next` follows it; `None` stands for the end of input.
    pub(super) fn suspects(&self, next: Option<u8>) -> bool {
        let indent = self.indent();
        let in_broken = self.opened.is_some_and(|open| open.broken);
        match (self.before, next) {
            // Whatever the text is: a member after the comma, and a bracket that closes it, show that it is cut JSON.
            (_, Some(b',')) => true,
            _ if self.deeper => true,
            (Before::Text, Some(b'}' | b']')) => in_broken,
            // A value after a name that cannot be read.
            (Before::Text, _) => in_broken && self.line.trim_ascii_end().ends_with(b":"),
            (_, Some(b'}' | b']')) => true,
            _ if in_broken => true,
            (Before::Name, _) => self.goes_on || indent.is_some() || self.is_indented_member(),
            (Before::Comma, _) => self.closed || indent.is_some_and(|indent| indent > 0),
            (Before::Nothing, _) => indent.is_some_and(|indent| indent > 0),
        }
    }

    /// Whether a closing bracket after the document closes what a word has opened on its line: `f({"a":1})`, `Some { a:
    /// [1] }`.
    pub(super) fn is_closed_by(&self, bracket: u8) -> bool {
        let opened = self.opened.filter(|open| open.is_near && !open.broken);
        opened.is_some_and(|open| open.is_closed_by(bracket))
    }

    /// Whether the document is certainly a part if the text after it goes on like JSON up to the end of input, or up to
    /// other text.
    pub(super) fn is_certain(&self) -> bool {
        let alone = self
            .indent()
            .is_some_and(|indent| indent > 0 || self.before == Before::Name);
        self.is_indented_member() || self.goes_on && (self.closed || alone)
    }
}

/// Returns the last line of a text.
pub(super) fn last_line(text: &[u8]) -> &[u8] {
    let feed = memchr::memrchr(b'\n', text);
    feed.map_or(text, |feed| text.get(feed + 1..).unwrap_or_default())
}

/// Whether a text is nothing, or nothing but the end of a literal name.
fn is_cut_literal(text: &[u8]) -> bool {
    let mut names = literal_names::JSON.iter();
    names.any(|name| name.as_bytes().ends_with(text))
}

/// Whether a text may end with a JSON value.
fn ends_value(text: &[u8]) -> bool {
    let last = |last: &u8| last.is_ascii_digit() || b"\"'}]".contains(last);
    let names = || {
        literal_names::JSON
            .iter()
            .any(|name| text.ends_with(name.as_bytes()))
    };
    text.last().is_some_and(last) || names()
}

/// A bracket that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    byte: u8,
    /// Whether it is on the last line.
    is_near: bool,
    /// Whether the document that it opened is broken.
    pub(super) broken: bool,
}

impl Open {
    pub(super) const fn is_closed_by(self, byte: u8) -> bool {
        matches!((self.byte, byte), (b'{', b'}') | (b'[', b']'))
    }
}

/// Returns the innermost bracket that is open at the end of a text, and whether one was closed that nothing has opened.
/// Quoted brackets do not count, nor does one that is left open inside an earlier line.
///
/// A bracket opened a broken document if it is an object's and a quotation mark, or a name without the first one, is
/// next, or if it is [announced](is_announced) and either an object's on the last line, before a member, or the last
/// byte of an earlier line, before a part. `is_part` says whether what follows the text is a part, `name` which byte
/// the name begins with if that is a member.
fn brackets(text: &[u8], is_part: bool, name: Option<&u8>) -> (Option<Open>, bool) {
    let (mut open, mut closed) = (Vec::<Open>::new(), false);
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let mut lowest = open.len();
        // What is after the last line is in no string, so the beginning of that one may be.
        let begins = match is_last && outside_strings(line, |_, _| {}) {
            true => Strings::opened(),
            false => Strings::new(),
        };
        outside_strings_after(begins, line, |at, byte| {
            let (left, rest) = line.split_at(at);
            match byte {
                b'{' | b'[' => {
                    let after = rest.get(1..).unwrap_or_default().trim_ascii_start();
                    let text = match (after, lines.peek()) {
                        ([], Some(next)) => next.trim_ascii_start(),
                        _ => after,
                    };
                    let next = text.first().or(name);
                    let may_be = match is_last {
                        true => byte == b'{' && name.is_some(),
                        false => is_part && after.is_empty(),
                    };
                    let is_named = byte == b'{' && (next == Some(&b'"') || begins_cut_name(text));
                    let broken = is_named || may_be && is_announced(left);
                    open.push(Open {
                        byte,
                        is_near: is_last,
                        broken,
                    });
                }
                b'}' | b']' if !ends_prefix(left, byte) => {
                    let own = open.pop_if(|open| open.is_closed_by(byte));
                    closed |= own.is_none();
                    lowest = lowest.min(open.len());
                }
                _ => {}
            }
        });
        let opens = matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b'('));
        if !opens && !is_last {
            open.truncate(lowest);
        }
    }
    (open.pop(), closed)
}

/// Whether a text begins with a member's name that lacks its first quotation mark: `type": `.
fn begins_cut_name(text: &[u8]) -> bool {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let word = text.iter().take_while(|byte| is_of_word(byte)).count();
    match text.split_at_checked(word) {
        Some((_, [b'"', after @ ..])) => word > 0 && after.trim_ascii_start().starts_with(b":"),
        _ => false,
    }
}

/// Whether a text ends with more blanks than a log puts before a message.
pub(super) fn ends_indented(text: &[u8]) -> bool {
    let mut blanks = text.iter().rev().take_while(|byte| is_blank(byte));
    blanks.clone().count() > 2 || blanks.any(|byte| *byte == b'\t')
}

/// Whether a bracket after this text on its line closes nothing: values of an array have no names, so it ends a prefix
/// (`main.go:12]`).
pub(super) fn ends_prefix(before: &[u8], bracket: u8) -> bool {
    let is_named = || {
        let colon = before
            .iter()
            .rposition(|byte| !byte.is_ascii_alphanumeric());
        colon.is_some_and(|at| before.get(at) == Some(&b':') && at + 1 < before.len())
    };
    bracket == b']' && is_named()
}
