//! The public form of a document.

use std::fmt;

use serde::de::DeserializeOwned;

use jsift_find::choose::choice::Chosen;
use jsift_find::document::{Origin, Stage};
use jsift_find::finder::repair::Repairs;
use jsift_find::span::Position;
use jsift_json::write::minify;

/// A JSON text that was found in another text.
///
/// The document is unchanged, byte for byte: numbers, the order of members and repeated names are as written. Only what
/// a terminal or a log inserted between its lines is removed.
///
/// ```
/// let log = "12:00 INFO user={\"id\": 7,\n12:00 INFO   \"name\": \"x\"} logged in\n";
/// let document = jsift::extract(log)?;
/// assert_eq!(document.text(), "{\"id\": 7,\n  \"name\": \"x\"}");
/// assert_eq!(document.compact(), r#"{"id":7,"name":"x"}"#);
/// assert_eq!(document.position().column, 17);
///
/// #[derive(serde::Deserialize)]
/// struct User {
///     name: String,
/// }
/// let user: User = document.parse()?;
/// assert_eq!(user.name, "x");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    text: String,
    origin: Origin,
    changes: Vec<String>,
}

impl Document {
    pub(super) fn found(document: &jsift_find::document::Document<'_>) -> Self {
        Self::new(document.text, document.origin())
    }

    pub(super) fn chosen(chosen: &Chosen) -> Self {
        Self::new(&chosen.document.text, chosen.document.origin.clone())
    }

    /// Returns the document with what was changed in it.
    pub(super) fn with_changes(mut self, repairs: &Repairs) -> Self {
        self.changes = repairs.changes_of(&self.origin);
        self
    }

    fn new(text: &[u8], origin: Origin) -> Self {
        Self {
            // A document is valid UTF-8.
            text: String::from_utf8_lossy(text).into_owned(),
            origin,
            changes: Vec::new(),
        }
    }

    /// Returns the document's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the document's text without copying it.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the document's text without white space between its tokens.
    #[must_use]
    pub fn compact(&self) -> String {
        String::from_utf8_lossy(&minify(self.text.as_bytes())).into_owned()
    }

    /// Deserializes the document into a value.
    ///
    /// # Errors
    ///
    /// Fails if the document does not have the form that `T` expects.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&self.text)
    }

    /// Returns the stage of the extraction chain that found the document.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.origin.stage
    }

    /// Returns the position of the document's first byte in the searched text.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.origin.position
    }

    /// Returns how many bytes the document takes up in the searched text, including what was removed between its lines.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.origin.length
    }

    /// Returns what [repair](super::Options::repair) changed, in words; empty if the document was not repaired.
    #[must_use]
    pub fn changes(&self) -> &[String] {
        &self.changes
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl AsRef<str> for Document {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl From<Document> for String {
    fn from(document: Document) -> Self {
        document.text
    }
}
