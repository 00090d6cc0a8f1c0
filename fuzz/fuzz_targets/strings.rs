//! A string that is decoded and written again means the same, also with lone surrogates.
#![cfg_attr(fuzzing, no_main)]

use jsift::json::text::Text;
use jsift_fuzz::is_json;

fn property(input: &[u8]) {
    let literal = [b"\"", input, b"\""].concat();
    if !is_json(&literal) {
        return;
    }
    let text = Text::decode(input);
    let mut written = Vec::new();
    text.write_json(&mut written);
    assert!(is_json(&written), "{}", written.escape_ascii());
    let again = Text::decode(&written[1..written.len() - 1]);
    assert_eq!(again, text);
    // Who knows no lone surrogates reads the same, where there are none.
    if let Ok(plain) = serde_json::from_slice::<String>(&literal) {
        assert_eq!(text.as_str(), Some(plain.as_str()));
    }
}

jsift_fuzz::target!(property);
