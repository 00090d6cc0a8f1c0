//! Stage `repair`: makes a document of the best candidate of a source in which the strict stages found nothing.
//!
//! `cut` finds the candidates and `reader` reads them, with `member` for names, `bare` for text without quotes and
//! `close` for closing brackets; `string` and `follow` decide where strings end, `escape` and `scalar` write strings,
//! numbers and literals as strict JSON. The reader makes one pass without recursion, so neither depth nor size of the
//! input can hurt. The input is broken, so the result is a guess by nature; it is strict JSON in any case, and the
//! changes are reported.

mod bare;
mod change;
mod close;
mod cut;
mod escape;
mod follow;
mod member;
mod reader;
mod scalar;
mod string;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;

use change::{Changes, RepairChange};
use cut::FenceOpening;
use reader::RepairReading;
use text::CandidateText;

use crate::finder::thinking;
use jsift_json::is_json;

/// Maximum number of searches for lost quotation marks in a source; each may take a pass over all of it.
const SEARCHES: u32 = 32;

/// A document made of broken text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Strict JSON.
    pub text: Vec<u8>,
    /// What was changed, in lower-case phrases; empty if nothing was.
    pub changes: Vec<String>,
    /// Offset of the candidate's first byte in the source.
    pub start: usize,
    /// Offset in the source of the first byte after the candidate.
    pub end: usize,
    /// How many values of the source the document contains. Several are put into one array, which the source does not
    /// have.
    pub values: usize,
    /// How many of these values are documents as they stand in the source, so that the strict stages could find them,
    /// too.
    pub documents: usize,
    /// Whether one of these values is an object with members or an array that contains an object or array, or the
    /// source is nothing but one document.
    pub strong: bool,
}

/// Returns a document made of the best candidate in a source; `None` if nothing in it looks like JSON, or it is nested
/// too deeply.
#[must_use]
pub fn repair(source: &[u8]) -> Option<Repaired> {
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
    let text = decoded(source);
    let candidates = Candidates {
        text: CandidateText(&text),
        fence: None,
        changes: Changes::default(),
        searches: SEARCHES,
    };
    let mut best = candidates.best().filter(|best| !best.is_all_left_out())?;
    if let Cow::Owned(_) = text {
        best.changes.note(RepairChange::Encoding);
    }
    // The reader writes only strict JSON; should it ever not, its output is discarded here.
    strict(&best.json)?;
    let (start, end) = (offset(source, best.start), offset(source, best.end));
    let valid = source.get(start..end).map(std::str::from_utf8);
    Some(Repaired {
        start,
        end,
        changes: best.changes.phrases(),
        strong: best.strong,
        text: best.json,
        values: best.values,
        // To the strict stages, invalid UTF-8 is not a document.
        documents: match valid {
            Some(Ok(_)) => best.documents,
            _ => 0,
        },
    })
}

/// Returns the text without the white space around it, if it is one strict JSON value.
fn strict(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii();
    is_json(text).then_some(text)
}

/// Returns a source as text. Invalid bytes at its very end are a character that was cut in the middle.
fn decoded(source: &[u8]) -> Cow<'_, str> {
    let mut text = String::from_utf8_lossy(source);
    if let Cow::Owned(text) = &mut text {
        let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
        text.truncate(kept);
    }
    text
}

/// Returns the offset in the source of a character that begins at `at` in the decoded text.
fn offset(source: &[u8], at: usize) -> usize {
    let (mut text, mut read) = (0, 0);
    for chunk in source.utf8_chunks() {
        if at <= text + chunk.valid().len() {
            break;
        }
        text += chunk.valid().len() + char::REPLACEMENT_CHARACTER.len_utf8();
        read += chunk.valid().len() + chunk.invalid().len();
    }
    read + (at - text)
}

