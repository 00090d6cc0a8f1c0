//! Documents as owned data.

use std::ops::Range;

use super::{Document, Origin, Place, Rank};

/// A document as owned data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedDocument {
    /// Its [text](Document::text).
    pub text: Box<[u8]>,
    /// Where it comes from.
    pub origin: Origin,
    /// How much it counts.
    pub rank: Rank,
    /// Whether invalid UTF-8 in its strings was replaced by U+FFFD.
    pub lossy: bool,
    pub(crate) compact: bool,
    pub(crate) prefix: Option<Box<[u8]>>,
    /// Its [parts](Document::parts), if they are wanted.
    pub(crate) parts: Vec<Range<u64>>,
}

impl OwnedDocument {
    pub(crate) fn new(document: &Document<'_>, wants_parts: bool) -> Self {
        let parts = wants_parts.then(|| document.parts());
        Self {
            text: document.text.into(),
            origin: document.origin(),
            rank: document.rank,
            lossy: document.lossy,
            compact: document.compact,
            prefix: document.prefix.map(Box::from),
            parts: parts.unwrap_or_default(),
        }
    }

    pub(crate) fn document(&self) -> Document<'_> {
        Document {
            text: &self.text,
            rank: self.rank,
            compact: self.compact,
            lossy: self.lossy,
            prefix: self.prefix.as_deref(),
            place: self,
            layout: None,
        }
    }
}

impl Place for OwnedDocument {
    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    fn parts(&self) -> Vec<Range<u64>> {
        self.parts.clone()
    }
}
