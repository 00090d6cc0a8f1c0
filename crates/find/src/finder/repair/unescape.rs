//! JSON inside a string: text in which the quotation marks are escaped is read with one level of escapes removed.

use super::text::CandidateText;
use crate::finder::almost_json::{begins_escaped, is_escaped_blank};
use jsift_json::cost;

/// How many brackets and written-out blanks (`\n`) are skipped to find the first quotation mark.
const OPENINGS: usize = 16;

/// Returns the offset after the brackets and blanks at an offset, including blanks written out as `\n`, `\t` or `\r`.
fn past_openings(text: CandidateText<'_>, offset: usize) -> usize {
    let mut at = text.skip_blanks(offset);
    for _ in 0..OPENINGS {
        let length = match text.slice(at, text.len()).as_bytes() {
            [b'{' | b'[', ..] => 1,
            rest if is_escaped_blank(rest) => 2,
            _ => break,
        };
        at = text.skip_blanks(at + length);
    }
    at
}

/// Whether the text from an offset on is part of an escaped string, judged by the text up to its first quotation
/// mark.
pub(super) fn is_escaped(text: CandidateText<'_>, offset: usize) -> bool {
    string_around(text, offset).is_some()
}

/// Whether the text at an offset is a string in single quotes that contains JSON with its line ends written out.
pub(super) fn is_quoted(text: CandidateText<'_>, offset: usize) -> bool {
    matches!(
        text.slice(offset, text.len()).as_bytes(),
        [b'\'', b'{' | b'[', ..]
    ) && string_around(text, offset + 2) == Some('\'')
}

/// Returns the quotation mark of the string that the text at an offset is part of; `None` if it is not part of one.
/// It is `"` if the first quotation mark after the offset is escaped, `\"`. It is `'` if that quote is a plain `"`
/// after a written-out `\n`, as Python shows a string or bytes between single quotes.
fn string_around(text: CandidateText<'_>, offset: usize) -> Option<char> {
    let at = past_openings(text, offset);
    match text.slice(at, text.len()).as_bytes() {
        rest if begins_escaped(rest) => Some('"'),
        [b'"', ..] if text.slice(offset, at).contains('\\') => Some('\''),
        _ => None,
    }
}

/// Removes one level of string escapes from the text at an offset, up to the quote that ends the string around it, or
/// until at least `most` bytes remain. Returns these and the first offset after them.
pub(super) fn unescape(text: CandidateText<'_>, offset: usize, most: usize) -> (String, usize) {
    let quote = string_around(text, offset + 1).unwrap_or('"');
    let mut out = String::new();
    let mut at = offset;
    while out.len() < most
        && let Some(c) = text.char_at(at)
    {
        // In `\\"` the quotation mark belongs to a string of the inner text: the backslash was escaped, the quote was
        // not.
        let inner = c == '"' && text.slice(offset, at).ends_with("\\\\");
        if c == quote && !inner {
            break;
        }
        at += c.len_utf8();
        cost::look_at(1);
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(escaped) = text.char_at(at) else {
            break;
        };
        at += escaped.len_utf8();
        match escaped {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '"' | '\\' | '/' => out.push(escaped),
            closing if closing == quote => out.push(closing),
            // Any other escape belongs to the inner text.
            other => out.extend(['\\', other]),
        }
    }
    // The closing quote of a string that has lost its opening one is skipped.
    let opened = offset.checked_sub(1).and_then(|before| text.at(before)) == Some(b'"');
    let stray = text.at(at) == Some(b'"') && !opened;
    (out, at + usize::from(stray))
}