/// The candidates of a source.
struct Candidates<'a> {
    text: CandidateText<'a>,
    /// The fence that is being read.
    fence: Option<FenceOpening>,
    changes: Changes,
    /// How many more searches for the likely end of an unclosed string are allowed; each may cost the rest of the text.
    searches: u32,
}

impl<'a> Candidates<'a> {
    /// Returns the best candidate as one document.
    fn best(mut self) -> Option<RepairReading> {
        let from = match cut::behind_thinking(self.text) {
            0 => self.answer(),
            from => from,
        };
        if from > 0 {
            self.changes.note(RepairChange::Thinking);
        }
        let whole = self.text;
        if let Some(fence) = self.fenced(from) {
            if let Some(best) = self.inside(fence) {
                self.changes.note(RepairChange::Fence);
                return Some(self.joined(best));
            }
            // If a fence announces JSON, no other place is searched.
            if fence.announced {
                return None;
            }
            (self.text, self.fence) = (whole, None);
        }
        if let Some(inner) = whole.0.trim_end().strip_suffix("```") {
            // The text ends with the closing marks of a fence whose opening marks were lost.
            self.text = CandidateText(inner);
        }
        let best = self.value(from)?;
        Some(self.joined(best))
    }

    /// Whether the first value at or after `from` begins before `at` and ends after it.
    fn holds(&mut self, from: usize, at: usize) -> bool {
        let first = self.openings(from).next().filter(|first| *first < at);
        let reading = first.and_then(|first| self.read(first));
        reading.is_some_and(|reading| reading.end > at)
    }

    /// Returns where the answer begins after thinking that the prompt has opened; 0 if there is no such thinking, or
    /// if the closing mark is part of a value.
    fn answer(&mut self) -> usize {
        let text = self.text;
        let Some(end) = thinking::answer(text.0.as_bytes()) else {
            return 0;
        };
        let line = text.slice(0, end).rsplit('\n').next().unwrap_or_default();
        let alone = line.trim_start().starts_with(['<', '.']);
        match alone || !self.holds(0, end) {
            true => end,
            false => 0,
        }
    }

    /// Returns the fence to read; `None` if there is none, or if it is inside a value that begins before it.
    fn fenced(&mut self, from: usize) -> Option<FenceOpening> {
        let fence = cut::fence(self.text, from)?;
        (!self.holds(from, fence.start)).then_some(fence)
    }

    /// Returns the best candidate in a fence.
    fn inside(&mut self, fence: FenceOpening) -> Option<RepairReading> {
        let end = cut::last_closing(self.text, &fence).unwrap_or(self.text.len());
        self.text = CandidateText(self.text.slice(0, end));
        self.fence = Some(fence);
        self.value(fence.content)
    }

    /// Returns the best candidate at or after an offset.
    fn value(&mut self, from: usize) -> Option<RepairReading> {
        let best = self.members(from).or_else(|| self.root(from));
        let best = best.or_else(|| self.candidate(from))?;
        let text = self.text;
        let around = [
            text.slice(from, best.start),
            text.slice(best.end, text.len()),
        ];
        if around.concat().contains(char::is_alphanumeric) {
            self.changes.note(RepairChange::Prose);
        }
        Some(best)
    }

    /// Returns the offsets, at or after `from`, of the brackets that may open a candidate.
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

    /// Reads the value at an offset. If the value is part of an escaped string, one level of escapes is removed
    /// first.
    fn read(&mut self, offset: usize) -> Option<RepairReading> {
        let behind = usize::from(matches!(self.text.at(offset), Some(b'{' | b'[')));
        if !cut::is_escaped(self.text, offset + behind) {
            return reader::read(self.text, offset, &mut self.searches);
        }
        let (inner, end) = cut::unescape(self.text, offset);
        let mut reading = reader::read(CandidateText(&inner), 0, &mut self.searches)?;
        reading.changes.note(RepairChange::Unescaped);
        (reading.start, reading.end, reading.documents) = (offset, end, 0);
        Some(reading)
    }

