//! Streams of agents that are not known: each recording is read as if its agent had no dialect.

use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::session::{Session, Tools};
use jsift_json::text::Text;
use jsift_outcome::Outcome;

use super::{codes, recordings, sessions, sessions_by};

/// How many of an agent's recordings are read rightly by shape alone, of those that say so: the response, the end, the
/// number of calls, the tokens. They may only rise.
const FIGURES: &[(&str, [(usize, usize); 4])] = &[
    ("acp", [(1, 1), (0, 1), (2, 2), (0, 0)]),
    ("agy", [(1, 1), (1, 1), (0, 2), (1, 1)]),
    ("amp", [(1, 1), (1, 1), (1, 1), (1, 1)]),
    ("claude", [(7, 7), (7, 7), (7, 8), (4, 8)]),
    ("cline", [(2, 2), (2, 2), (1, 1), (3, 3)]),
    ("codex", [(2, 2), (1, 2), (2, 2), (0, 2)]),
    ("copilot", [(2, 2), (2, 2), (3, 3), (0, 0)]),
    ("cursor", [(1, 2), (2, 2), (1, 1), (0, 1)]),
    ("droid", [(3, 3), (3, 3), (3, 3), (3, 3)]),
    ("gemini", [(2, 2), (2, 2), (2, 2), (2, 2)]),
    ("goose", [(0, 1), (1, 1), (0, 1), (1, 1)]),
    ("grok", [(1, 1), (0, 1), (0, 0), (0, 0)]),
    ("grok-build", [(0, 2), (2, 2), (1, 1), (1, 1)]),
    ("kilo", [(1, 1), (1, 1), (0, 0), (2, 2)]),
    ("kimi", [(2, 3), (0, 3), (2, 4), (0, 1)]),
    ("kiro", [(1, 1), (1, 1), (1, 1), (0, 0)]),
    ("opencode", [(6, 6), (6, 6), (8, 8), (4, 8)]),
    ("pi", [(2, 2), (2, 2), (2, 2), (4, 4)]),
    ("roo", [(3, 4), (4, 4), (0, 2), (0, 3)]),
    ("vibe", [(2, 2), (0, 2), (1, 1), (0, 0)]),
    ("warp", [(0, 1), (0, 1), (0, 0), (0, 0)]),
];

