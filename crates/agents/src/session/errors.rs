//! The errors and warnings of a session: which of them ended it, and when a quota is available again.

use super::MESSAGE_KEPT;
use crate::fact::Problem;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// How many errors a session keeps; further ones are likely repetitions.
pub const ERRORS_KEPT: usize = 100;

/// What went wrong in a session.
#[derive(Debug, Default)]
pub(super) struct Errors {
    pub(super) kept: Vec<Problem<'static>>,
    /// The number of errors after which the agent went on.
    earlier: usize,
    /// When the quota that is used up becomes available again, if a record of its own states it.
    quota_resets_at: Option<i64>,
    /// The cause of the retry, if the last record is a retry and its cause has a class.
    pub(super) retry: Option<Box<Problem<'static>>>,
}

impl Errors {
    /// Keeps an error, which may be fatal only if `ends`. If the last error has the same message, the two become one.
    pub(super) fn add(&mut self, problem: &Problem<'_>, ends: bool) {
        let mut problem = kept(problem);
        problem.fatal &= ends;
        if let Some(at) = self.quota_resets_at {
            add_reset(&mut problem, at);
        }
        let last = self.kept.last_mut();
        if let Some(last) = last.filter(|last| last.message == problem.message) {
            last.fatal |= problem.fatal;
            last.code = last.code.take().or(problem.code);
            last.resets_at = problem.resets_at.or(last.resets_at);
            if last.class == Outcome::Failed {
                last.class = problem.class;
            }
        } else if self.kept.len() < ERRORS_KEPT || problem.fatal {
            self.kept.truncate(ERRORS_KEPT);
            self.kept.push(problem);
        }
    }

    /// Notes the cause of a retry.
    pub(super) fn retry(&mut self, problem: &Problem<'_>) {
        let classed = problem.class != Outcome::Failed;
        self.retry = classed.then(|| Box::new(kept(problem)));
    }

    /// Notes when the quota becomes available again.
    pub(super) fn resets(&mut self, at: i64) {
        self.quota_resets_at = Some(at);
        self.kept.iter_mut().for_each(|it| add_reset(it, at));
    }

    /// Notes that the agent goes on after the errors so far.
    pub(super) const fn go_on(&mut self) {
        self.earlier = self.kept.len();
    }

    /// Marks all errors as not fatal, since the agent recovered from them.
    pub(super) fn forgive(&mut self) {
        self.kept.iter_mut().for_each(|error| error.fatal = false);
    }

    /// Makes the last error the one that ended the session, and returns the class of the end.
    pub(super) fn end(&mut self) -> Outcome {
        if self.kept.is_empty() {
            let failed = Problem::fatal(Outcome::Failed, Text::EMPTY);
            self.kept.push(failed);
        }
        let last = self.kept.last_mut().map(|last| {
            last.fatal = true;
            last.class
        });
        // An end that names no class repeats in other words what was stated right before it.
        let stated = self.kept.iter().skip(self.earlier);
        let fatal = stated.rev().filter(|error| error.fatal);
        let mut classes = fatal.map(|error| error.class);
        let named = classes.find(|class| *class != Outcome::Failed);
        named.or(last).unwrap_or(Outcome::Failed)
    }

    /// Returns the last error that is fatal.
    pub(super) fn fatal(&self) -> Option<&Problem<'static>> {
        self.kept.iter().rev().find(|error| error.fatal)
    }

    /// Returns when the quota becomes available again, if a fatal error or the cause of the retry states it.
    pub(super) fn resets_at(&self) -> Option<i64> {
        let fatal = self.kept.iter().filter(|error| error.fatal);
        let causes = fatal.chain(self.retry.as_deref());
        causes.filter_map(|error| error.resets_at).max()
    }

    /// Returns the number of bytes that are held.
    pub(super) fn weight(&self) -> usize {
        self.kept.iter().map(|error| error.message.len()).sum()
    }
}

/// Adds when the quota becomes available again to an error that says that it is used up and not for how long.
fn add_reset(problem: &mut Problem<'_>, at: i64) {
    if problem.class == Outcome::Quota {
        problem.resets_at.get_or_insert(at);
    }
}

/// Returns a copy of an error, its message cut to [`MESSAGE_KEPT`] bytes.
fn kept(problem: &Problem<'_>) -> Problem<'static> {
    let mut kept = problem.clone();
    if kept.message.len() > MESSAGE_KEPT {
        kept.message = beginning(&problem.message);
    }
    kept.into_owned()
}

/// Returns the beginning of a message that is too long to keep, with an ellipsis.
fn beginning(message: &Text<'_>) -> Text<'static> {
    let bytes = message.as_bytes();
    let continues = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (0..=MESSAGE_KEPT).rev().find(|at| !continues(at));
    let mut kept = message.slice(0..end.unwrap_or(0)).into_owned();
    kept.push_str("\u{2026}");
    // A clone has no spare capacity.
    kept.clone()
}
