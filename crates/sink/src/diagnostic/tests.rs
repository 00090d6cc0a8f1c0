use proptest::prelude::*;

use super::*;
use crate::sanitize::is_hidden;

fn printed(options: DiagnosticOptions, report: impl FnOnce(&mut Diagnostics<'_>)) -> String {
    let mut out = Vec::new();
    let mut diagnostics = Diagnostics::new(&mut out, options);
    report(&mut diagnostics);
    diagnostics.end_groups();
    drop(diagnostics);
    String::from_utf8(out).unwrap()
}

const PLACE: Position = Position {
    line: 12,
    column: 7,
    offset: 99,
};

#[test]
fn messages_have_the_gnu_form() {
    let text = printed(DiagnosticOptions::default(), |to| {
        to.report(
            Diagnostic::error("found nothing")
                .of("<stdin>")
                .at(PLACE)
                .hint("try --loose"),
        );
        to.report(Diagnostic::warning("odd").of("a.log"));
        to.report(Diagnostic::note("see also"));
        to.report(Diagnostic::verbose("never"));
    });
    assert_eq!(
        text,
        "jsift: <stdin>:12:7: found nothing\njsift: hint: try --loose\n\
         jsift: a.log: warning: odd\njsift: note: see also\n"
    );
}

#[test]
fn quiet_leaves_errors_and_verbose_adds_the_path() {
    let report = |to: &mut Diagnostics<'_>| {
        to.report(Diagnostic::error("e").hint("h"));
        to.report(Diagnostic::warning("w"));
        to.report(Diagnostic::note("n"));
        to.report(Diagnostic::verbose("v"));
    };
    let quiet = DiagnosticOptions {
        quiet: true,
        ..DiagnosticOptions::default()
    };
    assert_eq!(printed(quiet, report), "jsift: e\n");
    let verbose = DiagnosticOptions {
        verbose: true,
        ..DiagnosticOptions::default()
    };
    assert!(printed(verbose, report).ends_with("jsift: v\n"));
}

#[test]
fn repeated_messages_are_grouped_per_source() {
    let text = printed(DiagnosticOptions::default(), |to| {
        for line in 1..=10 {
            let at = Position { line, ..PLACE };
            let message = Diagnostic::warning("broken")
                .of("a")
                .at(at)
                .group("broken records");
            to.report(message.hint("look"));
        }
        to.report(
            Diagnostic::warning("broken")
                .of("b")
                .group("broken records"),
        );
    });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "jsift: a:1:7: warning: broken");
    assert_eq!(lines[1], "jsift: hint: look");
    assert_eq!(lines[3], "jsift: a:3:7: warning: broken");
    assert_eq!(lines[4], "jsift: b: warning: broken");
    assert_eq!(lines[5..], ["jsift: a: and 7 more broken records"]);
}

#[test]
fn a_status_is_erased_by_what_is_written_next() {
    let report = |to: &mut Diagnostics<'_>| {
        to.show_status("1 %");
        to.show_status("2 %");
        to.report(Diagnostic::error("e"));
        to.report(Diagnostic::verbose("not said"));
        to.show_status("3 %");
        to.erase_status();
        to.erase_status();
    };
    assert_eq!(
        printed(DiagnosticOptions::default(), report),
        "\r1 %\x1b[K\r\r2 %\x1b[K\r\r\x1b[Kjsift: e\n\r3 %\x1b[K\r\r\x1b[K"
    );
    let quiet = DiagnosticOptions {
        quiet: true,
        ..DiagnosticOptions::default()
    };
    assert_eq!(printed(quiet, report), "jsift: e\n");
}

#[test]
fn hostile_names_and_texts_are_shown_and_not_obeyed() {
    let options = DiagnosticOptions {
        ci: true,
        ..DiagnosticOptions::default()
    };
    let text = printed(options, |to| {
        to.report(Diagnostic::error("##[error]\u{202e}").of("a\n::b\u{1b}[2J"));
    });
    assert_eq!(text, "jsift: a\\n::b\\x1b[2J: # #[error]\\u{202e}\n");
}

#[test]
fn excerpts_are_cut_between_characters() {
    assert_eq!(excerpt(b"plain", 5), "plain");
    assert_eq!(excerpt(b"plain!", 5), "plai…");
    assert_eq!(excerpt("äöüß".as_bytes(), 3), "äö…");
    assert_eq!(excerpt(b"a\n\x1b[0m\tb\r", 50), "a\\n\\x1b[0m\\tb\\r");
    assert_eq!(excerpt(b"ab\ncd", 4), "ab…", "an escape is not cut");
    assert_eq!(excerpt(b"a\xffb\xc3(", 50), "a\u{fffd}b\u{fffd}(");
    assert_eq!(excerpt("aé".as_bytes().split_last().unwrap().1, 50), "a…");
    assert_eq!(excerpt(b"", 10), "");
    assert_eq!(excerpt(b"x", 0), "…");
}

proptest! {
    #[test]
    fn excerpts_keep_their_length(bytes: Vec<u8>, max in 1usize..60) {
        let text = excerpt(&bytes, max);
        prop_assert!(text.chars().count() <= max);
        prop_assert!(!text.contains(is_hidden));
    }
}
