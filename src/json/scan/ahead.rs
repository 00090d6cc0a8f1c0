//! Short objects that stand one to a line: several of them end in one block, and are read together with the first.

use super::Shape;
use super::structure::Block;

/// Objects that were read ahead, in one block, each on the line behind that of the one before.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ahead {
    /// Where the next one begins; the lowest bit of the others is for the byte there.
    start: u64,
    /// The closing brackets of the objects.
    ends: u64,
    opening: u64,
    blanks: u64,
}

/// What is known of one of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// How long it is, in bytes.
    pub(super) length: usize,
    /// Where the bracket stands that was opened last in it, counted from its own.
    pub(super) opened: Option<usize>,
    pub(super) spaced: bool,
}

impl Known {
    /// What such an object is like.
    #[inline]
    pub(super) fn shape(&self) -> Shape {
        let nested = Shape::NESTED.when(self.opened.is_some());
        let spaced = Shape::SPACED.when(self.spaced);
        Shape::OBJECT.with(Shape::FILLED).with(nested).with(spaced)
    }
}

impl Ahead {
    /// Objects in a block by its bits: the `first` opening bracket, the `ends`, all brackets that are `opening`.
    pub(super) const fn new(block: &Block, first: u64, ends: u64, opening: u64) -> Self {
        let place = first.trailing_zeros();
        Self {
            start: block.at as u64 + place as u64,
            ends: ends >> place,
            opening: opening >> place,
            blanks: block.blanks >> place,
        }
    }

    /// The same, where the text stands at `offset`.
    pub(super) const fn at(self, offset: u64) -> Self {
        Self {
            start: self.start + offset,
            ..self
        }
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.ends == 0
    }

    /// The next object, if it begins at `start`. If not, all are forgotten: reading went elsewhere.
    pub(super) fn next(&mut self, start: u64) -> Option<Known> {
        if self.ends == 0 || self.start != start {
            self.ends = 0;
            return None;
        }
        let place = self.ends.trailing_zeros();
        let within = (1 << place) - 1;
        let opened = (self.opening & within).checked_ilog2().unwrap_or(0) as usize;
        let known = Known {
            length: place as usize + 1,
            opened: (opened > 0).then_some(opened),
            spaced: self.blanks & within != 0,
        };
        // Behind the bracket stands a line feed.
        let behind = |bits: u64| bits >> place >> 2;
        *self = Self {
            start: start + u64::from(place) + 2,
            ends: behind(self.ends),
            opening: behind(self.opening),
            blanks: behind(self.blanks),
        };
        Some(known)
    }
}
