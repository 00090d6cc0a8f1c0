//! Which tokens are allowed where: for all tokens of a block at once, one bit for each.
//!
//! The tokens that follow those of one kind are found with one addition: all bytes that do not begin a token are ones,
//! so that a bit placed after a token is carried over them to the next token.

use super::ScanState;
use super::stack::Nesting;
use super::structure::TokenBlock;

/// What the next token may be, one bit each. Either none or only `colon` is set, or `begin`, possibly with `name` and
/// `open`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedToken {
    /// A name or a value.
    pub(super) begin: u64,
    pub(super) name: u64,
    pub(super) colon: u64,
    /// The end of the bracket that was just opened is allowed as well.
    pub(super) open: u64,
}

/// The tokens of a block by what is expected at their place.
pub(super) struct Places {
    pub(super) tokens: u64,
    /// What was expected at the start of the block.
    pub(super) before: ExpectedToken,
    pub(super) begin: u64,
    pub(super) name: u64,
    pub(super) colon: u64,
    pub(super) names: u64,
    /// Tokens that are not allowed at their place. After the first of them nothing is certain.
    pub(super) misplaced: u64,
}

impl Places {
    /// Returns what is expected at the tokens of a block, if `before` is expected at its start.
    #[inline(always)]
    pub(super) fn new(block: &TokenBlock, nesting: &Nesting, before: ExpectedToken) -> Self {
        let tokens = block.tokens;
        let begin = next(tokens, nesting.before_begin(block), before.begin);
        let name = next(tokens, nesting.before_name(block), before.name);
        let names = name & block.strings;
        let colon = next(tokens, names, before.colon);
        let begun = block.strings | block.words | nesting.opening;
        let mut places = Self {
            tokens,
            before,
            begin,
            name,
            colon,
            names,
            misplaced: begin ^ begun | name & !block.strings | colon ^ block.colons,
        };
        if places.misplaced != 0 {
            let empty = places.open(nesting) & nesting.closing;
            places.misplaced &= !empty;
        }
        places
    }

    /// Returns the tokens directly after an opening bracket.
    const fn open(&self, nesting: &Nesting) -> u64 {
        next(self.tokens, nesting.opening, self.before.open)
    }

    /// Returns what is expected of the token at `bit`.
    pub(super) const fn expected(&self, nesting: &Nesting, bit: u64) -> ExpectedToken {
        ExpectedToken {
            begin: self.begin & bit,
            name: self.name & bit,
            colon: self.colon & bit,
            open: self.open(nesting) & bit,
        }
    }

    /// Returns what is expected after the block.
    #[inline(always)]
    pub(super) const fn after(&self, block: &TokenBlock, nesting: &Nesting) -> ExpectedToken {
        let last = 63 - self.tokens.leading_zeros();
        ExpectedToken {
            begin: nesting.before_begin(block) >> last & 1,
            name: nesting.before_name(block) >> last & 1,
            colon: self.names >> last & 1,
            open: nesting.opening >> last & 1,
        }
    }
}

/// Returns the tokens that follow those in `some`, and the first token if `before` is 1.
#[inline(always)]
const fn next(tokens: u64, some: u64, before: u64) -> u64 {
    (some << 1 | before).wrapping_add(!tokens) & tokens
}

impl ExpectedToken {
    pub(super) fn of(state: ScanState) -> Self {
        Self {
            begin: u64::from(!matches!(state, ScanState::Colon | ScanState::After)),
            name: u64::from(matches!(state, ScanState::Name | ScanState::Member)),
            colon: u64::from(state == ScanState::Colon),
            open: u64::from(matches!(state, ScanState::Member | ScanState::Element)),
        }
    }

    pub(super) const fn state(&self, in_object: bool) -> ScanState {
        match self {
            Self { open: 1.., .. } if in_object => ScanState::Member,
            Self { open: 1.., .. } => ScanState::Element,
            Self { name: 1.., .. } => ScanState::Name,
            Self { colon: 1.., .. } => ScanState::Colon,
            Self { begin: 1.., .. } => ScanState::Value,
            _ => ScanState::After,
        }
    }
}
