//! Tests of the order, failure and combination of sources, and of live reading.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::command::output::Output;
use crate::command::run::environment::OutputStream;
use jsift_sink::diagnostic::{DiagnosticOptions, Diagnostics};

/// Records the calls that it receives.
#[derive(Default)]
struct Witness {
    said: Mutex<Vec<String>>,
    enough_after: Option<usize>,
}

impl Witness {
    fn say(&self, text: impl Into<String>) -> usize {
        let mut said = self.said.lock().unwrap();
        said.push(text.into());
        said.len()
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

impl Consumer for Witness {
    fn begin<'s>(&'s self, _: &str, _: bool) -> Box<dyn SourceConsumer<'s> + 's> {
        self.say("begin");
        Box::new(self)
    }
}

impl<'s> SourceConsumer<'s> for &'s Witness {
    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()> {
        let Arrived::Block(bytes) = bytes else {
            unreachable!("there is no room");
        };
        to.output.write_all(bytes).unwrap();
        let text = String::from_utf8_lossy(bytes).into_owned();
        let said = self.say(text);
        match self.enough_after {
            Some(length) if said > length => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn before_blocking_read(&mut self, _: &mut Channels<'_>) {
        self.say("wait");
    }

    fn end(self: Box<Self>, _: bool, _: &mut Channels<'_>) -> Box<dyn SourceEnd + 's> {
        self.say("end");
        Box::new(Outcome::Success)
    }

    fn count(&mut self) -> u64 {
        self.said().len() as u64
    }

    fn is_live(&self) -> bool {
        false
    }
}

fn read(files: &[PathBuf], timeouts: Timeouts, witness: &Witness) -> (Outcome, String) {
    let mut messages = Vec::new();
    let mut to = Channels {
        output: Output::nowhere(),
        diagnostics: Diagnostics::new(&mut messages, DiagnosticOptions::default()),
    };
    let environment = Environment::default();
    let mut sources = Sources::new(files, &environment, None);
    sources.timeouts = timeouts;
    let outcome = sources.read(witness, &mut to);
    drop(to);
    (outcome, String::from_utf8(messages).unwrap())
}

#[test]
fn sources_that_fail_are_named_and_the_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), "A").unwrap();
    fs::write(path("b"), "B").unwrap();
    let files = [
        path("a"),
        path("missing"),
        folder.path().to_owned(),
        path("b"),
    ];
    let witness = Witness::default();
    let (outcome, messages) = read(&files, Timeouts::default(), &witness);
    assert_eq!(outcome, Outcome::Usage);
    assert_eq!(witness.said(), ["begin", "A", "end", "begin", "B", "end"]);
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].ends_with("missing: cannot open: No such file or directory"),
        "{messages}"
    );
    assert!(
        lines[1].ends_with(": cannot open: Is a directory"),
        "{messages}"
    );
}

#[test]
fn none_is_said_only_if_nothing_was_found_anywhere() {
    use Outcome::{Mismatch, None, Quota, Success, Truncated, Usage};
    for (outcomes, want) in [
        (&[None, None][..], None),
        (&[None, Success], Success),
        (&[Success, None], Success),
        (&[None, Mismatch, Success], Mismatch),
        (&[Quota, Truncated, Success], Quota),
        (&[Quota, Usage, None], Usage),
    ] {
        assert_eq!(combine(outcomes), want, "{outcomes:?}");
    }
}

/// Returns what is shown while four blocks of a file are read, one per second.
fn shown(environment: Environment, output: Output<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let files = [folder.path().join("a")];
    fs::write(&files[0], vec![b' '; 4 * BLOCK_SIZE]).unwrap();
    let mut messages = Vec::new();
    let mut to = Channels {
        output,
        diagnostics: Diagnostics::new(&mut messages, DiagnosticOptions::default()),
    };
    let sources = Sources::new(&files, &environment, Some("word"));
    sources.read(&Witness::default(), &mut to);
    drop(to);
    String::from_utf8(messages).unwrap()
}

/// Returns an environment with a terminal on standard error and a clock that advances by a second at each call.
fn terminal() -> Environment {
    let seconds = AtomicU64::new(0);
    Environment {
        status_columns: Some(Box::new(|| Some(80))),
        clock: Box::new(move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed))),
        ..Environment::default()
    }
}

