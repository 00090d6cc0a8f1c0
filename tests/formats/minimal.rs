//! The least that must be understood of each agent: records with nothing but what they say, as documentation, a mock in
//! somebody's test, an older version or a filter leaves them.

use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_outcome::Outcome;

use super::{Run, assert_run, assert_runs, codes, reported, reported_by};

const CLAUDE_CALL: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Let me read."},{"type":"tool_use","id":"t","name":"Read","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"…"}]}}
{"type":"result","subtype":"success","result":"{\"ok\":1}"}"#;

const CURSOR_CALL: &str = r#"{"type":"system","subtype":"init","apiKeySource":"login","session_id":"s","model":"M"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Let me look."}]},"session_id":"s"}
{"type":"tool_call","subtype":"started","tool_call":{"readToolCall":{"args":{"path":"a"}}},"session_id":"s"}
{"type":"tool_call","subtype":"completed","tool_call":{"readToolCall":{"args":{"path":"a"},"result":{"success":{"content":"x"}}}},"session_id":"s"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]},"session_id":"s"}
{"type":"result","subtype":"success","is_error":false,"result":"Let me look.Hello","session_id":"s"}"#;

const GROK_BUILD_CALL: &str = r#"{"type":"text","data":"Let me look."}
{"type":"tool_call","title":"Read","status":"in_progress"}
{"type":"tool_call_update","status":"completed"}
{"type":"text","data":"Hello"}
{"type":"end","stopReason":"end_turn"}"#;

const BLOCKS: &[Run] = &[
    (CURSOR_CALL, "cursor", "success", "Hello"),
    (GROK_BUILD_CALL, "grok-build", "success", "Hello"),
    (
        r#"{"response": "Hello world", "stats": null, "error": null}"#,
        "gemini",
        "success",
        "Hello world",
    ),
    (
        r#"{"response":"Hello world","stats":{}}"#,
        "gemini",
        "success",
        "Hello world",
    ),
    (
        r#"{"session_id":"s","response":"Hello world"}"#,
        "gemini",
        "success",
        "Hello world",
    ),
    (
        r#"{"error": {"type": "ApiError", "message": "Test error", "code": 400}}"#,
        "gemini",
        "input",
        "",
    ),
    (
        r#"{"response": null, "error": {"type": "ApiError", "message": "boom", "code": 500}}"#,
        "gemini",
        "network",
        "",
    ),
    (
        r#"{"response": "", "stats": {}, "error": {"type": "ApiError", "message": "quota exceeded", "code": 429}}"#,
        "gemini",
        "quota",
        "",
    ),
    (
        r#"{"type":"message","role":"assistant","content":"Hello"}"#,
        "gemini",
        "truncated",
        "Hello",
    ),
    (GEMINI, "gemini", "success", "lo"),
    (
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"[1]"}]},"parent_tool_use_id":null}"#,
        "claude",
        "truncated",
        "",
    ),
    (
        r#"{"type":"result","is_error":false,"result":"Hello"}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"result","is_error":true,"result":"API Error: 429"}"#,
        "claude",
        "quota",
        "",
    ),
    (
        r#"{"type":"result","subtype":null,"result":"Hello","session_id":"s"}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"session_id":"s","stats":{"models":{},"tools":{"totalCalls":0}}}"#,
        "gemini",
        "success",
        "",
    ),
    (
        r#"{"method":"thread/started","params":{"thread":{"id":"t"}}}"#,
        "codex",
        "truncated",
        "",
    ),
    (
        r#"{"type":"result","subtype":"success","result":"Hello"}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":false,"result":"Hello","session_id":"s"}"#,
        "claude",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"result","subtype":"error_max_turns"}"#,
        "claude",
        "turns",
        "",
    ),
    (
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}"#,
        "claude",
        "truncated",
        "Hello",
    ),
    (CLAUDE_CALL, "claude", "success", r#"{"ok":1}"#),
    (
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"Hello"}}"#,
        "codex",
        "truncated",
        "Hello",
    ),
    (
        "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Hello\"}}\n{\"type\":\"turn.completed\"}",
        "codex",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"turn.failed","error":{"message":"…"}}"#,
        "codex",
        "failed",
        "",
    ),
    (
        "{\"msg\":{\"type\":\"agent_message\",\"message\":\"Hello\"}}\n{\"msg\":{\"type\":\"task_complete\"}}",
        "codex",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"text","part":{"type":"text","text":"Hello"}}"#,
        "opencode",
        "truncated",
        "Hello",
    ),
    (
        r#"{"type":"assistant.message","data":{"content":"Hello"}}"#,
        "copilot",
        "truncated",
        "Hello",
    ),
    (
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}"#,
        "goose",
        "truncated",
        "Hello",
    ),
    (
        r#"{"role":"assistant","content":"Hello"}"#,
        "kimi",
        "success",
        "Hello",
    ),
];

