//! Repair does no harm, the same in each form of a text, and what it makes is read like any other document.
//!
//! The texts are those of `tests/cases` and `tests/recordings`, whole and damaged, logs of ordinary programs, and texts
//! put together at random.

use std::fs;
use std::path::Path;

use super::equivalence::wraps::interleaved;
use crate::picked::is_picked;
use crate::properties::files;
use jsift::{Document, Error, Options, Outcome};
use proptest::prelude::*;
use serde_json::Value;

/// The largest text that is damaged: each is read several times.
const LARGE: usize = 2 << 10;

fn texts(folder: &str, names: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut paths = files(folder);
    paths.sort();
    let named = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        names.is_empty() || name.is_some_and(|name| names.contains(&name))
    };
    let paths = paths.iter().filter(|path| named(path));
    paths.map(|path| fs::read(path).unwrap()).collect()
}

/// What was found, also if something is wrong.
fn found(result: Result<Vec<Document>, Error>) -> Vec<Document> {
    result.unwrap_or_else(|error| error.found().to_vec())
}

fn one(result: Result<Document, Error>) -> Vec<Document> {
    found(result.map(|document| vec![document]))
}

fn repaired(document: &Document) -> bool {
    !document.changes().is_empty()
}

/// Whether a document is a part of a repaired one: something larger is broken, and that is what is given. What begins
/// with a repaired document and ends after it is no part of it; what begins inside may end with a bracket that the
/// repair has taken for its own.
fn is_part(document: &Document, of: &[Document]) -> bool {
    let at = document.position().offset;
    of.iter().any(|whole| {
        let start = whole.position().offset;
        let is_inside = match at.checked_sub(start) {
            Some(0) => document.length() < whole.length(),
            Some(distance) => distance < whole.length(),
            None => false,
        };
        repaired(whole) && is_inside
    })
}

/// Whether a document is another one, with its white space or, if it is repaired, without.
fn is_same(document: &Document, other: &Document) -> bool {
    let value = |document: &Document| serde_json::from_str::<Value>(document.text()).ok();
    let same_value = || value(other).is_some() && value(document) == value(other);
    document.text() == other.text() || repaired(document) && same_value()
}

/// Asserts that what is delivered without repair comes out with it, except two kinds. A part of something that is
/// repaired is given as what it is a part of. A document in thinking is no answer where the text after it can be
/// repaired.
fn does_no_harm(text: &[u8]) {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let repair = Options::new().repair(true);
    let lower = shown().to_ascii_lowercase();
    let thinks = ["think", "<|channel|>analysis"]
        .iter()
        .any(|mark| lower.contains(mark));
    for with in [Options::extract, Options::payload] {
        let (before, after) = (one(with(&Options::new(), text)), one(with(&repair, text)));
        let Some(before) = before.first() else {
            continue;
        };
        let after: Vec<_> = after.into_iter().collect();
        let same = after.iter().any(|after| is_same(after, before));
        // The payload may also be that of an envelope which is repaired.
        let is_part = || is_part(before, &after) || is_part(before, &one(repair.extract(text)));
        assert!(same || thinks || is_part(), "{}", shown());
    }
    let (before, after) = (found(jsift::documents(text)), found(repair.documents(text)));
    let mut all = after.iter();
    for document in before.iter().filter(|document| !is_part(document, &after)) {
        let same = all.any(|other| is_same(other, document));
        assert!(same, "{} in {}", document.text(), shown());
    }
    for document in after.iter().filter(|document| repaired(document)) {
        is_sound(document.text());
    }
}

/// Asserts that a repaired document is strict JSON, and all that is found in it.
fn is_sound(text: &str) {
    assert!(
        serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
        "{text}"
    );
    if !text.starts_with(['{', '[']) {
        return;
    }
    for again in one(Options::new().repair(true).extract(text)) {
        assert_eq!(again.text(), text.trim());
        assert!(!repaired(&again), "{text}");
    }
}

