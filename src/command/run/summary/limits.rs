//! The limits of `--fail-on`: what turns a success into a failure.

use crate::command::cli::value::FailOn;
use jsift_agents::session::{Exceeded, Session, Tools};
use jsift_outcome::Outcome;
use jsift_sink::report::noun;

/// Returns the outcome that the limits give a session, and the limits that it exceeds. Only a success is judged.
pub(super) fn judge(session: &Session, limits: &[FailOn]) -> (Outcome, Vec<Exceeded>) {
    let (mut outcome, mut exceeded) = (Outcome::Success, Vec::new());
    if session.outcome() != Outcome::Success {
        return (outcome, exceeded);
    }
    for limit in limits {
        let Some(text) = excess(session, *limit) else {
            continue;
        };
        outcome = outcome.worse(match limit {
            FailOn::Denied => Outcome::Denied,
            _ => Outcome::Mismatch,
        });
        let name = limit.to_string();
        exceeded.push(Exceeded { name, text });
    }
    (outcome, exceeded)
}

/// Returns how a session exceeds a limit, if it does. A limit on an unknown number cannot be checked and counts as
/// exceeded.
fn excess(session: &Session, limit: FailOn) -> Option<String> {
    let tools = session.tools().map(Tools::sum);
    let usage = session.usage();
    let files = session.files().map(|tools| tools.files().len());
    let calls = |count, what| format!("{} {what}", noun(count, "tool call"));
    match limit {
        FailOn::Denied => session.was_denied().then(|| {
            let denied = tools.map_or(0, |tools| tools.denied).max(1);
            calls(denied, "denied")
        }),
        FailOn::ToolError => match tools.map(|tools| tools.error) {
            Some(0) => None,
            Some(failed) => Some(calls(failed, "failed")),
            None => Some("number of failed tool calls not stated".to_owned()),
        },
        FailOn::NoFiles => match files {
            Some(0) => Some("no file written".to_owned()),
            Some(_) => None,
            None => Some("no file known to be written: the input is an envelope".to_owned()),
        },
        FailOn::Empty => session
            .response()
            .is_none_or(|answer| answer.is_blank())
            .then(|| "the response is empty".to_owned()),
        FailOn::Cost(limit) => match usage.cost_usd {
            Some(cost) => (cost > limit).then(|| more_dollars(cost, limit)),
            None => Some("cost not stated".to_owned()),
        },
        FailOn::Tokens(limit) => match usage.total {
            Some(total) => (total > limit).then(|| format!("tokens {total} > {limit}")),
            None => Some("tokens not stated".to_owned()),
        },
    }
}

/// Returns that a cost is more than a limit, with as many digits as the limit has and as show the difference.
fn more_dollars(cost: f64, limit: f64) -> String {
    let given = limit.to_string();
    let digits = given.split_once('.').map_or(0, |(_, digits)| digits.len());
    for digits in digits.max(2)..digits.max(2) + 4 {
        let [cost, limit] = [cost, limit].map(|dollars| format!("{dollars:.digits$}"));
        if cost != limit {
            return format!("cost ${cost} > ${limit}");
        }
    }
    format!("cost ${cost} > ${limit}")
}

#[cfg(test)]
mod tests {
    use super::more_dollars;

    #[test]
    fn costs_have_the_digits_that_show_the_difference() {
        for (cost, limit, text) in [
            (0.431, 0.1, "cost $0.43 > $0.10"),
            (5.004, 5.0, "cost $5.004 > $5.000"),
            (0.5, 0.125, "cost $0.500 > $0.125"),
            (1.000_000_1, 1.0, "cost $1.0000001 > $1"),
        ] {
            assert_eq!(more_dollars(cost, limit), text);
        }
    }
}
