//! Decides which documents count: strong ones are handed on, weak ones wait for a strong one next to them, or for the
//! end.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::left::LeftText;
use super::{
    DocumentFacts, Found, LEFT_KEPT, Lines, ReadMode, ReadOn, Reader, Round, WITHHELD,
    WITHHELD_COUNT,
};
use crate::document::{Document, Origin, OwnedDocument, Place, Rank, Stage};
use crate::finder::fence::begins_block;
use crate::finder::line;
use crate::finder::weak::{self, AfterDocument};
use crate::finder::window::Window;
use crate::prefix::Left;
use crate::span::Position;
use jsift_json::scan::{Shape, clean};
use jsift_json::tape::MarkLayout;

/// How many bytes before the box of a task are searched for its list marker.
const MARKER: u64 = 64;

/// How many bytes of a line before a document show that it stands in the string of a member.
const MEMBER: u64 = 512;

impl Reader {
    /// Decides whether a complete embedded document counts.
    pub(super) fn count(&mut self, found: &Found, round: &mut Round<'_>) -> ReadOn {
        if !self.options.embedded {
            return ReadOn::Go;
        }
        if self.may_be_part(found, round.window) {
            return self.suspected(found, None, round);
        }
        self.count_sure(found, round)
    }

    /// Decides whether a complete embedded document counts that may be a part, as the text around it shows. `left` is
    /// what the text before it says, if that was looked at.
    pub(super) fn suspected(
        &mut self,
        found: &Found,
        left: Option<Box<LeftText>>,
        round: &mut Round<'_>,
    ) -> ReadOn {
        self.suspect(found, left, round)
            .unwrap_or_else(|| self.count_sure(found, round))
    }

    /// Decides whether a complete embedded document counts that is no part of a larger one.
    pub(super) fn count_sure(&mut self, found: &Found, round: &mut Round<'_>) -> ReadOn {
        if weak::is_strong(found.shape) || self.options.loose {
            if !self.alongside.is_empty() {
                self.end_alongside(found.start, round);
            }
            self.deliver(found, round);
            return ReadOn::Go;
        }
        self.count_unsure(*found, round)
    }

    /// Decides by the text around a document that is not strong whether it counts.
    #[inline(never)]
    fn count_unsure(&mut self, found: Found, round: &mut Round<'_>) -> ReadOn {
        let window = round.window;
        let left = window.slice(found.start.saturating_sub(LEFT_KEPT), found.start);
        let empty_object = found.shape.is(Shape::OBJECT) && !found.shape.is(Shape::FILLED);
        // Nothing prints an empty object on two lines, but many logs mark what they enter and leave that way.
        let parted = empty_object && memchr(b'\n', window.slice(found.start, found.end)).is_some();
        if parted || weak::is_never(found.shape, left) {
            return ReadOn::Go;
        }
        let line = self.line(window, found.start);
        let near = line.whole && found.start - line.start < MEMBER;
        if near && weak::is_in_member(window.slice(line.start, found.start)) {
            return ReadOn::Go;
        }
        // Text after a strong document separates it from all later ones.
        self.last_strong = self.last_strong.filter(|last| {
            last.end >= window.base() && line::is_gap(window.slice(last.end, found.start))
        });
        if self.last_strong.is_some() {
            self.deliver(&found, round);
            return ReadOn::Go;
        }
        self.weigh(found, round)
    }

    /// Decides by the text after a document that is neither strong nor next to a strong one whether it counts.
    pub(super) fn weigh(&mut self, found: Found, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let after = weak::after(window.from(found.end), last);
        if after == AfterDocument::Unknown {
            self.mode = ReadMode::Weighing(found);
            return ReadOn::Wait;
        }
        if after == AfterDocument::LineEnd && self.begins_line(found.start, window) {
            self.deliver(&found, round);
            return ReadOn::Go;
        }
        let goes_on = self.goes_on_alongside(found.start, window);
        if !goes_on && after != AfterDocument::Bracket {
            match self.stands_after_prefix(&found, round) {
                None => {
                    self.mode = ReadMode::Weighing(found);
                    return ReadOn::Wait;
                }
                Some(true) => {
                    self.settle_alongside(round);
                    self.deliver(&found, round);
                    return ReadOn::Go;
                }
                Some(false) => {}
            }
        }
        if !goes_on {
            self.settle_alongside(round);
        }
        let first = self
            .alongside
            .first()
            .map_or(found.start, |first| first.start);
        if found.end - first > WITHHELD || self.alongside.len() >= WITHHELD_COUNT {
            self.settle_alongside(round);
        }
        if after == AfterDocument::Bracket {
            self.alongside.push(found);
        } else {
            self.settle_alongside(round);
            if after == AfterDocument::Text && self.is_of_text(&found, window) {
                return ReadOn::Go;
            }
            self.keep_weak(found, round);
        }
        ReadOn::Go
    }

