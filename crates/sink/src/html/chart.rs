//! Draws the usage of a session as columns, request by request or turn by turn.

use maud::{Markup, html};

use super::chapter::table;
use super::counts::UsageCounts;
use super::plain::number;
use crate::report::usage_table;
use jsift_agents::fact::Tokens;
use jsift_agents::figures::dollars;

/// The maximum number of columns.
const COLUMNS: usize = 60;
/// The height of the highest column, in pixels.
const HEIGHT: f64 = 72.0;
/// The maximum width of a column with the gap after it, in percent of the picture's width.
const WIDEST: f64 = 7.0;
/// The parts of a column, from the bottom up.
const PARTS: [&str; 3] = ["cached", "fresh", "output"];

/// Draws the counts; `None` if there are fewer than two.
pub(super) fn chart(counted: &UsageCounts) -> Option<Markup> {
    if counted.tokens.len() < 2 {
        return None;
    }
    let per = counted.tokens.len().div_ceil(COLUMNS);
    let sum = |some: &[Tokens]| some.iter().copied().reduce(Tokens::plus);
    let columns: Vec<Tokens> = counted.tokens.chunks(per).filter_map(sum).collect();
    let name = match per * counted.per {
        1 => counted.noun.to_owned(),
        many => format!("{} {}s", number(many as u64), counted.noun),
    };
    let costs: Vec<f64> = columns
        .iter()
        .filter_map(|tokens| tokens.cost_usd)
        .collect();
    let numbered = columns.iter().zip(1..);
    let rows: Vec<_> = numbered
        .map(|(tokens, number): (_, u64)| (number.to_string(), *tokens))
        .collect();
    let data = usage_table(&name, &rows, &["requests", "reasoning", "total"]);
    Some(html! {
        div.charts {
            (tokens(&columns, &name))
            @if costs.len() == columns.len() { (cost(&costs, &name)) }
        }
        details.figures {
            summary { "Data" }
            @if let Some(data) = data { (table(&data)) }
        }
    })
}

/// Draws the tokens: cached input, other input and output on top of each other.
fn tokens(columns: &[Tokens], name: &str) -> Markup {
    let parts = columns.iter().map(parts);
    let parts: Vec<[u64; 3]> = parts.collect();
    let most = parts.iter().map(|parts| parts.iter().sum::<u64>()).max();
    let most = most.unwrap_or(0).max(1);
    let caption = format!("Tokens by {name}: {} at most.", number(most));
    let stacks = parts.iter().map(|parts| {
        let mut below = 0;
        parts
            .iter()
            .zip(PARTS)
            .map(move |(part, class)| {
                let (from, to) = (below, below + part);
                below = to;
                (class, from as f64 / most as f64, to as f64 / most as f64)
            })
            .collect()
    });
    let names = ["cached input", "input", "output"].into_iter().zip(PARTS);
    let is_used = |part: usize| parts.iter().any(|parts| parts.get(part) > Some(&0));
    html! {
        figure.chart {
            (picture(&caption, stacks.collect()))
            figcaption {
                (caption)
                @for (part, (name, class)) in names.enumerate() {
                    @if is_used(part) { " " span.key { i class=(class) {} " " (name) } }
                }
            }
        }
    }
}

/// Draws the cost, in US dollars.
fn cost(costs: &[f64], name: &str) -> Markup {
    let most = costs.iter().copied().fold(0.0, f64::max);
    let caption = format!("Cost by {name}: {} at most.", dollars(most));
    let stack = |cost: &f64| vec![("cost", 0.0, if most > 0.0 { cost / most } else { 0.0 })];
    html! {
        figure.chart {
            (picture(&caption, costs.iter().map(stack).collect()))
            figcaption { (caption) }
        }
    }
}

/// Draws columns of stacked parts, each with its start and end as fractions of the height.
fn picture(caption: &str, columns: Vec<Vec<(&'static str, f64, f64)>>) -> Markup {
    let slot = (100.0 / columns.len() as f64).min(WIDEST);
    html! {
        svg role="img" aria-label=(caption) width="100%" height=(HEIGHT + 1.0) {
            @for (place, parts) in columns.iter().enumerate() {
                @for (class, from, to) in parts {
                    rect class=(class) x=(format!("{:.2}%", place as f64 * slot)) width=(format!("{:.2}%", 0.8 * slot))
                        y=(format!("{:.1}", HEIGHT * (1.0 - to))) height=(format!("{:.1}", HEIGHT * (to - from))) {}
                }
            }
            line.axis x1="0" x2="100%" y1=(HEIGHT + 0.5) y2=(HEIGHT + 0.5) {}
        }
    }
}

/// Returns the input from a cache, the other input, and the output.
fn parts(tokens: &Tokens) -> [u64; 3] {
    let cached = tokens.cached.unwrap_or(0);
    let fresh = tokens.input.unwrap_or(0).saturating_sub(cached);
    let output = tokens.output.unwrap_or(0);
    [cached, fresh, output].map(|part| part.min(u64::MAX >> 4))
}
