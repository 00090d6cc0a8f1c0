//! Bounded lists and maps, which keep the latest values: what is kept by id until something answers it.

use std::collections::{HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use crate::hashes::TextHash;

/// How many ids are kept. Agents have at most a few dozen calls open at a time; a stream that never answers its ids
/// must not fill the memory.
pub const KEPT: usize = 1024;
/// How many bytes of values and hashes of ids are kept, not counting the latest value.
pub const KEPT_BYTES: usize = 256 << 10;

/// How many ids may stand in the order in vain, next to as many as there are values.
const FEW: usize = 16;

/// Adds a value to a list of the latest `most` ones.
pub(crate) fn push_latest<T>(list: &mut Vec<T>, value: T, most: usize) {
    let over = (list.len() + 1).saturating_sub(most);
    list.drain(..over.min(list.len()));
    list.push(value);
}

/// A value that knows its size.
pub trait Weighed {
    /// Returns the number of bytes that the value holds.
    fn weight(&self) -> usize;
}

impl Weighed for () {
    fn weight(&self) -> usize {
        0
    }
}

impl Weighed for TextHash {
    fn weight(&self) -> usize {
        0
    }
}

#[derive(Debug)]
struct Remembered<T> {
    number: u64,
    weight: usize,
    value: T,
}

/// Values by id: the latest ones, at most [`KEPT`] and at most [`KEPT_BYTES`].
#[derive(Debug, Default)]
pub(crate) struct Recent<T> {
    entries: HashMap<TextHash, Remembered<T>, FxBuildHasher>,
    /// The ids with the numbers of their entries, in the order of insertion. Some of these entries are gone.
    order: VecDeque<(u64, TextHash)>,
    /// The number of the next entry.
    next: u64,
    /// The total size of all ids and values, in bytes.
    weight: usize,
}

impl<T: Weighed> Recent<T> {
    /// Inserts a value, replacing the previous value of the id. If there are too many, the oldest ones are dropped.
    pub(crate) fn insert(&mut self, id: TextHash, value: T) {
        let weight = size_of::<TextHash>() + value.weight();
        self.weight += weight;
        let number = self.next;
        self.next += 1;
        let entry = Remembered {
            number,
            weight,
            value,
        };
        if let Some(before) = self.entries.insert(id, entry) {
            self.weight -= before.weight;
        }
        self.order.push_back((number, id));
        self.drop_oldest();
    }

    /// Drops the oldest entries while there are too many.
    fn drop_oldest(&mut self) {
        let entries = &self.entries;
        if self.order.len() > 2 * entries.len() + FEW {
            let is_there = |(number, id): &(u64, TextHash)| {
                entries.get(id).is_some_and(|entry| entry.number == *number)
            };
            self.order.retain(is_there);
        }
        while self.entries.len() > KEPT || self.weight > KEPT_BYTES && self.entries.len() > 1 {
            let Some((number, id)) = self.order.pop_front() else {
                return;
            };
            if self.entries.get(&id).is_some_and(|it| it.number == number) {
                self.remove(id);
            }
        }
    }

    /// Makes a value out of that of an id, if it has one, and makes it the id's value and the latest.
    pub(crate) fn change(&mut self, id: TextHash, change: impl FnOnce(Option<T>) -> T) {
        let value = change(self.remove(id));
        self.insert(id, value);
    }

    /// Returns whether the id has a value.
    pub(crate) fn contains(&self, id: TextHash) -> bool {
        self.entries.contains_key(&id)
    }

    /// Returns the value of the id.
    pub(crate) fn get(&self, id: TextHash) -> Option<&T> {
        self.entries.get(&id).map(|entry| &entry.value)
    }

    /// Returns the value of the id, to change it.
    pub(crate) fn get_mut(&mut self, id: TextHash) -> Option<&mut T> {
        let entry = self.entries.get_mut(&id)?;
        Some(&mut entry.value)
    }

    /// Returns the id of the only value; `None` if there are several or none.
    pub(crate) fn only(&self) -> Option<TextHash> {
        let mut ids = self.entries.keys();
        ids.next().copied().filter(|_| ids.next().is_none())
    }

    /// Removes and returns the value of the id.
    pub(crate) fn remove(&mut self, id: TextHash) -> Option<T> {
        let entry = self.entries.remove(&id)?;
        self.weight -= entry.weight;
        Some(entry.value)
    }

    /// Returns whether there are no values.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of ids that are kept.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the total size of all ids and values, in bytes.
    pub(crate) const fn weight(&self) -> usize {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, KEPT, KEPT_BYTES, Recent, Weighed};
    use crate::hashes::TextHash;
    use jsift_json::text::Text;

    impl Weighed for Text<'_> {
        fn weight(&self) -> usize {
            self.len()
        }
    }

    fn id(number: usize) -> TextHash {
        TextHash::of(number.to_string().as_bytes())
    }

    fn text(number: usize) -> Text<'static> {
        Text::from(number.to_string())
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut recent = Recent::default();
        for number in 0..KEPT + 10 {
            recent.insert(id(number), text(number));
        }
        assert!(!recent.contains(id(9)));
        assert_eq!(recent.remove(id(10)), Some(text(10)));
        assert_eq!(recent.entries.len(), KEPT - 1);
    }

    #[test]
    fn what_is_answered_leaves_nothing_after() {
        let mut recent = Recent::default();
        recent.insert(id(0), text(0));
        for number in 1..10 * KEPT {
            recent.insert(id(number), text(number));
            recent.remove(id(number));
        }
        assert!(recent.contains(id(0)));
        assert_eq!(recent.len(), 1);
        assert!(recent.order.len() <= 2 + FEW);
    }

    #[test]
    fn an_id_that_comes_again_is_young() {
        let mut recent = Recent::default();
        recent.insert(id(0), text(1));
        for number in 1..KEPT {
            recent.insert(id(number), text(number));
        }
        recent.insert(id(0), text(2));
        recent.insert(id(KEPT), text(3));
        assert!(!recent.contains(id(1)));
        assert_eq!(recent.remove(id(0)), Some(text(2)));
    }

    #[test]
    fn large_values_push_others_out() {
        let mut recent = Recent::default();
        let large = Text::from("x".repeat(KEPT_BYTES / 2));
        for number in 0..10 {
            recent.insert(id(number), large.clone());
            assert!(recent.weight() <= KEPT_BYTES);
        }
        assert!(recent.contains(id(9)) && !recent.contains(id(7)));
        recent.remove(id(9));
        assert_eq!((recent.weight(), recent.is_empty()), (0, true));
    }
}
