//! The scanner against another reader of JSON.

use jsift_json::scan::{Scanner, Step};

use super::{Choices, is_json, pieces, shown};

/// Reads a text in pieces; gives how far it was read and whether it is one JSON text.
fn read(text: &[u8], cuts: &[usize]) -> (usize, Result<bool, &'static str>) {
    let mut scanner = Scanner::new(false);
    let mut at = 0;
    let ends = pieces(text, cuts).into_iter().scan(0, |end, piece| {
        *end += piece.len();
        Some(*end)
    });
    for end in ends {
        let (read, step) = scanner.scan(&text[at..end], at as u64, end == text.len());
        at += read;
        match step {
            Step::More => {}
            Step::Complete => return (at, Ok(true)),
            Step::Broken(reason) => return (at, Err(reason)),
        }
    }
    (at, Ok(scanner.complete_at_end()))
}

/// The scanner takes what is JSON and nothing else, however it is cut.
pub fn property(data: &[u8]) {
    let (cuts, text) = Choices(data).cuts();
    let text = text.trim_ascii();
    // Terminal sequences and byte order marks are read over, which no other reader does.
    if text.contains(&0x1b) || text.windows(3).any(|window| window == b"\xef\xbb\xbf") {
        return;
    }
    let uncut = read(text, &[]);
    let complete = uncut.1 == Ok(true) && uncut.0 == text.len();
    assert_eq!(complete, is_json(text), "{}", shown(text));
    assert_eq!(read(text, &cuts), uncut, "{} cut at {cuts:?}", shown(text));
}
