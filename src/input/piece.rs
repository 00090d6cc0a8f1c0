//! The currency between the rooms in front of the finder: text, and where in the source it stands.

use crate::span::Position;

/// A run of text and its place in the source.
///
/// The texts of consecutive pieces, one behind the other, are the text to be read. They may be cut anywhere, also
/// inside a character.
///
/// # Where a byte stands
///
/// The byte `text[i]` stands at the offset `offset + i * stride` of the source and takes `stride` bytes of it. A source
/// that needs no decoding and no joining is given as it is: stride 1, offsets without gaps, `line` never set.
///
/// # Which line it is on
///
/// Makers of pieces do not count lines where nobody asks for them, so the reader counts: the line feeds of the source
/// are those in texts whose stride is not 0, and a line begins `stride` bytes behind the offset of its line feed. Where
/// that count would go wrong, because line feeds of the source were left out or because the text is not in the order of
/// the source, the piece says in `line` on which line it begins. [`Locator`] does this sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text, in UTF-8 as far as the source is.
    pub text: &'a [u8],
    /// Where its first byte stands in the source: 0-based, in bytes. Joined records can make it step back.
    pub offset: u64,
    /// How many bytes of the source each byte of the text takes: 1, or 2 for ASCII that was UTF-16. With 0 there is no
    /// such ratio (the character of an escape, a byte put in by a join): all of the text stands at `offset`, and a line
    /// feed in it is none of the source.
    pub stride: u8,
    /// The line of its first byte, where the reader's own count does not hold. From here on it does again.
    pub line: Option<Line>,
}

/// A line of a source, by number and beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// 1 + the line feeds before it.
    pub number: u64,
    /// The offset of its first byte.
    pub start: u64,
}

impl Line {
    /// The first line of a source.
    pub const FIRST: Self = Self {
        number: 1,
        start: 0,
    };

    /// The line behind a line feed that takes the `stride` bytes from `offset` on.
    #[must_use]
    pub const fn behind(self, offset: u64, stride: u8) -> Self {
        Self {
            number: self.number + 1,
            start: offset + stride as u64,
        }
    }

    /// The position of the byte at `offset` on this line.
    #[must_use]
    pub const fn position(self, offset: u64) -> Position {
        Position {
            line: self.number,
            column: offset.saturating_sub(self.start) + 1,
            offset,
        }
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::FIRST
    }
}

impl<'a> Piece<'a> {
    /// Bytes of the source as they are, directly behind those before them.
    #[must_use]
    pub const fn plain(text: &'a [u8], offset: u64) -> Self {
        Self {
            text,
            offset,
            stride: 1,
            line: None,
        }
    }

    /// The offset in the source of the byte `text[at]`, or of the one behind the text.
    #[must_use]
    pub const fn offset_of(&self, at: usize) -> u64 {
        self.offset + at as u64 * self.stride as u64
    }

    /// The piece in two; `at` is at most the length of the text. The second part counts on the first one being read.
    #[must_use]
    pub fn split_at(self, at: usize) -> (Self, Self) {
        let (head, tail) = self.text.split_at_checked(at).unwrap_or((self.text, &[]));
        let second = Self {
            text: tail,
            offset: self.offset_of(head.len()),
            stride: self.stride,
            line: None,
        };
        (Self { text: head, ..self }, second)
    }
}

/// Turns places in pieces into positions, counting line feeds once and only up to where it is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Locator {
    line: Line,
    counted: usize,
}

impl Locator {
    /// A locator at the start of a source.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            line: Line::FIRST,
            counted: 0,
        }
    }

    /// The position of `piece.text[at]`, or of what is behind it. `at` must not fall within one piece.
    pub fn locate(&mut self, piece: &Piece<'_>, at: usize) -> Position {
        if let (0, Some(line)) = (self.counted, piece.line) {
            self.line = line;
        }
        let range = self.counted..at.min(piece.text.len());
        if piece.stride > 0
            && let Some(text) = piece.text.get(range.clone())
            && let Some(last) = memchr::memrchr(b'\n', text)
        {
            self.line.number += memchr::memchr_iter(b'\n', text).count() as u64;
            self.line.start = piece.offset_of(range.start + last + 1);
        }
        self.counted = self.counted.max(range.end);
        self.line.position(piece.offset_of(at))
    }

    /// Leaves `piece`. Must be called for every piece, so that its line feeds are counted.
    pub fn leave(&mut self, piece: &Piece<'_>) {
        self.locate(piece, piece.text.len());
        self.counted = 0;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Line, Locator, Piece};
    use crate::span::Position;

    /// Every byte of a text with the position of its source: what must not depend on how the input is cut.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub(crate) struct Traced {
        pub(crate) text: Vec<u8>,
        pub(crate) positions: Vec<Position>,
        locator: Locator,
    }

    impl Traced {
        pub(crate) fn take(&mut self, piece: Piece<'_>) {
            for at in 0..piece.text.len() {
                self.positions.push(self.locator.locate(&piece, at));
            }
            self.locator.leave(&piece);
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
    fn lines_are_counted_over_pieces_and_set_where_pieces_say_so() {
        let mut traced = Traced::default();
        traced.take(Piece::plain(b"ab\ncd", 0));
        traced.take(Piece::plain(b"e\n", 5));
        traced.take(Piece::plain(b"f", 7));
        assert_eq!(traced.find("d"), (2, 2, 4));
        assert_eq!(traced.find("f"), (3, 1, 7));
        traced.take(Piece {
            line: Some(Line {
                number: 9,
                start: 100,
            }),
            ..Piece::plain(b"g\nh", 104)
        });
        assert_eq!(traced.find("g"), (9, 5, 104));
        assert_eq!(traced.find("h"), (10, 1, 106));
    }

    #[test]
    fn strides_scale_offsets_and_a_stride_of_none_adds_no_line() {
        let mut traced = Traced::default();
        traced.take(Piece {
            stride: 2,
            ..Piece::plain(b"a\nbc", 2)
        });
        traced.take(Piece {
            stride: 0,
            ..Piece::plain("\né".as_bytes(), 10)
        });
        traced.take(Piece::plain(b"x", 12));
        assert_eq!(traced.find("c"), (2, 3, 8));
        assert_eq!(traced.find("é"), (2, 5, 10));
        assert_eq!(traced.find("x"), (2, 7, 12));
    }
}
