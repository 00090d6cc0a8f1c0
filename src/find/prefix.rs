//! Log prefixes: a document whose every line carries what its log put before it.
//!
//! No format is known here. The prefix is learned from the text that stands before the opening bracket, the *left text*:
//! the lines that follow may begin with it, whole or cut shorter, literally, or with only its time stamps, then only its
//! digits, changed. Each such reading is a *plan*. All plans of a candidate advance together, line by line; lines that a
//! plan does not match belong to other sources and wait. The first plan that completes wins.

use crate::json::scan::{Scanner, Step};

/// The longest left text that is planned, in bytes.
pub(crate) const LEFT_LIMIT: usize = 256;
/// How many lines a plan waits for its next line.
pub(crate) const WAIT_LINES: u32 = 200;
/// How many it waits where waiting has been in vain too often.
pub(crate) const WAIT_FEW_LINES: u32 = 4;
/// How many bytes a plan waits for its next line.
pub(crate) const WAIT_BYTES: u64 = 1 << 20;
/// At how many places a left text is cut, the whole one included.
pub(crate) const CUTS: usize = 8;

/// What may have changed in a prefix from one line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    Stamps,
    Digits,
}

/// One byte of a left text and how it may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Literal,
    /// A digit of a time stamp.
    Stamp,
    /// Any other digit.
    Digit,
    Blank,
}

impl Class {
    /// Whether such a byte may be another of its class.
    const fn is_free(self, change: Change) -> bool {
        match self {
            Self::Stamp => !matches!(change, Change::Nothing),
            Self::Digit | Self::Blank => matches!(change, Change::Digits),
            Self::Literal => false,
        }
    }
}

#[derive(Debug)]
struct Plan {
    /// Which of the cuts it makes.
    cut: usize,
    change: Change,
    /// Its prefix holds a time stamp.
    stamped: bool,
    /// Present once a line has been read.
    scanner: Option<Scanner>,
    /// The text of its lines behind the prefix, as offsets.
    rests: Vec<(u64, u64)>,
    /// The beginnings of its lines.
    starts: Vec<u64>,
    /// How much had been given when it read its last line, that one included.
    read: Given,
    /// It has read what cannot stand there, or its time has passed.
    dropped: bool,
    /// At which line it completed. It may have to wait for another plan even so.
    complete: Option<u32>,
}

/// Lines that were given to plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Given {
    lines: u32,
    bytes: u64,
}

impl Given {
    const ALL: Self = Self {
        lines: u32::MAX,
        bytes: u64::MAX,
    };

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

/// For each cut, where the rest of a line begins that goes with the left text up to there.
type Ends = [Option<usize>; CUTS];
const NOWHERE: Ends = [None; CUTS];

/// What stands before an opening bracket.
#[derive(Debug, Default)]
struct Left {
    text: Vec<u8>,
    classes: Vec<Class>,
    /// The lengths that may be a prefix, longest first.
    cuts: Vec<usize>,
}

impl Left {
    fn new(text: &[u8]) -> Self {
        let mut left = Self::default();
        left.learn(text);
        left
    }

    /// Begins anew with another text, keeping what was allocated.
    fn learn(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        classify(text, &mut self.classes);
        cuts(text, &self.classes, &mut self.cuts);
    }

    /// The length of the shortest prefix with a byte of a class in it.
    fn first(&self, class: Class) -> Option<usize> {
        let first = self.classes.iter().position(|&each| each == class);
        first.map(|at| at + 1)
    }

    /// Whether a line may go on with the left text, by its first byte.
    fn may_begin(&self, line: &[u8]) -> bool {
        match self.classes.first() {
            Some(Class::Literal) => line.first() == self.text.first(),
            Some(Class::Stamp | Class::Digit) => line.first().is_some_and(u8::is_ascii_digit),
            // Its blanks may be used up.
            Some(Class::Blank) | None => true,
        }
    }

