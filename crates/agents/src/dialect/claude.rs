//! The dialect of Claude Code, 1.0 to 2.1.
//!
//! - `--output-format json`: one `result` object, or with `--verbose` an array of all records.
//! - `--output-format stream-json --verbose`: records `system`, `assistant`, `user`, `result`; with
//!   `--include-partial-messages` also `stream_event`, the deltas of the API. Messages have the outline of [`blocks`].
//!
//! Peculiarities: the order of members varies (2.1), so that `type` may be last. Each content block is a record of its
//! own; the blocks of one response share `message.id` and repeat its usage, which is the snapshot at the response's
//! start (2.x; final in 1.0). API errors are assistant messages of the model `<synthetic>`. One process may print
//! several `init` and `result` records, whose `modelUsage` and cost are totals and whose `usage` and duration are the
//! turn's. Failed runs may have `subtype` `success` with `is_error`, or (1.0) `is_error: false` with `error_max_turns`.
//! Programs that pass records on may leave `session_id` out: claude-code-action prints only `init` and `result`, and
//! few of their members.

use crate::dialect::prelude::*;
use crate::time;
use disk::ClaudeFile;
use files::{WRITERS, written};
use known::{is_known_system, is_known_type};
use result::{class_of, denial_of, status_of};
pub(super) use result::{denials, end, failure, is_success};
use usage::request;
pub(super) use usage::tokens;

mod denial;
mod disk;
mod files;
mod known;
mod result;
mod usage;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Claude>("claude", SHAPES);

/// The shapes of its records. Qwen Code, Amp, Cursor and others took most of them over: records without their marks are
/// taken for Claude Code's. In forks the records about hooks have `data`.
const SHAPES: &[RecordShape] = &[
    certain("type=system subtype=init claude_code_version"),
    certain("type=system subtype=init output_style"),
    certain("type=system subtype=init permissionMode tools"),
    likely("type=system subtype=init message^=Claude"),
    doubtful("type=system subtype=init"),
    likely("type=system subtype=api_retry"),
    certain("type=system hook_name !data"),
    fits("type=system|result subtype:string"),
    likely("type=assistant message.content:list"),
    doubtful("type=assistant|user message.content"),
    doubtful("type=assistant message.usage:object"),
    likely("type=user message.content:list parent_tool_use_id"),
    likely("type=stream_event event.type^=message_|content_block_"),
    fits("type=stream_event event.type:string"),
    certain("type=result subtype:string modelUsage"),
    certain("type=result subtype:string total_cost_usd"),
    likely("type=result subtype:string result:string"),
    likely("type=result subtype^=error"),
    likely("type=result subtype=success session_id:string"),
    likely("type=result subtype=success num_turns:number"),
    likely("type=result subtype=success duration_ms:number"),
    likely("type=result subtype=success usage.input_tokens:number"),
    doubtful("type=result subtype=success"),
    likely("type=result is_error"),
    likely("type=result structured_output"),
    likely("type=result result:string session_id:string"),
    fits("type=result result:string"),
    likely("session_id:string result:string is_error !type"),
    likely("session_id:string result:string total_cost_usd !type"),
    likely("session_id:string result:string num_turns !type"),
    fits("type=control_request|control_response|control_cancel_request"),
    fits("type session_id:string"),
    // Records of session files on disk.
    certain("type=assistant|user isSidechain message:object"),
    certain("type=assistant|user parentUuid message.content"),
    likely("type=system isSidechain subtype:string"),
    doubtful("type=queue-operation operation:string sessionId:string"),
    doubtful("type=file-history-snapshot snapshot:object"),
    doubtful("type=summary summary:string leafUuid:string"),
    fits("type sessionId:string"),
    fits("type isSidechain"),
    // A result whose type is written last, cut off before the type (2.1).
    fits("session_id:string is_error"),
    fits("session_id:string duration_api_ms"),
];

