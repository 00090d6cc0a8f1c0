//! Views of a text for the repair: without terminal sequences, and without a log prefix.

use jsift_json::cost;
use std::borrow::Cow;
use std::ops::Range;

use super::extent::{Extent, extent};
use crate::finder::bracket::left_open;
use crate::finder::offsets::Offsets;
use crate::finder::window::Window;
use crate::prefix::{Change, Prefix};
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

/// Returns the lines of a window that carry a prefix, without it, and the other lines. A document of which only the
/// first line carries the prefix stays with the other lines, which are the rest of it.
pub(super) fn split(window: &Window, prefix: &Prefix) -> (Window, Window) {
    let (mut carried, mut others) = (Window::new(), Window::new());
    let mut end = 0;
    for line in window.from(0).split_inclusive(|&byte| byte == b'\n') {
        let start = end;
        end += line.len() as u64;
        cost::look_at(line.len());
        let inside = prefix.inside(line);
        let Some(inside) = inside.filter(|_| !ends_without(prefix, line, window.from(end))) else {
            others.push_from(window, start, end);
            continue;
        };
        carried.push_from(
            window,
            start + inside.start as u64,
            start + inside.end as u64,
        );
        if inside.end < line.len() && line.ends_with(b"\n") {
            carried.push_from(window, end - 1, end);
        }
    }
    (carried, others)
}

/// Whether what a line opens ends in the text `after` it, before the next line that carries a prefix or a shorter form
/// of it, as the lines of other sources do.
fn ends_without(prefix: &Prefix, line: &[u8], after: &[u8]) -> bool {
    let Some(opening) = left_open(line) else {
        return false;
    };
    let lines = after.split_inclusive(|&byte| byte == b'\n');
    let begun = |line: &[u8]| prefix.is_begun(line, Change::Digits);
    let carries = |line: &[u8]| prefix.inside(line).is_some() || begun(line);
    let bare = lines.take_while(|line| !carries(line));
    let bare: usize = bare.map(<[u8]>::len).sum();
    cost::look_at(bare);
    let (opened, rest) = (line.get(opening..), after.get(..bare));
    let opened = [opened, rest].map(Option::unwrap_or_default).concat();
    bare > 0 && left_open(&opened).is_none() && matches!(extent(&opened, true), Extent::Closed(_))
}

/// Bytes as text: U+FFFD stands for invalid UTF-8, but not for a character that the end of input has cut.
pub(super) struct Decoded<'t> {
    pub(super) text: Cow<'t, str>,
    /// The offsets after each piece of invalid UTF-8: in the bytes, and in the text.
    invalid: Offsets,
}

impl<'t> Decoded<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        let mut text = String::from_utf8_lossy(bytes);
        let mut invalid = Offsets::default();
        if let Cow::Owned(text) = &mut text {
            let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            text.truncate(kept);
            let mut ends = (0, 0);
            for chunk in bytes.utf8_chunks() {
                ends.0 += chunk.valid().len() + chunk.invalid().len();
                ends.1 += chunk.valid().len() + char::REPLACEMENT_CHARACTER.len_utf8();
                invalid.note(ends);
            }
        }
        Self { text, invalid }
    }

    /// Returns the offset in the bytes of an offset in the text.
    pub(super) fn in_bytes(&self, offset: usize) -> usize {
        self.invalid.in_source(offset)
    }

    /// Returns the offset in the text of an offset in the bytes.
    pub(super) fn in_text(&self, offset: usize) -> usize {
        self.invalid.in_text(offset)
    }

    /// Whether a range of the text contains U+FFFD in the place of something else.
    pub(super) fn is_replaced(&self, range: Range<usize>) -> bool {
        let width = char::REPLACEMENT_CHARACTER.len_utf8();
        let end = self.invalid.next_in_text(range.start);
        end.is_some_and(|end| end - width < range.end)
    }
}
