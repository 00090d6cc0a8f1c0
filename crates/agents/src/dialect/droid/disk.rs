//! Session files of Factory Droid, `~/.factory/sessions/DIR/ID.jsonl` (seen in 0.225.2).
//!
//! `session_start`, `message` records with content blocks, and `agent_turn_outcome` at the end of a turn. A message
//! that only the user sees is the agent's failure; a message that only the model sees is no prompt. Tokens are in
//! another file.

use crate::dialect::prelude::*;

/// The tag around the agent's additions to a prompt.
const REMINDER: &str = "<system-reminder>";

/// States the facts of a record of a file; returns whether it is one.
pub(super) fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) -> bool {
    let kind = record.text("type");
    let word = kind.as_ref().and_then(Text::as_str);
    match (word, record.object("message")) {
        (Some("session_start"), _) => {
            out.session = record.text("id");
            out.push(usual::start(record, "version"));
        }
        (Some("message"), Some(message)) => self::message(record, &message, out),
        (Some("agent_turn_outcome"), _) => {
            let reason = record.text("reason").unwrap_or_default();
            let success = reason == "completed";
            out.push(Fact::end((!success).then(|| failed(reason)), None));
        }
        (Some("todo_state" | "compaction_state"), _) => {}
        _ => return false,
    }
    out.or_known(kind);
    true
}

/// Returns the failure that a word for the end of a turn means: `model_authentication_failed`, `cancelled`.
fn failed(reason: Text<'_>) -> Problem<'_> {
    let class = class::of_kind(&reason.to_string_lossy(), &Text::EMPTY, None);
    let stopped = usual::stopped(reason.clone());
    let stopped = stopped.map_or(Outcome::Failed, |problem| problem.class);
    Problem::fatal(class, reason).or_class(stopped)
}

fn message<'a>(record: &Object<'a>, message: &Object<'a>, out: &mut Statement<'a>) {
    let is_model = message.is("role", "assistant");
    let visible = message.text("visibility");
    let visible = visible.or_else(|| record.text("visibility"));
    let visible = visible.unwrap_or_default();
    out.extend(message.text("modelId").map(Fact::Model));
    for block in message.objects("content") {
        match block.word("type").as_deref() {
            Some(b"text") if !is_model => {
                let text = block.text("text").unwrap_or_default();
                out.push(match visible == "user_only" {
                    true => Fact::Error(usual::problem(text, None)),
                    false => {
                        let own = visible == "llm_only" || text.starts_with(REMINDER);
                        Fact::given(!own, text)
                    }
                });
            }
            Some(b"tool_result") => out.push(Fact::Result(result(&block))),
            _ => out.extend(blocks::said(&block, record.text("id"), WRITERS)),
        }
    }
    if is_model && blocks::ends_with_text(message) {
        out.push(Fact::Rest);
    }
}

fn result<'a>(block: &Object<'a>) -> crate::fact::ToolResult<'a> {
    let mut result = blocks::result(block, |text| text.contains("denied"));
    let error = result.error.as_ref().map(Text::to_string_lossy);
    result.exit_code = error.and_then(|error| {
        blocks::exit_code(&error, "(exit code: ")
            .or_else(|| blocks::exit_code(error.trim_end_matches(']'), "exited with code "))
    });
    result
}

/// The tools that write files.
const WRITERS: Writers = &[
    ("Create", Writer::New("content")),
    ("Edit", Writer::Old),
    ("MultiEdit", Writer::Old),
    ("Write", Writer::File),
    ("ApplyPatch", Writer::File),
];
