//! Streams of which a filter has left a part: what is stated once, in whichever record, is read.

use jsift_outcome::Outcome;

use super::{codes, sessions};

/// A stream that succeeds, its answer, and its tokens: input and output.
const STREAMS: &[(&str, &str, [Option<u64>; 2])] = &[
    // The pieces are missing, or do not have all of the text.
    (
        r#"{"type":"response.output_item.done","item":{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}
{"type":"response.completed","response":{"status":"completed"}}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"response.output_text.done","item_id":"msg_1","text":"Hello"}
{"type":"response.output_item.done","item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"Hello"}]}}
{"type":"response.completed","response":{"status":"completed"}}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"response.output_text.delta","item_id":"a","delta":"Hel"}
{"type":"response.output_text.done","item_id":"a","text":"Hello"}
{"type":"response.output_item.done","item":{"id":"a","type":"message","content":[{"type":"output_text","text":"Hello"}]}}
{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":2,"output_tokens":1}}}"#,
        "Hello",
        [Some(2), Some(1)],
    ),
    // Text before a call is no answer.
    (
        r#"{"type":"response.output_item.done","item":{"id":"a","type":"message","content":[{"type":"output_text","text":"Let me see."}]}}
{"type":"response.output_item.done","item":{"id":"c","type":"mcp_call","status":"completed","server":"s","output":"x"}}
{"type":"response.output_item.done","item":{"id":"b","type":"message","content":[{"type":"output_text","text":"Hello"}]}}
{"type":"response.completed"}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"response.output_text.delta","delta":"Hello"}
{"type":"response.completed","usage":{"input_tokens":1,"output_tokens":2}}"#,
        "Hello",
        [Some(1), Some(2)],
    ),
    // The last chunks have no delta.
    (
        r#"{"choices":[{"index":0,"delta":{"content":"Hello"}}]}
{"choices":[{"index":0,"finish_reason":"stop"}]}
{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105}}"#,
        "Hello",
        [Some(100), Some(5)],
    ),
    // Blocks and pieces without a type.
    (
        r#"{"type":"content_block_delta","delta":{"text":"Hel"}}
{"type":"content_block_delta","delta":{"text":"lo"}}
{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
{"type":"message_stop"}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"assistant","message":{"content":[{"text":"Hello"}]}}
{"type":"result","subtype":"success"}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"Hello"}}}
{"type":"result","subtype":"success"}"#,
        "Hello",
        [None; 2],
    ),
    // The counts of the start are the first of those that the end states in all.
    (
        r#"{"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":7,"output_tokens":1}}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}
{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}
{"type":"message_stop"}"#,
        "Hello",
        [Some(7), Some(4)],
    ),
    // The output includes thoughts.
    (
        r#"{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":12,"thoughtsTokenCount":28}}"#,
        "Hello",
        [Some(10), Some(40)],
    ),
    (
        r#"{"type":"init","session_id":"s"}
{"type":"message","role":"assistant","content":"Hello","delta":true}
{"type":"result","status":"success","stats":{"input_tokens":12,"output_tokens":34,"duration_ms":1500}}"#,
        "Hello",
        [Some(12), Some(34)],
    ),
    // The message states the call; its execution is missing.
    (
        r#"{"type":"assistant.message","data":{"content":"Let me see.","toolRequests":[{"toolCallId":"t1","name":"bash","arguments":{}}]}}
{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"ok"}}}
{"type":"assistant.message","data":{"content":"Hello"}}
{"type":"result","exitCode":0}"#,
        "Hello",
        [None; 2],
    ),
    // The whole text has more than the pieces before it.
    (
        r#"{"type":"run.created","run":{"agent_name":"echo","run_id":"r","status":"created","output":[]}}
{"type":"message.part","part":{"content_type":"text/plain","content":"Hel"}}
{"type":"message.completed","message":{"role":"agent","parts":[{"content_type":"text/plain","content":"Hello"}]}}
{"type":"run.completed","run":{"agent_name":"echo","run_id":"r","status":"completed"}}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"message.delta","text":"Hel"}
{"type":"run.completed","output":"Hello"}"#,
        "Hello",
        [None; 2],
    ),
    // Another thread's answer is not the run's.
    (
        r#"{"id":2,"result":{"thread":{"id":"main"}}}
{"method":"item/agentMessage/delta","params":{"threadId":"child","turnId":"u","itemId":"i","delta":"Bye"}}
{"method":"turn/completed","params":{"threadId":"child","turn":{"id":"u","status":"completed"}}}
{"method":"item/agentMessage/delta","params":{"threadId":"main","turnId":"v","itemId":"j","delta":"Hello"}}
{"method":"turn/completed","params":{"threadId":"main","turn":{"id":"v","status":"completed"}}}"#,
        "Hello",
        [None; 2],
    ),
    // No failure is stated, or it comes after the end.
    (
        r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"agentMessage","id":"i","text":"Hello"}}}
{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","error":null}}}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"type":"init","session_id":"s"}
{"type":"message","role":"assistant","content":"Hello","delta":true}
{"type":"result","status":"completed","stats":{}}"#,
        "Hello",
        [None; 2],
    ),
    (
        r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","error":null}}}"#,
        "",
        [None; 2],
    ),
    // What starts a session says nothing more.
    (
        r#"{"type":"session.start","data":{}}
{"type":"user.message","data":{"content":"hi"}}
{"type":"assistant.message","data":{"content":"Hello"}}
{"type":"session.shutdown","data":{}}"#,
        "Hello",
        [None; 2],
    ),
];

