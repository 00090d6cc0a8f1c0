//! Folds facts into sessions: what a run came to.
//!
//! The rules are the same for all agents: text is not counted twice (`Transcript`), tools are paired with their results
//! and files are taken only from successful ones ([`Tools`]), usage comes from the widest scope (`Tally`), the outcome
//! from the last terminal record. Nothing here knows a dialect or an output form.

pub mod named;
mod noise_count;
pub mod recent;
mod report;
pub mod sessions;
mod speech;
mod tools;
mod transcript;
mod turn;
mod usage;

pub use crate::fact::Counts;
pub use named::Named;
pub use noise_count::{NoiseCount, SAMPLES_KEPT};
pub use report::Exceeded;
pub use sessions::{FOLLOWED, Kept, OTHERS, REPORTED, Sessions};
pub(crate) use speech::hash_of;
pub use speech::{Novelty, Said, is_own_id};
pub use tools::{File, Settled, Tools};
pub use usage::{OpenRequests, Request};

use std::ops::Range;

use recent::Recent;
use speech::{Speech, TextKind, Track};
use transcript::Transcript;
use usage::Tally;

use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Call, End, EndScope, Fact, Message, Problem, Statement, ToolResult, User};
use crate::hashes::TextHash;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// How many errors a session keeps; further ones are likely repetitions.
pub const ERRORS_KEPT: usize = 100;
/// How much of an error's message is kept, in bytes.
pub const MESSAGE_KEPT: usize = 4096;
/// The longest name of a model or version that is kept, in bytes.
pub const LONGEST_NAME: usize = 1024;

/// What a fact comes to in its session.
#[derive(Debug)]
pub enum Step {
    /// A text that was not said before.
    Text(Said),
    /// A call that was not stated before, with its number.
    Call(u64),
    /// A tool's result, or a call that turns out to have been denied, with what is known of the call.
    Settled(Settled),
    /// The messages of these numbers are taken back; those of other threads are not.
    TakenBack(Range<u64>),
    /// Something that was stated before and adds nothing, or a piece of text that is empty.
    Nothing,
    /// Anything else.
    Other,
}

/// The records of one session.
#[derive(Debug, Default)]
pub struct Session {
    /// The agent that writes the session, if it is a known one.
    pub agent: Option<Agent>,
    /// The session's number in its stream, counted from 1.
    pub number: u64,
    /// The session's id.
    pub id: Option<Text<'static>>,
    /// The index of the session's writer, if several write in the stream.
    writer: usize,
    /// The prefix of the lines of its writer, without its variable parts, if several writers are distinguished by their
    /// prefixes.
    pub prefix: Option<Text<'static>>,
    /// The agent's version.
    pub agent_version: Option<Text<'static>>,
    /// The folder that the agent works in, as a start states it.
    pub folder: Option<Text<'static>>,
    /// The model.
    pub model: Option<Text<'static>>,
    /// Whether a start stated the model; a start has its full name.
    model_stated: bool,
    /// What was said and thought so far, to tell what is new.
    speech: Speech,
    /// The assistant's text, if it is to be kept.
    transcript: Option<Transcript>,
    /// Whether the main thread has said anything so far.
    pub(crate) said: bool,
    end_text: Option<Text<'static>>,
    /// The JSON that the agent gave for a schema in its last turn, next to the final answer.
    pub structured: Option<Text<'static>>,
    turns: u64,
    /// Whether a start was stated; a start is the best evidence of the agent.
    started: bool,
    /// Whether the agent has done anything in this turn.
    active: bool,
    usage: Tally,
    tools: Tools,
    /// Tasks that work in the background.
    tasks: Recent<()>,
    /// The errors and warnings.
    pub errors: Vec<Problem<'static>>,
    /// The number of errors after which the agent went on.
    earlier_errors: usize,
    /// When the quota that is used up becomes available again, if a record of its own states it.
    quota_resets_at: Option<i64>,
    /// The duration of the session in milliseconds.
    pub duration_ms: Option<u64>,
    /// The outcome that the last terminal record of this turn states.
    ended: Option<Outcome>,
    /// Whether nothing was pending when the agent last said something.
    rested: bool,
    /// The cause of the retry, if the last record is a retry and its cause has a class.
    retry: Option<Box<Problem<'static>>>,
    /// The outcome of a success that exceeded limits, and the reasons.
    limited: Option<Box<(Outcome, Vec<Exceeded>)>>,
    /// A known message in the noise after the last record.
    known: Option<Known>,
    /// The class of an error that the noise after the last record mentions.
    reported: Option<Outcome>,
    /// Whether a record after the last one broke or was cut off, so that the agent was not at rest.
    lost: bool,
    /// Whether the request of the last record was counted before.
    repeats: bool,
    /// Whether the session has any record that is not just a terminal one.
    streamed: bool,
    /// Whether the record that states the session's id is the one that ends it.
    named_last: bool,
    /// The noise between the records.
    pub noise: NoiseCount,
    /// The number of records whose type the dialect does not know.
    pub unknown_records: u64,
    /// The records as they were read, if they are to be [kept](Sessions::keep_record).
    pub records: Vec<Vec<u8>>,
    /// The number of the session's last record, counted over the whole stream.
    last_record: u64,
    /// How many sessions of the stream had begun at the last record.
    last_begun: usize,
}