#[test]
fn a_long_input_is_reported_until_it_ends() {
    assert_eq!(
        shown(terminal(), Output::nowhere()),
        "\rjsift: 50 %, 512 KiB, 512 KiB/s, 3 words\x1b[K\r\
         \rjsift: 75 %, 768 KiB, 384 KiB/s, 4 words\x1b[K\r\
         \rjsift: 100 %, 1.0 MiB, 341 KiB/s, 5 words\x1b[K\r\
         \r\x1b[K"
    );
}

#[test]
fn a_long_input_is_not_reported_where_results_may_be_shown() {
    let with = |stdout| Environment {
        stdout,
        ..terminal()
    };
    let pipe = OutputStream {
        passed_on: true,
        ..OutputStream::default()
    };
    let view = OutputStream {
        terminal: true,
        ..OutputStream::default()
    };
    let file = OutputStream::default();
    assert_eq!(shown(with(view), Output::nowhere()), "");
    assert_eq!(shown(with(pipe), Output::stream(io::sink())), "");
    assert_ne!(shown(with(pipe), Output::nowhere()), "");
    assert_ne!(shown(with(file), Output::stream(io::sink())), "");
    let nowhere = Environment {
        status_columns: None,
        ..terminal()
    };
    assert_eq!(shown(nowhere, Output::nowhere()), "");
}

#[test]
fn a_run_is_reported_as_long_as_it_has_the_terminal() {
    let looks = AtomicU64::new(0);
    let environment = Environment {
        status_columns: Some(Box::new(move || {
            (looks.fetch_add(1, Ordering::Relaxed) == 1).then_some(80)
        })),
        ..terminal()
    };
    assert_eq!(
        shown(environment, Output::nowhere()),
        "\rjsift: 75 %, 768 KiB, 384 KiB/s, 4 words\x1b[K\r\r\x1b[K"
    );
}

#[cfg(unix)]
mod live {
    use std::os::fd::OwnedFd;

    use super::*;

    /// Returns a pipe, as a path that can be opened and as its two ends.
    fn pipe() -> (PathBuf, io::PipeReader, io::PipeWriter) {
        use std::os::fd::AsRawFd;
        let (reader, writer) = io::pipe().unwrap();
        (
            PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd())),
            reader,
            writer,
        )
    }

    #[test]
    fn what_is_there_is_read_before_the_reader_waits() {
        let (path, _reader, mut writer) = pipe();
        writer.write_all(b"one").unwrap();
        let timeouts = Timeouts {
            idle: Some(Duration::from_millis(20)),
            total: None,
        };
        let witness = Witness::default();
        let (outcome, messages) = read(&[path], timeouts, &witness);
        assert_eq!(witness.said(), ["begin", "one", "wait", "end"]);
        assert_eq!(outcome, Outcome::Limit);
        assert!(
            messages.ends_with("nothing arrived for 0.02 seconds\n"),
            "{messages}"
        );
    }

    #[test]
    fn a_run_that_is_overdue_reads_no_further_source() {
        let (path, _reader, _writer) = pipe();
        let timeouts = Timeouts {
            idle: None,
            total: Some(Duration::from_millis(20)),
        };
        let witness = Witness::default();
        let (outcome, messages) = read(&[path.clone(), path], timeouts, &witness);
        assert_eq!(witness.said(), ["begin", "wait", "end"]);
        assert_eq!(outcome, Outcome::Limit);
        assert!(
            messages.ends_with("no end after 0.02 seconds\n"),
            "{messages}"
        );
    }

    #[test]
    fn a_producer_that_ends_is_not_waited_for() {
        let (path, _reader, mut writer) = pipe();
        writer.write_all(b"one").unwrap();
        drop(writer);
        let witness = Witness::default();
        assert_eq!(
            read(&[path], Timeouts::default(), &witness).0,
            Outcome::Success
        );
        assert_eq!(witness.said(), ["begin", "one", "end"]);
    }

    #[test]
    fn who_has_enough_gets_no_more() {
        let (path, _reader, mut writer) = pipe();
        writer.write_all(b"one").unwrap();
        let witness = Witness {
            enough_after: Some(1),
            ..Witness::default()
        };
        assert_eq!(
            read(&[path], Timeouts::default(), &witness).0,
            Outcome::Success
        );
        assert_eq!(witness.said(), ["begin", "one", "end"]);
        drop(OwnedFd::from(writer));
    }
}
