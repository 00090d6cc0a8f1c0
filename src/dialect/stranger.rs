//! The dialect of an unknown agent: its records are read by shape alone.
//!
//! The words in a record's type say what it is, and a role says who speaks. The subject is in the record or in an
//! object inside it (`event`, `data`, `item`, `message` …). Texts, calls and their results, counts, errors and the end
//! are taken from members with the [usual](super::usual) names. Nothing is guessed: a stream is a success only if its
//! end says so, or if the model's last message says that it stopped by itself.
//!
//! The records count as an agent's only if one of them is such as no other program writes; see [`StrangerEvidence`].

mod calls;
mod evidence;
mod names;
mod place;
mod reading;
mod said;
#[cfg(test)]
mod tests;

use crate::json::view::{Kind, Object};

pub(super) use evidence::StrangerEvidence;
pub(super) use reading::Stranger;

/// Members that say what a record is.
pub(super) const DISCRIMINATORS: &[&str] = &[
    "type",
    "event",
    "kind",
    "method",
    "event_type",
    "message_type",
    "event_kind",
    "role",
    "object",
];
/// Members beside the object that says what the record is.
pub(super) const BESIDE: &[&str] = &["jsonrpc", "invocationId", "invocation_id"];

/// Returns the index in [`DISCRIMINATORS`] of the member that says what a record (or an object that it wraps) is.
pub(super) fn discriminator(record: &Object<'_>) -> Option<usize> {
    told_by(record).or_else(|| wrapped(record).find_map(|inner| told_by(&inner)))
}

/// Returns the objects in a record that may say what the record is: what an event contains, a result of JSON-RPC
/// (A2A), the content of a message (Google's ADK), the item of a run (OpenAI's Agents SDK).
fn wrapped<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    let names = ["msg", "result", "content", "item"];
    names.into_iter().filter_map(|name| record.object(name))
}

/// Returns the index in [`DISCRIMINATORS`] of the object's own member that says what it is.
fn told_by(object: &Object<'_>) -> Option<usize> {
    let contents = ["content", "parts", "items", "blocks"];
    let tells = |name: &&str| {
        let told = object.holds(name, Kind::String);
        told && (*name != "role" || contents.iter().any(|name| object.has(name)))
    };
    DISCRIMINATORS.iter().position(tells)
}
