//! Manual pages, completions, the tables of README.md and docs/commands.md and the list in CHANGELOG.md follow the
//! grammar.
//!
//! What is generated is checked in, so that a package needs no build step for it, and compared here with what the
//! grammar and the outcome table give now. `JSIFT_REFRESH=1 cargo test --test docs` writes it anew; then look at
//! `git diff`. Text by hand is in `man/sections/` and `man/jsift-security.7`.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod agents;
mod architecture;
mod completions;
mod examples;
mod man;
#[cfg(unix)]
mod readme;
mod tables;
mod words;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use jsift::command::cli::Cli;

/// The subcommands, by the words that choose them.
const SUBCOMMANDS: [&str; 3] = ["extract", "events", "summary"];

/// A file and what has to stand in it.
struct Page {
    path: PathBuf,
    text: String,
}

/// The grammar, complete.
fn grammar() -> Command {
    let mut root = Cli::command();
    root.build();
    root
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

/// Compares pages with the files in the repository, after writing them where that was asked for.
fn compare(pages: &[Page]) {
    let mut stale = String::new();
    for Page { path, text } in pages {
        if std::env::var_os("JSIFT_REFRESH").is_some() {
            fs::write(root().join(path), text).unwrap();
        }
        let found = read(path);
        if found != *text {
            let line = found.lines().zip(text.lines()).take_while(|(a, b)| a == b);
            writeln!(stale, "  {} from line {}", path.display(), line.count() + 1).unwrap();
        }
    }
    assert!(
        stale.is_empty(),
        "not what the grammar says:\n{stale}refresh: JSIFT_REFRESH=1 cargo test --test docs, then git diff"
    );
}

#[test]
fn manual_pages_are_those_of_the_grammar() {
    compare(&man::pages());
}

/// A formatter, if it is here, finds nothing to say about a page.
fn check(page: &Path, formatter: &str, arguments: &[&str]) {
    let done = std::process::Command::new(formatter)
        .args(arguments)
        .arg(root().join(page))
        .output();
    let Ok(done) = done else {
        return eprintln!("passed over, since {formatter} is not here");
    };
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let said: Vec<&str> = said
        .lines()
        // The version tells how old a page is; a date would make it another page every time.
        .filter(|line| !line.contains("missing date"))
        .collect();
    assert!(said.is_empty(), "{}: {said:?}", page.display());
}

#[test]
fn formatters_have_nothing_to_say_about_the_manual_pages() {
    let mut pages: Vec<PathBuf> = man::pages().into_iter().map(|page| page.path).collect();
    pages.push("man/jsift-security.7".into());
    for page in pages {
        check(&page, "groff", &["-man", "-ww", "-z"]);
        check(&page, "mandoc", &["-T", "lint", "-W", "warning"]);
    }
}

#[test]
fn completions_are_those_of_the_grammar() {
    compare(&completions::pages());
}

#[test]
fn tables_in_the_pages_are_those_of_the_grammar() {
    let filled = |path: &str, fill: fn(&str) -> String| {
        let path = PathBuf::from(path);
        let text = fill(&read(&path));
        Page { path, text }
    };
    compare(&[
        filled("README.md", tables::readme),
        filled("docs/commands.md", tables::commands),
        filled("docs/agents.md", tables::agents),
    ]);
}

#[test]
fn the_security_page_is_of_this_version() {
    let page = read(Path::new("man/jsift-security.7"));
    let version = concat!("\"jsift ", env!("CARGO_PKG_VERSION"), "\"");
    let title = page.lines().find(|line| line.starts_with(".TH")).unwrap();
    assert!(title.contains(version), "{title}");
}

#[test]
fn the_changelog_names_every_subcommand_and_option() {
    let changelog = read(Path::new("CHANGELOG.md"));
    let root = grammar();
    for name in SUBCOMMANDS {
        assert!(changelog.contains(&format!("`{name}`")), "{name}");
        let command = root.find_subcommand(name).unwrap();
        for long in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(changelog.contains(&format!("--{long}")), "--{long}");
        }
    }
}

/// The options of all subcommands, as they are written.
fn options() -> Vec<String> {
    let longs = |command: &Command| -> Vec<String> {
        let longs = command.get_arguments().filter_map(clap::Arg::get_long);
        longs.map(|long| format!("--{long}")).collect()
    };
    let root = grammar();
    let subcommands = root.get_subcommands().flat_map(longs);
    longs(&root).into_iter().chain(subcommands).collect()
}

/// The options that a text names, without the marks after them.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words
        .map(|word| word.trim_end_matches('-'))
        .filter(|word| word.starts_with("--"))
}

/// One that was renamed must not live on in prose.
#[test]
fn options_in_the_pages_exist() {
    let known = options();
    let pages = ["README.md", "docs/commands.md", "docs/recipes.md"];
    let pages = pages.map(|page| read(Path::new(page)));
    for line in pages.iter().flat_map(|page| page.lines()) {
        // What stands after a pipe is another program.
        let of_jsift = line.split("jsift ").skip(1);
        for command in of_jsift.filter_map(|rest| rest.split(['|', '>']).next()) {
            for option in named(command) {
                assert!(
                    known.iter().any(|known| known == option),
                    "{option}: {line}"
                );
            }
        }
    }
}

#[test]
fn options_in_the_manual_pages_exist() {
    let known = options();
    let folder = fs::read_dir(root().join("man/sections")).unwrap();
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    pages.push("man/jsift-security.7".into());
    for page in pages {
        let mut example = false;
        for line in read(&page).lines() {
            example = line == ".EX" || (example && line != ".EE");
            if example || line.contains("emacsclient") {
                continue;
            }
            for option in named(&line.replace('\\', "")) {
                let place = page.display();
                assert!(
                    known.iter().any(|known| known == option),
                    "{place}: {option}"
                );
            }
        }
    }
}

/// Returns how many crates a build has, besides this one or with it.
#[cfg(target_os = "linux")]
fn crates(arguments: &[&str]) -> usize {
    let tree = [
        "tree",
        "--offline",
        "--locked",
        "--package",
        "jsift",
        "--edges",
        "normal,build",
    ];
    let output = std::process::Command::new(env!("CARGO"))
        .args(tree)
        .args(["--prefix", "none"])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
#[cfg(target_os = "linux")]
fn crates_are_counted_rightly() {
    let readme = read(Path::new("README.md")).replace('\n', " ");
    let library = crates(&["--no-default-features"]) - 1;
    assert_eq!(library, 13);
    assert!(readme.contains("library of thirteen small crates"));
    let less = crates(&["--no-default-features", "--features", "cli,html"]);
    let all = crates(&[]);
    let said = format!("builds {less} crates instead of {all}");
    assert!(readme.contains(&said), "{said}");
    let of_schemas = format!("brings {} of the {all} crates of a build", all - less);
    let contributing = read(Path::new("CONTRIBUTING.md"));
    assert!(contributing.contains(&of_schemas), "{of_schemas}");
}

#[test]
fn each_fuzz_target_runs_every_week() {
    let workflow = read(Path::new(".github/workflows/weekly.yml"));
    let (_, list) = workflow.split_once("target: [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let listed: Vec<&str> = list.split(',').map(str::trim).collect();
    let entries = fs::read_dir(root().join("fuzz/targets")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut targets: Vec<String> = names.map(|name| name.replace(".rs", "")).collect();
    targets.sort();
    assert_eq!(listed, targets);
}
