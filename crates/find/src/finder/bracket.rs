//! What stands around an opening bracket. The next byte is enough to reject most brackets in noise.

use super::strings::outside_strings;
use jsift_json::terminal::ESCAPE;

/// What opens a CDATA section. Its last bracket is XML's, and so are those that close the section: they do not make an
/// array of a document between them.
pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// How many blanks after a bracket are skipped: most brackets in noise are followed by at most one.
const BLANKS: usize = 3;

/// Returns whether `after` can continue a document that `bracket` opened, as far as the first byte after the blanks
/// shows. Terminal sequences may stand anywhere.
#[inline(always)]
pub(super) fn may_continue(bracket: u8, after: &[u8]) -> bool {
    let mut rest = after;
    for _ in 0..BLANKS {
        match rest {
            [b' ' | b'\t', after @ ..] => rest = after,
            _ => break,
        }
    }
    match rest.first() {
        None => true,
        // After a blank, this byte may be the side of a box.
        Some(b'|' | 0x80..) => matches!(after, [b' ' | b'\t', ..]),
        Some(&next) => follows(bracket, next),
    }
}

/// Whether the text before a bracket announces a document: it ends with a sign that a value or inline code follows, or
/// with a dash after a blank, as loggers put between the fields of a line. After the arrow of a function its block
/// follows.
pub(super) const fn announces(left: &[u8]) -> bool {
    match left {
        [.., b')', b'=', b'>'] | [.., b')', b' ', b'=', b'>'] => false,
        [.., b':' | b'=' | b'(' | b'[' | b',' | b'>' | b'|' | b'`'] => true,
        // A fullwidth colon.
        [.., 0xef, 0xbc, 0x9a] | [.., b' ' | b'\t', b'-'] => true,
        _ => false,
    }
}

/// Returns the index of the first bracket that nothing on the line closes. Brackets in strings do not count.
pub(super) fn left_open(line: &[u8]) -> Option<usize> {
    let (mut depth, mut outermost) = (0_usize, None);
    outside_strings(line, |at, byte| {
        match byte {
            b'{' | b'[' => {
                outermost = outermost.or(Some(at));
                depth += 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        outermost = outermost.filter(|_| depth > 0);
    });
    outermost
}

/// Returns whether a byte can follow an opening bracket in a document.
#[inline(always)]
const fn follows(bracket: u8, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => bracket == b'{',
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => bracket == b'[',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::left_open;

    #[test]
    fn what_is_open_at_the_end_of_a_line_is_not_closed_in_a_string() {
        for (line, open) in [
            ("{'name': '}',", Some(0)),
            (r#"a {"b": "}","#, Some(2)),
            ("[1] {a: [2]", Some(4)),
            ("it's {a} and [b]", None),
        ] {
            assert_eq!(left_open(line.as_bytes()), open, "{line}");
        }
    }
}