impl Session {
    fn new(agent: Option<Agent>, number: u64, transcript: Option<Transcript>) -> Self {
        Self {
            agent,
            number,
            transcript,
            ..Self::default()
        }
    }

    /// Returns about how many bytes the session holds, without its text and its records.
    fn weight(&self) -> usize {
        let errors = self.errors.iter().map(|error| error.message.len());
        size_of::<Self>()
            + errors.sum::<usize>()
            + self.tools.weight()
            + self.tasks.weight()
            + self.usage.weight()
            + self.speech.weight()
    }

    /// Keeps only what a report needs.
    fn shrink(&mut self) {
        self.tools.shrink();
        self.speech.shrink();
    }

    /// Returns the number of the step that is the call of that id.
    pub fn step_of(&mut self, call: &Text<'_>) -> Option<u64> {
        self.tools.step_of(call, self.speech.turns)
    }

    /// Prepares the session for the facts of a record.
    fn record(&mut self, agent: Option<Agent>, statement: &Statement<'_>, id: Option<&Text<'_>>) {
        if !self.started {
            self.agent = agent;
        }
        self.known = None;
        self.reported = None;
        self.lost = false;
        self.retry = None;
        self.streamed = self.streamed || statement.is_of_stream();
        if let (Some(id), None) = (id, &self.id) {
            self.id = Some(id.clone().into_owned());
            self.named_last = statement.is_terminal();
        }
    }

