//! Finds out whose records the documents of a source are, and reads them.
//!
//! Until that is known, a record that may be an agent's is held until another record next to it decides (`evidence`).
//! The decision stays until a record that is certainly another agent's opens a new session, or until a record that
//! opens sessions follows the end of the session before; records that were handed on are never taken back.

mod evidence;
mod held;
mod repeats;
#[cfg(test)]
mod tests;

use super::api::{self, errors};
use super::class::resets;
use super::shape::{Claims, Sure, is_certainly};
use super::{Agent, Dialect, Grammar, unknown, usual};
use crate::dialect::AgentFile;
use crate::fact::{Fact, Statement};
use evidence::{Evidence, Verdict};
pub use held::{HELD, HELD_BYTES};
use held::{HeldRecord, HeldRecords};
use jsift_find::document::Rank;
use jsift_json::memory::emptied;
use jsift_json::text::Text;
use jsift_json::view::{Kind, Object, Value};
use repeats::Repeats;
use std::sync::Arc;

/// Returns the line of a record's document in the source. Newlines are counted only when it is called.
pub type LineOf<'a> = &'a dyn Fn() -> u64;

/// Agents that files describe.
pub type AgentFiles = Arc<[Arc<AgentFile>]>;

/// Where a document was found.
#[derive(Clone, Copy)]
pub struct FoundRecord<'a> {
    /// The document's line.
    pub line: LineOf<'a>,
    /// How much the document counts in a choice, which depends on its place.
    pub rank: Rank,
    /// The name of the event that the document is the data of, if a line before it gives one.
    pub event: Option<&'a [u8]>,
}

impl FoundRecord<'_> {
    /// The place of a document that is the whole source.
    pub const ALONE: Self = FoundRecord {
        line: &|| 1,
        rank: Rank::Whole,
        event: None,
    };
}

/// A record with what it states.
#[derive(Clone, Copy)]
pub struct StatedRecord<'a> {
    /// Its agent, if that is a known one.
    pub agent: Option<Agent>,
    /// The record's own line: a record that was held comes late.
    pub line: LineOf<'a>,
    /// The document that it was made of; empty if it was cut off or is no JSON.
    pub document: Value<'a>,
    /// What it states.
    pub statement: &'a Statement<'a>,
}

/// Receives the records that a [`RecordReader`] finds.
pub trait Records {
    /// Receives one record.
    fn record(&mut self, stated: StatedRecord<'_>);

    /// Announces that the document on that line is held.
    fn held(&mut self, _line: u64) {}

    /// Announces that a document that was held belongs to no agent.
    fn unclaimed(&mut self, _line: u64, _document: &[u8]) {}

    /// Returns the agent of the session with that id.
    fn agent_of(&mut self, _session: &Text<'_>) -> Option<Agent> {
        None
    }

    /// Announces that the records of the session that is going on turn out to be that agent's, or an unknown one's.
    fn turned_out(&mut self, _agent: Option<Agent>) {}
}

impl<F: FnMut(StatedRecord<'_>)> Records for F {
    fn record(&mut self, stated: StatedRecord<'_>) {
        self(stated);
    }
}

/// What the reader did with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Its records were handed on.
    Reported,
    /// It is held until its agent is known.
    Held,
    /// It belongs to no agent.
    Unclaimed,
}

/// The dialect that the next records are read with.
struct ActiveDialect {
    grammar: Grammar,
    dialect: Box<dyn Dialect>,
    /// Whether the first record that it read certainly belonged to the grammar.
    certain: bool,
    /// The bits of the agents that may have written all its records; none if one is certainly the grammar's.
    possible: u32,
    /// Whether its last record ended a session.
    ended: bool,
}

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

/// Reads the documents of one stream.
#[derive(Default)]
pub struct RecordReader {
    current: Option<ActiveDialect>,
    /// Earlier grammars whose records were identified for certain: a log may contain the streams of several agents.
    before: Vec<ActiveDialect>,
    /// The agents that files describe.
    files: AgentFiles,
    /// Whether the user named the agent.
    believed: bool,
    evidence: Evidence,
    held: HeldRecords,
    /// The last error body of an API, which is used only if no other record is found.
    failure: Option<HeldRecord>,
    /// The records that were read.
    repeats: Repeats,
    /// The memory for the facts of the next record.
    facts: Vec<Fact<'static>>,
}

impl ActiveDialect {
    fn new(grammar: Grammar, certain: bool, files: &[Arc<AgentFile>]) -> Self {
        Self {
            grammar,
            dialect: grammar.dialect(files),
            certain,
            possible: u32::MAX,
            ended: false,
        }
    }
}

