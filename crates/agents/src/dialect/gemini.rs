//! The dialect of Gemini CLI, 0.6 to 0.61.
//!
//! - `-o json` (0.6): one object `{session_id?, response, stats, error?, warnings?}`; a failed run prints
//!   `{session_id?, error: {type, message, code}}` on standard error instead. `session_id` since 0.21,
//!   `stats.models.*.roles` since 0.30, `warnings`, and `error` next to a response
//!   (`INVALID_STREAM`), since 0.42.
//! - `-o stream-json` (0.11): records `init`, `message`, `tool_use`, `tool_result`, `error`, `result`, all with a
//!   `timestamp`.
//!
//! All assistant messages of a stream are deltas without an id. The text of a turn ends where a tool call starts.

use crate::dialect::known::PhrasePlace;
use crate::dialect::prelude::*;
use crate::dialect::usual::Words;
use crate::hashes::Seen;
use memchr::memchr_iter;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    retry,
    ..Entry::of::<Gemini>("gemini", SHAPES)
};

/// The shapes of its records and envelopes. An API's error body looks like the error envelope, but writes its types in
/// lower case or has further members; so does the error in a line of a structured log.
const SHAPES: &[RecordShape] = &[
    certain("type=init session_id:string model:string timestamp"),
    likely("type=init model:string"),
    doubtful("type=init session_id:string"),
    certain("type=message role=assistant content:string delta timestamp:string"),
    likely("type=message role=assistant content:string !channel"),
    doubtful("type=message role=user content:string"),
    certain("type=tool_use tool_name:string tool_id:string"),
    likely("type=tool_use tool_name:string"),
    certain("type=tool_result tool_id:string status:string"),
    doubtful("type=tool_result tool_id:string"),
    fits("type=tool_result status:string"),
    doubtful("type=error severity:string message:string"),
    fits("type=error message:string"),
    certain("type=result status:string stats.total_tokens"),
    likely("type=result status:string stats:object"),
    likely("type=result status=error error.type:string error.message:string"),
    fits("type=result stats:object"),
    doubtful("type=result status:string"),
    fits("type timestamp:string"),
    certain("projectHash:string startTime:string"),
    certain("projectHash:string messages:array"),
    likely("type=gemini content tokens:object"),
    fits("type=gemini content"),
    fits("type content id:string timestamp"),
    fits("type=user content id:string !role"),
    fits("$rewindTo:string"),
    fits("$set:object"),
    certain("response stats.models"),
    certain("session_id:string stats.models stats.tools"),
    likely("response:string stats !type"),
    likely("response:string session_id:string !type"),
    likely("response:null session_id:string stats:object !type"),
    likely("response error:string stats:object !type"),
    likely("response error.type:string error.message:string error.code"),
    fits("response session_id"),
    believed("response:string"),
    certain("error.type:string error.message:string session_id:string error.code"),
    likely("error.type:Name error.message:string only:error,warnings"),
];

/// The type of the tool error that a policy or a hook causes (0.61); all other types are failures of the tool.
const POLICY_VIOLATION: &str = "policy_violation";

/// The error of a run that ended because a tool failed (0.6 to 0.9). Its message quotes what the tool read, which may
/// say anything.
const TOOL_FAILED: &str = "FatalToolExecutionError";

/// Reads Gemini CLI's records. No record of a stream depends on another.
#[derive(Default)]
struct Gemini {
    /// The session, the messages and the calls of a file that were stated.
    seen: Seen,
    /// The last message of the model in a file: its id and its text.
    last: Option<(Text<'static>, Text<'static>)>,
}

pub(super) mod disk;

impl Dialect for Gemini {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("session_id");
        match record.word("type").as_deref() {
            // The records of a stream, which are the most frequent.
            Some(b"message") if record.has("role") => message(record, out),
            Some(b"tool_use") => out.push(Fact::Call(call(record))),
            Some(b"tool_result") => out.push(Fact::Result(tool_result(record))),
            _ if self.of_file(record, out) => {}
            None => envelope(record, out),
            // MCP servers log lines with such a type, too.
            Some(b"init") if record.has("session_id") || record.has("model") => {
                out.push(usual::start(record, "version"));
            }
            Some(b"message") => message(record, out),
            Some(b"error") => out.push(warning(record.text("message").unwrap_or_default())),
            Some(b"result") if record.has("status") || record.has("stats") => result(record, out),
            Some(_) => out.push(Fact::unknown(record.text("type"))),
        }
    }
}

