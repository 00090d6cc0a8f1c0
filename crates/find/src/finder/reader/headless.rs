//! The rest of a document whose start is missing: text that goes on like JSON around complete objects and arrays, and
//! closes a bracket that nothing has opened. What is complete in it is a part of the lost document, and no document.
//!
//! A document is suspected if the text before and after it on its line could be that of a member or an element. Reading
//! then goes on after it, token by token, until a closing bracket, or a member that ends its line before other text,
//! shows that the suspicion is right, or other text shows that it is wrong. Objects that start their lines without an
//! indent are records: they count at once.

mod diff;
mod suspicion;

pub(super) use diff::SIGNS;
pub(super) use suspicion::{Suspicion, ends_indent};

use super::almost::Almost;
use super::left::{Before, LeftText, Open, ends_prefix};
use super::{
    Aside, Candidate, Context, Found, LEFT_KEPT, ReadMode, ReadOn, Reader, Round, Stop, WITHHELD,
    WITHHELD_COUNT, between,
};
use crate::document::{FaultKind, Remark};
use crate::finder::Parts;
use crate::finder::almost_json::{LONGEST_REASON, reason};
use crate::finder::weak;
use jsift_json::scan::{Shape, begins_value, clean};

/// Why the start of a text is missing that closes a bracket, or that goes on up to the end of input.
const CLOSED: &str = "a bracket is closed that was not opened";
const ENDED: &str = "the input ends";
/// Why the start of a text is missing whose members other text follows, on another line.
const FOLLOWED: &str = "other text follows";
/// The length of the longest mark at the end of a line, in bytes.
const LONGEST_MARK: usize = 8;

/// Text that may be the rest of a document whose start is missing.
#[derive(Debug)]
pub(super) struct Tail {
    /// The first document in it; of records, the last one.
    first: Found,
    /// Where the first document's name starts, or the document itself.
    start: u64,
    /// How many documents it contains.
    count: usize,
    /// Whether the documents are records, which are handed on.
    records: bool,
    /// Whether the text around the first document leaves no doubt: then the end of input needs no closing bracket.
    certain: bool,
    /// Whether the first document starts its line, indented.
    indented: bool,
    /// Whether the first document begins the larger one, and was closed too early.
    closed_early: bool,
    /// Whether a member follows a record without a comma: the text between them and it is undecided.
    awaits_member: bool,
    /// The innermost bracket that is open around the first document.
    opened: Option<Open>,
    /// Whether one of the documents would count. A flat array or an empty object inside a line is no reason for a
    /// fault.
    counts: bool,
    /// Whether something has [shown](Reader::confirm) that the documents are parts: then the fault was reported.
    closed: bool,
    last_read: LastRead,
    /// Where the last comma ends; before the first one, the first document.
    parted: u64,
    /// Whether that place ends its line.
    ends_line: bool,
}

/// What was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastRead {
    Value,
    /// A string after a comma, which may be a name.
    String,
    Colon,
    Comma,
}

impl Tail {
    /// Returns the text that begins with the document `found`, or with its name, after what is `left` of it.
    fn of_part(found: &Found, left: &LeftText, records: bool, closed_early: bool) -> Self {
        let indented = left.before == Before::Nothing && (left.indent() > Some(0) || left.deeper);
        let begins = matches!(left.before, Before::Nothing | Before::Text) && !indented;
        Self {
            first: *found,
            start: found.start - left.name as u64,
            count: 1,
            records,
            certain: left.is_certain(),
            indented,
            closed_early: closed_early && begins,
            awaits_member: false,
            opened: left.opened,
            counts: weak::is_strong(found.shape) || left.indent().is_some(),
            closed: false,
            last_read: LastRead::Value,
            parted: found.end,
            ends_line: false,
        }
    }

    /// Returns records, of which `last` is the last one so far.
    pub(super) const fn of_records(last: Found) -> Self {
        Self {
            first: last,
            start: last.start,
            count: 1,
            records: true,
            certain: false,
            indented: false,
            closed_early: false,
            awaits_member: false,
            opened: None,
            counts: true,
            closed: false,
            last_read: LastRead::Value,
            parted: last.end,
            ends_line: false,
        }
    }

