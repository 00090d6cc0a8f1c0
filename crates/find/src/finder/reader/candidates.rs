//! Candidates: read as far as they are JSON, then counted, failed or retried.

use super::questions::may_go_on_as_side;
use super::shown::Shown;
use super::text::after_indent;
use super::{Candidate, Context, Found, ReadMode, ReadOn, Reader, Round, Stop, WITHHELD};
use crate::document::{Fault, FaultKind, Rank, is_masked};
use crate::finder::almost_json::{LONGEST_ELLIPSIS, ellipsis, may_begin_ellipsis};
use crate::finder::remains::Remains;
use crate::finder::window::Window;
use crate::span::Position;
use jsift_json::is_white;
use jsift_json::scan::{Step, chain};

/// How many blanks at the end of the input are not taken for part of a string that is cut there.
const BLANKS: usize = 16;
/// How many bytes these take at most, with colours between them.
const BLANKS_SOURCE: u64 = 256;

impl Stop {
    /// Returns the stop at the end of the input, where `depth` brackets are open.
    pub(super) fn at_end(depth: usize, window: &Window) -> Self {
        let reason = "the input ends inside it";
        Self {
            depth,
            ..Self::new(window.end(), FaultKind::Truncated, reason)
        }
    }

    /// Returns this stop, as truncated if only a few blanks follow the byte that could not be read: whoever prints a
    /// text adds them at its end, so the string or word before them was cut by the end of the input. `None` if that, or
    /// whether the byte begins a mask or an ellipsis, needs more text.
    fn judged(self, round: &Round<'_>) -> Option<Self> {
        let Round { window, last, .. } = *round;
        if self.kind != FaultKind::Broken {
            return Some(self);
        }
        let rest = self.at..window.end();
        let is_near = rest.end - rest.start <= WITHHELD
            && rest.end < window.after(self.at, BLANKS_SOURCE + 1);
        let blank = is_near && {
            let shown = Shown::bytes(window, rest, BLANKS + 1, last).text;
            shown.len() <= BLANKS && shown.iter().all(|byte| is_white(*byte))
        };
        let is_cut = self.end_of_stars(window) == window.end()
            || may_begin_ellipsis(window.slice(self.at, self.at + LONGEST_ELLIPSIS));
        match (blank, last) {
            (true, true) => Some(Self::at_end(self.depth, window)),
            (true, false) => None,
            (false, _) => (last || !is_cut).then_some(self),
        }
    }

    /// Whether an ellipsis stands in the place of the byte that could not be read.
    fn is_ellipsis(&self, window: &Window) -> bool {
        ellipsis(window.from(self.at)).is_some()
    }

    /// Returns where the asterisks end that begin at the byte which could not be read, of at most four: three are the
    /// mask over a secret.
    fn end_of_stars(&self, window: &Window) -> u64 {
        let near = window.slice(self.at, self.at + 4);
        self.at + near.iter().take_while(|byte| **byte == b'*').count() as u64
    }
}

/// Whether the fault of a candidate is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultReport {
    /// Not yet.
    Due,
    /// As the fault of the fence around it.
    Done,
}

impl Reader {
    /// Reads a candidate on, and counts it, fails it or waits.
    pub(super) fn candidate(&mut self, candidate: Candidate, round: &mut Round<'_>) -> ReadOn {
        let window = round.window;
        let rest = window.from(self.at);
        let found = match self.read(candidate.start, rest, round) {
            Ok(found) => found,
            Err(stop) => return self.pause(candidate, stop, round),
        };
        if let Some(held) = candidate.held {
            self.found_held(*held, &candidate.context, &found, round);
            return ReadOn::Go;
        }
        match candidate.context {
            Context::Text => return self.count(&found, round),
            Context::Whole => self.found_value(&found, round),
            Context::Fence(fence) => self.found_in_fence(fence, found),
            Context::Tail(tail) => self.found_in_tail(tail, &found, round),
        }
        ReadOn::Go
    }

    /// Reads on the candidate at `start`, whose unread text is `rest`. Returns where it stops if it is not complete;
    /// `None` if the window does not reach far enough.
    #[inline]
    pub(super) fn read(
        &mut self,
        start: u64,
        rest: &[u8],
        round: &Round<'_>,
    ) -> Result<Found, Option<Stop>> {
        let Round { window, last, .. } = *round;
        let (read, step) = self.scanner.scan(rest, self.at, last);
        self.at += read as u64;
        let stop = match step {
            // How much was read beyond the limit depends on where reads ended; it must not decide.
            _ if self.at - start > self.options.max_document => {
                let at = start + self.options.max_document;
                Stop::new(at, FaultKind::Limit, "larger than --max-document")
            }
            Step::More if !last => return Err(None),
            Step::More if !self.scanner.complete_at_end() => {
                Stop::at_end(self.scanner.depth(), window)
            }
            Step::Broken(reason) => self.broken(reason),
            Step::More | Step::Complete => {
                return Ok(Found {
                    start,
                    end: self.at,
                    shape: self.scanner.shape(),
                    rank: Rank::Embedded,
                });
            }
        };
        Err(Some(stop))
    }

