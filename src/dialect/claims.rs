//! Which agents a record may be of, told by the names of its members alone.
//!
//! Most documents in a log are no agent's. Asking each dialect about each of them would cost more than finding them.

use super::Agent;
use crate::json::view::{Name, Names, Object};

/// How far the bits of those who may claim a record for certain are above those of all who may.
const CERTAIN: usize = 16;

/// The names that registry entries give, each with the bits of its agents.
static NAMES: Names = names();

/// The agents that have to be asked about a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claims(u32);

impl Claims {
    /// Those of a record.
    pub(super) fn of(record: &Object<'_>) -> Self {
        Self(record.may_have(&NAMES))
    }

    /// Whether the record may be one of that agent.
    pub(super) const fn of_agent(self, agent: Agent) -> bool {
        self.0 & 1 << agent as usize != 0
    }

    /// The agents that may claim the record for certain.
    pub(super) fn certain(self) -> impl Iterator<Item = Agent> {
        let bits = self.0 >> CERTAIN;
        let all = Agent::ALL.into_iter().take_while(move |_| bits != 0);
        all.filter(move |agent| bits & 1 << *agent as usize != 0)
    }
}

const fn names() -> Names {
    let mut names = Names::NONE;
    let mut at = 0;
    while at < Agent::ALL.len() {
        let agent = Agent::ALL[at];
        let entry = agent.entry();
        names = with_all(names, entry.names, 1 << agent as usize);
        names = with_all(names, entry.marks, 1 << (agent as usize + CERTAIN));
        at += 1;
    }
    names
}

const fn with_all(mut names: Names, more: &[Name], bits: u32) -> Names {
    let mut at = 0;
    while at < more.len() {
        names = names.with(more[at], bits);
        at += 1;
    }
    names
}
