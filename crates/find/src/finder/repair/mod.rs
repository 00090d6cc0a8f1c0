//! Stage `repair`: makes documents of the broken ones in a source.
//!
//! A source is read strictly first; `candidates` are searched for between its strong documents, in the text after each
//! log prefix (`prefix`) as if it were alone. `reader` reads them, with `member` for names, `bare` for text without
//! quotes and `close` for closing brackets; `string` and `follow` decide where strings end, `escape` and `scalar` write
//! strings, numbers and literals as strict JSON. The reader makes one pass without recursion, so neither depth nor size
//! of the input can hurt. The input is broken, so the result is a guess by nature; it is strict JSON in any case, and
//! the changes are reported.
//!
//! The repaired documents take part in the chain like any others: `merge` hands them on in their places between the
//! documents of a source, so that envelopes, streams, choice and filters see no difference.

mod bare;
mod candidates;
mod change;
mod close;
mod escape;
pub(crate) mod extent;
mod follow;
mod member;
pub mod merge;
mod prefix;
mod reader;
mod reading;
mod scalar;
mod string;
#[cfg(test)]
mod tests;
mod text;
mod unescape;
mod view;

use std::ops::Range;

use candidates::{CandidatePlace, RepairCandidate};
pub use candidates::{LEAST_WORK, WORK};
use change::{Changes, RepairChange};
use prefix::prefix_of;
pub use reader::DEPTH;
use view::{Decoded, shown, split};

use super::weak::is_strong;
use super::window::Window;
use super::{FindOptions, Finder};
use crate::document::{Document, Fault, Origin, Place, Rank, Stage, Visitor, Wants};
use crate::span::Position;
use jsift_json::scan::Scanner;

/// How many log prefixes are taken off, each from lines without those before or from text after one of them.
pub const PREFIXES: usize = 8;

/// A document made of broken text.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// Strict JSON.
    pub text: Box<[u8]>,
    changes: Changes,
    /// Where the broken text starts.
    pub position: Position,
    /// How many bytes of the source there are from its first to its last one.
    pub length: u64,
    /// How much the document counts.
    pub rank: Rank,
    /// The ranges of source offsets that the broken text occupies, without the prefixes and lines of others in between;
    /// none if there is nothing in between.
    parts: Vec<Range<u64>>,
    /// Where the opening marks of its fence are, or else where it begins.
    from: u64,
}

impl Place for Repaired {
    fn origin(&self) -> Origin {
        Origin {
            stage: Stage::Repair,
            position: self.position,
            length: self.length,
            info: None,
            prefix: None,
        }
    }

    fn parts(&self) -> Vec<Range<u64>> {
        self.parts().collect()
    }
}

/// The documents made of the broken ones in a source.
#[derive(Debug, Clone, Default)]
pub struct Repairs {
    /// The documents, in the order of the source.
    documents: Vec<Repaired>,
    /// The ranges of source offsets of the text that they replace.
    parts: Vec<Range<u64>>,
    /// The source offset of the text after thinking.
    answer: u64,
}

impl Repairs {
    /// Returns the repairs of a text, read with these options.
    #[must_use]
    pub fn of_text(text: &[u8], options: &FindOptions) -> Self {
        let mut window = Window::new();
        window.push(text);
        Self::of(vec![window], options)
    }

    /// Returns the repairs of a source: of the text of each of its writers, if there are several.
    pub(crate) fn of(texts: Vec<Window>, options: &FindOptions) -> Self {
        let options = FindOptions {
            string: true,
            whole: true,
            fence: true,
            embedded: true,
            layout: false,
            ..options.clone()
        };
        let mut repairs = Self::default();
        let is_source = texts.len() == 1;
        for window in texts {
            let mut splits = PREFIXES;
            repairs.add_split(shown(window), is_source, &mut splits, &options);
        }
        repairs
            .documents
            .sort_by_key(|repaired| repaired.position.offset);
        repairs.note_parts();
        repairs
    }

