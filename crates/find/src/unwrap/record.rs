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
//! Texts are decoded here, since each run of a text has to keep its offset in the source.

use std::ops::Range;

use super::field::{self, Field, FieldPlace};
use super::held::HeldPieces;
use super::names::{Names, hash};
use super::queue::StreamId;
use crate::input::{Piece, Writer};
use crate::prefix::{Change, PREFIX_LIMIT, classify, stands_apart};
use jsift_json::view::{Kind, Value};
use jsift_json::{hex, is_json, unescaped};

/// How many places are tried on a line where a record may begin after a prefix.
const TRIES: usize = 4;

/// The kind of records that are recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrapper {
    Docker,
    Journald,
    /// Either, if there is no doubt.
    Any,
    /// Any record that has this field.
    Field(Field),
}

impl Wrapper {
    /// Whether a line that begins with this byte may be such a record.
    pub(super) const fn may_begin(&self, byte: u8) -> bool {
        match (self, byte) {
            (Self::Field(field), byte) => field.may_begin(byte),
            (_, b'{') => true,
            (_, b'[') => matches!(self, Self::Any),
            _ => false,
        }
    }

    /// Whether such a record is JSON, and not read as a line is.
    const fn is_json(&self) -> bool {
        !matches!(self, Self::Field(Field(FieldPlace::Logfmt(_))))
    }

    /// Whether such a record may follow a prefix on a line, of which this much is there; `None` if that needs more.
    pub(super) fn may_follow_prefix(&self, line: &[u8]) -> Option<bool> {
        let may = self.is_json();
        let found = may && starts(line).next().is_some();
        let all = !may || line.len() >= PREFIX_LIMIT || line.ends_with(b"\n");
        (found || all).then_some(found)
    }

    /// Returns where the record on a line begins: at once, or after a prefix. `None` if there is none.
    fn start(&self, line: &[u8]) -> Option<usize> {
        let begins = line.first().is_some_and(|&first| self.may_begin(first));
        if begins && is_json(line) {
            return Some(0);
        }
        if line.trim_ascii_end().last() != Some(&b'}') {
            return None;
        }
        starts(line)
            .take(TRIES)
            .find(|&start| is_json(line.get(start..).unwrap_or_default()))
    }
}

/// Returns the places on a line where an object may begin after a prefix.
fn starts(line: &[u8]) -> impl Iterator<Item = usize> {
    let near = line.get(..PREFIX_LIMIT).unwrap_or(line);
    memchr::memchr_iter(b'{', near).filter(|&at| near.get(..at).is_some_and(stands_apart))
}

/// What a record says about the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Framing {
    /// The stream whose next record may continue the line.
    pub(super) stream: Option<StreamId>,
    /// Whose text it is.
    pub(super) writer: Option<Writer>,
    /// Whether the next record continues the line.
    pub(super) part: bool,
    /// Whether the text has its own line feed, so that the record's line feed is not part of the text.
    pub(super) ended: bool,
    /// How many bytes of prefix are before the record.
    pub(super) prefix: usize,
}

impl Framing {
    /// Returns what a record says that has nothing but a text.
    fn of_text(text: &HeldPieces) -> Self {
        Self {
            ended: text.text().ends_with(b"\n"),
            ..Self::default()
        }
    }
}

/// Reads the record that fills `line`, or the rest of it after a prefix, and appends its text to `inner`. `None` if it
/// is not such a record; `inner` may have been changed even then.
pub(super) fn record(
    line: &HeldPieces,
    wrapper: &Wrapper,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    if let Wrapper::Field(Field(FieldPlace::Logfmt(key))) = wrapper {
        field::of_logfmt(line, key, inner)?;
        return Some(Framing::of_text(inner));
    }
    let prefix = wrapper.start(line.text())?;
    let (before, record) = line.text().split_at_checked(prefix)?;
    let framing = of_json(line, Value::new(record), wrapper, inner)?;
    let stream = match prefix {
        0 => framing.stream,
        _ => framing.stream.map(|stream| hash((stream, fixed(before)))),
    };
    Some(Framing {
        stream,
        prefix,
        ..framing
    })
}

/// Returns a prefix without its time stamps, which change from line to line.
fn fixed(prefix: &[u8]) -> Vec<u8> {
    let classes = classify(prefix).into_iter().zip(prefix);
    let fixed = classes.filter(|(class, _)| !class.is_free(Change::Stamps));
    fixed.map(|(_, byte)| *byte).collect()
}

