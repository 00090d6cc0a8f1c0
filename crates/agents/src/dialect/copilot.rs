//! The dialect of GitHub Copilot CLI, `copilot -p … --output-format json` (seen in 1.0.102).
//!
//! Records `{"type","data","id","timestamp","parentId"}`, with `"ephemeral":true` if they only show progress, and a
//! last record `{"type":"result","timestamp","sessionId","exitCode","usage"}`. Whole messages repeat their deltas
//! (`--stream off` prints no deltas). Only later versions count tokens. Session files on disk,
//! `~/.copilot/session-state/ID/events.jsonl`, contain the same records, with `session.usage_record` for each request,
//! and `session.shutdown` at the end. An interrupted run has an `abort` record and ends with `exitCode` 0.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Copilot>("copilot", SHAPES);

/// The shapes of its records.
const SHAPES: &[RecordShape] = &[
    // Other programs write events with the same members, of types of their own.
    certain(
        "parentId type=session.start|session.resume|session.info|session.error|session.shutdown|session.usage_record|\
         session.tools_updated|session.skills_loaded|session.mcp_servers_loaded|session.background_tasks_changed \
         data:object id:string timestamp:string",
    ),
    certain(
        "parentId type=user.message|assistant.message|assistant.message_start|assistant.message_delta|assistant.reasoning|\
         assistant.reasoning_delta|assistant.turn_start|assistant.turn_end|assistant.turn_retry|assistant.usage|\
         assistant.idle|assistant.tool_call_delta data:object id:string timestamp:string",
    ),
    certain(
        "parentId type=tool.execution_start|tool.execution_complete|tool.execution_partial_result|tool.shell_output|\
         subagent.started|subagent.completed|subagent.failed|model.call_start|model.call_finished|\
         model.call_final_result|model.call_failure|system.message|agent.interrupted|abort \
         data:object id:string timestamp:string",
    ),
    certain("type=result exitCode:number sessionId:string timestamp:string"),
    likely("type=result exitCode:number sessionId:string"),
    doubtful("type=result exitCode:number"),
    likely("type=result usage.premiumRequests:number"),
    likely("type=assistant.message data.content:string"),
    likely("type=assistant.message_delta data.deltaContent:string"),
    likely("type=tool.execution_start|tool.execution_complete data.toolCallId:string"),
    likely("type=tool.execution_start data.toolName:string"),
    doubtful("type=session.start data:object"),
    doubtful("type=session.tools_updated data.model:string"),
    doubtful("type=user.message data.content:string"),
    likely("type=session.error data.errorType:string"),
    likely("type=session.error data.message:string"),
    doubtful("type=assistant.turn_start|assistant.turn_end data:object"),
    doubtful("type=error data.statusCode:number"),
    fits("type data:object"),
    fits("type=result sessionId"),
];

/// Reads Copilot's records.
#[derive(Default)]
struct Copilot {
    /// Whether the model was stated.
    started: bool,
    /// Whether the run was interrupted.
    aborted: bool,
    /// Whether an error ended the turn.
    failed: bool,
    /// Whether the agent said anything.
    spoke: bool,
    /// Whether the last message calls no tool.
    answered: bool,
    /// Whether a record stated the usage of a request.
    counted: bool,
    /// Whether the records are those of a file on disk, which say more.
    on_disk: bool,
    /// The reason why the last request was stopped.
    stopped: Option<Problem<'static>>,
    /// The failure of the last request, for the retry that follows.
    failure: Option<Problem<'static>>,
}

impl Dialect for Copilot {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if let Some(data) = record.object("data") {
            // Either member shows that a subagent speaks.
            let call = data.text("parentToolCallId");
            out.parent = call.or_else(|| record.text("agentId"));
            self.event(record.text("type"), &data, out);
        } else if record.is("type", "result") {
            self.result(record, out);
        } else {
            out.push(Fact::unknown(record.text("type")));
        }
    }
}

