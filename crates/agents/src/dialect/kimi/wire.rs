//! The messages of Kimi CLI's wire protocol: session files, `~/.kimi/sessions/…/wire.jsonl` (seen in 1.49.0), and the
//! standard output of `kimi --wire` (from its documentation and tests, protocol 1.9).
//!
//! `{"timestamp","message":{"type","payload"}}`, where the type is `TurnBegin`, `StepBegin`, `ContentPart`, `ToolCall`,
//! `ToolResult`, `StatusUpdate` or `TurnEnd`. The reason why a turn was interrupted is known only if the request was
//! tried again before.
//!
//! `kimi --wire` speaks JSON-RPC: `{"method":"event"|"request","params":{"type","payload"}}`, and at the end of a turn
//! the answer to the prompt, `{"id","result":{"status":"finished"|"cancelled"|"max_steps_reached"}}` or
//! `{"id","error":{"code","message"}}`.

use super::disk::{failure, part};
use crate::dialect::prelude::*;

/// The codes of errors that end a turn: there is no model, or it failed. Others answer a request that was not accepted.
const FATAL: std::ops::RangeInclusive<i64> = -32_099..=-32_001;

/// The state that is kept between the messages.
#[derive(Default)]
pub(super) struct Wire {
    /// The failure because of which the request is tried again.
    retried: Option<Problem<'static>>,
    /// The failure of the turn if it ends now.
    failing: Option<Problem<'static>>,
    /// Whether the step has said anything.
    said: bool,
    /// Whether the turn has said that it ended.
    ended: bool,
}

impl Wire {
    /// States the facts of a message of `kimi --wire`; returns whether it is one.
    pub(super) fn rpc<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let of = |name| record.object(name);
        match (of("params"), of("result"), of("error")) {
            (Some(params), ..) => {
                self.facts(&params, out);
                // What is streamed comes in pieces; a session file has whole parts.
                for fact in &mut out.facts {
                    if let Fact::Message(said) | Fact::Reasoning(said) = fact {
                        said.form = Form::Delta;
                    }
                }
            }
            (_, Some(result), _) => self.answer(&result, out),
            (_, _, Some(error)) => {
                let code = error.get("code").and_then(Value::as_i64);
                if code.is_some_and(|code| FATAL.contains(&code)) {
                    out.push(Fact::end(Some(usual::problem_in(&error, "message")), None));
                }
            }
            _ => return false,
        }
        out.or_known(record.text("method"));
        true
    }

    /// States the answer to a request: to the first one, or to a prompt.
    fn answer<'a>(&mut self, result: &Object<'a>, out: &mut Statement<'a>) {
        let server = result.object("server");
        out.extend(server.map(|server| usual::start(&server, "version")));
        let status = result.text("status");
        match status.as_ref().and_then(Text::as_str) {
            Some("finished") if !self.ended => out.push(Fact::ended(true)),
            Some("cancelled" | "max_steps_reached") => out.push(usual::end(status, None)),
            _ => {}
        }
    }

    /// States the facts of a message, also of a subagent's.
    pub(super) fn facts<'a>(&mut self, message: &Object<'a>, out: &mut Statement<'a>) {
        let payload = message.inner("payload");
        let main = out.parent.is_none();
        match message.word("type").as_deref() {
            Some(b"TurnBegin") => {
                let text = usual::text_in(&payload, "user_input");
                out.extend(text.map(|text| Fact::given(main, text)));
            }
            Some(b"ContentPart") => {
                self.said |= main;
                part(&payload, out);
            }
            Some(b"ToolCall") => out.push(Fact::Call(usual::own_call(&payload))),
            Some(b"ToolResult") => out.push(Fact::Result(result(&payload))),
            Some(b"StatusUpdate") => {
                if let Some(counts) = payload.object("token_usage") {
                    let scope = Scope::Request(payload.text("message_id"));
                    out.push(Fact::usage(scope, None, usual::tokens_apart(&counts)));
                }
            }
            Some(b"StepBegin") if main => *self = Self::default(),
            Some(b"StepRetry") => {
                let problem = failure(&payload, "error_type");
                self.retried = Some(problem.clone().into_owned());
                out.push(Fact::Retry(problem));
            }
            Some(b"StepInterrupted") if main => {
                let unknown = || Problem::fatal(Outcome::Failed, "StepInterrupted".into());
                let problem = self.retried.take().unwrap_or_else(unknown);
                self.failing = Some(Problem {
                    fatal: true,
                    ..problem
                });
            }
            Some(b"TurnEnd") if main && (self.said || self.failing.is_some()) => {
                self.ended = true;
                out.push(Fact::end(self.failing.take(), None));
            }
            Some(b"SubagentEvent") if main => {
                let ids = names!("parent_tool_call_id task_tool_call_id");
                out.parent = ids.text(&payload).or_else(|| Some("subagent".into()));
                self.facts(&payload.inner("event"), out);
            }
            _ => {}
        }
    }
}

fn result<'a>(payload: &Object<'a>) -> ToolResult<'a> {
    let value = payload.inner("return_value");
    let failed = usual::is_set(&value, "is_error");
    let text = |name| usual::text_in(&value, name);
    let id = payload.text("tool_call_id").unwrap_or_default();
    ToolResult {
        output: text("output"),
        error: text("message").filter(|_| failed),
        ..ToolResult::new(id, ToolStatus::of(failed, false))
    }
}
