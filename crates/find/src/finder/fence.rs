//! Markdown fences: reading a line that contains three or more backticks or tildes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2_iter};

use crate::prefix::is_blank;
use jsift_json::is_json;

/// An info string: borrowed if it is a known one, otherwise a copy.
pub(crate) type Info = Cow<'static, str>;

/// Info strings that announce JSON: the first word, in lower case.
pub(crate) const JSON_WORDS: [&str; 6] = ["json", "jsonc", "json5", "jsonl", "ndjson", "geojson"];

/// How many bytes of a line are searched for the info string of a fence.
pub const INFO_LIMIT: usize = 1024;

/// What a fence announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Announced {
    /// JSON.
    Json,
    /// Nothing: it has no info string.
    Nothing,
    /// Another language.
    Other,
}

/// The marks that open a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FenceMarks {
    /// A backtick or a tilde.
    pub(crate) byte: u8,
    pub(crate) count: usize,
}

impl FenceMarks {
    /// Returns whether these marks close a fence opened by `open`.
    pub(crate) const fn close(self, open: Self) -> bool {
        self.byte == open.byte && self.count >= open.count
    }
}

/// The opening of a fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) marks: FenceMarks,
    pub(crate) announced: Announced,
    pub(crate) info: Info,
    /// Where the text after the first word starts, counted from the first mark.
    pub(crate) content: usize,
    /// Whether the fence's content starts there, on the line of the marks.
    pub(crate) same_line: bool,
}

/// Returns the run of marks that `text` starts with, if it has three or more.
pub(crate) fn marks(text: &[u8]) -> Option<FenceMarks> {
    let &byte = text.first()?;
    if byte != b'`' && byte != b'~' {
        return None;
    }
    let count = text.iter().take_while(|&&next| next == byte).count();
    (count >= 3).then_some(FenceMarks { byte, count })
}

/// Returns where the first run of marks is in `text`.
pub(crate) fn find_marks(text: &[u8]) -> Option<usize> {
    let run = |at: &usize| marks(text.get(*at..).unwrap_or_default()).is_some();
    memchr2_iter(b'`', b'~', text).find(run)
}

/// Returns the number of marks that `text` starts with if they close a fence opened by `open`.
pub(crate) fn closing(text: &[u8], open: &FenceMarks) -> Option<usize> {
    let found = marks(text)?;
    found.close(*open).then_some(found.count)
}

/// Returns whether the marks after `left` on their line start a markdown block: `left` contains only blanks, list
/// markers and block quote markers.
pub(crate) fn begins_block(left: &[u8]) -> bool {
    let mut rest = left;
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest {
            [] => return true,
            [b'>', after @ ..] => after,
            [b'-' | b'*' | b'+', after @ ..] if after.first().is_some_and(is_blank) => after,
            [(b'0'..=b'9'), ..] => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                match rest.get(digits..) {
                    Some([b'.' | b')', after @ ..])
                        if digits <= 9 && after.first().is_some_and(is_blank) =>
                    {
                        after
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
}

/// Reads the opening of a fence. `text` starts with its marks and goes to the end of the line (without line feed) or
/// beyond [`INFO_LIMIT`]; `block` says whether the marks [start a block](begins_block).
#[inline(always)]
pub(crate) fn opening(text: &[u8], block: bool) -> Option<Opening> {
    let marks = marks(text)?;
    let rest = text.get(marks.count..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
    let named = rest.get(blanks..).unwrap_or_default();
    let length = named.iter().take_while(|byte| is_word(**byte)).count();
    let word = named.get(..length).unwrap_or_default();
    let after = named.get(length..).unwrap_or_default();
    let trimmed = after.trim_ascii();
    let attributes = has_attributes(trimmed) && !trimmed.contains(&marks.byte);
    let bracket = matches!(trimmed.first(), Some(b'{' | b'[')) && !attributes;
    let announces = |known: &str| word.eq_ignore_ascii_case(known.as_bytes());
    let json = JSON_WORDS.into_iter().any(announces)
        && after.first().is_none_or(|byte| {
            byte.is_ascii_whitespace() || b"{[".contains(byte) || *byte == marks.byte
        });
    let announced = match (json, named.is_empty() || (length == 0 && bracket)) {
        (true, _) => Announced::Json,
        (false, true) => Announced::Nothing,
        (false, false) => Announced::Other,
    };
    let closed = closing(trimmed, &marks).is_some();
    let stands = match announced {
        Announced::Json => block || trimmed.is_empty() || closed || bracket,
        // Backticks in an info string make the line inline code.
        _ => block && (bracket || marks.byte == b'~' || !named.contains(&b'`')),
    };
    if !stands {
        return None;
    }
    let same_line = bracket || (json && closed);
    let skipped = after.len() - after.trim_ascii_start().len();
    Some(Opening {
        announced,
        info: info(if same_line { word } else { named.trim_ascii() }),
        content: marks.count + blanks + length + skipped,
        marks,
        same_line,
    })
}

/// Returns the content of the fence whose opening marks a range of a text starts with. It ends at the last closing
/// marks in the range if their number is odd, since marks in strings come in pairs, and otherwise with the range.
pub(crate) fn content(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(range.clone())?;
    let line = rest.lines().next()?;
    let opening = opening(line.as_bytes(), true)?;
    let start = range.start
        + match opening.same_line {
            true => opening.content,
            false => (line.len() + 1).min(rest.len()),
        };
    let mut closing = (None, 0);
    let mut at = start;
    for line in text.get(start..range.end)?.split_inclusive('\n') {
        let marks =
            find_marks(line.as_bytes()).and_then(|left| line.as_bytes().split_at_checked(left));
        if let Some((left, marks)) = marks
            && self::closing(marks, &opening.marks).is_some()
            && begins_block(left)
        {
            closing = (Some(at + left.len()), closing.1 + 1);
        }
        at += line.len();
    }
    let end = closing.0.filter(|_| closing.1 % 2 == 1);
    Some(start..end.unwrap_or(range.end))
}

/// Returns whether the rest of a line, `line`, starts with what markdown renderers take for attributes: line numbers to
/// highlight (`{1,3-5}`), classes (`{.numberLines}`), options (`{linenos=true}`), or a title (`[package.json]`).
pub(crate) fn has_attributes(line: &[u8]) -> bool {
    let content = |close| line.get(1..memchr(close, line)?);
    match line.first() {
        Some(b'{') => content(b'}').is_some_and(|content| match content {
            [b'.' | b'#', ..] => true,
            [] => false,
            options if is_option(options) => true,
            lines => lines
                .iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b',' | b'-' | b' ')),
        }),
        Some(b'[') => content(b']').is_some_and(|content| {
            let title = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte);
            let named = content.first().is_some_and(u8::is_ascii_alphabetic);
            named && content.iter().all(title) && !is_json(content)
        }),
        _ => false,
    }
}

/// Returns whether `text` starts with an optional name and an equals sign, as an option does (`{=html}` has no name).
fn is_option(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| is_word(**byte)).count();
    text.get(name) == Some(&b'=')
}

