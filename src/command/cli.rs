//! The grammar of the command line; its doc comments are the help text.
//!
//! What comes out of [`parse`] is plain and checked: sizes are bytes, times are durations, options that exclude each
//! other have been refused. This module uses clap, the standard library and [`Outcome`], and nothing of what the
//! options do.

pub mod deferred;
mod extract;
pub mod generate;
pub mod guess;
mod stream;
pub mod value;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::command::run::agent_files::contained;
use deferred::Deferred;
pub use extract::{Extract, LayoutOptions};
use generate::Generated;
use jsift_find::unwrap::Unwrap;
use jsift_outcome::Outcome;
pub use stream::{Events, StreamOptions, Summary};
use value::{Color, Offering, file, jobs, size};

const EXAMPLES: &str = "\
Examples:
  gemini -p \"$PROMPT\" -o json 2>&1 | jsift extract --payload > answer.json
  gemini -p \"$PROMPT\" -o stream-json | jsift events
  claude -p \"$PROMPT\" --output-format stream-json --verbose | tee run.jsonl | jsift summary";

/// Sift clean JSON and text out of the noise that coding agents, language models and CI jobs print
///
/// jsift reads logs with JSON in them, markdown with fenced JSON and the event streams of coding agents, and writes
/// clean JSON or text. Its exit code says what went wrong.
#[derive(Debug, Parser)]
#[command(
    name = "jsift",
    bin_name = "jsift",
    version,
    propagate_version = true,
    args_override_self = true,
    before_long_help = EXAMPLES,
    after_long_help = exit_codes(),
    override_usage = "jsift COMMAND [OPTIONS] [FILE]...\n       jsift --generate FILE",
)]
pub struct Cli {
    /// Print completions or a manual page: complete-bash, …, man (see --help)
    ///
    /// These are the files that packages install: complete-bash, complete-zsh, complete-fish, complete-elvish,
    /// complete-nushell, complete-powershell, man, man-extract, man-events, man-summary and man-security.
    /// `jsift --generate man | man -l -` shows the manual page. agent-file writes a draft for --agent-file from the
    /// recording on standard input.
    #[arg(
        long,
        value_name = "FILE",
        value_enum,
        exclusive = true,
        hide_possible_values = true
    )]
    pub generate: Option<Generated>,

    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Extract JSON from noisy output
    ///
    /// Prints the agent's envelope, or else the first match, once the whole input has been read. --all prints each
    /// document as it is found; --pick first prints as soon as no later document can replace it. Tries, in this order:
    /// the whole input as one string literal that contains JSON, the whole input as JSON, markdown fences, objects and
    /// arrays anywhere in the text. Only the white space between the tokens of a document changes.
    Extract(Deferred<Extract>),
    /// Turn an agent's event stream into progress events, as they arrive
    ///
    /// Writes one JSON object per event into a pipe and readable lines on a terminal.
    Events(Deferred<Events>),
    /// Report how an agent's run went: outcome, answer, usage, tools, files, errors
    ///
    /// Reads an event stream or an envelope to its end.
    Summary(Deferred<Summary>),
}

impl Command {
    /// The options that all subcommands share.
    #[must_use]
    pub fn common(&self) -> &Common {
        match self {
            Self::Extract(options) => &options.common,
            Self::Events(options) => &options.common,
            Self::Summary(options) => &options.common,
        }
    }

    /// The word that chose this subcommand.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Extract(_) => "extract",
            Self::Events(_) => "events",
            Self::Summary(_) => "summary",
        }
    }

    /// A short usage, for a terminal on standard input and no FILE.
    #[must_use]
    pub fn usage(&self) -> String {
        let mut root = Cli::command();
        root.build();
        let usage = root
            .find_subcommand_mut(self.name())
            .map(|command| command.render_usage().to_string())
            .unwrap_or_default();
        let name = self.name();
        format!(
            "{usage}\njsift: no FILE is given, and standard input is a terminal\n\
             jsift: hint: pipe something into it, name a FILE, or give - to read the terminal; \
             `jsift {name} --help` has examples\n"
        )
    }
}

