//! Streams of frameworks and servers that are no agents of their own, as their documentation shows them, and some that
//! were made up in other ways in which programs print what happens: they are read by shape, however they are framed,
//! and none of their records is taken for the answer.

use std::fs;
use std::path::Path;

use jsift_outcome::Outcome;

use serde_json::{Map, Value};

use super::{codes, reported, sessions};
use crate::picked::picked;

/// What each of them answers; A2A says more before.
const ANSWER: &str = r#"Here: {"ok":true}"#;
/// The streams that do not end well. LlamaIndex and smolagents do not say that a run has ended.
const OTHERS: [(&str, Outcome); 30] = [
    ("a2a-1-failed", Outcome::Failed),
    ("a2a-failed", Outcome::Failed),
    ("ag-ui-failed", Outcome::Quota),
    ("agno-failed", Outcome::Quota),
    ("anthropic-batch-canceled", Outcome::Cancelled),
    ("anthropic-batch-errored", Outcome::Input),
    ("beeai-failed", Outcome::Failed),
    ("crewai-failed", Outcome::Quota),
    ("dify-failed", Outcome::Quota),
    ("flowise-failed", Outcome::Quota),
    ("google-adk-failed", Outcome::Quota),
    ("google-adk-refused", Outcome::Quota),
    ("haystack-cut", Outcome::Truncated),
    ("invented-asked-failed", Outcome::Auth),
    ("invented-outcome-failed", Outcome::Auth),
    ("invented-payload-failed", Outcome::Quota),
    ("langgraph-events-cut", Outcome::Truncated),
    ("langgraph-events-failed", Outcome::Auth),
    ("langgraph-messages-cut", Outcome::Truncated),
    ("langgraph-values-cut", Outcome::Truncated),
    ("llamaindex", Outcome::Truncated),
    ("mastracode-failed", Outcome::Quota),
    ("openai-agents-cut", Outcome::Truncated),
    ("openai-batch-expired", Outcome::Failed),
    ("openai-batch-limited", Outcome::Quota),
    ("pydantic-ai-cut", Outcome::Truncated),
    ("pydantic-ai-limited", Outcome::Turns),
    ("smolagents", Outcome::Truncated),
    ("strands-cut", Outcome::Truncated),
    ("tgi-cut", Outcome::Truncated),
];

/// The stream as server-sent events, each with its type in a line before its data; `None` if a record has none.
fn named(text: &str) -> Option<String> {
    let event = |line: &str| {
        let mut record: Map<String, Value> = serde_json::from_str(line).ok()?;
        let name = record.remove("type").or_else(|| record.remove("event"))?;
        let data = serde_json::to_string(&record).ok()?;
        Some(format!("event: {}\ndata: {data}\n\n", name.as_str()?))
    };
    text.lines().map(event).collect()
}

/// The streams, each with its name.
fn streams() -> impl Iterator<Item = (String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/frameworks");
    fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).unwrap())
    })
}

/// A record with a level is a log's, whoever writes it: it opens no run, and it is no answer. Records that are
/// recognised by having no members but their own are not those with one more.
#[test]
fn a_stream_whose_records_have_a_level_is_no_answer() {
    for (name, text) in streams() {
        let logged = text.replace("\n{", "\n{\"level\":\"info\",");
        let logged = logged.replacen('{', "{\"level\":\"info\",", 1);
        let (codes, written) = codes(&logged);
        let is_answer = written == "{\"ok\":true}\n";
        let has_no_other = ["langgraph-updates", "tgi", "tgi-cut"].contains(&&*name);
        assert!(
            written.is_empty() || is_answer || has_no_other,
            "{name}: {codes:?} {written}"
        );
    }
}

#[test]
fn streams_of_frameworks_are_read_by_shape() {
    let mut count = 0;
    for (name, text) in streams() {
        let other = OTHERS.iter().find(|(other, _)| *other == name);
        let expected = other.map_or(Outcome::Success, |(_, outcome)| *outcome);
        let framed = |text: &str, before: &str, after: &str| {
            let lines = text.lines().map(|line| format!("{before}{line}{after}"));
            lines.collect::<String>()
        };
        let stamped = |text: &str| framed(text, "2026-03-01T00:00:00Z agent-1 | ", "\n");
        let mut forms = vec![
            text.clone(),
            framed(&text, "data: ", "\n\n"),
            stamped(&text),
        ];
        if let Some(named) = named(&text) {
            forms.extend([stamped(&named), named]);
        }
        for form in picked(&forms, text.as_bytes()) {
            let (agent, outcome, response) = reported(form);
            assert_eq!((agent, outcome), (None, expected), "{name}");
            if outcome == Outcome::Success {
                assert_eq!(response, ANSWER, "{name}");
            }
        }
        let (codes, written) = codes(&text);
        let code = codes[0];
        assert_eq!(codes, [code; 3], "{name}");
        assert_eq!(written.is_empty(), expected != Outcome::Success, "{name}");
        assert!(
            written.is_empty() || written == "{\"ok\":true}\n",
            "{name}: {written}"
        );
        count += 1;
    }
    assert!(count > 40);
}

