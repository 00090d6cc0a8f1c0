//! Text: the search for openings of documents, and the lines that contain them.

use memchr::memrchr3;

use super::{Candidate, Context, Found, ReadMode, ReadOn, Reader, Round};
use crate::document::Rank;
use crate::finder::bracket::{NEAR, goes_on, goes_on_almost, numbers};
use crate::finder::window::Window;
use jsift_json::BOM;
use jsift_json::cost;
use jsift_json::lanes::{self, Among, Lanes, WIDE};
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end, sequence_in};

/// The mark that opens a CDATA section. Its last bracket is XML's, and so are those that close the section: they do not
/// make an array of a document between them.
const CDATA: &[u8] = b"<![CDATA[";

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

    /// Goes to the next opening bracket after which a document can go on, or to the next mark of a fence, and returns it.
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
        // A smaller limit is only enforced where a scanner reads.
        if self.options.max_document >= NEAR
            && let Some((length, shape)) = numbers(rest)
        {
            let end = start + length as u64;
            self.at = end;
            cost::look_at(length);
            let rank = Rank::Embedded;
            let found = Found {
                start,
                end,
                shape,
                rank,
            };
            return self.count(&found, round);
        }
        match self.read(start, rest, round) {
            Ok(found) => self.count(&found, round),
            Err(stop) => {
                let candidate = Candidate {
                    start,
                    context: Context::Text,
                };
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

    /// Returns where the text starts that a terminal shows on the same line as `offset`: after the last sequence that ends
    /// a line, or where `line` starts. Many marks may be on one line: each of its sequences is looked at once.
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

/// Searches text for its first opening, a bracket or a mark, and returns the number of bytes before it. Without an
/// opening, the search ends at the end of the text, or at a control string that the text does not complete.
///
/// The only bracket in a terminal sequence is the one after its escape character, which is skipped; control strings may
/// contain others and are skipped as a whole.
#[derive(Clone, Copy)]
struct Search<'a> {
    text: &'a [u8],
    fences: bool,
    last: bool,
}

impl Search<'_> {
    fn run(self) -> (usize, Option<u8>) {
        lanes::blockwise(
            #[inline(always)]
            |lanes| self.run_with(lanes),
        )
    }

    #[inline(always)]
    fn run_with(self, lanes: Lanes) -> (usize, Option<u8>) {
        let (mut from, mut next) = (0, 0);
        let mut rest = self.text;
        while let Some(block) = rest.first_chunk() {
            let marks = openings(block, lanes);
            if marks != 0 {
                match self.look_at_all(block, from, marks, next, lanes) {
                    Ok(after) => next = after,
                    Err(found) => return found,
                }
            }
            from += WIDE;
            rest = rest.get(WIDE..).unwrap_or_default();
        }
        next = next.max(from);
        while next < self.text.len() {
            match self.look_at(next) {
                Ok(after) => next = after,
                Err(opening) => return (next, opening),
            }
        }
        (self.text.len(), None)
    }

    /// Looks at the marks of a block from `next` on. Returns where the search goes on, or an error with what ends it.
    #[inline(always)]
    fn look_at_all(
        self,
        block: &[u8; WIDE + 1],
        from: usize,
        mut marks: u64,
        mut next: usize,
        lanes: Lanes,
    ) -> Result<usize, (usize, Option<u8>)> {
        while marks != 0 {
            let at = from + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            if at < next {
                continue;
            }
            next = self.look_at(at).map_err(|opening| (at, opening))?;
            // Logs in colours contain many sequences: skip those in this block all at once.
            if next == at + 2 {
                let ([block @ .., _], [_, after @ ..]) = (block, block);
                let sequences = lanes.of(block).is(ESCAPE) & lanes.of(after).is(b'[');
                let sequences = sequences.bits() & u64::MAX >> 1;
                marks &= !(sequences | sequences << 1);
            }
        }
        Ok(next)
    }

    /// Returns where the search goes on after `at`, or an error with what ends it there.
    #[inline(always)]
    fn look_at(self, at: usize) -> Result<usize, Option<u8>> {
        match self.text.get(at..).unwrap_or_default() {
            [bracket @ (b'{' | b'['), after @ ..]
                if goes_on(*bracket, after) || self.may_be_almost(at, *bracket, after) =>
            {
                Err(Some(*bracket))
            }
            [mark @ (b'`' | b'~'), ..] if self.fences => Err(Some(*mark)),
            text @ [ESCAPE, b']' | b'_' | b'P' | b'^' | b'X', ..] => {
                match sequence_in(text, self.last) {
                    Sequence::Delete(length) | Sequence::LineEnd(length) => Ok(at + length),
                    Sequence::Incomplete => Err(None),
                    Sequence::None => Ok(at + 1),
                }
            }
            [ESCAPE] if !self.last => Err(None),
            [ESCAPE, after, ..] if *after != ESCAPE => Ok(at + 2),
            _ => Ok(at + 1),
        }
    }
}

