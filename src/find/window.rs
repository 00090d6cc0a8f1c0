//! The window: the stretch of text that is still pending, and the way back from it to positions in the source.
//!
//! Offsets of the text count the bytes that were pushed. They are those of the source as long as the source is plain
//! UTF-8; where a layer before the finder changed the text, or lines were moved, pieces say what came from where.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::lanes;
use crate::memory;
use crate::span::Position;

/// From `text` on, up to the next piece, the text came from the source at `at`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    text: u64,
    at: Position,
    /// Bytes of the source for one byte of text; with 0 all of the text stands at `at`.
    stride: u64,
    /// Bytes of the source at the beginning of each line but the first that the text does not have: a prefix.
    skip: u64,
}

/// From here on a buffer is taken into use step by step: it holds one large document and should not hold more.
const STEP: usize = 1 << 20;
/// So many bytes are counted sooner than a nearer place is looked for.
const NEAR: u64 = 64;
/// A cache line, in bytes.
const LINE: usize = 64;

/// Pending text with its positions.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    /// Room for text; what is pending stands from `gone` to `filled`.
    buffer: Vec<u8>,
    gone: usize,
    filled: usize,
    /// What is beyond is not to be seen yet: its lines may be those of other sources.
    limit: u64,
    /// Lines of other sources, which have become blank.
    aside: VecDeque<(u64, u64)>,
    /// The text offset of the first pending byte.
    base: u64,
    pieces: VecDeque<Piece>,
    /// Where in the source the text begins that was pushed last by its place.
    latest: u64,
    /// Where in the source the end of the text stands, if that is the end of a line from another window.
    tail: Option<Position>,
    /// The first text that stands in the source before what had been pushed.
    went_back: Option<u64>,
    /// The places last looked up, latest first, from which the next look-up counts line feeds. Several, since a place
    /// may be looked up before another that has been: where noise begins before the end of a fault.
    cursors: [Cell<(u64, Position)>; 4],
    /// How many bytes were looked at for positions.
    steps: Cell<u64>,
}

impl Window {
    pub(crate) fn new() -> Self {
        Self::at(0, Position::START)
    }

    /// A window whose first byte has the text offset `base` and stands at `at`.
    pub(crate) fn at(base: u64, at: Position) -> Self {
        Self {
            buffer: Vec::new(),
            gone: 0,
            filled: 0,
            limit: u64::MAX,
            aside: VecDeque::new(),
            base,
            pieces: VecDeque::from([Piece {
                text: base,
                at,
                stride: 1,
                skip: 0,
            }]),
            latest: at.offset,
            tail: None,
            went_back: None,
            cursors: std::array::from_fn(|_| Cell::new((base, at))),
            steps: Cell::new(0),
        }
    }

    /// How many bytes were looked at for positions.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// The offset of the first pending byte.
    pub(crate) const fn base(&self) -> u64 {
        self.base
    }

    /// The offset behind the last byte that is to be seen.
    pub(crate) fn end(&self) -> u64 {
        self.all_end().min(self.limit)
    }

    /// The offset behind the last byte.
    pub(crate) const fn all_end(&self) -> u64 {
        self.base + (self.filled - self.gone) as u64
    }

    /// The bytes from `offset` on.
    #[inline]
    pub(crate) fn from(&self, offset: u64) -> &[u8] {
        let pending = self.place(offset)..self.place(self.limit).min(self.filled);
        self.buffer.get(pending).unwrap_or_default()
    }

    /// The bytes from `offset` on, and those that are not to be seen yet.
    pub(crate) fn all_from(&self, offset: u64) -> &[u8] {
        let pending = self.place(offset)..self.filled;
        self.buffer.get(pending).unwrap_or_default()
    }

    /// The bytes from `start` to `end`.
    #[inline]
    pub(crate) fn slice(&self, start: u64, end: u64) -> &[u8] {
        let between = self.place(start)..self.place(end).min(self.filled);
        self.buffer.get(between).unwrap_or_default()
    }

