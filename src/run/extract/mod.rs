//! `jsift extract`: bytes in, documents out.
//!
//! With `--all` a document is written as it is found. Otherwise the [choice](crate::find::choice) keeps what it may fall
//! on, and with `--payload` the agent's sessions are folded beside it, until the source has ended.

mod all;
mod messages;
mod payload;
mod repairing;
mod wanted;
mod writer;

use std::ops::ControlFlow;

use crate::cli::Extract;
use crate::cli::value::{Pick as CliPick, Stage as CliStage};
use crate::diagnostic::Message;
use crate::document::{Fault, FaultKind, Rank, Visitor};
use crate::envelope;
use crate::find::Options;
use crate::find::choice::{Choice, Chosen, Faults, Pick, Standing};
use crate::find::filter::Mismatch;
use crate::json::view::Value;
use crate::outcome::Outcome;
use crate::reading::Reading;
use crate::run::environment::Environment;
use crate::run::mode;
use crate::run::source::{Channels, Consumer, Count, Sources};
use all::{All, Writing};
use payload::Payload;
use wanted::Wanted;
use writer::{Page, Writer};

/// How much of a document is held as it came, in bytes, before its white space is given up.
const AS_FOUND: u64 = 1 << 20;
/// How much of the beginning of a source is kept for messages, in bytes.
const HEAD: usize = 512;
/// No envelope is shorter than `{"type":"result"}`, in bytes.
const LEAST_ENVELOPE: usize = 17;

/// Runs `extract`.
pub fn run(options: &Extract, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    let wanted = match Wanted::resolve(options) {
        Ok(wanted) => wanted,
        Err(message) => {
            to.diagnostics.report(*message);
            return Outcome::Usage;
        }
    };
    let accept = |document: &[u8]| wanted.filter.check(document);
    let mut extraction = Extraction {
        options,
        wanted: &wanted,
        find: find_options(options),
        writer: Writer::new(options, environment),
        accept: &accept,
        source: Source::default(),
    };
    Sources::new(&options.common.files, environment)
        .metered()
        .read(&mut extraction, to)
}

fn find_options(options: &Extract) -> Options {
    let stage = |stage| options.stage.is_empty() || options.stage.contains(&stage);
    Options {
        string: stage(CliStage::String),
        whole: stage(CliStage::Whole),
        fence: stage(CliStage::Fence),
        embedded: stage(CliStage::Embedded),
        prefixes: true,
        loose: options.loose,
        lossy: options.common.lossy,
        max_document: options.common.max_document,
        marks: false,
        as_found: if options.layout.as_found {
            u64::MAX
        } else {
            AS_FOUND
        },
    }
}

type Accept<'f> = &'f dyn Fn(&[u8]) -> Result<(), Mismatch>;

/// A run of `extract` over its sources.
struct Extraction<'f> {
    options: &'f Extract,
    wanted: &'f Wanted,
    find: Options,
    writer: Writer,
    accept: Accept<'f>,
    source: Source<'f>,
}

/// The source that is being read.
#[derive(Default)]
struct Source<'f> {
    name: String,
    /// What messages call the text whose lines they count: the source, or the answer in it.
    place: String,
    head: Vec<u8>,
    /// The whole of it, where it may have to be copied through.
    held: Vec<u8>,
    reading: Option<Reading>,
    way: Way<'f>,
}

