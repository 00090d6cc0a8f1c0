//! The dialect of opencode, `opencode run --format json` (seen in 1.18.33; 2.0 from its source,
//! `run/noninteractive.ts`, and from recordings of others).
//!
//! Records `{"type","timestamp","sessionID","part"|"error"}`, printed when a part of a message is complete:
//! `step_start`, `text`, `reasoning`, `tool_use` (call and result in one), `step_finish`, `error`. The time stamp is in
//! milliseconds. There is no first record, no terminal record but `error`, no model and no prompt: the reason of a
//! `step_finish` says whether the agent continues; a step without a reason may be the last. Some versions add `done`.
//! The actions of subagents are not printed. A text may be printed after the call that the model made later, so that
//! the last text is identified by its step.
//!
//! Since 2.0 the last step usually has no `step_finish`: at the end of the run the remaining parts are printed,
//! recognisable by their ids (`prt_…_text-0`). The id of a tool's part is `partID`, its `id` is that of the call, and
//! its metadata are one level deeper; an error is `{"type":"provider.…","message","status"}`; tokens have no total, but
//! `output` does not include reasoning.

mod server;

use memchr::memmem;

use super::Agent;
use crate::change::FILES;
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Opencode>("opencode", SHAPES);

/// Kilo's entry in the registry. Its records are opencode's, except for a mark that identifies Kilo.
pub(crate) const KILO: Entry = Entry {
    name: "kilo",
    shapes: KILO_SHAPES,
    dialect: || {
        Box::new(Opencode {
            kilo: true,
            ..Opencode::default()
        })
    },
    retry: |_| None,
};

/// The shapes of its records.
const SHAPES: &[RecordShape] = &[
    certain("type=text|reasoning|tool_use|step_start|step_finish sessionID^=ses_"),
    certain("type=error sessionID^=ses_ error"),
    likely("type=text|reasoning part.text:string"),
    likely("type=tool_use part.tool:string part.state:object"),
    doubtful("type=tool_use part.tool:string"),
    likely("type=step_finish part.tokens:object"),
    doubtful("type=step_finish part.reason:string"),
    doubtful("type=step_start"),
    likely("type=error error.name:string error.data.message:string"),
    // The events of its server, alone and next to their folder, and an exported session.
    certain("type=message.part.updated properties.part:object"),
    certain("type=message.part.delta properties.partID:string"),
    certain("type=message.updated properties.info.role:string"),
    certain("type=session.created properties.info.directory:string"),
    doubtful("type=server.connected properties:object"),
    likely("type=session.error properties.error:object"),
    doubtful("type=session.status properties.status:object"),
    doubtful("type=session.idle properties.sessionID:string"),
    certain("payload.type=message.part.updated|message.part.delta payload.properties:object"),
    certain("payload.type=message.updated|session.created payload.properties:object"),
    likely("payload.type=session.error payload.properties:object directory"),
    certain("info.id^=ses_ messages:list"),
    likely("info.id^=ses_"),
    certain("info.sessionID^=ses_ parts:array"),
    fits("type properties:object"),
    fits("payload.properties:object payload.type:string"),
    fits("type=error error"),
    fits("type=error message:string"),
    fits("type=done"),
    fits("type part:object"),
    fits("type sessionID:string"),
];

/// The shapes of Kilo's records, if the user names the agent.
const KILO_SHAPES: &[RecordShape] = &[
    believed("type part:object"),
    believed("type=error error"),
    believed("type=done"),
    believed("type sessionID:string"),
];

/// Reads opencode's records, and Kilo's.
#[derive(Default)]
struct Opencode {
    /// The session and the time of its first record.
    began: Option<(Text<'static>, u64)>,
    /// The session that ended last, so that `done` need not end it again, and a step after the end starts another turn.
    ended: Option<Text<'static>>,
    /// Whether an error was stated after the last step.
    failed: bool,
    /// Whether the step called a tool: the agent continues then, although some providers say `stop`.
    called: bool,
    /// Whether the version is 2.0, which a tool's part shows.
    second: bool,
    /// Whether the agent is Kilo, which a step with `metrics` shows.
    kilo: bool,
    /// What is kept of the events of a server.
    server: server::Server,
}

impl Dialect for Opencode {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if self.of_server(record, out) {
            return;
        }
        self.of_run(record, out);
    }

    fn turned_out(&self) -> Option<Agent> {
        self.kilo.then_some(Agent::Kilo)
    }
}

