use crate::dialect::testing;
use crate::fact::{Code, Operation};
use crate::session::Sessions;
use jsift_outcome::Outcome;

const RESULT: &str = r#"{"type":"result","timestamp":"t","sessionId":"s","exitCode":0,"usage":{"premiumRequests":0,"sessionDurationMs":7}}"#;

fn run(records: &[(&str, &str)], result: &str) -> Vec<String> {
    let records = records.iter().map(|(kind, data)| {
        format!(r#"{{"type":"{kind}","data":{{{data}}},"id":"e","timestamp":"t","parentId":"p"}}"#)
    });
    records.chain([result.to_owned()]).collect()
}

fn sessions(records: &[(&str, &str)], result: &str) -> Sessions {
    testing::sessions(run(records, result))
}

#[test]
fn later_versions_count_the_tokens_of_each_request() {
    let count = r#""model":"m","inputTokens":10,"outputTokens":5,"cacheReadTokens":3,"cost":1"#;
    let all = sessions(&[("assistant.usage", count); 2], RESULT);
    let usage = all.all()[0].usage();
    assert_eq!((usage.input, usage.cached), (Some(20), Some(6)));
    assert_eq!((usage.output, usage.total), (Some(10), Some(30)));
    assert_eq!(usage.cost_usd, None);
}

#[test]
fn the_record_before_the_prompt_tells_the_model_without_its_dates() {
    let all = testing::sessions([
        r#"{"type":"session.tools_updated","data":{"model":"m"}}"#,
        r#"{"type":"user.message","data":{"content":"go"}}"#,
    ]);
    assert_eq!(all.all()[0].model.as_ref().unwrap(), "m");
}

#[test]
fn an_interrupted_run_is_no_success_where_its_end_is_reported_twice() {
    let abort = ("abort", r#""reason":"user_initiated""#);
    let mut records = run(&[("user.message", r#""content":"go""#), abort], RESULT);
    records.push(RESULT.to_owned());
    assert_eq!(testing::sessions(records).outcome(), Outcome::Cancelled);
}

#[test]
fn a_patch_names_the_files_where_the_result_does_not() {
    for arguments in [
        r#""*** Begin Patch\n*** Add File: a\n+x\n*** End Patch""#,
        r#"{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}"#,
    ] {
        let start = format!(r#""toolCallId":"1","toolName":"apply_patch","arguments":{arguments}"#);
        let records = [
            ("tool.execution_start", start.as_str()),
            (
                "tool.execution_complete",
                r#""toolCallId":"1","success":true"#,
            ),
        ];
        let all = sessions(&records, RESULT);
        let tools = all.current().unwrap().tools().unwrap();
        let (path, file) = tools.files().iter().next().unwrap();
        assert_eq!(
            (path.to_string_lossy().as_ref(), file.lines.added),
            ("a", Some(1))
        );
    }
}

#[test]
fn a_whole_message_repeats_its_deltas() {
    let records = [
        ("session.tools_updated", r#""model":"m""#),
        ("user.message", r#""content":"go""#),
        (
            "assistant.message_delta",
            r#""messageId":"1","deltaContent":"The ""#,
        ),
        (
            "assistant.message_delta",
            r#""messageId":"1","deltaContent":"end.""#,
        ),
        (
            "assistant.message",
            r#""messageId":"1","content":"The end.","toolRequests":[]"#,
        ),
    ];
    let all = sessions(&records, RESULT);
    let session = all.current().unwrap();
    assert_eq!(session.assistant_text().unwrap(), "The end.");
    assert_eq!(
        (
            session.id.as_ref().unwrap(),
            session.model.as_ref().unwrap()
        ),
        (&"s".into(), &"m".into())
    );
    assert_eq!(
        (session.outcome(), session.duration_ms),
        (Outcome::Success, Some(7))
    );
    assert_eq!(all.all().len(), 1);
}

#[test]
fn a_message_names_the_model_where_nothing_did_before() {
    let message = ("assistant.message", r#""model":"m","content":"x""#);
    let model = |records: &[_]| {
        let all = sessions(records, RESULT);
        assert_eq!(all.current().unwrap().turns(), Some(1));
        all.current().unwrap().model.clone()
    };
    assert_eq!(model(&[message]), Some("m".into()));
    let before = ("session.tools_updated", r#""model":"n""#);
    assert_eq!(model(&[before, message]), Some("n".into()));
    let subagents = (
        message.0,
        r#""model":"m","content":"x","parentToolCallId":"t""#,
    );
    assert_eq!(
        model(&[("user.message", r#""content":"go""#), subagents]),
        None
    );
}

#[test]
fn deltas_of_a_request_that_failed_are_no_text() {
    let delta = |id| format!(r#""messageId":"{id}","deltaContent":"Cut te""#);
    let all = sessions(
        &[
            ("assistant.message_delta", &delta("1")),
            ("assistant.turn_retry", r#""reason":"transport""#),
            ("assistant.message_delta", &delta("2")),
            // A subagent's retry is its own.
            (
                "assistant.turn_retry",
                r#""reason":"transport","parentToolCallId":"t""#,
            ),
            (
                "assistant.message",
                r#""messageId":"2","content":"Cut text""#,
            ),
        ],
        RESULT,
    );
    let session = all.current().unwrap();
    assert_eq!(session.assistant_text().unwrap(), "Cut text");
    assert_eq!(session.messages(), Some(1));
}

#[test]
fn what_is_said_on_the_way_is_not_the_answer() {
    let said = |id, text, phase| {
        format!(r#""messageId":"{id}","content":"{text}","toolRequests":[],"phase":"{phase}""#)
    };
    let (way, answer) = (
        said(1, "I look.", "commentary"),
        said(2, "Done.", "final_answer"),
    );
    let records = [
        ("assistant.message", way.as_str()),
        ("assistant.message", &answer),
    ];
    let all = sessions(&records, RESULT);
    assert_eq!(all.all()[0].response().unwrap(), "Done.");
    assert_eq!(all.all()[0].assistant_text().unwrap(), "I look.\nDone.");
}

#[test]
fn a_run_that_resumes_a_session_tells_its_id_at_the_end_too() {
    let start = ("session.tools_updated", r#""model":"m""#);
    let run = run(&[start, ("assistant.message", r#""content":"x""#)], RESULT);
    let all = testing::sessions(run.iter().chain(&run));
    assert_eq!((all.all().len(), all.outcome()), (2, Outcome::Success));
}

#[test]
fn an_abort_outweighs_exit_code_0() {
    let all = sessions(&[("abort", r#""reason":"user_initiated""#)], RESULT);
    assert_eq!(all.outcome(), Outcome::Cancelled);
}

#[test]
fn a_failed_request_is_fatal_only_with_a_session_error() {
    let failure = (
        "model.call_failure",
        r#""statusCode":429,"errorMessage":"{\"message\":\"Rate limit reached\"}","errorType":"x""#,
    );
    let retry = ("assistant.turn_retry", r#""reason":"rate_limit""#);
    let all = sessions(&[failure, retry], RESULT);
    assert_eq!(all.outcome(), Outcome::Success);
    let error = (
        "session.error",
        r#""errorType":"rate_limit","message":"Failed to get response from the AI model","statusCode":429"#,
    );
    let failed = RESULT.replace(":0,\"usage", ":1,\"usage");
    let all = sessions(&[failure, retry, failure, error], &failed);
    assert_eq!(all.outcome(), Outcome::Quota);
}

#[test]
fn edits_are_those_of_the_result_and_denials_are_recognised_by_their_code() {
    let call = r#""toolCallId":"1","toolName":"edit","arguments":{"path":"/w/a","old_str":"x","new_str":"y"}"#;
    let done = r#""toolCallId":"1","success":true,"fileEdits":[{"path":"/w/a","kind":"edit"}],"result":{"content":"ok","detailedContent":"--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"}"#;
    let denied = r#""toolCallId":"1","success":false,"error":{"message":"Permission denied","code":"denied"}"#;
    let of = |result| {
        sessions(
            &[
                ("tool.execution_start", call),
                ("tool.execution_complete", result),
            ],
            RESULT,
        )
    };
    let all = of(done);
    let tools = all.current().unwrap().tools().unwrap();
    let (_, file) = tools.files().iter().next().unwrap();
    assert_eq!((file.lines.added, file.lines.removed), (Some(2), Some(1)));
    let all = of(denied);
    let tools = all.current().unwrap().tools().unwrap();
    assert_eq!((tools.sum().denied, tools.files().len()), (1, 0));
}

#[test]
fn the_type_of_an_error_tells_the_class_where_its_message_does_not() {
    let error = r#""errorType":"rate_limit","message":"Try later""#;
    let failed = RESULT.replace(r#""exitCode":0"#, r#""exitCode":1"#);
    let all = sessions(&[("session.error", error)], &failed);
    assert_eq!(all.outcome(), Outcome::Quota);
}

#[test]
fn a_file_may_be_deleted() {
    let start = r#""toolCallId":"1","toolName":"bash","arguments":{"command":"rm a"}"#;
    let done = r#""toolCallId":"1","success":true,"result":{"content":"ok"},"fileEdits":[{"path":"a","kind":"delete"}]"#;
    let calls = [
        ("tool.execution_start", start),
        ("tool.execution_complete", done),
    ];
    let all = sessions(&calls, RESULT);
    let tools = all.current().unwrap().tools().unwrap();
    let (_, file) = tools.files().iter().next().unwrap();
    assert_eq!(file.operation, Some(Operation::Delete));
}

#[test]
fn a_session_that_says_so_begins_with_its_id_and_model() {
    let start = r#""sessionId":"s","selectedModel":"m","copilotVersion":"1.0.102""#;
    let all = sessions(&[("session.start", start)], RESULT);
    let session = &all.all()[0];
    assert_eq!(session.agent_version.as_ref().unwrap(), "1.0.102");
    assert_eq!(
        (session.model.as_ref().unwrap(), all.all().len()),
        (&"m".into(), 1)
    );
}

#[test]
fn a_file_on_disk_says_what_stopped_its_last_request() {
    let start = (
        "session.start",
        r#""sessionId":"s","copilotVersion":"1.0.102","selectedModel":"m""#,
    );
    let said = (
        "assistant.message",
        r#""messageId":"1","content":"Cut","toolRequests":[]"#,
    );
    let over = ("session.shutdown", r#""shutdownType":"routine""#);
    let outcome = |reason: &str, records: usize| {
        let count = format!(
            r#""usage":{{"model":"m","inputTokens":1,"outputTokens":1,"finishReason":"{reason}"}}"#
        );
        let turn = ("assistant.turn_start", r#""turnId":"0""#);
        let counted = ("session.usage_record", count.as_str());
        let end = ("assistant.turn_end", r#""turnId":"0""#);
        let all = [start, turn, counted, said, end, over];
        let lines = run(&all[..records], "");
        testing::sessions(&lines[..records]).outcome()
    };
    assert_eq!(outcome("stop", 6), Outcome::Success);
    assert_eq!(outcome("length", 6), Outcome::Turns);
    assert_eq!(outcome("stop", 5), Outcome::Success);
    assert_eq!(outcome("stop", 3), Outcome::Truncated);
}

#[test]
fn an_error_that_is_repeated_adds_what_it_knows() {
    let failed = RESULT.replace(r#""exitCode":0"#, r#""exitCode":1"#);
    let all = sessions(
        &[
            ("model.call_failure", r#""errorMessage":"Try later""#),
            ("session.error", r#""message":"Try later","statusCode":429"#),
        ],
        &failed,
    );
    let errors = all.current().unwrap().errors();
    assert_eq!((errors.len(), errors[0].fatal), (1, true));
    assert_eq!(errors[0].class, Outcome::Quota);
    assert_eq!(errors[0].code.as_ref().and_then(Code::number), Some(429));
}