#[test]
fn what_is_delivered_without_repair_comes_out_with_it() {
    let cases = texts("cases", &["stdin"]);
    let recordings = texts("recordings", &["stream"]);
    assert!(cases.len() > 300 && recordings.len() > 100);
    for text in cases
        .iter()
        .chain(&recordings)
        .chain(&texts("samples", &[]))
    {
        if text.len() < 16 * LARGE && is_picked(text) {
            does_no_harm(text);
        }
    }
}

/// Texts with prefixes of their own are left out, since a repair takes off few, and broken ones, since the lines of
/// another source may repair them.
#[test]
fn what_is_delivered_of_two_sources_in_one_log_comes_out_with_repair() {
    let texts = texts("cases", &["stdin"]);
    let texts: Vec<_> = texts
        .iter()
        .filter(|text| text.len() < LARGE && jsift::documents(text.as_slice()).is_ok())
        .map(|text| String::from_utf8_lossy(text))
        .filter(|text| {
            !text.contains("| ") && !text.contains(" [0] ") && is_picked(text.as_bytes())
        })
        .collect();
    assert!(texts.len() > 20);
    for (text, other) in texts.iter().zip(texts.iter().cycle().skip(1)) {
        for names in [["app-1 | ", "app-2 | "], ["api: ", "web: "]] {
            does_no_harm(interleaved(names, [text, other]).as_bytes());
        }
    }
}

#[test]
fn what_is_delivered_of_damaged_texts_comes_out_with_repair() {
    let mut texts = texts("cases", &["stdin"]);
    texts.extend(self::texts("recordings", &["stream"]));
    texts.retain(|text| (2..LARGE).contains(&text.len()));
    // Each of them takes some milliseconds.
    let every = if cfg!(feature = "slow") { 1 } else { 12 };
    for (index, text) in texts.iter().enumerate().step_by(every) {
        // A fixed choice of places, another one in each text.
        let at = (index * 7919 + 13) % text.len();
        let mut lost = text.clone();
        lost.remove(at);
        let mut doubled = text.clone();
        doubled.insert(at, text[at]);
        for damaged in [&text[..at], &text[at..], &lost, &doubled] {
            does_no_harm(damaged);
        }
    }
}

#[test]
fn nothing_is_made_of_the_logs_of_ordinary_programs() {
    let logs = texts("samples/ordinary", &[]);
    assert!(logs.len() >= 10);
    for log in logs {
        for line in log.split_inclusive(|byte| *byte == b'\n').chain([&log[..]]) {
            for document in found(Options::new().repair(true).documents(line)) {
                let line = String::from_utf8_lossy(line);
                assert!(!repaired(&document), "{} of {line}", document.text());
            }
        }
    }
}

/// Texts that have to be repaired.
const BROKEN: [&str; 12] = [
    "{a: {\"b\": 1},\n c: 2}\n",
    "{\n  // c\n  \"a\": {\"b\": 1}\n}\n",
    "got:\n{'a': 'x',\n 'b': [1, 2,],\n}\ndone\n",
    "{\"a\": \"x\ny\n\", \"b\": 1}\n",
    "{\"a\": 1,}\n{\"b\": [\"x\"]}\n{\"c\": 2,}\n",
    "```json\n{\n  'a': True,\n  \"b\": None\n}\n```\nthat is it\n",
    "<think>\nhm\n</think>\n{\"a\": {\"b\": 1},\n\"c\": nan}\n",
    "{\"a\": \"C:\\new\\Xemp\",\n\"b\": {\"c\": \"\\alpha\"}}\n",
    "{\"a\": [1, 2,\n{\"b\": \"é\"}\n\"c\": 1}\n",
    "{\n  \"a\": 1\n  \"b\": {\"c\": 2}\n}\n",
    "{\u{a0}\"a\": {\"b\": 1},\n\"c\": 2}\n",
    "# {\n# \"a\": 1 }\n{\n\"x\": 1,}\n",
];

