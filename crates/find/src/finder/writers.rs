//! Writers: sources that are distinguished by what the records around their lines say, and not by a prefix.
//!
//! The text of the first writer is the main text, with the lines whose writer is not known. The text of each other
//! writer goes to a [substream](super::substreams).

use super::Finder;
use super::Inside;
use super::reader::Reader;
use super::substreams::OwnerKind;
use super::thinking::ThinkingEnd;
use crate::document::Visitor;
use crate::input::{Piece, Writer};
use crate::span::Position;

/// What the main finder knows of writers.
#[derive(Debug, Default)]
pub(super) struct Writers {
    first: Option<Writer>,
    /// The position after the last text of another writer, if there is another.
    end: Option<Position>,
}

impl Writers {
    /// Returns the position after the last text of another writer than the first; `None` if there is no other.
    pub(super) const fn end(&self) -> Option<Position> {
        self.end
    }

    /// Returns the writer of a text if it is not the first one.
    fn other(&mut self, piece: &Piece<'_>) -> Option<Writer> {
        let writer = piece.writer?;
        let first = *self.first.get_or_insert(writer);
        Some(writer).filter(|_| first != writer)
    }
}

impl Finder {
    /// Adds text, which is read later. What was added before is read now if it has to be decided before this text.
    pub fn add(&mut self, piece: Piece<'_>, visitor: &mut dyn Visitor) {
        let other = self.writers.other(&piece);
        let opens = other.filter(|writer| !self.substreams.has_writer(*writer));
        let at = piece.offset;
        if opens.is_some() || self.writers.end.is_some() && self.may_be_overdue(at) {
            self.advance(false, visitor);
            // The index of a substream must not change in the middle of a line.
            if !matches!(self.inside, Inside::Substream(_)) {
                self.reported(visitor, |finder, visitor| {
                    finder.end_overdue(OwnerKind::Writer, at, visitor);
                });
            }
        }
        let Some(writer) = other else {
            return self.window.add(piece);
        };
        if !self.substreams.has_writer(writer) {
            let mut finder = Self::new(self.reader.options().of_part());
            if !self.thinking.is_pending() {
                finder.thinking = ThinkingEnd::None;
            }
            self.substreams.open_writer(writer, finder, at);
        }
        self.writers.end = piece.end().or(self.writers.end);
        self.substreams.give_writer(writer, piece);
    }

    /// Leaves the stages that take a source as a whole, once there are several writers.
    pub(super) fn leave_whole(&mut self, last: bool, visitor: &mut dyn Visitor) {
        if self.writers.end.is_some() && self.reader.reads_values() {
            self.head.leave_literal();
            self.in_order(last, visitor, Reader::leave_whole);
        }
    }
}