    /// Reads the text as the members of an object whose opening bracket is in the prompt: `"name": 1, "next": 2}`.
    fn members(&mut self, from: usize) -> Option<RepairReading> {
        let text = self.text;
        let start = text.skip_blanks(from);
        let colon = text.look_past_blanks(text.look_string(start)?);
        let value = text.look_past_blanks(colon + 1);
        let json = text.value_at(value) || string::literal_at(text, value);
        if text.at(colon) != Some(b':') || !json {
            return None;
        }
        reader::read_members(text, start, &mut self.searches)
    }

    /// Returns where a value begins that is neither an object nor an array, if the text begins like one.
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

    /// Reads the text as one value that is neither an object nor an array: a string, a number, a literal, a tuple, a
    /// call. A text that only begins like one is prose, and the value that is wanted comes later.
    fn root(&mut self, from: usize) -> Option<RepairReading> {
        let text = self.text;
        let start = self.root_at(from)?;
        let reading = self.read(start)?;
        let first = text.at(start)?;
        let marked = text.quote_at(start).is_some() || b"\\({[".contains(&first);
        let bare = !marked && reading.changes.has(RepairChange::Bare);
        let words = text.slice(start, text.len()).trim();
        let swallowed =
            reading.changes.has(RepairChange::Closer) && self.openings(start).next().is_some();
        let behind = self.past_separators(reading.end);
        let is_all = text.look_past_blanks(behind) >= text.len() || text.marks_at(behind);
        let prose = bare && words.contains(char::is_whitespace) || swallowed || !is_all;
        (!prose).then_some(reading)
    }

    /// Returns the offset after the blanks, separators and stray closing brackets at an offset.
    fn past_separators(&self, offset: usize) -> usize {
        let mut at = self.text.skip_blanks(offset);
        while matches!(self.text.at(at), Some(b',' | b';' | b'}' | b']' | b'`')) {
            at = self.text.skip_blanks(self.text.past(at));
        }
        at
    }

    /// Returns the best of all candidates; adjacent values count as one candidate.
    fn candidate(&mut self, from: usize) -> Option<RepairReading> {
        let mut best: Option<RepairReading> = None;
        let mut last: Option<RepairReading> = None;
        let mut read_to = from;
        for start in self.openings(from) {
            if start < read_to {
                continue;
            }
            let fence = self.fence;
            if fence.is_some_and(|fence| fence.closing(self.text, read_to, start).is_some()) {
                break;
            }
            // Reading from a bracket fails only if the nesting is too deep, and then it fails from the brackets
            // inside it, too.
            let Some(reading) = self.read(start) else {
                break;
            };
            read_to = reading.end.max(start + 1);
            match &mut last {
                Some(last) if self.may_join(last, &reading) => last.add(&reading),
                _ => {
                    best = better(best, last.take());
                    last = Some(reading);
                }
            }
        }
        better(best, last)
    }

    /// Whether two values may be joined: both allow it, and only white space and commas are between them.
    fn may_join(&self, first: &RepairReading, next: &RepairReading) -> bool {
        let between = self.text.slice(first.end, next.start);
        let beside = between.chars().all(|c| c.is_whitespace() || c == ',');
        first.joins && next.joins && beside
    }

    /// Returns the values as one document: several are put into an array.
    fn joined(mut self, mut best: RepairReading) -> RepairReading {
        if best.values > 1 {
            self.changes.note(RepairChange::Sequence);
            best.json.insert(0, b'[');
            best.json.push(b']');
        }
        best.changes.merge(&self.changes);
        best
    }
}

/// Returns the better of two candidates, or the first if they are equally good.
fn better(first: Option<RepairReading>, second: Option<RepairReading>) -> Option<RepairReading> {
    match (first, second) {
        (Some(first), Some(second)) if second.rank() > first.rank() => Some(second),
        (first, second) => first.or(second),
    }
}
