//! Records that are held until it is known whose they are.

use std::collections::VecDeque;
use std::ops::Range;

use super::Records;
use crate::dialect::unknown::{self, envelope};
use jsift_json::view::{Object, Value};

/// The maximum number of doubtful records that are held.
pub const HELD_RECORDS: usize = 64;
/// The maximum number of bytes of the records that are held.
pub const HELD_BYTES: usize = 1 << 20;

/// A record that is held.
pub(super) struct HeldRecord {
    text: Vec<u8>,
    /// The place in `text` of the document that the record was made of.
    document: Range<usize>,
    pub(super) line: u64,
}

impl HeldRecord {
    /// Returns a record that was made of `document`: it is the document, or an event with it as its data.
    pub(super) fn new(record: Value<'_>, document: Value<'_>, line: u64) -> Self {
        Self {
            document: document.place_in(record.raw()).unwrap_or_default(),
            text: record.raw().to_vec(),
            line,
        }
    }

    pub(super) fn record(&self) -> Value<'_> {
        Value::new(&self.text)
    }

    /// Returns the document as it is in the source.
    pub(super) fn document(&self) -> Value<'_> {
        Value::new(self.text.get(self.document.clone()).unwrap_or_default())
    }

    /// Whether the record says what it is in the member in which one of these says it: it is one of the same stream.
    pub(super) fn is_among(&self, all: &VecDeque<Self>) -> bool {
        let of = |held: &Self| unknown::discriminator(&Object::new(held.record())?);
        let own = of(self);
        own.is_some() && all.iter().any(|held| of(held) == own)
    }

    /// Announces that the record is no agent's.
    pub(super) fn give_up(&self, records: &mut impl Records) {
        records.unclaimed(self.line, self.document().raw());
    }
}

/// The records that are held.
#[derive(Default)]
pub(super) struct HeldRecords {
    pub(super) all: VecDeque<HeldRecord>,
    bytes: usize,
}

impl HeldRecords {
    /// Adds a record. Returns whether older ones had to be given up.
    pub(super) fn push(&mut self, held: HeldRecord, records: &mut impl Records) -> bool {
        self.bytes += held.text.len();
        self.all.push_back(held);
        if self.all.len() <= HELD_RECORDS && self.bytes <= HELD_BYTES {
            return false;
        }
        // Drops half of them, so that the rest need not be weighed again for every further record.
        let keep = self.all.len() / 2;
        while self.all.len() > keep || self.bytes > HELD_BYTES / 2 {
            let Some(held) = self.all.pop_front() else {
                break;
            };
            self.bytes -= held.text.len();
            held.give_up(records);
        }
        true
    }

    /// Whether they are a single record, said any number of times, that is all that an unknown agent printed about a
    /// run.
    pub(super) fn is_envelope(&self) -> bool {
        let first = self.all.front().map(HeldRecord::record);
        let same = |first: Value<'_>| self.all.iter().all(|held| held.text == first.raw());
        first.is_some_and(|first| envelope::is_alone(first) && same(first))
    }

    /// Removes all records and returns them.
    pub(super) fn take(&mut self) -> VecDeque<HeldRecord> {
        self.bytes = 0;
        std::mem::take(&mut self.all)
    }
}
