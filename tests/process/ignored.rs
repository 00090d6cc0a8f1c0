//! Signals that the tests were started to ignore.

use std::fs;

/// Whether this process, and with it what it runs, ignores a signal: `nohup` leaves that, or a job in the background.
pub(crate) fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() >> (number - 1) & 1 == 1
}
