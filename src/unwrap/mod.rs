//! What a log puts around text, taken off before anything is looked for in it.
//!
//! Some transports cut a line into several records, each with a head of its own (containerd, gitlab-runner), or wrap
//! each line in JSON (docker, journald). [`Unwrapper`] stands between the decoder and the finder, takes pieces and gives
//! pieces: the joined text, still with its places in the source. It works on bytes, since a cut may fall inside a
//! character. Prefixes that merely stand on every line are not its business: the finder learns them by itself.

mod head;
mod held;
mod queue;
mod record;
#[cfg(test)]
mod tests;

use crate::input::{Piece, SourceLine};
use head::{HEAD_LIMIT, LineHead, Record, Transport, head};
use held::HeldPieces;
use queue::{LineEnd, LineState, Queue};
use record::{Dress, Framing, record};

/// How many lines at the head of a source may pass before [`Mode::Detect`] gives up, provided that they come within
/// [`DETECT_BYTES`].
pub const DETECT_LINES: u32 = 16;
/// How many bytes may pass before [`Mode::Detect`] gives up.
pub const DETECT_BYTES: u64 = 64 * 1024;
/// The longest JSON record that is unwrapped, in bytes. A longer line passes as it is.
pub const RECORD_LIMIT: usize = 1 << 20;

/// How long a record of gitlab-runner has to be for its buffer to have cut it, in bytes: a little less than the 8 KiB
/// seen in 17.x and 18.x, as the head counts too.
const GITLAB_BUFFER: u64 = 8 * 1024 - 64;

/// Which log format is taken off before anything is looked for.
///
/// ```
/// use jsift::{Options, Unwrap};
///
/// let log = r#"{"log":"{\"a\": 1}\n","stream":"stdout","time":"2026-01-01T00:00:00Z"}"#;
/// let document = Options::new().unwrap(Unwrap::Docker).extract(log)?;
/// assert_eq!(document.text(), r#"{"a": 1}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Records of containerd or gitlab-runner, if the first lines of the source show one; else nothing, at no cost.
    #[default]
    Detect,
    /// Records of containerd and other CRI runtimes.
    Cri,
    /// Docker's JSON records, fluentd's and fluent-bit's included.
    Docker,
    /// Journald's JSON records.
    Journald,
    /// All of them, each line on its own, and CircleCI's arrays of messages.
    Auto,
}

/// Joins and unwraps the records of one source. How the source is cut into pieces does not show in the text and the
/// places that it gives. Lines that are no records pass as they are.
///
/// - A line cut into records comes out as one, at the place of its first record: with that record's head, whose mark
///   says that the line is whole, so that the lines of a document have heads of one form.
/// - JSON records come out as the text in them.
/// - Lines come out in the order of their first records. What stands behind an open line waits, at most 200 lines or
///   1 MiB; after that what is held goes out as it is.
#[derive(Debug)]
pub struct Unwrapper {
    transports: Transports,
    dress: Option<Dress>,
    /// What is left to be seen before giving up.
    detect: Option<UnwrapBudget>,
    /// Whether everything passes from here on.
    idle: bool,
    step: UnwrapStep,
    /// The beginning of a line that is not decided yet, or as much of a JSON record as has come.
    held: HeldPieces,
    inner: HeldPieces,
    line: SourceLine,
    queue: Queue,
}

#[derive(Debug, Clone, Copy)]
struct Transports {
    cri: bool,
    gitlab: bool,
}

#[derive(Debug, Clone, Copy)]
struct UnwrapBudget {
    lines: u32,
    bytes: u64,
}

#[derive(Debug, Clone, Copy)]
enum UnwrapStep {
    /// At the beginning of a line.
    Head,
    /// In a line that may be a JSON record, which has to be there as a whole.
    Whole,
    /// In the rest of a line.
    Rest(Rest),
}

/// How a line will end.
#[derive(Debug, Clone, Copy)]
enum Rest {
    Plain,
    Cri { part: bool },
    Gitlab { length: u64 },
}

