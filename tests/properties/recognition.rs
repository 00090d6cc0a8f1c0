//! Whose records they are: records put together of what agents and other programs print, in any order.

use std::collections::HashMap;

use jsift_agents::event::{Event, Phase, Progress};
use jsift_agents::session::{Kept, Session, Sessions};
use jsift_agents::stream::{Follower, StatedRecord};
use jsift_outcome::Outcome;

use super::Choices;
use super::dialects::follow;

/// The members by which a record's kind is recognised.
const TYPES: [&str; 16] = [
    r#""type":"init""#,
    r#""type":"start""#,
    r#""type":"message""#,
    r#""type":"assistant""#,
    r#""type":"text-delta""#,
    r#""type":"tool_use""#,
    r#""type":"tool_result""#,
    r#""type":"result""#,
    r#""type":"error""#,
    r#""type":"turn.completed""#,
    r#""event":"agent_message""#,
    r#""event":"done""#,
    r#""kind":"run.finished""#,
    r#""method":"session/update""#,
    r#""level":"info""#,
    r#""object":"chat.completion.chunk""#,
];
/// The members with a record's content.
const CONTENTS: [&str; 16] = [
    r#""role":"assistant""#,
    r#""role":"user""#,
    r#""role":"system""#,
    r#""content":"hello""#,
    r#""content":[{"type":"text","text":"hello"}]"#,
    r#""text":"hello""#,
    r#""delta":"he""#,
    r#""message":{"role":"assistant","content":[{"type":"text","text":"hello"}]}"#,
    r#""response":"hello""#,
    r#""result":"hello""#,
    r#""status":"success""#,
    r#""subtype":"success""#,
    r#""stats":{"total_tokens":3}"#,
    r#""tool_id":"1""#,
    r#""tool_name":"ls""#,
    r#""session_id":"s""#,
];
/// What states a failure, in what ends a run.
const FAILS: [&str; 5] = [
    r#""is_error":true"#,
    r#""status":"failed""#,
    r#""error":{"message":"boom"}"#,
    r#""exit_code":1"#,
    r#""stopReason":"error""#,
];

/// The last word on each session, by its number.
#[derive(Default)]
struct LastWords(HashMap<u64, String>);

impl LastWords {
    fn add(&mut self, event: &Event<'_>) {
        if let (Phase::Complete, Some(label)) = (event.phase, event.label) {
            self.0
                .insert(event.session, label.to_string_lossy().into_owned());
        }
    }
}

/// Follows a stream and keeps the last words on its runs.
#[derive(Default)]
struct Follow {
    progress: Progress,
    words: LastWords,
    /// Some record is that of an agent with a name.
    named: bool,
}

impl Follower for Follow {
    fn record(&mut self, stated: StatedRecord<'_>) {
        let Self {
            progress,
            words,
            named,
        } = self;
        *named |= stated.agent.is_some();
        progress.record(stated, &mut |event: &Event<'_>| {
            words.add(event);
        });
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }
}

/// Whose the sessions are, how they ended and what they answer.
fn reported(sessions: &Sessions) -> Vec<String> {
    let reported = |session: &Session| {
        let agent = session.agent.map_or("", jsift_agents::dialect::Agent::name);
        let answer = session.response().unwrap_or_default();
        format!("{agent} {} {}", session.outcome(), answer.to_string_lossy())
    };
    sessions.all().iter().map(reported).collect()
}

/// Whatever the records are, cuts do not matter, `events` says of each session how it ends as `summary` does, and a
/// failure that the last one states is no success.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let fails = choices.below(FAILS.len() + 1);
    let records = (0..1 + choices.below(6)).map(|_| {
        let mut record = format!("{{{}", TYPES[choices.below(TYPES.len())]);
        for _ in 0..choices.below(5) {
            record = format!("{record},{}", CONTENTS[choices.below(CONTENTS.len())]);
        }
        record
    });
    let mut text: Vec<String> = records.collect();
    if let (Some(fails), Some(last)) = (FAILS.get(fails), text.last_mut()) {
        *last = format!("{last},{fails}");
    }
    let ends = text.last().is_some_and(|last| {
        let ends = [
            "{\"type\":\"result\"",
            "{\"event\":\"done\"",
            "{\"kind\":\"run.finished\"",
        ];
        ends.iter().any(|end| last.starts_with(end))
    });
    let text: String = text.iter().map(|record| format!("{record}}}\n")).collect();
    let (cuts, _) = choices.cuts();
    let sessions = follow(text.as_bytes(), &[], None, Sessions::new(Kept::Text));
    let cut = follow(text.as_bytes(), &cuts, None, Sessions::new(Kept::Text));
    assert_eq!(reported(&cut), reported(&sessions), "{text}cut at {cuts:?}");
    let Follow {
        mut progress,
        mut words,
        named,
    } = follow(text.as_bytes(), &[], None, Follow::default());
    progress.finish(&mut |event: &Event<'_>| words.add(event));
    let current = sessions.current().map(|session| session.number);
    for session in sessions.all() {
        // A session that neither ended nor goes on at the end of the stream has no last word.
        if session.has_ended() || Some(session.number) == current {
            let word = words.0.get(&session.number).map(String::as_str);
            assert_eq!(word, Some(session.outcome().word()), "{text}");
        }
    }
    let unknown = sessions.current().filter(|session| session.agent.is_none());
    // What is certainly another agent's takes the stream over: after it an unknown agent's records are noise.
    if fails < FAILS.len()
        && ends
        && !named
        && let Some(session) = unknown
    {
        assert_ne!(session.outcome(), Outcome::Success, "{text}");
    }
}
