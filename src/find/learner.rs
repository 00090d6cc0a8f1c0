//! The answer to a reader's question: which prefix, if any, the lines carry that go on behind an opening.
//!
//! The lines behind the opening are looked at one after the other. For a candidate the first one decides that carries
//! the left text in some way, and goes on behind it as JSON does. For a fence or thinking block any line will do that
//! carries it. Where only a prefix with other digits matches, the line may be that of another source; then what is
//! opened has to complete with it.

use memchr::{memchr, memchr2};

use super::fence;
use super::prefix::{self, Alternative, Change, Left, Prefix, without_mark};
use super::reader::{Question, Unfinished};
use super::window::Window;
use crate::input::BOM;
use crate::json::scan::{Scanner, Shape, Step, clean};

/// How many bytes of other sources may stand between two lines of one.
pub(crate) const WAIT_BYTES: u64 = 1 << 20;
/// How many lines may stand before the first line that carries a prefix, those not counted that have its mark.
pub(crate) const WAIT_LINES: u32 = 200;
/// How many they may be where waiting has been in vain too often.
const WAIT_FEW_LINES: u32 = 4;
/// How often the text may be looked at for prefixes in vain, on the average. When half of that is spent, few lines are
/// looked at: most of it goes into waiting where a log is full of stray brackets.
const VAIN_SHARE: u64 = 16;
/// How many bytes may be looked at in vain in any case.
const VAIN_LEAST: u64 = 16 << 20;
/// What a line counts beside its bytes.
const LINE_COST: u64 = 64;

/// What was looked at in vain.
#[derive(Debug, Default)]
pub(super) struct Vain(u64);

impl Vain {
    /// How many lines may be waited for behind `start`, if there is anything to spend on them.
    pub(super) const fn patience(&self, start: u64) -> Option<u32> {
        let most = VAIN_SHARE.saturating_mul(start).saturating_add(VAIN_LEAST);
        match self.0 {
            much if much > most => None,
            half if half > most / 2 => Some(WAIT_FEW_LINES),
            _ => Some(WAIT_LINES),
        }
    }

    pub(super) const fn add(&mut self, bytes: u64) {
        self.0 += bytes;
    }
}

/// What a question is answered with.
#[derive(Debug)]
pub(super) enum Learned {
    /// It takes more text to tell.
    Wait,
    /// There is no prefix.
    None,
    Prefix(Box<Prefix>),
}

/// Learns the prefix that a question asks for. See the module's documentation.
#[derive(Debug)]
pub(super) struct Learner {
    pub(super) start: u64,
    /// Where the line of the opening begins, and where the next one does.
    pub(super) line: u64,
    pub(super) opened: u64,
    /// Without a prefix what was opened can be read up to here, beyond all that may carry one if that is blank.
    stop: u64,
    left: Left,
    side: Vec<u8>,
    pub(super) about: Unfinished,
    /// Those that may still be it, in the order in which they are tried.
    alternatives: Vec<Alternative>,
    /// The scanner of a candidate at the end of its opening line.
    scanner: Scanner,
    /// Where the next line begins that is looked at.
    next: u64,
    unlike: u32,
    patience: u32,
    /// A prefix that one line confirms, but for its digits.
    trial: Option<Trial>,
    /// What is taken if nothing better comes: a document goes on behind that prefix, and is at fault.
    last_resort: Option<Alternative>,
    /// How many bytes were looked at.
    pub(super) cost: u64,
}

/// A prefix whose digits may count something, or be those of another source: what is opened is read with and without lines
/// on which they have changed, until it is complete.
#[derive(Debug)]
struct Trial {
    /// The two ways, the one without such lines first.
    ways: [Way; 2],
    /// The line behind the one that it began with.
    from: u64,
}

#[derive(Debug)]
struct Way {
    alternative: Alternative,
    scanner: Scanner,
    state: State,
    /// How many lines it has read.
    lines: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Broken,
    Open,
    /// Whether what completed is more than two brackets, at which line it did, and with how many.
    Complete(bool, u64, u32),
}

impl Way {
    /// Reads on what a line that ends before `end` says.
    fn read(&mut self, rest: &[u8], end: u64) {
        if self.state == State::Open {
            self.lines += 1;
            self.state = match goes_on(&mut self.scanner, rest, end) {
                Step::Complete => {
                    let filled = self.scanner.shape().is(Shape::FILLED);
                    State::Complete(filled, end, self.lines)
                }
                Step::Broken(_) => State::Broken,
                Step::More => State::Open,
            };
        }
    }
}

impl Trial {
    /// The way that is taken, once that can be told, or has to be.
    fn verdict(&self, ended: bool) -> Option<Alternative> {
        let [strict, loose] = &self.ways;
        let open = strict.state == State::Open || loose.state == State::Open;
        if open && !ended && strict.state != State::Broken && loose.state != State::Broken {
            return None;
        }
        let better = match (strict.state, loose.state) {
            (State::Broken, State::Open) if !ended => return None,
            (strict, loose @ State::Complete(..)) => loose > strict,
            (State::Broken, State::Open) => true,
            (State::Open, State::Open) => loose.lines > strict.lines,
            _ => false,
        };
        Some(match better {
            true => loose.alternative,
            false => strict.alternative,
        })
    }
}

