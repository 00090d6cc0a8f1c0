//! Layouts by example, and the promise that nothing but white space changes.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn laid_out(text: &str, layout: Layout) -> String {
    let mut out = Vec::new();
    write(&mut out, text.as_bytes(), layout, false).unwrap();
    String::from_utf8(out).unwrap()
}

fn small(text: &str) -> String {
    String::from_utf8(minify(text.as_bytes()).into_owned()).unwrap()
}

const FOUND: &str = " {\"b\" : [ 1.0 ,-2e+5,\t{ } , [\n] ],\"a\": \"x \\\" y\\\\\" , \"a\":null,\"\\u00e9\":{\"c\":[[]]}}\r\n";

#[test]
fn compact_takes_out_white_space_only() {
    let want = r#"{"b":[1.0,-2e+5,{},[]],"a":"x \" y\\","a":null,"\u00e9":{"c":[[]]}}"#;
    assert_eq!(laid_out(FOUND, Layout::Compact), want);
    assert_eq!(laid_out(FOUND, Layout::Pretty(0)), want);
    assert_eq!(small(FOUND), want);
}

#[test]
fn what_is_compact_is_not_copied() {
    let text = br#"{"a b":"c \" d","e":[1,2]}"#;
    assert!(matches!(minify(text), Cow::Borrowed(_)));
}

#[test]
fn pretty_is_the_layout_of_jq() {
    let want = r#"{
  "b": [
    1.0,
    -2e+5,
    {},
    []
  ],
  "a": "x \" y\\",
  "a": null,
  "\u00e9": {
    "c": [
      []
    ]
  }
}"#;
    assert_eq!(laid_out(FOUND, Layout::Pretty(2)), want);
    assert_eq!(
        laid_out(FOUND, Layout::Pretty(3)),
        want.replace("  ", "   ")
    );
}

#[test]
fn scalars_stay_what_they_are() {
    for layout in [Layout::Compact, Layout::Pretty(2), Layout::AsFound] {
        for text in ["1", "\"a b\"", "null", "-0.0e00", "[]", "{}"] {
            assert_eq!(laid_out(&format!("\n {text} "), layout), text);
        }
    }
}

#[test]
fn as_found_keeps_the_white_space_inside() {
    assert_eq!(laid_out(FOUND, Layout::AsFound), FOUND.trim());
}

#[test]
fn colours_are_those_of_jq_and_change_nothing_else() {
    let colored = |layout| {
        let mut out = Vec::new();
        write(&mut out, FOUND.as_bytes(), layout, true).unwrap();
        String::from_utf8(out).unwrap()
    };
    let compact = colored(Layout::Compact);
    assert!(
        compact.starts_with("\u{1b}[1;39m{\u{1b}[0m\u{1b}[34;1m\"b\"\u{1b}[0m\u{1b}[1;39m:"),
        "{compact:?}"
    );
    for layout in [Layout::Compact, Layout::Pretty(2), Layout::AsFound] {
        let mut plain = String::new();
        for piece in colored(layout).split('\u{1b}') {
            plain += piece
                .strip_prefix('[')
                .map_or(piece, |sgr| sgr.split_once('m').unwrap().1);
        }
        assert_eq!(plain, laid_out(FOUND, layout));
    }
}

#[test]
fn deep_nesting_costs_neither_stack_nor_square_output() {
    let depth = if cfg!(feature = "slow") {
        200_000
    } else {
        20_000
    };
    let text = "[".repeat(depth) + &"]".repeat(depth);
    let pretty = laid_out(&text, Layout::Pretty(2));
    assert!(pretty.len() <= 2 * depth * (2 * LEVELS + 2));
    assert_eq!(small(&pretty), text);
}

#[test]
fn escapes_are_read_across_pages() {
    for before in PAGE - 16..PAGE + 16 {
        let found = format!("[\"{}\\\" \\\\ \", 1]", "a".repeat(before));
        let want = found.replace(", 1", ",1");
        assert_eq!(small(&found), want, "after {before}");
    }
}

#[test]
fn long_texts_leave_in_order() {
    let text = format!(
        "[{}]",
        vec![format!("\"{}\" ", "x y".repeat(5000)); 20].join(" , ")
    );
    let pretty = laid_out(&text, Layout::Pretty(1));
    assert_eq!(small(&pretty), small(&text));
    assert_eq!(laid_out(&text, Layout::Compact), small(&text));
}

/// Returns a JSON text with white space wherever the grammar allows it.
fn json() -> impl Strategy<Value = String> {
    let white = prop_oneof![Just(""), Just(" "), Just("\n"), Just("\t\r\n ")];
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.50e+3".to_owned()),
        Just("12345678901234567890".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just("\"\\ud800 \\/ { \\\"\"".to_owned()),
    ];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        let padded =
            (white.clone(), inner, white.clone()).prop_map(|(a, b, c)| format!("{a}{b}{c}"));
        let name = (white.clone(), "\"[a-c:{ ]{0,3}\"", white.clone())
            .prop_map(|(a, b, c)| format!("{a}{b}{c}"));
        prop_oneof![
            (prop::collection::vec(padded.clone(), 1..5))
                .prop_map(|items| format!("[{}]", items.join(","))),
            white.clone().prop_map(|white| format!("[{white}]")),
            white.clone().prop_map(|white| format!("{{{white}}}")),
            prop::collection::vec((name, padded), 1..5).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{name}:{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn layouts_differ_in_white_space_only(text in json(), indent in 0u8..9) {
        let pretty = laid_out(&text, Layout::Pretty(indent));
        let minimal = small(&text);
        prop_assert_eq!(small(&pretty), &*minimal);
        prop_assert_eq!(laid_out(&text, Layout::Compact), &*minimal);
        prop_assert_eq!(small(&laid_out(&text, Layout::AsFound)), &*minimal);
        if !text.contains("\\ud800") {
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            prop_assert_eq!(read(&text), read(&pretty));
            prop_assert_eq!(read(&text), read(&minimal));
        }
    }

    #[test]
    fn pretty_with_two_blanks_is_that_of_serde(text in json()) {
        // What serde_json has written once, it writes again byte for byte: only the layout is compared.
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let compact = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(laid_out(&compact, Layout::Pretty(2)), serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn no_text_does_harm(bytes: Vec<u8>, indent in 0u8..3, color: bool) {
        let mut out = Vec::new();
        write(&mut out, &bytes, Layout::Pretty(indent), color).unwrap();
        let _ = minify(&bytes);
    }
}
