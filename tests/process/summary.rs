//! Tests of `summary` that a case folder cannot express: outputs between delimiters that are never the same, what a
//! variable of the environment changes.

use assert_cmd::Command;
use predicates::prelude::*;

use crate::recordings;

const RUN: &str = r#"{"type":"init","timestamp":"t","session_id":"one","model":"auto"}
{"type":"message","timestamp":"t","role":"assistant","content":"Hello.\nresult=forged","delta":true}
{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3}}
"#;

fn outputs() -> String {
    let mut command = jsift(&["summary", "--github-output", "outcome,response"]);
    let assert = command.write_stdin(RUN).assert().success();
    printed(&assert.stderr(predicate::str::is_empty()))
}

#[test]
fn outputs_stand_between_delimiters_that_nobody_can_foresee() {
    let (one, two) = (outputs(), outputs());
    assert_ne!(one, two);
    let delimiter = one
        .lines()
        .next()
        .unwrap()
        .strip_prefix("outcome<<")
        .unwrap();
    assert!(delimiter.len() > 32, "{delimiter}");
    assert_eq!(
        one,
        format!(
            "outcome<<{delimiter}\nsuccess\n{delimiter}\nresponse<<{delimiter}\nHello.\nresult=forged\n{delimiter}\n"
        )
    );
}

/// Returns `count` runs of claude, each with its own id, that succeed.
fn runs(count: usize) -> String {
    let run = |id| {
        format!(
            r#"{{"type":"system","subtype":"init","session_id":"{id}","claude_code_version":"2.1.0","model":"m"}}
{{"type":"assistant","session_id":"{id}","message":{{"id":"m{id}","model":"m","content":[{{"type":"text","text":"Hi."}}]}}}}
{{"type":"result","subtype":"success","is_error":false,"session_id":"{id}","total_cost_usd":0.01,"result":"Hi."}}
"#
        )
    };
    (0..count).map(run).collect()
}

fn jsift(args: &[&str]) -> Command {
    Command::from_std(crate::jsift(args))
}

