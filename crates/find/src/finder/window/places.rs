//! The way from source offsets to places in the text of a window: its text offsets.

use std::ops::Range;

use super::{Window, WindowPiece};

impl Window {
    /// Returns the places of a stretch of the source. `latest` is where a place was found last, 0 at first and after
    /// text was [forgotten](Self::forget).
    pub fn places(&self, part: &Range<u64>, latest: &mut usize) -> Range<u64> {
        let first = self.places_of(part.start, latest).start;
        let last = part.end.saturating_sub(1).max(part.start);
        first..self.places_of(last, latest).end.max(first)
    }

    /// Returns the places of the byte at an offset of the source; those of its whole piece if only the piece's offset
    /// is known. Documents follow the order of the source, and so do pieces, except for joined records.
    fn places_of(&self, offset: u64, latest: &mut usize) -> Range<u64> {
        for index in (*latest..self.pieces.len()).chain(0..*latest) {
            let Some((piece, end)) = self.piece_with_end(index) else {
                break;
            };
            let next = self.pieces.get(index + 1);
            let after = match piece.stride {
                0 => next.map_or(u64::MAX, |next| next.at.offset),
                stride => piece.at.offset + (end - piece.text) * stride,
            };
            if (piece.at.offset..after.max(piece.at.offset + 1)).contains(&offset) {
                *latest = index;
                let before = (offset - piece.at.offset).checked_div(piece.stride);
                return match before.map(|before| piece.text + before) {
                    Some(place) => place.min(end)..(place + 1).min(end),
                    None => piece.text..end,
                };
            }
        }
        self.end()..self.end()
    }

    /// Returns the place up to which all text comes from before an offset of the source.
    #[must_use]
    pub fn place_of_all_before(&self, offset: u64) -> u64 {
        for index in 0..self.pieces.len() {
            let Some((piece, end)) = self.piece_with_end(index) else {
                break;
            };
            let before = match offset.checked_sub(piece.at.offset) {
                None | Some(0) => return piece.text,
                Some(bytes) => bytes.checked_div(piece.stride),
            };
            if let Some(before) = before
                && piece.text + before < end
            {
                return piece.text + before;
            }
        }
        self.end()
    }

    /// Returns the piece with this index, and the place where it ends.
    fn piece_with_end(&self, index: usize) -> Option<(WindowPiece, u64)> {
        let piece = *self.pieces.get(index)?;
        let next = self.pieces.get(index + 1);
        Some((piece, next.map_or(self.end(), |next| next.text)))
    }
}
