//! The reader: from left to right through the text, trying a candidate at every opening bracket and a fence at every
//! opening of one, as `tests/properties/definition.rs` spells them out.
//!
//! ```text
//!        ┌──────────── not committed ────────────┐
//!        ▼                                       │
//!      Text ── bracket ──▶ Candidate ── broken ──┼─▶ Remains ─▶ Text
//!        │  ▲                │   │               │
//!        │  └── strong ──────┘   └─ weak? ─▶ Weighing ─▶ Text
//!        │                   ├── by a line that may be another's ─▶ Parted ─▶ Candidate, or broken
//!        │                   └── at the end of its line ─▶ Asking ─▶ Text, or as it stands
//!        └── marks ──▶ Fence ⇄ Candidate (a value in it)
//! ```

mod asks;
mod candidates;
mod counting;
mod fences;
mod held;
mod text;
mod values;

use memchr::{memrchr_iter, memrchr3};

use super::FindOptions;
use super::fence::FenceMarks;
use super::remains::Remains;
use super::window::Window;
use crate::document::{Fault, FaultKind, Noise, Rank, Visitor};
use crate::input::BOM;
use crate::input::terminal::{ESCAPE, Sequence, sequence_in};
use crate::json::scan::{Scanner, Shape};
use crate::span::Position;

use asks::{Asking, NEIGHBOURS};
pub(crate) use asks::{Parted, Question, Unfinished};
pub(crate) use counting::Kept;
use fences::Fence;
use held::{Condensed, Held};
use text::KnownLine;
pub(crate) use text::indent;
use values::Whole;

/// How much of what could still turn out not to count is withheld, in bytes.
pub(crate) const WITHHELD: u64 = 1 << 20;
/// How many documents are withheld: what is known of one takes more memory than a short one.
pub(crate) const WITHHELD_COUNT: usize = 1 << 12;
/// How much of the text before the place of reading is kept, for the beginning of its line.
pub(crate) const LEFT_KEPT: u64 = 4096;

/// What is being read.
#[derive(Debug)]
enum ReadMode {
    /// Text, in search of an opening.
    Text,
    Candidate(Candidate),
    /// A complete document that is weak or not by what stands behind it.
    Weighing(Found),
    Remains(Remains),
    /// Inside a fence, between documents.
    Fence(Box<Fence>),
    /// At an opening with text before it, whose next lines may carry a prefix.
    Asking(Box<Asking>),
    /// At a line that breaks a candidate, and may be another's.
    Parted(Box<Parted>),
}

/// Why a candidate is read.
#[derive(Debug)]
enum Context {
    Text,
    /// A value of any type, where the source has been nothing but JSON.
    Whole,
    Fence(Box<Fence>),
}

#[derive(Debug)]
struct Candidate {
    start: u64,
    context: Context,
    /// What is held of it, if that is not what stands in the window.
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

    /// The first byte that is not decided with it.
    fn pending(&self) -> u64 {
        match &self.context {
            Context::Fence(fence) => fence.pending(self.start).min(self.start),
            Context::Text | Context::Whole => self.start,
        }
    }

    /// The first byte of the text that may have to be read again.
    fn needed(&self) -> u64 {
        match &self.held {
            Some(held) => held.end(),
            None => self.pending(),
        }
    }
}

/// A complete document whose place in the output is not decided.
#[derive(Debug, Clone, Copy)]
struct Found {
    start: u64,
    end: u64,
    shape: Shape,
    rank: Rank,
}

impl Found {
    /// Whether it has no white space between its tokens.
    const fn is_compact(&self) -> bool {
        !self.shape.is_any(Shape::SPACED.with(Shape::DIRTY))
    }
}

/// Documents that count and are not handed on yet: each is compact and, but for the last one, on a line that ends behind it.
#[derive(Debug, Clone, Copy)]
struct Lines {
    start: u64,
    /// Where the last one begins.
    last: u64,
    end: u64,
    count: u64,
}

/// What is known of a few documents beside where they stand.
#[derive(Debug, Clone, Copy, Default)]
struct DocumentFacts<'a> {
    /// The info string of its fence.
    info: Option<&'a str>,
    /// What is left of it, if its white space is gone.
    condensed: Option<&'a Condensed<'a>>,
}

/// Why a candidate cannot be read on, kept while its prefix is asked for.
#[derive(Debug, Clone, Copy)]
struct Stop {
    at: u64,
    kind: FaultKind,
    reason: &'static str,
}

impl Stop {
    /// The end of what is shown of the candidate: what stands behind the byte that could not be read may not be there yet.
    fn seen(self, window: &Window) -> u64 {
        self.at + u64::from(!matches!(window.from(self.at).first(), Some(b'\n' | b'\r')))
    }
}

