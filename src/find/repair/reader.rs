//! The tolerant reader: one value from left to right, its open brackets on a stack of its own, every byte of output
//! strict JSON. It never gives up; what it cannot place it leaves out, and every step moves on.

use super::change::{Change, Changes};
use super::string::{Extent, Place, Role, Strings};
use super::text::Text;
use crate::find::fence::begins_block;

/// What a bracket opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    /// A tuple, a group or the arguments of a call.
    Parentheses,
}

impl Kind {
    /// The bracket that stands for it in JSON.
    const fn opening(self) -> u8 {
        match self {
            Self::Object => b'{',
            Self::Array | Self::Parentheses => b'[',
        }
    }
}

/// One open bracket.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// Where its bracket stands in the output.
    pub(super) open: usize,
    /// Where its last member begins in the output, comma included.
    pub(super) member: usize,
    /// How many members or elements were begun.
    pub(super) count: usize,
    /// Whether a comma was read behind the last of them.
    pub(super) comma: bool,
    /// Whether a comma was read at all.
    pub(super) commas: bool,
    /// Whether its bracket was left out in the text.
    pub(super) implied: bool,
    /// Whether it is an object in the brackets of an array.
    pub(super) named: bool,
}

/// What is to be read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Value,
    Key,
    Colon,
    Comma,
    End,
}

/// What came of one reading.
#[derive(Debug)]
pub(super) struct Reading {
    /// Strict JSON.
    pub(super) json: Vec<u8>,
    /// The first byte behind what was read.
    pub(super) end: usize,
    /// An object with members, or an array that holds an object or array.
    pub(super) strong: bool,
    /// What seemed to be one was prose.
    pub(super) prose: bool,
    /// An object or array without anything in it.
    pub(super) empty: bool,
    /// An object or array that is strict JSON as it stands in the text.
    pub(super) document: bool,
    /// What was changed.
    pub(super) changes: Changes,
}

/// How far before a candidate the beginning of its line is looked for, in bytes.
const BEFORE: usize = 256;

/// Whether text stands on the line of an opening bracket, before it and behind.
fn is_in_line(text: Text<'_>, open: usize) -> bool {
    let near = text.slice(text.boundary(open.saturating_sub(BEFORE)), open);
    let left = near.rsplit('\n').next().unwrap_or_default();
    let behind = text.skip_blanks(open + 1);
    !begins_block(left.as_bytes()) && !text.slice(open, behind).contains('\n')
}

/// What all readings of one source share.
#[derive(Debug)]
pub(super) struct Budget {
    /// The deepest nesting that is read.
    pub(super) depth: usize,
    /// How many more times a string without an end may be searched for a likely one, which costs the rest of the text.
    pub(super) searches: u32,
}

/// Reads the value that begins at `start`. `None` if there is none, or it is nested too deeply.
pub(super) fn read(text: Text<'_>, start: usize, budget: &mut Budget) -> Option<Reading> {
    let depth = budget.depth;
    Reader::new(text, start, budget).run(start, Next::Value, depth)
}

/// Reads the members that begin at `start`, of an object that has lost its opening bracket.
pub(super) fn read_members(text: Text<'_>, start: usize, budget: &mut Budget) -> Option<Reading> {
    let depth = budget.depth;
    let mut reader = Reader::new(text, start, budget);
    reader.note(Change::Bracket);
    reader.push(Kind::Object, true);
    reader.run(start, Next::Key, depth)
}

impl<'a> Reader<'a> {
    fn new(text: Text<'a>, start: usize, budget: &'a mut Budget) -> Self {
        Self {
            text,
            at: start,
            out: Vec::new(),
            stack: Vec::new(),
            open: [0; 3],
            strings: Strings::new(text, &mut budget.searches),
            last_string: None,
            bare_name: false,
            in_line: is_in_line(text, start),
            prose: false,
            strong: false,
            empty: false,
            changes: Changes::default(),
        }
    }

