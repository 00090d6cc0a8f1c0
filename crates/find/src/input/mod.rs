//! Where bytes come from: the first module of the data flow. Nothing here knows JSON.
//!
//! [`Blocks`] reads a source block by block, [`Decoder`] turns each block into UTF-8 text, and the result is
//! [`Piece`]s: text with its offset in the source. [`terminal`](jsift_json::terminal) recognises what an escape byte in
//! the text begins.

mod blocks;
mod encoding;
#[cfg(feature = "cli")]
mod opened;
mod piece;

pub use blocks::{BLOCK_SIZE, Block, Blocks, read_once};
pub use encoding::{BARE_UTF16, Decoder, is_bare_utf16};
#[cfg(feature = "cli")]
pub use opened::{Opened, length as length_of};
#[cfg(test)]
pub(crate) use piece::tests::Traced;
pub use piece::{Piece, SourceLine, Writer};
