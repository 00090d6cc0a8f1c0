//! Fences whose lines carry a log prefix: what stands behind it is read as any other fence is, by a reader of its own.

use super::fences::Fence;
use super::planned::{LINE_COST, line_at, without_mark};
use super::{Context, Flow, Mode, Reader};
use crate::document::{Document, Fault, FaultKind, Noise, Origin, Place, Stage, Visitor};
use crate::find::Options;
use crate::find::fence::{INFO_LIMIT, Marks, Opening};
use crate::find::prefix::{Carried, WAIT_BYTES};
use crate::find::window::Window;
use crate::span::Position;

/// So many lines are not kept without need.
const MANY_LINES: usize = 256;

/// A fence whose lines have something before them: a block quote's mark, a log prefix.
#[derive(Debug)]
pub(super) struct Prefixed {
    marks: Marks,
    carried: Carried,
    /// What stands behind the prefix.
    window: Window,
    reader: Reader,
    /// Its lines that are still needed.
    lines: Vec<OwnLine>,
    /// Lines of other sources between those.
    others: Vec<(u64, u64)>,
    /// How many of them have come since its last line, and how many bytes these are.
    waited: (u32, u64),
    /// How many of them it waits for its next line.
    patience: u32,
    /// Where the next line begins in the text, or goes on.
    next: u64,
    /// That line is its own.
    inside: bool,
}

/// A line of a prefixed fence.
#[derive(Debug, Clone, Copy)]
struct OwnLine {
    /// Where it begins in the text.
    line: u64,
    /// Where it goes on there behind the prefix.
    text: u64,
    /// The same place in the window of the fence.
    inner: u64,
}

/// What comes next.
enum Next {
    /// A line of the fence, or more of it. It has been taken.
    Own,
    /// A line of another source, of which there are so many bytes.
    Other { length: u64, whole: bool },
    /// Something that cannot be told yet.
    Unknown,
}

impl Prefixed {
    /// Takes what comes next if it belongs to the fence.
    fn take(&mut self, window: &Window, last: bool) -> Next {
        let (line, whole) = line_at(window, self.next);
        let end = self.next + line.len() as u64;
        if line.is_empty() {
            return Next::Unknown;
        }
        if !self.inside {
            let text = without_mark(line);
            let skipped = line.len() - text.len();
            let head = text.get(..INFO_LIMIT).unwrap_or(text);
            let told = whole || last || head.len() == INFO_LIMIT;
            match self.carried.behind(head) {
                Some(at) if told || at + self.carried.ahead() < head.len() => {
                    let text = self.next + (skipped + at) as u64;
                    self.lines.push(OwnLine {
                        line: self.next,
                        text,
                        inner: self.window.end(),
                    });
                    self.next = text;
                }
                _ if told => {
                    return Next::Other {
                        length: line.len() as u64,
                        whole: whole || last,
                    };
                }
                _ => return Next::Unknown,
            }
        }
        self.window.push_from(window, self.next, end);
        self.next = end;
        self.inside = !whole;
        self.waited = (0, 0);
        Next::Own
    }

    /// Reads what was taken, or all that there is. Says whether reading has left the fence.
    fn read(&mut self, ends: Option<Ends>, visitor: &mut dyn Visitor) -> bool {
        let mut visitor = Behind {
            prefix: self.carried.text(),
            lost: ends == Some(Ends::Lost),
            visitor,
        };
        let left = self
            .reader
            .read_fence(&mut self.window, ends.is_some(), &mut visitor);
        left || ends.is_some()
    }

    /// Whether something of it is not decided.
    fn is_pending(&self) -> bool {
        self.inside || self.reader.pending() < self.window.end()
    }

    /// Whether reading stands behind all that was taken, and in no document.
    fn is_between(&self) -> bool {
        let between = matches!(self.reader.mode, Mode::Fence(_) | Mode::Remains(_));
        between && !self.inside && self.reader.at == self.window.end()
    }

    /// Leaves a line of another source aside, if one more may stand there.
    fn pass(&mut self, length: u64) -> bool {
        self.others.push((self.next, self.next + length));
        self.next += length;
        let (lines, bytes) = self.waited;
        self.waited = (lines + 1, bytes + length);
        self.waited.0 <= self.patience && self.waited.1 <= WAIT_BYTES
    }

    /// Its line that a place in its window belongs to.
    fn line(&self, inner: u64) -> Option<&OwnLine> {
        let behind = self.lines.partition_point(|line| line.inner <= inner);
        self.lines.get(behind.saturating_sub(1))
    }

    /// The first byte of the text that may have to be read again.
    pub(super) fn pending(&self) -> u64 {
        let own = self.line(self.reader.pending());
        let own = own.map_or(self.next, |line| line.line);
        let other = self.others.first();
        other.map_or(own, |other| own.min(other.0)).min(self.next)
    }

