//! Weighs which agent wrote the first records of a source.
//!
//! A record that is certainly an agent's decides, and so does a record that opens sessions, unless several agents claim
//! it equally. Doubtful records decide together: two of different shapes count as much as one that opens sessions.
//! Records that no agent claims may be an unknown agent's.

use crate::dialect::api::{self, errors};
use crate::dialect::shape::{Claims, Sure};
use crate::dialect::{Agent, Grammar, unknown, usual};
use jsift_json::view::{Object, Value};

/// The weight of a record that opens sessions, and the total weight that decides.
const ENOUGH: u32 = 2;

/// The result of weighing a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its grammar is known.
    Decided(Grammar),
    /// It may be an agent's.
    Doubt,
    /// It is the error body of an API.
    Failure,
    /// It belongs to no agent.
    Unclaimed,
}

/// The evidence from the records so far.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The rows of the tables of shapes that records matched, each once, with agent and certainty.
    met: Vec<(Agent, Sure, u16)>,
    unknown: unknown::UnknownEvidence,
    /// The evidence in the last array whose records have no grammar.
    in_array: unknown::UnknownEvidence,
    /// Whether a record that no known agent claims began a run.
    is_begun: bool,
    /// Whether no known agent is detected.
    pub(super) ignores_known: bool,
}

impl Evidence {
    /// Returns the evidence before the first record of another stream.
    pub(super) fn afresh(&self) -> Self {
        Self {
            ignores_known: self.ignores_known,
            ..Self::default()
        }
    }

    /// Forgets all records.
    pub(super) fn clear(&mut self) {
        *self = self.afresh();
    }

    /// Returns the agents that may have written a record.
    pub(super) fn claims(&self, record: &Object<'_>) -> Claims {
        match self.ignores_known {
            true => Claims::default(),
            false => Claims::of(record),
        }
    }

