//! The dialect of Antigravity's command line, `agy -p --output-format json|stream-json`, from published probes of 1.2;
//! no recording was at hand.
//!
//! - `stream-json`: `{"event":"init"|"step_update"|"result"}`, with the contents of the event in a member of the same
//!   name. A step has an index and a state; its `text_delta` is a piece, also in the step's last record. Counts and
//!   durations are the conversation's, the response is the turn's.
//! - `json`: the contents of a `result`.
//!
//! A run whose tools were not permitted, or that ran out of time, states SUCCESS, but without an answer it is none. The
//! tools are in `denied_actions`, under different names. An end that somebody has shortened may state no status.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Agy>("agy", SHAPES);

/// The shapes of its records and its envelope.
const SHAPES: &[RecordShape] = &[
    certain("event=init init:object conversation_id"),
    likely("event=init init.permission_mode"),
    likely("event=init init.model"),
    doubtful("event=init init:object"),
    certain("event=step_update step_update.step_type:string step_update.state:string"),
    likely("event=step_update step_update.step_type:string"),
    certain("event=result result.status:string result.response:string result.num_turns"),
    likely("event=result result.status:string"),
    doubtful("event=result result.response:string"),
    fits("event=result result:object"),
    fits("event:string conversation_id"),
    certain("conversation_id status:string response num_turns !event"),
    likely("conversation_id status:string response:string !event"),
    likely("conversation_id status=ERROR error:string !event"),
    doubtful("response:string status=SUCCESS usage:object !event"),
    believed("status:string response"),
    believed("status:string error"),
];

/// The message of a success without an answer.
const NO_ANSWER: &str = "SUCCESS without a response";

/// The maximum number of failed calls that are remembered.
const FAILED: usize = 64;

/// Reads Antigravity's records.
#[derive(Default)]
struct Agy {
    /// Whether anything was said in this turn.
    wrote: bool,
    /// Whether the turn has ended: further records belong to another one.
    ended: bool,
    /// The failed calls of the turn, with id and tool.
    failed: Vec<(Text<'static>, String)>,
}

impl Dialect for Agy {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let event = record.text("event");
        let inner = event.as_ref().and_then(Text::as_str);
        let inner = inner.and_then(|name| record.object(name));
        out.session = usual::session(record).or_else(|| usual::session(inner.as_ref()?));
        match (event.as_ref().and_then(Text::as_str), inner) {
            (None, _) => self.result(record, out),
            (Some("init"), inner) => {
                out.push(usual::start(inner.as_ref().unwrap_or(record), "version"));
            }
            (Some("step_update"), Some(step)) => self.step(&step, out),
            (Some("result"), Some(result)) => self.result(&result, out),
            _ => out.push(Fact::unknown(event)),
        }
    }
}

