//! Substreams: sources that are distinguished by the prefixes of their lines and read side by side.
//!
//! The lines of each *substream*, without the prefix, are read by a finder of its own, as if there were no other lines.
//! A line costs one look-up, however many substreams there are. What the substreams find is reported in the order of
//! the source.
//!
//! The text of a *writer* that records name is a substream, too; it never comes into the main text (see `writers`).

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::index::{PrefixIndex, Serial};
use super::learner::WAIT_BYTES;
use super::order::{Early, InOrder};
use super::reader::{Question, Reader, Unfinished};
use super::window::Window;
use super::{FindOptions, Finder, NESTED};
use crate::document::Visitor;
use crate::input::{Piece, Writer};
use crate::prefix::Prefix;
use jsift_json::cost;
use jsift_json::scan::Scanner;

/// How many sources are read side by side.
pub const SUBSTREAMS: usize = 256;
/// How many bytes of other sources may come while a document of a substream is pending, before the substream is ended.
pub const HELD: u64 = 16 << 20;

/// All substreams of a source. See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Substreams {
    /// The substreams by their serials, in ascending order.
    all: Vec<Substream>,
    by_prefix: PrefixIndex,
    by_writer: FxHashMap<Writer, Serial>,
    /// The serial of the last substream that was opened.
    latest_serial: Serial,
    /// The substreams in which something is pending, by the source offset of the first such thing.
    pending: BTreeSet<(u64, Serial)>,
    /// The offset from which on the substreams of each kind are checked for silence.
    checked: [u64; 2],
    early: Early,
    /// The source offset of the latest report from the lines of no substream.
    latest: u64,
}

/// The main reader, which reads the lines of no substream.
pub(super) struct Alongside<'a> {
    pub(super) reader: &'a mut Reader,
    /// The source offset of the first undecided thing in these lines.
    pub(super) first: u64,
    pub(super) visitor: &'a mut dyn Visitor,
}

/// A source that is recognised by its prefix.
#[derive(Debug)]
struct Substream {
    serial: Serial,
    owner: LineOwner,
    finder: Box<Finder>,
    /// The offset of its last line, as its [kind](OwnerKind) counts.
    wrote: u64,
    /// Whether it has lines that are not read yet.
    fed: bool,
    /// The source offset of the first thing in it that is not decided; `u64::MAX` if there is none.
    pending: u64,
    /// The source offset of its latest report.
    latest: u64,
    /// Whether it is ended before the input ends.
    ended_early: bool,
}

/// What the lines of a substream have in common.
#[derive(Debug)]
enum LineOwner {
    Prefix(Prefix),
    Writer(Writer),
}

/// How the lines of a substream are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerKind {
    /// By their prefix, in the main text: offsets are those of the main text.
    Prefix,
    /// By what a record says: offsets are those of the source.
    Writer,
}

impl LineOwner {
    const fn kind(&self) -> OwnerKind {
        match self {
            Self::Prefix(_) => OwnerKind::Prefix,
            Self::Writer(_) => OwnerKind::Writer,
        }
    }

    const fn prefix(&self) -> Option<&Prefix> {
        match self {
            Self::Prefix(prefix) => Some(prefix),
            Self::Writer(_) => None,
        }
    }
}

impl Substreams {
    /// Whether no line of the main text belongs to a substream.
    pub(super) fn is_empty(&self) -> bool {
        self.all.len() == self.by_writer.len()
    }

    /// Whether a prefix belongs to a box: then the content of a line is known only once the line is there as a whole.
    pub(super) const fn has_boxes(&self) -> bool {
        self.by_prefix.has_boxes()
    }

