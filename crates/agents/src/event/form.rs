//! Progress events, and what receives them.
//!
//! # The form of an event
//!
//! An event is one JSON object on one line with these members in this order. Unknown members are left out. The list may
//! grow.
//!
//! | key | content |
//! |---|---|
//! | `phase` | `init` `user` `assistant` `reasoning` `tool` `file` `retry` `error` `complete` `other` |
//! | `status` | `running` `stream` `success` `error` `denied` `cancelled` |
//! | `label` | init: model; tool: tool name; file: operation; error, retry: class; complete: outcome; other: the record's type |
//! | `message` | user, assistant, reasoning: text; tool call: parameters as compact JSON; tool result: output or error; error, retry: the message; complete: one line on duration and tokens |
//! | `detail` | init: session id; tool, file: tool id |
//! | `path` | the file that a tool call or result is about |
//! | `progress` | 1.0 on tool results and complete |
//! | `usage` | complete: as in a summary |
//! | `timestamp` | as the record has it |
//! | `agent` | the dialect |
//! | `source` | the name of the source, if the command reads several |
//! | `parent` | the tool id of the subagent it came from |
//! | `prefix` | the line prefix that names the record's source, once several sources are distinguished by prefixes |
//! | `line` | line number of the record in its source |
//! | `raw` | the record, if requested |

use std::ops::Range;
use std::time::Duration;

use crate::dialect::Agent;
use crate::fact::{LineCounts, Tokens, ToolStatus};
use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_outcome::Outcome;

/// What an event is about.
///
/// ```
/// use jsift::{EventFeed, Phase};
///
/// let mut feed = EventFeed::new();
/// let begin = r#"{"type":"thread.started","thread_id":"t"}"#;
/// let phases: Vec<_> = feed.push_line(begin).map(|event| event.phase).collect();
/// assert_eq!(phases, [Phase::Init]);
/// assert_eq!(Phase::Init.word(), "init");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Phase {
    /// A session began.
    Init,
    /// A prompt.
    User,
    /// Text of the agent.
    Assistant,
    /// The agent's thoughts.
    Reasoning,
    /// A tool call or its result.
    Tool,
    /// A file was changed.
    File,
    /// The agent tries again.
    Retry,
    /// Something went wrong.
    Error,
    /// A session ended.
    Complete,
    /// A record of unknown type.
    #[default]
    Other,
}

impl Phase {
    /// Returns the word for this phase in the member `phase`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::Tool => "tool",
            Self::File => "file",
            Self::Retry => "retry",
            Self::Error => "error",
            Self::Complete => "complete",
            Self::Other => "other",
        }
    }
}

/// How far the subject of an event has come.
///
/// ```
/// use jsift::{EventFeed, Status};
///
/// let mut feed = EventFeed::new();
/// feed.push_line(r#"{"type":"thread.started","thread_id":"t"}"#).for_each(drop);
/// let said = r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}"#;
/// let event = feed.push_line(said).last().unwrap();
/// assert_eq!(event.status, Some(Status::Success));
/// assert_eq!(Status::Success.word(), "success");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// It has begun.
    Running,
    /// It is a piece of text.
    Stream,
    /// It is done.
    Success,
    /// It failed.
    Error,
    /// It was not permitted.
    Denied,
    /// It was interrupted.
    Cancelled,
}

impl Status {
    /// Returns the word for this status in the member `status`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stream => "stream",
            Self::Success => "success",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Cancelled => "cancelled",
        }
    }

    pub(super) const fn of_tool(status: ToolStatus) -> Self {
        match status {
            ToolStatus::Success => Self::Success,
            ToolStatus::Error => Self::Error,
            ToolStatus::Denied => Self::Denied,
        }
    }

    pub(super) const fn of_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => Self::Success,
            Outcome::Cancelled => Self::Cancelled,
            _ => Self::Error,
        }
    }
}

/// A progress event; the module documentation describes its members.
#[derive(Debug, Clone, Copy, Default)]
pub struct Event<'a> {
    /// What the event is about.
    pub phase: Phase,
    /// How far its subject has come.
    pub status: Option<Status>,
    /// The model, tool name, operation, class, outcome or type.
    pub label: Option<&'a Text<'a>>,
    /// The text.
    pub message: Option<&'a Text<'a>>,
    /// The session id or tool id.
    pub detail: Option<&'a Text<'a>>,
    /// The file.
    pub path: Option<&'a Text<'a>>,
    /// Whether this is the last event about its subject: `progress` is 1.0.
    pub done: bool,
    /// The tokens and the cost of the session.
    pub usage: Option<Tokens>,
    /// The record's time stamp.
    pub timestamp: Option<Value<'a>>,
    /// The dialect.
    pub agent: Option<Agent>,
    /// The tool id of the subagent that the record comes from.
    pub parent: Option<&'a Text<'a>>,
    /// The [prefix](crate::session::Session::prefix) of its session, if several sources are distinguished by their
    /// prefixes so far.
    pub prefix: Option<&'a Text<'a>>,
    /// The [number](crate::session::Session::number) of its session, 0 if there is none; not part of the JSON form.
    pub session: u64,
    /// The number of the step in its session that the event is about, if that is a message, a thought or a call: what
    /// has the same number is more of the same. Not part of the JSON form.
    pub step: Option<u64>,
    /// The step that is the call of the subagent that the record comes from; not part of the JSON form.
    pub parent_step: Option<u64>,
    /// The line of the record, 1-based.
    pub line: Option<u64>,
    /// The record.
    pub raw: Option<Value<'a>>,
    /// What a tool changed in files; shown to people, not part of the JSON form.
    pub change: Option<LineCounts>,
    /// How long a tool took, if the agent states it; shown to people, not part of the JSON form.
    pub took: Option<Duration>,
    /// The exit code of the command that a tool ran, if the agent states it; shown to people, not part of the JSON
    /// form.
    pub exit_code: Option<i64>,
    /// The agent's to-do list, if no tool call sets it; shown to people, not part of the JSON form.
    pub todos: Option<Value<'a>>,
    /// Whether the dialect does not know the record's type; not part of the JSON form.
    pub unknown: bool,
    /// The folder that the agent works in, as init states it; not part of the JSON form.
    pub folder: Option<&'a Text<'a>>,
    /// Whether the event is a warning: an error after which the run continues, or the success of a run in which no tool
    /// call succeeded; shown to people, not part of the JSON form.
    pub warns: bool,
}

impl Event<'_> {
    /// Returns an event of this phase that has what all events of its record have.
    #[inline(always)]
    pub(super) const fn of(self, phase: Phase) -> Self {
        Self { phase, ..self }
    }
}

/// Receives the steps of sessions, as events. A function that takes events is one.
pub trait Steps {
    /// Receives an event.
    fn event(&mut self, event: &Event<'_>);

    /// Receives the numbers of messages of a session that the agent takes back; those of other threads are not.
    fn taken_back(&mut self, _session: u64, _steps: Range<u64>) {}
}

impl<F: FnMut(&Event<'_>)> Steps for F {
    fn event(&mut self, event: &Event<'_>) {
        self(event);
    }
}
