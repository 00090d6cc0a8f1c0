//! What stands between the quotes of JSON strings: where it ends, which escapes it holds, decoded and written.
//!
//! Strings are known to be valid; of others the answers are meaningless, but nothing panics.

use memchr::memchr;

use crate::lanes;

/// What stands between the quotes of a JSON string, by the escapes in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Escapes {
    /// It holds none.
    None,
    /// It holds only short ones that have to be: it is written just as it is.
    Canonical,
    /// It holds others, too.
    Any,
}

/// Decodes the content of a JSON string onto the end of a text.
pub(super) fn decode_into(raw: &[u8], text: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        text.extend_from_slice(plain);
        rest = push_escape(escape, text);
    }
    text.extend_from_slice(rest);
}

/// Decodes the escape that `escape` begins with, and gives what is behind it.
fn push_escape<'r>(escape: &'r [u8], text: &mut Vec<u8>) -> &'r [u8] {
    let byte = match escape.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'u') => {
            if let Some(unit) = escape.get(2..6).and_then(hex) {
                push_unit(unit, text);
                return escape.get(6..).unwrap_or_default();
            }
            b'u'
        }
        Some(&other) => other,
        None => b'\\',
    };
    text.push(byte);
    escape.get(2..).unwrap_or_default()
}

/// Appends one UTF-16 code unit; a low surrogate behind a lone high one completes the pair.
fn push_unit(unit: u16, text: &mut Vec<u8>) {
    let low = matches!(unit, 0xdc00..=0xdfff);
    if let (true, Some(high)) = (low, ends_in_high_surrogate(text)) {
        text.truncate(text.len().saturating_sub(3));
        let scalar = 0x1_0000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
        push_char(text, scalar);
    } else {
        push_char(text, u32::from(unit));
    }
}

fn ends_in_high_surrogate(text: &[u8]) -> Option<u16> {
    let [.., 0xed, second @ 0xa0..=0xaf, third] = *text else {
        return None;
    };
    Some(surrogate(second, third))
}

/// Appends decoded text. A surrogate pair that was split between the two is joined.
pub(super) fn push_bytes(other: &[u8], text: &mut Vec<u8>) {
    match *other {
        [0xed, second @ 0xb0..=0xbf, third, ref rest @ ..]
            if ends_in_high_surrogate(text).is_some() =>
        {
            push_unit(surrogate(second, third), text);
            text.extend_from_slice(rest);
        }
        ref all => text.extend_from_slice(all),
    }
}

pub(super) fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = special(rest) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        rest = write_special(special, out);
    }
    out.extend_from_slice(rest);
}

/// Where the first byte is that may have to be escaped.
fn special(text: &[u8]) -> Option<usize> {
    const CHUNK: usize = 32;
    let is_special = |b: u8| (b < 0x20) | (b == b'"') | (b == b'\\') | (b == 0xed);
    // Without a way out of the inner loop, all of a chunk is looked at in a few instructions.
    let plain = text
        .chunks_exact(CHUNK)
        .take_while(|chunk| !chunk.iter().fold(false, |any, &b| any | is_special(b)))
        .count();
    let start = plain * CHUNK;
    let rest = text.get(start..)?;
    rest.iter()
        .position(|&b| is_special(b))
        .map(|at| start + at)
}

/// Writes the character that `text` begins with, escaped where needed, and gives what is behind it.
fn write_special<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let (length, unit) = match *text {
        [0xed, second @ 0xa0..=0xbf, third, ..] => (3, surrogate(second, third)),
        [byte, ..] if byte < 0x20 || byte == b'"' || byte == b'\\' => (1, u16::from(byte)),
        [byte, ref rest @ ..] => {
            out.push(byte);
            return rest;
        }
        [] => return text,
    };
    let short = match unit {
        0x22 => Some(b'"'),
        0x5c => Some(b'\\'),
        0x0a => Some(b'n'),
        0x0d => Some(b'r'),
        0x09 => Some(b't'),
        0x08 => Some(b'b'),
        0x0c => Some(b'f'),
        _ => None,
    };
    match short {
        Some(letter) => out.extend_from_slice(&[b'\\', letter]),
        None => out.extend_from_slice(format!("\\u{unit:04x}").as_bytes()),
    }
    text.get(length..).unwrap_or_default()
}

/// The surrogate whose WTF-8 form is `0xed second third`.
const fn surrogate(second: u8, third: u8) -> u16 {
    0xd000 | ((second as u16 & 0x3f) << 6) | (third as u16 & 0x3f)
}