impl Opencode {
    /// States what a record of `opencode run` says.
    fn of_run<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("sessionID");
        let kind = record.text("type");
        let part = record.object("part");
        self.kilo |= part.as_ref().is_some_and(|part| part.has("metrics"));
        let has_ended = self.ended.is_some() && self.ended == out.session;
        let known = match (kind.as_ref().and_then(Text::as_str), &part) {
            (Some("step_start"), _) => {
                (self.failed, self.called) = (false, false);
                // Another run resumes the session, or the agent continues after a summary of it.
                Some(match self.ended.take_if(|_| has_ended) {
                    Some(_) => Fact::Turn,
                    None => Fact::known(kind.clone()),
                })
            }
            (Some("text"), Some(part)) => Some(Fact::Message(message(part))),
            (Some("reasoning"), Some(part)) => Some(Fact::Reasoning(message(part))),
            (Some("tool_use"), Some(part)) => {
                self.called = true;
                self.second = part.has("partID");
                Some(Fact::Result(tool(part)))
            }
            (Some("step_finish"), Some(part)) => {
                out.push(usage(part, self.second));
                let (end, may_be_last) = match end(part) {
                    Some(end) if end.success && self.called => (None, true),
                    end => (end, part.get("reason").and_then(Value::non_null).is_none()),
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
                    Fact::ended(false)
                })
            }
            (Some("done"), _) if has_ended => Some(Fact::known(kind.clone())),
            (Some("done"), _) => Some(Fact::ended(!self.failed)),
            _ => None,
        };
        out.extend(self.duration(record).map(Fact::SessionTook));
        out.push(known.unwrap_or(Fact::unknown(kind)));
        if part.is_some_and(|part| is_late(&part)) {
            out.push(Fact::Rest);
        }
    }

    fn end(&mut self, out: &Statement<'_>) {
        self.ended = out.session.clone().map(Text::into_owned);
    }

    /// Returns the time since the first record of the session, in milliseconds.
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
    let text = part.text("text").unwrap_or_default();
    Message::new(part.text("id"), text, Form::Whole)
}

/// Whether a part is printed at the end because it was not printed before (2.0): `prt_MESSAGE_text-0`.
fn is_late(part: &Object<'_>) -> bool {
    const KINDS: [&[u8]; 3] = [b"_text-", b"_reasoning-", b"_tool-"];
    let id = part.text("partID").or_else(|| part.text("id"));
    id.is_some_and(|id| {
        let mut kinds = KINDS.iter();
        kinds.any(|kind| memmem::find(id.as_bytes(), kind).is_some())
    })
}

/// States the tokens of one request. `input` does not include tokens from a cache, and `output` does not include
/// reasoning, except in early versions: they have no total (like 2.0), or one to which reasoning adds nothing.
fn usage<'a>(part: &Object<'a>, second: bool) -> Fact<'a> {
    let mut tokens = usual::usage(part).unwrap_or_default();
    let states_total = part.inner("tokens").has("total");
    if !states_total && (second || tokens.reasoning > tokens.output) {
        let all = |output: u64| output.saturating_add(tokens.reasoning.unwrap_or(0));
        tokens.output = tokens.output.map(all);
        tokens.total = None;
    }
    Fact::usage(Scope::Request(part.text("id")), None, tokens.with_total())
}

/// Returns the end of the run, if the reason why the model stopped says that the agent is done.
fn end<'a>(part: &Object<'a>) -> Option<End<'a>> {
    let reason = part.text("reason")?;
    let error = usual::stopped(reason.clone());
    // `other` ends a run of opencode, too; after `tool-calls` and `unknown` the agent asks again.
    let success = usual::stopped_by_itself(&reason) || reason == "other";
    (success || error.is_some()).then(|| End {
        success,
        error,
        ..End::default()
    })
}

/// Returns the problem in `{"name","data":{"message","statusCode"}}`; the message may be missing. A request that the
/// server rejects gives an error without a name: `{"data","errors","success"}`. Since 2.0 the form is
/// `{"type","message","status"}`.
fn problem(error: Value<'_>) -> Problem<'_> {
    let data = |name| error.get("data")?.get(name);
    let status = data("statusCode").or_else(|| error.get("status"));
    let message = words(data("message"))
        .or_else(|| words(error.get("message")))
        .or_else(|| words(Some(error)));
    let name = words(error.get("name")).or_else(|| words(error.get("type")));
    let class = name.as_ref().map_or(Outcome::Failed, class_of_name);
    let message = message.or_else(|| name.clone());
    let message = message.unwrap_or_else(|| Text::of_json(error));
    usual::named_problem(message, status.and_then(Code::of), name).or_class(class)
}

/// Returns the class of an error by its name, or by its type since 2.0 (`session/to-session-error.ts`), if that says
/// more than its words do.
fn class_of_name(name: &Text<'_>) -> Outcome {
    match name.as_bytes() {
        b"MessageAbortedError" | b"aborted" => Outcome::Cancelled,
        b"ProviderAuthError" | b"provider.auth" => Outcome::Auth,
        b"MessageOutputLengthError" => Outcome::Turns,
        b"ContextOverflowError" | b"provider.no-route" => Outcome::Input,
        b"provider.transport" | b"provider.internal" => Outcome::Network,
        _ => Outcome::Failed,
    }
}

/// Returns a non-empty text.
fn words(value: Option<Value<'_>>) -> Option<Text<'_>> {
    value?.text().filter(|text| !text.is_empty())
}

fn tool<'a>(part: &Object<'a>) -> ToolResult<'a> {
    let state = part.inner("state");
    let error = state.text("error");
    let status = match (state.get("status"), &error) {
        (None, None) => ToolStatus::Success,
        (Some(status), _) if status.is("completed") => ToolStatus::Success,
        (_, Some(error)) if is_denial(error) => ToolStatus::Denied,
        _ => ToolStatus::Error,
    };
    let time = |name| state.inner("time").u64(name);
    let metadata = state
        .get("metadata")
        .map(|metadata| match part.has("partID") {
            true => metadata.get("metadata").unwrap_or(metadata),
            false => metadata,
        });
    let mut call = call(part, state.get("input"), metadata);
    let output = state.text("output");
    if let (Some(write), Some(output)) = (call.writes.first_mut(), &output) {
        write.operation = write.operation.or_else(|| written(output));
    }
    ToolResult {
        output,
        error,
        exit_code: metadata.and_then(|metadata| metadata.get("exit")?.as_i64()),
        duration_ms: time("start").and_then(|start| Some(time("end")?.saturating_sub(start))),
        ..ToolResult::of_call(call, status)
    }
}

