//! Codex before September 2025 (seen in 0.39): `{"id":"0","msg":{"type":…}}`.
//!
//! Its session files started with `{"id","timestamp","instructions","git"}` and contained `{"record_type":"state"}`
//! between the items (from documentation).
//!
//! The first line is the configuration, without a type and with its members in random order, the second the prompt.
//! There is no session id and no terminal record: a run has ended if only counts and diffs follow a message.

use super::{mcp_tool, members, problem, retry, usage_of};
use crate::dialect::prelude::*;

/// States the facts of a legacy record.
pub(crate) fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    if let Some(msg) = record.object("msg") {
        message(&msg, record.text("id"), out);
    } else if let Some(text) = record.text("prompt") {
        out.push(Fact::prompt(text));
    } else if record.has("record_type") {
        out.push(Fact::known(record.text("record_type")));
    } else {
        out.session = record.text("id");
        out.push(usual::start(record, "version"));
    }
}

/// Makes the end that a record states a failure if it states no message and follows an error, since an error ends a
/// task so. Returns whether an end may follow an error after the record, which may have `failed` before.
pub(super) fn fail(failed: bool, out: &mut Statement<'_>) -> bool {
    let mut failed = failed;
    for fact in &mut out.facts {
        match fact {
            Fact::Error(_) => failed = true,
            Fact::Message(_) | Fact::Call(_) => failed = false,
            Fact::End(end) => {
                end.success &= !failed || end.text.is_some();
                failed = false;
            }
            _ => {}
        }
    }
    failed
}

fn message<'a>(msg: &Object<'a>, id: Option<Text<'a>>, out: &mut Statement<'a>) {
    let kind = msg.text("type");
    match kind.as_ref().and_then(Text::as_str).unwrap_or_default() {
        "agent_message" => {
            out.push(Fact::Message(text(msg, id, "message")));
            out.push(Fact::Rest);
        }
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            out.push(Fact::Reasoning(text(msg, id, "text")));
        }
        "exec_command_begin" => out.push(Fact::Call(call("command_execution".into(), msg))),
        "patch_apply_begin" => out.push(Fact::Call(call("file_change".into(), msg))),
        "web_search_begin" => out.push(Fact::Call(call("web_search".into(), msg))),
        "mcp_tool_call_begin" => out.push(Fact::Call(mcp_call(msg))),
        "exec_command_end" | "patch_apply_end" | "web_search_end" | "mcp_tool_call_end" => {
            out.push(Fact::Result(result(msg)));
        }
        "token_count" => {
            // Early versions had the counts of one request instead of the thread's.
            if let Some(total) = msg.inner("info").object("total_token_usage") {
                out.push(usage_of(&total, Scope::Session));
            } else if msg.has("input_tokens") {
                out.push(usage_of(msg, Scope::Request(None)));
            }
        }
        "stream_error" => out.push(retry(problem(msg))),
        "error" => out.push(Fact::Error(problem(msg))),
        "session_configured" => {
            out.session = msg.text("session_id");
            out.extend(msg.text("model").map(Fact::Model));
        }
        "task_complete" => out.push(Fact::end(None, msg.text("last_agent_message"))),
        "turn_aborted" => out.push(aborted(msg)),
        "plan_update" => out.push(Fact::todos(msg.text("type"), msg.get("plan"))),
        kind if is_known(kind) => out.push(Fact::known(msg.text("type"))),
        _ => out.push(Fact::unknown(kind)),
    }
}

/// Whether records of that type say nothing of interest, or what others say. A `turn_diff` repeats all changes so far.
fn is_known(kind: &str) -> bool {
    const KNOWN: &[&str] = words!(
        "task_started user_message view_image_tool_call agent_reasoning_section_break exec_command_output_delta \
         turn_diff background_event shutdown_complete agent_message_delta agent_message_content_delta \
         agent_reasoning_delta agent_reasoning_raw_content_delta reasoning_content_delta \
         reasoning_raw_content_delta item_started item_completed"
    );
    has_word(KNOWN, kind.as_bytes())
}

