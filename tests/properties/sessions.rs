//! Files that agents keep on disk: whatever stands after their first records.

use serde_json::Value;

use super::run::given;
use super::{Choices, is_json, shown};

/// One file of each agent, and of some a second one with other records.
const FILES: [&[u8]; 12] = [
    include_bytes!("../recordings/claude-2.1.330/disk_shellfail/stream"),
    include_bytes!("../recordings/claude-2.1.330/disk_err429/stream"),
    include_bytes!("../recordings/cline-3.0.65/disk_write/stream"),
    include_bytes!("../recordings/codex-0.169.0/disk_err401/stream"),
    include_bytes!("../recordings/codex-0.169.0/disk_sigterm/stream"),
    include_bytes!("../recordings/copilot-1.0.102/disk_shellfail/stream"),
    include_bytes!("../recordings/droid-0.225.2/disk_write/stream"),
    include_bytes!("../recordings/gemini-0.61.0/disk_shellfail/stream"),
    include_bytes!("../recordings/kimi-1.49.0/disk_shellfail/stream"),
    include_bytes!("../recordings/kimi-2.1.0/disk_err401/stream"),
    include_bytes!("../recordings/pi-0.74.2/disk_write/stream"),
    include_bytes!("../recordings/qwen-0.24.4/disk_maxtok/stream"),
];
/// The code of a run that succeeded, and those of one whose answer holds JSON that is broken or cut, or none.
const SUCCESS: u8 = 0;
const OF_ANSWER: [u8; 3] = [3, 4, 5];

/// The JSON lines that a command prints of a source, and its code. `None` if this build does not know the command, or
/// if a lone surrogate stands in them, which no value holds.
fn reported(args: &[&str], source: &[u8]) -> Option<(Vec<Value>, u8)> {
    let (results, _, code) = given(args, source)?;
    let lines = results.lines().map(|line| {
        assert!(is_json(line.as_bytes()), "{line} of {}", shown(source));
        serde_json::from_str(line).ok()
    });
    Some((lines.collect::<Option<_>>()?, code))
}

/// The three commands agree on a file: whose it is, how it ended, and their codes.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let file = FILES[choices.below(FILES.len())];
    let lines = file.split_inclusive(|&byte| byte == b'\n');
    let kept = choices.below(lines.clone().count() + 1);
    let mut source = lines.take(kept).collect::<Vec<_>>().concat();
    source.extend_from_slice(choices.0);
    let (Some((sessions, code)), Some((events, code_of_events)), Some((.., code_of_payload))) = (
        reported(&["summary", "--format", "json"], &source),
        reported(&["events", "--format", "ndjson"], &source),
        reported(&["extract", "--payload", "-c"], &source),
    ) else {
        return;
    };
    // Of several sessions the worst gives the code of the one command, and the last that of the others. Without an
    // agent the source may be any text, of which `extract` takes what JSON it finds.
    let ([session], true) = (
        &*sessions,
        sessions.iter().all(|one| one.get("agent").is_some()),
    ) else {
        return;
    };
    let mut ends = events.iter().rev();
    let end = ends.find(|event| event.get("phase") == Some(&Value::from("complete")));
    let reported = |name| end.and_then(|end| end.get(name));
    assert_eq!(
        session.get("agent"),
        reported("agent"),
        "{}",
        shown(&source)
    );
    assert_eq!(
        session.get("outcome"),
        reported("label"),
        "{}",
        shown(&source)
    );
    assert_eq!(code, code_of_events, "{}", shown(&source));
    assert!(
        code == code_of_payload || (code == SUCCESS && OF_ANSWER.contains(&code_of_payload)),
        "{code} and {code_of_payload} of {}",
        shown(&source)
    );
}
