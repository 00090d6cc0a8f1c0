//! The programs in `examples/` do what they say.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

use assert_cmd::Command;

/// An example. `cargo test` has built it; `cargo test --test docs` has not.
fn example(name: &str) -> Command {
    static BUILT: Once = Once::new();
    let built = PathBuf::from(env!("CARGO_BIN_EXE_jsift"));
    let built = built.parent().unwrap().join("examples");
    BUILT.call_once(|| {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--locked", "--examples"]);
        if built.parent().unwrap().ends_with("release") {
            build.arg("--release");
        }
        build.assert().success();
    });
    Command::new(
        built
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION),
    )
}

fn recording(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("recordings").join(name).join("stream")
}

/// A file with that text.
fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn a_completion_gives_a_value() {
    let answer =
        "Sure:\n\n```json\n{\"name\": \"Rome\", \"people\": 2755309}\n```\n\nAnything else?\n";
    let run = example("completion").arg(file(answer).path()).assert();
    run.success().stdout("Rome has 2755309 people\n");

    let failed =
        r#"{"session_id":"s","error":{"type":"Error","message":"quota exceeded","code":429}}"#;
    let run = example("completion").arg(file(failed).path()).assert();
    run.code(12)
        .stdout(predicates::str::ends_with("; trying again may help\n"));
}

#[test]
fn a_live_stream_is_reported_as_it_comes() {
    let stream = fs::read(recording("claude-2.1.330/multi")).unwrap();
    let run = example("live").write_stdin(stream).assert().success();
    let shown = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(shown.lines().any(|line| line.starts_with('[')), "{shown}");
    let last = shown.lines().last().unwrap();
    assert!(last.starts_with("success after "), "{shown}");
}

#[test]
fn a_log_gives_its_documents() {
    let log = "12:00 up\n12:01 {\"level\": \"info\",\n12:01  \"n\": 1}\n12:02 {\"n\": 2}\n12:03 {\"level\":";
    let run = example("log").arg(file(log).path()).assert();
    run.success().stdout(
        "2: {\"level\":\"info\",\"n\":1}\ntruncated: 5:7: JSON is truncated inside an object\n",
    );
}
