//! Where a string ends whose quotes cannot be trusted.
//!
//! A closing mark is believed when what follows it is what the grammar wants there (`follow` knows); any other mark is
//! text of the string. Where no mark is believed, the text between the last key and the next one decides.

use super::text::{Quote, Text};

/// What a string is to its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The name of a member.
    Key,
    /// The value of a member.
    Value,
    /// An element of an array.
    Element,
    /// All of a candidate.
    Root,
}

/// What the reader knows about the surroundings of a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) role: Role,
    /// Whether the object around it has members already.
    pub(super) members: bool,
    /// Whether it stands directly in parentheses.
    pub(super) parentheses: bool,
    /// Whether the container around its own is an array.
    pub(super) in_array: bool,
    /// How many brackets are open around it.
    pub(super) depth: usize,
}

/// The extent of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Its first byte behind the opening mark.
    pub(super) start: usize,
    /// The end of its content.
    pub(super) end: usize,
    /// Where reading goes on.
    pub(super) next: usize,
    /// Whether the input ended in it.
    pub(super) cut: bool,
    /// Whether the quotes around it were two double quotes.
    pub(super) plain: bool,
}

/// The closing marks that were not believed.
#[derive(Debug, Clone, Copy, Default)]
struct Refused {
    count: usize,
    /// The first of them, and the byte behind it.
    first: (usize, usize),
}

impl Refused {
    fn add(&mut self, mark: usize, behind: usize) {
        if self.count == 0 {
            self.first = (mark, behind);
        }
        self.count += 1;
    }

    /// The mark, if it was the only one: marks inside of a text come in pairs.
    fn single(self) -> Option<(usize, usize)> {
        (self.count == 1).then_some(self.first)
    }
}

/// Finds the ends of strings in one candidate.
#[derive(Debug)]
pub(super) struct Strings<'a> {
    pub(super) text: Text<'a>,
    /// How many more times a string without an end may be searched for a likely one.
    searches: &'a mut u32,
}

impl<'a> Strings<'a> {
    pub(super) const fn new(text: Text<'a>, searches: &'a mut u32) -> Self {
        Self { text, searches }
    }

    /// The extent of the string whose opening mark stands at `offset`.
    pub(super) fn extent(&mut self, offset: usize, place: Place) -> Option<Extent> {
        let (open, length) = self.text.quote_at(offset)?;
        let mut start = offset + length;
        if let Some(extent) = self.tripled(offset, open) {
            return Some(extent);
        }
        let doubled = self.text.is_doubled(offset);
        if doubled {
            start += length;
        }
        let mut extent = self.search(start, open, doubled, place);
        extent.plain &= open == Quote::Double && !doubled;
        Some(extent)
    }

    /// `"""text"""`, as Python writes it.
    fn tripled(&self, offset: usize, open: Quote) -> Option<Extent> {
        let marks = match open {
            Quote::Double => "\"\"\"",
            Quote::Single => "'''",
            _ => return None,
        };
        let start = offset + marks.len();
        if !self.text.starts(offset, marks) {
            return None;
        }
        let rest = self.text.slice(start, self.text.len());
        let length = memchr::memmem::find(rest.as_bytes(), marks.as_bytes())?;
        let end = start + length;
        Some(Extent {
            start,
            end,
            next: end + marks.len(),
            cut: false,
            plain: false,
        })
    }

    /// Reads on to the first closing mark that can be believed.
    fn search(&mut self, start: usize, open: Quote, doubled: bool, place: Place) -> Extent {
        let mut at = start;
        let mut refused = Refused::default();
        while let Some(byte) = self.text.at(at) {
            if byte == b'\\' {
                at += 1 + self.text.char_at(at + 1).map_or(0, char::len_utf8);
                continue;
            }
            let Some((_, length)) = self
                .text
                .quote_at(at)
                .filter(|(mark, _)| open.closes_with(*mark))
            else {
                at += 1;
                continue;
            };
            let mut behind = at + length;
            if doubled
                && self
                    .text
                    .quote_at(behind)
                    .is_some_and(|(mark, _)| mark == open)
            {
                behind += length;
            }
            let name =
                refused.count > 0 && place.role == Role::Element && self.colon_follows(behind);
            if self.ends_before(behind, place) && !name {
                return Extent {
                    start,
                    end: at,
                    next: behind,
                    cut: false,
                    plain: length == 1,
                };
            }
            if let Some(end) = self.ended_earlier(start, at, refused, place) {
                return end;
            }
            refused.add(at, behind);
            at += length;
        }
        self.unclosed(start, refused, place)
    }

