//! Properties of a text.

/// The properties of a complete text that decide whether it counts: any combination of the constants.
///
/// They are bits of one byte, since a shape is combined from many parts and passed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape(u8);

impl Shape {
    /// It is an object.
    pub const OBJECT: Self = Self(1 << 0);
    /// It is an array.
    pub const ARRAY: Self = Self(1 << 1);
    /// It is an object or an array; to be tested with [`is_any`](Self::is_any).
    pub const CONTAINER: Self = Self::OBJECT.with(Self::ARRAY);
    /// It contains an element or a member.
    pub const FILLED: Self = Self(1 << 2);
    /// It contains an object or an array.
    pub const NESTED: Self = Self(1 << 3);
    /// It is an array of one number.
    pub const ONE_NUMBER: Self = Self(1 << 4);
    /// It has white space between its tokens.
    pub const SPACED: Self = Self(1 << 5);
    /// It contains terminal sequences, byte order marks or (if accepted) invalid UTF-8; see
    /// [`clean()`](super::clean()).
    pub const DIRTY: Self = Self(1 << 6);
    /// It has invalid UTF-8 in a string; only if the scanner accepts that.
    pub const LOSSY: Self = Self(1 << 7);

    /// Returns a shape without any property.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Whether it has all properties of `what`.
    #[must_use]
    pub const fn is(self, what: Self) -> bool {
        self.0 & what.0 == what.0
    }

    /// Whether it has any property of `what`.
    #[must_use]
    pub const fn is_any(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    /// Returns the shape itself if `holds` is true, or else an empty one.
    #[must_use]
    pub const fn when(self, holds: bool) -> Self {
        Self(self.0 & (holds as u8).wrapping_neg())
    }

    /// Returns the shape with the properties of `what` added.
    #[must_use]
    pub const fn with(self, what: Self) -> Self {
        Self(self.0 | what.0)
    }

    /// Adds the properties of `what`.
    pub const fn add(&mut self, what: Self) {
        self.0 |= what.0;
    }

    /// Removes the properties of `what`.
    pub const fn remove(&mut self, what: Self) {
        self.0 &= !what.0;
    }
}
