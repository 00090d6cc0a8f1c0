//! Hostile input: work that is linear and memory that is bounded, both counted and never timed.
//!
//! Memory is what the allocator of this test hands out. Work is the bytes that the finder looks at, each as often as it
//! does.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jsift::document::{Document, Fault, Visitor};
use jsift::find::{Finder, Options};
use jsift::input::Piece;
use jsift::unwrap::{Mode, Unwrapper};
use peak_alloc::PeakAlloc;
use proptest::prelude::*;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The allocator counts for all tests at once, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const MIB: u64 = 1 << 20;
/// As the runs of the tool read it.
const BLOCK: usize = 64 << 10;
/// What a finder may need beside pending documents: blocks that are read, what plans and weak documents withhold.
const CONSTANT: u64 = 6 * MIB;

/// Counts, and keeps nothing.
#[derive(Default)]
struct Count {
    documents: usize,
    faults: usize,
    longest: u64,
}

impl Visitor for Count {
    fn document(&mut self, document: Document<'_>) {
        self.documents += 1;
        self.longest = self.longest.max(document.text.len() as u64);
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }
}

/// Input that is made while it is read, so that none of the memory is its own.
struct Source {
    name: &'static str,
    head: &'static str,
    /// The middle, made by the number of its repetition.
    unit: fn(usize) -> String,
    tail: fn(usize) -> String,
    /// The pending document may take all of the input.
    pending: bool,
}

impl Source {
    const fn of(name: &'static str, head: &'static str, unit: fn(usize) -> String) -> Self {
        Self {
            name,
            head,
            unit,
            tail: |_| String::new(),
            pending: false,
        }
    }

    const fn pending(self) -> Self {
        Self {
            pending: true,
            ..self
        }
    }

    const fn ending_in(self, tail: fn(usize) -> String) -> Self {
        Self { tail, ..self }
    }

    fn blocks(&self, count: usize, mut take: impl FnMut(&[u8])) -> u64 {
        let mut block = self.head.to_owned();
        let mut size = 0;
        for number in 0..count {
            block.push_str(&(self.unit)(number));
            if block.len() >= BLOCK {
                size += block.len() as u64;
                take(block.as_bytes());
                block.clear();
            }
        }
        block.push_str(&(self.tail)(count));
        for piece in block.as_bytes().chunks(BLOCK) {
            size += piece.len() as u64;
            take(piece);
        }
        size
    }
}

const fn sources() -> [Source; 27] {
    [
        Source::of("brackets", "", |_| "[".into()).pending(),
        Source::of("open objects", "", |_| "{\"a\":".into()).pending(),
        Source::of("names without an end", "", |_| "{\"".into()),
        Source::of("arrays with a comma", "", |_| "[1,".into()).pending(),
        Source::of("a string without an end", "x {\"a\":\"", |_| {
            "yyyyyyyy".into()
        })
        .pending(),
        Source::of("fences", "", |_| "```\n".into()),
        Source::of("fences that announce", "", |_| "```json\n".into()),
        Source::of("fences that break", "", |_| "```json\n{\"a\":\n".into()),
        Source::of("fences on one line", "x ", |_| "``` ".into()),
        Source::of("marks", "x\n```\n", |_| "````".into()),
        Source::of("valid nesting", "x ", |_| "[".into())
            .ending_in(|count| "]".repeat(count))
            .pending(),
        Source::of("first openings with a prefix", "", |at| {
            format!("{}{} {{\n", at % 7, at % 11)
        }),
        Source::of("openings that plans read", "", |_| "a [1,\n".into())
            .ending_in(|_| "a x\n".into())
            .pending(),
        Source::of("objects that plans read", "", |_| "a {\"a\":\n".into())
            .ending_in(|_| "a x\n".into())
            .pending(),
        Source::of("interleaved sources", "", |at| {
            format!("w{} | {{\"a\": [\n", at % 5)
        })
        .pending(),
        Source::of("stray brackets on one line", "x ", |_| "[1x".into()),
        Source::of("stray brackets behind colours", "x ", |_| "\x1b[m{ ".into()),
        Source::of("brackets in control strings", "x ", |_| "\x1b]{ ".into()),
        Source::of("a text that was a string", "1 \"", |_| "[1x".into())
            .ending_in(|_| "\" x".into())
            .pending(),
        Source::of("a fence that was a string", "```\n1 \"", |_| "[1x".into())
            .ending_in(|_| "\" x".into())
            .pending(),
        Source::of("faults beside documents", "x ", |_| {
            "{\"a\":x} {\"a\":1}".into()
        }),
        Source::of("weak documents", "x ", |_| "[1,2],".into()),
        Source::of("numbers", "", |_| "1 ".into()),
        Source::of("values in a fence", "x\n```\n[1]", |_| "[1] ".into()),
        Source::of("blanks behind a weak document", "x [1,2]", |_| {
            "    ".into()
        }),
        Source::of("chains", "x ", |_| "[ [ [1, {\"a\": x}] ".into()),
        Source::of("chains with a document", "x ", |_| "[[{}".into()).pending(),
    ]
}

