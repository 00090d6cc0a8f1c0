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
    idle_lines: u32,
    idle_bytes: u64,
    /// At which line it completed. It may have to wait for another plan even so.
    complete: Option<u32>,
}

/// For each cut, where the rest of a line begins that goes with the left text up to there.
type Ends = [Option<usize>; CUTS];
const NOWHERE: Ends = [None; CUTS];

/// What stands before an opening bracket.
#[derive(Debug)]
struct Left {
    text: Vec<u8>,
    classes: Vec<Class>,
    /// The lengths that may be a prefix, longest first.
    cuts: Vec<usize>,
}

impl Left {
    fn new(text: &[u8]) -> Self {
        let classes = classify(text);
        Self {
            cuts: cuts(text, &classes),
            classes,
            text: text.to_vec(),
        }
    }

    /// How far a line goes with the left text. Cuts never end in a blank: blanks behind a prefix are white space to JSON.
    fn matched(&self, line: &[u8], change: Change) -> Ends {
        let left = &self.text;
        let mut ends = NOWHERE;
        let mut cut = self.cuts.len();
        let mut at = 0;
        let mut read = 0;
        while let (Some(&byte), Some(&class)) = (left.get(at), self.classes.get(at)) {
            let free = match class {
                Class::Stamp => change != Change::Nothing,
                Class::Digit | Class::Blank => change == Change::Digits,
                Class::Literal => false,
            };
            if free {
                let same: fn(u8) -> bool = if class == Class::Blank {
                    is_blank
                } else {
                    |byte| byte.is_ascii_digit()
                };
                let there = run(line, read, same);
                // The padding at the beginning of a line number may be used up.
                if there == 0 && !(class == Class::Blank && at == 0) {
                    break;
                }
                at += run(left, at, same);
                read += there;
            } else if line.get(read) == Some(&byte) {
                at += 1;
                read += 1;
            } else {
                break;
            }
            while let Some(shorter) = cut.checked_sub(1)
                && self.cuts.get(shorter).is_some_and(|&length| length <= at)
            {
                cut = shorter;
                if self.cuts.get(cut) == Some(&at)
                    && let Some(end) = ends.get_mut(cut)
                {
                    *end = Some(read);
                }
            }
        }
        ends
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

/// The plans of one candidate.
#[derive(Debug)]
pub(crate) struct Plans {
    left: Left,
    /// How many lines a plan waits for its next line.
    patience: u32,
    /// The scanner at the end of the opening line.
    opened: Scanner,
    plans: Vec<Plan>,
    lines: u32,
}

impl Plans {
    /// Plans for a candidate whose opening line has been read up to its end. `None` if its left text gives none.
    pub(crate) fn new(left: &[u8], opened: Scanner, patience: u32) -> Option<Self> {
        if left.len() > LEFT_LIMIT || left.iter().all(|&byte| is_blank(byte)) {
            return None;
        }
        let left = Left::new(left);
        let mut plans = Vec::new();
        for (cut, &length) in left.cuts.iter().enumerate() {
            let holds = |class| (left.classes.iter().take(length)).any(|&each| each == class);
            let stamped = holds(Class::Stamp);
            for change in [Change::Nothing, Change::Stamps, Change::Digits] {
                let differs = match change {
                    Change::Nothing => true,
                    Change::Stamps => stamped,
                    Change::Digits => holds(Class::Digit),
                };
                if differs {
                    plans.push(Plan {
                        cut,
                        change,
                        stamped,
                        scanner: None,
                        rests: Vec::new(),
                        starts: Vec::new(),
                        idle_lines: 0,
                        idle_bytes: 0,
                        complete: None,
                    });
                }
            }
        }
        Some(Self {
            left,
            patience,
            opened,
            plans,
            lines: 0,
        })
    }

    /// Gives the plans the next line, line feed included, which begins at `start`.
    pub(crate) fn line(&mut self, line: &[u8], start: u64, last: bool) -> Verdict {
        let Self {
            left,
            opened,
            plans,
            lines,
            ..
        } = self;
        *lines = lines.saturating_add(1);
        // What lets the most change matches whatever another plan does: most lines of other sources end here.
        let digits = left.matched(line, Change::Digits);
        let (stamps, nothing) = if digits.iter().any(Option::is_some) {
            let stamps = left.matched(line, Change::Stamps);
            (stamps, left.matched(line, Change::Nothing))
        } else {
            (NOWHERE, NOWHERE)
        };
        for plan in plans.iter_mut() {
            let ends = match plan.change {
                Change::Nothing => &nothing,
                Change::Stamps => &stamps,
                Change::Digits => &digits,
            };
            let at = |ends: &Ends| ends.get(plan.cut).copied().flatten();
            match at(ends).filter(|_| plan.complete.is_none()) {
                Some(at) => {
                    if plan.read(line, at, start, opened, last) {
                        plan.complete = Some(*lines);
                    }
                }
                // Its time has passed.
                None if plan.stamped
                    && plan.change == Change::Nothing
                    && plan.complete.is_none()
                    && at(&stamps).is_some() =>
                {
                    plan.idle_lines = u32::MAX;
                }
                None => plan.wait(line.len() as u64),
            }
        }
        let patience = self.patience;
        plans.retain(|plan| plan.idle_lines <= patience && plan.idle_bytes <= WAIT_BYTES);
        self.verdict(false)
    }

    /// How many lines were given.
    pub(crate) const fn lines(&self) -> u32 {
        self.lines
    }

    /// What the plans say at the end of input: the winner if one has completed.
    pub(crate) fn end(&mut self) -> Verdict {
        self.verdict(true)
    }

    /// The plan that has read the most lines, if any has read one.
    pub(crate) fn furthest(self) -> Option<Completed> {
        self.plans
            .into_iter()
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
        match self.plans.swap_remove(winner).completed() {
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
    /// Reads its next line; says whether the document is complete with it.
    fn read(&mut self, line: &[u8], at: usize, start: u64, opened: &Scanner, last: bool) -> bool {
        let rest = line.get(at..).unwrap_or_default();
        let begin = start + at as u64;
        let scanner = self.scanner.get_or_insert_with(|| opened.clone());
        let (read, step) = scanner.scan(rest, begin, last);
        self.idle_lines = 0;
        self.idle_bytes = 0;
        // A sequence that is cut by the line's end cannot go on behind the next prefix.
        if matches!(step, Step::Broken(_)) || (step == Step::More && read < rest.len()) {
            self.idle_lines = u32::MAX;
            return false;
        }
        self.rests.push((begin, begin + read as u64));
        self.starts.push(start);
        step == Step::Complete
    }

    fn wait(&mut self, bytes: u64) {
        if self.complete.is_none() {
            self.idle_lines = self.idle_lines.saturating_add(1);
            self.idle_bytes = self.idle_bytes.saturating_add(bytes);
        }
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

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Which bytes are digits of a time stamp, other digits, blanks, or stand for themselves.
///
/// A time stamp is a run of digits and `:./,+-TZ` that holds a clock (`9:05`), a date (`2026-01-02`, `26/01/02`), a
/// fraction of three places or more (`[   12.345678]`), or ten digits in a row (an epoch).
fn classify(left: &[u8]) -> Vec<Class> {
    let mut classes: Vec<Class> = left
        .iter()
        .map(|&byte| match byte {
            b'0'..=b'9' => Class::Digit,
            _ if is_blank(byte) => Class::Blank,
            _ => Class::Literal,
        })
        .collect();
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
    classes
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
fn cuts(left: &[u8], classes: &[Class]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, &byte) in left.iter().enumerate() {
        let next = left.get(at + 1);
        let inside = matches!(classes.get(at + 1), Some(Class::Stamp))
            && at > 0
            && matches!(classes.get(at - 1), Some(Class::Stamp));
        let marks = matches!(byte, b'|' | b':' | b']' | b'>') && !inside;
        let ends = !is_blank(byte) && next.is_none_or(|&next| is_blank(next));
        let repeated = next.is_some_and(|next| matches!(next, b'|' | b':' | b']' | b'>'));
        if ends || (marks && !repeated) {
            found.push(at + 1);
        }
    }
    found.reverse();
    if found.len() > CUTS {
        let middle = found.len() - CUTS;
        found.drain(3..3 + middle);
    }
    found
}

fn run(bytes: &[u8], at: usize, same: fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .position(|&byte| !same(byte))
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::{Change, Left, classify, cuts};

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
        let classes = classify(left);
        let texts: Vec<_> = cuts(left, &classes)
            .into_iter()
            .map(|cut| String::from_utf8_lossy(&left[..cut]).into_owned())
            .collect();
        assert_eq!(
            texts,
            ["12:00:01 app[1]: said:", "12:00:01 app[1]:", "12:00:01"]
        );
        let words = "2026-01-01 word ".repeat(12);
        assert_eq!(
            cuts(words.as_bytes(), &classify(words.as_bytes())).len(),
            super::CUTS
        );
    }
}
