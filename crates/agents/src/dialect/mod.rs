//! Dialects: each agent's grammar of envelopes and event records, read into [`Fact`](crate::fact::Fact)s.
//!
//! One file per agent. Each file gives an [`Entry`]: a table of [shapes](RecordShape) that describes the agent's
//! records, and a [`Dialect`] that states the [facts](Dialect::facts) of one record. The rows of `agents!` are the
//! registry: the enum [`Agent`], its order and its entries are made of them. `reader` chooses the dialect of each
//! document.

pub mod class;
pub mod lines;
pub mod reader;

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
pub(crate) mod names;
mod opencode;
mod openhands;
mod patch;
mod pi;
mod prelude;
mod qwen;
mod roo;
mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod unknown;
mod vibe;
mod warp;

use crate::fact::{Problem, Statement};
use jsift_json::view::Object;
pub use shape::RecordShape;
pub(crate) use shape::may_be_read;
use std::sync::Arc;
#[cfg(feature = "agent-file")]
pub use unknown::AgentFileError;
use unknown::usual;
pub use unknown::{AgentFile, AgentFileDraft};
pub(crate) use unknown::{announces_record, api, has_type};

/// Writes the enum of the agents and the registry, one row for each agent, in the order in which a record is offered to
/// them: what it is, its variant, its commands that no row before has, its entry. After the rows, the commands that
/// start most agents.
macro_rules! agents {
    ($($(#[$doc:meta])* $name:ident($($command:literal),*) = $entry:path,)* ; $($starter:literal),*) => {
        /// The commands of agents, and those that start them.
        const COMMANDS: &[&str] = &[$($($command,)*)* $($starter),*];
        /// What Debian's shell says if there is no such command: `sh: 1: codex: not found`. A phrase of its own for
        /// each command keeps the shortest phrase long, which the search for known messages gains from.
        const NOT_FOUND: &[&str] =
            &[$($(concat!($command, ": not found"),)*)* $(concat!($starter, ": not found")),*];

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
            $($(#[$doc])* $name,)*
            /// An agent that an agent file describes, by the name in the file.
            Described(&'static str),
        }

        impl Agent {
            /// All agents whose dialects are known, in the order in which a record is offered to them.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            /// Returns the agent's entry in the registry.
            pub(crate) const fn entry(self) -> Entry {
                match self {
                    $(Self::$name => $entry,)*
                    Self::Described(name) => Entry::of::<unknown::Unknown>(name, &[]),
                }
            }

            /// Returns the agent's place in [`ALL`](Self::ALL); an agent that a file describes has the place after all
            /// others.
            pub(crate) const fn index(self) -> usize {
                enum Place { $($name,)* Described }
                match self {
                    $(Self::$name => Place::$name as usize,)*
                    Self::Described(_) => Place::Described as usize,
                }
            }
        }
    };
}
agents! {
    /// Gemini CLI, `gemini -o json|stream-json`.
    Gemini("gemini") = gemini::ENTRY,
    /// Claude Code, `claude -p --output-format json|stream-json`.
    Claude("claude") = claude::ENTRY,
    /// OpenAI Codex, `codex exec --json`, the servers `codex app-server` and `codex mcp-server`.
    Codex("codex") = codex::ENTRY,
    /// Qwen Code, `qwen -o json|stream-json`.
    Qwen("qwen") = qwen::ENTRY,
    /// opencode, `opencode run --format json`, `opencode export`, the events of `opencode serve`.
    Opencode("opencode") = opencode::ENTRY,
    /// GitHub Copilot CLI, `copilot -p --output-format json`.
    Copilot("copilot") = copilot::ENTRY,
    /// Cursor's agent, `cursor-agent -p --output-format json|stream-json`.
    Cursor("cursor-agent") = cursor::ENTRY,
    /// Amp, `amp -x --stream-json`.
    Amp("amp") = amp::ENTRY,
    /// goose, `goose run --output-format json|stream-json`, `goose session export`, the events of `goosed`.
    Goose("goose") = goose::ENTRY,
    /// Kimi CLI and Kimi Code, `kimi -p --output-format stream-json`.
    Kimi("kimi") = kimi::ENTRY,
    /// Antigravity, `agy -p --output-format json|stream-json`.
    Agy("agy") = agy::ENTRY,
    /// Grok Build, `grok -p --output-format streaming-json|json`.
    GrokBuild("grok") = grok_build::ENTRY,
    /// Agents that speak the Agent Client Protocol, also through `acpx --format json`.
    Acp("acpx") = acp::ENTRY,
    /// Kiro, `kiro-cli chat --no-interactive --output-format stream-json`.
    Kiro("kiro-cli") = kiro::ENTRY,
    /// Auggie, `auggie --print --output-format json`.
    Auggie("auggie") = auggie::ENTRY,
    /// Continue, `cn -p --format json`.
    Continue("cn") = continue_cli::ENTRY,
    /// Factory's droid, `droid exec -o json|stream-json`.
    Droid("droid") = droid::ENTRY,
    /// Cline CLI, `cline --json`.
    Cline("cline") = cline::ENTRY,
    /// pi, `pi -p --mode json`.
    Pi("pi") = pi::ENTRY,
    /// Mistral Vibe, `vibe -p --output json|streaming`.
    Vibe("vibe") = vibe::ENTRY,
    /// OpenHands CLI, `openhands --headless --json`.
    Openhands("openhands") = openhands::ENTRY,
    /// grok-cli, `grok -p`.
    Grok() = grok::ENTRY,
    /// Kilo CLI, `kilo run --format json`: a fork of opencode.
    Kilo("kilo") = opencode::KILO,
    /// JetBrains' Junie CLI, `junie --output-format json`.
    Junie("junie") = junie::ENTRY,
    /// Warp's agent, `oz agent run --output-format json|ndjson`.
    Warp("oz") = warp::ENTRY,
    /// Roo Code's CLI, `roo --print --output-format json|stream-json`.
    Roo("roo") = roo::ENTRY,
    ; "node", "npx"
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
    /// Returns the retry that a line of text reports, if the agent has no records for retries.
    pub(crate) retry: ReadRetry,
}

/// Returns a new reader of an agent's records.
type NewDialect = fn() -> Box<dyn Dialect>;
/// Returns the retry that a line of text reports.
type ReadRetry = fn(&[u8]) -> Option<Problem<'_>>;

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
            retry: |_| None,
        }
    }
}

/// A dialect in which no record depends on another: the function that states the facts of one.
struct Stateless(for<'a> fn(&Object<'a>, &mut Statement<'a>));

impl Dialect for Stateless {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        (self.0)(record, out);
    }
}

/// Writes the entry of an agent with a [`Stateless`] dialect.
macro_rules! entry {
    ($name:literal, $shapes:expr, $facts:expr) => {
        Entry {
            name: $name,
            shapes: $shapes,
            dialect: || Box::new(crate::dialect::Stateless($facts)),
            retry: |_| None,
        }
    };
}
use entry;

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
    pub(crate) const fn agent(self) -> Option<Agent> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Api | Self::Unknown | Self::Described(_) => None,
        }
    }

    /// Returns a new reader of records of this grammar, which one of the files may describe.
    fn dialect(self, files: &[Arc<AgentFile>]) -> Box<dyn Dialect> {
        match self {
            Self::Agent(agent) => agent.dialect(),
            Self::Api => Box::new(unknown::Runs::of_api()),
            Self::Unknown => Box::<unknown::Runs>::default(),
            Self::Described(index) => files[index].dialect(),
        }
    }
}

