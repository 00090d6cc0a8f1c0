//! Terminal sequences: what begins at an escape byte.
//!
//! Nothing is removed here. When the document scanner finds an escape byte (0x1b) in the text, it asks [`sequence`]
//! what begins there, and either continues after it as if it were not there or treats it as the end of a line. A raw
//! escape byte is never legal in JSON, so neither can damage a document.
//!
//! The forms are the seven-bit forms of ECMA-48. The eight-bit forms (0x9b for `ESC [`) are continuation bytes of UTF-8
//! and are left alone.

use crate::cost;

/// The byte that begins every sequence.
pub const ESCAPE: u8 = 0x1b;

/// The longest control string (OSC, APC, DCS, PM, SOS) that is recognised, in bytes, from its escape byte to the last
/// byte of its terminator. A longer one, for example an inline image, is text after its two-byte introducer.
pub const STRING_LIMIT: usize = 4096;

/// The longest control sequence (CSI) that is recognised, in bytes.
pub const CSI_LIMIT: usize = 128;

const BELL: u8 = 0x07;

/// What begins at an escape byte. Lengths are in bytes, include the escape byte, and are never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequence {
    /// A colour or a control string: reading continues after it as if it were not there.
    Delete(usize),
    /// A cursor move, an erase or any other sequence: text after it is on another line of the screen.
    LineEnd(usize),
    /// The bytes end before it is decided. Ask again with more of them, or ask [`sequence_at_end`].
    Incomplete,
    /// No sequence: a lone escape byte, or none at all.
    None,
}

/// Returns what is at the beginning of `bytes`, where an escape byte was found.
///
/// The answer depends on at most [`STRING_LIMIT`] bytes, so that callers never need to keep more for
/// [`Sequence::Incomplete`]. Any other answer does not change with more bytes.
///
/// - `ESC [ … m` without private marks (SGR) is a colour. An `ESC [ K` directly after it belongs to it: `grep --color`
///   writes this pair around every match.
/// - `ESC ( B` and similar sequences choose a character set and are treated like colours: `tput sgr0` prints
///   `ESC ( B ESC [ m`.
/// - `ESC ]`, `ESC _`, `ESC P`, `ESC ^` and `ESC X` begin a string that `BEL` or `ESC \` ends. If the string does not
///   end on its line, only its introducer is taken, as a line end, so that it cannot swallow the source.
/// - Other `ESC [ …` and two-byte escapes are line ends. An incomplete one counts up to where it stops.
/// - Brackets and braces are never taken as the last byte of a sequence: they are more valuable as JSON.
#[must_use]
pub fn sequence(bytes: &[u8]) -> Sequence {
    let (Some(&ESCAPE), rest) = (bytes.first(), bytes.get(1..).unwrap_or_default()) else {
        return Sequence::None;
    };
    match rest.first() {
        None => Sequence::Incomplete,
        Some(b'[') => control_sequence(bytes),
        Some(b']' | b'_' | b'P' | b'^' | b'X') => control_string(bytes),
        Some(b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/') => {
            designation(rest, Sequence::Delete(3))
        }
        Some(b' ' | b'#' | b'%' | b'$') => designation(rest, Sequence::LineEnd(3)),
        Some(b'{' | b'}') => Sequence::None,
        Some(0x30..=0x7e) => Sequence::LineEnd(2),
        Some(_) => Sequence::None,
    }
}

/// Returns the [`sequence`] at the beginning of the last bytes of a source: never [`Sequence::Incomplete`].
#[must_use]
pub fn sequence_at_end(bytes: &[u8]) -> Sequence {
    match sequence(bytes) {
        Sequence::Incomplete => match (bytes.get(1), csi_extent(bytes)) {
            (None, _) => Sequence::None,
            (Some(b'['), Csi::Colour(length)) => Sequence::Delete(length),
            (Some(b'['), _) => Sequence::LineEnd(bytes.len()),
            (Some(_), _) => Sequence::LineEnd(2),
        },
        decided => decided,
    }
}

/// Returns the [`sequence`], or the [`sequence_at_end`] if no more bytes follow.
#[must_use]
pub fn sequence_in(bytes: &[u8], last: bool) -> Sequence {
    if last {
        sequence_at_end(bytes)
    } else {
        sequence(bytes)
    }
}

