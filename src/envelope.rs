//! Envelopes: documents in which an agent or an API wraps its answer.
//!
//! The chain of `extract` asks for the [standing] of each document when it chooses, and for the [answer] in it when the
//! payload is wanted.

use crate::dialect::api::{self, Reply};
use crate::dialect::reader::Reader;
use crate::dialect::{Agent, Claims};
use crate::fact::Statement;
use crate::find::choice::Standing;
use crate::json::text::Text;
use crate::json::view::{Object, Value};
use crate::outcome::Outcome;
use crate::session::{Session, Sessions};

/// What an envelope holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The agent; `None` for an API's body.
    pub agent: Option<Agent>,
    /// How the session ended.
    pub outcome: Outcome,
    /// The answer, empty if there is none.
    pub response: Text<'static>,
    /// What the agent says went wrong.
    pub error: Option<Text<'static>>,
}

/// The standing of a document in the choice.
#[must_use]
pub fn standing(document: Value<'_>) -> Standing {
    let mut terminal = false;
    let mut look =
        |_: Agent, _: Value<'_>, statement: &Statement<'_>| terminal |= statement.is_terminal();
    let is_body = match Object::new(document) {
        Some(record) => {
            let claims = Claims::of(&record);
            // What is an agent's is no API's.
            let known = !claims.is_no_agents() && Reader::new().read_record(&record, &mut look);
            !known && !claims.is_no_apis() && api::is_answer(&record)
        }
        None => {
            let _ = Reader::new().read_array(document, &mut look);
            false
        }
    };
    match terminal {
        true => Standing::Envelope,
        false if is_body => Standing::Body,
        false => Standing::Other,
    }
}

/// What a document holds, if it is an envelope or an API's response body.
#[must_use]
pub fn answer(document: Value<'_>) -> Option<Answer> {
    let mut sessions = Sessions::new(true);
    let mut fold =
        |agent: Agent, _: Value<'_>, statement: &Statement<'_>| sessions.record(agent, statement);
    let _ = Reader::new().read(document, &mut fold);
    match sessions.current().filter(|session| session.has_ended()) {
        Some(session) => Some(of_session(session)),
        None => api::response(&Object::new(document)?).map(of_reply),
    }
}

/// What the response of an API holds.
pub(crate) fn of_reply(reply: Reply) -> Answer {
    Answer {
        agent: None,
        outcome: reply.outcome(),
        error: reply.failure().map(|failure| failure.message.clone()),
        response: reply.into_text(),
    }
}

fn of_session(session: &Session) -> Answer {
    let fatal = session.errors().iter().rev().find(|error| error.fatal);
    Answer {
        agent: Some(session.agent()),
        outcome: session.outcome(),
        response: session.response().unwrap_or_default().into_owned(),
        error: fatal.map(|error| error.message.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Standing, answer, standing};
    use crate::json::view::Value;
    use crate::outcome::Outcome;

    const MAX_TURNS: &str = r#"{"error":{"type":"FatalTurnLimitedError","message":"Reached max session turns for this session.","code":53}}"#;
    const UNREADABLE: &str = r#"{"session_id":"99a557b9","error":{"type":"Error","message":"[object Object]","code":401}}"#;

    fn value(text: &str) -> Value<'_> {
        Value::new(text.as_bytes())
    }

    #[test]
    fn the_error_forms_of_agents_are_envelopes_with_a_class() {
        assert_eq!(standing(value(MAX_TURNS)), Standing::Envelope);
        assert_eq!(answer(value(MAX_TURNS)).unwrap().outcome, Outcome::Turns);
        assert_eq!(answer(value(UNREADABLE)).unwrap().outcome, Outcome::Auth);
        let word = UNREADABLE.replace("401", r#""401""#);
        assert_eq!(answer(value(&word)).unwrap().outcome, Outcome::Auth);
    }

    #[test]
    fn error_bodies_of_apis_are_nobodys_envelope() {
        for decoy in [
            r#"{"error":{"code":429,"message":"Quota exceeded for metric","status":"RESOURCE_EXHAUSTED","details":[]}}"#,
            r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
            r#"{"type":"tool-calls-update","toolCalls":[],"schedulerId":"root"}"#,
            r#"{"response":"no statistics"}"#,
        ] {
            assert_eq!(standing(value(decoy)), Standing::Other, "{decoy}");
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
