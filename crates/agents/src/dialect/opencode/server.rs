//! The events of `opencode serve`, `/event` and `/global/event`, and the session that `opencode export` prints (from the
//! SDK's types, 1.2, and the clients of others).
//!
//! An event is `{"type","properties"}`; `/global/event` puts it into `payload`, next to its folder. `message.updated` states
//! a message without its parts, `message.part.updated` a part so far, and `message.part.delta` (in older versions the
//! member `delta` next to the part) what is added to a part. `session.idle`, and `session.status` of type `idle`, end a turn.
//! A subagent has a session of its own, which names its parent in `session.created`.
//!
//! An export is one object with the same messages and parts: `{"info","messages":[{"info","parts"}]}`. The server answers
//! a prompt with one such message, and lists those of a session.

use super::{Opencode, call, message, problem, tool, usage};
use crate::dialect::prelude::*;
use crate::time;

/// The greatest number of subagents that are remembered.
const SUBAGENTS: usize = 64;

/// What is kept of the events before.
#[derive(Default)]
pub(super) struct Server {
    /// The id of the user's last message, whose parts are the prompt.
    asked: Option<Text<'static>>,
    /// The id of the last part that is a thought.
    thought: Option<Text<'static>>,
    /// What makes the turn fail, if its end does not say so.
    failure: Option<Problem<'static>>,
    /// Whether the agent has done anything in this turn: without that, an idle session says nothing about a run.
    active: bool,
    /// The sessions of subagents, each with that of the run.
    subagents: Vec<(Text<'static>, Text<'static>)>,
}

/// Returns the event that a record is or contains.
fn event<'a>(record: &Object<'a>) -> Option<Object<'a>> {
    match record.has("properties") {
        true => Object::new(record.value()),
        false => record.object("payload").filter(|it| it.has("properties")),
    }
}

