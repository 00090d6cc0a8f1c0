//! Records of Claude Code, shortened to the members that a rule needs.

use super::super::testing::{session, sessions};
use crate::fact::Operation;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.330"}"#;

#[test]
fn a_denial_counts_once_whether_stated_before_or_after_the_result() {
    let call = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"/a","content":"x"}}]}}"#;
    let denied =
        r#"{"type":"system","subtype":"permission_denied","session_id":"s","tool_use_id":"t"}"#;
    let result = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}]}}"#;
    let end = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":0,"permission_denials":[{"tool_use_id":"t"}]}"#;
    for records in [
        &[INIT, call, denied, result][..],
        &[INIT, call, denied, result, end],
        &[INIT, call, result, end],
    ] {
        let session = session(records);
        let tools = session.tools().unwrap();
        let sum = tools.sum();
        assert_eq!((sum.calls, sum.denied, sum.error), (1, 1, 0));
        assert!(tools.files().is_empty());
    }
}

#[test]
fn a_tool_of_the_apis_own_is_a_call_after_which_the_answer_stands() {
    let message = |block: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"id":"1","model":"m","content":[{block}]}}}}"#
        )
    };
    let records = [
        r#"{"type":"text","text":"I search."}"#,
        r#"{"type":"server_tool_use","id":"t","name":"web_search","input":{"query":"q"}}"#,
        r#"{"type":"web_search_tool_result","tool_use_id":"t","content":[{"type":"web_search_result","url":"u"}]}"#,
        r#"{"type":"text","text":"Sunny."}"#,
    ]
    .map(message);
    let end = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":0,"result":"Sunny."}"#;
    let records = [
        INIT,
        &records[0],
        &records[1],
        &records[2],
        &records[3],
        end,
    ];
    let session = session(&records);
    assert_eq!(session.response(), Some(Text::from("Sunny.")));
    let sum = session.tools().unwrap().sum();
    assert_eq!((sum.calls, sum.success), (1, 1));
}

#[test]
fn the_output_of_an_unfinished_message_is_unknown_until_its_end() {
    let message = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"text","text":"a"}],"stop_reason":null,"usage":{"input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":4,"output_tokens":3}}}"#;
    let start = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":4,"output_tokens":1}}}}"#;
    let delta = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":23}}}"#;
    let killed = session(&[INIT, message, message]).usage();
    assert_eq!(
        (killed.input, killed.output, killed.total),
        (Some(7), None, None)
    );
    let partial = session(&[INIT, start, message, delta]).usage();
    assert_eq!((partial.input, partial.total), (Some(7), Some(30)));
    let old = session(&[
        r#"{"type":"system","subtype":"init","session_id":"s","model":"m","permissionMode":"default","tools":[]}"#,
        message,
    ]);
    assert_eq!(old.usage().output, Some(3));
}

#[test]
fn deltas_of_a_stream_that_failed_are_no_text() {
    let start = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"1","model":"m"}}}"#;
    let delta = r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"This is"}}}"#;
    let message = |id: &str| {
        let record = r#"{"type":"assistant","session_id":"s","message":{"id":"ID","model":"m","content":[{"type":"text","text":"This is all."}]}}"#;
        record.replace("ID", id)
    };
    let (same, other) = (message("1"), message("2"));
    for records in [
        &[INIT, start, delta, start, delta, &same][..],
        &[INIT, start, delta, &other],
        &[INIT, start, delta, &same],
    ] {
        let session = session(records);
        assert_eq!(session.assistant_text().unwrap(), "This is all.");
        assert_eq!(session.messages(), Some(1));
    }
    // The text before the run was killed counts.
    let killed = session(&[INIT, start, delta]);
    assert_eq!(killed.response().unwrap(), "This is");
}

#[test]
fn deltas_of_a_subagent_between_those_of_a_message_do_not_part_it() {
    let start = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"1","model":"m"}}}"#;
    let delta = |text: &str| {
        let record = r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TEXT"}}}"#;
        record.replace("TEXT", text)
    };
    let of_subagent = |record: &str| {
        record.replace(r#""id":"1""#, r#""id":"2""#).replace(
            r#""session_id""#,
            r#""parent_tool_use_id":"t","session_id""#,
        )
    };
    let (begin, end) = (delta("This "), delta("is all."));
    let (other, text) = (of_subagent(start), of_subagent(&begin));
    let said = session(&[INIT, start, &begin, &other, &text, &end]);
    assert_eq!(said.assistant_text().unwrap(), "This is all.");
}

