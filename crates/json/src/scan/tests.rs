//! What the scanner reads, by example, and the promise that it does not matter into which pieces the bytes are split.

use proptest::prelude::*;

use super::{Scanner, Shape, Step, clean, structure};

fn read(text: &[u8]) -> (usize, Step) {
    Scanner::new(false).scan(text, 0, true)
}

#[test]
fn reads_one_text_and_stops_after_it() {
    for (text, after) in [
        (&b"{}"[..], &b"x"[..]),
        (b"[1, 2.5e-3, \"a\\u00e9\", null]", b"]"),
        (b"{\"a\": {\"b\": [true, false]}}", b" "),
        (b"\"\xc3\xa9\\ud800\"", b""),
        (b"12", b" 3"),
        (b"-0e1", b","),
        (b"true", b"!"),
    ] {
        let (at, step) = read(&[text, after].concat());
        assert_eq!((at, step), (text.len(), Step::Complete), "{text:?}");
    }
}

#[test]
fn stops_at_the_byte_that_breaks_the_grammar() {
    for (text, length) in [
        (&b"{a"[..], 1),
        (b"[1,]", 3),
        (b"{\"a\":1,}", 7),
        (b"{\"a\" 1}", 5),
        (b"[01]", 2),
        (b"[1.]", 3),
        (b"[nul]", 4),
        (b"[\"\n\"]", 2),
        (b"[\"\\q\"]", 3),
        (b"[\"\\u12g\"]", 6),
        (b"[\"\xff\"]", 2),
        (b"[\"\xed\xa0\x80\"]", 3),
        (b"[1}", 2),
    ] {
        let (at, step) = read(text);
        assert!(matches!(step, Step::Broken(_)), "{text:?} {step:?}");
        assert_eq!(at, length, "{text:?}");
    }
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    let text = b"{\"k\\n\": [1, -2.5E+7, \"\xf0\x9f\x98\x80\\ud83d\", {}, [], tr\x1b[1mue], \"z\": \x1b[0m\x1b[K{\"a\": null}} x";
    let whole = read(text);
    assert_eq!(whole.1, Step::Complete);
    for cut in 0..whole.0 {
        let mut scanner = Scanner::new(false);
        let (at, step) = scanner.scan(&text[..cut], 0, false);
        assert_eq!(step, Step::More, "{cut}");
        let (more, step) = scanner.scan(&text[at..], at as u64, true);
        assert_eq!((at + more, step), whole, "{cut}");
    }
}

#[test]
fn a_text_is_committed_by_a_colon_or_a_comma() {
    let committed = |text: &[u8]| {
        let mut scanner = Scanner::new(false);
        scanner.scan(text, 0, true);
        scanner.is_committed()
    };
    for text in ["{\"a\":", "[[1,", "[[1,2],", "[{\"a\":[1"] {
        assert!(committed(text.as_bytes()), "{text}");
    }
    for text in ["{\"a\"", "[[1", "[[1,2]", "[{\"a\":[1]}"] {
        assert!(!committed(text.as_bytes()), "{text}");
    }
}

#[test]
fn deep_nesting_needs_one_bit_a_level() {
    let depth = 1 << 16;
    let text = [vec![b'['; depth], vec![b']'; depth]].concat();
    assert_eq!(read(&text), (2 * depth, Step::Complete));
}

#[test]
fn cleaning_takes_out_what_is_not_json() {
    let text = b"\x1b[1;39m{\x1b[0m\n\xef\xbb\xbf\"a\":\x1b[32m\"\xef\xbb\xbf\\\"\"}";
    assert_eq!(&*clean(text), b"{\n\"a\":\"\xef\xbb\xbf\\\"\"}");
}

#[test]
fn characters_are_those_of_utf8() {
    // All first and second bytes, with third and fourth bytes at the borders of their ranges.
    let all: Vec<u8> = (0..=u8::MAX).collect();
    let seconds = match cfg!(feature = "slow") {
        true => &all[..],
        false => b"\x00\x1f\x20\"A\\\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xff",
    };
    for first in 0..=u8::MAX {
        for &second in seconds {
            for third in [0x7f, 0x80, 0xc0] {
                for fourth in [0x80, 0xc0] {
                    let bytes = [first, second, third, fourth];
                    let wanted = std::str::from_utf8(&bytes).is_ok()
                        && bytes.iter().all(|byte| *byte >= b' ');
                    let text = [b"12345", &bytes[..], b" 0"].concat();
                    assert_eq!(structure::wrong(&text, 5) == 0, wanted, "{bytes:x?}");
                    if !bytes.iter().any(|byte| b"\"\\".contains(byte)) {
                        let text = [b"\"", &bytes[..], b"\""].concat();
                        let complete = read(&text).1 == Step::Complete;
                        assert_eq!(complete, wanted, "{bytes:x?}");
                    }
                }
            }
        }
    }
}

/// What a scanner knows about a text that it has read as far as it could.
type Known = (usize, Step, Shape, bool, Option<usize>, usize, bool, u64);

/// Reads a text that arrives in pieces of `length` bytes.
fn read_in_pieces(text: &[u8], length: usize) -> Known {
    let mut scanner = Scanner::new(false);
    let (mut at, mut end) = (0, 0);
    let step = loop {
        end = text.len().min(end + length);
        let (read, step) = scanner.scan(&text[at..end], at as u64, end == text.len());
        at += read;
        if step != Step::More || end == text.len() {
            break step;
        }
    };
    (
        at,
        step,
        scanner.shape(),
        scanner.is_committed(),
        scanner.first_element(),
        scanner.depth(),
        scanner.in_first_name(),
        scanner.last_open(),
    )
}

