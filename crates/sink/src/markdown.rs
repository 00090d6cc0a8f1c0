//! Writes sessions as markdown, for a step summary or a comment.
//!
//! Text from the input appears in two places only: the answer in a [quote] that it cannot leave, and names, paths
//! and messages in code spans, in which neither markdown nor HTML, mentions or links are interpreted. Hidden characters
//! are made visible in both.
//!
//! A summary consists of blocks, each of them complete. To stay under a size limit, the answer is cut first and whole
//! blocks are left out after that, so that no fence and no `<details>` stays open.

#[cfg(feature = "html")]
mod quote;

use std::fmt::Write as _;

use crate::report::{self, EndMark, ReportOptions, Table, Totals};
use crate::sanitize::{SafeText, sanitize};
use crate::split_at_most;
use crate::text::flow::one_line;
use jsift_agents::session::{NoSession, Session};

/// The maximum width of a name or path, and of a message, in columns.
const NAME: usize = 120;
const MESSAGE: usize = 500;
/// The maximum number of rows of a table.
const ROWS: usize = 100;
/// The shortest beginning of an answer that is worth showing, in bytes.
const SHORTEST: usize = 80;
/// The note that replaces what was cut.
const NOTE: &str = "\n_Cut here: the summary would be longer than it may be._\n";

/// Writes sessions one below the other.
#[derive(Debug)]
pub struct MarkdownWriter {
    options: ReportOptions,
    /// How many bytes may still be written; `None` is no limit.
    left: Option<usize>,
    /// Whether nothing more fits.
    full: bool,
    written: bool,
}

impl MarkdownWriter {
    /// Returns a writer at the start of a summary.
    #[must_use]
    pub fn new(options: ReportOptions) -> Self {
        let bytes = options.max_bytes;
        Self {
            options,
            left: bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            full: false,
            written: false,
        }
    }

    /// Writes a session; `source` is the name of its file if there are several.
    pub fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        if self.full {
            return;
        }
        let ci = self.options.ci;
        let safe = |text: String| sanitize(&text, false, ci).into_owned();
        let head = safe(head(session, source, self.options.structural));
        let answer = report::answer(session, self.options.structural);
        let answer = sanitize(answer.to_string_lossy().trim_end(), true, false).into_owned();
        let quoted = |answer: &str| safe(answer_block(answer));
        let rest = blocks(session, self.options.structural);
        let rest: Vec<String> = rest.into_iter().map(safe).collect();
        let text = match self.left {
            None => head + &quoted(&answer) + &rest.concat(),
            Some(left) => {
                let gap = usize::from(self.written);
                let (text, cut) = fit(&head, &answer, &quoted, &rest, left.saturating_sub(gap));
                self.full |= cut;
                text
            }
        };
        self.write(&SafeText::new(&text, ci), out);
    }

    /// Writes how a source without any session ended.
    pub fn no_session(&mut self, end: NoSession, source: Option<&str>, out: &mut Vec<u8>) {
        let (outcome, reason) = (end.outcome, code(end.reason, MESSAGE));
        let source = source.map(|source| format!("\n{}\n", code(source, NAME)));
        let text = format!(
            "### ❌ {outcome}\n\n{reason}\n{}",
            source.unwrap_or_default()
        );
        self.write_if_fits(&text, out);
    }

    /// Writes the totals of several sessions, and ends the summary.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        let sums = format!("**Total:** {}\n", totals.facts().join(", "));
        let models = totals.models();
        let models = models.map(|models| details("Usage", &table(&models)));
        for text in [sums, models.unwrap_or_default()] {
            if totals.is_sum() && !self.full {
                self.write_if_fits(&text, out);
            }
        }
        // Anything appended to the same page must not become part of the last block.
        if self.written && self.left != Some(0) {
            out.push(b'\n');
        }
    }

    fn write_if_fits(&mut self, text: &str, out: &mut Vec<u8>) {
        let text = SafeText::new(text, self.options.ci);
        if self.left.is_none_or(|left| text.as_str().len() < left) {
            self.write(&text, out);
        }
    }

    fn write(&mut self, text: &SafeText, out: &mut Vec<u8>) {
        let text = text.as_str();
        if text.is_empty() {
            return;
        }
        let before = out.len();
        if std::mem::replace(&mut self.written, true) {
            out.push(b'\n');
        }
        out.extend_from_slice(text.as_bytes());
        let written = out.len() - before;
        self.left = self.left.map(|left| left.saturating_sub(written));
    }
}

/// Returns as much of a session as fits, and whether anything was left out.
fn fit(
    head: &str,
    answer: &str,
    quoted: &dyn Fn(&str) -> String,
    rest: &[String],
    left: usize,
) -> (String, bool) {
    let whole = quoted(answer);
    let others = head.len() + rest.iter().map(String::len).sum::<usize>();
    if others + whole.len() <= left {
        return (head.to_owned() + &whole + &rest.concat(), false);
    }
    let room = left.saturating_sub(others + NOTE.len());
    let mut text = head.to_owned() + &cut_answer(answer, quoted, room);
    for block in rest {
        if text.len() + block.len() + NOTE.len() <= left {
            text += block;
        }
    }
    if text.len() + NOTE.len() <= left {
        return (text + NOTE, true);
    }
    // Not even the head fits.
    let note = if NOTE.len() <= left { NOTE } else { "" };
    (note.to_owned(), true)
}

