//! `jsift` finds the JSON in noisy text, and reads the event streams of coding agents.

pub mod cli;
pub mod diagnostic;
pub mod dialect;
pub mod document;
pub mod envelope;
pub mod event;
pub mod fact;
pub mod find;
pub mod input;
pub mod json;
mod lanes;
pub mod outcome;
pub mod output;
pub mod run;
pub mod session;
pub mod sink;
pub mod span;
pub mod stream;
pub mod unwrap;
