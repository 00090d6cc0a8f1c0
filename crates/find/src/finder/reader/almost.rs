//! Almost JSON: text after an announced bracket that strict JSON refuses and the tolerant reader of stage `repair` accepts.
//! The documents in it are parts of something larger that is broken.

use jsift_json::cost;
use std::ops::Range;

use super::headless::Tail;
use super::text::after_indent;
use super::{LEFT_KEPT, Question, ReadMode, ReadOn, Reader, Round, Stop, Unfinished, WITHHELD};
use crate::document::{Document, FaultKind};
use crate::finder::bracket::{announces, is_written_out, left_open, reason};
use crate::finder::fence::begins_block;
use crate::finder::repair::extent::{Extent, extent};
use crate::finder::weak::{is_blank, next_shown};
use crate::finder::window::Window;
use crate::finder::{FindOptions, Finder, Parts};
use crate::prefix::{self, Left, PREFIX_LIMIT, without_bom};
use jsift_json::scan::clean;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};

// The tolerant reader is asked about the rest of the bracket's line. If that is long, it is asked about `NEAR` bytes first
// and then about `GROWTH` times as many, until the line is not that much longer. If the line does not decide, it is asked
// about whole lines, each time about twice as many bytes, up to `WITHHELD`. A byte is part of at most `TRIES` stretches
// that were no almost JSON, or far longer than it, so the work is linear.
const FIRST: usize = 1;
const NEAR: usize = 64;
const GROWTH: usize = 8;
const TRIES: usize = 2;

/// Text that may be almost JSON.
#[derive(Debug)]
pub(super) struct Almost {
    start: u64,
    /// Where strict reading stopped.
    stop: Stop,
    /// Where reading goes on if the bracket is stray.
    otherwise: u64,
    /// Whether what stands before it announces a document; if not, [`is_announced_after`](Reader::is_announced_after)
    /// decides.
    announced: bool,
    /// How many bytes are asked about next, at least.
    want: usize,
    /// How many bytes on its line are asked about next.
    near: usize,
    /// The rest of a document whose opening bracket is missing, if the text is that.
    tail: Option<Box<Tail>>,
}

impl Almost {
    /// Returns the question about the rest of a document, in which strict reading stops at `at`.
    pub(super) fn of_tail(tail: Box<Tail>, at: u64, window: &Window) -> Self {
        Self {
            start: tail.start(),
            stop: Stop::at_end(0, window),
            otherwise: at,
            announced: true,
            want: FIRST,
            near: NEAR,
            tail: Some(tail),
        }
    }

    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    /// Returns what is missing before the text.
    fn missing(&self) -> &'static [u8] {
        self.tail.as_ref().map_or(b"", |tail| tail.missing())
    }

    /// Returns how much of `text` is asked about next, and whether that ends inside the first line: most that closes on a
    /// long line closes near, and what follows need not be read. `None` if that needs more text than `all` of it.
    fn next(&self, text: &[u8], all: bool) -> Option<(usize, bool)> {
        let feed = |text: &[u8]| memchr::memchr(b'\n', text);
        let ahead = text.get(FIRST..GROWTH * self.near);
        if self.want == FIRST && ahead.is_some_and(|ahead| feed(ahead).is_none()) {
            return Some((self.near, true));
        }
        let length = match text.get(self.want..).and_then(feed) {
            Some(feed) => self.want + feed + 1,
            None if all => text.len(),
            None => return None,
        };
        Some((length, false))
    }
}

/// How many bytes before a bracket are looked at on a longer line.
const TAIL: u64 = 64;
/// How many bytes there may be before a bracket on a line that starts with a prefix or a sign, with their colours.
const LONGEST_LEFT: u64 = 2 * PREFIX_LIMIT as u64;

impl Reader {
    /// Goes on after the bracket at `start`, which strict JSON cannot take: with the question whether its text is almost
    /// JSON, or at `otherwise`.
    pub(super) fn go_on_after_stray(
        &mut self,
        start: u64,
        stop: Stop,
        otherwise: u64,
        round: &mut Round<'_>,
    ) {
        self.at = otherwise;
        let window = round.window;
        let may_be = stop.kind == FaultKind::Broken
            && self.options.embedded
            && self.options.parts != Parts::Counted
            && start >= self.sound
            && self.may_try(start);
        if may_be {
            self.mode = ReadMode::Almost(Box::new(Almost {
                start,
                stop,
                otherwise,
                announced: !is_escape_after(start, window) && self.is_announced(start, window),
                want: FIRST,
                near: NEAR,
                tail: None,
            }));
        }
    }

