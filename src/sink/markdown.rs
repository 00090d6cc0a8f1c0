//! Sessions as markdown, for a step summary or a comment.
//!
//! Text from the input stands in two places only: the answer in a fence longer than any run of its marks in it, and
//! names, paths and messages in code spans. In neither does markdown, HTML, a mention or a link mean anything. Hidden
//! characters are visible there, too.
//!
//! A summary is made of blocks, each sound in itself. To stay under a size, the answer is cut first and whole blocks
//! are left out then, so that no fence and no `<details>` stays open.

use std::fmt::Write as _;

use crate::dialect::class::Known;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::sink::report::{self, ReportOptions, Table, Totals};
use crate::sink::sanitize::sanitize;
use crate::sink::split_at_most;
use crate::sink::text::flow::one_line;

/// How much of a name, path or message is shown, in columns.
const NAME: usize = 120;
const MESSAGE: usize = 500;
/// How many rows a table has.
const ROWS: usize = 100;
/// The shortest answer that is worth a cut, in bytes.
const SHORTEST: usize = 80;
/// What stands where something was cut off.
const NOTE: &str = "\n_Cut here: the summary would be longer than it may be._\n";

/// Writes sessions one below the other.
#[derive(Debug)]
pub struct MarkdownWriter {
    manner: ReportOptions,
    /// Bytes that may still be written; `None` is any number.
    left: Option<usize>,
    /// Nothing more fits.
    full: bool,
    written: bool,
}

impl MarkdownWriter {
    /// A writer before the first session.
    #[must_use]
    pub fn new(manner: ReportOptions) -> Self {
        let bytes = manner.max_bytes;
        Self {
            manner,
            left: bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            full: false,
            written: false,
        }
    }

