//! The time line of a session's calls: how long they took, and which ones ran in parallel.
//!
//! There is one row for each tool, in the order of their first calls. It has a bar for each call; calls that overlap
//! are placed below each other. Positions are percentages, so that the picture is as wide as the page and text keeps
//! its size.

use std::time::Duration;

use maud::{Markup, html};

use super::course::{Course, StepKind};
use super::plain::Plain;
use crate::report::noun;
use crate::text::flow::one_line;
use crate::text::time::clock;
use jsift_agents::event::Status;
use jsift_agents::figures::span;

/// The maximum number of rows; the tools after the first ones share the last row.
const ROWS: usize = 12;
/// How many overlapping calls of one tool are placed below each other.
const LANES: usize = 6;
/// Heights, in pixels.
const LABEL: usize = 18;
const LANE: usize = 13;
const GAP: usize = 8;
const AXIS: usize = 20;
/// The maximum number of marks on the axis.
const MARKS: f64 = 6.0;
/// The maximum width of a tool's name and of a key argument, in columns.
const NAME: usize = 32;
const ABOUT: usize = 60;

/// A call on the line, in milliseconds after the start; if times are not known, in numbers of events.
struct Bar<'c> {
    step: usize,
    name: &'c str,
    start: f64,
    end: f64,
    class: &'static str,
    title: String,
    drawn: bool,
}

/// The calls of one tool.
struct ToolRow<'c> {
    name: String,
    calls: usize,
    /// The duration of the calls together.
    length: f64,
    lanes: Vec<Vec<Bar<'c>>>,
}

impl<'c> ToolRow<'c> {
    /// Returns the height of the row with its label.
    const fn height(&self) -> usize {
        LABEL + self.lanes.len() * LANE + GAP
    }

    /// Returns the bars of the row, each after the number of its lane.
    fn bars(&self) -> impl Iterator<Item = (usize, &Bar<'c>)> {
        let lanes = self.lanes.iter().enumerate();
        lanes.flat_map(|(lane, bars)| bars.iter().map(move |bar| (lane, bar)))
    }
}

/// Draws at most `most` calls of a session; `None` if there are no calls. `id` is the prefix of the ids of its steps.
pub(super) fn times(course: &Course, id: &str, most: usize) -> Option<Markup> {
    let timed = course.is_timed();
    let bars = bars(course, timed);
    let end = bars.iter().map(|bar| bar.end).fold(0.0, f64::max);
    let end = if timed {
        end.max(course.length.as_millis() as f64)
    } else {
        course.events as f64
    };
    if bars.is_empty() || end <= 0.0 {
        return None;
    }
    let caption = caption(&bars, end, timed);
    let all = bars.len();
    let rows = rows(longest(bars, most));
    let shown = rows.iter().flat_map(ToolRow::bars).count();
    let bottom: usize = rows.iter().map(ToolRow::height).sum();
    let tops = rows.iter().scan(0, |top, row| {
        let this = *top;
        *top += row.height();
        Some(this)
    });
    let marks = if timed { marks(end) } else { Vec::new() };
    let percent = |place: f64| format!("{:.2}%", 100.0 * place / end);
    Some(html! {
        figure.times {
            svg role="img" aria-label=(caption) width="100%" height=(bottom + AXIS) {
                @for (place, _) in &marks {
                    line.grid x1=(percent(*place)) x2=(percent(*place)) y1="0" y2=(bottom) {}
                }
                @for (row, top) in rows.iter().zip(tops) {
                    text x="0" y=(top + LABEL - 5) {
                        (Plain(&row.name))
                        tspan.muted dx="6" { (about(row, timed)) }
                    }
                    @for (lane, bar) in row.bars() {
                        a href={ "#" (id) (bar.step) } tabindex="-1" {
                            rect class=(bar.class) x=(percent(bar.start)) width=(percent(bar.end - bar.start))
                                y=(top + LABEL + lane * LANE) height=(LANE - 3) rx="2" {
                                title { (Plain(&bar.title)) }
                            }
                        }
                    }
                }
                line.axis x1="0" x2="100%" y1=(bottom) y2=(bottom) {}
                @for (place, label) in &marks {
                    text.muted x=(percent(*place)) y=(bottom + AXIS - 5) text-anchor=(anchor(*place / end)) { (label) }
                }
            }
            figcaption {
                (caption)
                @if shown < all { " The " (noun((all - shown) as u64, "shortest call")) " cannot be shown." }
            }
        }
    })
}

/// Describes how many calls a tool had, and how long they took.
fn about(row: &ToolRow<'_>, timed: bool) -> String {
    let calls = format!("×{}", row.calls);
    match timed {
        true => format!("{calls} · {}", span(milliseconds(row.length))),
        false => calls,
    }
}

fn milliseconds(ms: f64) -> Duration {
    // A cast from a float saturates.
    Duration::from_millis(ms as u64)
}

