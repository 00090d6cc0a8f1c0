//! The dialect of Qwen Code, 0.24.
//!
//! - `-o json`: an array of all records on one line; a failed run prints `{"error": {type, message, code}}` over
//!   several lines on standard error, in the form of Gemini CLI, of which it is a fork.
//! - `-o stream-json`: the same records as lines; with `--include-partial-messages` also `stream_event`. Messages have
//!   the outline of [`blocks`].
//!
//! Peculiarities: `message.id` is new for every record and separates nothing. Only the last record of a response has
//! its usage, whose input includes tokens from a cache; a result's usage is the session's, including side requests.
//! Text is taken back by `system/retry` with `preserveText: false`. The API's errors are assistant text `[API Error:
//! …]`, alone or after the text that they cut off. The actions of a background subagent are not printed.

use super::{claude, gemini};
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    retry: gemini::retry,
    ..Entry::of::<Qwen>("qwen", SHAPES)
};

/// The shapes that distinguish its records from others with Claude Code's outline, and Gemini CLI's error object.
const SHAPES: &[RecordShape] = &[
    certain("type=system subtype=init qwen_code_version"),
    certain("type=system subtype=init permission_mode"),
    doubtful("type=system subtype=init"),
    certain("type=assistant message.usage.total_tokens"),
    certain("type=assistant message.role=model message.parts:array"),
    certain("type=user message.role=user message.parts:array"),
    certain("type=tool_result message.parts:array"),
    likely("type=system provenance systemPayload:object"),
    fits("type=system systemPayload:object"),
    certain("type=stream_event event.type=goal_state"),
    certain("type=result subtype stats:object !total_cost_usd !modelUsage"),
    // An error of the API has a type, whoever's result it is in.
    certain("type=result subtype error:object !error.type !total_cost_usd !modelUsage"),
    likely("type=system subtype=retry data:object"),
    fits("type=system|result subtype:string"),
    fits("type=assistant|user message.content"),
    fits("type=stream_event event.type:string"),
    fits("type session_id:string"),
    likely("error.type:Name error.message:string only:error,warnings"),
];

/// The start of an error in the assistant's text; the text ends with a closing bracket.
const API_ERROR: &[u8] = b"[API Error: ";
/// Parts of the error text of a call that was not permitted.
const DENIALS: [&str; 2] = [
    "but that permission was declined",
    "is not listed in the active core tools allowlist",
];

/// Reads Qwen Code's records.
#[derive(Default)]
struct Qwen {
    /// The last stated error, so that the result need not repeat it.
    stated: Option<Text<'static>>,
    /// Whether the session of a file has begun.
    begun: bool,
}

mod disk;

impl Dialect for Qwen {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        if self.of_file(record, out) {
            return;
        }
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") => system(record, out),
            Some("assistant") => self.assistant(record, out),
            Some("user") => blocks::given(record, out, result),
            Some("stream_event") => {
                let event = record.object("event");
                let delta = event.and_then(|event| blocks::delta(&event, None));
                // An error comes in one piece, and the message that repeats the deltas states it.
                let is_error = |delta: &Fact<'_>| matches!(delta, Fact::Message(piece) if error_in(&piece.text) == Some(0));
                out.extend(delta.filter(|delta| !is_error(delta)));
            }
            Some("result") => self.result(record, out),
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

impl Qwen {
    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let message = record.inner("message");
        let id = message.text("id");
        for block in blocks::of(record) {
            match blocks::said(&block, id.clone(), WRITERS) {
                Some(Fact::Message(message)) => self.text(message, out),
                fact => out.extend(fact),
            }
        }
        let tokens = tokens(&message.inner("usage"));
        // Only the last record of a response has counts.
        if (tokens.input, tokens.output) != (Some(0), Some(0)) && tokens.is_known() {
            let scope = Scope::Request(None);
            out.push(Fact::usage(scope, message.text("model"), tokens));
        }
    }

    fn text<'a>(&mut self, message: Message<'a>, out: &mut Statement<'a>) {
        let Some(start) = error_in(&message.text) else {
            return out.push(Fact::Message(message));
        };
        let error = message.text.since(start).into_owned();
        if start > 0 {
            let text = message.text.slice(0..start).into_owned();
            out.push(Fact::Message(Message { text, ..message }));
        }
        self.stated = Some(error.clone());
        out.push(Fact::Error(Problem {
            fatal: out.parent.is_none(),
            ..usual::problem(error, None)
        }));
    }

    fn result<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(claude::denials(record));
        result_usage(record, out);
        out.extend(record.u64("duration_ms").map(Fact::SessionTook));
        // Older versions use the API's error as the answer (seen in 0.14).
        let error = record.text("result");
        let error = error.and_then(|text| Some(text.since(error_in(&text)?).into_owned()));
        let success = claude::is_success(record) && error.is_none();
        let failure = (!success).then(|| failure(record, error));
        claude::end(record, failure, self.stated.take(), out);
    }
}

