//! Readers that go away, writers that are slow, streams that are full, closed or do not block.

#[cfg(target_os = "linux")]
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::{fd::OwnedFd, unix::net::UnixStream};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use super::shell;
use super::{code, feed, jsift, run};

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
fn a_picked_document_is_written_while_the_input_stays_open() {
    let thinking = "<think>{\"d\":0}</think>\n";
    let long = "noise\n".repeat(200_000);
    for (args, first, rest, ends) in [
        (
            ["first", "fence,embedded"],
            "{\"c\":0}\n```json\n{\"a\":1}\n```\n",
            "```json\n{\"b\":2}\n",
            0,
        ),
        (
            ["first", "fence,embedded"],
            "```json\n{\"a\":1}\n```\n",
            "```json\n{\"b\":\n```\n",
            3,
        ),
        (
            ["first", "embedded"],
            "log {\"a\":1}\n",
            "```json\n{\"b\":2}\n",
            0,
        ),
        (["2", "embedded"], "{\"c\":0}\n{\"a\":1}\n", "{\"b\":", 0),
    ] {
        for before in [thinking, &long] {
            let [pick, stage] = args;
            let mut child = jsift(&["extract", "--pick", pick, "--stage", stage])
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            write!(stdin, "{before}{first}").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), "{\"a\":1}", "{first}");
            write!(stdin, "{rest}").unwrap();
            drop(stdin);
            assert!(lines.next().is_none(), "{first}");
            assert_eq!(child.wait().unwrap().code(), Some(ends), "{first}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_is_written_before_the_writer_of_a_fifo_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // Written to only when the document of the source before it is there.
    let line = r#"
        cd "$DIR"; printf '{"a":1}' > first; mkfifo fifo out
        jsift extract --all first fifo > out & exec 3< out
        read line <&3; echo "$line"; echo '{"b":2}' > fifo; cat <&3; wait $!"#;
    let output = shell(line, folder.path());
    assert_eq!(code(&output), (Some(0), ""));
    assert_eq!(output.stdout, b"{\"a\":1}\n{\"b\":2}\n");
}

#[test]
fn what_stands_after_many_blank_lines_is_reported() {
    let blank = "\n".repeat(1 << 19);
    let output = run(&mut jsift(&["extract"]), &format!("{blank}no JSON\n"));
    let message = "jsift: <stdin>: no JSON found; the input begins: 'no JSON\\n'\n";
    assert_eq!(code(&output), (Some(1), message));
}

#[test]
fn the_beginning_is_reported_however_it_arrives() {
    let mut child = jsift(&["extract"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..40 {
        stdin.write_all(b"a\n").unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let whole = run(&mut jsift(&["extract"]), &"a\n".repeat(40));
    assert_eq!(code(&output), code(&whole));
}

#[test]
fn text_that_takes_many_reads_is_copied_through_as_a_whole() {
    let text = "no JSON in here\n".repeat(1 << 16);
    let output = run(&mut jsift(&["extract", "--text"]), &text);
    assert!(output.stdout == text.as_bytes());
}

#[test]
fn a_reader_that_goes_away_ends_the_output_and_not_the_input() {
    let mut child = jsift(&["extract", "--all"]).spawn().unwrap();
    let fed = feed(&mut child, "{\"a\":1}\n".repeat(20_000));
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "{\"a\":1}\n");
    fed.join().unwrap().expect("no SIGPIPE for the producer");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_not_read_to_its_end_is_not_called_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("documents");
    // No read of a power of two ends after a document.
    fs::write(&path, "{\"number\": 12345}\n".repeat(20_000)).unwrap();
    let extract = ["extract", "--all", path.to_str().unwrap()];
    let mut child = jsift(&extract).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "{\"number\":12345}\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), (Some(0), ""));
    // A producer after it is read to its end even so.
    let mut child = jsift(&[&extract[..], &["-"]].concat()).spawn().unwrap();
    drop(child.stdout.take());
    let fed = feed(&mut child, "{\"a\":1}\n".repeat(20_000));
    fed.join().unwrap().expect("no SIGPIPE for the producer");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), (Some(0), ""));
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let output = run(jsift(&extract).stdout(full.unwrap()), "");
    let message = "jsift: <stdout>: cannot write: No space left on device\n";
    assert_eq!(code(&output), (Some(2), message));
}

/// Three small results, after as many reads.
const STREAM: &str = "\
    {\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"s\",\"model\":\"m\"}\n\
    {\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"role\":\"assistant\",\"content\":\"hello\"}\n\
    {\"type\":\"result\",\"timestamp\":\"2026-01-01T00:00:02Z\",\"status\":\"success\",\"stats\":{}}\n";

#[test]
fn a_reader_may_go_away_anywhere() {
    for subcommand in [&["extract", "--all"][..], &["events"], &["summary"]] {
        let whole = run(&mut jsift(subcommand), STREAM).stdout.len();
        for count in (0..=whole).step_by(7) {
            let mut child = jsift(subcommand).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let mut stdout = child.stdout.take().unwrap();
            let reader = thread::spawn(move || stdout.read_exact(&mut vec![0; count]));
            for line in STREAM.split_inclusive('\n') {
                stdin.write_all(line.as_bytes()).expect("no SIGPIPE");
            }
            drop(stdin);
            reader.join().unwrap().unwrap();
            let output = child.wait_with_output().unwrap();
            assert_eq!(code(&output), (Some(0), ""), "{subcommand:?} {count}");
        }
    }
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
        &"{\"a\":1}\n".repeat(20_000),
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

#[cfg(unix)]
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

#[cfg(unix)]
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

#[cfg(unix)]
#[test]
fn closed_standard_streams_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    for subcommand in ["extract", "events", "summary"] {
        for (streams, want) in [
            ("<&-", 1),
            ("<&- 2>&-", 1),
            ("<&- >&- 2>&-", 1),
            ("2>&-", 0),
            // The runtime opens what is closed as /dev/null, lest a file gets its number.
            (">&-", 0),
            // What is open for reading only cannot be written to.
            ("1</dev/null", 2),
            ("1</dev/null 2>&-", 2),
        ] {
            let line = format!(
                "printf '{{\"response\":\"a\",\"stats\":{{\"models\":{{}}}}}}' | jsift {subcommand} {streams}"
            );
            let output = shell(&line, folder.path());
            assert_eq!(output.status.code(), Some(want), "{line}");
        }
    }
}

/// Messages that arrive nowhere change neither results nor code, however many there are.
#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let text = "{\"a\": 1}\n{\"type\": broken}\n".repeat(500) + STREAM;
    for args in [
        &["extract", "--all", "--verbose"][..],
        &["extract", "--require", "c"],
        &["events"],
        &["events", "--final"],
        &["events", "--strict"],
        &["summary"],
    ] {
        let heard = run(&mut jsift(args), &text);
        assert!(!heard.stderr.is_empty(), "{args:?}");
        let unheard = |stderr: Stdio| {
            let output = run(jsift(args).stderr(stderr), &text);
            assert_eq!(output.status.code(), heard.status.code(), "{args:?}");
            assert!(output.stdout == heard.stdout, "{args:?}");
        };
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        unheard(writer.into());
        #[cfg(target_os = "linux")]
        unheard(
            fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap()
                .into(),
        );
    }
}

#[test]
fn what_a_pipe_has_cut_is_distinguished_from_what_is_cut_elsewhere() {
    let envelope = format!("warning: old\n{{\"response\": \"{}", "word ".repeat(20_000));
    let init = "{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"s\",\"model\":\"m\"}\n";
    let message = "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"role\":\"assistant\",\"content\":\"";
    let stream = format!("{init}{message}{}", "word ".repeat(20_000));
    for (args, text) in [
        (&["extract"][..], &envelope),
        (&["extract", "--payload"], &envelope),
        (&["events"], &stream),
        (&["summary"], &stream),
    ] {
        for (length, cut) in [(8192, true), (65_536, true), (65_537, false), (300, false)] {
            let output = run(&mut jsift(args), &text[..length]);
            let (status, errors) = code(&output);
            assert_eq!(status, Some(4), "{args:?} {length}: {errors}");
            let hint = format!("hint: the input ends after {length} bytes, a size of pipes");
            assert_eq!(errors.contains(&hint), cut, "{args:?} {length}: {errors}");
        }
    }
}