/// A call and its result without ids, and the name of the tool.
const CALLS: &[(&str, &str)] = &[
    (
        r#"{"role":"assistant","content":"a","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]}
{"role":"tool","content":"out"}
{"role":"assistant","content":"Hello"}"#,
        "search",
    ),
    (
        r#"{"type":"system","subtype":"init","model":"m"}
{"type":"tool_call","subtype":"started","tool_call":{"writeToolCall":{"args":{"path":"a.rs"}}}}
{"type":"tool_call","subtype":"completed","tool_call":{"writeToolCall":{"args":{"path":"a.rs"},"result":{"success":{"linesCreated":10}}}}}
{"type":"result","subtype":"success","result":"Hello"}"#,
        "write",
    ),
    (
        r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"Let me see."}}
{"type":"tool_execution_start","toolName":"bash","args":{"command":"ls"}}
{"type":"tool_execution_end","toolName":"bash","result":{"content":[]},"isError":false}
{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"Hello"}]}]}"#,
        "bash",
    ),
];

#[test]
fn a_result_without_an_id_answers_the_only_open_call() {
    for (text, name) in CALLS {
        let sessions = sessions(text);
        let [session] = sessions.all() else {
            panic!("not one session: {text}");
        };
        assert_eq!(session.response().unwrap(), "Hello", "{text}");
        let tools = session.tools().unwrap();
        let (calls, named) = (tools.sum(), tools.by_name());
        let (tool, of_tool) = named.iter().next().unwrap();
        assert_eq!((calls.calls, calls.success), (1, 1), "{text}");
        assert_eq!((&*tool.to_string_lossy(), of_tool.calls), (*name, 1));
    }
}

/// The text of an error is no answer, whoever says it.
#[test]
fn a_message_that_is_the_error_of_the_end_is_no_answer() {
    let text = r#"{"type":"assistant","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"[API Error: 401 Incorrect API key provided]"}]}}
{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 Incorrect API key provided]"}}"#;
    let sessions = sessions(text);
    let session = sessions.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Auth);
    assert_eq!(session.response().unwrap(), "");
    assert_eq!((session.messages(), session.errors().len()), (Some(0), 1));
}

#[test]
fn an_error_after_a_success_is_not_fatal() {
    let text = r#"{"type":"turn.completed","status":"completed","usage":{"input_tokens":1,"output_tokens":1}}
{"type":"error","message":"late failure"}"#;
    let sessions = sessions(text);
    let session = sessions.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Success);
    assert!(!session.errors()[0].fatal);
}

#[test]
fn a_structured_output_is_the_payload() {
    for text in [
        r#"{"text":"Here it is.","stopReason":"end_turn","sessionId":"s","structuredOutput":{"ok":1}}"#,
        r#"{"text":"Here it is.","stopReason":"end_turn","structured_output":{"ok":1}}"#,
        "{\"type\":\"text\",\"data\":\"Here it is.\"}\n{\"type\":\"end\",\"stopReason\":\"end_turn\",\"structuredOutput\":{\"ok\":1}}",
        r#"{"type":"result","subtype":"success","result":"Here it is.","structured_output":{"ok":1}}"#,
        "{\"event\":\"init\"}\n{\"event\":\"result\",\"response\":\"Here it is.\",\"structuredOutput\":{\"ok\":1}}",
    ] {
        assert_eq!(codes(text), ([0; 3], "{\"ok\":1}\n".to_owned()), "{text}");
    }
}

#[test]
fn what_is_stated_once_is_read() {
    for (text, answer, tokens) in STREAMS {
        let lines: Vec<_> = text.lines().collect();
        let events = lines.iter().map(|line| format!("data: {line}\n\n"));
        let prefixed = lines.iter().map(|line| format!("app-1  | {line}\n"));
        for form in [
            (*text).to_owned(),
            format!("[{}]", lines.join(",\n")),
            events.collect(),
            prefixed.collect(),
        ] {
            let sessions = sessions(&form);
            let [session] = sessions.all() else {
                panic!("not one session: {form}");
            };
            let usage = session.usage();
            assert_eq!(
                (
                    session.outcome(),
                    session.response().unwrap_or_default().to_string_lossy(),
                    [usage.input, usage.output],
                ),
                (Outcome::Success, (*answer).into(), *tokens),
                "{form}"
            );
        }
    }
}
