//! Text: the openings of documents in it, and the lines that contain them.

use memchr::memrchr3;

use super::search::Search;
use super::{Candidate, Context, ReadMode, ReadOn, Reader, Round};
use crate::finder::bracket::CDATA;
use crate::finder::window::Window;
use jsift_json::BOM;
use jsift_json::cost;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};

/// The line that contains a certain byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: u64,
    /// Whether the line starts at `start`; if not, it starts earlier.
    pub(super) whole: bool,
}

/// The line that was looked up last: many brackets may be on one line, and its start is searched for only once.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownLine {
    line: Line,
    /// There is no line end between the line's start and this place.
    until: u64,
    /// The line's indent, if text other than blanks was seen after it.
    indent: Option<u64>,
    /// Where the text starts that a terminal shows on the line of the place up to which that was looked at, and that
    /// place: before it, some sequences may end a line.
    shown: [u64; 2],
}

impl KnownLine {
    /// Returns a line that starts at `start`.
    pub(super) const fn begins(start: u64) -> Self {
        Self {
            line: Line { start, whole: true },
            until: start,
            indent: None,
            shown: [start; 2],
        }
    }
}

impl Reader {
    pub(super) fn text(&mut self, round: &mut Round<'_>) -> ReadOn {
        while let ReadMode::Text = self.mode {
            let flow = if self.whole.is_some() {
                self.between_values(round)
            } else if let Some(flow) = self.after_record(round) {
                flow
            } else {
                match self.next_opening(round) {
                    Some(b'{' | b'[') => self.bracket(round),
                    Some(_) => self.marks(round),
                    None => ReadOn::Wait,
                }
            };
            if let ReadOn::Wait = flow {
                return flow;
            }
        }
        ReadOn::Go
    }

    /// Goes to the next opening bracket after which a document can go on, or to the next mark of a fence, and returns
    /// it.
    fn next_opening(&mut self, round: &Round<'_>) -> Option<u8> {
        let Round { window, last, .. } = *round;
        let (length, opening) = Search {
            text: window.from(self.at),
            fences: self.options.fence,
            last,
        }
        .run();
        self.at += length as u64;
        cost::look_at(length);
        opening
    }

    /// Reads the opening bracket at the place of reading, in text.
    fn bracket(&mut self, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let start = self.at;
        let mark = (start + 1).saturating_sub(CDATA.len() as u64);
        if window.slice(mark, start).ends_with(b"A") && window.slice(mark, start + 1) == CDATA {
            self.at += 1;
            return ReadOn::Go;
        }
        let rest = window.from(start);
        if !last && rest.len() == 1 {
            return ReadOn::Wait;
        }
        self.begin(start);
        match self.read(start, rest, round) {
            Ok(found) => self.count(&found, round),
            Err(stop) => {
                let candidate = Candidate::new(start, Context::Text);
                self.pause(candidate, stop, round)
            }
        }
    }

    /// Goes to the start of a candidate.
    pub(super) fn begin(&mut self, start: u64) {
        self.scanner.reset();
        self.at = start;
    }

    /// Returns the line that contains `offset`. Cheap for offsets that ascend.
    pub(super) fn line(&mut self, window: &Window, offset: u64) -> Line {
        let base = window.base();
        let known = self
            .line
            .filter(|known| known.line.start <= offset && known.until >= base);
        let from = known.map_or(base, |known| known.until);
        let mut found = known.unwrap_or(KnownLine {
            line: Line {
                start: base,
                whole: base == 0,
            },
            until: base,
            indent: None,
            shown: [base; 2],
        });
        if offset > from {
            let end = memrchr3(b'\n', b'\r', 0, window.slice(from, offset));
            let start = end.map_or(from, |end| from + end as u64 + 1);
            cost::search((offset - start) as usize);
            if end.is_some() {
                found = KnownLine::begins(start);
            }
            found.until = offset;
        }
        self.line = Some(found);
        if found.line.start < base {
            return Line {
                start: base,
                whole: false,
            };
        }
        found.line
    }

