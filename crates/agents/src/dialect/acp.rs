//! The dialect of the Agent Client Protocol, version 1, from its specification: the standard output of agents that talk
//! to editors and to `acpx --format json`, and the events of servers that use the protocol. No recording was at hand.
//!
//! JSON-RPC: the agent sends notifications `session/update`, and the turn ends with the answer to `session/prompt`,
//! `{"id","result":{"stopReason"}}` or `{"id","error":{"code","message"}}`. Both sides send requests, so that the same
//! id means different requests on each side; the reader remembers what each request asked for. `usage_update` states
//! how full the context is, which is not usage, and may state the cost so far.
//!
//! Grok Build keeps the updates of a session on disk (`updates.jsonl`, from the readers of others). Its own update,
//! `turn_completed` of `_x.ai/session/update`, ends a turn and counts its tokens by model.

use crate::dialect::prelude::*;
use crate::session::recent::push_latest;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Acp>("acp", SHAPES);

/// The shapes of its messages. MCP servers and language servers speak JSON-RPC too.
const SHAPES: &[RecordShape] = &[
    certain("method=session/update|_x.ai/session/update params.update.sessionUpdate:string"),
    certain("method=session/update params.sessionUpdate:string"),
    certain("update.sessionUpdate:string sessionId:string"),
    likely("sessionUpdate=agent_message_chunk content"),
    fits("sessionUpdate:string"),
    likely("method=session/request_permission params.options:array"),
    likely("method=session/prompt params.prompt:array"),
    likely("result.stopReason:string !result.role !result.content"),
    doubtful("result.agentCapabilities:object"),
    doubtful("result.sessionId:string"),
    doubtful("result.protocolVersion:number"),
    doubtful("jsonrpc error.message^=Authentication"),
    fits("result.outcome.outcome:string"),
    fits("method^=session/ params"),
    fits("method:string params.sessionId:string"),
    fits("method=initialize params.clientCapabilities"),
    fits("jsonrpc error.message:string"),
];

/// The maximum number of requests that are remembered.
const REQUESTS: usize = 64;
/// The longest request id that is remembered, in bytes.
const LONGEST_ID: usize = 256;

/// Reads the messages of both sides.
#[derive(Default)]
struct Acp {
    /// The requests that wait for an answer, with their ids.
    requests: Vec<(Vec<u8>, Asked)>,
}

/// The purpose of a request.
#[derive(PartialEq)]
enum Asked {
    Prompt,
    /// Permission for the call with that id.
    Permission(Text<'static>),
    Other,
}

impl Dialect for Acp {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let params = record.object("params");
        out.session = usual::session(params.as_ref().unwrap_or(record));
        match (record.text("method"), params) {
            (None, _) if record.has("sessionUpdate") => update(record, out),
            // A filter may leave nothing but the parameters.
            (None, None) if record.has("update") => {
                update(record.object("update").as_ref().unwrap_or(record), out);
            }
            (Some(method), Some(params)) => self.message(record, method, &params, out),
            (Some(method), None) => out.push(Fact::known(Some(method))),
            (None, _) => self.answer(record, out),
        }
    }
}

impl Acp {
    /// States a notification or a request.
    fn message<'a>(
        &mut self,
        record: &Object<'a>,
        method: Text<'a>,
        params: &Object<'a>,
        out: &mut Statement<'a>,
    ) {
        let asked = match method.as_bytes() {
            b"session/update" | b"_x.ai/session/update" => {
                return update(params.object("update").as_ref().unwrap_or(params), out);
            }
            b"session/prompt" => {
                out.extend(usual::text_in(params, "prompt").map(Fact::prompt));
                Asked::Prompt
            }
            b"session/request_permission" => {
                let id = params.inner("toolCall").text("toolCallId");
                Asked::Permission(id.unwrap_or_default().into_owned())
            }
            _ => Asked::Other,
        };
        let id = record.get("id").map(Value::raw);
        if let Some(id) = id.filter(|id| id.len() <= LONGEST_ID) {
            push_latest(&mut self.requests, (id.to_vec(), asked), REQUESTS);
        }
        out.or_known(Some(method));
    }

    /// States the answer to a request.
    fn answer<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let result = record.object("result");
        let reason = result.as_ref().and_then(|result| result.text("stopReason"));
        let id = record.get("id").map(Value::raw);
        let wanted = |(of, asked): &(Vec<u8>, Asked)| {
            Some(&**of) == id && (reason.is_none() || *asked == Asked::Prompt)
        };
        let asked = self.requests.iter().position(wanted);
        let asked = asked.map(|at| self.requests.remove(at).1);
        match (asked, result, record.object("error")) {
            (_, Some(result), _) if reason.is_some() => {
                // Gemini CLI counts the turn.
                let quota = result.inner("_meta").inner("quota").object("token_count");
                let of_turn = |counts| Fact::usage(Scope::Turn, None, usual::tokens(&counts));
                let counted = usual::counted(&result, Scope::Session);
                out.extend(counted.or_else(|| quota.map(of_turn)));
                out.push(usual::end(reason, None));
            }
            (Some(Asked::Permission(id)), Some(result), _) => {
                let tool = Text::EMPTY;
                let denial = Fact::Denial(Denial { id, tool });
                out.extend(is_refused(&result).then_some(denial));
            }
            (None | Some(Asked::Prompt), _, Some(error)) => {
                out.push(Fact::end(Some(usual::stated(&error, None)), None));
            }
            (_, Some(result), _) => self.began(&result, out),
            _ => {}
        }
        out.or_known(None);
    }

    /// States what the agent says about itself or about a new session.
    fn began<'a>(&self, result: &Object<'a>, out: &mut Statement<'a>) {
        let agent_version = result.inner("agentInfo").text("version");
        out.session = result.text("sessionId");
        if agent_version.is_some() || out.session.is_some() {
            out.push(Fact::Start(Start {
                agent_version,
                model: result.inner("models").text("currentModelId"),
                folder: None,
            }));
        }
    }
}

