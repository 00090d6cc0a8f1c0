//! The finder: documents in noise, by the extraction chain: `string`, `whole`, `fence`, `embedded`.
//!
//! Text comes in pieces of any size; documents, faults and noise go to a [`Visitor`] in the order in which they stand.
//! One reading from left to right serves all stages: `string` and thinking blocks at the head of the source, `whole` as
//! long as nothing but JSON has come, `fence` and `embedded` from then on. What is kept is what is pending.
//!
//! Text behind a log prefix is read by the same reader. Where something stops at its line's end with text before its
//! opening, the reader asks, and a `learner` looks whether the next lines carry a prefix. If they do, the lines of that
//! source become a strand, which a finder of its own reads as it would read them alone; to the reader they are
//! blank. So many sources are read side by side, and what they tell is put into the order of the source. A line of others
//! without a prefix is made blank, too, where a document goes on behind it (`foreign`).
//!
//! ```text
//!            line ─▶ whose is it? ─▶ strand ─▶ finder ─┐
//!                        │                              ├─▶ in order ─▶ visitor
//!                        └─ nobody's ─▶ reader ─────────┘
//!                                         │ asks
//!                                         ▼
//!                                      learner ─▶ a new strand, or none
//! ```

mod bracket;
mod fence;
mod foreign;
pub(crate) mod head;
pub(crate) mod learner;
mod literal;
pub(crate) mod prefix;
pub(crate) mod reader;
mod remains;
pub mod repair;
pub(crate) mod strands;
pub(crate) mod thinking;
mod weak;
mod window;

use memchr::memchr;

use crate::document::Visitor;
use crate::input::Piece;
use crate::json::scan::{Scanner, Step};
use crate::span::Position;

use foreign::Foreign;
use head::Head;
use learner::{Answer, Learner, Vain, WAIT_BYTES};
use reader::{Reader, Round};
use strands::{Beside, Strands};
use thinking::{End, Told};
use window::Window;

/// How much of a line tells whose it is, in bytes.
const TOLD_BY: usize = 1024;
/// How deep strands are nested: in the text of a source another may be quoted.
const NESTED: u8 = 1;

/// How to read a source.
#[derive(Debug, Clone)]
pub struct Options {
    /// Read a source that is one string literal.
    pub string: bool,
    /// Read a source that is nothing but JSON.
    pub whole: bool,
    /// Read markdown fences.
    pub fence: bool,
    /// Read documents anywhere in the text.
    pub embedded: bool,
    /// Learn log prefixes from what stands before an opening bracket.
    pub prefixes: bool,
    /// Count what is otherwise weak or never counted.
    pub loose: bool,
    /// Let invalid UTF-8 in strings pass, as U+FFFD.
    pub lossy: bool,
    /// The largest document, in bytes.
    pub max_document: u64,
    /// Keep where the members of documents are, for a visitor that looks at most of them.
    pub marks: bool,
    /// How much of a document is held as it came until it is complete, in bytes. Of a longer one all may be held, and
    /// handed on, without the white space between its tokens.
    pub as_found: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            string: true,
            whole: true,
            fence: true,
            embedded: true,
            prefixes: true,
            loose: false,
            lossy: false,
            max_document: 1 << 30,
            marks: false,
            as_found: u64::MAX,
        }
    }
}

/// Finds the documents of one source.
///
/// ```
/// use jsift::internal::document::{Document, Fault, Visitor};
/// use jsift::internal::find::{Finder, Options};
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
/// let mut finder = Finder::new(Options::default());
/// finder.push(b"status: ok{\"a\":", &mut found);
/// finder.push(b"1} done\n", &mut found);
/// finder.finish(&mut found);
/// assert_eq!(found.0, ["{\"a\":1}"]);
/// ```
#[derive(Debug)]
pub struct Finder {
    window: Window,
    head: Head,
    thinking: End,
    reader: Reader,
    /// What the reader waits for.
    learner: Option<Learner>,
    /// What reads on behind lines that are another's, as it seems.
    foreign: Option<Foreign>,
    /// What was looked at in vain for prefixes and behind such lines.
    vain: Vain,
    strands: Strands,
    /// Where the text begins that was given neither to the reader nor to a strand.
    next: u64,
    /// From there on it is asked what strands hold.
    weighed: u64,
    /// Whose line goes on there.
    inside: Inside,
    bare: Option<Bare>,
    /// Of how many others it is a strand.
    nested: u8,
}

/// What may go on without the prefix of a strand: what its last line has opened.
#[derive(Debug)]
enum Bare {
    /// The line before is that of a strand.
    Behind(usize),
    /// Lines up to that place go on so.
    Lines(usize, Box<Scanner>, u64),
}

/// Where in a line a text goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// At its beginning.
    Nothing,
    /// In one of no strand.
    Main,
    /// In one of a strand.
    Strand(usize),
}

