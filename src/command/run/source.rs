//! Opens the sources of a run in order and passes on their bytes, block by block.
//!
//! Before a read that could wait for a producer, all complete results are written and flushed: a live pipe is prompt
//! and a file is fast, without any option. Several files are read at a time, and their results are written in order
//! ([`ahead`]).

mod ahead;

pub(crate) use crate::command::run::channels::Channels;
pub(crate) use ahead::AHEAD_BYTES;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Context as _;

use crate::command::run::environment::Environment;
use crate::command::run::meter::Meter;
use jsift_find::input::{BLOCK_SIZE, Opened, length_of, read_once};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, message_of, source_name};

/// Reads the sources of a run.
pub(crate) trait Consumer: Sync {
    /// Begins a source; `name` is what messages call it.
    ///
    /// `ahead` says that the results of a source before this one are still to come, so that nothing may be taken from
    /// that source yet.
    fn begin<'s>(&'s self, name: &str, ahead: bool) -> Box<dyn SourceConsumer<'s> + 's>;
}

/// The end of a source: what is done when the results of all sources before it are written.
pub(crate) trait SourceEnd: Send {
    /// Returns whether what was read ahead is right in spite of what the sources before contain; otherwise the source
    /// has to be read again.
    fn is_right(&mut self) -> bool {
        true
    }

    /// Writes the results that depend on the sources before, and returns the outcome.
    fn write(self: Box<Self>, to: &mut Channels<'_>) -> Outcome;
}

/// The end of a source whose results do not depend on others.
impl SourceEnd for Outcome {
    fn write(self: Box<Self>, _: &mut Channels<'_>) -> Self {
        *self
    }
}

/// Bytes of a source that have arrived, at least one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arrived<'b> {
    /// These bytes.
    Block(&'b [u8]),
    /// The first bytes, this many, of the [room](SourceConsumer::space).
    InSpace(usize),
}

impl Arrived<'_> {
    /// Returns the number of bytes.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Block(bytes) => bytes.len(),
            Self::InSpace(size) => *size,
        }
    }
}

/// Receives the bytes of a source.
pub(crate) trait SourceConsumer<'s> {
    /// Receives the next bytes. Returns `Break` if no more of them are needed.
    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()>;

    /// Returns room for at least `size` of the next bytes, if they need not be passed as a block: decoding and copying
    /// blocks takes a quarter of the instructions with which logs are read, and a tenth of those for a stream.
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

    /// Returns whether a source that is read ahead holds so much that it should wait until the results of all sources
    /// before it are written.
    fn holds_much(&self) -> bool {
        false
    }

    /// Notes that the results of all sources before this one are written now. Returns whether what was read ahead is
    /// right in spite of what these sources contain; otherwise the source is read again.
    fn take_turn(&mut self) -> bool {
        true
    }

    /// Ends the source. `gave_up` says that a timeout expired before.
    fn end(self: Box<Self>, gave_up: bool, to: &mut Channels<'_>) -> Box<dyn SourceEnd + 's>;

    /// Returns how much was found in the source so far.
    fn count(&mut self) -> u64;

    /// Returns whether results are written before the source has ended.
    fn is_live(&self) -> bool;
}

/// How long a run waits for its sources.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timeouts {
    /// The maximum time to wait for the next byte.
    pub idle: Option<Duration>,
    /// The maximum time until the end of all sources, from the start of the run.
    pub total: Option<Duration>,
}

/// The sources of a run.
pub(crate) struct Sources<'a> {
    /// The paths; `-` is standard input, and so is an empty list.
    files: &'a [PathBuf],
    /// How long to wait for the sources.
    pub timeouts: Timeouts,
    /// How many files are read at a time.
    pub jobs: usize,
    environment: &'a Environment,
    meter: Option<Mutex<Meter>>,
}

/// A source that was read, before its results are written.
struct ReadSource<'s> {
    end: Box<dyn SourceEnd + 's>,
    /// Why the source was not read to its end, with the outcome of that, and whether the next source is read.
    cause: Option<(Diagnostic, Outcome, ControlFlow<()>)>,
}

impl ReadSource<'_> {
    /// Returns a source of which there are no results: it could not be opened, or nobody reads them.
    fn of(outcome: Outcome) -> Self {
        let end = Box::new(outcome);
        Self { end, cause: None }
    }

    /// Writes the rest of the results. Returns the outcome, and whether to read the next source.
    fn write(self, to: &mut Channels<'_>) -> (Outcome, ControlFlow<()>) {
        let found = self.end.write(to);
        let Some((message, outcome, next)) = self.cause else {
            return (found, ControlFlow::Continue(()));
        };
        to.report(message);
        (found.worse(outcome), next)
    }
}

