//! Sources that cannot be read, and results that appear whole or not at all.

use std::fs;
use std::io::{Read, Write};
use std::os::{fd::OwnedFd, unix::net::UnixStream};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::{Command, Output};

use super::{INIT, code, feed, jsift, names, run, shell};

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
            "jsift: /: cannot open: Is a directory\n\
             jsift: no-such-file: cannot open: No such file or directory\n"
        )
    );
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
    // Whoever has it open sees no half of the next one: that is another file.
    let mut opened = fs::File::open(&path).unwrap();
    assert_eq!(code(&run(&mut jsift(&args), "[{}]\n")), (Some(0), ""));
    let mut before = Vec::new();
    opened.read_to_end(&mut before).unwrap();
    assert_eq!(before, b"{\"a\":1}\n");
    assert_eq!(fs::read(&path).unwrap(), b"[{}]\n");
    assert_eq!(names(folder.path()), ["out.json"]);
}

/// A run that fails to write leaves the old file as it was and nothing next to it.
fn assert_untouched(line: &str, message: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out"), "old").unwrap();
    let output = shell(line, folder.path());
    let (status, errors) = code(&output);
    assert_eq!(status, Some(2), "{line}: {errors}");
    assert!(errors.ends_with(message), "{line}: {errors}");
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["out"], "{line}");
}

/// As a full disk: the system takes no more than a block for a file, whether it would send a signal or not.
#[test]
fn a_file_that_cannot_be_written_whole_is_not_written() {
    for ignored in ["", "trap '' XFSZ; "] {
        let line = r#"ulimit -f 1; yes '{"a":1}' | head -n 20000 | jsift extract -a -o "$DIR/out""#;
        let line = format!("{ignored}{line}");
        assert_untouched(&line, "/out: cannot write: File too large\n");
    }
}

/// Whoever runs the new file must not get the rights of whoever wrote it.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode_without_the_rights_of_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let line = r#"echo old > "$DIR/out"; chmod 6754 "$DIR/out"; printf '{"a":1}' | jsift extract -o "$DIR/out""#;
    let output = shell(line, folder.path());
    assert_eq!(code(&output).0, Some(0));
    let path = folder.path().join("out");
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    let mode = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o754);
}

