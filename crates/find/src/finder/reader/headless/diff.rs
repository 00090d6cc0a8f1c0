//! Diffs of JSON: a changed line is the rest of a document, or of two, with a sign before it.

use super::{LastRead, ReadMode, ReadOn, Reader, Round, Tail};
use crate::finder::reader::left::last_line;
use crate::finder::reader::text::after_indent;
use crate::finder::reader::{Candidate, Context, Stop};

/// The signs with which lines begin that were added or removed.
pub(in crate::finder::reader) const SIGNS: &[u8] = b"+-";
/// Why the start of a text is missing that is part of a diff.
const CHANGED: &str = "a line has the sign of a diff";

/// Whether a line has the sign of a changed line before an indent or a closing bracket.
fn is_changed(line: &[u8]) -> bool {
    let signed = line.split_first().filter(|(sign, _)| SIGNS.contains(sign));
    signed.is_some_and(|(_, rest)| {
        let (blanks, text) = after_indent(rest);
        let closes = matches!(text.first(), Some(b'}' | b']'));
        blanks > 1 || rest.starts_with(b"\t") || closes
    })
}

/// Makes the sign a blank that the last line of a text has if it is a changed one. Returns whether it is.
pub(super) fn remove_sign(text: &mut [u8]) -> bool {
    let line = text.len() - last_line(text).len();
    let changed = is_changed(text.get(line..).unwrap_or_default());
    if let Some(sign) = text.get_mut(line).filter(|_| changed) {
        *sign = b' ';
    }
    changed
}

impl Reader {
    /// Whether the sign of a changed line is at `at`. `None` if that needs more text.
    fn is_sign(&mut self, at: u64, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        let begins = |byte| SIGNS.contains(byte) && self.begins_at_feed(at, window);
        match window.from(at).first().is_some_and(begins) {
            true => window.next_line(at, last).map(|(_, line)| is_changed(line)),
            false => Some(false),
        }
    }

    /// Takes note that a line of what may be the rest of a document is a changed one. It shows that members, or
    /// elements before a comma, are those of a larger document, of which the diff need not show the bracket. Returns
    /// how reading goes on if they count nevertheless.
    pub(super) fn read_change(
        &mut self,
        tail: &mut Tail,
        before_comma: bool,
        round: &mut Round<'_>,
    ) -> Option<ReadOn> {
        tail.opened = None;
        let shows = tail.is_member() || before_comma;
        shows.then(|| self.confirm(tail, CHANGED, round))?
    }

    /// Reads the sign of a changed line at the place of reading, if there is one.
    pub(super) fn after_sign(
        &mut self,
        mut tail: Box<Tail>,
        round: &mut Round<'_>,
    ) -> Result<Box<Tail>, ReadOn> {
        let Some(is_sign) = self.is_sign(self.at, round) else {
            self.mode = ReadMode::Tail(tail);
            return Err(ReadOn::Wait);
        };
        if is_sign {
            let after_comma = tail.last_read == LastRead::Comma;
            if let Some(flow) = self.read_change(&mut tail, after_comma, round) {
                return Err(flow);
            }
            // A line that was the last one before the change, or is it now, ends without a comma.
            if let LastRead::Value | LastRead::String = tail.last_read {
                tail.last_read = LastRead::Comma;
            }
            self.at += 1;
        }
        Ok(tail)
    }

    /// Goes on where strict reading stops in the nested value that begins at the place of reading. The sign of a
    /// changed line only breaks the value: what is in it is read as what is around it.
    pub(in crate::finder::reader) fn leave_nested(
        &mut self,
        mut tail: Box<Tail>,
        stop: Stop,
        round: &mut Round<'_>,
    ) -> ReadOn {
        // A minus may also begin a number.
        let minus = round.window.slice(stop.at - 1, stop.at) == b"-";
        match self.is_sign(stop.at - u64::from(minus), round) {
            None => {
                let candidate = Candidate::new(self.at, Context::Tail(tail));
                self.mode = ReadMode::Failed(Box::new((candidate, stop)));
                ReadOn::Wait
            }
            Some(true) => {
                self.at += 1;
                tail.last_read = LastRead::Comma;
                self.mode = ReadMode::Tail(tail);
                ReadOn::Go
            }
            Some(false) => self.leave_tail(tail, true, round),
        }
    }
}
