//! Text: the search for what a document may begin with, and the line that it stands on.

use memchr::{memchr, memrchr3};

use super::{Candidate, Context, Flow, Mode, Reader};
use crate::document::Visitor;
use crate::find::weak;
use crate::find::window::Window;
use crate::input::terminal::ESCAPE;
use crate::lanes;

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

impl Reader {
    pub(super) fn text(
        &mut self,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        if self.whole.is_some() {
            return self.between_values(window, last, visitor);
        }
        loop {
            let flow = match self.next_opening(window) {
                Some(Opening::Bracket) => self.bracket(window, last),
                Some(Opening::Mark) => self.marks(window, last, visitor),
                None => Some(Flow::Wait),
            };
            if let Some(flow) = flow {
                return flow;
            }
        }
    }

    /// Goes to the next opening bracket behind which a document can go on, or to the next mark of a fence.
    fn next_opening(&mut self, window: &Window) -> Option<Opening> {
        let from = self.at.max(self.looked);
        self.shown = self.shown.min(from);
        let read = window.slice(self.looked.max(self.shown), from);
        if memchr(ESCAPE, read).is_some() {
            self.quiet = from;
        }
        let found = openings(window.from(from), self.options.fence);
        if let Some(escape) = found.escape {
            self.quiet = from + escape as u64 + 1;
        }
        self.at = from + found.length as u64;
        self.looked = self.at;
        self.steps += found.length as u64;
        found.opening
    }

    /// Reading stands at an opening bracket of text.
    fn bracket(&mut self, window: &mut Window, last: bool) -> Option<Flow> {
        let start = self.at;
        let text = window.from(start);
        if start > window.base() && window.from(start - 1).first() == Some(&ESCAPE) {
            self.at += 1;
            return None;
        }
        match text.get(1) {
            None if !last => return Some(Flow::Wait),
            _ => {}
        }
        let Some(beyond) = self.shown_until(window, start, last) else {
            return Some(Flow::Wait);
        };
        if beyond > start {
            self.at = beyond;
            return None;
        }
        self.open(start, Context::Text);
        Some(Flow::Go)
    }

    pub(super) fn open(&mut self, start: u64, context: Context) {
        self.scanner.reset();
        self.at = start;
        self.mode = Mode::Candidate(Candidate { start, context });
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

/// What came of a search for openings.
struct Openings {
    /// How many bytes stand before it.
    length: usize,
    opening: Option<Opening>,
    /// The last escape character among them.
    escape: Option<usize>,
}

/// Searches text for its first opening.
fn openings(text: &[u8], fences: bool) -> Openings {
    let opening = |at: usize| match text.get(at)? {
        bracket @ (b'{' | b'[') => {
            let behind = text.get(at + 1);
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let promising = before != Some(&ESCAPE)
                && behind.is_none_or(|&next| plausible(*bracket == b'{', next));
            promising.then_some(Opening::Bracket)
        }
        b'`' | b'~' if fences => Some(Opening::Mark),
        _ => None,
    };
    let mut escape = None;
    let (mut blocks, tail) = text.as_chunks();
    let mut from = 0;
    loop {
        let (passed, mut found) = lanes::first_opening(blocks);
        from += passed * lanes::WIDE;
        if found == 0 {
            break;
        }
        while found != 0 {
            let at = from + found.trailing_zeros() as usize;
            if let Some(opening) = opening(at) {
                return Openings {
                    length: at,
                    opening: Some(opening),
                    escape,
                };
            }
            if text.get(at) == Some(&ESCAPE) {
                escape = Some(at);
            }
            found &= found - 1;
        }
        from += lanes::WIDE;
        blocks = blocks.get(passed + 1..).unwrap_or_default();
    }
    for (at, &byte) in (from..).zip(tail) {
        if let Some(opening) = opening(at) {
            return Openings {
                length: at,
                opening: Some(opening),
                escape,
            };
        }
        if byte == ESCAPE {
            escape = Some(at);
        }
    }
    Openings {
        length: text.len(),
        opening: None,
        escape,
    }
}

/// Whether a document can go on with `next` behind its opening bracket.
const fn plausible(object: bool, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => object,
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => !object,
        _ => false,
    }
}

/// How many blanks a line begins with.
pub(super) fn indent(line: &[u8]) -> u64 {
    line.iter()
        .take_while(|byte| matches!(**byte, b' ' | b'\t'))
        .count() as u64
}
