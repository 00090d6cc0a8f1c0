//! Sources whose records are the data of events (server-sent events, the data stream of the AI SDK): what stands before
//! a record on its line, or on a line before, says what the record is.

use super::ai_sdk;
use super::name::stable;
use super::sse::NamedEvents;

/// What is known of the events of a source.
#[derive(Default)]
pub(super) struct Events {
    names: NamedEvents,
    /// The number of documents that are the data of an event.
    data: u64,
    /// Whether the last document follows `data:`.
    at_data: bool,
    /// Whether one of the events has a name, or their end is marked.
    named: bool,
    /// Whether a letter at the start of each line says what its JSON is.
    ai_sdk: bool,
    /// What stands before the first document on its line, without what changes from line to line.
    before: Option<Vec<u8>>,
}

/// An event without a document: its name, and its other members as they stand in an object, after a comma.
pub(super) type BareEvent = (Vec<u8>, Vec<u8>);

impl Events {
    /// Whether the source is a stream of server-sent events: several documents were data of one, or one had a name.
    pub(super) const fn are_in_source(&self) -> bool {
        self.data > 1 || self.named
    }

    /// Whether the last document was the data of an event, after a prefix or not.
    pub(super) const fn are_at_data(&self) -> bool {
        self.at_data
    }

    /// Whether the next document may be the data of an event that has a name.
    pub(super) const fn may_name(&self) -> bool {
        !self.names.is_empty() || self.ai_sdk
    }

    /// Counts a document after `left` if it is the data of an event. Returns the name of the event.
    pub(super) fn of_document(&mut self, left: &[u8], document: &[u8]) -> Option<Vec<u8>> {
        self.at_data = NamedEvents::before_data(left).is_some();
        // Most documents are alone on their lines.
        if left.is_empty() {
            self.before.get_or_insert_default();
            return None;
        }
        let event = self.names.take(left);
        self.data += u64::from(NamedEvents::is_data(left));
        self.named |= event.is_some();
        self.before.get_or_insert_with(|| stable(left, usize::MAX));
        self.ai_sdk |= ai_sdk::starts(left, document);
        let ai_sdk = || Some(ai_sdk::event(left)?.into());
        event.or_else(|| self.ai_sdk.then(ai_sdk)?)
    }

    /// Forgets the name of the event whose data after `left` are broken.
    pub(super) fn lose(&mut self, left: &[u8]) {
        let _ = self.names.take(left);
    }

    /// Reads a line without a record, of which its writer `said` a part, if it has one. Returns the event that it is.
    pub(super) fn of_line(&mut self, line: &[u8], said: Option<&[u8]>) -> Option<BareEvent> {
        if let Some(event) = self.names.line(line) {
            return Some((event, Vec::new()));
        }
        let said = said?;
        // Most lines end otherwise. A colour ends with a letter.
        match said.trim_ascii_end().last()? {
            b'"' | b'm' => {
                let (event, data) = ai_sdk::text(said)?;
                self.ai_sdk = true;
                Some((event.into(), [b",\"data\":", &*data].concat()))
            }
            b']' => {
                let left = NamedEvents::before_done(line)?;
                // After a prefix, which any log has before its data, the mark alone makes events of them.
                self.named |= self.before.as_ref() == Some(&stable(left, usize::MAX));
                self.data += u64::from(NamedEvents::is_data(left));
                None
            }
            _ => None,
        }
    }
}
