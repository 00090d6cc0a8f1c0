//! The dialect of JetBrains' Junie CLI, `junie --output-format json`, from published output of 26.8 and from the GitHub
//! action that reads it; no recording was at hand.
//!
//! One object, printed at the end:
//! `{"sessionId","taskName","result","changes":[…],"llmUsage":[{"model","calls","cost","inputTokens","outputTokens",
//! "cacheInputTokens","cacheCreateTokens"}]}`. A run that failed also has `errors`, a list of texts or of
//! `{"level","message"}`. Input tokens do not include those of the cache; the models of helpers are counted, too.

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Junie>("junie", SHAPES);

/// The shapes of its object.
const SHAPES: &[RecordShape] = &[
    certain("sessionId:string result llmUsage:array"),
    certain("sessionId:string errors:array llmUsage:array"),
    likely("sessionId:string taskName:string result:string changes:array"),
    believed("sessionId:string result:string"),
];

/// Reads Junie's object.
#[derive(Default)]
struct Junie;

impl Dialect for Junie {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.session = usual::session(record);
        let used = record.objects("llmUsage");
        out.facts.extend(
            used.map(|model| Fact::usage(Scope::Session, model.text("model"), tokens(&model))),
        );
        out.push(Fact::end(usual::failure(record), record.text("result")));
    }
}

/// Returns the tokens that one model used.
fn tokens(model: &Object<'_>) -> Tokens {
    Tokens {
        input: model.u64("inputTokens"),
        cached: model.u64("cacheInputTokens"),
        output: model.u64("outputTokens"),
        requests: model.u64("calls"),
        cost_usd: model.get("cost").and_then(Value::as_f64),
        ..Tokens::default()
    }
    .with_cache(model.u64("cacheCreateTokens"))
    .with_total()
}
