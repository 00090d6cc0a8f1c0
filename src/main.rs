//! The command: parses, runs, and ends with the code of the outcome. Nobody else ends the process.

mod environment;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use jsift::Outcome;
use jsift::internal::{cli, run};

fn main() -> ExitCode {
    let outcome = match cli::parse(std::env::args_os()) {
        Ok(cli) => start(&cli.command).unwrap_or(Outcome::Usage),
        Err(answer) => environment::print(&answer),
    };
    ExitCode::from(outcome.code())
}

/// Runs a subcommand. An error is one of a standard stream that is not even there to say so.
fn start(command: &cli::Command) -> io::Result<Outcome> {
    let common = command.common();
    if common.files.is_empty() && io::stdin().is_terminal() {
        io::stderr().write_all(command.usage().as_bytes())?;
        return Ok(Outcome::Usage);
    }
    environment::leave_first_interrupt(&common.files);
    let environment = environment::read(common.color);
    let stdout = environment::standard_output()?;
    Ok(run::run(command, environment, stdout, &mut io::stderr()))
}
