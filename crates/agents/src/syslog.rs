//! What syslog writes before a message (RFC 5424).

use memchr::memmem;

/// Returns the text after the priority of a line, which is a level: `<13>`.
pub(crate) fn after_priority(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"<")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = rest.get(digits..)?.strip_prefix(b">");
    after.filter(|_| (1..=3).contains(&digits))
}

/// Returns the text after a header: `<34>1 TIME HOST NAME PROCESS MESSAGE [DATA] `, where each may be `-`.
pub(crate) fn after_header(line: &[u8]) -> Option<&[u8]> {
    let fields = after_priority(line)?.strip_prefix(b"1 ")?;
    let data = fields.splitn(6, |&byte| byte == b' ').nth(5)?;
    let end = memmem::rfind(data, b"] ").map(|at| at + 2);
    data.strip_prefix(b"- ")
        .or_else(|| data.get(end.filter(|_| data.starts_with(b"["))?..))
}

#[cfg(test)]
mod tests {
    use super::{after_header, after_priority};

    #[test]
    fn a_priority_has_three_digits_at_most() {
        for (line, after) in [
            ("<0>a", Some("a")),
            ("<165>1 x", Some("1 x")),
            ("<1653>1 x", None),
            ("<>a", None),
            ("<13", None),
            ("13>a", None),
        ] {
            assert_eq!(
                after_priority(line.as_bytes()),
                after.map(str::as_bytes),
                "{line}"
            );
        }
    }

    #[test]
    fn a_header_ends_with_its_data() {
        for (line, after) in [
            (
                "<34>1 2026-01-02T03:04:05Z host app 12 - - text",
                Some("text"),
            ),
            ("<34>1 - - - - - [id a=\"b\"][c] text", Some("text")),
            ("<34>1 - - - - - text", None),
            ("<34>1 - - - -", None),
            ("<34>2 - - - - - - text", None),
        ] {
            assert_eq!(
                after_header(line.as_bytes()),
                after.map(str::as_bytes),
                "{line}"
            );
        }
    }
}
