//! Finds out whose records the documents of a source are, and reads them.
//!
//! Until that is known, a record that may be an agent's is held until another record next to it decides (`evidence`).
//! The decision stays until a record that is certainly another agent's opens a new session, or until a record that
//! opens sessions follows the end of the session before; records that were handed on are never taken back.

mod data;
mod end;
mod evidence;
mod grammar;
mod held;
mod records;
mod repeats;
mod restart;
#[cfg(test)]
mod tests;

use super::api::errors;
use super::class::resets;
use super::shape::{Claims, Sure, is_certainly};
use super::{Agent, Grammar, unknown, usual};
use crate::fact::{Fact, Statement};
use crate::hashes::TextHash;
use end::override_end;
use evidence::{Evidence, Verdict};
use grammar::ActiveDialect;
pub use held::{HELD_BYTES, HELD_RECORDS};
use held::{HeldRecord, HeldRecords};
use jsift_find::document::Rank;
use jsift_json::memory::emptied;
use jsift_json::view::{Object, Value};
pub use records::{AgentFiles, FoundRecord, LineOf, Records, StatedRecord, Taken};
use repeats::Repeats;
use restart::Restart;

/// How it is known that a record is one of the active dialect.
#[derive(Clone, Copy)]
enum Recognised<'c> {
    /// It certainly is, or nothing more is known of it.
    Certainly,
    /// By these claims.
    By(&'c Claims),
    /// By the rule of that number in a file.
    ByRule(usize),
}

/// A record with the agents that may have written it.
struct ClaimedRecord<'r, 'a> {
    record: &'r Object<'a>,
    claims: &'r Claims,
    /// The document that the record was made of.
    document: Value<'r>,
    found: FoundRecord<'r>,
}

/// Reads the documents of one stream. By default, it detects the agent.
#[derive(Default)]
pub struct RecordReader {
    current: Option<ActiveDialect>,
    /// Earlier grammars whose records were identified for certain: a log may contain the streams of several agents.
    before: Vec<ActiveDialect>,
    /// The agents that files describe.
    files: AgentFiles,
    /// Whether the user named the agent.
    believed: bool,
    /// Whether the next record is the data of an event.
    pub(crate) is_data: bool,
    evidence: Evidence,
    held: HeldRecords,
    /// The last error body of an API, which is used only if no other record is found.
    failure: Option<HeldRecord>,
    /// The agent that may have written a broken record, while no agent is known.
    broken: Option<Agent>,
    /// The records that were read.
    repeats: Repeats,
    /// Those from a start on that may all be repeated.
    restart: Restart,
    /// The memory for the facts of the next record.
    facts: Vec<Fact<'static>>,
}

impl RecordReader {
    /// Returns a reader that treats all records as that agent's.
    #[must_use]
    pub fn of(agent: Agent) -> Self {
        Self {
            current: Some(ActiveDialect::new(Grammar::Agent(agent), true, &[])),
            believed: true,
            ..Self::default()
        }
    }

    /// Returns a reader that reads all agents' records as an unknown agent's.
    #[must_use]
    pub fn of_unknown() -> Self {
        let mut reader = Self::default();
        reader.evidence.ignores_known = true;
        reader
    }

    /// Returns a reader for another stream, with the settings that this one started with.
    pub(crate) fn afresh(&self) -> Self {
        let believed = self.current.as_ref().filter(|_| self.believed);
        Self {
            current: believed.map(|active| ActiveDialect::new(active.grammar, true, &self.files)),
            believed: self.believed,
            evidence: self.evidence.afresh(),
            files: self.files.clone(),
            ..Self::default()
        }
    }

    /// Returns the reader with the agents that files describe: their records are read as these say, unless they are
    /// certainly a known agent's.
    #[must_use]
    pub fn with_files(self, files: &AgentFiles) -> Self {
        let files = files.clone();
        Self { files, ..self }
    }

    /// Whether files describe agents.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether the agent (or the API) is known: most further documents are records then.
    pub(crate) const fn has_agent(&self) -> bool {
        self.current.is_some()
    }

