//! Each property is one sentence; the examples are what was seen in real logs.

use proptest::prelude::*;

use super::*;

/// Returns the characters of a class, as a regular expression names it.
fn class(class: &str) -> Vec<char> {
    use regex_syntax::hir::{Class, HirKind};
    let hir = regex_syntax::parse(class).unwrap();
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges().iter();
            ranges
                .flat_map(|range| range.start()..=range.end())
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn hidden_are_controls_formats_and_what_is_ignored_by_default() {
    // They are seen, though formats: the signs that stand under or over Arabic numbers and words.
    const SIGNS: [char; 10] = [
        '\u{600}', '\u{601}', '\u{602}', '\u{603}', '\u{604}', '\u{605}', '\u{6dd}', '\u{890}',
        '\u{891}', '\u{8e2}',
    ];
    let is_selector = |c| matches!(c, '\u{fe00}'..='\u{fe0f}');
    let mut hidden = class(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]");
    hidden.retain(|c| !is_selector(*c) && !SIGNS.contains(c));
    let listed: Vec<char> = ('\0'..=char::MAX).filter(|c| is_hidden(*c)).collect();
    let only = |a: &[char], b: &[char]| -> Vec<String> {
        let only = a.iter().filter(|c| b.binary_search(c).is_err());
        only.map(|c| format!("{:x}", u32::from(*c))).collect()
    };
    assert_eq!(only(&hidden, &listed), [""; 0], "missing");
    assert_eq!(only(&listed, &hidden), [""; 0], "too many");
}

fn ci(text: &str) -> String {
    sanitize(text, false, true).into_owned()
}

fn terminal(text: &str) -> String {
    sanitize(text, true, false).into_owned()
}

#[test]
fn commands_are_broken_up() {
    for (text, want) in [
        ("::error::x", ": :error::x"),
        (
            "a\n \t::set-output name=x::y\n",
            "a\n \t: :set-output name=x::y\n",
        ),
        ("a\r::stop-commands::t", "a\r: :stop-commands::t"),
        ("\u{a0}\u{feff}::debug::", "\u{a0}\u{feff}: :debug::"),
        (":\u{200b}:error::", ":\u{200b} :error::"),
        ("x ##[error]no", "x # #[error]no"),
        ("##vso[task.complete]", "# #vso[task.complete]"),
        ("####[group]", "### #[group]"),
        ("#\u{ad}#[group]", "#\u{ad} #[group]"),
        ("##v\u{ad}so[group]", "# #v\u{ad}so[group]"),
        ("#\u{fe0f}#[error]", "#\u{fe0f} #[error]"),
        ("##vso\u{5bd}[group]", "# #vso\u{5bd}[group]"),
        (" :\u{640}:error::", " :\u{640} :error::"),
        ("##\u{b}[error]", "# #\u{b}[error]"),
        (":\u{c}:error::", ":\u{c} :error::"),
    ] {
        assert_eq!(ci(text), want, "{text:?}");
    }
}

#[test]
fn what_is_no_command_is_not_touched() {
    for text in [
        "use std::vector;\n  auto x = std::string();",
        "## Heading\n### Another\n",
        "#!/bin/sh",
        "# [link](x)",
        "##vs[",
        "a: b\n: c",
        "##",
        "",
        "fe80::1 is up",
    ] {
        assert!(
            matches!(sanitize(text, false, true), Cow::Borrowed(_)) || text.contains("##"),
            "{text:?}"
        );
        assert_eq!(ci(text), text);
    }
}

#[test]
fn escapes_are_seen_and_do_nothing() {
    for (text, want) in [
        ("\u{1b}[31mred\u{1b}[0m", "\\x1b[31mred\\x1b[0m"),
        ("over\rwritten", "over\\rwritten"),
        ("line\r\nline\n\tx\r", "line\r\nline\n\tx\\r"),
        ("\u{9b}2J \u{7f}\0", "\\u{9b}2J \\x7f\\x00"),
        (
            "a\u{202e}b\u{200b}c\u{feff}",
            "a\\u{202e}b\\u{200b}c\\u{feff}",
        ),
        ("tag \u{e0041}", "tag \\u{e0041}"),
        (
            "\u{1160}\u{17b4}\u{180b}\u{2065}\u{3164}\u{1d173}",
            "\\u{1160}\\u{17b4}\\u{180b}\\u{2065}\\u{3164}\\u{1d173}",
        ),
        ("ünï ✔\u{fe0f} 漢字", "ünï ✔\u{fe0f} 漢字"),
    ] {
        assert_eq!(terminal(text), want);
    }
    assert!(matches!(
        sanitize("plain\r\ntext\tü\n", true, true),
        Cow::Borrowed(_)
    ));
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(visible("a\nb\tc\u{1b}"), "a\\nb\\tc\\x1b");
    assert!(matches!(visible("plain ü"), Cow::Borrowed(_)));
}

#[test]
fn json_strings_keep_their_meaning() {
    let text = "{\n\t\"a\":\"\u{9b}\u{202e}\u{e0041}\u{7f}é\"}";
    let clean = json_escapes(text);
    assert_eq!(
        clean,
        "{\n\t\"a\":\"\\u009b\\u202e\\udb40\\udc41\\u007fé\"}"
    );
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parse(&clean), parse(text));
}