#[test]
fn a_folder_that_takes_no_files_is_said() {
    let old = r#"printf '{"a":1}' | jsift extract -o "$DIR/out/below""#;
    assert_untouched(
        old,
        "/out/below: cannot open for writing: Not a directory\n",
    );
    let missing = r#"printf '{"a":1}' | jsift extract -o "$DIR/missing/out""#;
    assert_untouched(
        missing,
        "/missing/out: cannot open for writing: No such file or directory\n",
    );
    // Also for the superuser, who may write where nobody may. Systems say differently why not.
    #[cfg(target_os = "linux")]
    assert_untouched(r#"printf '{"a":1}' | jsift extract -o /proc/self/out"#, "");
}

/// Whether the modes of files bind whoever runs the tests.
fn modes_bind(folder: &Path) -> bool {
    fs::write(folder.join("probe"), "").unwrap();
    let read = shell(r#"chmod 0 "$DIR/probe"; cat "$DIR/probe""#, folder);
    fs::remove_file(folder.join("probe")).unwrap();
    !read.status.success()
}

#[test]
fn files_and_folders_without_permission_are_code_2() {
    let folder = tempfile::tempdir().unwrap();
    if !modes_bind(folder.path()) {
        eprintln!("passed over: modes do not bind the superuser");
        return;
    }
    let secret = r#"echo '{}' > "$DIR/secret"; chmod 0 "$DIR/secret"; jsift extract "$DIR/secret""#;
    let output = shell(secret, folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        code(&output)
            .1
            .ends_with("/secret: cannot open: Permission denied\n")
    );
    let closed =
        r#"mkdir "$DIR/d"; chmod 500 "$DIR/d"; printf '{"a":1}' | jsift extract -o "$DIR/d/out""#;
    let output = shell(closed, folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        code(&output)
            .1
            .ends_with("/d/out: cannot open for writing: Permission denied\n")
    );
    assert!(names(&folder.path().join("d")).is_empty());
}

/// Reading it fails, whoever asks.
#[cfg(target_os = "linux")]
#[test]
fn a_source_that_breaks_while_it_is_read_is_code_2() {
    for subcommand in ["extract", "events", "summary"] {
        let output = run(&mut jsift(&[subcommand, "/proc/self/mem"]), "");
        // The reason is in the words of the C library.
        let message = "\njsift: /proc/self/mem: cannot read: I";
        let (status, errors) = code(&output);
        assert_eq!(status, Some(2), "{subcommand}: {errors}");
        assert!(errors.contains(message), "{subcommand}: {errors}");
        assert_eq!(output.stdout, b"", "{subcommand}");
    }
}

#[test]
fn a_file_that_vanishes_while_it_is_read_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"
        mkfifo "$DIR/fifo"; jsift extract -a "$DIR/fifo" > "$DIR/out" & exec 3> "$DIR/fifo"
        printf '{"a":1}' >&3; rm "$DIR/fifo"; printf '{"b":2}' >&3; exec 3>&-; wait $!"#;
    let output = shell(line, folder.path());
    assert_eq!(code(&output), (Some(0), ""));
    let out = fs::read_to_string(folder.path().join("out")).unwrap();
    assert_eq!(out, "{\"a\":1}\n{\"b\":2}\n");
    let gone = shell(r#"jsift extract "$DIR/fifo""#, folder.path());
    assert_eq!(gone.status.code(), Some(2));
}

#[test]
fn a_fifo_is_a_source_and_a_place_for_results() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"
        mkfifo "$DIR/in" "$DIR/out"; cat "$DIR/out" > "$DIR/seen" &
        printf 'noise {"a": 1}' > "$DIR/in" & jsift extract -o "$DIR/out" "$DIR/in"; code=$?; wait; exit $code"#;
    let output = shell(line, folder.path());
    assert_eq!(code(&output), (Some(0), ""));
    let seen = fs::read_to_string(folder.path().join("seen")).unwrap();
    assert_eq!(seen, "{\"a\":1}\n");
    // Written directly: it is what it was.
    assert!(!fs::metadata(folder.path().join("out")).unwrap().is_file());
}

#[test]
fn standard_output_that_is_a_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"
        { echo before; printf '{"a": 1}' | jsift extract -o /dev/stdout; echo end; } > "$DIR/out""#;
    let output = shell(line, folder.path());
    assert_eq!(code(&output), (Some(0), ""));
    let out = fs::read_to_string(folder.path().join("out")).unwrap();
    assert_eq!(out, "before\n{\"a\":1}\nend\n");
}

#[test]
fn a_folder_is_no_place_for_results() {
    let folder = tempfile::tempdir().unwrap();
    let output = shell(
        r#"printf '{"a":1}' | jsift extract -o "$DIR""#,
        folder.path(),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        code(&output)
            .1
            .ends_with(": cannot open for writing: Is a directory\n"),
        "{output:?}"
    );
    assert!(names(folder.path()).is_empty());
}

/// A disk of its own, of so little room, in a namespace of its own that ends with the line; `None` where none can be
/// had.
#[cfg(target_os = "linux")]
fn on_a_small_disk(line: &str) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let line = line.replace("jsift ", &format!("'{}' ", env!("CARGO_BIN_EXE_jsift")));
    let disk = format!(
        "cd '{}' && mount -t tmpfs -o size=64k none .",
        folder.path().display()
    );
    let inside = |line: &str| {
        let line = format!("{disk} && cd '{}' && {line}", folder.path().display());
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", &line]);
        command.env("LC_ALL", "C").output().ok()
    };
    inside("true").filter(|probe| probe.status.success())?;
    inside(&line)
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_gets_full_in_the_middle_keeps_the_old_file() {
    let large = r#"yes '{"a":1}' | head -n 20000"#;
    for line in [
        // By the results themselves.
        format!("{large} | jsift extract -a -o out"),
        // By somebody else, after what is written already: on this disk there is no room for anything any more.
        format!(
            "{{ {large} | head -n 2000; head -c 1M /dev/zero > full; {large}; }} | jsift extract -a -o out"
        ),
        // There is no room from the start.
        r#"head -c 1M /dev/zero > full; echo '{"a":1}' | jsift extract -o out"#.to_owned(),
    ] {
        let reported =
            format!("printf old > out; {line}; echo \"code $?\"; cat out; rm -f full; ls -A");
        let Some(output) = on_a_small_disk(&reported) else {
            eprintln!("passed over: no disk can be mounted");
            return;
        };
        let errors = String::from_utf8(output.stderr).unwrap();
        let message = "jsift: out: cannot write: No space left on device\n";
        assert!(errors.ends_with(message), "{line}: {errors}");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "code 2\noldout\n",
            "{line}"
        );
    }
}