impl Unwrapper {
    /// An unwrapper at the start of a source.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        let lines = matches!(mode, Mode::Detect | Mode::Auto);
        Self {
            transports: Transports {
                cri: lines || mode == Mode::Cri,
                gitlab: lines,
            },
            dress: match mode {
                Mode::Detect | Mode::Cri => None,
                Mode::Docker => Some(Dress::Docker),
                Mode::Journald => Some(Dress::Journald),
                Mode::Auto => Some(Dress::Any),
            },
            detect: (mode == Mode::Detect).then_some(UnwrapBudget {
                lines: DETECT_LINES,
                bytes: DETECT_BYTES,
            }),
            idle: false,
            step: UnwrapStep::Head,
            held: HeldPieces::default(),
            inner: HeldPieces::default(),
            line: SourceLine::FIRST,
            queue: Queue::new(),
        }
    }

    /// Whether everything passes from here on: then it need not pass here.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.idle
    }

    /// The offset in the source of the first byte that was read and not given yet.
    pub(crate) fn first_held(&self) -> Option<u64> {
        [self.held.first(), self.queue.first_held()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Reads the next piece.
    pub fn push(&mut self, piece: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        if self.idle {
            return out(piece);
        }
        if let Some(line) = piece.line {
            self.line = line;
        }
        let mut rest = piece;
        while !rest.text.is_empty() && !self.idle {
            rest = match self.step {
                UnwrapStep::Head => self.read_head(rest, out),
                UnwrapStep::Whole => self.read_whole(rest, out),
                UnwrapStep::Rest(kind) => self.read_rest(kind, rest, out),
            };
        }
        if !rest.text.is_empty() {
            out(Piece {
                line: Some(self.line),
                ..rest
            });
        }
    }

    /// The source has ended: gives what is held.
    pub fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        match self.step {
            UnwrapStep::Head if !self.held.text().is_empty() => self.begin_plain(out),
            UnwrapStep::Whole => self.end_whole(out),
            UnwrapStep::Head | UnwrapStep::Rest(_) => {}
        }
        self.queue.finish(out);
    }

    /// Collects the beginning of a line until it is known what it is.
    fn read_head<'a>(&mut self, piece: Piece<'a>, out: &mut impl FnMut(Piece<'_>)) -> Piece<'a> {
        let room = HEAD_LIMIT.saturating_sub(self.held.text().len());
        let window = piece.text.get(..room).unwrap_or(piece.text);
        let length = memchr::memchr(b'\n', window).map_or(window.len(), |at| at + 1);
        let (head, rest) = piece.split_at(length);
        self.held.push(head);
        if self.may_be_json() {
            // Held bytes are read again as a whole; nothing of the line has gone anywhere.
            self.step = UnwrapStep::Whole;
            if self.held.text().ends_with(b"\n") {
                self.end_whole(out);
            }
            return rest;
        }
        match self.classify() {
            LineHead::Incomplete => {}
            LineHead::None => self.begin_plain(out),
            LineHead::Record(record) => self.begin_record(record, out),
        }
        rest
    }

    fn may_be_json(&self) -> bool {
        match self.held.text().first() {
            Some(b'{') => self.dress.is_some(),
            Some(b'[') => self.dress == Some(Dress::Any),
            _ => false,
        }
    }

    fn classify(&self) -> LineHead {
        let Transports { cri, gitlab } = self.transports;
        if !cri && !gitlab {
            return LineHead::None;
        }
        match head(self.held.text()) {
            LineHead::Record(record) => match record.transport {
                Transport::Cri if cri => LineHead::Record(record),
                Transport::Gitlab if gitlab => LineHead::Record(record),
                Transport::Cri | Transport::Gitlab => LineHead::None,
            },
            other => other,
        }
    }

    fn begin_plain(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.queue.begin(None, false, out);
        self.step = UnwrapStep::Rest(Rest::Plain);
        self.read_held(0, out);
    }

    fn begin_record(&mut self, record: Record, out: &mut impl FnMut(Piece<'_>)) {
        let (joins, kind) = match record.transport {
            Transport::Cri => (true, Rest::Cri { part: record.part }),
            Transport::Gitlab => (record.part, Rest::Gitlab { length: 0 }),
        };
        if self.detect.take().is_some() {
            self.transports = Transports {
                cri: record.transport == Transport::Cri,
                gitlab: record.transport == Transport::Gitlab,
            };
        }
        let [a, b, c] = record.stream;
        let stream = u64::from_be_bytes([0, 0, 0, 0, 0, a, b, c]);
        let joined = self.queue.begin(Some(stream), joins, out);
        self.step = UnwrapStep::Rest(kind);
        let start = match (joined, record.part) {
            (true, _) => record.length,
            (false, false) => 0,
            (false, true) => {
                self.give_head_as_whole(record, out);
                record.mark + 1
            }
        };
        self.read_held(start, out);
    }

    /// Gives a head up to its mark, and for that the one of a whole line.
    fn give_head_as_whole(&mut self, record: Record, out: &mut impl FnMut(Piece<'_>)) {
        let line = Some(self.line);
        for piece in self.held.pieces(0..record.mark) {
            self.queue.push(Piece { line, ..piece }, out);
        }
        for mark in self.held.pieces(record.mark..record.mark + 1) {
            let text = record.transport.whole();
            self.queue.push(Piece { line, text, ..mark }, out);
        }
    }

    /// Reads what is held from `start` on as the rest of a line, which it does not go beyond.
    fn read_held(&mut self, start: usize, out: &mut impl FnMut(Piece<'_>)) {
        let mut held = std::mem::take(&mut self.held);
        for piece in held.pieces(start..usize::MAX) {
            if let UnwrapStep::Rest(kind) = self.step {
                self.read_rest(kind, piece, out);
            }
        }
        held.clear();
        self.held = held;
    }

    /// Gives the rest of a line as it comes, up to its line feed.
    fn read_rest<'a>(
        &mut self,
        kind: Rest,
        piece: Piece<'a>,
        out: &mut impl FnMut(Piece<'_>),
    ) -> Piece<'a> {
        let Some(at) = memchr::memchr(b'\n', piece.text) else {
            self.give(piece, out);
            self.step = UnwrapStep::Rest(kind.behind(piece.text.len()));
            self.spend(false, piece.text.len());
            return piece.split_at(piece.text.len()).1;
        };
        let state = kind.behind(at).state();
        let feed = piece.split_at(at).1.split_at(1).0;
        let given = at + usize::from(state == LineState::Closed);
        self.give(piece.split_at(given).0, out);
        self.leave_line(state, feed, out);
        self.spend(true, at + 1);
        piece.split_at(at + 1).1
    }

    /// Ends a line of the source. The joined line has been given its line feed if it is closed, and only then.
    fn leave_line(&mut self, state: LineState, feed: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        let end = LineEnd {
            offset: feed.offset,
            line: self.line,
        };
        self.queue.end(state, end, out);
        if feed.stride > 0 {
            self.line = self.line.behind(feed.offset, feed.stride);
        }
        self.step = UnwrapStep::Head;
    }

    fn spend(&mut self, line: bool, bytes: usize) {
        if let Some(budget) = &mut self.detect {
            budget.lines = budget.lines.saturating_sub(u32::from(line));
            budget.bytes = budget.bytes.saturating_sub(bytes as u64);
            self.idle = budget.lines == 0 || budget.bytes == 0;
        }
    }

    fn give(&mut self, piece: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        let line = Some(self.line);
        self.queue.push(Piece { line, ..piece }, out);
    }

    /// Collects a line that may be a JSON record.
    fn read_whole<'a>(&mut self, piece: Piece<'a>, out: &mut impl FnMut(Piece<'_>)) -> Piece<'a> {
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

    /// Gives the text of the record that is held, or the line as it is.
    fn end_whole(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.inner.clear();
        let framing = self
            .dress
            .and_then(|dress| record(&self.held, dress, &mut self.inner));
        let Some(framing) = framing else {
            return self.begin_plain(out);
        };
        self.queue.begin(framing.stream, true, out);
        let line = Some(self.line);
        for piece in self.inner.pieces(0..usize::MAX) {
            self.queue.push(Piece { line, ..piece }, out);
        }
        self.end_record(framing, out);
    }

    /// Ends the line of the JSON record that is held.
    fn end_record(&mut self, framing: Framing, out: &mut impl FnMut(Piece<'_>)) {
        let mut held = std::mem::take(&mut self.held);
        let last = held.text().len().saturating_sub(1);
        let feed = held.pieces(last..last + 1).next();
        match (feed.filter(|feed| feed.text == b"\n"), framing) {
            (Some(feed), Framing { part: true, .. }) => self.leave_line(LineState::Open, feed, out),
            (Some(feed), Framing { ended: true, .. }) => {
                self.leave_line(LineState::Closed, feed, out)
            }
            (Some(feed), _) => {
                self.give(feed, out);
                self.leave_line(LineState::Closed, feed, out);
            }
            // The source ends here, and so does the line, but nothing says so if its text does not.
            (None, Framing { ended: true, .. }) => {
                self.queue.end(LineState::Closed, LineEnd::default(), out);
            }
            (None, _) => {}
        }
        held.clear();
        self.held = held;
    }
}

impl Rest {
    /// The same, with so many bytes of it read.
    const fn behind(self, bytes: usize) -> Self {
        match self {
            Self::Gitlab { length } => Self::Gitlab {
                length: length + bytes as u64,
            },
            other => other,
        }
    }

    /// What the line is at its line feed. gitlab-runner cuts a line where its buffer is full or behind a carriage
    /// return, and only the next record of the stream tells. Other streams wait for that only where text may be torn.
    const fn state(self) -> LineState {
        match self {
            Self::Plain | Self::Cri { part: false } => LineState::Closed,
            Self::Cri { part: true } => LineState::Open,
            Self::Gitlab { length } if length >= GITLAB_BUFFER => LineState::Open,
            Self::Gitlab { .. } => LineState::Ajar,
        }
    }
}
