//! Objects whose members are looked up often: read through once, then searched by the beginnings of names.

use std::borrow::Cow;

use super::marked::Marked;
use super::tag::PLACES;
use super::{Key, Kind, Name, Names, Outline, Tag, Text, Value};
use crate::memory::emptied;
use crate::tape::MarkLayout;

/// How many members there is room for at first: few objects have more.
const FEW: usize = 8;
/// How many members there may be in memory that is kept.
const MANY: usize = 4096;
/// Marks a place that several members share, or whose member has a number that does not fit.
const SEVERAL: u8 = u8::MAX;

/// An object whose members were indexed once, for a reader that looks up many of them.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    value: Value<'a>,
    members: Vec<(Key<'a>, Value<'a>)>,
    /// The numbers of the members, from 1 on, at the places that their tags select: for most names a single look finds
    /// the member or shows that it is missing. Zero if no member has the place.
    places: [u8; PLACES],
    /// Which of `places` are taken.
    outline: Outline,
    /// Whether a name contains escapes, so that its tag cannot be compared.
    escaped: bool,
    /// The document that the object is or is part of, if its layout is known.
    marked: Option<Marked<'a>>,
}

/// The memory of an object, for the members of the next one.
#[derive(Debug, Default)]
pub struct ObjectMemory(Vec<(Key<'static>, Value<'static>)>);

impl<'a> Object<'a> {
    /// Indexes an object; `None` if the value is not an object.
    #[must_use]
    pub fn new(value: Value<'a>) -> Option<Self> {
        Self::of(value, None, Vec::new())
    }

    /// Indexes a document, whose layout may be known; `None` if it is not an object.
    #[inline]
    pub fn of_document(
        value: Value<'a>,
        layout: Option<MarkLayout<'a>>,
        memory: ObjectMemory,
    ) -> Option<Self> {
        let text = value.raw;
        let marked = layout.map(|layout| Marked { text, layout });
        Self::of(value, marked, emptied(memory.0))
    }

    /// Returns the memory of the object, unless it is that of very many members.
    #[must_use]
    #[inline]
    pub fn into_memory(self) -> ObjectMemory {
        match self.members.capacity() {
            ..=MANY => ObjectMemory(emptied(self.members)),
            _ => ObjectMemory::default(),
        }
    }

    #[inline(always)]
    fn of(
        value: Value<'a>,
        marked: Option<Marked<'a>>,
        mut members: Vec<(Key<'a>, Value<'a>)>,
    ) -> Option<Self> {
        if value.kind() != Kind::Object {
            return None;
        }
        if members.capacity() == 0 {
            members = Vec::with_capacity(FEW);
        }
        let mut object = Self {
            value,
            members,
            places: [0; PLACES],
            outline: Outline::NONE,
            escaped: false,
            marked,
        };
        object.index();
        Some(object)
    }

    /// Indexes the members.
    #[inline(never)]
    fn index(&mut self) {
        let (value, marked) = (self.value, self.marked);
        let add = |(name, member)| self.add(name, member);
        match marked {
            Some(marked) => marked.members(value, add),
            None => value.members().for_each(add),
        }
        // All names with escapes have the same tag, and thus the same place.
        let may_be_escaped = self.places[Tag::ESCAPED.place(PLACES)] != 0;
        if may_be_escaped && self.members().any(|(key, _)| key.tag == Tag::ESCAPED) {
            self.escaped = true;
            self.places = [SEVERAL; PLACES];
            self.outline = Outline::ALL;
        }
    }

    #[inline(always)]
    fn add(&mut self, name: Key<'a>, member: Value<'a>) {
        self.members.push((name, member));
        let place = name.tag.place(PLACES);
        self.outline = self.outline.with_place(place);
        let place = &mut self.places[place];
        *place = match *place {
            0 => u8::try_from(self.members.len()).unwrap_or(SEVERAL),
            _ => SEVERAL,
        };
    }

