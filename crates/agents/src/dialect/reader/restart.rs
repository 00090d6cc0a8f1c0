//! Records from a start on that may all repeat a run that was read before. They are held until one that is new or is
//! known for certain follows them.

use super::held::{HELD_BYTES, HELD_RECORDS, HeldRecord};
use super::repeats::Repetition;
use super::{LineOf, Recognised, RecordReader, Records};
use crate::dialect::Grammar;
use crate::hashes::TextHash;
use jsift_json::view::{Object, Value};

/// The records that may be repeated ones.
#[derive(Default)]
pub(super) struct Restart {
    all: Vec<PossibleRepetition>,
    bytes: usize,
}

/// A record that may be a repeated one.
struct PossibleRepetition {
    held: HeldRecord,
    hash: TextHash,
    grammar: Grammar,
    /// Whether it was the data of an event.
    is_data: bool,
}

impl Restart {
    /// Adds a record. Returns whether they are too many to be held any longer.
    pub(super) fn push(
        &mut self,
        held: HeldRecord,
        hash: TextHash,
        grammar: Grammar,
        is_data: bool,
    ) -> bool {
        self.bytes += held.record().raw().len();
        self.all.push(PossibleRepetition {
            held,
            hash,
            grammar,
            is_data,
        });
        self.all.len() > HELD_RECORDS || self.bytes > HELD_BYTES
    }
}

impl RecordReader {
    /// Hands on what a record states that was made of that document, unless it was read before.
    pub(super) fn hand_on(
        &mut self,
        record: &Object<'_>,
        recognised: Recognised<'_>,
        document: Value<'_>,
        line: LineOf<'_>,
        records: &mut impl Records,
    ) {
        let Some(active) = &self.current else {
            return;
        };
        match self.repeats.of(record) {
            Repetition::None(hash) => {
                self.go_on_after_restart(records);
                self.state(record, hash, recognised, document, line, records);
            }
            Repetition::Possible(hash) => {
                let held = HeldRecord::new(record.value(), document, line());
                let grammar = active.grammar;
                if self.restart.push(held, hash, grammar, self.is_data) {
                    self.go_on_after_restart(records);
                }
            }
            Repetition::Certain => self.restart = Restart::default(),
        }
    }

    /// Hands on the records from the last start on: they are no repetition.
    pub(super) fn go_on_after_restart(&mut self, records: &mut impl Records) {
        let restart = std::mem::take(&mut self.restart);
        let Some(current) = self.current.as_ref().filter(|_| !restart.all.is_empty()) else {
            return;
        };
        let (grammar, is_data) = (current.grammar, self.is_data);
        for possible in restart.all {
            let held = possible.held;
            let Some(record) = Object::new(held.record()) else {
                continue;
            };
            self.go_on_with(possible.grammar, || false);
            self.is_data = possible.is_data;
            let claims = self.evidence.claims(&record);
            let recognised = match self.rule_of_current(&record) {
                Some(rule) => Recognised::ByRule(rule),
                None => Recognised::By(&claims),
            };
            let line = || held.line;
            self.state(
                &record,
                possible.hash,
                recognised,
                held.document(),
                &line,
                records,
            );
        }
        self.is_data = is_data;
        self.go_on_with(grammar, || false);
    }
}
