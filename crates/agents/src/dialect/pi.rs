//! The dialect of pi, `pi -p --mode json` (recorded: 0.74).
//!
//! The first record, `session`, names the session. Messages come in pieces, `message_update`, each of which contains
//! the whole message so far twice, and whole in `message_end`, `turn_end` and `agent_end`: they are read from
//! `message_end`. A call is in the message and again in `tool_execution_start`, its result in `tool_execution_end` and
//! in a message with the role `toolResult`.
//!
//! The exit code is always 0. The `stopReason` of the last message says how a run ended; `agent_end` repeats the
//! messages of the run. Each try is a run of its own: `auto_retry_start` comes after its end, and `auto_retry_end`
//! after the end of the last try. Input tokens do not include those of the cache.

use crate::dialect::prelude::*;
use crate::hashes::{HashedMap, TextHash};

mod disk;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Pi>("pi", SHAPES);

/// The types of records that say nothing of interest.
const KNOWN: &[&str] =
    words!("agent_start turn_start turn_end message_start tool_execution_update");

/// The shapes of its records. Games have turns too, and a message of Anthropic's API starts with `message_start`.
const SHAPES: &[RecordShape] = &[
    doubtful("type=session version:number"),
    doubtful("type=agent_start only:type"),
    certain("type=message_update assistantMessageEvent.type:string"),
    likely("type=message_end message.role:string message.content:array"),
    certain("type=message_end|message message.role=assistant message.stopReason:string"),
    certain("type=turn_end message.role:string toolResults"),
    likely("type=tool_execution_start toolName:string args"),
    likely("type=tool_execution_end toolName:string result isError"),
    certain("type=agent_end messages:list"),
    likely("type=auto_retry_start errorMessage:string"),
    likely("type=auto_retry_end success finalError:string"),
    likely("type=response command=prompt success error:string"),
    doubtful("type=response command=prompt success"),
    doubtful("type=agent_end willRetry"),
    fits("type=response command:string success"),
    fits("type=message_start|message message.role:string"),
    fits("type=agent_start|agent_end|agent_settled|turn_start|turn_end|compaction_start"),
    fits("type=auto_retry_end success"),
    fits("type toolCallId:string"),
    fits("type=compaction_end|queue_update"),
    certain("type=session version:number cwd:string timestamp:string"),
    doubtful("type=session cwd:string"),
    certain("type=message message.role=toolResult"),
    certain("type=message parentId message.content.type=toolCall"),
    likely("type=message parentId message.role=assistant message.content:list"),
    doubtful("type=message parentId message.role=user message.content"),
    fits("type=model_change modelId"),
    fits("type parentId"),
];

/// Reads pi's records.
#[derive(Default)]
struct Pi {
    /// The last calls that had their results, which a message repeats.
    answered: HashedMap<(), 64>,
    /// The reason why the model stopped in its last message, if it is a failure.
    stopped: Option<Problem<'static>>,
    /// Whether the last record but those that only say so too ended a try.
    ended: bool,
    /// Whether the turn's message was whole: `turn_end` repeats it.
    said: bool,
}

impl Dialect for Pi {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("type");
        let ends = record.is("type", "agent_end") || record.is("type", "agent_settled");
        let again = std::mem::replace(&mut self.ended, ends);
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("agent_settled") if again => Fact::known(kind),
            Some("session") => {
                out.session = record.text("id");
                usual::start(record, "version")
            }
            Some("message_update") => return piece(record, kind, out),
            Some("message_end") => return self.message(record, kind, out),
            Some("turn_end") if !std::mem::take(&mut self.said) => {
                return self.message(record, kind, out);
            }
            Some("tool_execution_start") => Fact::Call(usual::own_call(record)),
            Some("tool_execution_end") => {
                let id = record.text("toolCallId").unwrap_or_default();
                self.answered.insert(TextHash::of(id.as_bytes()), ());
                Fact::Result(ToolResult {
                    call: Some(Box::new(Call {
                        parameters: Text::from("{}"),
                        ..usual::call(record, id.clone())
                    })),
                    ..usual::result(record, id)
                })
            }
            Some("agent_end" | "agent_settled") => end(record, self.stopped.take()),
            Some("auto_retry_start") => Fact::Retry(usual::problem_of_error_record(record)),
            Some("auto_retry_end" | "response") => match usual::failure(record) {
                Some(problem) => Fact::end(Some(problem), None),
                None => Fact::known(kind),
            },
            Some(word) if has_word(KNOWN, word.as_bytes()) => Fact::known(kind),
            _ if record.has("parentId") || record.has("message") => {
                return disk::facts(record, out);
            }
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }
}