    /// Whether the records may be an agent's, although that is not certain; see [`RecordReader::may_be_agents`]. The
    /// chosen one is if it is a message of JSON-RPC, the trajectory of mini-swe-agent, or has the shape of a known
    /// agent's records. Since answers are called results or errors, too, such a record counts only if it is dated or
    /// names its session.
    ///
    /// [`RecordReader::may_be_agents`]: super::RecordReader::may_be_agents
    pub(super) fn may_be_agents(&self, several: bool, chosen: Option<&Object<'_>>) -> bool {
        let is_claimed = |record: &Object<'_>| {
            let claims = self.claims(record);
            claims.all().any(|(_, sure, _)| sure >= Sure::Doubtful)
        };
        let is_record = |record: &Object<'_>| {
            let common = record.is("type", "result") || record.is("type", "error");
            let stated = usual::timestamp(record).is_some() || usual::session(record).is_some();
            let wraps = |inner: Value<'_>| inner.get("jsonrpc").is_some();
            let reported = record.has("jsonrpc")
                || record.has("trajectory_format")
                || unknown::is_record(record)
                || record.members().any(|(_, inner)| wraps(inner));
            reported || (stated || !common) && is_claimed(record)
        };
        let is_array = || !several && chosen.is_none();
        self.unknown.may_be_agents(several, chosen)
            || chosen.is_some_and(is_record)
            || is_array() && self.in_array.may_be_agents_in_array()
    }

    /// Adds a record; `may_be_unknown` says whether an unknown agent's record may be in its place.
    pub(super) fn add(
        &mut self,
        record: &Object<'_>,
        claims: &Claims,
        may_be_unknown: bool,
    ) -> Verdict {
        if let Some(agent) = claims.certain() {
            return Verdict::Decided(Grammar::Agent(agent));
        }
        let again = !self.met.is_empty();
        for claim in counting(claims) {
            if !self.met.contains(&claim) {
                self.met.push(claim);
            }
        }
        if let Some((agent, shared)) = self.best(claims)
            && (again || !shared)
        {
            // What others print, too, is a part of the run that was begun before it.
            return Verdict::Decided(match may_be_unknown && self.is_begun {
                true => Grammar::Unknown,
                false => Grammar::Agent(agent),
            });
        }
        let claimed = counting(claims).next().is_some();
        if !claimed {
            if api::begins(record) {
                // Events in or among records of a run are a part of the run.
                let of_run = api::is_wrapped_chunk(record)
                    || api::is_langchain(record)
                    || self.unknown.has_any() && api::is_chunk(record);
                return Verdict::Decided(match of_run {
                    true => Grammar::Unknown,
                    false => Grammar::Api,
                });
            }
            if errors::of_body(record).is_some() {
                return Verdict::Failure;
            }
        }
        let was_begun = self.unknown.has_begun_run();
        let verdict = match may_be_unknown {
            true => self.add_unclaimed(record),
            false => Verdict::Unclaimed,
        };
        self.is_begun |= !claimed && !was_begun && self.unknown.has_begun_run();
        match verdict {
            Verdict::Unclaimed if claimed => Verdict::Doubt,
            verdict => verdict,
        }
    }

    /// Adds a record that may be an unknown agent's.
    pub(super) fn add_unclaimed(&mut self, record: &Object<'_>) -> Verdict {
        if self.unknown.add(record) {
            return Verdict::Decided(Grammar::Unknown);
        }
        match self.unknown.candidate || unknown::envelope::is_envelope(record) {
            true => Verdict::Doubt,
            false => Verdict::Unclaimed,
        }
    }

    /// Returns the grammar of an array's records; `whole` says whether the array is the whole source. If it has none,
    /// its records may be an agent's all the same.
    pub(super) fn of_array<'a>(
        &mut self,
        records: impl Iterator<Item = Object<'a>> + Clone,
        whole: bool,
    ) -> Option<Grammar> {
        let mut evidence = self.afresh();
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
        let shared = evidence.shared().map(Grammar::Agent);
        if whole && shared.is_none() {
            self.in_array = evidence.unknown;
        }
        shared
    }

    /// Whether the records of an array that is the whole source state a failure as an API's error body does, and are
    /// otherwise such that they may be an agent's.
    pub(super) fn fails_in_array<'a>(
        &self,
        records: impl Iterator<Item = Object<'a>> + Clone,
    ) -> bool {
        let fails = |record: Object<'_>| errors::of_body(&record).is_some();
        if !records.clone().any(fails) || records.clone().all(fails) {
            return false;
        }
        let mut evidence = self.afresh();
        let mut others = records.filter(|record| !fails(record.clone()));
        others.all(|record| {
            let claims = evidence.claims(&record);
            !is_prompt(&record) && evidence.add(&record, &claims, true) == Verdict::Doubt
        })
    }

    /// Returns the agent with the most weight of those that claim a record, if it is enough; and whether another agent
    /// has as much.
    fn best(&self, claims: &Claims) -> Option<(Agent, bool)> {
        let weighed = || counting(claims).map(|(agent, ..)| (agent, self.weight(agent)));
        let most = weighed().map(|(_, weight)| weight).max()?;
        let mut best = weighed().filter(|(_, weight)| *weight == most);
        let (agent, _) = best.next()?;
        (most >= ENOUGH).then(|| (agent, best.next().is_some()))
    }

    /// Returns the weight of the records so far for an agent; 0 if one of them shows that they are a request.
    fn weight(&self, agent: Agent) -> u32 {
        let met = self.met.iter().filter(|(of, ..)| *of == agent);
        let weights = met.map(|(_, sure, _)| match sure {
            Sure::Never => None,
            Sure::Doubtful => Some(1),
            _ => Some(ENOUGH),
        });
        weights.sum::<Option<u32>>().unwrap_or_default()
    }

    /// Returns the first agent that has enough weight, after records that several agents claim equally.
    pub(super) fn shared(&self) -> Option<Agent> {
        let agents = self.met.iter().map(|(agent, ..)| *agent);
        agents
            .filter(|agent| self.weight(*agent) >= ENOUGH)
            .min_by_key(|agent| agent.index())
    }

    /// Returns the agent most likely to have written a record that was cut off, judging by its first part and the
    /// records before.
    pub(super) fn best_with(&self, cut: &Claims) -> Option<Agent> {
        let known = |sure| sure >= Sure::Fits;
        let claims = cut.all().filter(|(_, sure, _)| known(*sure));
        let weighed = claims.map(|(agent, sure, _)| (sure, self.weight(agent), agent));
        // Among equals the first in the registry's order.
        let best = weighed.min_by_key(|(sure, weight, _)| std::cmp::Reverse((*sure, *weight)));
        best.map(|(.., agent)| agent)
    }

    /// Whether a held record is one that the fork repeats: the error object of its parent, next to the fork's own.
    pub(super) fn is_repeated_by(&self, agent: Agent, held: &Claims) -> bool {
        let parent = agent.fork_of().and_then(|parent| held.sure(parent));
        parent.is_some_and(counts)
    }
}

/// Whether a shape of that certainty counts as evidence.
fn counts(sure: Sure) -> bool {
    sure == Sure::Never || sure >= Sure::Doubtful
}

/// Returns the claims that count as evidence.
fn counting(claims: &Claims) -> impl Iterator<Item = (Agent, Sure, u16)> {
    claims.all().filter(|(_, sure, _)| counts(*sure))
}

/// Whether a record is a chat message that was given to a model.
fn is_prompt(record: &Object<'_>) -> bool {
    let given = record.is("role", "user") || record.is("role", "system");
    given && record.has("content") && !record.has("type")
}
