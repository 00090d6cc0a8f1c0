//! Reports what was found in a source, and why nothing is written of it.

use std::borrow::Cow;

use super::{Extraction, messages};
use crate::command::run::source::Channels;
use jsift_find::choose::choice::{Chosen, Faults};
use jsift_find::document::Fault;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;

/// A document whose members are decoded.
pub(super) struct Decoded<'d> {
    /// Its text; borrowed if no member was to be decoded.
    pub(super) text: Cow<'d, [u8]>,
    /// How the text differs from the one in the input.
    pub(super) warnings: Vec<String>,
}

impl Extraction<'_> {
    /// Decodes the members of a document, and passes `report` what is to be said about that. Returns `None` if the
    /// document cannot be written: a member cannot be decoded, or it would look like several.
    pub(super) fn decoded<'d>(
        &self,
        text: &'d [u8],
        mut lossy: bool,
        report: &mut dyn FnMut(Diagnostic),
    ) -> Option<Decoded<'d>> {
        let mut text = Cow::Borrowed(text);
        for rewrite in &self.wanted.rewrites {
            match rewrite.apply(&text) {
                Ok(rewritten) => {
                    lossy |= rewritten.lossy;
                    text = rewritten.text.into();
                }
                Err(error) => {
                    report(self.wanted.with_hint(Diagnostic::error(error)));
                    return None;
                }
            }
        }
        let mut warnings = Vec::new();
        if lossy {
            let warning = "invalid UTF-8 in its strings was replaced by U+FFFD";
            report(Diagnostic::warning(warning).group("warnings"));
            warnings.push(warning.to_owned());
        }
        if self.writer.is_ambiguous(&text) {
            report(messages::ambiguous());
            return None;
        }
        Some(Decoded { text, warnings })
    }

    /// Reports a message about the source.
    pub(super) fn report(&self, message: Diagnostic, to: &mut Channels<'_>) {
        to.report(message.of(&self.name));
    }

    /// Reports a message about the chosen document.
    pub(super) fn report_of(&self, chosen: &Chosen, message: Diagnostic, to: &mut Channels<'_>) {
        let message = message.of(&self.place).at(chosen.position());
        to.report(message);
    }

    /// Reports the fences at fault and the broken candidates, of which one may be the reason of the outcome.
    pub(super) fn report_faults(
        &self,
        faults: &Faults,
        reason: Option<&Fault>,
        to: &mut Channels<'_>,
    ) {
        for remark in faults.remarks() {
            to.report(messages::remark(remark).of(&self.place));
        }
        for fault in faults.in_order(reason) {
            match reason {
                Some(reason) if reason.position == fault.position => _ = self.fail(reason, to),
                _ => to.report(messages::passed_fault(fault).of(&self.place)),
            }
        }
    }

    pub(super) fn fail(&self, fault: &Fault, to: &mut Channels<'_>) -> Outcome {
        let message = messages::deciding_fault(fault, self.search.repairs).of(&self.place);
        to.report(message);
        fault.outcome()
    }

    /// Reports that there is no JSON, unless `--text` copies the source instead.
    pub(super) fn nothing(&self, to: &mut Channels<'_>) {
        if !self.options.text {
            let head = self.head.bytes();
            self.report(messages::nothing(&self.name, head, self.may_repair()), to);
        }
    }
}
