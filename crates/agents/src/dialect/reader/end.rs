//! Ends what a reader reads: a response or a run by a mark, a record that was cut off, the source.

use super::grammar::ActiveDialect;
use super::{FoundRecord, LineOf, Recognised, RecordReader, Records, StatedRecord};
use crate::dialect::shape::{Claims, Sure};
use crate::dialect::{Grammar, api, unknown, usual};
use crate::fact::{Problem, Statement};
use jsift_json::text::Text;
use jsift_json::view::{Object, Value};
use jsift_outcome::Outcome;

impl RecordReader {
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
            self.hand_on(&end, Recognised::Certainly, Value::new(b""), line, records);
        }
    }

    /// Hands on the failure of an API's responses, if a record states one: the data of an event named `error`, or of
    /// any event if it has an `error` while a response is streamed, whatever gateways add to it. Returns whether it
    /// does.
    pub(super) fn fail_open(
        &mut self,
        record: &Object<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> bool {
        let active = self.current.as_ref();
        let Some(active) = active.filter(|active| active.grammar == Grammar::Api) else {
            return false;
        };
        let of = |start: &[u8], inner: Value<'_>| [start, inner.raw(), b"}"].concat();
        let plain = |message| of(b"{\"error\":", message);
        let mut bodies = Vec::new();
        if let Some(message) = record
            .get("message")
            .filter(|_| found.event == Some(b"error"))
        {
            // Without a type the message is all that there is.
            bodies.push(of(b"{\"type\":\"error\",\"error\":", record.value()));
            bodies.push(plain(message));
        }
        // Few records have an error; whether one is a part of a response is a longer question.
        let error = record.get("error").and_then(Value::non_null);
        let is_open = || self.is_data && active.streams && !active.ended;
        if let Some(error) = error.filter(|_| is_open() && !api::is_part(record)) {
            bodies.push(plain(error));
            bodies.extend(error.get("message").map(plain));
        }
        let mut bodies = bodies.iter();
        let body = bodies.find_map(|body| Object::new(Value::new(body)).filter(api::is_part));
        if let Some(body) = &body {
            let certainly = Recognised::Certainly;
            self.hand_on(body, certainly, record.value(), found.line, records);
        }
        body.is_some()
    }

    /// Ends the source. Held records that several agents may have written are handed on as the first of these agents'
    /// records; the error body of an API is handed on only if the source is `alone`.
    pub fn finish(&mut self, alone: bool, records: &mut impl Records) {
        if let Some(agent) = self.evidence.shared().or(self.broken) {
            self.settle(Grammar::Agent(agent), false, records);
        }
        if alone && self.current.is_none() && self.held.is_envelope() {
            self.settle(Grammar::Unknown, false, records);
        }
        for held in self.held.take() {
            held.give_up(records);
        }
        self.go_on_after_restart(records);
        self.finish_dialect(records);
        let Some(failure) = self.failure.take() else {
            return;
        };
        match Object::new(failure.document()).filter(|_| alone) {
            Some(body) => {
                self.go_on_with(Grammar::Api, || false);
                let certainly = Recognised::Certainly;
                let line = || failure.line;
                self.hand_on(&body, certainly, body.value(), &line, records);
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
                line: &|| 0,
                document: Value::new(b""),
                statement: &statement,
            });
        }
    }

    /// Returns the grammar of the record that starts with `beginning` and is broken or was cut off; `None` if it has
    /// none. If nothing follows (`last`), held records are handed on; whole records after it decide without it.
    pub(crate) fn read_cut(
        &mut self,
        beginning: &[u8],
        last: bool,
        records: &mut impl Records,
    ) -> Option<Grammar> {
        if let Some(active) = &self.current {
            return Some(active.grammar);
        }
        let agent = self.evidence.best_with(&self.claims_of_cut(beginning)?)?;
        match last {
            true => self.settle(Grammar::Agent(agent), false, records),
            false => self.broken = Some(agent),
        }
        Some(Grammar::Agent(agent))
    }

    /// Whether a record that starts with `beginning` and is broken or was cut off would alone be taken for an agent's.
    pub(crate) fn opens_session(&self, beginning: &[u8]) -> bool {
        let claims = self.claims_of_cut(beginning);
        claims.is_some_and(|claims| claims.all().any(|(_, sure, _)| sure >= Sure::Likely))
    }

    /// Returns the claims on a record, or on the first one of an array, of which only the beginning is known.
    fn claims_of_cut(&self, beginning: &[u8]) -> Option<Claims> {
        let document = Value::new(beginning);
        let record = Object::new(document).or_else(|| Object::new(document.elements().next()?))?;
        Some(self.evidence.claims(&record))
    }
}

/// Lets a failure that the record of an end states override a success, whichever member it is in. What an agent file
/// and the forms of APIs and unknown agents say of their ends is read with them; a flag or an exit code overrides that,
/// too.
pub(super) fn override_end<'a>(
    grammar: Grammar,
    record: &Object<'a>,
    statement: &mut Statement<'a>,
) {
    let failure = match grammar {
        Grammar::Agent(_) => usual::failure_of_end(record),
        _ => usual::has_failed(record).then(|| Problem::fatal(Outcome::Failed, Text::EMPTY)),
    };
    if let Some(failure) = failure {
        statement.fail(&failure);
    }
}
