//! What is counted: tokens, costs and times.

use jsift_json::text::Text;

/// What a count covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The session or process up to here. It replaces earlier counts (for the same model).
    Session,
    /// The turn that ends here. Turns are added up.
    Turn,
    /// One request to the model. Requests are added up; a repeated id replaces the earlier count of that request.
    /// `None` is a separate request every time.
    Request(Option<Text<'a>>),
    /// One request to the model, with an id that is the same in every session that reports the request. It counts only
    /// for the first of these sessions.
    Once(Text<'a>),
}

/// Token counts and cost. If a session has several scopes, the widest one with tokens counts.
#[derive(Debug, Clone)]
pub struct Usage<'a> {
    /// What the counts cover.
    pub scope: Scope<'a>,
    /// The model, if the counts are for one model only. Models are added up if there is no count for all of them.
    pub model: Option<Text<'a>>,
    /// The counts.
    pub tokens: Tokens,
}

/// Token counts in one convention. `None` is unknown, and a sum with an unknown part is unknown.
///
/// ```
/// let run = r#"{"type":"thread.started","thread_id":"t"}
/// {"type":"turn.completed","usage":{"input_tokens":90,"cached_input_tokens":80,"output_tokens":3}}
/// "#;
/// let tokens = jsift::session(run)?.usage();
/// assert_eq!((tokens.input, tokens.cached, tokens.output), (Some(90), Some(80), Some(3)));
/// assert_eq!((tokens.total, tokens.cost_usd), (Some(93), None));
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Tokens {
    /// All input, cached tokens (read and written) included.
    pub input: Option<u64>,
    /// Input that was read from a cache.
    pub cached: Option<u64>,
    /// All output, reasoning included.
    pub output: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning: Option<u64>,
    /// The total as the agent states it, otherwise the sum of input and output.
    pub total: Option<u64>,
    /// The number of requests to a model.
    pub requests: Option<u64>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
}

impl Tokens {
    /// Returns whether any number is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Returns whether any count is known; the cost is not a count.
    #[must_use]
    pub fn has_counts(&self) -> bool {
        Self {
            cost_usd: None,
            ..*self
        }
        .is_known()
    }

    /// Returns the counts with the total set to the sum of input and output, for agents that state no total.
    #[must_use]
    pub fn with_total(self) -> Self {
        let total = self.total.or_else(|| self.input?.checked_add(self.output?));
        Self { total, ..self }
    }

    /// Returns the counts with the tokens read from a cache and those `written` to one added to the input, for agents
    /// whose input does not include them.
    pub(crate) fn with_cache(self, written: Option<u64>) -> Self {
        let cached = self.cached.unwrap_or(0);
        let cache = cached.saturating_add(written.unwrap_or(0));
        let input = self.input.map(|fresh| fresh.saturating_add(cache));
        Self { input, ..self }
    }

    /// Returns the sum. A number that is unknown in either part is unknown in the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        // JSON has no number for an infinite or undefined float.
        let cost = |a: f64, b: f64| Some(a + b).filter(|sum| sum.is_finite());
        let count = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        self.with(other, count, |a, b| cost(a?, b?))
    }

    /// Returns what was counted since `before`, whose unknown numbers count as zero.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        self.with(
            before,
            |now, before| Some(now?.saturating_sub(before.unwrap_or(0))),
            |now, before| Some((now? - before.unwrap_or(0.0)).max(0.0)),
        )
    }

    /// Returns these numbers, with unknown ones taken from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.with(other, Option::or, Option::or)
    }

    /// Returns what these functions make of each pair of counts, and of the costs.
    pub fn with(
        self,
        other: Self,
        count: impl Fn(Option<u64>, Option<u64>) -> Option<u64>,
        cost: impl Fn(Option<f64>, Option<f64>) -> Option<f64>,
    ) -> Self {
        Self {
            input: count(self.input, other.input),
            cached: count(self.cached, other.cached),
            output: count(self.output, other.output),
            reasoning: count(self.reasoning, other.reasoning),
            total: count(self.total, other.total),
            requests: count(self.requests, other.requests),
            cost_usd: cost(self.cost_usd, other.cost_usd),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    #[test]
    fn a_turn_used_what_the_count_after_it_has_more() {
        let of = |total| Tokens {
            total: Some(total),
            ..Tokens::default()
        };
        assert_eq!(of(7).since(of(3)).total, Some(4));
        assert_eq!(of(7).since(Tokens::default()).total, Some(7));
        assert_eq!(of(3).since(of(7)).total, Some(0));
    }
}
