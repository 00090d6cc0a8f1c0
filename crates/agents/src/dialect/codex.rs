//! The dialect of OpenAI Codex, `codex exec --json`.
//!
//! - Since September 2025 (seen in 0.58 and 0.169): `thread.started`, `turn.started`, `item.started|updated|completed`,
//!   `error`, `turn.completed` or `turn.failed`. An early experimental form had `session.created`, and `item_type` for
//!   the type of an item.
//! - Before (0.39): a line with the configuration, one with the prompt, then `{"id","msg":{"type"}}`; see [`legacy`].
//! - `codex app-server`, from its documentation: the same items as notifications, see [`server`].
//!
//! Every message is whole, and the stream does not name the model. No record has a time stamp, except the first one in
//! some versions. A `turn.completed` counts the whole thread, including sessions that were resumed. An `error` is a
//! retry, or announces the `turn.failed` that follows it.

use crate::dialect::prelude::*;

mod disk;
mod legacy;
mod server;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Codex>("codex", SHAPES);

/// The shapes of its records, the [legacy] ones last. An `error` may be any agent's.
const SHAPES: &[RecordShape] = &[
    certain("type=thread.started thread_id:string"),
    likely("type=session.created session_id:string"),
    likely("type=thread.started"),
    doubtful("type=turn.started|turn.completed !data"),
    certain("type=item.started|item.updated|item.completed item.type:string item.id"),
    likely("type=item.started|item.updated|item.completed item.type:string"),
    certain("type=item.started|item.completed item.item_type:string"),
    certain("type=turn.completed usage.cached_input_tokens"),
    likely("type=turn.completed usage.input_tokens"),
    likely("type=turn.failed error"),
    likely("type=turn.failed !data"),
    fits("type=turn.failed|request_user_input"),
    likely("type=error message^=Reconnecting..."),
    fits("type=error message:string"),
    fits("type=error error.message:string"),
    fits("type=agent_message message:string"),
    fits("type^=item.|turn.|thread."),
    certain("type=session_meta payload.id:string"),
    certain("type=turn_context payload.model"),
    certain("type=event_msg|response_item payload.type:string"),
    fits("type payload:object"),
    doubtful("id:string timestamp:string instructions only:instructions,git"),
    doubtful("record_type=state only:record_type"),
    fits("type=message role:string content:list"),
    fits("type=reasoning summary:array"),
    fits("type=function_call|function_call_output call_id:string"),
    certain("msg.type:string id:string"),
    likely("msg.type=agent_message msg.message:string"),
    likely("msg.type=task_complete"),
    likely("msg.type:string msg.call_id:string"),
    doubtful("msg.type:string"),
    certain("method^=codex/event params.msg.type:string"),
    certain("workdir:string approval:string sandbox:string"),
    fits("prompt:string only:prompt"),
    certain("method=item/completed|item/started params.item.type:string"),
    certain("method=item/agentMessage/delta params.delta:string"),
    likely("method=turn/completed params.turn:object"),
    likely("method=thread/tokenUsage/updated params.tokenUsage:object"),
    likely("method=thread/started params.thread:object"),
    likely("method=turn/started params.turn:object"),
    doubtful("result.thread.id:string id:number only:result,jsonrpc"),
    fits("method=error params.error.message:string"),
    fits("method^=item/|turn/|thread/ params"),
    fits("method:string params.threadId"),
];

/// Reads Codex's records.
#[derive(Default)]
struct Codex {
    /// Whether the stream has the early form, which may have no turns.
    experimental: bool,
    /// The thread that a server works on; other threads are those of its subagents.
    thread: Option<Text<'static>>,
    /// Whether an error was stated, and nothing was said or done after it (the early form).
    failed: bool,
    /// The last message that a server announced as a comment.
    comment: Option<Text<'static>>,
    disk: disk::CodexFile,
}

impl Codex {
    /// States the facts of a record of the early form.
    fn message<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        legacy::facts(record, out);
        self.failed = legacy::fail(self.failed, out);
    }
}

