//! Stage `repair`: whether the choice among the documents of a source and its repairs replaces the choice among its
//! documents alone.

use super::choice::{Choice, Chosen, Standing};
use crate::document::{Document, Fault, Rank, Visitor};
use crate::finder::repair::Repairs;
use crate::finder::{FindOptions, Finder};
use crate::reading::{Reading, WithLines, repairs};
use crate::unwrap::Unwrap;

/// A source that is in memory.
#[derive(Debug, Clone, Copy)]
pub struct SourceText<'a> {
    /// The source, as it was read.
    pub source: &'a [u8],
    /// The agent's answer in it, if only the answer is read.
    pub response: Option<&'a [u8]>,
}

impl<'a> SourceText<'a> {
    /// Returns a source that is read as a whole.
    #[must_use]
    pub const fn whole(source: &'a [u8]) -> Self {
        Self {
            source,
            response: None,
        }
    }

    /// Returns the repairs of the source or answer; none if it is larger than a document may be. `mode` says how the
    /// lines of a source are unwrapped, `find` how the strict stages read.
    #[must_use]
    pub fn repairs(&self, mode: &Unwrap, find: &FindOptions) -> Repairs {
        let text = self.response.unwrap_or(self.source);
        let mut repairs = match self.response {
            _ if text.len() as u64 > find.max_document => Repairs::default(),
            Some(response) => Repairs::of_text(response, find),
            None => repairs(self.source, mode.clone(), find),
        };
        if !repairs.documents().is_empty() {
            let mut found = Places::default();
            self.read((mode, find), &Repairs::default(), &mut found);
            found.faults.sort_unstable();
            repairs.keep_broken(&found.documents, &found.faults);
        }
        repairs
    }

    /// Reads the source or answer with repairs. Returns whether it contains nothing but JSON.
    pub fn read(
        &self,
        (mode, find): (&Unwrap, &FindOptions),
        repairs: &Repairs,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let mut merge = repairs.merge(visitor);
        let whole = if let Some(response) = self.response {
            let mut with_lines = WithLines::new(response, &mut merge);
            Finder::read_text(find.clone(), response, &mut with_lines)
        } else {
            let reading = Reading::new(mode.clone(), find.clone());
            let mut reading = reading.with_lines(true);
            reading.block(self.source, &mut merge);
            reading.end(&mut merge);
            reading.is_whole()
        };
        merge.end();
        whole
    }
}

/// Where the strict stages find something in a source, as source offsets. A fault may come after a document inside of
/// it.
#[derive(Debug, Default)]
struct Places {
    /// The strong documents.
    documents: Vec<u64>,
    faults: Vec<u64>,
}

impl Visitor for Places {
    fn document(&mut self, document: Document<'_>) {
        if document.rank != Rank::Weak {
            self.documents.push(document.position().offset);
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault.position.offset);
    }
}

/// Whether repairs may change a choice: nothing was chosen, or a document that may be a part of something broken, or a
/// draft. `whole` says whether the source contains nothing but JSON.
pub fn may_be_replaced(choice: &Choice<'_>, whole: bool) -> bool {
    choice.chosen().is_none_or(|chosen| {
        let all = whole || chosen.document.rank == Rank::String;
        chosen.standing == Standing::Other && !all
    })
}

/// Whether `again`, the choice among documents and repairs, replaces `first`, the choice among the documents alone.
/// What the strict stages deliver stays as it is, except a part of what was repaired, unless that counts less, and a
/// draft in thinking.
pub fn replaces(first: &Choice<'_>, again: &Choice<'_>, repairs: &Repairs) -> bool {
    match (first.chosen(), again.chosen()) {
        (None, None) => again.mismatch().is_some(),
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (Some(first), Some(again)) => {
            let at = first.position().offset;
            let is_part = repairs
                .repaired_at(again.position().offset)
                .is_some_and(|whole| whole.holds(at));
            let is_weak = |chosen: &Chosen| chosen.document.rank == Rank::Weak;
            match is_weak(again) {
                true => is_part && is_weak(first),
                false => is_part || repairs.is_thinking(at),
            }
        }
    }
}
