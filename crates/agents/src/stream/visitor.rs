//! What the finder hands a stream: documents, broken records, and the noise between them.

use memchr::memchr;

use super::noise::{LINE_KEPT, sample};
use super::{Follower, Stream};
use crate::dialect::reader::StatedRecord;
use crate::dialect::{Grammar, announces_record};
use crate::fact::{Fact, Start, Statement};
use crate::session::Session;
use jsift_find::document::{Document, Fault, FaultKind, Noise, Visitor, Wants};
use jsift_json::scan::clean;
use jsift_json::view::Value;

impl<F: Follower> Stream<F> {
    /// Notes that a record is lost. If no session is going on, the record may still show its agent.
    pub(super) fn lose(&mut self, fault: &Fault) {
        let alone = self.follower.sessions().selected().is_none();
        let owner = self.owner_of_cut(fault);
        let sessions = self.follower.sessions();
        match fault.kind {
            FaultKind::Truncated => {
                sessions.note_cut();
                let going = sessions.selected();
                let agent = going.and_then(|going| going.agent);
                let is_envelope = going.is_some_and(Session::is_envelope);
                // Each response of an API is a run of its own, and so is each envelope.
                let begins = is_envelope && self.may_be_envelope(&fault.sample)
                    || self.writers.selected().reader.is_after_response();
                let mut statement = Statement::default();
                statement.extend(begins.then(|| Fact::Start(Start::default())));
                if begins || owner.is_some() {
                    self.follower.record(StatedRecord {
                        agent: owner.and_then(Grammar::agent).or(agent),
                        line: &|| fault.position.line,
                        document: Value::new(b""),
                        statement: &statement,
                    });
                }
            }
            _ if !alone || owner.is_some() => sessions.note_broken(),
            _ => {}
        }
    }

    /// Whether a document that was cut off after an envelope may be another one: it belongs to an agent, or says
    /// nothing yet. A line of a log is noise.
    fn may_be_envelope(&mut self, sample: &[u8]) -> bool {
        let reader = &self.writers.selected().reader;
        !sample.contains(&b':') || reader.opens_session(&clean(sample))
    }

    /// Returns the grammar of a lost record, if no session is going on.
    fn owner_of_cut(&mut self, fault: &Fault) -> Option<Grammar> {
        let alone = self.follower.sessions().selected().is_none();
        let last = fault.kind == FaultKind::Truncated;
        let (reader, mut receiver) = self.parts();
        alone.then(|| reader.read_cut(&clean(&fault.sample), last, &mut receiver))?
    }

    fn push_noise(&mut self, text: &[u8], number: u64) {
        if text.is_empty() {
            return;
        }
        let line = &mut self.line;
        if line.bytes == 0 {
            (line.number, line.blank) = (number, true);
        }
        line.bytes += text.len() as u64;
        line.blank &= text.trim_ascii().is_empty();
        let room = LINE_KEPT.saturating_sub(line.text.len());
        line.text
            .extend_from_slice(text.get(..room).unwrap_or(text));
    }
}

impl<F: Follower> Visitor for Stream<F> {
    fn document(&mut self, document: Document<'_>) {
        let new = !self.writers.selected().reader.has_agent();
        if new && !self.may_be_read(document) {
            self.pass(document);
        } else {
            self.read(document);
        }
    }

    fn fault(&mut self, fault: Fault) {
        if fault.kind == FaultKind::Limit {
            // It may have been the record that identifies the agent of the held ones.
            let _ = self.owner_of_cut(&fault);
            self.follower.broken(&fault);
            return;
        }
        let after_records = self.follower.sessions().selected().is_some();
        // An object that the end of input cuts off after records is one, even if it says nothing yet.
        let goes_on =
            after_records && fault.kind == FaultKind::Truncated && fault.sample.starts_with(b"{");
        let reader = &self.writers.selected().reader;
        let opens = || reader.opens_session(&clean(&fault.sample));
        let announced = || announces_record(&fault.sample, || after_records || opens());
        if !goes_on && !announced() && !opens() {
            return;
        }
        self.set_prefix(fault.prefix.as_deref());
        let in_fence = fault.fence.is_some();
        self.find_writer_of_fault(in_fence);
        let line = fault.position.line;
        let noise = self.follower.sessions().noise();
        noise.broken += 1;
        // Its bytes follow as noise; its line is counted only once.
        if !in_fence {
            noise.lines += u64::from(self.counted.is_new(line));
            noise.sample(line, || sample(&fault.sample));
        }
        if !self.begin_cut_array(&fault) {
            self.lose(&fault);
        }
        self.follower.broken(&fault);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        if let Some(cut) = &mut self.cut {
            cut.add(noise);
        }
        self.set_prefix(noise.prefix);
        // Most documents are alone on their lines.
        let is_end =
            |text: &[u8]| text == b"\n" || text.trim_ascii() == b"" && text.ends_with(b"\n");
        if self.line.bytes == 0 && is_end(noise.text) {
            self.goes_on = false;
            return;
        }
        let mut number = noise.position().line;
        let mut rest = noise.text;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            if self.line.bytes > 0 {
                self.push_noise(line, number);
                self.end_noise_line();
            } else if !line.trim_ascii().is_empty() {
                let text = line.get(..LINE_KEPT).unwrap_or(line);
                self.count_noise(text, line.len() as u64, number);
            }
            self.goes_on = false;
            number += 1;
            rest = after.get(1..).unwrap_or_default();
        }
        if !rest.is_empty() {
            self.push_noise(rest, number);
        }
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(true)
    }
}
