//! The dialect of opencode, `opencode run --format json` (seen in 1.18.33).
//!
//! Records `{"type","timestamp","sessionID","part"|"error"}`, printed when a part of a message is complete: `step_start`, `text`,
//! `reasoning`, `tool_use` (call and result in one), `step_finish`, `error`. The time stamp is in milliseconds. There is neither a
//! first nor a terminal record but `error`, no model and no prompt: the reason of a `step_finish` tells whether the agent goes
//! on; one without a reason may be the last. Newer versions add `done`. What subagents do is not printed. A text may come behind the call that the model made after it, so
//! that the last text is told by the step that it is of.

use super::{Dialect, Entry, Strength, class, lines, patch};
use crate::fact::{
    Call, Code, Duration, End, Fact, Form, Message, Operation, Problem, Scope, Statement, Tokens,
    ToolResult, ToolStatus, Usage, Write,
};
use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};
use crate::outcome::Outcome;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "opencode",
    recognise,
    is_possible: |record| recognise(record) > Strength::No,
    names: &[Name::new("sessionID")],
    marks: &[Name::new("sessionID")],
    dialect: || Box::new(Opencode::default()),
};

fn recognise(record: &Object<'_>) -> Strength {
    let is = |name, kind| record.get(name).is_some_and(|value| value.kind() == kind);
    if !is("type", Kind::String) || !is("timestamp", Kind::Number) {
        return Strength::No;
    }
    match record.text("sessionID") {
        Some(id) if id.as_bytes().starts_with(b"ses_") => Strength::Certain,
        Some(_) if is("part", Kind::Object) => Strength::Likely,
        Some(_) => Strength::Possible,
        None => Strength::No,
    }
}

/// Reads opencode's records.
#[derive(Default)]
struct Opencode {
    /// The session and the time of its first record.
    began: Option<(Text<'static>, u64)>,
    /// The session that ended last, so that `done` need not end it again and a step behind that is one of another turn.
    ended: Option<Text<'static>>,
    /// Whether an error was stated behind the last step.
    failed: bool,
    /// Whether a tool was called in the step: the agent goes on behind it, though some providers say `stop`.
    called: bool,
}

impl Dialect for Opencode {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("sessionID");
        out.timestamp = record.get("timestamp");
        let kind = record.text("type");
        let part = record.object("part");
        let has_ended = self.ended.is_some() && self.ended == out.session;
        let known = match (kind.as_ref().and_then(Text::as_str), &part) {
            (Some("step_start"), _) => {
                (self.failed, self.called) = (false, false);
                // Another run resumes the session, or the agent goes on behind a summary of it.
                Some(match self.ended.take_if(|_| has_ended) {
                    Some(_) => Fact::Turn,
                    None => Fact::known(kind.clone()),
                })
            }
            (Some("text"), Some(part)) => Some(Fact::Message(message(part))),
            (Some("reasoning"), Some(part)) => Some(Fact::Reasoning(message(part))),
            (Some("tool_use"), Some(part)) => {
                self.called = true;
                Some(Fact::Result(tool(part)))
            }
            (Some("step_finish"), Some(part)) => {
                out.push(usage(part));
                let (end, may_be_last) = match end(part) {
                    Some(end) if end.success && self.called => (None, true),
                    end => (end, !part.has("reason")),
                };
                if end.is_some() {
                    self.end(out);
                } else {
                    out.push(Fact::Step);
                }
                if may_be_last {
                    out.push(Fact::Rest);
                }
                Some(end.map_or_else(|| Fact::known(kind.clone()), Fact::End))
            }
            (Some("error"), _) => {
                self.failed = true;
                record.get("error").map(|error| {
                    self.end(out);
                    out.push(Fact::Error(problem(error)));
                    Fact::End(End::default())
                })
            }
            (Some("done"), _) if has_ended => Some(Fact::known(kind.clone())),
            (Some("done"), _) => Some(Fact::End(End {
                success: !self.failed,
                ..End::default()
            })),
            _ => None,
        };
        if let Some(ms) = self.duration(record) {
            out.push(Fact::Duration(Duration { ms, turn: false }));
        }
        out.push(known.unwrap_or(Fact::unknown(kind)));
    }
}

impl Opencode {
    fn end(&mut self, out: &Statement<'_>) {
        self.ended = out.session.clone().map(Text::into_owned);
    }

