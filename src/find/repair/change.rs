//! What a repair changed, in words for `-v` and for the warnings of `--meta`.

use std::collections::BTreeMap;

/// One kind of change. The order is the order in which changes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Thinking,
    Fence,
    Prose,
    Unescaped,
    Encoding,
    Comment,
    Comma,
    ExtraComma,
    Colon,
    Wide,
    Quote,
    InnerQuote,
    Control,
    Escape,
    Bare,
    Literal,
    Number,
    Ellipsis,
    Joined,
    Wrapper,
    Bracket,
    Missing,
    Dropped,
    Sequence,
    Cut,
    Closer,
}

impl Change {
    /// The phrase for one change of this kind, lower case.
    const fn phrase(self) -> &'static str {
        match self {
            Self::Thinking => "left out a thinking block",
            Self::Fence => "took the content of a fence",
            Self::Prose => "left out the text around it",
            Self::Unescaped => "took one level of escapes off",
            Self::Encoding => "replaced invalid UTF-8",
            Self::Comment => "removed a comment",
            Self::Comma => "added a missing comma",
            Self::ExtraComma => "removed an extra comma",
            Self::Colon => "added a missing colon",
            Self::Wide => "replaced a fullwidth comma or colon",
            Self::Quote => "put a string in double quotes",
            Self::InnerQuote => "escaped a quote inside a string",
            Self::Control => "escaped a control character inside a string",
            Self::Escape => "corrected an escape sequence",
            Self::Bare => "quoted a bare word",
            Self::Literal => "replaced a literal of another language",
            Self::Number => "rewrote a number",
            Self::Ellipsis => "removed an ellipsis",
            Self::Joined => "joined concatenated strings",
            Self::Wrapper => "unwrapped a function call or parentheses",
            Self::Bracket => "corrected a bracket",
            Self::Missing => "put null for a missing value",
            Self::Dropped => "left out text that is no JSON",
            Self::Sequence => "put several values into one array",
            Self::Cut => "left out an incomplete member at the end",
            Self::Closer => "added a missing closing bracket or quote",
        }
    }
}

/// How often each change was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes(BTreeMap<Change, usize>);

impl Changes {
    /// Counts one more change of this kind.
    pub(super) fn note(&mut self, change: Change) {
        self.add(change, 1);
    }

    /// Whether a change of this kind was made.
    pub(super) fn has(&self, change: Change) -> bool {
        self.0.contains_key(&change)
    }

    /// Adds the counts of another reading.
    pub(super) fn merge(&mut self, other: &Self) {
        for (change, times) in &other.0 {
            self.add(*change, *times);
        }
    }

    fn add(&mut self, change: Change, times: usize) {
        *self.0.entry(change).or_default() += times;
    }

    /// One phrase for each kind of change that was made.
    pub(super) fn phrases(&self) -> Vec<String> {
        let phrase = |(change, times): (&Change, &usize)| match times {
            1 => change.phrase().to_owned(),
            times => format!("{} ({times} times)", change.phrase()),
        };
        self.0.iter().map(phrase).collect()
    }
}
