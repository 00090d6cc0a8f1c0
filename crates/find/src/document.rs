//! What the finder hands on: documents, faults and noise, each with its origin.

mod owned;

use std::fmt;
use std::ops::Range;

use crate::input::Piece;
use crate::span::Position;
use jsift_json::cost;
use jsift_json::tape::MarkLayout;
use jsift_outcome::Outcome;
pub use owned::OwnedDocument;

/// One step of the extraction chain.
///
/// ```
/// use jsift::Stage;
///
/// let fenced = jsift::extract("Here:\n```json\n{\"a\": 1}\n```\n")?;
/// assert_eq!(fenced.stage(), Stage::Fence);
/// assert_eq!(fenced.stage().name(), "fence");
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Stage {
    /// The whole input is one string literal that contains JSON.
    String,
    /// The whole input is JSON.
    Whole,
    /// A markdown fence.
    Fence,
    /// An object or array anywhere in the text.
    Embedded,
    /// Broken JSON, repaired.
    #[cfg_attr(
        feature = "cli",
        value(help = "Broken JSON, repaired (needs --repair)")
    )]
    Repair,
}

impl Stage {
    /// The name that `--stage` and messages use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Whole => "whole",
            Self::Fence => "fence",
            Self::Embedded => "embedded",
            Self::Repair => "repair",
        }
    }
}

/// Where a document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The stage that found it.
    pub stage: Stage,
    /// The position of its first byte in the source.
    pub position: Position,
    /// The number of bytes of the source from its first to its last byte, including lines of other sources in between.
    pub length: u64,
    /// The info string of its fence, if it came out of one.
    pub info: Option<String>,
    /// The log prefix removed from its continuation lines, as found before its opening bracket.
    pub prefix: Option<Vec<u8>>,
}

/// How much a document counts in a choice; the highest rank comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// Found by stage `string`.
    String,
    /// Found by stage `whole`.
    Whole,
    /// In a fence that announces JSON.
    AnnouncedFence,
    /// In a fence without info string.
    BareFence,
    /// In a fence of another language.
    OtherFence,
    /// Found by stage `embedded`.
    Embedded,
    /// Counts only if the source contains nothing better.
    Weak,
}

impl Rank {
    /// Whether the document is in a fence.
    #[must_use]
    pub const fn is_fenced(self) -> bool {
        matches!(
            self,
            Self::AnnouncedFence | Self::BareFence | Self::OtherFence
        )
    }
}

/// One complete JSON text (RFC 8259).
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// The text: valid JSON in UTF-8, without terminal bytes and log prefixes, otherwise as found.
    pub text: &'a [u8],
    /// How much it counts.
    pub rank: Rank,
    /// Whether it has no white space between its tokens.
    pub compact: bool,
    /// Whether invalid UTF-8 in its strings was replaced by U+FFFD.
    pub lossy: bool,
    /// The log prefix of its lines.
    pub prefix: Option<&'a [u8]>,
    pub(crate) place: &'a dyn Place,
    /// The positions of its members, if they were kept.
    pub layout: Option<MarkLayout<'a>>,
}

impl Document<'_> {
    /// Returns where the document comes from. Line feeds are counted only on this call.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let mut origin = self.place.origin();
        // A document on one line has the same length in the source.
        if origin.length > self.text.len() as u64 || origin.stage == Stage::Fence {
            let own = self.prefix.map(<[u8]>::to_vec);
            origin.prefix = origin.prefix.or(own);
        }
        origin
    }

    /// Returns the position of its first byte in the source.
    #[must_use]
    pub fn position(&self) -> Position {
        self.place.position()
    }

    /// Returns the stage that found it.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.place.stage()
    }

    /// Returns the ranges of source offsets that the document occupies, without the log prefixes, box borders and lines
    /// of other sources between them. Correct only if the visitor [wants](Visitor::wants) them.
    #[must_use]
    pub fn parts(&self) -> Vec<Range<u64>> {
        self.place.parts()
    }
}

/// Knows where a document comes from.
pub(crate) trait Place: std::fmt::Debug {
    fn origin(&self) -> Origin;

    fn position(&self) -> Position {
        self.origin().position
    }

    fn stage(&self) -> Stage {
        self.origin().stage
    }

    /// See [`Document::parts`].
    fn parts(&self) -> Vec<Range<u64>> {
        let Origin {
            position, length, ..
        } = self.origin();
        std::iter::once(position.offset..position.offset + length).collect()
    }
}

impl Place for Origin {
    fn origin(&self) -> Origin {
        self.clone()
    }
}

/// Why a candidate or a fence did not deliver a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A byte stands where the grammar does not allow it.
    Broken,
    /// The input ended inside the candidate or fence.
    Truncated,
    /// The text goes on like a document whose start is missing.
    Headless,
    /// The fence has no content.
    Empty,
    /// The document is larger than `--max-document`.
    Limit,
}

