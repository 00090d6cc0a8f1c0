//! The kinds of the open brackets: one bit for each, set for objects. The level of a bracket is the number of brackets
//! around it.

const BITS: usize = u64::BITS as usize;

/// The kinds by level. A level keeps its kind until it is set again.
#[derive(Debug, Clone)]
pub(super) struct Kinds(Vec<u64>);

impl Kinds {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Forgets all kinds.
    pub(super) fn clear(&mut self) {
        self.0.clear();
        // A deep document must not pin its bits for the rest of the run.
        self.0.shrink_to(BITS);
    }

    #[inline]
    pub(super) fn is_object(&self, level: usize) -> bool {
        self.word(level / BITS) >> (level % BITS) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, level: usize, object: bool) {
        let shift = level % BITS;
        self.replace(level / BITS, 1 << shift, u64::from(object) << shift);
    }

    /// Returns the kinds of 64 levels from `low` on; the lowest bit is the first level.
    #[inline]
    pub(super) fn window(&self, low: usize) -> u64 {
        let (at, shift) = (low / BITS, low % BITS);
        match shift {
            0 => self.word(at),
            _ => self.word(at) >> shift | self.word(at + 1) << (BITS - shift),
        }
    }

    /// Sets the kinds of 64 levels from `low` on; the lowest bit is the first level.
    pub(super) fn set_window(&mut self, low: usize, window: u64) {
        let (at, shift) = (low / BITS, low % BITS);
        self.replace(at, u64::MAX << shift, window << shift);
        if shift > 0 {
            let shift = BITS - shift;
            self.replace(at + 1, u64::MAX >> shift, window >> shift);
        }
    }

    #[inline]
    fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or_default()
    }

    #[inline]
    fn replace(&mut self, at: usize, mask: u64, bits: u64) {
        match self.0.get_mut(at) {
            Some(word) => *word = *word & !mask | bits,
            None => self.extend(at, bits),
        }
    }

    #[cold]
    fn extend(&mut self, at: usize, bits: u64) {
        self.0.resize(at, 0);
        self.0.push(bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stands_at_any_level() {
        for low in 0..3 * BITS {
            let mut kinds = Kinds::new();
            for level in 0..6 * BITS {
                kinds.set(level, level % 3 == 0);
            }
            let expected =
                (0..BITS).fold(0, |bits, at| bits | u64::from((low + at) % 3 == 0) << at);
            assert_eq!(kinds.window(low), expected, "{low}");
            kinds.set_window(low, !expected);
            for level in 0..6 * BITS {
                let inside = (low..low + BITS).contains(&level);
                assert_eq!(
                    kinds.is_object(level),
                    (level % 3 == 0) != inside,
                    "{level}"
                );
            }
        }
    }
}
