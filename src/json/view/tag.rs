//! The beginnings of names, by which members are found.

/// How many bytes of a name stand in its tag.
const TAGGED: usize = 7;

/// The length of a name and its first bytes: names that differ mostly differ in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u64);

/// A name that objects are asked for often.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub(super) tag: Tag,
}

impl Name {
    /// That name.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        Self { tag: Tag::of(name) }
    }
}

impl Tag {
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
                let kept = (1 << (8 * length.min(TAGGED))) - 1;
                Self::with_length(u64::from_le_bytes(*chunk) & kept, length)
            }
            None => Self::new(rest.get(..length).unwrap_or(rest)),
        }
    }

    const fn with_length(bytes: u64, length: usize) -> Self {
        // Longer names count as one of 255 bytes, not as one that is shorter by 256.
        let length = if length < 255 { length } else { 255 };
        Self(bytes | (length as u64) << (8 * TAGGED))
    }

    /// Whether all of the name stands in its tag.
    #[inline]
    pub(super) const fn is_whole(self) -> bool {
        self.0 >> (8 * TAGGED) <= TAGGED as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Object, Value};
    use super::Tag;

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
}
