//! Hashes of 16 bytes that stand for ids, texts and records which are compared but not kept.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use jsift_json::lanes::{MIXED, blockwise, filled_up};
use jsift_json::text::Text;

/// Odd numbers without a pattern: the first digits of π.
const KEYS: [u64; 4] = [
    0x2437_86a8_885a_308d,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
];
/// A hash of 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TextHash([u64; 2]);

impl TextHash {
    /// Returns the hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let Some(last) = bytes.last_chunk() else {
            return Self::of_short(bytes);
        };
        let (blocks, _) = bytes.as_chunks();
        let mut state = [0; MIXED];
        state[..8].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        let state = blockwise(
            #[inline(always)]
            |lanes| {
                let mut state = state;
                for block in blocks {
                    state = lanes.mixed(state, block);
                }
                // This block overlaps the one before it.
                state = lanes.mixed(state, last);
                // The halves are combined afterwards: what changes both alike must not cancel itself out.
                lanes.mixed(state, &state)
            },
        );
        let [a, b, c, d] = words(&state);
        Self([a ^ c, b ^ d]).with(0)
    }

    /// Returns the hash of less than a block.
    fn of_short(bytes: &[u8]) -> Self {
        let [a, b, c, d] = words(&filled_up(bytes, 0));
        let length = bytes.len() as u64;
        Self([
            fold(a ^ KEYS[0], b ^ KEYS[1]),
            fold(c ^ KEYS[2], d ^ KEYS[3]),
        ])
        .with(length)
    }

    /// Returns the hash of what this hash stands for together with a number.
    pub(crate) const fn with(self, number: u64) -> Self {
        let Self([a, b]) = self;
        let other = number.wrapping_mul(KEYS[3]);
        Self([
            fold(a ^ KEYS[2], b ^ KEYS[3] ^ other),
            fold(b ^ KEYS[0] ^ other, a ^ KEYS[2]),
        ])
    }

    /// Returns half of the hash.
    pub(crate) const fn half(self) -> u64 {
        self.0[0]
    }
}

impl Hash for TextHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.half());
    }
}

/// Returns a block as numbers.
fn words(block: &[u8; MIXED]) -> [u64; MIXED / 8] {
    let (words, _) = block.as_chunks();
    std::array::from_fn(|at| words.get(at).map_or(0, |word| u64::from_le_bytes(*word)))
}

/// Returns both halves of a product, combined.
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Any number of values by hash. Each stands at the place that random keys give its hash, or at a free one after it:
/// the bytes that hashes stand for may be chosen to make them alike, and many hashes at one place would cost the square
/// of their number. Hashes are mixed already, which makes this several times cheaper than a map of anything.
#[derive(Debug)]
struct HashTable<V> {
    keys: [u64; 2],
    /// Their number is a power of two. A quarter of them is free.
    places: Vec<Option<(TextHash, V)>>,
    /// How many places are taken.
    len: usize,
}

impl<V> Default for HashTable<V> {
    fn default() -> Self {
        let key = RandomState::new().build_hasher().finish();
        Self {
            keys: [key, fold(key ^ KEYS[0], KEYS[1])],
            places: Vec::new(),
            len: 0,
        }
    }
}

impl<V> HashTable<V> {
    /// The number of places at first: each session has such maps, mostly with few hashes.
    const FEW: usize = 4;

    /// Returns the index of the place of a hash, or of the free place for it. There must be places.
    #[inline]
    fn place(&self, TextHash([a, b]): TextHash) -> usize {
        let mut place = fold(a ^ self.keys[0], b ^ self.keys[1]) as usize;
        // Steps that grow lead to all places, and away from where many are taken.
        for step in 1.. {
            place &= self.places.len() - 1;
            match &self.places[place] {
                Some((other, _)) if *other != TextHash([a, b]) => place += step,
                _ => break,
            }
        }
        place
    }

    /// Returns the value of a hash.
    fn get_mut(&mut self, hash: TextHash) -> Option<&mut V> {
        if self.places.is_empty() {
            return None;
        }
        let place = self.place(hash);
        self.places[place].as_mut().map(|(_, value)| value)
    }

    /// Returns whether a hash has a value.
    fn contains(&self, hash: TextHash) -> bool {
        !self.places.is_empty() && self.places[self.place(hash)].is_some()
    }

    /// Returns the index of the place that a hash's value has or is to have.
    fn place_for(&mut self, hash: TextHash) -> usize {
        if 4 * self.len >= 3 * self.places.len() {
            self.grow();
        }
        self.place(hash)
    }

    #[cold]
    fn grow(&mut self) {
        let all = std::mem::take(&mut self.places);
        let more = Self::FEW.max(2 * all.len());
        self.places.resize_with(more, || None);
        for (hash, value) in all.into_iter().flatten() {
            let place = self.place(hash);
            self.places[place] = Some((hash, value));
        }
    }

    /// Sets the value of a hash at its place. Returns whether it had none.
    fn set(&mut self, place: usize, hash: TextHash, value: V) -> bool {
        let is_new = self.places[place].replace((hash, value)).is_none();
        self.len += usize::from(is_new);
        is_new
    }

    /// Sets the value of a hash. Returns whether it had none.
    fn insert(&mut self, hash: TextHash, value: V) -> bool {
        let place = self.place_for(hash);
        self.set(place, hash, value)
    }

    /// Returns the hashes.
    fn hashes(&self) -> impl Iterator<Item = TextHash> {
        self.places.iter().flatten().map(|(hash, _)| *hash)
    }
}

