//! The choice of one document among those in a source.
//!
//! The last envelope of an agent comes first, then an API's response body, then the documents of the winning stage. Of
//! these the first one is taken unless another was requested. A function of the caller recognises envelopes: this
//! module depends on no dialect.

use std::collections::VecDeque;

use super::filter::{Filter, Mismatch};
use super::pick::Pick;
use super::refused::BrokenText;
use crate::document::{
    Document, Fault, FaultKind, Noise, OwnedDocument, Rank, Remark, Stage, Visitor, Wants,
};
use crate::reading::Reading;
use crate::span::Position;
use jsift_json::tape::MarkLayout;

/// How a document takes part in the choice. A later variant is preferred to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Any document.
    Other,
    /// The response body of a model's API, unless it is an error.
    Body,
    /// An agent's envelope: its whole output, or the terminal record of its stream.
    Envelope,
}

/// A document that is kept for the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The document.
    pub document: OwnedDocument,
    /// How it takes part in the choice.
    pub standing: Standing,
}

impl Chosen {
    fn new(document: &Document<'_>, standing: Standing) -> Self {
        Self {
            document: OwnedDocument::new(document, false),
            standing,
        }
    }

    /// Returns the position of the document's first byte in the source.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.document.origin.position
    }

    /// Notes that the source is more than JSON.
    fn not_whole(&mut self) {
        let OwnedDocument { origin, rank, .. } = &mut self.document;
        if origin.stage == Stage::Whole {
            origin.stage = Stage::Embedded;
            // What stands in thinking stays weak.
            *rank = (*rank).max(Rank::Embedded);
        }
    }
}

/// Returns the standing of a document.
pub(crate) type Judge = dyn Fn(&[u8], Option<MarkLayout<'_>>) -> Standing;

/// Keeps the documents that may be chosen.
pub struct Choice<'f> {
    /// `None` means that envelopes come first, then the first document.
    pick: Option<Pick>,
    standing: &'f Judge,
    filter: &'f Filter,
    groups: [RankGroup; GROUPS],
    mismatch: Option<Mismatch>,
    documents: u64,
    faults: Faults,
}

/// The documents of one [group](group_of), or the best envelope or response body.
#[derive(Debug, Default)]
struct RankGroup {
    count: u64,
    kept: VecDeque<Chosen>,
    /// Where the first documents are, if only one is allowed.
    positions: Vec<Position>,
}

/// Documents of which only one is allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Several {
    count: u64,
    /// Where the first ones are.
    positions: Vec<Position>,
}

impl Several {
    /// How many positions are stated.
    const POSITIONS: usize = 4;
}

/// Writes how many there are and where: `there are 3 documents, at 1:1, 2:1 and 5:1`.
impl std::fmt::Display for Several {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |at: &Position| format!("{}:{}", at.line, at.column);
        let mut first: Vec<String> = self.positions.iter().map(shown).collect();
        let more = self.count - first.len() as u64;
        let last = match more {
            0 => first.pop().unwrap_or_default(),
            more => format!("{more} more"),
        };
        let (count, first) = (self.count, first.join(", "));
        write!(f, "there are {count} documents, at {first} and {last}")
    }
}

/// The faults that may decide the outcome.
#[derive(Debug, Default)]
pub struct Faults {
    /// The first fences at fault.
    fences: Vec<Fault>,
    /// The candidate in which the input ended.
    pub truncated: Option<Fault>,
    /// The first broken candidates.
    broken: Vec<Fault>,
    /// The first broken candidates that the filters would have refused: they decide nothing where there is anything
    /// else.
    refused: Vec<Fault>,
    /// The first document that was too large.
    pub limit: Option<Fault>,
    /// The first remarks.
    remarks: Vec<Remark>,
    /// The text of the last broken candidate, which is being read, if the filter may refuse it.
    text: Option<BrokenText>,
}

impl Faults {
    /// How many fences at fault are kept, how many broken candidates, and how many remarks.
    const KEPT: usize = 100;

