//! Times of events: by the time stamps of their records if they have any, or else by when they arrived.

use std::time::Duration;

use jsift_json::view::{Kind, Value};

/// Numbers above this are milliseconds, others are seconds. As seconds it is the year 5138, as milliseconds 1973.
const MILLISECONDS_FROM: f64 = 1e11;

/// Determines how long after the start of a session its events happened.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The first time stamp, in milliseconds since 1970.
    first: Option<i64>,
    /// The time of the last time stamp after the first one, and when that stamp arrived.
    last: (Duration, Duration),
}

impl Timeline {
    /// Returns how long after the start an event with this time stamp and arrival happened.
    ///
    /// A time stamp that is earlier than a previous one (clocks are adjusted) counts as that one.
    pub(crate) fn at(&mut self, stamp: Option<Value<'_>>, arrival: Duration) -> Duration {
        let (last, last_arrival) = self.last;
        if let Some(stamp) = stamp.and_then(milliseconds) {
            let first = *self.first.get_or_insert(stamp);
            let ms = u64::try_from(stamp.saturating_sub(first)).unwrap_or(0);
            self.last = (Duration::from_millis(ms).max(last), arrival);
            return self.last.0;
        }
        match self.first {
            Some(_) => last + arrival.saturating_sub(last_arrival),
            None => arrival,
        }
    }
}

#[cfg(feature = "html")]
impl Timeline {
    /// Returns whether any time stamp was read.
    pub(crate) const fn is_stamped(&self) -> bool {
        self.first.is_some()
    }
}

/// Formats a time as `1:02` or `1:02:03`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Returns a time stamp as milliseconds since 1970; the stamp is a number, or a string in the form of RFC 3339.
fn milliseconds(stamp: Value<'_>) -> Option<i64> {
    if stamp.kind() == Kind::Number {
        let number = stamp.as_f64()?;
        let ms = if number < MILLISECONDS_FROM {
            number * 1000.0
        } else {
            number
        };
        // A cast from a float saturates.
        return Some(ms as i64);
    }
    rfc3339(stamp.text()?.as_str()?)
}

fn rfc3339(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        let sound = digits.bytes().all(|b| b.is_ascii_digit());
        sound.then(|| digits.parse().ok()).flatten()
    };
    let days = days(number(0..4)?, number(5..7)?, number(8..10)?)?;
    let seconds = (number(11..13)? * 60 + number(14..16)?) * 60 + number(17..19)?;
    let rest = text.get(19..)?;
    let fraction = rest.strip_prefix('.').unwrap_or("");
    let digits = fraction
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(fraction.len());
    let ms: i64 = format!("{:0<3}", fraction.get(..digits)?)
        .get(..3)?
        .parse()
        .ok()?;
    let zone = match rest.rfind(['+', '-']) {
        Some(sign) => {
            let at = 19 + sign;
            let minutes = number(at + 1..at + 3)? * 60 + number(at + 4..at + 6).unwrap_or(0);
            if rest.get(sign..)?.starts_with('-') {
                -minutes
            } else {
                minutes
            }
        }
        None => 0,
    };
    Some(((days * 24 * 3600) + seconds - zone * 60) * 1000 + ms)
}

/// Returns the days from 1970 to a date, by the algorithm of Howard Hinnant's `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Option<i64> {
        milliseconds(Value::new(text.as_bytes()))
    }

    #[test]
    fn time_stamps_are_rfc_3339_or_numbers() {
        assert_eq!(ms("\"1970-01-02T00:00:01.5Z\""), Some(86_401_500));
        assert_eq!(ms("\"2025-10-10T12:34:56.789Z\""), Some(1_760_099_696_789));
        assert_eq!(
            ms("\"2025-10-10T14:34:56.789+02:00\""),
            Some(1_760_099_696_789)
        );
        assert_eq!(ms("1760099696789"), Some(1_760_099_696_789));
        assert_eq!(ms("1760099696.5"), Some(1_760_099_696_500));
        for text in [
            "\"\"",
            "\"yesterday\"",
            "\"2025-13-10T12:34:56Z\"",
            "null",
            "\"٢٠٢٥-10-10T12:34:56Z\"",
        ] {
            assert_eq!(ms(text), None, "{text}");
        }
    }

    #[test]
    fn events_without_a_time_stamp_are_as_late_as_they_came() {
        let stamp = |text| Some(Value::new(text));
        let seconds = Duration::from_secs;
        let mut line = Timeline::default();
        assert_eq!(line.at(None, seconds(3)), seconds(3));
        let first = stamp(b"\"2025-10-10T12:34:56Z\"".as_slice());
        assert_eq!(line.at(first, seconds(5)), Duration::ZERO);
        let next = stamp(b"\"2025-10-10T12:35:56Z\"".as_slice());
        assert_eq!(line.at(next, seconds(5)), seconds(60));
        assert_eq!(line.at(None, seconds(7)), seconds(62));
        assert_eq!(line.at(first, seconds(8)), seconds(60));
    }

    #[test]
    fn times_are_short() {
        assert_eq!(clock(Duration::from_secs(62)), "1:02");
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
    }
}
