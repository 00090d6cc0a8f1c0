//! The errors that two bytes in a row can have in UTF-8, one bit each (Keiser and Lemire, "Validating UTF-8 in less
//! than one instruction per byte", 2020; the names are theirs). The two have an error if the table entries for the high
//! four bits of the first byte, for its low four, and for the high four of the second all have its bit.

const TOO_SHORT: u8 = 1 << 0;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/// Beyond U+10FFFF with a first byte above F4. Shares its bit with `OVERLONG_4`, as no pair has both errors.
const TOO_LARGE_1000: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
/// Two continuation bytes: an error only if no third or fourth byte is due.
const TWO_CONTS: u8 = 1 << 7;
const ANY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTS;
const LARGE: u8 = ANY | TOO_LARGE | TOO_LARGE_1000;

pub(super) const FIRST_HIGH: [u8; 16] = [
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TWO_CONTS,
    TWO_CONTS,
    TWO_CONTS,
    TWO_CONTS,
    TOO_SHORT | OVERLONG_2,
    TOO_SHORT,
    TOO_SHORT | OVERLONG_3 | SURROGATE,
    TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
];
pub(super) const FIRST_LOW: [u8; 16] = [
    ANY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
    ANY | OVERLONG_2,
    ANY,
    ANY,
    ANY | TOO_LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE,
    LARGE | SURROGATE,
    LARGE,
    LARGE,
];
const FOLLOWS: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTS;
pub(super) const SECOND_HIGH: [u8; 16] = [
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    FOLLOWS | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4,
    FOLLOWS | OVERLONG_3 | TOO_LARGE,
    FOLLOWS | SURROGATE | TOO_LARGE,
    FOLLOWS | SURROGATE | TOO_LARGE,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
];
