//! Records that are JSON themselves and contain the text of the log in one of their members.
//!
//! - docker's json-file driver: `{"log":"text\n","stream":"stdout","time":"…"}`. A text that does not end with a line
//!   feed continues in the next record of the stream (docker cuts at 16 KiB).
//! - fluentd's docker input, and fluent-bit: `log` without a line feed; if docker has cut it, `partial_message`,
//!   `partial_id` and `partial_last` say which records belong together. The order is the order of arrival:
//!   `partial_ordinal` is not read.
//! - `journalctl -o json`: `MESSAGE` is a string, an array of bytes if it is not clean text, or null if it is too long.
//!   Docker's journald driver adds `CONTAINER_PARTIAL_…`. A line that is too long on the standard output of a service
//!   is cut: the record says `"_LINE_BREAK":"line-max"`, and the next record of its `_STREAM_ID` continues it
//!   (systemd.journal-fields(7)).
//! - CircleCI's API: a step is one array of `{"message":"text\r\n","time":"…","type":"out"}`.
//!
//! Records are not read by a JSON library, since each run of the text has to keep its offset in the source.

use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use super::held::HeldPieces;
use super::queue::StreamId;
use crate::input::Piece;
use crate::json::{hex, is_white};

/// The kind of records that are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dress {
    Docker,
    Journald,
    /// Either, if there is no doubt.
    Any,
}

/// What a record says about the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Framing {
    /// The stream whose next record may continue the line.
    pub(super) stream: Option<StreamId>,
    /// Whether the next record continues the line.
    pub(super) part: bool,
    /// Whether the text has its own line feed, so that the record's line feed is not part of the text.
    pub(super) ended: bool,
}

/// Reads the record that fills `line` and appends its text to `inner`. `None` if it is not such a record; `inner` may
/// have been changed even then.
pub(super) fn record(line: &HeldPieces, dress: Dress, inner: &mut HeldPieces) -> Option<Framing> {
    if dress == Dress::Any && line.text().starts_with(b"[") {
        return circleci(line, inner);
    }
    let members = RecordMembers::read(line.text())?;
    if dress != Dress::Journald
        && let Some(framing) = docker(line, &members, dress == Dress::Any, inner)
    {
        return Some(framing);
    }
    inner.clear();
    if dress == Dress::Docker {
        return None;
    }
    journald(line, &members, dress == Dress::Any, inner)
}

fn docker(
    line: &HeldPieces,
    members: &RecordMembers<'_>,
    doubt: bool,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    let text = members.log.clone()?;
    let known = members.stream.is_some() && members.time || members.container || members.partial;
    if doubt && !known {
        return None;
    }
    unescape(line, text, inner)?;
    let ended = inner.text().ends_with(b"\n");
    let part = if members.partial {
        !members.partial_last
    } else {
        !ended && members.stream.is_some() && !members.container
    };
    Some(Framing {
        stream: members.key(),
        part,
        ended,
    })
}

fn journald(
    line: &HeldPieces,
    members: &RecordMembers<'_>,
    doubt: bool,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    let value = members.message.clone()?;
    if doubt && !members.journal {
        return None;
    }
    let raw = line.text().get(value.clone())?;
    match raw.first()? {
        b'"' => unescape(line, value, inner)?,
        b'[' => bytes(line, value, inner)?,
        _ if raw == b"null" => {}
        _ => return None,
    }
    Some(Framing {
        stream: members.key(),
        part: members.line_max || members.partial && !members.partial_last,
        ended: false,
    })
}

fn circleci(line: &HeldPieces, inner: &mut HeldPieces) -> Option<Framing> {
    let text = line.text();
    let mut at = expect(text, 0, b'[')?;
    loop {
        let start = blanks(text, at);
        let end = value_end(text, start)?;
        let (mut message, mut known) = (None, 0);
        each_member(text.get(start..end)?, |name, value| match name {
            b"message" => message = Some(start + value.start..start + value.end),
            b"time" | b"type" => known += 1,
            _ => {}
        })?;
        let message = message.filter(|range| known == 2 && text.get(range.start) == Some(&b'"'))?;
        unescape(line, message, inner)?;
        at = blanks(text, end);
        match text.get(at)? {
            b',' => at += 1,
            b']' => break,
            _ => return None,
        }
    }
    (blanks(text, at + 1) == text.len()).then_some(Framing {
        stream: None,
        part: false,
        ended: inner.text().ends_with(b"\n"),
    })
}

