//! The dialect of Cursor's agent, `cursor-agent -p --output-format json|stream-json`, from its documentation
//! (cli/reference/output-format); no recording was at hand.
//!
//! The outline is that of [`blocks`], but tool calls are records of their own: `tool_call` with subtype `started` and
//! `completed`, holding `{"NAMEToolCall": {args, result}}` or `{"function": {name, arguments}}`. With
//! `--stream-partial-output` an `assistant` record with `timestamp_ms` and without `model_call_id` is a delta, and all others
//! repeat deltas. A result's text is that of all messages together; a failed run prints none.

use super::{Dialect, Entry, Strength, blocks, class, claude, lines};
use crate::fact::{
    Call, Duration, End, Fact, Form, Message, Operation, Problem, Scope, Start, Statement, Tokens,
    ToolResult, ToolStatus, Usage, User, Write,
};
use crate::json::text::Text;
use crate::json::view::{Name, Object, Value};
use crate::outcome::Outcome;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "cursor",
    recognise,
    is_possible: blocks::is_possible,
    names: &[Name::new("session_id")],
    marks: &[Name::new("apiKeySource"), Name::new("tool_call")],
    dialect: || Box::<Cursor>::default(),
};

fn recognise(record: &Object<'_>) -> Strength {
    let shape = blocks::recognise(record);
    if shape == Strength::No {
        return Strength::No;
    }
    let likely = |sure| {
        if sure {
            Strength::Likely
        } else {
            Strength::Possible
        }
    };
    match record.word("type").as_deref() {
        Some(b"system") if blocks::is_init(record) => {
            let own = record.has("apiKeySource") && !record.has("tools");
            if own && !record.has("claude_code_version") {
                Strength::Certain
            } else {
                Strength::Possible
            }
        }
        Some(b"tool_call") if record.has("call_id") && record.has("tool_call") => Strength::Certain,
        Some(b"thinking") => likely(record.has("subtype")),
        Some(b"assistant") => {
            let message = record.object("message");
            likely(message.is_some_and(|message| !message.has("id") && !message.has("usage")))
        }
        Some(b"result") => likely(!record.has("num_turns") && record.has("duration_api_ms")),
        _ => Strength::Possible,
    }
}

/// Reads Cursor's records.
#[derive(Default)]
struct Cursor {
    /// Whether deltas were seen: whole messages repeat them, then.
    partial: bool,
}

impl Dialect for Cursor {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        out.timestamp = out.timestamp.or_else(|| record.get("timestamp_ms"));
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") if blocks::is_init(record) => out.push(Fact::Start(Start {
                agent_version: None,
                model: record.text("model"),
            })),
            Some("user") => {
                let texts = blocks::of(record).filter_map(|block| block.text("text"));
                let say = |text| Fact::User(User { text, prompt: true });
                out.facts.extend(texts.map(say));
            }
            Some("assistant") => self.assistant(record, out),
            Some("thinking") => thinking(record, out),
            Some("tool_call") => tool_call(record, out),
            Some("retry" | "connection") => out.push(Fact::Retry(Problem {
                class: Outcome::Network,
                message: record.text("subtype").unwrap_or_default(),
                code: None,
                fatal: false,
            })),
            Some("result") => result(record, out),
            Some("system" | "interaction_query") => out.push(Fact::known(kind)),
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

impl Cursor {
    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let delta = record.has("timestamp_ms") && !record.has("model_call_id");
        self.partial |= delta;
        if self.partial && !delta {
            return;
        }
        let form = if delta { Form::Delta } else { Form::Whole };
        let texts = blocks::of(record).filter_map(|block| block.text("text"));
        out.facts.extend(texts.map(|text| {
            Fact::Message(Message {
                id: None,
                text,
                form,
            })
        }));
    }
}

fn thinking<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let form = if record.is("subtype", "delta") {
        Form::Delta
    } else {
        Form::Whole
    };
    let thought = record.text("text").map(|text| {
        Fact::Reasoning(Message {
            id: None,
            text,
            form,
        })
    });
    out.facts.extend(thought);
}

/// The name of a tool, its parameters and, when it is done, its result.
fn tool<'a>(record: &Object<'a>) -> Option<(Text<'a>, Option<Value<'a>>, Option<Object<'a>>)> {
    let calls = record.object("tool_call")?;
    if let Some(function) = calls.object("function") {
        let parameters = function.get("arguments");
        return Some((
            function.text("name")?,
            parameters,
            function.object("result"),
        ));
    }
    let (key, call) = calls
        .members()
        .find(|(_, call)| call.get("args").or_else(|| call.get("result")).is_some())?;
    let key = key.text();
    let name = key.len().saturating_sub("ToolCall".len());
    let name = if key.as_bytes().ends_with(b"ToolCall") {
        key.slice(0..name).into_owned()
    } else {
        key
    };
    let result = call.get("result").and_then(Object::new);
    Some((name, call.get("args"), result))
}

