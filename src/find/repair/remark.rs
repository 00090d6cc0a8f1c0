//! Remarks: what a writer says about a document in the middle of it, without the marks of a comment.

use super::change::Change;
use super::reader::Reader;
use super::text::is_quote;

/// How much of a line is looked at, in bytes.
const LINE: usize = 512;

impl Reader<'_> {
    /// What stands from here to the end of the line or text, if that is near.
    fn line(&self) -> Option<&str> {
        let near = self.text.boundary(self.at.saturating_add(LINE));
        let text = self.text.slice(self.at, near);
        match text.split_once('\n') {
            Some((line, _)) => Some(line),
            None => (near == self.text.len()).then_some(text),
        }
    }

    /// Leaves out a line of text before a line that begins with a member: `← changed`, `-- the name`.
    pub(super) fn remark(&mut self) -> bool {
        let text = self.text;
        let Some(line) = self.line() else {
            return false;
        };
        let apostrophes = line.replace("n't ", " ").replace("'s ", " ");
        let marked = |c: char| "{}[]:：=".contains(c) || is_quote(c);
        let next = text.look_past_blanks(self.at + line.len());
        let goes_on = text.quoted_key_at(next) || text.bare_key_at(next);
        if !goes_on || apostrophes.contains(marked) {
            return false;
        }
        self.at += line.len();
        self.note(Change::Dropped);
        true
    }

    /// Leaves out a remark in parentheses: `(optional)`, `(note: not always)`.
    pub(super) fn aside(&mut self) -> bool {
        let near = self.text.boundary(self.at.saturating_add(LINE));
        let rest = self.text.slice(self.at, near);
        let marked = |c: char| "{}[]\"\n".contains(c);
        let Some((remark, _)) = rest.split_once(')') else {
            return false;
        };
        if !remark.starts_with('(') || remark.contains(marked) {
            return false;
        }
        self.at += remark.len() + 1;
        self.note(Change::Dropped);
        true
    }

    /// Leaves out what follows an ellipsis and says what it stands for: `... (8 more)`, `...other fields...`.
    pub(super) fn elided(&mut self) {
        let blanks = |c: char| c == ' ' || c == '\t';
        let Some(line) = self.line() else {
            return;
        };
        let words = line.trim_start_matches(blanks);
        if words.starts_with('(') {
            self.at += line.len() - words.len();
            self.aside();
            return;
        }
        let ends = |c: char| ",}]".contains(c);
        let words = line.split(ends).next().unwrap_or_default();
        let marked = |c: char| "{[:：=".contains(c) || is_quote(c);
        if words.trim().contains(blanks) && !words.contains(marked) || words.ends_with("...") {
            self.at += words.len();
        }
    }
}
