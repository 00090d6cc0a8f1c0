//! The dialect of goose, `goose run --output-format json|stream-json`. From its source; not seen running.
//!
//! - `stream-json`: records `{"type":"message","message":{"role","content":[…]}}`, `notification`, `model_change`,
//!   `error`, and `complete` at the end, in older versions also after an error. A streamed message comes in pieces that
//!   share its `id`.
//! - `json`: one object `{"messages":[…],"metadata":{"total_tokens","status"}}`; `goose session export` prints one with the
//!   messages as its `conversation`.
//! - the server's answer to `/reply`: the same records under names in capitals (`Message`, `Error`), `Finish` at the end.
//!
//! The blocks of a message are `text`, `thinking`, `toolRequest`, `toolResponse` and `systemNotification`. In newer
//! versions its member `metadata` has the model that was asked: `{"inference":{"provider","requestedModel"}}`.
//!
//! A provider's error is text of the assistant, a [notice](NOTICES) of goose's own, after which the run is complete; so
//! is the message that the turns ran out. Only used-up credits are a `systemNotification`.

use crate::dialect::prelude::*;
use std::ops::Range;

use memchr::memmem;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Goose>("goose", SHAPES);

/// The shapes of its records and its envelope. Records of a tree of messages, each with the id of the one before, are
/// from session files of other agents.
const SHAPES: &[RecordShape] = &[
    certain("type=message message.role:string message.metadata.userVisible !parentId"),
    likely("type=message message.role=assistant message.content:array !parentId"),
    certain("type=Message message.role:string message.metadata.userVisible"),
    likely("type=Message message.role=assistant message.created:number message.content:array"),
    doubtful("type=message message.role=user message.content:array !parentId"),
    doubtful("type=message message.content:list !message.role !parentId"),
    doubtful("type=complete total_tokens"),
    doubtful("type=notification extension_id"),
    doubtful("type=error error:string only:type,error"),
    fits("type=complete|notification|model_change"),
    fits("type=error error:string"),
    fits("type=Finish|Error|ModelChange|Notification|UpdateConversation|Ping"),
    likely("messages:array metadata.total_tokens metadata.status"),
    likely("messages:list messages.role messages.created:number messages.content:list"),
    likely(
        "conversation:list conversation.role conversation.created:number conversation.content:list",
    ),
    believed("messages:list"),
];

/// The text after most errors.
const RETRY: &str = "\n\nPlease retry if you think this is a transient or recoverable error.";

/// Goose's texts for errors of a provider and for its own: the text before the error, the fixed start of the error, if
/// it has one, and the text after it.
const NOTICES: [(&str, &str, &str); 5] = [
    ("Ran into this error: ", "", RETRY),
    ("Ran into this error trying to compact: ", "", RETRY),
    (
        "",
        "Network error: ",
        "\n\nPlease resend your message to try again.",
    ),
    // The limit of `--max-turns`.
    (
        "",
        "I've reached the maximum number of actions I can do without user input",
        " Would you like me to continue?",
    ),
    (
        "",
        "The model returned an empty response",
        " Please resend your message to continue.",
    ),
];

/// The output of a tool that was not permitted (`agents/tool_execution.rs`).
const DECLINED: &str = "The user has declined to run this tool.";

/// Reads goose's records.
#[derive(Default)]
struct Goose {
    /// Whether the last stated fact is an error, after which the agent may continue.
    failed: bool,
}

impl Dialect for Goose {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            None => self.envelope(record, out),
            Some("message" | "Message") => {
                if let Some(message) = record.object("message") {
                    self.message(&message, out);
                }
            }
            Some("model_change" | "ModelChange") => {
                out.extend(record.text("model").map(Fact::Model));
            }
            Some("error" | "Error") => self.fail(problem(record.text("error")), out),
            Some("complete") => {
                out.push(usage(record));
                out.push(Fact::ended(!std::mem::take(&mut self.failed)));
            }
            Some("Finish") => out.push(Fact::ended(!std::mem::take(&mut self.failed))),
            Some("notification" | "Notification" | "UpdateConversation" | "Ping") => {
                out.push(Fact::known(kind));
            }
            Some(_) => out.push(Fact::unknown(kind)),
        }
    }
}

