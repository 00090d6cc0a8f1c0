//! Tables for processors that look up a byte by four of its bits: sets of ASCII bytes, and the moves of compacting.

use crate::lanes::NARROW;

/// Returns a set of ASCII bytes: for each value of a byte's low four bits, one bit for each value of the high four bits
/// with which the byte is in the set.
const fn set(bytes: &[u8]) -> [u8; NARROW] {
    let mut set = [0; NARROW];
    let mut at = 0;
    while at < bytes.len() {
        set[(bytes[at] & 0xf) as usize] |= 1 << (bytes[at] >> 4);
        at += 1;
    }
    set
}

/// The bytes that can follow an opening bracket in a document.
pub(super) const BEHIND: [u8; NARROW] = set(b" \t\r\n\"\x1b}[{]-0123456789tfn");
/// The bytes that make an escape of two bytes with a backslash before them.
pub(super) const ESCAPABLE: [u8; NARROW] = set(b"\"\\/bfnrt");
/// The bytes of `ESCAPABLE` that always have to be escaped.
pub(super) const ESCAPED_ALWAYS: [u8; NARROW] = set(b"\"\\bfnrt");

/// The positions of the bytes that are kept, for each mask of eight bytes.
pub(super) static KEPT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if mask >> from & 1 == 1 {
                table[mask][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    table
};
