//! Folds facts into sessions: what a run came to.
//!
//! The rules are the same for all agents: text is not counted twice (`Transcript`), tools are paired with their results
//! and files are taken only from successful ones ([`Tools`]), usage comes from the widest scope (`Tally`), the outcome
//! from the last terminal record. Nothing here knows a dialect or an output form.

mod errors;
mod interleaved;
pub mod named;
mod noise_count;
pub mod recent;
mod report;
pub mod sessions;
mod speech;
mod texts;
mod tools;
mod transcript;
mod turn;
mod usage;

pub use crate::fact::Counts;
pub use errors::ERRORS_KEPT;
pub use named::Named;
pub use noise_count::{NoiseCount, SAMPLES_KEPT};
pub use report::Exceeded;
pub use sessions::{FOLLOWED, Kept, NoSession, OTHERS, REPORTED, Sessions};
pub(crate) use speech::{COMPARED, hash_of};
pub use speech::{Novelty, Said, is_own_id};
pub use tools::{File, Settled, StatedCall, Tools};
pub use usage::{OpenRequests, Request};

use std::ops::Range;

use errors::Errors;
use recent::Recent;
use sessions::LastRecord;
use speech::{Speech, TextKind, Track};
use texts::Texts;
use transcript::Transcript;
use turn::Turn;
use usage::Tally;

use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Call, End, EndScope, Fact, Message, Problem, Statement, ToolResult, User};
use crate::hashes::TextHash;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

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
    /// Whether a start was stated; a start is the best evidence of the agent.
    started: bool,
    texts: Texts,
    turn: Turn,
    usage: Tally,
    /// Whether the request of the last record was counted before.
    repeats_request: bool,
    tools: Tools,
    /// Tasks that work in the background.
    tasks: Recent<()>,
    errors: Errors,
    /// The duration of the session in milliseconds.
    pub duration_ms: Option<u64>,
    /// The outcome of a success that exceeded limits, and the reasons.
    limited: Option<Box<(Outcome, Vec<Exceeded>)>>,
    /// What follows the last record.
    after: AfterRecord,
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
    last: LastRecord,
}

/// What follows the last record of a session.
#[derive(Debug, Default)]
struct AfterRecord {
    /// A known message in the noise.
    known: Option<Known>,
    /// The class of an error that the noise mentions.
    reported: Option<Outcome>,
    /// Whether a record broke or was cut off, so that the agent was not at rest.
    lost: bool,
}

impl Session {
    fn new(agent: Option<Agent>, number: u64, transcript: Option<Transcript>) -> Self {
        Self {
            agent,
            number,
            texts: Texts::new(transcript),
            ..Self::default()
        }
    }

    /// Returns about how many bytes the session holds, without its text and its records.
    fn weight(&self) -> usize {
        size_of::<Self>()
            + self.errors.weight()
            + self.tools.weight()
            + self.tasks.weight()
            + self.usage.weight()
            + self.texts.speech.weight()
    }

    /// Keeps only what a report needs.
    fn shrink(&mut self) {
        self.tools.shrink();
        self.texts.speech.shrink();
    }

    /// Returns the number of the step that is the call of that id.
    pub fn step_of(&mut self, call: &Text<'_>) -> Option<u64> {
        self.tools.step_of(call, self.texts.speech.turns)
    }

