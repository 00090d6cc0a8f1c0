//! The front door: what other programs use. What the command does besides is not public.
//!
//! Each function gives what the subcommand of that name prints, and fails where that exits with another code than 0.

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

/// Returns the JSON document that a text is about: an agent's envelope, else the first document, of a whole text, of a
/// fence or of anywhere else. For the answer inside an envelope see [`payload`].
///
/// # Errors
///
/// There is no JSON ([`Outcome::None`](crate::Outcome::None)); it is announced and broken, or cut; the envelope tells of a
/// failure.
///
/// ```
/// let completion = "Sure! Here you are:\n\n```json\n{\"city\": \"Rome\"}\n```\n\nAnything else?";
/// assert_eq!(jsift::extract(completion)?.text(), r#"{"city": "Rome"}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn extract(text: impl AsRef<[u8]>) -> Result<Document, Error> {
    Options::new().extract(text)
}

/// Returns the JSON in the answer in an agent's envelope or event stream, or in the response body of a model's API; of
/// other text, the JSON in that.
///
/// # Errors
///
/// The agent failed, by the class of the failure; the answer holds no JSON
/// ([`Outcome::Mismatch`](crate::Outcome::Mismatch)); and as for [`extract`].
///
/// ```
/// let envelope = r#"{"session_id":"s","response":"Here: {\"city\":\"Rome\"}","stats":{"models":{}}}"#;
/// assert_eq!(jsift::payload(envelope)?.text(), r#"{"city":"Rome"}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
pub fn payload(text: impl AsRef<[u8]>) -> Result<Document, Error> {
    Options::new().payload(text)
}

/// Returns all documents of a text, in the order of their opening brackets. None stands inside another. For something
/// that is read piece by piece see [`Documents`].
///
/// # Errors
///
/// There is no JSON; or a document is cut, too large, or announced by a fence and broken: the others are then
/// [in the error](Error::found).
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

/// Returns how the run went that an agent's event stream or envelope tells of; of several, the last one. For a stream
/// that still goes on see [`EventFeed`].
///
/// # Errors
///
/// There is no record of an agent. That a run failed is no error here: it is the session's
/// [outcome](Session::outcome).
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
