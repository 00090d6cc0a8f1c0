//! Tables for processors that look up a byte by four of its bits: sets of ASCII bytes, and what compacting moves where.

use crate::lanes::NARROW;

/// A set of ASCII bytes: for the low four bits of a byte, with which high four it is in the set, one bit for each.
const fn set(bytes: &[u8]) -> [u8; NARROW] {
    let mut set = [0; NARROW];
    let mut at = 0;
    while at < bytes.len() {
        set[(bytes[at] & 0xf) as usize] |= 1 << (bytes[at] >> 4);
        at += 1;
    }
    set
}

/// What can stand behind one of the opening brackets in a document.
pub(super) const BEHIND: [u8; NARROW] = set(b" \t\r\n\"\x1b}[{]-0123456789tfn");
/// What makes an escape of two bytes with a backslash before it.
pub(super) const ESCAPABLE: [u8; NARROW] = set(b"\"\\/bfnrt");
/// Those of them of which such an escape is always made.
pub(super) const ESCAPED_ALWAYS: [u8; NARROW] = set(b"\"\\bfnrt");

/// For each mask of eight bytes where the bytes stand that are kept.
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
