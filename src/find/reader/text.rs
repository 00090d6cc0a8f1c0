//! Text: the search for what a document may begin with, and the line that it stands on.

use memchr::{memchr, memrchr3};

use super::asks::Unanswered;
use super::candidates::Pause;
use super::{Candidate, Context, Flow, Found, Mode, Reader};
use crate::document::{Rank, Visitor};
use crate::find::bracket::{NEAR, Near, goes_on, near};
use crate::find::weak;
use crate::find::window::Window;
use crate::input::terminal::ESCAPE;
use crate::lanes::{self, Blockwise, Lanes};

/// The mark that opens a CDATA section. Its last bracket is XML's, and its counterparts close the section: they make no array of
/// a document between them.
const CDATA: &[u8] = b"<![CDATA[";

/// The line that a byte stands on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: u64,
    /// It begins at `start`, not before.
    pub(super) whole: bool,
}

/// The line that was looked at last: many brackets may stand on one line, and its beginning is sought only once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    line: Line,
    /// No line ends between its beginning and here.
    until: u64,
}

impl Known {
    /// A line that begins at `start`.
    pub(super) const fn begins(start: u64) -> Self {
        Self {
            line: Line { start, whole: true },
            until: start,
        }
    }
}

impl Reader {
    pub(super) fn text(&mut self, window: &Window, last: bool, visitor: &mut dyn Visitor) -> Flow {
        while let Mode::Text = self.mode {
            let flow = if self.whole.is_some() {
                self.between_values(window, last, visitor)
            } else {
                match self.next_opening(window) {
                    Some(Opening::Bracket) => self.bracket(window, last, visitor),
                    Some(Opening::Mark) => self.marks(window, last, visitor),
                    None => Flow::Wait,
                }
            };
            if let Flow::Wait = flow {
                return flow;
            }
        }
        Flow::Go
    }

    /// Goes to the next opening bracket behind which a document can go on, or to the next mark of a fence.
    fn next_opening(&mut self, window: &Window) -> Option<Opening> {
        let from = self.at.max(self.looked);
        self.shown = self.shown.min(from);
        let unseen = self.looked.max(self.shown);
        if unseen < from && has_escape(window.slice(unseen, from)) {
            self.quiet = from;
        }
        let found = match window.from(from) {
            // Most documents stand alone on their lines.
            [b'\n', b'{', b'"', ..] => Openings {
                length: 1,
                opening: Some(Opening::Bracket),
                escape: None,
            },
            text => lanes::blockwise(Search {
                text,
                fences: self.options.fence,
            }),
        };
        if let Some(escape) = found.escape {
            self.quiet = from + escape as u64 + 1;
        }
        self.at = from + found.length as u64;
        self.looked = self.at;
        self.steps += found.length as u64;
        found.opening
    }

    /// Reading stands at an opening bracket of text.
    fn bracket(&mut self, window: &Window, last: bool, visitor: &mut dyn Visitor) -> Flow {
        let start = self.at;
        let mark = (start + 1).saturating_sub(CDATA.len() as u64);
        let opens_nothing = match window.slice(mark, start) {
            [.., ESCAPE] => true,
            [.., b'A'] => window.slice(mark, start + 1) == CDATA,
            _ => false,
        };
        if opens_nothing {
            self.at += 1;
            return Flow::Go;
        }
        let rest = window.from(start);
        if !last && rest.len() == 1 {
            return Flow::Wait;
        }
        let Some(beyond) = self.shown_until(window, start, last) else {
            return Flow::Wait;
        };
        if beyond > start {
            self.at = beyond;
            return Flow::Go;
        }
        if rest.get(1) != Some(&b'"') {
            let near = near(rest);
            // A scanner counts what it reads.
            if near != Near::Unknown && self.options.max_document >= NEAR {
                return self.near(near, window, last, visitor);
            }
        }
        let stopped = self.stopped_whole.take_if(|(read, _)| *read == start);
        let read = match stopped {
            Some((_, stop)) => Err(Pause::Stopped(stop)),
            None => {
                self.begin(start);
                self.read(start, rest, window, last)
            }
        };
        match read {
            Ok(found) => self.count(&found, window, last, visitor),
            Err(pause) => {
                let candidate = Candidate::new(start, Context::Text);
                self.pause(candidate, pause, window, last, visitor)
            }
        }
    }

