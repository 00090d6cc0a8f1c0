//! Signals in the middle of a run, and runs that wait for what does not come.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use super::{INIT, code, jsift, names, run, shell, silent};
#[cfg(target_os = "linux")]
use crate::ignored::is_ignored;

/// What an agent prints that is interrupted and has an answer already.
#[cfg(target_os = "linux")]
const END: &str = concat!(
    "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"role\":\"assistant\",\"content\":\"{\\\"a\\\": 1}\"}\n",
    "{\"type\":\"result\",\"timestamp\":\"2026-01-01T00:00:02Z\",\"status\":\"success\",\"stats\":{\"total_tokens\":3,\"input_tokens\":1,\"output_tokens\":2,\"duration_ms\":7,\"tool_calls\":0}}\n",
);

fn signal(child: &Child, name: &str) {
    let process = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &process]).status();
    assert!(sent.unwrap().success());
}

/// How many bytes a process has written to a file without a name.
#[cfg(target_os = "linux")]
fn written_in_secret(child: &Child) -> u64 {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    let sizes = open.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = fs::read_link(&path).ok()?;
        let secret = name.to_string_lossy().ends_with("(deleted)");
        secret.then(|| fs::metadata(&path).map_or(0, |file| file.len()))
    });
    sizes.sum()
}

/// Ends a run with a signal when its results have begun to be written. The first interrupt is not for it.
#[cfg(target_os = "linux")]
fn end_in_the_middle(folder: &Path, name: &str) -> Option<i32> {
    let path = folder.join("out");
    let args = ["extract", "-a", "-o", path.to_str().unwrap()];
    let mut child = jsift(&args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all("{\"a\":1}\n".repeat(20_000).as_bytes())
        .unwrap();
    while written_in_secret(&child) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    signal(&child, name);
    if name == "INT" {
        stdin.write_all(b"{\"a\":2}\n").unwrap();
        wait_until_read(&stdin);
        signal(&child, name);
    }
    child.wait().unwrap().signal()
}

/// Returns when a pipe holds nothing that was not read.
#[cfg(target_os = "linux")]
fn wait_until_read(pipe: &ChildStdin) {
    while rustix::io::ioctl_fionread(pipe).unwrap() > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

/// What comes of a run that is interrupted so many times in the middle of its input.
#[cfg(target_os = "linux")]
fn interrupted(mut child: Child, times: usize) -> Output {
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(INIT.as_bytes()).unwrap();
    wait_until_read(&stdin);
    for _ in 0..times {
        signal(&child, "INT");
    }
    stdin.write_all(END.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_ended_leaves_the_old_file_and_nothing_else() {
    let signals = [("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9)];
    for (name, number) in signals.into_iter().filter(|signal| !is_ignored(signal.1)) {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(end_in_the_middle(folder.path(), name), Some(number));
        assert!(names(folder.path()).is_empty(), "{name}");
        fs::write(folder.path().join("out"), "old").unwrap();
        assert_eq!(end_in_the_middle(folder.path(), name), Some(number));
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["out"], "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_interrupt_is_left_to_the_producer() {
    if is_ignored(2) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for args in [
        &["extract", "--payload"][..],
        &["extract", "--payload", "-o", path.to_str().unwrap()],
        &["summary", "--github-output", "response"],
        &["events", "--only", "assistant,complete"],
    ] {
        let whole = run(jsift(args).env("COLUMNS", "80"), &format!("{INIT}{END}"));
        let file = fs::read(&path).ok();
        let child = jsift(args).env("COLUMNS", "80").spawn().unwrap();
        let output = interrupted(child, 1);
        assert_eq!(output.status.code(), whole.status.code(), "{args:?}");
        assert_eq!(code(&output), (Some(0), ""), "{args:?}");
        // The delimiter of an output is another one each time.
        assert_eq!(output.stdout.len(), whole.stdout.len(), "{args:?}");
        assert_eq!(fs::read(&path).ok(), file, "{args:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_that_no_producer_gets_ends_the_run() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    if is_ignored(2) {
        return;
    }
    let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&own).unwrap();
    unlockpt(&own).unwrap();
    let name = ptsname(&own, Vec::new()).unwrap();
    let terminal = fs::File::open(name.to_str().unwrap()).unwrap();
    let mut child = jsift(&["extract", "-a", "-"])
        .stdin(terminal)
        .spawn()
        .unwrap();
    fs::File::from(own).write_all(b"{\"a\":1}\n").unwrap();
    let mut line = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut line).unwrap();
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().signal(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_that_is_ignored_stays_so() {
    let line = format!(
        "trap '' INT; exec '{}' summary -r",
        env!("CARGO_BIN_EXE_jsift")
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &line]).stdin(Stdio::piped());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = interrupted(child, 2);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"{\"a\": 1}\n");
}

#[test]
fn a_run_that_is_stopped_goes_on() {
    for args in [
        &["extract", "--all"][..],
        &["extract", "--all", "-o", "/dev/fd/1"],
    ] {
        let mut child = jsift(args).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut expected = String::new();
        for number in 0..20 {
            for name in ["STOP", "CONT", "WINCH", "URG"] {
                signal(&child, name);
            }
            write!(stdin, "noise {{\"n\": ").unwrap();
            signal(&child, "STOP");
            writeln!(stdin, "{number}}}").unwrap();
            signal(&child, "CONT");
            expected.push_str(&format!("{{\"n\":{number}}}\n"));
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), (Some(0), ""));
        assert_eq!(output.stdout, expected.as_bytes());
    }
}

#[test]
fn patience_with_a_silent_pipe_ends() {
    let idle = silent(&["events", "--idle-timeout", "0.05"], "");
    let message = "jsift: <stdin>: nothing arrived for 0.05 seconds\n";
    assert_eq!((idle.0, &*idle.2), (Some(6), message));
    let total = silent(&["events", "--timeout", "0.05"], "");
    let message = "jsift: <stdin>: no end after 0.05 seconds\n";
    assert_eq!((total.0, &*total.2), (Some(6), message));
}

#[cfg(target_os = "linux")]
#[test]
fn patience_with_a_fifo_that_nobody_writes_to_ends() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"mkfifo "$DIR/fifo"; cd "$DIR"; jsift events --timeout 0.05 fifo; \
        jsift events --idle-timeout 0.05 fifo"#;
    let output = shell(line, folder.path());
    let errors = "jsift: fifo: no end after 0.05 seconds\n\
                  jsift: fifo: nothing arrived for 0.05 seconds\n";
    assert_eq!(code(&output), (Some(6), errors));
}

#[test]
fn what_was_said_before_the_silence_is_reported() {
    let begun = format!("{INIT}{{\"type\":");
    let (status, out, _) = silent(&["events", "--idle-timeout", "0.2"], &begun);
    let phases: Vec<&str> = out
        .lines()
        .map(|line| line.split('"').nth(3).unwrap())
        .collect();
    assert_eq!((status, &*phases), (Some(6), &["init", "complete"][..]));
}