impl Dialect for Codex {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("type");
        if let Some(payload) = record.object("payload") {
            self.disk.facts(record, &payload, out);
            return;
        }
        match kind.as_ref().and_then(Text::as_str) {
            None if record.has("method") => self.notification(record, out),
            None => match record.object("result") {
                Some(result) => self.response(&result, out),
                None => self.message(record, out),
            },
            Some("message" | "reasoning" | "function_call" | "function_call_output") => {
                self.disk.bare(record, out);
            }
            Some(kind @ ("thread.started" | "session.created")) => {
                self.experimental |= kind == "session.created";
                out.session = usual::session(record);
                out.push(Fact::Start(Start::default()));
            }
            Some("turn.started") => out.push(Fact::Turn),
            Some(kind @ ("item.started" | "item.updated" | "item.completed")) => {
                if let Some(item) = record.object("item") {
                    self.item(kind, &item, out);
                }
            }
            Some("turn.completed") => {
                let usage = record.object("usage");
                out.extend(usage.map(|usage| usage_of(&usage, Scope::Session)));
                out.push(Fact::ended(true));
            }
            Some("turn.failed") => {
                let stated = record.object("error").map(|error| problem(&error));
                let failure = stated.or_else(|| usual::failure(record));
                out.push(Fact::over(false, failure, None));
            }
            Some("turn.aborted" | "turn.cancelled" | "turn.canceled" | "turn.interrupted") => {
                out.push(legacy::aborted(record));
            }
            Some("agent_message") => out.extend(record.text("message").map(Fact::said)),
            Some("error") => out.push(error(record)),
            Some("item.plan.delta" | "request_user_input") => out.push(Fact::known(kind)),
            Some(_) => out.push(Fact::unknown(kind)),
        }
    }

    fn finish(&mut self, out: &mut Statement<'_>) {
        self.disk.state_announced(out);
    }
}

impl Codex {
    fn item<'a>(&self, record: &str, item: &Object<'a>, out: &mut Statement<'a>) {
        let kind = item_type(item);
        let completed = record == "item.completed";
        match kind.as_ref().and_then(Text::as_str) {
            Some("agent_message" | "assistant_message") if completed => {
                out.push(Fact::Message(message(item)));
                if self.experimental {
                    out.push(Fact::Rest);
                }
            }
            Some("reasoning") if completed => out.push(Fact::Reasoning(message(item))),
            // The completed item only repeats the list.
            Some("todo_list") if !completed => {
                out.push(Fact::todos(kind.clone(), item.get("items")));
            }
            // A warning: an error that fails a turn is no item.
            Some("error") if completed => out.push(Fact::Error(problem(item).passing())),
            Some(kind) => match tool_name(kind, item) {
                Some(name) if record == "item.started" => out.push(Fact::Call(call(name, item))),
                // A call that still runs when the turn ends is completed with the turn, but without a result.
                Some(name) if completed && !runs(item) => {
                    out.push(Fact::Result(result(name, item)));
                }
                None if !has_word(KNOWN, kind.as_bytes()) => {
                    out.push(Fact::unknown(item_type(item)));
                }
                _ => out.push(Fact::known(item_type(item))),
            },
            None => out.push(Fact::unknown(None)),
        }
    }
}

fn item_type<'a>(item: &Object<'a>) -> Option<Text<'a>> {
    let kind = item.text("type").or_else(|| item.text("item_type"))?;
    Some(server::plain(kind))
}

/// Whether a call has no result yet.
fn runs(item: &Object<'_>) -> bool {
    let status = item.text("status");
    status.is_some_and(|status| usual::is_pending(&status))
}

/// The types of items that are no tool calls.
const KNOWN: &[&str] = words!("agent_message plan assistant_message reasoning error todo_list");

/// Returns the item's own id. A `web_search` has a second `id`, that of the search.
fn item_id<'a>(item: &Object<'a>) -> Text<'a> {
    let own = item.members().find(|(key, _)| key.is("id"));
    own.and_then(|(_, id)| id.text()).unwrap_or_default()
}

fn message<'a>(item: &Object<'a>) -> Message<'a> {
    let text = item.text("text");
    let text = text.or_else(|| item.get("content").map(blocks::text));
    let text = text.unwrap_or_default();
    Message::new(Some(item_id(item)), text, Form::Whole).on(Channel::of(item))
}

