//! Text from the input that is shown exactly as it is.

use maud::{Markup, Render, html};

use crate::sanitize::sanitize;

/// Text in which nothing is markup and every character is visible.
pub(super) struct Plain<'t>(pub(super) &'t str);

impl Render for Plain<'_> {
    fn render_to(&self, html: &mut String) {
        sanitize(self.0, true, false).render_to(html);
    }
}

/// Returns the mark for a cut in a text.
pub(super) fn left_out(bytes: usize) -> Markup {
    html! { span.cut { "… " (number(bytes as u64)) " bytes left out …" } }
}

/// Formats a number with thousands separators: `12,345`.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (of, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(number(of), text);
        }
    }

    #[test]
    fn nothing_in_text_is_markup() {
        let text = Plain("<a title=\"x\">&amp;'\u{202e}\r\u{200b}").render();
        assert_eq!(
            text.into_string(),
            "&lt;a title=&quot;x&quot;&gt;&amp;amp;'\\u{202e}\\r\\u{200b}"
        );
    }
}
