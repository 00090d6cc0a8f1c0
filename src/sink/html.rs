//! Sessions as one page that needs nothing else: for an artifact of a CI job, or a mail.
//!
//! The page runs no script and loads nothing; a policy in its head forbids both, should anything of the input ever get
//! out of its element. Text from the input stands in elements only, as text (`plain`) or as tamed `markdown`; addresses
//! in it are the only attributes that are made of it.
//!
//! How things went comes from the sessions, what happened from the [events](Courses) as they come. Both are held until
//! the end, in about twice as many bytes as the page may have. Where the page would be larger, long texts are cut, then
//! steps are left out, then sessions; each try has half as much as the one before, so that all of it takes linear time.

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

use crate::dialect::class::Known;
use crate::session::Session;
use crate::sink::report::{ReportOptions, Totals};
use crate::sink::sanitize::sanitize;
use chapter::{Chapter, ChapterShape, table};
pub use course::Course;
pub use courses::Courses;
use plain::{Plain, number};

/// How large a page may be where nothing else is said, in bytes.
pub const MAX_BYTES: u64 = 5_000_000;
/// What a text is cut to at first, and at most, in bytes.
const TEXT: usize = 64 << 10;
const SHORTEST: usize = 128;
/// How many calls a time line draws at first.
const BARS: usize = 600;

/// What may be loaded: nothing. Styles are those of the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const CSS: &str = include_str!("html/page.css");

/// Collects sessions and writes their page.
#[derive(Debug)]
pub struct PageWriter {
    manner: ReportOptions,
    chapters: Vec<Chapter>,
    /// How many bytes these hold, about, and how many they may.
    held: usize,
    most: usize,
    /// What their texts are cut to.
    text: usize,
}

/// How much of everything a page shows.
#[derive(Debug, Clone, Copy)]
struct Thrift {
    /// Bytes of a text.
    text: usize,
    /// Steps of a session.
    steps: usize,
    /// Whether there are pictures.
    pictures: bool,
    /// Sessions that are told, and rows of the list of them.
    chapters: usize,
    rows: usize,
}

impl PageWriter {
    /// A writer before the first session.
    #[must_use]
    pub fn new(manner: ReportOptions) -> Self {
        Self {
            manner,
            chapters: Vec::new(),
            held: 0,
            most: room(manner),
            text: usize::MAX,
        }
    }

    /// Returns what collects the courses of the sessions of a source.
    #[must_use]
    pub fn courses(&self) -> Courses {
        Courses::new(self.most, self.manner.structural)
    }

    /// Takes a session in; `source` names the file that it is from, where there are several.
    pub fn session(&mut self, session: &Session, course: Course, source: Option<&str>) {
        let structural = self.manner.structural;
        self.add(Chapter::of(session, course, source, structural));
    }

    /// Takes in what is known of a source without any session: that an agent did not even start.
    pub fn no_session(&mut self, known: Known, source: Option<&str>) {
        self.add(Chapter::of_none(known, source));
    }

    fn add(&mut self, chapter: Chapter) {
        self.held += chapter.weight();
        self.chapters.push(chapter);
        while self.held > self.most {
            let before = self.held;
            let shorter = self.text > SHORTEST;
            self.text = if shorter {
                self.text.min(2 * TEXT) / 2
            } else {
                SHORTEST
            };
            for chapter in &mut self.chapters {
                if shorter {
                    chapter.cut(self.text);
                } else {
                    chapter.thin(chapter.steps() / 2);
                }
            }
            self.held = self.chapters.iter().map(Chapter::weight).sum();
            if !shorter && self.held >= before - before / 8 {
                // There are many small sessions.
                self.most = 2 * self.held;
            }
        }
    }

