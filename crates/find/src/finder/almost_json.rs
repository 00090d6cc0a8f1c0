//! Almost JSON: what strict JSON cannot take and the tolerant reader of `--repair` reads.

use std::str;

use super::line;
use super::literal_names;
use crate::prefix::is_blank;
use jsift_json::is_white;

/// The comments of other languages: how each opens, and what it ends with.
pub(super) const COMMENTS: [(&str, &str); 5] = [
    ("#", "\n"),
    ("//", "\n"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("<--", "\n"),
];

/// What stands for members or elements that are left out.
pub(super) const ELLIPSES: [&str; 2] = ["...", "…"];

/// The length of the longest ellipsis, in bytes.
pub(super) const LONGEST_ELLIPSIS: u64 = 3;

/// Returns the length of the ellipsis that a text begins with.
pub(super) fn ellipsis(text: &[u8]) -> Option<usize> {
    let mut all = ELLIPSES.iter().map(|ellipsis| ellipsis.as_bytes());
    all.find(|ellipsis| text.starts_with(ellipsis))
        .map(<[u8]>::len)
}

/// Whether more text may show that a text begins with an ellipsis.
pub(super) fn may_begin_ellipsis(text: &[u8]) -> bool {
    ELLIPSES.iter().any(|ellipsis| begins(ellipsis, text))
}

/// The length of the longest character, in bytes.
const LONGEST_CHAR: usize = 4;

/// The families of quotation marks. A string ends with a quote of its own family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `‘ ’ ‚ ＇`, the backtick and the acute accent.
    SmartSingle,
    /// `“ ” „ ＂`
    SmartDouble,
}

impl Quote {
    /// Returns the family of a quotation mark; `None` for any other character.
    pub(super) const fn of(found: char) -> Option<Self> {
        Some(match found {
            '"' => Self::Double,
            '\'' => Self::Single,
            '`' | '´' | '‘' | '’' | '‚' | '＇' => Self::SmartSingle,
            '“' | '”' | '„' | '＂' => Self::SmartDouble,
            _ => return None,
        })
    }

    /// Whether a string that `self` opened may end with `other`.
    pub(super) const fn closes_with(self, other: Self) -> bool {
        match self {
            Self::Double => matches!(other, Self::Double),
            Self::Single => matches!(other, Self::Single),
            Self::SmartSingle => matches!(other, Self::SmartSingle | Self::Single),
            Self::SmartDouble => matches!(other, Self::SmartDouble | Self::Double),
        }
    }
}

/// How many bytes after a bracket tell in any case whether a document may go on there, but for more blanks.
pub(super) const DECIDES: usize = NAME + NEAR;
/// How many bytes after a bare name are looked at: blanks and colours, then a colon.
const NEAR: usize = 16;

/// Returns whether more text after `after` may change what [`may_continue`](super::bracket::may_continue) and
/// [`may_continue_almost`] say: it ends in the blanks, the name or the sign after a bracket.
pub(super) fn is_undecided(after: &[u8]) -> bool {
    let rest = past_blanks(after);
    let signs = COMMENTS.iter().map(|(open, _)| *open).chain(WRITTEN);
    let mut signs = signs.chain(ELLIPSES).chain(["```"]);
    let is_cut = str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0);
    rest == b"."
        || matches!(rest, [b'+', after @ ..] if after.len() < NEAR && near_shown(after).is_none())
        || rest.len() < ESCAPES && rest.iter().all(|byte| *byte == b'\\')
        || rest.len() < LONGEST_CHAR && is_cut
        || signs.any(|sign| begins(sign, rest))
        || is_undecided_name(past_name(rest))
}

/// Whether more text after a bare name may change what follows it.
fn is_undecided_name(after: &[u8]) -> bool {
    let rest = past_blanks(after);
    let is_cut = str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0);
    near_shown(after).is_none()
        || rest.len() < LONGEST_CHAR && is_cut
        || past_equals(rest).is_some_and(<[u8]>::is_empty)
}

/// Returns what follows the equals sign or arrow that a text begins with.
fn past_equals(text: &[u8]) -> Option<&[u8]> {
    let after = text.strip_prefix(b"=")?;
    Some(past_blanks(after.strip_prefix(b">").unwrap_or(after)))
}

/// Whether `text` is the beginning of `whole`, but not all of it.
fn begins(whole: &str, text: &[u8]) -> bool {
    !text.is_empty() && text.len() < whole.len() && whole.as_bytes().starts_with(text)
}

fn past_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    text.get(blanks..).unwrap_or_default()
}

/// Returns the first bytes of a text.
fn near(text: &[u8]) -> &[u8] {
    text.get(..NEAR).unwrap_or(text)
}

/// Returns the first byte of a text that is shown; `None` if it is not near.
fn near_shown(text: &[u8]) -> Option<u8> {
    line::next(near(text), false).byte()
}

