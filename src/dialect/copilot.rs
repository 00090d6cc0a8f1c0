//! The dialect of GitHub Copilot CLI, `copilot -p … --output-format json` (seen in 1.0.102).
//!
//! Records `{"type","data","id","timestamp","parentId"}`, `"ephemeral":true` where they only show progress, and a last one
//! `{"type":"result","timestamp","sessionId","exitCode","usage"}`. Whole messages repeat their deltas (`--stream off` leaves those
//! out). Tokens are counted by later versions only. An interrupted run has an `abort` record and ends with `exitCode` 0.

use super::{Dialect, Entry, Strength, class, lines, patch};
use crate::fact::{
    Call, Code, Duration, End, Fact, Form, Message, Operation, Problem, Scope, Start, Statement,
    Tokens, ToolResult, ToolStatus, Usage, User, Write,
};
use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};
use crate::outcome::Outcome;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "copilot",
    recognise,
    is_possible: |record| recognise(record) > Strength::No,
    names: &[Name::new("type")],
    marks: &[Name::new("parentId"), Name::new("exitCode")],
    dialect: || Box::new(Copilot::default()),
};

fn recognise(record: &Object<'_>) -> Strength {
    let is = |name, kind| record.get(name).is_some_and(|value| value.kind() == kind);
    if !is("type", Kind::String) || !is("timestamp", Kind::String) {
        return Strength::No;
    }
    let envelope = is("data", Kind::Object) && is("id", Kind::String) && record.has("parentId");
    let result = record.is("type", "result") && is("sessionId", Kind::String);
    if envelope || result && is("exitCode", Kind::Number) {
        Strength::Certain
    } else if is("data", Kind::Object) || result {
        Strength::Possible
    } else {
        Strength::No
    }
}

/// Reads Copilot's records.
#[derive(Default)]
struct Copilot {
    /// Whether the model was stated.
    started: bool,
    /// Whether the run was interrupted.
    aborted: bool,
    /// What the last request failed with, for the retry that follows.
    failure: Option<Problem<'static>>,
}

impl Dialect for Copilot {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.timestamp = record.get("timestamp");
        if let Some(data) = record.object("data") {
            // Either says that a subagent speaks.
            out.parent = data
                .text("parentToolCallId")
                .or_else(|| record.text("agentId"));
            self.event(record.text("type"), &data, out);
        } else if record.is("type", "result") {
            self.result(record, out);
        } else {
            out.push(Fact::unknown(record.text("type")));
        }
    }
}

impl Copilot {
    fn event<'a>(&mut self, kind: Option<Text<'a>>, data: &Object<'a>, out: &mut Statement<'a>) {
        let fact = match kind.as_ref().and_then(Text::as_str).unwrap_or_default() {
            "session.start" => {
                out.session = data.text("sessionId");
                self.start(data.text("selectedModel"), data.text("copilotVersion"))
            }
            "session.tools_updated" if !self.started => self.start(data.text("model"), None),
            "user.message" => Fact::User(User {
                text: data.text("content").unwrap_or_default(),
                prompt: true,
            }),
            "assistant.message_delta" => message(data, "messageId", "deltaContent", Form::Delta),
            "assistant.message" => {
                self.model(data, out);
                let said = message(data, "messageId", "content", Form::Whole);
                // The answer is of another phase: `final_answer`.
                if data.is("phase", "commentary") {
                    out.push(said);
                    Fact::Step
                } else {
                    said
                }
            }
            "assistant.reasoning_delta" => reasoning(data, "deltaContent", Form::Delta),
            "assistant.reasoning" => reasoning(data, "content", Form::Whole),
            "assistant.usage" => usage(data),
            "tool.execution_start" => Fact::Call(call(data)),
            "tool.execution_complete" => Fact::Result(result(data)),
            "subagent.started" => tool_id(data).map_or(Fact::known(kind), Fact::SubagentStart),
            "subagent.completed" | "subagent.failed" => {
                tool_id(data).map_or(Fact::known(kind), Fact::SubagentEnd)
            }
            "model.call_failure" => {
                let failure = problem(data, "errorMessage", false);
                self.failure = Some(failure.clone().into_owned());
                Fact::Error(failure)
            }
            "assistant.turn_retry" => {
                out.push(Fact::BreakOff);
                Fact::Retry(self.retry(data))
            }
            "session.error" => Fact::Error(problem(data, "message", true)),
            "abort" => {
                self.aborted = true;
                Fact::Error(Problem {
                    class: Outcome::Cancelled,
                    message: data.text("reason").unwrap_or_default(),
                    code: None,
                    fatal: true,
                })
            }
            name if is_known(name) => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }

    fn start<'a>(&mut self, model: Option<Text<'a>>, agent_version: Option<Text<'a>>) -> Fact<'a> {
        self.started = model.is_some();
        Fact::Start(Start {
            agent_version,
            model,
        })
    }

    /// The model that a message is of, if none was stated before it.
    fn model<'a>(&mut self, data: &Object<'a>, out: &mut Statement<'a>) {
        if let (false, None, Some(model)) = (self.started, &out.parent, data.text("model")) {
            self.started = true;
            out.push(Fact::Model(model));
        }
    }

    /// The reason of a retry is a word; what made the request fail says more about its class.
    fn retry<'a>(&mut self, data: &Object<'a>) -> Problem<'a> {
        let message = data.text("reason").unwrap_or_default();
        let failure = self.failure.take();
        Problem {
            class: failure
                .as_ref()
                .map_or_else(|| class::of(&message, None), |f| f.class),
            message,
            code: failure.and_then(|failure| failure.code),
            fatal: false,
        }
    }

    fn result<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("sessionId");
        let ms = record
            .object("usage")
            .and_then(|usage| usage.u64("sessionDurationMs"));
        out.facts
            .extend(ms.map(|ms| Fact::Duration(Duration { ms, turn: false })));
        let code = record.get("exitCode").and_then(Value::as_i64);
        out.push(Fact::End(End {
            success: code == Some(0) && !self.aborted,
            ..End::default()
        }));
        *self = Self::default();
    }
}

