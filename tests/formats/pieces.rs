//! Texts that come in pieces and as a whole, and the ends of steps: a text counts once, with all of its pieces, and
//! only the end of a run ends it.

use super::apis::ends;
use super::{Row, codes, sessions};

/// The answer of all inputs that have one.
const DONE: &str = r#"{"a":1}"#;

/// Records as the data of events, each with the name before its tab, if there is one.
fn events(records: &str) -> String {
    let lines = records.lines().map(|line| match line.split_once('\t') {
        Some((name, data)) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {line}\n\n"),
    });
    lines.collect()
}

/// The first records of a text.
fn cut(records: &str, count: usize) -> String {
    let lines = records.split_inclusive('\n').take(count);
    lines.collect()
}

#[test]
fn a_whole_text_replaces_the_pieces_of_it() {
    // LangChain, with an empty object before what is said.
    let langchain = r#"{"event":"on_chain_start","name":"A","run_id":"r1","metadata":{},"parent_ids":[],"data":{"input":"x"}}
{"event":"on_chat_model_stream","name":"C","run_id":"r2","metadata":{},"parent_ids":[],"data":{"chunk":{"content":"{\"a\"","type":"AIMessageChunk","id":"run-2"}}}
{"event":"on_chat_model_stream","name":"C","run_id":"r2","metadata":{},"parent_ids":[],"data":{"chunk":{"content":":1}","type":"AIMessageChunk","id":"run-2"}}}
{"event":"on_chat_model_end","name":"C","run_id":"r2","metadata":{},"parent_ids":[],"data":{"output":{"content":"{\"a\":1}","type":"ai","id":"run-2"}}}
{"event":"on_chain_end","name":"A","run_id":"r1","metadata":{},"parent_ids":[],"data":{"output":{"output":"{\"a\":1}"}}}
"#;
    // Each event of Google's ADK has an id of its own.
    let adk = r#"{"content":{"parts":[{"text":"{\"a\""}],"role":"model"},"partial":true,"invocationId":"e","author":"g","id":"i1","timestamp":1.5}
{"content":{"parts":[{"text":":1}"}],"role":"model"},"partial":true,"invocationId":"e","author":"g","id":"i2","timestamp":1.6}
{"content":{"parts":[{"text":"{\"a\":1}"}],"role":"model"},"finishReason":"STOP","invocationId":"e","author":"g","id":"i3","timestamp":1.7}
"#;
    // The type of Coze's messages says what they are for, the name of the event what happens to them.
    let coze = r#"conversation.chat.created	{"id":"ch","conversation_id":"c","status":"created"}
conversation.message.delta	{"id":"1","role":"assistant","type":"answer","content":"{\"a\"","chat_id":"ch"}
conversation.message.delta	{"id":"1","role":"assistant","type":"answer","content":":1}","chat_id":"ch"}
conversation.message.completed	{"id":"1","role":"assistant","type":"answer","content":"{\"a\":1}","chat_id":"ch"}
conversation.message.completed	{"id":"2","role":"assistant","type":"verbose","content":"{\"b\":2}","chat_id":"ch"}
conversation.message.completed	{"id":"3","role":"assistant","type":"follow_up","content":"More {\"c\":3}?","chat_id":"ch"}
conversation.chat.completed	{"id":"ch","conversation_id":"c","status":"completed"}
"#;
    // What moderation has replaced is no answer.
    let replaced = r#"{"event":"message","conversation_id":"c","message_id":"m","answer":"{\"b\":2}"}
{"event":"message_replace","conversation_id":"c","message_id":"m","answer":"{\"a\":1}"}
{"event":"message_end","conversation_id":"c","message_id":"m","metadata":{}}
"#;
    let perplexity = r#"{"id":"p","object":"chat.completion.chunk","choices":[{"delta":{"content":"{\"a\""},"finish_reason":null,"message":{"content":"{\"a\""}}]}
{"id":"p","object":"chat.completion.chunk","choices":[{"delta":{"content":":1}"},"finish_reason":"stop","message":{"content":"{\"a\":1}"}}]}
"#;
    for text in [langchain, &events(adk), &events(coze), &events(replaced)] {
        ends(&[(text, [0; 3], DONE)]);
        let sessions = sessions(text);
        let response = sessions.current().unwrap().response().unwrap();
        assert_eq!(response, DONE, "{text}");
    }
    ends(&[
        (&events(perplexity), [0; 3], DONE),
        (&events(&cut(perplexity, 1)), [4; 3], ""),
        (&events(&cut(replaced, 2)), [4; 3], ""),
    ]);
}

