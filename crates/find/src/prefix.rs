//! Log prefixes: the text that a log puts before every line, and also after it if the log draws a box.
//!
//! No log format is built in. A prefix is learned from the text before an opening, the *left text*: the lines that
//! follow may carry it whole or cut shorter, literally, or with changed time stamps, or with any digits changed.

mod left;
mod member;
mod stamp;

use std::ops::Range;

use memchr::memmem;

use jsift_json::BOM;
use jsift_json::scan::clean;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};
pub(crate) use left::is_delimiter;
pub use left::{CUTS, Left, PREFIX_LIMIT};
pub(crate) use member::is_in_string;
pub(crate) use stamp::begins_with_stamp;
pub use stamp::{Change, Class, classify, is_address, is_blank, is_stamp, is_stamp_part};

/// The length of the longest colour sequence before a document, in bytes.
pub(crate) const COLOUR_LIMIT: usize = 64;
/// The length of the longest side of a box, with its colours, in bytes.
const SIDE_LIMIT: usize = 128;

/// One way in which the lines after a left text may carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alternative {
    /// The index of the cut, 0 for the longest.
    pub(crate) cut: usize,
    pub(crate) change: Change,
}

/// The prefix that the lines of a source carry.
#[derive(Debug)]
pub(crate) struct Prefix {
    left: Left,
    alternative: Alternative,
    /// The blanks and colours after the prefix on the line where it was learned.
    padding: Vec<u8>,
    /// The side of a box that ends the lines; empty if there is no box.
    side: Vec<u8>,
}

impl Prefix {
    pub(crate) fn new(left: Left, alternative: Alternative, side: Vec<u8>) -> Self {
        if alternative.change == Change::Digits
            && side.is_empty()
            && let Some(gutter) = left.as_gutter(alternative.cut)
        {
            let (cut, change) = (0, Change::Nothing);
            return Self::new(gutter, Alternative { cut, change }, side);
        }
        let padding = left.padding_after(alternative.cut).to_vec();
        Self {
            left,
            alternative,
            padding,
            side,
        }
    }

    /// Returns the range of a line's content: from the end of the prefix to the line's end (line feed included) or to
    /// the side of a box, which a line that is too long for a box may lack; `None` if the line does not carry the
    /// prefix.
    pub(crate) fn inside(&self, line: &[u8]) -> Option<Range<usize>> {
        let text = without_bom(line);
        let skipped = line.len() - text.len();
        let text = match self.side.is_empty() {
            true => text,
            false => within(text, &self.side).or_else(|| self.has_left_side().then_some(text))?,
        };
        let at = self.left.match_end(text, self.alternative)?;
        let at = at + self.padded(text.get(at..)?);
        Some(skipped + at..skipped + text.len())
    }

    /// Returns the prefix of all lines of a column of a table, if this one is of its lines with blank cells.
    pub(crate) fn as_column(&self) -> Option<Self> {
        let left = self.left.as_column(self.alternative.cut)?;
        let alternative = *left.alternatives().first()?;
        Some(Self::new(left, alternative, self.side.clone()))
    }

    /// Whether it is the prefix of all lines of a column of a table.
    pub(crate) fn is_column(&self) -> bool {
        self.left.is_column()
    }

    /// Returns in how many ways lines may carry the prefix cut shorter: the last one is nothing of it.
    pub(crate) fn shorter_cuts(&self) -> usize {
        match self.is_boxed() {
            true => 0,
            false => self.left.cuts().saturating_sub(self.alternative.cut),
        }
    }

    /// Returns the range of a line's content if the line carries the prefix cut shorter: by one for the next shorter
    /// cut, up to the number of [shorter cuts](Self::shorter_cuts); `None` if it does not.
    pub(crate) fn inside_cut(&self, line: &[u8], shorter: usize) -> Option<Range<usize>> {
        self.inside_cut_with(self.alternative.change, line, shorter)
    }

    fn inside_cut_with(&self, change: Change, line: &[u8], shorter: usize) -> Option<Range<usize>> {
        let cut = self.alternative.cut + shorter;
        if cut == self.left.cuts() {
            return Some(0..line.len());
        }
        let text = without_bom(line);
        let rest = text.get(self.left.match_end(text, Alternative { cut, change })?..)?;
        let inside = rest.strip_prefix(self.left.padding_after(cut));
        Some(line.len() - inside.unwrap_or(rest).len()..line.len())
    }

    /// Whether a line carries the prefix cut shorter, but not to nothing, and with no more than this change.
    pub(crate) fn is_begun(&self, line: &[u8], change: Change) -> bool {
        let change = self.alternative.change.min(change);
        (1..self.shorter_cuts()).any(|cut| self.inside_cut_with(change, line, cut).is_some())
    }

    /// Returns how many bytes after the prefix are the padding that was learned with it.
    fn padded(&self, after: &[u8]) -> usize {
        if after.starts_with(&self.padding) {
            return self.padding.len();
        }
        match self.padding.first() {
            Some(blank) if is_blank(blank) && after.first() == Some(blank) => 1,
            _ => 0,
        }
    }

