//! The values that options take, parsed once into plain types.
//!
//! Option values are parsed only here; the rest of the program uses the parsed types. Values that are enums of the
//! domain (`Stage`, `Kind`, `Phase`) are derived where those are.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// If the environment and the terminal agree
    #[default]
    Auto,
    /// Even into pipes and files
    Always,
    /// Never, not even on a terminal
    Never,
}

/// What becomes of the text around documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum NoiseOption {
    /// It is not written
    #[default]
    Drop,
    /// It is written, too, with the documents in place
    Keep,
    /// It goes to standard error
    Stderr,
}

/// How `events` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventsFormat {
    /// One JSON object per line
    Ndjson,
    /// Readable lines
    Text,
}

/// How `summary` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SummaryFormat {
    /// Tables for a terminal
    #[default]
    Text,
    /// One JSON object per session
    Json,
    /// One line per session, and totals
    Table,
    /// Markdown for a step summary or a comment
    Markdown,
    /// Workflow annotations
    Github,
    /// One page that shows the run, for a browser
    #[cfg(feature = "html")]
    Html,
}

impl SummaryFormat {
    /// Whether `--max-bytes` cuts it.
    pub const fn is_cut(self) -> bool {
        matches!(self, Self::Markdown) || self.is_page()
    }

    /// Whether a browser shows it, and no log.
    pub const fn is_page(self) -> bool {
        #[cfg(feature = "html")]
        return matches!(self, Self::Html);
        #[cfg(not(feature = "html"))]
        false
    }
}

/// What `--fail-on` takes; an amount stands after a colon.
pub const LIMITS: [&str; 6] = [
    "denied",
    "tool-error",
    "no-files",
    "empty",
    "cost:",
    "tokens:",
];

/// Reads a value as `parser` does, and offers words that a shell can complete: not all that is taken is a word.
#[derive(Debug, Clone)]
pub struct Offering<P> {
    parser: P,
    words: Vec<&'static str>,
}

impl<P: TypedValueParser> Offering<P> {
    /// Reads by `parser` and offers `words`.
    pub fn new(parser: P, words: impl Into<Vec<&'static str>>) -> Self {
        Self {
            parser,
            words: words.into(),
        }
    }
}

impl<P: TypedValueParser> TypedValueParser for Offering<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        self.parser.parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(PossibleValue::new)))
    }
}

/// A report in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOption {
    /// The format of the report.
    pub format: SummaryFormat,
    /// The file.
    pub path: PathBuf,
}

/// Reads `FORMAT=FILE`.
pub fn report(value: PathBuf) -> Result<ReportOption, String> {
    let found = parts(value.as_os_str()).and_then(|(format, path)| {
        let format = SummaryFormat::from_str(format, false).ok()?;
        let path = PathBuf::from(path);
        (!path.as_os_str().is_empty()).then_some(ReportOption { format, path })
    });
    found.ok_or_else(|| {
        let formats = SummaryFormat::value_variants().iter();
        let formats: Vec<_> = formats
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
            .collect();
        let formats = formats.join(", ");
        format!("expected FORMAT=FILE, where FORMAT is one of {formats}")
    })
}

/// Returns what stands before and after the first `=`.
#[cfg(unix)]
fn parts(value: &OsStr) -> Option<(&str, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;
    let at = value.as_bytes().iter().position(|byte| *byte == b'=')?;
    let (format, path) = value.as_bytes().split_at_checked(at)?;
    let path = path.get(1..).unwrap_or_default();
    Some((std::str::from_utf8(format).ok()?, OsStr::from_bytes(path)))
}

/// Returns what stands before and after the first `=`.
#[cfg(not(unix))]
fn parts(value: &OsStr) -> Option<(&str, &OsStr)> {
    let (format, path) = value.to_str()?.split_once('=')?;
    Some((format, OsStr::new(path)))
}

/// A limit that turns a success into a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailOn {
    /// A tool was denied.
    Denied,
    /// A tool failed.
    ToolError,
    /// No file was written.
    NoFiles,
    /// The response is empty.
    Empty,
    /// The run cost more than this, in US dollars.
    Cost(f64),
    /// The run used more than this many tokens.
    Tokens(u64),
}

