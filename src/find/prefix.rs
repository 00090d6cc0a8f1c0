//! Log prefixes: a document whose every line carries what its log put before it.
//!
//! No format is known here. The prefix is learned from the text that stands before the opening bracket, the *left text*:
//! the lines that follow may begin with it, whole or cut shorter, literally, or with only its time stamps, then only its
//! digits, changed. Each such reading is a *plan*. All plans of a candidate advance together, line by line; lines that a
//! plan does not match belong to other sources and wait. The first plan that completes wins.

mod key;
mod left;
mod plan;
mod stripped;

use memchr::{memchr, memmem};

use super::bracket;
use crate::input::BOM;
use crate::input::terminal::{ESCAPE, Sequence, sequence_at_end};
use crate::json::scan::{Scanner, clean};
use crate::lanes;
pub(crate) use left::{CUTS, PREFIX_LIMIT, is_blank};
use left::{Change, Ends, Left};
pub(crate) use plan::{Begun, Completed, Lines, Opening};
use plan::{Given, Line, Plan, Reading};
pub(crate) use stripped::{Stripped, opening};

/// How many lines a plan waits for its next line.
pub(crate) const WAIT_LINES: u32 = 200;
/// How many it waits where waiting has been in vain too often.
pub(crate) const WAIT_FEW_LINES: u32 = 4;
/// How many bytes a plan waits for its next line.
pub(crate) const WAIT_BYTES: u64 = 1 << 20;

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

