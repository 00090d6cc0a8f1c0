//! What the finder hands on: documents, faults and noise, each with its origin.

use std::fmt;
use std::ops::Range;

use crate::json::tape::MarkLayout;
use crate::outcome::Outcome;
use crate::span::Position;

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
#[non_exhaustive]
pub enum Stage {
    /// The source is one string literal that holds JSON.
    String,
    /// The source is nothing but JSON.
    Whole,
    /// A markdown fence.
    Fence,
    /// An object or array anywhere in the text.
    Embedded,
    /// What a tolerant reader made of broken JSON.
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

/// Where a document came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The stage that found it.
    pub stage: Stage,
    /// Its first byte in the source.
    pub position: Position,
    /// The bytes of the source that it spans, those of other sources in between included.
    pub length: u64,
    /// The info string of its fence, if it came out of one.
    pub info: Option<String>,
    /// The log prefix that was taken off its continuation lines, as it stood before its opening bracket.
    pub prefix: Option<Vec<u8>>,
}

/// How much a document counts in a choice, the most first.
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
    /// Counts only because the source has nothing better.
    Weak,
}

/// One complete JSON text (RFC 8259).
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// The text: valid JSON in UTF-8, terminal bytes and log prefixes taken off, otherwise as found.
    pub text: &'a [u8],
    /// How much it counts.
    pub rank: Rank,
    /// It has no white space between its tokens.
    pub compact: bool,
    /// Invalid UTF-8 in its strings was replaced by U+FFFD.
    pub lossy: bool,
    pub(crate) place: &'a dyn Place,
    /// Where its members are, if that was kept.
    pub(crate) layout: Option<MarkLayout<'a>>,
}

impl Document<'_> {
    /// Where it came from. Line feeds are counted only when somebody asks.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.place.origin()
    }

    /// Its first byte in the source.
    #[must_use]
    pub fn position(&self) -> Position {
        self.place.position()
    }

    /// The stage that found it.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.place.stage()
    }

    /// The stretches of the source that it takes, in offsets: without what stands between them, which is prefixes, sides
    /// of boxes and lines of other sources. Right only where [`Visitor::wants_parts`] is true.
    #[must_use]
    pub fn parts(&self) -> Vec<Range<u64>> {
        self.place.parts()
    }
}

/// Knows where a document came from.
pub(crate) trait Place: std::fmt::Debug {
    fn origin(&self) -> Origin;
    fn position(&self) -> Position;
    fn stage(&self) -> Stage;

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

    fn position(&self) -> Position {
        self.position
    }

    fn stage(&self) -> Stage {
        self.stage
    }
}

/// Why a candidate or a fence did not deliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A byte stands where the grammar does not allow it.
    Broken,
    /// The input ended inside it.
    Truncated,
    /// A fence without content.
    Empty,
    /// It is larger than `--max-document`.
    Limit,
}

/// A candidate or fence that announced a document and did not deliver it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Where it begins: the opening bracket or the fence's opening marks.
    pub position: Position,
    /// Where reading stopped: the byte that could not be read, or the end of input.
    pub stop: Position,
    /// What the grammar says about that byte, such as `expected a comma or }`.
    pub reason: &'static str,
    /// How many brackets were open there.
    pub depth: usize,
    /// Whether there was one, and the innermost was that of an object.
    pub in_object: bool,
    /// The info string, if the fault is that of a fence. `None` for a candidate.
    pub fence: Option<String>,
    /// Whether it goes on behind a log prefix.
    pub prefixed: bool,
    /// The first bytes of it, up to the one that could not be read and at most [`Fault::SAMPLE`], as they stood in the
    /// source, but without the log prefixes that were found on its lines.
    pub sample: Vec<u8>,
}

impl Fault {
    /// How many bytes of its beginning a fault keeps.
    pub const SAMPLE: usize = 256;

    /// The outcome that this fault stands for.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self.kind {
            FaultKind::Broken | FaultKind::Empty => Outcome::Malformed,
            FaultKind::Truncated => Outcome::Truncated,
            FaultKind::Limit => Outcome::Limit,
        }
    }

    /// Where in a document something happened: `inside an array, 2 levels deep`.
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
    /// One line that says what is wrong: `JSON is truncated inside an object`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stop = self.stop;
        match (&self.fence, self.kind) {
            (Some(info), FaultKind::Empty) => {
                write!(f, "found ```{info} block but content was empty")
            }
            (Some(info), FaultKind::Truncated) => write!(
                f,
                "found ```{info} block but it is not closed and its JSON is truncated {}",
                self.inside()
            ),
            (Some(info), FaultKind::Broken) => write!(
                f,
                "found ```{info} block but its JSON is broken at {}:{}: {}",
                stop.line, stop.column, self.reason
            ),
            (Some(info), FaultKind::Limit) => {
                write!(f, "found ```{info} block but its JSON is {}", self.reason)
            }
            (None, FaultKind::Truncated) => write!(f, "JSON is truncated {}", self.inside()),
            (None, FaultKind::Limit) => write!(f, "JSON is {}", self.reason),
            (None, FaultKind::Broken | FaultKind::Empty) => write!(
                f,
                "JSON is broken at {}:{}: {}",
                stop.line, stop.column, self.reason
            ),
        }
    }
}

/// A stretch of a source that belongs to no document.
#[derive(Clone, Copy)]
pub struct Noise<'a> {
    /// The bytes as they stood in the source one behind the other, colour sequences included. A stretch may be cut
    /// anywhere.
    pub text: &'a [u8],
    pub(crate) position: &'a dyn Fn() -> Position,
}

impl Noise<'_> {
    /// Its first byte in the source. Line feeds are counted only when somebody asks.
    #[must_use]
    pub fn position(&self) -> Position {
        (self.position)()
    }
}

/// Takes what the finder meets, from left to right.
///
/// Documents come in the order of their opening brackets. Noise may be reported in several pieces.
pub trait Visitor {
    /// A document that counts.
    fn document(&mut self, document: Document<'_>);
    /// A candidate or fence at fault.
    fn fault(&mut self, fault: Fault);
    /// Documents that count, so many, as a text of lines: each without white space between its tokens, without invalid
    /// UTF-8, and between two of them a line feed. Not called where [`Visitor::takes_lines`] is false.
    fn lines(&mut self, text: &[u8], count: u64) {
        let _ = (text, count);
    }
    /// Bytes between documents. Not called where [`Visitor::wants_noise`] is false.
    fn noise(&mut self, noise: Noise<'_>) {
        let _ = noise;
    }
    /// What comes next stood behind that log prefix, which is not in it; `None`: it comes as it stood. Called only where
    /// several sources are read side by side.
    fn behind(&mut self, prefix: Option<&[u8]>) {
        let _ = prefix;
    }
    /// What came so far was thinking, of which only the end is marked: its documents are weak, and its faults are none.
    /// Not called where the end stands more than 1 MiB behind the beginning of the source.
    fn thinking_ended(&mut self) {}
    /// Whether noise is to be reported.
    fn wants_noise(&self) -> bool {
        false
    }
    /// Whether documents are asked for their [parts](Document::parts).
    fn wants_parts(&self) -> bool {
        false
    }
    /// Whether documents may be handed on as [lines](Visitor::lines), where they stand so, with nothing said of each.
    fn takes_lines(&self) -> bool {
        false
    }
}

/// Takes documents, and lets faults pass.
impl<F: FnMut(Document<'_>)> Visitor for F {
    fn document(&mut self, document: Document<'_>) {
        self(document);
    }

    fn fault(&mut self, _: Fault) {}
}
