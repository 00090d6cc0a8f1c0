//! The laws, one file for each kind.

use std::fs;
use std::path::Path;

use crate::picked::is_picked;
use crate::properties::{cuts, files};
use crate::random::Random;

mod agreement;
mod colours;
mod damage;
mod definition;
mod diffs;
mod early;
mod equivalence;
mod harmless;
mod invariants;
mod library;
mod limits;
mod models;
mod options;
mod reached;
mod seeds;
mod writers;

/// Returns that many bytes.
fn random_bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.below(256) as u8).collect()
}

/// Returns a text that random choices put together of the parts of the property `cuts`.
fn random_text(random: &mut Random) -> String {
    cuts::text_of(&random_bytes(random, 60))
}

/// Returns the [picked](is_picked) files below these folders of `tests` that are not larger than 64 KiB.
fn inputs_of_other_tests(folders: &[&str]) -> impl Iterator<Item = Vec<u8>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let inputs = folders
        .iter()
        .flat_map(move |folder| files(tests.join(folder)));
    let texts = inputs.map(|input| fs::read(input).unwrap());
    texts.filter(|text| text.len() <= 1 << 16 && is_picked(text))
}
