//! Stage `whole`: reads the source as a sequence of JSON values for as long as it is nothing else.

use super::after::{Reach, member_follows};
use super::headless::ends_indent;
use super::{
    Aside, Candidate, Context, Found, ReadMode, ReadOn, Reader, Round, Tail, WITHHELD,
    WITHHELD_COUNT, between,
};
use crate::document::Rank;
use crate::finder::window::Window;
use crate::finder::{Parts, line, weak};
use crate::prefix::is_blank;
use jsift_json::scan::{Shape, begins_value};

/// What was found while the source was nothing but JSON.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The documents since the first one that might not count if the source were not whole.
    pub(super) withheld: Vec<Found>,
    /// Whether so much was withheld that documents count from now on.
    confirmed: bool,
    /// Whether a value was found.
    pub(super) any: bool,
    /// Why the document that is withheld may be a part of a larger one.
    doubt: Doubt,
}

/// Why a document that would count may be a part of a larger one, which what follows it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Doubt {
    #[default]
    None,
    /// It is indented, and may be an element of an array whose start is missing: the next byte shows it.
    Indented,
    /// A member may follow it: the text after it shows it.
    Adjacent,
}

impl Reader {
    /// Reads on between the values of a source that has been nothing but JSON.
    pub(super) fn between_values(&mut self, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        loop {
            match self.is_closed_early(round) {
                None => return ReadOn::Wait,
                Some(true) => break,
                Some(false) => {}
            }
            let rest = window.from(self.at);
            match rest.first() {
                None => return ReadOn::Wait,
                Some(b'"') if self.doubles_quote(window) => break,
                Some(&byte) if begins_value(byte) => {
                    self.settle_doubt(Doubt::Indented, round);
                    let start = self.at;
                    self.begin(start);
                    match self.read(start, rest, round) {
                        Ok(found) => self.found_value(&found, round),
                        Err(stop) => {
                            let candidate = Candidate::new(start, Context::Whole);
                            return self.pause(candidate, stop, round);
                        }
                    }
                }
                Some(_) => match between(rest, last) {
                    Aside::Read(length) => {
                        self.at += length as u64;
                        self.count_beyond_bound(round);
                    }
                    Aside::Incomplete => return ReadOn::Wait,
                    Aside::None => break,
                },
            }
        }
        let records = self.records_before(self.at, round.window);
        self.end_whole(self.at, round);
        if let Some(records) = records {
            self.mode = ReadMode::Tail(Box::new(records));
        }
        ReadOn::Go
    }

    /// Whether a quotation mark directly after a string doubles the one that ends it, as in a field of CSV: `"{""a"":
    /// 1}"`.
    fn doubles_quote(&self, window: &Window) -> bool {
        let at = self.at;
        let last = self.whole.as_ref().and_then(|whole| whole.withheld.last());
        last.is_some_and(|last| last.end == at) && window.slice(at - 1, at) == b"\""
    }

    /// Returns the records of which the document before `at` is the last one, if a comma or a closing bracket is there.
    fn records_before(&self, at: u64, window: &Window) -> Option<Tail> {
        let whole = self.whole.as_ref()?;
        let record = self.last_strong.filter(|_| whole.withheld.is_empty())?;
        let goes_on = matches!(window.from(at).first(), Some(b',' | b'}' | b']'));
        let blank = line::is_blank(window.slice(record.end, at));
        (goes_on && blank && self.options.parts == Parts::Refused).then(|| Tail::of_records(record))
    }

    /// Lets the documents count that are withheld, if so much blank text follows them that it would have to be kept.
    fn count_beyond_bound(&mut self, round: &mut Round<'_>) {
        let at = self.at;
        let beyond = |first: &Found| at - first.start > WITHHELD;
        if let Some(whole) = self.whole.as_mut()
            && whole.withheld.first().is_some_and(beyond)
        {
            whole.confirmed = true;
            let withheld = std::mem::take(&mut whole.withheld);
            self.deliver_all(&withheld, round);
        }
    }

    #[inline(always)]
    pub(super) fn found_value(&mut self, found: &Found, round: &mut Round<'_>) {
        let Some(whole) = self.whole.as_mut() else {
            return;
        };
        whole.any = true;
        let found = Found {
            rank: Rank::Whole,
            ..*found
        };
        let certain = (whole.confirmed && !may_be_prefix(&found, round.window))
            || (weak::is_strong(found.shape) && self.options.embedded);
        if !certain || !whole.withheld.is_empty() {
            self.withhold(found, certain, round);
            return;
        }
        let doubt = match self.is_indented(&found, round.window) {
            true => Doubt::Indented,
            false if self.may_be_closed_early(&found, round) => Doubt::Adjacent,
            false => return self.deliver(&found, round),
        };
        if let Some(whole) = self.whole.as_mut() {
            whole.doubt = doubt;
            whole.withheld.push(found);
        }
    }

    /// Whether a member may follow a document, as far as the text after it is there.
    #[inline(always)]
    fn may_be_closed_early(&self, found: &Found, round: &Round<'_>) -> bool {
        let after = round.window.from(found.end);
        self.options.parts != Parts::Counted
            && !matches!(after.first(), Some(b'\n' | b'\r'))
            && member_follows(after, Reach::Line, round.last) != Some(false)
    }

