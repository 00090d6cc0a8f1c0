//! Weighs up whose the first records of a source are.
//!
//! A record that certainly is an agent's decides, and so does one that opens sessions, unless several agents claim it alike.
//! Records in doubt decide together: two of different shapes are as good as one that opens sessions. Records that no agent
//! claims may be those of a stranger.

use crate::dialect::api::{self, errors};
use crate::dialect::shape::{Claims, Sure};
use crate::dialect::{Agent, Grammar, stranger};
use crate::json::view::Object;

/// How much a record counts that opens sessions, and what has to come together.
const ENOUGH: u32 = 2;

/// What a record tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is known whose it is.
    Decided(Grammar),
    /// It may be somebody's.
    Doubt,
    /// It is what an API failed with.
    Failure,
    /// It is nobody's.
    Nobodys,
}

/// What the records so far tell.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The lines of the tables of shapes that were met, each once, with the agents that they stand for.
    met: Vec<(Agent, Sure, u16)>,
    stranger: stranger::StrangerEvidence,
    /// Agents that nothing is known of.
    without: Vec<Agent>,
}

impl Evidence {
    /// Where nothing is known of these agents.
    pub(super) fn without(agents: &[Agent]) -> Self {
        Self {
            without: agents.to_vec(),
            ..Self::default()
        }
    }

    /// What is known before the first record of another stream.
    pub(super) fn afresh(&self) -> Self {
        Self::without(&self.without)
    }

    /// Forgets what it was told.
    pub(super) fn clear(&mut self) {
        *self = Self::without(&std::mem::take(&mut self.without));
    }

    /// Who may have written a record.
    pub(super) fn claims(&self, record: &Object<'_>) -> Claims {
        let mut claims = Claims::of(record);
        for agent in &self.without {
            claims.drop(*agent);
        }
        claims
    }

    /// Takes a record in; `strange` says whether it stands where a stranger may write one.
    pub(super) fn add(&mut self, record: &Object<'_>, claims: &Claims, strange: bool) -> Verdict {
        if let Some(agent) = claims.certain() {
            return Verdict::Decided(Grammar::Agent(agent));
        }
        let again = !self.met.is_empty();
        for claim in claims.all().filter(|(_, sure, _)| counts(*sure)) {
            if !self.met.contains(&claim) {
                self.met.push(claim);
            }
        }
        if let Some((agent, shared)) = self.best(claims)
            && (again || !shared)
        {
            return Verdict::Decided(Grammar::Agent(agent));
        }
        let claimed = claims.all().any(|(_, sure, _)| counts(sure));
        if !claimed && claims.may_be_others() {
            if api::begins(record) {
                return Verdict::Decided(Grammar::Api);
            }
            if errors::of_body(record).is_some() {
                return Verdict::Failure;
            }
        }
        let strange = strange && claims.may_be_others();
        if strange && self.stranger.add(record) {
            return Verdict::Decided(Grammar::Stranger);
        }
        match claimed || strange && self.stranger.has_last() {
            true => Verdict::Doubt,
            false => Verdict::Nobodys,
        }
    }

    /// Of an array's records: whose they all are; `whole` says whether it is all of the source.
    pub(super) fn of_array<'a>(
        &self,
        records: impl Iterator<Item = Object<'a>> + Clone,
        whole: bool,
    ) -> Option<Grammar> {
        let mut evidence = Self::without(&self.without);
        // Requests and data sets are arrays of chat messages.
        if records.clone().any(|record| is_prompt(&record)) {
            return None;
        }
        for record in records {
            let claims = evidence.claims(&record);
            if let Verdict::Decided(grammar) = evidence.add(&record, &claims, whole) {
                return Some(grammar);
            }
        }
        evidence.shared().map(Grammar::Agent)
    }

    /// The agent whose records come to enough, if one does, of those that claim a record; and whether another's do alike.
    fn best(&self, claims: &Claims) -> Option<(Agent, bool)> {
        let mut best: Option<(Agent, u32)> = None;
        let mut shared = false;
        for (agent, ..) in claims.all().filter(|(_, sure, _)| counts(*sure)) {
            let weight = self.weight(agent);
            match best {
                Some((_, most)) if weight < most => {}
                Some((_, most)) if weight == most => shared = true,
                _ => (best, shared) = (Some((agent, weight)), false),
            }
        }
        let (agent, weight) = best?;
        (weight >= ENOUGH).then_some((agent, shared))
    }

    /// How much the records so far speak for an agent; nothing where one of them says that they are a request.
    fn weight(&self, agent: Agent) -> u32 {
        let met = self.met.iter().filter(|(of, ..)| *of == agent);
        let weights = met.map(|(_, sure, _)| match sure {
            Sure::Never => None,
            Sure::Doubtful => Some(1),
            _ => Some(ENOUGH),
        });
        weights.sum::<Option<u32>>().unwrap_or_default()
    }

    /// The first agent of those that claim alike what is enough for one of them.
    pub(super) fn shared(&self) -> Option<Agent> {
        let agents = self.met.iter().map(|(agent, ..)| *agent);
        agents
            .filter(|agent| self.weight(*agent) >= ENOUGH)
            .min_by_key(|agent| *agent as usize)
    }

    /// The agent that a record is of that was cut, as far as it goes, beside what came before it.
    pub(super) fn best_with(&self, cut: &Claims) -> Option<Agent> {
        let known = |sure| sure >= Sure::Fits;
        let claims = cut.all().filter(|(_, sure, _)| known(*sure));
        let weighed = claims.map(|(agent, sure, _)| (sure, self.weight(agent), agent));
        // Among equals the first in the registry's order.
        let best = weighed.min_by_key(|(sure, weight, _)| std::cmp::Reverse((*sure, *weight)));
        best.map(|(.., agent)| agent)
    }

    /// Whether a record that is held is one that a fork says again: the error object that agents share, beside its own.
    pub(super) fn is_repeated_by(&self, agent: Agent, held: &Claims) -> bool {
        let parent = agent.fork_of().and_then(|parent| held.sure(parent));
        parent.is_some_and(counts)
    }
}

/// Whether a record of that sort counts at all.
fn counts(sure: Sure) -> bool {
    sure == Sure::Never || sure >= Sure::Doubtful
}

/// Whether it is a chat message that was given to a model.
fn is_prompt(record: &Object<'_>) -> bool {
    let given = record.is("role", "user") || record.is("role", "system");
    given && record.has("content") && !record.has("type")
}