    /// Returns whether only blanks precede `start` on its line.
    pub(super) fn begins_line(&mut self, start: u64, window: &Window) -> bool {
        let line = self.line(window, start);
        line.whole && line::is_blank(window.slice(line.start, start))
    }

    /// Returns whether only blanks and commas separate `start` from the weak documents before it.
    fn goes_on_alongside(&self, start: u64, window: &Window) -> bool {
        let last = self.alongside.last();
        last.is_some_and(|last| line::is_gap(window.slice(last.end, start)))
    }

    /// Decides about the weak documents before a strong one at `start`: those directly before it are strong, too.
    #[inline(never)]
    fn end_alongside(&mut self, start: u64, round: &mut Round<'_>) {
        let window = round.window;
        if self.goes_on_alongside(start, window) {
            let mut alongside = std::mem::take(&mut self.alongside);
            alongside.retain(|found| !self.is_of_text(found, window));
            self.deliver_all(&alongside, round);
        } else {
            self.settle_alongside(round);
        }
    }

    /// Keeps the documents that waited for a strong one next to them as weak.
    pub(super) fn settle_alongside(&mut self, round: &mut Round<'_>) {
        for found in std::mem::take(&mut self.alongside) {
            self.keep_weak(found, round);
        }
    }

    /// Keeps a weak document until something better is found. If too much would be kept, weak documents count from then
    /// on.
    fn keep_weak(&mut self, mut found: Found, round: &mut Round<'_>) {
        let window = round.window;
        if self.strong || self.fault || self.is_task(&found, window) {
            return;
        }
        let length = found.end - found.start;
        self.fallback.make_room(length, round.visitor);
        found.rank = Rank::Weak;
        let about = DocumentFacts::default();
        if self.fallback.weak_counts {
            return hand_on(&found, about, None, round);
        }
        let (fallback, wants_parts) = (&mut self.fallback, round.visitor.wants().parts);
        let mut keep =
            |document: Document<'_>| fallback.push(OwnedDocument::new(&document, wants_parts));
        let visitor = &mut keep;
        hand_on(&found, about, None, &mut Round { visitor, ..*round });
    }

    /// Returns whether a weak document that is not at the end of its line is a part of the text there: an empty one
    /// after a word, or the box of a task.
    fn is_of_text(&mut self, found: &Found, window: &Window) -> bool {
        let line = self.line(window, found.start).start;
        let near = found.start.saturating_sub(LEFT_KEPT).max(line);
        let left = window.slice(near, found.start);
        weak::is_inside(found.shape, left) && !Left::is_end_of_prefix(left)
            || self.is_task(found, window)
    }

    /// Returns whether a weak document is the box of a task in a markdown list (`- [ ] write tests`), after any other
    /// text.
    fn is_task(&mut self, found: &Found, window: &Window) -> bool {
        if window.slice(found.start, found.end) != b"[ ]" {
            return false;
        }
        let line = self.line(window, found.start);
        let near = found.start.saturating_sub(MARKER).max(line.start);
        let left = clean(window.slice(near, found.start));
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b":|".contains(byte);
        let before = left.trim_ascii_end().iter().rposition(ends);
        let marker = left
            .get(before.map_or(0, |at| at + 1)..)
            .unwrap_or_default();
        let is_near = match before {
            Some(_) => !marker.trim_ascii().is_empty(),
            None => near == line.start,
        };
        is_near && begins_block(marker)
    }

    /// Hands on documents that count.
    #[inline(never)]
    pub(super) fn deliver_all(&mut self, all: &[Found], round: &mut Round<'_>) {
        for found in all {
            self.deliver(found, round);
        }
    }

    /// Hands on a document that counts.
    #[inline(always)]
    pub(super) fn deliver(&mut self, found: &Found, round: &mut Round<'_>) {
        self.deliver_with(found, DocumentFacts::default(), round);
    }

