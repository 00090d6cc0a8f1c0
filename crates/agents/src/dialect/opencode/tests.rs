//! Records of opencode, shortened to the members that a rule needs.

use crate::dialect::testing;
use crate::fact::Operation;
use crate::session::Sessions;
use jsift_outcome::Outcome;

fn sessions(records: &[(&str, &str)]) -> Sessions {
    testing::sessions((1000..).zip(records).map(|(time, (kind, rest))| {
        format!(r#"{{"type":"{kind}","timestamp":{time},"sessionID":"ses_1",{rest}}}"#)
    }))
}

fn finish(reason: &str) -> String {
    format!(
        r#""part":{{"reason":"{reason}","type":"step-finish","tokens":{{"total":1029,"input":901,"output":16,"reasoning":7,"cache":{{"write":5,"read":100}}}},"cost":0.5}}"#
    )
}

#[test]
fn the_reason_of_the_last_step_tells_the_outcome() {
    for (reason, outcome) in [
        ("stop", Outcome::Success),
        ("length", Outcome::Turns),
        ("content-filter", Outcome::Blocked),
        ("tool-calls", Outcome::Truncated),
    ] {
        let all = sessions(&[
            ("step_start", r#""part":{}"#),
            ("step_finish", &finish(reason)),
        ]);
        assert_eq!(all.outcome(), outcome, "{reason}");
    }
}

#[test]
fn an_error_ends_the_session_whatever_ended_it_before() {
    let stop = finish("stop");
    let error = r#""error":{"name":"APIError","data":{"message":"Bad Gateway","statusCode":502}}"#;
    let all = sessions(&[("step_finish", &stop), ("error", error)]);
    assert_eq!(all.outcome(), Outcome::Network);
    // `done` does not end it once more.
    let done = ("done", r#""reason":"idle","rejected":[]"#);
    assert_eq!(
        sessions(&[("error", error), done]).outcome(),
        Outcome::Network
    );
    // The record is from a stream: it is known that no file was written.
    let all = sessions(&[("error", error)]);
    assert!(all.all()[0].files().is_some());
    let all = sessions(&[
        ("error", error),
        ("step_start", r#""part":{}"#),
        ("step_finish", &stop),
    ]);
    assert_eq!(all.outcome(), Outcome::Success);
}

#[test]
fn an_error_alone_is_known_without_its_session() {
    let error = r#"{"type":"error","error":{"name":"APIError","data":{"message":"Incorrect API key provided","statusCode":401}}}"#;
    assert_eq!(testing::sessions([error]).outcome(), Outcome::Auth);
}

#[test]
fn an_error_of_another_shape_is_reported_as_it_is() {
    for (error, message) in [
        (r#""Model not found: x/y""#, "Model not found: x/y"),
        (
            r#"{"data":{},"success":false}"#,
            r#"{"data":{},"success":false}"#,
        ),
    ] {
        let all = sessions(&[("error", &format!(r#""error":{error}"#))]);
        let errors = all.current().unwrap().errors();
        assert_eq!((errors.len(), &errors[0].message), (1, &message.into()));
        assert!(errors[0].code.is_none());
    }
}

#[test]
fn a_step_that_tells_no_reason_may_be_the_last() {
    let finish = ("step_finish", r#""part":{"type":"step-finish","cost":0.5}"#);
    let text = |text| ("text", text);
    let all = sessions(&[
        text(r#""part":{"id":"1","text":"first"}"#),
        finish,
        text(r#""part":{"id":"2","text":"last"}"#),
    ]);
    assert_eq!(all.outcome(), Outcome::Truncated);
    let all = sessions(&[text(r#""part":{"id":"1","text":"first"}"#), finish]);
    assert_eq!(all.outcome(), Outcome::Success);
}

#[test]
fn what_is_said_after_the_end_of_a_turn_is_another_answer() {
    let stop = finish("stop");
    let summary = ("text", r#""part":{"id":"1","text":"So far"}"#);
    let mut records = vec![
        ("step_start", r#""part":{}"#),
        summary,
        ("step_finish", stop.as_str()),
        ("step_start", r#""part":{}"#),
    ];
    assert_eq!(sessions(&records).outcome(), Outcome::Truncated);
    records.push(("text", r#""part":{"id":"2","text":"Done."}"#));
    records.push(("step_finish", &stop));
    let all = sessions(&records);
    let session = all.current().unwrap();
    assert_eq!(session.response().unwrap(), "Done.");
    assert_eq!(session.assistant_text().unwrap(), "So far\nDone.");
    assert_eq!(
        (session.turns(), all.outcome()),
        (Some(2), Outcome::Success)
    );
}

#[test]
fn a_step_with_a_call_does_not_end_the_turn_whatever_its_reason() {
    let stop = finish("stop");
    let call = r#""part":{"tool":"bash","callID":"1","state":{"status":"completed","input":{},"output":""}}"#;
    let step = [
        ("step_start", r#""part":{}"#),
        ("tool_use", call),
        ("step_finish", stop.as_str()),
    ];
    let answer = [
        ("step_start", r#""part":{}"#),
        ("text", r#""part":{"id":"1","text":"Done."}"#),
    ];
    let whole = [&step[..], &answer, &[step[2]]].concat();
    for (records, outcome) in [
        (&step[..], Outcome::Success),
        (&[&step[..], &answer].concat(), Outcome::Truncated),
        (&whole, Outcome::Success),
    ] {
        let all = sessions(records);
        assert_eq!(all.outcome(), outcome);
        assert_eq!(all.all()[0].turns(), Some(1));
    }
}

#[test]
fn a_text_after_the_call_of_its_step_is_not_the_answer() {
    let (more, stop) = (finish("tool-calls"), finish("stop"));
    let call = r#""part":{"tool":"bash","callID":"1","state":{"status":"completed","input":{},"output":""}}"#;
    let mut records = vec![
        ("tool_use", call),
        ("text", r#""part":{"id":"1","text":"I look."}"#),
        ("step_finish", &more),
    ];
    let response = |records: &[_]| {
        let all = sessions(records);
        all.current()
            .unwrap()
            .response()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    assert_eq!(response(&records), "I look.");
    records.push(("text", r#""part":{"id":"2","text":"Done."}"#));
    records.push(("step_finish", &stop));
    assert_eq!(response(&records), "Done.");
    assert_eq!(sessions(&records).current().unwrap().turns(), Some(1));
}

#[test]
fn tokens_are_brought_to_one_convention_and_added_up() {
    let (more, stop) = (finish("tool-calls"), finish("stop"));
    let all = sessions(&[("step_finish", &more), ("step_finish", &stop)]);
    let session = all.current().unwrap();
    let usage = session.usage();
    assert_eq!((usage.input, usage.cached), (Some(2012), Some(200)));
    assert_eq!((usage.output, usage.total), (Some(46), Some(2058)));
    assert_eq!(usage.cost_usd, Some(1.0));
    assert_eq!(session.duration_ms, Some(1));
}

#[test]
fn early_versions_count_reasoning_in_the_output() {
    let stop = finish("stop").replace(r#""output":16"#, r#""output":23"#);
    for total in ["", r#""total":1029,"#] {
        let stop = stop.replace(r#""total":1029,"#, total);
        let all = sessions(&[("step_finish", &stop)]);
        let usage = all.current().unwrap().usage();
        assert_eq!((usage.output, usage.reasoning), (Some(23), Some(7)));
        assert_eq!(usage.total, Some(1029));
    }
}

#[test]
fn a_rejected_call_is_denied_and_writes_nothing() {
    let call = r#""part":{"type":"tool","tool":"write","callID":"1","state":{"status":"error","input":{"filePath":"/w/a","content":"x"},"error":"The user rejected permission to use this specific tool call."}}"#;
    let all = sessions(&[("tool_use", call)]);
    let tools = all.current().unwrap().tools().unwrap();
    assert_eq!((tools.sum().calls, tools.sum().denied), (1, 1));
    assert!(tools.files().is_empty());
}

#[test]
fn the_last_step_of_2_0_need_not_finish() {
    let start = ("step_start", r#""part":{"id":"prt_a","type":"step-start"}"#);
    let tool = (
        "tool_use",
        r#""part":{"partID":"prt_b","type":"tool","id":"call_1","tool":"shell","state":{"status":"completed","input":{"command":"false"},"output":"","metadata":{"metadata":{"exit":1}}}}"#,
    );
    let finish = (
        "step_finish",
        r#""part":{"id":"prt_c","type":"step-finish","reason":"tool-calls","cost":0.5,"tokens":{"input":224,"output":41,"reasoning":7,"cache":{"read":100,"write":0}}}"#,
    );
    let said = |id: &str| format!(r#""part":{{"id":"{id}","type":"text","text":"Done."}}"#);
    let late = said("prt_msg1_text-0");
    let all = sessions(&[start, tool, finish, start, ("text", &late)]);
    let session = all.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Success);
    assert_eq!(session.response().unwrap(), "Done.");
    let usage = session.usage();
    assert_eq!((usage.input, usage.output), (Some(324), Some(48)));
    let stop = finish.1.replace("tool-calls", "stop");
    let all = sessions(&[start, ("step_finish", &stop), ("text", &late)]);
    assert_eq!(all.all().len(), 1);
    assert_eq!(all.current().unwrap().outcome(), Outcome::Success);
    assert_eq!(all.current().unwrap().response().unwrap(), "Done.");
    // A tool may be running after it.
    let all = sessions(&[start, ("text", &said("prt_d"))]);
    assert_eq!(all.current().unwrap().outcome(), Outcome::Truncated);
}

#[test]
fn errors_of_2_0_have_a_type() {
    for (error, class) in [
        (
            r#"{"type":"provider.rate-limit","status":429}"#,
            Outcome::Quota,
        ),
        (
            r#"{"type":"provider.quota","message":"no more of it","status":402}"#,
            Outcome::Quota,
        ),
        (
            r#"{"type":"provider.no-route","message":"Model unavailable: a/b"}"#,
            Outcome::Input,
        ),
        (
            r#"{"type":"provider.transport","message":"Transport"}"#,
            Outcome::Network,
        ),
        (
            r#"{"type":"aborted","message":"Session interrupted: shutdown"}"#,
            Outcome::Cancelled,
        ),
        (
            r#"{"type":"unknown","message":"Prompt was not promoted"}"#,
            Outcome::Failed,
        ),
    ] {
        let all = sessions(&[("error", &format!(r#""error":{error}"#))]);
        let session = all.current().unwrap();
        assert_eq!(session.outcome(), class, "{error}");
        assert!(session.errors()[0].code.is_some(), "{error}");
    }
}

#[test]
fn files_of_2_0_are_reported_by_parameters_and_output() {
    let part = |tool: &str, input: &str, output: &str, metadata: &str| {
        format!(
            r#""part":{{"partID":"prt_a","type":"tool","id":"call_{tool}","tool":"{tool}","state":{{"status":"completed","input":{input},"output":"{output}","metadata":{{"metadata":{metadata}}}}}}}"#
        )
    };
    let write = part(
        "write",
        r#"{"path":"a","content":"x\n"}"#,
        "Created file successfully: a",
        "{}",
    );
    let edit = part(
        "edit",
        r#"{"path":"b","oldString":"x","newString":"y"}"#,
        "Edited b (1 replacement)",
        r#"{"files":[{"file":"b","patch":"","additions":3,"deletions":2,"status":"modified"}]}"#,
    );
    let patch = part(
        "patch",
        r#"{"patchText":"*** Begin Patch\n*** Delete File: c\n*** End Patch"}"#,
        "Success.",
        r#"{"files":[{"file":"c","patch":"","additions":0,"deletions":9,"status":"deleted"}]}"#,
    );
    let all = sessions(
        &[write, edit, patch]
            .each_ref()
            .map(|part| ("tool_use", part.as_str())),
    );
    let tools = all.current().unwrap().tools().unwrap();
    assert_eq!((tools.sum().calls, tools.sum().success), (3, 3));
    let files: Vec<_> = tools
        .files()
        .iter()
        .map(|(path, file)| (path.to_string_lossy(), file.operation, file.lines.added))
        .collect();
    use crate::fact::Operation::{Create, Delete, Update};
    assert_eq!(
        files,
        [
            ("a".into(), Some(Create), None),
            ("b".into(), Some(Update), Some(3)),
            ("c".into(), Some(Delete), None),
        ]
    );
}

#[test]
fn done_ends_what_has_not_ended() {
    let stop = finish("stop");
    let done = ("done", r#""reason":"idle","rejected":[]"#);
    let error = (
        "error",
        r#""error":{"name":"MessageAbortedError","data":{"message":""}}"#,
    );
    assert_eq!(
        sessions(&[("step_finish", &stop), done]).outcome(),
        Outcome::Success
    );
    assert_eq!(
        sessions(&[("step_finish", &finish("tool-calls")), done]).outcome(),
        Outcome::Success
    );
    assert_eq!(sessions(&[error, done]).outcome(), Outcome::Cancelled);
}

#[test]
fn the_name_of_an_error_tells_its_class() {
    for (name, class) in [
        ("ProviderAuthError", Outcome::Auth),
        ("MessageOutputLengthError", Outcome::Turns),
        ("ContextOverflowError", Outcome::Input),
        ("MessageAbortedError", Outcome::Cancelled),
    ] {
        let error = format!(r#""error":{{"name":"{name}","data":{{"message":"x"}}}}"#);
        assert_eq!(sessions(&[("error", &error)]).outcome(), class, "{name}");
    }
}

#[test]
fn a_patch_tells_of_each_of_its_files() {
    let patch = r#""part":{"type":"tool","callID":"1","tool":"apply_patch","state":{"status":"completed","input":{"patchText":"x"},"output":"ok","metadata":{"files":[{"filePath":"/a","type":"add","additions":2,"deletions":0},{"filePath":"/b","type":"update","additions":1,"deletions":1},{"filePath":"/c","type":"delete","additions":0,"deletions":3},{"filePath":"/d","type":"move","movePath":"/e","additions":1,"deletions":1}]}}}"#;
    let all = sessions(&[("tool_use", patch)]);
    let tools = all.current().unwrap().tools().unwrap();
    let reported = tools.files().iter().map(|(path, file)| {
        let operation = file.operation.map_or("", Operation::word);
        let path = path.to_string_lossy();
        format!(
            "{path} {operation} {:?} {:?}",
            file.lines.added, file.lines.removed
        )
    });
    assert_eq!(
        reported.collect::<Vec<_>>(),
        [
            "/a create Some(2) Some(0)",
            "/b update Some(1) Some(1)",
            "/c delete Some(0) Some(3)",
            "/d delete None None",
            "/e create Some(1) Some(1)"
        ]
    );
}
