//! How a run ended: one enum, its word, its exit code and its meaning.
//!
//! This is the single table of the exit code, `--help`, the man pages and README.md. Nothing else in the crate
//! knows the number of an exit code.

/// How a session or a whole run ended.
///
/// The order of the variants is the order of their exit codes, not their precedence; for that see [`Outcome::worse`].
///
/// ```
/// use jsift::Outcome;
///
/// let outcome = jsift::extract("nothing here").unwrap_err().outcome();
/// assert_eq!(outcome, Outcome::None);
/// assert_eq!((outcome.code(), outcome.word()), (1, "none"));
/// assert_eq!(outcome.worse(Outcome::Quota), Outcome::Quota);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// Done.
    Success,
    /// Nothing found.
    None,
    /// Wrong usage, or reading an input or writing an output failed.
    Usage,
    /// Announced JSON is broken.
    Malformed,
    /// The input ended too early.
    Truncated,
    /// Nothing passes the filters.
    Mismatch,
    /// A limit of jsift itself.
    Limit,
    /// Any other failure of the agent.
    Failed,
    /// Not logged in.
    Auth,
    /// Rate limit or quota.
    Quota,
    /// A turn, tool, budget or token limit of the agent.
    Turns,
    /// Refused or blocked.
    Blocked,
    /// Interrupted.
    Cancelled,
    /// The agent rejected its input.
    Input,
    /// Server trouble or no connection.
    Network,
    /// A tool was denied.
    Denied,
}

impl Outcome {
    /// Every outcome, in the order of its exit code.
    pub const ALL: [Self; 16] = [
        Self::Success,
        Self::None,
        Self::Usage,
        Self::Malformed,
        Self::Truncated,
        Self::Mismatch,
        Self::Limit,
        Self::Failed,
        Self::Auth,
        Self::Quota,
        Self::Turns,
        Self::Blocked,
        Self::Cancelled,
        Self::Input,
        Self::Network,
        Self::Denied,
    ];

    #[rustfmt::skip]
    const fn row(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Success => (0, "success", "done"),
            Self::None => (1, "none", "nothing found: no JSON, no event"),
            Self::Usage => (2, "usage", "wrong usage, or an input or output cannot be opened, read or written"),
            Self::Malformed => (3, "malformed", "JSON is broken, or a JSON fence is empty"),
            Self::Truncated => (4, "truncated", "the input ends inside a document, or a stream before its terminal event"),
            Self::Mismatch => (5, "mismatch", "nothing passes the filters, no JSON in the answer, or a --fail-on limit"),
            Self::Limit => (6, "limit", "a size or time limit of jsift itself"),
            Self::Failed => (10, "failed", "any other failure of the agent"),
            Self::Auth => (11, "auth", "not logged in, bad key, no permission for the account"),
            Self::Quota => (12, "quota", "rate limit or quota: wait and retry"),
            Self::Turns => (13, "turns", "turn, tool, budget or output-token limit of the agent reached"),
            Self::Blocked => (14, "blocked", "refused or blocked by safety rules"),
            Self::Cancelled => (15, "cancelled", "interrupted"),
            Self::Input => (16, "input", "the agent rejected its input, flags, configuration or workspace"),
            Self::Network => (17, "network", "server trouble or no connection: retry"),
            Self::Denied => (18, "denied", "a tool was denied (only with --fail-on denied)"),
        }
    }

    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.row().0
    }

    /// The word used in `outcome`, in `label` and in messages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.row().1
    }

    /// One line for help and manual pages.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        self.row().2
    }

    /// Whether this outcome is a failure of the agent, which `--exit-zero` turns into 0.
    #[must_use]
    pub const fn is_agent(self) -> bool {
        self.code() >= Self::Failed.code()
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Usage => 7,
            Self::Limit => 6,
            Self::Malformed | Self::Truncated => 4,
            Self::Failed => 3,
            Self::Mismatch => 2,
            Self::None => 1,
            Self::Success => 0,
            _ => 5,
        }
    }

    /// Returns the outcome that a run with these two reports: 2, 6, a named agent class, 3 and 4, 10, 5, 1, 0. Among
    /// equals the later one wins.
    #[must_use]
    pub const fn worse(self, later: Self) -> Self {
        if later.rank() >= self.rank() {
            later
        } else {
            self
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;
    use std::collections::BTreeSet;

    #[test]
    fn codes_and_words_are_unique_and_ascend() {
        let codes: Vec<u8> = Outcome::ALL.iter().map(|o| o.code()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        let words: BTreeSet<_> = Outcome::ALL.iter().map(|o| o.word()).collect();
        assert_eq!(words.len(), codes.len());
    }

    #[test]
    fn precedence_is_that_of_the_contract() {
        use Outcome::{Auth, Failed, Limit, Malformed, Mismatch, None, Success, Truncated, Usage};
        let order = [
            Usage, Limit, Auth, Malformed, Failed, Mismatch, None, Success,
        ];
        for (i, high) in order.iter().enumerate() {
            for low in &order[i + 1..] {
                assert_eq!(high.worse(*low), *high);
                assert_eq!(low.worse(*high), *high);
            }
        }
        assert_eq!(Malformed.worse(Truncated), Truncated);
        assert_eq!(Truncated.worse(Malformed), Malformed);
    }
}