    /// Whether the records so far may be an agent's, although that is not certain: none of them is an answer. `several`
    /// says that two or more documents are on lines of their own; `chosen` is the one that would be the answer.
    pub(crate) fn may_be_agents(&self, several: bool, chosen: Option<&Object<'_>>) -> bool {
        self.evidence.may_be_agents(several, chosen)
    }

    /// Whether the last record ended a response of an API.
    pub(crate) fn is_after_response(&self) -> bool {
        let is_it = |active: &ActiveDialect| active.grammar == Grammar::Api && active.ended;
        self.current.as_ref().is_some_and(is_it)
    }

    /// Reads a document: a record, or an array of records.
    pub fn read(
        &mut self,
        document: Value<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        match Object::new(document) {
            Some(record) => self.read_record(&record, found, records),
            None => self.read_array(document, found, records),
        }
    }

    /// Reads an object as a record.
    pub(crate) fn read_record(
        &mut self,
        record: &Object<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let recognised = match self.only().is_some_and(|agent| is_certainly(record, agent)) {
            true => Some(Recognised::Certainly),
            false => self.rule_of_current(record).map(Recognised::ByRule),
        };
        if let Some(recognised) = recognised {
            self.hand_on(record, recognised, record.value(), found.line, records);
            return Taken::Reported;
        }
        if self.fail_open(record, found, records) {
            return Taken::Reported;
        }
        if let Some(taken) = self.read_workers(record, found, records) {
            return taken;
        }
        let claims = self.evidence.claims(record);
        let is_data = |event: &&[u8]| {
            self.lacks_type(record, event, &claims) && self.described(record, &claims).is_none()
        };
        if let Some(event) = found.event.filter(is_data) {
            let more = unknown::members_of_event(record.value());
            return self.read_event(event, &more, found, records);
        }
        let document = record.value();
        self.read_claimed(record, &claims, document, found, records)
    }

    /// Reads a record that these claims are about, and that was made of `document`.
    fn read_claimed(
        &mut self,
        record: &Object<'_>,
        claims: &Claims,
        document: Value<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        if let Some((grammar, rule)) = self.described(record, claims) {
            match self.current {
                Some(_) => self.go_on_with(grammar, || true),
                None => self.settle(grammar, true, records),
            }
            let by_rule = Recognised::ByRule(rule);
            self.hand_on(record, by_rule, document, found.line, records);
            return Taken::Reported;
        }
        let claimed = ClaimedRecord {
            record,
            claims,
            document,
            found,
        };
        if self.current.is_none() {
            return self.weigh(claimed, records);
        }
        let Some(grammar) = self.grammar_of(record, claims, records) else {
            return self.doubt(claimed, records);
        };
        let ended = grammar
            .agent()
            .filter(|agent| self.reads_events() && ends(*agent, record));
        let is_next = |agent: &Agent| claims.likely() == Some(*agent);
        let all = || {
            let next = grammar.agent().filter(is_next);
            next.filter(|agent| self.may_be_all_of(*agent))
        };
        if let Some(agent) = ended.or_else(all) {
            records.turned_out(Some(agent));
        }
        self.go_on_with(grammar, || claims.certain().is_some());
        let by_claims = Recognised::By(claims);
        self.hand_on(record, by_claims, document, found.line, records);
        Taken::Reported
    }

