//! What holds for every input: laws, each against inputs at random, the inputs of the other tests, and the seeds of the
//! fuzz targets.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod laws;
mod picked;
/// What the fuzz targets assert, too.
#[allow(dead_code)]
#[path = "mod.rs"]
mod properties;
mod random;
