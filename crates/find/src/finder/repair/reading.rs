//! What the tolerant reader has read: the brackets that are open, and the result.

use super::change::{Changes, RepairChange};
use super::text::CandidateText;

/// The kind of an open bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Object,
    Array,
    /// A tuple, a group or the arguments of a call.
    Parentheses,
}

impl Bracket {
    /// Returns the opening bracket that JSON writes for this kind.
    pub(super) const fn opening(self) -> u8 {
        match self {
            Self::Object => b'{',
            Self::Array | Self::Parentheses => b'[',
        }
    }
}

/// One open bracket.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Bracket,
    /// Offset of its opening bracket in the output.
    pub(super) open: usize,
    /// Offset in the output where its last member or element begins, including the comma before it.
    pub(super) member: usize,
    /// How many members or elements were begun; many are 255.
    pub(super) count: u8,
    /// Whether a comma was read after the last member or element.
    pub(super) comma: bool,
    /// Whether a comma was read at all.
    pub(super) commas: bool,
}

/// The result of one reading.
#[derive(Debug)]
pub(super) struct RepairReading {
    /// Strict JSON.
    pub(super) json: Vec<u8>,
    /// Offset of the first byte that was read.
    pub(super) start: usize,
    /// Offset after the last byte that was read.
    pub(super) end: usize,
    /// Whether it ended with its closing bracket.
    pub(super) closed: bool,
    /// Whether it contains a string in quotation marks.
    pub(super) quoted: bool,
    /// Whether it contains the name of a member.
    pub(super) named: bool,
    /// Whether it is an empty object or array.
    pub(super) empty: bool,
    /// How many of the documents in the text are values in it, or in its strings.
    pub(super) parts: usize,
    /// What was changed.
    pub(super) changes: Changes,
}

impl RepairReading {
    /// Whether text became a string or was left out, or a bracket another one: then what was meant may be something
    /// else.
    pub(super) fn is_guess(&self) -> bool {
        let guesses = [
            RepairChange::Bare,
            RepairChange::Dropped,
            RepairChange::Bracket,
        ];
        guesses.iter().any(|change| self.changes.has(*change))
    }

    /// Returns where the text ends that belongs to what was read. If that was guessed, and nothing closes its bracket:
    /// before the first line that begins at or left of the indent of the bracket's line, with something other than a
    /// closing bracket, a quotation mark or a bare name as the first name is, unless the first line after the bracket
    /// does so, too.
    pub(super) fn own_end(&self, text: CandidateText<'_>) -> usize {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let most = indent(text.slice(text.line_start(self.start), self.start));
        let is_bare = text.bare_key_at(text.look_past_blanks(self.start + 1));
        let begins_other = |line: &str| {
            let shown = line.trim_start();
            let goes_on = shown.starts_with(['}', ']', '"', '\''])
                || is_bare && CandidateText(shown).bare_key_at(0);
            indent(line) <= most && !goes_on
        };
        let is_shown = |line: &&str| !line.trim().is_empty();
        let mut lines = text.slice(self.start, self.end).split_inclusive('\n');
        let opening = lines.next().unwrap_or_default();
        let first = lines
            .clone()
            .find(is_shown)
            .filter(|_| opening.trim().len() == 1);
        if self.closed || !self.is_guess() || first.is_some_and(begins_other) {
            return self.end;
        }
        let mut at = self.start + opening.len();
        for line in lines {
            if is_shown(&line) && begins_other(line) {
                return at;
            }
            at += line.len();
        }
        self.end
    }

    /// Whether text was left out and the result is empty: then what was meant is lost.
    pub(super) fn is_lost(&self) -> bool {
        self.empty && self.changes.has(RepairChange::Dropped)
    }
}
