//! JSONTestSuite: what begins with `y_` is JSON and leaves as it came in, what begins with `n_` is refused. The rest
//! may go either way, but not wrong.

use std::path::Path;

use jsift_json::scan::{Scanner, Step};
use jsift_json::write::minify;

/// Whether a text is one JSON value and white space around it, reading `step` bytes at a time.
fn is_json(text: &[u8], step: usize) -> bool {
    let mut scanner = Scanner::new(false);
    let mut at = 0;
    let complete = loop {
        let end = (at + step).min(text.len());
        let (read, result) = scanner.scan(&text[at..end], at as u64, end == text.len());
        at += read;
        match result {
            Step::Complete => break true,
            Step::Broken(_) => break false,
            Step::More if at == text.len() => break scanner.complete_at_end(),
            Step::More => {}
        }
    };
    complete && text[at..].iter().all(|byte| b" \t\r\n".contains(byte))
}

#[test]
fn every_file_of_the_suite_is_judged_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/json_test_suite");
    let mut judged = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read(&path).unwrap();
        let whole = is_json(&text, usize::MAX / 2);
        assert_eq!(is_json(&text, 1), whole, "{name}: depends on how it is cut");
        match name.as_bytes()[0] {
            b'y' => {
                assert!(whole, "{name} is JSON");
                let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
                let small: serde_json::Value = serde_json::from_slice(&minify(&text)).unwrap();
                assert_eq!(small, value, "{name} is written as it was read");
            }
            b'n' => assert!(!whole, "{name} is no JSON"),
            _ => {}
        }
        judged += 1;
    }
    assert_eq!(judged, 318);
}