    /// At a mark that does not end the string: it may open the next one, so that this one has lost its end.
    fn ended_earlier(
        &self,
        start: usize,
        at: usize,
        refused: Refused,
        place: Place,
    ) -> Option<Extent> {
        let text = self.text;
        let (last, byte) = text.before(start, at)?;
        let end = match (byte, place.role) {
            // {"key:"value"}
            (b':', Role::Key) => last,
            // {"key: 1, "next": 2}
            (b',', Role::Key) if text.quoted_key_at(at) => {
                start + text.slice(start, last).find(':')?
            }
            // {"a": "first, b: "second"}
            (b':', Role::Value) => bare_key_before(text, start, last)?,
            // {"a": "b,"c": "d"} and ["a,"b"]
            (b',', Role::Value) if text.quoted_key_at(at) => last,
            (b',', Role::Element) if text.look_string(at).is_ok_and(|end| self.closes_at(end)) => {
                last
            }
            // ["a" b], "next": 1
            (b',', Role::Element) if text.quoted_key_at(at) => refused.single().map(|_| last)?,
            // a line that begins with the next key
            (_, Role::Value) if text.quoted_key_at(at) && text.slice(last, at).contains('\n') => {
                last + 1
            }
            _ => return None,
        };
        // A single mark in between was the end, and text follows it that belongs to nothing.
        let (end, next) = refused
            .single()
            .filter(|(quote, _)| *quote < end)
            .unwrap_or((end, end));
        Some(Extent {
            start,
            end,
            next,
            cut: false,
            plain: false,
        })
    }

    /// The input ends and no closing mark was believed: the string is cut off, or its closing mark is missing.
    fn unclosed(&mut self, start: usize, refused: Refused, place: Place) -> Extent {
        let text = self.text;
        let all = Extent {
            start,
            end: text.len(),
            next: text.len(),
            cut: true,
            plain: false,
        };
        let closed = |end: usize| Extent {
            start,
            end,
            next: end,
            cut: false,
            plain: false,
        };
        let content = text.slice(start, text.len());
        let closes = |c: char| "}]".contains(c) || (c == ')' && place.parentheses);
        let body = content.trim_end_matches(|c: char| c.is_whitespace() || closes(c));
        let tail = content.get(body.len()..).unwrap_or_default();
        if *self.searches == 0 || place.role == Role::Root || !tail.contains(closes) {
            return all;
        }
        *self.searches -= 1;
        if let Some((end, next)) = refused.single() {
            return Extent {
                start,
                end,
                next,
                cut: false,
                plain: false,
            };
        }
        let end = match place.role {
            Role::Key => content.find(':'),
            Role::Element if refused.count == 0 => body.find(','),
            Role::Value if refused.count == 0 => first_bare_key(text, start, start + body.len()),
            _ => None,
        };
        closed(start + end.unwrap_or(body.len()))
    }
}

/// Whether a literal of JSON or of a language near to it stands at an offset.
pub(super) fn literal_at(text: Text<'_>, offset: usize) -> bool {
    let word = text.slice(offset, text.word_end(offset));
    super::scalar::literal(word).is_some()
}

/// The comma before the bare key that ends at the colon `colon`.
fn bare_key_before(text: Text<'_>, start: usize, colon: usize) -> Option<usize> {
    let from = text.boundary(start.max(colon.saturating_sub(64)));
    let near = text.slice(from, colon);
    let comma = near.rfind(',')?;
    text.bare_key_at(text.skip_blanks(from + comma + 1))
        .then_some(from + comma)
}

/// How far behind `start` the comma before the first bare key stands.
fn first_bare_key(text: Text<'_>, start: usize, end: usize) -> Option<usize> {
    let body = text.slice(start, end);
    let commas = memchr::memchr_iter(b',', body.as_bytes());
    let mut keys = commas.filter(|at| text.bare_key_at(text.skip_blanks(start + at + 1)));
    keys.next()
}
