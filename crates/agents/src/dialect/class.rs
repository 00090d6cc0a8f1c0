//! Classifies error texts, HTTP statuses and exit codes.
//!
//! Text beats numbers: a 400 that says "API key not valid" is a matter of the key. But only phrases that name a cause
//! (`CAUSES`) do; a phrase that may be next to any cause (`HINTS`) yields to a status that says more. If neither
//! decides, the class is [`Outcome::Failed`]. Places in programs (stack traces, names of source files) name no cause.

mod phrases;
mod places;
pub mod resets;

use jsift_json::cost;
use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

use jsift_json::text::Text;
use jsift_outcome::Outcome;
use phrases::{CAUSES, ClassPhrases, HINTS};
pub use places::is_of_stack;
use places::without_places;

pub use super::known::{Known, known_message};

/// The number of bytes of a message that are classified: the rest of a longer one is a body or a stack trace.
const MESSAGE_LOOKED_AT: usize = 4096;
/// The maximum number of bytes between the two parts of a phrase with a gap, including the second part.
const GAP: usize = 48;

/// Messages of one word that next to other words may mean anything: `terminated` is Node.js's for a connection that was
/// closed inside a body.
const ALONE: [(&str, Outcome); 4] = [
    ("terminated", Outcome::Network),
    ("cancelled", Outcome::Cancelled),
    ("canceled", Outcome::Cancelled),
    ("aborted", Outcome::Cancelled),
];

/// Returns the class of an error: the cause that its message names, else the class of the record's or the message's
/// status.
#[must_use]
pub fn of(message: &Text<'_>, code: Option<i64>) -> Outcome {
    of_kind("", message, code)
}

/// Returns the class of an error whose type, code or status names it in `kind`: a cause in that decides before one in
/// the message, and hints in both count alike.
#[must_use]
pub(crate) fn of_kind(kind: &str, message: &Text<'_>, code: Option<i64>) -> Outcome {
    let beginning = message.slice(0..message.len().min(MESSAGE_LOOKED_AT));
    let beginning = beginning.to_string_lossy();
    // Marks around what is to be typed part no words: "run `/login`".
    let message = ErrorMessage::new(&without_places(&beginning).replace('`', ""));
    let status = status_in(&message.lower);
    let numbers = || [code, status].into_iter().flatten();
    let named = (!kind.is_empty()).then(|| ErrorMessage::of_identifiers(kind));
    let stated = || named.iter().chain([&message]);
    let hinted = |row: &ClassPhrases| stated().any(|stated| stated.says_any(row));
    stated()
        .find_map(|stated| Some(CAUSES.iter().find(|row| stated.says_any(row))?.0))
        .or_else(|| numbers().find_map(refused))
        .or_else(|| Some(HINTS.iter().find(|row| hinted(row))?.0))
        .or_else(|| message.alone())
        .or_else(|| numbers().find_map(of_code))
        .unwrap_or(Outcome::Failed)
}

/// Returns the cause that an identifier names: `rate_limited`, `contextOverflow`.
#[must_use]
pub(crate) fn cause_of(identifier: &str) -> Option<Outcome> {
    let stated = ErrorMessage::of_identifiers(identifier);
    CAUSES
        .iter()
        .find(|row| stated.says_any(row))
        .map(|row| row.0)
}

/// Whether a line of noise may state an error anywhere: a quick check for [`of_line`].
#[must_use]
pub fn may_be_stated(line: &[u8]) -> bool {
    cost::search(line.len());
    memchr_iter(b':', line)
        .filter_map(|colon| line.get(..colon))
        .any(|before| before.ends_with(b"rror") || before.ends_with(b"RROR"))
}

/// Returns the class of the error that a line of noise states, if it states one and names a cause.
#[must_use]
pub fn of_line(line: &[u8]) -> Option<Outcome> {
    let begins = ["Error: ", "error: ", "ERROR: "];
    let mut begins = begins.iter().map(|begin| begin.as_bytes());
    let message = begins.find_map(|begin| line.strip_prefix(begin))?;
    let class = of(&Text::from(&*String::from_utf8_lossy(message)), None);
    (class != Outcome::Failed).then_some(class)
}

/// Returns the class of an HTTP status or of an agent's exit code.
#[must_use]
pub const fn of_code(code: i64) -> Option<Outcome> {
    Some(match code {
        41 | 401 | 403 => Outcome::Auth,
        402 | 429 | 529 => Outcome::Quota,
        53 => Outcome::Turns,
        130 | 499 => Outcome::Cancelled,
        42 | 44 | 52 | 55 | 400..=407 | 409..=428 => Outcome::Input,
        408 | 500..=599 => Outcome::Network,
        _ => return None,
    })
}

/// Returns the class of a status that blames only the request itself or the account's balance. Such a message may name
/// every parameter, so that its words show neither a limit that was reached nor a server that is down.
const fn refused(status: i64) -> Option<Outcome> {
    match status {
        400 | 402 | 404 | 413 | 422 => of_code(status),
        _ => None,
    }
}

/// An error's message.
struct ErrorMessage {
    /// The message in lower case, with the words of identifiers apart.
    lower: String,
    pairs: Pairs,
}

