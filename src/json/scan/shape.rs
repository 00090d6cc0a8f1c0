//! What a text is like.

/// What a complete text is like, as far as the rules on what counts ask: some of the constants together.
///
/// They are bits of one byte, since a shape is put together of many parts and handed on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape(u8);

impl Shape {
    /// It is an object.
    pub const OBJECT: Self = Self(1 << 0);
    /// It is an array.
    pub const ARRAY: Self = Self(1 << 1);
    /// It is one of the two. To be asked for with [`is_any`](Self::is_any).
    pub const CONTAINER: Self = Self::OBJECT.with(Self::ARRAY);
    /// It holds an element or a member.
    pub const FILLED: Self = Self(1 << 2);
    /// It holds an object or an array.
    pub const NESTED: Self = Self(1 << 3);
    /// It is an array of one number.
    pub const ONE_NUMBER: Self = Self(1 << 4);
    /// It has white space between its tokens.
    pub const SPACED: Self = Self(1 << 5);
    /// It has terminal sequences, byte order marks or (where allowed) invalid UTF-8 in it; see [`clean()`](super::clean()).
    pub const DIRTY: Self = Self(1 << 6);
    /// It has invalid UTF-8 in a string; only where the scanner is told to let that pass.
    pub const LOSSY: Self = Self(1 << 7);

    /// Nothing of it.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Whether it is all of that.
    #[must_use]
    pub const fn is(self, what: Self) -> bool {
        self.0 & what.0 == what.0
    }

    /// Whether it is any of that.
    #[must_use]
    pub const fn is_any(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    /// All of it if something holds, and nothing of it if not.
    #[must_use]
    pub const fn when(self, holds: bool) -> Self {
        Self(self.0 & (holds as u8).wrapping_neg())
    }

    /// The same, which is that as well.
    #[must_use]
    pub const fn with(self, what: Self) -> Self {
        Self(self.0 | what.0)
    }

    /// Makes it that as well.
    pub const fn add(&mut self, what: Self) {
        self.0 |= what.0;
    }

    /// Makes it none of that.
    pub const fn remove(&mut self, what: Self) {
        self.0 &= !what.0;
    }
}