/// Whether the answer to a request for permission is no.
fn is_refused(result: &Object<'_>) -> bool {
    let outcome = result.inner("outcome");
    let option = outcome.text("optionId").unwrap_or_default();
    let option = option.to_string_lossy().to_ascii_lowercase();
    let says = ["reject", "deny", "cancel"];
    outcome.is("outcome", "cancelled") || says.iter().any(|word| option.contains(word))
}

/// States an update of a session; Kiro has such updates too.
pub(super) fn update<'a>(update: &Object<'a>, out: &mut Statement<'a>) {
    let kind = update.text("sessionUpdate");
    let said = || {
        let text = usual::text_in(update, "content");
        let id = update.text("messageId");
        Message::new(id, text.unwrap_or_default(), Form::Delta).on(channel(update))
    };
    match kind.as_ref().map(Text::as_bytes) {
        Some(b"agent_message_chunk") => out.push(Fact::Message(said())),
        Some(b"agent_thought_chunk") => out.push(Fact::Reasoning(said())),
        Some(b"user_message_chunk") => out.push(Fact::prompt(said().text)),
        Some(b"tool_call") if !usual::is_done(update) => out.push(Fact::Call(call(update))),
        Some(b"tool_call" | b"tool_call_update") if usual::is_done(update) => {
            out.push(Fact::Result(result(update)));
        }
        Some(b"plan") => out.push(Fact::todos(kind, update.get("entries"))),
        Some(b"turn_completed") => turn_completed(update, out),
        Some(b"usage_update") if update.has("cost") => {
            let cost = update.inner("cost");
            let amount = cost.get("amount").and_then(Value::as_f64);
            out.push(Fact::cost(amount.filter(|_| cost.is("currency", "USD"))));
        }
        _ => out.push(Fact::known(kind)),
    }
}

/// States the tokens of a turn and how it ended.
fn turn_completed<'a>(update: &Object<'a>, out: &mut Statement<'a>) {
    let usage = update.inner("usage");
    usual::by_model(&usage, "modelUsage", Scope::Turn, usual::tokens, out);
    let all = usual::counted(update, Scope::Turn);
    out.extend(all.filter(|_| !usage.has("modelUsage")));
    out.push(usual::end(update.text("stop_reason"), None));
}

/// Returns the channel of a text: the agent that an adapter runs says it in members of its own,
/// `_meta.codex.phase`.
fn channel(update: &Object<'_>) -> Channel {
    let meta = update.get("_meta").into_iter().flat_map(Value::members);
    let channels = meta.filter_map(|(_, own)| Some(Channel::of(&Object::new(own)?)));
    let mut comments = channels.filter(|channel| *channel == Channel::Commentary);
    comments.next().unwrap_or_default()
}

/// Returns the call in an update. Its title is a sentence; the tool is identified by a name, if there is one, or by its
/// kind.
fn call<'a>(update: &Object<'a>) -> Call<'a> {
    let named = update.inner("_meta").inner("claudeCode").text("toolName");
    let named = named.or_else(|| names!("toolName name kind title").text(update));
    let call = usual::own_call(update);
    let mut places = update.objects("locations");
    let place = || places.find_map(|place| place.text("path"));
    Call {
        name: named.unwrap_or_default(),
        path: call.path.clone().or_else(place),
        writes: writes(update),
        ..call
    }
}

fn result<'a>(update: &Object<'a>) -> ToolResult<'a> {
    let failed = update.is("status", "failed");
    let parts = update.objects("content");
    let output = blocks::joined(parts.filter_map(|part| usual::text_in(&part, "content")));
    let raw = update.get("rawOutput").and_then(Value::non_null);
    let given = raw.map(|raw| raw.text().unwrap_or_else(|| Text::of_json(raw)));
    let output = Some(output).filter(|output| !output.is_empty()).or(given);
    let call = call(update);
    let id = call.id.clone();
    ToolResult {
        exit_code: usual::exit_code(&update.inner("rawOutput")),
        writes: call.writes.clone(),
        call: Some(Box::new(call)),
        ..ToolResult::of_text(id, ToolStatus::of(failed, false), output)
    }
}

/// Returns the files that a call changes, from the differences that it shows.
fn writes<'a>(update: &Object<'a>) -> Vec<Write<'a>> {
    let parts = update.objects("content");
    let differences = parts.filter(|part| part.is("type", "diff"));
    let write = |difference: Object<'a>| {
        let (old, new) = (difference.text("oldText"), difference.text("newText")?);
        let operation = Operation::on(old.is_some());
        let changed = lines::replaced(&old.unwrap_or_default(), &new);
        let path = difference.text("path")?;
        Some(Write::new(path, Some(operation), Some(changed)))
    };
    differences.filter_map(write).collect()
}
