//! The open brackets inside a committed bracket, and how the brackets of a block change them.

use super::structure::TokenBlock;

/// The kinds of open brackets, at least of one and at most of 63: one bit for each, the lowest for the innermost, set
/// for objects. One more bit is set above them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stack(u64);

/// The effect of the brackets of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nesting {
    /// Bytes whose innermost open bracket is that of an object.
    pub(super) objects: u64,
    pub(super) opening: u64,
    pub(super) closing: u64,
    /// The first bracket that is not read here, if any. It is in `closing` if it closes the outermost bracket.
    pub(super) stop: u64,
}

impl Stack {
    /// A single open array.
    pub(super) const ARRAY: Self = Self::of(false);

    /// Returns the stack of a single bracket.
    pub(super) const fn of(object: bool) -> Self {
        Self(2 | object as u64)
    }

    /// Returns the number of brackets.
    pub(super) const fn levels(self) -> usize {
        self.0.ilog2() as usize
    }

    /// Whether the innermost bracket is that of an object.
    pub(super) const fn in_object(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the stack with one more bracket; `None` if there is no room for it.
    #[inline(always)]
    pub(super) fn with(self, object: bool) -> Option<Self> {
        (self.0.leading_zeros() > 0).then_some(Self(self.0 << 1 | u64::from(object)))
    }

    /// Returns the stack without its innermost bracket; `None` if that is the only one.
    #[inline(always)]
    pub(super) fn around(self) -> Option<Self> {
        (self.levels() > 1).then_some(Self(self.0 >> 1))
    }

    /// Reads brackets of a block up to the one that closes the outermost bracket, or one that is not read here.
    #[inline(always)]
    pub(super) fn read(&mut self, mut brackets: u64, block: &TokenBlock, text: &[u8]) -> Nesting {
        let mut nesting = Nesting::within(*self);
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            let byte = block.byte(bit, text);
            // Bit 5 distinguishes braces from brackets.
            let object = byte >> 5 & 1 == 1;
            let next = match byte | 0x20 {
                b'{' => {
                    nesting.opening |= bit;
                    self.with(object)
                }
                b'}' if object == self.in_object() => {
                    nesting.closing |= bit;
                    self.around()
                }
                _ => None,
            };
            let Some(next) = next else {
                nesting.stop = bit;
                return nesting;
            };
            *self = next;
            let before = bit - 1;
            nesting.objects = nesting.objects & before | self.objects() & !before;
            brackets ^= bit;
        }
        nesting
    }

    /// Returns all ones if the innermost bracket is an object.
    const fn objects(self) -> u64 {
        (self.0 & 1).wrapping_neg()
    }
}

impl Nesting {
    /// Returns the nesting of a block without brackets.
    pub(super) const fn within(stack: Stack) -> Self {
        Self {
            objects: stack.objects(),
            opening: 0,
            closing: 0,
            stop: 0,
        }
    }

    /// Returns the tokens after which a name is expected.
    pub(super) const fn before_name(&self, block: &TokenBlock) -> u64 {
        (block.commas | self.opening) & self.objects
    }

    /// Returns the tokens after which a name or a value is expected.
    pub(super) const fn before_begin(&self, block: &TokenBlock) -> u64 {
        block.structural & !self.closing
    }
}