/// Returns texts made of the characters that matter here.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            Just("#"),
            Just(":"),
            Just("["),
            Just("v"),
            Just("vso"),
            Just("s"),
            Just("o"),
            Just("\n"),
            Just("\r"),
            Just(" "),
            Just("\t"),
            Just("a"),
            Just("é"),
            Just("\u{200b}"),
            Just("\u{202e}"),
            Just("\u{1b}["),
            Just("\u{9b}"),
            Just("::error"),
            Just("##["),
            Just("##vso["),
            Just("\u{a0}"),
        ],
        0..40,
    )
    .prop_map(|pieces| pieces.concat())
}

/// Returns whether a runner that skips hidden characters finds a command in a text.
fn forms_command(text: &str) -> bool {
    text.split(is_line_end).any(|line| {
        let seen: String = line.chars().filter(|c| !is_hidden(*c)).collect();
        seen.trim_start().starts_with("::") || seen.contains("##[") || seen.contains("##vso[")
    })
}

proptest! {
    #[test]
    fn text_for_ci_forms_no_command(text in text(), terminal: bool) {
        prop_assert!(!forms_command(&sanitize(&text, terminal, true)));
    }

    #[test]
    fn text_for_ci_only_gains_blanks(text in text()) {
        let without_blanks = |text: &str| text.replace(' ', "");
        prop_assert_eq!(without_blanks(&ci(&text)), without_blanks(&text));
    }

    #[test]
    fn text_without_commands_is_left_alone(text in text()) {
        // A hidden character after `##` is judged before the text after it is known.
        let text = text.replace(|c| is_hidden(c) && !is_line_end(c), "");
        for line in text.split_inclusive(is_line_end).filter(|line| !forms_command(line)) {
            prop_assert_eq!(ci(line), line);
        }
    }

    #[test]
    fn text_for_terminals_holds_no_hidden_character(text in any::<String>(), also in text()) {
        for text in [text, also] {
            let clean = terminal(&text).replace("\r\n", "\n");
            prop_assert!(!clean.contains(|c| is_hidden(c) && c != '\n' && c != '\t'), "{clean:?}");
        }
    }

    #[test]
    fn cuts_do_not_matter(text in text(), cuts in prop::collection::vec(0usize..80, 0..6), terminal: bool, ci: bool) {
        let mut sanitizer = Sanitizer::new(terminal, ci);
        let mut pieces = String::new();
        let mut rest = text.as_str();
        for cut in cuts {
            let at = (0..=cut % (rest.len() + 1)).rfind(|at| rest.is_char_boundary(*at)).unwrap_or(0);
            let (piece, after) = rest.split_at(at);
            pieces += &sanitizer.push(piece);
            rest = after;
        }
        pieces += &sanitizer.push(rest);
        pieces += &sanitizer.finish();
        prop_assert_eq!(pieces, sanitize(&text, terminal, ci));
    }
}
