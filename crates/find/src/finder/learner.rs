//! The learner: answers a reader's question which prefix, if any, the lines after an opening carry.
//!
//! The lines after the opening are looked at one by one. A candidate is decided by the first line that carries the left
//! text in one of its [ways](Alternative) and continues as JSON after it; a fence or thinking block, by the first line
//! that carries the left text. Where only a prefix with other digits matches, the line may belong to another source: a
//! trial then reads the candidate with and without such lines.

mod trial;

use std::ops::ControlFlow;

use memchr::memchr3;

use super::fence;
use super::line;
use super::reader::{Question, Unfinished};
use super::thinking;
use super::window::Window;
use crate::prefix::{self, Alternative, Change, Left, Prefix, without_bom};
use jsift_json::cost;
use jsift_json::scan::{Scanner, Step, begins_value, clean};
use trial::{Trial, scan_line};

/// How many bytes of other sources may come between two lines of one source.
pub const WAIT_BYTES: u64 = 1 << 20;
/// How many lines may come before the first line that carries a prefix, not counting lines that contain its delimiter.
pub const WAIT_LINES: u32 = 200;
/// How many such lines there may be once half of what may be searched was, or if the prefix consists of words only that
/// no line shortly before carries.
const WAIT_FEW_LINES: u32 = 4;
/// How many bytes may be searched for prefixes for each byte before the opening. Once half of them are spent, only a
/// few lines are looked at: in a log full of stray brackets, or of more sources than are read side by side, most of the
/// cost is waiting.
const SEARCH_SHARE: u64 = 16;
/// How many bytes may be searched in any case.
const SEARCH_LEAST: u64 = 16 << 20;
/// The cost of a line in addition to its bytes.
const LINE_COST: u64 = 64;

/// The bytes that were searched so far for prefixes, and for the rest of documents that foreign lines interrupt.
#[derive(Debug, Default)]
pub(super) struct Searched(u64);

impl Searched {
    /// Returns how many lines may be waited for after an opening at `start`; `None` if too much was searched.
    pub(super) const fn patience(&self, start: u64) -> Option<u32> {
        let most = Self::most(start);
        match self.0 {
            searched if searched > most => None,
            searched if searched > most / 2 => Some(WAIT_FEW_LINES),
            _ => Some(WAIT_LINES),
        }
    }

    /// Returns how many bytes may be searched before an opening at `start`, and for it.
    const fn most(start: u64) -> u64 {
        SEARCH_SHARE
            .saturating_mul(start)
            .saturating_add(SEARCH_LEAST)
    }

    pub(super) const fn add(&mut self, bytes: u64) {
        self.0 += bytes;
    }
}

/// The answer to a question.
#[derive(Debug)]
pub(super) enum Learned {
    /// More text is needed to decide.
    Wait,
    /// There is no prefix.
    None,
    Prefix(Box<Prefix>),
}

/// Learns the prefix for one question. See the module's documentation.
#[derive(Debug)]
pub(super) struct Learner {
    /// The offset up to which the opening can be read on without a prefix; `u64::MAX` if only blanks follow its line up
    /// to there. It only grows.
    stop: u64,
    /// The first byte of what was opened: the bracket of a candidate.
    bracket: Option<u8>,
    /// Whether strict reading has read a candidate on for a whole line, without a prefix or with less of it, before
    /// that broke. Then a later line that carries the left text and begins with the bracket is the next record.
    continued: bool,
    left: Left,
    /// Whether a line shortly before the opening carries the left text, too, if that is words only.
    again: bool,
    /// The alternatives that are not ruled out, in the order in which they are tried: by cut, longest first, and by
    /// what changes, least first. They are not looked at while there is a trial.
    alternatives: Vec<Alternative>,
    /// The scanner of a candidate at the end of its opening line.
    scanner: Scanner,
    /// The offset of the next line to look at.
    next: u64,
    /// How many lines had neither the prefix nor its delimiter.
    unlike: u32,
    /// How many such lines there may be.
    patience: u32,
    /// The trial of a prefix that one line confirms, except perhaps for its digits.
    trial: Option<Trial>,
    /// The answer if no better one is found: the first alternative that a line carries without going on as what was
    /// opened.
    last_resort: Option<Alternative>,
    /// The prefix of the line after the opening, if only its digits are others, and what follows may be the content.
    numbered: Option<Vec<u8>>,
    /// How many bytes were looked at, with an extra for each line.
    pub(super) cost: u64,
}

