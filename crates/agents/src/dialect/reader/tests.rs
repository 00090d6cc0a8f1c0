use super::held::HELD_RECORDS;
use super::{FoundRecord, RecordReader, Records, StatedRecord, Taken};
use crate::dialect::Agent;
use jsift_find::document::Rank;
use jsift_json::view::Value;

#[derive(Default)]
struct Seen {
    reported: Vec<(Option<Agent>, u64)>,
    noise: Vec<u64>,
}

impl Records for Seen {
    fn record(&mut self, stated: StatedRecord<'_>) {
        self.reported.push((stated.agent, (stated.line)()));
    }

    fn unclaimed(&mut self, line: u64, _: &[u8]) {
        self.noise.push(line);
    }
}

const USER: &str = r#"{"type":"message","role":"user","content":"hi"}"#;
const SAYS: &str = r#"{"type":"message","role":"assistant","content":"hello"}"#;
const ERROR: &str = r#"{"error":{"type":"Error","message":"401 no","code":1}}"#;
const LOG: &str = r#"{"type":"request","url":"/"}"#;
const START: &str = r#"{"type":"start","url":"/"}"#;

fn read(lines: &[&str]) -> (Seen, Vec<Taken>) {
    let (mut seen, mut reader) = (Seen::default(), RecordReader::default());
    let mut taken = Vec::new();
    for (number, text) in (1..).zip(lines) {
        let found = FoundRecord {
            line: &|| number,
            rank: Rank::Whole,
            event: None,
        };
        taken.push(reader.read(Value::new(text.as_bytes()), found, &mut seen));
    }
    reader.finish(true, &mut seen);
    (seen, taken)
}

#[test]
fn a_record_in_doubt_is_reported_in_its_place_once_another_decides() {
    let (seen, taken) = read(&[USER, START, LOG, SAYS]);
    use Taken::{Held, Reported, Unclaimed};
    assert_eq!(taken, [Held, Held, Unclaimed, Reported]);
    let gemini = Some(Agent::Gemini);
    assert_eq!(seen.reported, [(gemini, 1), (gemini, 4)]);
    assert_eq!(seen.noise, [2]);
    // Alone the record is noise, and so is its repetition.
    let (seen, _) = read(&[USER, START, USER]);
    assert_eq!((seen.reported.len(), seen.noise), (0, vec![1, 2, 3]));
}

#[test]
fn records_that_are_held_are_bounded() {
    let mut lines = vec![START; 10 * HELD_RECORDS];
    lines.insert(0, USER);
    let (seen, taken) = read(&lines);
    assert!(taken.iter().all(|taken| *taken == Taken::Held));
    assert_eq!(seen.noise, (1..=lines.len() as u64).collect::<Vec<_>>());
    // The evidence of records that were given up is forgotten.
    lines.push(r#"{"type":"result","status":"success"}"#);
    assert_eq!(read(&lines).0.reported.len(), 0);
    let large = format!(r#"{{"type":"start","text":"{}"}}"#, "x".repeat(600 << 10));
    let (seen, _) = read(&[USER, &large, &large, SAYS]);
    assert_eq!(seen.reported, [(Some(Agent::Gemini), 4)]);
}

#[test]
fn what_two_agents_print_alike_is_the_first_ones_unless_the_next_record_tells() {
    assert_eq!(read(&[ERROR]).0.reported, [(Some(Agent::Gemini), 1)]);
    let qwen = r#"{"type":"system","subtype":"init","qwen_code_version":"1"}"#;
    let (seen, taken) = read(&[ERROR, qwen]);
    assert_eq!(taken, [Taken::Held, Taken::Reported]);
    // Qwen Code repeats the error.
    assert_eq!(
        (seen.reported, seen.noise),
        (vec![(Some(Agent::Qwen), 2)], vec![1])
    );
    assert_eq!(read(&[ERROR, ERROR]).1, [Taken::Held, Taken::Reported]);
}

#[test]
fn what_is_decided_stays_until_another_agent_certainly_writes() {
    let kimi = r#"{"role":"assistant","content":"hello"}"#;
    let codex = r#"{"type":"thread.started","thread_id":"t"}"#;
    let end = r#"{"type":"result","status":"success"}"#;
    let agents = |lines: &[&str]| {
        let reported = read(lines).0.reported;
        reported
            .into_iter()
            .filter_map(|(agent, _)| agent)
            .collect::<Vec<_>>()
    };
    use Agent::{Codex, Gemini, Kimi, Opencode};
    assert_eq!(agents(&[SAYS, kimi]), [Gemini]);
    assert_eq!(agents(&[SAYS, codex]), [Gemini, Codex]);
    assert_eq!(agents(&[SAYS, end, kimi]), [Gemini, Gemini, Kimi]);
    // Who was never certain takes nothing back.
    let opencode = r#"{"type":"step_start","sessionID":"ses_1","part":{}}"#;
    let either = r#"{"type":"message","role":"assistant","content":"hello","sessionID":"1"}"#;
    assert_eq!(
        agents(&[SAYS, opencode, either]),
        [Gemini, Opencode, Opencode]
    );
}

#[test]
fn what_the_user_says_stays_and_what_was_detected_is_forgotten_in_another_stream() {
    let init = r#"[{"type":"init","timestamp":"t","session_id":"g","model":"m"}]"#;
    let read = |reader: &mut RecordReader| {
        let init = Value::new(init.as_bytes());
        reader.read(init, FoundRecord::ALONE, &mut Seen::default())
    };
    let (mut detecting, mut believing) = (RecordReader::default(), RecordReader::of(Agent::Kimi));
    assert_eq!(read(&mut detecting), Taken::Reported);
    assert_eq!(read(&mut believing), Taken::Unclaimed);
    assert!(detecting.has_agent() && !detecting.afresh().has_agent());
    assert!(believing.afresh().has_agent());
}
