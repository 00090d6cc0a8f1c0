//! Calls of tools, their results and their lists of things to do.

use super::*;

#[test]
fn an_edit_is_shown_with_its_lines_if_that_is_wanted() {
    let edit = call(
        1,
        "1",
        "replace",
        r#"{"file_path":"a.rs","old_string":"fn a() {\n    one\n}","new_string":"fn a() {\n    two, which is a long line that does not fit\n}"}"#,
    );
    let done = result(2, "1", SUCCESS);
    let failed = result(2, "1", r#""status":"error""#);
    let verbose = |verbose| ViewOptions {
        terminal: true,
        verbose,
        ..ViewOptions::default()
    };
    let shown = |options, result: &str| lines(options, Some(40), &[INIT, &edit, result]);
    let change = "\u{20}0:01 → replace a.rs ✓ +1 -1 1.5 s
          fn a() {
        -     one
        +     two, which is a long line…
          }
";
    let seen = shown(verbose(true), &done);
    assert!(seen.contains(change), "{seen}");
    assert!(!shown(verbose(false), &done).contains("fn a()"));
    assert!(!shown(verbose(true), &failed).contains("fn a()"));
    let colored = ViewOptions {
        color: true,
        ..verbose(true)
    };
    let seen = shown(colored, &done);
    assert!(seen.contains("\x1b[31m-     one\x1b[0m\n"), "{seen:?}");
    assert!(seen.contains("\x1b[32m+     two, "), "{seen:?}");
}

#[test]
fn a_change_that_is_too_large_to_show_is_counted() {
    let content = serde_json::to_string(&"line\n".repeat(30)).unwrap();
    let parameters = format!(r#"{{"file_path":"a","content":{content}}}"#);
    let write = call(1, "1", "write_file", &parameters);
    let options = ViewOptions {
        verbose: true,
        ..ViewOptions::default()
    };
    let shown = lines(options, None, &[INIT, &write, &result(2, "1", SUCCESS)]);
    assert_eq!(shown.matches("        + line\n").count(), 20, "{shown}");
    assert!(shown.contains("        … 10 more lines\n"), "{shown}");
}

#[test]
fn a_duration_is_the_one_that_the_agent_states() {
    let tool = r#"{"type":"tool_use","timestamp":1764583205000,"sessionID":"ses_1","part":{"type":"tool","tool":"bash","callID":"1","state":{"status":"completed","input":{"command":"make"},"output":"","metadata":{"exit":0},"time":{"start":1764583201000,"end":1764583204500}}}}"#;
    let shown = lines(ViewOptions::default(), None, &[tool]);
    assert!(shown.contains("→ bash make ✓ 3.5 s\n"), "{shown}");
}

#[test]
fn an_exit_code_is_shown_that_is_not_0() {
    let ended = |exit: &str| {
        let tool = r#"{"type":"tool_use","timestamp":1764583205000,"sessionID":"ses_1","part":{"type":"tool","tool":"bash","callID":"1","state":{"status":"completed","input":{"command":"make"},"output":"","metadata":{"exit":CODE},"time":{"start":1764583201000,"end":1764583204500}}}}"#;
        lines(ViewOptions::default(), None, &[&tool.replace("CODE", exit)])
    };
    assert!(ended("2").contains("→ bash make ✓ exit 2 3.5 s\n"));
    assert!(ended("0").contains("→ bash make ✓ 3.5 s\n"));
    let failed = r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"make","aggregated_output":"","exit_code":3,"status":"failed"}}"#;
    let shown = lines(ViewOptions::default(), None, &[failed]);
    assert!(shown.contains(" make ✗ exit 3\n"), "{shown}");
}

#[test]
fn a_list_of_things_to_do_is_shown_without_its_result() {
    let todos = call(
        1,
        "1",
        "write_todos",
        r#"{"todos":[{"description":"read","status":"completed"},{"description":"write","status":"in_progress"},{"description":"test","status":"pending"}]}"#,
    );
    let ascii = ViewOptions {
        ascii: true,
        ..ViewOptions::default()
    };
    let shown = lines(ascii, None, &[INIT, &todos, &result(1, "1", SUCCESS), DONE]);
    assert_eq!(
        shown,
        "\u{20}0:00 # gemini auto
 0:01 > write_todos
        [x] read
        [~] write
        [ ] test
 1:02 ok success - 62 s, 9 tokens
"
    );
}

