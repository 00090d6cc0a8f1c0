//! JSON values read in place.
//!
//! A [`Value`] is a slice of text that is known to be valid JSON: the finder has read it once, and nothing is validated
//! a second time. Values are skipped without recursion and strings are decoded only when asked for, so that a reader
//! pays only for the members it uses. On text that is not valid JSON the results are meaningless, but nothing panics.

use crate::cost;
use std::borrow::Cow;
use std::ops::Range;

use super::after_white;
use super::pointer::Pointer;
use super::string::{first, is_escaped, marks, same_word, string_end};
use super::tape::MarkLayout;
use super::text::Text;
use super::write::minify;

mod ends;
mod marked;
mod object;
mod tag;

use ends::value_end;
use marked::Marked;
pub use object::{Object, ObjectMemory};
use tag::Tag;
pub use tag::{Name, Names, Outline};

/// The kind of a value.
///
/// ```
/// use jsift::{Kind, Options};
///
/// let text = "sizes: [[1, 2]] and {\"n\": 3}";
/// let object = Options::new().kind(Kind::Object).extract(text)?;
/// assert_eq!(object.text(), r#"{"n": 3}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`
    Null,
}

/// One value of a valid JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    raw: &'a [u8],
}

impl<'a> Value<'a> {
    /// Returns the value of a valid JSON text.
    #[must_use]
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            raw: text.trim_ascii(),
        }
    }

    /// Returns the value of a document, which has no white space around it.
    pub const fn of_document(text: &'a [u8]) -> Self {
        Self { raw: text }
    }

    /// Returns the text of the value.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// Returns the range of bytes of the value in the text that it was read from; `None` if it was not read from
    /// `text`.
    #[must_use]
    pub fn place_in(self, text: &[u8]) -> Option<Range<usize>> {
        let start = (self.raw.as_ptr().addr()).checked_sub(text.as_ptr().addr())?;
        let end = start.checked_add(self.raw.len())?;
        (end <= text.len()).then_some(start..end)
    }

    /// Returns the kind of the value.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind {
        match self.raw.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Returns the members of an object in their order; none for any other value.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        let text = match self.kind() {
            Kind::Object => self.raw,
            _ => &[],
        };
        Members { text, at: 1 }
    }

    /// Returns the elements of an array in their order; none for any other value.
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        let text = match self.kind() {
            Kind::Array => self.raw,
            _ => &[],
        };
        Elements { text, at: 1 }
    }

    /// Returns the member with this name; the last one if the name is repeated.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        self.members()
            .filter(|(key, _)| key.is(name))
            .last()
            .map(|(_, value)| value)
    }

    /// Whether it is an object with a member of this name.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.members().any(|(key, _)| key.is(name))
    }

    /// Returns the bits of all names in a set that members may have. Names with a bit in `objects` or `strings` count
    /// only if their value is an object or a string. This is a quick look: it may return too many bits, but never too
    /// few. `layout` has the positions of the members, if they are known.
    pub fn may_have_in(
        self,
        names: &Names,
        (objects, strings): (u32, u32),
        layout: Option<MarkLayout<'a>>,
    ) -> u32 {
        let mut bits = 0;
        let mut look = |key: Key<'a>, first: Option<&u8>| {
            let named = key.bits(names);
            // Most names are not in the set.
            if named != 0 {
                let not = match first {
                    Some(b'"') => objects,
                    Some(b'{') => strings,
                    _ => objects | strings,
                };
                bits |= named & !not;
            }
        };
        match layout {
            None => self
                .members()
                .for_each(|(key, value)| look(key, value.raw.first())),
            Some(layout) => {
                let marked = Marked {
                    text: self.raw,
                    layout,
                };
                marked.names(self, look);
            }
        }
        bits
    }

    /// Returns the value at a [JSON pointer](Pointer).
    #[must_use]
    pub fn pointer(self, pointer: &str) -> Option<Self> {
        Pointer::parse(pointer).ok()?.find(self)
    }

    /// Returns the content of a string.
    #[must_use]
    #[inline]
    pub fn text(self) -> Option<Text<'a>> {
        self.raw_string().map(Text::decode)
    }

    /// Returns the content of a string in UTF-8, except for lone surrogates: used to compare names of types and the
    /// like.
    #[must_use]
    #[inline]
    pub fn word(self) -> Option<Cow<'a, [u8]>> {
        let raw = self.raw_string()?;
        Some(match is_escaped(raw) {
            false => Cow::Borrowed(raw),
            true => Cow::Owned(Text::decode(raw).as_bytes().to_vec()),
        })
    }

    /// Whether it is the string `text`.
    #[must_use]
    #[inline]
    pub fn is(self, text: &str) -> bool {
        self.raw_string().is_some_and(|raw| equals(raw, text))
    }

    /// Whether it is the string `text`, which has no backslashes; nearly always the JSON string has no escapes either.
    #[inline]
    pub fn is_word(self, text: &str) -> bool {
        let is_plainly = |raw| same_word(raw, text.as_bytes());
        self.raw_string().is_some_and(is_plainly) || self.is(text)
    }

    /// Returns the content between the quotes of a string.
    fn raw_string(self) -> Option<&'a [u8]> {
        match self.raw {
            [b'"', raw @ .., b'"'] => Some(raw),
            _ => None,
        }
    }

    /// Returns the number, if it is an integer and not negative.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked"
        )]
        let whole = || Some(self.whole().filter(|whole| *whole >= 0.0)? as u64);
        self.number()?.parse().ok().or_else(whole)
    }

    /// Returns the number, if it is an integer.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        let whole = || Some(self.whole()? as i64);
        self.number()?.parse().ok().or_else(whole)
    }

    /// Returns an integer that is written as a fraction or with an exponent: `3.0`.
    fn whole(self) -> Option<f64> {
        // Below 2^53 a float represents every integer exactly.
        let is_whole =
            |number: &f64| number.abs() < 9_007_199_254_740_992.0 && number.fract() == 0.0;
        self.as_f64().filter(is_whole)
    }

    /// Returns the number, if a float can represent it.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.number()?
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    /// Returns the text of a number. It may be a string: Protocol Buffers write integers of 64 bits so.
    fn number(self) -> Option<&'a str> {
        let text = match self.kind() {
            Kind::Number => self.raw,
            _ => self.raw_string()?,
        };
        std::str::from_utf8(text).ok()
    }

    /// Returns the truth value.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.raw {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.raw == b"null"
    }

    /// Returns the value itself, unless it is `null`.
    #[must_use]
    pub fn non_null(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }

    /// Returns the text of the value without white space between its tokens.
    #[must_use]
    pub fn compact(self) -> Cow<'a, [u8]> {
        match self.kind() {
            Kind::Object | Kind::Array => minify(self.raw),
            _ => Cow::Borrowed(self.raw),
        }
    }
}