#[test]
fn what_is_withdrawn_is_no_answer() {
    let begun = r#"{"type":"start"}
{"type":"start-step"}
{"type":"text-start","id":"1"}
{"type":"text-delta","id":"1","delta":"{\"b\":2}"}
{"type":"text-end","id":"1"}
"#;
    let again = r#"{"type":"text-start","id":"2"}
{"type":"text-delta","id":"2","delta":"{\"a\":1}"}
{"type":"text-end","id":"2"}
{"type":"finish","finishReason":"stop"}
"#;
    let unknown = r#"{"type":"run.started","run_id":"r"}
{"type":"text.delta","delta":"{\"b\":2}"}
{"type":"message.retracted","run_id":"r"}
{"type":"text.delta","delta":"{\"a\":1}"}
{"type":"run.completed","run_id":"r"}
"#;
    // What is reset is no text.
    let other = r#"{"type":"run.started","run_id":"r"}
{"type":"text.delta","delta":"{\"a\":1}"}
{"type":"context.reset","run_id":"r"}
{"type":"run.completed","run_id":"r"}
"#;
    let named = begun.replace(r#""start"}"#, r#""start","messageId":"m"}"#);
    let step = "{\"type\":\"reset-step\"}\n";
    for text in [
        &*events(&format!("{begun}{step}{again}")),
        &events(&format!("{named}{step}{again}")),
        unknown,
        other,
    ] {
        ends(&[(text, [0; 3], DONE)]);
        let sessions = sessions(text);
        let response = sessions.current().unwrap().response().unwrap();
        assert_eq!(response, DONE, "{text}");
    }
}

#[test]
fn pieces_of_one_message_are_one_text() {
    let goosed = r#"{"type":"Message","message":{"id":"m1","role":"assistant","created":1,"content":[{"type":"text","text":"{\"a\""}],"metadata":{"userVisible":true}}}
{"type":"Message","message":{"id":"m1","role":"assistant","created":1,"content":[{"type":"text","text":":1}"}],"metadata":{"userVisible":true}}}
{"type":"Finish","reason":"stop"}
"#;
    let docker = r#"{"type":"stream_started","session_id":"s","agent_name":"root"}
{"type":"agent_choice","content":"{\"a\"","agent_name":"root"}
{"type":"agent_choice","content":":1}","agent_name":"root"}
{"type":"stream_stopped","session_id":"s","agent_name":"root"}
"#;
    let node = r#"{"type":"begin","metadata":{"nodeId":"n","nodeName":"AI Agent"}}
{"type":"item","content":"{\"a\"","metadata":{"nodeId":"n","nodeName":"AI Agent"}}
{"type":"item","content":":1}","metadata":{"nodeId":"n","nodeName":"AI Agent"}}
{"type":"end","metadata":{"nodeId":"n","nodeName":"AI Agent"}}
"#;
    let export = r#"{"id":"20250101_1","working_dir":"/w","total_tokens":15,"conversation":[{"id":"u","role":"user","created":1,"content":[{"type":"text","text":"x"}]},{"id":"a","role":"assistant","created":2,"content":[{"type":"text","text":"{\"a\":1}"}]}],"message_count":2}"#;
    ends(&[
        (export, [0; 3], DONE),
        (&events(goosed), [0; 3], DONE),
        (&events(&cut(goosed, 2)), [4; 3], ""),
        (docker, [0; 3], DONE),
        (&cut(docker, 3), [4; 3], ""),
        (node, [0; 3], DONE),
        (&cut(node, 3), [4; 3], ""),
    ]);
}

#[test]
fn what_says_that_it_streams_is_a_piece() {
    let langchain = r#"{"event":"on_chain_start","run_id":"r","data":{}}
{"event":"on_chat_model_stream","run_id":"m","parent_ids":["r"],"data":{"chunk":{"content":"{\"a\""}}}
{"event":"on_chat_model_stream","run_id":"m","parent_ids":["r"],"data":{"chunk":{"content":":1}"}}}
{"event":"on_chain_end","run_id":"r","data":{}}
"#;
    let phase = r#"{"type":"message.start","messageId":"m"}
{"type":"text","contentId":"c","index":0,"phase":"delta","content":"{\"a\""}
{"type":"text","contentId":"c","index":0,"phase":"delta","content":":1}"}
{"type":"message.end","messageId":"m","stopReason":"end_turn"}
"#;
    let unknown = r#"{"type":"run.started","run_id":"r"}
{"type":"KIND","run_id":"r","MEMBER":"{\"a\""}
{"type":"KIND","run_id":"r","MEMBER":":1}"}
{"type":"run.completed","run_id":"r"}
"#;
    let of = |kind: &str, member: &str| unknown.replace("KIND", kind).replace("MEMBER", member);
    for text in [
        langchain,
        phase,
        &of("text_stream", "text"),
        &of("stream_text", "content"),
        &of("response.delta", "delta"),
        &of("response.text.delta", "delta"),
        &of("response.output_audio_transcript.delta", "delta"),
    ] {
        ends(&[(text, [0; 3], DONE)]);
        let sessions = sessions(text);
        let response = sessions.current().unwrap().response().unwrap();
        assert_eq!(response, DONE, "{text}");
    }
}

#[test]
fn the_first_piece_may_be_in_the_start_of_a_block_or_of_a_part() {
    let block = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"{\"a\""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":":1}"}}
{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
{"type":"message_stop"}
"#;
    let part = r#"{"event_kind":"part_start","index":0,"part":{"part_kind":"thinking","content":"hm"}}
{"event_kind":"part_start","index":1,"part":{"part_kind":"text","content":"{\"a\""}}
{"event_kind":"final_result","tool_name":null,"tool_call_id":null}
{"event_kind":"part_delta","index":1,"delta":{"part_delta_kind":"text","content_delta":":1}"}}
{"event_kind":"agent_run_result","result":{"output":"{\"a\":1}"}}
"#;
    ends(&[
        (&events(block), [0; 3], DONE),
        (part, [0; 3], DONE),
        (&cut(part, 3), [4; 3], ""),
        (&cut(part, 4), [4; 3], ""),
    ]);
}

/// A response of DashScope, and how its piece ends.
fn piece(text: &str, reason: &str) -> String {
    let message = format!(r#"{{"content":"{text}","role":"assistant"}}"#);
    format!(
        r#"{{"output":{{"choices":[{{"message":{message},"finish_reason":"{reason}"}}]}},"usage":{{"output_tokens":3}},"request_id":"r"}}"#
    )
}

#[test]
fn a_reason_that_is_none_ends_no_response() {
    let chunk = |text: &str, reason: &str| {
        format!(
            r#"{{"id":"c","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]}}"#
        )
    };
    let texts = [r#"{\"a\""#, ":1}"];
    for none in [r#""""#, r#""null""#, "null"] {
        let [first, last] = [chunk(texts[0], none), chunk(texts[1], r#""stop""#)];
        ends(&[
            (&events(&format!("{first}\n{last}\n")), [0; 3], DONE),
            (&events(&first), [4; 3], ""),
        ]);
    }
    // Pieces of DashScope, and snapshots.
    let first = piece(texts[0], "null");
    for last in [texts[1], r#"{\"a\":1}"#] {
        let last = piece(last, "stop");
        let text = events(&format!("{first}\n{last}\n"));
        ends(&[(&text, [0; 3], DONE)]);
        assert_eq!(sessions(&text).current().unwrap().usage().output, Some(3));
    }
    // They may have no more than that, and so do those of AI21.
    let bare = |text: &str, reason: &str| {
        let message = format!(r#"{{"role":"assistant","content":[{{"text":"{text}"}}]}}"#);
        format!(r#"{{"output":{{"choices":[{{"finish_reason":{reason},"message":{message}}}]}}}}"#)
    };
    let choice = |text: &str, reason: &str| {
        format!(r#"{{"text":"{text}","finish_reason":{reason},"index":0}}"#)
    };
    for form in [&bare as &dyn Fn(&str, &str) -> String, &choice] {
        let [first, last] = [form(texts[0], "null"), form(texts[1], r#""stop""#)];
        ends(&[
            (&first, [4; 3], ""),
            (&format!("{first}\n{last}\n"), [0; 3], DONE),
            (&events(&format!("{first}\n{last}\n")), [0; 3], DONE),
        ]);
    }
    let whole = r#"{\"a\":1}"#;
    let again = [piece(whole, "null"), piece(whole, "stop")];
    ends(&[(&events(&again.join("\n")), [0; 3], DONE)]);
    // Gemini before version 2.
    let gemini = |text: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"finishReason":"STOP"}}],"modelVersion":"g"}}"#
        )
    };
    let both = texts.map(gemini).join("\n");
    assert_eq!(codes(&events(&both)), ([0; 3], format!("{DONE}\n")));
}

#[test]
fn the_end_of_a_step_is_not_that_of_the_run() {
    let workflow = r#"{"event":"workflow_started","workflow_run_id":"w","data":{"id":"w","workflow_id":"x"}}
{"event":"text_chunk","workflow_run_id":"w","data":{"text":"{\"b\":2}"}}
{"event":"node_finished","workflow_run_id":"w","data":{"id":"n","node_type":"llm","outputs":{"text":"{\"b\":2}"},"status":"succeeded"}}
{"event":"workflow_finished","workflow_run_id":"w","data":{"id":"w","status":"succeeded","outputs":{"text":"{\"a\":1}"},"error":null}}
"#;
    let assistant = r#"thread.run.in_progress	{"id":"run_1","object":"thread.run","thread_id":"t","status":"in_progress"}
thread.message.delta	{"id":"msg_1","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"{\"a\":1}"}}]}}
thread.message.completed	{"id":"msg_1","object":"thread.message","thread_id":"t","status":"completed","role":"assistant","content":[{"type":"text","text":{"value":"{\"a\":1}"}}]}
thread.run.completed	{"id":"run_1","object":"thread.run","thread_id":"t","status":"completed"}
"#;
    let chat = r#"{"type":"chat.start","model_instance_id":"m"}
{"type":"prompt_processing.start"}
{"type":"prompt_processing.end"}
{"type":"reasoning.start"}
{"type":"reasoning.delta","content":"hmm"}
{"type":"reasoning.end"}
{"type":"message.start"}
{"type":"message.delta","content":"{\"a\":1}"}
{"type":"message.end"}
{"type":"chat.end","result":{"output":[]}}
"#;
    // The outputs of a job make no agent of it, and its records are documents like others.
    let job = r#"{"event":"job_started","id":"j"}
{"event":"job_finished","id":"j","outputs":{"image":"app"}}
"#;
    let first = job.lines().next().unwrap_or_default();
    assert_eq!(codes(job), ([1, 1, 0], format!("{first}\n")));
    let rows: &[(String, usize, usize)] = &[
        (events(workflow), 6, 8),
        (events(assistant), 9, 12),
        (chat.to_owned(), 6, 10),
    ];
    for (text, before, all) in rows {
        let row: &[Row<'_>] = &[
            (&cut(text, *before), [4; 3], ""),
            (&cut(text, *all), [0; 3], DONE),
        ];
        ends(row);
    }
}

