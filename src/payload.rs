//! The payload: the JSON inside the answer of an agent's envelope or event stream.
//!
//! A [`Payload`] reads a source both as an agent's output and as plain text, until it is known which of the two it is.

use crate::failure::{failure_in, known_failure};
use crate::search::Search;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::envelope::standing;
use jsift_agents::session::{Kept, Session, Sessions};
use jsift_agents::stream::Stream;
use jsift_find::choose::choice::{Choice, Chosen, Standing};
use jsift_find::choose::repairing::SourceText;
use jsift_find::document::{Document, Fault, FaultKind, Noise, Rank, Remark, Visitor, Wants};
use jsift_find::finder::repair::Repairs;
use jsift_find::reading::Reading;
use jsift_find::span::Position;
use jsift_json::is_json;
use jsift_json::scan::clean;
use jsift_json::text::Text;
use jsift_json::view::{Object, Value};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;

/// Reads a source as an agent's output, and also as text until it is known to be an agent's output.
pub(crate) struct Payload<'f> {
    stream: Stream<Sessions>,
    choice: Choice<'f>,
    /// The source read as text for the choice, by the stages of `--stage`; an envelope is found by any stage. `None` if
    /// all stages are tried: then one reading is enough for both purposes.
    text: Option<Reading>,
    /// The first document that was too large; it may have belonged to the session.
    limit: Option<Fault>,
    /// The first record that is broken or cut.
    lost: Option<Fault>,
    documents: u64,
    /// The number of documents that count and are in no fence.
    unfenced: u64,
    /// The number of these that have text after them on their line: they are a part of that text, and no records.
    in_text: u64,
    /// Whether only blanks and commas follow such a document so far.
    ends_line: bool,
}

/// What a source turned out to be.
pub(crate) enum PayloadSource<'f> {
    /// The output of an agent that gave this answer, in which the payload is.
    Answer(Vec<u8>),
    /// A source without an answer.
    Failure(Box<NoAnswer>),
    /// Not the output of an agent that is known, so the payload is in the source itself.
    Text(Box<PlainSource<'f>>),
}

/// Why a source has no answer.
pub(crate) struct NoAnswer {
    pub(crate) outcome: Outcome,
    pub(crate) message: Diagnostic,
    /// The place of what is no answer, if the message is about a single place.
    pub(crate) position: Option<Position>,
    /// The fault that decides the outcome in place of `outcome`.
    pub(crate) fault: Option<Fault>,
}

impl<'f> PayloadSource<'f> {
    /// Whether repairs may make more of the source: it is not the output of an agent, or its run is cut.
    fn may_be_repaired(&self) -> bool {
        match self {
            Self::Answer(_) => false,
            Self::Failure(failure) => is_cut(failure.outcome),
            Self::Text(_) => true,
        }
    }

    /// Returns the output of an agent that failed, as the message says.
    fn failed(outcome: Outcome, message: Diagnostic) -> Self {
        Self::Failure(Box::new(NoAnswer {
            outcome,
            message,
            position: None,
            fault: None,
        }))
    }

    /// Returns what the source, whose text this is, is with its repairs, and these if they make a difference.
    fn with_repairs(self, search: &'f Search, text: SourceText<'_>) -> (Self, Repairs) {
        if !self.may_be_repaired() {
            return (self, Repairs::default());
        }
        let repairs = search.repairs_of(text);
        if repairs.documents().is_empty() {
            return (self, repairs);
        }
        let mut again = search.payload(None);
        let whole = search.read(text, &repairs, &mut again);
        match (self, again.finish(whole, search.chooses).0) {
            (Self::Text(text), _) if text.delivers(&repairs) => {
                (Self::Text(text), Repairs::default())
            }
            // The chain looks for the repairs of a text once more.
            (Self::Text(first), Self::Text(again)) => {
                let text = if again.of_unknown { again } else { first };
                (Self::Text(text), Repairs::default())
            }
            (_, again) => (again, repairs),
        }
    }
}

/// A source as text.
pub(crate) struct PlainSource<'f> {
    pub(crate) choice: Choice<'f>,
    /// Whether the source contains nothing but JSON.
    pub(crate) whole: bool,
    /// Whether the source is a stream that could not be read, so that none of its documents is an answer.
    of_unknown: bool,
}

impl PlainSource<'_> {
    /// Whether a document was chosen that is no part of something that can be repaired.
    fn delivers(&self, repairs: &Repairs) -> bool {
        let chosen = self.choice.chosen().map(Chosen::position);
        let sound = chosen.filter(|place| !repairs.holds(place.offset));
        sound.is_some() && !self.of_unknown
    }

    /// Returns why the text cannot contain the payload, if it cannot.
    fn failure(&self) -> Option<NoAnswer> {
        if self.of_unknown {
            let text = "the records of an unknown stream were found, and no answer among them";
            let message = Diagnostic::error(text)
                .hint("without --payload the records themselves are extracted");
            return Some(NoAnswer {
                outcome: Outcome::Mismatch,
                message,
                position: None,
                fault: self.choice.faults().reasons().next().cloned(),
            });
        }
        let position = empty_in_line(&self.choice)?;
        let text = "only an empty array or object inside a line was found, which is no payload";
        let message = Diagnostic::error(text).at(position);
        Some(NoAnswer {
            outcome: Outcome::None,
            message: message.hint("--loose accepts it"),
            position: Some(position),
            fault: None,
        })
    }
}

