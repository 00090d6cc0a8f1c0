//! Where the turns of a session begin, and the parts of them that calls separate.

use super::{Session, keep};
use crate::fact::Start;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// The current turn of a session.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The turn's number, counted from 1; 0 before the first one.
    pub(super) number: u64,
    /// Whether the agent has done anything in this turn.
    pub(super) active: bool,
    /// Whether nothing was pending when the agent last said something.
    pub(super) rested: bool,
    /// The outcome that the last terminal record of this turn states.
    pub(super) ended: Option<Outcome>,
}

impl Session {
    pub(super) fn start(&mut self, start: &Start<'_>) {
        self.started = true;
        self.begin_turn();
        keep(&mut self.agent_version, start.agent_version.as_ref());
        keep(&mut self.folder, start.folder.as_ref());
        self.model_stated |= keep(&mut self.model, start.model.as_ref());
    }

    /// Begins a new turn, unless nothing has happened in this one.
    pub(super) fn begin_turn(&mut self) {
        let Turn { number, active, .. } = self.turn;
        let is_new = active || self.turn.ended.is_some() || number == 0;
        if is_new {
            self.texts.begin_turn();
        }
        self.turn = Turn {
            number: number + u64::from(is_new),
            ..Turn::default()
        };
    }

    pub(super) fn activity(&mut self) {
        self.errors.go_on();
        self.turn.active = true;
        self.turn.rested = false;
        self.turn.number = self.turn.number.max(1);
    }

    /// Notes that a call was made. If the main thread makes it after the end of a turn, it begins another one.
    pub(super) fn called(&mut self, step: u64, parent: Option<&Text<'_>>) {
        if self.turn.ended.is_some() && parent.is_none() {
            self.begin_turn();
        }
        self.texts.speech.call(step);
        self.activity();
        match parent {
            Some(_) => self.texts.speech.close(parent),
            None => self.texts.begin_response(),
        }
    }
}
