//! Finds out whose records the documents of a source are, and reads them.
//!
//! Until that is known, a record that may be an agent's is held until another record beside it decides (`evidence`).
//! The decision stays until a record that is certainly another agent's opens a new session, or until a record that
//! opens sessions follows the end of the session before; records that were handed on are never taken back.

mod evidence;

use std::collections::VecDeque;

use super::api::{self, errors};
use super::shape::{Claims, Sure, is_certainly};
use super::{Agent, Dialect, Grammar, stranger, usual};
use crate::document::Rank;
use crate::fact::Statement;
use crate::json::text::Text;
use crate::json::view::{Object, Value};
use evidence::{Evidence, Verdict};

/// The maximum number of doubtful records that are held.
const HELD: usize = 64;
/// The maximum number of bytes of the records that are held.
const HELD_BYTES: usize = 1 << 20;

/// Returns the line of a record's document in the source. Newlines are counted only when it is called.
pub type LineOf<'a> = &'a dyn Fn() -> u64;

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

/// Receives the records that a [`RecordReader`] finds.
pub trait Records {
    /// Receives one record, its agent if it has a name, and what the record states. A record that was held comes late,
    /// with its own line.
    fn record(
        &mut self,
        agent: Option<Agent>,
        line: LineOf<'_>,
        record: Value<'_>,
        statement: &Statement<'_>,
    );

    /// Announces that the document on that line is held.
    fn held(&mut self, line: u64) {
        let _ = line;
    }

    /// Announces that a document that was held belongs to no agent.
    fn nobodys(&mut self, line: u64, document: &[u8]) {
        let _ = (line, document);
    }

    /// Returns the agent of the session with that id.
    fn agent_of(&mut self, session: &Text<'_>) -> Option<Agent> {
        let _ = session;
        None
    }
}

impl<F: FnMut(Option<Agent>, Value<'_>, &Statement<'_>)> Records for F {
    fn record(
        &mut self,
        agent: Option<Agent>,
        _: LineOf<'_>,
        record: Value<'_>,
        statement: &Statement<'_>,
    ) {
        self(agent, record, statement);
    }
}

/// What the reader did with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Its records were handed on.
    Told,
    /// It is held until its agent is known.
    Held,
    /// It belongs to no agent.
    Nobodys,
}

/// The dialect that the next records are read with.
struct Voice {
    grammar: Grammar,
    dialect: Box<dyn Dialect>,
    /// Whether the first record that it read certainly belonged to the grammar.
    certain: bool,
    /// Whether its last record ended a session.
    ended: bool,
}

/// A document that is held.
struct HeldRecord {
    text: Vec<u8>,
    line: u64,
    /// Whether `text` is an event with the document as its data.
    event: bool,
}

impl HeldRecord {
    /// Returns the document as it is in the source.
    fn document(&self) -> &[u8] {
        shown(Value::new(&self.text), self.event).raw()
    }
}