/// Returns a text of a turn, whose id all its records have.
fn text<'a>(msg: &Object<'a>, turn: Option<Text<'a>>, name: &str) -> Message<'a> {
    Message::new(turn, msg.text(name).unwrap_or_default(), Form::Block)
}

pub(super) fn aborted<'a>(msg: &Object<'a>) -> Fact<'a> {
    let reason = msg.text("reason").unwrap_or_default();
    let stopped = usual::stopped(reason.clone());
    let problem = stopped.unwrap_or(Problem::fatal(Outcome::Cancelled, reason));
    Fact::end(Some(problem), None)
}

fn call<'a>(name: Text<'a>, msg: &Object<'a>) -> Call<'a> {
    let changes = msg.get("changes").into_iter().flat_map(Value::members);
    let writes = changes.flat_map(|(path, change)| writes(path.text(), change));
    let id = msg.text("call_id").unwrap_or_default();
    let parameters = members(msg, &["command", "cwd", "changes", "query"]);
    Call::writing(id, name, parameters, writes.collect())
}

/// Returns the writes of `{"add":{"content"}}`, `{"update":{"unified_diff","move_path"}}` or `{"delete":…}`; early
/// versions had just `"delete"`. A move deletes one file and creates another.
fn writes<'a>(path: Text<'a>, change: Value<'a>) -> Vec<Write<'a>> {
    if let Some(add) = change.get("add") {
        let content = add.get("content").and_then(Value::text);
        let counts = content.as_ref().map(lines::created);
        return vec![Write::new(path, Some(Operation::Create), counts)];
    }
    if change.get("delete").is_some() || change.is("delete") {
        return vec![Write::new(path, Some(Operation::Delete), None)];
    }
    let Some(update) = change.get("update") else {
        return vec![Write::new(path, None, None)];
    };
    let diff = update.get("unified_diff").and_then(Value::text);
    let counts = diff.map(|diff| lines::of_diff(&diff));
    match update.get("move_path").and_then(Value::text) {
        Some(new) => vec![
            Write::new(path, Some(Operation::Delete), None),
            Write::new(new, Some(Operation::Create), counts),
        ],
        None => vec![Write::new(path, Some(Operation::Update), counts)],
    }
}

fn mcp_call<'a>(msg: &Object<'a>) -> Call<'a> {
    // In early versions the members of `invocation` were members of the message.
    let invocation = msg.object("invocation").unwrap_or_else(|| msg.clone());
    let arguments = invocation.get("arguments");
    let parameters = arguments.map_or_else(|| Text::from("{}"), Text::of_json);
    let id = msg.text("call_id").unwrap_or_default();
    Call::writing(id, mcp_tool(&invocation), parameters, Vec::new())
}

fn result<'a>(msg: &Object<'a>) -> ToolResult<'a> {
    let id = msg.text("call_id").unwrap_or_default();
    // `{"Ok":{"content","isError"}}` or `{"Err":"…"}`.
    let mcp = msg.inner("result");
    let stated = match mcp.text("Err") {
        None => usual::result(mcp.object("Ok").as_ref().unwrap_or(msg), id),
        error => ToolResult::of_text(id, ToolStatus::Error, error),
    };
    // The aggregated output of a command includes its standard error.
    let has_all = msg.has("aggregated_output");
    let stderr = msg.text("stderr").filter(|it| !it.is_empty() && !has_all);
    ToolResult {
        error: stated.error.or(stderr),
        duration_ms: msg.get("duration").and_then(milliseconds),
        ..stated
    }
}