/// What reading has at hand: the text that is there, whether no more comes, and who is told.
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

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Reader {
    options: FindOptions,
    mode: ReadMode,
    scanner: Scanner,
    /// Where reading stands.
    at: u64,
    line: Option<KnownLine>,
    /// A fence whose closing marks are still to come; its content is read as text.
    open_fence: Option<FenceMarks>,
    whole: Option<Whole>,
    /// The line whose leftmost pending opening was asked about.
    asked: Option<u64>,
    /// The marks that were asked about last.
    asked_marks: Option<u64>,
    /// How many bytes were looked at.
    steps: u64,
    /// The indent of the line that `at` stands on, if the line began before the window.
    long_indent: u64,
    /// The end of the last document that counts.
    strong_end: Option<u64>,
    /// Weak documents at the end of what was read, parted by blanks and commas.
    beside: Vec<Found>,
    weak: Vec<Kept>,
    weak_bytes: u64,
    /// Weak documents were handed on.
    weak_counts: bool,
    strong: bool,
    fault: bool,
    /// The visitor takes lines.
    gathers: bool,
    /// The visitor is told of noise.
    tells_noise: bool,
    /// What was read is needed until it is decided: the visitor is told of noise, or asks for parts of documents.
    keeps_text: bool,
    lines: Option<Lines>,
    /// A candidate that the end of input stopped inside its first member name.
    unnamed: Option<Fault>,
    noise: u64,
}

impl Reader {
    pub(crate) fn new(options: FindOptions, at: u64) -> Self {
        Self {
            mode: ReadMode::Text,
            scanner: Scanner::new(options.lossy).keeping_layout(options.marks),
            at,
            line: None,
            open_fence: None,
            whole: options.whole.then(Whole::default),
            asked: None,
            asked_marks: None,
            steps: 0,
            long_indent: 0,
            strong_end: None,
            beside: Vec::new(),
            weak: Vec::new(),
            weak_bytes: 0,
            weak_counts: false,
            strong: false,
            fault: false,
            gathers: false,
            tells_noise: false,
            keeps_text: false,
            lines: None,
            unnamed: None,
            noise: at,
            options,
        }
    }

