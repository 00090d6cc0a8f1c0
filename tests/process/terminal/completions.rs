//! Completions as they are typed: a shell on a terminal, whose `jsift` prints what it is called with.

use std::path::Path;
use std::process::Command;

use super::Terminal;

/// What is typed before a tab, and the line that comes of it.
const TYPED: [(&str, &str); 12] = [
    ("extract --stage=fe", "extract --stage=fence"),
    ("extract --stage em", "extract --stage embedded"),
    (
        "extract --stage fence,emb",
        "extract --stage fence,embedded",
    ),
    (
        "extract --stage=string,fence,wh",
        "extract --stage=string,fence,whole",
    ),
    ("extract --pick la", "extract --pick la"),
    ("extract --pick=fi", "extract --pick=first"),
    (
        "summary --fail-on denied,tool",
        "summary --fail-on denied,tool-error",
    ),
    (
        "summary --github-output=response,sess",
        "summary --github-output=response,session_id",
    ),
    (
        "summary --fail-on cost:5,den",
        "summary --fail-on cost:5,denied",
    ),
    (
        "summary --fail-on=empty,cost:0.5,no",
        "summary --fail-on=empty,cost:0.5,no-files",
    ),
    ("events --only too", "events --only tool"),
    ("events --agent=cla", "events --agent=claude"),
];

/// A shell with completions, after its first prompt.
fn shell(name: &str, arguments: &[&str], prepare: &str) -> Option<(Terminal, std::process::Child)> {
    let mut terminal = Terminal::new(200);
    let home = tempfile::tempdir().unwrap();
    let completions = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(name).args(arguments);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", home.path())
        .env("COMPLETIONS", completions)
        .env("LANG", "C.UTF-8")
        .env("TERM", "xterm");
    command
        .stdin(terminal.side())
        .stdout(terminal.side())
        .stderr(terminal.side());
    let child = command.spawn().unwrap();
    terminal.type_in(&format!("{prepare}\n"));
    terminal.until("prepared\r\n");
    Some((terminal, child))
}

/// Types lines and compares what `jsift` is called with then.
fn completes(name: &str, arguments: &[&str], prepare: &str) {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&paths).any(|folder| folder.join(name).is_file()) {
        return eprintln!("passed over, since {name} is not here");
    }
    let (mut terminal, mut child) = shell(name, arguments, prepare).unwrap();
    let mut wrong = String::new();
    for (typed, line) in TYPED {
        terminal.type_in(&format!("jsift {typed}\t\n"));
        let seen = terminal.until("}\r\n");
        let called = seen.rsplit("{").next().unwrap_or_default();
        let called = called.trim_end().trim_end_matches('}');
        if called != line {
            wrong += &format!("{typed}: {called}, not {line}\n{seen:?}\n");
        }
    }
    terminal.type_in("exit\n");
    child.wait().unwrap();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn bash_completes() {
    completes(
        "bash",
        &["--norc", "--noprofile", "-i"],
        r#". "$COMPLETIONS/jsift.bash"; jsift() { echo "{$*}"; }; PS1="$ "; echo pre""pared"#,
    );
}

#[test]
fn zsh_completes() {
    completes(
        "zsh",
        &["-f", "-i"],
        r#"fpath=("$COMPLETIONS" $fpath); autoload -Uz compinit && compinit -u -D; unsetopt automenu; jsift() { echo "{$*}"; }; echo pre""pared"#,
    );
}

#[test]
fn fish_completes() {
    completes(
        "fish",
        &["--no-config", "--interactive"],
        r#"source "$COMPLETIONS/jsift.fish"; function jsift; echo "{"(string join " " -- $argv)"}"; end; echo pre""pared"#,
    );
}
