//! `--repair`: reads a source again, with the documents made of the broken ones in it.

use super::Extraction;
use super::messages;
use crate::command::run::mode;
use crate::command::run::source::Channels;
use crate::payload::PayloadSource;
use jsift_find::choose::choice::{Choice, Chosen};
use jsift_find::choose::repairing::{Repairing, may_be_replaced, replaces};
use jsift_find::document::Visitor;
use jsift_find::finder::repair::Repairs;

impl<'f> Extraction<'f> {
    fn repairing<'a>(&'a self, response: Option<&'a [u8]>) -> Repairing<'a> {
        Repairing {
            source: &self.held,
            response,
            mode: mode(&self.options.common),
            find: &self.find,
        }
    }

    /// Returns the repairs of the source, or of the answer in it; none if stage `repair` is not used.
    pub(super) fn repairs_of(&self, response: Option<&[u8]>) -> Repairs {
        match self.repairs() {
            true => self.repairing(response).repairs(),
            false => Repairs::default(),
        }
    }

    /// Reads the source, or the answer in it, with repairs. Returns whether it contains nothing but JSON.
    pub(super) fn read_repaired(
        &self,
        repairs: &Repairs,
        response: Option<&[u8]>,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let mut whole = false;
        self.read_with_scalars(visitor, |visitor| {
            whole = self.repairing(response).read(repairs, visitor);
        });
        whole
    }

    /// Returns the choice with repairs if it replaces the one without, and the repairs. `response` is the answer that
    /// was read in the place of the source.
    pub(super) fn choice_with_repairs(
        &self,
        choice: Choice<'f>,
        whole: bool,
        response: Option<&[u8]>,
    ) -> (Choice<'f>, bool, Repairs) {
        let repairs = match may_be_replaced(&choice, whole) {
            true => self.repairs_of(response),
            false => Repairs::default(),
        };
        if repairs.documents().is_empty() {
            return (choice, whole, repairs);
        }
        let mut again = self.choice();
        let again_whole = self.read_repaired(&repairs, response, &mut again);
        match replaces(&choice, &again, &repairs) {
            true => (again, again_whole, repairs),
            false => (choice, whole, Repairs::default()),
        }
    }

    /// Returns what a source is with its repairs, and reports these if they make a difference.
    pub(super) fn payload_with_repairs(
        &self,
        source: PayloadSource<'f>,
        to: &mut Channels<'_>,
    ) -> PayloadSource<'f> {
        let (source, repairs) = source.with_repairs(
            || self.repairs_of(None),
            self.payload(None),
            |repairs, visitor| self.read_repaired(repairs, None, visitor),
            self.chooses(),
        );
        for repaired in repairs.documents() {
            for change in &repaired.changes() {
                let message = messages::repaired(change).at(repaired.position);
                self.report(message.group("repairs"), to);
            }
        }
        source
    }

    /// Reports what was changed in a document.
    pub(super) fn report_changes(
        &self,
        chosen: &Chosen,
        changes: &[String],
        to: &mut Channels<'_>,
    ) {
        for change in changes {
            self.report_of(chosen, messages::repaired(change), to);
        }
    }
}
