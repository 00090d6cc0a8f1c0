//! Collects the courses of a source's sessions while the source is read, in limited memory.
//!
//! Records → events → [`Courses`] → [`Course`]. When the limit is reached, long texts are cut first, then steps in the
//! middle are left out.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::course::{Course, Holding, Shrink as _};
use jsift_agents::StatedRecord;
use jsift_agents::event::{Event, Progress, Steps};
use jsift_agents::fact::Fact;
use jsift_agents::session::Session;

/// How much of one text is kept at first, in bytes.
const LONGEST: usize = 1 << 20;

/// The courses of the sessions of a source.
#[derive(Debug)]
pub struct Courses {
    by_session: HashMap<u64, Course>,
    /// When the current input arrived, since the start of the run, as far as known.
    pub arrival: Duration,
    holding: Holding,
}

impl Courses {
    /// Returns courses that may hold about `most` bytes; if `structural`, they hold no text.
    #[must_use]
    pub fn new(most: usize, structural: bool) -> Self {
        Self {
            by_session: HashMap::new(),
            arrival: Duration::ZERO,
            holding: Holding {
                held: 0,
                most,
                each: if structural { 0 } else { LONGEST.min(most) },
            },
        }
    }

    /// Adds a record: the events that `progress` makes of it, and the requests that it counts.
    pub fn record(&mut self, progress: &mut Progress, stated: StatedRecord<'_>) {
        progress.record(stated, self);
        let Some(session) = progress.sessions.current().map(|session| session.number) else {
            return;
        };
        let course = self.by_session.entry(session).or_default();
        for fact in stated.statement.facts.iter() {
            if let Fact::Usage(usage) = fact {
                course.requests.push(usage);
            }
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self, progress: &mut Progress) {
        progress.finish(self);
    }

    /// Drops the courses of sessions that are not in `sessions`, if there are more than `most`.
    pub fn retain(&mut self, most: usize, sessions: &[Session]) {
        if self.by_session.len() > most {
            let kept: HashSet<u64> = sessions.iter().map(|session| session.number).collect();
            self.by_session.retain(|number, _| kept.contains(number));
            self.holding.held = self.by_session.values().map(Course::weight).sum();
        }
    }

    /// Removes and returns the course of a session.
    pub fn take(&mut self, session: &Session) -> Course {
        self.by_session.remove(&session.number).unwrap_or_default()
    }
}

impl Steps for Courses {
    fn event(&mut self, event: &Event<'_>) {
        let course = self.by_session.entry(event.session).or_default();
        self.holding.held += course.event(event, self.arrival, self.holding.each);
        self.holding.relieve(self.by_session.values_mut());
    }

    fn taken_back(&mut self, session: u64, steps: Range<u64>) {
        let course = self.by_session.get_mut(&session);
        course
            .into_iter()
            .for_each(|course| course.take_back(&steps));
    }
}

#[cfg(test)]
mod tests;