impl Search<'_> {
    /// Whether the bracket at `at` may open almost JSON, as the bytes around it show.
    #[inline]
    fn may_be_almost(self, at: usize, bracket: u8, after: &[u8]) -> bool {
        let near = self.text.get(at.saturating_sub(3)..at).unwrap_or_default();
        !announces_nothing(near) && goes_on_almost(bracket, after)
    }
}

/// Whether the last bytes before a bracket show that it announces no document: the bracket stands after a mark with
/// which neither an announcement nor a terminal sequence ends, or opens a block of code after a parenthesis. The number
/// of an item in a list (`1) {`) is none.
#[inline(always)]
const fn announces_nothing(before: &[u8]) -> bool {
    match before {
        [.., b'!'..=b'\'' | b'/'] => true,
        [last, b')', b' '] => !last.is_ascii_digit(),
        _ => false,
    }
}

/// Returns which bytes have to be looked at in text: brackets after which a document can go on, the marks of fences,
/// escape characters. Other brackets may be included.
#[inline(always)]
fn openings(text: &[u8; WIDE + 1], lanes: Lanes) -> u64 {
    let ([block @ .., _], [_, after @ ..]) = (text, text);
    let (bytes, after) = (lanes.of(block), lanes.of(after));
    // Some more bytes are included: that is faster than to compare with each one that can follow. Almost all can follow
    // a brace, since a bare name may.
    let follow =
        after.outside(b':'..b't') | (after | 0x20).is_among(&const { Among::new(b"{}fnt") });
    let array = bytes.is(b'[') & follow;
    (array | bytes.is(ESCAPE) | bytes.is_among(&const { Among::new(b"`~{") })).bits()
}

/// Returns how many blanks a line starts with, colours between them aside.
pub(crate) fn indent(line: &[u8]) -> u64 {
    let (mut rest, mut blanks) = (line, 0);
    loop {
        cost::look_at(1);
        rest = match rest {
            [b' ' | b'\t', rest @ ..] => {
                blanks += 1;
                rest
            }
            [ESCAPE, ..] => match sequence_at_end(rest) {
                Sequence::Delete(length) => rest.get(length..).unwrap_or_default(),
                _ => return blanks,
            },
            _ => return blanks,
        };
    }
}