/// States the facts of one agent's records. May keep state from one record to the next.
pub trait Dialect: Send {
    /// Adds to `out` what `record` states, next to its time stamp, which `out` has if it is at a usual name. A record
    /// that the dialect does not know gives [`Fact::unknown`](crate::fact::Fact::unknown).
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>);

    /// Adds to `out` what `record` states by the rule of that number, if the dialect has rules.
    fn facts_by<'a>(&mut self, _rule: Option<usize>, record: &Object<'a>, out: &mut Statement<'a>) {
        self.facts(record, out);
    }

    /// Returns the agent that the records turned out to belong to, if several agents write the same records.
    fn turned_out(&self) -> Option<Agent> {
        None
    }

    /// Announces that the next record is in the same array as the last one.
    fn goes_on_in_array(&mut self) {}

    /// Announces that the next record is the data of an event, and so a part of a stream.
    fn is_of_event(&mut self) {}

    /// Adds to `out` what the records stated that came before the end of the source and was not added yet.
    fn finish(&mut self, _out: &mut Statement<'_>) {}
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
    pub(crate) const fn fork_of(self) -> Option<Self> {
        match self {
            Self::Qwen => Some(Self::Gemini),
            _ => None,
        }
    }

    /// Returns the agent that this fork is mistaken for until one of its records identifies the fork.
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
