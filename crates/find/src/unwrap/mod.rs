//! Removes what a log puts around text, before documents are searched for.
//!
//! Some transports cut a line into several records, each with its own head (containerd, gitlab-runner), or wrap each
//! line in JSON (docker, journald) or in a field of a structured log ([`Field`]). [`Unwrapper`] is between the decoder
//! and the finder; it takes and returns pieces: the joined text, still with its offsets in the source. It works on
//! bytes, since a cut may be inside a character. Prefixes that are merely the same on every line are not handled here:
//! the finder learns them by itself.

mod field;
mod head;
mod held;
mod names;
mod queue;
mod record;
#[cfg(test)]
mod tests;
mod whole;

use std::str::FromStr;

use crate::input::{Piece, SourceLine, Writer};
use crate::prefix::PREFIX_LIMIT;
pub use field::Field;
use head::{HEAD_LIMIT, LineHead, Record, Transport, head};
use held::HeldPieces;
use queue::{LineEnd, LineState, Queue};
pub use queue::{WAITING_LINES, WAITING_SIZE};
use record::Wrapper;

/// How many lines at the beginning of a source [`Unwrap::Detect`] checks before it gives up, if they are within
/// [`DETECT_BYTES`].
pub const DETECT_LINES: u32 = 16;
/// How many bytes [`Unwrap::Detect`] checks before it gives up.
pub const DETECT_BYTES: u64 = 64 * 1024;
/// The longest JSON record that is unwrapped, in bytes. A longer line is passed on as it is.
pub const RECORD_LIMIT: usize = 1 << 20;

/// The length in bytes from which on a record of gitlab-runner may have been cut by a full buffer: a little less than
/// the 8 KiB seen in 17.x and 18.x, as the head counts too.
const GITLAB_BUFFER: u64 = 8 * 1024 - 64;

/// The log format that is removed before documents are searched for.
///
/// ```
/// use jsift::{Options, Unwrap};
///
/// let log = r#"{"log":"{\"a\": 1}\n","stream":"stdout","time":"2026-01-01T00:00:00Z"}"#;
/// let document = Options::new().unwrap(Unwrap::Docker).extract(log)?;
/// assert_eq!(document.text(), r#"{"a": 1}"#);
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Unwrap {
    /// Records of containerd or gitlab-runner, if one of the first lines of the source is such a record; otherwise
    /// nothing is removed, at no cost.
    #[default]
    Detect,
    /// Records of containerd and other CRI runtimes.
    Cri,
    /// Docker's JSON records, including those of fluentd and fluent-bit.
    Docker,
    /// Journald's JSON records.
    Journald,
    /// All of these, each line on its own, and CircleCI's arrays of messages.
    Auto,
    /// The text in one field of each line.
    Field(Field),
}

impl Unwrap {
    /// The log formats that have a name.
    pub const NAMES: [(&str, Self); 4] = [
        ("docker", Self::Docker),
        ("journald", Self::Journald),
        ("cri", Self::Cri),
        ("auto", Self::Auto),
    ];
}

impl FromStr for Unwrap {
    type Err = String;

    /// Reads the name of a log format, or a field: `/POINTER` or `logfmt:KEY`.
    fn from_str(text: &str) -> Result<Self, String> {
        match Self::NAMES.into_iter().find(|(name, _)| *name == text) {
            Some((_, named)) => Ok(named),
            None => Ok(Self::Field(text.parse()?)),
        }
    }
}