    /// How far a line goes with the left text. Cuts never end in a blank: blanks behind a prefix are white space to JSON.
    fn matched(&self, line: &[u8], change: Change) -> Ends {
        let mut ends = NOWHERE;
        let (mut at, mut read) = (0, 0);
        for (&length, end) in self.cuts.iter().zip(&mut ends).rev() {
            while at < length {
                let (Some(byte), Some(class)) = (self.text.get(at), self.classes.get(at)) else {
                    return ends;
                };
                let (here, there) = if !class.is_free(change) {
                    if line.get(read) != Some(byte) {
                        return ends;
                    }
                    (1, 1)
                } else if let Some(lengths) = self.runs(at, line.get(read..).unwrap_or_default()) {
                    lengths
                } else {
                    return ends;
                };
                at += here;
                read += there;
            }
            if at == length {
                *end = Some(read);
            }
        }
        ends
    }

    /// The digits or blanks from `at` on, and those of the line that may stand in their place: how many they are.
    fn runs(&self, at: usize, line: &[u8]) -> Option<(usize, usize)> {
        let rest = self.text.get(at..)?;
        let blanks = is_blank(rest.first()?);
        let run = |bytes: &[u8]| {
            let same = |byte: &&u8| {
                if blanks {
                    is_blank(byte)
                } else {
                    byte.is_ascii_digit()
                }
            };
            bytes.iter().take_while(same).count()
        };
        let there = run(line);
        // The padding at the beginning of a line number may be used up.
        (there > 0 || (blanks && at == 0)).then(|| (run(rest), there))
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

/// The lines of the plan that completed, or of the one that got furthest.
#[derive(Debug)]
pub(crate) struct Completed {
    /// The text of its lines behind the prefix, as offsets. The last ends where the document does.
    pub(crate) rests: Vec<(u64, u64)>,
    /// The beginnings of its lines.
    pub(crate) starts: Vec<u64>,
    /// How much of the left text was taken off.
    pub(crate) cut: usize,
    pub(crate) scanner: Scanner,
}

/// The plans of one candidate at a time.
#[derive(Debug)]
pub(crate) struct Plans {
    left: Left,
    /// How many lines a plan waits for its next line.
    patience: u32,
    /// The scanner at the end of the opening line.
    opened: Scanner,
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
            opened: Scanner::new(lossy),
            plans: Vec::new(),
            given: Given::default(),
            waiting: Given::default(),
        }
    }

