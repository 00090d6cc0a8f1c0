//! The dialect of the OpenHands CLI, `openhands --headless --json` (recorded: 1.16).
//!
//! Events whose last member, `kind`, says what they are: `MessageEvent`, `ActionEvent` (a call), `ObservationEvent`
//! (its result), `ConversationErrorEvent`. There is text between them, and after them a summary in a box that repeats
//! the answer. `AgentErrorEvent`, `UserRejectObservation` and the tool `finish` are known only from the documentation
//! of its SDK.
//!
//! There is no end, the exit code is always 0, and nothing is counted. The agent's last word is a message, or what it
//! passes to `finish`.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Openhands>("openhands", SHAPES);

/// The shapes of its records.
const SHAPES: &[RecordShape] = &[
    certain("kind=MessageEvent llm_message.role:string"),
    certain("kind=ActionEvent action.kind:string tool_name:string"),
    likely("kind=ActionEvent|UserRejectObservation tool_name:string"),
    certain("kind=ObservationEvent observation.kind:string tool_name:string"),
    likely("kind=ObservationEvent observation:object"),
    certain("kind=ConversationErrorEvent code:string detail:string"),
    likely("kind=ConversationErrorEvent"),
    likely("kind=AgentErrorEvent error:string tool_name:string"),
    fits("kind:Name source:string"),
];

/// The kinds of records that say nothing of interest.
const KNOWN: &[&str] = words!(
    "SystemPromptEvent ConversationStateUpdateEvent PauseEvent Condensation CondensationRequest LLMCompletionLogEvent"
);

/// Reads the events of OpenHands.
#[derive(Default)]
struct Openhands {
    /// Whether the agent said its last word.
    ended: bool,
}

impl Dialect for Openhands {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("kind");
        let id = || record.text("tool_call_id").unwrap_or_default();
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("MessageEvent") => return self.message(record, out),
            Some("ActionEvent") => return self.action(record, id(), out),
            Some("ObservationEvent") if self.ended => Fact::known(kind),
            Some("ObservationEvent") => Fact::Result(observation(record, id())),
            Some("AgentErrorEvent") => Fact::Result(not_run(record, ToolStatus::Error, id())),
            Some("UserRejectObservation") => {
                Fact::Result(not_run(record, ToolStatus::Denied, id()))
            }
            Some("ConversationErrorEvent") => {
                self.ended = true;
                Fact::end(Some(problem(record)), None)
            }
            Some(word) if has_word(KNOWN, word.as_bytes()) => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }
}

impl Openhands {
    fn message<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let message = record.inner("llm_message");
        let text = usual::text_in(&message, "content").unwrap_or_default();
        let is_agents = match record.has("source") {
            true => record.is("source", "agent"),
            false => message.is("role", "assistant"),
        };
        if !is_agents {
            return out.push(Fact::given(record.is("source", "user"), text));
        }
        self.go_on(out);
        out.extend(message.text("reasoning_content").map(Fact::thought));
        self.end(text, out);
    }

    /// States what the agent says and does.
    fn action<'a>(&mut self, record: &Object<'a>, id: Text<'a>, out: &mut Statement<'a>) {
        self.go_on(out);
        out.extend(record.text("reasoning_content").map(Fact::thought));
        let said = usual::text_in(record, "thought").filter(|said| !said.is_empty());
        out.extend(said.map(Fact::said));
        let message = record.inner("action").text("message");
        match message.filter(|_| record.is("tool_name", "finish")) {
            Some(message) => self.end(message, out),
            None => out.push(Fact::Call(call(record, id))),
        }
    }

    fn end<'a>(&mut self, text: Text<'a>, out: &mut Statement<'a>) {
        self.ended = true;
        out.push(Fact::said(text));
        out.push(Fact::ended(true));
    }

    /// States another turn, if the agent continues after its last word.
    fn go_on(&mut self, out: &mut Statement<'_>) {
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
    }
}

/// Returns a call: its parameters are those of the action, which has defaults for the ones that the model left out.
fn call<'a>(record: &Object<'a>, id: Text<'a>) -> Call<'a> {
    let (own, action) = (record.inner("tool_call"), record.inner("action"));
    let has_own = own.has("arguments");
    let parameters = has_own.then(|| usual::call(&own, id.clone()).parameters);
    let usual = usual::call(record, id);
    let path = action.text("path");
    let edits = record.is("tool_name", "file_editor") && !action.is("command", "view");
    let write = path.clone().filter(|_| edits).map(|path| {
        let (operation, lines) = usual::edit(&action).unzip();
        let operation = operation.filter(|_| !action.is("command", "create"));
        Write::new(path, operation, lines.flatten())
    });
    Call {
        parameters: parameters.unwrap_or(usual.parameters),
        path: path.or(usual.path),
        writes: write.into_iter().collect(),
        ..usual
    }
}

/// Returns a result: a failure is stated explicitly, whatever the exit code of a command.
fn observation<'a>(record: &Object<'a>, id: Text<'a>) -> ToolResult<'a> {
    let observation = record.inner("observation");
    let failed = usual::is_set(&observation, "is_error");
    let content = usual::text_in(&observation, "content");
    let existed = observation.get("prev_exist").and_then(Value::as_bool);
    let operation = existed.map(Operation::on);
    ToolResult {
        exit_code: observation.get("exit_code").and_then(Value::as_i64),
        writes: operation.map(blocks::written).into_iter().collect(),
        ..ToolResult::of_text(id, ToolStatus::of(failed, false), content)
    }
}

/// Returns the result of a call that was not made.
fn not_run<'a>(record: &Object<'a>, status: ToolStatus, id: Text<'a>) -> ToolResult<'a> {
    ToolResult {
        status,
        error: names!("error rejection_reason").text(record),
        output: None,
        ..usual::result(record, id)
    }
}

/// Returns the failure that ended the conversation: the name of an exception, and its message.
fn problem<'a>(record: &Object<'a>) -> Problem<'a> {
    let code = record.text("code");
    let message = record.text("detail").or_else(|| code.clone());
    let limit = record.is("code", "MaxIterationsReached");
    let mut problem = usual::problem(message.unwrap_or_default(), code.map(Code::Word));
    if limit {
        problem.class = Outcome::Turns;
    }
    problem
}
