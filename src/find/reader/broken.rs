//! Documents behind a log prefix that are at fault: what is told of them, and their remains, which hold no documents.

use super::candidates::BLANKS;
use super::planned::{LINE_COST, Planned, line_at, without_mark};
use super::{Flow, Mode, Reader, Stop};
use crate::document::{FaultKind, Visitor};
use crate::find::fence::INFO_LIMIT;
use crate::find::prefix::{Begun, WAIT_BYTES, WAIT_LINES};
use crate::find::remains::Remains;
use crate::find::window::Window;
use crate::json::is_white;
use crate::json::scan::clean;

/// A document that goes on behind a prefix, and is at fault.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) start: u64,
    /// See [`Planned`].
    head: u64,
    /// Where the line behind the opening line begins.
    opened: u64,
    /// Why it stopped without its prefix.
    stopped: Option<Stop>,
    begun: Begun,
    left: Left,
    /// Where the next line begins.
    next: u64,
    /// How many lines of other sources stand before that.
    others: u32,
}

/// What is left of it.
#[derive(Debug)]
enum Left {
    /// Whether it is broken or truncated is not known yet.
    Unknown,
    Remains(Remains),
    Nothing,
}

impl Broken {
    pub(super) fn new(planned: &Planned, begun: Begun) -> Box<Self> {
        Box::new(Self {
            start: planned.start,
            head: planned.head,
            opened: planned.opened,
            stopped: planned.stop,
            next: begun.last.1,
            begun,
            left: Left::Unknown,
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
    /// that line before it begins at `begin`.
    fn take(&mut self, line: u64, begin: u64, at: u64, text: &[u8]) {
        let Left::Remains(remains) = &mut self.left else {
            return;
        };
        let (read, ended) = remains.read(text, true);
        if ended {
            self.left = Left::Nothing;
        }
        let taken = text.get(..read).unwrap_or_default();
        // A line that is not deeper is none of them.
        if !ended || !clean(taken).trim_ascii().is_empty() {
            self.begun.lines.starts.push(line);
            self.begun.lines.rests.push((begin, at + read as u64));
        }
    }

    /// Whether more lines may belong to the remains, and have not been waited for long enough.
    const fn goes_on(&self) -> bool {
        matches!(self.left, Left::Remains(_))
            && self.others <= WAIT_LINES
            && self.next - self.begun.last.1 <= WAIT_BYTES
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
        if let Left::Unknown = broken.left {
            let judged = self.rest_behind(&broken, window, last);
            let judged = judged.and_then(|rest| broken.stop().judged_by(&rest, window, last));
            let Some(stop) = judged else {
                self.mode = Mode::Broken(broken);
                return Flow::Wait;
            };
            if broken.begun.lines.scanner.committed().is_none() {
                if stop.kind == FaultKind::Truncated {
                    let first = (broken.start, broken.head);
                    self.note_unnamed(first, &broken.begun.lines, stop, window);
                }
                return self.give_up(broken.start, broken.stopped, window, visitor);
            }
            self.tell_broken(&mut broken, stop, window, visitor);
        }
        if let Flow::Wait = self.read_remains(&mut broken, window, last) {
            self.mode = Mode::Broken(broken);
            return Flow::Wait;
        }
        self.go_on_behind(&broken, window, visitor);
        Flow::Go
    }

    /// What stands behind where it stopped, without its prefix, as far as it tells whether the input ends there. `None` if
    /// that is not there yet.
    fn rest_behind(&self, broken: &Broken, window: &Window, last: bool) -> Option<Vec<u8>> {
        let (mut rest, _) = line_at(window, broken.begun.last.1);
        let mut at = broken.begun.last.1 + rest.len() as u64;
        let mut all = Vec::new();
        loop {
            all.extend_from_slice(rest.get(..=BLANKS).unwrap_or(rest));
            let (line, whole) = line_at(window, at);
            let over = all.len() > BLANKS || !all.iter().all(|byte| is_white(*byte));
            if over || line.is_empty() {
                return Some(all);
            }
            if !whole && !last && line.len() < INFO_LIMIT {
                return None;
            }
            let behind = self.plans.behind(&broken.begun, without_mark(line));
            let skipped = line.len() - without_mark(line).len();
            rest = behind
                .and_then(|at| line.get(skipped + at..))
                .unwrap_or(line);
            at += line.len() as u64;
        }
    }

    /// Tells that it is at fault, and reads over what is left of it on that line.
    fn tell_broken(
        &mut self,
        broken: &mut Broken,
        stop: Stop,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) {
        let (begin, at) = broken.begun.last;
        let first = (broken.start, broken.head);
        let seen = (begin, stop.seen(window));
        let (_, depth) = self.tell_stopped(first, &broken.begun.lines, seen, stop, window, visitor);
        // What stands before it on its line may be its indent.
        let indented = clean(window.slice(begin, at)).trim_ascii().is_empty();
        let (at, blanks) = if indented {
            (begin, Some(0))
        } else {
            (at, None)
        };
        let indent = self.plans.indent(&broken.begun);
        broken.left = Left::Remains(Remains::new(depth, indent, blanks));
        let (text, _) = line_at(window, at);
        broken.next = at + text.len() as u64;
        broken.take(broken.begun.line, begin, at, text);
    }

    /// Reads over the remains on further lines, which carry the prefix, too.
    fn read_remains(&mut self, broken: &mut Broken, window: &Window, last: bool) -> Flow {
        while broken.goes_on() {
            let (line, whole) = line_at(window, broken.next);
            if line.len() as u64 > WAIT_BYTES || (line.is_empty() && last) {
                break;
            }
            if !whole && !last {
                return Flow::Wait;
            }
            let text = without_mark(line);
            let start = broken.next + (line.len() - text.len()) as u64;
            broken.next += line.len() as u64;
            let cost = line.len() as u64 + LINE_COST;
            self.steps += cost;
            match self.plans.behind(&broken.begun, text) {
                Some(at) => {
                    broken.others = 0;
                    let begin = start + at as u64;
                    broken.take(start, begin, begin, text.get(at..).unwrap_or_default());
                }
                None => {
                    self.planned_in_vain += cost;
                    broken.others += 1;
                }
            }
        }
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
