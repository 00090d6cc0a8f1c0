//! The members of a document, found by the layout that the scanner has kept.

use super::{Key, Value};
use crate::after_white;
use crate::lanes::WIDE;
use crate::tape::{BlockMarks, MarkLayout};

/// A document with its layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marked<'a> {
    pub text: &'a [u8],
    pub layout: MarkLayout<'a>,
}

impl<'a> Marked<'a> {
    /// Calls `take` with each member, in order, of an object that is the document or part of it.
    #[inline(always)]
    pub(super) fn members(self, object: Value<'_>, mut take: impl FnMut((Key<'a>, Value<'a>))) {
        let _ = self.places(object, |start, colon, end| {
            let name = self.name(start, colon)?;
            take((name, self.value(colon + 1, end)?));
            Some(())
        });
    }

    /// Calls `take` with each member's name and the first byte of its value.
    #[inline(always)]
    pub(super) fn names(self, object: Value<'_>, mut take: impl FnMut(Key<'a>, Option<&u8>)) {
        let _ = self.places(object, |start, colon, _| {
            let first = after_white(self.text, colon + 1);
            take(self.name(start, colon)?, self.text.get(first));
            Some(())
        });
    }

    /// Calls `take` with the positions of each member's beginning, colon and end, until a position is missing.
    #[inline(always)]
    fn places(
        self,
        object: Value<'_>,
        mut take: impl FnMut(usize, usize, usize) -> Option<()>,
    ) -> Option<()> {
        let at = object.place_in(self.text)?.start;
        let mut walk = Walk::after(at, self.layout.marks)?;
        let mut start = at + 1;
        let mut colon = walk.next()?;
        // The first mark of an object without members is its end, and what follows is not its own.
        if *self.text.get(colon)? == b'}' {
            return None;
        }
        loop {
            let mut end = walk.next()?;
            let mut after = *self.text.get(end)?;
            if let b'{' | b'[' = after {
                walk.close(self.text)?;
                end = walk.next()?;
                after = *self.text.get(end)?;
            }
            take(start, colon, end)?;
            if after != b',' {
                return None;
            }
            start = end + 1;
            colon = walk.next()?;
        }
    }

    /// Returns the name between two positions.
    #[inline(always)]
    fn name(self, start: usize, end: usize) -> Option<Key<'a>> {
        let (start, length) = match self.layout.compact {
            true => (start, end - start),
            false => unspaced(self.text, start, end)?,
        };
        Key::at(self.text, start + 1, length.saturating_sub(2))
    }

    /// Returns the value between two positions.
    #[inline(always)]
    fn value(self, start: usize, end: usize) -> Option<Value<'a>> {
        let raw = self.text.get(start..end)?;
        Some(match self.layout.compact {
            true => Value { raw },
            false => Value::new(raw),
        })
    }
}

/// Goes from mark to mark.
struct Walk<'m> {
    block: &'m BlockMarks,
    /// The marks of the block that are still to come.
    left: u64,
    after: std::slice::Iter<'m, BlockMarks>,
}

impl<'m> Walk<'m> {
    /// Starts before the first mark after a position.
    #[inline(always)]
    fn after(at: usize, marks: &'m [BlockMarks]) -> Option<Self> {
        let passed = match at {
            0 => 0,
            _ => marks.partition_point(|block| block.at + WIDE <= at + 1),
        };
        let mut after = marks.get(passed..)?.iter();
        let block = after.next()?;
        let passed = (at + 1).saturating_sub(block.at);
        Some(Self {
            block,
            left: block.all & u64::MAX.checked_shl(passed as u32)?,
            after,
        })
    }

    /// Returns the position of the next mark.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.block = self.after.next()?;
            self.left = self.block.all;
        }
        let place = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(self.block.at + place as usize)
    }

    /// Skips to the bracket that closes the one returned last.
    #[inline(always)]
    fn close(&mut self, text: &[u8]) -> Option<()> {
        let mut depth = 1_usize;
        let mut left = self.left & self.block.brackets;
        loop {
            while left == 0 {
                self.block = self.after.next()?;
                left = self.block.brackets;
            }
            let place = left.trailing_zeros();
            left &= left - 1;
            match text.get(self.block.at + place as usize) {
                Some(b'{' | b'[') => depth += 1,
                _ => depth -= 1,
            }
            if depth == 0 {
                self.left = self.block.all & u64::MAX << place << 1;
                return Some(());
            }
        }
    }
}

/// Returns the beginning and the length of the text between two positions, without the white space around it.
#[inline(never)]
fn unspaced(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let spaced = text.get(start..end)?;
    let blanks = spaced.len() - spaced.trim_ascii_start().len();
    Some((start + blanks, spaced.trim_ascii().len()))
}

#[cfg(test)]
mod tests;
