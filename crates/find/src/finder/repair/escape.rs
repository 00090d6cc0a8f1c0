//! Writes the content of strings with the escapes of strict JSON.
//!
//! Escapes of JSON stay as they are. Escapes of other languages become the characters they mean; any other backslash
//! becomes an escaped backslash. Quotation marks and control characters are escaped. An escape that the end of input
//! has cut is left out, and so is the white space before a closing quote on a line of its own.

use super::change::{Changes, RepairChange};
use super::reader::TolerantReader;
use super::text::{StringExtent, is_quote};
use jsift_json::{cost, unescaped, write_escaped};

impl TolerantReader<'_> {
    /// Writes the content of a string as strict JSON, quotes included.
    pub(super) fn write(&mut self, extent: StringExtent) {
        if !extent.plain {
            self.note(if extent.cut {
                RepairChange::Closer
            } else {
                RepairChange::Quote
            });
        }
        self.out.push(b'"');
        self.write_content(extent);
        self.out.push(b'"');
    }

    /// Writes the content of a string as strict JSON, without quotes.
    pub(super) fn write_content(&mut self, extent: StringExtent) {
        let (out, changes) = (&mut self.out, &mut self.changes);
        let content = self.text.slice(extent.start, extent.end);
        let content = match extent.cut {
            true => without_cut_escape(content),
            false => without_layout(content, extent.key, changes),
        };
        cost::look_at(content.len());
        let escaped = !is_unescaped(content);
        let mut rest = content;
        while let Some(c) = rest.chars().next() {
            let mut taken = c.len_utf8();
            match c {
                '\\' => taken = write_escape(rest, escaped, out, changes),
                '\r' if rest.starts_with("\r\n") => {}
                '"' | '\0'..' ' => {
                    changes.note(match c {
                        '"' => RepairChange::InnerQuote,
                        _ => RepairChange::Control,
                    });
                    write_escaped(c.encode_utf8(&mut [0; 4]).as_bytes(), out);
                }
                _ => out.extend_from_slice(rest.get(..taken).unwrap_or_default().as_bytes()),
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
    }
}

/// Whether a string was never escaped, as LaTeX, paths and patterns are: it contains a backslash that is an escape
/// neither in JSON nor in a related language, or a backspace before a letter, and no escaped backslash.
fn is_unescaped(content: &str) -> bool {
    let mut unknown = false;
    let mut rest = content;
    while let Some((_, after)) = rest.split_once('\\') {
        unknown |= match escape_length(after) {
            _ if after.starts_with('\\') => return false,
            Some(_) => after.starts_with('b') && after.get(1..).is_some_and(begins_word),
            None => !after.is_empty(),
        };
        let escaped = after.chars().next().map_or(0, char::len_utf8);
        rest = after.get(escaped..).unwrap_or_default();
    }
    unknown
}

fn begins_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns the length of the escape that `after`, the text after a backslash, starts with, if it is an escape in JSON,
/// in JavaScript or Python, or one that Markdown puts before an underscore.
fn escape_length(after: &str) -> Option<usize> {
    let hex = |digits: usize| {
        let code = after.get(1..1 + digits)?;
        code.bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then_some(1 + digits)
    };
    let first = after.chars().next()?;
    match first {
        'u' => hex(4),
        'x' => hex(2),
        '\r' if after.starts_with("\r\n") => Some(2),
        '_' | '\n' | '\r' => Some(1),
        quote if is_quote(quote) => Some(quote.len_utf8()),
        letter => unescaped(u8::try_from(letter).ok()?).map(|_| 1),
    }
}

/// Returns the content without an escape sequence that the end of input has cut: a backslash, a part of `\uXXXX`, or
/// a part of a surrogate pair.
fn without_cut_escape(content: &str) -> &str {
    let mut from = content.len().saturating_sub(12);
    while !content.is_char_boundary(from) {
        from += 1;
    }
    let near = content.get(from..).unwrap_or_default();
    for (at, _) in near.match_indices('\\') {
        let (before, escape) = content.split_at(from + at);
        let slashes = before.len() - before.trim_end_matches('\\').len();
        if slashes % 2 == 0 && is_cut(escape) {
            return before;
        }
    }
    content
}

/// Whether the text is an incomplete escape sequence, an incomplete surrogate pair, or the first half of a pair.
fn is_cut(escape: &str) -> bool {
    let hex = |s: &str| s.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(code) = escape.strip_prefix("\\u") else {
        return escape == "\\";
    };
    let Some((high, low)) = code.split_at_checked(4) else {
        return hex(code);
    };
    let leads = u16::from_str_radix(high, 16).is_ok_and(|unit| (0xD800..0xDC00).contains(&unit));
    leads
        && (matches!(low, "" | "\\" | "\\u")
            || (low.len() < 6 && low.strip_prefix("\\u").is_some_and(hex)))
}

/// Returns the content without the white space at its end if a raw line feed ends it and is layout: the closing quote
/// is on a line of its own as the opening one is, or the text is a name, or Markdown with a fence, to which a last line
/// feed means nothing.
fn without_layout<'t>(content: &'t str, key: bool, changes: &mut Changes) -> &'t str {
    let body = content.trim_end();
    let layout = key || content.starts_with(['\r', '\n']) || content.contains("```");
    if body.is_empty() || !layout || !content.ends_with('\n') {
        return content;
    }
    changes.note(RepairChange::Layout);
    body
}

/// Writes the escape sequence that `rest` starts with, and returns how many bytes of `rest` it has handled. `escaped`
/// says whether the string was escaped at all.
fn write_escape(rest: &str, escaped: bool, out: &mut Vec<u8>, changes: &mut Changes) -> usize {
    let after = rest.get(1..).unwrap_or_default();
    let known = escape_length(after).filter(|_| escaped || after.starts_with(is_quote));
    let Some(length) = known else {
        changes.note(RepairChange::Escape);
        out.extend_from_slice(b"\\\\");
        return 1;
    };
    let escape = after.get(..length).unwrap_or_default();
    match escape.as_bytes() {
        [letter, ..] if *letter == b'u' || unescaped(*letter).is_some() => {
            out.push(b'\\');
            out.extend_from_slice(escape.as_bytes());
            return 1 + length;
        }
        [b'x', code @ ..] => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(code);
        }
        // A line continuation: the backslash and the line end are left out.
        [b'\n' | b'\r', ..] => {}
        other => out.extend_from_slice(other),
    }
    changes.note(RepairChange::Escape);
    1 + length
}
