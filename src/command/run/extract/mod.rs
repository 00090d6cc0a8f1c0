//! `jsift extract`: finds documents in bytes and writes them.
//!
//! With `--all` a document is written as soon as it is found. Otherwise the [choice](jsift_find::choose::choice) keeps
//! the documents that it may choose until it is decided, mostly at the end of the source; with `--payload` the agent's
//! sessions are folded as well.

mod all;
mod lines;
mod messages;
mod one;
mod passthrough;
mod payload;
mod report;
mod waiting;
mod wanted;
mod writer;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::command::cli::Extract;
use crate::command::cli::value::NoiseOption;
use crate::command::run::environment::Environment;
use crate::command::run::head::Head;
use crate::command::run::notes::missed_field;
use crate::command::run::source::{
    Arrived, Channels, Consumer, SourceConsumer, SourceEnd, Sources,
};
use crate::command::run::{jobs, shows_lines};
use crate::payload::Payload;
use crate::search::Search;
use all::All;
use jsift_find::choose::choice::Choice;
use jsift_find::choose::repairing::SourceText;
use jsift_find::choose::scalars::NoiseLine;
use jsift_find::document::Visitor;
use jsift_find::reading::Reading;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;
use lines::DocumentLines;
use passthrough::{Around, LeftOut};
use waiting::WaitingNotice;
use wanted::Wanted;
use writer::DocumentWriter;

/// The message about a source that stage `repair` does not read.
const NOT_REPAIRED: &str = "the input is larger than --max-document and is not repaired";

/// Runs `extract`.
///
/// # Errors
///
/// Fails if a pointer or a schema in the options is invalid.
pub(crate) fn run(
    options: &Extract,
    environment: &Environment,
    to: &mut Channels<'_>,
) -> anyhow::Result<Outcome> {
    let wanted = Wanted::resolve(options, &environment.agents)?;
    let begun = AtomicBool::new(false);
    let extractions = Extractions {
        options,
        environment,
        wanted: &wanted,
        begun: &begun,
    };
    let metered = (options.noise != NoiseOption::Stderr).then_some("document");
    let mut sources = Sources::new(&options.common.files, environment, metered);
    // An array is of all documents of all sources.
    sources.jobs = match options.layout.array {
        true => 1,
        false => jobs(&options.common, environment),
    };
    let outcome = sources.read(&extractions, to);
    let writer = DocumentWriter::new(options, environment, &begun);
    // The output remembers write errors.
    let _ = writer.end_array(&mut to.output, outcome);
    Ok(outcome)
}

/// A run of `extract` over its sources.
struct Extractions<'f> {
    options: &'f Extract,
    environment: &'f Environment,
    wanted: &'f Wanted,
    /// Whether the array of all documents has been begun.
    begun: &'f AtomicBool,
}

/// What is extracted from one source, and how.
struct Extraction<'f> {
    options: &'f Extract,
    wanted: &'f Wanted,
    search: &'f Search,
    writer: DocumentWriter<'f>,
    name: String,
    /// What messages call the text whose lines they count: the source, or the answer inside it.
    place: String,
    head: Head,
    /// Whether the source is larger than what may be kept of it.
    beyond_limit: bool,
    /// The whole source, if it may have to be read or copied again at its end.
    held: Vec<u8>,
}

/// The source that is being read.
struct ExtractedSource<'f> {
    extraction: Extraction<'f>,
    reading: Reading,
    receiver: DocumentReceiver<'f>,
    /// The text around the documents, if it is written.
    around: Option<Around>,
    /// The current line, which may be a scalar, if scalars count as documents.
    line: NoiseLine,
    /// The notice that nothing is printed yet.
    notice: WaitingNotice<'f>,
    /// Whether reading waits for the end of the source, since documents are repaired in their places.
    waits: bool,
    /// How writing the chosen document ended, if it was decided before the end of the source.
    early: Option<Outcome>,
}

/// What happens to the documents of a source.
enum DocumentReceiver<'f> {
    All(Box<All>),
    One(Box<Choice<'f>>),
    Payload(Box<Payload<'f>>),
}

impl Consumer for Extractions<'_> {
    fn begin<'s>(&'s self, name: &str, _: bool) -> Box<dyn SourceConsumer<'s> + 's> {
        Box::new(self.open(name))
    }
}