/// Whether records of that type say nothing of interest: others of the families that the SDK's types list
/// (`generated/session-events.ts`), as `session.skills_loaded`, `model.call_start`, `tool.shell_output`.
fn is_known(kind: &str) -> bool {
    const FAMILIES: [&str; 28] = [
        "session",
        "model",
        "assistant",
        "agent",
        "tool",
        "hook",
        "skill",
        "subagent",
        "system",
        "permission",
        "user_input",
        "elicitation",
        "sampling",
        "mcp",
        "mcp_app",
        "external_tool",
        "command",
        "commands",
        "capabilities",
        "exit_plan_mode",
        "auto_mode_switch",
        "pending_messages",
        "background_tasks",
        "session_limits_exhausted",
        "extensions",
        "factory",
        "tool_search",
        "ui",
    ];
    let family = kind.split_once('.').map(|(family, _)| family);
    family.is_some_and(|family| FAMILIES.contains(&family))
}

/// The count of one request, which later versions print: the input includes what a cache had. Its `cost` is a share of the
/// premium requests, not money.
fn usage<'a>(data: &Object<'a>) -> Fact<'a> {
    let tokens = Tokens {
        input: data.u64("inputTokens"),
        cached: data.u64("cacheReadTokens"),
        output: data.u64("outputTokens"),
        reasoning: data.u64("reasoningTokens"),
        ..Tokens::default()
    };
    Fact::Usage(Usage {
        scope: Scope::Request(None),
        model: data.text("model"),
        tokens: tokens.with_total(),
    })
}

fn tool_id<'a>(data: &Object<'a>) -> Option<Text<'a>> {
    data.text("toolCallId")
}

fn message<'a>(data: &Object<'a>, id: &str, text: &str, form: Form) -> Fact<'a> {
    Fact::Message(piece(data, id, text, form))
}

fn reasoning<'a>(data: &Object<'a>, text: &str, form: Form) -> Fact<'a> {
    Fact::Reasoning(piece(data, "reasoningId", text, form))
}

fn piece<'a>(data: &Object<'a>, id: &str, text: &str, form: Form) -> Message<'a> {
    Message {
        id: data.text(id),
        text: data.text(text).unwrap_or_default(),
        form,
    }
}

fn call<'a>(data: &Object<'a>) -> Call<'a> {
    let name = data.text("toolName").unwrap_or_default();
    let arguments = data.get("arguments");
    let path = arguments.and_then(|arguments| arguments.get("path")?.text());
    let writes: Vec<_> = match (arguments, &path) {
        (Some(arguments), Some(path)) => {
            write(&name, path.clone(), arguments).into_iter().collect()
        }
        (Some(arguments), None) if name == "apply_patch" => patched(arguments),
        _ => Vec::new(),
    };
    Call {
        id: tool_id(data).unwrap_or_default(),
        name,
        parameters: arguments.map_or_else(|| Text::from("{}"), Text::of_json),
        path: path.or_else(|| writes.first().map(|write| write.path.clone())),
        writes,
    }
}