/// What reading came to: size of the input, steps, peak of memory.
fn read(source: &Source, count: usize) -> (u64, u64, u64) {
    let mut found = Count::default();
    let mut finder = Finder::new(Options::default());
    MEMORY.reset_peak_usage();
    let before = MEMORY.peak_usage() as u64;
    let size = source.blocks(count, |block| finder.push(block, &mut found));
    finder.finish(&mut found);
    let peak = MEMORY.peak_usage() as u64 - before;
    (size, finder.steps(), peak)
}

#[test]
fn work_grows_with_the_input() {
    let _turn = turn();
    for source in sources() {
        let (size, steps, _) = read(&source, 1 << 14);
        let (double_size, double, _) = read(&source, 1 << 15);
        let name = source.name;
        // What is read again is read a few times; only plans may read more, and the share of that is set.
        assert!(steps < 24 * size + 20 * MIB, "{name}: {steps} for {size}");
        let growth = double_size as f64 / size as f64;
        let most = (steps as f64 * growth * 1.05) as u64 + 4 * BLOCK as u64;
        let planned = 17 * MIB;
        let most = if steps > 6 * size {
            most.max(planned + 20 * double_size)
        } else {
            most
        };
        assert!(
            double <= most,
            "{name}: {steps} for {size}, {double} for {double_size}"
        );
    }
}

#[test]
fn memory_holds_what_is_pending() {
    let _turn = turn();
    for source in sources() {
        let (size, _, peak) = read(&source, 1 << 16);
        let pending = if source.pending { size } else { 0 };
        // A buffer that grows is there twice for a moment, and nesting costs a bit for a bracket.
        let most = 2 * pending + pending / 4 + CONSTANT;
        assert!(peak <= most, "{}: {peak} for {size}", source.name);
    }
}

#[test]
fn partial_records_are_not_held() {
    let _turn = turn();
    let mut finder = Finder::new(Options::default());
    let mut unwrapper = Unwrapper::new(Mode::Cri);
    let mut found = Count::default();
    let source = Source::of("partial records", "", |_| {
        "2024-01-01T00:00:00.000000000Z stdout P not a document\n".into()
    });
    MEMORY.reset_peak_usage();
    let before = MEMORY.peak_usage();
    let mut offset = 0;
    source.blocks(1 << 17, |block| {
        let piece = Piece::plain(block, offset);
        unwrapper.push(piece, &mut |piece| finder.add(piece));
        finder.read(&mut found);
        offset += block.len() as u64;
    });
    unwrapper.finish(&mut |piece| finder.add(piece));
    finder.finish(&mut found);
    let peak = (MEMORY.peak_usage() - before) as u64;
    assert!(peak < CONSTANT, "{peak} for {offset}");
}

#[test]
fn two_hundred_thousand_levels_are_a_document() {
    let _turn = turn();
    let depth = 200_000;
    let text = format!("x {}1{} y", "[".repeat(depth), "]".repeat(depth));
    let mut found = Count::default();
    let mut finder = Finder::new(Options::default());
    finder.push(text.as_bytes(), &mut found);
    finder.finish(&mut found);
    assert_eq!((found.documents, found.faults), (1, 0));
    assert_eq!(found.longest, 2 * depth as u64 + 1);
}

/// Some JSON, an object with a member or an array with an object in it.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        "[\\[\\]{}\",:`\\\\\n]{0,8}".prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(serde_json::Value::from_iter),
        ]
    });
    (any::<String>(), value).prop_map(|member| serde_json::Value::from_iter([member]))
}

/// Noise without brackets and fences, that does not end in a word.
fn noise() -> impl Strategy<Value = String> {
    "([a-zA-Z0-9 .,:;!?'\"é—()<>=/_\n\t-]{0,40}[ \n:])?"
}

/// Keeps the documents.
#[derive(Default)]
struct Texts(Vec<(Vec<u8>, Range<u64>)>);

impl Visitor for Texts {
    fn document(&mut self, document: Document<'_>) {
        let start = document.position().offset;
        let range = start..start + document.origin().length;
        self.0.push((document.text.to_vec(), range));
    }

    fn fault(&mut self, fault: Fault) {
        panic!("{fault:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn documents_in_noise_are_what_another_reader_wrote(
        parts in proptest::collection::vec((noise(), json(), any::<bool>()), 1..4),
        behind in noise(),
        mut cuts in proptest::collection::vec(0_usize..400, 0..4),
    ) {
        let _turn = turn();
        // Numbers alone would make a source of nothing but JSON.
        let mut text = String::from("log: ");
        let mut expected = Vec::new();
        for (noise, value, pretty) in &parts {
            text.push_str(noise);
            let start = text.len() as u64;
            let written = if *pretty { format!("{value:#}") } else { value.to_string() };
            text.push_str(&written);
            expected.push((written.into_bytes(), start..text.len() as u64));
            text.push('\n');
        }
        text.push_str(&behind);
        cuts.sort_unstable();
        let mut found = Texts::default();
        let mut finder = Finder::new(Options::default());
        let mut from = 0;
        for cut in cuts.into_iter().chain([text.len()]) {
            let cut = cut.clamp(from, text.len());
            finder.push(&text.as_bytes()[from..cut], &mut found);
            from = cut;
        }
        finder.finish(&mut found);
        prop_assert_eq!(found.0, expected, "{}", text);
    }
}