/// Returns a bar for each call. Unless the course is `timed`, the bars extend over numbers of events.
fn bars(course: &Course, timed: bool) -> Vec<Bar<'_>> {
    let ms = |time: Duration| time.as_millis() as f64;
    let calls = course
        .steps
        .iter()
        .enumerate()
        .filter_map(|(place, step)| match &step.what {
            StepKind::Call(call) => Some((place, step, call)),
            _ => None,
        });
    calls
        .map(|(step, called, call)| {
            let (start, end) = if timed {
                let end = call.end.unwrap_or(course.length);
                match call.took {
                    // The first call may have begun before the first time stamp.
                    Some(took) => (end.saturating_sub(took), end.max(took)),
                    None => (called.time, end),
                }
            } else {
                let end = call.end_order.unwrap_or(course.events);
                (
                    Duration::from_millis(called.order),
                    Duration::from_millis(end),
                )
            };
            let about = one_line(&call.argument, ABOUT, "…");
            let took = call.span(called.time).filter(|_| timed);
            let words = [
                call.name.clone(),
                about.into_owned(),
                took.map(span).unwrap_or_default(),
                status_word(call.status).to_owned(),
            ];
            let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
            Bar {
                step,
                name: &call.name,
                start: ms(start),
                end: ms(end.max(start)),
                class: status_class(call.status),
                title: words.join(" · "),
                drawn: true,
            }
        })
        .collect()
}

/// Returns the word for a status.
pub(super) const fn status_word(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Success) => "succeeded",
        Some(Status::Denied) => "denied",
        Some(Status::Cancelled) => "cancelled",
        Some(_) => "failed",
        None => "no result",
    }
}

/// Returns the CSS class for a status.
pub(super) const fn status_class(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Success) => "ok",
        Some(Status::Denied | Status::Cancelled) => "denied",
        Some(_) => "bad",
        None => "open",
    }
}

/// Returns the longest calls, in the order in which they began.
fn longest(mut bars: Vec<Bar<'_>>, most: usize) -> Vec<Bar<'_>> {
    if bars.len() > most {
        let length = |bar: &Bar<'_>| bar.end - bar.start;
        bars.sort_by(|a, b| length(b).total_cmp(&length(a)));
        bars.iter_mut().skip(most).for_each(|bar| bar.drawn = false);
    }
    bars.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.step.cmp(&b.step)));
    bars
}

/// Returns the bars by tool, in the order of their first calls; bars of a lane do not overlap.
fn rows(bars: Vec<Bar<'_>>) -> Vec<ToolRow<'_>> {
    let mut places = std::collections::HashMap::new();
    let mut rows: Vec<ToolRow<'_>> = Vec::new();
    for bar in bars {
        let next = rows.len();
        let place = *places.entry(bar.name).or_insert(next.min(ROWS - 1));
        if place == next {
            let name = one_line(bar.name, NAME, "…").into_owned();
            rows.push(ToolRow {
                name: if name.is_empty() {
                    "unknown tool".to_owned()
                } else {
                    name
                },
                calls: 0,
                length: 0.0,
                lanes: Vec::new(),
            });
        }
        let Some(row) = rows.get_mut(place) else {
            continue;
        };
        if place == ROWS - 1 && places.len() > ROWS {
            row.name = "other tools".to_owned();
        }
        row.calls += 1;
        row.length += bar.end - bar.start;
        if !bar.drawn {
            continue;
        }
        let is_free = |lane: &Vec<Bar<'_>>| lane.last().is_none_or(|last| last.end <= bar.start);
        let free = row.lanes.iter().position(is_free);
        if free.is_none() && row.lanes.len() < LANES {
            row.lanes.push(Vec::new());
        }
        let lane = free.unwrap_or(row.lanes.len() - 1);
        if let Some(lane) = row.lanes.get_mut(lane) {
            lane.push(bar);
        }
    }
    rows
}

/// Returns the marks of the axis with their labels.
fn marks(end: f64) -> Vec<(f64, String)> {
    const STEPS: [f64; 19] = [
        0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0,
        3600.0, 7200.0, 21600.0, 86400.0,
    ];
    let seconds = end / 1000.0;
    let fits = STEPS.iter().find(|step| seconds / **step <= MARKS);
    let step = fits.copied().unwrap_or(seconds / MARKS);
    let count = (seconds / step) as usize;
    let label = |at: f64| match step {
        step if step < 1.0 => format!("{at:.1} s"),
        _ if seconds < 60.0 => format!("{at:.0} s"),
        _ => clock(Duration::from_secs(at as u64)),
    };
    let places = (0..=count).map(|number| number as f64 * step);
    places.map(|at| (1000.0 * at, label(at))).collect()
}

/// Returns how a label is aligned to its mark, so that it stays inside the picture.
const fn anchor(place: f64) -> &'static str {
    match place {
        place if place < 0.04 => "start",
        place if place > 0.94 => "end",
        _ => "middle",
    }
}

/// Describes the picture in words.
fn caption(bars: &[Bar<'_>], end: f64, timed: bool) -> String {
    let mut ends: Vec<(f64, i32)> = Vec::new();
    for bar in bars {
        ends.push((bar.start, 1));
        ends.push((bar.end, -1));
    }
    // A call that ends when another begins does not overlap it.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut open, mut most, mut busy, mut before) = (0, 0, 0.0, 0.0);
    for (at, change) in ends {
        busy += if open > 0 { at - before } else { 0.0 };
        before = at;
        open += change;
        most = most.max(open);
    }
    let alongside = match most {
        2.. => format!(", up to {most} side by side"),
        _ => String::new(),
    };
    let calls = noun(bars.len() as u64, "call");
    if timed {
        let (busy, end) = (span(milliseconds(busy)), span(milliseconds(end)));
        format!("{calls} in {end}{alongside}; calls were running for {busy} of it.")
    } else {
        format!("{calls}{alongside}, in the order of the input, which does not say when.")
    }
}