/// Returns the indent of text that contains nothing but blanks, colours and byte order marks; `None` if it contains
/// anything else.
pub(super) fn blank_indent(text: &[u8]) -> Option<u64> {
    let (mut blanks, mut at) = (0, 0);
    loop {
        cost::look_at(1);
        match text.get(at..)? {
            [] => return Some(blanks),
            [b' ' | b'\t', ..] => (blanks, at) = (blanks + 1, at + 1),
            rest if rest.starts_with(BOM) => at += BOM.len(),
            rest => match sequence_at_end(rest) {
                Sequence::Delete(length) => at += length,
                _ => return None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ESCAPE, Search, Sequence, goes_on_almost};
    use crate::document::Document;
    use crate::finder::{FindOptions, Finder};
    use jsift_json::lanes::WIDE;
    use jsift_json::terminal::sequence_at_end;

    /// Byte by byte, as the documentation of what is tested says.
    fn opening_in(text: &[u8]) -> usize {
        let goes_on = |at: usize| {
            let last = at.checked_sub(1).map(|last| text[last]);
            if !last.is_some_and(|last| b"!\"#$%&'/".contains(&last))
                && goes_on_almost(text[at], &text[at + 1..])
            {
                return true;
            }
            let after = text[at + 1..].iter().position(|b| !b" \t".contains(b));
            let can_follow: &[u8] = match text[at] {
                b'{' => b"\"}\r\n\x1b",
                _ => b"\"[{]-0123456789tfn\r\n\x1b",
            };
            match after {
                Some(blanks) if blanks <= 3 => {
                    let next = text[at + 1 + blanks];
                    let side = blanks > 0 && (next == b'|' || !next.is_ascii());
                    side || can_follow.contains(&next)
                }
                _ => true,
            }
        };
        let mut at = 0;
        while at < text.len() {
            at += match text[at] {
                b'{' | b'[' if goes_on(at) => break,
                b'`' | b'~' => break,
                ESCAPE if text[at..].starts_with(b"\x1b]") => match sequence_at_end(&text[at..]) {
                    Sequence::Delete(length) | Sequence::LineEnd(length) => length,
                    Sequence::Incomplete | Sequence::None => 1,
                },
                ESCAPE if !text[at..].starts_with(b"\x1b\x1b") => 2,
                _ => 1,
            };
        }
        at.min(text.len())
    }

    fn found_in(text: &[u8]) -> (usize, Option<u8>) {
        let (fences, last) = (true, true);
        Search { text, fences, last }.run()
    }

    #[test]
    fn openings_among_many_brackets_are_the_same() {
        let bytes = b"{[ \"1}a";
        // Each start with some of the texts; with `slow` all of them with all.
        let every = if cfg!(feature = "slow") { 1 } else { 11 };
        let mut tried = 0;
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for noise in 0..4 {
                        let text = [&b"{{{a"[..noise], &[*first, *second, *third]].concat();
                        let text = [&b"{".repeat(200), &text[..], &b"{{[a".repeat(40)].concat();
                        tried += 1;
                        for from in (tried % every..WIDE).step_by(every) {
                            let text = &text[from..];
                            assert_eq!(found_in(text).0, opening_in(text), "{text:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn openings_of_almost_json_are_found_in_long_texts() {
        for after in [
            "'a'", "# x", "// x", "/*", ",", "NaN", "None", "True", "False", "\u{a0}", "\u{200b}",
        ] {
            for before in [0, 1, 62, 63, 64] {
                let text = ["b".repeat(before), format!("[{after}"), "b".repeat(70)].concat();
                assert_eq!(found_in(text.as_bytes()).0, before, "{text:?}");
            }
        }
    }

    #[test]
    fn brackets_of_sequences_open_nothing() {
        let parts = ["\x1b", "[", "]", "\x07", "`", "1", "{", "\"", "a"];
        let all = parts.len();
        for choice in 0..all.pow(4) {
            let part = |place| parts[choice / all.pow(place) % all];
            let parts = [0, 1, 2, 3].map(part).concat();
            for before in [0, 1, 60, 61, 62, 63, 64] {
                let text = ["b".repeat(before), parts.clone(), "b".repeat(70)].concat();
                let text = text.as_bytes();
                assert_eq!(found_in(text).0, opening_in(text), "{text:?}");
            }
        }
    }

    #[test]
    fn openings_are_those_after_which_a_document_can_go_on() {
        for bracket in *b"{[" {
            for next in 0..=u8::MAX {
                for (at, length) in [
                    (0, 70),
                    (5, 70),
                    (63, 130),
                    (63, 64),
                    (127, 200),
                    (150, 160),
                ] {
                    for blanks in 0..=4 {
                        let mut text = vec![b'a'; length];
                        text[at] = bracket;
                        text[length.min(at + 1)..length.min(at + 1 + blanks)].fill(b' ');
                        if let Some(after) = text.get_mut(at + 1 + blanks) {
                            *after = next;
                        }
                        let (at, opening) = found_in(&text);
                        assert_eq!(at, opening_in(&text), "{text:?}");
                        assert_eq!(opening.is_some(), at < length);
                    }
                }
            }
        }
    }

    #[test]
    fn a_bracket_after_an_escape_character_opens_nothing_in_the_next_read() {
        let mut found = 0;
        let mut visitor = |_: Document<'_>| found += 1;
        let mut finder = Finder::new(FindOptions::default());
        finder.push(b"a \x1b", &mut visitor);
        finder.push(b"{\"a\":1} b", &mut visitor);
        finder.finish(&mut visitor);
        assert_eq!(found, 0);
    }

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
