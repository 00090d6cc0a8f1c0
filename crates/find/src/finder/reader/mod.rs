//! The reader: goes from left to right through the text and tries a candidate at every opening bracket, and a fence at
//! every opening of a fence, as defined in `tests/properties/definition.rs`.
//!
//! ```text
//! Text ─ bracket ─▶ Candidate ─┬─ complete and strong ──────────────────────▶ Text
//!                              ├─ complete, but may be weak ──▶ Weighing ──▶ Text
//!                              ├─ broken and not committed ─────────────────▶ Text, after its bracket
//!                              ├─ broken and committed ───────▶ Remains ───▶ Text
//!                              ├─ broken at the end of a line ▶ Asking ────▶ Text if a substream reads it, else broken
//!                              └─ broken by a foreign line ───▶ Parted ────▶ Candidate without the line, or broken
//! Text ─ a document that may be a part ─▶ Tail ⇄ Candidate (a value in it) ──▶ Text
//!      └─ an announced bracket that is broken ─▶ Almost ─▶ Text, after it or after its bracket
//! Text ─ marks ───▶ Fence ⇄ Candidate (a value in the fence) ───────────────▶ Text
//! ```

mod after;
mod almost;
pub(super) mod announced;
mod candidates;
mod counting;
mod fallback;
mod fences;
mod headless;
mod held;
mod left;
mod pending;
mod questions;
mod quoted;
mod search;
mod shown;
mod text;
mod values;

use super::FindOptions;
use super::fence::FenceMarks;
use super::remains::Remains;
use super::window::Window;
use crate::document::{FaultKind, OwnedDocument, Rank, Visitor, Wants};
use jsift_json::BOM;
use jsift_json::scan::{Aside, Scanner, Shape};
use jsift_json::terminal::{ESCAPE, Sequence, sequence_in};

use almost::{Almost, AlmostTries};
use fallback::Fallback;
use fences::Fence;
use headless::{Suspicion, Tail};
use held::{Condensed, Held};
use left::LeftText;
use questions::Asking;
pub(crate) use questions::NEIGHBOURS;
pub(crate) use questions::{Parted, Question, Unfinished};
use text::KnownLine;
pub(crate) use text::indent;
use values::Whole;

/// How many bytes are withheld at most while it is undecided whether they count.
pub const WITHHELD: u64 = 1 << 20;
/// How many documents are withheld at most: the record of a short document takes more memory than its text.
pub const WITHHELD_COUNT: usize = 1 << 12;
/// How many bytes before the place of reading are kept, to look at the start of its line.
pub const LEFT_KEPT: u64 = 4096;

/// What is being read.
#[derive(Debug, Default)]
enum ReadMode {
    /// Text, in search of an opening.
    #[default]
    Text,
    Candidate(Candidate),
    /// A candidate that cannot be read on and has no prefix.
    Failed(Box<(Candidate, Stop)>),
    /// A complete document, where the text after it decides whether it is weak.
    Weighing(Found),
    Remains(Remains),
    /// A candidate that is larger than the limit: nothing of it is kept. Contains the indent of its line.
    Beyond(u64),
    /// Inside a fence, between documents.
    Fence(Box<Fence>),
    /// A complete document, where the text after it decides whether it may be a part of a larger one. Contains what the
    /// text before it says, if that was looked at.
    Suspected(Found, Option<Box<LeftText>>),
    /// After a document that may be a part of a larger one.
    Tail(Box<Tail>),
    /// At a bracket that strict JSON cannot take, but perhaps a tolerant reader.
    Almost(Box<Almost>),
    /// At an opening that has text before it and whose next lines may carry a prefix.
    Asking(Box<Asking>),
    /// At a line that breaks a candidate and may be foreign to it.
    Parted(Box<Parted>),
}

/// Where a candidate was found.
#[derive(Debug)]
enum Context {
    Text,
    /// A value of any type, where the source has been nothing but JSON.
    Whole,
    Fence(Box<Fence>),
    /// A value of any type, in what may be the rest of a document.
    Tail(Box<Tail>),
}

#[derive(Debug)]
struct Candidate {
    start: u64,
    context: Context,
    /// The candidate's text, if it is no longer in the window.
    held: Option<Box<Held>>,
}

impl Candidate {
    const fn new(start: u64, context: Context) -> Self {
        Self {
            start,
            context,
            held: None,
        }
    }

    /// Returns the first byte that is undecided while this candidate is.
    fn pending(&self) -> u64 {
        match &self.context {
            Context::Fence(fence) => fence.pending(self.start).min(self.start),
            Context::Tail(tail) => tail.pending(self.start),
            Context::Text | Context::Whole => self.start,
        }
    }

