//! Facts folded to sessions: what a run came to.
//!
//! The rules are those of all agents: text without double counting ([`crate::transcript`]), tools paired with their results
//! and files only from successful ones ([`crate::tools`]), usage from the widest scope ([`crate::usage`]), the outcome from
//! the last terminal record. Nothing here knows a dialect or an output form.

use std::collections::HashMap;

use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Duration, End, Fact, Problem, Start, Statement, Tokens, User};
use crate::json::text::Text;
use crate::named::Named;
use crate::outcome::Outcome;
use crate::recent::Recent;
use crate::tools::{Settled, Tools};
use crate::transcript::Transcript;
use crate::usage::Tally;

/// How many errors a session remembers; the rest are likely the same.
const ERRORS_KEPT: usize = 100;
/// How many samples of noise are kept.
const SAMPLES_KEPT: usize = 3;

/// How many sessions are kept at least; of twice as many, the older half is dropped but for its outcome.
const SESSIONS_KEPT: usize = 1000;

/// What stands between the records of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Noise {
    /// Lines that hold noise.
    pub lines: u64,
    /// Its bytes, line ends and blank lines apart.
    pub bytes: u64,
    /// Records that broke.
    pub broken: u64,
    /// The first few lines of it: line number and text.
    pub samples: Vec<(u64, String)>,
}

impl Noise {
    /// Keeps a sample, if there is room.
    pub fn sample(&mut self, line: u64, text: impl FnOnce() -> String) {
        if self.samples.len() < SAMPLES_KEPT {
            self.samples.push((line, text()));
        }
    }
}

/// The records of one session.
#[derive(Debug)]
pub struct Session {
    agent: Agent,
    id: Option<Text<'static>>,
    agent_version: Option<Text<'static>>,
    model: Option<Text<'static>>,
    /// The assistant's text, if it is wanted.
    transcript: Option<Transcript>,
    said: bool,
    end_text: Option<Text<'static>>,
    turns: u64,
    /// Whether the agent has done anything in this turn.
    active: bool,
    usage: Tally,
    tools: Tools,
    /// Subagents that work in the background.
    subagents: Recent<()>,
    errors: Vec<Problem<'static>>,
    duration_ms: Option<u64>,
    /// The outcome that the last terminal record of this turn states.
    ended: Option<Outcome>,
    /// The class of the retry that the last record is.
    retry: Option<Outcome>,
    /// A known message in the noise behind the last record.
    known: Option<Known>,
    /// Whether there was any record beside terminal ones.
    streamed: bool,
    /// What stands between the records.
    pub noise: Noise,
    unknown_records: u64,
}

impl Session {
    fn new(agent: Agent, keep_text: bool) -> Self {
        Self {
            agent,
            id: None,
            agent_version: None,
            model: None,
            transcript: keep_text.then(Transcript::default),
            said: false,
            end_text: None,
            turns: 0,
            active: false,
            usage: Tally::default(),
            tools: Tools::default(),
            subagents: Recent::default(),
            errors: Vec::new(),
            duration_ms: None,
            ended: None,
            retry: None,
            known: None,
            streamed: false,
            noise: Noise::default(),
            unknown_records: 0,
        }
    }

    /// Prepares for the facts of a record.
    fn record(&mut self, statement: &Statement<'_>) {
        self.known = None;
        self.retry = None;
        self.streamed |= !statement.facts.is_empty() && !statement.is_terminal();
        if let Some(id) = &statement.session {
            self.id.get_or_insert_with(|| id.clone().into_owned());
        }
    }

