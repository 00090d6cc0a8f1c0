//! The whole chain of extraction.

use jsift::document::{Document, Fault, Noise, Origin, Rank, Visitor};
use jsift::find::{Finder, Options};

use super::{Choices, is_json, pieces, shown};

/// Everything that a visitor is told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub documents: Vec<(Vec<u8>, Origin, Rank, bool)>,
    pub faults: Vec<Fault>,
    /// Without its places, since a stretch may be cut anywhere.
    noise: Vec<u8>,
}

impl Visitor for Told {
    fn document(&mut self, document: Document<'_>) {
        assert!(is_json(document.text), "{}", shown(document.text));
        let text = document.text.to_vec();
        self.documents
            .push((text, document.origin(), document.rank, document.lossy));
    }

    fn fault(&mut self, fault: Fault) {
        assert!(fault.sample.len() <= Fault::SAMPLE && fault.open.len() <= Fault::DEPTH_KEPT);
        self.faults.push(fault);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.noise.extend_from_slice(noise.text);
    }

    fn wants_noise(&self) -> bool {
        true
    }
}

/// Reads a text that is cut at ascending places.
pub fn read(text: &[u8], cuts: &[usize], options: &Options) -> (Told, bool) {
    let mut told = Told::default();
    let mut finder = Finder::new(options.clone());
    for piece in pieces(text, cuts) {
        finder.push(piece, &mut told);
    }
    finder.finish(&mut told);
    (told, finder.is_whole())
}

/// The result does not depend on how the input is cut, and every document is JSON.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let flags = choices.byte();
    let (cuts, text) = choices.cuts();
    let options = Options {
        loose: flags & 1 != 0,
        lossy: flags & 2 != 0,
        prefixes: flags & 4 == 0,
        string: flags & 8 == 0,
        whole: flags & 16 == 0,
        fence: flags & 32 == 0,
        embedded: flags & 64 == 0,
        max_document: if flags & 128 == 0 { 1 << 30 } else { 64 },
    };
    let (whole, is_whole) = read(text, &[], &options);
    // A limit is met where it is met: what a large read already holds is not refused.
    if flags & 128 == 0 {
        assert_eq!(read(text, &cuts, &options), (whole, is_whole));
    } else {
        read(text, &cuts, &options);
    }
}