    /// Reads on from one step to the next.
    fn run(mut self, start: usize, mut next: Next, depth: usize) -> Option<Reading> {
        loop {
            next = match next {
                Next::Value => self.value(),
                Next::Key => self.key(),
                Next::Colon => self.colon(),
                Next::Comma => self.comma(),
                Next::End => return self.finish(start),
            };
            if self.stack.len() > depth {
                return None;
            }
        }
    }
}

pub(super) struct Reader<'a> {
    pub(super) text: Text<'a>,
    pub(super) at: usize,
    pub(super) out: Vec<u8>,
    pub(super) stack: Vec<Frame>,
    /// How many frames of each kind are open.
    pub(super) open: [usize; 3],
    pub(super) strings: Strings<'a>,
    /// Where the string that was written last begins in the output, if it was the last thing written.
    pub(super) last_string: Option<usize>,
    /// Whether the name that was read last has no quotes.
    pub(super) bare_name: bool,
    /// Whether the candidate begins in a line of text.
    in_line: bool,
    /// Whether it has turned out to be prose.
    prose: bool,
    pub(super) strong: bool,
    empty: bool,
    pub(super) changes: Changes,
}

impl Reader<'_> {
    pub(super) fn note(&mut self, change: Change) {
        self.changes.note(change);
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.stack.last().map(|frame| frame.kind)
    }

    fn count_opened(&mut self, kind: Kind) {
        if let Some(n) = self.open.get_mut(kind as usize) {
            *n += 1;
        }
    }

    pub(super) fn count_closed(&mut self, kind: Kind) {
        if let Some(n) = self.open.get_mut(kind as usize) {
            *n = n.saturating_sub(1);
        }
    }

    /// The innermost bracket turns out to be that of an object or of an array.
    pub(super) fn turn_into(&mut self, kind: Kind) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let was = std::mem::replace(&mut frame.kind, kind);
        if let Some(byte) = self.out.get_mut(frame.open) {
            *byte = kind.opening();
        }
        self.count_closed(was);
        self.count_opened(kind);
        self.note(Change::Bracket);
    }

    pub(super) fn is_open(&self, kind: Kind) -> bool {
        self.open.get(kind as usize).is_some_and(|n| *n > 0)
    }

    /// The byte that stands next, blanks and comments skipped; `None` at the end and at the marks of a fence.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let from = self.at;
        loop {
            self.at = self.text.skip_blanks(self.at);
            let Some(end) = self.text.comment_end(self.at) else {
                break;
            };
            self.note(Change::Comment);
            self.at = end;
        }
        match self.text.slice(from, self.at).trim_end() {
            skipped if skipped.ends_with('\\') => self.note(Change::Escape),
            skipped if skipped.ends_with('>') && !skipped.ends_with("->") => {
                self.note(Change::Dropped);
            }
            _ => {}
        }
        self.text
            .at(self.at)
            .filter(|_| !self.text.marks_at(self.at))
    }

    /// Whether the bracket here begins a paragraph, and what is open are brackets in a line of prose that nothing has
    /// closed: it is that of another candidate.
    pub(super) fn is_left_behind(&mut self) -> bool {
        let before = self.text.slice(0, self.at);
        let prose = self.in_line && self.changes.has(Change::Bare);
        self.prose = prose && (before.ends_with("\n\n") || before.ends_with("\n\r\n"));
        self.prose
    }

    /// Skips an ellipsis and the comma behind it.
    pub(super) fn ellipsis(&mut self) -> bool {
        const MARKS: [&str; 2] = ["...", "…"];
        let Some(mark) = MARKS.iter().find(|mark| self.text.starts(self.at, mark)) else {
            return false;
        };
        self.at += mark.len();
        self.elided();
        self.note(Change::Ellipsis);
        if self.peek() == Some(b',') {
            self.at += 1;
        }
        true
    }

    /// Takes the comma or colon that stands here.
    pub(super) fn take_sign(&mut self) {
        if self.text.wide_at(self.at).is_some() {
            self.note(Change::Wide);
        }
        self.at = self.text.past(self.at);
    }

    /// Leaves out the character that stands here.
    pub(super) fn drop_char(&mut self) {
        self.at = self.text.past(self.at);
        self.note(Change::Dropped);
    }

    /// Begins a member or element: the comma before it, and the count.
    pub(super) fn begin(&mut self) {
        let here = self.out.len();
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        frame.member = here;
        let first = frame.count == 0;
        let missing = !first && !frame.comma;
        frame.count += 1;
        frame.comma = false;
        if !first {
            self.out.push(b',');
        }
        if missing {
            self.note(Change::Comma);
        }
    }

    pub(super) fn push(&mut self, kind: Kind, implied: bool) {
        self.strong |= !self.stack.is_empty();
        self.count_opened(kind);
        let open = self.out.len();
        self.out.push(kind.opening());
        self.stack.push(Frame {
            kind,
            open,
            member: open + 1,
            count: 0,
            comma: false,
            commas: false,
            implied,
            named: false,
        });
        self.last_string = None;
    }

    /// Closes the innermost frame in the output.
    pub(super) fn pop(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        self.count_closed(frame.kind);
        if frame.comma && frame.count > 0 {
            self.note(Change::ExtraComma);
        }
        self.last_string = None;
        match frame.kind {
            Kind::Object => self.out.push(b'}'),
            Kind::Parentheses if frame.count == 1 && !frame.commas => {
                // A group around one value is that value: its bracket becomes a blank.
                self.note(Change::Wrapper);
                if let Some(byte) = self.out.get_mut(frame.open) {
                    *byte = b' ';
                }
            }
            Kind::Parentheses => {
                self.note(Change::Bracket);
                self.out.push(b']');
            }
            Kind::Array => self.out.push(b']'),
        }
        self.strong |= frame.kind == Kind::Object && frame.count > 0;
        self.empty = frame.count == 0;
    }

    pub(super) fn after_value(&self) -> Next {
        if self.stack.is_empty() {
            Next::End
        } else {
            Next::Comma
        }
    }

    /// Reads a value, or finds that there is none.
    pub(super) fn value(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        let member = self.kind() == Some(Kind::Object);
        match byte {
            b',' | b'}' | b']' | b')' if member => {
                self.note(Change::Missing);
                self.out.extend_from_slice(b"null");
                return Next::Comma;
            }
            b'}' | b']' | b')' if !self.stack.is_empty() => return self.close(byte),
            b',' if !self.stack.is_empty() => {
                self.note(Change::ExtraComma);
                self.take_sign();
                return Next::Value;
            }
            _ => {}
        }
        if !member && self.ellipsis() {
            return if self.stack.is_empty() {
                Next::End
            } else {
                Next::Value
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
            b'{' => self.open_bracket(Kind::Object),
            b'[' => self.open_bracket(Kind::Array),
            b'(' => self.open_bracket(Kind::Parentheses),
            _ if self.text.quote_at(self.at).is_some() => self.string(),
            _ => self.bare(),
        }
    }

    fn open_bracket(&mut self, kind: Kind) -> Next {
        self.at += 1;
        self.push(kind, false);
        if kind == Kind::Object {
            Next::Key
        } else {
            Next::Value
        }
    }

    pub(super) fn place(&self, role: Role) -> Place {
        let above = self
            .stack
            .len()
            .checked_sub(2)
            .and_then(|at| self.stack.get(at));
        Place {
            role,
            members: self.stack.last().is_some_and(|frame| frame.count > 1),
            bare: self.bare_name,
            parentheses: self.kind() == Some(Kind::Parentheses),
            in_array: above.is_some_and(|frame| frame.kind == Kind::Array),
            depth: self.stack.len(),
        }
    }

    /// Reads a string value, and those that are joined to it.
    pub(super) fn string(&mut self) -> Next {
        let role = match self.kind() {
            Some(Kind::Object) => Role::Value,
            Some(_) => Role::Element,
            None => Role::Root,
        };
        let place = self.place(role);
        let Some(extent) = self.strings.extent(self.at, place) else {
            self.drop_char();
            return Next::Value;
        };
        self.last_string = Some(self.out.len());
        self.write_string(extent);
        while self.peek() == Some(b'+') {
            let plus = self.at;
            self.at += 1;
            self.peek();
            let Some(extent) = self.strings.extent(self.at, place) else {
                self.at = plus;
                break;
            };
            self.note(Change::Joined);
            self.out.pop();
            self.strings
                .write_content(extent, &mut self.out, &mut self.changes);
            self.out.push(b'"');
            self.at = extent.next;
        }
        self.after_value()
    }

    pub(super) fn write_string(&mut self, extent: Extent) {
        self.strings.write(extent, &mut self.out, &mut self.changes);
        self.at = extent.next;
        // A closing mark that was taken for text before the string's real end was found, and what stood behind it.
        if extent.next > extent.end && self.text.quote_at(extent.end).is_none() {
            self.note(Change::Dropped);
        }
    }

    /// Takes back what [`Reader::begin`] or a key wrote, where no value came.
    pub(super) fn unbegin(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            self.out.truncate(frame.member);
            frame.count = frame.count.saturating_sub(1);
            frame.comma = true;
        }
    }

    /// Reads what stands between two members or elements.
    pub(super) fn comma(&mut self) -> Next {
        let Some(byte) = self.peek() else {
            return Next::End;
        };
        let member = self.kind() == Some(Kind::Object);
        let next = if member { Next::Key } else { Next::Value };
        match byte {
            b',' => {
                self.take_sign();
                if let Some(frame) = self.stack.last_mut() {
                    frame.comma = true;
                    frame.commas = true;
                }
                next
            }
            b'}' | b']' | b')' => self.close(byte),
            b':' if !member && self.last_string.is_some() => self.imply_object(),
            b'=' if !member && self.last_string.is_some() && self.text.starts(self.at, "=>") => {
                self.name_elements()
            }
            b'{' | b'[' if self.is_left_behind() => Next::End,
            b'(' if member && self.aside() => Next::Comma,
            b'{' if member && self.is_open(Kind::Array) => {
                self.note(Change::Closer);
                self.pop();
                Next::Comma
            }
            b':' | b';' | b'|' | b'=' | b'\\' => {
                self.drop_char();
                Next::Comma
            }
            b'{' | b'[' | b'(' if member => {
                self.drop_char();
                Next::Comma
            }
            _ if !member
                || self.text.quote_at(self.at).is_some()
                || self.text.bare_key_at(self.at) =>
            {
                next
            }
            _ if self.ellipsis() => Next::Comma,
            _ if self.is_prose() => Next::End,
            _ => self.drop_text(),
        }
    }

    /// Leaves out text behind a value, up to what the object may go on with.
    fn drop_text(&mut self) -> Next {
        let text = self.text;
        self.drop_char();
        while let Some(byte) = text.at(self.at) {
            let name = text.quote_at(self.at).is_some() && text.quoted_key_at(self.at);
            if matches!(byte, b',' | b'}' | b']' | b'\n') || name {
                break;
            }
            self.at += 1;
        }
        Next::Comma
    }

    /// `["name": 1]`: the string was a name, and its object has lost its brackets.
    pub(super) fn imply_object(&mut self) -> Next {
        let Some(start) = self.last_string.take() else {
            return Next::Comma;
        };
        self.note(Change::Bracket);
        let name = self.out.split_off(start.min(self.out.len()));
        self.push(Kind::Object, true);
        if let Some(frame) = self.stack.last_mut() {
            frame.count = 1;
        }
        self.out.extend_from_slice(&name);
        Next::Colon
    }

    /// Closes what is still open.
    pub(super) fn finish(mut self, start: usize) -> Option<Reading> {
        while !self.stack.is_empty() {
            self.note(Change::Closer);
            self.pop();
        }
        let Self {
            text,
            out,
            at,
            prose,
            strong,
            empty,
            changes,
            ..
        } = self;
        let json = out.trim_ascii();
        // Not every blank that is left out is told as a change.
        let document = changes == Changes::default()
            && matches!(json, [b'{' | b'[', ..])
            && super::strict(text.slice(start, at).as_bytes()).is_some();
        (!json.is_empty()).then(|| Reading {
            json: json.to_vec(),
            end: at,
            strong: strong && !prose,
            prose,
            empty,
            document,
            changes,
        })
    }
}
