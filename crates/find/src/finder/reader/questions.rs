//! Questions that the reader asks the [finder](crate::finder). When a candidate, fence or thinking block is unfinished
//! at the end of its line and has text before its opening: do the next lines carry a prefix? When a line that looks
//! foreign breaks a document: does the document go on after it? The reader pauses until it has the answer.

use memchr::{memchr, memrchr};

use super::text::{self, KnownLine, Line};
use super::{Candidate, Found, LEFT_KEPT, ReadMode, ReadOn, Reader, Round, Stop};
use crate::document::FaultKind;
use crate::finder::line;
use crate::finder::window::Window;
use crate::prefix::{self, Left, PREFIX_LIMIT, without_bom};
use jsift_json::scan::Scanner;

/// A question about a prefix.
#[derive(Debug)]
pub(crate) struct Question {
    /// Where the opening starts.
    pub(crate) start: u64,
    /// Where the line of the opening starts.
    pub(crate) line: u64,
    /// Where the text of what was opened ends on its line: after the line feed, or before the side of a box.
    pub(crate) head: u64,
    /// Where the next line starts.
    pub(crate) opened: u64,
    /// Where reading without a prefix stops.
    pub(crate) stop: u64,
    /// The text before the opening on its line.
    pub(crate) left: Vec<u8>,
    /// The side of a box that ends the line; empty if there is none.
    pub(crate) side: Vec<u8>,
    pub(crate) about: Unfinished,
}

impl Question {
    /// Returns the question about what is opened on the line from `line` to `opened`, at `start`: between the text to
    /// its `left` and `after`, which goes to the end of the line.
    pub(crate) fn of_line(
        (line, start, opened): (u64, u64, u64),
        left: &[u8],
        after: &[u8],
        about: Unfinished,
    ) -> Self {
        Self {
            start,
            line,
            head: opened,
            opened,
            stop: opened,
            left: left.to_vec(),
            side: prefix::side_at_end(left, after).to_vec(),
            about,
        }
    }
}

/// What was opened and is unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// A candidate: only JSON can continue it.
    Candidate,
    /// A fence; `json` if it announces JSON.
    Fence { json: bool },
    /// A thinking block at the start of the source.
    Thinking,
    /// A document that may be a part of a larger one, which the next line may show. `goes_on`: a comma or a closing
    /// bracket comes after it on its line.
    Part { goes_on: bool },
    /// What may be almost JSON.
    Almost,
}

/// How many lines before a document are searched for its prefix.
pub(crate) const NEIGHBOURS: usize = 8;

/// A candidate that is broken by a line which may be foreign to it.
#[derive(Debug)]
pub(crate) struct Parted {
    candidate: Candidate,
    stop: Stop,
    /// Where the candidate starts.
    pub(crate) start: u64,
    /// The indent of the line on which the candidate starts.
    pub(crate) indent: u64,
    /// Where the line that breaks the candidate starts.
    pub(crate) line: u64,
}

/// A question, and how reading goes on if no prefix is found.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) question: Question,
    pub(super) otherwise: ReadMode,
}

/// Returns the text at `from`, up to the longest prefix, if it starts like the side of a box.
fn drawn_at(from: u64, window: &Window) -> Option<&[u8]> {
    let text = window.slice(from, from + PREFIX_LIMIT as u64);
    text.first()
        .filter(|byte| prefix::is_drawn(**byte))
        .map(|_| text)
}

/// Returns whether more text is needed to decide whether the side of a box starts at `from`.
pub(super) fn may_go_on_as_side(from: u64, window: &Window) -> bool {
    let short = |text: &[u8]| text.len() < PREFIX_LIMIT && memchr(b'\n', text).is_none();
    drawn_at(from, window).is_some_and(short)
}

/// Returns the length of the rest of the line at `from`, line feed included, if it may be the side of a box.
fn side_at(from: u64, window: &Window) -> Option<u64> {
    let feed = memchr(b'\n', drawn_at(from, window)?)?;
    Some(feed as u64 + 1)
}

/// Returns the text before the bracket at `start` on its `line`. If there is none and the line before ended with a
/// carriage return, returns the start of the text that was overwritten, which may begin with a prefix: a spinner's
/// `app-1  | working`, say.
fn before(line: Line, start: u64, window: &Window) -> &[u8] {
    let left = without_bom(window.slice(line.start, start));
    let end = line.start.saturating_sub(1);
    let after_return = line.whole && window.slice(end, line.start) == b"\r";
    if !after_return || !line::is_blank(left) {
        return left;
    }
    let near = start.saturating_sub(LEFT_KEPT).max(window.base());
    let overwritten = window.slice(near, end);
    let (begin, begins) = match memrchr(b'\n', overwritten) {
        Some(feed) => (feed + 1, true),
        None => (0, near == 0),
    };
    let overwritten = overwritten.get(begin..).filter(|_| begins);
    let first = overwritten.and_then(|text| text.split(|byte| matches!(byte, b'\r' | 0)).next());
    without_bom(first.unwrap_or_default())
}

