//! The dialect of Kiro, `kiro-cli chat --no-interactive --output-format stream-json`, engines v2 and v3, from published
//! probes; no recording was at hand.
//!
//! Its records are `{"type","data"}`: `runStarted`, `metadata`, `sessionUpdate` with an update of the [Agent Client
//! Protocol](acp), and at the end `runFinished` or `runError`. It counts credits, but no tokens or dollars.

use super::acp;
use crate::dialect::prelude::*;

mod disk;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("kiro", SHAPES, facts);

/// The shapes of its records. Job runners start and finish runs too.
const SHAPES: &[RecordShape] = &[
    certain("type=sessionUpdate data.update.sessionUpdate:string"),
    certain("type=runStarted data.payloadSchema:string"),
    doubtful("type=runStarted data:object"),
    likely("type=runFinished data.stopReason:string"),
    likely("type=runFinished data.finalText:string"),
    doubtful("type=runFinished data.status:string"),
    likely("type=runError data.stage:string data.message:string"),
    doubtful("type=runError data.message:string"),
    doubtful("type=metadata data.meteringUsage:array"),
    fits("type=metadata data:object"),
    fits("type:string data.sessionId"),
    // Records of session files on disk.
    likely("kind=AssistantMessage data.content.kind:string"),
    doubtful("kind=Prompt data.content.kind:string"),
    doubtful("kind=ToolResults data.content.kind:string"),
    fits("kind data:object version"),
];

/// States the facts of a record; none depends on another.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let kind = record.text("type");
    let Some(data) = record.object("data") else {
        return out.push(Fact::unknown(kind));
    };
    if let (None, Some(kind)) = (&kind, record.text("kind")) {
        return disk::facts(&kind, &data, out);
    }
    out.session = usual::session(&data);
    match kind.as_ref().and_then(Text::as_str) {
        Some("runStarted") => out.push(usual::start(&data, "version")),
        Some("sessionUpdate") => match data.object("update") {
            Some(update) => acp::update(&update, out),
            None => out.push(Fact::unknown(kind)),
        },
        Some("runFinished") => out.push(end(&data)),
        Some("runError") => out.push(Fact::end(Some(usual::problem_of_error_record(&data)), None)),
        Some("metadata") => out.push(Fact::known(kind)),
        _ => out.push(Fact::unknown(kind)),
    }
}

/// Returns the end of a run: the status says whether it failed, and the reason why.
fn end<'a>(data: &Object<'a>) -> Fact<'a> {
    let cut = usual::is_set(data, "finalTextTruncated");
    let text = data.text("finalText").filter(|_| !cut);
    let status = data.text("status");
    let well = !data.has("status") || status.as_ref().is_some_and(usual::means_success);
    match usual::end(data.text("stopReason"), text) {
        Fact::End(End { success: true, .. }) if !well => {
            let problem = usual::problem_of_error_record(data);
            Fact::end(Some(usual::or_stopped(problem, status)), None)
        }
        end => end,
    }
}