    /// Reads a document that is not an object: an array, of which some records identify the agent of all.
    pub(crate) fn read_array(
        &mut self,
        document: Value<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let all = || document.elements().map(Object::new);
        let Some(first) = all().next().flatten() else {
            return Taken::Unclaimed;
        };
        if let Some(event) = found.event.filter(|_| !unknown::has_type(&first)) {
            let more = unknown::members_of_event(document);
            return self.read_event(event, &more, found, records);
        }
        let mut of_unknown = false;
        if self.current.is_none() {
            let records_of = || all().map_while(|record| record);
            let whole = found.rank == Rank::Whole;
            let described = self.described_in(records_of());
            let known = || self.evidence.of_array(records_of(), whole);
            let Some(grammar) = described.or_else(known) else {
                // An array with a single element is what the element is, and the failure among records of a run is the
                // run's.
                let alone = all().nth(1).is_none();
                let is_failure = whole && self.evidence.fails_in_array(records_of());
                if !is_failure && !(alone && (whole || errors::of_body(&first).is_some())) {
                    return Taken::Unclaimed;
                }
                let taken = records_of().map(|record| self.read_record(&record, found, records));
                return taken.last().unwrap_or(Taken::Unclaimed);
            };
            of_unknown = grammar == Grammar::Unknown;
            self.settle(grammar, true, records);
        }
        let found = FoundRecord {
            event: None,
            ..found
        };
        let mut taken = Taken::Unclaimed;
        for record in all().flatten() {
            // The array is one run, although its end may look like a known agent's.
            if of_unknown && unknown::discriminator(&record).is_some() {
                let own = Recognised::Certainly;
                self.hand_on(&record, own, record.value(), found.line, records);
                taken = Taken::Reported;
            } else if self.read_record(&record, found, records) == Taken::Reported {
                taken = Taken::Reported;
            }
            if let Some(active) = &mut self.current {
                active.dialect.goes_on_in_array();
            }
        }
        taken
    }

    /// Weighs a record that has no shape of the agent whose session is going on. If that agent was not certain, and
    /// such records are clearly an unknown agent's, all records are.
    fn doubt(&mut self, claimed: ClaimedRecord<'_, '_>, records: &mut impl Records) -> Taken {
        let is_uncertain = |active: &ActiveDialect| {
            active.grammar.agent().is_some() && active.possible != 0 && !active.ended
        };
        let is_uncertain = !self.believed && self.current.as_ref().is_some_and(is_uncertain);
        if !is_uncertain || claimed.found.rank.is_fenced() {
            return Taken::Unclaimed;
        }
        let verdict = self.evidence.add_unclaimed(claimed.record);
        if matches!(verdict, Verdict::Decided(_)) {
            records.turned_out(None);
            self.current = None;
        }
        self.act_on(verdict, false, claimed, records)
    }

    /// Weighs a record while its agent is not known.
    fn weigh(&mut self, claimed: ClaimedRecord<'_, '_>, records: &mut impl Records) -> Taken {
        let in_fence = claimed.found.rank.is_fenced();
        let fits_broken = |agent| claimed.claims.sure(agent) >= Some(Sure::Fits);
        let verdict = match self.evidence.add(claimed.record, claimed.claims, !in_fence) {
            Verdict::Unclaimed if self.broken.is_some_and(fits_broken) => Verdict::Doubt,
            verdict => verdict,
        };
        let certain = claimed.claims.certain().is_some();
        self.act_on(verdict, certain, claimed, records)
    }

    /// Reports a record, holds it or leaves it, by the verdict on it; `certain` says whether its grammar is.
    fn act_on(
        &mut self,
        verdict: Verdict,
        certain: bool,
        claimed: ClaimedRecord<'_, '_>,
        records: &mut impl Records,
    ) -> Taken {
        let (record, found) = (claimed.record, claimed.found);
        match verdict {
            Verdict::Decided(grammar) => {
                self.settle(grammar, certain, records);
                let by_claims = Recognised::By(claimed.claims);
                self.hand_on(record, by_claims, claimed.document, found.line, records);
                Taken::Reported
            }
            Verdict::Doubt => {
                let held = HeldRecord::new(record.value(), claimed.document, (found.line)());
                self.hold(held, records);
                Taken::Held
            }
            Verdict::Failure => self.hold_failure(record.value(), found, records),
            Verdict::Unclaimed => Taken::Unclaimed,
        }
    }

    fn hold(&mut self, held: HeldRecord, records: &mut impl Records) {
        records.held(held.line);
        if !self.held.push(held, records) {
            return;
        }
        self.evidence.clear();
        for held in &self.held.all {
            if let Some(record) = Object::new(held.record()) {
                let claims = self.evidence.claims(&record);
                let _ = self.evidence.add(&record, &claims, true);
            }
        }
    }

    fn hold_failure(
        &mut self,
        document: Value<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let failure = HeldRecord::new(document, document, (found.line)());
        records.held(failure.line);
        if let Some(before) = self.failure.replace(failure) {
            before.give_up(records);
        }
        Taken::Held
    }

