//! Long texts of which the beginning and the end are kept.

use crate::split_at_most;

/// The beginning and the end of a text that may be long, and the number of bytes left out between them.
///
/// The end is kept because a command that fails says why in its last lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Excerpt {
    head: String,
    tail: String,
    left_out: usize,
}

impl Excerpt {
    /// Returns a text, cut to at most `most` bytes.
    pub(super) fn of(text: &str, most: usize) -> Self {
        let mut excerpt = Self::default();
        excerpt.push(text, most);
        excerpt.cut(most);
        excerpt
    }

    /// Adds text. Holds at most one and a half times `most` bytes; takes time proportional to the length of `text`.
    pub(super) fn push(&mut self, text: &str, most: usize) {
        let head = match self.tail.is_empty() && self.left_out == 0 {
            true => (most - most / 4).saturating_sub(self.head.len()),
            false => 0,
        };
        let (head, rest) = split_at_most(text, head);
        self.head.push_str(head);
        let room = most / 4;
        let end = self.leave_out(rest, room);
        self.tail.push_str(end);
        if self.tail.len() > 2 * room {
            let tail = std::mem::take(&mut self.tail);
            self.tail = self.leave_out(&tail, room).to_owned();
        }
    }

    /// Returns the last bytes of a text, at most `room`, and counts the others as left out.
    fn leave_out<'t>(&mut self, text: &'t str, room: usize) -> &'t str {
        let mut start = text.len().saturating_sub(room);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        self.left_out += start;
        text.get(start..).unwrap_or_default()
    }

    /// Cuts the text to at most `most` bytes.
    pub(super) fn cut(&mut self, most: usize) {
        if self.weight() <= most {
            return;
        }
        if self.left_out == 0 {
            self.head.push_str(&std::mem::take(&mut self.tail));
        }
        let head = std::mem::take(&mut self.head);
        let (head, rest) = split_at_most(&head, most - most / 4);
        self.head = head.to_owned();
        let tail = if self.left_out == 0 {
            rest.to_owned()
        } else {
            self.left_out += rest.len();
            std::mem::take(&mut self.tail)
        };
        self.tail = self.leave_out(&tail, most / 4).to_owned();
    }

    /// Returns whether anything is left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// Returns how many bytes are kept.
    pub(super) const fn weight(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Returns the length of the whole text, in bytes.
    pub(super) const fn length(&self) -> usize {
        self.weight() + self.left_out
    }

    /// Returns whether the text is blank.
    pub(crate) fn is_blank(&self) -> bool {
        self.left_out == 0 && self.head.trim().is_empty() && self.tail.trim().is_empty()
    }

    /// Returns whether the text has several lines, as far as it is known.
    pub(super) fn has_lines(&self) -> bool {
        self.left_out > 0 || self.head.trim_end().contains('\n') || !self.tail.is_empty()
    }

    /// Returns the beginning, the number of bytes left out after it, and the end.
    pub(super) fn parts(&self) -> (&str, usize, &str) {
        (&self.head, self.left_out, &self.tail)
    }

    /// Returns the whole text if nothing is left out, otherwise its beginning.
    pub(super) fn beginning(&self) -> String {
        match self.left_out {
            0 => format!("{}{}", self.head, self.tail),
            _ => self.head.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_and_end_are_kept_however_the_text_comes() {
        let text: String = (0..1000).map(|n| format!("{n} é ")).collect();
        for most in [0, 1, 7, 100, 1000, 10_000] {
            let whole = Excerpt::of(&text, most);
            assert!(whole.weight() <= most.max(text.len().min(most)));
            let mut pieces = Excerpt::default();
            for c in text.chars() {
                pieces.push(c.encode_utf8(&mut [0; 4]), most);
                assert!(pieces.weight() <= most + most / 2 + 4);
            }
            pieces.cut(most);
            for excerpt in [&whole, &pieces] {
                assert_eq!(excerpt.length(), text.len());
                let (head, left_out, tail) = excerpt.parts();
                assert!(text.starts_with(head) && text.ends_with(tail));
                assert_eq!(head.len() + left_out + tail.len(), text.len());
                if most >= text.len() {
                    assert_eq!(excerpt.beginning(), text);
                }
            }
            assert!(whole.weight() + 8 >= most.min(text.len()));
        }
    }

    #[test]
    fn a_further_cut_leaves_out_more() {
        let mut excerpt = Excerpt::of(&"0123456789".repeat(100), 400);
        for most in [300, 100, 10, 0] {
            excerpt.cut(most);
            assert!(excerpt.weight() <= most);
            assert_eq!(excerpt.length(), 1000);
        }
    }
}
