//! Real output of agents and the facts that must come out of it.
//!
//! `recordings/AGENT-VERSION/SCENARIO/stream` is what the agent printed, long lists and texts cut; `expected.json` beside it
//! is a part of what `jsift summary --format json` gives: members that it names must be equal, members that it calls `null`
//! must be absent. `AGENT-documentation` holds samples from an agent's documentation, where no recording was at hand.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use jsift::dialect::reader::Reader;
use jsift::dialect::{Agent, Strength};
use jsift::document::{Document, Fault, Visitor};
use jsift::find::{Finder, Options};
use jsift::json::view;
use jsift::session::Sessions;
use jsift::sink::ndjson;
use jsift::stream::Stream;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// The folders in a folder, in the order of their names.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap();
    let mut folders: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// The sessions of an output that is read in pieces of that size.
fn summary(output: &[u8], piece: usize) -> Vec<Value> {
    let mut stream = Stream::new(Reader::new(), Sessions::new(true));
    let mut finder = Finder::new(Options::default());
    for piece in output.chunks(piece) {
        finder.push(piece, &mut stream);
    }
    finder.finish(&mut stream);
    let sessions = stream.finish();
    let mut lines = Vec::new();
    for session in sessions.all() {
        ndjson::session(session, &mut lines);
    }
    let lines = String::from_utf8(lines).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What in `actual` is not as `expected` says, each with its place.
fn differences(place: &str, expected: &Value, actual: Option<&Value>, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Null, None) => {}
        (Value::Object(members), Some(Value::Object(object))) => {
            for (name, value) in members {
                differences(&format!("{place}/{name}"), value, object.get(name), found);
            }
        }
        (Value::Array(elements), Some(Value::Array(array))) if elements.len() == array.len() => {
            for (number, (element, value)) in elements.iter().zip(array).enumerate() {
                differences(&format!("{place}/{number}"), element, Some(value), found);
            }
        }
        (expected, Some(actual)) if expected == actual => {}
        // No errors are left out.
        (Value::Array(elements), None) if elements.is_empty() => {}
        (expected, actual) => found.push(format!("{place}: expected {expected}, got {actual:?}")),
    }
}

#[test]
fn recordings_give_their_facts_however_they_are_cut() {
    let mut found = Vec::new();
    let mut count = 0;
    for scenario in folders(&root()).iter().flat_map(|agent| folders(agent)) {
        let output = fs::read(scenario.join("stream")).unwrap();
        let expected = fs::read_to_string(scenario.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let name = scenario.strip_prefix(root()).unwrap().display().to_string();
        for piece in [1 << 16, 77, 1] {
            let sessions = summary(&output, piece);
            assert_eq!(sessions.len(), 1, "{name}: number of sessions");
            differences(&name, &expected, sessions.first(), &mut found);
        }
        count += 1;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 0);
}

/// Says which agents claim a record that has none of the names that their entries say it has, or think it possible that it
/// is theirs where they do not claim it.
struct Unnamed(Vec<String>);

impl Visitor for Unnamed {
    fn document(&mut self, document: Document<'_>) {
        let value = view::Value::new(document.text);
        let records = Some(value).into_iter().chain(value.elements());
        for record in records.filter_map(view::Object::new) {
            for entry in Agent::ALL.map(Agent::entry) {
                let strength = (entry.recognise)(&record);
                let lacks = |names| record.may_have(&set(names)) == 0;
                let unnamed = strength != Strength::No && lacks(entry.names);
                let unmarked = strength == Strength::Certain && lacks(entry.marks);
                let misjudged = (entry.is_possible)(&record) != (strength != Strength::No);
                if unnamed || unmarked || misjudged {
                    let record = String::from_utf8_lossy(document.text);
                    self.0.push(format!("{}: {record}", entry.name));
                }
            }
        }
    }

    fn fault(&mut self, _: Fault) {}
}

fn set(names: &[view::Name]) -> view::Names {
    let add = |set: view::Names, name: &view::Name| set.with(*name, 1);
    names.iter().fold(view::Names::NONE, add)
}

#[test]
fn a_record_has_the_names_by_which_it_is_told() {
    let mut unnamed = Unnamed(Vec::new());
    for scenario in folders(&root()).iter().flat_map(|agent| folders(agent)) {
        let mut finder = Finder::new(Options::default());
        finder.push(&fs::read(scenario.join("stream")).unwrap(), &mut unnamed);
        finder.finish(&mut unnamed);
    }
    assert!(unnamed.0.is_empty(), "{}", unnamed.0.join("\n"));
}

#[test]
fn every_dialect_has_recordings_or_samples() {
    let folders = folders(&root());
    let has_folder = |agent: &Agent| {
        folders.iter().any(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy();
            name.split_once('-')
                .is_some_and(|(name, _)| name == agent.name())
        })
    };
    for agent in Agent::ALL {
        assert!(
            has_folder(&agent),
            "tests/recordings/{}-VERSION is missing",
            agent.name()
        );
    }
}
