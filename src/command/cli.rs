//! The grammar of the command line; its doc comments are the help text.
//!
//! What comes out of [`parse`] is plain and checked: sizes are bytes, times are durations, options that exclude each
//! other have been refused. This room knows clap, the standard library and [`Outcome`], and nothing of what the
//! options do.

pub mod deferred;
pub mod generate;
pub mod guess;
pub mod value;

use jsift_sink::github::OUTPUT_KEYS;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::command::run::agent_files::contained;
use deferred::Deferred;
use generate::Generated;
use jsift_agents::dialect::Agent;
use jsift_agents::event::Phase;
use jsift_find::choose::pick::Pick;
use jsift_find::document::Stage;
use jsift_find::unwrap::Mode as Unwrap;
use jsift_json::view::Kind;
use jsift_outcome::Outcome;
use value::{
    Color, EventsFormat, FailOn, LIMITS, NoiseOption, Offering, ReportOption, SummaryFormat,
    report, seconds, size,
};

const EXAMPLES: &str = "\
Examples:
  gemini -p \"$PROMPT\" -o json 2>&1 | jsift extract --payload > answer.json
  gemini -p \"$PROMPT\" -o stream-json | jsift events
  claude -p \"$PROMPT\" --output-format stream-json --verbose | tee run.jsonl | jsift summary";

const EXTRACT_EXAMPLES: &str = "\
Examples:
  jsift extract completion.md                      the JSON in a model's answer
  gemini -p \"$PROMPT\" -o json 2>&1 | jsift extract --payload
                                                   the JSON in the agent's answer
  gh run view --log \"$RUN\" | jsift extract --all --require level
                                                   every log record, one per line
  kubectl logs -f deploy/web | jsift extract --noise keep --pretty
                                                   the log as it comes, its JSON laid out in place
  emacsclient --eval '(json-encode x)' | jsift extract --decode-base64 /visible_text";

