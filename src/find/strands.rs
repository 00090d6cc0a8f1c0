//! Sources that are told apart by their prefixes and read side by side.
//!
//! Each is a *strand*: its lines, without the prefix, are read by a finder of its own, which reads them as it would read
//! them alone. A line costs a look-up, however many strands there are. What they tell is put into the order in which it
//! stands in the source.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::head::Head;
use super::learner::{Learner, WAIT_BYTES};
use super::order::{Early, InOrder, Lost};
use super::prefix::{Prefix, without_mark};
use super::reader::{Reader, Unfinished};
use super::thinking::ThinkingEnd;
use super::window::Window;
use super::{FindOptions, Finder};
use crate::document::Visitor;
use crate::json::scan::Scanner;

/// How many sources are read side by side.
pub(crate) const STRANDS: usize = 256;
/// How many bytes of other sources are held while a document is pending.
pub(crate) const HELD: u64 = 16 << 20;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Strands {
    all: Vec<Strand>,
    /// Those whose prefix a line begins with, by its [key](Outline::key). There are too few of them to be worth an attack
    /// on the hash.
    by_prefix: FxHashMap<Vec<u8>, usize>,
    /// The longest first.
    outlines: Vec<PrefixOutline>,
    /// Some prefixes may have another length on other lines, or stand in a box.
    irregular: usize,
    boxes: usize,
    /// From here on it is asked which strands have been silent for too long.
    checked: u64,
    early: Early,
    /// Where in the source that stands which was told last of no strand.
    latest: u64,
}

/// What is read beside strands: the lines of none.
pub(super) struct Beside<'a> {
    pub(super) reader: &'a mut Reader,
    /// Where in the source the first thing stands in them that is not decided.
    pub(super) first: u64,
    pub(super) visitor: &'a mut dyn Visitor,
}

/// A source that is known by its prefix.
#[derive(Debug)]
struct Strand {
    prefix: Prefix,
    finder: Box<Finder>,
    /// Where its last line ends in the text.
    spoke: u64,
    /// Lines came that have not been read yet.
    fed: bool,
    /// Where in the source something begins of it that is not decided.
    pending: u64,
    /// Where in the source that stands which it has told last.
    latest: u64,
}

/// How long a prefix is, and which of its bytes may be other digits.
#[derive(Debug, PartialEq, Eq)]
struct PrefixOutline {
    length: usize,
    free: Vec<usize>,
}

impl PrefixOutline {
    fn of(prefix: &Prefix) -> Self {
        let free = prefix.free().enumerate();
        Self {
            length: prefix.text().len(),
            free: free.filter_map(|(at, free)| free.then_some(at)).collect(),
        }
    }

    /// What a line begins with; digits that may change are zeros.
    fn key<'a>(&self, line: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let mut key = Cow::Borrowed(line.get(..self.length)?);
        for &at in &self.free {
            if key.get(at).is_some_and(u8::is_ascii_digit)
                && let Some(digit) = key.to_mut().get_mut(at)
            {
                *digit = b'0';
            }
        }
        Some(key)
    }
}

impl Strands {
    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a line that is not there as a whole tells whose it is by its beginning.
    pub(super) const fn has_boxes(&self) -> bool {
        self.boxes > 0
    }

    /// Opens one, with the line that has led to its prefix.
    pub(super) fn open(
        &mut self,
        prefix: Prefix,
        learner: &Learner,
        window: &Window,
        options: &FindOptions,
        nested: u8,
    ) {
        let &Learner {
            line,
            start,
            opened,
            about,
            ..
        } = learner;
        let options = FindOptions {
            string: false,
            whole: false,
            ..options.clone()
        };
        let mut finder = Box::new(Finder::over(Window::new(), options));
        let text = window.slice(line, opened);
        let inside = prefix.inside(text).unwrap_or_default();
        let begin = (line + inside.start as u64).min(start).max(line);
        let end = match inside.end {
            0 => opened,
            end => line + end as u64,
        };
        finder.nested = nested;
        let thinking = about == Unfinished::Thinking;
        finder.begin_strand(window, start, (begin, end, opened), thinking);
        self.all.push(Strand {
            prefix,
            finder,
            spoke: opened,
            fed: true,
            pending: window.position(start).offset,
            latest: 0,
        });
        self.index_one(self.all.len() - 1);
        self.checked = self.checked.min(opened + WAIT_BYTES);
    }

