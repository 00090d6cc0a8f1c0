//! The dialect of Continue's command line, `cn -p --format json`, from its source
//! (`extensions/cli/src/commands/chat.ts`); no recording was at hand.
//!
//! An answer that is JSON is printed as it is; any other answer is in `{"response","status":"success","note"}`. The
//! failure of a run is `{"status":"error","message"}` on standard error, which other programs print too.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("continue", SHAPES, facts);

/// The shapes of its output. Only the note is unique to it.
const SHAPES: &[RecordShape] = &[
    certain("response:string status:string note^=Response"),
    believed("response:string status:string"),
    believed("status:string message:string"),
];

/// States the facts of an output.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    // For example the note that the agent shortens its context.
    if record.is("status", "info") {
        return out.push(Fact::known(record.text("status")));
    }
    let success = record.is("status", "success");
    let failure = (!success).then(|| usual::problem_of_error_record(record));
    out.push(Fact::end(failure, record.text("response")));
}
