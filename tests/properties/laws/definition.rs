//! The finder against a naive reading of the definition of embedded documents.

use crate::properties::definition::{find, naive};
use jsift_find::document::FaultKind;
use proptest::prelude::*;

#[test]
fn the_table_of_the_definition() {
    use FaultKind::{Broken, Truncated};
    type Row<'a> = (&'a str, &'a [&'a str], &'a [(usize, FaultKind)]);
    let table: &[Row<'_>] = &[
        // Complete documents, one after the other.
        ("a {\"a\":1} b [1,2]{}", &["{\"a\":1}", "[1,2]", "{}"], &[]),
        // A broken object with a sound child: its remains hold no documents.
        (
            "{\"a\": {\"b\": 1}, x} {\"c\": 2}",
            &["{\"c\": 2}"],
            &[(0, Broken)],
        ),
        ("{\"a\" {\"b\": 1}}", &["{\"b\": 1}"], &[]),
        // Arrays cut after an element.
        ("[{\"a\":1}", &[], &[(0, Truncated)]),
        ("[[{\"a\":1}  ", &[], &[(0, Truncated)]),
        ("[1", &[], &[]),
        ("[1,", &[], &[(0, Truncated)]),
        ("[{\"a\":1} x", &["{\"a\":1}"], &[]),
        ("[{\"a\":1}, x] [2]", &["[2]"], &[(0, Broken)]),
        // Remains over several lines, to the closing bracket or to a line that is not deeper.
        (
            "{\n  \"a\": x,\n  \"b\": {\"c\": 1}\n}\n{\"d\": 1}",
            &["{\"d\": 1}"],
            &[(0, Broken)],
        ),
        (
            "  {\"a\": x,\n    \"b\": [\n  {\"d\": 1}",
            &["{\"d\": 1}"],
            &[(2, Broken)],
        ),
        ("{\"a\": 1,\n{\"d\": 1}", &["{\"d\": 1}"], &[(0, Broken)]),
        ("{\"a\": \"cut\n{\"d\": 1}", &["{\"d\": 1}"], &[(0, Broken)]),
        // The line feed at the end of a text that was cut.
        ("{\"a\": \"cut\n", &[], &[(0, Truncated)]),
        ("{\"a\": tru\r\n", &[], &[(0, Truncated)]),
        ("{\"a\": \"cut\n{", &[], &[(0, Broken)]),
        ("{\"na\n", &[], &[(0, Truncated)]),
        // Quotes in noise.
        ("5\" wide {\"a\":\"}\"} \"{", &["{\"a\":\"}\"}"], &[]),
        ("say \"hi {\"a\":1}\"", &["{\"a\":1}"], &[]),
        // Intervals are no faults, and reading goes on where they broke.
        ("range [5, 10) is open [1,2]", &["[1,2]"], &[]),
        ("[1, 2 {\"a\": 1}", &["{\"a\": 1}"], &[]),
        // Chains of arrays: with a committed first element, an array is committed.
        ("[ [ [1, 2] x", &["[1, 2]"], &[]),
        ("[ [1, {\"a\": x}] [3]", &[], &[(0, Broken)]),
        ("[{\"a\": NaN}, {\"b\": 2}] [3]", &["[3]"], &[(0, Broken)]),
        // The end of input inside a first member name is reported only if nothing else was found.
        ("{\"na", &[], &[(0, Truncated)]),
        ("{\"name\"", &[], &[(0, Truncated)]),
        ("{} {\"na", &["{}"], &[]),
        // Lone surrogates are grammatical, invalid escapes and raw control characters are not.
        ("{\"a\":\"\\ud800\"}", &["{\"a\":\"\\ud800\"}"], &[]),
        ("{\"a\":\"\\q\"} [0]", &[], &[(0, Broken)]),
    ];
    for (text, documents, faults) in table {
        let given = find(text.as_bytes(), &[]);
        let found: Vec<&str> = given.documents.iter().map(|&(a, b)| &text[a..b]).collect();
        assert_eq!(&found, documents, "{text:?}");
        assert_eq!(&given.faults, faults, "{text:?}");
        assert_eq!(
            naive(text.as_bytes()),
            given,
            "the naive reading of {text:?}"
        );
    }
}

fn noise() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        20 => "[{}\\[\\]\",:]",
        4 => "[ \n\t]",
        6 => "[0-9a-z\\\\.-]",
        3 => Just("\"a\":".to_owned()),
        2 => Just("{\"k\": ".to_owned()),
        2 => Just("\"s\",".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("é😀".to_owned()),
        1 => Just("\n  ".to_owned()),
    ];
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(feature = "slow") { 1000 } else { 250 }))]

    #[test]
    fn the_finder_reads_as_the_definition_does(text in noise()) {
        prop_assert_eq!(find(text.as_bytes(), &[]), naive(text.as_bytes()));
    }

    #[test]
    fn cuts_do_not_matter(text in noise(), mut cuts in proptest::collection::vec(0_usize..120, 0..6)) {
        cuts.sort_unstable();
        prop_assert_eq!(find(text.as_bytes(), &cuts), find(text.as_bytes(), &[]));
    }
}
