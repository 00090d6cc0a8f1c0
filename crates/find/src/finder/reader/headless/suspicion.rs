//! Decides by the text around a document whether it may be a part of a larger one.

use super::diff::{self, SIGNS};
use super::{Tail, is_ending};
use crate::document::{Fault, FaultKind};
use crate::finder::line::{self, NextByte};
use crate::finder::reader::after::{MEMBER_FOLLOWS, Reach, member_follows};
use crate::finder::reader::left::{Before, LeftText, ends_indented, last_line};
use crate::finder::reader::shown::Shown;
use crate::finder::reader::text::after_indent;
use crate::finder::reader::{
    Found, LEFT_KEPT, Question, ReadMode, ReadOn, Reader, Round, Stop, Unfinished,
};
use crate::finder::window::Window;
use crate::finder::{Parts, weak};
use crate::prefix::{self, COLOUR_LIMIT, Left, is_blank, without_bom};
use jsift_json::terminal::{ESCAPE, may_end_deleted};

/// How far a document must be from the last one on its line around which the text was looked at: a line may contain
/// many.
const APART: u64 = 512;

/// How many bytes of a text show whether it [may end with a colour](may_end_deleted).
const COLOUR_END: u64 = 3;

/// What is known so far of documents that may be parts of larger ones.
#[derive(Debug, Default)]
pub(in crate::finder::reader) struct Suspicion {
    /// A document that starts before this place was found to be no part, or was reported as one.
    pub(in crate::finder::reader) cleared_until: u64,
    /// Where the last document starts around which the text was looked at.
    around: Option<u64>,
    /// Where the last document ends after which a member was looked for.
    after: u64,
    /// Where the text starts after thinking: no bracket before that is around a document.
    pub(in crate::finder::reader) text: u64,
    /// The fault of the last document that counts, by where that starts, if it was closed too early: what shows it is
    /// read after the text of the document is dropped.
    pub(in crate::finder::reader) early: Option<Box<(u64, Fault)>>,
    /// Where the remains of the last fault end: a bracket before that is open around nothing after it.
    pub(in crate::finder::reader) broken_until: Option<u64>,
}

impl Suspicion {
    /// Returns what is known where reading starts.
    pub(in crate::finder::reader) fn from(start: u64) -> Self {
        Self {
            cleared_until: start,
            ..Self::default()
        }
    }
}

/// How a document ends that may be a part of a larger one.
#[derive(Debug, Clone, Copy)]
struct PartEnding {
    /// The next byte that is shown on its line; `None` at the end of input.
    next: Option<u8>,
    /// Whether a member of an object around it follows: then it is certainly a part, and was closed too early.
    closed_early: bool,
    /// See [`LeftText::deeper`].
    deeper: bool,
}

/// Whether a text, without the blanks at its end, may be before a part of a larger document.
const fn may_precede_part(text: &[u8]) -> bool {
    matches!(text, [.., b'\n' | b'\r' | 0 | b':' | b',']) || may_end_deleted(text)
}

/// Returns the length of the colour sequence that a source begins with and that lacks its first bytes: `[0m`, `1;39m`.
fn cut_colour(text: &[u8]) -> usize {
    let text = text.get(..COLOUR_LIMIT).unwrap_or(text);
    let is_parameter = |byte: &u8| matches!(byte, b'[' | b';' | b'0'..=b'9');
    let parameters = text.iter().take_while(|byte| is_parameter(byte)).count();
    match text.get(parameters) {
        Some(b'm') if parameters > 0 => parameters + 1,
        _ => 0,
    }
}

/// Whether the byte after a document may be after a part of a larger one.
const fn may_follow_part(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | ESCAPE)
}

/// Whether a blank, or a sequence of the terminal, is before the bracket that closes a document.
#[inline(always)]
fn closes_after_blank(found: &Found, window: &Window) -> bool {
    !found.is_compact() && ends_indent(found.end - 1, window)
}

/// Whether a blank, or what may be a colour, is before `at`.
#[inline(always)]
pub(in crate::finder::reader) fn ends_indent(at: u64, window: &Window) -> bool {
    let before = window.slice(at.saturating_sub(COLOUR_END), at);
    before.last().is_some_and(is_blank) || may_end_deleted(before)
}

