//! The dialect of an unknown agent: its records are read by shape alone.
//!
//! The words in a record's type say what it is, and a role says who speaks. The subject is in the record or in an
//! object inside it (`event`, `data`, `item`, `message` …). Texts, calls and their results, counts, errors and the end
//! are taken from members with the [usual](super::usual) names. Nothing is guessed: a stream is a success only if its
//! end says so, or if the model's last message says that it stopped by itself.
//!
//! The records count as an agent's only if one of them is such as no other program writes; see [`StrangerEvidence`].

mod calls;
mod place;
mod reading;
mod said;

use crate::fact::Statement;
use crate::json::view::{Kind, Name, Object};

use super::Dialect;
use super::usual::{self, Words};
pub(super) use reading::Stranger;

/// Members of which every record of an unknown agent has at least one: what says what it is, or what is beside the
/// object that says so.
pub(super) const NAMES: &[Name] = &[
    Name::new("type"),
    Name::new("event"),
    Name::new("kind"),
    Name::new("method"),
    Name::new("event_type"),
    Name::new("message_type"),
    Name::new("event_kind"),
    Name::new("role"),
    Name::new("object"),
    Name::new("jsonrpc"),
    Name::new("invocationId"),
    Name::new("invocation_id"),
];
/// Members that say what a record is.
const DISCRIMINATORS: [&str; 9] = [
    "type",
    "event",
    "kind",
    "method",
    "event_type",
    "message_type",
    "event_kind",
    "role",
    "object",
];

/// Words in a record's type that may identify an agent.
const TELLING: Words = Words::SAY
    .with(Words::AGENT)
    .with(Words::CONTENT)
    .with(Words::USER)
    .with(Words::THINK)
    .with(Words::TOOL)
    .with(Words::PART)
    .with(Words::COUNT)
    .with(Words::MODEL)
    .with(Words::START)
    .with(Words::END)
    .with(Words::WRONG);

/// Returns the index in [`DISCRIMINATORS`] of the member that says what a record (or an object that it wraps) is.
pub(super) fn discriminator(record: &Object<'_>) -> Option<usize> {
    told_by(record).or_else(|| wrapped(record).find_map(|inner| told_by(&inner)))
}

/// Returns the objects in a record that may say what the record is: what an event contains, a result of JSON-RPC
/// (A2A), the content of a message (Google's ADK), the item of a run (OpenAI's Agents SDK).
fn wrapped<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    let names = ["msg", "result", "content", "item"];
    names.into_iter().filter_map(|name| record.object(name))
}

/// Returns the index in [`DISCRIMINATORS`] of the object's own member that says what it is.
fn told_by(object: &Object<'_>) -> Option<usize> {
    let contents = ["content", "parts", "items", "blocks"];
    let tells = |name: &&str| {
        let told = object.holds(name, Kind::String);
        told && (*name != "role" || contents.iter().any(|name| object.has(name)))
    };
    DISCRIMINATORS.iter().position(tells)
}

/// Evidence that records are an unknown agent's: two or more of them have their type in the same member, and they show
/// what agents do. That is an end with an answer, a text between a start and an end, or, since jobs, telephones and chats
/// have calls and messages, too, any text or any call with its result beside a record such as only programs around a
/// language model write.
#[derive(Debug, Default)]
pub(super) struct StrangerEvidence {
    reading: Stranger,
    /// For each discriminator, the number of records that it describes.
    told: [u32; DISCRIMINATORS.len()],
    started: bool,
    /// There was a text after a start.
    said: bool,
    /// There was an end with an answer, or a text between a start and an end.
    ended: bool,
    /// Something was said or done.
    acted: bool,
    /// A record was such as only programs around a language model write.
    of_model: bool,
    /// A message of the system was seen: the records are a request.
    request: bool,
    candidate: bool,
}

