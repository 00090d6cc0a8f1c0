//! What is remembered by id until something answers it, bounded.

use std::collections::{HashMap, VecDeque};

use crate::json::text::Text;

/// How many ids are remembered. Agents have at most a few dozen calls open at a time; the ids of a stream that never answers
/// must not fill the memory.
const KEPT: usize = 1024;

/// Values by id: the latest [`KEPT`].
#[derive(Debug)]
pub struct Recent<T> {
    values: HashMap<Text<'static>, (u64, T)>,
    /// Ids in the order of their insertion with its number; what was taken out or put in again since is stale.
    order: VecDeque<(u64, Text<'static>)>,
    next: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self {
            values: HashMap::new(),
            order: VecDeque::new(),
            next: 0,
        }
    }
}

impl<T> Recent<T> {
    /// Remembers a value. One that the id had is replaced, and if there are too many, the oldest is forgotten.
    pub fn insert(&mut self, id: &Text<'_>, value: T) {
        let id = id.clone().into_owned();
        self.next += 1;
        self.values.insert(id.clone(), (self.next, value));
        self.order.push_back((self.next, id));
        if self.order.len() > 2 * KEPT {
            let values = &self.values;
            self.order.retain(|entry| is_current(values, entry));
        }
        while self.values.len() > KEPT {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            if is_current(&self.values, &oldest) {
                self.values.remove(oldest.1.as_bytes());
            }
        }
    }

    /// The value of that id.
    pub fn get_mut(&mut self, id: &Text<'_>) -> Option<&mut T> {
        self.values.get_mut(id.as_bytes()).map(|(_, value)| value)
    }

    /// Whether there is a value of that id.
    #[must_use]
    pub fn contains(&self, id: &Text<'_>) -> bool {
        self.values.contains_key(id.as_bytes())
    }

    /// Takes the value of that id out.
    pub fn remove(&mut self, id: &Text<'_>) -> Option<T> {
        self.values.remove(id.as_bytes()).map(|(_, value)| value)
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

fn is_current<T>(
    values: &HashMap<Text<'static>, (u64, T)>,
    (number, id): &(u64, Text<'static>),
) -> bool {
    values
        .get(id.as_bytes())
        .is_some_and(|(current, _)| current == number)
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Recent};
    use crate::json::text::Text;

    fn id(number: usize) -> Text<'static> {
        Text::from(number.to_string())
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut recent = Recent::default();
        for number in 0..KEPT + 10 {
            recent.insert(&id(number), number);
        }
        assert!(!recent.contains(&id(9)));
        assert_eq!(recent.remove(&id(10)), Some(10));
        assert_eq!(recent.values.len(), KEPT - 1);
    }

    #[test]
    fn what_is_answered_leaves_nothing_behind() {
        let mut recent = Recent::default();
        recent.insert(&id(0), 0);
        for number in 1..10 * KEPT {
            recent.insert(&id(number), number);
            recent.remove(&id(number));
        }
        assert!(recent.contains(&id(0)));
        assert!(recent.order.len() <= 2 * KEPT + 1);
    }

    #[test]
    fn an_id_that_comes_again_is_young() {
        let mut recent = Recent::default();
        recent.insert(&id(0), 1);
        for number in 1..KEPT {
            recent.insert(&id(number), number);
        }
        recent.insert(&id(0), 2);
        recent.insert(&id(KEPT), 3);
        assert_eq!(recent.get_mut(&id(0)), Some(&mut 2));
        assert!(!recent.contains(&id(1)));
    }
}
