//! Strands: sources that are distinguished by the prefixes of their lines and read side by side.
//!
//! The lines of each *strand*, without the prefix, are read by a finder of its own, as if there were no other lines. A
//! line costs one look-up, however many strands there are. What the strands find is reported in the order of the
//! source.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::learner::WAIT_BYTES;
use super::order::{Early, InOrder};
use super::prefix::{Prefix, without_mark};
use super::reader::{Question, Reader, Unfinished};
use super::window::Window;
use super::{FindOptions, Finder, NESTED};
use crate::document::Visitor;
use jsift_json::scan::Scanner;

/// How many sources are read side by side.
pub const STRANDS: usize = 256;
/// How many bytes of other sources may come while a document of a strand is pending, before the strand is ended.
pub const HELD: u64 = 16 << 20;

/// All strands of a source. See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Strands {
    all: Vec<Strand>,
    /// The index of each strand, by the [key](PrefixOutline::key) of its prefix. There are too few strands for an
    /// attack on the hash to be worthwhile.
    by_prefix: FxHashMap<Vec<u8>, usize>,
    /// The outlines of all prefixes, the longest first.
    outlines: Vec<PrefixOutline>,
    /// The text offset from which on the strands are checked for silence.
    checked: u64,
    early: Early,
    /// The source offset of the latest report from the lines of no strand.
    latest: u64,
}

/// The main reader, which reads the lines of no strand.
pub(super) struct Beside<'a> {
    pub(super) reader: &'a mut Reader,
    /// The source offset of the first undecided thing in these lines.
    pub(super) first: u64,
    pub(super) visitor: &'a mut dyn Visitor,
}

/// A source that is recognised by its prefix.
#[derive(Debug)]
struct Strand {
    prefix: Prefix,
    finder: Box<Finder>,
    /// The text offset at which its last line ends.
    spoke: u64,
    /// Whether it has lines that are not read yet.
    fed: bool,
    /// The source offset of the first thing in it that is not decided; `u64::MAX` if there is none.
    pending: u64,
    /// The source offset of its latest report.
    latest: u64,
    /// Whether it is ended before the input ends.
    lost: bool,
}

/// The length of a prefix, and the indices of its bytes that may be other digits.
#[derive(Debug, PartialEq, Eq)]
struct PrefixOutline {
    length: usize,
    free: Vec<usize>,
    /// Whether the prefix belongs to a box.
    boxed: bool,
}

impl PrefixOutline {
    fn of(prefix: &Prefix) -> Self {
        let free = prefix.free().enumerate();
        Self {
            length: prefix.text().len(),
            free: free.filter_map(|(at, free)| free.then_some(at)).collect(),
            boxed: prefix.is_boxed(),
        }
    }

    /// Whether the prefix always has the same length, and no line end of its own.
    const fn is_regular(&self) -> bool {
        self.free.is_empty() && !self.boxed
    }

    /// Returns the first bytes of a line, with zeros for the digits that may change; `None` if the line is too short.
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

    /// Whether a prefix belongs to a box: then the strand of a line is known only once the line is there as a whole.
    pub(super) fn has_boxes(&self) -> bool {
        self.outlines.iter().any(|outline| outline.boxed)
    }

    /// Opens a strand, with the line from which its prefix was learned. `nested` says how many levels of strands there
    /// are around it.
    pub(super) fn open(
        &mut self,
        prefix: Prefix,
        question: &Question,
        window: &Window,
        options: &FindOptions,
        nested: u8,
    ) {
        let &Question {
            line,
            start,
            opened,
            about,
            ..
        } = question;
        let options = FindOptions {
            string: false,
            whole: false,
            prefixes: nested < NESTED,
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
        finder.nested = nested + 1;
        let thinking = about == Unfinished::Thinking;
        finder.begin_strand(window, start, (begin, end, opened), thinking);
        self.all.push(Strand {
            prefix,
            finder,
            spoke: opened,
            fed: true,
            pending: window.position(start).offset,
            latest: 0,
            lost: false,
        });
        self.index_one(self.all.len() - 1);
        self.checked = self.checked.min(opened + WAIT_BYTES);
    }

    /// Rebuilds the index.
    fn index(&mut self) {
        self.by_prefix.clear();
        self.outlines.clear();
        for index in 0..self.all.len() {
            self.index_one(index);
        }
    }

    fn index_one(&mut self, index: usize) {
        let Some(strand) = self.all.get(index) else {
            return;
        };
        let outline = PrefixOutline::of(&strand.prefix);
        // A prefix that is learned twice leads to the later strand.
        if let Some(key) = outline.key(strand.prefix.text()) {
            self.by_prefix.insert(key.into_owned(), index);
        }
        if !self.outlines.contains(&outline) {
            self.outlines.push(outline);
            let longest_first = |outline: &PrefixOutline| std::cmp::Reverse(outline.length);
            self.outlines.sort_by_key(longest_first);
        }
    }

    /// Returns the index of the strand to which a line belongs, and the part of the line inside the prefix.
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
        if self.outlines.iter().all(PrefixOutline::is_regular) && text.len() == line.len() {
            return None;
        }
        let mut all = self.all.iter().enumerate();
        all.find_map(|(index, strand)| Some((index, strand.prefix.inside(line)?)))
    }

    /// See [`Prefix::inside_cut`].
    pub(super) fn inside_cut(
        &self,
        index: usize,
        line: &[u8],
        shorter: usize,
    ) -> Option<Option<Range<usize>>> {
        self.all.get(index)?.prefix.inside_cut(line, shorter)
    }

