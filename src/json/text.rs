//! The content of a JSON string, decoded, lone surrogates included.
//!
//! JSON text may hold `\ud83d` without its other half, and agents do cut a pair in two when they stream text in pieces.
//! A [`Text`] keeps such a half (in the WTF-8 encoding), joins the halves when the pieces are put together, and gives it
//! back as an escape when it is written as JSON.

use std::borrow::Cow;
use std::cell::OnceCell;

use memchr::memchr;

/// Text that may hold lone surrogates. Borrowed as long as nothing has to be decoded, and decoded when it is looked at:
/// much of it never is, or goes out as the JSON string that it came in.
#[derive(Debug, Clone)]
pub struct Text<'a>(Form<'a>);

#[derive(Debug, Clone)]
enum Form<'a> {
    Plain(Cow<'a, [u8]>),
    Escaped(Escaped<'a>),
}

/// A JSON string that holds escapes.
#[derive(Debug, Clone)]
struct Escaped<'a> {
    /// What stands between its quotes.
    raw: &'a [u8],
    decoded: OnceCell<Vec<u8>>,
}

impl Escaped<'_> {
    fn decoded(&self) -> &Vec<u8> {
        self.decoded.get_or_init(|| {
            let mut text = Vec::with_capacity(self.raw.len());
            decode_into(self.raw, &mut text);
            text
        })
    }

    /// Whether it would be written just as it is: all its escapes are short ones that have to be.
    fn is_canonical(&self) -> bool {
        let mut rest = self.raw;
        while let Some(at) = memchr(b'\\', rest) {
            if !matches!(
                rest.get(at + 1),
                Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'b' | b'f')
            ) {
                return false;
            }
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        true
    }
}

impl<'a> Text<'a> {
    /// Text without content.
    pub const EMPTY: Self = Self(Form::Plain(Cow::Borrowed(b"")));

    /// The text that stands between the quotes of a valid JSON string.
    ///
    /// Escapes that are not valid stay as they are.
    #[must_use]
    pub fn decode(raw: &'a [u8]) -> Self {
        Self(if memchr(b'\\', raw).is_none() {
            Form::Plain(Cow::Borrowed(raw))
        } else {
            Form::Escaped(Escaped {
                raw,
                decoded: OnceCell::new(),
            })
        })
    }

    fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            Form::Plain(text) => text.into_owned(),
            Form::Escaped(mut escaped) => {
                let _ = escaped.decoded();
                escaped.decoded.take().unwrap_or_default()
            }
        }
    }

    fn edit(&mut self, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut text = std::mem::take(self).into_bytes();
        edit(&mut text);
        self.0 = Form::Plain(Cow::Owned(text));
    }

    /// The text of a JSON value.
    #[must_use]
    pub const fn of_json(json: &'a [u8]) -> Self {
        Self::plain(json)
    }

    /// Appends other text. A surrogate pair that was split between the two is joined.
    pub fn push(&mut self, other: &Text<'_>) {
        self.edit(|text| match &other.0 {
            Form::Plain(other) => push_bytes(other, text),
            Form::Escaped(escaped) => match escaped.decoded.get() {
                Some(other) => push_bytes(other, text),
                None => decode_into(escaped.raw, text),
            },
        });
    }

    /// Appends a string.
    pub fn push_str(&mut self, other: &str) {
        self.edit(|text| text.extend_from_slice(other.as_bytes()));
    }

    /// Drops everything from byte `length` on.
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.edit(|text| text.truncate(length));
        }
    }

    /// The text in WTF-8: UTF-8 in which a lone surrogate takes three bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Plain(text) => text,
            Form::Escaped(escaped) => escaped.decoded(),
        }
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Form::Plain(text) if text.is_empty())
    }

    /// Whether there is nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.as_bytes().iter().all(u8::is_ascii_whitespace)
    }

    /// The text as a string, if it holds no lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The text as a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        if let Some(text) = self.as_str() {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.len());
        for chunk in self.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            // The three bytes of a surrogate are three invalid chunks; its first one stands for it.
            if matches!(chunk.invalid(), [0xed, ..])
                || !matches!(chunk.invalid(), [] | [0x80..=0xbf])
            {
                text.push('\u{fffd}');
            }
        }
        Cow::Owned(text)
    }

    /// The part that begins at byte `start`, which must be where text was appended.
    #[must_use]
    pub fn since(&self, start: usize) -> Text<'_> {
        Text::plain(self.as_bytes().get(start..).unwrap_or_default())
    }

    /// The part of the text in a range of bytes, empty if there is no such range.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Text<'_> {
        Text::plain(self.as_bytes().get(range).unwrap_or_default())
    }

    /// The text borrowed from this one.
    #[must_use]
    pub fn borrowed(&self) -> Text<'_> {
        match &self.0 {
            Form::Plain(text) => Text::plain(text),
            Form::Escaped(escaped) => match escaped.decoded.get() {
                Some(text) => Text::plain(text),
                None => Text(Form::Escaped(escaped.clone())),
            },
        }
    }

    /// The text without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Form::Plain(Cow::Owned(self.into_bytes())))
    }

    /// Whether the text begins with that of another.
    #[must_use]
    pub fn starts_with(&self, other: &Text<'_>) -> bool {
        self.as_bytes().starts_with(other.as_bytes())
    }

    /// Whether the text ends in a line feed.
    #[must_use]
    pub fn ends_in_newline(&self) -> bool {
        self.as_bytes().ends_with(b"\n")
    }

    /// Writes the text as a JSON string with its quotes. Only what must be escaped is: quotes, backslashes, control
    /// characters and lone surrogates.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        match &self.0 {
            Form::Escaped(escaped) if escaped.is_canonical() => {
                out.extend_from_slice(escaped.raw);
            }
            _ => write_escaped(self.as_bytes(), out),
        }
        out.push(b'"');
    }

    const fn plain(text: &'a [u8]) -> Self {
        Self(Form::Plain(Cow::Borrowed(text)))
    }
}

