//! Every byte at every place, with the lanes of this processor and with the plain ones.

use super::{BEFORE, Blockwise, Lanes, NARROW, WIDE};

/// Checks the result of a function for every byte at every place, with `other` at all other places.
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
    check(
        b'a',
        |block| super::wide_equal(block, b'"'),
        |byte| byte == b'"',
    );
    check(b'a', super::wide_digits, |byte| byte.is_ascii_digit());
    check(b'a', narrow(super::not_digit), |byte| {
        !byte.is_ascii_digit()
    });
    check(b'0', narrow(super::not_digit), |byte| {
        !byte.is_ascii_digit()
    });
    for other in *b"a[" {
        let told = |few: &_| u64::from(super::not_equal(few, b'['));
        check(other, told, |byte| byte != b'[');
    }
    let not_blank = |byte| !b" \t\r\n".contains(&byte);
    check(b'a', narrow(super::not_blank), not_blank);
    check(b' ', narrow(super::not_blank), not_blank);
    let blocks = [[b'a'; WIDE], [b'"'; WIDE]];
    assert_eq!(super::first_special(&blocks), (1, u64::MAX));
    assert_eq!(super::first_special(&blocks[..1]), (1, 0));
}

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || !matches!(byte, 0x20..0x80)
}

/// Checks that brackets after which a document can continue are found, and letters are not.
fn openings_are_told(lanes: &impl Lanes) {
    for opening in *b"{[`~\x1b" {
        for at in 0..=WIDE {
            let mut text = [b'a'; WIDE + 1];
            text[at] = opening;
            if let Some(behind) = text.get_mut(at + 1) {
                *behind = b'"';
            }
            let expected = 1_u64.checked_shl(at as u32).unwrap_or(0);
            assert_eq!(lanes.openings(&text), expected, "{opening:#x} at {at}");
        }
    }
    assert_eq!(lanes.openings(&[b'['; WIDE + 1]), u64::MAX);
}

#[test]
fn line_feeds_are_counted() {
    // More line feeds than a byte can count at one place, and line feeds at every second place.
    let text = [b"\n".repeat(300 * WIDE), b"a\n".repeat(WIDE)].concat();
    for length in 0..=2 * WIDE {
        for text in [&text[..text.len() - length], &text[text.len() - length..]] {
            let feeds = text.iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(super::line_feeds(text), feeds);
        }
    }
}

/// Checks the functions for blocks against functions for single bytes.
#[derive(Clone, Copy)]
struct Checked;

impl Blockwise for Checked {
    type Output = ();

    fn run(self, lanes: impl Lanes) {
        check(b'a', |block| lanes.special(block), is_special);
        let is_escape = |byte| byte == b'\x1b';
        check(b'a', |block| lanes.equal(block, b'\x1b'), is_escape);
        openings_are_told(&lanes);
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
        let is_always = |byte| is_escapable(byte) && byte != b'/';
        for other in *b"an" {
            check(other, |block| lanes.escapable(block), is_escapable);
            check(other, |block| lanes.escaped_always(block), is_always);
        }
        keeps_together_in_order(&lanes);
        tells_utf8(&lanes);
    }
}

#[test]
fn what_is_told_of_blocks_is_right() {
    super::blockwise(Checked);
    Checked.run(super::Plainly);
}

/// Checks all first and second bytes, with third and fourth bytes at the borders of their ranges, at the beginning, in
/// the middle and at the end.
fn tells_utf8(lanes: &impl Lanes) {
    let told = |at: usize, character: &[u8]| {
        let mut around = [b'a'; BEFORE + WIDE];
        let places = around[at..].iter_mut().zip(character);
        places.for_each(|(place, &byte)| *place = byte);
        let is_valid = |bytes| match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        let never = |byte: &u8| matches!(byte, 0xc0..=0xc1 | 0xf5..);
        if !is_valid(&around[..BEFORE]) || around.last().is_some_and(never) {
            // The first is found in the block before, the second with the bytes after the block.
            return None;
        }
        let bits = around[BEFORE..].iter().enumerate();
        let beyond = bits.fold(0, |all, (at, byte)| all | u64::from(!byte.is_ascii()) << at);
        let expected = if is_valid(&around) { beyond } else { 0 };
        Some((lanes.characters(&around), expected))
    };
    if told(BEFORE, "\u{e9}".as_bytes()).is_some_and(|(found, _)| found == 0) {
        // The portable functions do not check UTF-8.
        return;
    }
    let borders = [0x7f, 0x80, 0xc0];
    for at in [0, 1, 2, 33, 63, 66] {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                for third in borders {
                    for fourth in borders {
                        let character = [first, second, third, fourth];
                        if let Some((found, expected)) = told(at, &character) {
                            assert_eq!(found, expected, "{character:x?} at {at}");
                        }
                    }
                }
            }
        }
    }
}

fn keeps_together_in_order(lanes: &impl Lanes) {
    let bytes: [u8; WIDE] = std::array::from_fn(|at| at as u8);
    // Every mask of eight bytes at every place, with all or none of the other bytes.
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

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[path = "portable.rs"]
#[allow(dead_code)]
mod portable;

/// Checks that the portable functions give the same results; on other processors all tests use them anyway.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
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
