//! Writes sessions as one self-contained page: for an artifact of a CI job, or a mail.
//!
//! The page runs no script and loads nothing; a policy in its head forbids both, in case anything of the input ever
//! escapes from its element. Text from the input appears only inside elements, as text (`plain`) or as tamed
//! `markdown`; the only attributes made from it are addresses.
//!
//! Outcomes and figures come from the sessions, the steps from the [events](Courses) as they arrive. Both are held
//! until the end, in about twice as many bytes as the page may have. If the page would be larger, long texts are cut
//! first, then steps are left out, then sessions; each attempt shows a fixed fraction of the one before, so the total
//! time is linear.

mod chapter;
mod chart;
mod counts;
mod course;
mod courses;
mod excerpt;
mod invocation;
mod markdown;
mod plain;
mod steps;
mod times;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::{ReportOptions, Totals};
use crate::sanitize::SafeText;
use chapter::{Chapter, ChapterShape, table};
pub use course::Course;
use course::{Holding, SHORTEST, Shrink as _};
pub use courses::Courses;
use jsift_agents::session::{NoSession, Session};
pub(crate) use markdown::{is_harmless, parsed};
use plain::{Plain, number};

/// The default maximum size of a page, in bytes.
pub const MAX_BYTES: u64 = 5_000_000;
/// The length that texts are cut to at first, in bytes.
const TEXT: usize = 64 << 10;
/// How many calls a time line draws at most.
const BARS: usize = 600;

/// The page may load nothing; styles are inline.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const CSS: &str = include_str!("html/page.css");

/// Collects sessions and writes their page.
#[derive(Debug)]
pub struct PageWriter {
    options: ReportOptions,
    chapters: Vec<Chapter>,
    holding: Holding,
}

/// How much of everything a page shows.
#[derive(Debug, Clone, Copy)]
struct PageBudget {
    /// The length of a text, in bytes.
    text: usize,
    /// The number of steps of a session.
    steps: usize,
    /// Whether there are pictures.
    pictures: bool,
    /// The number of sessions that are described, and of rows in the list of sessions.
    chapters: usize,
    rows: usize,
}

impl PageWriter {
    /// Returns a writer at the start of a page.
    #[must_use]
    pub fn new(options: ReportOptions) -> Self {
        Self {
            options,
            chapters: Vec::new(),
            holding: Holding {
                held: 0,
                most: room(options),
                each: 2 * TEXT,
            },
        }
    }

    /// Returns the collector for the courses of the sessions of a source.
    #[must_use]
    pub fn courses(&self) -> Courses {
        Courses::new(self.holding.most, self.options.structural)
    }

    /// Adds a session; `source` is the name of its file if there are several.
    pub fn session(&mut self, session: &Session, course: Course, source: Option<&str>) {
        let structural = self.options.structural;
        self.add(Chapter::of(session, course, source, structural));
    }

    /// Adds how a source without any session ended.
    pub fn no_session(&mut self, end: NoSession, source: Option<&str>) {
        self.add(Chapter::of_none(end, source));
    }

    fn add(&mut self, chapter: Chapter) {
        self.holding.held += chapter.weight();
        self.chapters.push(chapter);
        self.holding.relieve(self.chapters.iter_mut());
    }

    /// Writes the page, unless it has no content.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        if self.chapters.is_empty() {
            return;
        }
        let most = self.options.max_bytes.unwrap_or(MAX_BYTES);
        let fits = |page: &SafeText| page.as_str().len() as u64 <= most;
        let tries = PageBudget::tries(self.holding.each, self.steps(), self.chapters.len());
        let page = tries.map(|budget| self.page(budget, totals)).find(fits);
        let page = page.or_else(|| Some(SafeText::new(&nothing(), false)).filter(fits));
        if let Some(page) = page {
            out.extend_from_slice(page.as_str().as_bytes());
        }
    }

    /// Returns the number of steps of the longest session.
    fn steps(&self) -> usize {
        let steps = self.chapters.iter().map(Chapter::steps);
        steps.max().unwrap_or(0)
    }

    /// Returns the page with as much as the budget allows. What is cut for that stays cut.
    fn page(&mut self, budget: PageBudget, totals: &Totals) -> SafeText {
        for chapter in &mut self.chapters {
            chapter.cut(budget.text);
            chapter.thin(budget.steps);
        }
        let page = page(&self.chapters, budget, totals);
        let page = page.into_string() + "\n";
        SafeText::new(&page, self.options.ci)
    }
}