/// Streams that end with an error that has no type of its own, as server-sent events.
#[test]
fn the_name_of_an_event_counts_though_its_data_name_a_writer() {
    let says = r#"{"role":"assistant","content":"Here: {\"ok\":true}"}"#;
    let fails = r#"{"message":"429 Too Many Requests"}"#;
    let text = format!("event: message\ndata: {says}\n\nevent: error\ndata: {fails}\n\n");
    assert_eq!(codes(&text), ([12; 3], String::new()));
    let human = r#"{"messages":[{"type":"human","content":"hi"}]}"#;
    let text = format!("event: values\ndata: {human}\n\nevent: error\ndata: {fails}\n\n");
    assert_eq!(codes(&text), ([12; 3], String::new()));
}

/// The data stream of the AI SDK before version 5, which is no JSON as a whole.
#[test]
fn a_letter_at_the_start_of_each_line_says_what_its_json_is() {
    let answer = r#"f:{"messageId":"m"}
9:{"toolCallId":"c1","toolName":"runSql","args":{"sql":"SELECT 1"}}
a:{"toolCallId":"c1","result":{"rows":[{"value":1}]}}
e:{"finishReason":"tool-calls","usage":{"promptTokens":10,"completionTokens":2},"isContinued":false}
0:"Here: {\"ok\""
0:":true}"
d:{"finishReason":"stop","usage":{"promptTokens":20,"completionTokens":5}}
"#;
    let after = |text: &str| -> String {
        let lines = text.lines().map(|line| format!("agent-1  | {line}\n"));
        lines.collect()
    };
    for text in [answer, &after(answer)] {
        assert_eq!(
            codes(text),
            ([0; 3], "{\"ok\":true}\n".to_owned()),
            "{text}"
        );
        let sessions = sessions(text);
        let run = sessions.current().unwrap();
        assert_eq!(run.tools().unwrap().sum().success, 1, "{text}");
        let usage = run.usage();
        assert_eq!((usage.input, usage.output), (Some(20), Some(5)), "{text}");
    }
    let failed = "0:\"Here: {}\"\n3:\"429 Too Many Requests\"\n";
    assert_eq!(codes(failed), ([12; 3], String::new()));
    let stops = "0:\"{\\\"a\\\"\"\n0:\":1}\"\nd:{\"finishReason\":\"length\"}\n";
    assert_eq!(codes(stops), ([13; 3], String::new()));
    // In other texts a letter and a colon say nothing.
    let options = "a:{\"answer\":1}\nd:{\"answer\":2}\n";
    assert_eq!(codes(options), ([1, 1, 0], "{\"answer\":1}\n".to_owned()));
}

/// `data: [DONE]` ends a run that says nothing else about its end.
#[test]
fn the_mark_that_ends_events_ends_an_unknown_agents_run() {
    let calls = r#"data: {"message_type":"tool_call_message","tool_call":{"name":"ls","arguments":"{}","tool_call_id":"c"}}

data: {"message_type":"tool_return_message","tool_return":"ok","status":"success","tool_call_id":"c"}

data: {"message_type":"assistant_message","content":"Here: {\"ok\":true}"}

"#;
    assert_eq!(codes(calls), ([4; 3], String::new()));
    let done = format!("{calls}data: [DONE]\n");
    assert_eq!(codes(&done), ([0; 3], "{\"ok\":true}\n".to_owned()));
    let failed = format!(
        "{calls}data: {{\"message_type\":\"error\",\"message\":\"429 no\"}}\n\ndata: [DONE]\n"
    );
    assert_eq!(codes(&failed), ([12; 3], String::new()));
    // One record is none of an agent, but is none of a text, either.
    let one = "data: {\"message_type\":\"assistant_message\",\"content\":\"hi\"}\n\ndata: [DONE]\n";
    for prefix in ["", "app-1  | ", "2026-01-01T00:00:00Z "] {
        let lines = one.lines().map(|line| format!("{prefix}{line}\n"));
        let one: String = lines.collect();
        assert_eq!(codes(&one), ([1, 1, 5], String::new()), "{prefix}");
    }
}

