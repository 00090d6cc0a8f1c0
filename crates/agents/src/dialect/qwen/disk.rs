//! Session files of Qwen Code, `~/.qwen/projects/DIR/chats/ID.jsonl` (seen in 0.24.4).
//!
//! `{"uuid","parentUuid","sessionId","type":"user|assistant|tool_result|system","message":{"role","parts":[…]}}`, with
//! the parts of the Gemini API. Errors of the API are in the agent's telemetry.

use super::{Qwen, WRITERS};
use crate::dialect::disk::written;
use crate::dialect::prelude::*;

impl Qwen {
    /// States the facts of a record of a file; returns whether it is one.
    pub(super) fn of_file<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let message = record.inner("message");
        let payload = record.object("systemPayload");
        if !message.has("parts") && payload.is_none() {
            return false;
        }
        out.session = record.text("sessionId");
        if !std::mem::replace(&mut self.begun, true) {
            out.push(usual::start(record, "version"));
        }
        if let Some(payload) = payload {
            telemetry(&payload, out);
        }
        let is_model = record.is("type", "assistant");
        let before = out.facts.len();
        for part in message.objects("parts") {
            self::part(record, &part, is_model, out);
        }
        if is_model {
            usage(record, out);
            let calls = |fact: &Fact<'_>| matches!(fact, Fact::Call(_));
            let said = |fact: &Fact<'_>| matches!(fact, Fact::Message(_));
            let facts = || out.facts.iter().skip(before);
            if facts().any(said) && !facts().any(calls) {
                out.push(Fact::Rest);
            }
        }
        out.or_known(record.text("subtype"));
        true
    }
}

fn part<'a>(record: &Object<'a>, part: &Object<'a>, is_model: bool, out: &mut Statement<'a>) {
    if let Some(text) = part.text("text") {
        let thought = usual::is_set(part, "thought");
        out.push(match (is_model, thought) {
            (true, true) => Fact::thought(text),
            (true, false) => Fact::said(text),
            (false, _) => Fact::given(record.is("type", "user"), text),
        });
    }
    if let Some(call) = part.object("functionCall") {
        let stated = usual::own_call(&call);
        let args = call.object("args");
        out.push(Fact::Call(usual::writing(stated, args.as_ref(), WRITERS)));
    }
    if let Some(response) = part.object("functionResponse") {
        let id = response.text("id").unwrap_or_default();
        let given = response.object("response");
        let mut result = usual::result(given.as_ref().unwrap_or(&response), id);
        let reported = record.object("toolCallResult");
        match reported {
            Some(reported) if reported.is("status", "error") => result.status = ToolStatus::Error,
            Some(reported) => {
                let written = written(&reported, result.output.as_ref());
                result.writes.extend(written);
            }
            None => {}
        }
        out.push(Fact::Result(result));
    }
}

/// States a failed request in the telemetry; failures of the agent's own side tasks are not the session's.
fn telemetry<'a>(payload: &Object<'a>, out: &mut Statement<'a>) {
    let event = payload.inner("uiEvent");
    if event.is("event.name", "qwen-code.api_error") && !event.has("subagent_name") {
        let code = event.get("status_code").and_then(Code::of);
        let message = event.text("error_message").unwrap_or_default();
        out.push(Fact::Error(usual::problem(message, code)));
    }
}

/// States the counts of one response: like the stream's, the output includes thoughts.
fn usage<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let model = record.text("model");
    out.extend(model.clone().map(Fact::Model));
    let Some(counts) = record.object("usageMetadata") else {
        return;
    };
    let id = record.text("uuid");
    let scope = id.map_or(Scope::Request(None), Scope::Once);
    out.push(Fact::usage(scope, model, usual::tokens(&counts)));
}
