//! What a repair changed, in words for `-v` and for the warnings of `--meta`.

macro_rules! changes {
    ($($name:ident $phrase:literal,)*) => {
        /// One kind of change. Changes are reported in the order of the variants.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum RepairChange {
            $($name,)*
        }

        impl RepairChange {
            /// Returns the lower-case phrase for one change of this kind.
            const fn phrase(self) -> &'static str {
                match self {
                    $(Self::$name => $phrase,)*
                }
            }
        }
    };
}

changes! {
    Fence "took the content of a fence",
    Unescaped "took one level of escapes off",
    Encoding "replaced invalid UTF-8",
    Blank "replaced white space that JSON does not have",
    Comment "removed a comment",
    Comma "added a missing comma",
    ExtraComma "removed an extra comma",
    Colon "added a missing colon",
    Separator "replaced another character by a comma or colon",
    Equals "replaced an equals sign or arrow by a colon",
    Quote "put a string in double quotes",
    InnerQuote "escaped a quote inside a string",
    Control "escaped a control character inside a string",
    Escape "corrected an escape sequence",
    Layout "removed the line break before a closing quote",
    Bare "quoted a bare word",
    Literal "replaced a literal of another language",
    Number "rewrote a number",
    Ellipsis "removed an ellipsis",
    Joined "joined concatenated strings",
    Wrapper "unwrapped a function call or parentheses",
    Bracket "corrected a bracket",
    Missing "put null for a missing value",
    Dropped "left out text that is no JSON",
    Cut "left out an incomplete member at the end",
    Closer "added a missing closing bracket or quote",
}

/// How often each change was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes(Vec<(RepairChange, u32)>);

impl Changes {
    /// Counts one more change of this kind.
    pub(super) fn note(&mut self, change: RepairChange) {
        match self.0.binary_search_by_key(&change, |(noted, _)| *noted) {
            Ok(at) => {
                if let Some((_, times)) = self.0.get_mut(at) {
                    *times = times.saturating_add(1);
                }
            }
            Err(at) => self.0.insert(at, (change, 1)),
        }
    }

    /// Whether no change was made.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a change of this kind was made.
    pub(super) fn has(&self, change: RepairChange) -> bool {
        self.0.iter().any(|(noted, _)| *noted == change)
    }

    /// Returns one phrase for each kind of change that was made.
    pub(super) fn phrases(&self) -> Vec<String> {
        let phrase = |(change, times): &(RepairChange, u32)| match times {
            1 => change.phrase().to_owned(),
            times => format!("{} ({times} times)", change.phrase()),
        };
        self.0.iter().map(phrase).collect()
    }
}