/// Returns `{"secs","nanos"}` as milliseconds.
fn milliseconds(duration: Value<'_>) -> Option<u64> {
    let number = |name| duration.get(name).and_then(Value::as_u64);
    number("secs")?
        .checked_mul(1000)?
        .checked_add(number("nanos")? / 1_000_000)
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::session;
    use crate::fact::Operation;
    use crate::session::Session;
    use jsift_outcome::Outcome;

    const CONFIG: &str =
        r#"{"model":"m","workdir":"/w","provider":"openai","approval":"never","sandbox":"x"}"#;

    fn of(messages: &[&str]) -> Session {
        let messages = messages
            .iter()
            .map(|msg| format!(r#"{{"id":"0","msg":{msg}}}"#));
        let records: Vec<_> = std::iter::once(CONFIG.to_owned()).chain(messages).collect();
        let records: Vec<_> = records.iter().map(String::as_str).collect();
        session(&records)
    }

    #[test]
    fn counts_are_those_of_the_thread_or_of_a_request() {
        let counts = r#""input_tokens":10,"cached_input_tokens":4,"output_tokens":3,"reasoning_output_tokens":1,"total_tokens":13"#;
        let request = format!(r#"{{"type":"token_count",{counts}}}"#);
        let thread = format!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{{{counts}}},"last_token_usage":{{{counts}}}}}}}"#
        );
        for (count, input) in [(&request, Some(20)), (&thread, Some(10))] {
            assert_eq!(of(&[count, count]).usage().input, input);
        }
        let none = r#"{"type":"token_count","info":null}"#;
        assert_eq!(of(&[none]).usage().input, None);
    }

    #[test]
    fn early_versions_had_less_around_a_call() {
        let session = of(&[
            r#"{"type":"mcp_tool_call_begin","call_id":"1","server":"s","tool":"t","arguments":{}}"#,
            r#"{"type":"patch_apply_begin","call_id":"2","auto_approved":true,"changes":{"/w/a":"delete"}}"#,
            r#"{"type":"patch_apply_end","call_id":"2","stdout":"","stderr":"","success":true}"#,
        ]);
        let tools = session.tools().unwrap();
        let by_name = tools.by_name();
        assert!(by_name.iter().any(|(name, _)| *name == "mcp__s__t"));
        let (_, file) = tools.files().iter().next().unwrap();
        assert_eq!(file.operation, Some(Operation::Delete));
    }

    #[test]
    fn versions_that_tell_the_end_of_a_task_end_with_it() {
        let configured = r#"{"type":"session_configured","session_id":"one","model":"m","history_entry_count":0}"#;
        let complete = r#"{"type":"task_complete","last_agent_message":"Done."}"#;
        let session = of(&[configured, complete]);
        assert_eq!(session.id.as_ref().unwrap(), "one");
        assert_eq!(session.outcome(), Outcome::Success);
        assert_eq!(session.response().unwrap(), "Done.");
        let aborted = r#"{"type":"turn_aborted","reason":"interrupted"}"#;
        assert_eq!(of(&[configured, aborted]).outcome(), Outcome::Cancelled);
    }

    #[test]
    fn a_task_that_completes_without_a_message_after_an_error_has_failed() {
        let error = r#"{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests"}"#;
        let silent = r#"{"type":"task_complete","last_agent_message":null}"#;
        let message = r#"{"type":"agent_message","message":"Done."}"#;
        let complete = r#"{"type":"task_complete","last_agent_message":"Done."}"#;
        assert_eq!(of(&[error, silent]).outcome(), Outcome::Quota);
        assert_eq!(of(&[error, message, silent]).outcome(), Outcome::Success);
        assert_eq!(of(&[error, complete]).outcome(), Outcome::Success);
        assert_eq!(of(&[silent]).outcome(), Outcome::Success);
    }

    #[test]
    fn a_search_is_a_call() {
        let session = of(&[
            r#"{"type":"web_search_begin","call_id":"1"}"#,
            r#"{"type":"web_search_end","call_id":"1","query":"x"}"#,
        ]);
        let tools = session.tools().unwrap();
        let by_name = tools.by_name();
        let (name, counts) = by_name.iter().next().unwrap();
        assert_eq!((*name == "web_search", counts.success), (true, 1));
    }
}