    /// Adds a fact to the session; `parent` is the tool id of the subagent that it comes from. Returns what it comes
    /// to.
    pub fn fact(&mut self, fact: &Fact<'_>, parent: Option<&Text<'_>>) -> Step {
        let main = parent.is_none();
        match fact {
            Fact::Start(start) => self.start(start),
            Fact::Model(_) if self.model_stated => {}
            Fact::Model(model) => _ = keep(&mut self.model, Some(model)),
            Fact::Turn => self.turn(),
            Fact::Step if main => self.part(),
            Fact::User(User { prompt: true, .. }) if main => {
                self.structured = None;
                self.turn();
            }
            Fact::User(_) => self.speech.close(parent),
            Fact::Message(message) => return self.text(TextKind::Speech, message, parent),
            Fact::Reasoning(message) => return self.text(TextKind::Thought, message, parent),
            Fact::TakeBack if main => {
                self.transcript.iter_mut().for_each(Transcript::take_back);
                return Step::TakenBack(self.speech.take_back());
            }
            Fact::TakeBack => self.speech.close(parent),
            Fact::BreakOff => return self.break_off(parent),
            Fact::Call(call) => return self.call(call, parent),
            Fact::Result(result) => return self.result(result, parent),
            Fact::Denial(denial) => {
                let (turn, next) = (self.speech.turns, self.speech.steps);
                let settled = self.tools.deny(denial, turn, next);
                return settled.map_or(Step::Nothing, Step::Settled);
            }
            Fact::ToolTotals(tool, totals) => self.tools.totals(tool, *totals),
            Fact::Usage(_) if self.repeats && fact.request().is_some() => {}
            Fact::Usage(usage) => self.usage.push(usage),
            Fact::TurnTook(ms) => {
                self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(*ms));
            }
            Fact::SessionTook(ms) => self.duration_ms = Some(*ms),
            Fact::Structured(json) if self.transcript.is_some() => {
                self.structured = Some(json.clone().into_owned());
            }
            Fact::Retry(problem) => self.retry(problem),
            Fact::Error(problem) => self.error(problem),
            Fact::Rest => {
                self.rested = true;
                self.forgive();
            }
            Fact::TaskStart(id) => self.tasks.insert(TextHash::of(id.as_bytes()), ()),
            Fact::TaskEnd(id) => {
                self.tasks.remove(TextHash::of(id.as_bytes()));
            }
            Fact::QuotaReset(at) => {
                self.quota_resets_at = Some(*at);
                self.errors.iter_mut().for_each(|it| add_reset(it, *at));
            }
            Fact::End(end) if main => self.end(end),
            Fact::End(end) => self.end_inside(end),
            Fact::Other(other) if !other.known => self.unknown_records += 1,
            _ => {}
        }
        Step::Other
    }

    /// Takes back the message whose deltas are open.
    fn break_off(&mut self, parent: Option<&Text<'_>>) -> Step {
        let Some(open) = self.speech.break_off(parent) else {
            return Step::Nothing;
        };
        let transcript = self.transcript.as_mut().filter(|_| parent.is_none());
        transcript.into_iter().for_each(|it| it.drop(open));
        Step::TakenBack(open..open + 1)
    }

    /// Adds a call, unless it is known.
    fn call(&mut self, call: &Call<'_>, parent: Option<&Text<'_>>) -> Step {
        let step = self.speech.steps;
        if !self.tools.call(call, self.speech.turns, step) {
            return Step::Nothing;
        }
        self.called(step, parent);
        Step::Call(step)
    }

    /// Adds the result of a call.
    fn result(&mut self, result: &ToolResult<'_>, parent: Option<&Text<'_>>) -> Step {
        let next = self.speech.steps;
        let settled = self.tools.result(result, self.speech.turns, next);
        if settled.repeated {
            return Step::Nothing;
        }
        match settled.states_call {
            true => self.called(settled.step, parent),
            false => self.speech.call(settled.step),
        }
        Step::Settled(settled)
    }

    /// Adds a text that is said or thought.
    fn text(&mut self, kind: TextKind, message: &Message<'_>, parent: Option<&Text<'_>>) -> Step {
        let is_speech = kind == TextKind::Speech && parent.is_none();
        let kept = self.transcript.as_ref();
        if is_speech && self.ended.is_some() && self.speech.is_new(message, kept) {
            self.turn();
        }
        let kept = self.transcript.as_ref().filter(|_| is_speech);
        let said = self.speech.add(Track { kind, parent }, message, kept);
        let is_repeated = said.is_some_and(|said| said.novelty == Novelty::Nothing);
        if !is_repeated && (is_speech || kind == TextKind::Thought) {
            self.activity();
        }
        if let (Some(said), true) = (said, is_speech) {
            self.said = true;
            if let Some(transcript) = &mut self.transcript {
                transcript.push(message, said);
            }
        }
        said.filter(|_| !is_repeated)
            .map_or(Step::Nothing, Step::Text)
    }

    fn retry(&mut self, problem: &Problem<'_>) {
        self.speech.retry();
        // What failed is tried again, so the failure was not the end.
        if self.ended.take_if(|end| *end != Outcome::Success).is_some() {
            self.forgive();
        }
        let classed = problem.class != Outcome::Failed;
        self.retry = classed.then(|| Box::new(kept(problem)));
        self.rested = false;
    }

    /// Keeps an error. If the last error has the same message, the two become one.
    fn error(&mut self, problem: &Problem<'_>) {
        let mut problem = kept(problem);
        // An error after a success ends nothing.
        problem.fatal &= self.ended != Some(Outcome::Success);
        if let Some(at) = self.quota_resets_at {
            add_reset(&mut problem, at);
        }
        let last = self.errors.last_mut();
        if let Some(last) = last.filter(|last| last.message == problem.message) {
            last.fatal |= problem.fatal;
            last.code = last.code.take().or(problem.code);
            last.resets_at = problem.resets_at.or(last.resets_at);
            if last.class == Outcome::Failed {
                last.class = problem.class;
            }
        } else if self.errors.len() < ERRORS_KEPT || problem.fatal {
            self.errors.truncate(ERRORS_KEPT);
            self.errors.push(problem);
        }
    }

    /// Takes back the last message if it is the error that names the cause of a failure: error text is no answer.
    fn take_back_error(&mut self, failure: &Problem<'_>) {
        let is_cause = failure.class != Outcome::Failed && !failure.message.is_empty();
        if let Some(transcript) = self.transcript.as_mut().filter(|_| is_cause)
            && transcript.last() == failure.message
        {
            transcript.drop_last();
        }
    }

    /// Ends a task, a step or a subagent inside the run.
    fn end_inside(&mut self, end: &End<'_>) {
        if let Some(problem) = &end.error {
            self.error(&problem.clone().passing());
        }
    }

    /// Ends an attempt. If nothing follows, the session ended like this.
    fn end_attempt(&mut self, end: &End<'_>) {
        match &end.error {
            Some(problem) if !end.success => self.retry(problem),
            _ => self.rested = end.success,
        }
    }

    fn end(&mut self, end: &End<'_>) {
        let is_own = end.scope != EndScope::Inner && self.transcript.is_some();
        if let (Some(text), true) = (&end.text, is_own) {
            self.transcript.iter_mut().for_each(|it| it.glue(text));
            // If a turn has no answer, the previous turn's answer stays.
            if self.end_text.is_none() || !text.is_empty() {
                self.end_text = Some(text.clone().into_owned());
            }
        }
        match end.scope {
            EndScope::Run => {}
            EndScope::Attempt => return self.end_attempt(end),
            EndScope::Inner => return self.end_inside(end),
        }
        if end.success {
            self.forgive();
            self.ended = Some(Outcome::Success);
            return;
        }
        if let Some(problem) = &end.error {
            self.take_back_error(problem);
            self.error(problem);
        }
        if self.errors.is_empty() {
            let failed = Problem::fatal(Outcome::Failed, Text::EMPTY);
            self.errors.push(failed);
        }
        let last = self.errors.last_mut().map(|last| {
            last.fatal = true;
            last.class
        });
        // An end that names no class repeats in other words what was stated right before it.
        let stated = self.errors.iter().skip(self.earlier_errors);
        let fatal = stated.rev().filter(|error| error.fatal);
        let mut classes = fatal.map(|error| error.class);
        let named = classes.find(|class| *class != Outcome::Failed);
        self.ended = named.or(last).or(Some(Outcome::Failed));
    }

    /// Ends the stream: if the session did not recover from a retry, the cause of the retry is why it failed.
    fn settle(&mut self) {
        if let Some(cause) = self.retry.take_if(|_| self.ended.is_none()) {
            let fatal = true;
            self.error(&Problem { fatal, ..*cause });
        }
    }

    /// Marks all errors as not fatal, since the agent recovered from them.
    fn forgive(&mut self) {
        self.errors.iter_mut().for_each(|error| error.fatal = false);
    }
}

/// Keeps a name; returns whether there is one and it is not too long.
fn keep(kept: &mut Option<Text<'static>>, name: Option<&Text<'_>>) -> bool {
    let name = name.filter(|name| name.len() <= LONGEST_NAME);
    if let Some(name) = name {
        *kept = Some(name.clone().into_owned());
    }
    name.is_some()
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

#[cfg(test)]
mod tests;