    /// Prepares the session for the facts of a record.
    fn record(&mut self, agent: Option<Agent>, statement: &Statement<'_>, id: Option<&Text<'_>>) {
        if !self.started {
            self.agent = agent;
        }
        self.after = AfterRecord::default();
        self.errors.retry = None;
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
            Fact::Turn => self.begin_turn(),
            Fact::Step if main => self.texts.begin_response(),
            Fact::User(User { prompt: true, .. }) if main => {
                self.texts.structured = None;
                self.begin_turn();
            }
            Fact::User(_) => self.texts.speech.close(parent),
            Fact::Message(message) => return self.text(TextKind::Speech, message, parent),
            Fact::Reasoning(message) => return self.text(TextKind::Thought, message, parent),
            Fact::TakeBack if main => return Step::TakenBack(self.texts.take_back()),
            Fact::TakeBack => self.texts.speech.close(parent),
            Fact::BreakOff => {
                let open = self.texts.break_off(parent);
                return open.map_or(Step::Nothing, |open| Step::TakenBack(open..open + 1));
            }
            Fact::Call(call) => return self.call(call, parent),
            Fact::Result(result) => return self.result(result, parent),
            Fact::Denial(denial) => {
                let Speech { turns, steps, .. } = self.texts.speech;
                let settled = self.tools.deny(denial, turns, steps);
                return settled.map_or(Step::Nothing, Step::Settled);
            }
            Fact::ToolTotals(tool, totals) => self.tools.totals(tool, *totals),
            Fact::Usage(_) if self.repeats_request && fact.request().is_some() => {}
            Fact::Usage(usage) => self.usage.push(usage),
            Fact::TurnTook(ms) => {
                self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(*ms));
            }
            Fact::SessionTook(ms) => self.duration_ms = Some(*ms),
            Fact::Structured(json) => self.texts.keep_structured(json),
            Fact::Retry(problem) => self.retry(problem),
            Fact::Error(problem) => self.error(problem),
            Fact::Rest => {
                self.turn.rested = true;
                self.errors.forgive();
            }
            Fact::TaskStart(id) => self.tasks.insert(TextHash::of(id.as_bytes()), ()),
            Fact::TaskEnd(id) => {
                self.tasks.remove(TextHash::of(id.as_bytes()));
            }
            Fact::QuotaReset(at) => self.errors.resets(*at),
            Fact::End(end) if main => self.end(end),
            Fact::End(end) => self.end_inside(end),
            Fact::Other(other) if !other.known => self.unknown_records += 1,
            _ => {}
        }
        Step::Other
    }

    /// Adds a call, unless it is known. What was said before one whose result came first was said before the call.
    fn call(&mut self, call: &Call<'_>, parent: Option<&Text<'_>>) -> Step {
        let Speech {
            turns, steps: step, ..
        } = self.texts.speech;
        match self.tools.call(call, turns, step) {
            StatedCall::New => {
                self.called(step, parent);
                Step::Call(step)
            }
            StatedCall::Late => {
                if parent.is_none() && self.turn.ended.is_none() {
                    self.texts.begin_response();
                }
                Step::Nothing
            }
            StatedCall::Known => Step::Nothing,
        }
    }

    /// Adds the result of a call.
    fn result(&mut self, result: &ToolResult<'_>, parent: Option<&Text<'_>>) -> Step {
        let Speech { turns, steps, .. } = self.texts.speech;
        let settled = self.tools.result(result, turns, steps);
        if settled.repeated {
            return Step::Nothing;
        }
        if settled.states_call {
            self.called(settled.step, parent);
        } else {
            self.texts.speech.call(settled.step);
            // What was said before belongs to the call, also where that is not in the input.
            if settled.lacks_call && parent.is_none() && self.turn.ended.is_none() {
                self.texts.begin_response();
            }
        }
        Step::Settled(settled)
    }

    /// Adds a text that is said or thought.
    fn text(&mut self, kind: TextKind, message: &Message<'_>, parent: Option<&Text<'_>>) -> Step {
        let is_speech = kind == TextKind::Speech && parent.is_none();
        let texts = &mut self.texts;
        let kept = texts.transcript.as_ref();
        if is_speech && self.turn.ended.is_some() && texts.speech.is_new(message, kept) {
            self.begin_turn();
        }
        let said = self.texts.add(Track { kind, parent }, message);
        let is_repeated = said.is_some_and(|said| said.novelty == Novelty::Nothing);
        if !is_repeated && (is_speech || kind == TextKind::Thought) {
            self.activity();
        }
        said.filter(|_| !is_repeated)
            .map_or(Step::Nothing, Step::Text)
    }

    fn retry(&mut self, problem: &Problem<'_>) {
        self.texts.speech.retry();
        // What failed is tried again, so the failure was not the end.
        let failure = self.turn.ended.take_if(|end| *end != Outcome::Success);
        if failure.is_some() {
            self.errors.forgive();
        }
        self.errors.retry(problem);
        self.turn.rested = false;
    }

    fn error(&mut self, problem: &Problem<'_>) {
        // An error after a success ends nothing.
        let ends = self.turn.ended != Some(Outcome::Success);
        self.errors.add(problem, ends);
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
            _ => self.turn.rested = end.success,
        }
    }

    fn end(&mut self, end: &End<'_>) {
        if let (Some(text), true) = (&end.text, end.scope != EndScope::Inner) {
            self.texts.end(text);
        }
        match end.scope {
            EndScope::Run => {}
            EndScope::Attempt => return self.end_attempt(end),
            EndScope::Inner => return self.end_inside(end),
        }
        if end.success {
            self.errors.forgive();
            self.turn.ended = Some(Outcome::Success);
            return;
        }
        if let Some(problem) = &end.error {
            self.texts.take_back_error(problem);
            self.error(problem);
        }
        self.turn.ended = Some(self.errors.end());
    }

    /// Ends the stream: if the session did not recover from a retry, the cause of the retry is why it failed.
    fn settle(&mut self) {
        if let Some(cause) = self.errors.retry.take_if(|_| self.turn.ended.is_none()) {
            let fatal = true;
            self.error(&Problem { fatal, ..*cause });
        }
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

#[cfg(test)]
mod tests;
