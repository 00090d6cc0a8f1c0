//! The reader: from left to right through the text, trying a candidate at every opening bracket and a fence at every
//! opening of one, as `tests/properties/definition.rs` spells them out.

mod counting;
mod fences;
mod planned;
mod values;

use memchr::{memchr, memrchr3};

use super::Options;
use super::fence::Marks;
use super::remains::Remains;
use super::weak;
use super::window::Window;
use crate::document::{Fault, FaultKind, Noise, Rank, Visitor};
use crate::input::BOM;
use crate::input::terminal::{ESCAPE, Sequence, sequence_in};
use crate::json::scan::{Committed, Scanner, Shape, Step, chain};
use crate::lanes;

pub(crate) use counting::Kept;
use fences::{Fence, Prefixed};
use planned::Planned;
use values::Whole;

/// How much of what could still turn out not to count is withheld, in bytes.
pub(crate) const WITHHELD: u64 = 1 << 20;
/// How many documents are withheld: what is known of one takes more memory than a short one.
pub(crate) const WITHHELD_COUNT: usize = 1 << 12;
/// How much of the text before the place of reading is kept, for the beginning of its line.
const LEFT_KEPT: u64 = 4096;

/// What is being read.
#[derive(Debug)]
enum Mode {
    /// Text, in search of an opening.
    Text,
    Candidate(Candidate),
    /// A complete document that is weak or not by what stands behind it.
    Weighing(Found),
    Remains(Remains),
    /// Inside a fence, between documents.
    Fence(Box<Fence>),
    Plans(Box<Planned>),
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
}

impl Candidate {
    /// The first byte that is not decided with it.
    fn pending(&self) -> u64 {
        match &self.context {
            Context::Fence(fence) => fence.pending().min(self.start),
            Context::Text | Context::Whole => self.start,
        }
    }
}

/// A complete document whose place in the output is not decided.
#[derive(Debug)]
struct Found {
    start: u64,
    end: u64,
    shape: Shape,
    rank: Rank,
    info: Option<Box<str>>,
    joined: Option<Box<Joined>>,
}

/// What is told of a document whose lines stood behind a log prefix.
#[derive(Debug)]
struct Joined {
    /// The text, which is not what stands between its ends.
    text: Vec<u8>,
    prefix: Vec<u8>,
}

/// Why a candidate cannot be read on, kept while its plans are tried.
#[derive(Debug, Clone, Copy)]
struct Stop {
    at: u64,
    kind: FaultKind,
    reason: &'static str,
}

/// Whether reading goes on at once.
enum Flow {
    Go,
    /// The window does not reach far enough.
    Wait,
}

/// The line that a byte stands on.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: u64,
    /// It begins at `start`, not before.
    whole: bool,
}

/// The line that was looked at last: many brackets may stand on one line, and its beginning is sought only once.
#[derive(Debug, Clone, Copy)]
struct Known {
    line: Line,
    /// No line ends between its beginning and here.
    until: u64,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Reader {
    options: Options,
    mode: Mode,
    scanner: Scanner,
    /// Where reading stands.
    at: u64,
    /// Between `at` and here stands nothing that has to be looked at.
    looked: u64,
    /// Between here and `looked` stands no escape character.
    quiet: u64,
    /// Terminal sequences were read up to here.
    shown: u64,
    line: Option<Known>,
    /// A fence whose closing marks are still to come; its content is read as text.
    open_fence: Option<Marks>,
    prefixed: Option<Prefixed>,
    whole: Option<Whole>,
    /// The line whose leftmost pending opening was planned.
    planned: Option<u64>,
    /// What plans that were dropped have cost.
    planned_in_vain: u64,
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
    /// A candidate that the end of input stopped inside its first member name.
    unnamed: Option<Fault>,
    noise: u64,
}

impl Reader {
    pub(crate) fn new(options: Options, at: u64) -> Self {
        Self {
            mode: Mode::Text,
            scanner: Scanner::new(options.lossy),
            at,
            looked: at,
            quiet: at,
            shown: at,
            line: None,
            open_fence: None,
            prefixed: None,
            whole: options.whole.then(Whole::default),
            planned: None,
            planned_in_vain: 0,
            steps: 0,
            long_indent: 0,
            strong_end: None,
            beside: Vec::new(),
            weak: Vec::new(),
            weak_bytes: 0,
            weak_counts: false,
            strong: false,
            fault: false,
            unnamed: None,
            noise: at,
            options,
        }
    }

