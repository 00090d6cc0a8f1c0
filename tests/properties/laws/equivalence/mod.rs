//! A prefix changes nothing: a text after a log prefix, in a box or next to the lines of other sources gives what the
//! text alone gives: the same documents, messages and outcome.
//!
//! The texts are those of `tests/cases`. The runs are the recordings of agents, which give the same events and the same
//! summary after a prefix as alone. The exceptions say why.

pub(super) mod wraps;

use std::fs;
use std::path::Path;

use crate::picked::{is_picked, picked};
use crate::properties::{files, run};
use serde_json::Value;

use wraps::{CELLS, WRAPS, interleaved};

/// What is asked for.
const MODES: [&str; 4] = ["", "--all", "--payload", "--repair"];

/// What a run gives: its documents, its messages without places and excerpts, its code.
fn given(text: &[u8], mode: &str, place: &Path) -> (String, Vec<String>, u8) {
    fs::write(place, text).unwrap();
    let args = ["extract", mode].into_iter().filter(|arg| !arg.is_empty());
    let given = run::on(args, place).unwrap_or_else(|| panic!("no such mode: {mode}"));
    // What is advised is for what the first bytes of the source show.
    let messages = given.messages.lines().map(without_places);
    let messages = messages
        .filter(|message| !message.starts_with("hint: "))
        .collect();
    (given.results, messages, given.code)
}

/// A message without the numbers in it that say where something stands, and without what it quotes of the input.
fn without_places(message: &str) -> String {
    let message = message.split(" begins: '").next().unwrap();
    let message = message.split_once(": ").map_or(message, |(_, said)| said);
    let place = |word: &&str| word.contains(':') && word.contains(|c: char| c.is_ascii_digit());
    let words = message.split(' ').filter(|word| !place(word));
    words.collect::<Vec<_>>().join(" ")
}

/// The forms of texts that give something else than alone.
struct Differing {
    /// What the titles of those contain that are tried and shown; nothing where all are tried.
    only: String,
    /// Their titles, each with what is shown of it.
    titles: Vec<String>,
}

impl Differing {
    fn new() -> Self {
        Self {
            only: std::env::var("JSIFT_ONLY").unwrap_or_default(),
            titles: Vec::new(),
        }
    }

    fn is_tried(&self, title: &str) -> bool {
        title.contains(&self.only)
    }

    fn add<T: PartialEq + std::fmt::Debug>(
        &mut self,
        title: String,
        text: &str,
        (alone, found): (&T, &T),
    ) {
        if found == alone {
            return;
        }
        self.titles.push(match self.only.is_empty() {
            true => title,
            false => format!("{title}\n{text}\n  alone {alone:?}\n  found {found:?}"),
        });
    }

    fn assert_none(self, from: &str) {
        assert!(
            self.titles.is_empty(),
            "these differ {from}:\n{}\nJSIFT_ONLY='NAME' shows one",
            self.titles.join("\n")
        );
    }
}

/// Why a text may give something else after a prefix, if it may.
fn exception(text: &str) -> Option<&'static str> {
    let shown = text.trim_start_matches('\u{feff}').trim();
    let mut quotes = shown
        .lines()
        .map(|line| line.replace("\\\"", "").matches('"').count() % 2);
    match shown.chars().next() {
        _ if shown.lines().count() < 2 => Some("no second line confirms its prefix"),
        Some('"') => Some("a string literal has to be the whole source"),
        _ if shown.lines().any(is_scalar) => Some("scalars have to be the whole source"),
        _ if quotes.any(|odd| odd == 1) => {
            Some("a string that is broken over lines holds the prefix")
        }
        _ if text.contains('\r') || text.contains("\u{1b}[2") => {
            Some("a line that is overwritten has no prefix of its own")
        }
        _ => None,
    }
}

