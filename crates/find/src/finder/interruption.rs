//! Foreign lines inside a document: lines that a spinner or a second process prints while a document is being printed.
//!
//! When an unindented line that is unlike JSON breaks a document whose lines are indented or start with brackets, the
//! document is read on after it. If the document completes, its foreign lines are set aside and read by themselves.

use memchr::memchr;

use super::bracket::left_open;
use super::learner::{Searched, WAIT_BYTES};
use super::reader::{self, Parted};
use super::window::Window;
use crate::prefix::begins_with_stamp;
use jsift_json::scan::{Scanner, Step, clean};
use jsift_json::{cost, is_json};

/// Words in lines that stand for omitted lines: a document read on after such a line would lack content.
const LEFT_OUT: [&[u8]; 16] = [
    "…".as_bytes(),
    b"drop",
    b"lost ",
    b"showing ",
    b"truncat",
    b"omit",
    b"elid",
    b"skip",
    b"snip",
    b"hidden",
    b" more",
    b"rest of",
    b"remain",
    b"removed",
    b"unchanged",
    b"as before",
];

/// Whether a line may be foreign in a document whose first line has this indent.
///
/// A foreign line begins like prose or a log line, with two words, and unlike a member or element in almost-JSON. It
/// leaves no bracket open: the lines after one that does belong to what it opens.
pub(super) fn is_foreign(line: &[u8], indent: u64) -> bool {
    let shown = clean(line);
    if reader::indent(&shown) > indent {
        return false;
    }
    let text = shown.trim_ascii();
    let (word, after) = match memchr(b' ', text) {
        Some(blank) => text.split_at(blank),
        None => return false,
    };
    // Seconds and epochs are numbers, too, and then an element of the document.
    let number = |word: &[u8]| word.split(|&byte| byte == b',').next().is_some_and(is_json);
    let stamped = |word: &[u8]| begins_with_stamp(word) && !number(word);
    let begins = match word {
        [b'[', tag @ ..] => {
            tag.first().is_some_and(u8::is_ascii_uppercase) || stamped(tag) || is_step(tag)
        }
        // `(node:1)`, `::warning::`, `##[warning]`, and `#8` of BuildKit.
        [b'(', .., b')'] | [b':', b':', ..] | [b'#', b'#', b'[', ..] | [b'#', b'0'..=b'9', ..] => {
            true
        }
        // The second line of a warning of Node.js, and a command that a shell traces.
        b"(Use" => after.starts_with(b" `"),
        b"+" => matches!(after, [_, next, ..] if next.is_ascii_alphabetic()),
        [first, ..] if first.is_ascii_digit() => stamped(word),
        [first, ..] => first.is_ascii_alphabetic() || !first.is_ascii(),
        [] => false,
    };
    let names = word.first().is_some_and(u8::is_ascii_lowercase) && word.ends_with(b":");
    let assigns = after.trim_ascii_start().starts_with(b"=");
    begins
        && !names
        && !assigns
        && !text.ends_with(b",")
        && !stands_for_others(text)
        && left_open(text).is_none()
}

/// Whether a line has one of the [words](LEFT_OUT) of lines that stand for others.
fn stands_for_others(text: &[u8]) -> bool {
    let lower = [b" ", text].concat().to_ascii_lowercase();
    let has = |word: &&[u8]| memchr::memmem::find(&lower, word).is_some();
    LEFT_OUT.iter().any(has)
}

/// Whether the text after a bracket is a step's number, as in `[1/4]`.
fn is_step(tag: &[u8]) -> bool {
    let mut numbers = tag
        .strip_suffix(b"]")
        .unwrap_or_default()
        .splitn(2, |&byte| byte == b'/');
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    numbers.next().is_some_and(is_number) && numbers.next().is_some_and(is_number)
}

/// Reads a document on after foreign lines. See the module's documentation.
#[derive(Debug)]
pub(super) struct Foreign {
    /// The scanner that has read the lines of the document.
    scanner: Scanner,
    /// The indentation of the document's first line.
    indent: u64,
    /// The offset of the first foreign line.
    from: u64,
    /// The offset of the next line to look at.
    next: u64,
    /// The foreign lines, from start to end.
    pub(super) lines: Vec<(u64, u64)>,
    /// How many foreign lines there may be.
    patience: u32,
    /// How many bytes were looked at.
    pub(super) cost: u64,
}

