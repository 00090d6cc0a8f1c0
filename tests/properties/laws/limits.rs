//! Each bound: input a little below it is read, and input a little beyond it gives what the manual page states.
//!
//! What sessions keep is held to its bounds in `hostile/streams.rs`, `--max-document` by cases.

use jsift_find::document::{Document, Fault, Stage, Visitor};
use jsift_find::finder::FindOptions;
use jsift_find::reading::Reading;
use jsift_find::unwrap::Unwrap;

#[derive(Default)]
struct Found {
    documents: Vec<(Stage, String)>,
    faults: usize,
    thinking: bool,
}

impl Visitor for Found {
    fn document(&mut self, document: Document<'_>) {
        let text = String::from_utf8_lossy(document.text).into_owned();
        self.documents.push((document.stage(), text));
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }

    fn thinking_ended(&mut self) {
        self.thinking = true;
    }
}

fn read(source: &str) -> Found {
    read_with(source, FindOptions::default())
}

fn read_with(source: &str, options: FindOptions) -> Found {
    let mut found = Found::default();
    let mut reading = Reading::new(Unwrap::Detect, options);
    // As from a pipe or a file: not all at once.
    for block in source.as_bytes().chunks(128 << 10) {
        reading.block(block, &mut found);
    }
    let _ = reading.end(&mut found);
    found
}

/// The texts of the documents, without white space.
fn texts(source: &str) -> Vec<String> {
    let small = |text: &str| text.split_ascii_whitespace().collect();
    let documents = read(source).documents;
    documents.iter().map(|(_, text)| small(text)).collect()
}

/// A document after this prefix, with these lines between its lines.
fn interrupted(prefix: &str, between: &str) -> String {
    format!("{prefix}{{\n{between}{prefix}\"a\":1}}\n")
}

#[test]
fn a_value_over_the_limit_is_reported_once() {
    let options = FindOptions {
        max_document: 8,
        ..FindOptions::default()
    };
    for source in [
        "{\"a\":1234567}",
        "[1,2,3,4,5,6]",
        "\"one long string\"",
        "1 2 {\"a\":1234567}",
        "see {\"a\":1234567}",
        "```json\n{\"a\":1234567}\n```",
    ] {
        assert_eq!(read_with(source, options.clone()).faults, 1, "{source}");
    }
}

pub(super) fn a_literal_of_more_than_64_mib_is_only_a_string() {
    let literal = |blanks: usize| format!("\"{}{{\\\"a\\\":1}}\"", " ".repeat(blanks));
    let found = read(&literal(1 << 20));
    assert_eq!(found.documents, [(Stage::String, "{\"a\":1}".to_owned())]);
    if cfg!(feature = "slow") {
        let found = read(&literal(65 << 20));
        let stages: Vec<Stage> = found.documents.iter().map(|(stage, _)| *stage).collect();
        assert_eq!(stages, [Stage::Whole], "the string itself");
    }
}

pub(super) fn a_prefix_of_more_than_256_bytes_is_none() {
    let prefix = |length: usize| format!("{}: ", "p".repeat(length - 1));
    let document = ["{\"a\":1}"];
    assert_eq!(texts(&interrupted(&prefix(256), "")), document);
    assert_eq!(texts(&interrupted(&prefix(257), "")), Vec::<String>::new());
}

pub(super) fn a_message_after_a_prefix_of_more_than_4_kib_hides_it() {
    let after = |message: usize| {
        let message = "m".repeat(message - "api-1 | ".len());
        interrupted("api-1 | ", "").replacen('{', &format!("{message}{{"), 1)
    };
    let document = ["{\"a\":1}"];
    assert_eq!(texts(&after(4095)), document);
    assert_eq!(texts(&after(4096)), Vec::<String>::new());
}

pub(super) fn a_prefix_is_looked_for_on_200_lines_of_another_kind() {
    let between = |line: &str, lines: usize| line.repeat(lines);
    let document = ["{\"a\":1}"];
    let read = |line, lines| texts(&interrupted("api-1 | ", &between(line, lines)));
    assert_eq!(read("GET /\n", 200), document);
    assert_eq!(read("GET /\n", 202), Vec::<String>::new());
    // Those of another source in the same log do not count.
    assert_eq!(read("web-1 | GET /\n", 10_000), document);
}

