//! Ends: whichever member says how a run or a response ended, the three commands report it.

use super::{agents, codes};

/// An input, whose it is, how it ended and what the answer is.
const ENDS: &[(&str, &str, &str, &str)] = &[
    (
        r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"refusal","terminal_reason":"completed","result":"","session_id":"s"}"#,
        "claude",
        "blocked",
        "",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"max_tokens","result":"1","session_id":"s"}"#,
        "claude",
        "turns",
        "1",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"terminal_reason":"aborted_tools","result":"","session_id":"s"}"#,
        "claude",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"terminal_reason":"context_exhausted","result":"","session_id":"s"}"#,
        "claude",
        "turns",
        "",
    ),
    (
        r#"{"type":"result","subtype":"interrupted","result":"","session_id":"s"}"#,
        "claude",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"result","subtype":"failure","result":"","session_id":"s"}"#,
        "claude",
        "failed",
        "",
    ),
    (
        r#"{"type":"result","subtype":"cancelled","is_error":false,"duration_ms":1,"result":"","session_id":"s","request_id":"r"}"#,
        "cursor",
        "cancelled",
        "",
    ),
    // A reason that says nothing of a failure leaves a success what it is.
    (
        r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"tool_use","terminal_reason":"tool_deferred","result":"1","session_id":"s"}"#,
        "claude",
        "success",
        "1",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"stop_sequence","terminal_reason":"completed","result":"1","session_id":"s"}"#,
        "claude",
        "success",
        "1",
    ),
    // Nothing but a status.
    (
        r#"{"type":"result","is_error":true,"terminal_reason":"aborted_streaming"}"#,
        "claude",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"1"}]}}
{"type":"result","is_error":true}"#,
        "claude",
        "failed",
        "1",
    ),
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.completed","error":{"message":"quota exhausted"}}"#,
        "codex",
        "quota",
        "",
    ),
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.completed","status":"interrupted"}"#,
        "codex",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.completed","status":"completed","error":null}"#,
        "codex",
        "success",
        "",
    ),
    // An error may be a text where it may be an object.
    (
        r#"{"status":"ERROR","response":"","error":"quota exceeded","session_id":"s"}"#,
        "gemini",
        "quota",
        "",
    ),
    (
        r#"{"session_id":"s","response":"1","error":"quota exceeded"}"#,
        "gemini",
        "quota",
        "1",
    ),
    (
        r#"{"response":null,"stats":{},"error":"boom"}"#,
        "gemini",
        "failed",
        "",
    ),
    // A stated class beats an end that only says that the run failed.
    (
        r#"{"type":"assistant","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: Server error mid-response. It may be incomplete."}]},"error":"server_error","session_id":"s"}
{"type":"result","subtype":"success","is_error":true,"result":"API Error: Server error mid-response","session_id":"s"}"#,
        "claude",
        "network",
        "",
    ),
    // Only the text of an error gives the class.
    (
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"t"}
{"type":"run_result","finishReason":"aborted","text":"I handle 429 rate limit errors"}"#,
        "cline",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"t"}
{"type":"run_result","finishReason":"max_iterations","text":"I handle 429 rate limit errors"}"#,
        "cline",
        "turns",
        "",
    ),
    (
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"t"}
{"type":"run_result","finishReason":"error","text":"429 rate limit"}"#,
        "cline",
        "quota",
        "",
    ),
    // An error among the records of a known agent.
    (
        r#"{"type":"assistant.message","data":{"content":"1"}}
{"type":"error","data":{"statusCode":402,"errorCode":"quota_exceeded"}}
{"type":"result","sessionId":"s","exitCode":1}"#,
        "copilot",
        "quota",
        "1",
    ),
    (
        r#"{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"error","error":"boom"}"#,
        "opencode",
        "failed",
        "",
    ),
    (
        r#"{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"error","message":"boom"}"#,
        "opencode",
        "failed",
        "",
    ),
    (
        r#"{"type":"system","subtype":"init","cwd":"/t","session_id":"s","tools":[],"model":"m","permissionMode":"default"}
{"type":"stream_event","event":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}},"session_id":"s"}"#,
        "claude",
        "quota",
        "",
    ),
];

#[test]
fn an_end_is_what_its_members_say() {
    agents::check(ENDS);
}

/// Responses of model APIs, and the code that all commands end with.
#[test]
fn a_response_without_an_answer_says_why() {
    let failed = |response: &str| {
        let begun = r#"{"type":"response.created","response":{"id":"r","status":"in_progress"}}
{"type":"response.output_text.delta","item_id":"i","delta":"{\"a\":1}"}"#;
        format!("{begun}\n{response}")
    };
    let of_stream = [
        (
            r#"{"type":"response.failed","response":{"id":"r","error":{}}}"#,
            10,
        ),
        (
            r#"{"type":"response.failed","response":{"id":"r","error":{"code":"rate_limit_exceeded"}}}"#,
            12,
        ),
        (
            r#"{"type":"response.failed","response":{"id":"r","error":{"code":"content_filter"}}}"#,
            14,
        ),
        (
            r#"{"type":"response.failed","response":{"id":"r","error":{"message":"Rate limit reached"}}}"#,
            12,
        ),
        (
            r#"{"type":"response.incomplete","response":{"id":"r"}}"#,
            13,
        ),
    ];
    let bodies = [
        (
            r#"{"candidates":[{"finishReason":"SAFETY","content":{"parts":[]}}],"promptFeedback":{"blockReason":"SAFETY"}}"#,
            14,
        ),
        (
            r#"{"id":"m","model":"c","content":[],"stop_reason":"refusal","usage":{"input_tokens":1,"output_tokens":0}}"#,
            14,
        ),
        (
            r#"{"error":{"code":"content_filter","message":"blocked"},"choices":[]}"#,
            14,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"network_error"}]}"#,
            17,
        ),
        (
            r#"{"object":"response","id":"r","status":"queued","output":[],"model":"m"}"#,
            4,
        ),
        (
            r#"{"object":"response","id":"r","status":"in_progress","output":[],"model":"m"}"#,
            4,
        ),
        (
            r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"{}"}],"stop_reason":"pause_turn","usage":{"input_tokens":1,"output_tokens":2}}"#,
            4,
        ),
    ];
    let streams = of_stream.map(|(end, code)| (failed(end), code));
    let bodies = bodies.map(|(body, code)| (body.to_owned(), code));
    for (text, code) in streams.into_iter().chain(bodies) {
        assert_eq!(codes(&text), ([code; 3], String::new()), "{text}");
    }
}
