//! Facts: what a record states, in the words of the domain and before any choice.
//!
//! A dialect turns each record of its agent into a [`Statement`]: a few properties of the record (session, time,
//! subagent) and a list of [`Fact`]s in the order of the record. A dialect does not decide what counts: it only says
//! that this text is a delta and that one a whole message, that these tokens are a total and those a turn's, that a
//! call was made and that its result arrived. [`crate::session`] and [`crate::event`] choose, by the same rules for all
//! agents.
//!
//! A dialect makes two conversions: from the error texts and codes of its agent to an [`Outcome`] (with the help of
//! [`crate::dialect::class`]), and from its token counts to one convention (see [`Tokens`]).

mod make;
mod tool;
mod usage;

pub use tool::{Call, Counts, LineCounts, Operation, ToolResult, ToolStatus, Write};
pub use usage::{Scope, Tokens, Usage};

use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_outcome::Outcome;

/// What one record states.
#[derive(Debug, Clone, Default)]
pub struct Statement<'a> {
    /// The session id, if the record has one. A record without an id belongs to the current session.
    pub session: Option<Text<'a>>,
    /// The id of the response of a model API that the record begins, or belongs to if others have come between.
    pub response: Option<Text<'a>>,
    /// The time stamp as the record has it: a string or a number.
    pub timestamp: Option<Value<'a>>,
    /// The tool id of the subagent that the record comes from. `None` for the main thread.
    pub parent: Option<Text<'a>>,
    /// The facts, in order. [`Fact::End`] comes last.
    pub facts: Vec<Fact<'a>>,
}

impl<'a> Statement<'a> {
    /// Adds a fact.
    #[inline]
    pub fn push(&mut self, fact: Fact<'a>) {
        self.facts.push(fact);
    }

    /// Adds facts.
    #[inline]
    pub fn extend(&mut self, facts: impl IntoIterator<Item = Fact<'a>>) {
        self.facts.extend(facts);
    }

    /// Adds the fact that the record says nothing of interest, if no other fact was added.
    pub(crate) fn or_known(&mut self, kind: Option<Text<'a>>) {
        if self.facts.is_empty() {
            self.push(Fact::known(kind));
        }
    }

    /// Returns whether the record states what happened in a session, and not only how it ended. An envelope does if it
    /// contains the session from its start; a terminal record does if it states the error that ended the run.
    #[must_use]
    pub fn is_of_stream(&self) -> bool {
        let happens = |fact: &Fact<'_>| match fact {
            Fact::Start(_) => true,
            Fact::Error(problem) => problem.fatal,
            _ => false,
        };
        !self.facts.is_empty() && (!self.is_terminal() || self.facts.iter().any(happens))
    }

    /// Returns whether the record states what the agent says or does.
    #[must_use]
    pub fn is_of_agent(&self) -> bool {
        let acts =
            |fact: &Fact<'_>| matches!(fact, Fact::Message(_) | Fact::Reasoning(_) | Fact::Call(_));
        self.facts.iter().any(acts)
    }

    /// Returns the start that the record states, if any.
    #[must_use]
    pub fn start(&self) -> Option<&Start<'a>> {
        self.facts.iter().find_map(|fact| match fact {
            Fact::Start(start) => Some(start),
            _ => None,
        })
    }

    /// Returns whether the record ends a run and states its answer. After the end of a run, such a record ends another
    /// run.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        let answers = |fact: &Fact<'_>| matches!(fact, Fact::End(End { text: Some(_), .. }));
        self.facts.iter().any(answers)
    }

    /// Returns whether the dialect does not know the record's type.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        let unknown = |fact: &Fact<'_>| matches!(fact, Fact::Other(Other { known: false, .. }));
        !self.facts.is_empty() && self.facts.iter().all(unknown)
    }

    /// Returns whether the record ends a turn or a session.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::End(_)))
    }

    /// Marks the end that the record states as a failure, for the reason that is given if it names more than the end
    /// does.
    pub(crate) fn fail(&mut self, failure: &Problem<'a>) {
        let says = failure.class != Outcome::Failed || !failure.message.is_empty();
        for fact in &mut self.facts {
            let Fact::End(end) = fact else {
                continue;
            };
            end.error = match end.error.take() {
                Some(error) => Some(error.or_class(failure.class)),
                None => Some(failure.clone()).filter(|_| end.success && says),
            };
            end.success = false;
        }
    }
}