const GEMINI: &str = r#"{"type":"init","session_id":"s1","model":"gemini-2.5-pro"}
{"type":"message","role":"user","content":"do it"}
{"type":"message","role":"assistant","content":"Hel","delta":true}
{"type":"tool_use","tool_name":"write_file","tool_id":"t1","parameters":{"file_path":"a.txt","content":"x"}}
{"type":"tool_result","tool_id":"t1","status":"success","output":"ok"}
not json at all
{"type": "mess
{"type":"message","role":"assistant","content":"lo","delta":true}
{"type":"error","severity":"warning","message":"Loop detected"}
{"type":"result","status":"success","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"duration_ms":1200}}"#;

/// What no command may take for an agent's.
const NONE: &[&str] = &[
    r#"{"level":"info","message":"started","timestamp":"2026-01-01T00:00:00Z"}"#,
    r#"{"type":"message","user":"U1","text":"hi"}"#,
    r#"{"type":"error","message":"boom"}"#,
    r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
    r#"{"messages":[{"role":"user","content":"hi"}]}"#,
    r#"{"trajectory":[{"role":"assistant","content":"hi"}]}"#,
    r#"{"role":"admin","name":"Ada"}"#,
    "{\"role\":\"system\",\"content\":\"be brief\"}\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"hello\"}",
    r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#,
    r#"{"type":"result","value":1}"#,
    r#"{"response":"ok"}"#,
    "Found:\n{\"type\":\"bug\",\"line\":3}\n{\"type\":\"nit\",\"line\":9}",
    "```json\n[{\"type\":\"bug\"},{\"type\":\"nit\"}]\n```",
];

#[test]
fn records_with_nothing_but_what_they_say_are_recognised() {
    assert_runs(BLOCKS);
}

#[test]
fn they_are_recognised_however_they_are_written() {
    for block in BLOCKS {
        let lines: Option<Vec<serde_json::Value>> = block
            .0
            .lines()
            .map(|line| serde_json::from_str(line).ok())
            .collect();
        let Some(records) = lines else { continue };
        let pretty = records.iter().map(|record| format!("{record:#}\n"));
        assert_run(&pretty.collect::<String>(), block);
        let prefixed = block.0.lines().map(|line| format!("app-1  | {line}\n"));
        assert_run(&prefixed.collect::<String>(), block);
        let apart = block
            .0
            .lines()
            .map(|line| format!("{line}\nsomething else\n"));
        assert_run(&apart.collect::<String>(), block);
        assert_run(&serde_json::to_string(&records).unwrap(), block);
        let sorted = records.iter().map(|record| format!("{}\n", sorted(record)));
        assert_run(&sorted.collect::<String>(), block);
    }
}

/// The same with the members of all objects in another order.
pub(super) fn sorted(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| b.0.cmp(a.0));
            let all = members
                .into_iter()
                .map(|(name, value)| (name.clone(), sorted(value)));
            serde_json::Value::Object(all.collect())
        }
        serde_json::Value::Array(all) => all.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[test]
fn any_two_records_of_a_stream_tell_whose_it_is() {
    let lines: Vec<&str> = GEMINI.lines().collect();
    let is_record = |line: &&str| line.ends_with('}');
    for start in 0..lines.len() {
        for end in start + 1..=lines.len() {
            let run = &lines[start..end];
            let records = run.iter().filter(|line| is_record(line)).count();
            let alone = records == 1 && (start < 1 || (2..5).contains(&start) || start == 7);
            if records < 2 && !(alone && is_record(&run[0])) {
                continue;
            }
            let (agent, outcome, _) = reported(&run.join("\n"));
            let ended = if end == lines.len() {
                Outcome::Success
            } else {
                Outcome::Truncated
            };
            assert_eq!(
                (agent.as_deref(), outcome),
                (Some("gemini"), ended),
                "{run:?}"
            );
        }
    }
    let ends = |end: &str| reported(&format!("{}\n{end}", lines[2])).1;
    assert_eq!(
        ends(r#"{"type":"result","status":"success"}"#),
        Outcome::Success
    );
    let failed = r#"{"type":"result","status":"error","error":{"type":"Error","message":"429"}}"#;
    assert_ne!(ends(failed), Outcome::Success);
}

#[test]
fn the_summary_of_a_stream_with_noise_is_whole() {
    let sessions = super::sessions(GEMINI);
    let session = sessions.current().unwrap();
    let usage = session.usage();
    assert_eq!(
        (usage.input, usage.output, usage.total),
        (Some(20), Some(10), Some(30))
    );
    let tools = session.files().unwrap();
    let paths: Vec<_> = tools
        .files()
        .iter()
        .map(|(path, _)| path.to_string_lossy())
        .collect();
    assert_eq!((paths, session.noise.broken), (vec!["a.txt".into()], 1));
}

#[test]
fn a_believed_agents_doubtful_shapes_count() {
    let gemini = || RecordReader::of(Agent::Gemini);
    let (agent, outcome, response) = reported_by(r#"{"response":"Hello"}"#, gemini());
    assert_eq!(
        (agent.as_deref(), outcome, &*response),
        (Some("gemini"), Outcome::Success, "Hello")
    );
    let (agent, outcome, _) = reported_by(r#"{"level":"info","msg":"x"}"#, gemini());
    assert_eq!((agent, outcome), (None, Outcome::None));
}

#[test]
fn what_other_programs_print_is_no_agents() {
    for input in NONE {
        assert_eq!(reported(input).1, Outcome::None, "{input}");
        let (codes, _) = codes(input);
        assert_eq!(codes[..2], [1, 1], "{input}");
    }
}

#[test]
fn the_payload_of_an_answer_is_its_json() {
    let fenced = r#"{"response":"Here:\n```json\n{\"a\":1}\n```","stats":null}"#;
    assert_eq!(codes(fenced), ([0, 0, 0], "{\"a\":1}\n".to_owned()));
    assert_eq!(codes(CLAUDE_CALL), ([0, 0, 0], "{\"ok\":1}\n".to_owned()));
    // What is not recognised is text.
    let (_, written) = codes(NONE[NONE.len() - 2]);
    assert_eq!(written, "{\"type\":\"bug\",\"line\":3}\n");
}

#[test]
fn error_bodies_of_apis_are_classed_alike_and_only_alone() {
    let bodies = [
        (
            r#"{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            11,
        ),
        (
            r#"{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}"#,
            16,
        ),
        (
            r#"{"object":"error","message":"no such model","type":"NotFoundError","param":null,"code":404}"#,
            16,
        ),
        (
            r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[],"result":null}"#,
            11,
        ),
    ];
    for (body, code) in bodies {
        assert_eq!(codes(body).0, [code; 3], "{body}");
        assert_eq!(reported(body).0, None);
        let alongside = format!("{{\"level\":\"info\",\"msg\":\"x\"}}\n{body}\n");
        assert_eq!(codes(&alongside).0[..2], [1, 1], "{alongside}");
        let after = format!("{body}\n{}", BLOCKS[0].0);
        assert_eq!(reported(&after).1, Outcome::Success);
    }
    for other in [
        r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}"#,
        r#"{"success":true,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[]}"#,
        r#"{"error":"401 Unauthorized"}"#,
        r#"{"type":"error","error":"4290 rate limit exceeded"}"#,
    ] {
        assert_eq!(codes(other).0, [1, 1, 0], "{other}");
    }
}

#[test]
fn a_record_of_a_stream_that_nobody_knows_is_never_the_answer() {
    let stream =
        "{\"event\":\"init\",\"x\":1}\n{\"event\":\"result\",\"result\":{\"response\":\"hi\"}}\n";
    assert_eq!(codes(stream), ([0, 0, 5], String::new()));
    assert_eq!(reported(stream), (None, Outcome::Success, "hi".to_owned()));
}
