//! The beginnings of names, by which members are found.

use crate::lanes::NARROW;

/// How many places the members of an object have for their numbers: one for each bit of an [`Outline`].
pub(super) const PLACES: usize = 64;
/// How many bytes of a name stand in its tag.
const TAGGED: usize = 7;

/// The bits of a name in its tag, by its length.
const KEPT: [u64; TAGGED + 1] = kept();

const fn kept() -> [u64; TAGGED + 1] {
    let mut kept = [0; TAGGED + 1];
    let mut length = 1;
    while length <= TAGGED {
        kept[length] = kept[length - 1] << 8 | 0xff;
        length += 1;
    }
    kept
}

/// The length of a name and its first bytes: names that differ mostly differ in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u64);

/// A name that objects are asked for often.
#[derive(Debug, Clone, Copy)]
pub struct Name(pub(super) Tag);

impl Name {
    /// That name.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        Self(Tag::of(name))
    }
}

/// A name with its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedText(pub(super) Name, pub(super) &'static str);

impl NamedText {
    /// That name.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(Name::new(name), name)
    }

    /// The text of the name.
    pub(crate) const fn text(self) -> &'static str {
        self.1
    }
}

/// Where the members of an object have their numbers, one bit for each place that is taken: which names an object lacks is
/// told at once, however many there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outline(u64);

impl Outline {
    /// No names.
    pub(crate) const NONE: Self = Self(0);
    /// All names.
    pub(super) const ALL: Self = Self(u64::MAX);

    /// The same names and one more.
    pub(crate) const fn with(self, name: NamedText) -> Self {
        self.with_place(name.0.0.place(PLACES))
    }

    #[inline(always)]
    pub(super) const fn with_place(self, place: usize) -> Self {
        Self(self.0 | 1 << place)
    }

    /// Whether all names of `others` may be among these: right where it says no.
    #[inline(always)]
    pub(super) const fn may_hold(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }
}

/// Bits that say what names are for, by the places of those, so that an object is asked about all of them
/// [at once](super::Object::may_have).
#[derive(Debug)]
pub(crate) struct Bits {
    names: Outline,
    at: [u32; PLACES],
}

impl Bits {
    /// No names.
    pub(crate) const NONE: Self = Self {
        names: Outline::NONE,
        at: [0; PLACES],
    };

    /// The same names and one more, or more bits for one of them.
    #[must_use]
    pub(crate) const fn with(mut self, name: Name, bits: u32) -> Self {
        let place = name.0.place(PLACES);
        self.names = self.names.with_place(place);
        self.at[place] |= bits;
        self
    }

