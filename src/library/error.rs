//! The public error: a message with its outcome.

use std::fmt;

use super::Document;
use crate::payload::NoAnswer;
use jsift_find::document::Fault;
use jsift_find::span::Position;
use jsift_outcome::Outcome;

/// The reason why a text did not give the requested result.
///
/// The [outcome](Self::outcome) is the class of the failure; the message describes it, without a final period. If some
/// documents were found nevertheless, the error contains them: the command `jsift` prints such documents and then exits
/// with the outcome's code.
///
/// ```
/// use jsift::Outcome;
///
/// let error = jsift::extract("status: ok\n{\"name\": \"Rome\", \"size\":").unwrap_err();
/// assert_eq!(error.outcome(), Outcome::Truncated);
/// assert_eq!(error.to_string(), "2:1: JSON is truncated inside an object");
/// assert_eq!(error.position().unwrap().line, 2);
///
/// // A caller decides by the outcome.
/// let answer = r#"{"session_id":"s","error":{"type":"Error","message":"quota exceeded","code":429}}"#;
/// match jsift::payload(answer).unwrap_err().outcome() {
///     Outcome::Quota | Outcome::Network => {} // wait and try again
///     outcome => panic!("{outcome}"),
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    outcome: Outcome,
    message: String,
    position: Option<Position>,
    found: Vec<Document>,
}

impl Error {
    pub(super) fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            outcome,
            message: message.into(),
            position: None,
            found: Vec::new(),
        }
    }

    pub(super) fn of_fault(fault: &Fault) -> Self {
        Self::new(fault.outcome(), fault.to_string()).at(fault.position)
    }

    pub(super) fn of_no_answer(failure: &NoAnswer) -> Self {
        match &failure.fault {
            Some(fault) => Self::of_fault(fault),
            None => Self {
                position: failure.position,
                ..Self::new(failure.outcome, failure.message.text())
            },
        }
    }

    pub(super) const fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// Returns the error with documents that were found nevertheless.
    pub(super) fn with(mut self, found: Vec<Document>) -> Self {
        self.found = found;
        self
    }

    /// Returns the error with the worse outcome, with the documents of both.
    pub(super) fn worse(self, other: Self) -> Self {
        let wins = self.outcome.worse(other.outcome) == other.outcome;
        let (mut winner, loser) = if wins { (other, self) } else { (self, other) };
        winner.found.extend(loser.found);
        winner
    }

    /// Returns the class of the failure, never [`Outcome::Success`].
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns the place in the text that the error is about; `None` if it is about no single place.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        self.position
    }

    /// Returns the documents that were found nevertheless, in the order of the text.
    #[must_use]
    pub fn found(&self) -> &[Document] {
        &self.found
    }

    /// Returns the documents that were found nevertheless, in the order of the text, without copying them.
    #[must_use]
    pub fn into_found(self) -> Vec<Document> {
        self.found
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column, .. }) = self.position {
            write!(f, "{line}:{column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
