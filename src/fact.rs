//! What a record states, in the domain's words and before any choice.
//!
//! A dialect turns each record of its agent into a [`Statement`]: a few words about the record (session, time, subagent)
//! and a list of [`Fact`]s in the order in which the record gives them. A dialect does not decide what counts: it says
//! that this text is a delta and that one a whole message, that these tokens are a total and those a turn's, that a call was
//! made and that its result came. [`crate::session`] and [`crate::event`] choose, by rules that are the same for all agents.
//!
//! Two conversions are the dialect's: the error texts and codes of its agent to an [`Outcome`] (with the help of
//! [`crate::dialect::class`]), and its token counts to one convention (see [`Tokens`]).

mod make;

use crate::json::text::Text;
use crate::json::view::Value;
use crate::outcome::Outcome;

/// What one record states.
#[derive(Debug, Clone, Default)]
pub struct Statement<'a> {
    /// The session id, if the record carries one. A record without one belongs to the session that is going on.
    pub session: Option<Text<'a>>,
    /// The time stamp as the record has it: a string or a number.
    pub timestamp: Option<Value<'a>>,
    /// The tool id of the subagent that the record comes from. `None` for the main thread.
    pub parent: Option<Text<'a>>,
    /// The facts, in order. [`Fact::End`] comes last.
    pub facts: Facts<'a>,
}

impl<'a> Statement<'a> {
    /// Adds a fact.
    #[inline]
    pub fn push(&mut self, fact: Fact<'a>) {
        self.facts.push(fact);
    }

    /// Whether the record tells what happened in a session, not only how that ended: an envelope does if it holds the
    /// session from its start, a terminal record if it is that of an error.
    #[must_use]
    pub fn is_of_stream(&self) -> bool {
        let happens = |fact: &Fact<'_>| matches!(fact, Fact::Start(_) | Fact::Error(_));
        !self.facts.is_empty() && (!self.is_terminal() || self.facts.iter().any(happens))
    }

    /// The start that the record states, if it states one.
    #[must_use]
    pub fn start(&self) -> Option<&Start<'a>> {
        self.facts.iter().find_map(|fact| match fact {
            Fact::Start(start) => Some(start),
            _ => None,
        })
    }

    /// Whether the record is the end of a run that tells its answer: behind an end, that of another run.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        let answers = |fact: &Fact<'_>| matches!(fact, Fact::End(End { text: Some(_), .. }));
        self.facts.iter().any(answers)
    }

    /// Whether the record is of a type that the dialect does not know.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        let unknown = |fact: &Fact<'_>| matches!(fact, Fact::Other(Other { known: false, .. }));
        !self.facts.is_empty() && self.facts.iter().all(unknown)
    }

    /// Whether the record ends a turn or a session.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::End(_)))
    }

    /// What ends with the record has failed.
    pub(crate) fn fail(&mut self) {
        let Facts { first, more } = &mut self.facts;
        for fact in first.iter_mut().chain(more) {
            if let Fact::End(end) = fact {
                end.success = false;
            }
        }
    }
}

/// The facts of a record, in order. Most records state one.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    first: Option<Fact<'a>>,
    more: Vec<Fact<'a>>,
}

impl<'a> Facts<'a> {
    /// Adds a fact.
    #[inline]
    pub fn push(&mut self, fact: Fact<'a>) {
        if self.first.is_none() {
            self.first = Some(fact);
        } else {
            self.more.push(fact);
        }
    }

    /// The facts.
    pub fn iter(&self) -> impl Iterator<Item = &Fact<'a>> {
        self.first.iter().chain(&self.more)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl<'a> Extend<Fact<'a>> for Facts<'a> {
    fn extend<I: IntoIterator<Item = Fact<'a>>>(&mut self, facts: I) {
        facts.into_iter().for_each(|fact| self.push(fact));
    }
}