#[test]
fn streams_of_unknown_agents_are_read_by_shape() {
    let mut lies = Vec::new();
    let mut wrong = Vec::new();
    let mut figures: Vec<(String, [(usize, usize); 4])> = Vec::new();
    for recording in recordings() {
        if recording.records().is_empty() {
            continue;
        }
        let read = sessions_by(&recording.text, RecordReader::of_unknown());
        let outcome = read.outcome();
        if outcome == Outcome::Success && !recording.is("success") {
            lies.push(recording.name.clone());
        }
        // The figures are those of streams.
        if recording.name.contains("/disk_") {
            continue;
        }
        let agent = recording.expected["agent"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if figures.last().is_none_or(|(last, _)| *last != agent) {
            figures.push((agent.clone(), [(0, 0); 4]));
        }
        let counts = &mut figures.last_mut().unwrap().1;
        let session = read.current();
        let mut count = |at: usize, right: Option<bool>| {
            if let Some(right) = right {
                counts[at] = (counts[at].0 + usize::from(right), counts[at].1 + 1);
                if !right {
                    wrong.push(format!("{} {at}", recording.name));
                }
            }
        };
        let expected = &recording.expected;
        let success = recording.is("success");
        let said = session.and_then(Session::response);
        let said = said.map(|said| said.to_string_lossy().trim().to_owned());
        let response = expected["response"]
            .as_str()
            .filter(|text| success && !text.is_empty());
        count(0, response.map(|text| said.as_deref() == Some(text.trim())));
        count(1, success.then_some(outcome == Outcome::Success));
        let calls = expected["tools"]["calls"]
            .as_u64()
            .filter(|calls| *calls > 0);
        let made = session.and_then(Session::tools).map(Tools::sum);
        count(
            2,
            calls.map(|calls| made.is_some_and(|made| made.calls == calls)),
        );
        let usage = &expected["usage"];
        let tokens = usage["input_tokens"]
            .as_u64()
            .zip(usage["output_tokens"].as_u64());
        let used = session.map(Session::usage);
        count(
            3,
            tokens.map(|(input, output)| {
                used.is_some_and(|used| (used.input, used.output) == (Some(input), Some(output)))
            }),
        );
    }
    assert!(lies.is_empty(), "failed runs called success: {lies:?}");
    let figures: Vec<_> = figures
        .iter()
        .map(|(agent, counts)| (agent.as_str(), *counts))
        .collect();
    assert_eq!(figures, FIGURES, "{}", wrong.join("\n"));
}

/// A result of a tool may call the id of its call `id`, as the call does.
#[test]
fn a_result_with_the_id_of_a_call_is_the_calls() {
    let run = r#"{"type":"run_start","run_id":"r"}
{"type":"tool_call","id":"c1","name":"bash","input":{"command":"ls"}}
{"type":"tool_result","id":"c1","output":"a.txt"}
{"type":"run_end","run_id":"r","status":"completed"}
"#;
    assert_eq!(codes(run).0, [0, 0, 5]);
    let sessions = sessions(run);
    let sum = sessions.current().and_then(Session::tools).unwrap().sum();
    assert_eq!((sum.calls, sum.success), (1, 1));
}

/// A run that names itself is the same run when its source comes twice, although its calls have short ids.
#[test]
fn a_stream_with_short_ids_that_comes_twice_counts_once() {
    let run = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TOOL_CALL_START","toolCallId":"1","toolCallName":"bash"}
{"type":"TOOL_CALL_ARGS","toolCallId":"1","delta":"{\"command\":\"ls\"}"}
{"type":"TOOL_CALL_END","toolCallId":"1"}
{"type":"TOOL_CALL_RESULT","messageId":"2","toolCallId":"1","content":"a.txt"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"3","delta":"Done"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}
"#;
    let other = run.replace(r#""r""#, r#""r2""#);
    for (text, calls) in [(run.repeat(2), 1), (format!("{run}{other}"), 2)] {
        let sessions = sessions(&text);
        let tools = sessions.current().and_then(Session::tools).unwrap();
        assert_eq!(tools.sum().calls, calls, "{text}");
    }
}

/// A run that starts after the end of another one is of the session that it names.
#[test]
fn a_run_after_an_end_has_its_own_session() {
    let run = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"3","delta":"Done"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}
"#;
    let other = run.replace(r#""t""#, r#""u""#).replace(r#""r""#, r#""s""#);
    let again = run.replace(r#""r""#, r#""s""#);
    for (second, ids) in [(other, &["t", "u"][..]), (again, &["t"])] {
        let sessions = sessions(&format!("{run}{second}"));
        let named = |session: &Session| session.id.clone().unwrap().to_string_lossy().into_owned();
        let named: Vec<_> = sessions.all().iter().map(named).collect();
        assert_eq!(named, ids, "{second}");
    }
}

/// Where no record starts or ends a run, another session begins with its id once nothing is pending in the one before.
#[test]
fn each_of_two_conversations_is_a_session() {
    let conversation = r#"data: {"event":"message","task_id":"1","message_id":"m1","conversation_id":"a","answer":"Hel"}

data: {"event":"message","task_id":"1","message_id":"m1","conversation_id":"a","answer":"lo"}

data: {"event":"message_end","id":"m1","message_id":"m1","conversation_id":"a","metadata":{"usage":{"total_tokens":12}}}

"#;
    let other = conversation.replace(r#""a""#, r#""b""#).replace("m1", "m2");
    let text = format!("{conversation}{other}");
    let sessions = sessions(&text);
    let said = sessions.all().iter().map(|session| {
        let [id, said] = [session.id.clone(), session.response()].map(Option::unwrap);
        let tokens = session.usage().total;
        let text = |text: &Text<'_>| text.to_string_lossy().into_owned();
        (text(&id), text(&said), tokens, session.outcome())
    });
    let expected = ["a", "b"].map(|id| {
        (
            id.to_owned(),
            "Hello".to_owned(),
            Some(12),
            Outcome::Success,
        )
    });
    assert_eq!(said.collect::<Vec<_>>(), expected);
}
