//! String literals: a source that is one, and the strings of documents.

use jsift_find::document::{Rank, Stage};
use jsift_find::finder::FindOptions;
use jsift_json::text::Text;

use super::chain::read;
use super::{Choices, is_json, pieces, shown};

/// The text as Emacs Lisp prints a string.
fn lisp(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// The documents that stage `string` finds.
fn documents(source: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let (reported, _) = read(source, cuts, &FindOptions::default());
    let found = reported.documents.into_iter();
    let in_string = found.filter(|(_, origin, ..)| origin.stage == Stage::String);
    in_string.map(|(text, ..)| text).collect()
}

/// A document that was encoded as a string is found in it, in both notations and however it is cut; and a string that
/// was decoded and written again means the same.
pub fn property(data: &[u8]) {
    let (cuts, content) = Choices(data).cuts();
    decode_and_write(content);
    let Ok(content) = std::str::from_utf8(content) else {
        return;
    };
    let options = FindOptions {
        string: false,
        embedded: false,
        ..FindOptions::default()
    };
    let (mut reported, _) = read(content.as_bytes(), &[], &options);
    // What thinking holds is no content.
    reported
        .documents
        .retain(|(_, _, rank, _)| *rank != Rank::Weak);
    let container = |text: &[u8]| matches!(text.first(), Some(b'{' | b'['));
    let expected: Vec<_> = if reported.documents.iter().all(|(text, ..)| container(text)) {
        reported
            .documents
            .into_iter()
            .map(|(text, ..)| text)
            .collect()
    } else {
        Vec::new()
    };
    let json = serde_json::to_string(content).unwrap_or_default();
    assert_eq!(documents(json.as_bytes(), &cuts), expected, "{json}");
    // Two notations look alike: what is JSON is read as JSON.
    let lisp = lisp(content);
    if !is_json(lisp.as_bytes()) {
        assert_eq!(documents(lisp.as_bytes(), &cuts), expected, "{lisp}");
    }
}

fn decode_and_write(raw: &[u8]) {
    let literal = [b"\"", raw, b"\""].concat();
    let text = Text::decode(raw);
    if !is_json(&literal) {
        return;
    }
    if let Ok(decoded) = serde_json::from_slice::<String>(&literal) {
        assert_eq!(text.as_str(), Some(&*decoded), "{}", shown(raw));
    }
    let mut written = Vec::new();
    text.write_json(&mut written);
    assert!(is_json(&written), "{}", shown(&written));
    let again = Text::decode(&written[1..written.len() - 1]);
    assert_eq!(again, text, "{}", shown(raw));
    // A text that comes in deltas is the same text, surrogate pairs that were split included.
    let escapes = raw.windows(2).filter(|pair| *pair == b"\\u").count();
    if let Some(cut) = raw.windows(2).position(|pair| pair == b"\\u")
        && escapes == raw.iter().filter(|&&byte| byte == b'\\').count()
    {
        let mut joined = Text::EMPTY;
        for piece in pieces(raw, &[cut]) {
            joined.push(&Text::decode(piece));
        }
        assert_eq!(joined, text, "{} cut at {cut}", shown(raw));
    }
}
