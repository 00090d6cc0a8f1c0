//! What only Windows has, or has otherwise: devices, text as its shells write it, and time without `poll`.

use std::fs;

use super::{code, jsift, run, silent};

#[test]
fn the_null_device_is_a_source_and_a_place_for_results() {
    let message = "jsift: NUL: no JSON found; the input is empty\n";
    let read = run(&mut jsift(&["extract", "NUL"]), "");
    assert_eq!(code(&read), (Some(1), message));
    let written = run(&mut jsift(&["extract", "-o", "NUL"]), "{\"a\":1}");
    assert_eq!(code(&written), (Some(0), ""));
    assert_eq!(written.stdout, b"");
}

#[test]
fn a_file_is_replaced_at_exit_0_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    fs::write(&path, "old").unwrap();
    let extract = ["extract", "-q", "-o", path.to_str().unwrap()];
    assert_eq!(run(&mut jsift(&extract), "{\"a\":").status.code(), Some(4));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(
        run(&mut jsift(&extract), "{\"a\": 1}").status.code(),
        Some(0)
    );
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn lines_of_windows_are_lines() {
    let log = "info: {\r\ninfo:   \"a\": \"b\"\r\ninfo: }\r\nnoise\r\n";
    let found = run(&mut jsift(&["extract"]), log);
    assert_eq!(code(&found), (Some(0), ""));
    assert_eq!(found.stdout, b"{\"a\":\"b\"}\n");
}

#[test]
fn patience_with_a_silent_pipe_ends() {
    let (status, _, errors) = silent(&["events", "--idle-timeout", "0.2"], "");
    let message = "jsift: <stdin>: nothing arrived for 0.2 seconds\n";
    assert_eq!((status, &*errors), (Some(6), message));
    let (status, _, errors) = silent(&["events", "--timeout", "0.2"], "");
    let message = "jsift: <stdin>: no end after 0.2 seconds\n";
    assert_eq!((status, &*errors), (Some(6), message));
}

#[test]
fn what_was_said_before_the_silence_is_reported() {
    let first = "{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"s\",\"model\":\"gemini-2.5-pro\"}\n";
    let (status, out, _) = silent(&["events", "--idle-timeout", "0.5"], first);
    assert_eq!(status, Some(6));
    assert!(out.starts_with("{\"phase\":\"init\""), "{out}");
}
