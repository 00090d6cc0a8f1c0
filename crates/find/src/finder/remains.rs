//! The remains of a broken candidate: the rest of its text, in which no documents are looked for.

use super::strings::Strings;
use jsift_json::cost;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_in};

/// Skips the remains of a candidate, from the byte that could not be read to where the search for documents goes on:
/// after the bracket that closes the last one open there, or at the first line that is indented no deeper than the
/// candidate's line and starts with something other than a closing bracket.
#[derive(Debug)]
pub(crate) struct Remains {
    /// How many brackets are still open.
    depth: usize,
    /// The indent of the candidate's line, in bytes.
    indent: u64,
    strings: Strings,
    /// The number of blanks since the start of the line, if the line has only blanks so far.
    blanks: Option<u64>,
}

impl Remains {
    /// `blanks` is the number of blanks before the first byte on its line, if there is nothing else before it.
    pub(crate) const fn new(depth: usize, indent: u64, blanks: Option<u64>) -> Self {
        Self {
            depth,
            indent,
            strings: Strings::new(),
            blanks,
        }
    }

    /// Reads `text`. Returns how many bytes belong to the remains, and whether the remains end there.
    pub(crate) fn read(&mut self, text: &[u8], last: bool) -> (usize, bool) {
        let (read, ended) = self.read_uncounted(text, last);
        cost::look_at(read);
        (read, ended)
    }

    fn read_uncounted(&mut self, text: &[u8], last: bool) -> (usize, bool) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == ESCAPE {
                match sequence_in(text.get(at..).unwrap_or_default(), last) {
                    Sequence::Incomplete => return (at, false),
                    Sequence::Delete(length) => {
                        at += length;
                        continue;
                    }
                    Sequence::LineEnd(length) => {
                        at += length;
                        self.end_line();
                        continue;
                    }
                    Sequence::None => {}
                }
            }
            if let Some(blanks) = self.blanks {
                match byte {
                    b' ' | b'\t' => self.blanks = Some(blanks + 1),
                    b'\n' | b'\r' | 0 | b'}' | b']' => self.blanks = None,
                    _ if blanks <= self.indent => return (at, true),
                    _ => self.blanks = None,
                }
            }
            match byte {
                b'\n' | b'\r' | 0 => self.end_line(),
                // Outside of strings, a backslash is a byte like any other.
                b'\\' if !self.strings.is_open() => {}
                _ if !self.strings.is_outside(byte) => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (text.len(), false)
    }

    /// Reads the end of a line, where each string ends.
    const fn end_line(&mut self) {
        (self.blanks, self.strings) = (Some(0), Strings::new());
    }
}

#[cfg(test)]
mod tests {
    use super::Remains;

    fn length(text: &str, depth: usize, indent: u64) -> usize {
        let whole = Remains::new(depth, indent, None).read(text.as_bytes(), true);
        for cut in 0..whole.0 {
            let mut remains = Remains::new(depth, indent, None);
            let (first, _) = remains.read(&text.as_bytes()[..cut], false);
            let second = remains.read(&text.as_bytes()[first..], true);
            assert_eq!((first + second.0, second.1), whole, "{text:?} cut at {cut}");
        }
        whole.0
    }

    #[test]
    fn end_where_the_open_brackets_are_closed() {
        assert_eq!(length("x, \"b\": {\"c\": 1}} {\"d\": 2}", 1, 0), 17);
        assert_eq!(length("x \"}\" }rest", 1, 0), 7);
        assert_eq!(length("x \"\\\"}\" }rest", 1, 0), 9);
        assert_eq!(length("x \u{1b}[0m}rest", 1, 0), 7);
    }

    #[test]
    fn end_at_the_next_line_that_is_not_deeper() {
        assert_eq!(length("x\n  y\n]\n\n{\"a\":1}", 2, 0), 9);
        assert_eq!(length("x\n    y\n  z", 2, 2), 10);
        assert_eq!(length("x \"open\n}\nz", 1, 0), 9);
        assert_eq!(length("x\n\u{1b}[0m  y\n\u{1b}[1mz", 1, 0), 14);
    }
}