/// Why reading a source stopped without an error.
enum ReadStop {
    /// The source ended, or no more of it was needed.
    End,
    /// The source was abandoned, because the output is closed.
    OutputClosed,
    /// A timeout expired, with its message.
    TimedOut(String),
}

impl<'a> Sources<'a> {
    /// Returns sources for these paths, without timeouts. `metered` names in the singular what the run looks for, if
    /// progress is to be shown while a long input is read, on a standard error that is a terminal with nothing else.
    #[must_use]
    pub(crate) fn new(
        files: &'a [PathBuf],
        environment: &'a Environment,
        metered: Option<&'static str>,
    ) -> Self {
        let is_free = !environment.stdout.terminal && environment.status_columns.is_some();
        Self {
            files,
            timeouts: Timeouts::default(),
            jobs: 1,
            environment,
            meter: metered
                .filter(|_| is_free)
                .map(|noun| Mutex::new(Meter::of(noun))),
        }
    }

    /// Reads every source to its end, and returns their combined outcome.
    ///
    /// A source that cannot be opened or read is reported, and the next one is read. An expired timeout ends the run.
    pub(crate) fn read(&self, consumer: &dyn Consumer, to: &mut Channels<'_>) -> Outcome {
        let paths = paths(self.files);
        if self.reads_ahead(&paths) {
            return combine(&ahead::read(self, &paths, consumer, to));
        }
        let mut outcomes = Vec::new();
        for path in paths {
            let (outcome, next) = self.read_one(path, consumer, to);
            to.end_groups();
            outcomes.push(outcome);
            if next.is_break() {
                break;
            }
        }
        combine(&outcomes)
    }

    /// Returns whether several sources are read at a time: only files, which do not keep anybody waiting.
    fn reads_ahead(&self, paths: &[Option<&Path>]) -> bool {
        let Timeouts { idle, total } = self.timeouts;
        let is_file = |path: &Option<&Path>| path.is_some_and(Path::is_file);
        self.jobs > 1
            && paths.len() > 1
            && idle.is_none()
            && total.is_none()
            && paths.iter().all(is_file)
    }

    /// Reads one source. Returns its outcome, and whether to read the next one.
    fn read_one(
        &self,
        path: Option<&Path>,
        consumer: &dyn Consumer,
        to: &mut Channels<'_>,
    ) -> (Outcome, ControlFlow<()>) {
        let name = source_name(path);
        let Some(source) = open(path, &name, to) else {
            return (Outcome::Usage, ControlFlow::Continue(()));
        };
        let consumer = consumer.begin(&name, false);
        self.read_rest(&name, &source, consumer, to)
    }

