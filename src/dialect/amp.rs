//! The dialect of Amp, `amp -x --stream-json`, from its documentation (news/streaming-json and the appendix of the manual);
//! no recording was at hand.
//!
//! The outline is that of [`blocks`], "compatible with Claude Code". Peculiar to it: session ids begin with `T-`; `init`
//! names no model and no version; the prompt is echoed as the first `user` record; messages have no id; a result has neither
//! usage nor cost. `--stream-json-thinking` adds blocks of thoughts.

use super::{Dialect, Entry, Strength, blocks, claude, lines};
use crate::fact::{
    Duration, End, Fact, Operation, Problem, Scope, Start, Statement, Usage, User, Write,
};
use crate::json::text::Text;
use crate::json::view::{Name, Object, Value};

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "amp",
    recognise,
    is_possible,
    names: &[Name::new("session_id")],
    marks: &[Name::new("session_id")],
    dialect: || Box::new(Amp),
};

/// What all session ids begin with: sessions are threads.
const THREAD: &str = "T-";

fn is_possible(record: &Object<'_>) -> bool {
    let thread = record
        .text("session_id")
        .is_some_and(|id| id.starts_with(&Text::from(THREAD)));
    thread && blocks::is_possible(record)
}

fn recognise(record: &Object<'_>) -> Strength {
    if !is_possible(record) {
        return Strength::No;
    }
    match blocks::recognise(record) {
        Strength::Likely => Strength::Certain,
        other => other,
    }
}

/// Reads Amp's records. Each stands for itself.
struct Amp;

impl Dialect for Amp {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        blocks::frame(record, out);
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("system") if blocks::is_init(record) => {
                out.push(Fact::Start(Start::default()));
            }
            Some("assistant") => assistant(record, out),
            Some("user") => user(record, out),
            Some("result") => result(record, out),
            _ => out.push(Fact::unknown(kind)),
        }
    }
}

fn assistant<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    for block in blocks::of(record) {
        match block.text("type").as_ref().and_then(Text::as_str) {
            Some("text") => {
                let text = block.text("text").unwrap_or_default();
                out.push(Fact::Message(blocks::whole(None, text)));
            }
            Some("thinking") => {
                let text = block.text("thinking").unwrap_or_default();
                out.push(Fact::Reasoning(blocks::whole(None, text)));
            }
            Some("tool_use") => out.push(Fact::Call(blocks::call(&block, write))),
            _ => {}
        }
    }
    let usage = record
        .object("message")
        .and_then(|message| message.object("usage"));
    out.facts.extend(usage.map(|usage| {
        Fact::Usage(Usage {
            scope: Scope::Request(None),
            model: None,
            tokens: claude::tokens(&usage).with_total(),
        })
    }));
}

fn user<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let prompt = out.parent.is_none();
    for block in blocks::of(record) {
        match block.text("type").as_ref().and_then(Text::as_str) {
            Some("text") => out.push(Fact::User(User {
                text: block.text("text").unwrap_or_default(),
                prompt,
            })),
            Some("tool_result") => out.push(Fact::Result(blocks::result(&block, |_| false))),
            _ => {}
        }
    }
}

fn result<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let ms = record.u64("duration_ms");
    out.facts
        .extend(ms.map(|ms| Fact::Duration(Duration { ms, turn: true })));
    let success = claude::is_success(record);
    let message = record
        .text("error")
        .or_else(|| record.text("result"))
        .or_else(|| record.text("subtype"))
        .unwrap_or_default();
    out.push(Fact::End(End {
        success,
        error: (!success).then(|| Problem {
            class: claude::class_of(&message, record, None),
            message,
            code: None,
            fatal: true,
        }),
        text: success.then(|| record.text("result")).flatten(),
    }));
}

/// The file that a call writes, as its parameters say.
fn write<'a>(tool: &str, input: &Object<'a>) -> Option<Write<'a>> {
    let path = input.text("path")?;
    let (operation, lines) = match tool {
        "create_file" => (None, None),
        "edit_file" => {
            let (old, new) = (input.text("old_str")?, input.text("new_str")?);
            let all = input.get("replace_all").and_then(Value::as_bool) == Some(true);
            let lines = (!all).then(|| lines::replaced(&old, &new));
            (Some(Operation::Update), lines)
        }
        _ => return None,
    };
    Some(Write {
        path,
        operation,
        lines_added: lines.map(|(added, _)| added),
        lines_removed: lines.map(|(_, removed)| removed),
    })
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::session;
    use crate::outcome::Outcome;

    #[test]
    fn the_subtype_tells_the_class_where_the_error_does_not() {
        let failed = |error: &str| {
            let record = r#"{"type":"result","subtype":"error_max_turns","duration_ms":5,"is_error":true,"num_turns":3,"error":"TEXT","session_id":"T-1"}"#;
            session(&[&record.replace("TEXT", error)]).outcome()
        };
        assert_eq!(failed("x"), Outcome::Turns);
        assert_eq!(failed("429 Too Many Requests"), Outcome::Quota);
    }
}
