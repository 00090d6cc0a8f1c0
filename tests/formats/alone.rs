//! Single records, and what else is left of a stream: what `extract -p` must not print as if it were the answer.

use super::{Row, assert_ends};

#[track_caller]
fn ends(rows: &[Row<'_>]) {
    assert_ends(rows, |text| [text.to_owned()]);
}

#[test]
fn a_record_alone_is_no_answer() {
    const NONE: [i32; 3] = [1, 1, 5];
    ends(&[
        // The last record of goose, droid, Warp's agent and Kimi, and the first one of Cursor.
        (r#"{"type":"complete","total_tokens":12}"#, NONE, ""),
        (
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
            NONE,
            "",
        ),
        (
            r#"{"type":"error","source":"cli","message":"Exec failed","session_id":"s"}"#,
            NONE,
            "",
        ),
        (r#"{"type":"agent","text":"{\"ok\":1}"}"#, NONE, ""),
        (r#"[{"type":"agent","text":"{\"ok\":1}"}]"#, NONE, ""),
        (
            r#"{"type":"system","subtype":"init","session_id":"s"}"#,
            NONE,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"1","result":{"status":"max_steps_reached","steps":1}}"#,
            NONE,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"429"}}"#,
            NONE,
            "",
        ),
        (
            r#"{"info":{"exit_status":"Submitted","submission":"x"},"messages":[{"role":"assistant","content":"x"}],"trajectory_format":"mini-swe-agent-1.1"}"#,
            NONE,
            "",
        ),
    ]);
    // A model may answer so, too.
    for answer in [
        r#"{"type":"error","severity":"high","message":"no check"}"#,
        r#"{"type":"result","status":"ok"}"#,
        r#"{"type":"error","message":"no such file"}"#,
        r#"{"error":"not enough is known"}"#,
        r#"{"response":"ok"}"#,
    ] {
        ends(&[(answer, [1, 1, 0], answer)]);
    }
    let fenced = "```json\n{\"type\":\"complete\",\"total_tokens\":12}\n```\n";
    ends(&[(
        fenced,
        [1, 1, 0],
        r#"{"type":"complete","total_tokens":12}"#,
    )]);
}

#[test]
fn a_record_alone_that_states_the_end_is_a_run() {
    ends(&[
        // Roo Code's last record.
        (
            r#"{"type":"result","id":22,"content":"{\"ok\":1}","done":true,"success":true}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (
            r#"{"type":"result","id":22,"content":"stuck","done":true,"success":false}"#,
            [10; 3],
            "",
        ),
        (
            r#"{"type":"result","success":true,"content":"{\"ok\":1}","cost":{"totalCost":0.4}}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        // goose before it counted tokens.
        (
            r#"{"messages":[{"role":"user","created":1,"content":[{"type":"text","text":"hi"}]},{"role":"assistant","created":2,"content":[{"type":"text","text":"{\"ok\":1}"}]}]}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        // What an A2A server returns.
        (
            r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"},"artifacts":[{"parts":[{"kind":"text","text":"{\"ok\":1}"}]}]}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"parts":[{"text":"{\"ok\":1}"}]}]}}}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed","message":{"role":"agent","parts":[{"kind":"text","text":"{\"ok\":1}"}]}}}}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":"{\"ok\":1}"}]}}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (
            r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled"},"artifacts":[]}"#,
            [15; 3],
            "",
        ),
        (
            r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_FAILED","message":{"role":"ROLE_AGENT","parts":[{"text":"429 Too Many Requests"}]}}}}"#,
            [12; 3],
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}}"#,
            [1, 1, 5],
            "",
        ),
        // A server of Ollama, some of whose members a program leaves out.
        (
            r#"{"message":{"role":"assistant","content":"thinking","tool_calls":[{"function":{"name":"ls","arguments":{"path":"."}}}]},"done_reason":"stop"}"#,
            [0, 0, 5],
            "",
        ),
        (
            r#"{"message":{"role":"assistant","content":"{\"ok\":1}"},"done_reason":"stop","eval_count":3}"#,
            [0; 3],
            r#"{"ok":1}"#,
        ),
        (r#"{"error":"model 'llama9' not found"}"#, [16; 3], ""),
    ]);
}

/// What a filter leaves of Claude Code's records.
#[test]
fn an_error_of_claude_code_is_one_without_its_record() {
    ends(&[
        (
            r#"{"type":"result","subtype":"success","result":"API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"}"#,
            [12; 3],
            "",
        ),
        (
            r#"{"type":"message","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"Invalid API key · Fix external API key {}"}],"usage":{"input_tokens":0,"output_tokens":0}}"#,
            [11; 3],
            "",
        ),
        // A flag decides.
        (
            r#"{"type":"result","subtype":"success","is_error":false,"result":"API Error: {\"code\":1}"}"#,
            [0; 3],
            r#"{"code":1}"#,
        ),
    ]);
}

#[test]
fn a_failure_has_the_code_of_the_worst_run() {
    let limited = r#"{"custom_id":"1","response":{"status_code":429,"body":{"error":"rate limited"}},"error":null}"#;
    let expired = r#"{"custom_id":"2","response":null,"error":{"code":"batch_expired","message":"too late"}}"#;
    ends(&[(&format!("{limited}\n{expired}\n"), [12; 3], "")]);
}

#[test]
fn the_stream_of_a_unknown_that_is_cut_in_a_record_is_truncated() {
    let text = "event: message\ndata: {\"type\":\"text_delta\",\"delta\":\"Looking.\"}\n\nevent: message\ndata: {\"type\":\"tool_ca";
    ends(&[(text, [4; 3], "")]);
}

/// The envelope of Gemini CLI, whose first lines are missing.
#[test]
fn a_part_of_an_object_whose_start_is_missing_is_no_answer() {
    let text =
        "\"response\": \"It is {}.\",\n\"stats\": {\n  \"models\": {}\n},\n\"error\": null\n}\n";
    let after = |text: &str| -> String {
        let lines = text.lines().map(|line| format!("agent-1  | {line}\n"));
        lines.collect()
    };
    let cut = r#"nse":"Hi","stats":{"models":{"m":{"n":1}}}}"#;
    for text in [text, &after(text), cut] {
        ends(&[(text, [1, 1, 3], "")]);
    }
    let prose = "Set \"stats\": {\"models\":1} in your settings.\n";
    ends(&[(prose, [1, 1, 0], r#"{"models":1}"#)]);
}
