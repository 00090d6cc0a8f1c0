//! Puts out joined lines in the order of their first records.
//!
//! The front line is put out as it arrives, even while it is open, so that it is not held and may have any length.
//! Lines after an open one wait. If too much waits, the held text is put out as it is, and the open lines end there: a
//! later continuation becomes a line of its own.

use std::collections::VecDeque;

use super::held::HeldPieces;
use crate::input::{Piece, SourceLine, Writer};

/// How many lines may wait for an open one.
pub const WAITING_LINES: usize = 200;
/// How much memory the waiting lines may take, in bytes.
pub const WAITING_SIZE: usize = 1 << 20;

/// Identifies the stream of a record.
pub(super) type StreamId = u64;

/// The state of a line after a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineState {
    /// Nothing can follow.
    Closed,
    /// The next record of the stream continues the line, and later lines wait for it.
    Open,
    /// The next record of the stream may continue the line, but a record of another stream does not wait for it.
    ClosedByFeed,
}

/// The position of the line feed that is still missing from an open line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineEnd {
    pub(super) offset: u64,
    pub(super) line: SourceLine,
    pub(super) writer: Option<Writer>,
}

/// A line joined from records.
#[derive(Debug)]
struct JoinedLine {
    stream: Option<StreamId>,
    state: LineState,
    end: LineEnd,
    /// Its text, if it waits for another line.
    held: HeldPieces,
}

impl JoinedLine {
    fn new(stream: Option<StreamId>) -> Self {
        Self {
            stream,
            state: LineState::Open,
            end: LineEnd::default(),
            held: HeldPieces::default(),
        }
    }

    /// Returns the line feed that is still missing.
    const fn line_feed(&self) -> Piece<'static> {
        Piece {
            text: b"\n",
            offset: self.end.offset,
            stride: 0,
            line: Some(self.end.line),
            writer: self.end.writer,
        }
    }
}

/// The open line in front, and the lines that wait for it.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The first one is put out as it arrives.
    lines: VecDeque<JoinedLine>,
    /// The place of the line that the current record belongs to.
    target: usize,
    /// How much memory the waiting lines take, in bytes.
    held: usize,
}

impl Queue {
    /// Returns the source offset of the first byte that waits.
    pub(super) fn first_held(&self) -> Option<u64> {
        self.lines.iter().filter_map(|line| line.held.first()).min()
    }

    /// Begins a record. If it `joins` and a line of its stream is open, it continues that line, and the result is true.
    /// Otherwise it begins a line.
    pub(super) fn begin(
        &mut self,
        stream: Option<StreamId>,
        joins: bool,
        out: &mut impl FnMut(Piece<'_>),
    ) -> bool {
        let is_open = |line: &JoinedLine| line.state != LineState::Closed && line.stream == stream;
        let open = stream.and_then(|_| self.lines.iter().position(is_open));
        if let Some(open) = open {
            if joins {
                self.target = open;
                if let Some(line) = self.lines.get_mut(open) {
                    line.state = LineState::Open;
                }
                return true;
            }
            self.close(open, out);
        }
        self.settle(out);
        if self.lines.len() > WAITING_LINES {
            self.flush(out);
            self.close(0, out);
        }
        self.target = self.lines.len();
        if self.target > 0 {
            self.held += HeldPieces::STRETCH_SIZE;
        }
        self.lines.push_back(JoinedLine::new(stream));
        false
    }

    /// Adds a piece to the record's line.
    pub(super) fn push(&mut self, piece: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        if piece.text.is_empty() {
            return;
        }
        let size = self.held + piece.text.len() + HeldPieces::STRETCH_SIZE;
        if self.target > 0 && size > WAITING_SIZE {
            self.give_up(out);
        }
        self.put(self.target, piece, out);
    }

    /// Adds a piece to a line.
    fn put(&mut self, at: usize, piece: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        match self.lines.get_mut(at) {
            Some(line) if at > 0 => {
                let before = line.held.size();
                line.held.push(piece);
                self.held += line.held.size() - before;
            }
            _ => out(piece),
        }
    }

    /// Ends the record. `end` is the position of the line feed that is missing if the line stays open.
    pub(super) fn end(&mut self, state: LineState, end: LineEnd, out: &mut impl FnMut(Piece<'_>)) {
        if let Some(line) = self.lines.get_mut(self.target) {
            line.state = state;
            line.end = end;
        }
        self.advance(out);
    }

    /// Puts out everything that waits. If the last line is open, it gets no line feed: the end of the source cuts it
    /// off in the middle.
    pub(super) fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.flush(out);
        self.settle(out);
        self.lines.clear();
    }

    /// Ends a line, if it is there, with the line feed that is missing.
    fn close(&mut self, at: usize, out: &mut impl FnMut(Piece<'_>)) {
        if let Some(line) = self.lines.get_mut(at) {
            line.state = LineState::Closed;
            let feed = line.line_feed();
            self.put(at, feed, out);
        }
        self.advance(out);
    }

    /// Ends a front line that its line feed may have closed, since a new record begins.
    fn settle(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        let is_closed_by_feed = |line: &JoinedLine| line.state == LineState::ClosedByFeed;
        while self.lines.front().is_some_and(is_closed_by_feed) {
            self.close(0, out);
        }
    }

    /// Moves lines to the front until an open one is there.
    fn advance(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        let mut has_moved = false;
        while let Some(front) = self.lines.front() {
            match front.state {
                LineState::Closed => {}
                LineState::ClosedByFeed if has_moved && self.lines.len() > 1 => {
                    out(front.line_feed());
                }
                LineState::ClosedByFeed | LineState::Open => return,
            }
            self.drop_front(out);
            has_moved = true;
        }
    }

    /// Drops the front line, and puts out what the next one holds.
    fn drop_front(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.lines.pop_front();
        if let Some(next) = self.lines.front_mut() {
            let held = std::mem::take(&mut next.held);
            self.held -= held.size() + HeldPieces::STRETCH_SIZE;
            held.pieces(0..usize::MAX).for_each(out);
        }
    }

    /// Puts out everything as it is, in the middle of a record. If the record continued a line before others, the rest
    /// of the record becomes a line of its own.
    fn give_up(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        let reading_last = self.target + 1 == self.lines.len();
        self.flush(out);
        if !reading_last {
            self.close(0, out);
            self.lines.push_back(JoinedLine::new(None));
        }
        self.target = 0;
    }

    /// Puts out all lines and ends each but the last, which becomes the front line if it is open.
    fn flush(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        while self.lines.len() > 1 {
            if let Some(front) = self.lines.front()
                && front.state != LineState::Closed
            {
                out(front.line_feed());
            }
            self.drop_front(out);
        }
        self.lines.retain(|line| line.state != LineState::Closed);
    }
}
