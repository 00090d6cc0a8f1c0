//! The trial of a prefix: whether digits that change are a counter, or name another source.

use super::WAIT_FEW_LINES;
use crate::prefix::{Alternative, Left};
use jsift_json::scan::{Scanner, Shape, Step};

/// The trial of a prefix whose digits may be a counter or may name another source: the candidate is read with and
/// without the lines on which the digits have changed, until it is complete.
#[derive(Debug)]
pub(super) struct Trial {
    /// The two ways of reading, the one without such lines first.
    ways: [Way; 2],
    /// The offset of the line after the one with which the trial began.
    pub(super) from: u64,
    /// How many lines came after that one.
    lines: u32,
}

/// One way of reading on trial.
#[derive(Debug)]
struct Way {
    alternative: Alternative,
    scanner: Scanner,
    state: State,
    /// How many lines were read.
    lines: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Broken,
    Open,
    /// Complete: whether the document is more than two brackets, and the offset after its last line.
    Complete(bool, u64),
}

impl Way {
    /// Whether a document was completed that is more than two brackets.
    const fn has_document(&self) -> bool {
        matches!(self.state, State::Complete(true, _))
    }

    /// Reads the rest of a line that ends before `end`.
    fn read(&mut self, rest: &[u8], end: u64) {
        if self.state == State::Open {
            self.lines += 1;
            self.state = match scan_line(&mut self.scanner, rest, end) {
                Step::Complete => State::Complete(self.scanner.shape().is(Shape::FILLED), end),
                Step::Broken(_) => State::Broken,
                Step::More => State::Open,
            };
        }
    }
}

impl Trial {
    /// Returns the trial of `one` of the `alternatives` that no line has ruled out, which begins with the rest of a
    /// line and the offset after it. `scanner` has read the candidate's opening line. `None` if its cut has no other
    /// alternative.
    pub(super) fn new(
        alternatives: &[Alternative],
        scanner: &Scanner,
        one: Alternative,
        (rest, next): (&[u8], u64),
    ) -> Option<Self> {
        let all = alternatives.iter().copied();
        let mut same_cut = all.filter(|other| other.cut == one.cut);
        let mut ways = [same_cut.next()?, same_cut.next()?].map(|alternative| Way {
            alternative,
            scanner: scanner.clone(),
            state: State::Open,
            lines: 0,
        });
        // Alternatives are ordered from strict to loose: what a strict one reads, a looser one reads, too.
        for way in ways.iter_mut().filter(|way| way.alternative >= one) {
            way.read(rest, next);
        }
        Some(Self {
            ways,
            from: next,
            lines: 0,
        })
    }

    /// Reads a line that ends before `end` in both ways.
    pub(super) fn read(&mut self, left: &Left, line: &[u8], end: u64) {
        self.lines += 1;
        if !left.may_begin(line) {
            return;
        }
        for way in &mut self.ways {
            let Some(at) = left.match_end(line, way.alternative) else {
                continue;
            };
            way.read(line.get(at..).unwrap_or_default(), end);
        }
    }

    /// Returns the alternative of the way that will turn out to be [the better one](Self::better); `None` if that is
    /// not known yet.
    pub(super) fn verdict(&self) -> Option<Alternative> {
        let [strict, loose] = &self.ways;
        let open = !strict.has_document()
            && match loose.state {
                // A line without changed digits may still come.
                State::Broken => strict.lines == 0 && self.lines < WAIT_FEW_LINES,
                State::Open => true,
                State::Complete(..) => strict.state == State::Open,
            };
        (!open).then(|| self.better())
    }

    /// Returns the alternative of the better way, if no more lines are read.
    ///
    /// That is the way that completes a document without the lines with other digits. Two brackets may also be the
    /// first and the last line of a document whose lines are numbered, so that they have to be read as far as the other
    /// way.
    pub(super) fn better(&self) -> Alternative {
        let [strict, loose] = &self.ways;
        // A way that has read no line is no better than a broken one.
        let is_loose = strict.lines == 0 || loose.state > strict.state;
        match is_loose && !strict.has_document() {
            true => loose.alternative,
            false => strict.alternative,
        }
    }
}

/// Lets a scanner read a line that ends at `end`, and a line feed if the line lacks one.
pub(super) fn scan_line(scanner: &mut Scanner, line: &[u8], end: u64) -> Step {
    let (read, step) = scanner.scan(line, end - line.len() as u64, true);
    match step {
        // Nobody is shown this reason.
        Step::More if read < line.len() => Step::Broken("a whole line"),
        Step::More if line.last() != Some(&b'\n') => scanner.scan(b"\n", end, true).1,
        step => step,
    }
}
