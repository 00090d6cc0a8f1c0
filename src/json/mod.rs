//! JSON itself: the strict, resumable scanner, values read in place, text with lone surrogates, and the writer that
//! changes only white space. Nothing here depends on where text comes from.

pub mod joined;
pub mod lines;
pub mod pointer;
mod quotes;
pub mod scan;
pub(crate) mod string;
pub(crate) mod tape;
pub mod text;
pub mod view;
pub mod write;

pub(crate) use string::{hex, write_escaped};

/// Whether a byte is white space between tokens (RFC 8259, section 2).
#[inline]
pub(crate) const fn is_white(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\n') | (byte | 4 == b'\r')
}

/// Whether a byte opens or closes an object or array.
#[inline]
pub(crate) const fn is_bracket(byte: u8) -> bool {
    // One bit distinguishes braces from brackets.
    (byte | 0x20 == b'{') | (byte | 0x20 == b'}')
}

/// Whether a text is one JSON value, with only white space around it.
pub(crate) fn is_json(text: &[u8]) -> bool {
    // Parsing into `IgnoredAny` neither recurses nor keeps anything; it does not check that strings are valid UTF-8.
    let valid = std::str::from_utf8(text);
    valid.is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}