pub(super) fn another_source_may_say_1_mib() {
    let line = format!("web-1 | {}\n", "x".repeat((1 << 18) - 9));
    let document = ["{\"a\":1}"];
    assert_eq!(texts(&interrupted("api-1 | ", &line.repeat(4))), document);
    let found = read(&interrupted("api-1 | ", &line.repeat(5)));
    assert_eq!(found.documents, []);
}

#[test]
fn prefixes_that_are_json_are_none_however_many_they_are() {
    let mut source = "[1]\n".repeat(5000);
    let mut all = vec!["[1]"; 5000];
    source.push_str(&"[0] [0] {\"a\":1}\n[0] {\"b\":2}\n".repeat(2500));
    all.extend(["{\"a\":1}", "{\"b\":2}"].repeat(2500));
    assert_eq!(texts(&source), all);
    assert_eq!(texts(&format!("{source}[0] exited with 0\n")), all);
    assert_eq!(
        texts(&format!("{source}[0] [3]\n")),
        [&all[..], &["[0]", "[3]"]].concat()
    );
}

pub(super) fn a_control_string_of_more_than_4_kib_is_text() {
    let titled =
        |length: usize| format!("\x1b]0;{}{{\"a\":1}}\x07 {{\"b\":2}}\n", "t".repeat(length));
    assert_eq!(texts(&titled(4000)), ["{\"b\":2}"]);
    assert_eq!(texts(&titled(4200)), ["{\"a\":1}", "{\"b\":2}"]);
}

pub(super) fn a_control_sequence_of_more_than_128_bytes_is_text() {
    let coloured = |digits: usize| format!("{{\"a\":\x1b[{}m1}}\n", "1".repeat(digits));
    assert_eq!(texts(&coloured(125)), ["{\"a\":1}"]);
    assert_eq!(read(&coloured(126)).faults, 1);
}

pub(super) fn blanks_of_4_kib_after_a_flat_array_end_its_line() {
    let followed = |blanks: usize| format!("{{\"a\":1}}\n[1,2]{}\nend\n", " ".repeat(blanks));
    assert_eq!(texts(&followed(4095)), ["{\"a\":1}", "[1,2]"]);
    assert_eq!(texts(&followed(4096)), ["{\"a\":1}"]);
}

pub(super) fn a_fence_is_opened_by_a_line_of_1_kib() {
    let opened = |title: usize| format!("```json {}\n{{\"a\":1}}\n```\n", "x".repeat(title));
    assert_eq!(read(&opened(1015)).faults, 0);
    assert_eq!(read(&opened(1024)).faults, 1);
}

pub(super) fn a_record_that_was_cut_is_waited_for() {
    let time = "2026-01-01T00:00:00.000000000Z";
    let cut = |between: String| {
        texts(&format!(
            "{time} stdout P {{\"a\":\"x\n{between}{time} stdout F y\"}}\n"
        ))
    };
    let lines = |count: usize| cut(format!("{time} stderr F noise\n").repeat(count));
    assert_eq!(lines(200), ["{\"a\":\"xy\"}"]);
    assert_eq!(lines(201), Vec::<String>::new());
    let line = |length: usize| cut(format!("{time} stderr F {}\n", "z".repeat(length)));
    assert_eq!(line((1 << 20) - 1024), ["{\"a\":\"xy\"}"]);
    assert_eq!(line(1 << 20), Vec::<String>::new());
}

pub(super) fn depth_and_length_of_a_line_are_not_bounded() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(texts(&deep), [deep]);
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3 << 20));
    assert_eq!(texts(&format!("noise {long} noise\n")), [long]);
}

pub(super) fn the_end_of_thinking_is_looked_for_in_1_mib() {
    let thinking = |length: usize| {
        let text = format!("{{\"a\":1}} {}</think>\n{{\"b\":2}}\n", "x".repeat(length));
        read(&text).thinking
    };
    assert!(thinking((1 << 20) - 100));
    assert!(!thinking(1 << 20));
}