    /// Whether the tolerant reader may be asked about the text at `start`: it was not asked too often.
    pub(super) fn may_try(&mut self, start: u64) -> bool {
        self.tried.retain(|end| *end > start);
        self.tried.len() < TRIES
    }

    /// Whether a record is cut in a string: strict reading has stopped at the end of its line, and the next line, which is
    /// indented no deeper, begins with another record. `None` if that needs more text.
    fn is_cut_record(&mut self, almost: &Almost, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        let end = almost.stop.at;
        if almost.tail.is_some() || !matches!(window.from(end).first(), Some(b'\n' | b'\r')) {
            return Some(false);
        }
        let ending = window.line_at(end, LEFT_KEPT, last)?;
        if !ending.trim_ascii().is_empty() {
            return Some(false);
        }
        let next = window.line_at(end + ending.len() as u64, LEFT_KEPT, last)?;
        let deep = self.indent(window, almost.start);
        let (blanks, shown) = after_indent(next);
        Some(blanks <= deep && shown.starts_with(b"{\""))
    }

    /// Whether text before the bracket at `start` announces a document: nothing on its line but a prefix, a line number or
    /// the sign of a list, a quotation or a change, or words that [announce](announces) one.
    fn is_announced(&mut self, start: u64, window: &Window) -> bool {
        let line = self.line(window, start);
        let whole = line.whole && start - line.start <= LONGEST_LEFT;
        let near = match whole {
            true => line.start,
            false => start.saturating_sub(TAIL).max(line.start),
        };
        let written = clean(without_bom(window.slice(near, start)));
        let left = written.trim_ascii_end();
        let ends_as_prefix =
            || Left::may_end_as_prefix(&written) && Left::new(&written).ends_as_prefix();
        // The sign of a changed line, or its number and a blank.
        let sign = left.trim_ascii_start();
        let numbered = left.len() < written.len() && sign.iter().all(u8::is_ascii_digit);
        let is_sign = matches!(sign, b"+" | b"-") || numbered;
        announces(left) || whole && (is_sign || begins_block(&written) || ends_as_prefix())
    }

    /// Whether what follows the bracket at `start` announces a document: line ends that are written out, or, if nothing
    /// closes the bracket on its own line, a next line that shows that the text before it is a prefix. `None` if that needs
    /// more text.
    fn is_announced_after(&mut self, start: u64, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        if is_escape_after(start, window) {
            let line = window.line_at(start, LEFT_KEPT, last)?;
            return Some(line.get(1..).is_some_and(is_written_out));
        }
        let line = self.line(window, start);
        if !line.whole || start - line.start > LONGEST_LEFT {
            return Some(false);
        }
        let rest = window.line_at(start, LEFT_KEPT, last)?;
        if left_open(rest) != Some(0) {
            return Some(false);
        }
        let next = window.line_at(start + rest.len() as u64, LEFT_KEPT, last)?;
        let written = without_bom(window.slice(line.start, start));
        Some(is_carried(&Left::new(written), next))
    }

    /// Reads on at text that may be almost JSON, if it is announced.
    pub(super) fn almost(&mut self, mut almost: Box<Almost>, round: &mut Round<'_>) -> ReadOn {
        if !almost.announced {
            match self.is_announced_after(almost.start, round) {
                None => return self.wait_in(almost),
                Some(false) => return self.end_stray(&almost, round),
                Some(true) => almost.announced = true,
            }
        }
        match self.is_cut_record(&almost, round) {
            None => self.wait_in(almost),
            Some(false) => self.ask_tolerant_reader(almost, round),
            Some(true) => {
                self.tell_at(almost.start, almost.stop, round);
                let deep = self.indent(round.window, almost.start);
                self.go_on_in_remains(deep, almost.stop, round.window);
                ReadOn::Go
            }
        }
    }