impl Pi {
    /// States a whole message: a prompt, a tool's result, or the model's text and calls.
    fn message<'a>(
        &mut self,
        record: &Object<'a>,
        kind: Option<Text<'a>>,
        out: &mut Statement<'a>,
    ) {
        let Some(message) = record.object("message") else {
            return out.push(Fact::unknown(kind));
        };
        let text = usual::text_in(&message, "content").unwrap_or_default();
        if message.is("role", "user") {
            return out.push(Fact::prompt(text));
        }
        if message.is("role", "toolResult") {
            let id = message.text("toolCallId").unwrap_or_default();
            return out.push(match self.answered.contains(TextHash::of(id.as_bytes())) {
                true => Fact::known(kind),
                false => Fact::Result(usual::result(&message, id)),
            });
        }
        if !message.is("role", "assistant") {
            return out.push(Fact::known(kind));
        }
        self.said = !record.is("type", "turn_end");
        self.stopped = said(&message, None, out).map(Problem::into_owned);
        out.extend(usual::counted(&message, Scope::Request(None)));
        out.extend(self.stopped.clone().map(Fact::Error));
    }
}

/// States what the model says and calls in a message with that id. Returns why it stopped, if it failed.
fn said<'a>(
    message: &Object<'a>,
    id: Option<Text<'a>>,
    out: &mut Statement<'a>,
) -> Option<Problem<'a>> {
    out.extend(message.text("model").map(Fact::Model));
    let blocks = || message.objects("content");
    let thoughts = blocks().filter_map(|block| block.text("thinking"));
    out.extend(thoughts.map(Fact::thought));
    let text = usual::text_in(message, "content").unwrap_or_default();
    out.push(Fact::Message(Message::new(id, text, Form::Whole)));
    out.extend(blocks().filter_map(|block| call(&block)));
    usual::failure_of_end(message)
}

/// Returns the call in a block of a message.
fn call<'a>(block: &Object<'a>) -> Option<Fact<'a>> {
    let is_call = block.is("type", "toolCall");
    is_call.then(|| Fact::Call(usual::own_call(block)))
}

/// States a piece of a message or of a thought.
fn piece<'a>(record: &Object<'a>, kind: Option<Text<'a>>, out: &mut Statement<'a>) {
    let event = record.inner("assistantMessageEvent");
    out.push(match event.text("delta").map(Message::piece) {
        Some(piece) if event.is("type", "text_delta") => Fact::Message(piece),
        Some(piece) if event.is("type", "thinking_delta") => Fact::Reasoning(piece),
        _ => Fact::known(kind),
    });
}

/// Returns the end of a try, which the last message of the model describes. If the record does not repeat that message,
/// `before` is the reason why the model stopped in it.
fn end<'a>(record: &Object<'a>, before: Option<Problem<'static>>) -> Fact<'a> {
    let messages = record.objects("messages");
    let last = messages.filter(|it| it.is("role", "assistant")).last();
    let mut end = match last {
        Some(last) => Fact::end(
            usual::failure_of_end(&last),
            usual::text_in(&last, "content"),
        ),
        None => Fact::end(before, None),
    };
    if let (Fact::End(end), true) = (&mut end, usual::is_set(record, "willRetry")) {
        end.scope = EndScope::Attempt;
    }
    end
}