/// Returns the text after the bare name that it may begin with, which may have several words.
fn past_name(text: &[u8]) -> &[u8] {
    let part = |byte: &&u8| OF_NAME.get(usize::from(**byte)) == Some(&true);
    let word = |text: &[u8]| text.iter().take_while(part).count();
    let near = text.get(..NAME).unwrap_or(text);
    let mut length = word(near);
    while let Some([b' ', after @ ..]) = near.get(length..).filter(|_| length > 0) {
        match word(after) {
            0 => break,
            next => length += 1 + next,
        }
    }
    text.get(length..).unwrap_or_default()
}

/// Whether what follows a bare name shows that it is one: a colon, an equals sign or arrow before a bracket (fields of
/// logs have others: `{job="x"}`), or a quotation mark, of its own or of its value.
fn follows_name(after: &[u8]) -> bool {
    match near_shown(after) {
        None | Some(b':' | b'"' | b'\'') => true,
        Some(b'=') => {
            let value = past_equals(past_blanks(after)).and_then(<[u8]>::first);
            matches!(value, Some(b'{' | b'['))
        }
        Some(byte) if !byte.is_ascii() => {
            let quote = first_char(past_blanks(after)).and_then(Quote::of);
            quote.is_some_and(|quote| {
                quote.closes_with(Quote::Double) || quote.closes_with(Quote::Single)
            })
        }
        Some(_) => false,
    }
}

/// Returns the first character of a text.
fn first_char(text: &[u8]) -> Option<char> {
    let near = text.get(..LONGEST_CHAR).unwrap_or(text);
    near.utf8_chunks().next()?.valid().chars().next()
}

/// The longest bare name that is looked at, in bytes.
const NAME: usize = 64;

/// Which bytes a bare name may contain.
const OF_NAME: [bool; 256] = {
    let mut of_name = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        of_name[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'$' | b'-' | b'.' | b'@' | b'<' | b'>');
        byte += 1;
    }
    of_name
};

/// Returns whether `after` can continue almost JSON that `bracket` opened: with [what JSON does not have](other), a
/// literal or number of another language, or a bare name, which a colour may follow.
pub(super) fn may_continue_almost(bracket: u8, after: &[u8]) -> bool {
    let rest = past_blanks(after);
    match rest {
        // NUL is a line end in text, but none to JSON.
        [0 | b',', ..] => true,
        _ if written_blank(rest).is_some() || other(rest).is_some() => true,
        _ if bracket == b'[' => begins_other_number(rest) || literal_names::reason(rest).is_some(),
        _ => {
            let after_name = past_name(rest);
            after_name.len() < rest.len() && follows_name(after_name)
        }
    }
}

/// Whether a text begins with a number as JSON does not write it: with a plus sign, or without a digit before the
/// point.
const fn begins_other_number(text: &[u8]) -> bool {
    matches!(text, [b'+' | b'.', b'0'..=b'9', ..])
}

/// Returns what a text begins with, if that is a comment, a string in other quotes, an ellipsis or a blank that is none
/// to JSON.
fn other(text: &[u8]) -> Option<&'static str> {
    // Most brackets in logs are before a word.
    if text.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let first = first_char(text)?;
    let begins = |sign: &str| text.starts_with(sign.as_bytes());
    match Quote::of(first) {
        _ if COMMENTS.iter().any(|(open, _)| begins(open)) => Some("a comment"),
        _ if ellipsis(text).is_some() => Some("an ellipsis"),
        Some(Quote::Single) => Some("a string in single quotes"),
        Some(Quote::SmartSingle) if first == '`' => {
            (!begins("```")).then_some("a string in backticks")
        }
        Some(Quote::SmartSingle | Quote::SmartDouble) => Some("a typographic quotation mark"),
        _ => other_blank(first),
    }
}

/// Returns what a character is called, if it is a blank to other languages and word processors, but none to JSON.
pub(super) fn other_blank(c: char) -> Option<&'static str> {
    match c {
        ' ' | '\t' | '\n' | '\r' => None,
        '\u{a0}' => Some("a no-break space"),
        '\u{feff}' => Some("a byte order mark"),
        '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' => Some("a zero-width space"),
        _ => c
            .is_whitespace()
            .then_some("white space that JSON does not have"),
    }
}

/// What is written for a line end or a tab outside of strings: by rsyslog, by TeamCity, in HTML, in pictures of text.
pub(super) const WRITTEN: [&str; 13] = [
    "#012", "#015", "#011", "|n", "|r", "<EOL>", "<CR>", "<LF>", "<br>", "<br/>", "␊", "␍", "⏎",
];

/// Returns the length of what a text begins with, if that is [written](WRITTEN) for a blank, or is the plus sign at the
/// end of a line of a field (psql).
pub(super) fn written_blank(text: &[u8]) -> Option<usize> {
    match text {
        [b'+', after @ ..] => match near_shown(after) {
            Some(b'\n' | b'\r') => Some(2 + memchr::memchr(b'\n', near(after))?),
            _ => None,
        },
        [b'#' | b'|' | b'<' | 0xe2, ..] => {
            let mut all = WRITTEN.iter().map(|blank| blank.as_bytes());
            all.find(|blank| text.starts_with(blank)).map(<[u8]>::len)
        }
        _ => None,
    }
}

