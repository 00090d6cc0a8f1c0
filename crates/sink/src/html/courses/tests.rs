use super::*;
use crate::html::course::{CourseStep, DEPTH, StepKind};
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::event::Status;
use jsift_agents::session::{Kept, Sessions};
use jsift_agents::stream::{Follower, StatedRecord, Stream};
use jsift_find::finder::FindOptions;

/// Follows a stream in the way that the page's writer does.
struct Fold {
    progress: Progress,
    courses: Courses,
}

impl Follower for Fold {
    fn record(&mut self, stated: StatedRecord<'_>) {
        self.courses.record(&mut self.progress, stated);
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }
}

fn follow(records: &str, most: usize) -> Fold {
    let fold = Fold {
        progress: Progress::with(Sessions::new(Kept::Responses)),
        courses: Courses::new(most, false),
    };
    let mut stream = Stream::new(RecordReader::default(), fold);
    jsift_find::reading::read(records.as_bytes(), FindOptions::default(), &mut stream).unwrap();
    stream.finish()
}

/// Returns the courses of the sessions of a stream.
fn courses(records: &str, most: usize) -> Vec<Course> {
    let mut fold = follow(records, most);
    let sessions = std::mem::take(&mut fold.progress.sessions).into_all();
    sessions
        .iter()
        .map(|session| fold.courses.take(session))
        .collect()
}

/// Returns each step in a few words; the steps of a subagent come after those of their call.
fn reported(course: &Course) -> Vec<String> {
    let word = |step: &CourseStep| match &step.what {
        StepKind::Init(model) => format!("init {model}"),
        StepKind::Prompt => format!("prompt {}", step.text.beginning()),
        StepKind::Message(false) => format!("said {}", step.text.beginning()),
        StepKind::Message(true) => format!("withdrawn {}", step.text.beginning()),
        StepKind::Thought => format!("thought {}", step.text.beginning()),
        StepKind::Call(call) => {
            let status = call.status.map_or("open", Status::word);
            format!(
                "{} {} {status} {}",
                call.name,
                call.argument,
                call.output.beginning()
            )
        }
        StepKind::Todos(list) => format!("todos {}", list.len()),
        StepKind::Problem { class, .. } => format!("problem {class}"),
        StepKind::Complete { outcome, .. } => format!("complete {outcome}"),
    };
    let depth = |step: &CourseStep| "> ".repeat(step.depth.into());
    let steps = course.steps.iter();
    steps
        .map(|step| depth(step) + word(step).trim_end())
        .collect()
}

const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"claude_code_version":"2"}"#;

/// Returns a delta record of claude.
fn delta(id: &str, text: &str) -> String {
    format!(
        r#"{{"type":"stream_event","session_id":"s","api_message_id":"{id}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
    )
}