impl Copilot {
    fn event<'a>(&mut self, kind: Option<Text<'a>>, data: &Object<'a>, out: &mut Statement<'a>) {
        let fact = match kind.as_ref().and_then(Text::as_str).unwrap_or_default() {
            "session.start" => {
                out.session = data.text("sessionId");
                self.on_disk = true;
                self.start(data.text("selectedModel"), data.text("copilotVersion"))
            }
            "session.tools_updated" if !self.started => self.start(data.text("model"), None),
            "user.message" => {
                (self.failed, self.aborted) = (false, false);
                Fact::prompt(data.text("content").unwrap_or_default())
            }
            "assistant.message_delta" => Fact::Message(said(data, Form::Delta)),
            "assistant.message" => return self.message(data, out),
            "assistant.reasoning_delta" => Fact::Reasoning(said(data, Form::Delta)),
            "assistant.reasoning" => Fact::Reasoning(said(data, Form::Whole)),
            "assistant.usage" => {
                self.counted = true;
                usage(data)
            }
            "assistant.turn_start" => {
                self.answered = false;
                Fact::known(kind)
            }
            "assistant.turn_end" | "session.idle" if self.on_disk && self.answered => Fact::Rest,
            "session.usage_record" => self.usage_record(data).unwrap_or(Fact::known(kind)),
            "session.shutdown" => self.shutdown(data, out).unwrap_or(Fact::known(kind)),
            "tool.execution_start" => Fact::Call(call(data)),
            "tool.execution_complete" => Fact::Result(result(data)),
            "subagent.started" => tool_id(data).map_or(Fact::known(kind), Fact::TaskStart),
            "subagent.completed" | "subagent.failed" => {
                tool_id(data).map_or(Fact::known(kind), Fact::TaskEnd)
            }
            "assistant.turn_retry" => self.retry(data, out),
            "model.call_failure" => {
                // The retry that follows names it again.
                let failure = problem(data, "errorMessage").passing();
                self.failure = Some(failure.clone().into_owned());
                Fact::Error(failure)
            }
            "session.error" => {
                self.failed = true;
                Fact::Error(problem(data, "message"))
            }
            "abort" => {
                self.aborted = true;
                let reason = data.text("reason").unwrap_or_default();
                Fact::Error(Problem::fatal(Outcome::Cancelled, reason))
            }
            name if is_known(name) => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }

    /// Returns the end of a session, which its file on disk states, with the counts if no request had any.
    fn shutdown<'a>(&mut self, data: &Object<'a>, out: &mut Statement<'a>) -> Option<Fact<'a>> {
        if !std::mem::take(&mut self.counted) {
            let read = |model: &Object<'a>| usual::tokens(&model.inner("usage"));
            usual::by_model(data, "modelMetrics", Scope::Turn, read, out);
        }
        self.on_disk |= data.has("shutdownType");
        if data.is("shutdownType", "error") {
            return Some(Fact::end(Some(problem(data, "errorReason")), None));
        }
        match self.aborted || self.failed {
            true if self.on_disk => Some(Fact::ended(false)),
            false if self.on_disk && self.answered => Some(Fact::end(self.stopped.take(), None)),
            _ => None,
        }
    }

    /// Returns the counts of a request, as a file on disk states them.
    fn usage_record<'a>(&mut self, data: &Object<'a>) -> Option<Fact<'a>> {
        let counts = data.object("usage")?;
        self.on_disk = true;
        let stopped = counts.text("finishReason").and_then(usual::stopped);
        self.stopped = stopped.map(Problem::into_owned);
        self.counted = true;
        Some(usage(&counts))
    }

    fn start<'a>(&mut self, model: Option<Text<'a>>, agent_version: Option<Text<'a>>) -> Fact<'a> {
        self.started = model.is_some();
        Fact::Start(Start {
            agent_version,
            model,
            folder: None,
        })
    }

    /// States a message and its calls; a record of its own follows for each call that is made.
    fn message<'a>(&mut self, data: &Object<'a>, out: &mut Statement<'a>) {
        self.model(data, out);
        let requests: Vec<_> = data.objects("toolRequests").collect();
        self.answered = requests.is_empty();
        self.spoke |= out.parent.is_none();
        let said = said(data, Form::Whole);
        let is_answer = said.channel == Channel::Answer && !said.text.is_blank();
        let rests = self.on_disk && self.answered && is_answer && out.parent.is_none();
        out.push(Fact::Message(said));
        out.extend(rests.then_some(Fact::Rest));
        out.extend(requests.iter().map(call).map(Fact::Call));
    }

    /// States the model of a message, if none was stated before.
    fn model<'a>(&mut self, data: &Object<'a>, out: &mut Statement<'a>) {
        if let (false, None, Some(model)) = (self.started, &out.parent, data.text("model")) {
            self.started = true;
            out.push(Fact::Model(model));
        }
    }

    /// Takes back what was being said, and returns the retry. Its reason is a single word; the failure of the request
    /// before gives its class better.
    fn retry<'a>(&mut self, data: &Object<'a>, out: &mut Statement<'a>) -> Fact<'a> {
        out.push(Fact::BreakOff);
        let reported = usual::problem_in(data, "reason");
        let failure = self.failure.take().unwrap_or(reported.clone());
        Fact::Retry(Problem {
            message: reported.message,
            ..failure
        })
    }

    fn result<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.text("sessionId");
        let ms = record.inner("usage").u64("sessionDurationMs");
        out.extend(ms.map(Fact::SessionTook));
        let code = record.get("exitCode").and_then(Value::as_i64);
        let success = code.map_or(!self.failed, |code| code == 0) && !self.aborted;
        // Without an answer the error was the end.
        let success = success && (self.spoke || !self.failed);
        let class = code.and_then(class::of_code).filter(|_| !success);
        let failure = class.map(|class| Problem::fatal(class, Text::EMPTY));
        out.push(Fact::over(success, failure, None));
        // A log may contain the record twice.
        *self = Self {
            aborted: self.aborted,
            ..Self::default()
        };
    }
}

