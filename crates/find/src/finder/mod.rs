//! The finder: documents in noise, by the extraction chain: `string`, `whole`, `fence`, `embedded`.
//!
//! Text comes in pieces of any size; documents, faults and noise are reported to a [`Visitor`] in source order. One
//! pass from left to right serves all stages: `string` and thinking blocks at the head of the source, `whole` as long
//! as the source is nothing but JSON, `fence` and `embedded` after that. Only pending text is kept.
//!
//! Text after a log prefix is read by the same reader. If a candidate, fence or thinking block is unfinished at the end
//! of its line and has text before its opening, the reader asks a question, and a `learner` checks whether the next
//! lines carry a prefix. If they do, the lines with that prefix become a substream. A finder of its own reads the
//! substream as if it were alone, and the reader sees blanks in place of its lines. So interleaved log sources are read
//! side by side, and their findings are put into source order. A line without a prefix that interrupts a document is
//! also blanked if the document goes on after it (`interruption`).
//!
//! ```text
//! line ─▶ does it carry the prefix of a substream? ── yes ─▶ substream ─▶ finder ─┐
//!                        │                                                   ├─▶ source order ─▶ visitor
//!                        └── no ─▶ reader ───────────────────────────────────┘
//!                                    │ a question: do the next lines carry a prefix?
//!                                    ▼
//!                                 learner ─▶ a new substream, or none
//! ```

mod almost_json;
mod bracket;
mod fence;
pub mod head;
mod index;
mod interruption;
pub mod learner;
mod line;
mod literal;
pub(crate) mod literal_names;
mod offsets;
mod options;
mod order;
pub mod reader;
pub(crate) mod remains;
pub mod repair;
mod routing;
mod strings;
pub mod substreams;
pub mod thinking;
mod weak;
pub mod window;
mod writers;

use crate::document::{Remark, Visitor};
use crate::prefix::Left;
use crate::span::Position;

pub use fence::INFO_LIMIT;
use head::Head;
use interruption::Foreign;
use learner::{Learned, Learner, Searched};
pub use options::{FindOptions, Parts};
use reader::{Reader, Round, Unfinished};
use routing::Bare;
use substreams::{Alongside, Substreams};
use thinking::{Reported, ThinkingEnd};
pub use weak::BLANKS_LIMIT;
use window::Window;
use writers::Writers;

/// How deep substreams may be nested: the text of a log source may quote another log.
const NESTED: u8 = 1;
/// How many bytes of blank text are kept at the beginning of a source.
pub const BLANKS_KEPT: u64 = 1 << 16;

/// Finds the documents of one source.
///
/// ```
/// use jsift_find::document::{Document, Fault, Visitor};
/// use jsift_find::finder::{Finder, FindOptions};
///
/// struct Print(Vec<String>);
/// impl Visitor for Print {
///     fn document(&mut self, document: Document<'_>) {
///         self.0.push(String::from_utf8_lossy(document.text).into_owned());
///     }
///     fn fault(&mut self, _: Fault) {}
/// }
///
/// let mut found = Print(Vec::new());
/// let mut finder = Finder::new(FindOptions::default());
/// finder.push(b"status: ok{\"a\":", &mut found);
/// finder.push(b"1} done\n", &mut found);
/// finder.finish(&mut found);
/// assert_eq!(found.0, ["{\"a\":1}"]);
/// ```
#[derive(Debug)]
pub struct Finder {
    window: Window,
    head: Head,
    thinking: ThinkingEnd,
    reader: Reader,
    /// Answers the question that the reader is waiting on.
    learner: Option<Learner>,
    /// Checks whether a document goes on after lines that seem foreign to it.
    foreign: Option<Foreign>,
    /// The cost of looking for prefixes, and beyond foreign lines in vain.
    searched: Searched,
    substreams: Substreams,
    /// The start of the text that was given neither to the reader nor to a substream yet.
    next: u64,
    /// The offset from which on the substreams of each [kind](substreams::OwnerKind) are next checked for holding
    /// others up.
    weighed: [u64; 2],
    /// Which line contains `next`.
    inside: Inside,
    bare: Option<Bare>,
    /// How many levels of substreams this finder is nested in; 0 for the main one.
    nested: u8,
    writers: Writers,
}

/// Which line a text position is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// At the start of a line.
    Nothing,
    /// In a line that belongs to no substream.
    Main,
    /// In a line of the substream with this index.
    Substream(usize),
}

impl Finder {
    /// Returns a finder at the start of a source.
    #[must_use]
    pub fn new(options: FindOptions) -> Self {
        Self::over(Window::new(), options)
    }

    fn over(window: Window, options: FindOptions) -> Self {
        Self {
            head: Head::new(window.base()),
            thinking: ThinkingEnd::Wanted(window.base()),
            reader: Reader::new(options, window.base()),
            learner: None,
            foreign: None,
            searched: Searched::default(),
            substreams: Substreams::default(),
            next: window.base(),
            weighed: [0; 2],
            inside: Inside::Nothing,
            bare: None,
            nested: 0,
            writers: Writers::default(),
            window,
        }
    }

