//! Whose records they are: records put together of what agents and other programs print, in any order.

use jsift::internal::dialect::reader::RecordReader;
use jsift::internal::event::Progress;
use jsift::internal::find::{FindOptions, Finder};
use jsift::internal::outcome::Outcome;
use jsift::internal::session::{Session, Sessions};
use jsift::internal::stream::{Follower, StatedRecord, Stream};

use super::{Choices, pieces};

/// What says what a record is.
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
/// What a record says.
const SAYS: [&str; 16] = [
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

/// Follows a stream and keeps the last words on its runs.
#[derive(Default)]
struct Follow {
    progress: Progress,
    complete: Option<String>,
    /// Some record is that of an agent with a name.
    named: bool,
}

impl Follower for Follow {
    fn record(&mut self, stated: StatedRecord<'_>) {
        let Self {
            progress,
            complete,
            named,
        } = self;
        *named |= stated.agent.is_some();
        progress.record(stated, &mut |event| {
            if event.done && event.phase == jsift::internal::event::Phase::Complete {
                *complete = event
                    .label
                    .map(|label| label.to_string_lossy().into_owned());
            }
        });
    }

    fn sessions(&mut self) -> &mut Sessions {
        self.progress.sessions()
    }
}

fn follow<F: Follower>(text: &[u8], cuts: &[usize], follower: F) -> F {
    let mut stream = Stream::new(RecordReader::new(), follower);
    let mut finder = Finder::new(FindOptions::default());
    for piece in pieces(text, cuts) {
        finder.push(piece, &mut stream);
    }
    finder.finish(&mut stream);
    stream.finish()
}

/// Whose the sessions are, how they ended and what they answer.
fn told(sessions: &Sessions) -> Vec<String> {
    let told = |session: &Session| {
        let agent = session
            .agent()
            .map_or("", jsift::internal::dialect::Agent::name);
        let answer = session.response().unwrap_or_default();
        format!("{agent} {} {}", session.outcome(), answer.to_string_lossy())
    };
    sessions.all().iter().map(told).collect()
}

/// Whatever the records are, cuts do not matter, `events` ends as `summary` does, and a failure that the last one states is no
/// success.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let fails = choices.below(FAILS.len() + 1);
    let records = (0..1 + choices.below(6)).map(|_| {
        let mut record = format!("{{{}", TYPES[choices.below(TYPES.len())]);
        for _ in 0..choices.below(5) {
            record = format!("{record},{}", SAYS[choices.below(SAYS.len())]);
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
    let sessions = follow(text.as_bytes(), &[], Sessions::new(true));
    let cut = follow(text.as_bytes(), &cuts, Sessions::new(true));
    assert_eq!(told(&cut), told(&sessions), "{text}cut at {cuts:?}");
    let mut followed = follow(text.as_bytes(), &[], Follow::default());
    let mut last = followed.complete.take();
    followed.progress.finish(&mut |event| {
        last = event
            .label
            .map(|label| label.to_string_lossy().into_owned());
    });
    let outcome = sessions
        .current()
        .map(|session| session.outcome().word().to_owned());
    if outcome.is_some() {
        assert_eq!(last, outcome, "{text}");
    }
    let stranger = sessions
        .current()
        .filter(|session| session.agent().is_none());
    // What is certainly another agent's takes the stream over: behind it a stranger's records are noise.
    if fails < FAILS.len()
        && ends
        && !followed.named
        && let Some(session) = stranger
    {
        assert_ne!(session.outcome(), Outcome::Success, "{text}");
    }
}
