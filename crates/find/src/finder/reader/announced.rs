//! Whether the text around an opening bracket announces a document: a bracket after a word belongs to the word.

use super::headless::SIGNS;
use super::text::Line;
use super::{LEFT_KEPT, Reader, Round};
use crate::finder::almost_json::{is_written_out, line_end, reason};
use crate::finder::bracket::{announces, left_open};
use crate::finder::fence::begins_block;
use crate::finder::line::{self, NextByte};
use crate::finder::window::Window;
use crate::prefix::{self, Left, PREFIX_LIMIT, first_shown, without_bom};
use jsift_json::scan::clean;
use std::str;

/// The levels of messages.
const LEVELS: [&[u8]; 11] = [
    b"trace",
    b"debug",
    b"info",
    b"information",
    b"notice",
    b"warn",
    b"warning",
    b"error",
    b"critical",
    b"fatal",
    b"panic",
];
/// How many bytes before a bracket are looked at on a longer line.
const TAIL: u64 = 64;
/// How many bytes may be shown before a bracket on a line that starts with a prefix or a sign.
const LONGEST_LEFT: usize = 2 * PREFIX_LIMIT;

/// Whether the text before a bracket on its line announces a document: nothing but a prefix, a line number or the sign
/// of a list, a quotation or a change, or words that [announce](announces) one, or a comment.
pub(in crate::finder) fn is_announced(line: &[u8]) -> bool {
    // Elixir writes a map as `%{"a" => 1}`.
    let line = line.strip_suffix(b"%").unwrap_or(line);
    let left = line.trim_ascii_end();
    // The sign of a changed line, or its number and a blank.
    let sign = left.trim_ascii_start();
    let numbered = left.len() < line.len() && sign.iter().all(u8::is_ascii_digit);
    let is_sign = matches!(sign, [sign] if SIGNS.contains(sign)) || numbered;
    announces(left)
        || left.ends_with(b"*/")
        || is_sign
        || begins_block(line)
        || begins_with_bullet(line)
        || Left::is_end_of_prefix(line)
        || ends_with_level(line)
}

/// Whether nothing is before a bracket but signs that are not ASCII, such as bullets, and then a blank.
fn begins_with_bullet(line: &[u8]) -> bool {
    let is_sign = |c: char| c.is_whitespace() || !c.is_ascii() && !c.is_alphanumeric();
    let is_parted = line.last().is_some_and(prefix::is_blank);
    // Most lines begin with a letter or digit.
    let is_other = line.first().is_some_and(u8::is_ascii_alphanumeric);
    is_parted && !is_other && str::from_utf8(line).is_ok_and(|line| line.chars().all(is_sign))
}

/// Whether the text before a bracket is a prefix and the level of a message: `2026-01-02 12:00:00 INFO {`.
fn ends_with_level(line: &[u8]) -> bool {
    let left = line.trim_ascii_end();
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let letters = left.iter().rev().take_while(is_letter).count();
    let parts = left.split_at_checked(left.len() - letters);
    parts.is_some_and(|(before, word)| {
        let is_level = LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
        is_level && Left::is_end_of_prefix(before)
    })
}

impl Reader {
    /// Whether text before the bracket at `start` [announces](is_announced) a document.
    pub(super) fn is_announced_before(&mut self, start: u64, window: &Window) -> bool {
        if is_line_end_after(start, window) {
            return false;
        }
        let line = self.line(window, start);
        let whole = is_short(line, start, window);
        let near = match whole {
            true => line.start,
            false => start.saturating_sub(TAIL).max(line.start),
        };
        let written = clean(without_bom(window.slice(near, start)));
        if whole && prefix::is_in_string(&written) && ends_string(window.from(start + 1)) {
            return false;
        }
        match whole {
            true => is_announced(&written),
            false => announces(written.trim_ascii_end()),
        }
    }

