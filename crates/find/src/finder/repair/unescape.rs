//! JSON inside a string: text in which the quotation marks are escaped is read with one level of escapes removed.

use super::text::CandidateText;
use jsift_json::cost;

/// How far the first quotation mark is searched for, in bytes.
const NEAR: usize = 64;

/// Whether the text from an offset on is part of an escaped string: the first quotation mark after brackets and blanks, also
/// those written out as `\n`, is escaped.
pub(super) fn is_escaped(text: CandidateText<'_>, offset: usize) -> bool {
    let mut rest = text.slice(offset, text.boundary(offset.saturating_add(NEAR)));
    cost::look_at(1);
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "{[".contains(c));
        match rest.strip_prefix("\\n") {
            Some(after) => rest = after,
            None => break,
        }
    }
    let mark = rest.trim_start_matches('\\');
    mark.starts_with('"') && mark.len() < rest.len()
}

/// Removes one level of string escapes from the text at an offset, up to the mark that ends the string around it.
/// Returns the text and the first offset after it.
pub(super) fn unescape(text: CandidateText<'_>, offset: usize) -> (String, usize) {
    let mut out = String::new();
    let mut at = offset;
    while let Some(c) = text.char_at(at) {
        // In `\\"` the quotation mark belongs to a string of the inner text: the backslash was escaped, the mark was
        // not.
        if c == '"' && !text.slice(offset, at).ends_with("\\\\") {
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
            // Any other escape belongs to the inner text.
            other => out.extend(['\\', other]),
        }
    }
    // The closing mark of a string that has lost its opening one is skipped.
    let opened = offset.checked_sub(1).and_then(|before| text.at(before)) == Some(b'"');
    let stray = text.at(at) == Some(b'"') && !opened;
    (out, at + usize::from(stray))
}
