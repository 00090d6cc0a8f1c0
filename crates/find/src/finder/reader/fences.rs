//! Stage `fence`: the content of markdown fences.
//!
//! A fence that announces JSON is read value by value, and text between the values is its fault. Any other fence is
//! tried in the same way, but read again as text if its content is not JSON from its first byte to its closing marks.

use memchr::memchr2;

use super::after::{MEMBER_FOLLOWS, Reach, may_be_element, member_follows};
use super::candidates::FaultReport;
use super::{
    Aside, Candidate, Context, DocumentFacts, Found, Question, ReadMode, ReadOn, Reader, Round,
    Stop, Unfinished, WITHHELD, WITHHELD_COUNT, between,
};
use crate::document::{FaultKind, Rank};
use crate::finder::fence::{self, Announced, INFO_LIMIT, Opening};
use crate::finder::line;
use crate::finder::window::Window;
use crate::prefix::{self, without_bom};
use crate::span::Position;
use jsift_json::scan::{Shape, begins_value, clean};

/// A fence whose content is being read.
#[derive(Debug)]
pub(super) struct Fence {
    opening: Opening,
    /// Where the opening marks are in the text.
    marks: u64,
    /// The position of the marks in the source, once the window has dropped them.
    position: Option<Position>,
    /// Where the content starts.
    content: u64,
    /// Documents that count only if the rest of the content is JSON as well, or if no member follows the last one.
    found: Vec<Found>,
    /// Whether the text after the last document was not looked at yet.
    unsettled: bool,
    /// Whether documents of this fence were handed on.
    delivered: bool,
}

impl Fence {
    fn announces(&self) -> bool {
        self.opening.announced == Announced::Json
    }

    /// Returns whether a fault of this fence would still be reported, at its marks and so before its content.
    pub(super) fn may_fail(&self) -> bool {
        self.announces() && !self.delivered
    }

    /// Returns whether marks inside this fence, on a line that contains `written`, open another fence instead of
    /// closing this one: they must announce JSON, and if this fence contains JSON already, more JSON must follow
    /// their line, since models write ```` ```json ```` for closing marks, too. `None` if that needs more text.
    fn opens(
        &self,
        written: &[u8],
        rest: &[u8],
        block: impl FnOnce() -> bool,
        (next, last): (usize, bool),
    ) -> Option<bool> {
        // Usually the line contains only the marks.
        if run(written) == written.len() || !announces_json(written, block()) {
            return Some(false);
        }
        if self.found.is_empty() && !self.delivered {
            // The new fence takes the place of this one, which has produced nothing so far.
            return Some(true);
        }
        begins_with_bracket(rest.get(next..).unwrap_or_default(), last)
    }

    /// Returns the position of the marks in the source.
    pub(super) fn position(&self, window: &Window) -> Position {
        self.position.unwrap_or_else(|| window.position(self.marks))
    }

    /// Remembers the position of the marks if the window drops the text before `keep`.
    pub(super) fn forget(&mut self, keep: u64, window: &Window) {
        if self.marks < keep {
            self.position = Some(self.position(window));
        }
    }

    /// Returns the first byte that is undecided while this fence is, if reading is at `at`. A fault of the fence has
    /// the position of its marks, so no noise after them is reported before the fault, except if more blanks follow
    /// than are withheld.
    pub(super) fn pending(&self, at: u64) -> u64 {
        match self.found.first() {
            _ if !self.announces() && !self.delivered => self.content,
            _ if self.may_fail() && at - self.marks <= WITHHELD => self.marks,
            Some(found) => found.start,
            None => u64::MAX,
        }
    }
}

/// Returns how often the first byte is repeated. A run longer than [`INFO_LIMIT`] counts as several, so that none needs
/// to be held however long it is.
#[inline]
fn run(text: &[u8]) -> usize {
    text.iter()
        .take(INFO_LIMIT)
        .take_while(|&byte| Some(byte) == text.first())
        .count()
}

