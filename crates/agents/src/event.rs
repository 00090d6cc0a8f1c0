//! Turns facts into progress events, as they arrive.

mod form;

pub use form::{Event, Phase, Status, Steps};

use std::time::Duration;

use crate::dialect::reader::StatedRecord;
use crate::fact::{Call, End, EndScope, Fact, Form, Message, Problem, ToolResult, ToolStatus};
use crate::figures::{calls, dollars, span, tokens};
use crate::session::{Novelty, Said, Session, Sessions, Settled, Step, Tools};
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// Sends the events of a record to `steps`.
struct Sender<'a, 'e> {
    /// What all events of the record have in common.
    frame: Event<'a>,
    steps: &'e mut dyn Steps,
}

/// Turns the statements of a stream's records into events.
#[derive(Debug, Default)]
pub struct Progress {
    /// The sessions so far, with their text only if it is kept.
    pub sessions: Sessions,
    /// The line of the last record.
    line: Option<u64>,
    /// Whether a terminal record came while no task was working in the background. Anything after it is a further turn.
    pub done: bool,
}

impl Progress {
    /// Returns the state at the start of a stream whose records are folded into `sessions`, too.
    #[must_use]
    pub fn with(sessions: Sessions) -> Self {
        Self {
            sessions,
            ..Self::default()
        }
    }

    /// Sends the events of a record.
    pub fn record(&mut self, stated: StatedRecord<'_>, steps: &mut dyn Steps) {
        let statement = stated.statement;
        // What is stated at the end of a source comes after its last record.
        let line = Some((stated.line)()).filter(|line| *line > 0);
        self.line = line.or(self.line);
        let session = self.sessions.of(stated.agent, statement);
        let prefix = session.prefix.clone();
        let parent = statement.parent.as_ref();
        let mut sender = Sender {
            frame: Event {
                // A record that reads like another agent's is still the session's.
                agent: session.agent,
                session: session.number,
                line: self.line,
                raw: Some(stated.document).filter(|record| !record.raw().is_empty()),
                timestamp: statement.timestamp,
                parent,
                parent_step: parent.and_then(|call| session.step_of(call)),
                prefix: prefix.as_ref(),
                ..Event::default()
            },
            steps,
        };
        for fact in statement.facts.iter() {
            match session.fact(fact, parent) {
                Step::Nothing => {}
                step => sender.step(fact, session, &step),
            }
        }
        let ends = |fact: &Fact<'_>| matches!(fact, Fact::End(end) if end.scope == EndScope::Run);
        let ends = parent.is_none() && statement.facts.iter().any(ends);
        self.done |= ends && session.running_tasks() == 0;
    }

    /// Emits the last event of a stream that fails whether or not its session has ended: a time limit expired, or a
    /// record is broken with `--strict`.
    pub fn give_up(&mut self, outcome: Outcome, steps: &mut dyn Steps) {
        last(outcome, None, self.last_frame(), steps);
    }

    /// Emits the last event of each session that is still open, since the stream ended without its terminal record.
    pub fn finish(&mut self, steps: &mut dyn Steps) {
        let frame = self.last_frame();
        for session in self.sessions.all().iter().filter(|it| !it.has_ended()) {
            let frame = Event {
                agent: session.agent,
                session: session.number,
                prefix: session.prefix.as_ref(),
                ..frame
            };
            complete(session, frame, steps);
        }
        if self.sessions.current().is_some() {
            return;
        }
        let noise = (self.sessions.known, self.sessions.outcome());
        let (outcome, message) = match noise {
            (Some(known), _) => (known.class, Some(Text::from(known.phrase))),
            (None, Outcome::None) => return,
            (None, outcome) => (outcome, None),
        };
        let frame = Event {
            agent: self.sessions.known_agent(),
            ..frame
        };
        last(outcome, message, frame, steps);
    }

    /// Returns the frame of an event that comes from no record.
    fn last_frame(&self) -> Event<'static> {
        let current = self.sessions.current();
        Event {
            agent: current.and_then(|session| session.agent),
            session: current.map_or(0, |session| session.number),
            line: self.line,
            ..Event::default()
        }
    }
}

impl Sender<'_, '_> {
    /// Sends the new part of a message.
    fn text(&mut self, phase: Phase, message: &Message<'_>, said: Said) {
        let rest;
        let (status, text) = match said.novelty {
            Novelty::Nothing => return,
            Novelty::Message | Novelty::Instead if message.form != Form::Delta => {
                (Status::Success, &message.text)
            }
            Novelty::From(start) => {
                rest = message.text.since(start);
                (Status::Stream, &rest)
            }
            _ => (Status::Stream, &message.text),
        };
        if !text.is_empty() {
            self.steps.event(&Event {
                status: Some(status),
                message: Some(text),
                step: Some(said.message),
                ..self.frame.of(phase)
            });
        }
    }

