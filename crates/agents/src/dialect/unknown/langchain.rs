//! The events of LangChain, `astream_events`: `{"event":"on_tool_start","name","run_id","parent_ids","data"}`.
//!
//! Each step of a run has events of its own, with the id of that step. What the model says is read by shape; this
//! module knows which steps are calls, which ones count tokens, and which ones only contain others.

use crate::dialect::prelude::*;

/// Returns what an event states; `None` if it is read by shape.
pub(super) fn facts<'a>(record: &Object<'a>) -> Option<Vec<Fact<'a>>> {
    let event = record.text("event")?;
    // A server may give the name of the event before its data.
    let wrapped = record.object("data").filter(|_| !record.has("run_id"));
    let step = wrapped.as_ref().unwrap_or(record);
    let (id, data) = (step.text("run_id")?, step.object("data")?);
    let name = || step.text("name").unwrap_or_default();
    let output = || data.get("output").and_then(Value::non_null);
    let fact = match event.as_str()?.strip_prefix("on_")? {
        "tool_start" => Fact::Call(usual::call_of(id, name(), data.get("input"))),
        "tool_end" => {
            let failed = data.inner("output").is("status", "error");
            Fact::Result(result(id, failed, output()))
        }
        "tool_error" => Fact::Result(result(id, true, data.get("error"))),
        "chat_model_end" | "llm_end" => {
            let message = output().and_then(Object::new);
            let tokens = message.as_ref().and_then(usual::usage);
            let request = Scope::Request(message.and_then(|it| it.text("id")).or(Some(id)));
            let usage = tokens.map(|tokens| Fact::usage(request, None, tokens));
            return Some(usage.into_iter().collect());
        }
        "chain_error" | "chat_model_error" | "llm_error" => {
            let message = data.get("error").and_then(usual::text);
            let problem = usual::problem(message.unwrap_or_default(), None);
            Fact::Error(match is_inner(step) {
                true => problem.passing(),
                false => problem,
            })
        }
        "chain_start" | "chain_stream" | "chain_end" if !is_inner(step) => return None,
        "chain_start" | "chain_stream" | "chain_end" | "chat_model_start" | "llm_start" => {
            return Some(Vec::new());
        }
        _ => return None,
    };
    Some(vec![fact])
}

/// Returns the id of the step whose message an event has a piece of: steps may run at the same time.
pub(super) fn message<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let event = record.word("event")?;
    let is_piece = event.starts_with(b"on_") && event.ends_with(b"_stream");
    record.text("run_id").filter(|_| is_piece)
}

/// Whether a step is inside another one.
fn is_inner(step: &Object<'_>) -> bool {
    let above = step.get("parent_ids").and_then(|ids| ids.elements().next());
    above.is_some() || step.inner("metadata").has("langgraph_node")
}

fn result<'a>(id: Text<'a>, failed: bool, output: Option<Value<'a>>) -> ToolResult<'a> {
    let content = |output: Value<'a>| {
        let inner = output.get("content").and_then(usual::text);
        inner.or_else(|| output.text())
    };
    ToolResult::of_text(id, ToolStatus::of(failed, false), output.and_then(content))
}