impl Agy {
    fn step<'a>(&mut self, step: &Object<'a>, out: &mut Statement<'a>) {
        if std::mem::take(&mut self.ended) {
            (self.wrote, self.failed) = (false, Vec::new());
        }
        let kind = step.text("step_type");
        let index = step.get("step_index").map(Text::of_json);
        let index = index.unwrap_or_default();
        match kind.as_ref().and_then(Text::as_str) {
            Some("agent_response") => {
                if let Some(text) = step.text("text_delta") {
                    self.wrote |= !text.is_blank();
                    let piece = Message::new(Some(index.clone()), text, Form::Delta);
                    out.push(Fact::Message(piece));
                }
            }
            _ if step.has("tool_info") || step.has("tool_name") => {
                self.tool(step, index.clone(), out);
            }
            _ => out.push(Fact::known(kind)),
        }
        // A run that stops in the middle has no other counts.
        let tokens = usual::usage(step).filter(|tokens| tokens.input.is_some());
        out.extend(tokens.map(|tokens| Fact::usage(Scope::Request(Some(index)), None, tokens)));
        out.or_known(step.text("step_type"));
    }

    fn tool<'a>(&mut self, step: &Object<'a>, index: Text<'a>, out: &mut Statement<'a>) {
        let call = usual::call(step, index.clone());
        let state = step.text("state").unwrap_or_default();
        if is_word(&state, "ACTIVE") {
            return out.push(Fact::Call(call));
        }
        let info = step.inner("tool_info");
        let error = info.text("error").or_else(|| step.text("error"));
        let failed = error.is_some() || is_word(&state, "ERROR");
        let refused = error.as_ref().map(Text::to_string_lossy);
        let refused = refused.is_some_and(|error| error.contains("denied permission"));
        if failed && self.failed.len() < FAILED {
            let tool = plain(&call.name);
            self.failed.push((index.into_owned(), tool));
        }
        out.push(Fact::Result(ToolResult {
            output: info.text("output"),
            error,
            ..ToolResult::of_call(call, ToolStatus::of(failed, refused))
        }));
    }

    fn result<'a>(&mut self, result: &Object<'a>, out: &mut Statement<'a>) {
        for action in result.objects("denied_actions") {
            out.push(Fact::Denial(self.denied(&action)));
        }
        out.extend(usual::counted(result, Scope::Session));
        let seconds = result.get("duration_seconds").and_then(Value::as_f64);
        let ms = seconds.and_then(|seconds| {
            let ms = std::time::Duration::try_from_secs_f64(seconds).ok()?;
            u64::try_from(ms.as_millis()).ok()
        });
        out.extend(ms.map(Fact::SessionTook));
        let structured = usual::structured(result);
        let text = result.text("response").filter(|text| !text.is_blank());
        let text = text.or_else(|| structured.clone());
        out.extend(structured.map(Fact::Structured));
        let answered = text.is_some() || self.wrote;
        let status = result.text("status");
        if status.as_ref().is_some_and(usual::is_pending) {
            return out.or_known(None);
        }
        self.ended = true;
        let silence = match status {
            Some(_) => NO_ANSWER.into(),
            None => Text::EMPTY,
        };
        let failure = match &status {
            Some(status) if !usual::means_success(status) => Some(failure(status, result)),
            _ => usual::failure(result)
                .or_else(|| (!answered).then(|| Problem::fatal(Outcome::Failed, silence))),
        };
        out.push(Fact::end(failure, text));
    }

    /// Returns the call that was not permitted, or the name of the action if no such call is known.
    fn denied<'a>(&mut self, action: &Object<'a>) -> Denial<'a> {
        let names = ["display_name", "action"].map(|name| action.text(name).unwrap_or_default());
        let is_it = |(_, tool): &(Text<'_>, String)| names.iter().any(|name| plain(name) == *tool);
        match self.failed.iter().position(is_it) {
            Some(at) => Denial {
                id: self.failed.remove(at).0,
                tool: Text::EMPTY,
            },
            None => Denial {
                id: Text::EMPTY,
                tool: names!("action display_name")
                    .text(action)
                    .unwrap_or_default(),
            },
        }
    }
}

/// Returns the failure that a status other than SUCCESS means.
fn failure<'a>(status: &Text<'_>, result: &Object<'a>) -> Problem<'a> {
    let reported = usual::problem_of_error_record(result);
    let cancelled = usual::cancelled(status.as_bytes()) || result.is("error", "interrupted");
    let class = match reported.class {
        _ if cancelled => Outcome::Cancelled,
        Outcome::Failed if is_word(status, "INVALID") => Outcome::Input,
        class => class,
    };
    usual::or_stopped(
        Problem::fatal(class, reported.message),
        Some(status.clone()),
    )
}

/// Whether a status is this word, in any case.
fn is_word(status: &Text<'_>, word: &str) -> bool {
    status.as_bytes().eq_ignore_ascii_case(word.as_bytes())
}

/// Returns a tool's name in a form that all spellings share: `write_to_file`, `WriteToFile`.
fn plain(name: &Text<'_>) -> String {
    let letters = name.to_string_lossy();
    let letters = letters.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}
