//! Finds the candidates for a repair in a text, between the documents that the strict stages have found.
//!
//! A bracket opens a candidate if a name or a value follows it. Text that may just as well be prose, a log prefix or
//! code is no candidate: words in brackets, placeholders, and braces after a word whose first name is not quoted. Only
//! a text, an answer or a fence that is nothing but one value may also be a value without brackets of its own.

use jsift_json::cost;
use std::ops::Range;

use super::change::RepairChange;
use super::reader;
use super::reading::RepairReading;
use super::string::literal_at;
use super::text::{CandidateText, NEAR, is_quote};
use super::{scalar, unescape};
use crate::finder::bracket::CDATA;
use crate::finder::fence;
use crate::finder::literal_names::json_for;
use crate::finder::reader::announced::is_announced;
use crate::finder::thinking::{self, BlockEnd};

/// Maximum number of searches for lost quotation marks in a text; each may take a pass over all of it.
const SEARCHES: u32 = 32;

/// How much text is read, in all, for each byte of a text: what comes to nothing is read again from a later bracket.
pub const WORK: usize = 8;

/// How much text is read in any case, in bytes.
pub const LEAST_WORK: usize = 1 << 16;

/// A document made of a part of a text.
#[derive(Debug)]
pub(super) struct RepairCandidate {
    pub(super) reading: RepairReading,
    /// Where the text starts whose faults the document replaces: the opening marks of a fence, or the document.
    pub(super) from: usize,
    pub(super) place: CandidatePlace,
}

/// What is around a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidatePlace {
    /// A fence that announces JSON.
    Fence,
    /// Nothing: it is the whole text, or alone on its lines.
    Alone,
    /// Other text on its lines.
    InLine,
}

/// A search for candidates.
pub(super) struct CandidateSearch<'a> {
    text: CandidateText<'a>,
    /// The ranges of the strong documents in the text.
    documents: &'a [Range<usize>],
    /// How many more bytes are read.
    budget: usize,
    /// How many more searches for the likely end of an unclosed string are allowed.
    searches: u32,
    /// The offset of the first byte of the text or fence that is searched, which announces what begins there.
    first: usize,
    /// Whether the text is a whole source or answer, and not the lines of one that carry a prefix.
    is_source: bool,
    found: Vec<RepairCandidate>,
}

/// Returns where the text after thinking starts, and the candidates in it in their order. `documents` are the ranges of
/// its strong documents, `fences` the offsets of the opening marks of its fences at fault. `is_source` says whether the
/// text is a whole source or answer.
pub(super) fn candidates(
    text: &str,
    documents: &[Range<usize>],
    fences: &[usize],
    is_source: bool,
) -> (usize, Vec<RepairCandidate>) {
    let text = CandidateText(text);
    let mut search = CandidateSearch {
        text,
        documents,
        budget: WORK * text.len() + LEAST_WORK,
        searches: SEARCHES,
        first: 0,
        is_source,
        found: Vec::new(),
    };
    let answer = search.past_thinking();
    let mut from = answer;
    search.first = text.past_comments(from);
    if fences.is_empty() && documents.is_empty() {
        search.text(from..text.len());
        return (answer, search.found);
    }
    for (index, &marks) in fences.iter().enumerate() {
        if marks < from {
            continue;
        }
        from = search.scan(from..marks).max(marks);
        let next = fences.get(index + 1).copied().unwrap_or(text.len());
        if from == marks
            && let Some(content) = fence::content(text.0, marks..next)
        {
            from = search.fence(marks, content);
        }
    }
    search.scan(from..text.len());
    (answer, search.found)
}

impl<'a> CandidateSearch<'a> {
    /// Returns where the text after thinking starts: after the blocks at its beginning, or after the tag that ends
    /// thinking which the prompt has opened, unless that tag is on a line of a value. A block that is not closed is
    /// read like text.
    fn past_thinking(&self) -> usize {
        let text = self.text;
        let mut at = 0;
        loop {
            let start = text.skip_blanks(at);
            let block = text.slice(start, text.len()).as_bytes();
            let end = thinking::opening(block).and_then(|tags| {
                let content = start + tags.open.len();
                let text = text.slice(content, text.len()).as_bytes();
                Some(content + BlockEnd::new(tags).find(text, true)?.end)
            });
            match end {
                Some(end) => at = end,
                None => break,
            }
        }
        let Some(end) = thinking::answer(text.0.as_bytes()).filter(|end| *end > at) else {
            return at;
        };
        let line = text.slice(text.line_start(end), end);
        let alone = line.trim_start().starts_with(['<', '.']);
        let value = matches!(text.at(text.past_comments(at)), Some(b'{' | b'['));
        if value && !alone { at } else { end }
    }

