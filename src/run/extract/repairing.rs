//! `--repair`: a tolerant reading where the strict one gives nothing, or only a part of something broken.

use super::super::source::Channels;
use super::Extraction;
use crate::cli::value::Pick;
use crate::diagnostic::Message;
use crate::document::{Origin, Rank, Stage};
use crate::find::choice::{Chosen, Faults, Standing};
use crate::find::filter::Mismatch;
use crate::find::prefix::blank_out;
use crate::find::repair::{Limits, Repaired, repair};
use crate::input::terminal::ESCAPE;
use crate::json::scan::clean;
use crate::outcome::Outcome;
use crate::reading::text_of;
use crate::run::mode;
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
        let (repaired, text) = self.tolerant(response, faults)?;
        if self.is_judged(&repaired, faults) {
            return None;
        }
        let accepted = (self.accept)(&repaired.text);
        Some(accepted.map(|()| chosen(repaired, &text)))
    }

    /// Whether a repair holds nothing but documents that the strict stages have judged.
    fn is_judged(&self, repaired: &Repaired, faults: &Faults) -> bool {
        // What a broken fence holds was offered to no other stage.
        self.find.embedded && faults.fence.is_none() && repaired.documents == repaired.values
    }

    /// The repair, and the text in which it has its place.
    fn tolerant(&self, response: Option<&[u8]>, faults: &Faults) -> Option<(Repaired, Vec<u8>)> {
        if !self.repairs() {
            return None;
        }
        let text = match response {
            Some(response) => response.to_vec(),
            None => self.without_prefixes(faults),
        };
        let text = if text.contains(&ESCAPE) {
            clean(&text)
        } else {
            text
        };
        let limits = Limits {
            source: usize::try_from(self.options.common.max_document).unwrap_or(usize::MAX),
            ..Limits::default()
        };
        Some((repair(&text, &limits)?, text))
    }

    /// The text of the source, without the log prefix behind which what is at fault goes on: a tolerant reader would take that
    /// for text. Blanks stand in its place, so that everything else stays where it is.
    fn without_prefixes(&self, faults: &Faults) -> Vec<u8> {
        let source = &self.source.held;
        let mut text = text_of(source, mode(self.options.common.unwrap));
        let prefixed = faults.reasons().next().filter(|fault| fault.prefixed);
        if let Some(fault) = prefixed
            && text.len() == source.len()
            && let Ok(start) = usize::try_from(fault.position.offset)
        {
            blank_out(&mut text, start);
        }
        text
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
        // A tolerant reader takes log prefixes for text.
        let may_be_inside = strict.standing == Standing::Other && strict.origin.prefix.is_none();
        if !weak && !may_be_inside {
            return None;
        }
        let (repaired, text) = self.tolerant(response, faults)?;
        if !repaired.strong || (self.accept)(&repaired.text).is_err() {
            return None;
        }
        if weak && !self.is_judged(&repaired, faults) {
            return Some(chosen(repaired, &text));
        }
        if !may_be_inside
            || repaired.values > 1 && repaired.documents > 0
            || !embedded && !is_all_of(&repaired, &text)
        {
            return None;
        }
        let (repaired, changes) = chosen(repaired, &text);
        let range = |origin: &Origin| {
            let start = origin.position.offset;
            (start, start + origin.length)
        };
        let (outer, inner) = (range(&repaired.origin), range(&strict.origin));
        let contains = outer.0 <= inner.0 && outer.1 >= inner.1 && outer != inner;
        (contains && !changes.is_empty()).then_some((repaired, changes))
    }

    /// A repaired document does not pass the filters, as those do not that the strict stages have found. Says of the one
    /// that comes closest why.
    pub(super) fn unfit(
        &self,
        repaired: &Mismatch,
        strict: Option<&Mismatch>,
        faults: &Faults,
        to: &mut Channels<'_>,
    ) -> Outcome {
        self.note_faults(faults, None, to);
        let closest = strict.filter(|strict| *strict <= repaired);
        self.mismatch(closest.unwrap_or(repaired), to)
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
            to.diagnostics
                .report(message.of(&self.source.place).at(chosen.origin.position));
        }
        self.put(chosen, changes, to)
    }
}

/// Whether nothing but white space stands around what was repaired.
fn is_all_of(repaired: &Repaired, text: &[u8]) -> bool {
    let around = [text.get(..repaired.start), text.get(repaired.end..)];
    let blank = |text: &[u8]| text.trim_ascii().is_empty();
    around.into_iter().all(|text| text.is_some_and(blank))
}

fn chosen(repaired: Repaired, text: &[u8]) -> (Chosen, Vec<String>) {
    let before = text.get(..repaired.start).unwrap_or(text);
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
