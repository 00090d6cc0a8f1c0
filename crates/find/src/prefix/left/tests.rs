//! Which lines carry a left text, and where it is cut.

use super::{Alternative, Change, Class, Left, PREFIX_LIMIT};

fn goes_with(left: &str, line: &str, change: Change) -> Option<String> {
    let left = Left::new(left.as_bytes());
    let cut = 0;
    let end = left.match_end(line.as_bytes(), Alternative { cut, change });
    assert!(end.is_none() || left.may_begin(line.as_bytes()));
    end.map(|end| line[end..].trim_start().to_owned())
}

#[test]
fn stamps_may_change_and_names_may_not() {
    let left = "2026-01-01T00:00:00.123Z app-1 | ";
    let other = "2026-01-01T00:00:07.99Z app-1 | }";
    assert_eq!(goes_with(left, other, Change::Nothing), None);
    assert_eq!(goes_with(left, other, Change::Stamps).as_deref(), Some("}"));
    let second = "2026-01-01T00:00:07.99Z app-2 | }";
    assert_eq!(goes_with(left, second, Change::Stamps), None);
    assert_eq!(
        goes_with(left, second, Change::Digits).as_deref(),
        Some("}")
    );
}

#[test]
fn fractions_of_seconds_may_be_missing() {
    let (whole, parts) = ("2026-01-01T00:00:07Z ", "2026-01-01T00:00:07.99Z ");
    for (left, other) in [
        (whole, parts),
        (parts, whole),
        (parts, parts),
        (whole, whole),
    ] {
        let line = format!("{other}}}");
        assert_eq!(goes_with(left, &line, Change::Stamps).as_deref(), Some("}"));
    }
    assert_eq!(
        goes_with("9:05:07,123 x", "10:05:07 x", Change::Stamps).as_deref(),
        Some("")
    );
    assert_eq!(goes_with("9:05:07 x", "10:05:07. x", Change::Stamps), None);
    for (left, line) in [
        ("9:05:07,123, x", "9:05:07, x"),
        ("9:05:07.123,4 x", "9:05:07,4 x"),
    ] {
        assert_eq!(goes_with(left, line, Change::Stamps).as_deref(), Some(""));
    }
    assert_eq!(goes_with("step 1 x", "step 1.5 x", Change::Digits), None);
    assert_eq!(goes_with("[ 12.345] x", "[ 12] x", Change::Digits), None);
}

#[test]
fn line_numbers_may_grow() {
    assert_eq!(
        goes_with("     9\t", "    10\t]", Change::Digits).as_deref(),
        Some("]")
    );
    assert_eq!(
        goes_with("a.rs:9:", "a.rs:10:]", Change::Digits).as_deref(),
        Some("]")
    );
    assert_eq!(goes_with("4 ", "40 ]", Change::Nothing), None);
    assert_eq!(
        goes_with("[ 9999.999950] a: ", "[10000.000000] a: ]", Change::Stamps).as_deref(),
        Some("]")
    );
    assert_eq!(goes_with("a 9: ", "ab: ]", Change::Digits), None);
    assert_eq!(goes_with("a  b 9: ", "ab 9: ]", Change::Digits), None);
    assert_eq!(goes_with("[0] ", "[1] ]", Change::Nothing), None);
    assert_eq!(
        goes_with("#9 99.98 ", "#9 100.1 ]", Change::Stamps).as_deref(),
        Some("]")
    );
    assert_eq!(goes_with("py 3.9 ", "py 3.8 ]", Change::Stamps), None);
    assert_eq!(
        goes_with("[   12.345678] x: ", "[   12.345679] x: }", Change::Stamps).as_deref(),
        Some("}")
    );
}

#[test]
fn byte_order_marks_may_stand_before_any_field() {
    let with_bom = "job\t\u{feff}01:02:03\u{feff} }";
    for change in [Change::Nothing, Change::Stamps] {
        assert_eq!(
            goes_with("job\t01:02:03 ", with_bom, change).as_deref(),
            Some("\u{feff} }")
        );
    }
    assert_eq!(
        goes_with("job: \u{feff}", "job: \u{feff}}", Change::Nothing).as_deref(),
        Some("}")
    );
    assert_eq!(goes_with("job: ", "j\u{fefe}ob: ", Change::Nothing), None);
    assert_eq!(goes_with("job: ", "job\u{feff}", Change::Nothing), None);
    assert_eq!(
        goes_with("job:", "job:}\u{feff}", Change::Nothing).as_deref(),
        Some("}\u{feff}")
    );
}