/// Returns the name under which a tool is counted; most items have no name of their own.
fn tool_name<'a>(kind: &str, item: &Object<'a>) -> Option<Text<'a>> {
    match kind {
        "command_execution" | "file_change" | "web_search" => Some(kind.to_owned().into()),
        "mcp_tool_call" => Some(mcp_tool(item)),
        "collab_tool_call" => Some(item.text("tool").unwrap_or("collab_tool_call".into())),
        _ => None,
    }
}

/// Returns the name of an MCP server's tool in a call.
fn mcp_tool(call: &Object<'_>) -> Text<'static> {
    let text = |name| call.text(name).unwrap_or_default();
    mcp_name(&text("server"), &text("tool"))
}

/// Returns `mcp__SERVER__TOOL`, as other agents name such a tool.
pub(super) fn mcp_name(server: &Text<'_>, tool: &Text<'_>) -> Text<'static> {
    let mut name = Text::from(String::from("mcp__"));
    name.push(server);
    name.push_str("__");
    name.push(tool);
    name
}

fn call<'a>(name: Text<'a>, item: &Object<'a>) -> Call<'a> {
    let writes = changes(item);
    let parameters = match item.get("arguments") {
        Some(arguments) => Text::of_json(arguments),
        None => members(item, &["command", "changes", "query", "prompt"]),
    };
    Call::writing(item_id(item), name, parameters, writes)
}

/// Returns a JSON object of those of the named members that the item has.
fn members(item: &Object<'_>, names: &[&str]) -> Text<'static> {
    let mut json = vec![b'{'];
    for (key, value) in item.members() {
        if let Some(name) = names.iter().find(|name| key.is(name)) {
            if json.len() > 1 {
                json.push(b',');
            }
            for part in [b"\"", name.as_bytes(), b"\":", value.raw()] {
                json.extend_from_slice(part);
            }
        }
    }
    json.push(b'}');
    Text::written(Value::new(&json))
}

/// Returns the files of a `file_change`. A move is stated only as an update of the old path. Some versions have a
/// `diff`, which is the whole content of a file that is added or deleted.
fn changes<'a>(item: &Object<'a>) -> Vec<Write<'a>> {
    let count = |(diff, operation): (Text<'_>, _)| match operation {
        Operation::Create => lines::created(&diff),
        Operation::Update => lines::of_diff(&diff),
        Operation::Delete => (0, lines::count(&diff)),
    };
    let write = |change: Object<'a>| {
        let kind = change.get("kind")?;
        let kind = kind.get("type").unwrap_or(kind);
        let operation = usual::operation(Some(kind.text()?));
        let lines = change.text("diff").zip(operation).map(count);
        Some(Write::new(change.text("path")?, operation, lines))
    };
    item.objects("changes").filter_map(write).collect()
}

fn result<'a>(name: Text<'a>, item: &Object<'a>) -> ToolResult<'a> {
    let exit_code = usual::exit_code(item);
    let status = match item.text("status").as_ref().and_then(Text::as_str) {
        Some("failed") => ToolStatus::Error,
        Some("declined") => ToolStatus::Denied,
        None if exit_code.is_some_and(|code| code != 0) => ToolStatus::Error,
        _ => ToolStatus::Success,
    };
    let output = names!("aggregated_output aggregatedOutput").string(item);
    let mcp_output = || Some(blocks::text(item.get("result")?.get("content")?));
    ToolResult {
        output: output.or_else(mcp_output),
        error: item.inner("error").text("message"),
        exit_code,
        duration_ms: item.u64("durationMs"),
        // The patch may have grown since the call started.
        writes: changes(item),
        ..ToolResult::of_call(call(name, item), status)
    }
}

fn problem<'a>(record: &Object<'a>) -> Problem<'a> {
    Problem {
        message: record.text("message").unwrap_or_default(),
        ..usual::stated(record, None)
    }
}

