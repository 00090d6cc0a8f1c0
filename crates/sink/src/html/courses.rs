//! Collects the courses of a source's sessions while the source is read, in limited memory.
//!
//! Records → events → [`Courses`] → [`Course`]. When the limit is reached, long texts are cut first, then steps in the
//! middle are left out. Each time the size is about halved, so that the total time is linear.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::course::{Course, SHORTEST};
use jsift_agents::dialect::reader::StatedRecord;
use jsift_agents::event::{Event, Progress};
use jsift_agents::fact::{Fact, Form, Scope, Statement};
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

    /// Adds a record: the facts that it states, and the events that `progress` makes of it.
    pub fn record(&mut self, progress: &mut Progress, stated: StatedRecord<'_>) {
        let statement = stated.statement;
        let mut events = false;
        progress.record(stated, &mut |event| {
            if !std::mem::replace(&mut events, true) {
                self.before_events(event.session, statement);
            }
            self.event(event);
        });
        if let Some(session) = progress.sessions().current().map(Session::number) {
            if !events {
                self.before_events(session, statement);
            }
            self.after_events(session, statement);
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self, progress: &mut Progress) {
        progress.finish(&mut |event| self.event(event));
    }

    /// Applies the facts of a record for which there are no events.
    fn before_events(&mut self, session: u64, statement: &Statement<'_>) {
        let course = self.by_session.entry(session).or_default();
        let thread = course.thread(statement.parent.as_ref());
        for fact in statement.facts.iter() {
            match fact {
                Fact::Message(message) | Fact::Reasoning(message) => course.part(thread, message),
                Fact::TakeBack => course.withdraw(thread),
                Fact::BreakOff => course.break_off(thread),
                Fact::Usage(usage) => {
                    if let Scope::Request(id) = &usage.scope {
                        course.requests.push(id.as_ref(), usage.tokens);
                    }
                }
                _ => {}
            }
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        let course = self.by_session.entry(event.session).or_default();
        self.held += course.event(event, self.arrival, self.each);
        if self.held > self.most {
            self.relieve();
        }
    }

    /// Closes the thread's text after a whole message, since the next record cannot continue it.
    fn after_events(&mut self, session: u64, statement: &Statement<'_>) {
        let is_whole = |fact: &Fact<'_>| match fact {
            Fact::Message(message) | Fact::Reasoning(message) => message.form != Form::Delta,
            _ => false,
        };
        if statement.facts.iter().any(is_whole)
            && let Some(course) = self.by_session.get_mut(&session)
        {
            let thread = course.thread(statement.parent.as_ref());
            course.close(thread);
        }
    }

    /// Drops the courses of sessions that are not in `sessions`, if there are more than `most`.
    pub fn retain(&mut self, most: usize, sessions: &[Session]) {
        if self.by_session.len() > most {
            let kept: HashSet<u64> = sessions.iter().map(Session::number).collect();
            self.by_session.retain(|number, _| kept.contains(number));
            self.held = self.by_session.values().map(Course::weight).sum();
        }
    }

    /// Removes and returns the course of a session.
    pub fn take(&mut self, session: &Session) -> Course {
        self.by_session
            .remove(&session.number())
            .unwrap_or_default()
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

#[cfg(test)]
mod tests;
