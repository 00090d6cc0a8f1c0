//! Reads several files at a time and writes their results in the order of the files.
//!
//! The sources are numbered. The one whose *turn* it is writes its results directly; the others are read ahead, and
//! what they have to write is held. A source that has ended ahead of its turn is parked, so that its thread can begin
//! the next one. A source that holds too much waits for its turn.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::{
    Channels, Consumer, ReadSource, ReadStop, SourceConsumer, Sources, locked, open, read_block,
};
use crate::command::output::Output;
use jsift_find::input::{BLOCK_SIZE, Opened};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{
    Diagnostic, DiagnosticOptions, Diagnostics, HeldMessage, source_name,
};

/// How many bytes of results a source may hold before it waits for its turn.
pub(crate) const AHEAD_BYTES: usize = 16 << 20;
/// How many sources may be begun before their turn, per thread.
const BEGUN: usize = 8;
/// The stack of a thread in bytes, as much as the main thread usually has.
const STACK: usize = 8 << 20;

/// Reads the sources at these paths, and returns the outcome of each.
pub(super) fn read(
    sources: &Sources<'_>,
    paths: &[Option<&Path>],
    consumer: &dyn Consumer,
    to: &mut Channels<'_>,
) -> Vec<Outcome> {
    let threads = sources.jobs.min(paths.len());
    let options = to.diagnostics.options();
    let run = Run {
        sources,
        paths,
        consumer,
        options,
        begun: threads * BEGUN,
        next: AtomicUsize::new(0),
        turn: AtomicUsize::new(0),
        is_closed: AtomicBool::new(false),
        to: Mutex::new(to),
        state: Mutex::default(),
        moved: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let thread = std::thread::Builder::new().stack_size(STACK);
            // Without another thread, this one reads all sources.
            let _ = thread.spawn_scoped(scope, || run.work());
        }
        run.work();
    });
    let state = run.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).outcomes
}

/// What all threads share.
struct Run<'r, 'a, 'w> {
    sources: &'r Sources<'a>,
    paths: &'r [Option<&'r Path>],
    consumer: &'r dyn Consumer,
    options: DiagnosticOptions,
    /// How many sources may be begun before their turn.
    begun: usize,
    /// The number of the next source that no thread has begun.
    next: AtomicUsize,
    /// The number of the source whose turn it is; changed only while `state` is locked.
    turn: AtomicUsize,
    /// Whether nobody reads the results any more.
    is_closed: AtomicBool,
    /// The outputs, for the source whose turn it is.
    to: Mutex<&'r mut Channels<'w>>,
    state: Mutex<State<'r>>,
    /// Notified when the turn has moved.
    moved: Condvar,
}

#[derive(Default)]
struct State<'r> {
    /// The sources that have ended before their turn, by number.
    parked: BTreeMap<usize, Parked<'r>>,
    /// The outcomes of the sources whose results are written.
    outcomes: Vec<Outcome>,
}

/// A source that has ended before its turn.
struct Parked<'r> {
    held: Arc<Mutex<Held>>,
    read: ReadSource<'r>,
}

