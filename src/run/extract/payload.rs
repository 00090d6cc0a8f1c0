//! `--payload`: through the envelope or the event stream of an agent to the JSON in its answer.

use super::{Extraction, standing};
use crate::diagnostic::Message;
use crate::dialect::may_be_read;
use crate::dialect::reader::Reader;
use crate::document::{Document, Fault, FaultKind, Noise, Rank, Visitor};
use crate::find::{Finder, Options};
use crate::json::is_json;
use crate::json::text::Text;
use crate::json::view::{Kind, Value};
use crate::outcome::Outcome;
use crate::reading::Reading;
use crate::run::mode;
use crate::run::notes::{failure_in, known_failure};
use crate::run::source::Channels;
use crate::select::choice::{Choice, Standing};
use crate::select::filter::Mismatch;
use crate::session::{Session, Sessions};
use crate::stream::Stream;

/// Reads a source as an agent's output, and until it turns out to be that beside it as text.
pub(super) struct Payload<'f> {
    stream: Stream<Sessions>,
    choice: Choice<'f, Mismatch>,
    /// The source as text, for the choice, by the stages of `--stage`: an envelope is found by any stage. `None` if all
    /// of them are tried, so that one reading serves for both.
    text: Option<Reading>,
    /// The first document that was too large: it may have belonged to the session.
    limit: Option<Fault>,
    documents: u64,
}

impl<'f> Payload<'f> {
    pub(super) fn new(choice: Choice<'f, Mismatch>, text: Option<Reading>) -> Self {
        Self {
            stream: Stream::new(Reader::new(), Sessions::keeping_responses()),
            choice,
            text,
            limit: None,
            documents: 0,
        }
    }

    /// How many documents were found beside each other.
    pub(super) const fn documents(&self) -> u64 {
        self.documents
    }

    /// Takes the next bytes of the source as text, if it is read as that on its own.
    pub(super) fn block(&mut self, bytes: &[u8]) {
        if self.has_session() {
            return;
        }
        if let Some(text) = &mut self.text {
            text.block(bytes, &mut self.choice);
        }
    }

    /// Offers a document to the choice.
    fn offer(&mut self, document: Document<'_>, standing: Standing) {
        if self.text.is_none() {
            self.choice.add(document, || standing);
        }
    }

    pub(super) fn has_session(&mut self) -> bool {
        self.stream.follower().current().is_some()
    }
}

impl Visitor for Payload<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.documents += 1;
        if self.has_session() {
            self.stream.read(document);
            return;
        }
        if may_be_read(Value::new(document.text), document.layout) {
            self.stream.read(document);
            let standing = standing(document.text);
            self.offer(document, standing);
        } else {
            self.stream.pass(document);
            self.offer(document, Standing::Other);
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.stream.fault(fault.clone());
        if fault.kind == FaultKind::Limit {
            self.limit.get_or_insert_with(|| fault.clone());
        }
        if self.text.is_none() && !self.has_session() {
            self.choice.fault(fault);
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.stream.noise(noise);
    }

    fn thinking_ended(&mut self) {
        if self.text.is_none() && !self.has_session() {
            self.choice.thinking_ended();
        }
    }

    fn wants_noise(&self) -> bool {
        true
    }
}

impl<'f> Extraction<'f> {
    pub(super) fn end_payload(
        &mut self,
        payload: Payload<'f>,
        whole: bool,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let Payload {
            stream,
            mut choice,
            text,
            limit,
            ..
        } = payload;
        let sessions = stream.finish();
        let whole = text.map_or(whole, |mut text| {
            text.end(&mut choice);
            text.is_whole()
        });
        let known = sessions.known_message();
        let answered = if let Some(session) = sessions.current() {
            self.end_session(&sessions, session, to)
        } else if let Some(known) = known {
            self.report(known_failure(&known), to);
            known.class
        } else {
            return self.end_text(choice, whole, to);
        };
        limit.map_or(answered, |fault| answered.worse(self.fail(&fault, to)))
    }

    fn end_session(
        &mut self,
        sessions: &Sessions,
        session: &Session,
        to: &mut Channels<'_>,
    ) -> Outcome {
        let outcome = session.outcome();
        if outcome == Outcome::Success {
            return self.chain(&self.answer(session).with_escapes(), to);
        }
        let message = failure_in(sessions, session, false)
            .unwrap_or_else(|| Message::error(format!("{outcome}: {}", outcome.meaning())));
        self.report(message, to);
        outcome
    }