/// Decodes the content of a JSON string onto the end of a text.
fn decode_into(raw: &[u8], text: &mut Vec<u8>) {
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
fn push_bytes(other: &[u8], text: &mut Vec<u8>) {
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

fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
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

/// The length of the JSON string that `text` begins with, quotes included; all of it if the string does not end.
#[must_use]
pub(crate) fn string_end(text: &[u8]) -> usize {
    // Names and most other strings are so short that a search would take longer to begin than to end.
    const SHORT: usize = 16;
    let mut at = 1;
    while at <= SHORT {
        match text.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => break,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
    while let Some(found) = text.get(at..).and_then(|rest| memchr(b'"', rest)) {
        at += found;
        let before = text.get(1..at).unwrap_or_default();
        let escaped = before.last() == Some(&b'\\') && {
            let backslashes = before.iter().rev().take_while(|&&b| b == b'\\').count();
            backslashes % 2 == 1
        };
        at += 1;
        if !escaped {
            return at;
        }
    }
    text.len()
}

/// Whether a string's raw content equals `plain`, decoded only if it has to be.
#[must_use]
pub(crate) fn raw_equals(raw: &[u8], plain: &str) -> bool {
    if raw.len() == plain.len() {
        return raw == plain.as_bytes();
    }
    // No escape is shorter than what it stands for.
    raw.len() > plain.len()
        && (raw.first() == Some(&b'\\') || raw.first() == plain.as_bytes().first())
        && memchr(b'\\', raw).is_some()
        && Text::decode(raw).as_bytes() == plain.as_bytes()
}

impl std::borrow::Borrow<[u8]> for Text<'_> {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text<'_> {}

impl std::hash::Hash for Text<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::plain(text.as_bytes())
    }
}

impl From<String> for Text<'static> {
    fn from(text: String) -> Self {
        Self(Form::Plain(Cow::Owned(text.into_bytes())))
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, string_end};

    fn json(text: &Text<'_>) -> String {
        let mut out = Vec::new();
        text.write_json(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_are_decoded_and_written_back() {
        let text = Text::decode(br#"a\"b\\c\/d\n\t\u00e9\u0001"#);
        assert_eq!(text, "a\"b\\c/d\n\té\u{1}");
        assert_eq!(json(&text), r#""a\"b\\c/d\n\té\u0001""#);
    }

    #[test]
    fn text_without_escapes_is_borrowed() {
        let raw = "plain é 😀".as_bytes();
        let text = Text::decode(raw);
        assert_eq!(text.as_bytes().as_ptr(), raw.as_ptr());
    }

    #[test]
    fn a_split_surrogate_pair_is_joined() {
        let mut text = Text::decode(br"smile \ud83d").into_owned();
        assert_eq!(text.as_str(), None);
        assert_eq!(json(&text), r#""smile \ud83d""#);
        assert_eq!(text.to_string_lossy(), "smile \u{fffd}");
        text.push(&Text::decode(br"\ude00 done"));
        assert_eq!(text, "smile 😀 done");
    }

    #[test]
    fn a_pair_of_escapes_is_one_character_and_lone_halves_stay() {
        assert_eq!(Text::decode(br"\ud83d\ude00"), "😀");
        let text = Text::decode(br"\ude00x\ud83dy\ud83d");
        assert_eq!(json(&text), r#""\ude00x\ud83dy\ud83d""#);
        assert_eq!(text.to_string_lossy(), "\u{fffd}x\u{fffd}y\u{fffd}");
    }

    #[test]
    fn a_character_next_to_the_surrogates_is_no_surrogate() {
        assert_eq!(json(&Text::from("\u{d7ff}")), "\"\u{d7ff}\"");
    }

    #[test]
    fn text_is_written_the_same_whether_it_was_looked_at_or_not() {
        for raw in [
            r#"all \ that \" has \n to \t be"#,
            r"\/",
            r"\u0041\u0000",
            r"\ud83d and \ud83d\ude00",
            "a long text without anything in it that would have to be escaped, and then \\n",
        ] {
            let looked_at = Text::decode(raw.as_bytes());
            let decoded = Text::from(looked_at.to_string_lossy().into_owned());
            if decoded == looked_at {
                assert_eq!(json(&Text::decode(raw.as_bytes())), json(&decoded));
            }
            assert_eq!(
                json(&Text::decode(raw.as_bytes())),
                json(&looked_at.into_owned())
            );
        }
    }

    #[test]
    fn what_has_to_be_escaped_is_found_wherever_it_stands() {
        for before in 0..70 {
            let text = format!("{}\u{1}{}", "x".repeat(before), "y".repeat(40));
            let want = format!("\"{}\\u0001{}\"", "x".repeat(before), "y".repeat(40));
            assert_eq!(json(&Text::from(text.as_str())), want);
        }
    }

    #[test]
    fn a_string_ends_at_its_first_quote_that_is_not_escaped() {
        for before in 0..40 {
            for inside in ["", r#"\""#, r"\\", r#"\\\""#] {
                let string = format!("\"{}{inside}\"", "x".repeat(before));
                let text = format!("{string}:\"");
                assert_eq!(string_end(text.as_bytes()), string.len(), "{string}");
                let open = &string[..string.len() - 1];
                assert_eq!(string_end(open.as_bytes()), open.len(), "{open}");
            }
        }
    }

    #[test]
    fn broken_escapes_do_no_harm() {
        for raw in [&br"\"[..], br"\u", br"\u12", br"\uzzzz", br"\x"] {
            let _ = json(&Text::decode(raw));
        }
    }
}
