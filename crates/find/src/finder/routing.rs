//! Distributes lines to the substreams; and the methods of [`Finder`] that substreams call.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::bracket::left_open;
use super::head::Head;
use super::learner::WAIT_BYTES;
use super::substreams::OwnerKind;
use super::thinking::ThinkingEnd;
use super::window::Window;
use super::{Finder, Inside};
use crate::document::Visitor;
use crate::prefix::{Change, Prefix};
use jsift_json::scan::{Scanner, Step};

/// After how many bytes it is checked again how much text and how many findings wait for a substream. A longer line is
/// read in parts.
const WEIGHED: u64 = 1 << 14;
/// How many bytes of a line are enough to decide which substream owns it.
const OWNER_KNOWN_AFTER: usize = 1024;

/// Lines that may continue what the last line of a substream has opened, although they carry less than its prefix, or
/// nothing of it.
#[derive(Debug)]
pub(super) enum Bare {
    /// The line before belongs to the substream with this index.
    After(usize),
    Lines(Box<BareLines>),
}

/// Lines that are read on trial.
#[derive(Debug)]
pub(super) struct BareLines {
    substream: usize,
    /// The scanner as it was after the line before.
    begun: Scanner,
    /// By how many cuts the lines carry less than the prefix.
    shorter: usize,
    /// The content of each line that was read, as the start, the range inside it and the end.
    lines: Vec<(u64, Range<usize>, u64)>,
    /// What has read these lines.
    scanner: Scanner,
    /// The start of the next line.
    at: u64,
}

impl Finder {
    /// Gives lines to their substreams up to and including the first line that belongs to none, which the reader may
    /// then see. Returns whether there is such a line.
    pub(super) fn show_next(&mut self, last: bool, visitor: &mut dyn Visitor) -> bool {
        let first = self.next;
        let shown = self.distribute(last, visitor);
        self.window.set_aside(first, shown.unwrap_or(self.next));
        self.window.show_until(self.next);
        shown.is_some()
    }

    /// Gives lines to their substreams. Returns the place of the first line, or part of one, that belongs to none;
    /// `next` is after it then. `None` if there is none yet.
    fn distribute(&mut self, last: bool, visitor: &mut dyn Visitor) -> Option<u64> {
        loop {
            if !matches!(self.inside, Inside::Substream(_)) {
                self.end_overdue(OwnerKind::Prefix, self.next, visitor);
            }
            // The end of a line shows whether it belongs to a box.
            let boxes = self.inside == Inside::Nothing && self.substreams.has_boxes();
            let most = if boxes { usize::MAX } else { WEIGHED as usize };
            let rest = self.window.all_from(self.next);
            let rest = rest.get(..most).unwrap_or(rest);
            let feed = memchr(b'\n', rest);
            let length = feed.map_or(rest.len(), |feed| feed + 1);
            let boxed = boxes && length as u64 <= WAIT_BYTES;
            let is_known = feed.is_some() || last || (length >= OWNER_KNOWN_AFTER && !boxed);
            if length == 0 || (self.inside == Inside::Nothing && !is_known) {
                return None;
            }
            let (start, end) = (self.next, self.next + length as u64);
            let owner = match self.inside {
                Inside::Nothing => {
                    let line = rest.get(..length).unwrap_or(rest);
                    let owner = self.substreams.owner(line);
                    if self.may_be_bare(line, owner.as_ref().map(|(index, _)| *index))
                        && self.take_bare(last, visitor)?
                    {
                        continue;
                    }
                    let index = owner.as_ref().map(|(index, _)| *index);
                    if let Some(owner) = owner {
                        self.bare = Some(Bare::After(owner.0));
                        let from = start + owner.1.start as u64;
                        self.substreams.give(owner, (start, end), &self.window);
                        if feed.is_some() {
                            self.window.pass_lines(from, 1, end, end);
                        }
                    }
                    index
                }
                Inside::Substream(index) => {
                    self.substreams
                        .give((index, 0..length), (start, end), &self.window);
                    Some(index)
                }
                Inside::Main => None,
            };
            self.next = end;
            self.inside = match (feed, owner) {
                (Some(_), _) => Inside::Nothing,
                (None, Some(index)) => Inside::Substream(index),
                (None, None) => Inside::Main,
            };
            if owner.is_none() {
                return Some(start);
            }
        }
    }

