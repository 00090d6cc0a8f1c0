//! Each recording in forms that a user may have in its place gives the same outcome and response.

use serde_json::{Map, Value};

use jsift_outcome::Outcome;

use super::minimal::sorted;
use super::{recordings, reported};
use crate::picked::picked;

/// Members that only date, name or number a record.
const TIMES: [&str; 8] = [
    "timestamp",
    "timestamp_ms",
    "ts",
    "created_at",
    "created",
    "createdAt",
    "updatedAt",
    "time",
];
const IDS: [&str; 13] = [
    "session_id",
    "sessionId",
    "sessionID",
    "uuid",
    "id",
    "request_id",
    "parentId",
    "messageID",
    "thread_id",
    "messageId",
    "parentUuid",
    "turnId",
    "interactionId",
];

/// Members of which a program that writes records again may write those that are not there.
const ABSENT: [&str; 12] = [
    "content",
    "error",
    "is_error",
    "message",
    "model",
    "parent_tool_use_id",
    "result",
    "stats",
    "status",
    "text",
    "tool_calls",
    "usage",
];

/// A way to change records, and what it may take away.
struct Variation {
    name: &'static str,
    vary: fn(Vec<Value>) -> String,
    /// Recordings for which it takes away what they say, with the reason.
    except: &'static [(&'static str, &'static str)],
}

/// Why chat messages are read only as they are.
const MEMBERS: &str = "a chat message with other members is not the agent's";
const CHAT: &str = "an array of chat messages with a prompt is a request";
const PROMPT: &str = "Cursor's transcripts are known by their prompt";

const VARIATIONS: &[Variation] = &[
    Variation {
        name: "without time stamps",
        vary: |records| {
            lines(
                records
                    .into_iter()
                    .map(|record| without(record, &TIMES, false)),
            )
        },
        except: &[(
            "cursor-documentation/partial",
            "a time stamp tells deltas from whole messages",
        )],
    },
    Variation {
        name: "without ids",
        vary: |records| {
            lines(
                records
                    .into_iter()
                    .map(|record| without(record, &IDS, true)),
            )
        },
        except: &[
            (
                "claude-2.1.330/subagent",
                "only its id tells a second turn of one process from another run",
            ),
            (
                "claude-2.1.330/disk_maxtok",
                "all its messages have one id, so that the same text is the same block",
            ),
            (
                "acp-documentation/error",
                "only its id tells the answer to another request from that to the prompt",
            ),
        ],
    },
    Variation {
        name: "without the first record",
        vary: |records| lines(records.into_iter().skip(1)),
        except: &[
            ("droid-0.225.2/sigterm", "a prompt alone may be anybody's"),
            (
                "kimi-code-2.1.0/sigterm",
                "without a version it is Kimi CLI, which prints no end",
            ),
            ("cursor-documentation/disk_transcript", PROMPT),
            ("cursor-documentation/disk_transcript-ended", PROMPT),
            ("cursor-documentation/disk_transcript-error", PROMPT),
        ],
    },
    Variation {
        name: "without the lists of the last record",
        vary: |mut records| {
            if let Some(Value::Object(members)) = records.last_mut() {
                members.retain(|_, value| !value.is_array());
            }
            lines(records)
        },
        except: &[
            ("vibe-3.0.2/plain", "the list is what it says"),
            ("vibe-3.0.2/write", "the list is what it says"),
            (
                "grok-build-documentation/disk_chat-history-cut",
                "without its call the message is the answer",
            ),
        ],
    },
    Variation {
        name: "with sorted members",
        vary: |records| lines(records.iter().map(sorted)),
        except: &[],
    },
    Variation {
        name: "as one array",
        vary: |records| Value::Array(records).to_string(),
        except: &[("grok-0.0.34/err401", CHAT), ("grok-0.0.34/fenced", CHAT)],
    },
    Variation {
        name: "pretty-printed",
        vary: |records| {
            records
                .iter()
                .map(|record| format!("{record:#}\n"))
                .collect()
        },
        except: &[],
    },
    Variation {
        name: "with unknown members",
        vary: |records| {
            with_members(records, |members| {
                members.insert("x_new".into(), serde_json::json!({"a": [1, "type"]}));
            })
        },
        except: &[
            ("kimi-documentation/write", MEMBERS),
            ("kimi-1.49.0/shellfail", MEMBERS),
            ("grok-0.0.34/err401", MEMBERS),
            ("grok-0.0.34/fenced", MEMBERS),
        ],
    },
    Variation {
        name: "with unknown records between",
        vary: |records| {
            let unknown = |(number, record)| {
                let between = serde_json::json!({"type": "x_new", "number": number});
                [record, between]
            };
            lines(records.into_iter().enumerate().flat_map(unknown))
        },
        except: &[],
    },
    Variation {
        name: "with times and a version",
        vary: |records| {
            // A record that comes again with the same time is the same record.
            let mut second = 1_767_225_600;
            with_members(records, |members| {
                second += 1;
                for (name, value) in [
                    ("timestamp", Value::from(second)),
                    ("version", "1.0".into()),
                ] {
                    members.entry(name).or_insert(value);
                }
            })
        },
        except: &[],
    },
    Variation {
        name: "with null for what is not there",
        vary: |records| {
            with_members(records, |members| {
                for name in ABSENT {
                    members.entry(name).or_insert(Value::Null);
                }
            })
        },
        except: &[
            ("kimi-documentation/write", MEMBERS),
            ("kimi-1.49.0/shellfail", MEMBERS),
            ("grok-0.0.34/err401", MEMBERS),
            ("grok-0.0.34/fenced", MEMBERS),
        ],
    },
    Variation {
        name: "with fractions for whole numbers",
        vary: |records| lines(records.into_iter().map(with_fractions)),
        except: &[],
    },
    Variation {
        name: "with text before the third record",
        vary: |records| {
            let text = lines(records);
            let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
            if let Some(third) = lines.get_mut(2) {
                third.insert_str(0, "[WARN] retrying ");
            }
            lines.concat()
        },
        except: &[],
    },
    Variation {
        name: "with its last record again, if that is dated and no delta",
        vary: |records| {
            let is_own = |record: &&Value| {
                let named = ["timestamp", "uuid"]
                    .iter()
                    .any(|name| record.get(name).is_some());
                named && !record.to_string().contains("delta")
            };
            let last = records.iter().rfind(is_own);
            lines(records.iter().chain(last).cloned())
        },
        except: &[],
    },
    Variation {
        name: "after a prefix",
        vary: |records| {
            let line = |record: &Value| format!("agent-1  | {record}\n");
            records.iter().map(line).collect()
        },
        except: &[],
    },
];

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records
        .into_iter()
        .map(|record| format!("{record}\n"))
        .collect()
}

