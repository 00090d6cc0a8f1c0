//! Each row of the table of limits is reached: what is read at the bound, and what happens beyond it, as the manual
//! page says.

use std::collections::BTreeSet;
use std::io::Write;
use std::panic::catch_unwind;

use serde_json::Value;

use super::limits;
use crate::properties::run::given;
use jsift::command::limits::all;
use jsift_find::choose::filter::DEPTH;

/// Returns the results and the code of a command on a text.
fn run(args: &str, text: &str) -> (String, u8) {
    let args: Vec<&str> = args.split(' ').collect();
    let (results, messages, code) = given(&args, text.as_bytes()).expect("it is a command line");
    (results + &messages, code)
}

fn code(args: &str, text: &str) -> u8 {
    run(args, text).1
}

/// Returns the first session that `summary` finds.
fn session(text: &str) -> Value {
    let (results, _) = run("summary --format json", text);
    serde_json::from_str(results.lines().next().unwrap()).unwrap()
}

fn init(id: &str) -> String {
    format!("{{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"{id}\",\"model\":\"m\"}}\n")
}

fn call(id: usize, name: &str) -> String {
    format!(
        "{{\"type\":\"tool_use\",\"timestamp\":\"t\",\"tool_name\":\"{name}\",\"tool_id\":\"{id}\",\"parameters\":{{}}}}\n"
    )
}

fn result(id: usize) -> String {
    format!(
        "{{\"type\":\"tool_result\",\"timestamp\":\"t\",\"tool_id\":\"{id}\",\"status\":\"success\"}}\n"
    )
}

const END: &str = "{\"type\":\"result\",\"timestamp\":\"t\",\"status\":\"success\"}\n";

/// Sessions of one stream, with what stands in each after its start, and then the first one again.
fn sessions(count: usize, inside: &str) -> String {
    let all = (0..count).map(|at| init(&format!("s{at}")) + inside);
    all.collect::<String>() + &init("s0") + inside
}

/// How many sessions `summary` reports.
fn reported(text: &str) -> usize {
    let (results, _) = run("summary --format json", text);
    let sessions = results.lines().filter(|line| line.starts_with('{'));
    sessions.count()
}

fn document() {
    let text = |length: usize| format!("[\"{}\"]", "x".repeat(length - 4));
    assert_eq!(code("extract --max-document 1K", &text(1024)), 0);
    assert_eq!(code("extract --max-document 1K", &text(1025)), 6);
}

fn text_held() {
    let command = "extract --text --max-document 1K";
    assert_eq!(code(command, &"x".repeat(1024)), 0);
    assert_eq!(code(command, &"x".repeat(1025)), 6);
}

/// The code of a document that is checked against a schema that allows everything.
fn checked(document: &str) -> u8 {
    let mut schema = tempfile::NamedTempFile::new().unwrap();
    schema.write_all(b"{}").unwrap();
    let path = schema.path().to_str().unwrap();
    code(&format!("extract --schema {path}"), document)
}

fn depth_of_a_checked_document() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(checked(&nested(DEPTH)), 0);
    assert_eq!(checked(&nested(DEPTH + 1)), 5);
}

fn brackets_in_a_required_value() {
    let required = |depth: usize| {
        let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let command = format!("extract --require a={value}");
        code(&command, &format!("{{\"a\":{value}}}"))
    };
    assert_eq!(required(128), 0);
    assert_eq!(required(129), 5);
}

fn number_in_a_checked_document() {
    assert_eq!(checked("[1.7e308]"), 0);
    assert_eq!(checked("[1.9e308]"), 5);
}

fn documents_withheld() {
    let scalars = |count: usize| format!("{}x y\n", "1\n".repeat(count));
    assert_eq!(code("extract --all --type number", &scalars(10)), 0);
    assert_eq!(code("extract --all", &scalars(4096)), 1);
    assert_eq!(code("extract --all", &scalars(4097)), 0);
}

