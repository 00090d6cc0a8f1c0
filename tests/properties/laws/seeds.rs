//! Replays through every property what is committed for the fuzz targets: the seeds of `seeds/PROPERTY/`, what the
//! cases read, and what agents printed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::picked::{is_picked, picked};
use crate::properties::{self, files};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

#[test]
fn seeds_hold_their_property() {
    for (name, property) in properties::ALL {
        for seed in files(tests().join("seeds").join(name)) {
            eprintln!("{}", seed.display());
            property(&fs::read(&seed).unwrap());
        }
    }
}

#[test]
fn inputs_of_other_tests_hold_every_property() {
    let mut inputs = files(tests().join("cases"));
    inputs.extend(files(tests().join("recordings")));
    inputs.retain(|path| {
        path.file_name()
            .is_some_and(|name| name == "stdin" || name == "stream")
    });
    assert!(!inputs.is_empty());
    for input in inputs {
        let data = fs::read(&input).unwrap();
        if !is_picked(&data) {
            continue;
        }
        for (name, property) in picked(&properties::ALL, &data) {
            eprintln!("{name}: {}", input.display());
            // Without a choice, and with some: they are taken from the front.
            for choices in picked(&[&[][..], &[0, 0], &[0, 3, 7, 90, 200]], &data) {
                property(&[*choices, &data].concat());
            }
        }
    }
}