/// The members that matter, found in one pass over the record. Values are ranges of bytes of the line.
#[derive(Debug, Default)]
struct RecordMembers<'a> {
    log: Option<Range<usize>>,
    message: Option<Range<usize>>,
    stream: Option<&'a [u8]>,
    id: Option<&'a [u8]>,
    time: bool,
    container: bool,
    journal: bool,
    line_max: bool,
    partial: bool,
    partial_last: bool,
}

impl<'a> RecordMembers<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let mut members = Self::default();
        each_member(line, |name, value| {
            let raw = line.get(value.clone()).unwrap_or_default();
            let truth = matches!(raw, b"true" | b"\"true\"");
            match name {
                b"log" if raw.first() == Some(&b'"') => members.log = Some(value),
                b"MESSAGE" => members.message = Some(value),
                b"stream" | b"_STREAM_ID" => members.stream = Some(raw),
                b"_LINE_BREAK" => members.line_max = raw == b"\"line-max\"",
                b"time" => members.time = true,
                b"container_id" => members.container = true,
                b"__CURSOR" | b"__REALTIME_TIMESTAMP" | b"_HOSTNAME" => members.journal = true,
                b"partial_id" | b"CONTAINER_PARTIAL_ID" => members.id = Some(raw),
                b"partial_message" | b"CONTAINER_PARTIAL_MESSAGE" => members.partial = truth,
                b"partial_last" | b"CONTAINER_PARTIAL_LAST" => members.partial_last = truth,
                _ => {}
            }
        })?;
        Some(members)
    }

    fn key(&self) -> Option<StreamId> {
        let named = if self.partial { self.id } else { self.stream };
        let mut hasher = DefaultHasher::new();
        hasher.write(named?);
        Some(hasher.finish())
    }
}

/// Calls `each` with the name and the value of every member of the object that fills `line`. Lenient about the inside
/// of values: to be mistaken for a record, a line would have to be an object with the right members.
fn each_member(line: &[u8], mut each: impl FnMut(&[u8], Range<usize>)) -> Option<()> {
    let mut at = expect(line, 0, b'{')?;
    loop {
        let name = string(line, blanks(line, at))?;
        at = blanks(line, expect(line, name.end, b':')?);
        let value = at..value_end(line, at)?;
        at = blanks(line, value.end);
        let inner = line.get(name.start + 1..name.end - 1)?;
        each(inner, value);
        match line.get(at)? {
            b',' => at += 1,
            b'}' => break,
            _ => return None,
        }
    }
    (blanks(line, at + 1) == line.len()).then_some(())
}

fn blanks(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| is_white(**byte)).count()
}

fn expect(line: &[u8], at: usize, want: u8) -> Option<usize> {
    let at = blanks(line, at);
    (*line.get(at)? == want).then_some(at + 1)
}

/// Returns the string that begins at `at`, including its quotes.
fn string(line: &[u8], at: usize) -> Option<Range<usize>> {
    if *line.get(at)? != b'"' {
        return None;
    }
    let mut end = at + 1;
    loop {
        end += memchr::memchr2(b'"', b'\\', line.get(end..)?)?;
        if line.get(end) == Some(&b'"') {
            return Some(at..end + 1);
        }
        end += 2;
    }
}

/// Returns the end of the value that begins at `at`. A counter instead of recursion is enough for nested values.
fn value_end(line: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut end = at;
    loop {
        match line.get(end)? {
            b'"' => end = string(line, end)?.end,
            b'{' | b'[' => {
                depth += 1;
                end += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                end += 1;
            }
            b',' | b':' | b' ' | b'\t' if depth > 0 => end += 1,
            b',' | b':' | b' ' | b'\t' | b'}' | b']' | b'\r' | b'\n' => return None,
            _ => end += scalar(line, end),
        }
        if depth == 0 {
            return Some(end);
        }
    }
}

