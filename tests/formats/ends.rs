//! Ends: whichever member says how a run or a response ended, the three commands report it.

use jsift_agents::dialect::Agent;

use super::{Run, assert_runs, codes, sessions};

const ENDS: &[Run] = &[
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
    // A context that is full ends an output like any other limit on it, in a stream and in the file of a session alike.
    (
        r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"model_context_window_exceeded","result":"1","session_id":"s"}"#,
        "claude",
        "turns",
        "1",
    ),
    (
        r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"hi"},"uuid":"u1"}
{"parentUuid":"u1","isSidechain":false,"sessionId":"s","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"1"}],"stop_reason":"model_context_window_exceeded"},"uuid":"u2"}"#,
        "claude",
        "turns",
        "1",
    ),
    // What an event before the end states is the answer if the end does not repeat it.
    (
        r#"{"ts":"1","type":"agent_event","event":{"type":"done","reason":"completed","text":"1","iterations":1}}
{"ts":"1","type":"run_result","finishReason":"completed","iterations":1,"durationMs":1}"#,
        "cline",
        "success",
        "1",
    ),
    // A message is a text or a list of blocks.
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"id":"i","type":"assistant_message","role":"assistant","content":[{"type":"output_text","text":"1"}]}}
{"type":"turn.completed"}"#,
        "codex",
        "success",
        "1",
    ),
    (
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"S","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"S","message":{"role":"assistant","content":"1"}}"#,
        "claude",
        "success",
        "1",
    ),
    // A subagent's record starts no turn of the run.
    (
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"S","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"f1","parentUuid":"u1","sessionId":"S","message":{"role":"assistant","content":[{"type":"text","text":"1"}],"stop_reason":"end_turn"}}
{"type":"assistant","uuid":"s1","parentUuid":null,"sessionId":"S","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"2"}],"stop_reason":"end_turn"}}"#,
        "claude",
        "success",
        "1",
    ),
    // An error in the agent's own words is no answer, whichever model it names.
    (
        r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,"message":{"role":"assistant","content":[{"type":"text","text":"1"}]}}"#,
        "claude",
        "quota",
        "",
    ),
    (
        r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","isApiErrorMessage":true,"message":{"role":"assistant","content":[{"type":"text","text":"API Error: Connection closed mid-response"}]}}"#,
        "claude",
        "network",
        "",
    ),
    (
        r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"assistant","session_id":"s","error":"rate_limit","message":{"role":"assistant","content":[{"type":"text","text":"1"}]}}"#,
        "claude",
        "quota",
        "",
    ),
    // The type of a record says the role of its message.
    (
        r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"content":"q"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"content":[{"type":"text","text":"1"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}"#,
        "claude",
        "cancelled",
        "1",
    ),
    (
        r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"content":"q"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"content":[{"type":"text","text":"1"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"content":"go on"}}"#,
        "claude",
        "truncated",
        "1",
    ),
    // A response that ends in a call ends no run.
    (
        r#"{"type":"text","data":"1"}
{"type":"end","stopReason":"ToolUse","sessionId":"s"}"#,
        "grok-build",
        "truncated",
        "1",
    ),
    (
        r#"{"type":"text","data":"Let me see."}
{"type":"end","stopReason":"ToolUse","sessionId":"s"}
{"type":"text","data":"1"}
{"type":"end","stopReason":"EndTurn","sessionId":"s"}"#,
        "grok-build",
        "success",
        "Let me see.1",
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
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.aborted","reason":"interrupted"}"#,
        "codex",
        "cancelled",
        "",
    ),
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"agent_message","message":"1"}
{"type":"turn.completed"}"#,
        "codex",
        "success",
        "1",
    ),
    // The answer of a file on disk that only its events state.
    (
        r#"{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"1"}}"#,
        "codex",
        "success",
        "1",
    ),
    (
        r#"{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"1"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"1"}]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"2"}]}}
{"type":"event_msg","payload":{"type":"agent_message","message":"2"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"3"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"3"}}"#,
        "codex",
        "success",
        "1\n2\n3",
    ),
    (
        r#"{"type":"event_msg","payload":{"type":"agent_message","message":"1"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"2"}}"#,
        "codex",
        "success",
        "1\n2",
    ),
    (
        r#"{"type":"turn.prompt","input":[{"type":"text","text":"q"}],"origin":{"kind":"user"}}
{"type":"context.append_message","message":{"role":"assistant","content":[{"type":"text","text":"1"}]}}
{"type":"turn.ended","turnId":1,"reason":"completed"}"#,
        "kimi",
        "success",
        "1",
    ),
    // A file on disk, twice.
    (
        r#"{"sessionId":"s","projectHash":"h","startTime":"2026-07-31T12:50:23.324Z","kind":"main"}
{"id":"m1","timestamp":"2026-07-31T12:50:23.445Z","type":"user","content":"q"}
{"id":"m2","timestamp":"2026-07-31T12:50:23.445Z","type":"gemini","content":[{"text":"1"}]}
{"sessionId":"s","projectHash":"h","startTime":"2026-07-31T12:50:23.324Z","kind":"main"}
{"id":"m1","timestamp":"2026-07-31T12:50:23.445Z","type":"user","content":"q"}
{"id":"m2","timestamp":"2026-07-31T12:50:23.445Z","type":"gemini","content":[{"text":"1"}]}"#,
        "gemini",
        "success",
        "1",
    ),
    // The words for an end are the same in all dialects.
    (
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"t"}
{"type":"run_result","finishReason":"success","text":"1"}"#,
        "cline",
        "success",
        "1",
    ),
    (
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"t"}
{"type":"run_result","finishReason":"context_overflow","text":"no"}"#,
        "cline",
        "input",
        "",
    ),
    (
        r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"1"}]}],"metadata":{"total_tokens":5,"status":"success"}}"#,
        "goose",
        "success",
        "1",
    ),
    (
        r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"1"}]}],"metadata":{"total_tokens":5,"status":"interrupted"}}"#,
        "goose",
        "cancelled",
        "1",
    ),
    (
        r#"{"event":"init","conversation_id":"c","init":{"cwd":"/w","model":"m"}}
{"event":"result","result":{"conversation_id":"c","status":"MAX_TURNS","response":"no"}}"#,
        "agy",
        "turns",
        "",
    ),
    (
        r#"{"event":"init","conversation_id":"c","init":{"cwd":"/w","model":"m"}}
{"event":"step_update","step_update":{"step_type":"agent_response","text_delta":"1"}}
{"event":"result","result":{"conversation_id":"c","status":"WAITING","response":"1"}}"#,
        "agy",
        "truncated",
        "1",
    ),
    (
        r#"{"type":"init","session_id":"s","model":"m"}
{"type":"message","role":"assistant","content":"1","delta":true}
{"type":"result","status":"timeout","stats":{"total_tokens":1}}"#,
        "gemini",
        "network",
        "1",
    ),
    (
        r#"{"type":"runStarted","data":{"sessionId":"s"}}
{"type":"runFinished","data":{"status":"max_turns","finalText":"1"}}"#,
        "kiro",
        "turns",
        "",
    ),
    (
        r#"{"type":"assistant.message","data":{"content":"1"}}
{"type":"result","sessionId":"s","exitCode":130}"#,
        "copilot",
        "cancelled",
        "1",
    ),
    (
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.interrupted"}"#,
        "codex",
        "cancelled",
        "",
    ),
    (
        r#"{"method":"thread/started","params":{"thread":{"id":"t"}}}
{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"type":"agentMessage","id":"i","text":"1"}}}
{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","items":[],"status":"inProgress","error":null}}}"#,
        "codex",
        "truncated",
        "1",
    ),
    (
        r#"{"type":"message","role":"assistant","sessionId":"s","generationStatus":"completed","content":[{"type":"text","text":"1"}],"outcome":{"type":"failed","error":{"message":"429 slow down"}}}"#,
        "vibe",
        "quota",
        "1",
    ),
    (
        r#"{"type":"message","role":"assistant","sessionId":"s","generationStatus":"completed","content":[{"type":"text","text":"1"}],"outcome":{"type":"refused"}}"#,
        "vibe",
        "blocked",
        "1",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"terminal_reason":"prompt_too_long","result":"1","session_id":"s"}"#,
        "claude",
        "input",
        "1",
    ),
    (
        r#"{"type":"result","subtype":"error_context_window","result":"","session_id":"s"}"#,
        "claude",
        "input",
        "",
    ),
    // What is said after an end is in another turn.
    (
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"}}}}
{"id":4,"result":{"stopReason":"end_turn"}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"2"}}}}
{"id":5,"result":{"stopReason":"end_turn"}}"#,
        "acp",
        "success",
        "2",
    ),
    (
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"}}}}
{"id":4,"result":{"stopReason":"end_turn"}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"2"}}}}"#,
        "acp",
        "truncated",
        "2",
    ),
];

