//! The inputs that are measured: made here, the same in every run, and stored nowhere.
//!
//! A workload is a block of some MiB of lines that differ, repeated up to its size.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::random::Random;

/// How many bytes of a workload differ.
const BLOCK: usize = 8 << 20;

/// A workload: its name, and what it is made of.
pub(crate) struct Workload {
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    pub content: Content,
}

/// What a workload is made of.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// Text that is repeated, and an envelope after it.
    BeforeEnvelope(fn(&mut Random) -> String),
    /// Text that is repeated.
    Repeated(fn(&mut Random) -> String),
    /// One document whose elements are repeated, with noise around it.
    OneDocument,
    /// A beginning, and a text that is repeated after it on the same line.
    Run(&'static str, &'static str),
    /// This many opening brackets, and as many closing ones.
    Nested,
}

/// The workloads that resemble real input.
pub(crate) const REALISTIC: &[Workload] = &[
    workload(
        "W1",
        "log noise, an envelope at its end",
        Content::BeforeEnvelope(noise),
    ),
    workload(
        "W1p",
        "the same without any bracket in it",
        Content::BeforeEnvelope(plain_noise),
    ),
    workload(
        "W2",
        "an agent's event stream",
        Content::Repeated(event_line),
    ),
    workload(
        "W3",
        "the same, noisy and prefixed",
        Content::Repeated(noisy_event),
    ),
    workload("W4", "one pretty-printed document", Content::OneDocument),
    workload(
        "W5",
        "completions in markdown",
        Content::Repeated(completion),
    ),
    workload(
        "W6",
        "structured logs after a prefix",
        Content::Repeated(log_record),
    ),
];

/// Workloads made to cost as much as possible.
pub(crate) const HOSTILE: &[Workload] = &[
    workload("W7a", "{{{…", Content::Run("", "{")),
    workload("W7b", "{\"a\":{\"a\":…", Content::Run("", "{\"a\":")),
    workload(
        "W7c",
        "a string that never ends",
        Content::Run("{\"a\":\"", "x"),
    ),
    workload("W7d", "a bracket on each line", Content::Repeated(unclosed)),
    workload("W7e", "[[[…]]]", Content::Nested),
    workload("W7f", "[1,[1,…", Content::Run("", "[1,")),
    workload(
        "W7g",
        "brackets inside strings",
        Content::Repeated(brackets_in_strings),
    ),
    workload(
        "W7h",
        "odd quotes between documents",
        Content::Repeated(odd_quotes),
    ),
];

const fn workload(name: &'static str, about: &'static str, content: Content) -> Workload {
    Workload {
        name,
        about,
        content,
    }
}

impl Content {
    /// Writes about `size` bytes.
    pub(crate) fn write(self, size: usize, out: &mut impl Write) -> io::Result<()> {
        let mut random = Random::new(42);
        match self {
            Self::BeforeEnvelope(line) => {
                repeat(&block(|| line(&mut random)), size, out)?;
                writeln!(out, "{:#}", envelope(&mut random))
            }
            Self::Repeated(line) => repeat(&block(|| line(&mut random)), size, out),
            Self::OneDocument => one_document(&mut random, size, out),
            Self::Run(beginning, piece) => {
                out.write_all(beginning.as_bytes())?;
                run(piece, size / piece.len(), out)
            }
            Self::Nested => {
                run("[", size / 2, out)?;
                run("]", size / 2, out)?;
                out.write_all(b"\n")
            }
        }
    }
}

/// Returns a block of lines that differ.
fn block(mut line: impl FnMut() -> String) -> Vec<u8> {
    let mut block = Vec::with_capacity(BLOCK + (1 << 16));
    while block.len() < BLOCK {
        block.extend_from_slice(line().as_bytes());
        block.push(b'\n');
    }
    block
}

/// Writes a block again and again, whole lines only.
fn repeat(block: &[u8], size: usize, out: &mut impl Write) -> io::Result<()> {
    for _ in 0..size / block.len() {
        out.write_all(block)?;
    }
    let rest = &block[..size % block.len()];
    let lines = rest.iter().rposition(|&byte| byte == b'\n');
    out.write_all(&rest[..lines.map_or(0, |end| end + 1)])
}

fn run(piece: &str, count: usize, out: &mut impl Write) -> io::Result<()> {
    const PIECES: usize = 1 << 16;
    let many = piece.repeat(PIECES.min(count));
    for _ in 0..count / PIECES {
        out.write_all(many.as_bytes())?;
    }
    out.write_all(piece.repeat(count % PIECES).as_bytes())
}

