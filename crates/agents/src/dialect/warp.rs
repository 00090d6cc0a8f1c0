//! The dialect of Warp's agent, `oz agent run --output-format json|ndjson`, from its source (`app/src/ai/agent_sdk`)
//! and published runs; no recording was at hand.
//!
//! `{"type":"system","event_type":"run_started"|"conversation_started"}`, `{"type":"agent","text"}` with a whole
//! message, `{"type":"agent_reasoning","text"}`, `{"type":"tool_call","tool",…}` and `{"type":"tool_result","tool",…}`,
//! `{"type":"tool_error","error"}` or `{"type":"tool_canceled"}`. Calls have no ids: their results come in their order.
//! Only a run that failed (`run_failed`) or was stopped (`run_interrupted`) has a terminal record; others end after a
//! message. Nothing is counted.

use super::usual::{self, NumberedCalls};
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Warp>("warp", SHAPES);

/// The shapes of its records. Other agents have messages and calls of these types, too.
const SHAPES: &[RecordShape] = &[
    certain("type=system event_type=run_started run_id:string run_url:string"),
    likely("type=system event_type=conversation_started conversation_id:string"),
    likely("type=system event_type=run_failed error:string"),
    doubtful("type=agent|agent_reasoning text:string only:type,text"),
    fits("type=system event_type:string"),
    fits("type=agent|agent_reasoning text:string"),
    fits("type=tool_call|tool_result tool:string"),
    fits("type=tool_error error:string"),
    fits("type=tool_canceled"),
    fits("type=update_todos todo_list:array"),
    fits("type=complete_todos completed_todos:array"),
    fits("type=artifact_created artifact_type:string"),
];

/// Reads Warp's records.
#[derive(Default)]
struct Warp {
    calls: NumberedCalls,
}

impl Dialect for Warp {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("type");
        let text = record.text("text").unwrap_or_default();
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") => system(record, out),
            Some("agent") => {
                out.push(Fact::said(text));
                out.push(Fact::Rest);
            }
            Some("agent_reasoning") => out.push(Fact::thought(text)),
            Some("tool_call") => out.push(Fact::Call(self.call(record))),
            Some("tool_result" | "tool_error" | "tool_canceled") => {
                out.push(Fact::Result(self.result(record)));
            }
            Some("update_todos") => out.push(Fact::todos(kind, record.get("todo_list"))),
            Some("complete_todos" | "artifact_created") => out.push(Fact::known(kind)),
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

impl Warp {
    fn call<'a>(&mut self, record: &Object<'a>) -> Call<'a> {
        let tool = record.text("tool").unwrap_or_default();
        let id = self.calls.add(tool.into_owned());
        let call = usual::call(record, id);
        let paths = record
            .get("file_paths")
            .into_iter()
            .flat_map(Value::elements);
        let write = |path: Value<'a>| Some(Write::new(path.text()?, None, None));
        Call {
            writes: paths.filter_map(write).collect(),
            ..call
        }
    }

    /// Returns the result of the first call of the tool that waits for one. A failure names no tool.
    fn result<'a>(&mut self, record: &Object<'a>) -> ToolResult<'a> {
        let tool = record.text("tool");
        let calls = &mut self.calls;
        let id = calls.take(tool.as_ref()).or_else(|| calls.take(None));
        let mut result = usual::result(record, id.unwrap_or_default());
        if record.is("type", "tool_canceled") {
            result.status = ToolStatus::Error;
        }
        result
    }
}

fn system<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let kind = record.text("event_type");
    out.session = record.text("conversation_id");
    let fail = |problem| Fact::end(Some(problem), None);
    out.push(match kind.as_ref().and_then(Text::as_str) {
        Some("run_started") => Fact::Start(Start::default()),
        Some("run_completed") => Fact::ended(true),
        Some("run_interrupted") => {
            let kind = kind.unwrap_or_default();
            fail(Problem::fatal(Outcome::Cancelled, kind))
        }
        Some("run_failed" | "run_error") => fail(usual::problem_of_error_record(record)),
        Some("output_error" | "error") => Fact::Error(usual::problem_of_error_record(record)),
        _ => Fact::known(kind),
    });
}
