//! What Claude Code counts, brought to one convention.

use crate::fact::{Fact, Scope, Tokens, Usage};
use crate::json::text::Text;
use crate::json::view::{Object, Value};

/// What one request to the model took.
pub(super) fn request<'a>(message: &Object<'a>, id: Option<Text<'a>>, tokens: Tokens) -> Fact<'a> {
    Fact::Usage(Usage {
        scope: Scope::Request(id),
        model: message.text("model"),
        tokens,
    })
}

/// The API's counts: `input_tokens` is what no cache had.
pub(in crate::dialect) fn tokens(usage: &Object<'_>) -> Tokens {
    let cached = usage.u64("cache_read_input_tokens");
    let written = usage.u64("cache_creation_input_tokens");
    let fresh = usage.u64("input_tokens");
    let sum = |fresh: u64| {
        fresh
            .saturating_add(cached.unwrap_or(0))
            .saturating_add(written.unwrap_or(0))
    };
    Tokens {
        input: fresh.map(sum),
        cached,
        output: usage.u64("output_tokens"),
        reasoning: usage
            .object("output_tokens_details")
            .and_then(|details| details.u64("thinking_tokens")),
        ..Tokens::default()
    }
}

/// What one model took in the process.
pub(super) fn model_tokens(model: &Object<'_>) -> Tokens {
    let cached = model.u64("cacheReadInputTokens");
    let written = model.u64("cacheCreationInputTokens").unwrap_or(0);
    let sum = |fresh: u64| {
        fresh
            .saturating_add(cached.unwrap_or(0))
            .saturating_add(written)
    };
    Tokens {
        input: model.u64("inputTokens").map(sum),
        cached,
        output: model.u64("outputTokens"),
        reasoning: model.u64("thinkingTokens"),
        cost_usd: model.get("costUSD").and_then(Value::as_f64),
        ..Tokens::default()
    }
    .with_total()
}
