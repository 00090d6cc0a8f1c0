//! What counts only if nothing better is found: weak documents, and faults that are reported only then.

use super::{WITHHELD, WITHHELD_COUNT};
use crate::document::{Fault, OwnedDocument, Rank, Visitor};

/// The weak documents of a source, and the faults that are less than a document.
#[derive(Debug, Default)]
pub(super) struct Fallback {
    weak: Vec<OwnedDocument>,
    /// The bytes of all weak documents so far.
    bytes: u64,
    /// Whether some documents stand in thinking.
    in_thinking: bool,
    /// Whether weak documents count: too many would have been kept.
    pub(super) weak_counts: bool,
    /// The fault of a candidate that the end of input cut inside its first member name, or of almost JSON in which all
    /// documents are empty.
    pub(super) fault: Option<Fault>,
    /// The fault of the last object that is almost JSON and has no document in it. It is reported if all documents are
    /// drafts in thinking.
    pub(super) of_text: Option<Fault>,
}

impl Fallback {
    /// Makes room for a weak document of that length. If too much would be kept, weak documents count from then on.
    pub(super) fn make_room(&mut self, length: u64, visitor: &mut dyn Visitor) {
        self.bytes += length;
        if self.is_full() {
            self.hand_weak_on(visitor);
        }
    }

    const fn is_full(&self) -> bool {
        self.bytes > WITHHELD || self.weak.len() >= WITHHELD_COUNT
    }

    /// Keeps a weak document for which there is room.
    pub(super) fn push(&mut self, kept: OwnedDocument) {
        self.weak.push(kept);
    }

    /// Keeps a document of a thinking block.
    pub(super) fn keep_draft(&mut self, draft: OwnedDocument) {
        self.in_thinking = true;
        self.keep(draft);
    }

    /// Keeps a document as a weak one, unless too much would be kept.
    fn keep(&mut self, mut kept: OwnedDocument) {
        kept.rank = Rank::Weak;
        self.bytes += kept.text.len() as u64;
        if !self.is_full() {
            self.weak.push(kept);
        }
    }

    /// Drops the weak documents: a better one was found, or a fault.
    #[inline(always)]
    pub(super) fn drop_weak(&mut self) {
        if !self.weak.is_empty() {
            self.weak = Vec::new();
        }
    }

    /// Hands on the weak documents that are kept, as nothing better was found.
    fn hand_weak_on(&mut self, visitor: &mut dyn Visitor) {
        for kept in std::mem::take(&mut self.weak) {
            self.weak_counts = true;
            visitor.document(kept.document());
        }
    }

    /// Hands on the weak documents, or else a fault. A draft in thinking is no answer if the text after it is cut or an
    /// object that is broken.
    pub(super) fn finish(&mut self, visitor: &mut dyn Visitor) {
        let of_text = self.of_text.take().filter(|_| self.in_thinking);
        let fault = self.fault.take().or(of_text);
        if !self.in_thinking || fault.is_none() {
            self.hand_weak_on(visitor);
        }
        if !self.weak_counts
            && let Some(fault) = fault
        {
            visitor.fault(fault);
        }
    }

    /// Takes note that everything before this offset of the source is thinking, where strong documents were found or
    /// not.
    pub(super) fn was_thinking(&mut self, end: u64, found: bool) {
        for fault in [&mut self.of_text, &mut self.fault] {
            fault.take_if(|fault| fault.position.offset < end);
        }
        self.in_thinking |= found;
    }

    /// Takes over the faults that another reader of the same source has kept.
    pub(super) fn take_faults(&mut self, other: &mut Self) {
        self.fault = self.fault.take().or(other.fault.take());
        self.of_text = other.of_text.take().or(self.of_text.take());
    }

    /// Takes over the weak documents that another reader of the same source has kept.
    pub(super) fn take_weak(&mut self, other: &mut Self) {
        for kept in std::mem::take(&mut other.weak) {
            self.keep(kept);
        }
        self.weak.sort_by_key(|kept| kept.origin.position.offset);
        self.weak_counts |= other.weak_counts;
        self.in_thinking |= other.in_thinking;
    }
}
