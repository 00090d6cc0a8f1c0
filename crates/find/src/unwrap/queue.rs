//! Puts out joined lines in the order of their first records.
//!
//! The front line is put out as it arrives, even while it is open, so that it is not held and may have any length.
//! Lines after an open one wait. If too much waits, the held text is put out as it is, and the open lines end there: a
//! later continuation becomes a line of its own.

use std::collections::VecDeque;

use super::held::HeldPieces;
use crate::input::{Piece, SourceLine};

/// How many lines may wait for an open one.
pub(super) const WAITING_LINES: usize = 200;
/// How much memory the waiting lines may take, in bytes.
pub(super) const WAITING_SIZE: usize = 1 << 20;

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
    Ajar,
}

/// The position of the line feed that is still missing from an open line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineEnd {
    pub(super) offset: u64,
    pub(super) line: SourceLine,
}

/// A line joined from records.
#[derive(Debug)]
struct JoinedLine {
    stream: Option<StreamId>,
    state: LineState,
    end: LineEnd,
}

impl JoinedLine {
    fn new(stream: Option<StreamId>) -> Self {
        Self {
            stream,
            state: LineState::Open,
            end: LineEnd::default(),
        }
    }

    /// Returns the line feed that is still missing.
    const fn line_feed(&self) -> Piece<'static> {
        Piece {
            text: b"\n",
            offset: self.end.offset,
            stride: 0,
            line: Some(self.end.line),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum JoinTarget {
    Front,
    Waiting(usize),
}

/// The open line in front, and the lines that wait for it.
#[derive(Debug)]
pub(super) struct Queue {
    front: Option<JoinedLine>,
    /// Empty if there is no front line.
    waiting: VecDeque<(JoinedLine, HeldPieces)>,
    /// The line that the current record belongs to.
    target: JoinTarget,
    /// How much memory the waiting lines take, in bytes.
    held: usize,
}

impl Queue {
    pub(super) const fn new() -> Self {
        Self {
            front: None,
            waiting: VecDeque::new(),
            target: JoinTarget::Front,
            held: 0,
        }
    }

    /// Returns the source offset of the first byte that waits.
    pub(super) fn first_held(&self) -> Option<u64> {
        self.waiting
            .iter()
            .filter_map(|(_, held)| held.first())
            .min()
    }

    /// Begins a record. If it `joins` and a line of its stream is open, it continues that line, and the result is true.
    /// Otherwise it begins a line.
    pub(super) fn begin(
        &mut self,
        stream: Option<StreamId>,
        joins: bool,
        out: &mut impl FnMut(Piece<'_>),
    ) -> bool {
        if let Some(target) = self.open_line(stream) {
            if joins {
                self.target = target;
                if let Some(entry) = self.current() {
                    entry.state = LineState::Open;
                }
                return true;
            }
            self.close(target, out);
        }
        self.settle(out);
        if self.waiting.len() >= WAITING_LINES {
            self.flush(out);
            self.end_front(out);
        }
        let entry = JoinedLine::new(stream);
        if self.front.is_none() {
            self.front = Some(entry);
            self.target = JoinTarget::Front;
        } else {
            self.target = JoinTarget::Waiting(self.waiting.len());
            self.held += HeldPieces::MARK_SIZE;
            self.waiting.push_back((entry, HeldPieces::default()));
        }
        false
    }

    /// Adds a piece to the record's line.
    pub(super) fn push(&mut self, piece: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        if piece.text.is_empty() {
            return;
        }
        if let JoinTarget::Waiting(_) = self.target
            && self.held + piece.text.len() + HeldPieces::MARK_SIZE > WAITING_SIZE
        {
            self.give_up(out);
        }
        match self.target {
            JoinTarget::Front => out(piece),
            JoinTarget::Waiting(at) => self.hold(at, piece),
        }
    }

    fn hold(&mut self, at: usize, piece: Piece<'_>) {
        if let Some((_, held)) = self.waiting.get_mut(at) {
            let before = held.size();
            held.push(piece);
            self.held += held.size() - before;
        }
    }

    /// Ends the record. `end` is the position of the line feed that is missing if the line stays open.
    pub(super) fn end(&mut self, state: LineState, end: LineEnd, out: &mut impl FnMut(Piece<'_>)) {
        if let Some(entry) = self.current() {
            entry.state = state;
            entry.end = end;
        }
        self.advance(out);
    }

    /// Puts out everything that waits. If the last line is open, it gets no line feed: the end of the source cuts it
    /// off in the middle.
    pub(super) fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.flush(out);
        self.settle(out);
        self.front = None;
    }

    fn current(&mut self) -> Option<&mut JoinedLine> {
        match self.target {
            JoinTarget::Front => self.front.as_mut(),
            JoinTarget::Waiting(at) => self.waiting.get_mut(at).map(|(entry, _)| entry),
        }
    }

    fn open_line(&self, stream: Option<StreamId>) -> Option<JoinTarget> {
        let stream = stream?;
        let fits =
            |entry: &JoinedLine| entry.state != LineState::Closed && entry.stream == Some(stream);
        if self.front.as_ref().is_some_and(fits) {
            return Some(JoinTarget::Front);
        }
        let at = self.waiting.iter().position(|(entry, _)| fits(entry))?;
        Some(JoinTarget::Waiting(at))
    }

    fn close(&mut self, target: JoinTarget, out: &mut impl FnMut(Piece<'_>)) {
        match target {
            JoinTarget::Front => self.end_front(out),
            JoinTarget::Waiting(at) => {
                if let Some((entry, _)) = self.waiting.get_mut(at) {
                    entry.state = LineState::Closed;
                    let feed = entry.line_feed();
                    self.hold(at, feed);
                }
            }
        }
        self.advance(out);
    }

    /// Ends a front line that is only ajar, since a new record begins.
    fn settle(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        while let Some(entry) = self.front.take_if(|entry| entry.state == LineState::Ajar) {
            out(entry.line_feed());
            self.advance(out);
        }
    }

    /// Moves lines to the front until an open one is there.
    fn advance(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        _ = self.front.take_if(|entry| entry.state == LineState::Closed);
        while self.front.is_none()
            && let Some((entry, held)) = self.waiting.pop_front()
        {
            self.give(&held, out);
            match entry.state {
                LineState::Closed => {}
                LineState::Ajar if !self.waiting.is_empty() => out(entry.line_feed()),
                LineState::Ajar | LineState::Open => self.front = Some(entry),
            }
        }
    }

    fn give(&mut self, held: &HeldPieces, out: &mut impl FnMut(Piece<'_>)) {
        self.held = self
            .held
            .saturating_sub(held.size() + HeldPieces::MARK_SIZE);
        held.pieces(0..usize::MAX).for_each(out);
    }

    /// Puts out everything as it is, in the middle of a record. If the record continued a line before others, the rest
    /// of the record becomes a line of its own.
    fn give_up(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        let last = self.waiting.len().saturating_sub(1);
        let reading_last = matches!(self.target, JoinTarget::Waiting(at) if at == last);
        self.flush(out);
        if !reading_last {
            self.end_front(out);
            self.front = Some(JoinedLine::new(None));
        }
        self.target = JoinTarget::Front;
    }

    fn end_front(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        if let Some(entry) = self.front.take() {
            out(entry.line_feed());
        }
    }

    /// Puts out all lines and ends each but the last, which becomes the front line if it is open.
    fn flush(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        while let Some((entry, held)) = self.waiting.pop_front() {
            self.end_front(out);
            self.give(&held, out);
            self.front = (entry.state != LineState::Closed).then_some(entry);
        }
    }
}
