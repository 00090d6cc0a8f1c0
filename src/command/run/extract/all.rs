//! `--all`: writes every document as it is found.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Extraction;
use super::messages;
use super::passthrough::Around;
use super::report::Decoded;
use super::writer::{Copies, DocumentWriter, ReadyDocument};
use crate::command::run::source::Channels;
use jsift_find::choose::tally::Tally;
use jsift_find::choose::verdict::Ending;
use jsift_find::document::{Document, Fault, Noise, Rank, Remark, Stage, Visitor, Wants};
use jsift_find::finder::repair::Repairs;
use jsift_find::input::Piece;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, Level};

/// The state of `--all` for one source.
#[derive(Default)]
pub(super) struct All {
    pub(super) tally: Tally,
    /// Whether a document could not be written.
    missing: bool,
    /// The repairs of the source.
    pub(super) repairs: Arc<Repairs>,
}

impl Extraction<'_> {
    /// Returns the visitor that writes every document.
    pub(super) fn writing<'a, 'w>(
        &'a self,
        all: &'a mut All,
        to: &'a mut Channels<'w>,
    ) -> Writing<'a, 'w> {
        let verbose = to.diagnostics.wants(Level::Verbose);
        let asks_more = verbose || !self.wanted.is_everything();
        let repaired = !all.repairs.documents().is_empty();
        Writing {
            all,
            extraction: self,
            plain: self.writer.is_plain() && !asks_more && !repaired,
            verbose,
            around: None,
            to,
        }
    }

    /// Writes every document of the source, or of the answer in it, for text that is only now known to be the one to
    /// read. Returns `None` if there is nothing to write.
    pub(super) fn write_all(
        &self,
        response: Option<&[u8]>,
        to: &mut Channels<'_>,
    ) -> Option<Outcome> {
        let text = self.text(response);
        let mut all = All {
            repairs: Arc::new(self.search.repairs_of(text)),
            ..All::default()
        };
        let repairs = Arc::clone(&all.repairs);
        self.search
            .read(text, &repairs, &mut self.writing(&mut all, to));
        (all.tally.passed() > 0).then(|| self.end_all(&all, to))
    }

    pub(super) fn end_all(&self, all: &All, to: &mut Channels<'_>) -> Outcome {
        let tally = &all.tally;
        match tally.ending() {
            Ending::Documents(None) if all.missing => Outcome::Mismatch,
            Ending::Documents(None) => Outcome::Success,
            ending => self.end_without(ending, tally.faults(), to),
        }
    }
}

/// A visitor that writes documents.
pub(super) struct Writing<'a, 'w> {
    all: &'a mut All,
    extraction: &'a Extraction<'a>,
    /// Whether the options ask only for the plain text of every document.
    plain: bool,
    /// Whether each document is reported.
    verbose: bool,
    /// The text in which documents are written in place, instead of one after the other.
    around: Option<&'a mut Around>,
    to: &'a mut Channels<'w>,
}

impl<'a> Writing<'a, '_> {
    /// Writes documents in place, inside the surrounding text, if it is given.
    pub(super) fn within(mut self, around: Option<&'a mut Around>) -> Self {
        self.plain &= around.is_none();
        self.around = around;
        self
    }
}