    /// Returns the stop of the candidate at the place of reading, where a byte cannot be read.
    fn broken(&self, reason: &'static str) -> Stop {
        Stop {
            depth: self.scanner.depth(),
            ..Stop::new(self.at, FaultKind::Broken, reason)
        }
    }

    /// Handles an incomplete candidate. If it cannot be read on and may have a prefix, asks about the prefix.
    #[inline(never)]
    pub(super) fn pause(
        &mut self,
        candidate: Candidate,
        stop: Option<Stop>,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let Round { window, last, .. } = *round;
        let Some(stop) = stop.and_then(|stop| stop.judged(round)) else {
            self.mode = ReadMode::Candidate(candidate);
            return ReadOn::Wait;
        };
        if let Some(held) = candidate.held {
            self.fail_held(*held, candidate.start, stop, round);
            return ReadOn::Go;
        }
        let may_ask = matches!(candidate.context, Context::Text) && stop.kind != FaultKind::Limit;
        if !may_ask || !self.options.prefixes {
            return self.fail(candidate, stop, round);
        }
        let may_be_side = !last && may_go_on_as_side(stop.at, window);
        if may_be_side && !self.begins_at_feed(candidate.start, window) {
            self.at = stop.at;
            self.mode = ReadMode::Candidate(candidate);
            return ReadOn::Wait;
        }
        let question = self.question(candidate.start, stop.at, window);
        match question {
            None => self.fail_or_part(candidate, stop, round),
            question => self.ask(question, ReadMode::Failed(Box::new((candidate, stop)))),
        }
    }

    pub(super) fn fail(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let window = round.window;
        match candidate.context {
            Context::Whole => {
                let start = candidate.start;
                let bracket = matches!(window.from(start).first(), Some(b'{' | b'['));
                if stop.kind == FaultKind::Limit && !(bracket && self.options.embedded) {
                    let fault = self.describe(start, stop, window);
                    self.report_fault(fault, round);
                }
                self.end_whole(start, round);
            }
            Context::Fence(fence) => {
                self.fail_in_fence(&fence, candidate.start, stop, round);
            }
            Context::Tail(tail) => {
                self.at = candidate.start;
                return match stop.kind {
                    FaultKind::Broken => self.leave_nested(tail, stop, round),
                    FaultKind::Truncated => self.end_tail(&tail, tail.ended(), round),
                    _ => self.end_tail(&tail, None, round),
                };
            }
            Context::Text => self.fail_at(candidate.start, stop, FaultReport::Due, round),
        }
        ReadOn::Go
    }

    /// Decides whether the candidate at `start`, which cannot be read on, is at fault or a stray bracket, and where
    /// reading goes on.
    pub(super) fn fail_at(
        &mut self,
        start: u64,
        stop: Stop,
        report: FaultReport,
        round: &mut Round<'_>,
    ) {
        let window = round.window;
        let reports = report == FaultReport::Due && self.options.embedded;
        if stop.kind == FaultKind::Limit {
            if reports {
                self.report_fault_at(start, stop, round);
            }
            self.mode = ReadMode::Beyond(self.indent(window, start));
            return;
        }
        let first = self.scanner.first_element();
        // Where the text ends, or an ellipsis stands for the rest of it, nothing can show that a bracket is stray, so
        // it counts as announced.
        let is_end = stop.kind == FaultKind::Truncated || stop.is_ellipsis(window);
        let announced = is_end && first.is_some();
        if !announced && !self.scanner.is_committed() {
            return self.fail_stray(start, stop, first, report, round);
        }
        // An array of scalars in noise is as often not meant as a document, unless documents follow them in it.
        let flat = window.from(start).first() == Some(&b'[')
            && self.scanner.last_open() == start
            && stop.kind == FaultKind::Broken;
        if flat {
            return self.go_on_after_stray(start, stop, stop.at, round);
        }
        if reports {
            self.report_fault_at(start, stop, round);
        }
        self.skip_remains(start, stop, window);
    }

    /// Reports what starts at `start`, which is no stray bracket and stopped at `stop`, and goes on in its remains.
    pub(super) fn fail_committed(&mut self, start: u64, stop: Stop, round: &mut Round<'_>) {
        self.report_fault_at(start, stop, round);
        self.skip_remains(start, stop, round.window);
    }

    /// Goes on in the remains of what starts at `start`, which is no stray bracket and stopped at `stop`.
    pub(super) fn skip_remains(&mut self, start: u64, stop: Stop, window: &Window) {
        let indent = self.indent(window, start);
        self.go_on_in_remains(indent, stop, window);
    }