fn info(text: &[u8]) -> Info {
    let known = JSON_WORDS
        .into_iter()
        .chain([""])
        .find(|known| known.as_bytes() == text);
    match known {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(String::from_utf8_lossy(text).into_owned()),
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'#' | b'/' | b':')
        || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::{Announced, begins_block, opening};

    fn reads(text: &str, block: bool) -> Option<(Announced, String, bool)> {
        opening(text.as_bytes(), block)
            .map(|found| (found.announced, found.info.into_owned(), found.same_line))
    }

    #[test]
    fn announces_what_the_first_word_says() {
        use Announced::{Json, Nothing, Other};
        for (text, announced, info, same_line) in [
            ("```json", Json, "json", false),
            ("~~~~ JSON ", Json, "JSON", false),
            ("```json title=x", Json, "json title=x", false),
            ("```json {\"a\":1}```", Json, "json", true),
            ("```json[1]", Json, "json", true),
            ("```json []", Json, "json", true),
            ("```json```", Json, "json", true),
            ("```json {}", Json, "json", true),
            ("```text {\"a\":1}", Other, "text", true),
            ("``````", Nothing, "", false),
            ("```{\"a\":1}```", Nothing, "", true),
            ("```python", Other, "python", false),
            ("```jsonp", Other, "jsonp", false),
            ("```json:file.json", Other, "json:file.json", false),
            ("```json {1,3-5}", Json, "json {1,3-5}", false),
            (
                "```json{2} showLineNumbers",
                Json,
                "json{2} showLineNumbers",
                false,
            ),
            ("```json {.numberLines}", Json, "json {.numberLines}", false),
            (
                "```json {linenos=true, hl_lines=[1]}",
                Json,
                "json {linenos=true, hl_lines=[1]}",
                false,
            ),
            ("```json [package.json]", Json, "json [package.json]", false),
            ("```json [true]", Json, "json", true),
            ("```json [1]", Json, "json", true),
            ("```json {a: 1}", Json, "json", true),
        ] {
            assert_eq!(
                reads(text, true),
                Some((announced, info.to_owned(), same_line)),
                "{text}"
            );
        }
        assert_eq!(reads("``json", true), None);
        assert_eq!(reads("```a `b`", true), None);
    }

    #[test]
    fn only_json_may_be_announced_in_the_middle_of_a_line() {
        assert!(reads("```json", false).is_some());
        assert!(reads("```json```", false).is_some());
        assert!(reads("```json {", false).is_some());
        assert!(reads("```json is what I want", false).is_none());
        assert!(reads("```", false).is_none());
        assert!(reads("```python", false).is_none());
    }

    #[test]
    fn blocks_begin_after_markers() {
        for left in ["", "   ", "> ", " - ", "12. ", "> * > ", "      "] {
            assert!(begins_block(left.as_bytes()), "{left:?}");
        }
        for left in ["a ", "-", "1.", "1234567890. ", "2026-01-01 "] {
            assert!(!begins_block(left.as_bytes()), "{left:?}");
        }
    }
}
