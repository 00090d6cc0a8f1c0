//! The writer: a document is written as it was read, except for the white space between its tokens.
//!
//! It trusts the scanner before it: the text is valid JSON, so brackets match, and the number of open brackets is all
//! the state that a layout needs. Strings, numbers, key order and duplicate keys are copied byte for byte. Text that is
//! not JSON does no harm here, but its layout is undefined.

mod array;

use crate::cost;
use std::borrow::Cow;
use std::io::{self, Write};

use super::quotes::Quotes;
use super::string::string_end;
use super::{after_white, is_white};
use crate::lanes::{self, Lanes, WIDE};
use crate::memory;
pub use array::{end_array, write_element};

/// The white space between the tokens of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// No white space: one line.
    #[default]
    Compact,
    /// One line per value, indented by this many spaces per level, like jq. With 0 it is [`Layout::Compact`].
    Pretty(u8),
    /// As found, without white space around the document.
    AsFound,
}

/// No line is indented by more levels than this, so that deep nesting cannot make the output of a linear reader
/// grow with the square of its input.
pub const LEVELS: usize = 64;

/// The spaces that a level is indented by, at most.
static BLANKS: [u8; u8::MAX as usize] = [b' '; u8::MAX as usize];

/// The number of bytes from which white space is removed at a time.
pub const PAGE: usize = 16 * WIDE;

/// A writer that gives access to its buffer, so that text is written in place.
pub trait Room: Write {
    /// Calls `put` with room for a page after what was written, and keeps as many bytes of it as `put` returns.
    ///
    /// # Errors
    ///
    /// Fails if the writer does.
    fn page(&mut self, put: impl FnOnce(&mut [u8; PAGE]) -> usize) -> io::Result<()>;
}

impl Room for Vec<u8> {
    #[inline(always)]
    fn page(&mut self, put: impl FnOnce(&mut [u8; PAGE]) -> usize) -> io::Result<()> {
        let end = self.len();
        self.resize(end + PAGE, 0);
        let kept = match self.last_chunk_mut() {
            Some(room) => put(room),
            None => 0,
        };
        self.truncate(end + kept);
        Ok(())
    }
}

/// Writes a document, without a line end.
///
/// With `color`, tokens are coloured like in jq, for terminals or on request.
///
/// # Errors
///
/// Fails if `out` does.
pub fn write<W>(out: &mut W, text: &[u8], layout: Layout, color: bool) -> io::Result<()>
where
    W: Room,
{
    match layout {
        Layout::Compact | Layout::Pretty(0) if !color => {
            add_minified(out, text.trim_ascii(), &mut Quotes::new())
        }
        Layout::AsFound if !color => out.write_all(text.trim_ascii()),
        layout => Printer::new(out, layout, color).print(text.trim_ascii()),
    }
}

/// Returns a document without white space between its tokens; borrowed if it has none.
#[must_use]
pub fn minify(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.trim_ascii();
    let mut small = Minified::new();
    match small.finish(text).len() == text.len() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(small.text),
    }
}

/// A document from which white space is removed piece by piece, while it is read.
#[derive(Debug, Clone)]
pub struct Minified {
    text: Vec<u8>,
    quotes: Quotes,
}

impl Default for Minified {
    fn default() -> Self {
        Self::new()
    }
}

impl Minified {
    /// Returns an empty text.
    pub const fn new() -> Self {
        Self {
            text: Vec::new(),
            quotes: Quotes::new(),
        }
    }

    /// Adds the whole blocks at the start of `text`, and returns their length; the caller passes the rest again later.
    pub fn push(&mut self, text: &[u8]) -> usize {
        let (blocks, _) = text.as_chunks::<{ WIDE }>();
        self.add(blocks.as_flattened());
        blocks.as_flattened().len()
    }

    /// Returns what was added so far.
    pub fn begun(&self) -> &[u8] {
        &self.text
    }

    /// Returns the whole document, after adding `text`, which is its end.
    pub fn finish(&mut self, text: &[u8]) -> &[u8] {
        self.add(text);
        &self.text
    }

    fn add(&mut self, text: &[u8]) {
        let Self { text: out, quotes } = self;
        memory::reserve(out, text.len() + PAGE);
        // Writing to a Vec cannot fail.
        let _ = add_minified(out, text, quotes);
    }
}

/// Writes a text without the white space between its tokens. `quotes` is the state after the text before.
fn add_minified(out: &mut impl Room, text: &[u8], quotes: &mut Quotes) -> io::Result<()> {
    cost::search(text.len());
    lanes::blockwise(
        #[inline(always)]
        |lanes| {
            let mut state = *quotes;
            for page in text.chunks(PAGE) {
                out.page(
                    #[inline(always)]
                    |room| minify_page(page, room, &mut state, lanes),
                )?;
            }
            *quotes = state;
            Ok(())
        },
    )
}

/// Writes a page of text to `room` without the white space between its tokens, and returns the length.
#[inline(always)]
fn minify_page(page: &[u8], room: &mut [u8; PAGE], quotes: &mut Quotes, lanes: Lanes) -> usize {
    let mut kept = 0;
    let (blocks, tail) = page.as_chunks();
    for block in blocks {
        let keep = kept_of(block, quotes, lanes);
        kept += compact(block, keep, room.get_mut(kept..), lanes);
    }
    // A full page must not add such a block: its filling would be taken as escaped by a backslash at the page's end.
    if !tail.is_empty() {
        let block = lanes::filled_up(tail, b' ');
        let beyond = u64::MAX << tail.len();
        let keep = kept_of(&block, quotes, lanes) & !beyond;
        kept += compact(&block, keep, room.get_mut(kept..), lanes);
    }
    kept
}