/// A socket whose other end has gone away without reading: what it sent before can be read, and then reading fails.
#[test]
fn a_source_that_breaks_in_the_middle_is_code_2_and_what_it_said_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    for (args, line, out) in [
        (&["extract", "--all"][..], "{\"a\":1}\n", "{\"a\":1}\n"),
        (
            &["extract", "-a", "-o", path.to_str().unwrap()],
            "{\"a\":1}\n",
            "",
        ),
        (
            &["events", "--only", "init,complete"],
            INIT,
            "{\"phase\":\"init\",",
        ),
        (
            &["summary", "--format", "json"],
            INIT,
            "{\"outcome\":\"truncated\",",
        ),
    ] {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"never read").unwrap();
        ours.write_all(line.as_bytes()).unwrap();
        drop(ours);
        let child = jsift(args).stdin(OwnedFd::from(theirs)).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let (status, errors) = code(&output);
        let message = "jsift: <stdin>: cannot read: Connection reset by peer\n";
        assert_eq!(status, Some(2), "{args:?}: {errors}");
        assert!(errors.contains(message), "{args:?}: {errors}");
        let note = format!(
            "jsift: {}: note: left as it was: the exit code is 2\n",
            path.display()
        );
        assert_eq!(
            errors.ends_with(&note),
            args.contains(&"-o"),
            "{args:?}: {errors}"
        );
        assert!(
            output.stdout.starts_with(out.as_bytes()),
            "{args:?}: {output:?}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["out"]);
}

/// Results that nobody reads yet stop the run in the middle of its file.
#[test]
fn a_file_that_is_cut_while_it_is_read_ends_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("documents");
    let document = "{\"number\": 12345}\n";
    fs::write(&path, document.repeat(400_000)).unwrap();
    let mut child = jsift(&["extract", "--all", path.to_str().unwrap()])
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 16];
    stdout.read_exact(&mut first).unwrap();
    fs::write(&path, "").unwrap();
    let mut out = first.to_vec();
    stdout.read_to_end(&mut out).unwrap();
    let documents = "{\"number\":12345}\n".repeat(out.len() / 17);
    assert!(out == documents.as_bytes(), "only whole ones");
    let output = child.wait_with_output().unwrap();
    let (status, errors) = code(&output);
    // No read of a power of two ends after a document.
    assert_eq!(status, Some(4), "{errors}");
    assert!(errors.contains("truncated"), "{errors}");
}

#[test]
fn of_two_that_write_one_file_it_is_the_last_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let args = ["extract", "--all", "-o", path.to_str().unwrap()];
    for round in 0..if cfg!(feature = "slow") { 20 } else { 3 } {
        let texts = ["{\"a\":1}\n", "{\"b\":[2]}\n"].map(|line| line.repeat(10_000));
        let runs = texts.each_ref().map(|text| {
            let mut child = jsift(&args).spawn().unwrap();
            let fed = feed(&mut child, text.as_bytes());
            (child, fed)
        });
        for (child, fed) in runs {
            fed.join().unwrap().unwrap();
            assert_eq!(code(&child.wait_with_output().unwrap()), (Some(0), ""));
        }
        let out = fs::read_to_string(&path).unwrap();
        assert!(texts.contains(&out), "round {round}: {} bytes", out.len());
        assert_eq!(names(folder.path()), ["out"]);
    }
}
