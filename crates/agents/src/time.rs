//! Points in time, as records state them and as JSON has them.

use jsift_json::view::{Kind, Value};

/// Numbers above this are milliseconds, others are seconds. As seconds it is the year 5138, as milliseconds 1973.
const MILLISECONDS_FROM: f64 = 1e11;
const DAY: i64 = 24 * 3600;

/// Returns a time stamp as milliseconds since 1970; the stamp is a number, or a string in the form of RFC 3339.
#[must_use]
pub fn milliseconds(stamp: Value<'_>) -> Option<i64> {
    if stamp.kind() == Kind::Number {
        let number = stamp.as_f64()?;
        let ms = match number < MILLISECONDS_FROM {
            true => number * 1000.0,
            false => number,
        };
        // A cast from a float saturates.
        return Some(ms as i64);
    }
    rfc3339(stamp.text()?.as_str()?)
}

/// Returns a time in the form of RFC 3339 as milliseconds since 1970.
pub(crate) fn rfc3339(text: &str) -> Option<i64> {
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
            match rest.get(sign..)?.starts_with('-') {
                true => -minutes,
                false => minutes,
            }
        }
        None => 0,
    };
    Some(((days * DAY) + seconds - zone * 60) * 1000 + ms)
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

/// Returns a time stamp as whole seconds since 1970.
#[must_use]
pub fn seconds(stamp: Value<'_>) -> Option<i64> {
    Some(milliseconds(stamp)?.div_euclid(1000))
}

/// Formats seconds since 1970 as `2026-05-04T23:16:08Z`; `None` for a year that has not four digits.
#[must_use]
pub fn utc(seconds: i64) -> Option<String> {
    let (days, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // The algorithm of Howard Hinnant's `civil_from_days`.
    let shifted = days.checked_add(719_468)?;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    (0..=9999)
        .contains(&year)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
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
    fn a_time_is_read_as_it_is_written() {
        // Each day of four centuries, each at another time of day.
        for day in 0..146_097 {
            let seconds = day * DAY + day % DAY;
            let written = utc(seconds).unwrap();
            assert_eq!(rfc3339(&written), Some(seconds * 1000), "{written}");
        }
        assert_eq!(utc(1_777_936_568).as_deref(), Some("2026-05-04T23:16:08Z"));
        assert_eq!((utc(i64::MAX), utc(i64::MIN)), (None, None));
    }
}
