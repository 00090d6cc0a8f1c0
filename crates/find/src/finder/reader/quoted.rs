//! Which documents almost JSON holds.

use crate::document::{Document, Rank};
use crate::finder::almost_json::begins_escaped;
use crate::finder::strings::in_single_quotes;
use crate::finder::{FindOptions, Finder, Parts};

/// Returns whether a document in a text that starts with the bracket of almost JSON has a member or element; `None` if
/// there is no document. In an escaped text, which is a string of a log, a flat array is as weak as an empty one. In a
/// list of strings in single quotes (`ERROR: ['{"a": 1}']`) these are texts of their own, in which documents are no
/// parts; what other almost JSON quotes is the value of a member.
pub(super) fn held_document(text: &[u8], options: &FindOptions) -> Option<bool> {
    let mut found = Vec::new();
    let options = FindOptions {
        fence: false,
        prefixes: false,
        parts: Parts::Counted,
        ..options.of_part()
    };
    let (bracket, inside) = text.split_first()?;
    let is_escaped = begins_escaped(inside);
    let mut visitor = |document: Document<'_>| {
        let blank = |byte: &u8| byte.is_ascii_whitespace() || b"{}[]".contains(byte);
        let is_empty = is_escaped || document.text.iter().all(blank);
        let is_weak = document.rank == Rank::Weak && is_empty;
        found.push((document.position().offset as usize, is_weak));
    };
    Finder::read_text(options, inside, &mut visitor);
    let is_list = *bracket == b'[' && inside.trim_ascii_start().starts_with(b"'");
    let mut quoted = in_single_quotes(inside).take_while(|_| is_list).peekable();
    found.retain(|(at, _)| {
        while quoted.next_if(|string| string.end <= *at).is_some() {}
        !quoted.peek().is_some_and(|string| string.contains(at))
    });
    let filled = found.iter().any(|(_, is_weak)| !is_weak);
    (!found.is_empty()).then_some(filled)
}