/// The files of a patch, which is all of the arguments or a member of theirs.
fn patched(arguments: Value<'_>) -> Vec<Write<'static>> {
    let member = |name| arguments.get(name).and_then(Value::text);
    let text = arguments
        .text()
        .or_else(|| member("input"))
        .or_else(|| member("patch"));
    text.map(|text| patch::writes(&text)).unwrap_or_default()
}

/// What a call writes, for results that do not list it.
fn write<'a>(tool: &Text<'a>, path: Text<'a>, arguments: Value<'a>) -> Option<Write<'a>> {
    let text = |name| arguments.get(name).and_then(Value::text);
    let (operation, counts) = match tool.as_str()? {
        "create" => {
            let content = text("file_text");
            (
                Operation::Create,
                content.map(|content| (lines::count(&content), 0)),
            )
        }
        "edit" => {
            let both = text("old_str").zip(text("new_str"));
            (
                Operation::Update,
                both.map(|(old, new)| lines::replaced(&old, &new)),
            )
        }
        _ => return None,
    };
    Some(Write::new(path, Some(operation), counts))
}

fn result<'a>(data: &Object<'a>) -> ToolResult<'a> {
    let error = data.object("error");
    let success = data.get("success").and_then(Value::as_bool) == Some(true);
    let denied = error.as_ref().is_some_and(|error| {
        let code = error.text("code");
        matches!(
            code.as_ref().and_then(Text::as_str),
            Some("denied" | "rejected")
        )
    });
    let given = data.object("result");
    ToolResult {
        id: tool_id(data).unwrap_or_default(),
        status: match (success, denied) {
            (true, _) => ToolStatus::Success,
            (false, true) => ToolStatus::Denied,
            (false, false) => ToolStatus::Error,
        },
        writes: edits(data, given.as_ref()),
        output: given.and_then(|given| given.text("content")),
        error: error.and_then(|error| error.text("message")),
        exit_code: data
            .get("shellExecution")
            .and_then(|shell| shell.get("exitCode")?.as_i64()),
        duration_ms: None,
        call: None,
    }
}

/// `"fileEdits":[{"path","kind"}]`. If there is but one, the diff beside the result is that file's.
fn edits<'a>(data: &Object<'a>, result: Option<&Object<'a>>) -> Vec<Write<'a>> {
    let edits: Vec<_> = data
        .get("fileEdits")
        .into_iter()
        .flat_map(Value::elements)
        .collect();
    let diff = result.and_then(|result| result.text("detailedContent"));
    let counts = diff
        .filter(|_| edits.len() == 1)
        .map(|diff| lines::of_diff(&diff));
    let write = |edit: &Value<'a>| {
        let kind = edit.get("kind").and_then(Value::text);
        let operation = match kind.as_ref().and_then(Text::as_str) {
            Some("create") => Some(Operation::Create),
            Some("edit" | "update") => Some(Operation::Update),
            Some("delete") => Some(Operation::Delete),
            _ => None,
        };
        Some(Write::new(edit.get("path")?.text()?, operation, counts))
    };
    edits.iter().filter_map(write).collect()
}