/// What one line says.
enum Said {
    Nothing,
    /// It decides.
    This(Alternative),
}

impl Learner {
    /// `None` if nothing before the opening may be a prefix.
    pub(super) fn new(
        question: &Question,
        window: &Window,
        vain: &Vain,
        lossy: bool,
    ) -> Option<Self> {
        let left = Left::new(&question.left);
        let mut alternatives = left.alternatives();
        let mut scanner = Scanner::new(lossy);
        if question.about == Unfinished::Candidate {
            let text = window.slice(question.start, question.head);
            if goes_on(&mut scanner, text, question.head) != Step::More {
                return None;
            }
        } else {
            // What a document or a fence begins with is no prefix of it.
            let opens = |one: &Alternative| {
                let text = left.up_to(one.cut);
                matches!(text, [.., b'{' | b'[' | b'"'])
                    || text.windows(3).any(|text| fence::marks(text).is_some())
            };
            alternatives.retain(|one| !opens(one));
        }
        let patience = vain
            .patience(question.start)?
            .min(patience(&left, &alternatives));
        (!alternatives.is_empty()).then(|| Self {
            start: question.start,
            line: question.line,
            opened: question.opened,
            stop: match window.slice(question.opened, question.stop).trim_ascii() {
                [] => u64::MAX,
                _ => question.stop,
            },
            left,
            side: question.side.clone(),
            about: question.about,
            alternatives,
            scanner,
            next: question.opened,
            unlike: 0,
            patience,
            trial: None,
            last_resort: None,
            cost: 0,
        })
    }

    /// Looks at the lines that are there. `owned` says whether a line is that of a source which is known.
    pub(super) fn go_on(
        &mut self,
        window: &Window,
        last: bool,
        owned: &dyn Fn(&[u8]) -> bool,
    ) -> Learned {
        loop {
            if self.alternatives.is_empty() && self.trial.is_none() {
                return self.give_up();
            }
            let over = self.next - self.opened > WAIT_BYTES && self.trial.is_none()
                || self.unlike > self.patience;
            let line = match window.line_at(self.next, WAIT_BYTES + 1, last) {
                _ if over => &[],
                Some(line) => line,
                None => return Learned::Wait,
            };
            if line.is_empty() {
                return match self.trial.take().and_then(|trial| trial.verdict(true)) {
                    Some(found) => self.answer(found),
                    None => self.give_up(),
                };
            }
            self.next += line.len() as u64;
            self.cost += line.len() as u64 + LINE_COST;
            let text = match self.side.is_empty() {
                true => without_mark(line),
                false => prefix::within(without_mark(line), &self.side).unwrap_or_default(),
            };
            if let Some(mut trial) = self.trial.take() {
                self.try_on(&mut trial, text, owned);
                let ended = self.next - trial.from > WAIT_BYTES;
                if let Some(found) = trial.verdict(ended) {
                    return self.answer(found);
                }
                self.trial = Some(trial);
                continue;
            }
            if let Said::This(found) = self.look_at(text, owned) {
                return self.answer(found);
            }
            let start = self.next - line.len() as u64;
            // A line of another known source is no content, whether it has been set aside or not.
            let is_others = || window.aside_at(start).0.is_some() || owned(line);
            if start == self.opened && self.is_content(text) && !is_others() {
                return Learned::None;
            }
            if !self.is_alike(text) {
                self.unlike += 1;
            }
        }
    }

    fn give_up(&mut self) -> Learned {
        match self.last_resort {
            Some(found) => self.answer(found),
            None => Learned::None,
        }
    }

    fn answer(&mut self, found: Alternative) -> Learned {
        let left = std::mem::take(&mut self.left);
        let side = std::mem::take(&mut self.side);
        Learned::Prefix(Box::new(Prefix::new(left, found, side)))
    }

    /// Whether a line that does not carry the prefix may be one of another source in such a log: it has the mark, before all
    /// brackets and quotes, that the prefix ends with.
    fn is_alike(&self, line: &[u8]) -> bool {
        let mark = self.left.text.last().filter(|byte| b"|]>:".contains(byte));
        let quote = memchr2(b'{', b'"', line);
        let before = line.get(..quote.unwrap_or(line.len()).min(prefix::PREFIX_LIMIT));
        // Those of strands are blank.
        line.trim_ascii().is_empty()
            || mark.is_some_and(|&mark| memchr(mark, before.unwrap_or(line)).is_some())
    }

    /// Whether a line behind the opening of a fence, which carries no prefix, is more likely its content than a line of
    /// another source.
    fn is_content(&self, line: &[u8]) -> bool {
        match (self.about, clean(line).trim_ascii().first()) {
            (Unfinished::Fence { json: false }, _) => !self.is_alike(line),
            (Unfinished::Fence { .. }, None) => true,
            (Unfinished::Fence { .. }, Some(first)) => b"{[\"`~-0123456789tfn".contains(first),
            (Unfinished::Candidate | Unfinished::Thinking, _) => false,
        }
    }

