//! The public interface of the library, for other programs.
//!
//! Each function returns what the subcommand of its name prints, and fails if that subcommand exits with a code other
//! than 0.

mod document;
mod error;
mod event;
mod feed;
mod options;
mod session;

pub use document::Document;
pub use error::Error;
pub use event::{Event, EventFeed};
pub use feed::{DocumentFeed, Documents};
pub use options::Options;
pub use session::Session;

/// Returns the JSON document that a text is about: an agent's envelope if there is one, otherwise the first document; a
/// text that is JSON as a whole comes before documents in fences, and these before any other. For the answer inside an
/// envelope see [`payload`].
///
/// # Errors
///
/// Fails if the text contains no JSON ([`Outcome::None`](crate::Outcome::None)), if its JSON is broken or truncated, or
/// if the envelope reports a failure.
///
/// ```
/// let completion = "Sure! Here you are:\n\n```json\n{\"city\": \"Rome\"}\n```\n\nAnything else?";
/// assert_eq!(jsift::extract(completion)?.text(), r#"{"city": "Rome"}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn extract(text: impl AsRef<[u8]>) -> Result<Document, Error> {
    Options::new().extract(text)
}

/// Returns the JSON inside the answer of an agent's envelope or event stream, or of a response body of a model's API.
/// In any other text it finds what [`extract`] finds.
///
/// # Errors
///
/// Fails with the class of the failure if the agent failed, with [`Outcome::Mismatch`](crate::Outcome::Mismatch) if the
/// answer contains no JSON, and otherwise as [`extract`] does.
///
/// ```
/// let envelope = r#"{"session_id":"s","response":"Here: {\"city\":\"Rome\"}","stats":{"models":{}}}"#;
/// assert_eq!(jsift::payload(envelope)?.text(), r#"{"city":"Rome"}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn payload(text: impl AsRef<[u8]>) -> Result<Document, Error> {
    Options::new().payload(text)
}

/// Returns all documents of a text, in the order of their opening brackets; no document is inside another. For a source
/// that is read piece by piece see [`Documents`].
///
/// # Errors
///
/// Fails if the text contains no JSON, or if a document is truncated, too large, or announced by a fence and broken.
/// The other documents are then [in the error](Error::found).
///
/// ```
/// let log = "12:00 request {\"path\": \"/a\"}\n12:00 done\n12:01 request {\"path\": \"/b\"}\n";
/// let documents = jsift::documents(log)?;
/// let lines: Vec<_> = documents.iter().map(|document| document.position().line).collect();
/// assert_eq!(lines, [1, 3]);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn documents(text: impl AsRef<[u8]>) -> Result<Vec<Document>, Error> {
    Options::new().documents(text)
}

/// Returns the session that an agent's event stream or envelope describes; the last one if there are several. For a
/// stream that is still growing see [`EventFeed`].
///
/// # Errors
///
/// Fails if the text contains no record of an agent. A failed run is not an error here: the session's
/// [outcome](Session::outcome) says so.
///
/// ```
/// let envelope = r#"{"session_id":"s","response":"Done.","stats":{"models":{}}}"#;
/// let session = jsift::session(envelope)?;
/// assert_eq!(session.response().as_deref(), Some("Done."));
///
/// let failed = r#"{"session_id":"s","error":{"type":"Error","message":"quota exceeded","code":429}}"#;
/// assert_eq!(jsift::session(failed)?.outcome(), jsift::Outcome::Quota);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn session(text: impl AsRef<[u8]>) -> Result<Session, Error> {
    Options::new().session(text)
}

#[cfg(test)]
mod tests;
