//! The writers of a source. Runs that write at the same time, or one after the other, are distinguished by the prefix
//! that a supervisor puts before their lines (`agent-1  | `, `[pod/a/app] `, a job and its step).
//!
//! Each writer has a reader of its own, so that its records are read as if they were alone. A prefix that changes for
//! another reason, such as a level or a number, makes no new writer: the name has to be set off like the known names,
//! or a run has to start after it.

use std::cell::OnceCell;
use std::collections::VecDeque;

use memchr::{memchr_iter, memchr2};
use rustc_hash::FxHashMap;

use super::name::{SourceName, Stamped, is_same_but_for_digits, stable};
use crate::dialect::reader::RecordReader;
use jsift_find::prefix::{Left, PREFIX_LIMIT, stands_apart};

/// The maximum number of writers.
const WRITERS: usize = 256;
/// The maximum number of texts before records that are remembered.
const REMEMBERED: usize = 1024;
/// The maximum length of such a text in bytes: most lines of noise are longer.
const SHORT: usize = 64;
/// The maximum number of texts with time stamps that are remembered.
const STAMPED: usize = 16;

/// One writer of a source.
#[derive(Default)]
pub(super) struct Writer {
    name: Option<SourceName>,
    pub(super) reader: RecordReader,
    /// A known message that may continue in the writer's next line.
    pub(super) wrapped: Vec<u8>,
    /// The number of the writer's documents that were, or may be, records.
    records: u64,
    before: Option<Before>,
}

/// The text before a writer's records, whether it names the writer or not.
struct Before {
    text: Stamped,
    /// The prefix, once it is compared with lines whose digits differ.
    left: OnceCell<Left>,
    /// Whether digits other than those of time stamps have changed from record to record.
    counts: bool,
}

impl Before {
    fn of(left: &[u8]) -> Self {
        Self {
            text: Stamped::of(left),
            left: OnceCell::new(),
            counts: false,
        }
    }

    /// Notes the text before another record. Returns whether it is this text but for digits.
    fn is_again(&mut self, left: &[u8]) -> bool {
        if self.text.is(left) {
            return true;
        }
        let again = is_same_but_for_digits(&self.text.text, left);
        self.counts |= again;
        again
    }

    /// Returns the rest of a line after the text; `None` if it does not start with it.
    fn after<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
        let counted = || self.counts.then(|| self.carried(line)).flatten();
        self.text.after(line).or_else(counted)
    }

    /// Returns the rest of a line after the text, in which any digits may differ; `None` if it does not start with it.
    fn carried<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
        let left = self.left.get_or_init(|| Left::new(&self.text.text));
        left.after(line)
    }
}

/// The writers of a source, at least one.
#[derive(Default)]
pub(super) struct Writers {
    pub(super) all: Vec<Writer>,
    /// The writer of the last record.
    pub(super) current: usize,
    /// Whether the text before the last document does not name its writer.
    guessed: bool,
    /// The writers of the records after these texts: most texts occur again.
    remembered: FxHashMap<Vec<u8>, usize>,
    /// The writer of the records with no text before them.
    bare: Option<usize>,
    /// The writers of the records after texts with time stamps, which differ the next time.
    stamped: VecDeque<(Stamped, usize)>,
    /// The text before the last document.
    left: Vec<u8>,
}

/// How a run starts with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunStart {
    /// The record states the id of another session than those so far.
    OfAnother,
    /// The record has no id, or is the first one that has.
    Unclear,
}

/// The writer of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Writer(usize),
    /// A writer without any record so far.
    NewWriter,
    Unknown,
}

impl Writer {
    fn new(name: Option<SourceName>, reader: RecordReader) -> Self {
        Self {
            name,
            reader,
            ..Self::default()
        }
    }

    fn name_length(&self) -> usize {
        self.name.as_ref().map_or(0, |name| name.text.len())
    }
}

impl Writers {
    /// Returns a single writer, whose records `reader` reads.
    pub(super) fn new(reader: RecordReader) -> Self {
        Self {
            all: vec![Writer::new(None, reader)],
            ..Self::default()
        }
    }

    /// Returns that writer.
    pub(super) fn get(&mut self, writer: usize) -> &mut Writer {
        &mut self.all[writer]
    }

    /// Returns the writer of the last record.
    pub(super) fn selected(&mut self) -> &mut Writer {
        self.get(self.current)
    }

