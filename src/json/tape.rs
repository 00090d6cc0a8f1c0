//! What the scanner meets in a document and whoever looks for its members would have to look for once more: where its
//! brackets and separators stand, and how its strings are written.

/// The most blocks that are kept. Of a longer document nothing is.
const MOST: usize = 1024;

/// What stands between the strings of a block, one bit for each byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockMarks {
    /// Where the block stands, from the beginning of the document.
    pub(crate) at: usize,
    pub(crate) brackets: u64,
    /// Brackets, colons and commas.
    pub(crate) all: u64,
}

/// Keeps what stands in a document, or nothing. That is told before reading: to ask for each block would cost.
pub(super) trait Keep {
    /// Whether anything is kept.
    const KEEPS: bool;
    /// The marks of the next block.
    fn keep(&mut self, marks: BlockMarks);
    /// The escapes of the next block that could be written otherwise, one bit each.
    fn keep_escapes(&mut self, others: u64);
}

impl Keep for () {
    const KEEPS: bool = false;
    fn keep(&mut self, _: BlockMarks) {}
    fn keep_escapes(&mut self, _: u64) {}
}

impl Keep for &mut Tape {
    const KEEPS: bool = true;

    fn keep(&mut self, marks: BlockMarks) {
        if self.blocks.len() < MOST {
            self.blocks.push(marks);
        } else {
            self.full = true;
        }
    }

    #[inline(always)]
    fn keep_escapes(&mut self, others: u64) {
        self.others |= others;
    }
}

/// What is known of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkLayout<'a> {
    /// Its marks, but for its opening bracket. There may be some of what stands behind it.
    pub(crate) marks: &'a [BlockMarks],
    /// There is no white space between its tokens.
    pub(crate) compact: bool,
    /// Whatever is escaped in its strings has to be, and in the shortest way: they can be written just as they are.
    pub(crate) canonical: bool,
}

/// The layout of the last document, if it was read in one go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    blocks: Vec<BlockMarks>,
    /// Where the document stands.
    start: u64,
    /// Where it ends; nowhere, if that is not known or marks are missing.
    end: Option<u64>,
    /// There were more than are kept.
    full: bool,
    compact: bool,
    /// Not zero if there are escapes that could be written otherwise.
    others: u64,
}

impl Tape {
    /// An object begins. It is read to its end, or nothing is known of it.
    pub(super) fn begin(&mut self, start: u64) {
        self.blocks.clear();
        self.start = start;
        self.end = None;
        self.full = false;
        self.others = 0;
    }

    /// The object has ended.
    pub(super) fn end(&mut self, end: u64, compact: bool) {
        self.end = Some(end).filter(|_| !self.full);
        self.compact = compact;
    }

    /// The layout of the object that stands there, if it is known.
    pub(crate) fn layout(&self, start: u64, end: u64) -> Option<MarkLayout<'_>> {
        let known = self.start == start && self.end == Some(end);
        known.then_some(MarkLayout {
            marks: &self.blocks,
            compact: self.compact,
            canonical: self.others == 0,
        })
    }
}
