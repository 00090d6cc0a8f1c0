//! The dialect of Amp, `amp -x --stream-json`, from its documentation (news/streaming-json and the appendix of the
//! manual); no recording was at hand.
//!
//! Messages have the outline of [`blocks`], "compatible with Claude Code". Peculiarities: session ids start with `T-`;
//! `init` names no model and no version; the prompt is echoed as the first `user` record; a message has no id, or in
//! newer versions one that several records of a response share; a result has no cost, and it has usage only since the
//! types of the SDK list it, which do not say what the usage covers. `--stream-json-thinking` adds blocks of thoughts.

use super::claude;
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Amp>("amp", SHAPES);

/// The shapes that distinguish its records from others with Claude Code's outline: sessions are threads.
const SHAPES: &[RecordShape] = &[
    certain("type=system|result subtype session_id^=T-"),
    certain("type=assistant|user message.content session_id^=T-"),
    fits("type=system subtype=init"),
    fits("type=assistant|user message.content"),
    fits("type=result subtype:string"),
    fits("type session_id^=T-"),
];

/// Reads Amp's records.
#[derive(Default)]
struct Amp {
    /// Whether a message stated its usage.
    counted: bool,
}

impl Dialect for Amp {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") if blocks::is_init(record) => out.push(Fact::Start(Start::default())),
            Some("assistant") => self.assistant(record, out),
            Some("user") => blocks::given(record, out, |block| blocks::result(block, |_| false)),
            Some("result") => {
                let usage = record.object("usage").filter(|_| !self.counted);
                out.extend(usage.map(|u| counts(&u, Scope::Turn)));
                result(record, out);
            }
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

impl Amp {
    fn assistant<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let message = record.inner("message");
        let id = message.text("id");
        let blocks = blocks::of(record);
        out.extend(blocks.filter_map(|block| blocks::said(&block, id.clone(), WRITERS)));
        if let Some(usage) = message.object("usage") {
            self.counted = true;
            out.push(counts(&usage, Scope::Request(id)));
        }
    }
}

fn counts<'a>(usage: &Object<'_>, scope: Scope<'a>) -> Fact<'a> {
    Fact::usage(scope, None, usual::tokens_apart(usage))
}

fn result<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.extend(record.u64("duration_ms").map(Fact::TurnTook));
    let failure = (!claude::is_success(record)).then(|| claude::failure(record));
    out.push(Fact::end(failure, record.text("result")));
}

/// The tools that write files.
const WRITERS: Writers = &[("create_file", Writer::File), ("edit_file", Writer::Old)];

#[cfg(test)]
mod tests {
    use crate::dialect::testing::session;
    use crate::fact::Operation;
    use jsift_outcome::Outcome;

    #[test]
    fn records_of_one_response_count_once() {
        let says = |id: &str, text: &str| {
            format!(
                r#"{{"type":"assistant","message":{{{id}"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":10,"output_tokens":3}}}},"session_id":"T-1"}}"#
            )
        };
        let result = r#"{"type":"result","subtype":"success","duration_ms":5,"is_error":false,"num_turns":1,"result":"b","session_id":"T-1","usage":{"input_tokens":7,"output_tokens":1}}"#;
        for (id, input) in [(r#""id":"m1","#, Some(10)), ("", Some(20))] {
            let session = session(&[&says(id, "a"), &says(id, "b"), result]);
            assert_eq!(session.usage().input, input);
            assert_eq!(session.response().unwrap(), "a\nb");
        }
        assert_eq!(session(&[result]).usage().input, Some(7));
    }

    #[test]
    fn the_subtype_tells_the_class_where_the_error_does_not() {
        let failed = |error: &str| {
            let record = r#"{"type":"result","subtype":"error_max_turns","duration_ms":5,"is_error":true,"num_turns":3,"error":"TEXT","session_id":"T-1"}"#;
            session(&[&record.replace("TEXT", error)]).outcome()
        };
        assert_eq!(failed("x"), Outcome::Turns);
        assert_eq!(failed("429 Too Many Requests"), Outcome::Quota);
    }

    #[test]
    fn an_edit_tells_its_lines() {
        let edit = r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"edit_file","input":{"path":"/a","old_str":"a\nb","new_str":"a\nc\nd"ALL}}]},"session_id":"T-1"}"#;
        let result = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok","is_error":false}]},"session_id":"T-1"}"#;
        for (all, added, removed) in [
            ("", Some(2), Some(1)),
            (r#","replace_all":true"#, None, None),
        ] {
            let session = session(&[&edit.replace("ALL", all), result]);
            let (_, file) = session.files().unwrap().files().iter().next().unwrap();
            assert_eq!(file.operation, Some(Operation::Update));
            assert_eq!((file.lines.added, file.lines.removed), (added, removed));
        }
    }
}
