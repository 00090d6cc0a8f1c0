//! One session's part of a page: its outcome and its steps.

use std::borrow::Cow;

use maud::{Markup, html};

use super::chart::chart;
use super::course::{Course, Shrink};
use super::excerpt::Excerpt;
use super::markdown::{self, verbatim};
use super::plain::{Plain, number};
use super::steps::{Steps, end_class, end_mark, end_sign};
use super::times::times;
use crate::report::{self, EndMark, Figures, Table};
use crate::text::flow::one_line;
use jsift_agents::figures::{dollars, plural};
use jsift_agents::session::{NoSession, Session};
use jsift_json::text::Text;

/// How many times longer than other texts an answer may be, since it is what the page is read for.
const ANSWER: usize = 16;
/// The maximum length of an error, in bytes.
const MESSAGE: usize = 4096;
/// The maximum width of a name or a path, in columns.
const NAME: usize = 200;
/// The number of columns of a table above which its rows are shown as lists on narrow screens.
const WIDE: usize = 5;
/// The maximum number of rows of a list.
const ROWS: usize = 500;

/// What a page shows of a session.
#[derive(Debug, Default)]
pub(super) struct Chapter {
    agent: &'static str,
    end: EndMark,
    /// How the session ended, in one or two words.
    word: &'static str,
    /// Why; empty if it succeeded.
    reason: String,
    source: Option<String>,
    model: Option<String>,
    /// The agent's version and the id of the session.
    names: Vec<String>,
    /// Figures, each with its noun.
    facts: Vec<(String, String)>,
    answer: Excerpt,
    errors: Vec<ShownProblem>,
    models: Option<Table>,
    tools: Option<Table>,
    files: Vec<(String, String)>,
    /// What the noise was, and samples of its lines with their numbers.
    noise: Option<(String, Vec<(u64, String)>)>,
    course: Course,
    /// Whether texts are left out.
    structural: bool,
}

/// An error or a warning.
#[derive(Debug)]
struct ShownProblem {
    fatal: bool,
    what: String,
    message: Excerpt,
}

/// How a chapter appears on its page.
pub(super) struct ChapterShape {
    /// The prefix of the ids of its elements.
    pub(super) id: String,
    /// The level of its headings.
    pub(super) level: u8,
    /// Whether the steps are shown without a click.
    pub(super) unfolded: bool,
    /// How many calls the time line draws; 0 if there are no pictures.
    pub(super) bars: usize,
}

impl Chapter {
    pub(super) fn of(
        session: &Session,
        course: Course,
        source: Option<&str>,
        structural: bool,
    ) -> Self {
        let name = |text: &Text<'_>| name(&text.to_string_lossy()).into_owned();
        let answer = report::answer(session, structural);
        let errors = session.errors().iter().map(|problem| ShownProblem {
            fatal: problem.fatal,
            what: report::error(problem),
            message: Excerpt::of(&report::message(problem, structural), MESSAGE),
        });
        let noise = report::noise(session, structural);
        Self {
            agent: session.agent_name(),
            end: EndMark::of(session),
            word: report::outcome(session),
            reason: report::reason(session, structural).unwrap_or_default(),
            source: source.map(str::to_owned),
            model: session.model.as_ref().map(name),
            names: [session.agent_version.as_ref(), session.id.as_ref()]
                .into_iter()
                .flatten()
                .map(name)
                .collect(),
            facts: facts(session),
            answer: Excerpt::of(answer.to_string_lossy().trim(), usize::MAX / 2),
            errors: errors.collect(),
            models: report::models(session),
            tools: report::tools(session),
            files: report::files(session, structural),
            noise: noise.map(|(noise, samples)| (noise, samples.to_vec())),
            course,
            structural,
        }
    }

    /// Returns the chapter of an agent that did not start.
    pub(super) fn of_none(end: NoSession, source: Option<&str>) -> Self {
        Self {
            agent: "no session",
            word: end.outcome.word(),
            reason: end.outcome.meaning().to_owned(),
            source: source.map(str::to_owned),
            errors: vec![ShownProblem {
                fatal: true,
                what: end.outcome.word().to_owned(),
                message: Excerpt::of(end.reason, MESSAGE),
            }],
            ..Self::default()
        }
    }

    /// Returns whether anything is left out for its size.
    pub(super) fn is_cut(&self) -> bool {
        !self.structural && (self.answer.is_cut() || self.course.is_cut())
    }

    /// Returns the page's title for when this is the only chapter.
    pub(super) fn title(&self) -> String {
        format!("{} {}: {}", end_sign(self.end), self.agent, self.word)
    }

