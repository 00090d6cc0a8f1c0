//! Colours are no text: a source gives the same documents, and a fault at the same place, with one before each of its lines.

use super::{inputs_of_other_tests, random_text};
use crate::properties::{chain, shown};
use crate::random::Random;
use jsift_find::document::{FaultKind, Rank};
use jsift_find::finder::FindOptions;

/// Documents with their lines and ranks, and the line and kind of the first fault. Where a document that is broken is given
/// up, and what of it is then a fault of its own, is a matter of how far it was read.
type Found = (Vec<(u64, Rank, String)>, Option<(u64, FaultKind)>);

fn found(text: &[u8]) -> Found {
    // A source that is one JSON text or literal with colours in it is not so any more.
    let options = FindOptions {
        string: false,
        whole: false,
        ..FindOptions::default()
    };
    let (reported, _) = chain::read(text, &[], &options);
    let fault = reported.faults.first();
    let fault = fault.map(|fault| (fault.position.line, fault.kind));
    (reported.documents_by_line(), fault)
}

/// Asserts the law for a text of which lines end with line feeds alone. Returns whether anything was found in it.
fn colours_change_nothing(text: &[u8]) -> bool {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let coloured: Vec<u8> = lines.flat_map(|line| [b"\x1b[0m", line].concat()).collect();
    let plain = found(text);
    assert_eq!(found(&coloured), plain, "{}", shown(text));
    plain != Found::default()
}

/// Whether a text has no colours, marks or line ends of its own.
fn is_plain(text: &[u8]) -> bool {
    !text.iter().any(|byte| b"\0\r\x1b".contains(byte))
        && std::str::from_utf8(text).is_ok_and(|text| !text.contains('\u{feff}'))
}

#[test]
fn colours_change_nothing_in_random_texts() {
    let mut random = Random(3);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 2000 };
    let mut any = 0;
    for _ in 0..rounds {
        let text = random_text(&mut random);
        // Only what is before it makes `...done thinking.` an end, and a colour before it may be that; the side of a box in
        // the middle of a text is one that somebody has cut.
        let open = text.starts_with("...done") || text.contains('│');
        let plain = !open && is_plain(text.as_bytes());
        any += usize::from(plain && colours_change_nothing(text.as_bytes()));
    }
    assert!(any > rounds / 20, "{any} of {rounds}");
}

#[test]
fn colours_change_nothing_in_the_inputs_of_other_tests() {
    let (mut any, mut all) = (0, 0);
    for text in inputs_of_other_tests(&["cases", "samples"]) {
        if !is_plain(&text) {
            continue;
        }
        any += usize::from(colours_change_nothing(&text));
        all += 1;
    }
    assert!(any > all / 4, "{any} of {all}");
}