    /// Whether the lines end with the side of a box.
    pub(crate) const fn is_boxed(&self) -> bool {
        !self.side.is_empty()
    }

    /// Whether the left side of the box is in the prefix. If not, the right one may be the end of a row of a table.
    fn has_left_side(&self) -> bool {
        memmem::find(self.text(), shown_end(&self.side)).is_some()
    }

    /// Returns the prefix as it was on the line where it was learned.
    pub(crate) fn text(&self) -> &[u8] {
        self.left.up_to(self.alternative.cut)
    }

    /// Returns, for each byte of the prefix, whether it may be another digit (or blank) on other lines.
    pub(crate) fn free(&self) -> impl Iterator<Item = bool> {
        let change = self.alternative.change;
        let classes = self.left.classes.iter().take(self.text().len());
        classes.map(move |class| class.is_free(change))
    }
}

/// Whether a prefix may end with the text `left` of a fence or tag: in a sentence, these are attached to a word.
pub fn stands_apart(left: &[u8]) -> bool {
    left.last().is_some_and(|last| {
        is_blank(last)
            || is_delimiter(last)
            || left.ends_with(BOM)
            || sequence_before_end(left).is_some()
    })
}

/// Returns the terminal sequence that a text ends with, and the text before it.
pub(crate) fn sequence_before_end(text: &[u8]) -> Option<(&[u8], Sequence)> {
    let near = text.len().saturating_sub(COLOUR_LIMIT);
    let escape = memchr::memrchr(ESCAPE, text.get(near..)?)?;
    let (before, rest) = text.split_at_checked(near + escape)?;
    match sequence_at_end(rest) {
        found @ (Sequence::Delete(length) | Sequence::LineEnd(length)) if length == rest.len() => {
            Some((before, found))
        }
        _ => None,
    }
}

/// Returns a line without the byte order mark that it may begin with.
pub(crate) fn without_bom(line: &[u8]) -> &[u8] {
    match line {
        // Few lines begin with this byte; comparing the whole of it takes a call.
        [first, ..] if Some(first) == BOM.first() => line.strip_prefix(BOM).unwrap_or(line),
        _ => line,
    }
}

/// Returns the beginning of a text that shows so many bytes, `None` if it shows fewer.
pub(crate) fn first_shown(text: &[u8], mut count: usize) -> Option<&[u8]> {
    // No text shows more bytes than it has.
    text.get(..count)?;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let near = rest.get(..count);
        let Some(escape) = memchr::memchr(ESCAPE, near.unwrap_or(rest)) else {
            return text.get(..at + near?.len());
        };
        at += escape;
        count -= escape;
        match sequence_at_end(text.get(at..)?) {
            Sequence::Delete(length) | Sequence::LineEnd(length) => at += length,
            Sequence::Incomplete | Sequence::None => (at, count) = (at + 1, count - 1),
        }
    }
}

/// Returns a text without the blanks and terminal sequences at its end.
pub(crate) fn shown_end(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_end();
    while let Some((before, _)) = sequence_before_end(text) {
        text = before.trim_ascii_end();
    }
    text
}

/// Returns a line without the side of a box at its end and without the blanks before the side. `None` if the line does
/// not end with the side, or if a terminal sequence extends into these blanks: only its escape character would be left.
pub fn within<'a>(line: &'a [u8], side: &[u8]) -> Option<&'a [u8]> {
    let inside = shown_end(line).strip_suffix(shown_end(side))?;
    let inside = inside.trim_ascii_end();
    (inside.last() != Some(&ESCAPE)).then_some(inside)
}

/// Whether a byte may be part of a drawn side of a box: a bar, or a character that is not ASCII.
pub(crate) const fn is_drawn(byte: u8) -> bool {
    byte == b'|' || !byte.is_ascii()
}

/// Returns the side of a box that is all of `line` and is also in the text to the `left`, as in `│ {   │`; empty if
/// none.
pub(crate) fn side<'a>(left: &[u8], line: &'a [u8]) -> &'a [u8] {
    let line = line.trim_ascii_end();
    let drawn = |byte: &u8| is_drawn(*byte);
    // Few lines have a side.
    if line.trim_ascii_start().len() > SIDE_LIMIT || !line.iter().any(drawn) {
        return &[];
    }
    let shown = clean(line);
    let side = shown.trim_ascii();
    let is_side = !side.is_empty() && side.iter().all(drawn);
    match is_side && memmem::find(left, side).is_some() {
        true => line.trim_ascii_start(),
        false => &[],
    }
}

/// Returns the `side` of a box after the last blank of `line`; empty if none.
pub fn side_at_end<'a>(left: &[u8], line: &'a [u8]) -> &'a [u8] {
    let blank = shown_end(line).iter().rposition(u8::is_ascii_whitespace);
    side(
        left,
        line.get(blank.unwrap_or(line.len())..).unwrap_or_default(),
    )
}