    /// What the bracket at which reading stands turned out to be without a scanner.
    #[inline(never)]
    fn near(&mut self, near: Near, window: &Window, last: bool, visitor: &mut dyn Visitor) -> Flow {
        let start = self.at;
        self.begin(start);
        match near {
            Near::Numbers { length, shape } => {
                let end = start + length as u64;
                (self.at, self.shown) = (end, end);
                self.steps += end - start;
                let found = Found {
                    start,
                    end,
                    shape,
                    rank: Rank::Embedded,
                };
                self.count(&found, window, last, visitor)
            }
            Near::LineEnd { length } => {
                self.at += length as u64;
                match self.question(start, self.at, window) {
                    Some(question) => self.ask(question, Unanswered::Stray),
                    None => {
                        self.at = start + 1;
                        Flow::Go
                    }
                }
            }
            Near::Stray | Near::Unknown => {
                self.at += 1;
                Flow::Go
            }
        }
    }

    /// Goes to the beginning of a candidate.
    pub(super) fn begin(&mut self, start: u64) {
        self.stopped_whole = None;
        self.scanner.reset();
        self.at = start;
    }

    /// The line that `offset` stands on. Cheap for offsets that ascend.
    pub(super) fn line(&mut self, window: &Window, offset: u64) -> Line {
        let base = window.base();
        let known = self
            .line
            .filter(|known| known.line.start <= offset && known.until >= base);
        let from = known.map_or(base, |known| known.until);
        let mut found = known.unwrap_or(Known {
            line: Line {
                start: base,
                whole: base == 0,
            },
            until: base,
        });
        if offset > from {
            self.steps += offset - from;
            if let Some(end) = memrchr3(b'\n', b'\r', 0, window.slice(from, offset)) {
                let start = from + end as u64 + 1;
                found.line = Line { start, whole: true };
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

    /// Where the terminal sequences end that begin before `offset` on its line, or `offset`. `None` if the window does
    /// not reach far enough to tell.
    fn shown_until(&mut self, window: &Window, offset: u64, last: bool) -> Option<u64> {
        if self.quiet <= self.shown {
            self.shown = offset;
            return Some(offset);
        }
        self.shown_behind_escape(window, offset, last)
    }

    #[inline(never)]
    fn shown_behind_escape(&mut self, window: &Window, offset: u64, last: bool) -> Option<u64> {
        // Most openings stand on another line than the last escape character.
        if memchr(b'\n', window.slice(self.quiet, offset)).is_some() {
            self.shown = offset;
            return Some(offset);
        }
        let line = self.line(window, offset);
        let from = self.shown.max(line.start).min(offset);
        self.steps += offset - from;
        let length = (offset - from) as usize;
        let beyond = weak::beyond(window.from(from), length, last)? as u64;
        self.shown = offset + beyond;
        Some(self.shown)
    }

    /// The indent of the line that `offset` stands on.
    pub(super) fn indent(&mut self, window: &Window, offset: u64) -> u64 {
        let line = self.line(window, offset);
        if line.whole {
            indent(window.slice(line.start, offset))
        } else {
            self.long_indent
        }
    }
}

/// What a document may begin with.
enum Opening {
    /// An opening bracket behind which a document can go on, or which is the last byte.
    Bracket,
    /// A backtick or a tilde.
    Mark,
}

/// Whether there is an escape character in what was read in vain: mostly that is a bracket.
#[inline(never)]
fn has_escape(text: &[u8]) -> bool {
    match text {
        [byte] => *byte == ESCAPE,
        _ => memchr(ESCAPE, text).is_some(),
    }
}

/// What came of a search for openings.
struct Openings {
    /// How many bytes stand before it.
    length: usize,
    opening: Option<Opening>,
    /// The last escape character among them.
    escape: Option<usize>,
}

/// More marks in a block than this are mostly nested brackets that open nothing.
const MANY: u32 = 16;

/// Braces with an opening bracket behind them.
#[cold]
fn doubled(text: &[u8; lanes::WIDE + 1]) -> u64 {
    let [block @ .., _] = text;
    let braces = lanes::wide_equal(block, b'{');
    braces & (braces | lanes::wide_equal(block, b'[')) >> 1
}

/// Escape characters, and the brackets directly behind them, which open nothing.
#[inline(always)]
fn sequences(text: &[u8; lanes::WIDE + 1], lanes: &impl Lanes) -> (u64, u64) {
    let [block @ .., _] = text;
    let escapes = lanes.equal(block, ESCAPE);
    (escapes, escapes << 1 & lanes.equal(block, b'['))
}

/// Searches text for its first opening.
#[derive(Clone, Copy)]
struct Search<'a> {
    text: &'a [u8],
    fences: bool,
}

impl Blockwise for Search<'_> {
    type Output = Openings;

    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> Openings {
        let Self { text, fences } = self;
        let mut found = Openings {
            length: text.len(),
            opening: None,
            escape: None,
        };
        let mut from = 0;
        let mut rest = text;
        while let Some(block) = rest.first_chunk() {
            let marks = lanes.openings(block);
            if marks != 0 && found.ends_among(marks, block, from, self, &lanes) {
                return found;
            }
            from += lanes::WIDE;
            rest = rest.get(lanes::WIDE..).unwrap_or_default();
        }
        for at in from..text.len() {
            if found.ends_at(at, text, fences) {
                return found;
            }
        }
        found
    }
}

impl Openings {
    /// Looks at the `marks` in the block at `from`, and says whether the search ends there.
    #[inline(always)]
    fn ends_among(
        &mut self,
        mut marks: u64,
        block: &[u8; lanes::WIDE + 1],
        from: usize,
        Search { text, fences }: Search<'_>,
        lanes: &impl Lanes,
    ) -> bool {
        if marks.count_ones() > MANY {
            marks &= !doubled(block);
        }
        let mut escapes = 0;
        while marks != 0 {
            let mark = marks.trailing_zeros();
            let at = from + mark as usize;
            if self.ends_at(at, text, fences) {
                self.note(escapes & !(u64::MAX << mark), from);
                return true;
            }
            marks &= marks - 1;
            if self.escape == Some(at) {
                let brackets;
                (escapes, brackets) = sequences(block, lanes);
                marks &= !(escapes | brackets);
            }
        }
        self.note(escapes, from);
        false
    }

