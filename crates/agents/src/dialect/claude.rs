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
use usage::request;
pub(super) use usage::tokens;

mod denial;
mod disk;
mod files;
mod known;
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
    certain("type=system hook_name !data"),
    fits("type=system|result subtype:string"),
    likely("type=assistant message.content:list"),
    doubtful("type=assistant|user message.content"),
    doubtful("type=assistant message.usage:object"),
    likely("type=user message.content:list parent_tool_use_id"),
    likely("type=stream_event event.type:string"),
    certain("type=result subtype:string modelUsage"),
    certain("type=result subtype:string total_cost_usd"),
    likely("type=result subtype:string result:string"),
    likely("type=result subtype^=error"),
    likely("type=result subtype:string is_error"),
    likely("type=result is_error result:string"),
    likely("type=result result:string session_id:string"),
    fits("type=result result:string"),
    likely("session_id:string result:string is_error !type"),
    likely("session_id:string result:string total_cost_usd !type"),
    likely("session_id:string result:string num_turns !type"),
    fits("type=control_request|control_response|control_cancel_request"),
    fits("type session_id:string"),
    // Records of session files on disk.
    certain("type=assistant|user isSidechain message:object"),
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

/// The start of an error, usually a result's first, that says why the agent considers the turn failed, not what failed.
const DIAGNOSIS: &str = "[ede_diagnostic]";

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
            Some("api_retry") => out.push(Fact::Retry(retry(record))),
            // The output was flagged, and the agent asks another model.
            Some("model_refusal_fallback") => {
                if first(record, "retracted_message_uuids").is_some() {
                    out.push(Fact::TakeBack);
                }
                out.push(Fact::known(subtype));
            }
            Some("permission_denied") => {
                out.extend(record.text("tool_use_id").map(Fact::Denial));
            }
            Some("task_started") if is_in_background(record) => {
                out.extend(task(record).map(Fact::TaskStart));
            }
            Some("task_notification") => {
                out.extend(task(record).map(Fact::TaskEnd));
            }
            Some(known) if is_known_system(known) => {
                out.push(Fact::known(subtype));
            }
            _ => out.push(Fact::unknown(subtype)),
        }
    }

    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let Some(message) = record.object("message") else {
            return;
        };
        self.spoken = true;
        if message.is("model", SYNTHETIC) {
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
            out.push(request(&message, scope, tokens));
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
            code: record.get("api_error_status").and_then(Code::of),
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

    fn result<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(denials(record));
        out.extend(self.reported.take().map(Fact::Model));
        self.result_usage(record, out);
        out.extend(record.u64("duration_ms").map(Fact::turn_took));

        let stated = self.stated.take();
        // A result that does not say whether it is an error is one if it repeats one, or starts like one of the API.
        let text = record.text("result").unwrap_or_default();
        let tells = stated.as_ref() == Some(&text) || text.starts_with(&Text::from(API_ERROR));
        let success = is_success(record) && (record.has("is_error") || !tells);
        let failure = (!success).then(|| failure(record));
        end(record, failure, stated, out);
        // After a task in the background, a process may print such a result before its first turn (2.1).
        let is_early = success && !self.spoken && record.u64("num_turns") == Some(0);
        if let Some(Fact::End(end)) = out.facts.last_mut().filter(|_| is_early) {
            end.scope = EndScope::Attempt;
        }
    }

    /// Returns the cost of the whole process; `None` if no turn led to this result and an earlier result stated the
    /// cost: such a result does not count what was spent before (2.1.0 to 2.1.6, after background tasks).
    fn cost(&mut self, record: &Object<'_>, of_no_model: bool) -> Option<f64> {
        // Until 1.0.22 the member had other names.
        let mut costs = names!("total_cost_usd total_cost cost_usd").of(record);
        let cost_usd = costs.find_map(Value::as_f64)?;
        let session = record.text("session_id").map(Text::into_owned);
        let is_blank = of_no_model && record.u64("num_turns") == Some(0);
        if is_blank && self.costed == session {
            return None;
        }
        self.costed = session;
        Some(cost_usd)
    }

    fn result_usage<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let models = record.get("modelUsage").into_iter();
        let models: Vec<_> = models.flat_map(Value::members).collect();
        if let ([(only, _)], true) = (models.as_slice(), self.model_of != out.session) {
            out.push(Fact::Model(only.text()));
        }
        let is_known = |fact: &Fact<'_>| matches!(fact, Fact::Usage(it) if it.tokens.is_known());
        let read = usual::tokens_apart;
        let by_model = usual::by_model(record, "modelUsage", Scope::Session, read);
        out.extend(by_model.filter(is_known));
        let cost = self.cost(record, models.is_empty());
        out.extend(cost.map(|cost| Fact::cost(Some(cost))));
        let turn = tokens(&record.inner("usage")).with_total();
        out.extend(
            turn.is_known()
                .then(|| Fact::usage(Scope::Turn, None, turn)),
        );
    }
}

/// Returns which thread a record is from: the main one, or a subagent's.
fn thread(out: &Statement<'_>) -> usize {
    usize::from(out.parent.is_some())
}

