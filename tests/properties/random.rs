//! Numbers that are the same in each run.

/// A generator of numbers: Knuth's MMIX, whose high bits are random enough to draw from tables.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `limit`, or 0 if that is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}
