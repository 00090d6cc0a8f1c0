//! Stage `repair`: what a tolerant reader can make of the best candidate of a source in which the strict stages found
//! nothing.
//!
//! `cut` finds the candidates and `reader` reads them, with `member` for names, `bare` for what has no quotes and
//! `close` for closing brackets, `remark` for what is said beside the values; `string`, `inner` and `follow` say where
//! strings end, `escape` and `scalar` write leaves as JSON has them. The reading is one pass without recursion, so
//! neither depth nor size of the input can hurt. It happens in text that is broken, so it is a guess by nature; what
//! comes out is strict JSON in any case, and the changes are told.

mod bare;
mod change;
mod close;
mod cut;
mod escape;
mod follow;
mod inner;
mod member;
mod reader;
mod remark;
mod scalar;
mod string;
#[cfg(test)]
mod tests;
mod text;

use change::{Change, Changes};
use cut::Fence;
use reader::{Budget, Reading};
use text::{Text, is_quote};

use crate::find::thinking;
use crate::json::is_json;

/// Bounds of a repair.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest source that is read, in bytes.
    pub source: usize,
    /// The deepest nesting that is read, in brackets. Each costs a few dozen bytes while it is open.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source: 1 << 30,
            depth: 1 << 20,
        }
    }
}

/// A document that was made of broken text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Strict JSON.
    pub text: Vec<u8>,
    /// What was changed, in lower-case phrases. Empty if nothing was.
    pub changes: Vec<String>,
    /// The first byte of the candidate in the source.
    pub start: usize,
    /// The first byte behind the candidate in the source.
    pub end: usize,
    /// How many values of the source it holds. Several are put into one array, which the source does not have.
    pub values: usize,
    /// How many of them are documents as they stand there, so that the strict stages could find them, too.
    pub documents: usize,
    /// Whether one of them is an object with members or an array that holds an object or array, or the source is nothing
    /// but one document.
    pub strong: bool,
}

/// Makes a document of the best candidate in a source. `None` if nothing in it looks like JSON, or it is too large.
#[must_use]
pub fn repair(source: &[u8], limits: &Limits) -> Option<Repaired> {
    if source.len() > limits.source {
        return None;
    }
    if let Some(text) = strict(source) {
        let start = source.len() - source.trim_ascii_start().len();
        let end = start + text.len();
        return Some(Repaired {
            text: text.to_vec(),
            changes: Vec::new(),
            start,
            end,
            values: 1,
            documents: 1,
            strong: true,
        });
    }
    let decoded = Decoded::new(source);
    let best = Source::new(Text(&decoded.text), limits).best();
    let mut best = best.filter(|best| !best.is_all_left_out())?;
    if !decoded.replaced.is_empty() {
        best.changes.note(Change::Encoding);
    }
    // The reader writes nothing else; a mistake of its own must not leave as a document.
    strict(&best.json)?;
    let (start, end) = (decoded.offset(best.start), decoded.offset(best.end));
    let valid = source.get(start..end).map(std::str::from_utf8);
    Some(Repaired {
        start,
        end,
        changes: best.changes.phrases(),
        strong: best.strong,
        text: best.json,
        values: best.count,
        // Invalid UTF-8 is no document to the strict stages.
        documents: match valid {
            Some(Ok(_)) => best.documents,
            _ => 0,
        },
    })
}

/// The text without the white space around it, if it is one strict JSON value.
fn strict(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii();
    is_json(text).then_some(text)
}

/// A source as text, with the way back to its bytes.
struct Decoded<'a> {
    text: std::borrow::Cow<'a, str>,
    /// Behind each replacement: its offset in the text and in the source.
    replaced: Vec<(usize, usize)>,
}

impl<'a> Decoded<'a> {
    fn new(source: &'a [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(source) {
            return Self {
                text: text.into(),
                replaced: Vec::new(),
            };
        }
        let mut text = String::with_capacity(source.len());
        let mut replaced = Vec::new();
        let mut read = 0;
        for chunk in source.utf8_chunks() {
            text.push_str(chunk.valid());
            read += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                replaced.push((text.len(), read));
            }
        }
        // What is invalid at the very end was cut in the middle of a character.
        let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
        text.truncate(kept);
        Self {
            text: text.into(),
            replaced,
        }
    }

    fn offset(&self, at: usize) -> usize {
        let before = self.replaced.partition_point(|(text, _)| *text <= at);
        match before.checked_sub(1).and_then(|i| self.replaced.get(i)) {
            Some((text, source)) => source + (at - text),
            None => at,
        }
    }
}

