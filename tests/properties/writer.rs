//! The writer of documents.

use jsift_json::scan::clean;
use jsift_json::write::{Layout, minify, write};

use super::{Choices, is_json, shown};

fn written(text: &[u8], layout: Layout, color: bool) -> Vec<u8> {
    let mut out = Vec::new();
    assert!(write(&mut out, text, layout, color).is_ok());
    out
}

/// A document without the white space between its tokens, the plain way.
fn tokens(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for &byte in text {
        if !quoted && byte.is_ascii_whitespace() {
            continue;
        }
        out.push(byte);
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            _ => {}
        }
    }
    out
}

/// A document leaves as it came in, but for the white space between its tokens.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let choice = choices.byte();
    let indent = choice % 9;
    let text = choices.0;
    let layouts = [Layout::Compact, Layout::Pretty(indent), Layout::AsFound];
    if !is_json(text) {
        // No promise about the layout, but none of them may fail.
        for layout in layouts {
            written(text, layout, true);
        }
        return;
    }
    let tokens = tokens(text);
    assert_eq!(shown(&minify(text)), shown(&tokens));
    // What is written a page at a time is the same where a page ends inside it.
    let blanks = b" ".repeat(1023 - usize::from(choice));
    let far = [b"[", &*blanks, text, b"]"].concat();
    let after = [b"[", &*tokens, b"]"].concat();
    assert_eq!(shown(&minify(&far)), shown(&after), "after {choice}");
    for layout in layouts {
        let plain = written(text, layout, false);
        assert!(is_json(&plain), "{layout:?} of {}", shown(text));
        assert_eq!(shown(&minify(&plain)), shown(&tokens), "{layout:?}");
        let coloured = written(text, layout, true);
        assert_eq!(shown(&clean(&coloured)), shown(&plain), "{layout:?}");
        assert_eq!(shown(&written(&plain, layout, false)), shown(&plain));
    }
    assert_eq!(
        shown(&written(text, Layout::Compact, false)),
        shown(&tokens)
    );
    assert_eq!(
        shown(&written(text, Layout::AsFound, false)),
        shown(text.trim_ascii())
    );
}
