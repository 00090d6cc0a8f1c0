//! Turns: what the agent says or does after an end is another turn, also where no record says that one begins.

use super::{codes, sessions};

/// An agent, the records before its first answer, that answer with its end, and the second answer and its end.
type Turns = (
    &'static str,
    &'static [&'static str],
    [&'static str; 2],
    [&'static str; 2],
);

const TURNS: &[Turns] = &[
    (
        "acp",
        &[],
        [
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"a\":1}"}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}"#,
        ],
        [
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Then {\"b\":2}"}}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ],
    ),
    (
        "agy",
        &[r#"{"event":"init","conversation_id":"c","init":{"model":"g"}}"#],
        [
            r#"{"event":"step_update","step_update":{"conversation_id":"c","step_index":1,"state":"DONE","step_type":"agent_response","text_delta":"{\"a\":1}"}}"#,
            r#"{"event":"result","result":{"conversation_id":"c","status":"SUCCESS","response":"{\"a\":1}"}}"#,
        ],
        [
            r#"{"event":"step_update","step_update":{"conversation_id":"c","step_index":2,"state":"DONE","step_type":"agent_response","text_delta":"Then {\"b\":2}"}}"#,
            r#"{"event":"result","result":{"conversation_id":"c","status":"SUCCESS","response":"Then {\"b\":2}"}}"#,
        ],
    ),
    (
        "amp",
        &[
            r#"{"type":"system","subtype":"init","session_id":"T-1","tools":[],"mcp_servers":[],"cwd":"/"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}]},"session_id":"T-1"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"T-1"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}]},"session_id":"T-1"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"Then {\"b\":2}","session_id":"T-1"}"#,
        ],
    ),
    (
        "codex app-server",
        &[],
        [
            r#"{"method":"item/completed","params":{"threadId":"t","turnId":"1","item":{"type":"agentMessage","id":"i1","text":"{\"a\":1}"}}}"#,
            r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"1","status":"completed"}}}"#,
        ],
        [
            r#"{"method":"item/completed","params":{"threadId":"t","turnId":"2","item":{"type":"agentMessage","id":"i2","text":"Then {\"b\":2}"}}}"#,
            r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"2","status":"completed"}}}"#,
        ],
    ),
    (
        "claude",
        &[],
        [
            r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"s"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"Then {\"b\":2}","session_id":"s"}"#,
        ],
    ),
    (
        "cline",
        &[],
        [
            r#"{"ts":"1","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"{\"a\":1}"}}"#,
            r#"{"ts":"1","type":"run_result","finishReason":"completed","text":"{\"a\":1}"}"#,
        ],
        [
            r#"{"ts":"2","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"Then {\"b\":2}"}}"#,
            r#"{"ts":"2","type":"run_result","finishReason":"completed","text":"Then {\"b\":2}"}"#,
        ],
    ),
    (
        "codex",
        &[
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"turn.started"}"#,
        ],
        [
            r#"{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"{\"a\":1}"}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#,
        ],
        [
            r#"{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Then {\"b\":2}"}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#,
        ],
    ),
    (
        "cursor",
        &[
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m","apiKeySource":"login","permissionMode":"default","cwd":"/"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"s"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"Then {\"b\":2}","session_id":"s"}"#,
        ],
    ),
    (
        "droid",
        &[r#"{"type":"system","subtype":"init","session_id":"s","model":"custom:m","tools":[]}"#],
        [
            r#"{"type":"message","role":"assistant","id":"m1","text":"{\"a\":1}","session_id":"s"}"#,
            r#"{"type":"completion","finalText":"{\"a\":1}","session_id":"s"}"#,
        ],
        [
            r#"{"type":"message","role":"assistant","id":"m2","text":"Then {\"b\":2}","session_id":"s"}"#,
            r#"{"type":"completion","finalText":"Then {\"b\":2}","session_id":"s"}"#,
        ],
    ),
    (
        "gemini",
        &[r#"{"type":"init","session_id":"s","model":"g"}"#],
        [
            r#"{"type":"message","role":"assistant","content":"{\"a\":1}","delta":true}"#,
            r#"{"type":"result","status":"success"}"#,
        ],
        [
            r#"{"type":"message","role":"assistant","content":"Then {\"b\":2}","delta":true}"#,
            r#"{"type":"result","status":"success"}"#,
        ],
    ),
    (
        "goose",
        &[],
        [
            r#"{"type":"message","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}]}}"#,
            r#"{"type":"complete","total_tokens":1}"#,
        ],
        [
            r#"{"type":"message","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}]}}"#,
            r#"{"type":"complete","total_tokens":2}"#,
        ],
    ),
    (
        "opencode serve",
        &[
            r#"{"type":"message.updated","properties":{"info":{"id":"a1","sessionID":"A","role":"assistant"}}}"#,
        ],
        [
            r#"{"type":"message.part.updated","properties":{"part":{"id":"p1","messageID":"a1","sessionID":"A","type":"text","text":"{\"a\":1}"}}}"#,
            r#"{"type":"session.idle","properties":{"sessionID":"A"}}"#,
        ],
        [
            r#"{"type":"message.part.updated","properties":{"part":{"id":"p2","messageID":"a2","sessionID":"A","type":"text","text":"Then {\"b\":2}"}}}"#,
            r#"{"type":"session.idle","properties":{"sessionID":"A"}}"#,
        ],
    ),
    (
        "opencode",
        &[],
        [
            r#"{"type":"text","timestamp":1,"sessionID":"s","part":{"id":"p1","messageID":"m1","type":"text","text":"{\"a\":1}"}}"#,
            r#"{"type":"step_finish","timestamp":1,"sessionID":"s","part":{"id":"f1","messageID":"m1","reason":"stop","tokens":{"input":1,"output":1}}}"#,
        ],
        [
            r#"{"type":"text","timestamp":2,"sessionID":"s","part":{"id":"p2","messageID":"m2","type":"text","text":"Then {\"b\":2}"}}"#,
            r#"{"type":"step_finish","timestamp":2,"sessionID":"s","part":{"id":"f2","messageID":"m2","reason":"stop","tokens":{"input":1,"output":1}}}"#,
        ],
    ),
    (
        "pi",
        &[
            r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#,
            r#"{"type":"agent_start"}"#,
        ],
        [
            r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}],"stopReason":"stop","timestamp":1}}"#,
            r#"{"type":"agent_end","messages":[]}"#,
        ],
        [
            r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}],"stopReason":"stop","timestamp":2}}"#,
            r#"{"type":"agent_end","messages":[]}"#,
        ],
    ),
    (
        "qwen",
        &[
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m","qwen_code_version":"0.24.4","permission_mode":"yolo"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"{\"a\":1}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"s"}"#,
        ],
        [
            r#"{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Then {\"b\":2}"}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"Then {\"b\":2}","session_id":"s"}"#,
        ],
    ),
    (
        "an unknown agent",
        &[r#"{"event":"run_started","session_id":"s"}"#],
        [
            r#"{"event":"message","role":"assistant","text":"{\"a\":1}"}"#,
            r#"{"event":"run_finished","status":"success"}"#,
        ],
        [
            r#"{"event":"message","role":"assistant","text":"Then {\"b\":2}"}"#,
            r#"{"event":"run_finished","status":"success"}"#,
        ],
    ),
];

/// What a run says first, and then.
const ANSWERS: [&str; 2] = [r#"{"a":1}"#, r#"Then {"b":2}"#];

fn text(records: &[&[&str]]) -> String {
    records
        .concat()
        .iter()
        .map(|it| format!("{it}\n"))
        .collect()
}

#[test]
fn an_answer_after_an_end_is_the_response_of_another_turn() {
    for (agent, head, first, second) in TURNS {
        let text = text(&[head, first, second]);
        let all = sessions(&text);
        let session = all.current().unwrap();
        let response = session.response().unwrap_or_default();
        assert_eq!(response.to_string_lossy(), ANSWERS[1], "{agent}");
        assert_eq!((session.turns(), all.all().len()), (Some(2), 1), "{agent}");
        assert_eq!(codes(&text), ([0; 3], "{\"b\":2}\n".to_owned()), "{agent}");
    }
}

#[test]
fn a_turn_after_an_end_that_breaks_off_is_truncated() {
    for (agent, head, first, second) in TURNS {
        let text = text(&[head, first, &second[..1]]);
        assert_eq!(codes(&text), ([4; 3], String::new()), "{agent}");
    }
}