/// One candidate, or several that stand beside each other.
struct Group {
    /// The values, commas between them.
    json: Vec<u8>,
    count: usize,
    /// Whether one of them holds more than scalars, as [`Reading::strong`] says.
    strong: bool,
    /// Whether all of them are empty.
    empty: bool,
    /// Whether others may be added, as [`joins`] says.
    joins: bool,
    /// How many of them are documents as they stand.
    documents: usize,
    changes: Changes,
    start: usize,
    end: usize,
}

impl Group {
    fn new(reading: Reading, start: usize, end: usize) -> Self {
        Self {
            joins: joins(&reading),
            json: reading.json,
            count: 1,
            strong: reading.strong,
            empty: reading.empty,
            documents: usize::from(reading.document),
            changes: reading.changes,
            start,
            end,
        }
    }

    /// Adds the value that stands behind the others. An empty one that had to be closed is the beginning of something
    /// that was cut off.
    fn add(&mut self, reading: Reading, end: usize) {
        self.end = end;
        self.changes.merge(&reading.changes);
        if reading.empty && reading.changes != Changes::default() {
            return;
        }
        self.json.push(b',');
        self.json.extend_from_slice(&reading.json);
        self.count += 1;
        self.strong |= reading.strong;
        self.empty &= reading.empty;
        self.documents += usize::from(reading.document);
    }

    /// Whether text was left out and nothing is there in its place: what was meant is not what is left.
    fn is_all_left_out(&self) -> bool {
        self.empty && self.changes.has(Change::Dropped)
    }

    /// What makes one candidate better than another. One that needed no change was there for the strict stages, too,
    /// and was not what they were to find.
    fn rank(&self) -> (bool, bool, bool, usize) {
        let changed = self.changes != Changes::default();
        (self.strong, !self.empty, changed, self.end - self.start)
    }
}

/// A source while its candidates are looked for.
struct Source<'a> {
    text: Text<'a>,
    /// The fence that is read.
    fence: Option<Fence>,
    changes: Changes,
    budget: Budget,
}

impl<'a> Source<'a> {
    /// How many searches for lost quotes a source may cost, each of which may take a pass over all of it.
    const SEARCHES: u32 = 32;
    /// How many fences that announce JSON are read until one holds some. Each may cost a pass, too.
    const FENCES: usize = 32;

    fn new(text: Text<'a>, limits: &Limits) -> Self {
        let budget = Budget {
            depth: limits.depth,
            searches: Self::SEARCHES,
        };
        Self {
            text,
            fence: None,
            changes: Changes::default(),
            budget,
        }
    }

    /// The best candidate, as one document.
    fn best(mut self) -> Option<Group> {
        let from = match cut::behind_thinking(self.text) {
            0 => self.answer(),
            from => from,
        };
        if from > 0 {
            self.changes.note(Change::Thinking);
        }
        self.text = cut::before_tokens(self.text);
        let whole = self.text;
        let mut announced = false;
        let mut behind = from;
        for _ in 0..Self::FENCES {
            let fence = self.fenced(behind);
            // Behind a fence that announced JSON, only another such one may stand for it.
            let Some(fence) = fence.filter(|fence| fence.announced || !announced) else {
                break;
            };
            if let Some(best) = self.inside(fence) {
                self.changes.note(Change::Fence);
                return Some(self.joined(best));
            }
            (self.text, self.fence) = (whole, None);
            if !fence.announced {
                break;
            }
            announced = true;
            behind = fence.content;
        }
        if announced {
            return None;
        }
        if let Some(inner) = whole.0.trim_end().strip_suffix("```") {
            // The end of a fence whose beginning was lost.
            self.text = Text(inner);
        }
        let best = self.value(from)?;
        Some(self.joined(best))
    }

    /// Where the answer begins behind thinking that the prompt has opened, unless a value holds the mark.
    fn answer(&mut self) -> usize {
        let text = self.text;
        let Some(end) = thinking::answer(text.0.as_bytes()) else {
            return 0;
        };
        let line = text.slice(0, end).rsplit('\n').next().unwrap_or_default();
        let alone = line.trim_start().starts_with(['<', '.']);
        let before = self.openings(0).next().filter(|at| *at < end && !alone);
        let inside = before.and_then(|at| self.read(at));
        if inside.is_some_and(|(_, behind)| behind > end) {
            return 0;
        }
        end
    }

