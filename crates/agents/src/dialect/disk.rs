//! What the session files that agents keep on disk have in common, unlike streams.

#[cfg(test)]
mod tests;

use crate::dialect::prelude::*;

/// The counts of a whole thread, which its records repeat as they grow.
#[derive(Default)]
pub(super) struct Growing(Tokens);

impl Growing {
    /// Replaces the counts by those of the latest record. Returns what was added since the last one, if anything; if
    /// counting has restarted, the whole of `now`.
    pub(super) fn added(&mut self, now: Tokens) -> Option<Tokens> {
        let before = std::mem::replace(&mut self.0, now);
        let added = match now.total < before.total {
            true => now,
            false => now.since(before),
        };
        (added.input != Some(0) || added.output != Some(0)).then_some(added)
    }
}

/// Sets how a command ended, from the output that the model is shown: the head of the output, or JSON in its place
/// (Codex until 0.50).
pub(super) fn ran(mut result: ToolResult<'_>) -> ToolResult<'_> {
    let output = result.output.take().unwrap_or_default();
    let is_json =
        output.as_bytes().first() == Some(&b'{') && jsift_json::is_json(output.as_bytes());
    let inner = Value::new(if is_json { output.as_bytes() } else { b"null" });
    let reported = inner.pointer("/metadata/exit_code").and_then(Value::as_i64);
    let text = output.to_string_lossy();
    let (head, _) = text.split_once("Output:").unwrap_or((&text, ""));
    let labels = ["Process exited with code ", "Exit code: "];
    let mut codes = labels.iter().map(|label| blocks::exit_code(head, label));
    result.exit_code = reported.or_else(|| codes.find_map(|code| code));
    if text.contains("rejected by user") && result.exit_code.is_none() {
        result.status = ToolStatus::Denied;
    } else if result.exit_code.map_or(refused(&text), |code| code != 0) {
        result.status = ToolStatus::Error;
    }
    let shown = inner.get("output").filter(|_| reported.is_some());
    let shown = shown.and_then(Value::text).map(Text::into_owned);
    result.output = Some(shown.unwrap_or(output));
    result
}

/// Whether Codex says in place of an output that it did not run the call.
fn refused(output: &str) -> bool {
    const REASONS: [&str; 4] = [
        "apply_patch verification failed",
        "exec_command failed for",
        "failed to parse function arguments",
        "unsupported call: ",
    ];
    REASONS.iter().any(|reason| output.starts_with(reason))
}

/// Returns the write that a result states; its file is the one that the call names.
pub(super) fn written<'a>(record: &Object<'a>, output: Option<&Text<'a>>) -> Option<Write<'a>> {
    let stat = record.object("resultDisplay")?.object("diffStat")?;
    let added = stat.u64("model_added_lines");
    let lines = added.zip(stat.u64("model_removed_lines"));
    let report = |text| {
        blocks::operation_of_report(text, &["Successfully created"], "Successfully overwrote")
    };
    Some(Write::new(Text::EMPTY, output.and_then(report), lines))
}
