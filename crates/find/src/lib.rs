//! Finds the JSON documents in a noisy source, and chooses among them.

pub mod choose;
pub mod document;
pub mod finder;
pub mod input;
pub mod prefix;
pub mod reading;
pub mod span;
pub mod unwrap;