impl Learner {
    /// Returns `None` if nothing before the opening may be a prefix, if too much was searched, or if a
    /// candidate is not left open by its line.
    pub(super) fn new(
        question: &Question,
        window: &Window,
        searched: &Searched,
        lossy: bool,
    ) -> Option<Self> {
        let left = Left::new(&question.left);
        let mut alternatives = left.alternatives();
        let mut scanner = Scanner::new(lossy);
        if question.about == Unfinished::Candidate {
            let text = window.slice(question.start, question.head);
            match scan_line(&mut scanner, text, question.head) {
                Step::More => {}
                // Only what has a committed bracket has a rest, which a prefix may explain.
                Step::Broken(_) if scanner.is_committed() => {}
                Step::Broken(_) | Step::Complete => return None,
            }
        } else {
            // The beginning of a document or fence is not its prefix.
            let is_opening = |one: &Alternative| {
                let text = left.up_to(one.cut);
                matches!(text, [.., b'{' | b'[' | b'"']) || fence::find_marks(text).is_some()
            };
            alternatives.retain(|one| !is_opening(one));
        }
        let again = left.begins_with_word() && !has_delimiter(&left, &alternatives) && {
            let before = window.lines_before(question.start);
            let mut before = before.rsplit(|&byte| byte == b'\n').skip(1);
            before.any(|line| left.carried(line).is_some())
        };
        let patience = searched
            .patience(question.start)?
            .min(patience(&left, &alternatives, again))
            .min(match question.about {
                Unfinished::Part { .. } | Unfinished::Almost => WAIT_FEW_LINES,
                _ => WAIT_LINES,
            });
        let read = window.slice(question.opened, question.stop);
        let blank = read.split(|&byte| byte == b'\n').all(line::is_blank_line);
        (!alternatives.is_empty()).then(|| Self {
            stop: match blank {
                true => u64::MAX,
                false => question.stop,
            },
            bracket: window.from(question.start).first().copied(),
            continued: !blank && read.contains(&b'\n'),
            left,
            again,
            alternatives,
            scanner,
            next: question.opened,
            unlike: 0,
            patience,
            trial: None,
            last_resort: None,
            numbered: None,
            cost: 0,
        })
    }

    /// Looks at the lines that are there. `owned` returns whether a line belongs to a known source.
    pub(super) fn go_on(
        &mut self,
        question: &Question,
        window: &Window,
        last: bool,
        owned: &dyn Fn(&[u8]) -> bool,
    ) -> Learned {
        let side = &question.side;
        loop {
            if self.alternatives.is_empty() && self.trial.is_none() {
                return self.answer(self.last_resort, side);
            }
            let line = match window.line_at(self.next, WAIT_BYTES + 1, last) {
                _ if self.is_over(question) => &[],
                Some(line) => line,
                None => return Learned::Wait,
            };
            if line.is_empty() {
                let found = self.trial.as_ref().map(Trial::better);
                return self.answer(found.or(self.last_resort), side);
            }
            let start = self.next;
            self.next += line.len() as u64;
            self.cost += line.len() as u64 + LINE_COST;
            cost::look_at(LINE_COST as usize);
            cost::search(line.len());
            let line = without_bom(line);
            // Only a line with the side of the box shows what its prefix is.
            let inside = match side.is_empty() {
                true => Some(line),
                false => prefix::within(line, side),
            };
            let text = inside.unwrap_or_default();
            if start == question.opened {
                self.look_for_column(text);
            }
            // A line of another known source says nothing, whether it has been set aside or not.
            let is_others = || window.aside_at(start).0.is_some() || owned(line);
            if self.left.may_begin(text) && is_others() {
                continue;
            }
            if let Some(trial) = &mut self.trial {
                trial.read(&self.left, text, self.next);
                let ended = self.next - trial.from > WAIT_BYTES;
                match trial.verdict().or_else(|| ended.then(|| trial.better())) {
                    None => continue,
                    found => return self.answer(found, side),
                }
            }
            if let found @ Some(_) = self.look_at(question, text, start) {
                return self.answer(found, side);
            }
            if self.shows_none(question, text, start) && !is_others() {
                return Learned::None;
            }
            if !self.is_alike(inside.unwrap_or(line)) && !is_others() {
                self.unlike += 1;
            }
        }
    }

    /// Whether enough lines were looked at.
    fn is_over(&self, question: &Question) -> bool {
        self.next - question.opened > WAIT_BYTES && self.trial.is_none()
            || self.unlike > self.patience
            || self.cost > Searched::most(question.start)
    }

