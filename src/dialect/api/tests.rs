#![allow(clippy::needless_raw_string_hashes)]

use super::{Replies, response};
use crate::json::view::{Object, Value};
use crate::outcome::Outcome::{self, Blocked, Failed, Network, Quota, Success, Truncated};

/// How the last response of these documents ended, and its text.
fn read(documents: &[&str]) -> Option<(Outcome, String)> {
    let mut replies = Replies::default();
    for document in documents {
        replies.read(Value::new(document.as_bytes()));
    }
    let reply = replies.finish().0?;
    let outcome = reply.outcome();
    Some((outcome, reply.into_text().to_string_lossy().into_owned()))
}

fn ended(outcome: Outcome, text: &str) -> Option<(Outcome, String)> {
    Some((outcome, text.to_owned()))
}

#[test]
fn bodies_of_apis_are_read() {
    for body in [
        r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"},{"text":"b"}],"role":"model"},"index":0}],"modelVersion":"gemini-2.5-flash"}"#,
        r#"{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ab"}}]}"#,
        r#"{"id":"cmpl-1","object":"text_completion","choices":[{"text":"ab","index":0,"logprobs":null,"finish_reason":"stop"}]}"#,
        r#"{"object":"response","error":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ab"}]}]}"#,
        r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"ab"}],"usage":{"input_tokens":1}}"#,
        r#"{"model":"llama3.2","created_at":"2023-12-12T14:13:43.4Z","message":{"role":"assistant","content":"ab"},"done":true,"done_reason":"stop"}"#,
        r#"{"model":"llama3.2","created_at":"2023-08-04T19:22:45.4Z","response":"ab","done":true,"context":[1,2]}"#,
        r#"{"index":0,"content":"ab","tokens":[],"id_slot":0,"stop":true,"model":"m","tokens_predicted":5,"generation_settings":{},"stop_type":"eos"}"#,
        r#"{"metrics":{"latencyMs":1175},"output":{"message":{"content":[{"text":"ab"}],"role":"assistant"}},"stopReason":"end_turn","usage":{"inputTokens":125}}"#,
        r#"{"id":"c","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"ab"}]},"usage":{"tokens":{}}}"#,
        r#"{"generated_text":"ab"}"#,
        r#"{"generation":"ab","prompt_token_count":5,"generation_token_count":6,"stop_reason":"stop"}"#,
        r#"{"inputTextTokenCount":5,"results":[{"tokenCount":61,"outputText":"ab","completionReason":"FINISH"}]}"#,
    ] {
        assert_eq!(read(&[body]), ended(Success, "ab"), "{body}");
        let object = Object::new(Value::new(body.as_bytes())).unwrap();
        assert!(response(&object).is_some(), "{body}");
    }
    assert_eq!(
        read(&[r#"[{"generated_text":"ab"}]"#]),
        ended(Success, "ab")
    );
}

#[test]
fn errors_and_other_objects_are_no_responses() {
    for body in [
        r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"type":"message","role":"user","content":"hi"}"#,
        r#"{"choices":["a","b"]}"#,
        r#"{"candidates":[{"name":"Ada"}]}"#,
        r#"{"model":"T","response":"yes","done":true}"#,
        r#"{"message":{"role":"assistant","content":"hi"},"id":1}"#,
        r#"{"content":"hi","stop":true}"#,
        r#"{"generated_text":"x","score":1}"#,
        r#"{"type":"message_start","message":{"role":"assistant","content":[]}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"response.time","ms":1}"#,
        r#"[1,2]"#,
        r#"[]"#,
    ] {
        assert_eq!(read(&[body]), None, "{body}");
    }
}

#[test]
fn what_an_api_blocks_or_fails_at_is_no_answer() {
    for (body, outcome) in [
        (
            r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{},"modelVersion":"gemini-2.5-pro"}"#,
            Blocked,
        ),
        (
            r#"{"candidates":[{"finishReason":"SAFETY","index":0,"safetyRatings":[]}],"modelVersion":"gemini-2.5-pro"}"#,
            Blocked,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}"#,
            Blocked,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":""},"error":{"code":502,"message":"Upstream"}}]}"#,
            Network,
        ),
        (
            r#"{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"},"output":[]}"#,
            Quota,
        ),
        (
            r#"{"object":"response","status":"failed","error":{"code":"other","message":"?"},"output":[]}"#,
            Failed,
        ),
    ] {
        assert_eq!(read(&[body]), ended(outcome, ""), "{body}");
    }
}

