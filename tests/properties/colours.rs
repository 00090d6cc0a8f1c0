//! Colours are no text: a source gives the same documents, and a fault at the same place, with colours on each of its
//! lines.

use jsift_find::document::{FaultKind, Rank};
use jsift_find::finder::FindOptions;

use super::chain::read;
use super::{Choices, cuts, shown};

/// What stands on each line: before its text, and after it.
const COLOURS: [[&str; 2]; 4] = [
    ["\x1b[0m", ""],
    ["\x1b[36m", ""],
    ["\x1b[1m\x1b[38;5;12m", ""],
    ["\x1b[32m", "\x1b[0m"],
];

/// Documents with their lines and ranks, and the lines and kinds of faults.
type Found = (Vec<(u64, Rank, String)>, Vec<(u64, FaultKind)>);

fn found(text: &[u8], options: &FindOptions) -> Found {
    let (reported, _) = read(text, &[], options);
    let faults = reported.faults.iter();
    let faults = faults.map(|fault| (fault.position.line, fault.kind));
    (reported.documents_by_line(), faults.collect())
}

/// Whether a text has no colours, marks or line ends of its own. Only what is before it makes `...done thinking.` an
/// end, and a colour before it may be that; the side of a box in the middle of a text is one that somebody has cut.
fn is_plain(text: &[u8]) -> bool {
    let is_open = |text: &str| text.contains(['\u{feff}', '│']) || text.starts_with("...done");
    !text.iter().any(|byte| b"\0\r\x1b".contains(byte))
        && std::str::from_utf8(text).is_ok_and(|text| !is_open(text))
}

/// Asserts the law for a text of which lines end with line feeds alone, and returns whether anything was found in it.
/// `flags` chooses the colours and the options.
pub(crate) fn change_nothing(text: &[u8], flags: u8) -> bool {
    if !is_plain(text) {
        return false;
    }
    let options = FindOptions {
        // A source that is one JSON text or literal with colours in it is not so any more.
        string: false,
        whole: false,
        loose: flags & 4 != 0,
        fence: flags & 8 == 0,
        embedded: flags & 16 == 0,
        prefixes: flags & 32 == 0,
        ..FindOptions::default()
    };
    let [before, after] = COLOURS[usize::from(flags) % COLOURS.len()];
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.flat_map(|line| {
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        [before.as_bytes(), line, after.as_bytes(), end.as_bytes()].concat()
    });
    let coloured: Vec<u8> = lines.collect();
    let plain = found(text, &options);
    assert_eq!(found(&coloured, &options), plain, "{}", shown(text));
    plain != Found::default()
}

/// The law for any bytes, and for texts put together of parts.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let flags = choices.byte();
    match choices.below(2) {
        0 => change_nothing(choices.0, flags),
        _ => change_nothing(cuts::text_of(choices.0).as_bytes(), flags),
    };
}
