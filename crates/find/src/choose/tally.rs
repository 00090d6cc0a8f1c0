//! What decides how a search for all documents of a source ends.

use super::choice::Faults;
use super::filter::{Filter, Mismatch};
use super::verdict::{Ending, Findings, verdict};
use crate::document::{Fault, Noise};

/// The documents that passed the filters, and what is wrong with the source.
#[derive(Debug, Default)]
pub struct Tally {
    passed: u64,
    mismatch: Option<Mismatch>,
    faults: Faults,
}

impl Tally {
    /// Returns the number of documents that passed the filters.
    #[must_use]
    pub const fn passed(&self) -> u64 {
        self.passed
    }

    /// Returns what is wrong with the source.
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Notes a document, whether it passes or not.
    pub fn met_document(&mut self) {
        self.faults.met_document();
    }

    /// Reads the text between documents.
    pub fn read(&mut self, noise: &Noise<'_>, filter: &Filter) {
        self.faults.read(noise, filter);
    }

    /// Notes that a document did not pass the filters.
    pub fn refuse(&mut self, mismatch: Mismatch) {
        mismatch.keep_closest(&mut self.mismatch);
    }

    /// Notes that this many documents passed the filters. Returns the faults that no longer affect the outcome: before
    /// the first document, a broken candidate may have been the reason that there is none.
    pub fn pass(&mut self, count: u64) -> Vec<Fault> {
        let first = self.passed == 0;
        self.passed += count;
        match first {
            true => self.faults.take_broken(),
            false => Vec::new(),
        }
    }

    /// Notes a fault, or returns it if it does not affect the outcome: a broken candidate after a document that passed.
    pub fn fault(&mut self, fault: Fault, filter: &Filter) -> Option<Fault> {
        if self.passed > 0 && fault.is_broken_candidate() {
            return Some(fault);
        }
        self.faults.note(&fault, filter);
        None
    }

    /// Returns how the search ends.
    #[must_use]
    pub fn ending(&self) -> Ending<'_> {
        verdict(&Findings {
            pickable: 0,
            several: None,
            written: self.passed,
            chosen: None,
            picked: false,
            mismatch: self.mismatch.as_ref(),
            faults: &self.faults,
            response: None,
        })
    }
}