    fn step(&mut self, fact: &Fact<'_>, session: &Session, step: &Step) {
        match (fact, step) {
            (Fact::Message(message), Step::Text(said)) => {
                self.text(Phase::Assistant, message, *said);
            }
            (Fact::Reasoning(message), Step::Text(said)) => {
                self.text(Phase::Reasoning, message, *said);
            }
            (Fact::Call(call), Step::Call(step)) => self.call(call, *step),
            (Fact::Result(result), Step::Settled(settled)) => self.result(result, settled),
            (_, Step::TakenBack(steps)) => self.steps.taken_back(session.number, steps.clone()),
            // The call's result was sent as a failure before; the denial corrects it.
            (Fact::Denial(denial), Step::Settled(settled)) => self.steps.event(&Event {
                status: Some(Status::Denied),
                label: known(&settled.name),
                detail: known(&denial.id),
                step: Some(settled.step),
                done: true,
                ..self.frame.of(Phase::Tool)
            }),
            (Fact::Start(start), _) => self.steps.event(&Event {
                status: Some(Status::Running),
                label: start.model.as_ref(),
                detail: session.id.as_ref(),
                folder: start.folder.as_ref(),
                ..self.frame.of(Phase::Init)
            }),
            (Fact::User(user), _) => self.steps.event(&Event {
                message: known(&user.text),
                ..self.frame.of(Phase::User)
            }),
            (Fact::Retry(problem), _) => self.problem(Phase::Retry, Status::Running, problem),
            (Fact::Error(problem), _) => self.problem(Phase::Error, Status::Error, problem),
            (Fact::End(end), _) => self.end(end, session),
            (Fact::Other(other), _) => self.steps.event(&Event {
                label: other.kind.as_ref(),
                unknown: !other.known,
                todos: other.todos,
                ..self.frame.of(Phase::Other)
            }),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call<'_>, step: u64) {
        self.steps.event(&Event {
            status: Some(Status::Running),
            label: known(&call.name),
            message: known(&call.parameters),
            detail: known(&call.id),
            path: call.path.as_ref(),
            step: Some(step),
            ..self.frame.of(Phase::Tool)
        });
    }

    fn result(&mut self, result: &ToolResult<'_>, settled: &Settled) {
        if let (true, Some(call)) = (settled.states_call, &result.call) {
            self.call(call, settled.step);
        }
        let failed = settled.status != ToolStatus::Success;
        let error = result.error.as_ref().filter(|_| failed);
        self.steps.event(&Event {
            status: Some(Status::of_tool(settled.status)),
            label: known(&settled.name),
            message: error.or(result.output.as_ref()),
            detail: known(&result.id),
            path: settled.path(),
            step: Some(settled.step),
            done: true,
            change: settled.change,
            took: result.duration_ms.map(Duration::from_millis),
            exit_code: result.exit_code,
            ..self.frame.of(Phase::Tool)
        });
        for (path, operation) in settled.written().iter() {
            let operation = operation.map(|operation| Text::from(operation.word()));
            self.steps.event(&Event {
                status: Some(Status::Success),
                label: operation.as_ref(),
                detail: known(&result.id),
                path: Some(path),
                step: Some(settled.step),
                ..self.frame.of(Phase::File)
            });
        }
    }

    fn problem(&mut self, phase: Phase, status: Status, problem: &Problem<'_>) {
        self.steps.event(&Event {
            status: Some(status),
            label: Some(&problem.class.word().into()),
            message: known(&problem.message),
            warns: phase == Phase::Error && !problem.fatal,
            ..self.frame.of(phase)
        });
    }

    /// Sends the end, and before it what only the terminal record states: its error, and the answer if nothing was
    /// said.
    fn end(&mut self, end: &End<'_>, session: &Session) {
        if end.scope != EndScope::Run || self.frame.parent.is_some() {
            return self.end_inside(end);
        }
        let answer = end.text.as_ref().and_then(known);
        if let Some(text) = answer.filter(|_| !session.has_said()) {
            self.steps.event(&Event {
                status: Some(Status::Success),
                message: Some(text),
                ..self.frame.of(Phase::Assistant)
            });
        }
        if let Some(error) = &end.error {
            self.problem(Phase::Error, Status::Error, error);
        }
        complete(session, self.frame, self.steps);
    }

    /// Sends what is known of an end after which the run goes on.
    fn end_inside(&mut self, end: &End<'_>) {
        match &end.error {
            Some(error) if end.scope == EndScope::Attempt => {
                self.problem(Phase::Retry, Status::Running, error);
            }
            Some(error) => self.problem(Phase::Error, Status::Error, &error.clone().passing()),
            None => {}
        }
    }
}

/// Returns the text unless it is empty; a fact's text is empty if its record has none.
fn known<'t, 'a>(text: &'t Text<'a>) -> Option<&'t Text<'a>> {
    (!text.is_empty()).then_some(text)
}

fn complete(session: &Session, frame: Event<'_>, steps: &mut dyn Steps) {
    let (outcome, usage) = (session.outcome(), session.usage());
    let tools = session.tools().map(Tools::sum).unwrap_or_default();
    let words = [
        session.duration_ms.map(Duration::from_millis).map(span),
        (tools.failed() > 0).then(|| calls(tools)),
        usage.total.map(tokens),
        usage.cost_usd.map(dollars),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let message = (!words.is_empty()).then(|| words.join(", ").into());
    let frame = Event {
        usage: usage.is_known().then_some(usage),
        warns: session.is_doubtful(),
        ..frame
    };
    last(outcome, message, frame, steps);
}

/// Emits the last event of a session.
fn last(outcome: Outcome, message: Option<Text<'_>>, frame: Event<'_>, steps: &mut dyn Steps) {
    steps.event(&Event {
        status: Some(Status::of_outcome(outcome)),
        label: Some(&outcome.word().into()),
        message: message.as_ref(),
        done: true,
        ..frame.of(Phase::Complete)
    });
}

#[cfg(test)]
mod tests {
    use super::{Event, Phase, Progress};
    use crate::dialect::reader::{RecordReader, StatedRecord, Taken};
    use crate::dialect::testing::read;

    #[test]
    fn a_message_is_reported_once_whatever_another_agent_writes_meanwhile() {
        let records = [
            r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"claude_code_version":"2"}"#,
            r#"{"type":"stream_event","session_id":"s","api_message_id":"1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done."}}}"#,
            r#"{"type":"init","timestamp":"t","session_id":"g","model":"m"}"#,
            r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"text","text":"Done."}]}}"#,
        ];
        let reported = reported(records);
        let said = reported
            .iter()
            .filter(|(phase, _)| *phase == Phase::Assistant);
        assert_eq!(said.count(), 1);
    }

    #[test]
    fn a_run_is_done_when_no_announced_subagent_is_pending() {
        const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":1}"#;
        let records = [
            (
                r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2"}"#,
                false,
            ),
            (
                r#"{"type":"system","subtype":"task_started","session_id":"s","tool_use_id":"t","subagent_type":"x"}"#,
                false,
            ),
            (
                r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"Async agent launched successfully."}]}}"#,
                false,
            ),
            (RESULT, false),
            (
                r#"{"type":"system","subtype":"task_notification","session_id":"s","tool_use_id":"t","status":"completed"}"#,
                false,
            ),
            (RESULT, true),
        ];
        let mut progress = Progress::default();
        let mut reader = RecordReader::default();
        for (record, done) in records {
            let mut receiver = |stated: StatedRecord<'_>| {
                progress.record(stated, &mut |_: &Event<'_>| {});
            };
            read(&mut reader, [record], &mut receiver);
            assert_eq!(progress.done, done, "{record}");
        }
    }

    /// The phases and messages of the events of some records.
    fn reported<'a>(records: impl IntoIterator<Item = &'a str>) -> Vec<(Phase, Option<String>)> {
        let (mut progress, mut reported) = (Progress::default(), Vec::new());
        let mut receiver = |stated: StatedRecord<'_>| {
            progress.record(stated, &mut |event: &Event<'_>| {
                let message = event.message;
                let message = message.map(|text| text.to_string_lossy().into_owned());
                reported.push((event.phase, message));
            });
        };
        let taken = read(&mut RecordReader::default(), records, &mut receiver);
        assert!(
            taken.iter().all(|taken| *taken == Taken::Reported),
            "{taken:?}"
        );
        reported
    }

    #[test]
    fn what_an_agent_thinks_is_reasoning() {
        for thought in [
            r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"hm"}]},"session_id":"T-1"}"#,
            r#"{"type":"message","message":{"id":"m1","role":"assistant","created":1,"content":[{"type":"thinking","thinking":"hm","signature":""}]}}"#,
            r#"{"type":"reasoning","timestamp":1,"sessionID":"ses_1","part":{"id":"1","type":"reasoning","text":"hm"}}"#,
            r#"{"type":"assistant.reasoning_delta","data":{"reasoningId":"1","deltaContent":"hm"},"id":"e","timestamp":"t","parentId":"p"}"#,
            r#"{"type":"assistant.reasoning","data":{"reasoningId":"1","content":"hm"},"id":"e","timestamp":"t","parentId":"p"}"#,
        ] {
            let reported = reported([thought]);
            assert_eq!(
                reported,
                [(Phase::Reasoning, Some("hm".into()))],
                "{thought}"
            );
        }
    }

    #[test]
    fn each_message_is_reported_once_if_deltas_come_before_it() {
        const INIT: &str =
            r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2"}"#;
        let delta = |id: &str, text: &str| {
            format!(
                r#"{{"type":"stream_event","session_id":"s","api_message_id":"{id}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
            )
        };
        let whole = |id: &str, text: &str| {
            format!(
                r#"{{"type":"assistant","session_id":"s","message":{{"id":"{id}","model":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
            )
        };
        let records = [
            INIT.to_owned(),
            delta("1", "One."),
            whole("1", "One."),
            delta("2", "Tw"),
            whole("2", "Two."),
            whole("2", "Two. More."),
        ];
        let mut reported = reported(records.iter().map(String::as_str));
        reported.retain(|(phase, _)| *phase == Phase::Assistant);
        let reported: Vec<_> = reported
            .iter()
            .filter_map(|(_, text)| text.as_deref())
            .collect();
        assert_eq!(reported, ["One.", "Tw", "o.", "Two. More."]);
    }
}