    /// Reads the rest of a source whose turn it is.
    fn read_rest<'s>(
        &self,
        name: &str,
        source: &Opened,
        mut consumer: Box<dyn SourceConsumer<'s> + 's>,
        to: &mut Channels<'_>,
    ) -> (Outcome, ControlFlow<()>) {
        let stop = self.read_blocks(source, &mut *consumer, to);
        to.diagnostics.erase_status();
        self.end(name, stop, consumer, to).write(to)
    }

    /// Ends a source that was read until `stop`.
    fn end<'s>(
        &self,
        name: &str,
        stop: io::Result<ReadStop>,
        mut consumer: Box<dyn SourceConsumer<'s> + 's>,
        to: &mut Channels<'_>,
    ) -> ReadSource<'s> {
        let gave_up = matches!(stop, Ok(ReadStop::TimedOut(_)));
        if let Some(meter) = &self.meter {
            locked(meter).ended(consumer.count());
        }
        let cause = match stop {
            Ok(ReadStop::End) => None,
            // The consumer must not see the end: its source would seem to be truncated.
            Ok(ReadStop::OutputClosed) => return ReadSource::of(Outcome::Success),
            Ok(ReadStop::TimedOut(text)) => {
                let message = Diagnostic::error(text).of(name);
                Some((message, Outcome::Limit, ControlFlow::Break(())))
            }
            Err(error) => {
                let message = Diagnostic::error("cannot read").of(name);
                let message = message_of(&anyhow::Error::new(error).context(message));
                Some((message, Outcome::Usage, ControlFlow::Continue(())))
            }
        };
        let end = consumer.end(gave_up, to);
        ReadSource { end, cause }
    }

    /// Reads a source block by block until it ends, it is abandoned or a timeout expires.
    fn read_blocks<'s>(
        &self,
        source: &Opened,
        consumer: &mut (dyn SourceConsumer<'s> + 's),
        to: &mut Channels<'_>,
    ) -> io::Result<ReadStop> {
        let mut buffer = vec![0; BLOCK_SIZE];
        loop {
            if let Some(total) = self.timeouts.total
                && (self.environment.clock)() >= total
            {
                return Ok(ReadStop::TimedOut(overdue(total)));
            }
            if source.is_regular() {
                // A file can be abandoned, unlike a producer, which has to be read to its end.
                if to.output.is_closed() {
                    return Ok(ReadStop::OutputClosed);
                }
            } else if let Some(text) = self.wait(source, consumer, to)? {
                return Ok(ReadStop::TimedOut(text));
            }
            let most = (self.environment.read_size)();
            match read_block((source, most), &mut buffer, consumer, to)? {
                None => return Ok(ReadStop::End),
                Some(size) => self.show_status(size, consumer, to),
            }
        }
    }

    /// Adds the size of a read.
    fn count(&self, size: usize) {
        if let Some(meter) = &self.meter {
            locked(meter).add(size, (self.environment.clock)());
        }
    }

    /// Adds the size of a read, and shows the progress if it is time to.
    fn show_status<'s>(
        &self,
        size: usize,
        consumer: &mut (dyn SourceConsumer<'s> + 's),
        to: &mut Channels<'_>,
    ) {
        let Some(meter) = &self.meter else {
            return;
        };
        let mut meter = locked(meter);
        let environment = self.environment;
        let now = (environment.clock)();
        if !meter.read(size, now) {
            return;
        }
        // The reader of the results may show them on the same terminal.
        let is_shown = consumer.is_live() || to.output.has_written();
        let shared = environment.stdout.passed_on && is_shown;
        let columns = environment.status_columns.as_ref();
        let columns = columns.and_then(|columns| columns());
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
    fn wait<'s>(
        &self,
        source: &Opened,
        consumer: &mut (dyn SourceConsumer<'s> + 's),
        to: &mut Channels<'_>,
    ) -> io::Result<Option<String>> {
        if source.within(Some(Duration::ZERO))? {
            return Ok(None);
        }
        consumer.before_blocking_read(to);
        to.output.flush()?;
        let start = (self.environment.clock)();
        let Timeouts { idle, total } = self.timeouts;
        let left = total.map(|total| (total.saturating_sub(start), overdue(total)));
        let idle = idle.map(|idle| (idle, silent(idle)));
        let first = idle.into_iter().chain(left).min();
        loop {
            let next = consumer.waits(to);
            to.output.flush()?;
            let waited = (self.environment.clock)().saturating_sub(start);
            let left = first.as_ref().map(|(time, _)| time.saturating_sub(waited));
            let ends = next.is_none_or(|next| left.is_some_and(|left| left <= next));
            if source.within(if ends { left } else { next })? {
                return Ok(None);
            }
            if ends {
                return Ok(first.map(|(_, text)| text));
            }
        }
    }
}

/// Opens a source, or reports why it cannot be opened.
fn open(path: Option<&Path>, name: &str, to: &mut Channels<'_>) -> Option<Opened> {
    let message = || {
        Diagnostic::error("cannot open")
            .of(name)
            .hint_if(of_jq(name))
    };
    let source = Opened::open(path).with_context(message);
    source.map_err(|error| to.report(message_of(&error))).ok()
}

/// Returns the hint for a FILE that looks like an expression of jq.
fn of_jq(name: &str) -> Option<&'static str> {
    let path = name.strip_prefix('.')?;
    let is_path = path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '[');
    (is_path && !path.contains('/'))
        .then_some("a FILE stands here; jq picks from what jsift finds: add | jq EXPRESSION")
}

/// Reads the next bytes of a source and passes them on. Returns their number, 0 if another process has taken those that
/// were there; `None` if the source has ended, or no more of it is needed.
fn read_block<'s>(
    (source, most): (&Opened, usize),
    buffer: &mut [u8],
    consumer: &mut (dyn SourceConsumer<'s> + 's),
    to: &mut Channels<'_>,
) -> io::Result<Option<usize>> {
    let space = consumer.space(BLOCK_SIZE);
    let in_space = space.is_some();
    let room = space.unwrap_or(buffer);
    let most = most.clamp(1, room.len().max(1));
    let size = match read_once(&mut &*source, room.get_mut(..most).unwrap_or_default())? {
        Some(0) => return Ok(None),
        Some(size) => size,
        None => return Ok(Some(0)),
    };
    let bytes = match in_space {
        true => Arrived::InSpace(size),
        false => Arrived::Block(buffer.get(..size).unwrap_or_default()),
    };
    Ok(consumer.read(bytes, to).is_continue().then_some(size))
}

/// Locks a mutex. What it protects is used even if another thread panicked, since then the run ends anyway.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
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
    format!("no end after {}", in_seconds(total))
}

fn silent(idle: Duration) -> String {
    format!("nothing arrived for {}", in_seconds(idle))
}

fn in_seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
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