    /// Adds the candidates between the documents in a range. Returns where the last one ends.
    fn scan(&mut self, range: Range<usize>) -> usize {
        let rest = self.text.slice(range.start, range.end).as_bytes();
        let mut from = range.start;
        for bracket in memchr::memchr2_iter(b'{', b'[', rest).map(|at| range.start + at) {
            if bracket < from {
                continue;
            }
            if self.budget == 0 {
                break;
            }
            if let Some(document) = self
                .document_at(bracket)
                .filter(|document| !self.goes_on(document))
            {
                from = document.end;
            } else if let Some(reading) = self.bracket(bracket, range.end) {
                from = reading.end.max(bracket + 1);
                self.add(reading, CandidatePlace::InLine);
            }
        }
        from
    }

    /// Adds the candidate that is all of a text, or of the only fence in it, or else those in it.
    fn text(&mut self, range: Range<usize>) {
        let start = self.text.skip_blanks(range.start);
        let fence = fence::content(self.text.0, start..range.end);
        let content = fence.filter(|content| {
            self.text
                .slice(content.end, range.end)
                .trim_matches(|c: char| "`~".contains(c) || c.is_ascii_whitespace())
                .is_empty()
        });
        if let Some(content) = content {
            let before = self.found.len();
            self.fence(start, content);
            if let Some(found) = self.found.get_mut(before) {
                found.reading.changes.note(RepairChange::Fence);
            }
            return;
        }
        // The opening marks of the fence that ends the text may be lost.
        let text = self.text.slice(range.start, range.end);
        let text = text.trim_end().strip_suffix("```").unwrap_or(text);
        self.whole(range.start..range.start + text.len(), CandidatePlace::Alone);
    }

    /// Adds the candidate that is all of a range, or else those in it.
    fn whole(&mut self, range: Range<usize>, place: CandidatePlace) {
        let all = CandidateText(self.text.slice(0, range.end));
        let start = all.past_comments(range.start);
        self.first = start;
        let members = self.members(all, start);
        let reading = members.or_else(|| {
            let is_other = is_heading(all, start) || unescape::is_quoted(all, start);
            let reading = self.read(all, start).filter(|_| !is_other)?;
            let bracket = matches!(all.at(start), Some(b'{' | b'['));
            let announced = self.is_source || place == CandidatePlace::Fence;
            let may_be = announced || bracket && !reading.empty;
            let meant = may_be
                && (!bracket || reading.own_end(all) == reading.end)
                && self.is_all(all, &reading)
                && is_announced_whole(all, &reading);
            meant.then_some(reading)
        });
        let Some(mut reading) = reading else {
            _ = self.scan(range);
            return;
        };
        let after = all.slice(reading.end, all.len());
        if after.contains([',', ';', '，', '、', '；']) {
            reading.changes.note(RepairChange::ExtraComma);
        }
        if place == CandidatePlace::Fence && !all.slice(range.start, start).trim().is_empty() {
            reading.changes.note(RepairChange::Comment);
        }
        self.add(reading, place);
    }

    /// Adds the first candidate in the content of a fence whose opening marks are at `marks`. Returns where the search
    /// goes on.
    fn fence(&mut self, marks: usize, content: Range<usize>) -> usize {
        let before = self.found.len();
        self.whole(content.clone(), CandidatePlace::Fence);
        self.found.truncate(before + 1);
        let Some(found) = self.found.get_mut(before) else {
            return content.end;
        };
        (found.from, found.place) = (marks, CandidatePlace::Fence);
        found.reading.end
    }

    /// Adds a candidate.
    fn add(&mut self, reading: RepairReading, mut place: CandidatePlace) {
        let text = self.text;
        let line = text.slice(text.line_start(reading.start), reading.start);
        let after = text.slice(reading.end, text.boundary(reading.end.saturating_add(NEAR)));
        let after = after.split('\n').next().unwrap_or_default();
        let alone = line.trim().is_empty() && after.trim().is_empty();
        if place == CandidatePlace::InLine && alone {
            place = CandidatePlace::Alone;
        }
        self.found.push(RepairCandidate {
            from: reading.start,
            reading,
            place,
        });
    }

    /// Returns the document that contains an offset.
    fn document_at(&self, offset: usize) -> Option<Range<usize>> {
        let next = self
            .documents
            .partition_point(|document| document.end <= offset);
        let document = self.documents.get(next)?;
        (document.start <= offset).then(|| document.clone())
    }

    /// Reads the value at an offset.
    fn read(&mut self, text: CandidateText<'_>, offset: usize) -> Option<RepairReading> {
        read_unescaped(text, offset, self.documents, &mut self.searches)
    }