/// Joins and unwraps the records of one source. The text and its offsets do not depend on how the source is cut into
/// pieces. Lines that are not records are passed on as they are.
///
/// - A line cut into records is returned as one line, at the place of its first record: with the head of that record,
///   whose mark says that the line is complete, so that all lines of a document have the same form of head.
/// - JSON records are replaced by the text in them.
/// - Lines are returned in the order of their first records. Text after an open line waits, at most 200 lines or 1 MiB;
///   beyond that, the held text is passed on as it is.
#[derive(Debug)]
pub struct Unwrapper {
    /// The transports whose heads are read.
    transports: &'static [Transport],
    wrapper: Option<Wrapper>,
    /// The lines and bytes that are left before detection gives up.
    detect: Option<UnwrapBudget>,
    /// Whether everything is passed on unchanged from now on.
    idle: bool,
    /// Whether a line was passed on as it is.
    plain: bool,
    /// Whether a JSON record or a field was found.
    unwrapped: bool,
    step: UnwrapStep,
    /// The beginning of a line that is not decided yet, or the part of a JSON record that has arrived.
    held: HeldPieces,
    inner: HeldPieces,
    line: SourceLine,
    /// Whose line it is, if its record says so.
    writer: Option<Writer>,
    queue: Queue,
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
    /// In a line that may be a JSON record or have a field, which has to be complete.
    Whole,
    /// In the rest of a line.
    Rest(Rest),
}

/// How a line ends.
#[derive(Debug, Clone, Copy)]
enum Rest {
    Plain,
    Cri { part: bool },
    Gitlab { length: u64 },
}

impl Unwrapper {
    /// Returns an unwrapper at the start of a source.
    #[must_use]
    pub fn new(mode: Unwrap) -> Self {
        let detects = mode == Unwrap::Detect;
        Self {
            transports: match mode {
                Unwrap::Detect | Unwrap::Auto => &[Transport::Cri, Transport::Gitlab],
                Unwrap::Cri => &[Transport::Cri],
                Unwrap::Docker | Unwrap::Journald | Unwrap::Field(_) => &[],
            },
            wrapper: match mode {
                Unwrap::Detect | Unwrap::Cri => None,
                Unwrap::Docker => Some(Wrapper::Docker),
                Unwrap::Journald => Some(Wrapper::Journald),
                Unwrap::Auto => Some(Wrapper::Any),
                Unwrap::Field(field) => Some(Wrapper::Field(field)),
            },
            detect: detects.then_some(UnwrapBudget {
                lines: DETECT_LINES,
                bytes: DETECT_BYTES,
            }),
            idle: false,
            plain: false,
            unwrapped: false,
            step: UnwrapStep::Head,
            held: HeldPieces::default(),
            inner: HeldPieces::default(),
            line: SourceLine::FIRST,
            writer: None,
            queue: Queue::default(),
        }
    }