fn plain_noise(random: &mut Random) -> String {
    let level = random.choice(&["INFO", "WARN", "DEBUG", "ERROR"]);
    let part = random.choice(&["net.http", "db.pool", "build"]);
    format!("{} {level} {part}: {}", random.time(), random.words(4, 22))
}

fn noise(random: &mut Random) -> String {
    let word = random.word();
    match random.percent() {
        0..30 => {
            let level = random.choice(&["INFO", "WARN", "DEBUG"]);
            let part = random.choice(&["net.http", "db.pool", "build"]);
            format!(
                "{} [{level}] {part}: {}",
                random.time(),
                random.words(4, 22)
            )
        }
        30..60 => {
            let part = random.choice(&["net.http", "db.pool"]);
            format!("{} INFO {part} {}", random.time(), random.words(6, 25))
        }
        60..70 => format!(
            "   Compiling {word} v{}.{}.{} (/home/u/{word})",
            random.within(0, 9),
            random.within(0, 9),
            random.within(0, 9)
        ),
        70..78 => format!(
            "    at {word} (/app/node_modules/{}/index.js:{}:{})",
            random.word(),
            random.within(1, 999),
            random.within(1, 80)
        ),
        78..84 => format!(
            "\x1b[32m✓\x1b[0m {} \x1b[90m({} ms)\x1b[39m",
            random.words(3, 9),
            random.within(1, 900)
        ),
        84..89 => format!(
            "npm WARN deprecated {word}@{}.{}.{}: {}",
            random.within(0, 9),
            random.within(0, 9),
            random.within(0, 9),
            random.words(5, 14)
        ),
        89..93 => format!(
            "+ export OPTS='{{{}}}' ARR=({}) && echo \"${{OPTS}}\"",
            random.words(1, 2),
            random.words(1, 3)
        ),
        93..96 => format!(
            "fn {word}() {{ return [{}, {}]; }} // {}",
            random.within(1, 99),
            random.within(1, 99),
            random.words(2, 5)
        ),
        _ => format!(
            "Downloading [{}>{}] {}%",
            "=".repeat(random.within(1, 20) as usize),
            " ".repeat(random.within(1, 20) as usize),
            random.within(0, 99)
        ),
    }
}

fn event_line(random: &mut Random) -> String {
    event(random).to_string()
}

/// A record of a stream.
fn event(random: &mut Random) -> Value {
    let time = random.time();
    match random.percent() {
        0..2 => json!({
            "type": "init",
            "timestamp": time,
            "session_id": format!("{:016x}{:016x}", random.bits(), random.bits()),
            "model": "gemini-2.5-pro",
        }),
        2..45 => {
            let length = random.within(80, 900);
            json!({
                "type": "message",
                "timestamp": time,
                "role": "assistant",
                "content": random.text(length),
                "delta": true,
            })
        }
        45..70 => call(random, &time),
        70..97 => {
            let length = random.within(60, 1700);
            json!({
                "type": "tool_result",
                "timestamp": time,
                "tool_id": format!("x-{:x}", random.bits() >> 12),
                "status": random.choice(&["success", "error"]),
                "output": random.text(length),
            })
        }
        _ => result(random, &time),
    }
}

fn call(random: &mut Random, time: &str) -> Value {
    let (old, new) = (random.within(30, 300), random.within(30, 300));
    let tool = random.choice(&["read_file", "run_shell_command", "replace"]);
    json!({
        "type": "tool_use",
        "timestamp": time,
        "tool_name": tool,
        "tool_id": format!("{tool}-{}-{:x}", random.bits() >> 24, random.bits() >> 12),
        "parameters": {
            "file_path": format!("/home/u/src/{}/{}.ts", random.word(), random.word()),
            "old_string": random.text(old),
            "new_string": random.text(new),
            "expected": random.within(1, 4),
        },
    })
}

fn result(random: &mut Random, time: &str) -> Value {
    json!({
        "type": "result",
        "timestamp": time,
        "status": "success",
        "stats": {
            "total_tokens": random.within(1, 99_999),
            "input_tokens": random.within(1, 99_999),
            "output_tokens": random.within(1, 9_999),
            "cached": random.within(0, 999),
            "duration_ms": random.within(1, 99_999),
            "tool_calls": random.within(0, 30),
            "models": {"gemini-2.5-pro": {
                "total_tokens": random.within(1, 9_999),
                "ratio": random.fraction(),
            }},
        },
    })
}