/// The name of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    raw: &'a [u8],
    tag: Tag,
}

impl<'a> Key<'a> {
    /// Returns the name that is `length` bytes long and starts at `start`, after its quote.
    #[inline(always)]
    fn at(text: &'a [u8], start: usize, length: usize) -> Option<Self> {
        let rest = text.get(start..)?;
        let raw = rest.get(..length)?;
        let tag = match first(rest, 0, marks) {
            Some(mark) if mark == length => Tag::at(rest, length),
            _ => Tag::ESCAPED,
        };
        Some(Self { raw, tag })
    }

    /// Returns the bits of the names in a set that this name may be.
    #[inline]
    fn bits(self, names: &Names) -> u32 {
        match self.tag {
            Tag::ESCAPED => u32::MAX,
            tag => names.bits(tag),
        }
    }

    /// Whether the member has the name `name`, whose tag is `tag`, written without escapes.
    #[inline(always)]
    fn has(self, tag: Tag, name: &str) -> bool {
        self.tag == tag && tag.tells(self.raw, name)
    }

    /// Whether the member has this name.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        match self.tag {
            Tag::ESCAPED => equals(self.raw, name),
            _ => same_word(self.raw, name.as_bytes()),
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn text(self) -> Text<'a> {
        Text::decode(self.raw)
    }
}

/// Iterates over the members of an object.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Value<'a>);

    // Inlined: a call for each member of each record that moves its result twice would cost more than finding the
    // member.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, end) = key_at(self.text, self.at)?;
        let start = skip_separator(self.text, end, b':');
        let value = value_at(self.text, start, &mut self.at)?;
        Some((key, value))
    }
}

/// Iterates over the elements of an array.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = skip_separator(self.text, self.at, b',');
        value_at(self.text, start, &mut self.at)
    }
}

/// Whether a string's content is `plain`; it is decoded only if necessary.
#[inline]
fn equals(raw: &[u8], plain: &str) -> bool {
    // An escape is never shorter than its character.
    match raw.len() > plain.len() {
        true => is_escaped(raw) && Text::decode(raw) == *plain,
        false => same_word(raw, plain.as_bytes()) && !is_escaped(raw),
    }
}

/// Returns the end of the white space with at most one separator that starts at `at`.
#[inline]
fn skip_separator(text: &[u8], at: usize, separator: u8) -> usize {
    // Most records have no white space.
    if let Some([first, second, ..]) = text.get(at..)
        && *first == separator
        && *second > b' '
    {
        return at + 1;
    }
    let at = after_white(text, at);
    match text.get(at) == Some(&separator) {
        true => after_white(text, at + 1),
        false => at,
    }
}

/// Returns the name of the next member, if there is one, and where it ends.
#[inline(always)]
fn key_at(text: &[u8], at: usize) -> Option<(Key<'_>, usize)> {
    let start = skip_separator(text, at, b',');
    if text.get(start) != Some(&b'"') {
        return None;
    }
    let end = string_end(text, start);
    cost::search(end - start);
    let length = end.checked_sub(start + 2)?;
    Some((Key::at(text, start + 1, length)?, end))
}

/// Returns the value that begins at `start`; `None` if none does. `end` is set to where it ends.
#[inline]
fn value_at<'a>(text: &'a [u8], start: usize, end: &mut usize) -> Option<Value<'a>> {
    let stop = value_end(text, start)?;
    *end = stop;
    cost::search(stop - start);
    let raw = text.get(start..stop)?;
    Some(Value { raw })
}

#[cfg(test)]
mod tests;
