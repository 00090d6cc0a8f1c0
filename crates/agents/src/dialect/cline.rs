//! The dialect of Cline CLI 3, `cline --json` (recorded: 3.0).
//!
//! Records `{"ts","type"}`: `hook_event`, which names the session; `agent_event`, whose `event` says what happens;
//! `run_result` at the end. A `hook_event` may have an `event`, too: a call or its result. Text comes in pieces
//! (`content_start`), then whole (`content_end`). A failed run has its message in the `text` of `run_result`, and once
//! more as `error` on standard error.
//!
//! Cline CLI 2 (from its documentation) and the extensions before it print `{"type":"say","say","text","partial"}`:
//! what is said comes in parts, each of which repeats the text so far, then whole; `completion_result` is the answer
//! and the end, and may repeat the last text. Kilo Code 0 calls the text `content`.
//!
//! The output of a call, or each output in a list, says whether the call succeeded. Input tokens include those of the
//! cache.

use crate::dialect::prelude::*;

mod disk;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Cline>("cline", SHAPES);

/// The shapes of its records.
const SHAPES: &[RecordShape] = &[
    certain("type=hook_event hookEventName:string taskId:string"),
    doubtful("type=hook_event hookEventName:string"),
    fits("type=hook_event event.type:string"),
    certain("type=agent_event event.contentType:string"),
    likely("type=agent_event event.type=iteration_start"),
    likely("type=agent_event event.type=iteration_end"),
    likely("type=agent_event event.type=usage event.inputTokens"),
    likely("type=agent_event event.type=done event.text:string"),
    likely("type=agent_event event.type=error event.error:object"),
    doubtful("type=agent_event event.type:string"),
    certain("type=say say:string text:string"),
    certain("type=say say:string content:string"),
    likely("type=ask ask:string"),
    fits("type=task_started taskId:string"),
    certain("type=run_result finishReason:string aggregateUsage"),
    likely("type=run_result finishReason:string"),
    fits("type ts:string"),
    fits("type=error message:string"),
    certain("messages:array sessionId:string origin:object"),
    certain("messages:array updated_at agent origin.source"),
];

/// Reads Cline's records.
#[derive(Default)]
struct Cline {
    /// The last text of Cline CLI 2.
    said: Option<Text<'static>>,
    /// The answer that the last event of the run states.
    answer: Option<Text<'static>>,
}

impl Dialect for Cline {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if record.has("messages") {
            return disk::facts(record, out);
        }
        out.session = record.text("taskId");
        let kind = record.text("type");
        let subagent = record.get("parentAgentId").and_then(Value::non_null);
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("hook_event")
                if record.is("hookEventName", "agent_start") && subagent.is_none() =>
            {
                Fact::Start(Start::default())
            }
            Some("hook_event") => match record.object("event") {
                Some(event) => of_hook(&event, kind),
                None => Fact::known(kind),
            },
            Some("agent_event") => match record.object("event") {
                Some(event) => {
                    if event.is("type", "done") && subagent.is_none() {
                        self.answer = event.text("text").map(Text::into_owned);
                    }
                    happening(&event)
                }
                None => Fact::unknown(kind),
            },
            Some("run_result") => end(record, self.answer.take(), out),
            Some("say") => self.say(record, out),
            Some("ask") if record.is("ask", "api_req_failed") => {
                Fact::Error(usual::problem_of_error_record(record))
            }
            Some("ask" | "task_started") => Fact::known(kind),
            Some("error") => Fact::Error(usual::problem_of_error_record(record)),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }
}

