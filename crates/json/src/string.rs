//! The content of JSON strings: finds its end and its escapes, decodes it and writes it.
//!
//! Strings are assumed to be valid; for others the results are meaningless, but nothing panics.

use crate::cost;
use memchr::memchr;

use super::quotes::Quotes;
use super::white;
use crate::lanes::{self, Among, Bytes, Lanes, NARROW, WIDE};

/// Decodes the content of a JSON string and appends it to `text`.
pub(super) fn decode_into(raw: &[u8], text: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        text.extend_from_slice(plain);
        rest = push_escape(escape, text);
    }
    text.extend_from_slice(rest);
}

/// Returns the byte that a backslash and this letter stand for (RFC 8259, section 7); `None` if they are no escape, or
/// the start of one of a code (`\u`).
pub const fn unescaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// Returns the letter after the backslash for a byte that must be escaped; `None` if only its code can be written.
fn short_escape(byte: u8) -> Option<u8> {
    let mut letters = b"\"\\bfnrt".iter().copied();
    letters.find(|letter| unescaped(*letter) == Some(byte))
}

/// Decodes the escape that `escape` starts with, appends it to `text`, and returns what follows the escape.
fn push_escape<'r>(escape: &'r [u8], text: &mut Vec<u8>) -> &'r [u8] {
    let byte = match escape.get(1) {
        Some(b'u') => {
            if let Some(unit) = escape.get(2..6).and_then(hex) {
                push_unit(unit, text);
                return escape.get(6..).unwrap_or_default();
            }
            b'u'
        }
        Some(&letter) => unescaped(letter).unwrap_or(letter),
        None => b'\\',
    };
    text.push(byte);
    escape.get(2..).unwrap_or_default()
}

/// Appends one UTF-16 code unit; a low surrogate after a lone high one completes the pair.
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

/// Appends decoded text. A surrogate pair that is split between `text` and `other` is joined.
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

/// Writes text as the content of a JSON string.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    cost::search(text.len());
    let mut rest = text;
    while let Some(at) = first(rest, 0, |bytes| {
        marks(bytes) | bytes.is(0xed) | bytes.outside(b' '..0xff)
    }) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        rest = write_special(special, out);
    }
    out.extend_from_slice(rest);
}

/// Writes the character that `text` starts with, escaped if needed, and returns what follows it.
fn write_special<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    match *text {
        [0xed, second @ 0xa0..=0xbf, third, ref rest @ ..] => {
            write_code(surrogate(second, third), out);
            rest
        }
        [byte, ref rest @ ..] => {
            match short_escape(byte) {
                Some(letter) => out.extend_from_slice(&[b'\\', letter]),
                None if byte < b' ' => write_code(u16::from(byte), out),
                None => out.push(byte),
            }
            rest
        }
        [] => text,
    }
}

/// Writes the escape of a UTF-16 code unit.
pub(super) fn write_code(unit: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
}

/// Returns the surrogate whose WTF-8 form is `0xed second third`.
pub(super) const fn surrogate(second: u8, third: u8) -> u16 {
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

/// Returns the value of up to four hexadecimal digits.
pub fn hex(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0u16, |value, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some((value << 4) | u16::try_from(digit).ok()?)
    })
}

/// Returns the end of the JSON string whose opening quote is at `start`, or the end of the text if the string does not
/// end.
#[must_use]
pub(super) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = first(text, at, marks) {
        if text.get(found) == Some(&b'"') {
            return found + 1;
        }
        at = found + 2;
    }
    text.len()
}

/// Tells which bytes are quotes or backslashes: the only ones that matter in a string that is known to be valid.
#[inline(always)]
pub(super) fn marks<const N: usize>(bytes: Bytes<N>) -> Bytes<N> {
    bytes.is(b'"') | bytes.is(b'\\')
}

/// Whether two words are equal. For two empty slices with dangling pointers, the system's comparison (`memcmp` with
/// AVX-512) takes hundreds of cycles.
#[inline]
pub fn same_word(word: &[u8], other: &[u8]) -> bool {
    word.len() == other.len()
        && match word.len() {
            0..4 => word.iter().eq(other),
            4..8 => ends::<4>(word) == ends(other),
            8..=16 => ends::<8>(word) == ends(other),
            _ => word == other,
        }
}

/// Returns the first and the last `N` bytes of a word, which may overlap.
#[inline]
fn ends<const N: usize>(word: &[u8]) -> Option<([u8; N], [u8; N])> {
    Some((*word.first_chunk()?, *word.last_chunk()?))
}

/// Whether the content of a JSON string contains escapes.
#[inline]
pub(super) fn is_escaped(raw: &[u8]) -> bool {
    first(raw, 0, |bytes| bytes.is(b'\\')).is_some()
}

/// Whether the content of a JSON string has only short escapes of characters that must be escaped: then it is written
/// unchanged.
pub(super) fn is_canonical(raw: &[u8]) -> bool {
    lanes::blockwise(
        #[inline(always)]
        |lanes| {
            let mut quotes = Quotes::new();
            let (blocks, tail) = raw.as_chunks::<WIDE>();
            let last = lanes::filled_up(tail, b' ');
            let mut others = 0;
            for block in blocks {
                others |= other_escapes(block, &mut quotes, lanes);
            }
            others | other_escapes(&last, &mut quotes, lanes) == 0
        },
    )
}

/// Returns which bytes of the next block are escaped in another way than a string is written.
#[inline(always)]
fn other_escapes(block: &[u8; WIDE], quotes: &mut Quotes, lanes: Lanes) -> u64 {
    let bytes = lanes.of(block);
    let letters = bytes.is(b'b') | bytes.is_among(&const { Among::new(b"fnrt") });
    quotes.escapes(bytes.is(b'\\').bits()) & !(marks(bytes) | letters).bits()
}

