//! Responses of model APIs in the forms in which clients, gateways and batches write them: the three commands agree.

use super::{Row, assert_ends, codes};

/// The forms in which a text of one record per line may come: as it is, after a prefix, and between lines of noise.
fn forms(text: &str) -> [String; 3] {
    let with = |before: &str, after: &str| {
        let lines = text.lines().map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("{before}{line}\n{after}"),
        });
        lines.collect()
    };
    let noisy = format!("Log setup complete\n{text}\nbye\n");
    [text.to_owned(), with("web-1  | ", ""), noisy]
}

#[track_caller]
pub(super) fn ends(rows: &[Row<'_>]) {
    assert_ends(rows, forms);
}

/// The answer of all inputs that have one.
const DONE: &str = r#"{"a":1}"#;

/// A response of Gemini's API, as the clients for Python write it.
fn gemini(reason: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{{\"a\":1}}","thought":null,"function_call":null}}],"role":"model"}},"finish_reason":{reason}}}],"usage_metadata":{{"prompt_token_count":1}},"model_version":"g","response_id":"r"}}"#
    )
}

#[test]
fn a_response_of_gemini_ends_alike_under_either_spelling_of_its_names() {
    for (reason, code, written) in [
        (r#""STOP""#, 0, DONE),
        (r#""FinishReason.STOP""#, 0, DONE),
        (r#""SAFETY""#, 14, ""),
        (r#""FinishReason.RECITATION""#, 14, ""),
        (r#""MAX_TOKENS""#, 13, ""),
        ("1", 0, DONE),
        ("2", 13, ""),
        ("3", 14, ""),
        ("5", 0, DONE),
        ("10", 10, ""),
        ("99", 0, DONE),
        ("null", 4, ""),
    ] {
        let snake = gemini(reason);
        let camel = snake.replace("finish_reason", "finishReason");
        for body in [snake, camel] {
            ends(&[(&body, [code; 3], written)]);
        }
    }
    ends(&[
        (
            r#"{"candidates":null,"prompt_feedback":{"block_reason":"SAFETY"},"model_version":"g"}"#,
            [14; 3],
            "",
        ),
        (r#"{"promptFeedback":{"blockReason":1}}"#, [14; 3], ""),
        (
            r#"{"candidates":[{"finish_reason":"OTHER"}],"usage_metadata":{"prompt_token_count":1}}"#,
            [10; 3],
            "",
        ),
    ]);
    // Two chunks, the last of which ends the response.
    let [first, last] = ["null", r#""STOP""#].map(gemini);
    ends(&[
        (&first, [4; 3], ""),
        (&format!("{first}\n{last}"), [0; 3], DONE),
    ]);
}

#[test]
fn a_body_without_an_answer_is_a_response_whose_answer_is_empty() {
    const EMPTY: [i32; 3] = [0, 0, 5];
    let body = |rest: &str| {
        format!(
            r#"{{"id":"c","object":"chat.completion","model":"m","usage":{{"total_tokens":3}}{rest}}}"#
        )
    };
    ends(&[
        (&body(r#","choices":null"#), EMPTY, ""),
        (&body(r#","choices":[]"#), EMPTY, ""),
        (&body(""), EMPTY, ""),
        (&body(r#","choices":[{"index":0}]"#), EMPTY, ""),
        (
            &body(r#","choices":[{"message":{},"finish_reason":"stop"}]"#),
            EMPTY,
            "",
        ),
        (
            &body(r#","choices":[{"finish_reason":"content_filter","content_filter_results":{}}]"#),
            [14; 3],
            "",
        ),
        (
            &body(r#","choices":[{"message":null,"finish_reason":"length"}]"#),
            [13; 3],
            "",
        ),
        (
            &body(r#","choices":null,"error":{"message":"Slow down","code":429}"#),
            [12; 3],
            "",
        ),
        (
            r#"{"candidates":[],"usageMetadata":{"promptTokenCount":1},"modelVersion":"g","responseId":"r"}"#,
            EMPTY,
            "",
        ),
        (
            r#"{"usage_metadata":{"prompt_token_count":1},"model_version":"g","prompt_feedback":null}"#,
            EMPTY,
            "",
        ),
        (
            r#"{"promptFeedback":{"safetyRatings":[]},"usageMetadata":{}}"#,
            EMPTY,
            "",
        ),
    ]);
    // Others are no responses.
    for other in [
        r#"{"candidates":[]}"#,
        r#"{"candidates":null,"error":"none"}"#,
        r#"{"choices":[],"title":"Menu"}"#,
        r#"{"modelVersion":"2","trim":"gt"}"#,
    ] {
        ends(&[(other, [1, 1, 0], other)]);
    }
}

/// A chunk of a streamed completion.
fn chunk(id: &str, choices: &str) -> String {
    format!(r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{choices}]}}"#)
}

#[test]
fn only_a_reason_or_the_mark_ends_a_streamed_completion() {
    let said = [r#"{\"a\""#, ":1}"].map(|text| {
        let delta = format!(r#"{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}"#);
        chunk("c", &delta)
    });
    let [first, second] = &said;
    let stop = &*chunk("c", r#"{"index":0,"delta":{},"finish_reason":"stop"}"#);
    let counts = &*chunk("c", "").replace("]}", r#"],"usage":{"total_tokens":3}}"#);
    let bare = &*counts.replace(r#""id":"c","object":"chat.completion.chunk","#, "");
    let completion = &*counts.replace(".chunk", "");
    for counts in [counts, bare, completion] {
        let with = |records: &[&str], mark: &str| {
            let lines = records.iter().map(|record| format!("data: {record}\n\n"));
            lines.collect::<String>() + mark
        };
        let done = "data: [DONE]\n";
        ends(&[
            (&with(&[first, counts, second, stop], ""), [0; 3], DONE),
            (&with(&[first, second, counts, stop], done), [0; 3], DONE),
            (&with(&[first, second, stop, counts], done), [0; 3], DONE),
            (&with(&[first, second, counts], done), [0; 3], DONE),
            (&with(&[first, second, counts], ""), [4; 3], ""),
            (&with(&[first, counts], ""), [4; 3], ""),
        ]);
    }
    // A chunk of Gemini's that only counts.
    let [first, last] = ["null", r#""STOP""#].map(gemini);
    let counts =
        r#"{"usage_metadata":{"prompt_token_count":1},"model_version":"g","response_id":"r"}"#;
    ends(&[
        (&format!("{first}\n{counts}"), [4; 3], ""),
        (&format!("{last}\n{counts}"), [0; 3], DONE),
        (&format!("{first}\n{counts}\n{last}"), [0; 3], DONE),
    ]);
}

/// A message of OpenAI's responses.
fn item(id: &str, phase: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","role":"assistant","phase":"{phase}","content":[{{"type":"output_text","text":"{text}"}}]}}"#
    )
}

#[test]
fn a_comment_of_a_response_is_no_answer() {
    let comment = &*item("m0", "commentary", r#"checking {\"c\":0}"#);
    let answer = &*item("m1", "final_answer", r#"{\"a\":1}"#);
    let body = |items: &[&str]| {
        let output = items.join(",");
        format!(r#"{{"object":"response","status":"completed","output":[{output}]}}"#)
    };
    let added = |item: &str| {
        let (start, _) = item.split_once(r#""content""#).unwrap();
        format!(r#"{{"type":"response.output_item.added","item":{start}"content":[]}}}}"#)
    };
    let delta = |id: &str, text: &str| {
        format!(r#"{{"type":"response.output_text.delta","item_id":"{id}","delta":"{text}"}}"#)
    };
    let done = |item: &str| format!(r#"{{"type":"response.output_item.done","item":{item}}}"#);
    let completed = |items: &[&str]| {
        let response = body(items);
        format!(r#"{{"type":"response.completed","response":{response}}}"#)
    };
    let first = [
        added(comment),
        delta("m0", "checking "),
        delta("m0", r#"{\"c\":0}"#),
    ];
    let second = [added(answer), delta("m1", r#"{\"a\""#), delta("m1", ":1}")];
    let stream = [&first[..], &second].concat().join("\n");
    let dones = [done(comment), done(answer)].join("\n");
    let end = completed(&[comment, answer]);
    let bare = r#"{"type":"response.completed","response":{"object":"response","output":[]}}"#;
    ends(&[
        (&body(&[comment, answer]), [0; 3], DONE),
        (&body(&[answer, comment]), [0; 3], DONE),
        (&body(&[comment]), [0; 3], r#"{"c":0}"#),
        (&end, [0; 3], DONE),
        (&format!("{stream}\n{end}"), [0; 3], DONE),
        (&format!("{stream}\n{bare}"), [0; 3], DONE),
        (&format!("{dones}\n{end}"), [0; 3], DONE),
        (&format!("{dones}\n{bare}"), [0; 3], DONE),
        (&format!("{stream}\n{dones}\n{end}"), [0; 3], DONE),
        (&stream, [4; 3], ""),
    ]);
}

#[test]
fn the_error_body_in_an_event_named_error_is_the_failure() {
    let event = "event: error\ndata: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n";
    let ping = "event: ping\ndata: {}\n\n";
    ends(&[
        (event, [12; 3], ""),
        (&event.repeat(2), [12; 3], ""),
        (&format!("{ping}{event}"), [12; 3], ""),
        (&format!("{event}data: [DONE]\n"), [12; 3], ""),
        (
            &format!(
                "event: message\ndata: {{\"role\":\"assistant\",\"content\":\"hi\"}}\n\n{event}"
            ),
            [12; 3],
            "",
        ),
    ]);
}

#[test]
fn what_a_tool_gave_is_no_answer_of_a_streamed_completion() {
    let piece = |delta: &str, reason: &str| {
        let choice = format!(r#"{{"index":0,"delta":{delta},"finish_reason":{reason}}}"#);
        format!("data: {}\n\n", chunk("c", &choice))
    };
    let tool = piece(
        r#"{"role":"tool","content":"{\"n\":1}","tool_call_id":"t"}"#,
        "null",
    );
    let answer = piece(r#"{"role":"assistant","content":"{\"a\":1}"}"#, "null");
    let end = piece("{}", "\"stop\"");
    ends(&[
        (
            &format!("{tool}{answer}{end}data: [DONE]\n\n"),
            [0; 3],
            DONE,
        ),
        (&format!("{tool}{answer}"), [4; 3], ""),
    ]);
}

#[test]
fn the_result_of_a_call_between_completions_is_of_the_first_one() {
    let body = |message: &str, reason: &str| {
        format!(
            r#"{{"id":"c","object":"chat.completion","choices":[{{"index":0,"message":{message},"finish_reason":"{reason}"}}]}}"#
        )
    };
    let called = body(
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        "tool_calls",
    );
    let result = r#"{"role":"tool","tool_call_id":"t","content":"{\"n\":1}"}"#;
    let answer = body(r#"{"role":"assistant","content":"{\"a\":1}"}"#, "stop");
    ends(&[(&format!("{called}\n{result}\n{answer}\n"), [0; 3], DONE)]);
}

#[test]
fn an_error_in_the_data_of_an_open_response_is_its_failure() {
    let piece = chunk(
        "c",
        r#"{"index":0,"delta":{"content":"{\"a\":1}"},"finish_reason":null}"#,
    );
    let errors = [
        (
            r#"{"error":"Request failed during generation: Server error: connection refused","error_type":"generation"}"#,
            17,
        ),
        (
            r#"{"error":{"message":"Request failed during generation: connection refused","http_status_code":424}}"#,
            17,
        ),
        (
            r#"{"error":{"message":"The server had an error","type":"server_error"},"timestamp":"t","path":"/v1"}"#,
            17,
        ),
        (r#"{"error":{"message":"Out of memory"},"model":"m"}"#, 10),
    ];
    for (error, code) in errors {
        let stream = |after: &str| format!("data: {piece}\n\ndata: {error}\n\n{after}");
        ends(&[
            (&stream(""), [code; 3], ""),
            (&stream("data: [DONE]\n\n"), [code; 3], ""),
        ]);
        // A line of a log between the events is none of them.
        let end = chunk("c", r#"{"index":0,"delta":{},"finish_reason":"stop"}"#);
        let logged = format!("data: {piece}\n\n{error}\ndata: {end}\n\ndata: [DONE]\n\n");
        assert_eq!(codes(&logged).0[0], 0, "{logged}");
    }
}

#[test]
fn what_a_script_prints_next_to_an_error_body_is_noise() {
    let bodies = [
        (
            r#"{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
            12,
        ),
        (
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}"#,
            11,
        ),
        (
            "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"overloaded\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}",
            12,
        ),
    ];
    let requests = [
        r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"contents":[{"role":"user","parts":[{"text":"x"}]}]}"#,
        r#"{"model":"m","input":"x"}"#,
    ];
    for (body, code) in bodies {
        let mut rows = vec![
            format!("{body}\n429\n"),
            format!("{body}429"),
            format!("{body}\n0.53\n"),
            format!("HTTP 429\n{body}\n\"done\"\n"),
        ];
        rows.extend(requests.map(|request| format!("{request}\n{body}\n")));
        for text in rows {
            assert_eq!(codes(&text), ([code; 3], String::new()), "{text}");
        }
        let alongside = format!("{body}\n{{\"n\":1}}\n");
        assert_eq!(codes(&alongside).0[..2], [1, 1], "{alongside}");
    }
}

#[test]
fn a_response_in_an_object_that_says_nothing_else_is_one() {
    let gemini = |reason: &str, text: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"finishReason":{reason}}}],"modelVersion":"g","responseId":"r"}}"#
        )
    };
    let text = r#"{\"a\":1}"#;
    let [done, cut, blocked] =
        [r#""STOP""#, "null", r#""SAFETY""#].map(|reason| gemini(reason, text));
    let [first, last] = [gemini("null", r#"{\"a\""#), gemini(r#""STOP""#, ":1}")];
    let chat = |reason: &str| {
        format!(
            r#"{{"choices":[{{"finish_reason":"{reason}","message":{{"role":"assistant","content":"{text}"}}}}]}}"#
        )
    };
    let assist = |body: &str| format!(r#"{{"response":{body},"traceId":"t"}}"#);
    let vertex = |status: &str, body: &str| {
        format!(
            r#"{{"status":"{status}","request":{{"contents":[{{"role":"user","parts":[{{"text":"Give {{\"z\":0}}"}}]}}]}},"response":{body}}}"#
        )
    };
    let data =
        |body: &str| format!(r#"{{"status":200,"message":"ok","error":null,"data":{body}}}"#);
    let output = |body: &str| {
        format!(r#"{{"output":{body},"usage":{{"output_tokens":3}},"request_id":"r"}}"#)
    };
    let plain = format!(r#"{{"text":"{text}","finish_reason":"length"}}"#);
    let streamed = [&first, &last].map(|body| format!("data: {}\n\n", assist(body)));
    ends(&[
        (&assist(&done), [0; 3], DONE),
        (&format!("[{}]", assist(&done)), [0; 3], DONE),
        (&assist(&blocked), [14; 3], ""),
        (&streamed.concat(), [0; 3], DONE),
        (&streamed[0], [4; 3], ""),
        (&vertex("", &done), [0; 3], DONE),
        (&vertex("", &blocked), [14; 3], ""),
        (&vertex("Bad Request: no such model", "{}"), [16; 3], ""),
        (&data(&chat("stop")), [0; 3], DONE),
        (&data(&chat("length")), [13; 3], ""),
        (&data(&cut), [4; 3], ""),
        (
            &data(r#"{"object":"chat.completion","choices":[]}"#),
            [0, 0, 5],
            "",
        ),
        (&output(&chat("stop")), [0; 3], DONE),
        (&output(&plain), [13; 3], ""),
        (&output(&chat("null")), [4; 3], ""),
        (&output(&plain.replace("length", "null")), [4; 3], ""),
    ]);
    // Logs, failed requests, and answers of other services are none.
    for other in [
        format!(r#"{{"level":"info","response":{done}}}"#),
        format!(r#"{{"status":500,"error":"x","data":{done}}}"#),
        data(r#"{"id":1,"text":"x"}"#),
        vertex("ok", r#"{"id":1}"#),
        data(r#"{"id":1,"status":"completed","outputs":[{"text":"x"}],"usage":{"cpu":1}}"#),
        data(r#"{"object":"response","status":"ok"}"#),
        data(r#"{"generated_text":"x"}"#),
        r#"{"output":{"text":"x","finish_reason":"y"}}"#.to_owned(),
    ] {
        ends(&[(&other, [1, 1, 0], &other)]);
    }
}

#[test]
fn a_filtered_last_chunk_of_ollama_ends_the_response() {
    let chunk =
        |text: &str, done: bool| format!(r#"{{"model":"m","response":"{text}","done":{done}}}"#);
    let [first, second] = [r#"{\"a\""#, ":1}"].map(|text| chunk(text, false));
    let [end, last] = ["", ":1}"].map(|text| chunk(text, true));
    ends(&[
        (&[&*first, &second, &end].join("\n"), [0; 3], DONE),
        (&[&*first, &last].join("\n"), [0; 3], DONE),
        (&[&*first, &second].join("\n"), [4; 3], ""),
        (&[&*first, &last, &first, &last].join("\n"), [0; 3], DONE),
    ]);
    let alone = chunk("yes", true);
    ends(&[(&alone, [1, 1, 0], &alone)]);
}

/// Data in the artifacts of A2A's tasks, in one answer and in a stream.
#[test]
fn the_data_of_an_artifact_are_a_structured_output() {
    let artifact = r#"{"artifactId":"a","parts":[{"kind":"text","text":"see {\"t\":1}"},{"kind":"data","data":{"a":1}}]}"#;
    let task = |state: &str| {
        format!(
            r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"{state}"}},"artifacts":[{artifact}]}}"#
        )
    };
    let rpc = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":"1","result":{result}}}"#);
    let update = |state: &str, data: &str| {
        let message = format!(
            r#"{{"role":"agent","kind":"message","messageId":"m","parts":[{{"kind":"data","data":{data}}}]}}"#
        );
        let status = format!(r#"{{"state":"{state}","message":{message}}}"#);
        rpc(&format!(
            r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{status}}}"#
        ))
    };
    let start = rpc(
        r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"},"history":[{"role":"user","kind":"message","messageId":"u","parts":[{"kind":"data","data":{"z":0}}]}]}"#,
    );
    let artifact = rpc(&format!(
        r#"{{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{artifact}}}"#
    ));
    let end = |state: &str| {
        rpc(&format!(
            r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"{state}"}},"final":true}}"#
        ))
    };
    let [work, done, failed] = [
        update("working", r#"{"w":1}"#),
        end("completed"),
        end("failed"),
    ];
    let stream = [&*start, &work, &artifact].join("\n");
    ends(&[
        (&task("completed"), [0; 3], DONE),
        (&rpc(&task("completed")), [0; 3], DONE),
        (&task("failed"), [10; 3], ""),
        (
            r#"{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"data","data":{"a":1}}]}"#,
            [0; 3],
            DONE,
        ),
        (&format!("{stream}\n{done}"), [0; 3], DONE),
        (&format!("{stream}\n{failed}"), [10; 3], ""),
        (&stream, [4; 3], ""),
    ]);
}

#[test]
fn a_program_around_a_model_returns_its_answer_or_its_failure() {
    let done = r#""{\"a\":1}""#;
    let prediction = |output: &str, error: &str, status: &str| {
        format!(
            r#"{{"id":"p","model":"m","version":"v","input":{{"prompt":"x"}},"output":{output},"error":{error},"status":"{status}","metrics":{{}}}}"#
        )
    };
    let crew = format!(
        r#"{{"raw":{done},"pydantic":null,"json_dict":null,"tasks_output":[{{"raw":"{{\"b\":2}}"}}],"token_usage":{{"total_tokens":15}}}}"#
    );
    let flow = format!(r#"{{"text":{done},"question":"x","chatId":"c","chatMessageId":"m"}}"#);
    let studio = format!(
        r#"{{"model_instance_id":"m","output":[{{"type":"reasoning","content":"{{\"b\":2}}"}},{{"type":"message","content":{done}}}],"stats":{{}}}}"#
    );
    let conversation = format!(
        r#"{{"conversation_id":"c","object":"conversation.response","outputs":[{{"object":"entry","type":"message.output","role":"assistant","content":{done}}}],"usage":{{"total_tokens":1}}}}"#
    );
    let message = format!(
        r#"{{"id":"m","type":"message","role":"assistant","content":[{{"type":"text","text":{done}}}],"stop_reason":"end_turn","usage":{{"input_tokens":1}}}}"#
    );
    let line = |member: &str| {
        format!(
            r#"{{"recordId":"a","modelInput":{{"messages":[{{"content":"{{\"b\":2}}"}}]}},{member}}}"#
        )
    };
    let refused = r#""error":{"errorCode":400,"errorMessage":"Invalid input"}"#;
    let request = format!(
        r#"{{"id":"x","model":"m","created_at":1,"status":"COMPLETED","response":{{"object":"chat.completion","choices":[{{"message":{{"role":"assistant","content":{done}}},"finish_reason":"stop"}}]}}}}"#
    );
    let base = |code: &str, said: &str| {
        format!(
            r#"{{"id":"x","object":"chat.completion","choices":{said},"base_resp":{{"status_code":{code},"status_msg":"insufficient balance"}}}}"#
        )
    };
    let choices = format!(
        r#"[{{"message":{{"role":"assistant","content":{done}}},"finish_reason":"stop"}}]"#
    );
    ends(&[
        (
            &prediction(r#"["{\"a\"",":1}"]"#, "null", "succeeded"),
            [0; 3],
            DONE,
        ),
        (&prediction(done, "null", "succeeded"), [0; 3], DONE),
        (&prediction("null", r#""boom""#, "failed"), [10; 3], ""),
        (&prediction("null", "null", "canceled"), [15; 3], ""),
        (&crew, [0; 3], DONE),
        (&flow, [0; 3], DONE),
        (&studio, [0; 3], DONE),
        (&conversation, [0; 3], DONE),
        (&line(&format!(r#""modelOutput":{message}"#)), [0; 3], DONE),
        (&line(refused), [16; 3], ""),
        (&request, [0; 3], DONE),
        (&base("1008", "null"), [12; 3], ""),
        (&base("0", &choices), [0; 3], DONE),
        (
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***."}"#,
            [11; 3],
            "",
        ),
        (
            r#"{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded.","request_id":"r"}"#,
            [12; 3],
            "",
        ),
    ]);
    // What other models make, and what other services return.
    for other in [
        &*prediction(r#"["https://example.org/a.png"]"#, "null", "succeeded"),
        &prediction("null", "null", "processing"),
        r#"{"id":"p","version":"v","output":null,"error":"boom","status":"failed"}"#,
        r#"{"code":"Client specified an invalid argument","error":"no such column"}"#,
        r#"{"code":"InvalidApiKey","message":"no"}"#,
        r#"{"code":"NotFound","message":"no","request_id":"r"}"#,
        r#"{"recordId":"a","error":{"errorCode":400,"errorMessage":"no"}}"#,
        r#"{"text":"x","chatId":"c"}"#,
        r#"{"raw":"x","tasks_output":[]}"#,
    ] {
        ends(&[(other, [1, 1, 0], other)]);
    }
}
