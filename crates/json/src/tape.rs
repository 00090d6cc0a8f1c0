//! What the scanner learns about a document and a search for its members would have to find out again: the positions of
//! its brackets and separators.

/// The largest number of blocks that are kept. For a longer document none are.
const MOST: usize = 1024;

/// The marks outside the strings of a block, one bit per byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockMarks {
    /// The offset of the block from the beginning of the document.
    pub(crate) at: usize,
    pub(crate) brackets: u64,
    /// Brackets, colons and commas.
    pub(crate) all: u64,
}

/// Keeps the marks of a document, or nothing. Which of the two is known at compile time: asking for each block would
/// cost time.
pub(super) trait Keep {
    /// Keeps the marks of the next block.
    fn keep(&mut self, marks: BlockMarks);
}

impl Keep for () {
    fn keep(&mut self, _: BlockMarks) {}
}

impl Keep for &mut Tape {
    fn keep(&mut self, marks: BlockMarks) {
        if self.blocks.len() <= MOST {
            self.blocks.push(marks);
        }
    }
}

/// What is known about a document.
#[derive(Debug, Clone, Copy)]
pub struct MarkLayout<'a> {
    /// Its marks without its opening bracket. Marks of the text after the document may follow.
    pub(crate) marks: &'a [BlockMarks],
    /// Whether it has no white space between its tokens.
    pub(crate) compact: bool,
}

/// The layout of the last document, if it was read in one go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    blocks: Vec<BlockMarks>,
    /// The offset at which the document starts.
    start: u64,
    /// The offset at which the document ends; `None` if that is not known or marks are missing.
    end: Option<u64>,
    compact: bool,
}

impl Tape {
    /// Begins an object. Nothing is known about it unless it is read to its end.
    pub(super) fn begin(&mut self, start: u64) {
        self.blocks.clear();
        self.start = start;
        self.end = None;
    }

    /// Ends the object.
    pub(super) fn end(&mut self, end: u64, compact: bool) {
        self.end = Some(end).filter(|_| self.blocks.len() <= MOST);
        self.compact = compact;
    }

    /// Returns the layout of the object between two offsets, if it is known.
    pub(crate) fn layout(&self, start: u64, end: u64) -> Option<MarkLayout<'_>> {
        let known = self.start == start && self.end == Some(end);
        known.then_some(MarkLayout {
            marks: &self.blocks,
            compact: self.compact,
        })
    }
}
