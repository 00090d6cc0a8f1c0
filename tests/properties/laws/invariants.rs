//! What holds for every input, one sentence each.
//!
//! That the finder reads as its definition says is in `definition.rs`; here are the whole way of the data, from bytes
//! to documents, the text that leaves, and what the library must not touch.

use std::fs;
use std::path::Path;

use crate::picked::is_picked;
use crate::properties;
use jsift_find::document::{Document, Fault, FaultKind, Noise, Origin, Visitor, Wants};
use jsift_find::finder::FindOptions;
use jsift_find::reading::Reading;
use jsift_find::unwrap::Unwrap;
use jsift_json::write::minify;
use proptest::prelude::*;

/// All that a reading gives.
#[derive(Debug, Default, PartialEq)]
struct Given {
    documents: Vec<(Vec<u8>, Origin)>,
    faults: Vec<(FaultKind, u64, u64)>,
    /// How many documents and faults came before the end of thinking, if that is marked.
    thinking: Option<(usize, usize)>,
    /// Of noise the bytes, and whether they are wanted at all.
    noise: Option<Vec<u8>>,
}

impl Visitor for Given {
    fn document(&mut self, document: Document<'_>) {
        self.documents
            .push((document.text.to_owned(), document.origin()));
    }

    fn fault(&mut self, fault: Fault) {
        let (start, stop) = (fault.position.offset, fault.stop.offset);
        self.faults.push((fault.kind, start, stop));
    }

    fn thinking_ended(&mut self) {
        self.thinking = Some((self.documents.len(), self.faults.len()));
    }

    fn noise(&mut self, noise: Noise<'_>) {
        if let Some(kept) = &mut self.noise {
            kept.extend_from_slice(noise.text);
        }
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(self.noise.is_some())
    }
}

/// Reads with every option as users have it, cut at these places.
fn read(source: &[u8], cuts: &[usize]) -> Given {
    read_to(Given::default(), source, cuts)
}

/// The same, and keeps the noise.
fn read_noise(source: &[u8], cuts: &[usize]) -> Given {
    let given = Given {
        noise: Some(Vec::new()),
        ..Given::default()
    };
    read_to(given, source, cuts)
}

fn read_to(mut given: Given, source: &[u8], cuts: &[usize]) -> Given {
    let mut reading = Reading::new(Unwrap::Detect, FindOptions::default());
    for piece in properties::pieces(source, cuts) {
        reading.block(piece, &mut given);
    }
    reading.end(&mut given);
    given
}

/// White space as RFC 8259 has it.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 1 => "[ \t\n]{1,3}"]
}

/// A string literal, also with escapes, lone surrogates and what looks like structure.
fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z {}\\[\\]:,'`<>#-]{0,6}",
        1 => "\\PC{0,3}".prop_map(|text| text.replace(['"', '\\'], "")),
        1 => Just("\\\"".to_owned()),
        1 => Just("\\\\".to_owned()),
        1 => Just("\\n```json\\n{".to_owned()),
        1 => Just("\\ud800\\u0000".to_owned()),
    ];
    proptest::collection::vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => string(),
        1 => "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        1 => prop_oneof![Just("true"), Just("false"), Just("null")].prop_map(str::to_owned),
    ]
}

/// JSON text with white space between its tokens.
fn json() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let element = (blank(), inner.clone(), blank()).prop_map(|(a, v, b)| a + &v + &b);
        prop_oneof![
            proptest::collection::vec(element, 0..4).prop_map(|all| format!("[{}]", all.join(","))),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let member = (blank(), string(), blank(), inner, blank())
        .prop_map(|(a, name, b, value, c)| format!("{a}{name}{b}:{value}{c}"));
    proptest::collection::vec(member, 1..4).prop_map(|all| format!("{{{}}}", all.join(",")))
}