/// The records with what `add` adds to the members of each.
fn with_members(records: Vec<Value>, mut add: impl FnMut(&mut Map<String, Value>)) -> String {
    lines(records.into_iter().map(|mut record| {
        record.as_object_mut().map(&mut add);
        record
    }))
}

/// The record without members of those names; `top` says whether only its own go.
fn without(record: Value, names: &[&str], top: bool) -> Value {
    match record {
        Value::Object(members) => {
            let kept = members
                .into_iter()
                .filter(|(name, _)| !names.contains(&name.as_str()));
            let inner = |(name, value)| match top {
                true => (name, value),
                false => (name, without(value, names, top)),
            };
            Value::Object(kept.map(inner).collect::<Map<_, _>>())
        }
        Value::Array(all) => all
            .into_iter()
            .map(|value| without(value, names, top))
            .collect(),
        other => other,
    }
}

/// The same value with `3.0` for 3, as some languages write whole numbers.
fn with_fractions(value: Value) -> Value {
    let each = |(name, value)| (name, with_fractions(value));
    match value {
        Value::Object(members) => Value::Object(members.into_iter().map(each).collect()),
        Value::Array(all) => all.into_iter().map(with_fractions).collect(),
        Value::Number(number) if number.is_i64() => number.as_f64().into(),
        other => other,
    }
}

#[test]
fn a_recording_says_the_same_in_any_form() {
    let mut found = Vec::new();
    let mut table = String::new();
    let recordings = recordings();
    let streams: Vec<_> = recordings
        .iter()
        .map(|recording| (recording, recording.records()))
        .filter(|(_, records)| records.len() > 1)
        .map(|(recording, records)| (recording, records, reported(&recording.text)))
        .collect();
    assert!(streams.len() > 20);
    let numbers: Vec<usize> = (0..VARIATIONS.len()).collect();
    for (number, variation) in VARIATIONS.iter().enumerate() {
        let (mut right, mut all) = (0, 0);
        for (recording, records, (_, outcome, response)) in &streams {
            if !picked(&numbers, recording.text.as_bytes()).contains(&number) {
                continue;
            }
            let excepted = variation
                .except
                .iter()
                .any(|(name, _)| *name == recording.name);
            if excepted {
                continue;
            }
            let (_, varied, said) = reported(&(variation.vary)(records.clone()));
            all += 1;
            if (*outcome, response) == (varied, &said) {
                right += 1;
            } else {
                found.push(format!(
                    "{} {}: {outcome} {response:?}, varied {varied} {said:?}",
                    recording.name, variation.name
                ));
            }
        }
        table.push_str(&format!("{:32} {right} of {all}\n", variation.name));
    }
    assert!(found.is_empty(), "{table}{}", found.join("\n"));
}

