//! What `--repair` costs: the bytes that it looks at and those that it holds, for each byte of the source.

use std::io::{Seek, Write};

use super::pump::cost_of;
use super::turn;

/// A source, and what its repair may cost for each of its bytes.
struct Broken {
    head: &'static str,
    unit: &'static str,
    tail: &'static str,
    /// How often each byte may be looked at.
    steps: f64,
    /// How many bytes may be held.
    held: f64,
}

/// The table. Each number is a third above what was measured.
#[rustfmt::skip]
const fn table() -> [Broken; 35] {
    const fn of(head: &'static str, unit: &'static str, tail: &'static str, steps: f64, held: f64) -> Broken {
        Broken { head, unit, tail, steps, held }
    }
    [
        of("", "plain noise without JSON, 12345\n", "", 7.1, 8.2),
        of("", "[", "", 25.2, 53.7),
        of("", "{\"a\":", "", 24.3, 17.6),
        of("", "{a: ", "", 76.0, 21.6),
        of("", "{", "", 192.4, 8.2),
        of("app | {\n", "app | 'a': 1,\n", "app | }\n", 73.0, 17.2),
        of("a {\n", "a b:1,\n", "a }\n", 117.0, 31.4),
        of("", "a | {'x':1,\nb | 'y':2}\n", "", 97.3, 12.1),
        of("[", "{},", "'x']", 26.8, 9.4),
        of("['x',", "1,", "]", 75.0, 12.1),
        of("[", "'x',", "]", 68.0, 12.1),
        of("[", ",", "]", 20.6, 8.2),
        of("{'a': '", "x", "'}", 34.8, 12.1),
        of("{'a': '", "\\\\", "'}", 34.8, 12.1),
        of("{\"a\": [", "{\"b\": \"c\", \"d\": 1}, ", "", 25.1, 9.0),
        of("", "a {\"x\":1,}\nb {\"y\":2,}\n", "", 44.5, 53.0),
        of("", "```````\n", "", 5.5, 8.2),
        of("{a: '", "\"b\", ", "", 47.2, 13.1),
        of("{\"a\": \"", "x\" y ", "", 26.9, 9.6),
        of("{\"a\": \"", "b \" c: d ", "\"}", 20.8, 9.5),
        of("{\"a\": \"", "{\"b\": \"c\"}, ", "\"}", 24.1, 34.3),
        of("", "[INFO] build {x} ok\n", "", 10.4, 8.2),
        of("{", "// c\n", "}", 33.8, 9.0),
        of("", "```json\n{'a':1}\n```\n", "", 33.1, 31.4),
        of("{\\\"a\\\": \\\"", "x\\n", "\\\"}", 48.7, 10.7),
        of("{", "a:1,", "}", 31.5, 26.9),
        of("{", "a ", "", 11.1, 9.4),
        of("{\"a\": f(", "f(", "", 22.8, 54.9),
        of("{'a': 'b'", " + 'c'", "}", 63.0, 8.3),
        of("", "=\"{\\\"a\\\":1", "", 99.8, 55.1),
        of("", "msg=\"{\\\"a\\\":[]", "", 104.3, 56.2),
        of("", "{\"a\":{\"b\":}}", "", 32.0, 55.1),
        of("", "]({\"a\":", "", 37.6, 104.6),
        of("", "|\r{\"log\":\"", "", 35.8, 8.9),
        of("<think>", "{'a': 1}\n</think>\n", "{'a': 2}", 35.1, 31.8),
    ]
}

#[test]
fn a_repair_costs_what_the_table_says() {
    let _turn = turn();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut beyond = Vec::new();
    for Broken {
        head,
        unit,
        tail,
        steps,
        held,
    } in table()
    {
        for size in [64 << 10, 512 << 10] {
            let text = [head, &unit.repeat(size / unit.len()), tail].concat();
            file.as_file().set_len(0).unwrap();
            file.rewind().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            for command in ["extract --repair", "extract --repair --all"] {
                let (looked, kept) = cost_of(command, file.path());
                let each = |n: u64| n as f64 / text.len() as f64;
                println!(
                    "{command} {head:?} {unit:?}, {size}: {:.1} steps, {:.1} bytes",
                    each(looked),
                    each(kept)
                );
                if each(looked) > steps || each(kept) > held {
                    beyond.push(format!("{head:?} {unit:?}"));
                }
            }
        }
    }
    assert!(beyond.is_empty(), "{beyond:?}");
}