/// Whether a text may end with a sequence that is deleted, as its last bytes show.
#[inline]
#[must_use]
pub const fn may_end_deleted(text: &[u8]) -> bool {
    matches!(
        text,
        [.., b'm' | b'K' | b'\\' | BELL]
            | [
                ..,
                ESCAPE,
                b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/',
                _
            ]
    )
}

/// Returns the sequence of `ESC`, a byte and one more byte.
fn designation(rest: &[u8], whole: Sequence) -> Sequence {
    match rest.get(1) {
        None => Sequence::Incomplete,
        Some(b'{' | b'}' | b'[' | b']') => Sequence::LineEnd(2),
        Some(0x30..=0x7e) => whole,
        Some(_) => Sequence::LineEnd(2),
    }
}

/// The extent of an `ESC [ …`.
enum Csi {
    Colour(usize),
    Other(usize),
    Incomplete,
}

/// Returns how many bytes the `ESC [ …` at the beginning of `bytes` takes, and whether it is a colour.
fn csi_extent(bytes: &[u8]) -> Csi {
    let mut intermediate = false;
    let mut plain = true;
    for (at, &byte) in bytes.iter().enumerate().take(CSI_LIMIT).skip(2) {
        cost::look_at(1);
        match byte {
            b'0'..=b'9' | b';' | b':' if !intermediate => {}
            b'<'..=b'?' if !intermediate => plain = false,
            b' '..=b'/' => intermediate = true,
            b'm' if plain && !intermediate => return Csi::Colour(at + 1),
            b'[' | b']' | b'{' | b'}' => return Csi::Other(at),
            0x40..=0x7e => return Csi::Other(at + 1),
            _ => return Csi::Other(at),
        }
    }
    if bytes.len() < CSI_LIMIT {
        Csi::Incomplete
    } else {
        Csi::Other(CSI_LIMIT)
    }
}

/// Returns the sequence that begins with `ESC [`.
fn control_sequence(bytes: &[u8]) -> Sequence {
    const ERASE: &[u8] = b"\x1b[K";
    match csi_extent(bytes) {
        Csi::Incomplete => Sequence::Incomplete,
        Csi::Other(length) => Sequence::LineEnd(length),
        Csi::Colour(length) => {
            let after = bytes.get(length..).unwrap_or_default();
            if after.starts_with(ERASE) {
                Sequence::Delete(length + ERASE.len())
            } else if ERASE.starts_with(after) {
                Sequence::Incomplete
            } else {
                Sequence::Delete(length)
            }
        }
    }
}

