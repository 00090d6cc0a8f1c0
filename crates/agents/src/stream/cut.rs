//! An array that the end of the input cuts off: the elements that are complete are records, if it is one of records.

use super::before::TextBefore;
use super::{Follower, Stream};
use crate::dialect::reader::{FoundRecord, Taken};
use jsift_find::document::{Fault, FaultKind, Noise, Rank};
use jsift_json::is_json;
use jsift_json::view::Value;
use memchr::memchr;

/// An array that was cut off.
pub(super) struct CutArray {
    fault: Fault,
    rank: Rank,
    writer: usize,
    /// Its text, which is given as noise.
    text: Vec<u8>,
}

impl CutArray {
    /// Adds text that follows its fault.
    pub(super) fn add(&mut self, noise: Noise<'_>) {
        if noise.prefix == self.fault.prefix.as_deref() {
            self.text.extend_from_slice(noise.text);
        }
    }
}

/// Returns the array of the elements that are complete in a text that ends inside an array; `None` if there are none.
fn complete(mut text: Vec<u8>) -> Option<Vec<u8>> {
    // The marks of a fence may precede it.
    text.drain(..memchr(b'[', &text)?);
    let is_complete = |element: &Value<'_>| is_json(element.raw());
    let elements = Value::new(&text).elements();
    let last = elements.take_while(is_complete).last()?;
    let end = last.place_in(&text)?.end;
    text.truncate(end);
    text.push(b']');
    Some(text)
}

impl<F: Follower> Stream<F> {
    /// Takes a fault if it is that of an array that the end of the input cuts off. Returns whether it is.
    pub(super) fn begin_cut_array(&mut self, fault: &Fault) -> bool {
        if fault.kind != FaultKind::Truncated || !fault.sample.starts_with(b"[") {
            return false;
        }
        // Each of several writers may have one.
        let writer = self.writers.current;
        self.end_cut_array();
        self.writers.current = writer;
        self.select_writer(writer);
        self.cut = Some(CutArray {
            fault: fault.clone(),
            rank: match (&fault.fence, self.before) {
                (Some(_), _) => Rank::AnnouncedFence,
                (None, TextBefore::Other) => Rank::Embedded,
                (None, _) => Rank::Whole,
            },
            writer,
            text: Vec::new(),
        });
        true
    }

    /// Reads the complete elements of an array that was cut off. If none of them is a record, the array is a lost one.
    pub(super) fn end_cut_array(&mut self) {
        let Some(cut) = self.cut.take() else {
            return;
        };
        self.writers.current = cut.writer;
        self.select_writer(cut.writer);
        let found = FoundRecord {
            line: &|| cut.fault.position.line,
            rank: cut.rank,
            event: None,
        };
        let (reader, mut receiver) = self.parts();
        let read = |text: Vec<u8>| reader.read_array(Value::new(&text), found, &mut receiver);
        match complete(cut.text).map(read) {
            Some(Taken::Reported) => self.follower.sessions().note_cut(),
            _ => self.lose(&cut.fault),
        }
    }
}