    /// Whether a document is first on its line, after an indent, which may be missing.
    #[inline(always)]
    fn is_indented(&mut self, found: &Found, window: &Window) -> bool {
        self.options.parts != Parts::Counted
            && (ends_indent(found.start, window) && self.begins_line(found.start, window)
                || self.closes_deeper(found, window))
    }

    /// Whether a member follows the document that is withheld, and hands that on if not. `None` if that needs more
    /// text.
    fn is_closed_early(&mut self, round: &mut Round<'_>) -> Option<bool> {
        let whole = self.whole.as_ref();
        let adjacent = whole.filter(|whole| whole.doubt == Doubt::Adjacent);
        let Some(end) = adjacent.and_then(|whole| Some(whole.withheld.last()?.end)) else {
            return Some(false);
        };
        let follows = member_follows(round.window.from(end), Reach::Line, round.last)?;
        if !follows {
            self.settle_doubt(Doubt::Adjacent, round);
        }
        Some(follows)
    }

    /// Hands on the document that is withheld, if it is for this reason.
    fn settle_doubt(&mut self, doubt: Doubt, round: &mut Round<'_>) {
        if let Some(whole) = self.whole.as_mut()
            && whole.doubt == doubt
        {
            whole.doubt = Doubt::None;
            let withheld = std::mem::take(&mut whole.withheld);
            self.deliver_all(&withheld, round);
        }
    }

    /// Withholds a document that might not count if the source turns out not to be whole, or that comes after such a
    /// document.
    #[inline(never)]
    fn withhold(&mut self, found: Found, certain: bool, round: &mut Round<'_>) {
        let window = round.window;
        let prefixes = self.prefixes_of(&found, window);
        let Some(whole) = self.whole.as_mut() else {
            return;
        };
        whole.withheld.truncate(whole.withheld.len() - prefixes);
        let goes_on = |last: &Found| {
            may_be_prefix(&found, window) && on_one_line(last.end, found.start, window)
        };
        let mut decided = Vec::new();
        // Once `confirmed`, only documents that may be a log prefix are withheld.
        if whole.confirmed && !whole.withheld.last().is_some_and(goes_on) {
            decided.append(&mut whole.withheld);
        }
        whole.withheld.push(found);
        let first = whole.withheld.first().map_or(found.start, |one| one.start);
        if certain && first == found.start {
            decided.append(&mut whole.withheld);
        } else if found.end - first > WITHHELD || whole.withheld.len() > WITHHELD_COUNT {
            whole.confirmed = true;
            decided.append(&mut whole.withheld);
        }
        self.deliver_all(&decided, round);
    }

    /// Returns how many of the documents withheld last are not documents but the log prefix of `found`: numbers, bare
    /// or each in an array, at the start of its line (`[0] {"a":1}`, `[   12.345678] {"a":1}`, `1709294400 {"a":1}`).
    fn prefixes_of(&mut self, found: &Found, window: &Window) -> usize {
        let many = found.shape.is_any(Shape::CONTAINER) && !may_be_prefix(found, window);
        let withheld = self.whole.as_ref().map(|whole| &whole.withheld);
        let Some(withheld) = withheld.filter(|_| many) else {
            return 0;
        };
        let mut start = found.start;
        let mut count = 0;
        for before in withheld.iter().rev() {
            let may_be = may_be_prefix(before, window);
            if !may_be || !on_one_line(before.end, start, window) {
                break;
            }
            start = before.start;
            count += 1;
        }
        if count > 0 && !self.options.loose && self.begins_line(start, window) {
            count
        } else {
            0
        }
    }

    /// Ends stage `whole` wherever reading is, because the source has text of others, which is not read here.
    pub(crate) fn leave_whole(&mut self, round: &mut Round<'_>) {
        self.wants = round.visitor.wants();
        (self.options.string, self.options.whole) = (false, false);
        match &mut self.mode {
            ReadMode::Text => self.end_whole(self.at, round),
            ReadMode::Candidate(candidate) if matches!(candidate.context, Context::Whole) => {
                if candidate.held.is_some() {
                    candidate.context = Context::Text;
                    self.whole = None;
                } else {
                    let start = candidate.start;
                    self.mode = ReadMode::Text;
                    self.end_whole(start, round);
                }
            }
            _ => {}
        }
    }

    /// Whether stage `whole` has not ended.
    pub(crate) const fn reads_values(&self) -> bool {
        self.whole.is_some()
    }

    /// Ends stage `whole`, because something other than JSON is at `at`. What was withheld is read again as text.
    pub(super) fn end_whole(&mut self, at: u64, round: &mut Round<'_>) {
        let Some(whole) = self.whole.take() else {
            return;
        };
        self.at = match whole.withheld.first() {
            Some(first) => first.start,
            None => at,
        };
        self.report_noise(self.at, round);
    }
}

/// Whether a value is a number, bare or in an array, which may be a part of the log prefix of a document after it.
fn may_be_prefix(found: &Found, window: &Window) -> bool {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    found.shape.is(Shape::ONE_NUMBER) || window.from(found.start).first().is_some_and(is_number)
}

/// Returns whether two values are on one line with a blank between them.
fn on_one_line(end: u64, start: u64, window: &Window) -> bool {
    let between = window.slice(end, start);
    between.iter().any(is_blank) && line::is_gap(between)
}