/// The message of the `init` record that claude-code-action prints, with few of its members (`run-claude-sdk.ts`).
const INITIALIZED: &str = "Claude Code initialized";
/// The model in messages that no model wrote.
pub(super) const SYNTHETIC: &str = "<synthetic>";
/// The start of most errors of the API.
const API_ERROR: &str = "API Error: ";
/// The text of a synthetic message that is no error: the turn needed no answer (1.0, 2.1).
const NO_ANSWER: &str = "No response requested.";
/// Members of a synthetic message with the report of one of the agent's own commands, `/context` or `/usage` (2.1).
const REPORTS: [&str; 2] = ["context_usage", "usage_report"];
/// The start of a user message with which a hook sends an answer back.
const SENT_BACK: &str = "Stop hook feedback:";
/// The start of a user message after the user stopped the agent.
const INTERRUPTED: &str = "[Request interrupted by user";

/// Reads Claude Code's records.
#[derive(Default)]
struct Claude {
    /// The messages that the deltas of the main thread and of a subagent belong to.
    open: [Option<Text<'static>>; 2],
    /// The session whose `init` named the model.
    model_of: Option<Text<'static>>,
    /// Whether the messages of this version do not have their final output count yet (2.x).
    snapshots: bool,
    /// The first id of the last `supersedes`, so that the other records of the same message do not take back again.
    superseded: Option<Text<'static>>,
    /// The last stated error, so that the result need not repeat it.
    stated: Option<Text<'static>>,
    /// Whether the model said anything.
    spoken: bool,
    /// The session whose cost a result has stated.
    costed: Option<Text<'static>>,
    /// The model that claude-code-action named.
    reported: Option<Text<'static>>,
    /// The state needed to read session files.
    disk: ClaudeFile,
}

impl Dialect for Claude {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        if self.disk.begin(record, out) {
            return;
        }
        let kind = record.text("type");
        match kind.as_ref().map(Text::as_bytes) {
            Some(b"system") => self.system(record, out),
            Some(b"assistant") => self.assistant(record, out),
            Some(b"user") => user(record, out),
            Some(b"stream_event") => self.stream_event(record, out),
            Some(b"result") => self.result(record, out),
            Some(b"rate_limit_event") => out.push(rate_limit(record).unwrap_or(Fact::known(kind))),
            None if record.has("result") => self.result(record, out),
            Some(known) if is_known_type(known) => out.push(Fact::known(kind)),
            _ => out.push(Fact::unknown(kind)),
        }
        if self.disk.reads {
            disk::end(record, out);
        }
    }
}

