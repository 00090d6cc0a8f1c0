//! Whether almost JSON holds documents. What it quotes in single quotes, as other languages and shells do, are none.

use std::ops::Range;

use crate::document::Document;
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
    let mut quoted = quoted(text).peekable();
    found.iter().any(|at| {
        while quoted.next_if(|string| string.end <= *at).is_some() {}
        !quoted.peek().is_some_and(|string| string.contains(at))
    })
}

/// Returns the strings in single quotes that begin where a value or a name may, up to their ends.
fn quoted(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begins = |quote: usize| {
            let before = text.get(..quote).unwrap_or_default().trim_ascii_end();
            before.last().is_none_or(|byte| b"[{(,:=".contains(byte))
        };
        let ends = |quote: usize| {
            let next = text.get(quote + 1..).unwrap_or_default().trim_ascii_start();
            let escaped = text.get(..quote).is_some_and(|text| text.ends_with(b"\\"));
            !escaped && next.first().is_none_or(|byte| b"]}),:".contains(byte))
        };
        let mut quotes = memchr::memchr_iter(b'\'', text.get(at..)?).map(|quote| at + quote);
        let start = quotes.find(|&quote| begins(quote))?;
        let end = quotes.find(|&quote| ends(quote)).unwrap_or(text.len());
        at = end + 1;
        Some(start..end)
    })
}
