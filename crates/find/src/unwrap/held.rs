//! Text that has to wait, with its offsets in the source.

use std::ops::Range;

use crate::input::{Piece, SourceLine};

/// Copies of pieces in order. Pieces that are adjacent in the source are joined again.
#[derive(Debug, Default)]
pub(super) struct HeldPieces {
    text: Vec<u8>,
    marks: Vec<Mark>,
}

/// The source position of the text from `start` up to the next mark.
#[derive(Debug, Clone, Copy)]
struct Mark {
    start: usize,
    offset: u64,
    stride: u8,
    line: Option<SourceLine>,
}

impl HeldPieces {
    /// The size of a mark when memory is counted, in bytes.
    pub(super) const MARK_SIZE: usize = size_of::<Mark>();

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the source offset of the first byte.
    pub(super) fn first(&self) -> Option<u64> {
        self.marks.first().map(|mark| mark.offset)
    }

    /// Returns the memory used, in bytes.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.marks.len() * Self::MARK_SIZE
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
    }

    pub(super) fn push(&mut self, piece: Piece<'_>) {
        if piece.text.is_empty() {
            return;
        }
        let goes_on = self.marks.last().is_some_and(|mark| {
            let length = (self.text.len() - mark.start) as u64;
            mark.stride == piece.stride
                && mark.stride > 0
                && mark.offset + length * u64::from(mark.stride) == piece.offset
                && (piece.line.is_none() || piece.line == mark.line)
        });
        if !goes_on {
            self.marks.push(Mark {
                start: self.text.len(),
                offset: piece.offset,
                stride: piece.stride,
                line: piece.line,
            });
        }
        self.text.extend_from_slice(piece.text);
    }

    /// Returns the pieces of a part of the text, from left to right.
    pub(super) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Piece<'_>> {
        let end = range.end.min(self.text.len());
        let first = self
            .marks
            .partition_point(|mark| mark.start <= range.start)
            .saturating_sub(1);
        let marks = self.marks.get(first..).unwrap_or_default();
        let stops = marks.iter().skip(1).map(|mark| mark.start);
        marks
            .iter()
            .zip(stops.chain([usize::MAX]))
            .take_while(move |(mark, _)| mark.start < end)
            .filter_map(move |(mark, stop)| {
                let start = mark.start.max(range.start);
                let skipped = (start - mark.start) as u64;
                Some(Piece {
                    text: self.text.get(start..stop.min(end))?,
                    offset: mark.offset + skipped * u64::from(mark.stride),
                    stride: mark.stride,
                    line: mark.line,
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::HeldPieces;
    use crate::input::Piece;

    #[test]
    fn neighbours_are_joined_and_parts_keep_their_places() {
        let mut held = HeldPieces::default();
        for piece in [
            Piece::plain(b"ab", 10),
            Piece::plain(b"cd", 12),
            Piece {
                stride: 0,
                ..Piece::plain(b"xy", 14)
            },
            Piece {
                stride: 2,
                ..Piece::plain(b"ef", 20)
            },
        ] {
            held.push(piece);
        }
        let list = |range| -> Vec<_> {
            held.pieces(range)
                .map(|piece| (piece.text, piece.offset, piece.stride))
                .collect()
        };
        assert_eq!(
            list(0..8),
            [(&b"abcd"[..], 10, 1), (b"xy", 14, 0), (b"ef", 20, 2)]
        );
        assert_eq!(
            list(3..7),
            [(&b"d"[..], 13, 1), (b"xy", 14, 0), (b"e", 20, 2)]
        );
        assert_eq!(list(7..99), [(&b"f"[..], 22, 2)]);
        assert_eq!(list(4..4), []);
        assert!(HeldPieces::default().pieces(0..1).next().is_none());
    }
}
