//! The members in which agents usually state things: the names that most of them use, in the order in which they are
//! looked up.
//!
//! Dialects build on this module. An [unknown agent](super::stranger) is read by nothing else; the dialect of a known
//! agent states what its shapes alone do not say.

mod tokens;
mod words;

use super::{class, lines};
use crate::fact::{
    Call, Code, End, Fact, Operation, Problem, Start, ToolResult, ToolStatus, Write,
};
use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};
use crate::outcome::Outcome;
pub(super) use tokens::{counts_tokens, tokens, usage};
pub(super) use words::Words;
use words::split;

/// Members that say what a record is.
const KINDS: [Name; 19] = [
    Name::new("type"),
    Name::new("event"),
    Name::new("kind"),
    Name::new("method"),
    Name::new("subtype"),
    Name::new("event_type"),
    Name::new("eventType"),
    Name::new("contentType"),
    Name::new("step_type"),
    Name::new("sessionUpdate"),
    Name::new("hookEventName"),
    Name::new("message_type"),
    Name::new("item_type"),
    Name::new("event_kind"),
    Name::new("payload_type"),
    Name::new("part_kind"),
    Name::new("part_delta_kind"),
    Name::new("block_type"),
    Name::new("object"),
];
/// Members that identify a session.
const SESSIONS: [&str; 7] = [
    "session_id",
    "sessionId",
    "sessionID",
    "thread_id",
    "threadId",
    "conversation_id",
    "taskId",
];
const TIMES: [&str; 5] = ["timestamp", "ts", "time", "created_at", "createdAt"];
/// Members that say how something ended.
const STATES: [&str; 10] = [
    "status",
    "state",
    "stopReason",
    "stop_reason",
    "finishReason",
    "finish_reason",
    "reason",
    "subtype",
    "outcome",
    "terminal_reason",
];
/// Words in such members, and the outcome that each means.
const FAILURES: &[(Outcome, &[&str])] = &[
    (Outcome::Turns, &["length", "max", "limit", "budget"]),
    (
        Outcome::Cancelled,
        &[
            "cancelled",
            "canceled",
            "aborted",
            "abort",
            "interrupted",
            "terminated",
        ],
    ),
    (
        Outcome::Blocked,
        &[
            "refusal", "content", "blocked", "safety", "filter", "filtered",
        ],
    ),
    (Outcome::Quota, &["overloaded", "exhausted", "quota"]),
    (Outcome::Network, &["timeout"]),
    (
        Outcome::Failed,
        &[
            "error",
            "failed",
            "failure",
            "denied",
            "invalid",
            "rejected",
            "incomplete",
        ],
    ),
];
/// Members with the answer in the record that ends a run; the first `SURE_ANSWERS` of them can be nothing else.
const ANSWERS: [&str; 12] = [
    "response",
    "finalText",
    "final_text",
    "last_agent_message",
    "final_answer",
    "answer",
    "output_text",
    "result",
    "text",
    "output",
    "message",
    "content",
];
/// The number of names in `ANSWERS` that can be nothing but the answer.
const SURE_ANSWERS: usize = 7;
/// Members that identify a call, both in the call and in its result.
const CALL_IDS: [&str; 8] = [
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
    "toolUseId",
    "call_id",
    "callId",
    "callID",
    "tool_id",
];
const TOOL_NAMES: [&str; 5] = ["tool_name", "toolName", "toolCallName", "name", "tool"];
const PARAMETERS: [&str; 8] = [
    "parameters",
    "input",
    "arguments",
    "args",
    "rawInput",
    "params",
    "command",
    "changes",
];
/// Members with the output of a tool.
const OUTPUTS: [&str; 13] = [
    "output",
    "result",
    "response",
    "content",
    "aggregated_output",
    "observation",
    "value",
    "rawOutput",
    "stdout",
    "outputText",
    "partialResult",
    "return_value",
    "tool_return",
];
const PATHS: [&str; 11] = [
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
    "dir_path",
    "TargetFile",
    "AbsolutePath",
];

/// Returns the first member of these names that is present and not `null`.
pub(super) fn first<'a>(record: &Object<'a>, names: &[&str]) -> Option<Value<'a>> {
    names.iter().find_map(|name| record.get(name)?.non_null())
}

/// Returns the first member of these names that is a non-empty string.
pub(super) fn first_text<'a>(record: &Object<'a>, names: &[&str]) -> Option<Text<'a>> {
    let texts = names.iter().filter_map(|name| record.text(name));
    texts.into_iter().find(|text| !text.is_empty())
}

