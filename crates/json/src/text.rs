//! The decoded content of a JSON string, including lone surrogates.
//!
//! JSON text may contain `\ud83d` without its other half, and agents do cut a pair in two when they stream text in
//! pieces. A [`Text`] keeps such a half (in the WTF-8 encoding), joins the halves when the pieces are put together, and
//! writes a lone half as an escape in JSON.

use crate::cost;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use super::string::{
    decode_into, is_canonical, is_escaped, push_bytes, quote, surrogate, write_code, write_escaped,
};
use super::view::Value;
use super::write::minify;

/// Text that may contain lone surrogates. It is borrowed as long as nothing has to be decoded, and decoded only when it
/// is looked at: much text never is, or is written as the JSON string that it was read from.
#[derive(Debug, Clone)]
pub struct Text<'a>(TextForm<'a>);

#[derive(Debug, Clone)]
enum TextForm<'a> {
    /// The content of a JSON string without escapes.
    Verbatim(&'a [u8]),
    Plain(Cow<'a, [u8]>),
    /// For text that is kept in several places.
    Shared(Arc<[u8]>),
    /// The content of a JSON string that contains, or may contain, escapes.
    Escaped(MadeText<'a>),
    /// Joined text as owned data.
    Joined(Box<JoinedText>),
    /// JSON as text, without white space between its tokens.
    Json(MadeText<'a>),
}

/// A result computed on first use. It is boxed because a text is moved more often than it is looked at.
type Made = OnceCell<Box<Vec<u8>>>;

/// A text that is made of JSON when it is first looked at.
#[derive(Debug, Clone)]
struct MadeText<'a> {
    /// A value, or the content of a string between its quotes.
    raw: &'a [u8],
    made: Made,
}

/// The content of a JSON string, with its text once that was looked at.
#[derive(Debug, Clone)]
struct JoinedText {
    json: Vec<u8>,
    made: OnceCell<Vec<u8>>,
}

impl JoinedText {
    fn text(&self) -> &Vec<u8> {
        self.made.get_or_init(|| decoded(&self.json))
    }
}

impl<'a> MadeText<'a> {
    const fn new(raw: &'a [u8]) -> Self {
        let made = OnceCell::new();
        Self { raw, made }
    }

    fn text(&self, make: fn(&[u8]) -> Vec<u8>) -> &Vec<u8> {
        self.made.get_or_init(|| Box::new(make(self.raw)))
    }

    fn into_text(self, make: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        match self.made.into_inner() {
            Some(text) => *text,
            None => make(self.raw),
        }
    }
}

fn decoded(raw: &[u8]) -> Vec<u8> {
    cost::search(raw.len());
    let mut text = Vec::with_capacity(raw.len());
    decode_into(raw, &mut text);
    text
}

fn compact(raw: &[u8]) -> Vec<u8> {
    minify(raw).into_owned()
}

impl<'a> Text<'a> {
    /// The empty text.
    pub const EMPTY: Self = Self(TextForm::Verbatim(b""));

    /// Returns the text between the quotes of a valid JSON string.
    ///
    /// Invalid escapes stay as they are.
    #[must_use]
    pub fn decode(raw: &'a [u8]) -> Self {
        Self::of_string(raw, is_escaped(raw))
    }

    /// Returns the text between the quotes of a JSON string for which it is known whether it is escaped.
    pub(super) const fn of_string(raw: &'a [u8], escaped: bool) -> Self {
        Self(match escaped {
            false => TextForm::Verbatim(raw),
            true => TextForm::Escaped(MadeText::new(raw)),
        })
    }

    /// Returns the text of the content of a JSON string, as owned data.
    pub(super) fn of_joined(json: Vec<u8>) -> Text<'static> {
        let made = OnceCell::new();
        Text(TextForm::Joined(Box::new(JoinedText { json, made })))
    }

    /// Returns the JSON string content that this text comes from, unless it was stored decoded, and whether that
    /// content may have escapes.
    pub(super) fn raw(&self) -> Option<(&[u8], bool)> {
        match &self.0 {
            TextForm::Verbatim(raw) => Some((raw, false)),
            TextForm::Escaped(escaped) => Some((escaped.raw, true)),
            TextForm::Joined(joined) => Some((&joined.json, true)),
            TextForm::Plain(_) | TextForm::Shared(_) | TextForm::Json(_) => None,
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            TextForm::Verbatim(text) => text.to_vec(),
            TextForm::Plain(text) => text.into_owned(),
            TextForm::Shared(text) => text.to_vec(),
            TextForm::Escaped(made) => made.into_text(decoded),
            TextForm::Joined(joined) => match joined.made.into_inner() {
                Some(text) => text,
                None => decoded(&joined.json),
            },
            TextForm::Json(made) => made.into_text(compact),
        }
    }

    fn edit(&mut self, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut text = std::mem::take(self).into_bytes();
        edit(&mut text);
        self.0 = TextForm::Plain(Cow::Owned(text));
    }

    /// Returns the text of a JSON value, without white space between its tokens.
    #[must_use]
    pub const fn of_json(value: Value<'a>) -> Self {
        Self(TextForm::Json(MadeText::new(value.raw())))
    }

    /// Returns the text of a JSON value that was put together, or written by a model that may have broken it, without
    /// white space between its tokens.
    #[must_use]
    pub fn written(value: Value<'_>) -> Text<'static> {
        Text(TextForm::Plain(Cow::Owned(value.compact().into_owned())))
    }

    /// Appends other text. A surrogate pair that is split between the two is joined.
    pub fn push(&mut self, other: &Text<'_>) {
        self.edit(|text| match &other.0 {
            TextForm::Escaped(escaped) if escaped.made.get().is_none() => {
                decode_into(escaped.raw, text);
            }
            _ => push_bytes(other.as_bytes(), text),
        });
    }

    /// Appends a string.
    pub fn push_str(&mut self, other: &str) {
        self.edit(|text| text.extend_from_slice(other.as_bytes()));
    }

    /// Returns the text in WTF-8: UTF-8 in which a lone surrogate takes three bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            TextForm::Verbatim(text) => text,
            TextForm::Plain(text) => text,
            TextForm::Shared(text) => text,
            TextForm::Escaped(made) => made.text(decoded),
            TextForm::Joined(joined) => joined.text(),
            TextForm::Json(made) => made.text(compact),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            TextForm::Verbatim(text) => text.is_empty(),
            TextForm::Plain(text) => text.is_empty(),
            TextForm::Shared(text) => text.is_empty(),
            // An escape is never empty text.
            TextForm::Escaped(made) | TextForm::Json(made) => made.raw.is_empty(),
            TextForm::Joined(joined) => joined.json.is_empty(),
        }
    }

    /// Whether there is nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.as_bytes().iter().all(u8::is_ascii_whitespace)
    }

    /// Returns the text as a string, if it contains no lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// Returns the text as a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        if let Some(text) = self.as_str() {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.len());
        for chunk in self.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            // The three bytes of a surrogate are three invalid chunks; only the first one is replaced.
            if !matches!(chunk.invalid(), [] | [0x80..=0xbf]) {
                text.push('\u{fffd}');
            }
        }
        Cow::Owned(text)
    }

    /// Returns the text in UTF-8; a lone surrogate becomes its JSON escape (`\ud83d`).
    #[must_use]
    pub fn with_escapes(&self) -> Cow<'_, [u8]> {
        let text = self.as_bytes();
        if self.as_str().is_some() {
            return Cow::Borrowed(text);
        }
        let mut escaped = Vec::with_capacity(text.len() + 8);
        let mut rest = text;
        loop {
            match rest {
                [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, after @ ..] => {
                    write_code(surrogate(*second, *third), &mut escaped);
                    rest = after;
                }
                [byte, after @ ..] => {
                    escaped.push(*byte);
                    rest = after;
                }
                [] => return Cow::Owned(escaped),
            }
        }
    }

    /// Returns the part that begins at byte `start`, which must be a place where text was appended.
    #[must_use]
    pub fn since(&self, start: usize) -> Text<'_> {
        Text::plain(self.as_bytes().get(start..).unwrap_or_default())
    }

    /// Returns the part of the text in a range of bytes, empty if there is no such range.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Text<'_> {
        Text::plain(self.as_bytes().get(range).unwrap_or_default())
    }

    /// Splits off the first half of a surrogate pair at the end: returns the text before it and that half, which may be
    /// empty.
    #[must_use]
    pub fn split_half(&self) -> (Text<'_>, Text<'_>) {
        let text = self.as_bytes();
        let (whole, half) = match text {
            [whole @ .., 0xed, (0xa0..=0xaf), _] => text.split_at(whole.len()),
            _ => (text, &[][..]),
        };
        (Text::plain(whole), Text::plain(half))
    }

    /// Returns a text that borrows from this one.
    #[must_use]
    pub fn borrowed(&self) -> Text<'_> {
        Text::plain(self.as_bytes())
    }

    /// Returns the text as owned data.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        match self.0 {
            TextForm::Shared(text) => Text(TextForm::Shared(text)),
            TextForm::Joined(text) => Text(TextForm::Joined(text)),
            _ => Text(TextForm::Plain(Cow::Owned(self.into_bytes()))),
        }
    }

    /// Returns the text as owned data that can be cloned cheaply.
    #[must_use]
    pub fn to_shared(&self) -> Text<'static> {
        Text(TextForm::Shared(match &self.0 {
            TextForm::Shared(text) => Arc::clone(text),
            _ => self.as_bytes().into(),
        }))
    }

    /// Whether the text starts with these bytes: those of a string, or of another text.
    #[must_use]
    pub fn starts_with(&self, other: impl AsRef<[u8]>) -> bool {
        self.as_bytes().starts_with(other.as_ref())
    }

    /// Whether the text ends in a line feed.
    #[must_use]
    pub fn ends_in_newline(&self) -> bool {
        self.as_bytes().ends_with(b"\n")
    }

    /// Writes the text as a JSON string with its quotes. Only what must be escaped is escaped: quotes, backslashes,
    /// control characters and lone surrogates.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        if let Some((raw, _)) = self.raw() {
            out.reserve(raw.len() + 2);
        }
        out.push(b'"');
        match &self.0 {
            TextForm::Verbatim(text) => out.extend_from_slice(text),
            TextForm::Escaped(escaped) if is_canonical(escaped.raw) => {
                out.extend_from_slice(escaped.raw);
            }
            TextForm::Joined(joined) if is_canonical(&joined.json) => {
                out.extend_from_slice(&joined.json);
            }
            TextForm::Json(json) if json.made.get().is_none() => quote(json.raw, out),
            _ => write_escaped(self.as_bytes(), out),
        }
        out.push(b'"');
    }

    const fn plain(text: &'a [u8]) -> Self {
        Self(TextForm::Plain(Cow::Borrowed(text)))
    }
}

impl std::borrow::Borrow<[u8]> for Text<'_> {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Text<'_> {
    fn as_ref(&self) -> &[u8] {
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
        Self(TextForm::Plain(Cow::Owned(text.into_bytes())))
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
mod tests;
