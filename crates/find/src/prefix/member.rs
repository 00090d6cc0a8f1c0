//! Whether the text before an opening belongs to the document around it and not to a prefix: a name, an element, a
//! string.

use super::left::after_colours;
use super::stamp::is_blank;
use crate::finder::literal_names::json_for;

/// Returns what is before the colon or arrow at the end of a text (`  tags:`, `'tags' =>`); `None` if there is neither.
fn before_colon(left: &[u8]) -> Option<&[u8]> {
    let text = left.trim_ascii_start();
    let signs = [b":".as_slice(), b"=>"];
    let name = signs.iter().find_map(|sign| text.strip_suffix(*sign))?;
    Some(name.trim_ascii_end())
}

/// Whether a text may end with the name of a member: in quotes (`'tags': [`, `app | "tags" => [`), or without them
/// after nothing but an indent (`  tags: [`). Some programs put such a name before each line (`Step #0 - "build": {`).
pub(super) fn is_name(left: &[u8]) -> bool {
    let left = after_colours(left);
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    match before_colon(left) {
        Some([before @ .., quote @ (b'"' | b'\'' | b'`')]) => before.contains(quote),
        Some(name) => {
            let is_indented = left.first().is_some_and(is_blank);
            let starts = !name.first().is_some_and(u8::is_ascii_digit);
            is_indented && starts && name.iter().all(part)
        }
        None => false,
    }
}

/// Whether a text ends inside a string that begins it or follows a blank, as other lines with strings do
/// (`"\n{", "a"`, `app | "a": "{`).
pub(crate) fn is_in_string(left: &[u8]) -> bool {
    let is_mark = |at: &usize| !left.get(..*at).is_some_and(|left| left.ends_with(b"\\"));
    let marks = memchr::memchr_iter(b'"', left).filter(is_mark);
    let opening = marks.enumerate().last();
    opening.is_some_and(|(before, at)| {
        let before_it = left.get(..at).and_then(<[u8]>::last);
        before % 2 == 0 && before_it.is_none_or(u8::is_ascii_whitespace)
    })
}

/// Whether a text ends with a comma that stands apart, or is an empty array or object, or an element and the comma
/// after it, or begins with a number or literal and a comma or closing bracket (`true, "b": {`), except a line of CSV
/// (`1,a`): other lines may begin with the same element.
pub(super) fn is_element(left: &[u8]) -> bool {
    let text = left.trim_ascii();
    if matches!(
        text,
        b"[]" | b"{}" | b"[]," | b"{}," | b"," | [.., b' ' | b'\t', b',']
    ) {
        return true;
    }
    let parts = |byte: &u8| b",]}".contains(byte);
    let end = text.iter().position(parts).unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, b""));
    let first = first.trim_ascii_end();
    let is = |part: fn(&u8) -> bool| !first.is_empty() && first.iter().all(part);
    let is_scalar =
        is(|byte| byte.is_ascii_digit() || b"+-.".contains(byte)) || json_for(first).is_some();
    match (rest, first) {
        ([], _) => false,
        ([b','], [quote @ (b'"' | b'\''), .., last]) => quote == last,
        ([b','], _) => is(u8::is_ascii_alphanumeric) || is_scalar,
        ([_, next, ..], _) if !is_blank(next) && !parts(next) => false,
        _ => is_scalar,
    }
}