    /// Gives up what is not needed any more.
    pub(super) fn forget(&mut self) {
        let keep = self.reader.keep(&self.window);
        self.window.forget(keep);
        let pending = self.reader.pending();
        let passed = self.lines.partition_point(|line| line.inner <= pending);
        self.lines.drain(..passed.saturating_sub(1));
    }

    /// Where in the text reading goes on that has left the fence.
    fn left_at(&self) -> u64 {
        let inner = match &self.reader.mode {
            Mode::Candidate(candidate) => candidate.start,
            _ => self.reader.at,
        };
        let Some(line) = self.line(inner) else {
            return self.next;
        };
        let before = self.window.slice(line.inner, inner);
        match before.trim_ascii().is_empty() {
            true => line.line,
            false => line.text + (inner - line.inner),
        }
    }
}

/// Why no more lines of a fence come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Input,
    /// Too many of other sources have come instead.
    Lost,
}

impl Reader {
    /// Reads a fence whose content carries a prefix.
    pub(super) fn begin_prefixed(
        &mut self,
        opening: Opening,
        carried: Carried,
        position: Position,
        content: u64,
        window: &Window,
        visitor: &mut dyn Visitor,
    ) {
        let options = Options {
            whole: false,
            ..self.options.clone()
        };
        let mut reader = Self::new(options, 0);
        let (marks, inside) = (opening.marks, opening.same_line);
        reader.mode = Mode::Fence(Fence::at(opening, position, 0));
        self.hand_lines_on(window, visitor);
        self.tell_noise(content, window, visitor);
        self.suspended = None;
        self.at = content;
        self.mode = Mode::Prefixed(Box::new(Prefixed {
            marks,
            carried,
            window: Window::new(),
            reader,
            lines: vec![OwnLine {
                line: content,
                text: content,
                inner: 0,
            }],
            others: Vec::new(),
            waited: (0, 0),
            patience: self.patience(content).unwrap_or_default(),
            next: content,
            inside,
        }));
    }

    /// Gives a prefixed fence line after line.
    pub(super) fn prefixed(
        &mut self,
        mut fence: Box<Prefixed>,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        loop {
            let from = fence.next;
            let next = fence.take(window, last);
            self.steps += fence.next - from;
            let ends = match next {
                Next::Own => None,
                Next::Other { .. } if fence.is_between() => {
                    self.set_aside(fence, window, visitor);
                    return Flow::Go;
                }
                Next::Other { length, whole } if whole || length > WAIT_BYTES => {
                    if fence.pass(length) {
                        continue;
                    }
                    let (lines, bytes) = fence.waited;
                    self.planned_in_vain += bytes + u64::from(lines) * LINE_COST;
                    Some(Ends::Lost)
                }
                Next::Unknown if last => Some(Ends::Input),
                Next::Other { .. } | Next::Unknown => {
                    self.at = fence.next;
                    self.mode = Mode::Prefixed(fence);
                    return Flow::Wait;
                }
            };
            if self.read_prefixed(&mut fence, ends, window, visitor) {
                return Flow::Go;
            }
            if fence.is_between() && !fence.others.is_empty() {
                self.set_aside(fence, window, visitor);
                return Flow::Go;
            }
            if !fence.is_pending() && fence.lines.len() > MANY_LINES {
                fence.forget();
            }
        }
    }

    /// Reads what was taken of a prefixed fence, or all that there is. Says whether reading has left it.
    fn read_prefixed(
        &mut self,
        fence: &mut Prefixed,
        ends: Option<Ends>,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let left = fence.read(ends, visitor);
        self.note_read(fence);
        if left {
            self.leave_prefixed(fence, window);
        }
        if ends == Some(Ends::Lost) {
            self.open_fence = Some(fence.marks);
        }
        left
    }

    /// Lines of other sources come between two documents of a prefixed fence. What is found in those comes behind what the
    /// fence holds so far, so it ends where that is not decided.
    fn set_aside(
        &mut self,
        mut fence: Box<Prefixed>,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) {
        if fence.is_pending() {
            self.read_prefixed(&mut fence, Some(Ends::Lost), window, visitor);
        } else {
            self.suspend(fence, window);
        }
    }

    /// What was found in a prefixed fence decides what else counts.
    fn note_read(&mut self, fence: &Prefixed) {
        self.strong |= fence.reader.strong;
        self.fault |= fence.reader.fault;
        if self.strong || self.fault {
            self.forget_weak();
        }
    }

