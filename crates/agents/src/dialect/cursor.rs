//! The dialect of Cursor's agent, `cursor-agent -p --output-format json|stream-json`, from its documentation
//! (cli/reference/output-format); no recording was at hand.
//!
//! Messages have the outline of [`blocks`], but tool calls are records of their own: `tool_call` with subtype `started`
//! and `completed`, which contain `{"NAMEToolCall": {args, result}}` or `{"function": {name, arguments}}`; since 2026 a
//! completed call does not repeat `args`, and `edit` also creates files. With `--stream-partial-output` an `assistant`
//! record with `timestamp_ms` and without `model_call_id` is a delta, and all others repeat deltas. A result's text is
//! the text of all messages together; a failed run prints no result.
//!
//! Its transcripts on disk (`agent-transcripts/ID.jsonl`, from the readers of others) have messages `{"role","message":
//! {"content"}}` owner calls have no ids and no results, and in newer versions `turn_ended` with a `status`.

use super::usual::NumberedCalls;
use super::{claude, codex};
use crate::dialect::prelude::*;
use crate::session::MESSAGE_KEPT;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Cursor>("cursor", SHAPES);

/// The shapes that distinguish its records from others with Claude Code's outline.
const SHAPES: &[RecordShape] = &[
    certain("type=system subtype=init apiKeySource !tools !claude_code_version"),
    certain("type=assistant message.content timestamp_ms:number"),
    certain("type=tool_call call_id tool_call:object"),
    certain("type=result subtype:string request_id:string !num_turns"),
    doubtful("type=thinking subtype:string"),
    doubtful("type=system subtype=init"),
    likely("type=tool_call subtype:string tool_call:object"),
    fits("type=tool_call tool_call:object"),
    fits("type=system|result subtype:string"),
    fits("type=assistant message.content"),
    doubtful("type=user message.content"),
    fits("type session_id:string"),
    // Records of transcripts on disk.
    doubtful("role=user|assistant message.content:list !type !id"),
    doubtful("type=turn_ended status:string"),
    fits("type=turn_ended"),
];

/// Reads Cursor's records.
#[derive(Default)]
struct Cursor {
    /// Whether deltas were seen: whole messages only repeat them then.
    partial: bool,
    /// What was said since the last prompt or call: a message that says all of it again repeats deltas whose time
    /// stamps somebody has taken out.
    said: Text<'static>,
    /// The calls of a transcript, in which they have no ids.
    calls: NumberedCalls,
}

impl Dialect for Cursor {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        out.timestamp = out.timestamp.or_else(|| record.get("timestamp_ms"));
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") if blocks::is_init(record) => out.push(usual::start(record, "version")),
            Some("user") => {
                self.said = Text::EMPTY;
                blocks::given(record, out, |block| blocks::result(block, |_| false));
            }
            Some("assistant") => self.assistant(record, out),
            Some("thinking") => thinking(record, out),
            Some("tool_call") => {
                self.said = Text::EMPTY;
                tool_call(record, out);
            }
            Some("retry" | "connection") => {
                let cause = record.text("subtype").unwrap_or_default();
                out.push(Fact::Retry(Problem::fatal(Outcome::Network, cause)));
            }
            Some("result") => result(record, out),
            Some("system" | "interaction_query") => out.push(Fact::known(kind)),
            Some("turn_ended") => out.push(Fact::end(usual::failure(record), None)),
            None if record.has("role") => self.transcript(record, out),
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

impl Cursor {
    /// States a message of a transcript, which has no end of its own.
    fn transcript<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if record.is("role", "user") {
            let texts = blocks::of(record).filter_map(|block| block.text("text"));
            return out.extend(texts.map(|text| Fact::prompt(asked(text))));
        }
        for block in blocks::of(record) {
            out.extend(blocks::said(&block, None, &[]).map(|fact| match fact {
                Fact::Call(call) if call.id.is_empty() => {
                    let id = self.calls.add(call.name.clone().into_owned());
                    Fact::Call(Call { id, ..call })
                }
                fact => fact,
            }));
        }
        if blocks::ends_with_text(&record.inner("message")) {
            out.push(Fact::Rest);
        }
    }

    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let delta = record.has("timestamp_ms") && !record.has("model_call_id");
        self.partial |= delta;
        let texts = || blocks::of(record).filter_map(|block| block.text("text"));
        let all = blocks::joined(texts());
        if !delta && (self.partial || all == self.said) {
            return;
        }
        // A session keeps no more of a message.
        if self.said.len() <= MESSAGE_KEPT {
            self.said.push(&all);
        }
        let say = |text| Fact::Message(Message::new(None, text, Form::of(delta)));
        out.extend(texts().map(say));
    }
}