    /// Reads what the bracket at an offset opens, if that is a document that had to be repaired. It ends before the
    /// next document, unless that is a part of it.
    fn bracket(&mut self, offset: usize, limit: usize) -> Option<RepairReading> {
        let text = self.text;
        if !self.is_opening(offset) {
            return None;
        }
        let next = self
            .documents
            .partition_point(|document| document.start <= offset);
        let next = self
            .documents
            .get(next)
            .map(|next| next.start)
            .filter(|next| *next < limit);
        let mut all = self.tried(limit, offset)?;
        // A fence that ends in a string of the document is text of that string.
        if !all.closed && fence::marks(text.slice(limit, text.len()).as_bytes()).is_some() {
            let over = self.tried(text.len(), offset)?;
            let content = fence::content(text.0, limit..over.end);
            if over.closed && !over.is_guess() && content.is_some_and(|text| text.end < over.end) {
                all = over;
            }
        }
        let reading = match next {
            Some(next) if all.end > next && !self.holds_documents(&all) => {
                let near = text.line_start(next).max(offset + 1);
                self.tried(near, offset)?
            }
            _ => all,
        };
        let own = reading.own_end(text);
        let reading = match own < reading.end {
            true => self.tried(own, offset)?,
            false => reading,
        };
        is_meant(text, &reading).then_some(reading)
    }

    /// Whether a document may begin at an offset: it is the first thing in the text, or [announced](is_announced).
    fn is_announced(&self, offset: usize) -> bool {
        let text = self.text;
        let line = text.slice(text.line_start(offset), offset);
        offset == self.first || is_announced(line.as_bytes())
    }

    /// Whether the bracket at an offset may open a value that is worth repairing.
    fn is_opening(&self, offset: usize) -> bool {
        let text = self.text;
        // The value of a member is a part of the object around it.
        let line = text.slice(text.line_start(offset), offset);
        let name = line.trim_end().strip_suffix(':').map(str::trim_end);
        if name.is_some_and(|name| name.ends_with(['"', '\''])) {
            return false;
        }
        let next = text.look_past_blanks(offset + 1);
        let Some(byte) = text.at(next) else {
            return true;
        };
        // Backticks are as often around code in prose.
        let opens = text.quote_at(next).is_some() && !matches!(text.char_at(next), Some('`' | '´'));
        let quoted = opens || unescape::is_escaped(text, offset + 1);
        match text.at(offset) {
            Some(b'{') => {
                quoted
                    || matches!(byte, b',' | b'{')
                    || text.half_quoted_key_at(next)
                    || text
                        .bare_key(next)
                        .is_some_and(|sign| text.separates_at(sign))
                        && self.is_announced(offset)
            }
            _ if text.slice(0, offset + 1).as_bytes().ends_with(CDATA) => false,
            _ => {
                let before = text.slice(0, offset);
                let glued = before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                    && !before.ends_with("\\n");
                let listed = text.look_string(next).is_none_or(|end| {
                    let after = text.at(text.look_past_blanks(end));
                    after.is_none_or(|byte| b",:]}".contains(&byte))
                });
                let literal = || {
                    let after = text.look_past_blanks(text.word_end(next));
                    literal_at(text, next) && text.at(after) == Some(b',')
                };
                let value = quoted && listed || b"-0123456789".contains(&byte) || literal();
                value && !glued || b"{[".contains(&byte)
            }
        }
    }

    /// Reads what the bracket at an offset opens in the text before `end`, if there is budget for it.
    fn tried(&mut self, end: usize, offset: usize) -> Option<RepairReading> {
        let text = CandidateText(self.text.slice(0, end));
        let reading = self.read(text, offset);
        self.budget = match &reading {
            Some(reading) => self.budget.saturating_sub(reading.end - offset),
            // It is nested too deeply, and so is what the brackets in it open.
            None => 0,
        };
        reading
    }

    /// Whether all documents in a reading are parts of it: values, or text in its strings.
    fn holds_documents(&self, reading: &RepairReading) -> bool {
        let from = self
            .documents
            .partition_point(|document| document.start < reading.start);
        let to = self
            .documents
            .partition_point(|document| document.start < reading.end);
        reading.closed && self.is_announced(reading.start) && reading.parts == to - from
    }

    /// Whether the members of an object go on after a document that seems to be all of it: `{"a": 1}, "b": 2}`.
    fn goes_on(&mut self, document: &Range<usize>) -> bool {
        let text = self.text;
        let next = self.past_comma(document.end);
        next.is_some_and(|next| text.named_value_at(next)) || {
            let next = text.closers(text.skip_blanks(document.end)).1;
            text.goes_on_at(next, &mut self.searches)
        }
    }

