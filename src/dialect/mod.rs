//! Dialects: each agent's grammar of envelopes and event records, read into [`Fact`](crate::fact::Fact)s.
//!
//! One file per agent. Each gives an [`Entry`]: how to [recognise](Entry::recognise) a record of the agent by its members
//! (never by how its line begins: the order of members varies) and a [`Dialect`] that states the [facts](Dialect::facts) of
//! one. [`Agent::entry`] is the registry; being an exhaustive match, it does not compile without a new agent's file.
//! [`Reader`](reader::Reader) chooses the dialect of each document.

pub mod api;
pub mod class;
pub mod lines;
pub mod reader;

mod amp;
mod blocks;
mod claims;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod goose;
mod kimi;
mod known;
mod opencode;
mod patch;
mod qwen;
#[cfg(test)]
pub(crate) mod testing;

use crate::fact::Statement;
use crate::json::view::{Name, Object};
pub(crate) use claims::Claims;

/// An agent whose dialect is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agent {
    /// Gemini CLI, `gemini -o json|stream-json`.
    Gemini,
    /// Claude Code, `claude -p --output-format json|stream-json`.
    Claude,
    /// OpenAI Codex, `codex exec --json`.
    Codex,
    /// Qwen Code, `qwen -o json|stream-json`.
    Qwen,
    /// opencode, `opencode run --format json`.
    Opencode,
    /// GitHub Copilot CLI, `copilot -p --output-format json`.
    Copilot,
    /// Cursor's agent, `cursor-agent -p --output-format json|stream-json`.
    Cursor,
    /// Amp, `amp -x --stream-json`.
    Amp,
    /// goose, `goose run --output-format json|stream-json`.
    Goose,
    /// Kimi CLI and Kimi Code, `kimi -p --output-format stream-json`.
    Kimi,
}

/// How sure a record is one of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It is none.
    No,
    /// It is one if the agent is known from elsewhere: what a record of an unknown type looks like.
    Possible,
    /// It is one unless another agent claims it more strongly. Opens a stream.
    Likely,
    /// It can be no other's. Switches the agent of a stream.
    Certain,
}

/// An agent's line in the registry.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The word that stands in `agent` and in `--agent`.
    pub name: &'static str,
    /// How sure a record, a whole envelope included, is one of this agent. Looks at members only.
    pub recognise: fn(&Object<'_>) -> Strength,
    /// Whether that is more than [`Strength::No`]: how much more is of no interest where the agent is known, and takes a
    /// closer look, mostly.
    pub is_possible: fn(&Object<'_>) -> bool,
    /// Members of which every record that is not [`Strength::No`] has at least one: of others the agent is not asked.
    pub names: &'static [Name],
    /// Members of which a record that is [`Strength::Certain`] has at least one.
    pub marks: &'static [Name],
    /// A reader of the agent's records, at the start of a stream.
    pub dialect: fn() -> Box<dyn Dialect>,
}

/// States the facts of one agent's records. May remember what it needs from one record to the next.
pub trait Dialect {
    /// Adds to `out` what `record` states. A record that the dialect does not know gives
    /// [`Fact::unknown`](crate::fact::Fact::unknown).
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>);
}

impl Agent {
    /// All agents, in the order in which a record is offered to them.
    pub const ALL: [Self; 10] = [
        Self::Gemini,
        Self::Claude,
        Self::Codex,
        Self::Qwen,
        Self::Opencode,
        Self::Copilot,
        Self::Cursor,
        Self::Amp,
        Self::Goose,
        Self::Kimi,
    ];

    /// The registry.
    #[must_use]
    pub const fn entry(self) -> Entry {
        match self {
            Self::Gemini => gemini::ENTRY,
            Self::Claude => claude::ENTRY,
            Self::Codex => codex::ENTRY,
            Self::Qwen => qwen::ENTRY,
            Self::Opencode => opencode::ENTRY,
            Self::Copilot => copilot::ENTRY,
            Self::Cursor => cursor::ENTRY,
            Self::Amp => amp::ENTRY,
            Self::Goose => goose::ENTRY,
            Self::Kimi => kimi::ENTRY,
        }
    }

    /// The word that stands in `agent` and in `--agent`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The agent that this one is a fork of. Forks print some of its error objects.
    #[must_use]
    pub const fn fork_of(self) -> Option<Self> {
        match self {
            Self::Qwen => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The agent of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }
}
