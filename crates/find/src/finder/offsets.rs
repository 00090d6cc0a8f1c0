//! Offsets in a text and in the source that it was made of.

/// Where the bytes of a text were in the source that it was made of, where some of these were left out or replaced.
#[derive(Debug, Default)]
pub(super) struct Offsets(Vec<(usize, usize)>);

impl Offsets {
    /// Notes that the text goes on as the source does after these offsets, in the source and in the text.
    pub(super) fn note(&mut self, ends: (usize, usize)) {
        self.0.push(ends);
    }

    /// Returns the offset in the source of an offset in the text.
    pub(super) fn in_source(&self, offset: usize) -> usize {
        let before = self.0.partition_point(|ends| ends.1 <= offset);
        let before = before.checked_sub(1).and_then(|at| self.0.get(at));
        before.map_or(offset, |(source, text)| source + (offset - text))
    }

    /// Returns the offset in the text of an offset in the source.
    pub(super) fn in_text(&self, offset: usize) -> usize {
        let before = self.0.partition_point(|ends| ends.0 <= offset);
        let before = before.checked_sub(1).and_then(|at| self.0.get(at));
        before.map_or(offset, |(source, text)| text + (offset - source))
    }

    /// Returns the first noted offset in the text that is greater than this one.
    pub(super) fn next_in_text(&self, offset: usize) -> Option<usize> {
        let next = self.0.partition_point(|ends| ends.1 <= offset);
        self.0.get(next).map(|ends| ends.1)
    }
}
