//! Views of a text for the repair: without terminal sequences, and without a log prefix.

use jsift_json::cost;
use std::borrow::Cow;
use std::ops::Range;

use crate::finder::window::Window;
use crate::prefix::Prefix;
use jsift_json::BOM;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};

/// Returns the text of a window without terminal sequences, and without byte order marks at the start of lines.
pub(super) fn shown(window: Window) -> Window {
    let text = window.from(0);
    if memchr::memchr(ESCAPE, text).is_none() && memchr::memmem::find(text, BOM).is_none() {
        return window;
    }
    let mut shown = Window::new();
    let mut from = 0;
    for at in memchr::memchr2_iter(ESCAPE, BOM.first().copied().unwrap_or_default(), text) {
        let rest = text.get(at..).unwrap_or_default();
        let (length, ends) = match sequence_at_end(rest) {
            _ if at < from => continue,
            Sequence::Delete(length) => (length, false),
            Sequence::LineEnd(length) => (length, true),
            _ if rest.starts_with(BOM) && matches!(text.get(..at), Some([] | [.., b'\n'])) => {
                (BOM.len(), false)
            }
            Sequence::Incomplete | Sequence::None => continue,
        };
        shown.push_from(&window, from as u64, at as u64);
        if ends {
            shown.push_at(b"\n", window.position(at as u64), 0);
        }
        from = at + length;
    }
    shown.push_from(&window, from as u64, window.end());
    shown
}

/// Some of the text, as it reads alone.
#[derive(Debug)]
pub(super) struct View<'t> {
    text: Cow<'t, [u8]>,
    /// Where the lines of the view start: in the view, and in the text.
    lines: Vec<(usize, usize)>,
}

impl<'t> View<'t> {
    /// Returns the view of a whole text.
    pub(super) fn whole(text: &'t [u8]) -> Self {
        Self {
            text: text.into(),
            lines: vec![(0, 0)],
        }
    }

    /// Whether this is the view of a whole text.
    pub(super) const fn is_source(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    fn push(&mut self, line: &[u8], at: usize) {
        self.lines.push((self.text.len(), at));
        self.text.to_mut().extend_from_slice(line);
    }

    /// Returns the lines with a prefix, without it, and the other lines.
    pub(super) fn split(&self, prefix: &Prefix) -> (View<'static>, View<'static>) {
        let empty = |lines| View {
            text: Cow::Owned(Vec::new()),
            lines: Vec::with_capacity(lines),
        };
        let lines = memchr::memchr_iter(b'\n', &self.text).count() + 1;
        let (mut carried, mut others) = (empty(lines), empty(0));
        let mut from = 0;
        cost::look_at(self.text.len());
        for line in self.text.split_inclusive(|&byte| byte == b'\n') {
            let at = self.place(from);
            match prefix.inside(line) {
                Some(inside) => {
                    let text = line.get(inside.clone()).unwrap_or_default();
                    carried.push(text, at + inside.start);
                    if inside.end < line.len() && line.ends_with(b"\n") {
                        carried.push(b"\n", at + line.len() - 1);
                    }
                }
                None => others.push(line, at),
            }
            from += line.len();
        }
        (carried, others)
    }

    /// Returns the offset in the text of a byte of the view.
    pub(super) fn place(&self, offset: usize) -> usize {
        let line = self.lines.partition_point(|line| line.0 <= offset);
        let line = line.checked_sub(1).and_then(|line| self.lines.get(line));
        line.map_or(offset, |(start, at)| at + (offset - start))
    }
}

impl View<'_> {
    /// Returns the ranges of the text that a range of the view takes, one for each line of the view.
    pub(super) fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let first = self.lines.partition_point(|line| line.0 <= range.start);
        let lines = self
            .lines
            .get(first.saturating_sub(1)..)
            .unwrap_or_default();
        let ends = lines.iter().skip(1).map(|line| line.0);
        let ends = ends.chain([self.text.len()]);
        let lines = lines.iter().zip(ends);
        let parts =
            lines
                .take_while(|((start, _), _)| *start < range.end)
                .map(|((start, at), end)| {
                    let from = range.start.max(*start);
                    at + (from - start)..at + (end.min(range.end) - start)
                });
        parts.collect()
    }
}

/// Bytes as text: U+FFFD stands for invalid UTF-8, but not for a character that the end of input has cut.
pub(super) struct Decoded<'t> {
    pub(super) text: Cow<'t, str>,
    /// The offsets after each piece of invalid UTF-8: in the bytes, and in the text.
    invalid: Vec<(usize, usize)>,
}

impl<'t> Decoded<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        let mut text = String::from_utf8_lossy(bytes);
        let mut invalid = Vec::new();
        if let Cow::Owned(text) = &mut text {
            let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            text.truncate(kept);
            let mut ends = (0, 0);
            for chunk in bytes.utf8_chunks() {
                ends.0 += chunk.valid().len() + chunk.invalid().len();
                ends.1 += chunk.valid().len() + char::REPLACEMENT_CHARACTER.len_utf8();
                invalid.push(ends);
            }
        }
        Self { text, invalid }
    }

    /// Returns the offset in the bytes of an offset in the text.
    pub(super) fn in_bytes(&self, offset: usize) -> usize {
        let before = self.invalid.partition_point(|ends| ends.1 <= offset);
        let before = before.checked_sub(1).and_then(|at| self.invalid.get(at));
        before.map_or(offset, |(bytes, text)| bytes + (offset - text))
    }

    /// Returns the offset in the text of an offset in the bytes.
    pub(super) fn in_text(&self, offset: usize) -> usize {
        let before = self.invalid.partition_point(|ends| ends.0 <= offset);
        let before = before.checked_sub(1).and_then(|at| self.invalid.get(at));
        before.map_or(offset, |(bytes, text)| text + (offset - bytes))
    }

    /// Whether a range of the text contains U+FFFD in the place of something else.
    pub(super) fn is_replaced(&self, range: Range<usize>) -> bool {
        let width = char::REPLACEMENT_CHARACTER.len_utf8();
        let first = self.invalid.partition_point(|ends| ends.1 <= range.start);
        self.invalid
            .get(first)
            .is_some_and(|ends| ends.1 - width < range.end)
    }
}
