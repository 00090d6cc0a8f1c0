//! The options of a search, and the functions that search with them.

use std::io::Read;

use super::feed::Gathered;
use super::{Document, DocumentFeed, Documents, Error, EventFeed, Session};
use crate::failure::failed_envelope;
use crate::payload::{EMPTY_ASIDE, Payload, PayloadSource, PlainSource, UNKNOWN, empty_aside};
use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::envelope;
use jsift_find::choose::choice::{Choice, Chosen, Standing};
use jsift_find::choose::expected::Expected;
use jsift_find::choose::filter::{Filter, Mismatch, Required};
use jsift_find::choose::pick::Pick;
use jsift_find::choose::repairing::{Repairing, may_be_replaced, replaces};
use jsift_find::choose::scalars::{self, NoiseLine, Scalars};
use jsift_find::choose::verdict::{Ending, Findings, absent, verdict};
use jsift_find::document::Visitor;
use jsift_find::finder::repair::Repairs;
use jsift_find::finder::{self, Finder, Parts};
use jsift_find::reading::Reading;
use jsift_find::unwrap::Mode as Unwrap;
use jsift_json::pointer::Pointer;
use jsift_json::view::{Kind, Value};
use jsift_outcome::Outcome;

/// What to search a text for: the options of the command `jsift`, as a builder.
///
/// ```
/// use jsift::{Kind, Options, Outcome, Pick};
///
/// let log = "a {\"level\":\"info\"}\nb {\"level\":\"error\",\"n\":1}\nc {\"level\":\"error\",\"n\":2}\n";
/// let errors = Options::new().require_value("/level", "error");
/// assert_eq!(errors.documents(log)?.len(), 2);
/// assert_eq!(errors.pick(Pick::Last).extract(log)?.text(), r#"{"level":"error","n":2}"#);
///
/// let nothing = Options::new().kind(Kind::Array).extract(log).unwrap_err();
/// assert_eq!(nothing.outcome(), Outcome::Mismatch);
///
/// let repaired = Options::new().repair(true).extract("{'a': 1,}")?;
/// assert_eq!(repaired.text(), r#"{"a":1}"#);
/// assert!(!repaired.changes().is_empty());
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "options do nothing until a text is given to them"]
pub struct Options {
    pub(super) find: finder::FindOptions,
    pub(super) unwrap: Unwrap,
    pick: Option<Pick>,
    repair: bool,
    pub(super) agent: Option<Agent>,
    pub(super) filter: Filter,
    /// What is wrong with the options, in words.
    wrong: Option<String>,
}

