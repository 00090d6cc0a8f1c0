//! Tests of what `--noise` writes, whatever the text is and however it is cut into reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

use crate::command::cli::{Command, Request, parse};
use crate::command::output::Output;
use crate::command::run::environment::{Environment, OutputStream};
use crate::command::run::extract::{Extractions, Wanted};
use crate::command::run::source::{Arrived, Channels, SourceConsumer};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{DiagnosticOptions, Diagnostics};

#[path = "../../../../../tests/properties/picked.rs"]
mod picked;
use picked::{is_picked, picked};

/// The output of a run: standard output, standard error, the outcome.
type Given = (Vec<u8>, Vec<u8>, Outcome);

/// Runs `extract` on a source that is read in pieces of `size` bytes.
fn extract_on(environment: &Environment, options: &str, text: &[u8], size: usize) -> Given {
    let line = ["jsift", "extract"]
        .into_iter()
        .chain(options.split_whitespace());
    let Ok(Request::Run(Command::Extract(options))) = parse(line) else {
        panic!("{options}");
    };
    let wanted = Wanted::resolve(&options, &Environment::default().agents).unwrap();
    let (mut written, mut messages) = (Vec::new(), Vec::new());
    let outcome = {
        let extractions = Extractions {
            options: &options,
            environment,
            wanted: &wanted,
            begun: &AtomicBool::new(false),
        };
        let mut to = Channels {
            output: Output::stream(&mut written),
            diagnostics: Diagnostics::new(&mut messages, DiagnosticOptions::default()),
        };
        let mut source = Box::new(extractions.open("in"));
        for piece in text.chunks(size) {
            let _ = source.read(Arrived::Block(piece), &mut to);
        }
        let outcome = source.end(false, &mut to).write(&mut to);
        to.output
            .commit(outcome, outcome == Outcome::Success, &|| {})
            .unwrap()
    };
    (written, messages, outcome)
}

fn extract(options: &str, source: &[u8], size: usize) -> Given {
    extract_on(&Environment::default(), options, source, size)
}

/// Returns standard output and standard error as text.
fn reported(options: &str, source: &str) -> (String, String) {
    let (written, messages, _) = extract(options, source.as_bytes(), usize::MAX);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(written), text(messages))
}

/// Returns the texts that the tests of the commands read, with their paths: a sixth, with `slow` all.
fn texts() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut folders = vec![
        root.join("cases"),
        root.join("recordings"),
        root.join("seeds/chain"),
    ];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read(&path).unwrap();
                if is_picked(&text) {
                    texts.push((path, text));
                }
            }
        }
    }
    texts
}

