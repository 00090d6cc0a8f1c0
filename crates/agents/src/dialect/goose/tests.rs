//! Records of goose, shortened to the members that a rule needs.

use crate::dialect::Agent;
use crate::dialect::reader::{FoundRecord, RecordReader, StatedRecord, Taken};
use crate::dialect::testing::sessions;
use crate::fact::{Fact, Operation};
use crate::session::{Kept, Session, Sessions};
use jsift_json::view::Value;
use jsift_outcome::Outcome;

/// Written from goose's source, not recorded.
const STREAM: [&str; 6] = [
    r#"{"type":"message","message":{"id":"m1","role":"assistant","created":1,"content":[{"type":"toolRequest","id":"t1","toolCall":{"status":"success","value":{"name":"developer__text_editor","arguments":{"command":"write","path":"/w/a","file_text":"x"}}}}]}}"#,
    r#"{"type":"message","message":{"role":"user","created":1,"content":[{"type":"toolResponse","id":"t1","toolResult":{"status":"success","value":[{"type":"text","text":"ok"}]}}]}}"#,
    r#"{"type":"notification","extension_id":"developer","log":{"message":"…"}}"#,
    r#"{"type":"message","message":{"id":"m2","role":"assistant","created":2,"content":[{"type":"text","text":"All "}]}}"#,
    r#"{"type":"message","message":{"id":"m2","role":"assistant","created":2,"content":[{"type":"text","text":"done."}]}}"#,
    r#"{"type":"complete","total_tokens":12}"#,
];

#[test]
fn pieces_of_a_message_are_put_together_and_calls_paired() {
    let all = sessions(STREAM);
    let session = all.current().unwrap();
    assert_eq!(
        (session.agent, session.outcome()),
        (Some(Agent::Goose), Outcome::Success)
    );
    assert_eq!(session.response().unwrap(), "All done.");
    assert_eq!(session.usage().total, Some(12));
    let tools = session.tools().unwrap();
    assert_eq!((tools.sum().success, tools.files().len()), (1, 1));
}

#[test]
fn the_server_writes_such_records_under_names_in_capitals() {
    let piece = |text: &str| {
        format!(
            r#"{{"type":"Message","message":{{"id":"m","role":"assistant","created":1,"content":[{{"type":"text","text":"{text}"}}],"metadata":{{"userVisible":true}}}}}}"#
        )
    };
    let pieces = ["All ", "done."].map(piece);
    let end = r#"{"type":"Finish","reason":"stop"}"#;
    let all = sessions([&*pieces[0], &*pieces[1], end]);
    let session = all.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Success);
    assert_eq!(session.response().unwrap(), "All done.");
    let failed = r#"{"type":"Error","error":"Rate limit exceeded"}"#;
    let all = sessions([&*pieces[0], failed, end]);
    assert_eq!(all.current().unwrap().outcome(), Outcome::Quota);
}

#[test]
fn newer_versions_write_with_tools_of_shorter_names() {
    let editor = r#""name":"developer__text_editor","arguments":{"command":"write","path":"/w/a","file_text":"x"}"#;
    for (call, added) in [
        (
            r#""name":"write","arguments":{"path":"/w/a","content":"x"}"#,
            None,
        ),
        (
            r#""name":"developer__edit","arguments":{"path":"/w/a","before":"a","after":"b\nc"}"#,
            Some(2),
        ),
    ] {
        let call = STREAM[0].replace(editor, call);
        let all = sessions([&call, STREAM[1], STREAM[5]]);
        let tools = all.current().unwrap().tools().unwrap();
        let (path, file) = tools.files().iter().next().unwrap();
        assert_eq!(
            (path.to_string_lossy().as_ref(), file.lines.added),
            ("/w/a", added)
        );
    }
}

#[test]
fn the_report_of_a_write_tells_whether_the_file_is_new_and_that_of_a_shell_its_exit_code() {
    let editor = r#""name":"developer__text_editor","arguments":{"command":"write","path":"/w/a","file_text":"x"}"#;
    let write = r#""name":"write","arguments":{"path":"hello.txt","content":"x"}"#;
    for (report, operation) in [
        ("Created hello.txt (1 lines)", Some(Operation::Create)),
        ("Wrote hello.txt (1 lines)", Some(Operation::Update)),
        ("ok", None),
    ] {
        let call = STREAM[0].replace(editor, write);
        let result = STREAM[1].replace("\"ok\"", &format!("\"{report}\""));
        let all = sessions([&call, &result, STREAM[5]]);
        let tools = all.current().unwrap().tools().unwrap();
        let (_, file) = tools.files().iter().next().unwrap();
        assert_eq!((file.operation, file.writes), (operation, 1), "{report}");
    }
    let failed = STREAM[1].replace(
        r#"[{"type":"text","text":"ok"}]"#,
        r#"{"content":[{"type":"text","text":"(no output)\n\nCommand exited with code 1","annotations":{"priority":0.0}}],"structuredContent":{"stdout":"","stderr":"","exit_code":1},"isError":true}"#,
    );
    let all = sessions([STREAM[0], &failed, STREAM[5]]);
    let tools = all.current().unwrap().tools().unwrap();
    assert_eq!((tools.sum().error, tools.files().len()), (1, 0));
    let mut codes = Vec::new();
    let mut take = |stated: StatedRecord<'_>| {
        for fact in stated.statement.facts.iter() {
            if let Fact::Result(result) = fact {
                codes.push(result.exit_code);
            }
        }
    };
    let _ = RecordReader::of(Agent::Goose).read(
        Value::new(failed.as_bytes()),
        FoundRecord::ALONE,
        &mut take,
    );
    assert_eq!(codes, [Some(1)]);
}