impl<'f> Extractions<'f> {
    /// Returns the state at the start of the source that messages call `name`.
    fn open(&self, name: &str) -> ExtractedSource<'f> {
        let (options, wanted) = (self.options, self.wanted);
        let shows_lines = shows_lines(&options.common, self.environment);
        let extraction = Extraction {
            options,
            wanted,
            search: &wanted.search,
            writer: DocumentWriter::new(options, self.environment, self.begun),
            name: name.to_owned(),
            place: name.to_owned(),
            head: Head::default(),
            beyond_limit: false,
            held: Vec::new(),
        };
        let (search, mut find) = (&wanted.search, wanted.search.find.clone());
        let reading = |find| Reading::new(search.unwrap.clone(), find).with_lines(shows_lines);
        let receiver = if options.payload {
            let text = extraction.reads_twice().then(|| reading(find.clone()));
            (find.string, find.whole, find.fence, find.embedded) = (true, true, true, true);
            DocumentReceiver::Payload(Box::new(search.payload(text)))
        } else if options.writes_all() {
            DocumentReceiver::All(Box::default())
        } else {
            DocumentReceiver::One(Box::new(search.choice()))
        };
        let lines = DocumentLines::new(options, self.environment);
        ExtractedSource {
            waits: options.repairs() && options.writes_all() && !options.payload,
            extraction,
            reading: reading(find),
            receiver,
            around: lines.map(Around::new),
            line: NoiseLine::default(),
            notice: WaitingNotice::new(self.environment, options.pick.is_some()),
            early: None,
        }
    }
}

impl<'s, 'f: 's> SourceConsumer<'s> for ExtractedSource<'f> {
    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()> {
        match bytes {
            Arrived::Block(bytes) => self.block(bytes, to),
            Arrived::InSpace(size) => {
                self.visit(false, to, |reading, visitor| reading.filled(size, visitor));
            }
        }
        self.put_decided(to);
        ControlFlow::Continue(())
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let Extraction { head, .. } = &self.extraction;
        let again = self.extraction.holds() || self.extraction.reads_twice();
        if !head.is_full() || again || self.around.is_some() {
            return None;
        }
        self.reading.space(size)
    }

    fn waits(&mut self, to: &mut Channels<'_>) -> Option<Duration> {
        match &self.receiver {
            DocumentReceiver::One(choice) if self.early.is_none() => {
                self.notice.waits(choice.documents(), to)
            }
            _ => None,
        }
    }

    fn end(mut self: Box<Self>, _: bool, to: &mut Channels<'_>) -> Box<dyn SourceEnd + 's> {
        match self.waits {
            true => self.read_repaired(to),
            false => self.visit(true, to, |reading, visitor| _ = reading.end(visitor)),
        }
        if let Some(around) = &mut self.around {
            around.end(&self.extraction.writer, to);
        }
        let Self {
            mut extraction,
            reading,
            receiver,
            early,
            ..
        } = *self;
        if let Some(field) = reading.missed_field() {
            extraction.report(missed_field(field), to);
        }
        let whole = reading.is_whole();
        // What the finder holds may be as large as a document.
        drop(reading);
        let outcome = match receiver {
            DocumentReceiver::All(all) => extraction.end_all(&all, to),
            DocumentReceiver::One(choice) => extraction.end_one((*choice, early), whole, to),
            DocumentReceiver::Payload(payload) => extraction.end_payload(*payload, whole, to),
        };
        match outcome {
            Outcome::None if extraction.options.text => Box::new(CopiedEnd(extraction)),
            outcome => Box::new(outcome),
        }
    }

    fn count(&mut self) -> u64 {
        match &self.receiver {
            DocumentReceiver::All(all) => all.tally.passed(),
            DocumentReceiver::One(choice) => choice.documents(),
            DocumentReceiver::Payload(payload) => payload.documents(),
        }
    }

    fn is_live(&self) -> bool {
        self.early.is_some() || self.extraction.options.writes_all()
    }
}

