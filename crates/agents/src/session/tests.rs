//! Tests of the rules by which facts are folded into sessions, with the records that need each rule.

use super::{FOLLOWED, Kept, REPORTED, Session, Sessions};
use crate::dialect::Agent;
use crate::dialect::class::known_message;
use crate::dialect::reader::{RecordReader, Taken};
use crate::dialect::testing::{folding, read};
use jsift_outcome::Outcome;

const INIT: &str = r#"{"type":"init","timestamp":"t","session_id":"one","model":"auto"}"#;
const PROMPT: &str = r#"{"type":"message","timestamp":"t","role":"user","content":"go"}"#;
const DELTA: &str =
    r#"{"type":"message","timestamp":"t","role":"assistant","content":"Done.","delta":true}"#;
const CALL: &str = r#"{"type":"tool_use","timestamp":"t","tool_name":"write_file","tool_id":"1","parameters":{"file_path":"a","content":"x"}}"#;
const DENIED: &str = r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"no"}}"#;
const WRITTEN: &str = r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"success"}"#;
const WARNING: &str = r#"{"type":"error","timestamp":"t","severity":"warning","message":"Loop detected, stopping execution"}"#;
const SUCCESS: &str = r#"{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":9,"input_tokens":5,"output_tokens":3,"duration_ms":7}}"#;
const FAILURE: &str =
    r#"{"type":"result","timestamp":"t","status":"error","stats":{"duration_ms":0}}"#;

fn sessions(records: &[&str]) -> Sessions {
    let mut sessions = Sessions::new(Kept::Text);
    let mut reader = RecordReader::default();
    let taken = read(&mut reader, records, &mut folding(&mut sessions));
    assert!(
        taken.iter().all(|taken| *taken == Taken::Reported),
        "{taken:?}"
    );
    sessions
}

#[test]
fn a_warning_before_a_success_is_not_fatal() {
    let all = sessions(&[INIT, PROMPT, DELTA, WARNING, SUCCESS]);
    let session = all.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Success);
    assert!(!session.errors()[0].fatal);
    assert_eq!(session.usage().output, Some(4));
    assert_eq!(session.duration_ms, Some(7));
}

#[test]
fn a_failure_without_an_error_takes_the_one_before_it() {
    let all = sessions(&[INIT, PROMPT, WARNING, FAILURE]);
    let session = all.current().unwrap();
    assert_eq!(session.outcome(), Outcome::Failed);
    assert_eq!(session.errors().len(), 1);
    assert!(session.errors()[0].fatal);
    assert_eq!(session.duration_ms, None);
}

