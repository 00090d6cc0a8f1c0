//! What can stand behind an opening bracket: most brackets of noise are told from those of documents by the next byte.

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
    let wanted = if bracket == b'{' { OBJECT } else { ARRAY };
    behind.first().is_none_or(|&next| {
        let brackets = BEHIND.get(usize::from(next));
        brackets.is_some_and(|brackets| brackets & wanted != 0)
    })
}

const OBJECT: u8 = 1;
const ARRAY: u8 = 2;

/// For each byte, behind which brackets it can stand in a document.
static BEHIND: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => OBJECT | ARRAY,
            b'}' => OBJECT,
            b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => ARRAY,
            _ => 0,
        };
        byte += 1;
    }
    table
};