/// Returns the start of the error that ends a text.
fn error_in(text: &Text<'_>) -> Option<usize> {
    let bytes = text.as_bytes();
    bytes.trim_ascii_end().ends_with(b"]").then_some(())?;
    memchr::memmem::rfind(bytes, API_ERROR)
}

fn system<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let subtype = record.text("subtype");
    let data = record.object("data");
    let task = || claude::task(data.as_ref().unwrap_or(record));
    match subtype.as_ref().and_then(Text::as_str) {
        Some("init") => out.push(usual::start(record, "qwen_code_version")),
        Some("retry") => {
            let preserve = record.inner("data").get("preserveText");
            if preserve.and_then(Value::as_bool) == Some(false) {
                out.push(Fact::TakeBack);
            }
            // The cause is stated only on standard error.
            let reported = data.as_ref().unwrap_or(record);
            out.push(Fact::Retry(usual::problem_in(reported, "reason")));
        }
        Some("task_started") => out.extend(task().map(Fact::TaskStart)),
        Some("task_notification") => out.extend(task().map(Fact::TaskEnd)),
        Some("status" | "task_progress" | "session_start" | "goal_state" | "model_fallback") => {
            out.push(Fact::known(subtype));
        }
        _ => out.push(Fact::unknown(subtype)),
    }
}

/// Returns the result of a call, with the file that it says was written.
fn result<'a>(block: &Object<'a>) -> ToolResult<'a> {
    let is_denial = |text: &str| DENIALS.iter().any(|denial| text.contains(denial));
    let result = blocks::result(block, is_denial);
    let written = result.output.as_ref().and_then(operation);
    let written = written.filter(|_| result.status == ToolStatus::Success);
    ToolResult {
        exit_code: blocks::failed_with(&result, "\nExit Code: "),
        writes: written.map(blocks::written).into_iter().collect(),
        ..result
    }
}

/// Returns what was done to the file, from the report of `write_file` or `edit`.
fn operation(report: &Text<'_>) -> Option<Operation> {
    let created = [
        "Successfully created and wrote to new file",
        "Created new file",
    ];
    blocks::operation_of_report(report, &created, "Successfully overwrote file")
}

/// The tools that write files.
const WRITERS: Writers = &[
    ("write_file", Writer::File),
    ("edit", Writer::Edited),
    ("notebook_edit", Writer::Old),
];

/// Returns the failure of a run; `reported` is the error in its answer.
fn failure<'a>(record: &Object<'a>, reported: Option<Text<'a>>) -> Problem<'a> {
    let error = record.inner("error");
    let message = error.text("message").or(reported);
    let otherwise = || names!("result subtype").string(record);
    let message = message.or_else(otherwise).unwrap_or_default();
    let code = error.get("code").and_then(Code::of);
    let subtype = record.text("subtype").unwrap_or_default();
    usual::problem(message, code).or_class(class::of(&subtype, None))
}

/// Returns the counts of one response or of a session. The output includes reasoning, which is not counted separately.
fn tokens(usage: &Object<'_>) -> Tokens {
    let total = usage.u64("total_tokens");
    Tokens {
        total,
        ..usual::tokens_in_all(usage)
    }
}

fn result_usage<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let session = record.object("usage");
    out.extend(session.map(|counts| Fact::usage(Scope::Session, None, tokens(&counts))));
    // Only `-o json` has these.
    let stats = record.inner("stats");
    usual::by_model(&stats, "models", Scope::Session, model_tokens, out);
    out.extend(gemini::tools(stats.value()));
}

