//! Sources that are told apart by their prefixes and read side by side.
//!
//! Each is a *strand*: its lines, without the prefix, are read by a finder of its own, which reads them as it would read
//! them alone. A line costs a look-up, however many strands there are. What they tell is put into the order in which it
//! stands in the source.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::head::Head;
use super::learner::{Learner, WAIT_BYTES};
use super::prefix::{Prefix, without_mark};
use super::reader::{Kept, Opened, Reader};
use super::thinking::End;
use super::window::Window;
use super::{Finder, Options};
use crate::document::{Document, Fault, FaultKind, Noise, Origin, Place, Rank, Stage, Visitor};
use crate::json::scan::Scanner;
use crate::span::Position;

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
    outlines: Vec<Outline>,
    /// Some prefixes may have another length on other lines, or stand in a box.
    irregular: usize,
    boxes: usize,
    /// From here on it is asked which strands have been silent for too long.
    checked: u64,
    told: Told,
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
struct Outline {
    length: usize,
    free: Vec<usize>,
}

impl Outline {
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
        options: &Options,
        nested: u8,
    ) {
        let &Learner {
            line,
            start,
            opened,
            about,
            ..
        } = learner;
        let options = Options {
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
        let thinking = about == Opened::Thinking;
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
        let outline = Outline::of(&strand.prefix);
        let boxed = strand.prefix.is_boxed();
        self.boxes += usize::from(boxed);
        self.irregular += usize::from(boxed || !outline.free.is_empty());
        // What is learned twice is the latter's.
        if let Some(key) = outline.key(strand.prefix.text()) {
            self.by_prefix.insert(key.into_owned(), index);
        }
        if !self.outlines.contains(&outline) {
            self.outlines.push(outline);
            let longest_first = |outline: &Outline| std::cmp::Reverse(outline.length);
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
        self.all.is_empty() && self.told.all.is_empty()
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
        let options = Options {
            string: false,
            whole: false,
            prefixes: false,
            ..reader.options().clone()
        };
        let mut finder = Finder::over(Window::new(), options);
        finder.head = Head::Over;
        finder.thinking = End::None;
        finder.take_line(window, (start, end, end));
        let mut visitor = InOrder {
            told: &mut self.told,
            before: 0,
            others: &[],
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
            told: &mut self.told,
            before,
            others: &[],
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
            before: u64::MAX,
            others: &self.all,
            told: &mut self.told,
            latest: &mut self.latest,
            prefix: None,
            visitor,
        }
    }

    /// Hands on what is told and stands before anything that is not decided.
    pub(super) fn hand_on(&mut self, main: u64, visitor: &mut dyn Visitor) {
        let first = self.first_pending().min(main);
        self.told.hand_on(first, visitor);
    }

    /// Where in the source the first thing stands that is not handed on.
    pub(super) fn first_told(&self) -> u64 {
        self.first_pending().min(self.told.first())
    }
}

/// What was told before its turn.
#[derive(Debug, Default)]
struct Told {
    /// By where it stands in the source, and which of several there it is.
    all: BTreeMap<(u64, u64), Spoken>,
    count: u64,
}

#[derive(Debug)]
enum Telling {
    /// With its [parts](Document::parts), if they are wanted.
    Document(Rank, Kept, Vec<Range<u64>>),
    Fault(Fault),
    Noise(Position, Vec<u8>),
}

/// The prefix of a strand, with what is told of it.
type Spoken = (Option<Box<[u8]>>, Telling);

impl Told {
    fn keep(&mut self, at: u64, prefix: Option<&[u8]>, telling: Telling) {
        self.count += 1;
        let telling = (prefix.map(Box::from), telling);
        self.all.insert((at, self.count), telling);
    }

    fn first(&self) -> u64 {
        self.all.keys().next().map_or(u64::MAX, |(at, _)| *at)
    }

    /// Hands on what stands before `first`, in its order.
    fn hand_on(&mut self, first: u64, visitor: &mut dyn Visitor) {
        while self.first() < first
            && let Some((_, (prefix, telling))) = self.all.pop_first()
        {
            visitor.behind(prefix.as_deref());
            match telling {
                Telling::Document(rank, kept, parts) => visitor.document(Document {
                    text: &kept.text,
                    rank,
                    compact: kept.compact,
                    lossy: kept.lossy,
                    place: &Apart {
                        origin: kept.origin,
                        parts,
                    },
                    layout: None,
                }),
                Telling::Fault(fault) => visitor.fault(fault),
                Telling::Noise(position, text) => visitor.noise(Noise {
                    text: &text,
                    position: &|| position,
                }),
            }
            visitor.behind(None);
        }
    }
}

/// Puts what is told into the order in which it stands in the source.
pub(super) struct InOrder<'a> {
    told: &'a mut Told,
    /// What stands before this place of the source, and before what is pending of these, is in order as it comes.
    before: u64,
    others: &'a [Strand],
    /// Where that stands which came last: a fault may come behind what it holds.
    latest: &'a mut u64,
    /// What stood before the lines, if they are those of a strand.
    prefix: Option<&'a [u8]>,
    visitor: &'a mut dyn Visitor,
}