    /// Returns the prefix that names that writer.
    pub(super) fn prefix(&self, writer: usize) -> Option<&[u8]> {
        self.all.get(writer)?.name.as_ref().map(|name| &*name.text)
    }

    /// Makes the writer of the document after `left` on its line the current one. An unknown writer is added if
    /// `starts` says that a run starts with the document, or if its name is like the known names. If nothing stands
    /// before the records of another writer, the text may be noise, so that only the id of a session shows that it is
    /// another run.
    pub(super) fn switch_to(
        &mut self,
        left: &[u8],
        document: &[u8],
        starts: impl FnOnce(RecordReader) -> Option<RunStart>,
    ) {
        self.guessed = false;
        self.left.clear();
        self.left.extend_from_slice(left);
        if let [only] = &mut *self.all {
            // Most streams have no prefix.
            if left.is_empty() && only.name.is_none() {
                return;
            }
            if only.records == 0 {
                only.name = SourceName::of(left);
                return self.forget();
            }
        }
        if let Some(known) = self.remembered(left).or_else(|| self.learn(left)) {
            self.current = known;
            return;
        }
        let name = SourceName::of(left);
        let reader = || self.all[0].reader.afresh();
        let is_another = |name: &SourceName| self.is_another(name) && !name.is_string_in(document);
        let counts = name.as_ref().is_some_and(|name| self.is_line(name));
        // Text that is attached to a document is noise and no prefix.
        let may_start = !counts && (left.is_empty() || stands_apart(left));
        let is_bare = |writer: &Writer| writer.name.is_none() && writer.records > 0;
        let may_be_noise = !left.is_empty() && self.all.iter().any(is_bare);
        let is_start = |start| !may_be_noise || start == RunStart::OfAnother;
        let begins = || {
            name.as_ref().is_some_and(is_another)
                || may_start && starts(reader()).is_some_and(is_start)
        };
        if self.all.len() < WRITERS && begins() {
            let reader = reader();
            self.all.push(Writer::new(name, reader));
            self.current = self.all.len() - 1;
        } else {
            self.guessed = true;
            self.unname(left);
        }
    }

    /// Removes the doubtful name of the only writer if a record that continues its run has nothing before it: what
    /// stood before the first record was noise.
    fn unname(&mut self, left: &[u8]) {
        let doubtful = |name: &SourceName| !name.is_sure() && left.is_empty();
        if let [only] = &mut *self.all
            && only.name.take_if(|name| doubtful(name)).is_some()
        {
            self.forget();
        }
    }

    /// Whether a name is only another line number of a writer whose name has had a single number so far.
    fn is_line(&self, name: &SourceName) -> bool {
        let is_one = |writer: &Writer| {
            let other = writer.name.as_ref();
            writer.records <= 1
                && other.is_some_and(|other| other.is_like(name) && other.counts_on(name))
        };
        !name.is_sure() && self.all.iter().any(is_one)
    }

    /// Whether a name belongs to a further writer, judging by the known names: not if it only counts lines.
    fn is_another(&self, name: &SourceName) -> bool {
        let mut alike = self.all.iter().filter_map(|writer| {
            let other = writer.name.as_ref().filter(|other| other.is_like(name))?;
            Some(writer.records > 1 || !other.counts_on(name))
        });
        name.is_sure()
            && alike
                .next()
                .is_some_and(|first| first && alike.all(|other| other))
    }

    /// Ends the last turn: `is_record` says whether its document is, or may be, a record. If not, a writer that was
    /// just added is removed.
    #[inline]
    pub(super) fn wrote(&mut self, is_record: bool) {
        let names = u64::from(is_record && !self.guessed);
        if is_record {
            self.remember_before();
        }
        let writer = self.selected();
        writer.records += names;
        if writer.records == 0 {
            self.leave();
        }
    }

    /// Removes the current writer, if it was just added, or its name.
    fn leave(&mut self) {
        if let [only] = &mut *self.all {
            // The document was no record: the text before it names nobody.
            only.name = None;
        } else if self.current == self.all.len() - 1 {
            self.all.pop();
            self.forget();
            self.current = 0;
        }
    }

    /// Remembers the text before the last document as the one before its writer's records, if it stands apart.
    fn remember_before(&mut self) {
        let before = &mut self.all[self.current].before;
        if stands_apart(&self.left)
            && self.left.len() <= PREFIX_LIMIT
            && !before
                .as_mut()
                .is_some_and(|before| before.is_again(&self.left))
        {
            *before = Some(Before::of(&self.left));
        }
    }

