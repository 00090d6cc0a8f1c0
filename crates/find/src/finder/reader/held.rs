//! Long documents, held without the white space between their tokens while they are read. It takes less memory, and the
//! text is minified while it is still at hand, instead of in a second pass when it is complete.

use std::borrow::Cow;

use super::text::blank_indent;
use super::{Candidate, Context, DocumentFacts, Found, ReadMode, Reader, Round, Stop};
use crate::document::{Fault, FaultKind, Rank};
use crate::finder::weak;
use crate::finder::window::Window;
use crate::span::Position;
use jsift_json::scan::{Shape, clean};
use jsift_json::write::Minified;

/// What is known of a candidate whose text has been dropped from the window.
#[derive(Debug)]
pub(super) struct Held {
    text: Minified,
    /// Where the text ends that was taken from the window.
    end: u64,
    position: Position,
    /// See [`Fault::sample`].
    sample: Vec<u8>,
}

/// A complete document that was held.
#[derive(Debug)]
pub(super) struct Condensed<'a> {
    pub text: Cow<'a, [u8]>,
    pub(super) position: Position,
}

impl Held {
    /// Returns nothing yet of the candidate at `start`.
    fn at(start: u64, window: &Window) -> Self {
        let sample = window.text(start, start + Fault::SAMPLE as u64);
        Self {
            text: Minified::new(),
            end: start,
            position: window.position(start),
            sample: sample.into_owned(),
        }
    }

    pub(super) const fn end(&self) -> u64 {
        self.end
    }
}

/// Whether `start` is the start of the source, or after a line feed.
fn follows_feed(start: u64, window: &Window) -> bool {
    start == 0 || window.slice(start - 1, start) == b"\n"
}

impl Reader {
    /// Returns the position of the pending candidate if its text has been dropped from the window.
    pub(crate) fn held_at(&self) -> Option<Position> {
        match &self.mode {
            ReadMode::Candidate(candidate) => candidate.held.as_ref().map(|held| held.position),
            _ => None,
        }
    }

    /// Moves the text of a long candidate that was read from the window to [`Held`].
    pub(super) fn hold(&mut self, window: &Window) {
        let mut mode = std::mem::take(&mut self.mode);
        if let ReadMode::Candidate(candidate) = &mut mode
            && self.is_to_be_held(candidate, window)
        {
            let held = candidate
                .held
                .get_or_insert_with(|| Box::new(Held::at(candidate.start, window)));
            held.end += held.text.push(window.slice(held.end, self.at)) as u64;
        }
        self.mode = mode;
    }

    /// Returns whether the text of a candidate is only needed to be written out: it cannot have a log prefix, it counts
    /// if it is completed, and if it is not, no bracket in it is read again and its text is not reported as noise.
    fn is_to_be_held(&mut self, candidate: &Candidate, window: &Window) -> bool {
        let Candidate {
            start,
            ref context,
            ref held,
        } = *candidate;
        if self.at - start < self.options.as_found.max(Fault::SAMPLE as u64)
            || self.scanner.shape().is(Shape::DIRTY)
        {
            return false;
        }
        let whole = self.whole.as_ref();
        held.is_some()
            || self.options.embedded
                && !self.wants.noise
                && !self.wants.parts
                && !matches!(context, Context::Fence(_))
                && self.scanner.is_committed()
                && weak::is_strong(self.scanner.shape())
                && self.alongside.is_empty()
                && whole.is_none_or(|whole| whole.withheld.is_empty())
                && follows_feed(start, window)
    }

    /// Returns whether a line starts at `start`, colours aside, after a line feed or at the beginning of the source.
    pub(super) fn begins_at_feed(&mut self, start: u64, window: &Window) -> bool {
        let line = self.line(window, start);
        let before = window.slice(line.start, start);
        line.whole && blank_indent(before) == Some(0) && follows_feed(line.start, window)
    }

    /// Delivers a complete document that was held.
    pub(super) fn found_held(
        &mut self,
        mut held: Held,
        context: &Context,
        found: &Found,
        round: &mut Round<'_>,
    ) {
        let window = round.window;
        let rest = window.slice(held.end, found.end);
        // White space may be part of a terminal sequence. All terminal sequences are in the text that was not held.
        let text = if found.shape.is(Shape::DIRTY) {
            Cow::Owned(clean(&[held.text.begun(), rest].concat()).into_owned())
        } else {
            Cow::Borrowed(held.text.finish(rest))
        };
        let condensed = Condensed {
            text,
            position: held.position,
        };
        let about = DocumentFacts {
            condensed: Some(&condensed),
            ..DocumentFacts::default()
        };
        let rank = match (context, &mut self.whole) {
            (Context::Whole, Some(whole)) => {
                whole.any = true;
                Rank::Whole
            }
            _ => Rank::Embedded,
        };
        self.deliver_with(&Found { rank, ..*found }, about, round);
    }

    /// Fails a held candidate that cannot be read on.
    pub(super) fn fail_held(&mut self, held: Held, start: u64, stop: Stop, round: &mut Round<'_>) {
        let window = round.window;
        self.end_whole(start, round);
        let fault = self.fault_of(held.position, held.sample, stop, window);
        self.report_fault(fault, round);
        match stop.kind {
            FaultKind::Limit => self.mode = ReadMode::Beyond(0),
            _ => self.go_on_in_remains(0, stop, window),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Stage};
    use crate::finder::{FindOptions, Finder};

    #[test]
    fn a_source_is_not_whole_once_what_was_held_has_failed() {
        let text = format!("{{\"a\": \"{}\", x}}\n{{\"b\": 1}}\n", "long ".repeat(100));
        let mut stages = Vec::new();
        let mut visitor = |document: Document<'_>| stages.push(document.stage());
        let mut finder = Finder::new(FindOptions {
            as_found: 0,
            ..FindOptions::default()
        });
        for piece in text.as_bytes().chunks(64) {
            finder.push(piece, &mut visitor);
        }
        finder.finish(&mut visitor);
        assert!(!finder.is_whole());
        assert_eq!(stages, [Stage::Embedded]);
    }
}
