//! Hostile input: work that is linear and memory that is bounded, both counted and never timed.
//!
//! Memory is what the allocator of this test hands out. Work is the bytes that the finder looks at, each as often as it
//! does.

#![cfg(feature = "cli")]

mod pump;
#[path = "../properties/random.rs"]
mod random;
mod repair;
mod sources;
mod streams;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jsift::Options;
use jsift_find::document::{Document, Fault, FaultKind, Visitor, Wants};
use jsift_find::finder::{FindOptions, Finder};
use jsift_find::input::Piece;
use jsift_find::reading::Reading;
use jsift_find::unwrap::{Unwrap, Unwrapper};
use jsift_json::cost;
use peak_alloc::PeakAlloc;
use random::Random;
use sources::{BLOCK, Cost, Source, sources};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The allocator counts for all tests at once, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `work` gives, and how much memory it took at its peak.
fn measured<T>(work: impl FnOnce() -> T) -> (T, u64) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.peak_usage();
    let given = work();
    (given, (MEMORY.peak_usage() - before) as u64)
}

/// Counts, and keeps nothing.
#[derive(Default)]
struct Count {
    documents: usize,
    faults: usize,
    limits: usize,
    longest: u64,
}

impl Visitor for Count {
    fn document(&mut self, document: Document<'_>) {
        self.documents += 1;
        self.longest = self.longest.max(document.text.len() as u64);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults += 1;
        self.limits += usize::from(fault.kind == FaultKind::Limit);
    }
}

/// What reading came to: what was found, the size of the input, steps, peak of memory.
fn read(source: &Source, options: FindOptions) -> (Count, u64, u64, u64) {
    let ((found, size, steps), peak) = measured(|| {
        let mut found = Count::default();
        let mut finder = Finder::new(options);
        let steps = cost::steps();
        let size = source.blocks(|block| finder.push(block, &mut found));
        finder.finish(&mut found);
        (found, size, cost::steps() - steps)
    });
    (found, size, steps, peak)
}

/// Reads a text in blocks, and returns the finder after its end.
fn read_blocks(text: &str, visitor: &mut dyn Visitor) -> Finder {
    let mut finder = Finder::new(FindOptions::default());
    for block in text.as_bytes().chunks(BLOCK) {
        finder.push(block, visitor);
    }
    finder.finish(visitor);
    finder
}

#[test]
fn work_and_memory_are_those_of_the_table() {
    let _turn = turn();
    let mut beyond = Vec::new();
    for source in sources() {
        let (_, size, steps, peak) = read(&source, FindOptions::default());
        let (most, held) = (source.steps.of(size), source.memory.of(size));
        let name = source.name;
        let each = steps as f64 / size as f64;
        println!(
            "{name}: {each:.1} steps a byte, {steps} of {most}, {peak} bytes of {held} for {size}"
        );
        if steps > most || peak > held {
            beyond.push(name);
        }
    }
    assert!(beyond.is_empty(), "{beyond:?}");
}

#[test]
fn nothing_holds_more_than_the_largest_document() {
    let _turn = turn();
    for source in sources() {
        if source.memory.share == 0.0 {
            continue;
        }
        let options = FindOptions {
            max_document: 64 << 10,
            ..FindOptions::default()
        };
        let (found, size, _, peak) = read(&source, options);
        let least = Cost {
            share: 0.0,
            ..source.memory
        };
        let most = least.of(size) + (1 << 20);
        let name = source.name;
        assert!(peak <= most, "{name}: {peak} bytes of {most} for {size}");
        assert!(
            size <= 64 << 10 || found.limits > 0,
            "{name}: no limit was told"
        );
    }
}

#[test]
fn white_space_is_not_held() {
    let _turn = turn();
    let source = Source::of(
        "indented members",
        |_| format!("{:64}\"a\": 1,\n", ""),
        0.0,
        0,
    )
    .beginning_with("{\n");
    let options = FindOptions {
        as_found: 1 << 20,
        ..FindOptions::default()
    };
    let (_, size, _, peak) = read(&source, options);
    assert!(peak < size / 2, "{peak} for {size}");
}

