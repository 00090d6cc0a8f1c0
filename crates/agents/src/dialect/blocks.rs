//! Records whose messages are lists of content blocks: the outline that Claude Code set and Qwen Code, Amp and Cursor
//! took over.
//!
//! `{"type": "system"|"user"|"assistant"|"stream_event"|"result", "session_id", "parent_tool_use_id", "message":
//! {"content": [{"type": "text"|"thinking"|"tool_use"|"tool_result", …}]}}`. This module reads the parts that all of
//! these dialects share; each dialect adds its own.

use std::borrow::Cow;

use super::prelude::*;

/// Whether a record is the first one of a session.
pub(crate) fn is_init(record: &Object<'_>) -> bool {
    record.is("type", "system") && record.is("subtype", "init")
}

/// States the parts that all records have: session, subagent.
pub(crate) fn frame<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.session = record.text("session_id");
    // Programs that pass records on may write a missing id as an empty text.
    let parent = record.text("parent_tool_use_id");
    out.parent = parent.filter(|id| !id.is_empty());
}

/// Returns the blocks of a record's message; none if the message is plain text.
pub(crate) fn of<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> + use<'a> {
    record.inner("message").objects("content")
}

/// Returns the text of a value that is a string or a list of text blocks.
pub(crate) fn text(value: Value<'_>) -> Text<'_> {
    value.text().unwrap_or_else(|| texts(value.elements()))
}

/// Returns the texts of blocks, joined.
pub(crate) fn texts<'a>(blocks: impl Iterator<Item = Value<'a>>) -> Text<'a> {
    joined(blocks.filter_map(|block| block.get("text")?.text()))
}

/// Returns texts, joined.
pub(crate) fn joined<'a>(mut texts: impl Iterator<Item = Text<'a>>) -> Text<'a> {
    let mut all = texts.next().unwrap_or_default();
    texts.for_each(|text| all.push(&text));
    all
}

/// Returns the piece of text or thought in a `stream_event`. The block that starts may have the first piece.
pub(crate) fn delta<'a>(event: &Object<'a>, id: Option<Text<'a>>) -> Option<Fact<'a>> {
    let delta = match &*event.word("type")? {
        b"content_block_start" => event.object("content_block"),
        b"content_block_delta" => event.object("delta"),
        _ => None,
    }?;
    let piece = |text| Message::new(id, text, Form::Delta);
    match &*kind(&delta)? {
        b"text_delta" | b"text" => Some(Fact::Message(piece(delta.text("text")?))),
        b"thinking_delta" | b"thinking" => Some(Fact::Reasoning(piece(delta.text("thinking")?))),
        _ => None,
    }
}

/// Returns the type of a block or of a piece of one. What has no type is what it contains: a text or a thought.
pub(crate) fn kind<'a>(block: &Object<'a>) -> Option<Cow<'a, [u8]>> {
    let contained = || {
        let mut names = ["text", "thinking"].into_iter();
        names.find(|name| block.holds(name, Kind::String))
    };
    let stated = block.word("type");
    stated.or_else(|| Some(Cow::Borrowed(contained()?.as_bytes())))
}

/// Returns the fact in a block of the model's message with that id: a text, a thought, a call, or the result of one of
/// the API's own tools, which are called and answered in one message.
pub(crate) fn said<'a>(
    block: &Object<'a>,
    id: Option<Text<'a>>,
    writers: Writers,
) -> Option<Fact<'a>> {
    let whole = |name| Message::new(id, block.text(name).unwrap_or_default(), Form::Block);
    match &*kind(block)? {
        b"text" => Some(Fact::Message(whole("text"))),
        b"thinking" => Some(Fact::Reasoning(whole("thinking"))),
        b"tool_use" | b"server_tool_use" => Some(Fact::Call(call(block, writers))),
        kind if !kind.ends_with(b"_tool_result") => None,
        _ => Some(Fact::Result(result(block, |_| false))),
    }
}

fn call<'a>(block: &Object<'a>, writers: Writers) -> Call<'a> {
    let id = block.text("id").unwrap_or_default();
    let name = block.text("name").unwrap_or_default();
    let input = block.object("input");
    usual::call_about(id, name, block.get("input"), input, writers)
}

/// Returns the result that a `tool_result` block states. `denied` says whether a failure with this text is a denial.
pub(crate) fn result<'a>(block: &Object<'a>, denied: impl FnOnce(&str) -> bool) -> ToolResult<'a> {
    let failed = usual::is_set(block, "is_error");
    let output = block.get("content").map(text).unwrap_or_default();
    let status = ToolStatus::of(failed, failed && denied(&output.to_string_lossy()));
    let id = block.text("tool_use_id").unwrap_or_default();
    ToolResult::of_text(id, status, Some(output))
}

/// States what was given to the model: texts, and the results of its tools as `result` reads them.
pub(crate) fn given<'a>(
    record: &Object<'a>,
    out: &mut Statement<'a>,
    result: impl Fn(&Object<'a>) -> ToolResult<'a>,
) {
    let prompt = out.parent.is_none();
    let say = |text| Fact::given(prompt, text);
    out.extend(record.inner("message").text("content").map(say));
    for block in of(record) {
        match kind(&block).as_deref() {
            Some(b"text") => out.push(say(block.text("text").unwrap_or_default())),
            Some(b"tool_result") => out.push(Fact::Result(result(&block))),
            _ => {}
        }
    }
}

/// Whether a message is a text, or its last block is one.
pub(crate) fn ends_with_text(message: &Object<'_>) -> bool {
    if message.holds("content", Kind::String) {
        return true;
    }
    let blocks = message.objects("content");
    let last = blocks.last().and_then(|block| kind(&block));
    last.is_some_and(|kind| *kind == *b"text")
}

/// Returns a write of the file that the call names: only the result says what kind of write it was.
pub(crate) fn written<'a>(operation: Operation) -> Write<'a> {
    Write::new(Text::EMPTY, Some(operation), None)
}

/// Returns what was done to a file: a tool's report starts with one of `created` if the file is new, with `wrote` if it
/// is not.
pub(crate) fn operation_of_report(
    report: &Text<'_>,
    created: &[&str],
    wrote: &str,
) -> Option<Operation> {
    let begins = |words: &str| report.as_bytes().starts_with(words.as_bytes());
    let existed = begins(wrote);
    (existed || created.iter().any(|words| begins(words))).then(|| Operation::on(existed))
}

/// Returns the number after `label` in the error of a failed command.
pub(crate) fn failed_with(result: &ToolResult<'_>, label: &str) -> Option<i64> {
    exit_code(&result.error.as_ref()?.to_string_lossy(), label)
}

/// Returns the number after `label` in a tool's report, up to the end of the line.
pub(crate) fn exit_code(report: &str, label: &str) -> Option<i64> {
    let (_, rest) = report.split_once(label)?;
    rest.lines().next()?.trim().parse().ok()
}
