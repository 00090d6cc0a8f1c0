//! Reads what coding agents and APIs of models print: records and envelopes become facts, facts become events and
//! sessions.
//!
//! | feature | adds |
//! |---|---|
//! | `agent-file` | agents that files describe |
//! | `cli` | `clap::ValueEnum` for the phases of events |
//! | `testing` | functions that make sessions of records, for the tests of other crates |

pub mod change;
pub mod dialect;
pub mod envelope;
pub mod event;
pub mod fact;
pub mod figures;
pub mod hashes;
pub mod session;
pub mod stream;
mod syslog;
pub mod time;

pub use dialect::Agent;
pub use dialect::class::Known;
pub use dialect::reader::StatedRecord;
