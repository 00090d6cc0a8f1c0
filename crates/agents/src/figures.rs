//! Numbers formatted for people: times, tokens, costs, calls.

use std::time::Duration;

use crate::session::Counts;

/// Returns a number and its noun, in the plural unless the number is 1.
pub fn noun(count: u64, noun: &str) -> String {
    format!("{count} {}", plural(count, noun))
}

/// Returns a noun in the plural, unless the number is 1.
pub fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{noun}{ending}")
}

/// Formats a duration: `0.4 s`, `12 s`, `12 min 37 s`, `2 h 5 min`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{}.{} s", seconds, time.subsec_millis() / 100),
        10..120 => format!("{seconds} s"),
        120..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats a duration that is still running, in whole seconds: `4 s`, `3 min 20 s`.
pub fn whole_seconds(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        _ => span(time),
    }
}

/// Formats a number of tokens: `842 tokens`, `12.8k tokens`, `2.5M tokens`.
pub fn tokens(count: u64) -> String {
    let rounded = |unit: u64| count / unit + u64::from(count % unit >= unit / 2);
    let (unit, sign) = match count {
        0..1_000 => return noun(count, "token"),
        1_000..999_500 => (1_000, "k"),
        999_500..999_500_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    match rounded(unit / 10) {
        tenths @ 0..1_000 => format!("{}.{}{sign} tokens", tenths / 10, tenths % 10),
        _ => format!("{}{sign} tokens", rounded(unit)),
    }
}

/// Formats a cost in US dollars: `$0.0123`.
pub fn dollars(cost: f64) -> String {
    format!("${cost:.4}")
}

/// Formats the number of tool calls, and how many of them failed: `3 tool calls (1 failed, 2 denied)`.
pub fn calls(tools: Counts) -> String {
    let parts = [(tools.error, "failed"), (tools.denied, "denied")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| match count == tools.calls {
            true if count == 1 => what.to_owned(),
            true => format!("all {what}"),
            false => format!("{count} {what}"),
        })
        .collect();
    match parts.is_empty() {
        true => noun(tools.calls, "tool call"),
        false => format!("{} ({})", noun(tools.calls, "tool call"), parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_formatted_for_people() {
        for (count, reported) in [
            (0, "0 tokens"),
            (1, "1 token"),
            (999, "999 tokens"),
            (1_000, "1.0k tokens"),
            (6_792, "6.8k tokens"),
            (12_749, "12.7k tokens"),
            (99_999, "100k tokens"),
            (100_499, "100k tokens"),
            (999_499, "999k tokens"),
            (999_500, "1.0M tokens"),
            (999_999_999, "1.0G tokens"),
            (2_500_000, "2.5M tokens"),
            (123_456_789, "123M tokens"),
            (u64::MAX, "18446744074G tokens"),
        ] {
            assert_eq!(tokens(count), reported);
        }
    }

    #[test]
    fn times_are_reported_for_people() {
        for (ms, reported) in [
            (450, "0.4 s"),
            (9_999, "9.9 s"),
            (62_000, "62 s"),
            (200_000, "3 min 20 s"),
            (757_000, "12 min 37 s"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(span(Duration::from_millis(ms)), reported);
        }
        assert_eq!(whole_seconds(Duration::from_millis(4_900)), "4 s");
        assert_eq!(whole_seconds(Duration::from_secs(200)), "3 min 20 s");
    }

    #[test]
    fn calls_tell_how_many_went_wrong() {
        let reported = |calls, error, denied| {
            super::calls(Counts {
                calls,
                error,
                denied,
                ..Counts::default()
            })
        };
        assert_eq!(reported(0, 0, 0), "0 tool calls");
        assert_eq!(reported(1, 1, 0), "1 tool call (failed)");
        assert_eq!(reported(3, 0, 3), "3 tool calls (all denied)");
        assert_eq!(reported(5, 1, 2), "5 tool calls (1 failed, 2 denied)");
    }
}
