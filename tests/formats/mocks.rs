//! Streams as the tests of other programs write them in an agent's place: with few members, and some that the agent
//! itself would write otherwise.

use super::{Run, assert_runs, codes, sessions};

const MOCKS: &[Run] = &[
    // Nothing in the first records distinguishes Cursor from Claude Code.
    (
        r#"{"type":"system","subtype":"init","session_id":"c"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
{"type":"tool_call","subtype":"started","call_id":"1","tool_call":{"readToolCall":{"args":{"path":"f"}}}}
{"type":"result","subtype":"success","is_error":false,"result":"Hello","session_id":"c"}"#,
        "cursor",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"system","subtype":"init","session_id":"c","model":"composer"}
{"type":"tool_call","subtype":"started","call_id":"1","tool_call":{"shellToolCall":{"args":{"command":"ls"}}}}"#,
        "cursor",
        "truncated",
        "",
    ),
    (
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hel"}]},"timestamp_ms":1}
{"type":"assistant","message":{"content":[{"type":"text","text":"lo"}]},"timestamp_ms":2}
{"type":"result","subtype":"success","result":"Hello"}"#,
        "cursor",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"system","subtype":"init"}
{"type":"assistant","message":{"content":"Hello"}}
{"type":"result","result":"Hello"}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}
{"type":"result","subtype":"success"}"#,
        "claude",
        "success",
        "Hello",
    ),
    // A filter took away what says that the result is an error.
    (
        r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 429 slow down"}]}}
{"type":"result","subtype":"success","result":"API Error: 429 slow down"}"#,
        "claude",
        "quota",
        "",
    ),
    (
        r#"{"type":"result","is_error":true,"result":"Invalid API key"}"#,
        "claude",
        "auth",
        "",
    ),
    (
        r#"{"result":"Hello","session_id":"c","is_error":false}"#,
        "claude",
        "success",
        "Hello",
    ),
    // The answer of Cline CLI 2 may repeat the last text. Kilo Code 0 calls it otherwise.
    (
        r#"{"type":"task_started","taskId":"t1"}
{"type":"say","say":"text","text":"Hello","partial":false}
{"type":"say","say":"completion_result","text":"Hello"}"#,
        "cline",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"task_started","taskId":"t1"}
{"type":"say","say":"text","text":"I will answer.","partial":false}
{"type":"say","say":"completion_result","text":"Hello"}"#,
        "cline",
        "success",
        "Hello",
    ),
    (
        r#"{"timestamp":1,"source":"cli","id":"msg-123","type":"welcome","content":""}
{"timestamp":123,"source":"extension","type":"say","say":"completion_result","partial":false,"content":"Hello"}"#,
        "cline",
        "success",
        "Hello",
    ),
    // Nothing but the parameters of the Agent Client Protocol's notifications.
    (
        r#"{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hel"}}}
{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"lo"}}}"#,
        "acp",
        "truncated",
        "Hello",
    ),
    (
        r#"{"type":"thread.started"}
{"type":"error","message":"stream disconnected"}"#,
        "codex",
        "network",
        "",
    ),
    (
        r#"{"type":"thread.started"}
{"type":"turn.failed","error":"429 slow down"}"#,
        "codex",
        "quota",
        "",
    ),
    (
        r#"{"type":"init","session_id":"g","model":"gemini-pro"}
{"type":"tool_use","tool_name":"glob","tool_id":"1"}
{"type":"tool_result","tool_id":"1","status":null}
{"type":"message","role":"assistant","content":"Hello"}
{"type":"result","stats":{}}"#,
        "gemini",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"init","session_id":"g","model":"gemini-pro"}
{"type":"result","stats":{},"error":{"type":"Error","message":"429 slow down"}}"#,
        "gemini",
        "quota",
        "",
    ),
    (
        r#"{"session_id":"g","response":null,"stats":{}}"#,
        "gemini",
        "success",
        "",
    ),
    (
        r#"{"type":"session.start","data":{"sessionId":"c"}}
{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}
{"type":"assistant.message","data":{"content":"Hello"}}
{"type":"result","usage":{"premiumRequests":0.33}}"#,
        "copilot",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"session.error","data":{"errorType":"quota","statusCode":402}}"#,
        "copilot",
        "quota",
        "",
    ),
    // The first record reads like Gemini CLI's.
    (
        r#"{"type":"message","role":"assistant","content":"Hello"}
{"type":"completion","finalText":"Hello"}"#,
        "droid",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"system","subtype":"init","session_id":"d"}
{"type":"tool_call","toolName":"Execute"}
{"type":"completion","finalText":"Hello"}"#,
        "droid",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"message","message":{"content":[{"type":"text","text":"Hello"}]}}
{"type":"complete","total_tokens":10}"#,
        "goose",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"Hello"}}
{"type":"agent_settled"}"#,
        "pi",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"Hello"}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}],"stopReason":"error","errorMessage":"429 slow down"}}
{"type":"agent_end","willRetry":false}
{"type":"agent_settled"}"#,
        "pi",
        "quota",
        "Hello",
    ),
    // The message is in the end of its turn, too.
    (
        r#"{"type":"session","version":3,"id":"p","cwd":"/repo"}
{"type":"turn_end","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]},"toolResults":[]}
{"type":"agent_end","messages":[]}"#,
        "pi",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"step_start"}
{"type":"tool_use","part":{"tool":"grep"}}
{"type":"text","part":{"text":"Hello"}}
{"type":"step_finish","part":{"reason":"stop"}}"#,
        "opencode",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"step_start","part":{}}
{"type":"text","part":{"text":"Hello"}}
{"type":"step_finish","part":{"reason":null}}"#,
        "opencode",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"user","message":{"role":"user","content":"hi"}}
{"type":"assistant","message":{"id":"m","model":"claude-sonnet-5","usage":{"input_tokens":100,"output_tokens":5}}}"#,
        "claude",
        "truncated",
        "",
    ),
    (
        r#"{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"Hello"}}}
{"type":"turn.ended"}"#,
        "kimi",
        "success",
        "Hello",
    ),
    // Some servers write the update itself in place of an object with it.
    (
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}
{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#,
        "acp",
        "success",
        "Hello",
    ),
    (
        r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hel"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"lo"}}"#,
        "acp",
        "truncated",
        "Hello",
    ),
    // The last record is a retry, or an end without an answer.
    (
        r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":508,"error_status":429,"error":"rate_limit"}"#,
        "claude",
        "quota",
        "",
    ),
    (
        r#"{"type":"system","subtype":"api_retry","error":"authentication_failed","uuid":"1"}
{"type":"system","subtype":"api_retry","error":"authentication_failed","uuid":"2"}"#,
        "claude",
        "auth",
        "",
    ),
    (
        r#"{"type":"system","subtype":"init","session_id":"s"}
{"type":"result","subtype":"success","usage":{"input_tokens":1,"output_tokens":1}}"#,
        "claude",
        "success",
        "",
    ),
    (
        r#"{"type":"system","subtype":"init"}
{"type":"result","subtype":"success"}"#,
        "claude",
        "success",
        "",
    ),
    (
        r#"{"type":"result","subtype":"success","num_turns":2,"session_id":"s"}"#,
        "claude",
        "success",
        "",
    ),
    // Whoever writes the answer under another name, it is the answer.
    (
        r#"{"type":"result","subtype":"success","duration_ms":2,"text":"Hello"}"#,
        "claude",
        "success",
        "Hello",
    ),
    // A late record says whose all of them are; a message that counts nothing leaves the sum known.
    (
        r#"{"type":"system","subtype":"init"}
{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"Let me see."}],"usage":{"input_tokens":0,"output_tokens":0}}}
{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"Hello"}],"usage":{"input_tokens":3001,"output_tokens":63,"total_tokens":3064}}}
{"type":"result","subtype":"success","result":"Hello","is_error":false}"#,
        "qwen",
        "success",
        "Let me see.\nHello",
    ),
    (
        r#"{"type":"system","subtype":"init"}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello"}}}
{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 no]"}}"#,
        "qwen",
        "auth",
        "Hello",
    ),
    // The events of the model's API, as a run prints them that ends with its own record.
    (
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}
{"type":"content_block_stop","index":0}
{"type":"result","subtype":"success","is_error":false,"result":"Hello","session_id":"s","total_cost_usd":0.003,"usage":{"input_tokens":100,"output_tokens":50}}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[]}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me see."}}
{"type":"content_block_stop","index":0}
{"type":"message_stop"}
{"type":"result","subtype":"success","is_error":false,"duration_ms":42,"result":"Let me see.","session_id":"s","uuid":"u"}"#,
        "claude",
        "success",
        "Let me see.",
    ),
];

