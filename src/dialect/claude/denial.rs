//! Which of Claude Code's calls failed because they were not permitted.

use crate::json::view::{Object, Value};

/// Beginnings of the error text of such a call.
const BEGINNINGS: [&str; 10] = [
    "Claude requested permissions to",
    "Permission for this action",
    "Permission to use",
    "Permission to edit",
    "Permission to read",
    "This command requires approval",
    "This command uses shell operators that require approval",
    "This Bash command contains multiple operations. The following part",
    "<tool_use_error>File is in a directory that is denied by your permission settings",
    "The user doesn't want to proceed with this tool use",
];
/// What such a text says of a place, which stands before it (2.0).
const BLOCKED: &str = "was blocked. For security, Claude Code may only";
/// Why a call was not executed, of those reasons that are a denial (2.1): a rule or a hook, or the user.
const KINDS: [&str; 2] = ["permission-rule", "user-rejected"];

/// Whether the call whose failure `block` of a record states was not permitted. `text` is what that says.
pub(super) fn is_denied(record: &Object<'_>, block: &Object<'_>, text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || line.contains(BLOCKED)
        || is_rejected(record, block)
}

/// Whether the record says so beside the text (2.1).
fn is_rejected(record: &Object<'_>, block: &Object<'_>) -> bool {
    let on_disk = record.object("permissionDecision");
    if on_disk.is_some_and(|decision| decision.is("decision", "reject")) {
        return true;
    }
    let id = block.text("tool_use_id");
    let metas = record.get("tool_result_meta").into_iter();
    metas.flat_map(Value::elements).any(|meta| {
        let says = |at: &str, word: &str| meta.pointer(at).is_some_and(|value| value.is(word));
        meta.get("id").and_then(Value::text) == id
            && (says("/permission_decision/decision", "reject")
                || KINDS.iter().any(|kind| says("/non_execution_kind", kind)))
    })
}
