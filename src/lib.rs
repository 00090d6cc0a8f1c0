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
//! depends on eleven small crates, most of which are serde's.

// Some functions are used only by the command.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "cli")]
mod cli;
mod diagnostic;
mod dialect;
mod document;
mod envelope;
mod event;
mod fact;
mod failure;
mod figures;
mod find;
mod input;
mod json;
mod lanes;
mod library;
#[cfg(feature = "cli")]
mod limits;
mod memory;
mod outcome;
#[cfg(feature = "cli")]
mod output;
mod payload;
mod reading;
#[cfg(feature = "cli")]
mod run;
mod seen;
mod select;
mod session;
mod sink;
mod span;
mod stream;
mod unwrap;

pub use dialect::Agent;
pub use document::Stage;
pub use event::{Phase, Status};
pub use fact::Tokens;
pub use json::view::Kind;
pub use library::{
    Document, DocumentFeed, Documents, Error, Event, EventFeed, Options, Session, documents,
    extract, payload, session,
};
pub use outcome::Outcome;
pub use select::choice::Pick;
pub use span::Position;
pub use unwrap::{Field, Mode as Unwrap};

/// Internal modules, for the command, its tests and its fuzz targets. They are not part of the public API and may
/// change in any release.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod internal {
    pub mod cli {
        pub use crate::cli::*;
    }
    pub mod diagnostic {
        pub use crate::diagnostic::*;
    }
    pub mod dialect {
        pub use crate::dialect::*;
    }
    pub mod document {
        pub use crate::document::*;
    }
    pub mod envelope {
        pub use crate::envelope::*;
    }
    pub mod event {
        pub use crate::event::*;
    }
    pub mod fact {
        pub use crate::fact::*;
    }
    pub mod find {
        pub use crate::find::*;
    }
    pub mod input {
        pub use crate::input::*;
    }
    pub mod json {
        pub use crate::json::*;
    }
    pub mod limits {
        pub use crate::limits::*;
    }
    pub mod outcome {
        pub use crate::outcome::*;
    }
    pub mod reading {
        pub use crate::reading::*;
    }
    pub mod run {
        pub use crate::run::*;
    }
    pub mod select {
        pub use crate::select::*;
    }
    pub mod session {
        pub use crate::session::*;
    }
    pub mod sink {
        pub use crate::sink::*;
    }
    pub mod span {
        pub use crate::span::*;
    }
    pub mod stream {
        pub use crate::stream::*;
    }
    pub mod unwrap {
        pub use crate::unwrap::*;
    }
}
