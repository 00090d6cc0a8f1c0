//! What the text of a string holds that looks like its end: marks of its own, and brackets around them.

use super::text::{Quote, Text};

/// The closing marks that were not believed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refused {
    pub(super) count: usize,
    /// The first of them, and the byte behind it.
    first: (usize, usize),
    /// The last of them, and the byte behind it.
    pub(super) last: (usize, usize),
}

impl Refused {
    pub(super) fn add(&mut self, mark: usize, behind: usize) {
        if self.count == 0 {
            self.first = (mark, behind);
        }
        self.last = (mark, behind);
        self.count += 1;
    }

    /// The mark, if it was the only one: marks inside of a text come in pairs.
    pub(super) fn single(self) -> Option<(usize, usize)> {
        (self.count == 1).then_some(self.first)
    }
}

/// What the text of a string has opened itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inner {
    /// A bit for each open bracket, the innermost lowest: whether a quotation mark follows it, as in code and JSON that
    /// was put into the string as it is. Of very many, the outermost are forgotten.
    brackets: u64,
    /// How many curly quotation marks are open.
    curly: u32,
    /// Whether a straight one is open between curly ones.
    straight: bool,
}

impl Inner {
    /// Whether a mark here belongs to code or JSON in the string.
    pub(super) const fn is_open(self) -> bool {
        self.brackets != 0
    }

    /// Takes notice of a bracket.
    pub(super) fn bracket(&mut self, text: Text<'_>, at: usize, open: Quote) {
        match text.at(at) {
            Some(b'{' | b'[') => {
                let next = text.skip_blanks(at + 1);
                let next = next + usize::from(text.at(next) == Some(b'\\'));
                let mark = text.quote_at(next);
                let quoted = mark.is_some_and(|(mark, _)| open.closes_with(mark));
                self.brackets = self.brackets << 1 | u64::from(quoted);
            }
            Some(b'}' | b']') => self.brackets >>= 1,
            _ => {}
        }
    }

    /// Takes notice of a straight mark between curly ones; says whether it is the second of a pair.
    pub(super) fn is_second(&mut self) -> bool {
        self.straight = !self.straight;
        !self.straight
    }

    /// Takes notice of a curly mark; says whether it is one that may close a string which a straight one has opened:
    /// none in the string has opened it, and it does not stand for inches.
    pub(super) fn curly_mark(&mut self, text: Text<'_>, at: usize) -> bool {
        match text.char_at(at).filter(|c| "“”„".contains(*c)) {
            Some('”') if self.curly == 0 => {
                !text.slice(0, at).ends_with(|c: char| c.is_ascii_digit())
            }
            Some('”') => {
                self.curly -= 1;
                false
            }
            Some(_) => {
                self.curly += 1;
                false
            }
            None => false,
        }
    }
}
