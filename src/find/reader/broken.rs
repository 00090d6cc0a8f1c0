//! Documents behind a log prefix that are at fault: what is told of them, and their remains, which hold no documents.

use memchr::memchr;

use super::planned::{LINE_COST, Planned, without_mark};
use super::{Flow, Mode, Reader, Stop};
use crate::document::{FaultKind, Visitor};
use crate::find::prefix::{Begun, WAIT_BYTES, WAIT_LINES};
use crate::find::remains::Remains;
use crate::find::window::Window;
use crate::json::scan::clean;

/// A document that goes on behind a prefix, and is at fault.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) start: u64,
    /// Where the line behind the opening line begins.
    opened: u64,
    begun: Begun,
    /// What is left of it, once it is known to be broken.
    remains: Option<Remains>,
    /// Where the next line begins.
    next: u64,
    /// How many lines of other sources stand before that.
    others: u32,
}

impl Broken {
    pub(super) fn new(planned: &Planned, begun: Begun) -> Box<Self> {
        Box::new(Self {
            start: planned.start,
            opened: planned.opened,
            next: begun.last.1,
            begun,
            remains: None,
            others: 0,
        })
    }

    const fn stop(&self) -> Stop {
        Stop {
            at: self.begun.last.1,
            kind: FaultKind::Broken,
            reason: self.begun.expected,
        }
    }

    /// Reads over the `text` at `at`, on a line that begins at `line`, as far as it belongs to the remains. What was read of
    /// that line before it begins at `begin`. Says whether the remains may go on.
    fn take(&mut self, line: u64, begin: u64, at: u64, text: &[u8]) -> bool {
        let Some(remains) = self.remains.as_mut() else {
            return false;
        };
        let (read, ended) = remains.read(text, true);
        let taken = text.get(..read).unwrap_or_default();
        // A line that is not deeper is none of them.
        if ended && clean(taken).trim_ascii().is_empty() {
            return false;
        }
        self.begun.lines.starts.push(line);
        self.begun.lines.rests.push((begin, at + read as u64));
        !ended
    }

    /// Whether its next line has been waited for long enough.
    const fn is_overdue(&self) -> bool {
        self.others > WAIT_LINES || self.next - self.begun.last.1 > WAIT_BYTES
    }
}

impl Reader {
    /// Tells what is at fault, and goes on behind it. What was read of the document is not read again: what stands in it is
    /// no document of its own.
    pub(super) fn broken(
        &mut self,
        mut broken: Box<Broken>,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        if broken.remains.is_some() {
            return self.remains_behind(broken, window, last, visitor);
        }
        let Some(stop) = broken.stop().judged(window, last) else {
            self.mode = Mode::Broken(broken);
            return Flow::Wait;
        };
        let (begin, at) = broken.begun.last;
        let first = (broken.start, broken.opened);
        let seen = (begin, stop.seen(window));
        let (_, depth) = self.tell_stopped(first, &broken.begun.lines, seen, stop, window, visitor);
        // What stands before it on its line may be its indent.
        let indented = clean(window.slice(begin, at)).trim_ascii().is_empty();
        let (at, blanks) = if indented {
            (begin, Some(0))
        } else {
            (at, None)
        };
        let rest = window.from(at);
        let end = memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
        let text = rest.get(..end).unwrap_or_default();
        let indent = self.plans.indent(&broken.begun);
        broken.remains = Some(Remains::new(depth, indent, blanks));
        broken.next = at + end as u64;
        if broken.take(broken.begun.line, begin, at, text) {
            return self.remains_behind(broken, window, last, visitor);
        }
        self.go_on_behind(&broken, window, visitor);
        Flow::Go
    }

    /// Reads on the remains, of which the lines carry the prefix, too.
    fn remains_behind(
        &mut self,
        mut broken: Box<Broken>,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        while !broken.is_overdue() {
            let rest = window.from(broken.next);
            let (line, whole) = match memchr(b'\n', rest) {
                Some(end) => (rest.get(..=end).unwrap_or(rest), true),
                None => (rest, false),
            };
            if line.len() as u64 > WAIT_BYTES || (line.is_empty() && last) {
                break;
            }
            if !whole && !last {
                self.mode = Mode::Broken(broken);
                return Flow::Wait;
            }
            let text = without_mark(line);
            let start = broken.next + (line.len() - text.len()) as u64;
            broken.next += line.len() as u64;
            let cost = line.len() as u64 + LINE_COST;
            self.steps += cost;
            let Some(at) = self.plans.behind(&broken.begun, text) else {
                self.planned_in_vain += cost;
                broken.others += 1;
                continue;
            };
            broken.others = 0;
            let begin = start + at as u64;
            if !broken.take(start, begin, begin, text.get(at..).unwrap_or_default()) {
                break;
            }
        }
        self.go_on_behind(&broken, window, visitor);
        Flow::Go
    }

    fn go_on_behind(&mut self, broken: &Broken, window: &mut Window, visitor: &mut dyn Visitor) {
        let Broken { opened, begun, .. } = broken;
        let mut read = *opened;
        for (&line, &(_, end)) in begun.lines.starts.iter().zip(&begun.lines.rests) {
            if line == read {
                read = end;
            }
        }
        self.tell_noise(read, window, visitor);
        self.go_on_between(&begun.lines, *opened, window);
    }
}
