//! Envelopes: documents in which an agent or an API wraps its answer.
//!
//! To choose, the chain of `extract` needs the [standing] of each document; for the payload, it needs the [answer] in
//! the envelope.

use crate::dialect::reader::{self, FoundRecord, RecordReader, StatedRecord};
use crate::dialect::{Agent, api, may_be_read};
use crate::session::{Kept, Sessions};
use jsift_find::choose::choice::Standing;
use jsift_json::tape::MarkLayout;
use jsift_json::text::Text;
use jsift_json::view::{Object, ObjectMemory, Value};
use jsift_outcome::Outcome;

/// The content of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The agent; `None` for an API's response body.
    pub agent: Option<Agent>,
    /// How the session ended.
    pub outcome: Outcome,
    /// The answer, empty if there is none.
    pub response: Text<'static>,
    /// The agent's description of what went wrong.
    pub error: Option<Text<'static>>,
}

/// The length in bytes of the shortest envelope, `{"type":"result"}`.
const LEAST: usize = 17;

/// Returns the standing of a document in the choice. `layout` has the positions of its members, if they are known.
#[must_use]
pub fn standing(document: &[u8], layout: Option<MarkLayout<'_>>) -> Standing {
    let value = Value::new(document);
    if document.len() < LEAST || !may_be_read(value, layout) {
        return Standing::Other;
    }
    let terminal = match &Object::of_document(value, layout, ObjectMemory::default()) {
        Some(record) => match reader::is_terminal(record) {
            Some(terminal) => terminal,
            None if api::is_answer(record) => return Standing::Body,
            None => false,
        },
        None => reader::agent_of(value).is_some_and(|agent| {
            let mut terminal = false;
            let mut look = |stated: StatedRecord<'_>| {
                terminal |= stated.statement.is_terminal();
            };
            let _ = RecordReader::of(agent).read(value, FoundRecord::ALONE, &mut look);
            terminal
        }),
    };
    match terminal {
        true => Standing::Envelope,
        false => Standing::Other,
    }
}

/// Whether a document looks like a record of an agent's stream.
#[must_use]
pub fn is_record(document: &[u8]) -> bool {
    reader::agent_of(Value::new(document)).is_some()
}

/// Returns the content of a document, if it is an envelope or an API's response body.
#[must_use]
pub fn answer(document: Value<'_>) -> Option<Answer> {
    let mut sessions = Sessions::new(Kept::Text);
    let mut fold = |stated: StatedRecord<'_>| {
        sessions.record(stated.agent, stated.statement);
    };
    let mut reader = RecordReader::default();
    let _ = reader.read(document, FoundRecord::ALONE, &mut fold);
    reader.finish(false, &mut fold);
    let session = sessions.current()?;
    let outcome = session.outcome();
    (outcome != Outcome::Truncated).then(|| Answer {
        agent: session.agent,
        outcome,
        response: session.response().unwrap_or_default().into_owned(),
        error: session.fatal_error().map(|error| error.message.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::{Standing, answer, standing};
    use jsift_json::view::Value;
    use jsift_outcome::Outcome;

    const MAX_TURNS: &str = r#"{"error":{"type":"FatalTurnLimitedError","message":"Reached max session turns for this session.","code":53}}"#;
    const UNREADABLE: &str = r#"{"session_id":"99a557b9","error":{"type":"Error","message":"[object Object]","code":401}}"#;

    fn value(text: &str) -> Value<'_> {
        Value::new(text.as_bytes())
    }

    #[test]
    fn the_error_forms_of_agents_are_envelopes_with_a_class() {
        assert_eq!(standing(MAX_TURNS.as_bytes(), None), Standing::Envelope);
        assert_eq!(answer(value(MAX_TURNS)).unwrap().outcome, Outcome::Turns);
        assert_eq!(answer(value(UNREADABLE)).unwrap().outcome, Outcome::Auth);
        let word = UNREADABLE.replace("401", r#""401""#);
        assert_eq!(answer(value(&word)).unwrap().outcome, Outcome::Auth);
    }

    #[test]
    fn error_bodies_and_streams_without_an_end_are_no_envelope() {
        for decoy in [
            r#"{"error":{"code":429,"message":"Quota exceeded for metric","status":"RESOURCE_EXHAUSTED","details":[]}}"#,
            r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
            r#"{"type":"tool-calls-update","toolCalls":[],"schedulerId":"root"}"#,
            r#"{"response":"no statistics"}"#,
            r#"[{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[]}]"#,
        ] {
            assert_eq!(standing(decoy.as_bytes(), None), Standing::Other, "{decoy}");
        }
    }

    #[test]
    fn an_envelope_gives_its_answer() {
        let text = r#"{"response":"{\"a\":1}","stats":{"models":{},"tools":{"totalCalls":0,"byName":{}}}}"#;
        let answer = answer(value(text)).unwrap();
        assert_eq!(answer.outcome, Outcome::Success);
        assert_eq!(answer.response, r#"{"a":1}"#);
    }
}
