//! Stage `fence`: the content of markdown fences.
//!
//! A fence that announces JSON is read value by value; what is no value there is its fault. Any other fence is tried in
//! the same way, and if its content is not JSON from its first byte to its closing marks, it is read again as text.

use memchr::memchr2;

use super::asks::Unanswered;
use super::{
    Between, Candidate, Context, DocumentFacts, Found, Question, ReadMode, ReadOn, Reader, Round,
    Stop, Unfinished, WITHHELD, WITHHELD_COUNT, between,
};
use crate::document::{FaultKind, Rank};
use crate::find::fence::{self, Announced, INFO_LIMIT, Opening};
use crate::find::prefix::{self, without_mark};
use crate::find::weak;
use crate::find::window::Window;
use crate::json::scan::{Shape, clean};
use crate::span::Position;

/// A fence whose content is being read.
#[derive(Debug)]
pub(super) struct Fence {
    opening: Opening,
    /// Where its marks stand in the text.
    marks: u64,
    /// Where they stand in the source, once they are forgotten.
    position: Option<Position>,
    /// Where its content begins.
    content: u64,
    /// Documents that count only if the rest of the content is JSON, too.
    found: Vec<Found>,
    /// Documents of it have been handed on.
    delivered: bool,
}

impl Fence {
    fn announces(&self) -> bool {
        self.opening.announced == Announced::Json
    }

    /// Whether a fault would be told of its marks before anything that it holds.
    pub(super) fn may_fail(&self) -> bool {
        self.announces() && !self.delivered
    }

    /// Whether marks in it, with what is `written` on their line, open another fence instead of closing this one: they announce
    /// JSON, and if this one holds some already, more of it stands behind their line. Models write ```` ```json ```` for closing
    /// marks, too. `None` if that is not there yet.
    fn opens(&self, written: &[u8], rest: &[u8], next: usize, last: bool) -> Option<bool> {
        if !announces_json(written) {
            return Some(false);
        }
        if self.found.is_empty() && !self.delivered {
            // It takes the place of one that has come to nothing so far.
            return Some(true);
        }
        begins_with_bracket(rest.get(next..).unwrap_or_default(), last)
    }

    /// Where its marks stand in the source.
    pub(super) fn position(&self, window: &Window) -> Position {
        self.position.unwrap_or_else(|| window.position(self.marks))
    }

    /// Says that what stands before `keep` is forgotten.
    pub(super) fn forget(&mut self, keep: u64, window: &Window) {
        if self.marks < keep {
            self.position = Some(self.position(window));
        }
    }

    /// The first byte that is not decided with it, where reading stands `at`. A fault of the fence has the place of its marks,
    /// so nothing after them is told as noise before the fault, except where more blanks follow than are withheld.
    pub(super) fn pending(&self, at: u64) -> u64 {
        match self.found.first() {
            _ if !self.announces() && !self.delivered => self.content,
            _ if self.may_fail() && at - self.marks <= WITHHELD => self.marks,
            Some(found) => found.start,
            None => u64::MAX,
        }
    }
}

/// How often the first byte is repeated. A run of more than a line's worth of marks is several, so that none has to be
/// held however long it is.
#[inline]
fn run(text: &[u8]) -> usize {
    text.iter()
        .take(INFO_LIMIT)
        .take_while(|&byte| Some(byte) == text.first())
        .count()
}

/// What stands on the line of the marks that `text` begins with, and how many bytes that is with the end of the line.
/// `None` if it is not there yet.
fn line_of_marks(text: &[u8], last: bool) -> Option<(&[u8], usize)> {
    let head = text.get(..INFO_LIMIT).unwrap_or(text);
    let end = match memchr2(b'\n', b'\r', head) {
        Some(end) => end,
        None if head.len() < INFO_LIMIT && !last => return None,
        None => head.len(),
    };
    let (line, behind) = text.split_at_checked(end)?;
    let feed = match behind {
        [b'\r', b'\n', ..] => 2,
        [b'\r'] if !last => return None,
        [] => 0,
        _ => 1,
    };
    Some((line, end + feed))
}

/// Whether a fence that the marks open which `written` begins with goes on behind their line.
fn goes_on(written: &[u8]) -> bool {
    let closed = |open| {
        let line = written.trim_ascii_end();
        let marks = line.iter().rev().take_while(|&&byte| byte == open).count();
        (3..line.len()).contains(&marks)
    };
    fence::opening(written, true).is_some_and(|opening| !closed(opening.marks.byte))
}

