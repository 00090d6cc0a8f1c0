//! The content of a JSON string, decoded, lone surrogates included.
//!
//! JSON text may hold `\ud83d` without its other half, and agents do cut a pair in two when they stream text in pieces.
//! A [`Text`] keeps such a half (in the WTF-8 encoding), joins the halves when the pieces are put together, and gives it
//! back as an escape when it is written as JSON.

use std::borrow::Cow;

use memchr::memchr;

/// Decoded text that may hold lone surrogates. Borrowed as long as nothing had to be decoded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Text<'a>(Cow<'a, [u8]>);

impl<'a> Text<'a> {
    /// Text without content.
    pub const EMPTY: Self = Self(Cow::Borrowed(b""));

    /// Decodes what stands between the quotes of a valid JSON string.
    ///
    /// Escapes that are not valid stay as they are.
    #[must_use]
    pub fn decode(raw: &'a [u8]) -> Self {
        if memchr(b'\\', raw).is_none() {
            return Self(Cow::Borrowed(raw));
        }
        let mut text = Text(Cow::Owned(Vec::with_capacity(raw.len())));
        let mut rest = raw;
        while let Some(at) = memchr(b'\\', rest) {
            let (plain, escape) = rest.split_at(at);
            text.buffer().extend_from_slice(plain);
            rest = text.push_escape(escape);
        }
        text.buffer().extend_from_slice(rest);
        text
    }

    /// Decodes the escape that `escape` begins with, and gives what is behind it.
    fn push_escape<'r>(&mut self, escape: &'r [u8]) -> &'r [u8] {
        let byte = match escape.get(1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'u') => {
                if let Some(unit) = escape.get(2..6).and_then(hex) {
                    self.push_unit(unit);
                    return escape.get(6..).unwrap_or_default();
                }
                b'u'
            }
            Some(&other) => other,
            None => b'\\',
        };
        self.buffer().push(byte);
        escape.get(2..).unwrap_or_default()
    }

    /// Appends one UTF-16 code unit; a low surrogate behind a lone high one completes the pair.
    fn push_unit(&mut self, unit: u16) {
        let low = matches!(unit, 0xdc00..=0xdfff);
        if let (true, Some(high)) = (low, self.ends_in_high_surrogate()) {
            let bytes = self.buffer();
            bytes.truncate(bytes.len().saturating_sub(3));
            let scalar = 0x1_0000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
            push_char(bytes, scalar);
        } else {
            push_char(self.buffer(), u32::from(unit));
        }
    }

    fn ends_in_high_surrogate(&self) -> Option<u16> {
        let [.., 0xed, second @ 0xa0..=0xaf, third] = *self.0.as_ref() else {
            return None;
        };
        Some(surrogate(second, third))
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self.0.to_mut()
    }

    /// Appends other text. A surrogate pair that was split between the two is joined.
    pub fn push(&mut self, other: &Text<'_>) {
        match *other.0.as_ref() {
            [0xed, second @ 0xb0..=0xbf, third, ref rest @ ..]
                if self.ends_in_high_surrogate().is_some() =>
            {
                self.push_unit(surrogate(second, third));
                self.buffer().extend_from_slice(rest);
            }
            ref all => self.buffer().extend_from_slice(all),
        }
    }

    /// Appends a string.
    pub fn push_str(&mut self, other: &str) {
        self.buffer().extend_from_slice(other.as_bytes());
    }

    /// Drops everything from byte `length` on.
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.buffer().truncate(length);
        }
    }

    /// The text in WTF-8: UTF-8 in which a lone surrogate takes three bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(u8::is_ascii_whitespace)
    }

    /// The text as a string, if it holds no lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text as a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        if let Some(text) = self.as_str() {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.len());
        for chunk in self.0.utf8_chunks() {
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
        Text(Cow::Borrowed(self.0.get(start..).unwrap_or_default()))
    }

    /// The part of the text in a range of bytes, empty if there is no such range.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Text<'_> {
        Text(Cow::Borrowed(self.0.get(range).unwrap_or_default()))
    }

    /// The text borrowed from this one.
    #[must_use]
    pub fn borrowed(&self) -> Text<'_> {
        Text(Cow::Borrowed(&self.0))
    }

    /// The text without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }

    /// Whether the text begins with that of another.
    #[must_use]
    pub fn starts_with(&self, other: &Text<'_>) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Whether the text ends in a line feed.
    #[must_use]
    pub fn ends_in_newline(&self) -> bool {
        self.0.ends_with(b"\n")
    }

    /// Writes the text as a JSON string with its quotes. Only what must be escaped is: quotes, backslashes, control
    /// characters and lone surrogates.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        let mut rest: &[u8] = &self.0;
        while let Some(at) = rest
            .iter()
            .position(|&b| b < 0x20 || matches!(b, b'"' | b'\\' | 0xed))
        {
            let (plain, special) = rest.split_at(at);
            out.extend_from_slice(plain);
            rest = write_special(special, out);
        }
        out.extend_from_slice(rest);
        out.push(b'"');
    }
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
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr(b'"', rest)) {
        at += found;
        let before = text.get(1..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|&&b| b == b'\\').count();
        at += 1;
        if backslashes % 2 == 0 {
            return at;
        }
    }
    text.len()
}

/// Whether a string's raw content equals `plain`, decoded only if it has to be.
#[must_use]
pub(crate) fn raw_equals(raw: &[u8], plain: &str) -> bool {
    raw == plain.as_bytes()
        || (memchr(b'\\', raw).is_some() && Text::decode(raw).as_bytes() == plain.as_bytes())
}

impl std::borrow::Borrow<[u8]> for Text<'_> {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }
}

impl From<String> for Text<'static> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text.into_bytes()))
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
    use super::Text;

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
    fn broken_escapes_do_no_harm() {
        for raw in [&br"\"[..], br"\u", br"\u12", br"\uzzzz", br"\x"] {
            let _ = json(&Text::decode(raw));
        }
    }
}
