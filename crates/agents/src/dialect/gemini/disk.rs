//! Session files of Gemini CLI, `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl` (seen in 0.61.0).
//!
//! A header with `projectHash`, patches of it (`$set`), and messages. A message that called a tool is written again
//! under the same id, with its `toolCalls`, and a patch may contain all messages again. Older versions write one object
//! with all messages in `messages`. The answer is the last message that calls no tool.

use super::{Gemini, counts};
use crate::dialect::disk::written;
use crate::dialect::prelude::*;

/// The start of the message that the agent itself opens a session with, in the user's name.
const CONTEXT: &str = "<session_context>";

impl Gemini {
    /// States the facts of a record of a file; returns whether it is one.
    pub(super) fn of_file<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let patch = record.object("$set");
        if record.has("projectHash") {
            out.session = record.text("sessionId");
            let id = out.session.as_ref();
            let is_new = id.is_none_or(|id| self.seen.is_new(id));
            out.extend(is_new.then(|| Fact::Start(Start::default())));
        } else if record.is("type", "gemini")
            || record.get("content").is_some_and(|it| !it.is_null()) && !record.has("role")
        {
            // Only messages on disk have a content without a role.
            self.message(record, out);
        } else if record.has("$rewindTo") {
            out.push(Fact::TakeBack);
        } else if patch.is_none() {
            return false;
        }
        for message in patch.as_ref().unwrap_or(record).objects("messages") {
            self.message(&message, out);
        }
        out.or_known(record.text("type"));
        true
    }

    fn message<'a>(&mut self, message: &Object<'a>, out: &mut Statement<'a>) {
        let text = usual::text_in(message, "content").unwrap_or_default();
        let id = message.text("id");
        let is_new = id.as_ref().is_none_or(|id| self.seen.is_new(id));
        match message.word("type").as_deref() {
            Some(b"gemini") => self.said(message, text, is_new, out),
            Some(b"user") if is_new && !text.is_empty() => {
                out.push(Fact::given(!text.starts_with(CONTEXT), text));
            }
            Some(b"error") if is_new => out.push(Fact::Error(usual::problem(text, None))),
            _ => {}
        }
    }

    fn said<'a>(
        &mut self,
        message: &Object<'a>,
        text: Text<'a>,
        is_new: bool,
        out: &mut Statement<'a>,
    ) {
        let id = message.text("id");
        let last = self.last.as_ref();
        let last = last.filter(|(last, _)| Some(last) == id.as_ref());
        if !is_new && last.is_none() {
            return;
        }
        let model = message.text("model");
        out.extend(model.clone().map(Fact::Model));
        let is_changed = last.is_none_or(|(_, before)| *before != text);
        if is_changed {
            if last.is_some() {
                out.push(Fact::BreakOff);
            }
            let form = Form::of(id.is_some());
            out.push(Fact::Message(Message::new(id.clone(), text.clone(), form)));
        }
        if let Some(tokens) = message.object("tokens") {
            let counts = counts(&tokens, "input", "output");
            out.push(Fact::usage(Scope::Request(id.clone()), model, counts));
        }
        for call in message.objects("toolCalls") {
            if call.text("id").is_none_or(|id| self.seen.is_new(&id)) {
                out.push(Fact::Result(called(&call)));
            }
        }
        if is_changed && !message.has("toolCalls") && !text.is_blank() {
            out.push(Fact::Rest);
        }
        self.last = id.map(|id| (id.into_owned(), text.into_owned()));
    }
}

/// Returns the result of a call, with the call.
fn called<'a>(record: &Object<'a>) -> ToolResult<'a> {
    let call = usual::own_call(record);
    let responses = record.get("result").into_iter().flat_map(Value::elements);
    let response = |name: &str| {
        let of = |one: Value<'a>| one.pointer("/functionResponse/response")?.get(name)?.text();
        responses.clone().find_map(of)
    };
    let output = response("output");
    ToolResult {
        writes: written(record, output.as_ref()).into_iter().collect(),
        output,
        error: response("error"),
        ..ToolResult::of_call(call, ToolStatus::of(!record.is("status", "success"), false))
    }
}
