//! The way back from the text offsets of a window to positions in the source.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::{Window, WindowPiece};
use crate::span::Position;
use jsift_json::cost;
use jsift_json::lanes::{self, Lanes, WIDE};

/// How many bytes the shortest escape in a JSON string takes.
const ESCAPE_SIZE: u64 = 2;

impl Window {
    /// Returns how many pieces begin at or before `offset`.
    fn begun(&self, offset: u64) -> usize {
        self.pieces.partition_point(|piece| piece.text <= offset)
    }

    /// Returns the source position directly after the byte before `offset`, which must not be a line feed. It may
    /// differ from the position of `offset`: in the source other bytes may follow, such as the head of a record that a
    /// transport has cut, or the next byte may not be there yet.
    pub(crate) fn position_after(&self, offset: u64) -> Position {
        let last = offset.saturating_sub(1);
        match self.stride_at(last) {
            0 => self.position(offset),
            stride => {
                let last = self.position(last);
                Position {
                    line: last.line,
                    column: last.column + stride,
                    offset: last.offset + stride,
                }
            }
        }
    }

    /// Returns how many bytes of the source the byte at `offset` takes, or 0 if that is not known.
    fn stride_at(&self, offset: u64) -> u64 {
        let piece = self.begun(offset).checked_sub(1);
        let piece = piece.and_then(|index| self.pieces.get(index));
        piece.map_or(0, |piece| piece.stride)
    }

    /// Returns the text offset up to which the text from `offset` on is contiguous in the source.
    pub(crate) fn piece_end(&self, offset: u64) -> u64 {
        let next = self.begun(offset);
        let end = self.pieces.get(next).map_or(self.end(), |piece| piece.text);
        // Most pieces skip no prefix.
        let piece = self.pieces.get(next.wrapping_sub(1));
        let feed = piece
            .filter(|piece| piece.skip > 0)
            .and_then(|_| memchr(b'\n', self.slice(offset, end)));
        feed.map_or(end, |feed| offset + feed as u64 + 1)
    }

