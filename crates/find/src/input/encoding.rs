//! Encodings: turns blocks of a source into UTF-8 text.
//!
//! A byte order mark at the very start decides. UTF-16 is transcoded; everything else is passed on unchanged and
//! uncopied, whatever it is: bytes that are not UTF-8 are noise to the finder.

use jsift_json::BOM;

use super::piece::{Piece, SourceLine};

const BOM_LITTLE: &[u8] = b"\xff\xfe";
const BOM_BIG: &[u8] = b"\xfe\xff";

/// Advice for text that is UTF-16 without saying so, which [`is_bare_utf16`] recognises.
pub const BARE_UTF16: &str = "this is UTF-16 without a byte order mark: convert it with iconv -f UTF-16LE -t UTF-8, \
                              or have PowerShell write it with Out-File -Encoding utf8";

/// Whether the beginning of a source is ASCII in UTF-16 without a byte order mark: every second byte is NUL.
#[must_use]
pub fn is_bare_utf16(head: &[u8]) -> bool {
    /// How many bytes are checked.
    const ENOUGH: usize = 8;
    let head = head.strip_prefix(b"\0").unwrap_or(head);
    let (units, _) = head.get(..ENOUGH).unwrap_or_default().as_chunks();
    !units.is_empty() && units.iter().all(|[byte, zero]| *byte != 0 && *zero == 0)
}

/// Turns the blocks of one source into text. The result does not depend on how the source is cut into blocks.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The offset of the next byte.
    offset: u64,
    state: DecoderState,
}

#[derive(Debug)]
enum DecoderState {
    /// Only the beginning of a byte order mark has arrived: which one, and how many bytes of it.
    Start {
        bom: &'static [u8],
        seen: usize,
    },
    /// Blocks are text. The first block after a byte order mark has to state its position.
    Plain {
        line: Option<SourceLine>,
    },
    Wide(Wide),
}

impl Default for DecoderState {
    fn default() -> Self {
        Self::Start { bom: &[], seen: 0 }
    }
}

impl Decoder {
    /// Returns a decoder at the start of a source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether blocks are text as they are, with no position to state, so that callers may skip the decoder.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.state, DecoderState::Plain { line: None })
    }

    /// Reads the next block. The byte order mark of UTF-8 is a [piece of its own](Piece::is_bom), others are left out.
    pub fn push(&mut self, mut block: &[u8], out: &mut impl FnMut(Piece<'_>)) {
        while let DecoderState::Start { bom, seen } = self.state {
            let Some((&byte, rest)) = block.split_first() else {
                return;
            };
            let bom = match (seen, byte) {
                (0, 0xef) => BOM,
                (0, 0xff) => BOM_LITTLE,
                (0, 0xfe) => BOM_BIG,
                _ => bom,
            };
            if bom.get(seen) == Some(&byte) {
                block = rest;
                self.bom_goes_on(bom, seen + 1, out);
            } else {
                self.no_bom(bom, seen, out);
            }
        }
        match &mut self.state {
            DecoderState::Wide(wide) => wide.push(block, self.offset, out),
            DecoderState::Plain { line } if !block.is_empty() => out(Piece {
                line: line.take(),
                ..Piece::plain(block, self.offset)
            }),
            DecoderState::Plain { .. } | DecoderState::Start { .. } => {}
        }
        self.offset += block.len() as u64;
    }

    /// Ends the source: passes on the rest of an incomplete byte order mark. What is there of a character in UTF-16 is
    /// left out: a replacement would be text after the byte where a document was cut off.
    pub fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        if let DecoderState::Start { bom, seen } = self.state {
            self.no_bom(bom, seen, out);
        }
    }

    fn bom_goes_on(&mut self, bom: &'static [u8], seen: usize, out: &mut impl FnMut(Piece<'_>)) {
        self.state = if seen < bom.len() {
            DecoderState::Start { bom, seen }
        } else {
            self.offset = seen as u64;
            match bom {
                BOM => {
                    out(Piece::plain(BOM, 0));
                    DecoderState::Plain {
                        line: Some(SourceLine::FIRST),
                    }
                }
                _ => DecoderState::Wide(Wide::new(bom == BOM_BIG)),
            }
        };
    }

    fn no_bom(&mut self, bom: &'static [u8], seen: usize, out: &mut impl FnMut(Piece<'_>)) {
        self.state = DecoderState::Plain { line: None };
        self.offset = seen as u64;
        match bom.get(..seen) {
            Some(bytes) if !bytes.is_empty() => out(Piece::plain(bytes, 0)),
            _ => {}
        }
    }
}

