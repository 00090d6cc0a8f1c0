//! The lines that a call changes in files, as its parameters state them: replaced text, a patch, or a whole file.
//!
//! A change is kept from the call to its result, so its size is limited from the start; lines left out are counted.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::split_at_most;
use jsift_agents::change::{Change, changes_of};
use jsift_json::text::Text;
use jsift_json::view::{Object, Value};

/// How much of a change a terminal shows.
const FEW: Bounds = Bounds {
    lines: 60,
    side: 20,
};
/// How many unchanged lines are shown before and after a replacement.
const CONTEXT: usize = 2;
/// How many pairs of lines may be compared per byte of a replacement.
const STEPS: usize = 16;
/// How much of a line is kept, in bytes.
const LINE: usize = 400;

/// How much of a change is kept, in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The maximum number of lines in total.
    pub(crate) lines: usize,
    /// The maximum number of lines of one text.
    pub(crate) side: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        FEW
    }
}

/// A line of a change.
#[derive(Debug)]
pub(crate) enum DiffLine {
    /// An unchanged line, or a line that says where the others are.
    Stays(String),
    Added(String),
    Removed(String),
    /// A number of lines that are not shown.
    LeftOut(usize),
}

/// Makes a line of a change from its text.
type Sign = fn(String) -> DiffLine;

/// The lines of a change.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    /// The lines, in order.
    pub(crate) lines: Vec<DiffLine>,
    /// How many lines were left out at the end.
    beyond: usize,
    bounds: Bounds,
}

impl Diff {
    /// Returns the change that a call with these parameters makes, with as many lines as `bounds` allows.
    pub(crate) fn within(parameters: Value<'_>, bounds: Bounds) -> Self {
        let mut diff = Self {
            bounds,
            ..Self::default()
        };
        let parameters = Object::new(parameters);
        let changes = parameters.iter().flat_map(changes_of);
        changes.flatten().for_each(|change| diff.one(&change));
        if diff.beyond > 0 {
            diff.lines.push(DiffLine::LeftOut(diff.beyond));
        }
        diff
    }

    /// Returns the number of bytes of text.
    #[cfg(feature = "html")]
    pub(crate) fn weight(&self) -> usize {
        self.lines.iter().map(DiffLine::weight).sum()
    }

    /// Leaves out the last lines until at most `most` bytes are left.
    #[cfg(feature = "html")]
    pub(crate) fn cut(&mut self, most: usize) {
        let mut left = most;
        let fits = |line: &DiffLine| {
            let rest = left.checked_sub(line.weight());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let fitting = self.lines.iter().map(fits).take_while(|fits| *fits).count();
        let gone = self.lines.drain(fitting..).map(|line| match line {
            DiffLine::LeftOut(count) => count,
            _ => 1,
        });
        let gone: usize = gone.sum();
        if gone > 0 {
            self.lines.push(DiffLine::LeftOut(gone));
        }
    }

    fn one(&mut self, change: &Change<'_>) {
        match change {
            Change::Replacement { old, new, .. } => {
                self.replaced(&old.to_string_lossy(), &new.to_string_lossy());
            }
            Change::Patch(patch) => self.patch(patch),
            Change::Contents(content) => {
                self.side(DiffLine::Added, content.to_string_lossy().lines());
            }
        }
    }

    /// Adds the difference of two texts, with a few unchanged lines around each change.
    fn replaced(&mut self, old: &str, new: &str) {
        let bytes = old.len() + new.len();
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut shown = 0;
        for group in group_diff_ops(changes(&old, &new, bytes), CONTEXT) {
            let from = group.first().map_or(0, |op| op.old_range().start);
            if let more @ 1.. = from.saturating_sub(shown)
                && shown > 0
            {
                self.push_left_out(more);
            }
            for op in &group {
                let (removed, added) = (op.old_range(), op.new_range());
                shown = removed.end;
                match op.tag() {
                    DiffTag::Equal => self.side(DiffLine::Stays, part(&old, removed)),
                    DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                        self.side(DiffLine::Removed, part(&old, removed));
                        self.side(DiffLine::Added, part(&new, added));
                    }
                }
            }
        }
    }

