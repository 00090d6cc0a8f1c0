//! What the fuzz targets share: cutting an input in pieces, an oracle for JSON, and replaying.
//!
//! `cargo fuzz run TARGET` fuzzes; without `cfg(fuzzing)` a target is a program that reads the files and folders named
//! on its command line and asserts its property on each: `cargo run --bin TARGET -- ../tests/samples`.

use std::path::PathBuf;

use jsift::document::{Document, Fault, FaultKind, Noise, Origin, Visitor};
use jsift::find::Options;
use jsift::run::reading::Reading;
use serde::de::IgnoredAny;

/// Makes a fuzz target, or a program that replays inputs, of a function that asserts.
#[macro_export]
macro_rules! target {
    ($property:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|input: &[u8]| $property(input));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            $crate::replay($property)
        }
    };
}

/// Asserts a property on each file that the command line names, or that is in a folder named there.
///
/// # Errors
///
/// A file or folder that cannot be read.
pub fn replay(property: fn(&[u8])) -> std::io::Result<()> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut inputs = 0;
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                paths.push(entry?.path());
            }
        } else {
            property(&std::fs::read(path)?);
            inputs += 1;
        }
    }
    println!("{inputs} inputs hold");
    Ok(())
}

/// The first four bytes of an input as places to cut the rest at, ascending.
#[must_use]
pub fn cuts(input: &[u8]) -> ([usize; 4], &[u8]) {
    let Some((head, rest)) = input.split_first_chunk::<4>() else {
        return ([0; 4], input);
    };
    let mut cuts = head.map(|byte| usize::from(byte) * rest.len() / 255);
    cuts.sort_unstable();
    (cuts, rest)
}

/// Whether this is one JSON text, by somebody else's reading.
#[must_use]
pub fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

/// All that reading a source gives.
#[derive(Debug, Default, PartialEq)]
pub struct Given {
    /// The documents, with their texts.
    pub documents: Vec<(Vec<u8>, Origin)>,
    /// The faults, with where they begin and where reading stopped.
    pub faults: Vec<(FaultKind, u64, u64)>,
    /// What belongs to no document.
    pub noise: Vec<u8>,
}

impl Visitor for Given {
    fn document(&mut self, document: Document<'_>) {
        let text = document.text.to_owned();
        self.documents.push((text, document.origin));
    }

    fn fault(&mut self, fault: Fault) {
        let (start, stop) = (fault.position.offset, fault.stop.offset);
        self.faults.push((fault.kind, start, stop));
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.noise.extend_from_slice(noise.text);
    }

    fn wants_noise(&self) -> bool {
        true
    }
}

/// Reads a source that comes in pieces.
#[must_use]
pub fn read(source: &[u8], cuts: &[usize]) -> Given {
    let mut reading = Reading::new(None, Options::default());
    let mut given = Given::default();
    let mut from = 0;
    for &cut in cuts {
        reading.block(&source[from..cut], &mut given);
        from = cut;
    }
    reading.block(&source[from..], &mut given);
    reading.end(&mut given);
    given
}
