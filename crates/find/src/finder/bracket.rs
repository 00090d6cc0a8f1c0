//! What follows an opening bracket, and what of it only almost JSON has. The next byte is enough to reject most brackets in
//! noise.

use super::literal_names;
use super::strings::outside_strings;
use super::weak::next_shown;
use crate::prefix::is_blank;
use jsift_json::is_white;
use jsift_json::terminal::ESCAPE;

/// What opens a CDATA section. Its last bracket is XML's, and so are those that close the section: they do not make an
/// array of a document between them.
pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// How many blanks after a bracket are skipped: most brackets in noise are followed by at most one.
const BLANKS: usize = 3;

/// Returns whether `after` can continue a document that `bracket` opened, as far as the first byte after the blanks
/// shows. Terminal sequences may stand anywhere.
#[inline(always)]
pub(super) fn may_continue(bracket: u8, after: &[u8]) -> bool {
    let mut rest = after;
    for _ in 0..BLANKS {
        match rest {
            [b' ' | b'\t', after @ ..] => rest = after,
            _ => break,
        }
    }
    match rest.first() {
        None => true,
        // After a blank, this byte may be the side of a box.
        Some(b'|' | 0x80..) => matches!(after, [b' ' | b'\t', ..]),
        Some(&next) => follows(bracket, next),
    }
}

/// How many bytes after a bracket tell in any case whether a document may go on there, but for more blanks.
pub(super) const DECIDES: usize = NAME + NEAR;
/// How many bytes after a bare name are looked at: blanks and colours, then a colon.
const NEAR: usize = 16;

/// Returns whether more text after `after` may change what [`may_continue`] and [`may_continue_almost`] say: it ends in the
/// blanks, the name or the sign after a bracket.
pub(super) fn is_undecided(after: &[u8]) -> bool {
    let rest = past_blanks(after);
    match rest {
        [b'/' | b'\\' | 0xc2 | 0xe2 | 0xef] | [0xef, 0xbb] => true,
        _ if WRITTEN.iter().any(|blank| begins(blank, rest)) => true,
        _ => near_shown(past_name(rest)).is_none(),
    }
}

/// Whether `text` is the beginning of `whole`, but not all of it.
fn begins(whole: &str, text: &[u8]) -> bool {
    !text.is_empty() && text.len() < whole.len() && whole.as_bytes().starts_with(text)
}

fn past_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    text.get(blanks..).unwrap_or_default()
}

/// Returns the first byte of a text that is shown; `None` if it is not near.
fn near_shown(text: &[u8]) -> Option<u8> {
    next_shown(text.get(..NEAR).unwrap_or(text), false, false).flatten()
}

/// Returns the text after the bare name that it may begin with.
fn past_name(text: &[u8]) -> &[u8] {
    let part = |byte: &&u8| OF_NAME.get(usize::from(**byte)) == Some(&true);
    let length = text.iter().take(NAME).take_while(part).count();
    text.get(length..).unwrap_or_default()
}

/// Returns whether `after` can continue almost JSON that `bracket` opened: with a comment, a string in other quotes, a
/// bare name, which a colour may follow, a literal of another language, or a blank that is none to JSON.
pub(super) fn may_continue_almost(bracket: u8, after: &[u8]) -> bool {
    let rest = past_blanks(after);
    match rest {
        // NUL is a line end in text, but none to JSON.
        [b'\'' | b'#' | 0, ..] | [b'/', b'/' | b'*', ..] | [0xc2, 0xa0, ..] => true,
        [0xe2, 0x80, ..] | [0xef, 0xbb, 0xbf, ..] | [b',', ..] => true,
        _ if written_blank(rest).is_some() => true,
        _ if bracket == b'[' => literal_names::reason(rest).is_some(),
        _ => {
            let after_name = past_name(rest);
            after_name.len() < rest.len()
                && matches!(near_shown(after_name), None | Some(b':' | b'"'))
        }
    }
}

/// What is written for a line end or a tab outside of strings: by rsyslog, by TeamCity, in HTML, in pictures of text, and by
/// psql at the end of a line of a field.
const WRITTEN: [&str; 15] = [
    "#012", "#015", "#011", "|n", "|r", "<EOL>", "<CR>", "<LF>", "<br>", "<br/>", "␊", "␍", "⏎",
    "+\n", "+\r\n",
];

