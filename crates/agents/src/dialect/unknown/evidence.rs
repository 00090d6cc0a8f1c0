//! Decides whether records are those of an unknown agent.

use super::envelope::{RUN_IDS, names_run};
use super::reading::Unknown;
use super::reading::course::subject;
use super::{ROLE, UNTYPED, discriminator, kind, messages, named, snapshot, stated_by, wrapped};
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words, split};

/// Words that identify no agent if a record's type has no others.
const COMMON: Words = Words::INNER
    .with(Words::TURN)
    .with(Words::AGAIN)
    .with(Words::RUN)
    .with(Words::TASK);

/// What is called so is a run if it is a session's, or if an id of the run is called so.
pub(super) const VAGUE: [&[u8]; 2] = [b"execution", b"workflow"];
/// What else a run may be a part of.
pub(super) const OTHERS: [&[u8]; 5] = [b"session", b"conversation", b"thread", b"chat", b"stream"];
/// Words in the type of a failure that is no fault of what failed.
const STOPPED: [&[u8]; 2] = [b"interrupted", b"timed"];

/// The signs in a record that it is an agent's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    pub(super) starts: bool,
    /// It is a start that names a model.
    pub(super) names_model: bool,
    /// It contains a prompt.
    pub(super) asks: bool,
    /// It is the start of a turn or of an agent, with its prompt.
    pub(super) prompts: bool,
    /// It contains what a model thinks.
    pub(super) thinks: bool,
    /// It contains the result of an earlier call.
    pub(super) pairs: bool,
    /// It contains a text, under a name that only texts have.
    pub(super) says: bool,
    pub(super) ends: bool,
    /// It states that the run failed.
    pub(super) fails: bool,
    /// It is an end with an answer, under a name that only answers have.
    pub(super) answers: bool,
    /// It contains a text, the result of an earlier call, or an end with an answer.
    pub(super) acts: bool,
    /// Only programs around a language model write such a record.
    pub(super) of_model: bool,
}

/// Evidence that records are an unknown agent's: two or more of them have their type in the same member, and they show
/// what agents do. That is an end with an answer, an end with any text after a turn that started with its prompt, a
/// text between a start and an end, a thought before an end, or, since jobs, telephones and chats have calls and
/// messages, too, any text or any call with its result next to a record such as only programs around a language model
/// write. A start that names a model is none (a training has it, too), unless there are a call with its result, or a
/// prompt, and an end.
#[derive(Debug, Default)]
pub(in crate::dialect) struct UnknownEvidence {
    reading: Unknown,
    /// For each discriminator, the number of records that it describes; the last number is that of records without one.
    counts: [u32; UNTYPED + 1],
    started: bool,
    /// The start was that of a run or of an agent.
    run_started: bool,
    /// What that start says was started, if its failure alone says that the records are those of a run.
    begun: Option<Vec<u8>>,
    /// A record named its run and its session.
    named: bool,
    /// There was a text after a start.
    said: bool,
    /// There was a text or a tool after a start in a record of any type, a piece of a text, or a message with a role.
    streamed: bool,
    /// There was a text such as other data contain, too: a chunk, as documents have, or the answer in a message. It is
    /// one of a stream if an end or a failure follows.
    may_stream: bool,
    /// A start named a model.
    names_model: bool,
    /// There was a prompt.
    asked: bool,
    /// A turn or an agent started with its prompt.
    prompted: bool,
    /// There was a thought.
    thought: bool,
    /// There was a call with its result.
    paired: bool,
    /// There was an end with an answer, or a text between a start and an end.
    ended: bool,
    /// Something was said or done.
    acted: bool,
    /// A record was such as only programs around a language model write.
    of_model: bool,
    /// A message of the system was seen: the records are a request.
    request: bool,
    /// Whether the last record may be an unknown agent's.
    pub(in crate::dialect) candidate: bool,
    /// The evidence of records with a level, which are a log's, whoever writes it: they open no run, but are no answer.
    logged: Option<Box<Self>>,
    /// The records are clearly an agent's.
    recognised: bool,
}

impl UnknownEvidence {
    /// Adds a record; returns whether the records are now clearly an agent's.
    pub(in crate::dialect) fn add(&mut self, record: &Object<'_>) -> bool {
        self.candidate = false;
        if record.has("level") {
            let logged = self.logged.get_or_insert_default();
            logged.recognised |= logged.weigh(record);
            return false;
        }
        self.weigh(record)
    }

