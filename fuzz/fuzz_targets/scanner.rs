//! The scanner takes what is JSON and nothing else, however it comes in pieces.
#![cfg_attr(fuzzing, no_main)]

use jsift::json::scan::{Scanner, Step};
use jsift_fuzz::{cuts, is_json};

/// Whether the scanner takes this for one JSON text.
fn takes(text: &[u8], cuts: &[usize]) -> bool {
    let mut scanner = Scanner::new(false);
    let mut from = 0;
    for &cut in cuts.iter().chain([&text.len()]) {
        let (read, step) = scanner.scan(&text[from..cut], from as u64, cut == text.len());
        match step {
            Step::More => from += read,
            Step::Complete => return from + read == text.len(),
            Step::Broken(_) => return false,
        }
    }
    scanner.complete_at_end()
}

fn property(input: &[u8]) {
    let (cuts, text) = cuts(input);
    let text = std::str::from_utf8(text).map(str::trim_ascii);
    // Terminal sequences and repeated byte order marks are read over: no JSON to anybody else.
    let Some(text) = text
        .ok()
        .filter(|text| !text.contains(['\u{1b}', '\u{feff}']))
    else {
        return;
    };
    let cuts = cuts.map(|cut| cut.min(text.len()));
    assert_eq!(
        takes(text.as_bytes(), &[]),
        is_json(text.as_bytes()),
        "{text:?}"
    );
    assert_eq!(
        takes(text.as_bytes(), &cuts),
        takes(text.as_bytes(), &[]),
        "{text:?}"
    );
}

jsift_fuzz::target!(property);
