//! The patch format that OpenAI's models are trained to write in a tool's parameters: `*** Begin Patch`, then for each
//! file a line `*** Add File: `, `*** Update File: ` or `*** Delete File: ` with its path, optionally `*** Move to: `,
//! and the file's lines, each after `+`, `-` or a space.

use super::prelude::*;
use crate::change::PATCHES;

/// Returns the files that a patch writes.
pub(crate) fn writes(patch: &Text<'_>) -> Vec<Write<'static>> {
    let mut writes: Vec<Write<'static>> = Vec::new();
    for line in patch.as_bytes().split(|&byte| byte == b'\n') {
        let heading = line.strip_prefix(b"*** ");
        if let Some((operation, path)) = heading.and_then(file) {
            writes.push(write(path, operation));
        } else if let Some(path) = heading.and_then(|heading| heading.strip_prefix(b"Move to: ")) {
            moved(&mut writes, path);
        } else if let Some(last) = writes.last_mut() {
            let count = match line.first() {
                Some(b'+') => &mut last.lines.added,
                Some(b'-') => &mut last.lines.removed,
                _ => continue,
            };
            *count = count.map(|count| count + 1);
        }
    }
    writes
}

/// Returns the call with the files that the patch in its parameters writes, if they contain one.
pub(super) fn applied(mut call: Call<'_>) -> Call<'_> {
    if let Some(patch) = given(Value::new(call.parameters.as_bytes())) {
        call.writes = writes(&patch);
        call.path = call.writes.first().map(|write| write.path.clone());
    }
    call
}

/// Returns the patch in a call's parameters: the parameters themselves, a member, or a word of a command.
pub(crate) fn given(parameters: Value<'_>) -> Option<Text<'static>> {
    let names = PATCHES.names.iter().map(|name| name.text);
    let members = names.chain(["command"]);
    let members = members.filter_map(|name| parameters.get(name));
    let given = std::iter::once(parameters).chain(members);
    let mut texts = given.flat_map(|given| std::iter::once(given).chain(given.elements()));
    let is_patch = |text: &Text<'_>| text.starts_with("*** Begin Patch");
    texts.find_map(|text| text.text().filter(is_patch).map(Text::into_owned))
}

/// Returns the operation and the path in a heading.
fn file(heading: &[u8]) -> Option<(Operation, &[u8])> {
    [
        (Operation::Create, &b"Add File: "[..]),
        (Operation::Update, b"Update File: "),
        (Operation::Delete, b"Delete File: "),
    ]
    .into_iter()
    .find_map(|(operation, words)| Some((operation, heading.strip_prefix(words)?)))
}

fn write(path: &[u8], operation: Operation) -> Write<'static> {
    let path = String::from_utf8_lossy(path.trim_ascii_end()).into_owned();
    // The patch does not say how many lines a deleted file has.
    let counts = (operation != Operation::Delete).then_some((0, 0));
    Write::new(Text::from(path), Some(operation), counts)
}

/// Replaces the last write by the two of a move: one file is deleted, and another is created, whose changes follow.
fn moved(writes: &mut Vec<Write<'static>>, path: &[u8]) {
    if let Some(old) = writes.pop() {
        writes.push(Write::new(old.path, Some(Operation::Delete), None));
        writes.push(Write {
            lines: old.lines,
            ..write(path, Operation::Create)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::writes;

    #[test]
    fn each_file_of_a_patch_is_a_write() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n+y\n*** Update File: b\n*** Move to: c\n@@\n-1\n+2\n 3\n*** Delete File: d\n*** Update File: e\r\n-f\n*** End Patch";
        let writes = writes(&patch.into());
        let reported: Vec<_> = writes
            .iter()
            .map(|write| {
                let word = write.operation.unwrap().word();
                let counts = (write.lines.added, write.lines.removed);
                (write.path.to_string_lossy().into_owned(), word, counts)
            })
            .collect();
        let row = |path: &str, word, counts| (path.to_owned(), word, counts);
        assert_eq!(
            reported,
            [
                row("a", "create", (Some(2), Some(0))),
                row("b", "delete", (None, None)),
                row("c", "create", (Some(1), Some(1))),
                row("d", "delete", (None, None)),
                row("e", "update", (Some(0), Some(1))),
            ]
        );
        assert!(super::writes(&"+no\n*** Move to: x".into()).is_empty());
    }
}
