//! Session files of Cline, `~/.cline/data/sessions/ID/ID.messages.json` (seen in 3.0.65): one object with all messages,
//! whose contents are blocks in the form of the Anthropic API. The agent's failure is a message for display.

use crate::dialect::prelude::*;
use jsift_json::is_json;

/// The tag around a prompt; the agent's own texts to the model have none.
const INPUT: &str = "<user_input";

/// States the facts of the file.
pub(super) fn facts<'a>(file: &Object<'a>, out: &mut Statement<'a>) {
    out.session = file.text("sessionId");
    out.push(usual::start(&file.inner("origin"), "version"));
    for message in file.objects("messages") {
        self::message(&message, out);
    }
}

fn message<'a>(message: &Object<'a>, out: &mut Statement<'a>) {
    let is_model = message.is("role", "assistant");
    let model = message.inner("modelInfo").text("id");
    out.extend(model.clone().map(Fact::Model));
    if message.inner("metadata").is("displayRole", "error") {
        let text = usual::text_in(message, "content").unwrap_or_default();
        return out.push(Fact::Error(usual::problem(text, None)));
    }
    for block in message.objects("content") {
        match block.word("type").as_deref() {
            Some(b"text") if !is_model => {
                let text = block.text("text").unwrap_or_default();
                out.push(Fact::given(text.starts_with(INPUT), text));
            }
            Some(b"reasoning") => {
                let text = names!("thinking text").text(&block).unwrap_or_default();
                out.push(Fact::thought(text));
            }
            Some(b"tool_result") => out.push(Fact::Result(result(&block))),
            _ => out.extend(blocks::said(&block, None, WRITERS)),
        }
    }
    if let Some(counts) = message.object("metrics") {
        let mut tokens = usual::tokens(&counts);
        tokens.cost_usd = counts.get("cost").and_then(Value::as_f64);
        out.push(Fact::usage(Scope::Request(None), model, tokens));
    }
    if is_model && blocks::ends_with_text(message) {
        out.push(Fact::Rest);
    }
}

/// Returns the result of a call: an object or a list of objects, each of which says whether it succeeded, or the same
/// as JSON in a string.
fn result<'a>(block: &Object<'a>) -> ToolResult<'a> {
    let denied = |text: &str| text.contains("denied") || text.contains("rejected");
    let mut result = blocks::result(block, denied);
    let text = result.output.clone().unwrap_or_default();
    let reported = match is_json(text.as_bytes()) {
        true => Some(Value::new(text.as_bytes())),
        false => block.get("content"),
    };
    let each = reported.into_iter().flat_map(Value::elements);
    let all = reported.into_iter().chain(each).filter_map(Object::new);
    let all: Vec<_> = all.collect();
    let text = |name| {
        all.iter()
            .find_map(|one| Some(one.text(name)?.into_owned()))
    };
    let failed = |one: &Object<'_>| one.get("success").and_then(Value::as_bool) == Some(false);
    if let Some(said) = text("result") {
        let created = said.starts_with("File created successfully");
        let created = created.then(|| blocks::written(Operation::Create));
        result.writes = created.into_iter().collect();
        result.output = Some(said);
    }
    if all.iter().any(failed) {
        result.status = ToolStatus::Error;
        result.error = text("error");
    }
    result
}

/// The tools that write files.
const WRITERS: Writers = &[
    ("editor", Writer::By(replaced)),
    ("write_to_file", Writer::By(replaced)),
    ("replace_in_file", Writer::By(replaced)),
];

fn replaced<'a>(path: Text<'a>, input: &Object<'a>) -> Option<Write<'a>> {
    let new = names!("new_text content").text(input);
    let old = input.text("old_text").unwrap_or_default();
    let lines = new.map(|new| lines::replaced(&old, &new));
    Some(Write::new(path, Some(Operation::Update), lines))
}
