//! Formats, not recordings: whose the records are that documentation shows, a filter leaves or an older version writes.

mod agents;
mod alone;
mod apis;
mod decoys;
mod ends;
mod failures;
mod files;
mod frameworks;
mod json_test_suite;
mod minimal;
mod mocks;
mod objects;
mod partial;
mod pieces;
mod recordings;
mod sources;
mod turns;
mod unknown_agents;
mod variations;

use std::fs;
use std::path::{Path, PathBuf};

use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::session::{Kept, Session, Sessions};
use jsift_agents::stream::Stream;
use jsift_find::finder::FindOptions;
use jsift_outcome::Outcome;
use serde_json::Value;

use crate::run::given;

/// A recording that the tests hold.
struct Recording {
    name: String,
    text: String,
    /// What of a summary must come out.
    expected: Value,
}

/// All of them, in the order of their names.
fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let scenarios = folders(&root).into_iter().flat_map(|agent| folders(&agent));
    scenarios
        .map(|scenario| Recording {
            name: scenario.strip_prefix(&root).unwrap().display().to_string(),
            text: String::from_utf8_lossy(&fs::read(scenario.join("stream")).unwrap()).into_owned(),
            expected: serde_json::from_slice(&fs::read(scenario.join("expected.json")).unwrap())
                .unwrap(),
        })
        .collect()
}

/// The folders in a folder, in the order of their names.
pub(crate) fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

impl Recording {
    fn is(&self, outcome: &str) -> bool {
        self.expected["outcome"] == outcome
    }

    /// The records of a stream, each on a line; empty for an envelope and for records next to noise.
    fn records(&self) -> Vec<Value> {
        let lines = self.text.lines().filter(|line| !line.trim().is_empty());
        let records: Option<Vec<Value>> =
            lines.map(|line| serde_json::from_str(line).ok()).collect();
        let records = records.unwrap_or_default();
        match records.as_slice() {
            [Value::Array(elements)] => elements.clone(),
            [] | [_] => Vec::new(),
            _ => records,
        }
    }
}

/// The sessions of a text.
fn sessions(text: &str) -> Sessions {
    sessions_by(text, RecordReader::default())
}

/// The sessions that a reader finds in a text.
fn sessions_by(text: &str, reader: RecordReader) -> Sessions {
    let mut stream = Stream::new(reader, Sessions::new(Kept::Text));
    jsift_find::reading::read(text.as_bytes(), FindOptions::default(), &mut stream).unwrap();
    stream.finish()
}

/// The agent, the outcome and the response of the last session.
fn reported(text: &str) -> (Option<String>, Outcome, String) {
    reported_by(text, RecordReader::default())
}

/// The agent, the outcome and the response of the last session that a reader finds.
fn reported_by(text: &str, reader: RecordReader) -> (Option<String>, Outcome, String) {
    let sessions = sessions_by(text, reader);
    let session = sessions.current();
    let agent = session
        .and_then(|session| session.agent)
        .map(|agent| agent.name().to_owned());
    let response = session.and_then(Session::response).unwrap_or_default();
    let response = response.to_string_lossy().trim().to_owned();
    (agent, sessions.outcome(), response)
}

/// The exit codes of `summary`, `events` and `extract -p`, and what the last one writes.
fn codes(text: &str) -> ([i32; 3], String) {
    let run = |arguments: &[&str]| {
        let (written, _, code) = given(arguments, text.as_bytes()).unwrap();
        (i32::from(code), written)
    };
    let (payload, written) = run(&["extract", "-p"]);
    ([run(&["summary"]).0, run(&["events"]).0, payload], written)
}

/// An input, the exit codes of `summary`, `events` and `extract -p`, and what the last one writes.
type Row<'t> = (&'t str, [i32; 3], &'t str);

/// Asserts how the inputs end, in all the forms in which each may come.
#[track_caller]
fn assert_ends<F: IntoIterator<Item = String>>(rows: &[Row<'_>], forms: impl Fn(&str) -> F) {
    for (text, expected, written) in rows {
        let written = match *written {
            "" => String::new(),
            document => format!("{document}\n"),
        };
        for form in forms(text) {
            assert_eq!(codes(&form), (*expected, written.clone()), "{form}");
        }
    }
}

/// An input, whose it is, how it ended and what the answer is.
type Run = (&'static str, &'static str, &'static str, &'static str);

/// Asserts that the inputs are read so, by the three commands alike.
#[track_caller]
fn assert_runs(runs: &[Run]) {
    for run in runs {
        let (input, _, _, response) = run;
        let code = i32::from(assert_run(input, run).code());
        let mut values = serde_json::Deserializer::from_str(response).into_iter::<Value>();
        let payload = match code {
            0 if response.is_empty() || values.any(|value| value.is_err()) => 5,
            code => code,
        };
        assert_eq!(codes(input).0, [code, code, payload], "{input}");
    }
}

/// Asserts that a form of an input is read so, also if the agent is named. Returns how the run ended.
#[track_caller]
fn assert_run(form: &str, (_, agent, ended, response): &Run) -> Outcome {
    let believed = RecordReader::of(Agent::from_name(agent).unwrap());
    for (owner, outcome, answer) in [reported(form), reported_by(form, believed)] {
        let read = (owner.as_deref(), outcome.word(), answer.as_str());
        assert_eq!(read, (Some(*agent), *ended, *response), "{form}");
    }
    reported(form).1
}