/// A candidate or fence that announced a document and did not deliver it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Where the candidate or fence starts: the opening bracket or the fence's opening marks.
    pub position: Position,
    /// Where reading stopped: the byte that does not fit the grammar, or the end of input.
    pub stop: Position,
    /// What the grammar expected at `stop`, such as `expected a comma or }`.
    pub reason: &'static str,
    /// How many brackets were open at `stop`.
    pub depth: usize,
    /// Whether a bracket was open and the innermost one was that of an object.
    pub in_object: bool,
    /// The info string, if a fence is at fault; `None` for a candidate.
    pub fence: Option<String>,
    /// The log prefix of its lines.
    pub prefix: Option<Vec<u8>>,
    /// The beginning of the candidate, or of the value in a fence, up to the byte that does not fit the grammar and at
    /// most [`Fault::SAMPLE`] bytes, as found in the source but without the log prefixes of its lines.
    pub sample: Vec<u8>,
    /// Whether a mask of a secret is in or near the text at fault, as GitHub writes it into logs.
    pub masked: bool,
    /// The line that contains `stop`, if it was asked for and is still at hand.
    pub line: Option<FaultLine>,
}

/// Whether a text contains the mask that GitHub writes over each line of a secret: three asterisks, no more.
#[must_use]
pub fn is_masked(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"***").any(|at| {
        let before = text.get(..at).and_then(<[u8]>::last);
        let after = text.get(at + 3);
        before != Some(&b'*') && after != Some(&b'*')
    })
}

/// The part of a line around the byte that could not be read, as found in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultLine {
    /// The number of the line.
    pub number: u64,
    /// The text before the byte.
    pub before: Vec<u8>,
    /// The byte and the text after it; empty at the end of the line.
    pub after: Vec<u8>,
    /// Whether the line has more text before `before`.
    pub cut: bool,
}

impl FaultLine {
    /// How many bytes before the one that could not be read are kept.
    const BEFORE: usize = 512;
    /// How many bytes from it on are kept.
    const AFTER: usize = 256;

    /// Returns the line around the byte at `at`, or around the end of a line there. `None` if it is not in the text.
    #[must_use]
    pub fn around(text: &[u8], at: usize, number: u64) -> Option<Self> {
        let (before, after) = text.split_at_checked(at)?;
        let first = at.saturating_sub(Self::BEFORE);
        let near = before.get(first..)?;
        cost::search(near.len());
        let kept = match memchr::memrchr(b'\n', near) {
            Some(feed) => near.get(feed + 1..)?,
            None => near,
        };
        let begins_line = at == kept.len() || before.get(at - kept.len() - 1) == Some(&b'\n');
        let after = after.get(..Self::AFTER).unwrap_or(after);
        let end = memchr::memchr(b'\n', after).unwrap_or(after.len());
        Some(Self {
            number,
            before: kept.to_vec(),
            after: after.get(..end)?.trim_ascii_end().to_vec(),
            cut: !begins_line,
        })
    }

    /// Returns the last line before `at` that is not blank, up to its end.
    #[must_use]
    pub fn before_end(text: &[u8], at: usize, number: u64) -> Option<Self> {
        let text = text.get(..at)?;
        let kept = text.trim_ascii_end();
        let blank = text.get(kept.len()..)?;
        let feeds = memchr::memchr_iter(b'\n', blank).count() as u64;
        Self::around(kept, kept.len(), number.checked_sub(feeds)?)
    }
}

impl Fault {
    /// How many bytes of its beginning a fault keeps in `sample`.
    pub const SAMPLE: usize = 256;

    /// Returns whether this is a broken candidate, which decides less than other faults: it may be no JSON at all.
    #[must_use]
    pub(crate) const fn is_broken_candidate(&self) -> bool {
        matches!(self.kind, FaultKind::Broken | FaultKind::Headless) && self.fence.is_none()
    }

    /// Returns the outcome that this fault causes.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self.kind {
            FaultKind::Broken | FaultKind::Headless | FaultKind::Empty => Outcome::Malformed,
            FaultKind::Truncated => Outcome::Truncated,
            FaultKind::Limit => Outcome::Limit,
        }
    }

    /// Returns what messages write at the place where reading stopped.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self.kind {
            FaultKind::Truncated => "the input ends here",
            _ => self.reason,
        }
    }

    /// Returns one line that says what is wrong, as [`Display`](fmt::Display) does, in which `shown` writes the info
    /// string of a fence.
    pub fn text(&self, shown: impl Fn(&str) -> String) -> String {
        let Self { stop, reason, .. } = self;
        let at = format!("broken at {}:{}: {reason}", stop.line, stop.column);
        let Some(info) = &self.fence else {
            return match self.kind {
                FaultKind::Truncated => format!("JSON is truncated {}", self.inside()),
                FaultKind::Limit => format!("JSON is {reason}"),
                FaultKind::Headless => format!(
                    "the start of this JSON is missing: at {}:{} {reason}",
                    stop.line, stop.column
                ),
                FaultKind::Broken | FaultKind::Empty => format!("JSON is {at}"),
            };
        };
        let what = match self.kind {
            FaultKind::Empty => "content was empty".to_owned(),
            FaultKind::Truncated => {
                let inside = self.inside();
                format!("it is not closed and its JSON is truncated {inside}")
            }
            FaultKind::Broken | FaultKind::Headless => format!("its JSON is {at}"),
            FaultKind::Limit => format!("its JSON is {reason}"),
        };
        format!("found ```{} block but {what}", shown(info))
    }

    /// Returns where in the document reading stopped: `inside an array, 2 levels deep`.
    fn inside(&self) -> String {
        let bracket = match self.in_object {
            true => "inside an object",
            false => "inside an array",
        };
        match self.depth {
            0 => "inside a value".to_owned(),
            1 => bracket.to_owned(),
            depth => format!("{bracket}, {depth} levels deep"),
        }
    }
}

