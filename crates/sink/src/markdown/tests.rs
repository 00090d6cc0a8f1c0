//! Sessions as markdown, and attacks in them.

use super::*;
use jsift_agents::dialect::testing::sessions;
use jsift_outcome::Outcome;

const INIT: &str = r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#;
const DONE: &str = r#"{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":9,"input_tokens":5,"output_tokens":3,"duration_ms":7100}}"#;

fn markdown(records: &[&str], options: ReportOptions) -> String {
    let sessions = sessions(records);
    let mut writer = MarkdownWriter::new(options);
    let mut totals = Totals::default();
    let mut out = Vec::new();
    for session in sessions.all() {
        totals.add(session);
        writer.session(session, None, &mut out);
    }
    writer.finish(&totals, &mut out);
    String::from_utf8(out).unwrap()
}

fn answer(text: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"t","role":"assistant","content":{},"delta":true}}"#,
        serde_json::to_string(text).unwrap()
    )
}

fn call(tool: &str, path: &str) -> [String; 2] {
    let quoted = |text| serde_json::to_string(text).unwrap();
    [
        format!(
            r#"{{"type":"tool_use","timestamp":"t","tool_name":{},"tool_id":"1","parameters":{{"file_path":{},"content":"x"}}}}"#,
            quoted(tool),
            quoted(path)
        ),
        r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"success"}"#.to_owned(),
    ]
}

#[test]
fn a_session_is_a_heading_an_answer_and_details() {
    let [call, result] = call("write_file", "a_b.txt");
    let text = markdown(
        &[INIT, &call, &result, &answer("Done."), DONE],
        ReportOptions::default(),
    );
    let want = "### ✅ gemini: success\n\n`m` `s` 7.1 s, 1 turn, 1 tool call, 1 file, 9 tokens\n\
        \n> Done.\n\
        \n<details><summary>Usage</summary>\n\n| model | input | output | reasoning | total |\n|---|---:|---:|---:|---:|\n| `m` | 5 | 4 | 1 | 9 |\n\n</details>\n\
        \n<details><summary>Tools (1 call)</summary>\n\n| tool | calls | ok | failed | denied |\n|---|---:|---:|---:|---:|\n| `write_file` | 1 | 1 | 0 | 0 |\n\n</details>\n\
        \n<details><summary>Files (1)</summary>\n\n- `a_b.txt` write\n\n</details>\n\n";
    assert_eq!(text, want);
}

#[test]
fn an_answer_stays_in_its_quote() {
    let hostile = "```\n````\n</details><script>alert(1)</script> @octocat\n~~~\n`````text";
    for cut in 0..hostile.len() {
        let records = [INIT, &answer(&hostile[cut..]), DONE];
        let text = markdown(&records, ReportOptions::default());
        let (before, after) = text.split_once("<details>").unwrap();
        assert!(!after.contains("alert"), "{text}");
        let quoted = before.lines().skip(4);
        for line in quoted.filter(|line| !line.is_empty()) {
            assert!(line.starts_with('>'), "{line}");
        }
    }
}

#[test]
fn names_are_code_whatever_they_hold() {
    assert_eq!(code("a_b*c.rs", 99), "`a_b*c.rs`");
    assert_eq!(
        code("@octocat <b>#1 ![x](y)", 99),
        "`@octocat <b>#1 ![x](y)`"
    );
    assert_eq!(code("a\nb\u{202e}", 99), "`a…`");
    assert_eq!(
        code("a\u{202e}\x1b[2J", 99),
        "<code>a&#92;u&#123;202e&#125;&#92;x1b&#91;2J</code>"
    );
    assert_eq!(
        code("x`|@y", 99),
        "<code>x&#96;&#124;<span>@</span>y</code>"
    );
    assert_eq!(code(" \n", 99), "");
}

#[test]
fn a_table_keeps_its_columns() {
    let [call, result] = call("a|b`</details>", "x");
    let text = markdown(&[INIT, &call, &result, DONE], ReportOptions::default());
    let row = text.lines().find(|line| line.contains("<code>a")).unwrap();
    assert_eq!(row.matches('|').count(), 6, "{row}");
    assert!(!row.contains("</details>"));
}

