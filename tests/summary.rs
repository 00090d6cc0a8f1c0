//! What a folder of a case cannot say about `summary`: outputs between delimiters that are never the same.

#![allow(clippy::unwrap_used, clippy::expect_used)]

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