/// Returns what the user asked for, without the tag that transcripts put around it.
fn asked(text: Text<'_>) -> Text<'_> {
    let written = text.to_string_lossy();
    let inner = written.split_once("<user_query>");
    let inner = inner.and_then(|(_, rest)| rest.split_once("</user_query>"));
    match inner {
        Some((query, _)) => Text::from(query.trim().to_owned()),
        None => text,
    }
}

fn thinking<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let form = Form::of(record.is("subtype", "delta"));
    let think = |text| Fact::Reasoning(Message::new(None, text, form));
    out.extend(record.text("text").map(think));
}

/// Returns the name of a tool, its parameters and, if the call is done, its result.
fn tool<'a>(record: &Object<'a>) -> Option<(Text<'a>, Option<Value<'a>>, Option<Object<'a>>)> {
    let calls = record.object("tool_call")?;
    if let Some(function) = calls.object("function") {
        let (parameters, result) = (function.get("arguments"), function.object("result"));
        return Some((function.text("name")?, parameters, result));
    }
    let states = |call: Value<'_>| call.get("args").or_else(|| call.get("result")).is_some();
    let (key, call) = calls.members().find(|(_, call)| states(*call))?;
    let (key, args) = (key.text(), call.get("args"));
    let name = match key.as_bytes().strip_suffix(b"ToolCall") {
        Some(name) => key.slice(0..name.len()).into_owned(),
        None => key,
    };
    let result = call.get("result").and_then(Object::new);
    Some(match args.filter(|_| name == "mcp") {
        Some(mcp) => (mcp_name(mcp).unwrap_or(name), mcp.get("args"), result),
        None => (name, args, result),
    })
}

/// Returns the name of an MCP server's tool; newer versions name the server in two ways.
fn mcp_name<'a>(args: Value<'a>) -> Option<Text<'a>> {
    let text = |name| args.get(name).and_then(Value::text);
    let tool = text("toolName")?;
    let server = text("providerIdentifier").or_else(|| text("serverIdentifier"));
    Some(match server {
        Some(server) => codex::mcp_name(&server, &tool),
        None => tool,
    })
}

fn tool_call<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let Some((name, parameters, result)) = tool(record) else {
        return out.push(Fact::unknown(record.text("type")));
    };
    let success = successful(result.as_ref());
    // Newer versions do not repeat the parameters when the call is done.
    let members = parameters.and_then(Object::new);
    let path = [&members, &success]
        .into_iter()
        .find_map(|members| members.as_ref()?.text("path"));
    let call = Call {
        id: record.text("call_id").unwrap_or_default(),
        path,
        parameters: parameters.map(Text::of_json).unwrap_or_default(),
        writes: Vec::new(),
        name,
    };
    if record.is("subtype", "started") {
        return out.push(Fact::Call(call));
    }
    let write = success.and_then(|success| write(&call, parameters, &success));
    out.push(Fact::Result(ToolResult {
        duration_ms: duration(record),
        writes: write.into_iter().collect(),
        ..tool_result(call, result.as_ref())
    }));
}

/// Returns what a successful call gave: `success`, or the result itself if it names no other case, each of which is an
/// object.
fn successful<'a>(result: Option<&Object<'a>>) -> Option<Object<'a>> {
    let result = result?;
    let mut values = result.members().map(|(_, value)| value);
    let is_flat = !result.has("error") && values.all(|value| Object::new(value).is_none());
    let flat = || Object::new(result.value()).filter(|_| is_flat);
    result.object("success").or_else(flat)
}

/// Returns the result of a call: `{"success"}`, `{"failure"}` of a command, `{"error"}`, or `{"rejected"}` or
/// `{"permissionDenied"}` of a call that was not permitted. Calls that are not the agent's own are completed without a
/// result.
fn tool_result<'a>(call: Call<'a>, result: Option<&Object<'a>>) -> ToolResult<'a> {
    let kind = |name| result.and_then(|result| result.object(name));
    let denied = kind("rejected").or_else(|| kind("permissionDenied"));
    let (success, failure) = (successful(result), kind("failure"));
    // An MCP server's own statement about its tool.
    let flagged = |success: &Object<'_>| success.get("isError")?.as_bool();
    let succeeded = success
        .as_ref()
        .is_some_and(|success| flagged(success) != Some(true));
    let status = match denied {
        Some(_) => ToolStatus::Denied,
        None if succeeded || result.is_none() => ToolStatus::Success,
        None => ToolStatus::Error,
    };
    let ran = success.as_ref().or(failure.as_ref());
    let outputs = names!("content stdout message");
    let text = |of: &Option<Object<'a>>, names: NameList| names.string(of.as_ref()?);
    let error = result.and_then(|result| result.text("error"));
    ToolResult {
        output: ran.and_then(|ran| outputs.string(ran)),
        error: error
            .or_else(|| text(&kind("error"), names!("errorMessage message error")))
            .or_else(|| text(&denied, names!("reason error")))
            .or_else(|| text(&failure, names!("stderr"))),
        exit_code: ran.and_then(|ran| ran.get("exitCode")?.as_i64()),
        ..ToolResult::of_call(call, status)
    }
}

