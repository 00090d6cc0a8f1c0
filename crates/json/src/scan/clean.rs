//! What is derived from a text after it was read: the place of one of its brackets, and the document without bytes that
//! do not belong to it.

use std::borrow::Cow;

use memchr::memchr2;

use crate::BOM;
use crate::cost;
use crate::terminal::{ESCAPE, Sequence, sequence_at_end};

/// Returns the position of the bracket at `depth` (1-based) in the chain of opening brackets that `text` starts with:
/// array brackets with only white space and terminal sequences between them.
#[must_use]
pub fn chain(text: &[u8], depth: usize) -> usize {
    let mut around = depth.saturating_sub(1);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'[' | b'{' if around == 0 => return at,
            b'[' | b'{' => around -= 1,
            ESCAPE => {
                // The bracket of a sequence opens nothing.
                if let Sequence::Delete(length) | Sequence::LineEnd(length) =
                    sequence_at_end(text.get(at..).unwrap_or_default())
                {
                    at += length;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
        cost::look_at(1);
    }
    0
}

/// Returns the document in a dirty text: without terminal sequences and byte order marks, with U+FFFD for invalid
/// UTF-8.
#[must_use]
pub fn clean(text: &[u8]) -> Cow<'_, [u8]> {
    // Most texts are clean, and many are empty.
    if text.is_empty() {
        return text.into();
    }
    cost::search(text.len());
    if memchr2(ESCAPE, BOM[0], text).is_none() && std::str::from_utf8(text).is_ok() {
        return text.into();
    }
    cost::look_at(text.len());
    let mut out = Vec::with_capacity(text.len());
    let mut quoted = false;
    let mut escaped = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        if byte == ESCAPE {
            match sequence_at_end(rest) {
                Sequence::Delete(length) => {
                    at += length;
                    continue;
                }
                Sequence::LineEnd(length) => {
                    out.push(b'\n');
                    at += length;
                    continue;
                }
                Sequence::Incomplete | Sequence::None => {}
            }
        }
        if !quoted && rest.starts_with(BOM) {
            at += BOM.len();
            continue;
        }
        match byte {
            _ if escaped => escaped = false,
            b'"' => quoted = !quoted,
            b'\\' => escaped = quoted,
            _ => {}
        }
        out.push(byte);
        at += 1;
    }
    match String::from_utf8_lossy(&out) {
        Cow::Borrowed(_) => out.into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}