/// Returns what was done to a file, from the report of `write` (2.0).
fn written(output: &Text<'_>) -> Option<Operation> {
    let created = ["Created file successfully: "];
    blocks::operation_of_report(output, &created, "Wrote file successfully: ")
}

/// Whether a user, the run itself in the absence of one, or a rule refused the call.
fn is_denial(error: &Text<'_>) -> bool {
    const DENIALS: [&str; 3] = [
        "rejected permission",
        "rule which prevents you from using",
        "cannot ask the user for permission",
    ];
    let error = error.to_string_lossy();
    error.starts_with("Permission denied: ") || DENIALS.iter().any(|denial| error.contains(denial))
}

fn call<'a>(part: &Object<'a>, input: Option<Value<'a>>, metadata: Option<Value<'a>>) -> Call<'a> {
    let name = part.text("tool").unwrap_or_default();
    let path = input.and_then(|input| FILES.string(&Object::new(input)?));
    let writes = input.map(|input| writes(&name, path.clone(), input, metadata));
    let writes = writes.unwrap_or_default();
    let id = names!("callID id").string(part);
    Call {
        id: id.unwrap_or_default(),
        path: path.or_else(|| writes.first().map(|write| write.path.clone())),
        name,
        parameters: input.map_or_else(|| Text::from("{}"), Text::of_json),
        writes,
    }
}

/// Returns the files that a call writes. Its metadata say most about them.
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
            let written = in_metadata("filepath");
            let create = existed == Some(false);
            let content = input
                .get("content")
                .filter(|_| create)
                .and_then(Value::text);
            vec![Write {
                path: written.and_then(Value::text).unwrap_or(path),
                operation: existed.map(Operation::on),
                lines: LineCounts {
                    added: content.map(|content| lines::count(&content)),
                    removed: create.then_some(0),
                },
            }]
        }
        (Some("edit" | "multiedit"), Some(path)) => {
            let create = input.get("oldString").is_some_and(|old| old.is(""));
            let diff = in_metadata("diff").and_then(Value::text);
            let file = || in_metadata("files")?.elements().next();
            let counts = diff.map(|diff| lines::of_diff(&diff));
            let counts = counts.or_else(|| {
                let count = |name| file()?.get(name)?.as_u64();
                count("additions").zip(count("deletions"))
            });
            vec![Write::new(path, Some(Operation::on(!create)), counts)]
        }
        (Some("patch" | "apply_patch"), _) => {
            let files = in_metadata("files").into_iter().flat_map(Value::elements);
            let files: Vec<_> = files.flat_map(patched).collect();
            if !files.is_empty() {
                return files;
            }
            patch::given(input).map_or_else(Vec::new, |patch| patch::writes(&patch))
        }
        _ => Vec::new(),
    }
}

/// Returns one file of a patch: `{"filePath","type":"add|update|delete|move","movePath","additions","deletions"}` (from
/// its source).
fn patched(file: Value<'_>) -> Vec<Write<'_>> {
    let text = |name| file.get(name).and_then(Value::text);
    let Some(path) = text("filePath") else {
        return Vec::new();
    };
    let write = |path, operation| Write {
        path,
        operation,
        lines: LineCounts {
            added: file.get("additions").and_then(Value::as_u64),
            removed: file.get("deletions").and_then(Value::as_u64),
        },
    };
    let kind = text("type");
    match text("movePath").filter(|_| kind.as_ref().is_some_and(|kind| *kind == "move")) {
        Some(new) => vec![
            Write::new(path, Some(Operation::Delete), None),
            write(new, Some(Operation::Create)),
        ],
        None => vec![write(path, usual::operation(kind))],
    }
}

#[cfg(test)]
mod tests;
