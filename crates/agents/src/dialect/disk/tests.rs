//! Session files of agents on disk: variations of recordings, and the forms of older versions.

use crate::dialect::testing::sessions;
use crate::fact::Operation;
use crate::session::Session;
use jsift_outcome::Outcome;

/// Returns the outcome, the number of calls, input and output tokens, and the response of the last session.
fn reported(records: &[&str]) -> (Outcome, u64, Option<u64>, Option<u64>, String) {
    let all = sessions(records);
    assert_eq!(all.all().len(), 1);
    let session = all.current().unwrap();
    let usage = session.usage();
    let calls = session.tools().map_or(0, |tools| tools.sum().calls);
    let response = session.response().unwrap_or_default();
    let response = response.to_string_lossy().into_owned();
    (
        session.outcome(),
        calls,
        usage.input,
        usage.output,
        response,
    )
}

fn outcome(records: &[&str]) -> Outcome {
    reported(records).0
}

const CLAUDE: [&str; 5] = [
    r#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"Go."},"sessionId":"s","version":"2.0.1","cwd":"/w"}"#,
    r#"{"parentUuid":"a","isSidechain":false,"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"/w/a","content":"x"}}],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":5}},"sessionId":"s","requestId":"r1"}"#,
    r#"{"parentUuid":"b","isSidechain":true,"agentId":"g","type":"assistant","message":{"id":"m2","role":"assistant","model":"n","content":[{"type":"text","text":"Aside."}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":50}},"sessionId":"s","requestId":"r2"}"#,
    r#"{"parentUuid":"c","isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"toolUseResult":{"type":"create","filePath":"/w/a","content":"x","structuredPatch":[]},"sessionId":"s"}"#,
    r#"{"parentUuid":"d","isSidechain":false,"type":"assistant","message":{"id":"m3","role":"assistant","model":"m","content":[{"type":"text","text":"Done."}],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":500}},"sessionId":"s","requestId":"r3"}"#,
];

#[test]
fn what_a_subagent_says_in_a_transcript_is_no_answer_and_counts() {
    let done = (
        Outcome::Success,
        1,
        Some(111),
        Some(555),
        "Done.".to_owned(),
    );
    assert_eq!(reported(&CLAUDE), done);
    for end in 1..4 {
        assert_eq!(outcome(&CLAUDE[..end]), Outcome::Truncated, "{end}");
    }
    let all = sessions(CLAUDE);
    let (_, file) = all.all()[0].tools().unwrap().files().iter().next().unwrap();
    assert_eq!(
        (file.operation, file.lines.added),
        (Some(Operation::Create), Some(1))
    );
    // A file of a subagent's own belongs to the subagent as a whole.
    assert_eq!(outcome(&CLAUDE[2..3]), Outcome::Success);
}

#[test]
fn a_message_of_a_transcript_counts_once_however_far_it_is_from_its_copy() {
    let message = |id: usize| {
        let id = format!("\"id\":\"n{id}\"");
        CLAUDE[4].replace("\"id\":\"m3\"", &id)
    };
    let mut records: Vec<String> = (0..40).map(message).collect();
    records.extend((0..40).map(message));
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    assert_eq!(reported(&records).2, Some(4000));
}

#[test]
fn a_transcript_that_was_interrupted_is_cancelled_until_it_goes_on() {
    let stop = CLAUDE[0].replace("Go.", "[Request interrupted by user]");
    let stopped = [CLAUDE[0], CLAUDE[1], &stop];
    assert_eq!(outcome(&stopped), Outcome::Cancelled);
    let goes_on = [CLAUDE[0], CLAUDE[1], &stop, CLAUDE[0], CLAUDE[4]];
    assert_eq!(outcome(&goes_on), Outcome::Success);
    let limited = CLAUDE[4].replace("\"stop_reason\":null", "\"stop_reason\":\"max_tokens\"");
    assert_eq!(outcome(&[CLAUDE[0], &limited]), Outcome::Turns);
    assert_eq!(outcome(&[CLAUDE[0], &limited, CLAUDE[4]]), Outcome::Success);
}

/// The form of versions before 2025-10: no events about tasks, and only counts of the thread, which are repeated.
const CODEX: [&str; 8] = [
    r#"{"timestamp":"1","type":"session_meta","payload":{"id":"s","cli_version":"0.40.0","cwd":"/w"}}"#,
    r#"{"timestamp":"1","type":"turn_context","payload":{"model":"m","cwd":"/w"}}"#,
    r#"{"timestamp":"1","type":"event_msg","payload":{"type":"user_message","message":"Go."}}"#,
    r#"{"timestamp":"1","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}}"#,
    r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"total_tokens":15}}}}"#,
    r#"{"timestamp":"1","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}"}}"#,
    r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":30,"cached_input_tokens":0,"output_tokens":9,"total_tokens":39}}}}"#,
    r#"{"timestamp":"1","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}"#,
];