const EVENTS_EXAMPLES: &str = "\
Examples:
  gemini -p \"$PROMPT\" -o stream-json | jsift events
  ANSWER=$(codex exec --json \"$PROMPT\" </dev/null | jsift events --final)
                                                   progress on the terminal, the answer in a variable
  codex exec --json \"$PROMPT\" | jsift events --only tool | jq -c 'select(.status == \"error\")'";

const SUMMARY_EXAMPLES: &str = "\
Examples:
  jsift summary run.jsonl
  gemini -p \"$PROMPT\" -o json 2>&1 | jsift summary -r
                                                   the answer; the exit code says how it went
  jsift summary --format markdown --max-bytes 900K run.jsonl >> \"$GITHUB_STEP_SUMMARY\"
  jsift summary --format html run.jsonl > run.html  a page to look at, or to keep with a CI job
  jsift summary --format table runs/*.jsonl         one line per session, and totals
  jsift summary --github-output response,session_id run.jsonl >> \"$GITHUB_OUTPUT\"
  jsift summary --fail-on denied,no-files,cost:5.00 run.jsonl";

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
    /// `jsift --generate man | man -l -` shows the manual page. agent-file makes a first draft for --agent-file of the
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
    /// Prints the agent's envelope or the first match at the end of the input, which decides; with --all every
    /// document at once, with --pick first as soon as nothing later can replace it. Tries, in this order: the whole
    /// input as one string literal that contains JSON, the whole input as JSON, markdown fences, objects and arrays
    /// anywhere in the text. Only the white space between the tokens of a document changes.
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
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Arguments")]
    pub files: Vec<PathBuf>,

    /// Write FILE, only on success
    ///
    /// A temporary file next to FILE is written, synced and renamed; unless the exit code is 0, FILE stays as it was.
    /// `summary` writes its report whatever the run's outcome is, unless jsift itself fails (2, 6). Its mode is kept and symbolic links are followed; anything but a regular file is written directly. `-` and
    /// /dev/stdout are standard output.
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Read N files at a time [default: the number of cores]
    ///
    /// The results are written in the order of the files.
    #[arg(short, long, value_name = "N")]
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
        value_parser = Offering::new(str::parse::<Unwrap>, &Unwrap::NAMES),
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

/// Options of `extract`.
#[derive(Debug, Args)]
#[command(
    args_override_self = true,
    before_long_help = EXTRACT_EXAMPLES,
    after_long_help = exit_codes(),
    next_help_heading = "Selection",
)]
pub struct Extract {
    /// Extract the JSON in the agent's answer
    ///
    /// Reads an agent's envelope or event stream, or the response of a model's API. If the agent failed, prints nothing
    /// and exits with the code of the failure; if the answer contains no JSON, exits with 5.
    #[arg(short, long)]
    pub payload: bool,

    /// Print every document of every stage, one per line
    ///
    /// In the order of their opening brackets, each as soon as it is complete. Documents inside documents are not
    /// printed again.
    #[arg(short, long)]
    pub all: bool,

    /// Choose a document: first, last, largest, only, or its number (-1 is the last)
    ///
    /// Treats envelopes like any other document. With only, several documents are an error: exit 5. first, and a number
    /// from the front, print before the end of the input if nothing later can replace the document: in a json fence, or
    /// anywhere with --stage embedded, after marked thinking or the first MiB.
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = Offering::new(str::parse::<Pick>, &Pick::WORDS),
        hide_possible_values = true,
        allow_negative_numbers = true,
        conflicts_with = "all"
    )]
    pub pick: Option<Pick>,

    /// Use only these stages: string, whole, fence, embedded, repair
    ///
    /// They are always tried in this order; repair needs --repair.
    #[arg(
        long,
        value_name = "STAGE,…",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub stage: Vec<Stage>,

    /// Keep only documents of this type: object, array, string, number, boolean or null (repeatable)
    ///
    /// With one of the last four, also accepts strings, numbers, true, false and null that stand alone on a line.
    #[arg(
        long = "type",
        value_name = "TYPE",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub types: Vec<Kind>,

    /// Keep only documents that have a value at this pointer, or this value (repeatable)
    ///
    /// POINTER is an RFC 6901 pointer such as /error/code; a bare name is a key of the outermost object. VALUE is JSON,
    /// of which numbers are compared by value, or else a string: `--require level=error --require /a/b=3`
    #[arg(long, value_name = "POINTER[=VALUE]")]
    pub require: Vec<String>,

    /// Keep only documents that conform to this JSON Schema
    ///
    /// The schema may refer to itself and to files in its own folder, and to nothing else.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub schema: Option<PathBuf>,

    /// Also accept `[1,2]` and `{}` in the middle of a line; most of these are false positives
    ///
    /// This includes the `[4711]` of `app[4711]:` and arrays of one number such as `[7]`.
    #[arg(long)]
    pub loose: bool,

    /// Repair broken JSON if no valid document stands for itself, and say what was changed
    ///
    /// A valid document stays as it is; it is passed over only if it is a part of what is repaired. With --all, each
    /// broken document is repaired in its place. Comments, extra and missing commas, other quotation marks, names without
    /// quotes, literals of Python and JavaScript, raw line feeds in strings, missing brackets and cut input are repaired.
    #[arg(long)]
    pub repair: bool,

    /// Copy the input through, with a warning, if no JSON is found
    ///
    /// The exit code is then 0 instead of 1. The input is kept in memory until then, up to --max-document.
    #[arg(long, conflicts_with_all = ["all", "meta"])]
    pub text: bool,

    /// Decode the base64 string at this pointer (repeatable)
    #[arg(long, value_name = "POINTER", help_heading = "Output")]
    pub decode_base64: Vec<String>,

    /// Replace the string at this pointer with the JSON in it (repeatable)
    ///
    /// Always happens after --decode-base64, whose result may be JSON.
    #[arg(long, value_name = "POINTER", help_heading = "Output")]
    pub unescape: Vec<String>,

    /// What becomes of the text around documents: drop, keep or stderr
    ///
    /// keep prints all of the input, with its documents laid out in place and after their log prefix; it is --all, and
    /// what a filter passes over stays as it is. stderr sends the text to standard error.
    #[arg(
        long,
        value_name = "WHERE",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub noise: NoiseOption,

    /// How a document is laid out.
    #[command(flatten)]
    pub layout: LayoutOptions,

    /// The options of all subcommands.
    #[command(flatten)]
    pub common: Common,
}

impl Extract {
    /// Whether every document is written.
    #[must_use]
    pub fn writes_all(&self) -> bool {
        self.prints_all() || self.noise == NoiseOption::Keep
    }

    /// Whether every document is asked for.
    #[must_use]
    pub const fn prints_all(&self) -> bool {
        self.all || self.layout.array
    }

    /// Whether broken JSON is repaired.
    #[must_use]
    pub fn repairs(&self) -> bool {
        self.repair && (self.stage.is_empty() || self.stage.contains(&Stage::Repair))
    }

    /// Returns an option that conflicts with `--noise keep`.
    fn unlike_keep(&self) -> Option<String> {
        let unlike = [
            (self.pick.is_some(), "--pick"),
            (self.payload, "--payload"),
            (self.repair, "--repair"),
            (self.text, "--text"),
            (self.layout.array, "--array"),
            (self.layout.meta, "--meta"),
            (self.layout.seq, "--seq"),
            (self.layout.print0, "--print0"),
        ];
        let (_, name) = unlike.into_iter().find(|(given, _)| *given)?;
        Some(format!("--noise keep cannot be used with {name}"))
    }
}

/// How `extract` lays out a document; without any of these one line into a pipe or file, indented on a terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LayoutOptions {
    /// One line per document, even on a terminal
    #[arg(short, long, conflicts_with_all = ["pretty", "indent", "as_found"])]
    pub compact: bool,

    /// Indent by two spaces, even when piped
    #[arg(long, conflicts_with_all = ["indent", "as_found"])]
    pub pretty: bool,

    /// Indent by N spaces (0 to 16; 0 is --compact)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16), allow_negative_numbers = true, conflicts_with = "as_found")]
    pub indent: Option<u8>,

    /// Keep the white space of the input
    #[arg(long)]
    pub as_found: bool,

    /// Put a record separator before each document (RFC 7464)
    #[arg(long, conflicts_with = "print0")]
    pub seq: bool,

    /// End each document with NUL instead of a newline
    ///
    /// With --raw, a string that contains NUL is not written and the exit code is 5: it would be ambiguous.
    #[arg(short = '0', long)]
    pub print0: bool,

    /// Print a string without its quotes and escapes
    #[arg(short, long, conflicts_with_all = ["meta", "seq"])]
    pub raw: bool,

    /// Print all documents as one JSON array
    ///
    /// This is --all, over all FILEs; `[]` if no document is found.
    #[arg(long, conflicts_with_all = ["pick", "text", "seq", "print0", "raw"])]
    pub array: bool,

    /// Wrap each document with its origin: {"document":…,"origin":…,"warnings":…}
    #[arg(long)]
    pub meta: bool,
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

/// Options that the readers of event streams share.
#[derive(Debug, Args)]
pub struct StreamOptions {
    /// The agent that wrote the input, if detection is wrong
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Agent::ALL.map(Agent::name)))]
    pub agent: Option<String>,

    /// Exit with 3 if any record is broken
    ///
    /// Otherwise a broken record among valid ones is reported and does not change the exit code.
    #[arg(long)]
    pub strict: bool,
}

/// Options of `events`.
#[derive(Debug, Args)]
#[command(
    args_override_self = true,
    before_long_help = EVENTS_EXAMPLES,
    after_long_help = exit_codes(),
)]
pub struct Events {
    /// NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<EventsFormat>,

    /// Print only the answer, and progress on standard error
    ///
    /// ANSWER=$(… | jsift events --final) shows what happens and captures the answer.
    #[arg(long = "final", conflicts_with_all = ["format", "with_raw"])]
    pub final_only: bool,

    /// Print only events of these phases
    #[arg(long, value_name = "PHASE,…", value_enum, value_delimiter = ',')]
    pub only: Vec<Phase>,

    /// Add the original record to each event
    #[arg(long)]
    pub with_raw: bool,

    /// Stop at the end of the session instead of the end of the input
    ///
    /// For agents whose process lingers after its answer. Waits for subagents that were announced.
    #[arg(long)]
    pub until_result: bool,

    /// Give up if nothing arrives for this many seconds: exit 6
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub idle_timeout: Option<Duration>,

    /// Give up after this many seconds in total: exit 6
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,

    /// How the stream is read.
    #[command(flatten)]
    pub stream: StreamOptions,

    /// The options of all subcommands.
    #[command(flatten)]
    pub common: Common,
}

/// Options of `summary`.
#[derive(Debug, Args)]
#[command(
    args_override_self = true,
    before_long_help = SUMMARY_EXAMPLES,
    after_long_help = exit_codes(),
)]
pub struct Summary {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: SummaryFormat,

    /// Also write a report in this format to FILE (repeatable)
    ///
    /// All reports are made from the same input. FILE is written like the FILE of --output.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = PathBufValueParser::new().try_map(report))]
    pub report: Vec<ReportOption>,

    /// Print only the answer
    #[arg(short, long, conflicts_with_all = ["format", "events", "structural", "github_output"])]
    pub response: bool,

    /// Add the raw records to the JSON
    #[arg(long, conflicts_with_all = ["structural", "github_output"])]
    pub events: bool,

    /// Leave out prompts, texts, parameters and outputs
    ///
    /// Keeps names, counts, times and classes: for logs that others can read. With --report this is about the reports;
    /// --github-output prints the keys that it names.
    #[arg(long)]
    pub structural: bool,

    /// Cut markdown and html at this size, with a note [default for html: 5 MB]
    ///
    /// GitHub drops a step summary over 1 MiB.
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub max_bytes: Option<u64>,

    /// Print these keys of the summary in the format of $GITHUB_OUTPUT
    ///
    /// The keys are the members of --format json and of its usage: outcome, response, session_id, model, files, cost_usd,
    /// … Each is written as KEY<<DELIMITER, the value, DELIMITER; the delimiter is random, so that no value can contain it.
    #[arg(long, value_name = "KEY,…", value_parser = PossibleValuesParser::new(OUTPUT_KEYS.split(' ')), hide_possible_values = true, value_delimiter = ',', conflicts_with = "format")]
    pub github_output: Vec<String>,

    /// Fail even if the agent succeeded: exit 18 on denied, else 5
    ///
    /// Any of denied, tool-error, no-files, empty, cost:X (more than X US dollars) and tokens:N (more than N).
    /// A limit on a figure that the agent does not state fails, too.
    #[arg(long, value_name = "WHAT,…", value_parser = Offering::new(str::parse::<FailOn>, &LIMITS), hide_possible_values = true, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    /// How the stream is read.
    #[command(flatten)]
    pub stream: StreamOptions,

    /// The options of all subcommands.
    #[command(flatten)]
    pub common: Common,
}

impl Summary {
    /// Returns the formats of the reports.
    fn formats(&self) -> impl Iterator<Item = SummaryFormat> {
        let on_output = !self.response && self.github_output.is_empty();
        let files = self.report.iter().map(|report| report.format);
        on_output.then_some(self.format).into_iter().chain(files)
    }

    fn writes(&self, is_it: impl Fn(SummaryFormat) -> bool) -> bool {
        self.formats().any(is_it)
    }

    fn repeats_format(&self) -> bool {
        let formats: Vec<_> = self.formats().collect();
        let mut before = formats.iter().enumerate();
        before.any(|(place, format)| formats.iter().take(place).any(|other| other == format))
    }

    /// Whether a key of `--github-output` is a text of the agent.
    fn outputs_text(&self) -> bool {
        let is_text = |key: &String| matches!(&**key, "response" | "assistant_text");
        self.github_output.iter().any(is_text)
    }
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
    let message = match command {
        Command::Extract(options) if options.stage.contains(&Stage::Repair) && !options.repair => {
            "--stage repair needs --repair"
        }
        Command::Extract(options) if options.noise == NoiseOption::Keep => {
            return options.unlike_keep();
        }
        Command::Summary(options) if options.repeats_format() => {
            "each format can be used only once"
        }
        Command::Summary(options)
            if options.events && !options.writes(|format| format == SummaryFormat::Json) =>
        {
            "--events needs --format json"
        }
        Command::Summary(options)
            if options.structural && options.outputs_text() && options.report.is_empty() =>
        {
            "--structural leaves out what --github-output is to print"
        }
        Command::Summary(options)
            if options.max_bytes.is_some() && !options.writes(SummaryFormat::is_cut) =>
        {
            "--max-bytes needs --format markdown or html"
        }
        _ => return None,
    };
    Some(message.to_owned())
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