#[test]
fn a_list_that_no_call_sets_is_shown_when_it_changes() {
    const RECORDS: [&str; 6] = [
        r#"{"type":"thread.started","thread_id":"1"}"#,
        r#"{"type":"item.started","item":{"id":"1","type":"todo_list","items":[{"text":"read","completed":false}]}}"#,
        r#"{"type":"item.updated","item":{"id":"1","type":"todo_list","items":[{"text":"read","completed":true}]}}"#,
        r#"{"type":"item.completed","item":{"id":"1","type":"todo_list","items":[{"text":"read","completed":true}]}}"#,
        r#"{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"Read."}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#,
    ];
    let shown = lines(ViewOptions::default(), None, &RECORDS);
    let want = "\u{20}0:00 ◆ codex
 0:00 → todo_list
        ☐ read
 0:00 → todo_list
        ☑ read
 0:00 ● Read.
 0:00 ✓ success · 2 tokens
";
    assert_eq!(shown, want);
    let plan = r#"{"id":"0","msg":{"type":"plan_update","explanation":null,"plan":[{"step":"a","status":"in_progress"}]}}"#;
    let shown = lines(ViewOptions::default(), None, &[plan]);
    assert!(shown.contains("→ plan_update\n        ◐ a\n"), "{shown}");
}

/// Records of Claude Code: an init in a folder, and calls with their results.
fn in_folder(calls: &[(&str, &str, Result<&str, &str>)]) -> Vec<String> {
    let mut records = vec![
        r#"{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2","cwd":"/home/me/demo"}"#.to_owned(),
    ];
    for (id, (tool, input, result)) in calls.iter().enumerate() {
        records.push(format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"id":"m{id}","model":"m","content":[{{"type":"tool_use","id":"t{id}","name":"{tool}","input":{input}}}]}}}}"#
        ));
        let (text, failed) = match result {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        let text = serde_json::to_string(text).unwrap();
        records.push(format!(
            r#"{{"type":"user","session_id":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","is_error":{failed},"content":{text}}}]}}}}"#
        ));
    }
    records
}

#[test]
fn paths_and_commands_are_seen_from_the_folder_of_the_run() {
    let records = in_folder(&[
        (
            "Write",
            r#"{"file_path":"/home/me/demo/src/a.rs","content":"x"}"#,
            Ok("ok"),
        ),
        ("Read", r#"{"file_path":"/home/me/demos/a.rs"}"#, Ok("ok")),
        (
            "Bash",
            r##"{"command":"#!/bin/sh\nset -eu\ncd /home/me/demo\ncargo test --lib\necho done"}"##,
            Ok("ok"),
        ),
        (
            "Bash",
            r#"{"command":"cd /home/me/demo && make"}"#,
            Ok("ok"),
        ),
    ]);
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    let shown = lines(ViewOptions::default(), None, &records);
    let after: Vec<&str> = shown.lines().skip(1).take(4).collect();
    assert_eq!(
        after,
        [
            " 0:00 → Write src/a.rs ✓",
            " 0:00 → Read /home/me/demos/a.rs ✓",
            " 0:00 → Bash cargo test --lib… ✓",
            " 0:00 → Bash make ✓",
        ]
    );
}

#[test]
fn of_a_command_that_failed_the_end_is_shown_and_of_denials_one() {
    let denied = "Claude requested permissions to use WebFetch, but you haven't granted it yet.";
    let records = in_folder(&[
        (
            "Bash",
            r#"{"command":"make"}"#,
            Err(
                "Exit code 2\ncc -c a.c\ncc -c b.c\ncc -c c.c\n\nc.c:1: error: no\nmake: *** [c.o] Error 1\n",
            ),
        ),
        (
            "Edit",
            r#"{"file_path":"a","old_string":"x","new_string":"y"}"#,
            Err("<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>"),
        ),
        ("WebFetch", r#"{"url":"https://a"}"#, Err(denied)),
        ("WebFetch", r#"{"url":"https://b"}"#, Err(denied)),
    ]);
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    let shown = lines(ViewOptions::default(), None, &records);
    let want = " 0:00 → Bash make ✗ exit 2
        cc -c c.c
        c.c:1: error: no
        make: *** [c.o] Error 1
 0:00 → Edit a ✗
        String to replace not found in file.
        String: x
 0:00 → WebFetch https://a ✗ denied
        Claude requested permissions to use WebFetch, but you haven't granted it yet.
 0:00 → WebFetch https://b ✗ denied
";
    assert!(shown.contains(want), "{shown}");
}
