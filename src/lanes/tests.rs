//! Every byte at every place, told by whatever this processor has and plainly.

use super::{Blockwise, Lanes, NARROW, WIDE};

/// Holds a function to what it tells of each byte, for every byte at every place among others.
fn check<const N: usize>(other: u8, told: impl Fn(&[u8; N]) -> u64, is: impl Fn(u8) -> bool) {
    let others = if is(other) { u64::MAX >> (64 - N) } else { 0 };
    for byte in 0..=u8::MAX {
        for at in 0..N {
            let mut bytes = [other; N];
            bytes[at] = byte;
            let expected = others & !(1 << at) | u64::from(is(byte)) << at;
            assert_eq!(told(&bytes), expected, "{byte:#x} at {at}");
        }
    }
}

#[test]
fn every_byte_at_every_place_is_told() {
    let narrow = |told: fn(&[u8; NARROW]) -> u32| move |bytes: &_| u64::from(told(bytes));
    check(b'a', narrow(super::special), is_special);
    check(b'a', |block| super::first_special(&[*block]).1, is_special);
    let is_mark = |byte| byte == b'"' || byte == b'\\';
    check(b'a', narrow(super::string_marks), is_mark);
    check(b'a', super::wide_string_marks, is_mark);
    check(b'a', narrow(super::not_digit), |byte| {
        !byte.is_ascii_digit()
    });
    check(b'0', narrow(super::not_digit), |byte| {
        !byte.is_ascii_digit()
    });
    let not_blank = |byte| !b" \t\r\n".contains(&byte);
    check(b'a', narrow(super::not_blank), not_blank);
    check(b' ', narrow(super::not_blank), not_blank);
    check(b'a', |block| super::first_opening(&[*block]).1, is_opening);
    let blocks = [[b'a'; WIDE], [b'['; WIDE]];
    assert_eq!(super::first_opening(&blocks), (1, u64::MAX));
    assert_eq!(super::first_opening(&blocks[..1]), (1, 0));
}

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || !matches!(byte, 0x20..0x80)
}

fn is_opening(byte: u8) -> bool {
    b"{[\x1b;`~".contains(&byte)
}

/// Holds what tells of a block to what it tells of each byte.
struct Checked;

impl Blockwise for Checked {
    type Output = ();

    fn run(self, lanes: impl Lanes) {
        check(b'a', |block| lanes.special(block), is_special);
        check(b'a', |block| lanes.opening(block), is_opening);
        let is_quote = |byte| byte == b'"';
        for other in *b"a\"" {
            check(other, |block| lanes.quoting(block).quotes, is_quote);
        }
        for at in 0..WIDE {
            assert_eq!(lanes.parity(1 << at), u64::MAX << at);
            assert_eq!(
                lanes.parity(0b11 << at),
                1 << at | lanes.parity(u64::from(at == 63) << 63)
            );
        }
        let is_backslash = |byte| byte == b'\\';
        check(b'a', |block| lanes.quoting(block).backslashes, is_backslash);
        let is_outside = |byte| !matches!(byte, 0x20..0x80);
        check(b'a', |block| lanes.quoting(block).outside, is_outside);
        let is_structural = |byte| b"{}[]:,\x0c\x1a".contains(&byte);
        let is_blank = |byte| b" \t\r\n".contains(&byte);
        for other in *b"a, " {
            let structure = |block: &_| lanes.structure(block);
            check(other, |block| structure(block).structural, is_structural);
            check(other, |block| structure(block).colons, |byte| byte == b':');
            check(other, |block| structure(block).commas, |byte| byte == b',');
            check(other, |block| lanes.blanks(block), is_blank);
            let is_digit = |byte: u8| byte.is_ascii_digit();
            check(other, |block| lanes.digits(block), is_digit);
        }
        let is_escapable = |byte| br#""\/bfnrt"#.contains(&byte);
        for other in *b"an" {
            check(other, |block| lanes.escapable(block), is_escapable);
        }
        keeps_together_in_order(&lanes);
    }
}

#[test]
fn what_is_told_of_blocks_is_right() {
    super::blockwise(Checked);
    Checked.run(super::Plainly);
}

fn keeps_together_in_order(lanes: &impl Lanes) {
    let bytes: [u8; WIDE] = std::array::from_fn(|at| at as u8);
    // Every mask of eight bytes at every place, beside all and beside none of the others.
    for place in 0..WIDE / 8 {
        for mask in 0..=u64::from(u8::MAX) {
            for others in [0, !(0xff << (place * 8))] {
                let keep = mask << (place * 8) | others;
                let kept = bytes.iter().filter(|&&byte| keep >> byte & 1 == 1);
                let expected: Vec<u8> = kept.copied().collect();
                let mut into = [0xff; WIDE];
                let length = lanes.compact(&bytes, keep, &mut into);
                assert_eq!(into[..length], expected, "{keep:#x}");
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[path = "portable.rs"]
#[allow(dead_code)]
mod portable;

/// Elsewhere than on x86-64 the plain functions are what all others are held to.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_portable_functions_tell_the_same() {
    type Told = fn(&[u8; NARROW]) -> u32;
    let pairs: [(Told, Told); 6] = [
        (portable::special, super::imp::special),
        (portable::not_digit, super::imp::not_digit),
        (portable::not_blank, super::imp::not_blank),
        (portable::opening, super::imp::opening),
        (portable::structural, super::imp::structural),
        (portable::outside, super::imp::outside),
    ];
    for byte in 0..=u8::MAX {
        for neighbour in 0..=u8::MAX {
            let bytes = std::array::from_fn(|at| if at % 3 == 0 { byte } else { neighbour });
            for (portable, other) in pairs {
                assert_eq!(portable(&bytes), other(&bytes), "{bytes:?}");
            }
            let found = portable::equal(&bytes, byte);
            assert_eq!(found, super::imp::equal(&bytes, byte), "{bytes:?}");
        }
    }
}