/// Returns which bytes are not white space between tokens.
#[inline(always)]
fn kept_of(block: &[u8; WIDE], quotes: &mut Quotes, lanes: Lanes) -> u64 {
    quotes.next(block, lanes).inside | lanes.of(block).at_least(b'!').bits()
}

/// Copies the bytes whose bits are set in `keep` to the beginning of `room`, and returns their number. The bytes of
/// `room` after them are undefined.
#[inline(always)]
fn compact(block: &[u8; WIDE], keep: u64, room: Option<&mut [u8]>, lanes: Lanes) -> usize {
    let Some(room): Option<&mut [u8; WIDE]> = room.and_then(<[u8]>::first_chunk_mut) else {
        return 0;
    };
    if keep == u64::MAX {
        *room = *block;
        return WIDE;
    }
    let mut kept = 0;
    let (eights, _) = block.as_chunks();
    for (eight, mask) in eights.iter().zip(keep.to_le_bytes()) {
        if let Some(room) = room.get_mut(kept..).and_then(<[u8]>::first_chunk_mut) {
            *room = lanes.moved(*eight, KEPT[usize::from(mask)]);
        }
        kept += mask.count_ones() as usize;
    }
    kept
}

/// The places of the bytes that are kept, for each mask of eight bytes.
static KEPT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut left, mut to) = (mask, 0);
        while left != 0 {
            table[mask][to] = left.trailing_zeros() as u8;
            left &= left - 1;
            to += 1;
        }
        mask += 1;
    }
    table
};

/// The kind of a token, as far as layout and colour need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Open,
    Close,
    Comma,
    Colon,
    Name,
    String,
    Null,
    /// A number, `true` or `false`.
    Plain,
    White,
}

impl TokenKind {
    /// Returns jq's colour as the parameters of an SGR sequence.
    const fn color(self) -> Option<&'static str> {
        match self {
            Self::Open | Self::Close | Self::Comma | Self::Colon => Some("1;39"),
            Self::Name => Some("34;1"),
            Self::String => Some("0;32"),
            Self::Null => Some("0;90"),
            Self::Plain | Self::White => None,
        }
    }
}

/// Returns the kind of the token at a position, and where it ends.
fn token(text: &[u8], at: usize) -> Option<(TokenKind, usize)> {
    let kind = match text.get(at)? {
        b'{' | b'[' => TokenKind::Open,
        b'}' | b']' => TokenKind::Close,
        b',' => TokenKind::Comma,
        b':' => TokenKind::Colon,
        b'"' => {
            let end = string_end(text, at);
            let next = text.get(after_white(text, end));
            let kind = if next == Some(&b':') {
                TokenKind::Name
            } else {
                TokenKind::String
            };
            return Some((kind, end));
        }
        byte if is_white(*byte) => return Some((TokenKind::White, after_white(text, at))),
        byte => {
            let rest = text.get(at..).unwrap_or_default();
            let ends = |byte: &u8| is_white(*byte) || b"{}[],:\"".contains(byte);
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            let kind = if *byte == b'n' {
                TokenKind::Null
            } else {
                TokenKind::Plain
            };
            return Some((kind, at + length));
        }
    };
    Some((kind, at + 1))
}

/// Writes a document token by token.
struct Printer<'w, W> {
    out: &'w mut W,
    layout: Layout,
    color: bool,
    depth: usize,
}

impl<'w, W: Write> Printer<'w, W> {
    const fn new(out: &'w mut W, layout: Layout, color: bool) -> Self {
        Self {
            out,
            layout: match layout {
                Layout::Pretty(0) => Layout::Compact,
                layout => layout,
            },
            color,
            depth: 0,
        }
    }

    /// Writes a document, without white space around it.
    fn print(mut self, text: &[u8]) -> io::Result<()> {
        cost::look_at(text.len());
        let mut at = 0;
        let mut last = TokenKind::White;
        while let Some((kind, end)) = token(text, at) {
            let bytes = text.get(at..end).unwrap_or_default();
            at = end;
            if kind == TokenKind::White && self.layout != Layout::AsFound {
                continue;
            }
            self.space(last, kind)?;
            self.put(kind, bytes)?;
            last = kind;
        }
        Ok(())
    }

    /// Writes the white space between two tokens.
    fn space(&mut self, last: TokenKind, next: TokenKind) -> io::Result<()> {
        if next == TokenKind::Close {
            self.depth = self.depth.saturating_sub(1);
        }
        if let Layout::Pretty(indent) = self.layout {
            match (last, next) {
                (TokenKind::Open, TokenKind::Close) => {}
                (TokenKind::Open | TokenKind::Comma, _) | (_, TokenKind::Close) => {
                    self.new_line(indent)?;
                }
                (TokenKind::Colon, _) => self.out.write_all(b" ")?,
                _ => {}
            }
        }
        if next == TokenKind::Open {
            self.depth += 1;
        }
        Ok(())
    }

    fn new_line(&mut self, indent: u8) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        let blanks = BLANKS.get(..indent.into()).unwrap_or_default();
        (0..self.depth.min(LEVELS)).try_for_each(|_| self.out.write_all(blanks))
    }

    fn put(&mut self, kind: TokenKind, bytes: &[u8]) -> io::Result<()> {
        let Some(color) = kind.color().filter(|_| self.color) else {
            return self.out.write_all(bytes);
        };
        write!(self.out, "\x1b[{color}m")?;
        self.out.write_all(bytes)?;
        self.out.write_all(b"\x1b[0m")
    }
}

#[cfg(test)]
mod tests;
