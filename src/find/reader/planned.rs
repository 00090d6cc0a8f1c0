//! Candidates whose lines carry a log prefix: wiring of the [plans](crate::find::prefix) to the window.

use memchr::{memchr, memrchr};

use super::broken::Broken;
use super::candidates::{TRUNCATED, bracket, is_flat, open_from};
use super::text::{Known, Line};
use super::{About, Flow, Found, Joined, LEFT_KEPT, Reader, Stop};
use crate::document::{Fault, FaultKind, Rank, Visitor};
use crate::find::prefix::{
    self, Completed, Lines, Opening, PREFIX_LIMIT, Verdict, WAIT_BYTES, WAIT_FEW_LINES, WAIT_LINES,
};
use crate::find::weak::{self, Behind};
use crate::find::window::Window;
use crate::input::BOM;
use crate::json::scan::{Shape, clean};

/// How often plans may read the text in vain, on the average, before no more are made: what falls out of a dropped plan is
/// read again, and each of its lines may hold an opening that is planned again, so time would grow with the square of
/// the input. When half of that is spent, plans wait for few lines: most of it goes into waiting where a log is full of
/// stray brackets.
const VAIN_SHARE: u64 = 16;
/// How many bytes they may read in vain in any case.
const VAIN_LEAST: u64 = 16 << 20;
/// What a line counts beside its bytes.
pub(super) const LINE_COST: u64 = 64;

/// A candidate that stopped, and that the reader's plans may read on.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) start: u64,
    /// Why it stopped, unless its bracket is a stray one.
    pub(super) stop: Option<Stop>,
    /// Where the document stops on the opening line: behind it, or before the side of a box.
    pub(super) head: u64,
    /// Where the line behind the opening line begins.
    pub(super) opened: u64,
    /// The next line to be read.
    next: u64,
    /// Nothing that the terminal shows stands beside its bracket: a carriage return parts it from the prefix.
    returned: bool,
}

/// What stands before an opening bracket.
struct Before<'a> {
    left: &'a [u8],
    /// See [`Planned`].
    returned: bool,
}

/// A line without the byte order mark that it may begin with.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    match line {
        // Few lines begin so: the mark itself is compared by a call.
        [first, ..] if Some(first) == BOM.first() => line.strip_prefix(BOM).unwrap_or(line),
        _ => line,
    }
}

/// The line at `from` with its line feed, and whether that is there.
pub(super) fn line_at(window: &Window, from: u64) -> (&[u8], bool) {
    let rest = window.from(from);
    match memchr(b'\n', rest) {
        Some(end) => (rest.get(..=end).unwrap_or(rest), true),
        None => (rest, false),
    }
}

/// Whether a line begins at `start`.
pub(super) fn begins_line(start: u64, window: &Window) -> bool {
    start == 0 || window.slice(start - 1, start) == b"\n"
}

/// The text at `from` as far as it may be the side of a box, if that begins so.
fn drawn_at(from: u64, window: &Window) -> Option<&[u8]> {
    let text = window.slice(from, from + PREFIX_LIMIT as u64);
    let drawn = |byte: &&u8| **byte == b'|' || !byte.is_ascii();
    text.first().filter(drawn).map(|_| text)
}

/// Whether more of the text has to come to tell whether the side of a box stands at `from`.
pub(super) fn may_go_on_as_side(from: u64, window: &Window) -> bool {
    let short = |text: &[u8]| text.len() < PREFIX_LIMIT && memchr(b'\n', text).is_none();
    drawn_at(from, window).is_some_and(short)
}

/// How long the line is that goes on at `from` with what may be the side of a box, line feed included.
fn side_at(from: u64, window: &Window) -> Option<u64> {
    let feed = memchr(b'\n', drawn_at(from, window)?)?;
    Some(feed as u64 + 1)
}

/// What stands before the bracket at `start` on its `line`. If that is nothing, and a carriage return ended the line before,
/// what has been overwritten may begin with a prefix: a spinner's `app-1  | working`, say.
fn before<'a>(line: Line, start: u64, window: &'a Window) -> Before<'a> {
    let left = without_mark(window.slice(line.start, start));
    let end = line.start.saturating_sub(1);
    let behind_return = line.whole && window.slice(end, line.start) == b"\r";
    if !behind_return || !weak::is_blank(left, false) {
        return Before {
            left,
            returned: false,
        };
    }
    let near = start.saturating_sub(LEFT_KEPT).max(window.base());
    let overwritten = window.slice(near, end);
    let (begin, begins) = match memrchr(b'\n', overwritten) {
        Some(feed) => (feed + 1, true),
        None => (0, near == 0),
    };
    let overwritten = overwritten.get(begin..).filter(|_| begins);
    let first = overwritten.and_then(|text| text.split(|byte| matches!(byte, b'\r' | 0)).next());
    Before {
        left: without_mark(first.unwrap_or_default()),
        returned: true,
    }
}

