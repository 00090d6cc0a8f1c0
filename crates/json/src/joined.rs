//! Text that is put together piece by piece.
//!
//! Text that an agent streams is either written as a JSON string again or never looked at. So it is kept as the content
//! of a JSON string, and decoded only when it is looked at.

use std::ops::Range;

use super::string::{backslashes_before, is_escaped, write_escaped};
use super::text::Text;

/// How many bytes of memory are kept for later pieces when all pieces are dropped.
const ROOM: usize = 4096;

/// Pieces of text joined in order. Lengths and places are bytes of the text written as a JSON string.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// The content of a JSON string.
    json: Vec<u8>,
    /// Whether the string contains escapes, or contained some in a part that was dropped.
    escaped: bool,
}

impl Joined {
    /// Appends a piece. A surrogate pair that was split between two pieces is joined.
    pub fn push(&mut self, text: &Text<'_>) {
        self.escaped |= match text.raw() {
            Some((raw, escaped)) => {
                self.make_room(raw.len());
                self.json.extend_from_slice(raw);
                escaped
            }
            None => {
                let start = self.json.len();
                write_escaped(text.as_bytes(), &mut self.json);
                is_escaped(self.json.get(start..).unwrap_or_default())
            }
        };
    }

    /// Makes room for a piece: for a short text that goes on, also for pieces to come.
    fn make_room(&mut self, bytes: usize) {
        let length = self.json.len();
        let is_short = (1..ROOM).contains(&length);
        if is_short && self.json.capacity() - length < bytes {
            self.json.reserve(bytes.max(3 * length));
        }
    }

    /// Makes room for further pieces of that many bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.json.reserve(bytes);
    }

    /// Returns the whole text as owned data.
    #[must_use]
    pub fn into_text(self) -> Text<'static> {
        Text::of_joined(self.json)
    }

    /// Returns the place after the last piece.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.json.len()
    }

    /// Whether there is no text.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Drops all pieces. Up to 4 KiB of their memory are kept for others.
    pub fn clear(&mut self) {
        self.json.clear();
        self.json.shrink_to(ROOM);
        self.escaped = false;
    }

    /// Drops the pieces after a place.
    pub fn truncate(&mut self, place: usize) {
        self.json.truncate(place);
    }

    /// Drops all but the pieces between two places.
    pub fn keep(&mut self, places: Range<usize>) {
        self.json.truncate(places.end);
        self.json.drain(..places.start.min(self.json.len()));
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> Text<'_> {
        self.slice(0..self.len())
    }

    /// Returns the pieces between two places, empty if there are no such places.
    #[must_use]
    pub fn slice(&self, places: Range<usize>) -> Text<'_> {
        Text::of_string(self.json.get(places).unwrap_or_default(), self.escaped)
    }

    /// Whether the text ends in a line feed.
    #[must_use]
    pub fn ends_in_newline(&self) -> bool {
        ["n", "u000a", "u000A"].iter().any(|name| {
            let before = self.json.strip_suffix(name.as_bytes()).unwrap_or_default();
            backslashes_before(before, before.len()) % 2 == 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Joined;
    use crate::text::Text;

    fn joined(pieces: &[&str]) -> Joined {
        let mut joined = Joined::default();
        for piece in pieces {
            joined.push(&Text::decode(piece.as_bytes()));
        }
        joined
    }

    #[test]
    fn pieces_make_the_text_that_they_are_together() {
        let mut text = joined(&["a", r"\n\u00e9", r"\ud83d", r"\ude00", "\u{e9}"]);
        text.push(&Text::from("\"\u{1}\n"));
        assert_eq!(text.text(), "a\né😀é\"\u{1}\n");
        assert_eq!(text.clone().into_text(), text.text());
        text.truncate(1);
        assert_eq!(text.text(), "a");
        assert_eq!(joined(&[]).text(), "");
    }

    #[test]
    fn a_line_feed_at_the_end_is_seen_however_it_is_written() {
        for (piece, ends) in [
            (r"a\n", true),
            (r"a\\n", false),
            (r"a\\\n", true),
            (r"\u000a", true),
            (r"\u000A", true),
            (r"\\u000a", false),
            (r"\u010a", false),
            ("n", false),
            ("", false),
        ] {
            assert_eq!(joined(&[piece]).ends_in_newline(), ends, "{piece}");
            assert_eq!(joined(&[piece]).text().ends_in_newline(), ends, "{piece}");
        }
    }
}