    /// Takes the left text for that of a column of a table, if the `next` line shows that it is.
    fn look_for_column(&mut self, next: &[u8]) {
        if let Some(left) = self.left.of_column(next) {
            self.alternatives = left.alternatives();
            self.left = left;
        }
    }

    /// Returns the answer that the prefix is `found`, or that there is none.
    fn answer(&mut self, found: Option<Alternative>, side: &[u8]) -> Learned {
        match found {
            Some(found) => {
                let left = std::mem::take(&mut self.left);
                Learned::Prefix(Box::new(Prefix::new(left, found, side.to_vec())))
            }
            None => Learned::None,
        }
    }

    /// Whether a line that does not carry the prefix may be a line of another source in the same log: it is blank, as
    /// the window makes the lines of substreams, or contains, before any brace or quote, the delimiter with which the
    /// prefix ends.
    fn is_alike(&self, line: &[u8]) -> bool {
        let ends = self.alternatives.iter();
        let mut ends = ends.filter_map(|one| self.left.up_to(one.cut).last());
        let delimiter = ends.find(|byte| prefix::is_delimiter(byte));
        let near = line.get(..prefix::PREFIX_LIMIT).unwrap_or(line);
        let is_first = |&delimiter: &u8| {
            let first = memchr3(delimiter, b'{', b'"', near).and_then(|at| near.get(at));
            first == Some(&delimiter)
        };
        delimiter.is_some_and(is_first) || line::is_blank_line(line)
    }

    /// Whether the line at `start`, which does not carry the prefix, shows that there is none.
    fn shows_none(&self, question: &Question, line: &[u8], start: u64) -> bool {
        let is_first = start == question.opened && self.last_resort.is_none();
        let may_show = is_first || question.about == Unfinished::Thinking;
        may_show && self.is_content(question.about, line)
    }

    /// Whether a line after the opening of something, without the prefix, is more likely its content than a line of
    /// another source.
    fn is_content(&self, about: Unfinished, line: &[u8]) -> bool {
        match about {
            Unfinished::Fence { json: false } => !self.is_alike(line),
            Unfinished::Fence { json: true } => {
                let shown = clean(line);
                let text = shown.trim_ascii();
                let begins = text.first().is_none_or(|first| begins_value(*first));
                begins || fence::marks(text).is_some()
            }
            // Almost JSON without a prefix goes on with an indented line.
            Unfinished::Almost => clean(line).first().is_some_and(prefix::is_blank),
            // Only the first line of a message carries the prefix.
            Unfinished::Thinking => thinking::closes(clean(line).trim_ascii_start()),
            Unfinished::Candidate | Unfinished::Part { .. } => false,
        }
    }

    /// Whether later lines of the same text may begin with the left text up to a cut, so that only the very next line
    /// shows it to be a prefix: it is the name of a member, or a fence stands after the marker of a list's item.
    fn may_recur(&self, about: Unfinished, cut: usize) -> bool {
        let is_marker = || {
            let text = clean(self.left.up_to(cut));
            !text.contains(&b'>') && fence::begins_block(&[&text, &b" "[..]].concat())
        };
        self.left.is_name(cut) || matches!(about, Unfinished::Fence { .. }) && is_marker()
    }

    /// Looks at the line at `start`. Returns the alternative that it decides for. Drops those that it rules out, and
    /// may begin a trial.
    fn look_at(&mut self, question: &Question, line: &[u8], start: u64) -> Option<Alternative> {
        // Most lines belong to other sources.
        if !self.left.may_begin(line) {
            return None;
        }
        let directly = start == question.opened;
        let (mut found, mut dropped) = (None, Vec::new());
        // The end of the longest match so far. After a shorter cut, what was part of it is no document.
        let mut carried = 0;
        for one in self.alternatives.clone() {
            if !directly && self.may_recur(question.about, one.cut) {
                continue;
            }
            let Some(at) = self.left.match_end(line, one) else {
                continue;
            };
            let rest = line.get(at..).unwrap_or_default();
            if at < carried {
                dropped.push(one);
                continue;
            }
            if question.about != Unfinished::Candidate {
                if one.change != Change::Digits {
                    return goes_on_with(question.about, rest).then_some(one);
                }
                let written = line.get(..at).unwrap_or_default();
                if directly {
                    self.suppose_numbered(question.about, one, (written, rest));
                    return None;
                }
                if self.numbered.as_ref().is_some_and(|first| first != written) {
                    return Some(one);
                }
                continue;
            }
            match self.read_on(one, rest, start, directly, dropped.is_empty()) {
                ControlFlow::Break(verdict) => {
                    found = verdict;
                    break;
                }
                ControlFlow::Continue(()) => {
                    carried = carried.max(at);
                    dropped.push(one);
                }
            }
        }
        if !dropped.is_empty() {
            self.alternatives.retain(|one| !dropped.contains(one));
            let most = patience(&self.left, &self.alternatives, self.again);
            self.patience = self.patience.min(most);
        }
        found
    }

