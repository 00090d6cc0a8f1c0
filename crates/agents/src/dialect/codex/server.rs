//! `codex app-server`, from its documentation: notifications `{"method","params"}`, most without `jsonrpc`.
//!
//! The items are those of `codex exec`, in camel case. An agent's message comes in pieces, and as a whole when its item
//! is completed. A thread that was started by another one has turns of its own, which do not end the run.
//! `thread/tokenUsage/updated` counts the whole thread so far; an `error` with `willRetry` is a retry.
//!
//! The first version, and `codex mcp-server`, put messages of the [early form](super::legacy) into their notifications:
//! `{"method":"codex/event","params":{"id","msg":{"type"}}}`.

use super::{Codex, item_id, problem, retry, usage_of};
use crate::dialect::prelude::*;

/// The types of items, and the `codex exec` types as which they are read.
const TYPES: [(&str, &str); 6] = [
    ("agentMessage", "agent_message"),
    ("commandExecution", "command_execution"),
    ("fileChange", "file_change"),
    ("mcpToolCall", "mcp_tool_call"),
    ("webSearch", "web_search"),
    ("collabAgentToolCall", "collab_tool_call"),
];

/// Returns the type of an item as `codex exec` writes it.
pub(super) fn plain(kind: Text<'_>) -> Text<'_> {
    let row = TYPES.iter().find(|(camel, _)| kind == *camel);
    row.map_or(kind, |(_, plain)| Text::from(*plain))
}

impl Codex {
    /// States the thread that the response to `thread/start` or `thread/resume` names: the main one.
    pub(super) fn response<'a>(&mut self, result: &Object<'a>, out: &mut Statement<'a>) {
        self.thread(result, out);
        out.push(Fact::known(None));
    }

    pub(super) fn notification<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let method = record.text("method");
        let Some(params) = record.object("params") else {
            return out.push(Fact::known(method));
        };
        self.thread(&params, out);
        if params.has("msg") {
            out.session = out.session.take().or_else(|| params.text("conversationId"));
            return self.message(&params, out);
        }
        match method.as_ref().and_then(Text::as_str) {
            Some("thread/started") if out.parent.is_none() => {
                let thread = params.inner("thread");
                out.push(Fact::Start(Start {
                    model: params.text("model"),
                    agent_version: thread.text("cliVersion"),
                    folder: thread.text("cwd"),
                }));
            }
            Some("turn/started") if out.parent.is_none() => out.push(Fact::Turn),
            Some("item/started") => self.of(&params, "item.started", out),
            Some("item/completed") => self.of(&params, "item.completed", out),
            Some("item/agentMessage/delta") => {
                let (id, text) = (params.text("itemId"), params.text("delta"));
                let channel = match id.is_some() && id == self.comment {
                    true => Channel::Commentary,
                    false => Channel::Answer,
                };
                let piece = Message::new(id, text.unwrap_or_default(), Form::Delta);
                out.push(Fact::Message(piece.on(channel)));
            }
            Some("thread/tokenUsage/updated") if out.parent.is_none() => {
                let total = params.inner("tokenUsage").object("total");
                out.extend(total.map(|total| usage_of(&total, Scope::Session)));
            }
            Some("error") => out.extend(error(&params)),
            Some("turn/completed" | "turn/failed" | "turn/cancelled" | "turn/canceled")
                if out.parent.is_none() =>
            {
                let turn = params.object("turn");
                let is_pending = |turn: &Object<'_>| {
                    let status = turn.text("status");
                    status.is_some_and(|status| usual::is_pending(&status))
                };
                let turn = turn.filter(|turn| !is_pending(turn));
                out.extend(turn.map(|turn| end(&turn, &params, method.as_ref())));
            }
            _ => {}
        }
        out.or_known(method);
    }

    /// Sets the session or, for a notification of a thread that works for the main one, the parent.
    fn thread<'a>(&mut self, params: &Object<'a>, out: &mut Statement<'a>) {
        let id = params.text("threadId");
        let Some(id) = id.or_else(|| params.object("thread")?.text("id")) else {
            return;
        };
        let main = self.thread.get_or_insert_with(|| id.clone().into_owned());
        match *main == id {
            true => out.session = Some(id),
            false => out.parent = Some(id),
        }
    }

    fn of<'a>(&mut self, params: &Object<'a>, record: &str, out: &mut Statement<'a>) {
        let Some(item) = params.object("item") else {
            return;
        };
        let completed = record == "item.completed";
        if !completed && Channel::of(&item) == Channel::Commentary {
            self.comment = Some(item_id(&item).into_owned());
        }
        let kind = item.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("userMessage") if completed => {
                let text = usual::text_in(&item, "content");
                let prompt = out.parent.is_none();
                out.extend(text.map(|text| Fact::given(prompt, text)));
            }
            Some("reasoning") if completed => {
                let said = ["summary", "content"].map(|name| item.get(name));
                let all = said.into_iter().flatten().flat_map(Value::elements);
                let text = blocks::joined(all.filter_map(Value::text));
                if !text.is_empty() {
                    let thought = Message::new(Some(item_id(&item)), text, Form::Whole);
                    out.push(Fact::Reasoning(thought));
                }
            }
            Some("userMessage" | "reasoning" | "contextCompaction" | "plan") => {}
            _ => self.item(record, &item, out),
        }
    }
}

/// Returns the error or the retry that a notification states.
fn error<'a>(params: &Object<'a>) -> Option<Fact<'a>> {
    let again = usual::is_set(params, "willRetry");
    let error = params.object("error")?;
    Some(match again {
        true => retry(problem(&error)),
        false => Fact::Error(problem(&error)),
    })
}

/// Returns how a turn ended, which its status says, and the method's name too if there is one for each way.
fn end<'a>(turn: &Object<'a>, params: &Object<'a>, method: Option<&Text<'a>>) -> Fact<'a> {
    let error = turn.object("error").or_else(|| params.object("error"));
    let error = error.map(|error| problem(&error));
    let status = turn.text("status");
    let mut words = status.iter().chain(method);
    let interrupted = words.clone().any(|word| usual::cancelled(word.as_bytes()));
    let failed = words.any(|word| word.as_bytes().ends_with(b"failed"));
    let stopped =
        interrupted.then(|| Problem::fatal(Outcome::Cancelled, status.clone().unwrap_or_default()));
    let stated = status.as_ref().or(method);
    let completed = stated.is_some_and(|it| it.as_bytes().ends_with(b"completed"));
    let success = completed && !interrupted && !failed && error.is_none();
    let is_answer =
        |item: &Object<'_>| item.is("type", "agentMessage") && Channel::of(item) == Channel::Answer;
    let answer = turn.objects("items").filter(is_answer).last();
    let text = answer.and_then(|item| item.text("text"));
    Fact::over(success, stopped.or(error), text.filter(|_| success))
}