#[test]
fn a_denied_write_is_no_file() {
    let all = sessions(&[INIT, PROMPT, CALL, DENIED]);
    let tools = all.current().unwrap().tools().unwrap();
    assert_eq!(
        (tools.sum().denied, tools.sum().error, tools.files().len()),
        (1, 0, 0)
    );
    let all = sessions(&[INIT, PROMPT, CALL, WRITTEN]);
    assert_eq!(all.current().unwrap().tools().unwrap().files().len(), 1);
    // Without ids the results come in the order of their calls.
    let [call, written] = [CALL, WRITTEN].map(|record| record.replace(r#""tool_id":"1","#, ""));
    let all = sessions(&[
        INIT,
        PROMPT,
        &call,
        &written.replace(r#""timestamp":"t","#, ""),
    ]);
    assert_eq!(all.current().unwrap().tools().unwrap().files().len(), 1);
}

#[test]
fn an_answer_without_an_id_after_the_end_of_a_stream_is_another_run() {
    let answer = r#"{"response":"Paris.","stats":{"models":{"m":{"tokens":{"prompt":2,"candidates":1,"total":3}}}}}"#;
    let error = r#"{"error":{"type":"Error","message":"no","code":1}}"#;
    let all = sessions(&[INIT, PROMPT, DELTA, SUCCESS, answer, answer]);
    let reported = all.all().iter().map(|session| {
        let response = session.response().unwrap().to_string_lossy().into_owned();
        (response, session.usage().total)
    });
    let other = || ("Paris.".to_owned(), Some(3));
    let streamed = ("Done.".to_owned(), Some(9));
    assert_eq!(reported.collect::<Vec<_>>(), [streamed, other(), other()]);
    // A failed run prints this error on standard error, so it belongs to the same session.
    assert_eq!(sessions(&[INIT, PROMPT, FAILURE, error]).all().len(), 1);
}

#[test]
fn a_stream_that_just_stops_is_truncated_unless_the_noise_after_it_says_why() {
    let mut all = sessions(&[INIT, PROMPT, DELTA]);
    assert_eq!(all.outcome(), Outcome::Truncated);
    all.note_known_message(known_message(b"Operation cancelled.").unwrap());
    assert_eq!(all.outcome(), Outcome::Cancelled);
}

#[test]
fn what_is_done_after_the_end_is_another_turn_and_bookkeeping_is_none() {
    let after = |records: &[&str]| {
        let all = sessions(&[&[INIT, PROMPT, DELTA, SUCCESS], records].concat());
        let session = all.current().unwrap();
        (session.outcome(), session.turns())
    };
    let another = DELTA.replace("Done.", "More.");
    assert_eq!(after(&[&another]), (Outcome::Truncated, Some(2)));
    assert_eq!(after(&[CALL]), (Outcome::Truncated, Some(2)));
    assert_eq!(
        after(&[CALL, WRITTEN, SUCCESS]),
        (Outcome::Success, Some(2))
    );
    // A late result and a warning end the turn as it ended.
    assert_eq!(after(&[WRITTEN]), (Outcome::Success, Some(1)));
    assert_eq!(after(&[WARNING]), (Outcome::Success, Some(1)));
}

#[test]
fn a_message_that_is_repeated_after_the_end_begins_no_turn() {
    let delta = r#"{"type":"stream_event","session_id":"s","uuid":"1","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Done."}}}"#;
    let end = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s"}"#;
    let whole = r#"{"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Done."}]}}"#;
    for said in [delta, whole] {
        let all = sessions(&[said, end, whole]);
        let session = all.current().unwrap();
        assert_eq!(
            (session.outcome(), session.turns()),
            (Outcome::Success, Some(1))
        );
        assert_eq!(session.messages(), Some(1));
    }
}

#[test]
fn a_block_replaces_the_deltas_of_its_message_whatever_they_say() {
    let delta = |text: &str| {
        format!(
            r#"{{"type":"stream_event","session_id":"s","api_message_id":"m","event":{{"type":"content_block_delta","delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
        )
    };
    let whole = r#"{"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"It is done."}]}}"#;
    // All of them, each twice, without the first, without one in between.
    for deltas in [
        "It |is |done.",
        "It |It |is |is |done.|done.",
        "is |done.",
        "It |done.",
    ] {
        let deltas: Vec<_> = deltas.split('|').map(delta).collect();
        let mut records: Vec<_> = deltas.iter().map(String::as_str).collect();
        records.push(whole);
        let all = sessions(&records);
        assert_eq!(all.current().unwrap().response().unwrap(), "It is done.");
        assert_eq!(all.current().unwrap().messages(), Some(1));
    }
}

#[test]
fn a_retry_without_a_cause_explains_no_end() {
    let retry = r#"{"type":"system","subtype":"retry","session_id":"s","data":{"reason":"retry","preserveText":false}}"#;
    let init =
        r#"{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.24.4"}"#;
    assert_eq!(sessions(&[init, retry]).outcome(), Outcome::Truncated);
}

#[test]
fn of_a_session_that_nobody_follows_no_call_is_open() {
    let mut all = Sessions::new(Kept::Text);
    let mut reader = RecordReader::default();
    for number in 0..4 * FOLLOWED {
        let records = [&*INIT.replace("one", &number.to_string()), CALL];
        read(&mut reader, records, &mut folding(&mut all));
    }
    let open = |session: &Session| session.tools.has_open_calls();
    let (gone, followed) = all.all().split_at(3 * FOLLOWED);
    assert!(!gone.iter().any(open) && followed.iter().all(open));
    let calls = |session: &Session| session.tools.sum().calls;
    assert_eq!(
        all.all().iter().map(calls).sum::<u64>(),
        4 * FOLLOWED as u64
    );
    // The last session is still followed.
    read(&mut reader, [WRITTEN], &mut folding(&mut all));
    assert_eq!(all.current().unwrap().tools.files().len(), 1);
}

#[test]
fn of_very_many_sessions_the_latest_and_the_worst_outcome_are_kept() {
    for (kept, most) in [(Kept::Text, REPORTED), (Kept::Nothing, FOLLOWED)] {
        let mut all = Sessions::new(kept);
        let mut reader = RecordReader::default();
        for number in 0..2 * most {
            let other = INIT.replace("one", &number.to_string());
            let end = if number == 0 { FAILURE } else { SUCCESS };
            let records = [INIT, SUCCESS, &other, end];
            read(&mut reader, records, &mut folding(&mut all));
        }
        assert_eq!(all.dropped + all.all().len(), 2 * most + 1);
        assert!(all.all().len() <= most && all.all().len() >= most / 2);
        assert_eq!(all.outcome(), Outcome::Failed);
        assert_eq!(all.current().unwrap().outcome(), Outcome::Success);
        // This session began before all others and is continued.
        assert_eq!(all.all()[0].id.as_ref().unwrap(), "one");
        assert_eq!(all.all()[0].turns(), Some(2 * most as u64));
    }
}

#[test]
fn of_a_long_message_the_beginning_is_kept() {
    let long = "é".repeat(super::MESSAGE_KEPT);
    let warning = WARNING.replace("Loop", &format!("x{long}"));
    let all = sessions(&[INIT, &warning]);
    let message = &all.current().unwrap().errors()[0].message;
    assert!(message.len() <= super::MESSAGE_KEPT + 3);
    assert!(message.as_str().unwrap().ends_with("é…"));
}

#[test]
fn each_session_id_is_a_session_and_a_later_prompt_a_turn() {
    let two = INIT.replace("one", "two");
    let all = sessions(&[
        INIT, PROMPT, DELTA, SUCCESS, PROMPT, DELTA, SUCCESS, &two, PROMPT, DELTA,
    ]);
    let turns: Vec<_> = all
        .all()
        .iter()
        .map(|session| session.turns().unwrap())
        .collect();
    assert_eq!(turns, [2, 1]);
    let text = all.all()[0].assistant_text().unwrap();
    assert_eq!(text, "Done.\nDone.");
    assert_eq!(all.all()[0].response().unwrap(), "Done.");
    assert_eq!(all.outcome(), Outcome::Truncated);
}

const QWEN: &str = r#"{"type":"system","subtype":"init","session_id":"q","model":"m","qwen_code_version":"0.24.4"}"#;

#[test]
fn a_record_of_an_unknown_type_begins_no_session() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"total_cost_usd":0,"session_id":"s","result":"a"}"#;
    let done = r#"{"type":"done","session_id":"another","ok":true}"#;
    let all = sessions(&[result, done]);
    assert_eq!(all.all().len(), 1);
    let session = all.current().unwrap();
    assert_eq!(
        (session.outcome(), session.unknown_records),
        (Outcome::Success, 1)
    );
    // A later record with that id can still begin a session.
    let next = result.replace(r#""s""#, r#""another""#);
    let all = sessions(&[result, done, &next]);
    let ids = all
        .all()
        .iter()
        .map(|session| session.id.as_ref().unwrap().to_string_lossy());
    assert_eq!(ids.collect::<Vec<_>>(), ["s", "another"]);
}

#[test]
fn a_session_is_one_whoever_its_first_records_seem_to_be_of() {
    // A record of Claude Code that Qwen Code might also write, after a record of Qwen Code.
    let note = r#"{"type":"system","subtype":"status","status":"requesting","session_id":"c"}"#;
    let init = r#"{"type":"system","subtype":"init","session_id":"c","model":"m","claude_code_version":"2.1.330"}"#;
    let message = r#"{"type":"assistant","session_id":"c","message":{"id":"1","model":"m","content":[{"type":"text","text":"Done."}]}}"#;
    let end = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"c","total_cost_usd":0}"#;
    let all = sessions(&[QWEN, note, init, message, end]);
    let agents = all.all().iter().map(|session| session.agent);
    assert_eq!(
        agents.collect::<Vec<_>>(),
        [Some(Agent::Qwen), Some(Agent::Claude)]
    );
    assert_eq!(all.all()[1].outcome(), Outcome::Success);
    assert_eq!(all.all()[1].response().unwrap(), "Done.");

    // Without the beginning of the stream, only the last record shows that the agent is Qwen Code.
    let message = r#"{"type":"assistant","session_id":"q","parent_tool_use_id":null,"message":{"id":"1","model":"m","content":[{"type":"text","text":"[API Error: 401 no]"}],"usage":{"input_tokens":0,"output_tokens":0}}}"#;
    let end = r#"{"type":"result","subtype":"error_during_execution","session_id":"q","is_error":true,"num_turns":1,"error":{"message":"[API Error: 401 no]"}}"#;
    let all = sessions(&[message, end]);
    assert_eq!(all.all().len(), 1);
    assert_eq!(all.all()[0].agent, Some(Agent::Qwen));
    assert_eq!(all.outcome(), Outcome::Auth);
}

#[test]
fn an_empty_id_is_none() {
    let init = r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330","model":"m"}"#;
    let end = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"","result":"Done."}"#;
    let all = sessions(&[init, end]);
    let reported = all
        .all()
        .iter()
        .map(|session| session.id.as_ref().unwrap().to_string_lossy());
    assert_eq!(reported.collect::<Vec<_>>(), ["s"]);
}

