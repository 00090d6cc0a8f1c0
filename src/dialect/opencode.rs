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
mod tests {
    use crate::dialect::testing;
    use crate::fact::Operation;
    use crate::outcome::Outcome;
    use crate::session::Sessions;

    fn sessions(records: &[(&str, &str)]) -> Sessions {
        testing::sessions((1000..).zip(records).map(|(time, (kind, rest))| {
            format!(r#"{{"type":"{kind}","timestamp":{time},"sessionID":"ses_1",{rest}}}"#)
        }))
    }

    fn finish(reason: &str) -> String {
        format!(
            r#""part":{{"reason":"{reason}","type":"step-finish","tokens":{{"total":1029,"input":901,"output":16,"reasoning":7,"cache":{{"write":5,"read":100}}}},"cost":0.5}}"#
        )
    }

    #[test]
    fn the_reason_of_the_last_step_tells_the_outcome() {
        for (reason, outcome) in [
            ("stop", Outcome::Success),
            ("length", Outcome::Turns),
            ("content-filter", Outcome::Blocked),
            ("tool-calls", Outcome::Truncated),
        ] {
            let all = sessions(&[
                ("step_start", r#""part":{}"#),
                ("step_finish", &finish(reason)),
            ]);
            assert_eq!(all.outcome(), outcome, "{reason}");
        }
    }

    #[test]
    fn an_error_ends_the_session_whatever_ended_it_before() {
        let stop = finish("stop");
        let error =
            r#""error":{"name":"APIError","data":{"message":"Bad Gateway","statusCode":502}}"#;
        let all = sessions(&[("step_finish", &stop), ("error", error)]);
        assert_eq!(all.outcome(), Outcome::Network);
        // Nor does `done` end it once more.
        let done = ("done", r#""reason":"idle","rejected":[]"#);
        assert_eq!(
            sessions(&[("error", error), done]).outcome(),
            Outcome::Network
        );
        // It is a record of a stream: that no file was written is known.
        let all = sessions(&[("error", error)]);
        assert!(all.all()[0].files().is_some());
        let all = sessions(&[
            ("error", error),
            ("step_start", r#""part":{}"#),
            ("step_finish", &stop),
        ]);
        assert_eq!(all.outcome(), Outcome::Success);
    }

    #[test]
    fn an_error_of_another_shape_is_told_as_it_is() {
        for (error, message) in [
            (r#""Model not found: x/y""#, "Model not found: x/y"),
            (
                r#"{"data":{},"success":false}"#,
                r#"{"data":{},"success":false}"#,
            ),
        ] {
            let all = sessions(&[("error", &format!(r#""error":{error}"#))]);
            let errors = all.current().unwrap().errors();
            assert_eq!((errors.len(), &errors[0].message), (1, &message.into()));
            assert!(errors[0].code.is_none());
        }
    }

    #[test]
    fn a_step_that_tells_no_reason_may_be_the_last() {
        let finish = ("step_finish", r#""part":{"type":"step-finish","cost":0.5}"#);
        let text = |text| ("text", text);
        let all = sessions(&[
            text(r#""part":{"id":"1","text":"first"}"#),
            finish,
            text(r#""part":{"id":"2","text":"last"}"#),
        ]);
        assert_eq!(all.outcome(), Outcome::Truncated);
        let all = sessions(&[text(r#""part":{"id":"1","text":"first"}"#), finish]);
        assert_eq!(all.outcome(), Outcome::Success);
    }

    #[test]
    fn what_is_said_behind_the_end_of_a_turn_is_another_answer() {
        let stop = finish("stop");
        let summary = ("text", r#""part":{"id":"1","text":"So far"}"#);
        let mut records = vec![
            ("step_start", r#""part":{}"#),
            summary,
            ("step_finish", stop.as_str()),
            ("step_start", r#""part":{}"#),
        ];
        assert_eq!(sessions(&records).outcome(), Outcome::Truncated);
        records.push(("text", r#""part":{"id":"2","text":"Done."}"#));
        records.push(("step_finish", &stop));
        let all = sessions(&records);
        let session = all.current().unwrap();
        assert_eq!(session.response().unwrap(), "Done.");
        assert_eq!(session.assistant_text().unwrap(), "So far\nDone.");
        assert_eq!(
            (session.turns(), all.outcome()),
            (Some(2), Outcome::Success)
        );
    }

    #[test]
    fn a_step_with_a_call_does_not_end_the_turn_whatever_its_reason() {
        let stop = finish("stop");
        let call = r#""part":{"tool":"bash","callID":"1","state":{"status":"completed","input":{},"output":""}}"#;
        let step = [
            ("step_start", r#""part":{}"#),
            ("tool_use", call),
            ("step_finish", stop.as_str()),
        ];
        let answer = [
            ("step_start", r#""part":{}"#),
            ("text", r#""part":{"id":"1","text":"Done."}"#),
        ];
        let whole = [&step[..], &answer, &[step[2]]].concat();
        for (records, outcome) in [
            (&step[..], Outcome::Success),
            (&[&step[..], &answer].concat(), Outcome::Truncated),
            (&whole, Outcome::Success),
        ] {
            let all = sessions(records);
            assert_eq!(all.outcome(), outcome);
            assert_eq!(all.all()[0].turns(), Some(1));
        }
    }

    #[test]
    fn a_text_behind_the_call_of_its_step_is_not_the_answer() {
        let (more, stop) = (finish("tool-calls"), finish("stop"));
        let call = r#""part":{"tool":"bash","callID":"1","state":{"status":"completed","input":{},"output":""}}"#;
        let mut records = vec![
            ("tool_use", call),
            ("text", r#""part":{"id":"1","text":"I look."}"#),
            ("step_finish", &more),
        ];
        let response = |records: &[_]| {
            let all = sessions(records);
            all.current()
                .unwrap()
                .response()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        };
        assert_eq!(response(&records), "I look.");
        records.push(("text", r#""part":{"id":"2","text":"Done."}"#));
        records.push(("step_finish", &stop));
        assert_eq!(response(&records), "Done.");
        assert_eq!(sessions(&records).current().unwrap().turns(), Some(1));
    }

    #[test]
    fn tokens_are_brought_to_one_convention_and_added_up() {
        let (more, stop) = (finish("tool-calls"), finish("stop"));
        let all = sessions(&[("step_finish", &more), ("step_finish", &stop)]);
        let session = all.current().unwrap();
        let usage = session.usage();
        assert_eq!((usage.input, usage.cached), (Some(2012), Some(200)));
        assert_eq!((usage.output, usage.total), (Some(46), Some(2058)));
        assert_eq!(usage.cost_usd, Some(1.0));
        assert_eq!(session.duration_ms(), Some(1));
    }

    #[test]
    fn early_versions_count_reasoning_in_the_output() {
        let stop = finish("stop").replace(r#""output":16"#, r#""output":23"#);
        for total in ["", r#""total":1029,"#] {
            let stop = stop.replace(r#""total":1029,"#, total);
            let all = sessions(&[("step_finish", &stop)]);
            let usage = all.current().unwrap().usage();
            assert_eq!((usage.output, usage.reasoning), (Some(23), Some(7)));
            assert_eq!(usage.total, Some(1029));
        }
    }

    #[test]
    fn a_rejected_call_is_denied_and_writes_nothing() {
        let call = r#""part":{"type":"tool","tool":"write","callID":"1","state":{"status":"error","input":{"filePath":"/w/a","content":"x"},"error":"The user rejected permission to use this specific tool call."}}"#;
        let all = sessions(&[("tool_use", call)]);
        let tools = all.current().unwrap().tools().unwrap();
        assert_eq!((tools.sum().calls, tools.sum().denied), (1, 1));
        assert!(tools.files().is_empty());
    }

    #[test]
    fn done_ends_what_has_not_ended() {
        let stop = finish("stop");
        let done = ("done", r#""reason":"idle","rejected":[]"#);
        let error = (
            "error",
            r#""error":{"name":"MessageAbortedError","data":{"message":""}}"#,
        );
        assert_eq!(
            sessions(&[("step_finish", &stop), done]).outcome(),
            Outcome::Success
        );
        assert_eq!(
            sessions(&[("step_finish", &finish("tool-calls")), done]).outcome(),
            Outcome::Success
        );
        assert_eq!(sessions(&[error, done]).outcome(), Outcome::Cancelled);
    }

    #[test]
    fn the_name_of_an_error_tells_its_class() {
        for (name, class) in [
            ("ProviderAuthError", Outcome::Auth),
            ("MessageOutputLengthError", Outcome::Turns),
            ("ContextOverflowError", Outcome::Input),
            ("MessageAbortedError", Outcome::Cancelled),
        ] {
            let error = format!(r#""error":{{"name":"{name}","data":{{"message":"x"}}}}"#);
            assert_eq!(sessions(&[("error", &error)]).outcome(), class, "{name}");
        }
    }

    #[test]
    fn a_patch_tells_of_each_of_its_files() {
        let patch = r#""part":{"type":"tool","callID":"1","tool":"apply_patch","state":{"status":"completed","input":{"patchText":"x"},"output":"ok","metadata":{"files":[{"filePath":"/a","type":"add","additions":2,"deletions":0},{"filePath":"/b","type":"update","additions":1,"deletions":1},{"filePath":"/c","type":"delete","additions":0,"deletions":3},{"filePath":"/d","type":"move","movePath":"/e","additions":1,"deletions":1}]}}}"#;
        let all = sessions(&[("tool_use", patch)]);
        let tools = all.current().unwrap().tools().unwrap();
        let told = tools.files().iter().map(|(path, file)| {
            let operation = file.operation.map_or("", Operation::word);
            let path = path.to_string_lossy();
            format!(
                "{path} {operation} {:?} {:?}",
                file.lines_added, file.lines_removed
            )
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                "/a create Some(2) Some(0)",
                "/b update Some(1) Some(1)",
                "/c delete Some(0) Some(3)",
                "/d delete None None",
                "/e create Some(1) Some(1)"
            ]
        );
    }
}
