//! Recognises the calls of Claude Code that failed because they were not permitted.

use crate::dialect::prelude::*;

/// The start of the error text of a call that was not permitted.
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
/// The part of such a text after the name of a place (2.0).
const BLOCKED: &str = "was blocked. For security, Claude Code may only";
/// The reasons for not executing a call that are denials (2.1): a rule or a hook, or the user.
const KINDS: [&str; 2] = ["permission-rule", "user-rejected"];

/// Whether the failed call of `block`, whose error is `text`, was not permitted.
pub(super) fn is_denied(record: &Object<'_>, block: &Object<'_>, text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || line.contains(BLOCKED)
        || is_rejected(record, block)
}

/// Whether the members next to the text say that the call was rejected (2.1).
fn is_rejected(record: &Object<'_>, block: &Object<'_>) -> bool {
    if record.inner("permissionDecision").is("decision", "reject") {
        return true;
    }
    let id = block.text("tool_use_id");
    record.objects("tool_result_meta").any(|meta| {
        let rejected = meta.inner("permission_decision").is("decision", "reject");
        let is_kind = |kind: &&str| meta.is("non_execution_kind", kind);
        meta.text("id") == id && (rejected || KINDS.iter().any(is_kind))
    })
}