impl Reader {
    /// Returns the line of the opening at `start`, if there is text before the opening on it that may be a prefix.
    pub(super) fn line_of_opening(&mut self, start: u64, window: &Window) -> Option<Line> {
        if !self.options.prefixes || self.begins_at_feed(start, window) {
            return None;
        }
        let line = self.line(window, start);
        // How much of a longer line is in the window depends on where reads ended; it must not decide.
        (line.whole && start - line.start < LEFT_KEPT).then_some(line)
    }

    /// Returns the question about a candidate from `start` to `end`, if it reached the end of its line and the text
    /// before it may be a prefix.
    pub(super) fn question(&mut self, start: u64, end: u64, window: &Window) -> Option<Question> {
        // A bracket that begins a line has no prefix, and its candidate may be long.
        let line = self.line_of_opening(start, window)?;
        // A string that its line end breaks was read up to it.
        let broken = window.from(end).first() == Some(&b'\n');
        let end = end + u64::from(broken);
        let read = window.slice(start, end);
        let feed = memchr(b'\n', read);
        if self.asked == Some(line.start) {
            return None;
        }
        let left = before(line, start, window);
        let (head, opened, side) = match feed {
            // The side of a box is a part of such a string.
            Some(feed) if broken && feed + 1 == read.len() => {
                let side = prefix::side_at_end(left, read);
                let inside = read.trim_ascii_end().len() - side.len();
                (start + inside as u64, end, side)
            }
            Some(feed) => {
                let opened = start + feed as u64 + 1;
                (opened, opened, &[][..])
            }
            None => {
                let opened = end + side_at(end, window)?;
                (end, opened, prefix::side(left, window.slice(end, opened)))
            }
        };
        if feed.is_none() && side.is_empty() {
            return None;
        }
        Some(Question {
            start,
            line: line.start,
            head,
            opened,
            stop: end,
            left: left.to_vec(),
            side: side.to_vec(),
            about: Unfinished::Candidate,
        })
    }

    /// Returns whether a document that ends its line, except for the side of a box, stands alone after a log prefix:
    /// one of the lines before it, or the next one, also carries the prefix. `None` if the next line is not available
    /// yet.
    pub(super) fn stands_after_prefix(&mut self, found: &Found, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        let line = self.line(window, found.start);
        let near = found.start.saturating_sub(LEFT_KEPT);
        if !self.options.prefixes || !line.whole || line.start < near {
            return Some(false);
        }
        let written = window.slice(line.start, found.start);
        let written_left = without_bom(written);
        if !Left::may_end_as_prefix(written_left) {
            return Some(false);
        }
        let left = Left::new(written_left);
        let label = !left.ends_as_prefix();
        // Text that ends with a quotation mark before its colon is a member's name.
        if label && (!left.text.ends_with(b":") || left.text.ends_with(b"\":")) {
            return Some(false);
        }
        let (at, rest) = window.next_line(found.end, last)?;
        let blank = line::is_gap(rest.trim_ascii_end());
        let commas = rest.iter().take_while(|byte| b" \t,".contains(byte));
        let side = match blank {
            true => &[],
            false => prefix::side(written, rest.split_at(commas.count()).1),
        };
        if !blank && side.is_empty() {
            return Some(false);
        }
        let carries = |line: &[u8]| {
            let line = without_bom(line);
            let inside = match side {
                [] => Some(line),
                side => prefix::within(line, side),
            };
            let rest = inside.and_then(|line| left.carried(line));
            // A label (`scores: [1, 2]`) has only arrays after it; the name of a logger has words, too.
            let word = |rest: &[u8]| {
                let first = line::next_shown(rest);
                first.is_some_and(|first| first.is_ascii_alphabetic())
            };
            rest.is_some_and(|rest| !label || word(rest))
        };
        let before = window.slice(near, line.start);
        let before = before.rsplit(|&byte| byte == b'\n').skip(1);
        if before.take(NEIGHBOURS).any(carries) {
            return Some(true);
        }
        let (_, next) = window.next_line(at + rest.len() as u64, last)?;
        Some(carries(next))
    }

