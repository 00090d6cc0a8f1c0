//! What must hold for any bytes: the assertions that the fuzz targets and the replay of their seeds share.
//!
//! Each property takes the bytes that a fuzzer gives, whatever they are, and panics where it does not hold.

#![allow(unreachable_pub, reason = "the fuzz targets are a crate of their own")]

pub mod chain;
pub mod colours;
pub mod cuts;
pub mod definition;
pub mod dialects;
pub mod differential;
pub mod early;
pub mod literal;
pub mod parts;
pub mod prefixes;
pub mod recognition;
pub mod repair;
pub mod report;
pub mod run;
pub mod sanitizer;
pub mod scanner;
pub mod sessions;
pub mod unwrap;
pub mod wholes;
pub mod writer;

use std::fs;
use std::path::PathBuf;

/// Panics where it does not hold.
pub type Property = fn(&[u8]);

/// A property by its name, which is that of its fuzz target and of the folder of its seeds.
pub const ALL: [(&str, Property); 19] = [
    ("chain", chain::property),
    ("colours", colours::property),
    ("cuts", cuts::property),
    ("definition", definition::property),
    ("dialects", dialects::property),
    ("differential", differential::property),
    ("early", early::property),
    ("literal", literal::property),
    ("parts", parts::property),
    ("prefixes", prefixes::property),
    ("recognition", recognition::property),
    ("repair", repair::property),
    ("report", report::property),
    ("sanitizer", sanitizer::property),
    ("scanner", scanner::property),
    ("sessions", sessions::property),
    ("unwrap", unwrap::property),
    ("wholes", wholes::property),
    ("writer", writer::property),
];

/// The files at a path: that one, or all in that folder and below it.
pub fn files(path: PathBuf) -> Vec<PathBuf> {
    let (mut files, mut paths) = (Vec::new(), vec![path]);
    while let Some(path) = paths.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => paths.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files
}

/// A text in pieces, cut at ascending places.
pub(crate) fn pieces<'t>(text: &'t [u8], cuts: &[usize]) -> Vec<&'t [u8]> {
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut from = 0;
    for &cut in cuts {
        let cut = cut.clamp(from, text.len());
        pieces.push(&text[from..cut]);
        from = cut;
    }
    pieces.push(&text[from..]);
    pieces
}

/// Choices for a property, taken from the front of its bytes: 0 where they are used up.
pub(crate) struct Choices<'d>(pub &'d [u8]);

impl<'d> Choices<'d> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        byte
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit.max(1)
    }

    /// Distances between cuts: up to seven places at which the rest is to be cut, and the rest.
    pub(crate) fn cuts(mut self) -> (Vec<usize>, &'d [u8]) {
        let mut at = 0;
        let cuts = (0..self.below(8)).map(|_| {
            let byte = usize::from(self.byte());
            // Short distances by the byte, long ones by the block.
            at += if byte < 192 { byte } else { (byte - 191) * 64 };
            at
        });
        let cuts = cuts.collect();
        (cuts, self.0)
    }
}

/// Whether a text is valid JSON, by another reader than our own. Lone surrogates are grammatical.
pub(crate) fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
        && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// What a person would want to see of bytes that broke a property.
pub(crate) fn shown(text: &[u8]) -> String {
    text.escape_ascii().to_string()
}