fn message<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let text = record.text("content").unwrap_or_default();
    if record.is("role", "user") {
        out.push(Fact::prompt(text));
    } else {
        let said = Message::new(None, text, Form::of(usual::is_set(record, "delta")));
        out.push(match usual::channel(record).has(Words::THINK) {
            true => Fact::Reasoning(said),
            false => Fact::Message(said),
        });
    }
}

fn call<'a>(record: &Object<'a>) -> Call<'a> {
    let id = record.text("tool_id").unwrap_or_default();
    let name = record.text("tool_name").unwrap_or_default();
    let (given, input) = (record.get("parameters"), record.object("parameters"));
    usual::call_about(id, name, given, input, WRITERS)
}

/// The tools that write files.
const WRITERS: Writers = &[("write_file", Writer::File), ("replace", Writer::Edited)];

/// Whether the status of a result says success, or there is neither a status nor an error.
fn is_success(record: &Object<'_>) -> bool {
    match record.get("status").and_then(Value::non_null) {
        Some(status) => status
            .text()
            .is_some_and(|status| usual::means_success(&status)),
        None => record.get("error").and_then(Value::non_null).is_none(),
    }
}

fn tool_result<'a>(record: &Object<'a>) -> ToolResult<'a> {
    let (success, error) = (is_success(record), record.object("error"));
    let is_denial = |error: &Object<'_>| error.is("type", POLICY_VIOLATION);
    let denied = error.as_ref().is_some_and(is_denial);
    let id = record.text("tool_id").unwrap_or_default();
    ToolResult {
        output: record.text("output"),
        error: match error {
            Some(error) => error.text("message"),
            None => record.text("error"),
        },
        ..ToolResult::new(id, ToolStatus::of(!success, denied))
    }
}

/// States a problem that does not end the run: an `error` record, after which the `result` says whether it was fatal,
/// or a warning of an envelope.
fn warning(message: Text<'_>) -> Fact<'_> {
    Fact::Error(usual::problem(message, None).passing())
}

fn problem<'a>(error: &Object<'a>) -> Problem<'a> {
    let message = error.text("message").unwrap_or_default();
    let code = error.get("code").and_then(Code::of);
    let telling = match error.is("type", TOOL_FAILED) {
        false => message.clone(),
        true => Text::EMPTY,
    };
    Problem {
        message,
        ..usual::named_problem(telling, code, error.text("type"))
    }
}

fn result<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let success = is_success(record);
    if let Some(stats) = record.object("stats") {
        // The counts are the process's: one that resumes a session (`-r`) starts at zero.
        out.push(Fact::usage(Scope::Turn, None, stream_tokens(&stats)));
        usual::by_model(&stats, "models", Scope::Turn, stream_tokens, out);
        // The result of a failed run always says 0.
        let ms = stats.u64("duration_ms").filter(|&ms| success || ms > 0);
        out.extend(ms.map(Fact::TurnTook));
    }
    let stated = record.object("error").map(|error| problem(&error));
    // The error may be no more than its message.
    let stated = stated.or_else(|| usual::error(record).filter(|_| !success));
    let stopped = || record.text("status").and_then(usual::stopped);
    let named = || stopped().filter(|it| !success && it.class != Outcome::Failed);
    let error = stated.or_else(named);
    out.push(Fact::over(success, error, None));
}

/// Returns the counts of a stream, which does not count thoughts; they are the total minus input and answer, if the
/// total is stated.
fn stream_tokens(stats: &Object<'_>) -> Tokens {
    let (input, total) = (stats.u64("input_tokens"), stats.u64("total_tokens"));
    let less = |all: Option<u64>, part: Option<u64>| Some(all?.saturating_sub(part?));
    let answer = stats.u64("output_tokens");
    let output = less(total, input);
    Tokens {
        input,
        cached: stats.u64("cached"),
        output: output.or(answer),
        reasoning: less(output, answer),
        total,
        ..Tokens::default()
    }
    .with_total()
}

/// States the facts of the object that `-o json` prints.
fn envelope<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let stats = record.inner("stats");
    out.extend(main_model(&stats).map(Fact::Model));
    usual::by_model(&stats, "models", Scope::Session, model_tokens, out);
    out.extend(tools(stats.value()));
    let warnings = record.get("warnings").into_iter().flat_map(Value::elements);
    out.extend(warnings.filter_map(Value::text).map(warning));
    let error = record.object("error");
    out.push(Fact::End(End {
        success: error.is_none(),
        error: error.map(|error| problem(&error)),
        text: record.text("response"),
        ..End::default()
    }));
}