#[test]
fn a_stream_with_few_members_is_read_as_its_agents() {
    assert_runs(MOCKS);
    for (input, ..) in MOCKS {
        let sessions = sessions(input);
        assert_eq!(sessions.all().len(), 1, "{input}");
    }
}

#[test]
fn a_call_did_not_fail_if_nothing_says_so() {
    let input = r#"{"type":"tool_use","part":{"tool":"read","state":{"input":{"filePath":"a"}}}}
{"type":"tool_use","part":{"tool":"grep"}}
{"type":"tool_use","part":{"tool":"read","state":{"status":"error","error":"not found"}}}"#;
    let sessions = sessions(input);
    let calls = sessions.current().unwrap().tools().unwrap().sum();
    assert_eq!((calls.success, calls.error), (2, 1));
}

#[test]
fn an_exit_code_says_how_a_call_ended_if_nothing_else_does() {
    let input = r#"{"type":"thread.started","thread_id":"x"}
{"type":"item.completed","item":{"type":"command_execution","exit_code":1}}
{"type":"item.completed","item":{"type":"command_execution","exit_code":0}}"#;
    let sessions = sessions(input);
    let calls = sessions.current().unwrap().tools().unwrap().sum();
    assert_eq!((calls.success, calls.error), (1, 1));
}

