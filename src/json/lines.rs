//! The lines of a JSON string, found without decoding it.

use memchr::memrchr;

use super::string::{backslashes_before, escapes, next_mark};

/// Iterates over the lines of the content of a JSON string in which every line feed is written as `\n`. A line feed at
/// the end does not start another line.
#[derive(Debug, Clone)]
pub struct StringLines<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> StringLines<'a> {
    pub(super) fn new(raw: &'a [u8]) -> Self {
        let ends_in_feed = raw.ends_with(b"n") && backslashes_before(raw, raw.len() - 1) % 2 == 1;
        let content = raw
            .get(..raw.len().saturating_sub(2))
            .filter(|_| ends_in_feed);
        Self {
            rest: (!raw.is_empty()).then_some(content.unwrap_or(raw)),
        }
    }
}

impl<'a> Iterator for StringLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let (line, behind) =
            first_feed(rest).map_or((rest, None), |(line, rest)| (line, Some(rest)));
        self.rest = behind;
        Some(line)
    }

    fn count(self) -> usize {
        self.rest
            .map_or(0, |rest| escapes(rest, |bytes| bytes.is(b'n')) + 1)
    }
}

impl DoubleEndedIterator for StringLines<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let (before, line) =
            last_feed(rest).map_or((None, rest), |(rest, line)| (Some(rest), line));
        self.rest = before;
        Some(line)
    }
}

/// Returns the text before the first line feed and the text after it.
fn first_feed(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    while let Some(backslash) = next_mark(raw, at) {
        at = backslash + 2;
        if raw.get(backslash + 1) == Some(&b'n') {
            return Some((raw.get(..backslash)?, raw.get(at..)?));
        }
    }
    None
}

/// Returns the text before the last line feed and the text after it.
fn last_feed(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = raw.len();
    while let Some(last) = memrchr(b'\\', raw.get(..end)?) {
        let run = backslashes_before(raw, last + 1);
        if run % 2 == 1 && raw.get(last + 1) == Some(&b'n') {
            return Some((raw.get(..last)?, raw.get(last + 2..)?));
        }
        end = last + 1 - run;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::json::text::Text;

    #[test]
    fn lines_are_those_of_the_text_from_both_ends() {
        for raw in [
            "",
            r"\n",
            "one",
            r"one\n",
            r"one\ntwo",
            r"\n\none\n\n",
            r"no \\n feed\nn\\\nnone\\",
            r#"a\"\nb\tc\n\"n\n"#,
            &r"\nn\\n\\\nno feed at all".repeat(40),
        ] {
            let text = Text::decode(raw.as_bytes());
            let lines = text.written_lines().unwrap();
            let decode = |line: &[u8]| Text::decode(line).to_string_lossy().into_owned();
            let count = lines.clone().count();
            let forwards: Vec<String> = lines.clone().map(decode).collect();
            let mut backwards: Vec<String> = lines.rev().map(decode).collect();
            backwards.reverse();
            let text = text.to_string_lossy();
            let wanted: Vec<&str> = text.split_terminator('\n').collect();
            assert_eq!(forwards, wanted, "{raw}");
            assert_eq!(count, wanted.len(), "{raw}");
            assert_eq!(backwards, wanted, "{raw}");
        }
        assert!(Text::decode(br"a\u000a").written_lines().is_none());
    }
}