    fn weigh(&mut self, record: &Object<'_>) -> bool {
        let follows = || (self.named && usual::failure(record).is_some()).then_some(UNTYPED);
        let at = discriminator(record).or_else(follows);
        let Some(at) = at else {
            return false;
        };
        let role = at == ROLE;
        self.counts[at] += 1;
        self.request |= role && record.is("role", "system");
        self.streamed |= role && record.has("content");
        if role && self.request {
            return false;
        }
        // Other records are left unread.
        let tells_inside = |inner: Object<'_>| stated_by(&inner).is_some();
        let words = usual::words(record);
        let ends_message = words.has_all(Words::SAY.with(Words::END));
        let calls =
            words.has_all(Words::TOOL.with(Words::MODEL)) && usual::tool_name(record).is_some();
        let is_piece = |words: Words| words.has_all(Words::SAY.with(Words::PIECE));
        let is_chunk = kind(record).is_some_and(|kind| kind.as_bytes() == b"chunk");
        let of_text =
            words.has_all(Words::CONTENT.with(Words::PIECE)) && usual::is_delta_of_text(record);
        let answers =
            words.has_all(Words::SAY.with(Words::INNER)) && record.holds("answer", Kind::String);
        self.streamed |= is_piece(words)
            || of_text && !is_chunk
            || self.may_stream && words.has(Words::END.with(Words::WRONG))
            || words.has_all(Words::RUN.with(Words::CONTENT)) && usual::has_text(record)
            || wrapped(record).any(|inner| is_piece(usual::words(&inner)))
            || self.started && (ends_message || calls || usual::has_text(record));
        self.may_stream |= of_text && is_chunk || answers;
        self.candidate = role
            || at == UNTYPED
            || !COMMON.has_all(words)
            || words.has(Words::RUN)
                && (usual::goes_on(record) || usual::failure(record).is_some())
            || wrapped(record).any(tells_inside)
            || named(&record.inner("params")).any(tells_inside)
            || record.holds("parts", Kind::Array)
            || snapshot(record).is_some()
            || (record.object("data")).is_some_and(|data| messages(&data).next().is_some());
        if self.candidate {
            self.read(record);
        }
        // A record without a type follows the records before it.
        let others = self.counts.iter().sum::<u32>() > 1;
        let again = self.counts[at] > 1 || at == UNTYPED && others;
        (self.ended || self.acted && self.of_model) && again
    }

