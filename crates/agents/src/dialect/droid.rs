//! The dialect of Factory's droid, `droid exec -o json|stream-json` (recorded: 0.225).
//!
//! - `stream-json`: `system` with subtype `init`, like Claude Code's; then `message`, `reasoning`, `tool_call`,
//!   `tool_result`, all whole and with their texts and parameters in the record; last `completion`, or `error` with the
//!   source `cli`.
//! - `json`: Claude Code's `result`, but with the subtype `failure` and `factory_credits` in its usage.
//!
//! The cause of a failure is in an `error` with another source before the last one, which may quote the model's text;
//! the envelope does not contain it. A run that was stopped, and one whose model said nothing, ends without a record
//! and with exit code 0. Input tokens do not include those of the cache.

use crate::dialect::prelude::*;

mod disk;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Droid>("droid", SHAPES);

/// The shapes of its records. Its first record may be Claude Code's as well.
const SHAPES: &[RecordShape] = &[
    doubtful("type=system subtype=init"),
    likely("type=message role=assistant text:string session_id:string"),
    likely("type=message role=assistant text:string id:string"),
    doubtful("type=message role=assistant text:string"),
    doubtful("type=message role=user text:string"),
    doubtful("type=reasoning text:string"),
    certain("type=tool_call toolId:string toolName:string parameters"),
    likely("type=tool_call toolName:string parameters"),
    doubtful("type=tool_call toolName:string"),
    certain("type=tool_result toolId:string isError"),
    doubtful("type=tool_result id:string isError"),
    likely("type=error source=agent_loop message:string"),
    doubtful("type=error source=cli message:string"),
    certain("type=completion finalText:string"),
    certain("type=result subtype:string usage.factory_credits"),
    likely("type=result subtype=failure is_error result:string"),
    fits("type=system subtype:string"),
    fits("type=error message:string"),
    fits("type session_id:string timestamp:number"),
    certain("type=session_start title owner"),
    doubtful("type=session_start title:string"),
    doubtful("type=session_start cwd:string"),
    certain("type=agent_turn_outcome reason:string"),
    certain("type=message message.role=assistant message.modelId message.content:array"),
    likely("type=message parentId message.role=assistant message.content:list"),
    likely("type=message message.role:string message.content.type=tool_use|tool_result"),
    doubtful("type=message message.role:string message.content:list"),
    fits("type=message message.role:string"),
    fits("type=message role:string"),
    fits("type=todo_state|compaction_state"),
];

/// Reads droid's records.
#[derive(Default)]
struct Droid {
    /// Whether an error was stated, and nothing after it.
    failed: bool,
}

impl Dialect for Droid {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("session_id");
        if disk::facts(record, out) {
            return;
        }
        let kind = record.text("type");
        let text = || record.text("text").unwrap_or_default();
        let said = || Message::new(record.text("id"), text(), Form::Whole);
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("system") if blocks::is_init(record) => usual::start(record, "version"),
            Some("message") if record.is("role", "user") => Fact::prompt(text()),
            Some("message") => Fact::Message(said()),
            Some("reasoning") => Fact::Reasoning(said()),
            Some("tool_call") => Fact::Call(patch::applied(usual::own_call(record))),
            Some("tool_result") => Fact::Result(usual::own_result(record)),
            Some("error") => self.error(record),
            Some("completion" | "result") => end(record, out),
            Some("system") => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        self.failed &= matches!(fact, Fact::Error(_) | Fact::Other(_));
        out.push(fact);
    }
}

impl Droid {
    /// States an error, or that the run ends because of it.
    fn error<'a>(&mut self, record: &Object<'a>) -> Fact<'a> {
        if record.is("source", "cli") {
            let message = record.text("message").filter(|_| !self.failed);
            return Fact::over(false, message.map(unclassed), None);
        }
        self.failed = true;
        Fact::Error(usual::problem_of_error_record(record))
    }
}

/// Returns a failure without a class, because its message may be the model's text.
const fn unclassed(message: Text<'_>) -> Problem<'_> {
    Problem::fatal(Outcome::Failed, message)
}

/// States the end in a `completion`, or in a `result`, which is an envelope.
fn end<'a>(record: &Object<'a>, out: &mut Statement<'a>) -> Fact<'a> {
    out.extend(usual::counted(record, Scope::Turn));
    out.extend(usual::took(record).map(Fact::TurnTook));
    let text = names!("finalText result").text(record);
    let failure = usual::failure(record).map(|_| unclassed(text.clone().unwrap_or_default()));
    Fact::end(failure, text)
}