fn readings_of_a_prefix() {
    let words: Vec<String> = (0..40).map(|at| format!("w{at}")).collect();
    let cut_at = |count: usize| {
        let first = format!("{} {{\n", words.join(" "));
        format!("{first}{} \"a\":1}}\n", words[..count].join(" "))
    };
    assert_eq!(code("extract", &cut_at(2)), 0);
    assert_eq!(code("extract", &cut_at(38)), 0);
    assert_ne!(code("extract", &cut_at(20)), 0);
}

fn lines_inside_an_indented_document() {
    let between = |count: usize| {
        let lines = "⠧ Agent is working\n".repeat(count);
        format!("{{\n  \"a\": [\n    1,\n{lines}    2\n  ]\n}}\n")
    };
    assert_eq!(code("extract", &between(199)), 0);
    assert_eq!(code("extract", &between(202)), 3);
}

fn sources_side_by_side() {
    let open = |count: usize| {
        let lines = |text: &str| (0..count).map(|at| format!("w{at} | {text}\n")).collect();
        let (first, second): (String, String) = (lines("{\"a\":"), lines("1}"));
        lines_of("extract --all", &(first + &second))
    };
    assert_eq!(open(250), 250);
    assert!(open(300) < 300);
}

/// Returns the lines of the results alone.
fn lines_of(args: &str, text: &str) -> usize {
    let args: Vec<&str> = args.split(' ').collect();
    given(&args, text.as_bytes()).unwrap().0.lines().count()
}

/// A document of one source that stays open while another one writes this many MiB of documents, less than 1 MiB
/// between two lines of the first.
fn held_up(mib: usize) -> String {
    let other = format!("b | {{\"b\":\"{}\"}}\n", "x".repeat(1000)).repeat(900);
    let mut text = String::from("a | {\n");
    for at in 0..=mib {
        text += &format!("a | \"{at}\":1,\n{other}");
    }
    text + "a | \"z\":1}\n"
}

fn text_that_waits() {
    if cfg!(feature = "slow") {
        let first = |text: &str| run("extract", text).0.starts_with("{\"0\"");
        assert!(first(&held_up(10)));
        assert!(!first(&held_up(20)));
    }
}

fn wrapped_record() {
    let inside = |length: usize| {
        let text = format!("{{\"a\":\"{}\"}}", "x".repeat(length));
        let record = format!("{{\"log\":{text:?},\"stream\":\"stdout\"}}\n");
        run("extract --unwrap docker", &record)
            .0
            .starts_with("{\"a\"")
    };
    assert!(inside(1 << 10));
    assert!(inside((1 << 20) - 100));
    assert!(!inside(1 << 20));
}

fn sessions_that_have_ended() {
    assert_eq!(reported(&sessions(200, END)), 200);
    assert_eq!(reported(&sessions(400, END)), 401);
}

fn sessions_that_have_not_ended() {
    assert_eq!(reported(&sessions(1000, "")), 1000);
    assert_eq!(reported(&sessions(2100, "")), 2101);
}

fn sessions_on_a_page() {
    assert_eq!(code("summary --format html", &sessions(10, END)), 0);
    assert_eq!(code("summary --format html", &sessions(2100, END)), 6);
}

fn rows_of_the_table() {
    let rest = |count| {
        let text = run("summary", &sessions(count, END)).0;
        text.lines()
            .any(|line| line.starts_with("and ") && line.ends_with(" more"))
    };
    assert!(!rest(1900));
    assert!(rest(2100));
}

fn file_read_ahead() {
    if cfg!(feature = "slow") {
        let text = format!("{{\"a\":\"{}\"}}\n", "x".repeat(1 << 16)).repeat(300);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(lines_of(&format!("extract --all -j 2 {path}"), &text), 600);
    }
}

