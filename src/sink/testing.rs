//! What the tests of several sinks need.

use crate::dialect::Agent;
use crate::dialect::reader::Reader;
use crate::fact::Statement;
use crate::json::view::Value;
use crate::session::Sessions;

/// The sessions that some records make.
pub(crate) fn sessions(records: &[&str]) -> Sessions {
    let mut sessions = Sessions::new(true);
    let mut reader = Reader::new();
    for record in records {
        let mut fold = |agent: Agent, _: Value<'_>, statement: Statement<'_>| {
            sessions.record(agent, &statement);
        };
        assert!(
            reader.read(Value::new(record.as_bytes()), &mut fold),
            "{record}"
        );
    }
    sessions
}
