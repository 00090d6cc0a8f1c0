//! Reads token counts into one convention.

use crate::dialect::prelude::*;

/// Members that contain token counts.
pub(in crate::dialect) const COUNTS: NameList = names!(
    "usage stats tokens token_usage tokenUsage total_token_usage usageMetadata usage_metadata aggregateUsage \
     models_usage totalUsage metrics"
);
const INPUTS: NameList = names!(
    "input_tokens inputTokens prompt_tokens promptTokens promptTokenCount input total_input_tokens \
     prompt_eval_count tokens_evaluated prompt_token_count inputTextTokenCount inputOther input_other"
);
const OUTPUT_COUNTS: NameList = names!(
    "output_tokens outputTokens completion_tokens completionTokens candidatesTokenCount output \
     candidates_token_count total_output_tokens eval_count tokens_predicted generation_token_count \
     totalOutputTextTokenCount"
);
const TOTALS: NameList = names!("total_tokens totalTokens totalTokenCount total total_token_count");
/// Tokens read from a cache: with these names the input does not include them, unless the total says otherwise.
const CACHED_APART: NameList = names!(
    "cache_read_input_tokens cacheRead inputCacheRead input_cache_read cacheInputTokens cacheReadInputTokens"
);
const CACHED: NameList = names!(
    "cache_read_tokens cached_input_tokens cached_tokens cacheReadTokens cached \
     cachedContentTokenCount cached_content_token_count total_cached_tokens cachedInputTokens cachedReadTokens cacheReads \
     prompt_cache_hit_tokens"
);
const WRITTEN: NameList = names!(
    "cache_creation_input_tokens cacheWrite cache_write_tokens cacheWriteTokens cacheWriteInputTokens \
     cachedWriteTokens inputCacheCreation input_cache_creation cacheCreateTokens cacheCreationInputTokens"
);
const REASONING: NameList = names!(
    "reasoning_output_tokens reasoning_tokens reasoningTokens reasoning thoughtsTokenCount thoughts_token_count thinking_tokens \
     total_thought_tokens reasoningOutputTokens thoughtTokens thinkingTokens"
);
const COSTS: NameList = names!("total_cost_usd cost_usd costUsd costUSD totalCost total_cost cost");

/// Returns the tokens and the cost that a record states; `None` if it states neither.
pub(in crate::dialect) fn usage(record: &Object<'_>) -> Option<Tokens> {
    let counts = COUNTS.objects(record).next();
    // Cohere counts what was used next to what was billed.
    let used = counts.as_ref().and_then(|counts| counts.object("tokens"));
    let mut tokens = used.or(counts).as_ref().map(tokens).unwrap_or_default();
    tokens.cost_usd = cost(record).or(tokens.cost_usd);
    tokens.is_known().then_some(tokens)
}

/// Returns the usage that a record states, which covers `scope`.
pub(in crate::dialect) fn counted<'a>(record: &Object<'a>, scope: Scope<'a>) -> Option<Fact<'a>> {
    Some(Fact::usage(scope, None, usage(record)?))
}

/// Returns the usage of each model, by the objects with their names in the member `name`, as `read` reads them.
pub(in crate::dialect) fn by_model<'a>(
    record: &Object<'a>,
    name: &str,
    scope: Scope<'a>,
    read: impl Fn(&Object<'a>) -> Tokens,
    out: &mut Statement<'a>,
) {
    let models = record.get(name).into_iter().flat_map(Value::members);
    out.extend(models.filter_map(|(name, model)| {
        let tokens = read(&Object::new(model)?);
        Some(Fact::usage(scope.clone(), Some(name.text()), tokens))
    }));
}