#[test]
fn a_character_outside_of_strings_is_none_of_theirs() {
    for blanks in 0..2 * crate::lanes::WIDE {
        let name = "a".repeat(64);
        let blank = " ".repeat(blanks);
        let sound = format!("{{\"{name}\":\"\u{e9}\",{blank}");
        let text = [sound.as_bytes(), b"\xe9x"].concat();
        let bytes = read_in_pieces(&text, 1);
        let whole = read_in_pieces(&text, usize::MAX / 2);
        assert_eq!(whole, bytes, "{blanks}");
    }
}

/// Returns something that may be part of a text, valid or not.
fn token() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        "[a-z ]{0,80}",
        Just("\\\" \\\\ \\u00e9".to_owned()),
        "[\\\\\"nu0-9a-f{}:,\u{e9}\u{1f600}\u{7}]{0,12}",
    ];
    prop_oneof![
        4 => string.prop_map(|text| format!("\"{text}\"")),
        2 => prop::sample::select(vec!["1", "-2.5E+7", "0", "12345678901234567890", "true", "false", "null"])
            .prop_map(str::to_owned),
        6 => prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "{}", "[]", " ", "\n  "])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["01", "1.", "tru", "truex", "-", "\x0c", "\x1a", "\x1b[0m", "\"", "\u{e9}", "1\"\""])
            .prop_map(str::to_owned),
    ]
}

/// Returns a valid text, long enough for several blocks.
fn sound() -> impl Strategy<Value = String> {
    let blank = prop::sample::select(vec!["", "", " ", "\n\t  "]);
    let scalar = prop_oneof![
        "[a-z{},:]{0,40}".prop_map(|text| format!("\"{text}\"")),
        prop::sample::select(vec![
            "1",
            "-2.5e7",
            "0",
            "1.25",
            "true",
            "false",
            "null",
            "\"\\\"\\\\\"",
            "\"\u{e9}\""
        ])
        .prop_map(str::to_owned),
    ];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        let value =
            (blank.clone(), inner, blank.clone()).prop_map(|(a, b, c)| a.to_owned() + &b + c);
        let member = ("[a-c:{ ]{0,9}", value.clone())
            .prop_map(|(name, value)| format!("\"{name}\":{value}"));
        prop_oneof![
            prop::collection::vec(value, 0..6).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(member, 0..6)
                .prop_map(|members| format!("{{{}}}", members.join(", "))),
        ]
    })
}

/// Returns a valid text that opens and closes many levels. Each step states how many brackets are opened, of which
/// kinds, and how many are closed.
fn deep(steps: &[(usize, u64, usize)]) -> String {
    let mut text = "{\"a\":".to_owned();
    let mut closing = vec!['}'];
    for &(opened, kinds, closed) in steps {
        for level in 0..opened {
            let object = kinds >> (level % 64) & 1 == 1;
            text += if object { "{\"a\":" } else { "[" };
            closing.push(if object { '}' } else { ']' });
        }
        text += "1";
        let left = closing.len().saturating_sub(closed).max(1);
        text.extend(closing.drain(left..).rev());
        text += if closing.ends_with(&['}']) {
            ",\"b\":"
        } else {
            ","
        };
    }
    text.push('0');
    text.extend(closing.drain(..).rev());
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(feature = "slow") { 256 } else { 96 }))]

    /// In one piece, text after a committed bracket is read by blocks; byte by byte it is not.
    #[test]
    fn blocks_are_read_as_bytes_are(tokens in prop::collection::vec(token(), 0..40), pieces in 2..200_usize) {
        let text = format!("{{\"a\":[{}", tokens.concat());
        let bytes = read_in_pieces(text.as_bytes(), 1);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), usize::MAX / 2), bytes);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), pieces), bytes);
    }

    /// Reads texts that are valid except for one byte at most, by blocks and byte by byte.
    #[test]
    fn one_byte_is_found_in_a_block(text in sound(), at in any::<prop::sample::Index>(), token in token(), pieces in 2..200_usize) {
        let mut text = format!("{{\"a\" : {text}}}");
        let bytes = read_in_pieces(text.as_bytes(), 1);
        prop_assert_eq!(bytes.1, Step::Complete);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), usize::MAX / 2), bytes);
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        text.insert_str(*at.get(&places), &token);
        let bytes = read_in_pieces(text.as_bytes(), 1);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), usize::MAX / 2), bytes);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), pieces), bytes);
    }

    /// Reads texts in which more brackets are open than are at hand at once.
    #[test]
    fn levels_are_not_mixed_up(
        steps in prop::collection::vec((0..150_usize, any::<u64>(), 0..150_usize), 1..6),
        at in any::<prop::sample::Index>(),
        token in token(),
    ) {
        let mut text = deep(&steps);
        let bytes = read_in_pieces(text.as_bytes(), 1);
        prop_assert_eq!(bytes.1, Step::Complete);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), usize::MAX / 2), bytes);
        text.insert_str(at.index(text.len()), &token);
        let bytes = read_in_pieces(text.as_bytes(), 1);
        prop_assert_eq!(read_in_pieces(text.as_bytes(), usize::MAX / 2), bytes);
    }
}
