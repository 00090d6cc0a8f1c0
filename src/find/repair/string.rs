//! Where a string ends whose quotes cannot be trusted.
//!
//! A closing mark is believed when what follows it is what the grammar wants there (`follow` knows), unless a rule says
//! that it is text of the string all the same; any other mark is text of the string, unless it opens the next one. Where
//! the input ends before a mark is believed, those that were not decide, or the text between the last key and the next.

use super::inner::{Inner, Refused};
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
    /// Whether the name of the member has no quotes.
    pub(super) bare: bool,
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
    /// Whether the quotes around it were two double quotes, or there were none, which is told elsewhere.
    pub(super) plain: bool,
}

impl Extent {
    /// A string whose quotes were not two double quotes, or not where they belong.
    const fn ended(start: usize, end: usize, next: usize) -> Self {
        Self {
            start,
            end,
            next,
            cut: false,
            plain: false,
        }
    }

    /// Text that has no quotes.
    pub(super) const fn bare(start: usize, end: usize) -> Self {
        Self {
            plain: true,
            ..Self::ended(start, end, end)
        }
    }
}

/// How far behind a likely end of a string a better one is looked for, in bytes.
const REACH: usize = 1 << 16;

/// A search for the end of one string.
struct Search {
    start: usize,
    open: Quote,
    /// Whether the opening mark is doubled.
    doubled: bool,
    place: Place,
    refused: Refused,
    inner: Inner,
    /// The first end that would be believed, were it not for brackets in the text that are still open.
    put_off: Option<Extent>,
}

impl Search {
    /// Whether a mark is the second of a straight pair between curly ones: `[“he said "yes", "no"”]`.
    fn closes_straight_pair(&mut self, text: Text<'_>, at: usize) -> bool {
        self.open == Quote::SmartDouble && text.at(at) == Some(b'"') && self.inner.is_second()
    }

    /// The string that ends at a mark. `""No," he said"`: where there are single marks, two of them are no doubled one.
    const fn ended(&self, at: usize, behind: usize, length: usize) -> Extent {
        let single = self.doubled && self.refused.count > 0;
        Extent {
            start: self.start - if single { length } else { 0 },
            end: if single { behind - length } else { at },
            next: behind,
            cut: false,
            plain: length == 1,
        }
    }
}

/// Finds the ends of strings in one candidate.
#[derive(Debug)]
pub(super) struct Strings<'a> {
    pub(super) text: Text<'a>,
    /// Whether equals signs stand for colons behind names in quotes.
    pub(super) equals: bool,
    /// How many more times a string without an end may be searched for a likely one.
    searches: &'a mut u32,
}

impl<'a> Strings<'a> {
    pub(super) const fn new(text: Text<'a>, searches: &'a mut u32) -> Self {
        Self {
            text,
            equals: false,
            searches,
        }
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
        Some(Extent::ended(start, end, end + marks.len()))
    }

