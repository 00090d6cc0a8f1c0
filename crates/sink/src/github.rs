//! Writes sessions for GitHub's runner: as annotations, and as values for `$GITHUB_OUTPUT`.
//!
//! Both are commands to the runner that contain text from the input, and this text must not be able to form another
//! command. Annotations escape it as the runner's own toolkit does; outputs are put between delimiters that cannot be
//! guessed.

use crate::report;
use crate::sanitize::sanitize;
use jsift_agents::fact::Problem;
use jsift_agents::session::{NoSession, Session, Tools};
use jsift_json::view::Value;

/// The keys that `--github-output` takes: those of a summary, then those of its usage.
pub const OUTPUT_KEYS: &str = "outcome failed_on agent agent_version session_id prefix model response \
    structured_output assistant_text messages turns usage models tools background_tasks files errors duration_ms noise \
    unknown_records input_tokens cached_tokens output_tokens reasoning_tokens total_tokens requests cost_usd";

/// The maximum length of a message in an annotation, in bytes; GitHub cuts it at 4 KiB.
const MESSAGE: usize = 2000;

/// Writes an annotation for each error of a session: fatal ones as errors, others as warnings.
///
/// A session that failed without an error gets an annotation that says how it ended. `source` is the name of its file
/// if there are several.
pub fn annotations(session: &Session, structural: bool, source: Option<&str>, out: &mut Vec<u8>) {
    let agent = in_source(session.agent_name(), source);
    for problem in session.errors() {
        let command = if problem.fatal { "error" } else { "warning" };
        let title = format!("{agent}: {}", report::error(problem));
        annotation(command, &title, &message(problem, structural), out);
    }
    let outcome = report::outcome(session);
    if let Some(reason) = report::reason(session, structural)
        && session.fatal_error().is_none()
    {
        let (reason, _) = crate::split_at_most(&reason, MESSAGE);
        annotation("error", &format!("{agent}: {outcome}"), reason, out);
    }
    if session.is_doubtful() {
        let calls = session.tools().map(Tools::sum).map(report::calls);
        let title = format!("{agent}: no tool call succeeded");
        annotation("warning", &title, &calls.unwrap_or_default(), out);
    }
}

/// Writes an annotation of how a source without any session ended.
pub fn no_session(end: NoSession, source: Option<&str>, out: &mut Vec<u8>) {
    let title = in_source(end.outcome.word(), source);
    annotation("error", &title, end.reason, out);
}

/// Returns a title after the name of its source, if there are several.
fn in_source(title: &str, source: Option<&str>) -> String {
    source.map_or_else(|| title.to_owned(), |source| format!("{source}: {title}"))
}

fn message(problem: &Problem<'_>, structural: bool) -> String {
    let message = report::message(problem, structural);
    let (message, rest) = crate::split_at_most(message.trim(), MESSAGE);
    match message {
        "" => problem.class.meaning().to_owned(),
        _ if rest.is_empty() => message.to_owned(),
        _ => format!("{message}…"),
    }
}

/// Writes one workflow command and a line feed.
fn annotation(command: &str, title: &str, message: &str, out: &mut Vec<u8>) {
    let title = escape(title).replace(':', "%3A").replace(',', "%2C");
    let message = escape(message);
    out.extend_from_slice(format!("::{command} title={title}::{message}\n").as_bytes());
}

/// Returns text that cannot end the command that contains it.
fn escape(text: &str) -> String {
    let text = sanitize(text, true, true);
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Writes members of a summary's JSON as `KEY<<DELIMITER` blocks. Unknown members are left out, as in JSON; objects and
/// arrays are compact JSON. `random` must be unpredictable to the author of the input.
pub fn outputs(summary: &[u8], keys: &[String], random: u128, out: &mut Vec<u8>) {
    let summary = Value::new(summary);
    for key in keys {
        let usage = || summary.get("usage").and_then(|usage| usage.get(key));
        if let Some(value) = summary.get(key).or_else(usage) {
            output(key, &plain(value), random, out);
        }
    }
}

/// Returns a value as a step reads it: a string without its quotes.
fn plain(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.to_string_lossy().into_owned(),
        None => String::from_utf8_lossy(&value.compact()).into_owned(),
    }
}

