//! Finds the JSON in noisy text: in the answers of language models, in logs, in the event streams of coding agents.
//!
//! A model was asked for JSON, and its answer has words and a fence around it:
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
//! | what is there | what is wanted | function |
//! |---|---|---|
//! | any text | the JSON document that it is about | [`extract`] |
//! | an agent's output, or the body of a model's API | the JSON in the answer in it | [`payload`] |
//! | a log | all its documents | [`documents`] |
//! | an agent's event stream | how the run went: answer, usage, files, errors | [`session`] |
//! | something that can be read | its documents, one by one | [`Documents`] |
//! | pieces of a stream, as they come | documents or events, as they come | [`DocumentFeed`], [`EventFeed`] |
//!
//! [`Options`] says what else is wanted: filters, another choice, repair. Where nothing can be given, [`Error`] says why,
//! with an [`Outcome`]: the same table that the exit codes of the command `jsift` are made of.
//!
//! A document is handed out as it stood in the text: numbers, the order of members and repeated names as they were. All
//! agents' streams are read into the same [`Event`]s and the same [`Session`]; [`Agent`] lists the agents.
//!
//! # What holds everywhere
//!
//! - Nothing here reads the environment, a terminal or the clock, prints, or ends the process.
//! - Nothing recurses on the depth of the input, and no input makes it panic.
//! - Time is linear in the input. What is kept is what is pending, not the input.
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
//! All are on by default. A program that uses the library takes `default-features = false`: eleven small crates, of which
//! most are serde's.

// Without the command some of what it uses has no other user.
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
pub use unwrap::Mode as Unwrap;

/// The rooms behind the front door, for the command, its tests and its fuzz targets: no part of what the crate promises,
/// and not the same in any two releases.
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
