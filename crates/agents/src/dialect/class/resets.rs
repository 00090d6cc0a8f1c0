//! When a quota that is used up becomes available again, as the record of an error or its message states it.
//!
//! A time stands after one of a few words: `"resets_at":1777936568`, `limit reached|1749924000`,
//! `resets at 2026-05-04T23:16:08Z`. So does a span (`Please retry in 14.2s`, `"retryDelay":"2s"`,
//! `will reset after 1h2m3s`); it counts from the time stamp of the record, and says nothing if the record has none.
//! A time of day (`resets 3pm`) needs a clock and a place, so that it says nothing either.

use crate::fact::{Fact, Problem, Statement};
use crate::time::{milliseconds, rfc3339};
use jsift_json::text::Text;
use jsift_json::view::{Object, Value};
use jsift_outcome::Outcome;

/// What stands before a time or a span, in lower case. The rest of the word may follow: `resetsAt`, `retry_after_ms`.
const WORDS: [&str; 4] = ["reset", "retry", "again", "reached"];
/// What may stand between such a word and its time.
const BETWEEN: [&str; 5] = ["at", "on", "in", "after", "until"];
/// How many bytes of a record and of a message are looked at.
const LOOKED_AT: usize = 16 << 10;
/// Seconds since 1970 that a time must have: from 2017 to 2100.
const TIMES: std::ops::Range<i64> = 1_500_000_000..4_102_444_800;
/// Units of spans, by their first letters, in milliseconds.
const UNITS: [(&str, f64); 6] = [
    ("ms", 1.0),
    ("mil", 1.0),
    ("s", 1e3),
    ("m", 60e3),
    ("h", 3600e3),
    ("d", 86_400e3),
];

/// A time, or a span from now.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    At(i64),
    After(f64),
}

/// Adds to the problems that a record states for want of quota when they end, if the record states it.
#[inline]
pub fn add(record: &Object<'_>, statement: &mut Statement<'_>) {
    let timestamp = statement.timestamp;
    for fact in &mut statement.facts {
        let problem = match fact {
            Fact::Error(problem) | Fact::Retry(problem) => problem,
            Fact::End(end) => match &mut end.error {
                Some(problem) => problem,
                None => continue,
            },
            _ => continue,
        };
        if problem.class == Outcome::Quota && problem.resets_at.is_none() {
            problem.resets_at = resets_at(record, problem, timestamp);
        }
    }
}

/// Returns when the quota becomes available again, in seconds since 1970.
#[cold]
fn resets_at(
    record: &Object<'_>,
    problem: &Problem<'_>,
    timestamp: Option<Value<'_>>,
) -> Option<i64> {
    let raw = record.value().raw();
    let raw = raw.get(..raw.len().min(LOOKED_AT)).unwrap_or_default();
    let message = problem
        .message
        .slice(0..problem.message.len().min(LOOKED_AT));
    let texts = [
        String::from_utf8_lossy(Text::as_bytes(&message)),
        String::from_utf8_lossy(raw),
    ];
    let all = || texts.iter().flat_map(|text| stated(text));
    let at = all().find_map(|when| match when {
        When::At(seconds) => Some(seconds),
        When::After(_) => None,
    });
    at.or_else(|| {
        let now = milliseconds(timestamp?)?;
        let span = all().find_map(|when| match when {
            When::After(ms) => Some(ms),
            When::At(_) => None,
        })?;
        let at = (now.saturating_add(span as i64)).div_euclid(1000);
        TIMES.contains(&at).then_some(at)
    })
}

/// Returns the times and spans that a text states.
fn stated(text: &str) -> impl Iterator<Item = When> {
    let lower = text.to_ascii_lowercase();
    let found = WORDS.iter().flat_map(|word| lower.match_indices(word));
    let mut places: Vec<_> = found.map(|(at, word)| at + word.len()).collect();
    places.sort_unstable();
    places.into_iter().filter_map(move |at| {
        let rest = lower.get(at..)?;
        let word = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '_' && c != '-')?;
        let (name, value) = rest.split_at_checked(word)?;
        when(value_in(value), name)
    })
}