    /// Returns the faults that may decide the outcome, the gravest first.
    pub fn reasons(&self) -> impl Iterator<Item = &Fault> {
        [self.limit.as_ref(), self.truncated.as_ref()]
            .into_iter()
            .flatten()
            .chain(self.fences.first())
            .chain(self.broken.first())
    }

    /// Returns the first broken candidates that are not in fences.
    #[must_use]
    pub fn broken(&self) -> &[Fault] {
        &self.broken
    }

    /// Returns the first broken candidates that the filters would have refused.
    #[must_use]
    pub fn refused(&self) -> &[Fault] {
        &self.refused
    }

    /// Returns the first fences at fault and broken candidates, and the fault `reason` in any case, in the order of the
    /// source.
    #[must_use]
    pub fn in_order<'a>(&'a self, reason: Option<&'a Fault>) -> Vec<&'a Fault> {
        let is_reason = |fault: &&Fault| reason.is_some_and(|it| it.position == fault.position);
        let others = self.fences.iter().chain(&self.broken).chain(&self.refused);
        let others = others.filter(|fault| !is_reason(fault));
        let mut all: Vec<_> = reason.into_iter().chain(others).collect();
        all.sort_by_key(|fault| fault.position.offset);
        all
    }

    /// Reads noise, which may be the text of the last broken candidate: it shows whether `filter` would have refused
    /// it.
    pub fn read(&mut self, noise: &Noise<'_>, filter: &Filter) {
        let Some(mut text) = self.text.take() else {
            return;
        };
        match text.read(noise.position().offset, noise.text) {
            Some(false) => self.text = Some(text),
            Some(true) if filter.refuses(&text) => {
                let at = self.broken.iter().rposition(|fault| text.is_of(fault));
                let refused = at.map(|at| self.broken.remove(at));
                let room = Self::KEPT - self.refused.len();
                self.refused.extend(refused.into_iter().take(room));
            }
            Some(true) | None => {}
        }
    }

    /// Notes that a document was found: the text of a broken candidate before it ends there.
    pub fn met_document(&mut self) {
        self.text = None;
    }

    /// Returns the first remarks.
    #[must_use]
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns the broken candidates and forgets them.
    pub(crate) fn take_broken(&mut self) -> Vec<Fault> {
        let mut all = std::mem::take(&mut self.broken);
        all.append(&mut self.refused);
        all.sort_by_key(|fault| fault.position.offset);
        all
    }

    /// Records a fault of a source, of which `filter` accepts documents.
    pub fn note(&mut self, fault: &Fault, filter: &Filter) {
        // Of a fault that is no broken candidate no text is read: that of the candidate before it goes on.
        if let Some(text) = BrokenText::of(fault) {
            self.text = Some(text).filter(|_| filter.wants_noise());
        }
        let of_fence = fault.fence.is_some() && fault.kind != FaultKind::Limit;
        if of_fence && self.fences.len() < Self::KEPT {
            self.fences.push(fault.clone());
        }
        let slot = match fault.kind {
            FaultKind::Truncated => &mut self.truncated,
            FaultKind::Limit => &mut self.limit,
            _ if fault.is_broken_candidate() && self.broken.len() < Self::KEPT => {
                return self.broken.push(fault.clone());
            }
            FaultKind::Broken | FaultKind::Headless | FaultKind::Empty => return,
        };
        slot.get_or_insert_with(|| fault.clone());
    }
}

impl<'f> Choice<'f> {
    /// Returns a choice by `pick`; `None` is the default choice. `standing` ranks a document, and those that
    /// do not pass `filter` are passed over.
    pub fn new(pick: Option<Pick>, standing: &'f Judge, filter: &'f Filter) -> Self {
        Self {
            pick,
            standing,
            filter,
            groups: Default::default(),
            mismatch: None,
            documents: 0,
            faults: Faults::default(),
        }
    }

    /// Returns the number of documents, including those that do not pass the filters.
    #[must_use]
    pub const fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents to pick from: those of the winning stage that pass the filters.
    pub fn pickable(&self) -> u64 {
        let mut counts = self.groups.iter().map(|group| group.count);
        counts.find(|count| *count > 0).unwrap_or_default()
    }