impl fmt::Display for Fault {
    /// Writes one line that says what is wrong: `JSON is truncated inside an object`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(str::to_owned))
    }
}

/// A stretch of a source that belongs to no document.
#[derive(Clone, Copy)]
pub struct Noise<'a> {
    /// The bytes as they follow each other in the source, including colour sequences. Noise may be split between any
    /// two bytes.
    pub text: &'a [u8],
    /// The log prefix of its line, which is not part of it.
    pub prefix: Option<&'a [u8]>,
    pub(crate) position: &'a dyn Fn() -> Position,
}

impl Noise<'_> {
    /// Returns the position of its first byte in the source. Line feeds are counted only on this call.
    #[must_use]
    pub fn position(&self) -> Position {
        (self.position)()
    }
}

/// What is worth a note about the documents found, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// A line is left out of the document around it.
    LeftOut(Position),
    /// Something larger cannot be read, and its parts count, as the caller asks for them.
    PartsGiven(Position),
}

impl Remark {
    /// Returns the place that it is about.
    #[must_use]
    pub const fn position(&self) -> Position {
        let (Self::LeftOut(position) | Self::PartsGiven(position)) = self;
        *position
    }
}

/// What a visitor takes in addition to documents and faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Noise.
    pub noise: bool,
    /// The [parts](Document::parts) of documents, and the [text](Visitor::text) that they are parts of.
    pub parts: bool,
    /// Documents as [lines](Visitor::lines), without anything about each of them, where the source contains them in
    /// that form.
    pub lines: bool,
}

impl Wants {
    /// Returns at most noise.
    #[must_use]
    pub const fn noise(noise: bool) -> Self {
        Self {
            noise,
            parts: false,
            lines: false,
        }
    }
}

/// Receives what the finder finds in a source, from left to right.
///
/// Documents come in the order of their opening brackets. Noise may be reported in several pieces.
pub trait Visitor {
    /// Takes a document that counts.
    fn document(&mut self, document: Document<'_>);
    /// Takes a candidate or fence at fault.
    fn fault(&mut self, fault: Fault) {
        if let Some(next) = self.next() {
            next.fault(fault);
        }
    }
    /// Takes `count` documents that count as one text with a document per line: none has white space between its tokens
    /// or invalid UTF-8, and a line feed separates two of them. Not called if the visitor does not
    /// [want](Visitor::wants) it.
    fn lines(&mut self, text: &[u8], count: u64) {
        let _ = (text, count);
    }
    /// Takes bytes between documents. Not called if the visitor does not [want](Visitor::wants) it.
    fn noise(&mut self, noise: Noise<'_>) {
        if let Some(next) = self.next() {
            next.noise(noise);
        }
    }
    /// Takes the next text of the source, before anything is found in it: decoded, with its byte order mark, and
    /// without a log format that was named to be [removed](crate::unwrap). Not called if the visitor does not
    /// [want](Visitor::wants) parts.
    fn text(&mut self, piece: Piece<'_>) {
        if let Some(next) = self.next() {
            next.text(piece);
        }
    }
    /// Takes a remark.
    fn remark(&mut self, remark: Remark) {
        if let Some(next) = self.next() {
            next.remark(remark);
        }
    }
    /// Announces that everything so far was thinking, of which only the end is marked: its documents are weak, and its
    /// faults do not count. Not called if that end is more than [`LOOKED_AT`](crate::finder::thinking::LOOKED_AT) bytes
    /// after the beginning of the source.
    fn thinking_ended(&mut self) {
        if let Some(next) = self.next() {
            next.thinking_ended();
        }
    }
    /// Returns what it takes in addition to documents and faults: always the same.
    fn wants(&mut self) -> Wants {
        let next = self.next().map(Visitor::wants).unwrap_or_default();
        Wants {
            lines: false,
            ..next
        }
    }
    /// Returns the visitor that this one passes findings on to, if there is one. What this visitor does not take or
    /// answer itself goes there, except for lines.
    fn next(&mut self) -> Option<&mut dyn Visitor> {
        None
    }
}

/// A function takes documents and ignores faults.
impl<F: FnMut(Document<'_>)> Visitor for F {
    fn document(&mut self, document: Document<'_>) {
        self(document);
    }
}