impl StrangerEvidence {
    /// Adds a record; returns whether the records are now clearly an agent's.
    pub(super) fn add(&mut self, record: &Object<'_>) -> bool {
        self.candidate = false;
        // A record with a level is a log's, whoever writes it.
        let Some(told) = discriminator(record).filter(|_| !record.has("level")) else {
            return false;
        };
        let role = DISCRIMINATORS[told] == "role";
        self.request |= role && record.is("role", "system");
        if role && self.request {
            return false;
        }
        self.told[told] += 1;
        // A record without a telling word is left unread.
        let words = usual::words(record);
        let tells_inside = |inner: Object<'_>| told_by(&inner).is_some();
        self.candidate = role || words.has(TELLING) || wrapped(record).any(tells_inside);
        if self.candidate {
            self.read(record);
        }
        (self.ended || self.acted && self.of_model) && self.told[told] > 1
    }

    fn read(&mut self, record: &Object<'_>) {
        let mut statement = Statement::default();
        self.reading.facts(record, &mut statement);
        let signs = self.reading.signs();
        self.ended |= signs.answers || signs.ends && self.said;
        self.said |= signs.says && self.started;
        self.started |= signs.starts;
        self.acted |= signs.acts;
        self.of_model |= signs.of_model || usual::counts_tokens(record);
    }

