//! Rows of tables: a document of several lines in a cell (`psql`, `sqlite3 -box`, tables of Python) has blank cells to
//! its left on all lines but the first. A gutter, which code frames, diffs and viewers print, has the numbers of the
//! lines there (`  12 | `), or blanks, and marks (`> 13 | `).

use std::str;

use super::{Left, PREFIX_LIMIT};
use crate::prefix::stamp::{Class, is_blank};
use jsift_json::cost;
use jsift_json::scan::clean;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};

/// What the cells to the left of a document are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cells {
    /// Any text, as on the first line of a row.
    Text,
    /// Numbers and marks of lines, after so many bytes of text, which are on each line.
    Gutter(usize),
}

impl Cells {
    /// Whether a cell may contain a character. Those to the left of a document rarely contain a bracket or a quotation
    /// mark.
    fn may_contain(self, character: char) -> bool {
        match self {
            Self::Text => !"{[\"\n".contains(character),
            Self::Gutter(_) => is_of_gutter(character),
        }
    }
}

/// Whether a character may be in a gutter: of a number, a blank or a mark.
fn is_of_gutter(character: char) -> bool {
    character.is_ascii_digit() || " >*+-~!→❯▶›●".contains(character)
}

impl Left {
    /// Returns the left text of all lines with the gutter that this one has up to a cut; `None` if it has none. A line
    /// with a mark is no line of another source.
    pub(crate) fn as_gutter(&self, cut: usize) -> Option<Self> {
        let text = clean(self.up_to(cut)).into_owned();
        let shown = str::from_utf8(&text).ok()?;
        let cells = shown.strip_suffix(is_side)?;
        let before = cells.trim_end_matches(is_of_gutter);
        let numbers = cells.get(before.len()..)?;
        let is_apart = before.is_empty() || numbers.starts_with(' ');
        let is_gutter = is_apart
            && numbers.contains(|c: char| c.is_ascii_digit())
            && !self.classes.contains(&Class::Stamp);
        let cells = Cells::Gutter(before.len());
        is_gutter.then(|| Self::of_cells(text, self.padding_after(cut), cells))
    }

    /// Returns the left text of a column that `text` shows one line of, with the padding after that.
    fn of_cells(text: Vec<u8>, padding: &[u8], cells: Cells) -> Self {
        Self {
            original: [&text, padding].concat(),
            cuts: vec![text.len()],
            classes: vec![Class::Literal; text.len()],
            column: Some(cells),
            fixed: [0; 3],
            text,
        }
    }

    /// Returns the left text of all lines of a column of a table, if this one is of its first line and `next` begins as
    /// the line after it does; `None` if they are in no table.
    pub(crate) fn of_column(&self, next: &[u8]) -> Option<Self> {
        let rows = self.cuts.iter().filter_map(|&cut| self.text.get(..cut));
        let mut rows = rows.filter(|row| !next.starts_with(row));
        rows.find_map(|row| {
            let length = row_length(str::from_utf8(&clean(row)).ok()?, next, Cells::Text)?;
            Self::column(next.get(..length)?, next.get(length..)?)
        })
    }

    /// Returns the left text of all lines of a column of a table, if this one has the blank cells of a line but the
    /// first.
    pub(crate) fn as_column(&self, cut: usize) -> Option<Self> {
        Self::column(self.up_to(cut), self.padding_after(cut))
    }

    /// Returns the left text of a column of which a line with blank cells begins with `row`, before `rest`; `None` if
    /// it is none.
    fn column(row: &[u8], rest: &[u8]) -> Option<Self> {
        let text = clean(row).into_owned();
        let shown = str::from_utf8(&text).ok()?;
        let is_row = shown.ends_with(is_side) && shown.contains(' ');
        if !is_row || shown.contains(|c| c != ' ' && !is_side(c)) {
            return None;
        }
        let padding = rest.get(..1).filter(|first| first.iter().all(is_blank));
        Some(Self::of_cells(
            text,
            padding.unwrap_or_default(),
            Cells::Text,
        ))
    }

    /// Whether this is the left text of a [column](Self::of_column) or a [gutter](Self::as_gutter).
    pub(crate) const fn is_column(&self) -> bool {
        self.column.is_some()
    }
}

