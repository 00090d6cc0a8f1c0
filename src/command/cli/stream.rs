//! The options of the readers of event streams: `events` and `summary`.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser as _};

use super::value::{
    EventsFormat, FailOn, LIMITS, Offering, ReportOption, SummaryFormat, report, seconds, size,
};
use super::{Common, exit_codes};
use crate::command::output::one_path;
use jsift_agents::dialect::Agent;
use jsift_agents::event::Phase;
use jsift_sink::github::OUTPUT_KEYS;

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

impl Events {
    /// Returns what is wrong with the options that clap cannot express.
    pub(super) fn misfit(&self) -> Option<&'static str> {
        let has_no_raw = self.format == Some(EventsFormat::Text);
        (self.with_raw && has_no_raw).then_some("--with-raw needs --format ndjson")
    }
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
    /// The keys are the members of --format json and of its usage: outcome, response, session_id, model, files,
    /// cost_usd, … Each is written as KEY<<DELIMITER, the value, DELIMITER; the delimiter is random, so that no value
    /// can contain it.
    #[arg(long, value_name = "KEY,…", value_parser = PossibleValuesParser::new(OUTPUT_KEYS.split(' ')), hide_possible_values = true, value_delimiter = ',', conflicts_with = "format")]
    pub github_output: Vec<String>,

    /// Fail even if the agent succeeded: exit 18 on denied, else 5
    ///
    /// Any of denied, tool-error, no-files, empty, cost:X (more than X US dollars) and tokens:N (more than N).
    /// cost and tokens also fail if the agent does not report the figure.
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
    /// Returns what is wrong with the options that clap cannot express.
    pub(super) fn misfit(&self) -> Option<&'static str> {
        let writes = |is_it: fn(SummaryFormat) -> bool| self.formats().any(is_it);
        if self.repeats_format() {
            Some("each format can be used only once")
        } else if self.shares_file() {
            Some("each report needs a file of its own; --format is for standard output")
        } else if self.events && !writes(|format| format == SummaryFormat::Json) {
            Some("--events needs --format json")
        } else if self.structural && self.outputs_text() && self.report.is_empty() {
            Some("--structural leaves out what --github-output is to print")
        } else if self.max_bytes.is_some() && !writes(SummaryFormat::is_cut) {
            Some("--max-bytes needs --format markdown or html")
        } else {
            None
        }
    }

    /// Returns the formats of the reports.
    fn formats(&self) -> impl Iterator<Item = SummaryFormat> {
        let on_output = !self.response && self.github_output.is_empty();
        let files = self.report.iter().map(|report| report.format);
        on_output.then_some(self.format).into_iter().chain(files)
    }

    fn repeats_format(&self) -> bool {
        let formats: Vec<_> = self.formats().collect();
        let mut before = formats.iter().enumerate();
        before.any(|(place, format)| formats.iter().take(place).any(|other| other == format))
    }

    /// Whether a report would be written over another one, over the FILE of `--output`, or to standard output.
    fn shares_file(&self) -> bool {
        let stdout = Path::new("-");
        let mut taken = HashSet::from([stdout.to_owned()]);
        taken.extend(self.common.output.as_deref().map(one_path));
        let mut files = self.report.iter().map(|report| &*report.path);
        !files.all(|path| path != stdout && taken.insert(one_path(path)))
    }

    /// Whether a key of `--github-output` is a text of the agent.
    fn outputs_text(&self) -> bool {
        let is_text = |key: &String| matches!(&**key, "response" | "assistant_text");
        self.github_output.iter().any(is_text)
    }
}
