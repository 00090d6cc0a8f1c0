//! Lays out text in lines of a given width: words wrap, lines are indented, and workflow commands are broken up last of
//! all.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::ReportOptions;
use crate::sanitize::{Sanitizer, sanitize, visible};
use crate::{fitting, is_printed, run_of, split_at_most};

/// The narrowest column that text is wrapped into.
const NARROWEST: usize = 20;
/// The maximum length of an error that is shown, in bytes.
pub(crate) const MESSAGE: usize = 1000;
/// How much of a text is examined to make one line, in bytes.
const LOOKED_AT: usize = 4096;
/// The blanks between two columns of a table.
pub(crate) const GAP: &str = "  ";
/// What stands for an unknown value, where each row of a table has the same number of cells.
pub(crate) const UNKNOWN: &str = "-";

/// A colour or weight that is readable on light and on dark backgrounds; yellow is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tint {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Magenta,
    Cyan,
}

impl Tint {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\x1b[1m",
            Self::Dim => "\x1b[2m",
            Self::Red => "\x1b[31m",
            Self::Green => "\x1b[32m",
            Self::Magenta => "\x1b[35m",
            Self::Cyan => "\x1b[36m",
        }
    }

    /// Returns the colour of a figure in the column of a table with this title: little is seen of figures that say
    /// nothing, and much of failures.
    pub(crate) fn of_figure(title: &str, figure: &str) -> Self {
        match title {
            _ if matches!(figure, "0" | UNKNOWN) => Self::Dim,
            "failed" | "denied" if !figure.is_empty() => Self::Red,
            _ => Self::Plain,
        }
    }
}

/// Lays out text in lines.
///
/// The text that is added must not contain hidden characters except line feeds and tabs.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// The width of a line in columns; `None` does not wrap.
    pub(crate) width: Option<usize>,
    color: bool,
    /// What stands for the rest of a text that is cut.
    pub(crate) ellipsis: &'static str,
    /// The column where lines begin from now on.
    pub(crate) indent: usize,
    /// The column where the next piece of the line begins.
    pub(crate) column: usize,
    /// Line ends and blanks to write before the next word; at the end of a text they are dropped.
    breaks: usize,
    blanks: usize,
    /// The word that is being collected.
    word: String,
    /// Text that is laid out, but whose workflow commands are not broken up yet.
    line: String,
    ci: Sanitizer,
}

impl Flow {
    /// Returns a layout at the start of a line.
    pub(crate) fn new(options: &ReportOptions) -> Self {
        Self {
            width: options.width,
            color: options.color,
            ellipsis: if options.ascii { "..." } else { "…" },
            ci: Sanitizer::new(false, options.ci),
            ..Self::default()
        }
    }

    /// Adds a piece of a line without wrapping it.
    pub(crate) fn put(&mut self, text: &str, tint: Tint) {
        self.column += columns(text);
        let tint = if self.color { tint } else { Tint::Plain };
        self.line.push_str(tint.code());
        self.line.push_str(text);
        if tint != Tint::Plain {
            self.line.push_str("\x1b[0m");
        }
    }

    /// Adds a cell of a table in a column of that width: names are aligned to the left, figures to the right.
    pub(crate) fn put_cell(&mut self, cell: &str, width: usize, is_name: bool, tint: Tint) {
        let pad = width.saturating_sub(columns(cell));
        let (before, after) = if is_name { (0, pad) } else { (pad, 0) };
        self.pad(before);
        self.put(cell, tint);
        self.pad(after);
    }

    /// Adds blanks.
    fn pad(&mut self, count: usize) {
        self.line.extend(std::iter::repeat_n(' ', count));
        self.column += count;
    }

    /// Adds the last piece of a line.
    pub(crate) fn put_last(&mut self, text: &str, tint: Tint) {
        self.put(text, tint);
        self.end_line();
    }

    /// Ends the line.
    pub(crate) fn end_line(&mut self) {
        self.end_word();
        self.breaks = 0;
        self.blanks = 0;
        self.column = 0;
        self.line.push('\n');
    }

