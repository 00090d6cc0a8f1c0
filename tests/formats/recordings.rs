//! Real output of agents and the facts that must come out of it.
//!
//! `recordings/AGENT-VERSION/SCENARIO/stream` is what the agent printed, long lists and texts cut; `expected.json` next
//! to it is a part of what `jsift summary --format json` gives: members that it names must be equal, members that it
//! calls `null` must be absent. `AGENT-documentation` holds samples from an agent's documentation, where no recording
//! was at hand.

use std::collections::HashMap;

use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::event::{Event, Phase, Progress, Status};
use jsift_agents::session::{Kept, Sessions, Tools};
use jsift_agents::stream::{Follower, StatedRecord, Stream};
use jsift_find::finder::{FindOptions, Finder};
use jsift_sink::ndjson::{self, SessionExtent};
use serde_json::Value;

use super::{Recording, recordings};
use crate::picked::is_picked;

/// The sessions of an output that is read in pieces of that size.
fn summary(output: &[u8], piece: usize) -> Vec<Value> {
    let mut stream = Stream::new(RecordReader::default(), Sessions::new(Kept::Text));
    let mut finder = Finder::new(FindOptions::default());
    for piece in output.chunks(piece) {
        finder.push(piece, &mut stream);
    }
    finder.finish(&mut stream);
    let sessions = stream.finish();
    let mut lines = Vec::new();
    for session in sessions.all() {
        ndjson::session(session, SessionExtent::default(), &mut lines);
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
    let recordings = recordings();
    assert!(!recordings.is_empty());
    for Recording {
        name,
        text,
        expected,
    } in &recordings
    {
        // Byte by byte takes longest.
        let pieces = match cfg!(feature = "slow") {
            true => &[1 << 16, 77, 1][..],
            false => &[1 << 16, 77],
        };
        for &piece in pieces {
            let sessions = summary(text.as_bytes(), piece);
            assert_eq!(sessions.len(), 1, "{name}: number of sessions");
            differences(name, expected, sessions.first(), &mut found);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The last word on each call, as events tell it and as a summary counts it: failed and denied.
fn ends_of_calls(output: &[u8]) -> [(usize, usize); 2] {
    #[derive(Default)]
    struct Follow {
        progress: Progress,
        last: HashMap<String, Status>,
    }
    impl Follower for Follow {
        fn record(&mut self, stated: StatedRecord<'_>) {
            let Self { progress, last } = self;
            progress.record(stated, &mut |event: &Event<'_>| {
                if let (Phase::Tool, Some(id), Some(status)) =
                    (event.phase, event.detail, event.status)
                {
                    last.insert(id.to_string_lossy().into_owned(), status);
                }
            });
        }

        fn sessions(&mut self) -> &mut Sessions {
            &mut self.progress.sessions
        }
    }
    let mut stream = Stream::new(RecordReader::default(), Follow::default());
    let mut finder = Finder::new(FindOptions::default());
    finder.push(output, &mut stream);
    finder.finish(&mut stream);
    let follow = stream.finish();
    let reported = |status| follow.last.values().filter(|last| **last == status).count();
    let reported = (reported(Status::Error), reported(Status::Denied));
    let counts = follow.progress.sessions.all()[0].tools().map(Tools::sum);
    let counted = counts.map_or((0, 0), |sum| (sum.error as usize, sum.denied as usize));
    [reported, counted]
}

#[test]
fn events_and_summary_count_the_same_failed_and_denied_calls() {
    // The same as older versions print it, after a hook with words of its own: only the end says that it was denied.
    const DENIED: [(&str, &str); 2] = [
        (
            "Claude requested permissions to write to",
            "no hook allows to write to",
        ),
        (
            r#""non_execution_kind":"user-rejected","permission_decision":{"decision":"reject","source":"config"}"#,
            r#""source":"hook""#,
        ),
    ];
    let (mut seen, mut late) = ((0, 0), 0);
    for Recording {
        name, text: stream, ..
    } in recordings()
    {
        let [reported, counted] = ends_of_calls(stream.as_bytes());
        // An envelope tells of no call.
        if reported != (0, 0) {
            assert_eq!(reported, counted, "{name}");
            seen = (seen.0 + reported.0, seen.1 + reported.1);
        }
        let replaced = |text: String, (words, others): &(&str, &str)| text.replace(words, others);
        let hooked = DENIED.iter().fold(stream.clone(), replaced);
        if hooked != stream {
            let lines = hooked.lines();
            let lines = lines.filter(|line| !line.contains(r#""subtype":"permission_denied""#));
            let hooked: Vec<&str> = lines.collect();
            assert_eq!(ends_of_calls(hooked.join("\n").as_bytes()), [reported; 2]);
            late += 1;
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0 && late > 0, "{seen:?} {late}");
}

#[test]
fn every_dialect_has_recordings_or_samples() {
    let recordings = recordings();
    let has_folder = |agent: &Agent| {
        recordings.iter().any(|recording| {
            let folder = recording.name.split('/').next().unwrap();
            folder
                .rsplit_once('-')
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

/// Members with the id of what a record states.
const IDS: [&str; 14] = [
    "uuid",
    "id",
    "message_id",
    "messageId",
    "messageID",
    "toolCallId",
    "tool_id",
    "tool_use_id",
    "item_id",
    "itemId",
    "partID",
    "callID",
    "call_id",
    "turnId",
];

/// Members with the time of a record.
const TIMES: [&str; 5] = ["timestamp", "ts", "time", "created_at", "createdAt"];

/// Whether a record names what it states by an id, and is no piece of a text: two pieces may be the same word. Prompts
/// have no ids of their own.
fn names_what_it_states(record: &Value) -> bool {
    let has_id = |value: &Value| IDS.iter().any(|name| value[name].is_string());
    let about = ["message", "item", "part", "data", "event"];
    let is_delta = record.to_string().to_lowercase().contains("delta");
    let is_prompt = record["type"] == "user" || record["role"] == "user";
    let has_id = has_id(record) || about.iter().any(|name| has_id(&record[name]));
    has_id && !is_delta && !is_prompt
}

/// Whether a record has an id or a time that no other has.
fn is_identified(record: &Value) -> bool {
    let has_time = |name| match &record[name] {
        Value::String(time) => time.len() > 18,
        time => time.as_f64().is_some_and(|time| time > 1e9),
    };
    let is_own = |name: &str| record[name].as_str().is_some_and(|id| id.len() > 15);
    TIMES.into_iter().any(has_time) || is_own("uuid") || is_own("id")
}

/// The sessions of an output, without what its lines were and what no dialect knows.
fn facts(lines: &[&str]) -> Vec<Value> {
    let mut sessions = summary(lines.join("\n").as_bytes(), 1 << 16);
    for members in sessions.iter_mut().filter_map(Value::as_object_mut) {
        members.remove("noise");
        members.remove("unknown_records");
    }
    sessions
}

#[test]
fn what_is_stated_twice_counts_once() {
    // A piece of a message that does not say that it is one.
    const PIECES: [&str; 1] = ["goose-documentation"];
    let (mut doubled, mut replayed, mut found) = (0, 0, Vec::new());
    for Recording {
        name, text: stream, ..
    } in recordings()
    {
        if PIECES.iter().any(|agent| name.starts_with(agent)) {
            continue;
        }
        let lines: Vec<&str> = stream.lines().collect();
        let records: Vec<(usize, Value)> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at, serde_json::from_str(line).ok()?)))
            .filter(|(_, record): &(usize, Value)| record.is_object())
            .collect();
        let once = facts(&lines);
        let named = records.iter().filter(|(at, record)| {
            names_what_it_states(record) && is_picked(lines[*at].as_bytes())
        });
        for (at, _) in named {
            let (before, after) = lines.split_at(*at);
            if facts(&[before, &lines[*at..=*at], after].concat()) != once {
                found.push(format!("{name}: line {} twice", at + 1));
            }
            doubled += 1;
        }
        let first = records.first();
        if first.is_some_and(|(_, first)| is_identified(first)) {
            if facts(&[&lines[..], &lines[..]].concat()) != once {
                found.push(format!("{name}: all of it twice"));
            }
            replayed += 1;
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let enough = if cfg!(feature = "slow") { 300 } else { 40 };
    assert!(doubled > enough && replayed > 30, "{doubled} {replayed}");
}
