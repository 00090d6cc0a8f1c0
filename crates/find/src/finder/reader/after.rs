//! What the text after a document says about it: whether it was closed too early.

use super::{Aside, between};
use crate::finder::strings::Strings;
use jsift_json::cost;

/// Why a document is broken that was closed too early.
pub(super) const MEMBER_FOLLOWS: &str = "a member follows the closing bracket";

/// How much text after a document is looked at, in bytes.
const LOOKED_AT: usize = 256;

/// Which text after a document may belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The rest of its line.
    Line,
    /// Also its next lines, and without a comma.
    Lines,
    /// As [`Lines`](Self::Lines), but no closing bracket stands between.
    Next,
}

/// Whether the text after a document goes on with a member of an object around it: closing brackets, a comma, a name in
/// quotation marks and a colon, as models write after a bracket too many. `None` if that needs more text.
pub(super) fn member_follows(after: &[u8], reach: Reach, last: bool) -> Option<bool> {
    let near = after.get(..LOOKED_AT).unwrap_or(after);
    let ends = |byte: &u8| reach == Reach::Line && matches!(byte, b'\n' | b'\r' | 0);
    let mut rest = near.split(ends).next().unwrap_or_default();
    let last = last || rest.len() < after.len();
    let mut parted = reach != Reach::Line;
    loop {
        rest = past_aside(rest, last)?;
        match rest {
            [] => return last.then_some(false),
            [b'}' | b']', ..] if reach == Reach::Next => return Some(false),
            [b'}' | b']', ..] => {}
            [b',', ..] => parted = true,
            [b'"', ..] if parted => return is_named(rest, last),
            _ => return Some(false),
        }
        cost::look_at(1);
        rest = rest.get(1..).unwrap_or_default();
    }
}

/// Returns a text without the blanks and colours that it begins with, line ends included. `None` if more text may
/// follow that decides.
fn past_aside(text: &[u8], last: bool) -> Option<&[u8]> {
    let mut rest = text;
    while !rest.is_empty() {
        match between(rest, last) {
            Aside::Read(length) => {
                cost::look_at(length);
                rest = rest.get(length..).unwrap_or_default();
            }
            Aside::Incomplete => return None,
            Aside::None => break,
        }
    }
    Some(rest)
}

/// Whether a document may be an element of an array whose start is missing: a comma follows it, or a closing bracket on
/// another line. More text than [`member_follows`] needs does not change that.
pub(super) fn may_be_element(after: &[u8], last: bool) -> bool {
    let near = after.get(..LOOKED_AT).unwrap_or(after);
    let rest = past_aside(near, last).unwrap_or_default();
    match rest.first() {
        Some(b',') => true,
        Some(b'}' | b']') => near
            .iter()
            .take(near.len() - rest.len())
            .any(|byte| *byte == b'\n'),
        _ => false,
    }
}

/// Whether a text begins with a string and a colon. `None` if that needs more text.
fn is_named(text: &[u8], last: bool) -> Option<bool> {
    let mut string = Strings::new();
    let ends = |&byte: &u8| {
        string.is_outside(byte);
        !string.is_open()
    };
    let end = text.iter().position(ends);
    cost::look_at(end.unwrap_or(text.len()));
    let rest = end.and_then(|end| text.get(end + 1..)).unwrap_or_default();
    match past_aside(rest, last)?.first() {
        None => last.then_some(false),
        Some(first) => Some(*first == b':'),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reach, may_be_element, member_follows};

    #[test]
    fn a_member_after_a_document_shows_that_it_was_closed_too_early() {
        for (after, in_line, in_fence) in [
            (r#", "a": 1}"#, true, true),
            (r#"}]  ,"a\"b" : 1"#, true, true),
            ("},\u{1b}[0m\"a\":1", true, true),
            ("},\n\"a\":1", false, true),
            ("}, \n \"a\":1", false, true),
            ("\n\"a\": 1", false, true),
            (r#" "a": 1"#, false, true),
            (r#", "a", 1"#, false, false),
            (", {\"a\":1}", false, false),
            ("} x, \"a\": 1", false, false),
            ("```", false, false),
        ] {
            let whole = [Reach::Line, Reach::Lines]
                .map(|reach| member_follows(after.as_bytes(), reach, true));
            assert_eq!(whole, [Some(in_line), Some(in_fence)], "{after}");
            for end in 0..after.len() {
                let cut = member_follows(&after.as_bytes()[..end], Reach::Line, false);
                assert!(cut.is_none_or(|cut| cut == in_line), "{after} up to {end}");
            }
        }
    }

    #[test]
    fn only_blanks_are_between_a_record_and_the_next_member() {
        for (after, follows) in [
            ("\n\"a\": 1", true),
            (" \"a\" : 1", true),
            ("\n]\n\"a\": 1", false),
            ("\n\"a\", 1", false),
        ] {
            let found = member_follows(after.as_bytes(), Reach::Next, true);
            assert_eq!(found, Some(follows), "{after}");
        }
    }

    #[test]
    fn a_comma_or_a_bracket_on_another_line_shows_an_element() {
        for (after, is_element) in [
            (",", true),
            ("\n  ]", true),
            (" \u{1b}[0m\n}", true),
            ("}", false),
            (" x,", false),
            ("", false),
        ] {
            assert_eq!(
                may_be_element(after.as_bytes(), true),
                is_element,
                "{after}"
            );
        }
    }
}
