//! Writes one line per session, with totals at the end: for many sessions.
//!
//! The first rows decide how wide the columns are; after them each row is written at once, so that any number of
//! sessions may come.

use std::borrow::Cow;

use crate::report::{self, EndMark, Figures, ReportOptions, Totals};
use crate::text::flow::{self, Flow, GAP, Tint, UNKNOWN};
use jsift_agents::Agent;
use jsift_agents::session::{NoSession, Session};

/// The number of rows that decide how wide the columns are.
const FIRST: usize = 256;
/// The maximum number of rows that are held until the end of a summary as text.
pub const ROWS: usize = 2000;
/// The maximum width of a name, and of a reason, in columns.
const NAME: usize = 60;
const REASON: usize = 100;
/// The minimum width of a name and of a reason on a narrow terminal, in columns.
const NARROWEST: usize = 12;

/// The columns, the last of which is written only if it is known.
const COLUMNS: [&str; 12] = [
    "source", "agent", "outcome", "time", "turns", "calls", "failed", "denied", "files", "tokens",
    "cost", "reason",
];
const SOURCE: usize = 0;
const OUTCOME: usize = 2;
const FAILED: usize = 6;
const DENIED: usize = 7;
const REASONS: usize = 11;
/// The columns that a narrow terminal has no room for are left out in this order: turns, files, calls, denied, failed,
/// time.
const LEFT_OUT_FIRST: [usize; 6] = [4, 8, 5, DENIED, FAILED, 3];

/// A session in a few words.
#[derive(Debug)]
struct Row {
    cells: [String; COLUMNS.len()],
    tint: Tint,
}

/// Writes sessions as rows.
#[derive(Debug)]
pub struct TableWriter {
    options: ReportOptions,
    flow: Flow,
    /// The rows that are not written yet.
    rows: Vec<Row>,
    /// How many sessions have no row.
    left_out: usize,
    /// The widths of the columns, once they are decided; a column of width 0 is left out.
    widths: Option<[usize; COLUMNS.len()]>,
}

impl Row {
    fn without_session(end: NoSession, source: Option<&str>) -> Self {
        let mut cells = COLUMNS.map(|_| UNKNOWN.to_owned());
        cells[SOURCE] = source.unwrap_or_default().to_owned();
        cells[OUTCOME] = end.outcome.word().to_owned();
        cells[REASONS] = end.reason.to_owned();
        Self {
            cells,
            tint: EndMark::Failure.tint(),
        }
    }
}

impl TableWriter {
    /// Returns a writer at the start of a table.
    #[must_use]
    pub fn new(options: ReportOptions) -> Self {
        Self {
            options,
            flow: Flow::new(&options),
            rows: Vec::new(),
            left_out: 0,
            widths: None,
        }
    }

