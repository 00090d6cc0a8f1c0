//! Opens the sources of a run in order and hands on what they give, block by block.
//!
//! Before a read that could wait for a producer, whatever is decided is written and flushed: a live pipe is prompt and
//! a file is fast, without any option.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use crate::diagnostic::{Diagnostic, Diagnostics, message_of, source_name};
use crate::input::{BLOCK_SIZE, Block, Blocks, Opened, length_of, read_once};
use crate::outcome::Outcome;
use crate::output::Output;
use crate::run::environment::Environment;
use crate::run::meter::Meter;

/// Where a run writes.
#[derive(Debug)]
pub struct Channels<'w> {
    /// Results.
    pub output: Output<'w>,
    /// Everything else.
    pub diagnostics: Diagnostics<'w>,
}

/// Takes the bytes of one source after the other.
pub trait Consumer {
    /// A source begins; `name` is what messages call it.
    fn begin(&mut self, name: &str, to: &mut Channels<'_>);

    /// The next bytes of the source. `Break` says that no more of them are wanted.
    fn block(&mut self, bytes: &[u8], to: &mut Channels<'_>) -> ControlFlow<()>;

    /// Room for the next bytes, at least `size`, if they need not be handed over as a block: to save copying them.
    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let _ = size;
        None
    }

    /// The next bytes are the first `size` of the [room](Self::space).
    fn filled(&mut self, size: usize, to: &mut Channels<'_>) -> ControlFlow<()> {
        let _ = (size, to);
        ControlFlow::Continue(())
    }

    /// The next read may wait: what is decided is to be written now. It is flushed behind this.
    fn before_blocking_read(&mut self, to: &mut Channels<'_>) {
        let _ = to;
    }

    /// A read waits: what tells that time goes by is to be written now. Gives after how long to call this again. It is
    /// flushed behind this.
    fn waits(&mut self, to: &mut Channels<'_>) -> Option<Duration> {
        let _ = to;
        None
    }

    /// Patience ended before the source did; [`Consumer::end`] follows.
    fn gave_up(&mut self) {}

    /// The source has ended. Gives its outcome.
    fn end(&mut self, to: &mut Channels<'_>) -> Outcome;

    /// How much was found in the source so far.
    fn count(&mut self) -> FoundCount;

    /// Whether results are written before the source has ended.
    fn is_live(&self) -> bool;
}

/// How many there are of what is being looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCount {
    /// How many.
    pub number: u64,
    /// What one of them is called.
    pub noun: &'static str,
}

/// How long a run waits for its sources.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patience {
    /// For the next byte.
    pub idle: Option<Duration>,
    /// For the end of all sources, from the start of the run.
    pub total: Option<Duration>,
}

/// The sources of a run.
pub struct Sources<'a> {
    /// `-` is standard input; so are none.
    files: &'a [PathBuf],
    /// How long to wait for them.
    pub patience: Patience,
    environment: &'a Environment,
    meter: Option<Meter>,
}

/// Why the reading of a source ended well.
enum ReadStop {
    /// At its end, or where no more was wanted.
    End,
    /// In its middle, since what is written arrives nowhere any more.
    Unheard,
    /// Patience did; what to say.
    TimedOut(String),
}

impl<'a> Sources<'a> {
    /// These sources, with endless patience.
    #[must_use]
    pub fn new(files: &'a [PathBuf], environment: &'a Environment) -> Self {
        Self {
            files,
            patience: Patience::default(),
            environment,
            meter: None,
        }
    }

    /// Tells while a long input is read how far that has come, where standard error is a terminal that nothing else is
    /// shown on.
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

    /// Reads every source to its end, and gives the outcome of them all.
    ///
    /// A source that cannot be opened or read is reported, and the next one is read. When patience ends, the run does.
    pub fn read(&mut self, consumer: &mut dyn Consumer, to: &mut Channels<'_>) -> Outcome {
        let mut outcomes = Vec::new();
        for path in paths(self.files) {
            let (outcome, next) = self.read_one(path, consumer, to);
            to.diagnostics.end_groups();
            outcomes.push(outcome);
            if next.is_break() {
                break;
            }
        }
        combine(&outcomes)
    }

    /// The outcome of one source, and whether the next one is to be read.
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
                to.diagnostics.report(message_of(&error));
                return (Outcome::Usage, ControlFlow::Continue(()));
            }
        };
        consumer.begin(&name, to);
        let stop = self.read_blocks(&source, consumer, to);
        to.diagnostics.erase_status();
        if let Some(meter) = &mut self.meter {
            meter.ended(consumer.count());
        }
        let cause = match stop {
            Ok(ReadStop::End) => None,
            // To the consumer its source would seem to be cut.
            Ok(ReadStop::Unheard) => return (Outcome::Success, ControlFlow::Continue(())),
            Ok(ReadStop::TimedOut(text)) => {
                consumer.gave_up();
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
        let found = consumer.end(to);
        let Some((message, outcome, next)) = cause else {
            return (found, ControlFlow::Continue(()));
        };
        to.diagnostics.report(message);
        (found.worse(outcome), next)
    }

    fn read_blocks(
        &mut self,
        source: &Opened,
        consumer: &mut dyn Consumer,
        to: &mut Channels<'_>,
    ) -> io::Result<ReadStop> {
        let mut blocks = Blocks::new(source);
        loop {
            if let Some(total) = self.patience.total
                && (self.environment.clock)() >= total
            {
                return Ok(ReadStop::TimedOut(overdue(total)));
            }
            if source.is_regular() {
                // A producer has to be read to its end; a file does not mind.
                if to.output.is_closed() {
                    return Ok(ReadStop::Unheard);
                }
            } else if let Some(text) = self.wait(source, consumer, to)? {
                return Ok(ReadStop::TimedOut(text));
            }
            let flow = match consumer.space(BLOCK_SIZE) {
                Some(space) => match read_once(&mut &*source, space)? {
                    Some(0) => return Ok(ReadStop::End),
                    Some(size) => Some((size, consumer.filled(size, to))),
                    None => None,
                },
                None => match blocks.next_block()? {
                    Block::End => return Ok(ReadStop::End),
                    Block::Bytes(bytes) => Some((bytes.len(), consumer.block(bytes, to))),
                    Block::WouldBlock => None,
                },
            };
            match flow {
                Some((size, ControlFlow::Continue(()))) => self.tell(size, consumer, to),
                Some((_, ControlFlow::Break(()))) => return Ok(ReadStop::End),
                // Somebody else took what was there.
                None => {}
            }
        }
    }

    /// So many bytes more were read: tells how far that has come, if it is time to.
    fn tell(&mut self, size: usize, consumer: &mut dyn Consumer, to: &mut Channels<'_>) {
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
        // Whoever reads the results may show them on the same terminal.
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

    /// Returns when there is something to read, or with what to say when patience ended first.
    fn wait(
        &self,
        source: &Opened,
        consumer: &mut dyn Consumer,
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

/// How long all these sources are, if that is known: if each of them is a file.
fn length(files: &[PathBuf]) -> Option<u64> {
    paths(files).into_iter().map(length_of).sum()
}

/// The paths of the sources; standard input has none.
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

/// The outcome of several sources: `none` only if none of them gave anything.
fn combine(outcomes: &[Outcome]) -> Outcome {
    let some = outcomes.iter().copied();
    some.filter(|outcome| *outcome != Outcome::None)
        .reduce(Outcome::worse)
        .unwrap_or(Outcome::None)
}

#[cfg(test)]
mod tests;
