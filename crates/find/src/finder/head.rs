//! The head of a source: a string literal that is the whole source, or thinking blocks at its start.

use super::reader::{Question, Reader, Unfinished, WITHHELD, between};
use super::strings::outside_strings;
use super::thinking::{self, BlockEnd};
use super::window::{Window, first_line};
use super::{FindOptions, Finder, literal};
use crate::document::{Document, Fault, Origin, OwnedDocument, Rank, Stage, Visitor};
use crate::prefix::{self, Left};
use memchr::{memchr2, memrchr};

use jsift_json::scan::{Aside, clean};
use std::ops::Range;

/// The longest source that is tried as one string literal, in bytes.
pub const LITERAL_LIMIT: u64 = 64 << 20;

/// What the source starts with.
#[derive(Debug)]
pub(crate) enum Head {
    /// Nothing but white space up to this place.
    Start(u64),
    Literal(Literal),
    Thinking(Thinking),
    /// Ordinary text, or text after the head.
    Over,
}

#[derive(Debug)]
pub(crate) struct Literal {
    start: u64,
    at: u64,
    /// The place after the closing quote.
    closed: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Thinking {
    content: u64,
    end: BlockEnd,
}

impl Head {
    pub(crate) const fn new(at: u64) -> Self {
        Self::Start(at)
    }

    /// Returns the place up to which nothing but blank text was read and nothing is needed again; `None` if something
    /// else was read.
    pub(crate) const fn blank_until(&self) -> Option<u64> {
        match self {
            Self::Start(at) => Some(*at),
            _ => None,
        }
    }

    /// Goes back to the start of a literal that is not closed yet, or not sure to be the whole source.
    pub(crate) fn leave_literal(&mut self) {
        if let Self::Literal(literal) = self {
            *self = Self::Start(literal.start);
        }
    }

