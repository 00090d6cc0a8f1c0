//! Text as a terminal shows it that has only this source: without terminal sequences, byte order marks and the lines
//! that were set aside.

use std::ops::Range;

use crate::finder::offsets::Offsets;
use crate::finder::window::Window;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_in};
use jsift_json::{BOM, cost};
use memchr::{memchr, memchr2};

/// A beginning of a part of the window, as it is shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) text: Vec<u8>,
    /// How many bytes of the source were read.
    pub(super) length: usize,
    offsets: Offsets,
}

impl Shown {
    /// Returns the first `count` bytes that are shown of a `part` of the window, or all. It ends before a sequence that
    /// is incomplete, unless this is the `last` text of the source.
    pub(super) fn bytes(window: &Window, part: Range<u64>, count: usize, last: bool) -> Self {
        let mut shown = Self::default();
        shown.read(window, part, count, last);
        shown
    }

    /// Reads on in a `part` of the window, of which the beginning was read, up to the end of the first line after which
    /// more than `count` bytes are shown. Returns `false` if that is not there yet, and what is there is not `all`.
    pub(super) fn read_lines(
        &mut self,
        window: &Window,
        part: Range<u64>,
        count: usize,
        all: bool,
    ) -> bool {
        while self.text.len() <= count {
            let at = part.start + self.length as u64;
            // No text shows more bytes than it has.
            let least = at + (count - self.text.len()) as u64;
            let feed = memchr(b'\n', window.slice(least, part.end));
            match feed {
                Some(feed) => self.read(window, at..least + feed as u64 + 1, usize::MAX, true),
                None => {
                    if all {
                        self.read(window, at..part.end, usize::MAX, true);
                    }
                    return all;
                }
            }
        }
        true
    }

    /// Whether the first line of a `part` of the window shows `count` bytes or more.
    pub(super) fn is_long(window: &Window, part: Range<u64>, count: usize, last: bool) -> bool {
        let goes_on = |text: &[u8]| {
            text.get(1..)
                .is_some_and(|rest| memchr(b'\n', rest).is_none())
        };
        let near = window.slice(part.start, part.end.min(part.start + count as u64));
        let shows_all = || {
            let (_, aside) = window.aside_at(part.start);
            aside >= part.start + count as u64 && memchr2(ESCAPE, BOM[0], near).is_none()
        };
        near.len() == count
            && goes_on(near)
            && (shows_all() || {
                let shown = Self::bytes(window, part.clone(), count, last).text;
                shown.len() == count && goes_on(&shown)
            })
    }

    /// Reads a part of the window that follows what was read, until `most` bytes are shown.
    fn read(&mut self, window: &Window, part: Range<u64>, most: usize, last: bool) {
        let mut at = part.start;
        while at < part.end && self.text.len() < most {
            let (aside, next) = window.aside_at(at);
            let end = next.min(part.end);
            let rest = window.slice(at, end);
            let (length, text): (usize, &[u8]) = match sequence_in(rest, last || end < part.end) {
                _ if aside.is_some() => (rest.len(), b""),
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
            at += length as u64;
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
    use super::{Shown, Window};

    /// Returns a window with a text of which the lines that begin with `#` are set aside.
    fn window(source: &str) -> Window {
        let mut window = Window::new();
        window.push(source.as_bytes());
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            let end = start + line.len() as u64;
            if line.starts_with('#') {
                window.set_aside(start, end);
            }
            start = end;
        }
        window
    }

    #[test]
    fn what_is_not_shown_is_left_out_and_places_are_kept() {
        let source = "{\u{1b}[1m\"a\"\u{1b}[0m\n#\u{1b}[\n# \n\u{feff}: 1\u{1b}[2K}\n#\n";
        let window = window(source);
        let shown = Shown::bytes(&window, 0..window.end(), usize::MAX, true);
        assert_eq!(shown.text, b"{\"a\"\n: 1\n}\n");
        assert_eq!(shown.length, source.len());
        for part in ["\"a\"", ": 1", "}\n"] {
            let find = |text| memchr::memmem::find(text, part.as_bytes());
            let at = find(&shown.text).unwrap();
            assert_eq!(
                Some(shown.in_source(at)),
                find(source.as_bytes()),
                "{part:?}"
            );
            let end = shown.end_in_source(at + part.len());
            assert_eq!(Some(end - part.len()), find(source.as_bytes()), "{part:?}");
        }
    }

    #[test]
    fn so_many_bytes_or_lines_are_read_as_are_asked_for() {
        let window = window("{\x1b[1m\"a\"\n#{}\n\x1b[1m:1\n}\n\x1b[");
        let all = 0..window.end();
        let shown = |count, last| Shown::bytes(&window, all.clone(), count, last).text;
        assert_eq!(shown(2, false), b"{\"");
        assert_eq!(shown(40, false), b"{\"a\"\n:1\n}\n");
        assert_eq!(shown(40, true), b"{\"a\"\n:1\n}\n\n");
        let mut shown = Shown::default();
        let mut lines = |count, last| {
            let read = shown.read_lines(&window, all.clone(), count, last);
            (read, shown.text.clone())
        };
        assert_eq!(lines(2, false), (true, b"{\"a\"\n".to_vec()));
        assert_eq!(lines(5, false), (true, b"{\"a\"\n:1\n".to_vec()));
        assert!(!lines(40, false).0);
        assert_eq!(lines(40, true), (true, b"{\"a\"\n:1\n}\n\n".to_vec()));
        let is_long = |count| Shown::is_long(&window, all.clone(), count, true);
        assert_eq!([4, 5].map(is_long), [true, false]);
    }
}
