//! What the agents' records look like: a table of shapes for each dialect, and an index that finds which agents may
//! have written a record.
//!
//! A [`RecordShape`] is written as its conditions, in words separated by spaces. The first word is the discriminator:
//! through it the shapes of a record are found at once, however many agents there are.
//!
//! | word | condition |
//! |---|---|
//! | `name` | the member exists, even if it is `null` |
//! | `!name` | the member is missing or `null` |
//! | `name=word` | the member is exactly this string; `a=b\|c` is one of these |
//! | `name^=begin` | the member is a string that starts with `begin`, or with one of `begin\|begin` |
//! | `name:string` | the member has this type: `string`, `object`, `array`, `number`, `null`; `list` is an array of objects |
//! | `name:Name` | the member is a string that starts with a capital letter |
//! | `only:a,b` | the record has no other members but those that only date, name or number it |
//!
//! A name may be a path, `message.usage.total_tokens`; through an array it leads into the first element. Members that
//! only date, name or number a record (time stamps, ids, versions) are not required by the shapes that must be
//! recognised, only by shapes that are [surer](Sure) because of them.

mod index;

use super::names::{cut, has_only, tail};
use super::usual::NEUTRAL;
pub(crate) use index::may_be_read;
pub(super) use index::{Claims, is_certainly};
use jsift_json::view::{Kind, Name, Object, Outline, Value};

/// How certain it is that a record of a shape was written by the shape's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sure {
    /// The record was not written by the agent, nor were the records next to it: it starts a request or a data set.
    Never,
    /// Accepted only if the user names the agent (`--agent`).
    Believed,
    /// Accepted only after records that are known to be the agent's: the shape of a record of an unknown type.
    Fits,
    /// Others write such records too: another matching record has to be next to it.
    Doubtful,
    /// Opens a session. Another agent may write records of this shape; other members then identify that agent.
    Likely,
    /// No other agent writes it: it opens a session even while another agent's session is running.
    Certain,
}

/// The shape of one sort of records.
#[derive(Debug)]
pub struct RecordShape {
    sure: Sure,
    needs: [Need; NEEDS],
    count: usize,
    /// The names that a matching record has: most shapes are ruled out by a name that the record lacks.
    outline: Outline,
}

/// The maximum number of words of a shape.
const NEEDS: usize = 6;
/// The maximum number of names in a path.
const DEPTH: usize = 3;