#[test]
fn a_stream_that_cannot_be_read_has_no_answer() {
    // The steps of smolagents as dictionaries, and the chunks of an agent of Bedrock.
    let steps = r#"{"task":"check it","task_images":null}
{"step_number":1,"tool_calls":[{"id":"c","type":"function","function":{"name":"python","arguments":"x"}}],"model_output":"I answer","token_usage":{"input_tokens":10,"output_tokens":5}}
{"output":"Here: {\"ok\":true}"}
"#;
    let chunks = r#"{"trace":{"agentId":"A","sessionId":"s","trace":{}}}
{"chunk":{"bytes":"Here: {\"ok\":true}"}}
"#;
    // Any records, if they are the data of events.
    let data = "data: {\"node\":1}\n\ndata: {\"node\":2}\n\n";
    let named = "event: node\ndata: {\"node\":1}\n\n";
    // Records that say what they are in the same member: without the node whose they are, and of AnythingLLM.
    let items = r#"{"type":"begin","metadata":{"nodeName":"AI Agent"}}
{"type":"item","content":"Here: {\"ok\":true}","metadata":{"nodeName":"AI Agent"}}
{"type":"end","metadata":{"nodeName":"AI Agent"}}
"#;
    // The messages of a data set, or of Mistral Vibe before 3.0.
    let chat = r#"{"role": "system", "content": "You are Vibe."}
{"role": "user", "content": "How many?"}
{"role": "assistant", "content": "{\"files\": 3}"}
"#;
    // Of eve, whose turns have the names of Codex's, and of a server that streams a chat as LangGraph does.
    let turns = r#"{"type":"turn.started","data":{"sequence":0,"turnId":"t0"}}
{"type":"message.completed","data":{"finishReason":"stop","message":"{\"a\":1}","turnId":"t0"}}
{"type":"turn.completed","data":{"sequence":0,"turnId":"t0"}}
"#;
    let partial = r#"event: messages/partial
data: [{"role":"assistant","content":"{}"}]

event: messages/partial
data: [{"role":"assistant","content":"{} and more"}]

"#;
    // Salesforce's Agentforce, with empty lines between the events.
    let chunked = r#"data: {"timestamp":123,"message":{"type":"ProgressIndicator","message":"Searching..."}}

data: {"timestamp":124,"message":{"type":"TextChunk","message":"{}","offset":0}}

data: {"timestamp":127,"message":{"type":"EndOfTurn"}}
"#;
    let all = [steps, chunks, data, named, items, chat];
    for text in all.into_iter().chain([turns, partial, chunked]) {
        assert_eq!(codes(text), ([1, 1, 5], String::new()), "{text}");
        // Logs label anything as data.
        if text != data {
            let lines = text.lines();
            let after: String = lines.map(|line| format!("agent-1  | {line}\n")).collect();
            assert_eq!(codes(&after), ([1, 1, 5], String::new()), "{after}");
            let noisy = format!("npm warn deprecated glob@7\n{text}\ndone in 3 s\n");
            assert_eq!(codes(&noisy), ([1, 1, 5], String::new()), "{noisy}");
        }
    }
    // A request is none, and one document is none. Documents that state nothing of a run are those of a text, and so
    // are records within a line of it.
    let any = "{\"kind\":\"a\",\n\"n\":1}\n{\"kind\":\"b\",\"n\":2}";
    let in_text = "see:\n{\"type\":\"a\"}\n{\"type\":\"b\"}\n";
    let within = "I sent {\"type\":\"item\",\"content\":\"a\"} and {\"type\":\"item\",\"content\":\"b\"} once.\n";
    let fenced = "{\"type\":\"a\"}\n```json\n{\"type\":\"b\"}\n```\n{\"type\":\"c\"}\n";
    let other = "{\"ok\":true}\n{\"type\":\"b\"}\n{\"type\":\"c\"}\n";
    let logged = "{\"level\":\"info\",\"type\":\"a\"}\n{\"level\":\"info\",\"type\":\"b\"}\n";
    let lines = r#"{"messages":[{"role":"user","content":"u"}]}
{"messages":[{"role":"user","content":"u"}]}
"#;
    let wrapped = r#"{"event":{"kind":"event","type":["start"]},"message":"started"}
{"event":{"kind":"event","type":["end"]},"message":"ended"}
"#;
    for text in [
        lines,
        wrapped,
        "data: {\"node\":1}\n",
        "{\"n\":1}\n{\"n\":2}\n",
        any,
        in_text,
        within,
        fenced,
        other,
        logged,
    ] {
        assert_eq!(codes(text).0, [1, 1, 0], "{text}");
    }
}
