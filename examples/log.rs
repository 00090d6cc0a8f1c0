//! The JSON documents of a log file, whatever stands around them.
//!
//!     cargo run --example log -- BUILD.log
//!
//! The file is read piece by piece, so it may be larger than the memory.

#![allow(clippy::print_stdout)]

use std::fs::File;

use jsift::Options;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("no file is named")?;
    let mut documents = Options::new().require("level").read(File::open(path)?);
    for document in &mut documents {
        let document = document?;
        println!("{}: {}", document.position().line, document.compact());
    }
    if let Some(error) = documents.error() {
        println!("{}: {error}", error.outcome());
    }
    Ok(())
}