/// Appends a code point in (generalised) UTF-8.
fn push_char(out: &mut Vec<u8>, scalar: u32) {
    if let Some(char) = char::from_u32(scalar) {
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        // Only surrogates are left: three bytes.
        let six = |shift: u32| 0x80 | ((scalar >> shift) & 0x3f) as u8;
        out.extend_from_slice(&[0xed, six(6), six(0)]);
    }
}

fn hex(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0u16, |value, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some((value << 4) | u16::try_from(digit).ok()?)
    })
}

/// Where the JSON string ends whose opening quote stands at `start`, or the text if the string does not end; and which
/// escapes it holds.
#[must_use]
pub(super) fn string_end(text: &[u8], start: usize) -> (usize, Escapes) {
    let mut escapes = Escapes::None;
    let mut at = start + 1;
    // Most strings are names and words.
    if let Some(few) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let marks = u64::from(lanes::string_marks(few));
        match end_at(text, at, marks, lanes::NARROW, &mut escapes) {
            Ok(end) => return (end, escapes),
            Err(next) => at = next,
        }
    }
    while let Some(many) = text.get(at..).and_then(<[u8]>::first_chunk) {
        match end_at(
            text,
            at,
            lanes::wide_string_marks(many),
            lanes::WIDE,
            &mut escapes,
        ) {
            Ok(end) => return (end, escapes),
            Err(next) => at = next,
        }
    }
    // Strings that end where their text does are long, often.
    if let Some(many) = text.last_chunk()
        && let Some(left @ 1..) = text.len().checked_sub(at)
    {
        let marks = lanes::wide_string_marks(many) >> (lanes::WIDE - left);
        let end = end_at(text, at, marks, left, &mut escapes);
        return (end.unwrap_or(text.len()), escapes);
    }
    while let Some(found) = next_mark(text, at) {
        if text.get(found) == Some(&b'"') {
            return (found + 1, escapes);
        }
        escapes = escapes.max(escape_at(text, found));
        at = found + 2;
    }
    (text.len(), escapes)
}

/// The same for the name of a member, which is short and holds no escape, nearly always.
#[inline(always)]
pub(super) fn name_end(text: &[u8], start: usize) -> (usize, Escapes) {
    let few = text.get(start + 1..).and_then(<[u8]>::first_chunk);
    let marks = few.map_or(0, lanes::string_marks);
    let end = start + 1 + marks.trailing_zeros() as usize;
    match text.get(end) {
        Some(b'"') if marks != 0 => (end + 1, Escapes::None),
        _ => string_end(text, start),
    }
}

/// Where a string ends of which the next `width` bytes are looked at, or where to look on. `marks` are the quotes and
/// backslashes among them.
#[inline(always)]
fn end_at(
    text: &[u8],
    at: usize,
    mut marks: u64,
    width: usize,
    escapes: &mut Escapes,
) -> Result<usize, usize> {
    while marks != 0 {
        let place = marks.trailing_zeros() as usize;
        if text.get(at + place) == Some(&b'"') {
            return Ok(at + place + 1);
        }
        *escapes = (*escapes).max(escape_at(text, at + place));
        if place + 1 == width {
            return Err(at + width + 1);
        }
        // What is escaped is no mark.
        marks &= (4_u64 << place).wrapping_neg();
    }
    Err(at + width)
}

/// Which escapes the content of a JSON string holds.
pub(super) fn escapes(raw: &[u8]) -> Escapes {
    let mut escapes = Escapes::None;
    let mut at = 0;
    while let Some(found) = raw.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        escapes = escapes.max(escape_at(raw, at + found));
        at += found + 2;
    }
    escapes
}

/// What the escape is that stands at `at`.
#[inline]
fn escape_at(text: &[u8], at: usize) -> Escapes {
    match text.get(at + 1) {
        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'b' | b'f') => Escapes::Canonical,
        _ => Escapes::Any,
    }
}

/// Where the next quote or backslash stands, from `at` on.
#[inline]
pub(super) fn next_mark(text: &[u8], mut at: usize) -> Option<usize> {
    let mut rest = text.get(at..)?;
    while let Some((lanes, behind)) = rest.split_first_chunk() {
        let marks = lanes::string_marks(lanes);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize);
        }
        at += lanes::NARROW;
        rest = behind;
    }
    rest.iter()
        .position(|byte| matches!(byte, b'"' | b'\\'))
        .map(|found| at + found)
}

