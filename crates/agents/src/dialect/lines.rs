//! Counts the lines that an edit adds and removes, as far as a call's parameters show.

use memchr::memchr_iter;

use jsift_json::text::Text;

/// Returns the number of lines that replacing `old` by `new` adds and removes; equal lines at both ends are not
/// counted.
#[must_use]
pub fn replaced(old: &Text<'_>, new: &Text<'_>) -> (u64, u64) {
    let counts = (count(old), count(new));
    let head = shared(framed(old), framed(new));
    let rest = counts.0.min(counts.1) - head;
    let tail = shared(framed(old).rev(), framed(new).rev()).min(rest);
    (counts.1 - head - tail, counts.0 - head - tail)
}

/// Returns the number of lines that a new file with that content adds and removes.
#[must_use]
pub fn created(content: &Text<'_>) -> (u64, u64) {
    (count(content), 0)
}

/// Returns the number of lines of a text.
#[must_use]
pub fn count(text: &Text<'_>) -> u64 {
    let feeds = memchr_iter(b'\n', text.as_bytes()).count();
    (feeds + usize::from(is_open(text))) as u64
}

/// Returns the number of lines that a unified diff of one file adds and removes.
#[must_use]
pub fn of_diff(diff: &Text<'_>) -> (u64, u64) {
    let lines = diff.as_bytes().split(|&b| b == b'\n');
    // The lines before the first hunk name the file.
    let hunks = lines.skip_while(|line| !line.starts_with(b"@@"));
    signed(hunks.filter_map(|line| line.first().copied()))
}

/// Returns the number of lines that are added and removed, by the first byte of each.
pub fn signed(firsts: impl Iterator<Item = u8>) -> (u64, u64) {
    firsts.fold((0, 0), |(added, removed), first| match first {
        b'+' => (added + 1, removed),
        b'-' => (added, removed + 1),
        _ => (added, removed),
    })
}

/// Whether the last line lacks its line feed.
fn is_open(text: &Text<'_>) -> bool {
    !text.is_empty() && !text.ends_in_newline()
}

/// Returns a text with a line feed before its first line and after its last, so that each line is between two.
fn framed<'t>(text: &'t Text<'_>) -> impl DoubleEndedIterator<Item = u8> + 't {
    let end = is_open(text).then_some(b'\n');
    let begin = std::iter::once(b'\n');
    begin.chain(text.as_bytes().iter().copied()).chain(end)
}

/// Returns the number of whole lines at the beginning of both [framed] texts.
fn shared(old: impl Iterator<Item = u8>, new: impl Iterator<Item = u8>) -> u64 {
    let same = old.zip(new).take_while(|(a, b)| a == b);
    let feeds = same.filter(|(byte, _)| *byte == b'\n').count();
    feeds as u64 - 1
}

#[cfg(test)]
mod tests {
    use super::{count, of_diff, replaced};
    use jsift_json::text::Text;

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
    fn a_diff_counts_after_its_head() {
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