    /// Whether what follows the bracket at `start` announces a document: line ends that are written out, or, if nothing
    /// closes the bracket on its own line, a next line that shows that the text before it is a prefix. `None` if that
    /// needs more text.
    pub(super) fn is_announced_after(&mut self, start: u64, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        if is_line_end_after(start, window) {
            let (_, line) = window.next_line(start, last)?;
            return Some(line.get(1..).is_some_and(is_written_out));
        }
        let line = self.line(window, start);
        if !is_short(line, start, window) {
            return Some(false);
        }
        let (_, rest) = window.next_line(start, last)?;
        if left_open(rest) != Some(0) {
            return Some(false);
        }
        let written = without_bom(window.slice(line.start, start));
        is_carried(&Left::new(written), (start, rest), round)
    }
}

/// Whether so little is before the bracket at `start` on its line that a prefix may reach it.
fn is_short(line: Line, start: u64, window: &Window) -> bool {
    let before = window.slice(line.start, start);
    line.whole
        && before.len() < LEFT_KEPT as usize
        && first_shown(before, LONGEST_LEFT + 1).is_none()
}

/// Whether an escape or a line end that is written out follows the bracket at `start`: only what it is tells whether a
/// document is announced.
fn is_line_end_after(start: u64, window: &Window) -> bool {
    let after = window.from(start).get(1..).unwrap_or_default();
    after.first() == Some(&b'\\') || line_end(after).is_some()
}

/// Whether a text begins with the end of a string that is an element or the value of a member: a bracket before it is
/// part of that string (`"f(x) = {",`).
fn ends_string(text: &[u8]) -> bool {
    let next = text
        .strip_prefix(b"\"")
        .map(|after| line::next(after, true));
    matches!(
        next,
        Some(NextByte::End | NextByte::Byte(b'\n' | b'\r' | b',' | b'}' | b']'))
    )
}

/// Whether the line after that of a bracket carries what stands `left` of it, and then an indent, a quotation mark or a
/// comment. Anything but the same message may follow if that contains a time stamp, or if the line after it carries it,
/// too. `opened` is the line from the bracket on, and where it starts. `None` if that needs more text.
pub(super) fn is_carried(
    left: &Left,
    (start, opened): (u64, &[u8]),
    round: &Round<'_>,
) -> Option<bool> {
    let line_at = |at| round.window.next_line(at, round.last);
    let (next, line) = line_at(start + opened.len() as u64)?;
    // Text that is too long for a prefix is none.
    let carried = left.after(without_bom(line));
    let Some(text) = carried.filter(|_| !left.text.is_empty()) else {
        return Some(false);
    };
    let first = line::next_shown(text);
    let is_indented = text.first().is_some_and(prefix::is_blank);
    if is_indented || matches!(first, Some(b'"' | b'\'')) || reason(text).is_some() {
        return Some(true);
    }
    if first.is_none() || first.as_ref() == opened.first() {
        return Some(false);
    }
    let is_again = || Some(left.after(line_at(next + line.len() as u64)?.1).is_some());
    Some(left.has_stamp() || is_again()?)
}

#[cfg(test)]
mod tests {
    use super::is_announced;

    #[test]
    fn what_is_announced_stands_after_a_sign_or_a_prefix() {
        for left in [
            "",
            "- ",
            "  • ",
            "⎿ ",
            "● ⎿ ",
            "see `",
            "结果如下：",
            "%",
            "a: %",
            "2024-01-01 12:00:00 INFO ",
            "[12:00:00] error ",
            "a => ",
            "[INFO] ",
            "2026-01-01T00:00:00.000Z stderr F ",
        ] {
            assert!(is_announced(left.as_bytes()), "{left}");
        }
        for left in [
            "see ",
            "•",
            "é ",
            "• a ",
            "INFO ",
            "got stdout F ",
            "at 12:00:00 got ",
            "100%",
            "() => ",
            "(x)=>",
        ] {
            assert!(!is_announced(left.as_bytes()), "{left}");
        }
    }
}