/// Values by hash: at least the latest `MOST` ones, and at most twice as many.
#[derive(Debug, Default)]
pub(crate) struct HashedMap<V, const MOST: usize> {
    recent: HashTable<V>,
    older: HashTable<V>,
}

impl<V: Default, const MOST: usize> HashedMap<V, MOST> {
    /// Returns the value of a hash.
    pub(crate) fn get_mut(&mut self, hash: TextHash) -> Option<&mut V> {
        match self.recent.get_mut(hash) {
            Some(value) => Some(value),
            None => self.older.get_mut(hash),
        }
    }

    /// Returns whether the hash has a value.
    pub(crate) fn contains(&self, hash: TextHash) -> bool {
        self.recent.contains(hash) || self.older.contains(hash)
    }

    /// Sets the value of a hash. If there are too many hashes, the older half is dropped.
    pub(crate) fn insert(&mut self, hash: TextHash, value: V) {
        if self.recent.len >= MOST {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(hash, value);
    }

    /// Returns the value of a hash; one that has none gets `value`, and `None` is returned.
    pub(crate) fn get_or_insert(&mut self, hash: TextHash, value: V) -> Option<&mut V> {
        let place = self.recent.place_for(hash);
        if self.recent.places[place].is_none() {
            match self.older.get_mut(hash).map(std::mem::take) {
                Some(before) => self.insert(hash, before),
                None if self.recent.len < MOST => {
                    self.recent.set(place, hash, value);
                    return None;
                }
                None => {
                    self.insert(hash, value);
                    return None;
                }
            }
        }
        self.recent.get_mut(hash)
    }

    /// Returns the number of bytes that are held.
    pub(crate) fn weight(&self) -> usize {
        let places = self.recent.places.capacity() + self.older.places.capacity();
        places * size_of::<Option<(TextHash, V)>>()
    }
}

/// The ids that were seen, as hashes, however many there are.
#[derive(Debug, Default)]
pub struct Seen(HashTable<()>);

impl Seen {
    /// Records an id, and returns whether it is seen for the first time.
    pub(crate) fn is_new(&mut self, id: &Text<'_>) -> bool {
        self.is_new_of(0, id)
    }

    /// Records an id of one writer, and returns whether it is seen for the first time.
    pub(crate) fn is_new_of(&mut self, writer: usize, id: &Text<'_>) -> bool {
        self.0.insert(Self::hash(writer, id), ())
    }

    /// Returns whether the id was seen.
    pub(crate) fn contains(&self, id: &Text<'_>) -> bool {
        self.0.contains(Self::hash(0, id))
    }

    /// Adds all ids of `other` unless some of them were seen before. Returns whether they were added.
    pub fn join(&mut self, other: &Self) -> bool {
        let is_new = !other.0.hashes().any(|hash| self.0.contains(hash));
        if is_new {
            for hash in other.0.hashes() {
                self.0.insert(hash, ());
            }
        }
        is_new
    }

    fn hash(writer: usize, id: &Text<'_>) -> TextHash {
        TextHash::of(id.as_bytes()).with(writer as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::{HashTable, HashedMap, TextHash};

    #[test]
    fn each_bit_counts() {
        let text: Vec<u8> = (0..100).collect();
        let mut hashes = vec![TextHash::of(&text)];
        hashes.extend((1..100).map(|number| TextHash::of(&text).with(number)));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut other = text.clone();
                other[at] ^= 1 << bit;
                hashes.push(TextHash::of(&other));
            }
            hashes.push(TextHash::of(&text[..at]));
        }
        let mut halves: Vec<u64> = hashes.iter().flat_map(|hash| hash.0).collect();
        halves.sort_unstable();
        halves.dedup();
        assert_eq!(halves.len(), 2 * hashes.len());
    }

    #[test]
    fn a_map_has_each_value_at_a_place_that_nobody_knows() {
        let mut maps = [(); 2].map(|()| HashTable::default());
        let hashes = || (0..1000).map(|number| TextHash([number % 10, number]));
        for map in &mut maps {
            assert_eq!(map.get_mut(TextHash([0, 0])), None);
            assert!(
                hashes().all(|hash| map.insert(hash, hash.0[1]) && !map.insert(hash, hash.0[1]))
            );
            assert!(hashes().all(|hash| map.get_mut(hash) == Some(&mut hash.0[1].clone())));
            assert!(!map.contains(TextHash([1, 0])));
            assert_eq!(map.hashes().count(), 1000);
        }
        let [one, other] = &maps;
        assert!(one.hashes().ne(other.hashes()));
    }

    #[test]
    fn the_latest_values_are_kept() {
        const MOST: usize = 100;
        let mut marked = HashedMap::<u64, MOST>::default();
        let hash = |number: u64| TextHash::of(b"x").with(number);
        let count = 3 * MOST as u64;
        (0..count).for_each(|number| marked.insert(hash(number), number));
        let mut kept = (0..count).filter(|number| marked.get_mut(hash(*number)).is_some());
        let first = kept.next().unwrap();
        assert!((count - 2 * MOST as u64..=count - MOST as u64).contains(&first));
        assert_eq!(kept.count() as u64, count - first - 1);
        let mut is_known = |number| marked.get_or_insert(hash(number), number).is_some();
        let known = [first, first, count - 1, count, count].map(&mut is_known);
        assert_eq!(known, [true, true, true, false, true]);
    }
}