    /// Asks about text that is announced and may be almost JSON, in stretches that grow.
    fn ask_tolerant_reader(&mut self, mut almost: Box<Almost>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let most = WITHHELD as usize;
        loop {
            let rest = window.from(almost.start);
            let near = rest.get(..most);
            let text = near.unwrap_or(rest);
            let all = last || near.is_some();
            let Some((length, on_line)) = almost.next(text, all) else {
                return self.wait_in(almost);
            };
            let text = text.get(..length).unwrap_or_default();
            cost::look_at(length);
            let is_first = almost.want == FIRST && almost.tail.is_none();
            if is_first && let Some(closed) = closes_at_once(text) {
                // No bracket is between the two, so no document is.
                self.sound = almost.start + closed as u64;
                return self.end_stray(&almost, round);
            }
            let shown = shown(almost.missing(), text);
            let is_all = all && length == rest.len();
            let extent = extent(&shown, is_all);
            // An end in the second half is not trusted: the stretch may end inside a string.
            if on_line && !matches!(extent, Extent::Closed(end) if end <= length / 2) {
                almost.near *= GROWTH;
                continue;
            }
            let is_stray = match extent {
                Extent::Closed(_) => false,
                Extent::Open => length >= most || self.has_records(&almost, &shown, window),
                Extent::None => true,
            };
            if is_stray {
                self.tried.push(almost.start + length as u64);
                return self.end_stray(&almost, round);
            }
            if extent != Extent::Open || is_all {
                return self.end_almost(almost, extent, &shown, round);
            }
            if is_first {
                match self.question_of_almost(&almost, length, round) {
                    Some(None) => {}
                    Some(question) => return self.ask(question, ReadMode::Almost(almost)),
                    None => return self.wait_in(almost),
                }
            }
            almost.want = 2 * length;
        }
    }

    /// Goes on after almost JSON, of which the text `shown` was read.
    fn end_almost(
        &mut self,
        mut almost: Box<Almost>,
        extent: Extent,
        shown: &[u8],
        round: &mut Round<'_>,
    ) -> ReadOn {
        let missing = almost.missing().len();
        let (end, stop) = match extent {
            Extent::Closed(end) => (end, almost.stop),
            _ => (shown.len(), Stop::at_end(almost.stop.depth, round.window)),
        };
        // The reader went far beyond what it found.
        if shown.len() > 2 * GROWTH * end {
            self.tried
                .push(almost.start + (shown.len() - missing) as u64);
        }
        match almost.tail.take() {
            Some(tail) => {
                let is_closed = matches!(extent, Extent::Closed(_));
                let last = almost.start + end.saturating_sub(missing + 1) as u64;
                let closing = is_closed.then_some(last);
                self.end_almost_tail(tail, closing, round)
            }
            None => self.fail_almost(&almost, shown.get(1..end), stop, round),
        }
    }

    /// Reports almost JSON that stops at `stop`, if a document is `inside` its brackets. The fault of an object without one
    /// is kept in `meant`: [`finish`](Reader::finish) reports it if a draft would be the answer in its place.
    fn fail_almost(
        &mut self,
        almost: &Almost,
        inside: Option<&[u8]>,
        stop: Stop,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let window = round.window;
        let inside = inside.unwrap_or_default();
        let end = almost.start + inside.len() as u64 + 1;
        cost::look_at(inside.len());
        let holds = holds_document(inside, &self.options);
        let noted = self.options.parts == Parts::Noted;
        if holds && noted {
            self.note_parts(almost.start, round);
            self.judged = end;
        }
        let in_object = window.from(almost.start).first() == Some(&b'{');
        if !noted && (holds || in_object) {
            let mut fault = self.describe(almost.start, stop, window);
            fault.in_object = in_object;
            if stop.kind == FaultKind::Broken {
                fault.reason = reason(window.from(stop.at)).unwrap_or(stop.reason);
            }
            if holds {
                self.tell_noise(almost.start, round);
                self.tell(fault, round);
                self.at = end;
                return ReadOn::Go;
            }
            self.meant = Some(fault);
        }
        self.sound = end;
        self.end_stray(almost, round)
    }

    /// Waits for more text, which decides.
    fn wait_in(&mut self, almost: Box<Almost>) -> ReadOn {
        self.mode = ReadMode::Almost(almost);
        ReadOn::Wait
    }

    /// Goes on after a bracket that is a stray one, or after text that is not the rest of a document.
    fn end_stray(&mut self, almost: &Almost, round: &mut Round<'_>) -> ReadOn {
        self.at = almost.otherwise;
        match &almost.tail {
            Some(tail) => self.end_tail(tail, false, round),
            None => ReadOn::Go,
        }
    }

