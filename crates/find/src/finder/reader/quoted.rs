//! Whether almost JSON holds documents.

use crate::document::Document;
use crate::finder::strings::in_single_quotes;
use crate::finder::{FindOptions, Finder, Parts};

/// Whether there is a document in a text that starts with the bracket of almost JSON. In a list of strings in single quotes
/// (`ERROR: ['{"a": 1}']`) these are texts of their own, in which documents are no parts; what other almost JSON quotes is the value
/// of a member.
pub(super) fn holds_document(text: &[u8], options: &FindOptions) -> bool {
    let mut found = Vec::new();
    let options = FindOptions {
        string: false,
        whole: false,
        fence: false,
        prefixes: false,
        parts: Parts::Counted,
        ..options.clone()
    };
    let (bracket, inside) = text.split_first().unwrap_or((&b'{', b""));
    let mut visitor = |document: Document<'_>| found.push(document.position().offset as usize);
    Finder::read_text(options, inside, &mut visitor);
    if *bracket != b'[' || !inside.trim_ascii_start().starts_with(b"'") {
        return !found.is_empty();
    }
    let mut quoted = in_single_quotes(inside).peekable();
    found.iter().any(|at| {
        while quoted.next_if(|string| string.end <= *at).is_some() {}
        !quoted.peek().is_some_and(|string| string.contains(at))
    })
}
