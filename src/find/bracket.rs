//! What can stand behind an opening bracket: most brackets of noise are told from those of documents by the next byte.

use memchr::memchr2;

use crate::input::terminal::ESCAPE;

/// How many blanks behind a bracket are looked over: most noise has one.
const BLANKS: usize = 3;

/// Whether a document can go on with `behind` when `bracket` was opened, as far as the first byte tells that is no
/// blank, if there is one. Terminal sequences may stand anywhere.
#[inline(always)]
pub(super) fn goes_on(bracket: u8, mut behind: &[u8]) -> bool {
    for _ in 0..BLANKS {
        match behind {
            [b' ' | b'\t', rest @ ..] => behind = rest,
            _ => break,
        }
    }
    behind.first().is_none_or(|&next| follows(bracket, next))
}

/// Whether a document can go on with `line` on the lines behind that on which `bracket` was opened: the same, and no string
/// goes on behind its line.
pub(super) fn line_goes_on(bracket: u8, line: &[u8]) -> bool {
    let closed = || match line.trim_ascii_start() {
        [b'"', string @ .., b'\n'] => memchr2(b'"', ESCAPE, string).is_some(),
        _ => true,
    };
    goes_on(bracket, line) && closed()
}

/// Whether a byte can stand behind an opening bracket in a document.
#[inline(always)]
const fn follows(bracket: u8, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => bracket == b'{',
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => bracket == b'[',
        _ => false,
    }
}
