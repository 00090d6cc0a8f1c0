//! Dialects: each agent's grammar of envelopes and event records, read into [`Fact`](crate::fact::Fact)s.
//!
//! One file per agent. Each file gives an [`Entry`]: a table of [shapes](RecordShape) that describes the agent's
//! records, and a [`Dialect`] that states the [facts](Dialect::facts) of one record. `Agent::entry` is the registry;
//! it is an exhaustive match, so it does not compile without the file of a new agent. `reader`
//! chooses the dialect of each document.

pub mod class;
pub mod lines;
pub mod reader;
mod roo;

mod acp;
mod agy;
mod amp;
mod auggie;
mod blocks;
mod claude;
mod cline;
mod codex;
mod continue_cli;
mod copilot;
mod cursor;
mod disk;
mod droid;
mod gemini;
mod goose;
mod grok;
mod grok_build;
mod junie;
mod kimi;
mod kiro;
mod known;
mod opencode;
mod openhands;
mod patch;
mod pi;
mod qwen;
mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod unknown;
mod vibe;
mod warp;

use crate::fact::Statement;
use jsift_json::view::Object;
pub use shape::RecordShape;
pub(crate) use shape::may_be_read;
pub(crate) use unknown::api;
use unknown::usual;
pub use unknown::{AgentFile, AgentFileDraft, AgentFileError};

/// An agent whose dialect is known.
///
/// ```
/// use jsift::Agent;
///
/// let run = jsift::session(r#"{"session_id":"s","response":"Done.","stats":{"models":{}}}"#)?;
/// assert_eq!(run.agent(), Some(Agent::Gemini));
/// assert_eq!(Agent::from_name("gemini"), Some(Agent::Gemini));
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Agent {
    /// Gemini CLI, `gemini -o json|stream-json`.
    Gemini,
    /// Claude Code, `claude -p --output-format json|stream-json`.
    Claude,
    /// OpenAI Codex, `codex exec --json`.
    Codex,
    /// Qwen Code, `qwen -o json|stream-json`.
    Qwen,
    /// opencode, `opencode run --format json`, `opencode export`, the events of `opencode serve`.
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
    /// Antigravity, `agy -p --output-format json|stream-json`.
    Agy,
    /// Grok Build, `grok -p --output-format streaming-json|json`.
    GrokBuild,
    /// Agents that speak the Agent Client Protocol, also through `acpx --format json`.
    Acp,
    /// Kiro, `kiro-cli chat --no-interactive --output-format stream-json`.
    Kiro,
    /// Auggie, `auggie --print --output-format json`.
    Auggie,
    /// Continue, `cn -p --format json`.
    Continue,
    /// Factory's droid, `droid exec -o json|stream-json`.
    Droid,
    /// Cline CLI, `cline --json`.
    Cline,
    /// pi, `pi -p --mode json`.
    Pi,
    /// Mistral Vibe, `vibe -p --output json|streaming`.
    Vibe,
    /// OpenHands CLI, `openhands --headless --json`.
    Openhands,
    /// grok-cli, `grok -p`.
    Grok,
    /// Kilo CLI, `kilo run --format json`: a fork of opencode.
    Kilo,
    /// JetBrains' Junie CLI, `junie --output-format json`.
    Junie,
    /// Warp's agent, `oz agent run --output-format json|ndjson`.
    Warp,
    /// Roo Code's CLI, `roo --print --output-format json|stream-json`.
    Roo,
    /// An agent that an agent file describes, by the name in the file.
    Described(&'static str),
}

/// An agent's line in the registry.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The agent's name in `agent` members and in `--agent`.
    pub name: &'static str,
    /// The shapes of the agent's records, including whole envelopes.
    pub shapes: &'static [RecordShape],
    /// Returns a new reader of the agent's records, for the start of a stream.
    pub dialect: NewDialect,
}

/// Returns a new reader of an agent's records.
type NewDialect = fn() -> Box<dyn Dialect>;

impl Entry {
    /// Returns the entry of an agent whose records `D` reads.
    const fn of<D: Dialect + Default + 'static>(
        name: &'static str,
        shapes: &'static [RecordShape],
    ) -> Self {
        Self {
            name,
            shapes,
            dialect: || Box::<D>::default(),
        }
    }
}

/// The grammar that a record follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// The grammar of a known agent.
    Agent(Agent),
    /// The grammar of responses of model APIs.
    Api,
    /// The grammar of an unknown agent, read by shape alone.
    Unknown,
    /// The grammar of the agent file with this index.
    Described(usize),
}

impl Grammar {
    /// Returns the agent; `None` if the grammar is not that of a known agent.
    const fn agent(self) -> Option<Agent> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Api | Self::Unknown | Self::Described(_) => None,
        }
    }

    /// Returns a new reader of records of this grammar.
    fn dialect(self) -> Box<dyn Dialect> {
        match self {
            Self::Agent(agent) => agent.dialect(),
            Self::Api => Box::new(unknown::Unknown::of_api()),
            Self::Unknown | Self::Described(_) => Box::<unknown::Unknown>::default(),
        }
    }
}