    /// Adds a unified diff, or a patch between `*** Begin Patch` and `*** End Patch`.
    fn patch(&mut self, patch: &Text<'_>) {
        let patch = patch.to_string_lossy();
        let mut in_hunk = patch.starts_with("*** Begin Patch");
        for line in patch.lines() {
            if line.starts_with("@@") {
                in_hunk = true;
                self.push(DiffLine::Stays, line);
                continue;
            }
            let sign: Sign = match line.as_bytes().first() {
                Some(b'+') => DiffLine::Added,
                Some(b'-') => DiffLine::Removed,
                Some(b' ') => DiffLine::Stays,
                _ => continue,
            };
            // Lines before the first hunk name the file.
            if in_hunk {
                self.push(sign, line.get(1..).unwrap_or_default());
            }
        }
    }

    fn side<'t>(&mut self, sign: Sign, mut lines: impl Iterator<Item = &'t str>) {
        for line in lines.by_ref().take(self.bounds.side) {
            self.push(sign, line);
        }
        self.push_left_out(lines.count());
    }

    fn push_left_out(&mut self, more: usize) {
        match more {
            0 => {}
            more if self.is_full() => self.beyond += more,
            more => self.lines.push(DiffLine::LeftOut(more)),
        }
    }

    fn push(&mut self, sign: Sign, line: &str) {
        if self.is_full() {
            self.beyond += 1;
        } else {
            let (line, _) = split_at_most(line, LINE);
            self.lines.push(sign(line.replace('\t', "    ")));
        }
    }

    const fn is_full(&self) -> bool {
        self.lines.len() >= self.bounds.lines
    }
}

#[cfg(feature = "html")]
impl DiffLine {
    /// Returns the number of bytes of text.
    const fn weight(&self) -> usize {
        match self {
            Self::Stays(line) | Self::Added(line) | Self::Removed(line) => line.len(),
            Self::LeftOut(_) => 0,
        }
    }
}