    /// Whether the last record may be an unknown agent's.
    pub(super) const fn has_last(&self) -> bool {
        self.candidate
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use crate::dialect::reader::{FoundRecord, RecordReader};
    use crate::fact::Statement;
    use crate::json::view::Value;
    use crate::outcome::Outcome;
    use crate::session::{Session, Sessions};

    fn sessions(records: &[&str]) -> Sessions {
        let mut sessions = Sessions::new(true);
        let mut fold = |agent: Option<Agent>, _: Value<'_>, statement: &Statement<'_>| {
            assert_eq!(agent, None);
            sessions.record(agent, statement);
        };
        let mut reader = RecordReader::new();
        for record in records {
            let _ = reader.read(Value::new(record.as_bytes()), FoundRecord::ALONE, &mut fold);
        }
        reader.finish(true, &mut fold);
        sessions
    }

    /// Returns the outcome of the run of these records and its answer; `None` if they belong to no agent.
    fn read(records: &[&str]) -> Option<(Outcome, String)> {
        let sessions = sessions(records);
        let session = sessions.current()?;
        let response = session.response().unwrap_or_default();
        Some((session.outcome(), response.to_string_lossy().into_owned()))
    }

    fn ended(outcome: Outcome, answer: &str) -> Option<(Outcome, String)> {
        Some((outcome, answer.to_owned()))
    }

    const START: &str = r#"{"kind":"run.started","id":1}"#;
    const SAYS: &str = r#"{"kind":"agent.message","text":"Done."}"#;
    const END: &str = r#"{"kind":"run.finished"}"#;

    #[test]
    fn what_only_an_agent_says_tells_that_records_are_an_agents() {
        assert_eq!(read(&[START, SAYS, END]), ended(Outcome::Success, "Done."));
        assert_eq!(read(&[SAYS, END]), ended(Outcome::Success, "Done."));
        assert_eq!(read(&[START, SAYS]), ended(Outcome::Truncated, "Done."));
        // One record is not enough, nor are records without a text.
        assert_eq!(read(&[SAYS]), None);
        assert_eq!(read(&[START, END]), None);
        for answers in [
            r#"{"event":"done","final_text":"hi"}"#,
            r#"{"event":"done","response":"hi"}"#,
        ] {
            let all = [r#"{"event":"init"}"#, answers];
            assert_eq!(read(&all), ended(Outcome::Success, "hi"));
        }
        let counts = r#"{"event":"llm","usage":{"input_tokens":3,"output_tokens":1}}"#;
        let results = r#"{"event":"done","result":"hi"}"#;
        assert_eq!(read(&[r#"{"event":"init"}"#, results]), None);
        assert_eq!(
            read(&[r#"{"event":"init"}"#, counts, results]),
            ended(Outcome::Success, "hi")
        );
        let text = r#"{"type":"text","text":"hi"}"#;
        let all = [r#"{"type":"start"}"#, text, r#"{"type":"end"}"#];
        assert_eq!(read(&all), ended(Outcome::Success, "hi"));
        assert_eq!(read(&all[1..]), None);
        // What an agent that watches a machine logs is no answer.
        let logs = r#"{"type":"agent.log","message":"hi"}"#;
        let all = [
            r#"{"type":"agent.start"}"#,
            logs,
            r#"{"type":"agent.stop"}"#,
        ];
        assert_eq!(read(&all), None);
        let call = r#"{"event":"tool_call","tool_call_id":"1","name":"ls"}"#;
        let result = r#"{"event":"tool_result","tool_call_id":"1","output":"a"}"#;
        assert_eq!(read(&[call, call]), None);
        // A telephone has calls with ids, too.
        let rings = r#"{"event":"call.started","call_id":"1","name":"a"}"#;
        let hung_up = r#"{"event":"call.ended","call_id":"1","status":"completed"}"#;
        assert_eq!(read(&[rings, hung_up]), None);
        assert_eq!(read(&[call, result]), ended(Outcome::Truncated, ""));
        let chunk = r#"{"type":"text-delta","delta":"hi"}"#;
        let all = [r#"{"type":"start"}"#, chunk, r#"{"type":"finish"}"#];
        assert_eq!(read(&all), ended(Outcome::Success, "hi"));
        assert_eq!(read(&all[1..]), ended(Outcome::Success, "hi"));
        assert_eq!(read(&[all[0], all[2]]), None);
    }

    #[test]
    fn a_stated_failure_is_no_success_wherever_it_stands() {
        for failure in [
            r#"{"kind":"run.finished","error":{"message":"401 Unauthorized"}}"#,
            r#"{"kind":"run.finished","status":"failed"}"#,
            r#"{"kind":"run.finished","is_error":true}"#,
            r#"{"kind":"run.finished","exit_code":2}"#,
            r#"{"kind":"run.finished","data":{"stopReason":"max_tokens"}}"#,
            r#"{"kind":"run.finished","aborted":true}"#,
        ] {
            let (outcome, _) = read(&[START, SAYS, failure]).unwrap();
            assert_ne!(outcome, Outcome::Success, "{failure}");
            // An end after the failure does not mend it.
            let (outcome, _) = read(&[START, SAYS, failure, END]).unwrap();
            assert_ne!(outcome, Outcome::Success, "{failure}");
        }
        for limit in [
            r#"{"kind":"run.finished","data":{"stopReason":"max_tokens"}}"#,
            r#"{"kind":"run.finished","data":{"usage":{"outputTokens":9,"finishReason":"length"}}}"#,
        ] {
            assert_eq!(read(&[START, SAYS, limit]).unwrap().0, Outcome::Turns);
        }
        let cut = r#"{"kind":"message","data":{"role":"assistant","content":"Do","usage":{"finishReason":"length"}}}"#;
        assert_eq!(read(&[START, cut, END]), ended(Outcome::Turns, "Do"));
        let error = r#"{"kind":"error","message":"429 Too Many Requests"}"#;
        assert_eq!(read(&[START, SAYS, error]).unwrap().0, Outcome::Quota);
        assert_eq!(read(&[START, SAYS, error, END]).unwrap().0, Outcome::Quota);
        assert_eq!(
            read(&[START, error, SAYS, END]),
            ended(Outcome::Success, "Done.")
        );
    }

    #[test]
    fn frameworks_say_the_same_in_their_own_words() {
        // AG-UI.
        let ag_ui = [
            r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Do"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"ne."}"#,
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
        ];
        let broken = r#"{"type":"RUN_ERROR","message":"429 Too Many Requests"}"#;
        // Letta.
        let letta = [
            r#"{"message_type":"reasoning_message","id":"m1","reasoning":"hm"}"#,
            r#"{"message_type":"tool_call_message","id":"m2","tool_call":{"name":"ls","arguments":"{}","tool_call_id":"c"}}"#,
            r#"{"message_type":"tool_return_message","id":"m3","tool_return":"ok","status":"success","tool_call_id":"c"}"#,
            r#"{"message_type":"assistant_message","id":"m4","content":"Done."}"#,
            r#"{"message_type":"stop_reason","stop_reason":"end_turn"}"#,
        ];
        // LangChain's astream_events.
        let langchain = [
            r#"{"event":"on_chain_start","name":"agent","run_id":"r","data":{"input":"hi"}}"#,
            r#"{"event":"on_chat_model_stream","name":"m","run_id":"m","data":{"chunk":{"content":"Do","type":"AIMessageChunk"}}}"#,
            r#"{"event":"on_chat_model_stream","name":"m","run_id":"m","data":{"chunk":{"content":"ne.","type":"AIMessageChunk"}}}"#,
            r#"{"event":"on_chain_end","name":"agent","run_id":"r","data":{"output":{}}}"#,
        ];
        for all in [&ag_ui[..], &letta, &langchain] {
            assert_eq!(read(all), ended(Outcome::Success, "Done."), "{all:?}");
        }
        let broken = [ag_ui[0], ag_ui[2], ag_ui[3], broken];
        assert_eq!(read(&broken), ended(Outcome::Quota, "Done."));
    }

    #[test]
    fn the_calls_of_a_record_about_calls_need_no_type() {
        // AutoGen.
        let all = [
            r#"{"type":"ToolCallRequestEvent","source":"assistant","content":[{"id":"c","name":"ls","arguments":"{}"}]}"#,
            r#"{"type":"ToolCallExecutionEvent","source":"assistant","content":[{"call_id":"c","name":"ls","content":"a","is_error":false}]}"#,
            r#"{"type":"TextMessage","source":"assistant","models_usage":{"prompt_tokens":9,"completion_tokens":3},"content":"Done."}"#,
        ];
        assert_eq!(read(&all[..2]), ended(Outcome::Truncated, ""));
        assert_eq!(read(&all), ended(Outcome::Truncated, "Done."));
    }

    #[test]
    fn a_message_with_an_id_and_a_status_is_no_call() {
        // As OpenAI's Responses begin a message, in the records of an agent.
        for (status, outcome) in [
            ("in_progress", Outcome::Truncated),
            ("failed", Outcome::Failed),
        ] {
            let message = format!(
                r#"{{"kind":"item.added","item":{{"id":"msg_1","type":"message","role":"assistant","status":"{status}","content":[]}}}}"#
            );
            let sessions = sessions(&[START, SAYS, &message]);
            let calls = sessions.current().unwrap().tools().unwrap().sum().calls;
            assert_eq!((sessions.outcome(), calls), (outcome, 0), "{status}");
        }
    }

    #[test]
    fn what_has_a_level_is_a_log() {
        let log = [
            r#"{"event":"agent.started","level":"info","message":"Agent started"}"#,
            r#"{"event":"agent.message","level":"info","message":"checks are fine"}"#,
            r#"{"event":"agent.stopped","level":"info","message":"Agent stopped"}"#,
        ];
        assert_eq!(read(&log), None);
    }

    #[test]
    fn a_text_that_is_repeated_is_said_once() {
        let part = |text: &str, said: &str| {
            format!(
                r#"{{"kind":"message_update","event":{{"type":"text_delta","delta":"{text}"}},"message":{{"role":"assistant","content":"{said}"}}}}"#
            )
        };
        let whole = r#"{"kind":"message_end","message":{"role":"assistant","content":"Done."}}"#;
        let turn = r#"{"kind":"turn_end","message":{"role":"assistant","content":"Done."}}"#;
        let (one, two) = (part("Do", "Do"), part("ne.", "Done."));
        let all = [START, &*one, &*two, whole, turn, END];
        assert_eq!(read(&all), ended(Outcome::Success, "Done."));
    }

    #[test]
    fn what_goes_on_behind_an_end_is_another_turn() {
        let more = r#"{"kind":"agent.message","text":"More."}"#;
        assert_eq!(
            read(&[START, SAYS, END, more]),
            ended(Outcome::Truncated, "More.")
        );
        assert_eq!(
            read(&[START, SAYS, END, more, END]),
            ended(Outcome::Success, "More.")
        );
    }

    #[test]
    fn messages_inside_messages_are_not_followed() {
        let deep = format!(
            r#"{{"type":1,"msg":{}0{}"#,
            r#"{"msg":"#.repeat(100_000),
            "}".repeat(100_001)
        );
        assert_eq!(read(&[&deep, SAYS]), None);
    }

    #[test]
    fn the_same_answer_to_another_question_is_another_answer() {
        let all = [
            r#"{"role":"user","content":"1+1","id":"1"}"#,
            r#"{"role":"assistant","content":"2","id":"2"}"#,
            r#"{"role":"user","content":"4-2","id":"3"}"#,
            r#"{"role":"assistant","content":"2","id":"4"}"#,
        ];
        let both = sessions(&all);
        let session = both.current().unwrap();
        assert_eq!((session.messages(), session.turns()), (Some(2), Some(2)));
        let again = [START, SAYS, END, START, SAYS];
        assert_eq!(read(&again), ended(Outcome::Truncated, "Done."));
    }

    #[test]
    fn a_start_that_comes_again_starts_a_turn_or_behind_an_end_a_run() {
        let turns = |records: &[&str]| -> Vec<_> {
            let sessions = sessions(records);
            sessions.all().iter().map(Session::turns).collect()
        };
        let other = r#"{"kind":"workspace.opened"}"#;
        assert_eq!(turns(&[START, SAYS, other, END]), [Some(1)]);
        assert_eq!(turns(&[START, SAYS, START, SAYS, END]), [Some(2)]);
        assert_eq!(turns(&[START, SAYS, END, START, SAYS]), [Some(1); 2]);
        // Without a start a record that comes again is none.
        let more = r#"{"kind":"agent.message","text":"More."}"#;
        assert_eq!(turns(&[SAYS, more, END]), [Some(1)]);
        let told = r#"{"role":"developer","content":"be brief","id":"1"}"#;
        let asked = r#"{"role":"user","content":"hi","id":"2"}"#;
        let said = r#"{"role":"assistant","content":"hello","id":"3"}"#;
        let brief = r#"{"role":"assistant","content":"hi","id":"4"}"#;
        assert_eq!(turns(&[asked, said, told, brief]), [Some(1)]);
    }

    #[test]
    fn starts_and_ends_of_something_else_tell_nothing() {
        let text = r#"{"type":"text","text":"hi"}"#;
        let finish = r#"{"type":"finish"}"#;
        assert_eq!(read(&[r#"{"type":"user"}"#, text, finish]), None);
        let step = r#"{"type":"step_failed","error":"x"}"#;
        assert_eq!(read(&[r#"{"type":"start"}"#, text, step]), None);
        for (record, outcome) in [
            (
                r#"{"kind":"event","data":{"kind":"run.finished"}}"#,
                Outcome::Success,
            ),
            (
                r#"{"kind":"event","data":{"type":"final","role":"assistant","content":"Done."}}"#,
                Outcome::Truncated,
            ),
            (r#"{"kind":"note","reason":"stop"}"#, Outcome::Truncated),
            (
                r#"{"kind":"agent.error","message":"429 Too Many Requests"}"#,
                Outcome::Quota,
            ),
        ] {
            let all = [START, SAYS, record];
            assert_eq!(read(&all), ended(outcome, "Done."), "{record}");
        }
        let call = r#"{"role":"assistant","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}],"stop_reason":"stop","id":"1"}"#;
        assert_eq!(
            read(&[START, SAYS, call]).unwrap().0,
            Outcome::Truncated,
            "a call is pending"
        );
    }

    #[test]
    fn a_request_is_no_run() {
        let system = r#"{"role":"system","content":"be brief"}"#;
        let user = r#"{"role":"user","content":"hi"}"#;
        let said = r#"{"role":"assistant","content":"hello","id":"x"}"#;
        assert_eq!(read(&[system, user, said, user, said]), None);
        assert_eq!(read(&[user, said]), ended(Outcome::Truncated, "hello"));
    }
}
