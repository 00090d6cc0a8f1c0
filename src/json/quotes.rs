//! What stands in strings and what stands between them, told for many bytes at a time by the method of simdjson (Langdale
//! and Lemire, "Parsing gigabytes of JSON per second", 2019).

use crate::lanes::{Lanes, Quoting};

/// Where the strings of a text are, block by block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quotes {
    /// All ones if the last block ended in a string.
    quoted: u64,
    /// One if the first byte of the next block is escaped.
    escaped: u64,
    /// Not zero if one of the last blocks holds a backslash: where some are, more come, and to look at blocks that have
    /// none costs less than a branch that cannot be predicted.
    recent: u64,
}

/// Where the strings of a block are.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockStrings {
    /// Quotes that begin or end one.
    pub(super) quotes: u64,
    /// From the opening quote of each to its last character.
    pub(super) inside: u64,
}

impl Quotes {
    /// Before a text.
    pub(super) const fn new() -> Self {
        Self {
            quoted: 0,
            escaped: 0,
            recent: 0,
        }
    }

    /// The strings of the next block.
    #[inline(always)]
    pub(super) fn next(&mut self, block: Quoting, lanes: &impl Lanes) -> BlockStrings {
        let escaped = self.escapes(block.backslashes);
        self.strings(block.quotes & !escaped, lanes)
    }

    /// Which bytes of the next block stand behind backslashes that are not escaped themselves.
    #[inline(always)]
    pub(super) fn escapes(&mut self, backslashes: u64) -> u64 {
        self.recent = self.recent >> 8 | backslashes;
        match self.recent {
            0 => 0,
            _ => self.escaped_by(backslashes),
        }
    }

    /// The strings of the next block, whose quotes are these but for the [escaped](Self::escapes) ones.
    #[inline(always)]
    pub(super) fn strings(&mut self, quotes: u64, lanes: &impl Lanes) -> BlockStrings {
        let inside = lanes.parity(quotes) ^ self.quoted;
        self.quoted = ((inside as i64) >> 63) as u64;
        BlockStrings { quotes, inside }
    }

    /// Which bytes are escaped: in a run of backslashes every second one is.
    #[inline(always)]
    const fn escaped_by(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let unescaped = backslashes & !self.escaped;
        let behind = unescaped << 1;
        let ends = (behind | ODD).wrapping_sub(unescaped) ^ ODD;
        let escaped = ends ^ (backslashes | self.escaped);
        self.escaped = (ends & backslashes) >> 63;
        escaped
    }

    /// Whether escapes are to be expected.
    pub(super) const fn expects_escapes(self) -> bool {
        self.recent != 0
    }

    /// Whether the last block ended in a string.
    pub(super) const fn in_string(self) -> bool {
        self.quoted != 0
    }

    /// One if the first byte of the next block is escaped.
    pub(super) const fn escaped(self) -> u64 {
        self.escaped
    }
}