    /// Whether everything is passed on unchanged from now on, so that callers may skip the unwrapper.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.idle
    }

    /// Returns the field that was to be read, if no line has it.
    pub(crate) const fn missed_field(&self) -> Option<&Field> {
        match &self.wrapper {
            Some(Wrapper::Field(field)) if self.plain && !self.unwrapped => Some(field),
            _ => None,
        }
    }

    /// Returns the source offset of the first byte that was read and not passed on yet.
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

    /// Ends the source: passes on what is held.
    pub fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        match self.step {
            UnwrapStep::Head if !self.held.text().is_empty() => self.begin_plain(out),
            UnwrapStep::Whole => self.end_whole(out),
            UnwrapStep::Head | UnwrapStep::Rest(_) => {}
        }
        self.queue.finish(out);
    }

    /// Collects the beginning of a line until its kind is known.
    fn read_head<'a>(&mut self, piece: Piece<'a>, out: &mut impl FnMut(Piece<'_>)) -> Piece<'a> {
        let most = match self.wrapper {
            None => HEAD_LIMIT,
            Some(_) => PREFIX_LIMIT,
        };
        let room = most.saturating_sub(self.held.text().len());
        let window = piece.text.get(..room).unwrap_or(piece.text);
        let length = memchr::memchr(b'\n', window).map_or(window.len(), |at| at + 1);
        let (head, rest) = piece.split_at(length);
        self.held.push(head);
        if self.may_be_record() {
            self.begin_whole(out);
            return rest;
        }
        match self.classify() {
            LineHead::Incomplete => {}
            LineHead::None => match self.may_follow_prefix() {
                None => {}
                Some(true) => self.begin_whole(out),
                Some(false) => self.begin_plain(out),
            },
            LineHead::Record(record) => self.begin_record(record, out),
        }
        rest
    }

    fn classify(&self) -> LineHead {
        if self.transports.is_empty() {
            return LineHead::None;
        }
        match head(self.held.text()) {
            LineHead::Record(record) if !self.transports.contains(&record.transport) => {
                LineHead::None
            }
            other => other,
        }
    }

    fn begin_plain(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        self.plain = true;
        self.queue.begin(None, false, out);
        self.step = UnwrapStep::Rest(Rest::Plain);
        self.read_held(0, out);
    }

    fn begin_record(&mut self, record: Record, out: &mut impl FnMut(Piece<'_>)) {
        let Record { part, .. } = record;
        let (joins, kind, only): (_, _, &[_]) = match record.transport {
            Transport::Cri => (true, Rest::Cri { part }, &[Transport::Cri]),
            Transport::Gitlab => (part, Rest::Gitlab { length: 0 }, &[Transport::Gitlab]),
        };
        if self.detect.take().is_some() {
            self.transports = only;
        }
        let [a, b, c] = record.stream;
        let stream = u64::from_be_bytes([0, 0, 0, 0, 0, a, b, c]);
        let joined = self.queue.begin(Some(stream), joins, out);
        self.step = UnwrapStep::Rest(kind);
        let start = match (joined, part) {
            (true, _) => record.length,
            (false, false) => 0,
            (false, true) => {
                self.give_head_as_whole(record, out);
                record.mark + 1
            }
        };
        self.read_held(start, out);
    }

    /// Passes on a head up to its mark, and then the mark of a complete line.
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

    /// Reads the held bytes from `start` on as the rest of a line; they do not go beyond the line.
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

    /// Passes on the rest of a line as it arrives, up to its line feed.
    fn read_rest<'a>(
        &mut self,
        kind: Rest,
        piece: Piece<'a>,
        out: &mut impl FnMut(Piece<'_>),
    ) -> Piece<'a> {
        let Some(at) = memchr::memchr(b'\n', piece.text) else {
            self.give(piece, out);
            self.step = UnwrapStep::Rest(kind.after(piece.text.len()));
            self.spend(false, piece.text.len());
            return piece.split_at(piece.text.len()).1;
        };
        let state = kind.after(at).state();
        let feed = piece.split_at(at).1.split_at(1).0;
        let given = at + usize::from(state == LineState::Closed);
        self.give(piece.split_at(given).0, out);
        self.leave_line(state, feed, out);
        self.spend(true, at + 1);
        piece.split_at(at + 1).1
    }

    /// Ends a line of the source. The joined line has got its line feed if it is closed, and only then.
    fn leave_line(&mut self, state: LineState, feed: Piece<'_>, out: &mut impl FnMut(Piece<'_>)) {
        let end = LineEnd {
            offset: feed.offset,
            line: self.line,
            writer: self.writer.take(),
        };
        self.queue.end(state, end, out);
        if feed.stride > 0 {
            self.line = self.line.after(feed.offset, feed.stride);
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
        let (line, writer) = (Some(self.line), self.writer);
        let piece = Piece {
            line,
            writer,
            ..piece
        };
        self.queue.push(piece, out);
    }
}

impl Rest {
    /// Returns the rest of the line after this many more bytes.
    const fn after(self, bytes: usize) -> Self {
        match self {
            Self::Gitlab { length } => Self::Gitlab {
                length: length + bytes as u64,
            },
            other => other,
        }
    }

    /// Returns the state of the line at its line feed. gitlab-runner cuts a line where its buffer is full or after a
    /// carriage return, and only the next record of the stream shows whether it did. Other streams wait for that record
    /// only if text may have been cut.
    const fn state(self) -> LineState {
        match self {
            Self::Plain | Self::Cri { part: false } => LineState::Closed,
            Self::Cri { part: true } => LineState::Open,
            Self::Gitlab { length } if length >= GITLAB_BUFFER => LineState::Open,
            Self::Gitlab { .. } => LineState::ClosedByFeed,
        }
    }
}