    /// Returns the position of the byte at `offset` in the source. Cheap for ascending offsets.
    #[inline]
    pub(crate) fn position(&self, offset: u64) -> Position {
        // Most documents are alone on their lines.
        let at = self
            .position_nearby(offset)
            .unwrap_or_else(|| self.look_up(offset));
        match self.pieces.back() {
            // There is no next line that could begin with a prefix.
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

    /// Returns the position of a byte that is far ahead of those whose positions are asked for next: these stay cheap.
    pub(crate) fn position_ahead(&self, offset: u64) -> Position {
        let latest = self.latest_place.get();
        let found = self.position(offset);
        self.latest_place.set(latest);
        found
    }

    /// Returns the position of the byte at `offset` if it was the last one looked up, or if only a line feed is in
    /// between.
    #[inline]
    fn position_nearby(&self, offset: u64) -> Option<Position> {
        let (place, at) = self.latest_place.get();
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
        cost::look_at(1);
        self.latest_place.set((offset, found));
        Some(found)
    }

    #[inline(never)]
    fn look_up(&self, offset: u64) -> Position {
        let index = self.begun(offset).saturating_sub(1);
        let Some(&piece) = self.pieces.get(index) else {
            return Position::START;
        };
        if piece.stride == 0 {
            return piece.at;
        }
        let (from, at) = match self.latest_place.get() {
            latest if (piece.text..=offset).contains(&latest.0) => latest,
            _ => (piece.text, piece.at),
        };
        // An offset before everything known gets the first known position.
        if from >= offset {
            return at;
        }
        let next = self
            .pieces
            .get(index + 1)
            .map_or(u64::MAX, |next| next.text);
        let after = self.nearest_after(offset, next.min(2 * offset - from));
        let line = match after {
            Some((place, after)) => after.line - self.line_feeds(offset, place),
            None => at.line + self.line_feeds(from, offset),
        };
        let passed = self.slice(from, offset);
        let last = match line == at.line {
            true => None,
            false => memrchr(b'\n', passed),
        };
        // Columns count bytes of the source: those of a character take `stride` each, but for the first on a line.
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
        // The next look-up starts from the offset farthest on in the text.
        if after.is_none() {
            self.latest_place.set((offset, found));
        }
        found
    }

    /// Returns the number of line feeds between two text offsets.
    fn line_feeds(&self, start: u64, end: u64) -> u64 {
        cost::search((end - start) as usize);
        let (blocks, rest) = self.slice(start, end).as_chunks();
        let last = lanes::filled_up(rest, b' ');
        lanes::blockwise(
            #[inline(always)]
            |lanes| {
                let mut count = feeds_of(&last, lanes);
                for block in blocks {
                    count += feeds_of(block, lanes);
                }
                count
            },
        )
    }

    /// Returns the last offset looked up, and its position, if it is after `offset` and before `end`.
    fn nearest_after(&self, offset: u64, end: u64) -> Option<(u64, Position)> {
        let latest = self.latest_place.get();
        (offset < latest.0 && latest.0 < end).then_some(latest)
    }

    /// Notes that no line feed is between `start` and `end`, so that later look-ups need not count there. Has an effect
    /// only if `start` was the last offset looked up, or if only a line feed is between that one and `start`.
    pub(crate) fn pass(&self, start: u64, end: u64) {
        self.pass_lines(start, 0, start, end);
    }

    /// Notes that `feeds` line feeds are between `start` and `end`, the last one directly before `last`. Has an effect
    /// only under the condition of [`pass`](Self::pass).
    pub(crate) fn pass_lines(&self, start: u64, feeds: u64, last: u64, end: u64) {
        if let Some(at) = self.position_nearby(start) {
            let before = if feeds == 0 { at.column } else { 1 };
            let at = Position {
                line: at.line + feeds,
                column: before + (end - last),
                offset: at.offset + (end - start),
            };
            self.latest_place.set((end, at));
        }
    }

    /// Whether the text from `offset` on is byte for byte that in the source.
    pub(super) fn is_plain(&self, offset: u64) -> bool {
        let last = self.pieces.back();
        last.is_some_and(|piece| piece.text <= offset && piece.stride == 1 && piece.skip == 0)
    }

    /// Returns how many bytes of the source the text from `start` to `end` takes; its last byte is no line feed.
    pub(crate) fn length(&self, start: u64, end: u64) -> u64 {
        if self.is_plain(start) {
            return end - start;
        }
        let after = self.position_after(end).offset;
        after.saturating_sub(self.position(start).offset)
    }

    /// Returns the source offsets of the stretches that the text from `start` to `end` takes, without lines set aside.
    /// The last byte of the text is no line feed.
    pub(crate) fn parts(&self, start: u64, end: u64) -> Vec<Range<u64>> {
        let mut parts: Vec<Range<u64>> = Vec::new();
        let mut at = start;
        while at < end {
            let (aside, next) = self.aside_at(at);
            if let Some(after) = aside {
                at = after;
                continue;
            }
            let until = self.piece_end(at).min(next).min(end).max(at + 1);
            let first = self.position(at).offset;
            let mut last = self.position_after(until).offset.max(first);
            if self.stride_at(at) == 0 {
                // After an escape, the text of others may follow in the source.
                last = last.min(first + ESCAPE_SIZE);
            }
            match parts.last_mut() {
                Some(part) if part.end == first => part.end = last,
                _ => parts.push(first..last),
            }
            at = until;
        }
        parts
    }

    /// Returns the lowest source offset of the text from `offset` on, which need not be that of its first byte: records
    /// that were joined are not in the order of the source.
    pub(crate) fn earliest_from(&self, offset: u64) -> u64 {
        let later = self
            .pieces
            .range(self.begun(offset)..)
            .map(|piece| piece.at.offset);
        later.fold(self.position(offset).offset, u64::min)
    }

    /// Returns a piece that begins at `text`, and the index that it would have among the others.
    fn piece_at(&self, text: u64) -> (usize, WindowPiece) {
        let at = self.position(text);
        let index = self.begun(text);
        let before = self.pieces.get(index.saturating_sub(1));
        let (stride, skip) = before.map_or((1, 0), |piece| (piece.stride, piece.skip));
        let piece = WindowPiece {
            text,
            at,
            stride,
            skip,
        };
        (index, piece)
    }

    /// Returns the pieces of the text from `start` to `end`, each with the text offset at which it ends.
    pub(super) fn pieces_between(
        &self,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = (WindowPiece, u64)> {
        let mut at = start;
        std::iter::from_fn(move || {
            let (next, piece) = (at < end).then(|| self.piece_at(at))?;
            let next = self.pieces.get(next);
            at = next.map_or(end, |next| next.text.min(end));
            Some((piece, at))
        })
    }
}

#[inline(always)]
fn feeds_of(block: &[u8; WIDE], lanes: Lanes) -> u64 {
    lanes.of(block).is(b'\n').bits().count_ones().into()
}
