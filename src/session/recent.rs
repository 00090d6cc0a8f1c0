//! What is remembered by id until something answers it, bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::json::text::Text;

/// How many ids are remembered. Agents have at most a few dozen calls open at a time; the ids of a stream that never answers
/// must not fill the memory.
pub(crate) const KEPT: usize = 1024;
/// How many bytes of ids and values are remembered, the latest value aside.
pub(crate) const KEPT_BYTES: usize = 256 << 10;

/// Up to how many are looked through one by one: agents rarely have more calls open.
const FEW: usize = 64;

/// What is remembered by id.
pub trait Weighed {
    /// The bytes that it holds.
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
struct Entry<T> {
    id: Arc<[u8]>,
    weight: usize,
    value: T,
}

/// Values by id: the latest [`KEPT`] of no more than [`KEPT_BYTES`].
#[derive(Debug)]
pub struct Recent<T> {
    /// In the order of their insertion. Of those that were taken out the places are left, but for the first and last.
    entries: VecDeque<Option<Entry<T>>>,
    /// The tags of their ids.
    tags: VecDeque<u64>,
    /// How many places there were before the first one.
    gone: u64,
    /// Where each id stands, places before the first one counted; empty as long as there are few.
    places: HashMap<Arc<[u8]>, u64>,
    /// How many entries there are.
    count: usize,
    /// The bytes of all ids and values.
    weight: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            tags: VecDeque::new(),
            gone: 0,
            places: HashMap::new(),
            count: 0,
            weight: 0,
        }
    }
}

impl<T: Weighed> Recent<T> {
    /// Remembers a value. One that the id had is replaced, and if there are too many, the oldest is forgotten.
    pub fn insert(&mut self, id: &Text<'_>, value: T) {
        self.remove(id);
        self.push(id, value);
    }

    /// Changes the value of that id, a default one if it has none, and remembers it as the latest.
    pub fn change(&mut self, id: &Text<'_>, change: impl FnOnce(&mut T))
    where
        T: Default,
    {
        let mut value = self.remove(id).unwrap_or_default();
        change(&mut value);
        self.push(id, value);
    }

    /// Remembers the value of an id that has none.
    fn push(&mut self, id: &Text<'_>, value: T) {
        let id: Arc<[u8]> = id.as_bytes().into();
        let weight = id.len() + value.weight();
        self.count += 1;
        self.weight += weight;
        self.tags.push_back(tag(&id));
        self.entries.push_back(Some(Entry { id, weight, value }));
        let (few, most) = (self.places.is_empty(), self.entries.len());
        if most > if few { FEW } else { 2 * KEPT } {
            self.put_in_order();
        } else if !few {
            self.index(most - 1);
        }
        while self.count > KEPT || (self.weight > KEPT_BYTES && self.count > 1) {
            self.take(0);
        }
    }

    /// Closes the gaps, and says where each id stands if they are more than a few.
    fn put_in_order(&mut self) {
        self.entries.retain(Option::is_some);
        let tags = self.entries.iter().flatten().map(|entry| tag(&entry.id));
        self.tags.clear();
        self.tags.extend(tags);
        self.places.clear();
        if self.entries.len() > FEW {
            (0..self.entries.len()).for_each(|at| self.index(at));
        }
    }

    fn index(&mut self, at: usize) {
        if let Some(Some(entry)) = self.entries.get(at) {
            let place = self.gone + at as u64;
            self.places.insert(Arc::clone(&entry.id), place);
        }
    }

    fn find(&self, id: &Text<'_>) -> Option<usize> {
        let id = id.as_bytes();
        if self.places.is_empty() {
            let wanted = tag(id);
            // Half of all ids are new, and to tell that of many at once costs next to nothing.
            if !self.tags.contains(&wanted) {
                return None;
            }
            let is_wanted =
                |at: usize| matches!(self.entries.get(at), Some(Some(entry)) if *entry.id == *id);
            let tags = self.tags.iter().enumerate();
            let mut places = tags.filter(|(_, tag)| **tag == wanted).map(|(at, _)| at);
            return places.find(|at| is_wanted(*at));
        }
        let place = self.places.get(id)?;
        Some((place - self.gone) as usize)
    }

    fn take(&mut self, at: usize) -> Option<T> {
        let entry = self.entries.get_mut(at)?.take()?;
        self.places.remove(&entry.id);
        self.count -= 1;
        self.weight -= entry.weight;
        while self.entries.front().is_some_and(Option::is_none) {
            self.entries.pop_front();
            self.tags.pop_front();
            self.gone += 1;
        }
        while self.entries.back().is_some_and(Option::is_none) {
            self.entries.pop_back();
            self.tags.pop_back();
        }
        Some(entry.value)
    }

    /// Whether there is a value of that id.
    #[must_use]
    pub fn contains(&self, id: &Text<'_>) -> bool {
        self.find(id).is_some()
    }

    /// Takes the value of that id out.
    pub fn remove(&mut self, id: &Text<'_>) -> Option<T> {
        self.take(self.find(id)?)
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes of all ids and values.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.weight
    }
}

/// The end of an id, in which most of them differ.
fn tag(id: &[u8]) -> u64 {
    id.last_chunk().map_or(0, |end| u64::from_le_bytes(*end))
}

#[cfg(test)]
mod tests {
    use super::{KEPT, KEPT_BYTES, Recent};
    use crate::json::text::Text;

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
        assert_eq!(recent.count, KEPT - 1);
    }

    #[test]
    fn what_is_answered_leaves_nothing_behind() {
        let mut recent = Recent::default();
        recent.insert(&id(0), id(0));
        for number in 1..10 * KEPT {
            recent.insert(&id(number), id(number));
            recent.remove(&id(number));
        }
        assert!(recent.contains(&id(0)));
        assert!(recent.entries.len() <= 2 * KEPT + 1);
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
