//! Which grammar a record follows: that of the records before it, another agent's, or that of a file.

use std::sync::Arc;

use super::{RecordReader, Records, ends, errors};
use crate::dialect::shape::{Claims, Sure};
use crate::dialect::{Agent, AgentFile, Dialect, Grammar, api, unknown, usual};
use jsift_json::view::Object;

/// The dialect that the next records are read with.
pub(super) struct ActiveDialect {
    pub(super) grammar: Grammar,
    pub(super) dialect: Box<dyn Dialect>,
    /// Whether the first record that it read certainly belonged to the grammar.
    pub(super) certain: bool,
    /// The bits of the agents that may have written all its records; none if one is certainly the grammar's.
    pub(super) possible: u32,
    /// Whether its last record ended a session.
    pub(super) ended: bool,
    /// Whether one of its records was an event of a model API.
    pub(super) streams: bool,
}

impl ActiveDialect {
    pub(super) fn new(grammar: Grammar, certain: bool, files: &[Arc<AgentFile>]) -> Self {
        Self {
            grammar,
            dialect: grammar.dialect(files),
            certain,
            possible: u32::MAX,
            ended: false,
            streams: false,
        }
    }

    /// Whether a record is the first event of a model API among the records.
    pub(super) fn streams_with(&self, record: &Object<'_>) -> bool {
        self.grammar == Grammar::Api && !self.streams && api::is_chunk(record)
    }
}

impl RecordReader {
    /// Returns the grammar of the first file that describes such records, and the number of its rule for them.
    pub(super) fn rule_of(&self, record: &Object<'_>) -> Option<(Grammar, usize)> {
        let mut files = self.files.iter().enumerate();
        let rule = files.find_map(|(at, file)| Some((at, file.rule_of(record)?)));
        let (index, rule) = rule.filter(|_| !self.believed)?;
        Some((Grammar::Described(index), rule))
    }

    /// Returns the number of the rule for a record if the records before it follow the same file: whoever else may
    /// have written it need not be known.
    pub(super) fn rule_of_current(&self, record: &Object<'_>) -> Option<usize> {
        let current = self.current.as_ref()?.grammar;
        matches!(current, Grammar::Described(_)).then_some(())?;
        let (grammar, rule) = self.rule_of(record)?;
        (grammar == current).then_some(rule)
    }

    /// Returns the grammar and the rule of a record that a file describes, unless a known agent's session goes on with
    /// it or it certainly is a known agent's.
    pub(super) fn described(
        &self,
        record: &Object<'_>,
        claims: &Claims,
    ) -> Option<(Grammar, usize)> {
        let (grammar, rule) = self.rule_of(record)?;
        let is_free = match self.current.as_ref().map(|active| active.grammar) {
            // The session of a known agent goes on with the records that are its own.
            Some(current @ Grammar::Agent(_)) if self.is_own(current, record, claims) => false,
            _ => claims.certain().is_none(),
        };
        is_free.then_some((grammar, rule))
    }