/// Returns the words in a record's type.
pub(super) fn words(record: &Object<'_>) -> Words {
    let all = KINDS
        .iter()
        .filter_map(|name| record.get_named(*name)?.word());
    all.fold(Words::default(), |words, kind| words.with(Words::of(&kind)))
}

/// Returns the id of the session that a record names.
pub(super) fn session<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    first_text(record, &SESSIONS)
}

/// Returns the start of a session, with the agent's version in the member of that name.
pub(super) fn start<'a>(record: &Object<'a>, version: &str) -> Fact<'a> {
    Fact::Start(Start {
        agent_version: record.text(version),
        model: record.text("model"),
        folder: record.text("cwd"),
    })
}

/// Returns the time at which a record says that it was written.
pub(super) fn timestamp<'a>(record: &Object<'a>) -> Option<Value<'a>> {
    let is_time = |value: &Value<'_>| matches!(value.kind(), Kind::String | Kind::Number);
    first(record, &TIMES).filter(is_time)
}

/// Returns the text of a content: a string, an object with a `text`, or a list of blocks, without thoughts and calls.
/// `None` if the value is no content.
pub(super) fn text(content: Value<'_>) -> Option<Text<'_>> {
    match content.kind() {
        Kind::String => content.text(),
        Kind::Object => said(content)?.text(),
        Kind::Array => {
            let mut all: Option<Text<'_>> = None;
            for block in content.elements() {
                let said = (block.kind() == Kind::Object).then(|| said(block));
                let aside = block
                    .get("type")
                    .and_then(Value::word)
                    .is_some_and(|kind| Words::of(&kind).has(Words::THINK.with(Words::TOOL)));
                match said?.and_then(Value::text).filter(|_| !aside) {
                    Some(text) => match &mut all {
                        Some(all) => all.push(&text),
                        None => all = Some(text),
                    },
                    None => _ = all.get_or_insert(Text::EMPTY),
                }
            }
            all
        }
        _ => None,
    }
}

/// Returns the `text` of a block; OpenAI's Assistants put it into a `value`.
fn said(block: Value<'_>) -> Option<Value<'_>> {
    let text = block.get("text")?;
    text.get("value").or(Some(text))
}

/// Returns the answer in a record that ends a run, and whether the member can be nothing but the answer.
pub(super) fn answer<'a>(record: &Object<'a>) -> Option<(Text<'a>, bool)> {
    let of = |at: usize| {
        let text = text(record.get(ANSWERS.get(at)?)?)?;
        (!text.is_blank()).then_some((text, at < SURE_ANSWERS))
    };
    (0..ANSWERS.len()).find_map(of)
}

/// Returns the failure that a record states by its status, a flag, an error, or an exit code.
pub(super) fn failure<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let class = STATES.iter().find_map(|name| {
        let word = record.word(name)?;
        let is_call = Words::of(&word).has(Words::TOOL);
        class_of_state(&word).filter(|_| !is_call)
    });
    let stopped = ["aborted", "cancelled", "canceled", "interrupted"];
    let stopped = stopped.iter().any(|name| is_set(record, name));
    let class = class.or(stopped.then_some(Outcome::Cancelled));
    let error = error(record);
    let stated = has_failed(record) || error.is_some();
    let class = class.or(stated.then_some(Outcome::Failed))?;
    let problem = error.unwrap_or(Problem::fatal(class, Text::EMPTY));
    Some(problem.or_class(class))
}

/// Whether a flag or an exit code says that something failed, whatever else the record says.
pub(super) fn has_failed(record: &Object<'_>) -> bool {
    let code = |name| record.get(name).and_then(Value::as_i64);
    is_set(record, "is_error")
        || is_set(record, "isError")
        || record.get("success").and_then(Value::as_bool) == Some(false)
        || ["exit_code", "exitCode"]
            .into_iter()
            .filter_map(code)
            .any(|code| code != 0)
}

/// Whether a flag is there and true.
pub(super) fn is_set(record: &Object<'_>, name: &str) -> bool {
    record.get(name).and_then(Value::as_bool) == Some(true)
}

