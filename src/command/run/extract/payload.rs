//! `--payload`: finds the JSON in the answer of an agent's envelope or event stream.

use super::{Extraction, messages};
use crate::command::run::source::Channels;
use crate::payload::{NoAnswer, Payload, PayloadSource, PlainSource};
use jsift_outcome::Outcome;

impl<'f> Extraction<'f> {
    /// Ends a source read as an agent's output. `whole` says whether it contains nothing but JSON.
    pub(super) fn end_payload(
        &mut self,
        mut payload: Payload<'f>,
        whole: bool,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let others = payload.others();
        let (source, repairs, limit) = payload.end(self.search, whole, self.text(None));
        for repaired in repairs.documents() {
            for change in &repaired.changes() {
                let message = messages::repaired(change).at(repaired.position);
                self.report(message.group("repairs"), to);
            }
        }
        let answered = match source {
            PayloadSource::Answer(answer) => {
                if self.options.prints_all() && others > 0 {
                    self.report(messages::other_answers(others), to);
                }
                self.chain(&answer, to)
            }
            PayloadSource::Failure(failure) => self.end_without_answer(*failure, to),
            PayloadSource::Text(text) => self.end_text(*text, to),
        };
        limit.map_or(answered, |fault| answered.worse(self.fail(&fault, to)))
    }

    /// Ends a source that has no answer to search.
    fn end_without_answer(&self, failure: NoAnswer, to: &mut Channels<'_>) -> Outcome {
        // A source without JSON is copied by `--text`.
        if failure.outcome != Outcome::None || !self.options.text {
            self.report(failure.message, to);
        }
        let fault = failure.fault.as_ref();
        fault.map_or(failure.outcome, |fault| self.fail(fault, to))
    }

    /// Ends a source that is no agent's output, but itself the text to search.
    fn end_text(
        &self,
        PlainSource { choice, whole, .. }: PlainSource<'f>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        if !self.options.prints_all() || choice.documents() == 0 && !self.search.repairs {
            return self.end_one((choice, None), whole, to);
        }
        if self.is_too_large() {
            return self.refuse_too_large("kept in memory for --all", to);
        }
        match self.write_all(None, to) {
            Some(outcome) => outcome,
            None => self.end_one((choice, None), whole, to),
        }
    }

    /// Runs the chain on the answer, whose lines are counted separately from those of the source.
    fn chain(&mut self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        self.place = format!("the answer in {}", self.name);
        let outcome = self.read_answer(response, to);
        self.place.clone_from(&self.name);
        outcome
    }

    /// Writes the documents in the answer.
    fn read_answer(&self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        if self.options.prints_all()
            && let Some(outcome) = self.write_all(Some(response), to)
        {
            return outcome;
        }
        let found = self.search.choose(self.text(Some(response)));
        self.end_found(&found, None, to)
    }
}
