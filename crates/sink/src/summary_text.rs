//! Writes a session as text for people: outcome, answer, tables.

use crate::report::{self, EndMark, ReportOptions, Table, Totals};
use crate::sanitize::sanitize;
use crate::session_table::{TableWriter, put_totals};
use crate::text::flow::{self, Flow, GAP, Tint, widths};
use jsift_agents::session::{NoSession, Session};
use jsift_json::text::Text;

/// The maximum width of a name in a table, in columns.
const NAME: usize = 60;
/// The minimum width of a name, however narrow the terminal is, in columns.
const NARROWEST_NAME: usize = 12;
/// The maximum number of files and of errors that are listed.
const LISTED: usize = 50;

/// Writes sessions one below the other.
#[derive(Debug)]
pub struct SummaryWriter {
    options: ReportOptions,
    flow: Flow,
    /// The sessions, one per line, for the end of the summary.
    sessions: TableWriter,
    /// Whether something was written that must be separated by a blank line from what follows.
    written: bool,
}

impl SummaryWriter {
    /// Returns a writer at the start of a summary.
    #[must_use]
    pub fn new(options: ReportOptions) -> Self {
        Self {
            options,
            flow: Flow::new(&options),
            sessions: TableWriter::new(options),
            written: false,
        }
    }

    /// Writes a session; `source` is the name of its file if there are several.
    pub fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        self.gap();
        self.head(session, source);
        self.answer(&report::answer(session, self.options.structural));
        let tables = [report::models(session), report::tools(session)];
        tables.iter().flatten().for_each(|table| self.table(table));
        self.files(session);
        self.errors(session);
        self.noise(session);
        self.flow.write_to(out);
        self.sessions.hold(session, source);
    }

    /// Writes how a source without any session ended.
    pub fn no_session(&mut self, end: NoSession, source: Option<&str>, out: &mut Vec<u8>) {
        self.gap();
        self.source(source);
        self.flow.put_last("no session", Tint::Bold);
        self.flow.put(end.outcome.word(), EndMark::Failure.tint());
        self.flow.message(end.reason);
        self.flow.end_line();
        self.flow.write_to(out);
        self.sessions.hold_no_session(end, source);
    }

    /// Writes a table and the totals of several sessions, and ends the summary.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        if totals.is_sum() {
            self.gap();
            self.flow.write_to(out);
            self.sessions.finish_rows(out);
            self.gap();
            put_totals(totals, &mut self.flow);
            if let Some(models) = totals.models() {
                self.table(&models);
            }
        }
        self.flow.write_to(out);
    }

    /// Writes a blank line, except at the start.
    fn gap(&mut self) {
        if std::mem::replace(&mut self.written, true) {
            self.flow.end_line();
        }
    }

    /// Writes two lines: whose session it is, and how it ended, with its figures.
    fn head(&mut self, session: &Session, source: Option<&str>) {
        self.source(source);
        self.flow.put(session.agent_name(), Tint::Bold);
        for name in report::names(session) {
            let name = self.flow.one_line(&name, NAME);
            self.flow.text(&format!(" {name}"));
        }
        self.flow.end_line();
        self.flow
            .put(report::outcome(session), EndMark::of(session).tint());
        let reason = report::reason(session, self.options.structural);
        let facts = report::facts(session).join(", ");
        if let Some(reason) = &reason {
            self.flow.message(reason);
        }
        if !facts.is_empty() {
            // A reason is long, so the facts get a line of their own.
            let before = if reason.is_some() { "\n" } else { ": " };
            self.flow.text(before);
            self.flow.text(&facts);
        }
        self.flow.end_line();
    }

    /// Begins the first line of a block.
    fn source(&mut self, source: Option<&str>) {
        self.flow.indent = 2;
        if let Some(source) = source {
            let source = self.flow.one_line(source, self.flow.room());
            self.flow.put(&source, Tint::Bold);
            self.flow.put(": ", Tint::Plain);
        }
    }

    fn answer(&mut self, answer: &Text<'_>) {
        if answer.is_empty() {
            return;
        }
        self.gap();
        self.flow.indent = 2;
        self.flow
            .text(&sanitize(answer.to_string_lossy().trim(), true, false));
        self.flow.end_line();
    }

    /// Writes a table whose names are shortened to what the figures leave of the line.
    fn table(&mut self, table: &Table) {
        self.gap();
        let numbers: usize = widths(table)
            .iter()
            .skip(1)
            .map(|width| width + GAP.len())
            .sum();
        let room = self.flow.room().saturating_sub(numbers);
        let room = room.clamp(NARROWEST_NAME, NAME);
        let fit = |cell| self.flow.one_line(cell, room);
        let rows = table.iter();
        let cells: Vec<Vec<_>> = rows
            .map(|row| row.iter().map(|cell| fit(cell)).collect())
            .collect();
        let widths = widths(&cells);
        let titles = cells.first().map_or(&[][..], Vec::as_slice);
        for (place, row) in cells.iter().enumerate() {
            let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
            let cells = row.iter().zip(titles).zip(&widths).take(last + 1);
            for (column, ((cell, title), width)) in cells.enumerate() {
                let tint = match place {
                    0 => Tint::Bold,
                    _ if column == 0 => Tint::Plain,
                    _ => Tint::of_figure(title, cell),
                };
                let (gap, width) = match column {
                    0 if last == 0 => ("", 0),
                    0 => ("", *width),
                    _ => (GAP, *width),
                };
                self.flow.put(gap, Tint::Plain);
                self.flow.put_cell(cell, width, column == 0, tint);
            }
            self.flow.end_line();
        }
    }

    /// Writes the files that were written, each with what was done to it.
    fn files(&mut self, session: &Session) {
        let files = report::files(session, self.options.structural);
        if files.is_empty() {
            return;
        }
        self.gap();
        self.flow.put_last("files", Tint::Bold);
        for (path, what) in files.iter().take(LISTED) {
            let room = self.flow.room().saturating_sub(flow::columns(what) + 3);
            let path = self.flow.path(path, room);
            self.flow.put(&format!("  {path} "), Tint::Plain);
            self.flow.put_last(what, Tint::Dim);
        }
        self.more(files.len());
    }

    /// Writes the errors and warnings, each with its class and its message.
    fn errors(&mut self, session: &Session) {
        let errors = session.errors();
        if errors.is_empty() {
            return;
        }
        self.gap();
        self.flow.put_last("errors", Tint::Bold);
        self.flow.indent = 4;
        for problem in errors.iter().take(LISTED) {
            let tint = if problem.fatal {
                Tint::Red
            } else {
                Tint::Magenta
            };
            self.flow.put("  ", Tint::Plain);
            self.flow.put(&report::error(problem), tint);
            let message = report::message(problem, self.options.structural);
            if !message.is_empty() {
                self.flow.message(&message);
            }
            self.flow.end_line();
        }
        self.more(errors.len());
    }

    /// Writes how much noise there was, and samples of its lines.
    fn noise(&mut self, session: &Session) {
        let Some((noise, samples)) = report::noise(session, self.options.structural) else {
            return;
        };
        self.gap();
        self.flow.put("noise ", Tint::Bold);
        self.flow.put_last(&noise, Tint::Plain);
        for (line, sample) in samples {
            self.flow.put(&format!("  line {line}: "), Tint::Dim);
            let sample = self.flow.one_line(sample, self.flow.room());
            self.flow.put_last(&sample, Tint::Plain);
        }
    }

    fn more(&mut self, count: usize) {
        if let Some(more @ 1..) = count.checked_sub(LISTED) {
            let more = format!("  and {more} more");
            self.flow.put_last(&more, Tint::Dim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReportOptions, SummaryWriter};
    use jsift_agents::dialect::testing::sessions;

    #[test]
    fn a_table_fits_on_a_terminal_by_its_names() {
        let name = format!("mcp__server__{}", "x".repeat(90));
        let call = format!(
            r#"{{"type":"tool_use","timestamp":"t","tool_name":"{name}","tool_id":"1","parameters":{{}}}}"#
        );
        let init = r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#;
        let sessions = sessions([init, &call]);
        for (width, widest) in [(Some(80), 80), (Some(50), 50), (None, 60 + 27)] {
            let options = ReportOptions {
                width,
                ..ReportOptions::default()
            };
            let mut out = Vec::new();
            SummaryWriter::new(options).session(&sessions.all()[0], None, &mut out);
            let text = String::from_utf8(out).unwrap();
            let lines = text.lines().map(|line| line.chars().count());
            assert_eq!(lines.max(), Some(widest), "{text}");
            assert!(text.contains("mcp__server__x"), "{text}");
        }
    }

    #[test]
    fn of_numbers_that_tell_nothing_little_is_seen_and_of_failures_much() {
        let records = [
            r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#,
            r#"{"type":"tool_use","timestamp":"t","tool_name":"w","tool_id":"1","parameters":{}}"#,
            r#"{"type":"tool_result","timestamp":"t","tool_id":"1","status":"error"}"#,
        ];
        let options = ReportOptions {
            color: true,
            ..ReportOptions::default()
        };
        let mut out = Vec::new();
        SummaryWriter::new(options).session(&sessions(records).all()[0], None, &mut out);
        let text = String::from_utf8(out).unwrap();
        let row = "w         1   \x1b[2m0\x1b[0m       \x1b[31m1\x1b[0m       \x1b[2m0\x1b[0m\n";
        assert!(text.contains(row), "{text:?}");
    }

    #[test]
    fn a_session_is_named_by_its_source_and_reported_by_model_and_file() {
        let mut records = vec![
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.330"}"#.to_owned(),
        ];
        for (number, file) in (0..51).chain([0]).enumerate() {
            records.push(format!(
                r#"{{"type":"assistant","session_id":"s","message":{{"id":"1","model":"m","content":[{{"type":"tool_use","id":"{number}","name":"Edit","input":{{"file_path":"f{}","old_string":"a","new_string":"b"}}}}]}}}}"#,
                file
            ));
            records.push(format!(
                r#"{{"type":"user","session_id":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{number}","content":"ok"}}]}}}}"#
            ));
        }
        records.push(r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":3,"modelUsage":{"m":{"inputTokens":9,"outputTokens":9,"costUSD":2},"n":{"inputTokens":1,"outputTokens":1,"costUSD":1}}}"#.to_owned());
        let sessions = sessions(&records);
        let mut out = Vec::new();
        SummaryWriter::new(ReportOptions::default()).session(
            &sessions.all()[0],
            Some("a.log"),
            &mut out,
        );
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("a.log: claude 2.1.330 m s\n"), "{text}");
        assert!(
            text.contains("\ntotal     10      10     20  $3.0000\n"),
            "{text}"
        );
        assert!(
            text.contains("files\n  f0 update +2 -2, 2 writes\n"),
            "{text}"
        );
        assert!(
            text.contains("\n  f49 update +1 -1\n  and 1 more\n"),
            "{text}"
        );
    }
}
