//! Log prefixes: a document whose every line carries what its log put before it.
//!
//! No format is known here. The prefix is learned from the text that stands before the opening bracket, the *left text*:
//! the lines that follow may begin with it, whole or cut shorter, literally, or with only its time stamps, then only its
//! digits, changed. Each such reading is a *plan*. All plans of a candidate advance together, line by line; lines that a
//! plan does not match belong to other sources and wait. The first plan that completes wins.

mod left;

use memchr::memchr;

use super::bracket;
use crate::input::BOM;
use crate::input::terminal::ESCAPE;
use crate::json::scan::{Scanner, Step};
use crate::lanes;
pub(crate) use left::{CUTS, is_blank};
use left::{Change, Ends, Left, NOWHERE};

/// The longest left text that is planned, in bytes.
pub(crate) const LEFT_LIMIT: usize = 256;
/// How many lines a plan waits for its next line.
pub(crate) const WAIT_LINES: u32 = 200;
/// How many it waits where waiting has been in vain too often.
pub(crate) const WAIT_FEW_LINES: u32 = 4;
/// How many bytes a plan waits for its next line.
pub(crate) const WAIT_BYTES: u64 = 1 << 20;

#[derive(Debug)]
struct Plan {
    /// Which of the cuts it makes.
    cut: usize,
    change: Change,
    /// Its prefix holds a time stamp.
    stamped: bool,
    /// Present once a line has been read.
    lines: Option<Box<Lines>>,
    /// How much had been given when it read its last line, that one included.
    read: Given,
    /// It has read what cannot stand there, or its time has passed.
    dropped: bool,
    /// At which line it completed. It may have to wait for another plan even so.
    complete: Option<u32>,
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
}

/// The line that a candidate begins on, from its opening bracket on, line feed included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub(crate) text: &'a [u8],
    /// Where the bracket stands.
    pub(crate) start: u64,
}

impl Opening<'_> {
    /// The scanner at the end of the line, if it has read all of it and expects more.
    fn read(self, lossy: bool) -> Option<Scanner> {
        let mut scanner = Scanner::new(lossy);
        let (read, step) = scanner.scan(self.text, self.start, true);
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
    const ALL: Self = Self {
        lines: u32::MAX,
        bytes: u64::MAX,
    };

    /// Both, one behind the other.
    const fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines.saturating_add(other.lines),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// The beginning of both.
    fn first(self, other: Self) -> Self {
        Self {
            lines: self.lines.min(other.lines),
            bytes: self.bytes.min(other.bytes),
        }
    }

    /// Whether more lines were given since `before` than a plan waits.
    const fn overdue(self, before: Self, patience: u32) -> bool {
        self.lines.saturating_sub(before.lines) > patience
            || self.bytes.saturating_sub(before.bytes) > WAIT_BYTES
    }
}

/// What the plans say after a line.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Some plan is still alive.
    Waiting,
    /// A plan has completed.
    Complete(Completed),
    /// No plan is left.
    Dropped,
}

/// The plan that completed, or the one that got furthest.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) lines: Box<Lines>,
    /// How much of the left text was taken off.
    pub(crate) cut: usize,
}

/// The plans of one candidate at a time.
#[derive(Debug)]
pub(crate) struct Plans {
    left: Left,
    /// How many lines a plan waits for its next line.
    patience: u32,
    /// The scanner at the end of the opening line, once a plan has read a line.
    opened: Option<Scanner>,
    lossy: bool,
    /// The opening bracket that stands at the end of the opening line, if one does.
    bracket: Option<u8>,
    plans: Vec<Plan>,
    given: Given,
    /// No plan has waited for longer than since then.
    waiting: Given,
}

impl Plans {
    /// No plans.
    pub(crate) fn new(lossy: bool) -> Self {
        Self {
            left: Left::default(),
            patience: 0,
            opened: None,
            lossy,
            bracket: None,
            plans: Vec::new(),
            given: Given::default(),
            waiting: Given::default(),
        }
    }