impl<'f> Payload<'f> {
    pub(crate) fn new(reader: RecordReader, choice: Choice<'f>, text: Option<Reading>) -> Self {
        Self {
            stream: Stream::new(reader, Sessions::new(Kept::Responses)),
            choice,
            text,
            limit: None,
            lost: None,
            documents: 0,
            unfenced: 0,
            in_text: 0,
            ends_line: false,
        }
    }

    /// Returns how many documents were found side by side.
    #[cfg(feature = "cli")]
    pub(crate) const fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of runs and responses before the last one.
    #[cfg(feature = "cli")]
    pub(crate) fn others(&mut self) -> usize {
        self.stream.follower().all().len().saturating_sub(1)
    }

    /// Ends the source, and returns what it is, the repairs that make a difference to that, and the first document that
    /// was too large, unless that is a fault of a text. `whole` says whether the source contains nothing but JSON,
    /// `text` is the source again, for its repairs.
    pub(crate) fn end(
        self,
        search: &'f Search,
        whole: bool,
        text: SourceText<'_>,
    ) -> (PayloadSource<'f>, Repairs, Option<Fault>) {
        let (source, limit) = self.finish(whole, search.chooses);
        let (source, repairs) = source.with_repairs(search, text);
        let (failure, in_text) = match &source {
            PayloadSource::Text(text) => (text.failure(), !text.of_unknown),
            _ => (None, false),
        };
        let failure = failure.map(|failure| PayloadSource::Failure(Box::new(failure)));
        let source = failure.unwrap_or(source);
        (source, repairs, limit.filter(|_| !in_text))
    }

    /// Ends the source, and returns what it is and the first document in it that was too large. `whole` says whether it
    /// contains nothing but JSON, `chooses` that the caller specifies which of its documents is meant.
    fn finish(mut self, whole: bool, chooses: bool) -> (PayloadSource<'f>, Option<Fault>) {
        let of_unknown = self.is_of_unknown_agent(chooses);
        let sessions = self.stream.finish();
        let source = if let Some(session) = sessions.current() {
            match failure_in(&sessions, session, false) {
                Some(message) => PayloadSource::failed(sessions.outcome(), message),
                None => PayloadSource::Answer(answer(session, chooses).with_escapes().into_owned()),
            }
        } else if let Some(known) = sessions.known {
            PayloadSource::failed(known.class, known_failure(&known))
        } else if let Some(lost) = self.lost.filter(|_| !chooses)
            && let Some(message) = lost_record(&lost, sessions.outcome(), &self.choice)
        {
            PayloadSource::failed(sessions.outcome(), message)
        } else {
            let mut choice = self.choice;
            let whole = self.text.map_or(whole, |mut text| {
                text.end(&mut choice);
                text.is_whole()
            });
            PayloadSource::Text(Box::new(PlainSource {
                choice,
                whole,
                of_unknown,
            }))
        };
        (source, self.limit)
    }

    /// Whether the source is a stream that could not be read.
    fn is_of_unknown_agent(&mut self, chooses: bool) -> bool {
        let several = self.unfenced - self.in_text > 1;
        let in_text = self.in_text > 0 || chooses;
        let chosen = self.choice.chosen();
        let chosen = chosen.filter(|chosen| !in_text && !chosen.document.rank.is_fenced());
        let record = chosen.and_then(|chosen| record_in(Value::new(&chosen.document.text)));
        self.stream.has_unknown(several, record.as_ref())
    }

    /// Takes the next bytes of the source as text, if the source has a separate reading as text.
    #[cfg(feature = "cli")]
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        if self.has_session() {
            return;
        }
        if let Some(text) = &mut self.text {
            text.block(bytes, &mut self.choice);
        }
    }

    /// Offers a document to the choice, unless the source has a separate reading as text.
    fn offer(&mut self, document: Document<'_>, standing: Standing) {
        if self.text.is_none() {
            self.choice.add(document, || standing);
        }
    }

    pub(crate) fn has_session(&mut self) -> bool {
        self.stream.follower().current().is_some()
    }
}

