//! The command `jsift`: its command line, its subcommands and its output. The binary hands it the environment, the
//! standard streams and the clock.

pub mod cli;
pub mod limits;
mod output;
pub mod run;