    /// Whether a line, of the substream `owner` if any, may continue what the last line of another substream has
    /// opened.
    fn may_be_bare(&self, line: &[u8], owner: Option<usize>) -> bool {
        match (&self.bare, owner) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(Bare::Lines(_)), Some(_)) => true,
            (Some(Bare::After(substream)), Some(owner)) => {
                // Other digits may be the number of the owner.
                let begun = |prefix: &Prefix| prefix.is_begun(line, Change::Stamps);
                *substream != owner && self.substreams.prefix(*substream).is_some_and(begun)
            }
        }
    }

    /// Gives a substream the lines that carry less than its prefix and complete what its last line has opened; they are
    /// preferred to later lines with the prefix. Returns whether such lines start at `next`; `None` if that needs more
    /// text.
    fn take_bare(&mut self, last: bool, visitor: &mut dyn Visitor) -> Option<bool> {
        let mut bare = match self.bare.take()? {
            Bare::Lines(bare) => bare,
            Bare::After(substream) => {
                let (substreams, mut main) = self.alongside(visitor);
                let Some(begun) = substreams.opened_last(substream, &mut main) else {
                    return Some(false);
                };
                Box::new(BareLines {
                    substream,
                    scanner: begun.clone(),
                    begun,
                    shorter: 1,
                    lines: Vec::new(),
                    at: self.next,
                })
            }
        };
        loop {
            let Some(line) = self.window.line_at(bare.at, WAIT_BYTES, last) else {
                self.bare = Some(Bare::Lines(bare));
                return None;
            };
            let prefix = self.substreams.prefix(bare.substream);
            let Some(prefix) = prefix.filter(|prefix| bare.shorter <= prefix.shorter_cuts()) else {
                return Some(false);
            };
            let inside = prefix.inside_cut(line, bare.shorter);
            let end = bare.at + line.len() as u64;
            let ended = last && !line.ends_with(b"\n");
            let step = match inside.filter(|_| !line.is_empty() && end - self.next <= WAIT_BYTES) {
                None => Step::Broken("another line"),
                Some(inside) => {
                    let content = line.get(inside.clone()).unwrap_or_default();
                    let from = bare.at + inside.start as u64;
                    bare.lines.push((bare.at, inside, end));
                    bare.scanner.scan(content, from, ended).1
                }
            };
            bare.at = end;
            match step {
                Step::More => {}
                Step::Complete => break,
                Step::Broken(_) => {
                    bare.shorter += 1;
                    bare.lines.clear();
                    bare.scanner = bare.begun.clone();
                    bare.at = self.next;
                }
            }
        }
        for (start, inside, end) in bare.lines {
            self.substreams
                .give((bare.substream, inside), (start, end), &self.window);
            self.next = end;
        }
        Some(true)
    }

    /// Returns the scanner of what the last line has opened: the pending candidate, a bracket in it, or one in other
    /// text that is undecided.
    pub(super) fn opened_last(&mut self) -> Option<Scanner> {
        let begun = self.reader.candidate_begun();
        let start = begun.map_or_else(|| self.reader.pending(), |(start, _)| start);
        let text = self.window.all_from(start).strip_suffix(b"\n")?;
        let length = memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        let line = start + length as u64;
        let opened = match begun {
            Some((_, scanner)) if line == start => return Some(scanner.clone()),
            Some((_, scanner)) => scanner.last_open(),
            None => line + left_open(text.get(length..)?)? as u64,
        };
        let opened = Some(opened).filter(|&opened| opened >= line)?;
        let mut scanner = Scanner::new(self.reader.options().lossy);
        let (_, step) = scanner.scan(self.window.all_from(opened), opened, false);
        (step == Step::More).then_some(scanner)
    }

    /// Ends substreams of a kind that got no line for too long before the offset `at`, those that hold the others up,
    /// and those that are too many.
    pub(super) fn end_overdue(&mut self, kind: OwnerKind, at: u64, visitor: &mut dyn Visitor) {
        loop {
            let mut overdue = self.substreams.overdue(kind, at);
            let weighed = self.weighed.get_mut(kind as usize);
            if let Some(weighed) = weighed.filter(|weighed| overdue.is_none() && at >= **weighed) {
                *weighed = (at / WEIGHED + 1) * WEIGHED;
                let (substreams, mut main) = self.alongside(visitor);
                substreams.read(&mut main);
                let main = self.first_of_reader();
                overdue = self.substreams.holding(match kind {
                    OwnerKind::Prefix => self.window.position_ahead(at).offset,
                    OwnerKind::Writer => at,
                });
                overdue = overdue.or_else(|| self.substreams.holding_up(main, visitor));
            }
            let Some(index) = overdue else {
                return;
            };
            let (substreams, mut main) = self.alongside(visitor);
            substreams.end(index, &mut main);
            // The index in it may be that of another substream now.
            self.bare = None;
        }
    }

    /// Whether it is time to look for substreams of writers that are to be ended before the source offset `at`.
    pub(super) fn may_be_overdue(&self, at: u64) -> bool {
        let [_, weighed] = self.weighed;
        at >= weighed || self.substreams.are_too_many(OwnerKind::Writer)
    }

    /// Takes the lines before the first line of a substream that carry its prefix, which have been read: what the
    /// substream opens may be the rest of something that they contain.
    pub(super) fn take_lines_before(
        &mut self,
        window: &Window,
        (line, opening): (u64, u64),
        prefix: &Prefix,
    ) {
        let mut start = opening - window.lines_before(opening).len() as u64;
        let before = window.slice(start, line.max(start));
        for text in before.split_inclusive(|&byte| byte == b'\n') {
            let end = start + text.len() as u64;
            if let Some(inside) = prefix.inside(text) {
                let (from, to) = (start + inside.start as u64, start + inside.end as u64);
                self.take_line(window, (from, to, end));
            }
            start = end;
        }
    }

    /// Starts reading a substream with its first `line`, given as places in `window` as for
    /// [`take_line`](Self::take_line). Everything on it before the opening at `start` is noise.
    pub(super) fn begin_substream(
        &mut self,
        window: &Window,
        start: u64,
        line: (u64, u64, u64),
        thinking: bool,
    ) {
        let opening = self.window.all_end() + (start - line.0);
        self.thinking = ThinkingEnd::None;
        self.head = match thinking {
            true => Head::new(opening),
            false => Head::Over,
        };
        self.take_line(window, line);
        self.reader.begin_at(opening);
    }

    /// Takes the next line of a substream, or a part of it. In `window` the text without its prefix goes from `from` to
    /// `to`; only the side of a box and a line feed follow it, up to `end`.
    pub(super) fn take_line(&mut self, window: &Window, (from, to, end): (u64, u64, u64)) {
        let begin = self.window.all_end();
        self.window.push_from(window, from, end);
        let feed = u64::from(window.slice(end - 1, end) == b"\n");
        if to + feed < end {
            let side = self.window.all_end() - feed;
            self.window.set_aside(begin + (to - from), side);
        }
    }

    /// Reads the lines that were taken.
    pub(super) fn read_substream(&mut self, last: bool, visitor: &mut dyn Visitor) {
        self.advance(last, visitor);
        if last {
            self.settle(visitor);
        }
    }

    /// Returns how many bytes of text are pending.
    pub(super) fn held(&self) -> u64 {
        self.window.all_end() - self.reader.first_pending()
    }

    /// Returns the source offset of the first thing that was not handed on yet, by this finder or a substream in it.
    pub(super) fn first_of_substream(&self) -> u64 {
        self.first_of_reader()
            .min(self.substreams.first_not_handed_on())
    }

    /// Returns the source offset of the first thing in the reader that is undecided, unreported or unread.
    pub(super) fn first_of_reader(&self) -> u64 {
        let first = self.reader.first_unreported();
        let first = match self.reader.held_at() {
            Some(at) => at.offset,
            None if first == self.window.all_end() => u64::MAX,
            None => self.window.position(first).offset,
        };
        // A fault of a fence is reported at the position of its marks.
        let fence = self.reader.fence_at(&self.window);
        fence.map_or(first, |marks| marks.offset.min(first))
    }
}
