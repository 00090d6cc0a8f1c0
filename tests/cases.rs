//! Runs `tests/cases/NAME/` and compares standard output, standard error and exit code, all three every time.
//!
//! | file | content | if there is none |
//! |---|---|---|
//! | `args` | the arguments, one per line | the case is in error |
//! | `stdin` | standard input | it is empty |
//! | `stdout`, `stderr` | what has to come out | nothing has to |
//! | `status` | the exit code | 0 |
//!
//! The command runs in the folder of its case, with an empty environment, so that other files there can be named.
//! `JSIFT_REFRESH=1 cargo test --test cases` writes what came out into the folders; then look at `git diff`.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod formats;
#[path = "properties/picked.rs"]
mod picked;
#[path = "properties/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use formats::folders;

/// What is compared, by the name of its file.
type Results = BTreeMap<&'static str, Vec<u8>>;

fn run(folder: &Path) -> Results {
    let args = fs::read_to_string(folder.join("args")).expect("a case has a file args");
    let output = Command::new(env!("CARGO_BIN_EXE_jsift"))
        .args(args.lines())
        .env_clear()
        .current_dir(folder)
        .write_stdin(fs::read(folder.join("stdin")).unwrap_or_default())
        .output()
        .unwrap();
    let status = match output.status.code() {
        Some(code) => format!("{code}\n"),
        None => format!("{}\n", output.status),
    };
    BTreeMap::from([
        ("stdout", output.stdout),
        ("stderr", output.stderr),
        ("status", status.into_bytes()),
    ])
}

/// What a result is if there is no file for it.
fn default(name: &str) -> &'static [u8] {
    if name == "status" { b"0\n" } else { b"" }
}

fn refresh(folder: &Path, results: &Results) {
    for (name, result) in results {
        let path = folder.join(name);
        if result == default(name) {
            let _ = fs::remove_file(path);
        } else {
            fs::write(path, result).unwrap();
        }
    }
}

/// What differs from what has to come out.
fn differences(folder: &Path, results: &Results) -> String {
    let mut text = String::new();
    for (name, result) in results {
        let want = fs::read(folder.join(name)).unwrap_or_else(|_| default(name).to_vec());
        if *result != want {
            let (want, result) = (want.escape_ascii(), result.escape_ascii());
            writeln!(text, "  {name}\n    expected {want}\n    found    {result}").unwrap();
        }
    }
    text
}

#[test]
fn cases_give_what_they_say() {
    let mut failures = String::new();
    for folder in folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        let results = run(&folder);
        if std::env::var_os("JSIFT_REFRESH").is_some() {
            refresh(&folder, &results);
        }
        let differences = differences(&folder, &results);
        if !differences.is_empty() {
            let name = folder.file_name().unwrap().to_string_lossy();
            writeln!(failures, "{name}\n{differences}").unwrap();
        }
    }
    assert!(
        failures.is_empty(),
        "{failures}\nif that is right: JSIFT_REFRESH=1 cargo test --test cases, then git diff tests/cases"
    );
}
