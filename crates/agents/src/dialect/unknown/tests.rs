use crate::dialect::reader::{RecordReader, StatedRecord};
use crate::dialect::testing;
use crate::session::{Kept, Session, Sessions};
use jsift_outcome::Outcome;

fn sessions(records: &[&str]) -> Sessions {
    let mut sessions = Sessions::new(Kept::Text);
    let mut fold = |stated: StatedRecord<'_>| {
        assert_eq!(stated.agent, None);
        sessions.record(stated.agent, stated.statement);
    };
    let mut reader = RecordReader::default();
    testing::read(&mut reader, records, &mut fold);
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
    for (says, more) in [
        (
            r#"{"type":"assistant","text":"hi"}"#,
            r#"{"type":"assistant","text":""}"#,
        ),
        (
            r#"{"type":"message","text":"hi"}"#,
            r#"{"type":"reasoning","text":"hm"}"#,
        ),
    ] {
        assert_eq!(read(&[more, says]), ended(Outcome::Truncated, "hi"));
    }
    let all = [
        r#"{"type":"agent_start"}"#,
        r#"{"type":"agent_end","output":"hi"}"#,
    ];
    assert_eq!(read(&all), ended(Outcome::Success, "hi"));
    // What a program writes to its output is no answer, nor is what an agent that watches a machine logs.
    let output = r#"{"type":"output","text":"hi"}"#;
    let program = [r#"{"type":"exec.begin"}"#, output, r#"{"type":"exec.end"}"#];
    for (starts, ends) in [
        (program[0], r#"{"type":"end"}"#),
        (r#"{"type":"start"}"#, program[2]),
    ] {
        assert_eq!(read(&[starts, output, ends]), None);
    }
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
fn a_thought_or_a_call_of_a_named_model_before_an_end_is_an_agents() {
    let starts = r#"{"eventType":"run_started","conversationId":"s","data":{"model":"m"}}"#;
    let thinks =
        r#"{"eventType":"thinking","conversationId":"s","data":{"text":"maybe {\"a\":1}"}}"#;
    let failed =
        r#"{"eventType":"run_failed","conversationId":"s","data":{"error":"401 Unauthorized"}}"#;
    assert_eq!(read(&[starts, thinks, failed]), ended(Outcome::Auth, ""));
    assert_eq!(read(&[thinks, failed]), ended(Outcome::Auth, ""));
    let call = r#"{"msgType":"call_start","call_id":"1","name":"ls","input":{}}"#;
    let result = r#"{"msgType":"call_end","call_id":"1","result":"a"}"#;
    let ends = r#"{"msgType":"done","status":"ok"}"#;
    let names = r#"{"msgType":"start","model":"m"}"#;
    assert_eq!(
        read(&[names, call, result, ends]),
        ended(Outcome::Success, "")
    );
    assert_eq!(read(&[call, result, ends]), None);
    // A training names its model, too.
    assert_eq!(read(&[names, ends]), None);
    assert_eq!(read(&[starts, failed]), ended(Outcome::Auth, ""));
    let of_job = |record: &str| {
        record
            .replace("run_", "job_")
            .replace("401 Unauthorized", "1")
    };
    assert_eq!(read(&[&of_job(starts), &of_job(failed)]), None);
    let empty = r#"{"msgType":"thinking","text":""}"#;
    assert_eq!(read(&[names, empty, ends]), None);
}

#[test]
fn a_delta_is_one_of_a_text_if_it_has_one() {
    let [start, end] = [r#"{"type":"start"}"#, r#"{"type":"done"}"#];
    for says in [
        r#"{"type":"delta","text":"Done."}"#,
        r#"{"type":"delta","delta":"Done."}"#,
        r#"{"type":"delta","content":"Done."}"#,
        r#"{"type":"delta","data":{"text":"Done."}}"#,
    ] {
        assert_eq!(read(&[start, says, end]), ended(Outcome::Success, "Done."));
    }
    let says = r#"{"type":"delta","text":"Done."}"#;
    assert_eq!(read(&[says, says]), None);
    assert_eq!(
        read(&[start, r#"{"type":"delta","from":1,"to":2}"#, end]),
        None
    );
}

#[test]
fn two_members_of_a_run_next_to_an_answer_or_a_failure_make_an_envelope() {
    for [base, outcome] in [
        [
            r#""ok":false,"error":{"code":"E","message":"boom"}"#,
            "failed",
        ],
        [r#""status":"error","message":"boom""#, "failed"],
        [
            r#""status":"failed","output":"Done.","error":"boom""#,
            "failed",
        ],
        [r#""answer":"Done.""#, "success"],
        [r#""output":"Done.""#, "success"],
    ] {
        for more in [
            r#""session_id":"s","duration_ms":1"#,
            r#""session_id":"s","run_id":"r""#,
            r#""runId":"r","model":"m""#,
            r#""run_id":"r","request_id":"q""#,
            r#""request_id":"q","usage":{"input_tokens":1,"output_tokens":2}"#,
        ] {
            let (outcome, answer) = match outcome {
                "failed" => (Outcome::Failed, ""),
                _ => (Outcome::Success, "Done."),
            };
            let object = format!("{{{base},{more}}}");
            assert_eq!(read(&[&object]), ended(outcome, answer), "{object}");
            assert_eq!(
                read(&[&object, &object]),
                ended(outcome, answer),
                "{object}"
            );
        }
    }
    let answered = r#"{"answer":"Done.","model":"m","duration_ms":1}"#;
    assert_eq!(read(&[answered]), ended(Outcome::Success, "Done."));
    let failed = r#"{"type":"run.failed","session_id":null,"duration_ms":1,"error":"boom"}"#;
    assert_eq!(read(&[failed]), ended(Outcome::Failed, ""));
    for other in [
        r#"{"error":"boom","request_id":"q","duration_ms":1}"#,
        r#"{"error":"boom","request_id":"q","duration_ms":1,"model":"m"}"#,
        r#"{"error":"boom","session_id":"s","duration_ms":1,"path":"/"}"#,
        r#"{"error":"boom","session_id":"s","duration_ms":1,"status":500}"#,
        r#"{"error":"boom","session_id":"s","duration_ms":1,"message":"failed","ts":1}"#,
        r#"{"type":"upload_failed","session_id":"s","duration_ms":1,"error":"boom"}"#,
        r#"{"run_id":"1","status":"failed"}"#,
        r#"{"text":"Done.","model":"whisper","duration":1}"#,
        r#"{"text":"Done.","model":"m","session_id":"s","user":"u"}"#,
        r#"{"text":"Done.","session_id":"s","duration":3.2}"#,
        r#"{"status":"error","error":"boom","session_id":"s","turns":3}"#,
        r#"{"error":"boom","session_id":"s","duration_ms":1,"device":"d"}"#,
        r#"{"message":"Done.","run_id":"r","duration_ms":1}"#,
    ] {
        assert_eq!(read(&[other]), None, "{other}");
    }
}

#[test]
fn the_failure_of_what_a_start_names_is_evidence_as_good_as_an_answer() {
    for [starts, fails] in [
        [
            r#""run.started","run_id":"r""#,
            r#""run.failed","run_id":"r","error":"boom""#,
        ],
        [r#""run.started""#, r#""run.failed""#],
        [
            r#""RUN_STARTED","threadId":"t""#,
            r#""RUN_ERROR","message":"boom""#,
        ],
        [r#""start","session_id":"s""#, r#""error","message":"boom""#],
        [r#""start","session_id":"s""#, r#""end","status":"error""#],
        [
            r#""session.start","session_id":"s""#,
            r#""session.error","error":{"message":"boom"}"#,
        ],
        [
            r#""conversation.response.started","conversation_id":"c""#,
            r#""conversation.response.error","message":"boom","code":3000"#,
        ],
        [
            r#""thread.run","status":"queued","thread_id":"t""#,
            r#""thread.run","status":"failed","thread_id":"t""#,
        ],
    ] {
        let [starts, fails] = [starts, fails].map(|it| format!(r#"{{"type":{it}}}"#));
        let failed = ended(Outcome::Failed, "");
        assert_eq!(read(&[&starts, &fails]), failed, "{fails}");
        let other = r#"{"type":"other","n":1}"#;
        assert_eq!(read(&[&starts, other, &fails]), failed, "{fails}");
        assert_eq!(
            read(&[&starts, &fails.replace('}', r#","level":"error"}"#)]),
            None
        );
        assert_eq!(read(&[&fails]), None);
    }
    for [starts, fails] in [
        [
            r#""job.started","run_id":"r""#,
            r#""job.failed","run_id":"r","error":"boom""#,
        ],
        [
            r#""train_start","run_id":"r""#,
            r#""train_error","run_id":"r","error":"boom""#,
        ],
        [
            r#""run.started","run_id":"r""#,
            r#""step.failed","run_id":"r","error":"boom""#,
        ],
        [
            r#""run.started","run_id":"r""#,
            r#""tool.failed","run_id":"r","error":"boom""#,
        ],
        [
            r#""task.started","session_id":"s""#,
            r#""task.failed","session_id":"s""#,
        ],
        [
            r#""session_start","session_id":"s""#,
            r#""error","session_id":"s","message":"x""#,
        ],
        [r#""start","pid":1"#, r#""error","message":"boom""#],
        [
            r#""agent.started","pid":1"#,
            r#""agent.failed","message":"boom""#,
        ],
    ] {
        let [starts, fails] = [starts, fails].map(|it| format!(r#"{{"type":{it}}}"#));
        assert_eq!(read(&[&starts, &fails]), None, "{fails}");
    }
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
        r#"{"kind":"run.finished","failed":true}"#,
        r#"{"kind":"run.finished","exit_status":1}"#,
        r#"{"kind":"run.finished","status":{"type":"error"}}"#,
        r#"{"kind":"retry.finished","success":false,"error":"503"}"#,
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
    for (ends, outcome) in [
        (r#"{"kind":"run.finished","status":500}"#, Outcome::Network),
        (
            r#"{"kind":"run.finished","statusCode":429}"#,
            Outcome::Quota,
        ),
        (
            r#"{"kind":"run.finished","status":{"code":401}}"#,
            Outcome::Auth,
        ),
        (r#"{"kind":"run.finished","status":200}"#, Outcome::Success),
        (
            r#"{"kind":"run.finished","exit_status":"LimitsExceeded"}"#,
            Outcome::Turns,
        ),
        (
            r#"{"kind":"run.finished","exit_status":"Submitted"}"#,
            Outcome::Success,
        ),
        (
            r#"{"kind":"run.finished","termination":"max_steps"}"#,
            Outcome::Turns,
        ),
        (
            r#"{"kind":"run.finished","outcome":{"type":"cancelled"}}"#,
            Outcome::Cancelled,
        ),
        (
            r#"{"kind":"run.finished","outcome":{"type":"success"}}"#,
            Outcome::Success,
        ),
        (
            r#"{"kind":"run.finished","outcome":{"type":"interrupt"}}"#,
            Outcome::Truncated,
        ),
    ] {
        assert_eq!(read(&[START, SAYS, ends]).unwrap().0, outcome, "{ends}");
    }
    let cut = r#"{"kind":"message","data":{"role":"assistant","content":"Do","usage":{"finishReason":"length"}}}"#;
    assert_eq!(read(&[START, cut, END]), ended(Outcome::Turns, "Do"));
    // A run of OpenAI's Assistants, whose events end with a mark of their own.
    for (status, outcome) in [
        ("completed", Outcome::Success),
        ("failed", Outcome::Quota),
        ("cancelled", Outcome::Cancelled),
        ("expired", Outcome::Failed),
    ] {
        let error = match status {
            "failed" => r#"{"code":"rate_limit_exceeded","message":"Slow down."}"#,
            _ => "null",
        };
        let run = format!(r#"{{"object":"thread.run","status":"{status}","last_error":{error}}}"#);
        let says = r#"{"object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"Done."}}]}}"#;
        let queued = r#"{"object":"thread.run","status":"queued"}"#;
        let all = [queued, says, &*run, r#"{"event":"done"}"#];
        assert_eq!(read(&all).unwrap().0, outcome, "{status}");
    }
    let error = r#"{"kind":"error","message":"429 Too Many Requests"}"#;
    assert_eq!(read(&[START, SAYS, error]).unwrap().0, Outcome::Quota);
    assert_eq!(read(&[START, SAYS, error, END]).unwrap().0, Outcome::Quota);
    assert_eq!(
        read(&[START, error, SAYS, END]),
        ended(Outcome::Success, "Done.")
    );
}

#[test]
fn a_message_that_droid_may_have_written_hides_no_end() {
    let starts = r#"{"type":"start","session_id":"s"}"#;
    let says = r#"{"type":"message","role":"assistant","text":"Done."}"#;
    let ends = r#"{"type":"done","status":"success"}"#;
    assert_eq!(
        read(&[starts, says, ends]),
        ended(Outcome::Success, "Done.")
    );
    assert_eq!(read(&[says, ends]), ended(Outcome::Success, "Done."));
    let fails = r#"{"type":"done","status":"failed"}"#;
    assert_eq!(read(&[says, fails]), ended(Outcome::Failed, "Done."));
}

#[test]
fn an_error_that_answers_the_request_of_a_task_fails_it() {
    let task = r#"{"jsonrpc":"2.0","id":"r","result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}}"#;
    let says = r#"{"jsonrpc":"2.0","id":"r","result":{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"Done."}]}}}"#;
    let error = r#"{"jsonrpc":"2.0","id":"r","error":{"code":-32603,"message":"Internal error"}}"#;
    assert_eq!(read(&[task, error]), ended(Outcome::Failed, ""));
    assert_eq!(read(&[task, says, error]), ended(Outcome::Failed, "Done."));
    // That of a tool's server.
    let other = error.replace(r#""id":"r""#, r#""id":1"#);
    assert_eq!(
        read(&[task, says, &*other]),
        ended(Outcome::Truncated, "Done.")
    );
    assert_eq!(read(&[&*other, error]), None);
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
    // Agno, cut.
    let agno = [
        r#"{"event":"RunStarted","agent_id":"a","run_id":"r","model":"m"}"#,
        r#"{"event":"RunContent","agent_id":"a","run_id":"r","content":"Do"}"#,
    ];
    assert_eq!(read(&agno), ended(Outcome::Truncated, "Do"));
    let broken = [ag_ui[0], ag_ui[2], ag_ui[3], broken];
    assert_eq!(read(&broken), ended(Outcome::Quota, "Done."));
}

#[test]
fn tokens_are_counted_whatever_the_type_of_a_record_says() {
    // Google's ADK, which has no types.
    let all = [
        r#"{"invocationId":"e","content":{"parts":[{"text":"hi"}],"role":"user"}}"#,
        r#"{"invocationId":"e","content":{"parts":[{"text":"Done."}],"role":"model"},"finishReason":"STOP","usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}"#,
    ];
    // The AI SDK, version 6, and Cohere.
    let ai_sdk = r#"{"type":"finish","finishReason":"stop","usage":{"inputTokens":{"total":10,"noCache":8},"outputTokens":{"total":5}}}"#;
    let cohere = r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":1,"output_tokens":5},"tokens":{"input_tokens":10,"output_tokens":5},"cached_tokens":4}}}"#;
    let says = r#"{"type":"text-delta","delta":"Done."}"#;
    for all in [&all[..], &[says, ai_sdk], &[says, cohere]] {
        let usage = sessions(all).current().unwrap().usage();
        assert_eq!((usage.input, usage.output), (Some(10), Some(5)), "{all:?}");
    }
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
fn what_goes_on_after_an_end_is_another_turn() {
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
    let deep = deep.replace(r#""type":1,"msg""#, r#""kind":"note","data""#);
    let deep = deep.replace(r#""msg""#, r#""data""#);
    assert_eq!(
        read(&[START, SAYS, &deep, END]),
        ended(Outcome::Success, "Done.")
    );
}

#[test]
fn the_same_answer_to_another_question_is_another_answer() {
    let all = [
        r#"{"role":"user","content":"1+1","seq":1}"#,
        r#"{"role":"assistant","content":"2","seq":2}"#,
        r#"{"role":"user","content":"4-2","seq":3}"#,
        r#"{"role":"assistant","content":"2","seq":4}"#,
    ];
    let both = sessions(&all);
    let session = both.current().unwrap();
    assert_eq!((session.messages(), session.turns()), (Some(2), Some(2)));
    let again = [START, SAYS, END, START, SAYS];
    assert_eq!(read(&again), ended(Outcome::Truncated, "Done."));
}

#[test]
fn a_start_that_comes_again_starts_a_turn_or_after_an_end_a_run() {
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
    let reported = r#"{"role":"developer","content":"be brief","seq":1}"#;
    let asked = r#"{"role":"user","content":"hi","seq":2}"#;
    let said = r#"{"role":"assistant","content":"hello","seq":3}"#;
    let brief = r#"{"role":"assistant","content":"hi","seq":4}"#;
    assert_eq!(turns(&[asked, said, reported, brief]), [Some(1)]);
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
            r#"{"kind":"event","data":{"payload":{"kind":"run.finished"}}}"#,
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
    let said = r#"{"role":"assistant","content":"hello","seq":1}"#;
    assert_eq!(read(&[system, user, said, user, said]), None);
    assert_eq!(read(&[user, said]), ended(Outcome::Truncated, "hello"));
    // A role says nothing without content.
    assert_eq!(read(&[r#"{"role":"assistant","text":"hi"}"#; 2]), None);
}

#[test]
fn what_mends_itself_is_no_failure_of_the_run() {
    for problem in [
        r#"{"kind":"retry","attempt":1,"error":"503 Service Unavailable"}"#,
        r#"{"kind":"tool.failed","call_id":"c","name":"ls","error":"no such file"}"#,
    ] {
        let all = [START, SAYS, problem, END];
        assert_eq!(read(&all).unwrap().0, Outcome::Success, "{problem}");
    }
}

#[test]
fn an_answer_that_only_the_last_of_several_ends_contains_is_the_answer_of_the_run() {
    let start = r#"{"event":"init"}"#;
    let done = r#"{"event":"done"}"#;
    let answers = r#"{"event":"result","response":"hi"}"#;
    let both = sessions(&[start, done, answers]);
    assert_eq!(both.all().len(), 1);
    assert_eq!(read(&[start, done, answers]), ended(Outcome::Success, "hi"));
    let said = r#"{"event":"answer","text":"hello"}"#;
    let all = [start, said, done, answers];
    assert_eq!(read(&all), ended(Outcome::Success, "hello"));
}

#[test]
fn what_stands_alongside_a_text_is_no_call() {
    for message in [
        r#"{"kind":"item.completed","item":{"id":"m","type":"message","status":"completed","text":"Done."}}"#,
        r#"{"kind":"message","role":"assistant","content":[{"type":"text","text":"Done."},{"type":"file","id":"f","name":"a"}]}"#,
    ] {
        let sessions = sessions(&[START, message, END]);
        let session = sessions.current().unwrap();
        assert_eq!(session.messages(), Some(1), "{message}");
        assert_eq!(session.tools().unwrap().sum().calls, 0, "{message}");
    }
}

#[test]
fn the_parts_of_a_message_belong_to_its_writer_and_repeat_what_came_before() {
    // Like the events of opencode's server.
    let all = [
        r#"{"type":"message.updated","data":{"info":{"id":"m1","role":"user"}}}"#,
        r#"{"type":"message.part.updated","data":{"part":{"type":"text","text":"go","messageID":"m1"}}}"#,
        r#"{"type":"message.part.updated","data":{"part":{"type":"text","text":"Do","messageID":"m2"}}}"#,
        r#"{"type":"message.part.updated","data":{"part":{"type":"text","text":"Done.","messageID":"m2"}}}"#,
        r#"{"type":"message.updated","data":{"info":{"id":"m2","role":"assistant","finish":"stop"}}}"#,
        r#"{"type":"session.idle","data":{}}"#,
    ];
    assert_eq!(read(&all), ended(Outcome::Success, "Done."));
}

/// Of a gateway of Bifrost, and of avala's agent.
#[test]
fn calls_without_ids_are_paired_by_their_names() {
    let gateway = sessions(&[
        r#"{"type":"run_started","run_id":"run_abc123"}"#,
        r#"{"type":"assistant_delta","content":"Looking at the traffic..."}"#,
        r#"{"type":"tool_started","tool_name":"exec_command","arguments":"ls"}"#,
        r#"{"type":"tool_started","tool_name":"read","arguments":"a"}"#,
        r#"{"type":"tool_finished","tool_name":"exec_command","success":false,"duration_ms":1240}"#,
        r#"{"type":"tool_finished","tool_name":"read","success":true}"#,
        r#"{"type":"assistant_final","content":"Looked."}"#,
        r#"{"type":"run_finished","status":"completed","response":"Looked."}"#,
    ]);
    let session = gateway.current().unwrap();
    assert_eq!(session.response().unwrap().as_bytes(), b"Looked.");
    let calls = session.tools().unwrap().sum();
    assert_eq!((calls.calls, calls.success, calls.error), (2, 1, 1));
    let counted = sessions(&[
        r#"{"type":"session_start","session_id":"abc","model":"m"}"#,
        r#"{"type":"text_delta","content":"Done.","turn":1}"#,
        r#"{"type":"turn_complete","turn":1,"input_tokens":1234,"output_tokens":567,"cost_usd":0.003}"#,
        r#"{"type":"session_end","turns":1,"total_cost_usd":0.003,"exit_code":0}"#,
    ]);
    let tokens = counted.current().unwrap().usage();
    assert_eq!((tokens.input, tokens.output), (Some(1234), Some(567)));
    assert_eq!(tokens.cost_usd, Some(0.003));
    let story = [
        r#"{"type":"text","content":"I will edit the scene."}"#,
        r#"{"type":"tool_call","name":"edit_scene","input":{"scene":1}}"#,
        r#"{"type":"tool_result","name":"edit_scene","result":"ok"}"#,
        r#"{"type":"text","content":"Done."}"#,
        r#"{"type":"done"}"#,
    ];
    assert_eq!(read(&story), ended(Outcome::Success, "Done."));
    // A job that calls its steps so is no agent.
    let job = [
        r#"{"type":"job_started","name":"build"}"#,
        r#"{"type":"tool_started","name":"make","args":["all"]}"#,
        r#"{"type":"tool_finished","name":"make","output":"ok"}"#,
        r#"{"type":"job_finished","status":"ok"}"#,
    ];
    assert_eq!(read(&job), None);
}

#[test]
fn a_message_that_says_that_the_model_stopped_of_itself_ends_the_run() {
    for (reason, outcome) in [
        ("stop", Outcome::Success),
        ("STOP", Outcome::Success),
        ("EndTurn", Outcome::Success),
        ("stop_sequence", Outcome::Success),
        ("tool_use", Outcome::Truncated),
        ("max_tokens", Outcome::Turns),
    ] {
        let says =
            r#"{"kind":"message","role":"assistant","text":"Done.","finish_reason":"REASON"}"#;
        let says = says.replace("REASON", reason);
        assert_eq!(read(&[START, &says]), ended(outcome, "Done."), "{reason}");
    }
}

#[test]
fn a_status_says_whether_a_call_is_over() {
    for (status, results) in [
        ("ok", (1, 0)),
        ("succeeded", (1, 0)),
        ("passed", (1, 0)),
        ("completed", (1, 0)),
        ("failed", (0, 1)),
        ("in_progress", (0, 0)),
        ("inProgress", (0, 0)),
        ("paused", (0, 0)),
        ("active", (0, 0)),
    ] {
        let result = r#"{"type":"tool","tool_call_id":"c","status":"STATUS","output":"x"}"#;
        let sessions = sessions(&[
            r#"{"type":"run_started","model":"m"}"#,
            r#"{"type":"tool_call","tool_call_id":"c","name":"ls","arguments":{"path":"a"}}"#,
            &result.replace("STATUS", status),
            r#"{"type":"assistant_message","role":"assistant","content":"Hello"}"#,
            r#"{"type":"run_finished","status":"success"}"#,
        ]);
        let calls = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!((calls.success, calls.error), results, "{status}");
    }
}

#[test]
fn the_last_message_of_an_end_is_the_answer_whatever_the_agent_is_called() {
    for (role, answer) in [
        ("assistant", "Done."),
        ("agent", "Done."),
        ("ai", "Done."),
        ("AI", "Done."),
        ("model", "Done."),
        ("Machine", "Done."),
        ("ROLE_AGENT", "Done."),
        ("user", ""),
    ] {
        let all = [
            r#"{"type":"run_started","model":"m","session_id":"s"}"#,
            r#"{"type":"message","role":"user","content":"hi"}"#,
            r#"{"type":"run_completed","status":"success","messages":[{"role":"ROLE","content":"Done."}]}"#,
        ];
        let all = all.map(|record| record.replace("ROLE\"", &format!("{role}\"")));
        let all: Vec<_> = all.iter().map(String::as_str).collect();
        assert_eq!(read(&all), ended(Outcome::Success, answer), "{role}");
    }
}

#[test]
fn short_ids_begin_again_in_each_turn() {
    let asks = r#"{"type":"user_message","role":"user","text":"one"}"#;
    let bash = r#"{"type":"tool_call","tool_call_id":"1","name":"bash","input":{"cmd":"ls"}}"#;
    let read = r#"{"type":"tool_call","tool_call_id":"1","name":"read","input":{"path":"b"}}"#;
    let result = r#"{"type":"tool_result","tool_call_id":"1","output":"x"}"#;
    let asks_again = r#"{"type":"user_message","role":"user","text":"two"}"#;
    let said = r#"{"type":"assistant_message","role":"assistant","text":"Done."}"#;
    let counts = |records: &[&str]| {
        let sessions = sessions(records);
        let calls = sessions.current().unwrap().tools().unwrap().sum();
        (calls.calls, calls.success)
    };
    let end = r#"{"type":"agent_end","status":"success"}"#;
    let both = [
        asks, bash, result, said, asks_again, read, result, said, end,
    ];
    assert_eq!(counts(&both), (2, 2));
    // Within a turn it is the same call, stated again.
    assert_eq!(
        counts(&[asks, bash, result, bash, result, said, end]),
        (1, 1)
    );
    // A result may come after a further message of the user.
    assert_eq!(
        counts(&[asks, bash, asks_again, result, result, said, end]),
        (1, 1)
    );
}

#[test]
fn a_call_that_is_refused_is_denied() {
    for result in [
        r#""status":"declined""#,
        r#""status":"denied","output":"no""#,
        r#""status":"error","error":{"code":"rejected","message":"no"}"#,
    ] {
        let sessions = sessions(&[
            r#"{"type":"run_started","model":"m"}"#,
            r#"{"type":"tool_call","id":"c","name":"write","arguments":{"path":"a"}}"#,
            &format!(r#"{{"type":"tool_result","id":"c",{result}}}"#),
            r#"{"type":"assistant_message","role":"assistant","content":"Hello"}"#,
            r#"{"type":"run_finished","status":"success"}"#,
        ]);
        let calls = sessions.current().unwrap().tools().unwrap().sum();
        assert_eq!(
            (calls.calls, calls.denied, calls.error),
            (1, 1, 0),
            "{result}"
        );
    }
}

#[test]
fn a_text_that_is_for_something_else_than_the_answer_is_no_answer() {
    let end = r#"{"type":"done","stopReason":"end_turn"}"#;
    for aside in [
        r#""stream":"thought""#,
        r#""channel":"analysis""#,
        r#""channel":"reasoning""#,
        r#""phase":"commentary""#,
        r#""field":"reasoning_content""#,
        r#""stream":"tool_output""#,
        r#""thought":true"#,
    ] {
        for [before, after] in [["", ""], [r#""data":{"#, "}"]] {
            let record = |text: &str, more: &str| {
                format!(r#"{{"type":"text_delta",{before}"text":"{text}"{more}{after}}}"#)
            };
            let thought = record(r#"{\"draft\":1}"#, &format!(",{aside}"));
            let answer = ["Do", "ne."].map(|text| record(text, r#","stream":"output""#));
            let records = [&thought, &answer[0], &answer[1], end];
            assert_eq!(
                read(&records),
                ended(Outcome::Success, "Done."),
                "{thought}"
            );
        }
    }
}