/// Returns the counts of a model, like Gemini CLI's, except that `candidates` include thoughts.
fn model_tokens(model: &Object<'_>) -> Tokens {
    let counts = model.inner("tokens");
    Tokens {
        input: counts.u64("prompt"),
        output: counts.u64("candidates"),
        ..gemini::model_tokens(model)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Agent;
    use super::super::testing::session;
    use crate::fact::Operation;
    use jsift_outcome::Outcome;

    const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s","model":"m","permission_mode":"yolo","qwen_code_version":"0.24.4"}"#;
    const RETRY: &str = r#"{"type":"system","subtype":"retry","session_id":"s","data":{"reason":"retry","preserveText":false}}"#;
    const FAILED: &str = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","duration_ms":0,"num_turns":1,"error":{"message":"[API Error: Model stream ended without a finish reason.]"}}"#;

    fn say(text: &str) -> String {
        let record = r#"{"type":"assistant","session_id":"s","message":{"id":"x","model":"m","content":[{"type":"text","text":"TEXT"}],"usage":{"input_tokens":0,"output_tokens":0}}}"#;
        record.replace("TEXT", text)
    }

    #[test]
    fn text_that_is_taken_back_and_the_error_after_text_are_no_answer() {
        let last = say("This is cut[API Error: Model stream ended without a finish reason.]");
        let part = say("This is cut");
        let session = session(&[INIT, &part, RETRY, &part, RETRY, &last, FAILED]);
        assert_eq!(session.assistant_text().unwrap(), "This is cut");
        assert_eq!(session.outcome(), Outcome::Network);
        assert_eq!(session.errors().len(), 1);
    }

    #[test]
    fn an_error_is_no_answer_though_the_result_takes_it_for_one() {
        let error = "[API Error: 401 invalid access token or token expired]";
        let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","duration_ms":4040,"num_turns":1,"result":"TEXT"}"#;
        for before in ["", "Cut "] {
            let text = format!("{before}{error}");
            let session = session(&[INIT, &say(&text), &result.replace("TEXT", &text)]);
            assert_eq!(session.outcome(), Outcome::Auth);
            assert_eq!(session.errors().len(), 1);
            assert_eq!(session.response().unwrap_or_default(), before);
        }
    }

    #[test]
    fn an_error_among_the_deltas_is_no_text() {
        let delta = |text: &str| {
            let record = r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TEXT"}}}"#;
            record.replace("TEXT", text)
        };
        let error = "[API Error: Model stream ended without a finish reason.]";
        let (cut, reason) = (delta("This is [cut"), delta(error));
        let last = say(&format!("This is [cut{error}"));
        let said = session(&[INIT, &cut, RETRY, &cut, &reason, &last, FAILED]);
        assert_eq!(said.response().unwrap(), "This is [cut");
        let silent = session(&[INIT, &reason, &say(error), FAILED]);
        assert_eq!(silent.assistant_text().unwrap(), "");
        assert_eq!((silent.messages(), silent.errors().len()), (Some(0), 1));
    }

    #[test]
    fn what_a_schema_made_is_the_answer_after_an_introduction() {
        let call = r#"{"type":"assistant","session_id":"s","message":{"id":"x","content":[{"type":"tool_use","id":"t","name":"structured_output","input":{"a":1}}]}}"#;
        let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","num_turns":1,"result":"{\"a\":1}","structured_result":{"a":1}}"#;
        let session = session(&[INIT, &say("Let me answer."), call, result]);
        assert_eq!(session.response().unwrap(), r#"{"a":1}"#);
    }

    #[test]
    fn records_that_count_nothing_leave_the_sum_known() {
        let last = r#"{"type":"assistant","session_id":"s","message":{"id":"y","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7}}}"#;
        let usage = session(&[INIT, &say("a"), last]).usage();
        assert_eq!(
            (usage.input, usage.output, usage.total),
            (Some(5), Some(2), Some(7))
        );
    }

    #[test]
    fn a_result_alone_is_recognised_by_its_error() {
        let session = session(&[FAILED]);
        assert_eq!(session.agent, Some(Agent::Qwen));
        assert_eq!(session.outcome(), Outcome::Network);
    }

    #[test]
    fn a_refused_call_is_denied() {
        let call = r#"{"type":"assistant","session_id":"s","message":{"id":"x","content":[{"type":"tool_use","id":"t","name":"write_file","input":{"file_path":"a"}}]}}"#;
        let result = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Qwen Code requires permission to use \"write_file\", but that permission was declined."}]}}"#;
        let session = session(&[INIT, call, result]);
        assert_eq!(session.tools().unwrap().sum().denied, 1);
    }

    #[test]
    fn an_edit_that_succeeded_tells_what_it_did() {
        let written = |tool: &str, input: &str| {
            let call = format!(
                r#"{{"type":"assistant","session_id":"s","message":{{"id":"x","content":[{{"type":"tool_use","id":"t","name":"{tool}","input":{{{input}}}}}]}}}}"#
            );
            let result = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":false,"content":"done"}]}}"#;
            let session = session(&[INIT, &call, result]);
            let (path, file) = session.files().unwrap().files().iter().next().unwrap();
            assert_eq!(*path, "/a");
            (file.operation, file.lines.added, file.lines.removed)
        };
        let edit = r#""file_path":"/a","old_string":"a\nb","new_string":"a\nc\nd""#;
        let update = Some(Operation::Update);
        assert_eq!(written("edit", edit), (update, Some(2), Some(1)));
        let everywhere = format!(r#"{edit},"replace_all":true"#);
        assert_eq!(written("edit", &everywhere), (update, None, None));
        let new = r#""file_path":"/a","old_string":"","new_string":"a""#;
        let reported = written("edit", new);
        assert_eq!(reported, (Some(Operation::Create), Some(1), Some(0)));
        let cell = r#""notebook_path":"/a","new_source":"x""#;
        assert_eq!(written("notebook_edit", cell), (update, None, None));
    }

    #[test]
    fn an_envelope_adds_the_time_that_calls_took() {
        let call = r#"{"type":"assistant","session_id":"s","message":{"id":"x","content":[{"type":"tool_use","id":"t","name":"write_file","input":{"file_path":"a"}}]}}"#;
        let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","num_turns":1,"result":"a","stats":{"models":{},"tools":{"byName":{"write_file":{"count":1,"success":1,"fail":0,"durationMs":7}}}}}"#;
        let session = session(&[INIT, call, result]);
        let by_name = session.tools().unwrap().by_name();
        let (_, counts) = by_name.iter().next().unwrap();
        assert_eq!((counts.calls, counts.duration_ms), (1, Some(7)));
    }
}
