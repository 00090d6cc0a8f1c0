//! Which of several documents is picked, as the caller says it.

use std::num::NonZeroI64;
use std::str::FromStr;

/// Which of the documents of the winning stage is taken.
///
/// ```
/// use jsift::{Options, Pick};
///
/// let log = "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n";
/// let take = |pick| Options::new().pick(pick).extract(log);
/// assert_eq!(take(Pick::Last)?.compact(), r#"{"n":3}"#);
/// assert_eq!(take(Pick::Nth(1))?.compact(), r#"{"n":2}"#);
/// assert!(take(Pick::NthLast(3)).is_err());
/// assert!(take(Pick::Only).is_err());
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pick {
    /// The first one.
    First,
    /// The last one.
    Last,
    /// The one with the longest text; the first one of several.
    Largest,
    /// The N-th one, counted from 0.
    Nth(u64),
    /// The N-th one from the end, counted from 0.
    NthLast(u64),
    /// The only one; if there are several, none.
    Only,
}

impl Pick {
    /// The picks that need no number, each with its word.
    pub const WORDS: [(&str, Self); 4] = [
        ("first", Self::First),
        ("last", Self::Last),
        ("largest", Self::Largest),
        ("only", Self::Only),
    ];

    /// Returns whether this chooses among several documents.
    pub const fn chooses(self) -> bool {
        !matches!(self, Self::Only)
    }
}

impl FromStr for Pick {
    type Err = String;

    /// Reads one of the words, or a number: 1 is the first document, -1 the last.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, pick)) = Self::WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(*pick);
        }
        let number = text.parse::<NonZeroI64>().map_err(|_| {
            let words = Self::WORDS.map(|(word, _)| word).join(", ");
            format!("expected {words}, or a number: 1 is the first, -1 the last")
        })?;
        Ok(match number.get() {
            n @ 1.. => Self::Nth(n.unsigned_abs() - 1),
            n => Self::NthLast(n.unsigned_abs() - 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Pick;

    #[test]
    fn picks_are_words_or_count_from_either_end() {
        for (text, pick) in [
            ("first", Pick::First),
            ("last", Pick::Last),
            ("largest", Pick::Largest),
            ("only", Pick::Only),
            ("1", Pick::Nth(0)),
            ("3", Pick::Nth(2)),
            ("-1", Pick::NthLast(0)),
            ("-9223372036854775808", Pick::NthLast(i64::MAX as u64)),
        ] {
            assert_eq!(text.parse(), Ok(pick));
        }
        for text in ["0", "", "second", "1.0"] {
            assert!(text.parse::<Pick>().is_err(), "{text}");
        }
    }
}
