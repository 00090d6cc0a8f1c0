//! `--noise keep` writes the text of a source with its documents laid out in place; `--noise stderr` writes it without
//! them.
//!
//! The text is held as the finder [gets](Visitor::text) it until everything before some offset is
//! [decided](jsift_find::reading::Reading::decided); documents state which [stretches](Document::parts) of the source
//! they occupy. So the output is the source except for its documents, whatever the finder removes, sets aside or joins
//! in order to find them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use memchr::{memchr, memrchr};

use super::lines::DocumentLines;
use super::writer::DocumentWriter;
use crate::command::run::source::Channels;
use jsift_find::choose::filter::Filter;
use jsift_find::document::{Document, Rank, Visitor, Wants};
use jsift_find::finder::window::Window;
use jsift_find::input::Piece;
use jsift_json::write::{PAGE, Room};

/// The text of one source that has not been written yet.
///
/// Places are counted in bytes of the text, offsets in bytes of the source.
pub(super) struct Around {
    held: Window,
    /// Where a place was found last; see [`Window::places`].
    latest: usize,
    /// Text before this place has been written or left out. It never decreases.
    at: u64,
    /// Stretches that are not written as they are, by their first place.
    gone: BTreeMap<u64, Gone>,
    lines: DocumentLines,
}

/// A stretch of the text up to `end` that is not written as it is.
#[derive(Debug)]
struct Gone {
    end: u64,
    instead: Instead,
}

/// What is written instead of a stretch.
#[derive(Debug)]
enum Instead {
    Nothing,
    /// Nothing, and the rest of its line is left out as well if it is blank.
    LeftOut,
    /// The stretch itself, if text other than blanks follows on its line: it is the prefix of a document's last line.
    Prefix,
    /// The document that begins with the stretch.
    Document {
        /// The texts of the documents at this place; none if the document is left out.
        texts: Vec<Vec<u8>>,
        /// The prefixes of the document's lines except the first.
        prefixes: Vec<Range<u64>>,
        /// Whether other lines come between the document's lines. They are written after it.
        interrupted: bool,
    },
}

impl Around {
    pub(super) fn new(lines: DocumentLines) -> Self {
        Self {
            held: Window::default(),
            latest: 0,
            at: 0,
            gone: BTreeMap::new(),
            lines,
        }
    }

    /// Adds the next text of the source, before anything is found in it.
    pub(super) fn add(&mut self, piece: Piece<'_>) {
        self.held.add(piece);
    }

    /// Writes the text before an offset up to which everything is decided.
    pub(super) fn settle(
        &mut self,
        decided: u64,
        writer: &DocumentWriter<'_>,
        to: &mut Channels<'_>,
    ) {
        self.write_until(self.held.place_of_all_before(decided), writer, to);
        self.held.forget(self.at);
        self.latest = 0;
        self.lines.flush(to);
    }

    /// Ends the source and writes the rest of the text.
    pub(super) fn end(&mut self, writer: &DocumentWriter<'_>, to: &mut Channels<'_>) {
        self.write_until(self.held.end(), writer, to);
        self.lines.end(to);
    }

