//! What a repair changed, in words for `-v` and for the warnings of `--meta`.

/// One kind of change. The order is the order in which changes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    const ALL: [Self; 26] = [
        Self::Thinking,
        Self::Fence,
        Self::Prose,
        Self::Unescaped,
        Self::Encoding,
        Self::Comment,
        Self::Comma,
        Self::ExtraComma,
        Self::Colon,
        Self::Wide,
        Self::Quote,
        Self::InnerQuote,
        Self::Control,
        Self::Escape,
        Self::Bare,
        Self::Literal,
        Self::Number,
        Self::Ellipsis,
        Self::Joined,
        Self::Wrapper,
        Self::Bracket,
        Self::Missing,
        Self::Dropped,
        Self::Sequence,
        Self::Cut,
        Self::Closer,
    ];

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
pub(super) struct Changes([usize; Change::ALL.len()]);

impl Changes {
    /// Counts one more change of this kind.
    pub(super) fn note(&mut self, change: Change) {
        if let Some(count) = self.0.get_mut(change as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Whether a change of this kind was made.
    pub(super) fn has(&self, change: Change) -> bool {
        self.0.get(change as usize).is_some_and(|count| *count > 0)
    }

    /// Adds the counts of another reading.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// One phrase for each kind of change that was made.
    pub(super) fn phrases(&self) -> Vec<String> {
        let made = Change::ALL.into_iter().zip(self.0).filter(|(_, n)| *n > 0);
        made.map(|(change, n)| match n {
            1 => change.phrase().to_owned(),
            n => format!("{} ({n} times)", change.phrase()),
        })
        .collect()
    }
}