/// Returns where and why a document is broken that was closed too early.
const fn early_end(found: &Found) -> Stop {
    Stop::new(found.end, FaultKind::Broken, MEMBER_FOLLOWS)
}

/// See [`Reader::may_be_part`].
#[inline(never)]
fn may_be_deep_part(found: &Found, window: &Window) -> bool {
    let next = window.from(found.end).first();
    let left = window.slice(found.start.saturating_sub(LEFT_KEPT), found.start);
    let blanks = left.iter().rev().take_while(|byte| is_blank(byte)).count();
    let before = left.get(..left.len() - blanks).unwrap_or_default();
    let sign = before.last().is_none_or(|last| SIGNS.contains(last));
    sign || may_precede_part(before)
        || ends_indented(left)
        || closes_after_blank(found, window)
        || next.is_none_or(|next| may_follow_part(*next))
}

impl Reader {
    /// Whether the text around a document must be looked at, as its two neighbours show.
    #[inline(always)]
    pub(in crate::finder::reader) fn may_be_part(&self, found: &Found, window: &Window) -> bool {
        let around = window.slice(found.start.saturating_sub(2), found.end + 1);
        // Most documents are records, or stand after words and end their line.
        if let [before, direct, .., next] = *around
            && around.len() as u64 == found.end - found.start + 3
        {
            if direct == b'\n' && matches!(next, b'\n' | b'\r') {
                return closes_after_blank(found, window);
            }
            if direct == b' ' && !is_blank(&before) && !may_follow_part(next) {
                let left = found.start.saturating_sub(COLOUR_END + 1);
                return may_precede_part(window.slice(left, found.start - 1))
                    || closes_after_blank(found, window);
            }
        }
        may_be_deep_part(found, window)
    }

    /// Goes on after a document that the text around it may show to be a part; `left` is what the text before it says,
    /// if that was looked at. Returns `None` if it is no part.
    #[inline(never)]
    pub(in crate::finder::reader) fn suspect(
        &mut self,
        found: &Found,
        left: Option<Box<LeftText>>,
        round: &mut Round<'_>,
    ) -> Option<ReadOn> {
        let window = round.window;
        if found.start < self.suspicion.cleared_until || self.options.parts == Parts::Counted {
            return None;
        }
        let Some(ending) = self.part_ending(found, left.as_deref(), round) else {
            self.mode = ReadMode::Suspected(*found, left);
            return Some(ReadOn::Wait);
        };
        let ending = ending?;
        let line = self.line(window, found.start).start;
        let near = |last: u64| last >= line && last < found.start && found.start - last < APART;
        if self.suspicion.around.is_some_and(near) {
            return None;
        }
        self.suspicion.around = Some(found.start);
        let left = left.unwrap_or_else(|| Box::new(self.left_of(found.start, &ending, window)));
        match self.question_of_part(found, &left, ending.next, round) {
            Some(None) => self.begin_part(found, &left, &ending, round),
            Some(question) => Some(self.ask(question, ReadMode::Suspected(*found, Some(left)))),
            None => {
                self.mode = ReadMode::Suspected(*found, Some(left));
                Some(ReadOn::Wait)
            }
        }
    }

    /// Goes on after a document that counts at once, if a member follows it without a comma: then the document was
    /// closed too early, if a bracket follows that closes the object. `None` if no member does.
    #[inline(always)]
    pub(in crate::finder::reader) fn after_record(&mut self, round: &Round<'_>) -> Option<ReadOn> {
        let record = self.last_strong?;
        let end = record.end;
        // The next line of a log begins with a letter, a digit or a bracket.
        let is_member = match round.window.slice(end, end + 2) {
            [b'\n', next] => !(next.is_ascii_alphanumeric() || matches!(next, b'{' | b'[')),
            _ => true,
        };
        match self.suspicion.after == end || !is_member {
            true => None,
            false => self.after_new_record(record, round),
        }
    }