/// Returns the outcome that a status word means, if it means a failure.
fn class_of_state(word: &[u8]) -> Option<Outcome> {
    let says = |all: &&[&str]| {
        split(word).any(|part| {
            all.iter()
                .any(|one| part.eq_ignore_ascii_case(one.as_bytes()))
        })
    };
    let row = FAILURES.iter().find(|(_, all)| says(all));
    row.map(|(class, _)| *class)
}

/// Returns the end of a run that stopped for `reason`, with the answer `text`.
pub(super) fn end<'a>(reason: Option<Text<'a>>, text: Option<Text<'a>>) -> End<'a> {
    let class = reason
        .as_ref()
        .and_then(|reason| class_of_state(reason.as_bytes()));
    End {
        success: class.is_none(),
        error: class.map(|class| Problem::fatal(class, reason.unwrap_or_default())),
        text: text.filter(|_| class.is_none()),
    }
}

/// Returns the error in a record: a text, or an object with a message.
fn error<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let names = [
        "error",
        "errorMessage",
        "error_message",
        "finalError",
        "errors",
    ];
    let value = first(record, &names)?;
    let (message, code) = match value.kind() {
        Kind::String => (value.text()?, None),
        Kind::Object => problem_parts(&Object::new(value)?),
        Kind::Array => (value.elements().find_map(text)?, None),
        _ => return None,
    };
    (!message.is_empty() || code.is_some())
        .then(|| problem(message, code.or_else(|| code_of(record))))
}

/// Returns the message and the code of an error object.
fn problem_parts<'a>(error: &Object<'a>) -> (Text<'a>, Option<Code<'a>>) {
    let inner = error.object("data");
    let message = first_text(error, &["message", "detail", "text", "name", "type"]);
    let said = inner.and_then(|data| first_text(&data, &["message"]));
    (said.or(message).unwrap_or_default(), code_of(error))
}

fn code_of<'a>(record: &Object<'a>) -> Option<Code<'a>> {
    let names = [
        "code",
        "status_code",
        "statusCode",
        "errorCode",
        "error_code",
        "api_error_status",
        "errorClass",
    ];
    first(record, &names).and_then(Code::of)
}

/// Returns a failure with that message and code, classified by both.
pub(super) fn problem<'a>(message: Text<'a>, code: Option<Code<'a>>) -> Problem<'a> {
    let name = match &code {
        Some(Code::Word(word)) => Some(word.clone()),
        _ => None,
    };
    named_problem(message, code, name)
}

/// Returns a failure with that message, code and name, classified by all three. The name is the code if there is none.
pub(super) fn named_problem<'a>(
    message: Text<'a>,
    code: Option<Code<'a>>,
    name: Option<Text<'a>>,
) -> Problem<'a> {
    let number = code.as_ref().and_then(Code::number);
    let class = match (class::of(&message, number), &name) {
        (Outcome::Failed, Some(name)) => class::of(name, number),
        (class, _) => class,
    };
    Problem {
        code: code.or(name.map(Code::Word)),
        ..Problem::fatal(class, message)
    }
}

/// Returns the failure that a member contains as a text.
pub(super) fn problem_in<'a>(record: &Object<'a>, name: &str) -> Problem<'a> {
    problem(record.text(name).unwrap_or_default(), None)
}

/// Returns the failure that an error record states.
pub(super) fn told<'a>(record: &Object<'a>) -> Problem<'a> {
    failure(record)
        .filter(|problem| !problem.message.is_empty())
        .unwrap_or_else(|| {
            let names = [
                "message",
                "errorText",
                "detail",
                "text",
                "content",
                "reason",
                "data",
            ];
            let message = first_text(record, &names).unwrap_or_default();
            problem(message, code_of(record))
        })
}

/// Returns the id of a call; `own` says whether the record is about a call, so that its own `id` is the call's.
pub(super) fn call_id<'a>(record: &Object<'a>, own: bool) -> Option<Text<'a>> {
    first_text(record, &CALL_IDS).or_else(|| record.text("id").filter(|_| own))
}

/// Whether a record calls the id of a call the id of a tool's call: `call_id` may be a telephone's.
pub(super) fn names_tool(record: &Object<'_>) -> bool {
    let mut ids = CALL_IDS.iter().filter(|name| name.starts_with("tool"));
    ids.any(|name| record.has(name))
}

