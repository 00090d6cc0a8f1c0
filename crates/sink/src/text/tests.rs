//! Events of real recordings, and attacks in them, as lines.

mod calls;

use super::*;
use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::{FoundRecord, RecordReader, StatedRecord, Taken};
use jsift_agents::event::Progress as Events;
use jsift_json::view::Value;

const INIT: &str =
    r#"{"type":"init","timestamp":"2025-12-01T10:00:00.000Z","session_id":"s","model":"auto"}"#;
const PROMPT: &str =
    r#"{"type":"message","timestamp":"2025-12-01T10:00:00.000Z","role":"user","content":"go on"}"#;
const DONE: &str = r#"{"type":"result","timestamp":"2025-12-01T10:01:02.000Z","status":"success","stats":{"total_tokens":9,"input_tokens":5,"output_tokens":3,"duration_ms":62000}}"#;

fn lines(options: ViewOptions, width: Option<usize>, records: &[&str]) -> String {
    let mut view = View::new(options, None);
    view.set_width(width);
    let mut events = Events::default();
    let mut reader = RecordReader::default();
    let mut out = Vec::new();
    for (line, record) in (1..).zip(records) {
        let mut follow = |stated: StatedRecord<'_>| {
            let line = &|| line;
            events.record(StatedRecord { line, ..stated }, &mut |event: &Event<'_>| {
                view.event(event, Duration::ZERO, &mut out);
            });
        };
        let document = Value::new(record.as_bytes());
        let taken = reader.read(document, FoundRecord::ALONE, &mut follow);
        assert_eq!(taken, Taken::Reported, "{record}");
    }
    events.finish(&mut |event: &Event<'_>| view.event(event, Duration::ZERO, &mut out));
    view.end_line(&mut out);
    String::from_utf8(out).unwrap()
}

fn said(second: u8, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        r#"{{"type":"message","timestamp":"2025-12-01T10:00:{second:02}.000Z","role":"assistant","content":{text},"delta":true}}"#
    )
}

fn call(second: u8, id: &str, tool: &str, parameters: &str) -> String {
    format!(
        r#"{{"type":"tool_use","timestamp":"2025-12-01T10:00:{second:02}.000Z","tool_name":"{tool}","tool_id":"{id}","parameters":{parameters}}}"#
    )
}

fn result(second: u8, id: &str, rest: &str) -> String {
    format!(
        r#"{{"type":"tool_result","timestamp":"2025-12-01T10:00:{second:02}.500Z","tool_id":"{id}",{rest}}}"#
    )
}

const SUCCESS: &str = r#""status":"success","output":"fine""#;
const DENIED: &str = r#""status":"error","error":{"type":"policy_violation","message":"Tool execution denied by policy."}"#;

#[test]
fn a_step_is_a_line() {
    let shell = call(
        3,
        "1",
        "run_shell_command",
        r#"{"command":"cargo test\ncargo doc","description":"Test"}"#,
    );
    let shown = lines(
        ViewOptions::default(),
        None,
        &[
            INIT,
            PROMPT,
            &said(1, "I will "),
            &said(2, "look.\n"),
            &shell,
            &result(7, "1", SUCCESS),
            &call(
                8,
                "2",
                "write_file",
                r#"{"file_path":"src/a.rs","content":"x\n"}"#,
            ),
            &result(8, "2", DENIED),
            &said(9, "Done."),
            DONE,
        ],
    );
    let want = "\u{20}0:00 ◆ gemini auto
 0:00 › go on
 0:01 ● I will look.
 0:03 → run_shell_command cargo test… ✓ 4.5 s
 0:08 → write_file src/a.rs ✗ denied 0.5 s
        Tool execution denied by policy.
 0:09 ● Done.
 1:02 ✓ success · 62 s, 2 tool calls (1 denied), 9 tokens
";
    assert_eq!(shown, want);
}

