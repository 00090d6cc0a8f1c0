//! The dialect of grok-cli, `grok -p` (recorded: 0.0.34).
//!
//! The records are chat messages like those of [Kimi CLI](super::kimi), but the prompt comes first, which distinguishes
//! them. There is neither an end nor an exit code: a failed run has a message of the assistant, `Sorry, I encountered
//! an error: …`. Nothing is counted.

use super::kimi;
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "grok",
    shapes: SHAPES,
    dialect: || Box::new(kimi::Kimi::prompted()),
    retry: |_| None,
};

/// The shapes of its records: a prompt, and a message of the assistant after it.
const SHAPES: &[RecordShape] = &[
    doubtful("role=user content:string only:role,content"),
    doubtful("role=assistant content:string only:role,content,tool_calls"),
    doubtful("role=tool tool_call_id:string only:role,content,tool_call_id"),
    fits("role=assistant|tool|user content"),
    fits("role=assistant tool_calls"),
    never("role=system content"),
];
