//! Excerpts of the input for messages: on one line, cut, and with hidden characters visible.

use unicode_width::UnicodeWidthStr;

use crate::fitting;
use crate::sanitize::{is_hidden, visible};
use jsift_find::document::FaultLine;

/// How many columns are shown of a line before the byte that could not be read, and from it on.
const COLUMNS: [usize; 2] = [48, 28];

/// Returns the beginning of some input on one line, at most `max_chars` characters long.
///
/// A text that is cut ends in `…`, after a whole character. Hidden characters are escaped (`\n`, `\x1b`, `\u{202e}`),
/// invalid UTF-8 becomes U+FFFD. If `bytes` ends inside a character, the text counts as cut.
#[must_use]
pub fn excerpt(bytes: &[u8], max_chars: usize) -> String {
    // No character is longer than four bytes, and each becomes at least one character of output.
    let enough = max_chars.saturating_add(1).saturating_mul(4);
    let (bytes, mut cut) = match bytes.get(..enough) {
        Some(head) => (head, head.len() < bytes.len()),
        None => (bytes, false),
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        pieces.extend(chunk.valid().chars().map(shown));
        match std::str::from_utf8(chunk.invalid()) {
            Ok(_) => {}
            Err(error) if error.error_len().is_none() && chunks.peek().is_none() => cut = true,
            Err(_) => pieces.push('\u{fffd}'.to_string()),
        }
    }
    fit(&pieces, max_chars, cut)
}

/// Joins as many pieces as fit, with an ellipsis if there were more.
fn fit(pieces: &[String], max_chars: usize, cut: bool) -> String {
    let lengths = pieces.iter().map(|piece| piece.chars().count());
    let total: usize = lengths.clone().sum();
    if total + usize::from(cut) <= max_chars {
        return pieces.concat() + if cut { "…" } else { "" };
    }
    let count = fitting(lengths, max_chars.saturating_sub(1));
    let fit = pieces.iter().take(count).map(String::as_str);
    fit.chain(["…"]).collect()
}

/// Returns one character as an excerpt shows it.
fn shown(c: char) -> String {
    if is_hidden(c) {
        visible(c.encode_utf8(&mut [0; 4])).into_owned()
    } else {
        c.to_string()
    }
}

/// A line of the input with a mark under the place where reading stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkedLine {
    pub(super) line: FaultLine,
    /// What is written after the mark.
    pub(super) label: &'static str,
}

impl MarkedLine {
    /// Returns the line and the one with the mark:
    ///
    /// ```text
    ///   3 | {"a": 1 "b": 2}
    ///     |         ^ expected a comma or }
    /// ```
    pub(super) fn shown(&self) -> [String; 2] {
        let Self { line, label } = self;
        let number = line.number.to_string();
        let [room, room_after] = COLUMNS;
        let mut before = characters(&line.before);
        for tab in before.iter_mut().take_while(|text| is_blank(text)) {
            *tab = " ".to_owned();
        }
        let kept = fitting(before.iter().rev().map(|text| text.width()), room);
        let cut = line.cut || kept < before.len();
        let before = before.split_off(before.len() - kept).concat();
        let before = if cut {
            "…".to_owned() + &before
        } else {
            before
        };
        let mut after = characters(&line.after);
        let mark = after.first().map_or(1, |text| text.width().max(1));
        let kept = fitting(after.iter().map(|text| text.width()), room_after).max(1);
        if kept < after.len() {
            after.truncate(kept);
            after.push("…".to_owned());
        }
        let after = after.concat();
        let (blank, gutter) = (" ".repeat(before.width()), " ".repeat(number.len()));
        let mark = "^".repeat(mark);
        [
            format!("  {number} | {before}{after}"),
            format!("  {gutter} | {blank}{mark} {label}"),
        ]
    }
}

/// Returns whether a character that is shown is a space or a tab.
fn is_blank(shown: &str) -> bool {
    matches!(shown, " " | "\\t")
}

/// Returns the characters of a text as they are shown. Bytes that are not UTF-8 are escaped.
fn characters(text: &[u8]) -> Vec<String> {
    let mut shown_ones = Vec::new();
    for chunk in text.utf8_chunks() {
        shown_ones.extend(chunk.valid().chars().map(shown));
        let invalid = chunk.invalid().iter();
        shown_ones.extend(invalid.map(|byte| format!("\\x{byte:02x}")));
    }
    shown_ones
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the two lines for a text in which the byte at `at` could not be read.
    fn marked(text: &[u8], at: usize) -> String {
        let line = FaultLine::around(text, at, 7).unwrap();
        let label = "expected x";
        MarkedLine { line, label }.shown().join("\n")
    }

    #[test]
    fn the_mark_is_under_the_byte_that_could_not_be_read() {
        for (text, at, shown) in [
            (&b"a\n{1}\nb"[..], 3, "  7 | {1}\n    |  ^ expected x"),
            (b"{\"a\n", 3, "  7 | {\"a\n    |    ^ expected x"),
            (b"\t\t{\tx}", 4, "  7 |   {\\tx}\n    |      ^ expected x"),
            (
                b"{\x1b[31m}",
                1,
                "  7 | {\\x1b[31m}\n    |  ^^^^ expected x",
            ),
            (
                "{漢“a”}".as_bytes(),
                4,
                "  7 | {漢“a”}\n    |    ^ expected x",
            ),
            (b"{\xff}", 1, "  7 | {\\xff}\n    |  ^^^^ expected x"),
            (b"{x}\r\n", 1, "  7 | {x}\n    |  ^ expected x"),
            (b"{", 1, "  7 | {\n    |  ^ expected x"),
        ] {
            assert_eq!(marked(text, at), shown, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = [&b"a".repeat(1000)[..], b"x", &b"b".repeat(1000)].concat();
        let (a, b, blank) = ("a".repeat(48), "b".repeat(27), " ".repeat(49));
        let shown = format!("  7 | …{a}x{b}…\n    | {blank}^ expected x");
        assert_eq!(marked(&text, 1000), shown);
    }

    #[test]
    fn the_end_of_the_input_is_after_its_last_text() {
        let line = FaultLine::before_end(b"a\n{\"b\": \n\n", 10, 4).unwrap();
        assert_eq!((line.number, &line.before[..]), (2, &b"{\"b\":"[..]));
        assert_eq!(line.after, b"");
    }
}
