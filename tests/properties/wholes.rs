//! No part for the whole, and no memory of earlier text: the laws of documents, tried on logs that somebody has cut or
//! damaged, and on logs of which one stands after another.

use std::collections::BTreeSet;

use jsift_find::finder::FindOptions;
use serde_json::Value;

use super::Choices;
use super::chain::{Reported, read};
use super::prefixes::{PREFIXES, document};

/// Lines around documents, and between two of them.
const NOISE: [&str; 4] = [
    "starting up",
    "GET /x 200",
    "params {'a': 1, 'b': None}",
    "INFO ready",
];

/// Returns some documents, and the lines of a log without prefix that contains them.
fn log(choices: &mut Choices<'_>) -> (Vec<Value>, Vec<String>) {
    let mut lines = vec![NOISE[0].to_owned()];
    let documents: Vec<Value> = (0..=choices.below(3))
        .map(|number| {
            Value::from_iter([
                ("id".to_owned(), Value::from(number)),
                ("body".to_owned(), document(choices, 0)),
                ("last".to_owned(), Value::from(1)),
            ])
        })
        .collect();
    for document in &documents {
        match choices.below(3) {
            0 => lines.push(document.to_string()),
            _ => {
                let text = serde_json::to_string_pretty(document).unwrap_or_default();
                lines.extend(text.lines().map(str::to_owned));
            }
        }
        lines.push(NOISE[choices.below(NOISE.len())].to_owned());
    }
    (documents, lines)
}

/// Returns the lines, each with a prefix of which a digit changes.
fn prefixed(lines: &[String], prefix: &str, from: usize) -> String {
    let line = |(number, line): (usize, &String)| {
        format!(
            "{}{line}\n",
            prefix.replace('#', &((from + number) / 7 % 10).to_string())
        )
    };
    lines.iter().enumerate().map(line).collect()
}

fn prefix(choices: &mut Choices<'_>) -> &'static str {
    match choices.below(PREFIXES.len() + 4) {
        at if at < PREFIXES.len() => PREFIXES[at],
        _ => "",
    }
}

fn found(text: &str) -> (Vec<Value>, Reported) {
    let (reported, _) = read(text.as_bytes(), &[], &FindOptions::default());
    let values = reported.documents.iter();
    let values = values.filter_map(|(text, ..)| serde_json::from_slice(text).ok());
    (values.collect(), reported)
}

/// Adds the objects and arrays inside a value.
fn add_parts(value: &Value, parts: &mut BTreeSet<String>) {
    let inner: Vec<&Value> = match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return,
    };
    for value in inner {
        if value.is_array() || value.is_object() {
            parts.insert(value.to_string());
        }
        add_parts(value, parts);
    }
}

/// Whether a document counts wherever it stands. An empty or flat one at the very end of a log, whose prefix no line
/// after it confirms, is given although it may be a part.
fn is_strong(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(elements) => elements.iter().any(|one| one.is_array() || one.is_object()),
        _ => false,
    }
}

/// Both laws, each on a log of its own.
pub fn property(data: &[u8]) {
    parts(data);
    context(data);
}

/// A log that was cut, or lacks a line, gives a part of one of its documents only with a fault.
pub(crate) fn parts(data: &[u8]) {
    let mut choices = Choices(data);
    let (documents, mut lines) = log(&mut choices);
    let mut parts = BTreeSet::new();
    documents
        .iter()
        .for_each(|document| add_parts(document, &mut parts));
    let whole: BTreeSet<String> = documents.iter().map(Value::to_string).collect();
    let (first, second) = (choices.below(lines.len()), choices.below(lines.len()));
    match choices.below(5) {
        0 => drop(lines.drain(..first)),
        1 => lines.truncate(first + 1),
        2 => {
            lines.truncate(first.max(second) + 1);
            lines.drain(..first.min(second));
        }
        3 => drop(lines.remove(first)),
        _ if first + 1 < lines.len() => lines.swap(first, first + 1),
        _ => {}
    }
    let text = prefixed(&lines, prefix(&mut choices), 0);
    let (values, reported) = found(&text);
    let is_part = |value: &&Value| {
        let text = value.to_string();
        is_strong(value) && parts.contains(&text) && !whole.contains(&text)
    };
    let part = values.iter().find(is_part);
    // What is nothing but elements of a lost array (`{…},⏎{…}`) looks like records that commas separate, and a member
    // of a lost object (`"a": {…}`) like a document after a label.
    let left = lines.concat();
    let left = left.trim_end_matches(',');
    let completes = |[open, close]: [&str; 2]| {
        serde_json::from_str::<Value>(&format!("{open}{left}{close}")).is_ok()
    };
    let tells_nothing = [["[", "]"], ["{", "}"]].into_iter().any(completes);
    assert!(
        part.is_none() || !reported.faults.is_empty() || tells_nothing,
        "{part:?} of\n{text}"
    );
}

/// A log after a log of the same program gives what each gives alone.
pub(crate) fn context(data: &[u8]) {
    let mut choices = Choices(data);
    let (before, first) = log(&mut choices);
    let (after, second) = log(&mut choices);
    let prefix = prefix(&mut choices);
    let text = prefixed(&first, prefix, 0) + &prefixed(&second, prefix, first.len());
    let (values, _) = found(&text);
    assert_eq!(values, [before, after].concat(), "{text}");
}