    /// Returns the rest of a line after the text that is before the current writer's records; the whole line if it
    /// does not start with that text.
    pub(super) fn after<'t>(&self, line: &'t [u8]) -> &'t [u8] {
        let before = self.all[self.current].before.as_ref();
        let after = before.and_then(|before| {
            let after = before.after(line)?;
            (!after.trim_ascii().is_empty()).then_some(after)
        });
        after.unwrap_or(line)
    }

    /// Returns the rest of a line after the text that is before a writer's records, in which any digits may differ;
    /// `None` if the line does not start with that text.
    pub(super) fn carried<'t>(&self, writer: usize, line: &'t [u8]) -> Option<&'t [u8]> {
        self.all[writer].before.as_ref()?.carried(line)
    }

    /// Returns the writer of a line, judging by its start.
    pub(super) fn owner(&self, line: &[u8]) -> Owner {
        if let Some(writer) = self.remembered(line) {
            return Owner::Writer(writer);
        }
        let beginning = self.beginning(line);
        match self.named_in(&beginning) {
            Some(writer) => Owner::Writer(writer),
            None if self.is_new_writer(line, &beginning) => Owner::NewWriter,
            None => Owner::Unknown,
        }
    }

    /// Returns the start of a line, as far as it is needed to find the name of a writer.
    fn beginning(&self, line: &[u8]) -> Vec<u8> {
        let longest = self.all.iter().map(Writer::name_length).max();
        stable(line, longest.unwrap_or_default() + 1)
    }

    /// Returns the writer with the longest name that the line starts with.
    fn named_in(&self, beginning: &[u8]) -> Option<usize> {
        let begins = |writer: &Writer| match &writer.name {
            Some(name) => name.begins(beginning),
            None => beginning.is_empty(),
        };
        let all = self.all.iter().enumerate();
        let all = all.filter(|(_, writer)| begins(writer));
        let (writer, _) = all.max_by_key(|(_, writer)| writer.name_length())?;
        Some(writer)
    }

    /// Whether a line belongs to a writer without any record, if there are several writers: its name is set off like
    /// theirs.
    fn is_new_writer(&self, line: &[u8], beginning: &[u8]) -> bool {
        // Most lines contain none of the marks that set names off.
        self.all.len() > 1
            && (beginning.starts_with(b"[") || memchr2(b'|', b'\t', line).is_some())
            && SourceName::of(line).is_some_and(|name| self.is_another(&name))
    }

    fn remembered(&self, line: &[u8]) -> Option<usize> {
        if line.is_empty() {
            return self.bare;
        }
        let mut stamped = self.stamped.iter();
        let found = stamped.find(|(left, _)| left.is(line));
        let found = found.map(|(_, writer)| writer);
        let short = (line.len() <= SHORT).then_some(line);
        found.or_else(|| self.remembered.get(short?)).copied()
    }

    /// Returns the writer named in the text before a record, and remembers it for that text.
    fn learn(&mut self, left: &[u8]) -> Option<usize> {
        let writer = self.named_in(&self.beginning(left))?;
        let text = Stamped::of(left);
        if left.is_empty() {
            self.bare = Some(writer);
        } else if text.has_stamp() {
            self.stamped.truncate(STAMPED - 1);
            self.stamped.push_front((text, writer));
        } else if left.len() <= SHORT {
            if self.remembered.len() == REMEMBERED {
                self.remembered.clear();
            }
            self.remembered.insert(left.to_vec(), writer);
        }
        Some(writer)
    }

    fn forget(&mut self) {
        self.remembered.clear();
        self.bare = None;
        self.stamped.clear();
    }

    /// Whether any writer has a name that identifies the writer of a line of noise.
    pub(super) fn have_names(&self) -> bool {
        let mut names = self.all.iter().filter_map(|it| it.name.as_ref());
        names.any(SourceName::is_sure)
    }

    /// Returns the rest of a line of that writer after its name.
    pub(super) fn said<'t>(&self, writer: usize, line: &'t [u8]) -> &'t [u8] {
        let after = |name: &[u8]| {
            let mut begun = memchr_iter(*name.first()?, line);
            begun.find_map(|at| line.get(at..)?.strip_prefix(name))
        };
        let after = self.prefix(writer).and_then(after);
        after.map_or(line, <[u8]>::trim_ascii_start)
    }
}
