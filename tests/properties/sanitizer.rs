//! What is written for terminals and CI logs.

use jsift_sink::sanitize::{Sanitizer, is_hidden, json_escapes, sanitize, visible};

use super::{Choices, is_json};

/// What may steer a terminal or mislead its reader, by a list of its own, too, and not only by that of the sanitizer.
fn steers(c: char) -> bool {
    let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let unseen = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
    c.is_control() || bidi || unseen || is_hidden(c)
}

/// Whether a runner would take a line for a command: `::` after blanks, `##[` and `##vso[` anywhere.
fn commands(text: &str) -> bool {
    let unhidden: String = text
        .chars()
        .filter(|&c| c == '\n' || c == '\r' || !steers(c))
        .collect();
    unhidden.split(['\n', '\r']).any(|line| {
        line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
    })
}

fn in_pieces(text: &str, cuts: &[usize], terminal: bool, ci: bool) -> String {
    let mut sanitizer = Sanitizer::new(terminal, ci);
    let mut out = String::new();
    let mut from = 0;
    for &cut in cuts {
        if let Some(piece) = text.get(from..cut) {
            out.push_str(&sanitizer.push(piece));
            from = cut;
        }
    }
    out.push_str(&sanitizer.push(&text[from..]));
    out + &sanitizer.finish()
}

/// No control byte and no command comes out, and cuts do not matter.
pub fn property(data: &[u8]) {
    let (cuts, text) = Choices(data).cuts();
    let text = &*String::from_utf8_lossy(text);
    for (terminal, ci) in [(true, false), (false, true), (true, true)] {
        let safe = sanitize(text, terminal, ci);
        let line_ends = safe.replace("\r\n", "\n");
        assert!(
            !terminal || !line_ends.chars().any(|c| !"\n\t".contains(c) && steers(c)),
            "{safe:?} of {text:?}"
        );
        assert!(!ci || !commands(&safe), "{safe:?} of {text:?}");
        assert_eq!(
            in_pieces(text, &cuts, terminal, ci),
            safe,
            "{text:?} cut at {cuts:?}"
        );
        assert_eq!(sanitize(&safe, terminal, ci), safe, "twice, {text:?}");
    }
    assert!(!visible(text).chars().any(steers), "{text:?}");
    let json = serde_json::Value::from(text).to_string();
    let escaped = json_escapes(&json);
    assert!(!escaped.chars().any(steers), "{escaped}");
    assert!(is_json(escaped.as_bytes()), "{escaped}");
    let meant = serde_json::from_str::<String>(&escaped).ok();
    assert_eq!(meant.as_deref(), Some(text));
}