/// Wants noise, and keeps none.
struct Noisy;

impl Visitor for Noisy {
    fn document(&mut self, _: Document<'_>) {}

    fn wants(&mut self) -> Wants {
        Wants::noise(true)
    }
}

#[test]
fn what_waits_for_its_turn_is_bounded() {
    let _turn = turn();
    for (unit, most) in [
        // One document never ends, and everything after it waits for it.
        ("a [\n\n\n\n\n\n\n\n\n", 48 << 20),
        ("a [\n[]\n", 40 << 20),
        ("a [\n[] x\n", 40 << 20),
    ] {
        let source = unit.repeat((1 << 22) / unit.len());
        let (_, peak) = measured(|| drop(read_blocks(&source, &mut Noisy)));
        println!("{unit:?}: {peak} bytes");
        assert!(peak < most, "{unit:?}: {peak} bytes");
    }
}

#[test]
fn partial_records_are_not_held() {
    let _turn = turn();
    let source = Source::of(
        "partial records",
        |_| "2024-01-01T00:00:00.000000000Z stdout P not a document\n".into(),
        0.0,
        0,
    );
    let (size, peak) = measured(|| {
        let mut finder = Finder::new(FindOptions::default());
        let mut unwrapper = Unwrapper::new(Unwrap::Cri);
        let mut found = Count::default();
        let mut offset = 0;
        source.blocks(|block| {
            let piece = Piece::plain(block, offset);
            unwrapper.push(piece, &mut |piece| finder.add(piece, &mut found));
            finder.read(&mut found);
            offset += block.len() as u64;
        });
        unwrapper.finish(&mut |piece| finder.add(piece, &mut found));
        finder.finish(&mut found);
        offset
    });
    assert!(peak < 3 << 20, "{peak} for {size}");
}

/// A record of docker's: the text of a container, by its number.
fn record(container: usize, text: &str) -> String {
    format!("{{\"log\":{text:?},\"stream\":\"stdout\",\"container_id\":\"{container}\"}}\n")
}

#[test]
fn writers_that_records_name_are_bounded() {
    let _turn = turn();
    // The unit, steps for a byte, and MiB held: each a third above what was measured.
    type Log = (&'static str, fn(usize) -> String, f64, u64);
    let logs: [Log; 6] = [
        ("texts", |at| record(at, "x\n"), 4.7, 2),
        ("openings", |at| record(at, "{\n"), 4.8, 2),
        (
            "openings with a prefix",
            |at| record(at, "a | {\"a\":\na | {\n"),
            6.2,
            21,
        ),
        (
            "documents in turn",
            |at| record(at % 200, ["{\"a\":\n", "1}\n"][at / 200 % 2]),
            1.8,
            2,
        ),
        (
            "documents of one next to an opening of another",
            |at| record(at.min(1), ["{\n", "{\"a\":1}\n"][at.min(1)]),
            1.8,
            18,
        ),
        (
            "documents of nobody next to an opening",
            |at| match at {
                0 => record(0, "x\n"),
                1 => record(1, "{\n"),
                _ => "{\"a\":1}\n".to_owned(),
            },
            3.2,
            18,
        ),
    ];
    let mut beyond = Vec::new();
    for (name, unit, share, most) in logs {
        let source = Source::of(name, unit, share, 0).repeated(1 << 19);
        let ((size, steps), peak) = measured(|| {
            let mut found = Count::default();
            let mut reading = Reading::new(Unwrap::Docker, FindOptions::default());
            let steps = cost::steps();
            let size = source.blocks(|block| reading.block(block, &mut found));
            reading.end(&mut found);
            (size, cost::steps() - steps)
        });
        let each = steps as f64 / size as f64;
        println!("{name}: {each:.1} steps a byte, {peak} bytes for {size}");
        if each > share || peak > most << 20 {
            beyond.push(name);
        }
    }
    assert!(beyond.is_empty(), "{beyond:?}");
}

#[test]
fn candidates_for_repair_are_not_all_held() {
    let _turn = turn();
    let text = "{a:1}x ".repeat(100_000);
    let (repaired, peak) = measured(|| Options::new().repair(true).extract(text.as_bytes()));
    assert_eq!(repaired.unwrap().text(), "{\"a\":1}");
    let size = text.len() as u64;
    assert!(peak < 6 * size, "{peak} for {size}");
}

#[test]
fn two_hundred_thousand_levels_are_a_document() {
    let _turn = turn();
    let depth = 200_000;
    let text = format!("x {}1{} y", "[".repeat(depth), "]".repeat(depth));
    let mut found = Count::default();
    let mut finder = Finder::new(FindOptions::default());
    finder.push(text.as_bytes(), &mut found);
    finder.finish(&mut found);
    assert_eq!((found.documents, found.faults), (1, 0));
    assert_eq!(found.longest, 2 * depth as u64 + 1);
}

#[test]
fn a_document_takes_no_more_memory_than_the_manual_promises() {
    let _turn = turn();
    let mut schema = tempfile::NamedTempFile::new().unwrap();
    schema.write_all(b"{}").unwrap();
    let schema = format!("extract --schema {}", schema.path().display());
    let deep = "[".repeat(1 << 19) + &"]".repeat(1 << 19);
    let laid_out = "extract --all --noise keep --indent 16";
    for (command, text, most) in [
        (schema.as_str(), format!("[{}0]", "0,".repeat(1 << 19)), 110),
        (&schema, format!("[{}{{}}]", "{},".repeat(1 << 18)), 110),
        ("extract", deep.clone(), 8),
        (laid_out, deep, 12),
    ] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let (_, held) = pump::cost_of(command, file.path());
        let (size, begins) = (text.len() as u64, &text[..4]);
        println!("{command}, {begins}: {held} bytes of {size}");
        // What is held whatever the size is: blocks that are read, and tables.
        assert!(
            held <= most * size + (1 << 20),
            "{command}, {begins}: {held} of {size}"
        );
    }
}

/// The log of `count` sources, each with so many pretty documents, that write a line each when it is their turn, which
/// is drawn by chance.
fn interleaved(count: usize, documents: usize) -> String {
    let lines = |source: usize| {
        let text = move |number| {
            format!(
                "{{\n  \"source\": {source},\n  \"list\": [\n    {number},\n    {{\n      \"a\": \"]\"\n    }}\n  ]\n}}"
            )
        };
        let all: Vec<String> = (0..documents)
            .map(text)
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        all.into_iter()
    };
    let mut sources: Vec<_> = (0..count).map(|at| (at, lines(at))).collect();
    let mut log = String::new();
    let mut random = Random(1);
    while !sources.is_empty() {
        let turn = random.below(sources.len());
        let (source, lines) = &mut sources[turn];
        match lines.next() {
            Some(line) => log.push_str(&format!("svc{source}-1 | {line}\n")),
            None => drop(sources.swap_remove(turn)),
        }
    }
    log
}

#[test]
fn documents_of_twenty_interleaved_sources_are_all_found() {
    let _turn = turn();
    let log = interleaved(20, 50);
    let mut found = Count::default();
    let before = cost::steps();
    read_blocks(&log, &mut found);
    assert_eq!((found.documents, found.faults), (20 * 50, 0));
    // A line is read for the documents of other sources that are open there.
    let (steps, size) = (cost::steps() - before, log.len() as u64);
    assert!(steps < 320 * size, "{steps} for {size}");
}

#[test]
fn documents_on_lines_of_their_own_are_not_looked_at_again_for_their_positions() {
    let _turn = turn();
    let log = "starting\n".to_owned() + &"{\"message\":\"more of the same\"}\n".repeat(100_000);
    let mut found = Count::default();
    let before = cost::steps();
    let mut finder = read_blocks(&log, &mut found);
    assert_eq!((found.documents, found.faults), (100_000, 0));
    assert_eq!(finder.position().line, 100_002);
    // Each byte is read. Line feeds between documents, and before what is kept of a block, are all that is counted.
    let (steps, size) = (cost::steps() - before, log.len() as u64);
    assert!(steps < size + size / 8, "{steps} for {size}");
}
