//! Lists of the names of members, written as a text of words.

use jsift_json::text::Text;
use jsift_json::view::{Name, Object, Outline, Value};

/// Names of members, in the order in which they are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameList {
    pub(crate) names: &'static [Name],
    pub(crate) outline: Outline,
}

/// Makes a [`NameList`] of a constant text of words separated by spaces.
macro_rules! names {
    ($words:expr) => {{
        use crate::dialect::names::{NameList, count, named, split};
        const ALL: [jsift_json::view::Name; count($words)] = named(split($words));
        const LIST: NameList = NameList::new(&ALL);
        LIST
    }};
}
pub(crate) use names;

/// Makes a constant list of the words, separated by spaces, of a constant text.
macro_rules! words {
    ($words:expr) => {{
        use crate::dialect::names::{count, split};
        const ALL: [&str; count($words)] = split($words);
        &ALL
    }};
}
pub(crate) use words;

impl NameList {
    pub(crate) const fn new(names: &'static [Name]) -> Self {
        let (mut outline, mut at) = (Outline::NONE, 0);
        while at < names.len() {
            (outline, at) = (outline.with(names[at]), at + 1);
        }
        Self { names, outline }
    }

    /// Returns the members of an object that have these names, each with the index of its name.
    #[inline]
    pub(crate) fn numbered<'a>(
        self,
        object: &Object<'a>,
    ) -> impl Iterator<Item = (usize, Value<'a>)> {
        let names = match object.may_have_any(self.outline) {
            true => self.names,
            false => &[],
        };
        let all = names.iter().enumerate();
        all.filter_map(|(at, name)| Some((at, object.get_named(*name)?)))
    }

    /// Returns the members of an object that have these names.
    #[inline]
    pub(crate) fn of<'a>(self, object: &Object<'a>) -> impl Iterator<Item = Value<'a>> {
        self.numbered(object).map(|(_, value)| value)
    }

    /// Returns the members of an object that have these names and are objects.
    #[inline]
    pub(crate) fn objects<'a>(self, object: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
        self.of(object).filter_map(|value| object.inside(value))
    }

    /// Whether an object has any such member.
    #[inline]
    pub(crate) fn is_in(self, object: &Object<'_>) -> bool {
        self.of(object).next().is_some()
    }

    /// Whether an object has no members with other names.
    pub(crate) fn are_all_of(self, object: &Object<'_>) -> bool {
        Self::cover([self].into_iter(), object)
    }

    /// Whether an object has no members with names that are in none of these lists.
    pub(crate) fn cover(lists: impl Iterator<Item = Self> + Clone, object: &Object<'_>) -> bool {
        let names = lists.flat_map(|list| list.names);
        has_only(object, names.map(|name| name.text))
    }

    /// Whether any such member of an object is a flag that is true.
    pub(crate) fn is_set(self, object: &Object<'_>) -> bool {
        self.of(object).any(|value| value.as_bool() == Some(true))
    }

    /// Returns the first such member that is not `null`.
    #[inline]
    pub(crate) fn first<'a>(self, object: &Object<'a>) -> Option<Value<'a>> {
        self.of(object).find_map(Value::non_null)
    }

    /// Returns the first such member that is a string.
    pub(crate) fn string<'a>(self, object: &Object<'a>) -> Option<Text<'a>> {
        self.of(object).find_map(Value::text)
    }

    /// Returns the first such member that is a non-empty string.
    #[inline]
    pub(crate) fn text<'a>(self, object: &Object<'a>) -> Option<Text<'a>> {
        let mut texts = self.of(object).filter_map(Value::text);
        texts.find(|text| !text.is_empty())
    }
}

/// Whether one of `words` is `word`.
pub(crate) fn has_word(words: &[&str], word: &[u8]) -> bool {
    words.iter().any(|one| one.as_bytes() == word)
}

/// Whether one of `words` is `word`, in capitals or not.
pub(crate) fn has_word_in_any_case(words: &[&str], word: &[u8]) -> bool {
    let mut words = words.iter().map(|one| one.as_bytes());
    words.any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether an object has no members with other names than these.
#[inline(never)]
pub(crate) fn has_only<'n>(
    object: &Object<'_>,
    names: impl Iterator<Item = &'n str> + Clone,
) -> bool {
    let mut members = object.members();
    members.all(|(key, _)| names.clone().any(|name| key.is(name)))
}

/// Returns the number of words in a text.
pub(crate) const fn count(words: &'static str) -> usize {
    let (mut count, mut rest) = (0, Some(words));
    while let Some(words) = rest {
        (count, rest) = (count + 1, cut(words, b' ').1);
    }
    count
}

/// Returns the words of a text.
pub(crate) const fn split<const N: usize>(words: &'static str) -> [&'static str; N] {
    let (mut all, mut at, mut rest) = ([""; N], 0, Some(words));
    while let Some(words) = rest {
        (all[at], rest) = cut(words, b' ');
        assert!(!all[at].is_empty(), "there are two spaces");
        at += 1;
    }
    all
}

/// Returns the names that these words are.
pub(crate) const fn named<const N: usize>(words: [&'static str; N]) -> [Name; N] {
    let (mut all, mut at) = ([Name::new(""); N], 0);
    while at < N {
        (all[at], at) = (Name::new(words[at]), at + 1);
    }
    all
}

/// Whether two texts are equal.
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Returns the text before the first `byte`, and the text after it; `None` if `text` does not contain it.
pub(crate) const fn cut(text: &'static str, byte: u8) -> (&'static str, Option<&'static str>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            return (utf8(bytes.split_at(at).0), Some(tail(text, at + 1)));
        }
        at += 1;
    }
    (text, None)
}

/// Returns the text from the offset `at` on.
pub(crate) const fn tail(text: &'static str, at: usize) -> &'static str {
    utf8(text.as_bytes().split_at(at).1)
}

const fn utf8(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("names are written in ASCII"),
    }
}
