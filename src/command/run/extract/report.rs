//! Reports what was found in a source, and why nothing is written of it.

use super::{Extraction, messages};
use crate::command::run::source::Channels;
use jsift_find::choose::choice::{Chosen, Faults};
use jsift_find::choose::filter::Mismatch;
use jsift_find::document::Fault;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;

impl Extraction<'_> {
    /// Reports a message about the source.
    pub(super) fn report(&self, message: Diagnostic, to: &mut Channels<'_>) {
        to.report(message.of(&self.name));
    }

    /// Reports a message about the chosen document.
    pub(super) fn report_of(&self, chosen: &Chosen, message: Diagnostic, to: &mut Channels<'_>) {
        let message = message.of(&self.place).at(chosen.origin.position);
        to.report(message);
    }

    /// Reports the fence at fault and the broken candidates, except the one that is the reason of the outcome.
    pub(super) fn note_faults(
        &self,
        faults: &Faults,
        reason: Option<&Fault>,
        to: &mut Channels<'_>,
    ) {
        for remark in faults.remarks() {
            self.report(messages::remark(remark), to);
        }
        let candidates = faults.broken().iter().chain(faults.refused());
        for fault in faults.fence.iter().chain(candidates) {
            if reason.is_none_or(|reason| reason.position != fault.position) {
                let message = messages::passed_fault(fault).of(&self.place);
                to.report(message);
            }
        }
    }

    pub(super) fn fail(&self, fault: &Fault, to: &mut Channels<'_>) -> Outcome {
        let message = messages::deciding_fault(fault, self.search.repairs).of(&self.place);
        to.report(message);
        fault.outcome()
    }

    /// Reports that there is no JSON.
    pub(super) fn nothing(&self, response: Option<&[u8]>, to: &mut Channels<'_>) {
        let head = &self.head;
        let message = match response {
            Some(response) => messages::no_payload(response, self.may_repair()),
            None => messages::nothing(&self.name, head, self.may_repair()),
        };
        if response.is_some() || !self.options.text {
            self.report(message, to);
        }
    }

    /// Reports that no document passes the filters.
    pub(super) fn mismatch(&self, best: &Mismatch, to: &mut Channels<'_>) {
        let text = format!("no document passes the filters: {best}");
        self.report(self.wanted.with_hint(Diagnostic::error(text)), to);
    }
}