fn problem<'a>(data: &Object<'a>, name: &str, fatal: bool) -> Problem<'a> {
    let message = data.text(name).unwrap_or_default();
    let code = data.get("statusCode").and_then(Code::of);
    let number = code.as_ref().and_then(Code::number);
    let kind = data.text("errorType");
    let mut class = class::of(&message, number);
    if let (Outcome::Failed, Some(kind)) = (class, &kind) {
        class = class::of(kind, number);
    }
    Problem {
        class,
        message,
        code: code.or(kind.map(Code::Word)),
        fatal,
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing;
    use crate::fact::{Code, Operation};
    use crate::outcome::Outcome;
    use crate::session::Sessions;

    const RESULT: &str = r#"{"type":"result","timestamp":"t","sessionId":"s","exitCode":0,"usage":{"premiumRequests":0,"sessionDurationMs":7}}"#;

    fn run(records: &[(&str, &str)], result: &str) -> Vec<String> {
        let records = records.iter().map(|(kind, data)| {
            format!(
                r#"{{"type":"{kind}","data":{{{data}}},"id":"e","timestamp":"t","parentId":"p"}}"#
            )
        });
        records.chain([result.to_owned()]).collect()
    }

    fn sessions(records: &[(&str, &str)], result: &str) -> Sessions {
        testing::sessions(run(records, result))
    }

    #[test]
    fn later_versions_count_the_tokens_of_each_request() {
        let count = r#""model":"m","inputTokens":10,"outputTokens":5,"cacheReadTokens":3,"cost":1"#;
        let all = sessions(&[("assistant.usage", count); 2], RESULT);
        let usage = all.all()[0].usage();
        assert_eq!((usage.input, usage.cached), (Some(20), Some(6)));
        assert_eq!((usage.output, usage.total), (Some(10), Some(30)));
        assert_eq!(usage.cost_usd, None);
    }

    #[test]
    fn a_patch_names_the_files_where_the_result_does_not() {
        for arguments in [
            r#""*** Begin Patch\n*** Add File: a\n+x\n*** End Patch""#,
            r#"{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}"#,
        ] {
            let start =
                format!(r#""toolCallId":"1","toolName":"apply_patch","arguments":{arguments}"#);
            let records = [
                ("tool.execution_start", start.as_str()),
                (
                    "tool.execution_complete",
                    r#""toolCallId":"1","success":true"#,
                ),
            ];
            let all = sessions(&records, RESULT);
            let tools = all.current().unwrap().tools().unwrap();
            let (path, file) = tools.files().iter().next().unwrap();
            assert_eq!(
                (path.to_string_lossy().as_ref(), file.lines_added),
                ("a", Some(1))
            );
        }
    }

    #[test]
    fn a_whole_message_repeats_its_deltas() {
        let records = [
            ("session.tools_updated", r#""model":"m""#),
            ("user.message", r#""content":"go""#),
            (
                "assistant.message_delta",
                r#""messageId":"1","deltaContent":"The ""#,
            ),
            (
                "assistant.message_delta",
                r#""messageId":"1","deltaContent":"end.""#,
            ),
            (
                "assistant.message",
                r#""messageId":"1","content":"The end.","toolRequests":[]"#,
            ),
        ];
        let all = sessions(&records, RESULT);
        let session = all.current().unwrap();
        assert_eq!(session.assistant_text().unwrap(), "The end.");
        assert_eq!(
            (session.id().unwrap(), session.model().unwrap()),
            (&"s".into(), &"m".into())
        );
        assert_eq!(
            (session.outcome(), session.duration_ms()),
            (Outcome::Success, Some(7))
        );
        assert_eq!(all.all().len(), 1);
    }

    #[test]
    fn a_message_names_the_model_where_nothing_did_before() {
        let message = ("assistant.message", r#""model":"m","content":"x""#);
        let model = |records: &[_]| {
            let all = sessions(records, RESULT);
            assert_eq!(all.current().unwrap().turns(), Some(1));
            all.current().unwrap().model().cloned()
        };
        assert_eq!(model(&[message]), Some("m".into()));
        let before = ("session.tools_updated", r#""model":"n""#);
        assert_eq!(model(&[before, message]), Some("n".into()));
        let subagents = (
            message.0,
            r#""model":"m","content":"x","parentToolCallId":"t""#,
        );
        assert_eq!(
            model(&[("user.message", r#""content":"go""#), subagents]),
            None
        );
    }

    #[test]
    fn deltas_of_a_request_that_failed_are_no_text() {
        let delta = |id| format!(r#""messageId":"{id}","deltaContent":"Cut te""#);
        let all = sessions(
            &[
                ("assistant.message_delta", &delta("1")),
                ("assistant.turn_retry", r#""reason":"transport""#),
                ("assistant.message_delta", &delta("2")),
                // What a subagent tries again is its own.
                (
                    "assistant.turn_retry",
                    r#""reason":"transport","parentToolCallId":"t""#,
                ),
                (
                    "assistant.message",
                    r#""messageId":"2","content":"Cut text""#,
                ),
            ],
            RESULT,
        );
        let session = all.current().unwrap();
        assert_eq!(session.assistant_text().unwrap(), "Cut text");
        assert_eq!(session.messages(), Some(1));
    }

    #[test]
    fn what_is_said_on_the_way_is_not_the_answer() {
        let said = |id, text, phase| {
            format!(r#""messageId":"{id}","content":"{text}","toolRequests":[],"phase":"{phase}""#)
        };
        let (way, answer) = (
            said(1, "I look.", "commentary"),
            said(2, "Done.", "final_answer"),
        );
        let records = [
            ("assistant.message", way.as_str()),
            ("assistant.message", &answer),
        ];
        let all = sessions(&records, RESULT);
        assert_eq!(all.all()[0].response().unwrap(), "Done.");
        assert_eq!(all.all()[0].assistant_text().unwrap(), "I look.\nDone.");
    }

    #[test]
    fn a_run_that_resumes_a_session_tells_its_id_at_the_end_too() {
        let start = ("session.tools_updated", r#""model":"m""#);
        let run = run(&[start, ("assistant.message", r#""content":"x""#)], RESULT);
        let all = testing::sessions(run.iter().chain(&run));
        assert_eq!((all.all().len(), all.outcome()), (2, Outcome::Success));
    }

    #[test]
    fn an_abort_outweighs_exit_code_0() {
        let all = sessions(&[("abort", r#""reason":"user_initiated""#)], RESULT);
        assert_eq!(all.outcome(), Outcome::Cancelled);
    }

    #[test]
    fn a_failed_request_is_fatal_only_with_a_session_error() {
        let failure = (
            "model.call_failure",
            r#""statusCode":429,"errorMessage":"{\"message\":\"Rate limit reached\"}","errorType":"x""#,
        );
        let retry = ("assistant.turn_retry", r#""reason":"rate_limit""#);
        let all = sessions(&[failure, retry], RESULT);
        assert_eq!(all.outcome(), Outcome::Success);
        let error = (
            "session.error",
            r#""errorType":"rate_limit","message":"Failed to get response from the AI model","statusCode":429"#,
        );
        let failed = RESULT.replace(":0,\"usage", ":1,\"usage");
        let all = sessions(&[failure, retry, failure, error], &failed);
        assert_eq!(all.outcome(), Outcome::Quota);
    }

    #[test]
    fn edits_are_those_of_the_result_and_denials_are_told_by_their_code() {
        let call = r#""toolCallId":"1","toolName":"edit","arguments":{"path":"/w/a","old_str":"x","new_str":"y"}"#;
        let done = r#""toolCallId":"1","success":true,"fileEdits":[{"path":"/w/a","kind":"edit"}],"result":{"content":"ok","detailedContent":"--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"}"#;
        let denied = r#""toolCallId":"1","success":false,"error":{"message":"Permission denied","code":"denied"}"#;
        let of = |result| {
            sessions(
                &[
                    ("tool.execution_start", call),
                    ("tool.execution_complete", result),
                ],
                RESULT,
            )
        };
        let all = of(done);
        let tools = all.current().unwrap().tools().unwrap();
        let (_, file) = tools.files().iter().next().unwrap();
        assert_eq!((file.lines_added, file.lines_removed), (Some(2), Some(1)));
        let all = of(denied);
        let tools = all.current().unwrap().tools().unwrap();
        assert_eq!((tools.sum().denied, tools.files().len()), (1, 0));
    }

    #[test]
    fn the_type_of_an_error_tells_the_class_where_its_message_does_not() {
        let error = r#""errorType":"rate_limit","message":"Try later""#;
        let failed = RESULT.replace(r#""exitCode":0"#, r#""exitCode":1"#);
        let all = sessions(&[("session.error", error)], &failed);
        assert_eq!(all.outcome(), Outcome::Quota);
    }

    #[test]
    fn a_file_may_be_deleted() {
        let start = r#""toolCallId":"1","toolName":"bash","arguments":{"command":"rm a"}"#;
        let done = r#""toolCallId":"1","success":true,"result":{"content":"ok"},"fileEdits":[{"path":"a","kind":"delete"}]"#;
        let calls = [
            ("tool.execution_start", start),
            ("tool.execution_complete", done),
        ];
        let all = sessions(&calls, RESULT);
        let tools = all.current().unwrap().tools().unwrap();
        let (_, file) = tools.files().iter().next().unwrap();
        assert_eq!(file.operation, Some(Operation::Delete));
    }

    #[test]
    fn a_session_that_says_so_begins_with_its_id_and_model() {
        let start = r#""sessionId":"s","selectedModel":"m","copilotVersion":"1.0.102""#;
        let all = sessions(&[("session.start", start)], RESULT);
        let session = &all.all()[0];
        assert_eq!(session.agent_version().unwrap(), "1.0.102");
        assert_eq!(
            (session.model().unwrap(), all.all().len()),
            (&"m".into(), 1)
        );
    }

    #[test]
    fn an_error_that_is_repeated_adds_what_it_knows() {
        let failed = RESULT.replace(r#""exitCode":0"#, r#""exitCode":1"#);
        let all = sessions(
            &[
                ("model.call_failure", r#""errorMessage":"Try later""#),
                ("session.error", r#""message":"Try later","statusCode":429"#),
            ],
            &failed,
        );
        let errors = all.current().unwrap().errors();
        assert_eq!((errors.len(), errors[0].fatal), (1, true));
        assert_eq!(errors[0].class, Outcome::Quota);
        assert_eq!(errors[0].code.as_ref().and_then(Code::number), Some(429));
    }
}
