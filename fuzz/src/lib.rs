//! What the fuzz targets share: their properties, which the tests replay seeds with, and replaying.
//!
//! `fuzz/run` fuzzes; without `cfg(fuzzing)` a target is a program that reads the files and folders named on its
//! command line and asserts its property on each: `cargo run --bin TARGET -- ../tests/seeds`.

#[path = "../../tests/properties/mod.rs"]
pub mod properties;

use std::path::PathBuf;

/// Makes a fuzz target, or a program that replays inputs, of the property of this name.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|input: &[u8]| $crate::properties::$name::property(input));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            $crate::replay($crate::properties::$name::property)
        }
    };
}

/// Asserts a property on each file that the command line names, or that is in a folder named there.
///
/// # Errors
///
/// A file that cannot be read.
pub fn replay(property: fn(&[u8])) -> std::io::Result<()> {
    let paths = std::env::args_os().skip(1).map(PathBuf::from);
    let mut inputs = 0;
    for file in paths.flat_map(properties::files) {
        property(&std::fs::read(file)?);
        inputs += 1;
    }
    println!("{inputs} inputs hold");
    Ok(())
}