impl RecordReader {
    /// Returns a reader that detects the agent.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a reader that treats all records as that agent's.
    #[must_use]
    pub fn of(agent: Agent) -> Self {
        Self {
            current: Some(ActiveDialect::new(Grammar::Agent(agent), true, &[])),
            believed: true,
            ..Self::default()
        }
    }

    /// Returns a reader that never detects these agents.
    #[must_use]
    pub fn without(agents: &[Agent]) -> Self {
        Self {
            evidence: Evidence::without(agents),
            ..Self::default()
        }
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

    /// Returns the grammar of the first file that describes such records, and the number of its rule for them.
    fn rule_of(&self, record: &Object<'_>) -> Option<(Grammar, usize)> {
        let mut files = self.files.iter().enumerate();
        let rule = files.find_map(|(at, file)| Some((at, file.rule_of(record)?)));
        let (index, rule) = rule.filter(|_| !self.believed)?;
        Some((Grammar::Described(index), rule))
    }

    /// Returns the number of the rule for a record if the records before it follow the same file: whoever else may
    /// have written it need not be known.
    fn rule_of_current(&self, record: &Object<'_>) -> Option<usize> {
        let current = self.current.as_ref()?.grammar;
        matches!(current, Grammar::Described(_)).then_some(())?;
        let (grammar, rule) = self.rule_of(record)?;
        (grammar == current).then_some(rule)
    }

    /// Returns the grammar and the rule of a record that a file describes, unless a known agent's session goes on with
    /// it or it certainly is a known agent's.
    fn described(&self, record: &Object<'_>, claims: &Claims) -> Option<(Grammar, usize)> {
        let (grammar, rule) = self.rule_of(record)?;
        let is_free = match self.current.as_ref().map(|active| active.grammar) {
            // The session of a known agent goes on with the records that are its own.
            Some(current @ Grammar::Agent(_)) if self.is_own(current, record, claims) => false,
            _ => claims.certain().is_none(),
        };
        is_free.then_some((grammar, rule))
    }

    /// Whether files describe agents.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether the agent (or the API) is known: most further documents are records then.
    pub(crate) const fn has_agent(&self) -> bool {
        self.current.is_some()
    }

    /// Whether the records so far may be an agent's, although that is not certain: none of them is an answer.
    /// `several` says that two or more documents are on lines of their own; `chosen` is the one that would be the answer.
    pub(crate) fn suspects(&self, several: bool, chosen: Option<&Object<'_>>) -> bool {
        self.evidence.suspects(several, chosen)
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
            self.tell(record, recognised, record.value(), found.line, records);
            return Taken::Reported;
        }
        let claims = self.evidence.claims(record);
        let is_data = |_: &&[u8]| {
            self.lacks_type(record, &claims) && self.described(record, &claims).is_none()
        };
        if let Some(event) = found.event.filter(is_data) {
            let json = record.value().raw().trim_ascii();
            let more = match json {
                // The name is the type of a record that contains its data.
                [b'{', members @ .., b'}'] if record.holds("data", Kind::Object) => {
                    [b",", members].concat()
                }
                _ => [b",\"data\":", json].concat(),
            };
            return self.read_event(event, &more, found, records);
        }
        let document = record.value();
        self.read_claimed(record, &claims, document, found, records)
    }

    /// Reads the event of that name, whose further members are `more`, as a record. Known agents name no events.
    pub(crate) fn read_event(
        &mut self,
        event: &[u8],
        more: &[u8],
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let text = [b"{\"event\":\"", event, b"\"", more, b"}"].concat();
        let record = Object::new(Value::new(&text)).filter(|_| self.may_be_strange());
        let Some(record) = record else {
            return Taken::Unclaimed;
        };
        let claims = self.evidence.claims(&record);
        let document = record.get("data").unwrap_or(Value::new(b""));
        self.read_claimed(&record, &claims, document, found, records)
    }

    /// Whether an API's response or an unknown agent's run does not say that it has ended.
    pub(crate) fn is_open(&self) -> bool {
        let is_open = |active: &ActiveDialect| active.grammar.agent().is_none() && !active.ended;
        self.current.as_ref().is_some_and(is_open)
    }

    /// Ends the response or the run, after the mark that ends its events.
    pub(crate) fn end_open(&mut self, line: LineOf<'_>, records: &mut impl Records) {
        let grammar = self.current.as_ref().map(|active| active.grammar);
        let end = match grammar {
            Some(Grammar::Unknown | Grammar::Described(_)) => unknown::END,
            _ => api::END,
        };
        if let Some(end) = Object::new(Value::new(end)) {
            self.tell(&end, Recognised::Certainly, Value::new(b""), line, records);
        }
    }

