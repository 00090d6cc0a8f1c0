//! Faults that a run meets, each injected: what comes out, which code, and what is left on disk.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod files;
mod pipes;
mod signals;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

fn jsift(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
    command
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Feeds a run from a thread of its own, so that no pipe can fill up.
fn feed(child: &mut Child, input: impl Into<Vec<u8>>) -> thread::JoinHandle<std::io::Result<()>> {
    let mut stdin = child.stdin.take().unwrap();
    let input = input.into();
    thread::spawn(move || stdin.write_all(&input))
}

fn run(command: &mut Command, input: &str) -> Output {
    let mut child = command.spawn().unwrap();
    let fed = feed(&mut child, input);
    let output = child.wait_with_output().unwrap();
    fed.join().unwrap().expect("the input was read to its end");
    output
}

fn code(output: &Output) -> (Option<i32>, &str) {
    (
        output.status.code(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

/// A line of shell, in which `jsift` is the program and `DIR` the folder.
fn shell(line: &str, folder: &Path) -> Output {
    let program = env!("CARGO_BIN_EXE_jsift");
    let line = format!(
        "DIR='{}'; jsift() {{ '{program}' \"$@\"; }}; {line}",
        folder.display()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdin(Stdio::null()).output().unwrap()
}

/// What a folder holds.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}