/// Returns the time between the start and the end of a call in milliseconds, which newer versions state in strings.
fn duration(record: &Object<'_>) -> Option<u64> {
    let call = record.object("tool_call")?;
    let time = |name| call.text(name)?.as_str()?.parse::<u64>().ok();
    time("completedAtMs")?.checked_sub(time("startedAtMs")?)
}

fn write<'a>(
    call: &Call<'a>,
    parameters: Option<Value<'a>>,
    success: &Object<'a>,
) -> Option<Write<'a>> {
    let after = success.text("afterFullFileContent");
    let operation = match call.name.as_str()? {
        "write" => None,
        // Newer versions write files only with this tool, and state the earlier content of the file.
        "edit" if after.is_some() && !success.has("beforeFullFileContent") => {
            Some(Operation::Create)
        }
        "edit" => Some(Operation::Update),
        "delete" => Some(Operation::Delete),
        _ => return None,
    };
    let replaced = || {
        let text = |name| parameters?.get(name)?.text();
        Some(lines::replaced(&text("oldString")?, &text("newString")?))
    };
    let counted = success.u64("linesAdded").zip(success.u64("linesRemoved"));
    let lines = match (operation, after) {
        // The tool's own count includes an empty line as removed.
        (Some(Operation::Create), Some(after)) => Some(lines::created(&after)),
        _ => counted.or_else(replaced),
    };
    let added = lines.map(|(added, _)| added);
    Some(Write {
        path: call.path.clone()?,
        operation,
        lines: LineCounts {
            added: added.or_else(|| success.u64("linesCreated")),
            removed: lines.map(|(_, removed)| removed),
        },
    })
}