    /// Begins anew, with plans for a candidate that has `left` before it and has read its `opening` line. Says whether
    /// there are any. They are made when a line comes that may be one of theirs.
    pub(crate) fn learn(&mut self, left: &[u8], opening: Opening<'_>, patience: u32) -> bool {
        if left.len() > LEFT_LIMIT {
            return false;
        }
        self.left.learn(left);
        if self.left.text.is_empty() {
            return false;
        }
        self.opened = None;
        self.bracket = None;
        // Nothing but a terminal sequence may go on behind a line.
        if memchr(ESCAPE, opening.text).is_some() {
            self.opened = opening.read(self.lossy);
            if self.opened.is_none() {
                return false;
            }
        } else {
            let end = opening.text.trim_ascii_end().last().copied();
            self.bracket = end.filter(|end| matches!(end, b'{' | b'['));
        }
        self.patience = patience;
        self.given = Given::default();
        self.waiting = Given::default();
        self.plans.clear();
        true
    }

    /// Makes the plans.
    fn make(&mut self) {
        let Left {
            cuts, stamp, digit, ..
        } = &self.left;
        for (cut, &length) in cuts.iter().enumerate() {
            let holds = |first: &Option<usize>| first.is_some_and(|first| first <= length);
            let stamped = holds(stamp);
            for (change, differs) in [
                (Change::Nothing, true),
                (Change::Stamps, stamped),
                (Change::Digits, holds(digit)),
            ] {
                if differs {
                    self.plans.push(Plan::new(cut, change, stamped));
                }
            }
        }
    }

    /// Gives the plans those of the next lines that none of them reads, and says how many bytes and lines these are: up to
    /// the beginning of a line that one may read, or a few lines before the end of `text` or of the plans' patience.
    pub(crate) fn pass(&mut self, text: &[u8]) -> Given {
        let mut passed = Given::default();
        let Some(first) = self.left.first() else {
            return passed;
        };
        let (blocks, _) = text.as_chunks();
        let mut lines = 0;
        let mut begins = 1;
        for (index, block) in blocks.iter().enumerate() {
            let feeds = lanes::wide_equal(block, b'\n');
            let beginnings = feeds << 1 | begins;
            begins = feeds >> 63;
            // A byte order mark may stand before a prefix.
            let stops = beginnings & (first.among(block) | lanes::wide_equal(block, BOM[0]));
            let up_to_stop = stops ^ stops.wrapping_sub(1);
            let here = beginnings & up_to_stop;
            lines += here.count_ones();
            let Some(last) = here.checked_ilog2() else {
                continue;
            };
            let now = Given {
                // The first beginning has no line before it.
                lines: lines - 1,
                bytes: (index * lanes::WIDE) as u64 + u64::from(last),
            };
            if self.given.and(now).overdue(self.waiting, self.patience) {
                break;
            }
            passed = now;
            if stops != 0 {
                break;
            }
        }
        self.given = self.given.and(passed);
        passed
    }

