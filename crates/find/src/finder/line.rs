//! What a line shows, where the rest of it decides about a document, a fence or a prefix: blanks and colours are passed
//! over.

use jsift_json::cost;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end, sequence_in};

/// What is passed over on a line, besides colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipped {
    Blanks,
    BlanksAndCommas,
}

impl Skipped {
    const fn has(self, byte: u8) -> bool {
        matches!(
            (byte, self),
            (b' ' | b'\t', _) | (b',', Self::BlanksAndCommas)
        )
    }
}

/// What is shown next on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextByte {
    /// This byte; a line feed also for a terminal sequence that ends a line.
    Byte(u8),
    /// Nothing: the input ends.
    End,
    /// Not known yet: more text is needed.
    Unknown,
}

impl NextByte {
    pub(crate) const fn byte(self) -> Option<u8> {
        match self {
            Self::Byte(byte) => Some(byte),
            Self::End | Self::Unknown => None,
        }
    }
}

/// Returns what is shown next on a line; `last` says whether the input ends with the text.
pub(crate) fn next(text: &[u8], last: bool) -> NextByte {
    next_after(Skipped::Blanks, text, last)
}

/// Returns what is shown next on a line, but for commas.
pub(crate) fn next_after_commas(text: &[u8], last: bool) -> NextByte {
    next_after(Skipped::BlanksAndCommas, text, last)
}

/// Returns the first byte that a text shows; `None` if it shows nothing.
pub(crate) fn next_shown(text: &[u8]) -> Option<u8> {
    next(text, true).byte()
}

fn next_after(skipped: Skipped, mut text: &[u8], last: bool) -> NextByte {
    loop {
        cost::look_at(1);
        text = match text {
            [] if last => return NextByte::End,
            [] => return NextByte::Unknown,
            [byte, rest @ ..] if skipped.has(*byte) => rest,
            [ESCAPE, ..] => match sequence_in(text, last) {
                Sequence::Delete(length) => text.get(length..).unwrap_or_default(),
                Sequence::LineEnd(_) => return NextByte::Byte(b'\n'),
                Sequence::Incomplete => return NextByte::Unknown,
                Sequence::None => return NextByte::Byte(ESCAPE),
            },
            [byte, ..] => return NextByte::Byte(*byte),
        };
    }
}

/// Whether a stretch of a line is nothing but blanks and colours. What a terminal sequence ends is another line.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    is_nothing_but(Skipped::Blanks, text)
}

/// Whether a line, or its rest, shows nothing.
pub(crate) fn is_blank_line(line: &[u8]) -> bool {
    is_blank(line.trim_ascii_end())
}

/// Whether the text between two documents is nothing but blanks, commas and colours: they are next to each other on a
/// line.
pub(crate) fn is_gap(text: &[u8]) -> bool {
    is_nothing_but(Skipped::BlanksAndCommas, text)
}

fn is_nothing_but(skipped: Skipped, text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        cost::look_at(1);
        match byte {
            _ if skipped.has(byte) => at += 1,
            ESCAPE => match sequence_at_end(text.get(at..).unwrap_or_default()) {
                Sequence::Delete(length) => at += length,
                // The text before the sequence was on another line.
                Sequence::LineEnd(length) if skipped == Skipped::Blanks => at += length,
                _ => return false,
            },
            _ => return false,
        }
    }
    true
}
