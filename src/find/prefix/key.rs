//! The first bytes of the lines that may carry a left text: a few bytes suffice to reject most other lines.

use super::left::{Left, is_blank};
use super::stamp::Class;
use crate::input::BOM;

/// The first bytes of a left text that are the same on all lines that carry it: up to the first byte that may change or
/// to the end of the shortest prefix, and at most as many as fit into a machine word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PrefixKey {
    /// Whether blanks come first. A line may have fewer of them, or none.
    blanks: bool,
    bytes: u64,
    mask: u64,
}

impl PrefixKey {
    pub(super) fn of(left: &Left) -> Self {
        let Left { text, classes, .. } = left;
        let change = left.loosest();
        let free = |class: &Class| class.is_free(change);
        let blanks = match classes.first() {
            Some(first @ (Class::Blank | Class::Padding)) if free(first) => {
                text.iter().take_while(|byte| is_blank(byte)).count()
            }
            _ => 0,
        };
        let shortest = left.cuts.last().copied().unwrap_or_default();
        let length = classes.iter().take(shortest).skip(blanks);
        let length = length.take_while(|class| !free(class)).count();
        let same = text.iter().skip(blanks).take(length);
        let mut key = Self {
            blanks: blanks > 0,
            ..Self::default()
        };
        for (&byte, place) in same.zip((0..u64::BITS).step_by(8)) {
            key.bytes |= u64::from(byte) << place;
            key.mask |= 0xff << place;
        }
        key
    }

    /// Whether `text` may begin with these bytes, with a byte order mark allowed before any of them.
    #[inline]
    pub(super) fn may_begin(self, mut text: &[u8]) -> bool {
        while self.blanks
            && let Some((first, rest)) = text.split_first()
            && is_blank(first)
        {
            text = rest;
        }
        let Some(bytes) = text.first_chunk() else {
            return true;
        };
        let differing = (u64::from_le_bytes(*bytes) ^ self.bytes) & self.mask;
        let first = bytes.get(differing.trailing_zeros() as usize / 8);
        first.is_none_or(|first| *first == BOM[0])
    }
}