/// Returns a text in lower case, with a blank before each part of an identifier: `ServiceUnavailableError` and
/// `APIConnectionError` are three words each, so that the names of errors are found like their messages.
fn lower_words(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut words = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let begins = match bytes.get(..at) {
            _ if !letter.is_ascii_uppercase() => false,
            Some([.., last]) if last.is_ascii_lowercase() => true,
            // An abbreviation ends here. It has two letters or more: `OAuth` is one word.
            Some([.., first, last]) => {
                first.is_ascii_uppercase()
                    && last.is_ascii_uppercase()
                    && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            }
            _ => false,
        };
        if begins {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// The pairs of adjacent bytes in a text: a quick check, which is reliable only if it says that a pair is missing. It
/// rules out most phrases.
struct Pairs([u32; 32]);

impl Pairs {
    fn of(text: &[u8]) -> Self {
        let mut pairs = Self([0; 32]);
        for pair in text.windows(2) {
            let (row, bit) = Self::place(pair);
            pairs.0[row] |= bit;
        }
        pairs
    }

    /// Returns the row and the bit of a pair: the low five bits of a byte distinguish letters.
    fn place(pair: &[u8]) -> (usize, u32) {
        match *pair {
            [first, second] => (usize::from(first & 31), 1 << (second & 31)),
            _ => (0, 0),
        }
    }

    /// Whether all pairs of a phrase are in the text, except those at its gap.
    fn may_have(&self, phrase: &str) -> bool {
        let is_word = |byte: &u8| byte.is_ascii() && *byte != b'*';
        let mut pairs = phrase.as_bytes().windows(2);
        pairs.all(|pair| {
            let (row, bit) = Self::place(pair);
            self.0[row] & bit != 0 || !pair.iter().all(is_word)
        })
    }
}

impl ErrorMessage {
    fn new(text: &str) -> Self {
        let lower = lower_words(text);
        Self {
            pairs: Pairs::of(lower.as_bytes()),
            lower,
        }
    }

    /// Returns the message that consists of identifiers, whose words phrases have apart or joined by underscores.
    fn of_identifiers(identifiers: &str) -> Self {
        let words = lower_words(identifiers).replace(['_', '-'], " ");
        let joined = words.replace(' ', "_");
        Self::new(&format!("{identifiers}\n{words}\n{joined}"))
    }

    /// Returns the class of a message of one word.
    fn alone(&self) -> Option<Outcome> {
        let word = self.lower.trim().trim_end_matches('.');
        let mut all = ALONE.iter();
        all.find(|(alone, _)| *alone == word).map(|row| row.1)
    }

    /// Whether the message has one of a row's phrases.
    fn says_any(&self, (_, phrases): &ClassPhrases) -> bool {
        phrases.iter().any(|phrase| self.says(phrase))
    }

    fn says(&self, phrase: &str) -> bool {
        if !self.pairs.may_have(phrase) {
            return false;
        }
        let whole = 0..self.lower.len();
        match phrase.split_once('…') {
            None => self.ends_of(phrase, whole).next().is_some(),
            Some((first, second)) => self.ends_of(first, whole).any(|end| {
                let near = end..self.lower.len().min(end + GAP);
                self.ends_of(second, near).next().is_some()
            }),
        }
    }

    /// Returns the ends of all occurrences of a phrase without a gap in a part of the message.
    fn ends_of(&self, phrase: &str, part: Range<usize>) -> impl Iterator<Item = usize> {
        let words = phrase.strip_suffix('*').unwrap_or(phrase);
        let goes_on = words.len() < phrase.len();
        let offset = part.start;
        memmem::find_iter(self.lower.as_bytes().get(part).unwrap_or_default(), words)
            .map(move |at| offset + at)
            .filter(|&start| self.parts_words(start))
            .map(|start| start + words.len())
            .filter(move |&end| goes_on || self.parts_words(end))
    }

    /// Whether `at` is a word boundary.
    fn parts_words(&self, at: usize) -> bool {
        let bytes = self.lower.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let (Some(before), Some(after)) = (before, bytes.get(at)) else {
            return true;
        };
        let letters = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
        let digits = before.is_ascii_digit() && after.is_ascii_digit();
        !digits && !letters
    }
}

/// Returns the HTTP status in a text: three digits after a word that announces a status, or at the start of the
/// message, as the OpenAI SDK for JavaScript writes it (`401 Incorrect API key provided`).
fn status_in(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(at) = bytes.get(end..)?.iter().position(u8::is_ascii_digit) {
        let start = end + at;
        let rest = bytes.get(start..)?.iter();
        let digits = rest.take_while(|byte| byte.is_ascii_digit()).count();
        end = start + digits;
        let first = start == 0 && bytes.get(end) == Some(&b' ');
        if digits == 3 && (first || is_announced(bytes.get(..start)?)) {
            let status = text.get(start..end)?.parse().ok()?;
            if (400..600).contains(&status) {
                return Some(status);
            }
        }
    }
    None
}

/// Whether the text before a number announces a status. The request may be between the word and the number, in
/// parentheses: `api error (model): 429`.
fn is_announced(before: &[u8]) -> bool {
    const WINDOW: usize = 16;
    const ASIDE: usize = 256;
    let last = |text: &'_ [u8], most: usize| text.len().saturating_sub(most);
    let mut near = before.get(last(before, ASIDE)..).unwrap_or_default();
    if let Some(aside) = near.strip_suffix(b"): ") {
        near = memrchr(b'(', aside).map_or(near, |open| aside.get(..open).unwrap_or_default());
    }
    let near = near.get(last(near, WINDOW)..).unwrap_or_default();
    let says = |word: &str| memmem::find(near, word.as_bytes()).is_some();
    ["status", "code", "error", "http"].into_iter().any(says)
}

#[cfg(test)]
mod tests;
