//! Streams of frameworks and servers that are no agents of their own, as their documentation shows them: they are read
//! by shape, however they are framed, and none of their records is taken for the answer.

use std::fs;
use std::path::Path;

use jsift::internal::dialect::reader::RecordReader;
use jsift::internal::outcome::Outcome;

use serde_json::{Map, Value};

use super::{codes, told};

/// What each of them answers; A2A says more before.
const ANSWER: &str = r#"Here: {"ok":true}"#;
/// The streams that do not end well. LlamaIndex and smolagents do not say that a run has ended.
const OTHERS: [(&str, Outcome); 6] = [
    ("a2a-failed", Outcome::Failed),
    ("agno-failed", Outcome::Quota),
    ("dify-failed", Outcome::Quota),
    ("llamaindex", Outcome::Truncated),
    ("smolagents", Outcome::Truncated),
    ("tgi-cut", Outcome::Truncated),
];

/// The stream as server-sent events, each with its type in a line before its data; `None` if a record has none.
fn named(text: &str) -> Option<String> {
    let event = |line: &str| {
        let mut record: Map<String, Value> = serde_json::from_str(line).ok()?;
        let name = record.remove("type").or_else(|| record.remove("event"))?;
        let data = serde_json::to_string(&record).ok()?;
        Some(format!("event: {}\ndata: {data}\n\n", name.as_str()?))
    };
    text.lines().map(event).collect()
}

#[test]
fn streams_of_frameworks_are_read_by_shape() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/frameworks");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let other = OTHERS.iter().find(|(other, _)| *other == name);
        let expected = other.map_or(Outcome::Success, |(_, outcome)| *outcome);
        let framed = |text: &str, before: &str, behind: &str| {
            let lines = text.lines().map(|line| format!("{before}{line}{behind}"));
            lines.collect::<String>()
        };
        let stamped = |text: &str| framed(text, "2026-03-01T00:00:00Z agent-1 | ", "\n");
        let forms = [
            text.clone(),
            framed(&text, "data: ", "\n\n"),
            stamped(&text),
        ];
        let named = named(&text).map(|named| [stamped(&named), named]);
        for text in forms.into_iter().chain(named.into_iter().flatten()) {
            let (agent, outcome, response) = told(&text, RecordReader::new());
            assert_eq!((agent, outcome), (None, expected), "{name}");
            if outcome == Outcome::Success {
                assert!(response == ANSWER || name == "a2a", "{name}: {response}");
            }
        }
        let (codes, written) = codes(&text);
        let code = codes[0];
        assert_eq!(codes, [code; 3], "{name}");
        assert_eq!(written.is_empty(), expected != Outcome::Success, "{name}");
        assert!(
            written.is_empty() || written == "{\"ok\":true}\n",
            "{name}: {written}"
        );
        count += 1;
    }
    assert!(count > 30);
}
