//! Folds facts into sessions: what a run came to.
//!
//! The rules are the same for all agents: text is not counted twice (`Transcript`), tools are paired with their results
//! and files are taken only from successful ones ([`Tools`]), usage comes from the widest scope (`Tally`), the outcome
//! from the last terminal record. Nothing here knows a dialect or an output form.

pub mod named;
pub mod recent;
pub mod sessions;
mod speech;
mod tools;
mod transcript;
mod usage;

pub use crate::fact::Counts;
pub use named::Named;
pub use sessions::{FOLLOWED, OTHERS, REPORTED, Sessions};
pub use speech::{Novelty, Said, is_own_id};
pub use tools::{File, FileChange, Settled, Tools};

use std::borrow::Cow;
use std::ops::Range;

use recent::Recent;
use speech::{Speech, TextKind};
use transcript::Transcript;
use usage::Tally;

use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{
    Call, Duration, End, EndScope, Fact, Problem, Start, Statement, Tokens, ToolResult, User,
};
use crate::marks::Mark;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// How many errors a session keeps; further ones are likely repetitions.
pub const ERRORS_KEPT: usize = 100;
/// How much of an error's message is kept, in bytes.
pub const MESSAGE_KEPT: usize = 4096;
/// How many samples of noise are kept.
pub const SAMPLES_KEPT: usize = 3;
/// The longest name of a model or version that is kept, in bytes.
pub const LONGEST_NAME: usize = 1024;

/// The noise between the records of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoiseCount {
    /// Lines that contain noise.
    pub lines: u64,
    /// Bytes of noise, without line ends and blank lines.
    pub bytes: u64,
    /// Records that broke.
    pub broken: u64,
    /// The first few lines of noise: line number and text.
    pub samples: Vec<(u64, String)>,
}

impl NoiseCount {
    /// Keeps a sample of noise if there is room. A sample of the same line as the last sample replaces it.
    pub fn sample(&mut self, line: u64, text: impl FnOnce() -> String) {
        self.samples.pop_if(|(last, _)| *last == line);
        if self.samples.len() < SAMPLES_KEPT {
            self.samples.push((line, text()));
        }
    }
}