impl Visitor for Payload<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.documents += 1;
        self.ends_line = !document.rank.is_fenced() && document.rank != Rank::Weak;
        self.unfenced += u64::from(self.ends_line);
        if self.has_session() {
            self.stream.read(document);
            return;
        }
        if self.stream.may_be_read(document) {
            self.stream.read(document);
            let standing = standing(document.text, document.layout);
            self.offer(document, standing);
        } else {
            self.stream.pass(document);
            self.offer(document, Standing::Other);
        }
    }

    fn fault(&mut self, fault: Fault) {
        let broken = self.stream.follower().noise().broken;
        self.stream.fault(fault.clone());
        if self.stream.follower().noise().broken > broken {
            self.lost.get_or_insert_with(|| fault.clone());
        }
        if fault.kind == FaultKind::Limit {
            self.limit.get_or_insert_with(|| fault.clone());
        }
        if self.text.is_none() {
            self.choice.fault(fault);
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        if self.ends_line
            && let Some(next) = next_text(noise.text)
        {
            self.ends_line = false;
            self.in_text += u64::from(next != '\n');
        }
        if self.text.is_none() {
            self.choice.noise(noise);
        }
        self.stream.noise(noise);
    }

    fn remark(&mut self, remark: Remark) {
        if self.text.is_none() {
            self.choice.remark(remark);
        }
    }

    fn thinking_ended(&mut self) {
        if self.text.is_none() {
            self.choice.thinking_ended();
        }
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(true)
    }
}

/// Returns the first character after a document that is not blank, a comma, in a terminal sequence or the side of a
/// box.
fn next_text(after: &[u8]) -> Option<char> {
    if after.starts_with(b"\n") {
        return Some('\n');
    }
    let line = after.split_inclusive(|&byte| byte == b'\n').next()?;
    let is_apart = |c: char| matches!(c, ' ' | '\t' | '\r' | ',' | '|' | '\u{2500}'..='\u{257f}');
    let shown = clean(line);
    String::from_utf8_lossy(&shown)
        .chars()
        .find(|&c| !is_apart(c))
}

/// Returns the text that the chain searches: the structured output of a schema, else the response. An agent may send
/// several messages; if the last one is a document, it alone is the answer, since with a schema for the answer
/// (`codex exec --output-schema`) every message follows it. `chooses` says that the caller specifies which of the
/// documents is meant; then the response is searched.
fn answer(session: &Session, chooses: bool) -> Text<'_> {
    if let Some(structured) = session.structured() {
        return structured.clone();
    }
    let last = session.last_message();
    last.filter(|last| !chooses && is_document(&last.with_escapes()))
        .or_else(|| session.response())
        .unwrap_or_default()
}

/// Whether an answer contains a JSON object or array that is not weak.
#[cfg(feature = "cli")]
pub(crate) fn holds_json(answer: &[u8]) -> bool {
    use jsift_find::finder::{FindOptions, Finder};
    use jsift_json::view::Kind;

    let mut holds = false;
    let mut look = |document: Document<'_>| {
        let kind = Value::new(document.text).kind();
        holds |= document.rank != Rank::Weak && matches!(kind, Kind::Object | Kind::Array);
    };
    Finder::read_text(FindOptions::default(), answer, &mut look);
    holds
}

/// Returns the message about a source of this outcome in which the only record is broken or cut: a document next to it
/// is no answer. One in a fence may be: then the source is a text.
fn lost_record(lost: &Fault, outcome: Outcome, choice: &Choice<'_>) -> Option<Diagnostic> {
    let chosen = choice.chosen().filter(|_| is_cut(outcome))?;
    let in_text = matches!(
        chosen.document.rank,
        Rank::Whole | Rank::Embedded | Rank::Weak
    );
    (in_text && chosen.standing == Standing::Other).then(|| {
        Diagnostic::error(format!("no valid record found: {lost}"))
            .at_fault(lost)
            .hint("without --payload, extract takes the other JSON in the input")
    })
}

/// Returns the object that a document is, or the only element of an array.
fn record_in(document: Value<'_>) -> Option<Object<'_>> {
    let mut elements = document.elements();
    let first = elements.next();
    let only = first.filter(|_| elements.next().is_none());
    Object::new(document).or_else(|| Object::new(only?))
}

/// Whether a text is a single object or array.
fn is_document(text: &[u8]) -> bool {
    matches!(text.trim_ascii().first(), Some(b'{' | b'[')) && is_json(text)
}

/// Whether a run of this outcome lost records, so that repairs may make more of it.
const fn is_cut(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Truncated | Outcome::Malformed)
}

/// Returns the position of the chosen document if it is an empty array or object inside a line, which is more likely
/// part of a stack trace (`requireStack: []`) than of an answer.
fn empty_in_line(choice: &Choice<'_>) -> Option<Position> {
    let chosen = choice
        .chosen()
        .filter(|chosen| chosen.document.rank == Rank::Weak)?;
    let value = Value::new(&chosen.document.text);
    let is_empty = value.elements().next().is_none() && value.members().next().is_none();
    is_empty.then_some(chosen.position())
}
