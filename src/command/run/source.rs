//! Opens the sources of a run in order and passes on their bytes, block by block.
//!
//! Before a read that could wait for a producer, all complete results are written and flushed: a live pipe is prompt
//! and a file is fast, without any option.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use crate::command::output::Output;
use crate::command::run::environment::Environment;
use crate::command::run::meter::{FoundCount, Meter};
use jsift_find::input::{BLOCK_SIZE, Opened, length_of, read_once};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, Diagnostics, message_of, source_name};

/// The outputs of a run.
#[derive(Debug)]
pub struct Channels<'w> {
    /// Results.
    pub output: Output<'w>,
    /// Everything else.
    pub diagnostics: Diagnostics<'w>,
}

impl Channels<'_> {
    /// Reports a message behind all results so far, on a line of its own.
    pub fn report(&mut self, message: Diagnostic) {
        if self.diagnostics.prints(&message) {
            self.make_way();
        }
        self.diagnostics.report(message);
    }

    /// Writes noise beside the messages, if noise goes to standard error.
    pub fn write_noise(&mut self, text: &[u8]) {
        if self.diagnostics.is_shared() {
            self.make_way();
        }
        self.diagnostics.write_noise(text);
    }

    /// Says how many messages of each group were not printed, at the end of a source.
    pub fn end_groups(&mut self) {
        if self.diagnostics.has_more() {
            self.make_way();
        }
        self.diagnostics.end_groups();
    }

    /// Writes the results so far. If they are in the middle of a line, the next message ends that line.
    fn make_way(&mut self) {
        // The output remembers write errors.
        let _ = self.output.flush();
        if self.output.take_open_line() && self.diagnostics.is_shared() {
            self.diagnostics.break_line();
        }
    }
}

/// Reads one source after the other.
pub trait Consumer {
    /// Begins a source; `name` is what messages call it.
    fn begin<'s>(&'s mut self, name: &str) -> Box<dyn SourceConsumer + 's>;
}

/// Bytes of a source that have arrived, at least one.
#[derive(Debug, Clone, Copy)]
pub enum Arrived<'b> {
    /// These bytes.
    Block(&'b [u8]),
    /// The first bytes, this many, of the [room](SourceConsumer::space).
    InSpace(usize),
}

/// Receives the bytes of a source.
pub trait SourceConsumer {
    /// Receives the next bytes. Returns `Break` if no more of them are needed.
    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()>;

    /// Returns room for at least `size` of the next bytes, if they need not be passed as a block, to avoid a copy.
    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let _ = size;
        None
    }

    /// Writes complete results before a read that may wait. The caller flushes them afterwards.
    fn before_blocking_read(&mut self, to: &mut Channels<'_>) {
        let _ = to;
    }

    /// Writes what shows the passing of time while a read waits. Returns the time after which to call this again. The
    /// caller flushes the output afterwards.
    fn waits(&mut self, to: &mut Channels<'_>) -> Option<Duration> {
        let _ = to;
        None
    }

    /// Ends the source and returns its outcome. `gave_up` says that a timeout expired before.
    fn end(self: Box<Self>, gave_up: bool, to: &mut Channels<'_>) -> Outcome;

    /// Returns how much was found in the source so far.
    fn count(&mut self) -> FoundCount;

    /// Returns whether results are written before the source has ended.
    fn is_live(&self) -> bool;
}

/// How long a run waits for its sources.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patience {
    /// The maximum time to wait for the next byte.
    pub idle: Option<Duration>,
    /// The maximum time until the end of all sources, from the start of the run.
    pub total: Option<Duration>,
}

/// The sources of a run.
pub struct Sources<'a> {
    /// The paths; `-` is standard input, and so is an empty list.
    files: &'a [PathBuf],
    /// How long to wait for the sources.
    pub patience: Patience,
    environment: &'a Environment,
    meter: Option<Meter>,
}