    /// Returns the chapter's row in the list of all chapters, with a link if it is `reported` in full.
    pub(super) fn row(&self, place: usize, reported: bool) -> Markup {
        let fact = |noun: &str| {
            let found = self.facts.iter().find(|(_, what)| what.starts_with(noun));
            found.map(|(figure, _)| figure.as_str()).unwrap_or_default()
        };
        let model = self.model.as_deref().unwrap_or_default();
        let name = html! { (self.agent) " " (Plain(model)) };
        html! {
            tr {
                td { (number(place as u64)) }
                td.words {
                    @if reported { a href={ "#r" (place) } { (name) } } @else { (name) }
                    @if let Some(source) = &self.source { br; span.muted { (Plain(source)) } }
                }
                td.words { (end_mark(self.end)) " " (self.word) }
                @for noun in ["duration", "tool call", "token", "cost"] { td { (fact(noun)) } }
            }
        }
    }

    /// Returns the chapter's head: outcome, names and figures, below a heading of this level.
    pub(super) fn head(&self, id: &str, level: u8) -> Markup {
        let title = html! {
            (self.agent)
            @if let Some(model) = &self.model { " " span.model { (Plain(model)) } }
        };
        html! {
            header {
                p class={ "badge " (end_class(self.end)) } { (end_mark(self.end)) " " (self.word) }
                (heading(level, id, &title))
                @if self.source.is_some() || !self.names.is_empty() {
                    p.names {
                        @if let Some(source) = &self.source { span { (Plain(source)) } }
                        @for name in &self.names { span { (Plain(name)) } }
                    }
                }
                @if !self.reason.is_empty() { p { (Plain(&self.reason)) } }
                @if !self.facts.is_empty() {
                    ul.facts {
                        @for (figure, what) in &self.facts { li { b { (figure) } span { (what) } } }
                    }
                }
            }
        }
    }

    /// Returns everything after the head.
    pub(super) fn sections(&self, shape: &ChapterShape) -> Markup {
        let step = format!("{}-", shape.id);
        let times = times(&self.course, &step, shape.bars).filter(|_| shape.bars > 0);
        let tools = self.tools.as_ref().map(table);
        let (times, tools) = match (times, tools) {
            (Some(times), Some(tools)) => {
                let tools = html! { details.figures { summary { "By tool" } (tools) } };
                (Some(html! { (times) (tools) }), None)
            }
            apart => apart,
        };
        let counted = self.course.counts();
        let charts = chart(&counted).filter(|_| shape.bars > 0);
        let sections = [
            ("errors", "Errors and warnings", self.errors()),
            ("answer", "Answer", self.answer(shape)),
            ("times", "Timeline", times),
            ("usage", "Usage", self.usage(charts)),
            ("files", "Files", self.files()),
            ("tools", "Tools", tools),
            ("course", "Steps", self.course(shape, &step)),
            ("noise", "Noise", self.noise()),
        ];
        let id = |name: &str| format!("{}-{name}", shape.id);
        let sections: Vec<_> = sections
            .into_iter()
            .filter_map(|(name, title, content)| Some((id(name), title, content?)))
            .collect();
        html! {
            @if shape.unfolded {
                nav aria-label="Parts of this page" {
                    ul { @for (id, title, _) in &sections { li { a href={ "#" (id) } { (title) } } } }
                }
            }
            @for (id, title, content) in &sections {
                section aria-labelledby=(id) { (heading(shape.level, id, &html! { (title) })) (content) }
            }
        }
    }

    fn errors(&self) -> Option<Markup> {
        (!self.errors.is_empty()).then(|| {
            html! {
                ul.errors {
                    @for error in &self.errors {
                        li class=(if error.fatal { "fatal" } else { "warning" }) {
                            b { (Plain(&error.what)) }
                            @if !error.message.is_blank() { pre { (verbatim(&error.message)) } }
                        }
                    }
                }
            }
        })
    }

    fn answer(&self, shape: &ChapterShape) -> Option<Markup> {
        (!self.answer.is_blank()).then(|| {
            html! {
                div.answer.bad[self.end == EndMark::Failure] {
                    div.text dir="auto" { (markdown::excerpt(&self.answer, shape.level)) }
                }
            }
        })
    }

    fn usage(&self, charts: Option<Markup>) -> Option<Markup> {
        let models = self.models.as_ref().map(table);
        (models.is_some() || charts.is_some()).then(|| {
            html! {
                @if let Some(models) = models { (models) }
                @if let Some(charts) = charts { (charts) }
            }
        })
    }

