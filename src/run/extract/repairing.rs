//! `--repair`: a tolerant reading where the strict one gives nothing, or only a part of something broken.

use super::Extraction;
use crate::cli::value::Pick;
use crate::diagnostic::Message;
use crate::document::{Origin, Rank, Stage};
use crate::find::prefix::{Stripped, prefix_of};
use crate::find::repair::{Limits, Repaired, repair};
use crate::input::terminal::ESCAPE;
use crate::json::scan::clean;
use crate::outcome::Outcome;
use crate::reading::text_of;
use crate::run::mode;
use crate::run::source::Channels;
use crate::select::choice::{Chosen, Faults, Standing};
use crate::select::filter::Mismatch;
use crate::span::Position;

impl Extraction<'_> {
    /// What a tolerant reader makes of the source, if that was asked for, or why the filters do not let it pass. It is
    /// one document, and none that the strict stages have passed over.
    pub(super) fn repaired(
        &self,
        response: Option<&[u8]>,
        faults: &Faults,
    ) -> Option<Result<(Chosen, Vec<String>), Mismatch>> {
        if let Some(Pick::Nth(n)) = self.options.pick
            && n.get().unsigned_abs() > 1
        {
            return None;
        }
        let tolerant = self.tolerant(response)?;
        if self.is_judged(&tolerant.repaired, faults) {
            return None;
        }
        let accepted = (self.accept)(&tolerant.repaired.text);
        Some(accepted.map(|()| tolerant.chosen()))
    }

    /// Whether a repair holds nothing but documents that the strict stages have judged.
    fn is_judged(&self, repaired: &Repaired, faults: &Faults) -> bool {
        // What a broken fence holds was offered to no other stage.
        self.find.embedded && faults.fence.is_none() && repaired.documents == repaired.values
    }

    /// What a tolerant reader makes of the source, or of what goes on behind a log prefix in it.
    fn tolerant(&self, response: Option<&[u8]>) -> Option<Tolerant> {
        if !self.repairs() {
            return None;
        }
        let limits = Limits {
            source: usize::try_from(self.options.common.max_document).unwrap_or(usize::MAX),
            ..Limits::default()
        };
        let source = response.map_or_else(
            || text_of(&self.source.held, mode(self.options.common.unwrap)),
            <[u8]>::to_vec,
        );
        let text = shown(source);
        let mut tolerant = repair(&text, &limits).map(|repaired| (repaired, false));
        // A response carries no log prefix.
        let prefix = match response {
            Some(_) => None,
            None => prefix_of(&text),
        };
        if let Some(prefix) = prefix {
            let stripped = Stripped::new(&text, &prefix);
            if let Some(mut behind) = repair(&stripped.text, &limits) {
                let place = stripped.place(behind.start..behind.end);
                // Neither a prefix nor what has been left out as a line of another source is a document.
                let beside = |part: usize| stripped.holds(part) && !place.contains(&part);
                if !tolerant
                    .as_ref()
                    .is_some_and(|(part, _)| beside(part.start))
                {
                    (behind.start, behind.end) = (place.start, place.end);
                    tolerant = Some((behind, true));
                }
            }
        }
        let (repaired, behind_prefix) = tolerant?;
        Some(Tolerant {
            repaired,
            text,
            behind_prefix,
        })
    }

    /// A document that stands inside what was broken is no answer to who wants that repaired, nor is one in a fence, if
    /// that is a part of the only value in the source. One that stands beside it is: no array of the two is in the source.
    /// A weak one, such as a draft from thinking, is no answer where there is another.
    pub(super) fn instead_of(
        &self,
        strict: &Chosen,
        response: Option<&[u8]>,
        faults: &Faults,
    ) -> Option<(Chosen, Vec<String>)> {
        let embedded = match strict.rank {
            Rank::Embedded | Rank::Weak => true,
            Rank::AnnouncedFence | Rank::BareFence | Rank::OtherFence => false,
            Rank::String | Rank::Whole => return None,
        };
        let weak = strict.rank == Rank::Weak;
        let may_be_inside = strict.standing == Standing::Other;
        if !weak && !may_be_inside {
            return None;
        }
        let tolerant = self.tolerant(response)?;
        let repaired = &tolerant.repaired;
        if !repaired.strong || (self.accept)(&repaired.text).is_err() {
            return None;
        }
        if weak && !self.is_judged(repaired, faults) {
            return Some(tolerant.chosen());
        }
        // Elsewhere a tolerant reader takes log prefixes for text.
        let behind_prefix = tolerant.behind_prefix || strict.origin.prefix.is_none();
        if !may_be_inside
            || !behind_prefix
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
        let source = response.unwrap_or(&self.source.held);
        let inner = range(&strict.origin);
        let inner = (shown_until(source, inner.0), shown_until(source, inner.1));
        let outer = range(&repaired.origin);
        let contains = outer.0 <= inner.0 && outer.1 >= inner.1 && outer != inner;
        (contains && !changes.is_empty()).then_some((repaired, changes))
    }

    /// Writes a repaired document and says what was changed.
    pub(super) fn put_repaired(
        &self,
        chosen: &Chosen,
        changes: &[String],
        to: &mut Channels<'_>,
    ) -> Outcome {
        for change in changes {
            let message = Message::note(format!("repaired: {change}"));
            self.report_of(chosen, message, to);
        }
        self.put(chosen, changes, to)
    }
}

/// What a tolerant reader has made of a text.
struct Tolerant {
    repaired: Repaired,
    /// The text in which it has its place.
    text: Vec<u8>,
    /// Whether a log prefix was taken off before.
    behind_prefix: bool,
}

impl Tolerant {
    /// Whether nothing but white space stands around it.
    fn is_all(&self) -> bool {
        let Repaired { start, end, .. } = self.repaired;
        let around = [self.text.get(..start), self.text.get(end..)];
        let blank = |text: &[u8]| text.trim_ascii().is_empty();
        around.into_iter().all(|text| text.is_some_and(blank))
    }

    /// The document, with what was changed.
    fn chosen(self) -> (Chosen, Vec<String>) {
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

/// Where an offset stands in a text without its terminal sequences.
fn shown_until(text: &[u8], offset: u64) -> u64 {
    let before = usize::try_from(offset).ok().and_then(|end| text.get(..end));
    match before {
        Some(before) if before.contains(&ESCAPE) => clean(before).len() as u64,
        _ => offset,
    }
}

/// A text without terminal sequences.
fn shown(text: Vec<u8>) -> Vec<u8> {
    match text.contains(&ESCAPE) {
        true => clean(&text),
        false => text,
    }
}
