//! What was seen before, by what its id hashes to.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use crate::json::text::Text;

/// Ids that were seen: about 16 bytes each, however long they are.
#[derive(Debug, Default)]
pub struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Seen {
    /// Whether an id comes for the first time.
    pub fn is_new(&mut self, id: &Text<'_>) -> bool {
        self.is_new_of(0, id)
    }

    /// Whether an id of that speaker comes for the first time.
    pub(crate) fn is_new_of(&mut self, speaker: usize, id: &Text<'_>) -> bool {
        let hash = self.hasher.hash_one((speaker, id.as_bytes()));
        self.hashes.insert(hash)
    }
}
