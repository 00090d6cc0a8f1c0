//! Which bytes of a text that need not be JSON are in strings.

use std::ops::Range;

use jsift_json::cost;

/// Reads a text byte by byte, and says which bytes are in no string in double quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strings {
    quoted: bool,
    escaped: bool,
}

impl Strings {
    /// Returns the state outside of strings.
    pub(crate) const fn new() -> Self {
        Self {
            quoted: false,
            escaped: false,
        }
    }

    /// Returns the state after an opening quotation mark.
    pub(super) const fn opened() -> Self {
        Self {
            quoted: true,
            escaped: false,
        }
    }

    /// Whether a string is open after what was read.
    pub(crate) const fn is_open(&self) -> bool {
        self.quoted
    }

    /// Reads a byte. Returns whether it is in no string and has no backslash before it: a quotation mark after one is
    /// as often JSON in a string (`msg="{\"a\":1}"`).
    pub(crate) const fn is_outside(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.quoted = !self.quoted,
            _ => return !self.quoted,
        }
        false
    }
}

/// Reads the bytes of a line that are in no string. Returns whether the line ends in one in double quotes.
pub(super) fn outside_strings(line: &[u8], read: impl FnMut(usize, u8)) -> bool {
    outside_strings_after(Strings::new(), line, read)
}

/// Reads the bytes of a line that are in no string, as [`outside_strings`] does, after other text.
pub(super) fn outside_strings_after(
    mut strings: Strings,
    line: &[u8],
    mut read: impl FnMut(usize, u8),
) -> bool {
    cost::look_at(line.len());
    let mut single = 0;
    for (at, &byte) in line.iter().enumerate() {
        if at < single || !strings.is_outside(byte) {
            continue;
        }
        match byte {
            b'\'' if begins_single(line, at) => single = end_of_single(line, at) + 1,
            _ => read(at, byte),
        }
    }
    strings.is_open()
}

/// Returns the strings in single quotes in a text, as other languages and shells write them.
pub(super) fn in_single_quotes(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut quotes = memchr::memchr_iter(b'\'', text.get(at..)?).map(|quote| at + quote);
        let start = quotes.find(|&quote| begins_single(text, quote))?;
        let end = end_of_single(text, start);
        at = end + 1;
        Some(start..end)
    })
}

/// Whether a single quote begins a string: it is where a value or a name may be.
fn begins_single(text: &[u8], quote: usize) -> bool {
    let before = text.get(..quote).unwrap_or_default().trim_ascii_end();
    before.last().is_none_or(|byte| b"[{(,:=".contains(byte))
}

/// Returns where the string ends that a single quote begins: before what may follow a value or a name, or at the end of
/// the text.
fn end_of_single(text: &[u8], start: usize) -> usize {
    let ends = |quote: usize| {
        let next = text.get(quote + 1..).unwrap_or_default().trim_ascii_start();
        let escaped = text.get(..quote).is_some_and(|text| text.ends_with(b"\\"));
        !escaped && next.first().is_none_or(|byte| b"]}),:".contains(byte))
    };
    let after = text.get(start + 1..).unwrap_or_default();
    let mut quotes = memchr::memchr_iter(b'\'', after).map(|quote| start + 1 + quote);
    quotes.find(|&quote| ends(quote)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::outside_strings;

    #[test]
    fn brackets_in_strings_do_not_count() {
        for (line, outside) in [
            (r#"{"a": "}"#, "{: "),
            (r#"{"a": "}", 1]"#, "{: , 1]"),
            (r#"m="{\"a}\"}""#, "m="),
            ("{'a': '}', b: ']'}", "{: , b: }"),
            ("it's {don't}", "it's {don't}"),
            ("x = '{", "x = "),
            (r#"{"it's, 'x": 1}"#, "{: 1}"),
        ] {
            let mut read = Vec::new();
            outside_strings(line.as_bytes(), |_, byte| read.push(byte));
            assert_eq!(String::from_utf8_lossy(&read), outside, "{line}");
        }
    }
}