#[test]
fn without_details_the_words_for_the_model_tell_what_a_write_did() {
    let init = r#"{"type":"system","subtype":"init","session_id":"s","model":"m","permissionMode":"default","tools":[]}"#;
    let call = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"/a","content":"x"}}]}}"#;
    let done = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"TEXT"}]}}"#;
    for (text, operation) in [
        ("File created successfully at: /a", Some(Operation::Create)),
        (
            "The file /a has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\\n     1→x",
            Some(Operation::Update),
        ),
        ("The file /a is\\nnot what has been updated", None),
    ] {
        let session = session(&[init, call, &done.replace("TEXT", text)]);
        let (_, file) = session.files().unwrap().files().iter().next().unwrap();
        assert_eq!(file.operation, operation, "{text}");
    }
}

#[test]
fn an_empty_parent_is_none() {
    let said = says("1", "a", r#","parent_tool_use_id":"""#);
    assert_eq!(session(&[INIT, &said]).response().unwrap(), "a");
}

#[test]
fn turns_add_up_and_totals_do_not() {
    let result = |cost: &str, ms: &str, text: &str| {
        let record = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":COST,"duration_ms":MS,"result":"TEXT","usage":{"input_tokens":5,"output_tokens":5},"modelUsage":{"m":{"inputTokens":9,"outputTokens":9}}}"#;
        record
            .replace("COST", cost)
            .replace("MS", ms)
            .replace("TEXT", text)
    };
    let records = [result("1", "10", "first"), result("3", "20", "")];
    let session = session(&[INIT, &records[0], INIT, &records[1]]);
    assert_eq!(session.usage().cost_usd, Some(3.0));
    assert_eq!(session.usage().total, Some(18));
    assert_eq!(session.duration_ms, Some(30));
    assert_eq!(session.response().unwrap(), "first");
}

#[test]
fn what_the_agent_wrote_in_the_models_name_is_an_error_and_stated_once() {
    let error = r#"{"type":"assistant","session_id":"s","error":"rate_limit","message":{"id":"1","model":"<synthetic>","content":[{"type":"text","text":"API Error: 429"}]}}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":true,"session_id":"s","total_cost_usd":0,"api_error_status":429,"result":"API Error: 429"}"#;
    let session = session(&[INIT, error, result]);
    assert_eq!(session.outcome(), Outcome::Quota);
    assert_eq!(session.errors().len(), 1);
    assert_eq!(session.response().unwrap(), "");
}

#[test]
fn no_turns_left_is_a_failure_even_where_is_error_is_false() {
    let result = r#"{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"s","total_cost_usd":0}"#;
    assert_eq!(session(&[result]).outcome(), Outcome::Turns);
    let aborted = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","total_cost_usd":0,"terminal_reason":"aborted_streaming","errors":["x"]}"#;
    assert_eq!(session(&[aborted]).outcome(), Outcome::Cancelled);
}

#[test]
fn structured_output_is_the_answer_where_there_is_no_text() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":0,"structured_output":{"a": 1}}"#;
    assert_eq!(session(&[result]).response().unwrap(), r#"{"a":1}"#);
}

#[test]
fn structured_output_is_the_answer_after_an_introduction() {
    let said = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"text","text":"Let me answer."},{"type":"tool_use","id":"t","name":"StructuredOutput","input":{"a":1}}]}}"#;
    let done = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":0,"result":"RESULT","structured_output":{"a":1}}"#;
    let response = |more: &[&str], result: &str| {
        let records = [&[INIT, said, done], more, &[result]].concat();
        session(&records)
            .response()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    let json = result.replace("RESULT", r#"{\"a\":1}"#);
    assert_eq!(response(&[], &json), r#"{"a":1}"#);
    // The text after the call is the answer.
    let words = r#"{"type":"assistant","session_id":"s","message":{"id":"2","model":"m","content":[{"type":"text","text":"Done."}]}}"#;
    assert_eq!(
        response(&[words], &result.replace("RESULT", "Done.")),
        "Done."
    );
}

#[test]
fn elements_before_the_one_that_tells_the_agent_are_its_records() {
    let array = format!(r#"[{{"type":"some_new_kind","session_id":"s"}},{INIT}]"#);
    assert_eq!(session(&[&array]).unknown_records, 1);
}

#[test]
fn the_model_of_an_envelope_is_reported_after_another_session() {
    let init = INIT.replace(r#""m""#, r#""m[1m]""#);
    let message = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"text","text":"a"}]}}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":0,"modelUsage":{"m":{"inputTokens":1}}}"#;
    let envelope = result.replace(r#""session_id":"s""#, r#""session_id":"e""#);
    // The last two records belong to sessions that are written side by side.
    let all = sessions([&init, message, result, &envelope, message, result]);
    let models = all
        .all()
        .iter()
        .map(|session| session.model.as_ref().unwrap());
    assert_eq!(
        models.map(Text::to_string_lossy).collect::<Vec<_>>(),
        ["m[1m]", "m"]
    );
}

const RESULT: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"b"}"#;

