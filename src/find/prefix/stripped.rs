//! A text without a log prefix, for a reader that knows nothing of such.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::left::{Change, Ends, Left, is_blank};

/// Where the first bracket stands that is still open at the end of its line and has a prefix before it, with which the next
/// line goes on. What stands behind it need not be JSON.
pub(crate) fn opening(text: &[u8]) -> Option<usize> {
    let mut left = Left::default();
    let mut start = 0;
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let open = left_open(line).and_then(|at| Some((at, line.get(..at)?)));
        if let (Some((at, before)), Some(next)) = (open, lines.peek()) {
            left.learn(before);
            if left.matched(next, Change::Stamps) != Ends::NOWHERE {
                return Some(start + at);
            }
        }
        start += line.len();
    }
    None
}

/// The first bracket that nothing on the line closes, wherever it stands.
fn left_open(line: &[u8]) -> Option<usize> {
    let (mut depth, mut outermost) = (0_usize, None);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b'{' | b'[' => {
                outermost = outermost.or(Some(at));
                depth += 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        outermost = outermost.filter(|_| depth > 0);
    }
    outermost
}

/// A source without the prefix of one line on those behind it, and without the lines of other sources between them.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub(crate) text: Vec<u8>,
    /// Its pieces in their order: where each begins in the text, and where it stands in the source.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Stripped {
    /// Takes off what stands before `start` on its line.
    pub(crate) fn new(source: &[u8], start: usize) -> Self {
        let mut stripped = Self {
            text: Vec::with_capacity(source.len()),
            pieces: Vec::new(),
        };
        let start = start.min(source.len());
        let (before, behind) = source.split_at(start);
        let line = memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        let left = Left::new(before.get(line..).unwrap_or_default());
        let opened = memchr(b'\n', behind).map_or(behind.len(), |feed| feed + 1);
        let (_, lines) = behind.split_at(opened);
        let cut = |change| {
            let mut lines = lines.split_inclusive(|&byte| byte == b'\n');
            let cut = lines.find_map(|line| left.matched(line, change).first())?;
            Some((change, cut))
        };
        // Where no line carries it as it is, its digits count something.
        let plan = cut(Change::Stamps).or_else(|| cut(Change::Digits));
        let taken_off = |line: &[u8]| {
            let (change, cut) = plan?;
            let at = left.matched(line, change).at(cut)?;
            let most = usize::try_from(left.indent(cut)).unwrap_or(usize::MAX);
            let rest = line.get(at..).unwrap_or_default().iter().take(most);
            Some(at + rest.take_while(|byte| is_blank(byte)).count())
        };
        let mut from = start + opened;
        // Where the lines begin that are those of other sources if one comes that goes on.
        let mut others = from;
        stripped.push(source, 0..from);
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let end = from + line.len();
            if let Some(at) = taken_off(line) {
                stripped.push(source, from + at..end);
                others = end;
            }
            from = end;
        }
        stripped.push(source, others..source.len());
        stripped
    }

    fn push(&mut self, source: &[u8], piece: Range<usize>) {
        self.pieces.push((self.text.len(), piece.clone()));
        let piece = source.get(piece).unwrap_or_default();
        self.text.extend_from_slice(piece);
    }

    /// Where a part of the text stands in the source.
    pub(crate) fn place(&self, part: Range<usize>) -> Range<usize> {
        let last = part.end.saturating_sub(1).max(part.start);
        self.offset(part.start)..self.offset(last) + (part.end - part.start).min(1)
    }

    fn offset(&self, at: usize) -> usize {
        let behind = self.pieces.partition_point(|(start, _)| *start <= at);
        let piece = behind
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        piece.map_or(at, |(start, place)| place.start + (at - start))
    }

    /// Whether a byte of the source is left.
    pub(crate) fn holds(&self, offset: usize) -> bool {
        let behind = self
            .pieces
            .partition_point(|(_, place)| place.start <= offset);
        let piece = behind
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        piece.is_some_and(|(_, place)| place.contains(&offset))
    }
}

#[cfg(test)]
mod tests {
    use super::{Stripped, opening};

    const LOG: &str =
        "app | see [1]\napp | got: {\ndb  | [\napp |   'a': 'b\napp | c'\napp | }\ndb  | ]\n";

    #[test]
    fn the_first_bracket_counts_behind_which_a_prefix_goes_on() {
        assert_eq!(opening(LOG.as_bytes()), None, "another source comes first");
        let alone = LOG.replace("db  | [\n", "");
        assert_eq!(opening(alone.as_bytes()), alone.find('{'));
        assert_eq!(opening(b"{\n  a: [\n    1\n  ],\n  a: [2]\n}\n"), None);
    }

    #[test]
    fn a_prefix_is_taken_off_and_what_others_say_between() {
        let stripped = Stripped::new(LOG.as_bytes(), LOG.find('{').unwrap());
        let text = "app | see [1]\napp | got: {\n  'a': 'b\nc'\n}\ndb  | ]\n";
        assert_eq!(String::from_utf8_lossy(&stripped.text), text);
        for (part, place) in [("{", "{"), ("c'", "c'"), ("}\ndb", "}\ndb")] {
            let (at, place) = (text.find(part).unwrap(), LOG.find(place).unwrap());
            assert_eq!(
                stripped.place(at..at + part.len()),
                place..place + part.len()
            );
            assert!(stripped.holds(place));
        }
        let (opens, closes) = (text.find('{').unwrap(), text.find('}').unwrap());
        let place = LOG.find('{').unwrap()..LOG.find('}').unwrap() + 1;
        assert_eq!(stripped.place(opens..closes + 1), place);
        assert!(!stripped.holds(LOG.find("[\n").unwrap()));
    }

    #[test]
    fn nothing_is_taken_off_what_has_no_prefix() {
        for (source, start) in [("", 0), ("x", 5), ("{\n}", 0), ("a {\nb }", 2)] {
            let stripped = Stripped::new(source.as_bytes(), start);
            assert_eq!(stripped.text, source.as_bytes());
            assert_eq!(stripped.place(0..source.len()), 0..source.len());
        }
    }
}
