//! A source that is read as an agent's stream: the common part of `events` and `summary`.

use crate::command::cli::Common;
use crate::command::run::environment::Environment;
use crate::command::run::notes::{Notes, missed_field};
use crate::command::run::source::{Arrived, Channels};
use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::stream::{Follower, Stream};
use jsift_find::finder::FindOptions;
use jsift_find::reading::Reading;

/// Connects the bytes of a source with the follower of its records.
pub(super) struct Followed<F> {
    reading: Reading,
    pub(super) stream: Stream<F>,
    pub(super) notes: Notes,
}

impl<F: Follower> Followed<F> {
    /// Returns the state at the start of a source.
    pub(super) fn new(
        notes: Notes,
        common: &Common,
        environment: &Environment,
        follower: F,
    ) -> Self {
        let find = FindOptions {
            lossy: common.lossy,
            max_document: common.max_document,
            layout: true,
            ..FindOptions::default()
        };
        let agent = notes.agent.as_deref().and_then(Agent::from_name);
        let reader = agent.map_or_else(RecordReader::default, RecordReader::of);
        let reader = reader.with_files(&environment.agents);
        let reading = Reading::new(super::unwrap_of(common), find);
        let shows_lines = super::shows_lines(common, environment) && !notes.structural;
        Self {
            reading: reading.with_lines(shows_lines),
            stream: Stream::new(reader, follower),
            notes,
        }
    }

    /// Reads the next bytes.
    pub(super) fn read(&mut self, bytes: Arrived<'_>) {
        match bytes {
            Arrived::Block(bytes) => {
                self.notes.block(bytes);
                self.reading.block(bytes, &mut self.stream);
            }
            Arrived::InSpace(size) => self.reading.filled(size, &mut self.stream),
        }
    }

    /// Returns room for the next bytes, if they need not be copied for messages.
    pub(super) fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let noted = self.notes.has_head();
        noted.then(|| self.reading.space(size)).flatten()
    }

    /// Ends the source.
    pub(super) fn end(&mut self, to: &mut Channels<'_>) {
        self.reading.end(&mut self.stream);
        if let Some(field) = self.reading.missed_field() {
            to.report(missed_field(field).of(&*self.notes.source));
        }
    }
}
