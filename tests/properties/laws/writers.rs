//! What the record around a line says, and the prefix before it, keep the lines of several writers apart: a log of
//! several gives what the logs of each give.

use jsift_find::document::{Document, Fault, FaultKind, Rank, Visitor};
use jsift_find::finder::FindOptions;
use jsift_find::reading::Reading;
use jsift_find::unwrap::Unwrap;
use proptest::prelude::*;
use serde_json::json;

use crate::properties::pieces;

/// Puts the line with this number of a writer into a record of a log.
type Record = fn(usize, usize, &str) -> String;

/// The logs that name a writer in each record.
const LOGS: [(&str, Record); 5] = [
    ("docker", |writer, _, line| {
        let stream = ["stdout", "stderr"][writer % 2];
        json!({"log": format!("{line}\n"), "stream": stream, "container_id": writer / 2})
            .to_string()
    }),
    ("journald", |writer, number, line| {
        json!({"__CURSOR": number, "MESSAGE": line, "_PID": writer.to_string()}).to_string()
    }),
    ("journald", |writer, _, line| {
        json!({"MESSAGE": line, "_STREAM_ID": writer, "_PID": "7"}).to_string()
    }),
    ("auto", |writer, number, line| {
        json!({"__CURSOR": number, "MESSAGE": line, "CONTAINER_ID_FULL": writer, "_PID": "1"})
            .to_string()
    }),
    ("auto", |writer, _, line| {
        json!({"log": format!("{line}\n"), "stream": "stdout", "time": 0, "kubernetes": {"pod_name": writer}})
            .to_string()
    }),
];

/// What stands before a record, by the number of its line.
const PREFIXES: [fn(usize) -> String; 3] = [
    |_| "app-1  | ".to_owned(),
    |line| format!("2026-01-01T00:00:{:02}.000Z web: ", line % 60),
    |_| "\u{1b}[36mapp-1  | \u{1b}[0m".to_owned(),
];

/// What counts: documents, and the kinds of faults, with their offsets.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    documents: Vec<(u64, String)>,
    faults: Vec<(u64, FaultKind)>,
}

impl Visitor for Counted {
    fn document(&mut self, document: Document<'_>) {
        if document.rank != Rank::Weak {
            let text = String::from_utf8_lossy(document.text).into_owned();
            self.documents.push((document.position().offset, text));
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push((fault.position.offset, fault.kind));
    }
}

fn read(log: &str, mode: &str, cuts: &[usize]) -> Counted {
    // What takes a source as a whole is not for the lines of one of several writers.
    let options = FindOptions {
        string: false,
        whole: false,
        ..FindOptions::default()
    };
    let mode: Unwrap = mode.parse().unwrap();
    let mut reading = Reading::new(mode, options);
    let mut counted = Counted::default();
    for piece in pieces(log.as_bytes(), cuts) {
        reading.block(piece, &mut counted);
    }
    reading.end(&mut counted);
    counted
}

/// Returns what was found in logs, without its offsets.
fn found_in(logs: impl IntoIterator<Item = Counted>) -> (Vec<String>, Vec<String>) {
    let (mut documents, mut faults) = (Vec::new(), Vec::new());
    for log in logs {
        documents.extend(log.documents.into_iter().map(|(_, text)| text));
        faults.extend(log.faults.iter().map(|(_, kind)| format!("{kind:?}")));
    }
    documents.sort();
    faults.sort();
    (documents, faults)
}

/// Lines of documents, whole and cut, and of other text.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "{",
        "  \"a\": {\"b\": 1},",
        "  \"c\": [2, 3]",
        "}",
        "[",
        "  {\"d\": 4},",
        "  {\"e\": 5}",
        "]",
        "{\"f\": {\"g\": 6}}",
        "{\"h\": {\"i\": 7},",
        "got {\"j\": 8} back",
        "out: {",
        "```json",
        "```",
        "ready",
        "it's 5\" wide",
        "db | {",
        "db | }",
        "[THINK]",
        "[/THINK]",
    ])
}

fn lines() -> impl Strategy<Value = Vec<(usize, &'static str)>> {
    prop::collection::vec((0usize..3, line()), 1..24)
}

proptest! {
    #[test]
    fn a_log_of_several_writers_gives_what_the_logs_of_each_give(
        lines in lines(),
        log in 0..LOGS.len(),
        cuts in prop::collection::vec(1usize..400, 0..4),
    ) {
        let (mode, record) = LOGS[log];
        let text = |wanted: &dyn Fn(usize) -> bool| -> String {
            let lines = lines.iter().enumerate().filter(|(_, (writer, _))| wanted(*writer));
            lines.map(|(number, (writer, line))| record(*writer, number, line) + "\n").collect()
        };
        let all = text(&|_| true);
        let found = read(&all, mode, &[]);
        prop_assert_eq!(&found, &read(&all, mode, &cuts), "{}", all);
        let logs = (0..3).map(|one| read(&text(&|writer| writer == one), mode, &[]));
        let (documents, faults) = found_in(logs);
        prop_assert!(found.documents.is_sorted_by_key(|(offset, _)| offset), "{}", all);
        let together = found_in([found]);
        prop_assert_eq!(together.0, documents, "{}", all);
        // Whether a fault counts next to a document in thoughts is decided once for the source.
        if !all.contains("THINK") {
            prop_assert_eq!(together.1, faults, "{}", all);
        }
    }

    #[test]
    fn records_after_a_prefix_give_what_they_give_alone(
        lines in prop::collection::vec(line(), 1..12),
        form in 0..LOGS.len() + 1,
        prefix in 0..PREFIXES.len(),
        cuts in prop::collection::vec(1usize..400, 0..4),
    ) {
        let field = ("/msg", (|_, _, line| json!({"msg": line}).to_string()) as Record);
        let (mode, record) = *LOGS.get(form).unwrap_or(&field);
        let text = |prefix: &dyn Fn(usize) -> String| -> String {
            let lines = lines.iter().enumerate();
            lines.map(|(number, line)| prefix(number) + &record(0, number, line) + "\n").collect()
        };
        let after = text(&PREFIXES[prefix]);
        let found = read(&after, mode, &[]);
        prop_assert_eq!(&found, &read(&after, mode, &cuts), "{}", after);
        // What one line alone shows to be a prefix is the finder's to decide, as of any text.
        let plain: String = lines
            .iter()
            .enumerate()
            .map(|(number, line)| PREFIXES[prefix](number) + line + "\n")
            .collect();
        prop_assert_eq!(found_in([found]), found_in([read(&plain, "cri", &[])]), "{}", after);
    }
}