/// How many digits the number of a line has at most.
const LONGEST_NUMBER: usize = 8;

/// How wide a text is: programs pad cells to a number of characters or of columns.
#[derive(Debug, Default, Clone, Copy)]
struct Width {
    characters: usize,
    columns: usize,
}

impl Width {
    fn of(text: &str) -> Self {
        Self {
            characters: text.chars().count(),
            columns: text.chars().map(columns).sum(),
        }
    }

    /// Whether cells with these texts may be in one column of a table.
    const fn may_be(self, other: Self) -> bool {
        self.characters == other.characters || self.columns == other.columns
    }
}

/// Returns how many columns a character takes.
const fn columns(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Returns the length of the beginning of `line` that has the cells of `row`, of the same width and with the same
/// sides; `None` if it has none such, or the row does not end with a side, or the line only points at the one before
/// it. `row` contains no terminal sequences.
pub(super) fn row_length(row: &str, line: &[u8], cells: Cells) -> Option<usize> {
    let (mut at, mut rest) = match cells {
        Cells::Text => (0, row),
        Cells::Gutter(before) => {
            let (text, cells) = row.split_at_checked(before)?;
            (after_text(line, text.as_bytes())?, cells)
        }
    };
    while !rest.is_empty() {
        let side = rest.find(is_side)?;
        let (cell, after) = rest.split_at(side);
        let side = after.chars().next()?;
        at += cell_length(line.get(at..)?, (cell, side), cells)?;
        rest = after.get(side.len_utf8()..)?;
    }
    let points = || cells != Cells::Text && is_pointer(line.get(at..).unwrap_or_default());
    (at > 0 && !points()).then_some(at)
}

/// Whether the rest of a line in a gutter only underlines what the line before it shows, and perhaps explains it:
/// `    ^^^ expected a comma`. A dash alone is the sign of a line that a diff removes.
fn is_pointer(rest: &[u8]) -> bool {
    let shown = clean(rest.get(..PREFIX_LIMIT).unwrap_or(rest));
    let text = shown.trim_ascii_start();
    cost::look_at(shown.len() - text.len() + 1);
    matches!(text, [b'^' | b'~' | b'_' | b'|', ..] | [b'-', b'-', ..])
}

/// Returns where a line goes on after `text`, between the bytes of which terminal sequences may be; `None` if it begins
/// with other text.
fn after_text(line: &[u8], text: &[u8]) -> Option<usize> {
    let mut at = 0;
    for byte in text {
        cost::look_at(1);
        while let rest @ [ESCAPE, ..] = line.get(at..)?
            && let Sequence::Delete(length) = sequence_at_end(rest)
        {
            at += length;
        }
        if line.get(at)? != byte {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Returns the length of the cell that a line begins with, up to the `side` after it, if it may be in one column with
/// `cell`; `None` if it may not.
fn cell_length(line: &[u8], (cell, side): (&str, char), cells: Cells) -> Option<usize> {
    let width = Width::of(cell);
    // A number that is not padded may have more digits than the first one.
    let begins_with_digit = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit);
    let grows =
        cells != Cells::Text && begins_with_digit(cell.as_bytes()) && begins_with_digit(line);
    let most = width.columns + usize::from(grows) * LONGEST_NUMBER;
    let (mut at, mut found) = (0, Width::default());
    loop {
        cost::look_at(1);
        let rest = line.get(at..)?;
        if rest.first() == Some(&ESCAPE)
            && let Sequence::Delete(length) = sequence_at_end(rest)
        {
            at += length;
            continue;
        }
        let near = rest.get(..4).unwrap_or(rest);
        let next = near.utf8_chunks().next()?.valid().chars().next()?;
        at += next.len_utf8();
        if next == side {
            return (grows || width.may_be(found)).then_some(at);
        }
        if is_side(next) || !cells.may_contain(next) || found.characters > most {
            return None;
        }
        found.characters += 1;
        found.columns += columns(next);
    }
}

/// Whether a character is the side of a cell: a bar, or a box drawing character.
const fn is_side(character: char) -> bool {
    matches!(character, '|' | '\u{2500}'..='\u{257f}')
}