fn of_json(
    line: &HeldPieces,
    value: Value<'_>,
    wrapper: &Wrapper,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    if let Wrapper::Field(Field(FieldPlace::Json(pointer))) = wrapper {
        field::of_json(line, value, pointer, inner)?;
        return Some(Framing::of_text(inner));
    }
    let any = *wrapper == Wrapper::Any;
    if value.kind() == Kind::Array {
        return circleci(line, value, inner).filter(|_| any);
    }
    let members = RecordMembers::of(value);
    if *wrapper != Wrapper::Journald
        && let Some(framing) = docker(line, &members, any, inner)
    {
        return Some(framing);
    }
    inner.clear();
    if *wrapper == Wrapper::Docker {
        return None;
    }
    journald(line, &members, any, inner)
}

fn docker(
    line: &HeldPieces,
    members: &RecordMembers<'_>,
    doubt: bool,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    let text = members.log?;
    let names = &members.names;
    let is_contained = names.container.is_some();
    let known = names.stream.is_some() && members.time || is_contained || members.partial;
    if doubt && !known {
        return None;
    }
    unescape(line, text, inner)?;
    let ended = inner.text().ends_with(b"\n");
    let part = if members.partial {
        !members.partial_last
    } else {
        !ended && names.stream.is_some() && !is_contained
    };
    Some(Framing {
        stream: members.key(),
        writer: names.writer(),
        part,
        ended,
        ..Framing::default()
    })
}

fn journald(
    line: &HeldPieces,
    members: &RecordMembers<'_>,
    doubt: bool,
    inner: &mut HeldPieces,
) -> Option<Framing> {
    let message = members.message?;
    if doubt && !members.journal {
        return None;
    }
    match message.kind() {
        Kind::String => unescape(line, message, inner)?,
        Kind::Array => bytes(line, message, inner)?,
        Kind::Null => {}
        _ => return None,
    }
    Some(Framing {
        stream: members.key(),
        writer: members.names.writer(),
        part: members.line_max || members.partial && !members.partial_last,
        ..Framing::default()
    })
}

fn circleci(line: &HeldPieces, array: Value<'_>, inner: &mut HeldPieces) -> Option<Framing> {
    array.elements().next()?;
    for element in array.elements() {
        let message = element.get("message")?;
        let known = element.has("time") && element.has("type");
        if !known || message.kind() != Kind::String {
            return None;
        }
        unescape(line, message, inner)?;
    }
    Some(Framing::of_text(inner))
}

/// The members that matter, found in one pass over the record.
#[derive(Debug, Default)]
struct RecordMembers<'a> {
    log: Option<Value<'a>>,
    message: Option<Value<'a>>,
    id: Option<&'a [u8]>,
    time: bool,
    journal: bool,
    line_max: bool,
    partial: bool,
    partial_last: bool,
    names: Names<'a>,
}

impl<'a> RecordMembers<'a> {
    fn of(record: Value<'a>) -> Self {
        let mut members = Self::default();
        for (name, value) in record.members() {
            let raw = value.raw();
            let truth = matches!(raw, b"true" | b"\"true\"");
            let text = name.text();
            let name = text.as_str().unwrap_or_default();
            members.names.note(name, value);
            match name {
                "log" if value.kind() == Kind::String => members.log = Some(value),
                "MESSAGE" => members.message = Some(value),
                "_LINE_BREAK" => members.line_max = raw == b"\"line-max\"",
                "time" => members.time = true,
                "__CURSOR" | "__REALTIME_TIMESTAMP" | "_HOSTNAME" => members.journal = true,
                "partial_id" | "CONTAINER_PARTIAL_ID" => members.id = Some(raw),
                "partial_message" | "CONTAINER_PARTIAL_MESSAGE" => members.partial = truth,
                "partial_last" | "CONTAINER_PARTIAL_LAST" => members.partial_last = truth,
                _ => {}
            }
        }
        members
    }

    /// Returns the stream whose next record may continue the line: the message that was cut, or else the stream of the
    /// writer, if the record names one.
    fn key(&self) -> Option<StreamId> {
        if self.partial {
            return self.id.map(hash);
        }
        self.names.stream.and(self.names.writer())
    }
}

/// Appends a decoded string of the line to `inner`.
pub(super) fn unescape(line: &HeldPieces, string: Value<'_>, inner: &mut HeldPieces) -> Option<()> {
    let Range { start, end } = string.place_in(line.text())?;
    let of_json = |text: &[u8]| escape(text).map(|(character, length)| (character.into(), length));
    decode(line, start + 1..end - 1, of_json, inner)
}

/// What an escape stands for.
pub(super) enum Escaped {
    Character(char),
    Byte(u8),
}

impl From<char> for Escaped {
    fn from(character: char) -> Self {
        Self::Character(character)
    }
}

