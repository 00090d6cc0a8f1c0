//! Tells what is inside a string from what is between strings, many bytes at a time, by the method of simdjson
//! (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019).

use crate::lanes::{Lanes, WIDE};

/// Finds the strings of a text block by block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quotes {
    /// All ones if the last block ended inside a string.
    quoted: u64,
    /// One if the first byte of the next block is escaped.
    escaped: u64,
    /// Not zero if one of the last blocks contains a backslash: where there are some, more follow, and processing
    /// blocks without any costs less than a branch that cannot be predicted.
    recent: u64,
}

/// The strings of a block, one bit per byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockStrings {
    /// Quotes that begin or end a string.
    pub(super) quotes: u64,
    /// The bytes from the opening quote of each string to its last character.
    pub(super) inside: u64,
}

impl Quotes {
    /// Returns the state before a text.
    pub(super) const fn new() -> Self {
        Self {
            quoted: 0,
            escaped: 0,
            recent: 0,
        }
    }

    /// Returns the strings of the next block.
    #[inline(always)]
    pub(super) fn next(&mut self, block: &[u8; WIDE], lanes: Lanes) -> BlockStrings {
        let bytes = lanes.of(block);
        let escaped = self.escapes(bytes.is(b'\\').bits());
        self.strings(bytes.is(b'"').bits() & !escaped, lanes)
    }

    /// Returns which bytes of the next block are escaped, that is, preceded by a backslash that is not escaped itself.
    #[inline(always)]
    pub(super) fn escapes(&mut self, backslashes: u64) -> u64 {
        self.recent = self.recent >> 8 | backslashes;
        match self.recent {
            0 => 0,
            _ => self.escaped_by(backslashes),
        }
    }

    /// Returns the strings of the next block. `quotes` are its quotes without the [escaped](Self::escapes) ones.
    #[inline(always)]
    pub(super) fn strings(&mut self, quotes: u64, lanes: Lanes) -> BlockStrings {
        let inside = lanes.parity(quotes) ^ self.quoted;
        self.quoted = ((inside as i64) >> 63) as u64;
        BlockStrings { quotes, inside }
    }

    /// Returns which bytes are escaped: in a run of backslashes, every second one is.
    #[inline(always)]
    const fn escaped_by(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let unescaped = backslashes & !self.escaped;
        let after = unescaped << 1;
        let ends = (after | ODD).wrapping_sub(unescaped) ^ ODD;
        let escaped = ends ^ (backslashes | self.escaped);
        self.escaped = (ends & backslashes) >> 63;
        escaped
    }

    /// Whether one of the last blocks contained a backslash, so that more escapes are likely.
    pub(super) const fn expects_escapes(self) -> bool {
        self.recent != 0
    }

    /// Whether the last block ended inside a string.
    pub(super) const fn in_string(self) -> bool {
        self.quoted != 0
    }
}