impl<'r> Run<'r, '_, '_> {
    /// Reads one source after the other, as long as there are any.
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = self.paths.get(number).copied() else {
                return;
            };
            self.wait(number.saturating_sub(self.begun));
            if self.is_turn(number) {
                let mut to = locked(&self.to);
                let outcome = self.read_in_turn(number, &mut to);
                self.end_turn(number, outcome, &mut to);
            } else {
                self.read_ahead(number, path);
            }
        }
    }

    fn is_turn(&self, number: usize) -> bool {
        self.turn.load(Ordering::Acquire) == number
    }

    /// Waits until it is the turn of this source or of a later one.
    fn wait(&self, number: usize) {
        let mut state = locked(&self.state);
        while self.turn.load(Ordering::Acquire) < number {
            let moved = self.moved.wait(state);
            state = moved.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads a source from its beginning while its results can be written.
    fn read_in_turn(&self, number: usize, to: &mut Channels<'_>) -> Outcome {
        let path = self.paths.get(number).copied().flatten();
        self.sources.read_one(path, self.consumer, to).0
    }

    /// Moves the turn to the next source, and past all sources that are parked.
    fn end_turn(&self, mut number: usize, mut outcome: Outcome, to: &mut Channels<'_>) {
        loop {
            to.end_groups();
            self.is_closed
                .fetch_or(to.output.is_closed(), Ordering::Relaxed);
            number += 1;
            let parked = {
                let mut state = locked(&self.state);
                state.outcomes.push(outcome);
                self.turn.store(number, Ordering::Release);
                self.moved.notify_all();
                state.parked.remove(&number)
            };
            let Some(parked) = parked else {
                return;
            };
            outcome = self.write(number, parked, to);
        }
    }

    /// Reads a source before its turn.
    fn read_ahead(&self, number: usize, path: Option<&Path>) {
        let name = source_name(path);
        let held = Arc::<Mutex<Held>>::default();
        let messages = Arc::clone(&held);
        let hold = move |message| locked(&messages).push(HeldPart::Message(message));
        let mut to = Channels {
            output: Output::stream(HeldOutput(Arc::clone(&held))),
            diagnostics: Diagnostics::held(hold, self.options),
        };
        let Some(source) = open(path, &name, &mut to) else {
            let read = ReadSource::of(Outcome::Usage);
            return self.park(number, Parked { held, read });
        };
        let mut consumer = self.consumer.begin(&name, true);
        let goes_on = || !self.is_turn(number) && locked(&held).bytes <= AHEAD_BYTES;
        let stop = self.read_blocks(goes_on, &source, &mut *consumer, &mut to);
        if let Some(stop) = stop {
            let read = self.sources.end(&name, stop, consumer, &mut to);
            let _ = to.output.flush();
            return self.park(number, Parked { held, read });
        }
        let _ = to.output.flush();
        self.wait(number);
        let mut to = locked(&self.to);
        let outcome = match consumer.take_turn() {
            true => {
                locked(&held).replay(&mut to);
                (self.sources)
                    .read_rest(&name, &source, consumer, &mut to)
                    .0
            }
            false => self.read_in_turn(number, &mut to),
        };
        self.end_turn(number, outcome, &mut to);
    }

    /// Reads blocks as long as the source `goes_on` ahead. Returns `None` if it must wait for its turn, or if that has
    /// come.
    fn read_blocks(
        &self,
        goes_on: impl Fn() -> bool,
        source: &Opened,
        consumer: &mut (dyn SourceConsumer<'r> + 'r),
        to: &mut Channels<'_>,
    ) -> Option<io::Result<ReadStop>> {
        let mut buffer = vec![0; BLOCK_SIZE];
        loop {
            if self.is_closed.load(Ordering::Relaxed) {
                return Some(Ok(ReadStop::OutputClosed));
            }
            if !goes_on() || consumer.holds_much() {
                return None;
            }
            match read_block((source, usize::MAX), &mut buffer, consumer, to) {
                Ok(Some(size)) => self.sources.count(size),
                Ok(None) => return Some(Ok(ReadStop::End)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Keeps a source that has ended until its turn, or writes its results if its turn has come.
    fn park(&self, number: usize, parked: Parked<'r>) {
        {
            let mut state = locked(&self.state);
            if !self.is_turn(number) {
                state.parked.insert(number, parked);
                return;
            }
        }
        let mut to = locked(&self.to);
        let outcome = self.write(number, parked, &mut to);
        self.end_turn(number, outcome, &mut to);
    }

    /// Writes the results of a source that has ended before its turn.
    fn write(&self, number: usize, mut parked: Parked<'r>, to: &mut Channels<'_>) -> Outcome {
        if !parked.read.end.is_right() {
            return self.read_in_turn(number, to);
        }
        locked(&parked.held).replay(to);
        parked.read.write(to).0
    }
}

/// What a source has written before its turn.
#[derive(Default)]
struct Held {
    parts: Vec<HeldPart>,
    /// How many bytes the parts hold.
    bytes: usize,
}

enum HeldPart {
    Results(Vec<u8>),
    Message(HeldMessage),
}

impl Held {
    fn push(&mut self, part: HeldPart) {
        self.bytes += match &part {
            HeldPart::Message(HeldMessage::Diagnostic(message)) => {
                size_of::<Diagnostic>() + message.text().len()
            }
            HeldPart::Results(text)
            | HeldPart::Message(HeldMessage::Progress(text) | HeldMessage::Noise(text)) => {
                text.len()
            }
        };
        self.parts.push(part);
    }

    /// Writes everything where it belongs.
    fn replay(&mut self, to: &mut Channels<'_>) {
        for part in self.parts.drain(..) {
            match part {
                // The output remembers write errors.
                HeldPart::Results(bytes) => _ = to.output.write_all(&bytes),
                HeldPart::Message(HeldMessage::Diagnostic(message)) => to.report(*message),
                HeldPart::Message(HeldMessage::Progress(text)) => {
                    to.diagnostics.write_progress(&text);
                }
                HeldPart::Message(HeldMessage::Noise(text)) => to.write_noise(&text),
            }
        }
    }
}

/// Holds results.
struct HeldOutput(Arc<Mutex<Held>>);

impl Write for HeldOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.0).push(HeldPart::Results(bytes.to_vec()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