    /// Takes a fact in. `main` says whether it is the main thread's. Gives what is known of a result's call.
    pub fn fact(&mut self, fact: &Fact<'_>, main: bool) -> Option<Settled> {
        match fact {
            Fact::Start(start) => self.start(start),
            Fact::Model(model) => self.model = Some(model.clone().into_owned()),
            Fact::Turn => self.turn(),
            Fact::User(User { prompt: true, .. }) if main => self.turn(),
            Fact::Message(message) if main => {
                self.activity();
                self.said |= !message.text.is_empty();
                if let Some(transcript) = &mut self.transcript {
                    transcript.push(message);
                }
            }
            Fact::TakeBack if main => {
                if let Some(transcript) = &mut self.transcript {
                    transcript.take_back();
                }
            }
            Fact::Call(call) => {
                self.call(main);
                self.tools.call(call);
            }
            Fact::Result(result) => {
                let settled = self.tools.result(result);
                if settled.states_call {
                    self.call(main);
                }
                return Some(settled);
            }
            Fact::Denial(id) => self.tools.deny(id),
            Fact::ToolTotals(totals) => self.tools.totals(totals),
            Fact::Usage(usage) => self.usage.push(usage),
            Fact::Duration(duration) => self.duration(*duration),
            Fact::Retry(problem) => {
                self.retry = Some(problem.class).filter(|class| *class != Outcome::Failed);
            }
            Fact::Error(problem) => self.error(problem),
            Fact::SubagentStart(id) => self.subagents.insert(id, ()),
            Fact::SubagentEnd(id) => {
                self.subagents.remove(id);
            }
            Fact::End(end) => self.end(end),
            Fact::Other(other) if !other.known => self.unknown_records += 1,
            Fact::Reasoning(_) => self.activity(),
            _ => {}
        }
        None
    }

    fn start(&mut self, start: &Start<'_>) {
        self.turn();
        let own = |text: &Option<Text<'_>>| text.clone().map(Text::into_owned);
        self.agent_version = own(&start.agent_version).or_else(|| self.agent_version.take());
        self.model = own(&start.model).or_else(|| self.model.take());
    }

    /// A new turn, unless nothing has happened in this one.
    fn turn(&mut self) {
        if self.active || self.ended.is_some() || self.turns == 0 {
            self.turns += 1;
            self.part();
        }
        self.active = false;
        self.ended = None;
    }

    fn activity(&mut self) {
        self.active = true;
        self.turns = self.turns.max(1);
    }

    fn call(&mut self, main: bool) {
        self.activity();
        if main {
            self.part();
        }
    }

    fn part(&mut self) {
        if let Some(transcript) = &mut self.transcript {
            transcript.part();
        }
    }

    fn duration(&mut self, duration: Duration) {
        let before = if duration.turn {
            self.duration_ms.unwrap_or(0)
        } else {
            0
        };
        self.duration_ms = Some(before.saturating_add(duration.ms));
    }

    /// Remembers an error. One that repeats the last one's message only adds to it.
    fn error(&mut self, problem: &Problem<'_>) {
        if let Some(last) = self
            .errors
            .last_mut()
            .filter(|last| last.message == problem.message)
        {
            last.fatal |= problem.fatal;
            last.code = last
                .code
                .take()
                .or_else(|| problem.clone().into_owned().code);
            if last.class == Outcome::Failed {
                last.class = problem.class;
            }
        } else if self.errors.len() < ERRORS_KEPT || problem.fatal {
            self.errors.truncate(ERRORS_KEPT);
            self.errors.push(problem.clone().into_owned());
        }
    }

    fn end(&mut self, end: &End<'_>) {
        if let Some(text) = &end.text {
            // A turn without an answer leaves that of the one before.
            if self.end_text.is_none() || !text.is_empty() {
                self.end_text = Some(text.clone().into_owned());
            }
        }
        if end.success {
            self.errors.iter_mut().for_each(|error| error.fatal = false);
            self.ended = Some(Outcome::Success);
            return;
        }
        if let Some(problem) = &end.error {
            self.error(problem);
        }
        if self.errors.is_empty() {
            self.errors.push(Problem {
                class: Outcome::Failed,
                message: Text::EMPTY,
                code: None,
                fatal: true,
            });
        }
        let class = self.errors.last_mut().map(|last| {
            last.fatal = true;
            last.class
        });
        self.ended = class.or(Some(Outcome::Failed));
    }

