//! Lines that an edit adds and removes, as far as a call's parameters tell.

use crate::json::text::Text;

/// The lines that replacing `old` by `new` adds and removes: what is left when equal lines at both ends are taken off.
#[must_use]
pub fn replaced(old: &Text<'_>, new: &Text<'_>) -> (u64, u64) {
    let (old, new) = (split(old), split(new));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let count = |lines: usize| lines.saturating_sub(head + tail) as u64;
    (count(new.len()), count(old.len()))
}

/// The number of lines that a text has.
#[must_use]
pub fn count(text: &Text<'_>) -> u64 {
    split(text).len() as u64
}

/// The lines that a unified diff of one file adds and removes.
#[must_use]
pub fn of_diff(diff: &Text<'_>) -> (u64, u64) {
    let (mut added, mut removed) = (0, 0);
    let mut lines = diff.as_bytes().split(|&b| b == b'\n');
    // What stands before the first hunk names the file.
    if lines.any(|line| line.starts_with(b"@@")) {
        for line in lines {
            match line.first() {
                Some(b'+') => added += 1,
                Some(b'-') => removed += 1,
                _ => {}
            }
        }
    }
    (added, removed)
}

fn split<'t>(text: &'t Text<'_>) -> Vec<&'t [u8]> {
    let bytes = text.as_bytes();
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if text.is_empty() {
        Vec::new()
    } else {
        bytes.split(|&b| b == b'\n').collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{count, of_diff, replaced};
    use crate::json::text::Text;

    #[test]
    fn equal_lines_at_both_ends_are_no_change() {
        let lines = |old: &str, new: &str| replaced(&Text::from(old), &Text::from(new));
        assert_eq!(lines("beta", "BETA"), (1, 1));
        assert_eq!(lines("a\nb\nc\n", "a\nx\ny\nc\n"), (2, 1));
        assert_eq!(lines("a\n", "a\nb\n"), (1, 0));
        assert_eq!(lines("a\na\n", "a\n"), (0, 1));
        assert_eq!(lines("", "a"), (1, 0));
        assert_eq!(lines("same", "same"), (0, 0));
    }

    #[test]
    fn a_diff_counts_behind_its_head() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,3 @@\n one\n-two\n+--2\n+++3\n";
        assert_eq!(of_diff(&Text::from(diff)), (2, 1));
        assert_eq!(of_diff(&Text::from("+no hunk")), (0, 0));
    }

    #[test]
    fn a_last_line_feed_begins_no_line() {
        assert_eq!(
            [0, 1, 1, 2],
            ["", "a", "a\n", "a\n\n"].map(|text| count(&Text::from(text)))
        );
    }
}