/// One thing that a record states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fact<'a> {
    /// A session begins, or, where it has begun before, a new turn of it.
    Start(Start<'a>),
    /// The model at work, stated outside a start.
    Model(Text<'a>),
    /// A new turn begins: what is said from here on is a new response.
    Turn,
    /// A step of a turn is over and another follows: what is said from here on is a new response, as behind a tool call.
    Step,
    /// Text that was given to the agent.
    User(User<'a>),
    /// Text of the assistant, to be seen by the user. Error texts are [`Fact::Error`].
    Message(Message<'a>),
    /// Text that the model thinks.
    Reasoning(Message<'a>),
    /// The agent withdraws what its main thread said since the last tool call or the beginning of the turn.
    TakeBack,
    /// The message of the main thread whose deltas are open breaks off: the agent asks for it anew.
    BreakOff,
    /// A tool is called.
    Call(Call<'a>),
    /// A call, by its id, was not permitted, whatever status its result has. Before or behind that result.
    Denial(Text<'a>),
    /// A tool's result.
    Result(ToolResult<'a>),
    /// How often a tool was called, for records that give only numbers (envelopes).
    ToolTotals(ToolTotals<'a>),
    /// Token counts or cost.
    Usage(Usage<'a>),
    /// Time that was needed.
    Duration(Duration),
    /// Something is tried again.
    Retry(Problem<'a>),
    /// An error or a warning. It is fatal only where its own field says so, or an [`End`] without success follows.
    Error(Problem<'a>),
    /// A subagent works in the background from here on, named by the tool id of its call.
    SubagentStart(Text<'a>),
    /// That subagent is done.
    SubagentEnd(Text<'a>),
    /// Nothing is pending: if the stream ends here, it ended well. For dialects without a terminal record.
    Rest,
    /// A turn or session is over. A later one of the same session overrides it.
    End(End<'a>),
    /// Nothing of the above.
    Other(Other<'a>),
}

/// The start of a session.
#[derive(Debug, Clone, Default)]
pub struct Start<'a> {
    /// The version of the agent.
    pub agent_version: Option<Text<'a>>,
    /// The model, as the agent names it.
    pub model: Option<Text<'a>>,
    /// The folder that the agent works in.
    pub folder: Option<Text<'a>>,
}

/// Text that was given to the agent.
#[derive(Debug, Clone)]
pub struct User<'a> {
    /// The text.
    pub text: Text<'a>,
    /// Whether it is a prompt, which opens a turn if something was said before; otherwise the agent itself wrote it
    /// (a nudge, a subagent's task).
    pub prompt: bool,
}

/// Whether text is a piece or all of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A piece. Pieces of one message follow each other and are put together.
    Delta,
    /// All of a message or of a block of one. If deltas with the same id are still open, it repeats them.
    Whole,
}

/// A message or a piece of one.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// What tells messages apart, if anything does. Ids that are not the same, both given, part two messages.
    pub id: Option<Text<'a>>,
    /// The text.
    pub text: Text<'a>,
    /// Whether `text` is a piece.
    pub form: Form,
}

/// A tool call.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// What its result refers to.
    pub id: Text<'a>,
    /// The tool.
    pub name: Text<'a>,
    /// The parameters: JSON text without white space between its tokens.
    pub parameters: Text<'a>,
    /// The file or directory that the call is about.
    pub path: Option<Text<'a>>,
    /// The files that it writes if it succeeds, where the call says so.
    pub writes: Vec<Write<'a>>,
}

/// A file that a tool writes.
#[derive(Debug, Clone)]
pub struct Write<'a> {
    /// The file, as the record has it. Empty in a result that does not name it: the file that its call writes.
    pub path: Text<'a>,
    /// What is done to it, if known.
    pub operation: Option<Operation>,
    /// Lines that are added, if known.
    pub lines_added: Option<u64>,
    /// Lines that are removed, if known.
    pub lines_removed: Option<u64>,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// It was not there before.
    Create,
    /// It was.
    Update,
    /// It is there no more.
    Delete,
}

impl Operation {
    /// The word that stands in `operation`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// How a tool call ended, as the record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolStatus {
    /// It did what it does.
    Success,
    /// It failed.
    Error,
    /// It was not permitted.
    Denied,
}

/// The result of a tool call.
#[derive(Debug, Clone)]
pub struct ToolResult<'a> {
    /// The id of its call.
    pub id: Text<'a>,
    /// How it ended.
    pub status: ToolStatus,
    /// What it gave.
    pub output: Option<Text<'a>>,
    /// What went wrong.
    pub error: Option<Text<'a>>,
    /// The exit code of a command, where the record has it.
    pub exit_code: Option<i64>,
    /// Milliseconds that it took.
    pub duration_ms: Option<u64>,
    /// The files that it wrote, where the result says so. If it does not, those of its call count.
    pub writes: Vec<Write<'a>>,
    /// The call itself, where the record states both. It counts only if no call with that id is waiting for its result.
    pub call: Option<Box<Call<'a>>>,
}

/// How often one tool was called, with what success.
#[derive(Debug, Clone)]
pub struct ToolTotals<'a> {
    /// The tool.
    pub name: Text<'a>,
    /// All calls.
    pub calls: u64,
    /// Those that succeeded.
    pub success: u64,
    /// Those that failed.
    pub error: u64,
    /// Those that were denied; they are not in `error`.
    pub denied: u64,
    /// Milliseconds of all of them.
    pub duration_ms: Option<u64>,
}

/// What a count is a count of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The session or process up to here. It replaces what was said before (for the same model).
    Session,
    /// The turn that ends here. Turns are added up.
    Turn,
    /// One request to the model. Requests are added up; a repeated id replaces what was said about it before.
    /// `None` is a request of its own every time.
    Request(Option<Text<'a>>),
    /// One request to the model, by an id that is the same in every session that tells of it: it counts for the first of them.
    Once(Text<'a>),
}

/// Token counts and cost. Where a session has several scopes, the widest one with tokens counts.
#[derive(Debug, Clone)]
pub struct Usage<'a> {
    /// What it is a count of.
    pub scope: Scope<'a>,
    /// The model, if the count is for one model only. Models are added up where no count for all of them is given.
    pub model: Option<Text<'a>>,
    /// The counts.
    pub tokens: Tokens,
}

/// Token counts in one convention. `None` is unknown, and a sum with an unknown part is unknown.
///
/// ```
/// let run = r#"{"type":"thread.started","thread_id":"t"}
/// {"type":"turn.completed","usage":{"input_tokens":90,"cached_input_tokens":80,"output_tokens":3}}
/// "#;
/// let tokens = jsift::session(run)?.usage();
/// assert_eq!((tokens.input, tokens.cached, tokens.output), (Some(90), Some(80), Some(3)));
/// assert_eq!((tokens.total, tokens.cost_usd), (Some(93), None));
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Tokens {
    /// All input, cached tokens (read and written) included.
    pub input: Option<u64>,
    /// Input that was read from a cache.
    pub cached: Option<u64>,
    /// All output, reasoning included.
    pub output: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning: Option<u64>,
    /// What the agent calls the total, or input and output.
    pub total: Option<u64>,
    /// Requests to a model.
    pub requests: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
}

/// What a duration measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duration {
    /// Milliseconds.
    pub ms: u64,
    /// Whether it is the time of one turn, to be added up. Otherwise it is that of the session, and replaces another.
    pub turn: bool,
}

/// An error, a warning or the cause of a retry.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// Its class.
    pub class: Outcome,
    /// The message.
    pub message: Text<'a>,
    /// The code, as the record has it.
    pub code: Option<Code<'a>>,
    /// Whether it ends the session, also where no [`End`] follows. False for a retry.
    pub fatal: bool,
}

/// An error code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code<'a> {
    /// An HTTP status or exit code.
    Number(i64),
    /// A name.
    Word(Text<'a>),
}

/// The end of a turn or session.
#[derive(Debug, Clone, Default)]
pub struct End<'a> {
    /// Whether the agent says that it succeeded.
    pub success: bool,
    /// What made it fail. If that was stated before, by an [`Fact::Error`], it is not needed again.
    pub error: Option<Problem<'a>>,
    /// The agent's answer as its terminal record has it; for an envelope the only text.
    pub text: Option<Text<'a>>,
}

/// A record that states nothing that a session is made of.
#[derive(Debug, Clone)]
pub struct Other<'a> {
    /// Its type.
    pub kind: Option<Text<'a>>,
    /// Whether the dialect knows that type.
    pub known: bool,
    /// The agent's list of things to do, where no tool call sets it: an array of objects.
    pub todos: Option<Value<'a>>,
}

impl<'a> Fact<'a> {
    /// A record of a type that the dialect does not know.
    #[must_use]
    pub const fn unknown(kind: Option<Text<'a>>) -> Self {
        Self::Other(Other {
            kind,
            known: false,
            todos: None,
        })
    }

    /// A record of a type that the dialect knows and that says nothing of interest.
    #[must_use]
    pub const fn known(kind: Option<Text<'a>>) -> Self {
        Self::Other(Other {
            kind,
            known: true,
            todos: None,
        })
    }

    /// A record of a type that the dialect knows and that holds the list of things to do.
    #[must_use]
    pub const fn todos(kind: Option<Text<'a>>, list: Option<Value<'a>>) -> Self {
        Self::Other(Other {
            kind,
            known: true,
            todos: list,
        })
    }
}

impl Code<'_> {
    /// The code that a member of a record holds.
    #[must_use]
    pub fn of(value: Value<'_>) -> Option<Code<'_>> {
        value
            .as_i64()
            .map(Code::Number)
            .or_else(|| value.text().map(Code::Word))
    }

    /// The code without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Code<'static> {
        match self {
            Self::Number(number) => Code::Number(number),
            Self::Word(word) => Code::Word(word.into_owned()),
        }
    }

    /// The number, even if it is written as a word.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(word) => word.as_str()?.parse().ok(),
        }
    }
}

