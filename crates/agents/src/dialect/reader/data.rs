//! Reads the data of server-sent events that say what they are only as such: with the name of their event, or because
//! they have nothing but a piece of a text.

use super::{FoundRecord, RecordReader, Records, Taken};
use crate::dialect::{api, unknown};
use jsift_json::view::{Object, Value};

impl RecordReader {
    /// Reads the event of that name, whose further members are `more`, as a record. Known agents name no events.
    pub(crate) fn read_event(
        &mut self,
        event: &[u8],
        more: &[u8],
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Taken {
        let text = unknown::record_of_event(event, more);
        let record = Object::new(Value::new(&text)).filter(|_| self.may_be_unknown());
        let Some(record) = record else {
            return Taken::Unclaimed;
        };
        let claims = self.evidence.claims(&record);
        let document = record.get("data").unwrap_or(Value::new(b""));
        self.read_claimed(&record, &claims, document, found, records)
    }

    /// Reads the data of an event of Cloudflare's Workers AI as the chunk that states the same.
    pub(super) fn read_workers(
        &mut self,
        data: &Object<'_>,
        found: FoundRecord<'_>,
        records: &mut impl Records,
    ) -> Option<Taken> {
        let may_be = self.is_data && found.event.is_none() && self.rule_of(data).is_none();
        let chunk = may_be.then(|| api::workers_chunk(data, self.is_open()))??;
        let chunk = Object::new(Value::new(&chunk))?;
        let claims = self.evidence.claims(&chunk);
        Some(self.read_claimed(&chunk, &claims, data.value(), found, records))
    }
}
