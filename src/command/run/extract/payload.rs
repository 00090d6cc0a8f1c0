//! `--payload`: finds the JSON in the answer of an agent's envelope or event stream.

use super::Extraction;
use crate::command::run::source::Channels;
use crate::payload::{EMPTY_ASIDE, Payload, PayloadSource, PlainSource, UNKNOWN, empty_aside};
use jsift_find::document::Visitor;
use jsift_find::finder::repair::Repairs;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;

impl<'f> Extraction<'f> {
    pub(super) fn end_payload(
        &mut self,
        payload: Payload<'f>,
        whole: bool,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let (source, limit) = payload.finish(whole, self.chooses());
        let source = self.payload_with_repairs(source, to);
        let answered = match source {
            PayloadSource::Answer(answer) => self.chain(&answer, to),
            PayloadSource::Failure(outcome, message) => {
                self.report(message, to);
                outcome
            }
            PayloadSource::Text(text) if text.of_unknown => {
                let message = Diagnostic::error(UNKNOWN)
                    .hint("without --payload the records themselves are extracted");
                self.report(message, to);
                let cut = text.choice.faults().reasons().next();
                cut.map_or(Outcome::Mismatch, |fault| self.fail(fault, to))
            }
            PayloadSource::Text(text) => return self.end_text(*text, to),
        };
        limit.map_or(answered, |fault| answered.worse(self.fail(&fault, to)))
    }

    /// Whether the user specifies which of several documents is meant.
    pub(super) const fn chooses(&self) -> bool {
        self.options.prints_all() || self.options.pick.is_some()
    }

    /// Ends a source that is no agent's output, but itself the text to search.
    fn end_text(
        &self,
        PlainSource { choice, whole, .. }: PlainSource<'f>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        if let Some(position) = empty_aside(&choice) {
            if !self.options.text {
                let message = Diagnostic::error(EMPTY_ASIDE).at(position);
                self.report(message.hint("--loose accepts it"), to);
            }
            return Outcome::None;
        }
        let held = &self.held;
        if !self.options.prints_all() || choice.documents() == 0 && !self.repairs() {
            return self.end_one((choice, None), whole, None, to);
        }
        if held.len() as u64 > self.options.common.max_document {
            let text =
                "the input is larger than --max-document and cannot be kept in memory for --all";
            self.report(Diagnostic::error(text), to);
            return Outcome::Limit;
        }
        let repairs = self.repairs_of(None);
        let read = |visitor: &mut dyn Visitor| _ = self.read_repaired(&repairs, None, visitor);
        match self.write_all(read, repairs.clone(), to) {
            Some(outcome) => outcome,
            None => self.end_one((choice, None), whole, None, to),
        }
    }

    /// Runs the chain on the answer, whose lines are counted separately from those of the source.
    fn chain(&mut self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        self.place = format!("the answer in {}", self.name);
        let outcome = self.read_answer(response, to);
        self.place.clone_from(&self.name);
        outcome
    }

    /// Writes the documents in the answer. An answer without JSON is a mismatch.
    fn read_answer(&self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        let read = |repairs: &Repairs, visitor: &mut dyn Visitor| {
            self.read_repaired(repairs, Some(response), visitor)
        };
        if self.options.prints_all() {
            let repairs = self.repairs_of(Some(response));
            let written = |visitor: &mut dyn Visitor| _ = read(&repairs, visitor);
            if let Some(outcome) = self.write_all(written, repairs.clone(), to) {
                return outcome;
            }
        }
        let mut choice = self.choice();
        let whole = read(&Repairs::default(), &mut choice);
        let outcome = self.end_one((choice, None), whole, Some(response), to);
        // There is an answer, so if it contains no JSON, that is a mismatch.
        if outcome == Outcome::None {
            Outcome::Mismatch
        } else {
            outcome
        }
    }
}
