//! The tolerant reader: it reads one value from left to right, keeps the open brackets on a stack of its own, and
//! writes only strict JSON. It never gives up: text that it cannot place is left out, and every step moves forward.
//!
//! This file reads brackets, values and the separators between them. Missing commas are added and extra ones removed,
//! also after an ellipsis. A missing value becomes `null`. Parentheses become an array, or, around a single value,
//! that value. Strings with a plus sign between them become one string. A colon after an element makes the element a
//! name. Brackets that are open at the end are closed.

use super::change::{Changes, RepairChange};
use super::reading::{Bracket, Frame, RepairReading};
use super::text::{CandidateText, LOOK, StringExtent, StringRole, is_quote};
use jsift_json::is_white;
use jsift_json::scan::{Scanner, Shape};
use std::ops::Range;

/// The deepest nesting that is read, in brackets. Each costs a few dozen bytes while it is open.
pub const DEPTH: usize = 1 << 14;

/// How many of the innermost open brackets are searched for a bracket of the wanted kind.
pub(super) const NEAR: usize = 8;

/// What the reader reads next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Value,
    Key,
    Colon,
    Comma,
    End,
}

/// Reads the value that begins at `start` in a text with these documents. `None` if there is no value, or it is nested
/// too deeply.
pub(super) fn read(
    text: CandidateText<'_>,
    start: usize,
    documents: &[Range<usize>],
    searches: &mut u32,
) -> Option<RepairReading> {
    let mut reader = TolerantReader::new(text, start, searches);
    (reader.documents, reader.early) = (documents, true);
    reader.run(start, Next::Value)
}

/// Reads members, starting at `start`, of an object that has lost its opening bracket.
pub(super) fn read_members(
    text: CandidateText<'_>,
    start: usize,
    searches: &mut u32,
) -> Option<RepairReading> {
    let mut reader = TolerantReader::new(text, start, searches);
    reader.note(RepairChange::Bracket);
    reader.push(Bracket::Object);
    reader.run(start, Next::Key)
}

impl<'a> TolerantReader<'a> {
    pub(super) fn new(text: CandidateText<'a>, start: usize, searches: &'a mut u32) -> Self {
        Self {
            text,
            at: start,
            out: Vec::new(),
            stack: Vec::new(),
            doubled: false,
            searches,
            last_string: None,
            bare_name: false,
            quoted: false,
            named: false,
            early: false,
            documents: &[],
            parts: 0,
            changes: Changes::default(),
        }
    }

    /// Takes one step after another until the end. `None` if brackets are nested too deeply.
    fn run(mut self, start: usize, mut next: Next) -> Option<RepairReading> {
        while next != Next::End {
            next = self.step(next);
            if self.stack.len() > DEPTH {
                return None;
            }
        }
        self.finish(start)
    }

    /// Reads what comes next, or handles what is there in its place.
    pub(super) fn step(&mut self, next: Next) -> Next {
        match next {
            Next::Value => self.value(),
            Next::Key => self.key(),
            Next::Colon => self.colon(),
            Next::Comma => self.comma(),
            Next::End => Next::End,
        }
    }
}

pub(super) struct TolerantReader<'a> {
    pub text: CandidateText<'a>,
    pub(super) at: usize,
    pub(super) out: Vec<u8>,
    pub(super) stack: Vec<Frame>,
    /// Whether the quotes around the last name are doubled: then those around its value are doubled, too.
    pub(super) doubled: bool,
    /// How many more searches for the likely end of an unclosed string are allowed.
    pub(super) searches: &'a mut u32,
    /// Offset in the output of the string that was written last, if it was the last thing written.
    pub(super) last_string: Option<usize>,
    /// Whether the last name has no quotes.
    pub(super) bare_name: bool,
    /// Whether a string in quotation marks was read.
    pub(super) quoted: bool,
    /// Whether the name of a member was read, with what separates it from its value.
    pub(super) named: bool,
    /// Whether members may go on after the outermost object, without a comma: only the text after it shows.
    pub(super) early: bool,
    /// The ranges of the strong documents in the text.
    documents: &'a [Range<usize>],
    /// How many of them are values in what was read, or in its strings.
    parts: usize,
    pub(super) changes: Changes,
}

