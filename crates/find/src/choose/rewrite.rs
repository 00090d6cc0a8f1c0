//! Replaces a string member of a document by its decoded content: `--decode-base64` and `--unescape`.
//!
//! The rest of the document stays as it is, byte for byte.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::document::Document;
use crate::finder::{FindOptions, Finder};
use jsift_json::is_json;
use jsift_json::pointer::Pointer;
use jsift_json::text::Text;
use jsift_json::view::Value;

/// How the string of a member is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// As base64, in the standard or the URL-safe alphabet, padded or not; the result is a string.
    Base64,
    /// As JSON; the result is the value.
    Json,
}

/// One member to decode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The place of the member in the document.
    pub pointer: Pointer,
    /// How its string is decoded.
    pub decoding: Decoding,
}

/// A document in which a member was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Valid JSON.
    pub text: Vec<u8>,
    /// Whether the decoded bytes were not valid UTF-8, so that U+FFFD replaces parts of them.
    pub lossy: bool,
}

impl Rewrite {
    /// Decodes the member of a document.
    ///
    /// # Errors
    ///
    /// Says what was found in place of a string that can be decoded: `no value at /a`.
    pub fn apply(&self, document: &[u8]) -> Result<Rewritten, String> {
        let parts = self.pointer.locate(document).and_then(|range| {
            let (before, rest) = document.split_at_checked(range.start)?;
            let (member, after) = rest.split_at_checked(range.len())?;
            Some([before, member, after])
        });
        let parts = parts.ok_or_else(|| format!("no value at {}", self.pointer))?;
        self.decode(parts)
            .map_err(|reason| format!("cannot decode '{}': {reason}", self.pointer))
    }

    /// Decodes the member between the text before and after it.
    fn decode(&self, [before, member, after]: [&[u8]; 3]) -> Result<Rewritten, &'static str> {
        let content = Value::new(member).text();
        let content = content.ok_or("the value is not a string")?;
        let mut text = before.to_vec();
        let lossy = match self.decoding {
            Decoding::Base64 => push_base64(&content, &mut text)?,
            Decoding::Json => {
                push_json(&content, &mut text)?;
                false
            }
        };
        text.extend_from_slice(after);
        Ok(Rewritten { text, lossy })
    }
}

/// Writes decoded base64 as a JSON string; returns whether it was not valid UTF-8.
fn push_base64(content: &Text<'_>, out: &mut Vec<u8>) -> Result<bool, &'static str> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, config);
    let digits = content
        .as_bytes()
        .iter()
        .filter(|b| !b.is_ascii_whitespace());
    let standard = digits.map(|digit| match digit {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    });
    let bytes = engine
        .decode(standard.collect::<Vec<u8>>())
        .map_err(|_| "the string is not valid base64")?;
    let decoded = String::from_utf8_lossy(&bytes);
    let lossy = matches!(decoded, Cow::Owned(_));
    Text::from(decoded.as_ref()).write_json(out);
    Ok(lossy)
}

/// Writes a text that is a single JSON value, or contains one in a markdown fence.
fn push_json(content: &Text<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let text = content.with_escapes();
    let fenced = if is_json(&text) { None } else { fenced(&text) };
    let json = fenced.as_deref().unwrap_or(&text);
    if !is_json(json) {
        return Err("the string contains no JSON");
    }
    out.extend_from_slice(json.trim_ascii());
    Ok(())
}

/// Returns the first document in a fence of a text.
fn fenced(text: &[u8]) -> Option<Vec<u8>> {
    let mut first = None;
    let mut take = |document: Document<'_>| {
        if document.rank.is_fenced() {
            first.get_or_insert_with(|| document.text.to_vec());
        }
    };
    Finder::read_text(FindOptions::default(), text, &mut take);
    first
}

#[cfg(test)]
mod tests {
    use super::{Decoding, Rewrite};
    use jsift_json::pointer::Pointer;

    fn apply(decoding: Decoding, pointer: &str, document: &str) -> Result<(String, bool), String> {
        let rewrite = Rewrite {
            pointer: Pointer::parse(pointer).unwrap(),
            decoding,
        };
        let rewritten = rewrite.apply(document.as_bytes())?;
        Ok((String::from_utf8(rewritten.text).unwrap(), rewritten.lossy))
    }

    #[test]
    fn base64_becomes_text_and_nothing_else_changes() {
        for (coded, text) in [
            ("aMOpIQ==", "hé!"),
            ("aMOpIQ", "hé!"),
            ("aMOp\\n IQ\\r\\n==", "hé!"),
            ("Pz8_Pz4-", "????>>"),
            ("Pz8/Pz4+", "????>>"),
            ("ICIKAVw=", " \\\"\\n\\u0001\\\\"),
            ("", ""),
        ] {
            let document = format!("{{ \"n\" : 1.0,\"t\":\t\"{coded}\" ,\"n\":2 }}");
            let want = format!("{{ \"n\" : 1.0,\"t\":\t\"{text}\" ,\"n\":2 }}");
            assert_eq!(
                apply(Decoding::Base64, "/t", &document),
                Ok((want, false)),
                "{coded}"
            );
        }
        assert_eq!(
            apply(Decoding::Base64, "/0", "[\"/w==\"]"),
            Ok(("[\"\u{fffd}\"]".to_owned(), true))
        );
    }

    #[test]
    fn json_in_a_string_becomes_the_value() {
        let document = r#"{"a":[{"b":" {\"c\": [1, \"\\ud83d\"]}\n"}], "z" : 1}"#;
        let want = r#"{"a":[{"b":{"c": [1, "\ud83d"]}}], "z" : 1}"#;
        assert_eq!(
            apply(Decoding::Json, "/a/0/b", document),
            Ok((want.to_owned(), false))
        );
        assert_eq!(
            apply(Decoding::Json, "/s", r#"{"s":"[\"\ud83d\"]"}"#),
            Ok((r#"{"s":["\ud83d"]}"#.to_owned(), false))
        );
        assert_eq!(
            apply(Decoding::Json, "", r#""[1]""#),
            Ok(("[1]".to_owned(), false))
        );
    }

    #[test]
    fn what_cannot_be_decoded_is_named() {
        let document = r#"{"n":1,"s":"{a}!","t":"1 2","e":""}"#;
        for (decoding, pointer, reason) in [
            (Decoding::Base64, "/n", "the value is not a string"),
            (Decoding::Base64, "/s", "the string is not valid base64"),
            (Decoding::Json, "/s", "the string contains no JSON"),
            (Decoding::Json, "/t", "the string contains no JSON"),
            (Decoding::Json, "/e", "the string contains no JSON"),
        ] {
            let error = format!("cannot decode '{pointer}': {reason}");
            assert_eq!(apply(decoding, pointer, document), Err(error));
        }
        let error = "no value at /x".to_owned();
        assert_eq!(apply(Decoding::Json, "/x", document), Err(error));
    }
}