    /// Returns where the text starts that a terminal shows on the same line as `offset`: after the last sequence that
    /// ends a line, or where `line` starts. Many marks may be on one line: each of its sequences is looked at once.
    pub(super) fn shown(&mut self, line: Line, offset: u64, window: &Window) -> u64 {
        let Some(known) = &mut self.line else {
            return line.start;
        };
        let [mut start, mut at] = known.shown.map(|at| at.max(line.start));
        cost::search(offset.saturating_sub(at) as usize);
        while let Some(escape) = memchr::memchr(ESCAPE, window.slice(at, offset)) {
            at += escape as u64;
            at += match sequence_at_end(window.from(at)) {
                Sequence::Delete(length) => length,
                Sequence::LineEnd(length) => {
                    start = at + length as u64;
                    length
                }
                Sequence::Incomplete | Sequence::None => 1,
            } as u64;
        }
        known.shown = [start, at.max(offset)];
        start.min(offset)
    }

    /// Returns the indent of the line that contains `offset`.
    pub(super) fn indent(&mut self, window: &Window, offset: u64) -> u64 {
        let line = self.line(window, offset);
        if !line.whole {
            return self.long_indent;
        }
        if let Some(known) = self.line.and_then(|known| known.indent) {
            return known.min(offset - line.start);
        }
        // Many openings may be on one line: its blanks are counted only once.
        let blanks = indent(window.slice(line.start, offset));
        if let Some(known) = &mut self.line
            && blanks < offset - line.start
        {
            known.indent = Some(blanks);
        }
        blanks
    }
}

/// Returns how many blanks a line starts with, colours and byte order marks between them aside.
pub(crate) fn indent(line: &[u8]) -> u64 {
    after_indent(line).0
}

/// Returns the indent of text that contains nothing but blanks, colours and byte order marks; `None` if it contains
/// anything else.
pub(super) fn blank_indent(text: &[u8]) -> Option<u64> {
    let (blanks, rest) = after_indent(text);
    rest.is_empty().then_some(blanks)
}

/// Returns the [indent] of a line, and the text after it.
pub(super) fn after_indent(line: &[u8]) -> (u64, &[u8]) {
    let (mut rest, mut blanks) = (line, 0);
    loop {
        cost::look_at(1);
        let length = match rest {
            [b' ' | b'\t', ..] => {
                blanks += 1;
                1
            }
            [0xef, 0xbb, 0xbf, ..] => BOM.len(),
            [ESCAPE, ..] => match sequence_at_end(rest) {
                Sequence::Delete(length) => length,
                _ => return (blanks, rest),
            },
            _ => return (blanks, rest),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::finder::{FindOptions, Finder};

    #[test]
    fn a_bracket_after_text_that_announces_nothing_opens_no_almost_json() {
        let found = |before: &str| {
            let text = format!("x\n{before}{{'a': {{\"b\":1}}}}\n");
            let mut found = 0;
            let mut visitor = |_: Document<'_>| found += 1;
            let mut finder = Finder::new(FindOptions::default());
            finder.push(text.as_bytes(), &mut visitor);
            finder.finish(&mut visitor);
            found
        };
        for before in ["a$", "a!", "a'", "a&", "a/", "f() ", "echo "] {
            assert_eq!(found(before), 1, "{before}");
        }
        for before in ["", "a: ", "a=", "f(", "- ", "1) ", "\u{1b}[0m"] {
            assert_eq!(found(before), 0, "{before}");
        }
    }

    #[test]
    fn the_indent_of_a_line_is_known_however_long_it_is() {
        let text = format!("  {}{{\"a\": x,\n {{\"b\": 1}}\n", "word ".repeat(2000));
        for cut in [100, 1000, text.len()] {
            let mut found = 0;
            let mut visitor = |_: Document<'_>| found += 1;
            let mut finder = Finder::new(FindOptions::default());
            for piece in text.as_bytes().chunks(cut) {
                finder.push(piece, &mut visitor);
            }
            finder.finish(&mut visitor);
            assert_eq!(found, 1, "{cut}");
        }
    }
}