/// Returns the sequence that begins with `ESC ]` or another introducer of a string.
fn control_string(bytes: &[u8]) -> Sequence {
    const UNTERMINATED: Sequence = Sequence::LineEnd(2);
    let window = bytes.get(..STRING_LIMIT).unwrap_or(bytes);
    let stop = window.iter().enumerate().skip(2).find(|&(_, &byte)| {
        // CAN and SUB cancel a string on a real terminal.
        matches!(byte, BELL | ESCAPE | b'\n' | b'\r' | 0x18 | 0x1a)
    });
    cost::look_at(stop.map_or(window.len(), |(at, _)| at));
    match stop {
        Some((at, &BELL)) => Sequence::Delete(at + 1),
        Some((at, &ESCAPE)) => match window.get(at + 1) {
            Some(b'\\') => Sequence::Delete(at + 2),
            None if window.len() < STRING_LIMIT => Sequence::Incomplete,
            _ => UNTERMINATED,
        },
        None if window.len() < STRING_LIMIT => Sequence::Incomplete,
        _ => UNTERMINATED,
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence::{Delete, Incomplete, LineEnd, None};
    use super::{CSI_LIMIT, STRING_LIMIT, Sequence, sequence, sequence_at_end};

    #[test]
    fn colours_and_control_strings_are_deleted() {
        for (bytes, length) in [
            (&b"\x1b[m{"[..], 3),
            (b"\x1b[0m{", 4),
            (b"\x1b[1;38;5;208mx", 13),
            (b"\x1b[38:2::255:0:10mx", 17),
            (b"\x1b[01;31m\x1b[Kx", 11),
            (b"\x1b[0m\x1b[0Kx", 4),
            (b"\x1b[0m\x1b[1;39m", 4),
            (b"\x1b(B\x1b[m", 3),
            (b"\x1b_bk;t=1745322209921\x07~~~ x", 21),
            (b"\x1b]0;root@host: /\x07\x1b[?2004h", 17),
            (b"\x1b]8;;http://x/\x1b\\text", 16),
            (b"\x1bPq#0;2;0;0;0{}\x1b\\", 17),
        ] {
            assert_eq!(sequence(bytes), Delete(length), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn moves_erases_and_other_escapes_are_line_ends() {
        for (bytes, length) in [
            (&b"\x1b[2K\xe2\xa0\x8b"[..], 4),
            (b"\x1b[1G\x1b[0K{", 4),
            (b"\x1b[K{\"a\":1}", 3),
            (b"\x1b[?2004l\r", 8),
            (b"\x1b[>4;2m", 7),
            (b"\x1b[ q", 4),
            (b"\x1b7x", 2),
            (b"\x1bM{", 2),
            (b"\x1b#8", 3),
        ] {
            assert_eq!(sequence(bytes), LineEnd(length), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_broken_off_swallows_nothing_after_it() {
        for (bytes, length) in [
            (&b"\x1b[31\n{}"[..], 4),
            (b"\x1b[{\"a\":1}", 2),
            (b"\x1b]0;title\n{\"a\":1}\x07", 2),
            (b"\x1b]0;title\x1b[0m{\"a\":1}\x07", 2),
            (b"\x1b_x\r\x07", 2),
            (b"\x1b({\"a\":1}", 2),
        ] {
            assert_eq!(sequence(bytes), LineEnd(length), "{}", bytes.escape_ascii());
        }
        for bytes in [
            &b""[..],
            b"x",
            b"\x1b{\"a\":1}",
            b"\x1b\x1b[0m",
            b"\x1b\n",
            b"\x1b\"a\"",
        ] {
            assert_eq!(sequence(bytes), None, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn unending_sequences_are_given_up_at_their_limit() {
        let string = [b"\x1b]", &[b'x'; STRING_LIMIT][..]].concat();
        assert_eq!(sequence(&string[..STRING_LIMIT - 1]), Incomplete);
        assert_eq!(sequence(&string[..STRING_LIMIT]), LineEnd(2));
        let mut longest = string[..STRING_LIMIT].to_vec();
        longest[STRING_LIMIT - 1] = 0x07;
        assert_eq!(sequence(&longest), Delete(STRING_LIMIT));
        let csi = [b"\x1b[", &[b'1'; CSI_LIMIT][..]].concat();
        assert_eq!(sequence(&csi[..CSI_LIMIT - 1]), Incomplete);
        assert_eq!(sequence(&csi), LineEnd(CSI_LIMIT));
    }

    #[test]
    fn the_end_of_the_source_decides() {
        for (bytes, at_end) in [
            (&b"\x1b"[..], None),
            (b"\x1b[", LineEnd(2)),
            (b"\x1b[31", LineEnd(4)),
            (b"\x1b[31m", Delete(5)),
            (b"\x1b[31m\x1b[", Delete(5)),
            (b"\x1b]0;title", LineEnd(2)),
            (b"\x1b]0;title\x1b", LineEnd(2)),
            (b"\x1b(", LineEnd(2)),
        ] {
            assert_eq!(sequence(bytes), Incomplete, "{}", bytes.escape_ascii());
            assert_eq!(sequence_at_end(bytes), at_end, "{}", bytes.escape_ascii());
        }
    }

    /// Every text of up to six bytes from an alphabet that reaches each arm: once decided, an answer stays the same.
    #[test]
    fn more_bytes_never_change_an_answer() {
        const ALPHABET: &[u8] = b"\x1b[]Km1;\x07\\\n(?{";
        fn grow(text: &mut Vec<u8>, decided: Sequence) {
            let answer = sequence(text);
            if decided != Incomplete {
                assert_eq!(answer, decided, "{}", text.escape_ascii());
            }
            if let Delete(length) | LineEnd(length) = answer {
                assert!(0 < length && length <= text.len());
            }
            assert_ne!(sequence_at_end(text), Incomplete);
            if text.len() < 6 {
                for &byte in ALPHABET {
                    text.push(byte);
                    grow(text, answer);
                    text.pop();
                }
            }
        }
        grow(&mut vec![0x1b], Incomplete);
    }
}