    /// Adds a session; `source` is the name of its file if there are several.
    pub fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        self.push(self.row_of(session, source), out);
    }

    /// Adds a session, which is not written before the end; beyond the first [`ROWS`] rows they are only counted.
    pub(crate) fn hold(&mut self, session: &Session, source: Option<&str>) {
        self.hold_row(|table| table.row_of(session, source));
    }

    /// Adds how a source without any session ended, which is not written before the end.
    pub(crate) fn hold_no_session(&mut self, end: NoSession, source: Option<&str>) {
        self.hold_row(|_| Row::without_session(end, source));
    }

    fn hold_row(&mut self, row: impl FnOnce(&Self) -> Row) {
        if self.rows.len() < ROWS {
            self.add(row(self));
        } else {
            self.left_out += 1;
        }
    }

    /// Returns the row of a session, with [`UNKNOWN`] for what it does not state.
    fn row_of(&self, session: &Session, source: Option<&str>) -> Row {
        let structural = self.options.structural;
        let cells = Figures::of(session).cells();
        let [time, turns, calls, failed, denied, files, tokens, cost] =
            cells.map(|cell| cell.unwrap_or_else(|| UNKNOWN.to_owned()));
        let reason = report::reason(session, structural).unwrap_or_default();
        let agent = session.agent.map_or(UNKNOWN, Agent::name);
        Row {
            tint: EndMark::of(session).tint(),
            cells: [
                source.unwrap_or_default().to_owned(),
                agent.to_owned(),
                report::outcome(session).to_owned(),
                time,
                turns,
                calls,
                failed,
                denied,
                files,
                tokens,
                cost,
                reason,
            ],
        }
    }

    /// Adds how a source without any session ended.
    pub fn no_session(&mut self, end: NoSession, source: Option<&str>, out: &mut Vec<u8>) {
        self.push(Row::without_session(end, source), out);
    }

    /// Adds a row, and writes it as soon as the widths of the columns can be decided.
    fn push(&mut self, row: Row, out: &mut Vec<u8>) {
        self.add(row);
        if self.widths.is_some() || self.rows.len() >= FIRST {
            self.finish_rows(out);
        }
    }

    /// Writes the rows that are left.
    pub(crate) fn finish_rows(&mut self, out: &mut Vec<u8>) {
        if self.widths.is_none() && !self.rows.is_empty() {
            self.begin();
        }
        for row in std::mem::take(&mut self.rows) {
            self.row(&row);
        }
        if let more @ 1.. = std::mem::take(&mut self.left_out) {
            self.flow.put_last(&format!("and {more} more"), Tint::Dim);
        }
        self.flow.write_to(out);
    }

    /// Writes the rows that are left and the totals.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        self.finish_rows(out);
        if totals.is_sum() {
            self.flow.end_line();
            put_totals(totals, &mut self.flow);
        }
        self.flow.write_to(out);
    }

    fn add(&mut self, mut row: Row) {
        let fit = |cell: &str, width| self.flow.one_line(cell, width).into_owned();
        for (place, cell) in row.cells.iter_mut().enumerate() {
            *cell = match place {
                SOURCE => self.flow.path(cell, NAME),
                REASONS => fit(cell, REASON),
                _ => fit(cell, NAME),
            };
        }
        self.rows.push(row);
    }

    /// Decides the widths of the columns, and writes their titles.
    fn begin(&mut self) {
        let mut widths = [0; COLUMNS.len()];
        let cells: Vec<_> = self.rows.iter().map(|row| &row.cells).collect();
        let widest = flow::widths(&cells);
        for ((width, widest), title) in widths.iter_mut().zip(widest).zip(COLUMNS) {
            *width = if widest == 0 {
                0
            } else {
                widest.max(title.len())
            };
        }
        if let Some(line) = self.options.width {
            fit(&mut widths, line);
        }
        self.widths = Some(widths);
        self.row(&Row {
            cells: COLUMNS.map(str::to_owned),
            tint: Tint::Bold,
        });
    }

    /// Writes a row: names aligned to the left, figures to the right, without the columns of width 0.
    fn row(&mut self, row: &Row) {
        let widths = self.widths.unwrap_or_default();
        let last = match row.cells[REASONS].is_empty() || widths[REASONS] == 0 {
            true => REASONS - 1,
            false => REASONS,
        };
        let mut is_first = true;
        for (place, (cell, width)) in row.cells.iter().zip(widths).enumerate().take(last + 1) {
            if width == 0 {
                continue;
            }
            let gap = if std::mem::take(&mut is_first) {
                ""
            } else {
                GAP
            };
            let cell: Cow<'_, str> = match place {
                REASONS => {
                    let room = self.flow.room().saturating_sub(gap.len()).max(NARROWEST);
                    self.flow.one_line(cell, room)
                }
                SOURCE => self.flow.path(cell, width.max(NARROWEST)).into(),
                _ => cell.into(),
            };
            let cell = &*cell;
            let tint = match place {
                _ if row.tint == Tint::Bold => Tint::Bold,
                OUTCOME => row.tint,
                _ => Tint::of_figure(COLUMNS.get(place).unwrap_or(&""), cell),
            };
            self.flow.put(gap, Tint::Plain);
            match place {
                REASONS => self.flow.put(cell, tint),
                _ => self.flow.put_cell(cell, width, place <= OUTCOME, tint),
            }
        }
        self.flow.end_line();
    }
}

/// Makes a row fit into a line of a terminal: leaves out columns by a width of 0, and shortens the names of sources to
/// what is left, and to a third of the line.
fn fit(widths: &mut [usize; COLUMNS.len()], line: usize) {
    let least = |width: usize| width.min(NARROWEST);
    let mut of_others = 0;
    for left_out in [None].into_iter().chain(LEFT_OUT_FIRST.map(Some)) {
        if let Some(place) = left_out {
            widths[place] = 0;
        }
        let shown = |place: usize, width: usize| match place {
            REASONS => least(width),
            _ => width,
        };
        let columns = widths.iter().enumerate().skip(1);
        let columns = columns.filter(|(_, width)| **width > 0);
        of_others = columns
            .map(|(place, width)| GAP.len() + shown(place, *width))
            .sum();
        if of_others + least(widths[SOURCE]) <= line {
            break;
        }
    }
    let most = line.saturating_sub(of_others).min(line / 3);
    widths[SOURCE] = widths[SOURCE].min(most.max(NARROWEST));
}

/// Writes the line with the totals of several sessions.
pub(crate) fn put_totals(totals: &Totals, flow: &mut Flow) {
    flow.put("total ", Tint::Bold);
    flow.indent = 2;
    flow.text(&totals.facts().join(", "));
    flow.end_line();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_into_a_line_of_80_columns_or_more() {
        for line in 80..200 {
            for [source, agent, tokens, reason] in [[60, 15, 10, 100], [18, 6, 6, 0], [5, 6, 6, 30]]
            {
                let all = [source, agent, 9, 8, 5, 6, 6, 6, 5, tokens, 8, reason];
                let mut widths = all;
                fit(&mut widths, line);
                let shown = |width: &usize| *width > 0;
                let gaps = GAP.len() * (widths.iter().filter(|width| shown(width)).count() - 1);
                let row: usize = widths[..REASONS].iter().sum();
                let row = row + gaps + widths[REASONS].min(NARROWEST);
                assert!(row <= line, "{row} of {line}: {widths:?}");
                assert!(widths[SOURCE] >= NARROWEST.min(source), "{widths:?}");
                assert!(
                    line < 150 || widths[REASONS - 1] > 0 && widths[3] > 0,
                    "all columns"
                );
            }
        }
    }
}
