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
mod feeding;
mod fence;
mod foreign;
pub(crate) mod head;
pub(crate) mod learner;
mod literal;
mod order;
pub(crate) mod prefix;
pub(crate) mod reader;
mod remains;
pub mod repair;
pub(crate) mod strands;
pub(crate) mod thinking;
mod weak;
mod window;

use crate::document::Visitor;
use crate::input::Piece;
use crate::span::Position;

use feeding::Bare;
use foreign::Foreign;
use head::Head;
use learner::{Learned, Learner, Vain};
use reader::{Reader, Round};
use strands::{Beside, Strands};
use thinking::{ThinkingEnd, Told};
use window::Window;

/// How deep strands are nested: in the text of a source another may be quoted.
const NESTED: u8 = 1;

/// How to read a source.
#[derive(Debug, Clone)]
pub struct FindOptions {
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

impl Default for FindOptions {
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
/// use jsift::internal::find::{Finder, FindOptions};
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
        let mut thinking = std::mem::replace(&mut self.thinking, ThinkingEnd::None);
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
        let mut thinking = std::mem::replace(&mut self.thinking, ThinkingEnd::None);
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
            None => Learned::None,
            Some(learner) => learner.go_on(window, last, &|line| strands.owner(line).is_some()),
        };
        if let Learned::Wait = answer {
            return false;
        }
        let learner = learner.take();
        let cost = learner.as_ref().map_or(0, |learner| learner.cost);
        reader.add_steps(cost);
        if let (Learned::Prefix(prefix), Some(learner)) = (answer, learner) {
            let options = FindOptions {
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
}

/// Lets something visit, by way of the end of thinking if there is one.
fn told(
    thinking: &mut ThinkingEnd,
    visitor: &mut dyn Visitor,
    read: impl FnOnce(&mut dyn Visitor),
) {
    if thinking.is_found() {
        read(&mut Told {
            end: thinking,
            visitor,
        });
    } else {
        read(visitor);
    }
}
