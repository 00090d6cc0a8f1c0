//! Which agents a record may be of, told by the names of its members alone.
//!
//! Most documents in a log are no agent's. Asking each dialect about each of them would cost more than finding them.

use super::{Agent, api};
use crate::json::tape::Layout;
use crate::json::view::{Kind, Name, Names, Object, Value};

/// How far the bits of those who may claim a record for certain are above those of all who may.
const CERTAIN: usize = Agent::ALL.len();
/// The bit of what may be an API's.
const BODY: u32 = 1 << (2 * CERTAIN);

/// The names that registry entries give, each with the bits of its agents.
static NAMES: Names = names();

/// Who has to be asked about a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claims(u32);

impl Claims {
    /// The agents that have to be asked about a record.
    pub(crate) fn of(record: &Object<'_>) -> Self {
        Self(record.may_have(&NAMES))
    }

    /// The same for a document that is not indexed yet: whoever expects most to be nobody's saves the index of those.
    pub(crate) fn of_document(document: Value<'_>, layout: Option<Layout<'_>>) -> Self {
        Self(match document.kind() {
            Kind::Object => document.may_have_in(&NAMES, layout),
            // Its elements tell.
            Kind::Array => u32::MAX,
            _ => 0,
        })
    }

    /// Whether no agent claims it.
    pub(crate) const fn is_no_agents(self) -> bool {
        self.0 & ((1 << CERTAIN) - 1) == 0
    }

    /// Whether it is no API's.
    pub(crate) const fn is_no_apis(self) -> bool {
        self.0 & BODY == 0
    }

    /// Whether it is neither.
    pub(crate) const fn is_nobodys(self) -> bool {
        self.is_no_agents() && self.is_no_apis()
    }

    /// The agents that may claim the record.
    pub(super) fn any(self) -> impl Iterator<Item = Agent> {
        agents(self.0)
    }

    /// The agents that may claim the record for certain.
    pub(super) fn certain(self) -> impl Iterator<Item = Agent> {
        agents(self.0 >> CERTAIN)
    }
}

/// Those whose bits are set, in the registry's order.
fn agents(bits: u32) -> impl Iterator<Item = Agent> {
    let bits = bits & ((1 << CERTAIN) - 1);
    let all = Agent::ALL.into_iter().take_while(move |_| bits != 0);
    all.filter(move |agent| bits & 1 << *agent as usize != 0)
}

const fn names() -> Names {
    let mut names = with_all(Names::NONE, api::NAMES, BODY);
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