impl Opencode {
    /// States what a record of the server or an export says; returns whether it is one.
    pub(super) fn of_server<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        if let Some(event) = event(record) {
            self.event(&event, out);
        } else if record.has("info") && record.has("messages") {
            self.export(record, out);
        } else if record.has("info") && record.has("parts") {
            self.answer(record, out);
        } else {
            return false;
        }
        true
    }

    /// States what an event says.
    fn event<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        let kind = event.text("type");
        let Some(properties) = event.object("properties") else {
            return out.push(Fact::known(kind));
        };
        let part = properties.object("part");
        let info = properties.object("info");
        self.place(&properties, info.as_ref().or(part.as_ref()), out);
        match (kind.as_ref().and_then(Text::as_str), &info, part) {
            (Some("session.created"), Some(info), _) => self.session(info, out),
            (Some("session.status"), ..) => self.status(&properties, out),
            (Some("session.idle"), ..) => self.idle(out),
            (Some("session.error"), ..) => {
                let error = properties.get("error").and_then(Value::non_null);
                self.fail(error.map(problem), out);
            }
            (Some("message.updated"), Some(info), _) => self.message(info, out),
            (Some("message.part.updated"), _, Some(part)) => {
                let delta = properties.text("delta").filter(|delta| !delta.is_empty());
                self.part(&part, delta, out);
            }
            (Some("message.part.delta"), ..) => self.delta(&properties, out),
            (Some("todo.updated"), ..) => {
                out.push(Fact::todos(kind.clone(), properties.get("todos")));
            }
            _ => {}
        }
        out.or_known(kind);
    }

    /// States what an export says. It has no end: the reason of its last step is all that says whether it is complete.
    fn export<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if let Some(info) = record.object("info") {
            out.session = info.text("id");
            self.session(&info, out);
        }
        let mut is_over = false;
        for message in record.objects("messages") {
            is_over = self.whole_message(&message, out);
        }
        if is_over {
            self.idle(out);
        }
    }

    /// States a message with its parts, and that the run is over if the message says so.
    fn answer<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = record.inner("info").text("sessionID");
        if self.whole_message(record, out) {
            self.idle(out);
        }
    }

    /// States a message with its parts; returns whether it ends the run.
    fn whole_message<'a>(&mut self, message: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let Some(info) = message.object("info") else {
            return false;
        };
        self.message(&info, out);
        for part in message.objects("parts") {
            self.part(&part, None, out);
        }
        let finish = info.text("finish").filter(|_| info.is("role", "assistant"));
        let is_over = finish.is_some_and(|finish| finish != "tool-calls" && finish != "unknown");
        is_over || self.server.failure.is_some()
    }

    /// States whose record it is.
    fn place<'a>(
        &self,
        properties: &Object<'a>,
        subject: Option<&Object<'a>>,
        out: &mut Statement<'a>,
    ) {
        let of_subject = || subject.and_then(|it| it.text("sessionID").or_else(|| it.text("id")));
        let Some(id) = properties.text("sessionID").or_else(of_subject) else {
            return;
        };
        let run = self.run_of(&id);
        out.parent = run.is_some().then(|| id.clone());
        let run = run.unwrap_or(id);
        out.session = Some(run).filter(|id| id.starts_with("ses_"));
    }

    /// Returns the session of the run that a subagent with that session works for.
    fn run_of(&self, id: &Text<'_>) -> Option<Text<'static>> {
        let mut subagents = self.server.subagents.iter();
        subagents
            .find(|(own, _)| own == id)
            .map(|(_, run)| run.clone())
    }

    /// States the start of a session, or notes that it is a subagent's.
    fn session<'a>(&mut self, info: &Object<'a>, out: &mut Statement<'a>) {
        if let (Some(id), Some(parent)) = (info.text("id"), info.text("parentID")) {
            if self.server.subagents.len() < SUBAGENTS {
                // Subagents have subagents.
                let run = self.run_of(&parent);
                let run = run.unwrap_or_else(|| parent.clone().into_owned());
                self.server.subagents.push((id.into_owned(), run));
            }
            out.session = Some(parent);
            return;
        }
        out.push(usual::start(info, "version"));
    }

    fn status<'a>(&mut self, properties: &Object<'a>, out: &mut Statement<'a>) {
        let status = properties.inner("status");
        match status.text("type").as_ref().and_then(Text::as_str) {
            Some("idle") => self.idle(out),
            Some("retry") => out.push(Fact::Retry(Problem {
                resets_at: status.get("next").and_then(time::seconds),
                ..problem(status.value())
            })),
            _ => {}
        }
    }

    /// States the end of a turn. Two events say so.
    fn idle(&mut self, out: &mut Statement<'_>) {
        if out.parent.is_none() && std::mem::take(&mut self.server.active) {
            out.push(Fact::end(self.server.failure.take(), None));
        }
    }

    /// States a failure, which two events repeat.
    fn fail<'a>(&mut self, problem: Option<Problem<'a>>, out: &mut Statement<'a>) {
        let Some(problem) = problem else { return };
        if out.parent.is_some() {
            return out.push(Fact::Error(problem.passing()));
        }
        self.server.active = true;
        self.server.failure = Some(problem.clone().into_owned());
        out.push(Fact::Error(problem));
    }

    /// States what is said of a message without its parts.
    fn message<'a>(&mut self, info: &Object<'a>, out: &mut Statement<'a>) {
        if info.is("role", "user") {
            self.server.asked = info.text("id").map(Text::into_owned);
            return;
        }
        if out.parent.is_none() {
            self.server.active = true;
            out.extend(info.text("modelID").map(Fact::Model));
        }
        let error = info.get("error").and_then(Value::non_null);
        self.fail(error.map(problem), out);
    }

    /// States a part, or the `delta` that is added to it.
    fn part<'a>(&mut self, part: &Object<'a>, delta: Option<Text<'a>>, out: &mut Statement<'a>) {
        self.server.active |= out.parent.is_none();
        let is_asked = part.text("messageID") == self.server.asked && self.server.asked.is_some();
        match part.text("type").as_ref().and_then(Text::as_str) {
            Some("text") if is_asked => {
                let text = part.text("text").filter(|text| !text.is_empty());
                let own = !usual::is_set(part, "synthetic");
                out.extend(text.filter(|_| own).map(Fact::prompt));
            }
            Some("text") => out.extend(said(part, delta).map(Fact::Message)),
            Some("reasoning") => {
                self.server.thought = part.text("id").map(Text::into_owned);
                out.extend(said(part, delta).map(Fact::Reasoning));
            }
            Some("tool") => {
                let state = part.inner("state");
                match state.text("status").as_ref().and_then(Text::as_str) {
                    // Its parameters are not known yet.
                    Some("pending") => {}
                    Some("running") => out.push(Fact::Call(call(part, state.get("input"), None))),
                    _ => {
                        let mut result = tool(part);
                        // The call that was running did not say as much about its files.
                        let writes = result.call.as_ref().map(|call| call.writes.clone());
                        result.writes = writes.unwrap_or_default();
                        out.push(Fact::Result(result));
                    }
                }
            }
            Some("step-finish") => {
                out.push(usage(part, false));
                let failed = part.text("reason").and_then(usual::stopped);
                if let (Some(problem), true) = (failed, out.parent.is_none()) {
                    self.server.failure = Some(problem.into_owned());
                }
            }
            _ => {}
        }
    }

    /// States what is added to a part.
    fn delta<'a>(&mut self, properties: &Object<'a>, out: &mut Statement<'a>) {
        self.server.active |= out.parent.is_none();
        let id = properties.text("partID");
        let is_text = properties.is("field", "text") || properties.is("field", "reasoning");
        let text = properties.text("delta").filter(|text| !text.is_empty());
        let Some(text) = text.filter(|_| is_text) else {
            return;
        };
        let is_thought =
            properties.is("field", "reasoning") || id.is_some() && id == self.server.thought;
        let piece = Message::new(id, text, Form::Delta);
        out.push(match is_thought {
            true => Fact::Reasoning(piece),
            false => Fact::Message(piece),
        });
    }
}

/// Returns the text of a part, or the `delta` that is added to it; `None` if it is empty so far.
fn said<'a>(part: &Object<'a>, delta: Option<Text<'a>>) -> Option<Message<'a>> {
    match delta {
        Some(delta) => Some(Message::new(part.text("id"), delta, Form::Delta)),
        None => Some(message(part)).filter(|message| !message.text.is_empty()),
    }
}