/// What the end of a session of opencode's server does not say.
const IDLE: &str = "whether anything was done before the session was idle";

/// Recordings whose outcome stands before their last two records, and where.
const REPORTED_BEFORE: [(&str, &str); 9] = [
    ("codex-0.39.0/multi", "rest after its last message"),
    (
        "copilot-1.0.102/err429",
        "the class in a record of the failed request",
    ),
    ("copilot-1.0.102/sigterm", "a record of the interruption"),
    ("kimi-code-2.1.0/sigterm", "the version, as its end would"),
    ("opencode-documentation/event", IDLE),
    ("opencode-documentation/event-of-old", IDLE),
    ("opencode-documentation/event-error", IDLE),
    ("opencode-documentation/global-event", IDLE),
    ("opencode-documentation/subagent", IDLE),
];

#[test]
fn the_last_records_tell_the_outcome() {
    let mut found = Vec::new();
    let mut count = 0;
    for recording in recordings() {
        let records = recording.records();
        let reported_before = REPORTED_BEFORE
            .iter()
            .any(|(name, _)| *name == recording.name);
        // What is kept on disk has no terminal record.
        let reported_before = reported_before || recording.name.contains("/disk_");
        let Some(start) = records.len().checked_sub(2).filter(|_| !reported_before) else {
            continue;
        };
        let (_, outcome, _) = reported(&recording.text);
        for start in [start, start + 1] {
            let (owner, ended, _) = reported(&lines(records[start..].to_vec()));
            // One alone may be anybody's.
            let unclaimed = start > records.len() - 2 && owner.is_none();
            if ended != outcome && !(unclaimed && ended == Outcome::None) {
                found.push(format!(
                    "{} from {start}: {outcome}, {owner:?} {ended}",
                    recording.name
                ));
            }
        }
        count += 1;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 20);
}

/// Recordings whose last record is a message, a result, or a second end: a flag in it is not about the run.
const WITHOUT_END: [&str; 10] = [
    "codex-0.39.0/multi",
    "kimi-documentation/wire",
    "kimi-documentation/write",
    "opencode-documentation/event",
    "opencode-documentation/event-of-old",
    "opencode-documentation/global-event",
    "opencode-documentation/subagent",
    "vibe-3.0.2/plain",
    "vibe-3.0.2/write",
    "warp-documentation/answer",
];

#[test]
fn a_flag_or_an_exit_code_in_the_last_record_is_believed() {
    let flags: [(&str, Value); 3] = [
        ("is_error", true.into()),
        ("exit_code", 1.into()),
        ("success", false.into()),
    ];
    let mut count = 0;
    for recording in recordings() {
        let on_disk = recording.name.contains("/disk_");
        if on_disk || !recording.is("success") || WITHOUT_END.contains(&&*recording.name) {
            continue;
        }
        for (name, value) in &flags {
            let mut records = recording.records();
            let Some(Value::Object(end)) = records.last_mut() else {
                continue;
            };
            end.insert((*name).to_owned(), value.clone());
            let (_, outcome, _) = reported(&lines(records));
            assert_eq!(outcome, Outcome::Failed, "{} {name}", recording.name);
            count += 1;
        }
    }
    assert!(count > 60);
}

#[test]
fn an_array_that_is_cut_says_the_same_in_a_fence() {
    for recording in recordings() {
        let array = Value::Array(recording.records()).to_string();
        for tenth in picked(&[1, 2, 3, 4, 5, 6, 7, 8, 9], array.as_bytes()) {
            let cut: String = array.chars().take(array.len() * tenth / 10).collect();
            let (agent, outcome, _) = reported(&cut);
            let fenced = format!("Here:\n```json\n{cut}");
            let (fenced_agent, fenced_outcome, _) = reported(&fenced);
            assert_eq!(
                (fenced_agent, fenced_outcome),
                (agent, outcome),
                "{}, {tenth} tenths",
                recording.name
            );
        }
    }
}
