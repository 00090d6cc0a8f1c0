//! What Codex keeps of a session on disk, `~/.codex/sessions/Y/M/D/rollout-TIME-ID.jsonl` (seen in 0.169.0).
//!
//! `{"timestamp","type","payload":{"type"}}`. What was said stands there twice, as a `response_item` and as an `event_msg`: the
//! first is read, which all versions have. Token counts are totals of the thread, in later versions beside those of each
//! response. A file that was forked off begins with the records of its parent, whose `session_meta` is not its own.

use super::tokens;
use crate::dialect::{blocks, class, patch, usual};
use crate::fact::{
    Call, Duration, End, Fact, Form, Message, Problem, Scope, Start, Statement, Tokens, ToolResult,
    ToolStatus, User,
};
use crate::json::text::Text;
use crate::json::view::{Object, Value};
use crate::outcome::Outcome;

/// What of a file is remembered.
#[derive(Default)]
pub(super) struct Disk {
    /// Whether the session has begun.
    begun: bool,
    /// Whether it is a version that says when a turn is over.
    ends: bool,
    /// Whether the turn has failed.
    failed: bool,
    model: Option<Text<'static>>,
    /// The thread's counts so far.
    counted: Tokens,
}

impl Disk {
    /// States what a record of a file says.
    pub(super) fn facts<'a>(
        &mut self,
        record: &Object<'a>,
        payload: &Object<'a>,
        out: &mut Statement<'a>,
    ) {
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("session_meta") if !self.begun => {
                self.begun = true;
                out.session = payload.text("id");
                out.push(Fact::Start(Start {
                    agent_version: payload.text("cli_version"),
                    model: None,
                    folder: payload.text("cwd"),
                }));
            }
            Some("turn_context") => {
                self.model = payload.text("model").map(Text::into_owned);
                out.facts.extend(self.model.clone().map(Fact::Model));
            }
            Some("response_item") => self.item(payload, out),
            Some("event_msg") => self.event(payload, out),
            Some("token_usage_record") => self.response(payload, out),
            _ => {}
        }
        if out.facts.is_empty() {
            out.push(Fact::known(payload.text("type").or(kind)));
        }
    }

    fn item<'a>(&self, item: &Object<'a>, out: &mut Statement<'a>) {
        match item.word("type").as_deref() {
            Some(b"message") if item.is("role", "assistant") => {
                out.facts.extend(said(item, "content").map(Fact::Message));
                if item.is("phase", "commentary") {
                    out.push(Fact::Step);
                } else if !self.ends {
                    out.push(Fact::Rest);
                }
            }
            Some(b"reasoning") => out.facts.extend(said(item, "summary").map(Fact::Reasoning)),
            Some(b"function_call" | b"custom_tool_call" | b"local_shell_call") => {
                out.push(Fact::Call(call(item)));
            }
            Some(b"function_call_output" | b"custom_tool_call_output") => {
                out.push(Fact::Result(result(item)));
            }
            _ => {}
        }
    }

    fn event<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        match event.word("type").as_deref() {
            Some(b"task_started" | b"turn_started") => {
                (self.ends, self.failed) = (true, false);
                out.push(Fact::Turn);
            }
            Some(b"user_message") => out
                .facts
                .extend(event.text("message").map(User::prompt).map(Fact::User)),
            Some(b"item_completed") => {
                let item = event.object("item");
                let item = item.filter(|item| item.is("type", "UserMessage"));
                let text = item.and_then(|item| usual::text(item.get("content")?));
                out.facts.extend(text.map(User::prompt).map(Fact::User));
            }
            Some(b"token_count") => self.thread(event, out),
            Some(b"stream_error") => out.push(Fact::Retry(super::problem(event, false))),
            Some(b"error") => {
                self.failed = true;
                out.push(Fact::Error(super::problem(event, true)));
            }
            Some(b"turn_aborted") => {
                let message = event.text("reason").unwrap_or_default();
                let class = class::of(&message, None);
                let class = if class == Outcome::Failed {
                    Outcome::Cancelled
                } else {
                    class
                };
                out.push(Fact::End(End::of_turn(Some(Problem::fatal(
                    class, message,
                )))));
            }
            Some(b"task_complete" | b"turn_complete") => {
                let time = Duration::of_turn(event, "duration_ms");
                out.facts.extend(time.map(Fact::Duration));
                let error = event.object("error");
                let error = error.map(|error| super::problem(&error, true));
                // Without an answer the error before it was the end.
                let failed = self.failed && event.text("last_agent_message").is_none();
                out.push(Fact::End(End {
                    success: error.is_none() && !failed,
                    ..End::of_turn(error)
                }));
            }
            _ => {}
        }
    }

    /// The counts of one response.
    fn response<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if let Some(thread) = record.object("thread_token_usage") {
            self.counted = tokens(&thread);
        }
        if let (Some(id), Some(usage)) = (record.text("response_id"), record.object("usage")) {
            out.push(Fact::usage(
                Scope::Once(id),
                self.model.clone(),
                tokens(&usage),
            ));
        }
    }

    /// The counts of the thread, of which those are told that no record of a response had. They are repeated.
    fn thread<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        let info = event.object("info");
        let Some(total) = info.and_then(|info| info.object("total_token_usage")) else {
            return;
        };
        let total = tokens(&total);
        let before = std::mem::replace(&mut self.counted, total);
        // What is counted anew begins at nothing.
        let anew = total.total < before.total;
        let added = since(total, if anew { Tokens::default() } else { before });
        if added.input != Some(0) || added.output != Some(0) {
            out.push(Fact::usage(Scope::Request(None), self.model.clone(), added));
        }
    }
}