    /// Returns the first byte of the window that may have to be read again.
    fn needed(&self) -> u64 {
        match &self.held {
            Some(held) => held.end(),
            None => self.pending(),
        }
    }
}

/// A complete document of which it is not decided yet how it counts.
#[derive(Debug, Clone, Copy)]
struct Found {
    start: u64,
    end: u64,
    shape: Shape,
    rank: Rank,
}

impl Found {
    /// Returns whether the document has no white space between its tokens.
    const fn is_compact(&self) -> bool {
        !self.shape.is_any(Shape::SPACED.with(Shape::DIRTY))
    }
}

/// Documents that count and were not handed on yet: each is compact and, except for the last one, followed by the end
/// of its line.
#[derive(Debug, Clone, Copy)]
struct Lines {
    start: u64,
    /// Where the last document starts.
    last: u64,
    end: u64,
    count: u64,
}

/// What is known of some documents besides their place.
#[derive(Debug, Clone, Copy, Default)]
struct DocumentFacts<'a> {
    /// The info string of the document's fence.
    info: Option<&'a str>,
    /// The document's text, if it was held without its white space.
    condensed: Option<&'a Condensed<'a>>,
}

/// Why a candidate cannot be read on, kept while its prefix is asked for.
#[derive(Debug, Clone, Copy)]
struct Stop {
    at: u64,
    kind: FaultKind,
    reason: &'static str,
    /// How many brackets are open there.
    depth: usize,
}

impl Stop {
    const fn new(at: u64, kind: FaultKind, reason: &'static str) -> Self {
        let depth = 0;
        Self {
            at,
            kind,
            reason,
            depth,
        }
    }

    /// Returns the end of the candidate's sample. Text after the byte that could not be read may not be available yet.
    fn seen(self, window: &Window) -> u64 {
        self.at + u64::from(!matches!(window.from(self.at).first(), Some(b'\n' | b'\r')))
    }
}

/// What a round of reading works with: the available text, whether it is the last, and the visitor for what is found.
pub(crate) struct Round<'a> {
    pub(crate) window: &'a Window,
    pub(crate) last: bool,
    pub(crate) visitor: &'a mut dyn Visitor,
}

/// Whether reading goes on at once.
enum ReadOn {
    Go,
    /// The window does not reach far enough.
    Wait,
}

/// Finds candidates and fences in text and decides which documents count; see the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    options: FindOptions,
    mode: ReadMode,
    scanner: Scanner,
    /// The place of reading.
    at: u64,
    line: Option<KnownLine>,
    /// A fence whose closing marks are still to come; its content is read as text.
    open_fence: Option<FenceMarks>,
    whole: Option<Whole>,
    /// The line whose leftmost pending opening the last question was about.
    asked: Option<u64>,
    /// The indent of the line that `at` stands on, if the line began before the window.
    long_indent: u64,
    /// The last document that counts.
    last_strong: Option<Found>,
    /// Weak documents at the end of the text that was read, with only blanks and commas between them.
    alongside: Vec<Found>,
    fallback: Fallback,
    /// Whether a document that counts was found.
    strong: bool,
    /// Whether a fault was reported.
    fault: bool,
    /// What the visitor wants.
    wants: Wants,
    lines: Option<Lines>,
    /// Where the text starts that was not reported yet.
    noise: u64,
    suspicion: Suspicion,
    tries: AlmostTries,
}

impl Reader {
    pub(crate) fn new(options: FindOptions, at: u64) -> Self {
        Self {
            scanner: Scanner::new(options.lossy).keeping_layout(options.layout),
            whole: options.whole.then(Whole::default),
            at,
            noise: at,
            suspicion: Suspicion::from(at),
            tries: AlmostTries::from(at),
            options,
            ..Self::default()
        }
    }

    pub(crate) const fn options(&self) -> &FindOptions {
        &self.options
    }

    /// Goes on reading at `offset`; the text before it is noise.
    pub(crate) const fn skip_to(&mut self, offset: u64) {
        (self.at, self.suspicion.text) = (offset, offset);
    }

    /// Goes on reading at `offset` and reports the text before it, which is noise.
    pub(crate) fn skip_noise(&mut self, offset: u64, round: &mut Round<'_>) {
        self.wants = round.visitor.wants();
        self.skip_to(offset);
        self.report_decided_noise(offset, round);
    }

    /// Starts reading at an opening; all text before it has been reported.
    pub(crate) const fn begin_at(&mut self, offset: u64) {
        self.at = offset;
        self.noise = offset;
    }

