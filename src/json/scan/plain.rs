//! What the scanner reads many bytes at a time: blanks, digits and the characters of strings. What the end of the bytes
//! cuts is left to be read byte by byte.

use crate::json::is_white;
use crate::lanes::{self, Lanes};

/// Returns the end of the JSON white space that starts at `at`.
#[inline]
pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, is_white)
}

/// Returns the end of the string whose first character is at `at`: the position of its closing quote, of a byte that
/// has to be read byte by byte, or the end of `bytes`.
#[inline(always)]
pub(super) fn string(bytes: &[u8], at: usize) -> usize {
    // Most names and many values are short.
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = Lanes::PLAIN.which::<{ lanes::NARROW }>(chunk, is_special);
        let length = found.trailing_zeros() as usize;
        if chunk.get(length) == Some(&b'"') {
            return at + length;
        }
    }
    characters(bytes, at)
}

/// Returns the end of the characters of a string that start at `at`, including valid escapes and valid UTF-8. A
/// character that is cut by the end of `bytes` is left to be read byte by byte.
pub(super) fn characters(bytes: &[u8], mut at: usize) -> usize {
    'blocks: loop {
        let (blocks, _) = bytes.get(at..).unwrap_or_default().as_chunks();
        let (passed, mut found) = first_special(blocks);
        at += passed * lanes::WIDE;
        if found == 0 {
            break;
        }
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            let length = match bytes.get(at + place) {
                Some(b'"') => return at + place,
                _ => special(bytes, at + place),
            };
            if length == 0 {
                return at + place;
            }
            if place + length >= lanes::WIDE {
                at += place + length;
                continue 'blocks;
            }
            found &= u64::MAX << (place + length);
        }
        at += lanes::WIDE;
    }
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' '..=b'!' | b'#'..=b'[' | b']'..=0x7f => at += 1,
            _ => match special(bytes, at) {
                0 => break,
                length => at += length,
            },
        }
    }
    at
}

/// Returns how many blocks contain nothing special, and which bytes of the block after them are special.
fn first_special(blocks: &[[u8; lanes::WIDE]]) -> (usize, u64) {
    lanes::blockwise(
        #[inline(always)]
        |lanes| {
            for (passed, block) in blocks.iter().enumerate() {
                let found = lanes.which(block, is_special);
                if found != 0 {
                    return (passed, found);
                }
            }
            (blocks.len(), 0)
        },
    )
}

/// Whether a byte is not a plain character of a string: quotes, backslashes, control characters and bytes beyond ASCII.
#[inline(always)]
const fn is_special(byte: u8) -> bool {
    ((byte as i8) < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Whether a byte after a backslash makes an escape of two bytes.
#[inline]
pub(super) const fn is_simple(byte: &u8) -> bool {
    matches!(
        *byte,
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'
    )
}

/// Returns the length of the escape or of the characters beyond ASCII that start at `at`; 0 if there are none.
#[inline]
pub(super) fn special(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest {
        [b'\\', next, ..] if is_simple(next) => 2,
        [b'\\', b'u', hex @ ..] => match hex.first_chunk::<4>() {
            Some(hex) if hex.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => 0,
        },
        [(0x80..=0xff), ..] => beyond_ascii(rest),
        _ => 0,
    }
}

/// Returns the length of the characters beyond ASCII at the start of `bytes`, up to about half a block.
fn beyond_ascii(bytes: &[u8]) -> usize {
    let mut length = 0;
    while length < lanes::WIDE / 2 {
        match character_at(bytes, length) {
            0 => break,
            bytes => length += bytes,
        }
    }
    length
}

/// Returns the length of the character beyond ASCII that starts at `at`; 0 if there is none.
#[inline]
pub(super) fn character_at(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let four = rest
        .first_chunk()
        .copied()
        .unwrap_or_else(|| std::array::from_fn(|at| rest.get(at).copied().unwrap_or_default()));
    character(u32::from_le_bytes(four))
}

/// Returns the length of the character beyond ASCII at the start of four bytes, the first of which is the lowest; 0 if
/// there is none (RFC 3629, section 4).
pub(super) const fn character(bytes: u32) -> usize {
    // The bits that distinguish first bytes from continuation bytes, and those that are all zero in an overlong form.
    if bytes & 0xc0e0 == 0x80c0 && bytes & 0x1e != 0 {
        2
    } else if bytes & 0x00c0_c0f0 == 0x0080_80e0 {
        match bytes & 0x200f {
            // Overlong, or half of a surrogate pair.
            0 | 0x200d => 0,
            _ => 3,
        }
    } else if bytes & 0xc0c0_c0f8 == 0x8080_80f0 {
        match bytes & 0x3007 {
            // Overlong, or beyond U+10FFFF.
            0 => 0,
            high if high & 7 > 4 || high & 7 == 4 && high != 4 => 0,
            _ => 4,
        }
    } else {
        0
    }
}

/// Returns how many times a byte is repeated at the start of `bytes`.
pub(super) fn repeated(bytes: &[u8], byte: u8) -> usize {
    run(bytes, 0, |each| each == byte)
}

/// Returns the end of the digits that start at `at`.
#[inline]
pub(super) fn digits(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, |byte| byte.is_ascii_digit())
}

/// Returns the end of the run of bytes that belong together and start at `at`.
#[inline(always)]
fn run(bytes: &[u8], mut at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    while let Some(chunk) = bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk::<{ lanes::NARROW }>)
    {
        let found = Lanes::PLAIN.which(chunk, |byte| !belongs(byte));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += lanes::NARROW;
    }
    let tail = bytes.get(at..).unwrap_or_default();
    at + tail
        .iter()
        .position(|&byte| !belongs(byte))
        .unwrap_or(tail.len())
}

/// Returns the end of the number that starts at `at`, if it is well-formed and followed by a comma, a bracket or a
/// blank.
pub(super) fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let first = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = digits(bytes, first);
    if end == first || (bytes.get(first) == Some(&b'0') && end > first + 1) {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits(bytes, fraction);
        if end == fraction {
            return None;
        }
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let power = end + 1 + usize::from(signed);
        end = digits(bytes, power);
        if end == power {
            return None;
        }
    }
    ends(*bytes.get(end)?).then_some(end)
}

/// Whether `byte` ends a complete number or literal.
#[inline]
pub(super) const fn ends(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')
}