impl TolerantReader<'_> {
    pub(super) fn note(&mut self, change: RepairChange) {
        self.changes.note(change);
    }

    pub(super) fn kind(&self) -> Option<Bracket> {
        self.stack.last().map(|frame| frame.kind)
    }

    /// Turns the innermost bracket, in the output as well, into an array's.
    pub(super) fn turn_into_array(&mut self) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        frame.kind = Bracket::Array;
        if let Some(byte) = self.out.get_mut(frame.open) {
            *byte = b'[';
        }
        self.note(RepairChange::Bracket);
    }

    /// Whether an array is open around the innermost bracket, at most a few brackets further out.
    pub(super) fn is_in_array(&self) -> bool {
        (1..NEAR).any(|depth| self.around(depth) == Some(Bracket::Array))
    }

    /// Skips blanks and comments and returns the next byte; `None` at the end and at the marks of a fence.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let next = self.text.skip_blanks(self.at);
            if !self.text.slice(self.at, next).bytes().all(is_white) {
                self.note(RepairChange::Blank);
            }
            self.at = next;
            let Some(end) = self.text.comment_end(self.at) else {
                break;
            };
            self.note(RepairChange::Comment);
            self.at = end;
        }
        self.text
            .at(self.at)
            .filter(|_| !self.text.fence_at(self.at))
    }

    /// Skips an ellipsis, the words that explain it (`... (8 more)`), and the comma after it. Returns whether there
    /// was an ellipsis.
    pub(super) fn ellipsis(&mut self) -> bool {
        let Some(length) = self.text.ellipsis_at(self.at) else {
            return false;
        };
        self.at += length;
        let near = self.text.boundary(self.at.saturating_add(LOOK));
        let rest = self.text.slice(self.at, near);
        let words = rest.split([',', '}', ']', '\n']).next().unwrap_or_default();
        let value = words
            .trim_start()
            .starts_with(|c| is_quote(c) || "{[".contains(c));
        if words.contains(char::is_alphabetic) && !value {
            self.at += words.len();
        }
        self.note(RepairChange::Ellipsis);
        if self.peek() == Some(b',') {
            self.at += 1;
        }
        true
    }

    /// Moves past the comma or colon at the current offset, or what stands for it.
    pub(super) fn take_sign(&mut self) {
        if self.text.wide_at(self.at).is_some() || self.text.at(self.at) == Some(b';') {
            self.note(RepairChange::Separator);
        }
        self.at = self.text.past(self.at);
    }

    /// Leaves out the character at the current offset.
    pub(super) fn drop_char(&mut self) {
        self.at = self.text.past(self.at);
        self.note(RepairChange::Dropped);
    }

    /// Begins a member or element: counts it and writes the comma before it.
    pub(super) fn begin(&mut self) {
        let here = self.out.len();
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        frame.member = here;
        let first = frame.count == 0;
        let missing = !first && !frame.comma;
        frame.count = frame.count.saturating_add(1);
        frame.comma = false;
        if !first {
            self.out.push(b',');
        }
        if missing {
            self.note(RepairChange::Comma);
        }
    }

    pub(super) fn push(&mut self, kind: Bracket) {
        let open = self.out.len();
        self.out.push(kind.opening());
        self.stack.push(Frame {
            kind,
            open,
            member: open + 1,
            count: 0,
            comma: false,
            commas: false,
        });
        self.last_string = None;
    }

    /// Closes the innermost frame in the output.
    pub(super) fn pop(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        if frame.comma && frame.count > 0 {
            self.note(RepairChange::ExtraComma);
        }
        self.last_string = None;
        match frame.kind {
            Bracket::Object => self.out.push(b'}'),
            Bracket::Parentheses if frame.count == 1 && !frame.commas => {
                // Parentheses around a single value mean that value: a blank replaces their bracket.
                self.note(RepairChange::Wrapper);
                if let Some(byte) = self.out.get_mut(frame.open) {
                    *byte = b' ';
                }
            }
            Bracket::Parentheses => {
                self.note(RepairChange::Bracket);
                self.out.push(b']');
            }
            Bracket::Array => self.out.push(b']'),
        }
    }

    pub(super) fn after_value(&self) -> Next {
        match self.stack.is_empty() {
            true => Next::End,
            false => Next::Comma,
        }
    }

    /// Reads a value, or handles what is there in its place.
    pub(super) fn value(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        let member = self.kind() == Some(Bracket::Object);
        match byte {
            b',' | b'}' | b']' | b')' if member => {
                self.note(RepairChange::Missing);
                self.out.extend_from_slice(b"null");
                return Next::Comma;
            }
            b'}' | b']' | b')' if !self.stack.is_empty() => return self.close(byte),
            b',' if !self.stack.is_empty() => {
                self.note(RepairChange::ExtraComma);
                self.take_sign();
                return Next::Value;
            }
            _ => {}
        }
        if self.ellipsis() {
            return match self.kind() {
                None => Next::End,
                Some(Bracket::Object) => {
                    self.unbegin();
                    Next::Key
                }
                Some(_) => Next::Value,
            };
        }
        if !member {
            if self.is_prose() {
                return Next::End;
            }
            self.begin();
        }
        self.at = self.text.past_prefix(self.at);
        match byte {
            b'{' => self.open_bracket(Bracket::Object),
            b'[' => self.open_bracket(Bracket::Array),
            b'(' => self.open_bracket(Bracket::Parentheses),
            _ => self.string(),
        }
    }

    pub(super) fn open_bracket(&mut self, kind: Bracket) -> Next {
        self.parts += self.documents_in(self.at..self.at + 1).len();
        self.at += 1;
        self.push(kind);
        match kind {
            Bracket::Object => Next::Key,
            _ => Next::Value,
        }
    }

    /// Returns the documents that start in a range.
    fn documents_in(&self, range: Range<usize>) -> &[Range<usize>] {
        let before = |at| self.documents.partition_point(|part| part.start < at);
        let found = self.documents.get(before(range.start)..before(range.end));
        found.unwrap_or_default()
    }

    /// Whether the innermost bracket is a parenthesis.
    pub(super) fn in_parentheses(&self) -> bool {
        self.kind() == Some(Bracket::Parentheses)
    }

    /// Reads a string value and the strings that plus signs join to it, or text without quotes.
    fn string(&mut self) -> Next {
        let role = match self.kind() {
            Some(Bracket::Object) => StringRole::Value,
            Some(_) => StringRole::Element,
            None => StringRole::Root,
        };
        let Some(extent) = self.extent(self.at, role) else {
            return self.bare();
        };
        self.last_string = Some(self.out.len());
        self.write_string(extent);
        while self.peek() == Some(b'+') {
            let plus = self.at;
            self.at += 1;
            self.peek();
            let Some(extent) = self.extent(self.at, role) else {
                self.at = plus;
                break;
            };
            self.note(RepairChange::Joined);
            self.out.pop();
            self.write_content(extent);
            self.out.push(b'"');
            self.at = extent.next;
        }
        self.after_value()
    }

    pub(super) fn write_string(&mut self, extent: StringExtent) {
        self.quoted = true;
        // What is first on its line is no text of a string.
        let is_text = |part: &&Range<usize>| {
            let line = self.text.line_start(part.start);
            !self.text.slice(line, part.start).trim().is_empty()
        };
        let inside = self.documents_in(extent.start..extent.end).iter();
        self.parts += inside.filter(is_text).count();
        self.write(extent);
        self.at = extent.next;
    }

    /// Removes from the output what [`TolerantReader::begin`] or a name wrote, because no value followed.
    pub(super) fn unbegin(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            self.out.truncate(frame.member);
            frame.count = frame.count.saturating_sub(1);
            frame.comma = true;
        }
    }

    /// Reads the comma between two members or elements, or handles what is there in its place.
    pub(super) fn comma(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        let member = self.kind() == Some(Bracket::Object);
        let next = if member { Next::Key } else { Next::Value };
        match byte {
            b',' | b';' => {
                self.take_sign();
                if let Some(frame) = self.stack.last_mut() {
                    frame.comma = true;
                    frame.commas = true;
                }
                next
            }
            b':' | b'=' if !member && self.last_string.is_some() => self.imply_object(),
            b':' | b'|' | b'=' | b'\\' => {
                self.drop_char();
                Next::Comma
            }
            _ => next,
        }
    }

    /// Handles a colon after an element: the element is a name. Either its object has lost its brackets,
    /// `["name": 1]`, or the array before it has lost its closing bracket, `{"a": [1, "name": 2}`.
    fn imply_object(&mut self) -> Next {
        let Some(start) = self.last_string.take() else {
            return Next::Comma;
        };
        let name = self.out.split_off(start.min(self.out.len()));
        let filled = self.stack.last().is_some_and(|frame| frame.count > 1);
        if filled && self.around(1) == Some(Bracket::Object) {
            self.unbegin();
            self.note(RepairChange::Closer);
            self.pop();
            self.begin();
        } else {
            self.note(RepairChange::Bracket);
            self.push(Bracket::Object);
            if let Some(frame) = self.stack.last_mut() {
                frame.count = 1;
            }
        }
        self.out.extend_from_slice(&name);
        Next::Colon
    }

    /// Closes the brackets that are still open, and returns the result. `None` if nothing was written.
    pub(super) fn finish(mut self, start: usize) -> Option<RepairReading> {
        let closed = self.stack.is_empty();
        while !self.stack.is_empty() {
            self.note(RepairChange::Closer);
            self.pop();
        }
        let mut json = self.out;
        json.truncate(json.trim_ascii_end().len());
        let blanks = json.len() - json.trim_ascii_start().len();
        json.drain(..blanks);
        json.shrink_to_fit();
        let mut scanner = Scanner::new(false);
        scanner.scan(&json, 0, true);
        let shape = scanner.shape();
        let container = shape.is_any(Shape::CONTAINER);
        (!json.is_empty()).then_some(RepairReading {
            json,
            start,
            end: self.at,
            closed,
            quoted: self.quoted,
            named: self.named,
            empty: container && !shape.is(Shape::FILLED),
            parts: self.parts,
            changes: self.changes,
        })
    }
}