    /// Reports the fault of text that starts at `start` and stopped at `stop`.
    pub(super) fn report_fault_at(&mut self, start: u64, stop: Stop, round: &mut Round<'_>) {
        let fault = self.describe(start, stop, round.window);
        self.report_decided_noise(start, round);
        self.report_fault(fault, round);
    }

    /// Goes on after a stray bracket: in its first element, if that is complete, else after the last bracket that was
    /// opened.
    fn fail_stray(
        &mut self,
        start: u64,
        stop: Stop,
        first: Option<usize>,
        report: FaultReport,
        round: &mut Round<'_>,
    ) {
        let window = round.window;
        let reports = report == FaultReport::Due;
        if stop.kind == FaultKind::Truncated && self.scanner.in_first_name() && reports {
            let opening = self.scanner.last_open();
            let fault = self.describe(opening, Stop { depth: 1, ..stop }, window);
            self.fallback.fault.get_or_insert(fault);
        }
        // Where the search goes on: the first element is read again.
        let otherwise = match first {
            Some(depth) => start + chain(window.from(start), depth + 1) as u64,
            None => self.scanner.last_open() + 1,
        };
        self.go_on_after_stray(start, stop, otherwise, round);
    }

    /// Goes on in the remains of a committed bracket: `indent` is the indent of its line.
    pub(super) fn go_on_in_remains(&mut self, indent: u64, stop: Stop, window: &Window) {
        self.at = stop.at;
        let line = self.line(window, stop.at);
        let before = window.slice(line.start, stop.at);
        let next = window.from(stop.at).first();
        let (deep, text) = after_indent(before);
        let blanks = match line.whole {
            // The line is not one of the document, although a number that begins it could be read.
            true if deep <= indent && begins_stamp(text, next) => {
                self.at = line.start;
                Some(0)
            }
            true if text.is_empty() => Some(deep),
            _ => None,
        };
        self.mode = ReadMode::Remains(Remains::new(stop.depth, indent, blanks));
    }

    /// Reads on a candidate that is larger than the limit: its rest holds no documents, however it ends.
    pub(super) fn beyond(&mut self, indent: u64, round: &Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let (read, step) = self.scanner.scan(window.from(self.at), self.at, last);
        self.at += read as u64;
        match step {
            Step::More if !last => {
                self.mode = ReadMode::Beyond(indent);
                return ReadOn::Wait;
            }
            Step::More | Step::Complete => {}
            Step::Broken(reason) => {
                self.go_on_in_remains(indent, self.broken(reason), window);
            }
        }
        ReadOn::Go
    }

    pub(super) fn remains(&mut self, mut remains: Remains, round: &Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let (read, ended) = remains.read(window.from(self.at), last);
        self.at += read as u64;
        if ended {
            self.suspicion.broken_until = Some(self.at);
            return ReadOn::Go;
        }
        self.mode = ReadMode::Remains(remains);
        ReadOn::Wait
    }

    /// Returns the fault of text that starts at `start` and stopped at `stop`.
    pub(super) fn describe(&self, start: u64, stop: Stop, window: &Window) -> Fault {
        let position = window.position(start);
        let until = stop.seen(window).min(start + Fault::SAMPLE as u64);
        let sample = window.text(start, until).into_owned();
        self.fault_of(position, sample, stop, window)
    }

    pub(super) fn fault_of(
        &self,
        position: Position,
        sample: Vec<u8>,
        stop: Stop,
        window: &Window,
    ) -> Fault {
        // How much of the text is still in the window depends on where reads ended, but for these lines.
        let lines = window.lines_before(stop.at).len().min(Fault::SAMPLE) as u64;
        let near = window.slice(stop.at - lines, stop.end_of_stars(window));
        Fault {
            kind: stop.kind,
            position,
            stop: window.position(stop.at),
            reason: stop.reason,
            depth: stop.depth,
            in_object: stop.depth > 0 && self.scanner.in_object(),
            fence: None,
            prefix: None,
            masked: is_masked(near) || is_masked(&sample),
            sample,
            line: None,
        }
    }

    pub(super) fn report_fault(&mut self, fault: Fault, round: &mut Round<'_>) {
        self.hand_lines_on(round);
        self.fault = true;
        self.fallback.drop_weak();
        self.alongside = Vec::new();
        round.visitor.fault(fault);
    }
}

/// Whether a line begins with a time stamp of which only the first number could be read (`12:00:01 INFO`,
/// `[2026-01-02`): `before` is what could be read of it, `next` the byte after that.
fn begins_stamp(before: &[u8], next: Option<&u8>) -> bool {
    let number = before.strip_prefix(b"[").unwrap_or(before);
    number.len() >= 2
        && number.iter().all(u8::is_ascii_digit)
        && next.is_some_and(|byte| b":-/T".contains(byte))
}