    /// Gives the plans the next line, line feed included, which begins at `start`, behind that of the `opening`.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        start: u64,
        last: bool,
        opening: Opening<'_>,
    ) -> Verdict {
        self.given = self.given.and(Given {
            lines: 1,
            bytes: line.len() as u64,
        });
        // Most lines are those of other sources.
        if !self.left.may_begin(line) && !self.given.overdue(self.waiting, self.patience) {
            return Verdict::Waiting;
        }
        if self.plans.is_empty() {
            self.make();
        }
        self.read(line, start, last, opening);
        let Self {
            plans,
            given,
            patience,
            ..
        } = self;
        plans.retain(|plan| !plan.dropped && !plan.is_overdue(*given, *patience));
        let reads = plans.iter().filter(|plan| plan.complete.is_none());
        self.waiting = reads.fold(Given::ALL, |first, plan| first.first(plan.read));
        self.verdict(false)
    }

    /// Lets the plans read a line that match it.
    fn read(&mut self, line: &[u8], start: u64, last: bool, opening: Opening<'_>) {
        let Self {
            left,
            opened,
            lossy,
            bracket,
            plans,
            given,
            ..
        } = self;
        // What lets the most change matches whatever another plan does.
        let loosest = left.loosest();
        let all = left.matched(line, loosest);
        if all == NOWHERE {
            return;
        }
        let ends = |change| {
            if change == loosest {
                all
            } else {
                left.matched(line, change)
            }
        };
        let nothing = ends(Change::Nothing);
        let stamps = match left.stamp {
            Some(_) => ends(Change::Stamps),
            None => NOWHERE,
        };
        // The longest cut with which something was read, and how many lines before: with a shorter one the rest of the
        // prefix would be read with it.
        let mut longest = None;
        for plan in plans.iter_mut().filter(|plan| plan.complete.is_none()) {
            let ends = match plan.change {
                Change::Nothing => &nothing,
                Change::Stamps => &stamps,
                Change::Digits => &all,
            };
            let at = |ends: &Ends| ends.get(plan.cut).copied().flatten();
            match at(ends) {
                Some(_) if longest.is_some_and(|longest| plan.is_behind(longest)) => {
                    plan.dropped = true;
                }
                Some(at) if plan.goes_on(line, at, *bracket) => {
                    let count = plan.count();
                    if opened.is_none() {
                        *opened = opening.read(*lossy);
                    }
                    let read = plan.read(line, at, start, opened.as_ref(), *given, last);
                    if read && longest.is_none() {
                        longest = Some((plan.cut, count));
                    }
                }
                Some(_) => plan.dropped = true,
                // Its time has passed.
                None => {
                    plan.dropped =
                        plan.stamped && plan.change == Change::Nothing && at(&stamps).is_some();
                }
            }
        }
    }

    /// How many lines were given.
    pub(crate) const fn lines(&self) -> u32 {
        self.given.lines
    }

    /// No plan is needed any more.
    pub(crate) fn drop_all(&mut self) {
        self.plans.clear();
    }

    /// What the plans say at the end of input: the winner if one has completed.
    pub(crate) fn end(&mut self) -> Verdict {
        self.verdict(true)
    }

    /// The plan that has read the most lines, if any has read one.
    pub(crate) fn furthest(&mut self) -> Option<Completed> {
        self.plans
            .drain(..)
            .rev()
            .filter(|plan| plan.count() > 0)
            .max_by_key(Plan::count)
            .and_then(Plan::completed)
    }

    fn verdict(&mut self, ended: bool) -> Verdict {
        let Some(winner) = self.winner().filter(|&winner| ended || !self.waits(winner)) else {
            return if self.plans.is_empty() {
                Verdict::Dropped
            } else {
                Verdict::Waiting
            };
        };
        let winner = self.plans.swap_remove(winner);
        self.plans.clear();
        match winner.completed() {
            Some(completed) => Verdict::Complete(completed),
            None => Verdict::Dropped,
        }
    }

    /// The best of the plans that have completed: of those with the longest prefix the one that completed last, or with
    /// the most lines.
    ///
    /// Where `<13>` and `<14>` begin lines of one document, the plan that lets no digit change closes it too early, with
    /// lines left out. Where `[0] ` and `[1] ` are two sources, the plan that lets them change may close what `[0] {` has
    /// opened with lines of `[1] `, and the document of `[0] ` completes later. What has left out all that stands
    /// between two brackets is no document beside another.
    fn winner(&self) -> Option<usize> {
        let complete = |plan: &&Plan| plan.complete.is_some();
        let cut = self.plans.iter().find(complete)?.cut;
        let rank = |plan: &Plan| {
            let line = plan.complete.filter(|_| plan.cut == cut)?;
            Some((plan.is_filled(), line, plan.count()))
        };
        let mut best = None;
        for (index, plan) in self.plans.iter().enumerate() {
            if let Some(rank) = rank(plan)
                && best.is_none_or(|(_, highest)| rank > highest)
            {
                best = Some((index, rank));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Whether a plan that has completed has to wait for one with the same prefix that may still do better.
    fn waits(&self, winner: usize) -> bool {
        let Some(best) = self.plans.get(winner) else {
            return false;
        };
        self.plans.iter().any(|plan| {
            let stricter = plan.change < best.change && best.change == Change::Digits;
            let fuller = plan.change > best.change && plan.count() > best.count();
            plan.complete.is_none() && plan.cut == best.cut && (stricter || fuller)
        })
    }

    /// The left text up to a cut.
    pub(crate) fn prefix(&self, cut: usize) -> Vec<u8> {
        let length = self.left.cuts.get(cut).copied().unwrap_or_default();
        self.left.text.get(..length).unwrap_or_default().to_vec()
    }
}

/// Whether a line may go on with the prefix that is learned from `left`.
pub(crate) fn continues(left: &[u8], line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let ends = Left::new(left).matched(line, Change::Digits);
    ends.iter().any(Option::is_some)
}

impl Plan {
    const fn new(cut: usize, change: Change, stamped: bool) -> Self {
        Self {
            cut,
            change,
            stamped,
            lines: None,
            read: Given { lines: 0, bytes: 0 },
            dropped: false,
            complete: None,
        }
    }

    /// How many lines it has read.
    fn count(&self) -> usize {
        self.lines.as_ref().map_or(0, |lines| lines.rests.len())
    }

    /// Whether what it has read is more than two brackets.
    fn is_filled(&self) -> bool {
        let lines = self.lines.as_ref();
        lines.is_some_and(|lines| lines.scanner.shape().filled)
    }

    /// Whether a plan with a longer cut has read as many lines, and the next one.
    fn is_behind(&self, (cut, count): (usize, usize)) -> bool {
        self.cut > cut && self.count() <= count
    }

    /// Whether it can read its next line from `at` on, as far as that is told by `bracket`, which its opening line ends
    /// with: a scanner takes more to be told.
    fn goes_on(&self, line: &[u8], at: usize, bracket: Option<u8>) -> bool {
        let rest = line.get(at..).unwrap_or_default();
        match bracket.filter(|_| self.lines.is_none()) {
            // A byte order mark may stand at the beginning of a line.
            Some(bracket) => bracket::line_goes_on(bracket, rest) || rest.first() == BOM.first(),
            None => true,
        }
    }

    /// Reads its next line, which begins at `start`, from `at` on, and says whether it can and that is more than blanks.
    /// Before the first one the scanner has `opened` it.
    fn read(
        &mut self,
        line: &[u8],
        at: usize,
        start: u64,
        opened: Option<&Scanner>,
        given: Given,
        last: bool,
    ) -> bool {
        let rest = line.get(at..).unwrap_or_default();
        let begin = start + at as u64;
        if self.lines.is_none() {
            self.lines = opened.map(Lines::behind);
        }
        let Some(lines) = &mut self.lines else {
            return false;
        };
        let (read, step) = lines.scanner.scan(rest, begin, last);
        self.read = given;
        // A sequence that is cut by the line's end cannot go on behind the next prefix.
        if matches!(step, Step::Broken(_)) || (step == Step::More && read < rest.len()) {
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
    fn is_overdue(&self, given: Given, patience: u32) -> bool {
        self.complete.is_none() && given.overdue(self.read, patience)
    }

    fn completed(self) -> Option<Completed> {
        Some(Completed {
            lines: self.lines?,
            cut: self.cut,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Opening, Plans, Verdict, WAIT_LINES};

    const OPENING: Opening<'_> = Opening {
        text: b"{\n",
        start: 0,
    };

    fn plans(left: &[u8]) -> Plans {
        let mut plans = Plans::new(false);
        assert!(plans.learn(left, OPENING, WAIT_LINES));
        plans
    }

    #[test]
    fn lines_are_passed_up_to_one_that_a_plan_may_read() {
        let passes: [(&[u8], &[u8], bool); 5] = [
            (b"a: ", b"b: }\n", true),
            (b"a: ", b"a: }\n", false),
            (b"a: ", b"\xef\xbb\xbfa: }\n", false),
            (b"2026-01-01 ", b"2027-02-02 }\n", false),
            (b"  1\t", b"x\n", false),
        ];
        for (left, next, passed) in passes {
            for before in 0..WAIT_LINES {
                let text = [&b"\n"[..], b"b:\n"].map(|line| line.repeat(before as usize / 2));
                let skipped = text.concat();
                let behind = b"b\n".repeat(100);
                let text = [&skipped[..], next, &behind].concat();
                let given = plans(left).pass(&text);
                let feeds = text[..given.bytes as usize].iter().filter(|&&b| b == b'\n');
                assert_eq!(given.lines as usize, feeds.count());
                assert!(given.bytes == 0 || text[given.bytes as usize - 1] == b'\n');
                if passed {
                    assert!(given.lines + 64 > before.min(WAIT_LINES - 64));
                } else {
                    assert!(given.bytes <= skipped.len() as u64);
                }
            }
        }
    }

    #[test]
    fn patience_is_not_passed_over() {
        let text = b"b\n".repeat(10 * WAIT_LINES as usize);
        let mut plans = plans(b"a: ");
        let mut given = 0;
        loop {
            given += plans.pass(&text).lines + 1;
            match plans.line(b"b\n", 0, false, OPENING) {
                Verdict::Waiting => {}
                verdict => {
                    assert!(matches!(verdict, Verdict::Dropped));
                    break;
                }
            }
        }
        assert_eq!(given, WAIT_LINES + 1);
    }
}
