//! The content of a source that is one string literal.
//!
//! Two notations are read: JSON's, for a document that was encoded twice, and Emacs Lisp's, in which `emacsclient
//! --eval` prints the value of an expression: with raw line feeds, `\"` and `\\`, and with the bytes of a unibyte
//! string in octal (`\303\251`).

use jsift_json::view::Value;
use jsift_json::{is_json, unescaped};

/// Decodes a string literal, quotes included.
///
/// # Errors
///
/// The reason why the text is not a string literal.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    json(text).map_or_else(|| lisp(text), Ok)
}

/// Decodes a JSON string. A lone surrogate is not a character, so its escape is kept for the JSON in the string.
fn json(text: &[u8]) -> Option<Vec<u8>> {
    let content = Value::new(text).text().filter(|_| is_json(text))?;
    Some(content.with_escapes().into_owned())
}

/// Decodes a string as Emacs's `prin1` writes it.
fn lisp(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut rest = text.strip_prefix(b"\"").ok_or("no opening quote")?;
    let mut content = Vec::with_capacity(rest.len());
    loop {
        let at = memchr::memchr2(b'"', b'\\', rest).ok_or("no closing quote")?;
        let (plain, special) = rest.split_at(at);
        content.extend_from_slice(plain);
        rest = match special {
            [b'"'] => return Ok(content),
            [b'\\', escape @ ..] => push_escape(escape, &mut content)?,
            _ => return Err("text after the closing quote"),
        };
    }
}

/// Decodes the escape after a backslash. Returns the text after it.
fn push_escape<'t>(escape: &'t [u8], content: &mut Vec<u8>) -> Result<&'t [u8], &'static str> {
    let (&first, rest) = escape.split_first().ok_or("no closing quote")?;
    let byte = match first {
        // Both escapes produce nothing: they break a line, or end a hexadecimal escape.
        b'\n' | b' ' => return Ok(rest),
        b'0'..=b'7' => return push_octal(escape, content),
        b'u' => return push_code(rest, 4, 4, content),
        b'U' => return push_code(rest, 8, 8, content),
        b'x' => return push_code(rest, 1, 6, content),
        b'a' => 0x07,
        b'v' => 0x0b,
        b'e' => 0x1b,
        b's' => b' ',
        b'd' => 0x7f,
        // The other letters mean what they mean in JSON.
        letter => unescaped(letter).unwrap_or(letter),
    };
    content.push(byte);
    Ok(rest)
}

/// Decodes one byte of up to three octal digits.
fn push_octal<'t>(text: &'t [u8], content: &mut Vec<u8>) -> Result<&'t [u8], &'static str> {
    let (_, value, rest) = number(text, 8, 3);
    content.push(u8::try_from(value).map_err(|_| "an octal escape above \\377")?);
    Ok(rest)
}

/// Decodes one character of `least` to `most` hexadecimal digits.
fn push_code<'t>(
    text: &'t [u8],
    least: usize,
    most: usize,
    content: &mut Vec<u8>,
) -> Result<&'t [u8], &'static str> {
    let (length, value, rest) = number(text, 16, most);
    let code = char::from_u32(value).filter(|_| length >= least);
    let code = code.ok_or("an escape that is no character")?;
    content.extend_from_slice(code.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(rest)
}

/// Reads the number that `text` starts with, of at most `most` digits (eight or fewer). Returns the number of digits,
/// the value and the text after them.
fn number(text: &[u8], radix: u32, most: usize) -> (usize, u32, &[u8]) {
    let head = text.iter().take(most);
    let digits = head.map_while(|&byte| char::from(byte).to_digit(radix));
    let (length, value) = digits.fold((0, 0), |(length, value), digit| {
        (length + 1, value * radix + digit)
    });
    (length, value, text.get(length..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[track_caller]
    fn check(literal: &str, content: &str) {
        let decoded = decode(literal.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(decoded.as_deref(), Ok(content), "from {literal}");
    }

    #[test]
    fn a_json_string_is_decoded() {
        check(r#""{\"a\":\"\u00e9\\n\"}""#, r#"{"a":"é\n"}"#);
        check(r#""""#, "");
        check(r#""{\"a\":\"\ud83d\ude00\ud83d\"}""#, r#"{"a":"😀\ud83d"}"#);
    }

    #[test]
    fn a_lisp_string_is_decoded() {
        check(
            "\"{\n  \\\"a\\\": \\\"b\\\\nc\\\"\n}\"",
            "{\n  \"a\": \"b\\nc\"\n}",
        );
        check(r#""[\"caf\303\251 \360\237\230\200\"]""#, "[\"café 😀\"]");
        check(
            r#""\u00e9\U0001F600\x20ac\ 1\e\d\s\a""#,
            "é😀€1\u{1b}\u{7f} \u{7}",
        );
        // As Emacs 30 prints it with `print-escape-multibyte`.
        check(
            r#""{\"a\":\"caf\x00e9\ abc \x1f600\"}""#,
            "{\"a\":\"caféabc 😀\"}",
        );
        check("\"one\\\ntwo\\ three\"", "onetwothree");
        check(r#""\0\12\1234""#, "\0\nS4");
        check(r#""\b\t\n\v\f\r""#, "\u{8}\t\n\u{b}\u{c}\r");
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        for (text, reason) in [
            ("abc", "no opening quote"),
            ("\"", "no closing quote"),
            ("\"a\\", "no closing quote"),
            ("\"a\\\"", "no closing quote"),
            ("\"a\" b\"", "text after the closing quote"),
            ("\"\\777\"", "an octal escape above \\377"),
            ("\"\\ud83d\\ude00\n\"", "an escape that is no character"),
            ("\"\\u12\n\"", "an escape that is no character"),
        ] {
            assert_eq!(decode(text.as_bytes()), Err(reason), "from {text}");
        }
    }
}
