//! What the stages before the finder exchange: text with its offset in the source.

use crate::span::Position;
use jsift_json::BOM;

/// A run of text and its place in the source.
///
/// The texts of consecutive pieces in order are the text to be read. They may be cut anywhere, even inside a character.
///
/// The byte `text[i]` is at the offset `offset + i * stride` of the source and takes `stride` bytes of it. Unless the
/// stride is 0, line feeds in the text are exactly the line feeds of the source.
///
/// A source that needs no decoding and no joining is passed on as it is, without counting its lines: its pieces have no
/// [`line`](Self::line), and a reader that needs a position counts line feeds. Every other piece has its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text, in UTF-8 as far as the source is UTF-8.
    pub text: &'a [u8],
    /// The source offset of its first byte, 0-based. In joined records it may be smaller than the offset before.
    pub offset: u64,
    /// How many bytes of the source each byte of the text takes: 1, or 2 for ASCII that was UTF-16. With 0 there is no
    /// such ratio (for the character of an escape, or a byte inserted by a join): the whole text is at `offset`, and a
    /// line feed in it is not a line feed of the source.
    pub stride: u8,
    /// The line of its first byte. `None` says that the piece continues the source where the piece before it ended,
    /// both with a stride of 1; a first piece without a line is at the start of the source.
    pub line: Option<SourceLine>,
    /// Whose text it is, if a record around it says so. Text of different writers is read apart.
    pub writer: Option<Writer>,
}

/// Identifies a program, or one of its streams, whose lines were records in a log of several.
pub type Writer = u64;

/// A line of a source: its number and its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLine {
    /// 1 + the number of line feeds before it.
    pub number: u64,
    /// The offset of its first byte.
    pub start: u64,
}

impl SourceLine {
    /// The first line of a source.
    pub const FIRST: Self = Self {
        number: 1,
        start: 0,
    };

    /// Returns the line after a line feed that takes the `stride` bytes from `offset` on.
    #[must_use]
    pub const fn after(self, offset: u64, stride: u8) -> Self {
        Self {
            number: self.number + 1,
            start: offset + stride as u64,
        }
    }

    /// Returns the position of the byte at `offset` on this line.
    #[must_use]
    pub const fn position(self, offset: u64) -> Position {
        Position {
            line: self.number,
            column: offset.saturating_sub(self.start) + 1,
            offset,
        }
    }
}

impl Default for SourceLine {
    fn default() -> Self {
        Self::FIRST
    }
}

impl<'a> Piece<'a> {
    /// Returns a piece of unchanged source bytes that directly follow those before them.
    #[must_use]
    pub const fn plain(text: &'a [u8], offset: u64) -> Self {
        Self {
            text,
            offset,
            stride: 1,
            line: None,
            writer: None,
        }
    }

    /// Whether the piece is the byte order mark at the start of a source, which is no text to search in.
    #[must_use]
    pub(crate) fn is_bom(&self) -> bool {
        self.offset == 0 && self.text == BOM
    }

    /// Returns the position of its first byte, unless it continues where the piece before it ended.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        Some(self.line?.position(self.offset))
    }

    /// Returns the position after its last byte, if its line is known and ends with the text at the latest.
    pub(crate) fn end(&self) -> Option<Position> {
        let (line, end) = (self.line?, self.offset_of(self.text.len()));
        Some(match self.stride > 0 && self.text.ends_with(b"\n") {
            true => line
                .after(end - u64::from(self.stride), self.stride)
                .position(end),
            false => line.position(end),
        })
    }

    /// Returns the source offset of the byte `text[at]`, or of the byte after the text.
    #[must_use]
    pub(crate) const fn offset_of(&self, at: usize) -> u64 {
        self.offset + at as u64 * self.stride as u64
    }

    /// Returns its lines, each with its line feed.
    pub(crate) fn lines(self) -> impl Iterator<Item = Self> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let length = match memchr::memchr(b'\n', rest.text) {
                Some(feed) => feed + 1,
                None => rest.text.len(),
            };
            let line;
            (line, rest) = rest.split_at(length);
            (length > 0).then_some(line)
        })
    }

    /// Splits the piece in two; `at` is at most the length of the text. The second part has no line of its own.
    #[must_use]
    pub(crate) fn split_at(self, at: usize) -> (Self, Self) {
        let (head, tail) = self.text.split_at_checked(at).unwrap_or((self.text, &[]));
        let second = Self {
            text: tail,
            offset: self.offset_of(head.len()),
            stride: self.stride,
            line: None,
            ..self
        };
        (Self { text: head, ..self }, second)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Piece, SourceLine};
    use crate::span::Position;

    /// Every byte of a text with its position in the source: what must not depend on how the input is cut.
    #[derive(Debug, Default)]
    pub(crate) struct Traced {
        pub text: Vec<u8>,
        pub(crate) positions: Vec<Position>,
        line: SourceLine,
        /// Where a piece that only goes on has to begin.
        next: Option<u64>,
    }

    impl PartialEq for Traced {
        fn eq(&self, other: &Self) -> bool {
            self.text == other.text && self.positions == other.positions
        }
    }

    impl Traced {
        pub(crate) fn take(&mut self, piece: Piece<'_>) {
            match piece.line {
                Some(line) => self.line = line,
                None => assert_eq!((piece.offset, piece.stride), (self.next.unwrap_or(0), 1)),
            }
            for (at, &byte) in piece.text.iter().enumerate() {
                let offset = piece.offset_of(at);
                self.positions.push(self.line.position(offset));
                if byte == b'\n' && piece.stride > 0 {
                    self.line = self.line.after(offset, piece.stride);
                }
            }
            let end = piece.offset_of(piece.text.len());
            self.next = Some(if piece.stride == 1 { end } else { u64::MAX });
            self.text.extend_from_slice(piece.text);
        }

        /// The position of the first `what` in the text, as line, column and offset.
        pub(crate) fn find(&self, what: &str) -> (u64, u64, u64) {
            let at = memchr::memmem::find(&self.text, what.as_bytes()).expect(what);
            let position = self.positions[at];
            (position.line, position.column, position.offset)
        }
    }

    #[test]
    fn parts_of_a_piece_stand_where_they_stood_in_it() {
        let line = Some(SourceLine {
            number: 9,
            start: 100,
        });
        for (stride, offset) in [(0, 104), (1, 106), (2, 108)] {
            let piece = Piece {
                stride,
                line,
                ..Piece::plain(b"abcd", 104)
            };
            let (head, tail) = piece.split_at(2);
            assert_eq!((head.text, head.offset, head.line), (&b"ab"[..], 104, line));
            assert_eq!(
                (tail.text, tail.offset, tail.stride),
                (&b"cd"[..], offset, stride)
            );
            assert_eq!(
                piece.split_at(9),
                (
                    piece,
                    Piece {
                        text: b"",
                        ..piece.split_at(4).1
                    }
                )
            );
        }
    }

    #[test]
    fn only_pieces_that_step_aside_have_a_position() {
        let plain = Piece::plain(b"x", 7);
        assert_eq!(plain.position(), None);
        let line = SourceLine::FIRST.after(3, 1);
        let position = Position {
            line: 2,
            column: 4,
            offset: 7,
        };
        let aside = Piece {
            line: Some(line),
            ..plain
        };
        assert_eq!(aside.position(), Some(position));
    }
}