/// Why a text may give something else where it is wrapped in this way, if it may.
fn exception_in(name: &str, wrap: &str) -> Option<&'static str> {
    match wrap {
        "box" | "box in colour" | "narrow box" | "box around a cell"
            if name.contains("truncated")
                || name.contains("cut")
                || name == "all-nothing-but-faults" =>
        {
            Some("what a box is drawn around to its end is not cut by the end of input")
        }
        "cell" | "box around a cell" if name.starts_with("payload") => {
            Some("the records of a run are no lines of one cell")
        }
        "cell" | "box around a cell" if name == "part-after-a-tab" => {
            Some("with --repair, the blank cells and the prefix after them are one prefix")
        }
        "grep in colour" if name == "part-that-pick-takes-before-a-surplus-bracket" => {
            Some("of two lines with other digits, no third one shows that both are one source's")
        }
        "narrow box"
            if ["part-in-a-diff", "headless-members-before-other-text"].contains(&name) =>
        {
            Some("a line is too long for the box, so that those after it are read alone")
        }
        "digits" | "counter" | "next to many" | "grep in colour" | "container" | "elapsed"
        | "words" | "comment" | "fields"
            if name == "flat-array-alone-on-its-line" =>
        {
            Some("no line near it shows that the text before it is a prefix and no label")
        }
        "container" | "elapsed" | "words" | "comment"
            if name == "record-after-a-stray-brace-on-its-line"
                || name == "records-with-commas-and-a-stray-bracket"
                || name == "object-closed-early-before-a-member-is-noted-with-all" =>
        {
            Some(
                "after words, a record does not begin its line, and a stray bracket is none to tell of",
            )
        }
        "container" | "words" | "fields" if name == "embedded-empty-of-text" => {
            Some("after a word, an empty array is of the text")
        }
        "container" | "words" | "fields" if name == "repair-of-what-is-around-documents" => {
            Some("after words, what a bracket closes on its own line is not announced")
        }
        "digits" | "counter" | "grep in colour" | "elapsed"
            if name == "embedded-word-before-one-that-is-cut" =>
        {
            Some("its first line goes on in the one with the number that repeats its word")
        }
        _ if name == "cut-after-a-name" || name == "cut-in-a-colour" => {
            Some("a line that lacks its beginning lacks its prefix, too")
        }
        _ if name == "fence-with-a-long-info-string" => {
            Some("in the middle of a line an info string is looked for in 1 KiB")
        }
        _ if name.starts_with("object-closed-early") && name.ends_with("without-a-comma") => {
            Some("a record after a prefix is given at once, and no comma asks about its next line")
        }
        _ if name.contains("known-message") => Some("what an agent is known to say begins a line"),
        _ => None,
    }
}

fn is_scalar(line: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(line)
        .is_ok_and(|value| !value.is_object() && !value.is_array())
}

/// The texts of the cases that `extract` reads from standard input, by their names.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut texts = Vec::new();
    for folder in fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let args = fs::read_to_string(folder.join("args")).unwrap();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let plain = args.lines().next() == Some("extract") && !args.contains("--unwrap");
        // What is after a prefix already is wrapped by its own case.
        let wrapped = ["prefix", "box", "docker", "line-numbers"]
            .iter()
            .any(|word| name.contains(word));
        if let Ok(text) = fs::read_to_string(folder.join("stdin"))
            && plain
            && !wrapped
            && text.len() < 1 << 16
            && exception(&text).is_none()
        {
            texts.push((name, text));
        }
    }
    texts.sort();
    texts
}

#[test]
fn a_prefix_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("source");
    let mut differing = Differing::new();
    for (name, text) in texts() {
        for mode in picked(&MODES, text.as_bytes()) {
            let alone = given(text.as_bytes(), mode, &place);
            let wraps = picked(&WRAPS, text.as_bytes()).iter();
            for (wrap, put) in wraps.chain(picked(&CELLS, text.as_bytes())) {
                let title = format!("{name} {wrap} {mode}").trim_end().to_owned();
                if !differing.is_tried(&title) || exception_in(&name, wrap).is_some() {
                    continue;
                }
                let wrapped = put(&text);
                let found = given(wrapped.as_bytes(), mode, &place);
                differing.add(title, &wrapped, (&alone, &found));
            }
        }
    }
    differing.assert_none("after a prefix");
}

/// Why a text may give something else next to another one, if it may.
fn exception_next(name: &str, text: &str) -> Option<&'static str> {
    match name {
        "embedded-weak-in-a-list"
        | "payload-empty-inside-a-line"
        | "payload-known-message-next-to-weak-documents"
        | "thinking-with-an-array" => Some("weak documents count if there are no others"),
        "fence-announced-twice" | "part-of-an-array-without-its-end" => {
            Some("its last fence or array is not closed")
        }
        "embedded-word-before-one-that-is-cut" => Some("its first line may go on in the next"),
        _ if text.contains("think") => Some("thinking begins a source"),
        _ => None,
    }
}