/// The first bytes from `start` on of the text in these pieces.
fn beginning(start: u64, pieces: impl Iterator<Item = (u64, u64)>, window: &Window) -> Vec<u8> {
    let mut text = Vec::new();
    for (from, to) in pieces {
        let room = (Fault::SAMPLE - text.len()) as u64;
        let from = from.max(start);
        text.extend_from_slice(window.slice(from, to.min(from + room)));
        if text.len() == Fault::SAMPLE {
            break;
        }
    }
    text
}

impl Reader {
    /// The plans of the candidate from `start` to `end`, if it reached the end of its line and a prefix may stand before it.
    pub(super) fn plan(
        &mut self,
        start: u64,
        end: u64,
        stop: Option<Stop>,
        window: &Window,
    ) -> Option<Planned> {
        // A bracket that begins a line has no prefix, and its candidate may be long.
        if begins_line(start, window) {
            return None;
        }
        let read = window.slice(start, end);
        let feed = match read {
            [_, b'\n', ..] => Some(1),
            _ => memchr(b'\n', read),
        };
        let (head, opened) = match feed {
            Some(feed) => (start + feed as u64 + 1, start + feed as u64 + 1),
            None => (end, end + side_at(end, window)?),
        };
        let line = self.line(window, start);
        let Before { left, returned } = before(line, start, window);
        let side = match feed {
            Some(_) => &[],
            None => prefix::side(left, window.slice(head, opened)),
        };
        if feed.is_none() && side.is_empty() {
            return None;
        }
        // Of a longer line the beginning is there or not by where a read ended.
        let near = start - line.start < LEFT_KEPT;
        if self.planned == Some(line.start) || !line.whole || !near {
            return None;
        }
        let patience = self.patience(start)?;
        let text = window.slice(start, head);
        if !self
            .plans
            .learn(left, Opening { text, side, start }, patience)
        {
            return None;
        }
        self.planned = Some(line.start);
        Some(Planned {
            start,
            stop,
            head,
            opened,
            next: opened,
            returned,
        })
    }

    /// What the plans make of the bracket at `start`, which is a stray one if they read nothing. Reading stands at what
    /// cannot stand behind it.
    pub(super) fn plan_stray(
        &mut self,
        start: u64,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let planned = match self.options.prefixes {
            true => self.plan(start, self.at, None, window),
            false => None,
        };
        match planned {
            Some(planned) => self.read_planned(planned, window, last, visitor),
            None => self.give_up(start, None, window, visitor),
        }
    }

    /// The candidate at `start` stands as it stopped.
    pub(super) fn give_up(
        &mut self,
        start: u64,
        stop: Option<Stop>,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        match stop {
            Some(stop) => self.fail_at(start, stop, true, window, visitor),
            None => self.at = start + 1,
        }
        Flow::Go
    }

    /// How many lines the plans of a candidate at `start` may wait, if there is anything to spend on them.
    pub(super) fn patience(&self, start: u64) -> Option<u32> {
        let most = VAIN_SHARE.saturating_mul(start).saturating_add(VAIN_LEAST);
        match self.planned_in_vain {
            much if much > most => None,
            half if half > most / 2 => Some(WAIT_FEW_LINES),
            _ => Some(WAIT_LINES),
        }
    }