impl Claude {
    fn system<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let subtype = record.text("subtype");
        match subtype.as_ref().and_then(Text::as_str) {
            // Only the result follows this record, and nothing of what happens in between.
            Some("init") if record.is("message", INITIALIZED) => {
                self.reported = record.text("model").map(Text::into_owned);
            }
            Some("init") => {
                self.snapshots = record.text("claude_code_version").is_some();
                let id = record.text("session_id").map(Text::into_owned);
                self.model_of = id.filter(|_| record.text("model").is_some());
                out.push(usual::start(record, "claude_code_version"));
            }
            Some("api_retry") => {
                let code = record.get("error_status").and_then(Code::of);
                let message = record.text("error").unwrap_or_default();
                out.push(Fact::Retry(usual::problem(message, code)));
            }
            // The output was flagged, and the agent asks another model.
            Some("model_refusal_fallback") => {
                if first(record, "retracted_message_uuids").is_some() {
                    out.push(Fact::TakeBack);
                }
                out.push(Fact::known(subtype));
            }
            Some("permission_denied") => out.push(Fact::Denial(denial_of(record))),
            Some("task_started") if is_in_background(record) => {
                out.extend(task(record).map(Fact::TaskStart));
            }
            Some("task_notification") => out.extend(task(record).map(Fact::TaskEnd)),
            Some(known) if is_known_system(known) => out.push(Fact::known(subtype)),
            _ => out.push(Fact::unknown(subtype)),
        }
    }

    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let Some(message) = record.object("message") else {
            return;
        };
        self.spoken = true;
        if is_synthetic(record, &message) {
            return self.synthetic(record, &message, out);
        }
        if let Some(superseded) = first(record, "supersedes")
            && self.superseded.as_ref() != Some(&superseded)
        {
            self.superseded = Some(superseded.into_owned());
            out.push(Fact::TakeBack);
        }
        if out.parent.is_none() && self.model_of != out.session {
            out.extend(message.text("model").map(Fact::Model));
        }
        let id = message.text("id");
        if out.parent.is_none() && self.open[0].is_some() && self.open[0] != id {
            // The stream failed, and the agent asked again without streaming.
            self.open[0] = None;
            out.push(Fact::BreakOff);
        }
        let say = |text| Fact::Message(Message::new(id.clone(), text, Form::Block));
        out.extend(message.text("content").map(say));
        let blocks = message.objects("content");
        let said = blocks.filter_map(|block| blocks::said(&block, id.clone(), WRITERS));
        out.extend(said.map(|fact| fact.of_block(record.text("uuid"))));
        if let Some(usage) = message.object("usage") {
            let mut tokens = tokens(&usage);
            let finished = message
                .get("stop_reason")
                .and_then(Value::non_null)
                .is_some();
            if !finished && (self.snapshots || tokens.output <= Some(1)) {
                tokens.output = None;
            }
            let scope = match id {
                Some(id) if self.disk.reads => disk::request(record, id),
                id => Scope::Request(id),
            };
            // A message without input was counted nowhere.
            if tokens.input != Some(0) || tokens.output.is_some() {
                out.push(request(&message, scope, tokens));
            }
        }
    }

    /// States a message that the agent wrote in the model's name: nearly always an error of the API.
    fn synthetic<'a>(
        &mut self,
        record: &Object<'a>,
        message: &Object<'a>,
        out: &mut Statement<'a>,
    ) {
        let text = message.get("content").map(blocks::text).unwrap_or_default();
        if text == NO_ANSWER {
            return out.push(Fact::known(None));
        }
        if REPORTS.iter().any(|report| record.has(report)) {
            let report = Message::new(message.text("id"), text, Form::Block);
            return out.push(Fact::Message(report));
        }
        self.stated = Some(text.clone().into_owned());
        let class = class_of(&text, record, message.text("stop_reason"));
        out.push(Fact::Error(Problem {
            code: status_of(record).and_then(Code::of),
            fatal: out.parent.is_none(),
            ..Problem::fatal(class, text)
        }));
    }

    fn stream_event<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let Some(event) = record.object("event") else {
            return;
        };
        match event.word("type").as_deref() {
            Some(b"message_start") => {
                let Some(message) = event.object("message") else {
                    return;
                };
                let id = message.text("id");
                self.open[thread(out)] = id.clone().map(Text::into_owned);
                // If the message before was completed, each of its blocks was repeated as a whole.
                out.push(Fact::BreakOff);
                if let Some(usage) = message.object("usage") {
                    let tokens = Tokens {
                        output: None,
                        ..tokens(&usage)
                    };
                    out.push(request(&message, Scope::Request(id), tokens));
                }
            }
            Some(b"message_delta") => {
                let output = event.inner("usage").u64("output_tokens");
                if let (Some(id), Some(_)) = (self.message_id(record, out), output) {
                    let tokens = Tokens {
                        output,
                        ..Tokens::default()
                    };
                    out.push(request(&event, Scope::Request(Some(id)), tokens));
                }
            }
            Some(b"error") => {
                let fatal = out.parent.is_none();
                let problem = usual::problem_of_error_record(&event);
                out.push(Fact::Error(Problem { fatal, ..problem }));
            }
            _ => {
                let id = self.message_id(record, out);
                out.extend(blocks::delta(&event, id));
            }
        }
    }

    /// Returns the id of the message that a `stream_event` belongs to: stated since 2.1, before that the id in the
    /// thread's last `message_start`.
    fn message_id<'a>(&self, record: &Object<'a>, out: &Statement<'a>) -> Option<Text<'a>> {
        let stated = record.text("api_message_id");
        stated.or_else(|| self.open[thread(out)].clone())
    }
}