    /// Returns how many columns are left on the line; a large number if lines have no width.
    pub(crate) fn room(&self) -> usize {
        self.width.map_or(LOOKED_AT, |width| {
            width.max(NARROWEST).saturating_sub(self.column)
        })
    }

    /// Adds the message of an error after a colon, with an ellipsis if it is too long.
    pub(crate) fn message(&mut self, message: &str) {
        let (message, rest) = split_at_most(message.trim(), MESSAGE);
        self.text(": ");
        self.text(&sanitize(message, true, false));
        if !rest.is_empty() {
            self.text(self.ellipsis);
        }
    }

    /// Returns the first line of a text, as [`one_line`] does.
    pub(crate) fn one_line<'t>(&self, text: &'t str, columns: usize) -> Cow<'t, str> {
        one_line(text, columns, self.ellipsis)
    }

    /// Returns a path on one line, as [`path`] does.
    pub(crate) fn path(&self, text: &str, columns: usize) -> String {
        path(text, columns, self.ellipsis)
    }

    /// Adds running text.
    pub(crate) fn text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let plain = self.plain(rest);
            if plain > 0 {
                let room = LOOKED_AT.saturating_sub(self.word.len());
                let (run, after) = rest.split_at(plain.min(room));
                self.word.push_str(run);
                self.end_long_word();
                rest = after;
            } else {
                let mut chars = rest.chars();
                chars.next().into_iter().for_each(|c| self.char(c));
                rest = chars.as_str();
            }
        }
    }

    /// Returns the length of the text that can be added to the word at once. If lines do not wrap, this may be several
    /// words.
    fn plain(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
        if self.width.is_some() || text.starts_with(' ') {
            return bytes.iter().take_while(|b| is_plain(**b)).count();
        }
        let run = run_of(bytes, is_printed);
        let run = text.get(..run).unwrap_or_default();
        run.trim_end_matches(' ').len()
    }

    /// Adds a character that is no printed ASCII.
    fn char(&mut self, c: char) {
        match c {
            '\n' => {
                self.end_word();
                // A text may have only one blank line in a row.
                self.breaks = (self.breaks + 1).min(2);
                self.blanks = 0;
            }
            // A carriage return is still in the text only before a line feed.
            '\r' => {}
            ' ' => self.blank(1),
            '\t' => self.blank(4),
            c => {
                self.word.push(c);
                if c.len_utf8() > 1 && c.width() == Some(2) {
                    // Scripts without spaces may break anywhere.
                    self.end_word();
                }
                self.end_long_word();
            }
        }
    }

    fn end_long_word(&mut self) {
        if self.word.len() >= LOOKED_AT {
            self.end_word();
        }
    }

    /// Writes the current word if it seems to be complete.
    pub(crate) fn settle(&mut self) {
        if self.width.is_none() || !self.word.ends_with(char::is_alphanumeric) {
            self.end_word();
        }
    }

    fn blank(&mut self, count: usize) {
        self.end_word();
        self.blanks += count;
    }

    /// Writes the current word after the line ends and blanks before it, on a new line if this one has no room.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        for _ in 0..std::mem::take(&mut self.breaks) {
            self.line.push('\n');
            self.column = 0;
        }
        let width = self
            .width
            .unwrap_or(usize::MAX)
            .max(self.indent + NARROWEST);
        let plain = is_all_printed(&self.word);
        let columns = columns(&self.word);
        if self.column + self.blanks + columns > width && self.column > self.indent {
            self.line.push('\n');
            self.column = 0;
            self.blanks = 0;
        }
        let lead = self.indent.saturating_sub(self.column) + std::mem::take(&mut self.blanks);
        self.pad(lead);
        if plain && self.column + columns <= width {
            self.line.push_str(&self.word);
            self.column += columns;
        } else {
            self.break_up(width);
        }
        self.word.clear();
    }

    /// Writes the word, breaking it across lines if it is longer than one.
    fn break_up(&mut self, width: usize) {
        for cluster in clusters(&self.word) {
            let columns = cluster.width();
            if self.column + columns > width {
                self.line.push('\n');
                self.line.extend(std::iter::repeat_n(' ', self.indent));
                self.column = self.indent;
            }
            self.line.push_str(cluster);
            self.column += columns;
        }
    }

    /// Appends what was written since the last call to `out`.
    pub(crate) fn write_to(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.ci.push(&self.line).as_bytes());
        self.line.clear();
    }
}

