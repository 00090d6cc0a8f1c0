//! The dialect of Mistral Vibe 3, `vibe -p --output json|streaming` (recorded: 3.0).
//!
//! `streaming` prints each finished entry on a line, `json` all of them as one array. There are messages, whose
//! `outcome` says whether they count (`committed`), are asked for again (`discarded`) or why there is no more, and
//! effects: a call and its result in one. Only the displayed text says that a command failed.
//!
//! There is no end, and nothing is counted: a failed run says so on standard error, and a run whose last entry is a
//! message of the model has succeeded.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("vibe", SHAPES, facts);

/// The shapes of its records. Items of the Responses API are messages with such contents too.
const SHAPES: &[RecordShape] = &[
    certain("type=message role:string content:array generationStatus:string"),
    likely("type=message role=assistant content:array outcome.type:string"),
    doubtful("type=message role=user content:array source=turn_start"),
    certain("type=effect detail.toolName:string state:object"),
    likely("type=effect title:string state.status:string"),
    fits("type=message role:string content:array"),
    fits("type generationStatus:string"),
];

/// States the facts of an entry; none depends on another.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.session = record.text("sessionId");
    let kind = record.text("type");
    let text = || usual::text_in(record, "content").unwrap_or_default();
    let discarded = || record.inner("outcome").is("type", "discarded");
    match kind.as_ref().and_then(Text::as_str) {
        Some("effect") => out.push(Fact::Result(effect(record))),
        Some("message") if record.is("role", "user") => {
            // The agent's own messages to the model between turns are not the user's.
            let prompt = record.is("source", "turn_start") || !record.has("source");
            out.push(Fact::given(prompt, text()));
        }
        Some("message") if record.is("role", "assistant") && !discarded() => {
            out.push(Fact::said(text()));
            out.push(failure(record).map_or(Fact::Rest, Fact::Error));
        }
        Some("message") => out.push(Fact::known(kind)),
        _ => out.push(Fact::unknown(kind)),
    }
}

/// Returns the failure that the outcome of a message states.
fn failure<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let outcome = record.object("outcome")?;
    let stopped = outcome.text("type").and_then(usual::stopped)?;
    let stated = usual::error(&outcome).map(|error| error.or_class(stopped.class));
    Some(stated.unwrap_or(stopped))
}

/// Returns a call and its result. Only the result says whether a written file existed before.
fn effect<'a>(record: &Object<'a>) -> ToolResult<'a> {
    let mut call = usual::own_call(record);
    let state = record.inner("state");
    let existed = state.inner("output").get("fileExisted");
    let existed = existed.and_then(Value::as_bool);
    for write in &mut call.writes {
        write.operation = existed.map(Operation::on).or(write.operation);
    }
    ToolResult {
        call: Some(Box::new(call)),
        duration_ms: state.u64("durationMs"),
        ..usual::own_result(record)
    }
}
