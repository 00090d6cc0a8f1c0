//! Log prefixes: what a log puts before every line of a text, and behind it where it draws a box.
//!
//! No format is known here. A prefix is learned from what stands before an opening, the *left text*: the lines that
//! follow may carry it whole or cut shorter, literally, or with only its time stamps, then only its digits, changed.

mod key;
mod left;
mod name;
mod stamp;
mod stripped;

use std::ops::Range;

use memchr::memmem;

use super::weak;
use crate::input::BOM;
use crate::input::terminal::ESCAPE;
use crate::json::scan::clean;
pub(crate) use left::{CUTS, Change, Left, PREFIX_LIMIT, is_blank};
pub(crate) use name::{SourceName, Stamped, stable};
pub(crate) use stamp::begins_with_stamp;
pub(crate) use stripped::{Stripped, is_taken_off, prefix_of};

/// One way to go on with a left text on the lines behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alternative {
    /// Which of the cuts it makes, 0 for the longest.
    pub(crate) cut: usize,
    pub(crate) change: Change,
}

/// The prefix of the lines of a source.
#[derive(Debug)]
pub(crate) struct Prefix {
    left: Left,
    alternative: Alternative,
    /// The blanks and colours that stood behind it where it was learned.
    padding: Vec<u8>,
    /// What ends the lines, if it is a box that they stand in.
    side: Vec<u8>,
}

impl Prefix {
    pub(crate) fn new(left: Left, alternative: Alternative, side: Vec<u8>) -> Self {
        let padding = left.padding_behind(alternative.cut).to_vec();
        Self {
            left,
            alternative,
            padding,
            side,
        }
    }

    /// What a line, line feed included, says between the two ends of the prefix. `None` if it does not carry the prefix.
    pub(crate) fn inside(&self, line: &[u8]) -> Option<Range<usize>> {
        let text = without_mark(line);
        let skipped = line.len() - text.len();
        let text = match self.side.is_empty() {
            true => text,
            false => within(text, &self.side)?,
        };
        let Alternative { cut, change } = self.alternative;
        let at = self.left.goes_on(text, (cut, change))?;
        let at = at + self.padded(text.get(at..)?);
        Some(skipped + at..skipped + text.len())
    }

    /// How much of what stands behind it stood there where it was learned, too.
    fn padded(&self, behind: &[u8]) -> usize {
        if behind.starts_with(&self.padding) {
            return self.padding.len();
        }
        match self.padding.first() {
            Some(blank) if is_blank(blank) && behind.first() == Some(blank) => 1,
            _ => 0,
        }
    }

    /// Whether lines end with the side of a box.
    pub(crate) const fn is_boxed(&self) -> bool {
        !self.side.is_empty()
    }

    /// The prefix as it stood where it was learned.
    pub(crate) fn text(&self) -> &[u8] {
        self.left.up_to(self.alternative.cut)
    }

    /// Which of its bytes may be other digits on other lines.
    pub(crate) fn free(&self) -> impl Iterator<Item = bool> {
        let change = self.alternative.change;
        let classes = self.left.classes.iter().take(self.text().len());
        classes.map(move |class| class.is_free(change))
    }

    /// Whether a line may carry it, by its first bytes.
    pub(crate) fn may_begin(&self, line: &[u8]) -> bool {
        self.left.may_begin(without_mark(line))
    }
}

/// Whether a prefix may end with what is `left` of a mark: marks in a sentence stand at a word.
pub(crate) fn stands_apart(left: &[u8]) -> bool {
    let apart = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|' | b':' | b']' | b'>');
    left.last().is_some_and(apart)
        || left.ends_with(BOM)
        || weak::sequence_before_end(left).is_some()
}

/// A line without the byte order mark that it may begin with.
pub(crate) fn without_mark(line: &[u8]) -> &[u8] {
    match line {
        // Few lines begin so: the mark itself is compared by a call.
        [first, ..] if Some(first) == BOM.first() => line.strip_prefix(BOM).unwrap_or(line),
        _ => line,
    }
}

/// A line without the side of a box at its end, and without the blanks before that. `None` too if a terminal sequence goes on
/// in them: what would be left of it is an escape character.
pub(crate) fn within<'a>(line: &'a [u8], side: &[u8]) -> Option<&'a [u8]> {
    let inside = line.trim_ascii_end().strip_suffix(side)?;
    let inside = inside.trim_ascii_end();
    (inside.last() != Some(&ESCAPE)).then_some(inside)
}

/// The side of a box that stands on `line`, which stands in what is `left` of it, too: `│ {   │`.
pub(crate) fn side<'a>(left: &[u8], line: &'a [u8]) -> &'a [u8] {
    let line = line.trim_ascii_end();
    let shown = clean(line);
    let side = shown.trim_ascii();
    let drawn = |byte: &u8| *byte == b'|' || !byte.is_ascii();
    let is_side = !side.is_empty() && side.iter().all(drawn);
    match is_side && memmem::find(left, side).is_some() {
        true => line.trim_ascii_start(),
        false => &[],
    }
}

/// The same of what stands behind the last blank of `line`.
pub(crate) fn side_at_end<'a>(left: &[u8], line: &'a [u8]) -> &'a [u8] {
    let blank = line
        .trim_ascii_end()
        .iter()
        .rposition(u8::is_ascii_whitespace);
    side(
        left,
        line.get(blank.unwrap_or(line.len())..).unwrap_or_default(),
    )
}