#[test]
fn a_size_is_kept_and_everything_closed() {
    let long = format!("```\n{}```\n", "é\n".repeat(90));
    let [call, result] = call("write_file", "a.txt");
    let records = [INIT, &call, &result, &answer(&long), DONE];
    let whole = markdown(&records, ReportOptions::default()).len();
    for max in (0..whole as u64 + 10).step_by(7) {
        let options = ReportOptions {
            max_bytes: Some(max),
            ..ReportOptions::default()
        };
        let text = markdown(&records, options);
        assert!(text.len() as u64 <= max, "{max}: {}", text.len());
        assert_eq!(
            text.matches("<details>").count(),
            text.matches("</details>").count()
        );
        let marks = text.lines().filter(|line| line.starts_with("> ```"));
        assert_eq!(marks.count() % 2, 0);
        assert_eq!(
            text.len() + 1 < whole && max > 60,
            text.contains("Cut here"),
            "{max}"
        );
    }
}

#[test]
fn structural_means_no_words() {
    let [call, result] = call("write_file", "secret.txt");
    let records = [INIT, &call, &result, &answer("secret"), DONE];
    let options = ReportOptions {
        structural: true,
        ..ReportOptions::default()
    };
    let text = markdown(&records, options);
    assert!(!text.contains("secret"), "{text}");
    assert!(
        text.contains("write_file") && text.contains("1 file"),
        "{text}"
    );
}

#[test]
fn several_sessions_end_with_totals() {
    let two = INIT.replace("\"s\"", "\"two\"");
    let text = markdown(
        &[INIT, &answer("a"), DONE, &two, &answer("b"), DONE],
        ReportOptions::default(),
    );
    let (_, total) = text.split_once("**Total:** ").unwrap();
    let (facts, usage) = total.split_once('\n').unwrap();
    assert_eq!(
        facts,
        "2 sessions (2 success), 14 s, 0 tool calls, 0 files, 18 tokens"
    );
    assert!(usage.contains("| `m` | 10 | 8 | 2 | 18 |"), "{usage}");
}

#[test]
fn workflow_commands_are_broken_up_in_a_log() {
    let options = ReportOptions {
        ci: true,
        ..ReportOptions::default()
    };
    let text = markdown(&[INIT, &answer("a\n::error::x\n##[error]y"), DONE], options);
    let lines = "> a\\\n> \\::error::x\\\n> \\##\\[error\\]y\n";
    assert!(text.contains(lines), "{text}");
}

#[test]
fn a_workflow_command_in_the_name_of_a_model_is_broken_up_in_the_totals_too() {
    let first = INIT.replace("\"m\"", "\"##vso[task.x]y\"");
    let second = first.replace("\"s\"", "\"two\"");
    for ci in [false, true] {
        let options = ReportOptions {
            ci,
            ..ReportOptions::default()
        };
        let text = markdown(&[&first, DONE, &second, DONE], options);
        assert_eq!(
            text.matches("##vso[").count(),
            if ci { 0 } else { 5 },
            "{text}"
        );
    }
}

#[test]
fn of_very_many_rows_the_rest_is_counted() {
    let mut records = vec![INIT.to_owned()];
    for number in 0..102 {
        records.extend(call(&format!("tool-{number}"), "a"));
        records.extend(call("write_file", &format!("file-{number}")));
    }
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    let text = markdown(&records, ReportOptions::default());
    assert!(text.contains("| `tool-98` | 1 |"), "{text}");
    assert!(!text.contains("tool-99"), "{text}");
    assert!(text.contains("\nand 3 more\n"), "{text}");
    assert!(text.contains("- `file-99` write\n- and 2 more\n"), "{text}");
}

#[test]
fn what_stands_alongside_sessions_stays_under_the_size_too() {
    let end = NoSession {
        outcome: Outcome::Auth,
        reason: "Please set an Auth method",
    };
    let size = |max_bytes| {
        let options = ReportOptions {
            max_bytes,
            ..ReportOptions::default()
        };
        let (mut writer, mut out) = (MarkdownWriter::new(options), Vec::new());
        writer.no_session(end, None, &mut out);
        let two = INIT.replace("\"s\"", "\"two\"");
        let mut totals = Totals::default();
        for session in sessions([INIT, DONE, &two, DONE]).all() {
            totals.add(session);
        }
        writer.finish(&totals, &mut out);
        out.len()
    };
    let all = size(None);
    assert_eq!(size(Some(1 << 10)), all);
    for most in 0..all {
        assert!(size(Some(most as u64)) <= most, "{most}");
    }
}