fn sessions_that_go_on() {
    let record = |kind: &str, at: usize, block: String| {
        let role = if kind == "user" { "user" } else { "assistant" };
        format!(
            "{{\"type\":\"{kind}\",\"message\":{{\"id\":\"m{at}\",\"role\":\"{role}\",\"content\":[{block}]}},\"session_id\":\"s{at}\"}}\n"
        )
    };
    let named = |count: usize| {
        let call = |at: usize| {
            let block = format!(
                "{{\"type\":\"tool_use\",\"id\":\"t{at}\",\"name\":\"Read\",\"input\":{{}}}}"
            );
            record("assistant", at, block)
        };
        let mut text: String = (0..count).map(call).collect();
        let block =
            "{\"type\":\"tool_result\",\"tool_use_id\":\"t0\",\"content\":\"x\"}".to_owned();
        text += &record("user", 0, block);
        let (results, _) = run("events --only tool", &text);
        let last = results
            .lines()
            .rfind(|line| line.contains("\"success\""))
            .unwrap()
            .to_owned();
        last.contains("\"label\":\"Read\"")
    };
    assert!(named(20));
    assert!(!named(40));
}

fn calls_without_a_result() {
    let named = |count: usize| {
        let calls: String = (0..count).map(|at| call(at, "read")).collect();
        let (results, _) = run("events --only tool", &(init("s") + &calls + &result(0)));
        let last = results.lines().rfind(|line| line.starts_with('{')).unwrap();
        last.contains("\"label\":\"read\"")
    };
    assert!(named(1000));
    assert!(!named(1100));
}

fn names_of_a_session() {
    let together = |count: usize| {
        let calls: String = (0..count).map(|at| call(at, &format!("t{at}"))).collect();
        !session(&(init("s") + &calls + END))["tools"]["by_name"]["…"].is_null()
    };
    assert!(!together(100));
    assert!(together(10_050));
}

fn id_and_name() {
    let id = |length: usize| session(&(init(&"s".repeat(length)) + END))["session_id"].is_string();
    assert!(id(1024));
    assert!(!id(1025));
}