/// One thing that a record states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fact<'a> {
    /// A session begins; or, if it has already begun, a new turn of it.
    Start(Start<'a>),
    /// The model at work, if it is not stated in a start.
    Model(Text<'a>),
    /// A new turn begins; what is said from here on is a new response.
    Turn,
    /// A step of a turn is over and another follows; what is said from here on is a new response, as after a tool call.
    Step,
    /// Text that was given to the agent.
    User(User<'a>),
    /// Text of the assistant, to be seen by the user. Error texts are [`Fact::Error`].
    Message(Message<'a>),
    /// Text that the model thinks.
    Reasoning(Message<'a>),
    /// The agent withdraws what its main thread said since the last tool call or the beginning of the turn.
    TakeBack,
    /// The open deltas of the main thread's message are discarded: the agent requests the message again.
    BreakOff,
    /// A tool is called.
    Call(Call<'a>),
    /// A call was not permitted, whatever status its result has. Comes before or after the result.
    Denial(Denial<'a>),
    /// A tool's result.
    Result(ToolResult<'a>),
    /// How often a tool was called, for records that give only numbers (envelopes).
    ToolTotals(Text<'a>, Counts),
    /// Token counts or cost.
    Usage(Usage<'a>),
    /// The milliseconds that one turn took, to be added up.
    TurnTook(u64),
    /// The milliseconds that the session has taken so far; they replace earlier ones.
    SessionTook(u64),
    /// The JSON that the agent gives for a schema, next to what it says.
    Structured(Text<'a>),
    /// Something is tried again.
    Retry(Problem<'a>),
    /// An error or a warning. It is fatal only if its own field says so, or if an [`End`] without success follows.
    Error(Problem<'a>),
    /// A task, a subagent or a command, works in the background from here on. Its id is that of the call that started
    /// it or, if it has none, its own.
    TaskStart(Text<'a>),
    /// The task with this id is done.
    TaskEnd(Text<'a>),
    /// The quota that is used up becomes available again at this time, in seconds since 1970.
    QuotaReset(i64),
    /// Nothing is pending: if the stream ends here, it ended well. For dialects without a terminal record.
    Rest,
    /// A turn or session is over. A later end of the same session overrides it.
    End(End<'a>),
    /// None of the above.
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
    /// Whether the text is a prompt, which opens a turn if something was said before. Otherwise the agent itself wrote
    /// it (a nudge, a subagent's task).
    pub prompt: bool,
}

/// Whether a text is a piece of a message or all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A piece. Consecutive pieces of one message are joined.
    Delta,
    /// All of one block of a message; other blocks of the message have the same id. If deltas with this id are still
    /// open, it repeats them. A block with the same id or, if it has none, of the same text repeats this one.
    Block,
    /// All of a message. If deltas with this id are still open, it repeats them. A later text with the same id replaces
    /// this one.
    Whole,
}

/// What a text of the assistant is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Channel {
    /// It answers, or the record does not say what it is for.
    #[default]
    Answer,
    /// It comments on the work. It is the response only if the turn has no other text.
    Commentary,
}

/// A message or a piece of one.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The id of the message, if it has one. Texts with different ids belong to different messages.
    pub id: Option<Text<'a>>,
    /// The id of the block, if it has one.
    pub block: Option<Text<'a>>,
    /// The text.
    pub text: Text<'a>,
    /// Whether `text` is a piece.
    pub form: Form,
    /// What the text is for.
    pub channel: Channel,
}

/// A call that was not permitted.
#[derive(Debug, Clone, Default)]
pub struct Denial<'a> {
    /// The id of the call; empty if the record has none.
    pub id: Text<'a>,
    /// The name of the tool, if the record has it.
    pub tool: Text<'a>,
}

/// An error, a warning or the cause of a retry.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The class of the problem.
    pub class: Outcome,
    /// The message.
    pub message: Text<'a>,
    /// The code, as the record has it.
    pub code: Option<Code<'a>>,
    /// Whether the problem ends the session, even if no [`End`] follows. Not asked of the cause of a retry.
    pub fatal: bool,
    /// When the quota that is used up becomes available again, in seconds since 1970. Stated by the record, or added by
    /// [`class::resets`](crate::dialect::class::resets).
    pub resets_at: Option<i64>,
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
    /// Whether the agent reports success.
    pub success: bool,
    /// What made the turn or session fail. Not needed if a [`Fact::Error`] already stated it.
    pub error: Option<Problem<'a>>,
    /// The agent's answer as its terminal record has it; for an envelope, the only text.
    pub text: Option<Text<'a>>,
    /// What is over.
    pub scope: EndScope,
}

/// What an end ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndScope {
    /// The turn or the session.
    #[default]
    Run,
    /// An attempt, or bookkeeping before the first turn: the record says that the run goes on. If nothing follows, the
    /// session ended like this.
    Attempt,
    /// A task, a step or a subagent inside the run, which goes on. A failure is an error that is not fatal.
    Inner,
}

/// A record that contributes nothing to a session.
#[derive(Debug, Clone)]
pub struct Other<'a> {
    /// The type of the record.
    pub kind: Option<Text<'a>>,
    /// Whether the dialect knows this type.
    pub known: bool,
    /// The agent's to-do list, an array of objects, if no tool call sets it.
    pub todos: Option<Value<'a>>,
}

impl<'a> Fact<'a> {
    /// Returns the fact of a record whose type the dialect does not know.
    #[must_use]
    pub const fn unknown(kind: Option<Text<'a>>) -> Self {
        Self::other(kind, false, None)
    }

    /// Returns the fact of a record whose type the dialect knows and that says nothing of interest.
    #[must_use]
    pub const fn known(kind: Option<Text<'a>>) -> Self {
        Self::other(kind, true, None)
    }

    /// Returns the fact of a record whose type the dialect knows and that contains the to-do list.
    #[must_use]
    pub const fn todos(kind: Option<Text<'a>>, list: Option<Value<'a>>) -> Self {
        Self::other(kind, true, list)
    }

    const fn other(kind: Option<Text<'a>>, known: bool, todos: Option<Value<'a>>) -> Self {
        Self::Other(Other { kind, known, todos })
    }
}

impl Code<'_> {
    /// Returns the code in this member of a record, if it is one.
    #[must_use]
    pub fn of(value: Value<'_>) -> Option<Code<'_>> {
        let number = value.as_i64().map(Code::Number);
        number.or_else(|| value.text().map(Code::Word))
    }

    /// Returns an owned copy of the code.
    #[must_use]
    pub fn into_owned(self) -> Code<'static> {
        match self {
            Self::Number(number) => Code::Number(number),
            Self::Word(word) => Code::Word(word.into_owned()),
        }
    }

    /// Returns the code as a number, even if it is written as a word.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(word) => word.as_str()?.parse().ok(),
        }
    }
}

impl Problem<'_> {
    /// Returns an owned copy of the problem.
    #[must_use]
    pub fn into_owned(self) -> Problem<'static> {
        Problem {
            class: self.class,
            message: self.message.into_owned(),
            code: self.code.map(Code::into_owned),
            fatal: self.fatal,
            resets_at: self.resets_at,
        }
    }
}
