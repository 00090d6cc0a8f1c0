//! Faults that a run meets, each injected: what comes out, which code, and what is left on disk.

#[cfg(unix)]
mod files;
mod pipes;
#[cfg(unix)]
// Most of it asks /proc.
#[cfg_attr(not(target_os = "linux"), allow(unused_imports, dead_code))]
mod signals;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use std::fs;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use crate::jsift;

/// The begin of a run.
#[cfg(unix)]
const INIT: &str = "{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"s\",\"model\":\"gemini-2.5-pro\"}\n";

/// Feeds a run from a thread of its own, so that no pipe can fill up.
fn feed(child: &mut Child, input: impl Into<Vec<u8>>) -> thread::JoinHandle<io::Result<()>> {
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

/// The output for a pipe that is held open without further input, after some first input.
fn silent(args: &[&str], first: &str) -> (Option<i32>, String, String) {
    let (stdin, mut writer) = io::pipe().unwrap();
    writer.write_all(first.as_bytes()).unwrap();
    let mut child = jsift(args).stdin(stdin).spawn().unwrap();
    let status = child.wait().unwrap();
    drop(writer);
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.unwrap().read_to_string(&mut out).unwrap();
    child.stderr.unwrap().read_to_string(&mut errors).unwrap();
    (status.code(), out, errors)
}

fn code(output: &Output) -> (Option<i32>, &str) {
    (
        output.status.code(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

/// A line of shell, in which `jsift` is the program and `DIR` the folder.
#[cfg(unix)]
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
#[cfg(unix)]
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}