/// Returns the first line of `text`, which starts with marks, without the blanks and colours at its end, and its length
/// including the line end; of a line longer than [`INFO_LIMIT`] the beginning. `None` if the line is not complete yet.
fn line_of_marks(text: &[u8], last: bool) -> Option<(&[u8], usize)> {
    let head = text.get(..INFO_LIMIT).unwrap_or(text);
    let found = memchr2(b'\n', b'\r', head);
    let end = match found {
        Some(end) => end,
        None if head.len() < INFO_LIMIT && !last => return None,
        None => head.len(),
    };
    let (line, after) = text.split_at_checked(end)?;
    let feed = match after {
        _ if found.is_none() => 0,
        [b'\r', b'\n', ..] => 2,
        [b'\r'] if !last => return None,
        _ => 1,
    };
    Some((prefix::shown_end(line), end + feed))
}

/// Returns whether `written`, a line that starts with marks, announces JSON. `block` says whether the marks start a
/// block.
fn announces_json(written: &[u8], block: bool) -> bool {
    run(written) < written.len()
        && fence::opening(written, block).is_some_and(|found| found.announced == Announced::Json)
}

/// Returns whether `text` starts with an opening bracket, after any blanks and colours. `None` if that needs more text.
fn begins_with_bracket(text: &[u8], last: bool) -> Option<bool> {
    let near = text.get(..INFO_LIMIT);
    let mut rest = near.unwrap_or(text);
    let all = near.is_some() || last;
    loop {
        match rest.first() {
            None => return all.then_some(false),
            Some(b'{' | b'[') => return Some(true),
            Some(_) => match between(rest, all) {
                Aside::Read(length) => rest = rest.get(length..).unwrap_or_default(),
                Aside::Incomplete => return None,
                Aside::None => return Some(false),
            },
        }
    }
}

/// Returns the facts about a document in a fence.
fn about(opening: &Opening) -> DocumentFacts<'_> {
    DocumentFacts {
        info: Some(&opening.info),
        ..DocumentFacts::default()
    }
}

const fn rank(announced: Announced) -> Rank {
    match announced {
        Announced::Json => Rank::AnnouncedFence,
        Announced::Nothing => Rank::BareFence,
        Announced::Other => Rank::OtherFence,
    }
}

impl Reader {
    /// Reads the backtick or tilde at the place of reading, in text.
    pub(super) fn marks(&mut self, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let text = window.from(self.at);
        let run = run(text);
        if run == text.len() && !last {
            return ReadOn::Wait;
        }
        if run < 3 {
            self.at += run as u64;
            return ReadOn::Go;
        }
        let Some((written, next)) = line_of_marks(text, last) else {
            return ReadOn::Wait;
        };
        if let Some(marks) = self.closing_marks(written) {
            self.open_fence = None;
            self.at += marks as u64;
            return ReadOn::Go;
        }
        let (left, begins) = self.left_of_marks(window);
        // A colour before the marks is not text, but may end a prefix.
        let (block, prefixed) = match begins.then(|| clean(left)) {
            Some(left) => (fence::begins_block(&left), !left.trim_ascii().is_empty()),
            None => (false, false),
        };
        let apart = || announces_json(written, block) || prefix::stands_apart(left);
        let opens = || fence::opening(written, true).is_some();
        let question = match self.options.prefixes && prefixed && apart() && opens() {
            true => self.question_of_marks(left, (written, block), next, window),
            false => None,
        };
        let marks = self.at;
        self.at += run as u64;
        let opening = fence::opening(written, block)
            .filter(|found| self.open_fence.is_none() || found.announced == Announced::Json);
        let otherwise = opening.map_or(ReadMode::Text, |opening| {
            let content = match opening.same_line {
                true => opening.content,
                false => next,
            };
            self.at = marks + content as u64;
            ReadMode::Fence(Box::new(Fence {
                opening,
                marks,
                position: None,
                content: self.at,
                found: Vec::new(),
                unsettled: false,
                delivered: false,
            }))
        });
        self.ask(question, otherwise)
    }