/// Whether a text begins with a line end or tab that is written out, as strings have them: `\n`, `\r` or `\t`.
pub(super) const fn is_escaped_blank(text: &[u8]) -> bool {
    matches!(text, [b'\\', b'n' | b'r' | b't', ..])
}

/// Returns the length of the line end or tab that a text begins with, if it is written out, as
/// [strings](is_escaped_blank) have it or in another [notation](written_blank).
pub(super) fn line_end(text: &[u8]) -> Option<usize> {
    match is_escaped_blank(text) {
        true => Some(2),
        false => written_blank(text),
    }
}

/// How many backslashes before a quotation mark are looked at: those of three levels of escapes.
const ESCAPES: usize = 7;

/// Whether a text begins with a quotation mark that is escaped, as in a string that contains JSON, or in a string in
/// that.
pub(super) fn begins_escaped(text: &[u8]) -> bool {
    let escapes = text.iter().take(ESCAPES).take_while(|byte| **byte == b'\\');
    let escapes = escapes.count();
    escapes > 0 && text.get(escapes) == Some(&b'"')
}

/// Whether `after` goes on as JSON does in a string: with its quotation marks escaped (`{\"a\": 1}`), or with its line
/// ends written out and its quotation marks as they are (`{\n  "a": 1}`, as Python shows a string or bytes).
pub(super) fn is_written_out(after: &[u8]) -> bool {
    if begins_escaped(after) {
        return true;
    }
    let mut rest = after;
    let mut escaped = false;
    loop {
        if let Some(length) = line_end(rest) {
            escaped = true;
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        rest = match rest {
            [blank, after @ ..] if is_blank(blank) => after,
            // A quotation mark that ends its line ends a string.
            [b'"', next, ..] => return escaped && !is_white(*next),
            [b'{' | b'[', ..] => return escaped,
            _ => return false,
        }
    }
}

/// The length of the longest text for which [`reason`] gives a reason, in bytes.
pub(super) const LONGEST_REASON: usize = literal_names::LONGEST + 1;

/// Returns what stands in a text that strict JSON cannot take, if it has a name.
pub(super) fn reason(text: &[u8]) -> Option<&'static str> {
    match written_blank(text) {
        // In a box, what follows psql's sign is not the line end.
        Some(_) if !text.starts_with(b"+") => Some("a line end in another notation"),
        _ if text.starts_with(b"\\") => Some("an escape outside of a string"),
        _ => other(text).or_else(|| literal_names::reason(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_written_out, may_continue_almost};

    #[test]
    fn line_ends_are_written_out_before_quotation_marks_and_brackets() {
        for text in [
            r#"\n  "a""#,
            r#"\r\n"a""#,
            r#"\t{ "a""#,
            r"\n[",
            "|n\t\"a\"",
            " +\n[",
        ] {
            assert!(is_written_out(text.as_bytes()), "{text}");
        }
        for text in [
            r#"  "a""#,
            r#"\n  \"a\""#,
            "\\n\"\n",
            "\\n\"",
            r"\n",
            r"\n]",
            r#"\s"a""#,
            "|x\"a\"",
        ] {
            assert!(!is_written_out(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn almost_json_goes_on_with_what_json_does_not_have() {
        for text in [
            "{'a'",
            "{ // c",
            "{/*",
            "{a:",
            "{ a_b :",
            "{xa\"",
            "{a\u{1b}[0m:",
            "{\u{a0}",
            "[None",
            "['a'",
            "[#",
            "{,",
            "{|n",
            "[ +\n",
            "{<EOL>",
            "{⏎",
            "{`a`",
            "{´a´",
            "[＂a＂",
            "{u'a'",
            "{<!-- c",
            "[<-- c",
            "[\u{3000}",
            "{...",
            "[…",
            "[ +1",
            "[.5",
            "{a = [",
            "{a=>{",
            "{my key:",
            "{@a:",
            "{<a b>:",
            "{ a” :",
        ] {
            assert!(
                may_continue_almost(text.as_bytes()[0], &text.as_bytes()[1..]),
                "{text}"
            );
        }
        for text in [
            "[INFO]",
            "{ echo x;",
            "{a}",
            "{a\u{1b}[0m\n",
            "{%",
            "{{",
            "[x",
            "{/a",
            "[a: 1",
            "{|x",
            "{```",
            "{ + 1",
            "[<b>",
            "{my  key:",
            "{a – b",
            "{a=\"b\"",
            "{a =",
        ] {
            assert!(
                !may_continue_almost(text.as_bytes()[0], &text.as_bytes()[1..]),
                "{text}"
            );
        }
    }
}
