//! The window: the text that is still pending, and the way back from text offsets to positions in the source.
//!
//! Text offsets count the bytes that were pushed. They equal source offsets as long as the source is plain UTF-8; where
//! a layer before the finder has changed the text, or lines were moved, pieces record where in the source the text was.

mod places;
mod positions;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;

use memchr::{memchr, memrchr3_iter};

use super::reader::{LEFT_KEPT, NEIGHBOURS, WITHHELD};
use crate::input::Piece;
use crate::span::Position;
use jsift_json::memory;

/// A piece of text: from `text` up to the next piece it came from the source at `at`.
#[derive(Debug, Clone, Copy)]
struct WindowPiece {
    text: u64,
    at: Position,
    /// Bytes of the source per byte of text; with 0 all of the text is at `at`.
    stride: u64,
    /// Bytes of the source that the text lacks at the beginning of each line but the first: the length of a prefix.
    skip: u64,
}

impl WindowPiece {
    /// Whether `next` follows this piece in the source, byte for byte.
    const fn is_followed_by(&self, next: &Self) -> bool {
        let plain = self.stride == 1 && self.skip == 0 && next.stride == 1 && next.skip == 0;
        plain && self.text < next.text && self.at.offset + (next.text - self.text) == next.at.offset
    }
}

/// How many bytes of pending text are large, and how many a large buffer grows by: it holds one large document, and
/// should not have room for more.
const STEP: usize = 1 << 20;
/// A cache line, in bytes.
const LINE: usize = 64;

/// Pending text with its positions.
#[derive(Debug, Clone)]
pub struct Window {
    /// Room for text; the pending text is from `gone` to `filled`.
    buffer: Vec<u8>,
    gone: usize,
    filled: usize,
    /// The text offset of the first hidden byte: the lines from there on may belong to other sources.
    limit: u64,
    /// The lines of other sources, from start to end, which were made blank.
    aside: VecDeque<(u64, u64)>,
    /// The text offset of the first pending byte.
    base: u64,
    pieces: VecDeque<WindowPiece>,
    /// The source offset of the text that was last pushed by [`push_at`](Self::push_at).
    latest: u64,
    /// The position of the end of the text in the source, if that is the end of a line from another window; after
    /// several lines at once, that of the end of the first.
    tail: Option<Position>,
    /// The first text offset whose text is before text in the source that had already been pushed.
    went_back: Option<u64>,
    /// The last text offset looked up, and its position, from which the next look-up counts line feeds.
    latest_place: Cell<(u64, Position)>,
}

impl Default for Window {
    fn default() -> Self {
        Self::new()
    }
}

impl Window {
    pub(crate) fn new() -> Self {
        Self::at(0, Position::START)
    }

    /// Returns a window whose first byte has the text offset `base` and the source position `at`.
    pub(crate) fn at(base: u64, at: Position) -> Self {
        Self {
            buffer: Vec::new(),
            gone: 0,
            filled: 0,
            limit: u64::MAX,
            aside: VecDeque::new(),
            base,
            pieces: VecDeque::from([WindowPiece {
                text: base,
                at,
                stride: 1,
                skip: 0,
            }]),
            latest: at.offset,
            tail: None,
            went_back: None,
            latest_place: Cell::new((base, at)),
        }
    }

    /// Returns the text offset of the first pending byte.
    pub(crate) const fn base(&self) -> u64 {
        self.base
    }

