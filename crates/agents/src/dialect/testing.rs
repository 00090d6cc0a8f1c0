//! Folds records to sessions, for tests.

use super::reader::{FoundRecord, RecordReader, StatedRecord, Taken};
use crate::session::{Kept, Session, Sessions};
use jsift_json::view::Value;

/// Returns the sessions of these documents, each of which must belong to an agent.
pub fn sessions<D: AsRef<str>>(documents: impl IntoIterator<Item = D>) -> Sessions {
    let mut sessions = Sessions::new(Kept::Text);
    let mut reader = RecordReader::default();
    let mut fold = |stated: StatedRecord<'_>| {
        sessions.record(stated.agent, stated.statement);
    };
    for document in documents {
        let document = document.as_ref();
        let taken = reader.read(
            Value::new(document.as_bytes()),
            FoundRecord::ALONE,
            &mut fold,
        );
        assert_ne!(taken, Taken::Unclaimed, "{document}");
    }
    reader.finish(true, &mut fold);
    sessions
}

/// Returns the only session of these documents.
pub fn session(documents: &[&str]) -> Session {
    let mut all = sessions(documents).into_all();
    assert_eq!(all.len(), 1);
    all.remove(0)
}