    /// Writes the page, unless there is nothing to tell.
    pub fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        if self.chapters.is_empty() {
            return;
        }
        let most = self.manner.max_bytes.unwrap_or(MAX_BYTES);
        let fits = |page: &String| page.len() as u64 <= most;
        let tries = Thrift::tries(self.text, self.steps(), self.chapters.len());
        let page = tries.map(|thrift| self.page(thrift, totals)).find(fits);
        let page = page.or_else(|| Some(nothing()).filter(fits));
        out.extend_from_slice(page.unwrap_or_default().as_bytes());
    }

    /// The most steps that a session has.
    fn steps(&self) -> usize {
        let steps = self.chapters.iter().map(Chapter::steps);
        steps.max().unwrap_or(0)
    }

    /// The page with as much as the thrift allows. Whatever is cut for it stays cut.
    fn page(&mut self, thrift: Thrift, totals: &Totals) -> String {
        for chapter in &mut self.chapters {
            chapter.cut(thrift.text);
            chapter.thin(thrift.steps);
        }
        let page = page(&self.chapters, thrift, totals, self.manner.structural);
        let page = page.into_string() + "\n";
        sanitize(&page, false, self.manner.ci).into_owned()
    }
}

/// How many bytes may be held for a page.
fn room(manner: ReportOptions) -> usize {
    let bytes = manner.max_bytes.unwrap_or(MAX_BYTES).saturating_mul(2);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl Thrift {
    /// Returns what is tried, one after the other: each gives up a part of something, first of what is missed least.
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
        let told = halves(chapters, 0).map(move |chapters| Self { chapters, ..few });
        let few = Self { chapters: 0, ..few };
        let rows = halves(chapters, 0)
            .skip(1)
            .map(move |rows| Self { rows, ..few });
        text.chain(steps).chain(told).chain(rows)
    }
}

/// A page of which nothing fits.
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

fn page(chapters: &[Chapter], thrift: Thrift, totals: &Totals, structural: bool) -> Markup {
    let (title, single) = match chapters {
        [only] => (only.title(), true),
        all => (format!("{} runs", number(all.len() as u64)), false),
    };
    let told = chapters.iter().take(thrift.chapters);
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
                        main #content { (chapter.sections(&shape(1, thrift, structural, true))) }
                    }
                } @else {
                    header {
                        h1 { (title) }
                        p { (totals.facts().join(", ")) }
                        (list(chapters, thrift))
                        @if let Some(models) = totals.models() {
                            details.figures { summary { "By model" } (table(&models)) }
                        }
                    }
                    main #content {
                        @for (place, chapter) in told.enumerate() {
                            article aria-labelledby={ "r" (place + 1) } {
                                (chapter.head(&format!("r{}", place + 1), 2))
                                (chapter.sections(&shape(place + 1, thrift, structural, false)))
                            }
                        }
                    }
                }
                footer {
                    (cuts(chapters, thrift, structural))
                    p { "Made with jsift from the agent’s own records." }
                }
            }
        }
    }
}

fn shape(number: usize, thrift: Thrift, structural: bool, single: bool) -> ChapterShape {
    ChapterShape {
        id: format!("r{number}"),
        level: if single { 2 } else { 3 },
        structural,
        unfolded: single,
        bars: if thrift.pictures { BARS } else { 0 },
    }
}

/// The list of the sessions, each with a link to its part of the page.
fn list(chapters: &[Chapter], thrift: Thrift) -> Markup {
    let left_out = chapters.len() - thrift.rows.min(chapters.len());
    html! {
        nav.scroll aria-label="Runs" {
            table.runs {
                thead { tr {
                    th scope="col" { "#" }
                    @for name in ["run", "outcome"] { th.words scope="col" { (name) } }
                    @for name in ["time", "calls", "tokens", "cost"] { th scope="col" { (name) } }
                } }
                tbody {
                    @for (place, chapter) in chapters.iter().take(thrift.rows).enumerate() {
                        (chapter.row(place + 1, place < thrift.chapters))
                    }
                }
            }
        }
        @if left_out > 0 { p.cut { "and " (number(left_out as u64)) " more" } }
    }
}

/// What is said of what the page does not show.
fn cuts(chapters: &[Chapter], thrift: Thrift, structural: bool) -> Markup {
    let cut = !structural && chapters.iter().any(Chapter::is_cut);
    let left_out = chapters.len() - thrift.chapters.min(chapters.len());
    html! {
        @if cut { p { "Long texts are cut, so that the page is no larger than it may be (" code { "--max-bytes" } ")." } }
        @if left_out > 0 { p { "Of " (number(left_out as u64)) " runs only the list tells." } }
    }
}