    /// Looks at one line.
    fn look_at(&mut self, line: &[u8], owned: &dyn Fn(&[u8]) -> bool) -> Said {
        // Most lines are those of other sources.
        if !self.left.may_begin(line) {
            return Said::Nothing;
        }
        let mut ends = [None; 3];
        // A byte order mark may stand before it.
        let directly = self.next - line.len() as u64 <= self.opened + BOM.len() as u64;
        let mut dropped = Vec::new();
        let mut owns = None;
        for &one in &self.alternatives {
            let Some(at) = ends.get_mut(one.change as usize).and_then(|ends| {
                let ends = ends.get_or_insert_with(|| self.left.matched(line, one.change));
                ends.at(one.cut)
            }) else {
                continue;
            };
            let rest = line.get(at..).unwrap_or_default();
            let loose = one.change == Change::Digits;
            // Where other digits are another source, they are what tells sources apart.
            if loose && *owns.get_or_insert_with(|| owned(line)) {
                dropped.push(one);
                continue;
            }
            if self.about != Unfinished::Candidate {
                if loose && !directly {
                    continue;
                }
                return Said::This(one);
            }
            let begins = self.next - line.len() as u64 <= self.stop;
            if rest.trim_ascii().is_empty() {
                // A blank line does not say whether the prefix fits: the line after it may.
                if begins {
                    self.stop = self.stop.max(self.next);
                }
                return Said::Nothing;
            }
            let mut scanner = self.scanner.clone();
            match goes_on(&mut scanner, rest, self.next) {
                Step::Broken(_) => {
                    let begun = scanner.committed().is_some() || scanner.in_first_name();
                    let word = self.left.up_to(one.cut).last();
                    let sure = directly || !word.is_some_and(u8::is_ascii_alphanumeric);
                    if begun && begins && sure && !loose {
                        self.last_resort.get_or_insert(one);
                    }
                    dropped.push(one);
                }
                step => {
                    let Some(trial) = self.trial_of(one, step, scanner) else {
                        return Said::This(one);
                    };
                    match trial.verdict(false) {
                        Some(found) => return Said::This(found),
                        None => self.trial = Some(trial),
                    }
                    break;
                }
            }
        }
        if !dropped.is_empty() {
            self.alternatives.retain(|one| !dropped.contains(one));
            self.patience = self.patience.min(patience(&self.left, &self.alternatives));
        }
        Said::Nothing
    }

    /// The trial of an alternative that has read its first line, if digits may change in it.
    fn trial_of(&self, one: Alternative, step: Step, scanner: Scanner) -> Option<Trial> {
        let same_cut = |other: &&Alternative| other.cut == one.cut;
        let mut ways = self.left.alternatives().into_iter();
        let mut ways = [
            ways.find(|other| same_cut(&other))?,
            ways.find(|other| same_cut(&other))?,
        ]
        .map(|alternative| Way {
            alternative,
            scanner: self.scanner.clone(),
            state: State::Open,
            lines: 0,
        });
        for way in ways.iter_mut().filter(|way| way.alternative >= one) {
            way.scanner = scanner.clone();
            way.lines = 1;
            if step == Step::Complete {
                way.state = State::Complete(scanner.shape().is(Shape::FILLED), self.next, 1);
            }
        }
        Some(Trial {
            ways,
            from: self.next,
        })
    }

    /// Reads a line on in the ways that are on trial.
    fn try_on(&self, trial: &mut Trial, line: &[u8], owned: &dyn Fn(&[u8]) -> bool) {
        if !self.left.may_begin(line) {
            return;
        }
        let mut owns = None;
        for way in &mut trial.ways {
            let Alternative { cut, change } = way.alternative;
            let Some(at) = self.left.goes_on(line, (cut, change)) else {
                continue;
            };
            if change == Change::Digits && *owns.get_or_insert_with(|| owned(line)) {
                way.state = State::Broken;
                continue;
            }
            way.read(line.get(at..).unwrap_or_default(), self.next);
        }
    }
}

/// How many lines are waited for that carry one of some prefixes. Few prefixes are but words: `Config {` is not to hold what
/// follows, behind another prefix either.
fn patience(left: &Left, alternatives: &[Alternative]) -> u32 {
    match alternatives.iter().any(|one| left.is_marked(one.cut)) {
        true => WAIT_LINES,
        false => WAIT_FEW_LINES,
    }
}

/// Lets a scanner read a line, a line feed behind it, which stands before `end`.
fn goes_on(scanner: &mut Scanner, line: &[u8], end: u64) -> Step {
    let (read, step) = scanner.scan(line, end - line.len() as u64, true);
    match step {
        Step::More if read < line.len() => Step::Broken("a whole line"),
        Step::More if line.last() != Some(&b'\n') => scanner.scan(b"\n", end, true).1,
        step => step,
    }
}