#[test]
fn two_agents_that_start_with_one_id_are_two_sessions() {
    let init = r#"{"type":"system","subtype":"init","session_id":"q","model":"m","claude_code_version":"2.1.330"}"#;
    let message = r#"{"type":"assistant","session_id":"q","message":{"id":"1","model":"m","content":[{"type":"text","text":"Done."}]}}"#;
    let all = sessions(&[QWEN, init, message, message]);
    let agents = all.all().iter().map(|session| session.agent);
    assert_eq!(
        agents.collect::<Vec<_>>(),
        [Some(Agent::Qwen), Some(Agent::Claude)]
    );
}

#[test]
fn a_start_without_an_id_is_that_of_another_run() {
    let model = r#"{"type":"session.tools_updated","data":{"model":"m"},"id":"e1","timestamp":"t","parentId":"e0"}"#;
    let message = r#"{"type":"assistant.message","data":{"messageId":"m","model":"m","content":"Done.","toolRequests":[]},"id":"e2","timestamp":"t","parentId":"e1"}"#;
    let end = r#"{"type":"result","timestamp":"t","sessionId":"one","exitCode":0,"usage":{"sessionDurationMs":5}}"#;
    let other = end.replace("one", "two");
    let all = sessions(&[model, message, end, model, message, &other]);
    let facts = all.all().iter().map(|session| {
        let id = session.id.as_ref().unwrap().to_string_lossy().into_owned();
        (id, session.outcome(), session.messages(), session.turns())
    });
    let one = |id: &str| (id.to_owned(), Outcome::Success, Some(1), Some(1));
    assert_eq!(facts.collect::<Vec<_>>(), [one("one"), one("two")]);
}

