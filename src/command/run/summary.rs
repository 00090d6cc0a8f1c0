//! `jsift summary`: folds the sessions of each source and reports them.
//!
//! Finder → stream → [`Sessions`] → sinks. A session is reported at the end of its source, or earlier if it has ended
//! and many others have begun since.

mod limits;
mod reports;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::command::cli::Summary;
use crate::command::run::environment::Environment;
use crate::command::run::followed::Followed;
use crate::command::run::jobs;
use crate::command::run::notes::Notes;
use crate::command::run::source::{
    Arrived, Channels, Consumer, SourceConsumer, SourceEnd, Sources, locked,
};
use jsift_agents::event::Progress;
use jsift_agents::hashes::Seen;
#[cfg(feature = "html")]
use jsift_agents::session::REPORTED;
use jsift_agents::session::{OTHERS, Session, Sessions};
use jsift_agents::stream::{Follower, StatedRecord};
use jsift_find::document::Fault;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;
#[cfg(feature = "html")]
use jsift_sink::html::Courses;
use limits::judge;
use reports::Reports;

/// Runs `summary` over its sources.
///
/// # Errors
///
/// Fails if a file of `--report` cannot be opened or written.
pub(crate) fn run(
    options: &Summary,
    environment: &Environment,
    to: &mut Channels<'_>,
) -> anyhow::Result<Outcome> {
    let mut sources = Sources::new(&options.common.files, environment, Some("record"));
    sources.jobs = jobs(&options.common, environment);
    let summing = Summing {
        options,
        environment,
        reported: Mutex::new(Reported {
            reports: Reports::open(options, environment)?,
            requests: Seen::default(),
        }),
    };
    let outcome = sources.read(&summing, to);
    let reported = summing.reported.into_inner();
    let Reported { mut reports, .. } = reported.unwrap_or_else(PoisonError::into_inner);
    reports.finish(&mut to.output);
    reports.commit(outcome, environment, &mut to.diagnostics)?;
    Ok(outcome)
}

/// Returns whether the report of a run with this outcome is complete, so that it replaces a file.
pub(super) const fn is_complete(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Usage | Outcome::Limit)
}

/// Summarises the sources.
struct Summing<'a> {
    options: &'a Summary,
    environment: &'a Environment,
    reported: Mutex<Reported<'a>>,
}

/// What is reported so far; used by the source whose turn it is.
struct Reported<'a> {
    reports: Reports<'a>,
    /// Requests that were counted; sessions that are continued in another file repeat them.
    requests: Seen,
}

/// Summarises one source.
struct SummedSource<'s, 'a> {
    summing: &'s Summing<'a>,
    /// Whether the source is read before its turn.
    ahead: bool,
    /// The sessions that are complete, but were read before the source's turn.
    complete: Vec<Session>,
    /// Whether the last read had to wait, so that its bytes were written just now.
    waited: bool,
    followed: Followed<Fold>,
}

/// Folds the records of one source.
struct Fold {
    progress: Progress,
    /// The course of each session, if it is reported.
    #[cfg(feature = "html")]
    courses: Option<Courses>,
    /// When the current input arrived, since the start of the run, as far as known.
    arrival: Duration,
    keep_records: bool,
    records: u64,
    faults: Vec<Fault>,
}

/// A source that has ended.
struct SummedEnd<'s, 'a> {
    summing: &'s Summing<'a>,
    ahead: bool,
    complete: Vec<Session>,
    fold: Fold,
    notes: Notes,
}

impl Consumer for Summing<'_> {
    fn begin<'s>(&'s self, name: &str, ahead: bool) -> Box<dyn SourceConsumer<'s> + 's> {
        let options = self.options;
        let mut reported = locked(&self.reported);
        let mut fold = Fold {
            progress: Progress::with(reported.reports.sessions()),
            #[cfg(feature = "html")]
            courses: reported.reports.courses(),
            arrival: Duration::ZERO,
            keep_records: options.events,
            records: 0,
            faults: Vec::new(),
        };
        fold.sessions().requests = match ahead {
            true => Seen::default(),
            false => std::mem::take(&mut reported.requests),
        };
        let notes = Notes::new(name, &options.stream, options.structural);
        let followed = Followed::new(notes, &options.common, self.environment, fold);
        Box::new(SummedSource {
            summing: self,
            ahead,
            complete: Vec::new(),
            waited: false,
            followed,
        })
    }
}

impl<'s> SourceConsumer<'s> for SummedSource<'s, '_> {
    fn before_blocking_read(&mut self, _: &mut Channels<'_>) {
        self.waited = true;
    }

    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()> {
        // Input that was already there arrived at an unknown time.
        if std::mem::take(&mut self.waited) {
            self.followed.stream.follower().arrival = (self.summing.environment.clock)();
        }
        self.followed.read(bytes);
        self.followed.report_faults(to);
        let Followed { stream, notes, .. } = &mut self.followed;
        let fold = stream.follower();
        self.complete.append(&mut fold.sessions().take_complete());
        if !self.ahead {
            let complete = std::mem::take(&mut self.complete);
            self.summing.report(complete, fold, notes, to);
        }
        ControlFlow::Continue(())
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        self.followed.space(size)
    }

