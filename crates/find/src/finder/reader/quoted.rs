//! Whether almost JSON holds documents. What it quotes in single quotes, as other languages and shells do, are none.

use crate::document::Document;
use crate::finder::strings::in_single_quotes;
use crate::finder::{FindOptions, Finder, Parts};

/// Whether there is a document in a text, outside of strings in single quotes: what stands in these is quoted text.
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
    let mut visitor = |document: Document<'_>| found.push(document.position().offset as usize);
    Finder::read_text(options, text, &mut visitor);
    let mut quoted = in_single_quotes(text).peekable();
    found.iter().any(|at| {
        while quoted.next_if(|string| string.end <= *at).is_some() {}
        !quoted.peek().is_some_and(|string| string.contains(at))
    })
}
