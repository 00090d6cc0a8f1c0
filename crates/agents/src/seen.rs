//! Ids that were seen before, kept as hashes.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use jsift_json::text::Text;

/// The set of ids that were seen: about 16 bytes for each, however long it is.
#[derive(Debug, Default)]
pub struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Seen {
    /// Records an id, and returns whether it is seen for the first time.
    pub fn is_new(&mut self, id: &Text<'_>) -> bool {
        self.is_new_of(0, id)
    }

    /// Returns the set without its ids; the same ids have the same hashes in both.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            hashes: HashSet::new(),
            hasher: self.hasher.clone(),
        }
    }

    /// Returns whether the id was seen.
    pub(crate) fn contains(&self, id: &Text<'_>) -> bool {
        self.hashes
            .contains(&self.hasher.hash_one((0usize, id.as_bytes())))
    }

    /// Adds all ids of `other`, which was [made of this one](Self::emptied), unless some of them were seen before.
    /// Returns whether they were added.
    pub fn join(&mut self, other: &Self) -> bool {
        let is_new = self.hashes.is_disjoint(&other.hashes);
        if is_new {
            self.hashes.extend(&other.hashes);
        }
        is_new
    }

    /// Records an id of one writer, and returns whether it is seen for the first time.
    pub(crate) fn is_new_of(&mut self, writer: usize, id: &Text<'_>) -> bool {
        let hash = self.hasher.hash_one((writer, id.as_bytes()));
        self.hashes.insert(hash)
    }
}
