//! The finder: documents in noise, by the extraction chain: `string`, `whole`, `fence`, `embedded`.
//!
//! Text comes in pieces of any size; documents, faults and noise go to a [`Visitor`] in the order in which they stand.
//! One reading from left to right serves all stages: `string` and thinking blocks at the head of the source, `whole` as
//! long as nothing but JSON has come, `fence` and `embedded` from then on. What is kept is what is pending.

mod bracket;
pub mod choice;
mod fence;
pub mod filter;
pub(crate) mod head;
mod literal;
pub(crate) mod prefix;
pub(crate) mod reader;
mod remains;
pub mod repair;
pub mod rewrite;
pub mod schema;
pub(crate) mod thinking;
mod weak;
mod window;

use crate::document::Visitor;
use crate::input::Piece;
use crate::span::Position;

use head::Head;
use reader::Reader;
use thinking::{End, Told};
use window::Window;

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
/// use jsift::document::{Document, Fault, Visitor};
/// use jsift::find::{Finder, Options};
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
        let Self {
            window,
            thinking,
            reader,
            ..
        } = self;
        told(thinking, visitor, |visitor| reader.finish(window, visitor));
        thinking.tell(visitor);
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

    /// How many bytes were looked at, each as often as it was: what tests hold against the size of the input.
    #[doc(hidden)]
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.reader.steps() + self.window.steps()
    }

    fn advance(&mut self, last: bool, visitor: &mut dyn Visitor) {
        if !self
            .head
            .advance(&self.window, &mut self.reader, last, visitor)
        {
            return;
        }
        let Self {
            window,
            thinking,
            reader,
            ..
        } = self;
        thinking.look(window, last);
        told(thinking, visitor, |visitor| {
            reader.advance(window, last, visitor);
        });
        // Making room for what comes next takes another look at what goes.
        if !last {
            let keep = self.reader.keep(&self.window);
            self.window.forget(keep);
        }
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
