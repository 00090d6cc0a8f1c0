//! Almost JSON: text after an announced bracket that strict JSON refuses and the tolerant reader of stage `repair`
//! accepts. The documents in it are parts of something larger that is broken.

use super::announced::is_carried;
use super::headless::Tail;
use super::quoted::held_document;
use super::shown::Shown;
use super::text::after_indent;
use super::{Question, ReadMode, ReadOn, Reader, Round, Stop, Unfinished, WITHHELD};
use crate::document::FaultKind;
use crate::finder::Parts;
use crate::finder::almost_json::reason;
use crate::finder::line;
use crate::finder::repair::extent::{Extent, extent};
use crate::finder::window::Window;
use crate::prefix::{self, Left, without_bom};
use jsift_json::cost;
use memchr::memchr;

// The tolerant reader is asked about the rest of the bracket's line. If that is long, it is asked about `NEAR` bytes
// first and then about `GROWTH` times as many, until the line is not that much longer. If the line does not decide, it
// is asked about whole lines, each time about twice as many bytes, up to `WITHHELD`. A byte is part of at most `TRIES`
// stretches that were no almost JSON, or far longer than it, so the work is linear.
const FIRST: usize = 1;
const NEAR: usize = 64;
const GROWTH: usize = 8;
const TRIES: usize = 2;

/// What the tolerant reader was asked about so far.
#[derive(Debug, Default)]
pub(super) struct AlmostTries {
    /// No bracket before this place opens almost JSON with a document in it.
    none_before: u64,
    /// Where stretches of text end that are no almost JSON, or far longer than it, although their first bracket was
    /// announced, of those that go beyond the place of reading.
    ends: Vec<u64>,
    /// The line of the last question about almost JSON.
    asked: Option<u64>,
}

impl AlmostTries {
    /// Returns what was asked before the place where reading starts.
    pub(super) fn from(start: u64) -> Self {
        Self {
            none_before: start,
            ..Self::default()
        }
    }
}

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
    /// What was read of the text by whole lines.
    shown: Shown,
    /// The end of the text that [`next`](Self::next) has looked at. It looks at more when a line ends, or at this
    /// length: twice what it was when more was needed, so that small reads do not cost more than large ones.
    seen: u64,
    again: u64,
    /// The rest of a document whose opening bracket is missing, if the text is that.
    tail: Option<Box<Tail>>,
}

impl Almost {
    fn new(start: u64, stop: Stop, otherwise: u64) -> Self {
        Self {
            start,
            stop,
            otherwise,
            announced: false,
            want: FIRST,
            near: NEAR,
            shown: Shown::default(),
            seen: start,
            again: 0,
            tail: None,
        }
    }

    /// Returns the question about the rest of a document, in which strict reading stops at `at`.
    pub(super) fn of_tail(tail: Box<Tail>, at: u64, window: &Window) -> Self {
        let start = tail.start();
        Self {
            announced: true,
            tail: Some(tail),
            ..Self::new(start, Stop::at_end(0, window), at)
        }
    }

    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    /// Returns what is missing before the text.
    fn missing(&self) -> &'static [u8] {
        self.tail.as_ref().map_or(b"", |tail| tail.missing())
    }

    /// Returns what of the text up to `end` is asked about next, and whether that ends inside the first line: most that
    /// closes on a long line closes near, and what follows need not be read. `None` if that needs more text than `all`
    /// of it.
    fn next(&mut self, window: &Window, end: u64, all: bool) -> Option<(Shown, bool)> {
        let text = self.start..end;
        let length = end - self.start;
        let new = window.slice(self.seen, end);
        self.seen = end;
        if length < self.again && !all && memchr(b'\n', new).is_none() {
            return None;
        }
        if self.want == FIRST && Shown::is_long(window, text.clone(), GROWTH * self.near, all) {
            return Some((Shown::bytes(window, text, self.near, all), true));
        }
        if !self.shown.read_lines(window, text, self.want, all) {
            self.again = 2 * length;
            return None;
        }
        Some((std::mem::take(&mut self.shown), false))
    }
}