#[test]
fn an_end_is_what_its_members_say() {
    assert_runs(ENDS);
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
        (
            r#"{"type":"response.failed","error":{"code":"rate_limit_exceeded","message":"no"}}"#,
            12,
        ),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"no"},"sequence_number":2}"#,
            16,
        ),
    ];
    let bodies = [
        (
            r#"{"id":"x","choices":null,"model":"m","base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}"#,
            12,
        ),
        (
            r#"{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}"#,
            12,
        ),
        (
            r#"{"result":{"kind":"task","id":"t1","status":{"state":"failed"}}}"#,
            10,
        ),
        (
            r#"{"result":{"contextId":"c","status":{"state":"failed"}}}"#,
            10,
        ),
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
    let others = [
        (
            r#"{"type":"start","messageId":"m"}
{"type":"text-delta","id":"0","delta":"{\"a\":1}"}
{"type":"finish","finishReason":{"unified":"content-filter","raw":"SAFETY"}}"#,
            14,
        ),
        (
            r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":"{\"a\":1}"},"done":false}
{"error":"an error was encountered while running the model"}"#,
            10,
        ),
        (
            r#"{"id":"c","choices":[{"index":0,"delta":{"content":"{\"a\":1}"},"finish_reason":"repetition_truncation"}]}"#,
            13,
        ),
        (
            r#"{"type":"agent_updated_stream_event","new_agent":"coder"}
{"type":"response.incomplete","response":{"id":"r","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"{}"}]}]},"sequence_number":9}"#,
            13,
        ),
        (
            r#"{"event":{"messageStart":{"role":"assistant"}}}
{"event":{"messageStop":{"stopReason":"content_filtered"}}}"#,
            14,
        ),
        (
            r#"{"messageStart":{"role":"assistant"}}
{"messageStop":{"stopReason":"content_filtered"}}"#,
            14,
        ),
        (
            r#"{"payloads":[],"usage":{"input":1},"sessionId":"s","final":"{}\n\u26a0\ufe0f Reply truncated at the output token limit."}"#,
            13,
        ),
        (
            r#"{"ts":"2026-05-18T18:42:27.017Z","type":"error","message":"JSON output mode requires a prompt argument"}"#,
            16,
        ),
        (
            r#"{"output":{"message":{"role":"assistant","content":[{"text":"{\"a\":1}"}]}},"stopReason":"max_tokens"}"#,
            13,
        ),
        (
            r#"{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"guardrail_intervened"}"#,
            14,
        ),
        (
            r#"{"type":"start"}
{"type":"text-delta","id":"t","delta":"{\"a\":1}"}
{"type":"tool-input-available","toolCallId":"c","toolName":"f","input":{}}
{"type":"finish","finishReason":"tool-calls"}"#,
            4,
        ),
    ];
    let others = others.map(|(text, code)| (text.to_owned(), code));
    let streams = of_stream.map(|(end, code)| (failed(end), code));
    let bodies = bodies.map(|(body, code)| (body.to_owned(), code));
    for (text, code) in streams.into_iter().chain(bodies).chain(others) {
        assert_eq!(codes(&text), ([code; 3], String::new()), "{text}");
    }
}

/// Errors that say by a type, a code or a status of what kind they are, and the code that all commands end with.
#[test]
fn what_an_error_says_of_its_kind_decides_before_its_message() {
    let codex = |info: &str, code| {
        let error = format!(r#"{{"message":"no","codexErrorInfo":{info}}}"#);
        let turn = format!(r#"{{"id":"u","status":"failed","error":{error}}}"#);
        let params = format!(r#"{{"threadId":"t","turn":{turn}}}"#);
        let record = format!(r#"{{"method":"turn/completed","params":{params}}}"#);
        (record, code)
    };
    let of_codex = [
        codex(r#""usageLimitExceeded""#, 12),
        codex(r#""serverOverloaded""#, 12),
        codex(r#""contextWindowExceeded""#, 16),
        codex(r#""badRequest""#, 16),
        codex(r#""cyberPolicy""#, 14),
        codex(
            r#"{"responseStreamDisconnected":{"httpStatusCode":502}}"#,
            17,
        ),
    ];
    let others = [
        (
            r#"{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"event_msg","payload":{"type":"error","message":"no","codex_error_info":"usage_limit_exceeded"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}"#,
            12,
        ),
        (
            r#"{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"event_msg","payload":{"type":"turn_aborted","reason":"budget_limited"}}"#,
            13,
        ),
        (
            r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.failed","error":{"type":"insufficient_quota","message":"no"}}"#,
            12,
        ),
        (
            r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"error","error":{"type":"insufficient_quota","message":"no"}}"#,
            12,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"}}}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error","data":{"details":"You exceeded your current quota"}}}"#,
            12,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}"#,
            11,
        ),
        (
            r#"{"type":"say","say":"text","content":"Starting..."}
{"type":"ask","ask":"api_req_failed","content":"Could not resolve authentication method"}"#,
            11,
        ),
        (
            r#"{"type":"run_started","run_id":"r"}
{"type":"assistant_delta","text":"{\"a\":1}"}
{"type":"run_finished","error":{"type":"rate_limit_error","message":"slow down"}}"#,
            12,
        ),
        (
            r#"{"object":"thread.run","status":"queued","thread_id":"t"}
{"object":"thread.message.delta","thread_id":"t","delta":{"content":[{"type":"text","text":{"value":"1"}}]}}
{"object":"thread.run","status":"failed","thread_id":"t","last_error":{"code":"rate_limit_exceeded","message":"no"}}"#,
            12,
        ),
        (
            r#"{"type":"session.start","data":{"sessionId":"s"},"id":"e0","parentId":null}
{"type":"assistant.message","data":{"messageId":"m","content":"{}"},"id":"e1","parentId":"e0"}
{"type":"session.shutdown","data":{"shutdownType":"error","errorReason":"429 rate limit"},"id":"e2","parentId":"e1"}"#,
            12,
        ),
        (
            r#"{"type":"session.error","data":{"message":"You have exceeded your premium request quota"}}"#,
            12,
        ),
        (
            r#"{"type":"start","sessionId":"s","payload":{"command":"exec"}}
{"type":"error","sessionId":"s","payload":{"error":{"code":"AUTH_EXPIRED","message":"Session expired"}}}
{"type":"done","sessionId":"s","payload":{"exitCode":1,"success":false}}"#,
            11,
        ),
    ];
    let others = others.map(|(text, code)| (text.to_owned(), code));
    for (text, code) in of_codex.into_iter().chain(others) {
        assert_eq!(codes(&text), ([code; 3], String::new()), "{text}");
    }
}

/// How an agent that jsift does not know says that it has ended, and the code that all commands end with: an end whose
/// status is no word for success is a failure, or no end if the run goes on.
#[test]
fn an_end_succeeds_only_by_a_word_for_success() {
    let of_status = [
        ("success", 0),
        ("Completed", 0),
        ("ended_ok", 0),
        ("crashed", 10),
        ("not_completed", 10),
        ("partially_completed", 10),
        ("no_action", 10),
        ("unsuccessful", 10),
        ("expired", 10),
        ("refused", 14),
        ("killed", 15),
        ("stopped", 15),
        ("timed_out", 17),
        ("paused", 4),
        ("requires_action", 4),
        ("suspended", 4),
        ("waiting_for_input", 4),
    ];
    let said = r#"{"type":"run_started","run_id":"r"}
{"type":"assistant_delta","text":"{\"a\":1}"}"#;
    for (status, code) in of_status {
        let end = format!(r#"{{"type":"run_finished","status":"{status}"}}"#);
        assert_eq!(codes(&format!("{said}\n{end}")).0, [code; 3], "{status}");
    }
    // The answer may have a state, and so may another object.
    for (name, state) in [("output", "pending"), ("data", "CA"), ("data", "pending")] {
        let about = format!(r#"{{"state":"{state}","status":"{state}"}}"#);
        let end = format!(r#"{{"type":"run_finished","status":"completed","{name}":{about}}}"#);
        assert_eq!(codes(&format!("{said}\n{end}")).0, [0; 3], "{end}");
    }
    let end = r#"{"type":"run_finished","output":{"state":"CA","status":"pending"}}"#;
    assert_eq!(codes(&format!("{said}\n{end}")).0, [0; 3]);
    for (end, code) in [
        (r#"{"type":"run.cancelled"}"#, 15),
        (
            r#"{"event":"RunCancelled","run_id":"r","reason":"user"}"#,
            15,
        ),
        (
            r#"{"type":"finish","payload":{"stepResult":{"reason":"error"}}}"#,
            10,
        ),
        (
            r#"{"type":"finish","payload":{"stepResult":{"reason":"content-filter"}}}"#,
            14,
        ),
        (
            r#"{"type":"finish","payload":{"stepResult":{"reason":"tool-calls"}}}"#,
            4,
        ),
        (
            r#"{"type":"run.completed","finish_reason":"tool_calls"}"#,
            4,
        ),
        (r#"{"type":"run.interrupted"}"#, 15),
        (r#"{"type":"run.timed_out"}"#, 17),
        (
            r#"{"type":"run.finished","status":{"kind":"error","message":"no"}}"#,
            10,
        ),
        (r#"{"type":"run.finished","error":true}"#, 10),
        (r#"{"type":"run.finished","hasError":true}"#, 10),
        (r#"{"type":"run.finished","succeeded":false}"#, 10),
        (r#"{"type":"run.finished","is_success":false}"#, 10),
        (r#"{"type":"run.finished","final_status":"failed"}"#, 10),
        (r#"{"type":"run.finished","run_status":"failed"}"#, 10),
        (r#"{"type":"run.finished","terminal_state":"error"}"#, 10),
        (r#"{"type":"run.finished","exit":{"code":1}}"#, 10),
        (r#"{"type":"run.finished","returncode":1}"#, 10),
        (r#"{"type":"run.finished","timed_out":true}"#, 17),
        (
            r#"{"kind":"status-update","status":{"state":"auth-required"},"taskId":"t"}"#,
            11,
        ),
        (r#"{"type":"run_finished","data":{"status":"crashed"}}"#, 10),
        (r#"{"type":"abort","payload":{}}"#, 15),
        (
            r#"{"type":"message-end","delta":{"finish_reason":"MAX_TOKENS"}}"#,
            13,
        ),
        (
            r#"{"type":"message-end","delta":{"finish_reason":"ERROR_TOXIC"}}"#,
            14,
        ),
    ] {
        let text = format!("{said}\n{end}");
        assert_eq!(codes(&text), ([code; 3], String::new()), "{end}");
    }
}

/// Words and members of an end, each of which leaves a run that it ends a success.
#[test]
fn an_end_without_a_failure_is_a_success() {
    let said = r#"{"type":"run_started","run_id":"r"}
{"type":"assistant_delta","text":"{\"a\":1}"}"#;
    for end in [
        r#"{"type":"run.succeeded"}"#,
        r#"{"type":"run.finished","error":false,"exit":0,"is_success":true}"#,
        r#"{"type":"run.finished","status":{"kind":"success"},"timed_out":false}"#,
        r#"{"type":"run.finished","finish_reason":"tool_calls","status":"success"}"#,
    ] {
        let text = format!("{said}\n{end}");
        assert_eq!(codes(&text).0, [0; 3], "{end}");
    }
}

/// A turn that begins after the end of another one has no end yet.
#[test]
fn a_turn_that_only_begins_is_cut() {
    let turn = r#"{"type":"turn_started","turn_id":"1"}
{"type":"text_delta","text":"{\"a\":1}"}
{"type":"turn_completed","turn_id":"1"}
{"type":"turn_started","turn_id":"2"}"#;
    let thought = r#"{"type":"reasoning_delta","text":"hm"}"#;
    let end = r#"{"type":"turn_completed","turn_id":"2"}"#;
    for (rest, code) in [("", 4), (thought, 4), (end, 0)] {
        let text = format!("{turn}\n{rest}");
        assert_eq!(codes(&text).0, [code; 3], "{text}");
    }
}

/// Records of Claude Code's end without their type, alone.
#[test]
fn an_end_of_claude_without_a_type_is_an_envelope() {
    for (end, code) in [
        (
            r#"{"is_error":true,"subtype":"error_max_budget_usd","total_cost_usd":3.03}"#,
            13,
        ),
        (
            r#"{"is_error":true,"subtype":"error_during_execution","structured_output":null}"#,
            10,
        ),
        (
            r#"{"is_error":true,"result":"Credit balance is too low"}"#,
            12,
        ),
    ] {
        assert_eq!(codes(end), ([code; 3], String::new()), "{end}");
    }
}

#[test]
fn a_prompt_says_whose_the_failure_after_it_is() {
    let text = r#"{"type":"turn.prompt","input":[{"type":"text","text":"go"}]}
{"type":"turn.ended","reason":"failed","error":{"code":"provider.rate_limit","message":"429 too many"}}
"#;
    assert_eq!(codes(text), ([12; 3], String::new()));
}

#[test]
fn an_error_and_what_names_a_run_are_an_envelope() {
    let object =
        r#"{"ok":false,"error":"quota exceeded","session_id":"s","model":"m","duration_ms":1}"#;
    assert_eq!(codes(object), ([12; 3], String::new()));
    let object = r#"{"id":"r","model":{"id":"m"},"finish_reason":"error","error":{"message":"HTTP 401: no Authorization"}}"#;
    assert_eq!(codes(object), ([11; 3], String::new()));
}

/// A result whose call is not in the input counts, and so does a denial, once.
#[test]
fn results_and_denials_count_without_their_calls() {
    let denial = r#"{"tool_name":"Bash","tool_use_id":"toolu_000000000001"}"#;
    let end = |denials: &str| {
        format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"result":"1","session_id":"s","total_cost_usd":0,"permission_denials":[{denials}]}}"#
        )
    };
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"1"}]},"session_id":"s"}"#;
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_000000000001","name":"Bash","input":{}}]},"session_id":"s"}"#;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_000000000001","is_error":true,"content":"TEXT"}]},"session_id":"s"}"#;
    let denied = result.replace("TEXT", "Permission to use Bash has been denied.");
    let failed = result.replace("TEXT", "no");
    let unnamed = r#"{"tool_name":"Bash"}"#;
    let at_once = r#"{"type":"system","subtype":"permission_denied","tool_use_id":"toolu_000000000001","tool_name":"Bash","session_id":"s"}"#;
    // The AI SDK.
    let begun = r#"{"type":"start","messageId":"m"}"#;
    let called = r#"{"type":"tool-input-available","toolCallId":"t","toolName":"sh","input":{}}"#;
    let failure = r#"{"type":"tool-output-error","toolCallId":"t","errorText":"x"}"#;
    let refusal = r#"{"type":"tool-output-denied","toolCallId":"t"}"#;
    let misread = r#"{"type":"tool-input-error","toolCallId":"t","toolName":"sh","input":{},"errorText":"x"}"#;
    let again = call.replace(r#""input":{}"#, r#""input":{"command":"ls"}"#);
    for (records, counts) in [
        (vec![said, &end(denial)], [1, 0, 1]),
        (vec![said, &end(unnamed)], [1, 0, 1]),
        (vec![said, &denied, &end("")], [1, 0, 1]),
        (vec![said, &failed, &end("")], [1, 1, 0]),
        (vec![said, &denied, &denied, &end(denial)], [1, 0, 1]),
        (vec![call, &end(denial)], [1, 0, 1]),
        (vec![call, &denied, &end(denial)], [1, 0, 1]),
        (vec![call, &denied, &end(unnamed)], [1, 0, 1]),
        (vec![call, &failed, &end(unnamed)], [1, 0, 1]),
        (vec![call, at_once, &again, &failed, &end("")], [1, 0, 1]),
        (vec![call, &end(unnamed)], [1, 0, 1]),
        (vec![said, &failed, call, &end("")], [1, 1, 0]),
        (
            vec![
                r#"{"type":"tool.execution_complete","data":{"toolCallId":"c","success":false,"error":{"code":"denied"}}}"#,
                r#"{"type":"result","sessionId":"s","exitCode":0}"#,
            ],
            [1, 0, 1],
        ),
        (
            vec![
                r#"{"type":"tool_result","tool_id":"c","status":"error","timestamp":"2026-01-01"}"#,
                r#"{"type":"result","status":"success","stats":{"total_tokens":1},"timestamp":"2026-01-01"}"#,
            ],
            [1, 1, 0],
        ),
        (
            vec![begun, called, failure, "{\"type\":\"finish\"}"],
            [1, 1, 0],
        ),
        (
            vec![begun, called, refusal, "{\"type\":\"finish\"}"],
            [1, 0, 1],
        ),
        (vec![begun, misread, "{\"type\":\"finish\"}"], [1, 1, 0]),
        (
            vec![
                r#"{"type":"session_meta","payload":{"id":"t"}}"#,
                r#"{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-y\n+x\n*** End Patch"}}"#,
                r#"{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c1","output":"apply_patch verification failed: Failed to find expected lines in a.txt"}}"#,
            ],
            [1, 1, 0],
        ),
    ] {
        let text = records.join("\n");
        let sessions = sessions(&text);
        let session = sessions.current().unwrap();
        let sum = session.tools().unwrap().sum();
        assert_eq!([sum.calls, sum.error, sum.denied], counts, "{text}");
        assert_eq!(session.was_denied(), sum.denied > 0, "{text}");
        assert_eq!(session.tools().unwrap().files().len(), 0, "{text}");
    }
}

/// Whichever flag says that a call failed or was not permitted, it wrote no file.
#[test]
fn a_result_that_states_a_failure_writes_no_file() {
    for (result, counts) in [
        (r#"{"type":"tool_result","id":"c","error":true}"#, [1, 1, 0]),
        (
            r#"{"type":"tool_result","id":"c","succeeded":false}"#,
            [1, 1, 0],
        ),
        (
            r#"{"type":"tool.completed","id":"c","output":"x","exit":{"code":2}}"#,
            [1, 1, 0],
        ),
        (
            r#"{"type":"tool.completed","id":"c","denied":true}"#,
            [1, 0, 1],
        ),
    ] {
        let text = format!(
            r#"{{"type":"run.started","run_id":"r"}}
{{"type":"tool_call","id":"c","name":"write_file","arguments":{{"path":"a.txt","content":"x"}}}}
{result}
{{"type":"text.delta","delta":"1"}}
{{"type":"run.completed","run_id":"r"}}"#
        );
        let sessions = sessions(&text);
        let tools = sessions.current().unwrap().tools().unwrap();
        let sum = tools.sum();
        assert_eq!([sum.calls, sum.error, sum.denied], counts, "{text}");
        assert_eq!(tools.files().len(), 0, "{text}");
    }
}

/// A run that only starts and fails is one if the failure is the account's or the model's: other jobs fail otherwise.
#[test]
fn a_run_that_only_fails_is_distinguished_from_a_job() {
    for [start, failure] in [
        [
            r#"{"type":"run.started","runId":"r2"}"#,
            r#"{"type":"run.failed","runId":"r2","error":"rate limit"}"#,
        ],
        [
            r#"{"event":"RunStarted","run_id":"r"}"#,
            r#"{"event":"RunError","run_id":"r","content":"rate limit"}"#,
        ],
        [
            r#"{"type":"agent_start"}"#,
            r#"{"type":"agent_end","error":"API rate limit exceeded"}"#,
        ],
        [
            r#"{"type":"start","runId":"r"}"#,
            r#"{"type":"error","error":"rate limit"}"#,
        ],
        [
            r#"{"type":"RUN_STARTED","run_id":"r"}"#,
            r#"{"type":"RUN_ERROR","message":"rate limit","code":"LLM_ERROR"}"#,
        ],
        [
            r#"{"event":"workflow_started","task_id":"t","workflow_run_id":"w"}"#,
            r#"{"event":"error","task_id":"t","status":429,"code":"provider_quota_exceeded","message":"quota"}"#,
        ],
        [
            r#"{"type":"system","subtype":"init","model":"m"}"#,
            r#"{"type":"error","error":{"message":"Rate limit exceeded"}}"#,
        ],
        [
            r#"{"event":"workflow_started","workflow_run_id":"w","data":{"id":"w"}}"#,
            r#"{"event":"workflow_finished","workflow_run_id":"w","data":{"id":"w","status":"failed","outputs":null,"error":"rate limit"}}"#,
        ],
        [
            r#"{"jsonrpc":"2.0","id":"r","result":{"kind":"task","id":"t","status":{"state":"submitted"}}}"#,
            r#"{"jsonrpc":"2.0","id":"r","result":{"kind":"status-update","taskId":"t","final":true,"status":{"state":"failed","message":{"role":"agent","parts":[{"kind":"text","text":"rate limit"}]}}}}"#,
        ],
        [
            r#"{"type":"session.execution.started","data":{"sessionID":"s"}}"#,
            r#"{"type":"session.execution.failed","data":{"sessionID":"s","error":{"message":"rate limit"}}}"#,
        ],
        [
            r#"{"event":"message","task_id":"t","message_id":"m","answer":"Par"}"#,
            r#"{"event":"error","task_id":"t","message_id":"m","status":429,"code":"provider_quota_exceeded","message":"quota"}"#,
        ],
    ] {
        let text = format!("{start}\n{failure}\n");
        assert_eq!(codes(&text), ([12; 3], String::new()), "{text}");
    }
    for [start, failure] in [
        [
            r#"{"type":"job_started","runId":"r"}"#,
            r#"{"type":"job_failed","runId":"r","error":"3 tests failed"}"#,
        ],
        [
            r#"{"type":"request_started","requestId":"r"}"#,
            r#"{"type":"request_failed","requestId":"r","error":"unauthorized"}"#,
        ],
        [
            r#"{"type":"start","id":"r"}"#,
            r#"{"type":"error","error":"rate limit"}"#,
        ],
        [
            r#"{"event":"stream_started","session_id":"s"}"#,
            r#"{"event":"stream_interrupted","session_id":"s"}"#,
        ],
        [
            r#"{"type":"session.started","session_id":"s"}"#,
            r#"{"type":"session.timeout","session_id":"s"}"#,
        ],
        [
            r#"{"kind":"status-update","status":{"state":"queued"},"name":"job"}"#,
            r#"{"kind":"status-update","status":{"state":"failed"},"name":"job"}"#,
        ],
        [
            r#"{"type":"execution_started","run_id":"r"}"#,
            r#"{"type":"execution_failed","run_id":"r","error":"no such table"}"#,
        ],
        [
            r#"{"type":"workflow_started","run_id":"r"}"#,
            r#"{"type":"workflow_failed","run_id":"r","error":"no such table"}"#,
        ],
        [
            r#"{"type":"training_started","model":"m"}"#,
            r#"{"type":"training_failed","error":"no such table"}"#,
        ],
    ] {
        let text = format!("{start}\n{failure}\n");
        assert_eq!(codes(&text).0[..2], [1, 1], "{text}");
    }
}

/// The failure of a task is not the run's (muse).
#[test]
fn a_task_that_fails_fails_no_run() {
    let text = r#"{"id":"1","record_type":"status","payload_type":"run.output.delta","payload":{"kind":"run_output_delta","run_stream":{"id":"c","kind":"run"},"text":"{\"a\":1}"}}
{"id":"2","record_type":"event","payload_type":"task.lifecycle.failed","payload":{"event":{"kind":"failed","reason":"invalid run configuration","task_id":"t"},"kind":"task_lifecycle","task_id":"t"}}
{"id":"3","record_type":"event","payload_type":"run.terminal.completed","payload":{"kind":"run_terminal","reason":null,"terminal":"completed","text":"{\"a\":1}"}}
"#;
    assert_eq!(codes(text), ([0; 3], "{\"a\":1}\n".to_owned()));
}

/// The mark after the events of a response or a run ends none that says that it waits.
#[test]
fn a_mark_ends_nothing_that_waits() {
    let chunk = |delta: &str, reason: &str| {
        format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
        )
    };
    let said = chunk(r#"{"role":"assistant","content":"{\"a\":1}"}"#, "null");
    let run = r#"data: {"id":"run_1","object":"thread.run","thread_id":"th","status":"STATUS","required_action":{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}}}"#;
    let message = r#"data: {"id":"msg_1","object":"thread.message","thread_id":"th","role":"assistant","status":"completed","content":[{"type":"text","text":{"value":"{\"a\":1}"}}]}"#;
    let run_of = |end: &str| {
        let status = |status: &str| run.replace("STATUS", status);
        vec![status("queued"), message.to_owned(), status(end)]
    };
    for (lines, code) in [
        (vec![said.clone(), chunk("{}", r#""requires_action""#)], 4),
        (vec![said, chunk("{}", r#""stop""#)], 0),
        (run_of("requires_action"), 4),
        (run_of("completed"), 0),
    ] {
        let text = format!("{}\n\ndata: [DONE]\n\n", lines.join("\n\n"));
        assert_eq!(codes(&text).0, [code; 3], "{text}");
    }
}

/// Of Gemini's chunks, the last one says why it is the last. A response without an id on a line of its own may have
/// been shortened for a test.
#[test]
fn a_chunk_of_gemini_alone_is_truncated() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"{\"a\":1}"}],"role":"model"}}]}"#;
    let recorded = body.replace(r#""model"}}]}"#, r#""model"}}],"responseId":"r"}"#);
    for (text, code) in [
        (body.to_owned(), 0),
        (format!("data: {body}\n\n"), 4),
        (recorded.clone(), 4),
        (format!("[{recorded}]"), 4),
    ] {
        assert_eq!(codes(&text).0, [code; 3], "{text}");
    }
}

/// The name of an event whose data are cut off ends nothing.
#[test]
fn an_event_whose_data_are_cut_off_is_no_end() {
    let text = r#"event: RUN_STARTED
data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}

data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"hi"}

event: RUN_FINISHED
data: {"type":"RUN_FINI"#;
    assert_eq!(codes(text), ([4; 3], String::new()));
}

/// A record that is broken says less of whose the others are than these themselves.
#[test]
fn whole_records_decide_against_a_broken_one() {
    let text = r#"{"type":"system","subtype":"init","cwd":"/src
{"type":"system","subtype":"init","cwd":"/src","session_id":"s","tools":[],"model":"m"}
{"type":"message","role":"user","id":"u","text":"hi","session_id":"s"}
{"type":"message","role":"assistant","id":"a","text":"{\"a\":1}","session_id":"s"}
{"type":"completion","finalText":"{\"a\":1}","session_id":"s"}
"#;
    assert_eq!(codes(text), ([0; 3], "{\"a\":1}\n".to_owned()));
    let sessions = sessions(text);
    let agents: Vec<_> = sessions.all().iter().map(|one| one.agent).collect();
    assert_eq!(agents, [Some(Agent::Droid)]);
}

/// An array is one run, whatever agent its end may be of (CodeBuddy).
#[test]
fn an_array_is_one_run() {
    let text = r#"[{"id":"m1","type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
{"id":"f1","type":"function_call","callId":"c1","name":"Bash","arguments":"{}"},
{"id":"o1","type":"function_call_result","callId":"c1","name":"Bash","status":"completed","output":{"type":"text","text":"a"}},
{"id":"m2","type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"a\":1}"}]},
{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"{\"a\":1}","session_id":"s","total_cost_usd":0,"usage":{"input_tokens":5,"output_tokens":2}}]"#;
    assert_eq!(codes(text), ([0; 3], "{\"a\":1}\n".to_owned()));
    let sessions = sessions(text);
    assert_eq!(sessions.all().len(), 1);
    assert_eq!(sessions.all()[0].tools().unwrap().sum().success, 1);
}

/// Events in the messages of JSON-RPC, as Copilot's SDK sends them.
#[test]
fn an_event_in_a_notification_is_read() {
    let text = r#"{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"x","event":{"type":"assistant.message","data":{"content":"{\"a\":1}"},"id":"e1"}}}
{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"x","event":{"type":"session.idle","data":{},"id":"e2"}}}
"#;
    assert_eq!(codes(text), ([0; 3], "{\"a\":1}\n".to_owned()));
}
