//! The dialect of JetBrains' Junie CLI, `junie --output-format json`, from published output of 26.8 and from the GitHub
//! action that reads it; no recording was at hand.
//!
//! One object, printed at the end:
//! `{"sessionId","taskName","result","changes":[…],"llmUsage":[{"model","calls","cost","inputTokens","outputTokens",
//! "cacheInputTokens","cacheCreateTokens"}]}`. A run that failed also has `errors`, a list of texts or of
//! `{"level","message"}`. Input tokens do not include those of the cache; the models of helpers are counted, too.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = entry!("junie", SHAPES, facts);

/// The shapes of its object.
const SHAPES: &[RecordShape] = &[
    certain("sessionId:string result llmUsage:array"),
    certain("sessionId:string errors:array llmUsage:array"),
    likely("sessionId:string taskName:string result:string changes:array"),
    believed("sessionId:string result:string"),
];

/// States the facts of the object.
fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    out.session = usual::session(record);
    out.extend(record.objects("llmUsage").map(|model| {
        let requests = model.u64("calls");
        let tokens = usual::tokens_apart(&model);
        let tokens = Tokens { requests, ..tokens };
        Fact::usage(Scope::Session, model.text("model"), tokens)
    }));
    out.push(Fact::end(usual::failure(record), record.text("result")));
}
