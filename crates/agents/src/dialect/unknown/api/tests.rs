#![allow(clippy::needless_raw_string_hashes)]

use super::is_answer;
use crate::dialect::reader::{RecordReader, Records, StatedRecord};
use crate::dialect::testing;
use crate::fact::Fact;
use crate::session::{Kept, Sessions};
use jsift_json::view::{Object, Value};
use jsift_outcome::Outcome::{
    self, Blocked, Cancelled, Failed, Network, Quota, Success, Truncated, Turns,
};

/// Reads documents, each as a record of its own, and returns what has read them.
fn read_records(documents: &[&str], records: &mut impl Records) -> RecordReader {
    let mut reader = RecordReader::default();
    testing::read(&mut reader, documents, records);
    reader
}

/// Returns the outcome and the text of the last response of these documents.
fn read(documents: &[&str]) -> Option<(Outcome, String)> {
    let mut sessions = Sessions::new(Kept::Text);
    let mut fold = |stated: StatedRecord<'_>| {
        assert_eq!(stated.agent, None);
        sessions.record(stated.agent, stated.statement);
    };
    read_records(documents, &mut fold).finish(false, &mut fold);
    let session = sessions.current()?;
    let text = session.response().unwrap_or_default();
    Some((session.outcome(), text.to_string_lossy().into_owned()))
}

fn ended(outcome: Outcome, text: &str) -> Option<(Outcome, String)> {
    Some((outcome, text.to_owned()))
}

