//! What is remembered by id until something answers it, bounded.

use std::collections::{HashMap, VecDeque};

use crate::json::text::Text;

/// How many ids are remembered. Agents have at most a few dozen calls open at a time; the ids of a stream that never answers
/// must not fill the memory.
pub(crate) const KEPT: usize = 1024;
/// How many bytes of ids and values are remembered, the latest value aside.
pub(crate) const KEPT_BYTES: usize = 256 << 10;

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
    number: u64,
    weight: usize,
    value: T,
}

/// Values by id: the latest [`KEPT`] of no more than [`KEPT_BYTES`].
#[derive(Debug)]
pub struct Recent<T> {
    values: HashMap<Text<'static>, Entry<T>>,
    /// The bytes of all ids and values.
    weight: usize,
    /// Ids in the order of their insertion with its number; what was taken out or put in again since is stale.
    order: VecDeque<(u64, Text<'static>)>,
    next: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self {
            values: HashMap::new(),
            weight: 0,
            order: VecDeque::new(),
            next: 0,
        }
    }
}

impl<T: Weighed> Recent<T> {
    /// Remembers a value. One that the id had is replaced, and if there are too many, the oldest is forgotten.
    pub fn insert(&mut self, id: &Text<'_>, value: T) {
        self.remove(id);
        let id = id.clone().into_owned();
        self.next += 1;
        let weight = id.len() + value.weight();
        let number = self.next;
        self.weight += weight;
        let entry = Entry {
            number,
            weight,
            value,
        };
        self.values.insert(id.clone(), entry);
        self.order.push_back((number, id));
        if self.order.len() > 2 * KEPT {
            let values = &self.values;
            self.order.retain(|entry| is_current(values, entry));
        }
        while self.values.len() > KEPT || (self.weight > KEPT_BYTES && self.values.len() > 1) {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            if is_current(&self.values, &oldest) {
                self.remove(&oldest.1);
            }
        }
    }

    /// Whether there is a value of that id.
    #[must_use]
    pub fn contains(&self, id: &Text<'_>) -> bool {
        self.values.contains_key(id.as_bytes())
    }

    /// Takes the value of that id out.
    pub fn remove(&mut self, id: &Text<'_>) -> Option<T> {
        let entry = self.values.remove(id.as_bytes())?;
        self.weight -= entry.weight;
        Some(entry.value)
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The bytes of all ids and values.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.weight
    }
}

fn is_current<T>(
    values: &HashMap<Text<'static>, Entry<T>>,
    (number, id): &(u64, Text<'static>),
) -> bool {
    values
        .get(id.as_bytes())
        .is_some_and(|entry| entry.number == *number)
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
        assert_eq!(recent.values.len(), KEPT - 1);
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
        assert!(recent.order.len() <= 2 * KEPT + 1);
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
