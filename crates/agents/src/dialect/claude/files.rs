//! The files that Claude Code's tools write: what a call says about them, and what its result adds.

use crate::dialect::prelude::*;

/// The tools that write files. Only the result says whether `Write` created or changed one.
pub(super) const WRITERS: Writers = &[
    ("Write", Writer::File),
    ("Edit", Writer::Edited),
    ("MultiEdit", Writer::Old),
    ("NotebookEdit", Writer::Old),
];

/// Returns the write that a result states: in `tool_use_result` (2.x), or else in the text for the model.
pub(super) fn written<'a>(record: &Object<'a>, output: &Option<Text<'a>>) -> Option<Write<'a>> {
    if let Some(detail) = detail(record) {
        let patch = detail.get("structuredPatch")?;
        let create = detail.is("type", "create");
        let lines = match create {
            true => lines::created(&detail.text("content")?),
            false => patched(patch),
        };
        let operation = Some(Operation::on(!create));
        return Some(Write::new(detail.text("filePath")?, operation, Some(lines)));
    }
    let output = output.as_ref()?;
    if output.starts_with("File created successfully at: ") {
        return Some(blocks::written(Operation::Create));
    }
    let rest = output.as_bytes().strip_prefix(b"The file ")?;
    let line = rest.split(|&byte| byte == b'\n').next()?;
    let updated = memchr::memmem::find(line, b" has been updated").is_some();
    updated.then(|| blocks::written(Operation::Update))
}

/// Returns the details of a result next to its text. Session files on disk use another name for the member.
pub(super) fn detail<'a>(record: &Object<'a>) -> Option<Object<'a>> {
    names!("tool_use_result toolUseResult")
        .objects(record)
        .next()
}

/// Returns the number of lines that the hunks of a patch add and remove.
fn patched(patch: Value<'_>) -> (u64, u64) {
    let hunks = patch.elements().filter_map(|hunk| hunk.get("lines"));
    let lines = hunks.flat_map(Value::elements).filter_map(Value::text);
    lines::signed(lines.filter_map(|line| line.as_bytes().first().copied()))
}
