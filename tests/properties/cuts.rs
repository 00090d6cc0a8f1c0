//! How a source is cut into reads changes nothing that a command prints, and not its code.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Choices;
use super::run::on_with;
use jsift::command::run::environment::Environment;

/// The command lines whose outputs are compared.
const COMMANDS: [&str; 25] = [
    "extract",
    "extract --all",
    "extract --all --meta",
    "extract --all --pretty --noise keep",
    "extract --all --as-found --noise stderr",
    "extract --all --max-document 16",
    "extract --all --max-document 64",
    "extract --all --loose",
    "extract --all --type number",
    "extract --pick last",
    "extract --pick first",
    "extract --pick first --stage embedded --meta",
    "extract --pick 2 --stage embedded,whole -v",
    "extract --unwrap auto --all",
    "extract --text",
    "extract --repair",
    "extract --stage fence",
    "extract -p",
    "extract -p --max-document 64",
    "events --with-raw",
    "events --format text",
    "events --max-document 64",
    "summary --format json",
    "summary --format markdown",
    "summary --format json --max-document 64",
];

/// The texts that texts are put together of.
const PARTS: [&str; 50] = [
    "{\"a\":1}",
    "{\"a\":1}\n",
    "{\"b\":{\"c\":[1,2]},\"d\":\"long enough to be beyond a limit of 64 bytes\"}\n",
    "[{\"a\":1},{\"b\":2}]",
    "[1,2]",
    "{}",
    "[]",
    "1 ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "\n",
    " ",
    "    ",
    "x",
    "see ",
    "app | ",
    "[x] ",
    "│ ",
    " │\n",
    "10:00:00 ",
    "```json\n",
    "```\n",
    "- ",
    "> ",
    "<think>\n",
    "</think>\n",
    "...done thinking.\n",
    "</reasoning>\n",
    "<reasoning>\n",
    "[Infinity, {\"a\":1}]\n",
    "{`k`: {\"a\":1}}\n",
    "| a | ",
    "|   | ",
    "\u{1b}[1m",
    "\u{1b}]0;t\u{7}",
    "\r",
    "\u{feff}",
    "é",
    "data: ",
    "Error: 429\n",
    "{\"type\":\"a\",\"id\":1}",
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"hi\"}\n",
    "{\"type\":\"message\",\"role\":\"assistant\" \"content\":\"hi\"}\n",
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"{\\\"a\\\":1}\",\"session_id\":\"s\"}\n",
];

/// Returns the text that the choices put together, a part often several times.
fn text(choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    for _ in 0..1 + choices.below(12) {
        let part = PARTS[choices.below(PARTS.len())];
        let times = if choices.below(6) == 0 { 12 } else { 1 };
        text.push_str(&part.repeat(times));
    }
    text
}

/// Asserts that a command prints the same of a text however it is cut.
pub(crate) fn assert_same(command: &str, text: &[u8], sizes: &[usize]) {
    let mut source = tempfile::NamedTempFile::new().expect("a file");
    source.write_all(text).expect("a file that can be written");
    let args = || command.split_whitespace();
    let whole = on_with(args(), source.path(), Environment::default());
    let next = AtomicUsize::new(0);
    let sizes: Vec<usize> = sizes.iter().map(|&size| size.max(1)).collect();
    let read_size = Box::new(move || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        sizes.get(at % sizes.len()).copied().unwrap_or(1)
    });
    let environment = Environment {
        read_size,
        ..Environment::default()
    };
    let cut = on_with(args(), source.path(), environment);
    if let (Some(whole), Some(cut)) = (whole, cut) {
        let text = super::shown(text);
        assert_eq!(cut.results, whole.results, "{command}: {text}");
        // Noise is passed through as soon as it is known to be noise, and notes come in between. A message comes as
        // soon as its fault is known, and shows of the line (`  6 | {"a" 1`, and marks under it) what was read by then;
        // live noise may look like that.
        let live = command.contains("--noise stderr");
        let is_shown = |line: &&str| live || !line.starts_with("  ") || !line.contains(" | ");
        let messages = [&cut.messages, &whole.messages].map(|messages| {
            let mut lines: Vec<&str> = messages.lines().filter(is_shown).collect();
            if live {
                lines.sort_unstable();
            }
            lines
        });
        assert_eq!(messages[0], messages[1], "{command}: {text}");
        assert_eq!(cut.code, whole.code, "{command}: {text}");
    }
}

/// Returns the text that these bytes choose.
pub fn text_of(choices: &[u8]) -> String {
    text(&mut Choices(choices))
}

pub fn property(input: &[u8]) {
    let mut choices = Choices(input);
    let command = COMMANDS[choices.below(COMMANDS.len())];
    let sizes: Vec<usize> = (0..1 + choices.below(3))
        .map(|_| 1 + choices.below(40))
        .collect();
    match choices.below(2) {
        0 => assert_same(command, choices.0, &sizes),
        _ => {
            let text = text(&mut choices);
            assert_same(command, text.as_bytes(), &sizes);
        }
    }
}
