//! Finds where values end.

use crate::brackets;
use crate::lanes::{self, WIDE};
use crate::quotes::Quotes;
use crate::string::string_end;

/// Returns the end of the value that begins at `start`.
#[inline(always)]
pub(super) fn value_end(text: &[u8], start: usize) -> Option<usize> {
    Some(match text.get(start)? {
        b'"' => string_end(text, start),
        b'{' | b'[' => bracket_end(text, start),
        b'}' | b']' | b',' | b':' => return None,
        _ => scalar_end(text, start),
    })
}

/// Returns the end of the number or word that begins at `start`.
fn scalar_end(text: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(ends).unwrap_or(rest.len())
}

/// Returns the end of the object or array that begins at `start`. In valid JSON the kinds of brackets need no
/// comparison.
fn bracket_end(text: &[u8], start: usize) -> usize {
    lanes::blockwise(
        #[inline(always)]
        |lanes| {
            let mut block = start;
            let mut depth = 0_usize;
            let mut quotes = Quotes::new();
            while let Some(rest) = text.get(block..).filter(|rest| !rest.is_empty()) {
                let last;
                let bytes = match rest.first_chunk() {
                    Some(bytes) => bytes,
                    None => {
                        last = lanes::filled_up(rest, b' ');
                        &last
                    }
                };
                let strings = quotes.next(bytes, lanes);
                let mut brackets = brackets(lanes.of(bytes)).bits() & !strings.inside;
                while brackets != 0 {
                    let at = block + brackets.trailing_zeros() as usize;
                    match text.get(at) {
                        Some(b'{' | b'[') => depth += 1,
                        _ if depth <= 1 => return at + 1,
                        _ => depth -= 1,
                    }
                    brackets &= brackets - 1;
                }
                block += WIDE;
            }
            text.len()
        },
    )
}