/// The texts that end outside a document and may be next to others, each with its name and the documents that `--all`
/// gives.
fn complete_texts(place: &Path) -> Vec<(String, String, Vec<String>)> {
    let complete = |(name, text): (String, String)| {
        let (documents, _, code) = given(text.as_bytes(), "--all", place);
        let may_be = code == 0 && text.ends_with('\n') && exception_next(&name, &text).is_none();
        may_be.then(|| (name, text, lines_of(&documents)))
    };
    texts().into_iter().filter_map(complete).collect()
}

fn lines_of(documents: &str) -> Vec<String> {
    documents.lines().map(str::to_owned).collect()
}

#[test]
fn two_texts_give_what_each_gives_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("source");
    let alone = complete_texts(&place);
    let pairs = (0..alone.len()).flat_map(|at| (0..8).map(move |next| (at, at + next)));
    let mut differing = Differing::new();
    for (first, second) in pairs {
        let (name, text, documents) = &alone[first];
        let (other, last, others) = &alone[second % alone.len()];
        let both = format!("{text}{last}");
        let expected = [documents.as_slice(), others].concat();
        let [replicas, sources] = [["app-1 | ", "app-2 | "], ["api: ", "web: "]]
            .map(|prefixes| interleaved(prefixes, [text, last]));
        for (form, log, in_order) in [
            ("alone", both.clone(), true),
            ("literal", WRAPS[0].1(&both), true),
            ("replicas", replicas, false),
            ("sources", sources, false),
        ] {
            let title = format!("{name} and {other} {form}");
            if !differing.is_tried(&title) || !is_picked(title.as_bytes()) {
                continue;
            }
            let mut found = lines_of(&given(log.as_bytes(), "--all", &place).0);
            let mut expected = expected.clone();
            // Documents are given in the order of their first lines.
            if !in_order {
                found.sort();
                expected.sort();
            }
            differing.add(title, &log, (&expected, &found));
        }
    }
    differing.assert_none("from each alone");
}

/// What `events`, `summary` and `extract --payload` say of a run, with its code. Where something stands is left out,
/// and what names the source.
fn reported(text: &[u8], place: &Path) -> Vec<(Vec<Value>, u8)> {
    fs::write(place, text).unwrap();
    let commands = [
        &["events"][..],
        &["summary", "--format", "json"],
        &["extract", "--payload", "--compact"],
    ];
    let run = |command: &&[&str]| {
        let given = run::on(command.iter().copied(), place).unwrap();
        let lines = given.results.lines();
        let mut said: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for key in ["line", "noise", "prefix"] {
            for object in said.iter_mut().filter_map(Value::as_object_mut) {
                object.remove(key);
            }
        }
        (said, given.code)
    };
    commands.iter().map(run).collect()
}

/// The recorded runs that another one is held against, by their names.
fn runs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut runs = Vec::new();
    for file in files(root.clone()) {
        let scenario = file.parent().unwrap();
        let name = scenario.strip_prefix(&root).unwrap().display().to_string();
        if !file.ends_with("stream") {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        if is_picked(text.as_bytes()) {
            runs.push((name, text));
        }
    }
    runs.sort();
    runs
}

/// Why a run may end otherwise where it is wrapped, if it may.
fn exception_of_run(title: &str, text: &str) -> Option<&'static str> {
    let ends_in_words = !text.trim_end().ends_with(['}', ']']);
    match title {
        _ if title.ends_with("quote") && ends_in_words => Some("what is quoted is said by nobody"),
        _ => None,
    }
}

#[test]
fn a_run_after_a_prefix_is_reported_as_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("source");
    let mut differing = Differing::new();
    for (name, text) in runs() {
        let alone = reported(text.as_bytes(), &place);
        for (wrap, put) in picked(&WRAPS, text.as_bytes()) {
            let title = format!("{name} {wrap}");
            if !differing.is_tried(&title) || exception_of_run(&title, &text).is_some() {
                continue;
            }
            let wrapped = put(&text);
            let found = reported(wrapped.as_bytes(), &place);
            differing.add(title, &wrapped, (&alone, &found));
        }
    }
    differing.assert_none("after a prefix");
}
