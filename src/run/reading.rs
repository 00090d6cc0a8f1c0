//! The way of the data from the bytes of a source to what the finder meets in it.

use crate::cli::value::Unwrap;
use crate::document::Visitor;
use crate::find::{Finder, Options};
use crate::input::{Decoder, Piece};
use crate::span::Position;
use crate::unwrap::{Mode, Unwrapper};

/// Reads one source: decoder, unwrapper and finder in a row.
#[derive(Debug)]
pub struct Reading {
    decoder: Decoder,
    unwrapper: Unwrapper,
    finder: Finder,
}

impl Reading {
    /// Before the first byte of a source.
    #[must_use]
    pub fn new(unwrap: Option<Unwrap>, options: Options) -> Self {
        Self {
            decoder: Decoder::new(),
            unwrapper: Unwrapper::new(mode(unwrap)),
            finder: Finder::new(options),
        }
    }

    /// Reads the next bytes.
    pub fn block(&mut self, bytes: &[u8], visitor: &mut dyn Visitor) {
        let Self {
            decoder,
            unwrapper,
            finder,
        } = self;
        decoder.push(bytes, &mut |piece| {
            unwrapper.push(piece, &mut |piece| finder.add(piece));
        });
        finder.read(visitor);
    }

    /// Room for the next bytes, at least `size`, where nothing has to be done with them before they are text.
    pub fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        (self.decoder.is_idle() && self.unwrapper.is_idle()).then(|| self.finder.space(size))
    }

    /// Reads the first `size` bytes of the [room](Self::space), which have been written.
    pub fn filled(&mut self, size: usize, visitor: &mut dyn Visitor) {
        self.finder.filled(size, visitor);
    }

    /// The source has ended. Gives the position behind it.
    pub fn end(&mut self, visitor: &mut dyn Visitor) -> Position {
        let Self {
            decoder,
            unwrapper,
            finder,
        } = self;
        decoder.finish(&mut |piece| {
            unwrapper.push(piece, &mut |piece| finder.add(piece));
        });
        unwrapper.finish(&mut |piece| finder.add(piece));
        finder.finish(visitor);
        finder.position()
    }

    /// Whether the source has been nothing but JSON.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.finder.is_whole()
    }
}

/// The text of a source that is there as a whole.
#[must_use]
pub fn text_of(source: &[u8], unwrap: Option<Unwrap>) -> Vec<u8> {
    let mut decoder = Decoder::new();
    let mut unwrapper = Unwrapper::new(mode(unwrap));
    let mut text = Vec::with_capacity(source.len());
    let mut take = |piece: Piece<'_>| text.extend_from_slice(piece.text);
    decoder.push(source, &mut |piece| unwrapper.push(piece, &mut take));
    decoder.finish(&mut |piece| unwrapper.push(piece, &mut take));
    unwrapper.finish(&mut take);
    text
}

const fn mode(unwrap: Option<Unwrap>) -> Mode {
    match unwrap {
        None => Mode::Detect,
        Some(Unwrap::Docker) => Mode::Docker,
        Some(Unwrap::Journald) => Mode::Journald,
        Some(Unwrap::Cri) => Mode::Cri,
        Some(Unwrap::Auto) => Mode::Auto,
    }
}