/// States `Reconnecting... 1/2` (0.58, in 0.169 with the cause in parentheses) as a retry, else the failure of the
/// turn.
fn error<'a>(record: &Object<'a>) -> Fact<'a> {
    let error = record.object("error");
    let problem = problem(error.as_ref().unwrap_or(record));
    if is_retry(&problem.message) {
        retry(problem)
    } else {
        Fact::Error(problem)
    }
}

fn is_retry(message: &Text<'_>) -> bool {
    let text = message.to_string_lossy();
    text.starts_with("Reconnecting") || text.contains("; retrying ")
}

/// Returns the retry after a problem. One without a cause is due to a lost connection.
fn retry(problem: Problem<'_>) -> Fact<'_> {
    Fact::Retry(problem.or_class(Outcome::Network).passing())
}

/// Returns the counts of the thread or of one request, which both forms write alike.
fn usage_of<'a>(counts: &Object<'a>, scope: Scope<'a>) -> Fact<'a> {
    Fact::usage(scope, None, usual::tokens(counts))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing;
    use crate::session::Sessions;
    use jsift_outcome::Outcome;

    fn sessions(records: &str) -> Sessions {
        testing::sessions(records.lines())
    }

    #[test]
    fn a_change_without_a_start_counts_as_a_call_and_one_with_it_once() {
        let completed = r#"{"type":"item.completed","item":{"id":"item_1","type":"file_change","changes":[{"path":"/w/a","kind":"add"},{"path":"/w/b","kind":"delete"}],"status":"completed"}}"#;
        let started = completed.replace("item.completed", "item.started");
        for records in [completed.to_owned(), format!("{started}\n{completed}")] {
            let sessions = sessions(&records);
            let tools = sessions.current().unwrap().tools().unwrap();
            assert_eq!((tools.sum().calls, tools.sum().success), (1, 1));
            assert_eq!(tools.files().len(), 2);
        }
    }

    #[test]
    fn a_change_with_its_diff_counts_lines() {
        let sessions = sessions(
            r#"{"type":"item.completed","item":{"id":"item_1","type":"file_change","changes":[{"path":"/w/a","kind":"add","diff":"x\ny\n"},{"path":"/w/b","kind":"update","diff":"@@ -1 +1 @@\n-a\n+b\n"}],"status":"completed"}}"#,
        );
        let tools = sessions.current().unwrap().files().unwrap();
        let counts: Vec<_> = tools
            .files()
            .iter()
            .map(|(_, file)| (file.lines.added, file.lines.removed))
            .collect();
        assert_eq!(counts, [(Some(2), Some(0)), (Some(1), Some(1))]);
    }

    #[test]
    fn a_patch_that_grew_writes_all_that_it_has_at_its_end() {
        let first = r#"{"type":"item.started","item":{"id":"item_1","type":"file_change","changes":[{"path":"/w/a","kind":"add"}],"status":"in_progress"}}"#;
        let all = r#"{"type":"item.updated","item":{"id":"item_1","type":"file_change","changes":[{"path":"/w/a","kind":"add"},{"path":"/w/b","kind":"update"}],"status":"in_progress"}}"#;
        let done = all
            .replace("updated", "completed")
            .replace("in_progress", "completed");
        let sessions = sessions(&[first, all, &done].join("\n"));
        let tools = sessions.current().unwrap().tools().unwrap();
        assert_eq!((tools.sum().calls, tools.files().len()), (1, 2));
    }

    #[test]
    fn what_still_runs_when_the_turn_ends_gave_no_result() {
        let start = r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"x","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#;
        let end = start.replace("item.started", "item.completed");
        let sessions = sessions(&[start, &end].join("\n"));
        let sum = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!((sum.calls, sum.success, sum.error), (1, 0, 0));
    }

    #[test]
    fn a_web_search_goes_by_the_first_of_its_ids() {
        let sessions = sessions(concat!(
            r#"{"type":"item.started","item":{"id":"item_0","type":"web_search","id":"","query":""}}"#,
            "\n",
            r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","id":"ws_1","query":"x"}}"#,
        ));
        let sum = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!((sum.calls, sum.success), (1, 1));
    }

    #[test]
    fn a_stream_that_stops_while_reconnecting_has_the_class_of_the_cause() {
        let start = r#"{"type":"thread.started","thread_id":"t"}"#;
        for (message, class) in [
            ("Reconnecting... 1/2", Outcome::Network),
            (
                "Reconnecting... 2/2 (exceeded retry limit, last status: 429 Too Many Requests)",
                Outcome::Quota,
            ),
        ] {
            let error = format!(r#"{{"type":"error","message":"{message}"}}"#);
            assert_eq!(sessions(&format!("{start}\n{error}")).outcome(), class);
        }
    }

    #[test]
    fn the_experimental_form_ends_with_its_message() {
        let session = r#"{"type":"session.created","session_id":"s"}"#;
        let message = r#"{"type":"item.completed","item":{"id":"itm_1","item_type":"assistant_message","text":"hi"}}"#;
        let sessions = sessions(&format!("{session}\n{message}"));
        let session = sessions.current().unwrap();
        assert_eq!(session.response().unwrap(), "hi");
        assert_eq!(session.outcome(), Outcome::Success);
    }

    #[test]
    fn a_resumed_session_is_not_counted_twice() {
        let run = |tokens: u32| {
            format!(
                "{}\n{}{tokens}{}",
                r#"{"type":"thread.started","thread_id":"t"}"#,
                r#"{"type":"turn.completed","usage":{"cached_input_tokens":0,"output_tokens":1,"input_tokens":"#,
                "}}"
            )
        };
        let sessions = sessions(&format!("{}\n{}", run(1001), run(2002)));
        assert_eq!(sessions.all().len(), 1);
        assert_eq!(sessions.current().unwrap().usage().input, Some(2002));
    }

    #[test]
    fn a_legacy_stream_rests_after_a_message_and_not_after_a_call() {
        let config = r#"{"sandbox":"read-only","approval":"never","model":"gpt-5","workdir":"/w","provider":"openai"}"#;
        let message = r#"{"id":"0","msg":{"type":"agent_message","message":"Done."}}"#;
        let call =
            r#"{"id":"0","msg":{"type":"exec_command_begin","call_id":"1","command":["ls"]}}"#;
        let outcome = |records: &[&str]| sessions(&records.join("\n")).outcome();
        assert_eq!(outcome(&[config, message]), Outcome::Success);
        assert_eq!(outcome(&[config, message, call]), Outcome::Truncated);
        let moved = r#"{"id":"0","msg":{"type":"patch_apply_begin","call_id":"2","changes":{"/w/d":{"update":{"unified_diff":"@@ -1 +1,2 @@\n-a\n+b\n+c\n","move_path":"/w/e"}}}}}"#;
        let applied = r#"{"id":"0","msg":{"type":"patch_apply_end","call_id":"2","success":true}}"#;
        let sessions = sessions(&[config, moved, applied].join("\n"));
        let files = sessions.current().unwrap().tools().unwrap().files();
        let paths: Vec<_> = files
            .iter()
            .map(|(path, file)| (path.to_string_lossy(), file.operation, file.lines.added))
            .collect();
        use crate::fact::Operation::{Create, Delete};
        assert_eq!(
            paths,
            [
                ("/w/d".into(), Some(Delete), None),
                ("/w/e".into(), Some(Create), Some(2))
            ]
        );
    }

    #[test]
    fn a_command_that_was_declined_is_denied() {
        let sessions = sessions(
            r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"rm a","aggregated_output":"","exit_code":null,"status":"declined"}}"#,
        );
        let sum = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!((sum.calls, sum.denied, sum.error), (1, 1, 0));
    }

    #[test]
    fn calls_among_agents_go_by_the_name_of_their_tool() {
        let sessions = sessions(
            r#"{"type":"item.completed","item":{"id":"item_1","type":"collab_tool_call","tool":"spawn_agent","sender_thread_id":"a","receiver_thread_ids":["b"],"prompt":"go","agents_states":{},"status":"completed"}}"#,
        );
        let tools = sessions.current().unwrap().tools().unwrap();
        let by_name = tools.by_name();
        let (name, _) = by_name.iter().next().unwrap();
        assert_eq!(*name, "spawn_agent");
    }
}