/// Returns the length of what a text begins with, if that is [written](WRITTEN) for a blank.
pub(super) fn written_blank(text: &[u8]) -> Option<usize> {
    let first = text.first()?;
    if !matches!(first, b'#' | b'|' | b'<' | b'+' | 0xe2) {
        return None;
    }
    let written = WRITTEN
        .iter()
        .find(|blank| text.starts_with(blank.as_bytes()))?;
    Some(written.len())
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

/// Whether `after` goes on as JSON does in a string of another language, with its line ends written out and its quotation
/// marks as they are: `{\n  "a": 1}`, as Python shows a string or bytes.
pub(super) fn is_written_out(after: &[u8]) -> bool {
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
    const REASONS: [(&[u8], &str); 9] = [
        (b"//", "a comment"),
        (b"/*", "a comment"),
        (b"#", "a comment"),
        (b"'", "a string in single quotes"),
        (b"\\", "an escape outside of a string"),
        (b"\xc2\xa0", "a no-break space"),
        (b"\xe2\x80\x8b", "a zero-width space"),
        (b"\xef\xbb\xbf", "a byte order mark"),
        (b"\xe2\x80\x9c", "a typographic quotation mark"),
    ];
    // In a box, what follows psql's sign is not the line end.
    let written = written_blank(text).filter(|_| !text.starts_with(b"+"));
    let written = written.map(|_| "a line end in another notation");
    let begins = REASONS.iter().find(|(begin, _)| text.starts_with(begin));
    let reason = written.or(begins.map(|(_, reason)| *reason));
    reason.or_else(|| literal_names::reason(text))
}

/// Whether the text before a bracket announces a document: it ends with a sign that a value follows, or with a dash
/// after a blank, as loggers put between the fields of a line.
pub(super) const fn announces(left: &[u8]) -> bool {
    matches!(
        left,
        [.., b':' | b'=' | b'(' | b'[' | b',' | b'>' | b'|'] | [.., b' ' | b'\t', b'-']
    )
}

/// Returns the index of the first bracket that nothing on the line closes. Brackets in strings do not count.
pub(super) fn left_open(line: &[u8]) -> Option<usize> {
    let (mut depth, mut outermost) = (0_usize, None);
    outside_strings(line, false, |at, byte| {
        match byte {
            b'{' | b'[' => {
                outermost = outermost.or(Some(at));
                depth += 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        outermost = outermost.filter(|_| depth > 0);
    });
    outermost
}

/// The longest bare name that is looked at, in bytes.
const NAME: usize = 64;

/// Which bytes a bare name may contain.
const OF_NAME: [bool; 256] = {
    let mut of_name = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        of_name[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.');
        byte += 1;
    }
    of_name
};

/// Returns whether a byte can follow an opening bracket in a document.
#[inline(always)]
const fn follows(bracket: u8, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => bracket == b'{',
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => bracket == b'[',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_written_out, left_open, may_continue_almost};

    #[test]
    fn what_is_open_at_the_end_of_a_line_is_not_closed_in_a_string() {
        for (line, open) in [
            ("{'name': '}',", Some(0)),
            (r#"a {"b": "}","#, Some(2)),
            ("[1] {a: [2]", Some(4)),
            ("it's {a} and [b]", None),
        ] {
            assert_eq!(left_open(line.as_bytes()), open, "{line}");
        }
    }

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
        ] {
            assert!(
                may_continue_almost(text.as_bytes()[0], &text.as_bytes()[1..]),
                "{text}"
            );
        }
        for text in [
            "[INFO]",
            "{ echo x",
            "{a}",
            "{a\u{1b}[0m\n",
            "{%",
            "{{",
            "[x",
            "{/a",
            "[a: 1",
            "{|x",
            "{ + 1",
            "[<b>",
        ] {
            assert!(
                !may_continue_almost(text.as_bytes()[0], &text.as_bytes()[1..]),
                "{text}"
            );
        }
    }
}
