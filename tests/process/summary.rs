//! What a folder of a case cannot say about `summary`: outputs between delimiters that are never the same, what a
//! variable of the environment changes.

use assert_cmd::Command;
use predicates::prelude::*;

const RUN: &str = r#"{"type":"init","timestamp":"t","session_id":"one","model":"auto"}
{"type":"message","timestamp":"t","role":"assistant","content":"Hello.\nresult=forged","delta":true}
{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3}}
"#;

fn outputs() -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
    command
        .env_clear()
        .args(["summary", "--github-output", "outcome,response"]);
    let assert = command.write_stdin(RUN).assert().success();
    let assert = assert.stderr(predicate::str::is_empty());
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
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

#[test]
fn sessions_that_are_left_out_are_said() {
    let init = |number| {
        format!(
            "{{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"{number}\",\"model\":\"m\"}}\n"
        )
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
    command.env_clear().args(["summary", "--format", "json"]);
    let input: String = (0..2001).map(init).collect();
    let message = "jsift: <stdin>: too many sessions: 1000 of them are left out\n\
        jsift: hint: a report holds 2000 at most: split the input\n";
    let assert = command.write_stdin(input).assert().code(6);
    let assert = assert.stderr(predicate::str::contains(message));
    let out = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(out.lines().count(), 1001);
}

#[test]
fn what_is_shown_in_a_ci_job_holds_no_commands() {
    let run = RUN.replace("result=forged", "::error::forged ##[error]forged");
    let shown = |args: &[&str], variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
        command.env_clear().env(variable, "true").args(args);
        let output = command.write_stdin(&*run).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let commands = |text: &str| {
        let commands = text
            .lines()
            .filter(|line| line.trim_start().starts_with("::"));
        commands.count() + text.matches("##[").count()
    };
    for args in [
        &["summary"][..],
        &["summary", "--format", "markdown"],
        &["events", "--format", "text"],
        &["extract", "--type", "null"],
    ] {
        assert_eq!(commands(&shown(args, "GITHUB_ACTIONS")), 0, "{args:?}");
        assert_eq!(commands(&shown(args, "TF_BUILD")), 0, "{args:?}");
    }
    assert_eq!(commands(&shown(&["summary"], "A")), 2);
    assert_eq!(commands(&shown(&["summary", "--response"], "TF_BUILD")), 2);
}

#[test]
fn records_in_doubt_are_held_up_to_a_bound() {
    let end = r#"{"type":"end","stopReason":"EndTurn","sessionId":"s","requestId":"r"}"#;
    let few = r#"{"type":"text","data":"a"}"#.to_owned() + "\n";
    let large = format!(
        "{{\"type\":\"text\",\"data\":\"{}\"}}\n",
        "a".repeat(400_000)
    );
    // 64 of them, or a mebibyte: beyond that the older half is noise.
    for (record, count, noise) in [(few, 100, 66), (large, 5, 4)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
        command.env_clear().args(["summary", "--format", "json"]);
        let assert = command.write_stdin(record.repeat(count) + end).assert();
        let lines = format!(r#""noise":{{"lines":{noise},"#);
        assert.success().stdout(predicate::str::contains(lines));
    }
}