/// Returns the width of each column of a table.
pub(crate) fn widths<C: AsRef<str>>(rows: &[impl AsRef<[C]>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column));
        let widths = cells.map(|cell| self::columns(cell.as_ref()));
        widths.max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// Returns how many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    match is_all_printed(text) {
        true => text.len(),
        false => text.width(),
    }
}

fn is_all_printed(text: &str) -> bool {
    run_of(text.as_bytes(), is_printed) == text.len()
}

/// Returns whether a byte is an ASCII character that is printed, other than a blank.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~')
}

/// Returns a line, cut to `columns`, with its hidden characters visible.
pub(crate) fn cut(line: &str, columns: usize, ellipsis: &str) -> String {
    fit(&visible(line), columns, ellipsis, false)
}

/// Returns the first line of a text that is not blank, cut to `columns`, with its hidden characters visible.
pub(crate) fn one_line<'t>(text: &'t str, columns: usize, ellipsis: &str) -> Cow<'t, str> {
    if text.len() <= columns.min(LOOKED_AT) && run_of(text.as_bytes(), is_plain) == text.len() {
        // This is the case for most names and numbers.
        return text.into();
    }
    let (head, tail) = split_at_most(text, LOOKED_AT);
    let head = head.trim();
    let first = head.lines().next().unwrap_or("").trim_end();
    let more = first.len() < head.len() || !tail.trim().is_empty();
    fit(&visible(first), columns, ellipsis, more).into()
}

/// Returns the path of a file on one line, cut to `columns` at its beginning, since the end is more informative.
pub(crate) fn path(path: &str, columns: usize, ellipsis: &str) -> String {
    let (head, tail) = split_at_most(path, LOOKED_AT);
    let line = visible(head);
    if tail.is_empty() && line.width() <= columns {
        return line.into_owned();
    }
    // The end of a path that is too long to be examined is already lost.
    if !tail.is_empty() {
        return fit(&line, columns, ellipsis, true);
    }
    let room = columns.saturating_sub(ellipsis.width());
    let clusters: Vec<&str> = clusters(&line).collect();
    let last = clusters.iter().rev();
    let count = fitting(last.clone().map(|cluster| cluster.width()), room);
    let length: usize = last.take(count).map(|cluster| cluster.len()).sum();
    let end = line.get(line.len() - length..).unwrap_or_default();
    // Begin at a slash, unless no name fits.
    let whole = end.find('/').and_then(|at| end.get(at..));
    let end = whole.filter(|whole| whole.len() > 1).unwrap_or(end);
    format!("{ellipsis}{end}")
}

/// Returns a path as it is seen from `folder`, if it is inside of it.
pub(crate) fn relative<'p>(path: &'p str, folder: Option<&str>) -> &'p str {
    let folder = folder.map(|folder| folder.trim_end_matches('/'));
    let folder = folder.filter(|folder| !folder.is_empty());
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    inside.filter(|inside| !inside.is_empty()).unwrap_or(path)
}

/// Returns as much of a line as fits; `more` adds the ellipsis even if all of it does.
fn fit(line: &str, columns: usize, ellipsis: &str, more: bool) -> String {
    if !more && self::columns(line) <= columns {
        return line.to_owned();
    }
    let room = columns.saturating_sub(ellipsis.width());
    let count = fitting(clusters(line).map(UnicodeWidthStr::width), room);
    clusters(line).take(count).chain([ellipsis]).collect()
}