#[test]
fn a_run_that_failed_or_came_to_nothing_is_over_when_the_next_one_starts() {
    let start =
        r#"{"model":"m","workdir":"/w","provider":"p","approval":"never","sandbox":"read-only"}"#;
    let prompt = r#"{"prompt":"go"}"#;
    let error =
        r#"{"id":"0","msg":{"type":"error","message":"unexpected status 401 Unauthorized: no"}}"#;
    let message = r#"{"id":"0","msg":{"type":"agent_message","message":"Done."}}"#;
    let thread = r#"{"type":"thread.started","thread_id":"one"}"#;
    let turn = r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#;
    let outcomes = |records: &[&str]| {
        let all = sessions(records).into_all();
        all.iter().map(Session::outcome).collect::<Vec<_>>()
    };
    let (auth, success) = (Outcome::Auth, Outcome::Success);
    assert_eq!(
        outcomes(&[start, prompt, error, start, prompt, message]),
        [auth, success]
    );
    assert_eq!(
        outcomes(&[start, prompt, start, prompt, message]),
        [Outcome::Truncated, success]
    );
    assert_eq!(
        outcomes(&[thread, turn, start, prompt, message]),
        [success, success]
    );
    assert_eq!(
        outcomes(&[start, prompt, error, thread, turn]),
        [auth, success]
    );
    assert_eq!(
        outcomes(&[start, prompt, thread, turn]),
        [Outcome::Truncated, success]
    );
}

