//! Session files of Kimi Code, `~/.kimi-code/sessions/…/wire.jsonl` (seen in 2.1.0).
//!
//! `turn.prompt`, `context.append_loop_event`, `usage.record`, `turn.ended`, and many records that repeat these. They
//! contain the tokens and the reasons that the stream lacks. The files of Kimi CLI have another form:
//! [`wire`](super::wire).

use crate::dialect::prelude::*;

/// The state that is kept between the records of a file.
#[derive(Default)]
pub(super) struct KimiFile {
    wire: super::wire::Wire,
    model: Option<Text<'static>>,
    /// The reason why the last request was stopped.
    stopped: Option<Problem<'static>>,
}

impl KimiFile {
    /// States the facts of a record of a file; returns whether it is one.
    pub(super) fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let kind = record.text("type");
        let word = kind.as_ref().and_then(Text::as_str);
        match (word, record.object("message")) {
            (None, Some(message)) => self.wire.facts(&message, out),
            (None, None) => return self.wire.rpc(record, out),
            (Some("metadata"), _) => out.push(Fact::Start(Start::default())),
            (Some("turn.prompt"), _) => {
                let text = usual::text_in(record, "input");
                out.extend(text.map(Fact::prompt));
            }
            (Some("llm.request"), _) => {
                self.model = record.text("model").map(Text::into_owned);
                out.extend(self.model.clone().map(Fact::Model));
            }
            (Some("context.append_loop_event"), _) => self.step(&record.inner("event"), out),
            (Some("context.append_message"), Some(said)) if said.is("role", "assistant") => {
                out.extend(usual::text_in(&said, "content").map(Fact::said));
            }
            (Some("usage.record"), _) => {
                let tokens = usual::tokens_apart(&record.inner("usage"));
                // The counts of a cancelled request are unknown.
                if tokens.total != Some(0) && tokens.is_known() {
                    let scope = Scope::Request(None);
                    out.push(Fact::usage(scope, self.model.clone(), tokens));
                }
            }
            (Some("turn.step.retrying"), _) => {
                out.push(Fact::Retry(failure(record, "errorMessage")));
            }
            (Some("turn.ended"), _) => self.ended(record, out),
            (Some(_), _) if record.has("agentId") || record.is("kind", "event") => {}
            _ => return false,
        }
        out.or_known(kind);
        true
    }

    /// States an event of the agent's loop.
    fn step<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        let id = event.text("toolCallId").unwrap_or_default();
        match event.word("type").as_deref() {
            Some(b"content.part") => part(&event.inner("part"), out),
            Some(b"tool.call") => out.push(Fact::Call(usual::own_call(event))),
            Some(b"tool.result") => {
                let given = event.object("result");
                let given = given.as_ref().unwrap_or(event);
                out.push(Fact::Result(usual::result(given, id)));
            }
            Some(b"step.end") => {
                let stopped = event.text("finishReason").and_then(usual::stopped);
                // A step that failed is tried again; only the turn says that this failed, too.
                let cut = |it: &Problem<'_>| matches!(it.class, Outcome::Turns | Outcome::Blocked);
                self.stopped = stopped.filter(cut).map(Problem::into_owned);
            }
            _ => {}
        }
    }

    /// States the end of a turn.
    fn ended<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(record.u64("durationMs").map(Fact::TurnTook));
        let reason = record.text("reason").unwrap_or_default();
        let stopped = self.stopped.take();
        let failure = match reason.as_bytes() {
            b"completed" | b"" => stopped,
            b"cancelled" => Some(Problem::fatal(Outcome::Cancelled, reason)),
            _ => Some(usual::problem_of_error_record(record)),
        };
        out.push(Fact::end(failure, None));
    }
}

/// States a piece of a message: text, or a thought.
pub(super) fn part<'a>(part: &Object<'a>, out: &mut Statement<'a>) {
    let thought = part.text("think").map(Fact::thought);
    let text = part.text("text").map(Fact::said);
    out.extend(thought.into_iter().chain(text));
}

/// Returns the failure because of which a request is tried again.
pub(super) fn failure<'a>(record: &Object<'a>, name: &str) -> Problem<'a> {
    let message = record.text(name).unwrap_or_default();
    let codes = names!("status_code statusCode");
    let code = codes.first(record).and_then(Code::of);
    usual::problem(message, code).passing()
}