#[test]
fn a_mark_ends_the_chunks_before_it() {
    let chunks = "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"a\\\":\"}}]}\n\n\
                  data: {\"choices\":[{\"delta\":{\"content\":\"1}\"}}]}\n\n";
    assert_eq!(codes(chunks), ([4; 3], String::new()));
    let ended = format!("{chunks}data: [DONE]\n");
    let boxed = ended.lines().map(|line| format!("│ {line:<60} │\n"));
    for input in [
        &ended,
        &ended.replace("data:", "api-1  | data:"),
        &boxed.collect::<String>(),
    ] {
        assert_eq!(codes(input), ([0; 3], "{\"a\":1}\n".to_owned()), "{input}");
        let sessions = sessions(input);
        assert_eq!(sessions.all().len(), 1, "{input}");
    }
}

#[test]
fn a_message_that_is_wrapped_is_no_answer() {
    let input = r#"{"requestId":"r","message":{"role":"user","content":[{"type":"text","text":"{\"a\":0}"}]}}
{"requestId":"r","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"{\"a\":1}"}]}}"#;
    assert_eq!(codes(input), ([4; 3], String::new()));
}

#[test]
fn the_type_of_what_a_record_contains_says_what_it_is() {
    let input = r#"{"stream":{"kind":"session","id":"s"},"payload_type":"run.output.delta","payload":{"text":"{\"a\":"}}
{"stream":{"kind":"session","id":"s"},"payload_type":"run.output.delta","payload":{"text":"1}"}}
{"stream":{"kind":"session","id":"s"},"payload_type":"run.terminal.completed","payload":{"terminal":{"status":"completed"}}}"#;
    assert_eq!(codes(input), ([0; 3], "{\"a\":1}\n".to_owned()));
}
