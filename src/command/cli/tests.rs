//! What the command line accepts, what it refuses, and with which message.

use super::guess::COMMANDS;
use super::value::{FailOn, SummaryFormat};
use super::*;
use jsift_find::choose::pick::Pick;
use jsift_find::document::Stage;
use jsift_json::view::Kind;

fn command(line: &[&str]) -> Result<Command, clap::Error> {
    let words = std::iter::once("jsift").chain(line.iter().copied());
    match parse(words)? {
        Request::Run(command) => Ok(command),
        other @ (Request::Print(_) | Request::Draft) => panic!("{other:?}"),
    }
}

fn extract(line: &[&str]) -> Deferred<Extract> {
    let words = std::iter::once("extract").chain(line.iter().copied());
    match command(&words.collect::<Vec<_>>()) {
        Ok(Command::Extract(options)) => options,
        other => panic!("{other:?}"),
    }
}

fn summary(line: &[&str]) -> Deferred<Summary> {
    let words = std::iter::once("summary").chain(line.iter().copied());
    match command(&words.collect::<Vec<_>>()) {
        Ok(Command::Summary(options)) => options,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_grammar_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn defaults_are_those_of_the_contract() {
    let options = extract(&[]);
    assert_eq!(options.common.max_document, 1 << 30);
    assert_eq!(options.common.color, Color::Auto);
    assert!(options.common.files.is_empty());
    assert_eq!(summary(&[]).format, SummaryFormat::Text);
}

#[test]
fn values_arrive_parsed() {
    let options = extract(&[
        "--stage=fence,embedded",
        "--pick",
        "-2",
        "--type",
        "object",
        "--type",
        "array",
        "--require",
        "level",
        "--indent",
        "4",
        "--max-document",
        "64K",
        "-o",
        "out.json",
        "--unwrap",
        "docker",
        "a",
        "-",
        "b",
    ]);
    assert_eq!(options.stage, [Stage::Fence, Stage::Embedded]);
    assert_eq!(options.pick, Some(Pick::NthLast(1)));
    assert_eq!(options.types, [Kind::Object, Kind::Array]);
    assert_eq!(options.layout.indent, Some(4));
    assert_eq!(options.common.max_document, 64 << 10);
    assert_eq!(options.common.unwrap, Some(Unwrap::Docker));
    assert_eq!(options.common.files, ["a", "-", "b"].map(PathBuf::from));
}

#[test]
fn limits_and_keys_are_lists() {
    let options = summary(&[
        "--fail-on",
        "denied,cost:5.00",
        "--github-output",
        "response,session_id",
    ]);
    assert_eq!(options.fail_on, [FailOn::Denied, FailOn::Cost(5.0)]);
    assert_eq!(options.github_output, ["response", "session_id"]);
}

#[test]
fn a_double_dash_ends_options() {
    assert_eq!(
        extract(&["--", "--all"]).common.files,
        [PathBuf::from("--all")]
    );
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let path = OsString::from_vec(b"caf\xe9.log".to_vec());
    let line = ["jsift", "events"].map(OsString::from);
    let Ok(Request::Run(command)) = parse(line.into_iter().chain([path.clone()])) else {
        panic!();
    };
    assert_eq!(command.common().files, [PathBuf::from(path)]);
}

#[test]
fn the_last_of_a_repeated_option_wins() {
    let options = extract(&["--indent", "4", "--indent", "8", "-q", "-q"]);
    assert_eq!(options.layout.indent, Some(8));
}

#[test]
fn what_excludes_each_other_is_refused_with_code_2() {
    for line in [
        "extract --pick first --all",
        "extract --compact --pretty",
        "extract --pretty --indent 2",
        "extract --indent 2 --as-found",
        "extract --seq -0",
        "extract --raw --meta",
        "extract -q -v",
        "extract --text --all",
        "extract --text --meta",
        "extract --stage repair",
        "extract --pick 0",
        "extract --pick --all",
        "extract --max-document 0",
        "extract --no-such-flag",
        "events --final --format text",
        "events --agent nobody",
        "events --timeout 0",
        "summary -r --format json",
        "summary --events",
        "summary --max-bytes 1K",
        "summary --structural --response",
        "summary --structural --github-output outcome,response",
        "summary --github-output a=b",
        "summary --fail-on never",
        "sumary",
        "",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        match command(&words) {
            Err(error) => assert_eq!(
                error.exit_code(),
                i32::from(Outcome::Usage.code()),
                "{line}"
            ),
            Ok(command) => panic!("{line}: {command:?}"),
        }
    }
}

#[test]
fn what_belongs_together_is_taken() {
    for line in [
        "extract -p -r",
        "extract --stage repair --repair",
        "extract -a --meta --seq",
        "summary --events --format json",
        "summary --structural --github-output outcome,usage",
        "summary --max-bytes 900K --format markdown",
        "events --final --only tool,error",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(command(&words).is_ok(), "{line}");
    }
}

#[test]
fn long_help_leads_with_examples_and_ends_with_exit_codes() {
    for line in [
        &["--help"][..],
        &["extract", "--help"],
        &["events", "--help"],
        &["summary", "--help"],
    ] {
        let error = command(line).unwrap_err();
        assert_eq!(error.exit_code(), 0);
        let help = error.to_string();
        assert!(help.starts_with("Examples:\n"), "{help}");
        assert!(
            help.trim_end().ends_with(Outcome::Denied.meaning()),
            "{help}"
        );
    }
}

#[test]
fn short_help_is_short() {
    let help = command(&["extract", "-h"]).unwrap_err().to_string();
    assert!(
        !help.contains("Examples:") && !help.contains("Exit codes:"),
        "{help}"
    );
}

#[test]
fn a_terminal_on_standard_input_gets_the_usage_of_its_subcommand() {
    let usage = command(&["events"]).unwrap().usage();
    assert!(
        usage.starts_with("Usage: jsift events [OPTIONS] [FILE]...\n"),
        "{usage}"
    );
}

#[test]
fn offered_words_are_taken() {
    for (word, _) in Pick::WORDS {
        assert!(word.parse::<Pick>().is_ok(), "{word}");
    }
    for word in value::LIMITS {
        let word = word.replace(':', ":1");
        assert!(word.parse::<FailOn>().is_ok(), "{word}");
    }
}

/// The hint of a wrong line, without its usage.
fn hint(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let error = command(&words).unwrap_err();
    let text = error.to_string();
    let hint = text.split_once("  tip: ").map_or("", |(_, hint)| hint);
    hint.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn guesses_are_led_on() {
    for (line, means) in [
        ("extract --filter .a", "--require POINTER=VALUE"),
        ("extract --jq .a", "| jq"),
        ("extract --select .a", "| jq"),
        ("extract --where a", "| jq"),
        ("extract --json", "extract always prints JSON"),
        ("extract --output-format json", "extract always prints JSON"),
        ("extract --first", "did you mean --pick first?"),
        ("extract --last", "did you mean --pick last?"),
        ("extract --object", "did you mean --type object?"),
        ("extract --slurp", "did you mean --array?"),
        ("extract --stream", "--all prints each document"),
        ("extract --follow", "--all prints each document"),
        ("extract -f", "--all prints each document"),
        ("extract --fix", "did you mean --repair?"),
        ("extract --pretty-print", "did you mean --pretty?"),
        ("extract --compact-output", "did you mean --compact?"),
        ("extract --raw-output", "did you mean --raw?"),
        ("extract --requre a", "did you mean --require?"),
        ("extract --payloa", "did you mean --payload?"),
        (
            "extract --fail-on denied",
            "--fail-on is an option of summary",
        ),
        (
            "extract --agent x",
            "--agent is an option of events and summary",
        ),
        ("events --stream", "no option is needed"),
        ("events --follow", "no option is needed"),
        ("events -f", "no option is needed"),
        ("events --json", "did you mean --format ndjson?"),
        ("events --text", "did you mean --format text?"),
        ("events --output-format json", "did you mean --format?"),
        ("events --filter tool", "--only PHASE"),
        ("events --raw", "did you mean --with-raw?"),
        ("events --colour always", "did you mean --color?"),
        ("events --claude", "did you mean --agent claude?"),
        ("events --payload", "--payload is an option of extract"),
        ("summary --json", "did you mean --format json?"),
        ("summary --markdown", "did you mean --format markdown?"),
        ("summary --output-format=json", "did you mean --format?"),
        ("summary --jq .usage", "--format json | jq"),
        ("summary --raw", "did you mean --response?"),
        ("summary --payload", "jsift extract --payload"),
        (
            "--payload",
            "a command comes first: jsift extract --payload",
        ),
        ("-a run.log", "a command comes first: jsift extract -a"),
        (
            "run.jsonl",
            "a command comes first: jsift extract run.jsonl",
        ),
        ("logs/ci", "a command comes first: jsift extract logs/ci"),
        ("--nonsense", COMMANDS),
        ("sumary", "a similar subcommand exists: 'summary'"),
        ("extract --nonsense", ""),
        ("summary --nonsense=1", ""),
    ] {
        let hint = hint(line);
        assert!(hint.contains(means), "{line}: {hint}");
        assert_eq!(hint.is_empty(), means.is_empty(), "{line}: {hint}");
    }
}

#[test]
fn a_value_is_suggested_only_if_it_is_alike() {
    for (line, similar) in [
        ("summary --format jsno", Some("json")),
        ("summary --format mark", Some("markdown")),
        ("summary --format xml", None),
        ("summary --github-output answer", None),
        ("events --only foo", None),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let text = command(&words).unwrap_err().to_string();
        let reported = text.contains("a similar value exists");
        assert_eq!(reported, similar.is_some(), "{text}");
        assert!(text.contains(similar.unwrap_or_default()), "{text}");
    }
}

#[test]
fn the_usage_of_a_wrong_line_is_that_of_its_command() {
    for (line, usage) in [
        ("extract --json", "Usage: jsift extract [OPTIONS] [FILE]..."),
        (
            "summary --exit-zer",
            "Usage: jsift summary [OPTIONS] [FILE]...",
        ),
        ("run.jsonl", "Usage: jsift COMMAND [OPTIONS] [FILE]..."),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let text = command(&words).unwrap_err().to_string();
        assert!(text.contains(usage), "{text}");
    }
}

#[test]
fn generated_files_are_those_that_their_names_say() {
    use clap::ValueEnum;
    for file in Generated::value_variants() {
        let name = file.to_possible_value().unwrap().get_name().to_owned();
        let word = match name.split_once('-') {
            Some(("agent", _)) => continue,
            None => ".TH JSIFT 1",
            Some(("man", "security")) => ".TH JSIFT-SECURITY 7",
            Some(("man", page)) => &format!(".TH JSIFT-{} 1", page.to_uppercase()),
            Some((_, "bash")) => "complete -F",
            Some((_, "zsh")) => "#compdef jsift",
            Some((_, "fish")) => "complete -c jsift",
            Some((_, "elvish")) => "edit:completion",
            Some((_, "nushell")) => "export extern",
            Some((_, _)) => "Register-ArgumentCompleter",
        };
        assert!(
            file.text().replace("\\-", "-").contains(word),
            "{name}: {word}"
        );
        let is_page = name.starts_with("man");
        assert!(is_page || file.text().contains("generate"), "{name}");
    }
}

#[test]
fn exit_codes_are_in_columns() {
    for outcome in Outcome::ALL {
        let (code, word, meaning) = (outcome.code(), outcome.word(), outcome.meaning());
        let row = format!("\n  {code:>2}  {word:<10} {meaning}");
        assert!(exit_codes().contains(&row), "{row}");
    }
}
