//! A session as rows and short phrases: the common part of the readable forms of a summary.
//!
//! `structural` leaves out every text: answers, messages, paths and samples of noise.

use std::borrow::Cow;
use std::time::Duration;

use crate::text::flow::{Tint, relative};
use jsift_agents::event::{Event, Status};
use jsift_agents::fact::{Code, Operation, Problem, Tokens};
pub use jsift_agents::figures::{calls, noun};
use jsift_agents::figures::{dollars, span, tokens};
use jsift_agents::session::{Counts, Named, NoSession, Session, Tools};
use jsift_agents::time::utc;
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// How to write a report. Markdown and pages have no colour and no width, text and tables no maximum size.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportOptions {
    /// The width of the terminal in columns; `None` does not wrap.
    pub width: Option<usize>,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether marks are ASCII.
    pub ascii: bool,
    /// Whether workflow commands are neutralised.
    pub ci: bool,
    /// Whether only names, counts, times and classes are written.
    pub structural: bool,
    /// The maximum size of the whole report in bytes; `None` is the default of its form.
    pub max_bytes: Option<u64>,
}

/// Cells by row; the first row is the head. The first column contains names from the input, the others contain numbers.
pub(crate) type Table = Vec<Vec<String>>;

/// Returns the usage of each model, if models are distinguished, or else the usage of the session; `None` if no usage
/// is known.
pub(crate) fn models(session: &Session) -> Option<Table> {
    let mut rows = rows(session);
    if rows.len() > 1 {
        rows.push(("total".to_owned(), session.usage()));
    }
    usage_table("model", &rows, &[])
}

/// Returns the models of a session with their usage; one row for all models if they are not distinguished.
fn rows(session: &Session) -> Vec<(String, Tokens)> {
    let (rows, usage) = (by_name(&session.models()), session.usage());
    match rows.is_empty() && usage.is_known() {
        true => vec![(model(session), usage)],
        false => rows,
    }
}

fn by_name(models: &Named<Tokens>) -> Vec<(String, Tokens)> {
    let rows = models.iter();
    rows.map(|(name, tokens)| (name.to_string_lossy().into_owned(), *tokens))
        .collect()
}

fn model(session: &Session) -> String {
    let model = session.model.as_ref();
    model.map_or_else(
        || session.agent_name().to_owned(),
        |model| model.to_string_lossy().into_owned(),
    )
}

/// Returns a table of token counts, each with a name; `head` says what is named. Columns without any known number are
/// left out, and so are those of `without`.
pub(crate) fn usage_table(
    head: &str,
    rows: &[(String, Tokens)],
    without: &[&str],
) -> Option<Table> {
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
    let is_known = |(title, of): &&Column| {
        !without.contains(title) && rows.iter().any(|(_, tokens)| of(tokens).is_some())
    };
    let known: Vec<_> = COLUMNS.iter().filter(is_known).collect();
    let titles = known.iter().map(|(title, _)| (*title).to_owned());
    let mut table = vec![[head.to_owned()].into_iter().chain(titles).collect()];
    table.extend(rows.iter().map(|(name, tokens)| {
        let cells = known.iter().map(|(_, of)| of(tokens).unwrap_or_default());
        [name.clone()].into_iter().chain(cells).collect()
    }));
    Some(table)
}

/// Returns a table of how often each tool was called; `None` if no tool was.
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

/// Returns the files that were written: the path as it is seen from the folder that the agent works in, and what was
/// done to the file (`update +3 -1, 2 writes`).
pub(crate) fn files(session: &Session, structural: bool) -> Vec<(String, String)> {
    let tools = session.files().filter(|_| !structural).into_iter();
    let files = tools.flat_map(|tools| tools.files().iter());
    let folder = session.folder.as_ref().map(Text::to_string_lossy);
    files
        .map(|(path, file)| {
            let mut what = file.operation.map_or("write", Operation::word).to_owned();
            if let Some(added) = file.lines.added {
                what.push_str(&format!(" +{added}"));
            }
            if let Some(removed) = file.lines.removed {
                what.push_str(&format!(" -{removed}"));
            }
            if file.writes > 1 {
                what.push_str(&format!(", {} writes", file.writes));
            }
            let path = path.to_string_lossy();
            (relative(&path, folder.as_deref()).to_owned(), what)
        })
        .collect()
}

