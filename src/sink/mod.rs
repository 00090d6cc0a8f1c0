//! Writers: documents, events and sessions in, bytes out. A sink is told what it writes to and never asks; it knows no
//! dialect.

pub mod github;
pub mod markdown;
pub mod ndjson;
pub mod report;
pub mod response;
pub mod sanitize;
pub mod summary_text;
pub mod text;

/// A text in two: as many whole characters as fit into so many bytes, and the rest.
pub(crate) fn split_at_most(text: &str, bytes: usize) -> (&str, &str) {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}
