//! Runs the subcommands, one file for each, and returns the outcome.
//!
//! This file has what all subcommands share: where results and messages go, which sources are read, and how
//! `--exit-zero` changes the outcome.

pub(crate) mod agent_files;
mod channels;
pub mod environment;
mod events;
mod extract;
mod followed;
mod head;
mod meter;
mod notes;
pub(super) mod source;
mod summary;

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;

use crate::command::cli::value::Color;
use crate::command::cli::{Command, Common};
use crate::command::output::Output;
use agent_files::agent_files;
use environment::{Environment, OutputStream};
use jsift_find::unwrap::Unwrap;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, DiagnosticOptions, Diagnostics, source_name};
use source::Channels;

/// Runs a subcommand to its end and returns its outcome.
///
/// Results go to `stdout`, unless `--output` or `--quiet` says otherwise; everything else goes to `stderr`.
///
/// # Errors
///
/// Fails if an option has an invalid value, or if the output cannot be opened or written. A source that cannot be read
/// is only reported, and the next one is read.
pub fn run(
    command: &Command,
    mut environment: Environment,
    stdout: Box<dyn Write + Send>,
    stderr: &mut (dyn Write + Send),
) -> anyhow::Result<Outcome> {
    let common = command.common();
    environment.agents = agent_files(&common.agent_file)?;
    let diagnostics = Diagnostics::new(stderr, options(command, &environment));
    let named = named_output(common);
    let output = match named {
        Some(path) => open_file(path)?,
        None if common.quiet => Output::nowhere(),
        None => Output::stream(stdout),
    };
    if named.is_some() {
        // A file is coloured only if that was requested.
        let color = common.color == Color::Always;
        environment.stdout = OutputStream {
            terminal: output.is_device(),
            passed_on: !output.is_replacement(),
            color,
            color_json: color,
        };
    }
    let mut channels = Channels {
        output,
        diagnostics,
    };
    let outcome = match command {
        Command::Extract(options) => extract::run(options, &environment, &mut channels)?,
        Command::Events(options) => events::run(options, &environment, &mut channels),
        Command::Summary(options) => summary::run(options, &environment, &mut channels)?,
    };
    let outcome = if common.exit_zero && outcome.is_agent() {
        Outcome::Success
    } else {
        outcome
    };
    let complete = match command {
        // The report of a failed run is the one that is wanted.
        Command::Summary(_) => summary::is_complete(outcome),
        _ => outcome == Outcome::Success,
    };
    let to = &mut channels.diagnostics;
    commit(channels.output, outcome, complete, &environment, to)
}

/// Returns how messages of a subcommand are printed.
#[must_use]
pub fn options(command: &Command, environment: &Environment) -> DiagnosticOptions {
    let common = command.common();
    DiagnosticOptions {
        quiet: common.quiet,
        verbose: common.verbose,
        ci: common.ci || environment.ci,
        color: environment.stderr.color,
        lines: shows_lines(common, environment),
        shared: environment.shared && named_output(common).is_none(),
    }
}

/// Returns whether messages show the lines of the input that they are about: to a person, or on request.
const fn shows_lines(common: &Common, environment: &Environment) -> bool {
    !common.quiet && (common.verbose || environment.stderr.terminal)
}

/// Returns how many files a run reads at a time.
fn jobs(common: &Common, environment: &Environment) -> usize {
    match common.files.len() {
        ..2 => 1,
        _ => common
            .jobs
            .map_or_else(environment.cores, std::num::NonZeroUsize::get),
    }
}

/// Returns the log format that `--unwrap` removes.
fn unwrap_of(common: &Common) -> Unwrap {
    common.unwrap.clone().unwrap_or_default()
}

/// Returns the file of `--output`, unless it names standard output: other programs may write to the same file, and
/// replacing it would lose what they wrote.
fn named_output(common: &Common) -> Option<&Path> {
    let is_own = |path: &&Path| ["-", "/dev/stdout"].contains(&path.to_str().unwrap_or_default());
    common.output.as_deref().filter(|path| !is_own(path))
}

/// Opens a file to write results to.
fn open_file(path: &Path) -> anyhow::Result<Output<'static>> {
    let message = || Diagnostic::error("cannot open for writing").of(source_name(Some(path)));
    Output::file(path).with_context(message)
}

/// Ends an output: puts a file in its place if its results are `complete`, or else says that it is left untouched.
fn commit(
    output: Output<'_>,
    outcome: Outcome,
    complete: bool,
    environment: &Environment,
    diagnostics: &mut Diagnostics<'_>,
) -> anyhow::Result<Outcome> {
    if let Some(message) = output.left_untouched(outcome).filter(|_| !complete) {
        diagnostics.report(message);
    }
    output.commit(outcome, complete, &*environment.before_rename)
}
