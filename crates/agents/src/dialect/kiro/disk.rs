//! Session files of Kiro's CLI, `~/.kiro/sessions/cli/ID.jsonl`, from files that others published; none was at hand.
//!
//! `{"version","kind","data":{"message_id","content"}}`: `Prompt`, `AssistantMessage` and `ToolResults`, with blocks
//! `{"kind","data"}`. The last message shows how a turn ended.

use crate::dialect::prelude::*;

/// States the facts of a record of a file.
pub(super) fn facts<'a>(kind: &Text<'a>, data: &Object<'a>, out: &mut Statement<'a>) {
    out.timestamp = usual::timestamp(&data.inner("meta"));
    let blocks = || data.objects("content");
    match kind.as_str() {
        Some("Prompt") => out.push(Fact::prompt(text(blocks()))),
        Some("AssistantMessage") => {
            blocks().for_each(|block| said(&block, data.text("message_id"), out));
            let last = blocks().last();
            let rests = last.is_some_and(|last| last.is("kind", "text"));
            out.extend(rests.then_some(Fact::Rest));
        }
        Some("ToolResults") => out.extend(blocks().filter_map(|block| result(&block))),
        _ => out.push(Fact::unknown(Some(kind.clone()))),
    }
}

/// Returns the text in blocks, joined.
fn text<'a>(blocks: impl Iterator<Item = Object<'a>>) -> Text<'a> {
    let texts = blocks.filter(|block| block.is("kind", "text"));
    blocks::joined(texts.filter_map(|block| block.text("data")))
}

/// States what a block of the model's message with that id says: a text, a thought or a call.
fn said<'a>(block: &Object<'a>, id: Option<Text<'a>>, out: &mut Statement<'a>) {
    let data = block.inner("data");
    match block.word("kind").as_deref() {
        Some(b"text") => {
            let said = |text| Fact::Message(Message::new(id, text, Form::Block));
            out.extend(block.text("data").map(said));
        }
        Some(b"thinking") => out.extend(data.text("text").map(Fact::thought)),
        Some(b"toolUse") => {
            let id = data.text("toolUseId").unwrap_or_default();
            out.push(Fact::Call(usual::call(&data, id)));
        }
        _ => {}
    }
}

/// Returns the result of a call, which is a success unless it says something else.
fn result<'a>(block: &Object<'a>) -> Option<Fact<'a>> {
    let data = block
        .object("data")
        .filter(|_| block.is("kind", "toolResult"))?;
    let id = data.text("toolUseId").unwrap_or_default();
    let output = text(data.objects("content"));
    Some(Fact::Result(ToolResult {
        output: Some(output).filter(|output| !output.is_empty()),
        ..usual::result(&data, id)
    }))
}
