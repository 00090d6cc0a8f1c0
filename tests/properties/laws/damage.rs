//! That a document gives none of its parts without a fault if its source lacks the beginning, or something in it is
//! wrong.

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

/// Returns a document as a program writes it, if it has parts that would count.
fn drawn(random: &mut Random, parts: &mut BTreeSet<String>) -> Option<(Value, String)> {
    let mut document = value(random, 0);
    if random.below(4) == 0 {
        document = (0..1 + random.below(3)).map(|_| value(random, 0)).collect();
    }
    parts.clear();
    put_parts(&document, parts);
    let indent = [None, Some("  "), Some("    "), Some("\t")][random.below(4)];
    let text = written(&document, indent);
    (!parts.is_empty()).then_some((document, text))
}

/// Returns lines after a prefix, in which the last digit of the line's number is put in place of `#`.
fn after_prefix(lines: &str, prefixes: &[&str], random: &mut Random) -> String {
    let prefix = prefixes[random.below(prefixes.len())];
    let put = |(number, line): (usize, &str)| {
        let digit = (number % 10).to_string();
        format!("{}{line}\n", prefix.replace('#', &digit))
    };
    lines.lines().enumerate().map(put).collect()
}

/// Whether a text gives one of these parts without a fault.
fn gives_part(text: &[u8], parts: &BTreeSet<String>) -> bool {
    let (found, _) = read(text, &[], &FindOptions::default());
    let is_part =
        |(_, rank, text): &(u64, Rank, String)| *rank != Rank::Weak && parts.contains(text);
    found.faults.is_empty() && found.documents_by_line().iter().any(is_part)
}

#[test]
fn a_source_without_its_beginning_gives_no_part_without_a_fault() {
    let mut random = Random(13);
    let rounds = if cfg!(feature = "slow") { 4000 } else { 400 };
    let (mut shown, mut parts) = (0, BTreeSet::new());
    for _ in 0..rounds {
        let Some((_, document)) = drawn(&mut random, &mut parts) else {
            continue;
        };
        let text = format!("{document}\nDone.\n{{\"end\":1}}\nok");
        let prefixes = ["", "", "app | ", "2026-01-01T00:00:0#Z INFO "];
        let text = after_prefix(&text, &prefixes, &mut random);
        for cut in 1..text.len() {
            shown += 1;
            let rest = &text.as_bytes()[cut..];
            assert!(!gives_part(rest, &parts), "{}", &text[cut..]);
        }
    }
    assert!(shown > 50 * rounds, "{shown}");
}

/// Returns a document with one thing wrong: a byte that is lost, added or another one, or a line that is lost, comes
/// twice, after the next one, or after one of another program.
fn damaged(is_array: bool, document: &str, random: &mut Random) -> String {
    // With brackets among them, all that follows would be inside something else.
    const BYTES: &[u8] = b"x\",: \\0";
    let mut bytes = document.as_bytes().to_vec();
    let at = random.below(bytes.len());
    let byte = BYTES[random.below(BYTES.len())];
    match random.below(4) {
        // Objects after words in brackets are documents in a text.
        _ if is_array => return with_damaged_lines(document, random),
        // Without a quotation mark, the line may begin in a string.
        0 if bytes[at] != b'"' => _ = bytes.remove(at),
        1 if byte != b'"' => bytes.insert(at, byte),
        // A value after a name and a word belongs to the word.
        2 if !b":\"".contains(&bytes[at]) => bytes[at] = byte,
        _ => return with_damaged_lines(document, random),
    }
    String::from_utf8(bytes).unwrap()
}

fn with_damaged_lines(document: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = document.lines().collect();
    let (line, end) = (random.below(lines.len()), lines.len() - 1);
    match random.below(5) {
        0 => _ = lines.remove(line),
        1 => lines.insert(line, lines[line]),
        2 => lines.swap(line, (line + 1).min(end)),
        3 => lines.insert(line, "npm warn deprecated glob@7.2.3"),
        _ => lines.insert(line, ""),
    }
    lines.join("\n")
}

#[test]
fn a_damaged_document_gives_no_part_without_a_fault() {
    let mut random = Random(17);
    let rounds = if cfg!(feature = "slow") { 4000 } else { 400 };
    let (mut shown, mut parts) = (0, BTreeSet::new());
    for _ in 0..rounds {
        let Some((value, document)) = drawn(&mut random, &mut parts) else {
            continue;
        };
        for _ in 0..50 {
            shown += 1;
            let damaged = damaged(value.is_array(), &document, &mut random);
            let text = format!("Start.\n{damaged}\nDone.\n{{\"end\":1}}\nok");
            // A bracket after a word belongs to the word.
            let prefixes = ["", "", "app | ", "2026-01-01T00:00:0#Z "];
            let text = after_prefix(&text, &prefixes, &mut random);
            assert!(!gives_part(text.as_bytes(), &parts), "{text}");
        }
    }
    assert!(shown > 25 * rounds, "{shown}");
}

#[test]
fn a_document_that_is_closed_too_early_is_broken() {
    let mut random = Random(19);
    let rounds = if cfg!(feature = "slow") { 4000 } else { 400 };
    let mut shown = 0;
    for _ in 0..rounds {
        let Value::Object(members) = value(&mut random, 0) else {
            continue;
        };
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{name:?}:{value}"))
            .collect();
        let closing = ["}", "}}", "}]"][random.below(3)];
        for end in 1..members.len() {
            shown += 1;
            let (first, rest) = (members[..end].join(","), members[end..].join(","));
            for parted in [", ", ",", ",\n  "] {
                let document = format!("{{{first}{closing}{parted}{rest}}}");
                let fence = format!("Start.\n```json\n{document}\n```\nDone.");
                // An object at the start of a line with a comma at its end is a record.
                let alone = (!parted.contains('\n')).then(|| format!("{document}\nDone."));
                for text in alone.iter().chain([&fence]) {
                    let (found, _) = read(text.as_bytes(), &[], &FindOptions::default());
                    assert!(!found.faults.is_empty(), "{text}");
                }
            }
        }
    }
    assert!(shown > rounds / 2, "{shown}");
}
