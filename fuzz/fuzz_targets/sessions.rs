//! Whatever stream is read: its sessions are JSON, and cuts do not matter to them.
#![cfg_attr(fuzzing, no_main)]

use jsift::dialect::reader::Reader;
use jsift::find::{Finder, Options};
use jsift::session::Sessions;
use jsift::sink::ndjson;
use jsift::stream::Stream;
use jsift_fuzz::{cuts, is_json};

fn summary(source: &[u8], cuts: &[usize]) -> String {
    let mut stream = Stream::new(Reader::new(), Sessions::new(true));
    let mut finder = Finder::new(Options::default());
    let mut from = 0;
    for &cut in cuts.iter().chain([&source.len()]) {
        finder.push(&source[from..cut], &mut stream);
        from = cut;
    }
    finder.finish(&mut stream);
    let mut lines = Vec::new();
    for session in stream.finish().all() {
        ndjson::session(session, &mut lines);
    }
    String::from_utf8(lines).expect("UTF-8")
}

fn property(input: &[u8]) {
    let (cuts, source) = cuts(input);
    let whole = summary(source, &[]);
    for line in whole.lines() {
        assert!(is_json(line.as_bytes()), "{line}");
    }
    assert_eq!(summary(source, &cuts), whole);
}

jsift_fuzz::target!(property);