    /// Settles on a grammar: held records that follow it are handed on, the others are given up.
    fn settle(&mut self, grammar: Grammar, certain: bool, records: &mut impl Records) {
        self.go_on_with(grammar, || certain);
        self.broken = None;
        let mut all = self.held.take();
        let is_next = |failure: &mut HeldRecord| failure.is_among(&all);
        if grammar == Grammar::Unknown
            && let Some(failure) = self.failure.take_if(is_next)
        {
            let at = all.partition_point(|held| held.line <= failure.line);
            all.insert(at, failure);
        }
        for held in all {
            let Some(record) = Object::new(held.record()) else {
                continue;
            };
            let claims = self.evidence.claims(&record);
            let is_own = match grammar {
                Grammar::Agent(agent) => {
                    claims.sure(agent) >= Some(Sure::Doubtful)
                        && !self.evidence.is_repeated_by(agent, &claims)
                }
                _ => self.is_own(grammar, &record, &claims),
            };
            if !is_own {
                held.give_up(records);
                continue;
            }
            let (by_claims, line) = (Recognised::By(&claims), || held.line);
            self.hand_on(&record, by_claims, held.document(), &line, records);
        }
        self.evidence.clear();
        if let Some(failure) = self.failure.take() {
            failure.give_up(records);
        }
    }

    /// Hands on what a record with that hash states.
    fn state(
        &mut self,
        record: &Object<'_>,
        hash: TextHash,
        recognised: Recognised<'_>,
        document: Value<'_>,
        line: LineOf<'_>,
        records: &mut impl Records,
    ) {
        let Some(active) = &mut self.current else {
            return;
        };
        active.streams |= active.streams_with(record);
        active.possible &= match recognised {
            Recognised::By(claims) => claims.possible(),
            Recognised::Certainly | Recognised::ByRule(_) => 0,
        };
        let mut statement = Statement {
            timestamp: usual::timestamp(record),
            facts: std::mem::take(&mut self.facts),
            ..Statement::default()
        };
        if self.is_data {
            active.dialect.is_of_event();
        }
        match recognised {
            Recognised::ByRule(rule) => active.dialect.facts_by(Some(rule), record, &mut statement),
            _ => active.dialect.facts(record, &mut statement),
        }
        self.repeats.add(hash, record, &statement);
        let _ = statement.session.take_if(|id| id.is_empty());
        active.ended = statement.is_terminal();
        if active.ended {
            override_end(active.grammar, record, &mut statement);
        } else if statement.is_unknown() && record.is("type", "error") {
            // Agents print errors of their transports and providers that their dialects do not know.
            let stated = record.object("data");
            let problem = usual::problem_of_error_record(stated.as_ref().unwrap_or(record));
            statement.facts.clear();
            statement.push(Fact::Error(problem));
        }
        resets::add(record, &mut statement);
        records.record(StatedRecord {
            agent: active.dialect.turned_out().or(active.grammar.agent()),
            line,
            document,
            statement: &statement,
        });
        self.facts = emptied(statement.facts);
    }
}

/// Returns the agent that wrote an envelope or a record, if the document alone identifies it.
pub(crate) fn agent_of(document: Value<'_>) -> Option<Agent> {
    if let Some(record) = Object::new(document) {
        return Claims::of(&record).likely();
    }
    let records = || document.elements().map_while(Object::new);
    let claimed = |record: Object<'_>| Claims::of(&record).all().next().is_some();
    if !records().any(claimed) {
        return None;
    }
    Evidence::default().of_array(records(), false)?.agent()
}

/// Whether a record ends a session; `None` if the record alone identifies no agent.
pub(crate) fn is_terminal(record: &Object<'_>) -> Option<bool> {
    Some(ends(Claims::of(record).likely()?, record))
}

/// Whether a record of an agent ends a session.
fn ends(agent: Agent, record: &Object<'_>) -> bool {
    let mut statement = Statement::default();
    agent.dialect().facts(record, &mut statement);
    statement.is_terminal()
}