    /// Reads the head. Returns whether the reader may go on.
    pub(crate) fn advance(
        &mut self,
        window: &Window,
        reader: &mut Reader,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> bool {
        loop {
            let next = match self {
                Self::Over => return true,
                Self::Start(at) => go_on_at_start(at, window, reader, last),
                Self::Literal(literal) => literal.go_on(window, reader, last, visitor),
                Self::Thinking(thinking) => thinking.go_on(window, reader, last, visitor),
            };
            match next {
                Some(next) => *self = next,
                None => return last,
            }
        }
    }
}

/// Goes on after blank text up to `at`. Returns what follows it; `None` if that needs more text.
fn go_on_at_start(at: &mut u64, window: &Window, reader: &mut Reader, last: bool) -> Option<Head> {
    match start(*at, window, reader.options(), last) {
        Ok((Head::Over, first)) if reader.options().prefixes => {
            if let Some(question) = after_prefix(line_of(first, *at, window), window, last)? {
                reader.ask_of_thinking(question);
            }
            Some(Head::Over)
        }
        Ok((next, _)) => Some(next),
        Err(reached) => {
            *at = line_of(reached, *at, window);
            None
        }
    }
}

/// Returns where the line that contains `place` starts, but at least `from` and at most [`FIRST_LINE`] bytes back.
fn line_of(place: u64, from: u64, window: &Window) -> u64 {
    let near = place.saturating_sub(FIRST_LINE as u64).max(from);
    match memrchr(b'\n', window.slice(near, place)) {
        Some(feed) => near + feed as u64 + 1,
        None => near,
    }
}

/// Returns the first thing after the blanks and colours at `at`, and where it starts; if it is not known yet, the end
/// of the blanks.
fn start(
    mut at: u64,
    window: &Window,
    options: &FindOptions,
    last: bool,
) -> Result<(Head, u64), u64> {
    loop {
        let rest = window.from(at);
        match rest.first() {
            None => return Err(at),
            Some(b'"') if options.string => {
                let literal = Literal {
                    start: at,
                    at: at + 1,
                    closed: None,
                };
                return Ok((Head::Literal(literal), at));
            }
            Some(b'\x1e') => return Ok((Head::Over, at)),
            Some(_) => match between(rest, last) {
                Aside::Read(length) => at += length as u64,
                Aside::Incomplete => return Err(at),
                Aside::None => return block(at, rest, last).map(|head| (head, at)).ok_or(at),
            },
        }
    }
}

/// How many bytes of a line are searched for the opening of a thinking block.
const FIRST_LINE: usize = 1024;

/// Returns the question about a thinking block that the first line opens after a prefix, `Some(None)` if there is no
/// such block. Lines before it that contain only the prefix or the edge of a box do not count. `None` if the line is
/// not complete yet.
fn after_prefix(at: u64, window: &Window, last: bool) -> Option<Option<Question>> {
    let Some((line, left, written)) = opening_line(at, window, last)? else {
        return Some(None);
    };
    let prefix = Left::new(left);
    let is_bare = |line: &[u8]| {
        let rest = prefix.carried(prefix::without_bom(line));
        is_edge(line) || rest.is_some_and(|rest| clean(rest).trim_ascii().is_empty())
    };
    let before = window.slice(at, line);
    if !before.split_inclusive(|&byte| byte == b'\n').all(is_bare) {
        return Some(None);
    }
    let start = line + left.len() as u64;
    let place = (line, start, start + written.len() as u64);
    let about = Unfinished::Thinking;
    Some(Some(Question::of_line(place, left, written, about)))
}

/// A line that opens a thinking block: where it starts, its text before the opening tag, and the text from there on.
type OpeningLine<'a> = (u64, &'a [u8], &'a [u8]);

/// Returns the first line that opens a thinking block, `Some(None)` if text that is no prefix comes before it. `None`
/// if a line is not complete yet.
fn opening_line(at: u64, window: &Window, last: bool) -> Option<Option<OpeningLine<'_>>> {
    let mut start = at;
    loop {
        let text = first_line(window.from(start), FIRST_LINE as u64, last)?;
        // In a string the tag is quoted: `["reply: <think>"]`.
        let is_in_string = |left: &[u8]| outside_strings(left, |_, _| {});
        let opens = |(left, after): &(&[u8], &[u8])| {
            thinking::opening(after).is_some() && prefix::stands_apart(left) && !is_in_string(left)
        };
        let mut splits = (1..text.len()).filter_map(|at| text.split_at_checked(at));
        if let Some((left, written)) = splits.find(opens) {
            return Some(Some((start, left, written)));
        }
        let ends = [b"\r\n".as_slice(), b"\n"];
        let line = ends.iter().find_map(|end| text.strip_suffix(*end));
        let line = line.unwrap_or(text);
        // An object is not held back until the next line has come.
        let may_be_bare = is_edge(text) || !text.contains(&b'{') && prefix::stands_apart(line);
        if text.is_empty() || !may_be_bare || start - at > FIRST_LINE as u64 {
            return Some(None);
        }
        start += text.len() as u64;
    }
}

/// Whether a line shows nothing or only the edge of a box.
fn is_edge(line: &[u8]) -> bool {
    !line.iter().any(u8::is_ascii_graphic)
}

/// Returns whether the text at `at` is a thinking block or ordinary text; `None` if that needs more text.
fn block(at: u64, text: &[u8], last: bool) -> Option<Head> {
    let tags = thinking::opening(text);
    if tags.is_none() && !last && thinking::may_open(text) {
        return None;
    }
    Some(tags.map_or(Head::Over, |tags| {
        let content = at + tags.open.len() as u64;
        Head::Thinking(Thinking {
            content,
            end: BlockEnd::new(tags),
        })
    }))
}

impl Literal {
    /// Hands on what the literal contains if it is the whole source. Returns what follows; `None` if that needs more
    /// text.
    fn go_on(
        &mut self,
        window: &Window,
        reader: &mut Reader,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Option<Head> {
        if self.read(window, last)? {
            self.deliver(window, reader, visitor);
        }
        Some(Head::Over)
    }

    /// Returns whether the whole source is one literal; `None` if that needs more text.
    fn read(&mut self, window: &Window, last: bool) -> Option<bool> {
        while self.closed.is_none() {
            let rest = window.from(self.at);
            let Some(special) = memchr2(b'"', b'\\', rest) else {
                self.at = self.at.max(window.end());
                break;
            };
            self.at += special as u64 + 1;
            match rest.get(special) {
                Some(b'"') => self.closed = Some(self.at),
                // The byte after a backslash is part of the string.
                _ => self.at += 1,
            }
        }
        let closed = match self.closed {
            Some(closed) => closed,
            None if last || self.at - self.start > LITERAL_LIMIT => return Some(false),
            None => return None,
        };
        let after = window.from(self.at);
        if after.iter().all(u8::is_ascii_whitespace) {
            self.at = window.end();
            if last {
                return Some(true);
            }
            return (self.at - closed > LITERAL_LIMIT).then_some(false);
        }
        Some(false)
    }

    /// Hands on the documents that the literal contains.
    fn deliver(&self, window: &Window, reader: &mut Reader, visitor: &mut dyn Visitor) {
        let end = self.closed.unwrap_or(self.at);
        let Ok(content) = literal::decode(window.slice(self.start, end)) else {
            return;
        };
        let options = FindOptions {
            string: false,
            whole: true,
            fence: true,
            embedded: false,
            ..reader.options().clone()
        };
        let read = |visitor: &mut dyn Visitor| {
            Finder::read_text(options.clone(), &content, visitor);
        };
        // There may be as many documents as there are bytes, so they are read twice and not kept.
        let mut content_of = Content::default();
        read(&mut content_of);
        if content_of.other || content_of.best.is_none() {
            return;
        }
        let position = window.position(self.start);
        let length = window.position(end).offset - position.offset;
        let mut count = 0;
        read(&mut |document: Document<'_>| {
            count += 1;
            if count <= content_of.thinking || document.rank == Rank::Weak {
                return;
            }
            let place = Origin {
                stage: Stage::String,
                position,
                length,
                prefix: None,
                ..document.origin()
            };
            visitor.document(Document {
                // Other fences rank below the best ones in the literal.
                rank: match Some(document.rank) == content_of.best {
                    true => Rank::String,
                    false => document.rank,
                },
                place: &place,
                layout: None,
                ..document
            });
        });
        reader.taken(window.end());
    }
}

/// What is known of a literal's content.
#[derive(Debug, Default)]
struct Content {
    /// The number of documents.
    count: u64,
    /// How many of the first documents are thinking.
    thinking: u64,
    /// The best rank of the others, which stages `whole` and `fence` have found.
    best: Option<Rank>,
    /// Whether any of these is no object or array.
    other: bool,
}

impl Visitor for Content {
    fn document(&mut self, document: Document<'_>) {
        self.count += 1;
        if document.rank != Rank::Weak {
            self.other |= !matches!(document.text.first(), Some(b'{' | b'['));
            let best = self
                .best
                .map_or(document.rank, |best| best.min(document.rank));
            self.best = Some(best);
        }
    }