    fn files(&self) -> Option<Markup> {
        let more = self.files.len().saturating_sub(ROWS);
        (!self.files.is_empty()).then(|| {
            html! {
                ul.files {
                    @for (path, what) in self.files.iter().take(ROWS) {
                        li { code { (Plain(&name(path))) } " " span.muted { (what) } }
                    }
                    @if more > 0 { li.cut { "and " (number(more as u64)) " more" } }
                }
            }
        })
    }

    fn course(&self, shape: &ChapterShape, step: &str) -> Option<Markup> {
        if self.course.steps.is_empty() {
            return None;
        }
        let steps = Steps::new(&self.course, step, shape.level, self.structural).all();
        Some(if shape.unfolded {
            steps
        } else {
            html! { details { summary { (report::noun(self.steps() as u64, "step")) } (steps) } }
        })
    }

    fn noise(&self) -> Option<Markup> {
        let (noise, samples) = self.noise.as_ref()?;
        Some(html! {
            p { (noise) }
            @if !samples.is_empty() {
                ul.files {
                    @for (line, sample) in samples { li { "line " (line) ": " code { (Plain(sample)) } } }
                }
            }
        })
    }
}

impl Shrink for Chapter {
    fn weight(&self) -> usize {
        let files = self
            .files
            .iter()
            .map(|(path, what)| path.len() + what.len());
        let errors = self.errors.iter().map(|error| error.message.weight());
        let others = files.sum::<usize>() + errors.sum::<usize>();
        size_of::<Self>() + self.answer.weight() + others + self.course.weight()
    }

    fn steps(&self) -> usize {
        self.course.steps.len()
    }

    /// Cuts every text to at most `most` bytes; the answer may be [`ANSWER`] times as long.
    fn cut(&mut self, most: usize) {
        self.answer.cut(most.saturating_mul(ANSWER));
        for error in &mut self.errors {
            error.message.cut(most);
        }
        self.course.cut(most);
    }

    fn thin(&mut self, most: usize) {
        self.course.thin(most);
    }
}

/// Returns the figures, each with its noun.
fn facts(session: &Session) -> Vec<(String, String)> {
    let plural = |count: u64, noun: &str| (number(count), plural(count, noun));
    let figures = Figures::of(session);
    let calls = figures.tools.map(|sum| {
        let (figure, mut noun) = plural(sum.calls, "tool call");
        for (count, word) in [(sum.error, "failed"), (sum.denied, "denied")] {
            if count > 0 {
                noun.push_str(&format!(", {} {word}", number(count)));
            }
        }
        (figure, noun)
    });
    let facts = [
        (figures.duration_ms).map(|ms| (report::ms(ms), "duration".to_owned())),
        figures.turns.map(|turns| plural(turns, "turn")),
        calls,
        figures.files.map(|files| plural(files, "file")),
        figures.tokens.map(|total| plural(total, "token")),
        (figures.cost_usd).map(|cost| (dollars(cost), "cost".to_owned())),
    ];
    facts.into_iter().flatten().collect()
}

/// Returns as much of a name as is shown, on one line.
fn name(text: &str) -> Cow<'_, str> {
    one_line(text, NAME, "…")
}

/// Returns a heading that can be linked to.
fn heading(level: u8, id: &str, content: &Markup) -> Markup {
    match level {
        1 => html! { h1 id=(id) { (content) } },
        2 => html! { h2 id=(id) { (content) } },
        _ => html! { h3 id=(id) { (content) } },
    }
}

/// Returns a cell of a table, with thousands separators in whole numbers.
fn figure(cell: &str) -> Cow<'_, str> {
    match cell.parse() {
        Ok(whole) => number(whole).into(),
        Err(_) => cell.into(),
    }
}

/// Returns a table with its numbers aligned to the right.
pub(super) fn table(rows: &Table) -> Markup {
    let more = rows.len().saturating_sub(ROWS + 1);
    let (head, body) = rows
        .split_first()
        .map_or((&[][..], &[][..]), |(head, body)| (head, body));
    html! {
        div.scroll role="region" aria-label="Table" tabindex="0" {
            table class=[(head.len() > WIDE).then_some("wide")] {
                thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                tbody {
                    @for row in body.iter().take(ROWS) {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" { (Plain(&name(cell))) }
                                } @else if !cell.is_empty() {
                                    td data-title=(head.get(column).map_or("", String::as_str)) { (figure(cell)) }
                                } @else {
                                    td {}
                                }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 { p.cut { "and " (number(more as u64)) " more" } }
    }
}
