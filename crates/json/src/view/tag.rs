//! The beginnings of names, by which members are found.

/// The number of places that an object has for its members' numbers: one for each bit of an [`Outline`].
pub(super) const PLACES: usize = 64;
/// The number of bytes of a name that are in its tag.
const TAGGED: usize = 7;

/// The length of a name and its first bytes: different names mostly differ in these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u64);

/// A name that is often looked up in objects, with its tag.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub(super) tag: Tag,
    /// The name as it is written.
    pub text: &'static str,
}

impl Name {
    /// Returns the name with its tag.
    pub const fn new(text: &'static str) -> Self {
        let tag = Tag::of(text.as_bytes());
        Self { tag, text }
    }
}

/// The places that the members of an object take, one bit for each: shows at once which of any number of names the
/// object lacks.
#[derive(Debug, Clone, Copy)]
pub struct Outline(u64);

impl Outline {
    /// No names.
    pub const NONE: Self = Self(0);
    /// All names.
    pub(super) const ALL: Self = Self(u64::MAX);

    /// Returns the outline with one more name.
    pub const fn with(self, name: Name) -> Self {
        self.with_place(name.tag.place(PLACES))
    }

    /// Returns the outline with the names of `others`, too.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    #[inline(always)]
    pub(super) const fn with_place(self, place: usize) -> Self {
        Self(self.0 | 1 << place)
    }

    /// Whether a name of `others` may be among these; `false` is certain.
    #[inline(always)]
    pub(super) const fn may_share(self, others: Self) -> bool {
        others.0 & self.0 != 0
    }

    /// Whether all names of `others` may be among these; `false` is certain.
    #[inline(always)]
    pub(super) const fn may_hold(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }
}

/// The number of places in a set of names, a power of two. Few of them are taken, so that most searches end at once.
const ROOM: usize = 512;

/// Names with bits that have a meaning for each of them, so that a document is searched for all of them at once.
#[derive(Debug)]
pub struct Names {
    /// At least one place is always free.
    all: [(Tag, u32); ROOM],
    /// The places that the names take in an object, and the bits of the names by these places.
    outline: Outline,
    at: [u32; PLACES],
}

impl Names {
    /// No names.
    pub const NONE: Self = Self {
        all: [(Tag::of(b""), 0); ROOM],
        outline: Outline::NONE,
        at: [0; PLACES],
    };

    /// Returns the set with one more name, or with more bits for one of its names. A constant set that is full does not
    /// compile.
    #[must_use]
    pub const fn with(mut self, name: &str, bits: u32) -> Self {
        let name = Tag::of(name.as_bytes());
        let mut place = name.place(ROOM);
        let mut taken = 1;
        while self.all[place].1 != 0 && self.all[place].0.0 != name.0 {
            place = (place + 1) % ROOM;
            taken += 1;
        }
        assert!(taken < ROOM, "there is no room for more names");
        self.all[place] = (name, self.all[place].1 | bits);
        let place = name.place(PLACES);
        self.outline = self.outline.with_place(place);
        self.at[place] |= bits;
        self
    }

    /// Returns the bits of the names that may have this tag.
    #[inline]
    pub(super) fn bits(&self, tag: Tag) -> u32 {
        let mut place = tag.place(ROOM);
        loop {
            let (other, bits) = self.all[place % ROOM];
            if other == tag || bits == 0 {
                return bits;
            }
            place += 1;
        }
    }

    /// Returns the bits of all names that an object with this outline may have.
    #[inline]
    pub(super) fn among(&self, outline: Outline) -> u32 {
        let mut left = self.outline.0 & outline.0;
        let mut bits = 0;
        while left != 0 {
            bits |= self.at[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        bits
    }
}

impl Tag {
    /// The tag of all names with escapes. No other name begins with such bytes.
    pub(super) const ESCAPED: Self = Self(u64::MAX);

    /// Returns the tag of a name.
    #[inline]
    pub(super) const fn of(name: &[u8]) -> Self {
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

    /// Returns the tag of the name that a text begins with.
    #[inline]
    pub(super) fn at(text: &[u8], length: usize) -> Self {
        match text.first_chunk() {
            Some(chunk) => {
                let kept = (1 << (8 * length.min(TAGGED))) - 1;
                let bytes = u64::from_le_bytes(*chunk) & kept;
                Self::with_length(bytes, length)
            }
            None => Self::of(text.get(..length).unwrap_or(text)),
        }
    }

    const fn with_length(bytes: u64, length: usize) -> Self {
        // Longer names count as having 255 bytes, since only eight bits are left for the length.
        let length = if length < 255 { length } else { 255 };
        Self(bytes | (length as u64) << (8 * TAGGED))
    }

    /// Returns the place at which a name is searched first, out of `places` places, a power of two.
    #[inline(always)]
    pub(super) const fn place(self, places: usize) -> usize {
        // With this factor, nearly all names in records of the known agents have different places.
        (self.0.wrapping_mul(0xbb11_c383_314a_bf3d) >> (u64::BITS - places.trailing_zeros()))
            as usize
    }

    /// Whether two names that both have this tag are equal; `name` has no escapes.
    #[inline(always)]
    pub(super) fn tells(self, name: &[u8], other: &str) -> bool {
        let other = other.as_bytes();
        let length = (self.0 >> (8 * TAGGED)) as usize;
        // Few names have bytes that are neither among the first nor among the last ones.
        length <= TAGGED
            || name.last_chunk::<8>() == other.last_chunk()
                && (length <= TAGGED + 8 || name == other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Object, Value};
    use super::{Names, Tag};

    #[test]
    fn a_name_has_one_tag_wherever_it_stands() {
        let name = "tool_name_that_is_long".repeat(20);
        for length in 0..name.len() {
            let name = &name[..length];
            let text = format!("{{\"{name}\":1}}");
            let tag = Tag::of(name.as_bytes());
            assert_eq!(Tag::at(&text.as_bytes()[2..], length), tag);
            assert_eq!(Tag::at(name.as_bytes(), length), tag);
        }
    }

    #[test]
    fn a_long_name_is_not_taken_for_what_it_begins_with() {
        let name = "message".to_owned() + &"x".repeat(600);
        for length in 8..name.len() {
            let beginning = Tag::of(&name.as_bytes()[..length]);
            assert_ne!(beginning, Tag::of(b"message"), "{length}");
        }
        let object = format!("{{\"message\":1,\"{}\":2}}", &name[..263]);
        let object = Object::new(Value::new(object.as_bytes())).unwrap();
        assert_eq!(object.u64("message"), Some(1));
    }
    #[test]
    fn an_object_is_asked_about_many_names_at_once() {
        let names: Vec<String> = (0..60).map(|n| format!("name_{n}")).collect();
        let mut set = Names::NONE;
        for name in &names {
            set = set.with(name, 1);
        }
        set = set.with("name_7", 2).with("other", 4);
        let bits = |json: &str| {
            let value = Value::new(json.as_bytes());
            let bits = value.may_have_in(&set, (0, 0), None);
            let more = Object::new(value).unwrap().may_have(&set);
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