    /// The time since the first record of the session.
    fn duration(&mut self, record: &Object<'_>) -> Option<u64> {
        let (id, now) = (record.text("sessionID")?, record.u64("timestamp")?);
        match &self.began {
            Some((session, began)) if *session == id => Some(now.saturating_sub(*began)),
            _ => {
                self.began = Some((id.into_owned(), now));
                None
            }
        }
    }
}

fn message<'a>(part: &Object<'a>) -> Message<'a> {
    Message {
        id: part.text("id"),
        text: part.text("text").unwrap_or_default(),
        form: Form::Whole,
    }
}

/// The tokens of one request: `input` is without those from a cache, and `output` without reasoning, but that of early
/// versions with it. These have no total, or one that reasoning adds nothing to.
fn usage<'a>(part: &Object<'a>) -> Fact<'a> {
    let cost_usd = part.get("cost").and_then(Value::as_f64);
    let counts = part.object("tokens").map(|tokens| {
        let cache = |name| tokens.get("cache")?.get(name)?.as_u64();
        let (read, reasoning) = (cache("read"), tokens.u64("reasoning"));
        let with =
            |count: Option<u64>, more: Option<u64>| Some(count?.saturating_add(more.unwrap_or(0)));
        let input = with(with(tokens.u64("input"), read), cache("write"));
        let (output, total) = (tokens.u64("output"), tokens.u64("total"));
        let is_apart = total.is_some() && total != with(input, output);
        Tokens {
            input,
            cached: read,
            output: with(output, reasoning.filter(|_| is_apart)),
            reasoning,
            total,
            ..Tokens::default()
        }
    });
    let tokens = counts.unwrap_or_default().with_total();
    Fact::Usage(Usage {
        scope: Scope::Request(None),
        model: None,
        tokens: Tokens { cost_usd, ..tokens },
    })
}

/// Whether the agent is done, by the reason for which the model stopped.
fn end<'a>(part: &Object<'a>) -> Option<End<'a>> {
    let reason = part.text("reason")?;
    let class = match reason.as_str()? {
        "stop" | "other" => {
            return Some(End {
                success: true,
                ..End::default()
            });
        }
        "length" => Outcome::Turns,
        "content-filter" => Outcome::Blocked,
        "error" => Outcome::Failed,
        // `tool-calls`, and `unknown`, behind which the agent asks again.
        _ => return None,
    };
    Some(End {
        error: Some(Problem {
            class,
            message: reason,
            code: None,
            fatal: true,
        }),
        ..End::default()
    })
}

/// `{"name","data":{"message","statusCode"}}`; the message may be missing. What the server makes of a request that it rejects
/// has no name: `{"data","errors","success"}`.
fn problem(error: Value<'_>) -> Problem<'_> {
    let data = error.get("data");
    let status = data.and_then(|data| data.get("statusCode"));
    let code = status.and_then(Code::of);
    let message = words(data.and_then(|data| data.get("message")))
        .or_else(|| words(error.get("message")))
        .or_else(|| words(Some(error)));
    let named = words(error.get("name"));
    let name = named.clone().unwrap_or_else(|| Text::of_json(error));
    let class = match name.as_str() {
        Some("MessageAbortedError") => Outcome::Cancelled,
        Some("ProviderAuthError") => Outcome::Auth,
        Some("MessageOutputLengthError") => Outcome::Turns,
        Some("ContextOverflowError" | "ProviderModelNotFoundError") => Outcome::Input,
        _ => class::of(
            message.as_ref().unwrap_or(&name),
            code.as_ref().and_then(Code::number),
        ),
    };
    Problem {
        class,
        message: message.unwrap_or_else(|| name.clone()),
        code: code.or(named.map(Code::Word)),
        fatal: true,
    }
}

/// A text that says something.
fn words(value: Option<Value<'_>>) -> Option<Text<'_>> {
    value?.text().filter(|text| !text.is_empty())
}

fn tool<'a>(part: &Object<'a>) -> ToolResult<'a> {
    let state = part.object("state");
    let in_state = |name| state.as_ref().and_then(|state| state.get(name));
    let error = in_state("error").and_then(Value::text);
    let status = match &error {
        _ if in_state("status").is_some_and(|status| status.is("completed")) => ToolStatus::Success,
        Some(error) if is_denial(error) => ToolStatus::Denied,
        _ => ToolStatus::Error,
    };
    let time = |name| in_state("time")?.get(name)?.as_u64();
    let metadata = in_state("metadata");
    let call = call(part, in_state("input"), metadata);
    ToolResult {
        id: call.id.clone(),
        status,
        output: in_state("output").and_then(Value::text),
        error,
        exit_code: metadata.and_then(|metadata| metadata.get("exit")?.as_i64()),
        duration_ms: time("end")
            .zip(time("start"))
            .map(|(end, start)| end.saturating_sub(start)),
        writes: Vec::new(),
        call: Some(Box::new(call)),
    }
}

