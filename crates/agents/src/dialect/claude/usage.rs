//! Reads the counts of Claude Code into one convention.

use crate::dialect::prelude::*;

/// Returns the usage of one request to the model.
pub(super) fn request<'a>(message: &Object<'a>, scope: Scope<'a>, tokens: Tokens) -> Fact<'a> {
    Fact::usage(scope, message.text("model"), tokens)
}

/// Returns the API's counts: `input_tokens` does not include tokens from a cache.
pub(in crate::dialect) fn tokens(usage: &Object<'_>) -> Tokens {
    Tokens {
        input: usage.u64("input_tokens"),
        cached: usage.u64("cache_read_input_tokens"),
        output: usage.u64("output_tokens"),
        reasoning: usage.inner("output_tokens_details").u64("thinking_tokens"),
        ..Tokens::default()
    }
    .with_cache(usage.u64("cache_creation_input_tokens"))
}