    /// The color that stands where a value is wanted, as CSS writes it, or the number of an issue: it is no comment.
    pub(super) fn color(&self, offset: usize) -> Option<Extent> {
        let rest = self.text.slice(offset, self.text.len()).strip_prefix('#')?;
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).take(9);
        let end = offset + 1 + digits.count();
        let settled = end > offset + 1 && self.closes_at(end);
        settled.then_some(Extent::bare(offset, end))
    }

    /// The content of a fence that stands where a value is wanted, without its info string.
    pub(super) fn block(&mut self, offset: usize) -> Option<Extent> {
        const MARKS: &str = "```";
        let text = self.text;
        if *self.searches == 0 || !text.starts(offset, MARKS) {
            return None;
        }
        let opened = offset + MARKS.len();
        let rest = text.slice(opened, text.len());
        let mut marks = memchr::memmem::find_iter(rest.as_bytes(), MARKS).map(|at| opened + at);
        let closing = marks.find(|at| self.closes_at(at + MARKS.len()));
        let Some(end) = closing else {
            *self.searches -= 1;
            return None;
        };
        let content = text.slice(opened, end);
        let info = content.find('\n').map_or(0, |at| at + 1);
        Some(Extent::ended(opened + info, end, end + MARKS.len()))
    }

    /// Reads on to the first closing mark that can be believed.
    fn search(&mut self, start: usize, open: Quote, doubled: bool, place: Place) -> Extent {
        let mut search = Search {
            start,
            open,
            doubled,
            place,
            refused: Refused::default(),
            inner: Inner::default(),
            put_off: None,
        };
        let mut at = start;
        while let Some(byte) = self.text.at(at) {
            if matches!(search.put_off, Some(extent) if at > extent.end + REACH) {
                break;
            }
            if byte == b'\\' {
                at += 1 + self.text.char_at(at + 1).map_or(0, char::len_utf8);
                continue;
            }
            // Neither a mark nor a bracket, but the most of what there is.
            if !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'{' | b'}' | b'[' | b']' | 0xC2 | 0xE2 | 0xEF
            ) {
                at += 1;
                continue;
            }
            let mark = self.text.quote_at(at);
            let length = mark.map_or(1, |(_, length)| length);
            let extent = match mark {
                Some((mark, _)) if open.closes_with(mark) => self.mark(at, length, &mut search),
                Some(_) => self.curly_mark(at, length, &mut search),
                None => {
                    search.inner.bracket(self.text, at, open);
                    None
                }
            };
            if let Some(extent) = extent {
                return extent;
            }
            at += length;
        }
        match search.put_off {
            Some(extent) => {
                *self.searches -= 1;
                extent
            }
            None => self.unclosed(start, search.refused, place),
        }
    }

    /// At a mark of another family: it may be the curly one that was meant, `"text”`.
    fn curly_mark(&self, at: usize, length: usize, search: &mut Search) -> Option<Extent> {
        let next = at + length;
        let closes = search.open == Quote::Double
            && search.inner.curly_mark(self.text, at)
            && self.ends_before(next, search.place);
        closes.then_some(Extent::ended(search.start, at, next))
    }

    /// At a mark that may close the string: it does, or it opens the next one, or it is text. An end is put off while
    /// brackets are open around marks in the text: code and JSON hold what looks like one.
    fn mark(&self, at: usize, length: usize, search: &mut Search) -> Option<Extent> {
        let text = self.text;
        let mut behind = at + length;
        if search.doubled && text.quote_at(behind).map(|(mark, _)| mark) == Some(search.open) {
            behind += length;
        }
        if self.is_believed(at, behind, search) {
            let extent = search.ended(at, behind, length);
            if search.refused.count == 0 || !search.inner.is_open() || *self.searches == 0 {
                return Some(extent);
            }
            search.put_off.get_or_insert(extent);
        } else if let Some(extent) = self.ended_earlier(at, search) {
            return Some(extent);
        }
        if !is_apostrophe_or_inches(text, search.start, at, behind) {
            search.refused.add(at, behind);
        }
        None
    }

    /// Whether a mark ends the string: the grammar allows what follows it, and no rule says that it is text.
    fn is_believed(&self, at: usize, behind: usize, search: &mut Search) -> bool {
        !search.closes_straight_pair(self.text, at)
            && !self.opens_value(at, behind, search)
            && !self.is_before_inner_colon(behind, search)
            && !self.closes_pair(behind, search)
            && self.ends_before(behind, search.place)
    }

    /// `{"name: "value"}`: whether a mark opens the value of the name.
    fn opens_value(&self, at: usize, behind: usize, search: &Search) -> bool {
        search.place.role == Role::Key
            && matches!(self.text.before(search.start, at), Some((_, b':')))
            && !self.colon_follows(behind)
    }

    /// `["the "name": text"]`: whether a colon follows a mark in an element that holds marks.
    fn is_before_inner_colon(&self, behind: usize, search: &Search) -> bool {
        search.place.role == Role::Element && search.refused.count > 0 && self.colon_follows(behind)
    }

    /// Whether a mark is the second of a pair in the text, although what follows it could follow the string.
    fn closes_pair(&self, behind: usize, search: &Search) -> bool {
        let text = self.text;
        if search.refused.count.is_multiple_of(2) {
            return false;
        }
        let at = text.look_past_blanks(behind);
        if let Some((_, length)) = text.quote_at(at) {
            // ["he said "no"", 1]
            return self.closes_at(at + length);
        }
        // {"a": "b "c" d: e"}, whose own name is not bare
        let member = search.place.role == Role::Value && !search.place.bare;
        if member && text.bare_key_at(at) {
            return true;
        }
        // {"a": "b["c"] { }"}, {"a": "f("c");"}
        let (closers, behind) = text.closers(at);
        if closers > 0 && matches!(text.at(behind), Some(b'{' | b';' | b'|')) {
            return true;
        }
        if text.at(at) != Some(b',') {
            return false;
        }
        let next = text.look_past_blanks(text.past(at));
        match (search.place.role, text.quote_at(next).is_some()) {
            // ["the "quick", "brown" fox", 1]
            (Role::Element, true) => {
                !matches!(text.look_string(next), Some(end) if self.follows_element(end))
            }
            // {"a": "b "c", d: e"}, whose own name is not bare
            (Role::Value, false) => {
                let line = text.slice(at, next).contains('\n');
                member && !line && text.bare_key_at(next)
            }
            _ => false,
        }
    }

    /// At a mark that does not end the string: it may open the next one, so that this one has lost its end.
    fn ended_earlier(&self, at: usize, search: &Search) -> Option<Extent> {
        let text = self.text;
        let Search {
            start,
            place,
            refused,
            ..
        } = *search;
        let (last, byte) = text.before(start, at)?;
        if search.inner.is_open() && byte != b'{' {
            return None;
        }
        let end = match (byte, place.role) {
            // {"key:"value"}
            (b':', Role::Key) => last,
            // {"key: 1, "next": 2}
            (b',', Role::Key) if text.quoted_key_at(at) => {
                start + text.slice(start, last).find(':')?
            }
            // {"a": "first, b: "second"}
            (b':', Role::Value) if place.bare || refused.count == 0 => {
                bare_key_before(text, start, last)?
            }
            // {"a": "b,"c": "d"} and ["a,"b"]
            (b',', Role::Value) if text.quoted_key_at(at) => last,
            (b',', Role::Element)
                if text.look_string(at).is_some_and(|end| self.closes_at(end)) =>
            {
                last
            }
            // [{"a": "first\n}, {\n"b": "second"}]
            (b'{', Role::Value | Role::Element) if refused.count == 0 && text.quoted_key_at(at) => {
                before_brackets(text, start, at)?
            }
            // {"a": ["b" c], "next": 1}
            (b',', Role::Element) if text.quoted_key_at(at) => refused.single().map(|_| last)?,
            // {"a": "first\n"b": 2}
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
        Some(Extent::ended(start, end, next))
    }

    /// The input ends and no closing mark was believed: the string is cut off, or its closing mark is missing.
    fn unclosed(&mut self, start: usize, refused: Refused, place: Place) -> Extent {
        let text = self.text;
        let content = text.slice(start, text.len());
        self.before_text(start, refused)
            .or_else(|| self.before_colon(start, content, place))
            .or_else(|| self.before_closers(start, content, refused, place))
            .unwrap_or(Extent {
                cut: true,
                ..Extent::ended(start, text.len(), text.len())
            })
    }

    /// Where a string ends that only text follows, as behind the members of an object that is cut off: at the end of
    /// the line of its last mark, if those in it come in pairs.
    fn before_text(&self, start: usize, refused: Refused) -> Option<Extent> {
        let (end, behind) = refused.last;
        let rest = self.text.slice(behind, self.text.len());
        let line = rest.trim_start_matches([' ', '\t', ',', '\r']);
        let ends = refused.count % 2 == 1 && line.starts_with('\n');
        ends.then_some(Extent::ended(start, end, self.text.len()))
    }

    /// `{"a": 1, "b: 2}`: a name ends before the first colon, if it is like one.
    fn before_colon(&mut self, start: usize, content: &str, place: Place) -> Option<Extent> {
        if place.role != Role::Key || *self.searches == 0 {
            return None;
        }
        let (name, _) = content.split_once(':').filter(|(name, _)| is_name(name))?;
        *self.searches -= 1;
        let end = start + name.len();
        Some(Extent::ended(start, end, end))
    }

    /// Where a string ends that the closing brackets at the end of the input show to be closed: at its only mark, before
    /// what may be the next name or element, or before the brackets.
    fn before_closers(
        &mut self,
        start: usize,
        content: &str,
        refused: Refused,
        place: Place,
    ) -> Option<Extent> {
        let closes = |c: char| "}]".contains(c) || (c == ')' && place.parentheses);
        let body = content.trim_end_matches(|c: char| c.is_whitespace() || closes(c));
        let tail = content.get(body.len()..)?;
        if *self.searches == 0 || place.role == Role::Root || !tail.contains(closes) {
            return None;
        }
        *self.searches -= 1;
        if let Some((end, next)) = refused.single() {
            return Some(Extent::ended(start, end, next));
        }
        let end = match place.role {
            // {"f(x): 1}
            Role::Key => content.find(':'),
            // ["a, b, c]
            Role::Element if refused.count == 0 => body.find(','),
            // {"a": "first, b: 2}
            Role::Value if refused.count == 0 => first_bare_key(self.text, start, body),
            _ => None,
        };
        let end = start + end.unwrap_or(body.len());
        Some(Extent::ended(start, end, end))
    }
}