/// Returns the number of backslashes directly before `at`. The last one starts an escape if the number is odd.
#[inline]
pub(super) fn backslashes_before(raw: &[u8], at: usize) -> usize {
    let before = raw.get(..at).unwrap_or_default();
    before.iter().rev().take_while(|&&b| b == b'\\').count()
}

/// Returns the position of the first byte from `at` on that `tells` tells. If it tells blanks, the end of the text is
/// one.
#[inline(always)]
pub(super) fn first(
    text: &[u8],
    mut at: usize,
    tells: impl Fn(Bytes<NARROW>) -> Bytes<NARROW>,
) -> Option<usize> {
    let mut rest = text.get(at..)?;
    loop {
        let (block, after) = match rest.split_first_chunk() {
            Some((block, after)) => (*block, after),
            None => (lanes::filled_up(rest, b' '), &[][..]),
        };
        let reported = tells(Lanes::PLAIN.of(&block)).bits();
        if reported != 0 {
            return Some(at + reported.trailing_zeros() as usize);
        }
        if after.is_empty() {
            return None;
        }
        at += NARROW;
        rest = after;
    }
}

/// Writes valid JSON as the content of a JSON string, without the white space between its tokens.
pub(super) fn quote(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    // Each byte becomes two at most, and a whole block is written at a time.
    out.resize(start + 2 * json.len() + WIDE, 0);
    let into = out.get_mut(start..).unwrap_or_default();
    let length = lanes::blockwise(
        #[inline(always)]
        |lanes| quote_into(json, into, lanes),
    );
    out.truncate(start + length);
}

/// Writes JSON as the content of a JSON string, and returns the length of that content.
#[inline(always)]
fn quote_into(json: &[u8], into: &mut [u8], lanes: Lanes) -> usize {
    let mut length = 0;
    let mut quotes = Quotes::new();
    // A whole block can be copied from any position in a block. After the last bytes of the text there are blanks.
    let near = json.len().saturating_sub(WIDE) / WIDE * WIDE;
    let ending: [u8; 3 * WIDE] = lanes::filled_up(json.get(near..).unwrap_or_default(), b' ');
    for at in (0..json.len()).step_by(WIDE) {
        let text = match at.checked_sub(near) {
            None => json.get(at..).and_then(<[u8]>::first_chunk),
            Some(at) => ending.get(at..).and_then(<[u8]>::first_chunk),
        };
        let Some(text): Option<&[u8; 2 * WIDE]> = text else {
            break;
        };
        let ([block, _], _) = text.as_chunks() else {
            break;
        };
        let end = WIDE.min(json.len() - at);
        let inside = quotes.next(block, lanes).inside;
        let bytes = lanes.of(block);
        let escaped = marks(bytes).bits();
        let mut marks = escaped | white(bytes).bits() & !inside;
        if end < WIDE {
            marks &= (1 << end) - 1;
        }
        let mut start = 0;
        // Bytes copied from `end` on are overwritten later.
        let mut put = |start: usize, end: usize, escape: bool| {
            let plain = text.get(start..).and_then(<[u8]>::first_chunk::<WIDE>);
            let room = into.get_mut(length..);
            let room = room.and_then(<[u8]>::first_chunk_mut::<WIDE>);
            if let (Some(plain), Some(room)) = (plain, room) {
                *room = *plain;
                length += end - start;
                if escape && let Some(after) = into.get_mut(length) {
                    *after = b'\\';
                    length += 1;
                }
            }
        };
        while marks != 0 {
            let at = marks.trailing_zeros() as usize;
            let escape = escaped >> at & 1 == 1;
            put(start, at, escape);
            start = at + usize::from(!escape);
            marks &= marks - 1;
        }
        put(start, end, false);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::{is_canonical, is_escaped, quote, same_word, string_end, write_escaped};

    #[test]
    fn words_differ_by_any_byte() {
        for length in 0..40 {
            let word = vec![b'x'; length];
            assert!(same_word(&word, &word.clone()));
            assert!(!same_word(&word, &[&*word, b"x"].concat()));
            for place in 0..length {
                let mut other = word.clone();
                other[place] = b'y';
                assert!(!same_word(&word, &other), "{place} of {length}");
            }
        }
    }

    #[test]
    fn a_string_ends_at_its_first_quote_that_is_not_escaped() {
        for before in 0..200 {
            for inside in ["", r#"\""#, r"\\", r#"\\\""#] {
                let string = format!("\"{}{inside}\"", "x".repeat(before));
                let text = format!("{string}:\"");
                assert_eq!(string_end(text.as_bytes(), 0), string.len(), "{string}");
                let open = &string[..string.len() - 1];
                assert_eq!(string_end(open.as_bytes(), 0), open.len(), "{open}");
            }
        }
    }

    #[test]
    fn escapes_are_distinguished() {
        for (raw, escaped, canonical) in [
            ("", false, true),
            ("é \u{1f600}", false, true),
            (r#"a\n\"\\"#, true, true),
            (r"\\u0041", true, true),
            (r"\n\/\n", true, false),
            (r"\n\u0041", true, false),
        ] {
            for before in 0..130 {
                let (before, after) = ("x".repeat(before), "y".repeat(130 - before));
                let few = format!("{before}{raw}");
                for raw in [raw, &few, &format!("{few}{after}")] {
                    assert_eq!(is_escaped(raw.as_bytes()), escaped, "{raw}");
                    assert_eq!(is_canonical(raw.as_bytes()), canonical, "{raw}");
                }
            }
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