const GEMINI: [&str; 2] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"modelVersion":"g"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"b"}],"role":"model"},"finishReason":"STOP"}],"modelVersion":"g"}"#,
];
const CHAT: [&str; 4] = [
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"b"},"finish_reason":null}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":3}}"#,
];
const RESPONSES: [&str; 3] = [
    r#"{"type":"response.created","response":{"object":"response","status":"in_progress","output":[]}}"#,
    r#"{"type":"response.output_text.delta","item_id":"m","delta":"a"}"#,
    r#"{"type":"response.completed","response":{"object":"response","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"ab"}]}]}}"#,
];
const MESSAGES: [&str; 5] = [
    r#"{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{}}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ab"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    r#"{"type":"message_stop"}"#,
];
const OLLAMA: [&str; 3] = [
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":"a"},"done":false}"#,
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":"b"},"done":false}"#,
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":""},"done":true}"#,
];
const LLAMA_CPP: [&str; 3] = [
    r#"{"index":0,"content":"a","tokens":[15],"stop":false,"id_slot":-1,"tokens_predicted":1,"tokens_evaluated":9}"#,
    r#"{"index":0,"content":"b","tokens":[16],"stop":false,"id_slot":-1,"tokens_predicted":2,"tokens_evaluated":9}"#,
    r#"{"index":0,"content":"","tokens":[],"stop":true,"id_slot":0,"tokens_predicted":2,"stop_type":"eos"}"#,
];
/// As clients for Gemini write chunks again.
const NULLS: [&str; 2] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":null}],"modelVersion":"g"}"#,
    GEMINI[1],
];

#[test]
fn chunks_are_put_together() {
    for stream in [
        &GEMINI[..],
        &NULLS,
        &LLAMA_CPP,
        &CHAT,
        &CHAT[..3],
        &RESPONSES,
        &MESSAGES,
        &OLLAMA,
    ] {
        assert_eq!(read(stream), ended(Success, "ab"), "{stream:?}");
        let twice = [stream, stream].concat();
        assert_eq!(read(&twice), ended(Success, "ab"), "{stream:?}");
        let array = format!("[{}]", stream.join(","));
        assert_eq!(read(&[&array]), ended(Success, "ab"), "{stream:?}");
    }
}

#[test]
fn a_stream_that_is_cut_is_truncated() {
    let two = [GEMINI[0], GEMINI[0]];
    for cut in [
        &two[..],
        &CHAT[..2],
        &RESPONSES[..2],
        &MESSAGES[..4],
        &OLLAMA[..2],
        &LLAMA_CPP[..2],
    ] {
        let outcome = read(cut).map(|(outcome, _)| outcome);
        assert_eq!(outcome, Some(Truncated), "{cut:?}");
    }
    let broken = r#"{"id":"c","object":"chat.completion.chunk","error":{"code":502,"message":"?"},"choices":[{"delta":{},"finish_reason":"error"}]}"#;
    assert_eq!(read(&[CHAT[0], broken]), ended(Network, "a"));
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let failed = read(&[MESSAGES[0], MESSAGES[2], overloaded]);
    assert_eq!(failed, ended(Quota, "ab"));
}

#[test]
fn chunks_that_all_say_why_they_end_belong_together_by_their_id() {
    let chunk = |id: &str, text: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"finishReason":"STOP"}}],"modelVersion":"g","responseId":"{id}"}}"#
        )
    };
    let [a, b, c] = [("1", "a"), ("1", "b"), ("2", "c")].map(|(id, text)| chunk(id, text));
    assert_eq!(read(&[&a, &b]), ended(Success, "ab"));
    assert_eq!(read(&[&a, &b, &c]), ended(Success, "c"));
}
