//! JSON scalars that stand alone on their lines: documents if `--type` asks for scalars.
//!
//! They have no bracket at which the finder could stop, and are mostly not meant as documents. So they are searched for
//! in the noise that the finder reports.

use crate::document::{Document, Noise, Origin, Rank, Stage, Visitor, Wants};
use crate::span::Position;
use jsift_json::is_json;
use jsift_json::scan::{begins_value, clean};

/// A line feed to end the last line with.
pub const LINE_END: Noise<'_> = Noise {
    text: b"\n",
    prefix: None,
    position: &|| Position::START,
};

/// How many bytes of a piece are checked for the beginning of a scalar: a colour sequence may come before it.
const BEGIN: usize = 256;

/// A line of noise that is put together from pieces.
#[derive(Debug, Default)]
pub struct NoiseLine {
    /// The position of its first byte.
    start: Option<Position>,
    text: Vec<u8>,
    /// Whether it contains something other than a scalar, or is longer than a document may be.
    other: bool,
}

impl NoiseLine {
    /// Returns the offset of a line that may be a scalar and has not ended yet.
    pub fn may_begin_at(&self) -> Option<u64> {
        let start = self.start.filter(|_| !self.other)?;
        Some(start.offset)
    }
}

/// Passes everything on to another visitor, with scalars as documents.
pub struct Scalars<'a> {
    to: &'a mut dyn Visitor,
    line: &'a mut NoiseLine,
    max_document: u64,
}

impl<'a> Scalars<'a> {
    /// Returns a visitor that passes everything on to `to`, and scalars that stand alone on their lines as documents.
    pub fn new(to: &'a mut dyn Visitor, line: &'a mut NoiseLine, max_document: u64) -> Self {
        Self {
            to,
            line,
            max_document,
        }
    }

    /// Adds a piece of a line, which begins at `position`.
    fn add(&mut self, piece: &[u8], position: impl FnOnce() -> Position) {
        let line = &mut *self.line;
        let is_blank = line.text.trim_ascii().is_empty();
        let begin = clean(piece.get(..BEGIN).unwrap_or(piece));
        let begin = begin.trim_ascii();
        line.other |= is_blank && !begin.is_empty() && !may_be_scalar(begin);
        line.other |= (line.text.len() + piece.len()) as u64 > self.max_document;
        if !line.other {
            line.start.get_or_insert_with(position);
            line.text.extend_from_slice(piece);
        }
    }

    /// Ends the line, and reports it as a document if it is a scalar.
    fn end_line(&mut self) {
        let line = std::mem::take(self.line);
        let (false, Some(start)) = (line.other, line.start) else {
            return;
        };
        let text = clean(&line.text);
        let scalar = text.trim_ascii();
        if !may_be_scalar(scalar) || !is_json(scalar) {
            return;
        }
        let before = line
            .text
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let before = before.count() as u64;
        let origin = Origin {
            stage: Stage::Embedded,
            position: Position {
                line: start.line,
                column: start.column + before,
                offset: start.offset + before,
            },
            length: line.text.trim_ascii().len() as u64,
            info: None,
            prefix: None,
        };
        self.to.document(Document {
            text: scalar,
            rank: Rank::Embedded,
            compact: true,
            lossy: false,
            prefix: None,
            place: &origin,
            layout: None,
        });
    }
}

/// Whether a text begins like a scalar, or like a terminal sequence or a byte order mark that is incomplete.
fn may_be_scalar(text: &[u8]) -> bool {
    const HALVES: [u8; 2] = [0x1b, 0xef];
    let begins = |byte: u8| begins_value(byte) && !b"{[".contains(&byte);
    text.first()
        .is_some_and(|byte| begins(*byte) || HALVES.contains(byte))
}

impl Visitor for Scalars<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.line.other = true;
        self.to.document(document);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        let wanted = self.to.wants().noise;
        let (mut feeds, mut at) = (0, 0);
        for text in noise.text.split_inclusive(|byte| *byte == b'\n') {
            let position = || match (feeds, noise.position()) {
                (0, position) => position,
                (feeds, position) => Position {
                    line: position.line + feeds,
                    column: 1,
                    offset: position.offset + at,
                },
            };
            self.add(text, position);
            // Line by line, so that a scalar comes after the noise before it, however that is cut.
            if wanted {
                let position = &position;
                self.to.noise(Noise {
                    text,
                    position,
                    ..noise
                });
            }
            if text.ends_with(b"\n") {
                self.end_line();
                feeds += 1;
            }
            at += text.len() as u64;
        }
    }

    fn wants(&mut self) -> Wants {
        Wants {
            noise: true,
            lines: false,
            ..self.to.wants()
        }
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finder::{FindOptions, Finder};

    /// Returns documents with their lines and offsets, read in pieces of this size.
    fn found(text: &[u8], piece: usize) -> Vec<(u64, u64, String)> {
        let mut found = Vec::new();
        let mut take = |document: Document<'_>| {
            let Position { line, offset, .. } = document.position();
            let text = String::from_utf8_lossy(document.text).into_owned();
            found.push((line, offset, text));
        };
        let mut line = NoiseLine::default();
        let mut scalars = Scalars::new(&mut take, &mut line, 40);
        let mut finder = Finder::new(FindOptions::default());
        for piece in text.chunks(piece) {
            finder.push(piece, &mut scalars);
        }
        finder.finish(&mut scalars);
        scalars.noise(LINE_END);
        found
    }

    #[test]
    fn scalars_stand_alone_on_their_lines_however_the_text_is_cut() {
        let (long, mark) = (format!("\"{}\"\n", "x".repeat(60)), "\u{feff}");
        let text = format!(
            "warning: old\n  \"1.2.3\" \r\n\x1b[32mtrue\x1b[0m\n5 {{\"a\":1}} 6\n{long}05\n1 2\nnot null\n{mark}-1e3\n7"
        );
        let want = [
            (2, 15, "\"1.2.3\""),
            (3, 25, "true"),
            (4, 41, "{\"a\":1}"),
            (9, 130, "-1e3"),
            (10, 138, "7"),
        ];
        let want = want.map(|(line, offset, text)| (line, offset, text.to_owned()));
        for piece in [1, 2, 3, 7, text.len()] {
            assert_eq!(found(text.as_bytes(), piece), want, "{piece}");
        }
    }
}