    /// Reads the next text of the source.
    pub fn push(&mut self, text: &[u8], visitor: &mut dyn Visitor) {
        self.window.push(text);
        self.read(visitor);
    }

    /// Reads the text that was [added](Self::add).
    pub fn read(&mut self, visitor: &mut dyn Visitor) {
        self.advance(false, visitor);
    }

    /// Returns room for at least `size` bytes of the next text of the source, to save copying it here.
    pub fn space(&mut self, size: usize) -> &mut [u8] {
        self.window.space(size)
    }

    /// Reads the first `size` bytes of the [room](Self::space), which the caller has written.
    pub fn filled(&mut self, size: usize, visitor: &mut dyn Visitor) {
        self.window.fill(size);
        self.read(visitor);
    }

    /// Reads a text that is in memory as a whole. Returns whether it contains nothing but JSON.
    pub fn read_text(options: FindOptions, text: &[u8], visitor: &mut dyn Visitor) -> bool {
        let mut finder = Self::new(options);
        finder.push(text, visitor);
        finder.finish(visitor);
        finder.is_whole()
    }

    /// Ends the source: reports everything that is still pending.
    pub fn finish(&mut self, visitor: &mut dyn Visitor) {
        self.advance(true, visitor);
        self.reported(visitor, Self::settle);
        self.thinking.report_end(visitor);
        if let Some(end) = self.thinking.unfollowed() {
            self.reader.was_thinking(end);
        }
        self.reported(visitor, |finder, visitor| finder.reader.finish(visitor));
    }

    /// Settles what is pending after the last byte.
    fn settle(&mut self, visitor: &mut dyn Visitor) {
        if !self.substreams.is_idle() {
            let (substreams, mut main) = self.alongside(visitor);
            substreams.end_all(&mut main);
        }
        self.in_order(true, visitor, Reader::settle);
        self.substreams.hand_on(u64::MAX, visitor);
    }

