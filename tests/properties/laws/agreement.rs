//! One judgement: the three commands end with the same code, whatever was done to a recording, and noise never changes
//! the code.

use std::path::Path;

use serde_json::Value;

use crate::picked::{is_picked, picked};
use crate::properties::files;
use crate::properties::run::given;
use crate::random::Random;

/// How many damaged forms of each recording are tried if the environment does not say (`FORMS=N`).
const FORMS: usize = if cfg!(feature = "slow") { 40 } else { 1 };
/// The largest recordings that are tried, in bytes, after each change and otherwise: each form is read three times.
const LARGEST: [usize; 2] = [8 << 10, 64 << 10];

/// Returns the record on a line without one of its members, at any depth.
fn without_member(line: &str, random: &mut Random) -> String {
    fn objects(value: &Value) -> usize {
        match value {
            Value::Object(members) => 1 + members.values().map(objects).sum::<usize>(),
            Value::Array(elements) => elements.iter().map(objects).sum(),
            _ => 0,
        }
    }
    fn drop_from(value: &mut Value, left: &mut usize, random: &mut Random) {
        match value {
            Value::Object(members) => {
                if *left == 0 {
                    let name = members.keys().nth(random.below(members.len())).cloned();
                    if let Some(name) = name {
                        members.shift_remove(&name);
                    }
                }
                *left = left.wrapping_sub(1);
                for member in members.values_mut() {
                    drop_from(member, left, random);
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    drop_from(element, left, random);
                }
            }
            _ => {}
        }
    }
    let Ok(mut record) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let mut left = random.below(objects(&record));
    drop_from(&mut record, &mut left, random);
    format!("{record}\n")
}

/// Returns a damaged form of a recording, and what was done.
fn damaged(text: &str, random: &mut Random) -> (&'static str, String) {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let at = random.below(lines.len());
    let next = (at + 1).min(lines.len() - 1);
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let what = match random.below(9) {
        0 | 1 => {
            lines[at] = without_member(&lines[at], random);
            "a member is missing"
        }
        2 => {
            lines.swap(at, next);
            "two lines are swapped"
        }
        3 => {
            let half = lines[at].chars().take(lines[at].chars().count() / 2);
            lines[at] = half.collect::<String>() + "\n";
            "a line is cut"
        }
        4 => {
            let line = lines[at].clone();
            lines.insert(at, line);
            "a line is doubled"
        }
        5 => {
            lines.remove(at);
            "a line is missing"
        }
        6 => {
            lines
                .iter_mut()
                .for_each(|line| line.insert_str(0, "app-1  | "));
            "after a prefix"
        }
        7 => {
            return (
                "the beginning is cut",
                text[boundary(random.below(text.len()))..].to_owned(),
            );
        }
        _ => {
            return (
                "the end is cut",
                text[..boundary(random.below(text.len()))].to_owned(),
            );
        }
    };
    (what, lines.concat())
}

/// Returns how the commands disagree on a source, if they do.
fn disagreement(source: &[u8]) -> Option<String> {
    let (report, _, summary) = given(&["summary", "--format", "json"], source)?;
    let (_, _, events) = given(&["events"], source)?;
    let (_, _, payload) = given(&["extract", "--payload"], source)?;
    let sessions = report.lines().filter(|line| line.starts_with('{')).count();
    let agree = match sessions {
        // What is no agent's any more, such as the one record that is left, is text, of which `extract` takes the JSON.
        0 => summary == events && (payload == summary || summary == 1),
        // The answer of a run that succeeded may hold no JSON, or JSON that is broken or cut.
        1 => {
            summary == events
                && (payload == summary || summary == 0 && [3, 4, 5].contains(&payload))
        }
        // Of several sessions the worst gives the code of `summary`, and the last one that of the others.
        _ => payload == events || events == 0 && [3, 4, 5].contains(&payload),
    };
    (!agree).then(|| {
        format!("summary {summary}, events {events}, payload {payload} ({sessions} sessions)")
    })
}

#[test]
fn the_commands_agree_on_damaged_recordings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut paths = files(folder);
    paths.retain(|path| path.file_name().is_some_and(|name| name == "stream"));
    paths.sort();
    let forms = std::env::var("FORMS").ok();
    let largest = LARGEST[usize::from(cfg!(feature = "slow") || forms.is_some())];
    let forms = forms.and_then(|forms| forms.parse().ok()).unwrap_or(FORMS);
    let mut all = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        if text.is_empty() || text.len() > largest {
            continue;
        }
        let mut random = Random(index as u64);
        for form in 0..forms {
            let (what, source) = damaged(&text, &mut random);
            if let Some(disagreement) = disagreement(source.as_bytes()) {
                let name = path
                    .strip_prefix(env!("CARGO_MANIFEST_DIR"))
                    .unwrap_or(path);
                all.push(format!(
                    "{}, {form}, {what}: {disagreement}",
                    name.display()
                ));
            }
        }
    }
    assert!(all.is_empty(), "{}\n{}", all.join("\n"), all.len());
}

/// Returns the runs of up to three records of a stream, and the stream.
fn pieces_of(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let runs = (1..=3).flat_map(|length| lines.windows(length));
    let mut pieces: Vec<String> = runs.map(<[&str]>::concat).collect();
    pieces.push(text.to_owned());
    pieces
}

#[test]
fn noise_changes_neither_code_nor_payload_of_an_unknown_agents_records() {
    const NOISE: &str = "npm warn deprecated glob@7.2.3\n";
    let payload = |text: &str| {
        let given = given(&["extract", "--payload"], text.as_bytes());
        given.map(|(results, _, code)| (results, code))
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/frameworks");
    let mut count = 0;
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        for piece in pieces_of(&text)
            .into_iter()
            .filter(|piece| is_picked(piece.as_bytes()))
        {
            let expected = payload(&piece);
            let (first, rest) = piece.split_at(piece.find('\n').map_or(0, |end| end + 1));
            let noisy = [
                format!("{NOISE}{piece}"),
                format!("{first}{NOISE}{rest}"),
                format!("{piece}{NOISE}"),
                format!("{NOISE}{first}{NOISE}\n{rest}{NOISE}"),
            ];
            for text in picked(&noisy, piece.as_bytes()) {
                assert_eq!(payload(text), expected, "{}: {text}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}
