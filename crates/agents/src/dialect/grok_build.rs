//! The dialect of Grok Build, `grok -p --output-format streaming-json|json`, from its documentation (user guide,
//! headless mode) and published samples of 0.2; no recording was at hand. Its third form, `streaming-messages-json`, is
//! Claude Code's.
//!
//! - `streaming-json`: deltas `{"type":"text"|"thought","data"}`, `tool_call` and `tool_call_update`, `usage` of each
//!   request, and at the end `end` with a `stopReason`, or `error` in its place. Earlier versions had only thoughts,
//!   text and `end`.
//! - `chat_history.jsonl` on disk (from the readers of others): `user`, `assistant` with `tool_calls` and `model_id`,
//!   `tool_result`, `reasoning`, `system`; what the program wrote in the user's name has a `synthetic_reason`. There is
//!   no end. `updates.jsonl` next to it is read as the Agent Client Protocol.
//! - `json`: one object `{"text","stopReason","sessionId","requestId","thought"?,"usage"?}`.
//!
//! `input_tokens` do not include tokens from a cache. Incomplete counts have no cost.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("grok-build", SHAPES, facts);

/// The shapes of its records and its envelope. Any program that passes messages on may write such a text.
const SHAPES: &[RecordShape] = &[
    likely("type=thought data:string"),
    doubtful("type=text data:string"),
    certain("type=tool_call toolCallId toolName rawInput"),
    likely("type=tool_call toolCallId:string title:string"),
    doubtful("type=tool_call title:string status:string"),
    likely("type=tool_call_update toolCallId:string status:string"),
    doubtful("type=usage stopReason:string usage:object"),
    certain("type=end stopReason:string sessionId requestId"),
    likely("type=end stopReason:string"),
    fits("type=error message:string"),
    fits("type=tool_call_update status:string"),
    fits("type=plan|available_commands|max_turns_reached"),
    fits("type^=auto_compact"),
    // Records of session files on disk.
    certain("type=assistant content:string model_id:string"),
    certain("type=user content:list synthetic_reason:string"),
    doubtful("type=reasoning summary:list encrypted_content"),
    fits("type=assistant|system content:string"),
    fits("type=user content"),
    fits("type=tool_result tool_call_id:string"),
    fits("type=reasoning summary"),
    certain("stopReason:string text:string sessionId requestId !type"),
    likely("stopReason:string text:string !type !role"),
];

/// States the facts of a record; none depends on another.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.session = usual::session(record);
    let kind = record.text("type");
    let said = || Message::piece(record.text("data").unwrap_or_default());
    match kind.as_ref().and_then(Text::as_str) {
        None => envelope(record, out),
        Some("text") => out.push(Fact::Message(said())),
        Some("thought") => out.push(Fact::Reasoning(said())),
        Some("tool_call" | "tool_call_update") => tool(record, out),
        Some("user" | "assistant" | "reasoning" | "tool_result") => kept(record, out),
        Some("usage") => {
            let id = record.text("messageId");
            out.extend(usual::counted(record, Scope::Request(id)));
        }
        Some("end") => {
            out.extend(usual::counted(record, Scope::Turn));
            out.extend(usual::structured(record).map(Fact::Structured));
            out.push(end(record));
        }
        Some("error") => out.push(Fact::end(
            Some(usual::problem_of_error_record(record)),
            None,
        )),
        Some(_) => out.push(Fact::known(kind)),
    }
}

/// States the facts of the envelope: the answer, and how the run ended.
fn envelope<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.push(Fact::Start(Start::default()));
    let thought = record.text("thought");
    out.extend(thought.map(Fact::thought));
    out.extend(usual::counted(record, Scope::Turn));
    let text = record.text("text");
    out.extend(text.map(Fact::said));
    out.extend(usual::structured(record).map(Fact::Structured));
    out.push(end(record));
}

/// States the end of a response, which is the run's unless the model has called a tool.
fn end<'a>(record: &Object<'a>) -> Fact<'a> {
    let reason = record.text("stopReason");
    match reason.as_ref().is_some_and(usual::hands_over) {
        true => Fact::known(record.text("type")),
        false => usual::end(reason, None),
    }
}

/// States a record of a session file.
fn kept<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let content = || usual::text_in(record, "content");
    if record.is("type", "user") {
        let own = record.text("synthetic_reason").is_none();
        out.extend(content().filter(|_| own).map(Fact::prompt));
    } else if record.is("type", "reasoning") {
        let thought = usual::text_in(record, "summary");
        out.extend(thought.filter(|it| !it.is_empty()).map(Fact::thought));
    } else if record.is("type", "tool_result") {
        out.push(Fact::Result(usual::own_result(record)));
    } else {
        out.extend(record.text("model_id").map(Fact::Model));
        out.extend(content().filter(|it| !it.is_empty()).map(Fact::said));
        let calls: Vec<_> = record.objects("tool_calls").collect();
        let is_over = calls.is_empty();
        out.extend(calls.iter().map(usual::own_call).map(Fact::Call));
        out.extend(is_over.then_some(Fact::Rest));
    }
    out.or_known(record.text("type"));
}

/// States a call or its result; the records in between say nothing.
fn tool<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    if usual::is_done(record) {
        out.push(Fact::Result(usual::own_result(record)));
    } else if record.is("type", "tool_call") {
        out.push(Fact::Call(usual::own_call(record)));
    } else {
        out.push(Fact::known(record.text("type")));
    }
}