/// A text in another form, by name.
fn forms(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let marked = format!("\u{feff}{text}");
    let wide = |bytes: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(bytes).collect();
    let lines = |first: &str, last: &str| {
        let line = |line: &str| format!("{first}{line}{last}\n");
        text.lines().map(line).collect::<String>().into_bytes()
    };
    let boxed = |line: &str| format!("│ {line:<60} │\n");
    vec![
        ("UTF-16 LE", wide(u16::to_le_bytes)),
        ("UTF-16 BE", wide(u16::to_be_bytes)),
        ("byte order mark", marked.clone().into_bytes()),
        ("line ends", text.replace('\n', "\r\n").into_bytes()),
        ("colour", lines("\x1b[32m", "\x1b[0m")),
        ("prefix", lines("web-1  | ", "")),
        ("time", lines("2026-01-02T03:04:05.678Z ", "")),
        (
            "box",
            text.lines().map(boxed).collect::<String>().into_bytes(),
        ),
    ]
}

#[test]
fn the_form_of_a_text_changes_nothing_in_its_repair() {
    let repair = Options::new().repair(true);
    for text in BROKEN {
        let texts = |text: &[u8]| -> Vec<_> {
            let all = found(repair.documents(text)).into_iter();
            let all = all.map(|document| (document.compact(), document.changes().to_vec()));
            let first = one(repair.extract(text)).into_iter();
            all.chain(first.map(|document| (document.compact(), document.changes().to_vec())))
                .collect()
        };
        let alone = texts(text.as_bytes());
        assert!(alone.iter().any(|found| !found.1.is_empty()), "{text}");
        for (name, form) in forms(text) {
            assert_eq!(texts(&form), alone, "{name}: {text}");
        }
    }
}

#[test]
fn a_repaired_envelope_is_judged_like_any_other() {
    let repair = Options::new().repair(true);
    let mut failed = 0;
    for stream in texts("recordings", &["stream"]) {
        let Ok(text) = String::from_utf8(stream) else {
            continue;
        };
        if text.len() > LARGE {
            continue;
        }
        let sound = jsift::payload(&text).map(|document| document.compact());
        let outcome = sound
            .as_ref()
            .map_or_else(Error::outcome, |_| Outcome::Success);
        // A comma too many at the end of each record.
        let record = |line: &str| match line.strip_suffix('}') {
            Some(record) if record.len() > 1 => format!("{record},}}\n"),
            _ => format!("{line}\n"),
        };
        let broken: String = text.lines().map(record).collect();
        let again = repair.payload(&broken).map(|document| document.compact());
        match (&sound, &again) {
            (Ok(sound), again) => assert_eq!(again.as_ref().ok(), Some(sound), "{broken}"),
            (Err(_), Err(again)) => assert_eq!(again.outcome(), outcome, "{broken}"),
            (Err(_), Ok(again)) => panic!("{again} of {broken}"),
        }
        failed += u32::from(outcome.code() >= 10);
    }
    assert!(failed > 3);
}

/// Pieces of logs, JSON and prose.
fn piece() -> impl Strategy<Value = &'static str> {
    const PIECES: &str = "{|}|[|]|\"a\":|'b':|c:|\"x\"|'y'|1|true|None|,|:|=|//c\n|\n|\n\n| |[INFO] |web | |\
         {\"a\": 1}|[{\"b\": 2}]|[1, 2]|{}|```json\n|```\n|```|<think>|</think>|word|see |(|)|\\|\\\"|é|\u{feff}|{\"d\": \"|\
         \x1b[1m|\r\n|{'e': 1}|{\"f\": 1,}\n|- |> ";
    prop::sample::select(PIECES.split('|').collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn what_is_delivered_of_random_texts_comes_out_with_repair(pieces in prop::collection::vec(piece(), 0..30)) {
        does_no_harm(pieces.concat().as_bytes());
    }
}
