//! Writes the content of strings with the escapes of strict JSON.
//!
//! Escapes of JSON stay as they are. Escapes of other languages become the characters they mean; any other backslash
//! becomes an escaped backslash. Quotation marks and control characters are escaped. An escape that the end of input
//! has cut is left out, and so is the white space before a closing mark on a line of its own.

use super::change::{Changes, RepairChange};
use super::reader::TolerantReader;
use super::text::StringExtent;
use jsift_json::write_escaped;

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
            false => without_layout(content),
        };
        let unescaped = is_unescaped(content);
        let mut rest = content;
        while let Some(c) = rest.chars().next() {
            let mut taken = c.len_utf8();
            match c {
                '\\' => taken = write_escape(rest, unescaped, out, changes),
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

/// Whether a string was written without escaping, as LaTeX, paths and patterns are: it contains an escape that no
/// language knows. In such a string, `\b` and `\f` are not control characters, which text does not contain; `\n` and
/// `\t` may still be.
fn is_unescaped(content: &str) -> bool {
    let mut bytes = content.bytes();
    while bytes.any(|byte| byte == b'\\') {
        let escaped = bytes.next();
        if escaped.is_some_and(|b| b.is_ascii_alphabetic() && !b"bfnrtuvx".contains(&b)) {
            return true;
        }
    }
    false
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

/// Returns the content without the white space at its end if a raw line feed ends it: the closing mark is on a line
/// of its own for readability, and the line feed is not part of the text.
fn without_layout(content: &str) -> &str {
    let body = content.trim_end();
    if !body.is_empty() && content.ends_with('\n') {
        body
    } else {
        content
    }
}

/// Writes the escape sequence that `rest` starts with, and returns how many bytes of `rest` it has handled.
fn write_escape(rest: &str, unescaped: bool, out: &mut Vec<u8>, changes: &mut Changes) -> usize {
    let Some(c) = rest.chars().nth(1) else {
        changes.note(RepairChange::Escape);
        out.extend_from_slice(b"\\\\");
        return 1;
    };
    let digits = |from: usize, n: usize| {
        rest.get(from..from + n)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    match c {
        'b' | 'f' if unescaped => {}
        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
            out.extend_from_slice(&[b'\\', c as u8]);
            return 2;
        }
        'u' if digits(2, 4).is_some() => {
            out.extend_from_slice(rest.get(..6).unwrap_or_default().as_bytes());
            return 6;
        }
        _ => {}
    }
    changes.note(RepairChange::Escape);
    match c {
        // Markdown writes `\_` for an underscore; LaTeX does, too, but keeps its backslash here.
        '_' if !unescaped => return 1,
        'x' => {
            if let Some(code) = digits(2, 2) {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(code.as_bytes());
                return 4;
            }
        }
        '\'' | '`' => {
            out.push(c as u8);
            return 2;
        }
        '“' | '”' | '„' | '‘' | '’' => return 1,
        // A line continuation of JSON5: the backslash and the line end are left out.
        '\n' => return 2,
        '\r' => return if rest.starts_with("\\\r\n") { 3 } else { 2 },
        _ => {}
    }
    out.extend_from_slice(b"\\\\");
    1
}