#[test]
fn a_rollout_of_an_older_version_adds_up_and_rests() {
    let done = (Outcome::Success, 1, Some(30), Some(9), "Done.".to_owned());
    assert_eq!(reported(&CODEX), done);
    let twice = [&CODEX[..7], &CODEX[6..]].concat();
    assert_eq!(reported(&twice), done);
    for end in 2..7 {
        assert_eq!(outcome(&CODEX[..end]), Outcome::Truncated, "{end}");
    }
    let all = sessions(CODEX);
    let tools = all.all()[0].tools().unwrap();
    assert_eq!((tools.files().len(), tools.sum().success), (1, 1));
}

/// The form of versions before September 2025: only the items, without counts and without a model.
const BARE: [&str; 7] = [
    r#"{"id":"s","timestamp":"1","instructions":null,"git":{}}"#,
    r#"{"record_type":"state"}"#,
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}"#,
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}"#,
    r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Add File: a\\n+x\\n*** End Patch\"]}","call_id":"c"}"#,
    r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}"}"#,
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}"#,
];

#[test]
fn a_rollout_of_bare_items_is_read() {
    let all = sessions(BARE);
    assert_eq!((all.all().len(), all.outcome()), (1, Outcome::Success));
    let session = &all.all()[0];
    assert_eq!(session.id.as_ref().unwrap().to_string_lossy(), "s");
    assert_eq!(session.turns(), Some(1));
    assert_eq!(session.response().unwrap(), "Done.");
    let tools = session.tools().unwrap();
    assert_eq!((tools.sum().success, tools.files().len()), (1, 1));
    for end in 2..6 {
        assert_eq!(
            sessions(&BARE[..end]).outcome(),
            Outcome::Truncated,
            "{end}"
        );
    }
}

#[test]
fn a_rollout_that_was_forked_off_is_its_own_session() {
    let parent = CODEX[0].replace("\"id\":\"s\"", "\"id\":\"parent\"");
    let all = sessions([&[CODEX[0], &parent], &CODEX[1..]].concat());
    assert_eq!(
        (all.all().len(), all.all()[0].id.as_ref().unwrap()),
        (1, &"s".into())
    );
}