fn scalar(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let inside = |byte: &&u8| !b",:{}[]\" \t\r\n".contains(byte);
    rest.iter().take_while(inside).count()
}

/// Appends the decoded string at `range` of the line to `inner`. A decoded character has the offset of its backslash.
fn unescape(line: &HeldPieces, range: Range<usize>, inner: &mut HeldPieces) -> Option<()> {
    let end = range.end - 1;
    let mut at = range.start + 1;
    while at < end {
        let rest = line.text().get(at..end)?;
        let run = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        for piece in line.pieces(at..at + run) {
            inner.push(piece);
        }
        at += run;
        if at < end {
            let (character, length) = escape(line.text().get(at..end)?)?;
            let place = line.pieces(at..at + 1).next()?;
            inner.push(Piece {
                text: character.encode_utf8(&mut [0; 4]).as_bytes(),
                stride: 0,
                ..place
            });
            at += length;
        }
    }
    Some(())
}

/// Returns the character that an escape stands for, and the escape's length. A lone surrogate becomes U+FFFD.
fn escape(text: &[u8]) -> Option<(char, usize)> {
    let plain = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        &byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        b'u' => {
            let unit = hex(text.get(2..6)?)?;
            let low = match text.get(6..12) {
                Some([b'\\', b'u', digits @ ..]) if unit & 0xfc00 == 0xd800 => hex(digits),
                _ => None,
            };
            if let Some(Ok(character)) = char::decode_utf16([unit, low.unwrap_or(0)]).next() {
                return Some((character, if character.len_utf16() == 2 { 12 } else { 6 }));
            }
            return Some((char::REPLACEMENT_CHARACTER, 6));
        }
        _ => return None,
    };
    Some((plain, 2))
}

