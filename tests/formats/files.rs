//! The agent files that come with jsift.

use std::fs;
use std::path::Path;

use crate::picked::is_picked;
use crate::run::given;

/// A file and the samples of its agent's records in `frameworks/` or, if it prints one object, in `objects/`.
const SAMPLES: [(&str, &[&str]); 9] = [
    (
        "adk",
        &[
            "google-adk",
            "google-adk-pieces",
            "google-adk-failed",
            "google-adk-refused",
        ],
    ),
    ("agno", &["agno", "agno-failed"]),
    ("autogen", &["autogen", "autogen-team"]),
    ("dsh", &["dsh"]),
    ("mastracode", &["mastracode", "mastracode-failed"]),
    ("muse", &["muse"]),
    (
        "openai-agents",
        &[
            "openai-agents",
            "openai-agents-calls",
            "openai-agents-cut",
            "openai-agents-items",
        ],
    ),
    ("openclaw", &["openclaw"]),
    (
        "strands",
        &[
            "strands",
            "strands-calls",
            "strands-cut",
            "strands-messages",
        ],
    ),
];

/// What `summary --format json` says of a text, and its exit code.
fn summary(arguments: &[&str], text: &str) -> (i32, serde_json::Value) {
    let arguments = [&["summary", "--format", "json"], arguments].concat();
    let (written, _, code) = given(&arguments, text.as_bytes()).unwrap();
    (
        i32::from(code),
        serde_json::from_str(&written).unwrap_or_default(),
    )
}

#[test]
fn a_file_says_whose_the_records_are_and_changes_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(root.join("agents")).unwrap().count();
    assert_eq!(files, SAMPLES.len());
    for (name, samples) in SAMPLES {
        let file = root.join("agents").join(name).with_extension("toml");
        let lines = fs::read_to_string(&file).unwrap();
        let lines = lines
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert!(lines.count() <= 25, "{name}");
        for sample in samples {
            let path = root.join("tests/formats/frameworks").join(sample);
            let text = fs::read_to_string(path.with_extension("jsonl")).unwrap_or_else(|_| {
                let objects =
                    fs::read_to_string(root.join("tests/formats/objects/envelopes.jsonl"));
                objects.unwrap().lines().next().unwrap().to_owned()
            });
            let (code, by_shape) = summary(&[], &text);
            let (same, by_file) = summary(&["--agent-file", file.to_str().unwrap()], &text);
            assert_eq!(same, code, "{sample}");
            assert_eq!(by_file["agent"], name, "{sample}");
            let by_name = summary(&["--agent-file", name], &text);
            assert_eq!(by_name, (code, by_file.clone()), "{sample}");
            for key in ["outcome", "response", "usage", "tools"] {
                assert_eq!(by_file[key], by_shape[key], "{sample}: {key}");
            }
        }
    }
}

#[test]
fn a_file_takes_no_record_from_an_agent_that_is_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("agents/mastracode.toml");
    let mut recordings = super::recordings();
    recordings.retain(|recording| is_picked(recording.text.as_bytes()));
    assert!(recordings.len() > 15, "{}", recordings.len());
    for recording in recordings {
        let (code, alone) = summary(&[], &recording.text);
        let alongside = summary(&["--agent-file", file.to_str().unwrap()], &recording.text);
        assert_eq!(alongside, (code, alone), "{}", recording.name);
    }
}

/// The records of a known agent, with another name for their type, by a file: what a file can say is as much as what
/// the dialect says, but that the tokens that Gemini's total has beyond input and output are reasoning.
#[test]
fn a_file_says_as_much_of_a_stream_as_a_dialect() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("tests/formats/known/gemini.toml");
    let mut count = 0;
    for recording in super::recordings() {
        let is_stream = recording.name.contains("stream_json");
        if !is_stream || !recording.name.starts_with("gemini-") {
            continue;
        }
        let (code, mut by_dialect) = summary(&[], &recording.text);
        let usage = by_dialect["usage"].as_object_mut();
        usage.and_then(|usage| usage.remove("reasoning_tokens"));
        let renamed = recording.text.replace("{\"type\":\"", "{\"kind\":\"");
        let (same, by_file) = summary(&["--agent-file", file.to_str().unwrap()], &renamed);
        assert_eq!(same, code, "{}", recording.name);
        assert_eq!(by_file["agent"], "gemini-by-file", "{}", recording.name);
        let keys = [
            "outcome",
            "session_id",
            "model",
            "response",
            "assistant_text",
            "usage",
            "tools",
        ];
        for key in keys {
            assert_eq!(by_file[key], by_dialect[key], "{}: {key}", recording.name);
        }
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn a_file_reads_an_array_and_two_runs_like_a_dialect() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("tests/formats/known/gemini.toml");
    let run = |id: &str| {
        format!(
            r#"{{"kind":"init","session_id":"{id}","model":"m"}}
{{"kind":"tool_use","tool_name":"write_file","tool_id":"1","parameters":{{"file_path":"a"}}}}
{{"kind":"tool_result","tool_id":"1","status":"success"}}
{{"kind":"message","role":"assistant","content":"{{\"a\":1}}"}}
{{"kind":"result","status":"success"}}
"#
        )
    };
    let given = |command: &[&str], text: &str| {
        let arguments = [command, &["--agent-file", file.to_str().unwrap()]].concat();
        let (written, _, code) = given(&arguments, text.as_bytes()).unwrap();
        (i32::from(code), written)
    };
    let array = format!("[{}]", run("s1").trim().replace('\n', ","));
    let two = run("s1") + &run("s2");
    for text in [&run("s1"), &array, &two] {
        let payload = given(&["extract", "-p"], text);
        assert_eq!(payload, (0, "{\"a\":1}\n".to_owned()), "{text}");
        let (code, sessions) = given(&["summary", "--format", "json"], text);
        assert_eq!(code, 0, "{text}");
        for (session, id) in sessions.lines().zip(["s1", "s2"]) {
            let session: serde_json::Value = serde_json::from_str(session).unwrap();
            assert_eq!(session["session_id"], id);
            assert_eq!(session["response"], "{\"a\":1}");
            assert_eq!(session["tools"]["success"], 1);
        }
        assert_eq!(sessions.lines().count(), if *text == two { 2 } else { 1 });
    }
}
