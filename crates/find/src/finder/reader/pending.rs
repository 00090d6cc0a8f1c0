//! What is undecided, which text is still needed for that, and the noise before it.

use memchr::{memrchr_iter, memrchr3};

use super::{Candidate, Context, LEFT_KEPT, NEIGHBOURS, ReadMode, Reader, Round, indent};
use crate::document::Noise;
use crate::finder::window::Window;
use crate::span::Position;

impl Reader {
    /// Returns the first byte that is undecided, or that belongs to a complete document which is not handed on yet.
    pub(crate) fn first_pending(&self) -> u64 {
        self.undecided(self.pending())
    }

    /// Returns the first byte that is undecided or unreported: noise is only reported when reading pauses.
    pub(crate) fn first_unreported(&self) -> u64 {
        let first = self.first_pending();
        match self.wants.noise {
            true => first.min(self.noise),
            false => first,
        }
    }

    /// Returns the first byte that is undecided, apart from complete documents that are not handed on yet.
    pub(crate) fn pending(&self) -> u64 {
        match &self.mode {
            ReadMode::Text | ReadMode::Remains(_) | ReadMode::Beyond(_) => self.at,
            ReadMode::Candidate(candidate) => candidate.pending(),
            ReadMode::Failed(failed) => failed.0.pending(),
            ReadMode::Weighing(found) | ReadMode::Suspected(found, _) => found.start,
            ReadMode::Tail(tail) => tail.pending(self.at),
            ReadMode::Almost(almost) => almost.start(),
            ReadMode::Fence(fence) => fence.pending(self.at).min(self.at),
            // The lines before a thinking block that is asked about have not been read yet.
            ReadMode::Asking(asking) => asking.question.start.min(self.at),
            ReadMode::Parted(parted) => parted.start,
        }
    }

    /// Returns the first byte of the window that is still needed.
    pub(crate) fn keep(&mut self, window: &Window) -> u64 {
        self.hold(window);
        self.keep_early(window);
        let pending = match &self.mode {
            ReadMode::Candidate(candidate) => candidate.needed(),
            _ => self.pending(),
        };
        let keep = self.undecided(pending);
        // Makes the window remember this position: documents move it on line by line from here, and the text that is
        // forgotten ends close by.
        let _ = window.position(keep);
        let left = keep.saturating_sub(LEFT_KEPT).max(window.base());
        // Keep as many of the lines before as may be looked at.
        let feed = memrchr_iter(b'\n', window.slice(left, keep)).nth(NEIGHBOURS);
        let left = feed.map_or(left, |feed| left + feed as u64 + 1);
        // The line at the place of reading may start in text that is dropped now: remember its indent.
        let before = window.slice(window.base(), left);
        match memrchr3(b'\n', b'\r', 0, before) {
            Some(end) => {
                self.long_indent = indent(before.get(end + 1..).unwrap_or_default());
            }
            None if window.base() == 0 && !before.is_empty() => self.long_indent = indent(before),
            None => {}
        }
        if let ReadMode::Fence(fence)
        | ReadMode::Candidate(Candidate {
            context: Context::Fence(fence),
            ..
        }) = &mut self.mode
        {
            fence.forget(left, window);
        }
        left
    }

    /// Returns the position of the marks of the fence that is being read, if it may still turn out faulty.
    pub(crate) fn fence_at(&self, window: &Window) -> Option<Position> {
        match &self.mode {
            ReadMode::Fence(fence)
            | ReadMode::Candidate(Candidate {
                context: Context::Fence(fence),
                ..
            }) => fence.may_fail().then(|| fence.position(window)),
            _ => None,
        }
    }

    /// Returns where the first complete document starts that was not handed on yet, at most `until`.
    pub(super) fn undecided(&self, until: u64) -> u64 {
        let withheld = self.whole.as_ref().map(|whole| &whole.withheld);
        let first = withheld.and_then(|withheld| withheld.first());
        let alongside = self.alongside.first();
        let starts = [first, alongside].into_iter().flatten();
        starts.map(|found| found.start).fold(until, u64::min)
    }

    /// Reports the decided noise before `until`, if the visitor wants noise.
    pub(super) fn report_decided_noise(&mut self, until: u64, round: &mut Round<'_>) {
        self.report_noise(self.undecided(until), round);
    }

    /// Reports the noise before `until`, if the visitor wants noise.
    pub(super) fn report_noise(&mut self, until: u64, round: &mut Round<'_>) {
        if !self.wants.noise {
            return;
        }
        let window = round.window;
        let until = until.min(window.end());
        while until > self.noise {
            // Most noise of one byte is a line feed, inside which no piece ends.
            let end = match until - self.noise {
                1 => until,
                _ => window.piece_end(self.noise).min(until),
            };
            let (aside, next) = window.aside_at(self.noise);
            if let Some(after) = aside {
                self.noise = after;
                continue;
            }
            let end = end.min(next);
            round.visitor.noise(Noise {
                text: window.slice(self.noise, end),
                prefix: None,
                position: &|| window.position(self.noise),
            });
            self.noise = end;
        }
    }
}
