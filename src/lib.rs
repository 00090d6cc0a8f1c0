//! Finds the JSON in noisy text, and reads the event streams of coding agents.
//!
//! This is what the command `jsift` is made of. It asks nothing of its surroundings: no environment, no terminal, no
//! clock; it prints nothing and ends no process. Nothing in it recurses on the depth of the input, all of it is linear
//! in the input's length, and results do not depend on how the input is cut into reads.
//!
//! # The documents of a source
//!
//! [`reading::read`] takes anything that can be read and hands on what it meets, while it reads. Where it waits for a
//! source that does not block, or has bytes only, [`reading::Reading`] and [`find::Finder`] are what it is made of.
//!
//! ```
//! use jsift::document::{Document, Fault, Visitor};
//! use jsift::find::Options;
//!
//! #[derive(Default)]
//! struct Seen(Vec<String>);
//!
//! impl Visitor for Seen {
//!     fn document(&mut self, document: Document<'_>) {
//!         let (at, stage) = (document.origin().position, document.origin().stage.name());
//!         let text = String::from_utf8_lossy(document.text);
//!         self.0.push(format!("{}:{} {stage} {text}", at.line, at.column));
//!     }
//!     fn fault(&mut self, fault: Fault) {
//!         self.0.push(format!("{}: {}", fault.position.line, fault.reason));
//!     }
//! }
//!
//! let log = "\
//! 2026-01-01 INFO user={\"id\": 7,
//! 2026-01-01 INFO   \"name\": \"x\"} logged in
//! 2026-01-01 WARN {\"id\": oops}
//! ";
//! let mut seen = Seen::default();
//! jsift::reading::read(log.as_bytes(), Options::default(), &mut seen)?;
//! assert_eq!(
//!     seen.0,
//!     ["1:22 embedded {\"id\": 7,\n  \"name\": \"x\"}", "3: expected a value"]
//! );
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The events of a stream
//!
//! A [`stream::Stream`] is a visitor that reads documents as the records of an agent. It finds out whose they are, and
//! hands a [`stream::Follower`] what each of them states. [`event::Progress`] makes of that the same events for every
//! agent.
//!
//! ```
//! use jsift::dialect::{Agent, reader::Reader};
//! use jsift::event::Progress;
//! use jsift::fact::Statement;
//! use jsift::find::Options;
//! use jsift::json::text::Text;
//! use jsift::json::view::Value;
//! use jsift::session::Sessions;
//! use jsift::stream::{Follower, Line, Stream};
//!
//! #[derive(Default)]
//! struct Watch {
//!     progress: Progress,
//!     seen: Vec<String>,
//! }
//!
//! impl Follower for Watch {
//!     fn record(&mut self, agent: Option<Agent>, line: Line<'_>, record: Value<'_>, statement: &Statement<'_>) {
//!         let Self { progress, seen } = self;
//!         progress.record(agent, line(), record, statement, &mut |event| {
//!             let message = event.message.map(Text::to_string_lossy);
//!             seen.push(format!("{} {}", event.phase.word(), message.unwrap_or_default()));
//!         });
//!     }
//!     fn sessions(&mut self) -> &mut Sessions {
//!         self.progress.sessions()
//!     }
//! }
//!
//! let run = br#"{"type":"thread.started","thread_id":"t"}
//! {"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}
//! {"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}
//! "#;
//! let mut stream = Stream::new(Reader::new(), Watch::default());
//! jsift::reading::read(&run[..], Options::default(), &mut stream)?;
//! assert_eq!(stream.finish().seen, ["init ", "assistant Done.", "complete 12 tokens"]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # How a run went
//!
//! [`session::Sessions`] is a follower, too: it folds what records state, nothing counted twice, and
//! [`sink::ndjson::session`] writes a session as `jsift summary --format json` does.
//!
//! ```
//! use jsift::dialect::reader::Reader;
//! use jsift::find::Options;
//! use jsift::outcome::Outcome;
//! use jsift::session::Sessions;
//! use jsift::stream::Stream;
//!
//! let run = br#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}
//! {"type":"message","timestamp":"t","role":"assistant","content":"Do","delta":true}
//! {"type":"message","timestamp":"t","role":"assistant","content":"ne.","delta":true}
//! {"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3}}
//! "#;
//! let mut stream = Stream::new(Reader::new(), Sessions::new(true));
//! jsift::reading::read(&run[..], Options::default(), &mut stream)?;
//! let sessions = stream.finish();
//! assert_eq!(sessions.outcome(), Outcome::Success);
//!
//! let session = &sessions.all()[0];
//! assert_eq!(session.response().unwrap().to_string_lossy(), "Done.");
//! assert_eq!(session.usage().total, Some(12));
//!
//! let mut json = Vec::new();
//! jsift::sink::ndjson::session(session, &mut json);
//! assert!(json.starts_with(br#"{"outcome":"success","agent":"gemini""#));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The way of the data
//!
//! | room | gives |
//! |---|---|
//! | [`input`], [`unwrap`] | the text of a source: encodings, terminal bytes, what a log puts around lines |
//! | [`json`] | the scanner, values read in place, text, the writer that changes white space only |
//! | [`find`] | documents, faults and noise; [repair](find::repair) |
//! | [`select`] | [choice](select::choice), [filters](select::filter), what is [decoded](select::rewrite) |
//! | [`dialect`], [`envelope`], [`fact`] | what an agent's records and envelopes state |
//! | [`event`], [`session`] | progress events; how a run went |
//! | [`sink`] | bytes: JSON, lines for a terminal, markdown, workflow annotations; what makes text safe |
//! | [`outcome`] | how a run ended, in a word and an exit code |

// Without the command some of what it uses has no other user.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod diagnostic;
pub mod dialect;
pub mod document;
pub mod envelope;
pub mod event;
pub mod fact;
mod failure;
mod figures;
pub mod find;
pub mod input;
pub mod json;
mod lanes;
#[cfg(feature = "cli")]
pub mod limits;
mod memory;
pub mod outcome;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod output;
mod payload;
pub mod reading;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod run;
pub mod seen;
pub mod select;
pub mod session;
pub mod sink;
pub mod span;
pub mod stream;
pub mod unwrap;
