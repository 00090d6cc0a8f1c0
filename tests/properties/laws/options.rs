//! Options that say the same in other words give the same, and what is chosen is one of the documents that there are.

use super::inputs_of_other_tests;
use crate::properties::run::given;

/// Two ways to ask for the same results, and for the same code.
const ALIKE: [(&[&str], &[&str]); 4] = [
    (&["extract", "--pick", "first"], &["extract", "--pick", "1"]),
    (&["extract", "--pick", "last"], &["extract", "--pick", "-1"]),
    (
        &["extract", "--all"],
        &["extract", "--all", "--compact", "--noise", "drop"],
    ),
    (
        &["extract", "--payload"],
        &["extract", "-p", "--max-document", "1G"],
    ),
];

/// Returns the results and the code of a command line on a text.
fn run(args: &[&str], text: &[u8]) -> (String, u8) {
    let (results, _, code) = given(args, text).unwrap();
    (results, code)
}

#[test]
fn options_that_say_the_same_give_the_same() {
    for text in inputs_of_other_tests(&["cases", "samples"]) {
        let shown = || String::from_utf8_lossy(&text).into_owned();
        for (one, other) in ALIKE {
            assert_eq!(run(one, &text), run(other, &text), "{one:?}: {}", shown());
        }
        let (_, code) = run(&["extract"], &text);
        let quiet = run(&["extract", "--quiet"], &text);
        assert_eq!(quiet, (String::new(), code), "--quiet: {}", shown());
    }
}

#[test]
fn all_documents_are_the_same_in_each_form() {
    for text in inputs_of_other_tests(&["cases", "samples"]) {
        let shown = || String::from_utf8_lossy(&text).into_owned();
        let (all, code) = run(&["extract", "--all"], &text);
        let documents: Vec<&str> = all.lines().collect();
        let array = run(&["extract", "--array"], &text);
        let expected = format!("[{}]\n", documents.join(","));
        assert_eq!(array, (expected, code), "--array: {}", shown());
        let (marked, _) = run(&["extract", "--all", "--seq"], &text);
        assert_eq!(marked.replace('\x1e', ""), all, "--seq: {}", shown());
        let (described, _) = run(&["extract", "--all", "--meta"], &text);
        let count = described.lines().count();
        assert_eq!(count, documents.len(), "--meta: {}", shown());
        let (chosen, _) = run(&["extract"], &text);
        // With --all, what a string literal contains is not given together with the literal.
        let is_one = documents.contains(&chosen.trim_end()) || chosen.starts_with('"');
        assert!(
            chosen.is_empty() || is_one || thinks(&text),
            "{chosen}: {}",
            shown()
        );
    }
}

/// Whether a text contains a tag of thinking: documents in it are chosen if there is no other, and --all prints none.
fn thinks(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    ["think", "reason", "channel"]
        .iter()
        .any(|tag| text.contains(tag))
}
