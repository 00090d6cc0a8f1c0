//! Folds records to sessions, for tests.

use super::reader::{FoundRecord, RecordReader, Records, StatedRecord, Taken};
use crate::session::{Kept, Session, Sessions};
use jsift_json::view::Value;

/// Reads documents, each as a record of its own, and returns what became of each.
pub fn read<D: AsRef<str>>(
    reader: &mut RecordReader,
    documents: impl IntoIterator<Item = D>,
    records: &mut impl Records,
) -> Vec<Taken> {
    let mut taken = Vec::new();
    for document in documents {
        let value = Value::new(document.as_ref().as_bytes());
        taken.push(reader.read(value, FoundRecord::ALONE, records));
    }
    taken
}

/// Returns what adds records to sessions.
pub fn folding(sessions: &mut Sessions) -> impl FnMut(StatedRecord<'_>) {
    |stated| sessions.record(stated.agent, stated.statement)
}

/// Returns the sessions of these documents, each of which must belong to an agent.
pub fn sessions<D: AsRef<str>>(documents: impl IntoIterator<Item = D>) -> Sessions {
    let mut sessions = Sessions::new(Kept::Text);
    let (mut reader, mut fold) = (RecordReader::default(), folding(&mut sessions));
    let taken = read(&mut reader, documents, &mut fold);
    let unclaimed = taken.iter().position(|taken| *taken == Taken::Unclaimed);
    assert_eq!(unclaimed, None, "the index of the document");
    reader.finish(true, &mut fold);
    drop(fold);
    sessions
}

/// Returns the only session of these documents.
pub fn session(documents: &[&str]) -> Session {
    let mut all = sessions(documents).into_all();
    assert_eq!(all.len(), 1);
    all.remove(0)
}