    /// What the chain is run on: the response. An agent may say several messages, and where each of them is a document the
    /// last one is the answer: with a schema for the answer (`codex exec --output-schema`) all have its form.
    fn answer<'s>(&self, session: &'s Session) -> Text<'s> {
        let last = session.last_message();
        let chooses = self.options.all || self.options.pick.is_some();
        last.filter(|last| !chooses && is_document(&last.with_escapes()))
            .or_else(|| session.response())
            .unwrap_or_default()
    }

    /// The source was no agent's output, but the text itself.
    fn end_text(
        &self,
        choice: Choice<'f, Mismatch>,
        whole: bool,
        to: &mut Channels<'_>,
    ) -> Outcome {
        if let Some(message) = empty_aside(&choice) {
            if !self.options.text {
                self.report(message, to);
            }
            return Outcome::None;
        }
        let held = &self.source.held;
        if !self.options.all || choice.documents() == 0 {
            return self.end_one(choice, whole, None, to);
        }
        if held.len() as u64 > self.options.common.max_document {
            let text = "the input is larger than --max-document and cannot be held for --all";
            self.report(Message::error(text), to);
            return Outcome::Limit;
        }
        let read = |visitor: &mut dyn Visitor| {
            let mut reading = Reading::new(mode(self.options.common.unwrap), self.find.clone());
            self.read_with_scalars(visitor, |visitor| {
                reading.block(held, visitor);
                reading.end(visitor);
            });
        };
        match self.write_all(read, to) {
            Some(outcome) => outcome,
            None => self.end_one(choice, whole, None, to),
        }
    }

    /// Runs the chain on the answer, whose lines are not those of the source.
    fn chain(&mut self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        self.source.place = format!("the answer in {}", self.source.name);
        let outcome = self.read_answer(response, to);
        self.source.place.clone_from(&self.source.name);
        outcome
    }

    /// What the answer holds. That it has no JSON is a mismatch.
    fn read_answer(&self, response: &[u8], to: &mut Channels<'_>) -> Outcome {
        let read = |visitor: &mut dyn Visitor| {
            let mut finder = Finder::new(self.find.clone());
            self.read_with_scalars(visitor, |visitor| {
                finder.push(response, visitor);
                finder.finish(visitor);
            });
            finder.is_whole()
        };
        if self.options.all
            && let Some(outcome) = self.write_all(|visitor| _ = read(visitor), to)
        {
            return outcome;
        }
        let mut choice = self.choice();
        let whole = read(&mut choice);
        let outcome = self.end_one(choice, whole, Some(response), to);
        // There is an answer: what it does not hold is a mismatch.
        if outcome == Outcome::None {
            Outcome::Mismatch
        } else {
            outcome
        }
    }
}

/// Whether there is JSON in an answer that is more than an aside.
pub(super) fn holds_json(answer: &[u8]) -> bool {
    let mut holds = false;
    let mut look = |document: Document<'_>| {
        let kind = Value::new(document.text).kind();
        holds |= document.rank != Rank::Weak && matches!(kind, Kind::Object | Kind::Array);
    };
    let mut finder = Finder::new(Options::default());
    finder.push(answer, &mut look);
    finder.finish(&mut look);
    holds
}

/// Whether a text is an object or array, and nothing else.
fn is_document(text: &[u8]) -> bool {
    matches!(text.trim_ascii().first(), Some(b'{' | b'[')) && is_json(text)
}

/// What is said where the choice would fall on an empty array or object inside a line: it comes out of a stack trace
/// (`requireStack: []`) sooner than out of an answer.
fn empty_aside(choice: &Choice<'_, Mismatch>) -> Option<Message> {
    let chosen = choice.chosen().filter(|chosen| chosen.rank == Rank::Weak)?;
    let value = Value::new(&chosen.text);
    if value.elements().next().is_some() || value.members().next().is_some() {
        return None;
    }
    let text = "only an empty array or object inside a line was found, which is no payload";
    let message = Message::error(text).at(chosen.origin.position);
    Some(message.hint("--loose takes it"))
}