impl Problem<'_> {
    /// The problem without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Problem<'static> {
        Problem {
            class: self.class,
            message: self.message.into_owned(),
            code: self.code.map(Code::into_owned),
            fatal: self.fatal,
        }
    }
}

impl Call<'_> {
    /// The call without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Call<'static> {
        Call {
            id: self.id.into_owned(),
            name: self.name.into_owned(),
            parameters: self.parameters.into_owned(),
            path: self.path.map(Text::into_owned),
            writes: self.writes.into_iter().map(Write::into_owned).collect(),
        }
    }
}

impl<'a> Write<'a> {
    /// A write of a file, with the lines that it adds and removes, if these are known.
    #[must_use]
    pub fn new(path: Text<'a>, operation: Option<Operation>, lines: Option<(u64, u64)>) -> Self {
        let (lines_added, lines_removed) = lines.unzip();
        Self {
            path,
            operation,
            lines_added,
            lines_removed,
        }
    }

    /// A write that a result states; what it leaves open is what its call said.
    #[must_use]
    pub fn or(self, call: Option<&Self>) -> Self {
        let Some(call) = call else {
            return self;
        };
        Self {
            path: if self.path.is_empty() {
                call.path.clone()
            } else {
                self.path
            },
            operation: self.operation.or(call.operation),
            lines_added: self.lines_added.or(call.lines_added),
            lines_removed: self.lines_removed.or(call.lines_removed),
        }
    }

