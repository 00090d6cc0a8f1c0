//! The tables of README.md, docs/commands.md and docs/agents.md, between `<!-- NAME -->` and `<!-- end -->`.

use std::fmt::Write as _;

use clap::{Arg, Command};
use jsift_outcome::Outcome;

use super::{SUBCOMMANDS, grammar};

/// README with its table as it has to be.
pub(crate) fn readme(page: &str) -> String {
    put(page, "exit codes", &exit_codes())
}

/// The page on agents with its table as it has to be.
pub(crate) fn agents(page: &str) -> String {
    put(page, "agents", &super::agents::table())
}

/// The page on the commands with its tables as they have to be.
pub(crate) fn commands(page: &str) -> String {
    let mut text = page.to_owned();
    let root = grammar();
    for name in SUBCOMMANDS {
        let command = root.find_subcommand(name).unwrap();
        let own = options(command, |heading| heading != Some("Common options"));
        text = put(&text, &format!("options of {name}"), &own);
    }
    let common = options(root.find_subcommand("extract").unwrap(), |heading| {
        heading == Some("Common options")
    });
    put(&text, "common options", &common)
}

/// Replaces what stands after the mark of this name.
fn put(text: &str, name: &str, table: &str) -> String {
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) = text.split_once(&mark).expect(&mark);
    let (_, after) = rest.split_once("<!-- end -->").expect("<!-- end -->");
    format!("{before}{mark}{table}<!-- end -->{after}")
}

fn exit_codes() -> String {
    let mut table = String::from("| code | outcome | meaning |\n|---|---|---|\n");
    for outcome in Outcome::ALL {
        let (code, word, meaning) = (outcome.code(), outcome.word(), outcome.meaning());
        writeln!(table, "| {code} | `{word}` | {meaning} |").unwrap();
    }
    table
}

fn options(command: &Command, wanted: impl Fn(Option<&str>) -> bool) -> String {
    let mut table = String::from("| option | what it does |\n|---|---|\n");
    let shown = command
        .get_arguments()
        .filter(|arg| !arg.is_positional())
        .filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
        .filter(|arg| wanted(arg.get_help_heading()));
    for arg in shown {
        let help = arg.get_help().unwrap().to_string().replace('|', "\\|");
        writeln!(table, "| {} | {help} |", name(arg)).unwrap();
    }
    table
}

/// An option as it is written: `-o`, `--output FILE`.
fn name(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("`-{short}`, "));
    let long = arg.get_long().unwrap();
    let value = match arg.get_value_names() {
        Some(names) if arg.get_action().takes_values() => format!(" {}", names.join(" ")),
        _ => String::new(),
    };
    format!("{}`--{long}{value}`", short.unwrap_or_default())
}