    /// The best candidate in a fence.
    fn inside(&mut self, fence: Fence) -> Option<Group> {
        let body = self.text.0.trim_end();
        let body = body.trim_end_matches(char::from(fence.marks.byte)).len();
        let body = cut::last_closing(self.text, &fence).unwrap_or(body);
        self.text = Text(self.text.slice(0, body.max(fence.content)));
        self.fence = Some(fence);
        self.value(fence.content)
    }

    /// The best candidate from an offset on.
    fn value(&mut self, from: usize) -> Option<Group> {
        let best = self.members(from).or_else(|| self.root(from));
        let best = best.or_else(|| self.candidate(from))?;
        let text = self.text;
        let closing = self
            .fence
            .and_then(|fence| fence.closing(text, best.end, text.len()));
        let around = [
            text.slice(from, best.start),
            text.slice(best.end, closing.unwrap_or(text.len())),
        ];
        if around
            .iter()
            .any(|noise| noise.contains(|c: char| c.is_alphanumeric()))
        {
            self.changes.note(Change::Prose);
        }
        Some(best)
    }

    /// The fence that is to be read: not one inside of a value that begins before it.
    fn fenced(&mut self, from: usize) -> Option<Fence> {
        let fence = cut::fence(self.text, from)?;
        let marks = fence.start;
        let before = self.openings(from).next().filter(|at| *at < marks);
        let inside = before
            .and_then(|at| self.read(at))
            .is_some_and(|(_, end)| end > marks);
        let first = self.text.skip_blanks(from);
        let closing = self.text.0.trim_end().ends_with(is_quote);
        let quoted = closing && self.text.quote_at(first).is_some();
        (!inside && !quoted).then_some(fence)
    }