/// Returns how many bytes may be held for a page.
fn room(options: ReportOptions) -> usize {
    let bytes = options.max_bytes.unwrap_or(MAX_BYTES).saturating_mul(2);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl PageBudget {
    /// Returns the amounts to try, one after the other. Each shows less than the one before; what matters least is
    /// reduced first.
    fn tries(text: usize, steps: usize, chapters: usize) -> impl Iterator<Item = Self> {
        let halves = |from: usize, to: usize| {
            std::iter::successors(Some(from), move |now| {
                (*now > to).then_some((now / 2).max(to))
            })
        };
        let all = Self {
            text: text.min(TEXT),
            steps: usize::MAX,
            pictures: true,
            chapters,
            rows: chapters,
        };
        let text = halves(all.text, SHORTEST).map(move |text| Self { text, ..all });
        let few = Self {
            text: SHORTEST,
            ..all
        };
        let fewer = |steps: &usize| (*steps > 1).then_some(steps * 3 / 4);
        let steps = std::iter::successors(Some(steps), fewer).skip(1);
        let steps = steps.map(move |steps| Self { steps, ..few });
        let few = Self {
            steps: 1,
            pictures: false,
            ..few
        };
        let reported = halves(chapters, 0).map(move |chapters| Self { chapters, ..few });
        let few = Self { chapters: 0, ..few };
        let rows = halves(chapters, 0)
            .skip(1)
            .map(move |rows| Self { rows, ..few });
        text.chain(steps).chain(reported).chain(rows)
    }
}

/// Returns the page for when nothing fits.
fn nothing() -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { "jsift" } }
            body { p { "Cut here: the page would be longer than it may be." } }
        }
    };
    page.into_string() + "\n"
}

/// Returns the page of these chapters, with as much of them as `budget` allows.
fn page(chapters: &[Chapter], budget: PageBudget, totals: &Totals) -> Markup {
    let (title, single) = match chapters {
        [only] => (only.title(), true),
        all => (format!("{} runs", number(all.len() as u64)), false),
    };
    let reported = chapters.iter().take(budget.chapters);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="referrer" content="no-referrer";
                meta name="robots" content="noindex";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (Plain(&title)) }
                style { (PreEscaped(CSS)) }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                @if single {
                    @for chapter in chapters {
                        (chapter.head("r1", 1))
                        main #content { (chapter.sections(&shape(1, budget, true))) }
                    }
                } @else {
                    header {
                        h1 { (title) }
                        p { (totals.facts().join(", ")) }
                        (list(chapters, budget))
                        @if let Some(models) = totals.models() {
                            details.figures { summary { "By model" } (table(&models)) }
                        }
                    }
                    main #content {
                        @for (place, chapter) in reported.enumerate() {
                            article aria-labelledby={ "r" (place + 1) } {
                                (chapter.head(&format!("r{}", place + 1), 2))
                                (chapter.sections(&shape(place + 1, budget, false)))
                            }
                        }
                    }
                }
                footer {
                    (cuts(chapters, budget))
                    p { "Made with jsift from the agent’s own records." }
                }
            }
        }
    }
}

fn shape(number: usize, budget: PageBudget, single: bool) -> ChapterShape {
    ChapterShape {
        id: format!("r{number}"),
        level: if single { 2 } else { 3 },
        unfolded: single,
        bars: if budget.pictures { BARS } else { 0 },
    }
}

/// Returns the list of the sessions, each with a link to its part of the page.
fn list(chapters: &[Chapter], budget: PageBudget) -> Markup {
    let left_out = chapters.len() - budget.rows.min(chapters.len());
    html! {
        nav.scroll aria-label="Runs" {
            table.runs {
                thead { tr {
                    th scope="col" { "#" }
                    @for name in ["run", "outcome"] { th.words scope="col" { (name) } }
                    @for name in ["time", "calls", "tokens", "cost"] { th scope="col" { (name) } }
                } }
                tbody {
                    @for (place, chapter) in chapters.iter().take(budget.rows).enumerate() {
                        (chapter.row(place + 1, place < budget.chapters))
                    }
                }
            }
        }
        @if left_out > 0 { p.cut { "and " (number(left_out as u64)) " more" } }
    }
}

/// Returns a note on what the page does not show.
fn cuts(chapters: &[Chapter], budget: PageBudget) -> Markup {
    let cut = chapters.iter().any(Chapter::is_cut);
    let left_out = chapters.len() - budget.chapters.min(chapters.len());
    html! {
        @if cut { p { "Long texts are cut, so that the page is no larger than it may be (" code { "--max-bytes" } ")." } }
        @if left_out > 0 { p { "The page has only a row of the list for " (number(left_out as u64)) " runs." } }
    }
}
