//! Marks: hashes of 16 bytes that stand for ids, texts and records which are compared but not kept.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use jsift_json::lanes::{MIXED, blockwise};
use rustc_hash::FxBuildHasher;

/// Odd numbers without a pattern: the first digits of π.
const KEYS: [u64; 4] = [
    0x2437_86a8_885a_308d,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
];
/// A hash of 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark([u64; 2]);

impl Mark {
    /// Returns the mark of some bytes.
    #[must_use]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks();
        let mut last = [0; MIXED];
        if let Some(last) = last.get_mut(..rest.len()) {
            last.copy_from_slice(rest);
        }
        let mut state = [0; MIXED];
        state[..8].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        let state = blockwise(
            #[inline(always)]
            |lanes| {
                let mut state = state;
                for block in blocks {
                    state = lanes.mixed(state, block);
                }
                state = lanes.mixed(state, &last);
                // The halves are combined afterwards: what changes both alike must not cancel itself out.
                lanes.mixed(state, &state)
            },
        );
        let (words, _) = state.as_chunks();
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        Self([word(0) ^ word(2), word(1) ^ word(3)]).with(0)
    }

    /// Returns the mark of what this mark stands for together with a number.
    #[must_use]
    pub(crate) const fn with(self, number: u64) -> Self {
        let Self([a, b]) = self;
        let other = number.wrapping_mul(KEYS[3]);
        Self([
            fold(a ^ KEYS[2], b ^ KEYS[3] ^ other),
            fold(b ^ KEYS[0] ^ other, a ^ KEYS[2]),
        ])
    }

    /// Returns half of the mark.
    #[must_use]
    pub(crate) const fn half(self) -> u64 {
        self.0[0]
    }
}

impl Hash for Mark {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.half());
    }
}

/// Returns both halves of a product, combined.
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Values by mark: at least the latest `MOST` ones, and at most twice as many.
#[derive(Debug)]
pub(crate) struct Marked<V, const MOST: usize> {
    recent: HashMap<Mark, V, FxBuildHasher>,
    older: HashMap<Mark, V, FxBuildHasher>,
}

impl<V, const MOST: usize> Default for Marked<V, MOST> {
    fn default() -> Self {
        Self {
            recent: HashMap::default(),
            older: HashMap::default(),
        }
    }
}

impl<V, const MOST: usize> Marked<V, MOST> {
    /// Returns the value of a mark.
    pub(crate) fn get_mut(&mut self, mark: Mark) -> Option<&mut V> {
        match self.recent.get_mut(&mark) {
            Some(value) => Some(value),
            None => self.older.get_mut(&mark),
        }
    }

    /// Sets the value of a mark. If there are too many marks, the older half is dropped.
    pub(crate) fn insert(&mut self, mark: Mark, value: V) {
        if self.recent.len() >= MOST {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(mark, value);
    }

    /// Returns the number of bytes that are held.
    #[must_use]
    pub(crate) fn weight(&self) -> usize {
        (self.recent.capacity() + self.older.capacity()) * size_of::<(Mark, V)>()
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, Marked};

    #[test]
    fn each_bit_counts() {
        let text: Vec<u8> = (0..100).collect();
        let mut marks = vec![Mark::of(&text)];
        marks.extend((1..100).map(|number| Mark::of(&text).with(number)));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut other = text.clone();
                other[at] ^= 1 << bit;
                marks.push(Mark::of(&other));
            }
            marks.push(Mark::of(&text[..at]));
        }
        let mut halves: Vec<u64> = marks.iter().flat_map(|mark| mark.0).collect();
        halves.sort_unstable();
        halves.dedup();
        assert_eq!(halves.len(), 2 * marks.len());
    }

    #[test]
    fn the_latest_values_are_kept() {
        const MOST: usize = 100;
        let mut marked = Marked::<u64, MOST>::default();
        let mark = |number: u64| Mark::of(b"x").with(number);
        let count = 3 * MOST as u64;
        (0..count).for_each(|number| marked.insert(mark(number), number));
        let mut kept = (0..count).filter(|number| marked.get_mut(mark(*number)).is_some());
        let first = kept.next().unwrap();
        assert!((count - 2 * MOST as u64..=count - MOST as u64).contains(&first));
        assert_eq!(kept.count() as u64, count - first - 1);
    }
}