impl Finder {
    /// A finder before the first byte of a source.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::over(Window::new(), options)
    }

    fn over(window: Window, options: Options) -> Self {
        Self {
            head: Head::new(window.base()),
            thinking: End::Wanted(window.base()),
            reader: Reader::new(options, window.base()),
            learner: None,
            foreign: None,
            vain: Vain::default(),
            strands: Strands::default(),
            next: window.base(),
            weighed: 0,
            inside: Inside::Nothing,
            bare: None,
            nested: 0,
            window,
        }
    }

    /// Reads text that follows in the source what was read before.
    pub fn push(&mut self, text: &[u8], visitor: &mut dyn Visitor) {
        self.window.push(text);
        self.read(visitor);
    }

    /// Adds text without reading it yet.
    pub fn add(&mut self, piece: Piece<'_>) {
        match piece.position() {
            None => self.window.push(piece.text),
            Some(at) => self.window.push_at(piece.text, at, piece.stride),
        }
    }

    /// Reads what was [added](Self::add).
    pub fn read(&mut self, visitor: &mut dyn Visitor) {
        self.advance(false, visitor);
    }

    /// Room for text that follows in the source what was read before, at least `size` bytes, to save copying it here.
    pub fn space(&mut self, size: usize) -> &mut [u8] {
        self.window.space(size)
    }

    /// Reads the first `size` bytes of the [room](Self::space), which have been written.
    pub fn filled(&mut self, size: usize, visitor: &mut dyn Visitor) {
        self.window.fill(size);
        self.read(visitor);
    }

    /// Says that the source has ended.
    pub fn finish(&mut self, visitor: &mut dyn Visitor) {
        self.advance(true, visitor);
        let mut thinking = std::mem::replace(&mut self.thinking, End::None);
        told(&mut thinking, visitor, |visitor| {
            self.settle(visitor);
            self.reader.finish(visitor);
        });
        self.thinking = thinking;
        self.thinking.tell(visitor);
    }

    /// Settles what is pending, behind the last byte.
    fn settle(&mut self, visitor: &mut dyn Visitor) {
        if !self.strands.is_idle() {
            let (strands, mut main) = self.beside(visitor);
            strands.end_all(&mut main);
        }
        self.in_order(true, visitor, Reader::settle);
        self.strands.hand_on(u64::MAX, visitor);
    }

    /// Whether the source has been nothing but JSON.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.reader.is_whole()
    }

    /// Where reading stands: the end of the source once it is finished.
    #[must_use]
    pub fn position(&mut self) -> Position {
        self.window.position(self.window.end())
    }

    /// The offset of the source before which everything is decided: what stands there and was told as no document is
    /// noise, or a weak document.
    pub(crate) fn decided(&self) -> u64 {
        let first = self.reader.first_pending().min(self.next);
        let main = self.window.earliest_from(first);
        main.min(self.strands.first_told())
    }

    /// How many bytes were looked at, each as often as it was: what tests hold against the size of the input.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.reader.steps() + self.window.steps() + self.strands.steps()
    }

    fn advance(&mut self, last: bool, visitor: &mut dyn Visitor) {
        if !self
            .head
            .advance(&self.window, &mut self.reader, last, visitor)
        {
            return;
        }
        let mut thinking = std::mem::replace(&mut self.thinking, End::None);
        thinking.look(&self.window, last);
        told(&mut thinking, visitor, |visitor| {
            self.read_on(last, visitor);
        });
        self.thinking = thinking;
        // Making room for what comes next takes another look at what goes.
        if !last {
            let keep = self.reader.keep(&self.window);
            self.window.forget(keep);
        }
    }

    /// Reads as far as the text goes. Without strands the reader sees all of it. With strands it sees line after line of
    /// those that are none of a strand, and blanks in the place of others.
    fn read_on(&mut self, last: bool, visitor: &mut dyn Visitor) {
        loop {
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
            let more = !self.strands.is_empty() && self.show_next(last, visitor);
            if self.strands.is_empty() {
                self.window.show_until(u64::MAX);
                self.next = self.window.all_end();
            }
            let last = last && self.next == self.window.all_end();
            self.in_order(last, visitor, Reader::advance);
            if !more && !self.reader.is_asking() {
                break;
            }
        }
        if !self.strands.is_idle() {
            let (strands, mut main) = self.beside(visitor);
            strands.read(&mut main);
        }
    }

    /// Lets the reader read, which tells what it finds in the order of the source.
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
        match self.strands.is_idle() {
            true => read(visitor),
            false => read(&mut self.strands.in_order(visitor)),
        }
    }

    /// The strands, and what is read beside them.
    fn beside<'a>(&'a mut self, visitor: &'a mut dyn Visitor) -> (&'a mut Strands, Beside<'a>) {
        let first = self.first_of_reader();
        let reader = &mut self.reader;
        (
            &mut self.strands,
            Beside {
                reader,
                first,
                visitor,
            },
        )
    }

    /// Answers what the reader asks, and lets it go on. Says whether that can be told yet.
    fn answer(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        let Self {
            window,
            reader,
            learner,
            vain,
            strands,
            ..
        } = self;
        if learner.is_none()
            && let Some(question) = reader.asks()
        {
            *learner = Learner::new(question, window, vain, reader.options().lossy);
        }
        let answer = match learner {
            None => Answer::None,
            Some(learner) => learner.go_on(window, last, &|line| strands.owner(line).is_some()),
        };
        if let Answer::Wait = answer {
            return false;
        }
        let learner = learner.take();
        let cost = learner.as_ref().map_or(0, |learner| learner.cost);
        reader.add_steps(cost);
        if let (Answer::Prefix(prefix), Some(learner)) = (answer, learner) {
            let options = Options {
                prefixes: self.nested < NESTED,
                ..reader.options().clone()
            };
            let Learner { start, opened, .. } = learner;
            strands.open(*prefix, &learner, window, &options, self.nested + 1);
            self.in_order(last, visitor, |reader, round| {
                reader.go_on_behind(start, opened, round);
            });
            self.window.show_until(opened);
            self.next = opened;
            self.inside = Inside::Nothing;
        } else {
            vain.add(cost);
            self.in_order(last, visitor, Reader::go_on_without);
        }
        true
    }

    /// Finds out whether the line that breaks a candidate is another's, and lets the reader go on. Says whether that can be told
    /// yet.
    fn set_foreign_aside(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        let Self {
            window,
            reader,
            foreign,
            vain,
            strands,
            ..
        } = self;
        if foreign.is_none()
            && strands.is_empty()
            && let Some(parted) = reader.parted()
        {
            *foreign = Foreign::new(parted, window, vain, reader.options().lossy);
        }
        let goes_on = match foreign {
            Some(foreign) => foreign.go_on(window, last),
            None => Some(false),
        };
        let Some(goes_on) = goes_on else {
            return false;
        };
        if let Some(foreign) = foreign.take() {
            reader.add_steps(foreign.cost);
            if goes_on {
                for &(start, end) in &foreign.lines {
                    strands.read_apart((start, end), window, reader, visitor);
                    window.set_aside(start, end);
                }
            } else {
                vain.add(foreign.cost);
            }
        }
        self.in_order(last, visitor, |reader, round| {
            reader.go_on_parted(goes_on, round);
        });
        true
    }

    /// Gives lines to their strands up to one that is none of theirs, which the reader may see then. Says whether there is
    /// one.
    fn show_next(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        loop {
            if self.inside == Inside::Nothing {
                self.end_overdue(visitor);
            }
            let rest = self.window.all_from(self.next);
            let feed = memchr(b'\n', rest);
            let length = feed.map_or(rest.len(), |feed| feed + 1);
            let boxed = self.strands.has_boxes() && length as u64 <= WAIT_BYTES;
            let told = feed.is_some() || last || (length >= TOLD_BY && !boxed);
            if length == 0 || (self.inside == Inside::Nothing && !told) {
                self.window.show_until(self.next);
                return false;
            }
            let (start, end) = (self.next, self.next + length as u64);
            let owner = match self.inside {
                Inside::Nothing => {
                    let owner = self.strands.owner(rest.get(..length).unwrap_or(rest));
                    let index = owner.as_ref().map(|(index, _)| *index);
                    if let Some(owner) = owner {
                        self.bare = Some(Bare::Behind(owner.0));
                        let from = start + owner.1.start as u64;
                        self.strands.give(owner, (start, end), &self.window);
                        if feed.is_some() {
                            self.window.pass_lines(from, 1, end, end);
                        }
                    } else if self.bare.is_some() {
                        match self.take_bare(last, visitor) {
                            Some(true) => continue,
                            Some(false) => {}
                            None => {
                                self.window.show_until(self.next);
                                return false;
                            }
                        }
                    }
                    index
                }
                Inside::Strand(index) => {
                    self.strands
                        .give((index, 0..length), (start, end), &self.window);
                    Some(index)
                }
                Inside::Main => None,
            };
            self.next = end;
            self.inside = match (feed, owner) {
                (Some(_), _) => Inside::Nothing,
                (None, Some(index)) => Inside::Strand(index),
                (None, None) => Inside::Main,
            };
            if owner.is_none() {
                self.window.show_until(end);
                return true;
            }
            self.window.set_aside(start, end);
        }
    }

    /// Gives a strand the lines without its prefix that complete what its last line has opened: without a prefix comes first.
    /// Says whether there are such lines at the place of reading; `None` if that cannot be told yet.
    fn take_bare(&mut self, last: bool, visitor: &mut dyn Visitor) -> Option<bool> {
        let (index, mut scanner, mut at) = match self.bare.take()? {
            Bare::Lines(index, scanner, at) => (index, scanner, at),
            Bare::Behind(index) => {
                let (strands, mut main) = self.beside(visitor);
                match strands.opened(index, &mut main) {
                    Some(scanner) => (index, Box::new(scanner), self.next),
                    None => return Some(false),
                }
            }
        };
        loop {
            let rest = self.window.all_from(at);
            let feed = memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
            let line = rest.get(..feed).unwrap_or(rest);
            let whole = line.last() == Some(&b'\n');
            if !whole && !last && (line.len() as u64) < WAIT_BYTES {
                self.bare = Some(Bare::Lines(index, scanner, at));
                return None;
            }
            if line.is_empty() || self.strands.owner(line).is_some() {
                return Some(false);
            }
            let (_, step) = scanner.scan(line, at, last && !whole);
            at += line.len() as u64;
            match step {
                Step::More if at - self.next <= WAIT_BYTES => {}
                Step::More | Step::Broken(_) => return Some(false),
                Step::Complete => break,
            }
        }
        let all = 0..(at - self.next) as usize;
        self.strands
            .give((index, all), (self.next, at), &self.window);
        self.window.set_aside(self.next, at);
        self.next = at;
        Some(true)
    }

    /// The scanner of the candidate that is pending, if that begins on the last line.
    fn opened_last(&mut self) -> Option<Scanner> {
        let (start, scanner) = self.reader.candidate_begun()?;
        let behind = self.window.from(start);
        let feed = memchr(b'\n', behind)?;
        (feed + 1 == behind.len()).then(|| scanner.clone())
    }

    /// Ends the strands of which nothing came for too long.
    fn end_overdue(&mut self, visitor: &mut dyn Visitor) {
        loop {
            let mut overdue = self.strands.overdue(self.next);
            if overdue.is_none() && self.next >= self.weighed {
                self.weighed = (self.next / WAIT_BYTES + 1) * WAIT_BYTES;
                let (strands, mut main) = self.beside(visitor);
                strands.read(&mut main);
                overdue = self.strands.holding(self.window.position(self.next).offset);
            }
            let Some(index) = overdue else {
                return;
            };
            let (strands, mut main) = self.beside(visitor);
            strands.end(index, &mut main);
            self.bare = None;
        }
    }

    /// Begins with the first line of a strand: what stands in a window between two places, of which all is noise up to the
    /// opening at `start`.
    fn begin_strand(&mut self, window: &Window, start: u64, line: (u64, u64, u64), thinking: bool) {
        self.thinking = End::None;
        self.head = Head::Over;
        if thinking {
            self.head.begin_at(start - line.0);
        }
        self.take_line(window, line);
        self.reader.begin_at(start - line.0);
    }

    /// Takes the next line of a strand, or a part of it, which goes to `end` in the window that it came in: what stands
    /// from `from` to `to`. Behind that there is nothing but the side of a box and a line feed.
    fn take_line(&mut self, window: &Window, (from, to, end): (u64, u64, u64)) {
        let begin = self.window.all_end();
        self.window.push_from(window, from, end);
        let feed = u64::from(window.slice(end - 1, end) == b"\n");
        if to + feed < end {
            let side = self.window.all_end() - feed;
            self.window.set_aside(begin + (to - from), side);
        }
    }

    /// Reads what was taken.
    fn read_strand(&mut self, last: bool, visitor: &mut dyn Visitor) {
        self.advance(last, visitor);
        if last {
            self.settle(visitor);
        }
    }

    /// How many bytes of text are pending.
    fn held(&self) -> u64 {
        self.window.all_end() - self.reader.first_pending()
    }

    /// Where in the source the first thing stands that was not handed on.
    fn first_of_strand(&self) -> u64 {
        self.first_of_reader().min(self.strands.first_told())
    }

    /// Where in the source the first thing stands that is not decided or not told, or the text that was not read yet.
    fn first_of_reader(&self) -> u64 {
        let first = self.reader.first_untold();
        let first = match self.reader.held_at() {
            Some(at) => at.offset,
            None if first == self.window.all_end() => u64::MAX,
            None => self.window.position(first).offset,
        };
        // What is wrong with a fence is told of its marks.
        let fence = self.reader.fence_at(&self.window);
        fence.map_or(first, |marks| marks.offset.min(first))
    }
}

/// Lets something visit, by way of the end of thinking if there is one.
fn told(thinking: &mut End, visitor: &mut dyn Visitor, read: impl FnOnce(&mut dyn Visitor)) {
    if thinking.is_found() {
        read(&mut Told {
            end: thinking,
            visitor,
        });
    } else {
        read(visitor);
    }
}