/// Returns a message with one text.
fn says(id: &str, text: &str, more: &str) -> String {
    format!(
        r#"{{"type":"assistant","session_id":"s","uuid":"{id}","message":{{"id":"m{id}","model":"m","content":[{{"type":"text","text":"{text}"}}]}}{more}}}"#
    )
}

#[test]
fn an_answer_that_a_hook_sent_back_is_none() {
    let (draft, answer) = (says("1", "a", ""), says("2", "b", ""));
    for content in [
        r#"[{"type":"text","text":"Stop hook feedback:\nsay b"}]"#,
        r#""Stop hook feedback: say b""#,
    ] {
        let feedback = format!(
            r#"{{"type":"user","session_id":"s","isSynthetic":true,"message":{{"role":"user","content":{content}}}}}"#
        );
        let session = session(&[INIT, &draft, &feedback, &answer, RESULT]);
        assert_eq!(session.response().unwrap(), "b");
        assert_eq!(session.assistant_text().unwrap(), "a\nb");
        assert_eq!(session.turns(), Some(1));
    }
}

#[test]
fn what_claude_takes_back_is_dropped() {
    let flagged = says("1", "a", "");
    let fallback = r#"{"type":"system","subtype":"model_refusal_fallback","session_id":"s","direction":"retry","retracted_message_uuids":["1"]}"#;
    let again = [says("2", "b", ""), says("3", "c", "")];
    let withdrawn = session(&[INIT, &flagged, fallback, &again[0], &again[1], RESULT]);
    let instead = [r#","supersedes":["1"]"#; 2];
    let again = [says("2", "b", instead[0]), says("3", "c", instead[1])];
    let superseded = session(&[INIT, &flagged, &again[0], &again[1], RESULT]);
    for session in [withdrawn, superseded] {
        assert_eq!(session.response().unwrap(), "b\nc");
        assert_eq!(session.assistant_text().unwrap(), "b\nc");
    }
}

#[test]
fn the_report_of_a_command_of_the_agents_own_is_no_error() {
    let report = says("1", "# Context", r#","context_usage":{"totalTokens":1}"#)
        .replace(r#""model":"m""#, r#""model":"<synthetic>""#);
    let session = session(&[INIT, &report, RESULT]);
    assert_eq!(session.assistant_text().unwrap(), "# Context");
    assert!(session.errors().is_empty());
}

#[test]
fn the_cost_had_another_name_in_early_versions() {
    let result = r#"{"type":"result","subtype":"success","cost_usd":0.5,"is_error":false,"duration_ms":4,"duration_api_ms":7,"num_turns":1,"result":"hi","total_cost":0.75,"session_id":"s"}"#;
    let session = session(&[result]);
    assert_eq!(session.usage().cost_usd, Some(0.75));
    assert_eq!(session.response().unwrap(), "hi");
}

#[test]
fn a_reason_for_not_starting_tells_the_class_where_no_message_does() {
    for (reason, class) in [
        ("gateway_signin_required", Outcome::Auth),
        ("cwd_unavailable", Outcome::Input),
    ] {
        let result = format!(
            r#"{{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","total_cost_usd":0,"errors":["x"],"startup_failure_reason":"{reason}"}}"#
        );
        assert_eq!(session(&[&result]).outcome(), class, "{reason}");
    }
}

#[test]
fn a_result_without_a_turn_takes_no_cost_back() {
    let done = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":7,"session_id":"s","total_cost_usd":2.5,"result":"b","modelUsage":{"m":{"inputTokens":9,"outputTokens":9,"costUSD":2.5}}}"#;
    let spurious = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"session_id":"s","total_cost_usd":0,"modelUsage":{},"errors":["x"]}"#;
    let of = |records: &[&str]| session(records).usage().cost_usd;
    assert_eq!(of(&[INIT, done, spurious]), Some(2.5));
    assert_eq!(of(&[spurious]), Some(0.0));
    assert_eq!(session(&[INIT, done, spurious]).outcome(), Outcome::Failed);
}

/// Returns the write of a successful call: what was done to the file, and the numbers of lines added and removed.
fn written(tool: &str, input: &str, detail: &str) -> (Option<Operation>, Option<u64>, Option<u64>) {
    let call = format!(
        r#"{{"type":"assistant","session_id":"s","message":{{"id":"1","model":"m","content":[{{"type":"tool_use","id":"t","name":"{tool}","input":{{{input}}}}}]}}}}"#
    );
    let result = format!(
        r#"{{"type":"user","session_id":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"ok"}}]}}{detail}}}"#
    );
    let session = session(&[INIT, &call, &result]);
    let (path, file) = session.files().unwrap().files().iter().next().unwrap();
    assert_eq!(*path, "/a");
    (file.operation, file.lines.added, file.lines.removed)
}

#[test]
fn an_edit_is_stated_by_its_parameters_or_by_the_patch_that_came_of_it() {
    let edit =
        |old: &str| format!(r#""file_path":"/a","old_string":"{old}","new_string":"a\nc\nd""#);
    let update = Some(Operation::Update);
    let reported = written("Edit", &edit("a\\nb"), "");
    assert_eq!(reported, (update, Some(2), Some(1)));
    let reported = written("Edit", &edit(""), "");
    assert_eq!(reported, (Some(Operation::Create), Some(3), Some(0)));
    let everywhere = edit("a\\nb") + r#","replace_all":true"#;
    assert_eq!(written("Edit", &everywhere, ""), (update, None, None));
    let patch = r#","tool_use_result":{"filePath":"/a","replaceAll":true,"structuredPatch":[{"oldStart":1,"oldLines":3,"newStart":1,"newLines":2,"lines":[" x","-a","-b","+c"]}]}"#;
    let reported = written("Edit", &everywhere, patch);
    assert_eq!(reported, (update, Some(1), Some(2)));
    let cell = r#""notebook_path":"/a","cell_id":"1","new_source":"x""#;
    assert_eq!(written("NotebookEdit", cell, ""), (update, None, None));
}

#[test]
fn a_stream_that_ends_while_a_request_is_tried_again_is_of_its_class() {
    let retry = r#"{"type":"system","subtype":"api_retry","session_id":"s","attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":529,"error":"overloaded"}"#;
    assert_eq!(session(&[INIT, retry]).outcome(), Outcome::Quota);
}

#[test]
fn an_interruption_is_no_prompt() {
    let user = |text: &str| {
        format!(
            r#"{{"type":"user","session_id":"s","isReplay":true,"message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    // A thought makes a turn just as an answer does.
    let thought = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"thinking","thinking":"hm"}]}}"#;
    let turns = |second: &str| session(&[INIT, &user("go"), thought, &user(second)]).turns();
    assert_eq!(turns("go on"), Some(2));
    assert_eq!(turns("[Request interrupted by user]"), Some(1));
}

#[test]
fn words_that_stand_for_no_answer_are_none() {
    let none = says("2", "No response requested.", "");
    let none = none.replace(r#""model":"m""#, r#""model":"<synthetic>""#);
    let session = session(&[INIT, &says("1", "a", ""), &none, RESULT]);
    assert_eq!(session.assistant_text().unwrap(), "a");
    assert!(session.errors().is_empty());
}

#[test]
fn an_empty_answer_is_one() {
    let result = RESULT.replace(r#""b""#, r#""","total_cost_usd":0"#);
    assert_eq!(session(&[&result]).response().unwrap(), "");
    let none = RESULT.replace(r#""result":"b""#, r#""total_cost_usd":0"#);
    assert!(session(&[&none]).response().is_none());
}

#[test]
fn a_diagnosis_is_not_what_made_a_run_fail_if_more_is_reported() {
    let failed = |errors: &str| {
        let result = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","num_turns":3,"errors":[ERRORS]}"#;
        let session = session(&[INIT, &result.replace("ERRORS", errors)]);
        let message = session.errors()[0].message.to_string_lossy().into_owned();
        (message, session.outcome())
    };
    let diagnosis = r#""[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null""#;
    let error = r#""Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}""#;
    let (message, outcome) = failed(&format!("{diagnosis},{error}"));
    assert!(message.starts_with("Error: 529"), "{message}");
    assert_eq!(outcome, Outcome::Quota);
    let (message, outcome) = failed(diagnosis);
    assert!(message.starts_with("[ede_diagnostic]"), "{message}");
    assert_eq!(outcome, Outcome::Failed);
}

#[test]
fn a_call_is_denied_where_its_failure_says_so() {
    let call = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"x"}}]}}"#;
    let failure = |text: &str, meta: &str| {
        let result = r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"TEXT"}]},"tool_result_meta":[META]}"#;
        let result = result.replace("TEXT", text).replace("META", meta);
        let sum = session(&[INIT, call, &result]).tools().unwrap().sum();
        (sum.denied, sum.error)
    };
    // The reason decides, because a hook may print any text.
    let kind = |kind: &str| format!(r#"{{"id":"t","non_execution_kind":"{kind}"}}"#);
    for meta in [kind("permission-rule"), kind("user-rejected")] {
        assert_eq!(failure("not on my watch", &meta), (1, 0), "{meta}");
    }
    let another = kind("permission-rule").replace(r#""t""#, r#""u""#);
    for meta in [kind("cancelled"), another] {
        assert_eq!(failure("not on my watch", &meta), (0, 1), "{meta}");
    }
    for text in [
        "This command requires approval",
        "This Bash command contains multiple operations. The following parts require approval: a, b",
        "Permission to edit /w/a has been denied.",
        "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
    ] {
        assert_eq!(failure(text, ""), (1, 0), "{text}");
    }
}

#[test]
fn records_of_no_session_belong_to_the_one_that_goes_on() {
    let control = r#"{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#;
    let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"2","response":{}}}"#;
    let said = says("1", "a", "");
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","result":"a"}"#;
    let lifecycle =
        r#"{"type":"command_lifecycle","command_uuid":"u","state":"completed","session_id":"s"}"#;
    let session = session(&[INIT, control, &said, answer, result, lifecycle]);
    assert_eq!(
        (session.outcome(), session.unknown_records),
        (Outcome::Success, 0)
    );
}

