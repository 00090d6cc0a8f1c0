//! Finds JSON in noisy text: in answers of language models, in logs and in the event streams of coding agents.
//!
//! A model was asked for JSON, and its answer surrounds the JSON with words and a code fence:
//!
//! ```
//! # #[derive(serde::Deserialize, Debug, PartialEq)]
//! # struct City { name: String, people: u32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let completion = "Sure! Here you are:\n\n```json\n{\"name\": \"Rome\", \"people\": 2755309}\n```\n";
//! let city: City = jsift::extract(completion)?.parse()?;
//! assert_eq!(city.name, "Rome");
//! # assert_eq!(city.people, 2_755_309);
//! # Ok(())
//! # }
//! ```
//!
//! | you have | you want | function |
//! |---|---|---|
//! | any text | the one JSON document that the text is about | [`extract`] |
//! | an agent's output, or a response body of a model's API | the JSON inside the answer | [`payload`] |
//! | a log | all documents in it | [`documents`] |
//! | an agent's event stream | how the run went: answer, usage, files, errors | [`session`] |
//! | a [reader](std::io::Read) | its documents, one by one | [`Documents`] |
//! | pieces of a stream, as they arrive | documents or events, once complete | [`DocumentFeed`], [`EventFeed`] |
//!
//! [`Options`] adds filters, another choice of document, and repair. If a function has no result, its [`Error`] says
//! why and carries an [`Outcome`]; the exit codes of the command `jsift` come from the same outcomes.
//!
//! A document is returned as it is written in the text: numbers, the order of members and repeated names are unchanged.
//! The streams of all agents become the same [`Event`]s and the same [`Session`]; [`Agent`] lists the agents.
//!
//! # Guarantees
//!
//! - Nothing here reads the environment, a terminal or the clock, prints, or ends the process.
//! - Nothing recurses on the depth of the input, and no input causes a panic.
//! - Time is linear in the input. Memory holds what is pending, not the whole input.
//! - Results do not depend on how the input is cut into pieces.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `cli` | the command `jsift` |
//! | `html` | the page of `jsift summary --format html` |
//! | `schema` | `Options::schema` and `jsift extract --schema` |
//!
//! All features are on by default. A program that uses the library should set `default-features = false`; it then
//! depends on thirteen crates, five of which are its own parts.

#[cfg(feature = "cli")]
pub mod command;
mod failure;
mod library;
mod payload;
mod search;

pub use jsift_agents::dialect::Agent;
pub use jsift_agents::event::{Phase, Status};
pub use jsift_agents::fact::Tokens;
pub use jsift_find::choose::pick::Pick;
pub use jsift_find::document::Stage;
pub use jsift_find::span::Position;
pub use jsift_find::unwrap::{Field, Unwrap};
pub use jsift_json::view::Kind;
pub use jsift_outcome::Outcome;
pub use library::{
    Document, DocumentFeed, Documents, Error, Event, EventFeed, Options, Session, documents,
    extract, payload, session,
};