#[test]
fn a_run_that_waits_for_somebody_has_not_ended() {
    let assistant = r#"{"event":"thread.run.created","data":{"id":"r","object":"thread.run","status":"queued"}}
{"event":"thread.message.delta","data":{"id":"m","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"{\"a\":1}"}}]}}}
{"event":"thread.run.STATUS","data":{"id":"r","object":"thread.run","status":"STATUS"}}
{"event":"done","data":"[DONE]"}
"#;
    let letta = r#"{"id":"m1","message_type":"assistant_message","content":"{\"a\":1}"}
{"message_type":"stop_reason","stop_reason":"REASON"}
"#;
    let unknown = r#"{"type":"run.started","run_id":"r"}
{"type":"text.delta","delta":"{\"a\":1}"}
{"type":"run.finished","run_id":"r","finish_reason":"REASON"}
"#;
    let status = |word: &str| events(&assistant.replace("STATUS", word));
    let reason = |text: &str, word: &str| text.replace("REASON", word);
    ends(&[
        (&status("requires_action"), [4; 3], ""),
        (&status("completed"), [0; 3], DONE),
        (&reason(letta, "requires_approval"), [4; 3], ""),
        (&reason(letta, "end_turn"), [0; 3], DONE),
    ]);
    for word in ["requires_action", "needs_input", "paused", "in_progress"] {
        ends(&[(&reason(unknown, word), [4; 3], "")]);
    }
    ends(&[(&reason(unknown, "stop"), [0; 3], DONE)]);
}

