//! That a source which lacks its beginning gives no part of a document without a fault.

use std::collections::BTreeSet;

use jsift_find::document::Rank;
use jsift_find::finder::FindOptions;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::properties::chain::read;
use crate::random::Random;

/// Returns an object, or at some depth any value.
fn value(random: &mut Random, deep: usize) -> Value {
    const TEXTS: [&str; 7] = ["", "two words", "in ] [", "}{", "a, b", "an \"", "C:\\new"];
    let inside = |random: &mut Random| value(random, deep + 1);
    match random.below(if deep < 4 { 7 } else { 4 }) {
        choice if deep == 0 || choice > 4 => (0..1 + random.below(3))
            .map(|name| (format!("name{name}"), inside(random)))
            .collect(),
        0 => [Value::Null, true.into(), false.into()][random.below(3)].clone(),
        1 => random.below(1000).into(),
        2 | 3 => TEXTS[random.below(TEXTS.len())].into(),
        _ => (0..random.below(4)).map(|_| inside(random)).collect(),
    }
}

/// Returns a document in one of the forms in which programs write it: on one line, or with an indent.
fn written(document: &Value, indent: Option<&str>) -> String {
    use serde::Serialize;
    let Some(indent) = indent else {
        return document.to_string();
    };
    let mut text = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let written = document.serialize(&mut Serializer::with_formatter(&mut text, formatter));
    written.unwrap();
    String::from_utf8(text).unwrap()
}

/// Puts the objects and arrays inside a document that count wherever they stand.
fn put_parts(document: &Value, parts: &mut BTreeSet<String>) {
    let inside: Vec<&Value> = match document {
        Value::Object(members) => members.values().collect(),
        Value::Array(elements) => elements.iter().collect(),
        _ => Vec::new(),
    };
    for part in inside {
        let nested = |value: &Value| value.is_object() || value.is_array();
        let strong = match part {
            Value::Object(members) => !members.is_empty(),
            Value::Array(elements) => elements.iter().any(nested),
            _ => false,
        };
        if strong {
            parts.insert(part.to_string());
        }
        put_parts(part, parts);
    }
}

/// What stands before each line, whose number is put in place of `#`.
const PREFIXES: [&str; 4] = ["", "", "app | ", "2026-01-01T00:00:0#Z INFO "];

#[test]
fn a_source_without_its_beginning_gives_no_part_without_a_fault() {
    let mut random = Random(13);
    let rounds = if cfg!(feature = "slow") { 4000 } else { 400 };
    let (mut shown, mut parts) = (0, BTreeSet::new());
    let mut bad = 0;
    for _ in 0..rounds {
        let document = value(&mut random, 0);
        parts.clear();
        put_parts(&document, &mut parts);
        if parts.is_empty() {
            continue;
        }
        let indent = [None, Some("  "), Some("    "), Some("\t")][random.below(4)];
        let prefix = PREFIXES[random.below(PREFIXES.len())];
        let text = format!("{}\nDone.\n{{\"end\":1}}\nok", written(&document, indent));
        let put = |(number, line): (usize, &str)| {
            let digit = (number % 10).to_string();
            format!("{}{line}\n", prefix.replace('#', &digit))
        };
        let text: String = text.lines().enumerate().map(put).collect();
        for cut in 1..text.len() {
            let rest = &text.as_bytes()[cut..];
            let (found, _) = read(rest, &[], &FindOptions::default());
            shown += 1;
            let is_part =
                |(_, rank, text): &(u64, Rank, String)| *rank != Rank::Weak && parts.contains(text);
            if found.documents_by_line().iter().any(is_part) && found.faults.is_empty() {
                bad += 1;
                if bad < 30 {
                    println!("---\n{}", &text[cut..]);
                }
            }
        }
    }
    assert!(bad == 0 && shown > 50 * rounds, "{bad} of {shown}");
}
