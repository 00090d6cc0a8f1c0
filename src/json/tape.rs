//! Where the brackets and separators of a document stand, kept as the scanner meets them: whoever looks for the members of
//! the document need not go through its strings once more.

/// The most blocks that are kept. Of a longer document nothing is.
const MOST: usize = 1024;

/// What stands between the strings of a block, one bit for each byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    /// Where the block stands, from the beginning of the document.
    pub(crate) at: usize,
    pub(crate) brackets: u64,
    /// Colons and commas.
    pub(crate) separators: u64,
}

impl Marks {
    /// All of them.
    pub(crate) const fn all(&self) -> u64 {
        self.brackets | self.separators
    }
}

/// The marks of the last document, if it was read in one go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    blocks: Vec<Marks>,
    /// Where the document stands.
    start: u64,
    /// Where it ends; nowhere, if that is not known or marks are missing.
    end: Option<u64>,
    /// There were more than are kept.
    full: bool,
}

impl Tape {
    /// An object begins. It is read to its end, or nothing is known of it.
    pub(super) fn begin(&mut self, start: u64) {
        self.blocks.clear();
        self.start = start;
        self.end = None;
        self.full = false;
    }

    pub(super) fn keep(&mut self, marks: Marks) {
        if self.blocks.len() < MOST {
            self.blocks.push(marks);
        } else {
            self.full = true;
        }
    }

    /// The object has ended.
    pub(super) fn end(&mut self, end: u64) {
        self.end = Some(end).filter(|_| !self.full);
    }

    /// The marks of the object that stands there but for its opening bracket, if they are known. There may be some of what
    /// stands behind it.
    pub(crate) fn marks(&self, start: u64, end: u64) -> Option<&[Marks]> {
        let known = self.start == start && self.end == Some(end);
        known.then_some(self.blocks.as_slice())
    }
}
