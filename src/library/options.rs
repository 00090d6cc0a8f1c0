//! The options of a search, and the functions that search with them.

use std::io::Read;

use super::feed::Gathered;
use super::{Document, DocumentFeed, Documents, Error, EventFeed, Session};
use crate::failure::failure_of;
use crate::payload::{PayloadSource, PlainSource};
use crate::search::{Conclusion, Search};
use jsift_agents::dialect::Agent;
use jsift_find::choose::expected::Expected;
use jsift_find::choose::filter::Required;
use jsift_find::choose::pick::Pick;
use jsift_find::choose::repairing::SourceText;
use jsift_find::choose::verdict::Ending;
use jsift_find::finder::Parts;
use jsift_find::finder::repair::Repairs;
use jsift_find::unwrap::Unwrap;
use jsift_json::pointer::Pointer;
use jsift_json::view::Kind;
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
    pub(super) search: Search,
    pub(super) agent: Option<Agent>,
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
        self.search.pick = Some(pick);
        self.search.chooses = true;
        self.search.find.parts = Parts::if_any(true);
        self
    }

    /// Accepts only documents of this kind; if called repeatedly, of any of the given kinds. With the kind of a scalar,
    /// scalars that are alone on their line count as documents, too.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.search.filter.kinds.push(kind);
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
            Ok(pointer) => (self.search.filter.required).push(Required { pointer, value }),
            Err(error) => self.wrong = Some(error),
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
            Ok(schema) => self.search.filter.schema = Some(schema),
            Err(error) => self.wrong = Some(error),
        }
        self
    }

    /// Repairs broken JSON if there is no valid document. Has no effect on sources that are read piece by piece.
    pub const fn repair(mut self, repair: bool) -> Self {
        self.search.repairs = repair;
        self
    }

    /// Also accepts flat arrays and empty objects in the middle of a line. Most of these are false positives.
    pub const fn loose(mut self, loose: bool) -> Self {
        self.search.find.loose = loose;
        self.search.find.parts = Parts::if_any(loose || self.search.pick.is_some());
        self
    }

    /// Replaces invalid UTF-8 in strings by U+FFFD. Without this option, a document that contains invalid UTF-8 is
    /// broken.
    pub const fn lossy(mut self, lossy: bool) -> Self {
        self.search.find.lossy = lossy;
        self
    }

    /// Sets the maximum document size in bytes; the default is 1 GiB. A larger document is an error.
    pub const fn max_document(mut self, bytes: u64) -> Self {
        self.search.find.max_document = bytes;
        self
    }

    /// Sets the log format whose prefixes are removed before documents are searched for.
    pub fn unwrap(mut self, unwrap: Unwrap) -> Self {
        self.search.unwrap = unwrap;
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
        conclude(&self.search.choose(SourceText::whole(text.as_ref())))
    }

    /// Searches as [`payload`](super::payload) does, with these options.
    ///
    /// # Errors
    ///
    /// Fails as [`payload`](super::payload) does, and with [`Outcome::Usage`] if the options are wrong.
    pub fn payload(&self, text: impl AsRef<[u8]>) -> Result<Document, Error> {
        self.check()?;
        let (search, text) = (&self.search, SourceText::whole(text.as_ref()));
        let mut payload = search.payload(None);
        let whole = search.read(text, &Repairs::default(), &mut payload);
        let (source, _, limit) = payload.end(search, whole, text);
        let answered = match source {
            PayloadSource::Answer(answer) => {
                let response = Some(&*answer);
                conclude(&search.choose(SourceText { response, ..text }))
            }
            PayloadSource::Failure(failure) => Err(Error::of_no_answer(&failure)),
            PayloadSource::Text(plain) => {
                let PlainSource { choice, whole, .. } = *plain;
                conclude(&search.conclude(choice, whole, text))
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
        let (search, text) = (&self.search, SourceText::whole(text.as_ref()));
        let mut gathered = Gathered::default();
        let repairs = search.repairs_of(text);
        search.read(text, &repairs, &mut gathered.by(&search.filter));
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
}

/// Returns the chosen document, or the reason why there is none.
fn conclude(found: &Conclusion<'_>) -> Result<Document, Error> {
    match (found.ending(), &found.chosen) {
        (Ending::Documents(fault), Some((chosen, _))) => {
            let fault = fault.map(Error::of_fault);
            let failure = failure_of(chosen).map(|(outcome, message)| {
                Error::new(outcome, message.text()).at(chosen.position())
            });
            let error = match (fault, failure) {
                (Some(fault), Some(failure)) => Some(fault.worse(failure)),
                (fault, failure) => fault.or(failure),
            };
            let document = Document::chosen(chosen).with_changes(&found.repairs);
            match error {
                Some(error) => Err(error.with(vec![document])),
                None => Ok(document),
            }
        }
        (ending, _) => Err(without(&ending)),
    }
}

/// Returns the reason why there is no result.
pub(super) fn without(ending: &Ending<'_>) -> Error {
    match ending {
        Ending::Fault(fault) | Ending::Documents(Some(fault)) => Error::of_fault(fault),
        _ => Error::new(ending.outcome(), ending.to_string()),
    }
}