    /// Whether the records are a stream although they are not clearly an agent's: one of them is such as only programs
    /// around a language model write, and it is one of `several` documents or of several records that say what they
    /// are; or a run began, and the `chosen` one says what it is in the same member as others. That records have a
    /// type, whatever words are in it, shows nothing: those of tests, of findings and of a terminal have one, too.
    pub(in crate::dialect) fn may_be_agents(
        &self,
        several: bool,
        chosen: Option<&Object<'_>>,
    ) -> bool {
        let several = several || self.counts.iter().sum::<u32>() > 1;
        let is_one_of_several = || {
            // Logs wrap events, too (Elastic's schema).
            let is_own = |record: &&Object<'_>| {
                !record.holds("event", Kind::Object) || stated_by(record).is_some()
            };
            let at = chosen.filter(is_own).and_then(discriminator);
            at.is_some_and(|at| self.counts[at] > 1)
        };
        let of_log = self.logged.as_ref().is_some_and(|logged| logged.recognised);
        of_log
            || !self.request && self.of_model && several
            || self.has_begun() && is_one_of_several()
    }

    /// Whether the elements of an array are a stream in the same way: several of them say in the same member what they
    /// are.
    pub(in crate::dialect) fn may_be_agents_in_array(&self) -> bool {
        let several = |counts: &[u32]| counts.iter().any(|count| *count > 1);
        self.may_be_agents(false, None)
            || self.has_begun() && self.counts.get(..UNTYPED).is_some_and(several)
    }

    /// Whether a run has begun: the start of one was stated, or something of what follows a start.
    const fn has_begun(&self) -> bool {
        self.begun.is_some() || self.asked || self.thought || self.streamed
    }

    fn read(&mut self, record: &Object<'_>) {
        let mut statement = Statement::default();
        self.reading.facts(record, &mut statement);
        let signs = self.reading.signs;
        self.named |= names_run(record);
        let of_agent = self.said || self.thought || self.names_model && (self.paired || self.asked);
        let may_be_run = self.run_started || self.names_model;
        let blames_model = may_be_run && statement.facts.iter().any(blames_model);
        // Why something finished is said of a model.
        let of_model = || signs.ends && names!("finishReason finish_reason").is_in(record);
        let fails =
            signs.fails && (self.named || blames_model || self.is_of_begun(record) || of_model());
        let answers_prompt = self.prompted && statement.facts.iter().any(has_answer);
        self.ended |= signs.answers || signs.ends && of_agent || answers_prompt || fails;
        self.names_model |= signs.names_model;
        self.asked |= signs.asks || signs.prompts;
        self.prompted |= signs.prompts;
        self.thought |= signs.thinks;
        self.paired |= signs.pairs;
        self.said |= signs.says && self.started;
        self.started |= signs.starts;
        let named = statement.session.is_some();
        if signs.starts && starts_run(record, named) {
            self.run_started = true;
            self.begun = begun(record, named).or(self.begun.take());
        }
        self.acted |= signs.acts;
        self.of_model |= signs.of_model || usual::counts_tokens(record);
    }

    /// Whether a record is about what was begun.
    fn is_of_begun(&self, record: &Object<'_>) -> bool {
        let Some(kind) = kind(record) else {
            return false;
        };
        let of = subject(&kind).to_ascii_lowercase();
        // Sessions and streams of other kinds are interrupted, too.
        let runs = Words::RUN.with(Words::AGENT).with(Words::TURN);
        let is_run = || Words::of(&of).has(runs) || split(&of).any(|word| VAGUE.contains(&word));
        let is_stopped = split(kind.as_bytes()).any(|word| STOPPED.contains(&word));
        self.begun.as_ref() == Some(&of) && (!is_stopped || is_run())
    }

    /// Whether a run was begun that is called so.
    pub(in crate::dialect) fn has_begun_run(&self) -> bool {
        let is_run = |begun: &Vec<u8>| Words::of(begun).has(Words::RUN);
        !self.request && self.begun.as_ref().is_some_and(is_run)
    }

    /// Whether any record may be an unknown agent's.
    pub(in crate::dialect) fn has_any(&self) -> bool {
        !self.request && self.counts.iter().any(|count| *count > 0)
    }
}

/// Whether a record with a start says that it is the start of a run or of an agent: by its type or by the id of the run
/// or of the session, which `named` says that it names. The response in a session may be all that is started (Mistral).
fn starts_run(record: &Object<'_>, named: bool) -> bool {
    let words = usual::words(record);
    let is_part = words.has(Words::INNER) && !(named && words.has(Words::SAY));
    !is_part
        && !words.has(Words::TASK)
        && (named || RUN_IDS.is_in(record) || words.has(Words::RUN.with(Words::AGENT)))
}

/// Returns what the start of a run starts, in the words of its type, if other programs hardly start such a thing: a
/// run, or what has the id of a run or of a session. A failure of the same thing is evidence as good as an answer.
/// Jobs, builds and trainings have runs with ids, too, but are not called so.
fn begun(record: &Object<'_>, named: bool) -> Option<Vec<u8>> {
    let begun = subject(&kind(record)?).to_ascii_lowercase();
    let of_run = Words::RUN
        .with(Words::AGENT)
        .with(Words::SAY)
        .with(Words::TURN);
    let is_usual = |word: &[u8]| Words::of(word).has(of_run) || OTHERS.contains(&word);
    let has_usual = split(&begun).any(is_usual) || record.has("workflow_run_id");
    let is_named = named || RUN_IDS.is_in(record) || Words::of(&begun).has(Words::RUN);
    let is_known = |word: &[u8]| is_usual(word) || has_usual && VAGUE.contains(&word);
    let are_usual = usual::alphabetic_words(&begun).all(is_known);
    (is_named && are_usual).then_some(begun)
}

/// Whether a fact is an end with an answer.
fn has_answer(fact: &Fact<'_>) -> bool {
    matches!(fact, Fact::End(end) if end.success && end.text.is_some())
}

/// Whether a fact is a failure that [`blames_model`](usual::blames_model).
fn blames_model(fact: &Fact<'_>) -> bool {
    let problem = match fact {
        Fact::Error(problem) => Some(problem),
        Fact::End(end) => end.error.as_ref(),
        _ => None,
    };
    problem.is_some_and(usual::blames_model)
}
