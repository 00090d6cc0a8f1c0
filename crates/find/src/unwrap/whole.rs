//! Lines that may be JSON records or have a field: they have to be complete before they are read.

use super::held::HeldPieces;
use super::queue::{LineEnd, LineState};
use super::record::{Framing, record};
use super::{RECORD_LIMIT, UnwrapStep, Unwrapper};
use crate::input::Piece;

impl Unwrapper {
    /// Whether the held line may begin with a JSON record, or have a field.
    pub(super) fn may_be_record(&self) -> bool {
        match (&self.wrapper, self.held.text().first()) {
            (Some(wrapper), Some(&first)) => wrapper.may_begin(first),
            _ => false,
        }
    }

    /// Waits for the rest of a line that may be a JSON record.
    pub(super) fn begin_whole(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        // The held bytes are read again as a whole; nothing of the line was passed on yet.
        self.step = UnwrapStep::Whole;
        if self.held.text().ends_with(b"\n") {
            self.end_whole(out);
        }
    }

    /// Whether the held line may have a JSON record after a prefix; `None` if that needs more of it.
    pub(super) fn may_follow_prefix(&self) -> Option<bool> {
        match &self.wrapper {
            Some(wrapper) => wrapper.may_follow_prefix(self.held.text()),
            None => Some(false),
        }
    }

    /// Collects a line that may be a JSON record.
    pub(super) fn read_whole<'a>(
        &mut self,
        piece: Piece<'a>,
        out: &mut impl FnMut(Piece<'_>),
    ) -> Piece<'a> {
        let room = RECORD_LIMIT.saturating_sub(self.held.text().len());
        let window = piece.text.get(..room).unwrap_or(piece.text);
        let feed = memchr::memchr(b'\n', window);
        let (part, rest) = piece.split_at(feed.map_or(window.len(), |at| at + 1));
        self.held.push(part);
        if feed.is_some() {
            self.end_whole(out);
        } else if self.held.text().len() >= RECORD_LIMIT {
            self.begin_plain(out);
        }
        rest
    }

    /// Passes on the text of the held record, or the line as it is.
    pub(super) fn end_whole(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.inner.clear();
        let framing = self
            .wrapper
            .as_ref()
            .and_then(|wrapper| record(&self.held, wrapper, &mut self.inner));
        let Some(framing) = framing else {
            return self.begin_plain(out);
        };
        self.unwrapped = true;
        self.writer = framing.writer;
        let joined = self.queue.begin(framing.stream, true, out);
        let inner = std::mem::take(&mut self.inner);
        self.give_inner(&inner, framing.prefix, !joined, out);
        self.inner = inner;
        self.end_record(framing, out);
    }

    /// Passes on the text of a record. Each of its lines gets the prefix of the record, which the finder learns like
    /// any other; the first line only if it `begins` in this record.
    fn give_inner(
        &mut self,
        inner: &HeldPieces,
        prefix: usize,
        begins: bool,
        out: &mut impl FnMut(Piece<'_>),
    ) {
        let held = std::mem::take(&mut self.held);
        for piece in held.pieces(0..prefix).filter(|_| begins) {
            self.give(piece, out);
        }
        let text = held.text().get(..prefix).unwrap_or_default();
        // The offset of the line feed before a line, at which its prefix is put.
        let mut feed = None;
        for piece in inner.pieces(0..usize::MAX) {
            for line in piece.lines() {
                if let Some(offset) = feed {
                    let prefix = Piece::plain(text, offset);
                    self.give(
                        Piece {
                            stride: 0,
                            ..prefix
                        },
                        out,
                    );
                }
                let ended = line.text.ends_with(b"\n");
                feed = ended.then(|| line.offset_of(line.text.len() - 1));
                self.give(line, out);
            }
        }
        self.held = held;
    }

    /// Ends the line of the JSON record that is held.
    fn end_record(&mut self, framing: Framing, out: &mut impl FnMut(Piece<'_>)) {
        let mut held = std::mem::take(&mut self.held);
        let last = held.text().len().saturating_sub(1);
        let feed = held.pieces(last..last + 1).next();
        match (feed.filter(|feed| feed.text == b"\n"), framing) {
            (Some(feed), Framing { part: true, .. }) => self.leave_line(LineState::Open, feed, out),
            (Some(feed), Framing { ended: true, .. }) => {
                self.leave_line(LineState::Closed, feed, out);
            }
            (Some(feed), _) => {
                self.give(feed, out);
                self.leave_line(LineState::Closed, feed, out);
            }
            // The source ends here, and the line with it; only a text with its own line feed says so.
            (None, Framing { ended: true, .. }) => {
                self.queue.end(LineState::Closed, LineEnd::default(), out);
            }
            (None, _) => {}
        }
        held.clear();
        self.held = held;
    }
}
