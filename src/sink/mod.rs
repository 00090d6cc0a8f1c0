//! Writers: documents, events and sessions in, bytes out. A sink is told what it writes to and never asks; it knows no
//! dialect.

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
pub mod summary_text;
#[cfg(feature = "cli")]
pub mod text;

/// A text in two: as many whole characters as fit into so many bytes, and the rest.
pub(crate) fn split_at_most(text: &str, bytes: usize) -> (&str, &str) {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// How many things of these widths fit into so much room, one beside the other.
pub(crate) fn fitting(mut widths: impl Iterator<Item = usize>, mut room: usize) -> usize {
    let mut count = 0;
    while let Some(left) = widths.next().and_then(|width| room.checked_sub(width)) {
        room = left;
        count += 1;
    }
    count
}

/// How many bytes there are before the first that is not of a sort.
pub(crate) fn run_of(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    const CHUNK: usize = 16;
    // Without a way out of the inner loop, all of a chunk is looked at in a few instructions.
    let is_chunk = |chunk: &&[u8; CHUNK]| chunk.iter().fold(true, |all, &byte| all & is(byte));
    let (chunks, _) = bytes.as_chunks();
    let passed = CHUNK * chunks.iter().take_while(is_chunk).count();
    let rest = bytes.get(passed..).unwrap_or_default();
    passed + rest.iter().take_while(|byte| is(**byte)).count()
}
