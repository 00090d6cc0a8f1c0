//! The dialect of grok-cli, `grok -p` (recorded: 0.0.34).
//!
//! The records are chat messages as those of [Kimi CLI](super::kimi) are, but the prompt comes first, by which they are told.
//! There is neither an end nor an exit code: a run that failed says so in a message of the assistant, `Sorry, I encountered an
//! error: …`. Nothing is counted.

use super::shape::{RecordShape, doubtful, fits, never};
use super::{Entry, kimi};

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "grok",
    shapes: SHAPES,
    dialect: || Box::new(kimi::Kimi::prompted()),
};

/// What its records look like: a prompt, and a message of the assistant behind it.
const SHAPES: &[RecordShape] = &[
    doubtful("role=user content:string only:role,content"),
    doubtful("role=assistant content:string only:role,content,tool_calls"),
    doubtful("role=tool tool_call_id:string only:role,content,tool_call_id"),
    fits("role=assistant content"),
    fits("role=assistant tool_calls"),
    fits("role=tool content"),
    fits("role=user content"),
    never("role=system content"),
];