/// Options that all subcommands share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Files to read; standard input if none or `-`
    #[arg(
        value_name = "FILE",
        value_parser = OsStringValueParser::new().try_map(file),
        value_hint = clap::ValueHint::FilePath,
        help_heading = "Arguments"
    )]
    pub files: Vec<PathBuf>,

    /// Write FILE, complete or not at all
    ///
    /// A temporary file next to FILE is written, synced and renamed; unless the exit code is 0, FILE stays as it was.
    /// The mode of FILE is kept and symbolic links are followed; anything but a regular file is written directly. `-`
    /// and /dev/stdout are standard output. `summary` writes its report whatever the run's outcome is, unless jsift
    /// itself fails (2, 6).
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Read N files at a time [default: the number of cores]
    ///
    /// The results are written in the order of the files.
    #[arg(short, long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub jobs: Option<NonZeroUsize>,

    /// Print only errors
    ///
    /// The exit code still states the outcome, and the FILE of --output is still written.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say on standard error what was found where, and what was skipped
    ///
    /// The readable lines of `events` also show thoughts and the lines that edits change.
    #[arg(short, long)]
    pub verbose: bool,

    /// Turn the agent's exit codes (10 to 18) into 0
    #[arg(long)]
    pub exit_zero: bool,

    /// When to colour: auto, always or never
    ///
    /// Takes precedence over NO_COLOR, CLICOLOR_FORCE and CLICOLOR=0. Without any of these, output is coloured on a
    /// terminal unless TERM is dumb.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    pub color: Color,

    /// Maximum document size; larger ones exit with 6
    ///
    /// The suffixes K, M and G are powers of 1024.
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true, default_value = "1G")]
    pub max_document: u64,

    /// Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY
    ///
    /// The first four are log formats. /POINTER takes the text at this JSON Pointer of each line that is JSON,
    /// logfmt:KEY the value of this key of each line of `key=value` pairs. Lines without it are read as they are.
    #[arg(
        long,
        value_name = "WHERE",
        value_parser = Offering::new(str::parse::<Unwrap>, Unwrap::NAMES.map(|(name, _)| name)),
        hide_possible_values = true
    )]
    pub unwrap: Option<Unwrap>,

    /// Describe an agent that jsift does not know (TOML; see docs/agents.md)
    #[arg(
        long,
        value_name = "FILE",
        value_hint = clap::ValueHint::FilePath,
        long_help = agent_file_help()
    )]
    pub agent_file: Vec<PathBuf>,

    /// Replace invalid UTF-8 inside strings with U+FFFD, with a warning
    #[arg(long)]
    pub lossy: bool,

    /// Neutralise workflow commands (`::error`, `##[error]`) in all text
    ///
    /// Readable output is always treated if GITHUB_ACTIONS or TF_BUILD is set. This flag also treats answers and raw
    /// strings: use it if they go straight to a CI log, but not if a program reads them.
    #[arg(long)]
    pub ci: bool,
}

/// Returns the help of --agent-file, which names the files that the command contains.
fn agent_file_help() -> String {
    format!(
        "Describe an agent that jsift does not know (TOML; see docs/agents.md)\n\n\
         The file says where the agent's records say what they are and what each kind of them states; the rest is read \
         by the shapes of the records. jsift contains some, which can be given by name: {}. Can be given several \
         times. `extract` reads agents' output with --payload only.",
        contained()
    )
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Request {
    /// A run of a subcommand.
    Run(Command),
    /// A file that packages install, to be printed.
    Print(Generated),
    /// A first draft of an agent file, to be made of standard input.
    Draft,
}

/// Reads a command line, the program's name first.
///
/// # Errors
///
/// Returns clap's error for invalid usage, `--help` or `--version`, with the message to print and its exit code.
pub fn parse<I>(arguments: I) -> Result<Request, clap::Error>
where
    I: IntoIterator,
    I::Item: Into<OsString>,
{
    let line: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let cli = Cli::try_parse_from(&line).map_err(|error| guess::explain(error, &line))?;
    let command = match (cli.generate, cli.command) {
        (Some(Generated::AgentFile), None) => return Ok(Request::Draft),
        (Some(file), None) => return Ok(Request::Print(file)),
        (Some(_), Some(command)) => {
            return Err(refusal(
                &command,
                "--generate cannot be used with a command",
            ));
        }
        (None, Some(command)) => command,
        (None, None) => return Err(no_command()),
    };
    match misfit(&command) {
        Some(message) => Err(refusal(&command, &message)),
        None => Ok(Request::Run(command)),
    }
}

/// Returns clap's error for a command line without a subcommand.
fn no_command() -> clap::Error {
    let root = Cli::command().arg_required_else_help(true);
    match root.try_get_matches_from(["jsift"]) {
        Err(error) => error,
        Ok(_) => Cli::command().error(ErrorKind::MissingSubcommand, guess::COMMANDS),
    }
}

/// Checks constraints between options that clap cannot express.
fn misfit(command: &Command) -> Option<String> {
    match command {
        Command::Extract(options) => options.misfit(),
        Command::Events(options) => options.misfit().map(str::to_owned),
        Command::Summary(options) => options.misfit().map(str::to_owned),
    }
}

fn refusal(command: &Command, message: &str) -> clap::Error {
    let mut root = Cli::command();
    root.build();
    match root.find_subcommand_mut(command.name()) {
        Some(subcommand) => subcommand.error(ErrorKind::ArgumentConflict, message),
        None => root.error(ErrorKind::ArgumentConflict, message),
    }
}

/// The table of exit codes at the end of `--help`.
#[must_use]
pub fn exit_codes() -> String {
    // Each start makes this text, and formatting it would take a twentieth of the start.
    const BLANKS: &str = "          ";
    let blanks = |text: &str, width| BLANKS.get(text.len()..width).unwrap_or_default();
    let mut table = String::with_capacity(2048);
    table.push_str("Exit codes:");
    for outcome in Outcome::ALL {
        let (code, word) = (&*outcome.code().to_string(), outcome.word());
        let (before, after) = (blanks(code, 2), blanks(word, 10));
        table.extend([
            "\n  ",
            before,
            code,
            "  ",
            word,
            after,
            " ",
            outcome.meaning(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