/// Whether a record, or an object in it, counts tokens, which only programs around a language model do.
pub(in crate::dialect) fn counts_tokens(record: &Object<'_>) -> bool {
    // A quotation mark inside a string is escaped, so these bytes contain the end of a name.
    let names = [
        r#"_tokens":"#,
        r#"Tokens":"#,
        r#""tokens":{"total":"#,
        r#""tokens":{"input":"#,
    ];
    let json = record.value().raw();
    let counts = |name: &&str| memchr::memmem::find(json, name.as_bytes()).is_some();
    names.iter().any(counts)
}

fn cost(record: &Object<'_>) -> Option<f64> {
    let cost = COSTS.first(record)?;
    cost.as_f64().or_else(|| cost.get("total")?.as_f64())
}

/// Returns the counts in an object, in one convention: the input includes the tokens read from a cache.
pub(in crate::dialect) fn tokens(counts: &Object<'_>) -> Tokens {
    counts_in(counts, None)
}

/// Returns the counts in an object of an agent whose input does not include the tokens read from a cache and written to
/// one.
pub(in crate::dialect) fn tokens_apart(counts: &Object<'_>) -> Tokens {
    counts_in(counts, Some(true))
}

/// Returns the counts in an object of an agent whose input includes the tokens read from a cache, and whose output
/// includes reasoning.
pub(in crate::dialect) fn tokens_in_all(counts: &Object<'_>) -> Tokens {
    counts_in(counts, Some(false))
}

/// Returns the counts in an object; `cache_apart` says whether the input is counted without the cache, if that is
/// known.
fn counts_in(counts: &Object<'_>, cache_apart: Option<bool>) -> Tokens {
    // The AI SDK (version 6) has the parts of a count next to its total.
    let number = |names: NameList| {
        let count = names.first(counts)?;
        count.as_u64().or_else(|| count.get("total")?.as_u64())
    };
    let (input, output, total) = (number(INPUTS), number(OUTPUT_COUNTS), number(TOTALS));
    let cache = counts.object("cache");
    let of_cache = |name| cache.as_ref().and_then(|cache| cache.u64(name));
    let apart = number(CACHED_APART).or_else(|| of_cache("read"));
    let written = number(WRITTEN).or_else(|| of_cache("write"));
    let detail = |of: NameList, names: NameList| {
        let mut inner = of.objects(counts);
        inner.find_map(|inner| names.first(&inner)?.as_u64())
    };
    let inputs = names!("input_tokens_details prompt_tokens_details");
    let outputs = names!("output_tokens_details completion_tokens_details");
    let cached = apart.or_else(|| number(CACHED));
    let cached = cached.or_else(|| detail(inputs, CACHED));
    let reasoning = number(REASONING).or_else(|| detail(outputs, REASONING));
    let add = |sum: u64, part: &u64| sum.saturating_add(*part);
    let sum = |parts: &[Option<u64>]| parts.iter().flatten().fold(0, add);
    let cache = sum(&[cached, written]);
    // The difference between the total and input plus output shows which counts the input and output do not include.
    let beyond = total.and_then(|total| total.checked_sub(sum(&[input, output])));
    let thoughts = reasoning.unwrap_or(0);
    let (excludes, alongside) = match (cache_apart, beyond) {
        (Some(apart), _) => (apart, 0),
        (_, Some(0)) => (false, 0),
        (_, Some(more)) if cache > 0 && more == cache => (true, 0),
        (_, Some(more)) if cache > 0 && more == cache + thoughts => (true, thoughts),
        // Some agents do not state how many tokens were reasoning.
        (_, Some(more)) => (false, more),
        // The API of Gemini counts thoughts apart.
        (_, None) => (
            apart.is_some(),
            names!("thoughtsTokenCount thoughts_token_count")
                .first(counts)
                .and_then(Value::as_u64)
                .unwrap_or(0),
        ),
    };
    let base = Tokens {
        input,
        cached,
        output: output.map(|output| output.saturating_add(alongside)),
        reasoning,
        total,
        cost_usd: cost(counts),
        ..Tokens::default()
    };
    match excludes {
        true => base.with_cache(written),
        false => base,
    }
    .with_total()
}