    /// Returns the documents to pick from, if there are several and only one is allowed.
    pub fn several(&self) -> Option<Several> {
        if self.pick != Some(Pick::Only) {
            return None;
        }
        let index = self.groups.iter().position(|group| group.count > 0)?;
        let group = self.groups.get(index)?;
        (group.count > 1 && !self.at_fault(index)).then(|| Several {
            count: group.count,
            positions: group.positions.clone(),
        })
    }

    /// Returns the faults.
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Returns why the closest document that failed the filters did not pass.
    #[must_use]
    pub const fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.as_ref()
    }

    /// Whether a fault keeps the documents of a group from being chosen.
    ///
    /// A fence at fault is never replaced by a document found elsewhere in the text, only by an envelope or a document
    /// in another fence. A weak document replaces no fault of any kind.
    fn at_fault(&self, index: usize) -> bool {
        let at_fault = match index {
            WEAK => self.faults.reasons().next().is_some(),
            _ => !self.faults.fences.is_empty(),
        };
        at_fault && index >= PLAIN
    }

    /// Returns the index of the group from which a document is chosen.
    fn winning_group(&self) -> Option<usize> {
        if self.special().is_some() {
            return Some(SPECIAL);
        }
        let index = self.groups.iter().position(|group| group.count > 0)?;
        let group = self.groups.get(index)?;
        if self.at_fault(index) {
            return None;
        }
        match self.pick {
            Some(Pick::Nth(n) | Pick::NthLast(n)) if n >= group.count => None,
            Some(Pick::Only) if group.count > 1 => None,
            _ => Some(index),
        }
    }

    /// Returns the chosen document, as it is kept.
    #[must_use]
    pub fn chosen(&self) -> Option<&Chosen> {
        self.groups.get(self.winning_group()?)?.kept.front()
    }

    /// Returns the chosen document as soon as nothing that follows in the source that is being read can change the
    /// choice: the source is picked from by number, the document is of the highest rank that the stages can still give,
    /// and nothing so far can turn out to be thinking.
    ///
    /// A string literal is the whole source: once another document was found, there is none. The
    /// [stage](crate::document::Origin::stage) of documents is not decided while the source is nothing but JSON.
    #[must_use]
    pub fn decided(&mut self, reading: &Reading) -> Option<&Chosen> {
        let best = match reading.finder().finds_fences() {
            true => group_of(Rank::AnnouncedFence),
            false => group_of(Rank::Embedded),
        };
        let is_counted = matches!(self.pick, Some(Pick::First | Pick::Nth(_)));
        let may_change = !is_counted || reading.finder().may_be_thinking() || reading.is_whole();
        if may_change || self.winning_group() != Some(best) {
            return None;
        }
        let chosen = self.groups.get_mut(best)?.kept.front_mut()?;
        chosen.not_whole();
        Some(chosen)
    }

    /// Returns the best envelope or response body.
    fn special(&self) -> Option<&Chosen> {
        self.groups[SPECIAL].kept.front()
    }

    /// Returns the chosen document, and how many other documents passed the filters. `whole` says whether the source
    /// was nothing but JSON.
    #[must_use]
    pub fn take(&mut self, whole: bool) -> Option<(Chosen, u64)> {
        let winning = self.winning_group()?;
        // Weak documents next to others come from thinking and are not counted.
        let counted = match winning {
            WEAK => &self.groups[..],
            _ => self.groups.get(..WEAK)?,
        };
        let accepted: u64 = counted.iter().map(|group| group.count).sum();
        let mut chosen = self.groups.get_mut(winning)?.kept.pop_front()?;
        if !whole {
            chosen.not_whole();
        }
        Some((chosen, accepted.saturating_sub(1)))
    }
}

/// The index of the group of documents from plain text. Documents of a whole source are also in it: such a source has
/// no fences.
const PLAIN: usize = 4;
/// The index of the group of weak documents.
const WEAK: usize = 5;
/// The index of the group that has only the best envelope or response body, which counts in the group of its rank.
const SPECIAL: usize = 6;
/// How many groups there are.
const GROUPS: usize = 7;