    /// Notes which text the documents replace.
    fn note_parts(&mut self) {
        self.documents.shrink_to_fit();
        let parts = self.documents.iter().flat_map(Repaired::replaced);
        self.parts = parts.collect();
        self.parts.shrink_to_fit();
        self.parts.sort_by_key(|part| part.start);
    }

    /// Drops what the strict stages read without a fault: the repairs in which they find documents, but no fault. Both
    /// are given by their source offsets, in ascending order.
    pub(crate) fn keep_broken(&mut self, documents: &[u64], faults: &[u64]) {
        let is_in = |offsets: &[u64], part: Range<u64>| {
            let next = offsets.partition_point(|offset| *offset < part.start);
            offsets.get(next).is_some_and(|offset| *offset < part.end)
        };
        self.documents.retain(|repaired| {
            let has = |offsets| repaired.replaced().any(|part| is_in(offsets, part));
            !has(documents) || has(faults)
        });
        self.note_parts();
    }

    /// Adds the repairs of the text in a window: of the lines that carry a prefix, as if they were alone, and of the
    /// others. `splits` is how many more prefixes are taken off.
    fn add_split(
        &mut self,
        mut window: Window,
        mut is_source: bool,
        splits: &mut usize,
        options: &FindOptions,
    ) {
        while *splits > 0
            && let Some(prefix) = prefix_of(&window)
        {
            *splits -= 1;
            let (carried, others) = split(&window, &prefix);
            if carried.from(0).is_empty() {
                break;
            }
            self.add_split(carried, false, splits, options);
            (window, is_source) = (others, false);
        }
        self.add(&window, is_source, options);
    }

    /// Adds the repairs of the text in a window, which is a whole source or answer or some lines of it.
    fn add(&mut self, window: &Window, is_source: bool, options: &FindOptions) {
        let text = window.from(0);
        let mut strict = Strict::default();
        Finder::read_text(options.clone(), text, &mut strict);
        let decoded = Decoded::new(text);
        let fences = strict.fences.iter().map(|at| decoded.in_text(*at));
        let fences: Vec<_> = fences.collect();
        for part in &mut strict.documents {
            *part = decoded.in_text(part.start)..decoded.in_text(part.end);
        }
        strict.documents.sort_by_key(|part| part.start);
        let (answer, found) =
            candidates::candidates(&decoded.text, &strict.documents, &fences, is_source);
        if answer > 0 {
            let answer = window.position(decoded.in_bytes(answer) as u64).offset;
            self.answer = self.answer.max(answer);
        }
        let found = found.into_iter().filter_map(|candidate| {
            let all = candidate.reading.start..candidate.reading.end;
            let repaired = repaired(candidate, &decoded, window)?;
            let holds_strong = || strict.documents.iter().any(|it| all.contains(&it.start));
            (repaired.rank != Rank::Weak || !holds_strong()).then_some(repaired)
        });
        self.documents.extend(found);
    }

    /// Returns the repaired documents, in the order of the source.
    #[must_use]
    pub fn documents(&self) -> &[Repaired] {
        &self.documents
    }

    /// Returns what was changed in the document with this origin; nothing if it was not repaired.
    #[must_use]
    pub fn changes_of(&self, origin: &Origin) -> Vec<String> {
        let is_repaired = origin.stage == Stage::Repair;
        let repaired = is_repaired.then(|| self.repaired_at(origin.position.offset));
        repaired
            .flatten()
            .map(Repaired::changes)
            .unwrap_or_default()
    }

    /// Returns the repaired document at a source offset.
    pub(crate) fn repaired_at(&self, offset: u64) -> Option<&Repaired> {
        let place = |repaired: &Repaired| repaired.position.offset;
        let found = self.documents.binary_search_by_key(&offset, place).ok();
        self.documents.get(found?)
    }

    /// Whether the byte at a source offset is part of thinking before the answer.
    pub(crate) const fn is_thinking(&self, offset: u64) -> bool {
        offset < self.answer
    }