/// The plans of one candidate at a time.
#[derive(Debug)]
pub(crate) struct Plans {
    left: Left,
    /// How many lines a plan waits for its next line.
    patience: u32,
    /// The scanner at the end of the opening line, once a plan has read a line.
    opened: Option<Scanner>,
    lossy: bool,
    /// The opening bracket, if the opening line ends with it: without a member it announces nothing yet.
    bracket: Option<u8>,
    /// Those that are left, or none as long as no line has come that matches any.
    plans: Vec<Plan>,
    given: Given,
    /// No plan has waited for longer than since then.
    waiting: Given,
    /// The most that a plan has read before it was dropped.
    begun: Option<Begun>,
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
            begun: None,
        }
    }

    /// Begins anew, with plans for a candidate that has `left` before it and has read its `opening` line. Says whether
    /// there are any. They are made when a line comes that may be one of theirs.
    pub(crate) fn learn(&mut self, left: &[u8], opening: Opening<'_>, patience: u32) -> bool {
        self.left.learn(left);
        if self.left.cuts.is_empty() {
            return false;
        }
        self.opened = None;
        self.bracket = None;
        match opening.text {
            // Nothing but a terminal sequence may go on behind a line.
            text if memchr(ESCAPE, text).is_some() => {
                self.opened = opening.read(self.lossy);
                if self.opened.is_none() {
                    return false;
                }
            }
            [bracket, behind @ ..] if behind.trim_ascii().is_empty() => {
                self.bracket = Some(*bracket);
            }
            _ => {}
        }
        self.patience = patience;
        self.given = Given::default();
        self.waiting = Given::default();
        self.begun = None;
        true
    }

    /// Gives the plans those of the next lines that none of them reads, and says how many bytes and lines these are: up to
    /// the beginning of a line that one may read, or a few lines before the end of `text` or of the plans' patience.
    pub(crate) fn pass(&mut self, text: &[u8]) -> Given {
        let mut passed = Given::default();
        let first = self.left.first();
        let (blocks, _) = text.as_chunks();
        let mut lines = 0;
        let mut begins = 1;
        for (index, block) in blocks.iter().enumerate() {
            let feeds = lanes::wide_equal(block, b'\n');
            let beginnings = feeds << 1 | begins;
            begins = feeds >> 63;
            // A byte order mark may stand before a prefix.
            let marked = beginnings & lanes::wide_equal(block, BOM[0]);
            let mut alike = beginnings & first.among(block);
            while alike != 0 {
                let at = index * lanes::WIDE + alike.trailing_zeros() as usize;
                if self.left.may_follow(text.get(at..).unwrap_or_default()) {
                    break;
                }
                alike &= alike - 1;
            }
            let stops = marked | alike;
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

    /// Gives the plans the next line, line feed included, which begins at `start`, behind that of the `opening`, with what
    /// stands behind it.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        behind: &[u8],
        start: u64,
        last: bool,
        opening: Opening<'_>,
    ) -> Verdict {
        self.given = self.given.and(Given {
            lines: 1,
            bytes: line.len() as u64,
        });
        let overdue = self.given.overdue(self.waiting, self.patience);
        let boxed = !opening.side.is_empty();
        let line = if boxed {
            inside(line, opening.side)
        } else {
            line
        };
        // Most lines are those of other sources.
        if !overdue && !self.left.may_begin(line) {
            return Verdict::Waiting;
        }
        let line = Line {
            text: line,
            behind,
            start,
            last,
            boxed,
            opening,
        };
        if !self.read(line) {
            return match overdue {
                true => Verdict::Dropped,
                false => Verdict::Waiting,
            };
        }
        let Self {
            plans,
            given,
            patience,
            begun,
            ..
        } = self;
        let read = |begun: &Begun| begun.lines.rests.len();
        plans.retain_mut(|plan| {
            let more = |most: &Begun| plan.count() > read(most);
            if begun.as_ref().is_none_or(more)
                && let Some(more) = plan.begun()
            {
                *begun = Some(more);
            }
            !plan.dropped && !plan.is_overdue(*given, *patience)
        });
        let reads = plans.iter().map(|plan| plan.read);
        self.waiting = reads.fold(Given::ALL, Given::first);
        self.verdict(false)
    }

    /// Lets the plans read a line that match it. Says whether the plans are made: most of them cannot go on with the first
    /// line that matches, and are never kept.
    fn read(&mut self, line: Line<'_>) -> bool {
        let Self {
            left,
            opened,
            lossy,
            bracket,
            plans,
            given,
            begun,
            ..
        } = self;
        // What lets the most change matches whatever another plan does.
        let loosest = left.loosest();
        let all = left.matched(line.text, loosest);
        if all == Ends::NOWHERE {
            return !plans.is_empty();
        }
        let ends = |change| match change {
            _ if change == loosest => all,
            _ => left.matched(line.text, change),
        };
        let mut reading = Reading {
            left,
            line,
            nothing: ends(Change::Nothing),
            stamps: match left.stamp {
                Some(_) => ends(Change::Stamps),
                None => Ends::NOWHERE,
            },
            all,
            longest: None,
            opened,
            lossy: *lossy,
            bracket: *bracket,
            given: *given,
        };
        if plans.is_empty() {
            left.each_plan(|mut plan| {
                reading.give(&mut plan);
                if !plan.dropped {
                    plans.push(plan);
                } else if begun.is_none() {
                    *begun = plan.begun();
                }
            });
        } else {
            for plan in plans.iter_mut().filter(|plan| plan.complete.is_none()) {
                reading.give(plan);
            }
        }
        true
    }

    /// How many lines were given.
    pub(crate) const fn lines(&self) -> u32 {
        self.given.lines
    }

    /// No plan is needed any more. Gives the document that one had begun and could not read on.
    pub(crate) fn drop_all(&mut self) -> Option<Begun> {
        self.plans.clear();
        self.begun.take()
    }

    /// Where a line goes on behind the prefix of a document that one had begun, if it carries that.
    pub(crate) fn behind(&self, begun: &Begun, line: &[u8]) -> Option<usize> {
        self.left.matched(line, begun.change).at(begun.cut)
    }

    /// How many blanks stand behind that prefix on the opening line.
    pub(crate) fn indent(&self, begun: &Begun) -> u64 {
        self.left.indent(begun.cut)
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
        let plans = self.plans.iter().enumerate();
        let best = plans.max_by_key(|(_, plan)| rank(plan));
        best.map(|(index, _)| index)
    }

    /// Whether a plan that has completed has to wait for one with the same prefix that may still do better.
    fn waits(&self, winner: usize) -> bool {
        let Some(best) = self.plans.get(winner) else {
            return false;
        };
        let mut others = self.plans.iter().filter(|plan| plan.cut == best.cut);
        others.any(|plan| plan.complete.is_none())
    }

    /// The left text up to a cut.
    pub(crate) fn prefix(&self, cut: usize) -> Vec<u8> {
        let length = self.left.cuts.get(cut).copied().unwrap_or_default();
        self.left.text.get(..length).unwrap_or_default().to_vec()
    }
}

/// A line without the side of a box at its end. Empty if that is not there: it is none of the box.
fn inside<'a>(line: &'a [u8], side: &[u8]) -> &'a [u8] {
    line.trim_ascii_end().strip_suffix(side).unwrap_or_default()
}

/// The side of a box that stands on `line`, which stands in what is `left` of it, too: `│ {   │`.
pub(crate) fn side<'a>(left: &[u8], line: &'a [u8]) -> &'a [u8] {
    let line = line.trim_ascii_end();
    let shown = clean(line);
    let side = shown.trim_ascii();
    let drawn = |byte: &u8| *byte == b'|' || !byte.is_ascii();
    let is_side = !side.is_empty() && side.iter().all(drawn);
    match is_side && memmem::find(left, side).is_some() {
        true => line,
        false => &[],
    }
}

/// The prefix that a line and the next one have in common: as much as they can, with as little changed as it can be.
#[derive(Debug)]
pub(crate) struct Carried {
    left: Left,
    cut: usize,
    change: Change,
    /// The blanks and colours that stood behind it, if it is the longest.
    padding: Vec<u8>,
}