/// States the facts of one agent's records. May keep state from one record to the next.
pub trait Dialect: Send {
    /// Adds to `out` what `record` states. A record that the dialect does not know gives
    /// [`Fact::unknown`](crate::fact::Fact::unknown).
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>);

    /// Adds to `out` what `record` states by the rule of that number, if the dialect has rules.
    fn facts_by<'a>(&mut self, rule: Option<usize>, record: &Object<'a>, out: &mut Statement<'a>) {
        let _ = rule;
        self.facts(record, out);
    }

    /// Returns the agent that the records turned out to belong to, if several agents write the same records.
    fn turned_out(&self) -> Option<Agent> {
        None
    }

    /// Announces that the next record is in the same array as the last one.
    fn goes_on_in_array(&mut self) {}

    /// Adds to `out` what the records stated that came before the end of the source and was not added yet.
    fn finish(&mut self, out: &mut Statement<'_>) {
        let _ = out;
    }
}

/// The names and dialects of all agents, without their shapes: these are used while jsift is compiled, and a part of
/// the program that refers to them would get a copy of their tables.
static ENTRIES: [(&str, NewDialect); Agent::ALL.len()] = {
    let mut entries = [("", Agent::ALL[0].entry().dialect); Agent::ALL.len()];
    let mut at = 0;
    while at < entries.len() {
        let entry = Agent::ALL[at].entry();
        entries[at] = (entry.name, entry.dialect);
        at += 1;
    }
    entries
};

impl Agent {
    /// All agents, in the order in which a record is offered to them.
    pub const ALL: [Self; 26] = [
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
        Self::Agy,
        Self::GrokBuild,
        Self::Acp,
        Self::Kiro,
        Self::Auggie,
        Self::Continue,
        Self::Droid,
        Self::Cline,
        Self::Pi,
        Self::Vibe,
        Self::Openhands,
        Self::Grok,
        Self::Kilo,
        Self::Junie,
        Self::Warp,
        Self::Roo,
    ];

    /// Returns the agent's entry in the registry.
    #[must_use]
    pub(crate) const fn entry(self) -> Entry {
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
            Self::Agy => agy::ENTRY,
            Self::GrokBuild => grok_build::ENTRY,
            Self::Acp => acp::ENTRY,
            Self::Kiro => kiro::ENTRY,
            Self::Auggie => auggie::ENTRY,
            Self::Continue => continue_cli::ENTRY,
            Self::Droid => droid::ENTRY,
            Self::Cline => cline::ENTRY,
            Self::Pi => pi::ENTRY,
            Self::Vibe => vibe::ENTRY,
            Self::Openhands => openhands::ENTRY,
            Self::Grok => grok::ENTRY,
            Self::Kilo => opencode::KILO,
            Self::Junie => junie::ENTRY,
            Self::Warp => warp::ENTRY,
            Self::Roo => roo::ENTRY,
            Self::Described(name) => Entry::of::<unknown::Unknown>(name, &[]),
        }
    }

    /// Returns the agent's place in [`ALL`](Self::ALL); an agent that a file describes has the place after all others.
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Gemini => 0,
            Self::Claude => 1,
            Self::Codex => 2,
            Self::Qwen => 3,
            Self::Opencode => 4,
            Self::Copilot => 5,
            Self::Cursor => 6,
            Self::Amp => 7,
            Self::Goose => 8,
            Self::Kimi => 9,
            Self::Agy => 10,
            Self::GrokBuild => 11,
            Self::Acp => 12,
            Self::Kiro => 13,
            Self::Auggie => 14,
            Self::Continue => 15,
            Self::Droid => 16,
            Self::Cline => 17,
            Self::Pi => 18,
            Self::Vibe => 19,
            Self::Openhands => 20,
            Self::Grok => 21,
            Self::Kilo => 22,
            Self::Junie => 23,
            Self::Warp => 24,
            Self::Roo => 25,
            Self::Described(_) => Self::ALL.len(),
        }
    }

    /// Returns the agent's name in `agent` members and in `--agent`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Described(name) => name,
            agent => ENTRIES[agent.index()].0,
        }
    }

    /// Returns a new reader of the agent's records.
    fn dialect(self) -> Box<dyn Dialect> {
        match self {
            Self::Described(_) => Box::<unknown::Unknown>::default(),
            agent => ENTRIES[agent.index()].1(),
        }
    }

    /// Returns the agent that this one is a fork of. A fork prints some of its parent's error objects.
    #[must_use]
    pub(crate) const fn fork_of(self) -> Option<Self> {
        match self {
            Self::Qwen => Some(Self::Gemini),
            _ => None,
        }
    }

    /// Returns the agent that this fork is mistaken for until one of its records identifies the fork.
    #[must_use]
    pub(crate) const fn taken_for(self) -> Option<Self> {
        match self {
            Self::Kilo => Some(Self::Opencode),
            _ => None,
        }
    }

    /// Returns the agent called `name`; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }
}
