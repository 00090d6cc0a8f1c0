//! What a reader of records is given, and what it hands on.

use std::sync::Arc;

use crate::dialect::{Agent, AgentFile};
use crate::fact::Statement;
use jsift_find::document::Rank;
use jsift_json::text::Text;
use jsift_json::view::Value;

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
    /// The record's own line: a record that was held comes late. 0 if no record states it, but the end of the source.
    pub line: LineOf<'a>,
    /// The document that it was made of; empty if it was cut off or is no JSON.
    pub document: Value<'a>,
    /// What it states.
    pub statement: &'a Statement<'a>,
}

/// Receives the records that a [`RecordReader`](super::RecordReader) finds.
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
