//! The dialect of Kimi CLI, `kimi --print --output-format stream-json`. From its source; not seen running.
//!
//! The records are chat messages as the OpenAI API has them, without a `type`: `{"role":"assistant","content","tool_calls"}` and
//! `{"role":"tool","tool_call_id","content"}`. There is neither a first nor a terminal record and no usage: an assistant's message
//! without tool calls is the last one. A tool that failed says so in its content only.

use super::{Dialect, Entry, Strength, lines};
use crate::fact::{
    Call, Fact, Form, Message, Operation, Statement, ToolResult, ToolStatus, User, Write,
};
use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "kimi",
    recognise,
    is_possible: |record| recognise(record) > Strength::No,
    names: &[Name::new("role")],
    marks: &[],
    dialect: || Box::new(Kimi),
};

/// What the content of a failed tool's message begins with.
const FAILED: &str = "<system>ERROR";

/// Chat messages stand in many logs: only a record that has nothing else opens a stream.
fn recognise(record: &Object<'_>) -> Strength {
    const NAMES: [&str; 6] = [
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "name",
        "partial",
    ];
    let only = || {
        record
            .members()
            .all(|(key, _)| NAMES.iter().any(|name| key.is(name)))
    };
    let has_content = record
        .get("content")
        .is_some_and(|content| matches!(content.kind(), Kind::String | Kind::Array));
    match record.word("role").as_deref() {
        Some(b"assistant") if (has_content || record.has("tool_calls")) && only() => {
            Strength::Likely
        }
        Some(b"tool") if record.has("tool_call_id") && only() => Strength::Likely,
        Some(b"assistant" | b"tool" | b"user") if has_content => Strength::Possible,
        _ => Strength::No,
    }
}

/// Reads Kimi's records. Each stands for itself.
struct Kimi;

impl Dialect for Kimi {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let role = record.text("role");
        match role.as_ref().and_then(Text::as_str) {
            Some("assistant") => assistant(record, out),
            Some("tool") => out.push(Fact::Result(result(record))),
            // What a tool gave beside text; the prompt is not printed.
            Some("user") => out.push(Fact::User(User {
                text: content(record),
                prompt: false,
            })),
            _ => out.push(Fact::unknown(role)),
        }
    }
}

fn assistant<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let said = |text| Message {
        id: None,
        text,
        form: Form::Whole,
    };
    let parts = record.get("content").into_iter().flat_map(Value::elements);
    let thoughts = parts.filter_map(|part| part.get("think")?.text());
    out.facts
        .extend(thoughts.map(|thought| Fact::Reasoning(said(thought))));
    let text = content(record);
    if !text.is_empty() {
        out.push(Fact::Message(said(text)));
    }
    let before = out.facts.len();
    let calls = record.objects("tool_calls");
    out.facts.extend(calls.map(|item| Fact::Call(call(&item))));
    if out.facts.len() == before {
        out.push(Fact::Rest);
    }
}

/// Text as a string or as a list of parts.
fn content<'a>(record: &Object<'a>) -> Text<'a> {
    let Some(content) = record.get("content") else {
        return Text::EMPTY;
    };
    content.text().unwrap_or_else(|| {
        let mut text = Text::EMPTY;
        for part in content.elements() {
            text.push(&part.get("text").and_then(Value::text).unwrap_or_default());
        }
        text
    })
}

/// `{"id","function":{"name","arguments"}}`, the arguments being JSON in a string.
fn call<'a>(item: &Object<'a>) -> Call<'a> {
    let function = item.object("function");
    let text = |name| function.as_ref().and_then(|function| function.text(name));
    let name = text("name").unwrap_or_default();
    let arguments = text("arguments").unwrap_or_default();
    let parameters = match arguments.as_bytes() {
        [] => b"{}".to_vec(),
        bytes => bytes.to_vec(),
    };
    let given = Value::new(&parameters);
    let path = given
        .get("path")
        .and_then(Value::text)
        .map(Text::into_owned);
    let write = path.clone().and_then(|path| write(&name, path, given));
    Call {
        id: item.text("id").unwrap_or_default(),
        name,
        path,
        writes: write.into_iter().collect(),
        parameters: Text::written(given),
    }
}