    /// Whether a line of text after an open array starts with a bracket that is not deeper than that of the array: then the
    /// array is a stray bracket before records.
    fn has_records(&mut self, almost: &Almost, text: &[u8], window: &Window) -> bool {
        let deep = self.indent(window, almost.start);
        let mut lines = text.split(|&byte| byte == b'\n').skip(1);
        almost.tail.is_none()
            && text.first() == Some(&b'[')
            && lines.any(|line| {
                let shown = line.trim_ascii_start();
                let before = line.iter().take(line.len() - shown.len());
                let blanks = before.filter(|byte| prefix::is_blank(byte)).count() as u64;
                blanks <= deep && matches!(shown.first(), Some(b'{' | b'['))
            })
    }

    /// Returns the question whether the next lines carry what stands before text that may be almost JSON, whose first line
    /// has this `length`; `Some(None)` if there is none, `None` if that needs more text.
    fn question_of_almost(
        &mut self,
        almost: &Almost,
        length: usize,
        round: &Round<'_>,
    ) -> Option<Option<Question>> {
        let Round { window, last, .. } = *round;
        let start = almost.start;
        let opened = start + length as u64;
        let line = self.line_of_opening(start, window);
        let Some(line) = line.filter(|line| self.asked_almost != Some(line.start)) else {
            return Some(None);
        };
        let written = without_bom(window.slice(line.start, start));
        let after = window.slice(start, opened);
        // In a message of one line, the next one is rarely its continuation.
        if !ends_line(written, after) {
            let left = Left::new(written);
            let goes_on = left.ends_as_prefix()
                || is_carried(&left, window.line_at(opened, LEFT_KEPT, last)?);
            if !goes_on {
                return Some(None);
            }
        }
        self.asked_almost = Some(line.start);
        let place = (line.start, start, opened);
        let about = Unfinished::Almost;
        Some(Some(Question::of_line(place, written, after, about)))
    }
}

/// Whether an escape follows the bracket at `start`: only what it is tells whether a document is announced.
fn is_escape_after(start: u64, window: &Window) -> bool {
    window.from(start).get(1) == Some(&b'\\')
}

/// Whether a line carries what stands `left` of a bracket on the line above, and then an indent or a quotation mark.
fn is_carried(left: &Left, line: &[u8]) -> bool {
    let carried = left.after(without_bom(line));
    carried.is_some_and(|text| text.first().is_some_and(prefix::is_blank) || is_quoted(text))
}

/// Whether a line begins with a quotation mark, after an indent and colours.
fn is_quoted(line: &[u8]) -> bool {
    matches!(next_shown(line, false, true), Some(Some(b'"' | b'\'')))
}

/// Whether nothing is shown after the bracket that a line starts with but the right side of a box, whose left side is in
/// the text `written` before the bracket.
fn ends_line(written: &[u8], line: &[u8]) -> bool {
    let after = line.get(1..).unwrap_or_default().trim_ascii_end();
    let side = prefix::side_at_end(written, after);
    is_blank(
        after.get(..after.len() - side.len()).unwrap_or_default(),
        false,
    )
}

/// Returns the length of a text up to the bracket that closes its first one, if they are on one line with no bracket and no
/// quotation mark between them.
fn closes_at_once(text: &[u8]) -> Option<usize> {
    let close = match text.first() {
        Some(b'{') => b'}',
        _ => b']',
    };
    let inside = text.get(1..)?;
    // The byte 0xe2 begins typographic quotation marks.
    let at = inside
        .iter()
        .position(|byte| b"{}[]\"'\n\xe2".contains(byte))?;
    (inside.get(at) == Some(&close)).then_some(at + 2)
}

/// Returns what is `missing` before a text, and the text with form feeds in place of its terminal sequences: blanks that are
/// no indent, so that all other bytes stay where they are.
fn shown(missing: &[u8], text: &[u8]) -> Vec<u8> {
    let mut shown = [missing, text].concat();
    let mut at = missing.len();
    while let Some(found) = memchr::memchr(ESCAPE, shown.get(at..).unwrap_or_default()) {
        at += found;
        let length = match sequence_at_end(shown.get(at..).unwrap_or_default()) {
            Sequence::Delete(length) | Sequence::LineEnd(length) => length,
            Sequence::Incomplete | Sequence::None => 1,
        };
        if let Some(sequence) = shown.get_mut(at..at + length) {
            sequence.fill(b'\x0c');
        }
        at += length;
    }
    shown
}

