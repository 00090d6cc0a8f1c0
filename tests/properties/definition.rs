//! A naive reading of the definition of embedded documents.
//!
//! It tries a candidate at every bracket from scratch, recursively, with no thought of time; the finder must give the
//! same documents and the same faults, however the text is cut.

use jsift_find::document::{Document, Fault, FaultKind, Visitor};
use jsift_find::finder::{FindOptions, Finder, Parts};

use super::pieces;

/// What a reading gives, by offsets: documents and faults.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub documents: Vec<(usize, usize)>,
    pub faults: Vec<(usize, FaultKind)>,
}

impl Visitor for Given {
    fn document(&mut self, document: Document<'_>) {
        let start = document.position().offset as usize;
        let end = start + document.origin().length as usize;
        self.documents.push((start, end));
    }

    fn fault(&mut self, fault: Fault) {
        self.faults
            .push((fault.position.offset as usize, fault.kind));
    }
}

/// What the finder gives, its text cut at ascending places.
pub(crate) fn find(text: &[u8], cuts: &[usize]) -> Given {
    let mut finder = Finder::new(FindOptions {
        string: false,
        whole: false,
        fence: false,
        prefixes: false,
        loose: true,
        // What is a part of something larger is another rule.
        parts: Parts::Counted,
        ..FindOptions::default()
    });
    let mut given = Given::default();
    for piece in pieces(text, cuts) {
        finder.push(piece, &mut given);
    }
    finder.finish(&mut given);
    given
}

/// How far a candidate was read.
#[derive(Debug)]
struct Stop {
    at: usize,
    /// Brackets open there.
    depth: usize,
    committed: bool,
    /// It is an array of scalars so far.
    flat: bool,
    /// The end of input stopped it inside its first member name, or before its colon.
    unnamed: bool,
}

fn blanks(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && b" \t\r\n".contains(&text[at]) {
        at += 1;
    }
    at
}