#[test]
fn the_little_that_claude_code_action_prints_tells_how_it_went() {
    let init =
        r#"{"type":"system","subtype":"init","message":"Claude Code initialized","model":"m"}"#;
    let result = r#"{"type":"result","subtype":"SUBTYPE","is_error":false,"duration_ms":10,"num_turns":3,"total_cost_usd":0.5,"permission_denials_count":0}"#;
    let (done, stopped) = (
        result.replace("SUBTYPE", "success"),
        result.replace("SUBTYPE", "error_max_turns"),
    );
    let all = sessions([init, &done, init, &stopped]);
    let outcomes = [Outcome::Success, Outcome::Turns];
    assert_eq!(all.all().len(), outcomes.len());
    for (session, outcome) in all.all().iter().zip(outcomes) {
        assert_eq!(
            (session.outcome(), session.usage().cost_usd),
            (outcome, Some(0.5))
        );
        assert_eq!(session.model.as_ref().unwrap(), "m");
        // Nothing says what was done.
        assert_eq!((session.messages(), session.response()), (None, None));
    }
    assert_eq!(session(&[&stopped]).outcome(), Outcome::Turns);
}

#[test]
fn what_a_call_was_not_permitted_with_is_distinguished_from_what_a_command_says() {
    let status = |text: &str| {
        let call = r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls /"}}]}}"#;
        let result = format!(
            r#"{{"type":"user","session_id":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"{text}"}}]}}}}"#
        );
        let sum = session(&[INIT, call, &result]).tools().unwrap().sum();
        (sum.error, sum.denied)
    };
    for denied in [
        "ls in '/' was blocked. For security, Claude Code may only list files in the allowed working directories for this session: '/w'.",
        "This command requires approval",
        "This command uses shell operators that require approval for safety",
        "Permission for this action has been denied. Reason: no",
        "Permission to use Bash with command ls / has been denied.",
    ] {
        assert_eq!(status(denied), (0, 1), "{denied}");
    }
    for failed in [
        "Exit code 1\\nls: cannot open directory '/': Permission denied",
        "Exit code 1\\ncd in '/' was blocked. For security, Claude Code may only change directories",
        "requires approval",
    ] {
        assert_eq!(status(failed), (1, 0), "{failed}");
    }
}