    /// Makes the index anew.
    fn index(&mut self) {
        self.by_prefix.clear();
        self.outlines.clear();
        (self.irregular, self.boxes) = (0, 0);
        for index in 0..self.all.len() {
            self.index_one(index);
        }
    }

    fn index_one(&mut self, index: usize) {
        let Some(strand) = self.all.get(index) else {
            return;
        };
        let outline = PrefixOutline::of(&strand.prefix);
        let boxed = strand.prefix.is_boxed();
        self.boxes += usize::from(boxed);
        self.irregular += usize::from(boxed || !outline.free.is_empty());
        // What is learned twice is the latter's.
        if let Some(key) = outline.key(strand.prefix.text()) {
            self.by_prefix.insert(key.into_owned(), index);
        }
        if !self.outlines.contains(&outline) {
            self.outlines.push(outline);
            let longest_first = |outline: &PrefixOutline| std::cmp::Reverse(outline.length);
            self.outlines.sort_by_key(longest_first);
        }
    }

    /// Whose a line is.
    pub(super) fn owner(&self, line: &[u8]) -> Option<(usize, Range<usize>)> {
        let text = without_mark(line);
        for outline in &self.outlines {
            if let Some(key) = outline.key(text)
                && let Some(&index) = self.by_prefix.get(&*key)
                && let Some(inside) = self.all.get(index)?.prefix.inside(line)
            {
                return Some((index, inside));
            }
        }
        if self.irregular == 0 && text.len() == line.len() {
            return None;
        }
        self.all.iter().enumerate().find_map(|(index, strand)| {
            let prefix = Some(&strand.prefix).filter(|prefix| prefix.may_begin(line))?;
            Some((index, prefix.inside(line)?))
        })
    }

    /// How many bytes were looked at.
    pub(super) fn steps(&self) -> u64 {
        self.all.iter().map(|strand| strand.finder.steps()).sum()
    }

    /// Whether nothing is pending.
    pub(super) fn is_idle(&self) -> bool {
        self.all.is_empty() && self.early.first() == u64::MAX
    }

    /// Gives a strand a line that begins at `start`, which says what is `inside` its prefix.
    pub(super) fn give(
        &mut self,
        (index, inside): (usize, Range<usize>),
        (start, end): (u64, u64),
        window: &Window,
    ) {
        let Some(strand) = self.all.get_mut(index) else {
            return;
        };
        let (from, to) = (start + inside.start as u64, start + inside.end as u64);
        let at = window.position(start).offset;
        if strand.pending == u64::MAX {
            strand.pending = at;
        }
        window.pass(start, from);
        strand.finder.take_line(window, (from, to, end));
        strand.spoke = end;
        strand.fed = true;
    }

    /// Reads a line by itself that stands inside of what is pending: what it tells comes behind that.
    pub(super) fn read_apart(
        &mut self,
        (start, end): (u64, u64),
        window: &Window,
        reader: &mut Reader,
        visitor: &mut dyn Visitor,
    ) {
        let options = FindOptions {
            string: false,
            whole: false,
            prefixes: false,
            ..reader.options().clone()
        };
        let mut finder = Finder::over(Window::new(), options);
        finder.head = Head::Over;
        finder.thinking = ThinkingEnd::None;
        finder.take_line(window, (start, end, end));
        let mut visitor = InOrder {
            early: &mut self.early,
            before: 0,
            latest: &mut 0,
            prefix: None,
            visitor,
        };
        finder.read_strand(true, &mut visitor);
        reader.add_steps(finder.window.steps());
        reader.take_over(&mut finder.reader);
    }

    /// The scanner of what the line has opened that a strand was given last.
    pub(super) fn opened(&mut self, index: usize, main: &mut Beside<'_>) -> Option<Scanner> {
        self.read_one(index, false, main);
        let strand = self.all.get_mut(index)?;
        strand.finder.opened_last()
    }