/// Whether the line of marks that `written` holds announces JSON.
fn announces_json(written: &[u8]) -> bool {
    #[inline(never)]
    fn announced(written: &[u8]) -> bool {
        fence::opening(written, false).is_some_and(|found| found.announced == Announced::Json)
    }
    // Mostly the marks are all that is written.
    run(written) < written.len() && announced(written)
}

/// Whether a text begins with blanks and colours and an opening bracket. `None` if that is not there yet.
fn begins_with_bracket(text: &[u8], last: bool) -> Option<bool> {
    let near = text.get(..INFO_LIMIT);
    let mut rest = near.unwrap_or(text);
    let all = near.is_some() || last;
    loop {
        match rest.first() {
            None => return all.then_some(false),
            Some(b'{' | b'[') => return Some(true),
            Some(_) => match between(rest, all) {
                Between::Read(length) => rest = rest.get(length..).unwrap_or_default(),
                Between::Unknown => return None,
                Between::Nothing => return Some(false),
            },
        }
    }
}

/// What is known of a document in a fence.
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
    /// Reading stands at a backtick or tilde of text.
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
        // A colour before the marks is no text; it may be the end of a prefix.
        let block = begins && fence::begins_block(&clean(left));
        let apart = || announces_json(written) || prefix::stands_apart(left);
        // The lines of a list's item do not begin with its marker, as those of a quotation do.
        let item = block && !left.contains(&b'>');
        let behind_text = begins && !item && apart() && goes_on(written);
        if behind_text
            && self.options.prefixes
            && self.asked_marks != Some(self.at)
            && let Some(question) = self.question_of_marks(left.to_vec(), written, next, window)
        {
            self.asked_marks = Some(self.at);
            return self.ask(question, Unanswered::Fence);
        }
        let opening = fence::opening(written, block)
            .filter(|found| self.open_fence.is_none() || found.announced == Announced::Json);
        let Some(opening) = opening else {
            self.at += run as u64;
            return ReadOn::Go;
        };
        let content = self.at
            + match opening.same_line {
                true => opening.content,
                false => next,
            } as u64;
        self.open_fence = None;
        let fence = Box::new(Fence {
            opening,
            marks: self.at,
            position: None,
            content,
            found: Vec::new(),
            delivered: false,
        });
        self.at = content;
        self.fence(fence, round)
    }

    /// The question about marks with `left` before them, with what is `written` on their line, behind which the `next` one
    /// begins.
    fn question_of_marks(
        &mut self,
        left: Vec<u8>,
        written: &[u8],
        next: usize,
        window: &Window,
    ) -> Option<Question> {
        let line = self.line(window, self.at).start;
        let json = announces_json(written);
        let side = prefix::side_at_end(&left, written).to_vec();
        let opened = self.at + next as u64;
        (json || self.open_fence.is_none()).then_some(Question {
            start: self.at,
            line,
            head: opened,
            opened,
            stop: opened,
            left,
            side,
            about: Unfinished::Fence { json },
        })
    }

    /// How many marks close the open fence, if those do that `written` begins with.
    fn closing_marks(&self, written: &[u8]) -> Option<usize> {
        let marks = fence::closing(written, self.open_fence.as_ref()?)?;
        let behind = written.get(marks..)?;
        weak::is_blank(behind, false).then_some(marks)
    }

    /// What is shown before the marks on their line, and whether that is all of it.
    fn left_of_marks<'a>(&mut self, window: &'a Window) -> (&'a [u8], bool) {
        let line = self.line(window, self.at);
        // What stands far before the marks is neither an indent nor a log prefix.
        let near = line.start.max(self.at.saturating_sub(INFO_LIMIT as u64));
        let left = window.slice(near, self.at);
        let shown = weak::shown(left);
        let begins = shown.len() < left.len() || (near == line.start && line.whole);
        (without_mark(shown), begins)
    }

    /// Inside a fence, before a value or the closing marks.
    pub(super) fn fence(&mut self, fence: Box<Fence>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        loop {
            let rest = window.from(self.at);
            let Some(&byte) = rest.first() else {
                if !last {
                    self.mode = ReadMode::Fence(fence);
                    return ReadOn::Wait;
                }
                self.end_fence(&fence, false, round);
                return ReadOn::Go;
            };
            match byte {
                b'`' | b'~' => {
                    let line = line_of_marks(rest, last);
                    let opens =
                        line.and_then(|(written, next)| fence.opens(written, rest, next, last));
                    let (Some((written, _)), Some(opens)) = (line, opens) else {
                        self.mode = ReadMode::Fence(fence);
                        return ReadOn::Wait;
                    };
                    if opens {
                        self.deliver_fence(&fence, round);
                        return ReadOn::Go;
                    }
                    let Some(marks) = fence::closing(written, &fence.opening.marks) else {
                        break;
                    };
                    self.end_fence(&fence, true, round);
                    self.at += marks as u64;
                    return ReadOn::Go;
                }
                b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                    let start = self.at;
                    self.begin(start);
                    let context = Context::Fence(fence);
                    let candidate = Candidate::new(start, context);
                    return self.candidate(candidate, round);
                }
                _ => match between(rest, last) {
                    Between::Read(length) => self.at += length as u64,
                    Between::Unknown => {
                        self.mode = ReadMode::Fence(fence);
                        return ReadOn::Wait;
                    }
                    Between::Nothing => break,
                },
            }
        }
        let stop = Stop {
            at: self.at,
            kind: FaultKind::Broken,
            reason: "expected a value or the closing marks",
        };
        self.leave_fence(&fence, stop, round);
        ReadOn::Go
    }

    /// The closing marks or the end of input behind values, or behind none.
    fn end_fence(&mut self, fence: &Fence, closed: bool, round: &mut Round<'_>) {
        if fence.found.is_empty() && !fence.delivered {
            if fence.announces() {
                let stop = Stop {
                    at: self.at,
                    kind: FaultKind::Empty,
                    reason: if closed {
                        "nothing stands between its marks"
                    } else {
                        "the input ends behind its opening marks"
                    },
                };
                self.tell_fence(fence, stop, 0, round);
            }
            return;
        }
        self.deliver_fence(fence, round);
    }

    /// Hands on what a fence holds.
    fn deliver_fence(&mut self, fence: &Fence, round: &mut Round<'_>) {
        for found in &fence.found {
            self.deliver_with(found, about(&fence.opening), round);
        }
    }

    /// Something that is no value stands at `stop` in a fence.
    fn leave_fence(&mut self, fence: &Fence, stop: Stop, round: &mut Round<'_>) {
        if !fence.announces() && !fence.delivered {
            self.at = fence.content;
        } else if !fence.delivered {
            self.tell_fence(fence, stop, 0, round);
        }
        self.open_fence = Some(fence.opening.marks);
    }

    pub(super) fn found_in_fence(
        &mut self,
        mut fence: Box<Fence>,
        mut found: Found,
        round: &mut Round<'_>,
    ) {
        found.rank = rank(fence.opening.announced);
        let container = found.shape.is_any(Shape::CONTAINER);
        if fence.delivered || (fence.announces() && container && fence.found.is_empty()) {
            self.deliver_with(&found, about(&fence.opening), round);
            fence.delivered = true;
        } else if container || fence.announces() {
            let end = found.end;
            fence.found.push(found);
            let many = end - fence.content > WITHHELD || fence.found.len() > WITHHELD_COUNT;
            if many && fence.found.len() > 1 {
                self.deliver_fence(&fence, round);
                fence.found.clear();
                fence.delivered = true;
            }
        } else {
            self.at = fence.content;
            self.open_fence = Some(fence.opening.marks);
            return;
        }
        self.mode = ReadMode::Fence(fence);
    }

    /// A value in a fence cannot be read on.
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
        let depth = self.scanner.depth();
        self.tell_fence(fence, stop, depth, round);
        if depth == 0 {
            self.at = stop.at.max(start + 1);
        } else {
            self.fail_at(start, stop, false, round);
        }
    }

    fn tell_fence(&mut self, fence: &Fence, stop: Stop, depth: usize, round: &mut Round<'_>) {
        self.tell_noise(fence.marks, round);
        let mut fault = self.describe(stop.at, stop, depth, round.window);
        fault.position = fence.position(round.window);
        fault.fence = Some(fence.opening.info.clone().into_owned());
        self.tell(fault, round);
    }
}