#[test]
fn a_reason_is_a_failure_by_the_word_for_one() {
    let unknown = r#"{"type":"run.started","run_id":"r"}
{"type":"text.delta","delta":"{\"a\":1}"}
{"type":"run.finished","run_id":"r","finish_reason":"REASON"}
"#;
    for (word, code) in [
        ("rate_limited", 12),
        ("unauthorized", 11),
        ("errored", 10),
        ("crashed", 10),
        ("guardrails", 14),
        ("context_overflow", 16),
    ] {
        ends(&[(&unknown.replace("REASON", word), [code; 3], "")]);
    }
    for (word, code) in [("MODEL_ARMOR", 14), ("TOO_MANY_TOOL_CALLS", 13)] {
        let text = format!(r#"{{"candidates":[{{"finishReason":"{word}"}}],"responseId":"r"}}"#);
        ends(&[(&text, [code; 3], "")]);
    }
}

#[test]
fn a_run_that_got_over_the_failure_of_a_step_is_a_success() {
    let workflow = r#"{"event":"workflow_started","workflow_run_id":"w","data":{"id":"w"}}
{"event":"text_chunk","workflow_run_id":"w","data":{"text":"{\"a\":1}"}}
{"event":"workflow_finished","workflow_run_id":"w","data":{"id":"w","status":"STATUS","outputs":{"answer":"{\"a\":1}"}}}
"#;
    let status = |word: &str| workflow.replace("STATUS", word);
    ends(&[
        (&status("partial-succeeded"), [0; 3], DONE),
        (&status("partial"), [10; 3], ""),
    ]);
}

#[test]
fn what_a_task_says_while_it_works_is_a_comment_in_either_version() {
    let task = r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING","message":{"role":"ROLE_AGENT","parts":[{"text":"Searching."}]}}}}
{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[{"text":"{\"a\":1}"}]}}}
{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}
"#;
    ends(&[(task, [0; 3], DONE)]);
    let sessions = sessions(task);
    let response = sessions.current().unwrap().response().unwrap();
    assert_eq!(response, DONE);
}

