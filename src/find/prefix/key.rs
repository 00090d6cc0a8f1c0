//! What lines begin with that may go on with a left text: most lines are told from them by a few bytes.

use super::left::{Left, is_blank};
use super::stamp::Class;
use crate::input::BOM;

/// What a line begins with.
#[derive(Debug, Clone, Copy)]
pub(super) enum First {
    Byte(u8),
    Digit,
    Any,
}

/// The bytes that lines begin with whatever may change in a left text: those before the first that may be another one, and
/// before the end of the shortest prefix, as far as a word has room for them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PrefixKey {
    /// Blanks stand before them, which may be used up.
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

    /// Whether `text` may begin with them, with a byte order mark before any.
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
