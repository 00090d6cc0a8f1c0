//! Records of Claude Code that say nothing about a session.

use crate::dialect::prelude::*;

/// Subtypes of `system` records in the SDK's types that say nothing about the session itself (2.1). There are more.
const SYSTEM: &[&str] = words!(
    "status thinking_tokens hook_started hook_progress hook_response background_tasks_changed informational \
     model_refusal_no_fallback model_fallback compact_boundary files_persisted local_command_output \
     session_state_changed commands_changed notification memory_recall plugin_install elicitation_complete \
     control_request_progress worker_shutting_down mirror_error post_turn_summary session_writes_lost"
);

/// Types of records that say nothing about the session either; `command_lifecycle` is not in the SDK's types. In the
/// last three, agent and host ask each other and answer: they belong to no session.
const TYPES: &[&str] = words!(
    "tool_progress auth_status tool_use_summary prompt_suggestion conversation_reset active_goal \
     command_lifecycle control_request control_response control_cancel_request"
);

/// Whether a `system` record of that subtype says nothing. The records that start and end a task are handled before.
pub(super) fn is_known_system(subtype: &str) -> bool {
    has_word(SYSTEM, subtype.as_bytes()) || subtype.starts_with("task_")
}

/// Whether a record of that type says nothing about the session.
pub(super) fn is_known_type(kind: &[u8]) -> bool {
    has_word(TYPES, kind)
}