fn noisy_event(random: &mut Random) -> String {
    if random.percent() < 30 {
        return noise(random);
    }
    let event = event(random);
    match random.percent() {
        0..50 => event.to_string(),
        50..75 => format!("agent-1  | {event}"),
        _ => format!("{} INFO [agent] {event}", random.time()),
    }
}

fn envelope(random: &mut Random) -> Value {
    json!({
        "session_id": format!("{:x}", random.bits()),
        "response": random.text(2000),
        "stats": {"models": {"m": {"tokens": random.within(1, 9_999)}}},
        "error": null,
    })
}

/// An element of the one document, and what a model is asked for in a completion.
fn record(random: &mut Random) -> Value {
    let tags: Vec<&str> = (0..random.within(0, 6)).map(|_| random.word()).collect();
    let length = random.within(20, 200);
    json!({
        "id": random.bits() >> 24,
        "name": random.words(1, 3),
        "email": format!("{}@example.com", random.word()),
        "active": random.percent() < 50,
        "score": random.fraction() * 100.0,
        "tags": tags,
        "address": {
            "street": random.words(2, 4),
            "geo": [random.fraction() * 180.0 - 90.0, random.fraction() * 360.0 - 180.0],
            "zip": null,
        },
        "bio": random.text(length),
    })
}

fn one_document(random: &mut Random, size: usize, out: &mut impl Write) -> io::Result<()> {
    let lines = |random: &mut Random| -> Vec<String> { (0..5).map(|_| noise(random)).collect() };
    writeln!(out, "{}", lines(random).join("\n"))?;
    out.write_all(b"{\n  \"meta\": {\n    \"version\": 1\n  },\n  \"items\": [\n")?;
    let mut elements = block(|| {
        let element = format!("{:#}", record(random)).replace('\n', "\n    ");
        format!("    {element},")
    });
    // The last comma and line feed separate this block from the next.
    elements.truncate(elements.len() - 2);
    for place in 0..size.div_ceil(elements.len()) {
        let separator: &[u8] = if place > 0 { b",\n" } else { b"" };
        out.write_all(separator)?;
        out.write_all(&elements)?;
    }
    write!(out, "\n  ]\n}}\n{}\n", lines(random).join("\n"))
}

fn completion(random: &mut Random) -> String {
    let record = record(random);
    let record = if random.percent() < 80 {
        format!("{record:#}")
    } else {
        record.to_string()
    };
    let fence = random.choice(&["```json", "```json", "```json", "```", "~~~json"]);
    let before = random.choice(&[
        "Sure! Here is the JSON you asked for:",
        "Here's the result [1]:",
        "I analysed the file {config} and found:",
        "**Answer**",
    ]);
    format!(
        "## Completion\n\n{before} {}\n\n{fence}\n{record}\n{}\n\n{}\n",
        random.words(5, 30),
        &fence[..3],
        random.words(5, 40)
    )
}

fn log_record(random: &mut Random) -> String {
    let record = json!({
        "reqId": format!("{:x}", random.bits()),
        "user": random.bits() >> 44,
        "path": format!("/api/{}/{}", random.word(), random.bits() >> 54),
        "status": if random.percent() < 50 { 200 } else { 404 },
        "ms": random.fraction() * 100.0,
        "ok": true,
        "tags": [random.word(), random.word(), random.word()],
        "msg": random.words(2, 12),
    });
    format!(
        "{} {:5} [{}] c.e.app.{} - {record}",
        random.time(),
        random.choice(&["INFO", "WARN", "DEBUG"]),
        random.choice(&["main", "http-nio-8080-exec-3"]),
        random.choice(&["Svc", "Api"])
    )
}

fn unclosed(random: &mut Random) -> String {
    format!("{{ unclosed {}", random.words(3, 9))
}

fn brackets_in_strings(random: &mut Random) -> String {
    let lines = [
        r#"{"k":"{"}"#,
        r#"{"k":"}"}"#,
        r#"{"k":"a{b{c"}"#,
        r#"{"k":"\"{"}"#,
    ];
    random.choice(&lines).to_owned()
}

fn odd_quotes(random: &mut Random) -> String {
    let lines = [
        "it's 5\" wide",
        r#"{"k":"v"}"#,
        "say \"hi {",
        r#"{"k":[1,2]}"#,
    ];
    random.choice(&lines).to_owned()
}