    /// Returns the question about the marks at the place of reading. `left` is the text before them, `written` the line
    /// from the marks on, and the next line starts `next` bytes further on.
    fn question_of_marks(
        &mut self,
        left: &[u8],
        (written, block): (&[u8], bool),
        next: usize,
        window: &Window,
    ) -> Option<Question> {
        let line = self.line(window, self.at).start;
        let json = announces_json(written, block);
        let place = (line, self.at, self.at + next as u64);
        let about = Unfinished::Fence { json };
        (json || self.open_fence.is_none()).then(|| Question::of_line(place, left, written, about))
    }

    /// Returns the number of marks that `written` starts with if they close the open fence.
    fn closing_marks(&self, written: &[u8]) -> Option<usize> {
        let marks = fence::closing(written, self.open_fence.as_ref()?)?;
        let after = written.get(marks..)?;
        line::is_blank(after).then_some(marks)
    }

    /// Returns the visible text before the marks on their line, and whether it goes back to the start of the line.
    fn left_of_marks<'a>(&mut self, window: &'a Window) -> (&'a [u8], bool) {
        let line = self.line(window, self.at);
        let shown = self.shown(line, self.at, window);
        // Text that starts farther before the marks is neither an indent nor a log prefix.
        let near = shown.max(self.at.saturating_sub(INFO_LIMIT as u64));
        let begins = near == shown && (line.whole || shown > line.start);
        (without_bom(window.slice(near, self.at)), begins)
    }

    /// Reads on inside a fence, before a value or the closing marks.
    pub(super) fn fence(&mut self, mut fence: Box<Fence>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        self.open_fence = None;
        if fence.unsettled {
            match member_follows(window.from(self.at), Reach::Lines, last) {
                None => {
                    self.mode = ReadMode::Fence(fence);
                    return ReadOn::Wait;
                }
                Some(true) => return self.leave_closed_early(&fence, round),
                Some(false) => self.settle_fence(&mut fence, round),
            }
        }
        loop {
            let rest = window.from(self.at);
            let Some(&byte) = rest.first() else {
                if !last {
                    self.mode = ReadMode::Fence(fence);
                    return ReadOn::Wait;
                }
                self.end_fence(&fence, "the input ends after its opening marks", round);
                return ReadOn::Go;
            };
            match byte {
                b'`' | b'~' => return self.marks_in_fence(fence, round),
                b',' if fence.delivered || !fence.found.is_empty() => self.at += 1,
                _ if begins_value(byte) => {
                    let start = self.at;
                    self.begin(start);
                    let context = Context::Fence(fence);
                    let candidate = Candidate::new(start, context);
                    return self.candidate(candidate, round);
                }
                _ => match between(rest, last) {
                    Aside::Read(length) => self.at += length as u64,
                    Aside::Incomplete => {
                        self.mode = ReadMode::Fence(fence);
                        return ReadOn::Wait;
                    }
                    Aside::None => break,
                },
            }
        }
        self.leave_broken_fence(&fence, round)
    }

    /// Reads the marks at which a fence goes on: they close it, or open another one.
    fn marks_in_fence(&mut self, fence: Box<Fence>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let rest = window.from(self.at);
        let line = line_of_marks(rest, last);
        let block = || {
            let (left, begins) = self.left_of_marks(window);
            begins && fence::begins_block(&clean(left))
        };
        let opens =
            line.and_then(|(written, next)| fence.opens(written, rest, block, (next, last)));
        let (Some((written, _)), Some(opens)) = (line, opens) else {
            self.mode = ReadMode::Fence(fence);
            return ReadOn::Wait;
        };
        if opens {
            self.deliver_fence(&fence, round);
            return ReadOn::Go;
        }
        let Some(marks) = fence::closing(written, &fence.opening.marks) else {
            return self.leave_broken_fence(&fence, round);
        };
        self.end_fence(&fence, "nothing stands between its marks", round);
        self.at += marks as u64;
        ReadOn::Go
    }

    /// Hands on the documents of a fence that count whatever follows.
    fn settle_fence(&mut self, fence: &mut Fence, round: &mut Round<'_>) {
        let first = fence.found.first();
        let begins = first.is_some_and(|found| found.shape.is_any(Shape::CONTAINER));
        let far = first.is_some_and(|found| self.at - found.start > WITHHELD);
        let many = fence.found.len() > 1 && (far || fence.found.len() > WITHHELD_COUNT);
        let is_alone = || {
            let after = round.window.from(self.at);
            fence.found.len() == 1 && !may_be_element(after, round.last)
        };
        if fence.delivered || many || fence.announces() && begins && is_alone() {
            self.deliver_fence(fence, round);
            fence.found.clear();
            fence.delivered = true;
        }
        fence.unsettled = false;
    }

    /// Leaves a fence whose last document is closed too early: a member of it follows.
    fn leave_closed_early(&mut self, fence: &Fence, round: &mut Round<'_>) -> ReadOn {
        self.open_fence = Some(fence.opening.marks);
        if !fence.announces() && !fence.delivered {
            self.at = fence.content;
            return ReadOn::Go;
        }
        let start = fence.found.last().map_or(self.at, |found| found.start);
        let stop = Stop::new(self.at, FaultKind::Broken, MEMBER_FOLLOWS);
        self.report_fence(fence, start, stop, round);
        // The member that follows is inside the bracket that was closed.
        self.skip_remains(start, Stop { depth: 1, ..stop }, round.window);
        ReadOn::Go
    }

    /// Leaves a fence that contains something other than values.
    fn leave_broken_fence(&mut self, fence: &Fence, round: &mut Round<'_>) -> ReadOn {
        let stop = Stop::new(
            self.at,
            FaultKind::Broken,
            "expected a value or the closing marks",
        );
        self.leave_fence(fence, stop, round);
        ReadOn::Go
    }

    /// Ends a fence at its closing marks or the end of input: delivers its documents, or reports for this reason that
    /// it has none.
    fn end_fence(&mut self, fence: &Fence, reason: &'static str, round: &mut Round<'_>) {
        if !fence.found.is_empty() || fence.delivered {
            self.deliver_fence(fence, round);
        } else if fence.announces() {
            let stop = Stop::new(self.at, FaultKind::Empty, reason);
            self.report_fence(fence, stop.at, stop, round);
        }
    }

    /// Hands on the documents of a fence that were not handed on yet.
    fn deliver_fence(&mut self, fence: &Fence, round: &mut Round<'_>) {
        for found in &fence.found {
            self.deliver_with(found, about(&fence.opening), round);
        }
    }

    /// Leaves a fence that has something other than a value at `stop`.
    fn leave_fence(&mut self, fence: &Fence, stop: Stop, round: &mut Round<'_>) {
        if !fence.announces() && !fence.delivered {
            self.at = fence.content;
        } else if !fence.delivered {
            self.report_fence(fence, stop.at, stop, round);
        }
        self.open_fence = Some(fence.opening.marks);
    }

    pub(super) fn found_in_fence(&mut self, mut fence: Box<Fence>, mut found: Found) {
        found.rank = rank(fence.opening.announced);
        if !found.shape.is_any(Shape::CONTAINER) && !fence.announces() && !fence.delivered {
            self.at = fence.content;
            self.open_fence = Some(fence.opening.marks);
            return;
        }
        fence.found.push(found);
        fence.unsettled = true;
        self.mode = ReadMode::Fence(fence);
    }

    /// Fails a value in a fence that cannot be read on.
    pub(super) fn fail_in_fence(
        &mut self,
        fence: &Fence,
        start: u64,
        stop: Stop,
        round: &mut Round<'_>,
    ) {
        self.open_fence = Some(fence.opening.marks);
        if !fence.announces() && !fence.delivered {
            self.at = fence.content;
            return;
        }
        self.report_fence(fence, start, stop, round);
        if stop.depth == 0 && stop.kind != FaultKind::Limit {
            self.at = stop.at.max(start + 1);
        } else {
            self.fail_at(start, stop, FaultReport::Done, round);
        }
    }

    /// Reports a fence of which the value at `start` cannot be read.
    fn report_fence(&mut self, fence: &Fence, start: u64, stop: Stop, round: &mut Round<'_>) {
        self.report_decided_noise(fence.marks, round);
        let mut fault = self.describe(start, stop, round.window);
        fault.position = fence.position(round.window);
        fault.fence = Some(fence.opening.info.clone().into_owned());
        self.report_fault(fault, round);
    }
}
