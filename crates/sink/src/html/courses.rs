//! Collects the courses of a source's sessions while the source is read, in limited memory.
//!
//! Records → events → [`Courses`] → [`Course`]. When the limit is reached, long texts are cut first, then steps in the
//! middle are left out. Each time the size is about halved, so that the total time is linear.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::course::{Course, SHORTEST};
use jsift_agents::dialect::reader::StatedRecord;
use jsift_agents::event::{Event, Progress, Steps};
use jsift_agents::fact::{Fact, Scope};
use jsift_agents::session::Session;

/// How much of one text is kept at first, in bytes.
const LONGEST: usize = 1 << 20;

/// The courses of the sessions of a source.
#[derive(Debug)]
pub struct Courses {
    by_session: HashMap<u64, Course>,
    /// When the current input arrived, since the start of the run, as far as known.
    pub arrival: Duration,
    /// How much of one text is kept now, in bytes; none if the courses hold no text.
    each: usize,
    /// About how many bytes are held.
    held: usize,
    /// How many bytes may be held.
    most: usize,
}

impl Courses {
    /// Returns courses that may hold about `most` bytes; if `structural`, they hold no text.
    #[must_use]
    pub fn new(most: usize, structural: bool) -> Self {
        Self {
            by_session: HashMap::new(),
            arrival: Duration::ZERO,
            each: if structural { 0 } else { LONGEST.min(most) },
            held: 0,
            most,
        }
    }

    /// Adds a record: the events that `progress` makes of it, and the requests that it counts.
    pub fn record(&mut self, progress: &mut Progress, stated: StatedRecord<'_>) {
        progress.record(stated, self);
        let Some(session) = progress.sessions().current().map(|session| session.number) else {
            return;
        };
        let course = self.by_session.entry(session).or_default();
        for fact in stated.statement.facts.iter() {
            if let Fact::Usage(usage) = fact
                && let Scope::Request(id) = &usage.scope
            {
                course.requests.push(id.as_ref(), usage.tokens);
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
            self.held = self.by_session.values().map(Course::weight).sum();
        }
    }

    /// Removes and returns the course of a session.
    pub fn take(&mut self, session: &Session) -> Course {
        self.by_session.remove(&session.number).unwrap_or_default()
    }

    /// Frees memory by cutting texts, or else by leaving out steps.
    fn relieve(&mut self) {
        while self.held > self.most {
            let shorter = self.each > SHORTEST;
            self.each = if shorter { self.each / 2 } else { self.each };
            let before = self.held;
            for course in self.by_session.values_mut() {
                if shorter {
                    course.cut(self.each);
                } else {
                    course.thin(course.steps.len() / 2);
                }
            }
            self.held = self.by_session.values().map(Course::weight).sum();
            if !shorter && self.held >= before - before / 8 {
                // There are many short sessions, and they cannot be cut much further.
                self.most = 2 * self.held;
            }
        }
    }
}

impl Steps for Courses {
    fn event(&mut self, event: &Event<'_>) {
        let course = self.by_session.entry(event.session).or_default();
        self.held += course.event(event, self.arrival, self.each);
        if self.held > self.most {
            self.relieve();
        }
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