const fn group_of(rank: Rank) -> usize {
    match rank {
        Rank::String => 0,
        Rank::AnnouncedFence => 1,
        Rank::BareFence => 2,
        Rank::OtherFence => 3,
        Rank::Whole | Rank::Embedded => PLAIN,
        Rank::Weak => WEAK,
    }
}

impl RankGroup {
    fn add(&mut self, document: &Document<'_>, pick: Option<Pick>, standing: Standing) {
        let chosen = || Chosen::new(document, standing);
        let index = self.count;
        self.count += 1;
        if pick == Some(Pick::Only) && self.positions.len() < Several::POSITIONS {
            self.positions.push(document.position());
        }
        match pick {
            None | Some(Pick::First | Pick::Only) if index > 0 => {}
            Some(Pick::Nth(n)) if index != n => {}
            Some(Pick::Largest)
                if self
                    .kept
                    .front()
                    .is_some_and(|kept| kept.document.text.len() >= document.text.len()) => {}
            Some(Pick::NthLast(n)) => {
                self.kept.push_back(chosen());
                if self.kept.len() as u64 > n.saturating_add(1) {
                    self.kept.pop_front();
                }
            }
            _ => {
                self.kept.clear();
                self.kept.push_back(chosen());
            }
        }
    }
}

impl Choice<'_> {
    /// Adds a document. `standing` returns its standing and is called only if that matters.
    pub fn add(&mut self, document: Document<'_>, standing: impl FnOnce() -> Standing) {
        self.faults.met_document();
        self.documents += 1;
        if let Err(mismatch) = self.filter.check(document.text) {
            mismatch.keep_closest(&mut self.mismatch);
            return;
        }
        let weak = document.rank == Rank::Weak;
        let standing = if self.pick.is_some() || weak {
            Standing::Other
        } else {
            standing()
        };
        if let Some(group) = self.groups.get_mut(group_of(document.rank)) {
            group.add(&document, self.pick, standing);
        }
        let best = self.special().map_or(Standing::Body, |best| best.standing);
        if standing >= best {
            self.groups[SPECIAL].kept = VecDeque::from([Chosen::new(&document, standing)]);
        }
    }

    /// Forgets the first document if it is at this position: it was given before a fault showed that it was closed too
    /// early. An envelope, and what is picked by number, stay.
    fn withdraw(&mut self, at: Position) {
        let plain = &mut self.groups[PLAIN];
        let is_there = |first: &Chosen| first.position().offset == at.offset;
        if self.pick.is_none() && plain.kept.front().is_some_and(is_there) {
            *plain = RankGroup::default();
            self.documents -= 1;
        }
    }
}

impl Visitor for Choice<'_> {
    fn document(&mut self, document: Document<'_>) {
        let standing = self.standing;
        self.add(document, || standing(document.text, document.layout));
    }

    fn fault(&mut self, fault: Fault) {
        self.withdraw(fault.position);
        self.faults.note(&fault, self.filter);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.faults.read(&noise, self.filter);
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(self.filter.wants_noise())
    }

    fn remark(&mut self, remark: Remark) {
        if self.faults.remarks.len() < Faults::KEPT {
            self.faults.remarks.push(remark);
        }
    }

    /// Keeps only one document of the text so far, in case nothing better follows. An envelope cannot be part of
    /// thinking.
    fn thinking_ended(&mut self) {
        if self.special().is_some() {
            return;
        }
        let several = self.several();
        let fallback = self.take(false);
        self.groups = Default::default();
        let weak = &mut self.groups[WEAK];
        if let Some(several) = several {
            (weak.count, weak.positions) = (several.count, several.positions);
        } else if let Some((mut chosen, _)) = fallback {
            weak.count = 1;
            weak.positions.push(chosen.position());
            chosen.document.rank = Rank::Weak;
            weak.kept.push_back(chosen);
        }
        self.faults = Faults {
            limit: self.faults.limit.take(),
            ..Faults::default()
        };
    }
}