    /// Whether the byte at a source offset is part of what was repaired, or the first of the marks of its fence.
    #[must_use]
    pub fn holds(&self, offset: u64) -> bool {
        let next = self.parts.partition_point(|part| part.end <= offset);
        self.parts
            .get(next)
            .is_some_and(|part| part.contains(&offset))
    }
}

impl Repaired {
    /// Whether the byte at a source offset is part of the broken text.
    pub(crate) fn holds(&self, offset: u64) -> bool {
        self.parts().any(|part| part.contains(&offset))
    }

    /// Returns the ranges of source offsets that the document replaces: its text, and the first of the marks of its
    /// fence.
    fn replaced(&self) -> impl Iterator<Item = Range<u64>> {
        let marks = self.from..self.from + 1;
        let marks = Some(marks).filter(|_| self.from < self.position.offset);
        marks.into_iter().chain(self.parts())
    }

    /// Returns the ranges of source offsets that the broken text occupies.
    fn parts(&self) -> impl Iterator<Item = Range<u64>> {
        let all = self.position.offset..self.position.offset + self.length;
        let all = Some(all).filter(|_| self.parts.is_empty());
        all.into_iter().chain(self.parts.iter().cloned())
    }

    /// Returns what was changed, in lower-case phrases.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        self.changes.phrases()
    }
}

/// Returns the document that a candidate in the text of a window gives, unless it is a document as it stands: that one
/// was found already.
fn repaired(
    candidate: RepairCandidate,
    decoded: &Decoded<'_>,
    window: &Window,
) -> Option<Repaired> {
    let RepairCandidate {
        mut reading,
        from,
        place,
    } = candidate;
    if decoded.is_replaced(reading.start..reading.end) {
        reading.changes.note(RepairChange::Encoding);
    }
    if reading.changes.is_empty() {
        return None;
    }
    let at = |offset| decoded.in_bytes(offset) as u64;
    let from = window.position(at(from)).offset;
    let start = window.position(at(reading.start));
    let mut parts = window.parts(at(reading.start), at(reading.end));
    let end = parts.last().map_or(start.offset, |last| last.end);
    match parts.len() {
        1 => parts = Vec::new(),
        _ => parts.shrink_to_fit(),
    }
    Some(Repaired {
        rank: rank(&reading.json, place),
        changes: reading.changes,
        text: reading.json.into(),
        position: start,
        length: end.saturating_sub(start.offset),
        parts,
        from,
    })
}

/// Whether a document counts whatever is next to it.
fn is_strong_text(json: &[u8]) -> bool {
    let mut scanner = Scanner::new(false);
    scanner.scan(json, 0, true);
    is_strong(scanner.shape())
}

/// Returns how much a repaired document counts.
fn rank(json: &[u8], place: CandidatePlace) -> Rank {
    match place {
        CandidatePlace::Fence => Rank::AnnouncedFence,
        CandidatePlace::Alone => Rank::Embedded,
        CandidatePlace::InLine if is_strong_text(json) => Rank::Embedded,
        CandidatePlace::InLine => Rank::Weak,
    }
}

/// What the strict stages find in a text.
#[derive(Debug, Default)]
struct Strict {
    /// The ranges of strong documents.
    documents: Vec<Range<usize>>,
    /// The offsets of the opening marks of fences at fault.
    fences: Vec<usize>,
}

impl Visitor for Strict {
    fn document(&mut self, document: Document<'_>) {
        if document.rank != Rank::Weak {
            let parts = document.parts().into_iter();
            self.documents
                .extend(parts.map(|part| part.start as usize..part.end as usize));
        }
    }

    fn fault(&mut self, fault: Fault) {
        if fault.fence.is_some() {
            self.fences.push(fault.position.offset as usize);
        }
    }

    fn wants(&mut self) -> Wants {
        Wants {
            parts: true,
            ..Wants::default()
        }
    }
}