/// Writes one block.
fn output(key: &str, value: &str, random: u128, out: &mut Vec<u8>) {
    let mut random = random;
    let delimiter = loop {
        let delimiter = format!("jsift_{random:032x}");
        if !value.contains(&delimiter) {
            break delimiter;
        }
        random = random
            .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
            .wrapping_add(1);
    };
    out.extend_from_slice(format!("{key}<<{delimiter}\n{value}\n{delimiter}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ndjson::{self, SessionExtent};
    use jsift_agents::dialect::testing::sessions;

    fn text(out: Vec<u8>) -> String {
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_annotation_is_one_command_whatever_its_text_says() {
        let mut out = Vec::new();
        annotation(
            "error",
            "gemini: a,b::c",
            "100%\r\n::error::x\n##[error]y\u{202e}\x1b]52;c;QQ==\x07",
            &mut out,
        );
        assert_eq!(
            text(out),
            "::error title=gemini%3A a%2Cb%3A%3Ac::100%25%0D%0A: :error::x%0A# #[error]y\\u{202e}\\x1b]52;c;QQ==\\x07\n"
        );
    }

    #[test]
    fn errors_are_annotated_by_their_weight() {
        let failed = sessions([
            r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#,
            r#"{"type":"error","timestamp":"t","severity":"warning","message":"Loop detected, stopping execution"}"#,
            r#"{"type":"result","timestamp":"t","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns"},"stats":{}}"#,
        ]);
        let mut out = Vec::new();
        annotations(&failed.all()[0], false, None, &mut out);
        let out = text(out);
        let lines: Vec<&str> = out.lines().collect();
        assert!(
            lines[0].starts_with("::warning title=gemini%3A warning%3A "),
            "{out}"
        );
        assert!(
            lines[0].ends_with("::Loop detected, stopping execution"),
            "{out}"
        );
        assert_eq!(
            lines[1],
            "::error title=gemini%3A turns::Reached max session turns"
        );
        let mut out = Vec::new();
        annotations(&failed.all()[0], true, None, &mut out);
        assert!(!text(out).contains("Reached"));
    }

    #[test]
    fn an_output_cannot_end_its_own_block() {
        let forged = "a\njsift_00000000000000000000000000000007\nresult=forged";
        let mut out = Vec::new();
        output("response", forged, 7, &mut out);
        let out = text(out);
        let delimiter = out
            .lines()
            .next()
            .unwrap()
            .strip_prefix("response<<")
            .unwrap();
        assert!(!forged.contains(delimiter));
        assert!(out.ends_with(&format!("forged\n{delimiter}\n")), "{out}");
        assert_eq!(out.matches(delimiter).count(), 2);
    }

    #[test]
    fn outputs_are_members_of_the_summary() {
        let done = sessions([
            r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#,
            r#"{"type":"message","timestamp":"t","role":"assistant","content":"a\nb","delta":true}"#,
            r#"{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":9,"input_tokens":5,"output_tokens":3}}"#,
        ]);
        let keys = ["response", "total_tokens", "cost_usd", "files"].map(str::to_owned);
        let mut out = Vec::new();
        let mut summary = Vec::new();
        ndjson::session(&done.all()[0], SessionExtent::default(), &mut summary);
        outputs(&summary, &keys, 1, &mut out);
        let d = "jsift_00000000000000000000000000000001";
        assert_eq!(
            text(out),
            format!("response<<{d}\na\nb\n{d}\ntotal_tokens<<{d}\n9\n{d}\nfiles<<{d}\n[]\n{d}\n")
        );
    }

    #[test]
    fn every_member_of_a_summary_is_a_key() {
        let done = sessions([
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[],"claude_code_version":"2.1"}"#,
            r#"{"type":"assistant","session_id":"s","message":{"id":"1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"a","content":"b"}}]}}"#,
            r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}}"#,
            r#"{"type":"system","subtype":"task_started","session_id":"s","task_id":"b","tool_use_id":"t","description":"d","is_backgrounded":true,"task_type":"local_bash","uuid":"u"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","duration_ms":1,"num_turns":2,"result":"{}","structured_output":{"a":1},"usage":{"input_tokens":5,"output_tokens":3},"total_cost_usd":0.5}"#,
        ]);
        let mut summary = Vec::new();
        ndjson::session(&done.all()[0], SessionExtent::default(), &mut summary);
        let summary = Value::new(&summary);
        for key in ["structured_output", "background_tasks", "files"] {
            assert!(summary.get(key).is_some(), "{key}");
        }
        let usage = summary.get("usage").unwrap();
        for (name, value) in summary.members().chain(usage.members()) {
            let name = name.text().to_string_lossy().into_owned();
            assert!(OUTPUT_KEYS.split(' ').any(|key| key == name), "{name}");
            let (mut out, random) = (Vec::new(), 1);
            outputs(summary.raw(), &[name], random, &mut out);
            assert!(text(out).contains(&plain(value)));
        }
    }
}