impl Options {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Picks a document by its place or size. Envelopes are then treated like any other document.
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = Some(pick);
        self.find.parts = Parts::if_any(true);
        self
    }

    /// Accepts only documents of this kind; if called repeatedly, of any of the given kinds. With the kind of a scalar,
    /// scalars that are alone on their line count as documents, too.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.filter.kinds.push(kind);
        self
    }

    /// Accepts only documents that have a value at this place: a JSON pointer (RFC 6901), or the name of a member of
    /// the outermost object. If called repeatedly, all places are required.
    pub fn require(self, pointer: &str) -> Self {
        self.required(pointer, None)
    }

    /// Accepts only documents that have this value at this place. The value is JSON, with numbers compared by their
    /// numeric value; a value that is not JSON is a string.
    pub fn require_value(self, pointer: &str, value: &str) -> Self {
        self.required(pointer, Some(Expected::parse(value)))
    }

    fn required(mut self, pointer: &str, value: Option<Expected>) -> Self {
        match Pointer::parse(pointer) {
            Ok(pointer) => self.filter.required.push(Required { pointer, value }),
            Err(error) => self.wrong = Some(error.to_string()),
        }
        self
    }

    /// Accepts only documents that conform to this JSON Schema. The schema may refer only to itself.
    ///
    /// ```
    /// use jsift::Options;
    ///
    /// let city = Options::new().schema(r#"{"required": ["name"]}"#);
    /// assert_eq!(city.extract("{\"n\": 1}\n{\"name\": \"Rome\"}")?.text(), r#"{"name": "Rome"}"#);
    /// # Ok::<(), jsift::Error>(())
    /// ```
    #[cfg(feature = "schema")]
    pub fn schema(mut self, schema: impl AsRef<[u8]>) -> Self {
        let none = |name: &str| Err(format!("there is no file {name} next to the schema"));
        match jsift_find::choose::schema::Schema::new(schema.as_ref(), none) {
            Ok(schema) => self.filter.schema = Some(schema),
            Err(error) => self.wrong = Some(error.to_string()),
        }
        self
    }

    /// Repairs broken JSON if there is no valid document. Has no effect on sources that are read piece by piece.
    pub const fn repair(mut self, repair: bool) -> Self {
        self.repair = repair;
        self
    }

    /// Also accepts flat arrays and empty objects in the middle of a line. Most of these are false positives.
    pub const fn loose(mut self, loose: bool) -> Self {
        self.find.loose = loose;
        self.find.parts = Parts::if_any(loose || self.pick.is_some());
        self
    }

    /// Replaces invalid UTF-8 in strings by U+FFFD. Without this option, a document that contains invalid UTF-8 is
    /// broken.
    pub const fn lossy(mut self, lossy: bool) -> Self {
        self.find.lossy = lossy;
        self
    }

    /// Sets the maximum document size in bytes; the default is 1 GiB. A larger document is an error.
    pub const fn max_document(mut self, bytes: u64) -> Self {
        self.find.max_document = bytes;
        self
    }

    /// Sets the log format whose prefixes are removed before documents are searched for.
    pub fn unwrap(mut self, unwrap: Unwrap) -> Self {
        self.unwrap = unwrap;
        self
    }

    /// Sets the agent that wrote the stream, for when detection is wrong. Affects only sessions and events.
    pub const fn agent(mut self, agent: Agent) -> Self {
        self.agent = Some(agent);
        self
    }

    /// Searches as [`extract`](super::extract) does, with these options.
    ///
    /// # Errors
    ///
    /// Fails as [`extract`](super::extract) does, and with [`Outcome::Usage`] if the options are wrong.
    pub fn extract(&self, text: impl AsRef<[u8]>) -> Result<Document, Error> {
        self.check()?;
        let text = SourceText {
            text: text.as_ref(),
            response: None,
        };
        let mut choice = self.choice();
        let whole = self.read_all(text.text, &mut choice);
        self.conclude(choice, whole, &text)
    }

    /// Searches as [`payload`](super::payload) does, with these options.
    ///
    /// # Errors
    ///
    /// Fails as [`payload`](super::payload) does, and with [`Outcome::Usage`] if the options are wrong.
    pub fn payload(&self, text: impl AsRef<[u8]>) -> Result<Document, Error> {
        self.check()?;
        let text = SourceText {
            text: text.as_ref(),
            response: None,
        };
        let mut payload = Payload::new(RecordReader::new(), self.choice(), None);
        let whole = self.read_all(text.text, &mut payload);
        let (source, limit) = payload.finish(whole, self.pick.is_some());
        let (source, _) = source.with_repairs(
            || self.repairs_of(&text),
            Payload::new(RecordReader::new(), self.choice(), None),
            |repairs, visitor| self.read_repaired(&text, repairs, visitor),
            self.pick.is_some(),
        );
        let answered = match source {
            PayloadSource::Answer(answer) => self.payload_in(&answer, &text),
            PayloadSource::Failure(outcome, message) => Err(Error::new(outcome, message.text())),
            PayloadSource::Text(plain) if plain.of_unknown => {
                let cut = plain.choice.faults().reasons().next();
                Err(cut.map_or_else(|| Error::new(Outcome::Mismatch, UNKNOWN), Error::of_fault))
            }
            PayloadSource::Text(plain) => {
                let PlainSource { choice, whole, .. } = *plain;
                return match empty_aside(&choice) {
                    Some(place) => Err(Error::new(Outcome::None, EMPTY_ASIDE).at(place)),
                    None => self.conclude(choice, whole, &text),
                };
            }
        };
        match (limit.as_ref().map(Error::of_fault), answered) {
            (None, answered) => answered,
            (Some(limit), Ok(document)) => Err(limit.with(vec![document])),
            (Some(limit), Err(error)) => Err(error.worse(limit)),
        }
    }

    /// Searches as [`documents`](super::documents) does, with these options.
    ///
    /// # Errors
    ///
    /// Fails as [`documents`](super::documents) does, and with [`Outcome::Usage`] if the options are wrong.
    pub fn documents(&self, text: impl AsRef<[u8]>) -> Result<Vec<Document>, Error> {
        self.check()?;
        let text = text.as_ref();
        let mut gathered = Gathered::default();
        let text = SourceText {
            text,
            response: None,
        };
        let repairs = self.repairs_of(&text);
        self.read_repaired(&text, &repairs, &mut gathered.by(&self.filter));
        gathered.conclude(&repairs)
    }

    /// Reads a text as [`session`](super::session) does, with these options.
    ///
    /// # Errors
    ///
    /// Fails as [`session`](super::session) does, and with [`Outcome::Usage`] if the options are wrong.
    pub fn session(self, text: impl AsRef<[u8]>) -> Result<Session, Error> {
        let mut feed = self.event_feed();
        feed.read(text.as_ref());
        feed.finish().1
    }

    /// Returns an iterator over the documents of a source that is read piece by piece.
    pub fn read<R: Read>(self, source: R) -> Documents<R> {
        Documents::over(source, self.document_feed())
    }

    /// Returns a [`DocumentFeed`] with these options.
    #[must_use]
    pub fn document_feed(self) -> DocumentFeed {
        DocumentFeed::with(self)
    }

    /// Returns an [`EventFeed`] with these options.
    #[must_use]
    pub fn event_feed(self) -> EventFeed {
        EventFeed::with(self)
    }

    /// Returns an error if the options are wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.wrong {
            Some(wrong) => Err(Error::new(Outcome::Usage, wrong)),
            None => Ok(()),
        }
    }

    fn choice(&self) -> Choice<'_> {
        Choice::new(self.pick, &envelope::standing, &self.filter)
    }

    /// Returns whether scalars that are alone on their line count as documents.
    pub(super) fn finds_scalars(&self) -> bool {
        let is_scalar = |kind: &Kind| !matches!(kind, Kind::Object | Kind::Array);
        self.filter.kinds.iter().any(is_scalar)
    }

    /// Reads a whole text, and returns whether it contains nothing but JSON.
    fn read_all(&self, text: &[u8], visitor: &mut dyn Visitor) -> bool {
        let mut reading = Reading::new(self.unwrap.clone(), self.find.clone());
        self.with_scalars(visitor, |visitor| {
            reading.block(text, visitor);
            reading.end(visitor);
        });
        reading.is_whole()
    }

    /// Runs `read` with a visitor that also finds scalars, if they count as documents.
    fn with_scalars(&self, visitor: &mut dyn Visitor, read: impl FnOnce(&mut dyn Visitor)) {
        if !self.finds_scalars() {
            return read(visitor);
        }
        let mut line = NoiseLine::default();
        let mut scalars = Scalars::new(visitor, &mut line, self.find.max_document);
        read(&mut scalars);
        scalars.noise(scalars::LINE_END);
    }

    /// Runs the chain on an agent's answer. An answer without JSON is a mismatch.
    fn payload_in<'a>(&self, response: &'a [u8], text: &SourceText<'a>) -> Result<Document, Error> {
        let mut choice = self.choice();
        let mut whole = false;
        self.with_scalars(&mut choice, |visitor| {
            whole = Finder::read_text(self.find.clone(), response, visitor);
        });
        let answer = SourceText {
            response: Some(response),
            ..*text
        };
        self.conclude(choice, whole, &answer)
    }

    fn repairing<'a>(&'a self, text: &SourceText<'a>) -> Repairing<'a> {
        Repairing {
            source: text.text,
            response: text.response,
            mode: self.unwrap.clone(),
            find: &self.find,
        }
    }

    /// Returns the repairs of the text; none if they are not wanted.
    fn repairs_of(&self, text: &SourceText<'_>) -> Repairs {
        match self.repair {
            true => self.repairing(text).repairs(),
            false => Repairs::default(),
        }
    }

    /// Reads a whole text with repairs, and returns whether it contains nothing but JSON.
    fn read_repaired(
        &self,
        text: &SourceText<'_>,
        repairs: &Repairs,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let mut whole = false;
        self.with_scalars(visitor, |visitor| {
            whole = self.repairing(text).read(repairs, visitor);
        });
        whole
    }

    /// Returns the chosen document, or the reason why there is none.
    fn conclude<'f>(
        &'f self,
        mut choice: Choice<'f>,
        mut whole: bool,
        text: &SourceText<'f>,
    ) -> Result<Document, Error> {
        let repairs = match may_be_replaced(&choice, whole) {
            true => self.repairs_of(text),
            false => Repairs::default(),
        };
        if !repairs.documents().is_empty() {
            let mut again = self.choice();
            let again_whole = self.read_repaired(text, &repairs, &mut again);
            if replaces(&choice, &again, &repairs) {
                (choice, whole) = (again, again_whole);
            }
        }
        let several = choice.several();
        let chosen = choice.take(whole).map(|(chosen, _)| chosen);
        let findings = Findings {
            pickable: choice.pickable(),
            several: several.as_ref(),
            written: 0,
            chosen: chosen.as_ref(),
            picked: self.pick.is_some_and(Pick::chooses),
            mismatch: choice.mismatch().is_some(),
            faults: choice.faults(),
        };
        match (verdict(&findings), &chosen) {
            (Ending::Documents(fault), Some(chosen)) => {
                let fault = fault.map(Error::of_fault);
                let error = match (fault, failure_of(chosen)) {
                    (Some(fault), Some(failure)) => Some(fault.worse(failure)),
                    (fault, failure) => fault.or(failure),
                };
                let document = Document::chosen(chosen).with_changes(&repairs);
                match error {
                    Some(error) => Err(error.with(vec![document])),
                    None => Ok(document),
                }
            }
            (ending, _) => {
                let error = without(&ending, choice.mismatch());
                Err(match (error.outcome(), text.response) {
                    (Outcome::None, Some(_)) => {
                        Error::new(Outcome::Mismatch, "no JSON found in the agent's answer")
                    }
                    _ => error,
                })
            }
        }
    }
}