    fn holds_much(&self) -> bool {
        self.complete.len() > OTHERS
    }

    fn take_turn(&mut self) -> bool {
        let sessions = self.followed.stream.follower().sessions();
        let is_right = self.summing.takes_over(sessions);
        self.ahead = false;
        is_right
    }

    fn end(mut self: Box<Self>, _: bool, to: &mut Channels<'_>) -> Box<dyn SourceEnd + 's> {
        self.followed.end(to);
        self.followed.report_faults(to);
        let Followed { stream, notes, .. } = self.followed;
        let mut fold = stream.finish();
        fold.finish();
        let mut complete = self.complete;
        complete.append(&mut fold.sessions().take_complete());
        Box::new(SummedEnd {
            summing: self.summing,
            ahead: self.ahead,
            complete,
            fold,
            notes,
        })
    }

    fn count(&mut self) -> u64 {
        self.followed.stream.follower().records
    }

    fn is_live(&self) -> bool {
        false
    }
}

impl SourceEnd for SummedEnd<'_, '_> {
    fn is_right(&mut self) -> bool {
        !self.ahead || self.summing.takes_over(self.fold.sessions())
    }

    fn write(self: Box<Self>, to: &mut Channels<'_>) -> Outcome {
        let Self {
            summing,
            mut fold,
            mut notes,
            complete,
            ..
        } = *self;
        locked(&summing.reported).requests = std::mem::take(&mut fold.sessions().requests);
        notes.no_session(fold.sessions(), to);
        notes.left_out(fold.sessions(), to);
        let last = fold.sessions().take_all();
        for sessions in [complete, last] {
            summing.report(sessions, &mut fold, &notes, to);
        }
        let source = summing.source_name(&notes);
        let reports = &mut locked(&summing.reported).reports;
        reports.source(source, fold.sessions(), &mut to.output);
        notes.continued(fold.sessions(), to);
        notes.outcome(fold.sessions().outcome())
    }
}

impl Summing<'_> {
    /// Makes the requests of the sources before this one known to the sessions of a source that was read ahead. Returns
    /// `false` if some of them were counted again.
    fn takes_over(&self, sessions: &mut Sessions) -> bool {
        let mut reported = locked(&self.reported);
        let is_right = reported.requests.join(&sessions.requests);
        if is_right {
            sessions.requests = std::mem::take(&mut reported.requests);
        }
        is_right
    }

    /// Returns the name of a source, if there are several.
    fn source_name<'n>(&self, notes: &'n Notes) -> Option<&'n str> {
        (self.options.common.files.len() > 1).then_some(&*notes.source)
    }

    /// Judges and reports sessions of a source.
    fn report(
        &self,
        sessions: Vec<Session>,
        fold: &mut Fold,
        notes: &Notes,
        to: &mut Channels<'_>,
    ) {
        if sessions.is_empty() {
            return;
        }
        let source = self.source_name(notes);
        let mut reported = locked(&self.reported);
        for mut session in sessions {
            notes.explain(fold.sessions(), &session, to);
            let (mut outcome, exceeded) = judge(&session, &self.options.fail_on);
            for limit in &exceeded {
                let message = Diagnostic::error(format!("limit exceeded: {}", limit.text));
                let message = message.group("exceeded limits");
                to.report(message.of(notes.source.as_str()));
            }
            if session.noise.broken > 0 && self.options.stream.strict {
                outcome = outcome.worse(Outcome::Malformed);
            }
            session.limit(outcome, exceeded);
            fold.sessions().count_outcome(session.outcome());
            (reported.reports).session(&session, source, fold, &mut to.output);
        }
    }
}

impl Followed<Fold> {
    fn report_faults(&mut self, to: &mut Channels<'_>) {
        for fault in std::mem::take(&mut self.stream.follower().faults) {
            self.notes.fault(&fault, to);
        }
    }
}

impl Follower for Fold {
    fn record(&mut self, stated: StatedRecord<'_>) {
        self.take(stated);
        let record = stated.document;
        if record.raw().is_empty() {
            return;
        }
        self.records += 1;
        if self.keep_records {
            self.sessions().keep_record(record);
        }
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }

    fn broken(&mut self, fault: &Fault) {
        self.faults.push(fault.clone());
    }
}

impl Fold {
    fn take(&mut self, stated: StatedRecord<'_>) {
        let progress = &mut self.progress;
        #[cfg(feature = "html")]
        if let Some(courses) = &mut self.courses {
            courses.arrival = self.arrival;
            courses.record(progress, stated);
            return courses.retain(REPORTED, progress.sessions.all());
        }
        progress.sessions.record(stated.agent, stated.statement);
    }

    /// Ends the courses at the end of the source.
    fn finish(&mut self) {
        #[cfg(feature = "html")]
        if let Some(courses) = &mut self.courses {
            courses.finish(&mut self.progress);
        }
    }
}