/// The file that a call writes. `WriteFile` does not say whether it was there before.
fn write(tool: &Text<'_>, path: Text<'static>, arguments: Value<'_>) -> Option<Write<'static>> {
    let edit = arguments.get("edit").and_then(|edit| {
        let (old, new) = (edit.get("old")?.text()?, edit.get("new")?.text()?);
        Some(lines::replaced(&old, &new))
    });
    let operation = match tool.as_str()? {
        "WriteFile" => None,
        "StrReplaceFile" => Some(Operation::Update),
        _ => return None,
    };
    Some(Write {
        path,
        operation,
        lines_added: edit.map(|(added, _)| added),
        lines_removed: edit.map(|(_, removed)| removed),
    })
}

fn result<'a>(record: &Object<'a>) -> ToolResult<'a> {
    let output = content(record);
    let failed = output.starts_with(&Text::from(FAILED));
    ToolResult {
        id: record.text("tool_call_id").unwrap_or_default(),
        status: if failed {
            ToolStatus::Error
        } else {
            ToolStatus::Success
        },
        output: Some(output),
        error: None,
        exit_code: None,
        duration_ms: None,
        writes: Vec::new(),
        call: None,
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use crate::dialect::reader::Reader;
    use crate::dialect::testing::sessions;
    use crate::fact::Statement;
    use crate::json::view::Value;
    use crate::outcome::Outcome;

    /// Written after the source, not recorded.
    const STREAM: [&str; 4] = [
        r#"{"role":"assistant","content":[{"type":"think","think":"Two files."},{"type":"text","text":"I write."}],"tool_calls":[{"type":"function","id":"c1","function":{"name":"WriteFile","arguments":"{\"path\": \"a.txt\", \"content\": \"x\"}"}},{"type":"function","id":"c2","function":{"name":"StrReplaceFile","arguments":"{\"path\":\"b.txt\",\"edit\":{\"old\":\"a\",\"new\":\"b\"}}"}}]}"#,
        r#"{"role":"tool","content":[{"type":"text","text":"<system>File written.</system>"}],"tool_call_id":"c1"}"#,
        r#"{"role":"tool","content":"<system>ERROR: no such file</system>","tool_call_id":"c2"}"#,
        r#"{"role":"assistant","content":"Done."}"#,
    ];

    #[test]
    fn chat_messages_are_a_session() {
        let all = sessions(STREAM);
        let session = all.current().unwrap();
        assert_eq!(
            (session.agent(), session.outcome()),
            (Agent::Kimi, Outcome::Success)
        );
        assert_eq!(session.response().unwrap(), "Done.");
        let tools = session.tools().unwrap();
        assert_eq!((tools.sum().success, tools.sum().error), (1, 1));
        assert_eq!(*tools.files().iter().next().unwrap().0, "a.txt");
    }

    #[test]
    fn a_stream_that_stops_at_a_call_is_truncated() {
        assert_eq!(sessions(&STREAM[..1]).outcome(), Outcome::Truncated);
        assert_eq!(sessions(&STREAM[..3]).outcome(), Outcome::Truncated);
    }

    #[test]
    fn messages_with_more_in_them_open_no_stream() {
        for decoy in [
            r#"{"role":"assistant","content":"hi","timestamp":"12:00"}"#,
            r#"{"role":"user","content":"hi"}"#,
            r#"{"role":"assistant"}"#,
            r#"{"role":"admin","content":"x"}"#,
        ] {
            let mut nobody = |_: Agent, _: Value<'_>, _: &Statement<'_>| {};
            let document = Value::new(decoy.as_bytes());
            assert!(!Reader::new().read(document, &mut nobody), "{decoy}");
        }
    }
}