/// What becomes of the documents of a source.
#[derive(Default)]
enum Way<'f> {
    #[default]
    None,
    All(Box<All>),
    One(Box<Choice<'f, Mismatch>>),
    Payload(Box<Payload<'f>>),
}

impl Consumer for Extraction<'_> {
    fn begin(&mut self, name: &str, _: &mut Channels<'_>) {
        let mode = mode(self.options.common.unwrap);
        let mut find = self.find.clone();
        let way = if self.options.payload {
            let text = self.reads_twice().then(|| Reading::new(mode, find.clone()));
            (find.string, find.whole, find.fence, find.embedded) = (true, true, true, true);
            Way::Payload(Box::new(Payload::new(self.choice(), text)))
        } else if self.options.all {
            Way::All(Box::new(All::new()))
        } else {
            Way::One(Box::new(self.choice()))
        };
        self.source = Source {
            name: name.to_owned(),
            place: name.to_owned(),
            reading: Some(Reading::new(mode, find)),
            way,
            ..Source::default()
        };
    }

    fn block(&mut self, bytes: &[u8], to: &mut Channels<'_>) -> ControlFlow<()> {
        self.remember(bytes);
        if let Way::Payload(payload) = &mut self.source.way {
            payload.block(bytes);
        }
        self.visit(to, |reading, visitor| reading.block(bytes, visitor));
        ControlFlow::Continue(())
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let noted = self.source.head.len() >= HEAD;
        if !noted || self.holds() || self.reads_twice() {
            return None;
        }
        self.source.reading.as_mut()?.space(size)
    }

    fn filled(&mut self, size: usize, to: &mut Channels<'_>) -> ControlFlow<()> {
        self.visit(to, |reading, visitor| reading.filled(size, visitor));
        ControlFlow::Continue(())
    }

    fn end(&mut self, to: &mut Channels<'_>) -> Outcome {
        self.visit(to, |reading, visitor| _ = reading.end(visitor));
        let reading = self.source.reading.take();
        let whole = reading.is_some_and(|reading| reading.is_whole());
        let outcome = match std::mem::take(&mut self.source.way) {
            Way::None => Outcome::None,
            Way::All(all) => self.end_all(&all, to),
            Way::One(choice) => self.end_one(*choice, whole, None, to),
            Way::Payload(payload) => self.end_payload(*payload, whole, to),
        };
        if outcome == Outcome::None && self.options.text {
            return self.copy_through(to);
        }
        outcome
    }

    fn count(&mut self) -> Count {
        Count {
            number: match &self.source.way {
                Way::None => 0,
                Way::All(all) => all.written,
                Way::One(choice) => choice.documents(),
                Way::Payload(payload) => payload.documents(),
            },
            noun: "document",
        }
    }

    fn is_live(&self) -> bool {
        self.options.all
    }
}

