//! The data flow from the bytes of a source to what the finder finds in it: decoder, unwrapper and finder, in this
//! order.

use std::io::{self, Read};

mod recent;

use rustc_hash::FxHashMap;

use crate::document::Visitor;
use crate::finder::repair::Repairs;
use crate::finder::substreams::SUBSTREAMS;
use crate::finder::window::Window;
use crate::finder::{FindOptions, Finder};
use crate::input::{Block, Blocks, Decoder, Piece};
use crate::span::Position;
use crate::unwrap::{Field, Unwrap, Unwrapper};
use recent::RecentBytes;
pub use recent::WithLines;

/// Reads a source to its end and hands `visitor` what is found in it, as it is found. Returns the position after the
/// last byte of the source.
///
/// # Errors
///
/// Fails if a read fails, also with [`WouldBlock`](io::ErrorKind::WouldBlock): use [`Reading`] for a source that does
/// not block. Broken JSON is not an error, but a [fault](Visitor::fault).
///
/// ```
/// use jsift_find::document::Document;
/// use jsift_find::finder::FindOptions;
/// use jsift_find::reading::read;
///
/// let log = "12:00 request {\"path\": \"/a\"}\n12:00 done\n12:01 request {\"path\": \"/b\"}\n";
/// let mut found = Vec::new();
/// read(log.as_bytes(), FindOptions::default(), &mut |document: Document<'_>| {
///     let text = String::from_utf8_lossy(document.text).into_owned();
///     found.push((document.origin().position.line, text));
/// })?;
/// assert_eq!(
///     found,
///     [(1, r#"{"path": "/a"}"#.to_owned()), (3, r#"{"path": "/b"}"#.to_owned())]
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read(
    source: impl Read,
    options: FindOptions,
    visitor: &mut dyn Visitor,
) -> io::Result<Position> {
    let mut reading = Reading::new(Unwrap::default(), options);
    let mut blocks = Blocks::new(source);
    loop {
        match blocks.next_block()? {
            Block::Bytes(bytes) => reading.block(bytes, visitor),
            Block::WouldBlock => return Err(io::ErrorKind::WouldBlock.into()),
            Block::End => return Ok(reading.end(visitor)),
        }
    }
}

/// Reads one source block by block.
#[derive(Debug)]
pub struct Reading {
    text: TextReader,
    finder: Finder,
    /// The bytes that were read last, if faults get their [line](crate::document::Fault::line).
    recent: Option<RecentBytes>,
}

impl Reading {
    /// Returns a reading before the first byte of a source.
    #[must_use]
    pub fn new(mode: Unwrap, options: FindOptions) -> Self {
        Self {
            text: TextReader::new(mode),
            finder: Finder::new(options),
            recent: None,
        }
    }

    /// Adds its line to each fault, if `wanted`.
    #[must_use]
    pub fn with_lines(mut self, wanted: bool) -> Self {
        self.recent = wanted.then(RecentBytes::default);
        self
    }

    /// Reads the next bytes.
    pub fn block(&mut self, bytes: &[u8], visitor: &mut dyn Visitor) {
        if let Some(recent) = &mut self.recent {
            recent.push(bytes);
        }
        self.read_next(Some(bytes), visitor);
    }

    /// Reads the next bytes, or what is left at the end of the source (`None`).
    fn read_next(&mut self, bytes: Option<&[u8]>, visitor: &mut dyn Visitor) {
        let (text, finder) = (&mut self.text, &mut self.finder);
        match &self.recent {
            Some(recent) => text.read(bytes, finder, &mut recent.lines(visitor)),
            None => text.read(bytes, finder, visitor),
        }
    }

