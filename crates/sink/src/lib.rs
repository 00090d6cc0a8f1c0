//! Writers: they turn documents, events and sessions into bytes. A sink is given the properties of its output and never
//! asks for them; it knows no dialect.

pub mod diagnostic;
#[cfg(feature = "cli")]
pub mod github;
#[cfg(feature = "html")]
pub mod html;
#[cfg(feature = "cli")]
pub mod markdown;
pub mod ndjson;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod response;
pub mod sanitize;
#[cfg(feature = "cli")]
pub mod session_table;
#[cfg(feature = "cli")]
pub mod summary_text;
#[cfg(feature = "cli")]
pub mod text;

/// Splits a text after as many whole characters as fit into `bytes` bytes.
#[cfg(feature = "cli")]
pub(crate) fn split_at_most(text: &str, bytes: usize) -> (&str, &str) {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Returns how many things of these widths fit next to each other into `room`.
pub(crate) fn fitting(mut widths: impl Iterator<Item = usize>, mut room: usize) -> usize {
    let mut count = 0;
    while let Some(left) = widths.next().and_then(|width| room.checked_sub(width)) {
        room = left;
        count += 1;
    }
    count
}

/// Returns whether a byte is an ASCII character that is printed, or a blank.
pub(crate) const fn is_printed(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Returns the number of bytes before the first one that `is` rejects.
pub(crate) fn run_of(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    const CHUNK: usize = 16;
    // Without an early exit from the inner loop, a whole chunk is checked in a few instructions.
    let is_chunk = |chunk: &&[u8; CHUNK]| chunk.iter().fold(true, |all, &byte| all & is(byte));
    let (chunks, _) = bytes.as_chunks();
    let passed = CHUNK * chunks.iter().take_while(is_chunk).count();
    let rest = bytes.get(passed..).unwrap_or_default();
    passed + rest.iter().take_while(|byte| is(**byte)).count()
}