/// The last calls that had their results: some agents write a result twice.
#[derive(Debug, Default)]
pub(super) struct Answered(Vec<Text<'static>>);

impl Answered {
    /// The maximum number of calls that are remembered.
    const MOST: usize = 64;

    /// Notes that the call `id` has its result.
    pub(super) fn add(&mut self, id: &Text<'_>) {
        self.0.push(id.to_shared());
        let over = self.0.len().saturating_sub(Self::MOST);
        self.0.drain(..over);
    }

    /// Whether the call `id` had its result.
    pub(super) fn has(&self, id: &Text<'_>) -> bool {
        self.0.contains(id)
    }
}

/// Returns the call that a record or a block states.
pub(super) fn call<'a>(record: &Object<'a>, id: Text<'a>) -> Call<'a> {
    let inner = [
        "function",
        "tool_call",
        "toolCall",
        "tool_info",
        "detail",
        "state",
        "action",
    ];
    let inner = inner.iter().find_map(|name| record.object(name));
    let name = |record: &Object<'a>| first_text(record, &TOOL_NAMES);
    let own = name(record).or_else(|| name(inner.as_ref()?));
    let named = own.or_else(|| first_text(record, &["title", "type", "kind"]));
    let given = |record: &Object<'a>| first(record, &PARAMETERS);
    let given = given(record).or_else(|| given(inner.as_ref()?));
    call_of(id, named.unwrap_or_default(), given)
}

/// Returns the call of the tool `name` with the parameters `given`.
pub(super) fn call_of<'a>(id: Text<'a>, name: Text<'a>, given: Option<Value<'a>>) -> Call<'a> {
    let members = given.and_then(Object::new);
    let path = members.as_ref().and_then(|input| first_text(input, &PATHS));
    let writes = writes(&name, path.as_ref(), members.as_ref());
    Call {
        id,
        name,
        parameters: given.map(parameters).unwrap_or_default(),
        path,
        writes,
    }
}

/// Returns the file that a tool with that name and these parameters writes; the path is the file that the call is about.
pub(super) type WriteOf = for<'a> fn(&str, Text<'a>, &Object<'a>) -> Option<Write<'a>>;

/// Returns the call of the tool `name`, whose parameters name its file in one of the members `paths`.
pub(super) fn call_about<'a>(
    id: Text<'a>,
    name: Text<'a>,
    given: Option<Value<'a>>,
    paths: &[&str],
    write: WriteOf,
) -> Call<'a> {
    let input = given.and_then(Object::new);
    let path = |input: &Object<'a>| paths.iter().find_map(|path| input.text(path));
    let call = Call {
        id,
        name,
        parameters: given.map(Text::of_json).unwrap_or_default(),
        path: input.as_ref().and_then(path),
        writes: Vec::new(),
    };
    writing(call, input.as_ref(), write)
}

/// Returns the call with the file that it writes according to `write`, and no other.
pub(super) fn writing<'a>(call: Call<'a>, input: Option<&Object<'a>>, write: WriteOf) -> Call<'a> {
    let path = call.path.clone();
    let write = path.and_then(|path| write(call.name.as_str()?, path, input?));
    Call {
        writes: write.into_iter().collect(),
        ..call
    }
}

/// The parameters of a call that has none.
pub(super) fn no_parameters<'a>() -> Value<'a> {
    Value::new(b"{}")
}

/// Returns parameters as JSON text; some agents write them as JSON in a string.
fn parameters(given: Value<'_>) -> Text<'_> {
    match given.text() {
        Some(json) if crate::json::is_json(json.as_bytes()) => {
            Text::written(Value::new(json.as_bytes()))
        }
        _ => Text::of_json(given),
    }
}

/// Members with the text that an edit replaces, and with its replacement.
const EDITS: [(&str, &str); 5] = [
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("old_string", "new_string"),
    ("oldText", "newText"),
    ("old", "new"),
];

/// Returns the file that a call writes, if the tool's name says that it writes files.
pub(super) fn writes<'a>(
    tool: &Text<'a>,
    path: Option<&Text<'a>>,
    input: Option<&Object<'a>>,
) -> Vec<Write<'a>> {
    const WRITING: [&str; 6] = ["write", "edit", "create", "replace", "editor", "multiedit"];
    let is_writing = |word: &[u8]| {
        WRITING
            .iter()
            .any(|one| word.eq_ignore_ascii_case(one.as_bytes()))
    };
    let views = input.is_some_and(|input| input.is("command", "view"));
    let path = path.filter(|_| !views && split(tool.as_bytes()).any(is_writing));
    let write = |path: &Text<'a>| {
        let (operation, lines) = input.and_then(edit).unzip();
        Write::new(path.clone(), operation, lines.flatten())
    };
    path.map(write).into_iter().collect()
}