/// Writes valid JSON as the content of a JSON string, without the white space between its tokens.
pub(super) fn quote(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    // Each byte takes two at most. Asking for room once and not for each piece halves the cost.
    out.resize(start + 2 * json.len(), 0);
    let mut quoted = Quoted {
        into: out.get_mut(start..).unwrap_or_default(),
        length: 0,
    };
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => {
                quoted.put(*b"\\\"");
                at = quoted.put_string(json, at);
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => quoted.put([byte]),
        }
    }
    let end = start + quoted.length;
    out.truncate(end);
}

/// JSON that is being written as the content of a JSON string.
struct Quoted<'o> {
    into: &'o mut [u8],
    length: usize,
}

impl Quoted<'_> {
    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        let rest = self.into.get_mut(self.length..).unwrap_or_default();
        if let Some(place) = rest.first_chunk_mut() {
            *place = bytes;
            self.length += N;
        }
    }

    /// Writes the string whose content stands at `at`, and gives where it ends.
    fn put_string(&mut self, json: &[u8], mut at: usize) -> usize {
        loop {
            let rest = json.get(at..).unwrap_or_default();
            let plain = self.put_plain(rest);
            at += plain;
            match rest.get(plain..) {
                Some([b'"', ..]) => {
                    self.put(*b"\\\"");
                    return at + 1;
                }
                Some([b'\\', escaped @ (b'"' | b'\\'), ..]) => {
                    self.put([b'\\', b'\\', b'\\', *escaped]);
                    at += 2;
                }
                Some([b'\\', ..]) => {
                    self.put(*b"\\\\");
                    at += 1;
                }
                _ => return json.len(),
            }
        }
    }

    /// Writes what stands before the next quote or backslash, and says how much that is.
    fn put_plain(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        while let Some(lanes) = text.get(at..).and_then(<[u8]>::first_chunk) {
            let into = self.into.get_mut(self.length..).unwrap_or_default();
            let Some(place) = into.first_chunk_mut() else {
                break;
            };
            // What is copied beyond the mark is overwritten.
            *place = *lanes;
            let marks = lanes::string_marks(lanes) | 1 << lanes::NARROW;
            let plain = marks.trailing_zeros() as usize;
            at += plain;
            self.length += plain;
            if plain < lanes::NARROW {
                return at;
            }
        }
        let rest = text.get(at..).unwrap_or_default().iter();
        for &byte in rest.take_while(|byte| !matches!(byte, b'"' | b'\\')) {
            self.put([byte]);
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::{Escapes, escapes, quote, string_end, write_escaped};

    #[test]
    fn a_string_ends_at_its_first_quote_that_is_not_escaped() {
        for before in 0..200 {
            for inside in ["", r#"\""#, r"\\", r#"\\\""#] {
                let string = format!("\"{}{inside}\"", "x".repeat(before));
                let text = format!("{string}:\"");
                assert_eq!(string_end(text.as_bytes(), 0).0, string.len(), "{string}");
                let open = &string[..string.len() - 1];
                assert_eq!(string_end(open.as_bytes(), 0).0, open.len(), "{open}");
            }
        }
    }

    #[test]
    fn escapes_are_told_apart() {
        for (raw, wanted) in [
            ("", Escapes::None),
            ("é \u{1f600}", Escapes::None),
            (r#"a\n\"\\"#, Escapes::Canonical),
            (r"\\u0041", Escapes::Canonical),
            (r"\n\/\n", Escapes::Any),
            (r"\n\u0041", Escapes::Any),
        ] {
            assert_eq!(escapes(raw.as_bytes()), wanted, "{raw}");
            let string = format!("\"{raw}\"");
            let end = string_end(string.as_bytes(), 0);
            assert_eq!(end, (string.len(), wanted), "{raw}");
        }
    }

    #[test]
    fn json_is_quoted_without_white_space_between_its_tokens() {
        let json = r#" { "a b" : [ 1 , "c\\\"\n\u0041 é" ] , "" : null } "#;
        let mut out = Vec::new();
        quote(json.as_bytes(), &mut out);
        let wanted = r#"{\"a b\":[1,\"c\\\\\\\"\\n\\u0041 é\"],\"\":null}"#;
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }

    #[test]
    fn json_is_quoted_as_its_text_is_written() {
        for before in 0..70 {
            let plain = "x".repeat(before);
            let json = format!(r#"{{"{plain}":["{plain}\"{plain}\\\\","\n{plain}é"]}}"#);
            let (mut quoted, mut written) = (b"{".to_vec(), b"{".to_vec());
            quote(json.as_bytes(), &mut quoted);
            write_escaped(json.as_bytes(), &mut written);
            assert_eq!(quoted, written, "{json}");
        }
    }
}
