//! The status line, which shows below the messages how much of a long input has been read.
//!
//! ```text
//! jsift: 37 %, 1.2 GiB, 310 MiB/s, 45678 documents
//! ```
//!
//! [`Sources`](super::source::Sources) reports how much it has read, block by block, and
//! [`Diagnostics`](jsift_sink::diagnostic::Diagnostics) shows the line, and erases it before anything else is written
//! there.

use std::time::Duration;

use jsift_sink::report::noun;

/// How long a run reads before the first status line.
const DELAY: Duration = Duration::from_secs(1);
/// How long a status line is shown before the next one replaces it.
const INTERVAL: Duration = Duration::from_millis(250);

/// Measures how much of a run's sources has been read.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// What one of the things is called that the run looks for.
    noun: &'static str,
    /// When the first bytes arrived.
    start: Option<Duration>,
    /// When the next line is due.
    due: Duration,
    bytes: u64,
    /// How much was found in the sources that have ended.
    found: u64,
    /// The length of all sources together: `None` until it was asked for, then `Some(None)` if it is unknown.
    total: Option<Option<u64>>,
}

impl Meter {
    /// Returns a meter of a run that looks for things with this name, in the singular.
    pub(crate) fn of(noun: &'static str) -> Self {
        Self {
            noun,
            ..Self::default()
        }
    }

    /// Adds the number of bytes of a read.
    pub(crate) fn add(&mut self, bytes: usize, now: Duration) {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.start.is_none() {
            self.start = Some(now);
            self.due = now.saturating_add(DELAY);
        }
    }

    /// Adds the number of bytes of a read, and returns whether a line is due.
    pub(crate) fn read(&mut self, bytes: usize, now: Duration) -> bool {
        self.add(bytes, now);
        let due = now >= self.due;
        if due {
            self.due = now.saturating_add(INTERVAL);
        }
        due
    }

    /// Adds how much was found in a source that has ended.
    pub(crate) fn ended(&mut self, count: u64) {
        self.found = self.found.saturating_add(count);
    }

    /// Returns the status line, cut to `columns`. `count` is how much was found in the current source; `total`
    /// determines the number of bytes in all sources.
    pub(crate) fn line(
        &mut self,
        count: u64,
        now: Duration,
        columns: usize,
        total: impl FnOnce() -> Option<u64>,
    ) -> String {
        let total = *self.total.get_or_insert_with(total);
        // No percentage is shown for a file that grows while it is read.
        let share = total
            .filter(|total| self.bytes <= *total)
            .and_then(|total| (u128::from(self.bytes) * 100).checked_div(u128::from(total)));
        let time = now.saturating_sub(self.start.unwrap_or(now)).as_millis();
        let rate = (u128::from(self.bytes) * 1000).checked_div(time);
        let parts = [
            share.map(|share| format!("{share} %")),
            Some(size(u128::from(self.bytes))),
            rate.map(|rate| size(rate) + "/s"),
            Some(noun(self.found.saturating_add(count), self.noun)),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let line = format!("jsift: {}", parts.join(", "));
        // A character in the last column would make some terminals begin another line.
        line.chars().take(columns.saturating_sub(1)).collect()
    }
}

/// Formats a size: `512 B`, `1.5 KiB`, `37 MiB`.
fn size(bytes: u128) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut tenths, mut unit) = (bytes.saturating_mul(10), 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    let unit_name = UNITS.get(unit).copied().unwrap_or_default();
    match tenths {
        0..100 if unit > 0 => format!("{}.{} {unit_name}", tenths / 10, tenths % 10),
        _ => format!("{} {unit_name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_line_is_due_after_a_second_of_reading_and_then_four_times_a_second() {
        let mut meter = Meter::of("document");
        let due = [0, 999, 1000, 1001, 1249, 1250, 9000, 9100, 9250]
            .map(|now| (now, meter.read(1, ms(60_000 + now))));
        let due: Vec<u64> = due
            .into_iter()
            .filter_map(|(now, due)| due.then_some(now))
            .collect();
        assert_eq!(due, [1000, 1250, 9000, 9250]);
    }

    #[test]
    fn a_line_tells_share_size_rate_and_number() {
        let mut meter = Meter::of("document");
        meter.read(0, ms(500));
        meter.read(3 << 20, ms(2500));
        let line = meter.line(1, ms(2500), 80, || Some(4 << 20));
        assert_eq!(line, "jsift: 75 %, 3.0 MiB, 1.5 MiB/s, 1 document");
        meter.ended(1);
        meter.read(2 << 20, ms(3000));
        let line = meter.line(7, ms(3000), 80, || unreachable!());
        assert_eq!(line, "jsift: 5.0 MiB, 2.0 MiB/s, 8 documents", "it grew");
        let line = meter.line(7, ms(3000), 20, || unreachable!());
        assert_eq!(line, "jsift: 5.0 MiB, 2.0");
    }

    #[test]
    fn a_line_without_time_or_total_leaves_them_out() {
        let mut meter = Meter::of("document");
        meter.read(10, ms(5));
        let line = meter.line(0, ms(5), 80, || None);
        assert_eq!(line, "jsift: 10 B, 0 documents");
        let mut meter = Meter::of("document");
        let line = meter.line(0, ms(5), 0, || Some(0));
        assert_eq!(line, "");
    }

    #[test]
    fn sizes_are_short() {
        let sizes = [1023, 1024, 10 << 10, 1024 * 1024 - 1, 5 << 40, u128::MAX].map(size);
        assert_eq!(sizes[..4], ["1023 B", "1.0 KiB", "10 KiB", "1023 KiB"]);
        assert_eq!(sizes[4], "5.0 TiB");
        assert!(sizes[5].ends_with(" TiB"));
    }
}