impl Foreign {
    /// Returns `None` if the document's own lines are not indented or do not leave it open, or if too much was
    /// searched.
    pub(super) fn new(
        parted: &Parted,
        window: &Window,
        searched: &Searched,
        lossy: bool,
    ) -> Option<Self> {
        let (start, line, indent) = (parted.start, parted.line, parted.indent);
        let read = window.slice(start, line);
        let mut scanner = Scanner::new(lossy);
        let (_, Step::More) = scanner.scan(read, start, false) else {
            return None;
        };
        let mut own = read.split_inclusive(|&byte| byte == b'\n').skip(1);
        own.all(|line| is_own(line, indent)).then_some(())?;
        Some(Self {
            scanner,
            indent,
            from: line,
            next: line,
            lines: Vec::new(),
            patience: searched.patience(start)?,
            cost: line - start,
        })
    }

    /// Looks at the lines that are there. `owned` returns whether a line belongs to a known source, which says nothing
    /// about this document. Returns whether the document completes; `None` if that is not known yet.
    pub(super) fn go_on(
        &mut self,
        window: &Window,
        last: bool,
        owned: &dyn Fn(&[u8]) -> bool,
    ) -> Option<bool> {
        loop {
            if self.next - self.from > WAIT_BYTES || self.lines.len() as u64 > self.patience.into()
            {
                return Some(false);
            }
            let line = window.line_at(self.next, WAIT_BYTES, last)?;
            let whole = line.ends_with(b"\n");
            if line.is_empty() || (!whole && line.len() as u64 == WAIT_BYTES) {
                return Some(false);
            }
            let (start, end) = (self.next, self.next + line.len() as u64);
            self.next = end;
            self.cost += line.len() as u64;
            cost::look_at(line.len());
            if owned(line) {
                continue;
            }
            if is_foreign(line, self.indent) {
                self.lines.push((start, end));
                continue;
            }
            if !is_own(line, self.indent) {
                return Some(false);
            }
            match self.scanner.scan(line, start, last && !whole) {
                (_, Step::More) => {}
                (_, Step::Complete) => return Some(true),
                (_, Step::Broken(_)) => return Some(false),
            }
        }
    }
}

/// Whether a line may belong to the document: it is indented, starts with a bracket, or is blank.
fn is_own(line: &[u8], indent: u64) -> bool {
    let shown = clean(line);
    match shown.trim_ascii_start().first() {
        None | Some(b'{' | b'[' | b'}' | b']') => true,
        Some(_) => reader::indent(&shown) > indent,
    }
}

#[cfg(test)]
mod tests {
    use super::is_foreign;

    #[test]
    fn a_line_is_foreign_that_no_json_is_like() {
        for line in [
            "\u{2827} Agent is working\n",
            "WARN something: {x}",
            "2026-01-02T03:04:05Z INFO hello",
            "[INFO] hello",
            "[2026-01-02 03:04:05] hello",
            "[12.345678] usb 1-1: new device",
            "\x1b[33mnpm\x1b[0m warn deprecated",
            "web-1 | GET / 200",
            "(node:1) Warning: x",
            "(Use `node --trace-warnings ...` to show where the warning was created)",
            "::warning::x y",
            "##[warning]x y",
            "#8 0.123 x",
            "[1/4] Resolving packages",
            "+ npm ci",
        ] {
            assert!(is_foreign(line.as_bytes(), 0), "{line}");
        }
        for line in [
            "  indented words",
            "name: \"Ada\"",
            "name = 1",
            "'a': 1",
            "2",
            "2 3",
            "6.000 }",
            "1.125, 2.250 // m",
            "[1.125 2.250]",
            "1795452652 }",
            "null",
            "True, False,",
            "... 3 lines",
            "(rest of the members)",
            "[1/4, 2]",
            "+  \"a\": 1",
            "# a comment",
            "\"a\": 1",
            "[1, 2]",
            "[truncated 3 lines]",
            "Output truncated here",
            "12 more lines",
            "and 14 more",
            "… +12 lines (ctrl+r to expand)",
            "lost 3 messages",
            "POST /y body={",
            "WARN [1, {\"a\": [",
            "[Content removed] x",
            "<<<<<<< HEAD",
            "-  \"a\": 1",
            "// a comment",
            "",
        ] {
            assert!(!is_foreign(line.as_bytes(), 0), "{line}");
        }
    }
}
