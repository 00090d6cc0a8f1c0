//! What follows an opening bracket. The next byte is enough to reject most brackets in noise, and many of the others
//! contain just a few numbers, which are read here without a scanner.

use crate::input::BOM;
use crate::input::terminal::ESCAPE;
use crate::json::is_white;
use crate::json::scan::Shape;

/// How many blanks after a bracket are skipped: most brackets in noise are followed by at most one.
const BLANKS: usize = 3;

/// Returns whether `behind` can continue a document that `bracket` opened, as far as the first byte after the blanks
/// shows. Terminal sequences may stand anywhere.
#[inline(always)]
pub(super) fn goes_on(bracket: u8, behind: &[u8]) -> bool {
    let mut rest = behind;
    for _ in 0..BLANKS {
        match rest {
            [b' ' | b'\t', behind @ ..] => rest = behind,
            _ => break,
        }
    }
    match rest.first() {
        None => true,
        // After a blank, this byte may be the side of a box.
        Some(b'|' | 0x80..) => matches!(behind, [b' ' | b'\t', ..]),
        Some(&next) => follows(bracket, next),
    }
}

/// Returns whether a byte can follow an opening bracket in a document.
#[inline(always)]
const fn follows(bracket: u8, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => bracket == b'{',
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => bracket == b'[',
        _ => false,
    }
}

/// What a bracket is found to be without a scanner.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// The bracket of an array of a few numbers.
    Numbers { length: usize, shape: Shape },
    /// A stray bracket: after it come one number and a byte that cannot follow there.
    Stray,
    /// A bracket that ends its line, where the byte `length` bytes further on cannot continue a document. The text
    /// before it may be a log prefix; otherwise the bracket is stray.
    LineEnd { length: usize },
    /// Only a scanner can decide.
    Unknown,
}

/// The longest array that is read here, in bytes.
pub(super) const NEAR: u64 = 32;

/// Returns what the bracket at the start of `text` is.
#[inline(never)]
pub(super) fn near(text: &[u8]) -> Near {
    let text = text.get(..NEAR as usize).unwrap_or(text);
    match text {
        [bracket, b'\n' | b'\r', ..] => line_end(*bracket, text),
        _ => numbers(text),
    }
}

/// Returns what a bracket that is followed by the end of its line is.
fn line_end(bracket: u8, text: &[u8]) -> Near {
    let blanks = text.iter().skip(1).take_while(|byte| is_white(**byte));
    let length = blanks.count() + 1;
    match text.get(length) {
        // A byte order mark may stand at the beginning of a line.
        Some(&next) if !follows(bracket, next) && next != BOM[0] => Near::LineEnd { length },
        _ => Near::Unknown,
    }
}

/// Reads an array of integers on one line, common in noise (`[12, 34]`, `app[4711]`), or only its first one
/// (`[12:34:56]`).
fn numbers(text: &[u8]) -> Near {
    let [b'[', numbers @ ..] = text else {
        return Near::Unknown;
    };
    let mut rest = numbers;
    let mut spaced = false;
    let mut several = false;
    loop {
        rest = behind_blanks(rest, &mut spaced);
        rest = match integer(rest) {
            Some(behind) => behind_blanks(behind, &mut spaced),
            None => return Near::Unknown,
        };
        match rest {
            [b',', behind @ ..] => {
                several = true;
                rest = behind;
            }
            [b']', behind @ ..] => {
                return Near::Numbers {
                    length: text.len() - behind.len(),
                    shape: Shape::ARRAY
                        .with(Shape::FILLED)
                        .with(Shape::ONE_NUMBER.when(!several))
                        .with(Shape::SPACED.when(spaced)),
                };
            }
            // The number may go on, and terminal sequences and line ends may stand anywhere.
            [b'.' | b'e' | b'E', ..] | [(..=b' '), ..] | [] => return Near::Unknown,
            _ if several => return Near::Unknown,
            _ => return Near::Stray,
        }
    }
}

/// Returns the text after the blanks that `text` starts with, and sets `spaced` if there are any.
#[inline(always)]
fn behind_blanks<'a>(mut text: &'a [u8], spaced: &mut bool) -> &'a [u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        *spaced = true;
        text = rest;
    }
    text
}

/// Returns the text after the integer that `text` starts with; `None` if there is none.
#[inline(always)]
fn integer(text: &[u8]) -> Option<&[u8]> {
    let mut rest = match text {
        [b'0', (b'0'..=b'9'), ..] | [b'-', b'0', (b'0'..=b'9'), ..] => return None,
        [(b'0'..=b'9'), rest @ ..] | [b'-', (b'0'..=b'9'), rest @ ..] => rest,
        _ => return None,
    };
    while let [(b'0'..=b'9'), behind @ ..] = rest {
        rest = behind;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::{NEAR, Near, near};
    use crate::json::scan::{Scanner, Step};

    #[test]
    fn a_scanner_says_the_same() {
        let tokens = [
            "[", "]", "}", ",", " ", "\t", "\n", "0", "12", "-", "3", ":", ".5", "e1", "x",
            "\x1b[0m", "\"a\"",
        ];
        let mut texts = vec![String::from("["), String::from("{")];
        for _ in 0..4 {
            for text in std::mem::take(&mut texts) {
                texts.extend(tokens.iter().map(|token| format!("{text}{token}")));
                let mut scanner = Scanner::new(false);
                let (read, step) = scanner.scan(text.as_bytes(), 0, false);
                match near(text.as_bytes()) {
                    Near::Numbers { length, shape } => {
                        assert_eq!((length, Step::Complete), (read, step), "{text:?}");
                        assert_eq!(shape, scanner.shape(), "{text:?}");
                    }
                    Near::Stray => {
                        assert!(matches!(step, Step::Broken(_)), "{text:?}");
                        assert_eq!(scanner.committed(), None, "{text:?}");
                        assert_eq!(scanner.first_element(), None, "{text:?}");
                        assert_eq!(scanner.last_open(), 0, "{text:?}");
                    }
                    Near::LineEnd { length } => {
                        assert!(matches!(step, Step::Broken(_)), "{text:?}");
                        assert_eq!(length, read, "{text:?}");
                        assert_eq!(scanner.committed(), None, "{text:?}");
                        assert_eq!(scanner.first_element(), None, "{text:?}");
                        assert_eq!(scanner.last_open(), 0, "{text:?}");
                    }
                    Near::Unknown => {}
                }
            }
        }
        let long = format!("[{}]", "1".repeat(NEAR as usize));
        assert_eq!(near(long.as_bytes()), Near::Unknown);
        assert_eq!(near(b"[12:34] x"), Near::Stray);
        assert!(matches!(near(b"[12, -3]"), Near::Numbers { length: 8, .. }));
    }
}
