//! Objects of which many members are asked for: looked through once, and asked by the beginnings of names.

use std::borrow::Cow;

use super::marked;
use super::{Key, Kind, Names, Tag, Text, Value};
use crate::json::tape::Marks;

/// An object whose members were looked up once, for a reader that asks for many of them.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    value: Value<'a>,
    members: Vec<(Key<'a>, Value<'a>)>,
    /// Whether a name holds escapes, so that its tag tells nothing.
    escaped: bool,
}

impl<'a> Object<'a> {
    /// Indexes an object; `None` if the value is no object.
    #[must_use]
    pub fn new(value: Value<'a>) -> Option<Self> {
        Self::marked(value, None)
    }

    /// The same for one of which it may be known where its members are.
    pub(crate) fn marked(value: Value<'a>, marks: Option<&[Marks]>) -> Option<Self> {
        if value.kind() != Kind::Object {
            return None;
        }
        // Few records have more members, and a list that grows costs more than one that is not full.
        let mut members = Vec::with_capacity(8);
        let mut escaped = false;
        let mut add = |name: Key<'a>, member: Value<'a>| {
            escaped |= name.escaped;
            members.push((name, member));
        };
        match marks {
            Some(marks) => marked::members(value.raw, marks, add),
            None => value.members().for_each(|(name, member)| add(name, member)),
        }
        Some(Self {
            value,
            members,
            escaped,
        })
    }

    /// The object as a value.
    #[must_use]
    pub const fn value(&self) -> Value<'a> {
        self.value
    }

    /// The members in their order.
    pub fn members(&self) -> impl Iterator<Item = (Key<'a>, Value<'a>)> + '_ {
        self.members.iter().copied()
    }

    /// The member of that name; the last one where the name is repeated.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        // Most names are constants, and so are their tags, then.
        self.find(Tag::of(name), name)
    }

    fn find(&self, tag: Tag, name: &str) -> Option<Value<'a>> {
        if self.escaped {
            return self.find_escaped(name);
        }
        let is_wanted = |(key, _): &&(Key<'_>, Value<'_>)| {
            key.tag == tag && (tag.is_whole() || key.raw == name.as_bytes())
        };
        let (_, value) = self.members.iter().rev().find(is_wanted)?;
        Some(*value)
    }

    #[cold]
    fn find_escaped(&self, name: &str) -> Option<Value<'a>> {
        let mut members = self.members.iter().rev();
        let (_, value) = members.find(|(key, _)| key.is(name))?;
        Some(*value)
    }

    /// The bits of all names in a set that members may have: a quick look, which is right where it says no.
    #[must_use]
    pub fn may_have(&self, names: &Names) -> u32 {
        if self.escaped {
            return u32::MAX;
        }
        let bits = self.members.iter().map(|(key, _)| names.bits(key.tag));
        bits.fold(0, |all, bits| all | bits)
    }

    /// Whether there is a member of that name.
    #[must_use]
    #[inline]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the member of that name is that string.
    #[must_use]
    #[inline]
    pub fn is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|value| value.is(text))
    }

    /// Whether the member of that name is of that sort.
    #[must_use]
    #[inline(always)]
    pub fn holds(&self, name: &str, kind: Kind) -> bool {
        self.get(name).is_some_and(|value| value.kind() == kind)
    }

    /// The string that the member of that name holds, to be told apart from others; see [`Value::word`].
    #[must_use]
    #[inline]
    pub fn word(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.get(name)?.word()
    }

    /// The string that the member of that name holds.
    #[must_use]
    #[inline]
    pub fn text(&self, name: &str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }

    /// The member of that name, if it is an object, indexed.
    #[must_use]
    #[inline]
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::new(self.get(name)?)
    }

    /// The whole number that the member of that name holds.
    #[must_use]
    #[inline]
    pub fn u64(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }
}