impl Cline {
    /// Returns the fact of a record of Cline CLI 2. Of the parts of a text only the last one, which is whole, counts.
    fn say<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> Fact<'a> {
        let kind = record.text("say");
        let text = names!("text content").text(record).unwrap_or_default();
        let partial = usual::is_set(record, "partial");
        match kind.as_ref().and_then(Text::as_str) {
            _ if partial => Fact::known(kind),
            Some("task") => Fact::prompt(text),
            Some("text") => {
                self.said = Some(text.clone().into_owned());
                Fact::said(text)
            }
            Some("reasoning") => Fact::thought(text),
            Some("completion_result") => {
                if self.said.take().as_ref() != Some(&text) {
                    out.push(Fact::Step);
                    out.push(Fact::said(text));
                }
                Fact::ended(true)
            }
            Some("error") => Fact::Error(usual::problem_of_error_record(record)),
            _ => Fact::known(kind),
        }
    }
}

/// Returns the fact of an event. The result of the run repeats the last event, `done`, or leaves its answer out.
fn happening<'a>(event: &Object<'a>) -> Fact<'a> {
    let kind = event.text("type");
    let content = event.text("contentType").unwrap_or_default();
    let said = || names!("text reasoning").text(event).unwrap_or_default();
    let word = kind.as_ref().and_then(Text::as_str).unwrap_or_default();
    match (word, content.as_str().unwrap_or_default()) {
        ("content_start", "text") => Fact::Message(Message::piece(said())),
        ("content_end", "text") => Fact::said(said()),
        ("content_start", "reasoning") => Fact::Reasoning(Message::piece(said())),
        ("content_end", "reasoning") => Fact::thought(said()),
        ("content_start", "tool") => Fact::Call(usual::own_call(event)),
        ("content_end", "tool") => Fact::Result(usual::own_result(event)),
        ("usage", _) => Fact::usage(Scope::Request(None), None, usual::tokens(event)),
        ("error", _) => Fact::Error(error(event)),
        ("content_update" | "iteration_start" | "iteration_end" | "done", _) => Fact::known(kind),
        _ => Fact::unknown(kind),
    }
}

/// Returns the fact of the event that a hook is called for: a call or its result.
fn of_hook<'a>(event: &Object<'a>, kind: Option<Text<'a>>) -> Fact<'a> {
    match event.word("type").as_deref() {
        Some(b"tool_call") => Fact::Call(usual::own_call(event)),
        Some(b"tool_result") => Fact::Result(usual::own_result(event)),
        _ => Fact::known(kind),
    }
}

/// Returns an error of the model's provider; an error after which the agent continues is no end.
fn error<'a>(event: &Object<'a>) -> Problem<'a> {
    let class = match event.is("errorClass", "auth") {
        true => Outcome::Auth,
        false => Outcome::Failed,
    };
    Problem {
        fatal: !usual::is_set(event, "recoverable"),
        ..usual::problem_of_error_record(event).or_class(class)
    }
}

/// Returns the end of the run; `answer` is the one that the last event states.
fn end<'a>(
    record: &Object<'a>,
    answer: Option<Text<'static>>,
    out: &mut Statement<'a>,
) -> Fact<'a> {
    out.extend(model(record).map(Fact::Model));
    // One may count less than the other.
    let counts = names!("aggregateUsage usage").objects(record);
    let counts: Vec<_> = counts.map(|counts| usual::tokens(&counts)).collect();
    let whole = counts.iter().find(|counts| counts.output.is_some());
    let counts = whole.or(counts.first()).cloned();
    out.extend(counts.map(|counts| Fact::usage(Scope::Turn, None, counts)));
    out.extend(record.u64("durationMs").map(Fact::TurnTook));
    let text = record.text("text");
    let reason = record.text("finishReason");
    if reason.is_some_and(|reason| usual::means_success(&reason)) {
        return Fact::end(None, text.or(answer));
    }
    // The text of a run that was stopped is the model's.
    let stopped = usual::failure_of_end(record).filter(|stated| stated.class != Outcome::Failed);
    let failed = || usual::problem(text.unwrap_or_default(), None);
    Fact::end(Some(stopped.unwrap_or_else(failed)), None)
}

fn model<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    record.object("model")?.text("id")
}