fn errors_of_a_session() {
    let errors = |count: usize| {
        let error = |at| {
            format!(
                "{{\"type\":\"error\",\"timestamp\":\"t\",\"severity\":\"warning\",\"message\":\"no {at}\"}}\n"
            )
        };
        let errors: String = (0..count).map(error).collect();
        session(&(init("s") + &errors + END))["errors"]
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(errors(99), 99);
    assert_eq!(errors(120), 100);
}

fn page() {
    let text = |length: usize| {
        let message = "word ".repeat(length / 5);
        init("s")
            + &format!(
                "{{\"type\":\"message\",\"timestamp\":\"t\",\"role\":\"assistant\",\"content\":\"{message}\"}}\n{END}"
            )
    };
    let page = |length| run("summary --format html --max-bytes 60K", &text(length)).0;
    assert!(page(1000).contains(&"word ".repeat(190)));
    let cut = page(200_000);
    assert!(cut.contains("bytes left out"));
    assert!(cut.len() < 61 << 10);
}

fn samples_of_noise() {
    let samples = |count: usize| {
        let noise = "not a record\n".repeat(count);
        let session = session(&(init("s") + &noise + END));
        session["noise"]["samples"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(samples(2), 2);
    assert_eq!(samples(5), 3);
}

fn messages_of_one_kind() {
    let messages = |count: usize| run("extract --all", &"{\"a\":x}\n".repeat(count)).0;
    assert!(!messages(3).contains("more"));
    assert!(messages(6).contains("and 2 more"));
}

fn blank_text() {
    // What is beyond is not kept; nothing else is different. `hostile` counts the memory.
    for blanks in [60 << 10, 70 << 10] {
        let text = format!("{}[1]", "\n".repeat(blanks));
        assert_eq!(run("extract", &text), ("[1]\n".to_owned(), 0));
    }
}

fn records_in_doubt() {
    let record =
        |role: &str, text: usize| format!("{{\"role\":\"{role}\",\"content\":\"{text}\"}}\n");
    let kept = |count: usize| {
        let doubts: String = (0..count).map(|at| record("user", at)).collect();
        lines_of("events --only user", &(doubts + &record("assistant", 0)))
    };
    assert_eq!(kept(60), 60);
    assert!((1..=64).contains(&kept(200)));
}

fn depth_of_what_is_repaired() {
    let repaired = |brackets: usize| code("extract --repair", &("[".repeat(brackets) + "1,]"));
    assert_eq!((repaired(1 << 14), repaired((1 << 14) + 1)), (0, 3));
}

fn text_that_is_repaired_in_vain() {
    let repaired = |braces: usize| {
        let text = format!("x {}\n\nx [\"x\", 'a'] y\n", "{".repeat(braces));
        code("extract --repair", &text)
    };
    assert_eq!(repaired(100), 0);
    assert_eq!(repaired(30_000), 1);
}

fn broken_document_that_may_be_refused() {
    let refused = |length: usize| {
        let broken = format!("{{\"n\": NaN, \"x\": \"{}\"}}\n", "x".repeat(length));
        code("extract --require verdict", &(broken + "{\"verdict\":1}\n"))
    };
    assert_eq!(refused((64 << 10) - 64), 0);
    assert_eq!(refused(64 << 10), 3);
}

fn prefixes_that_repair_takes_off() {
    let left_in = |sources: usize| {
        let lines = |at: usize| {
            let app = format!("app{at} | ");
            format!("{app}{{'a': 'x\nweb{at} | x\n{app} y', 'b': 2}}\n")
        };
        let log: String = (10..10 + sources).map(lines).collect();
        run("extract --all --repair", &log).0.contains("app")
    };
    assert!(!left_in(8));
    assert!(left_in(9));
}

fn lines_before_the_format_of_a_log() {
    let time = "2026-01-01T00:00:00.000000000Z stdout";
    let log = |before: &str| format!("{before}{time} P {{\"a\":\"x\n{time} F y\"}}\n");
    assert_eq!(code("extract", &log(&"plain\n".repeat(15))), 0);
    assert_eq!(code("extract", &log(&"plain\n".repeat(16))), 3);
    assert_eq!(
        code("extract", &log(&format!("{}\n", "x".repeat(60 << 10)))),
        0
    );
    assert_eq!(
        code("extract", &log(&format!("{}\n", "x".repeat(64 << 10)))),
        3
    );
    let named = "extract --unwrap cri";
    assert_eq!(code(named, &log(&"plain\n".repeat(16))), 0);
}

fn name_of_an_event() {
    let run = |length: usize| {
        let end = format!("{:x>length$}", "_agent_run_completed");
        format!(
            "event: agent_message\ndata: {{\"text\":\"Hi\"}}\n\nevent: {end}\ndata: {{\"status\":\"success\"}}\n"
        )
    };
    assert_eq!(code("summary", &run(128)), 0);
    assert_ne!(code("summary", &run(129)), 0);
}

/// The rows, and what reaches them.
const ROWS: [(&str, fn()); 46] = [
    ("a document", document),
    ("what --text holds", text_held),
    (
        "depth of nesting",
        limits::depth_and_length_of_a_line_are_not_bounded,
    ),
    (
        "depth of a document that is checked against a schema",
        depth_of_a_checked_document,
    ),
    ("a number in such a document", number_in_a_checked_document),
    (
        "brackets in the value of --require",
        brackets_in_a_required_value,
    ),
    (
        "length of a line",
        limits::depth_and_length_of_a_line_are_not_bounded,
    ),
    (
        "a source that is one string literal",
        limits::a_literal_of_more_than_64_mib_is_only_a_string,
    ),
    ("blank text before the first byte", blank_text),
    (
        "documents that may turn out not to count",
        documents_withheld,
    ),
    (
        "a broken document that --type or --require may refuse",
        broken_document_that_may_be_refused,
    ),
    (
        "blanks and commas after a document that may not count",
        limits::blanks_of_4_kib_after_a_flat_array_end_its_line,
    ),
    (
        "the line that opens a fence",
        limits::a_fence_is_opened_by_a_line_of_1_kib,
    ),
    (
        "thinking that has only a closing tag",
        limits::the_end_of_thinking_is_looked_for_in_1_mib,
    ),
    (
        "a log prefix",
        limits::a_prefix_of_more_than_256_bytes_is_none,
    ),
    (
        "a log prefix with the message after it",
        limits::a_message_after_a_prefix_of_more_than_4_kib_hides_it,
    ),
    ("readings of one prefix", readings_of_a_prefix),
    (
        "lines after an opening bracket without its prefix, or its mark",
        limits::a_prefix_is_looked_for_on_200_lines_of_another_kind,
    ),
    (
        "lines without a prefix inside an indented document",
        lines_inside_an_indented_document,
    ),
    (
        "text of other sources between two lines of one",
        limits::another_source_may_say_1_mib,
    ),
    (
        "log sources with a prefix, or named in records, that are read at the same time",
        sources_side_by_side,
    ),
    (
        "text of other sources that waits for a document",
        text_that_waits,
    ),
    (
        "findings that wait for their turn in the order of the source",
        text_that_waits,
    ),
    (
        "lines at the beginning that may show the format of a log",
        lines_before_the_format_of_a_log,
    ),
    ("a JSON record that is unwrapped", wrapped_record),
    (
        "lines that wait for the rest of a record that was cut",
        limits::a_record_that_was_cut_is_waited_for,
    ),
    (
        "a control sequence of a terminal",
        limits::a_control_sequence_of_more_than_128_bytes_is_text,
    ),
    (
        "a control string of a terminal",
        limits::a_control_string_of_more_than_4_kib_is_text,
    ),
    ("depth of what --repair reads", depth_of_what_is_repaired),
    (
        "log prefixes that --repair takes off",
        prefixes_that_repair_takes_off,
    ),
    (
        "text that --repair reads without a result",
        text_that_is_repaired_in_vain,
    ),
    ("the name of an event before its data", name_of_an_event),
    ("records whose agent is not known yet", records_in_doubt),
    (
        "sessions that begin before one that has ended is reported",
        sessions_that_have_ended,
    ),
    (
        "sessions of a source that have not ended",
        sessions_that_have_not_ended,
    ),
    ("sessions of a source on a page", sessions_on_a_page),
    (
        "rows of the table at the end of a summary",
        rows_of_the_table,
    ),
    (
        "results of a file that is read before its turn",
        file_read_ahead,
    ),
    (
        "sessions that are followed at the same time",
        sessions_that_go_on,
    ),
    (
        "calls of a session without a result",
        calls_without_a_result,
    ),
    ("tools, models or files of a session", names_of_a_session),
    ("the id of a session; the name of a model", id_and_name),
    ("errors of a session", errors_of_a_session),
    ("the page of a summary", page),
    ("samples of noise", samples_of_noise),
    ("messages of one kind", messages_of_one_kind),
];

#[test]
fn each_limit_is_reached() {
    let rows: BTreeSet<&str> = ROWS.iter().map(|(what, _)| *what).collect();
    let listed: BTreeSet<&str> = all().iter().map(|limit| limit.what).collect();
    assert_eq!(rows, listed, "the table of limits and that of the tests");
    // Each of these takes long.
    let long: [fn(); 5] = [
        sessions_that_have_not_ended,
        sessions_on_a_page,
        rows_of_the_table,
        names_of_a_session,
        limits::a_literal_of_more_than_64_mib_is_only_a_string,
    ];
    let is_long = |reach: fn()| long.iter().any(|long| std::ptr::fn_addr_eq(*long, reach));
    let mut tried = ROWS.to_vec();
    tried.retain(|(_, reach)| cfg!(feature = "slow") || !is_long(*reach));
    let failing = tried
        .iter()
        .filter(|(_, reach)| catch_unwind(reach).is_err());
    let failing: Vec<&str> = failing.map(|(what, _)| *what).collect();
    assert!(failing.is_empty(), "{failing:?}");
}
