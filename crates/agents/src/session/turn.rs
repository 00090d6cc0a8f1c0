//! Where the turns of a session begin, and the parts of them that calls separate.

use super::transcript::Transcript;
use super::{Session, keep};
use crate::fact::Start;
use jsift_json::text::Text;

impl Session {
    pub(super) fn start(&mut self, start: &Start<'_>) {
        self.started = true;
        self.turn();
        keep(&mut self.agent_version, start.agent_version.as_ref());
        keep(&mut self.folder, start.folder.as_ref());
        self.model_stated |= keep(&mut self.model, start.model.as_ref());
    }

    /// Begins a new turn, unless nothing has happened in this one.
    pub(super) fn turn(&mut self) {
        if self.active || self.ended.is_some() || self.turns == 0 {
            self.turns += 1;
            self.speech.turn();
            self.transcript.iter_mut().for_each(Transcript::turn);
        }
        self.active = false;
        self.rested = false;
        self.ended = None;
    }

    pub(super) fn activity(&mut self) {
        self.active = true;
        self.earlier_errors = self.errors.len();
        self.rested = false;
        self.turns = self.turns.max(1);
    }

    /// Notes that a call was made. If the main thread makes it after the end of a turn, it begins another one.
    pub(super) fn called(&mut self, step: u64, parent: Option<&Text<'_>>) {
        if self.ended.is_some() && parent.is_none() {
            self.turn();
        }
        self.speech.call(step);
        self.activity();
        match parent {
            Some(_) => self.speech.close(parent),
            None => self.part(),
        }
    }

    pub(super) fn part(&mut self) {
        self.speech.part();
        self.transcript.iter_mut().for_each(Transcript::part);
    }
}