    /// Hands on a document that counts, with what is known about it.
    #[inline(always)]
    pub(super) fn deliver_with(
        &mut self,
        found: &Found,
        about: DocumentFacts<'_>,
        round: &mut Round<'_>,
    ) {
        self.strong = true;
        self.fallback.drop_weak();
        self.last_strong = Some(*found);
        self.report_noise(found.start, round);
        self.noise = self.noise.max(found.end);
        // The text of a condensed document is not in the window, which lines and the layout refer to.
        let there = about.condensed.is_none();
        if self.wants.lines && there && found.is_compact() && !found.shape.is(Shape::LOSSY) {
            return self.gather(found, round);
        }
        self.hand_lines_on(round);
        let layout = match there {
            true => self.scanner.layout(found.start, found.end),
            false => None,
        };
        hand_on(found, about, layout, round);
    }

    /// Gathers a compact document, to hand it on together with the documents on the lines next to it.
    #[inline(always)]
    fn gather(&mut self, found: &Found, round: &mut Round<'_>) {
        let window = round.window;
        let &Found { start, end, .. } = found;
        if let Some(lines) = &mut self.lines
            && window.slice(lines.end, start) == b"\n"
        {
            (lines.last, lines.end) = (start, end);
            lines.count += 1;
            return;
        }
        self.hand_lines_on(round);
        self.lines = Some(Lines {
            start,
            last: start,
            end,
            count: 1,
        });
    }

    /// Hands on the gathered documents: called before anything else is handed on, and before their text is dropped.
    #[inline]
    pub(super) fn hand_lines_on(&mut self, round: &mut Round<'_>) {
        let window = round.window;
        if let Some(Lines {
            start,
            last,
            end,
            count,
        }) = self.lines.take()
        {
            round.visitor.lines(window.slice(start, end), count);
            window.pass_lines(start, count - 1, last, end);
        }
    }
}

#[inline(always)]
fn hand_on(
    found: &Found,
    about: DocumentFacts<'_>,
    layout: Option<MarkLayout<'_>>,
    round: &mut Round<'_>,
) {
    let window = round.window;
    let located = Located {
        found,
        about,
        window,
    };
    let condensed = about.condensed.is_some();
    let compact = found.is_compact() || condensed && !found.shape.is(Shape::DIRTY);
    round.visitor.document(Document {
        layout,
        text: &located.text(),
        rank: found.rank,
        compact,
        lossy: found.shape.is(Shape::LOSSY),
        prefix: None,
        place: &located,
    });
    if compact && !condensed {
        window.pass(found.start, found.end);
    }
}

/// A document in the window; its position is only computed when it is asked for.
#[derive(Debug)]
struct Located<'a> {
    found: &'a Found,
    about: DocumentFacts<'a>,
    window: &'a Window,
}

impl<'a> Located<'a> {
    #[inline]
    fn text(&self) -> Cow<'a, [u8]> {
        let found = self.found;
        if let Some(condensed) = self.about.condensed {
            return (&*condensed.text).into();
        }
        let text = self.window.text(found.start, found.end);
        match found.shape.is(Shape::DIRTY) {
            true => clean(&text).into_owned().into(),
            false => text,
        }
    }

    /// Returns how many bytes of the source the document spans.
    fn length(&self) -> u64 {
        let Found { start, end, .. } = *self.found;
        match self.about.condensed {
            Some(condensed) => self.window.position_after(end).offset - condensed.position.offset,
            None => self.window.length(start, end),
        }
    }
}

impl Place for Located<'_> {
    fn parts(&self) -> Vec<Range<u64>> {
        self.window.parts(self.found.start, self.found.end)
    }

    fn origin(&self) -> Origin {
        Origin {
            stage: self.stage(),
            position: self.position(),
            length: self.length(),
            info: self.about.info.map(str::to_owned),
            prefix: None,
        }
    }

    fn position(&self) -> Position {
        match self.about.condensed {
            Some(condensed) => condensed.position,
            None => self.window.position(self.found.start),
        }
    }

    fn stage(&self) -> Stage {
        match self.found.rank {
            Rank::String => Stage::String,
            Rank::Whole => Stage::Whole,
            Rank::AnnouncedFence | Rank::BareFence | Rank::OtherFence => Stage::Fence,
            Rank::Embedded | Rank::Weak => Stage::Embedded,
        }
    }
}
