//! What is made of a text once it has been read: the place of one of its brackets, the document without what is none
//! of it.

use memchr::memchr2;

use crate::input::BOM;
use crate::input::terminal::{ESCAPE, Sequence, sequence_at_end};

/// Where the bracket stands that is opened at `depth` (1-based) in the chain of opening brackets that `text` begins
/// with: brackets of arrays with nothing but white space and terminal sequences between them.
#[must_use]
pub fn chain(text: &[u8], depth: usize) -> Option<usize> {
    let mut opened = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'[' | b'{' => {
                opened += 1;
                if opened == depth {
                    return Some(at);
                }
                at += 1;
            }
            ESCAPE => match sequence_at_end(text.get(at..).unwrap_or_default()) {
                Sequence::Delete(length) | Sequence::LineEnd(length) => at += length,
                Sequence::Incomplete | Sequence::None => return None,
            },
            _ => at += 1,
        }
    }
    None
}

/// The document in a dirty text: terminal sequences and byte order marks taken out, invalid UTF-8 replaced by U+FFFD.
#[must_use]
pub fn clean(text: &[u8]) -> Vec<u8> {
    // Most texts are clean.
    if memchr2(ESCAPE, BOM[0], text).is_none() && std::str::from_utf8(text).is_ok() {
        return text.to_vec();
    }
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
        std::borrow::Cow::Borrowed(_) => out,
        std::borrow::Cow::Owned(text) => text.into_bytes(),
    }
}