    /// The write without what it was borrowed from.
    #[must_use]
    pub fn into_owned(self) -> Write<'static> {
        Write {
            path: self.path.into_owned(),
            operation: self.operation,
            lines_added: self.lines_added,
            lines_removed: self.lines_removed,
        }
    }
}

impl Tokens {
    /// Whether any number is known.
    #[must_use]
    pub(crate) fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Whether any count is known; a cost is none.
    #[must_use]
    pub(crate) fn has_counts(&self) -> bool {
        Self {
            cost_usd: None,
            ..*self
        }
        .is_known()
    }

    /// The counts with the total set to input and output, for agents that have no total of their own.
    #[must_use]
    pub(crate) fn with_total(self) -> Self {
        let total = self.total.or_else(|| self.input?.checked_add(self.output?));
        Self { total, ..self }
    }

    /// The counts with what a cache had, and what was written to one, added to the input, for agents whose input leaves it
    /// out.
    #[must_use]
    pub(crate) fn with_cache(self, written: Option<u64>) -> Self {
        let cache = self
            .cached
            .unwrap_or(0)
            .saturating_add(written.unwrap_or(0));
        let input = self.input.map(|fresh| fresh.saturating_add(cache));
        Self { input, ..self }
    }

    /// The sum. A number that one part does not know is unknown.
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Self {
            input: sum(self.input, other.input),
            cached: sum(self.cached, other.cached),
            output: sum(self.output, other.output),
            reasoning: sum(self.reasoning, other.reasoning),
            total: sum(self.total, other.total),
            requests: sum(self.requests, other.requests),
            // JSON has no number for what a float cannot hold.
            cost_usd: (self.cost_usd.zip(other.cost_usd))
                .map(|(a, b)| a + b)
                .filter(|sum| sum.is_finite()),
        }
    }

    /// These numbers, those of `other` where they are unknown.
    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            input: self.input.or(other.input),
            cached: self.cached.or(other.cached),
            output: self.output.or(other.output),
            reasoning: self.reasoning.or(other.reasoning),
            total: self.total.or(other.total),
            requests: self.requests.or(other.requests),
            cost_usd: self.cost_usd.or(other.cost_usd),
        }
    }
}
