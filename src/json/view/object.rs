//! Objects of which many members are asked for: looked through once, and asked by the beginnings of names.

use std::borrow::Cow;

use super::marked::Marked;
use super::tag::PLACES;
use super::{Bits, Key, Kind, Name, NamedText, Outline, Tag, Text, Value};
use crate::json::tape::MarkLayout;
use crate::lanes::WIDE;

/// How many members stand in the object itself: few have more.
const FEW: usize = 8;
/// For how many there is room at first beyond those, where there are any.
const MORE: usize = 16;
/// What stands in a place that several members have, or one beyond those that are numbered.
const SEVERAL: u8 = u8::MAX;

/// An object whose members were looked up once, for a reader that asks for many of them.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    value: Value<'a>,
    /// How many members there are.
    count: usize,
    few: [Option<(Key<'a>, Value<'a>)>; FEW],
    /// The members beyond those.
    more: Vec<(Key<'a>, Value<'a>)>,
    /// The numbers of the members from 1 on, in the places that their tags give them: most names that are asked for are
    /// found at once, or told to be missing. Zero where there is none.
    places: [u8; PLACES],
    /// Which of those are taken.
    outline: Outline,
    /// Whether a name holds escapes, so that its tag tells nothing.
    escaped: bool,
    /// The document that it is or stands in, if the layout of that is known.
    marked: Option<Marked<'a>>,
}

impl<'a> Object<'a> {
    /// Indexes an object; `None` if the value is no object.
    #[must_use]
    pub fn new(value: Value<'a>) -> Option<Self> {
        Self::of(value, None)
    }

    /// The object that a document is, if it is one, whose layout may be known. Its members are not [read](Self::read) yet:
    /// in two steps it need not be moved.
    pub(crate) fn unread(value: Value<'a>, layout: Option<MarkLayout<'a>>) -> Self {
        let text = value.raw;
        Self::begun(value, layout.map(|layout| Marked { text, layout }))
    }

    /// Looks the members up; `None` if it is no object.
    pub(crate) fn read(&mut self) -> Option<&Self> {
        if self.value.kind() != Kind::Object {
            return None;
        }
        self.index();
        Some(self)
    }

    #[inline(always)]
    fn of(value: Value<'a>, marked: Option<Marked<'a>>) -> Option<Self> {
        let mut object = Self::begun(value, marked);
        object.read()?;
        Some(object)
    }

    #[inline(always)]
    const fn begun(value: Value<'a>, marked: Option<Marked<'a>>) -> Self {
        Self {
            value,
            count: 0,
            few: [None; FEW],
            more: Vec::new(),
            places: [0; PLACES],
            outline: Outline::NONE,
            escaped: false,
            marked,
        }
    }

    /// Looks its members up.
    #[inline(never)]
    fn index(&mut self) {
        let (value, marked) = (self.value, self.marked);
        let add = |(name, member)| self.add(name, member);
        match marked {
            Some(marked) => marked.members(value.raw, add),
            None => value.members().for_each(add),
        }
        // They have one place in common.
        let may_be_escaped = self.places[Tag::ESCAPED.place(PLACES)] != 0;
        if may_be_escaped && self.members().any(|(key, _)| key.tag == Tag::ESCAPED) {
            self.escaped = true;
            self.places = [SEVERAL; PLACES];
            self.outline = Outline::ALL;
        }
    }

    #[inline(always)]
    fn add(&mut self, name: Key<'a>, member: Value<'a>) {
        match self.few.get_mut(self.count) {
            Some(free) => *free = Some((name, member)),
            None => {
                if self.more.is_empty() {
                    self.more.reserve(MORE);
                }
                self.more.push((name, member));
            }
        }
        self.count += 1;
        let place = name.tag.place(PLACES);
        self.outline = self.outline.with_place(place);
        let place = &mut self.places[place];
        *place = match *place {
            0 => u8::try_from(self.count).unwrap_or(SEVERAL),
            _ => SEVERAL,
        };
    }

    /// The object as a value.
    #[must_use]
    pub const fn value(&self) -> Value<'a> {
        self.value
    }

    /// The members in their order.
    pub fn members(&self) -> impl Iterator<Item = (Key<'a>, Value<'a>)> + '_ {
        self.few.iter().flatten().chain(&self.more).copied()
    }

    /// The member of that name; the last one where the name is repeated.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        // Most names are constants, and so are their tags and places, then.
        self.get_tagged(Tag::of(name), name)
    }

    /// The member of that name, of which the tag is known: names that are no constants would have theirs made each time.
    #[must_use]
    #[inline(always)]
    pub(crate) fn get_named(&self, name: NamedText) -> Option<Value<'a>> {
        let NamedText(Name(tag), text) = name;
        self.get_tagged(tag, text)
    }

    #[inline(always)]
    fn get_tagged(&self, tag: Tag, name: &str) -> Option<Value<'a>> {
        match self.places[tag.place(PLACES)] {
            0 => None,
            SEVERAL => self.find(tag, name),
            number => {
                let index = usize::from(number) - 1;
                let (key, value) = match self.few.get(index) {
                    Some(member) => member.as_ref()?,
                    None => self.more.get(index - FEW)?,
                };
                key.has(tag, name).then_some(*value)
            }
        }
    }

    /// The same by looking through all of them.
    #[inline(never)]
    fn find(&self, tag: Tag, name: &str) -> Option<Value<'a>> {
        let found = match self.escaped {
            false => self.members().filter(|(key, _)| key.has(tag, name)).last(),
            true => self.members().filter(|(key, _)| key.is(name)).last(),
        };
        found.map(|(_, value)| value)
    }

    /// The bits of all names that members may have: a quick look, which is right where it says no.
    #[inline(always)]
    pub(crate) fn may_have(&self, names: &Bits) -> u32 {
        names.of(self.outline)
    }

    /// Whether it may have a member for each of these names: a quick look, which is right where it says no.
    #[inline(always)]
    pub(crate) const fn may_have_all(&self, names: Outline) -> bool {
        self.outline.may_hold(names)
    }

    /// Whether it has members beyond those names: right where it says yes.
    #[inline(always)]
    pub(crate) const fn has_beyond(&self, names: Outline) -> bool {
        !self.escaped && !names.may_hold(self.outline)
    }

    /// Whether there is a member of that name.
    #[must_use]
    #[inline(always)]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the member of that name is that string.
    #[must_use]
    #[inline(always)]
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
    #[inline(always)]
    pub fn word(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.get(name)?.word()
    }

    /// The string that the member of that name holds.
    #[must_use]
    #[inline(always)]
    pub fn text(&self, name: &str) -> Option<Text<'a>> {
        let raw = self.get(name)?.raw_string()?;
        Some(match self.marked {
            // Of others it is told at once whether they hold escapes.
            Some(marked) if marked.layout.canonical && raw.len() > WIDE => Text::of_canonical(raw),
            _ => Text::decode(raw),
        })
    }

    /// The member of that name, if it is an object, indexed.
    #[must_use]
    #[inline(always)]
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::of(self.get(name)?, self.marked)
    }

    /// The objects in the array that the member of that name holds, indexed.
    pub fn objects(&self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        let marked = self.marked;
        let elements = self.get(name).into_iter().flat_map(Value::elements);
        elements.filter_map(move |element| Self::of(element, marked))
    }

    /// The whole number that the member of that name holds.
    #[must_use]
    #[inline(always)]
    pub fn u64(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }
}