    /// Returns a record before a member, from which no comma parts it.
    const fn before_member(record: Found) -> Self {
        Self {
            last_read: LastRead::Comma,
            awaits_member: true,
            ..Self::of_records(record)
        }
    }

    /// Returns where the first document starts.
    pub(super) const fn start(&self) -> u64 {
        self.first.start
    }

    /// Whether the first document is the value of a member.
    const fn is_member(&self) -> bool {
        self.start < self.first.start
    }

    /// Returns the bracket around the documents whose closing bracket does not show that they are parts: it opened no
    /// broken document, or none of them would count.
    fn opened(&self) -> Option<Open> {
        self.opened.filter(|open| !(open.broken && self.counts))
    }

    /// Whether a name or a comma shows that more of a larger document may follow than what was read.
    pub(super) fn goes_on(&self) -> bool {
        let open = !self.closed && !self.records;
        open && (self.is_member() || self.last_read == LastRead::Comma)
    }

    /// Whether the text around the documents shows that they are parts, if it goes on up to its end.
    const fn is_shown(&self) -> bool {
        let parted = self.parted > self.first.end;
        self.certain || parted && self.is_member()
    }

    /// Returns what is missing, if the end of input shows that the documents are parts.
    pub(super) fn ended(&self) -> Option<&'static str> {
        let shown = self.is_shown() || self.indented && self.last_read == LastRead::Comma;
        shown.then_some(ENDED)
    }

    /// Returns what is missing, if other text shows that the documents are parts: a member before it ends its line, and
    /// that has an indent or a comma parts it from another one. Elements may be records.
    pub(super) fn followed(&self) -> Option<&'static str> {
        let member = self.is_member() && self.opened().is_none();
        (member && self.is_shown() && self.ends_line).then_some(FOLLOWED)
    }

    /// Returns the least text that may stand before the first document if it is a part of a larger one.
    pub(super) const fn missing(&self) -> &'static [u8] {
        match self.is_member() {
            true => b"{\"\":",
            false => b"[",
        }
    }

    /// Takes the last string for a name. A member after a record shows that this was closed too early.
    fn begin_member(&mut self) {
        self.last_read = LastRead::Colon;
        self.closed_early |= self.records;
    }

    /// Returns the first byte that is undecided, if reading is at `at`.
    pub(super) const fn pending(&self, at: u64) -> u64 {
        match self.closed || self.records && !self.awaits_member {
            true => at,
            false if self.records => self.first.end,
            false => self.first.start,
        }
    }
}

/// Whether nothing is on the rest of a line but a mark that ends each line: the side of a box, a backslash, a dollar
/// sign.
fn is_ending(rest: &[u8]) -> bool {
    let shown = clean(rest);
    let line = shown.split(|byte| matches!(byte, b'\n' | b'\r' | 0)).next();
    let mark = line.unwrap_or_default().trim_ascii();
    let is_of_mark = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"{}[]\"".contains(byte);
    mark.len() <= LONGEST_MARK && mark.iter().all(is_of_mark)
}

impl Reader {
    /// Reads on in text that may be the rest of a document.
    pub(super) fn tail(&mut self, mut tail: Box<Tail>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        loop {
            tail = match self.after_sign(tail, round) {
                Ok(tail) => tail,
                Err(flow) => return flow,
            };
            let rest = window.from(self.at);
            let Some(&byte) = rest.first() else {
                if last {
                    return self.end_tail(&tail, tail.ended(), round);
                }
                self.mode = ReadMode::Tail(tail);
                return ReadOn::Wait;
            };
            let held = self.at - tail.pending(self.at);
            if held > WITHHELD || !tail.closed && tail.count > WITHHELD_COUNT {
                return self.end_tail(&tail, None, round);
            }
            match (byte, tail.last_read) {
                (b',', LastRead::Value | LastRead::String) => {
                    (tail.last_read, tail.parted) = (LastRead::Comma, self.at + 1);
                }
                (b':', LastRead::String) => tail.begin_member(),
                // The colon is missing.
                (b'"', LastRead::String) => {
                    tail.begin_member();
                    continue;
                }
                (b'}' | b']', LastRead::Value | LastRead::String | LastRead::Comma) => {
                    if let Some(flow) = self.close_in_tail(&mut tail, byte, round) {
                        return flow;
                    }
                }
                (_, LastRead::Comma | LastRead::Colon) if begins_value(byte) => {
                    let start = self.at;
                    let is_member = tail.last_read == LastRead::Colon;
                    let is_free = byte == b'{' && !tail.records && !is_member;
                    if is_free && self.begins_at_feed(start, window) {
                        // An object without an indent is a record.
                        return self.leave_tail(tail, false, round);
                    }
                    self.begin(start);
                    return self.candidate(Candidate::new(start, Context::Tail(tail)), round);
                }
                _ => match between(rest, last) {
                    Aside::Read(length) => {
                        self.at += length as u64;
                        continue;
                    }
                    Aside::Incomplete => {
                        self.mode = ReadMode::Tail(tail);
                        return ReadOn::Wait;
                    }
                    Aside::None => return self.leave_tail(tail, false, round),
                },
            }
            self.at += 1;
        }
    }

