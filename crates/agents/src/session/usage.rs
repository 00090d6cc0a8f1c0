//! Token counts and cost of a session, with nothing counted twice.
//!
//! Agents count per request, per turn or per session so far, for one model or for all. A [`Tally`] keeps the scopes
//! apart and uses the widest one that has counts.

use super::named::Named;
use super::speech::is_own_id;
use crate::fact::{Scope, Tokens, Usage};
use crate::hashes::{HashedMap, TextHash};
use jsift_json::text::Text;

/// Counts by scope.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    session: Scoped,
    turns: Scoped,
    requests: Scoped,
    /// The requests whose counts are not in the sums yet.
    open: OpenRequests,
}

/// The recent requests of a session: a later record may correct their counts.
#[derive(Debug, Default)]
pub struct OpenRequests {
    open: Vec<Request>,
    /// The requests that were settled.
    settled: HashedMap<(), SETTLED_REQUESTS>,
}

/// The usage of a request to the model.
#[derive(Debug)]
pub struct Request {
    id: Text<'static>,
    model: Option<Text<'static>>,
    tokens: Tokens,
}

/// How many requests may be open at a time: agents interleave the records of a few subagents.
const OPEN_REQUESTS: usize = 16;
/// How many settled requests are known by their ids at least.
const SETTLED_REQUESTS: usize = 4096;

/// Counts of one scope.
#[derive(Debug, Default, Clone)]
struct Scoped {
    /// Counts for all models together.
    all: Option<Tokens>,
    /// Counts for single models, in the order of their first mention.
    models: Named<Tokens>,
}

impl Tally {
    /// Adds a count.
    pub(crate) fn push(&mut self, usage: &Usage<'_>) {
        let model = usage.model.as_ref();
        match &usage.scope {
            Scope::Session => {
                let replace = |old| usage.tokens.or(old);
                self.session.merge(model, usage.tokens, replace);
            }
            Scope::Turn => self.turns.add(model, usage.tokens),
            Scope::Request(None) => self.requests.add(model, usage.tokens),
            Scope::Request(Some(id)) | Scope::Once(id) => {
                if let Some(settled) = self.open.push(id, model, usage.tokens) {
                    let tokens = settled.tokens();
                    self.requests.add(settled.model.as_ref(), tokens);
                }
            }
        }
    }

    /// Returns whether a later record may still correct the count of this request.
    pub(super) fn is_open(&self, id: &Text<'_>) -> bool {
        self.open.iter().any(|open| open.id == *id)
    }

    /// Returns the number of bytes that are held.
    pub(super) fn weight(&self) -> usize {
        let scopes = [&self.session, &self.turns, &self.requests];
        let models = scopes.iter().map(|scope| scope.models.weight());
        models.sum::<usize>() + self.open.settled.weight()
    }

    /// Returns the counts of all scopes, the widest first.
    fn scopes(&self) -> [Scoped; 3] {
        let mut requests = self.requests.clone();
        for open in self.open.iter() {
            requests.add(open.model.as_ref(), open.tokens());
        }
        [self.session.clone(), self.turns.clone(), requests]
    }

    /// Returns the usage of the session. Counts come from the widest scope that has any, the cost from the widest scope
    /// that has one.
    pub(crate) fn total(&self) -> Tokens {
        let scopes = self.scopes().map(|scope| scope.total());
        let counts = scopes.iter().find(|tokens| tokens.has_counts());
        let cost_usd = scopes.iter().find_map(|tokens| tokens.cost_usd);
        Tokens {
            cost_usd,
            ..counts.copied().unwrap_or_default()
        }
    }

    /// Returns the usage of each model, in the order of first mention: the parts of the total, if its scope
    /// distinguishes models.
    pub(crate) fn models(&self) -> Named<Tokens> {
        let counts = self
            .scopes()
            .into_iter()
            .find(|scope| scope.total().has_counts());
        counts.map(|scope| scope.models).unwrap_or_default()
    }
}

impl OpenRequests {
    /// Adds a count. One with the id of an open request corrects that; one with the id of a settled request repeats it.
    /// Returns a request that is settled now.
    pub fn push(
        &mut self,
        id: &Text<'_>,
        model: Option<&Text<'_>>,
        tokens: Tokens,
    ) -> Option<Request> {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.tokens = tokens.or(open.tokens);
            return None;
        }
        let hash = TextHash::of(id.as_bytes());
        if is_own_id(id) && self.settled.contains(hash) {
            return None;
        }
        let settled = (self.open.len() >= OPEN_REQUESTS).then(|| self.open.remove(0));
        if let Some(settled) = &settled {
            let hash = TextHash::of(settled.id.as_bytes());
            self.settled.insert(hash, ());
        }
        self.open.push(Request {
            id: id.clone().into_owned(),
            model: model.map(|model| model.clone().into_owned()),
            tokens,
        });
        settled
    }

    /// Returns the open requests, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.open.iter()
    }
}

