//! Tests of `events` that a case folder cannot express: when things are written, and where to.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::thread;

use crate::jsift;

const INIT: &str =
    r#"{"type":"init","timestamp":"2026-11-21T20:58:21.273Z","session_id":"one","model":"auto"}"#;
const HELLO: &str = r#"{"type":"message","timestamp":"2026-11-21T20:58:21.647Z","role":"assistant","content":"Hello.","delta":true}"#;
const DONE: &str = r#"{"type":"result","timestamp":"2026-11-21T20:58:23.617Z","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3,"duration_ms":2345}}"#;

fn events(args: &[&str]) -> Child {
    let mut command = jsift(&[&["events"], args].concat());
    command.env("LANG", "C.UTF-8").spawn().unwrap()
}

/// So many bytes, before anything after them is there.
fn next(from: &mut impl Read, length: usize) -> String {
    let mut text = vec![0; length];
    from.read_exact(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn rest(mut from: impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn an_event_is_written_before_the_next_record_is_waited_for() {
    let mut child = events(&[]);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for (record, phase) in [(INIT, "init"), (HELLO, "assistant"), (DONE, "complete")] {
        writeln!(stdin, "{record}").unwrap();
        let line = lines.next().unwrap().unwrap();
        assert!(
            line.starts_with(&format!(r#"{{"phase":"{phase}""#)),
            "{line}"
        );
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_step_is_seen_before_it_is_done() {
    let call = r#"{"type":"tool_use","timestamp":"2026-11-21T20:58:22.000Z","tool_name":"run_shell_command","tool_id":"1","parameters":{"command":"make"}}"#;
    let result = r#"{"type":"tool_result","timestamp":"2026-11-21T20:58:23.000Z","tool_id":"1","status":"success"}"#;
    let mut child = events(&["--format", "text"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    writeln!(stdin, "{INIT}\n{call}").unwrap();
    let begun = " 0:00 ◆ gemini auto\n 0:00 → run_shell_command make";
    assert_eq!(next(&mut stdout, begun.len()), begun);
    writeln!(stdin, "{result}\n{DONE}").unwrap();
    drop(stdin);
    assert_eq!(
        rest(stdout),
        " ✓ 1.0 s\n 0:02 ✓ success · 2.3 s, 12 tokens\n"
    );
    assert!(child.wait().unwrap().success());
}

#[test]
fn text_is_seen_as_it_comes() {
    let mut child = events(&["--format", "text"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    writeln!(stdin, "{INIT}\n{HELLO}").unwrap();
    let begun = " 0:00 ◆ gemini auto\n 0:00 ● Hello.";
    assert_eq!(next(&mut stdout, begun.len()), begun);
    drop(stdin);
    assert!(rest(stdout).starts_with('\n'));
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn a_stream_that_takes_many_reads_is_followed_to_its_end() {
    let mut child = events(&[]);
    let mut stdin = child.stdin.take().unwrap();
    let deltas = format!("{HELLO}\n").repeat(5000);
    let fed = thread::spawn(move || writeln!(stdin, "{INIT}\n{deltas}{DONE}"));
    let reported = rest(child.stdout.take().unwrap());
    fed.join().unwrap().unwrap();
    assert_eq!(reported.lines().count(), 5002);
    let last = reported.lines().last().unwrap();
    assert!(last.starts_with(r#"{"phase":"complete","status":"success""#));
    assert!(last.ends_with(r#""agent":"gemini","line":5002}"#), "{last}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_producer_that_never_rests_is_given_up_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, format!("{INIT}\n")).unwrap();
    // A file is never waited for.
    let child = events(&["--timeout", "0.000001", path.to_str().unwrap()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.ends_with(": no end after 0.000001 seconds\n"),
        "{stderr}"
    );
}

#[test]
fn a_silent_stream_is_given_up_and_the_last_event_says_so() {
    let mut child = events(&["--idle-timeout", "0.2"]);
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{INIT}\n{HELLO}\n{DONE}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let last = stdout.lines().last().unwrap();
    assert_eq!(
        last,
        r#"{"phase":"complete","status":"error","label":"limit","progress":1.0,"agent":"gemini","line":3}"#
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "jsift: <stdin>: nothing arrived for 0.2 seconds\n");
    drop(stdin);
}

#[test]
fn an_agent_that_hangs_after_its_result_is_not_waited_for() {
    let mut child = events(&["--until-result", "--final"]);
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{INIT}\n{HELLO}\n{DONE}").unwrap();
    assert_eq!(rest(child.stdout.take().unwrap()), "Hello.\n");
    assert!(child.wait().unwrap().success());
    let progress = rest(child.stderr.take().unwrap());
    assert!(progress.contains("● Hello.\n"), "{progress}");
    drop(stdin);
}

#[test]
fn an_answer_goes_nowhere_if_quiet() {
    let mut child = events(&["--final", "--quiet"]);
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{INIT}\n{HELLO}\n{DONE}").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}