    /// Notes the `escapes` of the block at `from`.
    #[inline(always)]
    fn note(&mut self, escapes: u64, from: usize) {
        if let Some(last) = escapes.checked_ilog2() {
            self.escape = Some(from + last as usize);
        }
    }

    /// Looks at one byte of `text`, and says whether the search ends there.
    #[inline(always)]
    fn ends_at(&mut self, at: usize, text: &[u8], fences: bool) -> bool {
        let opening = match text.get(at) {
            Some(&bracket @ (b'{' | b'[')) if opens(bracket, at, text) => Opening::Bracket,
            Some(b'`' | b'~') if fences => Opening::Mark,
            Some(&ESCAPE) => {
                self.escape = Some(at);
                return false;
            }
            _ => return false,
        };
        self.length = at;
        self.opening = Some(opening);
        true
    }
}

/// Whether a document can begin with the bracket at `at`, by what stands beside it.
#[inline(always)]
fn opens(bracket: u8, at: usize, text: &[u8]) -> bool {
    let behind = text.get(at + 1..).unwrap_or_default();
    goes_on(bracket, behind) && (at == 0 || text.get(at - 1) != Some(&ESCAPE))
}

/// How many blanks a line begins with.
pub(crate) fn indent(line: &[u8]) -> u64 {
    line.iter()
        .take_while(|byte| matches!(**byte, b' ' | b'\t'))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::{ESCAPE, Opening, Search};
    use crate::document::Document;
    use crate::find::{Finder, Options};
    use crate::lanes;

    /// Byte by byte, as the documentation of what is tested says.
    fn opening_in(text: &[u8]) -> usize {
        let goes_on = |at: usize| {
            let behind = text[at + 1..].iter().position(|b| !b" \t".contains(b));
            let can_follow: &[u8] = match text[at] {
                b'{' => b"\"}\r\n\x1b",
                _ => b"\"[{]-0123456789tfn\r\n\x1b",
            };
            match behind {
                Some(blanks) if blanks <= 3 => {
                    let next = text[at + 1 + blanks];
                    let side = blanks > 0 && (next == b'|' || !next.is_ascii());
                    side || can_follow.contains(&next)
                }
                _ => true,
            }
        };
        let opens = |at: &usize| match text[*at] {
            b'{' | b'[' => (*at == 0 || text[at - 1] != ESCAPE) && goes_on(*at),
            byte => byte == b'`' || byte == b'~',
        };
        (0..text.len()).find(opens).unwrap_or(text.len())
    }

    #[test]
    fn openings_among_many_brackets_are_the_same() {
        let bytes = b"{[ \"1}a";
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for noise in 0..4 {
                        let text = [&b"{{{a"[..noise], &[*first, *second, *third]].concat();
                        let text = [&b"{".repeat(200), &text[..], &b"{{[a".repeat(40)].concat();
                        for from in 0..lanes::WIDE {
                            let text = &text[from..];
                            let found = lanes::blockwise(Search { text, fences: true });
                            assert_eq!(found.length, opening_in(text), "{text:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sequences_before_openings_are_told() {
        let parts = ["\x1b", "[", "`", "1", "{", "\"", "a"];
        let all = parts.len();
        for choice in 0..all.pow(4) {
            let part = |place| parts[choice / all.pow(place) % all];
            let parts = [0, 1, 2, 3].map(part).concat();
            for before in [0, 1, 60, 61, 62, 63, 64] {
                let text = ["b".repeat(before), parts.clone(), "b".repeat(70)].concat();
                let text = text.as_bytes();
                let found = lanes::blockwise(Search { text, fences: true });
                assert_eq!(found.length, opening_in(text), "{text:?}");
                let passed = text[..found.length].iter();
                let escape = passed.rev().position(|&byte| byte == ESCAPE);
                assert_eq!(
                    found.escape,
                    escape.map(|behind| found.length - 1 - behind),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn openings_are_those_behind_which_a_document_can_go_on() {
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
                        if let Some(behind) = text.get_mut(at + 1 + blanks) {
                            *behind = next;
                        }
                        let found = lanes::blockwise(Search {
                            text: &text,
                            fences: true,
                        });
                        assert_eq!(found.length, opening_in(&text), "{text:?}");
                        let opens = matches!(found.opening, Some(Opening::Bracket | Opening::Mark));
                        assert_eq!(opens, found.length < length);
                    }
                }
            }
        }
    }
    #[test]
    fn a_bracket_behind_an_escape_character_opens_nothing_in_the_next_read() {
        let mut found = 0;
        let mut visitor = |_: Document<'_>| found += 1;
        let mut finder = Finder::new(Options::default());
        finder.push(b"a \x1b", &mut visitor);
        finder.push(b"{\"a\":1} b", &mut visitor);
        finder.finish(&mut visitor);
        assert_eq!(found, 0);
    }
    #[test]
    fn the_indent_of_a_line_is_known_however_long_it_is() {
        let text = format!("  {}{{\"a\": x,\n {{\"b\": 1}}\n", "word ".repeat(2000));
        for cut in [100, 1000, text.len()] {
            let mut found = 0;
            let mut visitor = |_: Document<'_>| found += 1;
            let mut finder = Finder::new(Options::default());
            for piece in text.as_bytes().chunks(cut) {
                finder.push(piece, &mut visitor);
            }
            finder.finish(&mut visitor);
            assert_eq!(found, 1, "{cut}");
        }
    }
}
