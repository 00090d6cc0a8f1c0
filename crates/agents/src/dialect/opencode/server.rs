//! The events of `opencode serve`, `/event` and `/global/event`, and the session that `opencode export` prints (from
//! the SDK's types, 1.2, and the clients of others).
//!
//! An event is `{"type","properties"}`; `/global/event` puts it into `payload`, next to its folder. `message.updated`
//! states a message without its parts, `message.part.updated` a part so far, and `message.part.delta` (in older
//! versions the member `delta` next to the part) what is added to a part. `session.idle`, and `session.status` of type
//! `idle`, end a turn. A subagent has a session of its own, which names its parent in `session.created`.
//!
//! An export is one object with the same messages and parts: `{"info","messages":[{"info","parts"}]}`. The server
//! answers a prompt with one such message, and lists those of a session.

use super::{Opencode, call, message, problem, tool, usage};
use crate::dialect::prelude::*;
use crate::session::recent::push_latest;
use crate::time;

/// The greatest number of subagents that are remembered.
const SUBAGENTS: usize = 64;
/// The greatest number of sessions at work at a time.
const SESSIONS: usize = 64;

/// What is kept of the events before.
#[derive(Default)]
pub(super) struct Server {
    /// The session of the last event that names one, and its state.
    current: (Option<Text<'static>>, Run),
    /// The other sessions, each with its state.
    others: Vec<(Option<Text<'static>>, Run)>,
    /// The sessions of subagents, each with that of the run.
    subagents: Vec<(Text<'static>, Text<'static>)>,
}

/// The state of a session.
#[derive(Default)]
struct Run {
    /// The id of the user's last message, whose parts are the prompt.
    asked: Option<Text<'static>>,
    /// The id of the model's last message.
    answers: Option<Text<'static>>,
    /// The id of the last part that is a thought.
    thought: Option<Text<'static>>,
    /// What makes the turn fail.
    failure: Option<Failure>,
    /// Whether the agent has done anything in this turn: without that, an idle session says nothing about a run.
    active: bool,
    /// Whether the last turn has ended.
    ended: bool,
}

/// What makes a turn fail.
enum Failure {
    /// An error that was stated, with this message.
    Stated(Text<'static>),
    /// What the reason of the last step says; the end states it.
    Reason(Problem<'static>),
}

impl Server {
    /// Returns the state of the session of the last event that names one.
    fn run(&mut self) -> &mut Run {
        &mut self.current.1
    }

    /// Makes a session the current one. The first one has the state of the events before it that name none.
    fn select(&mut self, id: &Text<'_>) {
        let is_it = |(own, _): &(Option<Text<'static>>, Run)| own.as_ref() == Some(id);
        if is_it(&self.current) {
            return;
        }
        let Some(_) = &self.current.0 else {
            self.current.0 = Some(id.clone().into_owned());
            return;
        };
        let known = self
            .others
            .iter()
            .position(is_it)
            .map(|at| self.others.remove(at));
        let new = || (Some(id.clone().into_owned()), Run::default());
        let before = std::mem::replace(&mut self.current, known.unwrap_or_else(new));
        push_latest(&mut self.others, before, SESSIONS);
    }
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
        let of_session = kind.as_ref().is_some_and(|it| it.starts_with("session."));
        let of_info = |it: &Object<'a>| match of_session {
            true => it.text("sessionID").or_else(|| it.text("id")),
            false => it.text("sessionID"),
        };
        let stated = properties.text("sessionID");
        let subject = info.as_ref().or(part.as_ref());
        self.place(stated.or_else(|| of_info(subject?)), out);
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
            self.place(info.text("id"), out);
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
        self.place(record.inner("info").text("sessionID"), out);
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
        is_over || self.server.run().failure.is_some()
    }

    /// States whose record it is, which names that session or none.
    fn place<'a>(&mut self, id: Option<Text<'a>>, out: &mut Statement<'a>) {
        let Some(id) = id else { return };
        let run = self.run_of(&id);
        out.parent = run.is_some().then(|| id.clone());
        let run = run.unwrap_or(id);
        self.server.select(&run);
        out.session = Some(run);
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
        let run = self.server.run();
        if out.parent.is_some() || !std::mem::take(&mut run.active) {
            return;
        }
        run.ended = true;
        out.push(match run.failure.take() {
            None => Fact::ended(true),
            Some(Failure::Stated(_)) => Fact::ended(false),
            Some(Failure::Reason(problem)) => Fact::end(Some(problem), None),
        });
    }

    /// States a failure, which two events repeat. A session that is aborted is idle before it says so.
    fn fail<'a>(&mut self, problem: Option<Problem<'a>>, out: &mut Statement<'a>) {
        let Some(problem) = problem else { return };
        if out.parent.is_some() {
            return out.push(Fact::Error(problem.passing()));
        }
        let run = self.server.run();
        if !run.active && run.ended {
            return out.push(Fact::end(Some(problem), None));
        }
        run.active = true;
        let is_again = |failure: &Failure| matches!(failure, Failure::Stated(message) if *message == problem.message);
        if !run.failure.as_ref().is_some_and(is_again) {
            run.failure = Some(Failure::Stated(problem.message.clone().into_owned()));
            out.push(Fact::Error(problem));
        }
    }

    /// States what is said of a message without its parts.
    fn message<'a>(&mut self, info: &Object<'a>, out: &mut Statement<'a>) {
        let run = self.server.run();
        let id = info.text("id");
        if info.is("role", "user") {
            run.asked = id.map(Text::into_owned);
            return;
        }
        if out.parent.is_none() {
            // Another message of the model after the end begins a turn, before anything is said.
            if run.ended && id.is_some() && run.answers != id {
                run.ended = false;
                out.push(Fact::Turn);
            }
            run.answers = id.map(Text::into_owned);
            run.active = true;
            out.extend(info.text("modelID").map(Fact::Model));
        }
        let error = info.get("error").and_then(Value::non_null);
        self.fail(error.map(problem), out);
    }

