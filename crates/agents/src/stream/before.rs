//! What precedes the first document of a source. After the head of an HTTP response, as `curl -i` prints it, the body
//! is all that the source contains.

/// The text before a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TextBefore {
    /// There is none.
    #[default]
    Nothing,
    /// It is the head of a response.
    Head,
    /// It is anything else.
    Other,
}

impl TextBefore {
    /// Adds a line that is not blank.
    pub(super) fn add(&mut self, line: &[u8]) {
        let is_status = || line.starts_with(b"HTTP/");
        *self = match self {
            Self::Nothing if is_status() => Self::Head,
            // Other heads may come first: of a proxy, or one that only says to go on.
            Self::Head if is_status() || is_field(line) => Self::Head,
            _ => Self::Other,
        };
    }
}

/// Whether a line is a field of a head: `content-type: application/json`.
fn is_field(line: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let name = line.iter().take_while(|byte| is_of_name(byte)).count();
    name > 0 && line.get(name) == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::TextBefore;

    #[test]
    fn heads_of_responses_are_nothing_but_their_lines() {
        for (lines, expected) in [
            ("", TextBefore::Nothing),
            (
                "HTTP/2 200 \r\ncontent-type: application/json\r\n",
                TextBefore::Head,
            ),
            (
                "HTTP/1.1 100 Continue\nHTTP/1.1 200 OK\nServer: uvicorn",
                TextBefore::Head,
            ),
            ("Server: uvicorn", TextBefore::Other),
            ("HTTP/1.1 200 OK\nthe answer:", TextBefore::Other),
        ] {
            let mut before = TextBefore::default();
            lines.lines().for_each(|line| before.add(line.as_bytes()));
            assert_eq!(before, expected, "{lines}");
        }
    }
}
