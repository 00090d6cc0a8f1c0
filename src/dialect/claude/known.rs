//! Claude Code's records that say nothing about a session.

/// `system` records that say nothing about the session itself: those of the SDK's types (2.1). There are more.
const SYSTEM: [&str; 23] = [
    "status",
    "thinking_tokens",
    "hook_started",
    "hook_progress",
    "hook_response",
    "background_tasks_changed",
    "informational",
    "model_refusal_no_fallback",
    "model_fallback",
    "compact_boundary",
    "files_persisted",
    "local_command_output",
    "session_state_changed",
    "commands_changed",
    "notification",
    "memory_recall",
    "plugin_install",
    "elicitation_complete",
    "control_request_progress",
    "worker_shutting_down",
    "mirror_error",
    "post_turn_summary",
    "session_writes_lost",
];

/// Types of records that say nothing about it either; `command_lifecycle` is in no list of the SDK's.
const TYPES: [&str; 8] = [
    "rate_limit_event",
    "tool_progress",
    "auth_status",
    "tool_use_summary",
    "prompt_suggestion",
    "conversation_reset",
    "active_goal",
    "command_lifecycle",
];

/// Types of records by which agent and host talk to each other, for one to ask and the other to answer. They have no session.
const CONTROL: [&str; 3] = [
    "control_request",
    "control_response",
    "control_cancel_request",
];

/// Whether a `system` record of that subtype says nothing. Of tasks, those that begin and end one do.
pub(super) fn is_known_system(subtype: &str) -> bool {
    SYSTEM.contains(&subtype) || subtype.starts_with("task_")
}

/// Whether a record of that type says nothing.
pub(super) fn is_known_type(kind: &[u8]) -> bool {
    TYPES.iter().any(|known| known.as_bytes() == kind) || is_control(kind)
}

/// Whether a record of that type is none of a session.
pub(super) fn is_control(kind: &[u8]) -> bool {
    CONTROL.iter().any(|known| known.as_bytes() == kind)
}
