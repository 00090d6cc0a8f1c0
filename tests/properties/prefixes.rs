//! Log prefixes: a document of several lines, each with what its log put before it.

use jsift_find::finder::FindOptions;
use jsift_json::write::minify;
use serde_json::Value;

use super::Choices;
use super::chain::read;

/// The document's lines begin with one of these; `#` is a digit that changes.
pub(super) const PREFIXES: [&str; 10] = [
    "app | ",
    "2026-01-01T00:00:0#.000Z ",
    "[   12.34567#] kernel: ",
    "Jan  2 03:04:0# host app[4711]: ",
    "\u{feff}web-1  | ",
    "ERROR 2026/01/02 03:04:0# main.go:12: ",
    "[shard   ] [1 of 2] ",
    "\x1b[36mapp-1  | \x1b[0m",
    "job\tstep\t\u{feff}2026-01-01T00:00:00.00#Z ",
    "host 2026-01-01T00:00:0# app[4711]: \u{feff}",
];
/// Lines of other sources may stand between.
const OTHERS: [&str; 3] = ["db  | ready", "worker> it's 5\" wide", ""];

/// Some document of several lines.
pub(super) fn document(choices: &mut Choices<'_>, depth: usize) -> Value {
    match choices.below(if depth < 4 { 8 } else { 6 }) {
        0 => Value::Null,
        1 => Value::from(choices.byte() > 127),
        2 => Value::from(choices.byte()),
        3 => Value::from(f64::from(choices.byte()) / 8.0),
        4 | 5 => {
            let texts = ["", "a", "}{", "\"],", "é\n😀", "app | {", "// x", "```"];
            Value::from(texts[choices.below(texts.len())])
        }
        6 => (0..choices.below(4))
            .map(|_| document(choices, depth + 1))
            .collect(),
        _ => (0..choices.below(4))
            .map(|name| (format!("k{name}"), document(choices, depth + 1)))
            .collect(),
    }
}

/// What lines of markdown around and in fences are.
const MARKDOWN: [&str; 24] = [
    "```json",
    "```json",
    "```",
    "```",
    "~~~",
    "````",
    "``` json5 title=x",
    "```json {\"a\":1}",
    "```json [1]```",
    "```python",
    "  ```",
    "",
    "",
    "  ",
    "{\"a\":1}",
    "{\"b\":",
    "2}",
    "[",
    "1,",
    "3]",
    "\"x",
    "null",
    "text",
    "// {\"c\":3} ```",
];

/// A fence after a prefix gives what it gives without.
fn assert_fences_are_the_same(choices: &mut Choices<'_>) {
    let prefix = PREFIXES[choices.below(PREFIXES.len())];
    let mut texts = [String::new(), String::new()];
    let count = choices.below(16);
    let mut commented = false;
    for number in 0..=count {
        // The next line shows what is the prefix.
        let last = number == count;
        let mut line = if last {
            "end"
        } else {
            MARKDOWN[choices.below(MARKDOWN.len())]
        };
        // What two lines begin with is a prefix itself.
        let comments = line.starts_with("//");
        if comments && std::mem::replace(&mut commented, true) {
            line = "text";
        }
        let digit = (number % 10).to_string();
        for (text, prefix) in texts.iter_mut().zip(["", &prefix.replace('#', &digit)]) {
            text.push_str(prefix);
            text.push_str(line);
            text.push('\n');
        }
    }
    let options = FindOptions {
        string: false,
        whole: false,
        embedded: false,
        ..FindOptions::default()
    };
    let [plain, prefixed] = texts.each_ref().map(|text| {
        let (reported, _) = read(text.as_bytes(), &[], &options);
        let documents = reported.documents.into_iter();
        let faults = reported.faults.into_iter();
        let documents: Vec<_> = documents
            .map(|(text, origin, ..)| (origin.position.line, minify(&text).into_owned()))
            .collect();
        let faults: Vec<_> = faults
            .map(|fault| (fault.kind, fault.position.line, fault.reason, fault.fence))
            .collect();
        (documents, faults)
    });
    assert_eq!(prefixed, plain, "{}", texts[1]);
}

/// A document is found after any prefix, with other sources between its lines and however the log is cut. Nor do cuts
/// matter where a line is lost or another stands in its place. Fences are the same after a prefix.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let object = Value::from_iter([
        ("first", document(&mut choices, 0)),
        ("last", Value::from(1)),
    ]);
    let value = match choices.below(2) {
        0 => object,
        _ => Value::from(vec![object, Value::from(2)]),
    };
    let prefix = PREFIXES[choices.below(PREFIXES.len())];
    let mut log = String::from("starting\n");
    let pretty = serde_json::to_string_pretty(&value).unwrap_or_default();
    for (number, line) in pretty.lines().enumerate() {
        let digit = (number / 7 % 10).to_string();
        log.push_str(&prefix.replace('#', &digit));
        log.push_str(line);
        log.push('\n');
        if choices.below(4) == 1 && number > 0 {
            log.push_str(OTHERS[choices.below(OTHERS.len())]);
            log.push('\n');
        }
    }
    let slipped = slip(&mut choices, &log);
    let (cuts, rest) = choices.cuts();
    let (reported, _) = read(log.as_bytes(), &cuts, &FindOptions::default());
    let found: Vec<Value> = reported
        .documents
        .iter()
        .filter_map(|(text, ..)| serde_json::from_slice(text).ok())
        .collect();
    assert_eq!(found, [value], "{log}");
    let reported = |cuts: &[usize]| read(slipped.as_bytes(), cuts, &FindOptions::default()).0;
    assert_eq!(reported(&cuts), reported(&[]), "{slipped} cut at {cuts:?}");
    assert_fences_are_the_same(&mut Choices(rest));
}

/// The log without one of its lines, or with another in its place.
fn slip(choices: &mut Choices<'_>, log: &str) -> String {
    let slips = ["", "INFO x", "}", "\"a\": {\"b\": 1},", "{", "```json"];
    let slip = choices.below(log.lines().count());
    let mut slipped = String::new();
    for (number, line) in log.lines().enumerate() {
        if number == slip {
            // What stands before the first blank is most often a prefix.
            let prefix = line.split_inclusive(' ').next().unwrap_or_default();
            slipped.push_str([prefix, ""][choices.below(2)]);
            slipped.push_str(slips[choices.below(slips.len())]);
        } else {
            slipped.push_str(line);
        }
        slipped.push('\n');
    }
    slipped
}