/// One word of a shape.
#[derive(Debug, Clone, Copy)]
struct Need {
    path: [Name; DEPTH],
    depth: usize,
    test: Test,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Present,
    Missing,
    Is(&'static str),
    /// One of the strings that this text separates by bars.
    OneOf(&'static str),
    Begins(&'static str),
    Kind(Kind),
    /// An array of objects.
    List,
    /// A string that starts with a capital letter.
    Name,
    /// The record has no members but these names and [neutral](NEUTRAL) ones.
    Only(&'static str, Outline),
}

impl RecordShape {
    /// Returns the shape that `words` describe. A malformed shape does not compile.
    pub(super) const fn new(sure: Sure, words: &'static str) -> Self {
        let none = Need::new("");
        let (mut needs, mut count, mut rest) = ([none; NEEDS], 0, Some(words));
        let mut outline = Outline::NONE;
        while let Some(words) = rest {
            let (word, after) = cut(words, b' ');
            assert!(count < NEEDS, "a shape has too many words");
            let need = Need::new(word);
            if !matches!(need.test, Test::Missing | Test::Only(..)) {
                outline = outline.with(need.path[0]);
            }
            needs[count] = need;
            (count, rest) = (count + 1, after);
        }
        Self {
            sure,
            needs,
            count,
            outline,
        }
    }

    /// Whether `record` has this shape, given that it meets the first `met` words.
    #[inline(never)]
    fn fits(&self, record: &Object<'_>, met: usize) -> bool {
        let needs = self.needs.get(met..self.count).unwrap_or_default();
        needs.iter().all(|need| need.is_met(record))
    }

    /// Returns the name of the discriminator, and the string it has to be, or several that bars separate; an empty
    /// string if any value will do.
    const fn discriminator(&self) -> (&'static str, &'static str) {
        let Need { path, depth, test } = self.needs[0];
        match test {
            Test::Is(words) | Test::OneOf(words) if depth == 1 => (path[0].text, words),
            _ => (path[0].text, ""),
        }
    }

    /// Whether the discriminator has to be an object.
    const fn has_object_as_discriminator(&self) -> bool {
        let Need { depth, test, .. } = self.needs[0];
        depth > 1 || matches!(test, Test::Kind(Kind::Object))
    }

    /// Whether the discriminator has to be a string.
    const fn has_string_as_discriminator(&self) -> bool {
        let Need { depth, test, .. } = self.needs[0];
        let is_string = matches!(
            test,
            Test::Is(_) | Test::OneOf(_) | Test::Begins(_) | Test::Name | Test::Kind(Kind::String)
        );
        depth == 1 && is_string
    }
}

/// Writes one constructor of shapes for each degree of certainty.
macro_rules! lines {
    ($($name:ident $sure:ident;)*) => {$(
        #[doc = concat!("A shape whose records are [`Sure::", stringify!($sure), "`].")]
        pub(super) const fn $name(words: &'static str) -> RecordShape {
            RecordShape::new(Sure::$sure, words)
        }
    )*};
}
lines! {
    never Never;
    believed Believed;
    fits Fits;
    doubtful Doubtful;
    likely Likely;
    certain Certain;
}

impl Need {
    const fn new(word: &'static str) -> Self {
        let bytes = word.as_bytes();
        let (path, test) = match bytes {
            [b'!', ..] => (tail(word, 1), Test::Missing),
            [b'o', b'n', b'l', b'y', b':', ..] => ("", Test::only(tail(word, 5))),
            _ => match (cut(word, b'='), cut(word, b':')) {
                ((name, Some(said)), _) => match name.as_bytes() {
                    [.., b'^'] => (cut(name, b'^').0, Test::Begins(said)),
                    _ if cut(said, b'|').1.is_some() => (name, Test::OneOf(said)),
                    _ => (name, Test::Is(said)),
                },
                (_, (name, Some(sort))) => (name, Test::sort(sort)),
                _ => (word, Test::Present),
            },
        };
        let (mut names, mut depth, mut rest) = ([Name::new(""); DEPTH], 0, Some(path));
        while let Some(path) = rest {
            let (name, after) = cut(path, b'.');
            names[depth] = Name::new(name);
            (depth, rest) = (depth + 1, after);
        }
        Self {
            path: names,
            depth,
            test,
        }
    }

    #[inline]
    fn is_met(&self, record: &Object<'_>) -> bool {
        if let Test::Only(names, outline) = self.test {
            let neutral = NEUTRAL.iter().flat_map(|list| list.names);
            let names = names.split(',').chain(neutral.map(|name| name.text));
            return !record.has_beyond(outline) && has_only(record, names);
        }
        let first = record.get_named(self.path[0]);
        let found = match self.depth {
            1 => first,
            _ => first.and_then(|first| self.find_in(first)),
        };
        let Some(value) = found else {
            return matches!(self.test, Test::Missing);
        };
        match self.test {
            Test::Present | Test::Only(..) => true,
            Test::Missing => value.is_null(),
            Test::Is(word) => value.is_word(word),
            Test::OneOf(words) => words.split('|').any(|word| value.is_word(word)),
            Test::Begins(begin) => {
                let word = value.word().unwrap_or_default();
                let begins = |begin: &str| word.starts_with(begin.as_bytes());
                begin.split('|').any(begins)
            }
            Test::Kind(kind) => value.kind() == kind,
            Test::List => {
                let first = value.elements().next();
                first.is_some_and(|first| first.kind() == Kind::Object)
            }
            Test::Name => {
                let word = value.word().unwrap_or_default();
                word.first().is_some_and(u8::is_ascii_uppercase)
            }
        }
    }

    /// Returns the value at the end of the path in the value of its first name.
    fn find_in<'a>(&self, first: Value<'a>) -> Option<Value<'a>> {
        let mut names = self.path.iter().take(self.depth).skip(1);
        names.try_fold(first, |value, name| match value.kind() {
            Kind::Array => value.elements().next()?.get(name.text),
            _ => value.get(name.text),
        })
    }
}

impl Test {
    const fn only(names: &'static str) -> Self {
        let (mut outline, mut rest, mut list) = (Outline::NONE, Some(names), 0);
        while list < NEUTRAL.len() {
            (outline, list) = (outline.and(NEUTRAL[list].outline), list + 1);
        }
        while let Some(left) = rest {
            let (name, after) = cut(left, b',');
            (outline, rest) = (outline.with(Name::new(name)), after);
        }
        Self::Only(names, outline)
    }

    const fn sort(sort: &str) -> Self {
        match sort.as_bytes() {
            b"string" => Self::Kind(Kind::String),
            b"object" => Self::Kind(Kind::Object),
            b"array" => Self::Kind(Kind::Array),
            b"number" => Self::Kind(Kind::Number),
            b"null" => Self::Kind(Kind::Null),
            b"list" => Self::List,
            b"Name" => Self::Name,
            _ => panic!("there is no such sort of values"),
        }
    }
}