    /// Notes that the text before `end` has been delivered as a whole.
    pub(crate) fn taken(&mut self, end: u64) {
        self.at = end;
        self.noise = end;
        self.strong = true;
        self.whole = None;
    }

    pub(crate) const fn is_whole(&self) -> bool {
        matches!(&self.whole, Some(whole) if whole.any)
    }

    /// Reads as far as the window goes.
    pub(crate) fn advance(&mut self, round: &mut Round<'_>) {
        self.wants = round.visitor.wants();
        loop {
            let flow = match std::mem::replace(&mut self.mode, ReadMode::Text) {
                ReadMode::Text => self.text(round),
                ReadMode::Candidate(candidate) => self.candidate(candidate, round),
                ReadMode::Failed(failed) => self.fail_or_part(failed.0, failed.1, round),
                ReadMode::Weighing(found) => self.weigh(found, round),
                ReadMode::Remains(remains) => self.remains(remains, round),
                ReadMode::Beyond(indent) => self.beyond(indent, round),
                ReadMode::Fence(fence) => self.fence(fence, round),
                ReadMode::Suspected(found, left) => self.suspected(&found, left, round),
                ReadMode::Tail(tail) => self.tail(tail, round),
                ReadMode::Almost(almost) => self.almost(almost, round),
                mode @ (ReadMode::Asking(_) | ReadMode::Parted(_)) => {
                    self.mode = mode;
                    ReadOn::Wait
                }
            };
            if let ReadOn::Wait = flow {
                break;
            }
        }
        self.hand_lines_on(round);
        // Report noise before the text is dropped from the window.
        self.report_decided_noise(self.pending(), round);
    }

    /// Settles what was pending, after the last byte.
    pub(crate) fn settle(&mut self, round: &mut Round<'_>) {
        if let Some(whole) = self.whole.as_mut() {
            let withheld = std::mem::take(&mut whole.withheld);
            self.deliver_all(&withheld, round);
        }
        self.settle_alongside(round);
        self.hand_lines_on(round);
        self.report_noise(u64::MAX, round);
    }

    /// Hands on what counts only if nothing better was found. Comes after `settle`.
    pub(crate) fn finish(&mut self, visitor: &mut dyn Visitor) {
        if !self.has_reported() {
            self.fallback.finish(visitor);
        }
    }

    /// Takes note that all documents so far stand in thinking, which ends at this offset of the source.
    pub(crate) fn was_thinking(&mut self, end: u64) {
        self.fallback.was_thinking(end, self.strong);
        (self.strong, self.fault) = (false, false);
    }

    /// Keeps a document of a thinking block, which counts only if nothing better is found.
    pub(crate) fn keep_draft(&mut self, draft: OwnedDocument) {
        self.fallback.keep_draft(draft);
    }

    /// Takes note that a fault was reported by another reader.
    pub(crate) const fn note_fault(&mut self) {
        self.fault = true;
    }

    /// Returns whether a document that counts, or a fault, was found.
    const fn has_reported(&self) -> bool {
        self.strong || self.fault
    }

    /// Takes note of what another reader of the same source has reported, since that decides whether weak documents
    /// count.
    pub(crate) fn note_reported(&mut self, other: &Self) {
        self.strong |= other.strong;
        self.fault |= other.fault;
        if self.has_reported() {
            // `alongside` is kept: its documents may still turn out to stand next to a strong one.
            self.fallback.drop_weak();
        }
    }

    /// Takes over what another, settled reader of the same source has kept in case nothing better is found.
    pub(crate) fn take_over(&mut self, other: &mut Self) {
        self.note_reported(other);
        self.fallback.take_faults(&mut other.fallback);
        if !self.has_reported() {
            self.fallback.take_weak(&mut other.fallback);
        }
    }
}

/// Reads the blanks, record separators (RFC 7464), terminal sequence or byte order mark at the start of `text`, which
/// is not empty.
#[inline]
pub(super) fn between(text: &[u8], last: bool) -> Aside {
    let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n' | 0x1e);
    let blanks = text.iter().take_while(blank).count();
    if blanks > 0 {
        return Aside::Read(blanks);
    }
    match text.first() {
        Some(&ESCAPE) => match sequence_in(text, last) {
            Sequence::Delete(length) | Sequence::LineEnd(length) => Aside::Read(length),
            Sequence::Incomplete => Aside::Incomplete,
            Sequence::None => Aside::None,
        },
        _ if text.starts_with(BOM) => Aside::Read(BOM.len()),
        _ if BOM.starts_with(text) && !last => Aside::Incomplete,
        _ => Aside::None,
    }
}
