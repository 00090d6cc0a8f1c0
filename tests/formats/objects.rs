//! Single objects: those that are all that an agent printed about a run, and those that only look like it.

use std::fs;
use std::path::Path;

use jsift_outcome::Outcome;
use serde_json::Value;

use super::{codes, reported};

fn objects(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/objects");
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The object as it may be printed: on one line, on several, after a line of noise, twice, and next to what scripts
/// print: a status or the request.
fn forms(object: &str) -> [String; 7] {
    let value: Value = serde_json::from_str(object).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let noisy = format!("Log setup complete\n{object}\n");
    let twice = format!("{object}\n{object}\n");
    let with_status = format!("{pretty}\n0\n");
    let glued = format!("{object}200");
    let request = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    let with_request = format!("{request}\n{object}\n");
    [
        object.to_owned(),
        pretty,
        noisy,
        twice,
        with_status,
        glued,
        with_request,
    ]
}

#[test]
fn an_object_with_an_answer_and_members_of_a_run_is_an_envelope() {
    for object in objects("envelopes.jsonl") {
        for text in forms(&object) {
            let (codes, written) = codes(&text);
            assert_eq!((codes, &*written), ([0; 3], "{\"ok\":true}\n"), "{text}");
        }
        // Next to other objects it is one of many.
        let alongside = format!("{{\"n\":1}}\n{object}\n");
        assert_eq!(codes(&alongside).0[..2], [1, 1], "{alongside}");
    }
}

#[test]
fn an_object_with_an_error_and_members_of_a_run_is_a_failed_run() {
    for object in objects("failures.jsonl") {
        for text in forms(&object) {
            assert_eq!(codes(&text), ([11; 3], String::new()), "{text}");
        }
    }
}

#[test]
fn other_objects_are_no_envelopes() {
    let all = objects("no-envelopes.jsonl");
    assert!(all.len() > 80);
    for object in all {
        for text in forms(&object).iter().take(3) {
            let (agent, outcome, _) = reported(text);
            assert_eq!((agent, outcome), (None, Outcome::None), "{text}");
        }
    }
}

/// Records of which none is the answer, although nothing else is there.
#[test]
fn a_record_of_a_run_alone_is_no_answer() {
    for record in [
        r#"{"model":{"messages":[{"content":"{\"a\":1}","type":"ai","id":"run-1"}]}}"#,
        r#"{"role":"user","message":{"content":[{"type":"text","text":"hi {\"p\":1}"}]}}"#,
        r#"{"invocationId":"e","author":"user","content":{"parts":[{"text":"hi {\"p\":1}"}],"role":"user"}}"#,
        r#"{"id":1,"source":"user","action":"message","args":{"content":"hi"},"message":"hi"}"#,
        r#"{"dir":"out","frame":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}"#,
        r#"{"messages":[{"role":"assistant","content":"{\"a\":1}"}],"stop_reason":null}"#,
    ] {
        assert_eq!(codes(record), ([1, 1, 5], String::new()), "{record}");
    }
}