#[test]
fn an_agent_whose_next_record_is_lost_was_not_at_rest() {
    let start =
        r#"{"model":"m","workdir":"/w","provider":"p","approval":"never","sandbox":"read-only"}"#;
    let message = r#"{"id":"0","msg":{"type":"agent_message","message":"I look."}}"#;
    for lose in [Sessions::note_cut, Sessions::note_broken] {
        let mut all = sessions(&[start, message]);
        assert_eq!(all.outcome(), Outcome::Success);
        lose(&mut all);
        assert_eq!(all.outcome(), Outcome::Truncated);
    }
}

#[test]
fn a_broken_record_among_good_ones_ends_nothing() {
    let message = r#"{"id":"0","msg":{"type":"agent_message","message":"Done."}}"#;
    let tokens = r#"{"id":"0","msg":{"type":"token_count","info":null}}"#;
    let mut all = sessions(&[message]);
    all.note_broken();
    read(
        &mut RecordReader::default(),
        [tokens],
        &mut folding(&mut all),
    );
    assert_eq!(all.outcome(), Outcome::Success);
}

#[test]
fn sessions_that_take_turns_are_all_followed() {
    let two = INIT.replace("one", "two");
    let mut records = vec![INIT, CALL];
    records.extend([&*two, INIT].repeat(2 * FOLLOWED));
    records.push(WRITTEN);
    let all = sessions(&records);
    assert_eq!(all.current().unwrap().tools.sum().success, 1);
}

#[test]
fn a_session_whose_beginning_is_lost_is_none_that_goes_on() {
    let says = |id: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"{id}","message":{{"id":"1","model":"m","content":[{{"type":"text","text":"{id}"}}]}}}}"#
        )
    };
    let init = r#"{"type":"system","subtype":"init","session_id":"one","claude_code_version":"2"}"#;
    let all = sessions(&[init, &says("one"), &says("two")]);
    let texts = all.all().iter().map(|one| one.assistant_text().unwrap());
    let texts: Vec<_> = texts
        .map(|text| text.to_string_lossy().into_owned())
        .collect();
    assert_eq!(texts, ["one", "two"]);
}

#[test]
fn calls_of_one_id_have_a_result_each() {
    let [second, third] =
        ["y", "z"].map(|content| CALL.replace("\"x\"", &format!("\"{content}\"")));
    let all = sessions(&[
        INIT, PROMPT, CALL, &second, &third, CALL, WRITTEN, DENIED, SUCCESS,
    ]);
    let sum = all.current().unwrap().tools.sum();
    assert_eq!((sum.calls, sum.success, sum.denied), (3, 1, 1));
    assert_eq!(all.current().unwrap().tools.files().len(), 1);
}
