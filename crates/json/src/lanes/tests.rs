//! Every byte at many places, with the lanes of this processor and with the plain ones.

use super::{Among, Bytes, Lanes, MIXED, NARROW, WIDE, blockwise};

/// Every how many bytes and registers are tried: Miri takes a second for a thousand of them.
const STEP: usize = if cfg!(miri) { 61 } else { 1 };

/// Checks what is found at every byte at many places, with `other` at all other places.
fn check<const N: usize>(lanes: Lanes, tells: fn(Bytes<N>) -> Bytes<N>, is: fn(u8) -> bool) {
    for other in *b"a\"\xff" {
        let others = if is(other) { u64::MAX >> (64 - N) } else { 0 };
        for byte in (0..=u8::MAX).step_by(STEP) {
            for at in (0..N).step_by(5) {
                let mut bytes = [other; N];
                bytes[at] = byte;
                let expected = others & !(1 << at) | u64::from(is(byte)) << at;
                let found = tells(lanes.of(&bytes)).bits();
                assert_eq!(found, expected, "{byte:#x} at {at}");
            }
        }
    }
}

fn check_all<const N: usize>(lanes: Lanes) {
    check::<N>(lanes, |bytes| bytes.is(b'"'), |byte| byte == b'"');
    check::<N>(lanes, |bytes| bytes.at_least(b'a'), |byte| byte >= b'a');
    check::<N>(
        lanes,
        |bytes| bytes.outside(b' '..0x7f),
        |byte| !(b' '..0x7f).contains(&byte),
    );
    check::<N>(
        lanes,
        |bytes| (bytes | 0x20).is(b'{'),
        |byte| b"[{".contains(&byte),
    );
    check::<N>(
        lanes,
        |bytes| bytes.is_among(&const { Among::new(b" \t\n\rx") }),
        |byte| b" \t\n\rx".contains(&byte),
    );
    check::<N>(
        lanes,
        |bytes| bytes.is(b'a') | bytes.is(b'"'),
        |byte| b"a\"".contains(&byte),
    );
    check::<N>(
        lanes,
        |bytes| bytes.at_least(b'a') & bytes.is(b'b'),
        |byte| byte == b'b',
    );
    check::<N>(
        lanes,
        |bytes| bytes.at_least(b'a') ^ bytes.at_least(b'c'),
        |byte| b"ab".contains(&byte),
    );
}

fn what_is_reported_is_right(lanes: Lanes) {
    check_all::<NARROW>(lanes);
    check_all::<WIDE>(lanes);
    for at in 0..WIDE {
        assert_eq!(lanes.parity(1 << at), u64::MAX << at);
        let last = lanes.parity(u64::from(at == 63) << 63);
        assert_eq!(lanes.parity(0b11 << at), 1 << at | last);
    }
    let order = [7, 0, 6, 6, 1, 2, 3, 0];
    assert_eq!(lanes.moved(*b"abcdefgh", order), *b"haggbcda");
}

#[test]
fn what_is_reported_bytes_is_right() {
    what_is_reported_is_right(Lanes::PLAIN);
    blockwise(what_is_reported_is_right);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[path = "portable.rs"]
#[allow(dead_code)]
mod portable;

/// Checks that plain registers give the same results; on other processors all tests use them anyway.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn plain_registers_tell_the_same() {
    for bits in (0..=u16::MAX).step_by(STEP * STEP) {
        let bytes: [u8; NARROW] = std::array::from_fn(|at| match bits >> at & 1 {
            0 => 0,
            _ => u8::MAX,
        });
        let found = portable::Width::PLAIN.bits(&bytes);
        assert_eq!(found, u64::from(bits));
        assert_eq!(found, Lanes::PLAIN.of(&bytes).bits());
    }
}

#[test]
fn each_bit_and_place_of_a_block_is_mixed_in() {
    let all = |blocks: &[[u8; MIXED]]| {
        let mix = |lanes: Lanes| {
            blocks
                .iter()
                .fold([0; MIXED], |state, block| lanes.mixed(state, block))
        };
        [mix(Lanes::PLAIN), blockwise(mix)]
    };
    let mut states = Vec::new();
    for at in 0..2 * MIXED {
        for bit in 0..8 {
            let mut blocks = [[7; MIXED]; 3];
            blocks[at / MIXED][at % MIXED] ^= 1 << bit;
            states.push(all(&blocks));
        }
    }
    for width in [0, 1] {
        let mut of_width: Vec<_> = states.iter().map(|state| state[width]).collect();
        of_width.sort_unstable();
        of_width.dedup();
        assert_eq!(of_width.len(), 2 * MIXED * 8);
    }
}