impl Carried {
    /// That of a line with `left` before what begins there, if the `next` one carries any.
    pub(crate) fn learn(left: &[u8], next: &[u8]) -> Option<Self> {
        let left = Left::new(left);
        let next = next.strip_prefix(BOM).unwrap_or(next);
        let [stamps, digits] =
            [Change::Stamps, Change::Digits].map(|change| left.matched(next, change));
        // What a document begins with is none.
        let opens = |cut: &usize| {
            let last = left
                .cuts
                .get(*cut)
                .and_then(|&length| left.text.get(length - 1));
            matches!(last, Some(b'{' | b'[' | b'"'))
        };
        let cut = (0..left.cuts.len()).find(|cut| digits.at(*cut).is_some() && !opens(cut))?;
        let change = match stamps.at(cut) {
            Some(_) => Change::Stamps,
            None => Change::Digits,
        };
        let padding = match cut {
            0 => left.padding().to_vec(),
            _ => Vec::new(),
        };
        Some(Self {
            left,
            cut,
            change,
            padding,
        })
    }

    /// Where a line goes on behind it, if it carries it: where what began on the first line stood, if what stood between is
    /// the same.
    pub(crate) fn behind(&self, line: &[u8]) -> Option<usize> {
        let at = self.left.matched(line, self.change).at(self.cut)?;
        let behind = line.get(at..)?;
        Some(at + self.padded(behind))
    }

    /// How much of what stands behind it stood there on the first line, too.
    fn padded(&self, behind: &[u8]) -> usize {
        let mut at = 0;
        while let Some(rest @ [_, ..]) = self.padding.get(at..) {
            let length = match sequence_at_end(rest) {
                Sequence::Delete(length) | Sequence::LineEnd(length) => length,
                _ if rest.starts_with(BOM) => BOM.len(),
                _ => 1,
            };
            if behind.get(at..at + length) != rest.get(..length) {
                break;
            }
            at += length;
        }
        at
    }

    /// How many bytes behind it tell where a line goes on: a digit and a byte order mark could be more of it.
    pub(crate) fn ahead(&self) -> usize {
        self.padding.len().max(1 + BOM.len())
    }

    /// What stood between it and what begins on the first line.
    pub(crate) fn rest(&self) -> Vec<u8> {
        self.left.behind(self.cut)
    }

    /// As it stood on the first line.
    pub(crate) fn text(&self) -> &[u8] {
        let length = self.left.cuts.get(self.cut);
        let text = length.and_then(|&length| self.left.text.get(..length));
        text.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Opening, Plans, Verdict, WAIT_LINES};

    const OPENING: Opening<'_> = Opening {
        text: b"{\n",
        side: b"",
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

    /// How many lines of another source the plans wait for, behind this `line` of their own.
    fn waited_behind(line: &[u8]) -> u32 {
        let text = b"b\n".repeat(10 * WAIT_LINES as usize);
        let mut plans = plans(b"a: ");
        let mut given = 0;
        let verdict = plans.line(line, b"", OPENING.text.len() as u64, false, OPENING);
        assert!(matches!(verdict, Verdict::Waiting));
        loop {
            given += plans.pass(&text).lines + 1;
            match plans.line(b"b\n", b"", 0, false, OPENING) {
                Verdict::Waiting => {}
                verdict => {
                    assert!(matches!(verdict, Verdict::Dropped));
                    return given;
                }
            }
        }
    }

    #[test]
    fn patience_is_not_passed_over() {
        assert_eq!(waited_behind(b"b\n"), WAIT_LINES);
        assert_eq!(waited_behind(b"a: \"x\": 1,\n"), WAIT_LINES + 1);
    }
    /// How many of these lines a document behind `left` and `{` takes, the last of which completes it.
    fn taken(left: &str, lines: &[&str]) -> usize {
        let mut plans = plans(left.as_bytes());
        let mut start = OPENING.text.len() as u64;
        let (last, before) = lines.split_last().expect("a line");
        for line in before {
            let verdict = plans.line(line.as_bytes(), b"", start, false, OPENING);
            assert!(matches!(verdict, Verdict::Waiting), "{left}{line}");
            start += line.len() as u64;
        }
        match plans.line(last.as_bytes(), b"", start, false, OPENING) {
            Verdict::Complete(completed) => completed.lines.rests.len(),
            verdict => panic!("{left}: {verdict:?}"),
        }
    }

    #[test]
    fn what_is_complete_waits_for_a_plan_that_may_do_better() {
        let own = ["[0] \"a\": 1\n", "[0] }\n"];
        assert_eq!(taken("[0] ", &own), 2);
        let of_another = ["[0] \"a\": 1\n", "[1] }\n", "[0] }\n"];
        assert_eq!(taken("[0] ", &of_another), 2);
        let priorities = ["<14>a: \"b\": {\n", "<13>a: }\n", "<14>a: }\n"];
        assert_eq!(taken("<13>a: ", &priorities), 3);
    }
}
