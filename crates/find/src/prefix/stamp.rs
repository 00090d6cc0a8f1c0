//! Time stamps in a left text: which of its bytes may differ on the next line.

use super::left::after_colours;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};

/// What may change in a prefix from one line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Nothing changes.
    Nothing,
    /// Time stamps change.
    Stamps,
    /// Digits change.
    Digits,
}

/// How one byte of a left text may change from line to line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Any other byte, which never changes.
    Literal,
    /// A digit of a time stamp.
    Stamp,
    /// The point or comma between the seconds of a time stamp and their fraction.
    Point,
    /// A blank before a time stamp, which a digit of a longer time stamp may replace.
    Padding,
    /// Any other digit.
    Digit,
    /// A space or a tab.
    Blank,
    /// A `-` or `:` on both sides of a number, or after one that begins the text: grep puts the one or the other around
    /// the numbers of the lines (`a.json:2:`, and `a.json-3-` next to a match).
    Separator,
}

impl Class {
    /// Whether a byte of this class may be another byte of the class.
    pub(crate) const fn is_free(self, change: Change) -> bool {
        match self {
            Self::Stamp | Self::Point | Self::Padding => !matches!(change, Change::Nothing),
            Self::Digit | Self::Blank | Self::Separator => matches!(change, Change::Digits),
            Self::Literal => false,
        }
    }
}

/// Whether a byte is a space or a tab.
pub const fn is_blank(byte: &u8) -> bool {
    matches!(*byte, b' ' | b'\t')
}

/// Classifies the bytes of a left text: digits of a time stamp, other digits, blanks, separators around numbers, or
/// literal bytes, as all are of which a terminal sequence consists.
///
/// A time stamp is a run of digits and `:./,+-TZ` that holds a clock (`9:05`), a date (`2026-01-02`, `26/01/02`), a
/// fraction of three places or more (`[   12.345678]`), or ten digits in a row (an epoch), and is no address.
pub fn classify(left: &[u8]) -> Vec<Class> {
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => Class::Digit,
        _ if is_blank(byte) => Class::Blank,
        _ => Class::Literal,
    };
    let mut classes: Vec<_> = left.iter().map(class).collect();
    for escape in memchr::memchr_iter(ESCAPE, left) {
        let sequence = sequence_at_end(left.get(escape..).unwrap_or_default());
        if let Sequence::Delete(length) | Sequence::LineEnd(length) = sequence {
            let sequence = classes.iter_mut().skip(escape).take(length);
            sequence.for_each(|class| *class = Class::Literal);
        }
    }
    let mut at = 0;
    while at < left.len() {
        let run = left
            .iter()
            .skip(at)
            .position(|&byte| !is_stamp_part(byte))
            .map_or(left.len(), |length| at + length);
        if is_stamp(left.get(at..run).unwrap_or_default()) {
            let before = classes.iter_mut().take(at).rev();
            for blank in before.take_while(|class| **class == Class::Blank) {
                *blank = Class::Padding;
            }
            for (at, class) in classes.iter_mut().enumerate().take(run).skip(at) {
                if *class == Class::Digit {
                    *class = Class::Stamp;
                } else if ends_clock(left, at)
                    && left.get(at..).is_some_and(|rest| fraction(rest) > 0)
                {
                    *class = Class::Point;
                }
            }
        }
        at = run + 1;
    }
    separate(left, &mut classes);
    classes
}

/// Sets the class of the [separators](Class::Separator) around numbers.
fn separate(left: &[u8], classes: &mut [Class]) {
    for at in memchr::memchr2_iter(b'-', b':', left) {
        let number = classes.iter().take(at).rev();
        let length = number.take_while(|class| **class == Class::Digit).count();
        let text = left.get(..at - length).unwrap_or_default();
        let is_first = after_colours(text).is_empty();
        if length == 0 || !is_first && text.last() != left.get(at) {
            continue;
        }
        let before = text.len().checked_sub(1).filter(|_| !is_first);
        for place in before.into_iter().chain([at]) {
            if let Some(class) = classes.get_mut(place) {
                *class = Class::Separator;
            }
        }
    }
}

/// Whether a byte may be on either side of a number: see [`Class::Separator`].
pub(crate) const fn is_separator(byte: &u8) -> bool {
    matches!(*byte, b'-' | b':')
}

/// Whether a byte may be part of a time stamp.
pub const fn is_stamp_part(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'/' | b',' | b'+' | b'-' | b'T' | b'Z')
}

/// Whether a text begins with a time stamp.
pub(crate) fn begins_with_stamp(text: &[u8]) -> bool {
    let run = text.iter().take_while(|byte| is_stamp_part(**byte)).count();
    text.get(..run).is_some_and(is_stamp)
}

/// Whether the hours, minutes and seconds of a clock (`9:05:07`) end at `at`.
pub(super) fn ends_clock(left: &[u8], at: usize) -> bool {
    let clock = at.checked_sub(7).and_then(|from| left.get(from..at));
    let digit = u8::is_ascii_digit;
    matches!(clock, Some([h, b':', m, n, b':', s, t]) if [h, m, n, s, t].into_iter().all(digit))
}

/// Returns the length of the fraction that `text` begins with, its point or comma included; 0 if none.
pub(super) fn fraction(text: &[u8]) -> usize {
    let [b'.' | b',', digits @ ..] = text else {
        return 0;
    };
    match digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
    {
        0 => 0,
        digits => 1 + digits,
    }
}

/// Whether a run of [time stamp bytes](is_stamp_part) is a time stamp.
pub fn is_stamp(run: &[u8]) -> bool {
    if is_seconds(run) {
        return true;
    }
    if is_address(run) {
        return false;
    }
    let digit = |at: usize| run.get(at).is_some_and(u8::is_ascii_digit);
    let mut dashes = 0;
    let mut digits = 0;
    for (at, byte) in run.iter().enumerate() {
        if byte.is_ascii_digit() {
            digits += 1;
            if digits >= 10 {
                return true;
            }
            continue;
        }
        digits = 0;
        let between = at > 0 && digit(at - 1) && digit(at + 1);
        match byte {
            b':' if between && digit(at + 2) => return true,
            b'.' if between && digit(at + 2) && digit(at + 3) => return true,
            b'-' | b'/' if between => {
                dashes += 1;
                if dashes == 2 {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a text is an address of the Internet, with or without a port: `10.0.0.1`, `10.0.0.1:8080`.
pub fn is_address(text: &[u8]) -> bool {
    let text = text.strip_suffix(b":").unwrap_or(text);
    let (host, port) = match memchr::memchr(b':', text) {
        Some(colon) => text.split_at(colon),
        None => (text, &b":"[..]),
    };
    let is_number = |part: &[u8], most: usize| {
        (1..=most).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
    };
    let mut parts = host.split(|byte| *byte == b'.');
    host.iter().filter(|byte| **byte == b'.').count() == 3
        && parts.all(|part| is_number(part, 3))
        && (port == b":" || is_number(port.get(1..).unwrap_or_default(), 5))
}

/// Whether a run is a number of seconds with four digits in all: `9.876`, `12.06`, `100.5` (BuildKit).
fn is_seconds(run: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mut parts = run.splitn(2, |&byte| byte == b'.');
    run.len() == 5 && run.contains(&b'.') && parts.all(digits)
}