fn recording(name: &str) -> String {
    std::fs::read_to_string(format!(
        "{}/../../tests/recordings/{name}/stream",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn steps_come_in_their_order_with_their_results() {
    let [course] = courses(&recording("claude-2.1.330/multi"), 1 << 20)
        .try_into()
        .unwrap();
    let reported = reported(&course);
    assert_eq!(
        reported[..6],
        [
            "init claude-opus-5-5",
            "thought I should write two files at once.",
            "said Starting.",
            "Write one.txt success File created successfully at: /home/user/project/one.txt (file state is current in your context — no need to Read it back)",
            "Write sub/two.txt success File created successfully at: /home/user/project/sub/two.txt (file state is current in your context — no need to Read it back)",
            "Bash sleep 0.3; ls -R success .:\none.txt\nsub\n\n./sub:\ntwo.txt",
        ]
    );
    assert!(course.is_timed());
    assert_eq!(reported.last().unwrap(), "complete success");
}

#[test]
fn what_a_subagent_does_belongs_to_its_call_whenever_it_comes() {
    let [course] = courses(&recording("claude-2.1.330/subagent"), 1 << 20)
        .try_into()
        .unwrap();
    let reported = reported(&course);
    let inside: Vec<&str> = reported
        .iter()
        .filter_map(|step| step.strip_prefix("> "))
        .collect();
    assert_eq!(inside.len(), 3, "{reported:?}");
    assert_eq!(inside[0], "said Sub starting.");
    assert_eq!(inside[2], "said Sub report: wrote from_sub.txt");
    let call = course
        .steps
        .iter()
        .position(|step| matches!(&step.what, StepKind::Call(call) if call.name == "Agent"));
    assert!(
        course
            .steps
            .iter()
            .filter(|step| step.depth == 1)
            .all(|step| step.parent == call)
    );
}

#[test]
fn deltas_make_one_text_and_another_message_another() {
    let records = [
        INIT.to_owned(),
        delta("1", "On"),
        delta("1", "e \\ud83d"),
        delta("1", "\\ude00"),
        r#"{"type":"assistant","session_id":"s","message":{"id":"1","model":"m","content":[{"type":"text","text":"One 😀"}]}}"#.to_owned(),
        delta("2", "Tw"),
        delta("2", "o"),
        delta("3", "Three"),
    ];
    let [course] = courses(&records.join("\n"), 1 << 20).try_into().unwrap();
    assert_eq!(
        reported(&course),
        ["init", "said One 😀", "said Two", "said Three"]
    );
    assert!(!course.is_timed());
}

#[test]
fn many_records_take_no_more_than_they_may() {
    let calls = if cfg!(feature = "slow") { 5000 } else { 500 };
    let call = |number: usize| {
        let output = "x".repeat(number % 5000);
        format!(
            r#"{{"type":"tool_use","timestamp":"2026-01-01T00:00:00Z","tool_name":"t","tool_id":"{number}","parameters":{{"a":"b"}}}}
{{"type":"tool_result","timestamp":"2026-01-01T00:00:00Z","tool_id":"{number}","status":"success","output":"{output}"}}
"#
        )
    };
    let init = r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"s","model":"m"}"#;
    let records: String = std::iter::once(format!("{init}\n"))
        .chain((0..calls).map(call))
        .collect();
    for most in [10_000, 100_000, 1_000_000, 100_000_000] {
        let [course] = courses(&records, most).try_into().unwrap();
        assert!(course.weight() <= most, "{} of {most}", course.weight());
        assert!(course.weight() > most / 8 || course.left_out.is_none());
        let left_out = course.left_out.map_or(0, |(_, count)| count);
        assert_eq!(course.steps.len() + left_out, calls + 1);
        let reported = reported(&course);
        assert_eq!(reported[0], "init m");
        assert!(reported.last().unwrap().starts_with("t b success xxx"));
    }
}

#[test]
fn a_thread_of_threads_without_end_is_flat_at_last() {
    let mut records = vec![INIT.to_owned()];
    for number in 0..1000 {
        let parent = if number == 0 {
            "null".to_owned()
        } else {
            format!("\"t{}\"", number - 1)
        };
        records.push(format!(
            r#"{{"type":"assistant","session_id":"s","parent_tool_use_id":{parent},"message":{{"id":"m{number}","model":"m","content":[{{"type":"tool_use","id":"t{number}","name":"Agent","input":{{}}}}]}}}}"#
        ));
    }
    let [course] = courses(&records.join("\n"), 1 << 20).try_into().unwrap();
    assert_eq!(course.steps.len(), 1001);
    let deepest = course.steps.iter().map(|step| step.depth).max();
    assert_eq!(deepest, Some(DEPTH));
}

#[test]
fn what_is_taken_back_is_reported_as_such() {
    let whole = |id: &str, text: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"id":"{id}","model":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let records = [
        INIT.to_owned(),
        whole("1", "No."),
        r#"{"type":"system","subtype":"model_refusal_fallback","session_id":"s","retracted_message_uuids":["u"]}"#.to_owned(),
        r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"2","model":"m"}}}"#.to_owned(),
        delta("2", "Half"),
        whole("3", "All of it."),
    ];
    let [course] = courses(&records.join("\n"), 1 << 20).try_into().unwrap();
    assert_eq!(
        reported(&course)[1..],
        ["withdrawn No.", "withdrawn Half", "said All of it."]
    );
}

#[test]
fn a_message_that_is_stated_again_is_replaced_in_its_place() {
    let said = |id: &str, text: &str| {
        format!(
            r#"{{"type":"item.completed","item":{{"id":"{id}","type":"agent_message","text":"{text}"}}}}"#
        )
    };
    let records = [
        r#"{"type":"thread.started","thread_id":"t"}"#.to_owned(),
        said("item_0", "On"),
        said("item_1", "Two."),
        said("item_0", "One."),
        said("item_0", "One."),
    ];
    let [course] = courses(&records.join("\n"), 1 << 20).try_into().unwrap();
    assert_eq!(reported(&course), ["init", "said One.", "said Two."]);
}
