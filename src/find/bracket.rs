//! What follows an opening bracket. The next byte is enough to reject most brackets in noise, and many of the others
//! contain just a few numbers, which are read here without a scanner.

use crate::input::terminal::ESCAPE;
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

/// The longest array that is read here, in bytes.
pub(super) const NEAR: u64 = 32;

/// Returns the length and the shape of the array that `text` starts with, if it is one of a few integers on one line.
/// Such arrays are common in noise: `[12, 34]`, `app[4711]`.
#[inline(never)]
pub(super) fn numbers(text: &[u8]) -> Option<(usize, Shape)> {
    let text = text.get(..NEAR as usize).unwrap_or(text);
    let mut rest = text.strip_prefix(b"[")?;
    let mut spaced = false;
    let mut several = false;
    loop {
        let behind = integer(behind_blanks(rest, &mut spaced))?;
        rest = match behind_blanks(behind, &mut spaced) {
            [b',', behind @ ..] => {
                several = true;
                behind
            }
            [b']', behind @ ..] => {
                let shape = Shape::ARRAY
                    .with(Shape::FILLED)
                    .with(Shape::ONE_NUMBER.when(!several))
                    .with(Shape::SPACED.when(spaced));
                return Some((text.len() - behind.len(), shape));
            }
            _ => return None,
        };
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
    use super::{NEAR, numbers};
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
                if let Some((length, shape)) = numbers(text.as_bytes()) {
                    assert_eq!((length, Step::Complete), (read, step), "{text:?}");
                    assert_eq!(shape, scanner.shape(), "{text:?}");
                }
            }
        }
        let long = format!("[{}]", "1".repeat(NEAR as usize));
        assert_eq!(numbers(long.as_bytes()), None);
        assert!(matches!(numbers(b"[12, -3]"), Some((8, _))));
    }
}
