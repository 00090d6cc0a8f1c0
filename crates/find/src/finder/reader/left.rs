//! What the text before a document says about it: whether the document may be a part of a larger one.

use crate::finder::bracket::announces;
use crate::finder::{literal_names, weak};
use jsift_json::cost;

use super::indent;
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
    pub(super) opened: Option<u8>,
    /// Whether a bracket was closed that nothing has opened.
    closed: bool,
    /// Whether its line has the sign of a changed one, which is a blank in `line`.
    pub(super) changed: bool,
}

impl LeftText {
    /// `text` ends where the document starts. The last broken document ends after `broken` bytes of it, and the last one that
    /// counts, or is broken, after `counted`: brackets before these ends were not opened, or closed, around this one.
    pub(super) fn new(text: &[u8], (broken, counted): (usize, usize)) -> Self {
        let begin = |text: &[u8]| {
            let feed = memchr::memrchr(b'\n', text);
            feed.map_or(0, |feed| feed + 1)
        };
        let trimmed = text.trim_ascii_end();
        let (mut before, mut start, mut goes_on) = (Before::Nothing, text.len(), false);
        match trimmed {
            [rest @ .., b':'] if matches!(rest.trim_ascii_end(), [.., b'"' | b'\'']) => {
                let named = rest.trim_ascii_end();
                let line = begin(named);
                let (quote, inside) = named.split_last().unwrap_or((&b'"', named));
                // The start of the name may be missing, too.
                let opening = memchr::memrchr(*quote, inside.get(line..).unwrap_or_default());
                start = line + opening.unwrap_or_default();
                before = Before::Name;
                let left = text.get(..start).unwrap_or_default();
                goes_on = left.trim_ascii_end().ends_with(b",");
            }
            [rest @ .., b','] if ends_value(rest.trim_ascii_end()) => {
                before = Before::Comma;
                goes_on = true;
            }
            _ if trimmed.len() > begin(text) => before = Before::Text,
            _ => {}
        }
        let left = text.get(..start).unwrap_or_default();
        let member = goes_on || before == Before::Name;
        let after = |end| brackets(left.get(end..).unwrap_or_default(), member);
        let ((opened, _), (_, closed)) = (after(broken), after(counted));
        Self {
            before,
            name: text.len() - start,
            line: left.get(begin(left)..).unwrap_or_default().to_vec(),
            goes_on,
            opened,
            closed,
            changed: false,
        }
    }

    /// Returns the blanks before the document, or its name, if nothing else stands there on its line.
    pub(super) fn indent(&self) -> Option<u64> {
        weak::is_blank(&self.line, false).then(|| indent(&self.line))
    }

    /// Whether the document may be a part, if `next` follows it; `None` stands for the end of input.
    pub(super) fn suspects(&self, next: Option<u8>) -> bool {
        let indent = self.indent();
        match (self.before, next) {
            // Whatever the text is: a member after the comma, and a bracket that closes it, show that it is cut JSON.
            (_, Some(b',')) => true,
            (Before::Text, _) => false,
            (_, Some(b'}' | b']')) => true,
            (Before::Name, _) => self.goes_on || indent.is_some(),
            (Before::Comma, _) => self.closed || indent.is_some_and(|indent| indent > 0),
            (Before::Nothing, _) => indent.is_some_and(|indent| indent > 0),
        }
    }

    /// Whether the document is certainly a part if the text after it goes on like JSON up to the end of input.
    pub(super) fn is_certain(&self) -> bool {
        let alone = self
            .indent()
            .is_some_and(|indent| indent > 0 || self.before == Before::Name);
        self.goes_on && (self.closed || alone)
    }
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

/// Returns the innermost bracket that is open at the end of a text, and whether one was closed that nothing has opened.
/// Quoted brackets do not count, nor does one that is left open inside an earlier line. If a `member`, or an element
/// after a comma, follows, nor does one that ends its line alone or after a label: the document that it opened is
/// broken.
fn brackets(text: &[u8], member: bool) -> (Option<u8>, bool) {
    cost::look_at(text.len());
    let (mut open, mut closed) = (Vec::new(), false);
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let (mut lowest, mut quoted, mut escaped) = (open.len(), false, false);
        for (at, &byte) in line.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => open.push(byte),
                b'}' | b']'
                    if !quoted && !ends_prefix(line.get(..at).unwrap_or_default(), byte) =>
                {
                    let own = open.pop_if(|bracket| closes(*bracket, byte));
                    closed |= own.is_none();
                    lowest = lowest.min(open.len());
                }
                _ => {}
            }
        }
        let shown = line.trim_ascii();
        let announced = |left: &[u8]| left.is_empty() || announces(left.trim_ascii_end());
        let alone = member && shown.split_last().is_some_and(|(_, left)| announced(left));
        let opens = !alone && matches!(shown.last(), Some(b'{' | b'[' | b'('));
        if !opens && lines.peek().is_some() {
            open.truncate(lowest);
        }
    }
    (open.pop(), closed)
}

pub(super) const fn closes(open: u8, byte: u8) -> bool {
    matches!((open, byte), (b'{', b'}') | (b'[', b']'))
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
