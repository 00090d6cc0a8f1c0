//! Times of events: by the time stamps of their records if they have any, or else by when they arrived.

use std::time::Duration;

use jsift_agents::time::milliseconds;
use jsift_json::view::Value;

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

#[cfg(test)]
mod tests {
    use super::*;

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