impl Writing<'_, '_> {
    /// Returns whether a document passes the filters, and notes if it does not.
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        match self.extraction.search.filter.check(document.text) {
            Ok(()) => true,
            Err(mismatch) => {
                if self.verbose {
                    let text = format!("passed over a document: {mismatch}");
                    let message = Diagnostic::verbose(text).group("documents passed over");
                    self.report(document, message);
                }
                self.all.tally.refuse(mismatch);
                false
            }
        }
    }

    fn report(&mut self, document: &Document<'_>, message: Diagnostic) {
        let message = message.of(&self.extraction.place);
        self.to.report(message.at(document.position()));
    }

    fn note(&mut self, fault: &Fault) {
        let message = messages::passed_fault(fault);
        self.to.report(message.of(&self.extraction.place));
    }

    /// Notes that this many documents pass the filters, and reports the faults that no longer affect the outcome.
    fn pass(&mut self, count: u64) {
        let faults = self.all.tally.pass(count);
        faults.iter().for_each(|fault| self.note(fault));
    }

    /// Writes a document for which more than its text is needed.
    fn write(&mut self, document: &Document<'_>) {
        let extraction = self.extraction;
        let report = &mut |message| self.report(document, message);
        let decoded = extraction.decoded(document.text, document.lossy, report);
        let Some(Decoded { text, mut warnings }) = decoded else {
            self.all.missing = true;
            return;
        };
        let is_changed = matches!(text, Cow::Owned(_));
        let stage = match (document.stage(), document.rank) {
            (Stage::Repair, _) => Stage::Repair,
            (_, Rank::Weak) => Stage::Embedded,
            (stage, _) => stage,
        };
        if stage == Stage::Repair {
            let changes = self.all.repairs.changes_of(&document.origin());
            warnings.extend(changes);
            for change in &warnings {
                let message = messages::repaired(change).of(&extraction.place);
                let message = message.at(document.position()).group("repairs");
                self.to.diagnostics.report(message);
            }
        }
        if self.verbose {
            let message = messages::taken("a document", stage).group("documents taken");
            self.report(document, message);
        }
        let writer = &extraction.writer;
        if let Some(around) = &mut self.around {
            return place(around, writer, document, &text, is_changed);
        }
        let origin = writer.writes_origin().then(|| document.origin());
        let ready = ReadyDocument {
            text: &text,
            source: &extraction.name,
            origin: origin.as_ref(),
            stage,
            compact: document.compact && !is_changed,
            warnings: &warnings,
        };
        let _ = writer.write(&mut self.to.output, ready);
    }
}

/// Replaces a document in the text around it by its layout, if that is another one.
fn place(
    around: &mut Around,
    writer: &DocumentWriter<'_>,
    document: &Document<'_>,
    text: &[u8],
    rewritten: bool,
) {
    // Whether a weak document counts is known only after the text around it has been written.
    if document.rank == Rank::Weak {
        return;
    }
    let parts = document.parts();
    let is_same = |parts: &[Range<u64>]| match parts {
        [all] => all.end - all.start == text.len() as u64,
        _ => false,
    };
    let stays = match writer.copies() {
        Copies::All => true,
        Copies::Compact => document.compact && !document.lossy && is_same(&parts),
        Copies::None => false,
    };
    if !stays || rewritten {
        around.document(&parts, Some(text));
    }
}

impl Visitor for Writing<'_, '_> {
    fn document(&mut self, document: Document<'_>) {
        self.all.tally.met_document();
        if !self.plain && !self.accepts(&document) {
            return;
        }
        self.pass(1);
        if document.rank == Rank::Weak {
            let message = messages::weak(document.text, &[], false);
            self.report(&document, message.group("weak documents"));
        }
        if self.plain && !document.lossy {
            // The output remembers write errors.
            let Document { text, compact, .. } = document;
            let writer = &self.extraction.writer;
            let _ = writer.write_text(&mut self.to.output, text, compact);
            return;
        }
        self.write(&document);
    }

    fn lines(&mut self, text: &[u8], count: u64) {
        self.pass(count);
        let _ = self.to.output.write_ended(text, b'\n');
    }

    fn wants(&mut self) -> Wants {
        Wants {
            noise: self.extraction.search.filter.wants_noise(),
            parts: self.around.is_some(),
            lines: self.plain && self.extraction.writer.writes_lines(),
        }
    }

    fn text(&mut self, piece: Piece<'_>) {
        if let Some(around) = &mut self.around {
            around.add(piece);
        }
    }

    fn remark(&mut self, remark: Remark) {
        let message = messages::remark(&remark).of(&self.extraction.place);
        self.to.diagnostics.report(message);
    }

    /// What was written is not taken back.
    fn thinking_ended(&mut self) {
        let passed = self.all.tally.passed();
        if passed > 0 {
            let message = messages::thinking(passed);
            self.to.report(message.of(&self.extraction.place));
        }
    }

    fn fault(&mut self, fault: Fault) {
        let filter = &self.extraction.search.filter;
        if let Some(fault) = self.all.tally.fault(fault, filter) {
            self.note(&fault);
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        let filter = &self.extraction.search.filter;
        self.all.tally.read(&noise, filter);
    }
}