/// Whether a result is a success: `is_error` decides, except that 1.0 sets it to false when the turns ran out.
pub(super) fn is_success(record: &Object<'_>) -> bool {
    let failed = usual::is_set(record, "is_error");
    let subtype = record.text("subtype").unwrap_or_default();
    !failed && !subtype.starts_with(&Text::from("error"))
}

/// Returns the calls that were not permitted, which a result lists.
pub(super) fn denials<'a>(record: &Object<'a>) -> impl Iterator<Item = Fact<'a>> {
    let denials = record.objects("permission_denials");
    denials.filter_map(|denial| denial.text("tool_use_id").map(Fact::Denial))
}

/// States how a result ends the turn; an error need not be repeated if it is the one that was `stated` before.
pub(super) fn end<'a>(
    record: &Object<'a>,
    failure: Option<Problem<'a>>,
    stated: Option<Text<'_>>,
    out: &mut Statement<'a>,
) {
    if failure.is_none() {
        out.extend(unsaid(record).map(Fact::Message));
        out.extend(structured(record).map(Fact::Structured));
    }
    out.push(match failure {
        Some(failure) if stated.as_ref() == Some(&failure.message) => Fact::ended(false),
        failure => Fact::end(failure, answer(record)),
    });
}

/// Returns the answer of a result, or the structured output of a schema.
fn answer<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let text = record.text("result");
    if text.as_ref().is_some_and(|text| !text.is_empty()) {
        return text;
    }
    structured(record).or(text)
}

/// Returns the structured output (`--json-schema`), if the result has no other answer: the model gave it in a call, so
/// that no message contains it.
fn unsaid<'a>(record: &Object<'a>) -> Option<Message<'a>> {
    let structured = structured(record)?;
    let is_answer = answer(record).is_some_and(|answer| answer == structured);
    is_answer.then(|| Message::whole(structured))
}

/// Returns the structured output of a schema.
fn structured<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let names = names!("structured_output structured_result");
    names.first(record).map(Text::of_json)
}

/// Returns when the quota that is used up becomes available again (2.1).
fn rate_limit(record: &Object<'_>) -> Option<Fact<'static>> {
    let info = record.object("rate_limit_info")?;
    let used_up = info.is("status", "rejected");
    let resets_at = info.get("resetsAt").and_then(time::seconds);
    resets_at.filter(|_| used_up).map(Fact::QuotaReset)
}

/// Returns the failure that a result states.
pub(super) fn failure<'a>(record: &Object<'a>) -> Problem<'a> {
    let message = first_error(record);
    let message = message.or_else(|| names!("error result subtype").text(record));
    let message = message.unwrap_or_default();
    let reason = record.text("terminal_reason").unwrap_or_default();
    let class = match reason.starts_with(&"aborted".into()) {
        true => Outcome::Cancelled,
        false => class_of(&message, record, record.text("stop_reason")),
    };
    Problem {
        code: record.get("api_error_status").and_then(Code::of),
        ..Problem::fatal(class, message)
    }
}

/// Returns the first error in a result's list that is more than a diagnosis; if there is none, the first.
fn first_error<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let errors = || {
        let list = record.get("errors").into_iter().flat_map(Value::elements);
        list.filter_map(Value::text)
    };
    let diagnosis = Text::from(DIAGNOSIS);
    let mut causes = errors().filter(|error| !error.starts_with(&diagnosis));
    causes.next().or_else(|| errors().next())
}

/// Returns the class of an error: a refusal says so itself; else the text decides, then the members next to it.
pub(super) fn class_of(
    text: &Text<'_>,
    record: &Object<'_>,
    stop_reason: Option<Text<'_>>,
) -> Outcome {
    if stop_reason.is_some_and(|reason| reason == "refusal") {
        return Outcome::Blocked;
    }
    let status = record.get("api_error_status").and_then(Value::as_i64);
    let words = names!("api_error api_error_type error subtype terminal_reason");
    let alongside = words.of(record).filter_map(Value::text);
    std::iter::once(class::of(text, status))
        .chain(alongside.map(|word| class::of(&word, None)))
        .chain(not_started(record))
        .find(|class| *class != Outcome::Failed)
        .unwrap_or(Outcome::Failed)
}

/// Returns the class of the reason why the agent did not start (2.1): the account or its organisation, or its input.
fn not_started(record: &Object<'_>) -> Option<Outcome> {
    let reason = record.text("startup_failure_reason")?;
    let begins = |begin: &&str| reason.starts_with(&Text::from(*begin));
    let is_accounts = ["org_", "provider_", "gateway_"].iter().any(begins);
    Some(match is_accounts {
        true => Outcome::Auth,
        false => Outcome::Input,
    })
}

fn retry<'a>(record: &Object<'a>) -> Problem<'a> {
    let message = record.text("error").unwrap_or_default();
    usual::problem(message, record.get("error_status").and_then(Code::of))
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
        let prompt =
            replay && !text.starts_with(&Text::from(INTERRUPTED)) && !disk::is_local(&text);
        // The text before this message is no answer.
        let sent_back = text.starts_with(&Text::from(SENT_BACK));
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
    let says = |output: &Text<'_>| output.starts_with(&"Async agent launched".into());
    files::detail(record).is_some_and(works) || output.as_ref().is_some_and(says)
}

#[cfg(test)]
mod tests;
