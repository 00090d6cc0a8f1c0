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
        let length = match rest {
            [] => return last.then_some(false),
            [b'}' | b']', ..] if reach == Reach::Next => return Some(false),
            [b'}' | b']', ..] => 1,
            [b',', ..] => {
                parted = true;
                1
            }
            [b'"', ..] if parted => return is_named(rest, last),
            _ => match between(rest, last) {
                Aside::Read(length) => length,
                Aside::Incomplete => return None,
                Aside::None => return Some(false),
            },
        };
        cost::look_at(length);
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// Whether a document may be an element of an array whose start is missing: a comma follows it, or a closing bracket on another
/// line. More text than [`member_follows`] needs does not change that.
pub(super) fn may_be_element(after: &[u8], last: bool) -> bool {
    let near = after.get(..LOOKED_AT).unwrap_or(after);
    let mut rest = near;
    loop {
        let length = match rest {
            [b',', ..] => return true,
            [b'}' | b']', ..] => {
                let blanks = near.get(..near.len() - rest.len());
                return blanks.is_some_and(|blanks| blanks.contains(&b'\n'));
            }
            [] => return false,
            _ => match between(rest, last) {
                Aside::Read(length) => length,
                Aside::Incomplete | Aside::None => return false,
            },
        };
        cost::look_at(length);
        rest = rest.get(length..).unwrap_or_default();
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
    let mut rest = end.map_or(&[][..], |end| text.get(end + 1..).unwrap_or_default());
    loop {
        rest = match rest.first() {
            None => return last.then_some(false),
            Some(b':') => return Some(true),
            Some(_) => match between(rest, last) {
                Aside::Read(length) => rest.get(length..).unwrap_or_default(),
                Aside::Incomplete => return None,
                Aside::None => return Some(false),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Reach, member_follows};

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
}