#[test]
fn a_tool_that_the_user_declined_is_denied() {
    for given in [
        r#"[{"type":"text","text":"DECLINED"}]"#,
        r#"{"content":[{"type":"text","text":"DECLINED"}],"isError":true}"#,
    ] {
        let given = given.replace(
            "DECLINED",
            "The user has declined to run this tool. DO NOT attempt to call this tool again.",
        );
        let result = STREAM[1].replace(r#"[{"type":"text","text":"ok"}]"#, &given);
        let all = sessions([STREAM[0], &result, STREAM[5]]);
        let tools = all.current().unwrap().tools().unwrap();
        assert_eq!((tools.sum().denied, tools.files().len()), (1, 0), "{given}");
    }
}

#[test]
fn no_turns_left_is_no_answer() {
    let notice = r#"{"type":"message","message":{"role":"assistant","created":2,"content":[{"type":"text","text":"I've reached the maximum number of actions I can do without user input. Would you like me to continue?"}]}}"#;
    let all = sessions([STREAM[3], notice, STREAM[5]]);
    assert_eq!(all.outcome(), Outcome::Turns);
    assert_eq!(all.current().unwrap().response().unwrap(), "All ");
}

#[test]
fn what_is_said_after_a_complete_run_is_another_answer() {
    let another = STREAM[4].replace("m2", "m3");
    let all = sessions([STREAM[3], STREAM[5], &another, STREAM[5]]);
    let session = all.current().unwrap();
    assert_eq!((all.all().len(), session.turns()), (1, Some(2)));
    assert_eq!(session.response().unwrap(), "done.");
}

#[test]
fn after_an_error_a_run_is_complete_but_no_success() {
    const ERROR: &str = r#"{"type":"error","error":"Authentication error: 401 Unauthorized"}"#;
    let complete = STREAM[5];
    for records in [&[ERROR, complete][..], &[STREAM[3], ERROR, complete]] {
        let all = sessions(records);
        assert_eq!((all.outcome(), all.all().len()), (Outcome::Auth, 1));
        assert_eq!(all.current().unwrap().errors().len(), 1);
    }
    let mut none = |_: StatedRecord<'_>| {};
    for anybodys in [
        r#"{"type":"error","error":"boom"}"#,
        r#"{"type":"error","error":"401 Unauthorized","level":"warn"}"#,
    ] {
        let value = Value::new(anybodys.as_bytes());
        assert_ne!(
            RecordReader::default().read(value, FoundRecord::ALONE, &mut none),
            Taken::Reported
        );
    }
}

fn say(text: &str) -> String {
    let record = r#"{"type":"message","message":{"id":"e","role":"assistant","created":1,"content":[{"type":"text","text":"TEXT"}],"metadata":{"userVisible":true,"agentVisible":true}}}"#;
    record.replace("TEXT", text)
}

const NOTICE: &str = "Ran into this error: Rate limit exceeded: slow down.\\n\\nPlease retry if you think this is a transient or recoverable error.";

#[test]
fn a_providers_error_is_no_text_and_no_success() {
    let (alone, glued) = (say(NOTICE), say(&format!("Half {NOTICE}")));
    for (records, said) in [(vec![&alone], ""), (vec![&glued], "Half ")] {
        let records = records.iter().map(|record| record.as_str());
        let all = sessions(records.chain([STREAM[5]]));
        let session = all.current().unwrap();
        assert_eq!(session.outcome(), Outcome::Quota);
        assert_eq!(session.assistant_text().unwrap(), said);
        assert_eq!(session.response().unwrap(), said);
        let errors = session.errors();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "Rate limit exceeded: slow down");
    }
    let network =
        "Network error: Could not resolve api.x.\\n\\nPlease resend your message to try again.";
    let compact = NOTICE.replace("error:", "error trying to compact:");
    let quoted = format!("{NOTICE} So it said.");
    for (text, outcome) in [
        (network, Outcome::Network),
        (&compact, Outcome::Quota),
        (&quoted, Outcome::Success),
    ] {
        let all = sessions([say(text).as_str(), STREAM[5]]);
        assert_eq!(all.outcome(), outcome, "{text}");
    }
}