    /// Opens a substream, with the line from which its prefix was learned. `nested` says how many levels of substreams
    /// there are around it.
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
            prefixes: nested < NESTED,
            ..options.of_part()
        };
        let mut finder = Box::new(Finder::over(Window::new(), options));
        let text = window.slice(line, opened);
        let inside = prefix.inside(text).unwrap_or_default();
        let begin = (line + inside.start as u64).min(start).max(line);
        let end = match inside.end {
            // The line does not carry its own prefix.
            0 => opened,
            end => line + end as u64,
        };
        finder.nested = nested + 1;
        finder.take_lines_before(window, (line, start), &prefix);
        let thinking = about == Unfinished::Thinking;
        finder.begin_substream(window, start, (begin, end, opened), thinking);
        self.by_prefix.add(self.latest_serial + 1, &prefix);
        self.add(LineOwner::Prefix(prefix), finder, opened);
        self.set_pending(self.all.len() - 1, window.position(start).offset);
    }

    fn add(&mut self, owner: LineOwner, finder: Box<Finder>, wrote: u64) {
        self.latest_serial += 1;
        if let Some(checked) = self.checked.get_mut(owner.kind() as usize) {
            *checked = (*checked).min(wrote + WAIT_BYTES);
        }
        self.all.push(Substream {
            serial: self.latest_serial,
            owner,
            finder,
            wrote,
            fed: true,
            pending: u64::MAX,
            latest: 0,
            ended_early: false,
        });
    }

    /// Returns the index of the substream to which a line belongs, and the part of the line inside the prefix.
    pub(super) fn owner(&self, line: &[u8]) -> Option<(usize, Range<usize>)> {
        self.by_prefix.find(line, |serial| {
            let index = self.index_of(serial)?;
            Some((index, self.prefix(index)?.inside(line)?))
        })
    }

    /// Whether a writer has a substream.
    pub(super) fn has_writer(&self, writer: Writer) -> bool {
        self.by_writer.contains_key(&writer)
    }

    /// Opens the substream of a writer, whose text begins at the source offset `at`.
    pub(super) fn open_writer(&mut self, writer: Writer, finder: Finder, at: u64) {
        self.add(LineOwner::Writer(writer), Box::new(finder), at);
        self.by_writer.insert(writer, self.latest_serial);
    }

    /// Gives the substream of a writer its next text.
    pub(super) fn give_writer(&mut self, writer: Writer, piece: Piece<'_>) {
        let serial = self.by_writer.get(&writer);
        let Some(index) = serial.and_then(|serial| self.index_of(*serial)) else {
            return;
        };
        if let Some(substream) = self.all.get_mut(index) {
            substream.finder.window.add(piece);
            substream.wrote = piece.offset;
            substream.fed = true;
            if substream.pending == u64::MAX {
                self.set_pending(index, piece.offset);
            }
        }
    }

    /// Whether the text of a substream may still turn out to be thinking.
    pub(super) fn may_be_thinking(&self) -> bool {
        let mut all = self.all.iter();
        all.any(|substream| substream.finder.may_be_thinking())
    }

    /// Whether there are more substreams of a kind than are read side by side.
    pub(super) fn are_too_many(&self, kind: OwnerKind) -> bool {
        let count = match kind {
            OwnerKind::Prefix => self.all.len() - self.by_writer.len(),
            OwnerKind::Writer => self.by_writer.len(),
        };
        count > SUBSTREAMS
    }

    /// Returns the prefix of a substream.
    pub(super) fn prefix(&self, index: usize) -> Option<&Prefix> {
        self.all.get(index)?.owner.prefix()
    }

    /// Whether there is no substream, and no finding that waits to be handed on.
    pub(super) fn is_idle(&self) -> bool {
        self.all.is_empty() && self.early.first() == u64::MAX
    }

    /// Gives a substream the line from `start` to `end`, whose content is the part `inside` the prefix.
    pub(super) fn give(
        &mut self,
        (index, inside): (usize, Range<usize>),
        (start, end): (u64, u64),
        window: &Window,
    ) {
        let Some(substream) = self.all.get_mut(index) else {
            return;
        };
        let begins = (substream.pending == u64::MAX).then(|| window.position(start).offset);
        let (from, to) = (start + inside.start as u64, start + inside.end as u64);
        window.pass(start, from);
        substream.finder.take_line(window, (from, to, end));
        substream.wrote = end;
        substream.fed = true;
        if let Some(begins) = begins {
            self.set_pending(index, begins);
        }
    }

    /// Reads a foreign line inside a pending document separately; what it contains is reported after that document.
    pub(super) fn read_apart(
        &mut self,
        (start, end): (u64, u64),
        window: &Window,
        reader: &mut Reader,
        visitor: &mut dyn Visitor,
    ) {
        let options = FindOptions {
            prefixes: false,
            ..reader.options().of_part()
        };
        let mut finder = Finder::over(Window::new(), options);
        finder.begin_substream(window, start, (start, end, end), false);
        let mut visitor = InOrder {
            early: &mut self.early,
            before: 0,
            latest: &mut 0,
            prefix: None,
            ended_early: false,
            visitor,
        };
        finder.read_substream(true, &mut visitor);
        reader.take_over(&mut finder.reader);
    }

    /// Returns the scanner of the candidate that the last line of a substream has opened, if it has opened one.
    pub(super) fn opened_last(
        &mut self,
        index: usize,
        main: &mut Alongside<'_>,
    ) -> Option<Scanner> {
        self.read_one(index, false, main);
        let substream = self.all.get_mut(index)?;
        substream.finder.opened_last()
    }

    /// Returns the substream of a kind with the oldest last line if that is too long ago at the offset `at`, or if
    /// there are too many of the kind.
    pub(super) fn overdue(&mut self, kind: OwnerKind, at: u64) -> Option<usize> {
        let too_many = self.are_too_many(kind);
        let checked = self.checked.get_mut(kind as usize)?;
        if at < *checked && !too_many {
            return None;
        }
        cost::search(8 * self.all.len());
        let all = self.all.iter().enumerate();
        let of_kind = all.filter(|(_, substream)| substream.owner.kind() == kind);
        let wrote = of_kind.map(|(index, substream)| (index, substream.wrote));
        let (index, wrote) = wrote.min_by_key(|(_, wrote)| *wrote)?;
        *checked = wrote + WAIT_BYTES + 1;
        (at >= *checked || too_many).then_some(index)
    }

    /// Returns the index of a substream; `None` if it was ended.
    fn index_of(&self, serial: Serial) -> Option<usize> {
        let found = (self.all).binary_search_by_key(&serial, |substream| substream.serial);
        found.ok()
    }

    /// Notes the source offset of the first thing in a substream that is not decided; `u64::MAX` if there is none.
    fn set_pending(&mut self, index: usize, at: u64) {
        let Some(substream) = self.all.get_mut(index) else {
            return;
        };
        self.pending.remove(&(substream.pending, substream.serial));
        substream.pending = at;
        if at < u64::MAX {
            self.pending.insert((at, substream.serial));
        }
    }

    /// Returns the first substream that makes other sources wait for too long, at the source offset `at`. Its own
    /// pending text does not count.
    pub(super) fn holding(&self, at: u64) -> Option<usize> {
        self.all.iter().position(|substream| {
            let since = at.saturating_sub(substream.pending);
            since.saturating_sub(substream.finder.held()) > HELD
        })
    }

    /// Returns the substream that holds up too many findings of others. If the lines of no substream do, whose first
    /// undecided thing is at the source offset `main`, the findings are handed on out of order.
    pub(super) fn holding_up(&mut self, main: u64, visitor: &mut dyn Visitor) -> Option<usize> {
        if self.early.held() <= HELD {
            return None;
        }
        let first = self.pending.first().filter(|(at, _)| *at < main);
        if first.is_none() {
            self.early.hand_on(u64::MAX, visitor);
        }
        first.and_then(|(_, serial)| self.index_of(*serial))
    }

    /// Reads the lines that the substreams were given, and reports what is next in the order of the source.
    pub(super) fn read(&mut self, main: &mut Alongside<'_>) {
        for index in 0..self.all.len() {
            self.read_one(index, false, main);
        }
        self.hand_on(main.first, main.visitor);
    }

    /// Returns the source offset of the first thing that is not decided in any substream.
    fn first_pending(&self) -> u64 {
        self.pending.first().map_or(u64::MAX, |(at, _)| *at)
    }

    /// Reads the lines that one substream was given.
    fn read_one(&mut self, index: usize, last: bool, main: &mut Alongside<'_>) {
        let substream = self.all.get_mut(index);
        let Some(substream) = substream.filter(|substream| substream.fed || last) else {
            return;
        };
        let mut others = self.pending.iter();
        let others = others.find(|(_, other)| *other != substream.serial);
        substream.fed = false;
        let mut visitor = InOrder {
            early: &mut self.early,
            before: others.map_or(main.first, |(at, _)| main.first.min(*at)),
            latest: &mut substream.latest,
            prefix: substream.owner.prefix().map(Prefix::text),
            ended_early: substream.ended_early,
            visitor: main.visitor,
        };
        substream.finder.read_substream(last, &mut visitor);
        main.reader.note_reported(&substream.finder.reader);
        let pending = substream.finder.first_of_substream();
        self.set_pending(index, pending);
    }

    /// Ends a substream before the end of input because its next line is taking too long.
    pub(super) fn end(&mut self, index: usize, main: &mut Alongside<'_>) {
        if let Some(substream) = self.all.get_mut(index) {
            substream.ended_early = true;
        }
        self.finish(index, main);
        let substream = self.all.remove(index);
        match substream.owner {
            LineOwner::Prefix(prefix) => self.by_prefix.remove(substream.serial, &prefix),
            LineOwner::Writer(writer) => _ = self.by_writer.remove(&writer),
        }
    }

    /// Ends all substreams, at the end of input.
    pub(super) fn end_all(&mut self, main: &mut Alongside<'_>) {
        for index in 0..self.all.len() {
            self.finish(index, main);
        }
        self.all.clear();
        self.by_prefix = PrefixIndex::default();
        self.by_writer.clear();
    }

    /// Reads a substream to its end.
    fn finish(&mut self, index: usize, main: &mut Alongside<'_>) {
        self.read_one(index, true, main);
        if let Some(substream) = self.all.get_mut(index) {
            main.reader.take_over(&mut substream.finder.reader);
        }
    }

    /// Returns a visitor for the lines of no substream, which reports in the order of the source.
    pub(super) fn in_order<'a>(&'a mut self, visitor: &'a mut dyn Visitor) -> InOrder<'a> {
        InOrder {
            before: self.first_pending(),
            early: &mut self.early,
            latest: &mut self.latest,
            prefix: None,
            ended_early: false,
            visitor,
        }
    }

    /// Hands on what was reported early and is before everything undecided, in the substreams and at `main`.
    pub(super) fn hand_on(&mut self, main: u64, visitor: &mut dyn Visitor) {
        let first = self.first_pending().min(main);
        self.early.hand_on(first, visitor);
    }

    /// Returns the source offset of the first thing that is not handed on.
    pub(super) fn first_not_handed_on(&self) -> u64 {
        self.first_pending().min(self.early.first())
    }
}