/// Returns the characters of a text, each with those without width after it: a variation selector makes a narrow sign a
/// wide emoji.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices().skip(1);
        let next = chars.find(|(_, c)| c.width() != Some(0));
        let (cluster, after) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!cluster.is_empty()).then_some(cluster)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flowed(width: Option<usize>, indent: usize, ci: bool, pieces: &[&str]) -> String {
        let mut flow = Flow::new(&ReportOptions {
            width,
            ci,
            ..ReportOptions::default()
        });
        let mut out = Vec::new();
        flow.indent = indent;
        for piece in pieces {
            flow.text(piece);
            flow.write_to(&mut out);
        }
        flow.end_line();
        flow.write_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_wrap_wherever_the_text_is_cut() {
        let text = "one two three four five six seven\n  indented line of words here\n\nend";
        let want =
            "  one two three four\n  five six seven\n    indented line of\n  words here\n\n  end\n";
        assert_eq!(flowed(Some(20), 2, false, &[text]), want);
        for cut in 0..text.len() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(flowed(Some(20), 2, false, &[head, tail]), want, "{cut}");
        }
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(
            flowed(Some(20), 0, false, &["日本語日本語日本語日本語"]),
            "日本語日本語日本語日\n本語\n"
        );
    }

    #[test]
    fn a_variation_selector_may_widen_the_sign_before_it() {
        let hearts = "\u{2764}\u{fe0f}".repeat(12);
        let (line, rest) = hearts.split_at(10 * "\u{2764}\u{fe0f}".len());
        assert_eq!(
            flowed(Some(20), 0, false, &[&hearts]),
            format!("{line}\n{rest}\n")
        );
        let three = "\u{2764}\u{fe0f}".repeat(3);
        assert_eq!(one_line(&hearts, 7, "…"), format!("{three}…"));
        assert_eq!(path(&hearts, 7, "…"), format!("…{three}"));
    }

    #[test]
    fn a_word_longer_than_a_line_is_broken() {
        let text = "x".repeat(45);
        assert_eq!(
            flowed(Some(20), 0, false, &[&text]),
            format!("{0}\n{0}\n{1}\n", "x".repeat(20), "x".repeat(5))
        );
    }

    #[test]
    fn wrapping_cannot_make_a_workflow_command() {
        let text = "some words and then ::error::x ##[error]y";
        assert_eq!(
            flowed(Some(20), 2, true, &[text]),
            "  some words and then\n  : :error::x\n  # #[error]y\n"
        );
        assert_eq!(
            flowed(Some(20), 2, true, &["exactly sixteen. ::error::x"]),
            "  exactly sixteen.\n  : :error::x\n"
        );
    }

    #[test]
    fn one_line_is_the_first_that_says_something() {
        assert_eq!(one_line("\n  ls -l\nrm x", 40, "…"), "ls -l…");
        assert_eq!(one_line("a\x1b[2Jb", 40, "…"), "a\\x1b[2Jb");
        assert_eq!(one_line("日本語", 5, "…"), "日本…");
        assert_eq!(one_line("", 5, "…"), "");
    }

    #[test]
    fn of_a_path_the_end_is_shown() {
        assert_eq!(path("/src/a.rs", 9, "…"), "/src/a.rs");
        assert_eq!(path("/home/me/src/a.rs", 12, "…"), "…/src/a.rs");
        assert_eq!(path("/home/me/src/a.rs", 12, "..."), ".../src/a.rs");
        assert_eq!(path("/home/long-name.rs", 9, "…"), "…-name.rs");
        assert_eq!(path("/home/日本語.rs", 8, "…"), "…本語.rs");
        assert_eq!(path("a/b\x1b[2J/", 6, "…"), "…b[2J/");
        assert_eq!(path("/a/b", 0, "…"), "…");
    }

    #[test]
    fn where_nothing_wraps_a_line_is_as_long_as_it_came() {
        let long = "word  of\ta line é ".repeat(LOOKED_AT / 10);
        let want = format!("  {}\n", long.trim_end().replace('\t', "    "));
        assert_eq!(flowed(None, 2, false, &[&long]), want);
        for at in (0..200).filter(|&at| long.is_char_boundary(at)) {
            let (first, second) = long.split_at(at);
            let pieces = [first, second, "   \n\n\n"];
            assert_eq!(flowed(None, 2, false, &pieces), want);
        }
        let pieces = ["a  \n\n\n\n b ", " c"];
        assert_eq!(flowed(None, 2, false, &pieces), "  a\n\n   b  c\n");
    }
}