/// Returns the document that a record was made of; `event` says whether the record is an event with the document as its
/// data.
fn shown(record: Value<'_>, event: bool) -> Value<'_> {
    match event {
        true => record.get("data").unwrap_or(Value::new(b"")),
        false => record,
    }
}

/// Reads the documents of one stream.
#[derive(Default)]
pub struct RecordReader {
    current: Option<Voice>,
    /// Earlier grammars whose records were identified for certain: a log may contain the streams of several agents.
    before: Vec<Voice>,
    /// Whether the user named the agent.
    believed: bool,
    evidence: Evidence,
    held: VecDeque<HeldRecord>,
    held_bytes: usize,
    /// The last error body of an API, which is used only if no other record is found.
    failure: Option<HeldRecord>,
}

impl Voice {
    fn new(grammar: Grammar, certain: bool) -> Self {
        Self {
            grammar,
            dialect: grammar.dialect(),
            certain,
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
            current: Some(Voice::new(Grammar::Agent(agent), true)),
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
    #[must_use]
    pub(crate) fn afresh(&self) -> Self {
        let believed = self.current.as_ref().filter(|_| self.believed);
        Self {
            current: believed.map(|voice| Voice::new(voice.grammar, true)),
            believed: self.believed,
            evidence: self.evidence.afresh(),
            ..Self::default()
        }
    }

    /// Whether the agent (or the API) is known: most further documents are records then.
    #[must_use]
    pub(crate) const fn has_agent(&self) -> bool {
        self.current.is_some()
    }

    /// Whether the records so far may be an unknown agent's, although that is not certain: none of them is an answer.
    /// `several` says that there are other documents beside them, and nothing else.
    #[must_use]
    pub(crate) fn suspects(&self, several: bool) -> bool {
        self.current.is_none() && self.evidence.suspects(several)
    }

    /// Whether the last record ended a response of an API.
    #[must_use]
    pub(crate) fn is_behind_response(&self) -> bool {
        let is_it = |voice: &Voice| voice.grammar == Grammar::Api && voice.ended;
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
        if self.only().is_some_and(|agent| is_certainly(record, agent)) {
            self.tell(record, found.line, false, records);
            return Taken::Told;
        }
        let claims = self.evidence.claims(record);
        if let Some(event) = found.event.filter(|_| self.lacks_type(record, &claims)) {
            let data = [b",\"data\":", record.value().raw()].concat();
            return self.read_event(event, &data, found, records);
        }
        let found = FoundRecord {
            event: None,
            ..found
        };
        self.read_claimed(record, &claims, found, records)
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
            return Taken::Nobodys;
        };
        let claims = self.evidence.claims(&record);
        let event = Some(event);
        self.read_claimed(&record, &claims, FoundRecord { event, ..found }, records)
    }

    /// Whether a record may be an unknown agent's, judging by those before it.
    fn may_be_strange(&self) -> bool {
        let is_strange = |voice: &Voice| voice.grammar == Grammar::Stranger;
        self.current.as_ref().is_none_or(is_strange)
    }

    /// Whether a record that follows the name of an event says what it is only together with that name.
    fn lacks_type(&self, record: &Object<'_>, claims: &Claims) -> bool {
        self.may_be_strange()
            && claims.certain().is_none()
            && !stranger::has_type(record)
            && !api::begins(record)
    }

    /// Reads an object as a record; with an event, it is that event and contains the document as its data.
    fn read_claimed(
        &mut self,
        record: &Object<'_>,
        claims: &Claims,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let Some(grammar) = self.grammar_of(record, claims, records) else {
            return match &self.current {
                None => self.weigh(record, claims, found, records),
                Some(_) => Taken::Nobodys,
            };
        };
        self.go_on_with(grammar, || claims.certain().is_some());
        self.tell(record, found.line, found.event.is_some(), records);
        Taken::Told
    }

    /// Reads a document that is not an object: an array, of which some records identify the agent of all.
    pub(crate) fn read_array(
        &mut self,
        document: Value<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let all = || document.elements().map(Object::new);
        if all().next().flatten().is_none() {
            return Taken::Nobodys;
        }
        if self.current.is_none() {
            let records_of = || all().map_while(|record| record);
            let whole = found.rank == Rank::Whole;
            let Some(grammar) = self.evidence.of_array(records_of(), whole) else {
                return match errors::of_array(document) {
                    Some(_) => self.hold_failure(document, found, records),
                    None => Taken::Nobodys,
                };
            };
            self.settle(grammar, true, records);
        }
        let found = FoundRecord {
            event: None,
            ..found
        };
        let mut taken = Taken::Nobodys;
        for record in all().flatten() {
            if self.read_record(&record, found, records) == Taken::Told {
                taken = Taken::Told;
            }
            if let Some(voice) = &mut self.current {
                voice.dialect.goes_on_in_array();
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
        let own = self.is_own(grammar, record, claims).then_some(grammar);
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
        let named = record
            .text("session_id")
            .and_then(|id| records.agent_of(&id));
        let named = named.filter(|agent| claims.sure(*agent) >= Some(Sure::Fits));
        let mut before = self.before.iter().rev().map(|voice| voice.grammar);
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
            Grammar::Api => claims.may_be_others() && api::is_part(record),
            Grammar::Stranger => {
                claims.may_be_others() && stranger::discriminator(record).is_some()
            }
        }
    }

    /// Weighs a record while its agent is not known.
    fn weigh(
        &mut self,
        record: &Object<'_>,
        claims: &Claims,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let fenced = matches!(
            found.rank,
            Rank::AnnouncedFence | Rank::BareFence | Rank::OtherFence
        );
        match self.evidence.add(record, claims, !fenced) {
            Verdict::Decided(grammar) => {
                self.settle(grammar, claims.certain().is_some(), records);
                self.tell(record, found.line, found.event.is_some(), records);
                Taken::Told
            }
            Verdict::Doubt => {
                self.hold(record.value(), found, records);
                Taken::Held
            }
            Verdict::Failure => self.hold_failure(record.value(), found, records),
            Verdict::Nobodys => Taken::Nobodys,
        }
    }

    fn hold(&mut self, record: Value<'_>, found: FoundRecord<'_>, records: &mut impl Records) {
        let line = (found.line)();
        records.held(line);
        self.held_bytes += record.raw().len();
        self.held.push_back(HeldRecord {
            text: record.raw().to_vec(),
            line,
            event: found.event.is_some(),
        });
        if self.held.len() <= HELD && self.held_bytes <= HELD_BYTES {
            return;
        }
        // Drops half of them, so that the rest need not be weighed again for every further record.
        let keep = self.held.len() / 2;
        while self.held.len() > keep || self.held_bytes > HELD_BYTES / 2 {
            let Some(held) = self.held.pop_front() else {
                break;
            };
            self.held_bytes -= held.text.len();
            records.nobodys(held.line, held.document());
        }
        self.evidence.clear();
        for held in &self.held {
            if let Some(record) = Object::new(Value::new(&held.text)) {
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
        let failure = HeldRecord {
            text: document.raw().to_vec(),
            line: (found.line)(),
            event: false,
        };
        records.held(failure.line);
        if let Some(before) = self.failure.replace(failure) {
            records.nobodys(before.line, &before.text);
        }
        Taken::Held
    }

    /// Settles on a grammar: held records that follow it are handed on, the others are given up.
    fn settle(&mut self, grammar: Grammar, certain: bool, records: &mut impl Records) {
        self.go_on_with(grammar, || certain);
        self.held_bytes = 0;
        for held in std::mem::take(&mut self.held) {
            let document = Value::new(&held.text);
            let Some(record) = Object::new(document) else {
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
            match is_own {
                true => self.tell(&record, &|| held.line, held.event, records),
                false => records.nobodys(held.line, held.document()),
            }
        }
        self.evidence.clear();
        if let Some(failure) = self.failure.take() {
            records.nobodys(failure.line, &failure.text);
        }
    }

    /// Hands on what a record states; `event` says whether it is an event with the document as its data.
    fn tell(
        &mut self,
        record: &Object<'_>,
        line: LineOf<'_>,
        event: bool,
        records: &mut impl Records,
    ) {
        let Some(voice) = &mut self.current else {
            return;
        };
        let mut statement = Statement::default();
        voice.dialect.facts(record, &mut statement);
        voice.ended = statement.is_terminal();
        // A flag or an exit code overrides a status.
        if voice.ended && usual::has_failed(record) {
            statement.fail();
        }
        let agent = voice.dialect.turned_out().or(voice.grammar.agent());
        let document = shown(record.value(), event);
        records.record(agent, line, document, &statement);
    }

    /// Makes `grammar` the current one; `certain` says whether its first record leaves no doubt.
    fn go_on_with(&mut self, grammar: Grammar, certain: impl FnOnce() -> bool) {
        let is_it = |voice: &Voice| voice.grammar == grammar;
        if self.current.as_ref().is_some_and(is_it) {
            return;
        }
        let again = self.before.iter().position(is_it);
        let again = again.map(|at| self.before.swap_remove(at));
        let left = self.current.take().filter(|voice| voice.certain);
        self.before.extend(left);
        self.current = Some(again.unwrap_or_else(|| Voice::new(grammar, certain())));
    }

    /// Ends the source. Held records that several agents may have written are handed on as the first of these agents'
    /// records; the error body of an API is handed on only if the source is `alone`.
    pub fn finish(&mut self, alone: bool, records: &mut impl Records) {
        if self.current.is_none()
            && let Some(agent) = self.evidence.shared()
        {
            self.settle(Grammar::Agent(agent), false, records);
        }
        // An agent's error object looks like an API's if no other record is present.
        if let ([held], None) = (&*self.held.make_contiguous(), &self.failure)
            && Object::new(Value::new(&held.text))
                .is_some_and(|held| errors::of_body(&held).is_some())
        {
            self.failure = self.held.pop_front();
        }
        for held in std::mem::take(&mut self.held) {
            records.nobodys(held.line, held.document());
        }
        let Some(failure) = self.failure.take() else {
            return;
        };
        let document = Value::new(&failure.text);
        let body = Object::new(document).or_else(|| Object::new(document.elements().next()?));
        match body.filter(|_| alone) {
            Some(body) => {
                self.go_on_with(Grammar::Api, || false);
                self.tell(&body, &|| failure.line, false, records);
            }
            None => records.nobodys(failure.line, &failure.text),
        }
    }

    /// Returns the agent of the record that starts with `beginning` and was cut off; held records are handed on then.
    /// `None` if it belongs to no agent; `Some(None)` if the agent has no name.
    pub fn read_cut(
        &mut self,
        beginning: &[u8],
        records: &mut impl Records,
    ) -> Option<Option<Agent>> {
        if let Some(voice) = &self.current {
            return Some(voice.grammar.agent());
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
#[must_use]
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
#[must_use]
pub(crate) fn is_terminal(record: &Object<'_>) -> Option<bool> {
    let agent = Claims::of(record).likely()?;
    let mut statement = Statement::default();
    (agent.entry().dialect)().facts(record, &mut statement);
    Some(statement.is_terminal())
}

#[cfg(test)]
mod tests {
    use super::{FoundRecord, HELD, LineOf, RecordReader, Records, Taken};
    use crate::dialect::Agent;
    use crate::document::Rank;
    use crate::fact::Statement;
    use crate::json::view::Value;

    #[derive(Default)]
    struct Seen {
        told: Vec<(Option<Agent>, u64)>,
        noise: Vec<u64>,
    }

    impl Records for Seen {
        fn record(
            &mut self,
            agent: Option<Agent>,
            line: LineOf<'_>,
            _: Value<'_>,
            _: &Statement<'_>,
        ) {
            self.told.push((agent, line()));
        }

        fn nobodys(&mut self, line: u64, _: &[u8]) {
            self.noise.push(line);
        }
    }

    const USER: &str = r#"{"type":"message","role":"user","content":"hi"}"#;
    const SAYS: &str = r#"{"type":"message","role":"assistant","content":"hello"}"#;
    const ERROR: &str = r#"{"error":{"type":"Error","message":"401 no","code":1}}"#;
    const LOG: &str = r#"{"type":"request","url":"/"}"#;
    const START: &str = r#"{"type":"start","url":"/"}"#;

    fn read(lines: &[&str]) -> (Seen, Vec<Taken>) {
        let (mut seen, mut reader) = (Seen::default(), RecordReader::new());
        let mut taken = Vec::new();
        for (number, text) in (1..).zip(lines) {
            let found = FoundRecord {
                line: &|| number,
                rank: Rank::Whole,
                event: None,
            };
            taken.push(reader.read(Value::new(text.as_bytes()), found, &mut seen));
        }
        reader.finish(true, &mut seen);
        (seen, taken)
    }

    #[test]
    fn a_record_in_doubt_is_told_in_its_place_once_another_decides() {
        let (seen, taken) = read(&[USER, START, LOG, SAYS]);
        use Taken::{Held, Nobodys, Told};
        assert_eq!(taken, [Held, Held, Nobodys, Told]);
        let gemini = Some(Agent::Gemini);
        assert_eq!(seen.told, [(gemini, 1), (gemini, 4)]);
        assert_eq!(seen.noise, [2]);
        // Alone the record is noise, and so is its repetition.
        let (seen, _) = read(&[USER, START, USER]);
        assert_eq!((seen.told.len(), seen.noise), (0, vec![1, 2, 3]));
    }

    #[test]
    fn records_that_are_held_are_bounded() {
        let mut lines = vec![START; 10 * HELD];
        lines.insert(0, USER);
        let (seen, taken) = read(&lines);
        assert!(taken.iter().all(|taken| *taken == Taken::Held));
        assert_eq!(seen.noise, (1..=lines.len() as u64).collect::<Vec<_>>());
        // The evidence of records that were given up is forgotten.
        lines.push(r#"{"type":"result","status":"success"}"#);
        assert_eq!(read(&lines).0.told.len(), 0);
        let large = format!(r#"{{"type":"start","text":"{}"}}"#, "x".repeat(600 << 10));
        let (seen, _) = read(&[USER, &large, &large, SAYS]);
        assert_eq!(seen.told, [(Some(Agent::Gemini), 4)]);
    }

    #[test]
    fn what_two_agents_print_alike_is_the_first_ones_unless_the_next_record_tells() {
        assert_eq!(read(&[ERROR]).0.told, [(Some(Agent::Gemini), 1)]);
        let qwen = r#"{"type":"system","subtype":"init","qwen_code_version":"1"}"#;
        let (seen, taken) = read(&[ERROR, qwen]);
        assert_eq!(taken, [Taken::Held, Taken::Told]);
        // Qwen Code repeats the error.
        assert_eq!(
            (seen.told, seen.noise),
            (vec![(Some(Agent::Qwen), 2)], vec![1])
        );
    }

    #[test]
    fn what_is_decided_stays_until_another_agent_certainly_writes() {
        let kimi = r#"{"role":"assistant","content":"hello"}"#;
        let codex = r#"{"type":"thread.started","thread_id":"t"}"#;
        let end = r#"{"type":"result","status":"success"}"#;
        let agents = |lines: &[&str]| {
            let told = read(lines).0.told;
            told.into_iter()
                .filter_map(|(agent, _)| agent)
                .collect::<Vec<_>>()
        };
        use Agent::{Codex, Gemini, Kimi};
        assert_eq!(agents(&[SAYS, kimi]), [Gemini]);
        assert_eq!(agents(&[SAYS, codex]), [Gemini, Codex]);
        assert_eq!(agents(&[SAYS, end, kimi]), [Gemini, Gemini, Kimi]);
    }
}