fn result<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let usage = record.object("usage");
    let usage_of = |usage| Fact::usage(Scope::Turn, None, usual::tokens_apart(&usage));
    out.extend(usage.map(usage_of));
    out.extend(record.u64("duration_ms").map(Fact::TurnTook));
    let success = claude::is_success(record);
    let text = record.text("result");
    let message = text.clone().unwrap_or_default();
    let failure = (!success).then(|| usual::problem(message, None));
    out.push(Fact::end(failure, text));
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use crate::dialect::reader::{RecordReader, StatedRecord};
    use crate::dialect::testing::{read, session};
    use crate::fact::{Fact, Form, Operation};
    use jsift_outcome::Outcome;

    fn completed(call: &str) -> String {
        let record = r#"{"type":"tool_call","subtype":"completed","call_id":"1","session_id":"s","tool_call":CALL}"#;
        record.replace("CALL", call)
    }

    #[test]
    fn a_call_fails_where_its_result_says_so() {
        for (call, failed) in [
            (r#"{"function":{"name":"own","arguments":"{}"}}"#, 0),
            (
                r#"{"grepToolCall":{"args":{},"result":{"error":{"errorMessage":"bad"}}}}"#,
                1,
            ),
            (r#"{"grepToolCall":{"args":{},"result":{"timeout":{}}}}"#, 1),
            // The parameters are not always repeated.
            (
                r#"{"readToolCall":{"result":{"error":{"errorMessage":"EPERM"}}}}"#,
                1,
            ),
        ] {
            let sum = session(&[&completed(call)]).tools().unwrap().sum();
            assert_eq!((sum.success, sum.error), (1 - failed, failed), "{call}");
        }
    }

    #[test]
    fn a_call_is_denied_where_its_result_says_so() {
        for denied in [
            r#"{"shellToolCall":{"result":{"rejected":{"command":"ls","reason":"","isReadonly":false}}}}"#,
            r#"{"shellToolCall":{"result":{"permissionDenied":{"command":"ls","error":"Command blocked by permissions configuration"}}}}"#,
        ] {
            let sum = session(&[&completed(denied)]).tools().unwrap().sum();
            assert_eq!((sum.denied, sum.error), (1, 0), "{denied}");
        }
    }

    #[test]
    fn a_completed_call_need_not_repeat_its_parameters() {
        let started =
            completed(r#"{"editToolCall":{"args":{"path":"/w/a","streamContent":"x\n"}}}"#)
                .replace("completed", "started");
        let success = r#""path":"/w/a","linesAdded":1,"linesRemoved":1,"diffString":"-\n+x","afterFullFileContent":"x\n""#;
        let before = r#","beforeFullFileContent":"y\n""#;
        let call = |success: &str| {
            let result = format!(
                r#"{{"editToolCall":{{"result":{{"success":{{{success}}}}}}},"toolCallId":"1","startedAtMs":"1000","completedAtMs":"1325"}}"#
            );
            completed(&result)
        };
        let (created, updated) = (call(success), call(&format!("{success}{before}")));
        for (done, operation, removed) in [
            (created, Operation::Create, 0),
            (updated, Operation::Update, 1),
        ] {
            let session = session(&[&started, &done]);
            let tools = session.tools().unwrap();
            assert_eq!((tools.sum().calls, tools.files().len()), (1, 1));
            let (path, file) = tools.files().iter().next().unwrap();
            assert_eq!(
                (path.to_string_lossy().as_ref(), file.operation),
                ("/w/a", Some(operation))
            );
            assert_eq!(
                (file.lines.added, file.lines.removed),
                (Some(1), Some(removed))
            );
            let by_name = tools.by_name();
            let (_, counts) = by_name.iter().next().unwrap();
            assert_eq!(counts.duration_ms, Some(325));
        }
    }

    #[test]
    fn a_tool_of_a_server_goes_by_both_names() {
        let call = completed(
            r#"{"mcpToolCall":{"args":{"name":"s-t","args":{"q":1},"toolName":"t","providerIdentifier":"s"},"result":{"success":{"content":[{"text":{"text":"no"}}],"isError":true}}}}"#,
        );
        let session = session(&[&call]);
        let by_name = session.tools().unwrap().by_name();
        let (name, counts) = by_name.iter().next().unwrap();
        assert_eq!(*name, "mcp__s__t");
        assert_eq!((counts.calls, counts.error), (1, 1));
    }

    #[test]
    fn lines_that_a_write_created_are_added() {
        let call = r#"{"writeToolCall":{"args":{"path":"a"},"result":{"success":{"path":"/a","linesCreated":19}}}}"#;
        let session = session(&[&completed(call)]);
        let (_, file) = session.files().unwrap().files().iter().next().unwrap();
        assert_eq!((file.lines.added, file.lines.removed), (Some(19), None));
    }
    #[test]
    fn a_completed_thought_is_whole_if_it_says_anything() {
        let mut thoughts = Vec::new();
        let mut receiver = |stated: StatedRecord<'_>| {
            thoughts.extend(stated.statement.facts.iter().map(|fact| match fact {
                Fact::Reasoning(thought) => (thought.form, thought.text.to_string_lossy().into()),
                other => panic!("{other:?}"),
            }));
        };
        let mut reader = RecordReader::of(Agent::Cursor);
        let records = [
            r#"{"type":"thinking","subtype":"delta","text":"hm","session_id":"s"}"#,
            r#"{"type":"thinking","subtype":"completed","session_id":"s"}"#,
            r#"{"type":"thinking","subtype":"completed","text":"so","session_id":"s"}"#,
        ];
        read(&mut reader, records, &mut receiver);
        let said: [(Form, String); 2] = [(Form::Delta, "hm".into()), (Form::Whole, "so".into())];
        assert_eq!(thoughts, said);
    }

    #[test]
    fn deltas_without_their_time_stamps_are_repeated_once() {
        let say = |text: &str, more: &str| {
            format!(
                r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}},"session_id":"s"{more}}}"#
            )
        };
        let done = completed(r#"{"readToolCall":{"args":{},"result":{"success":{}}}}"#);
        let end = r#"{"type":"result","subtype":"success","is_error":false,"result":"Look. Hello","session_id":"s","request_id":"r"}"#;
        let init = r#"{"type":"system","subtype":"init","apiKeySource":"env","session_id":"s"}"#;
        let session = session(&[
            init,
            &say("Look.", ""),
            &say("Look.", r#","model_call_id":"m""#),
            &done,
            &say(" Hel", ""),
            &say("lo", ""),
            &say(" Hello", ""),
            end,
        ]);
        assert_eq!(session.response().unwrap().to_string_lossy(), " Hello");
        let all = session.assistant_text().unwrap();
        assert_eq!(all.to_string_lossy(), "Look.\n Hello");
    }

    #[test]
    fn a_file_that_was_deleted_is_reported() {
        let call = r#"{"deleteToolCall":{"args":{"path":"a"},"result":{"success":{"path":"/a"}}}}"#;
        let session = session(&[&completed(call)]);
        let (_, file) = session.files().unwrap().files().iter().next().unwrap();
        assert_eq!(file.operation, Some(Operation::Delete));
    }

    #[test]
    fn a_stream_that_ends_while_a_connection_is_made_again_is_of_the_network() {
        let init = r#"{"type":"system","subtype":"init","apiKeySource":"env","cwd":"/w","session_id":"s","model":"m","permissionMode":"default"}"#;
        let retry = r#"{"type":"connection","subtype":"reconnecting","session_id":"s"}"#;
        assert_eq!(session(&[init, retry]).outcome(), Outcome::Network);
    }
}
