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

/// Reads the events of OpenHands.
#[derive(Default)]
struct Openhands {
    /// Whether the agent said its last word.
    ended: bool,
}

impl Dialect for Openhands {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.timestamp = record.get("timestamp");
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
            Some(
                "SystemPromptEvent"
                | "ConversationStateUpdateEvent"
                | "PauseEvent"
                | "Condensation"
                | "CondensationRequest"
                | "LLMCompletionLogEvent",
            ) => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }
}

impl Openhands {
    fn message<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let message = record.object("llm_message");
        let text = message.as_ref();
        let text = text.and_then(|message| usual::text_in(message, "content"));
        let text = text.unwrap_or_default();
        let is_agents = match record.has("source") {
            true => record.is("source", "agent"),
            false => (message.iter()).any(|message| message.is("role", "assistant")),
        };
        if !is_agents {
            let prompt = record.is("source", "user");
            return out.push(Fact::User(User { text, prompt }));
        }
        self.go_on(out);
        let thought = message.and_then(|message| message.text("reasoning_content"));
        out.extend(thought.map(Fact::thought));
        self.end(text, out);
    }

    /// States what the agent says and does.
    fn action<'a>(&mut self, record: &Object<'a>, id: Text<'a>, out: &mut Statement<'a>) {
        self.go_on(out);
        out.extend(record.text("reasoning_content").map(Fact::thought));
        let said = usual::text_in(record, "thought").filter(|said| !said.is_empty());
        out.extend(said.map(Fact::said));
        let action = record.object("action");
        let message = action.as_ref().and_then(|action| action.text("message"));
        match message.filter(|_| record.is("tool_name", "finish")) {
            Some(message) => self.end(message, out),
            None => out.push(Fact::Call(call(record, action.as_ref(), id))),
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
fn call<'a>(record: &Object<'a>, action: Option<&Object<'a>>, id: Text<'a>) -> Call<'a> {
    let own = record
        .object("tool_call")
        .filter(|call| call.has("arguments"));
    let parameters = own.map(|own| usual::call(&own, id.clone()).parameters);
    let usual = usual::call(record, id);
    let path = action.and_then(|action| action.text("path"));
    let edits = record.is("tool_name", "file_editor")
        && action.is_some_and(|action| !action.is("command", "view"));
    let write = path.clone().filter(|_| edits).map(|path| {
        let of = action.and_then(usual::edit);
        let creates = action.is_some_and(|action| action.is("command", "create"));
        let (operation, lines) = of.unzip();
        Write::new(path, operation.filter(|_| !creates), lines.flatten())
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
    let observation = record.object("observation");
    let get = |name| {
        observation
            .as_ref()
            .and_then(|observation| observation.get(name))
    };
    let failed = observation
        .as_ref()
        .is_some_and(|it| usual::is_set(it, "is_error"));
    let content = get("content").and_then(usual::text);
    let existed = get("prev_exist").and_then(Value::as_bool);
    let operation = existed.map(Operation::on);
    ToolResult {
        exit_code: get("exit_code").and_then(Value::as_i64),
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