    /// Reads a bracket that nothing in what may be the rest of a document has opened. Returns how reading goes on if it
    /// shows no parts.
    fn close_in_tail(
        &mut self,
        tail: &mut Tail,
        bracket: u8,
        round: &mut Round<'_>,
    ) -> Option<ReadOn> {
        let own = tail.opened().is_some_and(|open| open.is_closed_by(bracket));
        let before = round
            .window
            .slice(self.at.saturating_sub(LEFT_KEPT), self.at);
        if own || ends_prefix(before, bracket) {
            return Some(self.end_tail(tail, None, round));
        }
        tail.last_read = LastRead::Value;
        self.confirm(tail, CLOSED, round)
    }

    /// Goes on in the rest of a document where strict reading stops, either between values or inside the `nested` value
    /// that begins there: with the question whether the rest is almost JSON up to a closing bracket.
    pub(super) fn leave_tail(
        &mut self,
        mut tail: Box<Tail>,
        nested: bool,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let Round { window, last, .. } = *round;
        let Some((_, ending)) = window.next_line(tail.parted, last) else {
            self.mode = ReadMode::Tail(tail);
            return ReadOn::Wait;
        };
        tail.ends_line = is_ending(ending);
        if !tail.goes_on() || !self.may_try(tail.start()) {
            return self.end_tail(&tail, tail.followed(), round);
        }
        let rest = window.from(self.at);
        if !last && rest.len() < LONGEST_REASON {
            self.mode = ReadMode::Tail(tail);
            return ReadOn::Wait;
        }
        if !nested && !rest.starts_with(b"\"") && reason(rest).is_none() {
            return self.end_tail(&tail, tail.followed(), round);
        }
        self.mode = ReadMode::Almost(Box::new(Almost::of_tail(tail, self.at, window)));
        ReadOn::Go
    }

    /// Goes on in the rest of a document that is almost JSON: at the bracket that closes it, or else at the end of
    /// input.
    pub(super) fn end_almost_tail(
        &mut self,
        mut tail: Box<Tail>,
        closing: Option<u64>,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let Some(closing) = closing else {
            return self.end_tail(&tail, tail.followed(), round);
        };
        self.at = closing;
        tail.last_read = LastRead::Value;
        self.mode = ReadMode::Tail(tail);
        ReadOn::Go
    }

    /// Reads what shows, for this reason, that the documents so far are parts, unless they are records. Returns how
    /// reading goes on if they count nevertheless.
    fn confirm(
        &mut self,
        tail: &mut Tail,
        reason: &'static str,
        round: &mut Round<'_>,
    ) -> Option<ReadOn> {
        if self.options.parts == Parts::Noted {
            self.note_parts(tail.start, round);
            return Some(self.end_tail(tail, None, round));
        }
        if !tail.closed {
            self.report_tail(tail, reason, round);
        }
        tail.closed = true;
        None
    }

    /// Reports that what is in the larger text at `start` counts, as the caller asks for parts.
    pub(super) fn note_parts(&mut self, start: u64, round: &mut Round<'_>) {
        self.hand_lines_on(round);
        let at = round.window.position(start);
        round.visitor.remark(Remark::PartsGiven(at));
    }