impl Reader {
    /// Goes on after the bracket at `start`, which strict JSON cannot take: with the question whether its text is
    /// almost JSON, or at `otherwise`.
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
            && start >= self.tries.none_before
            && self.may_try(start);
        if may_be {
            self.mode = ReadMode::Almost(Box::new(Almost {
                announced: self.is_announced_before(start, window),
                ..Almost::new(start, stop, otherwise)
            }));
        }
    }

    /// Whether the tolerant reader may be asked about the text at `start`: it was not asked too often.
    pub(super) fn may_try(&mut self, start: u64) -> bool {
        self.tries.ends.retain(|end| *end > start);
        self.tries.ends.len() < TRIES
    }

    /// Whether a record is cut in a string: strict reading has stopped at the end of its line, and the next line, which
    /// is indented no deeper, begins with another record. `None` if that needs more text.
    fn is_cut_record(&mut self, almost: &Almost, round: &Round<'_>) -> Option<bool> {
        let Round { window, last, .. } = *round;
        let end = almost.stop.at;
        if almost.tail.is_some() || !matches!(window.from(end).first(), Some(b'\n' | b'\r')) {
            return Some(false);
        }
        let (_, ending) = window.next_line(end, last)?;
        if !ending.trim_ascii().is_empty() {
            return Some(false);
        }
        let (_, next) = window.next_line(end + ending.len() as u64, last)?;
        let indent = self.indent(window, almost.start);
        let (blanks, shown) = after_indent(next);
        Some(blanks <= indent && shown.starts_with(b"{\""))
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
                self.fail_committed(almost.start, almost.stop, round);
                ReadOn::Go
            }
        }
    }

    /// Asks about text that is announced and may be almost JSON, in stretches that grow.
    fn ask_tolerant_reader(&mut self, mut almost: Box<Almost>, round: &mut Round<'_>) -> ReadOn {
        let Round { window, last, .. } = *round;
        let end = window.end().min(almost.start + WITHHELD);
        let all = last || end < window.end();
        loop {
            let Some((shown, on_line)) = almost.next(window, end, all) else {
                return self.wait_in(almost);
            };
            let read = almost.start + shown.length as u64;
            let is_first = almost.want == FIRST && almost.tail.is_none();
            if is_first && let Some(closed) = closes_at_once(&shown.text) {
                // No bracket is between the two, so no document is.
                self.tries.none_before = almost.start + shown.end_in_source(closed) as u64;
                return self.end_stray(&almost, round);
            }
            let (length, is_all) = (shown.text.len(), last && read == window.end());
            cost::look_at(length);
            let extent = extent_after(almost.missing(), &shown.text, is_all);
            // An end in the second half is not trusted: the stretch may end inside a string.
            if on_line && !matches!(extent, Extent::Closed(end) if end <= length / 2) {
                almost.near *= GROWTH;
                continue;
            }
            let is_stray = match extent {
                Extent::Closed(_) => false,
                Extent::Open => {
                    read - almost.start >= WITHHELD
                        || (is_all || !self.is_alone(&almost, &shown.text, window))
                            && self.has_records(&almost, &shown.text, window)
                }
                Extent::None => true,
            };
            if is_stray {
                self.tries.ends.push(read);
                return self.end_stray(&almost, round);
            }
            if extent != Extent::Open || is_all {
                return self.end_almost(almost, extent, &shown, round);
            }
            let read = shown.length;
            almost.shown = shown;
            if is_first {
                match self.question_of_almost(&almost, read, round) {
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
        shown: &Shown,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let (end, stop) = match extent {
            Extent::Closed(end) => (end, almost.stop),
            _ => (
                shown.text.len(),
                Stop::at_end(almost.stop.depth, round.window),
            ),
        };
        // The reader went far beyond what it found.
        if shown.text.len() > 2 * GROWTH * end {
            self.tries.ends.push(almost.start + shown.length as u64);
        }
        let after = almost.start + shown.end_in_source(end) as u64;
        match almost.tail.take() {
            Some(tail) => {
                let is_closed = matches!(extent, Extent::Closed(_));
                self.end_almost_tail(tail, is_closed.then(|| after - 1), round)
            }
            None => {
                let text = shown.text.get(..end).unwrap_or_default();
                self.fail_almost(&almost, (text, after), stop, round)
            }
        }
    }

    /// Reports almost JSON that stops at `stop` and ends before `end`, if a document is inside its `text`. If there is
    /// but an empty one, [`finish`](Reader::finish) reports it where nothing better was found; the fault of an object
    /// without one is kept in `meant`, which is reported if a draft would be the answer in its place.
    fn fail_almost(
        &mut self,
        almost: &Almost,
        (text, end): (&[u8], u64),
        stop: Stop,
        round: &mut Round<'_>,
    ) -> ReadOn {
        let window = round.window;
        cost::look_at(text.len());
        let in_object = window.from(almost.start).first() == Some(&b'{');
        // A brace too many in an array is between its elements, which are records.
        let is_records = !in_object
            && window.from(almost.stop.at).first() == Some(&b'}')
            && end > almost.stop.at + 1;
        let held = held_document(text, &self.options).filter(|_| !is_records);
        let noted = self.options.parts == Parts::Noted;
        if held.is_some() && noted {
            self.note_parts(almost.start, round);
            self.suspicion.cleared_until = end;
        }
        if !noted && (held.is_some() || in_object) {
            let mut fault = self.describe(almost.start, stop, window);
            fault.in_object = in_object;
            if stop.kind == FaultKind::Broken {
                fault.reason = reason(window.from(stop.at)).unwrap_or(stop.reason);
            }
            match held {
                Some(true) => {
                    self.report_decided_noise(almost.start, round);
                    self.report_fault(fault, round);
                }
                Some(false) => _ = self.fallback.fault.get_or_insert(fault),
                None => self.fallback.of_text = Some(fault),
            }
            if held.is_some() {
                self.at = end;
                return ReadOn::Go;
            }
        }
        self.tries.none_before = end;
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
            Some(tail) => return self.end_tail(tail, tail.followed(), round),
            None if !self.is_cut_array(almost, round.window) => {}
            None if self.options.parts == Parts::Noted => self.note_parts(almost.start, round),
            None => self.fail_committed(almost.start, almost.stop, round),
        }
        ReadOn::Go
    }

    /// Whether a stray bracket opened an array nevertheless: its first element is complete and holds a document, and
    /// begins a line with a larger indent, or stands alone after it on its line if the bracket is announced.
    fn is_cut_array(&mut self, almost: &Almost, window: &Window) -> bool {
        let Almost {
            start, otherwise, ..
        } = *almost;
        let element = window.slice(otherwise, almost.stop.at);
        if window.from(start).first() != Some(&b'[')
            || !matches!(element.first(), Some(b'{' | b'['))
        {
            return false;
        }
        let is_meant = match self.line(window, start).start == self.line(window, otherwise).start {
            false => self.indent(window, otherwise) > self.indent(window, start),
            true => {
                let next = self.line(window, almost.stop.at).start;
                almost.announced
                    && next > otherwise
                    && line::is_blank(window.slice(next, almost.stop.at))
            }
        };
        is_meant && {
            cost::look_at(element.len());
            held_document(window.slice(start, almost.stop.at), &self.options).is_some()
        }
    }

    /// Whether nothing else is on the line of an opening bracket: then a closing one may show that what lacks its
    /// commas is an array.
    fn is_alone(&mut self, almost: &Almost, text: &[u8], window: &Window) -> bool {
        let mut lines = text.split(|&byte| byte == b'\n');
        lines.next().is_some_and(|line| ends_line(b"", line))
            && self.begins_line(almost.start, window)
    }

    /// Whether a line of text after an open array starts with a bracket that is not deeper than that of the array: then
    /// the array is a stray bracket before records.
    fn has_records(&mut self, almost: &Almost, text: &[u8], window: &Window) -> bool {
        let indent = self.indent(window, almost.start);
        let mut lines = text.split(|&byte| byte == b'\n').skip(1);
        almost.tail.is_none()
            && text.first() == Some(&b'[')
            && lines.any(|line| {
                let (blanks, shown) = after_indent(line);
                blanks <= indent && matches!(shown.first(), Some(b'{' | b'['))
            })
    }

    /// Returns the question whether the next lines carry what stands before text that may be almost JSON, whose first
    /// line has this `length`; `Some(None)` if there is none, `None` if that needs more text.
    fn question_of_almost(
        &mut self,
        almost: &Almost,
        length: usize,
        round: &Round<'_>,
    ) -> Option<Option<Question>> {
        let window = round.window;
        let start = almost.start;
        let opened = start + length as u64;
        let line = self.line_of_opening(start, window);
        let Some(line) = line.filter(|line| self.tries.asked != Some(line.start)) else {
            return Some(None);
        };
        let written = without_bom(window.slice(line.start, start));
        let after = window.slice(start, opened);
        // In a message of one line, the next one is rarely its continuation.
        if !ends_line(written, after) {
            let left = Left::new(written);
            let goes_on = left.ends_as_prefix() || is_carried(&left, (start, after), round)?;
            if !goes_on {
                return Some(None);
            }
        }
        self.tries.asked = Some(line.start);
        let place = (line.start, start, opened);
        let about = Unfinished::Almost;
        Some(Some(Question::of_line(place, written, after, about)))
    }
}

/// Returns the [`extent`] of a text after what is `missing` before it.
fn extent_after(missing: &[u8], text: &[u8], is_all: bool) -> Extent {
    if missing.is_empty() {
        return extent(text, is_all);
    }
    match extent(&[missing, text].concat(), is_all) {
        Extent::Closed(end) => Extent::Closed(end.saturating_sub(missing.len())),
        other => other,
    }
}

/// Whether nothing is shown after the bracket that a line starts with but the right side of a box, whose left side is
/// in the text `written` before the bracket.
fn ends_line(written: &[u8], line: &[u8]) -> bool {
    let after = line.get(1..).unwrap_or_default().trim_ascii_end();
    let side = prefix::side_at_end(written, after);
    line::is_blank(after.get(..after.len() - side.len()).unwrap_or_default())
}

/// Returns the length of a text up to the bracket that closes its first one, if they are on one line with no bracket
/// and no quotation mark between them.
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
    fn a_bracket_at_the_end_of_a_string_announces_nothing() {
        for string in ["\"f(x) = {\"", "  \"source\": \"app | {\",", "x \"a: {\" ]"] {
            let text = format!("{string}\n}}\n{{\n  \"k\": {{\"a\": 1}}\n}}\nend\n");
            for size in [1, 7, text.len()] {
                let found = read(&text, size);
                assert_eq!(found.documents, ["{\n  \"k\": {\"a\": 1}\n}"], "{text}");
            }
        }
    }

    #[test]
    fn what_is_in_an_escaped_text_is_no_document() {
        let objects = [
            "{\"m\":[[1,2]]}",
            "{\"a\":{\"b\":[]},\"c\":[[{}]]}",
            "[{\"m\":[[1]]}]",
        ];
        for object in objects {
            let mut escaped = object.to_string();
            for _ in 0..3 {
                escaped = escaped.replace('\\', "\\\\").replace('"', "\\\"");
                for (before, after) in [("", ""), ("msg=\"", "\" seq=1"), ("see ", " there")] {
                    let text = format!("{before}{escaped}{after}\n{{\"d\":1}}\n");
                    for size in [1, 7, text.len()] {
                        let found = read(&text, size);
                        assert_eq!(found.documents, ["{\"d\":1}"], "{text}");
                        assert_eq!(found.faults, 1, "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn almost_json_in_colours_holds_documents() {
        for colour in ["", "\x1b[0m", "\x1b[1;36m"] {
            let lines = [
                "{",
                "// x",
                "  \"l\": {",
                "    \"k\": 'y'",
                "  },",
                "  \"m\": [{\"a\":",
                "   1}]",
                "}",
                "end",
            ];
            let text = lines.map(|line| format!("{colour}{line}\n")).concat();
            let found = read(&text, text.len());
            assert_eq!((found.documents.len(), found.faults), (0, 1), "{text}");
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