    /// Returns the grammar of the first of these records that a file describes. The claims of known agents are weighed
    /// only of a record that a file has a rule for.
    pub(super) fn described_in<'a>(
        &self,
        mut records: impl Iterator<Item = Object<'a>>,
    ) -> Option<Grammar> {
        records.find_map(|record| {
            self.rule_of(&record)?;
            let claims = self.evidence.claims(&record);
            Some(self.described(&record, &claims)?.0)
        })
    }

    /// Whether a record may be an unknown agent's, judging by those before it.
    pub(super) fn may_be_unknown(&self) -> bool {
        let is_unknown = |active: &ActiveDialect| {
            matches!(active.grammar, Grammar::Unknown | Grammar::Described(_))
        };
        self.current.as_ref().is_none_or(is_unknown)
    }

    /// Whether a record that follows the name of an event says what it is only together with that name. The error body
    /// of an API that is all that there is says what it is.
    pub(super) fn lacks_type(&self, record: &Object<'_>, event: &[u8], claims: &Claims) -> bool {
        let is_first = self.current.is_none() && self.held.all.is_empty();
        let is_failure = is_first && errors::of_body(record).is_some();
        self.may_be_unknown()
            && !is_failure
            && claims.certain().is_none()
            && unknown::lacks_type(record, event)
            && !api::begins(record)
    }

    /// Returns the current agent if no other agent's records were read: its certain records need no further check.
    pub(super) fn only(&self) -> Option<Agent> {
        let current = self.current.as_ref().filter(|_| self.before.is_empty());
        current?.grammar.agent()
    }

    /// Returns the grammar of a record, once an earlier record has settled one; `None` if the record has none.
    pub(super) fn grammar_of(
        &self,
        record: &Object<'_>,
        claims: &Claims,
        records: &mut impl Records,
    ) -> Option<Grammar> {
        let current = self.current.as_ref()?;
        let grammar = current.grammar;
        let own = match grammar {
            Grammar::Api if !api::is_part(record) && !api::answers_call(record) => Grammar::Unknown,
            own => own,
        };
        let own = self.is_own(grammar, record, claims).then_some(own);
        if self.believed {
            return own;
        }
        let sure = |agent| claims.sure(agent) >= Some(Sure::Likely);
        let is_sure = |grammar: Grammar| grammar.agent().is_some_and(sure);
        // After an end, a record of another agent need not be quite certain.
        let all_fit = |agent: &Agent| current.possible & 1 << agent.index() != 0;
        let fits_all = grammar == Grammar::Unknown && claims.likely().as_ref().is_some_and(all_fit);
        let other = match current.ended && (own.is_none() || fits_all) {
            true => claims.likely(),
            false => claims.certain(),
        };
        if let Some(other) =
            other.filter(|other| own.is_none() || !self.is_end_of_own(record, *other))
        {
            return Some(Grammar::Agent(other));
        }
        if self.before.is_empty() {
            return own;
        }
        // Agents whose records look alike differ in few of them: the session that a record names decides.
        let id = record.text("session_id");
        let named = id.and_then(|id| records.agent_of(&id));
        let named = named.filter(|agent| claims.sure(*agent) >= Some(Sure::Fits));
        let mut before = self.before.iter().rev().map(|active| active.grammar);
        let before = before.find(|grammar| is_sure(*grammar));
        named
            .map(Grammar::Agent)
            .or_else(|| before.filter(|_| !is_sure(grammar)))
            .or(own)
    }

    /// Whether a record that ends a run as that agent does ends the unknown agent's run that is going on: it states
    /// neither an answer nor a session, so that it is no envelope either.
    fn is_end_of_own(&self, record: &Object<'_>, agent: Agent) -> bool {
        let is_open = |active: &ActiveDialect| active.grammar == Grammar::Unknown && !active.ended;
        self.current.as_ref().is_some_and(is_open)
            && usual::answer(record).is_none()
            && usual::session(record).is_none()
            && ends(agent, record)
    }

    /// Whether a record follows `grammar`, which the records before it have settled.
    pub(super) fn is_own(&self, grammar: Grammar, record: &Object<'_>, claims: &Claims) -> bool {
        let least = match self.believed {
            true => Sure::Believed,
            false => Sure::Fits,
        };
        match grammar {
            Grammar::Agent(agent) => claims.sure(agent) >= Some(least),
            Grammar::Api => {
                api::is_part(record) || api::answers_call(record) || unknown::is_of_run(record)
            }
            Grammar::Unknown | Grammar::Described(_) => {
                // An error among the data of events is not that of a log.
                unknown::discriminator(record).is_some()
                    || api::is_chunk(record)
                    || self.is_data && errors::of_body(record).is_some()
            }
        }
    }

    /// Whether the records of the session that is going on may all be that agent's, although they were read as
    /// another's.
    pub(super) fn may_be_all_of(&self, agent: Agent) -> bool {
        self.current.as_ref().is_some_and(|active| {
            active.grammar != Grammar::Agent(agent)
                && (!active.ended || active.grammar == Grammar::Unknown)
                && active.possible & 1 << agent.index() != 0
        })
    }

    /// Whether the records so far are the events of a model API, as a run prints them that calls it.
    pub(super) fn reads_events(&self) -> bool {
        self.current.as_ref().is_some_and(|active| active.streams)
    }

    /// Makes `grammar` the current one; `certain` says whether its first record leaves no doubt.
    pub(super) fn go_on_with(&mut self, grammar: Grammar, certain: impl FnOnce() -> bool) {
        let is_it = |active: &ActiveDialect| active.grammar == grammar;
        if self.current.as_ref().is_some_and(is_it) {
            return;
        }
        // An API's events turn out to be among a run's own records.
        if let Some(active) = &mut self.current
            && (active.grammar, grammar) == (Grammar::Api, Grammar::Unknown)
        {
            active.grammar = grammar;
            return;
        }
        let again = self.before.iter().position(is_it);
        let again = again.map(|at| self.before.swap_remove(at));
        let left = self.current.take().filter(|active| active.certain);
        self.before.extend(left);
        self.current =
            Some(again.unwrap_or_else(|| ActiveDialect::new(grammar, certain(), &self.files)));
    }
}
