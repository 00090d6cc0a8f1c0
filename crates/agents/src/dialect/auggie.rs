//! The dialect of Auggie, `auggie --print --output-format json`, from published samples of 0.32; no recording was at
//! hand.
//!
//! One line in Claude Code's form:
//! `{"type":"result","result","is_error","subtype","session_id","num_turns","request_id"}`, with `--show-cost` also
//! `billing`. There are no tokens; the cost counts only if its unit is dollars. An empty completion is no success.

use super::claude;
use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("auggie", SHAPES, facts);

/// The shapes that distinguish its record from others in Claude Code's form: the other agents state a duration.
const SHAPES: &[RecordShape] = &[
    certain("type=result subtype:string num_turns request_id !duration_ms"),
    certain("type=result subtype:string billing.usage_unit"),
    certain("type=result subtype=empty_completion"),
    fits("type=result subtype:string"),
    fits("type=result is_error"),
];

/// The answer that means that none was given.
const EMPTY: &str = "empty_completion";

/// States the facts of the record.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    blocks::frame(record, out);
    let billing = record.inner("billing");
    let cost = billing.get("total_cost").and_then(Value::as_f64);
    let cost = cost.filter(|_| billing.is("usage_unit", "usd"));
    out.extend(cost.map(|cost| Fact::cost(Some(cost))));
    let failed = !claude::is_success(record) || record.is("subtype", EMPTY);
    let failure = failed.then(|| claude::failure(record));
    out.push(Fact::end(failure, record.text("result")));
}
