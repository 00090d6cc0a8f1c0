//! Records of failure that are all that is left of a run: recognised whatever members only date, name or number them.

use serde_json::{Value, json};

use super::codes;
use super::minimal::sorted;

/// A record, and the code that all commands end with.
const FAILURES: &[(&str, i32)] = &[
    (r#"{"type":"turn.failed"}"#, 10),
    (
        r#"{"type":"turn.failed","error":{"message":"429 slow down"}}"#,
        12,
    ),
    (r#"{"type":"turn.failed","status":"interrupted"}"#, 15),
    (
        r#"{"is_error":true,"subtype":"error_during_execution","result":"no"}"#,
        10,
    ),
    (
        r#"{"is_error":true,"subtype":"error_max_turns","total_cost_usd":0.1}"#,
        13,
    ),
    (
        r#"{"is_error":true,"api_error_status":429,"result":"You've hit your session limit"}"#,
        12,
    ),
    (
        r#"{"is_error":true,"api_error_status":429,"result":"no"}"#,
        12,
    ),
    (
        r#"{"type":"result","subtype":"error_during_execution"}"#,
        10,
    ),
    (
        r#"{"type":"result","status":"error","error":{"message":"You have exhausted your capacity on this model."}}"#,
        12,
    ),
    (
        r#"{"type":"result","status":"error","error":{"message":"Token limit exceeded"}}"#,
        10,
    ),
    (
        r#"{"type":"result","status":"error","error":{"type":"Error","message":"no"}}"#,
        10,
    ),
    (
        r#"{"type":"result","status":"error","error":"401 Unauthorized"}"#,
        11,
    ),
    (r#"{"type":"error","message":"401 Unauthorized"}"#, 11),
    (r#"{"type":"error","error":"401 Unauthorized"}"#, 11),
    (
        r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
        12,
    ),
    (r#"{"error":{"type":"authentication_error"}}"#, 11),
    (r#"{"error":{"type":"not_found_error"}}"#, 16),
    (r#"{"error":{"type":"api_error"}}"#, 17),
    (r#"{"error":{"code":"rate_limit_exceeded"}}"#, 12),
    (
        r#"{"error":{"type":"authentication_error","message":"no"}}"#,
        11,
    ),
    (
        r#"{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}"#,
        12,
    ),
    (r#"{"error":"model 'llama9' not found"}"#, 16),
    (
        r#"{"type":"system","subtype":"api_retry","error_status":429}"#,
        12,
    ),
    (
        r#"{"type":"system","subtype":"api_retry","attempt":5,"error_status":401,"error":"authentication_failed"}"#,
        11,
    ),
    (
        r#"{"type":"error","message":"Reconnecting... 1/5 (unexpected status 429 Too Many Requests)"}"#,
        12,
    ),
    (
        r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed)"}"#,
        17,
    ),
    (
        r#"{"type":"result","status":"error","error":{"message":"Output token limit reached"}}"#,
        13,
    ),
    (r#"{"type":"response.failed"}"#, 10),
    (r#"{"type":"response.failed","error":{"message":"no"}}"#, 10),
    (
        r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded"}}}"#,
        12,
    ),
    (r#"{"candidates":[{"finishReason":"SAFETY"}]}"#, 14),
    (
        r#"{"candidates":[{"index":0,"finishReason":"MAX_TOKENS"}]}"#,
        13,
    ),
];

/// Members that only date, name or number a record.
const LABELS: &[(&str, &str)] = &[
    ("timestamp", r#""2026-01-01T00:00:00Z""#),
    ("ts", "1767225600000"),
    ("session_id", r#""s""#),
    ("sessionId", r#""s""#),
    ("thread_id", r#""t""#),
    ("uuid", r#""u""#),
    ("id", r#""i""#),
    ("request_id", r#""r""#),
    ("version", r#""1.0""#),
    ("cwd", r#""/w""#),
];

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_dates_names_or_numbers_a_record_of_failure_does_not_hide_it() {
    for (record, code) in FAILURES {
        assert_eq!(codes(record), ([*code; 3], String::new()), "{record}");
        let mut all = value(record);
        for (name, label) in LABELS {
            let mut one = value(record);
            for record in [&mut one, &mut all] {
                record
                    .as_object_mut()
                    .unwrap()
                    .insert((*name).to_owned(), value(label));
            }
            let one = one.to_string();
            assert_eq!(codes(&one), ([*code; 3], String::new()), "{one}");
        }
        let array = json!([all]);
        for text in [
            sorted(&all).to_string(),
            format!("{all:#}"),
            format!("app-1  | {all}\n"),
            format!("starting up\n{all}\n"),
            format!("{all}\n{all}\n"),
            array.to_string(),
            format!("{array:#}"),
        ] {
            assert_eq!(codes(&text), ([*code; 3], String::new()), "{text}");
        }
    }
}

/// What other programs print is a document, although it states an error.
#[test]
fn an_error_that_no_agent_or_api_states_so_is_a_document() {
    for text in [
        r#"{"level":"error","message":"401 Unauthorized","timestamp":"2026-01-01T00:00:00Z"}"#,
        r#"{"level":"error","error":{"type":"authentication_error"}}"#,
        r#"{"type":"error","message":"no such file","id":"i","session_id":"s"}"#,
        r#"{"type":"error","message":"401 Unauthorized","path":"/login"}"#,
        r#"{"type":"result","status":"error"}"#,
        r#"{"type":"result","status":"error","error":{"message":"3 tests failed"}}"#,
        r#"{"type":"result","status":"error","error":{"message":"Unauthorized"},"suite":"login"}"#,
        r#"{"error":{"code":"E42"}}"#,
        r#"{"error":{"code":"E42","message":"no"},"timestamp":"2026-01-01T00:00:00Z"}"#,
        r#"{"error":{"code":"E42","message":"no"},"version":"1.0"}"#,
        r#"{"error":{"type":"validation_failed"},"id":"i"}"#,
        r#"{"error":{"code":404}}"#,
        r#"[{"error":{"code":1,"message":"a"}},{"error":{"code":2,"message":"b"}}]"#,
        r#"{"errors":[{"message":"Cannot query field \"a\""}],"data":null}"#,
        r#"{"is_error":true,"result":"syntax error","tool":"sql"}"#,
        r#"{"type":"response.failed","url":"https://example.test/","status":500}"#,
        r#"{"type":"response.completed"}"#,
        r#"{"candidates":[{"name":"Ada"}]}"#,
        r#"{"event":"checkout.completed","requestId":"r","sessionId":"s"}"#,
        r#"{"id":"2","result":{"thread":{"id":"t","title":"Hi"}}}"#,
        r#"{"choices":[{"label":"a","finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"finish_reason":"stop"}]}"#,
        r#"{"type":"tool_call","tool_call":{"name":"ls"}}"#,
    ] {
        assert_eq!(codes(text), ([1, 1, 0], format!("{text}\n")), "{text}");
    }
}