    /// Returns room for the next `size` bytes or more, if they need neither decoding nor unwrapping.
    pub fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        let TextReader {
            decoder, unwrapper, ..
        } = &self.text;
        let idle = decoder.is_idle() && unwrapper.is_idle() && self.recent.is_none();
        idle.then(|| self.finder.space(size))
    }

    /// Reads the first `size` bytes of the [room](Self::space), which the caller has written.
    pub fn filled(&mut self, size: usize, visitor: &mut dyn Visitor) {
        self.finder.filled(size, visitor);
    }

    /// Reads the rest of the source, which has ended. Returns the position after its last byte.
    pub fn end(&mut self, visitor: &mut dyn Visitor) -> Position {
        self.read_next(None, visitor);
        self.finder.position()
    }

    /// Returns the source offset before which everything is decided: bytes before it that were not reported as a
    /// document are noise or a weak document.
    pub fn decided(&self) -> u64 {
        let read = self.finder.decided();
        let held = self.text.unwrapper.first_held();
        held.map_or(read, |held| held.min(read))
    }

    /// Returns the field that was to be unwrapped, if no line has it.
    pub const fn missed_field(&self) -> Option<&Field> {
        self.text.unwrapper.missed_field()
    }

    /// Returns the finder.
    pub(crate) const fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Whether the source has been nothing but JSON.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.finder.is_whole()
    }
}

/// Turns the bytes of a source into the text in which documents are searched for: decoder and unwrapper in a row.
#[derive(Debug)]
struct TextReader {
    decoder: Decoder,
    unwrapper: Unwrapper,
    /// Whether the log format was named that the unwrapper removes.
    is_named: bool,
}

impl TextReader {
    fn new(mode: Unwrap) -> Self {
        Self {
            decoder: Decoder::new(),
            is_named: mode != Unwrap::Detect,
            unwrapper: Unwrapper::new(mode),
        }
    }

    /// Reads the text of the next bytes, or what is left of it at the end of the source (`None`). A visitor that places
    /// documents in the text receives it, too; only a log format that was named is removed there.
    fn read(&mut self, bytes: Option<&[u8]>, finder: &mut Finder, visitor: &mut dyn Visitor) {
        let (places, is_named) = (visitor.wants().parts, self.is_named);
        self.push(bytes, |piece, unwrapped| {
            if places && unwrapped == is_named {
                visitor.text(piece);
            }
            if unwrapped {
                finder.add(piece, visitor);
            }
        });
        match bytes {
            Some(_) => finder.read(visitor),
            None => finder.finish(visitor),
        }
    }

    /// Hands on the text of the next bytes, or what is left of it at the end of the source (`None`): first as it is
    /// decoded, with its byte order mark, and then unwrapped (`true`).
    fn push(&mut self, bytes: Option<&[u8]>, mut out: impl FnMut(Piece<'_>, bool)) {
        let mut decoded = |piece: Piece<'_>| {
            out(piece, false);
            if !piece.is_bom() {
                self.unwrapper.push(piece, &mut |piece| out(piece, true));
            }
        };
        match bytes {
            Some(bytes) => self.decoder.push(bytes, &mut decoded),
            None => {
                self.decoder.finish(&mut decoded);
                self.unwrapper.finish(&mut |piece| out(piece, true));
            }
        }
    }
}

/// Returns the text of a source that is completely in memory.
#[must_use]
pub fn text_of(source: &[u8], mode: Unwrap) -> Vec<u8> {
    let mut text = Vec::with_capacity(source.len());
    pieces_of(source, mode, |piece| text.extend_from_slice(piece.text));
    text
}

/// Returns the repairs of a source that is completely in memory.
#[must_use]
pub fn repairs(source: &[u8], mode: Unwrap, options: &FindOptions) -> Repairs {
    Repairs::of(texts_of_writers(source, mode), options)
}

/// Returns the texts of the writers of a source. The first one contains the lines whose writer is not known; the last
/// one, those of all writers that are too many to be read side by side.
fn texts_of_writers(source: &[u8], mode: Unwrap) -> Vec<Window> {
    let mut texts = vec![Window::new()];
    let mut writers = FxHashMap::default();
    pieces_of(source, mode, |piece| {
        let next = writers.len().min(SUBSTREAMS);
        let at = piece
            .writer
            .map_or(0, |writer| *writers.entry(writer).or_insert(next));
        if at == texts.len() {
            texts.push(Window::new());
        }
        if let Some(text) = texts.get_mut(at) {
            text.add(piece);
        }
    });
    texts
}

/// Hands on the text of a source that is completely in memory, in pieces.
fn pieces_of(source: &[u8], mode: Unwrap, mut take: impl FnMut(Piece<'_>)) {
    let mut text = TextReader::new(mode);
    for bytes in [Some(source), None] {
        text.push(bytes, |piece, unwrapped| {
            if unwrapped {
                take(piece);
            }
        });
    }
}