    /// Whether a record may be an unknown agent's, judging by those before it.
    fn may_be_strange(&self) -> bool {
        let is_strange = |active: &ActiveDialect| {
            matches!(active.grammar, Grammar::Unknown | Grammar::Described(_))
        };
        self.current.as_ref().is_none_or(is_strange)
    }

    /// Whether a record that follows the name of an event says what it is only together with that name.
    fn lacks_type(&self, record: &Object<'_>, claims: &Claims) -> bool {
        self.may_be_strange()
            && claims.certain().is_none()
            && !unknown::has_type(record)
            && !api::begins(record)
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
            self.tell(record, by_rule, document, found.line, records);
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
        if let Some(agent) = claims.certain().filter(|agent| self.may_be_all_of(*agent)) {
            records.turned_out(Some(agent));
        }
        self.go_on_with(grammar, || claims.certain().is_some());
        let by_claims = Recognised::By(claims);
        self.tell(record, by_claims, document, found.line, records);
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
            let data = [b",\"data\":", document.raw()].concat();
            return self.read_event(event, &data, found, records);
        }
        if self.current.is_none() {
            let records_of = || all().map_while(|record| record);
            let whole = found.rank == Rank::Whole;
            let Some(grammar) = self.evidence.of_array(records_of(), whole) else {
                return match errors::of_array(document) {
                    Some(_) => self.hold_failure(document, found, records),
                    None => Taken::Unclaimed,
                };
            };
            self.settle(grammar, true, records);
        }
        let found = FoundRecord {
            event: None,
            ..found
        };
        let mut taken = Taken::Unclaimed;
        for record in all().flatten() {
            if self.read_record(&record, found, records) == Taken::Reported {
                taken = Taken::Reported;
            }
            if let Some(active) = &mut self.current {
                active.dialect.goes_on_in_array();
            }
        }
        taken
    }

    /// Returns the current agent if no other agent's records were read: its certain records need no further check.
    fn only(&self) -> Option<Agent> {
        let current = self.current.as_ref().filter(|_| self.before.is_empty());
        current?.grammar.agent()
    }

    /// Returns the grammar of a record, once an earlier record has settled one; `None` if the record has none.
    fn grammar_of(
        &self,
        record: &Object<'_>,
        claims: &Claims,
        records: &mut impl Records,
    ) -> Option<Grammar> {
        let current = self.current.as_ref()?;
        let grammar = current.grammar;
        let own = match grammar {
            Grammar::Api if !api::is_part(record) => Grammar::Unknown,
            own => own,
        };
        let own = self.is_own(grammar, record, claims).then_some(own);
        if self.believed {
            return own;
        }
        let sure = |agent| claims.sure(agent) >= Some(Sure::Likely);
        let is_sure = |grammar: Grammar| grammar.agent().is_some_and(sure);
        // After an end, a record of another agent need not be quite certain.
        let other = match own.is_none() && current.ended {
            true => claims.likely(),
            false => claims.certain(),
        };
        if let Some(other) = other {
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

    /// Whether a record follows `grammar`, which the records before it have settled.
    fn is_own(&self, grammar: Grammar, record: &Object<'_>, claims: &Claims) -> bool {
        let least = match self.believed {
            true => Sure::Believed,
            false => Sure::Fits,
        };
        match grammar {
            Grammar::Agent(agent) => claims.sure(agent) >= Some(least),
            Grammar::Api => api::is_part(record) || unknown::is_of_run(record),
            Grammar::Unknown | Grammar::Described(_) => {
                unknown::discriminator(record).is_some() || api::is_chunk(record)
            }
        }
    }

    /// Weighs a record that has no shape of the agent whose session is going on. If that agent was not certain, and such
    /// records are clearly an unknown agent's, all records are.
    fn doubt(&mut self, claimed: ClaimedRecord<'_, '_>, records: &mut impl Records) -> Taken {
        let is_uncertain = |active: &ActiveDialect| {
            active.grammar.agent().is_some() && active.possible != 0 && !active.ended
        };
        let is_uncertain = !self.believed && self.current.as_ref().is_some_and(is_uncertain);
        if !is_uncertain || claimed.found.rank.is_fenced() {
            return Taken::Unclaimed;
        }
        let verdict = self.evidence.add_strange(claimed.record);
        if matches!(verdict, Verdict::Decided(_)) {
            records.turned_out(None);
            self.current = None;
        }
        self.act_on(verdict, false, claimed, records)
    }

    /// Weighs a record while its agent is not known.
    fn weigh(&mut self, claimed: ClaimedRecord<'_, '_>, records: &mut impl Records) -> Taken {
        let in_fence = claimed.found.rank.is_fenced();
        let verdict = self.evidence.add(claimed.record, claimed.claims, !in_fence);
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
                self.tell(record, by_claims, claimed.document, found.line, records);
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
        for held in self.held.all() {
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
        for held in self.held.take() {
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
            self.tell(&record, by_claims, held.document(), &line, records);
        }
        self.evidence.clear();
        if let Some(failure) = self.failure.take() {
            failure.give_up(records);
        }
    }

    /// Whether the records of the session that is going on may all be that agent's, although they were read as
    /// another's.
    fn may_be_all_of(&self, agent: Agent) -> bool {
        self.current.as_ref().is_some_and(|active| {
            active.grammar != Grammar::Agent(agent)
                && !active.ended
                && active.possible & 1 << agent.index() != 0
        })
    }

    /// Hands on what a record states that was made of that document.
    fn tell(
        &mut self,
        record: &Object<'_>,
        recognised: Recognised<'_>,
        document: Value<'_>,
        line: LineOf<'_>,
        records: &mut impl Records,
    ) {
        let Some(active) = &mut self.current else {
            return;
        };
        let Some(mark) = self.repeats.is_new(record) else {
            return;
        };
        active.possible &= match recognised {
            Recognised::By(claims) => claims.possible(),
            Recognised::Certainly | Recognised::ByRule(_) => 0,
        };
        let mut statement = Statement {
            facts: std::mem::take(&mut self.facts),
            ..Statement::default()
        };
        match recognised {
            Recognised::ByRule(rule) => {
                active.dialect.facts_by(Some(rule), record, &mut statement);
            }
            _ => active.dialect.facts(record, &mut statement),
        }
        self.repeats.add(mark, &statement);
        let _ = statement.session.take_if(|id| id.is_empty());
        active.ended = statement.is_terminal();
        // A flag or an exit code overrides a status.
        if active.ended && usual::has_failed(record) {
            statement.fail();
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

    /// Makes `grammar` the current one; `certain` says whether its first record leaves no doubt.
    fn go_on_with(&mut self, grammar: Grammar, certain: impl FnOnce() -> bool) {
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

    /// Ends the source. Held records that several agents may have written are handed on as the first of these agents'
    /// records; the error body of an API is handed on only if the source is `alone`.
    pub fn finish(&mut self, alone: bool, records: &mut impl Records) {
        if let Some(agent) = self.evidence.shared() {
            self.settle(Grammar::Agent(agent), false, records);
        }
        if alone && self.held.is_envelope() {
            self.settle(Grammar::Unknown, false, records);
        }
        for held in self.held.take() {
            held.give_up(records);
        }
        self.finish_dialect(records);
        let Some(failure) = self.failure.take() else {
            return;
        };
        let document = failure.document();
        let body = Object::new(document).or_else(|| Object::new(document.elements().next()?));
        match body.filter(|_| alone) {
            Some(body) => {
                self.go_on_with(Grammar::Api, || false);
                let certainly = Recognised::Certainly;
                let line = || failure.line;
                self.tell(&body, certainly, body.value(), &line, records);
            }
            None => failure.give_up(records),
        }
    }

    /// Hands on what the records so far stated and was not handed on yet.
    fn finish_dialect(&mut self, records: &mut impl Records) {
        let Some(active) = &mut self.current else {
            return;
        };
        let mut statement = Statement::default();
        active.dialect.finish(&mut statement);
        if !statement.facts.is_empty() {
            records.record(StatedRecord {
                agent: active.dialect.turned_out().or(active.grammar.agent()),
                line: &|| 1,
                document: Value::new(b""),
                statement: &statement,
            });
        }
    }

    /// Returns the agent of the record that starts with `beginning` and was cut off; held records are handed on then.
    /// `None` if it belongs to no agent; `Some(None)` if the agent has no name.
    pub fn read_cut(
        &mut self,
        beginning: &[u8],
        records: &mut impl Records,
    ) -> Option<Option<Agent>> {
        if let Some(active) = &self.current {
            return Some(active.grammar.agent());
        }
        let document = Value::new(beginning);
        let record = Object::new(document).or_else(|| Object::new(document.elements().next()?))?;
        let claims = self.evidence.claims(&record);
        let agent = self.evidence.best_with(&claims)?;
        self.settle(Grammar::Agent(agent), false, records);
        Some(Some(agent))
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
    let agent = Claims::of(record).likely()?;
    let mut statement = Statement::default();
    agent.dialect().facts(record, &mut statement);
    Some(statement.is_terminal())
}