/// Returns the only model, or the one in the main role: a router's model may be next to it (roles since 0.30).
fn main_model<'a>(stats: &Object<'a>) -> Option<Text<'a>> {
    let models = || stats.get("models").into_iter().flat_map(Value::members);
    let only = models().next().filter(|_| models().nth(1).is_none());
    let main = || models().filter(|(_, model)| model.pointer("/roles/main").is_some());
    only.or_else(|| main().last()).map(|(name, _)| name.text())
}

pub(super) fn model_tokens(model: &Object<'_>) -> Tokens {
    Tokens {
        requests: model.inner("api").u64("totalRequests"),
        ..counts(&model.inner("tokens"), "prompt", "candidates")
    }
}

/// Returns the counts whose input and answer have these names. The output of tools that was sent to the model, and
/// thoughts, are counted next to them.
fn counts(tokens: &Object<'_>, input: &str, answer: &str) -> Tokens {
    let count = |name| tokens.u64(name);
    let with = |name, more| Some(count(name)?.saturating_add(count(more).unwrap_or(0)));
    Tokens {
        input: with(input, "tool"),
        cached: count("cached"),
        output: with(answer, "thoughts"),
        reasoning: count("thoughts"),
        total: count("total"),
        ..Tokens::default()
    }
}

/// Returns the counts of each tool.
pub(super) fn tools<'a>(stats: Value<'a>) -> impl Iterator<Item = Fact<'a>> {
    let tools = stats.pointer("/tools/byName").into_iter();
    let tools = tools.flat_map(Value::members);
    tools.map(|(name, tool)| Fact::ToolTotals(name.text(), totals(tool)))
}

fn totals(tool: Value<'_>) -> Counts {
    let number = |pointer| tool.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let failed = number("/fail");
    let denied = number("/decisions/reject").min(failed);
    Counts {
        calls: number("/count"),
        success: number("/success"),
        error: failed - denied,
        denied,
        duration_ms: tool.get("durationMs").and_then(Value::as_u64),
    }
}

/// Returns the retry that a line of text reports: `Attempt 1 failed with status 429. Retrying with backoff...`. Neither
/// Gemini CLI nor its fork has records for retries.
pub(super) fn retry(line: &[u8]) -> Option<Problem<'_>> {
    const BEGIN: &[u8] = b"Attempt ";
    let mut capitals = memchr_iter(b'A', line);
    let begins = capitals.find(|at| line.get(*at..).is_some_and(|said| said.starts_with(BEGIN)));
    let (before, said) = line.split_at(begins?);
    let said = said.trim_ascii_end();
    let number = said.get(BEGIN.len()..)?;
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    let failed = number.get(digits..)?.starts_with(b" failed");
    let message = Text::from(std::str::from_utf8(said).ok()?);
    let tells = digits > 0 && failed && PhrasePlace::First.is_between(before, b"");
    tells.then(|| Problem {
        fatal: false,
        ..Problem::fatal(class::of(&message, None), message)
    })
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use jsift_outcome::Outcome;

    #[test]
    fn a_retry_that_is_reported_as_text_is_one_of_gemini_or_its_fork() {
        let reported = |agent: Agent, line: &str| {
            let reported = (agent.entry().retry)(line.as_bytes());
            reported.map(|reported| {
                (
                    reported.class,
                    reported.message.to_string_lossy().into_owned(),
                )
            })
        };
        let said = "Attempt 1 failed with status 429. Retrying with backoff...";
        let quota = Some((Outcome::Quota, said.to_owned()));
        for before in ["", "2026-11-21 ERROR ", "API ALERT: "] {
            let line = format!("{before}{said}\r\n");
            assert_eq!(reported(Agent::Gemini, &line), quota, "{line}");
            assert_eq!(reported(Agent::Qwen, &line), quota, "{line}");
            assert_eq!(reported(Agent::Codex, &line), None, "{line}");
        }
        for line in [
            "All is well",
            "Attempt failed with status 429.",
            "Attempt  failed with status 429.",
            "Attempt 1 of 3: status 429",
            "Attempt 1",
            "He said: Attempt 4 failed because of me",
        ] {
            assert_eq!(reported(Agent::Gemini, line), None, "{line}");
        }
    }
}