    fn report_tail(&mut self, tail: &Tail, reason: &'static str, round: &mut Round<'_>) {
        let early = tail
            .closed_early
            .then(|| self.closed_early(&tail.first, round.window));
        if let Some(fault) = early.flatten() {
            self.report_decided_noise(tail.start, round);
            return self.report_fault(fault, round);
        }
        let at = self.at;
        let start = if tail.records { at } else { tail.start };
        let stop = Stop::new(at, FaultKind::Headless, reason);
        self.report_fault_at(start, stop, round);
    }

    /// Goes on after a value of the rest of a document.
    pub(super) fn found_in_tail(
        &mut self,
        mut tail: Box<Tail>,
        found: &Found,
        round: &mut Round<'_>,
    ) {
        let is_string = round.window.slice(found.start, found.start + 1) == b"\"";
        let is_member = tail.last_read == LastRead::Colon;
        tail.last_read = match is_string && tail.last_read == LastRead::Comma {
            true => LastRead::String,
            false => LastRead::Value,
        };
        if found.shape.is_any(Shape::CONTAINER) {
            tail.count += 1;
            tail.counts |= weak::is_strong(found.shape);
            let is_record = !tail.closed || self.begins_at_feed(found.start, round.window);
            if tail.records && is_record && !is_member {
                self.suspicion.cleared_until = found.end;
                (tail.first, tail.start, tail.count) = (*found, found.start, 1);
                self.count_sure(found, round);
            }
        } else {
            // Only an array mixes strings, numbers and literals with an object.
            tail.certain |= tail.indented;
        }
        self.mode = ReadMode::Tail(tail);
    }

    /// Ends what may be the rest of a document, at text that does not belong to it or at the end of input. `shown` says
    /// why the documents are parts, if they are.
    pub(super) fn end_tail(
        &mut self,
        tail: &Tail,
        shown: Option<&'static str>,
        round: &mut Round<'_>,
    ) -> ReadOn {
        if tail.closed || tail.records {
            return ReadOn::Go;
        }
        if let Some(reason) = shown {
            if self.options.parts == Parts::Refused {
                self.report_tail(tail, reason, round);
                return ReadOn::Go;
            }
            self.note_parts(tail.start, round);
        }
        // What was read is read again, as text; no document in it is suspected again.
        self.suspicion.cleared_until = self.at;
        self.at = tail.first.end;
        self.count_sure(&tail.first, round)
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::finder::{FindOptions, Finder, Parts};
    use jsift_json::cost;

    /// Returns how many bytes are looked at for each byte of a text.
    fn steps(text: &str, parts: Parts) -> u64 {
        let mut finder = Finder::new(FindOptions {
            parts,
            ..FindOptions::default()
        });
        let before = cost::steps();
        let mut visitor = |_: Document<'_>| {};
        finder.push(text.as_bytes(), &mut visitor);
        finder.finish(&mut visitor);
        (cost::steps() - before) / text.len() as u64
    }

    #[test]
    fn documents_that_share_a_line_cost_no_more_than_their_text() {
        for unit in [
            "data: => {}\u{1b}[",
            "a [1,\n\u{feff}NaN{\"a\":1}]]",
            "x {},",
            "x {}, \"a",
            "{\"a\":1}}",
            "\"a\": {\"b\":1}, ",
            "\0[1,2]\u{1b}]0;",
            "\r{\"a\":1}\u{1b}[2K",
            "\u{1b}]0;```",
            "\u{1b}[1m``` ",
            "\u{e9}\0][1,2]",
        ] {
            let text = unit.repeat((1 << 16) / unit.len());
            let steps = steps(&text, Parts::Refused);
            assert!(steps <= 40, "{steps} steps a byte of {unit:?}");
        }
    }

    #[test]
    fn almost_json_in_almost_json_is_looked_through_once() {
        let size = if cfg!(feature = "slow") {
            1 << 16
        } else {
            1 << 14
        };
        for unit in ["{a: ", "{a: [1,\n", "{'a': {\"b\":1}, c: "] {
            let text = unit.repeat(size / unit.len()) + "{\"b\":1}";
            for parts in [Parts::Refused, Parts::Noted, Parts::Counted] {
                let steps = steps(&text, parts);
                assert!(steps <= 80, "{steps} steps a byte of {unit:?}, {parts:?}");
            }
        }
    }
}