#[test]
fn an_error_of_codex_without_an_answer_is_no_success() {
    let event = |payload: &str| format!(r#"{{"type":"event_msg","payload":{{{payload}}}}}"#);
    let start = event(r#""type":"task_started""#);
    let error = event(r#""type":"error","message":"429 Too Many Requests""#);
    let end = event(r#""type":"task_complete","last_agent_message":null"#);
    assert_eq!(outcome(&[CODEX[0], &start, &error, &end]), Outcome::Quota);
    assert_eq!(outcome(&[CODEX[0], &start, &end]), Outcome::Success);
    let aborted = event(r#""type":"turn_aborted","reason":"interrupted""#);
    assert_eq!(outcome(&[CODEX[0], &start, &aborted]), Outcome::Cancelled);
    assert_eq!(outcome(&[CODEX[0], &start, CODEX[7]]), Outcome::Truncated);
    // A retry without a cause is due to a lost connection.
    let retry = event(r#""type":"stream_error","message":"Reconnecting... 1/5""#);
    assert_eq!(outcome(&[CODEX[0], &start, &retry]), Outcome::Network);
}

const GEMINI: [&str; 4] = [
    r#"{"id":"1","timestamp":"t","type":"user","content":"Go."}"#,
    r#"{"id":"2","timestamp":"t","type":"gemini","content":"I wri","tokens":{"input":10,"output":2,"cached":0,"thoughts":3,"tool":0,"total":15},"model":"m"}"#,
    r#"{"id":"2","timestamp":"t","type":"gemini","content":"I write.","tokens":{"input":10,"output":2,"cached":0,"thoughts":3,"tool":0,"total":15},"model":"m","toolCalls":[{"id":"c","name":"write_file","args":{"file_path":"/w/a","content":"x"},"status":"success","result":[{"functionResponse":{"id":"c","name":"write_file","response":{"output":"Successfully created and wrote to new file: /w/a."}}}]}]}"#,
    r#"{"id":"3","timestamp":"t","type":"gemini","content":"Done.","tokens":{"input":20,"output":1,"cached":5,"thoughts":0,"tool":0,"total":21},"model":"m"}"#,
];
const HEADER: &str = r#""sessionId":"s","projectHash":"h","startTime":"t","lastUpdated":"t""#;

#[test]
fn of_a_chat_the_last_record_of_an_id_counts_in_every_form() {
    let done = (Outcome::Success, 1, Some(30), Some(6), "Done.".to_owned());
    let header = format!("{{{HEADER},\"kind\":\"main\"}}");
    let lines = [&[header.as_str()], &GEMINI[..]].concat();
    assert_eq!(reported(&lines), done);
    let all = sessions(&lines);
    assert_eq!(all.all()[0].assistant_text().unwrap(), "I write.\nDone.");
    // A patch that contains all messages again adds nothing.
    let patch = format!("{{\"$set\":{{\"messages\":[{}]}}}}", GEMINI.join(","));
    assert_eq!(reported(&[&lines[..], &[&patch]].concat()), done);
    assert_eq!(reported(&[&header, &patch]), done);
    // Older versions wrote one object.
    let whole = format!("{{{HEADER},\"messages\":[{}]}}", GEMINI.join(","));
    assert_eq!(reported(&[&whole]), done);
    assert_eq!(outcome(&lines[..4]), Outcome::Truncated);
}

#[test]
fn what_a_session_of_pi_or_droid_came_back_from_is_no_failure() {
    let pi = |stop: &str, more: &str| {
        format!(
            r#"{{"type":"message","id":"{stop}","parentId":"p","timestamp":"t","message":{{"role":"assistant","content":[{{"type":"text","text":"Hi."}}],"usage":{{"input":1,"output":2,"cacheRead":3,"cacheWrite":0,"totalTokens":6}},"stopReason":"{stop}"{more}}}}}"#
        )
    };
    let start = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#;
    let failed = pi("error", r#","errorMessage":"429 Rate limit""#);
    assert_eq!(outcome(&[start, &failed]), Outcome::Quota);
    assert_eq!(
        reported(&[start, &failed, &pi("stop", "")]).0,
        Outcome::Success
    );
    assert_eq!(outcome(&[start, &pi("aborted", "")]), Outcome::Cancelled);
    assert_eq!(outcome(&[start, &pi("toolUse", "")]), Outcome::Truncated);

    let start = r#"{"type":"session_start","id":"s","title":"t","owner":"o","cwd":"/w"}"#;
    let said = r#"{"type":"message","id":"1","parentId":"0","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}],"modelId":"m"}}"#;
    let error = r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"429 Too many requests"}],"visibility":"user_only"}}"#;
    let end = |reason: &str| {
        format!(r#"{{"type":"agent_turn_outcome","turnId":"1","reason":"{reason}"}}"#)
    };
    assert_eq!(outcome(&[start, error]), Outcome::Quota);
    assert_eq!(
        outcome(&[start, error, said, &end("completed")]),
        Outcome::Success
    );
    assert_eq!(
        outcome(&[start, said, &end("cancelled")]),
        Outcome::Cancelled
    );
    assert_eq!(outcome(&[start]), Outcome::Truncated);
}

#[test]
fn a_subagent_of_kimi_says_nothing_for_its_session() {
    let of = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":1.5,"message":{{"type":"{kind}","payload":{{{payload}}}}}}}"#)
    };
    let inner = |kind: &str, payload: &str| {
        let event = format!(
            r#""task_tool_call_id":"t","event":{{"type":"{kind}","payload":{{{payload}}}}}"#
        );
        of("SubagentEvent", &event)
    };
    let begin = of(
        "TurnBegin",
        r#""user_input":[{"type":"text","text":"Go."}]"#,
    );
    let step = of("StepBegin", r#""n":1"#);
    let aside = [
        inner("StepBegin", r#""n":1"#),
        inner("ContentPart", r#""type":"text","text":"Aside.""#),
        inner("StepInterrupted", ""),
        inner("TurnEnd", ""),
    ];
    let said = of("ContentPart", r#""type":"text","text":"Done.""#);
    let end = of("TurnEnd", "");
    let all: Vec<&str> = [&begin, &step]
        .into_iter()
        .chain(&aside)
        .chain([&said, &end])
        .map(String::as_str)
        .collect();
    let (outcome, .., response) = reported(&all);
    assert_eq!((outcome, response.as_str()), (Outcome::Success, "Done."));
    assert_eq!(reported(&all[..6]).0, Outcome::Truncated);
    let broken = of("StepInterrupted", "");
    assert_eq!(reported(&[&begin, &step, &broken, &end]).0, Outcome::Failed);
}

#[test]
fn cline_states_the_success_of_each_command() {
    let file = |success: bool, shown: &str| {
        format!(
            r#"{{"version":1,"sessionId":"s","origin":{{"source":"cli","version":"3"}},"messages":[{{"role":"user","content":[{{"type":"text","text":"<user_input>Go</user_input>"}}]}},{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"run_commands","input":{{}}}}],"metrics":{{"inputTokens":5,"outputTokens":1,"cacheReadTokens":2}}}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","content":[{{"query":"x","result":"out","success":{success}}}]}}]}}{shown}]}}"#
        )
    };
    let said = r#",{"role":"assistant","content":[{"type":"text","text":"Done."}]}"#;
    let errors = |file: &str| {
        let all = sessions([file]);
        all.current().and_then(Session::tools).unwrap().sum().error
    };
    assert_eq!(
        (errors(&file(true, said)), errors(&file(false, said))),
        (0, 1)
    );
    assert_eq!(outcome(&[&file(true, said)]), Outcome::Success);
    assert_eq!(outcome(&[&file(true, "")]), Outcome::Truncated);
    let failed = r#",{"role":"assistant","content":[{"type":"text","text":"Rate limit reached"}],"metadata":{"displayRole":"error"}}"#;
    assert_eq!(outcome(&[&file(true, failed)]), Outcome::Quota);
}
