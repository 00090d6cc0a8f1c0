//! A sequence of token counts, for a chart.

use jsift_agents::fact::{Scope, Tokens, Usage};
use jsift_agents::session::OpenRequests;

/// How many counts are kept; if there are more, every two neighbours are added together.
const COUNTS: usize = 512;

/// The usage, step by step.
#[derive(Debug, Clone)]
pub(super) struct UsageCounts {
    /// What a step is: a request or a turn.
    pub(super) noun: &'static str,
    /// How many steps each count is the sum of.
    pub(super) per: usize,
    /// How many steps are in the last count.
    in_last: usize,
    pub(super) tokens: Vec<Tokens>,
}

/// The usage of the requests to the model.
#[derive(Debug)]
pub(super) struct Requests {
    settled: UsageCounts,
    open: OpenRequests,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            settled: UsageCounts::new("request", Vec::new()),
            open: OpenRequests::default(),
        }
    }
}

impl Requests {
    /// Adds usage, if it is that of a request.
    pub(super) fn push(&mut self, usage: &Usage<'_>) {
        match &usage.scope {
            Scope::Session | Scope::Turn => {}
            Scope::Request(None) => self.settled.push(usage.tokens),
            Scope::Request(Some(id)) | Scope::Once(id) => {
                if let Some(settled) = self.open.push(id, None, usage.tokens) {
                    self.settled.push(settled.tokens());
                }
            }
        }
    }

    /// Returns all counts, in the order of the requests.
    pub(super) fn counted(&self) -> UsageCounts {
        let mut counted = self.settled.clone();
        self.open
            .iter()
            .for_each(|open| counted.push(open.tokens()));
        counted
    }
}

impl UsageCounts {
    /// Returns the usage of these steps, each of which is a `noun`.
    pub(super) const fn new(noun: &'static str, tokens: Vec<Tokens>) -> Self {
        Self {
            noun,
            per: 1,
            in_last: 1,
            tokens,
        }
    }

    /// Adds a count to the last one if that is the sum of fewer than `per`; otherwise appends it.
    fn push(&mut self, tokens: Tokens) {
        let tokens = tokens.with_total();
        if !tokens.has_counts() {
            return;
        }
        if self.in_last < self.per
            && let Some(last) = self.tokens.last_mut()
        {
            *last = last.plus(tokens);
            self.in_last += 1;
            return;
        }
        if self.tokens.len() == COUNTS {
            let sum = |pair: &[Tokens]| pair.iter().copied().reduce(Tokens::plus);
            self.tokens = self.tokens.chunks(2).filter_map(sum).collect();
            self.per *= 2;
        }
        self.tokens.push(tokens);
        self.in_last = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(total: u64) -> Tokens {
        let mut tokens = Tokens::default();
        tokens.input = Some(total);
        tokens.output = Some(0);
        tokens.total = Some(total);
        tokens
    }

    #[test]
    fn many_requests_are_put_together_and_none_is_lost() {
        for many in [1, 512, 513, 600, 5000] {
            let ids: Vec<String> = (0..many).map(|id| id.to_string()).collect();
            let mut requests = Requests::default();
            for id in &ids {
                for total in [0, 1] {
                    requests.push(&Usage {
                        scope: Scope::Request(Some(id.as_str().into())),
                        model: None,
                        tokens: of(total),
                    });
                }
            }
            let counted = requests.counted();
            assert!(counted.tokens.len() <= COUNTS);
            let sums = counted.tokens.iter().map(|tokens| tokens.total.unwrap());
            assert_eq!(sums.sum::<u64>(), many);
            let full = counted.tokens.split_last().unwrap().1.iter();
            assert!(
                full.clone()
                    .all(|tokens| tokens.total == Some(counted.per as u64))
            );
        }
    }
}
