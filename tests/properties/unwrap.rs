//! What a log puts around text, and encodings.

use jsift_find::finder::FindOptions;
use jsift_find::reading::{Reading, text_of};
use jsift_find::unwrap::Unwrap;

use super::chain::Reported;
use super::{Choices, pieces, shown};

fn read(text: &[u8], cuts: &[usize], mode: &Unwrap) -> Reported {
    let mut reported = Reported::default();
    let mut reading = Reading::new(mode.clone(), FindOptions::default());
    for piece in pieces(text, cuts) {
        match reading.space(piece.len()) {
            Some(space) => {
                space[..piece.len()].copy_from_slice(piece);
                reading.filled(piece.len(), &mut reported);
            }
            None => reading.block(piece, &mut reported),
        }
    }
    let end = reading.end(&mut reported);
    assert!(end.offset <= text.len() as u64);
    reported
}

/// What is found in a log, and where, does not depend on how it is cut; and nothing stands after its end.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let names = [
        "",
        "docker",
        "journald",
        "cri",
        "auto",
        "/log",
        "logfmt:msg",
    ];
    // The first name is none: then the log is detected.
    let mode: &Unwrap = &names[choices.below(names.len())]
        .parse()
        .unwrap_or_default();
    let (cuts, text) = choices.cuts();
    let uncut = read(text, &[], mode);
    for (_, origin, ..) in &uncut.documents {
        let end = origin.position.offset + origin.length;
        assert!(end <= text.len() as u64, "{origin:?} of {}", shown(text));
    }
    let cut = read(text, &cuts, mode);
    assert_eq!(
        cut.documents,
        uncut.documents,
        "{} cut at {cuts:?}",
        shown(text)
    );
    assert_eq!(cut.faults, uncut.faults, "{} cut at {cuts:?}", shown(text));
    let _ = text_of(text, mode.clone());
}