    /// Replaces these stretches of the source, which belong to one document, by the layout of the document `text`, or
    /// leaves them out.
    pub(super) fn document(&mut self, parts: &[Range<u64>], text: Option<&[u8]>) {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| self.held.places(part, &mut self.latest))
            .collect();
        let Some(first) = parts.first().filter(|first| first.start >= self.at) else {
            return;
        };
        if let Some(Gone { instead, .. }) = self.gone.get_mut(&first.start) {
            return instead.add(text);
        }
        let (mut prefixes, mut interrupted) = (Vec::new(), false);
        for (part, next) in parts.iter().zip(parts.iter().skip(1)) {
            let (own, prefix) = between(&self.held, part.end, next.start);
            self.leave(part.end..own, Instead::Nothing);
            interrupted |= own < prefix;
            // If a stretch ends at the side of a box, the next one is on the same line and has no prefix.
            if prefix < next.start {
                prefixes.push(prefix..next.start);
            }
        }
        if let Some((last, prefixes)) = prefixes.split_last() {
            for prefix in prefixes {
                self.leave(prefix.clone(), Instead::Nothing);
            }
            self.leave(
                last.clone(),
                match interrupted {
                    true => Instead::Prefix,
                    false => Instead::Nothing,
                },
            );
        }
        let last = parts.len() - 1;
        let mut document = Some(Instead::Document {
            texts: text.map(<[u8]>::to_vec).into_iter().collect(),
            prefixes,
            interrupted,
        });
        for (index, part) in parts.into_iter().enumerate() {
            let instead = document
                .take()
                .unwrap_or(match interrupted && index == last {
                    // With other lines in between, the whole document was written at its first line.
                    true => Instead::LeftOut,
                    false => Instead::Nothing,
                });
            self.leave(part, instead);
        }
    }

    fn leave(&mut self, places: Range<u64>, instead: Instead) {
        let Range { start, end } = places;
        if start < end {
            self.gone.insert(start, Gone { end, instead });
        }
    }

    /// Writes the text up to a place, with documents in place.
    fn write_until(&mut self, until: u64, writer: &DocumentWriter<'_>, to: &mut Channels<'_>) {
        while let Some(entry) = self.gone.first_entry()
            && *entry.key() < until
        {
            let (start, Gone { end, instead }) = entry.remove_entry();
            self.lines.noise(self.held.slice(self.at, start), to);
            // Stretches may be nested.
            self.at = self.at.max(end);
            match instead {
                Instead::Nothing => {}
                Instead::LeftOut => self.lines.leave_out(),
                Instead::Prefix => self.lines.hold(self.held.slice(start, end), to),
                Instead::Document {
                    texts,
                    prefixes,
                    interrupted,
                } => {
                    match texts.is_empty() {
                        true => self.lines.leave_out(),
                        false => self.write_documents(&texts, &prefixes, writer, to),
                    }
                    if interrupted {
                        self.lines.noise(b"\n", to);
                    }
                }
            }
        }
        if self.at < until {
            self.lines.noise(self.held.slice(self.at, until), to);
            self.at = until;
        }
    }

    /// Writes the lines of documents. Every line but the first gets the prefix of a line of the original document; if
    /// there are no more prefixes it repeats the last one, or else the indentation of the first line.
    fn write_documents(
        &mut self,
        texts: &[Vec<u8>],
        prefixes: &[Range<u64>],
        writer: &DocumentWriter<'_>,
        to: &mut Channels<'_>,
    ) {
        let indent = self.lines.indent();
        let mut laid_out = LaidOut {
            lines: &mut self.lines,
            held: &self.held,
            to,
            prefixes: prefixes.iter(),
            before: &indent,
            ended: false,
        };
        for (index, text) in texts.iter().enumerate() {
            // The output remembers its own write errors.
            let _ = match index {
                0 => Ok(()),
                _ => laid_out.write_all(b"\n"),
            };
            let _ = writer.value(&mut laid_out, text);
        }
    }
}

/// Writes the lines of a document's layout between lines of noise, as they are made: the layout may be many times as
/// long as the document.
struct LaidOut<'a, 'c, 'w> {
    lines: &'a mut DocumentLines,
    held: &'a Window,
    to: &'c mut Channels<'w>,
    /// The prefixes of the lines that follow.
    prefixes: std::slice::Iter<'a, Range<u64>>,
    /// What was written before the latest line.
    before: &'a [u8],
    /// Whether the latest line has ended.
    ended: bool,
}

impl Write for LaidOut<'_, '_, '_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if self.ended {
                if let Some(prefix) = self.prefixes.next() {
                    self.before = self.held.slice(prefix.start, prefix.end);
                }
                self.lines.noise(self.before, self.to);
            }
            self.lines.document(line, self.to);
            self.ended = line.ends_with(b"\n");
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Room for LaidOut<'_, '_, '_> {
    fn page(&mut self, put: impl FnOnce(&mut [u8; PAGE]) -> usize) -> io::Result<()> {
        let mut page = [0; PAGE];
        let length = put(&mut page);
        self.write_all(page.get(..length).unwrap_or_default())
    }
}

impl Instead {
    /// Adds another document at the same place: a string literal may contain several.
    fn add(&mut self, other: Option<&[u8]>) {
        if let (Self::Document { texts, .. }, Some(other)) = (self, other)
            && !texts.is_empty()
        {
            texts.push(other.to_vec());
        }
    }
}

/// Passes everything on to another visitor, and leaves documents out of the text around them.
pub(super) struct LeftOut<'a> {
    pub(super) to: &'a mut dyn Visitor,
    pub(super) around: &'a mut Around,
    pub(super) filter: &'a Filter,
}

impl Visitor for LeftOut<'_> {
    fn document(&mut self, document: Document<'_>) {
        let passes = self.filter.is_empty() || self.filter.check(document.text).is_ok();
        if passes && document.rank != Rank::Weak {
            self.around.document(&document.parts(), None);
        }
        self.to.document(document);
    }

    fn text(&mut self, piece: Piece<'_>) {
        self.around.add(piece);
    }

    fn wants(&mut self) -> Wants {
        Wants {
            parts: true,
            // Each document is needed with its place.
            lines: false,
            ..self.to.wants()
        }
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.to)
    }
}

/// Divides the text between two stretches of a document. Up to the first returned place it is the rest of the first
/// stretch's line; from the second place on it is the beginning of the other stretch's line. Between these are
/// other lines.
fn between(held: &Window, start: u64, end: u64) -> (u64, u64) {
    let is_line = held.slice(start.saturating_sub(1), start) == b"\n";
    let own = match memchr(b'\n', held.slice(start, end)) {
        _ if is_line => start,
        Some(feed) => start + feed as u64 + 1,
        None => end,
    };
    let feed = memrchr(b'\n', held.slice(own, end));
    (own, feed.map_or(own, |feed| own + feed as u64 + 1))
}

#[cfg(test)]
mod tests;