fn tool_call<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let Some((name, parameters, result)) = tool(record) else {
        out.push(Fact::unknown(record.text("type")));
        return;
    };
    let id = record.text("call_id").unwrap_or_default();
    let members = parameters.and_then(Object::new);
    let path = members.and_then(|members| members.text("path"));
    let call = Call {
        id: id.clone(),
        path: path.clone(),
        parameters: parameters.map(Text::of_json).unwrap_or_default(),
        writes: Vec::new(),
        name,
    };
    if record.is("subtype", "started") {
        out.push(Fact::Call(call));
        return;
    }
    // What is not of the agent itself is completed without one.
    let silent = result.is_none();
    let success = result.as_ref().and_then(|result| result.object("success"));
    let rejected = result.as_ref().and_then(|result| result.object("rejected"));
    let error = result.and_then(|result| match result.get("error")? {
        error if Object::new(error).is_some() => error
            .get("errorMessage")
            .or_else(|| error.get("message"))?
            .text(),
        error => error.text(),
    });
    let status = match (&success, &rejected) {
        (_, Some(_)) => ToolStatus::Denied,
        (Some(_), None) => ToolStatus::Success,
        (None, None) if silent => ToolStatus::Success,
        (None, None) => ToolStatus::Error,
    };
    let write = path
        .zip(success.as_ref())
        .and_then(|(path, success)| write(&call.name, path, parameters?, success));
    out.push(Fact::Result(ToolResult {
        id,
        status,
        output: success.as_ref().and_then(output),
        error: error.or_else(|| rejected?.text("reason")),
        exit_code: success.and_then(|success| success.get("exitCode")?.as_i64()),
        duration_ms: None,
        writes: write.into_iter().collect(),
        call: Some(Box::new(call)),
    }));
}

fn output<'a>(success: &Object<'a>) -> Option<Text<'a>> {
    ["content", "stdout", "message"]
        .iter()
        .find_map(|name| success.text(name))
}

fn write<'a>(
    tool: &Text<'a>,
    path: Text<'a>,
    parameters: Value<'a>,
    success: &Object<'a>,
) -> Option<Write<'a>> {
    let operation = match tool.as_str()? {
        "write" => None,
        "edit" => Some(Operation::Update),
        "delete" => Some(Operation::Delete),
        _ => return None,
    };
    let replaced = || {
        let old = parameters.get("oldString")?.text()?;
        Some(lines::replaced(&old, &parameters.get("newString")?.text()?))
    };
    let counted = success.u64("linesAdded").zip(success.u64("linesRemoved"));
    let lines = counted.or_else(replaced);
    let added = lines.map(|(added, _)| added);
    Some(Write {
        path,
        operation,
        lines_added: added.or_else(|| success.u64("linesCreated")),
        lines_removed: lines.map(|(_, removed)| removed),
    })
}

fn result<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    if let Some(usage) = record.object("usage") {
        out.push(Fact::Usage(Usage {
            scope: Scope::Turn,
            model: None,
            tokens: tokens(&usage),
        }));
    }
    let ms = record.u64("duration_ms");
    out.facts
        .extend(ms.map(|ms| Fact::Duration(Duration { ms, turn: true })));
    let success = claude::is_success(record);
    let text = record.text("result");
    let message = text.clone().unwrap_or_default();
    out.push(Fact::End(End {
        success,
        error: (!success).then(|| Problem {
            class: class::of(&message, None),
            message,
            code: None,
            fatal: true,
        }),
        text: success.then_some(text).flatten(),
    }));
}

/// Named after the API's counts, whose input leaves out what a cache had.
fn tokens(usage: &Object<'_>) -> Tokens {
    let cached = usage.u64("cacheReadTokens");
    let written = usage.u64("cacheWriteTokens").unwrap_or(0);
    let all = |fresh: u64| {
        fresh
            .saturating_add(cached.unwrap_or(0))
            .saturating_add(written)
    };
    Tokens {
        input: usage.u64("inputTokens").map(all),
        cached,
        output: usage.u64("outputTokens"),
        ..Tokens::default()
    }
    .with_total()
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use crate::dialect::reader::Reader;
    use crate::dialect::testing::session;
    use crate::fact::{Fact, Form, Statement};
    use crate::json::view::Value;

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
    fn lines_that_a_write_created_are_added() {
        let call = r#"{"writeToolCall":{"args":{"path":"a"},"result":{"success":{"path":"/a","linesCreated":19}}}}"#;
        let session = session(&[&completed(call)]);
        let (_, file) = session.files().unwrap().files().iter().next().unwrap();
        assert_eq!((file.lines_added, file.lines_removed), (Some(19), None));
    }
    #[test]
    fn a_completed_thought_is_whole_if_it_says_anything() {
        let mut thoughts = Vec::new();
        let mut hand = |_: Agent, _: Value<'_>, statement: &Statement<'_>| {
            thoughts.extend(statement.facts.iter().map(|fact| match fact {
                Fact::Reasoning(thought) => (thought.form, thought.text.to_string_lossy().into()),
                other => panic!("{other:?}"),
            }));
        };
        let mut reader = Reader::of(Agent::Cursor);
        for record in [
            r#"{"type":"thinking","subtype":"delta","text":"hm","session_id":"s"}"#,
            r#"{"type":"thinking","subtype":"completed","session_id":"s"}"#,
            r#"{"type":"thinking","subtype":"completed","text":"so","session_id":"s"}"#,
        ] {
            assert!(reader.read(Value::new(record.as_bytes()), &mut hand));
        }
        let said: [(Form, String); 2] = [(Form::Delta, "hm".into()), (Form::Whole, "so".into())];
        assert_eq!(thoughts, said);
    }
}
