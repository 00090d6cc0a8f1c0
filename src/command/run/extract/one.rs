//! The end of a source of which one document is written: the chosen one, or the best of what was repaired.

use super::messages;
use super::report::Decoded;
use super::writer::ReadyDocument;
use super::{Extraction, NOT_REPAIRED};
use crate::command::run::source::Channels;
use crate::failure::failure_of;
use crate::payload::holds_json;
use crate::search::Conclusion;
use jsift_agents::envelope;
use jsift_find::choose::choice::{Choice, Chosen, Faults, Standing};
use jsift_find::choose::verdict::Ending;
use jsift_find::document::{Fault, Rank};
use jsift_find::reading::Reading;
use jsift_json::view::Value;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;

impl<'f> Extraction<'f> {
    /// Ends a source of which one document is written. `early` is how writing it ended, if that was done already;
    /// `whole` says whether the source contains nothing but JSON.
    pub(super) fn end_one(
        &self,
        (choice, early): (Choice<'f>, Option<Outcome>),
        whole: bool,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let found = self.search.conclude(choice, whole, self.text(None));
        self.end_found(&found, early, to)
    }

    /// Ends a source, or the answer in it, of which one document is written.
    pub(super) fn end_found(
        &self,
        found: &Conclusion<'f>,
        early: Option<Outcome>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let choice = &found.choice;
        match (found.ending(), &found.chosen) {
            (Ending::Documents(reason), Some((chosen, passed))) => {
                let written = early.unwrap_or_else(|| {
                    let changes = found.repairs.changes_of(&chosen.document.origin);
                    for change in &changes {
                        self.report_of(chosen, messages::repaired(change), to);
                    }
                    self.put(chosen, &changes, to)
                });
                self.end_chosen(chosen, *passed, choice, reason, to)
                    .worse(written)
            }
            (ending, _) => self.end_without(ending, choice.faults(), to),
        }
    }

    /// Reports on the chosen document, which has been written. `passed` is the number of documents that were passed
    /// over.
    fn end_chosen(
        &self,
        chosen: &Chosen,
        passed: u64,
        choice: &Choice<'f>,
        reason: Option<&Fault>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        self.explain(chosen, passed, to);
        if let Some(mismatch) = choice.mismatch() {
            let text = format!("passed over what does not pass the filters: {mismatch}");
            self.report(Diagnostic::verbose(text), to);
        }
        let agent = match failure_of(chosen) {
            Some((outcome, message)) => {
                self.report(message, to);
                outcome
            }
            None => Outcome::Success,
        };
        self.report_faults(choice.faults(), reason, to);
        reason.map_or(Outcome::Success, Fault::outcome).worse(agent)
    }

    /// Ends a source that has no document to write unchanged, or whose documents have all been written.
    pub(super) fn end_without(
        &self,
        ending: Ending<'_>,
        faults: &Faults,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let outcome = ending.outcome();
        let reason = match ending {
            Ending::Documents(reason) => reason,
            Ending::Fault(fault) => Some(fault),
            _ => None,
        };
        self.report_faults(faults, reason, to);
        let message = || Diagnostic::error(ending.to_string());
        match &ending {
            Ending::Documents(_) => return outcome,
            Ending::Fault(_) => {}
            Ending::Several(several) => to.report(messages::several(several).of(&self.place)),
            Ending::Absent(_) => to.report(message().of(&self.place)),
            Ending::Mismatch(_) => self.report(self.wanted.with_hint(message()), to),
            Ending::Nothing => self.nothing(to),
            Ending::NoPayload(answer) => {
                self.report(messages::no_payload(answer, self.may_repair()), to);
            }
        }
        if self.search.repairs && self.beyond_limit {
            self.report(Diagnostic::error(NOT_REPAIRED), to);
            return outcome.worse(Outcome::Limit);
        }
        outcome
    }

    /// Writes the chosen document as soon as it is decided. Returns how that ended.
    pub(super) fn put_decided(
        &self,
        choice: &mut Choice<'f>,
        reading: &Reading,
        to: &mut Channels<'_>,
    ) -> Option<Outcome> {
        if self.search.repairs {
            // A repair may replace a document that is a part of it.
            return None;
        }
        let chosen = choice.decided(reading)?;
        Some(self.put(chosen, &[], to))
    }

    /// Writes the chosen document.
    fn put(&self, chosen: &Chosen, changes: &[String], to: &mut Channels<'_>) -> Outcome {
        let report = &mut |message| self.report_of(chosen, message, to);
        let decoded = self.decoded(&chosen.document.text, chosen.document.lossy, report);
        let Some(Decoded { text, mut warnings }) = decoded else {
            return Outcome::Mismatch;
        };
        warnings.extend_from_slice(changes);
        let ready = ReadyDocument {
            text: &text,
            source: &self.name,
            origin: Some(&chosen.document.origin),
            stage: chosen.document.origin.stage,
            compact: false,
            warnings: &warnings,
        };
        // The output remembers write errors.
        let _ = self.writer.write(&mut to.output, ready);
        Outcome::Success
    }

    /// Reports what the chosen document is, and which other document may have been meant.
    fn explain(&self, chosen: &Chosen, passed: u64, to: &mut Channels<'_>) {
        let what = match chosen.standing {
            Standing::Envelope => "an agent's envelope",
            Standing::Body => "an API's response body",
            Standing::Other => "the document",
        };
        let stage = chosen.document.origin.stage;
        self.report_of(chosen, messages::taken(what, stage), to);
        if chosen.document.rank == Rank::Weak {
            let head = self.head.bytes();
            let message = messages::weak(&chosen.document.text, head, self.may_repair());
            self.report_of(chosen, message, to);
        }
        let payload = self.meant_payload(chosen);
        if passed > 0 && self.options.pick.is_none() {
            let in_stream = payload == Some(PayloadPlace::Alongside);
            self.report_of(chosen, messages::passed_over(passed, in_stream), to);
        }
        if payload == Some(PayloadPlace::Inside) {
            self.report_of(chosen, messages::payload_inside(), to);
        }
    }

    /// Returns where the intended document may be, if a document was chosen by default that is probably not the
    /// intended one.
    fn meant_payload(&self, chosen: &Chosen) -> Option<PayloadPlace> {
        let explicit = self.options.payload || self.options.pick.is_some();
        if explicit || !self.wanted.is_everything() {
            return None;
        }
        if chosen.standing == Standing::Other {
            return envelope::is_record(&chosen.document.text).then_some(PayloadPlace::Alongside);
        }
        let answer = envelope::answer(Value::new(&chosen.document.text))?;
        match answer.response.with_escapes() {
            _ if answer.outcome != Outcome::Success => None,
            // This is the terminal record of a stream whose other records contain the answer.
            text if text.is_empty() => Some(PayloadPlace::Alongside),
            text => holds_json(&text).then_some(PayloadPlace::Inside),
        }
    }
}

/// Where the answer is that `--payload` would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PayloadPlace {
    /// In the envelope that was chosen.
    Inside,
    /// In other records of the stream.
    Alongside,
}
