//! Manners between processes: readers that go away, writers that are slow, streams that are full, closed or do not
//! block, and files that appear whole or not at all.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

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

#[test]
fn a_document_is_written_before_the_next_is_waited_for() {
    let mut child = jsift(&["extract", "--all"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for n in 0..3 {
        writeln!(stdin, "noise {{\"n\": {n}}}").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), format!("{{\"n\":{n}}}"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_ends_the_output_and_not_the_input() {
    let mut child = jsift(&["extract", "--all"]).spawn().unwrap();
    let fed = feed(&mut child, "{\"a\":1}\n".repeat(200_000));
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "{\"a\":1}\n");
    fed.join().unwrap().expect("no SIGPIPE for the producer");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), (Some(0), ""));
}

#[test]
fn help_into_a_closed_pipe_is_quiet() {
    let mut child = jsift(&["extract", "--help"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(code(&child.wait_with_output().unwrap()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_said_and_is_code_2() {
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let message = "jsift: <stdout>: cannot write: No space left on device\n";
    let small = run(jsift(&["extract"]).stdout(full()), "{\"a\":1}\n");
    assert_eq!(code(&small), (Some(2), message));
    let large = run(
        jsift(&["extract", "-a"]).stdout(full()),
        &"{\"a\":1}\n".repeat(100_000),
    );
    assert_eq!(code(&large), (Some(2), message));
    let help = run(jsift(&["--help"]).stdout(full()), "");
    assert_eq!(code(&help), (Some(2), message));
    let file = run(&mut jsift(&["extract", "-o", "/dev/full"]), "{\"a\":1}\n");
    assert_eq!(
        code(&file),
        (
            Some(2),
            "jsift: /dev/full: cannot write: No space left on device\n"
        )
    );
}

#[test]
fn a_stream_that_does_not_block_is_waited_for() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let mut child = jsift(&["extract"])
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    let mut ours = ours;
    for piece in ["{\"a\"", ":", "1}"] {
        thread::sleep(Duration::from_millis(20));
        ours.write_all(piece.as_bytes()).unwrap();
    }
    drop(ours);
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "{\"a\":1}\n");
    assert_eq!(code(&child.wait_with_output().unwrap()), (Some(0), ""));
}

#[test]
fn a_slow_reader_that_does_not_block_gets_everything() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let input = format!("[\"{}\"]\n", "x".repeat(4 << 20));
    let mut command = jsift(&["extract"]);
    let mut child = command.stdout(OwnedFd::from(theirs)).spawn().unwrap();
    drop(command);
    let fed = feed(&mut child, input.clone());
    fed.join().unwrap().unwrap();
    thread::sleep(Duration::from_millis(50));
    let mut text = String::new();
    ours.read_to_string(&mut text).unwrap();
    assert!(text == input);
    assert_eq!(code(&child.wait_with_output().unwrap()), (Some(0), ""));
}

#[test]
fn closed_standard_streams_do_no_harm() {
    let jsift = env!("CARGO_BIN_EXE_jsift");
    for (line, want) in [
        (format!("{jsift} extract <&-"), 1),
        (format!("{jsift} extract 2>&- <&-"), 1),
        (format!("printf '{{\"a\":1}}' | {jsift} extract 2>&-"), 0),
        (
            format!("printf '{{\"a\":1}}' | {jsift} extract 1</dev/null"),
            2,
        ),
    ] {
        let output = Command::new("sh")
            .args(["-c", &line])
            .env_clear()
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(want), "{line}");
    }
}

#[test]
fn sources_that_cannot_be_read_are_code_2_and_the_others_count() {
    let output = run(
        &mut jsift(&["extract", "/", "no-such-file", "-"]),
        "{\"a\":1}\n",
    );
    assert_eq!(output.stdout, b"{\"a\":1}\n");
    assert_eq!(
        code(&output),
        (
            Some(2),
            "jsift: /: cannot open: is a directory\n\
             jsift: no-such-file: cannot open: No such file or directory\n"
        )
    );
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_file_is_replaced_at_exit_0_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    let args = ["extract", "-o", path.to_str().unwrap()];
    assert_eq!(
        code(&run(&mut jsift(&args), "noise {\"a\": 1}\n")),
        (Some(0), "")
    );
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    assert_eq!(
        run(&mut jsift(&args), "{\"a\": [1, 2").status.code(),
        Some(4)
    );
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    assert_eq!(names(folder.path()), ["out.json"]);
}

#[test]
fn a_run_that_is_killed_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    let mut child = jsift(&["extract", "-a", "-o", path.to_str().unwrap()])
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all("{\"a\":1}\n".repeat(50_000).as_bytes())
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(names(folder.path()).is_empty());
}
