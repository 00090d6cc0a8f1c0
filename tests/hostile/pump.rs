//! The pump: a head, a unit of one to four fragments that is repeated, and a tail, given to every command with all
//! options. Whatever they are, the work is linear in the input and the memory within the bound of the command.
//!
//! `PUMPS=N PUMP_SEED=N cargo test --features slow --test hostile pump` tries others and more of them.

#![allow(clippy::unwrap_used)]

use std::io::{self, Write};
use std::path::Path;

use jsift::command::run::environment::Environment;
use jsift::command::{cli, run};
use jsift_json::cost;

use super::random::Random;
use super::{measured, turn};

const KIB: u64 = 1 << 10;
/// The sizes of the inputs, in bytes.
const SIZES: [u64; 2] = [64 * KIB, 512 * KIB];
/// How many bytes may be looked at for a byte of input.
const STEPS: u64 = 40;
/// How many may be looked at in any case: what may be searched for prefixes, whatever the size of the input.
const STEPS_FIXED: u64 = 20 << 20;
/// How many bytes may be held in any case: findings that wait for their turn, of which there may be 16 MiB, blocks that
/// are read, tables.
const HELD_FIXED: u64 = 24 << 20;
/// How many pumps are tried if the environment does not say.
const PUMPS: u64 = 300;
/// A command line, and how many bytes may be held for a byte of input that is one document.
const COMMANDS: [(&str, u64); 46] = [
    ("extract", 8),
    ("extract --all", 8),
    ("extract --all --as-found", 8),
    ("extract --all --pretty", 8),
    ("extract --all --indent 16", 8),
    ("extract --all --meta", 12),
    ("extract --all --seq", 8),
    ("extract --all --print0", 8),
    ("extract --all --loose", 8),
    ("extract --all --lossy", 12),
    ("extract --all --noise keep", 12),
    ("extract --all --noise keep --indent 16", 12),
    ("extract --all --noise stderr", 12),
    ("extract --all --color always", 8),
    ("extract --all --max-document 1K", 8),
    ("extract --all --type number", 8),
    ("extract --all --type array", 8),
    ("extract --require a", 8),
    ("extract --pick last", 8),
    ("extract --pick largest", 8),
    ("extract --pick=-3", 8),
    ("extract --array", 12),
    ("extract --stage string", 8),
    ("extract --stage fence", 8),
    ("extract --stage embedded", 8),
    ("extract --text", 12),
    ("extract --unwrap docker --all", 12),
    ("extract --unwrap journald --all", 12),
    ("extract --unwrap cri --all", 12),
    ("extract --unwrap auto --all", 12),
    ("extract -p", 20),
    ("extract -p -r", 20),
    ("extract -p --all", 20),
    ("extract -p --stage fence", 20),
    ("events", 16),
    ("events --format text", 16),
    ("events --final", 16),
    ("events --with-raw", 16),
    ("summary", 20),
    ("summary --format json", 20),
    ("summary --format markdown", 24),
    ("summary --format github", 20),
    ("summary --format html", 40),
    ("summary --format table", 20),
    ("summary --structural --format json", 20),
    ("summary --events --format json", 24),
];

const HEADS: [&str; 24] = [
    "",
    "x ",
    "\n\n",
    "    ",
    "[",
    "{\"a\":",
    "{\"a\":\"",
    "\"",
    "[1,2] ",
    "a [1,\n",
    "a {\n",
    "app | {\n",
    "[x] [y] {\n[x] [y] \"a\": 1,\n",
    "│ {  │\n",
    "```json\n",
    "```\n",
    "- ```json\n- {\n",
    "<think>\n",
    "{\"a\":1}\n</think>\n",
    "\u{feff}",
    "x\r",
    "{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"s\",\"model\":\"m\"}\n",
    "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"tools\":[],\"model\":\"m\"}\n",
    "{\"type\":\"start\",\"id\":1}\n",
];