    fn thinking_ended(&mut self) {
        (self.thinking, self.best, self.other) = (self.count, None, false);
    }
}

impl Thinking {
    /// Goes on in the block. Returns what follows it, or that it is no block; `None` if that needs more text.
    fn go_on(
        &mut self,
        window: &Window,
        reader: &mut Reader,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Option<Head> {
        if let Some(tag) = self.end(window, last) {
            self.read(tag.start, window, reader, None);
            reader.skip_to(tag.end);
            return Some(Head::Start(tag.end));
        }
        if last && !self.is_long(window) {
            // The answer is missing, and what is at fault in the thoughts is not made up for.
            self.read(window.end(), window, reader, Some(visitor));
            reader.skip_to(window.end());
        }
        (last || self.is_long(window)).then_some(Head::Over)
    }

    /// Whether the block has more content than is withheld.
    fn is_long(&self, window: &Window) -> bool {
        window.end() - self.content > WITHHELD
    }

    /// Returns where the closing tag is, if it was found.
    fn end(&mut self, window: &Window, last: bool) -> Option<Range<u64>> {
        let last = last || self.is_long(window);
        let tag = self.end.find(window.from(self.content), last)?;
        Some(self.content + tag.start as u64..self.content + tag.end as u64)
    }

    /// Reads the content of the block: its documents are kept as weak, and its faults go to `faults`, if
    /// that is given.
    fn read<'a>(
        &self,
        end: u64,
        window: &Window,
        reader: &'a mut Reader,
        faults: Option<&'a mut dyn Visitor>,
    ) {
        let mut inner = Window::at(self.content, window.position(self.content));
        inner.push(window.slice(self.content, end));
        let mut finder = Finder::over(
            inner,
            FindOptions {
                string: false,
                ..reader.options().clone()
            },
        );
        let mut drafts = Drafts { reader, faults };
        finder.advance(true, &mut drafts);
        finder.settle(&mut drafts);
        finder.reader.finish(&mut drafts);
    }
}

/// Keeps the documents of a thinking block as weak.
struct Drafts<'a> {
    reader: &'a mut Reader,
    faults: Option<&'a mut dyn Visitor>,
}

impl Visitor for Drafts<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.reader.keep_draft(OwnedDocument::new(&document, true));
    }

    fn fault(&mut self, fault: Fault) {
        if let Some(faults) = &mut self.faults {
            self.reader.note_fault();
            faults.fault(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Stage};
    use crate::finder::{FindOptions, Finder};

    #[test]
    fn a_literal_that_a_later_read_goes_on_after_is_text() {
        let mut found = Vec::new();
        let mut visitor = |document: Document<'_>| {
            let text = String::from_utf8_lossy(document.text).into_owned();
            found.push((document.stage(), text));
        };
        let mut finder = Finder::new(FindOptions::default());
        finder.push(b"\"{\\\"a\\\":1}\"\n", &mut visitor);
        finder.push(b"sent {\"b\":2}\n", &mut visitor);
        finder.finish(&mut visitor);
        assert_eq!(found, [(Stage::Embedded, "{\"b\":2}".to_owned())]);
    }

    #[test]
    fn lines_before_a_thinking_block_that_is_asked_about_are_read() {
        let text = "\n".repeat(12) + ":<think>\nsee {\"a\":1}\n{";
        let mut found = 0;
        let mut finder = Finder::new(FindOptions {
            whole: false,
            ..FindOptions::default()
        });
        let mut visitor = |_: Document<'_>| found += 1;
        finder.push(text.as_bytes(), &mut visitor);
        finder.finish(&mut visitor);
        assert_eq!(found, 1);
    }
}