/// What was added to the counts of a thread.
fn since(now: Tokens, before: Tokens) -> Tokens {
    let less =
        |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before.unwrap_or(0)));
    Tokens {
        input: less(now.input, before.input),
        cached: less(now.cached, before.cached),
        output: less(now.output, before.output),
        reasoning: less(now.reasoning, before.reasoning),
        total: less(now.total, before.total),
        ..Tokens::default()
    }
}

fn said<'a>(item: &Object<'a>, member: &str) -> Option<Message<'a>> {
    let text = usual::text(item.get(member)?)?;
    (!text.is_empty()).then_some(Message {
        id: item.text("id"),
        text,
        form: Form::Whole,
    })
}

fn call<'a>(item: &Object<'a>) -> Call<'a> {
    let mut call = usual::call(item, item.text("call_id").unwrap_or_default());
    if let Some(patch) = patch_in(Value::new(call.parameters.as_bytes())) {
        call.writes = patch::writes(&patch);
        call.path = call.writes.first().map(|write| write.path.clone());
    }
    call
}

/// The patch that a call's parameters are, or have in a member or among the words of a command.
fn patch_in(parameters: Value<'_>) -> Option<Text<'static>> {
    let members = ["input", "patch", "command"].map(|name| parameters.get(name));
    let given = std::iter::once(parameters).chain(members.into_iter().flatten());
    let mut texts = given.flat_map(|given| std::iter::once(given).chain(given.elements()));
    let is_patch = |text: &Text<'_>| text.starts_with(&Text::from("*** Begin Patch"));
    texts.find_map(|text| text.text().filter(is_patch).map(Text::into_owned))
}

/// How a command ended is told by the head of what the model is shown of it, or (until 0.50) by JSON in its place.
fn result<'a>(item: &Object<'a>) -> ToolResult<'a> {
    let mut result = usual::result(item, item.text("call_id").unwrap_or_default());
    let output = result.output.take().unwrap_or_default();
    let is_json =
        output.as_bytes().first() == Some(&b'{') && crate::json::is_json(output.as_bytes());
    let inner = Value::new(if is_json { output.as_bytes() } else { b"null" });
    let told = inner.pointer("/metadata/exit_code").and_then(Value::as_i64);
    let text = output.to_string_lossy();
    let (head, _) = text.split_once("Output:").unwrap_or((&text, ""));
    let labels = ["Process exited with code ", "Exit code: "];
    let mut codes = labels.iter().map(|label| blocks::exit_code(head, label));
    result.exit_code = told.or_else(|| codes.find_map(|code| code));
    if text.contains("rejected by user") && result.exit_code.is_none() {
        result.status = ToolStatus::Denied;
    } else if result.exit_code.is_some_and(|code| code != 0) {
        result.status = ToolStatus::Error;
    }
    let shown = inner
        .get("output")
        .and_then(Value::text)
        .map(Text::into_owned);
    let shown = shown.filter(|_| told.is_some());
    result.output = Some(shown.unwrap_or_else(|| output.into_owned()));
    result
}
