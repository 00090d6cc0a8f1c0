//! What the noise between the records, and records that broke, say about the sessions.

use super::Sessions;
use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::session::{NoiseCount, Session};
use jsift_outcome::Outcome;

impl Sessions {
    /// Returns the noise of the current session, or the noise before the first one.
    pub fn noise(&mut self) -> &mut NoiseCount {
        let place = self.selected_place();
        match place.and_then(|place| self.list.get_mut(place)) {
            Some(session) => &mut session.noise,
            None => &mut self.before,
        }
    }

    /// Notes a known message in the noise.
    pub fn note_known_message(&mut self, known: Known) {
        let says = Some(known).filter(Known::says_why);
        match self.selected_mut() {
            Some(session) => session.after.known = says.or(session.after.known),
            None => {
                self.known = says.or(self.known);
                self.known_agent = known.agent.or(self.known_agent);
            }
        }
    }

    /// Notes that the noise mentions an error of this class.
    pub fn note_class(&mut self, class: Outcome) {
        if let Some(session) = self.selected_mut() {
            session.after.reported = Some(class);
        }
    }

    /// Notes that the end of input cut off a candidate for a record.
    pub fn note_cut(&mut self) {
        self.lose(Outcome::Truncated);
    }

    /// Notes that a record or an envelope of an agent is broken.
    pub fn note_broken(&mut self) {
        self.lose(Outcome::Malformed);
    }

    fn lose(&mut self, outcome: Outcome) {
        match self.selected_mut() {
            Some(session) => session.after.lost = true,
            None => self.lost = Some(outcome),
        }
    }

    /// Settles all sessions at the end of the source. `alone` says whether the source contains no other documents than
    /// its records. A known message outside all sessions means nothing next to other documents; but it says more than
    /// an API that failed without a reason.
    pub(crate) fn settle_known(&mut self, alone: bool) {
        self.list.iter_mut().for_each(Session::settle);
        self.known = self.known.filter(|_| alone);
        let Some(known) = self.known else {
            return;
        };
        for session in &mut self.list {
            if session.agent.is_none() && session.turn.ended == Some(Outcome::Failed) {
                session.turn.ended = Some(known.class);
            }
        }
    }

    /// Returns the agent that the known message outside all sessions names, if any.
    #[must_use]
    pub fn known_agent(&self) -> Option<Agent> {
        self.known_agent.filter(|_| self.known.is_some())
    }
}