    /// How the session ended: what its last terminal record says, else a fatal error, a retry that it did not come back
    /// from, a known message behind it; else it is truncated.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let fatal = || {
            self.errors
                .iter()
                .rev()
                .find(|error| error.fatal)
                .map(|error| error.class)
        };
        self.ended
            .or_else(fatal)
            .or(self.retry)
            .or_else(|| self.known.map(|known| known.class))
            .unwrap_or(Outcome::Truncated)
    }

    /// Whether its last turn has had its terminal record.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether a subagent was announced that is not done.
    #[must_use]
    pub fn awaits_subagents(&self) -> bool {
        !self.subagents.is_empty()
    }

    /// The agent.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        self.agent
    }

    /// The agent's version.
    #[must_use]
    pub const fn agent_version(&self) -> Option<&Text<'static>> {
        self.agent_version.as_ref()
    }

    /// The session id.
    #[must_use]
    pub const fn id(&self) -> Option<&Text<'static>> {
        self.id.as_ref()
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> Option<&Text<'static>> {
        self.model.as_ref()
    }

    /// The final answer, empty if there is none. Unknown for an envelope that has no place for it.
    #[must_use]
    pub fn response(&self) -> Option<Text<'_>> {
        let said = self.transcript.as_ref().filter(|_| self.said);
        let end = || self.end_text.as_ref().map(Text::borrowed);
        said.map(Transcript::response)
            .or_else(end)
            .or_else(|| self.streamed.then_some(Text::EMPTY))
    }

    /// All that the main thread said. An envelope tells only the answer.
    #[must_use]
    pub fn assistant_text(&self) -> Option<Text<'_>> {
        let transcript = self.transcript.as_ref()?;
        self.streamed.then(|| transcript.text().borrowed())
    }

    /// Whether the main thread said anything so far.
    #[must_use]
    pub const fn has_said(&self) -> bool {
        self.said
    }

    /// The number of messages of the main thread. Unknown for an envelope.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        self.transcript
            .as_ref()
            .filter(|_| self.streamed)
            .map(Transcript::messages)
    }

    /// The number of turns. Unknown for an envelope.
    #[must_use]
    pub fn turns(&self) -> Option<u64> {
        self.streamed.then_some(self.turns)
    }

    /// What was used.
    #[must_use]
    pub fn usage(&self) -> Tokens {
        self.usage.total()
    }

    /// What each model used.
    #[must_use]
    pub fn models(&self) -> Named<Tokens> {
        self.usage.models()
    }

    /// The tool calls. Unknown for an envelope that does not count them.
    #[must_use]
    pub fn tools(&self) -> Option<&Tools> {
        (self.streamed || self.tools.has_totals()).then_some(&self.tools)
    }

    /// The files that were written. Unknown for an envelope.
    #[must_use]
    pub fn files(&self) -> Option<&Tools> {
        self.streamed.then_some(&self.tools)
    }

    /// Errors and warnings.
    #[must_use]
    pub fn errors(&self) -> &[Problem<'static>] {
        &self.errors
    }

    /// Milliseconds that it took.
    #[must_use]
    pub const fn duration_ms(&self) -> Option<u64> {
        self.duration_ms
    }

    /// Records of types that the dialect does not know.
    #[must_use]
    pub const fn unknown_records(&self) -> u64 {
        self.unknown_records
    }
}

/// The sessions of one stream.
#[derive(Debug, Default)]
pub struct Sessions {
    list: Vec<Session>,
    /// How many sessions before those in `list` were dropped.
    dropped: usize,
    /// The worst outcome of those.
    worst_dropped: Option<Outcome>,
    by_id: HashMap<Text<'static>, usize>,
    current: Option<usize>,
    keep_text: bool,
    /// Noise before the first record.
    before: Noise,
    known: Option<Known>,
    cut: bool,
}

impl Sessions {
    /// No sessions yet. `keep_text`: whether the assistant's text is wanted.
    #[must_use]
    pub fn new(keep_text: bool) -> Self {
        Self {
            keep_text,
            ..Self::default()
        }
    }

    /// The session that a record belongs to, prepared for its facts.
    pub fn of(&mut self, agent: Agent, statement: &Statement<'_>) -> &mut Session {
        let place = match self.place(agent, statement) {
            Some(place) => place,
            None => self.begin(agent),
        };
        if let Some(id) = &statement.session {
            self.by_id.entry(id.clone().into_owned()).or_insert(place);
        }
        self.current = Some(place);
        let session = &mut self.list[place];
        if place == 0 && self.before != Noise::default() {
            session.noise = std::mem::take(&mut self.before);
        }
        session.record(statement);
        session
    }

    /// The place of a new session.
    fn begin(&mut self, agent: Agent) -> usize {
        if self.list.len() >= 2 * SESSIONS_KEPT {
            let dropped = self.list.drain(..SESSIONS_KEPT);
            let worst = dropped.map(|session| session.outcome());
            self.worst_dropped = worst.chain(self.worst_dropped).reduce(Outcome::worse);
            self.dropped += SESSIONS_KEPT;
            // Places are those in `list`.
            self.by_id.retain(|_, place| *place >= SESSIONS_KEPT);
            self.by_id
                .values_mut()
                .for_each(|place| *place -= SESSIONS_KEPT);
        }
        self.list.push(Session::new(agent, self.keep_text));
        self.list.len() - 1
    }