impl InOrder<'_> {
    /// Where in the order what stands there comes, if it is not next.
    fn place(&mut self, at: u64) -> Option<u64> {
        let at = at.max(*self.latest);
        *self.latest = at;
        if at >= self.before || self.others.iter().any(|strand| at >= strand.pending) {
            return Some(at);
        }
        // What has waited for others at this very place was told before.
        self.told.hand_on(at + 1, self.visitor);
        None
    }

    /// Tells what is next.
    fn tell(&mut self, tell: impl FnOnce(&mut dyn Visitor)) {
        self.visitor.behind(self.prefix);
        tell(self.visitor);
        self.visitor.behind(None);
    }
}

impl Visitor for InOrder<'_> {
    fn document(&mut self, document: Document<'_>) {
        let at = document.position().offset;
        let place = Behind {
            prefix: self.prefix,
            length: document.text.len() as u64,
            place: document.place,
        };
        let Some(at) = self.place(at) else {
            let document = Document {
                place: &place,
                ..document
            };
            return self.tell(|visitor| visitor.document(document));
        };
        let kept = Kept {
            text: document.text.to_vec(),
            origin: place.origin(),
            compact: document.compact,
            lossy: document.lossy,
        };
        let parts = match self.visitor.wants_parts() {
            true => place.parts(),
            false => Vec::new(),
        };
        let telling = Telling::Document(document.rank, kept, parts);
        self.told.keep(at, self.prefix, telling);
    }

    fn fault(&mut self, mut fault: Fault) {
        fault.prefixed |= self.prefix.is_some();
        // The fault of a fence that has handed documents on comes after them, where the fence stopped.
        let at = match fault.position.offset {
            told if told < *self.latest => fault.stop.offset,
            at => at,
        };
        match self.place(at) {
            None => self.tell(|visitor| visitor.fault(fault)),
            Some(at) => self.told.keep(at, self.prefix, Telling::Fault(fault)),
        }
    }

    fn noise(&mut self, noise: Noise<'_>) {
        let position = noise.position();
        match self.place(position.offset) {
            None => self.tell(|visitor| visitor.noise(noise)),
            Some(at) => {
                let telling = Telling::Noise(position, noise.text.to_vec());
                self.told.keep(at, self.prefix, telling);
            }
        }
    }

    fn wants_noise(&self) -> bool {
        self.visitor.wants_noise()
    }

    fn wants_parts(&self) -> bool {
        self.visitor.wants_parts()
    }
}

/// Is told of a strand of which no more comes, although the input has not ended.
struct Lost<'a> {
    visitor: &'a mut dyn Visitor,
}

impl Visitor for Lost<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.visitor.document(document);
    }

    fn fault(&mut self, mut fault: Fault) {
        if fault.kind == FaultKind::Truncated {
            fault.kind = FaultKind::Broken;
            fault.reason = "its next line does not come";
        }
        self.visitor.fault(fault);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.visitor.noise(noise);
    }

    fn behind(&mut self, prefix: Option<&[u8]>) {
        self.visitor.behind(prefix);
    }

    fn wants_noise(&self) -> bool {
        self.visitor.wants_noise()
    }

    fn wants_parts(&self) -> bool {
        self.visitor.wants_parts()
    }
}

/// The place of a document whose lines stood behind a prefix.
#[derive(Debug)]
struct Behind<'a> {
    prefix: Option<&'a [u8]>,
    /// How long the document is without it. What stands on one line is as long with it.
    length: u64,
    place: &'a dyn Place,
}

impl Place for Behind<'_> {
    fn origin(&self) -> Origin {
        let origin = self.place.origin();
        match self.prefix {
            Some(prefix)
                if origin.prefix.is_none()
                    && (origin.length > self.length || origin.stage == Stage::Fence) =>
            {
                Origin {
                    prefix: Some(prefix.to_vec()),
                    ..origin
                }
            }
            _ => origin,
        }
    }

    fn position(&self) -> Position {
        self.place.position()
    }

    fn stage(&self) -> Stage {
        self.place.stage()
    }

    fn parts(&self) -> Vec<Range<u64>> {
        self.place.parts()
    }
}

/// The place of a document that was told before its turn.
#[derive(Debug)]
struct Apart {
    origin: Origin,
    parts: Vec<Range<u64>>,
}

impl Place for Apart {
    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    fn position(&self) -> Position {
        self.origin.position
    }

    fn stage(&self) -> Stage {
        self.origin.stage
    }

    fn parts(&self) -> Vec<Range<u64>> {
        self.parts.clone()
    }
}
