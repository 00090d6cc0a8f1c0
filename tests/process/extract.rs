//! Tests of `extract` that a case folder cannot express: inputs that take many reads, of which all is held or written.

use assert_cmd::Command;

use crate::jsift;

/// More than what is read at once, and nothing in it.
fn prose() -> String {
    "nothing to see here\n".repeat(50_000)
}

/// Runs `extract` with arguments on an input; returns its standard output.
fn extract(args: &[&str], input: &str) -> String {
    let mut command = Command::from_std(jsift(&[&["extract"], args].concat()));
    let assert = command.write_stdin(input).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn all_of_a_text_is_copied_through() {
    let input = prose();
    assert!(extract(&["--text"], &input) == input);
}

#[test]
fn all_of_the_noise_is_kept() {
    let input = prose() + "{\"a\":1}\n" + &prose();
    assert!(extract(&["--noise", "keep"], &input) == input);
}

#[test]
fn what_is_far_after_is_repaired() {
    let input = prose() + "{\"a\":1,}\n";
    assert_eq!(extract(&["--repair"], &input), "{\"a\":1}\n");
}

#[test]
fn what_is_far_after_is_a_payload_by_some_stages_and_by_all() {
    let input = prose() + "x {\"b\":2}\n```json\n{\"a\":1}\n```\n";
    let by_fence = ["--payload", "--stage", "fence"];
    assert_eq!(extract(&by_fence, &input), "{\"a\":1}\n");
    assert_eq!(
        extract(&["--payload", "--all"], &input),
        "{\"b\":2}\n{\"a\":1}\n"
    );
}