    /// Returns whether the source has been nothing but JSON so far.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.reader.is_whole()
    }

    /// Returns whether fences are read.
    pub(crate) const fn finds_fences(&self) -> bool {
        self.reader.options().fence
    }

    /// Returns whether everything so far may still turn out to be thinking.
    pub(crate) fn may_be_thinking(&self) -> bool {
        self.thinking.is_pending() || self.substreams.may_be_thinking()
    }

    /// Returns the position of reading: the end of the source once it is finished.
    #[must_use]
    pub fn position(&mut self) -> Position {
        let main = self.window.position(self.window.end());
        match self.writers.end() {
            Some(end) if end.offset > main.offset => end,
            _ => main,
        }
    }

    /// Returns the source offset before which everything is decided: text before it that was not reported as a document
    /// is noise or a weak document.
    pub(crate) fn decided(&self) -> u64 {
        let first = self.reader.first_pending().min(self.next);
        let mut main = self.window.earliest_from(first);
        if let Some(end) = self.writers.end()
            && first == self.window.all_end()
        {
            main = main.max(end.offset);
        }
        main.min(self.substreams.first_not_handed_on())
    }

    fn advance(&mut self, last: bool, visitor: &mut dyn Visitor) {
        self.leave_whole(last, visitor);
        if !self
            .head
            .advance(&self.window, &mut self.reader, last, visitor)
        {
            self.drop_blanks(visitor);
            self.read_substreams(visitor);
            return;
        }
        self.thinking.look(&self.window, last);
        self.reported(visitor, |finder, visitor| finder.read_on(last, visitor));
        // Forgetting text scans it once more; at the end that is not worth it.
        if !last {
            let keep = self.reader.keep(&self.window);
            self.window.forget(keep);
        }
    }

    /// Drops the blank text before the first byte of a source, however long it is.
    fn drop_blanks(&mut self, visitor: &mut dyn Visitor) {
        let blank = self.head.blank_until();
        if let Some(at) = blank.filter(|at| at - self.window.base() > BLANKS_KEPT) {
            self.thinking.look(&self.window, false);
            self.in_order(false, visitor, |reader, round| reader.skip_noise(at, round));
            let keep = self.reader.keep(&self.window);
            self.window.forget(keep);
        }
    }

    /// Calls `read` with the visitor, wrapped so that the end of thinking is handled if one was found.
    fn reported(
        &mut self,
        visitor: &mut dyn Visitor,
        read: impl FnOnce(&mut Self, &mut dyn Visitor),
    ) {
        let mut end = std::mem::replace(&mut self.thinking, ThinkingEnd::None);
        match end.is_found() {
            true => {
                let end = &mut end;
                read(self, &mut Reported { end, visitor });
            }
            false => read(self, visitor),
        }
        self.thinking = end;
    }

    /// Reads as far as the text goes. Without substreams the reader sees all of it. With substreams it is shown one
    /// line at a time of those that belong to no substream, and sees blanks in place of the others.
    fn read_on(&mut self, last: bool, visitor: &mut dyn Visitor) {
        loop {
            let resumes = self.reader.is_asking();
            let answered = match (self.reader.asks(), self.reader.parted()) {
                (Some(_), _) => self.answer(last, visitor),
                (_, Some(_)) => self.set_foreign_aside(last, visitor),
                (None, None) => true,
            };
            if !answered {
                break;
            }
            if self.reader.is_asking() {
                continue;
            }
            // After an answer the reader first reads what it sees: what it asks then must not depend on the lines that
            // are there already.
            let more = resumes || !self.substreams.is_empty() && self.show_next(last, visitor);
            if self.substreams.is_empty() {
                self.window.show_until(u64::MAX);
                self.next = self.window.all_end();
            }
            let last = last && self.next == self.window.all_end();
            self.in_order(last, visitor, Reader::advance);
            if !more && !self.reader.is_asking() {
                break;
            }
        }
        self.read_substreams(visitor);
    }

    /// Reads the lines that the substreams were given.
    fn read_substreams(&mut self, visitor: &mut dyn Visitor) {
        if !self.substreams.is_idle() {
            let (substreams, mut main) = self.alongside(visitor);
            substreams.read(&mut main);
        }
    }

    /// Runs `read` on the reader; what it finds is reported in source order.
    fn in_order(
        &mut self,
        last: bool,
        visitor: &mut dyn Visitor,
        read: impl FnOnce(&mut Reader, &mut Round<'_>),
    ) {
        let window = &self.window;
        let read = |visitor| {
            let mut round = Round {
                window,
                last,
                visitor,
            };
            read(&mut self.reader, &mut round);
        };
        match self.substreams.is_idle() {
            true => read(visitor),
            false => read(&mut self.substreams.in_order(visitor)),
        }
    }

    /// Returns the substreams, and separately the rest of the finder that they need.
    fn alongside<'a>(
        &'a mut self,
        visitor: &'a mut dyn Visitor,
    ) -> (&'a mut Substreams, Alongside<'a>) {
        let first = self.first_of_reader();
        let reader = &mut self.reader;
        (
            &mut self.substreams,
            Alongside {
                reader,
                first,
                visitor,
            },
        )
    }

    /// Answers the reader's question and lets it go on. Returns `false` if the answer needs more text.
    fn answer(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        let window = &self.window;
        let Some(question) = self.reader.asks() else {
            return true;
        };
        if self.learner.is_none() {
            let lossy = self.reader.options().lossy;
            self.learner = Learner::new(question, window, &self.searched, lossy);
        }
        let owned = |line: &[u8]| self.substreams.owner(line).is_some();
        let answer = match &mut self.learner {
            None => Learned::None,
            Some(learner) => learner.go_on(question, window, last, &owned),
        };
        if let Learned::Wait = answer {
            return false;
        }
        let cost = self.learner.take().map_or(0, |learner| learner.cost);
        self.searched.add(cost);
        if let Learned::Prefix(prefix) = answer {
            let (opened, options) = (question.opened, self.reader.options());
            let nested = self.nested;
            self.substreams
                .open(*prefix, question, window, options, nested);
            self.in_order(last, visitor, Reader::go_on_after);
            self.window.show_until(opened);
            self.next = opened;
            self.inside = Inside::Nothing;
            return true;
        }
        // The prefix of a message may be on its first line alone.
        let is_thinking = question.about == Unfinished::Thinking
            && !question.left.contains(&b'{')
            && Left::new(&question.left).is_all_prefix();
        let start = question.start;
        self.reader.go_on_without();
        if is_thinking {
            self.head = Head::new(start);
            let (window, reader) = (&self.window, &mut self.reader);
            return self.head.advance(window, reader, last, visitor);
        }
        true
    }

    /// Decides whether the line that breaks a candidate is foreign to it, and lets the reader go on. Returns `false` if
    /// that needs more text.
    fn set_foreign_aside(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        if self.foreign.is_none()
            && let Some(parted) = self.reader.parted()
        {
            let lossy = self.reader.options().lossy;
            self.foreign = Foreign::new(parted, &self.window, &self.searched, lossy);
        }
        let owned = |line: &[u8]| self.substreams.owner(line).is_some();
        let goes_on = match &mut self.foreign {
            Some(foreign) => foreign.go_on(&self.window, last, &owned),
            None => Some(false),
        };
        let Some(goes_on) = goes_on else {
            return false;
        };
        if let Some(foreign) = self.foreign.take() {
            if !goes_on {
                self.searched.add(foreign.cost);
            }
            for &(start, end) in foreign.lines.iter().filter(|_| goes_on) {
                let (window, reader) = (&self.window, &mut self.reader);
                visitor.remark(Remark::LeftOut(window.position(start)));
                self.substreams
                    .read_apart((start, end), window, reader, visitor);
                self.window.set_aside(start, end);
            }
        }
        self.in_order(last, visitor, |reader, round| {
            reader.go_on_parted(goes_on, round);
        });
        true
    }
}