/// Whether there is a document in a text, outside of strings in single quotes: what stands in these is quoted text.
fn holds_document(text: &[u8], options: &FindOptions) -> bool {
    let mut found = Vec::new();
    let options = FindOptions {
        string: false,
        whole: false,
        fence: false,
        prefixes: false,
        parts: Parts::Counted,
        ..options.clone()
    };
    let mut visitor = |document: Document<'_>| found.push(document.position().offset as usize);
    Finder::read_text(options, text, &mut visitor);
    let mut quoted = quoted(text).peekable();
    found.iter().any(|at| {
        while quoted.next_if(|string| string.end <= *at).is_some() {}
        !quoted.peek().is_some_and(|string| string.contains(at))
    })
}

/// Returns the strings in single quotes that begin where a value or a name may, up to their ends.
fn quoted(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begins = |quote: usize| {
            let before = text.get(..quote).unwrap_or_default().trim_ascii_end();
            before.last().is_none_or(|byte| b"[{(,:=".contains(byte))
        };
        let ends = |quote: usize| {
            let next = text.get(quote + 1..).unwrap_or_default().trim_ascii_start();
            let escaped = text.get(..quote).is_some_and(|text| text.ends_with(b"\\"));
            !escaped && next.first().is_none_or(|byte| b"]}),:".contains(byte))
        };
        let mut quotes = memchr::memchr_iter(b'\'', text.get(at..)?).map(|quote| at + quote);
        let start = quotes.find(|&quote| begins(quote))?;
        let end = quotes.find(|&quote| ends(quote)).unwrap_or(text.len());
        at = end + 1;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Fault, Visitor};
    use crate::finder::{FindOptions, Finder};

    #[derive(Default)]
    struct Found {
        documents: Vec<String>,
        faults: usize,
    }

    impl Visitor for Found {
        fn document(&mut self, document: Document<'_>) {
            let text = String::from_utf8_lossy(document.text);
            self.documents.push(text.into_owned());
        }

        fn fault(&mut self, _: Fault) {
            self.faults += 1;
        }
    }

    /// Reads a text in pieces of this size.
    fn read(text: &str, size: usize) -> Found {
        let mut found = Found::default();
        let mut finder = Finder::new(FindOptions::default());
        for piece in text.as_bytes().chunks(size) {
            finder.push(piece, &mut found);
        }
        finder.finish(&mut found);
        found
    }

    #[test]
    fn what_the_next_line_carries_announces_a_document() {
        let objects = [
            "{\n  'name': 'x', // c\n  \"list\": [\n    {\"a\": 1}\n  ]\n}",
            "{ 'name': 'x',\n  \"list\": [\n    {\"a\": 1}\n  ]\n}",
            "{\n\"list\": [{\"a\": 1}],\n'name': 'x'\n}",
        ];
        let lefts = [
            "npm error ",
            "E       ",
            "pod-x container ",
            "pkg:build: ",
            "2026-01-02T03:04:0#.000001Z 00O ",
            "@acme/web:dev: \x1b[2m",
        ];
        for (object, left) in objects.iter().flat_map(|one| lefts.map(|left| (one, left))) {
            let lines = object.lines().enumerate();
            let lines = lines.map(|(number, line)| {
                format!("{}{line}\n", left.replace('#', &number.to_string()))
            });
            let text: String = lines.collect();
            for size in [1, 7, text.len()] {
                let found = read(&text, size);
                assert!(found.documents.is_empty(), "{text}{:?}", found.documents);
                assert_eq!(found.faults, 1, "{text}");
            }
        }
    }

    #[test]
    fn words_that_the_next_line_does_not_carry_announce_nothing() {
        let got =
            "x_test.go:12: got {\n        'name': 'x',\n        \"list\": [{\"a\": 1}]\n    }\n";
        let program = "func f() {\n    log({\"a\": 1})\n}\n";
        for text in [got, program] {
            let found = read(text, text.len());
            assert_eq!((found.documents.len(), found.faults), (1, 0), "{text}");
        }
    }
}