#[test]
fn a_failure_is_stated_where_an_end_has_its_details() {
    let lifecycle = r#"{"event":"agent","runId":"r","stream":"lifecycle","data":{"phase":"start"}}
{"event":"agent","runId":"r","stream":"assistant","data":{"delta":"{\"a\":1}"}}
{"event":"agent","runId":"r","stream":"lifecycle","data":{"phase":PHASE}}
"#;
    let phase = |phase: &str| lifecycle.replace("PHASE", phase);
    let payloads = r#"{"payloads":[{"text":"{\"a\":1}"}],"meta":{"durationMs":1200,"agentMeta":{"sessionId":"s","model":"m"},"completion":{"stopReason":"REASON"}}}"#;
    let reason = |word: &str| payloads.replace("REASON", word);
    let realtime = r#"{"type":"response.created","response":{"id":"r","status":"in_progress"}}
{"type":"response.done","response":{"id":"r","status":"STATUS","status_details":{DETAILS}}}
"#;
    let done = |status: &str, details: &str| {
        realtime
            .replace("STATUS", status)
            .replace("DETAILS", details)
    };
    let error =
        r#""error":{"code":"insufficient_quota","message":"You exceeded your current quota"}"#;
    ends(&[
        (&phase(r#""end""#), [0; 3], DONE),
        (
            &phase(r#""error","error":"rate limit exceeded""#),
            [12; 3],
            "",
        ),
        (&cut(lifecycle, 2), [4; 3], ""),
        (&reason("refusal"), [14; 3], ""),
        (&reason("max_tokens"), [13; 3], ""),
        (&reason("end_turn"), [0; 3], DONE),
        (&done("failed", error), [12; 3], ""),
        (
            &done("incomplete", r#""reason":"content_filter""#),
            [14; 3],
            "",
        ),
        (
            &done("cancelled", r#""reason":"client_cancelled""#),
            [15; 3],
            "",
        ),
    ]);
}

#[test]
fn a_call_without_an_id_has_the_result_that_follows_it() {
    let text = r#"{"type":"run_started","run_id":"r"}
{"type":"tool_call","name":"ls","arguments":{"p":"."}}
{"type":"tool_result","call_id":"c1","content":"x","is_error":false}
{"type":"text_delta","text":"{\"a\":1}"}
{"type":"run_finished","run_id":"r"}
"#;
    ends(&[(text, [0; 3], DONE)]);
    let sessions = sessions(text);
    let counts = sessions.current().unwrap().tools().unwrap().sum();
    assert_eq!((counts.calls, counts.success), (1, 1));
}

#[test]
fn counts_are_read_under_all_their_names() {
    let body = r#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"{\"a\":1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_cache_hit_tokens":8}}"#;
    let usage = sessions(body).current().unwrap().usage();
    assert_eq!((usage.input, usage.cached), (Some(10), Some(8)));
    // The sum of all agents may not count the output.
    let cline = r#"{"type":"agent_event","event":{"type":"iteration_start","iteration":1}}
{"type":"run_result","finishReason":"completed","text":"{\"a\":1}","usage":{"inputTokens":5,"outputTokens":3,"totalCost":0},"aggregateUsage":{"inputTokens":5}}"#;
    let usage = sessions(cline).current().unwrap().usage();
    assert_eq!((usage.input, usage.output), (Some(5), Some(3)));
}

#[test]
fn a_stated_end_counts_in_whatever_form() {
    let idle = r#"{"type":"session.status_running","id":"e2"}
{"type":"agent.message","id":"e5","content":[{"type":"text","text":"{\"a\":1}"}]}
{"type":"session.status_idle","id":"e10","stop_reason":{"type":"end_turn"}}
"#;
    // The message that repeats the events of the model leaves nothing pending.
    let repeated = r#"{"event":{"messageStart":{"role":"assistant"}}}
{"event":{"contentBlockDelta":{"delta":{"text":"{\"a\":1}"}}}}
{"event":{"messageStop":{"stopReason":"end_turn"}}}
{"message":{"role":"assistant","content":[{"text":"{\"a\":1}"}]}}
"#;
    let canceled = r#"{"jsonrpc":"2.0","id":"1","result":{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}}
{"jsonrpc":"2.0","id":"1","result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"canceled"},"final":true}}
"#;
    // Codex ends a task that has failed, too, but without a message.
    let codex = r#"{"id":"0","msg":{"type":"task_started"}}
{"id":"0","msg":{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests"}}
{"id":"0","msg":{"type":"task_complete","last_agent_message":null}}
"#;
    let answered = codex.replace("null", r#""{\"a\":1}""#);
    ends(&[
        (&events(idle), [0; 3], DONE),
        (&events(&cut(idle, 2)), [4; 3], ""),
        (&events(repeated), [0; 3], DONE),
        (&events(&cut(repeated, 2)), [4; 3], ""),
        (&events(canceled), [15; 3], ""),
        (codex, [12; 3], ""),
        (&answered, [0; 3], DONE),
    ]);
}

#[test]
fn a_result_that_others_replace_is_counted_once() {
    let text = events(
        r#"{"type":"start","messageId":"m"}
{"type":"tool-input-available","toolCallId":"c1","toolName":"f","input":{}}
{"type":"tool-output-available","toolCallId":"c1","output":{"p":1},"preliminary":true}
{"type":"tool-output-available","toolCallId":"c1","output":{"p":2}}
{"type":"text-delta","id":"0","delta":"{\"a\":1}"}
{"type":"finish"}
"#,
    );
    ends(&[(&text, [0; 3], DONE)]);
    let sessions = sessions(&text);
    let counts = sessions.current().unwrap().tools().unwrap().sum();
    assert_eq!((counts.calls, counts.success), (1, 1));
}