#[test]
fn blanks_before_a_name_are_part_of_the_prefix() {
    let left = "  app | ";
    assert_eq!(
        goes_with(left, "  app | \"port\": 80", Change::Nothing).as_deref(),
        Some("\"port\": 80")
    );
    assert_eq!(goes_with(left, "app | \"port\": 80", Change::Nothing), None);
}

#[test]
fn stamps_are_distinguished_from_other_numbers() {
    for left in ["9:05", "2026-01-02", "26/01/02", "12.345678", "1767225600"] {
        assert!(
            Left::new(left.as_bytes()).classes.contains(&Class::Stamp),
            "{left}"
        );
    }
    for left in [
        "1.2.3",
        "1-2-",
        "//10/2",
        "a.rs:9:5:",
        "::8080",
        "#123456789",
    ] {
        assert!(
            !Left::new(left.as_bytes()).classes.contains(&Class::Stamp),
            "{left}"
        );
    }
}

#[test]
fn sequences_before_the_bracket_are_no_prefix() {
    for (left, text) in [
        ("app | \x1b[1;39m", "app |"),
        ("app | \x1b[2K \x1b(B\x1b]0;title\x07", "app |"),
        ("\x1b[36mapp | \x1b[0m", "\x1b[36mapp |"),
        ("app \x1b{ ", "app \x1b{"),
        ("\x1b[0m ", ""),
        ("\u{feff}job\t\u{feff}a: \u{feff} ", "job\ta:"),
    ] {
        assert_eq!(
            Left::new(left.as_bytes()).text.escape_ascii().to_string(),
            text.as_bytes().escape_ascii().to_string()
        );
    }
}

fn cuts_of(left: &str) -> Vec<&str> {
    let cuts = Left::new(left.as_bytes()).cuts;
    cuts.into_iter().map(|cut| &left[..cut]).collect()
}

#[test]
fn cuts_are_few_and_never_inside_a_stamp_or_brackets() {
    assert_eq!(
        cuts_of("12:00:01  app[1]: said:  "),
        ["12:00:01  app[1]: said:", "12:00:01  app[1]:", "12:00:01"]
    );
    assert_eq!(
        cuts_of("[a [b c] d] [e f g:1] "),
        ["[a [b c] d] [e f g:1]", "[a [b c] d]"]
    );
    assert_eq!(cuts_of("\x1b[1m a b]"), ["\x1b[1m a b]", "\x1b[1m a"]);
    let words = "2026-01-01 word ".repeat(12);
    assert_eq!(Left::new(words.as_bytes()).cuts.len(), super::CUTS);
    let job = "build (ubuntu, 3.12)\tRun all of the tests\t01:02:03Z ";
    let left = format!("{job}x | 04:05:06 - app - INFO - ");
    let cuts = cuts_of(&left);
    assert_eq!(cuts.len(), super::CUTS);
    assert!(cuts.contains(&job.trim_end()) && cuts.contains(&left.trim_end()));
    let prefix = "2026-01-01 00:00:00,123 INFO [pool-1-thread-1] x -";
    let message = "Updated for server: ok ".repeat(12);
    assert!(cuts_of(&format!("{prefix} {message}")).contains(&prefix));
}

#[test]
fn of_a_long_text_the_beginning_is_learned() {
    let longest = |name: usize| {
        let left = format!("{} | {}", "x".repeat(name), "message ".repeat(100));
        Left::new(left.as_bytes()).cuts.first().copied()
    };
    assert_eq!(longest(PREFIX_LIMIT - 2), Some(PREFIX_LIMIT));
    assert_eq!(longest(PREFIX_LIMIT - 1), Some(PREFIX_LIMIT - 1));
    assert_eq!(longest(PREFIX_LIMIT + 1), None);
}