/// A text that is in memory as a whole.
#[derive(Clone, Copy)]
struct SourceText<'a> {
    text: &'a [u8],
    /// The agent's answer in the text, if only the answer is searched.
    response: Option<&'a [u8]>,
}

/// Returns the failure that the chosen document reports, if it is the envelope of a failed run.
fn failure_of(chosen: &Chosen) -> Option<Error> {
    let is_envelope = chosen.standing == Standing::Envelope;
    let answer = is_envelope.then(|| envelope::answer(Value::new(&chosen.text)))??;
    let failed = answer.outcome != Outcome::Success;
    failed.then(|| {
        let error = Error::new(answer.outcome, failed_envelope(&answer).text());
        error.at(chosen.origin.position)
    })
}

/// Returns the reason why there is no result.
pub(super) fn without(ending: &Ending<'_>, closest: Option<&Mismatch>) -> Error {
    match (ending, closest) {
        (Ending::Fault(fault) | Ending::Documents(Some(fault)), _) => Error::of_fault(fault),
        (Ending::Several(several), _) => Error::new(ending.outcome(), several.to_string()),
        (Ending::Absent(documents), _) => Error::new(ending.outcome(), absent(*documents)),
        (_, Some(closest)) => {
            let text = format!("no document passes the filters: {closest}");
            Error::new(ending.outcome(), text)
        }
        _ => Error::new(ending.outcome(), "no JSON found"),
    }
}
