//! Writes an agent's answer alone: as data for programs, or as text for a terminal.

use crate::sanitize::sanitize;
use jsift_json::text::Text;

/// Writes an answer, followed by a line feed unless it ends with one. Writes nothing for an empty answer.
///
/// For a `terminal`, hidden characters are made visible; with `ci`, workflow commands are neutralised. Otherwise the
/// text is unchanged, except that lone surrogates, which UTF-8 cannot represent, become U+FFFD.
pub fn response(text: &Text<'_>, terminal: bool, ci: bool, out: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    out.extend_from_slice(sanitize(&text.to_string_lossy(), terminal, ci).as_bytes());
    if !text.ends_in_newline() {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::response;
    use jsift_json::text::Text;

    fn written(raw: &str, terminal: bool, ci: bool) -> String {
        let mut out = Vec::new();
        response(&Text::decode(raw.as_bytes()), terminal, ci, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_answer_ends_in_one_line_feed() {
        assert_eq!(written("done", false, false), "done\n");
        assert_eq!(written("done\\n", false, false), "done\n");
        assert_eq!(written("", false, false), "");
    }

    #[test]
    fn data_is_altered_only_where_it_was_asked_for() {
        let hostile = "std::vector\\n::error::x \\u001b]52;c;QQ==\\u0007 \\ud83d";
        assert_eq!(
            written(hostile, false, false),
            "std::vector\n::error::x \x1b]52;c;QQ==\x07 \u{fffd}\n"
        );
        assert_eq!(
            written(hostile, true, true),
            "std::vector\n: :error::x \\x1b]52;c;QQ==\\x07 \u{fffd}\n"
        );
    }
}