/// Appends a part of the line to `inner`, with its escapes replaced. `escape` is given the text from a backslash on,
/// and returns what the escape stands for and its length. What it stands for has the offset of the backslash.
pub(super) fn decode(
    line: &HeldPieces,
    range: Range<usize>,
    escape: impl Fn(&[u8]) -> Option<(Escaped, usize)>,
    inner: &mut HeldPieces,
) -> Option<()> {
    let Range { start: mut at, end } = range;
    while at < end {
        let rest = line.text().get(at..end)?;
        let run = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        for piece in line.pieces(at..at + run) {
            inner.push(piece);
        }
        at += run;
        if at < end {
            let (escaped, length) = escape(line.text().get(at..end)?)?;
            let mut room = [0; 4];
            let text: &[u8] = match escaped {
                Escaped::Character(character) => character.encode_utf8(&mut room).as_bytes(),
                Escaped::Byte(ref byte) => std::slice::from_ref(byte),
            };
            let piece = line.pieces(at..at + 1).next()?;
            inner.push(Piece {
                text,
                stride: 0,
                ..piece
            });
            at += length;
        }
    }
    Some(())
}

/// Returns the character that an escape of JSON stands for, and the escape's length. A lone surrogate becomes U+FFFD.
pub(super) fn escape(text: &[u8]) -> Option<(char, usize)> {
    let &letter = text.get(1)?;
    if letter != b'u' {
        return Some((unescaped(letter)?.into(), 2));
    }
    let unit = hex(text.get(2..6)?)?;
    let low = match text.get(6..12) {
        Some([b'\\', b'u', digits @ ..]) if unit & 0xfc00 == 0xd800 => hex(digits),
        _ => None,
    };
    Some(match char::decode_utf16([unit, low.unwrap_or(0)]).next() {
        Some(Ok(character)) if character.len_utf16() == 2 => (character, 12),
        Some(Ok(character)) => (character, 6),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    })
}

