//! Log prefixes: a document of several lines, each with what its log put before it.

use jsift::find::Options;
use serde_json::Value;

use super::Choices;
use super::chain::read;

/// The document's lines begin with one of these; `#` is a digit that changes.
const PREFIXES: [&str; 10] = [
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
fn document(choices: &mut Choices<'_>, depth: usize) -> Value {
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

/// A document is found behind any prefix, with other sources between its lines and however the log is cut.
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
    let (cuts, _) = choices.cuts();
    let (told, _) = read(log.as_bytes(), &cuts, &Options::default());
    let found: Vec<Value> = told
        .documents
        .iter()
        .filter_map(|(text, ..)| serde_json::from_slice(text).ok())
        .collect();
    assert_eq!(found, [value], "{log}");
}