    /// Begins anew, with plans for a candidate that has `left` before it and whose opening line is `opening`, line feed
    /// included. Says whether there are any.
    pub(crate) fn learn(&mut self, left: &[u8], opening: &[u8], start: u64, patience: u32) -> bool {
        if left.len() > LEFT_LIMIT || left.iter().all(is_blank) {
            return false;
        }
        self.opened.reset();
        if self.opened.scan(opening, start, true) != (opening.len(), Step::More) {
            return false;
        }
        self.left.learn(left);
        self.patience = patience;
        self.given = Given::default();
        self.waiting = Given::default();
        self.plans.clear();
        let stamp = self.left.first(Class::Stamp);
        let digit = self.left.first(Class::Digit);
        for (cut, &length) in self.left.cuts.iter().enumerate() {
            let holds = |first: Option<usize>| first.is_some_and(|first| first <= length);
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
        true
    }

    /// Gives the plans the next line, line feed included, which begins at `start`.
    pub(crate) fn line(&mut self, line: &[u8], start: u64, last: bool) -> Verdict {
        self.given.lines = self.given.lines.saturating_add(1);
        self.given.bytes = self.given.bytes.saturating_add(line.len() as u64);
        // Most lines are those of other sources.
        if !self.left.may_begin(line) && !self.given.overdue(self.waiting, self.patience) {
            return Verdict::Waiting;
        }
        self.read(line, start, last);
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
    fn read(&mut self, line: &[u8], start: u64, last: bool) {
        let Self {
            left,
            opened,
            plans,
            given,
            ..
        } = self;
        // What lets the most change matches whatever another plan does.
        let digits = left.matched(line, Change::Digits);
        if digits == NOWHERE {
            return;
        }
        let stamped = plans.iter().any(|plan| plan.stamped);
        let stamps = if stamped {
            left.matched(line, Change::Stamps)
        } else {
            NOWHERE
        };
        let nothing = left.matched(line, Change::Nothing);
        for plan in plans.iter_mut().filter(|plan| plan.complete.is_none()) {
            let ends = match plan.change {
                Change::Nothing => &nothing,
                Change::Stamps => &stamps,
                Change::Digits => &digits,
            };
            let at = |ends: &Ends| ends.get(plan.cut).copied().flatten();
            match at(ends) {
                Some(at) => plan.read(line, at, start, opened, *given, last),
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
            .filter(|plan| !plan.rests.is_empty())
            .max_by_key(|plan| plan.rests.len())
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
    /// opened with lines of `[1] `, and the document of `[0] ` completes later.
    fn winner(&self) -> Option<usize> {
        let complete = |plan: &&Plan| plan.complete.is_some();
        let cut = self.plans.iter().find(complete)?.cut;
        let rank = |plan: &Plan| {
            let line = plan.complete.filter(|_| plan.cut == cut)?;
            Some((line, plan.rests.len()))
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
            let fuller = plan.change > best.change && plan.rests.len() > best.rests.len();
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
            scanner: None,
            rests: Vec::new(),
            starts: Vec::new(),
            read: Given { lines: 0, bytes: 0 },
            dropped: false,
            complete: None,
        }
    }

    /// Reads its next line, which begins at `start`, from `at` on.
    fn read(
        &mut self,
        line: &[u8],
        at: usize,
        start: u64,
        opened: &Scanner,
        given: Given,
        last: bool,
    ) {
        let rest = line.get(at..).unwrap_or_default();
        let begin = start + at as u64;
        let scanner = self.scanner.get_or_insert_with(|| opened.clone());
        let (read, step) = scanner.scan(rest, begin, last);
        self.read = given;
        // A sequence that is cut by the line's end cannot go on behind the next prefix.
        if matches!(step, Step::Broken(_)) || (step == Step::More && read < rest.len()) {
            self.dropped = true;
            return;
        }
        self.rests.push((begin, begin + read as u64));
        self.starts.push(start);
        if step == Step::Complete {
            self.complete = Some(given.lines);
        }
    }

    /// Whether it has waited too long for its next line.
    fn is_overdue(&self, given: Given, patience: u32) -> bool {
        self.complete.is_none() && given.overdue(self.read, patience)
    }

    fn completed(self) -> Option<Completed> {
        Some(Completed {
            rests: self.rests,
            starts: self.starts,
            cut: self.cut,
            scanner: self.scanner?,
        })
    }
}

const fn is_blank(byte: &u8) -> bool {
    matches!(*byte, b' ' | b'\t')
}

/// Which bytes are digits of a time stamp, other digits, blanks, or stand for themselves.
///
/// A time stamp is a run of digits and `:./,+-TZ` that holds a clock (`9:05`), a date (`2026-01-02`, `26/01/02`), a
/// fraction of three places or more (`[   12.345678]`), or ten digits in a row (an epoch).
fn classify(left: &[u8], classes: &mut Vec<Class>) {
    classes.clear();
    classes.extend(left.iter().map(|byte| match byte {
        b'0'..=b'9' => Class::Digit,
        _ if is_blank(byte) => Class::Blank,
        _ => Class::Literal,
    }));
    if !classes.contains(&Class::Digit) {
        return;
    }
    let part = |byte: u8| {
        byte.is_ascii_digit()
            || matches!(byte, b':' | b'.' | b'/' | b',' | b'+' | b'-' | b'T' | b'Z')
    };
    let mut at = 0;
    while at < left.len() {
        let run = left
            .iter()
            .skip(at)
            .position(|&byte| !part(byte))
            .map_or(left.len(), |length| at + length);
        if is_stamp(left.get(at..run).unwrap_or_default()) {
            for class in classes.iter_mut().take(run).skip(at) {
                if *class == Class::Digit {
                    *class = Class::Stamp;
                }
            }
        }
        at = run + 1;
    }
}

fn is_stamp(run: &[u8]) -> bool {
    let digit = |at: usize| run.get(at).is_some_and(u8::is_ascii_digit);
    let mut dashes = 0;
    let mut digits = 0;
    for (at, byte) in run.iter().enumerate() {
        if byte.is_ascii_digit() {
            digits += 1;
            if digits >= 10 {
                return true;
            }
            continue;
        }
        digits = 0;
        let between = at > 0 && digit(at - 1) && digit(at + 1);
        match byte {
            b':' if between && digit(at + 2) => return true,
            b'.' if between && digit(at + 2) && digit(at + 3) => return true,
            b'-' | b'/' if between => {
                dashes += 1;
                if dashes == 2 {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Where a left text may be cut, longest first: behind its last byte that is no blank, and so at blanks and behind
/// `|`, `:`, `]` and `>`, but never inside a time stamp. Of too many, the middle ones are left out: what is at an end of
/// a left text is a prefix more often than what is in the message.
fn cuts(left: &[u8], classes: &[Class], found: &mut Vec<usize>) {
    found.clear();
    let marks = |byte: &u8| matches!(byte, b'|' | b':' | b']' | b'>');
    let stamp = |at: Option<usize>| {
        let class = at.and_then(|at| classes.get(at));
        class == Some(&Class::Stamp)
    };
    for (at, byte) in left.iter().enumerate() {
        if is_blank(byte) {
            continue;
        }
        let next = left.get(at + 1);
        let ends = next.is_none_or(is_blank);
        let inside = || stamp(at.checked_sub(1)) && stamp(Some(at + 1));
        if ends || (marks(byte) && !next.is_some_and(marks) && !inside()) {
            found.push(at + 1);
        }
    }
    found.reverse();
    if found.len() > CUTS {
        let middle = found.len() - CUTS;
        found.drain(3..3 + middle);
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Left};

    fn goes_with(left: &str, line: &str, change: Change) -> Option<String> {
        let ends = Left::new(left.as_bytes()).matched(line.as_bytes(), change);
        ends[0].map(|end| line[end..].trim_start().to_owned())
    }

    #[test]
    fn stamps_may_change_and_names_may_not() {
        let left = "2026-01-01T00:00:00.123Z app-1 | ";
        let other = "2026-01-01T00:00:07.99Z app-1 | }";
        assert_eq!(goes_with(left, other, Change::Nothing), None);
        assert_eq!(goes_with(left, other, Change::Stamps).as_deref(), Some("}"));
        let second = "2026-01-01T00:00:07.99Z app-2 | }";
        assert_eq!(goes_with(left, second, Change::Stamps), None);
        assert_eq!(
            goes_with(left, second, Change::Digits).as_deref(),
            Some("}")
        );
    }

    #[test]
    fn line_numbers_may_grow() {
        assert_eq!(
            goes_with("     9\t", "    10\t]", Change::Digits).as_deref(),
            Some("]")
        );
        assert_eq!(
            goes_with("a.rs:9:", "a.rs:10:]", Change::Digits).as_deref(),
            Some("]")
        );
        assert_eq!(goes_with("[0] ", "[1] ]", Change::Nothing), None);
        assert_eq!(
            goes_with("[   12.345678] x: ", "[   12.345679] x: }", Change::Stamps).as_deref(),
            Some("}")
        );
    }

    #[test]
    fn cuts_are_few_and_never_inside_a_stamp() {
        let left = b"12:00:01 app[1]: said:  ";
        let texts: Vec<_> = Left::new(left)
            .cuts
            .into_iter()
            .map(|cut| String::from_utf8_lossy(&left[..cut]).into_owned())
            .collect();
        assert_eq!(
            texts,
            ["12:00:01 app[1]: said:", "12:00:01 app[1]:", "12:00:01"]
        );
        let words = "2026-01-01 word ".repeat(12);
        assert_eq!(Left::new(words.as_bytes()).cuts.len(), super::CUTS);
    }
}
