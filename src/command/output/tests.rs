//! What reaches an output, which errors are reported, and which files are left.

use super::*;
use jsift_sink::diagnostic::{DiagnosticOptions, Diagnostics, message_of};

/// Gives each error once, and takes what comes between them.
struct Script {
    errors: Vec<ErrorKind>,
    taken: Vec<u8>,
}

impl Write for &mut Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.errors.pop() {
            Some(kind) => Err(kind.into()),
            None => {
                let some = bytes.len().min(3);
                self.taken.extend_from_slice(&bytes[..some]);
                Ok(some)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run(output: Output<'_>, outcome: Outcome) -> (Outcome, String) {
    let mut messages = Vec::new();
    let mut diagnostics = Diagnostics::new(&mut messages, DiagnosticOptions::default());
    let outcome = output
        .commit(outcome, outcome == Outcome::Success, &|| {})
        .unwrap_or_else(|error| {
            diagnostics.report(message_of(&error));
            Outcome::Usage
        });
    drop(diagnostics);
    (outcome, String::from_utf8(messages).unwrap())
}

fn written(errors: &[ErrorKind], outcome: Outcome) -> (Outcome, String, Vec<u8>) {
    let mut script = Script {
        errors: errors.to_vec(),
        taken: Vec::new(),
    };
    let mut output = Output::stream(&mut script);
    output.write_all(b"results\n").unwrap();
    output.flush().unwrap();
    output.write_all(b"more\n").unwrap();
    let (outcome, messages) = run(output, outcome);
    (outcome, messages, script.taken)
}

#[test]
fn a_stream_that_hesitates_gets_everything() {
    let errors = [ErrorKind::Interrupted, ErrorKind::WouldBlock];
    let (outcome, messages, taken) = written(&errors, Outcome::Truncated);
    assert_eq!((outcome, messages.as_str()), (Outcome::Truncated, ""));
    assert_eq!(taken, b"results\nmore\n");
}

#[test]
fn texts_of_any_length_arrive_in_order() {
    let beyond = [BUFFER + 1, 2 * BUFFER, 3, BUFFER - 1, 1];
    let lengths = [
        &[0, 5, LARGE - 1, LARGE, 7, BUFFER - 8, BUFFER],
        &beyond[..],
    ]
    .concat();
    let mut script = Script {
        errors: vec![ErrorKind::WouldBlock],
        taken: Vec::new(),
    };
    let mut output = Output::stream(&mut script);
    let mut expected = Vec::new();
    for (byte, length) in (b'a'..).zip(lengths) {
        let text = vec![byte; length];
        output.write_ended(&text, b'\n').unwrap();
        output.write_all(&text).unwrap();
        expected.extend([&*text, b"\n", &*text].concat());
    }
    assert_eq!(run(output, Outcome::Success).0, Outcome::Success);
    assert!(script.taken == expected);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let (outcome, messages, taken) = written(&[ErrorKind::BrokenPipe], Outcome::Malformed);
    assert_eq!((outcome, messages.as_str()), (Outcome::Success, ""));
    assert_eq!(taken, b"", "nothing is written after the end");
}

#[test]
fn a_failed_write_is_said_once() {
    let (outcome, messages, _) = written(&[ErrorKind::StorageFull], Outcome::Success);
    assert_eq!(outcome, Outcome::Usage);
    assert_eq!(
        messages,
        "jsift: <stdout>: cannot write: no storage space\n"
    );
}

#[test]
fn nothing_arrives_before_a_flush() {
    let mut script = Script {
        errors: Vec::new(),
        taken: Vec::new(),
    };
    let mut output = Output::stream(&mut script);
    output.write_all(b"results").unwrap();
    drop(output);
    assert_eq!(script.taken, b"");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write_file(path: &Path, text: &str, outcome: Outcome) -> Outcome {
    let mut output = Output::file(path).unwrap();
    output.write_all(text.as_bytes()).unwrap();
    output.flush().unwrap();
    run(output, outcome).0
}

#[test]
fn a_file_appears_at_success_only_and_nothing_alongside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    for outcome in Outcome::ALL.into_iter().filter(|o| *o != Outcome::Success) {
        assert_eq!(write_file(&path, "half", outcome), outcome);
        assert!(names(folder.path()).is_empty());
    }
    drop(Output::file(&path).unwrap());
    assert!(names(folder.path()).is_empty());
    write_file(&path, "whole", Outcome::Success);
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
    write_file(&path, "worse", Outcome::Malformed);
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
    assert_eq!(names(folder.path()), ["out.json"]);
}

#[cfg(unix)]
#[test]
fn all_spellings_of_a_file_have_one_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("folder")).unwrap();
    std::os::unix::fs::symlink("file", path("link")).unwrap();
    std::os::unix::fs::symlink(folder.path(), path("folder/up")).unwrap();
    for exists in [false, true] {
        for spelling in ["link", "./file", "folder/../file", "folder/up/link"] {
            assert_eq!(
                one_path(&path(spelling)),
                one_path(&path("file")),
                "{spelling} {exists}"
            );
        }
        assert_ne!(one_path(&path("other")), one_path(&path("file")));
        fs::write(path("file"), "").unwrap();
    }
    assert_eq!(one_path(Path::new("/dev/null")), Path::new("/dev/null"));
}

#[cfg(unix)]
#[test]
fn mode_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real");
    let link = folder.path().join("link");
    symlink("real", &link).unwrap();
    write_file(&link, "through a link to nothing yet", Outcome::Success);
    assert!(link.is_symlink() && real.is_file());

    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    write_file(&link, "again", Outcome::Success);
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(fs::read_to_string(&link).unwrap(), "again");
    assert!(link.is_symlink());

    // Whoever executes the new file must not get the rights of its owner.
    fs::set_permissions(&real, fs::Permissions::from_mode(0o7755)).unwrap();
    write_file(&link, "once more", Outcome::Success);
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o7777,
        0o755
    );
}

#[test]
fn a_run_may_be_ended_until_only_the_name_of_its_results_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    for (outcome, calls) in [(Outcome::None, 0), (Outcome::Success, 1)] {
        let called = std::cell::Cell::new(0);
        let mut output = Output::file(&path).unwrap();
        output.write_all(b"new").unwrap();
        let before_rename = || {
            called.set(called.get() + 1);
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(names(folder.path()), ["out"]);
        };
        output
            .commit(outcome, outcome == Outcome::Success, &before_rename)
            .unwrap();
        assert_eq!(called.get(), calls);
    }
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn a_copy_takes_the_place_where_a_file_without_a_name_cannot() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let mut results = tempfile::tempfile().unwrap();
    results.write_all(b"new").unwrap();
    super::copy(&path, &mut results).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(names(folder.path()), ["out"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_written_directly() {
    assert_eq!(
        write_file(Path::new("/dev/null"), "x", Outcome::Success),
        Outcome::Success
    );
    assert!(Output::file(Path::new("/")).is_err());
    assert!(Output::file(Path::new("/no/such/folder/out")).is_err());
}