    /// Returns the text offset after the last visible byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.all_end().min(self.limit)
    }

    /// Returns the text offset after the last byte, visible or not.
    pub(crate) const fn all_end(&self) -> u64 {
        self.base + (self.filled - self.gone) as u64
    }

    /// Returns the visible bytes from `offset` on.
    #[inline]
    pub(crate) fn from(&self, offset: u64) -> &[u8] {
        let pending = self.place(offset)..self.place(self.limit).min(self.filled);
        self.buffer.get(pending).unwrap_or_default()
    }

    /// Returns all bytes from `offset` on, visible or not.
    pub(crate) fn all_from(&self, offset: u64) -> &[u8] {
        let pending = self.place(offset)..self.filled;
        self.buffer.get(pending).unwrap_or_default()
    }

    /// Returns the line that begins at `offset`, with its line feed, visible or not, or the first `most` bytes of a
    /// longer line; `None` if more of the line may come.
    pub(crate) fn line_at(&self, offset: u64, most: u64, last: bool) -> Option<&[u8]> {
        first_line(self.all_from(offset), most, last)
    }

    /// Returns the first visible line from `offset` on that was not set aside, with its line feed, and where it starts;
    /// of a longer line the first [`LEFT_KEPT`] bytes. It is empty at the end of the source, and where more than
    /// [`WITHHELD`] bytes were set aside. `None` if more of the line may come.
    pub(crate) fn next_line(&self, offset: u64, last: bool) -> Option<(u64, &[u8])> {
        let start = self.aside_at(offset).0.unwrap_or(offset);
        match start - offset > WITHHELD {
            true => Some((start, b"")),
            false => Some((start, first_line(self.from(start), LEFT_KEPT, last)?)),
        }
    }

    /// Returns the bytes from `start` to `end`, visible or not.
    #[must_use]
    #[inline]
    pub fn slice(&self, start: u64, end: u64) -> &[u8] {
        let between = self.place(start)..self.place(end).min(self.filled);
        self.buffer.get(between).unwrap_or_default()
    }

    /// Returns the lines before `end` that are sure to be in the window, and the beginning of the line of `end`. A
    /// carriage return or a NUL ends a line, too: so no byte is looked at for the documents of more than a few lines.
    pub(crate) fn lines_before(&self, end: u64) -> &[u8] {
        let text = self.slice(end.saturating_sub(LEFT_KEPT), end);
        let ends = memrchr3_iter(b'\n', b'\r', 0, text);
        let mut ends =
            ends.filter(|&end| !text.get(end..).is_some_and(|end| end.starts_with(b"\r\n")));
        let feed = ends.nth(NEIGHBOURS);
        text.get(feed.map_or(0, |feed| feed + 1)..)
            .unwrap_or_default()
    }

    /// Makes the text before `limit` visible, and hides the rest.
    pub(crate) const fn show_until(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Sets lines aside: their bytes become blanks, which JSON allows wherever it allows a line break. Line feeds stay,
    /// since they count the lines.
    pub(crate) fn set_aside(&mut self, start: u64, end: u64) {
        if start == end {
            return;
        }
        let lines = self.place(start)..self.place(end).min(self.filled);
        for byte in self.buffer.get_mut(lines).unwrap_or_default() {
            // Without a branch, many bytes are made blank at once.
            *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        }
        // A question that is answered late may set aside lines before others that already were, and lines of which the
        // side of a box already was.
        let first = self.aside.partition_point(|aside| aside.1 < start);
        let after = self.aside.partition_point(|aside| aside.0 <= end);
        let met = self.aside.drain(first..after);
        let all = met.fold((start, end), |all, aside| {
            (all.0.min(aside.0), all.1.max(aside.1))
        });
        self.aside.insert(first, all);
    }

    /// Returns the text from `start` to `end` without the lines that were set aside.
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

    /// Returns the end of the lines set aside at `offset`, if there are any, and the offset of the next change: that
    /// end, or the start of the next lines set aside, or `u64::MAX`.
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

    /// Returns the offset after `count` bytes from `start` on, not counting lines that were set aside.
    pub(crate) fn after(&self, start: u64, count: u64) -> u64 {
        let (mut at, mut left) = (start, count);
        while left > 0 {
            let (aside, mut next) = self.aside_at(at);
            if aside.is_none() {
                next = next.min(at + left);
                left -= next - at;
            }
            at = next;
        }
        at
    }

    /// Returns the buffer index of the byte at `offset`, or of the first pending byte if that one is gone.
    #[inline]
    const fn place(&self, offset: u64) -> usize {
        let after = offset.saturating_sub(self.base) as usize;
        self.gone.saturating_add(after)
    }

    /// Adds text that directly follows, in the source, the text pushed before.
    pub fn push(&mut self, text: &[u8]) {
        if let Some(room) = self.space(text.len()).get_mut(..text.len()) {
            room.copy_from_slice(text);
            self.fill(text.len());
        }
    }

    /// Adds a piece of the source.
    pub fn add(&mut self, piece: Piece<'_>) {
        match piece.position() {
            None => self.push(piece.text),
            Some(at) => self.push_at(piece.text, at, piece.stride),
        }
    }

    /// Returns room for `size` or more bytes of following text, to be written into and then [filled](Self::fill).
    pub(crate) fn space(&mut self, size: usize) -> &mut [u8] {
        if self.buffer.len() - self.filled < size {
            let pending = self.filled - self.gone;
            // Large pending text stays where it is: moving it would cost its size each time.
            let moves = pending < STEP || pending < self.gone;
            let wanted = LINE + size + if moves { pending } else { self.filled };
            let mut before = None;
            if self.buffer.len() < wanted {
                let room = match self.buffer.len() {
                    small if small < 4 * STEP => wanted.max(2 * small),
                    large => wanted.max(large + STEP),
                };
                // Memory that is new is zero already; memory that grows is copied, and the rest of it is set to zero.
                if moves && room < STEP {
                    before = Some(std::mem::replace(&mut self.buffer, vec![0; room]));
                } else {
                    let more = room - self.buffer.len();
                    memory::reserve(&mut self.buffer, more);
                    self.buffer.resize(room, 0);
                }
            }
            if !moves {
                return self.buffer.get_mut(self.filled..).unwrap_or_default();
            }
            // The next bytes are read to the beginning of a cache line: copies to an address a few bytes after the
            // beginning of a page, as in a large allocation, take three times as long.
            let begin = (self.buffer.as_ptr().addr() + pending).wrapping_neg() % LINE;
            match before {
                None => self.buffer.copy_within(self.gone..self.filled, begin),
                Some(before) => {
                    let text = before.get(self.gone..self.filled).unwrap_or_default();
                    let place = self.buffer.get_mut(begin..begin + pending);
                    place
                        .into_iter()
                        .for_each(|place| place.copy_from_slice(text));
                }
            }
            (self.gone, self.filled) = (begin, begin + pending);
            if self.buffer.len() > 4 * STEP && wanted < STEP {
                self.buffer.truncate(STEP);
                self.buffer.shrink_to_fit();
            }
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// Takes the first `size` bytes of the [room](Self::space), which have been written, as text.
    pub(crate) fn fill(&mut self, size: usize) {
        self.filled = (self.filled + size).min(self.buffer.len());
    }

    /// Adds text that is at `at` in the source, with `stride` bytes there for one here; with 0 all of it is at `at`.
    pub(crate) fn push_at(&mut self, text: &[u8], at: Position, stride: u8) {
        if !text.is_empty() {
            if at.offset < self.latest {
                self.went_back.get_or_insert(self.all_end());
            }
            self.latest = at.offset;
        }
        let piece = WindowPiece {
            text: self.all_end(),
            at,
            stride: u64::from(stride),
            skip: 0,
        };
        if !self
            .pieces
            .back()
            .is_some_and(|last| last.is_followed_by(&piece))
        {
            self.piece(piece);
        }
        self.push(text);
    }

    /// Adds the text from `start` to `end` of another window of the same source. Lines set aside there are set aside
    /// here.
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
            let line = other.slice(start, end);
            // Only the first of several lines may begin after a prefix.
            let is_one = memchr::memchr(b'\n', line).is_none_or(|feed| feed + 1 == line.len());
            let tail = tail.filter(|_| is_one);
            if !tail.is_some_and(|tail| self.goes_on(tail, at)) {
                let text = self.all_end();
                let (stride, skip) = (1, 0);
                self.piece(WindowPiece {
                    text,
                    at,
                    stride,
                    skip,
                });
            }
            self.push(line);
            self.tail = line.ends_with(b"\n").then(|| Position {
                line: at.line + 1,
                column: 1,
                offset: at.offset + line.len() as u64,
            });
            return;
        }
        for (piece, until) in other.pieces_between(start, end) {
            let text = self.all_end();
            self.piece(WindowPiece { text, ..piece });
            self.push(other.slice(piece.text, until));
        }
    }

    /// Whether the text at the source position `at` can extend the last piece, which ends with a line at `tail`: it is
    /// on the next line, after a prefix as long as on the lines before. Extends the piece if so.
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
            // The beginning of this line was not known when the end of the line before was looked up.
            if self.latest_place.get().0 >= end {
                self.latest_place.set((last.text, last.at));
            }
            return true;
        }
        false
    }

    /// Whether the text up to `offset` is in the order of the source, apart from lines that were joined.
    pub(crate) fn is_in_order(&self, offset: u64) -> bool {
        self.went_back.is_none_or(|first| offset < first)
    }

    fn piece(&mut self, piece: WindowPiece) {
        // Of two pieces at one text offset, the later one is right.
        while self
            .pieces
            .back()
            .is_some_and(|last| last.text >= piece.text)
        {
            self.pieces.pop_back();
        }
        if self.latest_place.get().0 >= piece.text {
            self.latest_place.set((piece.text, piece.at));
        }
        self.pieces.push_back(piece);
    }

    /// Drops everything before `offset`.
    pub fn forget(&mut self, offset: u64) {
        let offset = offset.clamp(self.base, self.all_end());
        // The line feeds in the dropped text must be counted while they are there.
        let at = self.position(offset);
        if self.latest_place.get().0 < offset {
            self.latest_place.set((offset, at));
        }
        let gone = self.pieces.partition_point(|piece| piece.text <= offset);
        self.pieces.drain(..gone.saturating_sub(1));
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
}

/// Returns the first line of a text, with its line feed, or the first `most` bytes of a longer line; `None` if more of
/// the line may come.
pub(super) fn first_line(text: &[u8], most: u64, last: bool) -> Option<&[u8]> {
    let near = text.get(..most as usize);
    let text = near.unwrap_or(text);
    match memchr(b'\n', text) {
        Some(feed) => text.get(..=feed),
        None => (last || near.is_some()).then_some(text),
    }
}

#[cfg(test)]
mod tests;