    /// Returns the offset after the comma that follows an offset, or the closing brackets there.
    fn past_comma(&self, offset: usize) -> Option<usize> {
        let text = self.text;
        let comma = text.closers(text.skip_blanks(offset)).1;
        (text.at(comma) == Some(b',')).then(|| text.skip_blanks(comma + 1))
    }

    /// Reads the text as the members of an object whose opening bracket is in the prompt: `"name": 1, "next": 2}`.
    fn members(&mut self, text: CandidateText<'_>, start: usize) -> Option<RepairReading> {
        let colon = text.look_past_blanks(text.look_string(start)?);
        if text.at(colon) != Some(b':') {
            return None;
        }
        let reading = reader::read_members(text, start, &mut self.searches)?;
        // Of an array, only the rest of the first element would be read.
        let next = self.past_comma(reading.end);
        let goes_on = next.is_some_and(|next| text.value_at(next));
        (!goes_on).then_some(reading)
    }

    /// Whether nothing but separators, stray closing brackets and the marks of a fence follows a reading.
    fn is_all(&self, text: CandidateText<'_>, reading: &RepairReading) -> bool {
        let mut at = text.look_past_blanks(reading.end);
        while matches!(text.at(at), Some(b',' | b';' | b'}' | b']' | b')' | b'`')) {
            at = text.look_past_blanks(text.past(at));
        }
        at >= text.len()
    }
}

/// Reads the value at an offset. If it is part of a string, or of a string in one, the escapes are removed first, one
/// level after the other.
fn read_unescaped(
    text: CandidateText<'_>,
    offset: usize,
    documents: &[Range<usize>],
    searches: &mut u32,
) -> Option<RepairReading> {
    let after = usize::from(matches!(text.at(offset), Some(b'{' | b'[')));
    if !unescape::is_escaped(text, offset + after) {
        return reader::read(text, offset, documents, searches);
    }
    let (inner, end) = unescape::unescape(text, offset, usize::MAX);
    let mut reading = read_unescaped(CandidateText(&inner), 0, &[], searches)?;
    reading.changes.note(RepairChange::Unescaped);
    (reading.start, reading.end) = (offset, end);
    Some(reading)
}

/// Whether the bracket at an offset belongs to a heading that DSPy asks for: `[[ ## answer ## ]]`.
fn is_heading(text: CandidateText<'_>, offset: usize) -> bool {
    text.starts(offset, "[[ ##") || text.starts(offset, "[ ##")
}

/// Whether a reading of what a bracket in other text opens is a document that was meant: it has a name, or is a closed
/// array of several strings, numbers and literals.
fn is_meant(text: CandidateText<'_>, reading: &RepairReading) -> bool {
    cost::search(reading.end - reading.start);
    let several = reading.quoted || text.slice(reading.start, reading.end).contains(',');
    !reading.empty && (reading.named || reading.closed && !reading.is_guess() && several)
}

/// Whether a reading of a whole text is a document, and not a word or prose.
fn is_announced_whole(text: CandidateText<'_>, reading: &RepairReading) -> bool {
    let content = text.slice(reading.start, reading.end);
    cost::look_at(content.len());
    let bare = reading.changes.has(RepairChange::Bare);
    let word = text.slice(reading.start, text.word_end(reading.start));
    let end = reading.start + word.len();
    match content.chars().next() {
        _ if reading.is_lost() => false,
        Some('{' | '[') => {
            let inside = content.trim_matches(['{', '}', '[', ']', ' ']);
            let of_number = |c: char| "+-._".contains(c) || c.is_ascii_alphanumeric();
            let number = !inside.starts_with(char::is_alphabetic) && inside.chars().all(of_number);
            let quoted = match content.starts_with('{') {
                true => content.contains(is_quote),
                false => inside.starts_with(is_quote),
            };
            !bare || quoted || number || content.contains([':', ',', '='])
        }
        Some('\\') => content
            .strip_prefix("\\\"")
            .is_some_and(|text| !text.starts_with(char::is_whitespace)),
        Some('`') => {
            let quotes = content.matches(is_quote).count();
            let pair = quotes == 2 || content.matches('`').count() == 2;
            pair && content.ends_with(is_quote)
        }
        Some(c) if is_quote(c) => {
            !reading.changes.has(RepairChange::Closer) || !content.contains(['{', '['])
        }
        Some(c) => {
            let value = "(+-.".contains(c)
                || c.is_ascii_digit()
                || json_for(word.as_bytes()).is_some()
                || text.at(end) == Some(b'(')
                || scalar::cut_literal(word).is_some();
            let digit = content.contains(|c: char| c.is_ascii_digit());
            let text = content.contains(char::is_whitespace) || "+-.".contains(c) && !digit;
            value && (!bare || !text || c == '(' && content.contains(','))
        }
        None => false,
    }
}