/// Converts UTF-16 to UTF-8. Runs of ASCII become pieces with a stride of 2. Runs of other characters become pieces
/// with a stride of 0, at the offset of their first character: they contain neither brackets nor line feeds, so nothing
/// is ever located inside one.
#[derive(Debug)]
struct Wide {
    big: bool,
    /// The first byte of a code unit.
    half: Option<u8>,
    /// The first unit of a surrogate pair.
    high: Option<u16>,
    /// Whether the last character was not ASCII.
    run: bool,
    text: Vec<u8>,
    /// The offset where the text begins, or the run that it continues.
    start: u64,
    start_line: SourceLine,
    line: SourceLine,
}

impl Wide {
    const fn new(big: bool) -> Self {
        Self {
            big,
            half: None,
            high: None,
            run: false,
            text: Vec::new(),
            start: 0,
            start_line: SourceLine::FIRST,
            line: SourceLine::FIRST,
        }
    }

    /// Reads a block that is at the offset `at`.
    fn push(&mut self, mut block: &[u8], mut at: u64, out: &mut impl FnMut(Piece<'_>)) {
        if let (Some(half), Some((&byte, rest))) = (self.half, block.split_first()) {
            self.half = None;
            self.unit([half, byte], at.saturating_sub(1), out);
            block = rest;
            at += 1;
        }
        let (pairs, odd) = block.as_chunks::<2>();
        for &pair in pairs {
            self.unit(pair, at, out);
            at += 2;
        }
        self.half = odd.first().copied().or(self.half);
        self.flush(out);
    }

    fn unit(&mut self, pair: [u8; 2], at: u64, out: &mut impl FnMut(Piece<'_>)) {
        let unit = if self.big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        };
        if let Some(high) = self.high.take() {
            let first = at.saturating_sub(2);
            if let Some(Ok(character)) = char::decode_utf16([high, unit]).next() {
                return self.character(character, first, out);
            }
            self.character(char::REPLACEMENT_CHARACTER, first, out);
        }
        match unit {
            0..0x80 => self.ascii(unit as u8, at, out),
            0xd800..0xdc00 => self.high = Some(unit),
            _ => {
                let character = char::from_u32(u32::from(unit));
                self.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), at, out);
            }
        }
    }

    fn ascii(&mut self, byte: u8, at: u64, out: &mut impl FnMut(Piece<'_>)) {
        if self.run {
            self.flush(out);
            self.run = false;
        }
        if self.text.is_empty() {
            self.begin(at);
        }
        self.text.push(byte);
        if byte == b'\n' {
            self.line = self.line.after(at, 2);
        }
    }

    fn character(&mut self, character: char, at: u64, out: &mut impl FnMut(Piece<'_>)) {
        if !self.run {
            self.flush(out);
            self.run = true;
            self.begin(at);
        }
        self.text
            .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    const fn begin(&mut self, at: u64) {
        self.start = at;
        self.start_line = self.line;
    }

    fn flush(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        if !self.text.is_empty() {
            out(Piece {
                text: &self.text,
                offset: self.start,
                stride: if self.run { 0 } else { 2 },
                line: Some(self.start_line),
                writer: None,
            });
            self.text.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decoder, is_bare_utf16};
    use crate::input::Traced;
    use proptest::prelude::{prop, proptest};

    #[test]
    fn ascii_in_utf16_is_reported_without_a_bom() {
        for bare in ["{\0\"\0a\0\"\0", "\0{\0\"\0a\0\"\0"] {
            assert!(is_bare_utf16(bare.as_bytes()));
        }
        for other in [
            "",
            "{\0\"\0a\0",
            "{\"a\":1,\"",
            "{\0\0\0\"\0\0\0",
            "a\0b\0c\0d ",
        ] {
            assert!(!is_bare_utf16(other.as_bytes()), "{other:?}");
        }
    }

    fn decode<'a>(blocks: impl IntoIterator<Item = &'a [u8]>) -> Traced {
        let mut traced = Traced::default();
        let mut decoder = Decoder::new();
        for block in blocks {
            decoder.push(block, &mut |piece| traced.take(piece));
        }
        decoder.finish(&mut |piece| traced.take(piece));
        traced
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn plain_blocks_are_handed_on_uncopied() {
        let block = b"caf\xe9 \xff\n{}";
        let mut seen = 0;
        Decoder::new().push(block, &mut |piece| {
            assert!(std::ptr::eq(piece.text, block));
            assert_eq!((piece.offset, piece.stride, piece.line), (0, 1, None));
            seen += 1;
        });
        assert_eq!(seen, 1);
    }

    #[test]
    fn a_bom_is_a_piece_of_its_own_and_counted() {
        let (source, mut pieces) = (b"\xef\xbb\xbf{}\n\xef\xbb\xbf[]", Vec::new());
        Decoder::new().push(source, &mut |piece| {
            pieces.push((piece.is_bom(), piece.text.to_vec()));
        });
        let (bom, text) = source.split_at(3);
        assert_eq!(pieces, [(true, bom.to_vec()), (false, text.to_vec())]);
        let traced = decode([&source[..]]);
        assert_eq!(traced.find("{"), (1, 4, 3));
        assert_eq!(traced.find("["), (2, 4, 9));
    }

    #[test]
    fn what_only_begins_like_a_bom_is_text() {
        for bytes in [
            &b""[..],
            b"\xef",
            b"\xef\xbb",
            b"\xef\xbb{}",
            b"\xff",
            b"\xff{}",
            b"\xfe\xfe\xff",
            b"\xef\xbf\xbd",
        ] {
            let traced = decode(bytes.chunks(1));
            assert_eq!(traced.text, bytes);
            assert!(
                traced
                    .positions
                    .iter()
                    .map(|p| p.offset)
                    .eq(0..bytes.len() as u64)
            );
        }
    }

    #[test]
    fn utf16_is_transcoded_and_located_in_the_source() {
        let text = "ab\r\n{\"é\": \"漢字🚀\"}\n[1]";
        for big in [false, true] {
            let traced = decode([&utf16(text, big)[..]]);
            assert_eq!(traced.text, text.as_bytes());
            assert_eq!(traced.find("b"), (1, 5, 4));
            assert_eq!(traced.find("{"), (2, 1, 10));
            assert_eq!(traced.find("é"), (2, 5, 14));
            assert_eq!(traced.find("}"), (2, 25, 34));
            assert_eq!(traced.find("["), (3, 1, 38));
        }
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        let lone = b"\xff\xfe\x00\xd8a\x00\x00\xdcb\x00\x00\xd8\x01\xd8c\x00";
        let traced = decode([&lone[..]]);
        assert_eq!(
            traced.text,
            "\u{fffd}a\u{fffd}b\u{fffd}\u{fffd}c".as_bytes()
        );
        assert_eq!(traced.find("b"), (1, 9, 8));
    }

    #[test]
    fn a_character_that_is_cut_off_is_left_out() {
        for rest in [&b"z"[..], b"\x00\xd8", b"\x00\xd8\x01"] {
            assert_eq!(decode([b"\xff\xfea\x00", rest]).text, b"a");
        }
    }

    proptest! {
        #[test]
        fn cuts_do_not_show(
            bom in prop::sample::select(vec![&b""[..], b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"]),
            body in prop::collection::vec(prop::sample::select(b"a\n\x00\xd8\xdc\x4e{\xef\xbb\xff".to_vec()), 0..40),
            cut in 1usize..9,
        ) {
            let bytes = [bom, &body[..]].concat();
            assert_eq!(decode(bytes.chunks(cut)), decode([&bytes[..]]));
        }
    }
}