    /// Writes a session; `source` names the file that it is from, where there are several.
    pub fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        if self.full {
            return;
        }
        let ci = self.manner.ci;
        let safe = |text: String| sanitize(&text, false, ci).into_owned();
        let head = safe(head(session, source, self.manner.structural));
        let answer = session.response().unwrap_or_default();
        let answer = if self.manner.structural || answer.is_blank() {
            String::new()
        } else {
            sanitize(answer.to_string_lossy().trim_end(), true, ci).into_owned()
        };
        let rest = blocks(session, self.manner);
        let rest: Vec<String> = rest.into_iter().map(safe).collect();
        let text = match self.left {
            None => head + &answer_block(&answer, None) + &rest.concat(),
            Some(left) => {
                let gap = usize::from(self.written);
                let (text, cut) = fit(&head, &answer, &rest, left.saturating_sub(gap));
                self.full |= cut;
                text
            }
        };
        self.write(&text, out);
    }

    /// Writes what is known of a source without any session: that an agent did not even start.
    pub fn no_session(&mut self, known: Known, out: &mut Vec<u8>) {
        let text = format!("### ❌ {}\n\n{}\n", known.class, code(known.phrase, NAME));
        if self.left.is_none_or(|left| text.len() < left) {
            self.write(&text, out);
        }
    }

    /// Writes the sums of several sessions, and ends.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        let sums = format!("**Total:** {}\n", totals.facts().join(", "));
        let models = totals.models();
        let models = models.map(|models| details("Usage", &table(&models)));
        for text in [sums, models.unwrap_or_default()] {
            if totals.is_sum() && !self.full && self.left.is_none_or(|left| text.len() < left) {
                self.write(&text, out);
            }
        }
        // What is appended to the same page must not become part of the last block.
        if self.written && self.left != Some(0) {
            out.push(b'\n');
        }
    }

    fn write(&mut self, text: &str, out: &mut Vec<u8>) {
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

/// As much of a session as fits, and whether anything had to go.
fn fit(head: &str, answer: &str, rest: &[String], left: usize) -> (String, bool) {
    let whole = answer_block(answer, None);
    let others = head.len() + rest.iter().map(String::len).sum::<usize>();
    if others + whole.len() <= left {
        return (head.to_owned() + &whole + &rest.concat(), false);
    }
    let room = left.saturating_sub(others + NOTE.len());
    // The fence and what stands around it; the marks can only become fewer.
    let around = whole.len().saturating_sub(answer.len());
    let mut text = head.to_owned();
    if !answer.is_empty() && room >= around + SHORTEST {
        text += &answer_block(answer, Some(room - around));
    }
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

/// The answer in its fence, cut at so many bytes.
fn answer_block(answer: &str, at_most: Option<usize>) -> String {
    if answer.is_empty() {
        return String::new();
    }
    let (shown, _) = split_at_most(answer, at_most.unwrap_or(usize::MAX));
    // The fence is that of the whole answer, so that a cut does not change what was reckoned with.
    let runs = answer.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("\n{fence}text\n{shown}\n{fence}\n")
}

fn head(session: &Session, source: Option<&str>, structural: bool) -> String {
    let outcome = session.outcome();
    let mark = match outcome {
        Outcome::Success if report::is_doubtful(session) => "⚠️",
        Outcome::Success => "✅",
        _ => "❌",
    };
    let mut head = format!("### {mark} {}: {outcome}\n\n", session.agent_name());
    // Writing to a String cannot fail.
    if let Some(reason) = report::reason(session, structural) {
        let _ = writeln!(head, "{}\n", code(&reason, MESSAGE));
    }
    if let Some(source) = source {
        let _ = write!(head, "{} ", code(source, NAME));
    }
    let version = session.agent_version();
    for part in [version, session.model(), session.id()]
        .into_iter()
        .flatten()
    {
        let _ = write!(head, "{} ", code(&part.to_string_lossy(), NAME));
    }
    let facts = report::facts(session).join(", ");
    let _ = writeln!(head, "{facts}");
    head
}

/// The blocks behind the answer, the most telling first.
fn blocks(session: &Session, manner: ReportOptions) -> Vec<String> {
    let words = !manner.structural;
    let mut blocks = Vec::new();
    if let Some(errors) = errors(session, words) {
        blocks.push(errors);
    }
    if let Some(models) = report::models(session) {
        blocks.push(details("Usage", &table(&models)));
    }
    if let Some(tools) = report::tools(session) {
        let calls = session.tools().map_or(0, |tools| tools.sum().calls);
        blocks.push(details(
            &format!("Tools ({})", report::noun(calls, "call")),
            &table(&tools),
        ));
    }
    let files = report::files(session);
    if words && !files.is_empty() {
        let title = format!("Files ({})", files.len());
        let lines = files
            .iter()
            .map(|(path, what)| format!("- {} {what}\n", code(path, NAME)));
        blocks.push(details(&title, &list(lines, files.len())));
    }
    if let Some(noise) = report::noise(session) {
        let samples = session.noise.samples.iter().filter(|_| words);
        let lines =
            samples.map(|(line, sample)| format!("- line {line}: {}\n", code(sample, NAME)));
        let list: String = lines.collect();
        blocks.push(details("Noise", &format!("{noise}\n\n{list}")));
    }
    blocks
}

fn errors(session: &Session, words: bool) -> Option<String> {
    let errors = session.errors();
    if errors.is_empty() {
        return None;
    }
    let lines = errors.iter().map(|problem| {
        let what = report::error(problem);
        let message = problem.message.to_string_lossy();
        let message = code(&message, MESSAGE);
        if words && !message.is_empty() {
            format!("- {what}: {message}\n")
        } else {
            format!("- {what}\n")
        }
    });
    let title = format!("Errors and warnings ({})", errors.len());
    Some(details(&title, &list(lines, errors.len())))
}

/// A block that opens at a click. Its title is jsift's own.
fn details(title: &str, content: &str) -> String {
    let content = content.trim_end();
    format!("\n<details><summary>{title}</summary>\n\n{content}\n\n</details>\n")
}

fn list(lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut list: String = lines.take(ROWS).collect();
    if let Some(more @ 1..) = count.checked_sub(ROWS) {
        let _ = writeln!(list, "- and {more} more");
    }
    list
}

/// A table with its numbers to the right.
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

/// Text from the input on one line, so that nothing in it means anything: neither in a paragraph nor in a table.
///
/// A code span does for most. What could end it, or a cell, is written as HTML with every mark as an entity.
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
            // Addresses are looked for in the text that entities stand for: it must not be one piece.
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
