//! A plan: one way to go on with a left text on the lines behind it, and the lines that it has read.

use memchr::memchr;

use super::left::{Change, Ends, Left};
use super::{WAIT_BYTES, bracket};
use crate::input::BOM;
use crate::json::scan::{Scanner, Shape, Step};

#[derive(Debug)]
pub(super) struct Plan {
    /// Which of the cuts it makes.
    pub(super) cut: usize,
    pub(super) change: Change,
    /// Present once a line has been read.
    pub(super) lines: Option<Box<Lines>>,
    /// How much had been given when it read its last line, that one included.
    pub(super) read: Given,
    /// It has read what cannot stand there, or its time has passed.
    pub(super) dropped: bool,
    /// Where it met what cannot stand there.
    broken: Option<Met>,
    /// At which line it completed. It may have to wait for another plan even so.
    pub(super) complete: Option<u32>,
}

/// What cannot stand where a plan met it.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// Where its line begins.
    line: u64,
    /// The text of the line, as offsets: up to that.
    last: (u64, u64),
    /// What the grammar expected instead.
    expected: &'static str,
}

/// The lines that a plan has read.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) scanner: Scanner,
    /// Their text behind the prefix, as offsets. That of a plan that has completed ends where the document does.
    pub(crate) rests: Vec<(u64, u64)>,
    /// Where they begin.
    pub(crate) starts: Vec<u64>,
}

impl Lines {
    /// None yet, behind what `opened` has read.
    fn behind(opened: &Scanner) -> Box<Self> {
        Box::new(Self {
            scanner: opened.clone(),
            rests: Vec::new(),
            starts: Vec::new(),
        })
    }

    /// The pieces of the document that they hold, with the one at its beginning and one behind them.
    pub(crate) fn pieces(
        &self,
        first: (u64, u64),
        last: (u64, u64),
    ) -> impl Iterator<Item = (u64, u64)> {
        [first]
            .into_iter()
            .chain(self.rests.iter().copied())
            .chain([last])
    }
}

/// The line that a candidate begins on, from its opening bracket on, line feed included, but for the side of a box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub(crate) text: &'a [u8],
    /// The side of a box that stands behind it, if one does.
    pub(crate) side: &'a [u8],
    /// Where the bracket stands.
    pub(crate) start: u64,
}

impl Opening<'_> {
    /// The scanner at the end of the line, if it has read all of it and expects more.
    pub(super) fn read(self, lossy: bool) -> Option<Scanner> {
        let mut scanner = Scanner::new(lossy);
        let (read, mut step) = scanner.scan(self.text, self.start, true);
        if !self.side.is_empty() && step == Step::More {
            (_, step) = scanner.scan(b"\n", self.start + read as u64, true);
        }
        (read == self.text.len() && step == Step::More).then_some(scanner)
    }
}

/// Lines that were given to plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Given {
    pub(crate) lines: u32,
    pub(crate) bytes: u64,
}

impl Given {
    pub(super) const ALL: Self = Self {
        lines: u32::MAX,
        bytes: u64::MAX,
    };

    /// Both, one behind the other.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines.saturating_add(other.lines),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// The beginning of both.
    pub(super) fn first(self, other: Self) -> Self {
        Self {
            lines: self.lines.min(other.lines),
            bytes: self.bytes.min(other.bytes),
        }
    }

    /// Whether more lines were given since `before` than a plan waits.
    pub(super) const fn overdue(self, before: Self, patience: u32) -> bool {
        self.lines.saturating_sub(before.lines) > patience
            || self.bytes.saturating_sub(before.bytes) > WAIT_BYTES
    }
}

/// The plan that completed, or the one that got furthest.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) lines: Box<Lines>,
    /// How much of the left text was taken off.
    pub(crate) cut: usize,
}

/// What a plan has read of a document before something that cannot stand in it.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) lines: Box<Lines>,
    /// How the plan goes on with the left text.
    pub(super) cut: usize,
    pub(super) change: Change,
    /// Where the line begins where that stands.
    pub(crate) line: u64,
    /// The text of that line, as offsets: up to that.
    pub(crate) last: (u64, u64),
    /// What the grammar expected instead.
    pub(crate) expected: &'static str,
}

impl Begun {
    /// Where the first line behind the opening line begins that the plan has read.
    pub(crate) fn first_line(&self) -> u64 {
        self.lines.starts.first().copied().unwrap_or(self.line)
    }
}

/// A line that is given to plans.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its text, line feed included.
    pub(super) text: &'a [u8],
    /// What stands behind it, as far as that is there.
    pub(super) behind: &'a [u8],
    pub(super) start: u64,
    /// Whether the input ends with it.
    pub(super) last: bool,
    /// The side of a box that stood at its end has been taken off, the line feed, too.
    pub(super) boxed: bool,
    pub(super) opening: Opening<'a>,
}

/// What one plan after the other needs to read a line.
pub(super) struct Reading<'a> {
    pub(super) left: &'a Left,
    pub(super) line: Line<'a>,
    /// Where the line goes on for each cut, by what may have changed.
    pub(super) nothing: Ends,
    pub(super) stamps: Ends,
    pub(super) all: Ends,
    /// The longest cut with which something was read, and how many lines before: with a shorter one the rest of the
    /// prefix would be read with it.
    pub(super) longest: Option<(usize, usize)>,
    pub(super) opened: &'a mut Option<Scanner>,
    pub(super) lossy: bool,
    pub(super) bracket: Option<u8>,
    pub(super) given: Given,
}