    /// Reading goes on with lines of other sources, the first of which are those that have been left aside.
    fn suspend(&mut self, mut fence: Box<Prefixed>, window: &mut Window) {
        let others = std::mem::take(&mut fence.others);
        let first = others.first().map_or(fence.next, |first| first.0);
        self.go_on_with(&others, first, fence.next, window);
        fence.forget();
        fence.lines.clear();
        self.open_fence = Some(fence.marks);
        self.suspended = Some(fence);
    }

    /// Goes on with the suspended fence if reading stands on a line of its own.
    pub(super) fn resume(&mut self, window: &Window, visitor: &mut dyn Visitor) -> bool {
        let Some(mut fence) = self.suspended.take() else {
            return false;
        };
        let line = self.line(window, self.at);
        let shown = window.slice(line.start, self.at + 1);
        let text = without_mark(shown);
        let own = fence.carried.behind(text);
        let Some(behind) = own.filter(|_| line.whole && line.start >= fence.next) else {
            self.suspended = Some(fence);
            return false;
        };
        self.hand_lines_on(window, visitor);
        let begin = line.start + (shown.len() - text.len() + behind) as u64;
        self.tell_noise(begin, window, visitor);
        // It may have been taken for text before its bracket came.
        fence.reader.noise = fence.window.end() + self.noise.saturating_sub(begin);
        fence.next = line.start;
        self.at = line.start;
        self.mode = Mode::Prefixed(fence);
        true
    }

    /// No more lines of the suspended fence come.
    pub(super) fn end_suspended(&mut self, window: &Window, visitor: &mut dyn Visitor) {
        if let Some(mut fence) = self.suspended.take() {
            self.hand_lines_on(window, visitor);
            fence.read(Some(Ends::Input), visitor);
            self.note_read(&fence);
            self.steps += fence.reader.steps() + fence.window.steps();
        }
    }

    fn leave_prefixed(&mut self, fence: &Prefixed, window: &mut Window) {
        let at = fence.left_at();
        let before = fence.others.partition_point(|other| other.0 < at);
        let others = fence.others.get(..before).unwrap_or_default();
        let first = others.first().map_or(at, |first| first.0);
        self.go_on_with(others, first, at, window);
        self.open_fence = fence.reader.open_fence;
        self.steps += fence.reader.steps() + fence.window.steps();
    }

    /// Reads as far as the fence goes that reading begins in, and says whether it has left that.
    fn read_fence(&mut self, window: &mut Window, last: bool, visitor: &mut dyn Visitor) -> bool {
        self.gathers = visitor.takes_lines();
        let left = loop {
            let flow = match std::mem::replace(&mut self.mode, Mode::Text) {
                Mode::Fence(fence) => self.fence(fence, window, last, visitor),
                Mode::Candidate(candidate) if matches!(candidate.context, Context::Fence(_)) => {
                    self.candidate(candidate, window, last, visitor)
                }
                Mode::Remains(remains) => self.remains(remains, window, last),
                mode => {
                    self.mode = mode;
                    break true;
                }
            };
            if let Flow::Wait = flow {
                break false;
            }
        };
        self.hand_lines_on(window, visitor);
        self.tell_noise(self.pending(), window, visitor);
        left
    }
}

/// Is told of what stands behind a prefix.
struct Behind<'a> {
    prefix: &'a [u8],
    /// See [`Ends`].
    lost: bool,
    visitor: &'a mut dyn Visitor,
}

impl Visitor for Behind<'_> {
    fn document(&mut self, document: Document<'_>) {
        let place = PlaceBehind {
            prefix: self.prefix,
            place: document.place,
        };
        self.visitor.document(Document {
            place: &place,
            ..document
        });
    }

    fn fault(&mut self, mut fault: Fault) {
        fault.prefixed = true;
        if self.lost && fault.kind == FaultKind::Truncated {
            fault.kind = FaultKind::Broken;
            fault.reason = "its next line does not come";
        }
        self.visitor.fault(fault);
    }

    fn lines(&mut self, text: &[u8], count: u64) {
        self.visitor.lines(text, count);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.visitor.noise(noise);
    }

    fn wants_noise(&self) -> bool {
        self.visitor.wants_noise()
    }

    fn takes_lines(&self) -> bool {
        self.visitor.takes_lines()
    }
}

/// The place of a document whose lines stood behind a prefix.
#[derive(Debug)]
struct PlaceBehind<'a> {
    prefix: &'a [u8],
    place: &'a dyn Place,
}

impl Place for PlaceBehind<'_> {
    fn origin(&self) -> Origin {
        Origin {
            prefix: Some(self.prefix.to_vec()),
            ..self.place.origin()
        }
    }

    fn position(&self) -> Position {
        self.place.position()
    }

    fn stage(&self) -> Stage {
        self.place.stage()
    }
}
