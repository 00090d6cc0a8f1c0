//! Hands on the repaired documents of a source in their places between its other findings.

use super::{Repaired, Repairs};
use crate::document::{Document, Fault, FaultKind, Noise, Visitor};

/// A visitor that hands on what is found in a source, with the repaired documents in the place of what was broken.
pub struct Merge<'a> {
    repairs: &'a Repairs,
    /// How many of them were handed on.
    done: usize,
    visitor: &'a mut dyn Visitor,
}

impl Repairs {
    /// Returns a visitor that hands on what is found in the source to `visitor`, with the repairs. It has to be
    /// [ended](Merge::end) when the source has ended.
    pub fn merge<'a>(&'a self, visitor: &'a mut dyn Visitor) -> Merge<'a> {
        Merge {
            repairs: self,
            done: 0,
            visitor,
        }
    }
}

impl Merge<'_> {
    /// Hands on the repairs after the last document.
    pub fn end(mut self) {
        self.until(u64::MAX);
    }

    /// Hands on the repairs before a source offset.
    fn until(&mut self, offset: u64) {
        while let Some(next) = self.repairs.documents.get(self.done) {
            if next.position.offset >= offset {
                break;
            }
            self.visitor.document(Document {
                text: &next.text,
                rank: next.rank,
                compact: false,
                lossy: false,
                prefix: None,
                place: next,
                layout: None,
            });
            self.done += 1;
        }
    }
}

impl Visitor for Merge<'_> {
    fn document(&mut self, document: Document<'_>) {
        let at = document.position().offset;
        self.until(at);
        // A repair that begins with a sound document and ends in it was made of a part of its lines, as was one of the
        // same lines that is no fence.
        let next = self.repairs.documents.get(self.done);
        let length = document.origin().length;
        let is_made_of = |next: &Repaired| {
            let is_same = next.length == length && next.from == at;
            next.position.offset == at && (next.length < length || is_same)
        };
        if next.is_some_and(is_made_of) {
            self.done += 1;
            self.visitor.document(document);
        } else if !self.repairs.holds(at) {
            self.visitor.document(document);
            // What seems to be broken in a sound document is text of its strings.
            let parts = document.parts();
            let inside = |next: &Repaired| {
                parts
                    .iter()
                    .any(|part| part.contains(&next.position.offset))
            };
            let rest = self.repairs.documents.get(self.done..).unwrap_or_default();
            self.done += rest.iter().take_while(|next| inside(next)).count();
        }
    }

    fn fault(&mut self, fault: Fault) {
        if fault.kind == FaultKind::Limit || !self.repairs.holds(fault.position.offset) {
            self.visitor.fault(fault);
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        if !self.repairs.holds(noise.position().offset) {
            self.visitor.noise(noise);
        }
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.visitor)
    }
}