#[test]
fn results_that_come_later_have_their_own_line() {
    let shown = lines(
        ViewOptions::default(),
        None,
        &[
            INIT,
            &call(1, "1", "read_file", r#"{"file_path":"a"}"#),
            &call(1, "2", "write_file", r#"{"file_path":"b","content":"x"}"#),
            &result(2, "1", SUCCESS),
            &result(3, "2", SUCCESS),
            DONE,
        ],
    );
    let after: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        after,
        [
            " 0:01 → read_file a",
            " 0:01 → write_file b",
            " 0:02 ← read_file a ✓ 1.5 s",
            " 0:03 ← write_file b ✓ 2.5 s",
            " 1:02 ✓ success · 62 s, 9 tokens · 1 file: b",
        ]
    );
}

#[test]
fn an_error_is_shown_with_what_it_says_and_once() {
    let shell = call(3, "1", "run_shell_command", r#"{"command":"make"}"#);
    let failed = result(
        3,
        "1",
        r#""status":"error","error":{"type":"x","message":"Exit code 2\n\n  one\ntwo\nthree"}"#,
    );
    let error = r#"{"type":"error","timestamp":"t","severity":"error","message":"no more"}"#;
    let options = ViewOptions::default();
    let again = call(3, "2", "run_shell_command", r#"{"command":"make"}"#);
    let shown = lines(
        options,
        None,
        &[INIT, &shell, &failed, error, error, &again],
    );
    let want = " ✗ exit 2 0.5 s
        one
        two
        three
 0:03 ! warning: no more
 0:03 → run_shell_command make
";
    assert!(shown.contains(want), "{shown}");
}

#[test]
fn of_other_records_those_of_unknown_types_are_shown_if_wanted() {
    const RECORDS: [&str; 3] = [
        r#"{"type":"thread.started","thread_id":"1"}"#,
        r#"{"type":"item.updated","item":{"id":"1","type":"todo_list","items":[]}}"#,
        r#"{"type":"item.dreamt","item":{"id":"1"}}"#,
    ];
    let verbose = ViewOptions {
        verbose: true,
        ..ViewOptions::default()
    };
    let shown = lines(verbose, None, &RECORDS);
    assert_eq!(shown.matches(" · ").count(), 1, "{shown}");
    assert!(!lines(ViewOptions::default(), None, &RECORDS).contains(" · "));
}

#[test]
fn a_stream_that_breaks_off_ends_its_line() {
    let shell = call(3, "1", "run_shell_command", r#"{"command":"sleep 99"}"#);
    let shown = lines(ViewOptions::default(), None, &[INIT, &shell]);
    assert!(
        shown.ends_with("run_shell_command sleep 99\n 0:03 ✗ truncated\n"),
        "{shown}"
    );
}

#[test]
fn a_terminal_gets_lines_of_its_width() {
    let options = ViewOptions {
        terminal: true,
        ..ViewOptions::default()
    };
    let words = "several words ".repeat(20);
    let shell = call(
        3,
        "1",
        "run_shell_command",
        r#"{"command":"0123456789 0123456789 0123456789 0123456789"}"#,
    );
    let shown = lines(
        options,
        Some(60),
        &[
            INIT,
            &said(1, &words),
            &shell,
            &result(7, "1", DENIED),
            DONE,
        ],
    );
    assert!(
        shown.lines().all(|line| line.chars().count() <= 60),
        "{shown}"
    );
    assert!(
        shown.contains("\n        several") || shown.contains("\n        words"),
        "{shown}"
    );
    assert!(shown.contains("… ✗ denied 4.5 s\n"), "{shown}");
}

#[test]
fn nothing_from_the_input_steers_a_terminal_or_a_runner() {
    const EVIL: &str = "\x1b]52;c;QQ==\x07\x1b[2J\u{9b}31m\u{202e}\u{200b}\r\n::error::x\n  ::add-mask::y\n##[error]z ##vso[task.x]";
    let quoted = serde_json::to_string(EVIL).unwrap();
    let options = ViewOptions {
        ci: true,
        verbose: true,
        ..ViewOptions::default()
    };
    let evil = |template: &str| template.replace("EVIL", &quoted);
    let records = [
        evil(r#"{"type":"init","timestamp":"t","session_id":EVIL,"model":EVIL}"#),
        evil(r#"{"type":"message","timestamp":"t","role":"user","content":EVIL}"#),
        evil(
            r#"{"type":"message","timestamp":"t","role":"assistant","content":EVIL,"delta":true}"#,
        ),
        evil(
            r#"{"type":"tool_use","timestamp":"t","tool_name":EVIL,"tool_id":EVIL,"parameters":{"command":EVIL}}"#,
        ),
        evil(
            r#"{"type":"tool_result","timestamp":"t","tool_id":EVIL,"status":"error","error":{"type":"x","message":EVIL}}"#,
        ),
        evil(
            r#"{"type":"tool_use","timestamp":"t","tool_name":"w","tool_id":"2","parameters":{"todos":[{"content":EVIL}],"file_path":EVIL}}"#,
        ),
        evil(
            r#"{"type":"tool_use","timestamp":"t","tool_name":"replace","tool_id":"3","parameters":{"file_path":"a","old_string":EVIL,"new_string":""}}"#,
        ),
        evil(r#"{"type":"tool_result","timestamp":"t","tool_id":"3","status":"success"}"#),
        evil(r#"{"type":"error","timestamp":"t","severity":"error","message":EVIL}"#),
        evil(r#"{"type":EVIL,"timestamp":"t"}"#),
    ];
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    for width in [None, Some(20), Some(33), Some(80)] {
        let shown = lines(
            ViewOptions {
                terminal: true,
                ..options
            },
            width,
            &records,
        );
        assert!(shown.contains("\n        - "), "{shown}");
        assert!(
            shown
                .chars()
                .all(|c| c == '\n' || !crate::sanitize::is_hidden(c)),
            "{shown:?}"
        );
        assert!(
            !shown.contains("##[") && !shown.contains("##vso["),
            "{shown}"
        );
        assert!(
            shown
                .lines()
                .all(|line| !line.trim_start().starts_with("::")),
            "{shown}"
        );
    }
}

#[test]
fn colour_is_only_where_it_was_asked_for() {
    let plain = lines(
        ViewOptions::default(),
        None,
        &[INIT, &said(1, "Hello."), DONE],
    );
    let colored = ViewOptions {
        color: true,
        ..ViewOptions::default()
    };
    let colored = lines(colored, None, &[INIT, &said(1, "Hello."), DONE]);
    assert!(
        !plain.contains('\x1b') && colored.contains("\x1b[36m● \x1b[0m"),
        "{colored:?}"
    );
}

#[test]
fn subagents_are_indented_and_do_not_mix_with_the_main_thread() {
    fn event<'a>(parent: Option<&'a Text<'a>>, text: &'a Text<'a>) -> Event<'a> {
        Event {
            phase: Phase::Assistant,
            status: Some(Status::Stream),
            label: None,
            message: Some(text),
            detail: None,
            path: None,
            done: false,
            usage: None,
            timestamp: None,
            agent: Some(Agent::Claude),
            parent,
            prefix: None,
            session: 0,
            step: Some(u64::from(parent.is_some())),
            parent_step: None,
            line: None,
            raw: None,
            change: None,
            took: None,
            exit_code: None,
            todos: None,
            unknown: false,
            folder: None,
            warns: false,
        }
    }
    let mut view = View::new(ViewOptions::default(), None);
    let mut out = Vec::new();
    for (parent, text) in [
        (None, "Main "),
        (None, "speaks.\nStill."),
        (Some("task"), "The helper\n"),
        (Some("task"), "speaks."),
        (None, "Main again."),
    ] {
        let (parent, text) = (parent.map(Text::from), Text::from(text));
        let event = event(parent.as_ref(), &text);
        view.event(&event, Duration::from_secs(61), &mut out);
    }
    view.end_line(&mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\u{20}1:01 ● Main speaks.
        Still.
 1:01   ● The helper
          speaks.
 1:01 ● Main again.
"
    );
}

#[test]
fn thoughts_are_reported_once_and_shown_if_that_is_wanted() {
    const RECORDS: [&str; 4] = [
        r#"{"type":"thread.started","thread_id":"1"}"#,
        r#"{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"First this."}}"#,
        r#"{"type":"item.completed","item":{"id":"1","type":"reasoning","text":"Then that."}}"#,
        r#"{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"Done."}}"#,
    ];
    let verbose = ViewOptions {
        verbose: true,
        ..ViewOptions::default()
    };
    let shown = lines(ViewOptions::default(), None, &RECORDS);
    let (reported, said) = (" 0:00 ✻ thinking\n", " 0:00 ● Done.\n");
    assert!(shown.contains(&format!("{reported}{said}")), "{shown}");
    assert_eq!(shown.matches("thinking").count(), 1, "{shown}");
    let shown = lines(verbose, None, &RECORDS);
    let thoughts = " 0:00 ✻ First this.\n 0:00 ✻ Then that.\n";
    assert!(shown.contains(&format!("{thoughts}{said}")), "{shown}");
}

#[test]
fn further_files_and_retries_have_their_lines() {
    const RETRY: &str = r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion)"}"#;
    const CHANGE: &str = r#"{"type":"item.completed","item":{"id":"1","type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"},{"path":"a","kind":"update"}],"status":"completed"}}"#;
    const DONE: &str = r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}"#;
    let start = r#"{"type":"thread.started","thread_id":"1"}"#;
    let shown = lines(
        ViewOptions::default(),
        None,
        &[
            start,
            RETRY,
            CHANGE,
            &CHANGE.replace("\"1\"", "\"2\""),
            DONE,
        ],
    );
    assert!(
        shown.contains(" 0:00 ↻ retry network: Reconnecting"),
        "{shown}"
    );
    assert_eq!(shown.matches(" 0:00 ✎ b update\n").count(), 2, "{shown}");
    assert!(shown.ends_with(" · 2 files: a, b\n"), "{shown}");
}

#[test]
fn of_many_files_some_are_named() {
    let changes = (0..11).map(|at| format!(r#"{{"path":"f{at}","kind":"add"}}"#));
    let changes = changes.collect::<Vec<_>>().join(",");
    let change = format!(
        r#"{{"type":"item.completed","item":{{"id":"1","type":"file_change","changes":[{changes}],"status":"completed"}}}}"#
    );
    let shown = lines(ViewOptions::default(), None, &[&change]);
    assert!(shown.contains(" · 11 files: f0, f1, "), "{shown}");
    assert!(shown.ends_with(", f9, …\n"), "{shown}");
}

#[test]
fn of_a_long_message_of_an_error_the_beginning_is_shown() {
    let error = format!(
        r#"{{"type":"error","timestamp":"t","severity":"error","message":"x{}"}}"#,
        "é".repeat(1000)
    );
    let shown = lines(ViewOptions::default(), None, &[INIT, &error]);
    let long = format!(": x{}…\n", "é".repeat(499));
    assert!(shown.contains(&long), "{shown}");
}

#[test]
fn a_word_may_be_as_long_as_it_is() {
    let word = "x".repeat(10_000);
    for width in [None, Some(80)] {
        let shown = lines(ViewOptions::default(), width, &[INIT, &said(1, &word)]);
        assert_eq!(shown.matches('x').count(), 10_000);
    }
}

#[test]
fn a_warning_that_a_run_goes_on_from_is_no_failure() {
    const RECORDS: [&str; 4] = [
        r#"{"type":"thread.started","thread_id":"1"}"#,
        r#"{"type":"item.completed","item":{"id":"0","type":"error","message":"Model metadata for `m` not found. Defaulting to fallback metadata; this can degrade performance."}}"#,
        r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}"#,
    ];
    let shown = lines(ViewOptions::default(), None, &RECORDS);
    assert!(shown.contains("! warning: Model metadata for"), "{shown}");
    assert!(
        shown.contains(" ✓ success") && !shown.contains('✗'),
        "{shown}"
    );
}

#[test]
fn a_success_of_which_no_call_succeeded_is_marked() {
    let shell = call(3, "1", "run_shell_command", r#"{"command":"make"}"#);
    let shown = lines(
        ViewOptions::default(),
        None,
        &[INIT, &shell, &result(4, "1", DENIED), DONE],
    );
    let want = " 1:02 ! success · 62 s, 1 tool call (denied), 9 tokens\n";
    assert!(shown.ends_with(want), "{shown}");
}
