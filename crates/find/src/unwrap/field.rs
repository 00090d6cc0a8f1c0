//! One field of each line: the value at a pointer if the line is JSON, or the value of a key if it is logfmt.
//!
//! Programs that log what another program prints put each of its lines into a field of a record of their own:
//! `{"level":"debug","line":"{\"type\":\"init\"}"}`, or `level=DEBUG line="{\"type\":\"init\"}"`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::held::HeldPieces;
use super::record::{Escaped, decode, escape, unescape};
use jsift_json::pointer::Pointer;
use jsift_json::view::{Kind, Value};

/// The field that contains the text of a line: `/POINTER` in lines of JSON, or `logfmt:KEY`.
///
/// ```
/// use jsift::{Options, Unwrap};
///
/// let log = r#"level=DEBUG line="{\"type\": \"init\"}""#;
/// let unwrap: Unwrap = "logfmt:line".parse()?;
/// let document = Options::new().unwrap(unwrap).extract(log)?;
/// assert_eq!(document.text(), r#"{"type": "init"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field(pub(super) FieldPlace);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldPlace {
    Json(Pointer),
    Logfmt(String),
}

impl FromStr for Field {
    type Err = String;

    /// Reads `/POINTER` or `logfmt:KEY`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('/') {
            let pointer = Pointer::parse(text)?;
            return Ok(Self(FieldPlace::Json(pointer)));
        }
        match text.split_once(':') {
            Some(("logfmt", "")) => Err("expected a key, as in logfmt:msg".to_owned()),
            Some(("logfmt", key)) if !key.bytes().all(is_of_key) => {
                Err("a key of logfmt contains no space, quotation mark or equals sign".to_owned())
            }
            Some(("logfmt", key)) => Ok(Self(FieldPlace::Logfmt(key.to_owned()))),
            _ => Err(
                "expected docker, journald, cri, auto, a pointer such as /message, or logfmt:KEY"
                    .to_owned(),
            ),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            FieldPlace::Json(pointer) => pointer.fmt(f),
            FieldPlace::Logfmt(key) => write!(f, "logfmt:{key}"),
        }
    }
}

impl Field {
    /// Whether a line that begins with this byte may have the field.
    pub(super) const fn may_begin(&self, byte: u8) -> bool {
        match self.0 {
            FieldPlace::Json(_) => matches!(byte, b'{' | b'['),
            FieldPlace::Logfmt(_) => true,
        }
    }
}

/// Appends the text at a pointer in the `record` on a line to `inner`: the content of a string, or a value of another
/// type as it is. `None` if nothing is there; `inner` may have been changed even then.
pub(super) fn of_json(
    line: &HeldPieces,
    record: Value<'_>,
    pointer: &Pointer,
    inner: &mut HeldPieces,
) -> Option<()> {
    let value = pointer.find(record)?;
    if value.kind() == Kind::String {
        return unescape(line, value, inner);
    }
    for piece in line.pieces(value.place_in(line.text())?) {
        inner.push(piece);
    }
    Some(())
}

/// Appends the value of a key on a line of logfmt to `inner`. `None` if the line has no such key; `inner` may have been
/// changed even then.
pub(super) fn of_logfmt(line: &HeldPieces, key: &str, inner: &mut HeldPieces) -> Option<()> {
    let (range, quotes) = value_of(line.text(), key.as_bytes())?;
    match quotes {
        Quotes::Both => return decode(line, range, escape_of_go, inner),
        // The line is cut in the value, perhaps in an escape.
        Quotes::Opening => {
            let _ = decode(line, range, escape_of_go, inner);
            return Some(());
        }
        Quotes::None => {}
    }
    for piece in line.pieces(range) {
        inner.push(piece);
    }
    Some(())
}

/// The quotation marks that a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Opening,
    Both,
}

const fn is_of_key(byte: u8) -> bool {
    byte > b' ' && byte != b'=' && byte != b'"'
}

/// Returns the place of a key's value in a line of logfmt without its quotation marks, and which it has. A value
/// without quotation marks ends at a blank; one that contains a quotation mark is no logfmt.
fn value_of(line: &[u8], wanted: &[u8]) -> Option<(Range<usize>, Quotes)> {
    let length = |at: usize, is_in: fn(u8) -> bool| {
        let rest = line.get(at..).unwrap_or_default();
        rest.iter().take_while(|byte| is_in(**byte)).count()
    };
    let mut at = 0;
    while at < line.len() {
        let key = at..at + length(at, is_of_key);
        at = key.end;
        let is_wanted = line.get(key) == Some(wanted);
        match line.get(at..)? {
            [b'=', b'"', rest @ ..] => {
                let start = at + 2;
                let end = match closing_quote(rest) {
                    Some(end) => start + end,
                    None if is_wanted => {
                        let end = start + rest.trim_ascii_end().len();
                        return Some((start..end, Quotes::Opening));
                    }
                    None => return None,
                };
                if is_wanted {
                    return Some((start..end, Quotes::Both));
                }
                at = end + 1;
            }
            [b'=', rest @ ..] => {
                let start = at + 1;
                at = start + length(start, |byte| byte > b' ');
                if is_wanted {
                    let quotes = rest.get(..at - start)?.contains(&b'"');
                    return (!quotes).then_some((start..at, Quotes::None));
                }
            }
            [b'"', rest @ ..] => at += 2 + closing_quote(rest)?,
            _ => at += 1,
        }
    }
    None
}