/// Returns what turns the old lines into the new ones. Unless both are short, in relation to the number of `bytes` that
/// were read, everything between their common beginning and their common end is replaced: finding the fewest changes
/// takes time that grows with the product of their lengths.
fn changes(old: &[&str], new: &[&str], bytes: usize) -> Vec<DiffOp> {
    let equal = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(equal).count();
    let rest = old.len().min(new.len()) - head;
    let pairs = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = pairs.take_while(equal).count();
    let (old_len, new_len) = (old.len() - head - tail, new.len() - head - tail);
    if old_len.saturating_mul(new_len) <= STEPS * bytes {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    vec![
        equal(0, 0, head),
        DiffOp::Replace {
            old_index: head,
            old_len,
            new_index: head,
            new_len,
        },
        equal(head + old_len, head + new_len, tail),
    ]
}

fn part<'t>(lines: &[&'t str], part: Range<usize>) -> impl Iterator<Item = &'t str> {
    lines.get(part).unwrap_or_default().iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a change as a diff shows them.
    fn shown(parameters: &str) -> Vec<String> {
        let diff = Diff::within(Value::new(parameters.as_bytes()), FEW);
        let shown = |line: &DiffLine| match line {
            DiffLine::Stays(line) => format!(" {line}"),
            DiffLine::Added(line) => format!("+{line}"),
            DiffLine::Removed(line) => format!("-{line}"),
            DiffLine::LeftOut(count) => format!("({count})"),
        };
        diff.lines.iter().map(shown).collect()
    }

    #[test]
    fn replaced_text_stands_between_lines_that_stay() {
        let edit = r#"{"file_path":"a","old_string":"1\n2\n3\nold\n4\n5\n6","new_string":"1\n2\n3\nnew\n\tone\n4\n5\n6"}"#;
        assert_eq!(
            shown(edit),
            [" 2", " 3", "-old", "+new", "+    one", " 4", " 5"]
        );
        for edit in [
            r#"{"oldString":"a","newString":"b"}"#,
            r#"{"command":"str_replace","old_str":"a","new_str":"b"}"#,
            r#"{"edits":[{"old_string":"a","new_string":"b"}]}"#,
            r#"{"edit":{"old":"a","new":"b"}}"#,
            r#"{"command":"edit","old_text":"a","new_text":"b"}"#,
            r#"{"edits":[{"oldText":"a","newText":"b"}]}"#,
            r#"{"path":"f","before":"a","after":"b"}"#,
        ] {
            assert_eq!(shown(edit), ["-a", "+b"], "{edit}");
        }
        assert_eq!(shown(r#"{"old_string":"","new_string":"b\n"}"#), ["+b"]);
        assert_eq!(
            shown(r#"{"old_string":"a\na","new_string":"a"}"#),
            [" a", "-a"]
        );
        assert_eq!(
            shown(r#"{"old_string":"a","new_string":"a"}"#),
            [""; 0],
            "nothing changes"
        );
    }

    #[test]
    fn unchanged_lines_between_changes_are_no_changes() {
        let edit = r#"{"old_string":"one\n2\nthree\n4\n5\n6\n7\n8\nnine\n10","new_string":"ONE\n2\nTHREE\n4\n5\n6\n7\n8\nNINE\nmore\n10"}"#;
        assert_eq!(
            shown(edit),
            [
                "-one", "+ONE", " 2", "-three", "+THREE", " 4", " 5", "(1)", " 7", " 8", "-nine",
                "+NINE", "+more", " 10"
            ]
        );
    }

    #[test]
    fn long_texts_of_short_lines_are_not_compared_in_pairs() {
        let (old, new) = ("a\\nb\\n".repeat(500), "b\\na\\nc\\n".repeat(500));
        let edit = format!(r#"{{"old_string":"{old}","new_string":"{new}"}}"#);
        let lines = shown(&edit);
        let removed = lines
            .iter()
            .take_while(|line| line.starts_with('-'))
            .count();
        assert_eq!((removed, &*lines[20]), (FEW.side, "(980)"), "{lines:?}");
    }

    #[test]
    fn patches_are_shown_after_their_head() {
        let update = r#"{"changes":{"a":{"update":{"unified_diff":"--- a\n+++ a\n@@ -1 +1 @@\n one\n-two\n+--2\n"}},"b":{"add":{"content":"x\n"}}}}"#;
        assert_eq!(
            shown(update),
            [" @@ -1 +1 @@", " one", "-two", "+--2", "+x"]
        );
        let patch = r#"{"patchText":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}"#;
        assert_eq!(shown(patch), ["+x"]);
        assert_eq!(shown(r#"{"input":"no patch\n+x"}"#), [""; 0]);
    }

    #[test]
    fn what_is_written_is_added_and_other_calls_show_nothing() {
        assert_eq!(shown(r#"{"content":"a\n\nb\n"}"#), ["+a", "+", "+b"]);
        for other in [
            "{}",
            "[]",
            "1",
            r#"{"content":[1],"old_string":"a"}"#,
            r#"{"query":"x","before":"2026-01-02","after":"2026-01-01"}"#,
        ] {
            assert_eq!(shown(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn a_large_change_is_cut_and_counted() {
        let long = "x\\n".repeat(30);
        let edit = format!(r#"{{"old_string":"{long}a\n{long}","new_string":"{long}b\n{long}"}}"#);
        assert_eq!(shown(&edit), [" x", " x", "-a", "+b", " x", " x"]);
        let content = format!(r#"{{"content":"{long}"}}"#);
        let lines = shown(&content);
        assert_eq!((lines.len(), lines[20].as_str()), (21, "(10)"));
        let edits = format!(r#"{{"edits":[{0},{0},{0},{0}]}}"#, content);
        let lines = shown(&edits);
        assert_eq!(lines.len(), FEW.lines + 1);
        let added = lines.iter().filter(|line| line.starts_with('+')).count();
        let counted: usize = lines
            .iter()
            .filter_map(|line| line.trim_matches(['(', ')']).parse::<usize>().ok())
            .sum();
        assert_eq!(added + counted, 4 * 30);
    }
}