    /// The place of the session that a record belongs to, if it has begun.
    fn place(&self, agent: Agent, statement: &Statement<'_>) -> Option<usize> {
        let is_agents = |&place: &usize| {
            self.list
                .get(place)
                .is_some_and(|session| session.agent == agent)
        };
        if let Some(place) = statement
            .session
            .as_ref()
            .and_then(|id| self.by_id.get(id.as_bytes()))
        {
            return Some(*place).filter(is_agents);
        }
        let place = self.current.filter(is_agents)?;
        let current = self.list.get(place)?;
        let starts = statement
            .facts
            .iter()
            .any(|fact| matches!(fact, Fact::Start(_)));
        let goes_on = if statement.session.is_some() {
            // Its first record with an id.
            current.id.is_none() && current.ended.is_none() && !(starts && current.active)
        } else {
            let again = statement.is_terminal() && !current.streamed;
            let anew = starts && current.id.is_none() && current.active;
            !(again || anew)
        };
        goes_on.then_some(place)
    }

    /// Takes a whole record in.
    pub fn record(&mut self, agent: Agent, statement: &Statement<'_>) {
        let session = self.of(agent, statement);
        for fact in &statement.facts {
            session.fact(fact, statement.parent.is_none());
        }
    }

    /// The session that is going on.
    #[must_use]
    pub fn current(&self) -> Option<&Session> {
        self.list.get(self.current?)
    }

    /// How many sessions were dropped, because there were too many.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }

    /// All sessions, in the order in which they began. Of very many, the latest.
    #[must_use]
    pub fn all(&self) -> &[Session] {
        &self.list
    }

    /// All sessions, to keep.
    #[must_use]
    pub fn into_all(self) -> Vec<Session> {
        self.list
    }

    /// The noise of the session that is going on.
    pub fn noise(&mut self) -> &mut Noise {
        match self.current.and_then(|place| self.list.get_mut(place)) {
            Some(session) => &mut session.noise,
            None => &mut self.before,
        }
    }

    /// A known message stands in the noise.
    pub fn known(&mut self, known: Known) {
        match self.current.and_then(|place| self.list.get_mut(place)) {
            Some(session) => session.known = Some(known),
            None => self.known = Some(known),
        }
    }

    /// The last candidate for a record was cut off by the end of input.
    pub const fn cut(&mut self) {
        self.cut = true;
    }

    /// The known message, if it stands where no session is.
    #[must_use]
    pub const fn known_message(&self) -> Option<Known> {
        self.known
    }

    /// Noise where no session is.
    #[must_use]
    pub const fn noise_alone(&self) -> &Noise {
        &self.before
    }

    /// The outcome of the whole stream: that of the worst session; without any, what the noise tells.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let worst = self
            .list
            .iter()
            .map(Session::outcome)
            .chain(self.worst_dropped)
            .reduce(Outcome::worse);
        let noise = match self.known {
            Some(known) => known.class,
            None if self.cut => Outcome::Truncated,
            None => Outcome::None,
        };
        worst.unwrap_or(noise)
    }
}

#[cfg(test)]
mod tests {
    use super::Sessions;
    use crate::dialect::Agent;
    use crate::dialect::class::known_message;
    use crate::dialect::reader::Reader;
    use crate::fact::Statement;
    use crate::json::view::Value;
    use crate::outcome::Outcome;

