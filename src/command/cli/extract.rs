//! The options of `extract`.

use std::path::PathBuf;

use clap::Args;

use super::value::{NoiseOption, Offering, indent};
use super::{Common, exit_codes};
use jsift_find::choose::pick::Pick;
use jsift_find::document::Stage;
use jsift_json::view::Kind;

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
    /// Treats envelopes like any other document. largest compares documents as they are in the input, white space
    /// included. With only, several documents are an error: exit 5. With first or a positive number, prints early if
    /// nothing later can replace the document: in a json fence, or anywhere with --stage embedded, after marked
    /// thinking or the first MiB.
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = Offering::new(str::parse::<Pick>, Pick::WORDS.map(|(word, _)| word)),
        hide_possible_values = true,
        allow_hyphen_values = true,
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

    /// Repair broken JSON if there is no valid document outside of it, and say what was changed
    ///
    /// A valid document stays as it is; it is passed over only if it is a part of what is repaired. With --all, each
    /// broken document is repaired in its place. Comments, extra and missing commas, other quotation marks, names
    /// without quotes, literals of Python and JavaScript, raw line feeds in strings, missing brackets and cut input are
    /// repaired. The input is kept in memory, and nothing is written before its end.
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
    /// Applied after --decode-base64.
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

    /// Returns what is wrong with the options that clap cannot express.
    pub(super) fn misfit(&self) -> Option<String> {
        if self.stage.contains(&Stage::Repair) && !self.repair {
            return Some("--stage repair needs --repair".to_owned());
        }
        let keeps = self.noise == NoiseOption::Keep;
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
        let (_, name) = unlike.into_iter().find(|(given, _)| *given && keeps)?;
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
    #[arg(long, value_name = "N", value_parser = indent, allow_negative_numbers = true, conflicts_with = "as_found")]
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