    /// The bits of all names that may be among those.
    #[inline]
    pub(super) fn of(&self, names: Outline) -> u32 {
        let mut left = self.names.0 & names.0;
        let mut bits = 0;
        while left != 0 {
            bits |= self.at[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        bits
    }
}

/// How many names a set has room for, a power of two. Few of the places are taken, so that most looks end at once.
const ROOM: usize = 512;

/// Names with bits that say what each of them is for, so that a document is asked about all of them at once. There is always
/// a place left that none has.
#[derive(Debug)]
pub struct Names([(Tag, u32); ROOM]);

impl Names {
    /// No names.
    pub const NONE: Self = Self([(Tag::of(""), 0); ROOM]);

    /// The same names and one more, or more bits for one of them. A constant set that is full does not compile.
    #[must_use]
    pub const fn with(mut self, name: Name, bits: u32) -> Self {
        let mut place = name.0.place(ROOM);
        let mut taken = 1;
        while self.0[place].1 != 0 && self.0[place].0.0 != name.0.0 {
            place = (place + 1) % ROOM;
            taken += 1;
        }
        assert!(taken < ROOM, "there is no room for more names");
        self.0[place] = (name.0, self.0[place].1 | bits);
        self
    }

    /// The bits of the names that may have that tag.
    #[inline]
    pub(super) fn bits(&self, tag: Tag) -> u32 {
        let mut place = tag.place(ROOM);
        loop {
            let (other, bits) = self.0[place % ROOM];
            if other == tag || bits == 0 {
                return bits;
            }
            place += 1;
        }
    }
}

impl Tag {
    /// The tag of all names that hold escapes. No other begins with such bytes.
    pub(super) const ESCAPED: Self = Self(u64::MAX);

    /// The tag of a name.
    #[inline]
    pub(super) const fn of(name: &str) -> Self {
        Self::new(name.as_bytes())
    }

    #[inline]
    const fn new(name: &[u8]) -> Self {
        let mut bytes = 0;
        let mut at = if name.len() < TAGGED {
            name.len()
        } else {
            TAGGED
        };
        while at > 0 {
            at -= 1;
            bytes = bytes << 8 | name[at] as u64;
        }
        Self::with_length(bytes, name.len())
    }

    /// The tag of the name that stands at `start`.
    #[inline]
    pub(super) fn at(text: &[u8], start: usize, length: usize) -> Self {
        let rest = text.get(start..).unwrap_or_default();
        match rest.first_chunk() {
            Some(chunk) => {
                let bytes = u64::from_le_bytes(*chunk) & KEPT[length.min(TAGGED)];
                Self::with_length(bytes, length)
            }
            None => Self::new(rest.get(..length).unwrap_or(rest)),
        }
    }

    /// The tag of a name of so many of these bytes.
    #[inline(always)]
    pub(super) fn short(few: &[u8; NARROW], length: usize) -> Self {
        let bytes = few
            .first_chunk()
            .map_or(0, |first| u64::from_le_bytes(*first));
        Self(bytes & KEPT[length.min(TAGGED)] | (length as u64) << (8 * TAGGED))
    }

    const fn with_length(bytes: u64, length: usize) -> Self {
        // Longer names count as one of 255 bytes, not as one that is shorter by 256.
        let length = if length < 255 { length } else { 255 };
        Self(bytes | (length as u64) << (8 * TAGGED))
    }

    /// Where a name is looked for first among so many places, a power of two.
    #[inline(always)]
    pub(super) const fn place(self, places: usize) -> usize {
        // By this number the names in records of the known agents have places of their own, nearly always.
        (self.0.wrapping_mul(0xbb11_c383_314a_bf3d) >> (u64::BITS - places.trailing_zeros()))
            as usize
    }

    /// Whether two names that both have this tag are the same, one of them without escapes.
    #[inline(always)]
    pub(super) fn tells(self, name: &[u8], other: &str) -> bool {
        let other = other.as_bytes();
        let length = (self.0 >> (8 * TAGGED)) as usize;
        // Few names have bytes that are neither among the first nor among the last.
        length <= TAGGED
            || name.last_chunk::<8>() == other.last_chunk()
                && (length <= TAGGED + 8 || name == other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Object, Value};
    use super::{Bits, Name, Names, Tag};

    #[test]
    fn a_name_has_one_tag_wherever_it_stands() {
        let name = "tool_name_that_is_long".repeat(20);
        for length in 0..name.len() {
            let name = &name[..length];
            let text = format!("{{\"{name}\":1}}");
            assert_eq!(Tag::at(text.as_bytes(), 2, length), Tag::of(name));
            assert_eq!(Tag::at(name.as_bytes(), 0, length), Tag::of(name));
        }
    }

    #[test]
    fn a_long_name_is_not_taken_for_what_it_begins_with() {
        let name = "message".to_owned() + &"x".repeat(600);
        for length in 8..name.len() {
            assert_ne!(Tag::of(&name[..length]), Tag::of("message"), "{length}");
        }
        let object = format!("{{\"message\":1,\"{}\":2}}", &name[..263]);
        let object = Object::new(Value::new(object.as_bytes())).unwrap();
        assert_eq!(object.u64("message"), Some(1));
    }
    #[test]
    fn an_object_is_asked_about_many_names_at_once() {
        let names: Vec<String> = (0..60).map(|n| format!("name_{n}")).collect();
        let (mut set, mut quick) = (Names::NONE, Bits::NONE);
        for name in &names {
            set = set.with(Name::new(name), 1);
            quick = quick.with(Name::new(name), 1);
        }
        set = set.with(Name::new("name_7"), 2).with(Name::new("other"), 4);
        quick = quick.with(Name::new("name_7"), 2);
        quick = quick.with(Name::new("other"), 4);
        let bits = |json: &str| {
            let value = Value::new(json.as_bytes());
            let bits = value.may_have_in(&set, (0, 0), None);
            let more = Object::new(value).unwrap().may_have(&quick);
            assert_eq!(bits & more, bits & 7, "{json}");
            bits
        };
        for name in &names {
            let wanted = if name == "name_7" { 3 } else { 1 };
            assert_eq!(bits(&format!("{{\"{name}\":1}}")), wanted, "{name}");
        }
        assert_eq!(bits("{}"), 0);
        assert_eq!(bits("{\"unknown\":1,\"other\":2}"), 4);
        assert_eq!(bits("{\"unknown\":1,\"name_7\":2,\"other\":3}"), 7);
        assert_eq!(bits("{\"\\u006ftheR\":1}"), u32::MAX);
    }
}
