//! Reads what coding agents and APIs of models print: records and envelopes become facts, facts become events and
//! sessions.

pub mod change;
pub mod dialect;
pub mod envelope;
pub mod event;
pub mod fact;
pub mod figures;
pub mod hashes;
pub mod session;
pub mod stream;
pub mod time;