/// Why reading a source stopped without an error.
enum ReadStop {
    /// The source ended, or no more of it was needed.
    End,
    /// The source was abandoned, because the output is closed.
    Unheard,
    /// A timeout expired, with its message.
    TimedOut(String),
}

impl<'a> Sources<'a> {
    /// Returns sources for these paths, without timeouts.
    #[must_use]
    pub fn new(files: &'a [PathBuf], environment: &'a Environment) -> Self {
        Self {
            files,
            patience: Patience::default(),
            environment,
            meter: None,
        }
    }

    /// Shows progress while a long input is read, if standard error is a terminal on which nothing else appears.
    #[must_use]
    pub fn metered(mut self) -> Self {
        let Environment {
            stdout,
            status_columns,
            ..
        } = self.environment;
        self.meter = (!stdout.terminal && status_columns.is_some()).then(Meter::default);
        self
    }

    /// Reads every source to its end, and returns their combined outcome.
    ///
    /// A source that cannot be opened or read is reported, and the next one is read. An expired timeout ends the run.
    pub fn read(&mut self, consumer: &mut dyn Consumer, to: &mut Channels<'_>) -> Outcome {
        let mut outcomes = Vec::new();
        for path in paths(self.files) {
            let (outcome, next) = self.read_one(path, consumer, to);
            to.end_groups();
            outcomes.push(outcome);
            if next.is_break() {
                break;
            }
        }
        combine(&outcomes)
    }

    /// Reads one source. Returns its outcome, and whether to read the next one.
    fn read_one(
        &mut self,
        path: Option<&Path>,
        consumer: &mut dyn Consumer,
        to: &mut Channels<'_>,
    ) -> (Outcome, ControlFlow<()>) {
        let name = source_name(path);
        let failed = |text: &'static str| Diagnostic::error(text).of(&*name);
        let source = match Opened::open(path).with_context(|| failed("cannot open")) {
            Ok(opened) => opened,
            Err(error) => {
                to.report(message_of(&error));
                return (Outcome::Usage, ControlFlow::Continue(()));
            }
        };
        let mut consumer = consumer.begin(&name);
        let stop = self.read_blocks(&source, &mut *consumer, to);
        let gave_up = matches!(stop, Ok(ReadStop::TimedOut(_)));
        to.diagnostics.erase_status();
        if let Some(meter) = &mut self.meter {
            meter.ended(consumer.count());
        }
        let cause = match stop {
            Ok(ReadStop::End) => None,
            // The consumer must not see the end: its source would seem to be truncated.
            Ok(ReadStop::Unheard) => return (Outcome::Success, ControlFlow::Continue(())),
            Ok(ReadStop::TimedOut(text)) => {
                let message = Diagnostic::error(text).of(&*name);
                Some((message, Outcome::Limit, ControlFlow::Break(())))
            }
            Err(error) => {
                let error = anyhow::Error::new(error).context(failed("cannot read"));
                Some((
                    message_of(&error),
                    Outcome::Usage,
                    ControlFlow::Continue(()),
                ))
            }
        };
        let found = consumer.end(gave_up, to);
        let Some((message, outcome, next)) = cause else {
            return (found, ControlFlow::Continue(()));
        };
        to.report(message);
        (found.worse(outcome), next)
    }

    fn read_blocks(
        &mut self,
        source: &Opened,
        consumer: &mut dyn SourceConsumer,
        to: &mut Channels<'_>,
    ) -> io::Result<ReadStop> {
        let mut buffer = vec![0; BLOCK_SIZE];
        loop {
            if let Some(total) = self.patience.total
                && (self.environment.clock)() >= total
            {
                return Ok(ReadStop::TimedOut(overdue(total)));
            }
            if source.is_regular() {
                // A file can be abandoned, unlike a producer, which has to be read to its end.
                if to.output.is_closed() {
                    return Ok(ReadStop::Unheard);
                }
            } else if let Some(text) = self.wait(source, consumer, to)? {
                return Ok(ReadStop::TimedOut(text));
            }
            let space = consumer.space(BLOCK_SIZE);
            let in_space = space.is_some();
            let size = match read_once(&mut &*source, space.unwrap_or(&mut buffer))? {
                Some(0) => return Ok(ReadStop::End),
                Some(size) => size,
                // Another process has taken the bytes that were there.
                None => continue,
            };
            let bytes = match in_space {
                true => Arrived::InSpace(size),
                false => Arrived::Block(buffer.get(..size).unwrap_or_default()),
            };
            if consumer.read(bytes, to).is_break() {
                return Ok(ReadStop::End);
            }
            self.tell(size, consumer, to);
        }
    }

