//! Text as a terminal shows it: without terminal sequences and byte order marks.

use crate::finder::offsets::Offsets;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_in};
use jsift_json::{BOM, cost};
use memchr::{memchr, memchr2};

/// A beginning of a text, as it is shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) text: Vec<u8>,
    /// How many bytes of the source were read.
    pub(super) length: usize,
    offsets: Offsets,
}

impl Shown {
    /// Returns the first `count` bytes that are shown of a text, or all. It ends before a sequence that is incomplete, unless
    /// this is the `last` text of the source.
    pub(super) fn bytes(source: &[u8], count: usize, last: bool) -> Self {
        let mut shown = Self::default();
        shown.read(source, count, last);
        shown
    }

    /// Returns the lines of a text up to the first that ends after more than `count` bytes, or all.
    pub(super) fn lines(source: &[u8], count: usize) -> Self {
        let mut shown = Self::default();
        while shown.length < source.len() && shown.text.len() <= count {
            // No text shows more bytes than it has.
            let least = shown.length + count - shown.text.len();
            let feed = memchr(b'\n', source.get(least..).unwrap_or_default());
            let end = feed.map_or(source.len(), |feed| least + feed + 1);
            let more = source.get(shown.length..end).unwrap_or_default();
            shown.read(more, usize::MAX, true);
        }
        shown
    }

    /// Whether the first line of a text shows `count` bytes or more.
    pub(super) fn is_long(source: &[u8], count: usize, last: bool) -> bool {
        let goes_on = |text: &[u8]| {
            text.get(1..)
                .is_some_and(|rest| memchr(b'\n', rest).is_none())
        };
        let near = source.get(..count).filter(|near| goes_on(near));
        near.is_some_and(|near| {
            memchr2(ESCAPE, BOM[0], near).is_none() || {
                let shown = Self::bytes(source, count, last).text;
                shown.len() == count && goes_on(&shown)
            }
        })
    }

    /// Reads on in the source until `most` bytes are shown.
    fn read(&mut self, source: &[u8], most: usize, last: bool) {
        let mut rest = source;
        while !rest.is_empty() && self.text.len() < most {
            let (length, text): (usize, &[u8]) = match sequence_in(rest, last) {
                Sequence::Delete(length) => (length, b""),
                Sequence::LineEnd(length) => (length, b"\n"),
                Sequence::Incomplete => return,
                _ if rest.starts_with(BOM) => (BOM.len(), b""),
                Sequence::None => {
                    let next = memchr2(ESCAPE, BOM[0], rest.get(1..).unwrap_or_default());
                    let length = next.map_or(rest.len(), |next| next + 1);
                    let length = length.min(most - self.text.len());
                    (length, rest.get(..length).unwrap_or_default())
                }
            };
            cost::search(length);
            self.text.extend_from_slice(text);
            self.length += length;
            if text.len() < length {
                self.offsets.note((self.length, self.text.len()));
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Returns the offset in the source of an offset in the text.
    pub(super) fn in_source(&self, offset: usize) -> usize {
        self.offsets.in_source(offset)
    }

    /// Returns the offset in the text of an offset in the source.
    pub(super) fn in_text(&self, offset: usize) -> usize {
        self.offsets.in_text(offset)
    }

    /// Returns where in the source the first `count` bytes of the text end.
    pub(super) fn end_in_source(&self, count: usize) -> usize {
        count
            .checked_sub(1)
            .map_or(0, |last| self.in_source(last) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn sequences_and_marks_are_left_out_and_places_are_kept() {
        let source = "{\u{1b}[1m\"a\"\u{1b}[0m\n\u{feff}: 1\u{1b}[2K}\n".as_bytes();
        let shown = Shown::bytes(source, usize::MAX, true);
        assert_eq!(shown.text, b"{\"a\"\n: 1\n}\n");
        assert_eq!(shown.length, source.len());
        for part in ["\"a\"", ": 1", "}\n"] {
            let find = |text| memchr::memmem::find(text, part.as_bytes());
            let at = find(&shown.text).unwrap();
            assert_eq!(Some(shown.in_source(at)), find(source), "{part:?}");
            let end = shown.end_in_source(at + part.len());
            assert_eq!(Some(end - part.len()), find(source), "{part:?}");
        }
    }

    #[test]
    fn so_many_bytes_or_lines_are_read_as_are_asked_for() {
        let source = b"{\x1b[1m\"a\"\n\x1b[1m:1\n}\n\x1b[";
        let shown = |count, last| Shown::bytes(source, count, last).text;
        assert_eq!(shown(2, false), b"{\"");
        assert_eq!(shown(40, false), b"{\"a\"\n:1\n}\n");
        assert_eq!(shown(40, true), b"{\"a\"\n:1\n}\n\n");
        assert_eq!(Shown::lines(source, 2).text, b"{\"a\"\n");
        assert_eq!(Shown::lines(source, 5).text, b"{\"a\"\n:1\n");
    }
}
