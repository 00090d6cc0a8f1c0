//! A session as rows and words: what the readable forms of a summary have in common.

use std::time::Duration;

use crate::fact::{Code, Operation, Problem, Tokens};
use crate::outcome::Outcome;
use crate::session::{Counts, Session};
use crate::sink::text::time::span;

/// Cells by row, the first row being the head. The first column holds names, from the input; the others numbers.
pub(crate) type Table = Vec<Vec<String>>;

/// What each model used, if it is known of any; else what the session used.
pub(crate) fn models(session: &Session) -> Option<Table> {
    let models = session.models();
    let usage = session.usage();
    let mut rows: Vec<(String, Tokens)> = models
        .iter()
        .map(|(name, tokens)| (name.to_string_lossy().into_owned(), *tokens))
        .collect();
    if rows.is_empty() && usage.is_known() {
        rows.push((model(session), usage));
    } else if rows.len() > 1 {
        rows.push(("total".to_owned(), usage));
    }
    usage_table(&rows)
}

fn model(session: &Session) -> String {
    let model = session.model();
    model.map_or_else(
        || session.agent().name().to_owned(),
        |model| model.to_string_lossy().into_owned(),
    )
}

/// Token counts by model; columns of which nothing is known are left out.
fn usage_table(rows: &[(String, Tokens)]) -> Option<Table> {
    type Column = (&'static str, fn(&Tokens) -> Option<String>);
    const COLUMNS: [Column; 7] = [
        ("requests", |t| t.requests.map(count)),
        ("input", |t| t.input.map(count)),
        ("cached", |t| t.cached.map(count)),
        ("output", |t| t.output.map(count)),
        ("reasoning", |t| t.reasoning.map(count)),
        ("total", |t| t.total.map(count)),
        ("cost", |t| t.cost_usd.map(dollars)),
    ];
    if rows.is_empty() {
        return None;
    }
    let known = COLUMNS
        .iter()
        .filter(|(_, of)| rows.iter().any(|(_, tokens)| of(tokens).is_some()));
    let mut table = vec![vec!["model".to_owned()]];
    table.extend(rows.iter().map(|(name, _)| vec![name.clone()]));
    for (title, of) in known {
        let cells = rows
            .iter()
            .map(|(_, tokens)| of(tokens).unwrap_or_default());
        for (row, cell) in table
            .iter_mut()
            .zip([(*title).to_owned()].into_iter().chain(cells))
        {
            row.push(cell);
        }
    }
    Some(table)
}

/// How often each tool was called, if any was.
pub(crate) fn tools(session: &Session) -> Option<Table> {
    let by_name = session.tools()?.by_name();
    if by_name.is_empty() {
        return None;
    }
    let timed = by_name
        .iter()
        .any(|(_, counts)| counts.duration_ms.is_some());
    let mut head = vec!["tool", "calls", "ok", "failed", "denied"];
    head.extend(timed.then_some("time"));
    let mut table: Table = vec![head.into_iter().map(str::to_owned).collect()];
    table.extend(by_name.iter().map(|(name, counts)| {
        let mut row = vec![name.to_string_lossy().into_owned()];
        row.extend([counts.calls, counts.success, counts.error, counts.denied].map(count));
        let time = counts.duration_ms.map(ms).unwrap_or_default();
        row.extend(timed.then_some(time));
        row
    }));
    Some(table)
}

/// A file that was written: its path, and what was done to it (`update +3 -1, 2 writes`).
pub(crate) fn files(session: &Session) -> Vec<(String, String)> {
    let files = session
        .files()
        .into_iter()
        .flat_map(|tools| tools.files().iter());
    files
        .map(|(path, file)| {
            let mut what = file.operation.map_or("write", Operation::word).to_owned();
            if let Some(added) = file.lines_added {
                what.push_str(&format!(" +{added}"));
            }
            if let Some(removed) = file.lines_removed {
                what.push_str(&format!(" -{removed}"));
            }
            if file.writes > 1 {
                what.push_str(&format!(", {} writes", file.writes));
            }
            (path.to_string_lossy().into_owned(), what)
        })
        .collect()
}

/// What an error is, without its message: `quota 429`, `warning: failed`.
pub(crate) fn error(problem: &Problem<'_>) -> String {
    let level = if problem.fatal { "" } else { "warning: " };
    match problem.code.as_ref().and_then(Code::number) {
        Some(code) => format!("{level}{} {code}", problem.class),
        None => format!("{level}{}", problem.class),
    }
}

/// Time, turns and calls in a few words.
pub(crate) fn facts(session: &Session) -> Vec<String> {
    let usage = session.usage();
    let calls = session.tools().map(|tools| tools.sum().calls);
    let files = session.files().map(|tools| tools.files().len() as u64);
    [
        session.duration_ms().map(ms),
        session.turns().map(|turns| noun(turns, "turn")),
        calls.map(|calls| noun(calls, "tool call")),
        files.map(|files| noun(files, "file")),
        usage.total.map(|total| noun(total, "token")),
        usage.cost_usd.map(dollars),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What noise a stream had, in a few words; nothing if it had none.
pub(crate) fn noise(session: &Session) -> Option<String> {
    let noise = &session.noise;
    let unknown = session.unknown_records();
    let parts = [
        (noise.lines > 0).then(|| {
            format!(
                "{}, {}",
                noun(noise.lines, "line"),
                noun(noise.bytes, "byte")
            )
        }),
        (noise.broken > 0).then(|| noun(noise.broken, "broken record")),
        (unknown > 0).then(|| noun(unknown, "record") + " of unknown type"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The sum of several sessions. What none of them says is not known of the sum either.
#[derive(Debug, Default)]
pub struct Totals {
    sessions: u64,
    outcomes: Vec<(Outcome, u64)>,
    usage: Option<Tokens>,
    tools: Option<Counts>,
    files: Option<u64>,
    duration_ms: Option<u64>,
}

impl Totals {
    /// Adds a session.
    pub fn add(&mut self, session: &Session) {
        self.sessions += 1;
        let outcome = session.outcome();
        match self
            .outcomes
            .iter_mut()
            .find(|(known, _)| *known == outcome)
        {
            Some((_, count)) => *count += 1,
            None => self.outcomes.push((outcome, 1)),
        }
        let usage = session.usage();
        self.usage = Some(self.usage.map_or(usage, |sum| sum.plus(usage)));
        if let Some(tools) = session.tools() {
            self.tools = Some(self.tools.unwrap_or_default().plus(&tools.sum()));
        }
        let files = session.files().map(|tools| tools.files().len() as u64);
        add(&mut self.files, files);
        add(&mut self.duration_ms, session.duration_ms());
    }

    /// Whether there is a sum: of one session there is none.
    #[must_use]
    pub const fn is_sum(&self) -> bool {
        self.sessions > 1
    }

    /// The sums in a few words.
    pub(crate) fn facts(&self) -> Vec<String> {
        let outcomes = self
            .outcomes
            .iter()
            .map(|(outcome, count)| format!("{count} {outcome}"));
        let outcomes: Vec<String> = outcomes.collect();
        let usage = self.usage.unwrap_or_default();
        let failed = self.tools.map_or(0, |tools| tools.error);
        let denied = self.tools.map_or(0, |tools| tools.denied);
        [
            Some(format!(
                "{} ({})",
                noun(self.sessions, "session"),
                outcomes.join(", ")
            )),
            self.duration_ms.map(ms),
            self.tools.map(|tools| noun(tools.calls, "tool call")),
            (failed > 0).then(|| format!("{failed} failed")),
            (denied > 0).then(|| format!("{denied} denied")),
            self.files.map(|files| noun(files, "file")),
            usage.total.map(|total| noun(total, "token")),
            usage.cost_usd.map(dollars),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Adds what is known to what is known of a sum.
fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

fn count(number: u64) -> String {
    number.to_string()
}

fn dollars(cost: f64) -> String {
    format!("${cost:.4}")
}

fn ms(ms: u64) -> String {
    span(Duration::from_millis(ms))
}

/// A number with its noun in the right form.
pub(crate) fn noun(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