/// A user, or for want of one the run itself, said no, or a rule did.
fn is_denial(error: &Text<'_>) -> bool {
    let error = error.to_string_lossy();
    error.contains("rejected permission") || error.contains("rule which prevents you from using")
}

fn call<'a>(part: &Object<'a>, input: Option<Value<'a>>, metadata: Option<Value<'a>>) -> Call<'a> {
    let name = part.text("tool").unwrap_or_default();
    let path = ["filePath", "path"]
        .iter()
        .find_map(|name| input?.get(name)?.text());
    let writes = input
        .map(|input| writes(&name, path.clone(), input, metadata))
        .unwrap_or_default();
    Call {
        id: part.text("callID").unwrap_or_default(),
        path: path.or_else(|| writes.first().map(|write| write.path.clone())),
        name,
        parameters: input.map_or_else(|| Text::from("{}"), Text::of_json),
        writes,
    }
}

/// The files that a call writes. Its metadata say most about them.
fn writes<'a>(
    tool: &Text<'a>,
    path: Option<Text<'a>>,
    input: Value<'a>,
    metadata: Option<Value<'a>>,
) -> Vec<Write<'a>> {
    let in_metadata = |name| metadata.and_then(|metadata| metadata.get(name));
    match (tool.as_str(), path) {
        (Some("write"), Some(path)) => {
            let existed = in_metadata("exists").and_then(Value::as_bool);
            let content = input.get("content").and_then(Value::text);
            let create = existed == Some(false);
            vec![Write {
                path: in_metadata("filepath")
                    .and_then(Value::text)
                    .unwrap_or(path),
                operation: existed.map(|existed| {
                    if existed {
                        Operation::Update
                    } else {
                        Operation::Create
                    }
                }),
                lines_added: content
                    .filter(|_| create)
                    .map(|content| lines::count(&content)),
                lines_removed: create.then_some(0),
            }]
        }
        (Some("edit" | "multiedit"), Some(path)) => {
            let create = input.get("oldString").is_some_and(|old| old.is(""));
            let diff = in_metadata("diff").and_then(Value::text);
            let counts = diff.map(|diff| lines::of_diff(&diff));
            let operation = if create {
                Operation::Create
            } else {
                Operation::Update
            };
            vec![Write::new(path, Some(operation), counts)]
        }
        (Some("patch" | "apply_patch"), _) => match in_metadata("files") {
            Some(files) => files.elements().flat_map(patched).collect(),
            None => input
                .get("patchText")
                .and_then(Value::text)
                .map(|text| patch::writes(&text))
                .unwrap_or_default(),
        },
        _ => Vec::new(),
    }
}

/// One file of a patch: `{"filePath","type":"add|update|delete|move","movePath","additions","deletions"}` (from its source).
fn patched(file: Value<'_>) -> Vec<Write<'_>> {
    let text = |name| file.get(name).and_then(Value::text);
    let Some(path) = text("filePath") else {
        return Vec::new();
    };
    let write = |path, operation| Write {
        path,
        operation,
        lines_added: file.get("additions").and_then(Value::as_u64),
        lines_removed: file.get("deletions").and_then(Value::as_u64),
    };
    let kind = text("type");
    match (kind.as_ref().and_then(Text::as_str), text("movePath")) {
        (Some("move"), Some(new)) => vec![
            Write::new(path, Some(Operation::Delete), None),
            write(new, Some(Operation::Create)),
        ],
        (Some("add"), _) => vec![write(path, Some(Operation::Create))],
        (Some("update"), _) => vec![write(path, Some(Operation::Update))],
        (Some("delete"), _) => vec![write(path, Some(Operation::Delete))],
        _ => vec![write(path, None)],
    }
}

#[cfg(test)]
mod tests;