/// Appends the bytes listed in an array of the line. All of them have the offset of the array.
fn bytes(line: &HeldPieces, array: Value<'_>, inner: &mut HeldPieces) -> Option<()> {
    let byte = |number: Value<'_>| u8::try_from(number.as_u64()?).ok();
    let text: Vec<u8> = array.elements().map(byte).collect::<Option<_>>()?;
    let piece = line.pieces(array.place_in(line.text())?).next()?;
    inner.push(Piece {
        text: &text,
        stride: 0,
        ..piece
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Framing, Wrapper, record};
    use crate::input::Piece;
    use crate::unwrap::held::HeldPieces;

    fn read(line: &str, wrapper: Wrapper) -> Option<(Vec<u8>, Framing)> {
        let mut held = HeldPieces::default();
        held.push(Piece::plain(line.as_bytes(), 0));
        let mut inner = HeldPieces::default();
        let framing = record(&held, &wrapper, &mut inner)?;
        Some((inner.text().to_vec(), framing))
    }

    fn text(line: &str, wrapper: Wrapper) -> Option<(String, bool, bool)> {
        let (text, framing) = read(line, wrapper)?;
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
            text(whole, Wrapper::Docker),
            Some((want.clone(), false, true))
        );
        assert_eq!(text(whole, Wrapper::Any), Some((want, false, true)));
        let part = r#" { "log" : "ab" , "stream" : "stderr" , "time":"t" } "#;
        assert_eq!(
            text(part, Wrapper::Docker),
            Some(("ab".to_owned(), true, false))
        );
    }

    #[test]
    fn streams_are_distinguished() {
        let key = |line| read(line, Wrapper::Docker).unwrap().1.stream;
        let out = key(r#"{"log":"a","stream":"stdout"}"#);
        assert_eq!(out, key(r#"{"log":"b","stream":"stdout"}"#));
        assert_ne!(out, key(r#"{"log":"a","stream":"stderr"}"#));
        assert_eq!(key(r#"{"log":"a"}"#), None);
    }

    #[test]
    fn records_name_the_writers_of_their_texts() {
        let writer = |members: &str| {
            let log = format!(r#"{{"log":"a",{members}}}"#);
            let message = log.replace("log", "MESSAGE");
            let of_docker = read(&log, Wrapper::Docker).unwrap().1.writer;
            let of_journald = read(&message, Wrapper::Journald).unwrap().1.writer;
            assert_eq!(of_docker, of_journald, "{members}");
            of_docker
        };
        let all = [
            r#""stream":"stdout""#,
            r#""stream":"stderr""#,
            r#""stream":"stdout","container_id":"a""#,
            r#""source":"stdout","container_id":"b""#,
            r#""stream":"stdout","kubernetes":{"pod_name":"a","container_name":"a"}"#,
            r#""stream":"stdout","kubernetes":{"pod_name":"b","container_name":"a"}"#,
            r#""CONTAINER_ID_FULL":"c","_PID":"1""#,
            r#""_STREAM_ID":"a","_PID":"1""#,
            r#""_PID":"1""#,
            r#""_PID":"1","_BOOT_ID":"a""#,
            r#""_PID":"1","SYSLOG_IDENTIFIER":"a""#,
            r#""SYSLOG_IDENTIFIER":"a""#,
        ];
        let writers: HashSet<_> = all.iter().filter_map(|members| writer(members)).collect();
        assert_eq!(writers.len(), all.len());
        for (one, same) in [
            (
                r#""_STREAM_ID":"a","_PID":"1""#,
                r#""_STREAM_ID":"a","_PID":"2""#,
            ),
            (
                r#""CONTAINER_ID_FULL":"c","_PID":"1""#,
                r#""_PID":"2","CONTAINER_ID_FULL":"c""#,
            ),
        ] {
            assert_eq!(writer(one), writer(same), "{same}");
        }
        for none in [r#""time":"t""#, r#""source":"main.c""#, r#""_BOOT_ID":"a""#] {
            assert_eq!(writer(none), None, "{none}");
        }
    }

    #[test]
    fn a_prefix_may_be_before_a_record() {
        let read = |line: &str| {
            let (text, framing) = read(line, Wrapper::Docker)?;
            Some((
                String::from_utf8(text).unwrap(),
                framing.prefix,
                framing.stream,
            ))
        };
        let record = r#"{"log":"a","stream":"stdout"}"#;
        let (_, _, alone) = read(record).unwrap();
        let mut streams = vec![alone];
        for prefix in [
            "app-1  | ",
            "app-2  | ",
            "{x} ",
            "a:",
            "\u{1b}[36ma\u{1b}[0m",
        ] {
            let (text, length, stream) = read(&format!("{prefix}{record}")).unwrap();
            assert_eq!((text.as_str(), length), ("a", prefix.len()), "{prefix}");
            assert!(!streams.contains(&stream), "{prefix}");
            streams.push(stream);
        }
        // A time stamp is not what tells prefixes apart.
        let at = |second| {
            read(&format!("2026-01-01T00:00:0{second}Z web: {record}"))
                .unwrap()
                .2
        };
        assert_eq!(at(1), at(2));
        for other in ["a", "\"", &"{ ".repeat(9), &"a ".repeat(200)] {
            assert_eq!(read(&format!("{other}{record}")), None, "{other}");
        }
    }

    #[test]
    fn fluentd_says_what_is_partial() {
        let part = |last| {
            let line = format!(
                r#"{{"container_id":"c","source":"stdout","log":"a","partial_message":"true","partial_id":"x","partial_ordinal":"1","partial_last":"{last}"}}"#
            );
            text(&line, Wrapper::Any)
        };
        assert_eq!(part("false"), Some(("a".to_owned(), true, false)));
        assert_eq!(part("true"), Some(("a".to_owned(), false, false)));
        let whole = r#"{"container_id":"c","source":"stdout","log":"a"}"#;
        assert_eq!(
            text(whole, Wrapper::Any),
            Some(("a".to_owned(), false, false))
        );
    }

    #[test]
    fn journald_messages_come_as_text_bytes_or_null() {
        let message = |value: &str| {
            let line = format!(r#"{{"__CURSOR":"s=1","MESSAGE":{value},"_PID":"1"}}"#);
            assert_eq!(read(&line, Wrapper::Any), read(&line, Wrapper::Journald));
            read(&line, Wrapper::Journald).map(|(text, _)| text)
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
            let (_, framing) = read(&line, Wrapper::Any).unwrap();
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
        assert_eq!(text(array, Wrapper::Any), Some(want));
        assert_eq!(text(array, Wrapper::Docker), None);
        for other in [
            "[",
            "[]",
            "[1]",
            r#"[{"message":"a"}]"#,
            r#"[{"message":1,"time":1,"type":1}]"#,
        ] {
            assert_eq!(text(other, Wrapper::Any), None, "{other}");
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
            for wrapper in [Wrapper::Docker, Wrapper::Journald, Wrapper::Any] {
                assert_eq!(read(line, wrapper), None, "{line}");
            }
        }
        assert_eq!(read(r#"{"log":"a","level":1}"#, Wrapper::Any), None);
        assert_eq!(read(r#"{"MESSAGE":"a","level":1}"#, Wrapper::Any), None);
    }
}