#[test]
fn part_of_a_string_is_no_prefix() {
    for part in [
        "\x1b[0m{}",
        "\"app |",
        "app |   \"k1\": \"b |",
        "\"a\", \"b |",
    ] {
        assert!(!cuts_of(&format!("{part} ")).contains(&part), "{part}");
    }
    for prefix in [
        "tags:",
        "  1:",
        "  web |",
        "tags =>",
        "  a b:",
        "  \"a\" b:",
        "    tags:",
        "msg=\"app |",
        "\"a\" |",
    ] {
        assert_eq!(cuts_of(&format!("{prefix} ")).first(), Some(&prefix));
    }
}

#[test]
fn the_name_of_a_member_may_be_a_prefix_of_the_next_line() {
    let is_name = |text: &str| Left::new(text.as_bytes()).is_name(0);
    for name in [
        "'tags': ",
        "\"tags\" => ",
        "  `a b`: ",
        "app |   \"k1\": ",
        "    tags: ",
        "\t_x$ => ",
        "  k1:",
        "\x1b[0m  k1:",
    ] {
        assert!(is_name(name), "{name}");
    }
    for other in ["tags: ", "  1: ", "  web | ", "  a b: ", "  [tags]: "] {
        assert!(!is_name(other), "{other}");
    }
}

/// Returns what a line contains after the prefix of the column that `first` and `next` begin.
fn in_column(first: &str, next: &str, line: &str) -> Option<String> {
    let column = Left::new(first.as_bytes()).of_column(next.as_bytes())?;
    let (cut, change) = (0, Change::Nothing);
    let end = column.match_end(line.as_bytes(), Alternative { cut, change })?;
    Some(line[end..].trim_start().to_owned())
}

#[test]
fn rows_of_a_table_have_cells_of_the_same_width() {
    let next = "│      │   \"a\": 1";
    for line in [
        next,
        "│ name │   \"a\": 1",
        "│ 名前 │   \"a\": 1",
        "│ Zoë  │   \"a\": 1",
        "\x1b[90m│\x1b[0m      \x1b[90m│\x1b[0m   \"a\": 1",
    ] {
        let found = in_column("│ Zoë  │ ", next, line);
        let found = found.map(|text| text.replace("\x1b[0m", ""));
        assert_eq!(
            found.as_deref().map(str::trim_start),
            Some("\"a\": 1"),
            "{line}"
        );
    }
    for other in [
        "│ names │ \"a\": 1",
        "│ {\"a\" │ \"a\": 1",
        "│      | \"a\": 1",
        "      │",
    ] {
        assert_eq!(in_column("│ Zoë  │ ", next, other), None, "{other}");
    }
    // The first line has text in its cells, and the next one has none.
    assert_eq!(in_column("│      │ ", next, next), None);
    assert_eq!(in_column("web |", "api | 1", "api | 1"), None);
    assert_eq!(in_column("│ {", "│ 1", "│ 1"), None);
}

/// Returns what a line contains after the gutter of `first`.
fn in_gutter(first: &str, line: &str) -> Option<String> {
    let gutter = Left::new(first.as_bytes()).as_gutter(0)?;
    let (cut, change) = (0, Change::Nothing);
    let end = gutter.match_end(line.as_bytes(), Alternative { cut, change })?;
    Some(line[end..].to_owned())
}

#[test]
fn lines_of_a_gutter_have_numbers_marks_or_blanks() {
    for (first, line) in [
        ("  9 | ", " 10 | x"),
        ("  9 | ", "> 3 | x"),
        ("  9 | ", "    | x"),
        ("> 9 | ", "  3 | x"),
        ("9 | ", "10 | x"),
        ("    1     1 │ ", "    2       │ x"),
        ("\x1b[90m  1 | \x1b[0m", "\x1b[31m> 2 | x"),
        ("[1]   1 | ", "[1] > 2 | x"),
        ("app   1 | ", "\x1b[31mapp\x1b[0m     | x"),
    ] {
        assert_eq!(in_gutter(first, line).as_deref(), Some(" x"), "{line}");
    }
    for (first, line) in [
        ("  9 | ", "web | x"),
        ("  9 | ", " 10  | x"),
        ("web-1 | ", "web-2 | x"),
        ("[1]   1 | ", "[2]   2 | x"),
        ("12:34:56   1 | ", "12:34:56   2 | x"),
        ("  1 | ", "    |   ^^^ x"),
        ("  1 | ", "    |   ---- x"),
        ("  | ", "  | x"),
        ("[1] ", "[2] x"),
    ] {
        assert_eq!(in_gutter(first, line), None, "{line}");
    }
}