    /// Reads a candidate on with the `rest` of the line at `start`. `Continue` rules the alternative out; `Break`
    /// contains what the line decides, which is nothing if it is blank. `first` says that the line has ruled out no
    /// other alternative.
    fn read_on(
        &mut self,
        one: Alternative,
        rest: &[u8],
        start: u64,
        directly: bool,
        first: bool,
    ) -> ControlFlow<Option<Alternative>> {
        if self.continued && line::next_shown(rest) == self.bracket {
            return ControlFlow::Continue(());
        }
        let begins = start <= self.stop;
        let mut scanner = self.scanner.clone();
        let step = scan_line(&mut scanner, rest, self.next);
        let blank = line::is_blank_line(rest);
        // A member that has the same name as the one around it.
        if self.left.is_name(one.cut) && scanner.in_first_name() {
            return ControlFlow::Continue(());
        }
        let failed = blank || matches!(step, Step::Broken(_));
        self.continued |= failed && directly && !blank && breaks_at_end(&self.scanner, rest);
        if failed && begins && first && (scanner.is_committed() || scanner.in_first_name()) {
            let word = self.left.up_to(one.cut).last();
            let ends = word.is_some_and(|byte| !byte.is_ascii_alphanumeric());
            // With other digits, the line may be of another source, also if it carries a shorter cut.
            if directly || ends && (blank || one.change != Change::Digits) {
                self.last_resort.get_or_insert(one);
            }
        }
        if blank {
            // A blank line does not show whether the prefix fits: the line after it may.
            if begins {
                self.stop = self.stop.max(self.next);
            }
            return ControlFlow::Break(None);
        }
        if failed {
            return ControlFlow::Continue(());
        }
        self.trial = Trial::new(&self.alternatives, &self.scanner, one, (rest, self.next));
        ControlFlow::Break(match &self.trial {
            None => Some(one),
            Some(trial) => trial.verdict(),
        })
    }

    /// Supposes that the lines are numbered, if the line after the opening carries the left text with other digits.
    /// These may also name another source: a later line with the same digits as the opening, or with others again,
    /// decides.
    fn suppose_numbered(
        &mut self,
        about: Unfinished,
        one: Alternative,
        (written, rest): (&[u8], &[u8]),
    ) {
        let is_content = match about {
            Unfinished::Fence { json: true } => self.is_content(about, rest),
            _ => goes_on_with(about, rest),
        };
        if is_content {
            self.numbered = Some(written.to_vec());
        } else if matches!(about, Unfinished::Part { .. }) {
            return;
        }
        self.last_resort = Some(one);
        self.alternatives.retain(|other| other.cut <= one.cut);
    }
}

/// Whether a candidate that does not go on after the rest of a line goes on up to its end, in a string.
fn breaks_at_end(scanner: &Scanner, rest: &[u8]) -> bool {
    let (_, step) = scanner.clone().scan(rest.trim_ascii_end(), 0, false);
    matches!(step, Step::More)
}

/// Whether the rest of a line with the same prefix goes on with what was opened. Of a part, only a closing bracket
/// does, or a member or element after a comma.
fn goes_on_with(about: Unfinished, rest: &[u8]) -> bool {
    let Unfinished::Part { goes_on } = about else {
        return true;
    };
    let first = line::next_shown(rest);
    first.is_some_and(|first| b"}]".contains(&first) || goes_on && begins_value(first))
}

/// Whether the text up to the cut of one of the alternatives ends with a delimiter, and so is not words only.
fn has_delimiter(left: &Left, alternatives: &[Alternative]) -> bool {
    let ends = |one: &Alternative| left.ends_with_delimiter(one.cut);
    alternatives.iter().any(ends)
}

/// Returns how many lines to wait for one of the alternatives. If none ends with a delimiter, and no line before
/// carries the left text `again`, these are few: prefixes are rarely just words, and `Config {` should not hold up the
/// text that follows, even if that has another prefix.
fn patience(left: &Left, alternatives: &[Alternative], again: bool) -> u32 {
    match again || has_delimiter(left, alternatives) {
        true => WAIT_LINES,
        false => WAIT_FEW_LINES,
    }
}