const FRAGMENTS: [&str; 84] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\n",
    " ",
    "\t",
    "\r",
    "\\",
    "\0",
    "1",
    "0.",
    "-",
    "e",
    "a",
    "_",
    "é",
    "\u{feff}",
    "\x1b[",
    "\x1b[1m",
    "\x1b]0;",
    "\x1b[2K",
    "\x07",
    "\x1b\\",
    "`",
    "```",
    "```json\n",
    "```\n",
    "~~~",
    "````",
    "> ",
    "- ",
    "| ",
    "│",
    "app | ",
    "[x] ",
    "[1] ",
    "10:00:00 ",
    "2026-11-26T10:00:00Z ",
    "x: ",
    "=> ",
    "{}",
    "[]",
    "{\"a\":1}",
    "{\"a\":1}\n",
    "[1,2]",
    "[[",
    "]]",
    "{{",
    "[{",
    "{\"",
    "{\"a",
    "{\"a\":",
    "{\"a\":1,",
    "{\"a\":\"",
    "[1,",
    "[\"a\",",
    "null",
    "true",
    "NaN",
    "'a'",
    "// x\n",
    "/* ",
    "<think>",
    "</think>",
    "think",
    "...done thinking.\n",
    "data: ",
    "event: a\n",
    "0:\"a\"\n",
    "stdout P ",
    "{\"log\":\"a\\n\"}\n",
    "Error: 429\n",
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"hi `a` <b>\",\"delta\":true}\n",
    "{\"type\":\"tool_use\",\"tool_name\":\"read\",\"tool_id\":\"1\",\"parameters\":{}}\n",
    "{\"type\":\"tool_result\",\"tool_id\":\"1\",\"status\":\"success\"}\n",
    "{\"type\":\"error\",\"message\":\"no\"}\n",
    "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"# a\\n* b\"}]},\"session_id\":\"s\"}\n",
    "{\"type\":\"result\",\"result\":\"ok\",\"session_id\":\"s\"}\n",
    "{\"role\":\"assistant\",\"content\":\"a\"}\n",
    "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n",
];

const TAILS: [&str; 12] = [
    "",
    "\n",
    "}",
    "]",
    "\"",
    "x",
    "\"}\n",
    "\n```\n",
    "\n</think>\n{\"a\":1}",
    "\na x\n",
    "\u{e9}",
    "]]]]}}}}",
];

/// Counts what is written, and keeps nothing.
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One input of any size.
struct Pump {
    head: &'static str,
    unit: String,
    tail: &'static str,
}

impl Pump {
    fn drawn(random: &mut Random) -> Self {
        let fragments = 1 + random.below(4);
        Self {
            head: HEADS[random.below(HEADS.len())],
            unit: (0..fragments)
                .map(|_| FRAGMENTS[random.below(FRAGMENTS.len())])
                .collect(),
            tail: TAILS[random.below(TAILS.len())],
        }
    }

    fn of(&self, size: u64) -> String {
        let units = self.unit.repeat(size as usize / self.unit.len());
        [self.head, &units, self.tail].concat()
    }
}

/// Runs a command on a file. Returns its steps, and the peak of the memory that it holds.
pub(super) fn cost_of(command: &str, file: &Path) -> (u64, u64) {
    let args = ["jsift"]
        .into_iter()
        .chain(command.split_whitespace())
        .map(std::ffi::OsString::from);
    let Ok(cli::Request::Run(parsed)) = cli::parse(args.chain([file.into()])) else {
        panic!("{command}");
    };
    let steps = cost::steps();
    let ((), held) = measured(|| {
        let stdout = Box::new(Nowhere);
        let _ = run::run(&parsed, Environment::default(), stdout, &mut Nowhere);
    });
    (cost::steps() - steps, held)
}

/// What a pump does beyond its bounds, for each command.
fn beyond(pump: &Pump, commands: &[(&str, u64)]) -> Vec<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut beyond = Vec::new();
    for most in SIZES {
        let text = pump.of(most);
        file.as_file().set_len(0).unwrap();
        io::Seek::rewind(&mut file).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let size = text.len() as u64;
        for (command, each) in commands {
            let (steps, held) = cost_of(command, file.path());
            let (head, unit, tail) = (pump.head, &pump.unit, pump.tail);
            let name = || format!("{command}: {head:?} {unit:?} {tail:?} of {size}");
            // With `--payload`, a source is read as a stream and as any text.
            let readings = 1 + u64::from(command.starts_with("extract -p"));
            if steps > STEPS * size + STEPS_FIXED * readings {
                beyond.push(format!("{}: {} steps a byte", name(), steps / size));
            }
            if held > each * size + HELD_FIXED * readings {
                beyond.push(format!("{}: {} bytes a byte", name(), held / size));
            }
        }
    }
    beyond
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn a_pump_costs_no_more_than_its_command_may() {
    let _turn = turn();
    let mut random = Random(number("PUMP_SEED").unwrap_or(1));
    let mut all = Vec::new();
    for _ in 0..number("PUMPS").unwrap_or(PUMPS) {
        let pump = Pump::drawn(&mut random);
        let command = random.below(COMMANDS.len());
        all.extend(beyond(&pump, &COMMANDS[command..=command]));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