    #[inline(never)]
    fn after_new_record(&mut self, record: Found, round: &Round<'_>) -> Option<ReadOn> {
        let Round { window, last, .. } = *round;
        let mut lines = window
            .slice(record.end, self.at)
            .split(|byte| b"\n\r\0".contains(byte));
        let follows = self.options.parts == Parts::Refused && lines.all(line::is_blank);
        match follows.then(|| member_follows(window.from(record.end), Reach::Next, last)) {
            Some(None) => return Some(ReadOn::Wait),
            Some(Some(true)) => self.mode = ReadMode::Tail(Box::new(Tail::before_member(record))),
            _ => {}
        }
        self.suspicion.after = record.end;
        matches!(self.mode, ReadMode::Tail(_)).then_some(ReadOn::Go)
    }

    /// Describes the last document that counts as one that was closed too early, before its text is dropped.
    pub(in crate::finder::reader) fn keep_early(&mut self, window: &Window) {
        let Some(record) = self.last_strong.filter(|last| last.start >= window.base()) else {
            return;
        };
        let known = self.suspicion.early.as_ref().map(|known| known.0);
        if self.options.parts == Parts::Refused && known != Some(record.start) {
            let fault = self.describe(record.start, early_end(&record), window);
            self.suspicion.early = Some(Box::new((record.start, fault)));
        }
    }

    /// Returns the fault of the document `first`, which a member follows; `None` if its text was dropped.
    pub(super) fn closed_early(&mut self, first: &Found, window: &Window) -> Option<Fault> {
        let known = self.suspicion.early.take();
        let known = known.filter(|known| known.0 == first.start);
        let there = first.start >= window.base();
        let describe = || there.then(|| self.describe(first.start, early_end(first), window));
        known.map(|known| known.1).or_else(describe)
    }

    /// Returns how a document ends that may be a part, `Some(None)` if its end shows that it is none. `left` is what
    /// the text before it says, if that was looked at. `None` if more text is needed.
    fn part_ending(
        &mut self,
        found: &Found,
        left: Option<&LeftText>,
        round: &Round<'_>,
    ) -> Option<Option<PartEnding>> {
        let Round { window, last, .. } = *round;
        let next = match line::next(window.from(found.end), last) {
            NextByte::Byte(next) => Some(next),
            NextByte::End => None,
            NextByte::Unknown => return None,
        };
        // The byte after the document may have been missing before.
        if !may_be_deep_part(found, window) {
            return Some(None);
        }
        let deeper = match left {
            Some(left) => left.deeper,
            None => self.closes_deeper(found, window),
        };
        let may_be_part = match next {
            None | Some(b',' | b'}' | b']' | 0) => true,
            // What is alone on its line, without an indent, is a record.
            Some(b'\n' | b'\r') => deeper || !self.begins_at_feed(found.start, window),
            // The side of a box ends the line, too.
            Some(side) if prefix::is_drawn(side) => is_ending(window.next_line(found.end, last)?.1),
            Some(_) => false,
        };
        if !may_be_part {
            return Some(None);
        }
        let closed_early = member_follows(window.from(found.end), Reach::Line, last)?;
        Some(Some(PartEnding {
            next,
            closed_early,
            deeper,
        }))
    }

    /// Goes on after a document, if what is `left` of it and its ending say that it may be a part. Returns `None` if
    /// they do not.
    fn begin_part(
        &mut self,
        found: &Found,
        left: &LeftText,
        ending: &PartEnding,
        round: &mut Round<'_>,
    ) -> Option<ReadOn> {
        let PartEnding {
            next, closed_early, ..
        } = *ending;
        // Whatever the text before it is, a member after closing brackets shows that they closed too early.
        if !closed_early && !left.suspects(next) {
            return None;
        }
        // On the line at which a broken document was given up, a closing bracket is that of this document.
        let closes =
            self.suspicion.broken_until == Some(found.start) && matches!(next, Some(b'}' | b']'));
        let first = left.indent() == Some(0) && left.before != Before::Name && !left.deeper;
        let strong = weak::is_strong(found.shape);
        if first && !strong && next != Some(b',') {
            // The rest of the line was not looked at.
            self.suspicion.around = None;
            return None;
        }
        let records = first && !closes && !closed_early && strong;
        if records {
            self.count_sure(found, round);
        }
        let mut tail = Box::new(Tail::of_part(found, left, records, closed_early));
        let before_comma = next == Some(b',');
        if left.changed
            && let Some(flow) = self.read_change(&mut tail, before_comma, round)
        {
            return Some(flow);
        }
        self.mode = ReadMode::Tail(tail);
        Some(ReadOn::Go)
    }