    /// Lets be seen what stands before `limit`, and nothing else.
    pub(crate) const fn show_until(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Sets lines aside: their bytes become blanks, which stand between tokens wherever a line does. Line feeds stay, since
    /// lines are counted by them.
    pub(crate) fn set_aside(&mut self, start: u64, end: u64) {
        let lines = self.place(start)..self.place(end).min(self.filled);
        for byte in self.buffer.get_mut(lines).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        match self.aside.back_mut() {
            Some(last) if last.1 == start => last.1 = end,
            // What is asked late may set lines aside before those that were.
            _ => {
                let place = self.aside.partition_point(|aside| aside.0 < start);
                self.aside.insert(place, (start, end));
            }
        }
    }

    /// The text from `start` to `end` without what was set aside.
    #[inline]
    pub(crate) fn text(&self, start: u64, end: u64) -> Cow<'_, [u8]> {
        match self.aside.is_empty() {
            true => self.slice(start, end).into(),
            false => self.parted(start, end),
        }
    }

    fn parted(&self, start: u64, end: u64) -> Cow<'_, [u8]> {
        let first = self.aside.partition_point(|aside| aside.1 <= start);
        let mut aside = self.aside.range(first..).peekable();
        if aside.peek().is_none_or(|aside| aside.0 >= end) {
            return self.slice(start, end).into();
        }
        let (mut text, mut at) = (Vec::new(), start);
        for &(from, to) in aside.take_while(|aside| aside.0 < end) {
            text.extend_from_slice(self.slice(at, from.max(at)));
            at = to.min(end);
        }
        text.extend_from_slice(self.slice(at, end));
        text.into()
    }

    /// The end of what was set aside at `offset`, or the beginning of what was set aside next behind it, if there is any.
    #[inline]
    pub(crate) fn aside_at(&self, offset: u64) -> (Option<u64>, u64) {
        if self.aside.is_empty() {
            return (None, u64::MAX);
        }
        let next = self.aside.partition_point(|aside| aside.1 <= offset);
        match self.aside.get(next) {
            Some(&(from, to)) if from <= offset => (Some(to), to),
            Some(&(from, _)) => (None, from),
            None => (None, u64::MAX),
        }
    }

    /// Where in the buffer the byte at `offset` stands, or the first pending one if it is gone.
    #[inline]
    const fn place(&self, offset: u64) -> usize {
        let behind = offset.saturating_sub(self.base) as usize;
        self.gone.saturating_add(behind)
    }

    /// Adds text that follows in the source what was pushed before.
    pub(crate) fn push(&mut self, text: &[u8]) {
        if let Some(room) = self.space(text.len()).get_mut(..text.len()) {
            room.copy_from_slice(text);
            self.fill(text.len());
        }
    }

    /// Room for text that follows, `size` bytes or more, to be written into and then [filled](Self::fill).
    pub(crate) fn space(&mut self, size: usize) -> &mut [u8] {
        if self.buffer.len() - self.filled < size {
            let pending = self.filled - self.gone;
            // What is large stays where it is as long as it is pending: moving it would cost its size each time.
            let moves = pending < STEP || pending < self.gone;
            let wanted = LINE + size + if moves { pending } else { self.filled };
            if self.buffer.len() < wanted {
                let room = match self.buffer.len() {
                    small if small < 4 * STEP => wanted.max(2 * small),
                    large => wanted.max(large + STEP),
                };
                let more = room - self.buffer.len();
                memory::reserve(&mut self.buffer, more);
                self.buffer.resize(room, 0);
            }
            if !moves {
                return self.buffer.get_mut(self.filled..).unwrap_or_default();
            }
            // What is read next goes to the beginning of a cache line: copies to a place a few bytes behind a page's
            // beginning, where a large allocation has it, take three times as long.
            let begin = (self.buffer.as_ptr().addr() + pending).wrapping_neg() % LINE;
            self.buffer.copy_within(self.gone..self.filled, begin);
            (self.gone, self.filled) = (begin, begin + pending);
            if self.buffer.len() > 4 * STEP && wanted < STEP {
                self.buffer.truncate(STEP);
                self.buffer.shrink_to_fit();
            }
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// Says that the first `size` bytes of the [room](Self::space) have been written.
    pub(crate) fn fill(&mut self, size: usize) {
        self.filled = (self.filled + size).min(self.buffer.len());
    }

    /// Adds text that stands at `at` in the source, `stride` bytes there for one here; with 0 all of it stands there.
    pub(crate) fn push_at(&mut self, text: &[u8], at: Position, stride: u8) {
        if !text.is_empty() {
            if at.offset < self.latest {
                self.went_back.get_or_insert(self.all_end());
            }
            self.latest = at.offset;
        }
        self.piece(Piece {
            text: self.all_end(),
            at,
            stride: u64::from(stride),
            skip: 0,
        });
        self.push(text);
    }

    /// Adds what stands in another window of the same source from `start` to `end`. What is set aside there is here, too.
    pub(crate) fn push_from(&mut self, other: &Self, start: u64, end: u64) {
        if start == end {
            return;
        }
        let begin = self.all_end();
        self.copy_from(other, start, end);
        let here = |at: u64| begin + (at.clamp(start, end) - start);
        let first = other.aside.partition_point(|aside| aside.1 <= start);
        let aside = other.aside.range(first..);
        for &(from, to) in aside.take_while(|aside| aside.0 < end) {
            self.set_aside(here(from), here(to));
        }
    }

    fn copy_from(&mut self, other: &Self, start: u64, end: u64) {
        let tail = self.tail.take();
        let plain = other.is_plain(start);
        if plain {
            let at = other.position(start);
            if !tail.is_some_and(|tail| self.goes_on(tail, at)) {
                let text = self.all_end();
                let (stride, skip) = (1, 0);
                self.piece(Piece {
                    text,
                    at,
                    stride,
                    skip,
                });
            }
            let line = other.slice(start, end);
            self.push(line);
            self.tail = (memchr(b'\n', line) == line.len().checked_sub(1)).then(|| Position {
                line: at.line + 1,
                column: 1,
                offset: at.offset + line.len() as u64,
            });
            return;
        }
        for (piece, until) in other.pieces_between(start, end) {
            let text = self.all_end();
            self.piece(Piece { text, ..piece });
            self.push(other.slice(piece.text, until));
        }
    }

    /// Whether what stands `at` in the source goes on in the last piece, which ends with a line at `tail`: on the next line,
    /// behind as much as was skipped on the lines before.
    fn goes_on(&mut self, tail: Position, at: Position) -> bool {
        let end = self.all_end();
        let Some(last) = self.pieces.back_mut() else {
            return false;
        };
        let skip = at.column - 1;
        let first = last.at.line + 1 == tail.line && last.text < end;
        let follows = at.line == tail.line && at.offset == tail.offset + skip;
        if follows && (first || last.skip == skip) {
            last.skip = skip;
            // Where the line begins was not known when the end of the one before was looked up.
            let begin = (last.text, last.at);
            for cursor in &self.cursors {
                if cursor.get().0 >= end {
                    cursor.set(begin);
                }
            }
            return true;
        }
        false
    }

    /// Whether text up to `offset` has the order of the source, but for lines that were joined.
    pub(crate) fn is_in_order(&self, offset: u64) -> bool {
        self.went_back.is_none_or(|first| offset < first)
    }

    fn piece(&mut self, piece: Piece) {
        // Two pieces at one place: the later one is right.
        while self
            .pieces
            .back()
            .is_some_and(|last| last.text >= piece.text)
        {
            self.pieces.pop_back();
        }
        for cursor in &self.cursors {
            if cursor.get().0 >= piece.text {
                cursor.set((piece.text, piece.at));
            }
        }
        self.pieces.push_back(piece);
    }

    /// Gives up everything before `offset`.
    pub(crate) fn forget(&mut self, offset: u64) {
        let offset = offset.clamp(self.base, self.all_end());
        // The line feeds in what goes must be counted while they are there.
        let at = self.position(offset);
        for cursor in &self.cursors {
            if cursor.get().0 < offset {
                cursor.set((offset, at));
            }
        }
        let gone = self.pieces.partition_point(|piece| piece.text <= offset);
        match self.pieces.back().filter(|_| gone == self.pieces.len()) {
            // Where one is left, it goes to the beginning of the room for them: a ring that is used all around costs the cache.
            Some(&last) => {
                self.pieces.clear();
                self.pieces.push_back(last);
            }
            None => drop(self.pieces.drain(..gone.saturating_sub(1))),
        }
        while self.aside.front().is_some_and(|aside| aside.1 <= offset) {
            self.aside.pop_front();
        }
        if let Some(first) = self.pieces.front_mut() {
            first.text = offset;
            first.at = at;
        }
        self.gone += (offset - self.base) as usize;
        self.base = offset;
    }

    /// The position behind the byte before `offset`, which is no line feed: in the source other bytes, such as the
    /// head of a record that a transport has cut, may follow it, or be missing still.
    pub(crate) fn position_behind(&self, offset: u64) -> Position {
        let last = offset.saturating_sub(1);
        let index = self.pieces.partition_point(|piece| piece.text <= last);
        let piece = index.checked_sub(1).and_then(|at| self.pieces.get(at));
        match piece.map(|piece| piece.stride) {
            None | Some(0) => self.position(offset),
            Some(stride) => {
                let last = self.position(last);
                Position {
                    line: last.line,
                    column: last.column + stride,
                    offset: last.offset + stride,
                }
            }
        }
    }

    /// Up to where the source goes on as the text does from `offset` on.
    pub(crate) fn piece_end(&self, offset: u64) -> u64 {
        let (end, skips) = match self.pieces.back() {
            Some(last) if last.text <= offset => (self.end(), last.skip > 0),
            _ => {
                let next = self.pieces.partition_point(|piece| piece.text <= offset);
                let end = self.pieces.get(next).map_or(self.end(), |piece| piece.text);
                let piece = self.pieces.get(next.wrapping_sub(1));
                (end, piece.is_some_and(|piece| piece.skip > 0))
            }
        };
        // Most lines go on without a prefix.
        let feed = || memchr(b'\n', self.slice(offset, end));
        match skips.then(feed).flatten() {
            Some(feed) => offset + feed as u64 + 1,
            None => end,
        }
    }

    /// Where the byte at `offset` stands in the source. Cheap for offsets that ascend.
    #[inline]
    pub(crate) fn position(&self, offset: u64) -> Position {
        // Most documents stand alone on their lines.
        let at = self
            .next_line(offset)
            .unwrap_or_else(|| self.look_up(offset));
        match self.pieces.back() {
            // No next line is there to begin with a prefix.
            Some(last)
                if last.skip > 0 && offset == self.all_end() && at.column == last.skip + 1 =>
            {
                Position {
                    column: 1,
                    offset: at.offset - last.skip,
                    ..at
                }
            }
            _ => at,
        }
    }

    /// The same if it is the place that was looked up last, or nothing but a line feed stands between the two.
    #[inline]
    fn next_line(&self, offset: u64) -> Option<Position> {
        let [latest, ..] = &self.cursors;
        let (place, at) = latest.get();
        if !self.is_plain(place) {
            return None;
        }
        if place == offset {
            return Some(at);
        }
        if place + 1 != offset || self.slice(place, offset) != b"\n" {
            return None;
        }
        let found = Position {
            line: at.line + 1,
            column: 1,
            offset: at.offset + 1,
        };
        self.steps.set(self.steps.get() + 1);
        latest.set((offset, found));
        Some(found)
    }

    #[inline(never)]
    fn look_up(&self, offset: u64) -> Position {
        let last = self.pieces.back().filter(|piece| piece.text <= offset);
        let Some(&piece) = last.or_else(|| {
            let behind = self.pieces.partition_point(|piece| piece.text <= offset);
            self.pieces.get(behind.saturating_sub(1))
        }) else {
            return Position::START;
        };
        if piece.stride == 0 {
            return piece.at;
        }
        let (from, at) = self.nearest(&piece, offset);
        // What stands before all that is known is asked for as the first of it.
        if from >= offset {
            return at;
        }
        let behind = self.nearest_behind(offset, offset - from);
        let line = match behind {
            Some((place, behind)) => behind.line - self.line_feeds(offset, place),
            None => at.line + self.line_feeds(from, offset),
        };
        let passed = self.slice(from, offset);
        let last = match line == at.line {
            true => None,
            false => memrchr(b'\n', passed),
        };
        let column = match last {
            Some(last) => {
                (passed.len() - last) as u64 * piece.stride - (piece.stride - 1) + piece.skip
            }
            None => at.column + passed.len() as u64 * piece.stride,
        };
        let found = Position {
            line,
            column,
            offset: at.offset + (offset - from) * piece.stride + (line - at.line) * piece.skip,
        };
        // Looking up goes on from the last place in the text.
        let keep = usize::from(behind.is_some());
        let mut next = (offset, found);
        for cursor in self.cursors.iter().skip(keep) {
            next = cursor.replace(next);
        }
        found
    }

    /// How many line feeds stand between two places.
    fn line_feeds(&self, start: u64, end: u64) -> u64 {
        self.steps.set(self.steps.get() + (end - start));
        lanes::line_feeds(self.slice(start, end)) as u64
    }

    /// The place looked up last, and its position, if it is behind `offset` by less than `most` and nothing but the text
    /// of one piece is in between.
    fn nearest_behind(&self, offset: u64, most: u64) -> Option<(u64, Position)> {
        let [latest, ..] = &self.cursors;
        let (place, found) = latest.get();
        let near = place > offset && place - offset < most;
        (near && self.pieces.back()?.text <= offset).then_some((place, found))
    }

    /// The place in a piece from which line feeds are counted up to `offset`, and its position.
    fn nearest(&self, piece: &Piece, offset: u64) -> (u64, Position) {
        let [latest, ..] = &self.cursors;
        let (place, found) = latest.get();
        if place >= piece.text && (place..place + NEAR).contains(&offset) {
            return (place, found);
        }
        let (mut from, mut at) = (piece.text, piece.at);
        for cursor in &self.cursors {
            let (place, found) = cursor.get();
            if (from..=offset).contains(&place) {
                (from, at) = (place, found);
            }
        }
        (from, at)
    }

    /// Says that no line feed stands between two places, so that positions behind them count none. Only worth saying
    /// where the first one was looked up, or nothing but a line feed stands between the place that was and this one.
    pub(crate) fn pass(&self, start: u64, end: u64) {
        self.pass_lines(start, 0, start, end);
    }

    /// The same where so many line feeds stand, the last one directly before `last`.
    pub(crate) fn pass_lines(&self, start: u64, feeds: u64, last: u64, end: u64) {
        self.next_line(start);
        let [latest, ..] = &self.cursors;
        let (place, at) = latest.get();
        if place == start && self.is_plain(start) {
            let before = if feeds == 0 { at.column } else { 1 };
            let at = Position {
                line: at.line + feeds,
                column: before + (end - last),
                offset: at.offset + (end - start),
            };
            latest.set((end, at));
        }
    }

    /// Whether the text from `offset` on is what stands in the source.
    fn is_plain(&self, offset: u64) -> bool {
        let last = self.pieces.back();
        last.is_some_and(|piece| piece.text <= offset && piece.stride == 1 && piece.skip == 0)
    }

    /// How many bytes of the source the text between two places takes, the last of which is no line feed.
    pub(crate) fn length(&self, start: u64, end: u64) -> u64 {
        if self.is_plain(start) {
            return end - start;
        }
        let behind = self.position_behind(end).offset;
        behind.saturating_sub(self.position(start).offset)
    }

    /// The stretches of the source that the text between two places takes, in offsets, without what was set aside. The
    /// last byte is no line feed.
    pub(crate) fn parts(&self, start: u64, end: u64) -> Vec<Range<u64>> {
        let mut parts: Vec<Range<u64>> = Vec::new();
        let mut at = start;
        while at < end {
            let (aside, next) = self.aside_at(at);
            if let Some(behind) = aside {
                at = behind;
                continue;
            }
            let until = self.piece_end(at).min(next).min(end).max(at + 1);
            let first = self.position(at).offset;
            let last = self.position_behind(until).offset.max(first);
            match parts.last_mut() {
                Some(part) if part.end == first => part.end = last,
                _ => parts.push(first..last),
            }
            at = until;
        }
        parts
    }

    /// Where in the source the first byte stands of the text from `offset` on; records that were joined are not in its
    /// order.
    pub(crate) fn earliest_from(&self, offset: u64) -> u64 {
        let next = self.pieces.partition_point(|piece| piece.text <= offset);
        let later = self.pieces.range(next..).map(|piece| piece.at.offset);
        later.fold(self.position(offset).offset, u64::min)
    }

    /// What a piece would be that begins at `text`, and where it would stand among the others.
    fn piece_at(&self, text: u64) -> (usize, Piece) {
        let at = self.position(text);
        let index = self.pieces.partition_point(|piece| piece.text <= text);
        let before = self.pieces.get(index.saturating_sub(1));
        let (stride, skip) = before.map_or((1, 0), |piece| (piece.stride, piece.skip));
        let piece = Piece {
            text,
            at,
            stride,
            skip,
        };
        (index, piece)
    }

    /// The pieces of the text from `start` to `end`, with where each ends.
    fn pieces_between(&self, start: u64, end: u64) -> impl Iterator<Item = (Piece, u64)> {
        let mut at = start;
        std::iter::from_fn(move || {
            let (next, piece) = (at < end).then(|| self.piece_at(at))?;
            let next = self.pieces.get(next);
            at = next.map_or(end, |next| next.text.min(end));
            Some((piece, at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::span::Position;

    #[test]
    fn positions_count_line_feeds_whatever_is_forgotten() {
        let text = b"ab\ncd\n\nefg";
        let last = text.len() as u64;
        for (forget, look) in (0..=last).flat_map(|at| (0..=last).map(move |look| (at, look))) {
            let mut window = Window::new();
            window.push(text);
            window.position(look);
            window.forget(forget);
            for offset in forget..=text.len() as u64 {
                let before = &text[..offset as usize];
                let feeds = before.iter().filter(|&&byte| byte == b'\n').count();
                let column = before.len()
                    - before
                        .iter()
                        .rposition(|&b| b == b'\n')
                        .map_or(0, |at| at + 1);
                assert_eq!(
                    window.position(offset),
                    Position {
                        line: feeds as u64 + 1,
                        column: column as u64 + 1,
                        offset
                    }
                );
            }
        }
    }

    #[test]
    fn what_is_passed_is_not_counted() {
        let mut window = Window::new();
        window.push(b"\n{\"a\":1}\n{}");
        let before = window.position(1);
        window.pass(1, 8);
        let behind = window.position(8);
        assert_eq!((before.line, before.column), (2, 1));
        assert_eq!((behind.line, behind.column, behind.offset), (2, 8, 8));
        assert_eq!(window.steps(), 1);
        let next = window.position(9);
        assert_eq!((next.line, next.column, next.offset), (3, 1, 9));
        assert_eq!(window.steps(), 2);
        // Nobody looked that place up.
        window.pass(10, 11);
        assert_eq!(window.position(11).column, 3);
    }

    #[test]
    fn lines_that_are_passed_one_behind_the_other_are_not_counted() {
        let mut window = Window::new();
        window.push(b"[1]\n[2]\n[3]");
        window.pass(0, 3);
        window.pass_lines(4, 1, 8, 11);
        let behind = window.position(11);
        assert_eq!((behind.line, behind.column, behind.offset), (3, 4, 11));
        assert_eq!(window.steps(), 1);
    }

    #[test]
    fn what_is_set_aside_is_blank_and_in_no_text() {
        let mut window = Window::new();
        window.push(b"[1,\nb x\n2]\n");
        window.set_aside(4, 8);
        assert_eq!(window.from(0), b"[1,\n   \n2]\n");
        assert_eq!(&*window.text(0, 11), b"[1,\n2]\n".as_slice());
        assert_eq!(window.aside_at(4), (Some(8), 8));
        window.show_until(4);
        assert_eq!((window.from(0), window.end()), (&b"[1,\n"[..], 4));
    }

    #[test]
    fn pieces_lead_back_to_the_source() {
        let mut window = Window::new();
        window.push_at(
            b"ab",
            Position {
                line: 1,
                column: 3,
                offset: 2,
            },
            2,
        );
        window.push_at(
            "é".as_bytes(),
            Position {
                line: 1,
                column: 7,
                offset: 6,
            },
            1,
        );
        window.push_at(
            b"\nc",
            Position {
                line: 1,
                column: 9,
                offset: 8,
            },
            2,
        );
        assert_eq!(window.position(1).offset, 4);
        assert_eq!(
            window.position(4),
            Position {
                line: 1,
                column: 9,
                offset: 8
            }
        );
        assert_eq!(
            window.position(5),
            Position {
                line: 2,
                column: 1,
                offset: 10
            }
        );
    }
}
