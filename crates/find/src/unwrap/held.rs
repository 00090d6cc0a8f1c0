//! Text that has to wait, with its offsets in the source.

use std::ops::Range;

use crate::input::{Piece, SourceLine, Writer};

/// Copies of pieces in order. Pieces that are adjacent in the source are joined again.
#[derive(Debug, Default)]
pub(super) struct HeldPieces {
    text: Vec<u8>,
    stretches: Vec<Stretch>,
}

/// The source position of the text from `start` up to the next stretch.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: usize,
    offset: u64,
    stride: u8,
    line: Option<SourceLine>,
    writer: Option<Writer>,
}

impl HeldPieces {
    /// The size of a stretch when memory is counted, in bytes.
    pub(super) const STRETCH_SIZE: usize = size_of::<Stretch>();

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the source offset of the first byte.
    pub(super) fn first(&self) -> Option<u64> {
        self.stretches.first().map(|stretch| stretch.offset)
    }

    /// Returns the memory used, in bytes.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.stretches.len() * Self::STRETCH_SIZE
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.stretches.clear();
    }

    pub(super) fn push(&mut self, piece: Piece<'_>) {
        if piece.text.is_empty() {
            return;
        }
        let goes_on = self.stretches.last().is_some_and(|stretch| {
            let length = (self.text.len() - stretch.start) as u64;
            stretch.stride == piece.stride
                && stretch.stride > 0
                && stretch.offset + length * u64::from(stretch.stride) == piece.offset
                && stretch.writer == piece.writer
                && (piece.line.is_none() || piece.line == stretch.line)
        });
        if !goes_on {
            self.stretches.push(Stretch {
                start: self.text.len(),
                offset: piece.offset,
                stride: piece.stride,
                line: piece.line,
                writer: piece.writer,
            });
        }
        self.text.extend_from_slice(piece.text);
    }

    /// Returns the pieces of a part of the text, from left to right.
    pub(super) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Piece<'_>> {
        let end = range.end.min(self.text.len());
        let first = self
            .stretches
            .partition_point(|stretch| stretch.start <= range.start)
            .saturating_sub(1);
        let stretches = self.stretches.get(first..).unwrap_or_default();
        let stops = stretches.iter().skip(1).map(|stretch| stretch.start);
        stretches
            .iter()
            .zip(stops.chain([usize::MAX]))
            .take_while(move |(stretch, _)| stretch.start < end)
            .filter_map(move |(stretch, stop)| {
                let start = stretch.start.max(range.start);
                let skipped = (start - stretch.start) as u64;
                Some(Piece {
                    text: self.text.get(start..stop.min(end))?,
                    offset: stretch.offset + skipped * u64::from(stretch.stride),
                    stride: stretch.stride,
                    line: stretch.line,
                    writer: stretch.writer,
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