/// Writes the limit as it is given.
impl std::fmt::Display for FailOn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Denied => f.write_str("denied"),
            Self::ToolError => f.write_str("tool-error"),
            Self::NoFiles => f.write_str("no-files"),
            Self::Empty => f.write_str("empty"),
            Self::Cost(limit) => write!(f, "cost:{limit}"),
            Self::Tokens(limit) => write!(f, "tokens:{limit}"),
        }
    }
}

impl std::str::FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = [Self::Denied, Self::ToolError, Self::NoFiles, Self::Empty];
        if let Some(limit) = plain.into_iter().find(|limit| limit.to_string() == text) {
            return Ok(limit);
        }
        match text.split_once(':') {
            Some(("cost", amount)) => match amount.parse::<f64>() {
                Ok(cost) if cost.is_finite() && cost >= 0.0 => Ok(Self::Cost(cost)),
                _ => Err("expected cost:X with X in US dollars, such as cost:5.00".to_owned()),
            },
            Some(("tokens", number)) => number
                .parse()
                .map(Self::Tokens)
                .map_err(|_| "expected tokens:N, such as tokens:200000".to_owned()),
            _ => Err("expected denied, tool-error, no-files, empty, cost:X or tokens:N".to_owned()),
        }
    }
}

/// Reads a size in bytes: a number, perhaps with a suffix `K`, `M` or `G` (powers of 1024).
pub fn size(text: &str) -> Result<u64, String> {
    const EXPECTED: &str =
        "expected a positive number of bytes, optionally with the suffix K, M or G";
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let factor: u64 = match text
        .get(digits.len()..)
        .unwrap_or("")
        .to_ascii_lowercase()
        .as_str()
    {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    match number.checked_mul(factor) {
        Some(0) => Err(EXPECTED.to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("the size is too large".to_owned()),
    }
}

/// Reads how many files are read at a time.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse();
    number.map_err(|_| "expected a number of at least 1".to_owned())
}

/// Reads how many spaces a level is indented by.
pub fn indent(text: &str) -> Result<u8, String> {
    let width = text.parse().ok().filter(|width| *width <= 16);
    width.ok_or_else(|| "expected a number from 0 to 16".to_owned())
}

/// Reads the path of a file to read.
pub fn file(name: OsString) -> Result<PathBuf, String> {
    match name.is_empty() {
        true => Err("the name of a FILE is empty".to_owned()),
        false => Ok(name.into()),
    }
}

/// Reads a time in seconds, fractions included.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds above 0, such as 30 or 2.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_suffixes() {
        assert_eq!(size("1"), Ok(1));
        assert_eq!(size("900K"), Ok(900 * 1024));
        assert_eq!(size("64m"), Ok(64 << 20));
        assert_eq!(size("1G"), Ok(1 << 30));
        assert_eq!(size("2GiB"), Ok(2 << 30));
    }

    #[test]
    fn sizes_that_are_none_are_refused() {
        for text in [
            "",
            "K",
            "0",
            "0G",
            "-1",
            "1.5M",
            "1T",
            "1 K",
            "1é",
            "99999999999999999999",
            "99999999999G",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(jobs("3"), Ok(NonZeroUsize::MIN.saturating_add(2)));
        assert_eq!([indent("0"), indent("16")], [Ok(0), Ok(16)]);
        for text in ["", "x", "-1", "17", "0.5", "99999999999999999999999"] {
            let [jobs, indent] = [jobs(text).is_err(), indent(text).is_err()];
            assert!(indent && (jobs || text == "17"), "{text}");
        }
        assert!(jobs("0").is_err());
    }

    #[test]
    fn seconds_may_have_a_fraction_and_must_be_finite() {
        assert_eq!(seconds("30"), Ok(Duration::from_secs(30)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["", "0", "-1", "NaN", "inf", "1e300", "5s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_words_or_amounts() {
        assert_eq!("denied".parse(), Ok(FailOn::Denied));
        assert_eq!("cost:5.00".parse(), Ok(FailOn::Cost(5.0)));
        assert_eq!("tokens:200000".parse(), Ok(FailOn::Tokens(200_000)));
        for text in [
            "cost",
            "cost:",
            "cost:NaN",
            "cost:-1",
            "tokens:1.5",
            "denied:1",
            "files",
        ] {
            assert!(text.parse::<FailOn>().is_err(), "{text}");
        }
    }
}