impl Request {
    /// Returns the counts with their total, which is known once no other record may state a part of them.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.tokens.with_total()
    }
}

impl Scoped {
    fn add(&mut self, model: Option<&Text<'_>>, tokens: Tokens) {
        self.merge(model, tokens, |old| old.plus(tokens));
    }

    /// Inserts `tokens`, or replaces existing counts by what `merge` makes of them.
    fn merge(
        &mut self,
        model: Option<&Text<'_>>,
        tokens: Tokens,
        merge: impl Fn(Tokens) -> Tokens,
    ) {
        let Some(model) = model else {
            self.all = Some(self.all.map_or(tokens, merge));
            return;
        };
        match self.models.get_mut(model) {
            Some(old) => *old = merge(*old),
            None => *self.models.entry(model) = tokens,
        }
    }

    /// Returns the counts for all models; numbers that these leave open are summed over the single models.
    fn total(&self) -> Tokens {
        let models = self.models.iter().map(|(_, tokens)| *tokens);
        let sum = models.reduce(Tokens::plus);
        self.all.unwrap_or_default().or(sum.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::fact::{Scope, Tokens, Usage};
    use jsift_json::text::Text;

    fn tokens(input: u64, output: Option<u64>) -> Tokens {
        Tokens {
            input: Some(input),
            output,
            ..Tokens::default()
        }
    }

    fn tally(counts: &[(Scope<'static>, Option<&'static str>, Tokens)]) -> Tally {
        let mut tally = Tally::default();
        for (scope, model, tokens) in counts {
            tally.push(&Usage {
                scope: scope.clone(),
                model: model.map(Text::from),
                tokens: *tokens,
            });
        }
        tally
    }

    fn request(id: &'static str) -> Scope<'static> {
        Scope::Request(Some(Text::from(id)))
    }

    #[test]
    fn a_session_count_replaces_its_predecessor_and_turns_add_up() {
        let total = |scope: Scope<'static>| {
            let counts = [
                (scope.clone(), None, tokens(1, Some(2))),
                (scope, None, tokens(10, Some(20))),
            ];
            tally(&counts).total()
        };
        assert_eq!(total(Scope::Session), tokens(10, Some(20)));
        assert_eq!(total(Scope::Turn), tokens(11, Some(22)));
        assert_eq!(total(Scope::Request(None)), tokens(11, Some(22)));
    }

    #[test]
    fn a_request_that_is_stated_again_counts_once() {
        let counts = [
            (request("a"), None, tokens(1, None)),
            (request("b"), None, tokens(5, Some(5))),
            (request("a"), None, tokens(1, Some(2))),
        ];
        // The total waits until both of its parts are stated.
        assert_eq!(tally(&counts).total(), tokens(6, Some(7)).with_total());
    }

    #[test]
    fn what_one_request_does_not_know_is_unknown() {
        let counts = [
            (request("a"), None, tokens(1, Some(1))),
            (request("b"), None, tokens(2, None)),
        ];
        assert_eq!(tally(&counts).total(), tokens(3, None));
    }

    #[test]
    fn models_add_up_and_a_wider_scope_wins() {
        let cost = Tokens {
            cost_usd: Some(0.5),
            ..Tokens::default()
        };
        let counts = [
            (Scope::Turn, None, tokens(7, Some(7))),
            (Scope::Session, Some("small"), tokens(1, Some(1))),
            (Scope::Session, Some("large"), tokens(2, Some(2))),
            (Scope::Session, None, cost),
        ];
        let tally = tally(&counts);
        let expected = Tokens {
            cost_usd: Some(0.5),
            ..tokens(3, Some(3))
        };
        assert_eq!(tally.total(), expected);
        assert_eq!(tally.models().len(), 2);
    }

    #[test]
    fn models_of_a_narrower_scope_are_no_parts_of_the_total() {
        let counts = [
            (Scope::Request(None), Some("main"), tokens(1, Some(1))),
            (Scope::Session, None, tokens(5, Some(5))),
        ];
        assert!(tally(&counts).models().is_empty());
        assert_eq!(tally(&counts[..1]).models().len(), 1);
    }

    #[test]
    fn many_open_requests_are_all_counted() {
        let ids: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let mut tally = Tally::default();
        for id in &ids {
            tally.push(&Usage {
                scope: Scope::Request(Some(Text::from(id.as_str()))),
                model: None,
                tokens: tokens(1, Some(1)),
            });
        }
        assert_eq!(tally.total(), tokens(100, Some(100)).with_total());
    }
}