    /// Gives the plans line after line.
    pub(super) fn read_planned(
        &mut self,
        mut planned: Planned,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        loop {
            let most = planned.start.saturating_add(self.options.max_document);
            let passed = self.plans.pass(window.slice(planned.next, most));
            planned.next += passed.bytes;
            self.steps += passed.bytes + u64::from(passed.lines) * LINE_COST;
            let (line, whole) = line_at(window, planned.next);
            if line.is_empty() && last {
                return self.plans_ended(planned, window, visitor);
            }
            if planned.next - planned.start > self.options.max_document {
                let stop = Stop {
                    at: planned.next,
                    kind: FaultKind::Limit,
                    reason: "larger than --max-document",
                };
                return self.plans_stopped(planned, stop, window, last, visitor);
            }
            if !whole && !last {
                if line.len() as u64 > WAIT_BYTES {
                    return self.unplanned(planned, window, last, visitor);
                }
                self.mode = super::Mode::Plans(planned);
                return Flow::Wait;
            }
            let text = without_mark(line);
            let skipped = (line.len() - text.len()) as u64;
            let behind = window.from(planned.next + line.len() as u64);
            let start = planned.start;
            let opening = Opening {
                text: window.slice(start, planned.head),
                side: window.slice(planned.head, planned.opened).trim_ascii_end(),
                start,
            };
            let verdict = self.plans.line(
                text,
                behind,
                planned.next + skipped,
                last && !whole,
                opening,
            );
            planned.next += line.len() as u64;
            // A line costs its plans something whatever its length.
            self.steps += line.len() as u64 + LINE_COST;
            match verdict {
                Verdict::Waiting => {}
                Verdict::Dropped => {
                    return self.unplanned(planned, window, last, visitor);
                }
                Verdict::Complete(completed) => {
                    return self.planned_document(planned, completed, window, visitor);
                }
            }
        }
    }

    /// No plan reads the candidate on: it stands as it stopped, or is the document at fault that a plan has begun.
    fn unplanned(
        &mut self,
        planned: Planned,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let Planned {
            start,
            stop,
            opened,
            next,
            ..
        } = planned;
        self.planned_in_vain += next - opened + u64::from(self.plans.lines()) * LINE_COST;
        let stray = stop.is_none() || self.told_nothing();
        let begun = self.plans.drop_all().filter(|begun| {
            // Without a prefix it was read no further than to the first line that carries it, or to one of another source.
            let stopped = |stop: Stop| {
                let behind = window.slice(opened, stop.at);
                let begins = begun.first_line() <= stop.at || behind.trim_ascii().is_empty();
                begins && stop.at < begun.last.1
            };
            (stray || stop.is_some_and(stopped)) && !is_flat(&begun.lines.scanner, start, window)
        });
        match begun {
            Some(begun) => self.broken(Broken::new(&planned, begun), window, last, visitor),
            None => self.give_up(start, stop, window, visitor),
        }
    }

    /// Whether the bracket of a candidate that a scanner has read is a stray one by what stands on its line. Without a scanner
    /// that is told where the next line is at hand.
    fn told_nothing(&self) -> bool {
        self.scanner.committed().is_none() && self.scanner.first_element().is_none()
    }

    fn plans_ended(
        &mut self,
        planned: Planned,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        if let Verdict::Complete(completed) = self.plans.end() {
            return self.planned_document(planned, completed, window, visitor);
        }
        // Its next line never came: the input ended inside it.
        let truncated = Stop {
            at: window.end(),
            kind: FaultKind::Truncated,
            reason: TRUNCATED,
        };
        self.plans_stopped(planned, truncated, window, true, visitor)
    }

    /// What the plan that got furthest has read is at fault, if any has read a part of a document.
    fn plans_stopped(
        &mut self,
        planned: Planned,
        stop: Stop,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let first = (planned.start, planned.head);
        let furthest = self.plans.furthest().map(|furthest| furthest.lines);
        let lines = match furthest {
            Some(lines) if lines.scanner.committed().is_some() => lines,
            furthest => {
                if let Some(lines) = furthest
                    && stop.kind == FaultKind::Truncated
                {
                    self.note_unnamed(first, &lines, stop, window);
                }
                return self.unplanned(planned, window, last, visitor);
            }
        };
        let (opening, depth) =
            self.tell_stopped(first, &lines, (stop.at, stop.at), stop, window, visitor);
        let deep = self.indent(window, opening);
        self.go_on_in_remains(deep, depth, stop, window);
        if stop.kind == FaultKind::Truncated {
            self.tell_noise(planned.start, window, visitor);
            self.go_on_between(&lines, planned.opened, window);
        }
        Flow::Go
    }

