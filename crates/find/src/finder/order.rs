//! Puts the findings of substreams and the main reader into source order.

use std::collections::BTreeMap;

use crate::document::OwnedDocument;
use crate::document::{Document, Fault, FaultKind, Noise, Remark, Visitor};
use crate::span::Position;

/// What the allocations of a finding take in addition to what is in them, in bytes.
const ALLOCATIONS: usize = 64;

/// Findings that were reported before their turn.
#[derive(Debug, Default)]
pub(super) struct Early {
    /// By source offset, then by order of arrival.
    all: BTreeMap<(u64, u64), Finding>,
    count: u64,
    /// How many bytes of memory they take.
    held: u64,
}

#[derive(Debug)]
enum Finding {
    Document(Box<OwnedDocument>),
    Fault(Box<Fault>),
    Noise(Box<OwnedNoise>),
    Remark(Remark),
}

#[derive(Debug)]
struct OwnedNoise {
    position: Position,
    text: Vec<u8>,
    prefix: Option<Box<[u8]>>,
}

impl Finding {
    /// Returns how many bytes of memory it takes, with its place among the others: the tree is half empty.
    fn held(&self) -> u64 {
        let place = 2 * size_of::<(u64, u64, Self)>();
        let own = match self {
            Self::Document(kept) => size_of_val(&**kept) + kept.text.len(),
            Self::Fault(fault) => size_of_val(&**fault) + fault.sample.len(),
            Self::Noise(noise) => size_of_val(&**noise) + noise.text.len(),
            Self::Remark(_) => 0,
        };
        (place + own + ALLOCATIONS) as u64
    }
}

impl Early {
    fn keep(&mut self, at: u64, finding: Finding) {
        self.count += 1;
        self.held += finding.held();
        self.all.insert((at, self.count), finding);
    }

    /// Returns how many bytes of memory the findings take.
    pub(super) const fn held(&self) -> u64 {
        self.held
    }

    pub(super) fn first(&self) -> u64 {
        self.all.keys().next().map_or(u64::MAX, |(at, _)| *at)
    }

    /// Hands on the findings before the source offset `first`, in order.
    pub(super) fn hand_on(&mut self, first: u64, visitor: &mut dyn Visitor) {
        while self.first() < first
            && let Some((_, finding)) = self.all.pop_first()
        {
            self.held -= finding.held();
            match finding {
                Finding::Document(kept) => visitor.document(kept.document()),
                Finding::Fault(fault) => visitor.fault(*fault),
                Finding::Noise(noise) => visitor.noise(Noise {
                    text: &noise.text,
                    prefix: noise.prefix.as_deref(),
                    position: &|| noise.position,
                }),
                Finding::Remark(remark) => visitor.remark(remark),
            }
        }
    }
}

/// A visitor that passes findings on in source order and keeps those that come early.
pub(super) struct InOrder<'a> {
    pub(super) early: &'a mut Early,
    /// The source offset before which findings are passed on at once.
    pub(super) before: u64,
    /// The offset of the last document or fault. A fault may arrive after documents that it contains. Noise does not
    /// count: it comes only to those who want it.
    pub(super) latest: &'a mut u64,
    /// The prefix of the substream that is being read; `None` for the main text.
    pub prefix: Option<&'a [u8]>,
    /// Whether the substream is ended before the input ends: a truncated document is broken then.
    pub(super) ended_early: bool,
    pub(super) visitor: &'a mut dyn Visitor,
}

impl InOrder<'_> {
    /// Returns the offset by which a finding at `at` is to be kept; `None` if it can be passed on now.
    fn place(&mut self, at: u64) -> Option<u64> {
        let at = at.max(*self.latest);
        if at >= self.before {
            return Some(at);
        }
        // Findings that were kept for this offset arrived earlier.
        self.early.hand_on(at + 1, self.visitor);
        None
    }

    /// Returns the [place](Self::place) of a document or fault; none is placed before it later.
    fn place_found(&mut self, at: u64) -> Option<u64> {
        *self.latest = at.max(*self.latest);
        self.place(at)
    }
}

impl Visitor for InOrder<'_> {
    fn document(&mut self, document: Document<'_>) {
        let at = document.position().offset;
        let document = Document {
            prefix: document.prefix.or(self.prefix),
            ..document
        };
        match self.place_found(at) {
            None => self.visitor.document(document),
            Some(at) => {
                let kept = OwnedDocument::new(&document, self.visitor.wants().parts);
                self.early.keep(at, Finding::Document(Box::new(kept)));
            }
        }
    }

    fn fault(&mut self, mut fault: Fault) {
        let own = self.prefix.map(<[u8]>::to_vec);
        fault.prefix = fault.prefix.or(own);
        if self.ended_early && fault.kind == FaultKind::Truncated {
            fault.kind = FaultKind::Broken;
            fault.reason = "its next line does not come";
        }
        // The fault of a fence that has already handed documents on comes after them, at the place where the fence
        // stopped.
        let at = match fault.position.offset {
            reported if reported < *self.latest => fault.stop.offset,
            at => at,
        };
        match self.place_found(at) {
            None => self.visitor.fault(fault),
            Some(at) => self.early.keep(at, Finding::Fault(Box::new(fault))),
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        let position = noise.position();
        let prefix = noise.prefix.or(self.prefix);
        match self.place(position.offset) {
            None => self.visitor.noise(Noise { prefix, ..noise }),
            Some(at) => {
                let noise = OwnedNoise {
                    position,
                    text: noise.text.to_vec(),
                    prefix: prefix.map(Box::from),
                };
                self.early.keep(at, Finding::Noise(Box::new(noise)));
            }
        }
    }

    /// Keeps a remark if other findings are kept before it: it may be made inside a document that is still pending, and
    /// comes before these.
    fn remark(&mut self, remark: Remark) {
        let at = remark.position().offset.max(*self.latest);
        match at < self.before && self.early.first() > at {
            true => self.visitor.remark(remark),
            false => self.early.keep(at, Finding::Remark(remark)),
        }
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.visitor)
    }
}