/// Text as logs and answers have it, of everything that the way of the data looks at.
fn text() -> impl Strategy<Value = String> {
    const PARTS: [&str; 27] = [
        "\n",
        "\r\n",
        "```json\n",
        "```\n",
        "\n~~~\n",
        "> ```json5\n",
        "\"a\": ",
        "{\"k\":",
        "{\"k\": 1,\n",
        "\nINFO a line\n",
        "  \"m\": 2\n",
        "}",
        "]",
        "[1, 2]",
        "{\"type\":\"init\",\"x\":[{}]}",
        "\u{1b}[31m",
        "\u{1b}[0m\u{1b}[K",
        "\u{1b}]0;title\u{7}",
        "\u{feff}",
        "\0",
        "2026-11-21T20:56:44.1560000Z ",
        "2026-11-21T20:56:44.156000000Z stdout P ",
        "2026-11-21T20:56:44.156000000Z stdout F ",
        "[pod/a/b] ",
        "web_1  | ",
        "<think>",
        "\n...done thinking.\n",
    ];
    let part = prop_oneof![
        6 => proptest::sample::select(&PARTS[..]).prop_map(str::to_owned),
        1 => json(),
        1 => "[a-z0-9 \\\\\"{}\\[\\]:,.-]{1,4}",
        1 => Just("</think>".to_owned()),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

#[test]
fn what_was_read_otherwise_when_it_came_in_pieces() {
    let ended_thinking = "{\"a\":1}\n".repeat(10) + "</think>\n{\"b\":1}";
    let closed = "{\"type\":\"a\",\"id\":1}{\"b\":4}]\n{\"type\":\"b\",\"id\":2}";
    let beyond = "x {\n\"a\":{\"x\":1},\n\"b\":{\"y\":2},\n\"c\":[{\"z\":3}]\n}\n{\"z\":1}\n";
    for (command, text, sizes) in [
        ("extract", &*ended_thinking, &[75, 100][..]),
        ("extract -p", closed, &[27, 100]),
        ("extract --all --max-document 20", beyond, &[15, 100]),
        ("extract --all --max-document 20", beyond, &[1]),
    ] {
        properties::cuts::assert_same(command, text.as_bytes(), sizes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(feature = "slow") { 256 } else { 96 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// How a source is cut into reads shows in nothing that a command prints.
    #[test]
    fn cuts_show_in_no_output(choices in proptest::collection::vec(any::<u8>(), 8..60)) {
        properties::cuts::property(&choices);
    }

    /// Whole JSON in is the same JSON out.
    #[test]
    fn whole_json_comes_out_as_it_went_in(json in json()) {
        let given = read(json.as_bytes(), &[]);
        // A literal that holds a document is that document.
        prop_assume!(!json.starts_with('"'));
        prop_assert_eq!(given.faults, vec![]);
        let [(text, _)] = &given.documents[..] else {
            return Err(TestCaseError::fail(format!("{} documents", given.documents.len())));
        };
        prop_assert_eq!(text.trim_ascii(), json.trim_ascii().as_bytes());
    }

    /// A document wrapped in any noise without brackets is found.
    #[test]
    fn documents_in_noise_are_found(
        // Marks would open a fence, and the rest of their line say what it holds.
        before in "[^{}\\[\\]\u{1b}\u{80}-\u{9f}\"`~]{0,40}",
        json in object(json()),
        after in "[^{}\\[\\]\u{1b}\u{80}-\u{9f}\"]{0,40}",
    ) {
        let given = read(format!("{before}{json}{after}").as_bytes(), &[]);
        let found = &given.documents;
        prop_assert!(found.iter().any(|(text, _)| minify(text) == minify(json.as_bytes())), "{:?}", found);
    }

    /// Lines of others inside of an indented document change nothing about it, and are noise.
    #[test]
    fn lines_of_others_do_not_break_an_indented_document(
        json in object(json()),
        others in proptest::collection::vec((any::<proptest::sample::Index>(), 0_usize..4), 1..6),
    ) {
        const OTHERS: [&str; 4] = [
            "\u{2827} Agent is working",
            "2026-11-21T20:56:44Z INFO GET /a 200",
            "\u{1b}[33mnpm\u{1b}[0m warn deprecated",
            "[WARN] it's 5\" wide",
        ];
        let json = json.replacen('{', "{\"first\": 1,", 1).replace("\\ud800", "");
        // Some numbers are too large for values.
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&json) else {
            return Ok(());
        };
        let shown = serde_json::to_string_pretty(&value).unwrap();
        let mut lines: Vec<&str> = shown.lines().collect();
        for (at, other) in &others {
            // After the first member: before it the bracket may be anything's.
            lines.insert(lines.len().min(2 + at.index(lines.len())), OTHERS[*other]);
        }
        let given = read_noise(format!("{}\n", lines.join("\n")).as_bytes(), &[]);
        let found: Vec<_> = given.documents.iter().map(|(text, _)| minify(text)).collect();
        prop_assert_eq!(found, [minify(shown.as_bytes())]);
        prop_assert_eq!(given.faults, vec![]);
        let noise = given.noise.unwrap();
        prop_assert_eq!(noise.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(), others.len());
    }

    /// Results do not depend on how the input is cut into reads.
    #[test]
    fn cuts_do_not_matter(text in text(), mut cuts in proptest::collection::vec(0_usize..400, 0..8)) {
        cuts.sort_unstable();
        prop_assert_eq!(read(text.as_bytes(), &cuts), read(text.as_bytes(), &[]));
    }

    /// Not even when every byte comes alone.
    #[test]
    fn bytes_may_come_one_by_one(text in text()) {
        let cuts: Vec<usize> = (1..text.len()).collect();
        prop_assert_eq!(read(text.as_bytes(), &cuts), read(text.as_bytes(), &[]));
    }

    /// Nor does what is noise.
    #[test]
    fn cuts_do_not_matter_to_noise(text in text(), mut cuts in proptest::collection::vec(0_usize..400, 0..8)) {
        cuts.sort_unstable();
        prop_assert_eq!(read_noise(text.as_bytes(), &cuts), read_noise(text.as_bytes(), &[]));
    }

    /// Documents may lose their white space while they are read.
    #[test]
    fn long_documents_may_be_held_without_white_space(
        before in text(),
        json in proptest::collection::vec(json(), 3..9),
        middle in "|[\\\\\"{}\\[\\]:, \nm\u{1b}\u{feff}]{1,6}",
        cut in 0_usize..2000,
        after in text(),
        mut cuts in proptest::collection::vec(0_usize..3000, 0..16),
        lossy: bool,
    ) {
        let long = format!("\n[ {{\"a\" : \"{}\"}} , {} ]", "\\\\ \\\"  ".repeat(40), json.join(" ,\n  "));
        let cut = (0..=cut % (long.len() + 1)).rev().find(|&cut| long.is_char_boundary(cut)).unwrap();
        let (one, other) = long.split_at(cut);
        let text = format!("{before}{one}{middle}{other}{after}");
        cuts.sort_unstable();
        let options = FindOptions { lossy, ..FindOptions::default() };
        properties::chain::assert_white_space_may_go(text.as_bytes(), &cuts, &options);
    }

    /// Any bytes can be read.
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0_usize..200) {
        prop_assert_eq!(read(&bytes, &[cut]), read(&bytes, &[]));
    }

    /// Documents that are made at random, wrapped in noise that is made at random, are what is found.
    #[test]
    fn documents_in_noise_are_what_another_reader_reads(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        properties::differential::property(&choices);
    }

    /// Records of agents and of others, put together at random, are reported alike however they come, and no stated
    /// failure is a success.
    #[test]
    fn records_put_together_at_random_are_reported_alike(choices in proptest::collection::vec(any::<u8>(), 0..60)) {
        properties::recognition::property(&choices);
    }

    /// Text for terminals and CI logs hides nothing and forms no command, and JSON for terminals means the same.
    #[test]
    fn sanitised_text_does_no_harm(
        cuts in proptest::collection::vec(0_u8..40, 0..8),
        text in ".{0,40}|[\\x00-\\x20\u{7f}-\u{a0}\u{200b}-\u{2069}\u{e0001}:#\\[a]{0,40}|(##vso\\[|##\\[|::|\n| |[:#\\[a-c\t\r]){0,20}",
    ) {
        let count = [cuts.len() as u8];
        properties::sanitizer::property(&[&count, &*cuts, text.as_bytes()].concat());
    }
}

/// The library never reads the environment, the terminal or the clock, never prints and never exits.
#[test]
fn the_library_asks_nothing_of_its_surroundings() {
    const FORBIDDEN: [&str; 11] = [
        "env::",
        "Instant::now",
        "SystemTime::now",
        "process::exit",
        "process::abort",
        "println!",
        "eprintln!",
        "print!(",
        "io::stdout(",
        "io::stderr(",
        "IsTerminal",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let edge = ["src/main.rs", "src/environment.rs"].map(|path| root.join(path));
    let folders = ["src", "crates"].map(|folder| root.join(folder));
    let mut read = 0;
    for path in folders.into_iter().flat_map(properties::files) {
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        if !is_code || edge.contains(&path) || path.ends_with("tests.rs") {
            continue;
        }
        read += 1;
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap_or("");
            for word in FORBIDDEN {
                let place = format!("{}:{}", path.display(), number + 1);
                assert!(
                    !line.contains(word),
                    "{place}: {word} belongs to the binary"
                );
            }
        }
    }
    assert!(read > 20, "{read} files");
}

/// A live log arrives line by line, and gives what the whole of it does.
#[test]
fn lines_of_every_case_may_come_one_by_one() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut read_cases = 0;
    for case in fs::read_dir(cases).unwrap() {
        let path = case.unwrap().path();
        let Ok(text) = fs::read(path.join("stdin")) else {
            continue;
        };
        read_cases += 1;
        let ends = (1..text.len()).filter(|&at| text[at - 1] == b'\n');
        let ends: Vec<usize> = ends.collect();
        let whole = read(&text, &[]);
        assert_eq!(read(&text, &ends), whole, "{}", path.display());
        if is_picked(&text) {
            for &end in ends.iter().take(100) {
                assert_eq!(read(&text, &[end]), whole, "{} at {end}", path.display());
            }
        }
    }
    assert!(read_cases > 100, "{read_cases} cases");
}

#[test]
fn a_line_that_waited_for_a_joined_one_ends_no_thinking() {
    let stamp = "2026-11-21T20:56:44.156000000Z stdout";
    let text = format!("{stamp} P \n...done thinking.\n{stamp} F {{\"a\":[{{}}]}}\n");
    let cuts: Vec<usize> = (1..text.len()).collect();
    let whole = read(text.as_bytes(), &[]);
    assert_eq!((whole.thinking, whole.documents.len()), (None, 1));
    assert_eq!(read(text.as_bytes(), &cuts), whole);
}

#[test]
fn weak_documents_count_when_there_are_too_many_to_be_kept() {
    let lines = |from: usize, to: usize| -> String {
        let line = |at| format!("see [1, {at}] there\n");
        (from..to).map(line).collect()
    };
    let text = |given: &Given| -> Vec<String> {
        let text = |(text, _): &(Vec<u8>, Origin)| String::from_utf8_lossy(text).into_owned();
        given.documents.iter().map(text).collect()
    };
    let many = 10_000;
    let given = text(&read(lines(0, many).as_bytes(), &[]));
    let expected: Vec<String> = (0..many).map(|at| format!("[1, {at}]")).collect();
    assert_eq!(given, expected);
    // A strong document is better than few, and stands next to many.
    let strong = "{\"a\":1}\n";
    let few = format!("{}{strong}{}", lines(0, 10), lines(0, 10));
    assert_eq!(text(&read(few.as_bytes(), &[])), ["{\"a\":1}"]);
    let given = text(&read(format!("{}{strong}", lines(0, many)).as_bytes(), &[]));
    assert_eq!(given.len(), many + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_part_of_a_document_is_given_with_a_fault_only(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        properties::wholes::parts(&data);
    }

    #[test]
    fn what_was_read_before_changes_nothing(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        properties::wholes::context(&data);
    }
}

/// Blanks in a terminal sequence are no white space between tokens: without them `]` would begin a control string.
#[test]
fn terminal_sequences_keep_their_white_space_in_long_documents() {
    let long = "\\\\ ".repeat(100);
    for sequence in ["\x1b ", "\x1b[1 ", "\x1b]8;; \x07", "\x1b( "] {
        let text = format!("\n[ {{\"a\" : \"{long}\"}} , [1{sequence}]   ]");
        let after = text.find('\x1b').unwrap();
        properties::chain::assert_white_space_may_go(
            text.as_bytes(),
            &[after],
            &FindOptions::default(),
        );
    }
}

/// Places at which something once depended on where a read ended.
#[test]
fn no_cut_matters_where_one_did() {
    for text in [
        // A weak document waits for a strong one next to it while another source is distinguished.
        "<```json\n<{\"\"\n:\"\"}\n[1,2]\u{1b}[m\u{1b}[K{\"\":\"\"\n}",
        // A read ends between carriage return and line feed, after the marks of a fence.
        ".\n2026-11-21T20:56:40Z stdout P ```json\n2026-11-21T20:56:40Z stdout F \r\n6-1-1T0:6:0Z",
        // A fault of a fence is reported at its marks, which stand before another source's faults.
        "[pod/a/b]\u{10432}```json\n>```json\n[pod/a/b]n</think>{\"\":]\n.\n",
    ] {
        let source = text.as_bytes();
        let whole = read(source, &[]);
        for cut in 1..source.len() {
            assert_eq!(read(source, &[cut]), whole, "{text:?} cut at {cut}");
        }
        let all: Vec<usize> = (1..source.len()).collect();
        assert_eq!(read(source, &all), whole, "{text:?}, byte by byte");
    }
}