/// Whether records of that type say nothing of interest: the other records of the families in the SDK's types
/// (`generated/session-events.ts`), such as `session.skills_loaded`, `model.call_start`, `tool.shell_output`.
fn is_known(kind: &str) -> bool {
    const FAMILIES: &[&str] = words!(
        "session model assistant agent tool hook skill subagent system permission user_input elicitation sampling \
         mcp mcp_app external_tool command commands capabilities exit_plan_mode auto_mode_switch pending_messages \
         background_tasks session_limits_exhausted extensions factory tool_search ui"
    );
    let family = kind.split_once('.').map(|(family, _)| family);
    family.is_some_and(|family| has_word(FAMILIES, family.as_bytes()))
}

/// States the usage of one request, which later versions print: the input includes tokens from a cache. Its `cost` is a
/// share of the premium requests, not money.
fn usage<'a>(data: &Object<'a>) -> Fact<'a> {
    let tokens = Tokens {
        cost_usd: None,
        ..usual::tokens(data)
    };
    Fact::usage(Scope::Request(None), data.text("model"), tokens)
}

fn tool_id<'a>(data: &Object<'a>) -> Option<Text<'a>> {
    data.text("toolCallId")
}

/// Returns a message or a thought, or a piece of one.
fn said<'a>(data: &Object<'a>, form: Form) -> Message<'a> {
    let id = names!("messageId reasoningId").string(data);
    let text = names!("deltaContent content").string(data);
    Message::new(id, text.unwrap_or_default(), form).on(Channel::of(data))
}

fn call<'a>(data: &Object<'a>) -> Call<'a> {
    let name = names!("toolName name").text(data).unwrap_or_default();
    let given = data.get("arguments").unwrap_or_else(usual::no_parameters);
    let id = tool_id(data).unwrap_or_default();
    let input = data.object("arguments");
    patch::applied(usual::call_about(id, name, Some(given), input, WRITERS))
}

/// The tools that write files, for results that do not list them.
const WRITERS: Writers = &[("create", Writer::New("file_text")), ("edit", Writer::Old)];

/// Returns the result of a call: the code of its error says whether it was denied.
fn result<'a>(data: &Object<'a>) -> ToolResult<'a> {
    ToolResult {
        writes: edits(data, &data.inner("result")),
        exit_code: usual::exit_code(&data.inner("shellExecution")),
        ..usual::own_result(data)
    }
}

/// Returns the writes of `"fileEdits":[{"path","kind"}]`. If there is only one, the diff next to the result is that
/// file's.
fn edits<'a>(data: &Object<'a>, result: &Object<'a>) -> Vec<Write<'a>> {
    let edits: Vec<_> = data.objects("fileEdits").collect();
    let diff = result.text("detailedContent");
    let diff = diff.filter(|_| edits.len() == 1);
    let counts = diff.map(|diff| lines::of_diff(&diff));
    let write = |edit: &Object<'a>| {
        let operation = usual::operation(edit.text("kind"));
        Some(Write::new(edit.text("path")?, operation, counts))
    };
    edits.iter().filter_map(write).collect()
}

fn problem<'a>(data: &Object<'a>, name: &str) -> Problem<'a> {
    let message = data.text(name).unwrap_or_default();
    let code = data.get("statusCode").and_then(Code::of);
    usual::named_problem(message, code, data.text("errorType"))
}

#[cfg(test)]
mod tests;
