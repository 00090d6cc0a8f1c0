//! Reads the counts of Claude Code into one convention.

use crate::dialect::prelude::*;

/// Returns the usage of one request to the model.
pub(super) fn request<'a>(message: &Object<'a>, scope: Scope<'a>, tokens: Tokens) -> Fact<'a> {
    Fact::usage(scope, message.text("model"), tokens)
}

/// Returns the API's counts: `input_tokens` does not include tokens from a cache. Their total is known only once no
/// other record of the request may state a part of them.
pub(in crate::dialect) fn tokens(usage: &Object<'_>) -> Tokens {
    let total = None;
    Tokens {
        total,
        ..usual::tokens_apart(usage)
    }
}