    /// Returns the object as a value.
    #[must_use]
    pub const fn value(&self) -> Value<'a> {
        self.value
    }

    /// Returns the members in their order.
    pub fn members(&self) -> impl Iterator<Item = (Key<'a>, Value<'a>)> + '_ {
        self.members.iter().copied()
    }

    /// Returns the member with this name; the last one if the name is repeated.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        // Most names are constants, so their tags and places are constants too.
        self.get_tagged(Tag::of(name.as_bytes()), name)
    }

    /// Returns the member with this name, whose tag is known: the tag of a name that is not constant would be computed
    /// each time.
    #[must_use]
    #[inline(always)]
    pub fn get_named(&self, name: Name) -> Option<Value<'a>> {
        self.get_tagged(name.tag, name.text)
    }

    /// Returns the member with a name that is no constant, whose tag is computed now: all bytes of it at once.
    #[must_use]
    #[inline]
    pub fn get_any(&self, name: &str) -> Option<Value<'a>> {
        self.get_tagged(Tag::at(name.as_bytes(), name.len()), name)
    }

    #[inline(always)]
    fn get_tagged(&self, tag: Tag, name: &str) -> Option<Value<'a>> {
        match self.places[tag.place(PLACES)] {
            0 => None,
            SEVERAL => self.find(tag, name),
            number => {
                let (key, value) = self.members.get(usize::from(number) - 1)?;
                key.has(tag, name).then_some(*value)
            }
        }
    }

    /// Searches all members for this name; returns the last one.
    #[inline(never)]
    fn find(&self, tag: Tag, name: &str) -> Option<Value<'a>> {
        let found = match self.escaped {
            false => self.members().filter(|(key, _)| key.has(tag, name)).last(),
            true => self.members().filter(|(key, _)| key.is(name)).last(),
        };
        found.map(|(_, value)| value)
    }

    /// Returns the bits of all names that members may have. A quick look: it may return too many bits, but never too
    /// few.
    #[inline(always)]
    pub fn may_have(&self, names: &Names) -> u32 {
        names.among(self.outline)
    }

    /// Whether it may have a member with any of these names. A quick look: `false` is certain, `true` is not.
    #[inline(always)]
    pub const fn may_have_any(&self, names: Outline) -> bool {
        self.outline.may_share(names)
    }

    /// Whether it may have a member for each of these names. A quick look: `false` is certain, `true` is not.
    #[inline(always)]
    pub const fn may_have_all(&self, names: Outline) -> bool {
        self.outline.may_hold(names)
    }

    /// Whether it has members with other names than these: `true` is certain, `false` is not.
    #[inline(always)]
    pub const fn has_beyond(&self, names: Outline) -> bool {
        !self.escaped && !names.may_hold(self.outline)
    }

    /// Whether there is a member with this name.
    #[must_use]
    #[inline(always)]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the member with this name is the string `text`.
    #[must_use]
    #[inline(always)]
    pub fn is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|value| value.is(text))
    }

    /// Whether the member with this name is of this kind.
    #[must_use]
    #[inline(always)]
    pub fn holds(&self, name: &str, kind: Kind) -> bool {
        self.get(name).is_some_and(|value| value.kind() == kind)
    }

    /// Returns the string in the member with this name, for comparison; see [`Value::word`].
    #[must_use]
    #[inline(always)]
    pub fn word(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.get(name)?.word()
    }

    /// Returns the string in the member with this name.
    #[must_use]
    #[inline(always)]
    pub fn text(&self, name: &str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }

    /// Returns the member with this name, indexed, if it is an object.
    #[must_use]
    #[inline(always)]
    pub fn object(&self, name: &str) -> Option<Self> {
        self.inside(self.get(name)?)
    }

    /// Returns the object in the member with this name, indexed; an empty one, in which nothing is found, if there is
    /// none.
    #[must_use]
    pub fn inner(&self, name: &str) -> Self {
        self.object(name).unwrap_or(Self {
            value: Value::new(b"{}"),
            members: Vec::new(),
            places: [0; PLACES],
            outline: Outline::NONE,
            escaped: false,
            marked: None,
        })
    }

    /// Returns a value that is in the object, indexed, if it is an object.
    #[must_use]
    #[inline(always)]
    pub fn inside(&self, value: Value<'a>) -> Option<Self> {
        Self::of(value, self.marked, Vec::new())
    }

    /// Returns the objects, indexed, in the array that is the member with this name.
    pub fn objects(&self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        let marked = self.marked;
        let elements = self.get(name).into_iter().flat_map(Value::elements);
        elements.filter_map(move |element| Self::of(element, marked, Vec::new()))
    }

    /// Returns the integer in the member with this name.
    #[must_use]
    #[inline(always)]
    pub fn u64(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }
}
