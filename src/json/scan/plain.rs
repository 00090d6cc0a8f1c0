//! What the scanner passes over many bytes at a time when it reads byte by byte.

use crate::json::is_white;
use crate::json::string::marks;
use crate::lanes::{self, WIDE};

/// Returns the end of the JSON white space that starts at `at`.
#[inline]
pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, is_white)
}

/// Returns the end of the digits that start at `at`.
#[inline]
pub(super) fn digits(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, |byte| byte.is_ascii_digit())
}

/// Returns the end of the bytes from `at` on that belong together.
#[inline(always)]
fn run(bytes: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| belongs(**byte)).count()
}

/// Returns the end of the characters from `at` on that are nothing special in a string: no quotes, backslashes, control
/// characters and bytes beyond ASCII.
pub(super) fn characters(bytes: &[u8], at: usize) -> usize {
    let is_plain = |byte: u8| (byte as i8 >= 0x20) & (byte != b'"') & (byte != b'\\');
    let (blocks, _) = bytes.get(at..).unwrap_or_default().as_chunks::<WIDE>();
    let passed = lanes::blockwise(
        #[inline(always)]
        |lanes| {
            for (passed, block) in blocks.iter().enumerate() {
                let bytes = lanes.of(block);
                if (bytes.outside(b' '..0x80) | marks(bytes)).bits() != 0 {
                    return passed;
                }
            }
            blocks.len()
        },
    );
    run(bytes, at + passed * WIDE, is_plain)
}

/// Whether `byte` ends a complete number or literal.
#[inline]
pub(super) const fn ends(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']') || is_white(byte)
}