/// Whether a record of the assistant is the agent's and not a model's, as it says itself or by a model that is none.
fn is_synthetic(record: &Object<'_>, message: &Object<'_>) -> bool {
    message.is("model", SYNTHETIC)
        || usual::is_set(record, "isApiErrorMessage")
        || record.holds("error", Kind::String)
}

/// Returns which thread a record is from: the main one, or a subagent's.
fn thread(out: &Statement<'_>) -> usize {
    usize::from(out.parent.is_some())
}

/// Returns when the quota that is used up becomes available again (2.1).
fn rate_limit(record: &Object<'_>) -> Option<Fact<'static>> {
    let info = record.object("rate_limit_info")?;
    let used_up = info.is("status", "rejected");
    let resets_at = info.get("resetsAt").and_then(time::seconds);
    resets_at.filter(|_| used_up).map(Fact::QuotaReset)
}

/// Whether a task works in the background: a subagent, or a command whose record says so.
fn is_in_background(record: &Object<'_>) -> bool {
    record.has("subagent_type")
        || record.is("task_type", "local_agent")
        || usual::is_set(record, "is_backgrounded")
}

/// Returns the id of the call that started a task, or of the task itself.
pub(super) fn task<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let call = record.text("tool_use_id");
    call.or_else(|| record.text("task_id"))
}

/// Returns the first of a list of ids.
fn first<'a>(record: &Object<'a>, ids: &str) -> Option<Text<'a>> {
    record.get(ids)?.elements().next()?.text()
}

/// States a user's message. Prompts are echoed only on request (`--replay-user-messages`); other texts are the agent's
/// own.
fn user<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let replay = usual::is_set(record, "isReplay");
    let replay = replay || disk::is_prompt(record);
    let say = |text: Text<'a>, out: &mut Statement<'a>| {
        let prompt = replay && !text.starts_with(INTERRUPTED) && !disk::is_local(&text);
        // The text before this message is no answer.
        let sent_back = text.starts_with(SENT_BACK);
        out.push(Fact::User(User { text, prompt }));
        if sent_back {
            out.push(Fact::Step);
        }
    };
    let message = record.inner("message");
    if let Some(text) = message.text("content") {
        say(text, out);
    }
    for block in message.objects("content") {
        match block.word("type").as_deref() {
            Some(b"text") => say(block.text("text").unwrap_or_default(), out),
            Some(b"tool_result") => {
                let mut result =
                    blocks::result(&block, |text| denial::is_denied(record, &block, text));
                result.exit_code = blocks::failed_with(&result, "Exit code ");
                if result.status == ToolStatus::Success {
                    result.writes.extend(written(record, &result.output));
                }
                let launched = is_launch(record, &result.output);
                let id = result.id.clone();
                out.push(Fact::Result(result));
                if !launched {
                    out.push(Fact::TaskEnd(id));
                }
            }
            _ => {}
        }
    }
}

/// Whether a result only says that a subagent or a command has started to work in the background.
fn is_launch(record: &Object<'_>, output: &Option<Text<'_>>) -> bool {
    let works = |it: Object<'_>| it.has("backgroundTaskId") || usual::is_set(&it, "isAsync");
    let says = |output: &Text<'_>| output.starts_with("Async agent launched");
    files::detail(record).is_some_and(works) || output.as_ref().is_some_and(says)
}

#[cfg(test)]
mod tests;