impl Goose {
    /// States the facts of the envelope, which contains the session from its start.
    fn envelope<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::Start(Start::default()));
        let messages = ["messages", "conversation"].into_iter();
        for message in messages.flat_map(|name| record.objects(name)) {
            self.message(&message, out);
        }
        let metadata = match record.object("metadata") {
            None => record.clone(),
            Some(metadata) => metadata,
        };
        let failed = std::mem::take(&mut self.failed);
        let status = metadata.text("status");
        let completed =
            !record.has("metadata") || status.as_ref().is_some_and(usual::means_success);
        out.push(usage(&metadata));
        let failure = || usual::or_stopped(problem(status.clone()), status.clone());
        let failure = (!completed && !failed).then(failure);
        out.push(Fact::over(completed && !failed, failure, None));
    }

    fn message<'a>(&mut self, message: &Object<'a>, out: &mut Statement<'a>) {
        let inference = message.inner("metadata").inner("inference");
        out.extend(inference.text("requestedModel").map(Fact::Model));
        let user = message.is("role", "user");
        for block in message.objects("content") {
            let kind = block.text("type");
            let kind_word = kind.as_ref().and_then(Text::as_str);
            self.failed &= !matches!(kind_word, Some("text" | "thinking" | "toolRequest"));
            match kind_word {
                Some("text") => {
                    let text = block.text("text").unwrap_or_default();
                    if user {
                        out.push(Fact::prompt(text));
                    } else {
                        self.text(message, text, out);
                    }
                }
                Some("thinking") => {
                    let text = block.text("thinking").unwrap_or_default();
                    out.push(Fact::Reasoning(said(message, text)));
                }
                Some("toolRequest") => out.push(Fact::Call(call(&block))),
                Some("toolResponse") => out.push(Fact::Result(result(&block))),
                Some("systemNotification") if block.is("notificationType", "creditsExhausted") => {
                    let message = block.text("msg").unwrap_or_default();
                    self.fail(Problem::fatal(Outcome::Quota, message), out);
                }
                _ => out.push(Fact::known(kind)),
            }
        }
    }

    /// States a text of the assistant, or a provider's error, which may follow such a text.
    fn text<'a>(&mut self, message: &Object<'a>, text: Text<'a>, out: &mut Statement<'a>) {
        let Some((start, error)) = error_in(&text) else {
            return out.push(Fact::Message(said(message, text)));
        };
        if start > 0 {
            let text = text.slice(0..start).into_owned();
            out.push(Fact::Message(said(message, text)));
        }
        self.fail(problem(Some(text.slice(error).into_owned())), out);
    }

    fn fail<'a>(&mut self, problem: Problem<'a>, out: &mut Statement<'a>) {
        self.failed = true;
        out.push(Fact::Error(problem));
    }
}

/// States the counts of the session. Older versions have only the total.
fn usage<'a>(record: &Object<'a>) -> Fact<'a> {
    Fact::usage(Scope::Session, None, usual::tokens_in_all(record))
}

fn problem(message: Option<Text<'_>>) -> Problem<'_> {
    usual::problem(message.unwrap_or_default(), None)
}

/// Returns a text as a piece of the message with its id; without an id it is a message of its own.
fn said<'a>(message: &Object<'a>, text: Text<'a>) -> Message<'a> {
    let id = message.text("id");
    let form = Form::of(id.is_some());
    Message::new(id, text, form)
}

/// Returns the start of the notice that ends a text, and the range of the provider's error in it.
fn error_in(text: &Text<'_>) -> Option<(usize, Range<usize>)> {
    let bytes = text.as_bytes().trim_ascii_end();
    NOTICES.iter().find_map(|(before, error, after)| {
        let reported = bytes.strip_suffix(after.as_bytes())?;
        let reported = reported.strip_suffix(b".").unwrap_or(reported);
        let words = [*before, *error].concat();
        let start = memmem::rfind(reported, words.as_bytes())?;
        Some((start, start + before.len()..reported.len()))
    })
}

fn call<'a>(block: &Object<'a>) -> Call<'a> {
    let value = block.inner("toolCall").inner("value");
    let name = value.text("name").unwrap_or_default();
    let input = value.object("arguments");
    let given = value.get("arguments").unwrap_or_else(usual::no_parameters);
    let id = block.text("id").unwrap_or_default();
    usual::call_about(id, name, Some(given), input, WRITERS)
}

/// The tools of the developer extension that write files: its editor, or `write` and `edit` of newer versions, which
/// have no prefix (`platform_extensions/developer/edit.rs`).
const WRITERS: Writers = &[
    ("write", Writer::File),
    ("developer__write", Writer::File),
    ("edit", Writer::Old),
    ("developer__edit", Writer::Old),
    ("developer__text_editor", Writer::By(by_editor)),
    ("text_editor", Writer::By(by_editor)),
];

fn by_editor<'a>(path: Text<'a>, arguments: &Object<'a>) -> Option<Write<'a>> {
    let operation = match arguments.text("command")?.as_str()? {
        "write" => None,
        "str_replace" | "insert" => Some(Operation::Update),
        _ => return None,
    };
    Some(Write::new(path, operation, None))
}

/// Returns what was done to a file, from the report of `write`: `Created PATH (1 lines)` or `Wrote PATH (1 lines)`
/// (`platform_extensions/developer/edit.rs`).
fn operation(report: &Text<'_>) -> Option<Operation> {
    let tells = report.as_str()?.ends_with(" lines)");
    tells.then(|| blocks::operation_of_report(report, &["Created "], "Wrote "))?
}

/// Returns the result in `"toolResult":{"status":"success","value":[{"text"}]|{"content":[{"text"}],"isError"}}` or
/// `{"status":"error","error"}`. In newer versions the value also contains the shell's output as data:
/// `"structuredContent":{"stdout","stderr","exit_code"}`.
fn result<'a>(block: &Object<'a>) -> ToolResult<'a> {
    let given = block.inner("toolResult");
    let mut result = usual::result(&given, block.text("id").unwrap_or_default());
    let output = result.output.get_or_insert_default();
    // Older versions state a denial only in the text.
    if output.starts_with(DECLINED) {
        result.status = ToolStatus::Denied;
    }
    let wrote = operation(output).filter(|_| result.status == ToolStatus::Success);
    ToolResult {
        writes: wrote.map(blocks::written).into_iter().collect(),
        exit_code: usual::exit_code(&given.inner("value").inner("structuredContent")),
        ..result
    }
}

#[cfg(test)]
mod tests;