    /// States a part, or the `delta` that is added to it.
    fn part<'a>(&mut self, part: &Object<'a>, delta: Option<Text<'a>>, out: &mut Statement<'a>) {
        let run = self.server.run();
        run.active |= out.parent.is_none();
        let is_asked = part.text("messageID") == run.asked && run.asked.is_some();
        match part.text("type").as_ref().and_then(Text::as_str) {
            Some("text") if is_asked => {
                let text = part.text("text").filter(|text| !text.is_empty());
                let own = !usual::is_set(part, "synthetic");
                out.extend(text.filter(|_| own).map(Fact::prompt));
            }
            Some("text") => out.extend(said(part, delta).map(Fact::Message)),
            Some("reasoning") => {
                run.thought = part.text("id").map(Text::into_owned);
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
                    run.failure = Some(Failure::Reason(problem.into_owned()));
                }
            }
            _ => {}
        }
    }

    /// States what is added to a part.
    fn delta<'a>(&mut self, properties: &Object<'a>, out: &mut Statement<'a>) {
        let run = self.server.run();
        run.active |= out.parent.is_none();
        let id = properties.text("partID");
        let is_text = properties.is("field", "text") || properties.is("field", "reasoning");
        let text = properties.text("delta").filter(|text| !text.is_empty());
        let Some(text) = text.filter(|_| is_text) else {
            return;
        };
        let is_thought = properties.is("field", "reasoning") || id.is_some() && id == run.thought;
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

#[cfg(test)]
mod tests {
    use crate::dialect::testing::sessions;
    use crate::session::Session;
    use jsift_outcome::Outcome;

    /// A message of the model in that session.
    fn message(session: &str, id: &str) -> String {
        let info = format!(r#""id":"{id}","sessionID":"{session}","role":"assistant""#);
        format!(r#"{{"type":"message.updated","properties":{{"info":{{{info}}}}}}}"#)
    }

    /// A text of that message.
    fn text(session: &str, id: &str) -> String {
        let part = format!(
            r#""id":"p{id}","messageID":"{id}","sessionID":"{session}","type":"text","text":"{id}""#
        );
        format!(r#"{{"type":"message.part.updated","properties":{{"part":{{{part}}}}}}}"#)
    }

    fn idle(session: &str) -> String {
        format!(r#"{{"type":"session.idle","properties":{{"sessionID":"{session}"}}}}"#)
    }

    fn error(session: &str) -> String {
        format!(
            r#"{{"type":"session.error","properties":{{"sessionID":"{session}","error":{{"name":"APIError","data":{{"message":"429","statusCode":429}}}}}}}}"#
        )
    }

    fn outcomes(records: &[String]) -> Vec<(Outcome, String)> {
        let all = sessions(records);
        let outcome = |session: &Session| {
            let response = session.response().unwrap_or_default();
            (session.outcome(), response.to_string_lossy().into_owned())
        };
        all.all().iter().map(outcome).collect()
    }

    #[test]
    fn each_session_is_its_own_also_side_by_side() {
        let [a, b] = ["A", "B"].map(|id| [message(id, id), text(id, id), idle(id)]);
        let each = ["A", "B"].map(|id| (Outcome::Success, id.to_owned()));
        assert_eq!(outcomes(&[&a[..], &b].concat()), each);
        let [[a1, a2, a3], [b1, b2, b3]] = [a, b];
        assert_eq!(outcomes(&[a1, b1, a2, b2, b3, a3]), each);
    }

    #[test]
    fn an_error_counts_once_and_after_the_end_too() {
        let said = [message("A", "1"), text("A", "1")];
        let failed = |rest: &[String]| {
            let all = sessions(said.iter().chain(rest));
            assert_eq!(all.outcome(), Outcome::Quota);
            assert_eq!(all.current().unwrap().errors().len(), 1);
        };
        failed(&[error("A")]);
        failed(&[error("A"), idle("A")]);
        failed(&[idle("A"), error("A")]);
        failed(&[idle("A"), message("A", "2"), error("A")]);
        failed(&[idle("A"), message("A", "2"), error("A"), idle("A")]);
        // Another session's error is that session's.
        let all = outcomes(&[&said[..], &[idle("A"), message("B", "2"), error("B")]].concat());
        let all = all.iter().map(|(outcome, _)| *outcome);
        assert_eq!(all.collect::<Vec<_>>(), [Outcome::Success, Outcome::Quota]);
    }

    #[test]
    fn a_message_that_changes_after_the_end_begins_no_turn() {
        let said = [message("A", "1"), text("A", "1"), idle("A")];
        let changed = message("A", "1").replace("\"role\"", "\"cost\":1,\"role\"");
        let other = message("A", "2");
        for (last, outcome) in [(changed, Outcome::Success), (other, Outcome::Truncated)] {
            let all = outcomes(&[&said[..], &[last]].concat());
            assert_eq!(all, [(outcome, "1".to_owned())]);
        }
    }
}
