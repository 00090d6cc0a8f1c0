//! JSON itself: the strict, resumable scanner, values read in place, text with lone surrogates, and the writer that
//! changes only white space. Nothing here depends on where text comes from.

pub mod cost;
pub mod joined;
pub mod lanes;
pub mod memory;
pub mod pointer;
mod quotes;
pub mod scan;
pub mod string;
pub mod tape;
pub mod terminal;
pub mod text;
pub mod view;
pub mod write;

/// The byte order mark in UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

use crate::lanes::{Among, Bytes};

pub use string::{hex, unescaped, write_escaped};

/// Whether a byte is white space between tokens (RFC 8259, section 2).
#[inline]
pub const fn is_white(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\n') | (byte | 4 == b'\r')
}

/// Returns the end of the white space that starts at `at`.
#[inline]
pub(crate) fn after_white(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| is_white(**byte)).count()
}

/// Tells which bytes are white space, as [`is_white`] does.
#[inline(always)]
fn white<const N: usize>(bytes: Bytes<N>) -> Bytes<N> {
    bytes.is_among(&const { Among::new(b" \t\n\r") })
}

/// Tells which bytes open or close an object or array.
#[inline(always)]
fn brackets<const N: usize>(bytes: Bytes<N>) -> Bytes<N> {
    // One bit distinguishes braces from brackets.
    let braces = bytes | 0x20;
    braces.is(b'{') | braces.is(b'}')
}

/// Whether a text is one JSON value, with only white space around it.
pub fn is_json(text: &[u8]) -> bool {
    // Parsing into `IgnoredAny` neither recurses nor keeps anything; it does not check that strings are valid UTF-8.
    cost::look_at(text.len());
    let valid = std::str::from_utf8(text);
    valid.is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}