impl Reading<'_> {
    /// Lets a plan read the line if that matches it.
    pub(super) fn give(&mut self, plan: &mut Plan) {
        let ends = match plan.change {
            Change::Nothing => &self.nothing,
            Change::Stamps => &self.stamps,
            Change::Digits => &self.all,
        };
        match ends.at(plan.cut) {
            Some(_) if self.longest.is_some_and(|longest| plan.is_behind(longest)) => {
                plan.dropped = true;
            }
            Some(at) if plan.goes_on(self.line, at, self.bracket, self.left) => {
                let count = plan.count();
                if self.opened.is_none() {
                    *self.opened = self.line.opening.read(self.lossy);
                }
                let read = plan.read(self.line, at, self.opened.as_ref(), self.given);
                if read && self.longest.is_none() {
                    self.longest = Some((plan.cut, count));
                }
            }
            Some(_) => plan.dropped = true,
            None => {}
        }
    }
}

impl Left {
    /// Makes a plan for each way to go on with it. A time stamp always may change.
    #[inline(always)]
    pub(super) fn each_plan(&self, mut make: impl FnMut(Plan)) {
        for (cut, &length) in self.cuts.iter().enumerate() {
            let holds = |first: Option<usize>| first.is_some_and(|first| first <= length);
            let stamped = holds(self.stamp);
            for (change, differs) in [
                (Change::Nothing, !stamped),
                (Change::Stamps, stamped),
                (Change::Digits, holds(self.digit)),
            ] {
                if differs {
                    make(Plan::new(cut, change));
                }
            }
        }
    }
}

fn has_begun(scanner: &Scanner) -> bool {
    scanner.committed().is_some() || scanner.in_first_name()
}

impl Plan {
    const fn new(cut: usize, change: Change) -> Self {
        Self {
            cut,
            change,
            lines: None,
            read: Given { lines: 0, bytes: 0 },
            dropped: false,
            broken: None,
            complete: None,
        }
    }

    /// How many lines it has read.
    pub(super) fn count(&self) -> usize {
        self.lines.as_ref().map_or(0, |lines| lines.rests.len())
    }

    /// Whether what it has read is more than two brackets.
    pub(super) fn is_filled(&self) -> bool {
        let lines = self.lines.as_ref();
        lines.is_some_and(|lines| lines.scanner.shape().is(Shape::FILLED))
    }

    /// Whether a plan with a longer cut has read as many lines, and the next one.
    fn is_behind(&self, (cut, count): (usize, usize)) -> bool {
        self.cut > cut && self.count() <= count
    }

    /// Whether it can read its next line from `at` on, as far as that is told by `bracket`, which is all of its opening
    /// line: a scanner takes more to be told.
    fn goes_on(&self, line: Line<'_>, at: usize, bracket: Option<u8>, left: &Left) -> bool {
        let rest = line.text.get(at..).unwrap_or_default();
        let Some(bracket) = bracket.filter(|_| self.lines.is_none()) else {
            return true;
        };
        // A name that its line breaks may be where the input ends.
        let goes_on = || bracket::closes_string(rest) || !self.is_followed(line.behind, left);
        // A byte order mark may stand at the beginning of a line.
        rest.first() == BOM.first() || bracket::goes_on(bracket, rest) && goes_on()
    }

    /// Whether the next line is there, and more than blanks stands on it behind the prefix.
    fn is_followed(&self, behind: &[u8], left: &Left) -> bool {
        let Some(next) = memchr(b'\n', behind).and_then(|end| behind.get(..end)) else {
            return false;
        };
        let own = || left.matched(next, self.change).at(self.cut);
        let at = left.may_begin(next).then(own).flatten();
        let rest = next.get(at.unwrap_or_default()..);
        !rest.unwrap_or_default().trim_ascii().is_empty()
    }

    /// Reads its next line from `at` on, and says whether it can and that is more than blanks.
    /// Before the first one the scanner has `opened` it.
    fn read(&mut self, line: Line<'_>, at: usize, opened: Option<&Scanner>, given: Given) -> bool {
        let Line { start, last, .. } = line;
        let rest = line.text.get(at..).unwrap_or_default();
        let begin = start + at as u64;
        if self.lines.is_none() {
            self.lines = opened.map(Lines::behind);
        }
        let Some(lines) = &mut self.lines else {
            return false;
        };
        let (read, mut step) = lines.scanner.scan(rest, begin, last || line.boxed);
        if line.boxed && step == Step::More {
            (_, step) = lines.scanner.scan(b"\n", begin + read as u64, last);
        }
        self.read = given;
        if let Step::Broken(expected) = step {
            self.broken = Some(Met {
                line: start,
                last: (begin, begin + read as u64),
                expected,
            });
        }
        // A sequence that is cut by the line's end cannot go on behind the next prefix.
        if self.broken.is_some() || (step == Step::More && read < rest.len()) {
            self.dropped = true;
            return false;
        }
        lines.rests.push((begin, begin + read as u64));
        lines.starts.push(start);
        if step == Step::Complete {
            self.complete = Some(given.lines);
        }
        !rest.trim_ascii().is_empty()
    }

    /// Whether it has waited too long for its next line.
    pub(super) fn is_overdue(&self, given: Given, patience: u32) -> bool {
        self.complete.is_none() && given.overdue(self.read, patience)
    }

    /// The document that it has begun and cannot read on, if it is certain that there is one: where digits may change, the
    /// lines may be those of several sources. In its first name it is, should the input end there.
    pub(super) fn begun(&mut self) -> Option<Begun> {
        let Met {
            line,
            last,
            expected,
        } = self.broken?;
        let certain = self.change != Change::Digits;
        let lines = self
            .lines
            .take_if(|lines| certain && has_begun(&lines.scanner))?;
        Some(Begun {
            lines,
            cut: self.cut,
            change: self.change,
            line,
            last,
            expected,
        })
    }

    pub(super) fn completed(self) -> Option<Completed> {
        Some(Completed {
            lines: self.lines?,
            cut: self.cut,
        })
    }
}