impl ExtractedSource<'_> {
    /// Writes the document that is picked, once it is decided.
    fn put_decided(&mut self, to: &mut Channels<'_>) {
        if let DocumentReceiver::One(choice) = &mut self.receiver
            && self.early.is_none()
        {
            self.early = self.extraction.put_decided(choice, &self.reading, to);
        }
    }

    /// Reads the next bytes, or keeps them if the source waits for its end.
    fn block(&mut self, bytes: &[u8], to: &mut Channels<'_>) {
        self.extraction.remember(bytes);
        if let DocumentReceiver::Payload(payload) = &mut self.receiver {
            payload.block(bytes);
            if payload.has_session() {
                // The source is an agent's stream, so its text is not read again.
                self.extraction.held = Vec::new();
            }
        }
        if !self.waits {
            self.visit(false, to, |reading, visitor| reading.block(bytes, visitor));
        } else if self.extraction.is_too_large() {
            self.waits = false;
            let held = std::mem::take(&mut self.extraction.held);
            self.extraction
                .report(Diagnostic::warning(NOT_REPAIRED), to);
            self.visit(false, to, |reading, visitor| reading.block(&held, visitor));
        }
        self.settle_noise(to);
    }

    /// Reads the source that has waited for its end, with its repairs.
    fn read_repaired(&mut self, to: &mut Channels<'_>) {
        let text = self.extraction.text(None);
        let repairs = Arc::new(self.extraction.search.repairs_of(text));
        if let DocumentReceiver::All(all) = &mut self.receiver {
            all.repairs = Arc::clone(&repairs);
        }
        let held = std::mem::take(&mut self.extraction.held);
        self.visit(true, to, |reading, visitor| {
            let mut merge = repairs.merge(visitor);
            reading.block(&held, &mut merge);
            reading.end(&mut merge);
            merge.end();
        });
        self.extraction.held = held;
    }

    /// Writes the noise that is decided.
    fn settle_noise(&mut self, to: &mut Channels<'_>) {
        if let Some(around) = &mut self.around {
            let decided = self.reading.decided();
            let scalar = self.line.may_begin_at();
            let decided = scalar.map_or(decided, |at| at.min(decided));
            around.settle(decided, &self.extraction.writer, to);
        }
    }

    /// Continues reading, with the visitor that the documents' receiver requires; `last` says that this is the end.
    fn visit(
        &mut self,
        last: bool,
        to: &mut Channels<'_>,
        read: impl FnOnce(&mut Reading, &mut dyn Visitor),
    ) {
        let extraction = &self.extraction;
        let (mut writing, mut left_out);
        let (kept, removed) = match extraction.options.noise {
            NoiseOption::Keep => (self.around.as_mut(), None),
            _ => (None, self.around.as_mut()),
        };
        let mut visitor: &mut dyn Visitor = match &mut self.receiver {
            DocumentReceiver::One(choice) => choice.as_mut(),
            DocumentReceiver::Payload(payload) => payload.as_mut(),
            DocumentReceiver::All(all) => {
                writing = extraction.writing(all, to).within(kept);
                &mut writing
            }
        };
        if let Some(around) = removed {
            left_out = LeftOut {
                to: visitor,
                around,
                filter: &extraction.search.filter,
            };
            visitor = &mut left_out;
        }
        let line = (&mut self.line, last);
        (extraction.search).visit(visitor, line, |visitor| read(&mut self.reading, visitor));
    }
}

/// The end of a source that is copied by `--text`. What the sources before it print must be written first: whether
/// anything follows a copy decides how it ends.
struct CopiedEnd<'f>(Extraction<'f>);

impl SourceEnd for CopiedEnd<'_> {
    fn write(mut self: Box<Self>, to: &mut Channels<'_>) -> Outcome {
        self.0.copy_through(to)
    }
}

impl Extraction<'_> {
    /// Returns whether the whole source must be kept until its end.
    const fn holds(&self) -> bool {
        let options = self.options;
        options.text || options.repair || (options.payload && options.prints_all())
    }

    /// Returns whether the source is larger than what may be kept of it.
    const fn is_too_large(&self) -> bool {
        self.held.len() as u64 > self.options.common.max_document
    }

    /// Returns whether the source is read a second time, by the selected stages only, as the text that may itself
    /// contain the payload.
    const fn reads_twice(&self) -> bool {
        self.options.payload && !self.options.stage.is_empty()
    }

    /// Returns whether stage `repair` was neither requested nor excluded.
    fn may_repair(&self) -> bool {
        !self.options.repair && self.options.stage.is_empty()
    }

    /// Keeps the beginning of the source for messages, and all of it if it may be read again.
    fn remember(&mut self, bytes: &[u8]) {
        self.head.push(bytes);
        // One block more than the limit shows that the input is too large.
        if self.holds() && !self.is_too_large() {
            self.held.extend_from_slice(bytes);
        }
        self.beyond_limit |= self.is_too_large();
    }

    /// Returns the text of the source, or of the answer in it.
    fn text<'a>(&'a self, response: Option<&'a [u8]>) -> SourceText<'a> {
        let source = &self.held;
        SourceText { source, response }
    }

    /// Reports that the source is too large for what would have to be done with it.
    fn refuse_too_large(&self, done: &str, to: &mut Channels<'_>) -> Outcome {
        let text = format!("the input is larger than --max-document and cannot be {done}");
        self.report(Diagnostic::error(text), to);
        Outcome::Limit
    }

    /// Copies the input itself if nothing was found, for `--text`.
    fn copy_through(&mut self, to: &mut Channels<'_>) -> Outcome {
        if self.is_too_large() {
            return self.refuse_too_large("copied through", to);
        }
        let held = std::mem::take(&mut self.held);
        let text = "no JSON found; the input is copied through";
        self.report(Diagnostic::warning(text), to);
        let _ = self.writer.copy(&mut to.output, &held);
        if !held.is_empty() && !held.ends_with(b"\n") {
            to.output.owe_feed();
        }
        Outcome::Success
    }
}
