//! Records of opencode, cut to what a rule is about.

use crate::dialect::testing;
use crate::fact::Operation;
use crate::outcome::Outcome;
use crate::session::Sessions;

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
    // Nor does `done` end it once more.
    let done = ("done", r#""reason":"idle","rejected":[]"#);
    assert_eq!(
        sessions(&[("error", error), done]).outcome(),
        Outcome::Network
    );
    // It is a record of a stream: that no file was written is known.
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
fn an_error_of_another_shape_is_told_as_it_is() {
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
fn what_is_said_behind_the_end_of_a_turn_is_another_answer() {
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
fn a_text_behind_the_call_of_its_step_is_not_the_answer() {
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
    assert_eq!(session.duration_ms(), Some(1));
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
    let told = tools.files().iter().map(|(path, file)| {
        let operation = file.operation.map_or("", Operation::word);
        let path = path.to_string_lossy();
        format!(
            "{path} {operation} {:?} {:?}",
            file.lines_added, file.lines_removed
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "/a create Some(2) Some(0)",
            "/b update Some(1) Some(1)",
            "/c delete Some(0) Some(3)",
            "/d delete None None",
            "/e create Some(1) Some(1)"
        ]
    );
}
