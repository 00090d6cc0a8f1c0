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

    /// Records an id of one speaker, and returns whether it is seen for the first time.
    pub(crate) fn is_new_of(&mut self, speaker: usize, id: &Text<'_>) -> bool {
        let hash = self.hasher.hash_one((speaker, id.as_bytes()));
        self.hashes.insert(hash)
    }
}