#[test]
fn after_an_error_the_agent_may_go_on() {
    let all = sessions([say(NOTICE).as_str(), STREAM[3], STREAM[5]]);
    let session = all.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Success);
    assert!(!session.errors()[0].fatal);
}

#[test]
fn used_up_credits_are_a_matter_of_quota() {
    let notification = r#"{"type":"message","message":{"id":"m3","role":"assistant","content":[{"type":"systemNotification","notificationType":"NAME","msg":"Top up"}]}}"#;
    let all = |name: &str| sessions([&notification.replace("NAME", name), STREAM[5]]);
    assert_eq!(all("creditsExhausted").outcome(), Outcome::Quota);
    assert_eq!(all("inlineMessage").outcome(), Outcome::Success);
}

#[test]
fn the_model_is_the_one_that_was_asked() {
    let metadata = r#""metadata":{"inference":{"provider":"openrouter","requestedModel":"nvidia/nemotron:free"}}"#;
    let record = STREAM[3].replace(r#""created":2"#, metadata);
    let all = sessions([&record, STREAM[5]]);
    assert_eq!(
        all.current().unwrap().model.as_ref().unwrap(),
        "nvidia/nemotron:free"
    );
}

#[test]
fn the_json_form_holds_the_whole_session() {
    let messages = r#"[{"role":"user","created":1,"content":[{"type":"text","text":"go"}]},{"role":"assistant","created":2,"content":[{"type":"text","text":"Done."}]}]"#;
    let of = |status: &str| {
        sessions([&format!(
            r#"{{"messages":{messages},"metadata":{{"total_tokens":5,"input_tokens":3,"output_tokens":2,"status":"{status}"}}}}"#
        )])
    };
    let all = of("completed");
    let session = all.current().unwrap();
    assert_eq!(session.response().unwrap(), "Done.");
    assert_eq!(session.assistant_text().unwrap(), "Done.");
    assert_eq!((session.turns(), session.messages()), (Some(1), Some(1)));
    let usage = session.usage();
    let counts = (usage.total, usage.input, usage.output);
    assert_eq!(counts, (Some(5), Some(3), Some(2)));
    assert_eq!(all.outcome(), Outcome::Success);
    assert_eq!(of("failed").outcome(), Outcome::Failed);
    let notice = messages.replace("Done.", NOTICE);
    let again = format!("[{},{}", notice.trim_matches(['[', ']']), &messages[1..]);
    for (messages, outcome) in [(&notice, Outcome::Quota), (&again, Outcome::Success)] {
        let envelope = |status: &str| {
            format!(
                r#"{{"messages":{messages},"metadata":{{"total_tokens":5,"status":"{status}"}}}}"#
            )
        };
        assert_eq!(sessions([&envelope("completed")]).outcome(), outcome);
    }
}

#[test]
fn an_envelope_without_counts_and_dates_could_be_a_request_and_has_to_be_named() {
    let dated = r#"{"messages":[{"role":"user","created":1,"content":[{"type":"text","text":"go"}]},{"role":"assistant","created":2,"content":[{"type":"text","text":"Done."}]}]}"#;
    let bare = &dated.replace(r#""created":"#, r#""n":"#);
    for (envelope, reader, reported) in [
        (bare, RecordReader::default(), false),
        (bare, RecordReader::of(Agent::Goose), true),
        (&dated.to_owned(), RecordReader::default(), true),
    ] {
        let mut sessions = Sessions::new(Kept::Text);
        let mut reader = reader;
        let mut fold = |stated: StatedRecord<'_>| sessions.record(stated.agent, stated.statement);
        let _ = reader.read(
            Value::new(envelope.as_bytes()),
            FoundRecord::ALONE,
            &mut fold,
        );
        let response = sessions.current().and_then(Session::response);
        assert_eq!(response.is_some_and(|said| said == "Done."), reported);
    }
}

#[test]
fn an_editor_writes_by_some_of_its_commands() {
    for (command, files) in [("str_replace", 1), ("insert", 1), ("view", 0)] {
        let call = STREAM[0].replace(r#""command":"write""#, &format!(r#""command":"{command}""#));
        let all = sessions([&call, STREAM[1], STREAM[5]]);
        let tools = all.current().unwrap().tools().unwrap();
        assert_eq!(tools.files().len(), files, "{command}");
    }
}

#[test]
fn a_message_that_says_who_sees_it_begins_a_run_after_another_agents() {
    let codex = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"turn.failed","error":{"message":"429"}}"#,
    ];
    let said = |metadata: &str| STREAM[4].replace(r#""role""#, &format!(r#"{metadata}"role""#));
    let seen = said(r#""metadata":{"userVisible":true,"agentVisible":true},"#);
    let all = sessions([codex[0], codex[1], &seen, STREAM[5]]);
    let agents: Vec<_> = all.all().iter().map(|session| session.agent).collect();
    assert_eq!(agents, [Some(Agent::Codex), Some(Agent::Goose)]);
    assert_eq!(all.current().unwrap().response().unwrap(), "done.");
}
