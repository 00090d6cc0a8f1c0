//! The JSON of a model's answer, as a value of a type of one's own.
//!
//!     cargo run --example completion -- ANSWER.md
//!
//! Reads an answer, an agent's envelope or a stream; what went wrong decides whether it is worth trying again.

#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use jsift::Outcome;

#[derive(Debug, serde::Deserialize)]
struct City {
    name: String,
    people: u64,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("no file is named")?;
    let answer = std::fs::read(path)?;
    match jsift::payload(&answer) {
        Ok(document) => {
            let city: City = document.parse()?;
            println!("{} has {} people", city.name, city.people);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let again = matches!(error.outcome(), Outcome::Quota | Outcome::Network);
            println!(
                "{error}{}",
                if again { "; trying again may help" } else { "" }
            );
            Ok(ExitCode::from(error.outcome().code()))
        }
    }
}
