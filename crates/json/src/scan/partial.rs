//! Reading byte by byte: strings, numbers and literals that are not simple, or that are cut by the end of the bytes.

use super::{ScanState, Scanner, Shape};
use crate::is_white;
use crate::lanes::{Bytes, NARROW};
use crate::string::{first, marks, unescaped};
use crate::terminal::ESCAPE;

/// What is expected next inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    Plain,
    Escape,
    /// The number of hexadecimal digits that are still missing.
    Hex(u8),
    /// The number of continuation bytes that are still missing, and the range of the next one.
    Utf8(u8, u8, u8),
}

/// The part of a number that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Number {
    /// Returns the state after `byte`; `None` if it does not continue the number.
    const fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::Sign),
            (Self::Exponent | Self::Sign, b'0'..=b'9') => Some(Self::Power),
            (Self::Integer | Self::Fraction | Self::Power, b'0'..=b'9') => Some(self),
            _ => None,
        }
    }

    /// Reads `bytes` from `at` on as far as they continue the number. Returns the state after them.
    fn read(mut self, bytes: &[u8], at: &mut usize) -> Self {
        while let Some(next) = bytes.get(*at).and_then(|byte| self.next(*byte)) {
            self = next;
            *at += 1;
            if matches!(self, Self::Integer | Self::Fraction | Self::Power) {
                *at = digits(bytes, *at);
            }
        }
        self
    }

    pub(super) const fn complete(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::Power
        )
    }
}

/// Whether a number begins at `at` that is complete and has one of the bytes after it that end a number.
pub(super) fn is_number(text: &[u8], mut at: usize) -> bool {
    at += usize::from(text.get(at) == Some(&b'-'));
    let number = Number::Minus.read(text, &mut at);
    number.complete() && text.get(at).is_some_and(|byte| ends(*byte))
}

impl Scanner {
    /// Continues reading a string. Returns what is wrong if reading stops because of an error.
    pub(super) fn read_string(&mut self, bytes: &[u8], at: &mut usize) -> Option<&'static str> {
        let mut quoted = self.quoted;
        loop {
            if quoted == Quoted::Plain {
                *at = characters(bytes, *at);
            }
            let Some(&byte) = bytes.get(*at) else {
                self.quoted = quoted;
                return None;
            };
            quoted = match (quoted, byte) {
                (Quoted::Plain, b'"') => {
                    *at += 1;
                    if self.name {
                        self.state = ScanState::Colon;
                    } else {
                        self.end_scalar();
                    }
                    return None;
                }
                (Quoted::Plain, b'\\') => Quoted::Escape,
                (Quoted::Escape, b'u') => Quoted::Hex(4),
                (Quoted::Escape, _) if unescaped(byte).is_some() => Quoted::Plain,
                (Quoted::Hex(left), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                    if left == 1 {
                        Quoted::Plain
                    } else {
                        Quoted::Hex(left - 1)
                    }
                }
                (Quoted::Plain, 0x80..) => match lead(byte) {
                    Some(next) => next,
                    None if self.lossy => self.replaced(),
                    None => return self.stop(quoted, "invalid UTF-8 in a string"),
                },
                (Quoted::Utf8(left, low, high), _) if (low..=high).contains(&byte) => {
                    if left == 1 {
                        Quoted::Plain
                    } else {
                        Quoted::Utf8(left - 1, 0x80, 0xbf)
                    }
                }
                (Quoted::Utf8(..), _) if self.lossy => {
                    // The byte is not part of the sequence: it is read again on its own.
                    quoted = self.replaced();
                    continue;
                }
                (Quoted::Utf8(..), _) => return self.stop(quoted, "invalid UTF-8 in a string"),
                (Quoted::Plain, _) => {
                    return self.stop(quoted, "raw control character in a string");
                }
                (Quoted::Escape, _) => return self.stop(quoted, "invalid escape in a string"),
                (Quoted::Hex(_), _) => return self.stop(quoted, "invalid \\u escape in a string"),
            };
            *at += 1;
        }
    }

    const fn replaced(&mut self) -> Quoted {
        self.shape.add(Shape::LOSSY.with(Shape::DIRTY));
        Quoted::Plain
    }

    const fn stop(&mut self, quoted: Quoted, reason: &'static str) -> Option<&'static str> {
        self.quoted = quoted;
        Some(reason)
    }

    /// Continues reading a number. Returns what is wrong if reading stops because of an error.
    pub(super) fn read_number(&mut self, bytes: &[u8], at: &mut usize) -> Option<&'static str> {
        self.number = self.number.read(bytes, at);
        match bytes.get(*at)? {
            // A colour sequence is allowed inside a number, as inside a string.
            &ESCAPE => return Some("malformed number"),
            b'0'..=b'9' if self.number == Number::Zero => {
                return Some("a number cannot begin with 0");
            }
            _ if !self.number.complete() => return Some("malformed number"),
            _ => self.end_scalar(),
        }
        None
    }

    /// Continues reading a literal. Returns what is wrong if reading stops because of an error.
    pub(super) fn read_word(&mut self, bytes: &[u8], at: &mut usize) -> Option<&'static str> {
        while let Some((&expected, left)) = self.word.split_first() {
            match bytes.get(*at) {
                Some(&byte) if byte == expected => *at += 1,
                found => return found.map(|_| "expected true, false or null"),
            }
            self.word = left;
        }
        self.end_scalar();
        None
    }

    /// Ends a string, number or literal that is a value.
    pub(super) fn end_scalar(&mut self) {
        self.state = if self.depth == 0 {
            ScanState::Done
        } else {
            ScanState::After
        };
    }
}

/// Returns the state after the first byte of a UTF-8 sequence of two bytes or more (RFC 3629, table 3-7 of Unicode).
const fn lead(byte: u8) -> Option<Quoted> {
    Some(match byte {
        0xc2..=0xdf => Quoted::Utf8(1, 0x80, 0xbf),
        0xe0 => Quoted::Utf8(2, 0xa0, 0xbf),
        0xe1..=0xec | 0xee..=0xef => Quoted::Utf8(2, 0x80, 0xbf),
        0xed => Quoted::Utf8(2, 0x80, 0x9f),
        0xf0 => Quoted::Utf8(3, 0x90, 0xbf),
        0xf1..=0xf3 => Quoted::Utf8(3, 0x80, 0xbf),
        0xf4 => Quoted::Utf8(3, 0x80, 0x8f),
        _ => return None,
    })
}

/// Returns the end of the digits that start at `at`.
#[inline]
fn digits(bytes: &[u8], at: usize) -> usize {
    first(bytes, at, |bytes| bytes.outside(b'0'..b':')).unwrap_or(bytes.len())
}

/// Returns the end of the characters from `at` on that are nothing special in a string: no quotes, backslashes, control
/// characters and bytes beyond ASCII.
fn characters(bytes: &[u8], at: usize) -> usize {
    let special = |bytes: Bytes<NARROW>| bytes.outside(b' '..0x80) | marks(bytes);
    first(bytes, at, special).unwrap_or(bytes.len())
}

/// Whether `byte` ends a complete number or literal.
#[inline]
pub(super) const fn ends(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']') || is_white(byte)
}