/// Returns the answer as a quote that it cannot leave.
#[cfg(feature = "html")]
fn answer_block(answer: &str) -> String {
    match answer.trim() {
        "" => String::new(),
        answer => format!("\n{}", quote::quote(answer)),
    }
}

/// Returns the answer in a fence that it cannot leave.
#[cfg(not(feature = "html"))]
fn answer_block(answer: &str) -> String {
    match answer {
        "" => String::new(),
        answer => format!("\n{0}text\n{answer}\n{0}\n", fence(answer)),
    }
}

/// Returns as much of the beginning of the answer as fits into `room` bytes; empty if that is not worth showing.
fn cut_answer(answer: &str, quoted: &dyn Fn(&str) -> String, room: usize) -> String {
    let mut length = answer.len().min(room);
    // Each attempt is shorter by a part, so that the total time is linear.
    while length >= SHORTEST {
        let block = quoted(split_at_most(answer, length).0);
        if block.len() <= room {
            return block;
        }
        length -= length / 4;
    }
    String::new()
}

/// Returns a fence that is longer than any run of its marks in the text.
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

/// Returns the headline of a session, why it failed, and a line with its names and figures.
fn head(session: &Session, source: Option<&str>, structural: bool) -> String {
    let mark = match EndMark::of(session) {
        EndMark::Success => "✅",
        EndMark::Doubtful => "⚠️",
        EndMark::Failure => "❌",
    };
    let word = report::outcome(session);
    let mut head = format!("### {mark} {}: {word}\n\n", session.agent_name());
    // Writing to a String cannot fail.
    if let Some(reason) = report::reason(session, structural) {
        let _ = writeln!(head, "{}\n", code(&reason, MESSAGE));
    }
    if let Some(source) = source {
        let _ = write!(head, "{} ", code(source, NAME));
    }
    for name in report::names(session) {
        let _ = write!(head, "{} ", code(&name, NAME));
    }
    let facts = report::facts(session).join(", ");
    let _ = writeln!(head, "{facts}");
    head
}

/// Returns the blocks after the answer, the most informative first.
fn blocks(session: &Session, structural: bool) -> Vec<String> {
    let calls = session.tools().map_or(0, |tools| tools.sum().calls);
    let tools = format!("Tools ({})", report::noun(calls, "call"));
    let files = report::files(session, structural);
    let file = |(path, what): &(String, String)| format!("- {} {what}\n", code(path, NAME));
    let noise = report::noise(session, structural).map(|(noise, samples)| {
        let sample =
            |(line, sample): &(u64, String)| format!("- line {line}: {}\n", code(sample, NAME));
        let list: String = samples.iter().map(sample).collect();
        details("Noise", &format!("{noise}\n\n{list}"))
    });
    let blocks = [
        list("Errors and warnings", session.errors(), |problem| {
            let what = report::error(problem);
            match code(&report::message(problem, structural), MESSAGE) {
                message if message.is_empty() => format!("- {what}\n"),
                message => format!("- {what}: {message}\n"),
            }
        }),
        report::models(session).map(|models| details("Usage", &table(&models))),
        report::tools(session).map(|by_tool| details(&tools, &table(&by_tool))),
        list("Files", &files, file),
        noise,
    ];
    blocks.into_iter().flatten().collect()
}

/// Returns a block that opens with a click. The title never comes from the input.
fn details(title: &str, content: &str) -> String {
    let content = content.trim_end();
    format!("\n<details><summary>{title}</summary>\n\n{content}\n\n</details>\n")
}

/// Returns a block with a line for each of `all`; `None` if there are none.
fn list<T>(title: &str, all: &[T], line: impl Fn(&T) -> String) -> Option<String> {
    let mut list: String = all.iter().take(ROWS).map(line).collect();
    if let Some(more @ 1..) = all.len().checked_sub(ROWS) {
        let _ = writeln!(list, "- and {more} more");
    }
    let title = format!("{title} ({})", all.len());
    (!all.is_empty()).then(|| details(&title, &list))
}

/// Returns a table with its numbers aligned to the right.
fn table(rows: &Table) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().take(ROWS + 1).enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let name = place > 0 && column == 0;
            let cell = if name { code(cell, NAME) } else { cell.clone() };
            let _ = write!(text, "| {cell} ");
        }
        text.push_str("|\n");
        if place == 0 {
            text.push_str("|---|");
            text.push_str(&"---:|".repeat(row.len().saturating_sub(1)));
            text.push('\n');
        }
    }
    if let Some(more @ 1..) = rows.len().checked_sub(ROWS + 1) {
        let _ = writeln!(text, "\nand {more} more");
    }
    text
}

/// Returns text from the input on one line, so that nothing in it is interpreted, in a paragraph or in a table.
///
/// A code span does this for most text. Text that could end the span, or a table cell, is written as HTML with every
/// punctuation mark as an entity.
fn code(text: &str, columns: usize) -> String {
    let text = one_line(text, columns, "…");
    if text.trim().is_empty() {
        return String::new();
    }
    if !text.contains(['`', '|', '\\']) {
        return format!("`{text}`");
    }
    let mut html = String::from("<code>");
    for c in text.chars() {
        match c {
            // GitHub looks for mentions and addresses after it has decoded entities; the tags break them up.
            '@' => html.push_str("<span>@</span>"),
            c if c.is_ascii_punctuation() => {
                let _ = write!(html, "&#{};", u32::from(c));
            }
            c => html.push(c),
        }
    }
    html.push_str("</code>");
    html
}

#[cfg(test)]
mod tests;