/// Returns what is done to a file, by the word for it in a list of changes.
pub(super) fn operation(word: Option<Text<'_>>) -> Option<Operation> {
    match word?.as_str()? {
        "add" | "create" => Some(Operation::Create),
        "update" | "edit" => Some(Operation::Update),
        "delete" => Some(Operation::Delete),
        _ => None,
    }
}

/// Returns what an edit does to a file, and the number of lines that it adds and removes if it is made once. An edit
/// that replaces an empty text creates the file.
pub(super) fn edit(input: &Object<'_>) -> Option<(Operation, Option<(u64, u64)>)> {
    let texts = |(old, new): &(&str, &str)| input.text(old).zip(input.text(new));
    let (old, new) = EDITS.iter().find_map(texts)?;
    let all = is_set(input, "replace_all");
    let operation = Operation::on(!old.is_empty());
    Some((operation, (!all).then(|| lines::replaced(&old, &new))))
}

/// Returns the end of a run that failed; without `error` the last stated failure is the reason.
pub(super) const fn failed(error: Option<Problem<'_>>) -> Fact<'_> {
    Fact::End(End {
        success: false,
        error,
        text: None,
    })
}

/// Returns the result of a call that a record or a block states.
pub(super) fn result<'a>(record: &Object<'a>, id: Text<'a>) -> ToolResult<'a> {
    let state = record.object("state");
    let inner = state.as_ref().unwrap_or(record);
    let given = first(inner, &OUTPUTS).or_else(|| first(record, &OUTPUTS));
    let details = given.and_then(Object::new);
    let shown = inner.object("display");
    let places = [Some(record), Some(inner), details.as_ref(), shown.as_ref()];
    let failed = places.into_iter().flatten().find_map(failure);
    let failed = failed.or_else(|| {
        let each = given
            .into_iter()
            .flat_map(Value::elements)
            .filter_map(Object::new);
        each.filter(|one| one.has("success"))
            .find_map(|one| failure(&one))
    });
    let nested = details
        .as_ref()
        .and_then(|details| first(details, &OUTPUTS));
    let output = given.and_then(text).or_else(|| nested.and_then(text));
    let output = output.or_else(|| Some(Text::of_json(details.as_ref()?.value())));
    let denied = failed.as_ref().is_some_and(|problem| {
        let code = match &problem.code {
            Some(Code::Word(word)) => word.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        record.is("status", "declined") || matches!(code.as_str(), "denied" | "rejected")
    });
    let status = ToolStatus::of(failed.is_some(), denied);
    ToolResult {
        output,
        error: failed
            .map(|problem| problem.message)
            .filter(|message| !message.is_empty()),
        exit_code: first(record, &["exit_code", "exitCode"]).and_then(Value::as_i64),
        duration_ms: first(record, &["duration_ms", "durationMs"]).and_then(Value::as_u64),
        ..ToolResult::new(id, status)
    }
}

/// Whether a record about a call states the call's result.
pub(super) fn has_result(record: &Object<'_>, words: Words) -> bool {
    let state = record.object("state");
    let status = state
        .as_ref()
        .unwrap_or(record)
        .word("status")
        .or_else(|| record.word("state"));
    match status {
        Some(status) => {
            let words = Words::of(&status);
            let running = [
                "running",
                "pending",
                "active",
                "in_progress",
                "inProgress",
                "started",
            ];
            let runs = running
                .iter()
                .any(|one| status.eq_ignore_ascii_case(one.as_bytes()));
            !runs
                && (words.has(Words::END)
                    || class_of_state(&status).is_some()
                    || status.eq_ignore_ascii_case(b"success"))
        }
        None => {
            let flags = [
                "is_error",
                "isError",
                "success",
                "exit_code",
                "exitCode",
                "error",
            ];
            let results = [
                "output",
                "result",
                "response",
                "observation",
                "value",
                "tool_use_id",
            ];
            // An end that gives nothing but the call's id is the end of its parameters (AG-UI's `TOOL_CALL_END`).
            let whole = ["name", "toolName", "tool_name", "tool", "tool_call", "item"];
            words.has(Words::END)
                && (first(record, &whole).is_some() || first(record, &OUTPUTS).is_some())
                || first(record, &flags).is_some()
                || first(record, &results).is_some()
        }
    }
}