/// Returns whether a text is UTF-16, which is written as UTF-8.
fn is_wide(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

#[test]
fn kept_as_found_a_text_is_what_it_was() {
    let mut tried = 0;
    for (path, text) in texts() {
        let (written, ..) = extract("--noise keep --as-found", &text, 4096);
        if !is_wide(&text) {
            assert!(written == text, "{}", path.display());
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn what_is_not_documents_comes_to_standard_error_and_documents_come_as_before() {
    for (path, text) in texts() {
        for options in picked(&["", "--all", "--payload", "--all --require type"], &text) {
            let want = extract(options, &text, 4096);
            let (written, _, outcome) = extract(&format!("{options} --noise stderr"), &text, 4096);
            assert!(
                (written, outcome) == (want.0, want.2),
                "{options} {}",
                path.display()
            );
        }
    }
}

#[test]
fn how_a_text_is_cut_into_reads_does_not_matter() {
    for (path, text) in texts() {
        let sizes: &[usize] = match text.len() {
            0..300 => &[1, 7],
            300..3000 => &[7],
            _ => &[997],
        };
        let forms = [
            "--noise keep --compact",
            "--noise keep --pretty",
            "--noise stderr --all",
        ];
        for options in picked(&forms, &text) {
            let (want, messages, outcome) = extract(options, &text, usize::MAX);
            for &size in sizes {
                let given = extract(options, &text, size);
                assert!(
                    (&given.0, given.2) == (&want, outcome),
                    "{options} {size} {}",
                    path.display()
                );
                let sorted = |messages: &[u8]| {
                    let mut lines: Vec<_> = messages
                        .split(|byte| *byte == b'\n')
                        .map(<[u8]>::to_vec)
                        .collect();
                    lines.sort();
                    lines
                };
                assert!(
                    sorted(&given.1) == sorted(&messages),
                    "{options} {size} {}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn on_a_terminal_noise_is_made_safe_and_json_stays_json() {
    let terminal = OutputStream {
        terminal: true,
        ..OutputStream::default()
    };
    let environment = Environment {
        stdout: terminal,
        stderr: terminal,
        ..Environment::default()
    };
    let text = "a\x1b[2Jb\r\n\u{202e}c {\"d\":\"\u{202e}\"} \x1b]0;e\x07\n\u{e9}";
    let text = [text.as_bytes(), b"\xff\xc3"].concat();
    let safe = "a\\x1b[2Jb\r\n\\u{202e}c {\n  \"d\": \"\\u202e\"\n} \\x1b]0;e\\x07\n\u{e9}\u{fffd}\u{fffd}";
    for size in [1, 2, 3, 5, usize::MAX] {
        let (written, ..) = extract_on(&environment, "--noise keep", &text, size);
        assert_eq!(String::from_utf8_lossy(&written), safe, "{size}");
        let (_, reported, _) = extract_on(&environment, "--noise stderr --all", &text, size);
        let alongside = safe.replace("{\n  \"d\": \"\\u202e\"\n}", "");
        assert_eq!(String::from_utf8_lossy(&reported), alongside, "{size}");
    }
}

#[test]
fn a_message_begins_a_line() {
    let (_, reported) = reported("--noise stderr", "half a line");
    assert!(
        reported.starts_with("half a line\njsift: in: no JSON found"),
        "{reported}"
    );
}

#[test]
fn text_is_held_no_longer_than_what_is_pending() {
    let (line, mut held) = ("weights [1, 2] and text\n".repeat(200), 0);
    let Ok(Request::Run(Command::Extract(options))) = parse(["jsift", "extract", "--noise=keep"])
    else {
        panic!();
    };
    let wanted = Wanted::resolve(&options, &Environment::default().agents).unwrap();
    let mut messages = Vec::new();
    let extractions = Extractions {
        options: &options,
        environment: &Environment::default(),
        wanted: &wanted,
        begun: &AtomicBool::new(false),
    };
    let mut to = Channels {
        output: Output::nowhere(),
        diagnostics: Diagnostics::new(&mut messages, DiagnosticOptions::default()),
    };
    let mut source = extractions.open("in");
    for _ in 0..200 {
        let _ = source.read(Arrived::Block(line.as_bytes()), &mut to);
        held = held.max(
            source
                .around
                .as_ref()
                .unwrap()
                .held
                .slice(0, u64::MAX)
                .len(),
        );
    }
    assert!(held < 64, "{held}");
}

/// The parts of random texts: prefixes, fences, boxes, brackets, terminal bytes, records cut by a transport.
const PARTS: [&str; 29] = [
    "\n",
    "\r\n",
    "```json\n",
    "```\n",
    "> ```json5\n",
    "{\"k\":",
    "{\"k\": 1,\n",
    "}",
    "]",
    "[1, 2]",
    "[{} , 2]",
    "{\"type\": \"init\", \"x\": [{}]}",
    "{\"a\":1}",
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{feff}",
    "\0",
    "2026-11-21T20:56:44.1560000Z ",
    "2026-11-21T20:56:44.156000000Z stdout P ",
    "2026-11-21T20:56:44.156000000Z stdout F ",
    "2026-11-21T20:56:44.156000000Z stderr P ",
    "web_1  | ",
    "db_1   | ",
    "\nweb_1  | {\nweb_1  | \"a\":",
    "\nweb_1  | 1}",
    "<think>",
    "\n\u{2502} {    \u{2502}\n\u{2502} \"a\": \u{2502}\n\u{2502} 1}   \u{2502}\n",
    "text ",
    "\u{e9}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(feature = "slow") { 256 } else { 24 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random texts give the same output however they are cut into reads.
    #[test]
    fn texts_at_random_are_reported_alike(
        parts in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..40),
        size in 1_usize..60,
    ) {
        let text = parts.concat().into_bytes();
        let (written, ..) = extract("--noise keep --as-found", &text, size);
        prop_assert_eq!(&written, &text);
        for options in ["--noise keep --compact", "--noise keep --pretty --loose", "--noise stderr --all"] {
            let (want, all) = (extract(options, &text, usize::MAX), extract(options, &text, size));
            prop_assert_eq!((&want.0, want.2), (&all.0, all.2), "{}", options);
        }
        let (kept, alongside) = (extract("--all", &text, usize::MAX), extract("--all --noise stderr", &text, size));
        prop_assert_eq!((kept.0, kept.2), (alongside.0, alongside.2));
    }
}