    /// See [`Prefix::is_begun`].
    pub(super) fn is_begun(&self, index: usize, line: &[u8]) -> bool {
        let strand = self.all.get(index);
        strand.is_some_and(|strand| strand.prefix.is_begun(line))
    }

    /// Returns how many bytes all strands have looked at.
    pub(super) fn steps(&self) -> u64 {
        self.all.iter().map(|strand| strand.finder.steps()).sum()
    }

    /// Whether nothing is pending.
    pub(super) fn is_idle(&self) -> bool {
        self.all.is_empty() && self.early.first() == u64::MAX
    }

    /// Gives a strand the line from `start` to `end`, whose content is the part `inside` the prefix.
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
        if strand.pending == u64::MAX {
            strand.pending = window.position(start).offset;
        }
        window.pass(start, from);
        strand.finder.take_line(window, (from, to, end));
        strand.spoke = end;
        strand.fed = true;
    }

    /// Reads by itself a line inside a pending document; what it contains is reported after that document.
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
        finder.begin_strand(window, start, (start, end, end), false);
        let mut visitor = InOrder {
            early: &mut self.early,
            before: 0,
            latest: &mut 0,
            prefix: None,
            lost: false,
            visitor,
        };
        finder.read_strand(true, &mut visitor);
        reader.add_steps(finder.window.steps());
        reader.take_over(&mut finder.reader);
    }

    /// Returns the scanner of the candidate that the last line of a strand has opened, if it has opened one.
    pub(super) fn opened(&mut self, index: usize, main: &mut Beside<'_>) -> Option<Scanner> {
        self.read_one(index, false, main);
        let strand = self.all.get_mut(index)?;
        strand.finder.opened_last()
    }

    /// Returns the strand with the oldest last line if that is too long ago at the text offset `at`, or if there are
    /// too many strands.
    pub(super) fn overdue(&mut self, at: u64) -> Option<usize> {
        if at < self.checked && self.all.len() <= STRANDS {
            return None;
        }
        let oldest = self.all.iter().enumerate();
        let (index, oldest) = oldest.min_by_key(|(_, strand)| strand.spoke)?;
        self.checked = oldest.spoke + WAIT_BYTES + 1;
        (at >= self.checked || self.all.len() > STRANDS).then_some(index)
    }

    /// Returns the first strand that makes other sources wait for too long, at the source offset `at`.
    pub(super) fn holding(&self, at: u64) -> Option<usize> {
        self.all.iter().position(|strand| {
            let since = at.saturating_sub(strand.pending);
            since.saturating_sub(strand.finder.held()) > HELD
        })
    }

    /// Reads the lines that the strands were given, and reports what is next in the order of the source.
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

    /// Reads the lines that one strand was given.
    fn read_one(&mut self, index: usize, last: bool, main: &mut Beside<'_>) {
        let Some((earlier, [strand, later @ ..])) = self.all.split_at_mut_checked(index) else {
            return;
        };
        if !strand.fed && !last {
            return;
        }
        strand.fed = false;
        let others = earlier.iter().chain(later.iter());
        let others = others.map(|strand| strand.pending);
        let before = others.fold(main.first, u64::min);
        let Strand {
            prefix,
            finder,
            latest,
            lost,
            ..
        } = strand;
        let mut visitor = InOrder {
            early: &mut self.early,
            before,
            latest,
            prefix: Some(prefix.text()),
            lost: *lost,
            visitor: main.visitor,
        };
        finder.read_strand(last, &mut visitor);
        strand.pending = finder.first_of_strand();
        main.reader.note_told(&finder.reader);
    }

    /// Ends a strand before the end of input because its next line is taking too long.
    pub(super) fn end(&mut self, index: usize, main: &mut Beside<'_>) {
        if let Some(strand) = self.all.get_mut(index) {
            strand.lost = true;
        }
        self.finish(index, main);
        self.all.remove(index);
        self.index();
    }

    /// Ends all strands, at the end of input.
    pub(super) fn end_all(&mut self, main: &mut Beside<'_>) {
        for index in 0..self.all.len() {
            self.finish(index, main);
        }
        self.all.clear();
        self.index();
    }

    /// Reads a strand to its end.
    fn finish(&mut self, index: usize, main: &mut Beside<'_>) {
        self.read_one(index, true, main);
        if let Some(strand) = self.all.get_mut(index) {
            strand.pending = u64::MAX;
            main.reader.add_steps(strand.finder.window.steps());
            main.reader.take_over(&mut strand.finder.reader);
        }
    }

    /// Returns a visitor for the lines of no strand, which reports in the order of the source.
    pub(super) fn in_order<'a>(&'a mut self, visitor: &'a mut dyn Visitor) -> InOrder<'a> {
        InOrder {
            before: self.first_pending(),
            early: &mut self.early,
            latest: &mut self.latest,
            prefix: None,
            lost: false,
            visitor,
        }
    }

    /// Hands on what was reported early and is before everything undecided, in the strands and at `main`.
    pub(super) fn hand_on(&mut self, main: u64, visitor: &mut dyn Visitor) {
        let first = self.first_pending().min(main);
        self.early.hand_on(first, visitor);
    }

    /// Returns the source offset of the first thing that is not handed on.
    pub(super) fn first_told(&self) -> u64 {
        self.first_pending().min(self.early.first())
    }
}
