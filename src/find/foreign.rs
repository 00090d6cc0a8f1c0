//! Lines of others inside of a document: what a spinner or a second process prints while a document is being printed.
//!
//! A document whose lines are indented may be read on behind a line that is not, and that says what no JSON does, if it is
//! complete then. Such lines are set aside, and read by themselves.

use memchr::memchr;

use super::learner::{Vain, WAIT_BYTES};
use super::prefix::begins_with_stamp;
use super::reader::{Parted, indent};
use super::window::Window;
use crate::json::scan::{Scanner, Step, clean};

/// Words by which a line says that others are missing: without them a document would not be what it was.
const LEFT_OUT: [&[u8]; 7] = [
    b"truncat", b"omit", b"elid", b"skip", b"snip", b"hidden", b"more ",
];

/// Whether a line may be that of another in a document on whose first line stands so much `indent`.
///
/// It begins as prose or a log's line does, with two words, and as no member or element would that is not quite JSON.
pub(super) fn is_foreign(line: &[u8], deep: u64) -> bool {
    let shown = clean(line);
    if indent(&shown) > deep {
        return false;
    }
    let text = shown.trim_ascii();
    let (word, behind) = match memchr(b' ', text) {
        Some(blank) => text.split_at(blank),
        None => return false,
    };
    let begins = match word {
        [b'[', tag @ ..] => {
            tag.first().is_some_and(u8::is_ascii_uppercase) || begins_with_stamp(tag)
        }
        [first, ..] if first.is_ascii_digit() => begins_with_stamp(text),
        [first, ..] => first.is_ascii_alphabetic() || !first.is_ascii(),
        [] => false,
    };
    let names = word.first().is_some_and(u8::is_ascii_lowercase) && word.ends_with(b":");
    let assigns = behind.trim_ascii_start().starts_with(b"=");
    let lower = text.to_ascii_lowercase();
    let has = |word: &&[u8]| memchr::memmem::find(&lower, word).is_some();
    begins && !names && !assigns && !text.ends_with(b",") && !LEFT_OUT.iter().any(has)
}

/// Reads on behind such lines. See the module's documentation.
#[derive(Debug)]
pub(super) struct Foreign {
    /// What has read the lines of the document.
    scanner: Scanner,
    deep: u64,
    /// Where the first of the lines begins, and where the next line does.
    from: u64,
    next: u64,
    /// Those that are to be set aside.
    pub(super) lines: Vec<(u64, u64)>,
    patience: u32,
    /// How many bytes were looked at.
    pub(super) cost: u64,
}

impl Foreign {
    /// `None` if the document's own lines are not indented.
    pub(super) fn new(parted: &Parted, window: &Window, vain: &Vain, lossy: bool) -> Option<Self> {
        let (start, line, deep) = (parted.start, parted.line, parted.indent);
        let read = window.slice(start, line);
        let mut scanner = Scanner::new(lossy);
        let (_, Step::More) = scanner.scan(read, start, false) else {
            return None;
        };
        let mut own = read.split_inclusive(|&byte| byte == b'\n').skip(1);
        own.all(|line| is_own(line, deep)).then_some(())?;
        Some(Self {
            scanner,
            deep,
            from: line,
            next: line,
            lines: Vec::new(),
            patience: vain.patience(start)?,
            cost: line - start,
        })
    }

    /// Looks at the lines that are there. Says whether the document is complete behind them; `None` if that cannot be told yet.
    pub(super) fn go_on(&mut self, window: &Window, last: bool) -> Option<bool> {
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
            if is_foreign(line, self.deep) {
                self.lines.push((start, end));
                continue;
            }
            if !is_own(line, self.deep) {
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

/// Whether a line may be one of the document: it is indented, closes it, or is blank.
fn is_own(line: &[u8], deep: u64) -> bool {
    let shown = clean(line);
    match shown.trim_ascii_start().first() {
        None | Some(b'}' | b']') => true,
        Some(_) => indent(&shown) > deep,
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
            "\x1b[33mnpm\x1b[0m warn deprecated",
            "web-1 | GET / 200",
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
            "null",
            "True, False,",
            "... 3 lines",
            "\"a\": 1",
            "[1, 2]",
            "[truncated 3 lines]",
            "Output truncated here",
            "12 more lines",
            "<<<<<<< HEAD",
            "-  \"a\": 1",
            "// a comment",
            "",
        ] {
            assert!(!is_foreign(line.as_bytes(), 0), "{line}");
        }
    }
}