/// A limit that a session exceeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit as it was asked for: `cost:0.1`.
    pub name: String,
    /// How the session exceeds it: `cost $0.43 > $0.10`.
    pub text: String,
}

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
    agent: Option<Agent>,
    /// The session's number in its stream, counted from 1.
    number: u64,
    id: Option<Text<'static>>,
    /// The index of the session's writer, if several write in the stream.
    writer: usize,
    /// The prefix of the lines of its writer, if several writers are distinguished by their prefixes.
    prefix: Option<Text<'static>>,
    agent_version: Option<Text<'static>>,
    folder: Option<Text<'static>>,
    model: Option<Text<'static>>,
    /// Whether a start stated the model; a start has its full name.
    model_stated: bool,
    /// What was said and thought so far, to tell what is new.
    speech: Speech,
    /// The assistant's text, if it is to be kept.
    transcript: Option<Transcript>,
    said: bool,
    end_text: Option<Text<'static>>,
    structured: Option<Text<'static>>,
    turns: u64,
    /// Whether a start was stated; a start is the best evidence of the agent.
    started: bool,
    /// Whether the agent has done anything in this turn.
    active: bool,
    usage: Tally,
    tools: Tools,
    /// Tasks that work in the background.
    tasks: Recent<()>,
    errors: Vec<Problem<'static>>,
    /// When the quota that is used up becomes available again, if a record of its own states it.
    quota_resets_at: Option<i64>,
    duration_ms: Option<u64>,
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
    unknown_records: u64,
    /// Whether the agent stated that a call was denied.
    denied: bool,
    /// The records as they were read, if they are to be kept.
    records: Vec<Vec<u8>>,
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
    fn rest(&mut self) {
        self.tools.rest();
        self.speech.rest();
    }

    /// Returns the number of the step that is the call of that id.
    pub fn step_of(&mut self, call: &Text<'_>) -> Option<u64> {
        self.tools.step_of(call, self.speech.turns())
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
            Fact::Model(model) => self.model = name(Some(model)).or_else(|| self.model.take()),
            Fact::Turn => self.turn(),
            Fact::Step if main => self.part(),
            Fact::User(User { prompt: true, .. }) if main => {
                self.structured = None;
                self.turn();
            }
            Fact::User(_) => self.speech.close(parent),
            Fact::Message(_) | Fact::Reasoning(_) => return self.text(fact, parent),
            Fact::TakeBack if main => {
                self.transcript.iter_mut().for_each(Transcript::take_back);
                return Step::TakenBack(self.speech.take_back());
            }
            Fact::TakeBack => self.speech.close(parent),
            Fact::BreakOff => return self.break_off(parent),
            Fact::Call(call) => return self.call(call, parent),
            Fact::Result(result) => return self.result(result, parent),
            Fact::Denial(id) => return self.denial(id),
            Fact::ToolTotals(tool, totals) => self.tools.totals(tool, *totals),
            Fact::Usage(_) if self.repeats && fact.request().is_some() => {}
            Fact::Usage(usage) => self.usage.push(usage),
            Fact::Duration(duration) => self.duration(*duration),
            Fact::Structured(json) if self.transcript.is_some() => {
                self.structured = Some(json.clone().into_owned());
            }
            Fact::Retry(problem) => self.retry(problem),
            Fact::Error(problem) => self.error(problem),
            Fact::Rest => {
                self.rested = true;
                self.forgive();
            }
            Fact::TaskStart(id) => self.tasks.insert(Mark::of(id.as_bytes()), ()),
            Fact::TaskEnd(id) => {
                self.tasks.remove(Mark::of(id.as_bytes()));
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
        let step = self.speech.next_step();
        if !self.tools.call(call, self.speech.turns(), step) {
            return Step::Nothing;
        }
        self.called(step, parent);
        Step::Call(step)
    }

    /// Adds the statement that a call was denied.
    fn denial(&mut self, id: &Text<'_>) -> Step {
        self.denied = true;
        let settled = self.tools.deny(id, self.speech.turns());
        settled.map_or(Step::Nothing, Step::Settled)
    }

    /// Adds the result of a call.
    fn result(&mut self, result: &ToolResult<'_>, parent: Option<&Text<'_>>) -> Step {
        let next = self.speech.next_step();
        let settled = self.tools.result(result, self.speech.turns(), next);
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
    fn text(&mut self, fact: &Fact<'_>, parent: Option<&Text<'_>>) -> Step {
        let (kind, message) = match fact {
            Fact::Message(message) => (TextKind::Speech, message),
            Fact::Reasoning(message) => (TextKind::Thought, message),
            _ => return Step::Other,
        };
        let is_speech = kind == TextKind::Speech && parent.is_none();
        let kept = self.transcript.as_ref().filter(|_| is_speech);
        let said = self.speech.add(kind, parent, message, kept);
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

    fn start(&mut self, start: &Start<'_>) {
        self.started = true;
        self.turn();
        let version = name(start.agent_version.as_ref());
        self.agent_version = version.or_else(|| self.agent_version.take());
        let folder = name(start.folder.as_ref());
        self.folder = folder.or_else(|| self.folder.take());
        let model = name(start.model.as_ref());
        self.model_stated |= model.is_some();
        self.model = model.or_else(|| self.model.take());
    }

    /// Begins a new turn, unless nothing has happened in this one.
    fn turn(&mut self) {
        if self.active || self.ended.is_some() || self.turns == 0 {
            self.turns += 1;
            self.speech.turn();
            self.transcript.iter_mut().for_each(Transcript::turn);
        }
        self.active = false;
        self.rested = false;
        self.ended = None;
    }

    fn activity(&mut self) {
        self.active = true;
        self.rested = false;
        self.turns = self.turns.max(1);
    }

    /// Notes that a call was made.
    fn called(&mut self, step: u64, parent: Option<&Text<'_>>) {
        self.speech.call(step);
        self.activity();
        match parent {
            Some(_) => self.speech.close(parent),
            None => self.part(),
        }
    }

    fn part(&mut self) {
        self.speech.part();
        self.transcript.iter_mut().for_each(Transcript::part);
    }

    fn duration(&mut self, duration: Duration) {
        let before = self.duration_ms.filter(|_| duration.turn).unwrap_or(0);
        self.duration_ms = Some(before.saturating_add(duration.ms));
    }

    /// Keeps an error. If the last error has the same message, the two become one.
    fn error(&mut self, problem: &Problem<'_>) {
        let mut problem = kept(problem);
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
            self.error(problem);
        }
        if self.errors.is_empty() {
            let failed = Problem::fatal(Outcome::Failed, Text::EMPTY);
            self.errors.push(failed);
        }
        let class = self.errors.last_mut().map(|last| {
            last.fatal = true;
            last.class
        });
        self.ended = class.or(Some(Outcome::Failed));
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

    /// Sets the outcome that exceeded limits give the session, and the reasons. Only a success is changed.
    pub fn limit(&mut self, outcome: Outcome, why: Vec<Exceeded>) {
        if self.outcome() == Outcome::Success {
            self.limited = Some(Box::new((outcome, why)));
        }
    }

    /// Returns the limits that turn the session's success into a failure.
    #[must_use]
    pub fn limits(&self) -> &[Exceeded] {
        self.limited.as_ref().map_or(&[], |limited| &limited.1)
    }

    /// Returns why the session failed, in the words of the agent or of the message in the noise; `None` if it did not
    /// fail or no reason is stated.
    #[must_use]
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        if !self.limits().is_empty() {
            let texts = self.limits().iter().map(|limit| limit.text.as_str());
            return Some(texts.collect::<Vec<_>>().join("; ").into());
        }
        if self.outcome() == Outcome::Success {
            return None;
        }
        if let Some(known) = self.known_message() {
            return Some(known.phrase.into());
        }
        let retry = self.retry.as_deref().filter(|_| self.ended.is_none());
        let causes = self.fatal_error().into_iter().chain(retry);
        let messages = causes.map(|error| &error.message);
        let mut said = messages.filter(|message| !message.is_blank());
        said.next().map(Text::to_string_lossy)
    }

    /// Returns when the quota that ended the session becomes available again, in seconds since 1970, if that is stated.
    #[must_use]
    pub fn resets_at(&self) -> Option<i64> {
        let fatal = self.errors.iter().filter(|error| error.fatal);
        let causes = fatal.chain(self.retry.as_deref());
        let times = causes.filter_map(|error| error.resets_at).max();
        times.filter(|_| self.outcome() == Outcome::Quota)
    }

    /// Returns how the session ended. The first of these that is known decides: a [limit](Self::limit); the last
    /// terminal record; a fatal error; a retry that the session did not recover from; a known message after the last
    /// record; success, if the session came to rest and no record was lost after that; the class of an error that is
    /// mentioned after the last record. Otherwise the session is truncated.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let limited = self.limited.as_ref().map(|limited| limited.0);
        let retry = || self.retry.as_ref().map(|cause| cause.class);
        limited
            .or(self.ended)
            .or_else(|| self.fatal_error().map(|error| error.class))
            .or_else(retry)
            .or_else(|| self.known.map(|known| known.class))
            .or((self.rested && !self.lost).then_some(Outcome::Success))
            .or(self.reported)
            .unwrap_or(Outcome::Truncated)
    }

    /// Returns the known message after the last record, if the outcome comes from it.
    #[must_use]
    pub fn known_message(&self) -> Option<Known> {
        self.known
            .filter(|known| !self.has_ended() && known.class == self.outcome())
    }

    /// Returns whether another start must begin another run: the model is known, or in this turn the agent has done
    /// anything or failed to.
    fn has_begun(&self) -> bool {
        self.model.is_some() || self.active || self.outcome() != Outcome::Truncated
    }

    /// Returns whether the last turn has had its terminal record.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns how many tasks still work in the background: subagents and commands whose end was not stated.
    #[must_use]
    pub fn running_tasks(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// Returns the agent, if it is a known one.
    #[must_use]
    pub const fn agent(&self) -> Option<Agent> {
        self.agent
    }

    /// Returns the agent's name as messages show it.
    #[must_use]
    pub fn agent_name(&self) -> &'static str {
        self.agent.map_or("the agent", Agent::name)
    }

    /// Returns the session's number in its stream, counted from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the agent's version.
    #[must_use]
    pub const fn agent_version(&self) -> Option<&Text<'static>> {
        self.agent_version.as_ref()
    }

    /// Returns the folder that the agent works in, as a start states it.
    #[must_use]
    pub const fn folder(&self) -> Option<&Text<'static>> {
        self.folder.as_ref()
    }

    /// Returns the session's id.
    #[must_use]
    pub const fn id(&self) -> Option<&Text<'static>> {
        self.id.as_ref()
    }

    /// Returns the prefix of the session's lines, without its variable parts, if several sources are distinguished by
    /// their prefixes.
    #[must_use]
    pub const fn prefix(&self) -> Option<&Text<'static>> {
        self.prefix.as_ref()
    }

    /// Returns the model.
    #[must_use]
    pub const fn model(&self) -> Option<&Text<'static>> {
        self.model.as_ref()
    }

    /// Returns the JSON that the agent gave for a schema in its last turn, next to the final answer.
    pub const fn structured(&self) -> Option<&Text<'static>> {
        self.structured.as_ref()
    }

    /// Returns the final answer, empty if there is none. Unknown for an envelope that has no place for an answer.
    #[must_use]
    pub fn response(&self) -> Option<Text<'_>> {
        let said = self.transcript.as_ref().filter(|_| self.said);
        let end = self.end_text.as_ref().map(Text::borrowed);
        // If no message follows the last call, the answer is what the end says.
        let is_last = self.ended.is_some() && said.is_none_or(Transcript::is_after_call);
        let reported = end.clone().filter(|end| is_last && !end.is_blank());
        let reported = reported.or_else(|| said.map(Transcript::response)).or(end);
        reported.or_else(|| self.streamed.then_some(Text::EMPTY))
    }

    /// Returns the last message of the final answer; `None` if text was not kept.
    #[must_use]
    pub fn last_message(&self) -> Option<Text<'_>> {
        self.transcript.as_ref().map(Transcript::last)
    }

    /// Returns everything that the main thread said, if it was kept. Unknown for an envelope, which has only the
    /// answer.
    #[must_use]
    pub fn assistant_text(&self) -> Option<Text<'_>> {
        let transcript = self.transcript.as_ref().filter(|_| self.streamed)?;
        transcript.text()
    }

    /// Returns whether the main thread has said anything so far.
    #[must_use]
    pub const fn has_said(&self) -> bool {
        self.said
    }

    /// Returns the number of messages of the main thread. Unknown for an envelope.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        let transcript = self.transcript.as_ref().filter(|_| self.streamed);
        transcript.map(Transcript::messages)
    }

    /// Returns the number of turns. Unknown for an envelope.
    #[must_use]
    pub fn turns(&self) -> Option<u64> {
        self.streamed.then_some(self.turns)
    }

    /// Returns the tokens and the cost of the session.
    #[must_use]
    pub fn usage(&self) -> Tokens {
        self.usage.total()
    }

    /// Returns the tokens and the cost of each model.
    #[must_use]
    pub fn models(&self) -> Named<Tokens> {
        self.usage.models()
    }

    /// Returns the tool calls. Unknown for an envelope that does not count them.
    #[must_use]
    pub fn tools(&self) -> Option<&Tools> {
        (self.streamed || self.tools.has_totals()).then_some(&self.tools)
    }

    /// Returns whether a tool call was denied, even if the calls themselves are unknown.
    #[must_use]
    pub fn was_denied(&self) -> bool {
        self.denied || self.tools.sum().denied > 0
    }

    /// Returns the tools with the files that they wrote. Unknown for an envelope.
    #[must_use]
    pub fn files(&self) -> Option<&Tools> {
        self.streamed.then_some(&self.tools)
    }

    /// Returns the errors and warnings.
    #[must_use]
    pub fn errors(&self) -> &[Problem<'static>] {
        &self.errors
    }

    /// Returns the last error that is fatal.
    #[must_use]
    pub fn fatal_error(&self) -> Option<&Problem<'static>> {
        self.errors.iter().rev().find(|error| error.fatal)
    }

    /// Returns the duration of the session in milliseconds.
    #[must_use]
    pub const fn duration_ms(&self) -> Option<u64> {
        self.duration_ms
    }

    /// Returns the records that were [kept](Sessions::keep_record).
    #[must_use]
    pub fn records(&self) -> &[Vec<u8>] {
        &self.records
    }

    /// Returns the number of records whose type the dialect does not know.
    #[must_use]
    pub const fn unknown_records(&self) -> u64 {
        self.unknown_records
    }
}

/// Returns a copy of a name; `None` if the name is too long to keep.
fn name(name: Option<&Text<'_>>) -> Option<Text<'static>> {
    let name = name.filter(|name| name.len() <= LONGEST_NAME);
    name.cloned().map(Text::into_owned)
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