    /// How many bytes were looked at.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) const fn options(&self) -> &FindOptions {
        &self.options
    }

    /// Goes on reading at `offset`; what stands before it is noise.
    pub(crate) const fn skip_to(&mut self, offset: u64) {
        self.at = offset;
    }

    /// Begins at an opening, before which all has been told.
    pub(crate) const fn begin_at(&mut self, offset: u64) {
        self.at = offset;
        self.noise = offset;
    }

    /// What stands before `end` has been delivered as a whole.
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
        self.gathers = round.visitor.takes_lines();
        self.tells_noise = round.visitor.wants_noise();
        self.keeps_text = self.tells_noise || round.visitor.wants_parts();
        loop {
            let flow = match std::mem::replace(&mut self.mode, ReadMode::Text) {
                ReadMode::Text => self.text(round),
                ReadMode::Candidate(candidate) => self.candidate(candidate, round),
                ReadMode::Weighing(found) => self.weigh(found, round),
                ReadMode::Remains(remains) => self.remains(remains, round),
                ReadMode::Fence(fence) => self.fence(fence, round),
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
        // What stands before it is not kept.
        self.tell_noise(self.pending(), round);
    }

    /// Settles what was pending, behind the last byte.
    pub(crate) fn settle(&mut self, round: &mut Round<'_>) {
        let window = round.window;
        if let Some(whole) = self.whole.as_mut() {
            let withheld = std::mem::take(&mut whole.withheld);
            self.deliver_all(&withheld, round);
        }
        self.settle_beside(round);
        self.hand_lines_on(round);
        if round.visitor.wants_noise() {
            let end = window.end();
            self.report_noise(end, round);
        }
    }

    /// Hands on what counts only if nothing better has come, once everything is settled.
    pub(crate) fn finish(&mut self, visitor: &mut dyn Visitor) {
        if self.strong || self.fault {
            return;
        }
        self.hand_weak_on(visitor);
        if !self.weak_counts
            && let Some(fault) = self.unnamed.take()
        {
            visitor.fault(fault);
        }
    }

    /// Whether there is something that counts, or is at fault.
    const fn has_told(&self) -> bool {
        self.strong || self.fault
    }

    /// What another reader of the same source has told decides what else counts.
    pub(crate) fn note_told(&mut self, other: &Self) {
        self.strong |= other.strong;
        self.fault |= other.fault;
        if self.has_told() {
            // Those at the place of reading may still turn out to stand beside a strong one.
            self.weak = Vec::new();
        }
    }

    /// Takes over what another reader of the same source, which is settled, keeps until nothing better has come.
    pub(crate) fn take_over(&mut self, other: &mut Self) {
        self.note_told(other);
        if !self.has_told() {
            for kept in std::mem::take(&mut other.weak) {
                self.keep_as_weak(kept);
            }
            self.weak.sort_by_key(|kept| kept.origin.position.offset);
            self.weak_counts |= other.weak_counts;
            self.unnamed = self.unnamed.take().or(other.unnamed.take());
        }
        self.steps += other.steps;
    }

    /// Adds what others have looked at for it.
    pub(crate) const fn add_steps(&mut self, steps: u64) {
        self.steps += steps;
    }

    /// The first byte of which it is not decided what it is, or which document holds it.
    pub(crate) fn first_pending(&self) -> u64 {
        self.undecided(self.pending())
    }

    /// The first byte that is not decided, or not told yet although it is: what is noise is told when reading pauses.
    pub(crate) fn first_untold(&self) -> u64 {
        let first = self.first_pending();
        match self.tells_noise {
            true => first.min(self.noise),
            false => first,
        }
    }

    /// The first byte of which it is not decided what it is.
    fn pending(&self) -> u64 {
        match &self.mode {
            ReadMode::Text | ReadMode::Remains(_) => self.at,
            ReadMode::Candidate(candidate) => candidate.pending(),
            ReadMode::Weighing(found) => found.start,
            ReadMode::Fence(fence) => fence.pending(self.at).min(self.at),
            ReadMode::Asking(asking) => asking.question.start,
            ReadMode::Parted(parted) => parted.start,
        }
    }

    /// The first byte that is still needed.
    pub(crate) fn keep(&mut self, window: &Window) -> u64 {
        self.hold(window);
        let pending = match &self.mode {
            ReadMode::Candidate(candidate) => candidate.needed(),
            _ => self.pending(),
        };
        let keep = self.undecided(pending);
        // From there on documents are passed line by line; what is forgotten ends close by.
        let _ = window.position(keep);
        let left = keep.saturating_sub(LEFT_KEPT).max(window.base());
        // Of the lines before, as many as are looked at.
        let feed = memrchr_iter(b'\n', window.slice(left, keep)).nth(NEIGHBOURS);
        let left = feed.map_or(left, |feed| left + feed as u64 + 1);
        // The line that reading stands on may have begun before what is kept: its indent must be known.
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

    /// Where the marks stand of the fence that is being read, if something may be wrong with it.
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

    /// Where the first document begins that is complete and not handed on yet, at most `until`.
    fn undecided(&self, until: u64) -> u64 {
        let withheld = self.whole.as_ref().map(|whole| &whole.withheld);
        let first = withheld.and_then(|withheld| withheld.first());
        let beside = self.beside.first();
        let starts = [first, beside].into_iter().flatten();
        starts.map(|found| found.start).fold(until, u64::min)
    }

    /// Reports noise that reading has passed, up to `until`, if anybody wants to know.
    fn tell_noise(&mut self, until: u64, round: &mut Round<'_>) {
        if round.visitor.wants_noise() {
            self.report_noise(self.undecided(until), round);
        }
    }

    fn report_noise(&mut self, until: u64, round: &mut Round<'_>) {
        let window = round.window;
        let until = until.min(window.end());
        while until > self.noise {
            // Mostly it is a line feed, in which no piece ends.
            let end = match until - self.noise {
                1 => until,
                _ => window.piece_end(self.noise).min(until),
            };
            let (aside, next) = window.aside_at(self.noise);
            if let Some(behind) = aside {
                self.noise = behind;
                continue;
            }
            let end = end.min(next);
            round.visitor.noise(Noise {
                text: window.slice(self.noise, end),
                position: &|| window.position(self.noise),
            });
            self.noise = end;
        }
    }
}

/// What may stand between two values.
enum Between {
    /// So many bytes of it.
    Read(usize),
    /// The text ends before it can be told.
    Unknown,
    Nothing,
}

/// How many blanks and record separators (RFC 7464) `text` begins with.
#[inline]
fn blanks(text: &[u8]) -> usize {
    let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n' | 0x1e);
    text.iter().take_while(blank).count()
}

/// Blanks, terminal sequences and byte order marks at the beginning of `text`, which is not empty.
fn between(text: &[u8], last: bool) -> Between {
    let blanks = blanks(text);
    if blanks > 0 {
        return Between::Read(blanks);
    }
    match text.first() {
        Some(&ESCAPE) => match sequence_in(text, last) {
            Sequence::Delete(length) | Sequence::LineEnd(length) => Between::Read(length),
            Sequence::Incomplete => Between::Unknown,
            Sequence::None => Between::Nothing,
        },
        _ if text.starts_with(BOM) => Between::Read(BOM.len()),
        _ if BOM.starts_with(text) && !last => Between::Unknown,
        _ => Between::Nothing,
    }
}
