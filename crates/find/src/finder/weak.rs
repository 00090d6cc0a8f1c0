//! Weak documents: `{}` and flat arrays count only if their place on the line makes them likely to be meant.

use jsift_json::cost;
use jsift_json::scan::{Shape, clean};
use jsift_json::terminal::Sequence;

use super::line::{self, NextByte};
use crate::prefix::{is_blank, is_in_string, sequence_before_end};

/// How many bytes of blanks and commas after a document are skipped: the decision about the document waits for them.
pub const BLANKS_LIMIT: usize = 4096;

/// Whether a document counts whatever is next to it: an object with members, or an array that contains an object or
/// array.
pub(crate) const fn is_strong(shape: Shape) -> bool {
    shape.is(Shape::OBJECT.with(Shape::FILLED)) || shape.is(Shape::ARRAY.with(Shape::NESTED))
}

/// Whether a weak document after `left` never counts: an array of one number, or a document glued to a word.
pub(crate) fn is_never(shape: Shape, left: &[u8]) -> bool {
    shape.is(Shape::ONE_NUMBER) || last_shown(left).is_some_and(is_of_word)
}

/// Whether a document that is followed by text is `{}` or `[]` after a word or the end of a sentence: `Deploying []
/// done`.
pub(crate) fn is_inside(shape: Shape, left: &[u8]) -> bool {
    let blanks = left.iter().rev().take_while(|byte| is_blank(byte));
    let text = left.get(..left.len() - blanks.count());
    let last = text.and_then(last_shown);
    !shape.is(Shape::FILLED)
        && last.is_some_and(|byte| is_of_word(byte) || b".!?;)".contains(&byte))
}

/// Whether the text before a document on its line begins with a name in quotes and ends inside a string: `"args":
/// "--set k={`.
pub(crate) fn is_in_member(line: &[u8]) -> bool {
    let shown = clean(line);
    let text = shown.trim_ascii_start();
    cost::look_at(shown.len() - text.len() + 1);
    text.starts_with(b"\"") && {
        cost::search(text.len());
        let quote = memchr::memrchr(b'"', text).unwrap_or_default();
        let before = text.get(..quote).unwrap_or_default().trim_ascii_end();
        before.ends_with(b"\":") && is_in_string(text)
    }
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the last byte of a text before any colour sequences; `None` if a sequence that ends a line follows it.
fn last_shown(mut text: &[u8]) -> Option<u8> {
    loop {
        text = match sequence_before_end(text) {
            Some((before, Sequence::Delete(_))) => before,
            Some(_) => return None,
            None => return text.last().copied(),
        };
    }
}

/// What follows a document on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterDocument {
    /// Nothing but blanks and commas.
    LineEnd,
    /// Blanks and commas, then an opening bracket.
    Bracket,
    /// Something else.
    Text,
    /// Not known yet: more text is needed.
    Unknown,
}

/// Returns what follows a document, given the `text` after it.
pub(crate) fn after(text: &[u8], last: bool) -> AfterDocument {
    let near = text.get(..BLANKS_LIMIT);
    let last = last && near.is_none();
    match line::next_after_commas(near.unwrap_or(text), last) {
        NextByte::End | NextByte::Byte(b'\n' | b'\r' | 0) => AfterDocument::LineEnd,
        NextByte::Byte(b'{' | b'[') => AfterDocument::Bracket,
        NextByte::Unknown if near.is_none() => AfterDocument::Unknown,
        NextByte::Byte(_) | NextByte::Unknown => AfterDocument::Text,
    }
}