    /// How many bytes were looked at, those that plans have read included.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) const fn options(&self) -> &Options {
        &self.options
    }

    /// Goes on reading at `offset`; what stands before it is noise.
    pub(crate) const fn skip_to(&mut self, offset: u64) {
        self.at = offset;
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
    pub(crate) fn advance(&mut self, window: &mut Window, last: bool, visitor: &mut dyn Visitor) {
        loop {
            let flow = match std::mem::replace(&mut self.mode, Mode::Text) {
                Mode::Text => self.text(window, last, visitor),
                Mode::Candidate(candidate) => self.candidate(candidate, window, last, visitor),
                Mode::Weighing(found) => self.weigh(found, window, last, visitor),
                Mode::Remains(remains) => self.remains(remains, window, last),
                Mode::Fence(fence) => self.fence(fence, window, last, visitor),
                Mode::Plans(planned) => self.plans(planned, window, last, visitor),
            };
            if let Flow::Wait = flow {
                break;
            }
        }
        let until = match &self.mode {
            Mode::Text | Mode::Remains(_) if self.whole.is_none() => self.at,
            Mode::Candidate(candidate) => candidate.pending(),
            _ => self.noise,
        };
        self.tell_noise(until, window, visitor);
    }

    /// Settles what was pending, behind the last byte.
    pub(crate) fn finish(&mut self, window: &mut Window, visitor: &mut dyn Visitor) {
        if let Some(whole) = self.whole.as_mut() {
            for found in std::mem::take(&mut whole.withheld) {
                self.deliver(found, window, visitor);
            }
        }
        self.settle_beside(window, visitor);
        self.close_prefixed(window, visitor);
        if visitor.wants_noise() {
            let end = window.end();
            self.report_noise(window, end, visitor);
        }
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

    /// The first byte that is still needed.
    pub(crate) fn keep(&mut self, window: &Window) -> u64 {
        let pending = match &self.mode {
            Mode::Text | Mode::Remains(_) => self.at,
            Mode::Candidate(candidate) => candidate.pending(),
            Mode::Weighing(found) => found.start,
            Mode::Fence(fence) => fence.pending().min(self.at),
            Mode::Plans(planned) => planned.candidate.start,
        };
        let keep = self.undecided(pending);
        let left = keep.saturating_sub(LEFT_KEPT).max(window.base());
        // The line that reading stands on may have begun before what is kept: its indent must be known.
        let before = window.slice(window.base(), left);
        match memrchr3(b'\n', b'\r', 0, before) {
            Some(end) => {
                self.long_indent = indent(before.get(end + 1..).unwrap_or_default());
            }
            None if window.base() == 0 && !before.is_empty() => self.long_indent = indent(before),
            None => {}
        }
        if let Mode::Fence(fence)
        | Mode::Candidate(Candidate {
            context: Context::Fence(fence),
            ..
        }) = &mut self.mode
        {
            fence.forget(left, window);
        }
        left
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
    fn tell_noise(&mut self, until: u64, window: &mut Window, visitor: &mut dyn Visitor) {
        if visitor.wants_noise() {
            self.report_noise(window, self.undecided(until), visitor);
        }
    }

    fn report_noise(&mut self, window: &mut Window, until: u64, visitor: &mut dyn Visitor) {
        let until = until.min(window.end());
        while until > self.noise {
            let end = window.piece_end(self.noise).min(until);
            visitor.noise(Noise {
                text: window.slice(self.noise, end),
                position: &|| window.position(self.noise),
            });
            self.noise = end;
        }
    }

    // ---- text -----------------------------------------------------------------------------------------------------

    fn text(&mut self, window: &mut Window, last: bool, visitor: &mut dyn Visitor) -> Flow {
        if self.whole.is_some() {
            return self.between_values(window, last, visitor);
        }
        loop {
            let flow = match self.next_opening(window) {
                Some(Opening::Bracket) => self.bracket(window, last),
                Some(Opening::Mark) => self.marks(window, last, visitor),
                None => Some(Flow::Wait),
            };
            if let Some(flow) = flow {
                return flow;
            }
        }
    }

    /// Goes to the next opening bracket behind which a document can go on, or to the next mark of a fence.
    fn next_opening(&mut self, window: &Window) -> Option<Opening> {
        let from = self.at.max(self.looked);
        self.shown = self.shown.min(from);
        let read = window.slice(self.looked.max(self.shown), from);
        if memchr(ESCAPE, read).is_some() {
            self.quiet = from;
        }
        let found = openings(window.from(from), self.options.fence);
        if let Some(escape) = found.escape {
            self.quiet = from + escape as u64 + 1;
        }
        self.at = from + found.length as u64;
        self.looked = self.at;
        self.steps += found.length as u64;
        found.opening
    }

    /// Reading stands at an opening bracket of text.
    fn bracket(&mut self, window: &mut Window, last: bool) -> Option<Flow> {
        let start = self.at;
        let text = window.from(start);
        if start > window.base() && window.from(start - 1).first() == Some(&ESCAPE) {
            self.at += 1;
            return None;
        }
        match text.get(1) {
            None if !last => return Some(Flow::Wait),
            _ => {}
        }
        let Some(beyond) = self.shown_until(window, start, last) else {
            return Some(Flow::Wait);
        };
        if beyond > start {
            self.at = beyond;
            return None;
        }
        self.open(start, Context::Text);
        Some(Flow::Go)
    }

    fn open(&mut self, start: u64, context: Context) {
        self.scanner.reset();
        self.at = start;
        self.mode = Mode::Candidate(Candidate { start, context });
    }

    /// The line that `offset` stands on. Cheap for offsets that ascend.
    fn line(&mut self, window: &Window, offset: u64) -> Line {
        let base = window.base();
        let known = self
            .line
            .filter(|known| known.line.start <= offset && known.until >= base);
        let from = known.map_or(base, |known| known.until);
        let mut found = known.unwrap_or(Known {
            line: Line {
                start: base,
                whole: base == 0,
            },
            until: base,
        });
        if offset > from {
            self.steps += offset - from;
            if let Some(end) = memrchr3(b'\n', b'\r', 0, window.slice(from, offset)) {
                let start = from + end as u64 + 1;
                found.line = Line { start, whole: true };
            }
            found.until = offset;
        }
        self.line = Some(found);
        if found.line.start < base {
            return Line {
                start: base,
                whole: false,
            };
        }
        found.line
    }

    /// Where the terminal sequences end that begin before `offset` on its line, or `offset`. `None` if the window does
    /// not reach far enough to tell.
    fn shown_until(&mut self, window: &Window, offset: u64, last: bool) -> Option<u64> {
        if self.quiet <= self.shown {
            self.shown = offset;
            return Some(offset);
        }
        let line = self.line(window, offset);
        let from = self.shown.max(line.start).min(offset);
        self.steps += offset - from;
        let length = (offset - from) as usize;
        let beyond = weak::beyond(window.from(from), length, last)? as u64;
        self.shown = offset + beyond;
        Some(self.shown)
    }

    /// The indent of the line that `offset` stands on.
    fn indent(&mut self, window: &Window, offset: u64) -> u64 {
        let line = self.line(window, offset);
        if line.whole {
            indent(window.slice(line.start, offset))
        } else {
            self.long_indent
        }
    }

    // ---- candidates -----------------------------------------------------------------------------------------------

    fn candidate(
        &mut self,
        candidate: Candidate,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let (read, step) = self.scanner.scan(window.from(self.at), self.at, last);
        self.at += read as u64;
        self.steps += read as u64;
        if self.at - candidate.start > self.options.max_document {
            let stop = Stop {
                at: self.at,
                kind: FaultKind::Limit,
                reason: "larger than --max-document",
            };
            return self.fail(candidate, stop, window, visitor);
        }
        let step = match step {
            Step::More if last && self.scanner.complete_at_end() => Step::Complete,
            step => step,
        };
        match step {
            Step::Complete => self.complete(candidate, window, last, visitor),
            Step::More if !last => {
                self.mode = Mode::Candidate(candidate);
                Flow::Wait
            }
            Step::More => {
                let stop = Stop {
                    at: window.end(),
                    kind: FaultKind::Truncated,
                    reason: "the input ends inside it",
                };
                self.stopped(candidate, stop, window, visitor)
            }
            Step::Broken(reason) => {
                let stop = Stop {
                    at: self.at,
                    kind: FaultKind::Broken,
                    reason,
                };
                self.stopped(candidate, stop, window, visitor)
            }
        }
    }

    fn complete(
        &mut self,
        candidate: Candidate,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        self.shown = self.at;
        let found = Found {
            start: candidate.start,
            end: self.at,
            shape: self.scanner.shape(),
            rank: Rank::Embedded,
            info: None,
            joined: None,
        };
        match candidate.context {
            Context::Text => self.count(found, window, last, visitor),
            Context::Whole => self.found_value(found, window, visitor),
            Context::Fence(fence) => self.found_in_fence(fence, found, window, visitor),
        }
    }

    /// A candidate cannot be read on: its plans are tried, where it has any.
    fn stopped(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        if !matches!(candidate.context, Context::Text) || !self.options.prefixes {
            return self.fail(candidate, stop, window, visitor);
        }
        match self.plan(candidate, stop, window) {
            Ok(planned) => {
                self.mode = Mode::Plans(Box::new(planned));
                Flow::Go
            }
            Err(candidate) => self.fail(candidate, stop, window, visitor),
        }
    }

    fn fail(
        &mut self,
        candidate: Candidate,
        stop: Stop,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        match candidate.context {
            Context::Whole => {
                if stop.kind == FaultKind::Limit {
                    let fault = self.describe(candidate.start, stop, 0, window);
                    self.tell(fault, visitor);
                }
                self.end_whole(candidate.start, window, visitor);
            }
            Context::Fence(fence) => {
                self.fail_in_fence(*fence, candidate.start, stop, window, visitor);
            }
            Context::Text => self.fail_at(candidate.start, stop, true, window, visitor),
        }
        Flow::Go
    }

    /// Decides what becomes of the brackets that are open where the candidate at `start` stopped, and where reading
    /// goes on. Says what is at fault if `tell`.
    fn fail_at(
        &mut self,
        start: u64,
        stop: Stop,
        tell: bool,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) {
        let first = self.scanner.first_element();
        // What nothing tells to be a stray bracket is announced: at the end of input and at a limit nothing more comes.
        let announced = match stop.kind {
            FaultKind::Truncated => first.map(|first| Committed {
                depth: first.depth,
                start: None,
            }),
            FaultKind::Limit => Some(Committed {
                depth: 1,
                start: Some(start),
            }),
            _ => None,
        };
        let committed = self.scanner.committed().or(announced);
        let bracket = |depth, window: &Window| {
            chain(window.from(start), depth).map_or(start, |at| start + at as u64)
        };
        let Some(committed) = committed else {
            if stop.kind == FaultKind::Truncated && self.scanner.in_first_name() && tell {
                let opening = self.scanner.last_open();
                let fault = self.describe(opening, stop, 1, window);
                self.unnamed.get_or_insert(fault);
            }
            match first {
                Some(first) => self.open(bracket(first.depth + 1, window), Context::Text),
                None => self.at = self.scanner.last_open() + 1,
            }
            return;
        };
        let depth = (self.scanner.depth() + 1).saturating_sub(committed.depth);
        let opening = committed
            .start
            .unwrap_or_else(|| bracket(committed.depth, window));
        let flat =
            window.from(opening).first() == Some(&b'[') && self.scanner.last_open() == opening;
        if flat && stop.kind == FaultKind::Broken {
            self.at = stop.at;
            return;
        }
        if tell && self.options.embedded {
            let mut fault = self.describe(opening, stop, depth, window);
            self.blame_prefixed(&mut fault, opening, window);
            self.tell_noise(opening, window, visitor);
            self.tell(fault, visitor);
        }
        if stop.kind == FaultKind::Truncated {
            self.at = window.end();
            return;
        }
        self.at = stop.at;
        let deep = self.indent(window, opening);
        let line = self.line(window, stop.at);
        let before = window.slice(line.start, stop.at);
        let blanks = (line.whole && line.start > opening && indent(before) == before.len() as u64)
            .then_some(before.len() as u64);
        self.mode = Mode::Remains(Remains::new(depth, deep, blanks));
    }

    fn remains(&mut self, mut remains: Remains, window: &Window, last: bool) -> Flow {
        let (read, ended) = remains.read(window.from(self.at), last);
        self.steps += read as u64;
        self.at += read as u64;
        if ended {
            return Flow::Go;
        }
        self.mode = Mode::Remains(remains);
        Flow::Wait
    }

    /// The fault of what begins at `start` and stopped at `stop` with `depth` brackets open.
    fn describe(&self, start: u64, stop: Stop, depth: usize, window: &mut Window) -> Fault {
        let position = window.position(start);
        // What stands behind the byte that could not be read may not be there yet.
        let seen =
            stop.at + u64::from(!matches!(window.from(stop.at).first(), Some(b'\n' | b'\r')));
        let until = seen.min(start + Fault::SAMPLE as u64);
        let sample = window.slice(start, until).to_vec();
        let innermost = if self.scanner.in_object() { b'{' } else { b'[' };
        Fault {
            kind: stop.kind,
            position,
            stop: window.position(stop.at),
            reason: stop.reason,
            open: if depth == 0 {
                Vec::new()
            } else {
                vec![innermost]
            },
            depth,
            fence: None,
            sample,
        }
    }

    fn tell(&mut self, fault: Fault, visitor: &mut dyn Visitor) {
        self.fault = true;
        self.forget_weak();
        visitor.fault(fault);
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

/// Blanks, record separators (RFC 7464), terminal sequences and byte order marks at the beginning of `text`.
fn between(text: &[u8], last: bool) -> Between {
    match text.first() {
        Some(b' ' | b'\t' | b'\r' | b'\n' | 0x1e) => Between::Read(1),
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

/// What a document may begin with.
enum Opening {
    /// An opening bracket behind which a document can go on, or which is the last byte.
    Bracket,
    /// A backtick or a tilde.
    Mark,
}

/// What came of a search for openings.
struct Openings {
    /// How many bytes stand before it.
    length: usize,
    opening: Option<Opening>,
    /// The last escape character among them.
    escape: Option<usize>,
}

/// Searches text for its first opening.
fn openings(text: &[u8], fences: bool) -> Openings {
    let opening = |at: usize| match text.get(at)? {
        bracket @ (b'{' | b'[') => {
            let behind = text.get(at + 1);
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let promising = before != Some(&ESCAPE)
                && behind.is_none_or(|&next| plausible(*bracket == b'{', next));
            promising.then_some(Opening::Bracket)
        }
        b'`' | b'~' if fences => Some(Opening::Mark),
        _ => None,
    };
    let mut escape = None;
    let (mut blocks, tail) = text.as_chunks();
    let mut from = 0;
    loop {
        let (passed, mut found) = lanes::first_opening(blocks);
        from += passed * lanes::WIDE;
        if found == 0 {
            break;
        }
        while found != 0 {
            let at = from + found.trailing_zeros() as usize;
            if let Some(opening) = opening(at) {
                return Openings {
                    length: at,
                    opening: Some(opening),
                    escape,
                };
            }
            if text.get(at) == Some(&ESCAPE) {
                escape = Some(at);
            }
            found &= found - 1;
        }
        from += lanes::WIDE;
        blocks = blocks.get(passed + 1..).unwrap_or_default();
    }
    for (at, &byte) in (from..).zip(tail) {
        if let Some(opening) = opening(at) {
            return Openings {
                length: at,
                opening: Some(opening),
                escape,
            };
        }
        if byte == ESCAPE {
            escape = Some(at);
        }
    }
    Openings {
        length: text.len(),
        opening: None,
        escape,
    }
}

/// Whether a document can go on with `next` behind its opening bracket.
const fn plausible(object: bool, next: u8) -> bool {
    match next {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | ESCAPE => true,
        b'}' => object,
        b'[' | b'{' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => !object,
        _ => false,
    }
}

/// How many blanks a line begins with.
fn indent(line: &[u8]) -> u64 {
    line.iter()
        .take_while(|byte| matches!(**byte, b' ' | b'\t'))
        .count() as u64
}