impl<'f> Extraction<'f> {
    fn choice(&self) -> Choice<'f, Mismatch> {
        let pick = self.options.pick.map(|pick| match pick {
            CliPick::First => Pick::First,
            CliPick::Last => Pick::Last,
            CliPick::Largest => Pick::Largest,
            CliPick::Nth(n) if n.get() > 0 => Pick::Nth(n.get().unsigned_abs() - 1),
            CliPick::Nth(n) => Pick::NthLast(n.get().unsigned_abs() - 1),
        });
        Choice::new(pick, &standing, self.accept)
    }

    /// Whether the source has to be there as a whole at its end.
    const fn holds(&self) -> bool {
        let options = self.options;
        options.text || options.repair || (options.payload && options.all)
    }

    /// Whether the source is read on its own as the text that the payload may stand in: by some stages only.
    const fn reads_twice(&self) -> bool {
        self.options.payload && !self.options.stage.is_empty()
    }

    /// Whether stage `repair` may be used.
    fn repairs(&self) -> bool {
        let stages = &self.options.stage;
        self.options.repair && (stages.is_empty() || stages.contains(&CliStage::Repair))
    }

    /// Whether stage `repair` was neither asked for nor left out.
    fn may_repair(&self) -> bool {
        !self.options.repair && self.options.stage.is_empty()
    }

    fn remember(&mut self, bytes: &[u8]) {
        let holds = self.holds();
        let Source {
            head, held, way, ..
        } = &mut self.source;
        if head.len() < HEAD {
            let bytes = if head.is_empty() {
                bytes.trim_ascii_start()
            } else {
                bytes
            };
            head.extend_from_slice(bytes.get(..HEAD - head.len()).unwrap_or(bytes));
        }
        if let Way::Payload(payload) = way
            && payload.has_session()
        {
            // It is no text that could have to be read again.
            *held = Vec::new();
        } else if holds && held.len() as u64 <= self.options.common.max_document {
            // What is beyond tells that the input is larger.
            held.extend_from_slice(bytes);
        }
    }

    /// Reads on, for whatever becomes of the documents.
    fn visit(&mut self, to: &mut Channels<'_>, read: impl FnOnce(&mut Reading, &mut dyn Visitor)) {
        let source = &mut self.source;
        let Some(reading) = &mut source.reading else {
            return;
        };
        match &mut source.way {
            Way::None => {}
            Way::One(choice) => read(reading, choice.as_mut()),
            Way::Payload(payload) => read(reading, payload.as_mut()),
            Way::All(all) => {
                let texts = (&*source.name, &*source.place);
                let mut writing = Writing::new(all, &self.writer, self.wanted, texts, to);
                read(reading, &mut writing);
            }
        }
    }

    fn end_one(
        &self,
        mut choice: Choice<'f, Mismatch>,
        whole: bool,
        response: Option<&[u8]>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let chosen = choice.take(whole);
        let faults = choice.faults();
        let repaired = match &chosen {
            None => self.repaired(response, faults),
            Some((chosen, _)) => self.instead_of(chosen, response, faults).map(Ok),
        };
        match repaired {
            Some(Ok((repaired, changes))) => return self.put_repaired(&repaired, &changes, to),
            Some(Err(unfit)) => return self.unfit(&unfit, choice.mismatch(), faults, to),
            None => {}
        }
        if let Some((chosen, passed)) = chosen {
            return self.end_chosen(&chosen, passed, &choice, to);
        }
        let reason = faults.reasons().next();
        self.note_faults(faults, reason, to);
        match reason {
            Some(fault) => self.fail(fault, to),
            None => self.nothing(choice.documents(), choice.mismatch(), response, to),
        }
    }

    /// Writes the document of the choice, before which so many others were passed over.
    fn end_chosen(
        &self,
        chosen: &Chosen,
        passed: u64,
        choice: &Choice<'f, Mismatch>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let written = self.put(chosen, &[], to);
        self.explain(chosen, passed, to);
        if let Some(mismatch) = choice.mismatch() {
            let text = format!("passed over what does not pass the filters: {mismatch}");
            self.report(Message::verbose(text), to);
        }
        let agent = self.agent_outcome(chosen, to);
        let faults = choice.faults();
        let reason = faults.reasons().find(|fault| self.decides(fault, chosen));
        self.note_faults(faults, reason, to);
        let outcome = reason.map_or(Outcome::Success, |fault| self.fail(fault, to));
        outcome.worse(agent).worse(written)
    }

    /// Whether a fault decides the outcome, although a document was chosen.
    fn decides(&self, fault: &Fault, chosen: &Chosen) -> bool {
        let explicit = self.options.pick.is_some();
        let special = chosen.standing != Standing::Other;
        match fault.kind {
            FaultKind::Limit => true,
            FaultKind::Truncated => !explicit,
            FaultKind::Empty | FaultKind::Broken if fault.fence.is_some() => !special,
            FaultKind::Empty | FaultKind::Broken => {
                chosen.rank == Rank::Embedded
                    && !special
                    && !explicit
                    && fault.position.offset < chosen.origin.position.offset
            }
        }
    }

    /// How the agent's run ended whose envelope was chosen.
    fn agent_outcome(&self, chosen: &Chosen, to: &mut Channels<'_>) -> Outcome {
        if chosen.standing != Standing::Envelope {
            return Outcome::Success;
        }
        match envelope::answer(Value::new(&chosen.text)) {
            Some(answer) if answer.outcome != Outcome::Success => {
                let message = messages::failed(&answer);
                self.report(message.at(chosen.origin.position), to);
                answer.outcome
            }
            _ => Outcome::Success,
        }
    }

    /// Writes the document of the choice.
    fn put(&self, chosen: &Chosen, changes: &[String], to: &mut Channels<'_>) -> Outcome {
        let rewritten = match self.wanted.rewrite(&chosen.text) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                self.report_of(chosen, messages::not_rewritten(&error), to);
                return Outcome::Mismatch;
            }
        };
        let lossy = chosen.lossy || rewritten.as_ref().is_some_and(|text| text.lossy);
        let mut warnings = warnings(lossy);
        for warning in &warnings {
            self.report_of(chosen, Message::warning(warning), to);
        }
        warnings.extend_from_slice(changes);
        let text = rewritten.as_ref().map_or(&chosen.text, |text| &text.text);
        if self.writer.is_parted(text) {
            self.report_of(chosen, messages::parted(), to);
            return Outcome::Mismatch;
        }
        let page = Page {
            text,
            source: &self.source.name,
            origin: Some(&chosen.origin),
            stage: chosen.origin.stage,
            compact: false,
            warnings: &warnings,
        };
        // What cannot be written is known to the output.
        let _ = self.writer.write(&mut to.output, page);
        Outcome::Success
    }

    fn explain(&self, chosen: &Chosen, passed: u64, to: &mut Channels<'_>) {
        let what = match chosen.standing {
            Standing::Envelope => "an agent's envelope",
            Standing::Body => "an API's response body",
            Standing::Other => "the document",
        };
        self.report_of(chosen, messages::taken(what, chosen.origin.stage), to);
        if chosen.rank == Rank::Weak {
            let head = &self.source.head;
            let message = messages::weak(&chosen.text, head, self.may_repair());
            self.report_of(chosen, message, to);
        }
        if passed > 0 && self.options.pick.is_none() {
            let text = match passed {
                1 => "1 other document was passed over".to_owned(),
                passed => format!("{passed} other documents were passed over"),
            };
            let message =
                Message::note(text).hint("--all prints every document, --pick another one");
            self.report_of(chosen, message, to);
        }
    }

    /// Reports something of the source.
    fn report(&self, message: Message, to: &mut Channels<'_>) {
        to.diagnostics.report(message.of(&self.source.name));
    }

    /// Reports something of the document of the choice.
    fn report_of(&self, chosen: &Chosen, message: Message, to: &mut Channels<'_>) {
        let message = message.of(&self.source.place).at(chosen.origin.position);
        to.diagnostics.report(message);
    }

    /// Says which fence was at fault and which candidates were broken, but for what is the reason of the outcome.
    fn note_faults(&self, faults: &Faults, reason: Option<&Fault>, to: &mut Channels<'_>) {
        for fault in faults.fence.iter().chain(faults.broken()) {
            if reason.is_none_or(|reason| reason.position != fault.position) {
                let message = messages::passed_fault(fault).of(&self.source.place);
                to.diagnostics.report(message);
            }
        }
    }

    fn fail(&self, fault: &Fault, to: &mut Channels<'_>) -> Outcome {
        let message = messages::deciding_fault(fault, self.repairs()).of(&self.source.place);
        to.diagnostics.report(message);
        fault.outcome()
    }

    /// Nothing to write: because there is no JSON, or none that was wanted.
    fn nothing(
        &self,
        documents: u64,
        mismatch: Option<&Mismatch>,
        response: Option<&[u8]>,
        to: &mut Channels<'_>,
    ) -> Outcome {
        if documents == 0 {
            let head = &self.source.head;
            let message = match response {
                Some(response) => messages::no_payload(response, self.may_repair()),
                None => messages::nothing(&self.source.name, head, self.may_repair()),
            };
            if response.is_some() || !self.options.text {
                self.report(message, to);
            }
            return Outcome::None;
        }
        if let Some(mismatch) = mismatch {
            return self.mismatch(mismatch, to);
        }
        let text = format!("there is no such document among the {documents} that were found");
        self.report(Message::error(text), to);
        Outcome::Mismatch
    }

    /// No document passes the filters.
    fn mismatch(&self, best: &Mismatch, to: &mut Channels<'_>) -> Outcome {
        let text = format!("no document passes the filters: {best}");
        self.report(Message::error(text), to);
        Outcome::Mismatch
    }

    /// `--text`: the input itself instead of nothing.
    fn copy_through(&mut self, to: &mut Channels<'_>) -> Outcome {
        let held = std::mem::take(&mut self.source.held);
        if held.len() as u64 > self.options.common.max_document {
            let text = "the input is larger than --max-document and cannot be copied through";
            self.report(Message::error(text), to);
            return Outcome::Limit;
        }
        let text = "no JSON found; the input is copied through";
        self.report(Message::warning(text), to);
        let _ = self.writer.copy(&mut to.output, &held);
        Outcome::Success
    }
}

/// How a document stands among envelopes and bodies of APIs.
fn standing(document: &[u8]) -> Standing {
    if document.len() < LEAST_ENVELOPE {
        return Standing::Other;
    }
    envelope::standing(Value::new(document))
}

fn warnings(lossy: bool) -> Vec<String> {
    if lossy {
        vec!["invalid UTF-8 in its strings was replaced by U+FFFD".to_owned()]
    } else {
        Vec::new()
    }
}