/// Returns the index of the quotation mark that ends a string.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.get(from..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// Returns what an escape stands for in a string as Go's `strconv.Quote` writes it, which loggers of Go use; those of
/// other languages write the escapes of JSON.
fn escape_of_go(text: &[u8]) -> Option<(Escaped, usize)> {
    let hex = |range: Range<usize>| {
        let digits = std::str::from_utf8(text.get(range)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    Some(match text.get(1)? {
        b'a' => ('\x07'.into(), 2),
        b'v' => ('\x0b'.into(), 2),
        b'\'' => ('\''.into(), 2),
        b'x' => (Escaped::Byte(u8::try_from(hex(2..4)?).ok()?), 4),
        b'U' => (char::from_u32(hex(2..10)?)?.into(), 10),
        _ => {
            let (character, length) = escape(text)?;
            (character.into(), length)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::Field;
    use crate::input::Piece;
    use crate::unwrap::held::HeldPieces;
    use crate::unwrap::record::{Wrapper, record};

    /// Returns the text in the field, or `None`.
    fn text(line: &str, field: &str) -> Option<String> {
        let field: Field = field.parse().unwrap();
        let (mut held, mut inner) = (HeldPieces::default(), HeldPieces::default());
        held.push(Piece::plain(line.as_bytes(), 0));
        let framing = record(&held, &Wrapper::Field(field), &mut inner)?;
        assert_eq!(framing.ended, inner.text().ends_with(b"\n"));
        Some(String::from_utf8_lossy(inner.text()).into_owned())
    }

    #[test]
    fn a_pointer_leads_to_a_string_or_to_json() {
        for (line, found) in [
            (r#"{"a":{"b":"{\"n\": 1}\n"}}"#, Some("{\"n\": 1}\n")),
            (r#"{"a":{"b":{"n": 1}}}"#, Some(r#"{"n": 1}"#)),
            (r#"{"a":{"b":null}}"#, Some("null")),
            (r#"{"a":{"c":"x"}}"#, None),
            (r#"{"a":{"b":"x"}"#, None),
            ("", None),
        ] {
            assert_eq!(text(line, "/a/b").as_deref(), found, "{line}");
        }
        assert_eq!(text(r#"["a",["b"]]"#, "/1/0").as_deref(), Some("b"));
    }

    #[test]
    fn a_key_of_logfmt_has_a_quoted_or_a_plain_value() {
        for (line, found) in [
            (r#"msg="a \"b\"""#, Some("a \"b\"")),
            (r#"t=1 msg="a" n=2"#, Some("a")),
            (r#"t=1 msg=a n=2"#, Some("a")),
            (r#"t=1 msg= n=2"#, Some("")),
            (r#"t=1 msg="""#, Some("")),
            (r#"web-1 | t=1 msg=a"#, Some("a")),
            (r#"text="no msg=b" msg=a"#, Some("a")),
            (r#""no msg=b" msg=a"#, Some("a")),
            (r#"text=x\ msg=a"#, Some("a")),
            (r#"msg="\x41\u00e9\U0001F680\a\'\t""#, Some("Aé🚀\x07'\t")),
            (r#"msg="\xff""#, Some("\u{fffd}")),
            ("msg=a\r", Some("a")),
            ("msg", None),
            (r#"amsg=a msgs=b .msg=c"#, None),
            (r#"msg={"a":1}"#, None),
            (r#"msg="a"#, Some("a")),
            ("msg=\"a\\\"b\\u00\n", Some("a\"b")),
            (r#"text="a msg=b"#, None),
            (r#"msg="\q""#, None),
            (r#"msg="\x4""#, None),
            ("", None),
        ] {
            assert_eq!(text(line, "logfmt:msg").as_deref(), found, "{line}");
        }
    }

    #[test]
    fn fields_that_are_none_are_refused() {
        for field in [
            "msg",
            "",
            "logfmt",
            "logfmt:",
            "logfmt:a b",
            "logfmt:a=",
            "/~",
        ] {
            assert!(field.parse::<Field>().is_err(), "{field}");
        }
    }
}