/// Whether text is like a name: letters, digits, blanks and hyphens, and not many.
pub(super) fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || "_- ".contains(c);
    !text.is_empty() && text.len() <= 64 && text.chars().all(letter)
}

/// Whether a mark is no quotation: `O'Brien`, `a 24" screen`.
fn is_apostrophe_or_inches(text: Text<'_>, start: usize, at: usize, behind: usize) -> bool {
    let before = text.slice(start, at).chars().next_back();
    let next = text.char_at(behind);
    match text.quote_at(at) {
        Some((Quote::Single | Quote::SmartSingle, _)) => {
            before.is_some_and(char::is_alphabetic) && next.is_some_and(char::is_alphabetic)
        }
        _ => {
            let goes_on = next.is_some_and(|c| !c.is_alphanumeric() && !matches!(c, '\r' | '\n'));
            before.is_some_and(|c| c.is_ascii_digit()) && goes_on
        }
    }
}

/// Where a string ended behind which only brackets and line ends stand before an offset.
fn before_brackets(text: Text<'_>, start: usize, at: usize) -> Option<usize> {
    let content = text.slice(start, at);
    let body = content.trim_end_matches(|c: char| c.is_ascii_whitespace() || "{}[],".contains(c));
    let tail = content.get(body.len()..)?;
    (tail.contains('}') && tail.contains('\n')).then_some(start + body.len())
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

/// How far behind `start`, where `body` begins, the comma before the first bare key stands.
fn first_bare_key(text: Text<'_>, start: usize, body: &str) -> Option<usize> {
    let mut commas = memchr::memchr_iter(b',', body.as_bytes());
    commas.find(|at| text.bare_key_at(text.skip_blanks(start + at + 1)))
}