/// Describes an error without its message: `quota 429`, `warning: failed`, `quota (resets at 2026-05-04T23:16:08Z)`.
pub(crate) fn error(problem: &Problem<'_>) -> String {
    let level = if problem.fatal { "" } else { "warning: " };
    let code = problem.code.as_ref().and_then(Code::number);
    let code = code.map(|code| format!(" {code}")).unwrap_or_default();
    let resets_at = problem.resets_at.and_then(utc);
    let resets_at = resets_at.map(|at| format!(" (resets at {at})"));
    format!(
        "{level}{}{code}{}",
        problem.class,
        resets_at.unwrap_or_default()
    )
}

/// Returns the message of an error; empty if there is none to show.
pub(crate) fn message<'p>(problem: &'p Problem<'_>, structural: bool) -> Cow<'p, str> {
    match structural {
        true => Cow::default(),
        false => problem.message.to_string_lossy(),
    }
}

/// Returns the answer; empty if there is none to show.
pub(crate) fn answer(session: &Session, structural: bool) -> Text<'_> {
    let answer = session.response().filter(|_| !structural);
    answer
        .filter(|answer| !answer.is_blank())
        .unwrap_or_default()
}

/// Returns the agent's version, the model and the id of a session, as far as they are known.
pub(crate) fn names(session: &Session) -> impl Iterator<Item = Cow<'_, str>> {
    let names = [
        session.agent_version.as_ref(),
        session.model.as_ref(),
        session.id.as_ref(),
    ];
    names.into_iter().flatten().map(Text::to_string_lossy)
}

/// Returns how a session ended, in one or two words, for its headline.
pub(crate) fn outcome(session: &Session) -> &'static str {
    match session.limits().is_empty() {
        true => session.outcome().word(),
        false => "limit exceeded",
    }
}

/// What the sign and the colour of an end say of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum EndMark {
    Success,
    /// The run succeeded, but none of its tool calls did.
    Doubtful,
    #[default]
    Failure,
}

impl EndMark {
    pub(crate) fn of(session: &Session) -> Self {
        Self::new(session.outcome() == Outcome::Success, session.is_doubtful())
    }

    const fn new(success: bool, doubtful: bool) -> Self {
        match (success, doubtful) {
            (false, _) => Self::Failure,
            (true, true) => Self::Doubtful,
            (true, false) => Self::Success,
        }
    }

    /// Returns the mark of an event that ends a session or a turn.
    pub(crate) fn of_event(event: &Event<'_>) -> Self {
        Self::new(event.status == Some(Status::Success), event.warns)
    }

    /// Returns the colour on a terminal.
    pub(crate) const fn tint(self) -> Tint {
        match self {
            Self::Success => Tint::Green,
            Self::Doubtful => Tint::Magenta,
            Self::Failure => Tint::Red,
        }
    }
}

/// Returns why a session failed, for its headline.
pub(crate) fn reason(session: &Session, structural: bool) -> Option<String> {
    let outcome = session.outcome();
    let own = !session.limits().is_empty() || session.known_message().is_some();
    match session.reason().filter(|_| own || !structural) {
        Some(reason) => Some(reason.into_owned()),
        None if outcome == Outcome::Truncated => {
            Some("the stream ended without its terminal event".to_owned())
        }
        None if outcome == Outcome::Success => None,
        None if outcome == Outcome::Failed => Some("the agent does not say why".to_owned()),
        None => Some(outcome.meaning().to_owned()),
    }
}

/// The figures of a session, or of several together, as far as they are stated.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) duration_ms: Option<u64>,
    pub(crate) turns: Option<u64>,
    pub(crate) tools: Option<Counts>,
    pub(crate) files: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) cost_usd: Option<f64>,
}

impl Figures {
    pub(crate) fn of(session: &Session) -> Self {
        let usage = session.usage();
        Self {
            duration_ms: session.duration_ms,
            turns: session.turns(),
            tools: session.tools().map(Tools::sum),
            files: session.files().map(|tools| tools.files().len() as u64),
            tokens: usage.total,
            cost_usd: usage.cost_usd,
        }
    }

    /// Returns them for a table: time, turns, calls, failed calls, denied calls, files, tokens and cost.
    pub(crate) fn cells(&self) -> [Option<String>; 8] {
        [
            self.duration_ms.map(ms),
            self.turns.map(count),
            self.tools.map(|tools| count(tools.calls)),
            self.tools.map(|tools| count(tools.error)),
            self.tools.map(|tools| count(tools.denied)),
            self.files.map(count),
            self.tokens.map(count),
            self.cost_usd.map(dollars),
        ]
    }

