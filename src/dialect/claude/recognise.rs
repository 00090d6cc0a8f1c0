//! How sure a record is one of Claude Code.

use super::known::is_control;
use crate::dialect::{Strength, blocks};
use crate::json::view::Object;

/// What claude-code-action prints with the little that it shows of an `init` record (`run-claude-sdk.ts`).
pub(super) const INITIALIZED: &str = "Claude Code initialized";

/// Whether a record may be one of Claude Code.
pub(super) fn is_possible(record: &Object<'_>) -> bool {
    blocks::is_possible(record) || recognise_without_session(record) > Strength::No
}

/// How sure it is one.
pub(super) fn recognise(record: &Object<'_>) -> Strength {
    let shape = blocks::recognise(record);
    if shape == Strength::No {
        return recognise_without_session(record);
    }
    let marked = if blocks::is_init(record) {
        let has_own = record.has("claude_code_version") || record.has("output_style");
        has_own || record.has("permissionMode") && record.has("tools")
    } else {
        record.has("modelUsage") || record.has("total_cost_usd") || is_hook(record)
    };
    match shape {
        _ if marked => Strength::Certain,
        Strength::Likely if belongs_to_another(record) => Strength::Possible,
        shape => shape,
    }
}

/// The same of a record that names no session: one of those that never do, or what is left of `init` or `result`.
fn recognise_without_session(record: &Object<'_>) -> Strength {
    match record.word("type").as_deref() {
        Some(b"system") if blocks::is_init(record) && record.is("message", INITIALIZED) => {
            Strength::Likely
        }
        Some(b"result") if record.has("subtype") && record.has("is_error") => {
            match (record.has("num_turns"), record.has("total_cost_usd")) {
                (true, true) => Strength::Certain,
                (true, false) | (false, true) => Strength::Likely,
                (false, false) => Strength::No,
            }
        }
        Some(kind) if is_control(kind) => Strength::Possible,
        _ => Strength::No,
    }
}

/// Whether it tells of a hook, whose records may come before `init`. Forks have such members in `data`.
fn is_hook(record: &Object<'_>) -> bool {
    record.has("hook_name") && !record.has("data") && record.is("type", "system")
}

/// Whether a record of the same outline lacks what Claude Code's always have.
fn belongs_to_another(record: &Object<'_>) -> bool {
    let message = record.object("message");
    match record.word("type").as_deref() {
        Some(b"assistant") => {
            let total = message
                .as_ref()
                .and_then(|message| message.object("usage"))
                .is_some_and(|usage| usage.has("total_tokens"));
            let id = message.and_then(|message| message.text("id"));
            total || id.is_none() || id == record.text("uuid")
        }
        // Where a record was cut, order tells: here `uuid` is last.
        Some(b"result") => record.has("uuid") || !record.has("num_turns"),
        Some(b"system") => record.has("data") || record.has("uuid") && is_cut_init(record),
        _ => false,
    }
}

/// Whether it is the beginning of an `init` record.
fn is_cut_init(record: &Object<'_>) -> bool {
    blocks::is_init(record) && !record.has("model")
}
