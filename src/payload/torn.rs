//! Tells that a document is a part of an object whose start is not in the source: `"stats": {…}` and a closing bracket,
//! as `tail` leaves an envelope.

/// What stands around the documents of a source, as far as it says that one is such a part.
#[derive(Debug, Default)]
pub(super) struct Torn {
    /// The last two bytes of the text before the next document that are not blank.
    before: [u8; 2],
    /// The offset of the last document, if it may be a part: it stands behind a member's name.
    open: Option<u64>,
    /// Whether a comma stands behind it.
    goes_on: bool,
    /// The offset of the first document that is a part.
    first: Option<u64>,
}

impl Torn {
    /// Returns the offset of the first document that is a part.
    pub(super) const fn first(&self) -> Option<u64> {
        self.first
    }

    /// Takes a document at that offset.
    pub(super) fn document(&mut self, offset: impl FnOnce() -> u64) {
        let is_value = self.first.is_none() && self.before == *b"\":";
        self.open = is_value.then(offset);
        (self.before, self.goes_on) = ([0; 2], false);
    }

    /// Takes text beside documents; it may be split between any two bytes.
    pub(super) fn noise(&mut self, text: &[u8]) {
        let is_text = |byte: &&u8| !byte.is_ascii_whitespace();
        let mut said = text.iter().filter(is_text);
        while let (Some(open), Some(byte)) = (self.open, said.next()) {
            let is_part = match (self.goes_on, byte) {
                (false, b',') => {
                    self.goes_on = true;
                    continue;
                }
                (goes_on, byte) => *byte == if goes_on { b'"' } else { b'}' },
            };
            self.open = None;
            self.first = is_part.then_some(open);
        }
        let mut last = text.iter().rev().filter(is_text).copied();
        self.before = match (last.next(), last.next()) {
            (Some(last), Some(before)) => [before, last],
            (Some(last), None) => [self.before[1], last],
            (None, _) => self.before,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Torn;

    /// Whether the document between the texts is a part, however they are split.
    fn is_part(before: &str, behind: &str) -> bool {
        let pieces = |torn: &mut Torn, text: &str, length: usize| {
            let pieces = text.as_bytes().chunks(length);
            pieces.for_each(|piece| torn.noise(piece));
        };
        let told = [1, 2, 100].map(|length| {
            let mut torn = Torn::default();
            pieces(&mut torn, before, length);
            torn.document(|| 7);
            pieces(&mut torn, behind, length);
            torn.first() == Some(7)
        });
        assert_eq!(told, [told[0]; 3], "{before} {behind}");
        told[0]
    }

    #[test]
    fn a_member_between_a_name_and_a_closing_bracket_is_a_part() {
        for (before, behind) in [
            ("\"stats\": ", "\n}\n"),
            ("sions\",\n \"a\" :\n", ",\n  \"b\": 1\n}"),
            ("\"a\":", "}}"),
        ] {
            assert!(is_part(before, behind), "{before} {behind}");
        }
        for (before, behind) in [
            ("", "}"),
            ("Set \"a\": ", " and go on"),
            ("Set \"a\": ", ", then go on"),
            ("Set \"a\": ", ""),
            ("{a: ", "}"),
            ("\"a\" ", "}"),
        ] {
            assert!(!is_part(before, behind), "{before} {behind}");
        }
    }
}
