//! A bounded map of values that are kept by id until something answers them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use jsift_json::text::Text;

/// How many ids are kept. Agents have at most a few dozen calls open at a time; a stream that never answers its ids
/// must not fill the memory.
pub const KEPT: usize = 1024;
/// How many bytes of ids and values are kept, not counting the latest value.
pub const KEPT_BYTES: usize = 256 << 10;

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

impl Weighed for Text<'_> {
    fn weight(&self) -> usize {
        self.len()
    }
}

#[derive(Debug)]
struct Remembered<T> {
    id: Arc<[u8]>,
    weight: usize,
    value: T,
}

/// Values by id: the latest ones, at most [`KEPT`] and at most [`KEPT_BYTES`].
#[derive(Debug, Default)]
pub struct Recent<T> {
    /// The entries by their numbers, which follow the order of insertion.
    entries: BTreeMap<u64, Remembered<T>>,
    /// The number of each id.
    numbers: FxHashMap<Arc<[u8]>, u64>,
    /// The number of the next entry.
    next: u64,
    /// The total size of all ids and values, in bytes.
    weight: usize,
}

impl<T: Weighed> Recent<T> {
    /// Inserts a value, replacing the previous value of the id. If there are too many, the oldest ones are dropped.
    pub fn insert(&mut self, id: &Text<'_>, value: T) {
        self.change(id, |_| value);
    }

    /// Makes a value out of that of an id, if it has one, and makes it the id's value and the latest.
    pub fn change(&mut self, id: &Text<'_>, change: impl FnOnce(Option<T>) -> T) {
        let value = change(self.remove(id));
        self.push(id, value);
    }

    /// Inserts the value of an id that has none.
    fn push(&mut self, id: &Text<'_>, value: T) {
        let id: Arc<[u8]> = id.as_bytes().into();
        let weight = id.len() + value.weight();
        self.weight += weight;
        self.numbers.insert(Arc::clone(&id), self.next);
        self.entries
            .insert(self.next, Remembered { id, weight, value });
        self.next += 1;
        while self.entries.len() > KEPT || self.weight > KEPT_BYTES && self.entries.len() > 1 {
            let oldest = self.entries.pop_first();
            oldest.map(|(_, entry)| self.forget(entry));
        }
    }

    /// Returns the value of an entry that was taken out of `entries`, and removes the rest of its traces.
    fn forget(&mut self, entry: Remembered<T>) -> T {
        self.numbers.remove(&entry.id);
        self.weight -= entry.weight;
        entry.value
    }

    /// Returns whether the id has a value.
    #[must_use]
    pub fn contains(&self, id: &Text<'_>) -> bool {
        self.numbers.contains_key(id.as_bytes())
    }

    /// Returns the value of the id.
    pub fn get_mut(&mut self, id: &Text<'_>) -> Option<&mut T> {
        let number = self.numbers.get(id.as_bytes())?;
        let entry = self.entries.get_mut(number)?;
        Some(&mut entry.value)
    }

    /// Removes and returns the value of the id.
    pub fn remove(&mut self, id: &Text<'_>) -> Option<T> {
        let number = self.numbers.get(id.as_bytes())?;
        let entry = self.entries.remove(number)?;
        Some(self.forget(entry))
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of ids that are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the total size of all ids and values, in bytes.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, KEPT_BYTES, Recent};
    use jsift_json::text::Text;

    fn id(number: usize) -> Text<'static> {
        Text::from(number.to_string())
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut recent = Recent::default();
        for number in 0..KEPT + 10 {
            recent.insert(&id(number), id(number));
        }
        assert!(!recent.contains(&id(9)));
        assert_eq!(recent.remove(&id(10)), Some(id(10)));
        assert_eq!(recent.entries.len(), KEPT - 1);
    }

    #[test]
    fn what_is_answered_leaves_nothing_after() {
        let mut recent = Recent::default();
        recent.insert(&id(0), id(0));
        for number in 1..10 * KEPT {
            recent.insert(&id(number), id(number));
            recent.remove(&id(number));
        }
        assert!(recent.contains(&id(0)));
        assert_eq!((recent.entries.len(), recent.numbers.len()), (1, 1));
    }

    #[test]
    fn an_id_that_comes_again_is_young() {
        let mut recent = Recent::default();
        recent.insert(&id(0), id(1));
        for number in 1..KEPT {
            recent.insert(&id(number), id(number));
        }
        recent.insert(&id(0), id(2));
        recent.insert(&id(KEPT), id(3));
        assert!(!recent.contains(&id(1)));
        assert_eq!(recent.remove(&id(0)), Some(id(2)));
    }

    #[test]
    fn large_values_push_others_out() {
        let mut recent = Recent::default();
        let large = Text::from("x".repeat(KEPT_BYTES / 2));
        for number in 0..10 {
            recent.insert(&id(number), large.clone());
            assert!(recent.weight() <= KEPT_BYTES);
        }
        assert!(recent.contains(&id(9)) && !recent.contains(&id(7)));
        recent.remove(&id(9));
        assert_eq!((recent.weight(), recent.is_empty()), (0, true));
    }
}