    /// Lets a candidate fail that cannot be read on and has no prefix, unless a line that may be foreign breaks it.
    pub(super) fn fail_or_part(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let window = round.window;
        let start = candidate.start;
        if self.is_last_side(start, stop, round) {
            return self.fail(candidate, Stop::at_end(stop.depth, window), round);
        }
        let line = self.line(window, stop.at);
        let begins = line.start > start && window.slice(line.start - 1, line.start) == b"\n";
        if begins && stop.kind == FaultKind::Broken {
            let indent = self.indent(window, start);
            let before = window.slice(line.start, stop.at);
            if text::indent(before) <= indent {
                self.mode = ReadMode::Parted(Box::new(Parted {
                    candidate,
                    stop,
                    start,
                    indent,
                    line: line.start,
                }));
                return ReadOn::Wait;
            }
        }
        self.fail(candidate, stop, round)
    }

    /// Whether the candidate at `start` stops at the side of a box on the last line of the input: then the input ends
    /// inside it.
    fn is_last_side(&mut self, start: u64, stop: Stop, round: &Round<'_>) -> bool {
        let Round { window, last, .. } = *round;
        let line = self.line(window, start).start;
        let rest = window.slice(stop.at, stop.at + PREFIX_LIMIT as u64);
        let ends = last && stop.at + rest.len() as u64 == window.end();
        ends && !prefix::side(window.slice(line, start), rest).is_empty()
    }

    /// Returns whether the reader waits for an answer.
    pub(crate) const fn is_asking(&self) -> bool {
        matches!(self.mode, ReadMode::Asking(_) | ReadMode::Parted(_))
    }

    /// Returns the candidate that is broken by a line which may be foreign, if the reader waits to know that.
    pub(crate) const fn parted(&self) -> Option<&Parted> {
        match &self.mode {
            ReadMode::Parted(parted) => Some(parted),
            _ => None,
        }
    }

    /// Goes on with the broken candidate if it `goes_on` without the foreign lines, which are set aside then; else
    /// fails it.
    pub(crate) fn go_on_parted(&mut self, goes_on: bool, round: &mut Round<'_>) {
        if let ReadMode::Parted(parted) = std::mem::replace(&mut self.mode, ReadMode::Text) {
            let Parted {
                candidate, stop, ..
            } = *parted;
            if goes_on {
                self.begin(candidate.start);
                self.mode = ReadMode::Candidate(candidate);
            } else {
                self.fail(candidate, stop, round);
            }
        }
    }

    /// Asks about a thinking block, of which nothing has been read yet.
    pub(crate) fn ask_of_thinking(&mut self, question: Question) {
        self.mode = ReadMode::Asking(Box::new(Asking {
            question,
            otherwise: ReadMode::Text,
        }));
    }

    /// Asks a question, if there is one, and waits for the answer; else goes on.
    pub(super) fn ask(&mut self, question: Option<Question>, otherwise: ReadMode) -> ReadOn {
        let Some(question) = question else {
            self.mode = otherwise;
            return ReadOn::Go;
        };
        self.asked = Some(question.line);
        self.mode = ReadMode::Asking(Box::new(Asking {
            question,
            otherwise,
        }));
        ReadOn::Wait
    }

    /// Returns the question that must be answered before reading goes on.
    pub(crate) fn asks(&self) -> Option<&Question> {
        match &self.mode {
            ReadMode::Asking(asking) => Some(&asking.question),
            _ => None,
        }
    }

    /// Returns where the pending candidate starts, and the scanner that has read it.
    pub(crate) const fn candidate_begun(&self) -> Option<(u64, &Scanner)> {
        match &self.mode {
            ReadMode::Candidate(candidate) => Some((candidate.start, &self.scanner)),
            _ => None,
        }
    }

    /// Goes on if no prefix was found: what was opened is read as it stands.
    pub(crate) fn go_on_without(&mut self) {
        if let ReadMode::Asking(asking) = std::mem::replace(&mut self.mode, ReadMode::Text) {
            self.mode = asking.otherwise;
        }
    }

    /// Goes on with the next line if a prefix was found: a substream reads what was opened.
    pub(crate) fn go_on_after(&mut self, round: &mut Round<'_>) {
        let ReadMode::Asking(asking) = std::mem::replace(&mut self.mode, ReadMode::Text) else {
            return;
        };
        let Question { start, opened, .. } = asking.question;
        self.settle_alongside(round);
        self.hand_lines_on(round);
        self.report_noise(start, round);
        self.last_strong = None;
        self.line = Some(KnownLine::begins(opened));
        self.at = opened;
        self.noise = opened.max(self.noise);
    }
}
