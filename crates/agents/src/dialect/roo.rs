//! The dialect of Roo Code's CLI, `roo --print --output-format json|stream-json`, and of Zoo Code, its successor, from
//! its source (`apps/cli/src/agent/json-event-emitter.ts`) and published runs; no recording was at hand.
//!
//! Records `{"type","id","content","subtype","done"}`; all records of a message or a call have its number as `id`. What
//! is said comes in pieces, then whole, with `done`. The parameters of a call come in pieces, too, of which only the
//! last record, which has no `content`, is JSON; the output of a command comes in pieces to the end. Only commands and
//! MCP servers have results, and those of servers no ids. `{"type":"result","success","content","cost"}` ends the run;
//! its content is the answer, or repeats the last text.
//!
//! With `json`, one object is printed at the end: the result, with all other records, which are whole, in `events`.
//! Input tokens include those of the cache.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Roo>("roo", SHAPES);

/// The shapes of its records.
const SHAPES: &[RecordShape] = &[
    certain("type=system subtype=init protocol=roo-cli-stream"),
    certain("type=result success cost.totalCost events:array"),
    likely("type=result success events:array"),
    likely("type=result success done content:string id:number"),
    likely("type=result success content:string cost.totalCost"),
    likely("type=tool_use tool_use.name:string id:number"),
    likely("type=tool_result tool_result.name:string id:number"),
    // Results of MCP servers have no ids; those of other agents have them inside.
    doubtful("type=tool_result tool_result.name:string !tool_result.id"),
    likely("type=user|assistant done content:string id:number"),
    doubtful("type=thinking done content:string id:number"),
    fits("type=result success"),
    fits("type=user|assistant|thinking|error content:string"),
    fits("type=assistant|thinking done id:number"),
    fits("type=control subtype:string"),
    fits("type=queue queueDepth:number"),
];

/// The size from which on the output of a command is not collected any more.
const OUTPUT: usize = 1 << 16;

/// Reads Roo's records.
#[derive(Default)]
struct Roo {
    /// The last call: the results of MCP servers have no id.
    call: Text<'static>,
    /// What the command that runs printed so far.
    output: Text<'static>,
    /// The last text that is whole.
    said: Text<'static>,
}

impl Dialect for Roo {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        for event in record.objects("events") {
            self.event(&event, out);
        }
        self.event(record, out);
    }
}

impl Roo {
    fn event<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let kind = record.text("type");
        let content = record.text("content");
        let done = usual::is_set(record, "done");
        out.session = record.text("taskId").or(out.session.take());
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("system") if record.is("subtype", "init") => Fact::Start(Start::default()),
            Some("user") if done => Fact::prompt(content.unwrap_or_default()),
            Some("assistant") => self.say(record, content, done),
            Some("thinking") => match content {
                Some(text) => Fact::Reasoning(message(record, text, done)),
                None => Fact::known(kind),
            },
            Some("tool_use") => match record.object("tool_use") {
                Some(tool) if done || content.is_none() => Fact::Call(self.call(record, &tool)),
                _ => Fact::known(kind),
            },
            Some("tool_result") => self.result(record, done),
            Some("error") => Fact::Error(usual::problem_of_error_record(record)),
            Some("control") if record.is("subtype", "error") => {
                Fact::Error(usual::problem_of_error_record(record))
            }
            Some("result") => return self.end(record, content, out),
            Some("system" | "user" | "control" | "queue") => Fact::known(kind),
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }

    fn call<'a>(&mut self, record: &Object<'a>, tool: &Object<'a>) -> Call<'a> {
        let id = id(record).unwrap_or_default();
        self.call = id.clone().into_owned();
        self.output = Text::EMPTY;
        let call = usual::call(tool, id);
        let operation = match call.name.as_str() {
            Some("newFileCreated") => Operation::Create,
            Some("editedExistingFile" | "appliedDiff" | "insertContent" | "searchAndReplace") => {
                Operation::Update
            }
            _ => return call,
        };
        let write = |path: &Text<'a>| Write::new(path.clone(), Some(operation), None);
        Call {
            writes: call.path.iter().map(write).collect(),
            ..call
        }
    }

    fn result<'a>(&mut self, record: &Object<'a>, done: bool) -> Fact<'a> {
        let Some(result) = record.object("tool_result") else {
            return Fact::unknown(record.text("type"));
        };
        let id = id(record).unwrap_or_else(|| self.call.clone());
        let mut stated = usual::result(&result, id);
        if !record.is("subtype", "command") {
            return Fact::Result(stated);
        }
        let room = self.output.len() < OUTPUT;
        if let Some(piece) = stated.output.take().filter(|_| room) {
            self.output.push(&piece);
        }
        if !done && stated.exit_code.is_none() {
            return Fact::known(record.text("type"));
        }
        stated.output = Some(std::mem::take(&mut self.output)).filter(|text| !text.is_empty());
        Fact::Result(stated)
    }

    /// Returns what a text of the agent states. A text with a subtype is one of the extension's, but for a question.
    fn say<'a>(&mut self, record: &Object<'a>, text: Option<Text<'a>>, done: bool) -> Fact<'a> {
        let subtype = record.text("subtype");
        match (subtype.as_ref().and_then(Text::as_str), text) {
            (None | Some("followup"), Some(text)) => {
                if done {
                    self.said = text.clone().into_owned();
                }
                Fact::Message(message(record, text, done))
            }
            (Some("api_req_failed" | "mistake_limit_reached"), Some(text)) if done => {
                Fact::Error(usual::problem(text, None))
            }
            _ => Fact::known(record.text("type")),
        }
    }

    fn end<'a>(&mut self, record: &Object<'a>, content: Option<Text<'a>>, out: &mut Statement<'a>) {
        let failed = usual::has_failed(record);
        let answer = content.clone().filter(|_| !failed);
        let said = std::mem::take(&mut self.said);
        if let Some(answer) = answer.clone().filter(|answer| *answer != said) {
            out.push(Fact::Step);
            out.push(Fact::said(answer));
        }
        if let Some(cost) = record.object("cost") {
            let tokens = usual::tokens_in_all(&cost);
            out.push(Fact::usage(Scope::Turn, None, tokens));
        }
        let failure = content.filter(|_| failed);
        let failure = failure.map(|text| usual::problem(text, None));
        out.push(Fact::over(!failed, failure, answer));
    }
}

/// Returns the number of a message or a call.
fn id<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let id = record.get("id")?;
    (id.kind() == Kind::Number).then(|| Text::of_json(id))
}

fn message<'a>(record: &Object<'a>, text: Text<'a>, done: bool) -> Message<'a> {
    Message::new(id(record), text, Form::of(!done))
}
