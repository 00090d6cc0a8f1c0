//! Stage `repair`: a tolerant reading if the strict one finds nothing, or only a part of something broken.

use super::choice::{Chosen, Faults, Pick, Standing};
use super::filter::{Accept, Mismatch};
use crate::document::{Origin, Rank, Stage};
use crate::finder::repair::{Repaired, repair};
use crate::finder::stripped::{Stripped, is_carried, prefix_of};
use crate::reading::text_of;
use crate::span::Position;
use crate::unwrap::Mode;
use jsift_json::scan::clean;
use jsift_json::terminal::ESCAPE;

/// A repaired document, with what was changed.
pub type Changed = (Chosen, Vec<String>);

/// A source to repair, and the options of the strict stages.
pub struct Repairing<'a> {
    /// The source, as it was read.
    pub source: &'a [u8],
    /// The agent's answer in it, if the answer is read.
    pub response: Option<&'a [u8]>,
    /// How the lines of the source are unwrapped.
    pub mode: Mode,
    /// The size limit of a document, in bytes.
    pub max_document: u64,
    /// The choice among several documents.
    pub pick: Option<Pick>,
    /// Whether stage `embedded` was used.
    pub embedded: bool,
    /// The filters.
    pub accept: Accept<'a>,
}

impl Repairing<'_> {
    /// Returns the result of the tolerant reader, or why it does not pass the filters. There is only one document, and
    /// it is not one that the strict stages have rejected.
    pub fn instead_of_nothing(&self, faults: &Faults) -> Option<Result<Changed, Mismatch>> {
        if let Some(Pick::Nth(1..) | Pick::NthLast(1..)) = self.pick {
            return None;
        }
        let tolerant = self.tolerant()?;
        if self.is_judged(&tolerant.repaired, faults) {
            return None;
        }
        let accepted = (self.accept)(&tolerant.repaired.text);
        Some(accepted.map(|()| tolerant.chosen()))
    }

    /// Whether a repair contains only documents that the strict stages have judged.
    fn is_judged(&self, repaired: &Repaired, faults: &Faults) -> bool {
        // The content of a broken fence was offered to no other stage.
        self.embedded && faults.fence.is_none() && repaired.documents == repaired.values
    }

    /// Returns what a tolerant reader makes of the source, or of its lines that have a log prefix.
    fn tolerant(&self) -> Option<Tolerant> {
        let source = self
            .response
            .map_or_else(|| text_of(self.source, self.mode.clone()), <[u8]>::to_vec);
        let text = shown(source);
        if text.len() as u64 > self.max_document {
            return None;
        }
        let mut tolerant = repair(&text).map(|repaired| (repaired, false));
        // A response has no log prefix.
        let prefix = match self.response {
            Some(_) => None,
            None => prefix_of(&text),
        };
        if let Some(prefix) = prefix {
            let stripped = Stripped::new(&text, &prefix);
            let behind = repair(stripped.text()).map(|mut behind| {
                let place = stripped.place(behind.start..behind.end);
                (behind.start, behind.end) = (place.start, place.end);
                behind
            });
            // A value that was read with the prefix as text is no document, one on other lines may be.
            let beside = |(part, _): &(Repaired, bool)| {
                let overlaps =
                    |behind: &Repaired| part.start < behind.end && behind.start < part.end;
                let carried = is_carried(&text, &prefix, part.start..part.end);
                !carried && !behind.as_ref().is_some_and(overlaps)
            };
            tolerant = tolerant
                .filter(beside)
                .or(behind.map(|behind| (behind, true)));
        }
        let (repaired, behind_prefix) = tolerant?;
        Some(Tolerant {
            repaired,
            text,
            behind_prefix,
        })
    }

    /// Returns the repaired document, if it replaces the one that the strict stages chose. To a caller who wants
    /// repairs, a document inside something broken is not an answer, nor is one in a fence that is a part of the only
    /// value in the source. A document beside something broken is: the source contains no array of the two. A weak
    /// document, such as a draft from thinking, is not an answer if there is another.
    pub fn instead_of(&self, strict: &Chosen, faults: &Faults) -> Option<Changed> {
        let embedded = match strict.rank {
            Rank::Embedded | Rank::Weak => true,
            Rank::AnnouncedFence | Rank::BareFence | Rank::OtherFence => false,
            Rank::String | Rank::Whole => return None,
        };
        let weak = strict.rank == Rank::Weak;
        if strict.standing != Standing::Other {
            return None;
        }
        let tolerant = self.tolerant()?;
        let repaired = &tolerant.repaired;
        if !repaired.strong || (self.accept)(&repaired.text).is_err() {
            return None;
        }
        if weak && !self.is_judged(repaired, faults) {
            return Some(tolerant.chosen());
        }
        // Without removing them, a tolerant reader takes log prefixes for text.
        let behind_prefix = tolerant.behind_prefix || strict.origin.prefix.is_none();
        if !behind_prefix
            || repaired.values > 1 && repaired.documents > 0
            || !embedded && !tolerant.is_all()
        {
            return None;
        }
        let (repaired, changes) = tolerant.chosen();
        let range = |origin: &Origin| {
            let start = origin.position.offset;
            (start, start + origin.length)
        };
        let source = self.response.unwrap_or(self.source);
        let inner = range(&strict.origin);
        let inner = (shown_until(source, inner.0), shown_until(source, inner.1));
        let outer = range(&repaired.origin);
        let contains = outer.0 <= inner.0 && outer.1 >= inner.1 && outer != inner;
        (contains && !changes.is_empty()).then_some((repaired, changes))
    }
}

/// The result of a tolerant reader.
struct Tolerant {
    repaired: Repaired,
    /// The text that the positions in `repaired` refer to.
    text: Vec<u8>,
    /// Whether a log prefix was removed first.
    behind_prefix: bool,
}

impl Tolerant {
    /// Whether only white space is around the repaired document.
    fn is_all(&self) -> bool {
        let Repaired { start, end, .. } = self.repaired;
        let around = [self.text.get(..start), self.text.get(end..)];
        let blank = |text: &[u8]| text.trim_ascii().is_empty();
        around.into_iter().all(|text| text.is_some_and(blank))
    }

    /// Returns the document, with a list of changes.
    fn chosen(self) -> Changed {
        let Self { repaired, text, .. } = self;
        let before = text.get(..repaired.start).unwrap_or(&text);
        let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let position = Position {
            line: memchr::memchr_iter(b'\n', before).count() as u64 + 1,
            column: (before.len() - line) as u64 + 1,
            offset: before.len() as u64,
        };
        let chosen = Chosen {
            text: repaired.text,
            origin: Origin {
                stage: Stage::Repair,
                position,
                length: (repaired.end.saturating_sub(repaired.start)) as u64,
                info: None,
                prefix: None,
            },
            rank: Rank::Weak,
            lossy: false,
            standing: Standing::Other,
        };
        (chosen, repaired.changes)
    }
}

/// Returns the offset in the text without terminal sequences.
fn shown_until(text: &[u8], offset: u64) -> u64 {
    let before = usize::try_from(offset).ok().and_then(|end| text.get(..end));
    match before {
        Some(before) if before.contains(&ESCAPE) => clean(before).len() as u64,
        _ => offset,
    }
}

/// Returns a text without terminal sequences.
fn shown(text: Vec<u8>) -> Vec<u8> {
    match text.contains(&ESCAPE) {
        true => clean(&text).into_owned(),
        false => text,
    }
}
