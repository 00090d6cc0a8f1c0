//! Messages on a terminal: on lines of their own, with the line that they are about, and why nothing is printed yet.

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use super::{Terminal, jsift};

/// Documents of which every 500th is broken.
fn log() -> String {
    let line = |n: usize| match n % 500 {
        250 => "{\"broken\": x}\n".to_owned(),
        _ => format!("{{\"n\":{n},\"text\":\"{}\"}}\n", "x".repeat(40)),
    };
    (0..3000).map(line).collect()
}

/// Asserts that each line is a whole document, a message, or a line of the input with its mark, and returns the
/// messages.
fn messages(seen: &str) -> Vec<&str> {
    let mut messages = Vec::new();
    for line in seen.lines() {
        let line = line.trim_end_matches('\r');
        match line.as_bytes() {
            [b'{', .., b'}'] => drop(serde_json::from_str::<serde_json::Value>(line).unwrap()),
            [b'j', ..] => messages.push(line),
            [b' ', ..] => {}
            _ => panic!("{line:?}"),
        }
    }
    messages
}

#[test]
fn a_message_has_a_line_of_its_own() {
    let terminal = Terminal::new(80);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, log()).unwrap();
    let mut command = jsift(&["extract", "--all", "--compact", "--color", "never"]);
    command.arg(&path);
    let both = folder.path().join("both");
    let file = File::create(&both).unwrap();
    command.stdout(file.try_clone().unwrap()).stderr(file);
    assert!(command.status().unwrap().success());
    let written = fs::read_to_string(&both).unwrap();
    assert_eq!(messages(&written).len(), 4);
    assert!(written.contains("\"n\":249,"), "{written}");
    let place = |part: &str| written.find(part).unwrap();
    assert!(place("\"n\":249,") < place(":251:1: note:"));
    assert!(place(":251:1: note:") < place("\"n\":251,"));

    // A terminal has to be read while it is written to.
    command.stdout(terminal.side()).stderr(terminal.side());
    let mut child = command.spawn().unwrap();
    drop(command);
    let reader = std::thread::spawn(move || terminal.rest());
    assert!(child.wait().unwrap().success());
    let seen = reader.join().unwrap();
    assert_eq!(messages(&seen).len(), 4, "{seen}");
    assert!(seen.contains("\n  251 | {\"broken\": x}\n      |            ^ expected a value\n"));
}

#[test]
fn a_message_ends_the_line_that_an_answer_has_left_open() {
    let mut terminal = Terminal::new(80);
    let (mut child, mut stdin) = super::watched(&terminal, &[("NO_COLOR", "1")]);
    let text = super::answer(2).replace("\\nend.\\n", "");
    writeln!(stdin, "{}\n{text}", super::INIT).unwrap();
    terminal.until("word word");
    writeln!(stdin, "{{\"type\":broken}}").unwrap();
    drop(stdin);
    child.wait().unwrap();
    let seen = terminal.rest();
    assert!(seen.contains("\njsift: <stdin>:3:1: warning: "), "{seen:?}");
}

#[test]
fn an_answer_that_waits_for_the_end_of_the_input_says_so() {
    let mut terminal = Terminal::new(80);
    let mut command = jsift(&["extract"]);
    command.stderr(terminal.side()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "log {{\"a\":1}}").unwrap();
    let line = terminal.until("\x1b[K\r");
    assert_eq!(
        line,
        "\rjsift: 1 document found; waiting for the end of input (see --all, --pick first)\x1b[K\r"
    );
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"{\"a\":1}\n");
    assert_eq!(terminal.rest(), "\r\x1b[K");
}
