//! The data stream of the AI SDK before version 5: each line starts with a letter that says what its JSON is:
//! `0:"text"`, `9:{"toolCallId","toolName","args"}`, `a:{"toolCallId","result"}`, `3:"error"`, and at the end
//! `d:{"finishReason","usage"}` (from its documentation).
//!
//! The lines are read like events that have the letter's meaning as their name.

use std::borrow::Cow;

use jsift_json::is_json;
use jsift_json::scan::clean;

/// The letters and what they mean, in the words of the events of version 5.
const PARTS: [(u8, &str); 8] = [
    (b'0', "text-delta"),
    (b'g', "reasoning-delta"),
    (b'3', "error"),
    (b'f', "start-step"),
    (b'9', "tool-call"),
    (b'a', "tool-result"),
    (b'e', "finish-step"),
    (b'd', "finish"),
];

/// Returns the name of the event whose data stand after `left`, which ends with a letter and a colon. The line may be
/// coloured.
pub(super) fn event(left: &[u8]) -> Option<&'static str> {
    let left = clean(left);
    let (letter, before) = left.strip_suffix(b":")?.split_last()?;
    let alone = before.last().is_none_or(|byte| *byte == b' ');
    let part = PARTS.iter().find(|(own, _)| own == letter);
    part.filter(|_| alone).map(|(_, name)| *name)
}

/// Whether a document after `left` is one of these lines, whatever the others are.
pub(super) fn starts(left: &[u8], document: &[u8]) -> bool {
    let names = [r#"{"toolCallId":"#, r#"{"messageId":"#];
    names
        .iter()
        .any(|name| document.starts_with(name.as_bytes()))
        && event(left).is_some()
}

/// Returns the name of the event and the JSON string in a line of text.
pub(super) fn text(line: &[u8]) -> Option<(&'static str, Cow<'_, [u8]>)> {
    let line = line.trim_ascii_end();
    let at = memchr::memchr(b'"', line)?;
    let (left, json) = line.split_at_checked(at)?;
    let (name, json) = (event(left)?, clean(json));
    is_json(&json).then_some((name, json))
}

#[cfg(test)]
mod tests {
    use super::{event, starts, text};

    #[test]
    fn a_letter_before_json_says_what_it_is() {
        assert!(starts(b"9:", br#"{"toolCallId":"c"}"#));
        assert!(!starts(b"9:", br#"{"id":"c"}"#));
        assert_eq!(event(b"app-1  | d:"), Some("finish"));
        assert_eq!(event(b"id:"), None);
        assert_eq!(event(b"d: "), None);
        assert_eq!(
            text(b"0:\"a \\\"b\\\"\"\r"),
            Some(("text-delta", b"\"a \\\"b\\\"\"".into()))
        );
        for error in ["app | 3:\"no\"", "\x1b[2m3:\"no\"\x1b[0m"] {
            let expected = Some(("error", b"\"no\"".into()));
            assert_eq!(text(error.as_bytes()), expected);
        }
        for other in ["0:\"a", "10:\"a\"", "x:\"a\"", "0:\"a\" and \"b\""] {
            assert_eq!(text(other.as_bytes()), None, "{other}");
        }
    }
}