    const INIT: &str = r#"{"type":"init","timestamp":"t","session_id":"one","model":"auto"}"#;
    const PROMPT: &str = r#"{"type":"message","timestamp":"t","role":"user","content":"go"}"#;
    const DELTA: &str =
        r#"{"type":"message","timestamp":"t","role":"assistant","content":"Done.","delta":true}"#;
    const CALL: &str = r#"{"type":"tool_use","timestamp":"t","tool_name":"write_file","tool_id":"1","parameters":{"file_path":"a","content":"x"}}"#;
    const DENIED: &str = r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"no"}}"#;
    const WRITTEN: &str =
        r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"success"}"#;
    const WARNING: &str = r#"{"type":"error","timestamp":"t","severity":"warning","message":"Loop detected, stopping execution"}"#;
    const SUCCESS: &str = r#"{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":9,"input_tokens":5,"output_tokens":3,"duration_ms":7}}"#;
    const FAILURE: &str =
        r#"{"type":"result","timestamp":"t","status":"error","stats":{"duration_ms":0}}"#;

    fn sessions(records: &[&str]) -> Sessions {
        let mut sessions = Sessions::new(true);
        let mut reader = Reader::new();
        for record in records {
            let mut fold = |agent: Agent, _: Value<'_>, statement: Statement<'_>| {
                sessions.record(agent, &statement);
            };
            assert!(
                reader.read(Value::new(record.as_bytes()), &mut fold),
                "{record}"
            );
        }
        sessions
    }

    #[test]
    fn a_warning_before_a_success_is_not_fatal() {
        let all = sessions(&[INIT, PROMPT, DELTA, WARNING, SUCCESS]);
        let session = all.current().unwrap();
        assert_eq!(session.outcome(), Outcome::Success);
        assert!(!session.errors()[0].fatal);
        assert_eq!(session.usage().output, Some(4));
        assert_eq!(session.duration_ms(), Some(7));
    }

    #[test]
    fn a_failure_without_an_error_takes_the_one_before_it() {
        let all = sessions(&[INIT, PROMPT, WARNING, FAILURE]);
        let session = all.current().unwrap();
        assert_eq!(session.outcome(), Outcome::Failed);
        assert_eq!(session.errors().len(), 1);
        assert!(session.errors()[0].fatal);
        assert_eq!(session.duration_ms(), None);
    }

    #[test]
    fn a_denied_write_is_no_file() {
        let all = sessions(&[INIT, PROMPT, CALL, DENIED]);
        let tools = all.current().unwrap().tools().unwrap();
        assert_eq!(
            (tools.sum().denied, tools.sum().error, tools.files().len()),
            (1, 0, 0)
        );
        let all = sessions(&[INIT, PROMPT, CALL, WRITTEN]);
        assert_eq!(all.current().unwrap().tools().unwrap().files().len(), 1);
    }

    #[test]
    fn a_stream_that_just_stops_is_truncated_unless_the_noise_behind_it_says_why() {
        let mut all = sessions(&[INIT, PROMPT, DELTA]);
        assert_eq!(all.outcome(), Outcome::Truncated);
        all.known(known_message(b"Operation cancelled.").unwrap());
        assert_eq!(all.outcome(), Outcome::Cancelled);
    }

    #[test]
    fn a_retry_without_a_cause_explains_no_end() {
        let retry = r#"{"type":"system","subtype":"retry","session_id":"s","data":{"reason":"retry","preserveText":false}}"#;
        let init =
            r#"{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.24.4"}"#;
        assert_eq!(sessions(&[init, retry]).outcome(), Outcome::Truncated);
    }

    #[test]
    fn of_very_many_sessions_the_latest_and_the_worst_outcome_are_kept() {
        let mut all = sessions(&[INIT, FAILURE]);
        let mut reader = Reader::new();
        for number in 0..3 * super::SESSIONS_KEPT {
            let init = INIT.replace("one", &number.to_string());
            for record in [init.as_str(), SUCCESS] {
                let mut fold = |agent: Agent, _: Value<'_>, statement: Statement<'_>| {
                    all.record(agent, &statement);
                };
                let _ = reader.read(Value::new(record.as_bytes()), &mut fold);
            }
        }
        assert_eq!(
            all.dropped() + all.all().len(),
            3 * super::SESSIONS_KEPT + 1
        );
        assert!(all.all().len() <= 2 * super::SESSIONS_KEPT);
        assert_eq!(all.outcome(), Outcome::Failed);
        assert_eq!(all.current().unwrap().outcome(), Outcome::Success);
    }

    #[test]
    fn each_session_id_is_a_session_and_a_later_prompt_a_turn() {
        let two = INIT.replace("one", "two");
        let all = sessions(&[
            INIT, PROMPT, DELTA, SUCCESS, PROMPT, DELTA, SUCCESS, &two, PROMPT, DELTA,
        ]);
        let turns: Vec<_> = all
            .all()
            .iter()
            .map(|session| session.turns().unwrap())
            .collect();
        assert_eq!(turns, [2, 1]);
        assert_eq!(all.all()[0].assistant_text().unwrap(), "Done.\nDone.");
        assert_eq!(all.all()[0].response().unwrap(), "Done.");
        assert_eq!(all.outcome(), Outcome::Truncated);
    }
}