    /// The offsets of the brackets that may open a candidate.
    fn openings(&self, from: usize) -> impl Iterator<Item = usize> + use<'a> {
        let text = self.text;
        let first = text.look_past_blanks(from);
        let rest = text.slice(from, text.len());
        let brackets = memchr::memchr2_iter(b'{', b'[', rest.as_bytes()).map(move |at| from + at);
        brackets.filter(move |at| {
            let other = cut::is_heading(text, *at) || cut::is_tag(text, *at);
            !other && (*at == first || cut::is_opening(text, *at))
        })
    }

    /// The value at an offset and the first byte behind it.
    fn read(&mut self, offset: usize) -> Option<(Reading, usize)> {
        let behind = usize::from(matches!(self.text.at(offset), Some(b'{' | b'[')));
        let (inner, end) = if cut::is_entity(self.text, offset + behind) {
            cut::without_entities(self.text, offset)
        } else if cut::is_escaped(self.text, offset + behind) {
            let (mut inner, end) = cut::unescape(self.text, offset);
            // Each level halves the backslashes; no more than a few were ever written on purpose.
            for _ in 0..4 {
                if !cut::is_escaped(Text(&inner), behind) {
                    break;
                }
                inner = cut::unescape(Text(&inner), 0).0;
            }
            (inner, end)
        } else {
            let reading = reader::read(self.text, offset, &mut self.budget)?;
            let end = reading.end;
            return Some((reading, end));
        };
        let mut reading = reader::read(Text(&inner), 0, &mut self.budget)?;
        reading.changes.note(Change::Unescaped);
        reading.document = false;
        Some((reading, end))
    }

    /// The text as the members of an object whose opening bracket the prompt has: `"name": 1, "next": 2}`.
    fn members(&mut self, from: usize) -> Option<Group> {
        let text = self.text;
        let start = text.skip_blanks(from);
        let colon = text.look_past_blanks(text.look_string(start)?);
        let value = text.look_past_blanks(colon + 1);
        let json = text.value_at(value) || string::literal_at(text, value);
        if text.at(colon) != Some(b':') || !json {
            return None;
        }
        let reading = reader::read_members(text, start, &mut self.budget)?;
        let end = reading.end;
        Some(Group::new(reading, start, end))
    }

    /// Where a value begins that is no object or array, if the text begins like one.
    fn root_at(&self, from: usize) -> Option<usize> {
        let text = self.text;
        let mut start = text.skip_blanks(from);
        while let Some(end) = text.comment_end(start) {
            start = text.skip_blanks(end);
        }
        let byte = text.at(start)?;
        let end = text.word_end(start);
        let word = text.slice(start, end);
        let announced = text.quote_at(start).is_some()
            || cut::is_escaped(text, start)
            || b"(+-.0123456789".contains(&byte)
            || scalar::literal(word).is_some()
            || text.at(end) == Some(b'(')
            || (end == text.len() && scalar::cut_literal(word).is_some());
        (announced && !matches!(byte, b'{' | b'[')).then_some(start)
    }

    /// The text as one value that is no object or array: a string, a number, a literal, a tuple, a call.
    fn root(&mut self, from: usize) -> Option<Group> {
        let text = self.text;
        let start = self.root_at(from)?;
        let mut group: Option<Group> = None;
        let one_word = !text
            .slice(start, text.len())
            .trim()
            .contains(char::is_whitespace);
        let mut at = start;
        while at < text.len() {
            let (reading, end) = self.read(at)?;
            let marked =
                text.quote_at(at).is_some() || text.at(at).is_some_and(|b| b"\\({[".contains(&b));
            let bare = !marked && reading.changes.has(Change::Bare);
            // A text that only begins like a string or a number is prose, and what is wanted stands further on.
            let swallowed =
                reading.changes.has(Change::Closer) && self.openings(at).next().is_some();
            if bare && !one_word || swallowed {
                return None;
            }
            match &mut group {
                Some(group) => group.add(reading, end),
                None => group = Some(Group::new(reading, start, end)),
            }
            if text.marks_at(text.skip_blanks(end)) {
                break;
            }
            at = text.look_past_blanks(self.past_separators(end));
            let apart = at > end || at >= text.len();
            if !apart {
                return None;
            }
        }
        group
    }

    /// Behind the blanks, separators and stray closing brackets at an offset.
    fn past_separators(&self, offset: usize) -> usize {
        let mut at = self.text.skip_blanks(offset);
        while matches!(self.text.at(at), Some(b',' | b';' | b'}' | b']' | b'`')) {
            at = self.text.skip_blanks(self.text.past(at));
        }
        at
    }

    /// The best of all candidates, those beside each other taken as one.
    fn candidate(&mut self, from: usize) -> Option<Group> {
        let mut best: Option<Group> = None;
        let mut last: Option<Group> = None;
        let mut read_to = from;
        for start in self.openings(from) {
            if start < read_to {
                continue;
            }
            let fence = self.fence;
            if fence.is_some_and(|fence| fence.closing(self.text, read_to, start).is_some()) {
                break;
            }
            // A bracket always gives something, unless it is nested too deeply; so are those inside of it.
            let Some((reading, end)) = self.read(start) else {
                break;
            };
            read_to = end.max(start + 1);
            match &mut last {
                Some(last) if self.may_join(last, &reading, start) => last.add(reading, end),
                _ => {
                    best = better(best, last.take());
                    last = Some(Group::new(reading, start, end));
                }
            }
        }
        better(best, last)
    }

    /// Whether a value may be one of several.
    fn may_join(&self, group: &Group, reading: &Reading, start: usize) -> bool {
        group.joins && joins(reading) && self.beside(group.end, start)
    }

    /// Whether nothing but blanks and commas stands between two candidates.
    fn beside(&self, end: usize, start: usize) -> bool {
        self.text
            .slice(end, start)
            .chars()
            .all(|c| c.is_whitespace() || c == ',')
    }

    /// The group as one document.
    fn joined(mut self, mut group: Group) -> Group {
        if group.count > 1 {
            self.changes.note(Change::Sequence);
            group.json.insert(0, b'[');
            group.json.push(b']');
        }
        group.changes.merge(&self.changes);
        group
    }
}

/// Whether a value may become one of several. Bare words in brackets are prose as often as not, a log's `[INFO]`, and a
/// number is a footnote.
fn joins(reading: &Reading) -> bool {
    let element = reading.json.strip_prefix(b"[");
    let element = element.and_then(|rest| rest.strip_suffix(b"]"));
    let number = element.is_some_and(|element| element.iter().all(u8::is_ascii_digit));
    !reading.prose && (reading.strong || !number && !reading.changes.has(Change::Bare))
}

/// The better one of two candidates, the first of equals.
fn better(first: Option<Group>, second: Option<Group>) -> Option<Group> {
    match (first, second) {
        (Some(first), Some(second)) if second.rank() > first.rank() => Some(second),
        (first, second) => first.or(second),
    }
}