    /// Whether the bracket that closes a document is alone on its line and has a larger indent than the line on which
    /// the document starts: the beginning of that line, or a line, is missing.
    #[inline(always)]
    pub(in crate::finder::reader) fn closes_deeper(
        &mut self,
        found: &Found,
        window: &Window,
    ) -> bool {
        closes_after_blank(found, window) && {
            let text = window.slice(found.start, found.end);
            let (blanks, closing) = after_indent(last_line(text));
            closing.len() == 1 && blanks > self.indent(window, found.start)
        }
    }

    /// Returns what the text before the document at `start`, which has this ending, says about it.
    fn left_of(&self, start: u64, ending: &PartEnding, window: &Window) -> LeftText {
        let before = window.lines_before(start);
        let from = start - before.len() as u64;
        let mut shown = Shown::bytes(window, from..start, usize::MAX, true);
        let after = |end: Option<u64>| match end.and_then(|end| end.checked_sub(from)) {
            None => 0,
            Some(end) => shown.in_text(end as usize),
        };
        let broken = self.suspicion.broken_until.unwrap_or_default();
        let broken = after(Some(broken.max(self.suspicion.text)));
        let counted = after(self.last_strong.map(|last| last.end)).max(broken);
        let ends = shown
            .text
            .iter_mut()
            .filter(|byte| matches!(byte, b'\r' | 0));
        ends.for_each(|end| *end = b'\n');
        if from == 0 {
            let cut = cut_colour(&shown.text);
            shown
                .text
                .iter_mut()
                .take(cut)
                .for_each(|byte| *byte = b' ');
        }
        let changed = diff::remove_sign(&mut shown.text);
        let is_part = ending.deeper || ending.next == Some(b',');
        let mut left = LeftText::new(&shown.text, is_part, (broken, counted));
        (left.changed, left.deeper) = (changed, ending.deeper);
        let name = shown.text.len() - left.name;
        left.name = before.len() - shown.in_source(name);
        left
    }

    /// Returns the question whether the next lines carry what stands on the line before a document, or before its name,
    /// if the document may be a part after a log prefix. `None` if the rest of the line is not available yet.
    fn question_of_part(
        &mut self,
        found: &Found,
        left: &LeftText,
        next: Option<u8>,
        round: &Round<'_>,
    ) -> Option<Option<Question>> {
        let Round { window, last, .. } = *round;
        let parted = next
            .is_some_and(|next| next == b',' || b"}]".contains(&next) && !left.is_closed_by(next));
        let indented = !left.changed && ends_indented(&left.line);
        let goes_on = parted || left.before == Before::Name || indented;
        // A comma at the start of a line is none of its prefix.
        let line = left.line.trim_ascii_end().strip_suffix(b",");
        let line = line.unwrap_or(&left.line);
        let prefix = indented || Left::may_end_as_prefix(without_bom(line));
        // Other documents on the line are no prefix.
        let alone = self.alongside.is_empty()
            && self
                .last_strong
                .is_none_or(|last| window.slice(last.end, found.start).contains(&b'\n'));
        if self.options.parts != Parts::Refused || !goes_on || !prefix || !alone {
            return Some(None);
        }
        let line = self.line_of_opening(found.start, window);
        let Some(line) = line.filter(|line| self.asked != Some(line.start)) else {
            return Some(None);
        };
        let rest = window.slice(found.start, found.start + LEFT_KEPT);
        let Some(feed) = memchr::memchr(b'\n', rest) else {
            let ends = last || rest.len() as u64 == LEFT_KEPT;
            return ends.then_some(None);
        };
        let opened = found.start + feed as u64 + 1;
        if opened < found.end {
            return Some(None);
        }
        let name = found.start - left.name as u64;
        let written = window.slice(line.start, name.max(line.start));
        let place = (line.start, found.start, opened);
        let after = window.slice(found.end, opened);
        let part = Unfinished::Part { goes_on: parted };
        let question = Question::of_line(place, without_bom(written), after, part);
        Some(Some(question))
    }
}