/// Appends the bytes listed in the array at `range` of the line. All of them have the offset of the array.
fn bytes(line: &HeldPieces, range: Range<usize>, inner: &mut HeldPieces) -> Option<()> {
    let array = line.text().get(range.clone())?;
    let byte = |number: &[u8]| str::from_utf8(number.trim_ascii()).ok()?.parse().ok();
    let text: Vec<u8> = match array.strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii() {
        b"" => Vec::new(),
        list => list
            .split(|&b| b == b',')
            .map(byte)
            .collect::<Option<_>>()?,
    };
    let place = line.pieces(range).next()?;
    inner.push(Piece {
        text: &text,
        stride: 0,
        ..place
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Dress, Framing, record};
    use crate::input::Piece;
    use crate::unwrap::held::HeldPieces;

    fn read(line: &str, dress: Dress) -> Option<(Vec<u8>, Framing)> {
        let mut held = HeldPieces::default();
        held.push(Piece::plain(line.as_bytes(), 0));
        let mut inner = HeldPieces::default();
        let framing = record(&held, dress, &mut inner)?;
        Some((inner.text().to_vec(), framing))
    }

    fn text(line: &str, dress: Dress) -> Option<(String, bool, bool)> {
        let (text, framing) = read(line, dress)?;
        Some((
            String::from_utf8(text).unwrap(),
            framing.part,
            framing.ended,
        ))
    }

    #[test]
    fn docker_texts_are_unescaped() {
        let whole = r#"{"log":"{\"a\":\"\\n\u00e9\ud83d\ude80\ud800\\\"\"}\r\n","stream":"stdout","attrs":{"a":["]"]},"time":"t"}"#;
        let want = "{\"a\":\"\\né🚀\u{fffd}\\\"\"}\r\n".to_owned();
        assert_eq!(
            text(whole, Dress::Docker),
            Some((want.clone(), false, true))
        );
        assert_eq!(text(whole, Dress::Any), Some((want, false, true)));
        let part = r#" { "log" : "ab" , "stream" : "stderr" , "time":"t" } "#;
        assert_eq!(
            text(part, Dress::Docker),
            Some(("ab".to_owned(), true, false))
        );
    }

    #[test]
    fn streams_are_told_apart() {
        let key = |line| read(line, Dress::Docker).unwrap().1.stream;
        let out = key(r#"{"log":"a","stream":"stdout"}"#);
        assert_eq!(out, key(r#"{"log":"b","stream":"stdout"}"#));
        assert_ne!(out, key(r#"{"log":"a","stream":"stderr"}"#));
        assert_eq!(key(r#"{"log":"a"}"#), None);
    }

    #[test]
    fn fluentd_says_what_is_partial() {
        let part = |last| {
            let line = format!(
                r#"{{"container_id":"c","source":"stdout","log":"a","partial_message":"true","partial_id":"x","partial_ordinal":"1","partial_last":"{last}"}}"#
            );
            text(&line, Dress::Any)
        };
        assert_eq!(part("false"), Some(("a".to_owned(), true, false)));
        assert_eq!(part("true"), Some(("a".to_owned(), false, false)));
        let whole = r#"{"container_id":"c","source":"stdout","log":"a"}"#;
        assert_eq!(
            text(whole, Dress::Any),
            Some(("a".to_owned(), false, false))
        );
    }

    #[test]
    fn journald_messages_come_as_text_bytes_or_null() {
        let message = |value: &str| {
            let line = format!(r#"{{"__CURSOR":"s=1","MESSAGE":{value},"_PID":"1"}}"#);
            assert_eq!(read(&line, Dress::Any), read(&line, Dress::Journald));
            read(&line, Dress::Journald).map(|(text, _)| text)
        };
        assert_eq!(message(r#""a\tb""#), Some(b"a\tb".to_vec()));
        assert_eq!(message("[123, 1,255]"), Some(vec![123, 1, 255]));
        assert_eq!(message("[]"), Some(vec![]));
        assert_eq!(message("null"), Some(vec![]));
        for other in ["1", "true", "[1,256]", "[\"a\"]", "[1,]", "{}", "\"\\x\""] {
            assert_eq!(message(other), None, "{other}");
        }
    }

    #[test]
    fn journald_says_what_was_too_long_for_a_record() {
        let read = |members: &str| {
            let line = format!(r#"{{"__CURSOR":"s=1","MESSAGE":"a",{members}}}"#);
            let (_, framing) = read(&line, Dress::Any).unwrap();
            (framing.stream, framing.part)
        };
        let (first, part) = read(r#""_LINE_BREAK":"line-max","_STREAM_ID":"x""#);
        assert!(part && first.is_some());
        assert_eq!(read(r#""_STREAM_ID":"x""#), (first, false));
        assert_ne!(read(r#""_STREAM_ID":"y""#), (first, false));
        assert_eq!(
            read(r#""_LINE_BREAK":"eof","_STREAM_ID":"x""#),
            (first, false)
        );
    }

    #[test]
    fn messages_of_an_array_are_one_text() {
        let array = r#"[{"message":"{\r\n","time":"t","type":"out"}, {"type":"err","message":"}","time":"t"}]"#;
        let want = ("{\r\n}".to_owned(), false, false);
        assert_eq!(text(array, Dress::Any), Some(want));
        assert_eq!(text(array, Dress::Docker), None);
        for other in [
            "[",
            "[]",
            "[1]",
            r#"[{"message":"a"}]"#,
            r#"[{"message":1,"time":1,"type":1}]"#,
        ] {
            assert_eq!(text(other, Dress::Any), None, "{other}");
        }
    }

    #[test]
    fn other_lines_are_no_records() {
        for line in [
            "",
            "{",
            "{}",
            "[]",
            "{\"log\"}",
            "{\"log\":",
            "{\"log\":\"a",
            "{\"log\":\"a\"",
            "{\"log\":\"a\"} x",
            "{\"log\":1}",
            "{\"log\":\"a\",}",
            "{\"log\":\"a\\",
            "{\"b\":[}",
            "{\"type\":\"result\",\"message\":\"x\"}",
        ] {
            for dress in [Dress::Docker, Dress::Journald, Dress::Any] {
                assert_eq!(read(line, dress), None, "{line}");
            }
        }
        assert_eq!(read(r#"{"log":"a","level":1}"#, Dress::Any), None);
        assert_eq!(read(r#"{"MESSAGE":"a","level":1}"#, Dress::Any), None);
    }
}
