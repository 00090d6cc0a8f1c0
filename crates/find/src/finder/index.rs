//! Finds the substreams whose prefix a line may carry, at a cost that does not depend on how many substreams there are.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use memchr::memchr;
use rustc_hash::FxHashMap;

use crate::prefix::{PREFIX_LIMIT, Prefix, is_blank, without_bom};
use jsift_json::BOM;
use jsift_json::cost;

/// What identifies a substream: substreams that were opened later have larger numbers.
pub(super) type Serial = u64;

/// Some substreams, each with whether its prefix is regular.
type Alike = FxHashMap<Vec<u8>, Vec<(Serial, bool)>>;

/// The index of all substreams by their prefixes. There are too few substreams for an attack on the hash to be
/// worthwhile.
#[derive(Debug, Default)]
pub(super) struct PrefixIndex {
    /// The substreams by the [key](PrefixOutline::key) of their prefix, in the order in which they were opened.
    by_key: Alike,
    /// The outlines of all prefixes, the longest first, with the number of substreams that have each.
    outlines: BTreeMap<PrefixOutline, usize>,
    /// The substreams by the [skeleton](skeleton) of their prefix.
    by_skeleton: Alike,
    /// The lengths of the skeletons, with the number of substreams that have each.
    lengths: BTreeMap<usize, usize>,
    /// How many prefixes are not regular.
    irregular: usize,
    /// How many prefixes belong to a box.
    boxed: usize,
    /// The substreams that are columns of tables, in the order in which they were opened.
    columns: Vec<Serial>,
}

/// Counts one substream less of a kind.
fn release<K: Ord>(counts: &mut BTreeMap<K, usize>, kind: &K) {
    if let Some(count) = counts.get_mut(kind) {
        *count -= 1;
        if *count == 0 {
            counts.remove(kind);
        }
    }
}

/// Removes a substream from those with this key.
fn remove(alike: &mut Alike, key: &[u8], serial: Serial) {
    if let Some(substreams) = alike.get_mut(key) {
        cost::search(16 * substreams.len());
        substreams.retain(|(other, _)| *other != serial);
        if substreams.is_empty() {
            alike.remove(key);
        }
    }
}

/// The length of a prefix, and the indices of its bytes that may be other digits.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PrefixOutline {
    length: Reverse<usize>,
    free: Vec<usize>,
}

impl PrefixOutline {
    fn of(prefix: &Prefix) -> Self {
        let free = prefix.free().enumerate();
        Self {
            length: Reverse(prefix.text().len()),
            free: free.filter_map(|(at, free)| free.then_some(at)).collect(),
        }
    }

    /// Whether the prefix always has the same length.
    const fn is_regular(&self) -> bool {
        self.free.is_empty()
    }

    /// Returns the first bytes of a line, with zeros for the digits and colons for the separators that may change;
    /// `None` if the line is too short.
    fn key<'a>(&self, line: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let Reverse(length) = self.length;
        let mut key = Cow::Borrowed(line.get(..length)?);
        cost::search(length + self.free.len());
        for &at in &self.free {
            let stands_for = match key.get(at) {
                Some(b'1'..=b'9') => b'0',
                Some(b'-') => b':',
                _ => continue,
            };
            if let Some(byte) = key.to_mut().get_mut(at) {
                *byte = stands_for;
            }
        }
        Some(key)
    }
}

/// Returns the bytes of a text without those that may differ between lines with the same prefix: digits, blanks, the
/// points of fractions, separators around numbers, byte order marks. A line carries a prefix only if its skeleton
/// begins with that of the prefix.
fn skeleton(text: &[u8]) -> Vec<u8> {
    let differs = |byte: &u8| {
        byte.is_ascii_digit() || is_blank(byte) || b".,-:".contains(byte) || BOM.contains(byte)
    };
    cost::look_at(text.len());
    text.iter().copied().filter(|byte| !differs(byte)).collect()
}

impl PrefixIndex {
    /// Whether a prefix belongs to a box: then the content of a line is known only once the line is there as a whole.
    pub(super) const fn has_boxes(&self) -> bool {
        self.boxed > 0
    }

    /// Adds a substream, whose number is larger than those of all others.
    pub(super) fn add(&mut self, serial: Serial, prefix: &Prefix) {
        self.boxed += usize::from(prefix.is_boxed());
        if prefix.is_column() {
            return self.columns.push(serial);
        }
        let outline = PrefixOutline::of(prefix);
        let regular = outline.is_regular();
        self.irregular += usize::from(!regular);
        if let Some(key) = outline.key(prefix.text()) {
            let alike = self.by_key.entry(key.into_owned()).or_default();
            alike.push((serial, regular));
        }
        let bones = skeleton(prefix.text());
        *self.lengths.entry(bones.len()).or_default() += 1;
        let alike = self.by_skeleton.entry(bones).or_default();
        alike.push((serial, regular));
        *self.outlines.entry(outline).or_default() += 1;
    }

    /// Removes a substream.
    pub(super) fn remove(&mut self, serial: Serial, prefix: &Prefix) {
        self.boxed -= usize::from(prefix.is_boxed());
        if prefix.is_column() {
            return self.columns.retain(|&other| other != serial);
        }
        let outline = PrefixOutline::of(prefix);
        self.irregular -= usize::from(!outline.is_regular());
        if let Some(key) = outline.key(prefix.text()) {
            remove(&mut self.by_key, &key, serial);
        }
        let bones = skeleton(prefix.text());
        release(&mut self.lengths, &bones.len());
        remove(&mut self.by_skeleton, &bones, serial);
        release(&mut self.outlines, &outline);
    }

    /// Returns what `carries` returns for the first substream for which that is something, of those whose prefix a line
    /// may carry.
    pub(super) fn find<T>(
        &self,
        line: &[u8],
        mut carries: impl FnMut(Serial) -> Option<T>,
    ) -> Option<T> {
        let text = without_bom(line);
        let latest = |key: &[u8]| self.by_key.get(key)?.last().map(|(serial, _)| *serial);
        let mut outlines = self.outlines.keys();
        let found = outlines.find_map(|outline| carries(latest(&outline.key(text)?)?));
        // Tables are not printed side by side.
        let found = found.or_else(|| carries(*self.columns.last()?));
        if found.is_some() {
            return found;
        }
        // Another time stamp or number may be longer. A byte order mark may be before any field of a line.
        let near = line.get(..4 * PREFIX_LIMIT).unwrap_or(line);
        cost::search(near.len());
        let has_bom = memchr(BOM[0], near).is_some();
        if self.irregular == 0 && !has_bom {
            return None;
        }
        let bones = skeleton(near);
        let lengths = self.lengths.keys();
        let alike = lengths.filter_map(|&length| self.by_skeleton.get(bones.get(..length)?));
        let alike = alike.flatten().filter(|(_, regular)| has_bom || !regular);
        let mut serials: Vec<_> = alike.map(|(serial, _)| *serial).collect();
        serials.sort_unstable();
        serials.into_iter().find_map(carries)
    }
}