fn printed(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn outputs_of_several_sources_are_those_of_the_worst_session() {
    let folder = "tests/cases/summary-no-session-of-several";
    for files in [["run.jsonl", "auth.log"], ["auth.log", "run.jsonl"]] {
        let mut command = jsift(&["summary", "--github-output", "outcome"]);
        let assert = command.current_dir(folder).args(files).assert().code(11);
        let out = printed(&assert);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!((lines.len(), lines[1]), (3, "auth"), "{files:?}");
    }
}

#[test]
fn any_number_of_sessions_is_reported() {
    const MANY: usize = 2100;
    for (format, lines) in [("json", MANY), ("table", MANY + 3)] {
        let mut command = jsift(&["summary", "--format", format]);
        let assert = command.write_stdin(runs(MANY)).assert().success();
        let assert = assert.stderr(predicate::str::is_empty());
        assert_eq!(printed(&assert).lines().count(), lines, "{format}");
    }
}

#[test]
fn sessions_that_never_end_are_all_reported() {
    let init = |number| {
        format!(
            "{{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"{number}\",\"model\":\"m\"}}\n"
        )
    };
    let input: String = (0..2500).map(init).collect();
    let mut command = jsift(&["summary", "--format", "json"]);
    let assert = command.write_stdin(input).assert().code(4);
    let ids: std::collections::BTreeSet<String> = printed(&assert)
        .lines()
        .map(|line| line.split(',').nth(2).unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 2500);
}

#[test]
fn a_session_that_goes_on_after_its_report_is_noted() {
    let input = runs(600) + &runs(1);
    let mut command = jsift(&["summary", "--format", "json"]);
    let assert = command.write_stdin(input).assert().success();
    let assert = assert.stderr(predicate::str::contains(
        "jsift: <stdin>: note: a session went on after 256 others had begun",
    ));
    assert_eq!(printed(&assert).lines().count(), 601);
    // In time it is the same session.
    let input = runs(200) + &runs(1);
    let mut command = jsift(&["summary", "--format", "json"]);
    let assert = command.write_stdin(input).assert().success();
    let assert = assert.stderr(predicate::str::is_empty());
    assert_eq!(printed(&assert).lines().count(), 200);
}

#[test]
fn a_limit_that_is_exceeded_after_many_sessions_fails_the_run() {
    let costly = runs(1).replace("\"0\"", "\"x\"").replace("0.01", "9");
    for input in [
        costly.clone() + &runs(600),
        runs(300) + &costly + &runs(900),
    ] {
        let mut command = jsift(&["summary", "--format", "json", "--fail-on", "cost:5"]);
        let assert = command.write_stdin(input).assert().code(5);
        let assert = assert.stderr("jsift: <stdin>: limit exceeded: cost $9.00 > $5.00\n");
        let failed = |line: &&str| line.contains(r#""failed_on":["cost:5"]"#);
        assert_eq!(printed(&assert).lines().filter(failed).count(), 1);
    }
}

#[test]
fn sessions_that_a_page_has_no_room_for_are_said() {
    let mut command = jsift(&["summary", "--format", "html"]);
    let message = "jsift: <stdin>: too many sessions: 1000 of them are left out\n\
        jsift: hint: a page holds 2000 at most: split the input, or use another format\n";
    let assert = command.write_stdin(runs(2001)).assert().code(6);
    assert.stderr(predicate::str::contains(message));
}

/// Returns the arguments that name this recording.
fn recording(name: &str) -> String {
    format!("{}/tests/recordings/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn what_is_read_at_a_time_is_reported_in_order() {
    let mut recordings = recordings();
    recordings.sort();
    let some = recordings.iter().step_by(5);
    let mut files: Vec<String> = some.map(|path| path.display().to_string()).collect();
    // The requests of one file are repeated in another one, and a file is missing.
    let continued = "tests/cases/summary-continued";
    for name in ["first.jsonl", "missing", "second.jsonl", "first.jsonl"] {
        files.insert(files.len() / 2, format!("{continued}/{name}"));
    }
    for args in [
        &["summary", "--format", "json"][..],
        &["summary"],
        &["summary", "--format", "html"],
        &["events"],
        &["extract", "--all"],
        &["extract", "-v"],
    ] {
        let run = |jobs| {
            let mut command = jsift(args);
            command.args(["-j", jobs]).args(&files);
            command.output().unwrap()
        };
        let one = run("1");
        assert_eq!(run("3"), one, "{args:?}");
    }
}

#[test]
fn the_report_of_a_failed_run_is_written_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.html");
    let file = path.to_str().unwrap();
    let quota = recording("claude-2.1.330/disk_err429/stream");
    for (args, code) in [
        (vec!["summary", "--format", "html", &quota], 12),
        (vec!["summary", "--fail-on", "tokens:1"], 5),
        (vec!["summary", "--format", "json"], 0),
    ] {
        std::fs::write(file, "before").unwrap();
        let mut command = jsift(&args);
        let assert = command.args(["-o", file]).write_stdin(RUN).assert();
        let assert = assert.code(code).stdout("");
        let errors = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(!errors.contains("left as it was"), "{errors}");
        assert_ne!(std::fs::read_to_string(file).unwrap(), "before");
    }
    for (args, code) in [
        (vec!["summary", "no-such-file"], 2),
        (vec!["summary", "--max-document", "10"], 6),
        (vec!["extract", "-p", &quota], 12),
        (vec!["events", &quota], 12),
    ] {
        std::fs::write(file, "before").unwrap();
        let mut command = jsift(&args);
        let assert = command.args(["-o", file]).write_stdin(RUN).assert();
        let note = format!("jsift: {file}: note: left as it was: the exit code is {code}\n");
        assert.code(code).stderr(predicate::str::contains(note));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "before");
    }
}

#[test]
fn all_reports_of_a_run_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut command = jsift(&[
        "summary",
        "--fail-on",
        "tokens:10,no-files",
        "--github-output",
        "outcome,failed_on",
        "--structural",
    ]);
    for format in ["text", "json", "table", "markdown", "github", "html"] {
        command.args(["--report", &format!("{format}={}", path(format))]);
    }
    let assert = command.write_stdin(RUN).assert().code(5);
    let out = printed(&assert);
    assert!(out.contains("\nmismatch\n"), "{out}");
    assert!(out.contains("\n[\"tokens:10\",\"no-files\"]\n"), "{out}");
    for (format, said) in [
        ("text", "limit exceeded: tokens 12 > 10; no file written\n"),
        ("json", r#""failed_on":["tokens:10","no-files"]"#),
        ("table", "  limit exceeded  "),
        (
            "markdown",
            "### ❌ gemini: limit exceeded\n\n`tokens 12 > 10; no file written`\n",
        ),
        (
            "github",
            "::error title=gemini%3A limit exceeded::tokens 12 > 10; no file written\n",
        ),
        ("html", "</span> limit exceeded</p>"),
    ] {
        let report = std::fs::read_to_string(path(format)).unwrap();
        assert!(report.contains(said), "{format}: {report}");
        assert!(!report.contains("Hello."), "{format}: {report}");
    }
}