/// Returns a text without the marks and words before a value.
fn value_in(mut text: &str) -> &str {
    loop {
        let before = text;
        text = text.trim_start_matches([' ', ':', '"', '\\', '=', '|', '\'']);
        for word in BETWEEN {
            let rest = text.strip_prefix(word);
            text = rest.filter(|rest| rest.starts_with(' ')).unwrap_or(text);
        }
        if text == before {
            return text;
        }
    }
}

/// Returns the time or span that a value begins with; `name` is the end of the word before it, which may name a unit.
fn when(value: &str, name: &str) -> Option<When> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let number = value.get(..digits)?;
    let seconds = match digits {
        4 => rfc3339(stamp_in(value).unwrap_or_default()).map(|ms| ms.div_euclid(1000)),
        10 => number.parse().ok(),
        13 => number.parse::<i64>().ok().map(|ms| ms / 1000),
        _ => None,
    };
    if let Some(seconds) = seconds.filter(|seconds| TIMES.contains(seconds)) {
        return Some(When::At(seconds));
    }
    span(value, name).map(When::After)
}

/// Returns the time stamp that a text in lower case begins with, if it states its zone.
fn stamp_in(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !"-:.+tz".contains(c));
    let stamp = text.get(..end.unwrap_or(text.len()))?;
    let zone = stamp.get(19..)?.contains(['z', '+', '-']);
    zone.then(|| stamp.trim_end_matches(['.', ':']))
}

/// Returns the milliseconds of a span: `14.2s`, `1h2m3s`, `3 days 4 hours`, or a number whose `name` says its unit.
fn span(text: &str, name: &str) -> Option<f64> {
    let mut rest = text;
    let mut sum = None;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let number = rest.get(..end.unwrap_or(rest.len()))?;
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else {
            return sum;
        };
        let after = rest.get(end.unwrap_or(rest.len())..)?;
        let after = after.trim_start_matches(' ');
        let letters = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, further) = after.split_at_checked(letters.unwrap_or(after.len()))?;
        let known = UNITS.iter().find(|(start, _)| unit.starts_with(start));
        let Some((_, ms)) = known else {
            // A bare number counts only where its name is a span's.
            let is_span = sum.is_none() && unit.is_empty() && is_span(name);
            let unit = if name.ends_with("ms") { 1.0 } else { 1e3 };
            return if is_span { Some(number * unit) } else { sum };
        };
        sum = Some(sum.unwrap_or(0.0) + number * ms);
        rest = further.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
}

/// Returns whether the end of a member's name says that the member is a span.
fn is_span(name: &str) -> bool {
    let words = ["after", "seconds", "secs", "ms", "delay"];
    words.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<When> {
        stated(text).next()
    }

    #[test]
    fn times_and_spans_stand_after_a_word() {
        let at = Some(When::At(1_777_936_568));
        for text in [
            r#"{"resets_at":1777936568}"#,
            r#"{"resetsAt": 1777936568000}"#,
            r#"429 {\"resets_at\":1777936568,\"x\":1}"#,
            r#"{"quotaResetTime":"2026-05-04T23:16:08Z"}"#,
            "Claude AI usage limit reached|1777936568",
            "Your limit resets at 2026-05-05T01:16:08.5+02:00.",
            "Try again at 2026-05-04T23:16:08Z",
        ] {
            assert_eq!(first(text), at, "{text}");
        }
        for (text, seconds) in [
            ("Please retry in 14.5s.", 14.5),
            (r#"{"retryDelay":"14.5s"}"#, 14.5),
            (r#"{"retry_after_ms":14500}"#, 14.5),
            (r#"{"retry-after": 30, "x": 1}"#, 30.0),
            (r#"{"resets_in_seconds":13872}"#, 13_872.0),
            ("Your quota will reset after 1h2m3s.", 3723.0),
            ("try again in 1 hour 2 minutes and 3 seconds", 3723.0),
            ("Please try again in 250ms", 0.25),
        ] {
            assert_eq!(first(text), Some(When::After(seconds * 1000.0)), "{text}");
        }
        for text in [
            "resets 3pm (Europe/Berlin)",
            "resets at 2026-05-04T23:16:08",
            "Limit reached. Try again later",
            "limit reached (429)",
            r#"{"retryable":true,"retries":3}"#,
            r#"{"retry":3,"code":429}"#,
            "git reset 1234567890123456",
            "",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }
}
