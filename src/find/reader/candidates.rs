//! Candidates: read as long as they go on as JSON, and what becomes of them then.

use super::text::indent;
use super::{Candidate, Context, Flow, Found, Mode, Reader, Stop};
use crate::document::{Fault, FaultKind, Rank, Visitor};
use crate::find::remains::Remains;
use crate::find::window::Window;
use crate::json::scan::{Committed, Step, chain};

impl Reader {
    pub(super) fn candidate(
        &mut self,
        candidate: Candidate,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let (read, step) = self.scanner.scan(window.from(self.at), self.at, last);
        self.at += read as u64;
        self.steps += read as u64;
        if self.at - candidate.start > self.options.max_document {
            let stop = Stop {
                at: self.at,
                kind: FaultKind::Limit,
                reason: "larger than --max-document",
            };
            return self.fail(candidate, stop, window, visitor);
        }
        let step = match step {
            Step::More if last && self.scanner.complete_at_end() => Step::Complete,
            step => step,
        };
        match step {
            Step::Complete => self.complete(candidate, window, last, visitor),
            Step::More if !last => {
                self.mode = Mode::Candidate(candidate);
                Flow::Wait
            }
            Step::More => {
                let stop = Stop {
                    at: window.end(),
                    kind: FaultKind::Truncated,
                    reason: "the input ends inside it",
                };
                self.stopped(candidate, stop, window, visitor)
            }
            Step::Broken(reason) => {
                let stop = Stop {
                    at: self.at,
                    kind: FaultKind::Broken,
                    reason,
                };
                self.stopped(candidate, stop, window, visitor)
            }
        }
    }

    fn complete(
        &mut self,
        candidate: Candidate,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        self.shown = self.at;
        let found = Found {
            start: candidate.start,
            end: self.at,
            shape: self.scanner.shape(),
            rank: Rank::Embedded,
        };
        match candidate.context {
            Context::Text => self.count(found, window, last, visitor),
            Context::Whole => self.found_value(found, window, visitor),
            Context::Fence(fence) => self.found_in_fence(fence, found, window, visitor),
        }
    }

    /// A candidate cannot be read on: its plans are tried, where it has any.
    pub(super) fn stopped(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        if !matches!(candidate.context, Context::Text) || !self.options.prefixes {
            return self.fail(candidate, stop, window, visitor);
        }
        match self.plan(candidate, stop, window) {
            Ok(planned) => {
                self.mode = Mode::Plans(planned);
                Flow::Go
            }
            Err(candidate) => self.fail(candidate, stop, window, visitor),
        }
    }

    pub(super) fn fail(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        match candidate.context {
            Context::Whole => {
                if stop.kind == FaultKind::Limit {
                    let fault = self.describe(candidate.start, stop, 0, window);
                    self.tell(fault, visitor);
                } else {
                    // It comes next as text, unless there is text before it: the scanner has read it already.
                    self.stopped_whole = Some((candidate.start, stop));
                }
                self.end_whole(candidate.start, window, visitor);
            }
            Context::Fence(fence) => {
                self.fail_in_fence(&fence, candidate.start, stop, window, visitor);
            }
            Context::Text => self.fail_at(candidate.start, stop, true, window, visitor),
        }
        Flow::Go
    }

    /// Decides what becomes of the brackets that are open where the candidate at `start` stopped, and where reading
    /// goes on. Says what is at fault if `tell`.
    pub(super) fn fail_at(
        &mut self,
        start: u64,
        stop: Stop,
        tell: bool,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) {
        let first = self.scanner.first_element();
        // What nothing tells to be a stray bracket is announced: at the end of input and at a limit nothing more comes.
        let announced = match stop.kind {
            FaultKind::Truncated => first.map(|first| Committed {
                depth: first.depth,
                start: None,
            }),
            FaultKind::Limit => Some(Committed {
                depth: 1,
                start: Some(start),
            }),
            _ => None,
        };
        let committed = self.scanner.committed().or(announced);
        let bracket = |depth, window: &Window| {
            chain(window.from(start), depth).map_or(start, |at| start + at as u64)
        };
        let Some(committed) = committed else {
            if stop.kind == FaultKind::Truncated && self.scanner.in_first_name() && tell {
                let opening = self.scanner.last_open();
                let fault = self.describe(opening, stop, 1, window);
                self.unnamed.get_or_insert(fault);
            }
            match first {
                Some(first) => {
                    let start = bracket(first.depth + 1, window);
                    self.mode = Mode::Candidate(self.open(start, Context::Text));
                }
                None => self.at = self.scanner.last_open() + 1,
            }
            return;
        };
        let depth = (self.scanner.depth() + 1).saturating_sub(committed.depth);
        let opening = committed
            .start
            .unwrap_or_else(|| bracket(committed.depth, window));
        let flat =
            window.from(opening).first() == Some(&b'[') && self.scanner.last_open() == opening;
        if flat && stop.kind == FaultKind::Broken {
            self.at = stop.at;
            return;
        }
        if tell && self.options.embedded {
            let mut fault = self.describe(opening, stop, depth, window);
            self.blame_prefixed(&mut fault, opening, window);
            self.tell_noise(opening, window, visitor);
            self.tell(fault, visitor);
        }
        if stop.kind == FaultKind::Truncated {
            self.at = window.end();
            return;
        }
        self.at = stop.at;
        let deep = self.indent(window, opening);
        let line = self.line(window, stop.at);
        let before = window.slice(line.start, stop.at);
        let blanks = (line.whole && line.start > opening && indent(before) == before.len() as u64)
            .then_some(before.len() as u64);
        self.mode = Mode::Remains(Remains::new(depth, deep, blanks));
    }

    pub(super) fn remains(&mut self, mut remains: Remains, window: &Window, last: bool) -> Flow {
        let (read, ended) = remains.read(window.from(self.at), last);
        self.steps += read as u64;
        self.at += read as u64;
        if ended {
            return Flow::Go;
        }
        self.mode = Mode::Remains(remains);
        Flow::Wait
    }

    /// The fault of what begins at `start` and stopped at `stop` with `depth` brackets open.
    pub(super) fn describe(
        &self,
        start: u64,
        stop: Stop,
        depth: usize,
        window: &mut Window,
    ) -> Fault {
        let position = window.position(start);
        // What stands behind the byte that could not be read may not be there yet.
        let seen =
            stop.at + u64::from(!matches!(window.from(stop.at).first(), Some(b'\n' | b'\r')));
        let until = seen.min(start + Fault::SAMPLE as u64);
        let sample = window.slice(start, until).to_vec();
        let innermost = if self.scanner.in_object() { b'{' } else { b'[' };
        Fault {
            kind: stop.kind,
            position,
            stop: window.position(stop.at),
            reason: stop.reason,
            open: if depth == 0 {
                Vec::new()
            } else {
                vec![innermost]
            },
            depth,
            fence: None,
            sample,
        }
    }

    pub(super) fn tell(&mut self, fault: Fault, visitor: &mut dyn Visitor) {
        self.fault = true;
        self.forget_weak();
        visitor.fault(fault);
    }
}
