//! Hints for options that users know from other tools.
//!
//! Most hints come from the grammar: an option of another subcommand, a value that was taken for an option. The table
//! [`MEANINGS`] has the options of jq, gh, ripgrep and the agents.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};

use super::Cli;

/// How alike two words are that one person may have meant by the other: 1 is the same.
const ALIKE: f64 = 0.6;

/// The hint for a command line without a subcommand.
pub const COMMANDS: &str = "the commands are extract (JSON out of any text), events (what an agent does, live) and \
    summary (how its run went): jsift COMMAND [OPTIONS] [FILE]...";

/// Adds our hint to a clap error and removes clap's misleading suggestions.
pub(super) fn explain(mut error: Error, line: &[OsString]) -> Error {
    if let Some(value) = text(&error, ContextKind::InvalidValue)
        && alike(&error, ContextKind::SuggestedValue, &value).is_none()
    {
        error.remove(ContextKind::SuggestedValue);
    }
    if !matches!(
        error.kind(),
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
    ) {
        return error;
    }
    let mut root = Cli::command();
    root.build();
    let called = line.get(1).and_then(|word| word.to_str());
    let generates = called.is_some_and(|word| word.starts_with("--generate"));
    let own = called.and_then(|name| root.find_subcommand(name));
    let hint = match (text(&error, ContextKind::InvalidArg), own) {
        (Some(guess), Some(own)) => of_option(&guess, own, &root).or_else(|| {
            let meant = alike(&error, ContextKind::SuggestedArg, &guess)?;
            Some(format!("did you mean {meant}?"))
        }),
        (Some(guess), None) => Some(match owners(&guess, &root).as_slice() {
            [owner, ..] => format!("a command comes first: jsift {owner} {guess}"),
            [] => COMMANDS.to_owned(),
        }),
        (None, _) if generates => Some("--generate takes one name".to_owned()),
        (None, _) => match text(&error, ContextKind::SuggestedSubcommand) {
            Some(_) => return error,
            None => Some(match called.filter(|word| word.contains(['.', '/'])) {
                Some(file) => format!("a command comes first: jsift extract {file}"),
                None => COMMANDS.to_owned(),
            }),
        },
    };
    let usage = own.cloned().map(|mut own| own.render_usage());
    for misleading in [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::Suggested,
    ] {
        error.remove(misleading);
    }
    if let Some(usage) = usage {
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    if let Some(hint) = hint {
        let hint = ContextValue::StyledStrs(vec![StyledStr::from(hint)]);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}

/// Returns the text of a context of a clap error.
fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

/// Returns clap's suggestion if it is similar enough to the input.
fn alike(error: &Error, suggested: ContextKind, guess: &str) -> Option<String> {
    let meant = text(error, suggested)?;
    let names = [guess, meant.as_str()].map(|name| name.trim_start_matches('-'));
    let [guess, name] = names;
    let alike = strsim::normalized_damerau_levenshtein(guess, name) > ALIKE;
    (alike || name.starts_with(guess)).then_some(meant)
}

/// Returns the hint for an option that a subcommand does not have.
fn of_option(guess: &str, own: &Command, root: &Command) -> Option<String> {
    let name = guess.trim_start_matches('-');
    if let Some(meaning) = meaning(own.get_name(), name) {
        return Some(meaning.to_owned());
    }
    // A value that was taken for an option.
    let values = own.get_arguments().find_map(|option| {
        let offered = option.get_possible_values();
        let is_one = offered.iter().any(|value| value.get_name() == name);
        is_one.then_some(option.get_long()).flatten()
    });
    if let Some(option) = values {
        return Some(format!("did you mean --{option} {name}?"));
    }
    match owners(guess, root).as_slice() {
        [] => None,
        owners => Some(format!("{guess} is an option of {}", owners.join(" and "))),
    }
}

/// Returns the subcommands that have an option.
fn owners(guess: &str, root: &Command) -> Vec<String> {
    let name = guess.trim_start_matches('-');
    let has = |command: &&Command| {
        command.get_arguments().any(|option| {
            let short = option.get_short().map(String::from);
            match guess.starts_with("--") {
                true => option.get_long() == Some(name),
                false => short.as_deref() == Some(name),
            }
        })
    };
    let commands = root.get_subcommands().filter(has);
    let named = commands.map(|command| command.get_name().to_owned());
    named.filter(|name| name != "help").collect()
}

/// What options of other tools mean here: the commands that a row is about, the options, and the hint.
const MEANINGS: &[&str] = &[
    // jq, gh
    "extract: jq filter select where query q grep: jq picks from what jsift finds: add | jq \
     EXPRESSION; --require POINTER=VALUE and --type leave out documents that do not fit",
    "events: jq filter select where query grep phase type: --only PHASE,… leaves out other \
     phases, and jq picks from the rest: add | jq EXPRESSION",
    "summary: jq filter select where query q: jq picks from the report: --format json | jq \
     EXPRESSION",
    "any: get field key path pointer arg argjson: jq picks from what jsift finds: add | jq \
     EXPRESSION",
    "extract: slurp s: did you mean --array?",
    "events: slurp s array: jq makes one array of all of them: add | jq -s .",
    "any: sort-keys S: keys stay in the order that they came in: add | jq -S . to sort",
    "extract: compact-output: did you mean --compact?",
    "extract: raw-output join-output: did you mean --raw?",
    "events: raw raw-output: did you mean --with-raw?",
    "summary: raw raw-output: did you mean --response?",
    "extract: pretty-print prettify multiline tab beautify: did you mean --pretty? --indent N \
     sets the width",
    "events summary: pretty pretty-print indent: jq lays JSON out: add | jq .",
    "any: monochrome-output M no-color no-colour: did you mean --color never?",
    "any: colour: did you mean --color?",
    "any: color-output C: did you mean --color always?",
    "any: exit-status e: the exit code always says how it went; --help lists the codes",
    // ripgrep, head, tail
    "extract: nth index n number limit: --pick N prints one document; --all | head -n N the first \
     of all",
    "any: max-count m: add | head -n N",
    "extract: stream follow f F tail watch live: --all prints each document as soon as it is \
     read; no option is needed to follow a pipe",
    "events: stream follow f F tail watch live: no option is needed: what is read is written \
     before the next wait; tail -f FILE | jsift follows a file",
    "any: line-buffered unbuffered: no option is needed: what is read is written before the next \
     wait; tail -f FILE | jsift follows a file",
    "summary: stream follow f F tail watch live: summary reports at the end; jsift events shows a \
     run as it goes",
    "extract: stream-json: --payload reads the answer in an event stream",
    "any: files file input input-file in i stdin: files stand without an option: jsift COMMAND \
     FILE...; - is standard input",
    "any: out output-file outfile save O write: did you mean --output FILE?",
    "any: silent: did you mean --quiet?",
    "any: debug trace log-level: did you mean --verbose?",
    "any: ignore-errors no-fail force: did you mean --exit-zero?",
    "any: generate completions completion man: without a command: jsift --generate FILE, with \
     complete-bash, complete-zsh, … or man",
    // tools for broken JSON
    "extract: fix tolerant lenient relaxed recover json5 jsonc: did you mean --repair?",
    // the agents
    "extract: json jsonl ndjson j output-format format: extract always prints JSON; --all prints \
     every document on a line of its own, and --pretty, --compact and --seq choose the layout",
    "events: json jsonl j: did you mean --format ndjson?",
    "events summary: output-format o-format out-format: did you mean --format?",
    "summary: j jsonl ndjson stream-json: did you mean --format json?",
    "summary: md: did you mean --format markdown?",
    "summary: annotations: did you mean --format github?",
    "extract: json-schema schema-file output-schema: did you mean --schema FILE?",
    "extract: answer result response final message: --payload takes the JSON in the answer; jsift \
     summary --response prints its text",
    "events: response r answer result last-message: did you mean --final?",
    "summary: final answer result last-message p payload: --response prints the answer; jsift \
     extract --payload the JSON in it",
    "summary: usage tokens cost stats: --format json | jq .usage; --fail-on cost:X,tokens:N sets \
     limits",
    "summary: max-cost budget max-budget-usd: did you mean --fail-on cost:X?",
    "summary: max-tokens: did you mean --fail-on tokens:N?",
    "summary: redact anonymize private: did you mean --structural?",
];

/// Returns the hint for an option of another tool.
fn meaning(command: &str, name: &str) -> Option<&'static str> {
    let has = |words: &str, wanted: &str| words.split(' ').any(|word| word == wanted);
    MEANINGS.iter().find_map(|row| {
        let (commands, row) = row.split_once(": ")?;
        let (options, hint) = row.split_once(": ")?;
        let is_it = (commands == "any" || has(commands, command)) && has(options, name);
        is_it.then_some(hint)
    })
}