#[test]
fn bodies_of_apis_are_read() {
    for body in [
        r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"},{"text":"b"}],"role":"model"},"index":0}],"modelVersion":"gemini-2.5-flash"}"#,
        r#"{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ab"}}]}"#,
        r#"{"id":"cmpl-1","object":"text_completion","choices":[{"text":"ab","index":0,"logprobs":null,"finish_reason":"stop"}]}"#,
        r#"{"object":"response","error":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ab"}]}]}"#,
        r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"ab"}],"usage":{"input_tokens":1}}"#,
        r#"{"model":"llama3.2","created_at":"2023-12-12T14:13:43.4Z","message":{"role":"assistant","content":"ab"},"done":true,"done_reason":"stop"}"#,
        r#"{"model":"llama3.2","created_at":"2023-08-04T19:22:45.4Z","response":"ab","done":true,"context":[1,2]}"#,
        r#"{"index":0,"content":"ab","tokens":[],"id_slot":0,"stop":true,"model":"m","tokens_predicted":5,"generation_settings":{},"stop_type":"eos"}"#,
        r#"{"metrics":{"latencyMs":1175},"output":{"message":{"content":[{"text":"ab"}],"role":"assistant"}},"stopReason":"end_turn","usage":{"inputTokens":125}}"#,
        r#"{"id":"c","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"ab"}]},"usage":{"tokens":{}}}"#,
        r#"{"generated_text":"ab"}"#,
        r#"{"generation":"ab","prompt_token_count":5,"generation_token_count":6,"stop_reason":"stop"}"#,
        r#"{"inputTextTokenCount":5,"results":[{"tokenCount":61,"outputText":"ab","completionReason":"FINISH"}]}"#,
        r#"{"outputs":[{"text":"ab","stop_reason":"stop"}]}"#,
        r#"{"text":"ab","generation_id":"g","finish_reason":"COMPLETE"}"#,
        r#"{"completion":"ab","stop_reason":"stop_sequence"}"#,
        r#"{"id":"v1","object":"interaction","status":"completed","steps":[{"type":"thought"},{"type":"model_output","content":[{"type":"text","text":"ab"}]}],"usage":{"total_tokens":3}}"#,
        r#"{"id":"v1","status":"completed","outputs":[{"type":"text","text":"ab"}],"usage":{"total_tokens":3}}"#,
        r#"{"result":{"response":"ab"},"success":true,"errors":[],"messages":[]}"#,
        r#"{"response":"ab","usage":{"prompt_tokens":20,"completion_tokens":7},"tool_calls":[]}"#,
        // With fewer members, as tests and filters write them.
        r#"{"candidates":[{"content":{"parts":[{"text":"ab"}]}}]}"#,
        r#"{"choices":[{"message":{"role":"assistant","content":"ab"}}]}"#,
        r#"{"output":[{"type":"message","content":[{"type":"output_text","text":"ab"}]}]}"#,
        r#"{"message":{"role":"assistant","content":"ab"},"done":true}"#,
        r#"{"response":"ab","done":true,"done_reason":"stop","eval_count":10}"#,
        r#"{"choices":[{"message":{"content":"ab"}}]}"#,
        r#"{"message":{"role":"assistant","content":[{"type":"text","text":"ab"}]},"finish_reason":"COMPLETE","id":"c"}"#,
        r#"{"results":[{"outputText":"ab"}]}"#,
    ] {
        assert_eq!(read(&[body]), ended(Success, "ab"), "{body}");
        let object = Object::new(Value::new(body.as_bytes())).unwrap();
        assert!(is_answer(&object), "{body}");
    }
    assert_eq!(
        read(&[r#"[{"generated_text":"ab"}]"#]),
        ended(Success, "ab")
    );
    // What follows a schema is an object.
    assert_eq!(
        read(&[r#"{"result":{"response":{"a":1}},"success":true,"errors":[],"messages":[]}"#]),
        ended(Success, r#"{"a":1}"#)
    );
}

#[test]
fn the_items_of_a_response_are_messages_of_their_own() {
    let item = |id: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","role":"assistant","content":[{{"type":"output_text","text":"{id}."}}]}}"#
        )
    };
    let body = format!(
        r#"{{"object":"response","output":[{},{}]}}"#,
        item("a"),
        item("b")
    );
    assert_eq!(read(&[&body]), ended(Success, "a.\nb."));
    let piece = |id: &str| {
        format!(r#"{{"type":"response.output_text.delta","item_id":"{id}","delta":"{id}."}}"#)
    };
    let done = |id: &str| {
        format!(
            r#"{{"type":"response.output_item.done","item":{}}}"#,
            item(id)
        )
    };
    let created = r#"{"type":"response.created","response":{"object":"response"}}"#;
    let completed = format!(r#"{{"type":"response.completed","response":{body}}}"#);
    let all = [
        &*piece("a"),
        &done("a"),
        &piece("b"),
        &done("b"),
        &completed,
    ];
    assert_eq!(
        read(&[&[created], &all[..]].concat()),
        ended(Success, "a.\nb.")
    );
}

#[test]
fn anything_llm_streams_pieces_or_what_agents_say() {
    let chunk = |kind: &str, rest: &str| {
        format!(r#"{{"uuid":"0f2b","type":"{kind}","sources":[],{rest},"error":false}}"#)
    };
    let piece = |text: &str, close: bool| {
        let rest = format!(r#""textResponse":"{text}","close":{close}"#);
        chunk("textResponseChunk", &rest)
    };
    let end = chunk("finalizeResponseStream", r#""close":true"#);
    let all = [
        &*piece("a", false),
        &piece("b", false),
        &piece("", true),
        &end,
    ];
    assert_eq!(read(&all), ended(Success, "ab"));
    assert_eq!(read(&all[..3]), ended(Success, "ab"));
    assert_eq!(read(&all[..2]), ended(Truncated, "ab"));
    let thought = chunk("agentThought", r#""thought":"hm","close":false"#);
    let said = chunk("textResponse", r#""textResponse":"ab","close":false"#);
    let end = chunk(
        "finalizeResponseStream",
        r#""textResponse":"ab","close":true"#,
    );
    assert_eq!(read(&[&thought, &said, &end]), ended(Success, "ab"));
    for (kind, text) in [("abort", "null"), ("textResponseChunk", r#""""#)] {
        let failed = format!(
            r#"{{"id":"5e2f","type":"{kind}","textResponse":{text},"close":true,"error":"429 Too many requests"}}"#
        );
        assert_eq!(read(&[&failed]), ended(Quota, ""), "{kind}");
    }
    assert_eq!(
        read(&[r#"{"type":"textResponse","textResponse":"ab"}"#]),
        None
    );
}

#[test]
fn ragflow_says_all_so_far_or_pieces_and_may_change_them_at_last() {
    let chunk = |answer: &str, rest: &str| {
        format!(
            r#"{{"code":0,"message":"","data":{{"answer":"{answer}","reference":{{}},"audio_binary":null{rest}}}}}"#
        )
    };
    let end = r#"{"code":0,"data":true}"#;
    let so_far = ["a", "ab", "ab [1]"].map(|text| chunk(text, ""));
    let [first, second, third] = &so_far;
    assert_eq!(read(&[first, second, end]), ended(Success, "ab"));
    assert_eq!(read(&[first, second, third, end]), ended(Success, "ab [1]"));
    assert_eq!(
        read(&[first, &chunk("[1] ab", ""), end]),
        ended(Success, "[1] ab")
    );
    assert_eq!(read(&[first, second]), ended(Truncated, "ab"));
    assert_eq!(read(&[first]), ended(Success, "a"), "as a whole response");
    let piece = |text: &str, rest: &str| chunk(text, &format!(r#","final":false{rest}"#));
    let begin = piece("", r#","start_to_think":true"#);
    let think = piece("hm", "");
    let stop = piece("", r#","end_to_think":true"#);
    for (last, text) in [("", "ab"), ("ab", "ab"), ("a [1] b", "a [1] b")] {
        let last = chunk(last, r#","final":true"#);
        let all = [
            &begin,
            &think,
            &stop,
            &piece("a", ""),
            &piece("b", ""),
            &last,
        ];
        let all = all.map(String::as_str);
        assert_eq!(read(&[&all[..], &[end]].concat()), ended(Success, text));
    }
    let failed =
        r#"{"code":500,"data":{"answer":"**ERROR**: Rate limit exceeded","reference":[]}}"#;
    assert_eq!(read(&[failed]), ended(Quota, ""));
    assert_eq!(read(&[end]), None);
    assert_eq!(
        read(&[r#"{"code":0,"data":{"answer":"a","reference":"b"}}"#]),
        None
    );
}

#[test]
fn errors_and_other_objects_are_no_responses() {
    for body in [
        r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"type":"message","role":"user","content":"hi"}"#,
        r#"{"choices":["a","b"]}"#,
        r#"{"candidates":[{"name":"Ada"}]}"#,
        r#"{"model":"T","response":"yes","done":true}"#,
        r#"{"response":"yes","done":false,"id":1}"#,
        r#"{"response":"","usage":{"prompt_tokens":20,"completion_tokens":7}}"#,
        r#"{"response":"yes","p":"abc"}"#,
        r#"{"result":{"enabled":true},"success":true,"errors":[],"messages":[]}"#,
        r#"{"result":{"response":"yes","score":1},"success":true,"errors":[],"messages":[]}"#,
        r#"{"done":true,"done_reason":"stop"}"#,
        r#"{"message":{"role":"assistant","content":"hi"},"id":1}"#,
        r#"{"content":"hi","stop":true}"#,
        r#"{"generated_text":"x","score":1}"#,
        r#"{"completion":"x","score":1}"#,
        r#"{"outputs":[{"text":"x"}]}"#,
        r#"{"text":"x","finish_reason":"stop"}"#,
        r#"{"type":"message_start","message":{"role":"assistant","content":[]}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"response.time","ms":1}"#,
        r#"{"type":"start"}"#,
        r#"{"type":"finish","finishReason":"stop"}"#,
        r#"{"type":"text-delta","text":"x"}"#,
        r#"{"event_type":"error","message":"x"}"#,
        r#"{"metadata":{"usage":{"inputTokens":1}}}"#,
        r#"{"messageStop":{}}"#,
        r#"{"status":"completed","steps":[{"type":"model_output"}]}"#,
        r#"[1,2]"#,
        r#"[]"#,
    ] {
        assert_eq!(read(&[body]), None, "{body}");
    }
}

#[test]
fn what_an_api_blocks_or_fails_at_is_no_answer() {
    for (body, outcome) in [
        (
            r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{},"modelVersion":"gemini-2.5-pro"}"#,
            Blocked,
        ),
        (
            r#"{"candidates":[{"finishReason":"SAFETY","index":0,"safetyRatings":[]}],"modelVersion":"gemini-2.5-pro"}"#,
            Blocked,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}"#,
            Blocked,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":""},"error":{"code":502,"message":"Upstream"}}]}"#,
            Network,
        ),
        (
            r#"{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"},"output":[]}"#,
            Quota,
        ),
        (
            r#"{"object":"response","status":"failed","error":{"code":"other","message":"?"},"output":[]}"#,
            Failed,
        ),
        (
            r#"{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"}}"#,
            Quota,
        ),
        (
            r#"{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}"#,
            Blocked,
        ),
        (
            r#"{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I can't."}]}]}"#,
            Blocked,
        ),
        (
            r#"{"candidates":[{"content":{"role":"model"},"finishReason":"LANGUAGE"}],"modelVersion":"g"}"#,
            Blocked,
        ),
        // vLLM, Cohere, DeepSeek.
        (
            r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":""},"finish_reason":"abort"}]}"#,
            Cancelled,
        ),
        (
            r#"{"id":"c","finish_reason":"ERROR_TOXIC","message":{"role":"assistant","content":[{"type":"text","text":""}]},"usage":{"tokens":{}}}"#,
            Blocked,
        ),
        (
            r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":""},"finish_reason":"insufficient_system_resource"}]}"#,
            Network,
        ),
        (
            r#"{"id":"c","finish_reason":"USER_CANCEL","message":{"role":"assistant","content":[]},"usage":{"tokens":{}}}"#,
            Cancelled,
        ),
        (
            r#"{"candidates":[{"content":{"role":"model"},"finishReason":"MALFORMED_RESPONSE"}],"modelVersion":"g"}"#,
            Failed,
        ),
        (
            r#"{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"malformed_model_output","usage":{}}"#,
            Failed,
        ),
    ] {
        assert_eq!(read(&[body]), ended(outcome, ""), "{body}");
    }
}

const GEMINI: [&str; 2] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"modelVersion":"g"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"b"}],"role":"model"},"finishReason":"STOP"}],"modelVersion":"g"}"#,
];
const CHAT: [&str; 4] = [
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"b"},"finish_reason":null}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":3}}"#,
];
const RESPONSES: [&str; 3] = [
    r#"{"type":"response.created","response":{"object":"response","status":"in_progress","output":[]}}"#,
    r#"{"type":"response.output_text.delta","item_id":"m","delta":"a"}"#,
    r#"{"type":"response.completed","response":{"object":"response","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"ab"}]}]}}"#,
];
const MESSAGES: [&str; 5] = [
    r#"{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{}}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ab"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    r#"{"type":"message_stop"}"#,
];
const OLLAMA: [&str; 3] = [
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":"a"},"done":false}"#,
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":"b"},"done":false}"#,
    r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":""},"done":true}"#,
];
const LLAMA_CPP: [&str; 3] = [
    r#"{"index":0,"content":"a","tokens":[15],"stop":false,"id_slot":-1,"tokens_predicted":1,"tokens_evaluated":9}"#,
    r#"{"index":0,"content":"b","tokens":[16],"stop":false,"id_slot":-1,"tokens_predicted":2,"tokens_evaluated":9}"#,
    r#"{"index":0,"content":"","tokens":[],"stop":true,"id_slot":0,"tokens_predicted":2,"stop_type":"eos"}"#,
];
const CONVERSE: [&str; 5] = [
    r#"{"messageStart":{"role":"assistant"}}"#,
    r#"{"contentBlockDelta":{"delta":{"text":"a"},"contentBlockIndex":0}}"#,
    r#"{"contentBlockDelta":{"delta":{"text":"b"},"contentBlockIndex":0}}"#,
    r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
    r#"{"messageStop":{"stopReason":"end_turn"}}"#,
];
const INTERACTIONS: [&str; 5] = [
    r#"{"interaction":{"id":"v1","status":"in_progress","object":"interaction","model":"gemini-3-flash"},"event_type":"interaction.created"}"#,
    r#"{"index":1,"step":{"type":"model_output","content":[{"text":"a","type":"text"}]},"event_type":"step.start"}"#,
    r#"{"index":1,"delta":{"text":"b","type":"text"},"event_type":"step.delta"}"#,
    r#"{"index":1,"event_type":"step.stop"}"#,
    r#"{"interaction":{"id":"v1","status":"completed"},"event_type":"interaction.completed"}"#,
];
const UI: [&str; 6] = [
    r#"{"type":"start","messageId":"m"}"#,
    r#"{"type":"text-start","id":"0"}"#,
    r#"{"type":"text-delta","id":"0","delta":"a"}"#,
    r#"{"type":"text-delta","id":"0","delta":"b"}"#,
    r#"{"type":"text-end","id":"0"}"#,
    r#"{"type":"finish"}"#,
];
/// Chunks with fewer members, as tests write them.
const FEW: [&[&str]; 3] = [
    &[
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"b"}}"#,
        r#"{"type":"message_stop"}"#,
    ],
    &[
        r#"{"choices":[{"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
    ],
    &[
        r#"{"type":"response.output_text.delta","delta":"a"}"#,
        r#"{"type":"response.output_text.delta","delta":"b"}"#,
        r#"{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1,"output_tokens":2}}}"#,
    ],
];
/// Chunks as clients for Gemini print them again, with `null` members.
const NULLS: [&str; 2] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":null}],"modelVersion":"g"}"#,
    GEMINI[1],
];

#[test]
fn chunks_are_put_together() {
    for stream in [
        &GEMINI[..],
        &NULLS,
        &LLAMA_CPP,
        &CHAT,
        &CHAT[..3],
        &RESPONSES,
        &MESSAGES,
        &OLLAMA,
        &CONVERSE,
        &INTERACTIONS,
        &UI,
        FEW[0],
        FEW[1],
        FEW[2],
    ] {
        assert_eq!(read(stream), ended(Success, "ab"), "{stream:?}");
        let twice = [stream, stream].concat();
        assert_eq!(read(&twice), ended(Success, "ab"), "{stream:?}");
        let array = format!("[{}]", stream.join(","));
        assert_eq!(read(&[&array]), ended(Success, "ab"), "{stream:?}");
    }
}

#[test]
fn a_refusal_in_pieces_is_one_and_another_choice_no_response() {
    let chunk = |index: u8, delta: &str, reason: &str| {
        format!(
            r#"{{"id":"c","object":"chat.completion.chunk","choices":[{{"index":{index},"delta":{delta},"finish_reason":{reason}}}]}}"#
        )
    };
    let all = [
        chunk(
            0,
            r#"{"role":"assistant","content":null,"refusal":"I'm "}"#,
            "null",
        ),
        chunk(0, r#"{"refusal":"sorry."}"#, "null"),
        chunk(0, "{}", r#""stop""#),
    ];
    for count in [2, 3] {
        let mut sessions = Sessions::new(Kept::Text);
        let mut fold = |stated: StatedRecord<'_>| sessions.record(stated.agent, stated.statement);
        let parts: Vec<_> = all.iter().take(count).map(String::as_str).collect();
        read_records(&parts, &mut fold).finish(false, &mut fold);
        let session = sessions.current().unwrap();
        let error = session.fatal_error().unwrap();
        assert_eq!(session.outcome(), Blocked);
        assert_eq!(error.message.to_string_lossy(), "I'm sorry.");
    }
    let all = [
        chunk(0, r#"{"content":"a"}"#, "null"),
        chunk(1, r#"{"content":"x"}"#, "null"),
        chunk(0, r#"{"content":"b"}"#, r#""stop""#),
        chunk(1, r#"{"content":"y"}"#, "null"),
        chunk(1, "{}", r#""stop""#),
    ];
    let all: Vec<_> = all.iter().map(String::as_str).collect();
    assert_eq!(read(&all), ended(Success, "ab"));
}

#[test]
fn the_results_of_an_apis_own_tools_say_whether_they_failed() {
    let mcp = |output: &str, error: &str| {
        format!(
            r#"{{"object":"response","status":"completed","output":[{{"type":"mcp_call","id":"t","name":"look","arguments":"{{}}","output":{output},"error":{error}}},{{"type":"message","content":[{{"type":"output_text","text":"a"}}]}}]}}"#
        )
    };
    let searched = r#"{"type":"message","role":"assistant","content":[{"type":"server_tool_use","id":"t","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"t","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}],"usage":{}}"#;
    for (body, success) in [
        (&*mcp("null", r#""bad""#), 0),
        (&*mcp(r#""found""#, "null"), 1),
        (searched, 0),
    ] {
        let mut sessions = Sessions::new(Kept::Text);
        let mut fold = |stated: StatedRecord<'_>| sessions.record(stated.agent, stated.statement);
        read_records(&[body], &mut fold).finish(false, &mut fold);
        let sum = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!(
            (sum.calls, sum.success, sum.error),
            (1, success, 1 - success),
            "{body}"
        );
    }
}

#[test]
fn a_chunk_that_says_nothing_after_the_end_counts_the_tokens_of_its_response() {
    // OpenRouter.
    let counts = r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}"#;
    let all = [&CHAT[..3], &[counts]].concat();
    assert_eq!(read(&all), ended(Success, "ab"));
    let (_, counted) = calls_and_counts(&all);
    assert_eq!(counted, [Some(10), None, Some(5), Some(15)]);
    let other = counts.replace(r#""id":"c""#, r#""id":"d""#);
    let all = [&CHAT[..3], &[&*other]].concat();
    assert_eq!(read(&all), ended(Truncated, ""));
}

#[test]
fn a_stream_that_is_cut_is_truncated() {
    let two = [GEMINI[0], GEMINI[0]];
    for cut in [
        &two[..],
        &CHAT[..2],
        &RESPONSES[..2],
        &MESSAGES[..4],
        &OLLAMA[..2],
        &LLAMA_CPP[..2],
        &CONVERSE[..4],
        &INTERACTIONS[..4],
        &UI[..5],
    ] {
        let outcome = read(cut).map(|(outcome, _)| outcome);
        assert_eq!(outcome, Some(Truncated), "{cut:?}");
    }
    let broken = r#"{"id":"c","object":"chat.completion.chunk","error":{"code":502,"message":"?"},"choices":[{"delta":{},"finish_reason":"error"}]}"#;
    assert_eq!(read(&[CHAT[0], broken]), ended(Network, "a"));
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let failed = read(&[MESSAGES[0], MESSAGES[2], overloaded]);
    assert_eq!(failed, ended(Quota, "ab"));
}

#[test]
fn chunks_that_all_say_why_they_end_belong_together_by_their_id() {
    let chunk = |id: &str, text: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"finishReason":"STOP"}}],"modelVersion":"g","responseId":"{id}"}}"#
        )
    };
    let [a, b, c] = [("1", "a"), ("1", "b"), ("2", "c")].map(|(id, text)| chunk(id, text));
    assert_eq!(read(&[&a, &b]), ended(Success, "ab"));
    assert_eq!(read(&[&a, &b, &c]), ended(Success, "c"));
}

/// Calls and results of an API's own tools keep their place between the texts.
#[test]
fn the_answer_stands_after_the_last_call() {
    let anthropic = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"I look."},{"type":"server_tool_use","id":"t","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"t","content":[]},{"type":"text","text":"ab"}],"stop_reason":"end_turn","usage":{}}"#;
    let openai = r#"{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"I look."}]},{"type":"web_search_call","id":"t","status":"completed","action":{"query":"q"}},{"type":"message","content":[{"type":"output_text","text":"ab"}]}]}"#;
    let completed = format!(r#"{{"type":"response.completed","response":{openai}}}"#);
    let stream = [
        RESPONSES[0],
        r#"{"type":"response.output_text.delta","item_id":"m","delta":"I look."}"#,
        r#"{"type":"response.output_item.done","item":{"type":"web_search_call","id":"t","status":"completed","action":{"query":"q"}}}"#,
        r#"{"type":"response.output_text.delta","item_id":"n","delta":"ab"}"#,
        &completed,
    ];
    for parts in [&[anthropic][..], &[openai], &stream] {
        assert_eq!(read(parts), ended(Success, "ab"), "{parts:?}");
    }
}

#[test]
fn a_response_that_broke_off_says_why() {
    for (parts, outcome, text) in [
        (
            &[
                RESPONSES[1],
                r#"{"type":"error","sequence_number":2,"code":"rate_limit_exceeded","message":"Rate limit reached","param":null}"#,
            ][..],
            Quota,
            "a",
        ),
        (
            &[
                CHAT[0],
                r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"I "},"finish_reason":null}]}"#,
                r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"can't."},"finish_reason":null}]}"#,
                CHAT[2],
            ],
            Blocked,
            "a",
        ),
        (
            &[
                r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}"#,
            ],
            Turns,
            "a",
        ),
        (
            &[
                r#"{"candidates":[{"content":{"role":"model"},"finishReason":"OTHER"}],"modelVersion":"m"}"#,
            ],
            Failed,
            "",
        ),
        (
            &[
                r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"responseId":"r"}"#,
                r#"{"candidates":[{"content":{"role":"model"},"finishReason":"OTHER"}],"responseId":"r"}"#,
            ],
            Success,
            "a",
        ),
        (
            &[
                r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":"MAX_TOKENS"}]}"#,
            ],
            Turns,
            "a",
        ),
        (
            &[
                r#"{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}"#,
            ],
            Turns,
            "a",
        ),
        (
            &[
                CONVERSE[1],
                r#"{"throttlingException":{"message":"Too many requests"}}"#,
            ],
            Quota,
            "a",
        ),
        (
            &[
                CONVERSE[1],
                r#"{"modelTimeoutException":{"message":"The model took too long."}}"#,
            ],
            Network,
            "a",
        ),
        (
            &[
                INTERACTIONS[1],
                r#"{"event_type":"error","error":{"code":"429","message":"Resource exhausted"}}"#,
            ],
            Quota,
            "a",
        ),
        (
            &[UI[2], r#"{"type":"error","errorText":"Overloaded"}"#, UI[5]],
            Quota,
            "a",
        ),
        (&[UI[2], r#"{"type":"abort"}"#], Cancelled, "a"),
        (
            &[
                UI[2],
                r#"{"type":"finish","finishReason":"content-filter"}"#,
            ],
            Blocked,
            "a",
        ),
    ] {
        assert_eq!(read(parts), ended(outcome, text), "{parts:?}");
    }
}

/// Returns the calls and the counts in these documents: input, cached, output and total.
fn calls_and_counts(documents: &[&str]) -> (Vec<String>, [Option<u64>; 4]) {
    let (mut sessions, mut calls) = (Sessions::new(Kept::Text), Vec::new());
    let mut fold = |stated: StatedRecord<'_>| {
        for fact in stated.statement.facts.iter() {
            if let Fact::Call(call) = fact {
                calls.push(format!(
                    "{} {} {}",
                    call.id.to_string_lossy(),
                    call.name.to_string_lossy(),
                    call.parameters.to_string_lossy()
                ));
            }
        }
        sessions.record(stated.agent, stated.statement);
    };
    read_records(documents, &mut fold);
    assert_eq!(sessions.all().len(), 1, "{documents:?}");
    let usage = sessions.current().unwrap().usage();
    let counts = [usage.input, usage.cached, usage.output, usage.total];
    (calls, counts)
}

#[test]
fn calls_and_counts_are_reported() {
    let converse = [
        CONVERSE[0],
        r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"t","name":"f"}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"toolUse":{"input":"{\"a\": "}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"toolUse":{"input":"1}"}},"contentBlockIndex":1}}"#,
        r#"{"messageStop":{"stopReason":"tool_use"}}"#,
        r#"{"metadata":{"usage":{"inputTokens":20,"outputTokens":10,"totalTokens":37,"cacheReadInputTokens":5,"cacheWriteInputTokens":2},"metrics":{"latencyMs":1}}}"#,
    ];
    let messages = [
        r#"{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":20,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 1}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":10}}"#,
        MESSAGES[4],
    ];
    let chat = [
        r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}"#,
        r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]},"finish_reason":null}]}"#,
        CHAT[2],
        r#"{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":27,"completion_tokens":10,"total_tokens":37,"prompt_tokens_details":{"cached_tokens":5}}}"#,
    ];
    let done = r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"t","name":"f","arguments":"{\"a\":1}"}}"#;
    let completed = r#"{"type":"response.completed","response":{"object":"response","output":[{"type":"function_call","call_id":"t","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":27,"input_tokens_details":{"cached_tokens":5},"output_tokens":10,"total_tokens":37}}}"#;
    let interactions = [
        INTERACTIONS[0],
        r#"{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"t","name":"f","arguments":{}}}"#,
        r#"{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}"#,
        r#"{"event_type":"interaction.completed","interaction":{"status":"requires_action","usage":{"total_input_tokens":27,"total_cached_tokens":5,"total_output_tokens":6,"total_thought_tokens":4,"total_tokens":37}}}"#,
    ];
    let bodies = [
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"t","name":"f","args":{"a":1}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":27,"cachedContentTokenCount":5,"candidatesTokenCount":6,"thoughtsTokenCount":4,"totalTokenCount":37}}"#,
        r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":27,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens":10,"total_tokens":37}}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":20,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":10}}"#,
        r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{"a":1}}}]}},"stopReason":"tool_use","usage":{"inputTokens":20,"outputTokens":10,"totalTokens":37,"cacheReadInputTokens":5,"cacheWriteInputTokens":2}}"#,
    ];
    let streams = [
        &converse[..],
        &messages,
        &chat,
        &[RESPONSES[0], done, completed],
        &[completed],
        &interactions,
    ];
    let bodies = bodies.each_ref().map(std::slice::from_ref);
    for documents in streams.into_iter().chain(bodies) {
        let (calls, counts) = calls_and_counts(documents);
        assert_eq!(calls, [r#"t f {"a":1}"#], "{documents:?}");
        assert_eq!(counts, [27, 5, 10, 37].map(Some), "{documents:?}");
    }
    let ollama = r#"{"model":"l","created_at":"2024","message":{"role":"assistant","content":"a"},"done":true,"prompt_eval_count":27,"eval_count":10}"#;
    let counts = [Some(27), None, Some(10), Some(37)];
    assert_eq!(calls_and_counts(&[ollama]).1, counts);
}