/// The end of a scalar, or the byte that cannot be read.
fn scalar(text: &[u8], at: usize) -> Result<usize, usize> {
    if text.get(at) == Some(&b'"') {
        let mut next = at + 1;
        loop {
            match text.get(next) {
                Some(b'"') => return Ok(next + 1),
                Some(b'\\') => match text.get(next + 1) {
                    Some(b'u') => {
                        for digit in next + 2..next + 6 {
                            if !text.get(digit).is_some_and(u8::is_ascii_hexdigit) {
                                return Err(digit);
                            }
                        }
                        next += 6;
                    }
                    Some(c) if b"\"\\/bfnrt".contains(c) => next += 2,
                    _ => return Err(next + 1),
                },
                Some(0..=0x1f) | None => return Err(next),
                Some(_) => {
                    // The input is valid UTF-8.
                    next += 1;
                }
            }
        }
    }
    for word in ["true", "false", "null"] {
        if text.get(at) == word.as_bytes().first() {
            let same = word
                .bytes()
                .zip(&text[at..])
                .take_while(|(a, b)| a == *b)
                .count();
            return if same == word.len() {
                Ok(at + same)
            } else {
                Err(at + same)
            };
        }
    }
    let digits = |mut at: usize| {
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut next = at + usize::from(text.get(at) == Some(&b'-'));
    let begin = next;
    next = if text.get(next) == Some(&b'0') {
        next + 1
    } else {
        digits(next)
    };
    if next == begin {
        return Err(next);
    }
    if text.get(begin) == Some(&b'0') && text.get(next).is_some_and(u8::is_ascii_digit) {
        return Err(next);
    }
    if text.get(next) == Some(&b'.') {
        let fraction = digits(next + 1);
        if fraction == next + 1 {
            return Err(fraction);
        }
        next = fraction;
    }
    if matches!(text.get(next), Some(b'e' | b'E')) {
        let sign = next + 1 + usize::from(matches!(text.get(next + 1), Some(b'+' | b'-')));
        let power = digits(sign);
        if power == sign {
            return Err(power);
        }
        next = power;
    }
    Ok(next)
}

fn is_ellipsis(text: &[u8]) -> bool {
    text.starts_with(b"...") || text.starts_with("…".as_bytes())
}

/// Tries a candidate at the bracket at `start`.
fn candidate(text: &[u8], start: usize) -> Result<usize, Stop> {
    let object = text[start] == b'{';
    let close = if object { b'}' } else { b']' };
    let stop = |at, committed, flat| Stop {
        at,
        depth: 1,
        committed,
        flat,
        unnamed: false,
    };
    let mut committed = false;
    let mut flat = !object;
    let mut at = blanks(text, start + 1);
    if text.get(at) == Some(&close) {
        return Ok(at + 1);
    }
    loop {
        if object {
            let unnamed = |at| Stop {
                unnamed: ends(text, at) && !committed,
                ..stop(at, committed, flat)
            };
            if text.get(at) != Some(&b'"') {
                return Err(stop(at, committed, flat));
            }
            at = blanks(text, scalar(text, at).map_err(unnamed)?);
            if text.get(at) != Some(&b':') {
                return Err(unnamed(at));
            }
            committed = true;
            at = blanks(text, at + 1);
        }
        let container = matches!(text.get(at), Some(b'{' | b'['));
        if container {
            flat = false;
            match candidate(text, at) {
                Ok(end) => at = end,
                Err(inner) => {
                    let depth = inner.depth + 1;
                    // An array is committed whose first element is.
                    let committed = committed || inner.committed;
                    return Err(Stop {
                        depth,
                        committed,
                        flat,
                        unnamed: false,
                        ..inner
                    });
                }
            }
        } else {
            at = scalar(text, at).map_err(|at| stop(at, committed, flat))?;
        }
        at = blanks(text, at);
        match text.get(at) {
            Some(b',') => committed = true,
            Some(&byte) if byte == close => return Ok(at + 1),
            rest => {
                // Where an array ends after its first element, or an ellipsis stands for its rest, nothing shows that
                // it is none.
                let is_cut = rest.is_none() || is_ellipsis(&text[at..]);
                let is_cut = is_cut && container && !object;
                return Err(stop(at, committed || is_cut, flat));
            }
        }
        at = blanks(text, at + 1);
    }
}

/// Where the remains end of a candidate on a line of this indent, which stopped at `from`.
fn remains(text: &[u8], start: usize, from: usize, mut depth: usize) -> usize {
    let line_of = |at: usize| {
        text[..at]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1)
    };
    let indent_of = |line: usize| {
        text[line..]
            .iter()
            .take_while(|b| b" \t".contains(b))
            .count()
    };
    let indent = indent_of(line_of(start));
    // A line that begins with a time stamp is none of the document, although its first number could be read.
    let line = line_of(from);
    let word = &text[line + indent_of(line).min(from - line)..from];
    let number = word.strip_prefix(b"[").unwrap_or(word);
    let is_number = number.len() > 1 && number.iter().all(u8::is_ascii_digit);
    let goes_on = text.get(from).is_some_and(|byte| b":-/T".contains(byte));
    if line > start && indent_of(line) <= indent && is_number && goes_on {
        return from - word.len();
    }
    let mut quoted = false;
    let mut at = from;
    while at < text.len() {
        let line = line_of(at);
        let deep = indent_of(line);
        if line > start && line + deep == at && deep <= indent && !b"\n\r}]".contains(&text[at]) {
            return at;
        }
        match text[at] {
            b'\n' => quoted = false,
            b'\\' if quoted && text.get(at + 1) != Some(&b'\n') => at += 1,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Whether the input ends at `at`: a few blanks at its end belong to no string or word.
fn ends(text: &[u8], at: usize) -> bool {
    let rest = &text[at.min(text.len())..];
    rest.len() <= 16 && rest.iter().all(|byte| b" \t\n\r".contains(byte))
}

/// What the definition gives.
pub(crate) fn naive(text: &[u8]) -> Given {
    let mut given = Given::default();
    let mut unnamed = None;
    let mut at = 0;
    while at < text.len() {
        // The last bracket of the mark that opens a CDATA section is XML's.
        let marks = text[..=at].ends_with(b"<![CDATA[");
        if (text[at] != b'{' && text[at] != b'[') || marks {
            at += 1;
            continue;
        }
        match candidate(text, at) {
            Ok(end) => {
                given.documents.push((at, end));
                at = end;
            }
            Err(stop) if stop.committed => {
                if ends(text, stop.at) {
                    given.faults.push((at, FaultKind::Truncated));
                    break;
                }
                if stop.flat {
                    at = stop.at;
                } else {
                    given.faults.push((at, FaultKind::Broken));
                    at = remains(text, at, stop.at, stop.depth);
                }
            }
            Err(stop) => {
                if stop.unnamed && unnamed.is_none() {
                    unnamed = Some(at);
                }
                at += 1;
            }
        }
    }
    if let (true, Some(start)) = (
        given.documents.is_empty() && given.faults.is_empty(),
        unnamed,
    ) {
        given.faults.push((start, FaultKind::Truncated));
    }
    given
}

/// The finder reads as the definition says. The naive reading knows no encodings and no terminal sequences.
pub fn property(data: &[u8]) {
    let plain = |byte: &u8| !matches!(byte, 0 | b'\r' | 0x1b);
    if data.len() > 4096 || !data.iter().all(plain) || std::str::from_utf8(data).is_err() {
        return;
    }
    // A thinking block at the start is noise by another rule, also after record separators.
    let is_before = |byte: &&u8| byte.is_ascii_whitespace() || **byte == 0x1e;
    let before = data.iter().take_while(is_before).count();
    let head = data.get(before..).unwrap_or_default();
    if head.starts_with(b"<") || head.starts_with(b"analysis") {
        return;
    }
    // So does what ends thinking: the answer follows it.
    let ends = ["\u{feff}", "</", "[/", "...done thinking."];
    let has = |text: &str| {
        data.windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    if ends.into_iter().any(has) {
        return;
    }
    assert_eq!(find(data, &[]), naive(data));
}