    /// Which strand has been silent for too long, or holds too much, where the text has come to `at`.
    pub(super) fn overdue(&mut self, at: u64) -> Option<usize> {
        if at < self.checked && self.all.len() <= STRANDS {
            return None;
        }
        let oldest = self.all.iter().enumerate();
        let (index, oldest) = oldest.min_by_key(|(_, strand)| strand.spoke)?;
        self.checked = oldest.spoke + WAIT_BYTES + 1;
        (at >= self.checked || self.all.len() > STRANDS).then_some(index)
    }

    /// Which strand has others wait for too long, where the source has come to `at`.
    pub(super) fn holding(&self, at: u64) -> Option<usize> {
        self.all.iter().position(|strand| {
            let since = at.saturating_sub(strand.pending);
            since.saturating_sub(strand.finder.held()) > HELD
        })
    }

    /// Reads what the strands were given.
    pub(super) fn read(&mut self, main: &mut Beside<'_>) {
        for index in 0..self.all.len() {
            self.read_one(index, false, main);
        }
        self.hand_on(main.first, main.visitor);
    }

    fn first_pending(&self) -> u64 {
        let pending = self.all.iter().map(|strand| strand.pending);
        pending.min().unwrap_or(u64::MAX)
    }

    /// Reads what one was given.
    fn read_one(&mut self, index: usize, last: bool, main: &mut Beside<'_>) {
        let others = self.all.iter().enumerate();
        let others = others.filter(|(other, _)| *other != index);
        let before = others
            .map(|(_, strand)| strand.pending)
            .fold(main.first, u64::min);
        let Some(strand) = self.all.get_mut(index) else {
            return;
        };
        if !strand.fed && !last {
            return;
        }
        strand.fed = false;
        let Strand {
            prefix,
            finder,
            latest,
            ..
        } = strand;
        let mut visitor = InOrder {
            early: &mut self.early,
            before,
            latest,
            prefix: Some(prefix.text()),
            visitor: main.visitor,
        };
        finder.read_strand(last, &mut visitor);
        strand.pending = finder.first_of_strand();
        main.reader.note_told(&finder.reader);
    }

    /// Ends a strand, of which more might come, but not for too long.
    pub(super) fn end(&mut self, index: usize, main: &mut Beside<'_>) {
        self.read_one(index, false, main);
        let Beside {
            reader,
            first,
            visitor,
        } = main;
        let lost = &mut Beside {
            reader,
            first: *first,
            visitor: &mut Lost { visitor: *visitor },
        };
        self.finish(index, lost);
        self.all.remove(index);
        self.index();
    }

    /// Ends all of them, at the end of input.
    pub(super) fn end_all(&mut self, main: &mut Beside<'_>) {
        for index in 0..self.all.len() {
            self.finish(index, main);
        }
        self.all.clear();
        self.index();
    }

    /// Reads all of a strand.
    fn finish(&mut self, index: usize, main: &mut Beside<'_>) {
        self.read_one(index, true, main);
        if let Some(strand) = self.all.get_mut(index) {
            strand.pending = u64::MAX;
            main.reader.add_steps(strand.finder.window.steps());
            main.reader.take_over(&mut strand.finder.reader);
        }
    }

    /// A visitor for what is told of the lines of no strand.
    pub(super) fn in_order<'a>(&'a mut self, visitor: &'a mut dyn Visitor) -> InOrder<'a> {
        InOrder {
            before: self.first_pending(),
            early: &mut self.early,
            latest: &mut self.latest,
            prefix: None,
            visitor,
        }
    }

    /// Hands on what is told and stands before anything that is not decided.
    pub(super) fn hand_on(&mut self, main: u64, visitor: &mut dyn Visitor) {
        let first = self.first_pending().min(main);
        self.early.hand_on(first, visitor);
    }

    /// Where in the source the first thing stands that is not handed on.
    pub(super) fn first_told(&self) -> u64 {
        self.first_pending().min(self.early.first())
    }
}