    /// Returns them as short phrases.
    fn phrases(&self) -> [Option<String>; 6] {
        [
            self.duration_ms.map(ms),
            self.turns.map(|turns| noun(turns, "turn")),
            self.tools.map(calls),
            self.files.map(|files| noun(files, "file")),
            self.tokens.map(tokens),
            self.cost_usd.map(dollars),
        ]
    }

    /// Adds those of another session, except its turns. What one of them does not state counts as zero.
    fn add(&mut self, other: &Self) {
        fn sum<T: Copy>(sum: &mut Option<T>, more: Option<T>, add: impl Fn(T, T) -> T) {
            *sum = match (*sum, more) {
                (Some(sum), Some(more)) => Some(add(sum, more)),
                (sum, more) => sum.or(more),
            };
        }
        sum(
            &mut self.duration_ms,
            other.duration_ms,
            u64::saturating_add,
        );
        sum(&mut self.tools, other.tools, |sum, more| sum.plus(&more));
        sum(&mut self.files, other.files, u64::saturating_add);
        sum(&mut self.tokens, other.tokens, u64::saturating_add);
        sum(&mut self.cost_usd, other.cost_usd, |sum, more| sum + more);
    }
}

/// Returns the figures of a session as short phrases.
pub(crate) fn facts(session: &Session) -> Vec<String> {
    let phrases = Figures::of(session).phrases();
    phrases.into_iter().flatten().collect()
}

/// Describes the noise in a stream in a short phrase, with samples of its lines and their numbers; `None` if there was
/// no noise.
pub fn noise(session: &Session, structural: bool) -> Option<(String, &[(u64, String)])> {
    let noise = &session.noise;
    let unknown = session.unknown_records;
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
    let samples = if structural { &[][..] } else { &noise.samples };
    (!parts.is_empty()).then(|| (parts.join("; "), samples))
}

/// The totals of several sessions. A number that no session states is unknown in the totals, too.
#[derive(Debug, Default)]
pub struct Totals {
    sessions: u64,
    /// How many sessions ended in the same way.
    outcomes: Named<u64>,
    figures: Figures,
    /// How many sessions state their tokens, and how many their cost.
    with_tokens: u64,
    with_cost: u64,
    models: Named<Tokens>,
}

impl Totals {
    /// Adds a session.
    pub fn add(&mut self, session: &Session) {
        self.sessions += 1;
        *self.outcomes.entry(&Text::from(outcome(session))) += 1;
        let figures = Figures::of(session);
        self.with_tokens += u64::from(figures.tokens.is_some());
        self.with_cost += u64::from(figures.cost_usd.is_some());
        self.figures.add(&figures);
        for (name, tokens) in rows(session) {
            let sum = self.models.entry(&Text::from(&*name));
            // A number that one of the sessions does not state counts as zero.
            *sum = sum.plus(tokens).or(*sum).or(tokens);
        }
    }

    /// Adds a source without any session, which ended in this way.
    pub fn add_no_session(&mut self, end: NoSession) {
        self.sessions += 1;
        *self.outcomes.entry(&Text::from(end.outcome.word())) += 1;
    }

    /// Returns whether there are totals: there are none of a single session.
    #[must_use]
    pub const fn is_sum(&self) -> bool {
        self.sessions > 1
    }

    /// Returns the totals as short phrases.
    pub(crate) fn facts(&self) -> Vec<String> {
        let outcomes = self.outcomes.iter();
        let outcomes = outcomes.map(|(word, count)| format!("{count} {}", word.to_string_lossy()));
        let outcomes: Vec<String> = outcomes.collect();
        let sessions = noun(self.sessions, "session");
        let stated = |sum: Option<String>, by: u64| match by {
            by if by == self.sessions => sum,
            by => Some(format!("{} (stated by {by} of {})", sum?, self.sessions)),
        };
        let [duration, turns, tools, files, tokens, cost] = self.figures.phrases();
        let tokens = stated(tokens, self.with_tokens);
        let cost = stated(cost, self.with_cost);
        let sessions = Some(format!("{sessions} ({})", outcomes.join(", ")));
        let facts = [sessions, duration, turns, tools, files, tokens, cost];
        facts.into_iter().flatten().collect()
    }

    /// Returns the usage of each model, over all sessions that state it.
    pub(crate) fn models(&self) -> Option<Table> {
        usage_table("model", &by_name(&self.models), &[])
    }
}

fn count(number: u64) -> String {
    number.to_string()
}

pub(crate) fn ms(ms: u64) -> String {
    span(Duration::from_millis(ms))
}