    /// Tells that the document which begins in the text `first` and goes on behind a prefix as `lines` stopped, in the text
    /// `last`: where it begins, and how many brackets are open in it.
    pub(super) fn tell_stopped(
        &mut self,
        first: (u64, u64),
        lines: &Lines,
        last: (u64, u64),
        stop: Stop,
        window: &Window,
        visitor: &mut dyn Visitor,
    ) -> (u64, usize) {
        let raw = std::mem::replace(&mut self.scanner, lines.scanner.clone());
        let (mut opening, mut depth) = (first.0, self.scanner.depth());
        if let Some(committed) = self.scanner.committed() {
            let line = window.slice(first.0, first.1);
            opening = committed
                .start
                .unwrap_or_else(|| bracket(first.0, committed.depth, line));
            depth = open_from(&self.scanner, committed);
        }
        let sample = beginning(opening, lines.pieces(first, last), window);
        self.tell_begun(opening, stop, depth, Some(sample), window, visitor);
        self.scanner = raw;
        (opening, depth)
    }

    /// The input ended in the document that begins in the text `first` and goes on behind a prefix as `lines`. If that was in
    /// its first name, it may be what was meant.
    pub(super) fn note_unnamed(
        &mut self,
        first: (u64, u64),
        lines: &Lines,
        stop: Stop,
        window: &Window,
    ) {
        if !lines.scanner.in_first_name() {
            return;
        }
        let raw = std::mem::replace(&mut self.scanner, lines.scanner.clone());
        let opening = self.scanner.last_open();
        let mut fault = self.describe(opening, stop, 1, window);
        self.scanner = raw;
        fault.prefixed = true;
        fault.sample = beginning(opening, lines.pieces(first, (stop.at, stop.at)), window);
        self.unnamed.get_or_insert(fault);
    }

    /// Reading goes on with the lines that the plan left alone, and behind its last one.
    pub(super) fn go_on_between(&mut self, lines: &Lines, opened: u64, window: &mut Window) {
        let mut kept = Vec::new();
        let mut from = opened;
        for (&start, rest) in lines.starts.iter().zip(&lines.rests) {
            // The side of a box ends the line before.
            let side = match window.slice(from.saturating_sub(1), from) {
                b"\n" => None,
                _ => memchr(b'\n', window.slice(from, start)),
            };
            let begin = side.map_or(from, |feed| from + feed as u64 + 1);
            if begin < start {
                kept.push((begin, start));
            }
            from = rest.1;
        }
        self.go_on_with(&kept, opened, from, window);
    }

    /// Reading goes on at `to`, with the stretches before it, from `from` on, that are kept.
    pub(super) fn go_on_with(
        &mut self,
        kept: &[(u64, u64)],
        from: u64,
        to: u64,
        window: &mut Window,
    ) {
        self.at = to;
        if !kept.is_empty() {
            self.strong_end = None;
            self.at = window.keep_only(kept, from, to);
            self.line = Some(Known::begins(self.at));
        }
        self.looked = self.at;
        self.noise = self.at.max(self.noise);
    }

    fn planned_document(
        &mut self,
        planned: Planned,
        completed: Completed,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let start = planned.start;
        let mut text = window.slice(start, planned.head).to_vec();
        for &(from, to) in &completed.lines.rests {
            text.extend_from_slice(window.slice(from, to));
        }
        let shape = completed.lines.scanner.shape();
        if shape.is(Shape::DIRTY) {
            text = clean(&text);
        }
        let end = completed
            .lines
            .rests
            .last()
            .map_or(planned.opened, |rest| rest.1);
        let prefix = self.plans.prefix(completed.cut);
        let behind = weak::behind(window.from(end), true);
        // Nothing but its prefix stands beside it.
        let alone = (completed.cut == 0 || planned.returned) && behind == Behind::LineEnd;
        // Nothing prints an empty object on two lines, but many a log says what it enters and leaves so.
        let strong =
            weak::is_strong(shape) || (alone && shape.is(Shape::ARRAY)) || self.options.loose;
        let found = Found {
            start,
            end,
            shape,
            rank: Rank::Embedded,
        };
        let joined = Joined { text, prefix };
        let about = About {
            joined: Some(&joined),
            ..About::default()
        };
        let left = window.slice(start.saturating_sub(LEFT_KEPT), start);
        let weak = shape.is(Shape::ARRAY.with(Shape::FILLED)) && !weak::is_never(shape, left);
        if strong && self.options.embedded {
            self.deliver_with(&found, about, window, visitor);
        } else if weak && self.options.embedded {
            self.keep_weak(found, about, window, visitor);
        }
        self.tell_noise(start, window, visitor);
        self.go_on_between(&completed.lines, planned.opened, window);
        Flow::Go
    }
}
