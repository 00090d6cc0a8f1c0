//! The command: parses, runs, and ends with the code of the outcome. Nobody else ends the process.

mod environment;

use std::io::{self, Write};
use std::process::ExitCode;

use jsift::Outcome;
use jsift::command::cli::{self, Request};
use jsift::command::run;
use jsift_sink::diagnostic::{Diagnostics, message_of};

fn main() -> ExitCode {
    let outcome = match cli::parse(std::env::args_os()) {
        Ok(Request::Run(command)) => start(&command),
        Ok(Request::Print(file)) => environment::print_text(file.text()),
        Ok(Request::Draft) => environment::print_draft(),
        Err(answer) => environment::print(&answer),
    };
    ExitCode::from(outcome.code())
}

/// Runs a subcommand, and says what went wrong if it could not go on.
fn start(command: &cli::Command) -> Outcome {
    let common = command.common();
    if common.files.is_empty() && environment::is_terminal(&io::stdin()) {
        let _ = io::stderr().write_all(command.usage().as_bytes());
        return Outcome::Usage;
    }
    let signals = environment::Signals::handle(common);
    let environment = environment::read(common.color, signals);
    let options = run::options(command, &environment);
    let ended = environment::standard_output()
        .and_then(|stdout| run::run(command, environment, stdout, &mut io::stderr()));
    ended.unwrap_or_else(|error| {
        Diagnostics::new(&mut io::stderr(), options).report(message_of(&error));
        Outcome::Usage
    })
}