    /// Adds the size of a read, and shows the progress if it is time to.
    fn tell(&mut self, size: usize, consumer: &mut dyn SourceConsumer, to: &mut Channels<'_>) {
        let Some(meter) = &mut self.meter else {
            return;
        };
        let Environment {
            clock,
            status_columns,
            stdout,
            ..
        } = self.environment;
        let now = clock();
        if !meter.read(size, now) {
            return;
        }
        // The reader of the results may show them on the same terminal.
        let shared = stdout.passed_on && (consumer.is_live() || to.output.has_written());
        let columns = status_columns.as_ref().and_then(|columns| columns());
        match columns.filter(|_| !shared) {
            Some(columns) => {
                let files = self.files;
                let line = meter.line(consumer.count(), now, columns, || length(files));
                to.diagnostics.show_status(&line);
            }
            None => to.diagnostics.erase_status(),
        }
    }

    /// Waits until there is something to read, and returns `None`; if a timeout expires first, returns its message.
    fn wait(
        &self,
        source: &Opened,
        consumer: &mut dyn SourceConsumer,
        to: &mut Channels<'_>,
    ) -> io::Result<Option<String>> {
        if source.within(Some(Duration::ZERO))? {
            return Ok(None);
        }
        consumer.before_blocking_read(to);
        to.output.flush()?;
        let start = (self.environment.clock)();
        let Patience { idle, total } = self.patience;
        let left = total.map(|total| (total.saturating_sub(start), overdue(total)));
        let idle = idle.map(|idle| (idle, silent(idle)));
        let patience = idle.into_iter().chain(left).min();
        loop {
            let next = consumer.waits(to);
            to.output.flush()?;
            let waited = (self.environment.clock)().saturating_sub(start);
            let left = patience
                .as_ref()
                .map(|(time, _)| time.saturating_sub(waited));
            let ends = next.is_none_or(|next| left.is_some_and(|left| left <= next));
            if source.within(if ends { left } else { next })? {
                return Ok(None);
            }
            if ends {
                return Ok(patience.map(|(_, text)| text));
            }
        }
    }
}

/// Returns the length of all these sources together, if each of them is a file.
fn length(files: &[PathBuf]) -> Option<u64> {
    paths(files).into_iter().map(length_of).sum()
}

/// Returns the paths of the sources; standard input has none.
fn paths(files: &[PathBuf]) -> Vec<Option<&Path>> {
    if files.is_empty() {
        return vec![None];
    }
    let paths = files.iter().map(PathBuf::as_path);
    paths
        .map(|path| Some(path).filter(|path| path.as_os_str() != "-"))
        .collect()
}

fn overdue(total: Duration) -> String {
    format!("no end after {} seconds", total.as_secs_f64())
}

fn silent(idle: Duration) -> String {
    format!("nothing arrived for {} seconds", idle.as_secs_f64())
}

/// Returns the outcome of several sources: `none` only if nothing was found in any of them.
fn combine(outcomes: &[Outcome]) -> Outcome {
    let some = outcomes.iter().copied();
    some.filter(|outcome| *outcome != Outcome::None)
        .reduce(Outcome::worse)
        .unwrap_or(Outcome::None)
}

#[cfg(test)]
mod tests;
